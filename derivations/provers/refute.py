"""Refutation: a point at small sizes where the hypotheses hold, both sides are defined, and the statement is false.

Both sides are evaluated in balls; only balls that are apart count.  The search is deterministic (its seed is the
statement) and ends after counted tries; the witness is then made as small as the tries allow.
"""

from __future__ import annotations

import hashlib
import math
import operator
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from itertools import chain, islice, product
from typing import Any

from flint import fmpq

from derivations.kernel.linear import consistent
from derivations.kernel.scope import Obligation
from derivations.language.extended_reals import NEG_INF, PRECISION, Indeterminate, Value, WorkLimit, ball, precise, sign
from derivations.language.inputs import Inputs
from derivations.language.meaning import Evaluator, defined, evaluate
from derivations.language.statement import Statement, Theory
from derivations.language.substitution import own_indices, subterms, term_sizes
from derivations.language.term import (
    Add,
    Apply,
    Choice,
    Constraint,
    Entry,
    Expectation,
    Guard,
    Index,
    IndexValue,
    Max,
    Mul,
    Number,
    Pow,
    Term,
    TermError,
    atoms,
    equal,
    guard,
    listed,
)
from derivations.provers.satisfying import (
    MAX_IN_VAIN,
    MAX_SPENT_ON_HYPOTHESES,
    Budget,
    Draw,
    assignments,
    has_unknown_functions,
    satisfy,
)

MAX_TRIES = 240
FEW_TRIES = 24
"""Draws that may fail in vain where hypotheses have unknown functions, whose values are not looked for."""
MAX_POINTS = 40
MAX_PLACES = 400
MIN_TRIES = 3
MAX_SPENT = 80_000
"""Operations of one search, over all points together."""
MAX_SHRINK = 80
MAX_ENTRIES = 36
"""Most places of both sides that a counterexample shows."""
MAX_SHOWN = 2_500
"""Most entries of one array that a counterexample shows."""
QUICK_DRAWS, QUICK_POINTS = 3, 3
STYLES = (
    (fmpq(0), fmpq(1)),
    (fmpq(-1), fmpq(0), fmpq(1), fmpq(2)),
    tuple(fmpq(p, q) for p in (-3, -2, -1, 1, 2, 3) for q in (1, 2, 3)),
)
"""What entries are drawn from: the simplest first."""
THRESHOLD_DRAWS, MAX_THRESHOLDS = 8, 12
POSITIVE = tuple(v for v in STYLES[2] if v > 0)
BELOW_ONE = tuple(v for v in POSITIVE if v < 1)
DRAWS = 12
"""Draws at one place, a third of them positive and a third between 0 and 1, before a term is taken to be undefined there
whatever the inputs are."""


@dataclass(frozen=True)
class Entries:
    """Both sides as vectors or matrices over `indices`, from 0; None where a side is undefined or nothing is claimed."""

    indices: tuple[str, ...]
    left: Any
    right: Any


@dataclass(frozen=True)
class Counterexample:
    """Where a statement fails: sizes, inputs (nested lists of rationals as text), indices, both values as decimals."""

    sizes: Mapping[str, int]
    inputs: Mapping[str, Any]
    at: Mapping[str, int]
    left: str
    right: str
    kind: str = "values"
    entries: Entries | None = None
    """Both sides at all values of one or two indices, where these are few."""

    def place(self) -> str:
        """Sizes, indices and small inputs, as a sentence lists them."""
        said = [f"{k} = {v}" for k, v in (*self.sizes.items(), *self.at.items())]
        said += [f"{k} = {str(v).replace(chr(39), '')}" for k, v in self.inputs.items()]
        return ", ".join(said) or "every place"


def refute(
    statement: Statement, theory: Theory, *, min_size: int = 1, seed: str | None = None
) -> Counterexample | None:
    """A counterexample with all sizes at least `min_size`, or None when the counted tries found none."""
    found = _search(statement, theory, _draws(statement, theory, min_size, seed))
    if found is None:  # the work may have been spent on sizes that are too small to tell
        found = _search(statement, theory, _draws(statement, theory, min_size, seed, spread=True))
    if found is None:
        return None
    inputs, at = found
    _shrink(statement, theory, inputs, at)
    try:
        return _report(statement, theory, inputs, at)
    except Indeterminate:  # a random name whose variance is negative there: nothing that the text speaks of
        return None


