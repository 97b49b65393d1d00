"""Polynomial identity: the ring laws, the laws of exp, and the algebra of Iverson brackets.

A term is read as a polynomial whose monomials are `coefficient * atoms * exp(P) * [guard]`, with P again such a
polynomial.  Two terms are equal by these laws exactly when their polynomials are equal.  Used laws:

    commutative ring; integer powers; (ab)^-1 = a^-1 b^-1; (a^-1)^-1 = a
    exp(P) exp(Q) = exp(P + Q); exp(P)^k = exp(kP); exp(0) = 1
    [g][h] = [g and h]; [g]^k = [g] for k >= 1; [g]^-1 = [g]
    (a if x > 0 else a) = a; [c x > 0] = [x > 0] for a number c > 0; [x > 0]^k = [x > 0], where [x > 0] is `Choice(x, 1, 0)`
    a^p a^q = a^(p+q) for rational p, q where a is a size, a positive number, or exp

All of them hold for every real value under the convention x/0 = 0, so no side condition is lost; `a * a^-1 = 1` is
*not* among them (see rule `mul_inv_cancel`).  Everything else (sums, entries, other functions) is an atom, compared up
to the names of bound variables.  Values must be finite reals: see `finiteness.py`.
"""

from __future__ import annotations

from fractions import Fraction

from flint import fmpq

from derivations.kernel.errors import Refused, TooLarge
from derivations.kernel.finiteness import finite
from derivations.language.statement import Theory
from derivations.language.substitution import canonical
from derivations.language.term import (
    Add,
    Apply,
    Bracket,
    Choice,
    Guard,
    Index,
    IndexValue,
    Mul,
    NegInfinity,
    Number,
    Pow,
    Term,
    guard,
)

MAX_BITS = 100_000
MAX_MONOMIALS = 5_000
"""Monomials of one polynomial; beyond it the rule refuses."""
MAX_POWER = 12
"""Largest written exponent that is multiplied out."""

Key = tuple[object, ...]
"""An atom: ("term", t), ("size", name), ("prime", p), ("sign", P) for [P > 0], ("choice", P, A, B) for A if P > 0 else
B, or ("poly", P) for a sum that is only inverted."""

Factors = tuple[tuple[Key, fmpq], ...]
Monomial = tuple[frozenset[tuple[Key, fmpq]], "Frozen", Guard]
Frozen = frozenset[tuple[object, fmpq]]
Polynomial = dict[Monomial, fmpq]

_EMPTY: Frozen = frozenset()
UNIT: Monomial = (frozenset(), _EMPTY, ())
_ONE = fmpq(1)


def polynomial(term: Term, theory: Theory, facts: Guard | None = None) -> Polynomial:
    """The polynomial of a term; raises `Refused` beyond the limits or where a value may be minus infinity."""
    return _Reader(theory, facts).read(term)


def named_polynomial(term: Term, theory: Theory, facts: Guard | None = None) -> tuple[Polynomial, dict[Term, Term]]:
    """The polynomial, and for each canonical atom the way it was written (for provers that print it again)."""
    reader = _Reader(theory, facts)
    return reader.read(term), reader.originals


def same(left: Term, right: Term, theory: Theory, facts: Guard | None = None) -> bool:
    """Equal by the laws above."""
    reader = _Reader(theory, facts)
    return reader.read(left) == reader.read(right)


def _bump(target: Polynomial, key: Monomial, value: fmpq) -> None:
    total = target.get(key, fmpq(0)) + value
    if total == 0:
        target.pop(key, None)
    else:
        target[key] = total


def add(left: Polynomial, right: Polynomial) -> Polynomial:
    if len(left) < len(right):
        left, right = right, left
    result = dict(left)
    for key, value in right.items():
        _bump(result, key, value)
    return result


def scale(p: Polynomial, factor: fmpq) -> Polynomial:
    return {k: v * factor for k, v in p.items()} if factor != 0 else {}


