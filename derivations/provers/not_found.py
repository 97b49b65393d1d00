"""The end of a search that found no proof."""

from __future__ import annotations

from derivations.language.statement import Statement


class NotFound(Exception):
    """No proof was found; `reason` says how the search ended and `residue` what was left to show.

    `is_spent` says that a longer search might have found one.
    """

    def __init__(self, reason: str, residue: Statement | None = None, *, is_spent: bool = False) -> None:
        self.reason, self.residue, self.is_spent = reason, residue, is_spent
        super().__init__(reason)
