"""Logarithms, roots and absolute values of products, and of sums that are products in disguise.

`log(1 - 1/(1 + exp(-a)))` is `-log(1 + exp(a))`: the sum under the logarithm is one fraction, numerator and denominator
are positive, and a factor that all summands share is taken out.  Roots of products are products of roots, the root of a
square is an absolute value.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd, lcm
from typing import TYPE_CHECKING

from flint import fmpq

from derivations.kernel import ring
from derivations.kernel.scope import Scope
from derivations.kernel.sign import nonnegative, nonzero, positive
from derivations.language.substitution import alpha_equal
from derivations.language.term import HALF, ZERO, Add, Apply, IndexValue, Mul, Number, Pow, Term, product_of
from derivations.provers.cancelling import cancel
from derivations.provers.monomials import base_and_power, denominators, factors, monomials
from derivations.provers.square_roots import unfolded_radicand
from derivations.provers.squares import factored
from derivations.provers.trace import Trace, reverse

if TYPE_CHECKING:
    from derivations.provers.normal import Normaliser


def distribute(n: Normaliser, product: Term, normal: Term, pieces: Sequence[Term], scope: Scope, trace: Trace) -> Term:
    """(m1 + m2 + ...) * D with each m*D cancelled on its own, so that D is not multiplied out first."""
    spread = [Mul([*factors(m), *pieces]) for m in monomials(normal)]
    total: Term = spread[0] if len(spread) == 1 else Add(spread)
    trace.step("ring", product, total)
    parts = []
    for k, m in enumerate(spread):
        inner = Trace()
        current: Term = m
        while isinstance(current, Mul):
            after = cancel(n, current, scope, inner)
            if after is current:
                break
            current = after
        if len(spread) == 1:
            trace.then(inner)
        else:
            trace.below(k, inner)
        parts.append(current)
    total = parts[0] if len(parts) == 1 else Add(parts)
    result, rest = n.start(total, scope)
    trace.then(rest)
    return result


# --- logarithms -----------------------------------------------------------------------------------------------------


def logarithm(n: Normaliser, t: Apply, scope: Scope, trace: Trace) -> Term:
    """log of a sum as a sum of logarithms, where the sum is a product of positive factors; else the same term."""
    inner = Trace()
    arg = whole(n, t.arg, scope, inner)
    if isinstance(arg, Add):
        arg = content(n, arg, scope, inner)
    if arg is t.arg or not isinstance(arg, Mul) or not all(positive(f, scope) for f in arg.args):
        return t
    trace.below(0, inner)
    return trace.step("log_mul", Apply("log", arg), Add(Apply("log", f) for f in arg.args))


def whole(n: Normaliser, t: Term, scope: Scope, trace: Trace) -> Term:
    """A sum of fractions as one product `N * D^-1 * ...`; the same term where nothing is divided or D may be 0."""
    below = denominators(t) if isinstance(t, Add) else {}
    if not below or not all(nonzero(b, scope) for b in below):
        return t
    base, power = next(iter(below.items()))
    piece, inverse = base if power == 1 else Pow(base, power), Pow(base, -power)
    parted = trace.step("mul_inv_cancel", t, Mul((t, piece, inverse)), back=True, above=1, below=2)
    product = Mul((t, piece))
    trace.step("ring", parted, Mul((product, inverse)))
    inner = Trace()
    top = distribute(n, product, t, [piece], scope, inner)
    if len(denominators(top)) < len(below):
        top = whole(n, top, scope, inner)
    trace.below(0, inner)
    return trace.step("ring", Mul((top, inverse)), Mul((*factors(top), inverse)))


def nested(n: Normaliser, f: Pow, scope: Scope, trace: Trace) -> Term:
    """A power of a sum of fractions as powers of numerator and denominator; the same term where their signs are open."""
    if all(isinstance(b, IndexValue) for b in denominators(f.base)):
        return f
    inner = Trace()
    base = whole(n, f.base, scope, inner)
    known = nonzero if f.exponent.value.q == 1 else nonnegative  # type: ignore[attr-defined]
    if base is f.base or not all(known(a, scope) for a in factors(base)):
        return f
    if known is nonzero:
        return _inverse_of_fraction(f, base, inner, trace)
    trace.below(0, inner)
    return Pow(base, f.exponent)


def _inverse_of_fraction(f: Pow, fraction: Term, steps: Trace, trace: Trace) -> Term:
    """(a b ...)^-k as a^-k b^-k ..., where the base of `f` is a sum and `steps` lead from it to a product.

    x^-1 = x^-1 (a a^-1) (b b^-1) ... = x^-1 (a b ...) a^-1 b^-1 ... = (x^-1 x) a^-1 b^-1 ...
    """
    power = -int(f.exponent.value.p)  # type: ignore[attr-defined]
    once = Pow(f.base, -1)
    turned: list[Term] = []
    inner = Trace()
    current: Term = once
    for factor in factors(fraction):
        base, p = base_and_power(factor)
        turned.append(_to(base, -p))
        one = (_to(base, abs(p)), Pow(base, -abs(p)))
        inner.step("mul_inv_cancel", current, Mul((current, *one)), back=True, above=1, below=2)
        current = Mul((current, *one))
    inner.step("ring", current, Mul((once, fraction, *turned)))
    back = Trace()
    for step in reverse(steps.chain()):
        back.at(step)
    inner.below(1, back)
    restored = Mul((once, f.base, *turned))
    after = inner.step("mul_inv_cancel", restored, product_of(turned), above=1, below=0, because=steps.chain())
    if power == 1:
        trace.then(inner)
        return after
    trace.step("ring", f, Pow(once, power))
    trace.below(0, inner)
    return Pow(after, power)


def _to(base: Term, power: int) -> Term:
    return base if power == 1 else Pow(base, power)


def content(n: Normaliser, t: Add, scope: Scope, trace: Trace) -> Term:
    """The number and the power of exp that all summands share, taken out; the same term where there is none."""
    p, originals = ring.named_polynomial(t, scope.theory, scope.facts)
    number = fmpq(gcd(*(int(c.p) for c in p.values())), lcm(*(int(c.q) for c in p.values())))
    rows = [dict(monomial[1]) for monomial in p]
    least = {key: min(row.get(key, fmpq(0)) for row in rows) for row in rows for key in row}
    shared: ring.Polynomial = {key: power for key, power in least.items() if power != 0}  # type: ignore[misc]
    if number == 1 and not shared:
        return t
    inverse = (frozenset[tuple[ring.Key, fmpq]](), frozenset((key, -power) for key, power in shared.items()), ())
    rest = n.printed(ring.multiply(p, {inverse: 1 / number}), scope, originals)
    common: list[Term] = [Number(number)] if number != 1 else []
    if shared:
        common.append(Apply("exp", n.printed(shared, scope, originals)))
    return trace.step("ring", t, Mul((*common, rest)))


def number_logarithm(t: Apply, value: fmpq, trace: Trace) -> Term:
    """log of a positive rational number by the logarithms of its prime factors; log 1 is 0."""
    if value == 1:
        trace.below(0, _one_step("ring", t.arg, Apply("exp", ZERO)))
        return trace.step("log_exp", Apply("log", Apply("exp", ZERO)), ZERO)
    powers = [(p, k * sign) for part, sign in ((value.p, 1), (value.q, -1)) for p, k in ring.prime_factors(int(part))]
    if len(powers) == 1 and powers[0][1] == 1:
        return t
    parts = [Number(p) if k == 1 else Pow(Number(p), k) for p, k in powers]
    product = parts[0] if len(parts) == 1 else Mul(parts)
    trace.below(0, _one_step("ring", t.arg, product))
    logs: list[Term] = [Apply("log", part) for part in parts]
    if len(parts) > 1:
        trace.step("log_mul", Apply("log", product), Add(logs))
    for k, (part, (prime, power)) in enumerate(zip(parts, powers, strict=True)):
        if power != 1:
            after = Mul((Number(power), Apply("log", Number(prime))))
            inner = _one_step("log_inv", Apply("log", part), after)
            logs[k] = after
            if len(parts) > 1:
                trace.below(k, inner)
            else:
                trace.then(inner)
    return logs[0] if len(logs) == 1 else Add(logs)


def _one_step(rule: str, before: Term, after: Term) -> Trace:
    inner = Trace()
    inner.step(rule, before, after)
    return inner


def powers_of_logarithms(t: Apply, scope: Scope, trace: Trace) -> Term:
    """exp(a + 2 log x) as exp(a) x^2 for a positive x; the same term where no such logarithm is added."""
    taken, rest = [], []
    for m in monomials(t.arg):
        number, log = _multiple_of_logarithm(m)
        if log is not None and positive(log.arg, scope):
            taken.append((number, log))
        else:
            rest.append(m)
    if not taken:
        return t
    parts: list[Term] = [Apply("exp", Mul((number, log))) for number, log in taken]
    if rest:
        parts.append(Apply("exp", rest[0] if len(rest) == 1 else Add(rest)))
    product = parts[0] if len(parts) == 1 else Mul(parts)
    trace.step("ring", t, product)
    for k, (number, log) in enumerate(taken):
        power = Pow(log.arg, number)
        inner = Trace()
        inner.step("pow_exp", parts[k], power, back=True)
        parts[k] = power
        if len(parts) == 1:
            trace.then(inner)
        else:
            trace.below(k, inner)
    return parts[0] if len(parts) == 1 else Mul(parts)


def _multiple_of_logarithm(m: Term) -> tuple[Number, Apply | None]:
    """The number and the logarithm of `2 log x`."""
    parts = factors(m)
    number = parts[0] if len(parts) == 2 and isinstance(parts[0], Number) else Number(1)
    log = parts[-1] if len(parts) == 1 or (len(parts) == 2 and isinstance(parts[0], Number)) else None
    return number, log if isinstance(log, Apply) and log.function == "log" else None


def exponential(t: Pow, trace: Trace) -> Term:
    """A power of a positive base, whose exponent is any real number, as an exponential."""
    return trace.step("pow_exp", t, Apply("exp", Mul((t.exponent, Apply("log", t.base)))))


# --- roots and absolute values --------------------------------------------------------------------------------------


def root(n: Normaliser, f: Term, scope: Scope, trace: Trace) -> Term:
    """A root of a product as a product of roots, a root of an even power as a power of an absolute value."""
    if not (isinstance(f, Pow) and isinstance(f.exponent, Number)):
        return f
    inner, q = f.base, f.exponent
    if isinstance(inner, Add):
        steps = Trace()
        shared = content(n, inner, scope, steps)
        if isinstance(shared, Mul) and all(nonnegative(a, scope) for a in shared.args):
            trace.below(0, steps)
            return root(n, Pow(shared, q), scope, trace)
        split = factored(monomials(inner), scope)
        if isinstance(split, Mul) and all(nonnegative(a, scope) for a in split.args):
            steps = Trace()
            steps.step("ring", inner, split)
            trace.below(0, steps)
            return root(n, Pow(split, q), scope, trace)
        return root_of_multiple(n, f, inner, scope, trace)
    if isinstance(inner, Mul) and all(nonnegative(a, scope) for a in inner.args):
        parts: list[Term] = [Pow(a, q) for a in inner.args]
        trace.step("root_mul", f, Mul(parts))
        for k, part in enumerate(parts):
            below = Trace()
            parts[k] = root(n, part, scope, below)
            trace.below(k, below)
        return Mul(parts)
    if isinstance(inner, Pow) and isinstance(inner.exponent, Number) and _even(inner.exponent):
        total = q.value * inner.exponent.value
        size = Apply("abs", inner.base)
        trace.step("root_even", f, size if total == 1 else Pow(size, Number(total)))
        below = Trace()
        plain = absolute(n, size, scope, below)
        if total == 1:
            trace.then(below)
            return plain
        trace.below(0, below)
        return Pow(plain, Number(total))
    if isinstance(inner, Pow) and isinstance(inner.exponent, Number) and inner.exponent.value.q == 1:
        if q.value == HALF.value and positive(inner.base, scope):
            return _root_of_odd_power(inner, inner.exponent, f, trace)
    return f


def _root_of_odd_power(inner: Pow, power: Number, f: Pow, trace: Trace) -> Term:
    """The root of an odd power of what is positive, `(1/x)^(1/2)`, as a power of it: x^p is the square of x^(p/2)."""
    half = Pow(inner.base, Number(power.value / 2))
    squared, below = Pow(half, Number(2)), Trace()
    below.step("sq_sqrt", inner, squared, back=True)
    trace.below(0, below)
    size = Apply("abs", half)
    trace.step("root_even", Pow(squared, f.exponent), size)
    return trace.step("abs_value", size, half, sign=1)


def root_of_multiple(n: Normaliser, f: Pow, radicand: Add, scope: Scope, trace: Trace) -> Term:
    """A root of a^2 v as |a| times the root of v, where v is the normal form of something without a negative value."""
    common, rest = shared_squares(radicand, scope)
    found = unfolded_radicand(n, rest, scope) if common else None
    if found is None:
        return f
    start, normal, steps = found
    inner, back = Trace(), Trace()
    inner.step("ring", radicand, Mul((*common, rest)))
    back.step("alpha", rest, normal)
    for step in reverse(steps.chain()):
        back.at(step)
    inner.below(len(common), back)
    trace.below(0, inner)
    parts: list[Term] = [Pow(c, f.exponent) for c in (*common, start)]
    trace.step("root_mul", Pow(Mul((*common, start)), f.exponent), Mul(parts))
    for k, part in enumerate(parts):
        below = Trace()
        if k < len(common):
            parts[k] = root(n, part, scope, below)
        else:
            below.below(0, steps)
            parts[k] = Pow(normal, f.exponent)
        trace.below(k, below)
    return Mul(parts)


def shared_squares(t: Add, scope: Scope) -> tuple[list[Term], Term]:
    """Even powers, and powers of what is positive, that all summands share, and what is left of the sum without them."""
    rows = [dict(_with_power(f) for f in factors(m) if not isinstance(f, Number)) for m in monomials(t)]
    common: dict[Term, int] = {}
    for base in rows[0]:
        least = min(next((p for b, p in row.items() if alpha_equal(b, base)), 0) for row in rows)
        if least > 0 and not positive(base, scope):
            least -= least % 2
        if least > 0:
            common[base] = least
    left = []
    for m in monomials(t):
        parts: list[Term] = []
        for f in factors(m):
            base, p = _with_power(f)
            p -= next((k for b, k in common.items() if alpha_equal(b, base)), 0)
            if isinstance(f, Number) or p:
                parts.append(f if isinstance(f, Number) else base if p == 1 else Pow(base, p))
        left.append(product_of(parts))
    return [b if k == 1 else Pow(b, k) for b, k in common.items()], Add(left)


def _with_power(f: Term) -> tuple[Term, int]:
    """A factor as a base and a whole power of it."""
    if isinstance(f, Pow) and isinstance(f.exponent, Number) and f.exponent.value.q == 1:
        return f.base, int(f.exponent.value.p)
    return f, 1


def absolute(n: Normaliser, t: Term, scope: Scope, trace: Trace) -> Term:
    """An absolute value without the factors whose sign is known, of a sum with a fixed sign; else the same term."""
    if not isinstance(t, Apply):
        return t
    if nonnegative(t.arg, scope):
        return trace.step("abs_value", t, t.arg, sign=1)
    if isinstance(t.arg, Add):
        opposite = n.expand(Mul((Number(-1), t.arg)), scope)
        if nonnegative(opposite, scope):
            return trace.step("abs_value", t, opposite, sign=-1)
        if _leading(t.arg) >= 0:
            return t
        trace.below(0, _one_step("ring", t.arg, Mul((Number(-1), opposite))))
        t = Apply("abs", Mul((Number(-1), opposite)))
    if isinstance(t.arg, Mul):
        parts: list[Term] = [Apply("abs", a) for a in t.arg.args]
        trace.step("abs_mul", t, Mul(parts))
        for k, part in enumerate(parts):
            below = Trace()
            parts[k] = absolute(n, part, scope, below)
            trace.below(k, below)
        return Mul(parts)
    if isinstance(t.arg, Number):
        return trace.step("abs_value", t, Number(-t.arg.value), sign=-1)
    if isinstance(t.arg, Pow) and isinstance(t.arg.exponent, Number) and t.arg.exponent.value.q == 1:
        return trace.step("abs_mul", t, Pow(Apply("abs", t.arg.base), t.arg.exponent))
    return t


def even_absolute(m: Term, k: int, f: Pow, trace: Trace) -> Term:
    """|x|^p in a monomial as x^p, or x^(p - 1) |x| for an odd p."""
    p, inner = int(f.exponent.value.p), f.base.arg  # type: ignore[attr-defined]
    even = p - p % 2
    rest = [t for j, t in enumerate(factors(m)) if j != k] + ([f.base] if p % 2 else [])
    if not rest:
        return trace.step("abs_even", m, Pow(inner, even))
    shaped = trace.step("ring", m, Mul((Pow(f.base, even), *rest)))
    trace.below(0, _one_step("abs_even", Pow(f.base, even), Pow(inner, even)))
    return shaped.with_children([Pow(inner, even), *rest])


def _even(exponent: Number) -> bool:
    return bool(exponent.value.q == 1 and exponent.value != 0 and exponent.value.p % 2 == 0)


def _leading(t: Add) -> fmpq:
    """The coefficient of the first summand."""
    first = factors(t.args[0])[0]
    return first.value if isinstance(first, Number) else fmpq(1)