class Screen:
    """A quick look at statements about the names of one statement: at a few inputs, drawn once, with counted work.

    What the statements share is computed once.
    """

    def __init__(self, statement: Statement, theory: Theory, work: int) -> None:
        self.evaluators: list[Evaluator] = []
        for spread in (True, False):  # few inputs satisfy hypotheses
            for inputs in islice(_draws(statement, theory, 1, None, spread=spread), QUICK_DRAWS - len(self.evaluators)):
                self.evaluators.append(Evaluator(theory, inputs))
                self.evaluators[-1].work = work // QUICK_DRAWS

    def may_hold(self, statement: Statement) -> bool:
        """Whether a statement is defined somewhere at the first points of these inputs, and false nowhere."""
        is_seen = False
        for evaluator in self.evaluators:
            for at in islice(points(statement, evaluator.inputs.sizes), QUICK_POINTS):
                found = _differ(statement, evaluator, at)
                if found:
                    return False
                is_seen = is_seen or found is not None
        return is_seen

    @property
    def is_spent(self) -> bool:
        """Whether the work is done: nothing can be told any more."""
        return any(e.work <= 0 for e in self.evaluators)


def differs(statement: Statement, theory: Theory, *, spread: bool = True) -> bool:
    """Whether the statement fails at the first few points of some inputs: a quick look where no size is the smallest, or
    without `spread` where they all are."""
    for inputs in islice(_draws(statement, theory, 1, None, spread=spread), QUICK_DRAWS):
        evaluator = Evaluator(theory, inputs)
        evaluator.work = MAX_SPENT // 2
        if any(_fails(statement, evaluator, at) for at in islice(points(statement, inputs.sizes), QUICK_POINTS)):
            return True
    return False


def _search(statement: Statement, theory: Theory, draws: Iterator[Draw]) -> tuple[Draw, dict[str, int]] | None:
    """The first of some inputs at which the statement fails, within the counted work."""
    tries, work = 0, MAX_SPENT
    for inputs in draws:
        evaluator = Evaluator(theory, inputs)
        before = evaluator.work = MAX_SPENT
        for at in islice(points(statement, inputs.sizes), MAX_POINTS):
            tries += 1
            if _fails(statement, evaluator, at):
                return inputs, at
        work -= before - evaluator.work
        if (work < 0 and tries >= MIN_TRIES) or tries > MAX_TRIES * 4:
            break
    return None


def is_false_at(statement: Statement, theory: Theory, found: Counterexample) -> bool:
    """Whether a statement about the inputs of a counterexample, and nothing else, is rigorously false there at some place."""
    used = used_tensors(statement, theory).keys()
    if not used or not used <= found.inputs.keys() or not found.inputs.keys() <= theory.tensors.keys() - theory.random:
        return False
    if not all(map(_is_exact, found.inputs.values())):
        return False
    evaluator = Evaluator(theory, Inputs(found.sizes, found.inputs))
    evaluator.work = MAX_SPENT
    try:
        return any(_fails(statement, evaluator, at) for at in islice(points(statement, found.sizes), MAX_POINTS))
    except KeyError:  # it speaks of a length that the counterexample does not have
        return False


def _is_exact(value: object) -> bool:
    """Whether the entries of an input are printed as rationals, none of them as a decimal with its error."""
    return all(map(_is_exact, value)) if isinstance(value, list | tuple) else "+/-" not in str(value)


def anywhere(statement: Statement, theory: Theory) -> Counterexample | None:
    """Inputs that satisfy all hypotheses, and a place where both sides are defined, with their values there."""
    for inputs in islice(models(statement, theory), MAX_POINTS):
        evaluator = Evaluator(theory, inputs)
        for at in islice(points(statement, inputs.sizes), MAX_POINTS):
            try:
                with precise(PRECISION):
                    if evaluator.defined(statement.left, at) and evaluator.defined(statement.right, at):
                        return _report(statement, theory, inputs, at)
            except (Indeterminate, WorkLimit):
                continue
    return None


