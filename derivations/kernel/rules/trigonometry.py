"""Rules of sine and cosine."""

from __future__ import annotations

from derivations.kernel.errors import Refused
from derivations.kernel.rules.requirements import cosine, must_agree, must_be_equal_polynomials, sine
from derivations.kernel.rules.table import rule
from derivations.kernel.scope import Scope
from derivations.language.term import ONE, ZERO, Add, Apply, Mul, Number, Pow, Term


def _angle(rule: str, before: Term, function: str) -> Term:
    if not (isinstance(before, Apply) and before.function == function):
        raise Refused(rule, f"{function}(x)", str(before))
    return before.arg


@rule()
def sin_add(before: Term, after: Term, scope: Scope, first: Term, rest: Term) -> None:
    """sin(a + b) = sin a cos b + cos a sin b.

    Refuses when the angle is not `first + rest`.
    """
    must_be_equal_polynomials("sin_add", Add((first, rest)), _angle("sin_add", before, "sin"), scope)
    must_agree("sin_add", Add((Mul((sine(first), cosine(rest))), Mul((cosine(first), sine(rest))))), after)


@rule()
def cos_add(before: Term, after: Term, scope: Scope, first: Term, rest: Term) -> None:
    """cos(a + b) = cos a cos b - sin a sin b.

    Refuses when the angle is not `first + rest`.
    """
    must_be_equal_polynomials("cos_add", Add((first, rest)), _angle("cos_add", before, "cos"), scope)
    must_agree("cos_add", Add((Mul((cosine(first), cosine(rest))), Mul((Number(-1), sine(first), sine(rest))))), after)


@rule()
def sin_neg(before: Term, after: Term, scope: Scope, angle: Term) -> None:
    """sin(-x) = -sin x."""
    must_be_equal_polynomials("sin_neg", Mul((Number(-1), angle)), _angle("sin_neg", before, "sin"), scope)
    must_agree("sin_neg", Mul((Number(-1), sine(angle))), after)


@rule()
def cos_neg(before: Term, after: Term, scope: Scope, angle: Term) -> None:
    """cos(-x) = cos x."""
    must_be_equal_polynomials("cos_neg", Mul((Number(-1), angle)), _angle("cos_neg", before, "cos"), scope)
    must_agree("cos_neg", cosine(angle), after)


@rule()
def cos_sq(before: Term, after: Term, scope: Scope) -> None:
    """cos(x)^2 = 1 - sin(x)^2."""
    if not (isinstance(before, Pow) and before.exponent is Number(2)):
        raise Refused("cos_sq", "cos(x)^2", str(before))
    angle = _angle("cos_sq", before.base, "cos")
    must_agree("cos_sq", Add((ONE, Mul((Number(-1), Pow(sine(angle), 2))))), after)


@rule()
def trig_zero(before: Term, after: Term, scope: Scope) -> None:
    """sin 0 = 0 and cos 0 = 1."""
    if not (isinstance(before, Apply) and before.function in ("sin", "cos") and before.arg is ZERO):
        raise Refused("trig_zero", "sin 0 or cos 0", str(before))
    must_agree("trig_zero", ZERO if before.function == "sin" else ONE, after)
