"""Normal forms of maxima: taken apart into values, ranges joined, constants and non-negative factors in front."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from derivations.kernel.definition import covered
from derivations.kernel.finiteness import finite
from derivations.kernel.linear import consistent, entails, entails_all, equal_indices
from derivations.kernel.maximum import Branch, Piece, pieces
from derivations.kernel.scope import Scope
from derivations.kernel.sign import inhabited, match, nonnegative
from derivations.language.substitution import (
    alpha_equal,
    bound_variables,
    fresh,
    own_indices,
    rename_apart,
    substitute,
    subterms,
)
from derivations.language.term import (
    Add,
    Case,
    Guard,
    Index,
    Max,
    Mul,
    NegInfinity,
    Term,
    at_least,
    equal,
    guard,
    guard_free,
    guard_substitute,
    less,
    product_of,
)
from derivations.provers.trace import Trace

if TYPE_CHECKING:
    from derivations.provers.normal import Normaliser

MAX_PIECES = 12
"""Pieces of one maximum that are looked at."""


def normalise(n: Normaliser, t: Max, scope: Scope, trace: Trace) -> tuple[Term, Trace]:
    """The normal form of a maximum: `cases` in it stay cases, so that its values stay apart."""
    n.spend(2)
    t = _values(n, t, scope, trace)
    shaped = _flat(n, t, scope, trace) if _is_composed(t, scope) else t
    if not isinstance(shaped, Max):
        return n.more(shaped, scope, trace)
    if shaped is not t:
        shaped = _values(n, shaped, scope, trace)
    return _in_front(n, shaped, scope, trace)


def _values(n: Normaliser, t: Max, scope: Scope, trace: Trace) -> Max:
    """The maximum with normalised values."""
    inside = scope.inside(t, 0)
    inner = Trace()
    if not isinstance(t.body, Case):
        body, steps = n.norm(t.body, inside)
        inner.then(steps)
    else:
        new = list(t.body.children)
        for k, child in enumerate(new):
            new[k], steps = n.norm(child, inside.inside(t.body, k))
            inner.below(k, steps)
        body = t.body.with_children(new)
    trace.below(0, inner)
    return Max(t.var, t.guard, body)


def _is_composed(t: Max, scope: Scope) -> bool:
    return (
        len(t.guard) > 2
        or bool(_offset(t.body, t.var))
        or isinstance(t.body, (Max, Case, NegInfinity))
        or _pinned(t.var, guard(*scope.facts, *t.guard), scope) is not None
    )


def _in_front(n: Normaliser, t: Max, scope: Scope, trace: Trace) -> tuple[Term, Trace]:
    """Terms and non-negative factors that do not depend on the index, put in front."""
    own: Max = rename_apart(t, scope.variables)  # type: ignore[assignment]
    inside = scope.inside(own, 0)
    if isinstance(own.body, Add) and finite(own.body, n.theory, inside.facts) and inhabited(own, scope):
        out = tuple(k for k, a in enumerate(own.body.args) if own.var not in a.free)
        if out:
            rest = [a for k, a in enumerate(own.body.args) if k not in out]
            inner: Term = Max(own.var, own.guard, Add(rest) if len(rest) != 1 else rest[0])
            after = Add((*(own.body.args[k] for k in out), inner))
            trace.step("max_add", t, after, terms=out)
            return n.more(after, scope, trace)
    if isinstance(own.body, Mul) and finite(own.body, n.theory, inside.facts):
        chosen = tuple(k for k, f in enumerate(own.body.args) if own.var not in f.free and nonnegative(f, scope))
        if chosen:
            rest = [f for k, f in enumerate(own.body.args) if k not in chosen]
            product = Mul((*(own.body.args[k] for k in chosen), Max(own.var, own.guard, product_of(rest))))
            trace.step("max_mul", t, product, factors=chosen)
            return n.more(product, scope, trace)
    return t, trace


def _flat(n: Normaliser, t: Max, scope: Scope, trace: Trace) -> Term:
    """The maximum as one over few, wide pieces; the same term when that is not seen to hold."""
    found = pieces(t, scope)
    if len(found) > MAX_PIECES:
        return t
    kept = [_plain(p, scope) for p in found if consistent(guard(*scope.facts, *p.guard))]
    real = [p for p in kept if not isinstance(p.value, NegInfinity)]
    kept = _joined(n, real or kept[:1], scope)
    rows = sorted((n.key(_written(p), scope), _written(p)) for p in kept)
    after = _together([w for _, w in rows], scope)
    if alpha_equal(after, t):
        return t
    there = answers(found, pieces(after, scope), scope)
    back = answers(pieces(after, scope), found, scope)
    if there is None or back is None:
        return t
    trace.step("max_congr", t, after, forth=there, converse=back)
    return after


def _written(p: Piece) -> Term:
    value = p.value
    for v in reversed(p.binders):
        value = Max(v, [c for c in p.guard if v in c.index.free and not _later(c, v, p)], value)
    return value


def _later(c: object, v: str, p: Piece) -> bool:
    """Whether a constraint belongs to a binder further inside."""
    inner = p.binders[p.binders.index(v) + 1 :]
    return any(w in c.index.free for w in inner)  # type: ignore[attr-defined]


def _together(values: list[Term], scope: Scope) -> Term:
    if len(values) == 1:
        return values[0]
    r = fresh(
        "r", {*scope.variables, *(v for x in values for v in x.free), *(v for x in values for v in bound_variables(x))}
    )
    here = Index.var(r)
    body = Case([((equal(here, k),), x) for k, x in enumerate(values[:-1])], values[-1])
    return Max(r, (at_least(here, 0), less(here, len(values))), body)


def _pinned(var: str, facts: Guard, scope: Scope) -> Index | None:
    """The only value that an index can have under some constraints."""
    for c in facts:
        k = c.index.coefficient(var)
        if abs(k) == 1 and c.index.linear_in(var):
            value = (c.index - k * Index.var(var)) * -k
            if value.free <= set(scope.variables) and var not in value.free:
                if c.relation == "==" or equal_indices(facts, Index.var(var), value):
                    return value
    return None


def _plain(p: Piece, scope: Scope) -> Piece:
    """A piece without binders that have one value only, or that its value does not depend on."""
    binders, conditions, value = list(p.binders), p.guard, p.value
    for c in p.guard:
        rest = tuple(x for x in conditions if x is not c)
        if entails(guard(*scope.facts, *rest), c):
            conditions = rest
    for v in p.binders:
        inside = scope.inside_binder(tuple(b for b in binders if b != v), ())
        at = _pinned(v, guard(*scope.facts, *conditions), inside)
        if at is None and v not in value.free:
            options = [at for at in _bounds(v, conditions) if at.free <= set(inside.variables)]
            rest = tuple(c for c in conditions if v not in c.index.free)
            at = next(
                (a for a in options if entails_all(guard(*scope.facts, *rest), guard_substitute(conditions, {v: a}))),
                None,
            )
        if at is None:
            continue
        avoid = {v, *at.free}
        value = substitute(rename_apart(value, avoid), {v: at})
        conditions = guard(*(c for c in guard_substitute(conditions, {v: at}) if not entails(scope.facts, c)))
        binders.remove(v)
    for v in binders:
        offset = _offset(value, v)
        if offset:
            moved = {v: Index.var(v) - offset}
            value, conditions = substitute(rename_apart(value, {v}), moved), guard_substitute(conditions, moved)
    return Piece(tuple(binders), conditions, value)


def _offset(value: Term, v: str) -> int:
    """c where the value speaks of places v + c: the index is counted so that this is 0."""
    for u in subterms(value):
        for i in own_indices(u):
            rest = i - Index.var(v)
            if rest.is_constant:
                return rest.const
    return 0


def _bounds(v: str, conditions: Guard) -> list[Index]:
    return [
        (c.index - k * Index.var(v)) * -k
        for c in conditions
        if abs(k := c.index.coefficient(v)) == 1 and c.index.linear_in(v)
    ]


def _range(p: Piece) -> tuple[Index, Index] | None:
    """low <= index < high of a piece with one binder."""
    if len(p.binders) != 1 or len(p.guard) != 2 or any(c.relation != ">=" for c in p.guard):
        return None
    (v,) = p.binders
    ends = {c.index.coefficient(v): (c.index - c.index.coefficient(v) * Index.var(v)) for c in p.guard}
    return (-ends[1], ends[-1] + 1) if set(ends) == {1, -1} else None


def _joined(n: Normaliser, kept: list[Piece], scope: Scope) -> list[Piece]:
    """Neighbouring ranges of one value made one, doubles left out."""
    changed = True
    while changed:
        changed = False
        for i, p in enumerate(kept):
            for j, q in enumerate(kept):
                if i == j:
                    continue
                both = _union(n, p, q, scope)
                if both is not None:
                    kept = [*(r for k, r in enumerate(kept) if k not in (i, j)), both]
                    changed = True
                    break
            if changed:
                break
    return kept


def _union(n: Normaliser, p: Piece, q: Piece, scope: Scope) -> Piece | None:
    """One piece with the values of both, when it is p, or p with a wider range."""
    if not q.binders:
        if not p.binders:
            return p if alpha_equal(p.value, q.value) else None
        around = _range(p)
        if around is None:
            return None
        (v,), (low, high) = p.binders, around
        for at, wide in ((low - 1, (low - 1, high)), (high, (low, high + 1)), (low, around)):
            if at.free <= set(scope.variables) and alpha_equal(_value_at(n, p, at, scope), q.value):
                return Piece(p.binders, guard(at_least(Index.var(v), wide[0]), less(Index.var(v), wide[1])), p.value)
        return None
    one, two = _range(p), _range(q)
    if one is None or two is None:
        return None
    (v,), (w,) = p.binders, q.binders
    if not alpha_equal(Max(v, (), p.value), Max(w, (), q.value)):
        return None
    facts = scope.facts
    if entails(facts, at_least(two[0], one[0])) and entails(facts, at_least(one[1], two[0])):
        high = one[1] if entails(facts, at_least(one[1], two[1])) else two[1]
        if high is two[1] and not entails(facts, at_least(two[1], one[1])):
            return None
        return Piece(p.binders, guard(at_least(Index.var(v), one[0]), less(Index.var(v), high)), p.value)
    return None


def _value_at(n: Normaliser, p: Piece, at: Index, scope: Scope) -> Term:
    (v,) = p.binders
    value = substitute(rename_apart(p.value, {v, *at.free}), {v: at})
    return n.norm(rename_apart(value, scope.variables), scope)[0]


def answers(one: list[Piece], other: list[Piece], scope: Scope) -> tuple[tuple[Branch, ...], ...] | None:
    """For each piece of the first list, which pieces of the second have its values; None when some are not found."""
    rows: list[tuple[Branch, ...]] = []
    for p in one:
        if isinstance(p.value, NegInfinity):
            rows.append(())
            continue
        inside = scope.inside_binder(p.binders, p.guard)
        branches: list[Branch] = []
        for number, q in enumerate(other):
            found = _matched(p, q, inside)
            if found is not None:
                branches.append((number, *found))
            if covered(inside.facts, [b[1] for b in branches]):
                break
        else:
            return None
        rows.append(tuple(b for b in branches if consistent(guard(*inside.facts, *b[1]))))
    return tuple(rows)


def _matched(p: Piece, q: Piece, inside: Scope) -> tuple[Guard, Mapping[str, Index], Mapping[str, Index]] | None:
    """Where a piece has the value of another: conditions, the indices of the other, and values of its own indices."""
    in_scope = frozenset(inside.variables)
    fixed = {v: i for v in p.binders if (i := _pinned(v, inside.facts, _without(inside, v))) is not None}
    own = substitute(rename_apart(p.value, in_scope), fixed)
    apart = {v: f"{v}'" for v in q.binders}  # its own names, so that none is one of p's
    renamed = {v: Index.var(w) for v, w in apart.items()}
    pattern = substitute(rename_apart(q.value, {*renamed, *apart.values()}), renamed)
    found: dict[str, Index] = {}
    known: Guard = ()
    if not match(pattern, own, frozenset(apart.values()), found):
        backwards: dict[str, Index] = {}
        if q.value.free & set(q.binders) or not match(own, q.value, frozenset(p.binders), backwards):
            return None
        if not all(i.free <= in_scope - set(p.binders) for i in backwards.values()):
            return None
        found, fixed = {}, {**fixed, **backwards}
        known = guard(*(equal(Index.var(v), i) for v, i in backwards.items()))
        inside, own = inside.given(known), substitute(rename_apart(own, in_scope), backwards)
    at = {v: found[w] for v, w in apart.items() if w in found}
    for v in q.binders:
        if v in at:
            continue
        options = [i for i in _bounds(v, guard_substitute(q.guard, at)) if i.free <= in_scope]
        if not options:
            return None
        at[v] = next((i for i in options if _holds(q.guard, {**at, v: i}, inside)), options[0])
    conditions = guard(*known, *(c for c in guard_substitute(q.guard, at) if not entails(inside.facts, c)))
    if not all(i.free <= in_scope for i in at.values()) or not guard_free(conditions) <= in_scope:
        return None
    value = substitute(rename_apart(q.value, {*in_scope, *q.binders}), at)
    return (conditions, at, fixed) if alpha_equal(value, own) else None


def _without(scope: Scope, v: str) -> Scope:
    return replace(scope, variables=tuple(w for w in scope.variables if w != v))


def _holds(conditions: Guard, at: Mapping[str, Index], inside: Scope) -> bool:
    """Whether those constraints follow whose indices are all known."""
    known = (c for c in guard_substitute(conditions, dict(at)) if guard_free((c,)) <= set(inside.variables))
    return entails_all(inside.facts, tuple(known))
