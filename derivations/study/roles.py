r"""What part a relation plays in its document: claim, condition, hypothesis, constraint on what is given, or denied.

An ordered table of rules; the first that fires decides.  No rule asks whether the relation is true: a claim and the
same claim with a wrong sign play the same part.  The few rules that speak of what could not be proved say so.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum

from derivations.documents.facts.role_words import Part
from derivations.documents.facts.sentence_patterns import (
    ASIDE,
    LOCAL,
    NAMED_AT,
    SUPPOSED,
)
from derivations.documents.model.document import CLOSE, OPEN
from derivations.study.differing_arrays import where_arrays_differ
from derivations.study.said_of_relations import A_CLAIM, Said
from derivations.study.verdict import Case, Verdict, all_heads, skipped


class Role(StrEnum):
    """What a relation without a definition in it is."""

    CLAIM = "claim"
    HYPOTHESIS = "hypothesis"
    """Taken as given from here on, or in its paragraph."""
    CONDITION = "condition"
    """Taken as given for what its sentence says after it, and nowhere else."""
    CONSTRAINT = "constraint"
    """It picks out the given values that it holds for."""
    SETTING = "setting"
    """A number is put for a name that an equation gives for all values of others."""
    APPROXIMATE = "approximation"
    """It is said to hold nearly."""
    DENIED = "denied"


@dataclass(frozen=True, slots=True)
class RoleRule:
    """One way to tell the role of a relation.

    `example` is a document in which the rule decides about some relation, in `counter` it must decide about none.
    """

    name: str
    role: Role
    test: Callable[[Said], bool]
    example: str
    counter: str
    unless_always: bool = False
    """What is proved with nothing supposed is a claim all the same."""
    unless_proved: bool = False
    """What is proved is a claim all the same."""


def _weakly_supposed(said: Said) -> bool:
    apart = said.is_display and ASIDE.search(said.before) is not None
    weak = not said.parts.isdisjoint({Part.LET, Part.BESIDE, Part.WHERE}) or SUPPOSED.search(said.before) is not None
    return (
        (said.is_alone or said.ends_in_constant)
        and weak
        and not apart
        and not said.is_main
        and Part.CONCLUDED not in said.parts
    )


def _constrains(said: Said) -> bool:
    """Whether it sets a value of given things, for which it cannot hold everywhere, and no words conclude it."""
    return (
        said.is_given
        and said.restricts
        and said.sets_value
        and not said.is_step_of_claim
        and not said.is_conditional
        and said.parts.isdisjoint({Part.CONCLUDED, Part.UNIVERSAL})
    )


CLAIM = RoleRule(A_CLAIM, Role.CLAIM, lambda _: True, "$$ (a + b)^2 = a^2 + 2 a b + b^2 $$", "Hello.")


ROLE_RULES: tuple[RoleRule, ...] = (
    RoleRule(
        "declared by a comment",
        Role.HYPOTHESIS,
        lambda said: said.is_commented,
        "For $r, u \\in \\mathbb{R}^n$\n\n<!-- derivations: given: r_i = u_i -->\n\nHence $$r_j = u_j$$\n",
        "$$ (a + b)^2 = a^2 + 2 a b + b^2 $$",
    ),
    RoleRule(
        "the number of an ordinal",
        Role.DENIED,
        lambda said: said.is_ordinal,
        "The best of nine is the $9/9 = 100$th percentile.",
        "The best of nine has $9/9 = 1$ the same as all.",
    ),
    RoleRule(
        "asked",
        Role.DENIED,
        lambda said: said.is_asked,
        "Let $x \\in \\mathbb{R}^n$. Is $\\exp(x_i + x_j) = \\exp(x_i)$?",
        "Let $x \\in \\mathbb{R}^n$. Is it large? No: $\\exp(x_i + x_j) = \\exp(x_i) \\exp(x_j)$.",
        unless_proved=True,
    ),
    RoleRule(
        "not said by the text",
        Role.DENIED,
        lambda said: Part.DENIED in said.parts,
        "Let $x \\in \\mathbb{R}^n$. Nothing here says that $$ \\exp(x_i + x_j) = \\exp(x_i) \\exp(x_j) . $$",
        "Let $x \\in \\mathbb{R}^n$. Nothing is lost, and $$ \\exp(x_i + x_j) = \\exp(x_i) \\exp(x_j) . $$",
    ),
    RoleRule(
        "said to hold nearly",
        Role.APPROXIMATE,
        lambda said: Part.APPROXIMATE in said.parts and not said.is_of_exact_numbers,
        "For a number $t$ we have to first order $$ \\exp(2 t) = 1 + 2 t . $$",
        "For a number $t$ we have $$ \\exp(2 t) = \\exp(t)^2 . $$",
        unless_proved=True,
    ),
    RoleRule(
        "denied by the text",
        Role.DENIED,
        lambda said: said.is_denied,
        "Let $x \\in \\mathbb{R}^n$. It is not true that $$ \\exp(x_i + x_j) = \\exp(x_i) + \\exp(x_j) . $$",
        "Let $x \\in \\mathbb{R}^n$. It is true that $$ \\exp(x_i + x_j) = \\exp(x_i) \\exp(x_j) . $$",
        unless_proved=True,
    ),
    RoleRule(
        "a condition of its sentence",
        Role.CONDITION,
        lambda said: (
            (Part.PREMISE in said.parts or (Part.CONDITION in said.parts and not said.is_settled))
            and not said.is_conditional
        ),
        "Let $A, B \\in \\mathbb{R}^{n \\times n}$. The matrices commute if $$ A B = B A . $$",
        "Let $A, B \\in \\mathbb{R}^{n \\times n}$. If they are transposed, then $$ (A B)^\\top = B^\\top A^\\top . $$",
    ),
    RoleRule(
        "made so by the subject of its sentence",
        Role.CONDITION,
        lambda said: Part.MADE in said.parts and not said.is_conditional,
        "For $q, k \\in \\mathbb{R}^d$ let $s = \\sum_i q_i k_i$. Normalised vectors make $s \\le 1$.",
        "For $q, k \\in \\mathbb{R}^d$ let $s = \\sum_i q_i k_i$. It makes sense that $2 s = \\sum_i 2 q_i k_i$.",
        unless_proved=True,
    ),
    RoleRule(
        "an equation that the sentence speaks of",
        Role.DENIED,
        lambda said: said.is_noun and not said.is_conditional,
        "For vectors $x, r \\in \\mathbb{R}^n$ we show that the system $3 x = r$ cannot be consistent.",
        "Let $A \\in \\mathbb{R}^{n \\times n}$ and $x, r \\in \\mathbb{R}^n$. Here $A (x + r) = A x + A r$ holds.",
        unless_proved=True,
    ),
    RoleRule(
        "in a heading",
        Role.CONDITION,
        lambda said: said.is_title and not said.is_conditional,
        "Let $c = \\exp(t)$.\n\n## The case $c < 1$\n\nText.\n",
        "Let $c = \\exp(t)$.\n\n## The case of $c$\n\nHere $c^2 = \\exp(2 t)$.\n",
        unless_proved=True,
    ),
    RoleRule(
        "a case in a table",
        Role.CONDITION,
        lambda said: said.in_table and not said.is_equation and not said.is_conditional,
        "Let $c = \\exp(t)$.\n\n| case | step |\n|---|---|\n| $c < 1$ | down |\n",
        "Let $c = \\exp(t)$.\n\n| name | value |\n|---|---|\n| square | $c^2 = \\exp(2 t)$ |\n",
        unless_proved=True,
    ),
    RoleRule(
        "one of the cases of a list",
        Role.CONDITION,
        lambda said: said.is_one_of_cases and not said.is_conditional,
        "Let $c = \\exp(t) - 1$.\n\n- $c > 0$: it grows\n- $c < 0$: it shrinks\n",
        "Let $c = \\exp(t) - 1$.\n\n- $c > 0$: it grows\n- $c < 1$: it is small\n",
        unless_proved=True,
    ),
    RoleRule(
        "of numbers alone",
        Role.CLAIM,
        lambda said: said.is_of_numbers,
        "It has eigenvalues $25 + 20 = 45$.",
        "It has eigenvalues $a + b = 45$.",
    ),
    RoleRule(
        "a count by a sum",
        Role.CLAIM,
        lambda said: said.only_counts,
        "Suppose the pairs are ordered, and their number is $\\sum_{i=1}^n i = n^2$.",
        "Suppose that the number of pairs is $n = 2 m$.",
    ),
    RoleRule(
        "a symmetry of what is given",
        Role.HYPOTHESIS,
        lambda said: said.is_given and said.is_symmetry and not said.is_conditional,
        "Take weights $W_{ij} = W_{ji} \\ge 0$ on the edges.",
        "Let $P \\in \\mathbb{R}^{n \\times n}$ be a matrix. $$ P P^\\top = P^\\top P $$",
        unless_proved=True,
    ),
    RoleRule(
        "a value at some places, in words",
        Role.CONDITION,
        lambda said: said.is_of_some and said.is_equation and said.is_valued and not said.is_conditional,
        "Let $y_i = (y_{i1}, \\ldots, y_{iK})$ with $y_{ik} = 1$ for the correct class and $0$ for the others.",
        "Let $y_i = (y_{i1}, \\ldots, y_{iK})$ with $y_{ik} = 1$ for all classes.",
        unless_proved=True,
    ),
    RoleRule(
        "supposed by the words before it",
        Role.HYPOTHESIS,
        lambda said: Part.SUPPOSED in said.parts and said.is_alone and not said.is_conditional,
        "Let $a, b \\in \\mathbb{R}^n$. Suppose that $$ \\sum_i a_i = \\sum_i b_i . $$",
        "Let $a, b \\in \\mathbb{R}^n$. We suppose nothing. $$ \\sum_i (a_i + b_i) = \\sum_i a_i + \\sum_i b_i $$",
    ),
    RoleRule(
        "what something satisfies",
        Role.HYPOTHESIS,
        lambda said: (
            Part.DESCRIBED in said.parts and not said.is_of_defined and said.is_alone and not said.is_conditional
        ),
        "Let $a, b \\in \\mathbb{R}^n$. They satisfy $$ \\sum_i a_i = \\sum_i b_i . $$",
        "For $a \\in \\mathbb{R}^n$ let $$c = \\sum_i a_i^2 . $$ It satisfies $$ c = \\sum_i a_i . $$",
    ),
    RoleRule(
        "a bound on what is given",
        Role.HYPOTHESIS,
        lambda said: said.is_given and said.is_bare_bound and not said.is_conditional,
        "For $a, b \\in \\mathbb{R}^n$ with entries $a_i < b_i$ the sums are ordered.",
        "Let $a, b \\in \\mathbb{R}^n$. Always $$ a_i^2 + b_i^2 \\ge 2 a_i b_i . $$",
    ),
    RoleRule(
        "of given names, beside a claim",
        Role.HYPOTHESIS,
        lambda said: said.is_given and not said.is_identity and _weakly_supposed(said) and not said.is_conditional,
        "Let $y \\in \\mathbb{R}^n$ be a target with $\\sum_i \\exp(y_i) = 1$.",
        "Let $a, b \\in \\mathbb{R}^n$, where $(a_i + b_i)^2 = a_i^2 + 2 a_i b_i + b_i^2$.",
        unless_always=True,
    ),
    RoleRule(
        "a bound or a value, beside a claim",
        Role.HYPOTHESIS,
        lambda said: (
            (said.is_valued if said.is_equation else not said.is_identity)
            and not said.parts.isdisjoint({Part.BESIDE, Part.LET})
            and _weakly_supposed(said)
            and not said.is_conditional
        ),
        "Let $c = \\log(t)$, with $c > 0$.",
        "Let $c = \\exp(t)$. Hence, with words, $$ c > 0 . $$",
        unless_proved=True,
    ),
    RoleRule(
        "a constraint in the sentence that introduces what is given",
        Role.HYPOTHESIS,
        lambda said: _constrains(said) and said.is_of_introduced(),
        "Take points $x \\in \\mathbb{R}^n$, all of them on the sphere: $\\sum_i x_i x_i = 1$.",
        "Take points $x \\in \\mathbb{R}^n$. They lie on the sphere: $\\sum_i x_i x_i = 1$.",
        unless_proved=True,
    ),
    RoleRule(
        "a constraint on what is given",
        Role.CONSTRAINT,
        _constrains,
        "The points $x \\in \\mathbb{R}^n$ lie on the plane $$ \\sum_i w_i x_i = 1 . $$",
        "For $x \\in \\mathbb{R}^n$ $$ \\exp(x_i + c) \\exp(-c) = \\exp(x_i) . $$",
        unless_proved=True,
    ),
    RoleRule(
        "a number put for a name",
        Role.SETTING,
        lambda said: said.puts_number and not said.is_conditional and Part.UNIVERSAL not in said.parts,
        "For a number $t$ let $$s = 2 t .$$ In the first run we have $s = 16$.",
        "$$t_1 = 4$$ $$s = 2 t_1$$ Then we have $s = 16$.",
        unless_proved=True,
    ),
    RoleRule(
        "a property of one given name",
        Role.CONSTRAINT,
        lambda said: (
            said.is_given
            and said.is_property
            and not said.is_step_of_claim
            and not said.is_conditional
            and said.parts.isdisjoint({Part.CONCLUDED, Part.UNIVERSAL})
        ),
        "Let $P \\in \\mathbb{R}^{n \\times n}$ be a matrix. $$ P P = P $$",
        "Let $P \\in \\mathbb{R}^{n \\times n}$ be a matrix. $$ P P^\\top = P^\\top P $$",
        unless_proved=True,
    ),
)
"""The rules, in the order in which they are asked; what none of them fires on is a claim."""


def role_of(case: Case) -> RoleRule:
    """The first rule that fires on a relation."""
    said = Said.of(case)
    return next((rule for rule in ROLE_RULES if rule.test(said)), CLAIM)


def in_role(case: Case, verdict: Verdict, rule: RoleRule) -> Verdict | None:
    """The verdict on a relation in the role that a rule gives it; None for a claim, which is decided."""
    match rule.role:
        case Role.CLAIM:
            return None
        case Role.HYPOTHESIS:
            return take_as_given(case, verdict)
        case Role.CONDITION:
            found = taken_here(case, verdict, "condition", "a condition of its sentence")
            return replace(found, within=f"{OPEN}{case.item.span.index}{CLOSE}")
        case Role.CONSTRAINT:
            return taken_here(case, verdict, "hypothesis", "taken as given here: a constraint on what is given")
        case Role.SETTING:
            return skipped(verdict, "special-case", "a number is put here for a name that depends on others")
        case Role.APPROXIMATE:
            return skipped(verdict, "special-case", "the sentence says that it holds nearly")
        case Role.DENIED:
            return skipped(verdict, "denied", "the text itself says that it is false, or does not say it")


def take_as_given(case: Case, verdict: Verdict) -> Verdict:
    """A hypothesis from here on; in its paragraph only, where the words say so."""
    context = case.item.context
    given = taken_here(case, verdict, "hypothesis", "taken as given from here on")
    is_named = case.relation != "=" and NAMED_AT.search(context.before) is not None
    return given if LOCAL.search(context.before) and not is_named else replace(given, within=None)


def taken_here(case: Case, verdict: Verdict, code: str, reason: str) -> Verdict:
    """Taken as given in its paragraph."""
    return replace(
        skipped(verdict, code, reason),
        kind="hypothesis",
        decision=None,
        given=tuple(where_arrays_differ(replace(s, hypotheses=()), case.left, case.right) for s in verdict.statements),
        within=case.item.context.paragraph,
    )


def as_definition_in_words(case: Case, verdict: Verdict, said: tuple[str, str]) -> Verdict | None:
    """An equation that says in signs what the words before it say: `U is orthogonal, that is $U U^\\top = I$`."""
    heads = {h for s in verdict.statements for h in all_heads(s, case.theory)}
    if len(heads) != 1 or not heads.isdisjoint(case.theory.definitions) or len(case.item.reading.chain.links) != 1:
        return None
    plain = all(s.relation == "=" and not s.hypotheses for s in verdict.statements)
    known = said[1] in ("symmetric", "idempotent") or all(
        not s.left.heads or not s.right.heads for s in verdict.statements
    )
    spelled_out = plain and known and said[1] in case.item.context.before.lower()
    return take_as_given(case, verdict) if spelled_out else None
