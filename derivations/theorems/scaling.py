"""Where the scale 1/sqrt(d) may stand."""

from __future__ import annotations

from sympy import IndexedBase, Le, Rational, exp, sqrt, symbols

from derivations.api import Definition, Random, expectation, maximum, variance
from derivations.theorems.row import Refuted, Theorem
from derivations.theorems.symbols import K, Q, Sum, c, d, dot, i, j, k, m, n, sigma

S = IndexedBase("S", shape=(n, m))
VASWANI = "Vaswani et al. 2017, Attention Is All You Need, sec. 3.2.1"

mu, temperature = symbols("mu tau", real=True)
scores = Definition(S[i, j], dot(i, j) / sqrt(d))

q, key = IndexedBase("q", shape=(d,)), IndexedBase("k", shape=(d,))
product = Sum(q[c] * key[c], (c, 0, d - 1))
square = Sum(q[c] * q[c], (c, 0, d - 1))
unit = (Random(q, mean=0, variance=1), Random(key, mean=0, variance=1))
equal_variance = (Random(q, mean=0, variance=sigma**2), Random(key, mean=0, variance=sigma**2))
with_mean = (Random(q, mean=mu, variance=1), Random(key, mean=mu, variance=1))
logits = IndexedBase("s", shape=(n,))
largest = maximum(logits[k], (k, 0, n - 1))

ROWS = (
    Theorem("mean_of_a_dot_product", expectation(product), 0, VASWANI + ", footnote 4", (), unit),
    Theorem("variance_of_a_dot_product", variance(product), d, VASWANI + ", footnote 4", (), unit),
    Theorem("variance_of_a_scaled_dot_product", variance(product / sqrt(d)), 1, VASWANI, (), unit),
    Theorem(
        "variance_of_a_dot_product_of_equal_variances", variance(product), sigma**4 * d, VASWANI, (), equal_variance
    ),
    Theorem(
        "variance_of_one_product_with_a_mean",
        variance(q[c] * key[c]),
        1 + 2 * mu**2,
        "Goodman 1960, On the exact variance of products, eq. (2)",
        (),
        with_mean,
    ),
    Theorem(
        "largest_weight_does_not_grow_when_scores_shrink",
        exp(largest / temperature) / Sum(exp(logits[k] / temperature), (k, 0, n - 1)),
        exp(largest) / Sum(exp(logits[k]), (k, 0, n - 1)),
        "Hinton, Vinyals, Dean 2015, Distilling the Knowledge in a Neural Network, sec. 2 (temperature)",
        (),
        (Le(1, temperature),),
        "<=",
    ),
    Refuted(
        "variance_of_a_square_is_not_that_of_a_product",
        variance(square),
        d,
        "q and k must be independent; with k = q it depends on the fourth moment",
        (),
        unit[:1],
    ),
    Refuted(
        "variance_one_power_short", variance(product), sigma**2 * d, "both factors bring sigma^2", (), equal_variance
    ),
    Refuted("variance_ignores_the_mean", variance(q[c] * key[c]), 1, "a mean adds 2 mu^2", (), with_mean),
    Theorem(
        "scale_the_query_first",
        Sum(Q[i, c] / sqrt(d) * K[j, c], (c, 0, d - 1)),
        S[i, j],
        VASWANI,
        (scores,),
    ),
    Theorem(
        "fourth_root_on_both_sides",
        Sum(Q[i, c] / d ** Rational(1, 4) * (K[j, c] / d ** Rational(1, 4)), (c, 0, d - 1)),
        S[i, j],
        "Nguyen & Salazar 2019, Transformers without Tears (variants of the scale)",
        (scores,),
    ),
    Refuted(
        "square_root_on_both_sides",
        Sum(Q[i, c] / sqrt(d) * (K[j, c] / sqrt(d)), (c, 0, d - 1)),
        S[i, j],
        "that divides by d",
        (scores,),
    ),
    Theorem(
        "the_largest_score_scales",
        maximum(logits[k] / sqrt(d) - mu, (k, 0, n - 1)),
        largest / sqrt(d) - mu,
        "a maximum commutes with increasing affine maps",
    ),
    Refuted("the_largest_negated_score", maximum(-logits[k], (k, 0, n - 1)), -largest, "that is the smallest score"),
    Refuted("scaled_score_is_the_score", S[i, j], dot(i, j), "only for d = 1", (scores,)),
)
