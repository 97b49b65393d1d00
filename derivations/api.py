"""The face for users: define, prove and decide statements on SymPy expressions."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import sympy

from derivations.exposition.explain import Line, explain
from derivations.kernel import certificate as certificates
from derivations.kernel.definition import admit
from derivations.kernel.theorem import Assumption
from derivations.kernel.theorem import Theorem as KernelTheorem
from derivations.language import statement as statements
from derivations.language import term as language
from derivations.language.statement import Statement, Theory
from derivations.language.substitution import subterms
from derivations.language.sympy_bridge import (
    Mean,
    Names,
    Permutation,
    expectation,
    indicator,
    inverse_entry,
    maximum,
    variance,
)
from derivations.language.sympy_form import BridgeError
from derivations.language.term import Entry, Guard, Index, at_least, guard, less
from derivations.latex.writer import write_latex
from derivations.provers import decide as deciding
from derivations.provers.decide import Decision, Proved, Refuted, Undecided

if TYPE_CHECKING:
    from derivations.lifting import Lifted, Shape


@dataclass(frozen=True)
class Definition:
    """`Definition(A[i, j], expression)`: a new symbol; `when` restricts it to indices with a condition.

    >>> from sympy import IndexedBase, symbols
    >>> i, n = symbols("i n", integer=True)
    >>> x, y = IndexedBase("x", shape=(n,)), IndexedBase("y", shape=(n,))
    >>> Definition(y[i], 2 * x[i]).symbol
    'y'
    """

    left: Any
    right: Any
    when: Any = True

    def __post_init__(self) -> None:
        if isinstance(self.left, (bool, sympy.logic.boolalg.BooleanAtom)):
            raise BridgeError(f"needed A[i, j] or a symbol on the left of a definition, found {self.left}")

    @property
    def symbol(self) -> str:
        """The name that is defined."""
        if isinstance(self.left, sympy.Indexed):
            return str(self.left.base.label.name)
        if isinstance(self.left, sympy.Symbol):
            return str(self.left.name)
        raise BridgeError(f"needed A[i, j] or a symbol on the left of a definition, found {self.left}")


@dataclass(frozen=True)
class Random:
    """`Random(q, mean=0, variance=1)`: the entries of q are independent random numbers (of other random tensors too)."""

    tensor: Any
    mean: Any = None
    variance: Any = None
    normal: bool = False
    """Whether the law of each entry is the normal one with these moments."""


class NotProved(Exception):
    """`prove` found no proof; `.decision` is the refutation or the reason."""

    def __init__(self, decision: Decision) -> None:
        self.decision = decision
        super().__init__(describe(decision))


@dataclass(frozen=True)
class Theorem:
    """A proved statement, for reading: the kernel's theorem with its derivation."""

    kernel: KernelTheorem

    @property
    def statement(self) -> str:
        """The statement as canonical text."""
        return str(self.kernel.statement)

    @property
    def steps(self) -> list[Line]:
        """The derivation as a person would write it."""
        return explain(self.kernel)

    @property
    def assumptions(self) -> tuple[Assumption, ...]:
        """What the theorem rests on, each with its origin."""
        return self.kernel.assumptions

    def certificate(self) -> dict[str, Any]:
        """The proof as JSON data; `derivations replay` checks it without the provers."""
        return certificates.write(self.kernel)

    def __str__(self) -> str:
        return str(self.kernel)

    def _repr_mimebundle_(self, **_: Any) -> Mapping[str, str]:
        from derivations.reports.html.mathml import write_mathml

        rows = "".join(
            f"<tr><td>{html.escape(s.relation)}</td><td>{write_mathml(s.term)}</td><td>{html.escape(s.reason)}</td></tr>"
            for s in self.steps
        )
        latex = write_latex(self.kernel.statement)
        return {
            "text/plain": str(self),
            "text/latex": f"$\\displaystyle {latex}$",
            "text/html": f"<p>proved: {write_mathml(latex, display=False)}</p><table>{rows}</table>",
        }


