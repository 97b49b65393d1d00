"""Decide a statement: proved (replayed by the kernel), refuted (a rigorous counterexample), or undecided.

Undecided is neither of the two, and says why.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import NoReturn

from derivations.kernel.errors import Refused, TooLarge
from derivations.kernel.linear import consistent
from derivations.kernel.obligation import obligations
from derivations.kernel.scope import Obligation, top_scope
from derivations.kernel.theorem import Theorem
from derivations.language.statement import Statement, Theory
from derivations.language.substitution import term_sizes
from derivations.language.term import Entry, Index, at_least, guard
from derivations.provers.extent import too_large
from derivations.provers.known_proofs import under_more_hypotheses
from derivations.provers.normal_means import with_means_worked_out
from derivations.provers.not_found import NotFound
from derivations.provers.prove import find_proof
from derivations.provers.refute import Counterexample, differs, find_model, has_inverse, obligation_failure, refute

WORK = 100_000
"""Counted work of one decision."""
LARGE = 60
"""Different terms under a statement from which on it is looked for a difference before a proof."""


class Decision:
    """Base of the three outcomes; it has no truth value on purpose."""

    def __bool__(self) -> NoReturn:
        raise TypeError("a decision is proved, refuted or undecided; test its class instead of its truth value")


@dataclass(frozen=True)
class Proved(Decision):
    """A replayed theorem.  `assumes` are conditions that the tool added: on sizes (n >= 2, B divides n), readings of code."""

    theorem: Theorem
    assumes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Refuted(Decision):
    """A point where both sides are defined, all hypotheses hold, and the statement is false.

    `only` names the lengths that are 1 there, when no point was found where none is: a document that says such a thing
    may not have thought of them.
    """

    counterexample: Counterexample
    only: str = ""


@dataclass(frozen=True)
class Undecided(Decision):
    """Neither; `code` is one of `undefined`, `no-model`, `search-ended`, `not-meaningful`, `too-large`."""

    reason: str
    residue: Statement | None = None
    code: str = "search-ended"
    is_spent: bool = False
    """Whether the search took all of its counted work."""


def by_definition(theorem: Theorem) -> bool:
    """Whether a theorem holds by unfolding definitions alone."""
    return set(theorem.rules) <= {"unfold", "alpha"}


def decide(statement: Statement, theory: Theory, *, work: int = WORK, refuting: bool = True) -> Decision:
    """Prove or refute a statement for all sizes.

    Proof is tried first, except for large statements that a quick look shows to be false.  A statement with hypotheses
    that have no model found is undecided, and so is one whose sides are undefined somewhere whatever the inputs are,
    unless it is false where they are defined.  A statement
    that is false only where a size is 1 is proved under the assumption that the size is at least 2.  With
    `refuting=False` only a proof is looked for.
    """
    try:
        return _decided(statement, theory, work, refuting)
    except RecursionError:  # the last of a thousand steps, which rests on all before
        return Undecided("its values rest on one another too many times in a row", code="too-large")


def _decided(statement: Statement, theory: Theory, work: int, refuting: bool) -> Decision:
    residue: Statement | None = None
    is_spent = False
    spoken = (statement, *statement.hypotheses)
    theory = theory.about(t for s in spoken for t in (s.left, s.right))
    large = too_large((t for s in spoken for t in (s.left, s.right)), theory)
    if large is not None:
        return Undecided(large, code="too-large")
    try:
        undefined = _undefined(statement, theory)
        if undefined is not None:
            larger = _larger(statement, theory, work, refuting)
            if larger is None and refuting:  # where it is defined it may be false
                witness = refute(statement, theory, min_size=2)
                larger = None if witness is None else Refuted(witness)
            return undefined if larger is None else larger
        if refuting and _takes_long(statement, theory) and differs(statement, theory):
            witness = refute(statement, theory)  # before a long search for a proof that cannot be
            if witness is not None:
                return Refuted(witness)  # no size was 1 where it was seen to fail
        if refuting and has_inverse(statement, theory) and differs(statement, theory, spread=False):
            witness = refute(statement, theory)
            if witness is not None:
                return _refuted(witness, statement, theory, work)
        theorem = find_proof(statement, theory, work)
    except NotFound as end:
        reason, residue, is_spent = end.reason, end.residue, end.is_spent
    except TooLarge as end:
        reason, residue, is_spent = f"the search ended: it needed {end.needed}; found {end.found}", None, True
    except Refused as refusal:
        return Undecided(
            f"the statement has no meaning: {refusal.needed}; found {refusal.found}", code="not-meaningful"
        )
    else:
        return _checked(theorem, statement, theory)
    witness = refute(statement, theory) if refuting else None
    if witness is not None:
        return _refuted(witness, statement, theory, work)
    worked = with_means_worked_out(statement, theory) if refuting else None
    witness = refute(worked, theory) if worked is not None else None
    if worked is None or witness is None:
        return Undecided(reason, residue, is_spent=is_spent)
    return _refuted(witness, statement, theory, work, worked)


def from_known(statement: Statement, theory: Theory, known: Iterable[Theorem]) -> Decision | None:
    """A decision from the proof of the same relation under the first of its hypotheses; None where none holds here."""
    for theorem in known:
        again = under_more_hypotheses(theorem, statement, theory)
        found = _checked(again, statement, theory) if again is not None else None
        if isinstance(found, Proved):
            return found
    return None


def _takes_long(statement: Statement, theory: Theory) -> bool:
    """Whether a proof may take long: many different terms under the statement, inverses of matrices, or a recurrence, whose
    values rest on one another."""
    terms = {u for side in (statement.left, statement.right) for u in theory.reached(side)}
    heads = {u.name for u in terms if isinstance(u, Entry)}
    is_recurrence = any(h in d.body.heads for h in heads for d in theory.definitions.get(h, ()))
    return len(terms) >= LARGE or is_recurrence or has_inverse(statement, theory)


def _checked(theorem: Theorem, statement: Statement, theory: Theory) -> Decision:
    """A theorem, unless it holds for want of a model or is undefined somewhere for every input."""
    if not consistent(statement.guard):
        return Undecided("its conditions exclude one another: nothing would be claimed", code="no-model")
    if statement.hypotheses and find_model(statement, theory) is None:
        return Undecided("no inputs were found that satisfy its hypotheses", code="no-model")
    return Proved(theorem)


def _undefined(statement: Statement, theory: Theory) -> Undecided | None:
    """A place where some part of the statement is undefined whatever the inputs are."""
    found = _unmet(statement, theory)
    return found and Undecided(f"undefined at {_where(found[1])}: needs {found[0]}", code="undefined")


def _unmet(statement: Statement, theory: Theory) -> tuple[Obligation, Mapping[str, int]] | None:
    """What must be defined and is not, whatever the inputs are, and a place where it is not."""
    for o in obligations(statement, top_scope(theory, statement)):
        place = obligation_failure(o, statement, theory)
        if place is not None:
            return o, place
    return None


def _larger(statement: Statement, theory: Theory, work: int, refuting: bool) -> Decision | None:
    """The decision for sizes of at least 2 of a statement that is undefined where a size is 1: a variance of one number."""
    few, all_ = _sizes_to_be_defined(statement, theory), _sizes(statement)
    if few is None:
        return None
    for sizes in dict.fromkeys((few, all_ | few)):
        conditional = _at_least_two(statement, sizes)
        try:
            decision = _checked(find_proof(conditional, theory, work), conditional, theory)
        except NotFound:
            continue
        if isinstance(decision, Proved):
            return Proved(decision.theorem, tuple(f"{s} >= 2" for s in sorted(sizes)))
    witness = refute(statement, theory, min_size=2) if refuting else None
    return None if witness is None else Refuted(witness)


def _sizes_to_be_defined(statement: Statement, theory: Theory) -> frozenset[str] | None:
    """The sizes of at least 2 at which the statement is defined somewhere: those that its undefined parts speak of."""
    sizes: frozenset[str] = frozenset()
    while (found := _unmet(_at_least_two(statement, sizes), theory)) is not None:
        owed, _ = found
        named = frozenset(s for t in theory.reached(owed.subject) for s in term_sizes(t))
        named |= {s for c in owed.goal for s in c.index.sizes}
        if named <= sizes:
            return None
        sizes |= named
    return sizes


def _sizes(statement: Statement) -> frozenset[str]:
    """The sizes of the sides and of the conditions of a statement."""
    return term_sizes(statement.left) | term_sizes(statement.right) | _guard_sizes(statement)


def _at_least_two(statement: Statement, sizes: frozenset[str]) -> Statement:
    """The statement where these sizes are at least 2."""
    larger = [at_least(Index.size(s), 2) for s in sorted(sizes)]
    return replace(statement, guard=guard(*statement.guard, *larger))


def _refuted(
    witness: Counterexample, statement: Statement, theory: Theory, work: int, worked: Statement | None = None
) -> Decision:
    """Refuted, unless it is false only where some size is 1: then decided for larger sizes.  `worked` is the statement in
    the form in which it was seen to fail, where that is another one."""
    if 1 not in witness.sizes.values():
        return Refuted(witness)
    other = refute(worked or statement, theory, min_size=2)
    if other is not None:
        return Refuted(min(witness, other, key=lambda w: sum(w.sizes.values())))
    sizes = _sizes(statement)
    conditional = _at_least_two(statement, sizes)
    try:
        decision = _checked(find_proof(conditional, theory, work), conditional, theory)
    except (NotFound, Refused):
        decision = None
    if isinstance(decision, Proved):
        return Proved(decision.theorem, tuple(f"{s} >= 2" for s in sorted(sizes)))
    ones = ", ".join(f"{name} = 1" for name, value in sorted(witness.sizes.items()) if value == 1)
    return Refuted(witness, only=ones)


def _guard_sizes(statement: Statement) -> frozenset[str]:
    return frozenset(s for c in statement.guard for s in c.index.sizes)


def _where(place: Mapping[str, int]) -> str:
    return ", ".join(f"{k} = {v}" for k, v in place.items()) or "every place"
