"""The weighted sum of values."""

from __future__ import annotations

from sympy import IndexedBase, MatrixSymbol, symbols

from derivations.api import Definition, maximum
from derivations.theorems.row import Refuted, Theorem
from derivations.theorems.symbols import Sum, V, c, exp, i, j, k, m, n, over_keys, v

W = IndexedBase("W", shape=(n, m))
out = IndexedBase("out", shape=(n, v))
shared = IndexedBase("u", shape=(v,))
SOURCE = "Bahdanau, Cho, Bengio 2015, Neural Machine Translation by Jointly Learning to Align and Translate, eq. (5)"

output = Definition(out[i, c], over_keys(W[i, j] * V[j, c], j))
s, p = IndexedBase("s", shape=(m,)), IndexedBase("p", shape=(m,))
convex = IndexedBase("y", shape=(v,))
weights = Definition(p[j], exp(s[j]) / over_keys(exp(s[k])))
convex_sum = Definition(convex[c], over_keys(p[j] * V[j, c], j))
a, b = symbols("a b", integer=True)
batch = IndexedBase("X", shape=(symbols("B", integer=True, positive=True), m, v))
mixed = IndexedBase("Y", shape=(symbols("B", integer=True, positive=True), n, v))
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
    Theorem(
        "weighted_sum_at_most_the_largest_value",
        convex[c],
        maximum(V[k, c], (k, 0, m - 1)),
        "convexity: the weights are positive and sum to one",
        (weights, convex_sum),
        (),
        "<=",
    ),
    Theorem(
        "weighted_sum_at_least_the_smallest_value",
        -maximum(-V[k, c], (k, 0, m - 1)),
        convex[c],
        "convexity: the weights are positive and sum to one",
        (weights, convex_sum),
        (),
        "<=",
    ),
    Theorem(
        "weights_broadcast_over_the_batch",
        over_keys(W[i, j] * batch[b, j, c], j),
        over_keys(batch[b, j, c] * W[i, j], j),
        "NumPy documentation, numpy.matmul (broadcasting)",
    ),
    Theorem(
        "batches_are_independent",
        mixed[a, i, c],
        over_keys(W[i, j] * batch[a, j, c], j),
        "NumPy documentation, numpy.matmul (broadcasting)",
        (Definition(mixed[b, i, c], over_keys(W[i, j] * batch[b, j, c], j)),),
    ),
    Refuted(
        "weighted_sum_of_a_shifted_value_without_weights",
        over_keys(W[i, j] * (V[j, c] + shared[c]), j),
        out[i, c] + shared[c],
        "needs weights that sum to one",
        (output,),
    ),
)