def decide(
    left: Any, right: Any, *, relation: str = "=", given: Iterable[Any] = (), where: Iterable[Definition] = ()
) -> Decision:
    """Prove or refute `left relation right` for all sizes, all real inputs and all free indices in range.

    Free indices range over the shapes of the `IndexedBase` that they index, or over the limits of their `Idx`.  `given`
    holds conditions on indices (`j > i`) and equations between terms (`Eq`).  The decision is `Proved`, `Refuted` or
    `Undecided`; it has no truth value.

    Raises `BridgeError` for what cannot be carried over, `NotConservative` for a definition that asserts something.
    """
    try:
        statement, theory = state(left, right, relation=relation, given=given, where=where)
    except RecursionError:
        raise BridgeError("the expressions are nested too deeply; split them by definitions") from None
    return deciding.decide(statement, theory)


def prove(
    left: Any, right: Any, *, relation: str = "=", given: Iterable[Any] = (), where: Iterable[Definition] = ()
) -> Theorem:
    """The theorem `left relation right`; raises `NotProved` (with the decision) when there is none.

    >>> from sympy import IndexedBase, Sum, exp, symbols
    >>> i, j, n = symbols("i j n", integer=True)
    >>> x, p = IndexedBase("x", shape=(n,)), IndexedBase("p", shape=(n,))
    >>> softmax = Definition(p[i], exp(x[i]) / Sum(exp(x[j]), (j, 0, n - 1)))
    >>> prove(Sum(p[i], (i, 0, n - 1)), 1, where=[softmax]).steps[-1].term
    '1'
    """
    decision = decide(left, right, relation=relation, given=given, where=where)
    if isinstance(decision, Proved):
        return Theorem(decision.theorem)
    raise NotProved(decision)


@dataclass(frozen=True)
class Calculation:
    """A list of terms with the decision about each relation between neighbours."""

    decisions: tuple[Decision, ...]

    @property
    def proved(self) -> bool:
        """Whether every step is proved (and there is one)."""
        return bool(self.decisions) and all(isinstance(d, Proved) for d in self.decisions)

    def __str__(self) -> str:
        return "\n".join(f"step {k}: {describe(d)}" for k, d in enumerate(self.decisions, 1))


def calculate(*terms: Any, given: Iterable[Any] = (), where: Iterable[Definition] = ()) -> Calculation:
    """Decide `terms[0] = terms[1] = ...`, each step on its own: what a derivation in a paper claims.

    Raises ValueError for fewer than two terms, and what `decide` raises.

    >>> from sympy import IndexedBase, Sum, exp, symbols
    >>> j, n = symbols("j n", integer=True)
    >>> x, c = IndexedBase("x", shape=(n,)), symbols("c", real=True)
    >>> print(calculate(Sum(exp(x[j] - c), (j, 0, n - 1)), exp(-c) * Sum(exp(x[j]), (j, 0, n - 1)), exp(-c)))
    step 1: proved: sum(j: 0 <= j < n; exp(-c + x[j])) = sum(j: 0 <= j < n; exp(x[j]))*exp(-c)
    step 2: refuted: left 2.718281828, right 1 at one point for n = 1; c = 0; x = [1]
    """
    if len(terms) < 2:
        raise ValueError(f"needed at least two terms of a calculation, found {len(terms)}")
    given, where = list(given), list(where)
    return Calculation(tuple(decide(a, b, given=given, where=where) for a, b in pairwise(terms)))


def lift(function: Callable[..., Any], /, **shapes: Shape | str) -> Lifted:
    """What a torch or NumPy function computes, read from its source with symbolic sizes; the function is not run.

    `shapes` gives the axes of the parameters by name or number; a text alone is a whole number.  Raises `NotLifted`
    with a place for whatever is not taken over.

    >>> def scores(Q, K):
    ...     return Q @ K.T
    >>> print(lift(scores, Q=("n", "d"), K=("m", "d")).entry)
    sum(k1: 0 <= k1 < d; Q[x0, k1]*K[x1, k1])
    """
    from derivations import lifting

    return lifting.lift(function, None, shapes)


def equivalent(f: Callable[..., Any], g: Callable[..., Any], /, **shapes: Shape | str) -> Decision:
    """Decide whether two functions compute the same array for all sizes and all real inputs; neither is run.

    >>> def a(x): return x.sum(0)
    >>> def b(x): return sum(row for row in x)
    >>> type(equivalent(a, b, x=("n", "d"))).__name__
    'Proved'
    """
    from derivations import lifting

    return lifting.equivalent(f, g, **shapes)


