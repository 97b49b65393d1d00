"""First and second derivatives of a term at given inputs, by forward mode."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flint import fmpq

from derivations.language.extended_reals import NEG_INF, Indeterminate, Value, exactly, multiply, power, sign
from derivations.language.term import (
    DERIVED,
    DETERMINANT,
    FUNCTIONS,
    Add,
    Apply,
    Bracket,
    Case,
    Choice,
    Derivative,
    Entry,
    IndexValue,
    Max,
    Mul,
    Number,
    Pow,
    Sum,
    Term,
    inverse,
)

if TYPE_CHECKING:
    from derivations.language.meaning import Evaluator


def tangent(e: Evaluator, t: Term, env: dict[str, int], by: tuple[str, tuple[int, ...]]) -> Value:
    """The derivative of a term by one entry of a given tensor (forward mode)."""
    e.spend()
    if isinstance(t, (Number, IndexValue, Bracket)):
        return fmpq(0)
    if isinstance(t, Entry):
        definition = e.definition(t, env)
        if definition is not None:
            body, inner = definition
            return tangent(e, body, inner, by)
        if t.is_inverse or t.name == DETERMINANT:
            return _of_matrix(e, t, env, by)
        if t.args:
            raise Indeterminate(f"the derivative of the unknown function {t.name}")
        return fmpq(int((t.name, tuple(e.at(i, env) for i in t.indices)) == by))
    if isinstance(t, Add):
        return exactly(sum, [tangent(e, a, env, by) for a in t.args])
    if isinstance(t, Mul):
        rows = [
            [tangent(e, a, env, by), *(e.value(b, env) for j, b in enumerate(t.args) if j != k)]
            for k, a in enumerate(t.args)
        ]
        return exactly(sum, [exactly(multiply, row) for row in rows])
    if isinstance(t, Case):
        return tangent(e, e.branch(t, env), env, by)
    if isinstance(t, Choice):
        if not sign(e.value(t.test, env)):
            raise Indeterminate(f"the derivative where {t.test} = 0")
        return tangent(e, e.branch(t, env), env, by)
    if isinstance(t, Max):
        return tangent(e, *_largest(e, t, env), by)
    if isinstance(t, Sum):
        places = e.range(t.var, t.guard, env)
        return exactly(sum, [tangent(e, t.body, {**env, t.var: v}, by) for v in places])
    if isinstance(t, Pow) and isinstance(t.exponent, Number):
        q = t.exponent.value
        outer = power(e.value(t.base, env), q - 1)
        return exactly(multiply, [q, outer, tangent(e, t.base, env, by)])
    if isinstance(t, Pow):
        base, exponent = e.value(t.base, env), e.value(t.exponent, env)
        if e.theory.depends(t.exponent, frozenset((by[0],))):
            if sign(base) <= 0:
                raise Indeterminate(f"the derivative of a power of {t.base}, which is not positive")
            return tangent(e, _as_exponential(t), env, by)
        outer = exactly(multiply, [exponent, power(base, exactly(sum, [exponent, fmpq(-1)]))])
        return exactly(multiply, [outer, tangent(e, t.base, env, by)])
    if isinstance(t, Apply):
        return exactly(multiply, [_slope(e, t, env), tangent(e, t.arg, env, by)])
    if isinstance(t, Derivative):
        return second_derivative(e, t.body, env, (t.name, tuple(e.at(i, env) for i in t.at)), by)
    raise Indeterminate(f"the derivative of {type(t).__name__}")


def _of_matrix(e: Evaluator, t: Entry, env: dict[str, int], by: tuple[str, tuple[int, ...]]) -> Value:
    """The derivative of an entry of `M^-1`, which is that of `-M^-1 (dM) M^-1`, or of `det(M)`: `det(M) tr(M^-1 dM)`."""
    (matrix,), n = t.args, t.sizes[0]
    inverted = e.inverse(inverse(matrix, n, 0, 0), env)
    if inverted is None:
        raise Indeterminate("the derivative at a singular matrix")
    at = [e.at(i, env) for i in t.indices]
    if not all(0 <= k < inverted.nrows() for k in at):
        raise Indeterminate("the derivative of an entry of an inverse that is out of range")
    rows = []
    for a in range(inverted.nrows()):
        for b in range(inverted.nrows()):
            place = {**env, **dict(zip(matrix.params, (a, b), strict=True))}
            changed = tangent(e, matrix.body, place, by)
            factors = [fmpq(-1), inverted[at[0], a], inverted[b, at[1]]] if at else [e.value(t, env), inverted[b, a]]
            rows.append(exactly(multiply, [*factors, changed]))
    return exactly(sum, rows)


def second_derivative(
    e: Evaluator, t: Term, env: dict[str, int], a: tuple[str, tuple[int, ...]], b: tuple[str, tuple[int, ...]]
) -> Value:
    """The second derivative of a term by two entries."""
    e.spend()
    if isinstance(t, (Number, IndexValue, Bracket)):
        return fmpq(0)
    if isinstance(t, Entry):
        definition = e.definition(t, env)
        if definition is not None:
            return second_derivative(e, definition[0], definition[1], a, b)
        if t.args:
            raise Indeterminate(f"the derivative of the unknown function {t.name}")
        return fmpq(0)
    if isinstance(t, Choice) and not sign(e.value(t.test, env)):
        raise Indeterminate(f"the derivative where {t.test} = 0")
    if isinstance(t, (Case, Choice)):
        return second_derivative(e, e.branch(t, env), env, a, b)
    if isinstance(t, Max):
        return second_derivative(e, *_largest(e, t, env), a, b)
    if isinstance(t, Add):
        return exactly(sum, [second_derivative(e, x, env, a, b) for x in t.args])
    if isinstance(t, Sum):
        places = e.range(t.var, t.guard, env)
        return exactly(sum, [second_derivative(e, t.body, {**env, t.var: v}, a, b) for v in places])
    if isinstance(t, Mul):
        first, *rest = t.args
        if not rest:
            return second_derivative(e, first, env, a, b)
        other = rest[0] if len(rest) == 1 else Mul(rest)
        rows = [
            [second_derivative(e, first, env, a, b), e.value(other, env)],
            [tangent(e, first, env, a), tangent(e, other, env, b)],
            [tangent(e, first, env, b), tangent(e, other, env, a)],
            [e.value(first, env), second_derivative(e, other, env, a, b)],
        ]
        return exactly(sum, [exactly(multiply, row) for row in rows])
    if isinstance(t, Pow) and isinstance(t.exponent, Number):
        inner, q = e.value(t.base, env), t.exponent.value
        once = exactly(multiply, [q, power(inner, q - 1)])
        twice = fmpq(0) if q == 1 else exactly(multiply, [q * (q - 1), power(inner, q - 2)])
        return _composed(e, t.base, once, twice, env, a, b)
    if isinstance(t, Pow) and sign(e.value(t.base, env)) > 0:
        return second_derivative(e, _as_exponential(t), env, a, b)
    if isinstance(t, Apply):
        return _composed(e, t.arg, _slope(e, t, env), _curvature(e, t, env), env, a, b)
    raise Indeterminate(f"the second derivative of {type(t).__name__}")


def _as_exponential(t: Pow) -> Term:
    """`exp(e log b)` for a power b^e of something positive."""
    return Apply("exp", Mul((t.exponent, Apply("log", t.base))))


def _composed(
    e: Evaluator,
    inner: Term,
    once: Value,
    twice: Value,
    env: dict[str, int],
    a: tuple[str, tuple[int, ...]],
    b: tuple[str, tuple[int, ...]],
) -> Value:
    """The second derivative of f(u) from f'(u) and f''(u)."""
    rows = [
        [once, second_derivative(e, inner, env, a, b)],
        [twice, tangent(e, inner, env, a), tangent(e, inner, env, b)],
    ]
    return exactly(sum, [exactly(multiply, row) for row in rows])


