r"""Means: in `\frac{1}{N} \sum_j x_j` the letter j counts N, also where the sum has no limits."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from derivations.latex.syntax.letters import letter
from derivations.latex.syntax.surface import Adjacent, Big, Chain, Fraction, Infix, Literal, Name, Node, Scripted, walk

COUNTS = frozenset("NDHMKBCndm")
"""Letters that usually count things; Z and l are denominators of a softmax, T is a temperature."""


def count_of(before: Node | None, node: Node) -> Node | None:
    r"""N, where a sum over a letter without limits stands after `\frac{1}{N}` or `1/N`."""
    plain = isinstance(node, Big) and node.name == "sum" and node.sup is None and letter(node.sub) is not None
    if not plain:
        return None
    above, below = _quotient(before)
    return below if isinstance(above, Literal) and above.text == "1" and _counts(below) else None


def count_below(node: Node) -> Node | None:
    r"""N in `\frac{\sum_j x_j}{N}`."""
    above, below = _quotient(node)
    one = Fraction(node.span, Literal(node.span, "1"), below) if below is not None else None
    return count_of(one, above) if above is not None else None


def counted(node: Node) -> Iterator[Node]:
    """What the means in an expression count."""
    for n in walk(node):
        found = [count_below(n)] if isinstance(n, Fraction | Infix) else []
        if isinstance(n, Adjacent):
            found += [count_of(a, b) for a, b in pairwise(n.items)]
        yield from (c for c in found if c is not None)


def defined_letters(chains: Iterator[Chain]) -> set[str]:
    """Letters that an equation defines by more than a number."""
    return {
        c
        for chain in chains
        if chain.links and chain.links[0][0] in ("=", "equiv") and not isinstance(chain.links[0][1], Literal)
        if (c := letter(chain.first)) is not None
    }


def _quotient(node: Node | None) -> tuple[Node | None, Node | None]:
    if isinstance(node, Fraction):
        return node.above, node.below
    if isinstance(node, Infix) and node.operator == "/":
        return node.left, node.right
    return None, None


def _counts(node: Node | None) -> bool:
    base = node.base if isinstance(node, Scripted) and node.sup is None else node
    return isinstance(base, Name) and base.base in COUNTS and base.font in ("", "roman") and not base.accents
