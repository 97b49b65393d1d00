r"""Divergences, whose two arguments a double bar parts: `D_{\text{KL}}(p \| q)` is a function of p and q.

Elsewhere a double bar puts vectors one after the other, so it is the name before the parentheses that decides.
"""

from __future__ import annotations

from dataclasses import replace

from derivations.latex.syntax.surface import Adjacent, Chain, Enclosed, Listed, Name, Node, Scripted, Words

WORDS = frozenset({"KL", "JS", "JSD", "DKL"})
"""Names of divergences that are spelled out; any other is a D."""


def with_arguments(node: Adjacent) -> Adjacent:
    """The row with a comma for the double bar between the arguments of divergences."""
    items = list(node.items)
    for k, item in enumerate(items):
        parted = _arguments(item) if k and _is_divergence(items[:k]) else None
        if parted is not None:
            items[k] = parted
    return node if all(a is b for a, b in zip(items, node.items, strict=True)) else replace(node, items=tuple(items))


def _arguments(node: Node) -> Enclosed | None:
    if not isinstance(node, Enclosed) or node.kind not in ("()", "[]") or not isinstance(node.content, Chain):
        return None
    first, links = node.content.first, node.content.links
    if first is None or len(links) != 1 or links[0][0] != "parallel":
        return None
    return replace(node, kind="()", content=Listed(node.content.span, (first, links[0][1])))


def _is_divergence(before: list[Node]) -> bool:
    head = before[-1].base if isinstance(before[-1], Scripted) else before[-1]
    if isinstance(head, Words):
        return head.text.strip() in WORDS
    if not isinstance(head, Name):
        return False
    pair = before[-2:]
    if len(pair) == 2 and isinstance(pair[0], Name) and pair[0].span[1] == head.span[0]:
        return f"{pair[0].base}{head.base}" in WORDS  # letters that touch one another: KL(p \| q)
    return head.base == "D" or head.base in WORDS
