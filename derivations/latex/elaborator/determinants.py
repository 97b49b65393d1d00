r"""Determinants: `\det A`, `|A|`, a matrix between two bars.

That of a matrix with up to three rows is its Leibniz sum.  Of a longer one, and of one whose number of rows is a letter,
nothing is used but that equal matrices have equal determinants.
"""

from __future__ import annotations

from itertools import permutations
from math import prod
from typing import TYPE_CHECKING

from derivations.language.term import DETERMINANT, Entry, Index, Lambda, Term
from derivations.latex.lexicon import arrays
from derivations.latex.lexicon.arrays import Array, NotUnderstood, plus, times
from derivations.latex.lexicon.name_roles import uses
from derivations.latex.lexicon.written_names import Written
from derivations.latex.syntax.letters import is_upper
from derivations.latex.syntax.normal_laws import is_identity
from derivations.latex.syntax.surface import (
    Enclosed,
    Fraction,
    Matrix,
    Name,
    Node,
    Operator,
    Prefix,
    Scripted,
    Span,
    walk,
)

if TYPE_CHECKING:
    from derivations.latex.elaborator.elaborate import Elaborator

MAX_ROWS = 3
"""Most rows of a matrix whose determinant is written out."""
DETERMINANT_OF = "a determinant"
"""How bars around a square matrix are read unless another reading is asked for."""


def writes_determinant(node: Node) -> bool:
    r"""`\det`, the entries of a matrix between bars, or a logarithm or a power of what stands between bars."""
    logged = node.arguments if isinstance(node, Operator) and node.name == "log" else ()
    raised = (node.base,) if isinstance(node, Scripted) and isinstance(node.sup, Fraction | Prefix) else ()
    if any(isinstance(n, Enclosed) and n.kind == "||" for n in (*logged, *raised)):
        return True
    return (isinstance(node, Operator) and node.name == "det") or (isinstance(node, Matrix) and node.kind == "vmatrix")


def determinant(e: Elaborator, matrix: Array, span: Span) -> Array:
    """The determinant of a square matrix."""
    if matrix.rank != 2:
        raise NotUnderstood("shape-conflict", "a determinant needs a matrix", span)
    e.sizes.unify(matrix.shape[0], matrix.shape[1], span)

    def at() -> Term:
        length = e.sizes.index(matrix.shape[0])
        if length.is_constant and 0 < length.const <= MAX_ROWS:
            return _leibniz_sum(matrix, length.const)
        i, j = e.fresh("p"), e.fresh("p")
        entries = Lambda((i, j), matrix.at((Index.var(i), Index.var(j))))
        return Entry(DETERMINANT, (), (entries,), (length, length))

    return Array((), lambda _: at(), span=span)


def between_bars(e: Elaborator, content: Node, matrix: Array, span: Span) -> Array:
    r"""`|A|`: a determinant, where A is certainly a square matrix; else the entries without their signs may be meant.

    It is one where the document writes determinants, and where an inverse or an identity stands between the bars.
    """
    square = matrix.rank == 2 and e.sizes.index(matrix.shape[0]) is e.sizes.index(matrix.shape[1])
    letters = e.overlay.keys() | e.table.names.index_letters
    names = [w.stem for w in uses(e.table.names, content) if w.stem not in letters]
    written = e.table.names.writes_determinants
    of_squares = square and _shows_squares(e, content)
    known = square and (isinstance(content, Matrix) or (names and all(_is_settled(e, stem) for stem in names)))
    if matrix.rank != 2 or not (known or of_squares or written):
        raise NotUnderstood("unknown-notation", "an absolute value of an array is not read", span)
    settled = DETERMINANT_OF if written or of_squares else None
    if e.choose("bars", content, (DETERMINANT_OF, "the entries without signs"), settled, even=True) != DETERMINANT_OF:
        return arrays.elementwise(arrays.applied("abs"), matrix)
    return determinant(e, matrix, span)


def _shows_squares(e: Elaborator, content: Node) -> bool:
    r"""Whether an inverse or an identity stands in it, as in `|K + \sigma^2 I|`: nobody takes signs from those."""
    names = (n for n in walk(content) if isinstance(n, Name | Scripted))
    return any(is_identity(n) or ((w := e.table.names.written(n)) is not None and _is_inverse(w)) for n in names)


def _is_inverse(w: Written) -> bool:
    return is_upper(w.stem) and not w.slots and isinstance(w.power, Prefix)


def _is_settled(e: Elaborator, stem: str) -> bool:
    known = e.table.find_stem(stem)
    if known is not None and not known.dims and known.parameters is None:
        return True  # a number
    return stem in e.table.declared or stem in e.table.names.sizes or (known is not None and known.defined)


def _leibniz_sum(matrix: Array, rows: int) -> Term:
    entries = {(i, j): matrix.at((Index.of(i), Index.of(j))) for i in range(rows) for j in range(rows)}
    found = []
    for columns in permutations(range(rows)):
        product = times(*(entries[place] for place in enumerate(columns)))
        found.append(product if _sign(columns) > 0 else arrays.minus(product))
    return plus(*found)


def _sign(columns: tuple[int, ...]) -> int:
    return prod(-1 for j, a in enumerate(columns) for b in columns[:j] if b > a)
