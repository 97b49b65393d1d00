"""Quotients of indices whose value is known, such as floor(i/w) for 0 <= i < w."""

from __future__ import annotations

from flint import fmpq

from derivations.kernel.linear import entails_all, equal_indices
from derivations.kernel.scope import Scope
from derivations.language.term import Entry, Guard, Index, IndexValue, Mul, Number, Term, at_least, guard, less
from derivations.provers.trace import Trace


def simpler_indices(t: Entry | IndexValue, scope: Scope, trace: Trace) -> Term:
    """Quotients whose value is known here replaced by it."""
    own = (t.index,) if isinstance(t, IndexValue) else (*t.indices, *t.sizes)
    if all(i.plain for i in own) or t.children:
        return t

    def simple(i: Index) -> Index:
        for a, c in i.terms:
            parts = [p.terms[0][0] for p in a.args] if a.kind == "product" else [a]
            if any(p.kind == "quotient" and entails_all(scope.facts, _inside(*p.args)) for p in parts):
                i = i - c * Index(((a, 1),))
        return i

    if isinstance(t, IndexValue):
        return trace.step("index_congr", t, IndexValue(simple(t.index)))
    return trace.step("index_congr", t, Entry(t.name, map(simple, t.indices), (), map(simple, t.sizes)))


def divided_exactly(t: IndexValue, scope: Scope, trace: Trace) -> Term | None:
    """floor(n/k) as n/k where k is known to divide n."""
    for a, _ in t.index.terms:
        if a.kind != "quotient" or not a.args[1].is_constant:
            continue
        above, k = a.args[0], a.args[1].const
        rest = k * t.index
        if equal_indices(scope.facts, above, k * Index(((a, 1),))):
            c = next(c for b, c in rest.terms if b is a)
            other = IndexValue(rest - c * Index(((a, 1),)) + (c // k) * above)
            product = trace.step("ring", t, Mul((Number(fmpq(1, k)), IndexValue(rest))))
            inner = Trace()
            inner.step("index_congr", IndexValue(rest), other)
            trace.below(1, inner)
            return Mul((product.children[0], other))
    return None


def _inside(value: Index, length: Index) -> Guard:
    """0 <= value < length: the quotient is 0."""
    return guard(at_least(value, 0), less(value, length))
