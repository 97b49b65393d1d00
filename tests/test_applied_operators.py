r"""Operators written before what they are applied to, `T v = r + \gamma P v` for any v, and names told apart by a prime."""

from __future__ import annotations

from studied import statuses

OPERATOR = r"""Let $T_\pi v = r_\pi + \gamma P_\pi v$ for any $v \in \mathbb{R}^n$. For $v, w \in \mathbb{R}^n$ and a number $c$, with
$P_\pi \mathbf{1} = \mathbf{1}$, """


def test_an_operator_is_applied() -> None:
    assert statuses(OPERATOR + r"$$T_\pi v - T_\pi w = \gamma P_\pi (v - w) .$$")[-1] == "proved"
    assert statuses(OPERATOR + r"$$T_\pi (v + c \mathbf{1}) = T_\pi v + \gamma c \mathbf{1} .$$")[-1] == "proved"
    assert statuses(OPERATOR + r"$$T_\pi (v + c \mathbf{1}) = T_\pi v + c \mathbf{1} .$$")[-1] == "refuted"


def test_a_matrix_is_no_operator() -> None:
    text = r"Let $A \in \mathbb{R}^{n \times n}$ with $A x = b - x$ for some $x$. Then $2 A x = 2 b - 2 x$."
    assert statuses(text)[-1] == "proved"
    assert (
        statuses(r"An eigenvector of the linear map $A$ obeys $A v = \lambda v$. Then $A v = 2 \lambda v$.")[-1]
        != "proved"
    )
