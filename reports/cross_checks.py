"""The definitions of a document on numbers: NumPy and torch against rigorous values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from derivations.documents.finding import Finding
from derivations.provers.extent import too_large

from .model import DocumentReport


def cross_check(
    report: DocumentReport,
    findings: Sequence[Finding],
    ids: Mapping[int, str],
    device: str,
    checks: list[dict[str, Any]],
    skipped: list[dict[str, Any]],
) -> None:
    """Evaluate every definition on NumPy and torch against rigorous values; what was not tried is said."""
    from derivations.numeric import crosscheck

    tried = 0
    for k, f in enumerate(findings):
        if f.definition is None or f.status != "defined" or k not in ids:
            continue
        tried += 1
        large = too_large([f.definition.body], f.theory)
        rows = [{"what": "numerical cross-check", "reason": large}] if large is not None else None
        for row in rows or crosscheck.cross_check(f.definition, f.theory, device=device):
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
