"""Rules of quotients, roots and powers."""

from __future__ import annotations

from typing import Any

from derivations.kernel.errors import Refused
from derivations.kernel.linear import entails
from derivations.kernel.rules.requirements import (
    base_and_exponent,
    must_agree,
    must_be,
    must_be_equal_polynomials,
    must_number_parts,
)
from derivations.kernel.rules.table import rule
from derivations.kernel.scope import Scope
from derivations.kernel.sign import integral, nonnegative, nonzero, positive
from derivations.language.substitution import alpha_equal
from derivations.language.term import ONE, Apply, Index, IndexValue, Mul, Number, Pow, Term, at_least, product_of


@rule()
def mul_inv_cancel(
    before: Term,
    after: Term,
    scope: Scope,
    above: int,
    below: int,
    because: tuple[Any, ...] = (),
    beside: Term | None = None,
) -> None:
    """D * D^-1 = 1 for D != 0 (also D^p * D^-q = D^(p-q)).

    `because` is a chain of steps from D (or from D * `beside`) to a term that is visibly non-zero or assumed so.
    Refuses when the two factors do not fit, or when D != 0 is not known here.
    """
    from derivations.kernel.replay import run

    must_be("mul_inv_cancel", before, Mul, "D * D^-1")
    parts = before.children
    must_number_parts("mul_inv_cancel", (above, below), len(parts))
    base, p = base_and_exponent(parts[above])
    other, q = base_and_exponent(parts[below])
    if p <= 0 or q >= 0 or not alpha_equal(base, other):
        raise Refused("mul_inv_cancel", "D^p and D^-q with the same D", f"{parts[above]} and {parts[below]}")
    witness = base if beside is None else Mul((base, beside))
    if because:
        witness = run(witness, because, scope)
    if not nonzero(witness, scope):
        raise Refused("mul_inv_cancel", f"{witness} != 0", "it is neither visible nor assumed")
    rest = [t for k, t in enumerate(parts) if k not in (above, below)]
    if p + q:
        rest.append(base if p + q == 1 else Pow(base, p + q))
    must_agree("mul_inv_cancel", product_of(rest), after)


@rule()
def sq_sqrt(before: Term, after: Term, scope: Scope) -> None:
    """(x^q)^k = x^(qk) for a rational q, an integer k and x >= 0.

    At x = 0 both sides are 0, because a power that has no value there counts as 0.
    """
    if not (isinstance(before, Pow) and isinstance(before.base, Pow)):
        raise Refused("sq_sqrt", "(x^q)^k", str(before))
    inner, k, q = before.base.base, before.exponent, before.base.exponent
    if not (isinstance(k, Number) and isinstance(q, Number) and k.value.q == 1):
        raise Refused("sq_sqrt", "a rational and an integer as exponents", str(before))
    if k.value == 0 or q.value == 0:
        raise Refused("sq_sqrt", "exponents other than 0", str(before))
    if not nonnegative(inner, scope):
        raise Refused("sq_sqrt", f"{inner} >= 0", "it is neither visible nor assumed")
    total = q.value * k.value
    must_agree("sq_sqrt", inner if total == 1 else Pow(inner, Number(total)), after)


def _root(rule: str, t: Term) -> tuple[Term, Number]:
    """Radicand and exponent of x^q for a rational q that is no integer."""
    if not (isinstance(t, Pow) and isinstance(t.exponent, Number) and t.exponent.value.q != 1):
        raise Refused(rule, "x^q for a rational q that is no integer", str(t))
    return t.base, t.exponent


@rule()
def root_mul(before: Term, after: Term, scope: Scope) -> None:
    """(a b ...)^q = a^q b^q ... for a rational q that is no integer and non-negative factors, or for a natural index q."""
    if isinstance(before, Pow) and (natural := integral(before.exponent)) is not None and not natural.is_constant:
        if not entails(scope.facts, at_least(natural, 0)):
            raise Refused("root_mul", f"{natural} >= 0", "it is neither visible nor assumed")
        must_be("root_mul", before.base, Mul, "a power of a product")
        must_agree("root_mul", Mul(Pow(f, before.exponent) for f in before.base.children), after)
        return
    inner, q = _root("root_mul", before)
    must_be("root_mul", inner, Mul, "a product under the root")
    for factor in inner.children:
        if not nonnegative(factor, scope):
            raise Refused("root_mul", f"{factor} >= 0", "it is neither visible nor assumed")
    must_agree("root_mul", Mul(Pow(f, q) for f in inner.children), after)


@rule()
def root_even(before: Term, after: Term, scope: Scope) -> None:
    """(x^p)^q = |x|^(pq) for an even p and a rational q that is no integer."""
    inner, q = _root("root_even", before)
    base, p = base_and_exponent(inner)
    if p % 2 or p == 0:
        raise Refused("root_even", "an even power under the root", str(before))
    total = q.value * p
    size = Apply("abs", base)
    must_agree("root_even", size if total == 1 else Pow(size, Number(total)), after)


@rule()
def pow_add(before: Term, after: Term, scope: Scope, first: Index, second: Index) -> None:
    """b^(e + f) = b^e * b^f for natural exponents, or for b > 0.

    Refuses when the exponent is not the sum of the two, and when an exponent may be negative and b may not be positive.
    """
    must_be("pow_add", before, Pow, "b^(e + f)")
    base, exponent = before.children
    must_be_equal_polynomials("pow_add", exponent, IndexValue(first + second), scope)
    for part in (first, second):
        if not entails(scope.facts, at_least(part, 0)) and not positive(base, scope):
            raise Refused("pow_add", f"{part} >= 0 or {base} > 0", "neither is visible or assumed")
    must_be("pow_add", after, Mul, "b^e * b^f")
    if len(after.children) != 2:
        raise Refused("pow_add", "two factors", str(after))
    for factor, part in zip(after.children, (first, second), strict=True):
        own, power = factor.children if isinstance(factor, Pow) else (factor, ONE)
        must_agree("pow_add", base, own)
        must_be_equal_polynomials("pow_add", power, IndexValue(part), scope)
