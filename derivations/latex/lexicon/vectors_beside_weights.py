"""What stands beside a weight matrix: `x_i` in `x_i W^Q` is a vector, and so is `b` in `Wx + b`.

Most documents never state these shapes; a number times a matrix of weights occurs in none of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

from derivations.latex.syntax.letters import is_upper
from derivations.latex.syntax.surface import (
    Adjacent,
    Enclosed,
    Fraction,
    Infix,
    Name,
    Node,
    Operator,
    Prefix,
    Scripted,
    walk,
)

if TYPE_CHECKING:
    from derivations.latex.lexicon.name_roles import Names
    from derivations.latex.lexicon.written_names import Written

WEIGHTS = frozenset("WU")
VECTORS = frozenset("xhqkvzyuoe")
BIASES = frozenset("bc")


def vectors(names: Names, nodes: Iterable[Node]) -> Iterator[tuple[Written, bool]]:
    """The names that stand where only a vector can, and whether that is written and not only usual.

    Usual is what stands beside a weight matrix; a norm, a transpose and a product entry by entry are written.
    """
    for n in nodes:
        if isinstance(n, Adjacent):
            yield from ((w, True) for w in _in_products(names, n.items))
            yield from ((w, False) for w in _beside_weights(names, n.items))
        elif isinstance(n, Infix) and n.operator in ("cdot", "@", "times", "ast"):
            yield from ((w, True) for w in _in_products(names, (n.left, n.right)))
            yield from ((w, False) for w in _beside_weights(names, (n.left, n.right)))
        elif isinstance(n, Infix) and n.operator == "+" and _is_bias(n.right) and _has_weights(names, n.left):
            yield from ((w, False) for w in (names.written(n.right),) if w is not None)
        else:
            yield from ((w, True) for w in _in_signs(names, n))


def _in_signs(names: Names, n: Node) -> Iterator[Written]:
    """The names of which a norm is taken, that are multiplied entry by entry, or normalised."""
    if isinstance(n, Enclosed) and n.kind == "norm" and n.content is not None:
        yield from _normed(names, n.content)
    elif isinstance(n, Infix) and n.operator == "odot":
        yield from _bare_small(names, (n.left, n.right))
    elif isinstance(n, Infix) and n.operator == "+" and isinstance(n.left, Infix) and n.left.operator == "odot":
        yield from _bare_small(names, (n.right,))
    elif isinstance(n, Fraction):
        yield from _normalised(names, n)


def _bare_small(names: Names, items: Iterable[Node]) -> Iterator[Written]:
    r"""The small letters that are multiplied entry by entry, and what is added to that: `\gamma \odot x + \beta`."""
    for n in items:
        w = names.written(n)
        if w is not None and not w.slots and not is_upper(w.stem) and w.power is None:
            yield w


def _normed(names: Names, node: Node) -> Iterator[Written]:
    r"""The small letters of which a norm is taken: `\|q - k_j\|`."""
    for part in node.parts if isinstance(node, Infix) and node.operator in ("+", "-") else (node,):
        w = names.written(part)
        if w is not None and w.power is None and len(w.slots) <= 1 and len(w.stem) == 1 and w.stem.islower():
            if w.stem not in names.sizes | names.index_letters:
                yield w


def _normalised(names: Names, node: Fraction) -> Iterator[Written]:
    r"""x in `\\frac{x - \\mathrm{E}[x]}{\\sqrt{\\mathrm{Var}[x] + \\epsilon}}`, as layers that normalise are written."""
    above = node.above
    w = names.written(above.left) if isinstance(above, Infix) and above.operator == "-" else None
    if w is None or not _is_token(w) or not isinstance(above, Infix):
        return
    moments = [above.right, *(n for n in walk(node.below) if isinstance(n, Operator) and n.name == "Var")]
    own = [names.written(n.arguments[0]) for n in moments if isinstance(n, Operator) and len(n.arguments) == 1]
    if len(own) == len(moments) > 1 and all(v is not None and v.stem == w.stem for v in own):
        yield w


def _in_products(names: Names, items: tuple[Node, ...]) -> Iterator[Written]:
    r"""The small letters of `q^\\top k`, `q^\\top R k` and `\\theta^\\top H \\theta`."""
    for a, (b, c) in zip(items, pairwise(items[1:]), strict=False):
        row, column = names.written(a), names.written(c)
        if row is not None and column is not None and row.transposed and _is_matrix(names, b):
            if row.stem == column.stem and not column.transposed and _is_small(names, row) and _is_small(names, column):
                yield from (row, column)  # theta^T H theta
    if len(items) > 2 and all(_is_matrix(names, n) for n in items[1:-1]):
        row, column = names.written(items[0]), names.written(items[-1])
        if row is not None and column is not None and row.transposed and _is_token(row) and _is_token(column):
            yield from (row, column)  # q^T R k
    for a, b in pairwise(items):
        row, column = names.written(a), names.written(b)
        if row is not None and column is not None and row.transposed and _is_token(row) and _is_token(column):
            yield column  # q^T k
        if row is not None and column is not None and column.transposed and _is_token(row) and _is_token(column):
            yield row  # q k^T


def _beside_weights(names: Names, items: tuple[Node, ...]) -> Iterator[Written]:
    for a, b in pairwise(items):
        for weight, other in ((a, b), (b, a)):
            w = names.written(other)
            if not _is_weight(names, weight) or w is None or w.power is not None or len(w.slots) > 1:
                continue
            if len(w.stem.split("_")[0]) == 1 and w.stem[0] in VECTORS and w.font != "calligraphic":
                yield w


def _is_token(w: Written) -> bool:
    """`q`, `k_j`: a small letter with at most one index."""
    return w.power is None and len(w.slots) <= 1 and len(w.stem.split("_")[0]) == 1 and w.stem[0] in VECTORS


def _is_small(names: Names, w: Written) -> bool:
    """Any small letter without an index that is neither a length nor an index."""
    known = w.stem in names.sizes or w.stem in names.index_letters
    return not (known or w.slots or w.power is not None or is_upper(w.stem) or w.font == "calligraphic")


def _is_matrix(names: Names, node: Node) -> bool:
    w = names.written(node)
    return w is not None and is_upper(w.stem) and w.power is None


def _is_weight(names: Names, node: Node) -> bool:
    w = names.written(node)
    return w is not None and w.stem.split("_")[0] in WEIGHTS and not w.slots and w.power is None


def _is_bias(node: Node) -> bool:
    base = node.base if isinstance(node, Scripted) else node
    return isinstance(base, Name) and base.base in BIASES


def _has_weights(names: Names, node: Node) -> bool:
    """Whether a summand before the bias is a product with a weight matrix."""
    if isinstance(node, Infix) and node.operator in ("+", "-"):
        return _has_weights(names, node.left) or _has_weights(names, node.right)
    if isinstance(node, Enclosed | Prefix):
        return any(_has_weights(names, p) for p in node.parts)
    items = node.items if isinstance(node, Adjacent) else (node,) if isinstance(node, Scripted | Name) else ()
    if isinstance(node, Infix) and node.operator in ("cdot", "@", "times", "ast"):
        items = (node.left, node.right)
    return len(items) > 1 and any(_is_weight(names, m) for i in items for m in walk(i))
