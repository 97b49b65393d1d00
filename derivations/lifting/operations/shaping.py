"""Rows of the operations that move entries: transposes, views, slices, joining, splitting, diagonals, triangles."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

from derivations.language.term import ZERO, Index, TermError, at_least, equal, less, quotient, remainder
from derivations.lifting.operations.indexing import picked
from derivations.lifting.operations.table import (
    Op,
    Stacked,
    Struct,
    Value,
    array,
    constant,
    describe,
    dims,
    integer,
    op,
)
from derivations.lifting.symbolic.arrays import Array, Entry, as_truth, real, scalar, truth
from derivations.lifting.symbolic.not_lifted import NotLifted
from derivations.lifting.symbolic.scope import Scope
from derivations.lifting.symbolic.sizes import exact_quotient
from derivations.lifting.symbolic.truth_values import all_of, chosen, condition
from derivations.notes import Note

ONE = Index.of(1)


def permuted(scope: Scope, a: Array, order: Sequence[int]) -> Array:
    """Axis k of the result is axis order[k] of `a`."""
    shape = [a.shape[k] for k in order]

    def entry(at: tuple[Index, ...]) -> Entry:
        place = [ONE] * a.rank
        for k, i in zip(order, at, strict=True):
            place[k] = i
        return a.at(place)

    return scope.look(a, shape, entry)


def swap(scope: Scope, x: Value, dim0: Value, dim1: Value) -> Array:
    a = array(x)
    i, j = scope.axis(a, dim0), scope.axis(a, dim1)
    order = list(range(a.rank))
    order[i], order[j] = j, i
    return permuted(scope, a, order)


def _transpose(scope: Scope, x: Value, axes: Value, dim0: Value = None, dim1: Value = None) -> Array:
    """torch swaps two axes, NumPy permutes all of them."""
    a = array(x)
    given = [k for k in (*axes, dim0, dim1) if k is not None]
    if a.library == "torch":
        if len(given) != 2:
            raise NotLifted("torch's transpose needs two axes")
        return swap(scope, a, given[0], given[1])
    return _permute(scope, a, given) if given else permuted(scope, a, list(range(a.rank))[::-1])


def _permute(scope: Scope, x: Value, shape: Value) -> Array:
    a = array(x)
    order = [scope.axis(a, k) for k in shape]
    if sorted(order) != list(range(a.rank)):
        raise NotLifted(f"needed an order of {a.rank} axes, found {order}", code="shape-conflict")
    return permuted(scope, a, order)


def transposed(scope: Scope, a: Array) -> Array:
    """`.T`: all axes in reverse."""
    return permuted(scope, a, list(range(a.rank))[::-1])


def _moveaxis(scope: Scope, x: Value, source: Value, destination: Value) -> Array:
    a = array(x)
    i, j = scope.axis(a, source), scope.axis(a, destination)
    order = [k for k in range(a.rank) if k != i]
    order.insert(j, i)
    return permuted(scope, a, order)


def _unsqueeze(scope: Scope, x: Value, dim: Value) -> Array:
    a = array(x)
    k = scope.axis(a, dim, extra=1)
    return scope.look(a, (*a.shape[:k], ONE, *a.shape[k:]), lambda at: a.at((*at[:k], *at[k + 1 :])))


def _squeeze(scope: Scope, x: Value, dim: Value) -> Array:
    a = array(x)
    shape = scope.shape(a)
    gone = [k for k, s in enumerate(shape) if s is ONE]
    if dim is not None:
        axes = [scope.axis(a, d) for d in (dim if isinstance(dim, (tuple, list)) else [dim])]
        if (a.library or scope.library) == "numpy":  # NumPy refuses other sizes, torch leaves the axis as it is
            shape = tuple(scope.sizes.require(s, ONE, "squeeze") if k in axes else s for k, s in enumerate(shape))
            gone = axes
        elif any(not shape[k].is_constant for k in axes):
            raise NotLifted("squeeze of an axis whose size is a symbol: it goes only where the size is 1")
        gone = [k for k in gone if k in axes]
    elif any(not s.is_constant for s in shape):
        scope.assume(Note("squeezed"))
    kept = [k for k in range(a.rank) if k not in gone]

    def entry(at: tuple[Index, ...]) -> Entry:
        place = [Index.of(0)] * a.rank
        for k, i in zip(kept, at, strict=True):
            place[k] = i
        return a.at(place)

    return scope.look(a, [shape[k] for k in kept], entry)


def _expand(scope: Scope, x: Value, shape: Value) -> Array:
    a = array(x)
    sizes = [None if _minus_one(s) else integer(s) for s in shape]
    lead = len(sizes) - a.rank
    if lead < 0:
        raise NotLifted("expand to fewer axes", code="shape-conflict")
    wanted = tuple((a.shape[k - lead] if s is None else s) for k, s in enumerate(sizes))
    result = scope.broadcast([a.shape, wanted], "expand")
    return scope.look(a, result, lambda at: scope.spread(a, at))


def _minus_one(s: Value) -> bool:
    return isinstance(s, Array) and s.entry is Index.of(-1)


def product(sizes: Sequence[Index]) -> Index:
    total = ONE
    for s in sizes:
        total = total * s
    return total


def reshape(scope: Scope, x: Value, shape: Value) -> Array:
    """Row-major: the position in memory stays."""
    a = array(x)
    old = list(scope.shape(a))
    new: list[Any] = [None if _minus_one(s) else scope.sizes.resolve(integer(s)) for s in shape]
    if new.count(None) > 1:
        raise NotLifted("more than one -1 in a shape")
    if None in new:
        rest = product([s for s in new if s is not None])
        new[new.index(None)] = scope.sizes.divided(product(old), rest, "view")
    scope.sizes.require(product(old), product(new), "view")
    old, new = [scope.sizes.resolve(s) for s in old], [scope.sizes.resolve(s) for s in new]
    groups = _groups(old, new)

    def entry(at: tuple[Index, ...]) -> Entry:
        place: list[Index] = []
        for mine, other, start in groups:
            flat = Index()
            for i, s in zip(at[start : start + len(other)], other, strict=True):
                flat = flat * s + (Index() if s is ONE else i)
            place += unflatten(flat, mine)
        return a.at(place)

    return scope.look(a, new, entry)


def unflatten(flat: Index, sizes: Sequence[Index]) -> list[Index]:
    """The place whose position in row-major order is `flat`."""
    if len([s for s in sizes if s is not ONE]) <= 1:
        return [Index() if s is ONE else flat for s in sizes]
    found: list[Index] = []
    for k, s in enumerate(sizes):
        if s is ONE:
            found.append(Index())
            continue
        rest = product(sizes[k + 1 :])
        if rest is ONE:
            found.append(flat)
            continue
        try:
            head = quotient(flat, rest)
        except TermError as error:
            raise NotLifted(f"view: {error}") from None
        found.append(head)
        flat = flat - head * rest
    return found


def _groups(old: list[Index], new: list[Index]) -> list[tuple[list[Index], list[Index], int]]:
    """Neighbouring axes that are cut and joined among themselves: (old sizes, new sizes, first new axis)."""
    groups: list[tuple[list[Index], list[Index], int]] = []
    i = j = 0
    while i < len(old) or j < len(new):
        start, mine, other = j, old[i : i + 1], new[j : j + 1]
        i, j = i + len(mine), j + len(other)
        while product(mine) is not product(other):
            less_of_mine = exact_quotient(product(other), product(mine)) is not None
            less_of_other = exact_quotient(product(mine), product(other)) is not None
            if i < len(old) and (not less_of_other or j >= len(new)):
                mine.append(old[i])
                i += 1
            elif j < len(new):
                other.append(new[j])
                j += 1
            else:
                raise NotLifted("view: the sizes do not match", code="shape-conflict")
            if not less_of_mine and not less_of_other and j < len(new) and product(mine) is not product(other):
                other.append(new[j])
                j += 1
        groups.append((mine, other, start))
    return groups


def _flatten(scope: Scope, x: Value, start_dim: Value, end_dim: Value) -> Array:
    a = array(x)
    if not a.rank:
        return reshape(scope, a, [scalar(1)])
    i, j = scope.axis(a, start_dim), scope.axis(a, end_dim)
    joined = product(scope.shape(a)[i : j + 1])
    return reshape(scope, a, [Array((), s) for s in (*a.shape[:i], joined, *a.shape[j + 1 :])])


# --- joining and splitting ------------------------------------------------------------------------------------------


def _entries(values: Value) -> list[Array]:
    if isinstance(values, Stacked):
        raise NotLifted("a list of symbolic length here")
    if not isinstance(values, (list, tuple, Struct)):
        raise NotLifted(f"needed a list of arrays, found {describe(values)}")
    values = values.items if isinstance(values, Struct) else values
    return [array(v) for v in values]


def stack(scope: Scope, values: Value, dim: Value) -> Array:
    """A new axis; a list of symbolic length is stacked already."""
    if isinstance(values, (Stacked, Array)):
        a = array(values)
        k = scope.axis(a, dim)
        order = list(range(1, a.rank))
        order.insert(k, 0)
        return scope.make(*_as_new(permuted(scope, a, order)))
    arrays = _entries(values)
    if not arrays:
        raise NotLifted("an empty list")
    shape = list(arrays[0].shape)
    for a in arrays[1:]:
        if a.rank != len(shape):
            raise NotLifted("stack of arrays with different numbers of axes", code="shape-conflict")
        shape = [scope.sizes.require(s, t, "stack") for s, t in zip(shape, a.shape, strict=True)]
    k = scope.axis(arrays[0], dim, extra=1)
    if all(a.kind == "int" for a in arrays) and not shape:
        step = {b.entry - a.entry for a, b in pairwise(arrays)}  # type: ignore[operator]
        if len(step) == 1:
            (by,) = step
            first = arrays[0].entry
            return scope.make([Index.of(len(arrays))], lambda at: first + at[0] * by)  # type: ignore[operator, arg-type]
    made = scope.make(
        (*shape[:k], Index.of(len(arrays)), *shape[k:]),
        lambda at: picked(at[k], [a.at((*at[:k], *at[k + 1 :])) for a in arrays]),
        _widest(arrays),
    )
    return as_truth(made, *arrays)


def _widest(arrays: Sequence[Array]) -> Array:
    """One whose type of numbers is that of all of them together."""
    real = (a for a in arrays if not a.whole)
    return next(real, next((a for a in arrays if a.kind != "bool" and a.numbers != "short"), arrays[0]))


def _as_new(a: Array) -> tuple[Sequence[Index], Callable[[tuple[Index, ...]], Entry], Array]:
    return a.shape, a.at, a


def concatenate(scope: Scope, values: Value, dim: Value) -> Array:
    """Arrays one after the other along an axis."""
    if isinstance(values, Stacked):
        a = values.array
        k = scope.axis(a, dim, extra=-1)
        order = list(range(1, a.rank))
        order.insert(k, 0)
        moved = permuted(scope, a, order)
        own = scope.shape(moved)
        sizes = [*own[:k], own[k] * own[k + 1], *own[k + 2 :]]
        return scope.make(*_as_new(reshape(scope, moved, [Array((), s) for s in sizes])))
    arrays = _entries(values)
    if len(arrays) == 1:
        return arrays[0]
    k = scope.axis(arrays[0], dim)
    shape: list[Index] = list(arrays[0].shape)
    starts = [Index()]
    for a in arrays:
        if a.rank != len(shape):
            raise NotLifted("arrays with different numbers of axes are joined", code="shape-conflict")
        shape = [
            s if j == k else scope.sizes.require(s, t, "cat")
            for j, (s, t) in enumerate(zip(shape, a.shape, strict=True))
        ]
        starts.append(starts[-1] + scope.sizes.resolve(a.shape[k]))
    shape[k] = scope.sizes.resolve(starts[-1])

    def entry(at: tuple[Index, ...]) -> Entry:
        def one(n: int) -> Entry:
            return arrays[n].at((*at[:k], at[k] - starts[n], *at[k + 1 :]))

        result = real(one(len(arrays) - 1))
        for n in range(len(arrays) - 2, -1, -1):
            result = chosen(condition((less(at[k], starts[n + 1]),)), real(one(n)), result)
        return result

    return as_truth(scope.make(shape, entry, _widest(arrays)), *arrays)


def _part(scope: Scope, a: Array, k: int, start: Index, length: Index) -> Array:
    shape = (*a.shape[:k], length, *a.shape[k + 1 :])
    return scope.look(a, shape, lambda at: a.at((*at[:k], at[k] + start, *at[k + 1 :])))


def _chunk(scope: Scope, x: Value, chunks: Value, dim: Value) -> Value:
    """torch's parts, of which the last may be shorter, and which may be fewer than were asked for."""
    a = array(x)
    k, parts = scope.axis(a, dim), integer(chunks)
    known = _known(scope, a.shape[k], parts)
    if known is not None:
        return _split(scope, a, scalar(-(-known[0] // known[1])), scalar(k))
    return _cut(scope, a, k, parts, scope.sizes.divided(a.shape[k], parts, "chunk"))


def _known(scope: Scope, size: Index, by: Index) -> tuple[int, int] | None:
    """Two known lengths of which the second does not divide the first."""
    size, by = scope.sizes.resolve(size), scope.sizes.resolve(by)
    if by.is_constant and by.const > 0 and size.sizes and size.sizes <= scope.sizes.concrete.keys() and not size.free:
        value = size.evaluate({}, scope.sizes.concrete)
        if value % by.const and scope.sizes.fixed(size - value):
            size = scope.sizes.resolve(size)
    uneven = size.is_constant and by.is_constant and by.const > 0 and size.const % by.const
    return (size.const, by.const) if uneven else None


def _sections(scope: Scope, x: Value, chunks: Value, dim: Value) -> Value:
    """NumPy's parts: between given places, or as many as are asked for, the first ones longer by one."""
    a = array(x)
    k = scope.axis(a, dim)
    if isinstance(chunks, (list, tuple)):
        ends = [*map(integer, chunks), scope.sizes.resolve(a.shape[k])]
        return _split(scope, a, [scalar(e - b) for b, e in pairwise([Index(), *ends])], scalar(k))
    known = _known(scope, a.shape[k], integer(chunks))
    if known is not None:
        size, parts = known
        return _split(scope, a, [scalar(size // parts + (n < size % parts)) for n in range(parts)], scalar(k))
    return _cut(scope, a, k, integer(chunks), scope.sizes.divided(a.shape[k], integer(chunks), "split"))


def _equal_sections(scope: Scope, x: Value, chunks: Value, dim: Value) -> Value:
    """`numpy.split`, which refuses a number of parts that does not divide the length."""
    a = array(x)
    if not isinstance(chunks, (list, tuple)):
        scope.sizes.divided(a.shape[scope.axis(a, dim)], integer(chunks), "split")
    return _sections(scope, a, chunks, dim)


def _split(scope: Scope, x: Value, sizes: Value, dim: Value) -> Value:
    a = array(x)
    k = scope.axis(a, dim)
    known = None if isinstance(sizes, (list, tuple)) else _known(scope, a.shape[k], integer(sizes))
    if known is not None:
        size, each = known
        sizes = [*[scalar(each)] * (size // each), scalar(size % each)]
    if isinstance(sizes, (list, tuple)):
        start, found = Index(), []
        for s in sizes:
            length = scope.sizes.resolve(integer(s))
            if length.is_constant and length.const < 1:
                raise NotLifted("a part without entries", code="shape-conflict")
            found.append(_part(scope, a, k, start, length))
            start = start + length
        scope.sizes.require(a.shape[k], start, "split")
        return tuple(found)
    width = integer(sizes)
    return _cut(scope, a, k, scope.sizes.divided(a.shape[k], width, "split"), width)


def _cut(scope: Scope, a: Array, k: int, parts: Index, width: Index) -> Value:
    """Equal parts along an axis: a tuple, or a list of symbolic length."""
    parts, width = scope.sizes.resolve(parts), scope.sizes.resolve(width)
    if parts.is_constant:
        if parts.const > 64:
            raise NotLifted("more than 64 parts")
        return tuple(_part(scope, a, k, width * n, width) for n in range(parts.const))
    shape = (parts, *a.shape[:k], width, *a.shape[k + 1 :])
    return Stacked(scope.look(a, shape, lambda at: a.at((*at[1 : k + 1], at[0] * width + at[k + 1], *at[k + 2 :]))))


def repeat_interleave(scope: Scope, x: Value, repeats: Value, dim: Value) -> Array:
    a = array(x)
    if dim is None:
        a, dim = (a if a.rank == 1 else _flatten(scope, a, scalar(0), scalar(-1))), scalar(0)
    k, by = scope.axis(a, dim), integer(repeats)
    shape = (*a.shape[:k], a.shape[k] * by, *a.shape[k + 1 :])
    return scope.make(shape, lambda at: a.at((*at[:k], quotient(at[k], by), *at[k + 1 :])), a)


def _repeat(scope: Scope, x: Value, shape: Value, dim: Value) -> Array:
    """torch repeats the whole, NumPy each entry."""
    if array(x).library != "numpy":
        if dim is not None:
            raise NotLifted("torch's repeat has no axis")
        return _tile(scope, x, shape)
    given = list(shape)
    if len(given) not in (1, 2) or (len(given) == 2 and dim is not None):
        raise NotLifted("NumPy's repeat needs a number and an axis")
    return repeat_interleave(scope, x, given[0], given[1] if len(given) == 2 else dim)


def _tile(scope: Scope, x: Value, shape: Value) -> Array:
    a = array(x)
    by = [integer(s) for s in shape]
    lead = max(len(by) - a.rank, 0)
    by = [ONE] * (a.rank - len(by)) + by
    own = [ONE] * lead + list(scope.shape(a))

    def entry(at: tuple[Index, ...]) -> Entry:
        place = []
        for i, s, n in zip(at[lead:], own[lead:], by[lead:], strict=True):
            place.append(Index() if s is ONE else i if n is ONE else remainder(i, s))
        return a.at(place)

    return scope.make([s * n for s, n in zip(own, by, strict=True)], entry, a)


def _flip(scope: Scope, x: Value, shape: Value) -> Array:
    a = array(x)
    axes = [scope.axis(a, k) for k in shape] or list(range(a.rank))
    return scope.make(a.shape, lambda at: a.at([a.shape[k] - 1 - i if k in axes else i for k, i in enumerate(at)]), a)


# --- diagonals and triangles ----------------------------------------------------------------------------------------


def _diag(scope: Scope, x: Value, diagonal: Value) -> Array:
    a = array(x)
    by = constant(diagonal, "a known diagonal")
    if a.rank == 1:
        n = scope.sizes.resolve(a.shape[0]) + abs(by)
        own = 0 if by >= 0 else 1
        made = scope.make((n, n), lambda at: chosen(condition((equal(at[1] - at[0], by),)), a.real([at[own]]), ZERO), a)
        return as_truth(made, a)
    if a.rank == 2:
        n = scope.sizes.require(a.shape[0], a.shape[1], "diag")
        if by and not n.is_constant:
            scope.assume(Note("size-above", (n, str(abs(by)))))
        return scope.make((n - abs(by),), lambda at: a.at((at[0] + max(-by, 0), at[0] + max(by, 0))), a)
    raise NotLifted("the diagonal of an array of more than two axes")


def _diag_embed(scope: Scope, x: Value) -> Array:
    a = array(x)
    shape = (*a.shape, a.shape[-1])
    made = scope.make(shape, lambda at: chosen(condition((equal(at[-1], at[-2]),)), a.real(at[:-1]), ZERO), a)
    return as_truth(made, a)


def triangle(upper: bool) -> Callable[..., Array]:
    def build(scope: Scope, x: Value, diagonal: Value) -> Array:
        a, k = array(x), integer(diagonal)
        if a.rank < 2:
            raise NotLifted("a triangle of an array with fewer than two axes", code="shape-conflict")

        def entry(at: tuple[Index, ...]) -> Entry:
            inside = at_least(at[-1] - at[-2], k) if upper else at_least(k, at[-1] - at[-2])
            if a.kind == "bool":
                return all_of(truth(a.at(at)), condition((inside,)))
            return chosen(condition((inside,)), a.real(at), ZERO)

        return scope.make(a.shape, entry, a)

    return build


def _size(scope: Scope, x: Value, dim: Value) -> Value:
    a = array(x)
    shape = tuple(Array((), s) for s in scope.shape(a))
    return shape if dim is None else shape[scope.axis(a, dim)]


def _stack_rows(scope: Scope, values: Value) -> Array:
    arrays = _entries(values)
    return (
        stack(scope, arrays, scalar(0)) if all(a.rank == 1 for a in arrays) else concatenate(scope, arrays, scalar(0))
    )


def _hstack(scope: Scope, values: Value) -> Array:
    if isinstance(values, Stacked):
        return concatenate(scope, values, scalar(0 if values.array.rank == 2 else 1))
    arrays = _entries(values)
    return concatenate(scope, arrays, scalar(0 if arrays[0].rank == 1 else 1))


def _refused(reason: str) -> Callable[..., Value]:
    def build(scope: Scope, x: Value, **_: Value) -> Value:
        raise NotLifted(f"{reason}: {describe(x)}")

    return build


ROWS: tuple[Op, ...] = (
    op("torch.transpose torch.swapaxes .swapaxes numpy.swapaxes torch.swapdims .swapdims", "x dim0 dim1", swap,
       "torch.transpose(x, 0, 1)",
       "b.swapaxes(0, 2)", "np.swapaxes(b, 0, 1)"),
    op(".transpose", "x *axes dim0=None dim1=None", _transpose, "b.transpose(dim0=1, dim1=2)",
       "x.transpose(0, 1)", "b.transpose(-2, -1)"),
    op("numpy.transpose", "x axes=None", lambda s, x, axes: _permute(s, x, axes) if axes is not None else transposed(s, array(x)),
       "np.transpose(b)", "np.transpose(b, (1, 0, 2))"),
    op(".permute", "x *shape", _permute, "b.permute(2, 0, 1)"),
    op("torch.permute", "x dims", lambda s, x, dims: _permute(s, x, dims), "torch.permute(b, (1, 2, 0))"),
    op("torch.t .t", "x", lambda s, x: transposed(s, array(x)), "torch.t(x)"),
    op("torch.movedim numpy.moveaxis .movedim torch.moveaxis .moveaxis", "x source destination", _moveaxis,
       "torch.movedim(b, 0, 2)",
       "np.moveaxis(b, 2, 0)"),
    op("torch.unsqueeze .unsqueeze numpy.expand_dims", "x dim", _unsqueeze, "x.unsqueeze(1)", "x.unsqueeze(-1)",
       "np.expand_dims(x, axis=0)"),
    op("torch.squeeze .squeeze numpy.squeeze", "x dim=None", _squeeze, "x[:, None].squeeze(1)", "x[None].squeeze()",
       "np.squeeze(x[:, :1], axis=1)"),
    op(".expand", "x *shape", _expand, "v.expand(5, 3)", "x[:, None].expand(-1, 4, -1)"),
    op(".expand_as", "x y", lambda s, x, y: _expand(s, x, [Array((), k) for k in array(y).shape]), "v.expand_as(x)"),
    op("torch.broadcast_to numpy.broadcast_to", "x shape", _expand, "torch.broadcast_to(v, (2, 3))"),
    op(".view .reshape", "x *shape", reshape, "b.reshape(10, 3)", "b.reshape(-1)", "b.view(5, -1)", "x.reshape(3, 2)",
       "b.view(5, 2, 3, 1)", "x.reshape(1, 6)"),
    op("torch.reshape numpy.reshape", "x shape", reshape, "torch.reshape(b, (5, 6))", "np.reshape(x, (3, 2))",
       "np.reshape(x, (-1, 1))"),
    op("torch.flatten .flatten", "x start_dim=0 end_dim=-1", _flatten, "b.flatten(1)", "torch.flatten(b)", "b.flatten(0, 1)"),
    op(".ravel numpy.ravel torch.ravel", "x", lambda s, x: _flatten(s, x, scalar(0), scalar(-1)), "x.ravel()"),
    op(".unflatten torch.unflatten", "x dim sizes", lambda s, x, dim, sizes: _unflatten(s, x, dim, sizes),
       "b.reshape(10, 3).unflatten(0, (5, 2))"),
    op("torch.stack numpy.stack", "values dim=0", stack, "torch.stack([x, z])", "torch.stack([x, z], dim=-1)",
       "np.stack([u, v], axis=1)"),
    op("torch.cat torch.concat torch.concatenate numpy.concatenate", "values dim=0", concatenate, "torch.cat([x, z])",
       "torch.cat((x, z), dim=-1)", "np.concatenate([x, s], axis=1)"),
    op("torch.vstack numpy.vstack torch.row_stack", "values", _stack_rows, "torch.vstack([x, z])", "np.vstack([u, v])"),
    op("torch.hstack numpy.hstack", "values", _hstack, "torch.hstack([x, s])", "np.hstack([u, v])"),
    op("torch.chunk .chunk", "x chunks dim=0", _chunk, "torch.chunk(torch.cat([x, z], dim=1), 3, dim=1)[2]",
       "torch.chunk(torch.cat([x, z], dim=1), 4, dim=1)[2]", "torch.cat([x, z])[:, :1].chunk(3)[1]"),
    op("numpy.split", "x chunks dim=0", _equal_sections, "np.split(np.concatenate([x, x], axis=1), 2, axis=1)[1]",
       "np.split(np.concatenate([x, x], axis=1), [1, 4], axis=1)[1]", "np.split(u, [2])[1]"),
    op("numpy.array_split torch.tensor_split .tensor_split", "x chunks dim=0", _sections,
       "np.array_split(np.concatenate([x, x], axis=1), 4, axis=1)[1]", "torch.tensor_split(y, 3, dim=1)[0]",
       "torch.tensor_split(y, (1, 3), dim=1)[1]"),
    op("numpy.hsplit torch.hsplit", "x chunks",
       lambda s, x, chunks: _equal_sections(s, x, chunks, scalar(min(array(x).rank, 2) - 1)),
       "np.hsplit(y, 2)[1]"),
    op("numpy.vsplit torch.vsplit", "x chunks", lambda s, x, chunks: _equal_sections(s, x, chunks, scalar(0)),
       "np.vsplit(x, 2)[1]"),
    op("torch.split .split", "x sizes dim=0", _split, "torch.split(x, [1, 2], dim=1)[1]", "torch.cat([x, z]).split(2)[1]",
       "torch.split(x, 2, dim=1)[1]"),
    op("torch.repeat_interleave .repeat_interleave", "x repeats dim=None", repeat_interleave, "x.repeat_interleave(2, dim=1)"),
    op("numpy.repeat", "x repeats dim=None", repeat_interleave, "np.repeat(x, 2, axis=0)"),
    op(".repeat", "x *shape dim=None", _repeat, "x.repeat(2, 1)", "v.repeat(4, 1)", "(np.exp(0) * x).repeat(2, axis=0)",
       "(np.exp(0) * x).repeat(2)"),
    op("numpy.tile torch.tile", "x shape", lambda s, x, shape: _tile(s, x, shape if isinstance(shape, (tuple,
       list)) else [shape]),
       "np.tile(v, (2, 1))"),
    op("torch.flip .flip", "x *dims", lambda s, x, dims: _flip(s, x, dims), "torch.flip(x, (1,))", "x.flip(0)",
       "torch.flip(x, dims=[1])"),
    op("numpy.flip", "x dim=None", lambda s, x, dim: _flip(s, x, [scalar(k) for k in dims(s, array(x), dim)]),
       "np.flip(x, axis=1)", "np.flip(x)"),
    op("torch.diag .diag", "x diagonal=0", _diag, "torch.diag(v)", "torch.diag(s, 1)", "torch.diag(v, diagonal=-1)"),
    op("numpy.diag", "x k=0", lambda s, x, k: _diag(s, x, k), "np.diag(s)", "np.diag(v, 1)", "np.diag(s, k=-1)"),
    op("torch.diagonal .diagonal numpy.diagonal", "x", lambda s, x: _diag(s, x, scalar(0)), "torch.diagonal(s)"),
    op("torch.diag_embed", "x", _diag_embed, "torch.diag_embed(x)"),
    op("torch.diagflat numpy.diagflat", "x", lambda s, x: _diag(s, x, scalar(0)), "np.diagflat(v)"),
    op("torch.tril .tril numpy.tril", "x diagonal=0 k=None", lambda s, x, diagonal, k: triangle(False)(s, x,
       diagonal if k is None else k),
       "torch.tril(x)", "torch.tril(x, diagonal=1)", "np.tril(x, k=-1)"),
    op("torch.triu .triu numpy.triu", "x diagonal=0 k=None", lambda s, x, diagonal, k: triangle(True)(s, x,
       diagonal if k is None else k),
       "torch.triu(x)", "x.triu(1)", "np.triu(x, k=1)"),
    op(".size", "x dim=None", _size, "1.0 * x.size(0) * v", "x.size(-1) * v"),
    op("numpy.shape", "x", lambda s, x: _size(s, x, None), "np.shape(x)[1] * v"),
    op(".dim", "x", lambda s, x: scalar(array(x).rank), "x.dim() * v"),
    op(".numel torch.numel numpy.size", "x", lambda s, x: Array((), product(s.shape(array(x)))), "x.numel() * v"),
    op(".argmax .argmin torch.argmax numpy.argmax .topk torch.topk .sort torch.sort numpy.sort numpy.argsort .argsort .any .all "
       "torch.any torch.all numpy.any numpy.all .nonzero torch.multinomial", "x **", _refused("a choice that depends on data")),
)  # fmt: skip


def _unflatten(scope: Scope, x: Value, dim: Value, sizes: Value) -> Array:
    a = array(x)
    k = scope.axis(a, dim)
    shape: list[Value] = [Array((), s) for s in scope.shape(a)]
    return reshape(scope, a, [*shape[:k], *sizes, *shape[k + 1 :]])
