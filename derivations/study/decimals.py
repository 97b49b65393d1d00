"""Printed decimals: an equation between numbers holds when it is right to the last printed digit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from flint import arb, fmpq

from derivations.language.meaning import Indeterminate, Inputs, WorkLimit, ball, evaluate
from derivations.language.term import Number, Statement, Term, Theory, term_sizes
from derivations.latex.syntax.surface import Literal, Node, Scripted, walk
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


class _Nothing(Inputs):
    """No inputs: an entry that no case of its definition gives has no value."""

    def unspecified(self, name: str, at: Sequence[int]) -> fmpq:
        raise Indeterminate(f"no value of {name} at {tuple(at)}")


def compare_decimals(statements: Sequence[Statement], theory: Theory, right: Node) -> Rounded | None:
    """Compare numbers with a right side that is printed with decimals; None when that is not what they are.

    A difference of at most half a unit of the last digit holds, one of more than `SLACK` units is refuted.  Each entry
    of an array has the digits that are printed of it: programs leave out zeros at the end.
    """
    printed = [n.text for n in walk(right) if isinstance(n, Literal)]
    most = max(map(_decimals, printed), default=0)
    if not most or not statements:
        return None
    for s in statements:
        if s.indices or s.relation != "=" or not _is_fixed(s, theory):
            return None
        digits = _digits_of(s.right, printed, most)
        unit = fmpq(1, 10**digits)
        try:
            values = [evaluate(t, theory, _Nothing({})) for t in (s.left, s.right)]
            distance = abs(ball(values[0]) - ball(values[1]))
        except (Indeterminate, WorkLimit):
            return None
        if distance > arb(unit * SLACK):
            witness = Counterexample({}, {}, {}, decimal(values[0]), decimal(values[1]), "digits")
            return Rounded("refuted", digits, s, Refuted(witness))
        if not distance <= arb(unit / 2):
            return None
    return Rounded("holds", most, statements[0])


def is_rounded_power(statements: Sequence[Statement], theory: Theory, right: Node) -> bool:
    r"""Whether numbers differ by less than half a unit of what is printed: `1.02 \cdot 10^6 = 10^6`."""
    nodes = list(walk(right))
    powers = [
        int(n.sup.text)
        for n in nodes
        if isinstance(n, Scripted)
        and isinstance(n.base, Literal)
        and n.base.text == "10"
        and isinstance(n.sup, Literal)
        and n.sup.text.isdigit()
    ]
    if len(powers) != 1 or not statements:
        return False
    digits = max((_decimals(n.text) for n in nodes if isinstance(n, Literal)), default=0)
    unit = fmpq(10 ** powers[0], 10**digits)
    for s in statements:
        if s.indices or s.relation != "=" or not _is_fixed(s, theory):
            return False
        try:
            one, other = (ball(evaluate(t, theory, _Nothing({}))) for t in (s.left, s.right))
        except (Indeterminate, WorkLimit):
            return False
        if not abs(one - other) <= arb(unit / 2):
            return False
    return True


def _decimals(text: str) -> int:
    return len(text.partition(".")[2])


def _digits_of(term: Term, printed: Sequence[str], most: int) -> int:
    """The decimals that are printed of a number; of an expression the most that stand in it."""
    if not isinstance(term, Number):
        return most
    own = [_decimals(text) for text in printed if _value(text) == abs(term.value)]
    return max(own, default=most)


def _value(text: str) -> fmpq | None:
    try:
        exact = Fraction(text)
    except ValueError:
        return None
    return fmpq(exact.numerator, exact.denominator)


def _is_fixed(s: Statement, theory: Theory) -> bool:
    """Whether both sides are numbers, with all definitions unfolded: nothing in them has a value of its own choice."""
    known = {*theory.definitions, *theory.constants}
    if term_sizes(s.left) or term_sizes(s.right) or (s.left.heads | s.right.heads) - known:
        return False
    return not any(
        term_sizes(d.body) - set(d.sizes) or d.body.heads - {t.name for t in d.tensors} - known
        for definitions in theory.about((s.left, s.right)).definitions.values()
        for d in definitions
    )
