"""The definitions of a document on numbers: NumPy and torch against rigorous values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from derivations.documents.finding import Finding
from derivations.provers.extent import too_large

from .model import DocumentReport

Begun = Mapping[int, Callable[[], list[dict[str, Any]]]]
"""The rows of each definition, by its identity, once they are asked for."""


def ready() -> None:
    """Start the process that cross-checks, so that it imports torch meanwhile."""
    from derivations.numeric.apart import apart

    apart()


def begin(findings: Sequence[Finding], device: str) -> Begun:
    """Start the cross-checks of all definitions, which go on while something else is done."""
    from derivations.numeric.apart import apart

    started: dict[int, Callable[[], list[dict[str, Any]]]] = {}
    for f in findings:
        if f.definition is None or f.status != "defined":
            continue
        large = too_large([f.definition.body], f.theory)
        if large is not None:
            row = {"what": "numerical cross-check", "reason": large}
            started[id(f.definition)] = partial(list, [row])
        else:
            started[id(f.definition)] = apart().check(f.definition, f.theory, device).result
    return started


def cross_check(
    report: DocumentReport,
    findings: Sequence[Finding],
    ids: Mapping[int, str],
    begun: Begun,
    checks: list[dict[str, Any]],
    skipped: list[dict[str, Any]],
) -> None:
    """Evaluate every definition on NumPy and torch against rigorous values; what was not tried is said.

    `begun` is what `begin` started.
    """
    tried = 0
    for k, f in enumerate(findings):
        if f.definition is None or f.status != "defined" or k not in ids:
            continue
        tried += 1
        for row in begun[id(f.definition)]():
            place = {"item": ids[k], "document": f.place.path}
            if "reason" in row:
                same = next((x for x in skipped if (x["what"], x["reason"]) == (row["what"], row["reason"])), None)
                if same is not None:
                    same["items"] = same.get("items", 1) + 1
                    same.pop("item", None)
                    same.pop("document", None)
                else:
                    skipped.append({**place, **row})
            else:
                checks.append({**place, **row})
    if not tried:
        skipped.append({"document": report.path, "what": "numerical cross-check", "reason": "no definition was read"})