def assert_equivalent(
    left: Any,
    right: Any,
    *,
    relation: str = "=",
    given: Iterable[Any] = (),
    where: Iterable[Definition] = (),
    **shapes: Shape | str,
) -> Theorem:
    """The theorem `left relation right`, for tests: AssertionError when it is refuted, and when it is undecided.

    For two functions `shapes` gives the axes of their parameters: both are read, neither is run.

    >>> from sympy import IndexedBase, Sum, symbols
    >>> j, n = symbols("j n", integer=True)
    >>> x = IndexedBase("x", shape=(n,))
    >>> print(assert_equivalent(Sum(2 * x[j], (j, 0, n - 1)), 2 * Sum(x[j], (j, 0, n - 1))))
    theorem: sum(j: 0 <= j < n; 2*x[j]) = 2*sum(j: 0 <= j < n; x[j])
    """
    __tracebackhide__ = True
    if callable(left) and callable(right) and not isinstance(left, sympy.Basic):
        if relation != "=" or [*given] or [*where]:
            raise TypeError("two functions are compared for equality, without conditions")
        decision = equivalent(left, right, **shapes)
        if isinstance(decision, Proved):
            return Theorem(decision.theorem)
        raise AssertionError(f"{_called(left)} = {_called(right)}\n  {describe(decision)}")
    if shapes:
        raise TypeError(f"shapes are for functions; found {next(iter(shapes))!r} beside expressions")
    statement, theory = state(left, right, relation=relation, given=given, where=where)
    decision = deciding.decide(statement, theory)
    if isinstance(decision, Proved):
        return Theorem(decision.theorem)
    hint = ""
    if isinstance(decision, Refuted):
        from derivations.study.near_misses import near_miss

        found = near_miss(statement, theory, partial(deciding.decide, refuting=False))
        hint = "" if found is None else f"\n  did you mean {found.statement}? ({found.slip.words}; proved)"
    raise AssertionError(f"{statement}\n  {describe(decision)}{hint}")


def _called(f: Any) -> str:
    return str(getattr(f, "__name__", f))


def describe(decision: Decision) -> str:
    """A decision in words."""
    if isinstance(decision, Proved):
        under = f", where {'; '.join(decision.assumes)}" if decision.assumes else ""
        return f"proved: {decision.theorem.statement}{under}"
    if isinstance(decision, Refuted):
        w = decision.counterexample
        at, sizes = (", ".join(f"{k} = {v}" for k, v in places.items()) for places in (w.at, w.sizes))
        where = "; ".join(filter(None, [sizes, *(f"{k} = {v}" for k, v in w.inputs.items())]))
        where = f" for {where}" if where else ""
        return f"refuted: left {w.left}, right {w.right} at {at or 'one point'}{where}".replace("'", "")
    if isinstance(decision, Undecided):
        return f"undecided: {decision.reason}"
    return "undecided"


def state(
    left: Any, right: Any, *, relation: str = "=", given: Iterable[Any] = (), where: Iterable[Definition] = ()
) -> tuple[Statement, Theory]:
    """The statement and theory of a claim on SymPy expressions."""
    if relation not in ("=", "<=", "<", "!="):
        raise BridgeError(f"needed a relation =, <=, < or !=, found {relation!r}")
    laws = [g for g in given if isinstance(g, Random)]
    given, where = [g for g in given if not isinstance(g, Random)], list(where)
    for g in given:
        if isinstance(g, (bool, sympy.logic.boolalg.BooleanAtom)):
            raise BridgeError(
                f"needed a condition or an equation, found the truth value {g}: SymPy has evaluated it already"
            )
    moments = [m for law in laws for m in (law.mean, law.variance) if m is not None]
    for m in moments:
        if sympy.sympify(m).has(Mean):
            raise BridgeError(f"needed a mean and a variance that are numbers or given, found the expectation {m}")
    names = Names.of([*_sides([left, right]), *given, *moments, *(e for d in where for e in (d.left, d.right, d.when))])
    theory = Theory({n: t for n, t in names.tensors().items() if n not in {d.symbol for d in where}}, {})
    for law in laws:
        theory = replace(theory, tensors={**theory.tensors, **_random(law, names)})
    for d in where:
        theory = admit(theory, _definition(d, names))
    sides = names.to_term(left), names.to_term(right)
    conditions: list[language.Constraint] = []
    hypotheses: list[Statement] = []
    for g in given:
        try:
            conditions += names.to_guard(g)
        except BridgeError:
            hypotheses.append(_hypothesis(g, names, theory))
    free = sorted(sides[0].free | sides[1].free | {v for c in conditions for v in c.free})
    ranges = _ranges(free, [*sides], names, theory)
    return Statement(
        *(sides[0], relation, sides[1]), tuple(free), guard(*ranges, *conditions), tuple(hypotheses)
    ), theory


