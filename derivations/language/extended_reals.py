"""Values: exact rationals, balls (Arb) that hold a real number, and minus infinity; and what is computed from several of them."""

from __future__ import annotations

from typing import Any

from flint import arb, ctx, fmpq

PRECISION = 128
MAX_BITS = 100_000


class Indeterminate(ArithmeticError):
    """A sign or a zero could not be decided at this precision."""


class WorkLimit(ArithmeticError):
    """The counted work of one evaluation is used up."""


class _NegInf:
    def __repr__(self) -> str:
        return "-oo"


NEG_INF = _NegInf()
"""The value of `NegInfinity`."""
Value = Any
"""An exact `fmpq`, an `arb` ball, or `NEG_INF`."""


def ball(value: Value) -> arb:
    """A value as a ball."""
    if isinstance(value, fmpq):
        return arb(value)
    if isinstance(value, arb):
        return value
    raise Indeterminate("minus infinity is not a real number")


def sign(value: Value) -> int:
    """-1, 0 or 1; raises `Indeterminate` when a ball does not tell."""
    if isinstance(value, fmpq):
        return (value > 0) - (value < 0)
    if isinstance(value, arb):
        if value > 0:
            return 1
        if value < 0:
            return -1
        if value.is_zero():
            return 0
    raise Indeterminate(f"the sign of {value}")


class precise:
    """`with precise(bits):` sets the precision of ball arithmetic."""

    def __init__(self, bits: int) -> None:
        self.bits = bits

    def __enter__(self) -> None:
        self.before = ctx.prec
        ctx.prec = self.bits

    def __exit__(self, *_: object) -> None:
        ctx.prec = self.before


def extended_product(parts: list[Value]) -> Value:
    """The product of values; with minus infinity among them, minus infinity where all others are positive."""
    if any(p is NEG_INF for p in parts):
        rest = [p for p in parts if p is not NEG_INF]
        return NEG_INF if all(sign(p) > 0 for p in rest) else fmpq(0)  # otherwise undefined; any value will do
    return exactly(multiply, parts)


def power(base: Value, exponent: Value) -> Value:
    """A power of values, 0 where it is not defined."""
    if base is NEG_INF or exponent is NEG_INF:
        return fmpq(0)
    if isinstance(exponent, fmpq) and exponent.q == 1:
        k = int(exponent.p)
        if abs(k) > 10_000:
            raise WorkLimit(f"exponent {k}")
        if isinstance(base, fmpq) and abs(k) * max(base.p.bit_length(), base.q.bit_length()) > MAX_BITS:
            raise WorkLimit(f"a number with more than {MAX_BITS} bits")
        if k >= 0:
            return base**k
        return fmpq(0) if sign(base) == 0 else 1 / base**-k
    if sign(base) <= 0:
        return fmpq(0)
    b, e = ball(base), ball(exponent)
    if isinstance(exponent, fmpq) and exponent == fmpq(1, 2):
        if isinstance(base, fmpq):
            exact = _exact_root(base)
            if exact is not None:
                return exact
        return b.sqrt()
    return (e * b.log()).exp()


def maximum(parts: list[Value]) -> Value:
    """The largest of some values, 0 of none."""
    real = [p for p in parts if p is not NEG_INF]
    if not real:
        return NEG_INF if parts else fmpq(0)
    if all(isinstance(p, fmpq) for p in real):
        return max(real)
    best = ball(real[0])
    for p in real[1:]:
        best = best.max(ball(p))
    return best


def exactly(operation: Any, parts: list[Value]) -> Value:
    """A sum or product of values: exact where all of them are, or where one factor is 0; else a ball."""
    if all(isinstance(p, fmpq) for p in parts):
        return operation(parts) if parts else operation([]) if operation is not sum else fmpq(0)
    if operation is multiply and any(isinstance(p, fmpq) and p == 0 for p in parts):
        return fmpq(0)
    return operation([ball(p) for p in parts])


def multiply(parts: list[Any]) -> Any:
    """The product of numbers of one kind."""
    product = fmpq(1)
    for p in parts:
        product = p * product
    return product


def _exact_root(value: fmpq) -> fmpq | None:
    import math

    p, q = int(value.p), int(value.q)
    a, b = math.isqrt(p), math.isqrt(q)
    return fmpq(a, b) if a * a == p and b * b == q else None
