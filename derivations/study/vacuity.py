"""Theorems that say next to nothing: what they assume leaves one value of an index or of a length."""

from __future__ import annotations

from derivations.kernel.linear import entails_all
from derivations.kernel.scope import Obligation
from derivations.language.term import Index, equal, guard
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
    if any(c.relation == "==" and c.index.free for c in o.goal):
        return True
    known = guard(*o.facts, *o.goal)
    lengths = {s for c in o.goal for s in c.index.sizes}
    numbers = {abs(c.index.const) for c in o.goal} | {1}
    return any(entails_all(known, (equal(Index.size(s), k),)) for s in sorted(lengths) for k in sorted(numbers) if k)
