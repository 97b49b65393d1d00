r"""The sign of a gradient as a name: `u_t = \beta u_{t-1} + \nabla_t`, where $\nabla_t$ is the gradient at step t.

A sign that is applied to something stands before it, `\nabla f` and `\nabla \cdot v`.  In a document in which nothing ever
stands after the sign it is the name of an array like any other, and its index is no letter by which is differentiated.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from derivations.latex.passes.short_forms import mapped_readings
from derivations.latex.syntax.surface import Adjacent, Infix, Name, Node, Reading, Scripted, walk_reading

SIGN = "nabla"
NAME = "gradient"
"""What the sign is called as a name."""
_APPLYING = frozenset({"cdot", "times", "otimes"})
"""What may stand between the sign and what it is applied to: divergences and rotations."""


def with_gradients_as_names(readings: Sequence[Reading]) -> list[Reading]:
    """The readings with a name for each sign of a gradient, where the document never applies one to anything."""
    nodes = [n for r in readings for n in walk_reading(r)]
    taken = any(isinstance(n, Name) and n.base == NAME for n in nodes)
    if taken or not any(map(_is_sign, nodes)) or any(_is_sign(n) for node in nodes for n in _before_others(node)):
        return list(readings)

    def change(node: Node) -> Node:
        return replace(node, base=NAME, font="roman") if isinstance(node, Name) and _is_sign(node) else node

    return mapped_readings(readings, change)


def _before_others(node: Node) -> Iterator[Node]:
    """What stands in a node before something that a sign could be applied to."""
    match node:
        case Adjacent(items=items):
            yield from items[:-1]
        case Infix(left=left, operator=operator) if operator in _APPLYING:
            yield left.items[-1] if isinstance(left, Adjacent) else left


def _is_sign(node: Node) -> bool:
    r"""`\nabla`, `\nabla_t`, `\nabla^2`."""
    name = node.base if isinstance(node, Scripted) else node
    return isinstance(name, Name) and name.base == SIGN
