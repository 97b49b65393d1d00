r"""What a relation that was not proved is instead of a claim: a hypothesis, a condition, or what the text denies.

Each role is a function of a case and the verdict so far; it gives the verdict that the relation has in this role, None
when it does not have it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from derivations.documents.facts.sentence_patterns import (
    ASIDE,
    CONCLUDES,
    CONDITION,
    DENIED_AFTER,
    DENIED_BEFORE,
    LETTERS_BEFORE,
    LOCAL,
    SATISFIES,
    SCENARIO,
    STRONGLY_SUPPOSED,
    SUPPOSED,
)
from derivations.language.term import Add, Bracket, Entry, IndexValue, Mul, Number, Statement, Sum, subterms
from derivations.study.doubts.about_words import unread_property
from derivations.study.equation_walk import is_declared
from derivations.study.verdict import Case, Verdict, all_heads, heads_below, skipped

Role = Callable[[Case, Verdict], Verdict | None]

_POLYNOMIAL = (Number, IndexValue, Entry, Add, Mul, Sum, Bracket)
"""What sums and products of entries are made of."""


def take_as_given(case: Case, verdict: Verdict, here: bool = False) -> Verdict:
    """A hypothesis from here on; in its paragraph only, where the words say so or `here` is set."""
    context = case.item.context
    return replace(
        skipped(verdict, "hypothesis", "taken as given from here on"),
        kind="hypothesis",
        decision=None,
        given=tuple(replace(s, hypotheses=()) for s in verdict.statements),
        within=context.paragraph if here or LOCAL.search(context.before) else None,
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


def as_condition(case: Case, verdict: Verdict) -> Verdict | None:
    """A display right after "if": a condition of its sentence."""
    if case.item.span.display and CONDITION.search(case.item.context.before):
        return skipped(verdict, "condition", "a condition of its sentence")
    return None


def as_denied(case: Case, verdict: Verdict) -> Verdict | None:
    """What the text itself calls wrong."""
    if DENIED_BEFORE.search(case.item.context.before) or DENIED_AFTER.search(case.item.context.after):
        return skipped(verdict, "denied", "the text itself says that it is false")
    return None


def as_hypothesis(case: Case, verdict: Verdict) -> Verdict | None:
    """Introduced as a supposition, or a constraint on names that nothing defines or declares."""
    if case.kind in ("claim", "step") and _may_be_supposed(case, verdict) and _is_hypothesis(case, verdict):
        return take_as_given(case, verdict)
    return None


def as_constraint(case: Case, verdict: Verdict) -> Verdict | None:
    """A sum or a product of entries of given names that is set to a number: `\\sum_i y_i = 1`, `n - m = 0`."""
    if verdict.is_refuted and _may_be_supposed(case, verdict) and _constrains_given(case, verdict):
        return take_as_given(case, verdict, here=True)
    return None


ROLES: tuple[Role, ...] = (as_condition, as_denied, as_hypothesis, as_constraint)
"""What an unproved relation may be, in the order in which it is asked."""


def _may_be_supposed(case: Case, verdict: Verdict) -> bool:
    """Whether nothing is said that may make it a claim: a condition, or a property of its names that is not read."""
    if case.is_conditional:
        return False
    return not verdict.is_refuted or unread_property(case, verdict) is None


def _is_hypothesis(case: Case, verdict: Verdict) -> bool:
    item, theory, known = case.item, case.theory, case.known
    if is_declared(known.document, item.span.index):
        return True
    context = f"{item.context.before} {item.reading.lead}"  # `…, \\text{with } \\sigma^2 = T`
    if case.compares_letters:
        context = LETTERS_BEFORE.sub("", context)  # "if i = j" supposes nothing but that
    heads = {h for s in verdict.statements for h in (*s.left.heads, *s.right.heads)}
    if heads.isdisjoint(theory.definitions) and any(s.relation != "=" for s in verdict.statements):
        return True  # a bound on given quantities
    if case.kind == "step" or len(item.reading.chain.links) > 1 or verdict.statement is None:
        return False
    weak = SUPPOSED.search(context)
    concluded = CONCLUDES.search(context) is not None
    if (STRONGLY_SUPPOSED.search(context) and not concluded) or SATISFIES.search(context.rstrip(" :")):
        return True
    apart = item.span.display and ASIDE.search(context) is not None
    if weak is not None and not apart and not concluded:
        return True
    if not item.span.display and verdict.is_refuted and SCENARIO.search(context):
        return True
    defined = heads & set(theory.definitions)
    if defined or not heads or heads & theory.random or _is_identity(verdict):
        return False
    return not any(s.stem in known.table.declared for s in known.table.symbols.values() if s.head in heads)


def _constrains_given(case: Case, verdict: Verdict) -> bool:
    if CONCLUDES.search(case.item.context.before):
        return False
    if not heads_below(case, verdict).isdisjoint({*case.theory.definitions, *case.theory.random}):
        return False
    for s in verdict.statements:
        sides = (s.left, s.right)
        if s.relation != "=" or sum(bool(side.heads) for side in sides) != 1:
            return False
        if not all(isinstance(t, _POLYNOMIAL) for side in sides for t in subterms(side)):
            return False
    return bool(verdict.statements)


def _is_identity(verdict: Verdict) -> bool:
    """Whether an equation transforms an expression: `(a + b)^2 = a^2 + 2ab + b^2`, both sides compound, of the same names.

    It constrains nothing that the other side could tell, as `\\sum_i y_i = 1` and `S_{ij} = S_{ji}` do.
    """
    return all(_transforms(s) for s in verdict.statements)


def _transforms(s: Statement) -> bool:
    if s.relation != "=" or s.hypotheses or isinstance(s.left, Entry) or isinstance(s.right, Entry):
        return False
    return bool(s.left.heads) and s.left.heads == s.right.heads
