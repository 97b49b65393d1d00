"""What a term means: its value at given sizes and inputs, in rigorous ball arithmetic (Arb).

Slow and obvious on purpose.  Exact rationals stay exact as long as the operations allow it; a value that cannot be
decided rigorously raises `Indeterminate`, never a guess.

Values are total, so that a term always has one: x/0 = 0, and entries out of range have fixed arbitrary values.
*Definedness* is a separate question, answered by `defined`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import product
from typing import Any, NamedTuple, TypeVar

from flint import arb, ctx, fmpq, fmpq_mat

from derivations.language.term import (
    Add,
    Apply,
    Bracket,
    Case,
    Choice,
    Definition,
    Derivative,
    Entry,
    Expectation,
    Guard,
    Index,
    IndexValue,
    Lambda,
    Law,
    Max,
    Mul,
    NegInfinity,
    Number,
    Pow,
    Sum,
    Term,
    Theory,
    flattened,
    guard_substitute,
    rename_apart,
    substitute,
)

PRECISION = 128
MAX_BITS = 100_000
MAX_WORK = 300_000
MAX_RANGE = 10_000


class Indeterminate(ArithmeticError):
    """A sign or a zero could not be decided at this precision."""


class WorkLimit(ArithmeticError):
    """The counted work of one evaluation is used up."""


class _NegInf:
    def __repr__(self) -> str:
        return "-oo"


NEG_INF = _NegInf()
"""The value of `NegInfinity`."""

T = TypeVar("T")
Value = Any
"""An exact `fmpq`, an `arb` ball, or `NEG_INF`."""


@dataclass
class Inputs:
    """Sizes, and the entries of every tensor as nested lists of rationals (a scalar is a bare rational).

    Entries that are missing or out of range have fixed pseudo-random values derived from `seed`.
    """

    sizes: Mapping[str, int]
    tensors: Mapping[str, Any] = field(default_factory=dict)
    seed: str = ""

    def permute(self, name: str, length: int, position: int, inverse: bool) -> int:
        """A permutation of an axis (given as a list in `tensors`, else fixed and derived from `seed`)."""
        if not 0 <= position < length:
            return position
        order = self.permutation(name, length)
        return order.index(position) if inverse else order[position]

    def permutation(self, name: str, length: int) -> Sequence[int]:
        found = self.tensors.get(name)
        if isinstance(found, (list, tuple)) and sorted(found) == list(range(length)):
            return found
        digest = [hashlib.sha256(f"{self.seed}|{name}|{length}|{k}".encode()).digest() for k in range(length)]
        return sorted(range(length), key=lambda k: digest[k])

    def entry(self, name: str, at: Sequence[int]) -> fmpq:
        found = self.tensors.get(name)
        for k in at:
            if not isinstance(found, (list, tuple)) or not 0 <= k < len(found):
                return self.unspecified(name, at)
            found = found[k]
        if found is None or isinstance(found, (list, tuple)):
            return self.unspecified(name, at)
        return fmpq(found) if not isinstance(found, fmpq) else found

    def skew(self, name: str) -> fmpq:
        """How far above the mean the upper of the two values of a random entry lies."""
        return (fmpq(1), fmpq(2), fmpq(1, 2))[hashlib.sha256(f"{self.seed}|law of {name}".encode()).digest()[0] % 3]

    def unspecified(self, name: str, at: Sequence[int]) -> fmpq:
        digest = hashlib.sha256(f"{self.seed}|{name}|{tuple(at)}".encode()).digest()
        return fmpq(int.from_bytes(digest[:2], "big") % 41 - 20, 1 + digest[2] % 7)


def evaluate(
    term: Term, theory: Theory, inputs: Inputs, indices: Mapping[str, int] | None = None, *, precision: int = PRECISION
) -> Value:
    """The value of a term (free index variables from `indices`).

    >>> str(evaluate(Number(1) / Number(3), Theory(), Inputs({})))
    '1/3'
    """
    with precise(precision):
        return Evaluator(theory, inputs).value(term, dict(indices or {}))


def defined(
    term: Term, theory: Theory, inputs: Inputs, indices: Mapping[str, int] | None = None, *, precision: int = PRECISION
) -> bool:
    """Whether everything in the term is defined: no division by zero, no log or root outside its domain, no entry out
    of range, no 0*(-oo) or oo - oo, no maximum over an empty range, no definition used outside its condition."""
    with precise(precision):
        return Evaluator(theory, inputs).defined(term, dict(indices or {}))


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


class Unknown(Exception):
    """A random entry whose outcome has not been chosen yet."""

    def __init__(self, name: str, at: tuple[int, ...]) -> None:
        self.name, self.at = name, at
        super().__init__(name)


class Outcome:
    """Inputs in which random entries have chosen values."""

    def __init__(
        self, inputs: Inputs, random: frozenset[str], known: Mapping[tuple[str, tuple[int, ...]], fmpq]
    ) -> None:
        self.inputs, self.random, self.known = inputs, random, known

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inputs, name)

    def entry(self, name: str, at: Sequence[int]) -> fmpq:
        if name not in self.random:
            return self.inputs.entry(name, at)
        if (name, tuple(at)) not in self.known:
            raise Unknown(name, tuple(at))
        return self.known[name, tuple(at)]


@lru_cache(maxsize=4_000)
def applied(d: Definition, args: tuple[Lambda, ...], sizes: tuple[Index, ...], at: tuple[tuple[str, int], ...]) -> Term:
    """The body of a definition for given tensors and sizes, at values of the variables that these speak of."""
    fixed = {v: Index.of(k) for v, k in at}
    lambdas = {}
    for parameter, given in zip(d.tensors, args, strict=True):
        outer = {v: i for v, i in fixed.items() if v not in given.params}
        lambdas[parameter.name] = Lambda(given.params, substitute(given.body, outer))
    away = frozenset().union(*(x.free for x in lambdas.values()), frozenset())
    known = dict(zip(d.sizes, (s.substitute(fixed) for s in sizes), strict=True))
    return substitute(rename_apart(d.body, away), None, known, lambdas)


class Evaluator:
    """Values and definedness for one choice of inputs, remembered between calls."""

    def __init__(self, theory: Theory, inputs: Inputs) -> None:
        self.theory, self.inputs = theory, inputs
        self.work = MAX_WORK
        self.values: dict[tuple[Any, ...], Value] = {}
        self.known: dict[tuple[Any, ...], bool] = {}
        self.names: dict[Term, tuple[str, ...]] = {}
        self.ranges: dict[tuple[str, Guard], _Range] = {}
        self.constants = theory.constants

    def spend(self) -> None:
        self.work -= 1
        if self.work < 0:
            raise WorkLimit(f"more than {MAX_WORK} operations; use smaller sizes")

    def at(self, index: Index, env: Mapping[str, int]) -> int:
        try:
            return index.evaluate(env, self.inputs.sizes, self.inputs.permute)
        except KeyError as missing:
            raise KeyError(f"no value for {missing} in {index}") from None

    def holds(self, condition: Guard, env: Mapping[str, int]) -> bool:
        sizes, permute = self.inputs.sizes, self.inputs.permute
        for c in condition:  # noqa: SIM110 - this is where much of the time goes
            if not c.holds(env, sizes, permute):
                return False
        return True

    def key(self, t: Term, env: Mapping[str, int]) -> tuple[Any, ...]:
        names = self.names.get(t)
        if names is None:
            names = self.names[t] = tuple(sorted(t.free))
        return (t, *[env[v] for v in names])

    def range(self, var: str, condition: Guard, env: Mapping[str, int]) -> Iterable[int]:
        found = self.ranges.get((var, condition))
        if found is None:
            found = self.ranges[var, condition] = _range(var, condition)
        low, high = None, None
        for k, equals, index in found.bounds:
            rest = self.at(index, env)
            if k > 0:  # k*v + rest >= 0
                bound = -(rest // k)
                low = bound if low is None else max(low, bound)
                bound = -rest // k
            else:
                bound = rest // -k
                if equals:
                    low = bound if low is None else max(low, bound)
            if k < 0 or equals:
                high = bound if high is None else min(high, bound)
        if low is None or high is None:
            return ()  # an unbounded sum has no value; the kernel refuses it, and here it is 0
        if high - low > MAX_RANGE:
            raise WorkLimit(f"a range of {high - low} indices")
        here = range(low, high + 1)
        return [v for v in here if self.holds(found.others, {**env, var: v})] if found.others else here

    # --- values -----------------------------------------------------------------------------------------------------

    def value(self, t: Term, env: dict[str, int]) -> Value:
        if type(t) is Number:
            return t.value
        key = self.key(t, env)
        found = self.values.get(key)
        if found is None:
            self.spend()
            found = self.values[key] = self._value(t, env)
        return found

    def _value(self, t: Term, env: dict[str, int]) -> Value:
        if isinstance(t, Number):
            return t.value
        if isinstance(t, IndexValue):
            return fmpq(self.at(t.index, env))
        if isinstance(t, NegInfinity):
            return NEG_INF
        if isinstance(t, Entry):
            return self.entry(t, env)
        if isinstance(t, Add):
            parts = [self.value(a, env) for a in t.args]
            if any(p is NEG_INF for p in parts):
                return NEG_INF
            return _exactly(sum, parts)
        if isinstance(t, Mul):
            return self.product([self.value(a, env) for a in t.args])
        if isinstance(t, Pow):
            return self.power(self.value(t.base, env), self.value(t.exponent, env))
        if isinstance(t, Apply):
            return self.function(t.function, self.value(t.arg, env))
        if isinstance(t, Bracket):
            return fmpq(int(self.holds(t.condition, env)))
        if isinstance(t, (Case, Choice)):
            return self.value(self.branch(t, env), env)
        if isinstance(t, Sum):
            parts = [self.value(t.body, {**env, t.var: v}) for v in self.range(t.var, t.guard, env)]
            return NEG_INF if any(p is NEG_INF for p in parts) else _exactly(sum, parts)
        if isinstance(t, Max):
            return self.maximum([self.value(t.body, {**env, t.var: v}) for v in self.range(t.var, t.guard, env)])
        if isinstance(t, Derivative):
            return self.tangent(t.body, env, (t.name, tuple(self.at(i, env) for i in t.at)))
        if isinstance(t, Expectation):
            return self.expectation(t.body, env)
        raise TypeError(f"no meaning for {type(t).__name__}")

    def branch(self, t: Case | Choice, env: dict[str, int]) -> Term:
        if isinstance(t, Choice):
            test = self.value(t.test, env)
            return t.otherwise if test is NEG_INF or sign(test) <= 0 else t.above
        return next((b for g, b in t.branches if self.holds(g, env)), t.otherwise)

    def entry(self, t: Entry, env: dict[str, int]) -> Value:
        definition = self.definition(t, env)
        if definition is not None:
            body, inner = definition
            return self.value(body, inner)
        at = [self.at(i, env) for i in t.indices]
        if t.is_inverse:
            inverted = self.inverse(t, env)
            if inverted is not None and all(0 <= k < inverted.nrows() for k in at):
                return inverted[at[0], at[1]]
            return self.inputs.unspecified(t.name, at)
        if t.args:
            return self.inputs.unspecified(self.sampled(t, env), at)
        if t.name in self.constants:
            return arb.pi()
        return self.inputs.entry(t.name, at)

    def inverse(self, t: Entry, env: dict[str, int]) -> fmpq_mat | None:
        """The inverse of a matrix of rational numbers, None when it is singular; other matrices are not inverted."""
        matrix = t.args[0]
        places = range(self.at(t.sizes[0], env))
        rows = [
            [self.value(matrix.body, {**env, **dict(zip(matrix.params, (a, b), strict=True))}) for b in places]
            for a in places
        ]
        if not all(isinstance(value, fmpq) for row in rows for value in row):
            raise Indeterminate("the inverse of a matrix with entries that are not rational")
        exact = fmpq_mat(len(places), len(places), [value for row in rows for value in row])
        self.work -= len(places) ** 3
        return None if exact.det() == 0 else exact.inv()

    def sampled(self, t: Entry, env: dict[str, int]) -> str:
        """An unknown function of tensors with what it is applied to, told by their first entries."""
        rows = []
        three = Index.of(3)
        lengths = t.lengths if t.is_unknown else tuple((three,) * len(given.params) for given in t.args)
        for given, axes in zip(t.args, lengths, strict=True):
            for place in product(*(range(min(3, self.at(n, env))) for n in axes)):
                value = self.value(given.body, {**env, **dict(zip(given.params, place, strict=True))})
                if not isinstance(value, fmpq):
                    raise Indeterminate(f"the unknown function {t.name} at entries that are not rational")
                rows.append(str(value))
        return f"{t.name}({', '.join(rows)}; {', '.join(str(self.at(s, env)) for s in t.sizes)})"

    def definition(self, t: Entry, env: dict[str, int]) -> tuple[Term, dict[str, int]] | None:
        """The body of the definition that applies, and the values of its index variables."""
        for d in self.theory.definitions.get(t.name, ()):
            found = self.match(d, t, env)
            if found is not None:
                return found
        return None

    def match(self, d: Definition, t: Entry, env: dict[str, int]) -> tuple[Term, dict[str, int]] | None:
        if len(d.indices) != len(t.indices) or len(d.tensors) != len(t.args) or len(d.sizes) != len(t.sizes):
            return None
        inner: dict[str, int] = {}
        own = {s: Index.of(self.at(given, env)) for s, given in zip(d.sizes, t.sizes, strict=True)}
        for written, index in zip(d.indices, t.indices, strict=True):
            value = self.at(index, env)
            pattern = written.substitute({}, own) if own and written.plain else written
            if not pattern.free:
                if pattern.evaluate({}, self.inputs.sizes) != value:
                    return None
                continue
            if not pattern.plain:  # h*w + c: the head and the channel of a flattened axis
                high, low, width = flattened(pattern)
                length = width.substitute({}, own).evaluate({}, self.inputs.sizes)
                if length < 1:
                    return None
                inner[high], inner[low] = divmod(value, length)
                continue
            (v,) = pattern.free
            k = pattern.coefficient(v)
            rest = value - pattern.evaluate({v: 0}, self.inputs.sizes)
            if rest % k:
                return None
            inner[v] = rest // k
        if not self.holds(guard_substitute(d.condition, {}, own) if own else d.condition, inner):
            return None
        if d.tensors or d.sizes:
            used = frozenset().union(*(a.free for a in t.args), *(s.free for s in t.sizes))
            return applied(d, t.args, t.sizes, tuple((v, env[v]) for v in sorted(used) if v in env)), inner
        return d.body, inner

    def product(self, parts: list[Value]) -> Value:
        if any(p is NEG_INF for p in parts):
            rest = [p for p in parts if p is not NEG_INF]
            return NEG_INF if all(sign(p) > 0 for p in rest) else fmpq(0)  # otherwise undefined; any value will do
        return _exactly(_multiply, parts)

    def power(self, base: Value, exponent: Value) -> Value:
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

    def function(self, name: str, x: Value) -> Value:
        if x is NEG_INF:
            return fmpq(0)
        if name == "exp":
            return fmpq(1) if isinstance(x, fmpq) and x == 0 else ball(x).exp()
        if name == "log":
            if sign(x) <= 0:
                return fmpq(0)
            return fmpq(0) if isinstance(x, fmpq) and x == 1 else ball(x).log()
        if name in ("sin", "cos", "tanh"):
            if isinstance(x, fmpq) and x == 0:
                return fmpq(int(name == "cos"))
            return getattr(ball(x), name)()
        if name == "abs":
            return abs(x)
        # an unknown function: one polynomial for exact numbers and balls, so that equal arguments give equal values
        a, b, c, e = (self.inputs.unspecified(f"{name}()", (k,)) for k in range(4))
        exact = x if isinstance(x, fmpq) else ball(x)
        return ((exact * (abs(a) + 1) + b) * exact + c) * exact + e

    def maximum(self, parts: list[Value]) -> Value:
        real = [p for p in parts if p is not NEG_INF]
        if not real:
            return NEG_INF if parts else fmpq(0)
        if all(isinstance(p, fmpq) for p in real):
            return max(real)
        best = ball(real[0])
        for p in real[1:]:
            best = best.max(ball(p))
        return best

    # --- derivatives and expectations -----------------------------------------------------------------------------

    def tangent(self, t: Term, env: dict[str, int], by: tuple[str, tuple[int, ...]]) -> Value:
        """The derivative of a term by one entry of a given tensor (forward mode)."""
        self.spend()
        if isinstance(t, (Number, IndexValue, Bracket)):
            return fmpq(0)
        if isinstance(t, Entry):
            definition = self.definition(t, env)
            if definition is not None:
                body, inner = definition
                return self.tangent(body, inner, by)
            if t.args:
                raise Indeterminate(f"the derivative of the unknown function {t.name}")
            return fmpq(int((t.name, tuple(self.at(i, env) for i in t.indices)) == by))
        if isinstance(t, Add):
            return _exactly(sum, [self.tangent(a, env, by) for a in t.args])
        if isinstance(t, Mul):
            rows = [
                [self.tangent(a, env, by), *(self.value(b, env) for j, b in enumerate(t.args) if j != k)]
                for k, a in enumerate(t.args)
            ]
            return _exactly(sum, [_exactly(_multiply, row) for row in rows])
        if isinstance(t, Case):
            return self.tangent(self.branch(t, env), env, by)
        if isinstance(t, Choice):
            if not sign(self.value(t.test, env)):
                raise Indeterminate(f"the derivative where {t.test} = 0")
            return self.tangent(self.branch(t, env), env, by)
        if isinstance(t, Max):
            return self.tangent(*self.largest(t, env), by)
        if isinstance(t, Sum):
            places = self.range(t.var, t.guard, env)
            return _exactly(sum, [self.tangent(t.body, {**env, t.var: v}, by) for v in places])
        if isinstance(t, Pow) and isinstance(t.exponent, Number):
            q = t.exponent.value
            outer = self.power(self.value(t.base, env), q - 1)
            return _exactly(_multiply, [q, outer, self.tangent(t.base, env, by)])
        if isinstance(t, Apply):
            return _exactly(_multiply, [self.slope(t, env), self.tangent(t.arg, env, by)])
        if isinstance(t, Derivative):
            return self.second(t.body, env, (t.name, tuple(self.at(i, env) for i in t.at)), by)
        raise Indeterminate(f"the derivative of {type(t).__name__}")

    def second(
        self, t: Term, env: dict[str, int], a: tuple[str, tuple[int, ...]], b: tuple[str, tuple[int, ...]]
    ) -> Value:
        """The second derivative of a term by two entries."""
        self.spend()
        if isinstance(t, (Number, IndexValue, Bracket)):
            return fmpq(0)
        if isinstance(t, Entry):
            definition = self.definition(t, env)
            if definition is not None:
                return self.second(definition[0], definition[1], a, b)
            if t.args:
                raise Indeterminate(f"the derivative of the unknown function {t.name}")
            return fmpq(0)
        if isinstance(t, Choice) and not sign(self.value(t.test, env)):
            raise Indeterminate(f"the derivative where {t.test} = 0")
        if isinstance(t, (Case, Choice)):
            return self.second(self.branch(t, env), env, a, b)
        if isinstance(t, Max):
            return self.second(*self.largest(t, env), a, b)
        if isinstance(t, Add):
            return _exactly(sum, [self.second(x, env, a, b) for x in t.args])
        if isinstance(t, Sum):
            places = self.range(t.var, t.guard, env)
            return _exactly(sum, [self.second(t.body, {**env, t.var: v}, a, b) for v in places])
        if isinstance(t, Mul):
            first, *rest = t.args
            if not rest:
                return self.second(first, env, a, b)
            other = rest[0] if len(rest) == 1 else Mul(rest)
            rows = [
                [self.second(first, env, a, b), self.value(other, env)],
                [self.tangent(first, env, a), self.tangent(other, env, b)],
                [self.tangent(first, env, b), self.tangent(other, env, a)],
                [self.value(first, env), self.second(other, env, a, b)],
            ]
            return _exactly(sum, [_exactly(_multiply, row) for row in rows])
        if isinstance(t, Pow) and isinstance(t.exponent, Number):
            inner, q = self.value(t.base, env), t.exponent.value
            once = _exactly(_multiply, [q, self.power(inner, q - 1)])
            twice = fmpq(0) if q == 1 else _exactly(_multiply, [q * (q - 1), self.power(inner, q - 2)])
            return self.composed(t.base, once, twice, env, a, b)
        if isinstance(t, Apply):
            return self.composed(t.arg, self.slope(t, env), self.curvature(t, env), env, a, b)
        raise Indeterminate(f"the second derivative of {type(t).__name__}")

    def composed(
        self,
        inner: Term,
        once: Value,
        twice: Value,
        env: dict[str, int],
        a: tuple[str, tuple[int, ...]],
        b: tuple[str, tuple[int, ...]],
    ) -> Value:
        """The second derivative of f(u) from f'(u) and f''(u)."""
        rows = [
            [once, self.second(inner, env, a, b)],
            [twice, self.tangent(inner, env, a), self.tangent(inner, env, b)],
        ]
        return _exactly(sum, [_exactly(_multiply, row) for row in rows])

    def curvature(self, t: Apply, env: dict[str, int]) -> Value:
        """The second derivative of a function at the value of its argument."""
        x = self.value(t.arg, env)
        if t.function == "exp":
            return self.function("exp", x)
        if t.function == "abs" and sign(x):
            return fmpq(0)
        if t.function == "log":
            return _exactly(_multiply, [fmpq(-1), self.power(x, fmpq(-2))])
        if t.function in ("sin", "cos"):
            return _exactly(_multiply, [fmpq(-1), self.function(t.function, x)])
        if t.function == "tanh":
            return _exactly(_multiply, [fmpq(-2), self.function("tanh", x), self.slope(t, env)])
        raise Indeterminate(f"the second derivative of {t.function}")

    def largest(self, t: Max, env: dict[str, int]) -> tuple[Term, dict[str, int]]:
        """The one value of a maximum that is larger than all others, and the indices there."""
        places = [{**env, t.var: v} for v in self.range(t.var, t.guard, env)]
        values = [self.value(t.body, here) for here in places]
        for here, value in zip(places, values, strict=True):
            rest = [other for place, other in zip(places, values, strict=True) if place is not here]
            if all(other is NEG_INF or sign(_exactly(sum, [value, -other])) > 0 for other in rest):
                return t.body, here
        raise Indeterminate("the derivative of a maximum where two of its values are equal")

    def slope(self, t: Apply, env: dict[str, int]) -> Value:
        x = self.value(t.arg, env)
        if t.function == "exp":
            return self.function("exp", x)
        if t.function == "log":
            return self.power(x, fmpq(-1))
        if t.function == "sin":
            return self.function("cos", x)
        if t.function == "cos":
            return _exactly(_multiply, [fmpq(-1), self.function("sin", x)])
        if t.function == "tanh":
            y = self.function("tanh", x)
            return _exactly(sum, [fmpq(1), _exactly(_multiply, [fmpq(-1), y, y])])
        if t.function == "abs" and sign(x):
            return fmpq(sign(x))
        raise Indeterminate(f"the derivative of {t.function}")

    def expectation(self, body: Term, env: dict[str, int]) -> Value:
        """The mean over all outcomes of the random entries that the body reads."""
        found = self.outcomes(lambda inner: inner.value(body, dict(env)))
        return _exactly(sum, [_exactly(_multiply, [weight, value]) for weight, value in found])

    def outcomes(self, ask: Callable[[Evaluator], T]) -> Iterator[tuple[fmpq, T]]:
        """What is found in each outcome of the random entries that are read then, with its probability."""
        pending: list[tuple[dict[tuple[str, tuple[int, ...]], fmpq], fmpq]] = [({}, fmpq(1))]
        while pending:
            known, weight = pending.pop()
            self.spend()
            outcome = Outcome(self.inputs, self.theory.random, known)
            inner = Evaluator(self.theory, outcome)  # type: ignore[arg-type]
            inner.work = self.work
            try:
                found = ask(inner)
            except Unknown as missing:
                for x, p in self.law(missing.name):
                    pending.append(({**known, (missing.name, missing.at): x}, weight * p))
                continue
            finally:
                self.work = inner.work
            yield weight, found

    def law(self, name: str) -> list[tuple[fmpq, fmpq]]:
        """A distribution on two points with the mean and variance of a random tensor."""
        law = self.theory.tensors[name].law or Law()
        mean = self.inputs.unspecified(f"mean of {name}", ()) if law.mean is None else self.value(law.mean, {})
        spread = abs(self.inputs.unspecified(f"variance of {name}", ())) if law.variance is None else None
        variance = spread if spread is not None else self.value(law.variance, {})  # type: ignore[arg-type]
        if not (isinstance(mean, fmpq) and isinstance(variance, fmpq)) or variance < 0:
            raise Indeterminate(f"a law for {name} with variance {variance}")
        t = self.inputs.skew(name)
        if variance == 0:
            return [(mean, fmpq(1))]
        p = t * t / (t * t + variance)
        return [(mean - variance / t, p), (mean + t, 1 - p)]

    # --- definedness ------------------------------------------------------------------------------------------------

    def defined(self, t: Term, env: dict[str, int]) -> bool:
        key = self.key(t, env)
        if key not in self.known:
            self.spend()
            self.known[key] = self._defined(t, env)
        return self.known[key]

    def _defined(self, t: Term, env: dict[str, int]) -> bool:
        if isinstance(t, Case):
            return self.defined(self.branch(t, env), env)
        if isinstance(t, Choice):
            if not self.defined(t.test, env) or self.value(t.test, env) is NEG_INF:
                return False
            return self.defined(self.branch(t, env), env)
        if isinstance(t, (Sum, Max)):
            places = list(self.range(t.var, t.guard, env))
            if isinstance(t, Max) and not places:
                return False
            if not all(self.defined(t.body, {**env, t.var: v}) for v in places):
                return False
            return isinstance(t, Max) or all(self.value(t.body, {**env, t.var: v}) is not NEG_INF for v in places)
        if isinstance(t, Entry):
            return self.entry_defined(t, env)
        if isinstance(t, Expectation):
            return all(found for _, found in self.outcomes(lambda inner: inner.defined(t.body, dict(env))))
        if not all(self.defined(c, env) for c in t.children):
            return False
        if isinstance(t, Pow):
            base, exponent = self.value(t.base, env), self.value(t.exponent, env)
            if base is NEG_INF or exponent is NEG_INF:
                return False
            if isinstance(exponent, fmpq) and exponent.q == 1:
                return exponent >= 0 or sign(base) != 0
            return sign(base) > 0 or (sign(base) == 0 and sign(exponent) > 0)
        if isinstance(t, Apply):
            x = self.value(t.arg, env)
            if x is NEG_INF:
                return t.function == "exp"
            return t.function != "log" or sign(x) > 0
        if isinstance(t, Mul):
            parts = [self.value(a, env) for a in t.args]
            infinite = sum(p is NEG_INF for p in parts)
            return not infinite or (infinite == 1 and all(sign(p) > 0 for p in parts if p is not NEG_INF))
        return True

    def entry_defined(self, t: Entry, env: dict[str, int]) -> bool:
        shape = self.theory.shape(t.name)
        if shape is not None and not t.args and not t.sizes and len(shape) == len(t.indices):
            for index, size in zip(t.indices, shape, strict=True):
                if not 0 <= self.at(index, env) < size.evaluate({}, self.inputs.sizes):
                    return False
        definition = self.definition(t, env)
        if definition is not None:
            body, inner = definition
            return self.defined(body, inner)
        if t.is_inverse:
            return self.inverse_defined(t, env)
        if t.is_unknown:
            return all(self.argument_defined(a, n, env) for a, n in zip(t.args, t.lengths, strict=True))
        return t.name not in self.theory.definitions

    def argument_defined(self, a: Lambda, lengths: Sequence[Index], env: dict[str, int]) -> bool:
        """Whether the entries of an array that a function of which nothing is known is applied to are defined."""
        places = product(*(range(self.at(n, env)) for n in lengths))
        return all(self.defined(a.body, {**env, **dict(zip(a.params, at, strict=True))}) for at in places)

    def inverse_defined(self, t: Entry, env: dict[str, int]) -> bool:
        """Whether all entries of a matrix are defined, it is invertible, and the indices are in range."""
        matrix, n = t.args[0], self.at(t.sizes[0], env)
        if n < 1 or not all(0 <= self.at(i, env) < n for i in t.indices):
            return False
        places = ({**env, **dict(zip(matrix.params, at, strict=True))} for at in product(range(n), repeat=2))
        return all(self.defined(matrix.body, there) for there in places) and self.inverse(t, env) is not None


