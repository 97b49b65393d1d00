"""The ranges of sums: as intervals, as short lists, and without constraints that the others imply."""

from __future__ import annotations

from derivations.kernel.linear import bounded, entails
from derivations.language.term import Guard, Index, Sum, guard

MAX_WRITTEN_OUT = 6
"""Longest range of known length whose terms are written out."""


def first_of_short_range(t: Sum) -> Index | None:
    """The first index of a range with a known small number of indices."""
    for low, high in intervals(t):
        length = high - low
        if length.is_constant and 1 < length.const <= MAX_WRITTEN_OUT:
            return low
    return None


def intervals(t: Sum) -> list[tuple[Index, Index]]:
    """(low, high) with low <= index < high, when the range is one interval."""
    lows, highs = [], []
    for c in t.guard:
        k = c.index.coefficient(t.var)
        if not c.index.linear_in(t.var):
            return []
        if k == 1 and c.relation == ">=":
            lows.append(-(c.index - Index.var(t.var)))
        elif k == -1 and c.relation == ">=":
            highs.append(c.index + Index.var(t.var) + 1)
        elif k:
            return []
    return [(lows[0], highs[0])] if len(lows) == len(highs) == 1 else []


def minimal_range(var: str, conditions: Guard, facts: Guard) -> Guard:
    """The range without constraints that the others imply."""
    kept = list(conditions)
    for c in sorted(conditions, key=lambda c: (-len(c.index.terms), str(c))):
        rest = [x for x in kept if x is not c]
        if bounded(var, guard(*rest)) and entails(guard(*facts, *rest), c):
            kept = rest
    return guard(*kept)
