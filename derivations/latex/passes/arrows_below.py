r"""`\mathcal{L}_{u \to v}` and `m_{j \to i}`: an arrow below a name joins two indices, or two words of a label.

It joins indices where one of its sides is an index elsewhere, below another name or below a sum.
"""

from __future__ import annotations

from collections.abc import Iterator

from derivations.latex.passes.short_forms import mapped_readings
from derivations.latex.syntax.letters import letter, letters_in
from derivations.latex.syntax.surface import Big, Chain, Listed, Node, Reading, Scripted, Words, walk_reading


def with_arrows_below(readings: list[Reading]) -> list[Reading]:
    """The readings with two indices, or a label, for each arrow below a name."""
    nodes = [n for r in readings for n in walk_reading(r)]
    if not any(isinstance(n, Scripted) and _arrow(n.sub) is not None for n in nodes):
        return readings
    indices = set(_indices(nodes))

    def change(node: Node) -> Node:
        ends = _arrow(node.sub) if isinstance(node, Scripted) else None
        if not isinstance(node, Scripted) or node.sub is None or ends is None:
            return node
        letters = [letter(n) for n in ends]
        span = node.sub.span
        if indices.isdisjoint(letters):
            return Scripted(node.span, node.base, Words(span, " to ".join(map(str, letters))), node.sup)
        return Scripted(node.span, node.base, Listed(span, ends), node.sup)

    return mapped_readings(readings, change)


def _arrow(sub: Node | None) -> tuple[Node, Node] | None:
    """The two letters that an arrow joins."""
    if not isinstance(sub, Chain) or len(sub.links) != 1 or sub.links[0][0] != "to" or sub.first is None:
        return None
    ends = sub.first, sub.links[0][1]
    return ends if all(letter(n) is not None for n in ends) else None


def _indices(nodes: list[Node]) -> Iterator[str]:
    """The letters below names and sums, but not those that arrows join."""
    for n in nodes:
        if isinstance(n, Scripted | Big) and n.sub is not None and _arrow(n.sub) is None:
            yield from letters_in(n.sub)
