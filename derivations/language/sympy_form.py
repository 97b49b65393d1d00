"""Terms as calls of SymPy's constructors: text for reports, and expressions once SymPy is there.

A form is what `sympy.srepr` writes, before SymPy has evaluated it: evaluating the text gives the expression, and writing
it needs no SymPy, whose import takes longer than the study of a chapter.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from derivations.language.statement import Definition, Statement
from derivations.language.term import (
    FUNCTIONS,
    Add,
    Apply,
    Atom,
    Bracket,
    Case,
    Choice,
    Derivative,
    Entry,
    Expectation,
    Guard,
    Index,
    IndexValue,
    Max,
    Mul,
    NegInfinity,
    Number,
    Pow,
    Sum,
    Term,
    at_least,
    guard,
    listed,
)

MAX_EVALUATED = 200
"""Largest power of a number that SymPy is left to work out."""

RELATIONS = {"=": "Equality", "<=": "LessThan", "<": "StrictLessThan", "!=": "Unequality"}


class BridgeError(ValueError):
    """An expression that cannot be carried over; says what was needed and found."""


class Form(NamedTuple):
    """A call `head(*args)`, or the constant `head` without arguments; `said` are keywords, the same for all."""

    head: str
    args: tuple[Form | int | str, ...] | None = None
    said: tuple[str, ...] = ()

    def __str__(self) -> str:
        parts: list[str] = []
        self._write(parts)
        return "".join(parts)

    def _write(self, out: list[str]) -> None:
        if self.args is None:
            out.append(self.head)
            return
        args = self.args
        if self.head == "Function":  # Function('phi')(x)
            out.append(f"Function({args[0]!r})(")
            args = args[1:]
        else:
            out.append(f"{self.head}(")
        for k, a in enumerate(args):
            if k:
                out.append(", ")
            if isinstance(a, Form):
                a._write(out)
            else:
                out.append(repr(a))
        out += [f", {x}" for x in self.keywords]
        out.append(")")

    @property
    def keywords(self) -> Iterator[str]:
        """`integer=True` and the like, as they are written."""
        return (f"{x}={x != 'evaluate'}" for x in self.said)


TRUE = Form("true")


def integer(k: int) -> Form:
    return Form("Integer", (k,))


ZERO, ONE = integer(0), integer(1)


def form_of_statement(statement: Statement) -> Form:
    """A statement as a relation; its hypotheses are not part of it."""
    return Form(RELATIONS[statement.relation], (form_of(statement.left), form_of(statement.right)))


def form_of_definition(definition: Definition) -> Form:
    """A definition as an equality of an entry and the body."""
    return Form("Equality", (form_of(Entry(definition.name, definition.indices)), form_of(definition.body)))


def form_of(term: Term) -> Form:
    """The form of a term; raises `BridgeError` for what SymPy has no form for.

    >>> from derivations.language.term import sum_over
    >>> print(form_of(sum_over("j", 0, 3, Entry("x", (Index.var("j"),)))))
    Sum(Indexed(IndexedBase(Symbol('x')), Symbol('j', integer=True)), Tuple(Symbol('j', integer=True), Integer(0), Integer(2)))
    """
    if isinstance(term, Number):
        return _rational(int(term.value.p), int(term.value.q))
    if isinstance(term, IndexValue):
        return form_of_index(term.index)
    if isinstance(term, NegInfinity):
        return Form("-oo")
    if isinstance(term, Entry):
        return _entry(term)
    if isinstance(term, Add):
        return Form("Add", tuple(map(form_of, term.args)))
    if isinstance(term, Mul):
        return Form("Mul", tuple(map(form_of, term.args)))
    if isinstance(term, Pow):
        by = term.exponent
        large = isinstance(term.base, Number) and isinstance(by, Number) and abs(by.value) > MAX_EVALUATED
        return Form("Pow", (form_of(term.base), form_of(by)), ("evaluate",) if large else ())
    if isinstance(term, Apply):
        if term.function in FUNCTIONS:
            return Form("Abs" if term.function == "abs" else term.function, (form_of(term.arg),))
        return Form("Function", (term.function, form_of(term.arg)))
    if isinstance(term, Bracket):
        return _cases([(ONE, form_of_guard(term.condition))], ZERO)
    if isinstance(term, Case):
        return _cases([(form_of(t), form_of_guard(g)) for g, t in term.branches], form_of(term.otherwise))
    if isinstance(term, Choice):
        test, above, otherwise = map(form_of, term.children)
        return _cases([(above, Form("StrictGreaterThan", (test, ZERO)))], otherwise)
    if isinstance(term, Sum):
        limits, others = _limits(term.var, term.guard, term)
        body = form_of(term.body)
        if others:
            body = Form("Mul", (body, _cases([(ONE, form_of_guard(others))], ZERO)))
        return Form("Sum", (body, Form("Tuple", limits)))
    if isinstance(term, Expectation):
        return Form("Mean", (form_of(term.body),))
    if isinstance(term, Derivative):
        return Form("Derivative", (form_of(term.body), _entry(Entry(term.name, term.at))))
    if isinstance(term, Max):
        if (values := listed(term)) is not None:
            return Form("Max", tuple(map(form_of, values)))
        limits, others = _limits(term.var, term.guard, term)
        if others:
            raise BridgeError(f"needed one lower and one upper limit, found {term}")
        return Form("IndexedMax", (form_of(term.body), *limits))
    raise BridgeError(f"SymPy has no form for {term}")


def _rational(p: int, q: int) -> Form:
    return integer(p) if q == 1 else Form("Rational", (p, q))


def _variable(name: str) -> Form:
    return Form("Symbol", (name,), ("integer",))


def _entry(term: Entry) -> Form:
    if term.is_inverse:
        (matrix,), (length,) = term.args, term.sizes
        axes = (*map(_variable, matrix.params), form_of_index(length))
        return Form("IndexedInverse", (form_of(matrix.body), *axes, *map(form_of_index, term.indices)))
    if term.args:
        raise BridgeError(f"SymPy has no form for {term.name} applied to tensors")
    if not term.indices:
        return Form("Symbol", (term.name,), ("real",))
    base = Form("IndexedBase", (Form("Symbol", (term.name,)),))
    return Form("Indexed", (base, *map(form_of_index, term.indices)))


def _cases(rows: list[tuple[Form, Form]], otherwise: Form) -> Form:
    return Form("Piecewise", tuple(Form("ExprCondPair", row) for row in [*rows, (otherwise, TRUE)]))


def _limits(var: str, ranges: Guard, term: Term) -> tuple[tuple[Form, Form, Form], Guard]:
    """Variable, first and last value, and what else is asked of it."""
    here = Index.var(var)
    lows, highs, others = [], [], []
    for c in ranges:
        k = c.index.coefficient(var)
        if k == 1 and c.relation == ">=":
            lows.append(-(c.index - here))
        elif k == -1 and c.relation == ">=":
            highs.append(c.index + here)
        else:
            others.append(c)
    if not lows or not highs:
        raise BridgeError(f"SymPy needs a lower and an upper limit, found {term}")
    extra = [*(at_least(here, x) for x in lows[1:]), *(at_least(x, here) for x in highs[1:])]
    limits = (_variable(var), form_of_index(lows[0]), form_of_index(highs[0]))
    return limits, guard(*others, *extra) if others or extra else ()


def form_of_index(index: Index) -> Form:
    """An affine index."""
    parts = [f if k == 1 else Form("Mul", (integer(k), f)) for f, k in ((_atom(a), k) for a, k in index.terms)]
    if index.const or not parts:
        parts.append(integer(index.const))
    return parts[0] if len(parts) == 1 else Form("Add", tuple(parts))


def _atom(atom: Atom) -> Form:
    if not atom.args:
        return Form("Symbol", (atom.name,), ("integer", "positive")) if atom.kind == "size" else _variable(atom.name)
    parts = [form_of_index(a) for a in atom.args]
    if atom.kind == "product":
        return Form("Mul", tuple(parts))
    if atom.kind == "quotient":
        return Form("floor", (Form("Mul", (parts[0], Form("Pow", (parts[1], integer(-1))))),))
    if atom.kind == "label":
        return Form("LabelIndex", (Form("Symbol", (atom.name,)), parts[-1], *parts[:-1]))
    inverted = integer(int(atom.kind == "inverse"))
    return Form("PermutedIndex", (Form("Symbol", (atom.name,)), parts[1], parts[0], inverted))


def form_of_guard(conditions: Guard) -> Form:
    """A conjunction of relations between indices."""
    rows = []
    for c in conditions:
        left = Index(((a, k) for a, k in c.index.terms if k > 0), max(c.index.const, 0))
        right = Index(((a, -k) for a, k in c.index.terms if k < 0), max(-c.index.const, 0))
        head = "GreaterThan" if c.relation == ">=" else "Equality"
        rows.append(Form(head, (form_of_index(left), form_of_index(right))))
    return TRUE if not rows else rows[0] if len(rows) == 1 else Form("And", tuple(rows))