def find_model(statement: Statement, theory: Theory) -> Draw | None:
    """Inputs that satisfy all hypotheses, each of which says something there (and the statement too), or None.

    What is beside the diagonal of a matrix is nothing where it has one row.
    """
    for inputs in chain(*(models(statement, theory, least) for least in (1, 2))):
        if all(next(assignments(h.indices, h.guard, inputs.sizes), None) is not None for h in statement.hypotheses):
            return inputs
    return None


def models(statement: Statement, theory: Theory, min_size: int = 1) -> Iterator[Draw]:
    """Inputs that satisfy all hypotheses, at sizes where the statement says something."""
    for inputs in _draws(statement, theory, min_size, None):
        if next(points(statement, inputs.sizes), None) is not None:
            yield inputs


def obligation_failure(o: Obligation, statement: Statement, theory: Theory) -> Mapping[str, int] | None:
    """Sizes and indices at which an obligation fails whatever the inputs are (so far as a few draws tell)."""
    if o.kind in ("in range", "condition"):
        return _never_met(o, statement, theory)
    names = sorted(all_sizes(statement, theory) | {s for c in o.facts for s in c.index.sizes})
    if o.kind == "invertible" and _somewhere_invertible(o, theory, names):
        return None
    for sizes in _size_choices(names, 1, 12):
        for values in product(range(4), repeat=len(o.variables)):
            at = dict(zip(o.variables, values, strict=True))
            try:
                if not all(c.holds(at, sizes) for c in o.facts):
                    continue
                if all(_broken(o, theory, sizes, at, k) for k in range(DRAWS)):
                    return {**sizes, **at}
            except (KeyError, Indeterminate, WorkLimit):
                continue
    return None


def _somewhere_invertible(o: Obligation, theory: Theory, names: list[str]) -> bool:
    """Whether a matrix is invertible for some inputs at some sizes: X^T X is where X has rows enough."""
    for sizes in _size_choices(names, 1, 12):
        for values in product(range(3), repeat=len(o.variables)):
            at = dict(zip(o.variables, values, strict=True))
            try:
                if all(c.holds(at, sizes) for c in o.facts) and not all(
                    _broken(o, theory, sizes, at, k) for k in range(DRAWS)
                ):
                    return True
            except (KeyError, Indeterminate, WorkLimit):
                continue
    return False


def _never_met(o: Obligation, statement: Statement, theory: Theory) -> Mapping[str, int] | None:
    """A place where a condition on sizes and indices fails, when it fails somewhere at all sizes and points that are tried.

    One that can be met is printed as an assumption.
    """
    names = sorted(all_sizes(statement, theory) | {s for c in (*o.facts, *o.goal) for s in c.index.sizes})
    own = [v for v in o.variables if v not in statement.indices]
    if len(own) > 3 or (not own and consistent(guard(*o.facts, *o.goal))):
        return None
    failure: dict[str, int] | None = None
    tried = 0
    for sizes in [dict.fromkeys(names, k) for k in (40, 7)] + list(_size_choices(names, 1, 12)):
        near = sorted({*range(5), *(k + e for k in sizes.values() for e in (-1, 0, 1))})
        for at in islice(points(statement, sizes), 8):
            here = {v: k for v, k in at.items() if v in o.variables}
            try:
                places = ({**here, **dict(zip(own, row, strict=True))} for row in product(near, repeat=len(own)))
                meant = [p for p in places if all(c.holds(p, sizes) for c in o.facts)]
                broken = next((p for p in meant if not all(c.holds(p, sizes) for c in o.goal)), None)
            except KeyError:
                return None  # about a permutation or a label
            tried += 1
            if (meant and broken is None) or tried > MAX_PLACES:
                return None
            if broken is not None:
                failure = {**sizes, **broken}
    return failure


def _broken(o: Obligation, theory: Theory, sizes: Mapping[str, int], at: dict[str, int], trial: int) -> bool:
    inputs = Draw(sizes, seed=f"obligation {trial}", values=(STYLES[2], POSITIVE, BELOW_ONE)[trial % 3])
    if o.kind == "invertible":
        return not defined(o.subject, theory, inputs, at)
    value = evaluate(o.subject, theory, inputs, at)
    if value is NEG_INF:
        return True
    s = sign(value)
    return s == 0 if o.kind == "nonzero" else s <= 0 if o.kind == "positive" else s < 0


