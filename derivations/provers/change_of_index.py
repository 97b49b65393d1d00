"""Changes of the index of a sum: shifted, reflected, permuted, put in for a value, or split over the blocks of an axis."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from derivations.kernel.linear import bounded, entails, equal_indices, equivalent
from derivations.kernel.scope import Scope
from derivations.language.substitution import bound_variables, fresh, own_indices, rename_apart, substitute, subterms
from derivations.language.term import (
    Atom,
    Bracket,
    Entry,
    Index,
    Mul,
    Sum,
    Term,
    atoms,
    equal,
    flattened,
    guard,
    guard_substitute,
    less,
    permuted,
    quotient,
    within,
)
from derivations.provers.summation_ranges import intervals, minimal_range
from derivations.provers.trace import Trace

if TYPE_CHECKING:
    from derivations.provers.normal import Normaliser


def pinned(t: Sum, scope: Scope) -> Index | None:
    """The value that the range fixes the index to."""
    known = guard(*scope.facts, *t.guard)
    v = Index.var(t.var)
    for c in t.guard:
        k = c.index.coefficient(t.var)
        if abs(k) == 1:
            value = (c.index - k * v) * -k
            if t.var not in value.free and (c.relation == "==" or entails(known, equal(v, value))):
                return value
        if c.relation == "==" and not c.index.plain:
            for a, k in c.index.terms:
                if a.kind in ("perm", "inverse") and a.args[0] is v and abs(k) == 1:
                    image = (c.index - k * Index(((a, 1),))) * -k
                    value = permuted(a.name, a.args[1], image, inverse=a.kind == "perm")
                    if t.var not in value.free:
                        return value
    return None


def from_start(t: Sum, scope: Scope, trace: Trace) -> Sum | None:
    """The sum over j' = j - h, where j starts from a length h such as d/2."""
    v = Index.var(t.var)
    lengths = [c for c in t.guard if c.index.coefficient(t.var) == 1 and (c.index - v).sizes]
    if not any(c.relation == ">=" and c.free == {t.var} for c in lengths) or t.var in bound_variables(t.body):
        return None
    range_ = minimal_range(t.var, t.guard, scope.facts)
    for low, high in intervals(Sum(t.var, range_, t.body)):
        if not low.sizes or low.free:
            continue
        plain = trace.step("sum_congr_range", t, Sum(t.var, range_, t.body))
        moved = {t.var: v + low}
        after = Sum(t.var, guard_substitute(range_, moved), substitute(t.body, moved))
        trace.step("sum_bij", plain, after, sign=1, shift=low)
        if high - low is not low and equal_indices(scope.facts, high - low, low):  # the other half
            return trace.step("sum_congr_range", after, Sum(t.var, within(t.var, 0, low), after.body))  # type: ignore[return-value]
        return after
    return None


def shifted(t: Sum, scope: Scope, trace: Trace) -> Sum | None:
    """The sum over j' with j = j' - c or j = e - j', when that makes the first entry with j read f[j'], or f[w*j' + k]."""
    v = Index.var(t.var)
    uses: list[tuple[str, int, Index]] = []
    blocks: list[tuple[str, int, int]] = []
    for u in subterms(t.body):
        if isinstance(u, Entry):
            for place, i in enumerate(u.indices):
                if t.var in i.free:
                    if not i.linear_in(t.var) or abs(i.coefficient(t.var)) != 1:
                        from_start = _blocks(i, t.var)
                        if from_start is None:
                            return None
                        blocks.append((u.name, place, from_start))
                    uses.append((u.name, place, i))
    if not uses:
        return None
    if blocks:
        shift = Index.of(-min(blocks)[2])
        if not shift.const or t.var in bound_variables(t.body):
            return None
        moved = {t.var: v + shift}
        after = Sum(t.var, guard_substitute(t.guard, moved), substitute(t.body, moved))
        trace.step("sum_bij", t, after, sign=1, shift=shift)
        return after
    signs = {i.coefficient(t.var) for _, _, i in uses}
    name, place = min((name, place) for name, place, i in uses if i.coefficient(t.var) == max(signs))
    rests = [i - i.coefficient(t.var) * v for head, p, i in uses if (head, p) == (name, place)]
    sign = max(signs)
    if any(not r.free <= set(scope.variables) for r in rests):
        return None
    rest = min(rests, key=str) if sign == -1 else min(rests, key=lambda r: (bool(r.terms), r.const))
    if sign == 1 and not rest.const:
        return None
    shift = rest if sign == -1 else Index.of(-rest.const)  # f[j + t + 1] as f[j' + t]
    moved = {t.var: sign * v + shift}
    if t.var in bound_variables(t.body) or shift.free & bound_variables(t.body):
        return None
    new = Sum(t.var, guard_substitute(t.guard, moved), substitute(t.body, moved))
    trace.step("sum_bij", t, new, sign=sign, shift=shift)
    return new