def multiply(left: Polynomial, right: Polynomial) -> Polynomial:
    if len(left) * len(right) > MAX_MONOMIALS:
        raise TooLarge("ring", f"at most {MAX_MONOMIALS} monomials", f"{len(left)} times {len(right)}")
    result: Polynomial = {}
    for a, x in left.items():
        for b, y in right.items():
            key, factor = times(a, b)
            _bump(result, key, x * y * factor)
    return result


def times(a: Monomial, b: Monomial) -> tuple[Monomial, fmpq]:
    """The product of two monomials, with the rational factor that prime powers give."""
    if a is UNIT:
        return b, _ONE
    if b is UNIT:
        return a, _ONE
    factors: dict[Key, fmpq] = dict(a[0])
    number = _ONE
    for key, power in b[0]:
        total = factors.get(key, fmpq(0)) + power
        if key[0] == "prime":
            whole, total = _whole_part(total)
            number *= _prime_power(key, whole)
        if key[0] == "sign":
            total = _ONE
        if total == 0:
            factors.pop(key, None)
        else:
            factors[key] = total
    exponent = _merge(a[1], b[1])
    condition = a[2] if not b[2] else b[2] if not a[2] else guard(*a[2], *b[2])
    return (frozenset(factors.items()), exponent, condition), number


