"""Further operations: clamps, activations by cases, picking and repeating, and short forms of what other rows say."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from derivations.language.term import Apply, Choice, Index, Number, Term, by_sign, equal
from derivations.lifting.operations.elementwise import larger, sigmoid
from derivations.lifting.operations.indexing import Slice, chosen_by, subscript
from derivations.lifting.operations.making import filled, full, literal, of_type
from derivations.lifting.operations.shaping import concatenate, reshape, stack
from derivations.lifting.operations.table import Op, Value, array, integer, op
from derivations.lifting.symbolic.arrays import Array, Entry, real, scalar
from derivations.lifting.symbolic.not_lifted import NotLifted
from derivations.lifting.symbolic.scope import Scope
from derivations.lifting.symbolic.term_arithmetic import minus, plus, raised, times
from derivations.lifting.symbolic.truth_values import chosen, condition

_ZERO, _ONE = Number(0), Number(1)


def smaller(scope: Scope, a: Term, b: Term) -> Term:
    return minus(larger(scope, minus(a), minus(b)))


def _clamp(scope: Scope, x: Value, min: Value, max: Value) -> Array:
    made = array(x)
    if min is not None:
        made = scope.elementwise("clamp", lambda a, b: larger(scope, real(a), real(b)), made, array(min))
    if max is not None:
        made = scope.elementwise("clamp", lambda a, b: smaller(scope, real(a), real(b)), made, array(max))
    return made


def _elu(scope: Scope, x: Value, alpha: Value) -> Array:
    """x where x > 0, else alpha * (exp(x) - 1)."""
    by = real(array(alpha).entry)

    def build(a: Term) -> Term:
        return Choice(a, a, times(by, plus(Apply("exp", a), Number(-1))))

    return scope.elementwise("elu", lambda a: build(real(a)), array(x))


def _leaky_relu(scope: Scope, x: Value, slope: Value) -> Array:
    by = Number(Fraction(1, 100)) if slope is None else real(array(slope).entry)
    return scope.elementwise("leaky_relu", lambda a: Choice(real(a), real(a), times(by, real(a))), array(x))


def _sign(scope: Scope, x: Value) -> Array:
    return scope.elementwise("sign", lambda a: by_sign(real(a), _ONE, _ZERO, Number(-1)), array(x))


def _heaviside(scope: Scope, x: Value, values: Value) -> Array:
    return scope.elementwise("heaviside", lambda a, z: by_sign(real(a), _ONE, real(z), _ZERO), array(x), array(values))


def _threshold(scope: Scope, x: Value, threshold: Value, value: Value) -> Array:
    def build(a: Entry, t: Entry, v: Entry) -> Term:
        return Choice(plus(real(a), minus(real(t))), real(a), real(v))

    return scope.elementwise("threshold", build, array(x), array(threshold), array(value))


def gelu(scope: Scope, x: Value, approximate: Value) -> Array:
    """The approximation by tanh; the exact one has no form in these terms."""
    if approximate != "tanh":
        raise NotLifted("gelu without approximate='tanh' needs the error function")
    pi = real(scope.constant("pi").entry)

    def build(t: Term) -> Term:
        inner = plus(t, times(Number(Fraction("0.044715")), raised(t, Number(3))))
        scale = raised(times(Number(2), raised(pi, Number(-1))), Number(Fraction("0.5")))
        return times(Number(Fraction("0.5")), t, plus(_ONE, Apply("tanh", times(scale, inner))))

    return scope.elementwise("gelu", lambda a: build(real(a)), array(x))


def _mse(scope: Scope, x: Value, y: Value) -> Array:
    from derivations.lifting.operations.all_operations import call

    gap = scope.elementwise("-", lambda a, b: raised(plus(real(a), minus(real(b))), Number(2)), array(x), array(y))
    return call(scope, "torch.mean", [gap], {})  # type: ignore[no-any-return]


def _var_mean(
    scope: Scope, x: Value, dim: Value, unbiased: Value, keepdim: Value, correction: Value
) -> tuple[Value, Value]:
    from derivations.lifting.operations.all_operations import call

    told = {"unbiased": unbiased, "correction": correction}
    spread = call(
        scope, "torch.var", [x, dim], {"keepdim": keepdim, **{k: v for k, v in told.items() if v is not None}}
    )
    return spread, call(scope, "torch.mean", [x, dim], {"keepdim": keepdim})


def _unbind(scope: Scope, x: Value, dim: Value) -> tuple[Array, ...]:
    a = array(x)
    k = scope.axis(a, dim)
    size = scope.sizes.resolve(a.shape[k])
    if not size.is_constant and (written := scope.sizes.concrete.get(next(iter(size.sizes), ""))) is not None:
        scope.sizes.require(size, Index.of(written), "unbind")  # how many parts there are is no matter of size
        size = scope.sizes.resolve(size)
    if not size.is_constant:
        raise NotLifted("unbind along an axis of symbolic length")
    before = tuple(Slice(None, None, None) for _ in range(k))
    return tuple(subscript(scope, a, (*before, scalar(i))) for i in range(size.const))


def _picked(scope: Scope, x: Value, dim: Value, index: Value) -> Array:
    a = array(x)
    before = tuple(Slice(None, None, None) for _ in range(scope.axis(a, dim)))
    return subscript(scope, a, (*before, index))


def _narrow(scope: Scope, x: Value, dim: Value, start: Value, length: Value) -> Array:
    low = integer(start)
    return _picked(scope, x, dim, Slice(scalar(low), scalar(low + integer(length)), None))


def _take(scope: Scope, x: Value, indices: Value, dim: Value) -> Array:
    if dim is None:
        raise NotLifted("take without an axis")
    return _picked(scope, x, dim, indices)


def _columns(scope: Scope, values: Value) -> Array:
    if all(array(v).rank == 1 for v in values):
        return stack(scope, values, scalar(1))
    return concatenate(scope, values, scalar(1))


def _gather(scope: Scope, x: Value, dim: Value, index: Value) -> Array:
    a = array(x)
    return chosen_by(scope, a, scope.axis(a, dim), index)


def _scatter(scope: Scope, x: Value, dim: Value, index: Value, src: Value, value: Value) -> Array:
    """The array with other entries at the places that an index array with one entry along an axis gives."""
    a, given, put = array(x), array(index), array(src if src is not None else value)
    k = scope.axis(a, dim)
    if given.rank != a.rank or scope.sizes.resolve(given.shape[k]) is not Index.of(1) or put.rank not in (0, a.rank):
        raise NotLifted("scatter at more than one place along an axis")
    for j, (own, s) in enumerate(zip(a.shape, given.shape, strict=True)):
        if j != k:
            scope.sizes.require(own, s, "scatter")
    places = given if given.kind == "int" else scope.positions(given, a.shape[k])
    if places is None:
        raise NotLifted("scatter at places that are computed from data")

    def entry(at: tuple[Index, ...]) -> Term:
        first = (*at[:k], Index(), *at[k + 1 :])
        i = places.at(first)
        if not isinstance(i, Index):
            raise NotLifted("scatter at places that are no whole numbers")
        new = put.real(first) if put.rank else real(put.entry)
        return chosen(condition((equal(i, at[k]),)), new, a.real(at))

    return scope.make(scope.shape(a), entry, a)


def _take_along(scope: Scope, x: Value, indices: Value, dim: Value) -> Array:
    """As `gather`; axes of length 1 are stretched."""
    a, places = array(x), array(indices)
    if dim is None or a.rank != places.rank:
        raise NotLifted("take_along_axis without an axis, or of other axes")
    k = scope.axis(a, dim)
    other = [
        scope.shape(a)[j] if j != k and places.shape[j] is Index.of(1) else s for j, s in enumerate(scope.shape(places))
    ]
    wide = scope.make(other, lambda at: scope.spread(places, at), places)
    return chosen_by(scope, a, k, wide)


def _outer(sign: str) -> Callable[..., Array]:
    def build(scope: Scope, x: Value, y: Value) -> Array:
        a, b = array(x), array(y)
        if a.rank != 1 or b.rank != 1:
            raise NotLifted("an outer operation of arrays that are no vectors")

        def entry(at: tuple[Index, ...]) -> Term:
            left, right = a.real(at[:1]), b.real(at[1:])
            return times(left, right) if sign == "*" else plus(left, minus(right) if sign == "-" else right)

        return scope.make((a.shape[0], b.shape[0]), entry, a)

    return build


def _two_axes(scope: Scope, x: Value) -> Array:
    a = array(x)
    return a if a.rank >= 2 else reshape(scope, a, [scalar(1), scalar(-1)])


def _new(value: Term) -> Callable[..., Array]:
    return lambda scope, x, shape: of_type(scope, filled(scope, [integer(s) for s in shape], value), array(x))


ROWS: tuple[Op, ...] = (
    op("torch.clamp .clamp torch.clip .clip numpy.clip", "x min=None max=None", _clamp, "torch.clamp(x, min=0)", "x.clamp(0, 1)",
       "np.clip(x, -1, 1)"),
    op(".clamp_min torch.clamp_min", "x min", lambda s, x, min: _clamp(s, x, min, None), "x.clamp_min(0.5)"),
    op(".clamp_max torch.clamp_max", "x max", lambda s, x, max: _clamp(s, x, None, max), "x.clamp_max(0.5)"),
    op("torch.nn.functional.elu", "x alpha=1", _elu, "F.elu(x)", "F.elu(x, 0.5)"),
    op("torch.nn.functional.leaky_relu", "x slope=None", _leaky_relu, "F.leaky_relu(x)", "F.leaky_relu(x, 0.25)"),
    op("torch.sign .sign numpy.sign torch.sgn .sgn", "x", _sign, "torch.sign(x)", "np.sign(x)"),
    op("numpy.heaviside torch.heaviside .heaviside", "x values", _heaviside, "np.heaviside(x, 0.5)"),
    op("torch.nn.functional.threshold", "x threshold value", _threshold, "F.threshold(x, 0.5, 2.0)"),
    op("torch.nn.functional.relu6", "x", lambda s, x: _clamp(s, x, scalar(0), scalar(6)), "F.relu6(4 * x)"),
    op("torch.nn.functional.hardtanh", "x min=-1 max=1", _clamp, "F.hardtanh(x)"),
    op("torch.nn.functional.logsigmoid", "x", lambda s, x: s.elementwise("logsigmoid",
       lambda a: Apply("log", sigmoid(real(a))), array(x)), "F.logsigmoid(x)"),
    op("torch.nn.functional.gelu", "x approximate=None", gelu, "F.gelu(x, approximate='tanh')"),
    op("torch.nn.functional.mse_loss", "x y", _mse, "F.mse_loss(x, z)"),
    op("torch.lerp .lerp", "x y weight", lambda s, x, y, weight: s.elementwise("lerp", lambda a, b, w: plus(real(a),
       times(real(w), plus(real(b), minus(real(a))))), array(x), array(y), array(weight)), "torch.lerp(x, z, 0.25)"),
    op("torch.var_mean", "x dim=None unbiased=None keepdim=False correction=None", _var_mean, "torch.var_mean(x, dim=1)[0]",
       "torch.var_mean(x, dim=1, unbiased=False)[1]"),
    op("torch.unbind .unbind", "x dim=0", _unbind, "torch.stack([x, z]).unbind(0)[1]",
       "torch.unbind(torch.stack([x, z], dim=1), dim=1)[0]"),
    op(".select torch.select", "x dim index", _picked, "x.select(1, 0)"),
    op("torch.index_select .index_select", "x dim index", _picked, "torch.index_select(x, 1, torch.tensor([2, 0]))"),
    op("torch.gather .gather", "x dim index", _gather, "torch.gather(x, 1, t[:, None])",
       "x.gather(1, t.unsqueeze(1)).squeeze(1)"),
    op("torch.scatter .scatter", "x dim index src=None value=None", _scatter, "torch.scatter(x, 1, t[:, None], 0.5)",
       "x.scatter(1, t[:, None], value=2)"),
    op("torch.take_along_dim numpy.take_along_axis", "x indices dim=None", _take_along,
       "np.take_along_axis(x, t[:, None], axis=1)"),
    op("torch.narrow .narrow", "x dim start length", _narrow, "x.narrow(1, 1, 2)"),
    op("numpy.take", "x indices dim=None", _take, "np.take(x, [1, 0], axis=0)"),
    op("torch.column_stack numpy.column_stack", "values", _columns, "np.column_stack([u, v])", "torch.column_stack([x, z])"),
    op("numpy.add.outer", "x y", _outer("+"), "np.add.outer(u, v)"),
    op("numpy.subtract.outer", "x y", _outer("-"), "np.subtract.outer(u, v)"),
    op("numpy.multiply.outer", "x y", _outer("*"), "np.multiply.outer(u, v)"),
    op("torch.atleast_2d numpy.atleast_2d", "x", _two_axes, "torch.atleast_2d(u)"),
    op(".view_as .reshape_as", "x y", lambda s, x, y: reshape(s, x, [scalar(k) for k in s.shape(array(y))]), "x.T.reshape_as(x)"),
    op(".new_zeros", "x *shape", _new(_ZERO), "x.new_zeros(2, 3)"),
    op(".new_ones", "x *shape", _new(_ONE), "x.new_ones((2, 3))"),
    op(".new_full", "x shape fill_value", lambda s, x, shape, fill_value: of_type(s, full(s, shape, fill_value), array(x)),
       "x.new_full((2, 3), 4.5)"),
    op(".new_tensor", "x data", lambda s, x, data: of_type(s, array(literal(s, data)), array(x)),
       "x.new_tensor([[1, 0], [1, 1]])", "x.new_tensor(2.5) * x"),
)  # fmt: skip
