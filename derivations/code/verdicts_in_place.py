"""Findings about code, decided in place: a comparison tries statements on one finding until one of them proves it."""

from __future__ import annotations

from derivations.documents.model.finding import Finding
from derivations.study.equation_walk import Decide
from derivations.study.verdict import decide_statements, withheld


def decide_all(finding: Finding, decide: Decide) -> None:
    """Decide the statements of a finding; one refuted refutes, all proved prove."""
    found = decide_statements(finding.statements, finding.theory, decide)
    if found.decision is not None:
        finding.statement, finding.decision, finding.status = found.statement, found.decision, found.status
        finding.code, finding.reason = found.code, found.reason


def undecide(finding: Finding, code: str, reason: str) -> None:
    """Withhold the verdict of a finding for a reason."""
    held = withheld(finding, code, reason)
    finding.status, finding.code, finding.reason, finding.decision = held.status, code, reason, held.decision
