"""The end of a search that found no proof."""

from __future__ import annotations

from derivations.language.statement import Statement


class NotFound(Exception):
    """No proof was found; `reason` says how the search ended and `residue` what was left to show."""

    def __init__(self, reason: str, residue: Statement | None = None) -> None:
        self.reason, self.residue = reason, residue
        super().__init__(reason)
