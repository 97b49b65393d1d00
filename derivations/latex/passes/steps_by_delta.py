r"""`\Delta A` as a product, where the document speaks of `\Delta` itself: a step size, `\bar A = \exp(\Delta A)`.

Elsewhere `\Delta W` is one name, the change of W.  It stays one in a document that has both: where it is what an equation
gives, or what is declared.

`\delta A` is a product for the reader, and one name, a change of A, in a document in which `\delta` stands before names
alone and one of them is changed by it, `f(A + \delta A)`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from derivations.latex.passes.short_forms import joined, mapped_readings
from derivations.latex.syntax.surface import (
    Adjacent,
    Chain,
    Infix,
    Listed,
    Name,
    Node,
    Reading,
    Scripted,
    differences,
    walk,
)

DELTA = "Delta"
VARIATION = "delta"


def with_steps(readings: Sequence[Reading]) -> list[Reading]:
    r"""The readings with `\Delta` as a factor, where it stands alone somewhere."""
    tops = [c for r in readings for c in (r.chain, *r.conditions)]
    if not any(_is_delta(side) for chain in tops for side in _sides(chain)):
        return list(readings)
    kept = {key for chain in tops if isinstance(chain, Chain) for key in _given(chain)}

    def change(node: Node) -> Node:
        if isinstance(node, Name) and node.accents[-1:] == (DELTA,) and _key(node) not in kept:
            end = node.span[0] + len(DELTA) + 1
            name = replace(node, span=(end, node.span[1]), accents=node.accents[:-1])
            return Adjacent(node.span, (Name((node.span[0], end), DELTA), name))
        if isinstance(node, Scripted) and isinstance(node.base, Adjacent):
            delta, after = node.base.items[0], node.base.items[-1]
            if _is_step(node.base) and isinstance(after, Name):
                own = replace(node, span=(after.span[0], node.span[1]), base=after)
                return Adjacent(node.span, (delta, own))
        if isinstance(node, Adjacent):
            items = tuple(m for n in node.items for m in (n.items if isinstance(n, Adjacent) and _is_step(n) else (n,)))
            return node if len(items) == len(node.items) else replace(node, items=items)
        return node

    return mapped_readings(readings, change)


def with_variations(readings: Sequence[Reading]) -> list[Reading]:
    r"""The readings with `\delta A` as one name, where something is changed by it: `A + \delta A`."""
    tops = [c for r in readings for c in (r.chain, *r.conditions)]
    nodes = [n for top in tops for n in walk(top)]
    signs = {id(n) for n in nodes if isinstance(n, Name) and n.base == VARIATION and not n.font}
    before = {id(a) for n in nodes if isinstance(n, Adjacent) for a, b in pairwise(n.items) if _name_of(b) is not None}
    changed = any(
        isinstance(n, Infix)
        and n.operator in ("+", "-")
        and isinstance(n.right, Adjacent)
        and len(n.right.items) == 2
        and id(n.right.items[0]) in signs
        and not differences(n.left, n.right.items[1])
        for n in nodes
    )
    if not changed or not signs <= before:
        return list(readings)

    def changed_by(sign: Node, item: Node) -> Node | None:
        name = _name_of(item)
        if name is None or not isinstance(sign, Name) or sign.base != VARIATION or sign.accents:
            return None
        base = replace(name, span=(sign.span[0], name.span[1]), accents=(*name.accents, VARIATION))
        return replace(item, span=(sign.span[0], item.span[1]), base=base) if isinstance(item, Scripted) else base

    return mapped_readings(readings, lambda node: joined(node, changed_by))


def _name_of(node: Node) -> Name | None:
    base = node.base if isinstance(node, Scripted) else node
    return base if isinstance(base, Name) else None


def _is_delta(node: Node | None) -> bool:
    return isinstance(node, Name) and node.base == DELTA and not node.accents


def _is_step(node: Adjacent) -> bool:
    return len(node.items) == 2 and _is_delta(node.items[0])


def _sides(chain: Node) -> Iterator[Node]:
    """The sides of relations, and the names in lists of them."""
    for side in (chain.first, *(n for _, n in chain.links)) if isinstance(chain, Chain) else (chain,):
        if side is not None:
            yield from side.items if isinstance(side, Listed) else (side,)


def _given(chain: Chain) -> Iterator[tuple[str, str]]:
    """The changes that an equation gives, or that are declared."""
    for side in _sides(replace(chain, links=())) if chain.links else ():
        name = side.base if isinstance(side, Scripted) else side
        if isinstance(name, Name) and name.accents[-1:] == (DELTA,):
            yield _key(name)


def _key(name: Name) -> tuple[str, str]:
    return name.base, name.font
