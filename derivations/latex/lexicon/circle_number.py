r"""The number pi, where a document also has a policy, a permutation or probabilities of that letter."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise

from derivations.language.statement import CIRCLE
from derivations.latex.syntax.notation import TRIGONOMETRIC
from derivations.latex.syntax.surface import Adjacent, Fraction, Literal, Name, Node, Operator, Scripted, walk

OF_ANGLES = TRIGONOMETRIC | {"exp", "sqrt"}
"""Functions that are taken at multiples of pi."""


def as_number(nodes: Iterable[Node]) -> Iterator[Node]:
    r"""Where pi is written as the number is: beside or over a number, `2 \pi` and `\pi / 2`, or in a function of angles."""
    for n in nodes:
        if isinstance(n, Operator) and n.name in OF_ANGLES:
            yield from (m for a in n.arguments for m in walk(a) if is_pi(m))
        elif isinstance(n, Fraction) and is_pi(n.above) and isinstance(n.below, Literal):
            yield n.above
        elif isinstance(n, Adjacent):
            yield from (b for a, b in pairwise(n.items) if isinstance(a, Literal) and is_pi(b))


def is_number_beside_family(nodes: Iterable[Node]) -> bool:
    r"""Whether pi is written as the number wherever it stands alone, and with an index elsewhere: `\pi_k` beside `2 \pi`."""
    nodes = list(nodes)
    numbers = {id(n) for n in as_number(nodes)}
    members = {id(n.base) for n in nodes if isinstance(n, Scripted) and n.sub is not None and is_pi(n.base)}
    alone = [n for n in nodes if is_pi(n) and id(n) not in members]
    return bool(members) and bool(alone) and all(id(n) in numbers for n in alone)


def is_pi(node: Node) -> bool:
    """Whether a node is the letter pi, without a script."""
    return isinstance(node, Name) and node.base == CIRCLE