def _whole_part(power: fmpq) -> tuple[int, fmpq]:
    whole = int(power.p // power.q)
    return whole, power - whole


def _prime_power(key: Key, k: int) -> fmpq:
    """A whole power of a prime, which is an atom of a monomial."""
    prime = int(key[1])  # type: ignore[call-overload]
    if abs(k) * prime.bit_length() > MAX_BITS:
        raise TooLarge("ring", f"numbers of at most {MAX_BITS} bits", f"a power {k}")
    return fmpq(prime) ** k


def _merge(a: Frozen, b: Frozen) -> Frozen:
    if not a:
        return b
    if not b:
        return a
    total: dict[object, fmpq] = dict(a)
    for key, value in b:
        new = total.get(key, fmpq(0)) + value
        if new == 0:
            total.pop(key, None)
        else:
            total[key] = new
    return frozenset(total.items())


def inverse_key(key: Key) -> Key:
    """Atoms and their inverses are kept apart, because a * a^-1 = 1 needs a != 0."""
    return key[1] if key[0] == "inverse" else ("inverse", key)  # type: ignore[return-value]


class _Reader:
    def __init__(self, theory: Theory, facts: Guard | None = None) -> None:
        self.theory, self.facts = theory, facts
        self.done: dict[Term, Polynomial] = {}
        self.originals: dict[Term, Term] = {}

    def read(self, t: Term) -> Polynomial:
        found = self.done.get(t)
        if found is None:
            found = self.done[t] = self._read(t)
        return found

    def _read(self, t: Term) -> Polynomial:
        if isinstance(t, Number):
            return {UNIT: t.value} if t.value != 0 else {}
        if isinstance(t, IndexValue):
            return self.index(t.index)
        if isinstance(t, Add):
            total: Polynomial = {}
            for a in t.args:
                total = add(total, self.read(a))
            return total
        if isinstance(t, Mul):
            product: Polynomial = {UNIT: _ONE}
            for a in t.args:
                product = multiply(product, self.read(a))
            return product
        if isinstance(t, Pow):
            return self.power(t)
        if isinstance(t, Bracket):
            if any(c.index.is_constant and not c.holds({}, {}) for c in t.condition):
                return {}
            return {(frozenset(), _EMPTY, t.condition): _ONE}
        if isinstance(t, Choice):
            return self.choice(t)
        if isinstance(t, Apply) and t.function == "exp" and finite(t.arg, self.theory, self.facts):
            return {(frozenset(), frozenset(self.read(t.arg).items()), ()): _ONE}
        if isinstance(t, NegInfinity) or not finite(t, self.theory, self.facts):
            raise Refused("ring", "finite real values", f"{t} may be minus infinity")
        return self.opaque(t)

    def choice(self, t: Choice) -> Polynomial:
        test = self.read(t.test)
        if set(test) <= {UNIT}:
            return self.read(t.above if test.get(UNIT, fmpq(0)) > 0 else t.otherwise)
        above, otherwise = self.read(t.above), self.read(t.otherwise)
        if above == otherwise:
            return above
        lead = test[min(test, key=_order)]
        positive = frozenset(scale(test, 1 / abs(lead)).items())
        if above == {UNIT: _ONE} and not otherwise:
            return self.atom(("sign", positive))
        return self.atom(("choice", positive, frozenset(above.items()), frozenset(otherwise.items())))

    def opaque(self, t: Term) -> Polynomial:
        key = canonical(t)
        self.originals.setdefault(key, t)
        return self.atom(("term", key))

    def atom(self, key: Key, power: fmpq = _ONE) -> Polynomial:
        return {(frozenset(((key, power),)), _EMPTY, ()): _ONE}

    def index(self, index: Index) -> Polynomial:
        total: Polynomial = {UNIT: fmpq(index.const)} if index.const else {}
        for a, c in index.terms:
            product: Polynomial = {UNIT: _ONE}
            for factor in (part.terms[0][0] for part in a.args) if a.kind == "product" else (a,):
                key: Key = (
                    ("size", factor.name) if factor.kind == "size" else ("term", IndexValue(Index(((factor, 1),))))
                )
                product = multiply(product, self.atom(key))
            total = add(total, scale(product, fmpq(c)))
        return total

    def power(self, t: Pow) -> Polynomial:
        if not isinstance(t.exponent, Number):
            exponent = self.read(t.exponent)
            if set(exponent) <= {UNIT}:  # a number in disguise
                return self.power(Pow(t.base, Number(exponent.get(UNIT, fmpq(0)))))
            return self.opaque(t)
        exponent_value = t.exponent.value
        base = self.read(t.base)
        if exponent_value == 0:
            return {UNIT: _ONE}
        if exponent_value.q == 1:
            k = int(exponent_value.p)
            if abs(k) > MAX_POWER and len(base) > 1:
                raise TooLarge("ring", f"exponents up to {MAX_POWER}", str(k))
            if len(base) == 1:
                ((monomial, c),) = base.items()
                return self.monomial_power(monomial, c, k)
            if not base:
                return {}
            if k > 0:
                product = base
                for _ in range(k - 1):
                    product = multiply(product, base)
                return product
            # a sum below the line: common factors out, then an atom, normalised by a deterministic leading coefficient
            common, base = _without_common(base)
            if common is not UNIT:
                outside = self.monomial_power(common, _ONE, k)
                return multiply(outside, self.inverse(base, k))
            return self.inverse(base, k)
        if len(base) == 1:
            ((monomial, c),) = base.items()
            taken = self.positive_power(monomial, c, exponent_value)
            if taken is not None:
                return taken
        return self.atom(("root", frozenset(base.items()), exponent_value))

    def inverse(self, base: Polynomial, k: int) -> Polynomial:
        """A negative power of a sum."""
        lead = base[min(base, key=_order)]
        key: Key = ("inverse", ("poly", frozenset(scale(base, 1 / lead).items())))
        return scale(self.atom(key, fmpq(-k)), lead**k)

    def monomial_power(self, m: Monomial, c: fmpq, k: int) -> Polynomial:
        if abs(k) > 10_000:
            raise TooLarge("ring", "exponents up to 10000", str(k))
        if abs(k) * max(c.p.bit_length(), c.q.bit_length()) > MAX_BITS:
            raise TooLarge(
                "ring", f"numbers of at most {MAX_BITS} bits", f"({c})^{k}" if c.p.bit_length() < 64 else f"a power {k}"
            )
        number = c**k
        factors: dict[Key, fmpq] = {}
        sums: list[Polynomial] = []
        for key, power in m[0]:
            inner = key[1] if key[0] == "inverse" else None
            if k < 0 and isinstance(inner, tuple) and inner[0] == "poly":  # 1/(1/(a + b)) is a + b again
                if power * -k > MAX_POWER:
                    raise TooLarge("ring", f"exponents up to {MAX_POWER}", str(power * -k))
                sums += [dict(inner[1])] * int((power * -k).p)
            elif key[0] == "prime":
                whole, rest = _whole_part(power * k)
                number *= _prime_power(key, whole)
                if rest != 0:
                    factors[key] = rest
            elif key[0] == "size":
                factors[key] = power * k
            elif key[0] == "sign":
                factors[key] = _ONE
            elif k > 0:
                factors[key] = power * k
            else:
                factors[inverse_key(key)] = power * -k
        exponent: Frozen = frozenset((key, v * k) for key, v in m[1])
        result: Polynomial = {(frozenset(factors.items()), exponent, m[2]): number}
        for p in sums:
            result = multiply(result, p)
        return result

    def positive_power(self, m: Monomial, c: fmpq, q: fmpq) -> Polynomial | None:
        """A rational power of a monomial whose factors are all positive; None when one may not be."""
        if abs(q) * max(c.p.bit_length(), c.q.bit_length()) > MAX_BITS:
            raise TooLarge("ring", f"numbers of at most {MAX_BITS} bits", f"a power {q}")
        if c <= 0 or m[2] or any(key[0] not in ("size", "prime") for key, _ in m[0]):
            return None
        factors: dict[Key, fmpq] = {key: power * q for key, power in m[0]}
        for part, sign in ((c.p, 1), (c.q, -1)):
            for prime, multiplicity in prime_factors(int(part)):
                key: Key = ("prime", prime)
                factors[key] = factors.get(key, fmpq(0)) + sign * multiplicity * q
        number = _ONE
        for key in [k for k in factors if k[0] == "prime"]:
            whole, factors[key] = _whole_part(factors[key])
            number *= _prime_power(key, whole)
            if factors[key] == 0:
                del factors[key]
        exponent: Frozen = frozenset((key, v * q) for key, v in m[1])
        return {(frozenset(factors.items()), exponent, ()): number}


def _without_common(p: Polynomial) -> tuple[Monomial, Polynomial]:
    """A factor exp(P) and powers of sizes that all monomials share, and the rest; (m p)^-1 = m^-1 p^-1."""
    rows = list(p)
    exponent = rows[0][1] if all(m[1] == rows[0][1] for m in rows) else _EMPTY
    sizes: dict[Key, fmpq] = {key: power for key, power in rows[0][0] if key[0] == "size"}
    for m in rows[1:]:
        own = dict(m[0])
        sizes = {key: min(power, own[key]) for key, power in sizes.items() if key in own}
    if not exponent and not sizes:
        return UNIT, p
    common: Monomial = (frozenset(sizes.items()), exponent, ())
    back: Monomial = (frozenset((k, -v) for k, v in sizes.items()), frozenset((k, -v) for k, v in exponent), ())
    rest: Polynomial = {}
    for m, c in p.items():
        key, factor = times(m, back)
        _bump(rest, key, c * factor)
    return common, rest


def prime_factors(n: int) -> list[tuple[int, int]]:
    """Prime factors by trial division; a large remainder counts as one (still a valid atom, since it is positive)."""
    found = []
    p = 2
    while p * p <= n and p < 2_000:
        k = 0
        while n % p == 0:
            n //= p
            k += 1
        if k:
            found.append((p, k))
        p += 1
    if n > 1:
        found.append((n, 1))
    return found


def _order(m: Monomial) -> str:
    return describe(m)


def describe(value: object) -> str:
    """A deterministic text for ordering monomials and atoms."""
    if isinstance(value, frozenset):
        return "{" + ",".join(sorted(describe(v) for v in value)) + "}"
    if isinstance(value, tuple):
        return "(" + ",".join(describe(v) for v in value) + ")"
    return str(value)


def as_fraction(value: fmpq) -> Fraction:
    return Fraction(int(value.p), int(value.q))