def _curvature(e: Evaluator, t: Apply, env: dict[str, int]) -> Value:
    """The second derivative of a function at the value of its argument."""
    x = e.value(t.arg, env)
    if t.function == "exp":
        return e.function("exp", x)
    if t.function == "abs" and sign(x):
        return fmpq(0)
    if t.function == "log":
        return exactly(multiply, [fmpq(-1), power(x, fmpq(-2))])
    if t.function in ("sin", "cos"):
        return exactly(multiply, [fmpq(-1), e.function(t.function, x)])
    if t.function == "tanh":
        return exactly(multiply, [fmpq(-2), e.function("tanh", x), _slope(e, t, env)])
    if t.function not in FUNCTIONS:
        return e.function(t.function + 2 * DERIVED, x)
    raise Indeterminate(f"the second derivative of {t.function}")


def _largest(e: Evaluator, t: Max, env: dict[str, int]) -> tuple[Term, dict[str, int]]:
    """The one value of a maximum that is larger than all others, and the indices there."""
    places = [{**env, t.var: v} for v in e.range(t.var, t.guard, env)]
    values = [e.value(t.body, here) for here in places]
    for here, value in zip(places, values, strict=True):
        rest = [other for place, other in zip(places, values, strict=True) if place is not here]
        if all(other is NEG_INF or sign(exactly(sum, [value, -other])) > 0 for other in rest):
            return t.body, here
    raise Indeterminate("the derivative of a maximum where two of its values are equal")


def _slope(e: Evaluator, t: Apply, env: dict[str, int]) -> Value:
    x = e.value(t.arg, env)
    if t.function == "exp":
        return e.function("exp", x)
    if t.function == "log":
        return power(x, fmpq(-1))
    if t.function == "sin":
        return e.function("cos", x)
    if t.function == "cos":
        return exactly(multiply, [fmpq(-1), e.function("sin", x)])
    if t.function == "tanh":
        y = e.function("tanh", x)
        return exactly(sum, [fmpq(1), exactly(multiply, [fmpq(-1), y, y])])
    if t.function == "abs" and sign(x):
        return fmpq(sign(x))
    if t.function not in FUNCTIONS:
        return e.function(t.function + DERIVED, x)
    raise Indeterminate(f"the derivative of {t.function}")
