"""Derivatives of states by what comes later: `d h[t] / d n[t] = 0` where h[t + 1] is made of n[t] and h[t].

The lemma is that no state up to some place depends on the entry, by induction over the states.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from derivations.kernel.definition import descent
from derivations.kernel.errors import Refused
from derivations.kernel.proof import Proof
from derivations.kernel.replay import lemma_scope, with_lemma
from derivations.kernel.scope import Scope
from derivations.language.statement import Statement
from derivations.language.substitution import bound_variables, canonical, fresh, subterms
from derivations.language.term import ZERO, Derivative, Entry, Index, Term, at_least, guard
from derivations.provers.inductions import having, induction, inductions
from derivations.provers.normal_sides import normal_side
from derivations.provers.not_found import NotFound

if TYPE_CHECKING:
    from derivations.provers.prove import Search

MAX_LEMMAS = 4


def with_past_derivatives(search: Search, left: Term, right: Term, scope: Scope, splits: int) -> Proof | None:
    """A proof from lemmas that states do not depend on what is put in after them."""
    forms = [normal_side(search.normaliser, t, scope)[0] for t in (left, right)]
    shown: list[tuple[Statement, Proof]] = []
    inside = scope
    for said, var in list(_lemmas(forms, scope))[:MAX_LEMMAS]:
        search.inducting = True
        try:
            there = lemma_scope(said, inside)
            start = next(i for v, i in inductions(said.left, said.right, there) if v == var)
            why = induction(search.for_lemma(said), var, start, said.left, said.right, there, 1)
        except (NotFound, Refused, StopIteration):
            continue
        finally:
            search.inducting = False
        shown.append((said, why))
        inside = with_lemma(said, inside)
    try:
        return having(shown, search.direct(left, right, inside, splits)) if shown else None
    except NotFound:
        return None


def _lemmas(forms: list[Term], scope: Scope) -> Iterator[tuple[Statement, str]]:
    """That a derivative of each state up to the one in a term is zero, and the index of the state."""
    seen: set[Term] = set()
    for t in (u for form in forms for u in subterms(form)):
        body = t.body if isinstance(t, Derivative) else None
        if body is None or not isinstance(body, Entry) or body.args or canonical(t) in seen:
            continue
        place = descent(scope.theory.definitions.get(body.name, ()))
        if place is None or not t.free <= set(scope.variables):
            continue
        seen.add(canonical(t))
        var = fresh("s", {*scope.variables, *bound_variables(t)})
        earlier = [Index.var(var) if k == place[0] else i for k, i in enumerate(body.indices)]
        state = Entry(body.name, earlier)
        last = body.indices[place[0]]
        facts = guard(*scope.facts, at_least(Index.var(var), 0), at_least(last, Index.var(var)))
        said = Statement(t.with_children([state]), "=", ZERO, (*scope.variables, var), facts)
        yield said, var
