"""Sums, products, quotients and powers of terms, built without parts that change nothing."""

from __future__ import annotations

from collections.abc import Callable

from derivations.language.term import ONE, ZERO, Add, Apply, Index, IndexValue, Mul, NegInfinity, Number, Pow, Term

MINUS_ONE = Number(-1)


def as_index(t: Term) -> Index | None:
    """The integer that a term is, when it is one by form."""
    if isinstance(t, IndexValue):
        return t.index
    if isinstance(t, Number):
        return Index.of(int(t.value.p)) if t.value.q == 1 else None
    if isinstance(t, Add):
        parts = [as_index(a) for a in t.args]
        if None not in parts:
            return sum((p for p in parts if p is not None), Index())
    if isinstance(t, Mul):
        total = Index.of(1)
        for a in t.args:
            part = as_index(a)
            if part is None:
                return None
            total = total * part
        return total
    return None


def times(*factors: Term) -> Term:
    kept = [f for f in factors if f is not ONE]
    return kept[0] if len(kept) == 1 else Mul(kept) if kept else ONE


def plus(*parts: Term) -> Term:
    kept = [p for p in parts if p is not ZERO]
    return kept[0] if len(kept) == 1 else Add(kept) if kept else ZERO


def minus(t: Term) -> Term:
    if isinstance(t, Number):
        return Number(-t.value)
    if isinstance(t, Mul) and len(t.args) == 2 and t.args[0] is MINUS_ONE:
        return t.args[1]
    return Mul((MINUS_ONE, t))


def divided(above: Term, below: Term) -> Term:
    if isinstance(above, Number) and isinstance(below, Number) and below.value != 0:
        return Number(above.value / below.value)
    return times(above, Pow(below, Number(-1)))


def raised(base: Term, exponent: Term) -> Term:
    if isinstance(base, Number) and isinstance(exponent, Number) and exponent.value.q == 1:
        if abs(int(exponent.value.p)) <= 64 and (base.value != 0 or exponent.value > 0):
            return Number(base.value ** int(exponent.value.p))
    return Pow(base, exponent)


def applied(function: str) -> Callable[[Term], Term]:
    return lambda t: Apply(function, t)


def is_minus_infinity(t: Term) -> bool:
    return isinstance(t, NegInfinity)
