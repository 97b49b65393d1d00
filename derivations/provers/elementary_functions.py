"""Exponentials, logarithms, absolute values, sines and cosines in normal form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from derivations.kernel.finiteness import finite
from derivations.kernel.rules.exponentials import tangent_by_exponential
from derivations.kernel.scope import Scope
from derivations.kernel.sign import positive
from derivations.language.term import ONE, ZERO, Add, Apply, Mul, NegInfinity, Number, Pow, Term, product_of
from derivations.provers import fractions
from derivations.provers.branches_of_cases import move_outwards
from derivations.provers.monomials import sum_of
from derivations.provers.trace import Trace

if TYPE_CHECKING:
    from derivations.provers.normal import Normaliser


MAX_ANGLE = 4
"""Largest multiple of an angle that is expanded."""


@dataclass
class WrittenOut:
    """Functions that are written by others: hyperbolic tangents by exponentials."""

    tangents: bool = False


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


def normalise_function(n: Normaliser, t: Apply, scope: Scope, trace: Trace) -> tuple[Term, Trace]:
    lifted = move_outwards(n, t, scope, trace)
    if lifted is not t:
        return n.more(lifted, scope, trace)
    arg = t.arg
    if t.function == "exp":
        if isinstance(arg, NegInfinity):
            return trace.step("exp_bot", t, ZERO), trace
        if not finite(arg, n.theory, scope.facts):
            return t, trace
        if isinstance(arg, Apply) and arg.function == "log" and positive(arg.arg, scope):
            return trace.step("exp_log", t, arg.arg), trace
        powers_of = fractions.powers_of_logarithms(t, scope, trace)
        if powers_of is not t:
            return n.more(powers_of, scope, trace)
        return n.polynomial(t, scope, trace)
    if t.function == "log":
        if isinstance(arg, Apply) and arg.function == "exp":
            return n.more(trace.step("log_exp", t, arg.arg), scope, trace)
        if isinstance(arg, Mul) and all(positive(a, scope) for a in arg.args):
            return n.more(trace.step("log_mul", t, Add(Apply("log", a) for a in arg.args)), scope, trace)
        if isinstance(arg, Pow) and isinstance(arg.exponent, Number) and positive(arg.base, scope):
            multiple = Mul((arg.exponent, Apply("log", arg.base)))
            return n.more(trace.step("log_inv", t, multiple), scope, trace)
    if t.function in ("log", "abs"):
        after = _logarithm(n, t, scope, trace) if t.function == "log" else fractions.absolute(n, t, scope, trace)
        if after is not t:
            return n.more(after, scope, trace)
    if t.function == "tanh" and finite(arg, n.theory, scope.facts):
        n.met.tangents = True
        if n.written_out.tangents:
            return n.more(trace.step("tanh_exp", t, tangent_by_exponential(arg)), scope, trace)
    if t.function in ("sin", "cos") and finite(arg, n.theory, scope.facts):
        return _angle(n, t, scope, trace)
    return t, trace


def _logarithm(n: Normaliser, t: Apply, scope: Scope, trace: Trace) -> Term:
    """log of a number, or of a sum that is a product of positive factors."""
    if isinstance(t.arg, Number) and t.arg.value > 0:
        return fractions.number_logarithm(t, t.arg.value, trace)
    if isinstance(t.arg, Add) and finite(t.arg, n.theory, scope.facts):
        return fractions.logarithm(n, t, scope, trace)
    return t


def _angle(n: Normaliser, t: Apply, scope: Scope, trace: Trace) -> tuple[Term, Trace]:
    """Sines and cosines of single angles: sums and small multiples are expanded, signs taken out."""
    arg, sine = t.arg, t.function == "sin"
    if arg is ZERO:
        return trace.step("trig_zero", t, ZERO if sine else ONE), trace
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
        k = lead.value
        if k.q == 1 and 1 < k <= MAX_ANGLE and len(parts) > 1:
            once = product_of(parts[1:])
            rest = once if k == 2 else Mul((Number(k - 1), *parts[1:]))
            return n.more(_angle_sum(t, once, rest, trace), scope, trace)
    return t, trace


def _angle_sum(t: Apply, first: Term, rest: Term, trace: Trace) -> Term:
    a, b = Apply("sin", first), Apply("cos", first)
    c, d = Apply("sin", rest), Apply("cos", rest)
    if t.function == "sin":
        after = Add((Mul((a, d)), Mul((b, c))))
    else:
        after = Add((Mul((b, d)), Mul((Number(-1), a, c))))
    return trace.step(f"{t.function}_add", t, after, first=first, rest=rest)
