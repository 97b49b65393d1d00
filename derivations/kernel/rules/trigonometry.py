"""Rules of sine and cosine, and their values at multiples of pi."""

from __future__ import annotations

from flint import fmpq

from derivations.kernel.errors import Refused
from derivations.kernel.rules.requirements import cosine, must_agree, must_be_equal_polynomials, sine
from derivations.kernel.rules.table import rule
from derivations.kernel.scope import Scope
from derivations.language.term import ONE, ZERO, Add, Apply, Entry, Index, IndexValue, Mul, Number, Pow, Term


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


@rule()
def trig_value(before: Term, after: Term, scope: Scope, circle: Entry, multiple: Term) -> None:
    """sin and cos at a rational multiple of pi, in steps of pi/6 and of pi/4.

    `circle` is the number pi, `multiple` how often it is taken.
    Refuses other multiples, an angle that is another one, and a `circle` that the theory does not say to be pi.
    """
    function = _function("trig_value", before)
    _must_be_pi("trig_value", circle, scope)
    must_be_equal_polynomials("trig_value", Mul((multiple, circle)), _angle("trig_value", before, function), scope)
    value = value_at(function, multiple.value) if isinstance(multiple, Number) else None
    if value is None:
        raise Refused("trig_value", "a multiple of pi/6 or of pi/4", f"{multiple} pi")
    must_agree("trig_value", value, after)


@rule()
def trig_turn(before: Term, after: Term, scope: Scope, circle: Entry, turns: Index, rest: Term) -> None:
    """sin(x + pi n) = (-1)^n sin x and cos(x + pi n) = (-1)^n cos x for an integer n.

    `circle` is the number pi, `turns` the integer n, `rest` the angle x.  Of n only what is odd stays in the exponent.
    Refuses an angle that is another one, and a `circle` that the theory does not say to be pi.
    """
    function = _function("trig_turn", before)
    _must_be_pi("trig_turn", circle, scope)
    angle = Add((rest, Mul((IndexValue(turns), circle))))
    must_be_equal_polynomials("trig_turn", angle, _angle("trig_turn", before, function), scope)
    must_agree("trig_turn", turned(function, turns, rest), after)


def turned(function: str, turns: Index, rest: Term) -> Term:
    """sin or cos of `rest` after this many half turns, for provers too."""
    odd = Index(((a, c % 2) for a, c in turns.terms if c % 2), turns.const % 2)
    return (
        Apply(function, rest) if odd is Index.of(0) else Mul((Pow(Number(-1), IndexValue(odd)), Apply(function, rest)))
    )


def value_at(function: str, multiple: fmpq) -> Term | None:
    """sin or cos at this multiple of pi; None where that is no multiple of pi/6 or of pi/4."""
    steps = 12 * (multiple if function == "sin" else multiple + fmpq(1, 2))  # cos x = sin(x + pi/2)
    if steps.q != 1:
        return None
    step = int(steps.p) % 24
    sign, step = (-1, step - 12) if step >= 12 else (1, step)
    found = _SINES.get(min(step, 12 - step))
    if found is None:
        return None
    number, radicand = found
    return (
        Number(sign * number) if radicand == 1 else Mul((Number(sign * number), Pow(Number(radicand), Number(_HALF))))
    )


_HALF = fmpq(1, 2)
_SINES: dict[int, tuple[fmpq, int]] = {
    0: (fmpq(0), 1),
    2: (_HALF, 1),
    3: (_HALF, 2),
    4: (_HALF, 3),
    6: (fmpq(1), 1),
}
"""sin at so many times pi/12, as a rational number times a square root."""


def _function(rule: str, before: Term) -> str:
    if not (isinstance(before, Apply) and before.function in ("sin", "cos")):
        raise Refused(rule, "sin(x) or cos(x)", str(before))
    return before.function


def _must_be_pi(rule: str, circle: Term, scope: Scope) -> None:
    if not scope.theory.is_constant(circle):
        raise Refused(rule, "the number pi", f"{circle}, which is not said to be it")