# --- sizes, points, draws -------------------------------------------------------------------------------------------


def all_sizes(statement: Statement, theory: Theory) -> frozenset[str]:
    """Sizes of the statement, its hypotheses, the definitions it uses, and the shapes of the tensors it uses."""
    found: set[str] = set()
    heads: set[str] = set()
    stack: list[tuple[Term, frozenset[str]]] = [(t, frozenset()) for t in (statement.left, statement.right)]
    found |= {s for c in statement.guard for s in c.index.sizes}
    for h in statement.hypotheses:
        stack += [(h.left, frozenset()), (h.right, frozenset())]
        found |= {s for c in h.guard for s in c.index.sizes}
    while stack:
        t, bound = stack.pop()
        found |= term_sizes(t) - bound
        for head in t.heads - heads:
            heads.add(head)
            rows = theory.definitions.get(head, ())
            for i in theory.shape(head) or ():
                found |= i.sizes - (set(rows[0].sizes) if rows else set())
            law = theory.tensors[head].law if head in theory.tensors else None
            stack += [(t, frozenset()) for t in (law.mean, law.variance) if t is not None] if law is not None else []
            for d in rows:
                own = frozenset(d.sizes)
                stack.append((d.body, own))
                found |= {s for i in (*d.indices, *(c.index for c in d.condition)) for s in i.sizes} - own
    return frozenset(found)


def _size_choices(names: list[str], least: int, limit: int, known: Guard = ()) -> Iterator[dict[str, int]]:
    """Small sizes, the smallest total first; the unequal, equal and smallest choices always among them.

    What is known of sizes alone is a condition on them.
    """
    values = range(least, least + 3)
    rows = sorted(product(values, repeat=min(len(names), 6)), key=lambda r: (sum(r), r))
    rest = (least + 1,) * max(0, len(names) - 6)

    def hold(row: tuple[int, ...]) -> bool:
        return all(c.holds({}, dict(zip(names, (*row, *rest), strict=True))) for c in known)

    rows = [r for r in rows if hold(r)]
    spread = tuple(least + 1 + k % 2 for k in range(min(len(names), 6)))
    chosen = rows[:limit]
    for extra in (spread, tuple(reversed(spread)), (least + 1,) * len(spread), (least + 2,) * len(spread)):
        if extra not in chosen and extra in rows:
            chosen.append(extra)
    if limit:  # a half of an axis, or a group of two, has two places from a length of 4 on only
        larger = [(least + 3,) * len(spread)] + ([(least + 4,), (least + 5,)] if len(names) == 1 else [])
        chosen += [row for row in larger if hold(row)]
    for row in chosen or (rows[-2:] if known else []):
        yield dict(zip(names, (*row, *rest), strict=True))


def _told_of_lengths(statement: Statement) -> Iterator[Constraint]:
    """The equations between lengths that a statement supposes, `H d = n`, as conditions on these."""
    for h in statement.hypotheses:
        sides = _as_length(h.left), _as_length(h.right)
        if h.relation == "=" and not h.indices and sides[0] is not None and sides[1] is not None:
            yield equal(sides[0], sides[1])


def _as_length(t: Term) -> Index | None:
    """A sum or product of lengths and whole numbers as a length."""
    if isinstance(t, IndexValue):
        return t.index if not t.index.free else None
    if isinstance(t, Number):
        return Index((), int(t.value.p)) if t.value.q == 1 else None
    parts = [_as_length(c) for c in t.children] if isinstance(t, Add | Mul) else []
    known = [p for p in parts if p is not None]
    if not parts or len(known) < len(parts):
        return None
    return reduce(operator.add if isinstance(t, Add) else operator.mul, known)


def points(statement: Statement, sizes: Mapping[str, int]) -> Iterator[dict[str, int]]:
    """The values of the free indices that satisfy the statement's conditions."""
    yield from assignments(statement.indices, statement.guard, sizes)


