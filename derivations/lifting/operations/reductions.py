"""Rows of the operations along axes: sums, means, variances, maxima, softmax, running sums."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from derivations.language.statement import Definition
from derivations.language.term import HALF, ONE, Apply, Entry, Index, Number, Pow, Sum, Term, at_least, guard
from derivations.lifting.operations.shaping import reshape
from derivations.lifting.operations.table import Infinity, Op, Struct, Value, array, constant, dims, integer, op
from derivations.lifting.symbolic.arrays import Array, as_truth, real, scalar
from derivations.lifting.symbolic.not_lifted import NotLifted
from derivations.lifting.symbolic.scope import Scope
from derivations.lifting.symbolic.term_arithmetic import divided, minus, plus, times
from derivations.notes import Note

Body = Callable[[Sequence[Index]], Term]
"""A term for places along the reduced axes."""


def over(
    scope: Scope, sizes: Sequence[Index], body: Body, combine: Callable[[Index, Callable[[Index], Term]], Term]
) -> Term:
    """Combine `body` over several axes."""
    if not sizes:
        return body(())
    return combine(sizes[0], lambda k: over(scope, sizes[1:], lambda rest: body((k, *rest)), combine))


def reduced(
    scope: Scope, a: Array, dim: Value, keepdim: Value, build: Callable[[Sequence[Index], Body], Term]
) -> Array:
    """`build(sizes, body)` over the named axes, which go or stay with size 1."""
    axes = dims(scope, a, dim)
    shape = scope.shape(a)
    sizes = [shape[k] for k in axes]
    keep = _flag(keepdim)
    result = [Index.of(1) if k in axes else s for k, s in enumerate(shape) if keep or k not in axes]

    def entry(at: tuple[Index, ...]) -> Term:
        rest = [i for k, i in enumerate(at) if not keep or k not in axes]

        def body(inner: Sequence[Index]) -> Term:
            place, given, own = [], iter(rest), iter(inner)
            for k in range(a.rank):
                place.append(next(own) if k in axes else next(given))
            return a.real(place)

        return build(sizes, body)

    return scope.make(result, entry, a)


def _flag(value: Value) -> bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, Array) and value.rank == 0 and isinstance(value.entry, Index) and value.entry.is_constant:
        return bool(value.entry.const)
    raise NotLifted("needed True or False for keepdim")


def count(sizes: Sequence[Index]) -> Index:
    total = Index.of(1)
    for s in sizes:
        total = total * s
    return total


def _sum(scope: Scope, x: Value, dim: Value, keepdim: Value) -> Array:
    return reduced(scope, array(x), dim, keepdim, lambda sizes, body: over(scope, sizes, body, scope.total))


def average(scope: Scope, sizes: Sequence[Index], body: Body) -> Term:
    return divided(over(scope, sizes, body, scope.total), real(count(sizes)))


def _mean(scope: Scope, x: Value, dim: Value, keepdim: Value) -> Array:
    return reduced(scope, array(x), dim, keepdim, lambda sizes, body: average(scope, sizes, body))


def _variance(scope: Scope, x: Value, dim: Value, keepdim: Value, correction: Index) -> Array:
    def build(sizes: Sequence[Index], body: Body) -> Term:
        mean = average(scope, sizes, body)
        squares = over(scope, sizes, lambda at: Pow(plus(body(at), minus(mean)), 2), scope.total)
        return divided(squares, real(count(sizes) - correction))

    return reduced(scope, array(x), dim, keepdim, build)


def _correction(x: Value, correction: Value, unbiased: Value, default: int) -> Index:
    if unbiased is not None:
        return Index.of(int(_flag(unbiased)))
    if correction is not None:
        return integer(correction)
    return Index.of(default)


def _spread(root: bool, library: str | None) -> Callable[..., Array]:
    def build(
        scope: Scope, x: Value, dim: Value, unbiased: Value, keepdim: Value, correction: Value, ddof: Value
    ) -> Array:
        if isinstance(dim, bool) and unbiased is None:  # x.var(False): all axes
            dim, unbiased = None, dim
        own = library or array(x).library
        by = _correction(x, correction if correction is not None else ddof, unbiased, 0 if own == "numpy" else 1)
        made = _variance(scope, x, dim, keepdim, by)
        if not root:
            return made
        return scope.elementwise("sqrt", lambda v: Pow(real(v), HALF), made)

    return build


def _extreme(sign: int, library: str | None) -> Callable[..., Value]:
    """max, min and their variants; torch with an axis gives values and positions."""

    def build(scope: Scope, x: Value, dim: Value, keepdim: Value) -> Value:
        a = array(x)
        if isinstance(dim, Array) and not dim.rank and dim.library == "torch":
            raise NotLifted("a tensor of one number, which may be an axis or what is compared with")
        if isinstance(dim, Array) and dim.rank:
            from derivations.lifting.operations.all_operations import call

            return call(scope, "torch.maximum" if sign > 0 else "torch.minimum", [x, dim], {})

        def largest(sizes: Sequence[Index], body: Body) -> Term:
            if sign > 0:
                return over(scope, sizes, body, scope.largest)
            return minus(over(scope, sizes, lambda at: minus(body(at)), scope.largest))

        made = as_truth(reduced(scope, a, dim, keepdim, largest), a)
        if (library or a.library) == "torch" and dim is not None:
            return Struct({"values": made, "indices": None})
        return made

    return build


def along(scope: Scope, a: Array, dim: Value, build: Callable[[Index, Callable[[Index], Term], Index], Term]) -> Array:
    """`build(size, row, place)` along one axis, for an array of the same shape."""
    axes = dims(scope, a, dim)
    shape = scope.shape(a)
    if len(axes) != 1:
        raise NotLifted("needed one axis")
    (k,) = axes

    def entry(at: tuple[Index, ...]) -> Term:
        return build(shape[k], lambda i: a.real((*at[:k], i, *at[k + 1 :])), at[k])

    return scope.make(shape, entry, a)


def softmax(scope: Scope, x: Value, dim: Value) -> Array:
    """exp(x_i) / sum over the axis of exp(x_k); several axes together when `dim` is a tuple (SciPy)."""
    a = array(x)
    if dim is None:
        raise NotLifted("softmax without an axis")

    def build(size: Index, row: Callable[[Index], Term], i: Index) -> Term:
        return divided(Apply("exp", row(i)), scope.total(size, lambda k: Apply("exp", row(k))))

    return along(scope, a, dim, build)


def _softmax_all(scope: Scope, x: Value, dim: Value) -> Array:
    a = array(x)
    if dim is None and a.rank != 1:
        sums = reduced(scope, scope.elementwise("exp", lambda t: Apply("exp", real(t)), a), None, True, _total(scope))
        return scope.elementwise("softmax", lambda t, s: divided(Apply("exp", real(t)), real(s)), a, sums)
    return softmax(scope, a, scalar(0) if dim is None else dim)


def _total(scope: Scope) -> Callable[[Sequence[Index], Body], Term]:
    return lambda sizes, body: over(scope, sizes, body, scope.total)


def _log_softmax(scope: Scope, x: Value, dim: Value) -> Array:
    if dim is None:
        raise NotLifted("log_softmax without an axis")

    def build(size: Index, row: Callable[[Index], Term], i: Index) -> Term:
        total = scope.total(size, lambda k: Apply("exp", row(k)))
        return plus(row(i), minus(Apply("log", total)))

    return along(scope, array(x), dim, build)


def _softmin(scope: Scope, x: Value, dim: Value) -> Array:
    return softmax(scope, scope.elementwise("-", lambda t: minus(real(t)), array(x)), dim)


def _logsumexp(scope: Scope, x: Value, dim: Value, keepdim: Value) -> Array:
    def build(sizes: Sequence[Index], body: Body) -> Term:
        return Apply("log", over(scope, sizes, lambda at: Apply("exp", body(at)), scope.total))

    return reduced(scope, array(x), dim, keepdim, build)


def _cumsum(scope: Scope, x: Value, dim: Value) -> Array:
    def build(size: Index, row: Callable[[Index], Term], i: Index) -> Term:
        k = scope.variable()
        return Sum(min(k.free), guard(at_least(k, 0), at_least(i, k)), row(k))

    a = array(x)
    if dim is None and a.rank != 1:
        if (a.library or scope.library) != "numpy":
            raise NotLifted("cumsum without an axis")
        a = reshape(scope, a, [scalar(-1)])
    return along(scope, a, scalar(0) if dim is None else dim, build)


def product(scope: Scope, size: Index, row: Callable[[Index], Term]) -> Term:
    """The product over an axis: the last value of a family, for terms have no products over an index."""
    t = scope.variable("t")
    factor = row(t - 1)
    own = [Index.var(v) for v in sorted(factor.free - t.free)]
    head = f"product~{min(t.free)}"
    longer = times(Entry(head, (t - 1, *own)), factor)
    scope.folds[head] = (
        Definition(head, (Index(), *own), ONE),
        Definition(head, (t, *own), longer, guard(at_least(t, 1))),
    )
    return Entry(head, (size, *own))


def _prod(scope: Scope, x: Value, dim: Value, keepdim: Value) -> Array:
    def build(sizes: Sequence[Index], body: Body) -> Term:
        return over(scope, sizes, body, lambda size, row: product(scope, size, row))

    return reduced(scope, array(x), dim, keepdim, build)


def _cumprod(scope: Scope, x: Value, dim: Value) -> Array:
    a = array(x)
    if dim is None and a.rank != 1:
        raise NotLifted("cumprod without an axis")
    return along(scope, a, scalar(0) if dim is None else dim, lambda size, row, i: product(scope, i + 1, row))


def _norm(scope: Scope, x: Value, ord: Value, dim: Value, keepdim: Value) -> Array:
    """The norm of vectors, also of a matrix as one long vector: Euclidean, the sum or the largest of absolute values."""
    if isinstance(ord, Infinity):
        return reduced(scope, array(x), dim, keepdim, _of_sizes(scope.largest, scope))
    p = 2 if ord is None or ord == "fro" else constant(ord, "a norm that is 1, 2 or infinity")
    if p == 1:
        return reduced(scope, array(x), dim, keepdim, _of_sizes(scope.total, scope))
    if p != 2:
        raise NotLifted("a norm other than those by 1, 2 and infinity")

    def build(sizes: Sequence[Index], body: Body) -> Term:
        return Pow(over(scope, sizes, lambda at: Pow(body(at), 2), scope.total), HALF)

    return reduced(scope, array(x), dim, keepdim, build)


def _of_sizes(
    combine: Callable[[Index, Callable[[Index], Term]], Term], scope: Scope
) -> Callable[[Sequence[Index], Body], Term]:
    return lambda sizes, body: over(scope, sizes, lambda at: Apply("abs", body(at)), combine)


def _matrix_norm(scope: Scope, x: Value, ord: Value, dim: Value, keepdim: Value) -> Array:
    """`linalg.norm`, which means another norm for matrices than for vectors."""
    axes = dims(scope, array(x), dim)
    if ord is not None and ord != "fro" and len(axes) != 1:
        raise NotLifted("a norm of matrices that is not the Euclidean one of their entries")
    return _norm(scope, x, ord, dim, keepdim)


def _normalize(scope: Scope, x: Value, p: Value, dim: Value, eps: Value) -> Array:
    a = array(x)
    scope.assume(Note("normalised-longer"))
    return scope.elementwise("normalize", lambda t, n: divided(real(t), real(n)), a, _norm(scope, a, p, dim, True))


def _trace(scope: Scope, x: Value) -> Array:
    a = array(x)
    if a.rank != 2:
        raise NotLifted("the trace of an array that is no matrix")
    n = scope.sizes.require(a.shape[0], a.shape[1], "trace")
    return scope.make((), lambda at: scope.total(n, lambda k: a.real((k, k))), a)


def _layer_norm(scope: Scope, x: Value, normalized_shape: Value, weight: Value, bias: Value, eps: Value) -> Array:
    a = array(x)
    many = len(normalized_shape) if isinstance(normalized_shape, (tuple, list)) else 1
    axes = [scalar(k - many) for k in range(many)]
    mean = _mean(scope, a, axes, True)
    var = _variance(scope, a, axes, True, Index.of(0))
    made = scope.elementwise(
        "layer_norm",
        lambda t, m, v, e: divided(plus(real(t), minus(real(m))), Pow(plus(real(v), real(e)), HALF)),
        *(a, mean, var, array(scope.guarding(array(eps)))),
    )
    return affine(scope, made, weight, bias)


def affine(scope: Scope, made: Array, weight: Value, bias: Value) -> Array:
    if weight is not None:
        made = scope.elementwise("weight", lambda t, w: times(real(t), real(w)), made, array(weight))
    if bias is not None:
        made = scope.elementwise("bias", lambda t, b: plus(real(t), real(b)), made, array(bias))
    return made


def rms_norm(scope: Scope, x: Value, normalized_shape: Value, weight: Value, eps: Value) -> Array:
    a = array(x)
    squares = scope.elementwise("**", lambda t: Pow(real(t), 2), a)
    mean = _mean(scope, squares, scalar(-1), True)
    small = scalar(0) if eps is None else array(scope.guarding(array(eps)))
    made = scope.elementwise(
        "rms_norm", lambda t, m, e: divided(real(t), Pow(plus(real(m), real(e)), HALF)), a, mean, small
    )
    return affine(scope, made, weight, None)


ROWS: tuple[Op, ...] = (
    op("torch.sum .sum numpy.sum", "x dim=None keepdim=False", _sum, "torch.sum(x)", "x.sum(dim=0)",
       "x.sum(-1, keepdim=True)", "np.sum(x, axis=1)", "np.sum(b, axis=(0, 2), keepdims=True)"),
    op("torch.mean .mean numpy.mean", "x dim=None keepdim=False", _mean, "x.mean()", "x.mean(dim=-1, keepdim=True)",
       "np.mean(x, axis=0)"),
    op("numpy.var", "x dim=None unbiased=None keepdim=False correction=None ddof=None", _spread(False, "numpy"),
       "np.var(x, axis=1)", "np.var(x, axis=0, ddof=1)"),
    op("numpy.std", "x dim=None unbiased=None keepdim=False correction=None ddof=None", _spread(True, "numpy"),
       "np.std(x, axis=-1, keepdims=True)"),
    op("torch.var", "x dim=None unbiased=None keepdim=False correction=None ddof=None", _spread(False, "torch"),
       "torch.var(x, dim=1)", "torch.var(x, dim=0, correction=0)", "torch.var(b, dim=(1, 2))", defined="more than one entry"),
    op("torch.std", "x dim=None unbiased=None keepdim=False correction=None ddof=None", _spread(True, "torch"),
       "torch.std(x, dim=1, keepdim=True)", "torch.std(x, dim=1, unbiased=False)", defined="more than one entry"),
    op(".var", "x dim=None unbiased=None keepdim=False correction=None ddof=None", _spread(False, None),
       "x.var(dim=-1, keepdim=True, unbiased=False)", "x.var(0)", "x.var(-1, False)"),
    op(".std", "x dim=None unbiased=None keepdim=False correction=None ddof=None", _spread(True, None),
       "x.std(-1, keepdim=True)", "x.std()"),
    op("torch.max", "x dim=None keepdim=False", _extreme(1, "torch"), "torch.max(x)", "torch.max(x, dim=1)[0]"),
    op("torch.min", "x dim=None keepdim=False", _extreme(-1, "torch"), "torch.min(x, dim=0, keepdim=True).values"),
    op(".max", "x dim=None keepdim=False", _extreme(1, None), "x.max(dim=-1, keepdim=True).values", "x.max()"),
    op(".min", "x dim=None keepdim=False", _extreme(-1, None), "x.min()"),
    op("numpy.max numpy.amax", "x dim=None keepdim=False", _extreme(1, "numpy"), "np.max(x, axis=0)",
       "np.max(x, axis=-1, keepdims=True)"),
    op("torch.amax .amax", "x dim=None keepdim=False", _extreme(1, "numpy"), "torch.amax(x, dim=(0, 1))"),
    op("numpy.min numpy.amin torch.amin .amin", "x dim=None keepdim=False", _extreme(-1, "numpy"), "np.min(x, axis=0)"),
    op("torch.softmax torch.nn.functional.softmax .softmax", "x dim=None _stacklevel=3",
       lambda s, x, dim, _stacklevel: softmax(s, x, dim), "torch.softmax(x, dim=0)", "F.softmax(b, dim=-1)", "x.softmax(-1)"),
    op("scipy.special.softmax", "x dim=None", _softmax_all),
    op("torch.log_softmax torch.nn.functional.log_softmax .log_softmax", "x dim=None", _log_softmax, "F.log_softmax(x, dim=1)"),
    op("scipy.special.log_softmax", "x dim=None", _log_softmax),
    op("torch.nn.functional.softmin", "x dim=None", _softmin, "F.softmin(x, dim=1)"),
    op("torch.logsumexp .logsumexp scipy.special.logsumexp", "x dim=None keepdim=False", _logsumexp,
       "torch.logsumexp(x, dim=1)", "x.logsumexp(0, keepdim=True)"),
    op("torch.cumsum .cumsum numpy.cumsum", "x dim=None", _cumsum, "torch.cumsum(x, dim=0)", "np.cumsum(x, axis=1)",
       "np.cumsum(x)"),
    op("torch.prod .prod numpy.prod", "x dim=None keepdim=False", _prod, "torch.prod(x)", "x.prod(1)",
       "np.prod(x, axis=0, keepdims=True)"),
    op("torch.cumprod .cumprod numpy.cumprod", "x dim=None", _cumprod, "torch.cumprod(x, dim=1)", "np.cumprod(x, axis=0)"),
    op("torch.norm .norm", "x p=None dim=None keepdim=False", lambda s, x, p, dim, keepdim: _norm(s, x, p, dim, keepdim),
       "torch.norm(x, p=1, dim=0)", "x.norm()", "x.norm(dim=-1, keepdim=True)", "torch.norm(x, 2)"),
    op("torch.linalg.vector_norm", "x ord=None dim=None keepdim=False", _norm, "torch.linalg.vector_norm(x, 1)"),
    op("numpy.linalg.norm torch.linalg.norm", "x ord=None dim=None keepdim=False", _matrix_norm,
       "torch.linalg.norm(x, dim=-1, keepdim=True)", "np.linalg.norm(x, axis=0)", "np.linalg.norm(x)",
       "np.linalg.norm(x, np.inf, axis=1)"),
    op("torch.nn.functional.normalize", "x p=2 dim=1 eps=0", _normalize, "F.normalize(x, dim=1)", defined="no row is zero"),
    op("torch.trace .trace numpy.trace", "x", _trace, "torch.trace(s)"),
    op("torch.nn.functional.layer_norm", "x normalized_shape weight=None bias=None eps=None",
       lambda s, x, normalized_shape, weight, bias, eps: _layer_norm(s, x, normalized_shape, weight, bias, eps if eps is not None
       else scalar(Number(Fraction(1, 100000)))), "F.layer_norm(x, (3,), eps=0.5)", "F.layer_norm(x, (3,), u, v, 0.25)"),
    op("torch.nn.functional.rms_norm", "x normalized_shape weight=None eps=None", rms_norm, "F.rms_norm(x, (3,), u, eps=0.5)"),
)  # fmt: skip
