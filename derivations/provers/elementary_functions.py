"""Exponentials, logarithms, absolute values and hyperbolic tangents in normal form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from derivations.kernel.finiteness import finite
from derivations.kernel.rules.exponentials import tangent_by_exponential
from derivations.kernel.scope import Scope
from derivations.kernel.sign import positive
from derivations.language.term import ZERO, Add, Apply, Mul, NegInfinity, Number, Pow, Term
from derivations.provers import fractions
from derivations.provers.angles import normalise_angle
from derivations.provers.branches_of_cases import move_outwards
from derivations.provers.trace import Trace

if TYPE_CHECKING:
    from derivations.provers.normal import Normaliser


@dataclass
class WrittenOut:
    """Functions that are written by others: hyperbolic tangents by exponentials, and those of an angle by those of a part
    of it, as `parts` says: a half, a third.
    """

    tangents: bool = False
    parts: int = 1


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
        return normalise_angle(n, t, scope, trace)
    return t, trace


def _logarithm(n: Normaliser, t: Apply, scope: Scope, trace: Trace) -> Term:
    """log of a number, or of a sum that is a product of positive factors."""
    if isinstance(t.arg, Number) and t.arg.value > 0:
        return fractions.number_logarithm(t, t.arg.value, trace)
    if isinstance(t.arg, Add) and finite(t.arg, n.theory, scope.facts):
        return fractions.logarithm(n, t, scope, trace)
    return t