def _draws(
    statement: Statement, theory: Theory, min_size: int, seed: str | None, *, spread: bool = False
) -> Iterator[Draw]:
    """Inputs at the smallest sizes first; with `spread` few of them, where no size is the smallest."""
    text = seed if seed is not None else str(statement)
    names = sorted(all_sizes(statement, theory))
    near = thresholds(statement, theory)
    above = (POSITIVE,) if statement.hypotheses or needs_positive(statement, theory) else ()
    styles: tuple[tuple[fmpq, ...], ...] = (*STYLES, *above, near) if near else (*STYLES, *above)
    if spread:  # small whole numbers make many a matrix singular
        styles = (*above, *(STYLES[2:0:-1] if has_inverse(statement, theory) else STYLES[:2]))
    count, budget, in_vain = 0, Budget(), 0
    patience = FEW_TRIES if has_unknown_functions(statement.hypotheses, theory) else MAX_TRIES
    known = guard(*(c for c in statement.guard if not c.index.free), *_told_of_lengths(statement))
    known = known if any(not c.index.plain for c in known) else ()
    hypotheses = frozenset(statement.hypotheses)
    refused = theory.memo.setdefault(("hypotheses that no inputs satisfied", spread, min_size), set())
    if any(h <= hypotheses for h in refused):
        return  # the same search, once more in vain
    for place, sizes in enumerate(_size_choices(names, min_size, 0 if spread else 24, known)):
        for style, values in enumerate(styles):
            for trial in range(1 if spread else _trials(style, values is near, bool(names))):
                count += 1
                if budget.work <= 0 and in_vain >= 0:
                    refused.add(hypotheses)
                if count > MAX_TRIES or budget.work <= 0:
                    return
                ranges = {}
                for tensor in theory.tensors.values():
                    try:
                        ranges[tensor.name] = tuple(i.evaluate({}, sizes) for i in tensor.shape)
                    except KeyError:
                        continue
                draw = Draw(
                    sizes, seed=f"{text}|{style}|{trial}" + f"|{place}" * (place > 0), values=values, ranges=ranges
                )
                if satisfy(statement, theory, draw, budget):
                    budget.work += (MAX_SPENT_ON_HYPOTHESES - MAX_IN_VAIN) * (in_vain >= 0)
                    in_vain = -MAX_TRIES
                    yield draw
                in_vain += 1
                if in_vain >= patience:
                    return


def _trials(style: int, is_near: bool, has_sizes: bool) -> int:
    """How many draws of one style are made at some sizes; without sizes there is one place for all of them."""
    if is_near:
        return THRESHOLD_DRAWS
    return (3 if style < 2 else 2) * (1 if has_sizes else 3)


def has_inverse(statement: Statement, theory: Theory) -> bool:
    """Whether a side depends on an inverse of a matrix."""
    sides = (statement.left, statement.right)
    return any(isinstance(u, Entry) and u.is_inverse for side in sides for u in theory.reached(side))


def needs_positive(statement: Statement, theory: Theory) -> bool:
    """Whether a side depends on a logarithm or a root, which are defined for few of the numbers that are drawn."""
    sides = (statement.left, statement.right)
    reached = (u for side in sides for u in theory.reached(side))
    return any(
        u.function == "log" if isinstance(u, Apply) else isinstance(u, Pow) and not is_whole(u.exponent)
        for u in reached
    )


def is_whole(t: Term) -> bool:
    return isinstance(t, IndexValue) or (isinstance(t, Number) and t.value.q == 1)


def thresholds(statement: Statement, theory: Theory) -> tuple[fmpq, ...]:
    """Numbers with which values are compared, and their neighbours; none where nothing depends on a comparison."""
    tests = [
        part
        for side in (statement.left, statement.right)
        for t in theory.reached(side)
        for part in ((t.test,) if isinstance(t, Choice) else (listed(t) or ()) if isinstance(t, Max) else ())
    ]
    numbers = {u.value for t in tests for u in subterms(t) if isinstance(u, Number)}
    near = {v + e for v in (*numbers, fmpq(0)) for e in (-1, 0, 1)} if tests else set()
    return tuple(sorted(near, key=lambda v: (abs(v), v))[:MAX_THRESHOLDS])


# --- tests and shrinking --------------------------------------------------------------------------------------------


def _fails(statement: Statement, evaluator: Evaluator, at: dict[str, int]) -> bool:
    """Whether both sides are defined here and the relation is rigorously false."""
    return bool(_differ(statement, evaluator, at))


