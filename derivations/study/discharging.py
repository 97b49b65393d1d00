"""Meet what a theorem owes by what the text says of signs: after "a temperature T > 0" nothing assumes T != 0."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from derivations.kernel.scope import Obligation
from derivations.language.statement import Statement, Theory
from derivations.provers.decide import Decision, Proved
from derivations.study.equation_walk import Decide
from derivations.study.verdict import Verdict, decide_statements


def owed(decision: Decision | None) -> list[Obligation]:
    """What the theorem of a decision assumes, so that everything in it is defined."""
    if not isinstance(decision, Proved):
        return []
    return [a.condition for a in decision.theorem.assumptions if isinstance(a.condition, Obligation)]


def discharged(verdict: Verdict, given: Iterable[Statement], theory: Theory, decide: Decide) -> Verdict:
    """A proof under signs that are given, where it then owes less; else the verdict as it is."""
    signs = tuple(h for h in given if h.relation != "=")
    if not signs or not owed(verdict.decision):
        return verdict
    statements = tuple(
        replace(s, hypotheses=(*s.hypotheses, *(h for h in signs if h not in s.hypotheses))) for s in verdict.statements
    )
    tried = decide_statements(statements, theory, decide)
    if not tried.is_proved or len(owed(tried.decision)) >= len(owed(verdict.decision)):
        return verdict
    return replace(verdict, statements=tried.statements, statement=tried.statement, decision=tried.decision)
