"""Sines and cosines in normal form: of single angles, without even powers of cosines."""

from __future__ import annotations

from math import lcm
from typing import TYPE_CHECKING

from flint import fmpq

from derivations.kernel.rules.trigonometry import turned, value_at
from derivations.kernel.scope import Scope
from derivations.kernel.sign import integral
from derivations.language.term import ONE, ZERO, Add, Apply, Mul, Number, Pow, Term, product_of
from derivations.provers.monomials import factors as factors_of
from derivations.provers.monomials import sum_of
from derivations.provers.trace import Trace

if TYPE_CHECKING:
    from derivations.provers.normal import Normaliser

MAX_ANGLE = 4
"""Largest multiple of an angle that is expanded."""


def cosine_square(m: Term, f: Pow, k: int, trace: Trace) -> Term:
    """cos(x)^2 in a monomial as 1 - sin(x)^2."""
    if not (isinstance(f.exponent, Number) and f.exponent.value.q == 1 and f.exponent.value >= 2):
        return m
    square = Pow(f.base, 2)
    rest = [t for j, t in enumerate(m.args if isinstance(m, Mul) else (m,)) if j != k]
    if f.exponent.value > 2:
        rest.append(f.base if f.exponent.value == 3 else Pow(f.base, Number(f.exponent.value - 2)))
    sines = Add((ONE, Mul((Number(-1), Pow(Apply("sin", f.base.arg), 2)))))  # type: ignore[attr-defined]
    if not rest:
        return trace.step("cos_sq", m, sines)
    shaped = trace.step("ring", m, Mul((square, *rest)))
    inner = Trace()
    inner.step("cos_sq", square, sines)
    trace.below(0, inner)
    return shaped.with_children([sines, *rest])


def normalise_angle(n: Normaliser, t: Apply, scope: Scope, trace: Trace) -> tuple[Term, Trace]:
    """Sines and cosines of single angles: sums and small multiples are expanded, signs taken out.

    Where halves of angles were met, a whole angle is a multiple of its half, and so for other parts.
    """
    arg, sine = t.arg, t.function == "sin"
    if arg is ZERO:
        return trace.step("trig_zero", t, ZERO if sine else ONE), trace
    value = _at_multiple_of_pi(t, scope, trace)
    if value is not t:
        return n.more(value, scope, trace)
    parts = list(arg.args) if isinstance(arg, (Add, Mul)) else [arg]
    lead = parts[0]
    if isinstance(arg, Add):
        return n.more(_angle_sum(t, lead, sum_of(parts[1:]), trace), scope, trace)
    if isinstance(arg, (Mul, Number)) and isinstance(lead, Number):
        if lead.value < 0:
            positive_ = Number(-lead.value)
            angle = product_of([*([] if positive_ is ONE and len(parts) > 1 else [positive_]), *parts[1:]])
            after: Term = Apply(t.function, angle)
            after = Mul((Number(-1), after)) if sine else after
            return n.more(trace.step(f"{t.function}_neg", t, after, angle=angle), scope, trace)
        n.met.parts = _common_part(n.met.parts, lead)
    split = _part_and_rest(arg, n.written_out.parts)
    if split is not None:
        return n.more(_angle_sum(t, *split, trace), scope, trace)
    return t, trace


def _at_multiple_of_pi(t: Apply, scope: Scope, trace: Trace) -> Term:
    """The value at a multiple of pi by a number, and at a whole multiple; else the same term."""
    factors = factors_of(t.arg)
    circle = next((f for f in factors if scope.theory.is_constant(f)), None)
    if circle is None:
        return t
    rest = [f for f in factors if f is not circle]
    if all(isinstance(f, Number) for f in rest):
        multiple = product_of(rest)
        value = value_at(t.function, multiple.value) if isinstance(multiple, Number) else None
        return t if value is None else trace.step("trig_value", t, value, circle=circle, multiple=multiple)
    turns = integral(product_of(rest))
    if turns is None:
        return t
    return trace.step("trig_turn", t, turned(t.function, turns, ZERO), circle=circle, turns=turns, rest=ZERO)


def _common_part(parts: int, number: Number) -> int:
    """How many parts of an angle make it and this multiple of it whole; `parts` alone where those are too many."""
    common = lcm(parts, int(number.value.q))
    return common if common <= MAX_ANGLE else parts


def _part_and_rest(angle: Term, parts: int) -> tuple[Term, Term] | None:
    """An angle as its smallest part and what is left; None where it is no small multiple of that."""
    factors = factors_of(angle)
    number = factors[0].value if isinstance(factors[0], Number) else fmpq(1)
    others = factors[1:] if isinstance(factors[0], Number) else factors
    multiple = number * parts
    if not others or multiple.q != 1 or not 1 < multiple <= MAX_ANGLE:
        return None

    def times(count: fmpq) -> Term:
        return product_of([*([] if count == parts else [Number(count / parts)]), *others])

    return times(fmpq(1)), times(multiple - 1)


def _angle_sum(t: Apply, first: Term, rest: Term, trace: Trace) -> Term:
    a, b = Apply("sin", first), Apply("cos", first)
    c, d = Apply("sin", rest), Apply("cos", rest)
    if t.function == "sin":
        after = Add((Mul((a, d)), Mul((b, c))))
    else:
        after = Add((Mul((b, d)), Mul((Number(-1), a, c))))
    return trace.step(f"{t.function}_add", t, after, first=first, rest=rest)
