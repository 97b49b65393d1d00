r"""Operators that a document gives values, as names: the degrees $\deg_i = \sum_j w_{ij}$ of a graph.

What stands alone at the left of an equation is a name, whatever LaTeX sets it with; it is one wherever it occurs.
"""

from __future__ import annotations

from collections.abc import Sequence

from derivations.latex.passes.short_forms import mapped_readings
from derivations.latex.syntax.surface import Adjacent, Chain, Enclosed, Listed, Name, Node, Operator, Reading, Scripted


def with_operators_as_names(readings: Sequence[Reading]) -> list[Reading]:
    """The readings with names for the operators that stand alone at the left of an equation."""
    found = {name for r in readings if (name := _given_value(r.chain)) is not None}
    if not found:
        return list(readings)

    def change(node: Node) -> Node:
        return _as_name(node) if isinstance(node, Operator) and node.name in found else node

    return mapped_readings(readings, change)


def _given_value(chain: Chain) -> str | None:
    """The operator without an argument, but with an index, that an equation gives a value."""
    first = chain.first
    if not isinstance(first, Operator) or first.arguments or first.sub is None:
        return None
    return first.name if [relation for relation, _ in chain.links][:1] == ["="] else None


def _as_name(node: Operator) -> Node:
    start, end = node.span
    name: Node = Name((start, start + len(node.name)), node.name, "roman")
    if node.sub is not None or node.sup is not None:
        last = max(n.span[1] for n in (node.sub, node.sup) if n is not None)
        name = Scripted((start, last), name, node.sub, node.sup)
    if not node.arguments:
        return name
    if node.bare:
        return Adjacent(node.span, (name, *node.arguments))
    inner = node.arguments[0] if len(node.arguments) == 1 else Listed(node.span, node.arguments)
    return Adjacent(node.span, (name, Enclosed((inner.span[0], end), "()", inner)))
