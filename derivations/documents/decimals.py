"""Printed decimals: an equation between numbers holds when it is right to the last printed digit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flint import arb, fmpq

from derivations.language.meaning import Indeterminate, Inputs, WorkLimit, ball, evaluate
from derivations.language.term import Statement, Theory, term_sizes
from derivations.latex.surface import Literal, Node, walk
from derivations.provers.decide import Refuted
from derivations.provers.refute import Counterexample, decimal

SLACK = 2
"""Units in the last digit beyond which a difference cannot come from rounding intermediate results as well."""


@dataclass(frozen=True, slots=True)
class Rounded:
    """The outcome of a comparison: `holds`, or `refuted` with the statement and its witness."""

    status: str
    digits: int
    statement: Statement
    decision: Refuted | None = None


def compare_decimals(statements: Sequence[Statement], theory: Theory, right: Node) -> Rounded | None:
    """Compare numbers with a right side that is printed with decimals; None when that is not what they are.

    A difference of at most half a unit of the last digit holds, one of more than `SLACK` units is refuted.
    """
    digits = max((len(n.text.partition(".")[2]) for n in walk(right) if isinstance(n, Literal)), default=0)
    if not digits or not statements:
        return None
    unit = fmpq(1, 10**digits)
    for s in statements:
        if s.indices or s.relation != "=" or not _is_fixed(s, theory):
            return None
        try:
            values = [evaluate(t, theory, Inputs({})) for t in (s.left, s.right)]
            distance = abs(ball(values[0]) - ball(values[1]))
        except (Indeterminate, WorkLimit):
            return None
        if distance > arb(unit * SLACK):
            witness = Counterexample({}, {}, {}, decimal(values[0]), decimal(values[1]), "digits")
            return Rounded("refuted", digits, s, Refuted(witness))
        if not distance <= arb(unit / 2):
            return None
    return Rounded("holds", digits, statements[0])


def _is_fixed(s: Statement, theory: Theory) -> bool:
    """Whether both sides are numbers, with all definitions unfolded: nothing in them has a value of its own choice."""
    if term_sizes(s.left) or term_sizes(s.right) or (s.left.heads | s.right.heads) - set(theory.definitions):
        return False
    return not any(
        term_sizes(d.body) - set(d.sizes) or d.body.heads - {t.name for t in d.tensors} - set(theory.definitions)
        for definitions in theory.about((s.left, s.right)).definitions.values()
        for d in definitions
    )
