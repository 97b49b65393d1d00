"""Inverses of matrices: what holds wherever the matrices are invertible."""

from __future__ import annotations

from typing import Any

from sympy import IndexedBase, KroneckerDelta, symbols

from derivations.api import Definition, inverse_entry
from derivations.theorems.row import Refuted, Theorem
from derivations.theorems.symbols import Sum, i, j, k, m, n

a, b, p, q = symbols("a b p q", integer=True)
lam = symbols("lambda", real=True)
M = IndexedBase("M", shape=(n, n))
N = IndexedBase("N", shape=(n, n))
X = IndexedBase("X", shape=(m, n))
u = IndexedBase("u", shape=(n,))
v = IndexedBase("v", shape=(n,))
hat = IndexedBase("H", shape=(m, m))

HENDERSON = "Henderson and Searle 1981, On deriving the inverse of a sum of matrices"
HASTIE = "Hastie, Tibshirani, Friedman 2009, The Elements of Statistical Learning, sec. 3.2 and 3.4"
HORN = "Horn and Johnson 2013, Matrix Analysis, sec. 0.5"


def inverted(body: Any, length: Any, row: Any, column: Any) -> Any:
    """An entry of the inverse of the matrix with these entries at (a, b)."""
    return inverse_entry(body, (a, b, length), row, column)


def product(left: Any, right: Any) -> Any:
    """sum(k < n; left * right)."""
    return Sum(left * right, (k, 0, n - 1))


gram = Sum(X[p, a] * X[p, b], (p, 0, m - 1))
ridge = gram + lam * KroneckerDelta(a, b)
dual = Sum(X[a, q] * X[b, q], (q, 0, n - 1)) + lam * KroneckerDelta(a, b)
both = Sum(M[a, k] * N[k, b], (k, 0, n - 1))
inner = Sum(v[p] * Sum(inverted(M[a, b], n, p, q) * u[q], (q, 0, n - 1)), (p, 0, n - 1))
left_, right_ = (
    Sum(inverted(M[a, b], n, i, p) * u[p], (p, 0, n - 1)),
    Sum(v[q] * inverted(M[a, b], n, q, j), (q, 0, n - 1)),
)
projection = Definition(
    hat[i, j],
    Sum(
        X[i, p] * Sum(inverted(Sum(X[k, a] * X[k, b], (k, 0, m - 1)), n, p, q) * X[j, q], (q, 0, n - 1)), (p, 0, n - 1)
    ),
)

ROWS = (
    Theorem("inverse_times_matrix", product(inverted(M[a, b], n, i, k), M[k, j]), KroneckerDelta(i, j), HORN),
    Theorem("matrix_times_inverse", product(M[i, k], inverted(M[a, b], n, k, j)), KroneckerDelta(i, j), HORN),
    Theorem(
        "inverse_of_a_product",
        inverted(both, n, i, j),
        Sum(inverted(N[a, b], n, i, p) * inverted(M[a, b], n, p, j), (p, 0, n - 1)),
        HORN,
    ),
    Refuted(
        "inverse_of_a_product_in_the_same_order",
        inverted(both, n, i, j),
        Sum(inverted(M[a, b], n, i, p) * inverted(N[a, b], n, p, j), (p, 0, n - 1)),
        "matrices that do not commute",
    ),
    Refuted(
        "inverse_of_a_sum",
        inverted(M[a, b] + N[a, b], n, i, j),
        inverted(M[a, b], n, i, j) + inverted(N[a, b], n, i, j),
        "M = N = 1",
    ),
    Theorem("inverse_of_the_transpose", inverted(M[b, a], n, i, j), inverted(M[a, b], n, j, i), HORN),
    Theorem(
        "push_through",
        Sum(inverted(ridge, n, i, k) * X[j, k], (k, 0, n - 1)),
        Sum(X[k, i] * inverted(dual, m, k, j), (k, 0, m - 1)),
        HENDERSON,
    ),
    Theorem(
        "sherman_morrison",
        inverted(M[a, b] + u[a] * v[b], n, i, j),
        inverted(M[a, b], n, i, j) - left_ * right_ / (1 + inner),
        HENDERSON,
    ),
    Theorem("hat_matrix_is_idempotent", Sum(hat[i, k] * hat[k, j], (k, 0, m - 1)), hat[i, j], HASTIE, (projection,)),
    Theorem("hat_matrix_keeps_the_columns", Sum(hat[i, k] * X[k, j], (k, 0, m - 1)), X[i, j], HASTIE, (projection,)),
)
