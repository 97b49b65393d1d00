r"""The summation convention: an index that stands twice in a product and not on the left side is summed over.

`O^{ib} = A^{ij} V^{jb}` becomes `O^{ib} = \sum_j A^{ij} V^{jb}`, term by term, the sum around as little as possible.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from derivations.latex.syntax.letters import letter, letter_node
from derivations.latex.syntax.surface import (
    Adjacent,
    Big,
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

Slots = Callable[[Scripted], Iterable[str]]
"""The index letters of one name with scripts."""
PRODUCTS = frozenset({"cdot", "times", "ast", "odot", "/"})


def free_letters(first: Node, others: Iterable[Node], slots: Slots) -> set[str]:
    """The index letters of the left side: they are not summed over, unless one stands twice there and nowhere else."""
    twice = {c for c, n in Counter(_letters(first, slots)).items() if n > 1}
    elsewhere = {c for node in others for c in _present(node, slots)}
    return _present(first, slots) - (twice - elsewhere)


def unbound_letters(node: Node, slots: Slots) -> set[str]:
    """The index letters that no sum binds."""
    return set(_letters(node, slots))


def _present(node: Node, slots: Slots) -> set[str]:
    return {c for n in walk(node) if isinstance(n, Scripted) for c in slots(n)}


def summed(node: Node, free: set[str], slots: Slots) -> Node:
    """The expression with a sum over every index that stands twice in a term and is not free."""
    if isinstance(node, Infix) and node.operator in ("+", "-"):
        return replace(node, left=summed(node.left, free, slots), right=summed(node.right, free, slots))
    if isinstance(node, Prefix):
        return replace(node, operand=summed(node.operand, free, slots))
    whole = Counter(_letters(node, slots))
    node = _inside(node, free, whole, slots)
    left = Counter(_letters(node, slots))
    for c in sorted((c for c, n in left.items() if n > 1 and c not in free), reverse=True):
        place = next(n.span for n in walk(node) if letter(n) == c)
        node = Big(node.span, "sum", letter_node(place, c), None, node)
    return node


def _inside(node: Node, free: set[str], whole: Counter[str], slots: Slots) -> Node:
    """A term whose brackets and arguments have their own sums, over what stands nowhere else in the term."""
    if isinstance(node, Adjacent):
        return replace(node, items=tuple(_inside(n, free, whole, slots) for n in node.items))
    if isinstance(node, Infix) and node.operator in PRODUCTS:
        left, right = (_inside(n, free, whole, slots) for n in (node.left, node.right))
        return replace(node, left=left, right=right)
    if isinstance(node, Fraction) and not _is_derivative(node):
        above, below = (_inside(n, free, whole, slots) for n in (node.above, node.below))
        return replace(node, above=above, below=below)
    if isinstance(node, Scripted) and isinstance(node.base, Enclosed):
        return replace(node, base=_inside(node.base, free, whole, slots))
    if isinstance(node, Enclosed) and isinstance(node.content, Adjacent | Infix | Prefix | Scripted):
        return replace(node, content=_own(node.content, free, whole, slots))
    if isinstance(node, Operator) and node.arguments:
        return replace(node, arguments=tuple(_own(n, free, whole, slots) for n in node.arguments))
    return node


def _own(node: Node, free: set[str], whole: Counter[str], slots: Slots) -> Node:
    here = Counter(_letters(node, slots))
    return summed(node, free | {c for c, n in whole.items() if n > here[c]}, slots)


def _is_derivative(node: Fraction) -> bool:
    first = node.below.items[0] if isinstance(node.below, Adjacent) else None
    return isinstance(first, Name) and first.base in ("partial", "d")


def _letters(node: Node, slots: Slots) -> Iterator[str]:
    """Every occurrence of an index letter that no sum binds."""
    if isinstance(node, Big):
        bound = {letter(n) for n in _parts(node.sub)}
        yield from (c for c in _letters(node.body, slots) if c not in bound)
        return
    if isinstance(node, Scripted):
        yield from slots(node)
        yield from _letters(node.base, slots)
        return
    for part in node.parts:
        yield from _letters(part, slots)


def _parts(node: Node | None) -> Iterator[Node]:
    if node is not None:
        yield node
        for part in node.parts:
            yield from _parts(part)
