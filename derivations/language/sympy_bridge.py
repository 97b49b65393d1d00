"""SymPy expressions to terms and back.

SymPy is the border for users: they write `IndexedBase`, `Idx`, `Sum`, `exp`.  Sizes are the symbols that occur in
shapes, or as bounds, or that are declared positive integers; every other symbol in an index is an index variable; other
symbols are real scalars.  What SymPy cancels on construction (`x/x`, `0*x`, `Eq(x, x)`) never reaches this file.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import sympy
from flint import fmpq
from sympy.matrices.expressions.matexpr import MatrixElement

from derivations.language.statement import CIRCLE, Tensor
from derivations.language.substitution import bound_variables, fresh
from derivations.language.sympy_form import MAX_EVALUATED, TRUE, BridgeError, Form, form_of
from derivations.language.term import (
    MINUS_ONE,
    ONE,
    ZERO,
    Add,
    Apply,
    Bracket,
    Case,
    Constraint,
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
    at_least,
    by_sign,
    equal,
    guard,
    inverse,
    label,
    less,
    negative,
    permuted,
    quotient,
    remainder,
)


def indicator(condition: Any) -> Any:
    """The Iverson bracket of a relation between indices, as SymPy's `Piecewise((1, condition), (0, True))`.

    >>> from sympy.abc import i, j
    >>> indicator(i < j)
    Piecewise((1, i < j), (0, True))
    """
    return sympy.Piecewise((1, condition), (0, True))


class PermutedIndex(sympy.Function):  # type: ignore[misc]
    """`pi(i)` as a SymPy integer; made by `Permutation`."""

    nargs = 4
    is_integer = True

    def _sympystr(self, printer: Any) -> str:
        name, _, position, inverse = self.args
        return f"{name}{'^-1' if inverse == 1 else ''}({printer.doprint(position)})"


@dataclass(frozen=True)
class Permutation:
    """A permutation of an axis of length n: `pi = Permutation("pi", n)`, then `X[pi(i), a]` and `pi.inverse(i)`.

    >>> from sympy.abc import i, n
    >>> Permutation("pi", n)(i)
    pi(i)
    """

    name: str
    length: Any

    def __call__(self, position: Any) -> Any:
        return PermutedIndex(sympy.Symbol(self.name), self.length, position, 0)

    def inverse(self, position: Any) -> Any:
        """The position that is mapped to this one."""
        return PermutedIndex(sympy.Symbol(self.name), self.length, position, 1)


class LabelIndex(sympy.Function):  # type: ignore[misc]
    """`y(n)` as a SymPy integer; made by `Label`."""

    is_integer = True

    def _sympystr(self, printer: Any) -> str:
        name, _, *places = self.args
        return f"{name}({', '.join(map(printer.doprint, places))})"


@dataclass(frozen=True)
class Label:
    """An unknown position on an axis of length K for each example: `y = Label("y", K)`, then `Z[n, y(n)]`.

    >>> from sympy.abc import n, K
    >>> Label("y", K)(n)
    y(n)
    """

    name: str
    length: Any

    def __call__(self, *places: Any) -> Any:
        return LabelIndex(sympy.Symbol(self.name), self.length, *places)


class IndexedMax(sympy.Function):  # type: ignore[misc]
    """The largest value of an expression over an index, as SymPy sees it; made by `maximum`."""

    nargs = 4
    is_real = True

    def _sympystr(self, printer: Any) -> str:
        body, var, low, high = map(printer.doprint, self.args)
        return f"maximum({body}, ({var}, {low}, {high}))"

    @property
    def free_symbols(self) -> set[Any]:
        body, var, low, high = self.args
        return {*(body.free_symbols - {var}), *low.free_symbols, *high.free_symbols}


class IndexedInverse(sympy.Function):  # type: ignore[misc]
    """An entry of the inverse of a square matrix, as SymPy sees it; made by `inverse_entry`."""

    nargs = 6
    is_real = True

    def _sympystr(self, printer: Any) -> str:
        body, a, b, length, i, j = map(printer.doprint, self.args)
        return f"inverse_entry({body}, ({a}, {b}, {length}), {i}, {j})"

    @property
    def free_symbols(self) -> set[Any]:
        body, a, b, length, i, j = self.args
        return {*(body.free_symbols - {a, b}), *length.free_symbols, *i.free_symbols, *j.free_symbols}


class Mean(sympy.Function):  # type: ignore[misc]
    """The expected value of an expression in random tensors; made by `expectation`."""

    nargs = 1
    is_real = True

    def _sympystr(self, printer: Any) -> str:
        return f"E({printer.doprint(self.args[0])})"


def expectation(body: Any) -> Any:
    """The expected value over the tensors that `given=[Random(...)]` declares random."""
    return Mean(body)


def variance(body: Any) -> Any:
    """`E(x^2) - E(x)^2`."""
    return Mean(body**2) - Mean(body) ** 2


def maximum(body: Any, limits: tuple[Any, Any, Any]) -> Any:
    """The largest `body` over `low <= index <= high`, with limits as in `Sum`.

    >>> from sympy import IndexedBase
    >>> from sympy.abc import j, n
    >>> maximum(IndexedBase("s")[j], (j, 0, n - 1))
    maximum(s[j], (j, 0, n - 1))
    """
    return IndexedMax(body, *limits)


def inverse_entry(body: Any, axes: tuple[Any, Any, Any], i: Any, j: Any) -> Any:
    """Entry (i, j) of the inverse of the n by n matrix with the entries `body` for the indices (a, b) of `axes`.

    >>> from sympy import IndexedBase
    >>> from sympy.abc import a, b, i, j, n
    >>> inverse_entry(IndexedBase("M")[a, b], (a, b, n), i, j)
    inverse_entry(M[a, b], (a, b, n), i, j)
    """
    return IndexedInverse(body, *axes, i, j)


@dataclass
class Names:
    """What the symbols of some expressions are; collected from all expressions of a claim together."""

    sizes: set[str] = field(default_factory=set)
    indices: set[str] = field(default_factory=set)
    shapes: dict[str, tuple[Any, ...]] = field(default_factory=dict)
    ranges: dict[str, tuple[Any, Any]] = field(default_factory=dict)
    dummies: dict[Any, str] = field(default_factory=dict)
    bound: set[str] = field(default_factory=set)
    taken: set[str] = field(default_factory=set)
    has_circle: bool = False
    """Whether the number pi occurs."""

    @classmethod
    def of(cls, expressions: Iterable[Any]) -> Names:
        names = cls()
        found = [sympy.sympify(e) for e in expressions]
        bounds: set[Any] = set()
        maps: set[str] = set()
        symbols = names.distinct(found)
        for e in found:
            for node in sympy.preorder_traversal(e):
                if isinstance(node, PermutedIndex):
                    maps.add(node.args[0].name)
                    bounds |= node.args[1].free_symbols
                elif isinstance(node, LabelIndex):
                    maps.add(node.args[0].name)
                    bounds |= node.args[1].free_symbols
                    names.indices |= {names.name(s) for p in node.args[2:] for s in p.free_symbols}
                elif isinstance(node, sympy.Indexed):
                    names.shape_of(node.base)
                    for i in node.indices:
                        names.indices |= {names.name(s) for s in i.free_symbols}
                elif isinstance(node, MatrixElement):
                    names.sizes |= {s.name for d in node.parent.shape for s in sympy.sympify(d).free_symbols}
                    names.shapes[str(node.parent)] = tuple(node.parent.shape)
                    names.indices |= {names.name(s) for i in (node.i, node.j) for s in i.free_symbols}
                elif isinstance(node, IndexedMax):
                    names.indices.add(names.name(node.args[1]))
                    bounds |= {s for b in node.args[2:] for s in b.free_symbols}
                elif isinstance(node, IndexedInverse):
                    names.indices |= {names.name(s) for e in (*node.args[1:3], *node.args[4:]) for s in e.free_symbols}
                    bounds |= node.args[3].free_symbols
                elif isinstance(node, (sympy.Sum, sympy.Product)):
                    for limit in node.limits:
                        names.indices.add(names.name(limit[0]))
                        names.bound.add(names.name(limit[0]))
                        bounds |= {s for b in limit[1:] for s in sympy.sympify(b).free_symbols}
                elif isinstance(node, sympy.Idx):
                    names.index(node)
                elif isinstance(node, sympy.Symbol) and node.is_integer and node.is_positive:
                    bounds.add(node)
        names.sizes |= {s.name for s in bounds if s.name not in names.indices or s.is_positive}
        names.sizes -= names.bound
        names.indices -= names.sizes | maps
        small = [s for s in symbols if s.name in names.sizes and s.is_nonnegative and not s.is_positive]
        if small:
            raise BridgeError(
                f"{min(small, key=str)} is declared as nonnegative; sizes are at least 1: declare positive=True"
            )
        return names

    def distinct(self, expressions: list[Any]) -> set[Any]:
        """The symbols that occur; refuses two different ones with one name (SymPy tells them apart by assumptions)."""
        found = set().union(*(e.atoms(sympy.Symbol) for e in expressions if isinstance(e, sympy.Basic)))
        labels = {b.label for e in expressions if isinstance(e, sympy.Basic) for b in e.atoms(sympy.IndexedBase)}
        named: dict[str, Any] = {}
        for s in sorted((s for s in found - labels if not isinstance(s, sympy.Dummy)), key=str):
            other = named.setdefault(s.name, s)
            if other != s:
                raise BridgeError(
                    f"two different symbols are called {s.name}; make one, with all its assumptions, and use it"
                )
        self.taken = {s.name for s in found if not isinstance(s, sympy.Dummy)}
        self.has_circle = any(isinstance(e, sympy.Basic) and e.has(sympy.pi) for e in expressions)
        if self.has_circle and CIRCLE in self.taken:
            raise BridgeError(f"a symbol is called {CIRCLE} beside the number {CIRCLE}; give it another name")
        return found

    def shape_of(self, base: Any) -> None:
        if base.shape is not None:
            self.shapes[base.label.name] = tuple(base.shape)
            self.sizes |= {s.name for d in base.shape for s in sympy.sympify(d).free_symbols}

    def index(self, node: Any) -> None:
        self.indices.add(node.label.name if hasattr(node.label, "name") else str(node.label))
        if node.lower is not None and node.upper is not None:
            self.ranges[str(node.label)] = (node.lower, node.upper)
            self.sizes |= {s.name for b in (node.lower, node.upper) for s in sympy.sympify(b).free_symbols}

    def name(self, symbol: Any) -> str:
        """The name of a symbol; SymPy's dummies get one of their own."""
        if isinstance(symbol, sympy.Dummy):
            if symbol not in self.dummies:
                self.dummies[symbol] = fresh(f"{symbol.name.lstrip('_')}1", self.taken)
                self.taken.add(self.dummies[symbol])
            return self.dummies[symbol]
        return str(symbol.label) if isinstance(symbol, sympy.Idx) else str(symbol.name)

    def tensors(self) -> dict[str, Tensor]:
        """The declared shapes, as tensors."""
        numbers = {CIRCLE: Tensor(CIRCLE, constant=CIRCLE)} if self.has_circle else {}
        return numbers | {n: Tensor(n, tuple(self.to_index(d) for d in shape)) for n, shape in self.shapes.items()}

    # --- SymPy -> terms

    def to_index(self, e: Any) -> Index:
        """An integer affine expression."""
        e = sympy.expand(sympy.sympify(e))
        if e.is_Integer:
            return Index.of(int(e))
        if isinstance(e, sympy.Idx):
            return Index.var(self.name(e))
        if e.is_Symbol:
            name = self.name(e)
            if name not in self.sizes and name not in self.indices and not e.is_integer:
                raise BridgeError(f"needed indices and sizes (integers), found {e}; declare it with integer=True")
            return Index.size(name) if name in self.sizes else Index.var(name)
        if e.is_Add:
            total = Index()
            for a in e.args:
                total = total + self.to_index(a)
            return total
        if e.is_Mul:
            product = Index((), 1)
            for a in e.args:
                product = product * self.to_index(a)
            return product
        if e.is_Pow and e.exp.is_Integer and 0 < int(e.exp) <= 4:
            power = base = self.to_index(e.base)
            for _ in range(int(e.exp) - 1):
                power = power * base
            return power
        if isinstance(e, PermutedIndex):
            name, length, position, inverse = e.args
            return permuted(name.name, self.to_index(length), self.to_index(position), inverse=inverse == 1)
        if isinstance(e, LabelIndex):
            name, length, *places = e.args
            return label(name.name, [self.to_index(p) for p in places], self.to_index(length))
        if isinstance(e, sympy.Mod):
            return remainder(self.to_index(e.args[0]), self.to_index(e.args[1]))
        if isinstance(e, sympy.floor):
            above, below = sympy.fraction(sympy.together(e.args[0]))
            return quotient(self.to_index(above), self.to_index(below))
        raise BridgeError(f"needed whole-number multiples of indices and sizes as an index, found {e}")

    def to_guard(self, condition: Any) -> Guard:
        """A conjunction of relations between indices."""
        if condition in (True, sympy.true):
            return ()
        if isinstance(condition, sympy.And):
            return guard(*(c for a in condition.args for c in self.to_guard(a)))
        if isinstance(condition, sympy.core.relational.Relational):
            left, right = self.to_index(condition.lhs), self.to_index(condition.rhs)
            rows: dict[str, Constraint] = {
                "==": equal(left, right),
                "<=": at_least(right, left),
                ">=": at_least(left, right),
                "<": less(left, right),
                ">": less(right, left),
            }
            if condition.rel_op in rows:
                return guard(rows[condition.rel_op])
        raise BridgeError(f"needed relations <, <=, =, >=, > between indices joined by And, found {condition}")

    def to_term(self, e: Any) -> Term:
        """The term of a SymPy expression."""
        if isinstance(e, (bool, sympy.logic.boolalg.BooleanAtom)):
            raise BridgeError(
                f"needed an expression, found the truth value {e}: SymPy has evaluated the statement before it got here "
                "(Eq(x, x) becomes True); pass the two sides on their own"
            )
        if isinstance(e, sympy.core.relational.Relational):
            raise BridgeError(f"needed an expression, found the relation {e}; pass its two sides and relation= instead")
        e = sympy.sympify(e)
        if e.is_Rational:
            return Number(fmpq(int(e.p), int(e.q)))
        if e.is_Float:
            raise BridgeError(f"needed an exact number, found the float {e}; write Rational({sympy.nsimplify(e)})")
        if isinstance(e, (sympy.Idx, PermutedIndex, LabelIndex, sympy.floor, sympy.Mod)):
            return IndexValue(self.to_index(e))
        if e.is_Symbol:
            name = self.name(e)
            if name in self.sizes or name in self.indices:
                return IndexValue(self.to_index(e))
            return Entry(name)
        if isinstance(e, sympy.Indexed):
            return Entry(e.base.label.name, [self.to_index(i) for i in e.indices])
        if isinstance(e, MatrixElement):
            return Entry(str(e.parent), [self.to_index(e.i), self.to_index(e.j)])
        if e.is_Add:
            return Add(self.to_term(a) for a in e.args)
        if e.is_Mul:
            return Mul(self.to_term(a) for a in e.args)
        if e is sympy.S.NegativeInfinity:
            return NegInfinity()
        if e is sympy.E:
            return Apply("exp", ONE)
        if e is sympy.pi:
            return Entry(CIRCLE)
        if isinstance(e, sympy.exp):
            return Apply("exp", self.to_term(e.args[0]))
        if e.is_Pow:
            if e.base is sympy.E:
                return Apply("exp", self.to_term(e.exp))
            return Pow(self.to_term(e.base), self.to_term(e.exp))
        if isinstance(e, sympy.Sum):
            term = self.to_term(e.function)
            for limit in e.limits:
                if len(limit) != 3:
                    raise BridgeError(f"needed a lower and an upper limit, found {limit} in {e}")
                var = self.name(limit[0])
                j = Index.var(var)
                low, high = self.to_index(limit[1]), self.to_index(limit[2])
                term = Sum(var, guard(at_least(j, low), at_least(high, j)), term)
            return term
        if isinstance(e, Mean):
            return Expectation(self.to_term(e.args[0]))
        if isinstance(e, sympy.Derivative):
            term = self.to_term(e.expr)
            for by, count in e.variable_count:
                entry = self.to_term(by)
                if not isinstance(entry, Entry) or entry.args or not count.is_Integer:
                    raise BridgeError(f"needed a derivative by a scalar or an entry of a tensor, found {by}")
                for _ in range(int(count)):
                    term = Derivative(entry.name, entry.indices, term)
            return term
        if isinstance(e, IndexedMax):
            body, symbol, first, last = e.args
            j = Index.var(self.name(symbol))
            condition = guard(at_least(j, self.to_index(first)), at_least(self.to_index(last), j))
            return Max(self.name(symbol), condition, self.to_term(body))
        if isinstance(e, IndexedInverse):
            body, a, b, length, i, j = e.args
            matrix = Lambda((self.name(a), self.name(b)), self.to_term(body))
            return inverse(matrix, self.to_index(length), self.to_index(i), self.to_index(j))
        if isinstance(e, sympy.Max):
            return largest([self.to_term(a) for a in sorted(e.args, key=sympy.default_sort_key)])
        if isinstance(e, sympy.Min):
            return -largest([-self.to_term(a) for a in sorted(e.args, key=sympy.default_sort_key)])
        if isinstance(e, sympy.sign):
            return by_sign(self.to_term(e.args[0]), ONE, ZERO, MINUS_ONE)
        if isinstance(e, sympy.Heaviside):
            return by_sign(self.to_term(e.args[0]), ONE, self.to_term(e.args[1]), ZERO)
        if isinstance(e, sympy.KroneckerDelta):
            return Bracket((equal(self.to_index(e.args[0]), self.to_index(e.args[1])),))
        if isinstance(e, sympy.Piecewise):
            return self.cases(e)
        if isinstance(e, (sympy.log, sympy.sin, sympy.cos, sympy.tanh)) and len(e.args) == 1:
            return Apply(type(e).__name__, self.to_term(e.args[0]))
        if isinstance(e, sympy.Abs):
            return Apply("abs", self.to_term(e.args[0]))
        if isinstance(e, sympy.core.function.AppliedUndef) and len(e.args) == 1:
            return Apply(e.func.__name__, self.to_term(e.args[0]))
        raise BridgeError(
            f"needed sums, products, powers, exp, log, Indexed, Sum, Piecewise; found {type(e).__name__}: {e}"
        )

    def cases(self, e: Any) -> Term:
        rows = [(value, condition) for value, condition in e.args]
        if rows[-1][1] not in (True, sympy.true):
            raise BridgeError(f"needed a last case (value, True), found {e}")
        if any(self.about_values(c) for _, c in rows[:-1]):
            result = self.to_term(rows[-1][0])
            for value, condition in reversed(rows[:-1]):
                result = self.where(condition, self.to_term(value), result)
            return result
        if len(rows) == 2 and rows[0][0] == 1 and rows[1][0] == 0:
            return Bracket(self.to_guard(rows[0][1]))
        return Case([(self.to_guard(c), self.to_term(v)) for v, c in rows[:-1]], self.to_term(rows[-1][0]))

    def about_values(self, condition: Any) -> bool:
        """Whether a condition compares real numbers, and not indices."""
        try:
            self.to_guard(condition)
        except BridgeError:
            return True
        return False

    def where(self, condition: Any, value: Term, other: Term) -> Term:
        """`value` where a condition holds, else `other`."""
        if not self.about_values(condition):
            return Case([(self.to_guard(condition), value)], other)
        if isinstance(condition, sympy.And):
            for part in reversed(condition.args):
                value = self.where(part, value, other)
            return value
        if isinstance(condition, sympy.Or):
            for part in reversed(condition.args):
                other = self.where(part, value, other)
            return other
        if not isinstance(condition, sympy.core.relational.Relational):
            raise BridgeError(f"needed a comparison, found {condition}")
        signs = {"<": (0, 0, 1), "<=": (0, 1, 1), ">": (1, 0, 0), ">=": (1, 1, 0), "==": (0, 1, 0), "!=": (1, 0, 1)}
        left, right = self.to_term(condition.lhs), self.to_term(condition.rhs)
        difference = left if right is ZERO else negative(right) if left is ZERO else left - right
        return by_sign(difference, *(value if holds else other for holds in signs[condition.rel_op]))


