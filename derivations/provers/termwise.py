"""Sums over the same ranges that are equal term by term: a sigmoid written in two ways, `sum(i; e^u_i / (1 + e^u_i))`.

The normal forms of two such terms may differ, as those of the two ways to write the sigmoid do: that they are equal is seen
where denominators are cleared, which is done for whole sides.  So it is a lemma about one term, used inside of the sum.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from derivations.kernel.errors import Refused
from derivations.kernel.proof import Meet, Proof
from derivations.kernel.replay import lemma_scope, with_lemma
from derivations.kernel.scope import Scope
from derivations.language.statement import Statement
from derivations.language.substitution import alpha_equal, canonical, rename_apart, substitute
from derivations.language.term import Add, Index, Mul, Sum, Term, TermError, guard, guard_substitute
from derivations.provers.inductions import having
from derivations.provers.normal_sides import normal_side
from derivations.provers.not_found import NotFound
from derivations.provers.trace import Trace

if TYPE_CHECKING:
    from derivations.provers.prove import Search

MAX_SUMS = 4
"""Most sums on a side that the other side does not have as they are."""


def termwise(search: Search, left: Term, right: Term, scope: Scope) -> Proof | None:
    """A proof from lemmas that say of sums on the left what sums over the same ranges on the right have as their terms."""
    if search.relation != "=":
        return None
    first, one = normal_side(search.normaliser, left, scope)
    second, two = normal_side(search.normaliser, right, scope)
    mine, others = _monomials(first), _monomials(second)
    known = [canonical(m) for m in others]
    open_ones = [k for k, m in enumerate(mine) if canonical(m) not in known]
    here = [canonical(m) for m in mine]
    wanted = [m for m in others if canonical(m) not in here]
    if not 0 < len(open_ones) == len(wanted) <= MAX_SUMS:
        return None
    shown: list[tuple[Statement, Proof]] = []
    inside, trace, changed = scope, Trace(), list(mine)
    for k in open_ones:
        for other in wanted:
            found = _lemma(search, mine[k], other, inside)
            if found is None:
                continue
            said, why, path, after = found
            inner = Trace()
            at = {v: Index.var(v) for v in said.indices}
            inner.step("hypothesis", said.left, said.right, number=len(inside.hypotheses), at=at)
            for step in inner.chain((k, *path) if isinstance(first, Add) else path):
                trace.at(step)
            shown.append((said, why))
            inside, changed[k] = with_lemma(said, inside), after
            wanted.remove(other)
            break
        else:
            return None
    result = first.with_children(changed) if isinstance(first, Add) else changed[0]
    final, rest = normal_side(search.normaliser, result, inside)
    if not alpha_equal(final, second):
        return None
    return having(shown, Meet((*one.chain(), *trace.chain(), *rest.chain()), two.chain()))


def _monomials(t: Term) -> tuple[Term, ...]:
    return t.args if isinstance(t, Add) else (t,)


def _lemma(
    search: Search, mine: Term, other: Term, scope: Scope
) -> tuple[Statement, Proof, tuple[int, ...], Term] | None:
    """That the terms of two sums with the same factors beside them are equal, its proof, where the terms of the first
    stand, and the first with those of the other; None where they are not shown to be."""
    one, two = _sum_in(mine), _sum_in(other)
    if one is None or two is None:
        return None
    (place, a), (position, b) = one, two
    if not _are_equal(_beside(mine, place), _beside(other, position)):
        return None
    at = {b.var: Index.var(a.var)}
    if a.var in scope.variables or set(guard_substitute(b.guard, at)) != set(a.guard):
        return None
    try:
        body = substitute(rename_apart(b.body, {a.var, *scope.variables}), at)
    except TermError:
        return None
    said = Statement(a.body, "=", body, (*scope.variables, a.var), guard(*scope.facts, *a.guard))
    try:
        there = lemma_scope(said, scope)
        why = search.direct(a.body, body, there, 0)
    except (NotFound, Refused):
        return None
    after = Sum(a.var, a.guard, body)
    path = (place, 0) if isinstance(mine, Mul) else (0,)
    return said, why, path, mine.with_children(_with(mine.args, place, after)) if isinstance(mine, Mul) else after


def _sum_in(monomial: Term) -> tuple[int, Sum] | None:
    """The one sum that is a factor of a monomial, and its place."""
    factors = monomial.args if isinstance(monomial, Mul) else (monomial,)
    found = [(k, f) for k, f in enumerate(factors) if isinstance(f, Sum)]
    return found[0] if len(found) == 1 else None


def _beside(monomial: Term, place: int) -> list[Term]:
    return [canonical(f) for k, f in enumerate(monomial.args) if k != place] if isinstance(monomial, Mul) else []


def _are_equal(some: Sequence[Term], others: Sequence[Term]) -> bool:
    return sorted(map(str, some)) == sorted(map(str, others))


def _with(terms: Sequence[Term], place: int, new: Term) -> tuple[Term, ...]:
    return (*terms[:place], new, *terms[place + 1 :])


__all__ = ["termwise"]
