"""Rules of exponentials and logarithms."""

from __future__ import annotations

from derivations.kernel.errors import Refused
from derivations.kernel.rules.requirements import must_agree, must_be
from derivations.kernel.rules.table import rule
from derivations.kernel.scope import Scope
from derivations.kernel.sign import positive
from derivations.language.term import ONE, Add, Apply, Mul, Number, Pow, Term


@rule()
def pow_exp(before: Term, after: Term, scope: Scope) -> None:
    """b^e = exp(e log b) for b > 0."""
    must_be("pow_exp", before, Pow, "b^e")
    base, exponent = before.children
    if not positive(base, scope):
        raise Refused("pow_exp", f"{base} > 0", "it is neither visible nor assumed")
    must_agree("pow_exp", Apply("exp", Mul((exponent, Apply("log", base)))), after)


@rule()
def log_exp(before: Term, after: Term, scope: Scope) -> None:
    """log(exp x) = x."""
    inner = before.arg if isinstance(before, Apply) and before.function == "log" else None
    if not (isinstance(inner, Apply) and inner.function == "exp"):
        raise Refused("log_exp", "log(exp x)", str(before))
    must_agree("log_exp", inner.arg, after)


@rule()
def exp_log(before: Term, after: Term, scope: Scope) -> None:
    """exp(log x) = x for x > 0."""
    inner = before.arg if isinstance(before, Apply) and before.function == "exp" else None
    if not (isinstance(inner, Apply) and inner.function == "log"):
        raise Refused("exp_log", "exp(log x)", str(before))
    if not positive(inner.arg, scope):
        raise Refused("exp_log", f"{inner.arg} > 0", "it is neither visible nor assumed")
    must_agree("exp_log", inner.arg, after)


@rule()
def log_mul(before: Term, after: Term, scope: Scope) -> None:
    """log(a b ...) = log a + log b + ... for positive factors."""
    inner = before.arg if isinstance(before, Apply) and before.function == "log" else None
    if not isinstance(inner, Mul):
        raise Refused("log_mul", "the log of a product", str(before))
    for factor in inner.args:
        if not positive(factor, scope):
            raise Refused("log_mul", f"{factor} > 0", "it is neither visible nor assumed")
    must_agree("log_mul", Add(Apply("log", f) for f in inner.args), after)


@rule()
def log_inv(before: Term, after: Term, scope: Scope) -> None:
    """log(a^k) = k log a for a > 0 and an integer k."""
    inner = before.arg if isinstance(before, Apply) and before.function == "log" else None
    if not (isinstance(inner, Pow) and isinstance(inner.exponent, Number)):
        raise Refused("log_inv", "the log of a power", str(before))
    if not positive(inner.base, scope):
        raise Refused("log_inv", f"{inner.base} > 0", "it is neither visible nor assumed")
    must_agree("log_inv", Mul((inner.exponent, Apply("log", inner.base))), after)


@rule()
def tanh_exp(before: Term, after: Term, scope: Scope) -> None:
    """tanh x = 1 - 2 / (exp(2 x) + 1).

    By definition tanh x = (exp x - exp(-x)) / (exp x + exp(-x)); both are multiplied by exp x, and exp(2 x) - 1 is
    (exp(2 x) + 1) - 2.  The denominator is above 1 for every real x, so nothing has to be known of x.
    Refuses when the term is no hyperbolic tangent.
    """
    if not (isinstance(before, Apply) and before.function == "tanh"):
        raise Refused("tanh_exp", "tanh(x)", str(before))
    must_agree("tanh_exp", tangent_by_exponential(before.arg), after)


def tangent_by_exponential(x: Term) -> Term:
    """1 - 2 / (exp(2 x) + 1)."""
    below = Add((Apply("exp", Mul((Number(2), x))), ONE))
    return Add((ONE, Mul((Number(-2), Pow(below, -1)))))
