"""The parts of normal forms: summands, factors, powers, and what they are divided by."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from derivations.language.substitution import alpha_equal
from derivations.language.term import ZERO, Add, Mul, Number, Pow, Term


def monomials(t: Term) -> tuple[Term, ...]:
    """The summands of a sum; other terms are their only one."""
    return t.args if isinstance(t, Add) else (t,)


def total(summands: Sequence[Term]) -> Term:
    """The sum of some terms: of one, that term; of none, 0."""
    return summands[0] if len(summands) == 1 else Add(summands) if summands else ZERO


def factors(t: Term) -> tuple[Term, ...]:
    """The factors of a product; other terms are their only one."""
    return t.args if isinstance(t, Mul) else (t,)


def denominators(*sides: Term) -> dict[Term, int]:
    """What the summands are divided by, each with its largest power."""
    wanted: dict[Term, int] = {}
    for side in sides:
        for m in monomials(side):
            for f in factors(m):
                if isinstance(f, Pow) and isinstance(f.exponent, Number) and f.exponent.value < 0:
                    if f.exponent.value.q == 1:
                        same = next((b for b in wanted if alpha_equal(b, f.base)), f.base)
                        wanted[same] = max(wanted.get(same, 0), -int(f.exponent.value.p))
    return wanted


def roots_below(*sides: Term) -> dict[Term, Fraction]:
    """The bases of the roots that summands are divided by, each with its largest power: 1/2 of `x/sqrt(y)`."""
    wanted: dict[Term, Fraction] = {}
    for f in (f for side in sides for m in monomials(side) for f in factors(m)):
        if isinstance(f, Pow) and isinstance(f.exponent, Number) and f.exponent.value < 0 and f.exponent.value.q != 1:
            same = next((b for b in wanted if alpha_equal(b, f.base)), f.base)
            power = -Fraction(int(f.exponent.value.p), int(f.exponent.value.q))
            wanted[same] = max(wanted.get(same, power), power)
    return wanted


def whole_power(f: Pow) -> bool:
    """Whether the exponent is an integer above 1."""
    return isinstance(f.exponent, Number) and f.exponent.value.q == 1 and f.exponent.value > 1


def is_root(t: Pow) -> bool:
    return isinstance(t.exponent, Number) and t.exponent.value.q != 1


def base_and_power(t: Term) -> tuple[Term, int]:
    if isinstance(t, Pow) and isinstance(t.exponent, Number) and t.exponent.value.q == 1:
        return t.base, int(t.exponent.value.p)
    return t, 1


def sum_of(terms: list[Term]) -> Term:
    return ZERO if not terms else terms[0] if len(terms) == 1 else Add(terms)
