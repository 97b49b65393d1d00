r"""Bars below names that make one label of two letters: `\Sigma_{a|b}`, the covariances of one thing given another.

They are parts of one thing, also in `\Sigma_{ab}` and `\mu_a`.  The letters of `p_{j|i}` are indices: a sum or a range
counts them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from derivations.latex.passes.short_forms import mapped_readings
from derivations.latex.syntax.letters import letter, letters_in, run_of
from derivations.latex.syntax.surface import (
    Big,
    Chain,
    Infix,
    Listed,
    Matrix,
    Name,
    Node,
    Reading,
    Scripted,
    Words,
    walk,
)


def with_conditions_below(readings: Sequence[Reading]) -> list[Reading]:
    """The readings with a bar between two letters that nothing counts, below a name, as one label."""
    nodes = [n for r in readings for part in (r.chain, *r.conditions) for n in walk(part)]
    if not any(isinstance(n, Scripted) and _letters_beside(n.sub) for n in nodes):
        return list(readings)
    counted: set[str] = set()
    for n in nodes:
        if isinstance(n, Big):
            counted |= {c for script in (n.sub, n.sup) if script is not None for c in letters_in(script)}
        elif isinstance(n, Scripted):
            counted |= letters_in(n.sub) if isinstance(n.sub, Infix) else set()
        elif isinstance(n, Chain):
            counted |= {c for _, right in n.links if isinstance(right, Listed) and (c := letter(n.first)) is not None}
    counted |= _entries_of_declared(nodes)
    pairs = [pair for n in nodes if isinstance(n, Scripted) and (pair := _letters_beside(n.sub))]
    parts = {c for pair in pairs if counted.isdisjoint(pair) for c in pair}

    def change(node: Node) -> Node:
        if not isinstance(node, Scripted) or node.sub is None or not isinstance(node.base, Name):
            return node
        pair, run = _letters_beside(node.sub), run_of(node.sub) or letter(node.sub)
        if pair and parts.issuperset(pair):
            return replace(node, sub=Words(node.sub.span, " | ".join(pair)))
        if not pair and run is not None and parts.issuperset(run):
            return replace(node, sub=Words(node.sub.span, run))
        return node

    return mapped_readings(readings, change)


def _entries_of_declared(nodes: Sequence[Node]) -> set[str]:
    r"""The letters below names that stand in a declared space without them, as the `i` of `x_i` for $x \in \mathbb{R}^n$; not
    where `x_i` is a thing in a space or a list of its own."""
    declared: set[str] = set()
    own: set[str] = set()
    for n in nodes:
        members: Sequence[Node | None] = n.parts if isinstance(n, Listed | Matrix) else ()
        if isinstance(n, Chain) and any(relation == "in" for relation, _ in n.links):
            members = n.first.items if isinstance(n.first, Listed) else (n.first,)
            declared |= {m.base for m in members if isinstance(m, Name)}
        own |= {c for m in members if isinstance(m, Scripted) and (c := letter(m.sub)) is not None}
    below = (n for n in nodes if isinstance(n, Scripted) and isinstance(n.base, Name) and n.base.base in declared)
    return {c for n in below if (c := letter(n.sub)) is not None} - own


def _letters_beside(below: Node | None) -> tuple[str, ...]:
    """The two letters on the sides of a bar; none for anything else."""
    if not isinstance(below, Chain) or [r for r, _ in below.links] != ["mid"]:
        return ()
    pair = letter(below.first), letter(below.links[0][1])
    return tuple(c for c in pair if c is not None) if None not in pair else ()
