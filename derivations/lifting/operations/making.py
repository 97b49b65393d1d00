"""Rows of the operations that make arrays: constants, ranges, identity, random and literal data."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from derivations.language.term import ONE, ZERO, Entry, Index, NegInfinity, Number, Term, at_least, equal, quotient
from derivations.lifting.operations.indexing import coordinates, picked
from derivations.lifting.operations.number_types import cast, type_of
from derivations.lifting.operations.shaping import stack
from derivations.lifting.operations.table import (
    Infinity,
    Op,
    Stacked,
    Struct,
    Value,
    array,
    constant,
    describe,
    integer,
    op,
)
from derivations.lifting.symbolic.arrays import Array, places, real, scalar
from derivations.lifting.symbolic.not_lifted import NotLifted
from derivations.lifting.symbolic.scope import Scope
from derivations.lifting.symbolic.term_arithmetic import plus, times
from derivations.lifting.symbolic.truth_values import Condition, chosen, condition

UNINITIALISED = "uninitialised~"
"""Head of the entries of `torch.empty`: none of them may remain."""
EXACT = 64
"""Literal whole numbers up to this many entries are kept; larger or fractional data are inputs."""


def sizes_of(scope: Scope, shape: Value, empty: bool = False) -> tuple[Index, ...]:
    """A shape argument: one size, a tuple, or several sizes; `empty` where an axis may have no entries."""
    items = list(shape) if isinstance(shape, (tuple, list)) else [shape]
    if len(items) == 1 and isinstance(items[0], (tuple, list)):
        items = list(items[0])
    found = tuple(scope.sizes.resolve(integer(s, "a size")) for s in items)
    for s in found:
        if s.is_constant and s.const < (0 if empty else 1):
            raise NotLifted(f"an axis of size {s}", code="shape-conflict")
    return found


def filled(scope: Scope, shape: Sequence[Index], value: Term) -> Array:
    made = scope.make(shape, lambda at: value)
    return Array(made.shape, made.entry, library=scope.library)


def _constant(value: Term) -> Callable[..., Array]:
    return lambda scope, shape: filled(scope, sizes_of(scope, shape, empty=True), value)


def _like(value: Term) -> Callable[..., Array]:
    return lambda scope, x: of_type(scope, filled(scope, scope.shape(array(x)), value), array(x))


def of_type(scope: Scope, made: Array, like: Array) -> Array:
    """An array with numbers of the type of another one."""
    return cast(scope, made, type_of(like))


def number_of(value: Value) -> Term:
    if isinstance(value, bool):
        return ONE if value else ZERO
    a = array(value)
    if a.rank:
        raise NotLifted("needed a number")
    return real(a.entry)


def full(scope: Scope, shape: Value, fill_value: Value) -> Array:
    """An array of one number."""
    if isinstance(fill_value, Infinity):
        raise NotLifted("plus infinity")
    made = filled(scope, sizes_of(scope, shape), number_of(fill_value))
    return made if not isinstance(fill_value, (Array, bool)) else of_type(scope, made, array(fill_value))


def empty(scope: Scope, shape: Value) -> Array:
    sizes = sizes_of(scope, shape, empty=True)
    made = Entry(UNINITIALISED, places(len(sizes)))
    return Array(sizes, made, library=scope.library)


def _empty_like(scope: Scope, x: Value) -> Array:
    a = array(x)
    if a.kind == "bool":
        raise NotLifted("truth values that are not set")
    return replace(empty(scope, tuple(scalar(k) for k in scope.shape(a))), numbers="whole" if a.whole else "")


def _eye(scope: Scope, n: Value, m: Value, k: Value = None) -> Array:
    by = Index() if k is None else integer(k)
    rows = scope.sizes.resolve(integer(n, "a size"))
    columns = rows if m is None else scope.sizes.resolve(integer(m, "a size"))
    return scope.make((rows, columns), lambda at: chosen(condition((equal(at[0] + by, at[1]),)), ONE, ZERO))


def _one_hot(scope: Scope, x: Value, num_classes: Value) -> Array:
    """Rows of the identity."""
    a = array(x)
    if a.kind == "real" and num_classes is not None:
        a = scope.positions(a, integer(num_classes, "a size")) or a
    if a.kind != "int" or num_classes is None:
        raise NotLifted("one_hot of a number of classes, or of indices, that are computed from data")

    def entry(at: tuple[Index, ...]) -> Term:
        i = a.at(at[:-1])
        return chosen(condition((equal(i, at[-1]),)), ONE, ZERO) if isinstance(i, Index) else ZERO

    return replace(scope.make((*a.shape, integer(num_classes, "a size")), entry), numbers="whole")


def _tri(scope: Scope, n: Value, m: Value, k: Value) -> Array:
    rows = integer(n, "a size")
    columns = rows if m is None else integer(m, "a size")
    by = integer(k)
    return scope.make((rows, columns), lambda at: chosen(condition((at_least(at[0] + by, at[1]),)), ONE, ZERO))


def _triangle(upper: bool) -> Callable[..., Array]:
    """The places on one side of a diagonal, as a mask."""

    def build(scope: Scope, n: Value, m: Value, k: Value) -> Array:
        rows, by = scope.sizes.resolve(integer(n, "a size")), integer(k)
        columns = rows if m is None else scope.sizes.resolve(integer(m, "a size"))

        def holds(at: tuple[Index, ...]) -> Condition:
            return condition((at_least(at[1] - at[0], by) if upper else at_least(by, at[1] - at[0]),))

        return scope.make((rows, columns), holds)

    return build


def _places_of(upper: bool, like: bool = False) -> Callable[..., Value]:
    """`np.triu_indices(n, k)`, and the same of the last two axes of an array."""

    def build(scope: Scope, k: Value, n: Value = None, m: Value = None, x: Value = None) -> Value:
        if like and array(x).rank != 2:
            raise NotLifted("the triangle of an array that is no matrix", code="shape-conflict")
        if like:
            n, m = (scalar(s) for s in scope.shape(array(x))[-2:])
        return coordinates(_triangle(upper)(scope, n, m, k))

    return build


def _torch_places(upper: bool) -> Callable[..., Value]:
    """`torch.triu_indices(n, m, offset)` has two rows, which index together only one by one."""

    def build(scope: Scope, row: Value, col: Value, offset: Value) -> Value:
        rows, columns = coordinates(_triangle(upper)(scope, row, col, offset))
        return Struct({"0": rows, "1": columns})

    return build


def _where_true(scope: Scope, mask: Value) -> Value:
    """`np.nonzero(mask)`: the index arrays of the places where a mask holds."""
    a = array(mask)
    if a.kind != "bool" or not a.rank:
        raise NotLifted("a choice that depends on data")
    return coordinates(a)


def _diagonal_places(scope: Scope, n: Value) -> Value:
    made = _arange(scope, [n], None, None, None)
    return (made, made)


def _arange(scope: Scope, bounds: Value, start: Value, end: Value, step: Value) -> Array:
    given = list(bounds)
    low = given[0] if len(given) > 1 else (start if start is not None else scalar(0))
    high = given[1] if len(given) > 1 else (given[0] if given else end)
    by = constant(given[2] if len(given) > 2 else step if step is not None else scalar(1), "a known step")
    first, last = (scope.sizes.resolve(_whole(v)) for v in (low, high))
    if by < 0:
        return _falling(scope, first, last, -by)
    if by < 1:
        raise NotLifted("a range with a step of 0")
    length = last - first
    if by > 1 and not length.is_constant:
        if first.is_constant and first.const in range(by):
            scope.sizes.divided(last, Index.of(by), "arange")
            length = scope.sizes.resolve(last) - first
    if length.is_constant and length.const < 1:
        raise NotLifted("an empty range", code="shape-conflict")
    made = scope.make([quotient(length + (by - 1), by) if by > 1 else length], lambda at: at[0] * by + first)
    floating = any(isinstance(v, Array) and v.kind == "real" for v in (low, high))  # arange(4.0)
    return replace(made, library=scope.library, numbers="real" if floating else "")


def _falling(scope: Scope, first: Index, last: Index, by: int) -> Array:
    """`arange(n - 1, -1, -1)`."""
    length = first - last
    if by > 1 and not length.is_constant:
        raise NotLifted("a range that falls by more than 1")
    count = quotient(length + (by - 1), by) if by > 1 else length
    if count.is_constant and count.const < 1:
        raise NotLifted("an empty range", code="shape-conflict")
    return replace(scope.make([count], lambda at: first - at[0] * by), library=scope.library)


def _whole(value: Value) -> Index:
    """An integer, also when it is written 0.0."""
    if isinstance(value, Array) and isinstance(value.entry, Number) and value.entry.value.q == 1:
        return Index.of(int(value.entry.value.p))
    return integer(value)


def _random(scope: Scope, shape: Value) -> Array:
    return scope.given([generalised(scope, s) for s in sizes_of(scope, shape)], origin="random")


def generalised(scope: Scope, size: Index) -> Index:
    """A size that code writes as a number becomes a symbol; what the number was is kept."""
    if not size.is_constant or size.const == 1:
        return size
    made = scope.sizes.fresh("n")
    scope.sizes.concrete[next(iter(made.sizes))] = size.const
    return made


def _normal(scope: Scope, loc: Value, scale: Value, shape: Value) -> Array:
    return _random(scope, () if shape is None else shape)


def _drawn(scope: Scope, parameters: Value, scale: Value, shape: Value) -> Array:
    return _random(scope, () if shape is None else shape)


def _of_rows(scope: Scope, of: Value, more: Value, shape: Value) -> Array:
    """Draws that are vectors, each with as many entries as the first parameter has."""
    own = [generalised(scope, n) for n in scope.shape(array(of))]
    drawn = [] if shape is None else [generalised(scope, n) for n in sizes_of(scope, shape)]
    return scope.given([*drawn, *own], origin="random")


def _chosen(scope: Scope, of: Value, shape: Value, replace: Value, p: Value) -> Array:
    if shape is None or array(of).rank:
        raise NotLifted("a random choice that is no array of whole numbers")
    return _integers(scope, of, None, shape)


def _integers(scope: Scope, low: Value, high: Value, shape: Value) -> Array:
    if shape is None:
        raise NotLifted("random integers without a shape")
    return replace(_random(scope, shape), numbers="whole")


def literal(scope: Scope, value: Value) -> Value:
    """`torch.tensor([...])`: whole numbers as they are, other data as an input whose sizes are symbols."""
    if isinstance(value, (Array, Stacked)):
        a = array(value)
        return a if isinstance(value, Array) else scope.make(a.shape, a.at, a)
    if isinstance(value, bool):
        return array(value)
    if not isinstance(value, (list, tuple)):
        raise NotLifted(f"needed numbers, found {describe(value)}")
    known = numbers(value)
    if known is None:
        return stack(scope, [literal(scope, v) for v in value], scalar(0))
    shape = []
    inner: Any = known
    while isinstance(inner, tuple):
        shape.append(len(inner))
        if not inner or any(
            (len(x) if isinstance(x, tuple) else -1) != (len(inner[0]) if isinstance(inner[0], tuple) else -1)
            for x in inner
        ):
            raise NotLifted("a list of rows of different lengths, or without entries")
        inner = inner[0]
    entries = flat(known)
    exact = all(e.denominator == 1 for e in entries) and len(entries) <= EXACT
    if scope.exact and len(entries) > EXACT:
        raise NotLifted(f"more than {EXACT} numbers that the code writes", code="too-large")
    written = [type(e) for e in flat(_types(value))]
    if scope.exact or (exact and (len(set(entries)) <= 2 or all(t is int for t in written))):
        entry = scope.make(*_exact(known, shape)).entry
        made = Array(tuple(map(Index.of, shape)), entry, library=scope.library)
    else:
        made = scope.given([generalised(scope, Index.of(n)) for n in shape], origin="literal", values=known)
    if all(t is bool for t in written):
        return cast(scope, made, "bool")
    return replace(made, numbers="whole") if all(t in (int, bool) for t in written) else made


def _types(value: Value) -> Any:
    if isinstance(value, (list, tuple)):
        return tuple(_types(v) for v in value)
    if isinstance(value, bool):
        return value
    return 0 if isinstance(array(value).entry, Index) else 0.5


def numbers(value: Value) -> Any:
    """Nested tuples of fractions; None when something else is inside."""
    if isinstance(value, (list, tuple)):
        parts = tuple(numbers(v) for v in value)
        return None if any(p is None for p in parts) else parts
    if isinstance(value, bool):
        return Fraction(int(value))
    if isinstance(value, Array) and value.rank == 0:
        t = value.entry
        if isinstance(t, Index) and t.is_constant:
            return Fraction(t.const)
        if isinstance(t, Number):
            return Fraction(int(t.value.p), int(t.value.q))
    return None


def flat(value: Any) -> list[Any]:
    return [x for v in value for x in flat(v)] if isinstance(value, tuple) else [value]


def _exact(known: Any, shape: list[int]) -> tuple[list[Index], Callable[[tuple[Index, ...]], Term]]:
    def entry(at: tuple[Index, ...], part: Any = known) -> Term:
        if not isinstance(part, tuple):
            return Number(part)
        rows = [entry(at[1:], p) for p in part]
        result: Any = picked(at[0], rows)
        return result  # type: ignore[no-any-return]

    return [Index.of(n) for n in shape], entry


def _parameter(scope: Scope, data: Value, requires_grad: Value) -> Value:
    """A trained parameter: only its shape counts; that all entries start at one or zero tells what it is for."""
    a = array(data)
    first = a.entry.value if isinstance(a.entry, Number) else None
    initial = int(first) if first in (0, 1) else None
    return scope.given([generalised(scope, s) for s in scope.shape(a)], origin="layer", initial=initial)


def _linspace(scope: Scope, start: Value, end: Value, steps: Value) -> Array:
    n = integer(steps, "a number of steps")
    first, last = number_of(start), number_of(end)
    span = plus(last, times(Number(-1), first))
    return scope.make([n], lambda at: plus(first, times(span, real(at[0]), _inverse(n))))


def _inverse(n: Index) -> Term:
    from derivations.lifting.symbolic.term_arithmetic import divided

    return divided(ONE, real(n - 1))


def _float(scope: Scope, x: Value) -> Value:
    if isinstance(x, str):
        text = x.strip().lower()
        if text in ("-inf", "-infinity"):
            return scalar(NegInfinity())
        if text in ("inf", "+inf", "infinity"):
            return Infinity()
        raise NotLifted(f"a number from the text {x!r}")
    return x


def _meshgrid(scope: Scope, x: Value, y: Value, indexing: Value) -> Value:
    a, b = array(x), array(y)
    if indexing == "ij":
        shape = (a.shape[0], b.shape[0])
        return scope.make(shape, lambda at: a.at(at[:1]), a), scope.make(shape, lambda at: b.at(at[1:]), b)
    shape = (b.shape[0], a.shape[0])
    return scope.make(shape, lambda at: a.at(at[1:]), a), scope.make(shape, lambda at: b.at(at[:1]), b)


ROWS: tuple[Op, ...] = (
    op("torch.ones numpy.ones", "*shape", _constant(ONE), "torch.ones(3)", "np.ones((2, 3))"),
    op("torch.zeros numpy.zeros", "*shape", _constant(ZERO), "torch.zeros(2, 3)", "np.zeros((3,))"),
    op("torch.full numpy.full", "shape fill_value", full, "torch.full((2, 3), 4.5)"),
    op("torch.ones_like numpy.ones_like .new_ones_", "x", _like(ONE), "torch.ones_like(x)"),
    op("torch.zeros_like numpy.zeros_like", "x", _like(ZERO), "torch.zeros_like(x)"),
    op("torch.full_like numpy.full_like", "x fill_value", lambda s, x, fill_value: of_type(s, filled(s, s.shape(array(x)),
       number_of(fill_value)), array(x)),
       "torch.full_like(x, 2.5)"),
    op("torch.empty numpy.empty", "*shape", empty),
    op("torch.empty_like numpy.empty_like", "x", _empty_like),
    op("torch.eye", "n m=None", _eye, "torch.eye(3)", "torch.eye(2, 3)"),
    op("numpy.eye", "n m=None k=None", _eye, "np.eye(3)", "np.eye(3, k=1)", "np.eye(2, 4, -1)"),
    op("numpy.identity", "n", lambda s, n: _eye(s, n, None), "np.identity(3)"),
    op("torch.nn.functional.one_hot", "x num_classes=None", _one_hot,
       "1.0 * F.one_hot(torch.arange(3), 4)", "1.0 * F.one_hot(t, 3)"),
    op("numpy.tri", "n m=None k=0", _tri, "np.tri(3)", "np.tri(2, 3, 1)"),
    op("numpy.triu_indices", "n k=0 m=None", _places_of(True)),
    op("numpy.tril_indices", "n k=0 m=None", _places_of(False)),
    op("numpy.triu_indices_from", "x k=0", _places_of(True, like=True)),
    op("numpy.tril_indices_from", "x k=0", _places_of(False, like=True)),
    op("torch.triu_indices", "row col offset=0", _torch_places(True)),
    op("torch.tril_indices", "row col offset=0", _torch_places(False)),
    op("numpy.diag_indices", "n", _diagonal_places),
    op("numpy.nonzero", "mask", _where_true),
    op("torch.arange numpy.arange", "*bounds start=None end=None step=None", _arange, "1.0 * torch.arange(4)",
       "1.0 * np.arange(1, 5)",
       "1.0 * torch.arange(0, 6, 2)", "1.0 * torch.arange(1, 6, 2)"),
    op("torch.linspace numpy.linspace", "start end steps", _linspace, "torch.linspace(0, 1, 5)", "np.linspace(-1, 2, 4)"),
    op("torch.meshgrid numpy.meshgrid", "x y indexing=None", _meshgrid, "np.meshgrid(u, v)[0]",
       "torch.meshgrid(u, v, indexing='ij')[1]"),
    op("torch.randn torch.rand numpy.random.randn numpy.random.rand torch.randn_", "*shape", _random),
    op("torch.randn_like torch.rand_like", "x", lambda s, x: s.given(s.shape(array(x)), origin="random")),
    op("numpy.random.normal rng.normal torch.normal numpy.random.uniform rng.uniform", "loc=None scale=None shape=None", _normal),
    op("numpy.random.random rng.random numpy.random.standard_normal rng.standard_normal numpy.random.random_sample", "shape=None",
       lambda s, shape: _random(s, () if shape is None else shape)),
    op("torch.randint numpy.random.randint rng.integers", "low high=None shape=None", _integers),
    op("numpy.random.gamma rng.gamma numpy.random.beta rng.beta numpy.random.binomial rng.binomial numpy.random.laplace "
       "rng.laplace numpy.random.lognormal rng.lognormal", "a scale=None shape=None", _drawn),
    op("numpy.random.exponential rng.exponential numpy.random.chisquare rng.chisquare numpy.random.poisson rng.poisson",
       "scale=None shape=None", lambda s, scale, shape: _drawn(s, None, scale, shape)),
    op("numpy.random.dirichlet rng.dirichlet", "alpha shape=None", lambda s, alpha, shape: _of_rows(s, alpha, None, shape)),
    op("numpy.random.multivariate_normal rng.multivariate_normal", "mean cov shape=None", _of_rows),
    op("numpy.random.choice rng.choice", "a shape=None replace=None p=None", _chosen),
    op("torch.tensor numpy.array torch.Tensor torch.FloatTensor torch.as_tensor numpy.asarray_ torch.asarray", "value", literal,
       "torch.tensor([[1, 0], [1, 1]]) * 1.0", "np.array([u, v])"),
    op("torch.nn.Parameter torch.nn.parameter.Parameter", "data requires_grad=True", _parameter),
    op("builtins.float", "x", _float, "float(2) * v"),
)  # fmt: skip
