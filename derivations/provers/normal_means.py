"""Means of the exponential, the sine and the cosine of what is linear in normal variables: `E(exp(sum(j; u[j] w[j])))`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from flint import fmpq

from derivations.kernel.errors import KernelError
from derivations.kernel.finiteness import finite
from derivations.kernel.obligation import obligations
from derivations.kernel.proof import Meet
from derivations.kernel.random_names import random_names
from derivations.kernel.rules.expectation import normal_mean, normal_sums
from derivations.kernel.scope import Scope, top_scope
from derivations.language.statement import Law, Statement, Tensor, Theory
from derivations.language.substitution import alpha_equal, rename_apart, subterms
from derivations.language.term import (
    ONE,
    ZERO,
    Add,
    Apply,
    Bracket,
    Entry,
    Expectation,
    Index,
    Lambda,
    Mul,
    Number,
    Pow,
    Sum,
    Term,
    TermError,
    equal,
    guard,
)
from derivations.provers.monomials import factors as factors_of
from derivations.provers.monomials import monomials, sum_of
from derivations.provers.trace import Trace, reverse

if TYPE_CHECKING:
    from derivations.provers.normal import Normaliser

FUNCTIONS = ("exp", "sin", "cos")
_HALF = fmpq(1, 2)


def with_means_worked_out(s: Statement, theory: Theory) -> Statement | None:
    """A statement about means of normal variables with these worked out: numbers that depend on more of a law than its mean
    and variance are not seen from two outcomes.  None where a mean is left, and where something has to be defined.

    Both steps are theorems: a mistake in this search cannot refute anything.
    """
    from derivations.kernel.replay import replay
    from derivations.provers.normal import Normaliser, OutOfWork
    from derivations.provers.normal_sides import normal_side

    normal = frozenset(n for n in theory.random if (theory.tensors[n].law or Law()).normal)
    means = [u for side in (s.left, s.right) for u in subterms(side) if isinstance(u, Expectation)]
    scope = top_scope(theory, s)
    if not means or not any(theory.depends(m, normal) for m in means) or obligations(s, scope):
        return None
    sides = []
    try:
        for side in (s.left, s.right):
            worked, trace = normal_side(Normaliser(theory), side, scope)
            if any(isinstance(u, Expectation) for u in subterms(worked)):
                return None
            replay(theory, replace(s, left=side, relation="=", right=worked), Meet(trace.chain(), ()))
            sides.append(worked)
    except (OutOfWork, TermError, KernelError):
        return None
    return replace(s, left=sides[0], right=sides[1])


def mean_of_normal(n: Normaliser, t: Expectation, scope: Scope, trace: Trace) -> Term:
    """The mean of a function of what is linear in one normal tensor, worked out; else the same term."""
    body = t.body
    if isinstance(body, Pow) and isinstance(body.base, Apply) and body.base.function == "sin":
        return _of_squared_sine(n, t, body, scope, trace)
    return _mean(n, t, scope, trace)


def mean_of_angle(n: Normaliser, t: Expectation, scope: Scope, trace: Trace) -> Term:
    """The mean of a sine or cosine, or of its square, before sums of angles are written out; else the same term."""
    body = t.body
    power = body.exponent if isinstance(body, Pow) else ONE
    function = body.base if isinstance(body, Pow) else body
    if not isinstance(function, Apply) or function.function not in ("sin", "cos") or power not in (ONE, Number(2)):
        return t
    if not any((x.law or Law()).normal for x in n.theory.tensors.values()) or not finite(t, n.theory, scope.facts):
        return t
    here = scope.inside(t, 0)
    argument, steps = n.norm(function.arg, here)
    own = Trace()
    own.below(0, steps)
    made: Term = Apply(function.function, argument)
    if isinstance(body, Pow):
        power_trace = Trace()
        power_trace.below(0, own)
        own, made = power_trace, Pow(made, body.exponent)
        if function.function == "cos":
            sines = Add((ONE, Mul((Number(-1), Pow(Apply("sin", argument), 2)))))
            own.step("cos_sq", made, sines)
            made = sines
    whole = Trace()
    whole.below(0, own)
    if isinstance(made, Add):  # 1 - sin(x)^2
        parts = made.args
        apart = Add(map(Expectation, parts))
        whole.step("expect_add", Expectation(made), apart)
        one, other, square = Trace(), Trace(), Trace()
        one.step("expect_mul", Expectation(ONE), ONE, factors=(0,))
        of_square = Expectation(Pow(Apply("sin", argument), 2))
        other.step("expect_mul", Expectation(parts[1]), Mul((Number(-1), of_square)), factors=(0,))
        found = mean_of_normal(n, of_square, scope, square)
        if found is of_square:
            return t
        below = Trace()
        below.below(1, square)
        other.then(below)
        whole.below(0, one)
        whole.below(1, other)
        trace.then(whole)
        return Add((ONE, Mul((Number(-1), found))))
    found = mean_of_normal(n, Expectation(made), scope, whole)
    if found == Expectation(made):
        return t
    trace.then(whole)
    return found


def _mean(n: Normaliser, t: Expectation, scope: Scope, trace: Trace) -> Term:
    body = t.body
    if not isinstance(body, Apply) or body.function not in FUNCTIONS:
        return t
    parts = [(m, random_names(m, scope)) for m in monomials(body.arg)]
    names = {name for _, found in parts for name in found}
    given = n.theory.tensors.get(min(names)) if len(names) == 1 else None
    if given is None or given.law is None or not given.law.normal:
        return t
    if given.law.mean is None or given.law.variance is None:
        return t
    places = tuple(f"%z{k}" for k, _ in enumerate(given.shape))
    linear = sum_of([m for m, found in parts if found])
    rest = sum_of([m for m, found in parts if not found]) if not all(found for _, found in parts) else ZERO
    coefficient = _coefficient(rename_apart(linear, {*scope.variables, *places}), given, places, scope)
    if coefficient is None:
        return t
    coefficients = Lambda(places, coefficient)
    argument, mean, half = normal_sums(given, given.law, coefficients, rest, scope)
    one, one_steps = n.norm(argument, scope)
    other, other_steps = n.norm(body.arg, scope)
    if not alpha_equal(one, other):
        return t
    inner = Trace()
    for step in other_steps.chain():
        inner.at(step)
    inner.step("alpha", other, one)
    for step in reverse(one_steps.chain()):
        inner.at(step)
    below = Trace()
    below.below(0, inner)
    trace.below(0, below)
    before = Expectation(Apply(body.function, argument))
    after = normal_mean(body.function, mean, half)
    return trace.step("expect_normal", before, after, tensor=given.name, coefficients=coefficients, rest=rest)


def _of_squared_sine(n: Normaliser, t: Expectation, body: Pow, scope: Scope, trace: Trace) -> Term:
    """E(sin(x)^2) as 1/2 - E(cos(2 x)) / 2, with the mean of the cosine worked out; else the same term."""
    angle = body.base.arg  # type: ignore[attr-defined]
    if body.exponent is not Number(2):
        return t
    sine, cosine = Apply("sin", angle), Apply("cos", angle)
    double = Apply("cos", Mul((Number(2), angle)))
    of_double = Trace()
    mean = _mean(n, Expectation(double), scope, of_double)
    if mean == Expectation(double):
        return t
    squares = Add((Add((ONE, Mul((Number(-1), Pow(sine, 2))))), Mul((Number(-1), Pow(sine, 2)))))
    half = Number(_HALF)
    written = Add((half, Mul((Number(-_HALF), squares))))
    inner, of_squares, back = Trace(), Trace(), Trace()
    inner.step("ring", body, written)
    back.step("cos_sq", Pow(cosine, 2), Add((ONE, Mul((Number(-1), Pow(sine, 2))))))
    restored = Trace()
    for step in reverse(back.chain()):
        restored.at(step)
    of_squares.below(0, restored)
    cosines = Add((Pow(cosine, 2), Mul((Number(-1), Pow(sine, 2)))))
    products = Add((Mul((cosine, cosine)), Mul((Number(-1), sine, sine))))
    of_squares.step("ring", cosines, products)
    of_squares.step("cos_add", products, double, back=True, first=angle, rest=angle)
    product = Trace()
    product.below(1, of_squares)
    inner.below(1, product)
    trace.below(0, inner)
    factor = Number(-_HALF)
    parts = (half, Mul((factor, double)))
    apart = Add(map(Expectation, parts))
    trace.step("expect_add", Expectation(Add(parts)), apart)
    first, second, last = Trace(), Trace(), Trace()
    first.step("expect_mul", Expectation(half), half, factors=(0,))
    second.step("expect_mul", Expectation(parts[1]), Mul((factor, Expectation(double))), factors=(0,))
    last.below(1, of_double)
    second.then(last)
    trace.below(0, first)
    trace.below(1, second)
    return Add((half, Mul((factor, mean))))


def _coefficient(t: Term, given: Tensor, places: tuple[str, ...], scope: Scope) -> Term | None:
    """What an entry of a tensor, at any place, is multiplied by in a term that is linear in them; None where it is not."""
    if not random_names(t, scope):
        return ZERO
    if isinstance(t, Entry):
        if t.name != given.name or len(t.indices) != len(places):
            return None
        return Bracket(guard(*(equal(i, Index.var(p)) for i, p in zip(t.indices, places, strict=True))))
    if isinstance(t, Add):
        parts = [_coefficient(a, given, places, scope) for a in t.args]
        return None if any(p is None for p in parts) else Add(p for p in parts if p is not None)
    if isinstance(t, Mul):
        drawn = [f for f in factors_of(t) if random_names(f, scope)]
        own = _coefficient(drawn[0], given, places, scope) if len(drawn) == 1 else None
        return None if own is None else Mul([*(f for f in factors_of(t) if f is not drawn[0]), own])
    if isinstance(t, Sum):
        inside = _coefficient(t.body, given, places, scope)
        return None if inside is None else Sum(t.var, t.guard, inside)
    return None
