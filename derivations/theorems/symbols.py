"""The symbols that the rows share: n queries and m keys of length d, values of length v, tokens in rows."""

from __future__ import annotations

from sympy import IndexedBase, Sum, exp, symbols
from sympy.core.expr import Expr

h, i, j, k, r, c = symbols("h i j k r c", integer=True)
n, m, d, v = symbols("n m d v", integer=True, positive=True)
sigma = symbols("sigma", real=True)

Q = IndexedBase("Q", shape=(n, d))
K = IndexedBase("K", shape=(m, d))
V = IndexedBase("V", shape=(m, v))


def dot(row: Expr, column: Expr, keys: IndexedBase = K, queries: IndexedBase = Q) -> Expr:
    """The score `sum_c Q[row, c] K[column, c]`."""
    return Sum(queries[row, c] * keys[column, c], (c, 0, d - 1))


def over_keys(term: Expr, index: Expr = k, size: Expr = m) -> Expr:
    """The sum over all keys."""
    return Sum(term, (index, 0, size - 1))


__all__ = ["K", "Q", "Sum", "V", "c", "d", "dot", "exp", "h", "i", "j", "k", "m", "n", "over_keys", "r", "sigma", "v"]
