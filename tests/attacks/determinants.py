"""Attacks on the rules of determinants, and of derivatives of determinants and inverses."""

from derivations.kernel.rules.determinants import added_to_identity, at, determinant, product_of_matrices
from derivations.language.term import (
    ONE,
    ZERO,
    Bracket,
    Derivative,
    Entry,
    Index,
    IndexValue,
    Lambda,
    Mul,
    Number,
    Pow,
    Term,
    equal,
    inverse,
    within,
)

from .attempt import Attempt, by, c, e, equation, i, j, k, m, n, p, single, step, total, x, y

A = Lambda(("a", "b"), Entry("A", (Index.var("a"), Index.var("b"))))
B = Lambda(("a", "b"), Entry("B", (Index.var("a"), Index.var("b"))))
AB = product_of_matrices(A, B, n)
WIDE = added_to_identity(product_of_matrices(A, B, m))
TURNED = added_to_identity(product_of_matrices(B, A, n))
SCALED = Lambda(("a", "b"), Mul((x, A.body)))
ONES = Lambda(("a", "b"), ONE)
UNIT = Lambda(("i", "j"), Bracket((equal(i, j),)))
ONE_ROW = Index.of(1)
det = determinant

INSIDE = (*within("i", 0, n), *within("j", 0, n), *within("k", 0, n), *within("p", 0, n))


def by_entry(t: Term) -> Term:
    """The derivative by the entry (k, p) of A."""
    return Derivative("A", (k, p), t)


def of_inverse(sign: int = -1) -> Term:
    """What the law of differentiation makes of the entry (i, j) of the inverse of A."""
    rows, columns = Index.var("a"), Index.var("b")
    factors = (inverse(A, n, i, rows), by_entry(at(A, rows, columns)), inverse(A, n, columns, j))
    return Mul((Number(sign), total(total(Mul(factors), 0, n, "b"), 0, n, "a")))


OF_DETERMINANT = Mul((det(A, n), total(total(Mul((inverse(A, n, Index.var("b"), Index.var("a")), by_entry(at(A, Index.var("a"), Index.var("b"))))), 0, n, "b"), 0, n, "a")))  # fmt: skip

ATTEMPTS = [
    Attempt("deriv: of an inverse, with another sign", "deriv", "found", single("deriv", by_entry(inverse(A, n, i, j)), of_inverse(1), ix="ijkp", given=INSIDE), single("deriv", by_entry(inverse(A, n, i, j)), of_inverse(), ix="ijkp", given=INSIDE)),
    Attempt("deriv: of a determinant, as if it were linear", "deriv", "found", equation(by_entry(det(A, n)), inverse(A, n, p, k), by(step("deriv", by_entry(det(A, n)), inverse(A, n, p, k))), ix="kp", given=INSIDE[4:]), equation(by_entry(det(A, n)), OF_DETERMINANT, by(step("deriv", by_entry(det(A, n)), OF_DETERMINANT)), ix="kp", given=INSIDE[4:])),
    Attempt("deriv: of a determinant that may be 0", "deriv", "invertible", single("deriv", by_entry(det(A, n)), ZERO, ix="kp", given=INSIDE[4:])),
    Attempt("det_product: a sum of matrices", "det_product", "needs", single("det_product", det(Lambda(("a", "b"), A.body + B.body), n), Mul((det(A, n), det(B, n))), left=A, right=B), single("det_product", det(AB, n), Mul((det(A, n), det(B, n))), left=A, right=B)),
    Attempt("det_product: of rectangular matrices", "det_product", "needs", single("det_product", det(product_of_matrices(A, B, m), n), Mul((det(A, n), det(B, n))), left=A, right=B)),
    Attempt("det_product: a factor is lost", "det_product", "found", single("det_product", det(AB, n), det(A, n), left=A, right=B)),
    Attempt("det_product: a size with the name of the inner index", "det_product", "needs", single("det_product", det(Lambda(("a", "b"), total(e("A", Index.var("a"), c) * e("B", c, Index.var("b")), 0, n - c, "c")), n - c), Mul((det(A, n - c), det(B, n - c))), ix="c", given=within("c", 0, n), left=A, right=B)),
    Attempt("det_exchange: without the identity", "det_exchange", "needs", single("det_exchange", det(product_of_matrices(A, B, m), n), det(product_of_matrices(B, A, n), m), left=A, right=B, inner=m), single("det_exchange", det(WIDE, n), det(TURNED, m), left=A, right=B, inner=m)),
    Attempt("det_exchange: with the size of before", "det_exchange", "found", single("det_exchange", det(WIDE, n), det(TURNED, n), left=A, right=B, inner=m)),
    Attempt("det_scale: one power", "det_scale", "found", single("det_scale", det(SCALED, n), Mul((x, det(A, n))), factor=x, matrix=A), single("det_scale", det(SCALED, n), Mul((Pow(x, IndexValue(n)), det(A, n))), factor=x, matrix=A)),
    Attempt("det_scale: another factor", "det_scale", "needs", single("det_scale", det(SCALED, n), Mul((Pow(y, IndexValue(n)), det(A, n))), factor=y, matrix=A)),
    Attempt("det_scale: of a matrix with a negative number of rows", "det_scale", ">= 0", equation(ONE, Pow(x, IndexValue(n - m)), by(step("det_identity", ONE, det(UNIT, n - m), back=True), step("bracket_congr", UNIT.body, ZERO, (0,)), step("ring", ZERO, Mul((x, ZERO)), (0,)), step("bracket_congr", ZERO, UNIT.body, (0, 1), back=True), step("det_scale", det(Lambda(("i", "j"), Mul((x, UNIT.body))), n - m), Mul((Pow(x, IndexValue(n - m)), det(UNIT, n - m))), factor=x, matrix=UNIT), step("det_identity", det(UNIT, n - m), ONE, (1,)), step("ring", Mul((Pow(x, IndexValue(n - m)), ONE)), Pow(x, IndexValue(n - m)))), given=(equal(m, n + 1),))),
    Attempt("det_transpose: of one column", "det_transpose", "needs", single("det_transpose", det(Lambda(("a", "b"), e("A", Index.var("b"), Index.of(0))), n), det(A, n), matrix=A), single("det_transpose", det(Lambda(("b", "a"), A.body), n), det(A, n), matrix=A)),
    Attempt("det_transpose: with another sign", "det_transpose", "found", single("det_transpose", det(Lambda(("b", "a"), A.body), n), Mul((Number(-1), det(A, n))), matrix=A)),
    Attempt("det_identity: of ones", "det_identity", "needs", single("det_identity", det(ONES, n), ONE), single("det_identity", det(UNIT, n), ONE)),
    Attempt("det_identity: as its trace", "det_identity", "found", single("det_identity", det(UNIT, n), IndexValue(n))),
    Attempt("det_one: of more rows", "det_one", "one row", single("det_one", det(A, n), e("A", 0, 0)), single("det_one", det(A, ONE_ROW), at(A, Index.of(0), Index.of(0)))),
    Attempt("det_one: another entry", "det_one", "found", single("det_one", det(A, ONE_ROW), ZERO)),
]  # fmt: skip
