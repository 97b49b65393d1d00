"""Theorems: statements that the kernel has replayed a proof of."""

from __future__ import annotations

from dataclasses import dataclass

from derivations.kernel.proof import Proof
from derivations.kernel.scope import Obligation
from derivations.language.statement import Statement, Tensor, Theory


@dataclass(frozen=True)
class Assumption:
    """Something a theorem rests on: an open obligation (`definedness`), a hypothesis or the law of a random tensor
    (`document`)."""

    text: str
    origin: str
    condition: Obligation | Statement | Tensor


@dataclass(frozen=True)
class Theorem:
    """A statement whose proof was replayed.  Made by `replay.replay` and nowhere else.

    The claim: at all sizes and all real inputs where the assumptions hold and both sides of the statement as written
    are defined, the statement is true.
    """

    statement: Statement
    theory: Theory
    assumptions: tuple[Assumption, ...]
    proof: Proof
    rules: tuple[str, ...]
    """Names of the rules used, sorted."""

    def __str__(self) -> str:
        under = "".join(f"\n  assuming {a.text} ({a.origin})" for a in self.assumptions)
        return f"theorem: {self.statement}{under}"
