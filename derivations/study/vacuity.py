"""Theorems that say next to nothing: what they assume leaves one value of an index or of a length."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from derivations.kernel.linear import entails_all
from derivations.kernel.scope import Obligation
from derivations.language.term import Guard, Index, equal, guard
from derivations.provers.decide import Decision, Proved


def emptied_by(decision: Decision | None) -> str:
    """The assumption of a theorem that fixes an index of its statement, or puts a length to a number; "" when none does.

    `t = 0 for all t < n`, `n <= 1`, `N = 1`: such a theorem is about single entries, or about one length.
    """
    if not isinstance(decision, Proved):
        return ""
    for a in decision.theorem.assumptions:
        if isinstance(a.condition, Obligation) and _fixes(a.condition):
            return a.text
    return ""


def _fixes(o: Obligation) -> bool:
    """Whether a condition on indices and lengths holds at one value of one of them only."""
    known = guard(*o.facts, *o.goal)
    for v in sorted({v for c in o.goal for v in c.index.free}):
        if any(entails_all(known, (equal(Index.var(v), e),)) for e in _bounds(v, known)):
            return True
    if _holds_at_length_one_only(o):
        return True
    lengths = {s for c in o.goal for s in c.index.sizes}
    numbers = {abs(c.index.const) for c in o.goal} | {1}
    return any(entails_all(known, (equal(Index.size(s), k),)) for s in sorted(lengths) for k in sorted(numbers) if k)


LENGTHS = range(1, 5)
PLACES = range(-1, 6)
"""The lengths and places at which a bound of an index is tried."""
MAX_TRIED = 30_000
"""Most values of lengths and indices together; a bound with more is not tried."""


def _holds_at_length_one_only(o: Obligation) -> bool:
    """Whether a bound of indices fails as soon as one of the lengths is not 1: `j <= i` for all i and j < n."""
    everything = (*o.facts, *o.goal)
    sizes = sorted({s for c in everything for s in c.index.sizes})
    indices = sorted({v for c in everything for v in c.index.free})
    plain = all(c.index.plain for c in everything)
    if not plain or any(c.relation != ">=" for c in o.goal) or not sizes or not indices:
        return False
    if len(LENGTHS) ** len(sizes) * len(PLACES) ** len(indices) > MAX_TRIED:
        return False

    def holds(lengths: dict[str, int]) -> bool:
        for places in product(PLACES, repeat=len(indices)):
            at = dict(zip(indices, places, strict=True))
            if all(c.holds(at, lengths) for c in o.facts) and not all(c.holds(at, lengths) for c in o.goal):
                return False
        return True

    tried = [dict(zip(sizes, lengths, strict=True)) for lengths in product(LENGTHS, repeat=len(sizes))]
    right = [lengths for lengths in tried if holds(lengths)]
    return len(right) < len(tried) and any(all(lengths[s] == 1 for lengths in right) for s in sizes)


def _bounds(v: str, known: Guard) -> Iterator[Index]:
    """The values at which constraints on an index end."""
    for c in known:
        k = c.index.coefficient(v)
        if abs(k) == 1:
            yield (c.index - k * Index.var(v)) * -k