def from_sympy(expression: Any, names: Names | None = None) -> Term:
    """The term of a SymPy expression (with `names` collected from it alone when not given).

    >>> from sympy import IndexedBase, Sum, symbols
    >>> i, n = symbols("i n", integer=True)
    >>> str(from_sympy(Sum(IndexedBase("x")[i], (i, 0, n - 1))))
    'sum(i: 0 <= i < n; x[i])'
    """
    return (names or Names.of([expression])).to_term(expression)


# --- terms -> SymPy -------------------------------------------------------------------------------------------------


def to_sympy(term: Term) -> Any:
    """The SymPy expression of a term; raises `BridgeError` for what SymPy has no form for.

    >>> from derivations.language.term import Entry, sum_over
    >>> to_sympy(sum_over("j", 0, Index.size("n"), Entry("x", (Index.var("j"),))))
    Sum(x[j], (j, 0, n - 1))
    """
    return _built(form_of(term))


_OWN = {c.__name__: c for c in (PermutedIndex, LabelIndex, IndexedMax, IndexedInverse, Mean)}


def _built(form: Form) -> Any:
    """The expression that a form writes."""
    if form.args is None:
        return sympy.true if form == TRUE else sympy.S.NegativeInfinity
    args: list[Any] = [_built(a) if isinstance(a, Form) else a for a in form.args]
    if form.head == "Function":
        return sympy.Function(args[0])(args[1])
    if form.head == "Pow" and args[0].is_Rational and args[1].is_Integer and abs(int(args[1])) > MAX_EVALUATED:
        return sympy.Pow(*args, evaluate=False)
    if form.head == "ExprCondPair":
        return tuple(args)
    make = _OWN.get(form.head) or getattr(sympy, form.head)
    return make(*args, **dict.fromkeys(form.said, True))


def largest(values: list[Term]) -> Term:
    """The largest of several values: a maximum over their numbers."""
    r = fresh("r", set().union(*(v.free | bound_variables(v) for v in values)))
    here = Index.var(r)
    body = Case([((equal(here, k),), v) for k, v in enumerate(values[:-1])], values[-1])
    return Max(r, (at_least(here, 0), less(here, len(values))), body)