def _random(law: Random, names: Names) -> dict[str, statements.Tensor]:
    name = str(getattr(law.tensor, "label", law.tensor))
    shape = tuple(names.to_index(s) for s in names.shapes.get(name, ()))
    mean, variance = (None if m is None else names.to_term(m) for m in (law.mean, law.variance))
    return {name: statements.Tensor(name, shape, statements.Law(mean, variance, law.normal))}


def _sides(expressions: list[Any]) -> list[Any]:
    for e in expressions:
        if isinstance(e, (bool, sympy.logic.boolalg.BooleanAtom)):
            raise BridgeError(
                f"needed an expression, found the truth value {e}: SymPy has evaluated the statement before it got here "
                "(Eq(x, x) becomes True); pass the two sides on their own"
            )
        if not isinstance(e, (sympy.Basic, int, float, Fraction)):
            raise BridgeError(f"needed a SymPy expression, found {e!r}")
    return expressions


def _definition(d: Definition, names: Names) -> statements.Definition:
    indices = tuple(names.to_index(i) for i in d.left.indices) if isinstance(d.left, sympy.Indexed) else ()
    shape = names.shapes.get(d.symbol)
    extents = tuple(names.to_index(s) for s in shape) if shape is not None else None
    return statements.Definition(d.symbol, indices, names.to_term(d.right), names.to_guard(d.when), shape=extents)


def _hypothesis(g: Any, names: Names, theory: Theory) -> Statement:
    if isinstance(g, (sympy.Gt, sympy.Ge)):
        g = g.reversed
    if not isinstance(g, (sympy.Eq, sympy.Le, sympy.Lt, sympy.Ne)):
        raise BridgeError(f"needed a condition on indices or an equation, found {g}")
    left, right = names.to_term(g.lhs), names.to_term(g.rhs)
    free = sorted(left.free | right.free)
    relation = {"==": "=", "<=": "<=", "<": "<", "!=": "!="}[g.rel_op]
    return Statement(left, relation, right, tuple(free), guard(*_ranges(free, [left, right], names, theory)))


def _ranges(free: list[str], sides: list[language.Term], names: Names, theory: Theory) -> Guard:
    """The ranges of free indices: from Idx, else from the shapes of what they index."""
    rows: list[language.Constraint] = []
    for name, (low, high) in names.ranges.items():
        if name in free:
            v = Index.var(name)
            rows += [at_least(v, names.to_index(low)), at_least(names.to_index(high), v)]
    for side in sides:
        for t in subterms(side):
            shape = theory.shape(t.name) if isinstance(t, Entry) else None
            if not isinstance(t, Entry) or shape is None or len(shape) != len(t.indices):
                continue
            for i, n in zip(t.indices, shape, strict=True):
                if i.plain and len(i.terms) == 1 and i.free and i.const == 0 and min(i.free) in free:
                    rows += [at_least(i, 0), less(i, n)]
    return guard(*rows)


__all__ = [
    "BridgeError",
    "Calculation",
    "Decision",
    "Definition",
    "NotProved",
    "Permutation",
    "Proved",
    "Random",
    "Refuted",
    "Theorem",
    "Undecided",
    "assert_equivalent",
    "calculate",
    "decide",
    "describe",
    "equivalent",
    "expectation",
    "indicator",
    "inverse_entry",
    "lift",
    "maximum",
    "prove",
    "state",
    "variance",
]
