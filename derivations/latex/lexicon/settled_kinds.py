"""What settles whether a name is a number, a vector or a matrix: a declaration, a word, how it is written, or a habit.

A capital is usually a matrix, and a small letter beside a weight matrix usually a vector.  Such habits choose a reading;
they are no evidence that the author means it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from enum import Enum
from itertools import pairwise

from derivations.latex.lexicon.name_roles import Names, uses
from derivations.latex.lexicon.symbol_table import GENERIC, Symbol, Table
from derivations.latex.syntax.letters import is_upper
from derivations.latex.syntax.surface import (
    Adjacent,
    Chain,
    Enclosed,
    Infix,
    Literal,
    Name,
    Node,
    Operator,
    Prefix,
    walk,
)

_OF_ARRAYS = frozenset({"tr", "det", "diag", "rank", "softmax", "Concat", "vec", "span", "dim", "ker"})
"""Operators that are applied to vectors and matrices alone."""


class Settled(Enum):
    """What tells how many axes a name has, the surest first."""

    DECLARATION = "declaration"
    DEFINITION = "definition"
    WORDS = "words"
    NOTATION = "notation"
    HABIT = "habit"


def settled_by(table: Table, symbol: Symbol, shown: frozenset[str], said: frozenset[str]) -> Settled:
    """What settles the kind of a name; `shown` and `said` are the names that are written, or called, arrays."""
    stem = symbol.stem
    if stem in table.declared:
        return Settled.DECLARATION
    if symbol.defined or symbol.parameters is not None or symbol.call is not None:
        return Settled.DEFINITION
    of_words = (table.laws, table.permutations, table.one_hot, table.basis, table.constant, table.listed)
    if stem in said or stem in table.names.random or any(stem in names for names in of_words):
        return Settled.WORDS
    if stem in shown or not _is_guessed(table.names, symbol):
        return Settled.NOTATION
    return Settled.HABIT


def written_as_arrays(names: Names, nodes: Iterable[Node]) -> Iterator[str]:
    r"""The names that are transposed, inverted, compared with an identity, or stand in a trace or a norm."""
    for n in nodes:
        w = names.written(n)
        if w is not None and (w.transposed or (is_upper(w.stem) and is_inverse_power(w.power))):
            yield w.stem
        if isinstance(n, Operator) and n.name in _OF_ARRAYS:
            yield from (w.stem for part in n.parts for w in uses(names, part))
        elif isinstance(n, Enclosed) and n.kind == "norm" and n.content is not None:
            yield from (w.stem for w in uses(names, n.content))
        elif isinstance(n, Infix) and n.operator in ("odot", "otimes", "@", "+", "-"):
            if n.operator not in ("+", "-") or any(map(_is_identity, n.parts)):
                yield from (w.stem for part in n.parts if (w := names.written(part)) is not None)
        elif isinstance(n, Chain) and n.first is not None:
            sides = [n.first, *(right for _, right in n.links)]
            if any(map(_is_identity, sides)):
                yield from (w.stem for side in sides for w in uses(names, side))


def after_arrays(names: Names, nodes: Iterable[Node], arrays: Collection[str]) -> set[str]:
    """The given arrays, and the names that stand after one in a product: `X W`, as a number stands before it."""
    found = set(arrays)
    rows = [list(map(names.written, n.items)) for n in nodes if isinstance(n, Adjacent)]
    pairs = [(a.stem, b.stem) for row in rows for a, b in pairwise(row) if a is not None and b is not None]
    while more := {b for a, b in pairs if a in found} - found:
        found |= more
    return found


def is_inverse_power(power: Node | None) -> bool:
    return isinstance(power, Prefix) and power.operator == "-" and isinstance(power.operand, Literal)


def _is_identity(node: Node) -> bool:
    return isinstance(node, Name) and node.base == "I"


def _is_guessed(names: Names, symbol: Symbol) -> bool:
    """Whether the axes of a name are more than its indices and its font show."""
    e = names.evidence.get(symbol.stem)
    shown = 0 if e is None else max(e.slots, e.shown_slots + 1)
    return not symbol.exact and not symbol.stem.endswith(GENERIC) and len(symbol.dims) > shown


def names_in(names: Names, nodes: Iterable[Node]) -> set[str]:
    """The names that occur in formulas."""
    return {w.stem for n in nodes for part in walk(n) if (w := names.written(part)) is not None}
