"""Matrices that are written out, entry by entry; one with a single row stands beside vectors as a row."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derivations.language.term import Case, Index, Term, equal, guard
from derivations.latex.elaborator.joined_lists import Members, is_told, join, separator_of
from derivations.latex.lexicon.arrays import Array, At, NotUnderstood
from derivations.latex.syntax.surface import Adjacent, Matrix, Span, starts_with_digit

if TYPE_CHECKING:
    from derivations.latex.elaborator.elaborate import Elaborator
    from derivations.latex.elaborator.indices import Scope


def of_cells(e: Elaborator, node: Matrix, scope: Scope) -> Array:
    """The array of the entries that a matrix is written with; raises `NotUnderstood` where the rows differ in length."""
    for n in (n for row in node.rows for n in row if isinstance(n, Adjacent)):
        if sum(map(starts_with_digit, n.items)) > 1:  # `1 \ 2` may be two entries
            raise NotUnderstood("unknown-notation", "numbers beside each other in an entry of a matrix", n.span)
    rows = [[e.value(n, scope) for n in row] for row in node.rows]
    width = len(rows[0])
    if any(len(r) != width for r in rows):
        raise NotUnderstood("shape-conflict", "the rows of this matrix have different lengths", node.span)
    if (whole := _joined(e, node, rows)) is not None:
        return whole
    if any(cell.rank for r in rows for cell in r):
        raise NotUnderstood("unknown-notation", "a matrix of arrays is not read", node.span)
    tall = e.sizes.declared(Index.of(len(rows)))
    wide = e.sizes.declared(Index.of(width))

    def at(where: At) -> Term:
        i, j = where
        cells = [(r, c, cell) for r, row in enumerate(rows) for c, cell in enumerate(row)]
        if i.is_constant and j.is_constant and 0 <= i.const < len(rows) and 0 <= j.const < width:
            return rows[i.const][j.const].at(())
        *most, (_, _, final) = cells
        return Case([(guard(equal(i, r), equal(j, c)), cell.at(())) for r, c, cell in most], final.at(()))

    if width == 1:
        return Array((tall,), lambda w: at((w[0], Index.of(0))), "column", node.span)
    return Array((tall, wide), at, span=node.span)


def _joined(e: Elaborator, node: Matrix, rows: list[list[Array]]) -> Array | None:
    """The vectors or matrices of one row or one column, where more than a habit tells that they are such."""
    cells = [cell for row in rows for cell in row]
    single = len(rows) == 1 or all(len(row) == 1 for row in rows)
    ranks = {cell.rank for cell in cells}
    if not single or len(cells) < 2 or ranks not in ({1}, {2}):
        return None
    if not (node.ruled or all(is_told(e, n) for n in node.parts)):
        return None
    return join(e, Members(tuple(cells), False, separator_of(node), node.ruled, node), node.span)


def with_one_row(e: Elaborator, a: Array, b: Array, span: Span) -> Array | None:
    """A matrix of one row times a vector is a number, a column times such a matrix the matrix of all products."""
    if a.rank == 2 and _has_one_row(e, a):
        made = e.contract(a, b, span)
        return Array((), lambda _: made.at((Index.of(0),)), span=span)
    if b.rank == 2 and a.orient == "column" and _has_one_row(e, b):
        return e.outer(a, Array(b.shape[1:], lambda at: b.at((Index.of(0), *at)), "row", b.span), span)
    return None


def _has_one_row(e: Elaborator, matrix: Array) -> bool:
    rows = matrix.shape[0]
    return e.sizes.is_known(rows) and e.sizes.index(rows) is Index.of(1)