class _Range(NamedTuple):
    """What a condition says of an index: `bounds`, k and e in k*v + e >= 0 (or == 0), and conditions to try in it."""

    bounds: tuple[tuple[int, bool, Index], ...]
    others: Guard


def _range(var: str, condition: Guard) -> _Range:
    bounds, others = [], []
    for c in condition:
        k = c.index.coefficient(var)
        linear = bool(k) and c.index.linear_in(var)
        if linear:
            bounds.append((k, c.relation == "==", c.index - k * Index.var(var)))
        if not linear or c.relation == "==" or abs(k) > 1:
            others.append(c)
    return _Range(tuple(bounds), tuple(others))


def _exactly(operation: Any, parts: list[Value]) -> Value:
    if all(isinstance(p, fmpq) for p in parts):
        return operation(parts) if parts else operation([]) if operation is not sum else fmpq(0)
    if operation is _multiply and any(isinstance(p, fmpq) and p == 0 for p in parts):
        return fmpq(0)
    return operation([ball(p) for p in parts])


def _multiply(parts: list[Any]) -> Any:
    product = fmpq(1)
    for p in parts:
        product = p * product
    return product


def _exact_root(value: fmpq) -> fmpq | None:
    import math

    p, q = int(value.p), int(value.q)
    a, b = math.isqrt(p), math.isqrt(q)
    return fmpq(a, b) if a * a == p and b * b == q else None
