r"""Factorials and binomial coefficients: `4!` and `\binom{4}{2}` are numbers, of anything else nothing is known.

`n!` is the value at n of a function of which nothing else is used: equal arguments have equal factorials.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

from derivations.language.statement import Statement, Theory
from derivations.language.term import BINOMIAL, FACTORIAL, Entry, Lambda, Number, Term, number
from derivations.latex.lexicon.arrays import Array, NotUnderstood
from derivations.latex.syntax.surface import Operator

if TYPE_CHECKING:
    from derivations.latex.elaborator.elaborate import Elaborator
    from derivations.latex.elaborator.indices import Scope

OPERATORS = {"factorial": (FACTORIAL, 1), "binom": (BINOMIAL, 2)}
"""The operators, each with its head and how many arguments it takes."""
MAX_ARGUMENT = 100
"""Beyond it the numbers have more digits than anyone writes."""


def count(e: Elaborator, node: Operator, scope: Scope) -> Array:
    """The value of a factorial or of a binomial coefficient."""
    head, arity = OPERATORS[node.name]
    if len(node.arguments) != arity or node.sub is not None:
        raise NotUnderstood("unknown-notation", f"{node.name} with {len(node.arguments)} arguments", node.span)
    terms = [e.number_of(n, scope) for n in node.arguments]
    found = _value(node, terms)
    term = number(found) if found is not None else Entry(head, (), [Lambda((), t) for t in terms], ())
    value = Array((), lambda _: term, span=node.span)
    return value if node.sup is None else e.raised(value, node.sup, scope, node.span)


def _value(node: Operator, terms: list[Term]) -> int | None:
    """The number that it is, where its arguments are numbers; raises `NotUnderstood` where it has no value."""
    values = [t.value for t in terms if isinstance(t, Number)]
    if len(values) < len(terms):
        return None
    numbers = [int(v) for v in values]
    if any(v != n or n < 0 for v, n in zip(values, numbers, strict=True)):
        raise NotUnderstood("out-of-scope", f"{node.name} of a number that is not natural", node.span)
    if max(numbers) > MAX_ARGUMENT:
        return None
    return math.factorial(numbers[0]) if node.name == "factorial" else math.comb(*numbers)


def counts_in(statements: Iterable[Statement], theory: Theory) -> frozenset[str]:
    """The heads of the factorials and binomial coefficients in statements and in the definitions below them."""
    sides = (side for s in statements for side in (s.left, s.right))
    terms = (t for side in sides for t in theory.reached(side))
    return frozenset(t.name for t in terms if isinstance(t, Entry) and t.name in (FACTORIAL, BINOMIAL))
