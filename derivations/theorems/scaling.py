"""Where the scale 1/sqrt(d) may stand."""

from __future__ import annotations

from sympy import IndexedBase, Rational, sqrt

from derivations.api import Definition
from derivations.theorems.row import Refuted, Theorem
from derivations.theorems.symbols import K, Q, Sum, c, d, dot, i, j, m, n

S = IndexedBase("S", shape=(n, m))
VASWANI = "Vaswani et al. 2017, Attention Is All You Need, sec. 3.2.1"

scores = Definition(S[i, j], dot(i, j) / sqrt(d))

ROWS = (
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
    Refuted("scaled_score_is_the_score", S[i, j], dot(i, j), "only for d = 1", (scores,)),
)
