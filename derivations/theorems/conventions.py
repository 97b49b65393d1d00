"""The same attention in other notation: tokens in columns, einsum over heads, a loop; and what is not the same."""

from __future__ import annotations

from typing import Any

from sympy import IndexedBase, symbols

from derivations.api import Definition
from derivations.theorems.row import Refuted, Theorem
from derivations.theorems.symbols import K, Q, Sum, V, c, d, exp, h, i, j, k, m, n, r, v

e, t = symbols("e t", integer=True)
heads, w = symbols("H w", integer=True, positive=True)
weights = IndexedBase("A", shape=(n, m))
columns, kept = IndexedBase("B", shape=(m, n)), IndexedBase("C", shape=(m, n))
queries, keys, values = (IndexedBase(name, shape=s) for name, s in (("Q'", (d, n)), ("K'", (d, m)), ("V'", (v, m))))
acc = IndexedBase("acc", shape=(m, v))
p = IndexedBase("p", shape=(m,))
wide_q, wide_k = IndexedBase("q", shape=(n, heads * w)), IndexedBase("k'", shape=(m, heads * w))
scores = IndexedBase("S", shape=(heads, n, m))
VASWANI = "Vaswani et al. 2017, Attention Is All You Need, sec. 3.2"


def row_score(row: Any, column: Any) -> Any:
    """The score with tokens in rows."""
    return exp(Sum(Q[row, c] * K[column, c], (c, 0, d - 1)))


def column_score(row: Any, column: Any) -> Any:
    """The score of key `row` and query `column` with tokens in columns."""
    return exp(Sum(keys[c, row] * queries[c, column], (c, 0, d - 1)))


rows = Definition(weights[i, j], row_score(i, j) / Sum(row_score(i, k), (k, 0, m - 1)))
transposed = (
    Definition(queries[c, i], Q[i, c]),
    Definition(keys[c, j], K[j, c]),
    Definition(values[e, j], V[j, e]),
)
over_keys = Definition(columns[j, i], column_score(j, i) / Sum(column_score(k, i), (k, 0, m - 1)))
over_queries = Definition(kept[j, i], column_score(j, i) / Sum(column_score(j, k), (k, 0, n - 1)))
output = Sum(weights[i, j] * V[j, e], (j, 0, m - 1))
loop = (Definition(acc[0, e], p[0] * V[0, e]), Definition(acc[t, e], acc[t - 1, e] + p[t] * V[t, e], when=t >= 1))
per_head = Definition(scores[h, i, j], Sum(wide_q[i, h * w + r] * wide_k[j, h * w + r], (r, 0, w - 1)))


def mixed(channel: Any) -> Any:
    """The exponential of the scores times one channel of the values."""
    return exp(Sum(Sum(Q[i, c] * K[j, c], (c, 0, d - 1)) * V[j, channel], (j, 0, m - 1)))


ROWS = (
    Theorem(
        "tokens_in_columns_give_the_transposed_output",
        Sum(values[e, j] * columns[j, i], (j, 0, m - 1)),
        output,
        "Phuong and Hutter 2022, Formal Algorithms for Transformers (tokens in columns)",
        (rows, *transposed, over_keys),
    ),
    Theorem(
        "weighted_sum_by_accumulation",
        acc[m - 1, e],
        Sum(p[j] * V[j, e], (j, 0, m - 1)),
        "definition of the weighted sum",
        loop,
    ),
    Theorem(
        "scores_of_all_heads_add_up_to_the_whole_product",
        Sum(scores[h, i, j], (h, 0, heads - 1)),
        Sum(wide_q[i, c] * wide_k[j, c], (c, 0, heads * w - 1)),
        VASWANI,
        (per_head,),
    ),
    Refuted(
        "tokens_in_columns_with_the_softmax_axis_kept",
        Sum(values[e, j] * kept[j, i], (j, 0, m - 1)),
        output,
        "the keys are the first axis now, and the softmax must follow them",
        (rows, *transposed, over_queries),
    ),
    Refuted(
        "values_inside_the_softmax",
        mixed(e) / Sum(mixed(k), (k, 0, v - 1)),
        output,
        "softmax(S V) is not softmax(S) V",
        (rows,),
    ),
)
