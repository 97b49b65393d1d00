"""Uniform averaging over the past: three ways to the same prefix mean."""

from __future__ import annotations

from typing import Any

from sympy import IndexedBase, Piecewise, exp, oo

from derivations.api import Definition, indicator
from derivations.theorems.row import Refuted, Theorem
from derivations.theorems.symbols import Sum, c, d, i, j, k, n

X = IndexedBase("X", shape=(n, d))
W = IndexedBase("W", shape=(n, n))
L = IndexedBase("L", shape=(n, n))
M = IndexedBase("M", shape=(n, n))
cumulative = IndexedBase("C", shape=(n, d))
SOURCE = "Karpathy 2023, Let's build GPT (the mathematical trick in self-attention)"


def masked_zero(row: Any, column: Any) -> Any:
    """0 on and below the diagonal, minus infinity above."""
    return Piecewise((0, column <= row), (-oo, True))


lower = Definition(L[i, j], indicator(j <= i))
normalised = Definition(W[i, j], L[i, j] / Sum(L[i, k], (k, 0, n - 1)))
softmax_of_mask = Definition(M[i, j], exp(masked_zero(i, j)) / Sum(exp(masked_zero(i, k)), (k, 0, n - 1)))
running = Definition(cumulative[i, c], Sum(X[j, c], (j, 0, i)))

ROWS = (
    Theorem("masked_zeros_give_uniform_weights", M[i, j], indicator(j <= i) / (i + 1), SOURCE, (softmax_of_mask,)),
    Theorem("normalised_lower_triangle_is_uniform", W[i, j], indicator(j <= i) / (i + 1), SOURCE, (lower, normalised)),
    Theorem(
        "softmax_of_mask_is_the_normalised_triangle", M[i, j], W[i, j], SOURCE, (lower, normalised, softmax_of_mask)
    ),
    Theorem(
        "prefix_mean_is_a_product_with_uniform_weights",
        Sum(W[i, j] * X[j, c], (j, 0, n - 1)),
        Sum(X[j, c], (j, 0, i)) / (i + 1),
        SOURCE,
        (lower, normalised),
    ),
    Theorem(
        "lower_triangle_times_values_is_the_cumulative_sum",
        Sum(L[i, j] * X[j, c], (j, 0, n - 1)),
        cumulative[i, c],
        SOURCE,
        (lower, running),
    ),
    Refuted(
        "prefix_mean_divides_by_the_index",
        Sum(W[i, j] * X[j, c], (j, 0, n - 1)),
        Sum(X[j, c], (j, 0, i)) / (i + 2),
        "counted from 0, the first i rows and row i are i + 1 rows",
        (lower, normalised),
    ),
    Refuted(
        "prefix_mean_over_all_tokens",
        Sum(W[i, j] * X[j, c], (j, 0, n - 1)),
        Sum(X[j, c], (j, 0, n - 1)) / n,
        "only the last row averages everything",
        (lower, normalised),
    ),
)
