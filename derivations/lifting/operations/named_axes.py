"""Operations of einops: the axes of arrays have names in a pattern, `"b n (h d) -> b h n d"`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from derivations.language.term import Index, Term
from derivations.lifting.operations.products import einsum
from derivations.lifting.operations.shaping import reshape
from derivations.lifting.operations.table import Op, Value, array, integer, op
from derivations.lifting.symbolic.arrays import Array, real, scalar
from derivations.lifting.symbolic.not_lifted import NotLifted
from derivations.lifting.symbolic.scope import Scope
from derivations.lifting.symbolic.term_arithmetic import divided, minus

Groups = list[list[str]]
"""One side of a pattern: for each axis the names that it is composed of; an axis of size 1 has none."""


def _side(text: str) -> Groups:
    """The axes of one side of a pattern.

    >>> _side("b (h d) 1 ...")
    [['b'], ['h', 'd'], [], ['...']]
    """
    groups: Groups = []
    inside: list[str] | None = None
    for word in text.replace("(", " ( ").replace(")", " ) ").split():
        if word == "(" and inside is None:
            inside = []
        elif word == ")" and inside is not None:
            groups.append(inside)
            inside = None
        elif word in ("(", ")"):
            raise NotLifted(f"the brackets of the pattern {text!r}")
        elif inside is not None:
            inside += [] if word == "1" else [word]
        else:
            groups.append([] if word == "1" else [word])
    if inside is not None:
        raise NotLifted(f"the brackets of the pattern {text!r}")
    return groups


def _sides(pattern: Value) -> tuple[Groups, Groups]:
    if not isinstance(pattern, str) or pattern.count("->") != 1:
        raise NotLifted("a pattern without ->")
    left, right = pattern.split("->")
    return _side(left), _side(right)


def _spread_out(groups: Groups, hidden: int) -> Groups:
    """The same with the leading axes of `...` named."""
    return [[f"...{k}"] if g == ["..."] else g for g in groups for k in range(hidden if g == ["..."] else 1)]


def _taken_apart(scope: Scope, a: Array, groups: Groups, sizes: dict[str, Index]) -> tuple[Array, list[str]]:
    """The array with one axis for each name; `sizes` gets the length of each."""
    if len(groups) != a.rank:
        raise NotLifted(f"a pattern of {len(groups)} axes for an array of {a.rank}", code="shape-conflict")
    for group, size in zip(groups, scope.shape(a), strict=True):
        rest, unknown = size, [n for n in group if n not in sizes]
        for n in group:
            if n in sizes and unknown:
                rest = scope.sizes.divided(rest, sizes[n], "the pattern")
        if len(unknown) > 1:
            raise NotLifted(f"the sizes of {' and '.join(unknown)} are not told")
        if unknown:
            sizes[unknown[0]] = rest
        else:
            whole = Index.of(1)
            for n in group:
                whole = whole * sizes[n]
            scope.sizes.require(size, whole, "the pattern")
    names = [n for g in groups for n in g]
    if len(set(names)) != len(names):
        raise NotLifted("a pattern that names an axis twice")
    if all(len(g) == 1 for g in groups):
        return a, names
    return reshape(scope, a, [scalar(scope.sizes.resolve(sizes[n])) for n in names]), names


def _put_together(scope: Scope, a: Array, groups: Groups, sizes: Mapping[str, Index]) -> Array:
    if all(len(g) == 1 for g in groups):
        return a
    shape: list[Value] = []
    for g in groups:
        whole = Index.of(1)
        for n in g:
            whole = whole * scope.sizes.resolve(sizes[n])
        shape.append(scalar(whole))
    return reshape(scope, a, shape)


def _moved(scope: Scope, x: Value, pattern: Value, told: Mapping[str, Value], how: str) -> Array:
    a = array(x)
    left, right = _sides(pattern)
    hidden = a.rank - len([g for g in left if g != ["..."]])
    if hidden and ["..."] not in left:
        raise NotLifted(f"a pattern of {len(left)} axes for an array of {a.rank}", code="shape-conflict")
    left, right = _spread_out(left, hidden), _spread_out(right, hidden)
    sizes = {n: scope.sizes.resolve(integer(v, f"the size {n}")) for n, v in told.items()}
    apart, names = _taken_apart(scope, a, left, sizes)
    wanted = [n for g in right for n in g]
    lost, new = [n for n in names if n not in wanted], [n for n in wanted if n not in names]
    if (lost and how in ("rearrange", "repeat")) or (new and how != "repeat") or len(set(wanted)) != len(wanted):
        raise NotLifted(f"{how}: the two sides of the pattern do not have the same axes")
    if any(n not in sizes for n in new):
        raise NotLifted(f"{how}: the size of a new axis is not told")

    def entry(at: tuple[Index, ...]) -> Term:
        place = dict(zip(wanted, at, strict=True))

        def body(k: int, place: dict[str, Index]) -> Term:
            if k == len(lost):
                return apart.real([place[n] for n in names])
            size = sizes[lost[k]]
            if how == "max":
                return scope.largest(size, lambda i: body(k + 1, {**place, lost[k]: i}))
            if how == "min":
                return minus(scope.largest(size, lambda i: minus(body(k + 1, {**place, lost[k]: i}))))
            total = scope.total(size, lambda i: body(k + 1, {**place, lost[k]: i}))
            return divided(total, real(scope.sizes.resolve(size))) if how == "mean" else total

        if how == "min" and len(lost) > 1:
            raise NotLifted("a minimum over several axes by a pattern")
        return body(0, place)

    made = scope.make([scope.sizes.resolve(sizes[n]) for n in wanted], entry, a)
    return _put_together(scope, made, right, sizes)


def rearrange(scope: Scope, x: Value, pattern: Value, sizes: Mapping[str, Value]) -> Array:
    return _moved(scope, x, pattern, sizes, "rearrange")


def repeat(scope: Scope, x: Value, pattern: Value, sizes: Mapping[str, Value]) -> Array:
    return _moved(scope, x, pattern, sizes, "repeat")


def reduce(scope: Scope, x: Value, pattern: Value, reduction: Value, sizes: Mapping[str, Value]) -> Array:
    if reduction not in ("sum", "mean", "max", "min"):
        raise NotLifted(f"reduce by {reduction!r}")
    return _moved(scope, x, pattern, sizes, reduction)


def contraction(scope: Scope, operands: Sequence[Value]) -> Array:
    """`einsum(a, b, "i j, j k -> i k")`, also with the pattern first: names of axes are words."""
    patterns = [v for v in operands if isinstance(v, str)]
    if len(patterns) != 1 or patterns[0].count("->") != 1:
        raise NotLifted("einsum by words needs one pattern with ->")
    left, right = patterns[0].split("->")
    letters: dict[str, str] = {}

    def short(text: str) -> str:
        found = ""
        for word in text.split():
            if "(" in word or word == "1":
                raise NotLifted("a composed axis in einsum")
            if word != "...":
                word = letters.setdefault(word, chr(0x430 + len(letters)))
            found += word
        return found

    equation = ",".join(short(p) for p in left.split(",")) + "->" + short(right)
    return einsum(scope, equation, [v for v in operands if not isinstance(v, str)])


ROWS: tuple[Op, ...] = (
    op("einops.rearrange", "x pattern **sizes", rearrange, source="einops.rearrange"),
    op("einops.repeat", "x pattern **sizes", repeat, source="einops.repeat"),
    op("einops.reduce", "x pattern reduction **sizes", reduce, source="einops.reduce"),
    op("einops.einsum fancy_einsum.einsum", "*operands", contraction, source="einops.einsum"),
)

__all__ = ["ROWS", "rearrange", "reduce", "repeat"]