def _differ(statement: Statement, evaluator: Evaluator, at: dict[str, int]) -> bool | None:
    """Whether the relation is rigorously false here; None where a side is not defined, or cannot be evaluated."""
    left, right = statement.left, statement.right
    try:
        with precise(PRECISION):
            differ = apart(evaluator.value(left, at), statement.relation, evaluator.value(right, at))
            return differ if evaluator.defined(left, at) and evaluator.defined(right, at) else None
    except (Indeterminate, WorkLimit, RecursionError):  # the last of a state that is thousands of steps from its start
        return None


def apart(left: Value, relation: str, right: Value) -> bool:
    """Whether `left relation right` is rigorously false."""
    if left is NEG_INF or right is NEG_INF:
        both = left is NEG_INF and right is NEG_INF
        return {"=": not both, "<=": right is NEG_INF and not both, "<": right is NEG_INF, "!=": both}[relation]
    if isinstance(left, fmpq) and isinstance(right, fmpq):
        return not {"=": left == right, "<=": left <= right, "<": left < right, "!=": left != right}[relation]
    a, b = ball(left), ball(right)
    if relation == "=":
        return not a.overlaps(b)
    return relation in ("<=", "<") and bool(a > b)


def _shrink(statement: Statement, theory: Theory, inputs: Draw, at: dict[str, int]) -> None:
    """Make entries simpler while the statement still fails (only without hypotheses, which tie entries together)."""
    if statement.hypotheses:
        return
    tries, work = 0, MAX_SPENT // 2
    for key in sorted(inputs.drawn):
        for value in (fmpq(0), fmpq(1), fmpq(-1)):
            old = inputs.drawn[key]
            if old == value or tries >= MAX_SHRINK or work < 0:
                break
            tries += 1
            inputs.drawn[key] = value
            evaluator = Evaluator(theory, inputs)
            before = evaluator.work
            failing = _fails(statement, evaluator, at)
            work -= before - evaluator.work
            if failing:
                break
            inputs.drawn[key] = old


def _report(statement: Statement, theory: Theory, inputs: Draw, at: dict[str, int]) -> Counterexample:
    left = evaluate(statement.left, theory, inputs, at)
    right = evaluate(statement.right, theory, inputs, at)
    used = used_tensors(statement, theory)
    sizes = {s: inputs.sizes[s] for s in sorted(all_sizes(statement, theory))}
    tensors = {name: _nested(name, rank, theory, inputs) for name, rank in sorted(used.items())}
    tensors |= used_permutations(statement, theory, inputs)
    sides = (statement.left, statement.right)
    if any(isinstance(t, Expectation) for side in sides for t in theory.reached(side)):  # else it is about any values
        tensors |= {name: _law(name, theory, inputs) for name in sorted(theory.random & used.keys())}
    entries = _sides(statement, theory, inputs, sizes)
    return Counterexample(sizes, tensors, dict(at), decimal(left), decimal(right), entries=entries)


def _sides(statement: Statement, theory: Theory, inputs: Draw, sizes: Mapping[str, int]) -> Entries | None:
    """Both sides at every place of a small vector or matrix."""
    if not 1 <= len(statement.indices) <= 2:
        return None
    places = list(islice(points(statement, sizes), MAX_ENTRIES + 1))
    if not 2 <= len(places) <= MAX_ENTRIES:
        return None
    evaluator = Evaluator(theory, inputs)
    found: dict[tuple[int, ...], tuple[str | None, str | None]] = {}
    for at in places:
        place = tuple(at[i] for i in statement.indices)
        found[place] = _value_there(statement.left, evaluator, at), _value_there(statement.right, evaluator, at)
    found = {place: values for place, values in found.items() if values != (None, None)}
    if len(found) < 2:
        return None
    extents = [max(key[k] for key in found) + 1 for k in range(len(statement.indices))]
    if math.prod(extents) > MAX_ENTRIES:
        return None

    def nested(side: int, *before: int) -> Any:
        if len(before) == len(extents):
            return found.get(before, (None, None))[side]
        return [nested(side, *before, k) for k in range(extents[len(before)])]

    return Entries(statement.indices, nested(0), nested(1))


def _value_there(side: Term, evaluator: Evaluator, at: dict[str, int]) -> str | None:
    try:
        with precise(PRECISION):
            return decimal(evaluator.value(side, at), 5) if evaluator.defined(side, at) else None
    except (Indeterminate, WorkLimit, TermError):
        return None


