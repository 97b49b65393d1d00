r"""Names for a side of an equation: "Write $\Delta$ for the right-hand side of (4)", "denote the left side of (1) by $L$"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from derivations.latex.syntax.surface import Chain, Name, Node, Reading, Scripted
from derivations.study.equation_walk import Item

_SIDE = (
    r"the\s+(?P<side>left|right)(?:[-\s]hand)?\s+side\s+of\s+(?:(?:equation|eq\.|formula)\s*~?)?"
    r"(?:\\(?:eq|auto|c|C)?ref\{(?P<label>[^{}]+)\}|\((?P<number>[\w.]+)\)|(?:this|the last|the previous) equation\b)"
)
_NAMED_BEFORE = re.compile(r"\b(?:write|let|put|set|call|use)\s*$", re.IGNORECASE)
_NAMED_AFTER = re.compile(rf"\s*(?:for|be|denotes?|stand for)\s+{_SIDE}", re.IGNORECASE)
_DENOTED = re.compile(rf"\b(?:denote|call|abbreviate|write)\s+{_SIDE}\s+(?:by|as)?\s*$", re.IGNORECASE)
_EQUATIONS = ("=", "equiv")


def with_named_sides(items: Sequence[Item]) -> list[Reading]:
    """The readings with an equation for each name that the words around give to a side of an equation."""
    return [_named(items, k) or item.reading for k, item in enumerate(items)]


def _named(items: Sequence[Item], k: int) -> Reading | None:
    item = items[k]
    chain = item.reading.chain
    if chain.links or not isinstance(chain.first, Name | Scripted) or item.span.display:
        return None
    before, after = item.context.before, item.context.after
    said = _NAMED_AFTER.match(after) if _NAMED_BEFORE.search(before) is not None else _DENOTED.search(before)
    side = None if said is None else _side_of(_meant(items, k, said["label"], said["number"]), said["side"].lower())
    if side is None:
        return None
    return replace(item.reading, chain=Chain(chain.span, chain.first, (("=", replace(side, span=chain.span)),)))


def _meant(items: Sequence[Item], k: int, label: str | None, number: str | None) -> Chain | None:
    """The equation that is meant: that of a label or a number, else the last one before."""
    if label is not None or number is not None:
        own = [i for i in items if (i.reading.label == label if label is not None else i.reading.number == number)]
    else:
        own = [i for i in items[:k] if i.span.display][-1:]
    return own[0].reading.chain if len(own) == 1 else None


def _side_of(chain: Chain | None, which: str) -> Node | None:
    """A side of an equation of two; a longer chain has no sides that words could mean."""
    if chain is None or chain.first is None or [r in _EQUATIONS for r, _ in chain.links] != [True]:
        return None
    return chain.first if which == "left" else chain.links[0][1]
