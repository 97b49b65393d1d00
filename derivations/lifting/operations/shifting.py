"""Rows of the operations that shift, pad, weigh and repeat entries, and of short forms of these."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from derivations.language.term import Apply, Entry, Index, Term, at_least, less, remainder
from derivations.lifting.operations.elementwise import binary
from derivations.lifting.operations.making import number_of
from derivations.lifting.operations.shaping import concatenate, reshape
from derivations.lifting.operations.table import Op, Value, array, dims, integer, op
from derivations.lifting.symbolic.arrays import Array, as_truth, real, scalar
from derivations.lifting.symbolic.not_lifted import NotLifted
from derivations.lifting.symbolic.scope import Scope
from derivations.lifting.symbolic.term_arithmetic import divided, minus, plus, times
from derivations.lifting.symbolic.truth_values import chosen, condition
from derivations.notes import Note


def _roll(scope: Scope, x: Value, shifts: Value, dim: Value) -> Array:
    a, by = array(x), integer(shifts, "a known shift")
    if dim is None and a.rank != 1:
        raise NotLifted("a roll without an axis of an array with several")
    k = scope.axis(a, scalar(0) if dim is None else dim)
    size = scope.shape(a)[k]
    return scope.make(a.shape, lambda at: a.at((*at[:k], remainder(at[k] - by, size), *at[k + 1 :])), a)


def padded(scope: Scope, a: Array, widths: Sequence[tuple[Index, Index]], value: Term) -> Array:
    """The array with a border of these widths before and after each axis."""
    shape = scope.shape(a)

    def entry(at: tuple[Index, ...]) -> Term:
        own = [i - before for i, (before, _) in zip(at, widths, strict=True)]
        edges = [(i, s) for i, s, w in zip(own, shape, widths, strict=True) if w != (Index(), Index())]
        inside = condition([c for i, s in edges for c in (at_least(i, 0), less(i, s))])
        return chosen(inside, a.real(own), value)

    return as_truth(scope.make([s + w[0] + w[1] for s, w in zip(shape, widths, strict=True)], entry, a), a)


def _pad(scope: Scope, x: Value, pad: Value, mode: Value, value: Value) -> Array:
    """torch's pad: pairs of widths, the last axis first."""
    a, found = array(x), [integer(w) for w in pad]
    if mode != "constant" or len(found) % 2 or len(found) > 2 * a.rank:
        raise NotLifted("padding with something else than a constant")
    pairs = [(found[k], found[k + 1]) for k in range(0, len(found), 2)]
    none = (Index(), Index())
    widths = [none] * (a.rank - len(pairs)) + pairs[::-1]
    return padded(scope, a, widths, number_of(scalar(0) if value is None else value))


def _numpy_pad(scope: Scope, x: Value, pad_width: Value, mode: Value, constant_values: Value) -> Array:
    a = array(x)
    if mode != "constant":
        raise NotLifted("padding with something else than a constant")
    rows = pad_width if isinstance(pad_width, (tuple, list)) else [pad_width]
    if not isinstance(rows[0], (tuple, list)):
        rows = [rows * 2 if len(rows) == 1 else rows] * a.rank
    if len(rows) != a.rank or any(len(r) != 2 for r in rows):
        raise NotLifted("padding with widths that do not fit the axes", code="shape-conflict")
    return padded(scope, a, [(integer(r[0]), integer(r[1])) for r in rows], number_of(constant_values))


def _average(scope: Scope, x: Value, dim: Value, weights: Value) -> Array:
    from derivations.lifting.operations.all_operations import call

    a = array(x)
    if weights is None:
        return call(scope, "numpy.mean", [a, dim], {})  # type: ignore[no-any-return]
    w = array(weights)
    if dim is not None and w.rank == 1 and a.rank > 1:
        k = scope.axis(a, dim)
        w = reshape(scope, w, [scalar(-1 if j == k else 1) for j in range(a.rank)])
    elif w.rank != a.rank:
        raise NotLifted("weights of another shape than what they weigh", code="shape-conflict")
    total = call(scope, "numpy.sum", [binary(scope, "*", a, w), dim], {})
    below = call(scope, "numpy.sum", [weights, dim if w.rank == array(weights).rank else None], {})
    return scope.elementwise("/", lambda s, t: divided(real(s), real(t)), total, below)


