"""Several heads: H heads of width w, channel h*w + r of a flattened axis."""

from __future__ import annotations

from sympy import And, IndexedBase, Mod, exp, floor, sqrt, symbols

from derivations.api import Definition
from derivations.theorems.row import Refuted, Theorem
from derivations.theorems.symbols import Sum, c, d, h, i, j, k, n, r

a = symbols("a", integer=True)
H, w = symbols("H w", integer=True, positive=True)
Q = IndexedBase("Q", shape=(n, H * w))
K = IndexedBase("K", shape=(n, H * w))
q, kk, o = (IndexedBase(name, shape=(H, n, w)) for name in ("q", "k'", "o"))
concat = IndexedBase("Concat", shape=(n, H * w))
Wo = IndexedBase("Wo", shape=(H * w, d))
A = IndexedBase("A", shape=(n, n))
B = IndexedBase("B", shape=(n, n))
S = IndexedBase("S", shape=(n, n))
SOURCE = "Vaswani et al. 2017, Attention Is All You Need, sec. 3.2.2"

inside = And(r >= 0, r < w)
joined = Definition(concat[i, h * w + r], o[h, i, r], inside)
split_queries = Definition(q[h, i, r], Q[i, h * w + r])
split_keys = Definition(kk[h, i, r], K[i, h * w + r])


def one_head(scale: object) -> object:
    """Attention weights of head 0 over channels 0..w-1 with this scale."""

    def score(column: object) -> object:
        return exp(Sum(Q[i, c] * K[column, c], (c, 0, w - 1)) / scale)

    return score(j) / Sum(score(k), (k, 0, n - 1))


single = Definition(
    A[i, j],
    exp(Sum(Q[i, c] / sqrt(w) * K[j, c], (c, 0, w - 1)))
    / Sum(exp(Sum(Q[i, c] / sqrt(w) * K[k, c], (c, 0, w - 1))), (k, 0, n - 1)),
)

ROWS = (
    Theorem(
        "concat_times_projection_is_a_sum_over_heads",
        Sum(concat[i, c] * Wo[c, a], (c, 0, H * w - 1)),
        Sum(Sum(o[h, i, r] * Wo[h * w + r, a], (r, 0, w - 1)), (h, 0, H - 1)),
        SOURCE,
        (joined,),
    ),
    Theorem(
        "view_of_a_flattened_axis_is_head_times_width_plus_channel",
        Sum(Q[i, c] * K[j, c], (c, 0, H * w - 1)),
        Sum(Sum(q[h, i, r] * kk[h, j, r], (r, 0, w - 1)), (h, 0, H - 1)),
        "PyTorch documentation, torch.Tensor.view",
        (split_queries, split_keys),
    ),
    Theorem(
        "reshape_by_quotient_and_remainder",
        Sum(Sum(o[h, i, r] * o[h, j, r], (r, 0, w - 1)), (h, 0, H - 1)),
        Sum(o[floor(c / w), i, Mod(c, w)] * o[floor(c / w), j, Mod(c, w)], (c, 0, H * w - 1)),
        "NumPy documentation, numpy.reshape (C order)",
    ),
    Theorem(
        "one_head_with_the_same_scale_is_single_head_attention",
        one_head(sqrt(w)),
        A[i, j],
        SOURCE,
        (single,),
    ),
    Refuted(
        "heads_in_the_wrong_order",
        Sum(concat[i, c] * Wo[c, a], (c, 0, H * w - 1)),
        Sum(Sum(o[h, i, r] * Wo[r * H + h, a], (r, 0, w - 1)), (h, 0, H - 1)),
        "channel h*w + r belongs to head h, not r*H + h",
        (joined,),
    ),
    Refuted(
        "one_head_without_the_scale",
        one_head(1),
        one_head(sqrt(w)),
        "the scale does not cancel",
    ),
)
