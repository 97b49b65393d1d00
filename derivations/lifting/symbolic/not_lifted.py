"""The refusal of code whose meaning is not taken over."""

from __future__ import annotations


class NotLifted(Exception):
    """Code whose meaning is not taken over; `line` and `column` are 1-based in its block, 0 while they are not known."""

    def __init__(self, reason: str, line: int = 0, column: int = 0, code: str = "not-lifted") -> None:
        self.reason, self.line, self.column, self.code = reason, line, column, code
        super().__init__(reason)

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}: {self.reason}" if self.line else self.reason
