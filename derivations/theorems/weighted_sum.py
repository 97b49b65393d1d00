"""The weighted sum of values."""

from __future__ import annotations

from sympy import IndexedBase, MatrixSymbol

from derivations.api import Definition
from derivations.theorems.row import Refuted, Theorem
from derivations.theorems.symbols import Sum, V, c, i, j, m, n, over_keys, v

W = IndexedBase("W", shape=(n, m))
out = IndexedBase("out", shape=(n, v))
shared = IndexedBase("u", shape=(v,))
SOURCE = "Bahdanau, Cho, Bengio 2015, Neural Machine Translation by Jointly Learning to Align and Translate, eq. (5)"

output = Definition(out[i, c], over_keys(W[i, j] * V[j, c], j))
_W, _V = MatrixSymbol("W", n, m), MatrixSymbol("V", m, v)

ROWS = (
    Theorem("weighted_sum_index_form_is_matrix_form", out[i, c], (_W * _V)[i, c], SOURCE, (output,)),
    Theorem(
        "weighted_sum_of_a_shifted_value",
        over_keys(W[i, j] * (V[j, c] + shared[c]), j),
        out[i, c] + shared[c] * over_keys(W[i, j], j),
        SOURCE,
        (output,),
    ),
    Theorem(
        "weighted_sum_exchange",
        Sum(over_keys(W[i, j] * V[j, c], j), (i, 0, n - 1)),
        over_keys(V[j, c] * Sum(W[i, j], (i, 0, n - 1)), j),
        SOURCE,
    ),
    Refuted(
        "weighted_sum_of_a_shifted_value_without_weights",
        over_keys(W[i, j] * (V[j, c] + shared[c]), j),
        out[i, c] + shared[c],
        "needs weights that sum to one",
        (output,),
    ),
)
