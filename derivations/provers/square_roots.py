"""Powers of roots whose radicand is seen not to be negative, or has a form that is; roots beside powers of their radicand."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from math import lcm
from typing import TYPE_CHECKING

from flint import fmpq

from derivations.kernel.linear import entails_all
from derivations.kernel.scope import Scope
from derivations.kernel.sign import match, nonnegative, positive
from derivations.language.substitution import Capture, alpha_equal, canonical, rename_apart, substitute
from derivations.language.term import ONE, Add, Index, Mul, Number, Pow, Sum, Term, product_of
from derivations.provers.monomials import factors, monomials
from derivations.provers.trace import Trace, reverse

if TYPE_CHECKING:
    from derivations.provers.normal import Normaliser


def square_root(n: Normaliser, f: Pow, scope: Scope, trace: Trace) -> Term:
    inner = f.base
    if (
        isinstance(inner, Pow)
        and isinstance(inner.exponent, Number)
        and isinstance(f.exponent, Number)
        and f.exponent.value.q == 1
        and inner.exponent.value.q != 1
    ):
        total = inner.exponent.value * f.exponent.value
        after = inner.base if total == 1 else Pow(inner.base, Number(total))
        if nonnegative(inner.base, scope):
            return trace.step("sq_sqrt", f, after)
        return _assumed_root(n, f, inner, total, scope, trace)
    return f


def _assumed_root(n: Normaliser, f: Pow, inner: Pow, total: object, scope: Scope, trace: Trace) -> Term:
    """The same for a radicand whose sign is known before it is unfolded: from there, and back again."""
    found = unfolded_radicand(n, inner.base, scope)
    if found is None:
        return f
    start, normal, steps = found
    back, forth = Trace(), Trace()
    back.step("alpha", inner.base, normal)
    for step in reverse(steps.chain()):
        back.at(step)
    folded = Pow(Pow(start, inner.exponent), f.exponent)
    below = Trace()
    below.below(0, back)
    trace.below(0, below)
    after = trace.step("sq_sqrt", folded, start if total == 1 else Pow(start, Number(total)))  # type: ignore[arg-type]
    if total == 1:
        trace.then(steps)
        return normal
    forth.then(steps)
    trace.below(0, forth)
    return Pow(normal, after.exponent)  # type: ignore[attr-defined]


def root_of_factors(n: Normaliser, f: Pow, scope: Scope, trace: Trace) -> Term:
    """A root of a product of sums as a product of roots, before it is multiplied out: of `d_i d_j` where d is a sum."""
    starts: list[Term] = []
    inner = Trace()
    forms = [n.norm(a, scope) for a in f.base.children]
    sums = sum(isinstance(normal, Add | Sum) for normal, _ in forms)
    is_quotient = any(isinstance(normal, Add) for normal, _ in forms) and any(map(_is_divisor, f.base.children))
    if sums < (1 if is_quotient else 2):
        return f
    for k, (a, (normal, lead)) in enumerate(zip(f.base.children, forms, strict=True)):
        below = Trace()
        if not nonnegative(a, scope):
            found = unfolded_radicand(n, normal, scope)
            if found is None:
                return f
            start, again, steps = found
            below.then(lead)
            below.step("alpha", normal, again)
            for step in reverse(steps.chain()):
                below.at(step)
            a = start
        starts.append(a)
        inner.below(k, below)
    trace.below(0, inner)
    return trace.step("root_mul", Pow(Mul(starts), f.exponent), Mul(Pow(a, f.exponent) for a in starts))


def _is_divisor(t: Term) -> bool:
    """Whether a factor is a power of something given below the line: multiplied out, it may cancel what the others share."""
    return isinstance(t, Pow) and isinstance(t.exponent, Number) and t.exponent.value < 0 and bool(t.base.heads)


def root_of_common_factor(n: Normaliser, f: Pow, scope: Scope, trace: Trace) -> Term:
    """A root of a sum whose summands share factors as a product of roots: of `a - a b`, where a and 1 - b are not negative."""
    rows = [list(factors(m)) for m in monomials(f.base)]
    shared = [t for t in rows[0] if not isinstance(t, Number) and all(any(u is t for u in row) for row in rows[1:])]
    if len(rows) < 2 or not shared:
        return f
    n.spend(len(rows))
    rest = Add(product_of([u for u in row if not any(u is t for t in shared)]) for row in rows)
    is_known = positive if isinstance(f.exponent, Number) and f.exponent.value < 0 else nonnegative
    if not all(is_known(t, scope) for t in (*shared, rest)):
        return f
    inner = Trace()
    inner.step("ring", f.base, Mul((*shared, rest)))
    trace.below(0, inner)
    parts = (*shared, rest)
    return trace.step("root_mul", Pow(Mul(parts), f.exponent), Mul(Pow(t, f.exponent) for t in parts))


def with_radicands(n: Normaliser, m: Mul, scope: Scope, trace: Trace) -> Term:
    """`x x^(-1/2)` as `x^(1/2)` for a positive x; the same term where no root stands beside such a power of its radicand.

    With r = x^(1/2) it is r^2 r^-1, where r is not zero.
    """
    powers = [(k, *_power(f)) for k, f in enumerate(m.args)]
    for (j, base, q), (k, other, p) in combinations(powers, 2):
        if (q.q == 1 and p.q == 1) or (q > 0) is (p > 0) or not alpha_equal(base, other):
            continue
        known = (base, base, Trace()) if positive(base, scope) else unfolded_radicand(n, base, scope)
        if known is None or not positive(known[0], scope):
            continue
        rest = [t for i, t in enumerate(m.args) if i not in (j, k)]
        inner = Trace()
        result = _quotient(known, base, (q, p), inner)
        if not rest:
            trace.then(inner)
            return result
        trace.step("ring", m, Mul((Mul((m.args[j], m.args[k])), *rest)))
        trace.below(0, inner)
        return Mul((result, *rest))
    return m


def _power(t: Term) -> tuple[Term, fmpq]:
    if isinstance(t, Pow) and isinstance(t.exponent, Number):
        return t.base, t.exponent.value
    return t, fmpq(1)


def _raised(t: Term, power: fmpq) -> Term:
    return t if power == 1 else Pow(t, Number(power))


def _quotient(known: tuple[Term, Term, Trace], base: Term, powers: tuple[fmpq, fmpq], trace: Trace) -> Term:
    """Steps from the product of two powers of a positive term, one of them negative, to the power that it is."""
    start, normal, steps = known
    k = lcm(*(int(q.q) for q in powers))
    root = Pow(start, Number(fmpq(1, k)))
    for place, q in enumerate(powers):
        inner, back = Trace(), Trace()
        back.step("alpha", base, normal)
        for step in reverse(steps.chain()):
            back.at(step)
        if q == 1:
            inner.then(back)
        else:
            inner.below(0, back)
        if q * k != 1:
            inner.step("sq_sqrt", _raised(start, q), Pow(root, Number(q * k)), back=True)
        trace.below(place, inner)
    above, below = (0, 1) if powers[0] > 0 else (1, 0)
    total = sum(powers, fmpq(0))
    product = Mul(_raised(root, q * k) for q in powers)
    after = ONE if total == 0 else _raised(root, total * k)
    trace.step("mul_inv_cancel", product, after, above=above, below=below)
    if total == 0:
        return ONE
    if total * k != 1:
        trace.step("sq_sqrt", after, _raised(start, total))
    forth = Trace()
    forth.then(steps)
    if total == 1:
        trace.then(forth)
        return normal
    trace.below(0, forth)
    return _raised(normal, total)


def unfolded_radicand(n: Normaliser, radicand: Term, scope: Scope) -> tuple[Term, Term, Trace] | None:
    """A term without a negative value of which a radicand is the normal form, that form, and the steps to it."""
    for start in _starts(n, radicand, scope):
        if start in n.rooting:
            continue
        n.rooting.add(start)
        try:
            normal, steps = n.norm(start, scope)
        finally:
            n.rooting.remove(start)
        if alpha_equal(normal, radicand):
            return start, normal, steps
    return None


def _starts(n: Normaliser, radicand: Term, scope: Scope) -> Iterator[Term]:
    """Terms without a negative value of which a radicand may be the normal form: assumed ones, and those seen before."""
    for o in scope.assumed:
        for subject in (o.subject, o.subject.base) if isinstance(o.subject, Pow) else (o.subject,):
            if subject is radicand or not set(o.variables) <= set(scope.variables):
                continue
            start = rename_apart(subject, scope.variables)
            if entails_all(scope.facts, o.facts) and nonnegative(start, scope):
                yield start
    for normal, start in list(n.radicands.items()):
        at: dict[str, Index] = {}
        if not match(canonical(normal), canonical(radicand), normal.free, at) or not start.free <= set(at):
            continue
        try:
            here = substitute(rename_apart(start, {*scope.variables, *(v for i in at.values() for v in i.free)}), at)
        except Capture:
            continue
        if here.free <= set(scope.variables) and nonnegative(here, scope):
            yield here
