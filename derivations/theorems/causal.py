"""Causal attention: the indicator [j <= i] inside the softmax."""

from __future__ import annotations

from typing import Any

from sympy import Eq, Idx, IndexedBase, KroneckerDelta, Piecewise, exp, oo

from derivations.api import Definition, indicator
from derivations.theorems.row import Refuted, Theorem, Undefined
from derivations.theorems.symbols import Q, Sum, c, d, dot, i, j, k, m, n, r, v

K = IndexedBase("K", shape=(n, d))
V = IndexedBase("V", shape=(n, v))
A = IndexedBase("A", shape=(n, n))
F = IndexedBase("F", shape=(n, n))
M = IndexedBase("M", shape=(n, n))
out = IndexedBase("out", shape=(n, v))
SOURCE = "Vaswani et al. 2017, Attention Is All You Need, sec. 3.2.3 (masking in the decoder)"


prefix = Idx("j", (0, m - 1))
K_later, V_later = IndexedBase("K'", shape=(n, d)), IndexedBase("V'", shape=(n, v))
A_later, out_later = IndexedBase("A'", shape=(n, n)), IndexedBase("out'", shape=(n, v))
B = IndexedBase("B", shape=(n, n))


def masked(row: Any, column: Any) -> Any:
    """The score, minus infinity above the diagonal."""
    return Piecewise((dot(row, column, K), column <= row), (-oo, True))


def tokens(term: object, index: object = k) -> object:
    """The sum over all tokens."""
    return Sum(term, (index, 0, n - 1))


causal = Definition(
    A[i, j],
    indicator(j <= i) * exp(dot(i, j, K)) / tokens(indicator(k <= i) * exp(dot(i, k, K))),
)
full = Definition(F[i, j], exp(dot(i, j, K)) / tokens(exp(dot(i, k, K))))
renormalised = Definition(M[i, j], indicator(j <= i) * F[i, j] / tokens(indicator(k <= i) * F[i, k]))
output = Definition(out[i, c], tokens(A[i, j] * V[j, c], j))

causal_later = Definition(
    A_later[i, j],
    indicator(j <= i) * exp(dot(i, j, K_later)) / tokens(indicator(k <= i) * exp(dot(i, k, K_later))),
)
output_later = Definition(out_later[i, c], tokens(A_later[i, j] * V_later[j, c], j))
strict = Definition(
    B[i, j],
    indicator(j < i) * exp(dot(i, j, K)) / tokens(indicator(k < i) * exp(dot(i, k, K))),
)

ROWS = (
    Theorem("causal_rows_sum_to_one", tokens(A[i, j], j), 1, SOURCE, (causal,)),
    Theorem("causal_zero_above_the_diagonal", A[i, j], 0, SOURCE, (causal,), (j > i,)),
    Theorem("causal_first_row", A[0, j], KroneckerDelta(j, 0), SOURCE, (causal,)),
    Theorem("causal_first_output_is_first_value", out[0, c], V[0, c], SOURCE, (causal, output)),
    Theorem("causal_prefix_sum", Sum(A[i, j], (j, 0, i)), 1, SOURCE, (causal,)),
    Theorem(
        "causal_mask_then_renormalise",
        M[i, j],
        A[i, j],
        "Raschka 2024, Build a Large Language Model (From Scratch), sec. 3.5.1",
        (causal, full, renormalised),
    ),
    Theorem(
        "causal_indicator_is_the_softmax_of_masked_scores",
        exp(masked(i, j)) / tokens(exp(masked(i, k))),
        A[i, j],
        SOURCE,
        (causal,),
    ),
    Theorem(
        "causal_output_ignores_later_tokens",
        out_later[i, c],
        out[i, c],
        SOURCE,
        (causal, output, causal_later, output_later),
        (i < m, Eq(K_later[prefix, r], K[prefix, r]), Eq(V_later[prefix, c], V[prefix, c])),
    ),
    Undefined(
        "strictly_causal_rows_sum_to_one",
        tokens(B[i, j], j),
        1,
        "the first token has nothing to attend to: 0/0 at i = 0",
        (strict,),
    ),
    Refuted(
        "causal_columns_sum_to_one",
        Sum(A[i, j], (i, 0, n - 1)),
        1,
        "column j collects weight from every later row",
        (causal,),
    ),
    Refuted(
        "causal_mask_without_renormalising",
        indicator(j <= i) * F[i, j],
        A[i, j],
        "the masked weights of a row no longer sum to one",
        (causal, full),
    ),
)

__all__ = ["ROWS", "Q"]
