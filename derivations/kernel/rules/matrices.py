"""Rules of inverse matrices."""

from __future__ import annotations

from typing import Any

from derivations.kernel.errors import Refused
from derivations.kernel.linear import entails_all
from derivations.kernel.rules.requirements import must_agree
from derivations.kernel.rules.table import rule
from derivations.kernel.scope import Scope
from derivations.kernel.sign import invertible
from derivations.language.substitution import bound_variables, fresh, rename_apart, substitute
from derivations.language.term import Bracket, Entry, Guard, Index, Mul, Sum, Term, at_least, equal, guard, less, within


@rule()
def mul_inv_matrix(
    before: Term,
    after: Term,
    scope: Scope,
    matrix: Entry,
    row: Index,
    column: Index,
    right: bool,
    because: tuple[Any, ...] = (),
) -> None:
    """sum(c, M[x, c] * inverse(M)[c, y]) = [x = y] for an invertible M; also for inverse(M) times M.

    `matrix` is any entry of inverse(M), `right` says that the inverse is the right factor, `because` is a chain of
    steps from entry (0, 0) of inverse(M) to one of a matrix that is assumed to be invertible.
    Refuses when the sum is another one, when x or y may be out of range, or when M is not known to be invertible.
    """
    from derivations.kernel.replay import run

    if not isinstance(matrix, Entry) or not matrix.is_inverse:
        raise Refused("mul_inv_matrix", "an entry of the inverse of a square matrix", str(matrix))
    (given,), (length,) = matrix.args, matrix.sizes
    if not entails_all(scope.facts, guard(*within_index(row, length), *within_index(column, length))):
        raise Refused("mul_inv_matrix", f"0 <= {row} < {length} and 0 <= {column} < {length}", "not known here")
    corner: Term = Entry(matrix.name, (0, 0), matrix.args, matrix.sizes)
    if any(not step.path for step in because):  # one entry equal to another says nothing of two matrices
        raise Refused("mul_inv_matrix", "steps inside of the matrix", "a step on an entry of its inverse")
    if because:
        corner = run(corner, because, scope)
    if not invertible(corner, scope):
        raise Refused("mul_inv_matrix", "a matrix that is assumed to be invertible", str(corner))
    free = {*scope.variables, *matrix.free, *row.free, *column.free, *bound_variables(given.body), *given.params}
    c = fresh("c", free)
    body = rename_apart(given.body, {*free, c})

    def at(i: Index, j: Index) -> Term:
        return substitute(body, dict(zip(given.params, (i, j), strict=True)))

    def inverted(i: Index, j: Index) -> Term:
        return Entry(matrix.name, (i, j), matrix.args, matrix.sizes)

    here = Index.var(c)
    factors = (at(row, here), inverted(here, column)) if right else (inverted(row, here), at(here, column))
    must_agree("mul_inv_matrix", Sum(c, within(c, 0, length), Mul(factors)), before)
    must_agree("mul_inv_matrix", Bracket((equal(row, column),)), after)


def within_index(i: Index, length: Index) -> Guard:
    """That an index lies on an axis of this length."""
    return guard(at_least(i, 0), less(i, length))
