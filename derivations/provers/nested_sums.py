"""Nested sums over one monomial, put into canonical order."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice, permutations
from typing import TYPE_CHECKING

from derivations.kernel.linear import bounded, entails, project
from derivations.kernel.scope import Scope
from derivations.language.substitution import canonical, rename_apart, substitute
from derivations.language.term import (
    ZERO,
    Add,
    Bracket,
    Guard,
    Index,
    Mul,
    Number,
    Pow,
    Sum,
    Term,
    guard,
    guard_free,
    guard_substitute,
)
from derivations.provers.summation_ranges import minimal_range
from derivations.provers.trace import Trace

if TYPE_CHECKING:
    from derivations.provers.normal import Normaliser


MAX_ORDERS = 24
"""Orders of a block of bound indices that are tried when their roles look alike."""


def normalise_block(n: Normaliser, t: Sum, scope: Scope, trace: Trace) -> tuple[Term, Trace]:
    """Nested sums over one monomial, put into canonical order."""
    binders: list[tuple[str, Guard]] = []
    body: Term = t
    while isinstance(body, Sum):
        binders.append((body.var, body.guard))
        body = body.body
    names = [v for v, _ in binders]
    pairs = guard(*(c for _, g in binders for c in g))
    first = _divided_by_own_sum(binders, body)
    if first is not None and canonical(t) not in n.active:
        moved = _moved_inside(n, t, first, len(names), scope, trace)
        tried = {canonical(t), canonical(moved)} - n.active
        n.active |= tried
        try:
            return redo(n, moved, scope, trace)
        finally:
            n.active -= tried
    told = _told_by_inner(binders)
    if told is not None:
        moved = _moved_inside(n, t, told, len(names), scope, trace)
        if moved is not t:
            return redo(n, moved, scope, trace)
    # a body that became a sum of monomials, or lost a variable, is normalised anew from inside (once)
    stale = isinstance(body, Add) or body is ZERO or _has_brackets(body)
    stale = stale or any(v not in body.free and not _is_ranged(v, binders) for v in names)
    if stale and t not in n.active:
        n.active.add(t)
        try:
            return redo(n, t, scope, trace)
        finally:
            n.active.discard(t)
    best = _best_order(n, names, pairs, body)
    current: Term = t
    order = list(names)
    for position, v in enumerate(best):
        for k in range(order.index(v), position, -1):
            current = _swap(n, current, k - 1, scope, trace)
            order[k - 1], order[k] = order[k], order[k - 1]
    for k in range(len(best) - 2, -1, -1):
        current = _tightened(n, current, k, scope, trace)
    return _minimal_ranges(n, current, best, pairs, scope, trace), trace


def _tightened(n: Normaliser, t: Term, depth: int, scope: Scope, trace: Trace) -> Term:
    """The binder number `depth` without the values for which the next one has none: the last i of `i < j < n`."""
    if not isinstance(t, Sum) or not isinstance(t.body, Sum):
        return t
    if depth > 0:
        inner = Trace()
        new = _tightened(n, t.body, depth - 1, scope.inside(t, 0), inner)
        trace.below(0, inner)
        return t.with_children([new])
    told = project(guard(*t.guard, *t.body.guard), [t.body.var])
    if all(t.var not in c.free or entails(guard(*scope.facts, *t.guard), c) for c in told):
        return t
    turned = _swap(n, t, 0, scope, trace)
    return t if turned is t else _swap(n, turned, 0, scope, trace)


def _moved_inside(n: Normaliser, t: Sum, depth: int, count: int, scope: Scope, trace: Trace) -> Sum:
    """Nested sums with the binder number `depth` as far inside as it can go."""
    for k in range(depth, count - 1):
        after = _swap(n, t, k, scope, trace)
        if after is t or not isinstance(after, Sum):
            break
        t = after
    return t


def _divided_by_own_sum(binders: list[tuple[str, Guard]], body: Term) -> int | None:
    """The first index over which the factors with it make a sum that the others are divided by, as in a sum of rows that
    are each divided by what they sum to: summed first, it cancels."""
    factors = body.args if isinstance(body, Mul) else (body,)
    below = [f.base for f in factors if isinstance(f, Pow) and isinstance(f.base, Sum) and _is_negative(f.exponent)]
    for depth, (v, _) in enumerate(binders):
        own = [f for f in factors if v in f.free]
        wanted = guard(*(c for _, g in binders for c in g if v in c.free))
        for total in below:
            if v not in total.free and own and _is_sum_of(total, v, own, wanted):
                return depth
    return None


def _is_sum_of(total: Sum, v: str, own: list[Term], ranged: Guard) -> bool:
    """Whether a sum is that of a product of factors over an index."""
    parts = total.body.args if isinstance(total.body, Mul) else (total.body,)
    if len(parts) != len(own):
        return False
    at = {total.var: Index.var(v)}
    texts = (
        sorted(str(canonical(substitute(rename_apart(f, (v,)), at))) for f in parts),
        sorted(str(canonical(f)) for f in own),
    )
    return texts[0] == texts[1] and set(guard_substitute(total.guard, at)) <= set(ranged)


def _is_negative(exponent: Term) -> bool:
    return isinstance(exponent, Number) and exponent.value < 0


def _told_by_inner(binders: list[tuple[str, Guard]]) -> int | None:
    """The first index that an equation fixes which cannot be solved for those inside of it: k = y(n) for a label y."""
    for depth, (v, _) in enumerate(binders[:-1]):
        inner = {w for w, _ in binders[depth + 1 :]}
        for c in (c for _, g in binders[depth + 1 :] for c in g if c.relation == "==" and v in c.free):
            others = c.free & inner
            if abs(c.index.coefficient(v)) == 1 and c.index.linear_in(v) and others:
                if not any(c.index.linear_in(w) for w in others):
                    return depth
    return None


def _is_ranged(var: str, binders: list[tuple[str, Guard]]) -> bool:
    """Whether the range of another index of the block depends on this one."""
    return any(v != var and var in guard_free(g) for v, g in binders)


def _has_brackets(body: Term) -> bool:
    parts = body.args if isinstance(body, Mul) else (body,)
    return any(isinstance(f, Bracket) for f in parts)


def redo(n: Normaliser, t: Sum, scope: Scope, trace: Trace) -> tuple[Term, Trace]:
    """Normalise nested sums again, innermost first."""
    inside = scope.inside(t, 0)
    inner = Trace()
    if isinstance(t.body, Sum):
        body, _ = redo(n, t.body, inside, inner)
    else:
        body, rest = n.norm(t.body, inside)
        inner.then(rest)
    trace.below(0, inner)
    return n.sum(Sum(t.var, t.guard, body), scope, trace)


def _best_order(n: Normaliser, names: list[str], pairs: Guard, body: Term) -> list[str]:
    """The canonical order of the bound indices: by their role, then by trying."""
    role = {v: _role(n, v, names, pairs, body) for v in names}
    ranked = sorted(names, key=lambda v: role[v])
    groups: list[list[str]] = []
    for v in ranked:
        if groups and role[groups[-1][0]] == role[v]:
            groups[-1].append(v)
        else:
            groups.append([v])
    orders: list[list[str]] = [[]]
    for g in groups:
        choices = list(islice(permutations(g), MAX_ORDERS)) if len(orders) * len(g) <= MAX_ORDERS else [tuple(g)]
        orders = [[*o, *c] for o in orders for c in choices][:MAX_ORDERS]
    if len(orders) == 1:
        return orders[0]
    n.spend(5 * len(orders))

    def picture(order: list[str]) -> str:
        level = {v: Index.var(f"%{k}") for k, v in enumerate(order)}
        factors = body.args if isinstance(body, Mul) else (body,)
        texts = sorted(_text(n, f, level) for f in factors)
        return "|".join([*texts, *sorted(str(c) for c in guard_substitute(pairs, level))])

    return min(orders, key=picture)


def _role(n: Normaliser, v: str, names: list[str], pairs: Guard, body: Term) -> str:
    view = {w: Index.var("%self" if w == v else "%other") for w in names}
    factors = body.args if isinstance(body, Mul) else (body,)
    texts = sorted(_text(n, f, view) for f in factors if v in f.free)
    return "|".join([*texts, *sorted(str(c.substitute(view)) for c in pairs if v in c.free)])


def _text(n: Normaliser, factor: Term, view: Mapping[str, Index]) -> str:
    """A factor as text, with these indices for its bound ones; an entry of an inverse is a long one, and seen often."""
    key = factor, tuple((v, view[v]) for v in sorted(factor.free) if v in view)
    found = n.texts.get(key)
    if found is None:
        found = n.texts[key] = str(canonical(substitute(rename_apart(factor, ()), view)))
    return found


def _swap(n: Normaliser, t: Term, depth: int, scope: Scope, trace: Trace) -> Term:
    """Exchange the binders number `depth` and `depth + 1`."""
    if depth > 0:
        inner = Trace()
        new = _swap(n, t.children[0], depth - 1, scope.inside(t, 0), inner)
        trace.below(0, inner)
        return t.with_children([new])
    outer: Sum = t  # type: ignore[assignment]
    below: Sum = outer.body  # type: ignore[assignment]
    pairs = guard(*outer.guard, *below.guard)
    own = [c for c in pairs if below.var in c.free and outer.var not in c.free]
    first = own + [c for c in project(pairs, [outer.var]) if below.var in c.free and not entails(guard(*own), c)]
    if not bounded(below.var, guard(*first)):
        return t
    first_guard = minimal_range(below.var, guard(*first), scope.facts)
    extra = [c for c in pairs if c not in first_guard and not entails(guard(*scope.facts, *first_guard), c)]
    second = guard(*(c for c in pairs if outer.var in c.free), *(c for c in extra if outer.var not in c.free))
    after = Sum(below.var, first_guard, Sum(outer.var, second, below.body))
    return trace.step("sum_comm", t, after)


def _minimal_ranges(n: Normaliser, t: Term, order: list[str], pairs: Guard, scope: Scope, trace: Trace) -> Term:
    """Minimal ranges from the outside in, then the body sorted under its final names."""
    if not isinstance(t, Sum) or not order:
        new, rest = n.norm(t, scope)
        trace.then(rest)
        return new
    own: Sum = trace.step("sum_congr_range", t, Sum(t.var, minimal_range(t.var, t.guard, scope.facts), t.body))  # type: ignore[assignment]
    inner = Trace()
    body = _minimal_ranges(n, own.body, order[1:], pairs, scope.inside(own, 0), inner)
    trace.below(0, inner)
    return own.with_children([body])
