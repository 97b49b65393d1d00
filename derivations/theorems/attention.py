"""The attention matrix: A[i, j] = exp(Q_i . K_j) / sum_k exp(Q_i . K_k), with and without a scale."""

from __future__ import annotations

from sympy import Eq, IndexedBase, MatrixSymbol, exp, sqrt

from derivations.api import Definition, maximum
from derivations.theorems.row import Refuted, Theorem
from derivations.theorems.symbols import K, Q, Sum, c, d, dot, i, j, k, m, n, over_keys, r, sigma, v

A = IndexedBase("A", shape=(n, m))
S = IndexedBase("S", shape=(n, m))
B = IndexedBase("B", shape=(n, m))
C = IndexedBase("C", shape=(n, m))
P = IndexedBase("P", shape=(n, n))
R = IndexedBase("R", shape=(n, n))
shift = IndexedBase("s", shape=(n,))
L = IndexedBase("L", shape=(n, d))
VASWANI = "Vaswani et al. 2017, Attention Is All You Need, sec. 3.2.1, eq. (1)"
GOODFELLOW = "Goodfellow, Bengio, Courville 2016, Deep Learning, sec. 4.1"

plain = Definition(A[i, j], exp(dot(i, j)) / over_keys(exp(dot(i, k))))
scaled = Definition(B[i, j], exp(dot(i, j) / sqrt(d)) / over_keys(exp(dot(i, k) / sqrt(d))))
any_scale = Definition(C[i, j], exp(sigma * dot(i, j)) / over_keys(exp(sigma * dot(i, k))))
self_scores = Definition(P[i, j], exp(dot(i, j, L)) / Sum(exp(dot(i, k, L)), (k, 0, n - 1)))
swapped = Definition(R[i, j], exp(dot(i, j, Q, L)) / Sum(exp(dot(i, k, Q, L)), (k, 0, n - 1)))

top = maximum(dot(i, r), (r, 0, m - 1))
_X, _W = MatrixSymbol("X", n, v), MatrixSymbol("W", v, d)
X, W, b = IndexedBase("X", shape=(n, v)), IndexedBase("W", shape=(v, d)), IndexedBase("b", shape=(d,))
U, H, G = IndexedBase("U", shape=(d, v)), IndexedBase("H", shape=(n, d)), IndexedBase("G", shape=(n, d))
projected = Definition(H[i, c], Sum(X[i, r] * W[r, c], (r, 0, v - 1)) + b[c])
linear_layer = Definition(G[i, c], Sum(X[i, r] * U[c, r], (r, 0, v - 1)) + b[c])

_Q, _K = MatrixSymbol("Q", n, d), MatrixSymbol("K", m, d)

ROWS = (
    Theorem("attention_rows_sum_to_one", over_keys(A[i, j], j), 1, VASWANI, (plain,)),
    Theorem("scaled_attention_rows_sum_to_one", over_keys(B[i, j], j), 1, VASWANI, (scaled,)),
    Theorem("attention_rows_sum_to_one_any_scale", over_keys(C[i, j], j), 1, VASWANI, (any_scale,)),
    Theorem("attention_positive", 0, A[i, j], VASWANI, (plain,), (), "<"),
    Theorem(
        "attention_shift",
        exp(dot(i, j) - shift[i]) / over_keys(exp(dot(i, k) - shift[i])),
        A[i, j],
        GOODFELLOW,
        (plain,),
    ),
    Theorem(
        "scaled_attention_shift",
        exp(dot(i, j) / sqrt(d) - shift[i]) / over_keys(exp(dot(i, k) / sqrt(d) - shift[i])),
        B[i, j],
        GOODFELLOW,
        (scaled,),
    ),
    Theorem(
        "attention_shift_by_the_largest_score",
        exp(dot(i, j) - top) / over_keys(exp(dot(i, k) - top)),
        A[i, j],
        GOODFELLOW,
        (plain,),
    ),
    Theorem("attention_at_most_one", A[i, j], 1, GOODFELLOW, (plain,), (), "<="),
    Theorem("scores_index_form_is_matrix_form", dot(i, j), (_Q * _K.T)[i, j], VASWANI),
    Theorem(
        "attention_index_form_is_matrix_form",
        exp((_Q * _K.T)[i, j]) / over_keys(exp((_Q * _K.T)[i, k])),
        A[i, j],
        VASWANI,
        (plain,),
    ),
    Theorem("attention_ratio_of_two_weights", A[i, j] * exp(dot(i, k)), A[i, k] * exp(dot(i, j)), GOODFELLOW, (plain,)),
    Theorem("projection_index_form_is_matrix_form", (_X * _W)[i, c] + b[c], H[i, c], VASWANI, (projected,)),
    Theorem(
        "linear_layer_is_the_projection_with_transposed_weights",
        G[i, c],
        H[i, c],
        "PyTorch documentation, torch.nn.Linear: y = x A^T + b",
        (projected, linear_layer),
        (Eq(U[c, r], W[r, c]),),
    ),
    Refuted(
        "attention_columns_sum_to_one",
        Sum(A[i, j], (i, 0, n - 1)),
        1,
        "the sum runs over the queries; only rows are normalised",
        (plain,),
    ),
    Refuted(
        "attention_transposed_by_swapping",
        P[i, j],
        R[j, i],
        "A(Q, K) = A(K, Q)^T needs the other normalisation",
        (self_scores, swapped),
    ),
    Refuted("attention_symmetric", P[i, j], P[j, i], "queries and keys play different parts", (self_scores,)),
    Refuted(
        "attention_unscaled_is_scaled",
        A[i, j],
        B[i, j],
        "dividing the scores changes the weights",
        (plain, scaled),
    ),
    Refuted(
        "attention_normalised_over_the_queries",
        exp(dot(i, j)) / Sum(exp(dot(k, j)), (k, 0, n - 1)),
        A[i, j],
        "that normalises columns",
        (plain,),
    ),
    Refuted(
        "attention_below_one",
        A[i, j],
        1,
        "with a single key the weight is 1",
        (plain,),
        (),
        "<",
    ),
    Refuted(
        "scale_by_the_number_of_keys",
        exp(dot(i, j) / sqrt(m)) / over_keys(exp(dot(i, k) / sqrt(m))),
        B[i, j],
        "the scale is the square root of the length of a key",
        (scaled,),
    ),
    Refuted(
        "scale_outside_the_exponential",
        exp(dot(i, j)) / sqrt(d) / over_keys(exp(dot(i, k)) / sqrt(d)),
        B[i, j],
        "a factor outside exp cancels; the scale belongs inside",
        (scaled,),
    ),
)

__all__ = ["ROWS", "A", "B", "K", "Q", "S", "c", "plain", "scaled"]
