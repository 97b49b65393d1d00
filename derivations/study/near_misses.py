"""Near misses: one small change to a false statement that makes it true.

A slip is a row: what an author may have written wrong at one place of a formula, and what could stand there instead.
Where a changed statement is proved, the report suggests it ("did you mean"), and the refutation has a witness for its
reading as well: what is misread, or no claim at all, is hardly ever one sign, factor, index or bound away from a theorem.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import prod

from flint import fmpq

from derivations.kernel.definition import instance
from derivations.kernel.errors import KernelError
from derivations.language.statement import Statement, Tensor, Theory
from derivations.language.substitution import canonical, own_indices, subterms, term_sizes
from derivations.language.term import (
    ONE,
    Add,
    Apply,
    Entry,
    IndexValue,
    Mul,
    Number,
    Pow,
    Term,
    TermError,
)
from derivations.latex.lexicon.differentiated_symbols import known as with_twins
from derivations.provers.decide import Decision, Proved, Refuted, Undecided, by_definition
from derivations.provers.refute import Screen, all_sizes, used_tensors
from derivations.study.slips import (
    EQUAL,
    LENGTH,
    MAX_LENGTHS,
    NAME,
    SLIPS,
    Scope,
    Slip,
    factors_written,
    in_all_places,
    mirrored,
    once,
)
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
Decide = Callable[[Statement, Theory], Decision]


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
    scope = Scope(theory, s.indices, tuple(lengths), heads, factors_written(s))
    slips = [x for x in SLIPS if s.relation == "=" or x.of_order]
    for slip in (x for x in slips if x.at is not None):
        yield from ((slip, replace(s, right=right)) for right in in_all_places(s.right, scope, slip.at))  # type: ignore[arg-type]
    for slip in slips:
        yield from ((slip, changed) for changed in _on_right(slip, s, scope))
    for slip in slips:  # the left side is what the author had already
        if slip.on_left:
            yield from ((slip, mirrored(changed)) for changed in _on_right(slip, mirrored(s), scope))


def _on_right(slip: Slip, s: Statement, scope: Scope) -> Iterator[Statement]:
    """A statement with a slip undone on its right side."""
    if slip.whole is not None:
        yield from slip.whole(s, scope.theory)
    if slip.at is not None:
        yield from (replace(s, right=right) for right in once(s.right, scope, slip.at))