def reindexed(n: Normaliser, t: Sum, scope: Scope, trace: Trace) -> Sum | None:
    """The sum over permuted positions, when that leaves fewer permutations in it."""
    v = Index.var(t.var)
    found: set[Atom] = set()
    for u in subterms(t):
        for i in own_indices(u):
            if not i.plain:
                found |= {a for a in atoms(i) if a.kind in ("perm", "inverse") and a.args[0] is v}
    if not found:
        return None
    best: tuple[tuple[int, str], Sum, Atom] | None = None
    now = (_permutations(t), n.key(t, scope))
    for a in sorted(found):
        moved = {t.var: permuted(a.name, a.args[1], v, inverse=a.kind == "perm")}
        condition = guard_substitute(t.guard, moved)
        plain = guard(*(c for c in condition if c.index.linear_in(t.var)), *within(t.var, 0, a.args[1]))
        if not equivalent(scope.facts, condition, plain):
            continue
        new = Sum(t.var, plain, substitute(t.body, moved))
        rank = (_permutations(new), n.key(new, scope))
        if rank < (now if best is None else best[0]):
            best = rank, new, a
    if best is None:
        return None
    _, new, a = best
    trace.step("sum_perm", t, new, name=a.name, length=a.args[1], inverse=a.kind == "perm")
    return new


