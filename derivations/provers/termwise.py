"""Sums over the same ranges that add up equal terms: a sigmoid written in two ways, `sum(i; e^u_i / (1 + e^u_i))`.

The normal forms of two such terms may differ, as those of the two ways to write the sigmoid do: that they are equal is seen
where denominators are cleared, which is done for whole sides.  So it is a lemma about what is summed, used inside of the sum.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from derivations.kernel.errors import Refused
from derivations.kernel.proof import Meet, Proof
from derivations.kernel.replay import lemma_scope, with_lemma
from derivations.kernel.scope import Scope
from derivations.language.statement import Statement
from derivations.language.substitution import alpha_equal, canonical, rename_apart, substitute
from derivations.language.term import ZERO, Add, Guard, Index, Mul, Sum, Term, TermError, guard, guard_substitute
from derivations.provers.inductions import having
from derivations.provers.normal_sides import normal_side
from derivations.provers.not_found import NotFound
from derivations.provers.trace import Trace

if TYPE_CHECKING:
    from derivations.provers.prove import Search

MAX_SUMS = 12
"""Most sums that one of the sides has and the other has not."""
MAX_PAIRS = 4
"""Most terms on a side that are compared one by one with those of the other side."""


def termwise(search: Search, left: Term, right: Term, scope: Scope) -> Proof | None:
    """A proof from lemmas that say, for each range that sums of both sides run over, that what is summed is equal.

    Sums that both sides have stay out of it; what the others add up over one range is put into one sum on each side.
    """
    if search.relation != "=":
        return None
    first, one = normal_side(search.normaliser, left, scope)
    second, two = normal_side(search.normaliser, right, scope)
    mine, others = _monomials(first), _monomials(second)
    known, here = [canonical(m) for m in others], [canonical(m) for m in mine]
    groups = _by_range(
        [m for m, c in zip(mine, here, strict=True) if c not in known],
        [m for m, c in zip(others, known, strict=True) if c not in here],
        scope,
    )
    both = [m for m, c in zip(mine, here, strict=True) if c in known]
    sides = (first, one), (second, two)
    found = _from_lemmas(search, groups, both, left, *sides, scope) if groups else None
    pairs = _in_pairs(search, groups, scope) if found is None else ()
    return _from_lemmas(search, pairs, both, left, *sides, scope) if pairs else found


def _from_lemmas(
    search: Search,
    groups: Sequence[_Group],
    both: Sequence[Term],
    whole: Term,
    left: tuple[Term, Trace],
    right: tuple[Term, Trace],
    scope: Scope,
) -> Proof | None:
    """The proof in which each group is a lemma; `left` and `right` are the normal forms and the ways to them.

    That the left side, `whole`, is what its groups add up is the first lemma.
    """
    (first, one), (second, two) = left, right
    sums = [Sum(g.var, g.guard, g.left) for g in groups]
    current = Add([*both, *sums])
    joined, up = normal_side(search.normaliser, current, scope)
    if not alpha_equal(joined, first):
        return None
    regrouped = Statement(whole, "=", current, scope.variables, guard(*scope.facts))
    shown: list[tuple[Statement, Proof]] = [(regrouped, Meet(one.chain(), up.chain()))]
    trace, inside = Trace(), with_lemma(regrouped, scope)
    trace.step("hypothesis", whole, current, number=len(scope.hypotheses), at=_same(regrouped))
    for number, group in enumerate(groups):
        lemma = _shown(search, group, inside)
        if lemma is None:
            return None
        said = lemma[0]
        inner = Trace()
        inner.step("hypothesis", said.left, said.right, number=len(inside.hypotheses), at=_same(said))
        after = Add([*both, *(Sum(g.var, g.guard, g.right) for g in groups[: number + 1]), *sums[number + 1 :]])
        place = _place(current, sums[number])
        if place is None:
            return None
        for step in inner.chain((*place, 0)):
            trace.at(step)
        shown.append(lemma)
        inside, current = with_lemma(said, inside), after
    final, rest = normal_side(search.normaliser, current, inside)
    if not alpha_equal(final, second):
        return None
    return having(shown, Meet((*trace.chain(), *rest.chain()), two.chain()))


@dataclass(frozen=True, slots=True)
class _Group:
    """What the sums of two sides that run over one range add up."""

    var: str
    guard: Guard
    left: Term
    right: Term


def _by_range(mine: Sequence[Term], others: Sequence[Term], scope: Scope) -> list[_Group]:
    """Terms with one sum each, by the ranges of these; none where a term has no such sum, or the sums are too many."""
    rows: list[tuple[bool, Term, int, Sum]] = []
    for is_mine, terms in ((True, mine), (False, others)):
        for m in terms:
            found = _sum_in(m)
            if found is None or found[1].var in scope.variables:
                return []
            rows.append((is_mine, m, *found))
    if not 0 < len(rows) <= MAX_SUMS:
        return []
    groups: list[_Group] = []
    while rows:
        lead = rows[0][3]
        bodies: tuple[list[Term], list[Term]] = ([], [])
        later = []
        for is_mine, m, place, total in rows:
            at = {total.var: Index.var(lead.var)}
            if set(guard_substitute(total.guard, at)) != set(lead.guard):
                later.append((is_mine, m, place, total))
                continue
            try:
                body = substitute(rename_apart(total.body, {lead.var, total.var, *scope.variables}), at)
            except TermError:
                return []
            beside = _without(m, place)
            if lead.var in {v for f in beside for v in f.free}:
                return []
            bodies[not is_mine].append(Mul([*beside, body]) if beside else body)
        groups.append(_Group(lead.var, lead.guard, *(Add(b) if b else ZERO for b in bodies)))
        rows = later
    return groups


def _in_pairs(search: Search, groups: Sequence[_Group], scope: Scope) -> list[_Group]:
    """The same where each group is cut into pairs of single terms that are shown to be equal; none where that fails."""
    pairs: list[_Group] = []
    for g in groups:
        mine, others = list(_monomials(g.left)), list(_monomials(g.right))
        if not 1 < len(mine) == len(others) <= MAX_PAIRS:
            return []
        for one in mine:
            for other in others:
                pair = _Group(g.var, g.guard, one, other)
                if _shown(search, pair, scope) is not None:
                    pairs.append(pair)
                    others.remove(other)
                    break
            else:
                return []
    return pairs


def _shown(search: Search, group: _Group, scope: Scope) -> tuple[Statement, Proof] | None:
    """The lemma of a group, with its proof."""
    said = Statement(group.left, "=", group.right, (*scope.variables, group.var), guard(*scope.facts, *group.guard))
    try:
        return said, search.direct(said.left, said.right, lemma_scope(said, scope), 0)
    except (NotFound, Refused):
        return None


def _same(said: Statement) -> dict[str, Index]:
    """The indices of a lemma, put for themselves."""
    return {v: Index.var(v) for v in said.indices}


def _place(whole: Term, part: Term) -> tuple[int, ...] | None:
    """Where a sum stands among the terms of a whole."""
    if whole is part:
        return ()
    return next(((k,) for k, t in enumerate(whole.args) if t is part), None) if isinstance(whole, Add) else None


def _monomials(t: Term) -> tuple[Term, ...]:
    return t.args if isinstance(t, Add) else (t,)


def _sum_in(monomial: Term) -> tuple[int, Sum] | None:
    """The one sum that is a factor of a monomial, and its place."""
    factors = monomial.args if isinstance(monomial, Mul) else (monomial,)
    found = [(k, f) for k, f in enumerate(factors) if isinstance(f, Sum)]
    return found[0] if len(found) == 1 else None


def _without(monomial: Term, place: int) -> list[Term]:
    return [f for k, f in enumerate(monomial.args) if k != place] if isinstance(monomial, Mul) else []


__all__ = ["termwise"]
