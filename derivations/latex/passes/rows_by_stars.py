r"""Rows and columns by a star, `A_{i*}` and `A_{*j}`, where the letter is an index: as `A_{i,:}` and `A_{:,j}`.

A letter is one where a sum or a condition says what it runs over, and where it stands beside such a letter below a name, as
the i of `\sum_k A_{ik}`.  The X of `K_{*X}` tells matrices apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from derivations.latex.passes.short_forms import mapped_readings
from derivations.latex.syntax.letters import letter, letters_in
from derivations.latex.syntax.surface import Adjacent, Big, Listed, Mark, Name, Node, Reading, Scripted, walk_reading


def with_rows_by_stars(readings: Sequence[Reading]) -> list[Reading]:
    """The readings with a colon in a place of its own for the star beside an index."""
    nodes = [n for r in readings for n in walk_reading(r)]
    if not any(isinstance(n, Scripted) and _star(n.sub) is not None for n in nodes):
        return list(readings)
    running = {c for n in nodes if isinstance(n, Big) and n.sub is not None for c in letters_in(n.sub)}
    running |= {c for r in readings for condition in r.conditions for c in letters_in(condition)}
    beside = (letters_in(n.sub) for n in nodes if isinstance(n, Scripted) and isinstance(n.sub, Adjacent | Listed))
    indices = running.union(*(own for own in beside if own & running))

    def change(node: Node) -> Node:
        own = _star(node.sub) if isinstance(node, Scripted) else None
        if own is None or not isinstance(node, Scripted) or node.sub is None or own not in indices:
            return node
        places = tuple(Mark(n.span, "colon") if isinstance(n, Mark) else n for n in node.sub.parts)
        return replace(node, sub=Listed(node.sub.span, places))

    return mapped_readings(readings, change)


def _star(sub: Node | None) -> str | None:
    """The letter beside a star."""
    if not isinstance(sub, Adjacent) or len(sub.items) != 2:
        return None
    marks = [n for n in sub.items if isinstance(n, Mark) and n.kind == "star"]
    names = [n for n in sub.items if isinstance(n, Name)]
    return letter(names[0]) if len(marks) == len(names) == 1 else None
