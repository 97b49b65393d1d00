"""Values of terms a second time, by other means: fractions where they are exact, floats with an error bound elsewhere.

It shares no code with the product: of the language it reads the public fields of terms and indices, nothing else.
Definitions are not substituted but entered with a frame of their own, so that a fault of substitution shows.

Reals are extended by minus infinity (`BOTTOM`).  `Undefined` is raised for 1/0, a logarithm of a number that is not
positive, a root of a negative number, 0*(-oo), c*(-oo) with c < 0, (-oo)*(-oo), powers and functions (but exp) of -oo,
a comparison with -oo, a maximum over an empty range, a symbol at a place that none of its definitions speaks of.  With
`total` the conventions that the kernel calculates by hold instead: 1/0, log x and x^a outside their domains and an
empty maximum are 0, a symbol has some value everywhere.  Then -oo is undefined as before: no rule gives it a value.
`Unclear` means that floats do not tell.
"""

import math
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from typing import Any

from derivations.language.statement import Definition, Theory
from derivations.language.term import (
    Add,
    Apply,
    Bracket,
    Case,
    Choice,
    Entry,
    Guard,
    Index,
    IndexValue,
    Lambda,
    Max,
    Mul,
    NegInfinity,
    Number,
    Pow,
    Sum,
    Term,
)

EPS = 1e-15
"""Above the relative error of one floating-point operation, also of exp and log."""
MAX_BITS = 2_000
MAX_RANGE = 60
MAX_DEPTH = 60


class Undefined(ArithmeticError):
    """The term has no value here."""


class Unclear(ArithmeticError):
    """The value cannot be told with floats, or takes too long."""


class Overlap(AssertionError):
    """Two definitions of one symbol speak of the same entry."""


class Circular(AssertionError):
    """The value of an entry rests on itself."""


class _Bottom:
    def __repr__(self) -> str:
        return "-oo"


BOTTOM = _Bottom()


@dataclass(frozen=True)
class Near:
    """A real number within `error` of `value`."""

    value: float
    error: float

    def __post_init__(self) -> None:
        if not (math.isfinite(self.value) and math.isfinite(self.error)):
            raise Unclear("too large for a float")


Real = Fraction | Near
Value = Any
"""A `Fraction`, a `Near` or `BOTTOM`."""


def near(x: Real) -> Near:
    if isinstance(x, Near):
        return x
    try:
        return Near(float(x), abs(float(x)) * EPS)
    except OverflowError:
        raise Unclear("too large for a float") from None


def sign(x: Real) -> int:
    if isinstance(x, Fraction):
        return (x > 0) - (x < 0)
    if abs(x.value) <= x.error:
        raise Unclear("a number that may be 0")
    return 1 if x.value > 0 else -1


def plus(a: Real, b: Real) -> Real:
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        return a + b
    x, y = near(a), near(b)
    value = x.value + y.value
    return Near(value, x.error + y.error + EPS * abs(value))


def times(a: Real, b: Real) -> Real:
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        if a.numerator.bit_length() + b.numerator.bit_length() > MAX_BITS:
            raise Unclear("a long number")
        return a * b
    if a == 0 or b == 0:
        return Fraction(0)
    x, y = near(a), near(b)
    value = x.value * y.value
    return Near(value, abs(x.value) * y.error + abs(y.value) * x.error + x.error * y.error + EPS * abs(value) + 1e-300)


def minus(a: Real, b: Real) -> Real:
    return plus(a, times(Fraction(-1), b))


def reciprocal(a: Real) -> Real:
    if isinstance(a, Fraction):
        return 1 / a
    sign(a)
    value = 1 / a.value
    return Near(value, a.error / (abs(a.value) * (abs(a.value) - a.error)) + EPS * abs(value))


def exponential(x: Real) -> Real:
    if x == 0:
        return Fraction(1)
    a = near(x)
    if abs(a.value) > 300 or a.error > 1:
        raise Unclear("exp of a large number")
    value = math.exp(a.value)
    return Near(value, value * (math.expm1(a.error) + 4 * EPS))


