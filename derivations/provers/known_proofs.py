"""Proofs that are known, used once more: what holds, holds under more hypotheses."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

from derivations.kernel.errors import KernelError
from derivations.kernel.proof import Proof, Step
from derivations.kernel.replay import replay
from derivations.kernel.theorem import Theorem
from derivations.language.statement import Statement, Theory


def under_more_hypotheses(theorem: Theorem, statement: Statement, theory: Theory) -> Theorem | None:
    """The theorem for a statement of the same relation that supposes more; None where the kernel refuses its proof.

    The kernel replays it, and may leave less to assume.
    """
    known = theorem.statement.hypotheses
    if statement.hypotheses[: len(known)] != known:
        return None
    proof = _renumbered(theorem.proof, len(known), len(statement.hypotheses) - len(known))
    try:
        return replay(theory, statement, proof)
    except KernelError:
        return None


def _renumbered(part: Any, since: int, by: int) -> Any:
    """A part of a proof in which what it adds to the hypotheses, its lemmas, comes after more of them."""
    if isinstance(part, Step):
        args = {name: _renumbered(value, since, by) for name, value in part.args.items()}
        if part.rule == "hypothesis" and args["number"] >= since:
            args["number"] += by
        return replace(part, args=args)
    if isinstance(part, Proof):
        return replace(part, **{f.name: _renumbered(getattr(part, f.name), since, by) for f in fields(part)})  # type: ignore[arg-type, type-var]
    return tuple(_renumbered(p, since, by) for p in part) if type(part) is tuple else part
