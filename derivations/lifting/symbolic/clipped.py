"""The smaller of two whole numbers, where the round of a loop decides which one it is: `min(start + w, n)`.

While the round runs it is a variable.  A sum that ends there ends before both numbers; where it is computed with, it is a
minimum; and whatever else speaks of it is a case distinction.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from derivations.language.substitution import rename_apart, substitute, subterms
from derivations.language.term import (
    Bracket,
    Case,
    Constraint,
    Entry,
    Guard,
    Index,
    IndexValue,
    Max,
    Number,
    Sum,
    Term,
    at_least,
    equal,
    guard,
    less,
    within,
)

Minima = Mapping[str, tuple[Index, Index]]
"""The two numbers of which a variable is the smaller one."""


def both_bounds(c: Constraint, minima: Minima) -> Guard:
    """`x < min(a, b)` as x < a and x < b; a constraint of another kind as it is.

    >>> x, e, a, b = map(Index.var, "xeab")
    >>> [str(c) for c in both_bounds(less(x, e), {"e": (a, b)})]
    ['x < a', 'x < b']
    """
    for v in sorted(c.index.free & minima.keys()):
        if c.relation == ">=" and c.index.linear_in(v) and c.index.coefficient(v) > 0:
            rows = (Constraint(c.index.substitute({v: x})) for x in minima[v])
            return guard(*(x for row in rows for x in both_bounds(row, minima)))
    return (c,)


def ways(i: Index, minima: Minima) -> list[tuple[Index, Guard]]:
    """What an index is when one or the other of two numbers is the smaller one, with that condition."""
    for v in sorted(i.free & minima.keys()):
        a, b = minima[v]
        cases = ((a, at_least(b, a)), (b, at_least(a, b)))
        return [(j, guard(c, *g)) for x, c in cases for j, g in ways(i.substitute({v: x}), minima)]
    return [(i, ())]


def over_range(
    make: Callable[[str, Guard, Term], Term], k: Index, size: Index, body: Callable[[Index], Term], minima: Minima
) -> Term:
    """A sum or a maximum over an axis; positions that are counted from such a number are counted from 0 instead."""
    (name,) = k.free
    t = body(k)
    if not minima:
        return make(name, within(name, 0, size), t)
    shift = _offset(t, name, minima)
    t = body(k - shift) if shift.terms else t
    rows = (at_least(k - shift, 0), less(k - shift, size))
    return make(name, guard(*(c for row in rows for c in both_bounds(row, minima))), t)


def _offset(t: Term, name: str, minima: Minima) -> Index:
    """What is added to the variable of a sum in positions of entries, of such numbers."""
    for u in subterms(t):
        for i in u.indices if isinstance(u, Entry) else ():
            if i.coefficient(name) == 1 and i.free & minima.keys():
                return Index((a, c) for a, c in i.terms if a.kind == "index" and a.name in minima)
    return Index()


def without(t: Term, minima: Minima) -> Term:
    """The term without such variables."""
    if t.free.isdisjoint(minima):
        return t
    t = _settled(t, minima)
    for v in sorted(t.free & minima.keys()):
        a, b = minima[v]
        t = Case([(guard(at_least(b, a)), _put(t, v, a))], _put(t, v, b))
    return t if t.free.isdisjoint(minima) else without(t, minima)


def _put(t: Term, v: str, i: Index) -> Term:
    return substitute(rename_apart(t, i.free), {v: i})


def _settled(t: Term, minima: Minima) -> Term:
    if t.free.isdisjoint(minima):
        return t
    if isinstance(t, IndexValue):
        return _value(t.index, minima)
    if isinstance(t, Bracket):
        return Bracket(_guard(t.condition, minima))
    if isinstance(t, (Sum, Max)):
        return type(t)(t.var, _guard(t.guard, minima), _settled(t.body, minima))
    if isinstance(t, Case):
        return Case([(_guard(g, minima), _settled(b, minima)) for g, b in t.branches], _settled(t.otherwise, minima))
    return t.with_children([_settled(c, minima) for c in t.children]) if t.children else t


def _guard(g: Guard, minima: Minima) -> Guard:
    return guard(*(x for c in g for x in both_bounds(c, minima)))


def _value(i: Index, minima: Minima) -> Term:
    """A whole number that is computed with: a minimum, as minus a maximum of two."""
    total: Term = IndexValue(i)
    for v in sorted(i.free & minima.keys()):
        if not i.linear_in(v):
            return total
        a, b = minima[v]
        c = i.coefficient(v)
        i = i - c * Index.var(v)
        least = Max(v, within(v, 0, 2), Case([(guard(equal(Index.var(v), 0)), IndexValue(-a))], IndexValue(-b)))
        total = Number(-c) * least + (IndexValue(i) if i.terms else Number(i.const))
        return total if i.free.isdisjoint(minima) else Number(-c) * least + _value(i, minima)
    return total


__all__ = ["Minima", "both_bounds", "over_range", "ways", "without"]
