"""Bounds of whole numbers that are known by form: what types of fewer than 32 bits, or without a sign, can hold."""

from __future__ import annotations

from typing import Any

from derivations.language.term import Add, Bracket, Case, Choice, Index, IndexValue, Max, Mul, Number, Term

Bounds = tuple[Any, Any]
SHORT = (0, 127)
"""What every type of whole numbers holds, with a sign or without one."""


def bounds_of(entry: Any) -> Bounds | None:
    """The least and the largest value of an entry, None where no bounds are seen.

    >>> from derivations.language.term import by_sign, Entry
    >>> one, zero = Number(1), Number(0)
    >>> bounds_of(by_sign(Entry("x", ()), one, zero, zero) + Number(-1)) == (-1, 0), bounds_of(Entry("x", ()))
    (True, None)
    """
    if isinstance(entry, Index):
        return (entry.const, entry.const) if entry.is_constant else None
    if not isinstance(entry, Term):
        return 0, 1  # a truth value
    if isinstance(entry, Number):
        return entry.value, entry.value
    if isinstance(entry, Bracket):
        return 0, 1
    if isinstance(entry, IndexValue):
        return bounds_of(entry.index)
    if isinstance(entry, Case):
        return _joined([b for _, b in entry.branches] + [entry.otherwise])
    if isinstance(entry, Choice):
        return _joined([entry.above, entry.otherwise])
    if isinstance(entry, Max):
        return bounds_of(entry.body)
    if isinstance(entry, (Add, Mul)):
        parts = [bounds_of(a) for a in entry.args]
        if any(p is None for p in parts):
            return None
        low: Any = int(isinstance(entry, Mul))
        high: Any = low
        for p in parts:
            if p is not None and isinstance(entry, Mul):
                ends = [x * y for x in (low, high) for y in p]
                low, high = min(ends), max(ends)
            elif p is not None:
                low, high = low + p[0], high + p[1]
        return low, high
    return None


def _joined(terms: list[Term]) -> Bounds | None:
    parts = [bounds_of(t) for t in terms]
    known = [p for p in parts if p is not None]
    return (min(p[0] for p in known), max(p[1] for p in known)) if len(known) == len(parts) else None


def is_short(entry: Any) -> bool:
    """Whether an entry is seen to be a number that every type of whole numbers holds."""
    found = bounds_of(entry)
    return found is not None and bool(SHORT[0] <= found[0]) and bool(found[1] <= SHORT[1])


__all__ = ["bounds_of", "is_short"]
