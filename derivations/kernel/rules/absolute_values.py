"""Rules of absolute values."""

from __future__ import annotations

from derivations.kernel.errors import Refused
from derivations.kernel.rules.requirements import (
    base_and_exponent,
    inside_absolute_value,
    must_agree,
    must_be_equal_polynomials,
)
from derivations.kernel.rules.table import rule
from derivations.kernel.scope import Scope
from derivations.kernel.sign import nonnegative
from derivations.language.term import Apply, Mul, Number, Pow, Term


@rule()
def abs_value(before: Term, after: Term, scope: Scope, sign: int) -> None:
    """|x| = x for x >= 0 (sign 1), |x| = -x for -x >= 0 (sign -1)."""
    inner = inside_absolute_value("abs_value", before)
    if sign not in (1, -1):
        raise Refused("abs_value", "a sign 1 or -1", str(sign))
    if sign == -1:
        must_be_equal_polynomials("abs_value", after, Mul((Number(-1), inner)), scope)
    else:
        must_agree("abs_value", inner, after)
    if not nonnegative(after, scope):
        raise Refused("abs_value", f"{after} >= 0", "it is neither visible nor assumed")


@rule()
def abs_mul(before: Term, after: Term, scope: Scope) -> None:
    """|a b ...| = |a| |b| ..., and |x^k| = |x|^k for an integer k."""
    inner = inside_absolute_value("abs_mul", before)
    if isinstance(inner, Mul):
        must_agree("abs_mul", Mul(Apply("abs", f) for f in inner.args), after)
        return
    base, k = base_and_exponent(inner)
    if k in (0, 1):
        raise Refused("abs_mul", "the absolute value of a product or of a power", str(before))
    must_agree("abs_mul", Pow(Apply("abs", base), k), after)


@rule()
def abs_even(before: Term, after: Term, scope: Scope) -> None:
    """|x|^p = x^p for an even p."""
    base, p = base_and_exponent(before)
    inner = inside_absolute_value("abs_even", base)
    if p % 2 or p == 0:
        raise Refused("abs_even", "an even power of |x|", str(before))
    must_agree("abs_even", Pow(inner, p), after)
