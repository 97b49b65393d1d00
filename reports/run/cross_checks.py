"""The definitions of a document on numbers: NumPy and torch against rigorous values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from typing import Any

from derivations.numeric.apart import apart

from derivations.documents.model.finding import Finding
from derivations.provers.extent import too_large, too_many_entries

from ..model import DocumentReport


class Begun:
    """The cross-checks of definitions, which go on while something else is done; `rows` waits for one of them."""

    def __init__(self, device: str) -> None:
        self.device = device
        self.started: dict[int, tuple[Finding, Future[list[dict[str, Any]]]]] = {}
        """The finding is kept with its rows, so that no other definition takes its identity."""

    def begin(self, f: Finding) -> None:
        """Start the cross-check of a definition, once."""
        if f.definition is None or f.status != "defined" or self._has(f):
            return
        body = [f.definition.body]
        large = too_large(body, f.theory) or too_many_entries(body, f.theory)
        if large is not None:
            rows: Future[list[dict[str, Any]]] = Future()
            rows.set_result([{"what": "numerical cross-check", "reason": large}])
        else:
            rows = apart().check(f.definition, f.theory, self.device)
        self.started[id(f.definition)] = f, rows

    def _has(self, f: Finding) -> bool:
        begun = self.started.get(id(f.definition))
        return begun is not None and begun[0].theory is f.theory

    def rows(self, f: Finding) -> list[dict[str, Any]]:
        """What the cross-check of a definition found."""
        self.begin(f)
        try:
            return self.started[id(f.definition)][1].result()
        except Exception as error:  # noqa: BLE001 - a bug of ours costs one cross-check, and is reported as what it is
            reason = f"internal error, please report it: {error!r}"
            return [{"what": "numerical cross-check", "reason": reason}]

    def end(self) -> None:
        """Leave out what nobody waits for: the definitions of a reading that was given up."""
        for _, rows in self.started.values():
            rows.cancel()


def cross_check(
    report: DocumentReport,
    findings: Sequence[Finding],
    ids: Mapping[int, str],
    begun: Begun,
    checks: list[dict[str, Any]],
    skipped: list[dict[str, Any]],
) -> None:
    """Evaluate every definition on NumPy and torch against rigorous values; what was not tried is said, a row each."""
    tried = 0
    for k, f in enumerate(findings):
        if f.definition is None or f.status != "defined" or k not in ids:
            continue
        tried += 1
        for row in begun.rows(f):
            place = {"item": ids[k], "document": f.place.path}
            if "reason" in row:
                skipped.append({**place, **row})
            else:
                checks.append({**place, **row})
    if not tried:
        skipped.append({"document": report.path, "what": "numerical cross-check", "reason": "no definition was read"})
