"""Proofs by cases: on a constraint between free indices, and on the sign of a value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derivations.kernel.linear import consistent, entails, project
from derivations.kernel.proof import Proof, SignSplit, Split
from derivations.kernel.scope import Scope
from derivations.language.substitution import subterms
from derivations.language.term import Bracket, Case, Constraint, Entry, Index, Mul, Sum, Term, guard
from derivations.provers import choices
from derivations.provers.not_found import NotFound

if TYPE_CHECKING:
    from derivations.provers.prove import Search


def candidates(first: Term, second: Term, left: Term, right: Term, scope: Scope) -> list[Constraint]:
    """Constraints on free indices that the two sides depend on."""
    found: dict[Constraint, None] = {}
    free = set(scope.variables)
    for side in (first, second, left, right):
        for t in subterms(side):
            conditions: list[Constraint] = []
            if isinstance(t, Bracket):
                conditions = list(t.condition)
            elif isinstance(t, Case):
                conditions = [c for g, _ in t.branches for c in g]
            elif isinstance(t, Sum) and t.guard:
                conditions = _between_bounds(t)
            for c in conditions:
                if c.free <= free and c.free and not _is_known(c, scope):
                    found.setdefault(c)
    for t in subterms(Mul((left, right))):
        if isinstance(t, Entry) and t.name in scope.theory.definitions:
            for d in scope.theory.definitions[t.name]:
                for u in subterms(d.body):
                    if isinstance(u, (Bracket, Case)) and len(t.indices) == len(d.indices):
                        mapping = {
                            v: i for p, i in zip(d.indices, t.indices, strict=True) for v in p.free if p is Index.var(v)
                        }
                        rows = u.condition if isinstance(u, Bracket) else [c for g, _ in u.branches for c in g]
                        for c in rows:
                            if c.free <= set(mapping):
                                c = c.substitute(mapping)
                                if c.free and c.free <= free and not _is_known(c, scope):
                                    found.setdefault(c)
    return list(found)[:6]


def _between_bounds(t: Sum) -> list[Constraint]:
    """Comparisons of two bounds of one sum."""
    return [c for c in project(t.guard, [t.var]) if c.free]


def _is_known(c: Constraint, scope: Scope) -> bool:
    return entails(scope.facts, c) or not consistent(guard(*scope.facts, c))


def split_by_sign(
    search: Search, left: Term, right: Term, normal: tuple[Term, ...], scope: Scope, splits: int
) -> Proof | None:
    """A case distinction on the sign of a value that the normal forms ask for."""
    on = choices.undecided(normal, scope) if search.signs else None
    if on is None:
        return None
    search.signs -= 1
    try:
        above, otherwise = (search.prove(left, right, scope.where_sign(on, side), splits) for side in (True, False))
    except NotFound:
        return None
    finally:
        search.signs += 1
    return SignSplit(on, above, otherwise)


def split_on(search: Search, left: Term, right: Term, scope: Scope, on: Constraint, splits: int) -> Proof | None:
    """A case distinction on whether a constraint holds."""
    try:
        holds = search.prove(left, right, scope.given((on,)), splits - 1)
        fails = tuple(search.prove(left, right, scope.given((c,)), splits - 1) for c in on.negations())
    except NotFound:
        return None
    return Split(on, holds, fails)
