r"""Products of shapes as they are written: `(n \times d) \times (d \times m)`, in which no `n` is multiplied by a `d`."""

from __future__ import annotations

from collections.abc import Sequence

from derivations.documents.facts.declarations import axes
from derivations.latex.elaborator.stated_shapes import PRODUCTS
from derivations.latex.lexicon.name_roles import Names
from derivations.latex.syntax.surface import Adjacent, Enclosed, Infix, Node, Scripted


def factors_of(names: Names, node: Node) -> list[tuple[Sequence[Node], bool]]:
    """The shapes that are multiplied, as the axes of each and whether it is transposed; none in other expressions."""
    if isinstance(node, Infix) and node.operator in PRODUCTS | {"times"}:
        left, right = factors_of(names, node.left), factors_of(names, node.right)
        if left and right and _is_product(node.left) and _is_product(node.right):
            return [*left, *right]
        return [] if node.operator != "times" or _has_parentheses(node) else [(axes(node), False)]
    if isinstance(node, Adjacent):
        parts = [factors_of(names, n) for n in node.items]
        return [f for part in parts for f in part] if all(parts) and all(map(_is_product, node.items)) else []
    if isinstance(node, Enclosed) and node.kind in ("()", "[]") and isinstance(node.content, Infix):
        return factors_of(names, node.content)
    if isinstance(node, Scripted) and isinstance(node.base, Enclosed):
        slots, transposed, power = names.generic_slots(node)
        inside = factors_of(names, node.base)
        if transposed and not slots and power is None and len(inside) == 1:
            return [(inside[0][0], True)]
    return []


def _is_product(node: Node) -> bool:
    """Whether a factor stands in parentheses, or is a product of such factors: not a length."""
    return isinstance(node, Enclosed | Scripted | Adjacent) or (isinstance(node, Infix) and _has_parentheses(node))


def _has_parentheses(node: Node) -> bool:
    return any(isinstance(n, Enclosed) for n in axes(node))
