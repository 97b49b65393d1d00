r"""The letter T above a number: an exponent, `\gamma^T` after T steps, where a document counts by T; else a transpose sign."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from derivations.latex.syntax.letters import is_transpose, letter
from derivations.latex.syntax.surface import Chain, Infix, Literal, Name, Node, Scripted

_ORDERS = frozenset({"<", "<=", ">", ">="})


def raised_to_counts(nodes: Iterable[Node]) -> frozenset[str]:
    r"""The letters of numbers in a document that counts by T: a T above them is an exponent.

    A number lies between two that are written out, `0 < \gamma < 1`; or it is added to or taken from one, `1 - \gamma`, and has
    other exponents, `\gamma^{k - t}`.
    """
    nodes = list(nodes)
    above = {id(n.sup) for n in nodes if isinstance(n, Scripted)}
    if not any(_is_count(n) and id(n) not in above for n in nodes):
        return frozenset()
    added, bounded, raised = (frozenset(c for n in nodes for c in of(n)) for of in (_added, _bounded, _raised))
    return bounded | (added & raised)


def _is_count(node: Node) -> bool:
    """The plain letter T."""
    return isinstance(node, Name) and is_transpose(node) and letter(node) == "T" and node.font == ""


def _added(node: Node) -> Iterator[str]:
    if isinstance(node, Infix) and node.operator in ("+", "-"):
        for a, b in ((node.left, node.right), (node.right, node.left)):
            if isinstance(a, Literal) and (c := _base(b)) is not None:
                yield c


def _bounded(node: Node) -> Iterator[str]:
    if isinstance(node, Chain) and len(node.links) > 1 and {r for r, _ in node.links} <= _ORDERS:
        sides = [node.first, *(n for _, n in node.links)]
        for low, between, high in zip(sides, sides[1:], sides[2:], strict=False):
            if isinstance(low, Literal) and isinstance(high, Literal) and (c := _base(between)) is not None:
                yield c


def _raised(node: Node) -> Iterator[str]:
    exponent = node.sup if isinstance(node, Scripted) else None
    is_counted = letter(exponent) is not None and not is_transpose(exponent)
    if (is_counted or isinstance(exponent, Infix)) and (c := _base(node)) is not None:
        yield c


def _base(node: Node | None) -> str | None:
    """The letter of a name, with or without scripts."""
    name = node.base if isinstance(node, Scripted) else node
    return name.base if isinstance(name, Name) and name.font == "" and not name.accents else None