def logarithm(x: Real) -> Real:
    """Of a positive number."""
    if x == 1:
        return Fraction(0)
    a = near(x)
    value = math.log(a.value)
    return Near(value, a.error / (a.value - a.error) + EPS * (abs(value) + 1))


@dataclass(eq=False)
class Frame:
    """What the parameters of a definition stand for: sizes, and tensors with the place where they were written."""

    sizes: Mapping[str, int]
    tensors: Mapping[str, tuple[Lambda, Mapping[str, int], "Frame"]] = field(default_factory=dict)


@dataclass
class Inputs:
    """Sizes, entries, permutations and unknown functions: given ones, or drawn from `palette` as `seed` tells."""

    sizes: Mapping[str, int]
    palette: Sequence[Fraction] = (Fraction(0), Fraction(1), Fraction(-1), Fraction(2))
    seed: str = ""
    given: Mapping[str, Any] = field(default_factory=dict)
    drawn: dict[Any, Any] = field(default_factory=dict)

    def draw(self, key: Any, options: Sequence[Any]) -> Any:
        if key not in self.drawn:
            self.drawn[key] = random.Random(f"{self.seed}|{key}").choice(options)
        return self.drawn[key]

    def entry(self, name: str, at: tuple[int, ...]) -> Fraction:
        found = self.given.get(name)
        for k in at:
            if not isinstance(found, list) or not 0 <= k < len(found):
                found = None
                break
            found = found[k]
        return self.draw((name, at), self.palette) if found is None or isinstance(found, list) else Fraction(found)

    def permute(self, name: str, length: int, at: int, inverse: bool) -> int:
        if not 0 <= at < length:
            return at
        order = self.given.get(name)
        if order is None:
            order = list(range(length))
            random.Random(f"{self.seed}|{name}|{length}").shuffle(order)
        return list(map(int, order)).index(at) if inverse else int(order[at])

    def label(self, name: str, length: int, places: tuple[int, ...]) -> int:
        if length <= 0:
            return 0
        found: Any = self.given.get(name)
        for k in places:
            found = found[k] if isinstance(found, list) and 0 <= k < len(found) else None
        return int(self.draw((name, "label", length, places), range(length)) if found is None else found)

    def function(self, name: str, x: Real) -> Real:
        """An unknown function: a polynomial of degree at most 2."""
        a, b, c = (Fraction(self.draw((name, k), (-2, -1, 0, 1, 3))) for k in "abc")
        return plus(times(plus(times(a, x), b), x), c)


