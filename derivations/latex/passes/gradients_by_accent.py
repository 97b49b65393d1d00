r"""Gradients by an accent: "for every matrix M, `\bar{M} = \partial E / \partial M`" says what `\bar{V}` is.

The equation speaks of a name that stands for all others, and the words before it say so; each name with that accent is
then written as the derivative that it stands for.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from derivations.latex.passes.short_forms import mapped
from derivations.latex.syntax.surface import Adjacent, Chain, Fraction, Name, Node, Reading, Scripted, bare, walk

_FOR_ALL = re.compile(r"\b(?:every|each|any|all|generic|arbitrary)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Convention:
    """What an accent means: the sign and the loss above the fraction."""

    number: int
    """The reading that states it."""
    accent: str
    above: Adjacent
    sign: Name


def with_gradients(readings: Sequence[Reading], words: Sequence[str]) -> list[Reading]:
    """The readings with names that bear an accent as gradients, where the words before an equation give it that meaning."""
    found = next((c for k, r in enumerate(readings) if (c := _stated(k, r, words[k])) is not None), None)
    if found is None:
        return list(readings)
    others = (n for k, r in enumerate(readings) if k != found.number for n in walk(r.chain))
    plain = {n.base for n in others if isinstance(n, Name) and not n.accents}

    made: dict[int, Fraction] = {}

    def gradient(node: Node, by: Node) -> Fraction:
        whole = Fraction(node.span, found.above, Adjacent(node.span, (found.sign, by)))
        made[id(whole)] = whole
        return whole

    def change(node: Node) -> Node:
        if isinstance(node, Name) and node.accents == (found.accent,) and node.base in plain:
            return gradient(node, replace(node, accents=()))
        if isinstance(node, Scripted) and id(node.base) in made and node.sub is not None:
            by = made[id(node.base)].below.parts[1]  # what stands below the name is a part of it
            whole = gradient(node, Scripted(node.span, by, node.sub, None))
            return whole if node.sup is None else Scripted(node.span, whole, None, node.sup)
        return node

    chains = [r.chain if k == found.number else mapped(r.chain, change) for k, r in enumerate(readings)]
    return [replace(r, chain=c) if isinstance(c, Chain) else r for r, c in zip(readings, chains, strict=True)]


def _stated(number: int, reading: Reading, before: str) -> Convention | None:
    chain = reading.chain
    left = chain.first
    if not isinstance(left, Name) or len(left.accents) != 1 or [r for r, _ in chain.links] != ["="]:
        return None
    right = chain.links[0][1]
    if not isinstance(right, Fraction) or not (isinstance(right.above, Adjacent) and isinstance(right.below, Adjacent)):
        return None
    sign, *rest = right.below.items
    is_by_name = len(rest) == 1 and bare(rest[0]) == bare(replace(left, accents=()))
    if not isinstance(sign, Name) or sign.base != "partial" or not is_by_name or not _FOR_ALL.search(before):
        return None
    return Convention(number, left.accents[0], right.above, sign)
