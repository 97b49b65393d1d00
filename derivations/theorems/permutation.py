"""Permutation of tokens: self-attention is equivariant, attention over keys and values is invariant.

A permutation `pi` of an axis moves row pi(i) to row i: (P X)_i = X_pi(i) for the matrix P_ij = [pi(i) = j].
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sympy import IndexedBase, KroneckerDelta, exp, sqrt

from derivations.api import Definition, Permutation, indicator
from derivations.theorems.row import Refuted, Theorem
from derivations.theorems.symbols import K as KEYS
from derivations.theorems.symbols import Q as QUERIES
from derivations.theorems.symbols import Sum, c, d, h, i, j, k, m, n, r, v
from derivations.theorems.symbols import V as VALUES

pi = Permutation("pi", n)
rho = Permutation("rho", m)
X = IndexedBase("X", shape=(n, d))
Y = IndexedBase("Y", shape=(d, n))
P = IndexedBase("P", shape=(n, n))
Wq, Wk, Wv = (IndexedBase(name, shape=(d, v)) for name in ("Wq", "Wk", "Wv"))
bq, bk, bv = (IndexedBase(name, shape=(v,)) for name in ("bq", "bk", "bv"))
SOURCE = (
    "Lee et al. 2019, Set Transformer, property 1; Yun et al. 2020, Are Transformers universal approximators, sec. 2"
)

matrix = Definition(P[i, j], KroneckerDelta(pi(i), j))
Rows = Callable[[Any, Any], Any]


def over(term: Any, index: Any, size: Any) -> Any:
    """The sum over an axis."""
    return Sum(term, (index, 0, size - 1))


def self_attention(
    weights: IndexedBase, output: IndexedBase, rows: Rows, *, biases: bool = False, causal: bool = False
) -> tuple[Definition, Definition]:
    """Scaled self-attention with projections on the tokens `rows`: its matrix and its output."""

    def projected(token: Any, channel: Any, weight: Any, bias: Any, inner: Any) -> Any:
        return over(rows(token, inner) * weight[inner, channel], inner, d) + (bias[channel] if biases else 0)

    def score(row: Any, column: Any) -> Any:
        found = over(projected(row, c, Wq, bq, r) * projected(column, c, Wk, bk, r), c, v) / sqrt(v)
        return (indicator(column <= row) if causal else 1) * exp(found)

    return (
        Definition(weights[i, j], score(i, j) / over(score(i, k), k, n)),
        Definition(output[i, c], over(weights[i, j] * projected(j, c, Wv, bv, r), j, n)),
    )


A, B = IndexedBase("A", shape=(n, n)), IndexedBase("B", shape=(n, n))
f, g = IndexedBase("f", shape=(n, v)), IndexedBase("g", shape=(n, v))
plain = self_attention(A, f, lambda token, channel: X[token, channel])
shuffled = self_attention(B, g, lambda token, channel: over(P[token, h] * X[h, channel], h, n))
plain_biased = self_attention(A, f, lambda token, channel: X[token, channel], biases=True)
shuffled_biased = self_attention(B, g, lambda token, channel: X[pi(token), channel], biases=True)
plain_columns = self_attention(A, f, lambda token, channel: Y[channel, token])
shuffled_columns = self_attention(B, g, lambda token, channel: over(Y[channel, h] * P[h, token], h, n))
plain_causal = self_attention(A, f, lambda token, channel: X[token, channel], causal=True)
shuffled_causal = self_attention(B, g, lambda token, channel: X[pi(token), channel], causal=True)


def attend(keys: Rows, values: Rows) -> Any:
    """Attention of query i over the given keys and values, channel c."""

    def score(column: Any) -> Any:
        return exp(over(QUERIES[i, r] * keys(column, r), r, d) / sqrt(d))

    return over(score(j) * values(j, c), j, m) / over(score(j), j, m)


in_order = attend(lambda j, c: KEYS[j, c], lambda j, c: VALUES[j, c])
both_moved = attend(lambda j, c: KEYS[rho(j), c], lambda j, c: VALUES[rho(j), c])
keys_moved = attend(lambda j, c: KEYS[rho(j), c], lambda j, c: VALUES[j, c])

ROWS = (
    Theorem("permutation_matrix_is_orthogonal", over(P[k, i] * P[k, j], k, n), KroneckerDelta(i, j), SOURCE, (matrix,)),
    Theorem("permutation_keeps_sums", over(X[pi(i), c], i, n), over(X[i, c], i, n), SOURCE),
    Theorem(
        "attention_matrix_of_permuted_tokens",
        B[i, j],
        over(over(P[i, r] * A[r, k] * P[j, k], k, n), r, n),
        SOURCE,
        (matrix, *plain, *shuffled),
    ),
    Theorem(
        "self_attention_is_equivariant",
        g[i, c],
        over(P[i, k] * f[k, c], k, n),
        SOURCE,
        (matrix, *plain, *shuffled),
    ),
    Theorem(
        "self_attention_with_biases_is_equivariant", g[i, c], f[pi(i), c], SOURCE, (*plain_biased, *shuffled_biased)
    ),
    Theorem(
        "self_attention_in_columns_is_equivariant",
        g[i, c],
        over(f[k, c] * P[k, i], k, n),
        SOURCE,
        (matrix, *plain_columns, *shuffled_columns),
    ),
    Theorem("attention_ignores_the_order_of_keys_and_values", both_moved, in_order, SOURCE),
    Refuted("keys_cannot_be_permuted_alone", keys_moved, in_order, "the values must move with their keys"),
    Refuted(
        "self_attention_is_not_invariant", g[i, c], f[i, c], "the output is permuted too", (matrix, *plain, *shuffled)
    ),
    Refuted(
        "causal_self_attention_is_not_equivariant",
        g[i, c],
        f[pi(i), c],
        "the mask depends on the order of the tokens",
        (*plain_causal, *shuffled_causal),
    ),
)
