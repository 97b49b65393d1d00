r"""Layers written above names without parentheses: `z^l = W^l a^{l-1} + b^l` is `z^{(l)} = W^{(l)} a^{(l-1)} + b^{(l)}`.

A letter above a name is usually a power.  It counts layers, or steps, where an equation gives a name with it above in terms
of other names with it above, and where it stands there with a number added, as no power of one thing is a step of another.
A name is a member of the family where it stands on such a left side, with such a number, or beside those in such an equation.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace

from derivations.latex.passes.short_forms import mapped_readings
from derivations.latex.syntax.letters import letter
from derivations.latex.syntax.surface import Enclosed, Infix, Literal, Name, Node, Reading, Scripted, walk

_Key = tuple[str, str, tuple[str, ...], int]
"""A name without scripts: letter, font, accents, primes."""
_EQUATIONS = frozenset({"=", "equiv", "gets"})


def with_layers(readings: Sequence[Reading]) -> list[Reading]:
    """The readings with parentheses around the numbers of layers above names."""
    members: dict[str, set[_Key]] = defaultdict(set)
    shifted: dict[str, set[_Key]] = defaultdict(set)
    for r in readings:
        for above, key, is_shifted in _raised(r.chain):
            if is_shifted:
                shifted[above].add(key)
        for above, keys in _steps(r):
            members[above] |= keys
    layers = {c: keys | shifted[c] for c, keys in members.items() if shifted[c]}
    if not layers:
        return list(readings)

    def change(node: Node) -> Node:
        if not isinstance(node, Scripted) or node.sup is None or (key := _key(node.base)) is None:
            return node
        counted = _counted(node.sup)
        if counted is None or key not in layers.get(counted[0], ()):
            return node
        return replace(node, sup=Enclosed(node.sup.span, "()", node.sup))

    return mapped_readings(readings, change)


def _steps(r: Reading) -> Iterator[tuple[str, set[_Key]]]:
    """The letters above the left side of an equation that stand above other names at its right, with all these names."""
    first = r.chain.first
    if (
        not isinstance(first, Scripted)
        or first.sup is None
        or not r.chain.links
        or r.chain.links[0][0] not in _EQUATIONS
    ):
        return
    own, counted = _key(first.base), _counted(first.sup)
    if own is None or counted is None:
        return
    keys = {key for above, key, _ in _raised(r.chain.links[0][1]) if above == counted[0]}
    if keys - {own}:
        yield counted[0], keys | {own}


def _raised(node: Node) -> Iterator[tuple[str, _Key, bool]]:
    """The names with a letter above them, that letter, and whether a number is added to it."""
    for n in walk(node):
        if isinstance(n, Scripted) and n.sup is not None and (key := _key(n.base)) is not None:
            counted = _counted(n.sup)
            if counted is not None:
                yield counted[0], key, counted[1]


def _counted(above: Node) -> tuple[str, bool] | None:
    """The letter of `l`, `l - 1` and `l + 1`, and whether a number is added."""
    if isinstance(above, Infix) and above.operator in ("+", "-") and isinstance(above.right, Literal):
        c = letter(above.left)
        return None if c is None else (c, True)
    c = letter(above)
    return (c, False) if c is not None and c.islower() else None


def _key(node: Node) -> _Key | None:
    return (node.base, node.font, node.accents, node.primes) if isinstance(node, Name) else None
