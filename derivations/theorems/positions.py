"""Positions: sinusoidal encodings and rotations of pairs of channels (rotary embedding)."""

from __future__ import annotations

from typing import Any

from sympy import IndexedBase, cos, sin, symbols

from derivations.api import Definition
from derivations.theorems.row import Refuted, Theorem
from derivations.theorems.symbols import Sum, i, j, m, n, r

theta, t, s, x, y, u, v = symbols("theta t s x y u v", real=True)
P = IndexedBase("P", shape=(n, 2 * m))
w = IndexedBase("w", shape=(m,))
SINUSOIDAL = "Vaswani et al. 2017, Attention Is All You Need, sec. 3.5"
ROTARY = "Su et al. 2021, RoFormer, sec. 3.2"

even = Definition(P[i, 2 * r], sin(i * w[r]))
odd = Definition(P[i, 2 * r + 1], cos(i * w[r]))


def rotated(a: Any, b: Any, angle: Any) -> tuple[Any, Any]:
    """The pair (a, b) turned by an angle."""
    return a * cos(angle) - b * sin(angle), a * sin(angle) + b * cos(angle)


query, key, turned_key = rotated(x, y, t * theta), rotated(u, v, s * theta), rotated(u, v, (s - t) * theta)
wrong_sign = (x * cos(t * theta) + y * sin(t * theta), x * sin(t * theta) + y * cos(t * theta))

ROWS = (
    Theorem("encoding_pairs_lie_on_a_circle", P[i, 2 * r] ** 2 + P[i, 2 * r + 1] ** 2, 1, SINUSOIDAL, (even, odd)),
    Theorem(
        "encodings_have_equal_length",
        Sum(P[i, r] ** 2, (r, 0, 2 * m - 1)),
        m,
        SINUSOIDAL,
        (even, odd),
    ),
    Theorem(
        "product_of_encodings_depends_on_the_distance",
        Sum(P[i, r] * P[j, r], (r, 0, 2 * m - 1)),
        Sum(cos((i - j) * w[r]), (r, 0, m - 1)),
        SINUSOIDAL,
        (even, odd),
    ),
    Theorem("rotation_keeps_the_length", query[0] ** 2 + query[1] ** 2, x**2 + y**2, ROTARY),
    Theorem(
        "rotated_score_depends_on_the_distance",
        query[0] * key[0] + query[1] * key[1],
        x * turned_key[0] + y * turned_key[1],
        ROTARY,
    ),
    Refuted(
        "rotation_with_a_wrong_sign_keeps_the_length",
        wrong_sign[0] ** 2 + wrong_sign[1] ** 2,
        x**2 + y**2,
        "one of the two sines carries a minus sign",
    ),
)
