"""Subscripts: positions, slices, new axes, arrays of positions.

A position that might be negative is refused: Python would count it from the end, a term would not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from derivations.kernel.linear import entails
from derivations.language.term import Guard, Index, at_least, equal, guard, less, quotient
from derivations.lifting.operations.table import Value, constant, integer
from derivations.lifting.symbolic.arrays import Array, Entry, places, real
from derivations.lifting.symbolic.clipped import ways
from derivations.lifting.symbolic.not_lifted import NotLifted
from derivations.lifting.symbolic.scope import Scope
from derivations.lifting.symbolic.sizes import exact_quotient, factors
from derivations.lifting.symbolic.truth_values import chosen, condition, pieces
from derivations.notes import Note

ONE = Index.of(1)
MAX_POSITIONS = 64
"""Lists of positions in an array up to this length are read one by one."""


@dataclass(frozen=True)
class Slice:
    """`lower:upper:step` with evaluated bounds."""

    lower: Value = None
    upper: Value = None
    step: Value = None


def known_at_least(scope: Scope, i: Index, low: Index | int, facts: Guard = ()) -> bool:
    """Whether an index is at least `low` wherever the loops and conditions around it hold."""
    above = scope.sizes.resolve(i - low)
    if above.free & scope.minima.keys():
        return all(known_at_least(scope, j, 0, guard(*facts, *when)) for j, when in ways(above, scope.minima))
    known = guard(*scope.known, *map(scope.settled, facts))
    if entails(known, at_least(above, 0)):
        return True
    sizes = [a for a in factors(above) if a.kind == "size"] if not above.const else []
    parts = (exact_quotient(above, Index(((a, 1),))) for a in sizes)  # B*n - B*k - B >= 0 where k < n
    return any(p is not None and entails(known, at_least(p, 0)) for p in parts)


def wrapped(scope: Scope, i: Index, size: Index, facts: Guard = ()) -> Index:
    """A position counted from the end when it is negative by form; refused where it might be negative."""
    size = scope.sizes.resolve(size)
    i = scope.sizes.resolve(i)
    if _below_zero(scope, i, facts):
        i = i + size
    elif i.free and not known_at_least(scope, i, 0, facts):
        raise NotLifted(f"the index {i} may be negative, which would count from the end")
    elif not i.free:
        _suppose(scope, i)
    if i.is_constant and size.is_constant and not 0 <= i.const < size.const:
        raise NotLifted(f"the index {i} is outside an axis of size {size}", code="shape-conflict")
    return i


def _below_zero(scope: Scope, i: Index, facts: Guard = ()) -> bool:
    """Whether a position is negative, so that it counts from the end."""
    if i.free:
        return known_at_least(scope, Index() - i, 1, facts)
    return bool(i.is_constant and i.const < 0) or bool(i.terms and all(c < 0 for _, c in i.terms) and i.const <= 0)


def bounds(scope: Scope, s: Slice, size: Index) -> tuple[Index, Index, int]:
    """Start, length and step of a slice of an axis; what it needs of the size is assumed."""
    step = 1 if s.step is None else constant(s.step, "a known step")
    if step < 1:
        raise NotLifted("a slice with a negative step")
    size = scope.sizes.resolve(size)
    if step > 1 and s.upper is None and not size.is_constant:
        scope.sizes.divided(size, Index.of(step), "a slice with a step")
        size = scope.sizes.resolve(size)
    low = Index() if s.lower is None else _bound(scope, integer(s.lower), size)
    high = size if s.upper is None else _bound(scope, integer(s.upper), size)
    if size.is_constant and high.is_constant:
        high = Index.of(min(high.const, size.const))
    length = scope.sizes.resolve(high - low)
    if length.is_constant and length.const < 1:
        raise NotLifted("an empty slice", code="shape-conflict")
    _suppose(scope, low)
    _suppose(scope, length)
    if s.upper is not None and high is not size and not known_at_least(scope, size, high):
        if high.free and not _clips(scope, low, size):
            raise NotLifted(f"the bound {high} may lie beyond the axis, where a slice would end earlier")
        if high.free:
            high = scope.smaller(high, size)
            return low, high - low, step
        scope.assume(Note("size-at-least", (size, high)))
    elif not size.is_constant and s.lower is not None and low.is_constant and low.const > 0:
        scope.assume(Note("size-above", (size, low)))
    return low, quotient(length + (step - 1), step) if step > 1 else length, step


def _clips(scope: Scope, low: Index, size: Index) -> bool:
    """Whether a slice that would reach beyond an axis begins inside of it: then it ends with the axis."""
    return scope.tails and known_at_least(scope, size, low)


def _bound(scope: Scope, i: Index, size: Index) -> Index:
    i = scope.sizes.resolve(i)
    negative = _below_zero(scope, i)
    if not negative and i.free and not known_at_least(scope, i, 0):
        raise NotLifted(f"the bound {i} may be negative, which would count from the end")
    if not negative:
        _suppose(scope, i)
    return i + size if negative else i


def _suppose(scope: Scope, i: Index) -> None:
    """Suppose that a number of sizes is not negative: it would count from the end, or a slice would be cut."""
    if i.free or known_at_least(scope, i, 0):
        return
    above = Index(((a, c) for a, c in i.terms if c > 0), max(i.const, 0))
    scope.assume(Note("size-at-least", (above, above - i)))


@dataclass(frozen=True, eq=False)
class Coordinate:
    """One of the index arrays of the places where a mask holds: `np.triu_indices(n)[0]`."""

    mask: Array
    axis: int


def coordinates(mask: Array) -> tuple[Coordinate, ...]:
    """The index arrays of the places where a mask holds, one for each axis."""
    return tuple(Coordinate(mask, k) for k in range(mask.rank))


def is_mask(x: Value) -> bool:
    return isinstance(x, Array) and x.rank > 0 and x.kind == "bool"


def _masks(given: list[Value]) -> list[Value]:
    """Index arrays that belong together as the mask that they come from."""
    found: list[Value] = []
    rest = list(given)
    while rest:
        x = rest.pop(0)
        if isinstance(x, Coordinate):
            together = [x, *rest[: x.mask.rank - 1]]
            axes = [c.axis for c in together if isinstance(c, Coordinate) and c.mask is x.mask]
            if sorted(axes) != list(range(x.mask.rank)):
                raise NotLifted("some of the index arrays that belong together")
            del rest[: x.mask.rank - 1]
            at = places(x.mask.rank)
            back = [at[axes.index(k)] for k in range(x.mask.rank)]
            x = Array(tuple(x.mask.shape[k] for k in axes), x.mask.at(back))
        found.append(x)
    return found


def spelled_out(a: Array, items: Value) -> list[Value]:
    """The items of a subscript, one for each axis and each None, `...` written out; a mask stands for all its axes."""
    given = _masks(list(items) if isinstance(items, tuple) else [items])
    used = sum(x.rank if is_mask(x) else 1 for x in given if x is not None and x is not Ellipsis)
    if used > a.rank:
        raise NotLifted(f"{used} indices for an array of {a.rank} axes", code="shape-conflict")
    if given.count(Ellipsis) > 1:
        raise NotLifted("more than one ... in a subscript")
    rest: list[Value] = [Slice()] * (a.rank - used)
    if Ellipsis in given:
        k = given.index(Ellipsis)
        return [*given[:k], *rest, *given[k + 1 :]]
    return [*given, *rest]


def subscript(scope: Scope, a: Array, items: Value) -> Array:
    """`a[items]`."""
    given = spelled_out(a, items)
    shape: list[Index] = []
    parts: list[Callable[[tuple[Index, ...], int], Index]] = []
    given = [_written_out(scope, x) for x in given]
    fancy = [k for k, x in enumerate(given) if _is_fancy(x)]
    axis = 0
    lengths = _lengths_at(scope, a, given)
    arrays = [_positions(scope, given[k], lengths[k]) for k in fancy]
    shapes = [(Index.of(len(p)),) if isinstance(p, list) else p.shape for p in arrays]
    common = scope.broadcast(shapes, "fancy indices") if arrays else ()
    listed = max((len(p) for p in arrays if isinstance(p, list)), default=0)
    start = 0
    view = not fancy
    apart = _stand_apart(scope, a, given, fancy)
    if apart:
        shape += common
    for k, x in enumerate(given):
        if x is None:
            shape.append(ONE)
            continue
        size = scope.sizes.resolve(a.shape[axis])
        if k in fancy:
            if k == fancy[0] and not apart:
                start = len(shape)
                shape += common
            p = arrays[fancy.index(k)]
            if isinstance(p, list):
                known = [wrapped(scope, x, size) for x in p]
                parts.append(lambda at, n, known=known: known[n])  # type: ignore[misc]
            else:
                parts.append(lambda at, n, p=p, s=start, size=size: _chosen_place(scope, p, at[s : s + len(common)], size))  # type: ignore[misc]  # fmt: skip
        elif isinstance(x, Slice) and _is_reversal(x):
            axis_here = len(shape)
            shape.append(size)
            parts.append(lambda at, n, k=axis_here, size=size: size - 1 - at[k])  # type: ignore[misc]
        elif isinstance(x, Slice):
            low, length, step = bounds(scope, x, size)
            axis_here = len(shape)
            shape.append(length)
            parts.append(lambda at, n, k=axis_here, low=low, step=step: at[k] * step + low)  # type: ignore[misc]
        else:
            told = scope.positions(x, size) if isinstance(x, Array) and not x.rank and x.kind == "real" else None
            i = wrapped(scope, integer(x if told is None else told, "an index"), size)
            parts.append(lambda at, n, i=i: i)  # type: ignore[misc]
        axis += 1

    def entry(at: tuple[Index, ...]) -> Entry:
        if not listed:
            return a.at([p(at, 0) for p in parts])
        return picked(at[start + len(common) - 1], [a.at([p(at, n) for p in parts]) for n in range(listed)])

    return scope.look(a, shape, entry) if view else scope.make(shape, entry, a)


def picked(i: Index, entries: Sequence[Entry]) -> Entry:
    """Entry number i of a known list."""
    if i.is_constant:
        return entries[i.const]
    if all(isinstance(e, tuple) for e in entries):
        parts: list[Any] = []
        for k, e in enumerate(entries):
            parts += [(*g, equal(i, k)) for g in e]  # type: ignore[union-attr]
        return condition(*parts)
    result = real(entries[-1])
    for k in range(len(entries) - 2, -1, -1):
        result = chosen(condition((equal(i, k),)), real(entries[k]), result)
    return result


def _is_reversal(s: Slice) -> bool:
    """`[::-1]`."""
    return s.lower is None and s.upper is None and s.step is not None and integer(s.step) is Index.of(-1)


def _stand_apart(scope: Scope, a: Array, given: list[Value], fancy: list[int]) -> bool:
    """Whether other subscripts stand between index arrays, so that their axes come first; NumPy counts numbers, too."""
    together = list(fancy)
    if fancy and (a.library or scope.library) == "numpy":
        together = sorted([*fancy, *(k for k, x in enumerate(given) if isinstance(x, Array) and not x.rank)])
    return bool(together) and together != list(range(together[0], together[-1] + 1))


def integers(scope: Scope, positions: list[Value]) -> Array:
    """A list of positions in arithmetic progression as an array."""
    known = [integer(p, "an index") for p in positions]
    steps = _steps(known)
    if not known or len(steps) > 1:
        raise NotLifted("a list of indices that are not an arithmetic progression")
    step = steps.pop() if steps else Index.of(1)
    return scope.make([Index.of(len(known))], lambda at: known[0] + at[0] * step)


def _written_out(scope: Scope, x: Value) -> Value:
    """An array of positions that the code writes out, as a list of them."""
    if not isinstance(x, Array) or x.rank != 1 or x.kind != "real" or x.real((Index.var("x0"),)).heads:
        return x
    size = scope.sizes.resolve(x.shape[0])
    if not size.is_constant or not 0 < size.const <= MAX_POSITIONS:
        return x
    known = [pieces(x.real((Index.of(k),))) for k in range(size.const)]
    values = [p[0][1].value for p in known if p is not None and len(p) == 1]
    if len(values) < size.const or any(v.q != 1 for v in values):
        return x
    return [Array((), Index.of(int(v.p))) for v in values]


def _is_fancy(x: Value) -> bool:
    return isinstance(x, list) or (isinstance(x, Array) and x.rank > 0)


def _steps(known: list[Index]) -> set[Index]:
    return {b - a for a, b in pairwise(known)}


def _lengths_at(scope: Scope, a: Array, given: Sequence[Value]) -> dict[int, Index]:
    """The length of the axis that each item of a subscript is about, but None."""
    axes = iter(a.shape)
    return {k: scope.sizes.resolve(next(axes)) for k, x in enumerate(given) if x is not None}


def chosen_by(scope: Scope, a: Array, axis: int, index: Value) -> Array:
    """`gather`: the entries of an array at the positions that another one of as many axes gives along one axis."""
    x = index if isinstance(index, Array) else None
    if x is None or x.rank != a.rank:
        raise NotLifted("gather with an index array of other axes")
    length = scope.sizes.resolve(a.shape[axis])
    positions = _positions(scope, x, length)
    if isinstance(positions, list):
        raise NotLifted("gather with a list of positions")

    def entry(at: tuple[Index, ...]) -> Entry:
        i = positions.at(at)
        if not isinstance(i, Index):
            raise NotLifted("indices that are data")
        ranges = [c for p, s in zip(at, positions.shape, strict=True) for c in (at_least(p, 0), less(p, s))]
        i = wrapped(scope, i, length, guard(*ranges))
        return a.at([*at[:axis], i, *at[axis + 1 :]])

    return scope.make(scope.shape(x), entry, a)


def _positions(scope: Scope, x: Value, length: Index) -> Array | list[Index]:
    """Index arrays of positions on an axis of some length; a list of positions in no regular order stays one."""
    if isinstance(x, list):
        known = [integer(p, "an index") for p in x]
        if len(known) > MAX_POSITIONS:
            raise NotLifted(f"a list of more than {MAX_POSITIONS} indices")
        return known if len(_steps(known)) > 1 else integers(scope, x)
    told = scope.positions(x, length) if isinstance(x, Array) and x.kind == "real" else None
    if told is not None:
        return told
    if not isinstance(x, Array) or x.kind == "real":
        raise NotLifted("indices that are computed from data")
    if x.kind == "bool":
        raise NotLifted("a choice of entries by a mask: how many there are depends on the mask")
    return x


def _chosen_place(scope: Scope, p: Array, at: tuple[Index, ...], size: Index) -> Index:
    i = scope.spread(p, at)
    if not isinstance(i, Index):
        raise NotLifted("indices that are data")
    ranges = [c for x, s in zip(at, p.shape, strict=False) for c in (at_least(x, 0), less(x, s))]
    return wrapped(scope, i, size, guard(*ranges))