def split_axis(n: Normaliser, t: Sum, scope: Scope, trace: Trace) -> Sum | None:
    """A sum over a flattened axis as a sum over its two parts."""
    on = tuple(c for c in t.guard if any(a.kind == "quotient" and t.var in a.free for a in atoms(c.index)))
    plain = guard(*(c for c in t.guard if c not in on))
    if on and bounded(t.var, plain):  # conditions on the head or the channel become a bracket first
        parts = t.body.args if isinstance(t.body, Mul) else (t.body,)
        inner = Trace()
        shown: Sum = inner.step("sum_ite", t, Sum(t.var, plain, Mul((Bracket(on), *parts))), back=True, factor=0)  # type: ignore[assignment]
        found = split_axis(n, shown, scope, inner)
        if found is not None:
            trace.then(inner)
        return found
    heads: Index | None
    for low, high in intervals(t):
        if low.terms or low.const or high.const or len(high.terms) != 1:
            continue
        width = _width(n, t, high)
        if width is None:
            continue
        ((top, count),) = high.terms
        if width.is_constant:
            heads = Index(((top, count // width.const),)) if count % width.const == 0 else None
            if heads is None and equal_indices(scope.facts, high, quotient(high, width) * width):
                heads = quotient(high, width)
        else:
            others = [a for a in top.args if a is not width] if top.kind == "product" else []
            heads = others[0] * count if len(others) == 1 and len(top.args) == 2 else None
        if heads is None:
            continue
        taken = {*scope.variables, *bound_variables(t), *t.free}
        a = fresh("h", taken)
        b = fresh("r", {*taken, a})
        place = Index.var(a) * width + Index.var(b)
        body = substitute(rename_apart(t.body, {a, b}), {t.var: place})
        new = Sum(a, within(a, 0, heads), Sum(b, within(b, 0, width), body))
        trace.step("sum_axis", t, new, heads=heads, width=width)
        return new
    return _padded(n, t, scope, trace)


def _padded(n: Normaliser, t: Sum, scope: Scope, trace: Trace) -> Sum | None:
    """A sum over an axis that blocks cover, the last of which may reach beyond it: over all places of the blocks."""
    v = Index.var(t.var)
    for low, high in intervals(t):
        blocks = None if low.terms or low.const or len(high.terms) != 1 else _covering(n, high, scope)
        if blocks is None:
            continue
        longer = Sum(t.var, (*t.guard, less(v, blocks)), t.body)
        inner = Trace()
        inner.step("sum_congr_range", t, longer)
        plain = guard(*within(t.var, 0, blocks))
        on = guard(*(c for c in longer.guard if c not in plain))
        parts = t.body.args if isinstance(t.body, Mul) else (t.body,)
        shown: Sum = inner.step("sum_ite", longer, Sum(t.var, plain, Mul((Bracket(on), *parts))), back=True, factor=0)  # type: ignore[assignment]
        found = split_axis(n, shown, scope, inner)
        if found is not None:
            trace.then(inner)
        return found
    return None


def _covering(n: Normaliser, high: Index, scope: Scope) -> Index | None:
    """T*w for an axis of which it is known that T blocks of length w cover it."""
    for c in scope.facts:
        known = c.index + high if c.relation == ">=" else high
        if known is not high and len(known.terms) == 1 and not known.const:
            ((top, count),) = known.terms
            if top.kind == "product" and count == 1 and any(a in n.widths for a in top.args):
                return known
    return None


def _width(n: Normaliser, t: Sum, high: Index) -> Index | None:
    """The length of the inner part of the axis, read off the definitions and indices under the sum."""
    top = high.terms[0][0]
    for u in subterms(t.body):
        for i in [c.index for c in u.condition] if isinstance(u, Bracket) else own_indices(u):
            for a in atoms(i):
                if a.kind == "quotient" and t.var in a.args[0].free:
                    return a.args[1]
        if isinstance(u, Entry):
            for d in n.theory.definitions.get(u.name, ()):
                for pattern, i in zip(d.indices, u.indices, strict=False):
                    if i is Index.var(t.var) and pattern.free:
                        if not pattern.plain:
                            sizes = dict(zip(d.sizes, u.sizes, strict=False))
                            return flattened(pattern)[2].substitute({}, sizes)
                        k = max((abs(c) for _, c in pattern.terms), default=1)
                        if k > 1:
                            return Index((), k)
    if top.kind == "product" and len(top.args) == 2 and high.terms[0][1] == 1:
        return max([a for a in top.args if a in n.widths] or top.args, key=str)
    known = [w for w in n.widths if w.is_constant and high.terms[0][1] % w.const == 0]
    return known[0] if len(known) == 1 else None


def block_widths(terms: Iterable[Term]) -> frozenset[Index]:
    """The lengths w of the blocks in positions like `w*i + k` of entries."""
    found = set()
    for u in terms:
        for i in own_indices(u):
            apart = [a for a, c in i.terms if a.kind == "index" and c == 1]
            for a, c in i.terms if apart else ():
                if a.kind == "product" and c == 1:
                    sizes = [x for x in a.args if not x.free]
                    if len(sizes) == 1 and len(a.args) == 2:
                        found.add(sizes[0])
                elif a.kind == "index" and c > 1:
                    found.add(Index.of(c))
    return frozenset(found)


def _blocks(i: Index, var: str) -> int | None:
    """c of a position `w*(var + c) + rest` in blocks of length w; None when it is no such position."""
    k = i.coefficient(var)
    if k > 1 and i.linear_in(var):
        return i.const // k
    for a, c in i.terms:
        if a.kind == "product" and c == 1 and len(a.args) == 2 and Index.var(var) in a.args:
            (width,) = [x for x in a.args if x is not Index.var(var)] or [Index()]
            if len(width.terms) == 1 and not width.free and width.terms[0][1] == 1:
                return next((n for b, n in i.terms if b is width.terms[0][0]), 0)
    return None


def _permutations(t: Term) -> int:
    """How often permutations occur in the indices of a term."""
    return sum(1 for u in subterms(t) for i in own_indices(u) if not i.plain for a in atoms(i) if a.name and a.args)
