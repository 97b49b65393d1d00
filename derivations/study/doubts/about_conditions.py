"""A doubt about what a relation is for: it may be a condition on what is given, or follow from one."""

from __future__ import annotations

from derivations.documents.facts.role_words import Part
from derivations.study.doubts.doubt import Doubt
from derivations.study.roles import Said
from derivations.study.verdict import Case, Verdict


def as_condition_on_given(case: Case, verdict: Verdict) -> tuple[()] | None:
    """A relation between given things that no choice of them makes an identity: it picks out those that it holds for."""
    said = Said.of(case)
    may_be = said.is_given and (said.is_bound or said.restricts or said.is_property)
    return () if may_be and Part.UNIVERSAL not in said.parts else None


CONDITION_ON_GIVEN = Doubt(
    name="a condition on what is given",
    code="ambiguous",
    sentence="false for some values, but it may be a condition on them, or follow from one",
    test=as_condition_on_given,
    needed="Let $w, x \\in \\mathbb{R}^n$. Then we have $$ \\sum_i w_i x_i > 1 . $$",
    silent="Let $w, x \\in \\mathbb{R}^n$. Then we have $$ \\sum_i w_i x_i > 1 + \\sum_i x_i w_i . $$",
)
