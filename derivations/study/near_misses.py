"""Near misses: one small change to a false statement that makes it true.

A slip is a row: what an author may have written wrong at one place of a formula, and what could stand there instead.
Where a changed statement is proved, the report suggests it ("did you mean"), and the refutation has a witness for its
reading as well: what is misread, or no claim at all, is hardly ever one sign, factor, index or bound away from a theorem.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations
from math import prod

from flint import fmpq

from derivations.kernel.definition import instance
from derivations.kernel.errors import KernelError
from derivations.kernel.sign import integral
from derivations.language.statement import Statement, Tensor, Theory
from derivations.language.substitution import canonical, fresh, own_indices, substitute, subterms, term_sizes
from derivations.language.term import (
    HALF,
    ONE,
    Add,
    Apply,
    Bracket,
    Choice,
    Constraint,
    Derivative,
    Entry,
    Guard,
    Index,
    IndexValue,
    Lambda,
    Max,
    Mul,
    Number,
    Pow,
    Sum,
    Term,
    TermError,
    constraint,
    guard,
    guard_substitute,
    within,
)
from derivations.latex.lexicon.differentiated_symbols import known as with_twins
from derivations.provers.decide import Decision, Proved, Refuted, Undecided, by_definition
from derivations.provers.refute import Screen, all_sizes, used_tensors
from derivations.study.vacuity import emptied_by
from derivations.study.where_stated import is_closed

MAX_SCREENED = 400
"""Changed statements that are compared at a few inputs for one refutation."""
MAX_WORK = 90_000
"""Operations of these comparisons together."""
MAX_WORK_OF_CODE = 1_000_000
"""The same for what code computes, where the right change is among the likeliest or there is none."""
MAX_TRIED, MAX_REFUTED, MAX_SPENT = 12, 80, 2
"""Changed statements, equal at these inputs, that are decided for one refutation: in vain, refuted at other inputs, and
with a search that took all of its work."""
MAX_FACTORS = 6
"""Factors of a statement that are tried where they may be forgotten."""
MAX_LENGTHS = 4
"""Lengths of a statement that are tried as factors."""

Decide = Callable[[Statement, Theory], Decision]


@dataclass(frozen=True, slots=True)
class Scope:
    """What can stand at a place of a statement: index variables, lengths and names."""

    theory: Theory
    variables: tuple[str, ...]
    lengths: tuple[str, ...]
    heads: tuple[str, ...]
    factors_written: tuple[Term, ...] = ()
    """What stands as a factor somewhere in the statement."""

    def inside(self, bound: tuple[str, ...]) -> Scope:
        """The scope under a binder."""
        return replace(self, variables=(*self.variables, *bound)) if bound else self

    def factors(self, of: Term) -> Iterator[Term]:
        """Factors of a term that are forgotten, or written once too often; none that takes a length out of it."""
        yield from (Number(2), Number(Fraction(1, 2)))
        for name in self.lengths:
            size = IndexValue(Index.size(name))
            power = _power_of(size, of)
            if power != 1:
                yield Pow(size, -1)
            if power != -1:
                yield size
            if power != Fraction(1, 2):
                yield Pow(Pow(size, HALF), -1)
            if power != Fraction(-1, 2):
                yield Pow(size, HALF)


def _power_of(base: Term, t: Term) -> Fraction:
    """The power in which a term has another one as a factor."""
    if t is base:
        return Fraction(1)
    if isinstance(t, Mul):
        return sum((_power_of(base, factor) for factor in t.args), Fraction(0))
    if isinstance(t, Pow) and isinstance(t.exponent, Number):
        return _power_of(base, t.base) * Fraction(int(t.exponent.value.p), int(t.exponent.value.q))
    return Fraction(0)


@dataclass(frozen=True, slots=True)
class Slip:
    """A row: a name, words for what should stand there, and the terms that could."""

    name: str
    words: str
    at: Callable[[Term, Scope], Iterator[Term]] | None = None
    """What could stand at one place of a side, in place of a term."""
    whole: Callable[[Statement, Theory], Iterator[Statement]] | None = None
    """Statements that differ from one in more than one place of its right side."""
    on_left: bool = True
    """Whether it is tried on the left side too; a factor there is the inverse one on the right."""
    of_indices: bool = False
    """Whether it is about places: nobody defines a name anew by one."""
    of_order: bool = False
    """Whether it is tried on inequalities: a factor that is small enough makes any of them true."""
    of_size: bool = False
    """Whether it says how large a side is: some number always fits one that is a number."""
    tells: bool = True
    """Whether it hardly ever makes a theorem of a statement by accident."""


@dataclass(frozen=True, slots=True)
class NearMiss:
    """A proved statement that differs from a refuted one by a slip."""

    slip: Slip
    statement: Statement
    decision: Proved
    is_of_inputs: bool
    """Whether it is about more than numbers: of those many a change makes an equation true."""
    restates: bool
    """Whether it says no more than a definition does: the refuted one may be there to define the name anew."""

    @property
    def tells(self) -> bool:
        """Whether it shows that the refuted statement was meant as it is read, with a slip in it."""
        s = self.statement
        fits_anyway = self.slip.of_size and any(map(is_closed, (s.left, s.right)))
        says_nothing = _head(s.left) is not None and _head(s.left) == _head(
            s.right
        )  # f(x) = f(-x) is no slip for f(x) = f(x)
        return self.slip.tells and self.is_of_inputs and not self.restates and not fits_anyway and not says_nothing


def _head(t: Term) -> str | None:
    """The name or the function that a term is an entry, or a value, of."""
    return t.name if isinstance(t, Entry) else t.function if isinstance(t, Apply) else None


def near_miss(statement: Statement, theory: Theory, decide: Decide, *, of_code: bool = False) -> NearMiss | None:
    """A change of a refuted statement that is proved: the first that tells what was meant, else the first.

    It is looked for among statements that need no definition of what stands on both sides, then among all: the first kind
    are the cheaper ones, `p` on both sides may be anything.  The right side `of_code` is long, and is meant to be what the
    left side is defined to be: that it says no more than the definition is no objection.
    """
    found = None
    general = with_both_sides_given(statement, theory)
    if general is not None:
        found = _near_miss(statement, general, decide, of_code=of_code)
        if found is not None and found.tells:
            return found
    return _near_miss(statement, theory, decide, of_code=of_code) or found


def with_both_sides_given(s: Statement, theory: Theory) -> Theory | None:
    """The theory in which what both sides rest on is given, where it was defined; None where nothing is."""
    below = [_heads_below(side, theory) for side in (s.left, s.right)]
    rows = {h: theory.definitions[h] for h in below[0] & below[1] if h in theory.definitions}
    plain = {
        h: d[0].shape for h, d in rows.items() if not any(e.tensors or e.sizes for e in d) and not theory.recursive(h)
    }
    given = {h: Tensor(h, shape) for h, shape in plain.items() if shape is not None}
    given = {h: t for h, t in given.items() if not theory.depends(Entry(h), theory.random)}
    if not given or s.hypotheses:
        return None
    rest = {h: d for h, d in theory.definitions.items() if h not in given}
    return Theory({**theory.tensors, **given}, rest)


def _heads_below(side: Term, theory: Theory) -> frozenset[str]:
    return frozenset(t.name for t in theory.reached(side) if isinstance(t, Entry))


def _near_miss(statement: Statement, theory: Theory, decide: Decide, *, of_code: bool) -> NearMiss | None:
    first: NearMiss | None = None
    tried = refuted = spent = 0
    meant = with_twins(statement, theory)
    below = theory.about(t for s in (meant, *meant.hypotheses) for t in (s.left, s.right))
    is_of_inputs = bool(used_tensors(meant, below) or all_sizes(meant, below) or meant.indices)
    screen = Screen(meant, below, MAX_WORK_OF_CODE if of_code else MAX_WORK)
    for slip, changed in _candidates(statement, theory):
        try:
            if screen.is_spent or tried == MAX_TRIED or refuted == MAX_REFUTED or spent == MAX_SPENT:
                break
            if not screen.may_hold(changed):
                continue
            decision = decide(changed, theory)
            is_refuted = isinstance(decision, Refuted)
            tried, refuted = tried + (not is_refuted), refuted + is_refuted
            spent += isinstance(decision, Undecided) and decision.is_spent
        except (KernelError, TermError):
            continue
        if isinstance(decision, Proved) and not emptied_by(decision):
            restates = not of_code and _restates(changed, decision, theory)
            found = NearMiss(slip, changed, decision, is_of_inputs, restates)
            if found.tells:
                return found
            first = first or found
    return first


def _restates(s: Statement, decision: Proved, theory: Theory) -> bool:
    """Whether a proved statement says no more than a definition, or says it with a sign and a factor in another place."""
    if by_definition(decision.theorem):
        return True
    for name, other in ((s.left, s.right), (s.right, s.left)):
        rows = theory.definitions.get(name.name, ()) if isinstance(name, Entry) else ()
        bodies = (found[0] for d in rows if (found := instance(d, name, name.free, s.guard)) is not None)  # type: ignore[arg-type]
        if any(_commuted(body) is _commuted(other) for body in bodies):
            return True
    return False


def _candidates(s: Statement, theory: Theory) -> Iterator[tuple[Slip, Statement]]:
    """Each changed statement once, without those that say nothing, or nothing of a name or a count of the first one."""
    heads, counts = s.left.heads | s.right.heads, _counts(s)
    seen = {s}
    for count, (slip, changed) in enumerate(_changes(s, theory)):
        if count >= MAX_SCREENED:
            return
        if changed in seen or _commuted(changed.left) is _commuted(changed.right):
            continue
        seen.add(changed)
        if slip in (NAME, LENGTH):
            yield slip, changed
        elif changed.left.heads | changed.right.heads == heads and counts <= _counts(changed):
            yield slip, changed


def _counts(s: Statement) -> set[str]:
    """The lengths that are numbers in a statement and bound nothing in it: how many there are of something."""
    terms = [u for side in (s.left, s.right) for u in subterms(side)]
    values = {n for u in terms if isinstance(u, IndexValue) for n in u.index.sizes}
    return values - {n for u in terms if not isinstance(u, IndexValue) for index in own_indices(u) for n in index.sizes}


def _commuted(t: Term) -> Term:
    """A term with its factors and summands in one order, its numbers and powers multiplied, and letters of its own for
    what it binds."""
    return _in_order(canonical(t))


def _in_order(t: Term) -> Term:
    children = [_in_order(c) for c in t.children]
    if isinstance(t, Mul):
        number = prod((c.value for c in children if isinstance(c, Number)), start=fmpq(1))
        rest = sorted((c for c in children if not isinstance(c, Number)), key=str)
        return Mul((Number(number), *rest)) if number != 1 or len(rest) != 1 else rest[0]
    if isinstance(t, Pow):
        base, power = children
        if isinstance(base, Pow) and isinstance(base.exponent, Number) and isinstance(power, Number):
            return _in_order(Pow(base.base, Number(base.exponent.value * power.value)))
        return base if power is ONE else Pow(base, power)
    return t.with_children(sorted(children, key=str) if isinstance(t, Add) else children) if children else t


def _changes(s: Statement, theory: Theory) -> Iterator[tuple[Slip, Statement]]:
    if s.relation == "!=":
        yield EQUAL, replace(s, relation="=")  # what differs somewhere is no correction
        return
    lengths = sorted(term_sizes(s.left) | term_sizes(s.right) | {n for c in s.guard for n in c.index.sizes})[
        :MAX_LENGTHS
    ]
    heads = tuple(sorted(s.left.heads | s.right.heads))
    scope = Scope(theory, s.indices, tuple(lengths), heads, _factors_written(s))
    slips = [x for x in SLIPS if s.relation == "=" or x.of_order]
    for slip in (x for x in slips if x.at is not None):
        yield from ((slip, replace(s, right=right)) for right in _in_all_places(s.right, scope, slip.at))  # type: ignore[arg-type]
    for slip in slips:
        yield from ((slip, changed) for changed in _on_right(slip, s, scope))
    for slip in slips:  # the left side is what the author had already
        if slip.on_left:
            yield from ((slip, _mirrored(changed)) for changed in _on_right(slip, _mirrored(s), scope))


def _on_right(slip: Slip, s: Statement, scope: Scope) -> Iterator[Statement]:
    """A statement with a slip undone on its right side."""
    if slip.whole is not None:
        yield from slip.whole(s, scope.theory)
    if slip.at is not None:
        yield from (replace(s, right=right) for right in _once(s.right, scope, slip.at))


def _mirrored(s: Statement) -> Statement:
    """The same two sides with the other one on the right; what it says does not count."""
    return replace(s, left=s.right, right=s.left)


def _once(t: Term, scope: Scope, change: Callable[[Term, Scope], Iterator[Term]]) -> Iterator[Term]:
    """The term with one of its places changed; what a derivative is taken of stays, and what is chosen by a sign."""
    yield from change(t, scope)
    for k, child in enumerate(() if isinstance(t, Derivative | Choice) else t.children):
        for new in _once(child, scope.inside(t.binding(k)[0]), change):
            try:
                yield t.with_children([*t.children[:k], new, *t.children[k + 1 :]])
            except TermError:
                continue


def _in_all_places(t: Term, scope: Scope, change: Callable[[Term, Scope], Iterator[Term]]) -> Iterator[Term]:
    """The term with one thing changed that it takes a function of for several indices: the scores of a softmax, which
    stand above and below."""
    places: dict[Term, dict[Term, tuple[str, ...]]] = {}
    for u in subterms(t):
        if isinstance(u, Apply) and (own := _variables(u.arg)):
            general = {v: Index.var(f"@{k}") for k, v in enumerate(own)}
            places.setdefault(canonical(substitute(u.arg, general)), {})[u.arg] = own
    for same in (found for found in places.values() if len(found) > 1):
        (first, own), *_ = same.items()
        for new in _once(first, replace(scope, variables=own), change):
            if not new.free <= set(own):
                continue
            names = ({v: Index.var(w) for v, w in zip(own, others, strict=True)} for others in same.values())
            with suppress(TermError):  # a change that makes no term is none
                yield rewrite(t, dict(zip(same, (substitute(new, n) for n in names), strict=True)).get)


def _variables(t: Term) -> tuple[str, ...]:
    """The free variables of a term in the order in which they stand in it."""
    inside = (v for u in subterms(t) for index in own_indices(u) for v in sorted(index.free))
    return tuple(dict.fromkeys(v for v in inside if v in t.free))


# --- changes at one place -------------------------------------------------------------------------------------------


def _other_sign(t: Term, scope: Scope) -> Iterator[Term]:
    if isinstance(t, Add):
        for k, part in enumerate(t.args):
            yield Add((*t.args[:k], _negated(part), *t.args[k + 1 :]))
    elif isinstance(t, Apply):
        yield Apply(t.function, _negated(t.arg))
    elif isinstance(t, Pow) and isinstance(t.exponent, Number):
        yield Pow(t.base, Number(-t.exponent.value))
    else:
        yield _negated(t)


def _negated(t: Term) -> Term:
    """Minus a term, without a second sign before it."""
    if isinstance(t, Number):
        return Number(-t.value)
    if isinstance(t, Mul) and isinstance(t.args[0], Number):
        rest = t.args[1:] if t.args[0].value == -1 else (Number(-t.args[0].value), *t.args[1:])
        return rest[0] if len(rest) == 1 else Mul(rest)
    return Mul((Number(-1), t))


def _other_indices(t: Term, scope: Scope) -> Iterator[Term]:
    """Two indices exchanged, or another letter for one of them."""
    if not isinstance(t, Entry):
        return
    for a in range(len(t.indices)):
        for b in range(a):
            at = list(t.indices)
            at[a], at[b] = at[b], at[a]
            yield Entry(t.name, at, t.args, t.sizes)
    for a, index in enumerate(t.indices):
        if len(index.free) == 1 and index is Index.var(min(index.free)):
            for v in scope.variables:
                if v not in index.free:
                    yield Entry(t.name, (*t.indices[:a], Index.var(v), *t.indices[a + 1 :]), t.args, t.sizes)


def _other_bound(t: Term, scope: Scope) -> Iterator[Term]:
    """A range, or a condition, that begins or ends one place beside."""
    if isinstance(t, Sum | Max):
        for conditions in _beside(t.guard):
            yield type(t)(t.var, conditions, t.body)
    elif isinstance(t, Bracket) and len(t.condition) == 1:
        for conditions in _beside(t.condition):
            yield Bracket(conditions)


def _beside(conditions: tuple[Constraint, ...]) -> Iterator[tuple[Constraint, ...]]:
    """Conditions with one bound moved; the bounds of an array that is written out are its extent."""
    fixed = all(c.free and not c.index.sizes and len(c.free) == 1 for c in conditions)
    for k, c in enumerate(() if fixed else conditions):
        for step in (1, -1) if c.relation == ">=" else ():
            yield (*conditions[:k], constraint(c.index + step), *conditions[k + 1 :])


def _other_factor(t: Term, scope: Scope) -> Iterator[Term]:
    if isinstance(t, Add):
        for k, part in enumerate(t.args):
            for factor in scope.factors(part):
                yield Add((*t.args[:k], Mul((factor, part)), *t.args[k + 1 :]))
    elif isinstance(t, Apply):
        for factor in scope.factors(t.arg):
            yield Apply(t.function, Mul((factor, t.arg)))
    elif isinstance(t, Entry) and len(t.args) == 1 and not t.args[0].params:
        for factor in scope.factors(t.args[0].body):
            yield Entry(t.name, t.indices, (Lambda((), Mul((factor, t.args[0].body))),), t.sizes)
    elif isinstance(t, Mul):
        for factor in scope.factors(t):
            yield Mul((*t.args, factor))


def _factors_written(s: Statement) -> tuple[Term, ...]:
    """The factors of products in a statement that mean something everywhere in it: `\\|k\\|^2` in `(1 - b \\|k\\|^2) s`."""
    products = (u for side in (s.right, s.left) for u in subterms(side) if isinstance(u, Mul))
    named = (f for u in products for f in u.args if f.heads and f.free <= {*s.indices} and not isinstance(f, Add))
    return tuple(dict.fromkeys(named))[:MAX_FACTORS]


def _forgotten_factor(t: Term, scope: Scope) -> Iterator[Term]:
    """A factor that stands elsewhere in the statement, and is missing in one term of a sum."""
    if not isinstance(t, Add):
        return
    for k, part in enumerate(t.args):
        own = part.args if isinstance(part, Mul) else (part,)
        for factor in scope.factors_written:
            if factor not in own:
                yield Add((*t.args[:k], Mul((*own, factor)), *t.args[k + 1 :]))


def _left_out(t: Term, scope: Scope) -> Iterator[Term]:
    """A factor or a term too many."""
    if isinstance(t, Add | Mul) and len(t.args) > 1:
        for k in range(len(t.args)):
            rest = (*t.args[:k], *t.args[k + 1 :])
            yield rest[0] if len(rest) == 1 else type(t)(rest)


def _other_number(t: Term, scope: Scope) -> Iterator[Term]:
    if isinstance(t, Number):
        for value in (t.value + 1, t.value - 1, t.value * 2, t.value / 2):
            if value:
                yield Number(value)


def _other_distance(t: Term, scope: Scope) -> Iterator[Term]:
    """A power of a distance of two indices, of numbers or matrices, that is one more or less: it is the same from whatever
    number they count."""
    if isinstance(t, Pow):
        steps = integral(t.exponent)
        if steps is not None and _is_distance(steps):
            yield from (Pow(t.base, IndexValue(steps + 1)), Pow(t.base, IndexValue(steps - 1)))
    elif isinstance(t, Entry) and scope.theory.recursive(t.name):
        for a, steps in enumerate(t.indices):
            for step in (1, -1) if _is_distance(steps) else ():
                yield Entry(t.name, (*t.indices[:a], steps + step, *t.indices[a + 1 :]), t.args, t.sizes)


def _is_distance(index: Index) -> bool:
    return bool(index.free) and not index.sizes and sum(c for _, c in index.terms) == 0


def _other_place(t: Term, scope: Scope) -> Iterator[Term]:
    """An index that is one more or one less: counting from another number does as much."""
    if isinstance(t, IndexValue):
        yield from (IndexValue(t.index + 1), IndexValue(t.index - 1))
    elif isinstance(t, Entry):
        for a, index in enumerate(t.indices):
            for step in (1, -1) if index.free and index is not Index.var(min(index.free)) else ():
                yield Entry(t.name, (*t.indices[:a], index + step, *t.indices[a + 1 :]), t.args, t.sizes)


def _other_power(t: Term, scope: Scope) -> Iterator[Term]:
    """A square or a root that is missing or too much, or an exponent that is one more or less: `u^a` for `u^(a - 1)`."""
    if isinstance(t, Entry | Apply | Sum | Add | IndexValue):
        yield Pow(t, 2)
        yield Pow(t, HALF)
    elif isinstance(t, Pow) and isinstance(t.exponent, Number):
        yield t.base
        yield Pow(t.base, Number(t.exponent.value * 2))
    elif isinstance(t, Pow):
        yield from (Pow(t.base, Add((t.exponent, Number(k)))) for k in (-1, 1))


def _upside_down(t: Term, scope: Scope) -> Iterator[Term]:
    """A fraction, or one factor of a product, with what is above and what is below exchanged."""
    if not isinstance(t, Mul):
        return
    turned = [_inverted(f) for f in t.args]
    below = [f for f in t.args if isinstance(f, Pow) and isinstance(f.exponent, Number) and f.exponent.value < 0]
    above = [f for f in t.args if not isinstance(f, Number) and f not in below]
    if below and above:
        yield Mul(turned)
    for k, f in enumerate(t.args):
        if len(above) + len(below) > 1 and turned[k] is not f:
            yield Mul((*t.args[:k], turned[k], *t.args[k + 1 :]))


def _inverted(f: Term) -> Term:
    """The inverse of a factor; numbers stay."""
    if isinstance(f, Number):
        return f
    if isinstance(f, Pow) and isinstance(f.exponent, Number):
        return f.base if f.exponent.value == -1 else Pow(f.base, Number(-f.exponent.value))
    return Pow(f, -1)


def _other_name(t: Term, scope: Scope) -> Iterator[Term]:
    """Another name of the statement with the same axes."""
    if not isinstance(t, Entry) or t.args or t.sizes:
        return
    shape = scope.theory.shape(t.name)
    for head in scope.heads:
        if head != t.name and shape is not None and scope.theory.shape(head) == shape and not _is_function(head, scope):
            yield Entry(head, t.indices)


def _is_function(head: str, scope: Scope) -> bool:
    return any(d.tensors or d.sizes for d in scope.theory.definitions.get(head, ()))


_TWINS = {"sin": "cos", "cos": "sin"}


def _other_length(t: Term, scope: Scope) -> Iterator[Term]:
    """Another length of the statement as a number: n under a root where d is meant."""
    if isinstance(t, IndexValue) and len(t.index.sizes) == 1 and t.index is Index.size(min(t.index.sizes)):
        yield from (IndexValue(Index.size(name)) for name in scope.lengths if name not in t.index.sizes)


def _other_function(t: Term, scope: Scope) -> Iterator[Term]:
    if isinstance(t, Apply) and t.function in _TWINS:
        yield Apply(_TWINS[t.function], t.arg)


def _other_arguments(t: Term, scope: Scope) -> Iterator[Term]:
    if isinstance(t, Entry) and len(t.args) == 2:
        yield Entry(t.name, t.indices, t.args[::-1], t.sizes)


# --- changes of a whole statement -----------------------------------------------------------------------------------


def _other_axis(s: Statement, theory: Theory) -> Iterator[Statement]:
    """A sum over one index of an entry becomes the sum over its other index."""
    body = s.right
    if not (isinstance(body, Sum) and isinstance(body.body, Entry)):
        return
    entry = body.body
    shape = theory.shape(entry.name)
    for k, at in enumerate(entry.indices):
        if len(at.free) == 1 and at is Index.var(min(at.free)) and min(at.free) in s.indices:
            var = min(at.free)
            position = next((p for p, i in enumerate(entry.indices) if i is Index.var(body.var)), None)
            if position is None or shape is None or len(shape) != len(entry.indices):
                continue
            free = tuple(body.var if v == var else v for v in s.indices)
            conditions = tuple(c for c in s.guard if var not in c.free)
            right = Sum(var, within(var, 0, shape[k]), entry)
            if var in s.left.free:
                continue  # the other side would speak of an index that nothing runs over
            yield replace(s, right=right, indices=free, guard=guard(*conditions, *within(body.var, 0, shape[position])))


def _normalised_otherwise(s: Statement, theory: Theory) -> Iterator[Statement]:
    """A sum inside of the right side runs over another axis of its terms: the rows of a softmax for its columns."""
    ranges = {v: tuple(c for c in s.guard if v in c.free) for v in s.indices}
    yield from (replace(s, right=right) for right in _other_sums(s.right, ranges))


def _other_sums(t: Term, ranges: Mapping[str, Guard]) -> Iterator[Term]:
    """The term with one sum over another index of its body, at the place where the first one was fixed."""
    if isinstance(t, Sum):
        fixed = [v for v in ranges if v not in t.body.free]
        for v in (v for v in ranges if v in t.body.free and all(c.free == {v} for c in ranges[v])):
            for w in fixed:
                with suppress(TermError):  # a change that makes no term is none
                    body = substitute(substitute(t.body, {t.var: Index.var(w)}), {v: Index.var(t.var)})
                    yield Sum(t.var, guard_substitute(ranges[v], {v: Index.var(t.var)}), body)
    inside = {**ranges, t.var: t.guard} if isinstance(t, Sum | Max) else ranges
    for k, child in enumerate(() if isinstance(t, Derivative | Choice) else t.children):
        for new in _other_sums(child, inside):
            with suppress(TermError):
                yield t.with_children([*t.children[:k], new, *t.children[k + 1 :]])


def _transposed(s: Statement, theory: Theory) -> Iterator[Statement]:
    """All entries of one matrix with their indices exchanged."""
    for head in sorted(s.right.heads):

        def change(t: Term, head: str = head) -> Term | None:
            if isinstance(t, Entry) and t.name == head and len(t.indices) == 2:
                return Entry(t.name, t.indices[::-1], t.args, t.sizes)
            return None

        yield replace(s, right=rewrite(s.right, change))


def _exchanged(s: Statement, theory: Theory) -> Iterator[Statement]:
    """Two free indices exchanged."""
    for a in range(len(s.indices)):
        for b in range(a + 1, len(s.indices)):
            i, j = s.indices[a], s.indices[b]
            between = fresh(f"{i}0", s.right.free | set(s.indices))
            try:
                one = substitute(s.right, {i: Index.var(between)})
                two = substitute(one, {j: Index.var(i)})
                yield replace(s, right=substitute(two, {between: Index.var(j)}))
            except TermError:
                continue


def _exchanged_names(s: Statement, theory: Theory) -> Iterator[Statement]:
    """Two numbers exchanged: the weights in `(u a + v b) / (u + v)`; of vectors, an author may have the transpose."""
    scope = Scope(theory, (), (), ())
    heads = [h for h in sorted(s.right.heads) if theory.shape(h) == () and not _is_function(h, scope)]
    for one, other in combinations(heads[:MAX_FACTORS], 2):
        put = {one: other, other: one}

        def change(t: Term, put: Mapping[str, str] = put) -> Term | None:
            return Entry(put[t.name], ()) if isinstance(t, Entry) and t.name in put and not t.args else None

        yield replace(s, right=rewrite(s.right, change))


def _whole_side(s: Statement, theory: Theory) -> Iterator[Statement]:
    """A factor of the whole side, or its sign."""
    lengths = sorted(term_sizes(s.left) | term_sizes(s.right))[:MAX_LENGTHS]
    for factor in (Number(-1), *Scope(theory, (), tuple(lengths), ()).factors(s.right)):
        yield replace(s, right=Mul((factor, s.right)))


def _other_direction(s: Statement, theory: Theory) -> Iterator[Statement]:
    if s.relation in ("<", "<="):
        yield _mirrored(s)


def _slipped_everywhere(s: Statement, theory: Theory) -> Iterator[Statement]:
    """A bound index for a free one throughout a sum."""
    for new in _once(s.right, Scope(theory, s.indices, (), ()), _bound_for_free):
        yield replace(s, right=new)


def _bound_for_free(t: Term, scope: Scope) -> Iterator[Term]:
    if isinstance(t, Sum):
        for free in sorted(t.body.free - {t.var}):
            if free in scope.variables:
                try:
                    yield Sum(t.var, t.guard, substitute(t.body, {free: Index.var(t.var)}))
                except TermError:
                    continue


def rewrite(term: Term, change: Callable[[Term], Term | None]) -> Term:
    """The term with every subterm that `change` knows replaced, outermost first."""
    new = change(term)
    if new is not None:
        return new
    children = term.children
    return term.with_children([rewrite(c, change) for c in children]) if children else term


EQUAL = Slip("equal", "an equation", tells=False)
LENGTH = Slip("length", "another length", at=_other_length)
TRANSPOSED = Slip("transposed", "the two indices exchanged", whole=_transposed, of_indices=True, of_order=True)
NAME = Slip("name", "another name", at=_other_name, tells=False)
SLIPS: tuple[Slip, ...] = (
    Slip("other-axis", "the sum over the other index", whole=_other_axis, of_indices=True, of_order=True),
    Slip("summed-axis", "the sum over the other axis", whole=_normalised_otherwise, of_indices=True, of_order=True),
    Slip("swapped-arguments", "the arguments in the other order", at=_other_arguments, of_indices=True, of_order=True),
    TRANSPOSED,
    Slip("exchanged-indices", "the free indices exchanged", whole=_exchanged, of_indices=True, of_order=True),
    Slip("direction", "the other direction", whole=_other_direction, on_left=False, of_order=True),
    Slip("bound-index", "the index of the sum in that place", whole=_slipped_everywhere, of_indices=True),
    Slip("scale", "another factor", whole=_whole_side, on_left=False, of_size=True),
    Slip("sign", "the other sign", at=_other_sign),
    Slip("index", "another index", at=_other_indices, of_indices=True, of_order=True),
    LENGTH,
    Slip("bound", "another bound", at=_other_bound, of_order=True),
    Slip("factor", "another factor", at=_other_factor, on_left=False, of_size=True),
    Slip("distance", "one step more or less", at=_other_distance),
    Slip("place", "one place beside", at=_other_place, tells=False),
    Slip("left-out", "one part less", at=_left_out, tells=False),
    Slip("power", "another power", at=_other_power),
    Slip("upside-down", "the fraction upside down", at=_upside_down, on_left=False, of_size=True),
    Slip("exchanged-names", "the two numbers exchanged", whole=_exchanged_names, of_order=True),
    Slip("number", "another number", at=_other_number, of_size=True),
    Slip("function", "the other function", at=_other_function),
    Slip("forgotten", "one factor more", at=_forgotten_factor, on_left=False),
    NAME,
)
"""What authors write wrong, the likeliest first."""
