"""Rows of the products of arrays: matrix products, einsum, outer products, attention."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from derivations.language.term import HALF, Index, NegInfinity, Number, Pow, Term, at_least
from derivations.lifting.operations.elementwise import additive_mask
from derivations.lifting.operations.reductions import softmax
from derivations.lifting.operations.shaping import repeat_interleave, swap
from derivations.lifting.operations.table import Op, Value, array, constant, op
from derivations.lifting.symbolic.arrays import Array, real, scalar, truth
from derivations.lifting.symbolic.not_lifted import NotLifted
from derivations.lifting.symbolic.scope import Scope
from derivations.lifting.symbolic.term_arithmetic import divided, plus, times
from derivations.lifting.symbolic.truth_values import chosen, condition, selected
from derivations.notes import Note


def contract(scope: Scope, size: Index, body: Callable[[Index], tuple[Term, Term]]) -> Term:
    return scope.total(size, lambda k: times(*body(k)))


def _numbers(*values: Value) -> list[Array]:
    """The factors of a product; NumPy joins truth values by `or`, torch refuses them."""
    arrays = [array(v) for v in values]
    if all(a.kind == "bool" for a in arrays):
        raise NotLifted("a product of truth values")
    if any(a.numbers == "short" for a in arrays):
        raise NotLifted("a product of whole numbers of fewer than 32 bits, or without a sign, that may wrap")
    return arrays


def matmul(scope: Scope, x: Value, y: Value) -> Array:
    """`x @ y`: vectors are contracted, leading axes are broadcast."""
    a, b = _numbers(x, y)
    if not a.rank or not b.rank:
        raise NotLifted("a matrix product with a number", code="shape-conflict")
    inner = scope.sizes.require(a.shape[-1], b.shape[-2 if b.rank > 1 else 0], "@")
    rows = a.shape[-2:-1] if a.rank > 1 else ()
    columns = b.shape[-1:] if b.rank > 1 else ()
    lead = scope.broadcast([a.shape[:-2], b.shape[:-2]], "@")
    left = a.shape[:-2]
    right = b.shape[:-2]
    one = Index.of(1)

    def own(shape: Sequence[Index], at: Sequence[Index]) -> list[Index]:
        used = at[len(at) - len(shape) :] if shape else []
        return [Index.of(0) if scope.sizes.resolve(s) is one else i for s, i in zip(shape, used, strict=True)]

    def entry(at: tuple[Index, ...]) -> Term:
        first = at[: len(lead)]
        rest = list(at[len(lead) :])
        row = [rest.pop(0)] if rows else []
        return contract(
            scope, inner, lambda k: (a.real([*own(left, first), *row, k]), b.real([*own(right, first), k, *rest]))
        )

    return scope.make((*lead, *rows, *columns), entry, b if a.whole or not a.library else a)


def _ranked(left: int | None, right: int | None, build: Callable[..., Array]) -> Callable[..., Array]:
    """The same operation, for arrays of these ranks only: `mm` refuses what `matmul` would broadcast."""

    def checked(scope: Scope, x: Value, y: Value) -> Array:
        for value, rank in ((x, left), (y, right)):
            if rank is not None and array(value).rank != rank:
                raise NotLifted(f"needed {rank} axes, found {array(value).rank}", code="shape-conflict")
        return build(scope, x, y)

    return checked


def _dot(scope: Scope, x: Value, y: Value) -> Array:
    """numpy.dot: the last axis of x with the last but one of y, no broadcasting."""
    a, b = array(x), array(y)
    if not a.rank or not b.rank:
        return scope.elementwise("*", lambda s, t: times(real(s), real(t)), a, b)
    if a.rank <= 2 and b.rank <= 2:
        return matmul(scope, a, b)
    inner = scope.sizes.require(a.shape[-1], b.shape[-2 if b.rank > 1 else 0], "dot")
    rest = b.shape[:-2] + b.shape[-1:] if b.rank > 1 else ()

    def entry(at: tuple[Index, ...]) -> Term:
        mine, other = at[: a.rank - 1], at[a.rank - 1 :]
        return contract(scope, inner, lambda k: (a.real([*mine, k]), b.real([*other[:-1], k, *other[-1:]])))

    return scope.make((*a.shape[:-1], *rest), entry, a)


def _inner(scope: Scope, x: Value, y: Value) -> Array:
    """The last axes of both."""
    a, b = _numbers(x, y)
    inner = scope.sizes.require(a.shape[-1], b.shape[-1], "inner")

    def entry(at: tuple[Index, ...]) -> Term:
        mine, other = at[: a.rank - 1], at[a.rank - 1 :]
        return contract(scope, inner, lambda k: (a.real([*mine, k]), b.real([*other, k])))

    return scope.make((*a.shape[:-1], *b.shape[:-1]), entry, a)


def _outer(scope: Scope, x: Value, y: Value) -> Array:
    a, b = array(x), array(y)
    if a.rank != 1 or b.rank != 1:
        raise NotLifted("the outer product of arrays that are no vectors")
    return scope.make((*a.shape, *b.shape), lambda at: times(a.real(at[:1]), b.real(at[1:])), a)


def _tensordot(scope: Scope, x: Value, y: Value, dims: Value) -> Array:
    a, b = _numbers(x, y)
    if isinstance(dims, (tuple, list)):
        pair = [
            [scope.axis(t, k) for k in (d if isinstance(d, (tuple, list)) else [d])]
            for t, d in zip((a, b), dims, strict=True)
        ]
        left, right = pair
    else:
        n = constant(dims)
        left, right = list(range(a.rank - n, a.rank)), list(range(n))
    sizes = [scope.sizes.require(a.shape[i], b.shape[j], "tensordot") for i, j in zip(left, right, strict=True)]
    mine = [k for k in range(a.rank) if k not in left]
    other = [k for k in range(b.rank) if k not in right]

    def entry(at: tuple[Index, ...]) -> Term:
        def body(bound: tuple[Index, ...]) -> Term:
            if len(bound) < len(sizes):
                return scope.total(sizes[len(bound)], lambda k: body((*bound, k)))
            p = {**dict(zip(mine, at, strict=False)), **dict(zip(left, bound, strict=True))}
            q = {**dict(zip(other, at[len(mine) :], strict=True)), **dict(zip(right, bound, strict=True))}
            return times(a.real([p[k] for k in range(a.rank)]), b.real([q[k] for k in range(b.rank)]))

        return body(())

    return scope.make((*(a.shape[k] for k in mine), *(b.shape[k] for k in other)), entry, a)


def einsum(scope: Scope, equation: Value, operands: Value) -> Array:
    """`einsum("ij,jk->ik", a, b)`; `...` stands for leading axes that are carried along."""
    if not isinstance(equation, str):
        raise NotLifted("einsum without its index string")
    arrays = _numbers(*operands)
    left, arrow, right = equation.replace(" ", "").partition("->")
    parts = left.split(",")
    if len(parts) != len(arrays):
        raise NotLifted(f"einsum names {len(parts)} arrays, but is given {len(arrays)}", code="shape-conflict")
    hidden = max(
        (a.rank - len(p.replace("...", "")) for p, a in zip(parts, arrays, strict=True) if "..." in p), default=0
    )
    extra = "".join(chr(0x391 + k) for k in range(hidden))
    full = []
    for p, a in zip(parts, arrays, strict=True):
        own = a.rank - len(p.replace("...", "")) if "..." in p else 0
        full.append(p.replace("...", extra[hidden - own :] if own else ""))
    if not arrow:
        right = "".join(c for c in sorted(set(left) - {",", "."}) if left.count(c) == 1)
        right = ("..." if hidden else "") + right
    result = right.replace("...", extra)
    size: dict[str, Index] = {}
    for p, a in zip(full, arrays, strict=True):
        if len(p) != a.rank:
            raise NotLifted(f"einsum writes {len(p)} indices for an array of {a.rank} axes", code="shape-conflict")
        for c, s in zip(p, a.shape, strict=True):
            size[c] = scope.sizes.require(size[c], s, "einsum") if c in size else scope.sizes.resolve(s)
    summed = [c for c in dict.fromkeys("".join(full)) if c not in result]
    if any(c not in size for c in result) or len(set(result)) != len(result):
        raise NotLifted("einsum: an index of the result that no array has, or twice")

    def entry(at: tuple[Index, ...]) -> Term:
        place = dict(zip(result, at, strict=True))

        def body(k: int, place: dict[str, Index]) -> Term:
            if k < len(summed):
                return scope.total(size[summed[k]], lambda i: body(k + 1, {**place, summed[k]: i}))
            return times(*(a.real([place[c] for c in p]) for p, a in zip(full, arrays, strict=True)))

        return body(0, place)

    return scope.make([scope.sizes.resolve(size[c]) for c in result], entry, arrays[0])


def attention(
    scope: Scope,
    query: Value,
    key: Value,
    value: Value,
    attn_mask: Value,
    dropout_p: Value,
    is_causal: Value,
    scale: Value,
    enable_gqa: Value,
) -> Array:
    """F.scaled_dot_product_attention; a causal mask is aligned to the top left, also for unequal lengths."""
    q, k, v = array(query), array(key), array(value)
    if enable_gqa is True:
        k, v = (_for_each_query(scope, q, t) for t in (k, v))
    _no_dropout(scope, dropout_p)
    scores = matmul(scope, q, swap(scope, k, -1, -2))
    by = (
        array(scale).entry
        if scale is not None
        else divided(Number(1), Pow(real(scope.sizes.resolve(q.shape[-1])), HALF))
    )
    scores = scope.elementwise("scale", lambda s, c: times(real(s), real(c)), scores, scalar(by))
    if attn_mask is not None:
        mask = array(attn_mask)
        if mask.kind == "bool":
            scores = scope.elementwise("mask", lambda s, m: selected(truth(m), real(s), NegInfinity()), scores, mask)
        else:
            scores = scope.elementwise("mask", lambda s, m: plus(real(s), real(m)), scores, additive_mask(scope, mask))
    if is_causal is True:
        if attn_mask is not None:
            raise NotLifted("is_causal together with a mask is an error in torch")
        scores = scope.make(
            scores.shape,
            lambda at: chosen(condition((at_least(at[-2], at[-1]),)), scores.real(at), NegInfinity()),
            scores,
        )
    return matmul(scope, softmax(scope, scores, scalar(-1)), v)


def _for_each_query(scope: Scope, query: Array, a: Array) -> Array:
    """Keys or values of fewer heads than queries have, each repeated for its group."""
    if query.rank < 3 or a.rank < 3:
        raise NotLifted("grouped queries without an axis of heads")
    groups = scope.sizes.divided(query.shape[-3], a.shape[-3], "the groups of heads")
    return repeat_interleave(scope, a, scalar(groups), scalar(-3))


def _no_dropout(scope: Scope, p: Value) -> None:
    if not (isinstance(p, Array) and p.rank == 0 and (p.entry is Index.of(0) or p.entry is Number(0))):
        scope.assume(Note("dropout-off"))


def _linear(scope: Scope, x: Value, weight: Value, bias: Value) -> Array:
    made = matmul(scope, x, swap(scope, array(weight), -1, -2) if array(weight).rank > 1 else weight)
    if bias is None:
        return made
    return scope.elementwise("+", lambda s, t: plus(real(s), real(t)), made, array(bias))


def _dropout(scope: Scope, x: Value, p: Value) -> Value:
    scope.assume(Note("dropout-off"))
    return x


ROWS: tuple[Op, ...] = (
    op("torch.matmul .matmul numpy.matmul", "x y", matmul, "x @ y", "torch.matmul(b, c)", "x @ v", "v @ y", "b @ y", "u @ v"),
    op("torch.mm .mm", "x y", _ranked(2, 2, matmul), "torch.mm(x, y)"),
    op("torch.bmm .bmm", "x y", _ranked(3, 3, matmul), "torch.bmm(b, c)"),
    op("torch.mv .mv", "x y", _ranked(2, 1, matmul), "torch.mv(x, v)"),
    op("torch.dot .vdot torch.vdot numpy.vdot", "x y", _ranked(1, 1, matmul), "torch.dot(u, v)"),
    op("numpy.dot .dot", "x y", _dot, "np.dot(x, y)", "np.dot(u, v)", "np.dot(b, y)", "np.dot(x, c)"),
    op("torch.inner .inner numpy.inner", "x y", _inner, "torch.inner(x, z)", "np.inner(x, v)"),
    op("torch.outer .outer numpy.outer torch.ger", "x y", _outer, "torch.outer(u, v)", "np.outer(u, v)"),
    op("torch.tensordot numpy.tensordot", "x y dims=2", _tensordot, "torch.tensordot(x, y, dims=1)",
       "torch.tensordot(b, c, dims=([0, 2], [0, 1]))"),
    op("torch.einsum numpy.einsum", "equation *operands", einsum, "torch.einsum('bij,bjk->bik', b, c)",
       "torch.einsum('ij->ji', x)",
       "torch.einsum('ij,jk', x, y)", "np.einsum('...ij,jk->...ik', b, y)", "torch.einsum('ii->', s)"),
    op("torch.nn.functional.scaled_dot_product_attention",
       "query key value attn_mask=None dropout_p=0 is_causal=False scale=None enable_gqa=False", attention,
       "F.scaled_dot_product_attention(query=x, key=z, value=z)",
       "F.scaled_dot_product_attention(x, z, z)", "F.scaled_dot_product_attention(x, s @ x, s @ x, scale=0.5)",
       "F.scaled_dot_product_attention(x, y.T, y.T @ y, is_causal=True)",
       "F.scaled_dot_product_attention(x, y.T, y.T, attn_mask=torch.ones(2, 4).tril().bool())",
       source="torch.nn.functional.scaled_dot_product_attention: the code of the documentation",
       defined="every query has an unmasked key"),
    op("torch.nn.functional.linear", "x weight bias=None", _linear, "F.linear(x, z, u[:2])", "F.linear(x, z)"),
    op("torch.nn.functional.dropout", "x p=None", _dropout),
)  # fmt: skip
