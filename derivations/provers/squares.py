r"""Forms of a difference in which squares are seen: spreads about a mean, and the factors of a polynomial.

`\sum_i p_i x_i^2 - (\sum_i p_i x_i)^2` is `\sum_i p_i (x_i - m)^2`, with m the mean, where the weights sum to one; and
`t x^2 + (1 - t) y^2 - (t x + (1 - t) y)^2` is `t (1 - t) (x - y)^2`.  A form is a proposal: it counts when its normal form
is that of the difference.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from flint import Ordering, fmpq, fmpq_mpoly, fmpq_mpoly_ctx

from derivations.kernel.scope import Scope
from derivations.kernel.sign import nonnegative
from derivations.language.substitution import fresh, rename_apart, substitute
from derivations.language.term import (
    ONE,
    Add,
    Apply,
    Index,
    IndexValue,
    Mul,
    Number,
    Pow,
    Sum,
    Term,
    delta,
    guard_substitute,
    negative,
    product_of,
    within,
)

MAX_ATOMS, MAX_MONOMIALS = 12, 60
"""Largest polynomial that is taken apart."""


def centred(parts: Sequence[Term], scope: Scope) -> Iterator[Term]:
    """The spread about a mean that a difference of two monomials may be: a sum with a square in it, and the square of a sum."""
    if len(parts) != len(("squares", "square")):
        return
    for one, other in (parts, parts[::-1]):
        factors = list(one.args) if isinstance(one, Mul) else [one]
        sums = [f for f in factors if isinstance(f, Sum)]
        below = list(other.args) if isinstance(other, Mul) else [other]
        if len(sums) != 1 or not any(isinstance(f, Pow) and isinstance(f.base, Sum) for f in below):
            continue
        total: Sum = rename_apart(sums[0], scope.variables)  # type: ignore[assignment]
        beside = [f for f in factors if f is not sums[0]]
        weights = [f for f in beside if isinstance(f, Pow) and isinstance(f.base, Sum)]
        outer = [f for f in beside if f not in weights]
        body = list(total.body.args) if isinstance(total.body, Mul) else [total.body]
        for square in body:
            if isinstance(square, Pow) and square.exponent is Number(2):
                weight = product_of([*weights, *(f for f in body if f is not square)])
                yield product_of([*outer, _spread(total, weight, square.base, scope)])


def _spread(total: Sum, weight: Term, x: Term, scope: Scope) -> Term:
    """The weighted squares of what is left of x without its mean."""
    taken = {*scope.variables, total.var, *weight.free, *x.free}
    other = fresh(total.var, taken)
    at = {total.var: Index.var(other)}
    mean = Sum(other, guard_substitute(total.guard, at), substitute(rename_apart(Mul((weight, x)), taken), at))
    return Sum(total.var, total.guard, Mul((weight, Pow(Add((x, negative(mean))), 2))))


def crossed(parts: Sequence[Term], scope: Scope) -> Iterator[Term]:
    r"""`\sum f \sum g - (\sum h)^2` as the sum of `f_i g_j + f_j g_i - 2 h_i h_j` over all pairs, halved: squares by Cauchy."""
    if len(parts) != len(("sums", "square")):
        return
    for one, other in (parts, parts[::-1]):
        above, square = (list(t.args) if isinstance(t, Mul) else [t] for t in (one, other))
        squares = [f for f in square if isinstance(f, Pow) and isinstance(f.base, Sum) and f.exponent is Number(2)]
        if len(squares) != 1:
            continue
        whole: Sum = rename_apart(squares[0].base, scope.variables)  # type: ignore[assignment]
        found = [(f, body) for f in above if (body := _body(f, whole)) is not None]
        if len(found) != len(("f", "g")):
            continue
        outer = [f for f in above if all(f is not g for g, _ in found)]
        i, j = whole.var, fresh(whole.var, {*scope.variables, whole.var})
        (_, f), (_, g) = found
        at = {i: Index.var(j)}
        there_f, there_g, there = (
            substitute(rename_apart(t, {i, j, *scope.variables}), at) for t in (f, g, whole.body)
        )
        pairs = [Mul((f, there_g)), Mul((there_f, g)), Mul((Number(-2), whole.body, there))]
        body = factored([product_of(_flat(p)) for p in pairs], scope)
        if body is not None:
            inner = Sum(j, guard_substitute(whole.guard, at), body)
            yield product_of([Number(Fraction(1, 2)), *outer, Sum(i, whole.guard, inner)])


def off_diagonal(parts: Sequence[Term], scope: Scope) -> Iterator[Term]:
    r"""`(\sum_i u_i)^2 - \sum_i u_i^2` as the sum of `u_i u_j` over all i and j that differ."""
    if len(parts) != len(("square", "squares")):
        return
    for one, other in (parts, parts[::-1]):
        if not (isinstance(one, Pow) and isinstance(one.base, Sum) and one.exponent is Number(2)):
            continue
        less = negative(other)
        whole: Sum = rename_apart(one.base, scope.variables)  # type: ignore[assignment]
        if not isinstance(less, Sum):
            continue
        i, j = whole.var, fresh(whole.var, {*scope.variables, whole.var})
        at = {i: Index.var(j)}
        there = substitute(rename_apart(whole.body, {i, j, *scope.variables}), at)
        apart = Add((ONE, negative(delta(Index.var(i), Index.var(j)))))
        inner = Sum(j, guard_substitute(whole.guard, at), Mul((Pow(apart, 2), whole.body, there)))
        yield Sum(i, whole.guard, inner)


def beside_products(parts: Sequence[Term], scope: Scope) -> Iterator[tuple[Term, Term]]:
    r"""What Cauchy says of a square with a minus, `-(\sum f g)^2`: with `\sum f^2 \sum g^2` it is a sum of squares; and what is
    left of the difference without these two."""
    for square in parts:
        factors = list(square.args) if isinstance(square, Mul) else [square]
        sums = [f for f in factors if isinstance(f, Pow) and isinstance(f.base, Sum) and f.exponent is Number(2)]
        if len(sums) != 1 or not isinstance(factors[0], Number) or factors[0].value >= 0:
            continue
        whole: Sum = sums[0].base  # type: ignore[assignment]
        pair = _flat(whole.body)
        outer = [Number(-factors[0].value), *(f for f in factors[1:] if f is not sums[0])]
        if len(pair) != len(("f", "g")) or not all(nonnegative(f, scope) for f in outer):
            continue
        above = product_of([*outer, *(Sum(whole.var, whole.guard, Pow(f, 2)) for f in pair)])
        for form in crossed((above, square), scope):
            yield form, Add((*(p for p in parts if p is not square), negative(above)))


def _body(f: Term, whole: Sum) -> Term | None:
    """What a sum over the range of another sums up; 1 for the length of the range."""
    if isinstance(f, IndexValue):
        return ONE if whole.guard == within(whole.var, 0, f.index) else None
    if not isinstance(f, Sum):
        return None
    at = {f.var: Index.var(whole.var)}
    if guard_substitute(f.guard, at) != whole.guard:
        return None
    return substitute(rename_apart(f.body, {whole.var, f.var}), at)


def _flat(t: Term) -> list[Term]:
    """The factors of a product of products, equal ones as a power."""
    if isinstance(t, Mul):
        return [f for a in t.args for f in _flat(a)]
    return [t]


def factored(parts: Sequence[Term], scope: Scope) -> Term | None:
    """A sum of monomials as the product of the factors of their polynomial, each with the sign that is known of it."""
    atoms: dict[Term, int] = {}
    rows = [_monomial(part) for part in parts]
    signless = {f.arg: f for _, powers in rows for f in powers if isinstance(f, Apply) and f.function == "abs"}
    for _, powers in rows:
        for base in [b for b in powers if b in signless and powers[b] % 2 == 0]:  # x^2 beside |x| is |x|^2
            powers[signless[base]] = powers.pop(base) + powers.get(signless[base], 0)
        for atom in powers:
            atoms.setdefault(atom, len(atoms))
    if not 0 < len(atoms) <= MAX_ATOMS or not 1 < len(rows) <= MAX_MONOMIALS:
        return None
    context = fmpq_mpoly_ctx.get([f"x{k}" for k in range(len(atoms))], Ordering.lex)
    whole = fmpq_mpoly({tuple(powers.get(a, 0) for a in atoms): value for value, powers in rows}, context)
    constant, factors = whole.factor()
    if len(factors) == 1 and factors[0][1] == 1:
        return None
    names = list(atoms)
    found: list[Term] = []
    for factor, power in factors:
        term = _term(factor, names)
        if power % 2 and not nonnegative(term, scope) and nonnegative(opposite := _term(-factor, names), scope):
            term, constant = opposite, -constant
        found.append(term if power == 1 else Pow(term, int(power)))
    return product_of([Number(_fraction(constant)), *found])


def _monomial(part: Term) -> tuple[fmpq, dict[Term, int]]:
    """The coefficient of a monomial, and the powers of its atoms: whole ones, those of an inverse counted as of another atom,
    and `exp(2 u)` as the square of `exp(u)`."""
    value, powers = fmpq(1), dict[Term, int]()
    for f in part.args if isinstance(part, Mul) else (part,):
        if isinstance(f, Number):
            value *= fmpq(int(f.value.p), int(f.value.q))
            continue
        base, power = (f.base, f.exponent) if isinstance(f, Pow) and isinstance(f.exponent, Number) else (f, Number(1))
        if power.value.q != 1:
            base, power = f, Number(1)
        base, power = _exponential(base) if power is ONE else (base, power)
        times = int(power.value.p)
        atom = base if times > 0 else Pow(base, -1)
        powers[atom] = powers.get(atom, 0) + abs(times)
    return value, powers


def _exponential(t: Term) -> tuple[Term, Number]:
    """`exp(-2 u)` as the square of `exp(-u)`; another term as its first power."""
    first = t.arg.args[0] if isinstance(t, Apply) and t.function == "exp" and isinstance(t.arg, Mul) else None
    if not isinstance(first, Number) or first.value.q != 1 or abs(first.value.p) == 1:
        return t, Number(1)
    times = abs(int(first.value.p))
    rest = product_of([Number(1 if first.value > 0 else -1), *t.arg.args[1:]])  # type: ignore[attr-defined]
    return Apply("exp", rest), Number(times)


def _term(p: fmpq_mpoly, atoms: Sequence[Term]) -> Term:
    terms = []
    for powers, value in zip(p.monoms(), p.coeffs(), strict=True):
        factors = [a if int(k) == 1 else Pow(a, int(k)) for a, k in zip(atoms, powers, strict=True) if k]
        number = Number(_fraction(value))
        terms.append(product_of(factors if number is ONE and factors else [number, *factors]))
    return terms[0] if len(terms) == 1 else Add(terms)


def _fraction(value: fmpq) -> Fraction:
    return Fraction(int(value.p), int(value.q))
