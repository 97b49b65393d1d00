r"""Definitions of what is transposed, `d^\top = \rho^\top (I - \gamma P)^{-1}`: they say what d is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from derivations.latex.syntax.letters import is_transpose
from derivations.latex.syntax.surface import Enclosed, Name, Node, Reading, Scripted, bare, walk, walk_reading


def with_transposed_left_sides(readings: Sequence[Reading]) -> list[Reading]:
    r"""The readings with `d = (…)^\top` for `d^\top = …`, where the name comes up there; `A^\top = A` claims something of A."""
    seen: set[object] = set()
    found: list[Reading] = []
    for r in readings:
        name = _transposed(r.chain.first)
        new = _turned(r, name) if name is not None and bare(name) not in seen else None
        found.append(r if new is None else new)
        seen |= {bare(n) for n in walk_reading(r) if isinstance(n, Name | Scripted)}
    return found


def _transposed(node: Node | None) -> Node | None:
    """The name below a transpose sign."""
    if not isinstance(node, Scripted) or not isinstance(node.base, Name) or not is_transpose(node.sup):
        return None
    return node.base if node.sub is None else replace(node, sup=None)


def _turned(r: Reading, name: Node) -> Reading | None:
    chain = r.chain
    if not isinstance(chain.first, Scripted) or len(chain.links) != 1 or chain.links[0][0] != "=":
        return None
    right = chain.links[0][1]
    own = name.base if isinstance(name, Scripted) else name
    if any(isinstance(n, Name) and bare(n) == bare(own) for part in (right, *r.conditions) for n in walk(part)):
        return None
    turned = Scripted(right.span, Enclosed(right.span, "()", right), None, chain.first.sup)
    return replace(r, chain=replace(chain, first=name, links=(("=", turned),)))
