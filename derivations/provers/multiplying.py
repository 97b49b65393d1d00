"""Equations with inverses, shown by multiplying both sides: `L = R` from `M L = M R` for an invertible M.

L[i] = sum(a; [i = a] L[a]) = sum(b; inverse(M)[i, b] sum(a; M[b, a] L[a])), and the same for R
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from derivations.kernel.linear import entails_all
from derivations.kernel.proof import Chain, Meet, Step
from derivations.kernel.scope import Scope, put
from derivations.language.statement import Statement
from derivations.language.substitution import (
    alpha_equal,
    bound_variables,
    canonical,
    fresh,
    rename_apart,
    substitute,
    subterms,
)
from derivations.language.term import Bracket, Entry, Index, Lambda, Mul, Sum, Term, equal, guard, inverse, within
from derivations.provers.contraction import multiplied, of_invertible
from derivations.provers.normal import Normaliser
from derivations.provers.trace import Trace, reverse

MAX_MULTIPLIED = 4
"""How often both sides are multiplied by a matrix."""


@dataclass(frozen=True)
class Multiplier:
    """A matrix of which the inverse stands at a free index of the goal: a factor on the left or on the right of it."""

    matrix: Entry
    var: str
    left: bool

    def times(self, side: Term, at: Index, avoid: frozenset[str]) -> Sum:
        """sum(a; M[at, a] * side[a]), or sum(a; side[a] * M[a, at])."""
        (given,), (length,) = self.matrix.args, self.matrix.sizes
        taken = {*avoid, *self.matrix.free, *at.free, *side.free, *bound_variables(side), *bound_variables(given.body)}
        a = fresh("a", {*taken, *given.params})
        here = Index.var(a)
        ends = (at, here) if self.left else (here, at)
        factor = substitute(rename_apart(given.body, {*taken, a}), dict(zip(given.params, ends, strict=True)))
        other = substitute(rename_apart(side, {a}), {self.var: here})
        return Sum(a, within(a, 0, length), Mul((factor, other) if self.left else (other, factor)))

    def inverted(self, i: Index, j: Index) -> Entry:
        (given,), (length,) = self.matrix.args, self.matrix.sizes
        own = Lambda(given.params, given.body)
        return inverse(own, length, *((i, j) if self.left else (j, i)))


def multipliers(first: Term, second: Term, scope: Scope) -> Iterator[Multiplier]:
    """The inverses in two normal forms that stand at a free index, with the index; each side of each once."""
    seen: set[tuple[object, ...]] = set()
    for side in (first, second):
        for t in subterms(side):
            if not (isinstance(t, Entry) and t.is_inverse and t.args[0].free <= set(scope.variables)):
                continue
            for place, left in ((0, True), (1, False)):
                v = min(t.indices[place].free, default="")
                if v not in scope.variables or t.indices[place] is not Index.var(v) or v in t.args[0].free:
                    continue
                found = Multiplier(Entry(t.name, (0, 0), t.args, t.sizes), v, left)
                key = (canonical(found.matrix), v, left)
                if key not in seen and _ranges_freely(found, scope):
                    seen.add(key)
                    yield found


def _ranges_freely(m: Multiplier, scope: Scope) -> bool:
    """Whether the index has all values of its axis, whatever the other indices are."""
    others = guard(*(c for c in scope.facts if m.var not in c.free))
    (length,) = m.matrix.sizes
    own = within(m.var, 0, length)
    return entails_all(scope.facts, own) and entails_all(guard(*others, *own), scope.facts)


def lemma(m: Multiplier, left: Term, right: Term, scope: Scope) -> Statement:
    """Both sides times the matrix."""
    avoid = frozenset(scope.variables)
    at = Index.var(m.var)
    return Statement(m.times(left, at, avoid), "=", m.times(right, at, avoid), scope.variables, scope.facts)


def cancelled(m: Multiplier, left: Term, right: Term, scope: Scope, normaliser: Normaliser) -> Meet | None:
    """`left = right` in a scope whose last hypothesis is the lemma; None when the forms do not fit."""
    number = len(scope.hypotheses) - 1
    said = scope.hypotheses[number]
    parts = (left, right, said.left, said.right, m.matrix.args[0].body)
    b = fresh(
        "b", {*scope.variables, *m.matrix.args[0].params, *(v for t in parts for v in (*t.free, *bound_variables(t)))}
    )
    at = {v: Index.var(b if v == m.var else v) for v in said.indices}
    inner = [substitute(rename_apart(t, {*scope.variables, b}), at) for t in (said.left, said.right)]
    expanded = _expanded(m, left, inner[0], b, scope, normaliser)
    other = None if expanded is None else _expanded(m, right, inner[1], b, scope, normaliser)
    if expanded is None or other is None:
        return None
    (first, one), (second, two) = expanded, other
    path = (0, 1) if m.left else (0, 0)
    used = Step("hypothesis", path, inner[0], inner[1], {"number": number, "at": at})
    if not alpha_equal(put(first, path, inner[1]), second):
        return None
    return Meet((*one, used), two)


def _expanded(
    m: Multiplier, side: Term, inner: Term, b: str, scope: Scope, normaliser: Normaliser
) -> tuple[Term, Chain] | None:
    """Steps from one side to sum(b; inverse(M)[i, b] * inner), where `inner` is entry b of the matrix times the side."""
    (length,) = m.matrix.sizes
    v, taken = Index.var(m.var), {*scope.variables, *side.free, *bound_variables(side), b}
    a = fresh("a", {*taken, *bound_variables(m.matrix.args[0].body), *m.matrix.args[0].params})
    here = Index.var(a)
    row, column = (v, here) if m.left else (here, v)
    delta = Bracket((equal(row, column),))
    other = substitute(rename_apart(side, {*scope.variables, a}), {m.var: here})
    start = Sum(a, within(a, 0, length), Mul((delta, other)))
    product = multiplied(m.matrix, row, column, not m.left, frozenset({*taken, a}))
    args = of_invertible(m.matrix, row, column, not m.left, scope.inside(start, 0), normaliser)
    factors = (m.inverted(v, Index.var(b)), inner)
    end = Sum(b, within(b, 0, length), Mul(factors if m.left else factors[::-1]))
    trace = Trace()
    if args is None or not _through(side, start, scope, normaliser, trace):
        return None
    trace.at(Step("mul_inv_matrix", (0, 0), delta, product, args, back=True))
    if not _through(put(start, (0, 0), product), end, scope, normaliser, trace):
        return None
    return end, trace.chain()


def _through(one: Term, other: Term, scope: Scope, normaliser: Normaliser, trace: Trace) -> bool:
    """Steps from one term to another that has the same normal form; False when the forms differ."""
    first, steps = normaliser.start(one, scope)
    second, back = normaliser.start(other, scope)
    if not alpha_equal(first, second):
        return False
    trace.then(steps)
    if first is not second:
        trace.step("alpha", first, second)
    for step in reverse(back.chain()):
        trace.at(step)
    return True
