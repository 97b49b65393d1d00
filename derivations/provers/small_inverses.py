"""Entries of the inverse of a small matrix: from the equations between them that `M inverse(M) = I` says.

For each row of M and each column of its inverse that a goal speaks of, `M[r, 0] X[0, j] + M[r, 1] X[1, j] = [r = j]` is a
lemma; the goal is then a combination of these.  An inverse stands in all of them as in the assumption that M has one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from derivations.kernel.errors import Refused
from derivations.kernel.proof import Meet, Proof
from derivations.kernel.replay import lemma_scope, with_lemma
from derivations.kernel.scope import Scope
from derivations.language.statement import Statement
from derivations.language.substitution import alpha_equal, canonical, subterms
from derivations.language.term import Bracket, Entry, Index, Number, Term, equal
from derivations.provers.combining import combined
from derivations.provers.contraction import multiplied
from derivations.provers.inductions import having
from derivations.provers.normal import Normaliser
from derivations.provers.normal_sides import normal_side
from derivations.provers.trace import Trace, reverse

if TYPE_CHECKING:
    from derivations.provers.prove import Search

MAX_ROWS = 4
"""Most rows of a matrix of which this is tried."""


def with_entries(search: Search, left: Term, right: Term, scope: Scope) -> Proof | None:
    """A proof from lemmas about the entries of the inverses of small matrices."""
    found = list(_invertible(scope, search.normaliser)) if search.relation == "=" else []
    if not found:
        return None
    (first, one), (second, two) = (normal_side(search.normaliser, t, scope) for t in (left, right))
    for corner, normal in found:
        columns = {u.indices[1].const for t in (first, second) for u in _entries(t, normal)}
        shown: list[tuple[Statement, Proof]] = []
        inside = scope
        for row, column in ((r, j) for j in sorted(columns) for r in range(corner.sizes[0].const)):
            made = _lemma(corner, normal, row, column, inside, search.normaliser)
            if made is not None:
                shown.append(made)
                inside = with_lemma(made[0], inside)
        ends = [_as_assumed(t, corner, normal, scope, search.normaliser) for t in (first, second)]
        if not shown or ends[0] is None or ends[1] is None:
            continue
        by_lemmas = combined(ends[0][0], ends[1][0], inside)
        if by_lemmas is not None:
            chains = (one.chain() + ends[0][1].chain() + by_lemmas.chain(), two.chain() + ends[1][1].chain())
            return having(shown, Meet(*chains))
    return None


def _invertible(scope: Scope, normaliser: Normaliser) -> Iterator[tuple[Entry, Entry]]:
    """Entry (0, 0) of the inverse of each small matrix that is assumed to have one; the same in normal form."""
    for o in scope.assumed:
        t = o.subject
        if o.kind != "invertible" or not isinstance(t, Entry) or t.free or not t.sizes[0].is_constant:
            continue
        if t.sizes[0].const <= MAX_ROWS:
            corner = Entry(t.name, (0, 0), t.args, t.sizes)
            normal, _ = normaliser.start(corner, scope)
            if isinstance(normal, Entry) and normal.is_inverse:
                yield corner, normal


def _entries(t: Term, corner: Entry) -> Iterator[Entry]:
    """The entries of one inverse in a term, at places that are numbers."""
    for u in subterms(t):
        if isinstance(u, Entry) and u.is_inverse and not u.free and all(i.is_constant for i in u.indices):
            if canonical(Entry(u.name, corner.indices, u.args, u.sizes)) is canonical(corner):
                yield u


def _as_assumed(
    t: Term, corner: Entry, normal: Entry, scope: Scope, normaliser: Normaliser
) -> tuple[Term, Trace] | None:
    """A term in normal form with one inverse as it is assumed to be, and the steps to it."""
    places = {u: Entry(corner.name, u.indices, corner.args, corner.sizes) for u in _entries(t, normal)}

    def put(u: Term) -> Term:
        if isinstance(u, Entry) and u.is_inverse:
            return places.get(u, u)
        return u.with_children([put(c) for c in u.children]) if u.children else u

    there, trace = put(t), Trace()
    again, steps = normaliser.start(there, scope)
    if not alpha_equal(again, t):
        return None
    trace.step("alpha", t, again)
    for step in reverse(steps.chain()):
        trace.at(step)
    return there, trace


def _lemma(
    corner: Entry, normal: Entry, row: int, column: int, scope: Scope, normaliser: Normaliser
) -> tuple[Statement, Proof] | None:
    """The equation that one row of a matrix, and one column of its inverse, make."""
    at = (Index.of(row), Index.of(column))
    whole, delta = multiplied(corner, *at, True, frozenset(scope.variables)), Bracket((equal(*at),))
    expanded, expanding = normaliser.start(whole, scope)
    plain = _as_assumed(expanded, corner, normal, scope, normaliser)
    if plain is None:
        return None
    said = Statement(plain[0], "=", Number(int(row == column)))
    try:
        there = lemma_scope(said, scope)
    except Refused:
        return None
    value, reckoning = normaliser.start(delta, there)
    if value is not said.right:
        return None
    trace = Trace()
    for step in reverse(expanding.chain() + plain[1].chain()):
        trace.at(step)
    trace.step("mul_inv_matrix", whole, delta, matrix=corner, row=at[0], column=at[1], right=True)
    trace.then(reckoning)
    return said, Meet(trace.chain(), ())