def _difference(scope: Scope, x: Value, n: Value, dim: Value) -> Array:
    a = array(x)
    if integer(n) is not Index.of(1):
        raise NotLifted("differences of a higher order")
    k = scope.axis(a, dim)
    shape = list(scope.shape(a))
    shape[k] = shape[k] - 1

    def entry(at: tuple[Index, ...]) -> Term:
        return plus(a.real((*at[:k], at[k] + 1, *at[k + 1 :])), minus(a.real(at)))

    return scope.make(shape, entry, a)


def _append(scope: Scope, x: Value, values: Value, dim: Value) -> Array:
    parts = [array(v) if array(v).rank else reshape(scope, v, [scalar(1)]) for v in (x, values)]
    if dim is None and any(p.rank != 1 for p in parts):
        raise NotLifted("append without an axis to an array with several")
    return concatenate(scope, parts, scalar(0) if dim is None else dim)


def _turned(axis: int) -> Callable[..., Array]:
    def build(scope: Scope, x: Value) -> Array:
        a = array(x)
        if a.rank <= axis:
            raise NotLifted("an array with too few axes", code="shape-conflict")
        last = scope.shape(a)[axis] - 1
        return scope.make(a.shape, lambda at: a.at([last - i if k == axis else i for k, i in enumerate(at)]), a)

    return build


def _log_sum(scope: Scope, x: Value, y: Value) -> Array:
    def build(a: Entry, b: Entry) -> Term:
        return Apply("log", plus(Apply("exp", real(a)), Apply("exp", real(b))))

    return scope.elementwise("logaddexp", build, array(x), array(y))


def _similarity(scope: Scope, x: Value, y: Value, dim: Value) -> Array:
    from derivations.lifting.operations.all_operations import call

    scope.assume(Note("compared-longer"))
    a, b = array(x), array(y)
    k = [scalar(k) for k in dims(scope, a, dim)]
    inner = call(scope, "torch.sum", [binary(scope, "*", a, b), k], {})
    norms = [call(scope, "torch.linalg.vector_norm", [v, scalar(2), k], {}) for v in (a, b)]
    return scope.elementwise("/", lambda s, u, v: divided(real(s), times(real(u), real(v))), inner, *norms)


ROWS: tuple[Op, ...] = (
    op("torch.roll .roll", "x shifts dims=None", lambda s, x, shifts, dims: _roll(s, x, shifts, dims), "torch.roll(x, 1, 0)",
       "torch.roll(x, shifts=-2, dims=1)", "torch.roll(v, 1)"),
    op("numpy.roll", "x shift dim=None", lambda s, x, shift, dim: _roll(s, x, shift, dim), "np.roll(x, 1, axis=1)"),
    op("torch.nn.functional.pad", "x pad mode='constant' value=None", _pad, "F.pad(x, (1, 2))",
       "F.pad(x, (0, 0, 1, 0), value=2.5)"),
    op("numpy.pad", "x pad_width mode='constant' constant_values=0", _numpy_pad, "np.pad(x, 1)", "np.pad(x, ((1, 0), (0, 2)))",
       "np.pad(v, (2, 1), constant_values=4)"),
    op("numpy.average", "x dim=None weights=None", _average, "np.average(x, axis=0)", "np.average(x, axis=1, weights=v * v + 1)",
       "np.average(x, weights=x * x + 1)", defined="the weights do not sum to zero"),
    op("numpy.diff torch.diff .diff", "x n=1 dim=-1", _difference, "np.diff(x, axis=0)", "torch.diff(v)"),
    op("numpy.append", "x values dim=None", _append, "np.append(v, 1.5)", "np.append(x, x, axis=1)"),
    op("numpy.flipud torch.flipud", "x", _turned(0), "np.flipud(x)"),
    op("numpy.fliplr torch.fliplr", "x", _turned(1), "np.fliplr(x)"),
    op("numpy.logaddexp torch.logaddexp", "x y", _log_sum, "np.logaddexp(x, z)", "torch.logaddexp(x, z)"),
    op("torch.nn.functional.cosine_similarity torch.cosine_similarity", "x y dim=1", _similarity, "F.cosine_similarity(x, z + 4)",
       "F.cosine_similarity(x, z + 4, dim=0)", defined="no vector is zero"),
    op("numpy.floor_divide torch.floor_divide", "x y", lambda s, x, y: binary(s, "//", x, y),
       "1.0 * np.floor_divide(np.arange(5), 2)"),
    op("numpy.mod numpy.remainder torch.remainder .remainder", "x y", lambda s, x, y: binary(s, "%", x, y),
       "1.0 * np.mod(np.arange(5), 2)"),
)  # fmt: skip