def used_permutations(statement: Statement, theory: Theory, inputs: Draw) -> dict[str, Any]:
    """The images of 0, 1, … under the permutations and the labels that occur."""
    found: dict[str, Any] = {}
    seen: set[str] = set()
    stack: list[Term] = [statement.left, statement.right]
    while stack:
        for t in subterms(stack.pop()):
            for a in (a for i in own_indices(t) for a in atoms(i) if a.kind in ("perm", "inverse")):
                try:
                    length = a.args[1].evaluate({}, inputs.sizes)
                except KeyError:
                    continue
                found[a.name] = [str(k) for k in inputs.permutation(a.name, length)]
            for a in (a for i in own_indices(t) for a in atoms(i) if a.kind == "label"):
                shown = f"{a.name}()" if a.name in theory.tensors else a.name  # an array may be called the same
                found[shown] = _labels(a.name, len(a.args) - 1, inputs)
            if isinstance(t, Entry) and t.name not in seen:
                seen.add(t.name)
                stack += [d.body for d in theory.definitions.get(t.name, ())]
    return found


def _labels(name: str, rank: int, inputs: Draw) -> Any:
    """The labels that were asked for, as nested lists; 0 at other places."""
    asked = {places: k for (n, places), k in inputs.labels.items() if n == name and len(places) == rank}
    kept = [p for p in asked if all(k >= 0 for k in p)]
    extents = [max((p[axis] for p in kept), default=-1) + 1 for axis in range(rank)]

    def build(at: tuple[int, ...]) -> Any:
        if len(at) == rank:
            return str(asked.get(at, 0))
        return [build((*at, k)) for k in range(extents[len(at)])]

    return build(())


def _law(name: str, theory: Theory, inputs: Draw) -> str:
    """The distribution of the entries of a random tensor."""
    rows = Evaluator(theory, inputs).law(name)
    return "independent entries: " + ", ".join(f"{x} with probability {p}" for x, p in rows)


def used_tensors(statement: Statement, theory: Theory) -> dict[str, int]:
    """Given tensors that the statement depends on, with their number of indices."""
    found: dict[str, int] = {}
    seen: set[str] = set()
    constants = theory.constants
    stack: list[Term] = [statement.left, statement.right]
    for h in statement.hypotheses:
        stack += [h.left, h.right]
    while stack:
        for t in subterms(stack.pop()):
            if not isinstance(t, Entry):
                continue
            if t.name in theory.definitions:
                if t.name not in seen:
                    seen.add(t.name)
                    for d in theory.definitions[t.name]:
                        own = {p.name for p in d.tensors}
                        stack += [d.body] if not own else []
            elif not t.args and t.name not in constants:
                found.setdefault(t.name, len(t.indices))
    return found


def _nested(name: str, rank: int, theory: Theory, inputs: Draw) -> Any:
    """The entries as nested lists: over the declared shape where that is small, else up to the last that was asked for."""
    shape = theory.shape(name)
    reached = [at for n, at in inputs.drawn if n == name and len(at) == rank]
    extents = [max((at[axis] for at in reached), default=0) + 1 for axis in range(rank)]
    if shape is not None and len(shape) == rank:
        declared = [i.evaluate({}, inputs.sizes) for i in shape]
        extents = declared if math.prod(declared) <= MAX_SHOWN else list(map(min, declared, extents))
    if math.prod(extents) > MAX_SHOWN:
        raise Indeterminate(f"a counterexample with {math.prod(extents)} entries of {name} shows nobody anything")

    def build(at: tuple[int, ...]) -> Any:
        if len(at) == rank:
            return str(inputs.entry(name, at))
        return [build((*at, k)) for k in range(extents[len(at)])]

    return build(())


def decimal(value: Value, digits: int = 10) -> str:
    """A value as a decimal (exact rationals with few digits stay exact)."""
    if value is NEG_INF:
        return "-oo"
    if isinstance(value, fmpq) and value.q == 1:
        return str(value.p)
    return str(ball(value).str(digits, radius=False))


def random_source(text: str) -> random.Random:
    """A generator seeded by a text."""
    return random.Random(hashlib.sha256(text.encode()).digest())
