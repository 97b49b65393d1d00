"""Doubts about functions of square matrices: of each entry, or by the series of their powers."""

from __future__ import annotations

import re

from derivations.language.substitution import subterms
from derivations.language.term import Apply, Entry, Index, Pow, Term
from derivations.latex.lexicon.name_roles import Names, uses
from derivations.latex.lexicon.written_names import Written
from derivations.latex.syntax.letters import EULER
from derivations.latex.syntax.surface import Node, Operator, walk
from derivations.study.doubts.doubt import Doubt
from derivations.study.verdict import Case, Verdict, heads_below

BY_ENTRIES = re.compile(r"\b(?:element|entry|component|coordinate|point)[- ]?wise\b", re.IGNORECASE)

_WITH_SERIES = frozenset({"exp", "log", "ln", "sin", "cos", "sqrt"})
"""Functions that are also taken of square matrices."""


def with_exponential_of_matrix(case: Case, verdict: Verdict) -> tuple[str] | None:
    """An exponential or a logarithm of a whole square matrix, `\\exp(t A)`: of its entries, or the series of its powers.

    It may stand in the equation of a name, `B = e^{t A}`, of which the claim speaks.
    """
    if BY_ENTRIES.search(case.item.context.paragraph):
        return None
    sides = [case.left, case.right]
    for head in sorted(heads_below(case, verdict)):
        key = case.known.walk.origins.get(head)
        items = [i for i in case.known.formulas.get(key[0], ()) if i.number == key[1]] if key is not None else []
        sides += [i.reading.chain for i in items if not BY_ENTRIES.search(i.context.paragraph)]
    for side in sides:
        for exponent in (e for n in walk(side) for e in _exponents(case.known.names, n)):
            for u in uses(case.known.names, exponent):
                if (stem := _taken_whole(u, case, verdict)) is not None:
                    return (stem,)
    return None


def _taken_whole(u: Written, case: Case, verdict: Verdict) -> str | None:
    """The name of a square matrix, written without indices, of whose entries a function is taken one by one."""
    symbol = case.known.table.find(u)
    if symbol is None or u.slots or not is_square_shape(case.theory.shape(symbol.head)):
        return None
    terms = (t for s in verdict.statements for side in (s.left, s.right) for t in case.theory.reached(side))
    return u.stem if any(_takes_entries(t, symbol.head) for t in terms) else None


def _takes_entries(side: Term, head: str) -> bool:
    """Whether a term is a function or root of entries of a matrix one by one, and not of a number that is made of all of them,
    as its determinant and a quadratic form are."""
    inner = side.children[0] if isinstance(side, Apply | Pow) else None
    entries = (
        (u for u in subterms(inner) if isinstance(u, Entry) and u.name == head and u.indices)
        if inner is not None
        else ()
    )
    return any(all(i.free and i.free <= inner.free for i in u.indices) for u in entries if inner is not None)


def _exponents(names: Names, node: Node) -> tuple[Node, ...]:
    """What a function with a series is taken of: of `\\exp(t A)`, of `e^{t A}` and of `\\log A`."""
    if isinstance(node, Operator):
        return node.arguments if node.name in _WITH_SERIES else ()
    w = names.written(node)
    return (w.power,) if w is not None and w.stem == EULER and w.power is not None else ()


def is_square_shape(shape: tuple[Index, ...] | None) -> bool:
    return shape is not None and len(shape) == 2 and shape[0] is shape[1]


EXPONENTIAL_OF_MATRIX = Doubt(
    name="an exponential of a matrix",
    code="ambiguous",
    sentence="false of the function taken of each entry of {}, but it may be that of the matrix, as its exponential is",
    test=with_exponential_of_matrix,
    needed=r"For $J \in \mathbb{R}^{n \times n}$ and a number $t$ we have $$\exp(t J)^\top = \exp(t J^\top) + J - J^\top .$$",
    silent=r"For $J \in \mathbb{R}^{n \times n}$ and a number $t$ we have entrywise $$\exp(t J) = \exp(2 t J) .$$",
)
