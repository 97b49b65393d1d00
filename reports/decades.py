"""Where errors and their bounds lie among the powers of ten, for the pictures beside their tables."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any


def known(check: Mapping[str, Any]) -> bool:
    """Whether a check has an error and a bound."""
    return check["error"] is not None and check["bound"] is not None


def drawn(value: float) -> bool:
    """Whether a number has a place of its own: zero lies at the left end, infinity at the right one."""
    return value > 0 and math.isfinite(value)


def span(checks: Sequence[Mapping[str, Any]]) -> tuple[int, int] | None:
    """The least and the greatest power of ten of a picture; None where there is nothing to draw.

    >>> span([{"error": 3e-8, "bound": 2e-6}])
    (-8, -5)
    """
    shown = [x for c in checks if known(c) and drawn(c["bound"]) for x in (c["error"], c["bound"]) if drawn(x)]
    if not shown:
        return None
    return math.floor(math.log10(min(shown)) - 0.2), math.ceil(math.log10(max(shown)) + 0.2)


def at(value: float, low: int, high: int) -> float:
    """The place of a number among the powers, cut off at the ends."""
    if not drawn(value):
        return high if value > 0 else low
    return round(min(max(math.log10(value), low), high), 2)
