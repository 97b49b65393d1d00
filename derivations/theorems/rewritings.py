"""What the compiler of array programs rewrites before it writes source: each row is one of its rewritings.

`numeric.rewriting` refers to these rows by name, and the docstring of an emitted function names those that were used.
"""

from __future__ import annotations

from typing import Any

from sympy import IndexedBase, Piecewise, exp, log, oo

from derivations.api import Definition, indicator, maximum
from derivations.theorems.row import Refuted, Theorem
from derivations.theorems.symbols import K, Q, Sum, c, d, dot, i, j, k, m, n, r, sigma

s, x = IndexedBase("s", shape=(n, m)), IndexedBase("x", shape=(n, m))
t, mean = IndexedBase("t", shape=(n,)), IndexedBase("mean", shape=(n,))
GOODFELLOW = "Goodfellow, Bengio, Courville 2016, Deep Learning, sec. 4.1"
CHAN = "Chan, Golub, LeVeque 1983, Algorithms for Computing the Sample Variance, eqs. (1.1) and (1.2)"
VASWANI = "Vaswani et al. 2017, Attention Is All You Need, sec. 3.2.3 (masking in the decoder)"

largest = maximum(s[i, r], (r, 0, m - 1))


def over(term: object, index: object = k) -> object:
    """The sum over the second axis."""
    return Sum(term, (index, 0, m - 1))


def masked(row: Any, column: Any) -> Any:
    """The score, minus infinity above the diagonal."""
    return Piecewise((s[row, column], column <= row), (-oo, True))


def mask(row: Any, column: Any) -> Any:
    """0 on and below the diagonal, minus infinity above."""
    return Piecewise((0, column <= row), (-oo, True))


average = Definition(mean[i], over(x[i, k]) / m)

ROWS = (
    Theorem(
        "softmax_by_the_largest_score",
        exp(s[i, j] - largest) / over(exp(s[i, k] - largest)),
        exp(s[i, j]) / over(exp(s[i, k])),
        GOODFELLOW,
    ),
    Theorem(
        "softmax_of_shifted_scores",
        exp(s[i, j] - t[i]) / over(exp(s[i, k] - t[i])),
        exp(s[i, j]) / over(exp(s[i, k])),
        GOODFELLOW,
    ),
    Theorem(
        "softmax_of_masked_scores",
        exp(masked(i, j)) / over(exp(masked(i, k))),
        indicator(j <= i) * exp(s[i, j]) / over(indicator(k <= i) * exp(s[i, k])),
        VASWANI,
    ),
    Theorem(
        "softmax_of_scores_plus_mask",
        exp(s[i, j] + mask(i, j)) / over(exp(s[i, k] + mask(i, k))),
        indicator(j <= i) * exp(s[i, j]) / over(indicator(k <= i) * exp(s[i, k])),
        VASWANI,
    ),
    Theorem(
        "log_sum_exp_by_the_largest_score",
        log(over(exp(s[i, k] - largest))) + largest,
        log(over(exp(s[i, k]))),
        GOODFELLOW,
    ),
    Theorem(
        "log_sum_exp_of_shifted_scores", log(over(exp(s[i, k] - t[i]))) + t[i], log(over(exp(s[i, k]))), GOODFELLOW
    ),
    Theorem(
        "scale_on_the_first_operand",
        Sum(sigma * Q[i, c] * K[j, c], (c, 0, d - 1)),
        sigma * dot(i, j),
        "linearity of a sum",
    ),
    Theorem(
        "variance_by_centred_squares",
        over((x[i, k] - mean[i]) ** 2) / m,
        over(x[i, k] ** 2) / m - mean[i] ** 2,
        CHAN,
        (average,),
    ),
    Refuted(
        "variance_without_the_square_of_the_mean",
        over((x[i, k] - mean[i]) ** 2) / m,
        over(x[i, k] ** 2) / m,
        "only when the mean is zero",
        (average,),
    ),
)
