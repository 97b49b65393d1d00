"""What a term means: its value at given sizes and inputs, in rigorous ball arithmetic (Arb).

Slow and obvious on purpose.  Exact rationals stay exact as long as the operations allow it; a value that cannot be
decided rigorously raises `Indeterminate`, never a guess.

Values are total, so that a term always has one: x/0 = 0, and entries out of range have fixed arbitrary values.
*Definedness* is a separate question, answered by `defined`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import product
from typing import Any, NamedTuple, TypeVar

from flint import arb, arb_mat, fmpq, fmpq_mat

from derivations.language.definedness import is_defined
from derivations.language.degrees import degree
from derivations.language.derivative_values import tangent
from derivations.language.extended_reals import (
    NEG_INF,
    PRECISION,
    Indeterminate,
    Value,
    WorkLimit,
    ball,
    exactly,
    extended_product,
    maximum,
    multiply,
    power,
    precise,
    sign,
)
from derivations.language.inputs import Inputs, Outcome, Unknown
from derivations.language.statement import Definition, Law, Theory
from derivations.language.substitution import rename_apart, substitute
from derivations.language.term import (
    DERIVED,
    DETERMINANT,
    Add,
    Apply,
    Bracket,
    Case,
    Choice,
    Derivative,
    Entry,
    Expectation,
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
    flattened,
    guard_substitute,
)

MAX_WORK = 300_000
MAX_RANGE = 10_000


T = TypeVar("T")


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
            return index.evaluate(env, self.inputs.sizes, self.inputs.choose)
        except KeyError as missing:
            raise KeyError(f"no value for {missing} in {index}") from None

    def holds(self, condition: Guard, env: Mapping[str, int]) -> bool:
        sizes, choose = self.inputs.sizes, self.inputs.choose
        for c in condition:  # noqa: SIM110 - this is where much of the time goes
            if not c.holds(env, sizes, choose):
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
            return exactly(sum, parts)
        if isinstance(t, Mul):
            return extended_product([self.value(a, env) for a in t.args])
        if isinstance(t, Pow):
            return power(self.value(t.base, env), self.value(t.exponent, env))
        if isinstance(t, Apply):
            return self.function(t.function, self.value(t.arg, env))
        if isinstance(t, Bracket):
            return fmpq(int(self.holds(t.condition, env)))
        if isinstance(t, (Case, Choice)):
            return self.value(self.branch(t, env), env)
        if isinstance(t, Sum):
            parts = [self.value(t.body, {**env, t.var: v}) for v in self.range(t.var, t.guard, env)]
            return NEG_INF if any(p is NEG_INF for p in parts) else exactly(sum, parts)
        if isinstance(t, Max):
            return maximum([self.value(t.body, {**env, t.var: v}) for v in self.range(t.var, t.guard, env)])
        if isinstance(t, Derivative):
            return tangent(self, t.body, env, (t.name, tuple(self.at(i, env) for i in t.at)))
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
        if t.name == DETERMINANT:
            return self.determinant(t, env)
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

    def determinant(self, t: Entry, env: dict[str, int]) -> Value:
        """The determinant of a matrix with its values here; 1 of a matrix without rows."""
        matrix, places = t.args[0], range(self.at(t.sizes[0], env))
        rows = [
            [self.value(matrix.body, {**env, **dict(zip(matrix.params, (a, b), strict=True))}) for b in places]
            for a in places
        ]
        self.work -= len(places) ** 3
        if any(value is NEG_INF for row in rows for value in row):
            raise Indeterminate("the determinant of a matrix with entries of minus infinity")
        if all(isinstance(value, fmpq) for row in rows for value in row):
            return fmpq_mat(len(places), len(places), [value for row in rows for value in row]).det()
        return arb_mat([[ball(value) for value in row] for row in rows]).det()

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
        plain = name.rstrip(DERIVED)
        a, b, c, e = (self.inputs.unspecified(f"{plain}()", (k,)) for k in range(4))
        powers = [e, c, b, abs(a) + 1]
        for _ in range(len(name) - len(plain)):
            powers = [k * factor for k, factor in enumerate(powers)][1:]
        exact = x if isinstance(x, fmpq) else ball(x)
        found = exact * 0
        for factor in reversed(powers):
            found = found * exact + factor
        return found

    def expectation(self, body: Term, env: dict[str, int]) -> Value:
        """The mean over all outcomes of the random entries that the body reads.

        Of normal tensors there are two outcomes for each entry here, with the right mean and variance: nothing is told of what
        depends on more of their law.
        """
        normal = frozenset(n for n in self.theory.random if (self.theory.tensors[n].law or Law()).normal)
        if normal and self.theory.depends(body, normal):
            found_degree = degree(body, normal, self.theory)
            if found_degree is None or found_degree > len(("mean", "variance")):
                raise Indeterminate("a mean that depends on more of a normal law than its mean and variance")
        found = self.outcomes(lambda inner: inner.value(body, dict(env)))
        return exactly(sum, [exactly(multiply, [weight, value]) for weight, value in found])

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

    def defined(self, t: Term, env: dict[str, int]) -> bool:
        key = self.key(t, env)
        if key not in self.known:
            self.spend()
            self.known[key] = is_defined(self, t, env)
        return self.known[key]


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
