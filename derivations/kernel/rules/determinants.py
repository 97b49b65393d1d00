"""Rules of determinants: of products, of the identity and what is added to it, of multiples, of matrices with one row."""

from __future__ import annotations

from collections.abc import Iterable

from derivations.kernel.errors import Refused
from derivations.kernel.linear import entails
from derivations.kernel.rules.requirements import must_agree
from derivations.kernel.rules.table import rule
from derivations.kernel.scope import Scope
from derivations.language.substitution import bound_variables, fresh, rename_apart, substitute
from derivations.language.term import (
    DETERMINANT,
    ONE,
    Add,
    Bracket,
    Entry,
    Index,
    IndexValue,
    Lambda,
    Mul,
    Pow,
    Sum,
    Term,
    at_least,
    equal,
    within,
)

ROW, COLUMN = "i", "j"


@rule()
def det_product(before: Term, after: Term, scope: Scope, left: Lambda, right: Lambda) -> None:
    """det(A B) = det A det B for square matrices of one size."""
    n = _size("det_product", before)
    _must_be_matrices("det_product", left, right)
    must_agree("det_product", determinant(product_of_matrices(left, right, n), n), before)
    must_agree("det_product", Mul((determinant(left, n), determinant(right, n))), after)


@rule()
def det_exchange(before: Term, after: Term, scope: Scope, left: Lambda, right: Lambda, inner: Index) -> None:
    """det(I + A B) = det(I + B A), for an n by m matrix A and an m by n matrix B.

    `inner` is m; where it is not positive, both determinants are 1.
    """
    n = _size("det_exchange", before)
    _must_be_matrices("det_exchange", left, right)
    must_agree("det_exchange", determinant(added_to_identity(product_of_matrices(left, right, inner)), n), before)
    must_agree("det_exchange", determinant(added_to_identity(product_of_matrices(right, left, n)), inner), after)


@rule()
def det_scale(before: Term, after: Term, scope: Scope, factor: Term, matrix: Lambda) -> None:
    """det(c A) = c^n det A for an n by n matrix A and a number c.

    Refuses when n may be negative: then the matrix has no rows, and its determinant is 1.
    """
    n = _size("det_scale", before)
    if not entails(scope.facts, at_least(n, 0)):
        raise Refused("det_scale", f"{n} >= 0", "not known here")
    _must_be_matrices("det_scale", matrix)
    rows, columns = _places(matrix, factor)
    entry = Mul((factor, at(matrix, Index.var(rows), Index.var(columns))))
    must_agree("det_scale", determinant(Lambda((rows, columns), entry), n), before)
    must_agree("det_scale", Mul((Pow(factor, IndexValue(n)), determinant(matrix, n))), after)


@rule()
def det_transpose(before: Term, after: Term, scope: Scope, matrix: Lambda) -> None:
    """det(A^T) = det A."""
    n = _size("det_transpose", before)
    _must_be_matrices("det_transpose", matrix)
    must_agree("det_transpose", determinant(Lambda(matrix.params[::-1], matrix.body), n), before)
    must_agree("det_transpose", determinant(matrix, n), after)


@rule()
def det_identity(before: Term, after: Term, scope: Scope) -> None:
    """det I = 1."""
    n = _size("det_identity", before)
    one = Lambda((ROW, COLUMN), Bracket((equal(Index.var(ROW), Index.var(COLUMN)),)))
    must_agree("det_identity", determinant(one, n), before)
    must_agree("det_identity", ONE, after)


@rule()
def det_one(before: Term, after: Term, scope: Scope) -> None:
    """The determinant of a matrix with one row is its entry."""
    n = _size("det_one", before)
    if n is not Index.of(1):
        raise Refused("det_one", "a matrix with one row", f"{n} of them")
    (matrix,) = before.args  # type: ignore[attr-defined]
    must_agree("det_one", at(matrix, Index.of(0), Index.of(0)), after)


# --- matrices given by their entries ----------------------------------------------------------------------------------


def determinant(matrix: Lambda, n: Index) -> Entry:
    """The determinant of the n by n matrix with these entries."""
    return Entry(DETERMINANT, (), (matrix,), (n, n))


def at(matrix: Lambda, row: Index, column: Index) -> Term:
    """An entry of a matrix."""
    body = rename_apart(matrix.body, {*row.free, *column.free, *matrix.params})
    return substitute(body, dict(zip(matrix.params, (row, column), strict=True)))


def product_of_matrices(left: Lambda, right: Lambda, inner: Index) -> Lambda:
    """The product of two matrices, with this many columns of the left one."""
    rows, columns = _places(left, right, avoid=inner.free)  # how many there are may depend on an index of that name
    used = {rows, columns, *left.free, *right.free, *bound_variables(left.body), *bound_variables(right.body)}
    c = fresh("c", used | {*left.params, *right.params, *inner.free})
    here = Index.var(c)
    factors = (at(left, Index.var(rows), here), at(right, here, Index.var(columns)))
    return Lambda((rows, columns), Sum(c, within(c, 0, inner), Mul(factors)))


def added_to_identity(matrix: Lambda) -> Lambda:
    """The identity and a matrix."""
    row, column = map(Index.var, matrix.params)
    return Lambda(matrix.params, Add((Bracket((equal(row, column),)), matrix.body)))


def _places(*parts: Lambda | Term, avoid: Iterable[str] = ()) -> tuple[str, str]:
    """Names of a row and a column that occur in no part, nor among those to avoid."""
    used: set[str] = set(avoid)
    for p in parts:
        body = p.body if isinstance(p, Lambda) else p
        used |= {*p.free, *bound_variables(body), *(p.params if isinstance(p, Lambda) else ())}
    row = fresh(ROW, used)
    return row, fresh(COLUMN, used | {row})


def _size(rule: str, t: Term) -> Index:
    """The number of rows of the matrix of a determinant."""
    if not isinstance(t, Entry) or t.name != DETERMINANT or t.indices or len(t.args) != 1 or len(t.sizes) != 2:
        raise Refused(rule, "a determinant", str(t))
    if t.sizes[0] is not t.sizes[1] or len(t.args[0].params) != 2:
        raise Refused(rule, "the determinant of a square matrix", str(t))
    return t.sizes[0]


def _must_be_matrices(rule: str, *parts: Lambda) -> None:
    for p in parts:
        if len(p.params) != 2:
            raise Refused(rule, "matrices", f"a tensor with {len(p.params)} indices")
