r"""Binomial coefficients that are written as a column of two: `\left(\begin{array}{c} n \\ k \end{array}\right)`.

The column is one where its lower entry stands in an exponent of a factor beside it, `p^k (1 - p)^{n-k}`, or where a sum
runs over the lower entry up to the upper one.  Any other column of two is a vector.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from derivations.latex.passes.short_forms import mapped
from derivations.latex.syntax.surface import (
    Adjacent,
    Big,
    Chain,
    Enclosed,
    Fraction,
    Infix,
    Literal,
    Matrix,
    Node,
    Operator,
    Prefix,
    Reading,
    Scripted,
    bare,
    walk,
)


def with_binomials(reading: Reading) -> Reading:
    """The reading with such columns as binomial coefficients, and the same columns wherever else they stand in it."""
    found = {bare(pair) for n in walk(reading.chain) for pair in _chosen(n)}
    if not found:
        return reading

    def change(node: Node) -> Node:
        pair = _pair(node)
        if pair is None or bare(pair) not in found:
            return node
        return Operator(node.span, "binom", None, None, pair)

    chain = mapped(reading.chain, change)
    return replace(reading, chain=chain) if isinstance(chain, Chain) else reading


def _pair(node: Node) -> tuple[Node, Node] | None:
    """The entries of a column of two in parentheses."""
    inner = node.content if isinstance(node, Enclosed) and node.kind == "()" else node
    column = isinstance(inner, Matrix) and (inner.kind == "pmatrix" if inner is node else inner.kind == "array")
    if not column or not isinstance(inner, Matrix) or [len(row) for row in inner.rows] != [1, 1]:
        return None
    return inner.rows[0][0], inner.rows[1][0]


def _chosen(node: Node) -> Iterator[tuple[Node, Node]]:
    """The columns of which a node shows that they are binomial coefficients."""
    if isinstance(node, Adjacent | Infix):
        factors = list(_factors(node))
        exponents = [
            bare(part) for f in factors if isinstance(f, Scripted) and f.sup is not None for part in walk(f.sup)
        ]
        for pair in filter(None, map(_pair, factors)):
            if not isinstance(pair[1], Literal) and bare(pair[1]) in exponents:
                yield pair
    if isinstance(node, Big) and isinstance(node.sub, Chain) and node.sub.first is not None and node.sup is not None:
        bounds = bare(node.sup), bare(node.sub.first)
        yield from (p for n in walk(node.body) if (p := _pair(n)) is not None and (bare(p[0]), bare(p[1])) == bounds)


def _factors(node: Node) -> Iterator[Node]:
    """The factors of a product, whatever signs stand between them."""
    if isinstance(node, Adjacent):
        for item in node.items:
            yield from _factors(item)
    elif isinstance(node, Infix) and node.operator in ("cdot", "times", "*"):
        yield from _factors(node.left)
        yield from _factors(node.right)
    elif isinstance(node, Fraction):
        yield from _factors(node.above)
    elif isinstance(node, Prefix):
        yield from _factors(node.operand)
    else:
        yield node