@dataclass
class Evaluator:
    """Values at some inputs; `in_range` makes an entry out of range undefined (else it is an entry like others)."""

    theory: Theory
    inputs: Inputs
    total: bool = False
    in_range: bool = False
    work: int = 20_000

    def __post_init__(self) -> None:
        self.known: dict[Any, Any] = {}
        self.top = Frame(self.inputs.sizes)
        self.depth = 0
        self.active: list[Any] = []

    def value(self, t: Term, env: Mapping[str, int], frame: Frame | None = None) -> Value:
        frame = frame or self.top
        if isinstance(t, Number):
            return Fraction(int(t.value.p), int(t.value.q))
        key = (frame, t, *((v, env[v]) for v in sorted(t.free) if v in env))
        found = self.known.get(key)
        if found is None:
            self.work -= 1
            self.depth += 1
            if self.work < 0 or self.depth > 12 * MAX_DEPTH:
                raise Unclear("takes too long")
            try:
                found = self._value(t, env, frame)
            except Undefined as reason:
                found = reason
            finally:
                self.depth -= 1
            self.known[key] = found
        if isinstance(found, Undefined):
            raise found
        return found

    def convention(self, why: str) -> Fraction:
        """0 where the kernel's total functions are 0."""
        if not self.total:
            raise Undefined(why)
        return Fraction(0)

    def _value(self, t: Term, env: Mapping[str, int], frame: Frame) -> Value:
        if isinstance(t, IndexValue):
            return Fraction(self.index(t.index, env, frame))
        if isinstance(t, NegInfinity):
            return BOTTOM
        if isinstance(t, Bracket):
            return Fraction(int(self.holds(t.condition, env, frame)))
        if isinstance(t, Add):
            return self.summed([self.value(a, env, frame) for a in t.args])
        if isinstance(t, Mul):
            return self.multiplied([self.value(a, env, frame) for a in t.args])
        if isinstance(t, Pow):
            return self.power(self.value(t.base, env, frame), self.value(t.exponent, env, frame))
        if isinstance(t, Apply):
            return self.applied(t.function, self.value(t.arg, env, frame))
        if isinstance(t, Case):
            for condition, branch in t.branches:
                if self.holds(condition, env, frame):
                    return self.value(branch, env, frame)
            return self.value(t.otherwise, env, frame)
        if isinstance(t, Choice):
            test = self.value(t.test, env, frame)
            if test is BOTTOM:
                raise Undefined("a comparison with -oo")
            return self.value(t.above if sign(test) > 0 else t.otherwise, env, frame)
        if isinstance(t, Sum):
            return self.summed([self.value(t.body, here, frame) for here in self.places(t, env, frame)])
        if isinstance(t, Max):
            return self.largest([self.value(t.body, here, frame) for here in self.places(t, env, frame)])
        if isinstance(t, Entry):
            return self.entry(t, env, frame)
        raise Unclear(f"no value for {type(t).__name__}")

    def summed(self, parts: Sequence[Value]) -> Value:
        if any(p is BOTTOM for p in parts):
            return BOTTOM
        total: Real = Fraction(0)
        for p in parts:
            total = plus(total, p)
        return total

    def multiplied(self, parts: Sequence[Value]) -> Value:
        real = [p for p in parts if p is not BOTTOM]
        if len(real) < len(parts):
            if len(real) < len(parts) - 1 or any(sign(p) <= 0 for p in real):
                raise Undefined("-oo times a number that is not positive")
            return BOTTOM
        total: Real = Fraction(1)
        for p in real:
            total = times(total, p)
        return total

    def power(self, base: Value, exponent: Value) -> Value:
        if base is BOTTOM or exponent is BOTTOM:
            raise Undefined("a power of -oo")
        if isinstance(exponent, Fraction) and exponent.denominator == 1:
            k = int(exponent)
            if abs(k) > 40:
                raise Unclear("a large power")
            if k < 0 and sign(base) == 0:
                return self.convention("1/0")
            total: Real = Fraction(1)
            for _ in range(abs(k)):
                total = times(total, base)
            return reciprocal(total) if k < 0 else total
        s = sign(base)
        if isinstance(exponent, Near) and s <= 0 and abs(exponent.value - round(exponent.value)) <= exponent.error:
            raise Unclear("a power that may be whole")
        if s < 0 or (s == 0 and sign(exponent) < 0):
            return self.convention("a root of a negative number")
        if s == 0:
            return Fraction(0)
        if isinstance(base, Fraction) and exponent == Fraction(1, 2):
            p, q = math.isqrt(base.numerator), math.isqrt(base.denominator)
            if p * p == base.numerator and q * q == base.denominator:
                return Fraction(p, q)
        return exponential(times(exponent, logarithm(base)))

    def applied(self, function: str, x: Value) -> Value:
        if function == "exp":
            return Fraction(0) if x is BOTTOM else exponential(x)
        if x is BOTTOM:
            raise Undefined(f"{function}(-oo)")
        if function == "log":
            return logarithm(x) if sign(x) > 0 else self.convention("log of a number that is not positive")
        if function == "abs":
            return abs(x) if isinstance(x, Fraction) else Near(abs(x.value), x.error)
        if function in ("sin", "cos", "tanh"):
            if x == 0:
                return Fraction(int(function == "cos"))
            a = near(x)
            return Near(getattr(math, function)(a.value), a.error + EPS * (abs(a.value) + 1))
        return self.inputs.function(function, x)

    def largest(self, values: Sequence[Value]) -> Value:
        if not values:
            return self.convention("a maximum over an empty range")
        real = [v for v in values if v is not BOTTOM]
        if not real:
            return BOTTOM
        if all(isinstance(v, Fraction) for v in real):
            return max(real)
        rows = [near(v) for v in real]
        return Near(max(r.value for r in rows), max(r.error for r in rows))

    # --- integers -----------------------------------------------------------------------------------------------

    def index(self, i: Index, env: Mapping[str, int], frame: Frame) -> int:
        total = i.const
        for atom, k in i.terms:
            total += k * self.atom(atom, env, frame)
        return total

    def atom(self, a: Any, env: Mapping[str, int], frame: Frame) -> int:
        if a.kind == "index":
            return env[a.name]
        if a.kind == "size":
            return frame.sizes[a.name]
        values = [self.index(x, env, frame) for x in a.args]
        if a.kind == "product":
            return math.prod(values)
        if a.kind == "quotient":
            if values[1] <= 0:
                raise Undefined("a quotient by a size that is none")
            return values[0] // values[1]
        if a.kind == "label":
            return self.inputs.label(a.name, values[-1], tuple(values[:-1]))
        return self.inputs.permute(a.name, values[1], values[0], a.kind == "inverse")

    def holds(self, condition: Guard, env: Mapping[str, int], frame: Frame | None = None) -> bool:
        frame = frame or self.top
        for c in condition:
            value = self.index(c.index, env, frame)
            if value < 0 or (value and c.relation == "=="):
                return False
        return True

    def assignments(
        self, names: Sequence[str], condition: Guard, box: Sequence[int], env: Mapping[str, int] | None = None
    ) -> Iterator[dict[str, int]]:
        """All values of some index variables in a box that satisfy a condition, beside the values of others."""
        for values in product(box, repeat=len(names)):
            here = dict(zip(names, values, strict=True))
            if self.holds(condition, {**(env or {}), **here}):
                yield here

    def places(self, t: Sum | Max, env: Mapping[str, int], frame: Frame) -> Iterator[Mapping[str, int]]:
        low, high = -math.inf, math.inf
        for c in t.guard:
            inside = any(t.var in x.free for a, _ in c.index.terms for x in a.args)
            zero, one = ({**env, t.var: k} for k in (0, 1))
            if inside:
                continue
            start = self.index(c.index, zero, frame)
            slope = self.index(c.index, one, frame) - start
            if slope > 0 or (slope and c.relation == "=="):
                low = max(low, math.ceil(Fraction(-start, slope)))
            if slope < 0 or (slope and c.relation == "=="):
                high = min(high, math.floor(Fraction(-start, slope)))
        if -math.inf in (low, -high):
            raise Undefined("a range without bounds")
        if high - low > MAX_RANGE:
            raise Unclear("a long range")
        for k in range(int(low), int(high) + 1):
            here = {**env, t.var: k}
            if self.holds(t.guard, here, frame):
                yield here

    # --- entries ------------------------------------------------------------------------------------------------

    def entry(self, t: Entry, env: Mapping[str, int], frame: Frame) -> Value:
        at = tuple(self.index(i, env, frame) for i in t.indices)
        if t.name in frame.tensors and not t.args:
            given, there, outer = frame.tensors[t.name]
            return self.value(given.body, {**there, **dict(zip(given.params, at, strict=True))}, outer)
        shape = self.theory.shape(t.name)
        if self.in_range and shape is not None and not t.args and not t.sizes and len(shape) == len(at):
            if not all(0 <= k < self.index(n, {}, self.top) for k, n in zip(at, shape, strict=True)):
                raise Undefined(f"{t.name} out of range")
        if t.is_inverse:
            return self.inverse(t, at, env, frame)
        sizes = tuple(self.index(s, env, frame) for s in t.sizes)
        if any(s < 1 for s in sizes):
            raise Undefined("a size below 1")
        found = [m for d in self.theory.definitions.get(t.name, ()) if (m := self.match(d, t, at, sizes)) is not None]
        if len(found) > 1:
            raise Overlap(f"{len(found)} definitions of {t.name} at {at} with sizes {sizes}")
        if found:
            d, inner, own = found[0]
            tensors = {p.name: (given, env, frame) for p, given in zip(d.tensors, t.args, strict=True)}
            here = None if d.tensors else (t.name, at, sizes)
            if here is not None and here in self.active:
                raise Circular(f"{t.name} at {at} with sizes {sizes} rests on itself")
            self.active.append(here)
            try:
                return self.value(d.body, inner, Frame(own, tensors) if d.sizes or d.tensors else self.top)
            finally:
                self.active.pop()
        if t.name in self.theory.definitions and not self.total:
            raise Undefined(f"{t.name} at {at}, where none of its definitions speaks")
        if t.args:
            raise Unclear("an unknown function of tensors")
        return self.inputs.entry(t.name, (*at, *sizes))

    def match(
        self, d: Definition, t: Entry, at: tuple[int, ...], sizes: tuple[int, ...]
    ) -> tuple[Definition, Mapping[str, int], Mapping[str, int]] | None:
        """The values of a definition's variables and sizes at an entry."""
        if len(d.indices) != len(at) or len(d.tensors) != len(t.args) or len(d.sizes) != len(sizes):
            return None
        own = {**self.inputs.sizes, **dict(zip(d.sizes, sizes, strict=True))}
        frame = Frame(own)
        env: dict[str, int] = {}
        for pattern, k in zip(d.indices, at, strict=True):
            names = sorted(pattern.free)
            base = self.index(pattern, dict.fromkeys(names, 0), frame)
            slopes = {v: self.index(pattern, {**dict.fromkeys(names, 0), v: 1}, frame) - base for v in names}
            if len(names) == 2:  # head * width + channel: the head has no slope of its own where the width is a product
                channel = next(v for v in names if any(a.kind == "index" and a.name == v for a, _ in pattern.terms))
                (head,) = set(names) - {channel}
                env[head], env[channel] = divmod(k, slopes[head])
            elif names:
                if (k - base) % slopes[names[0]]:
                    return None
                env[names[0]] = (k - base) // slopes[names[0]]
            elif k != base:
                return None
        return (d, env, own) if self.holds(d.condition, env, frame) else None

    def inverse(self, t: Entry, at: tuple[int, ...], env: Mapping[str, int], frame: Frame) -> Value:
        n, matrix = self.index(t.sizes[0], env, frame), t.args[0]
        if not 1 <= n <= 4 or not all(0 <= k < n for k in at):
            raise Undefined("an entry of an inverse out of range")
        rows = [
            [self.value(matrix.body, {**env, matrix.params[0]: a, matrix.params[1]: b}, frame) for b in range(n)]
            + [Fraction(int(a == b)) for b in range(n)]
            for a in range(n)
        ]
        if not all(isinstance(x, Fraction) for row in rows for x in row):
            raise Unclear("the inverse of a matrix of floats")
        for c in range(n):
            pivot = next((r for r in range(c, n) if rows[r][c]), None)
            if pivot is None:
                raise Undefined("the inverse of a singular matrix")
            rows[c], rows[pivot] = rows[pivot], rows[c]
            rows[c] = [x / rows[c][c] for x in rows[c]]
            rows = [
                row if r == c else [x - row[c] * y for x, y in zip(row, rows[c], strict=True)]
                for r, row in enumerate(rows)
            ]
        return rows[at[0]][n + at[1]]


def compare(left: Value, relation: str, right: Value) -> bool:
    """Whether `left relation right`; `Unclear` where floats do not tell.  Floats that agree closely count as equal."""
    if left is BOTTOM or right is BOTTOM:
        both = left is BOTTOM and right is BOTTOM
        return {"=": both, "!=": not both, "<=": left is BOTTOM, "<": left is BOTTOM and not both}[relation]
    difference = minus(right, left)
    if isinstance(difference, Near) and abs(difference.value) <= difference.error:
        size = max(1e-3, abs(near(left).value))
        if difference.error > 1e-8 * size or relation in ("<", "!="):
            raise Unclear("too close to tell")
        return True
    s = sign(difference)
    return {"=": s == 0, "!=": s != 0, "<=": s >= 0, "<": s > 0}[relation]
