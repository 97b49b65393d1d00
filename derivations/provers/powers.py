"""Powers whose exponent is an index: `b * b^(t - 1 - j)` is `b^(t - j)`, also where the other factor stands in a sum.

A factor that does not depend on a bound index is pulled out of its sum.  Powers of one base are the exception: they meet
in one power, inside, so that `g * sum(j < t; g^(t - 1 - j) * x[j])` and `sum(j < t; g^(t - j) * x[j])` look alike.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from derivations.kernel.linear import entails_all
from derivations.kernel.scope import Scope
from derivations.kernel.sign import integral, positive
from derivations.language.statement import Theory
from derivations.language.substitution import alpha_equal, bound_variables, rename_apart, subterms
from derivations.language.term import Index, IndexValue, Mul, Number, Pow, Sum, Term, at_least, product_of
from derivations.provers.trace import Trace

if TYPE_CHECKING:
    from derivations.provers.normal import Normaliser


def occur(theory: Theory) -> bool:
    """Whether a power whose exponent is not a number occurs in a definition."""
    return any(occur_in(d.body) for definitions in theory.definitions.values() for d in definitions)


def occur_in(t: Term) -> bool:
    """Whether a power whose exponent is not a number occurs in the term."""
    return any(_is_symbolic(u) for u in subterms(t))


def symbolic_bases(t: Term) -> list[frozenset[str]]:
    """The names in the bases of powers whose exponent is not a number."""
    return [u.base.heads for u in subterms(t) if isinstance(u, Pow) and _is_symbolic(u)]


def _is_symbolic(t: Term) -> bool:
    return isinstance(t, Pow) and not isinstance(t.exponent, Number)


def _read(t: Term) -> tuple[Term, Index] | None:
    """Base and exponent of a factor whose exponent is an index expression."""
    if not isinstance(t, Pow):
        return t, Index.of(1)
    exponent = integral(t.exponent)
    return None if exponent is None else (t.base, exponent)


def spread(power: Pow, scope: Scope, trace: Trace) -> Term:
    """`(g l)^k` as `g^k l^k` for a natural k; any other power as it is."""
    exponent = integral(power.exponent) if _is_symbolic(power) else None
    if exponent is None or exponent.is_constant or not entails_all(scope.facts, (at_least(exponent, 0),)):
        return power
    return trace.step("root_mul", power, Mul(Pow(f, power.exponent) for f in power.base.children))


def _add_up(base: Term, first: Index, second: Index, scope: Scope) -> bool:
    natural = entails_all(scope.facts, (at_least(first, 0), at_least(second, 0)))
    return natural or positive(base, scope)


def combine(n: Normaliser, m: Mul, scope: Scope, trace: Trace) -> Term:
    """One product of powers of the same base made one power; the same term when there is none."""
    for f in m.args:
        times = _times_in(m.args[0], f)
        if times:
            return _with_coefficient(n, m, f, times, scope, trace)
    read = [_read(f) for f in m.args]
    for i, f in enumerate(m.args):
        if not _is_symbolic(f):
            continue
        for j, other in enumerate(read):
            own = read[i]
            if j == i or own is None or other is None or not alpha_equal(own[0], other[0]):
                continue
            if _add_up(own[0], own[1], other[1], scope):
                return _joined(n, m, (i, j), (own, other), scope, trace)
    for i, f in enumerate(m.args):
        if isinstance(f, Sum):
            for j, other in enumerate(read):
                if j != i and other is not None and _meets(f, other, scope):
                    return _absorbed(n, m, i, j, scope, trace)
    return m


def _times_in(coefficient: Term, power: Term) -> int:
    """How often the whole base of a power divides a coefficient: once in `-2 * 2^(t - 1)`, -1 times in `3/2 * 2^t`."""
    own = _read(power) if _is_symbolic(power) else None
    if own is None or not isinstance(coefficient, Number) or not isinstance(own[0], Number) or not coefficient.value:
        return 0
    base, value, times = own[0].value, coefficient.value, 0
    if base.q != 1 or base.p < 2:
        return 0
    while value.p % base.p == 0:
        value, times = value / base, times + 1
    while value.q % base.p == 0:
        value, times = value * base, times - 1
    return times


def _with_coefficient(n: Normaliser, m: Mul, power: Term, times: int, scope: Scope, trace: Trace) -> Term:
    """A power with the powers of its base that its coefficient has."""
    base, exponent = _read(power)  # type: ignore[misc]
    coefficient: Number = m.args[0]  # type: ignore[assignment]
    left = Number(coefficient.value / base.value**times)  # type: ignore[union-attr]
    rest = [f for f in m.args[1:] if f is not power]
    pair = Mul((power, base if times == 1 else Pow(base, Number(times))))
    shaped = Mul((left, *rest, pair))
    trace.step("ring", m, shaped)
    whole, _ = n.norm(IndexValue(exponent + times), scope)
    one = Pow(base, whole)
    inner = Trace()
    inner.step("pow_add", pair, one, back=True, first=exponent, second=Index.of(times))
    trace.below(len(shaped.args) - 1, inner)
    return Mul((left, *rest, one))


def _joined(
    n: Normaliser,
    m: Mul,
    places: tuple[int, int],
    powers: tuple[tuple[Term, Index], tuple[Term, Index]],
    scope: Scope,
    trace: Trace,
) -> Term:
    (base, first), (_, second) = powers
    rest = [f for k, f in enumerate(m.args) if k not in places]
    pair = Mul(m.args[k] for k in places)
    exponent, _ = n.norm(IndexValue(first + second), scope)
    one = Pow(base, exponent)
    inner = Trace()
    inner.step("pow_add", pair, one, back=True, first=first, second=second)
    if rest:
        trace.step("ring", m, Mul((*rest, pair)))
        trace.below(len(rest), inner)
        return Mul((*rest, one))
    if pair is not m:
        trace.step("ring", m, pair)
    trace.then(inner)
    return one


def _meets(s: Sum, other: tuple[Term, Index], scope: Scope) -> bool:
    """Whether the body of a sum, or of a sum in it, has a power of the same base that the factor can join."""
    base, exponent = other
    apart = rename_apart(s, scope.variables)
    inside = scope.inside(apart, 0)
    body = apart.body  # type: ignore[attr-defined]
    for f in body.args if isinstance(body, Mul) else (body,):
        if isinstance(f, Sum) and _meets(f, other, inside):
            return True
        found = _read(f) if _is_symbolic(f) else None
        if found is not None and alpha_equal(found[0], base) and _add_up(base, found[1], exponent, inside):
            return True
    return False


def _absorbed(n: Normaliser, m: Mul, i: int, j: int, scope: Scope, trace: Trace) -> Term:
    """A power moved into the sum beside it."""
    power = m.args[j]
    rest = [f for k, f in enumerate(m.args) if k not in (i, j)]
    avoid = frozenset(scope.variables) | power.free | bound_variables(power)
    own: Sum = rename_apart(m.args[i], avoid)  # type: ignore[assignment]
    parts = own.body.args if isinstance(own.body, Mul) else (own.body,)
    pair = Mul((power, own))
    moved = Sum(own.var, own.guard, Mul((power, *parts)))
    inner = Trace()
    inner.step("mul_sum", pair, moved, back=True, factors=(0,))
    new, more = n.norm(moved, scope)
    inner.then(more)
    shaped = product_of([*rest, pair]) if rest else pair
    if rest:
        shaped = Mul((*rest, pair))
        trace.step("ring", m, shaped)
        trace.below(len(rest), inner)
        return Mul((*rest, new))
    if shaped is not m:
        trace.step("ring", m, shaped)
    trace.then(inner)
    return new
