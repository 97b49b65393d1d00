r"""Determinants: of products, of the identity and a few columns, of multiples, for all sizes."""

from __future__ import annotations

import pytest
from studied import statuses

GIVEN = (
    r"Let $A, B \in \mathbb{R}^{n \times n}$ with $A$ invertible, $u, v \in \mathbb{R}^n$, $c \in \mathbb{R}$, "
    r"$U \in \mathbb{R}^{m \times k}$, $V \in \mathbb{R}^{k \times m}$ and $\lambda > 0$. "
)
PROVED = {
    "a product": r"$$\det(AB) = \det(A) \det(B)$$",
    "a multiple": r"$$\det(cA) = c^n \det(A)$$",
    "a transpose": r"$$\det(A^\top) = \det(A)$$",
    "a square": r"$$\det(A^\top A) = \det(A)^2$$",
    "the identity": r"$$\det(I_n) = 1, \qquad \det(2 I_n) = 2^n$$",
    "one column beside a matrix": r"$$\det(A + u v^\top) = (1 + v^\top A^{-1} u) \det(A)$$",
    "one column beside the identity": r"$$\det(I - \beta u u^\top) = 1 - \beta \|u\|^2$$",
    "an exchange": r"$$\det(I_m + UV) = \det(I_k + VU)$$",
    "an exchange with a number": r"$$\det(\lambda I_m + U U^\top) = \lambda^m \det\left(I_k + \tfrac{1}{\lambda} U^\top U\right)$$",
    "a logarithm": r"$$\log\det(I + u u^\top) = \log(1 + \|u\|^2)$$",
}
REFUTED = {
    "a multiple with one factor": r"$$\det(cA) = c \det(A)$$",
    "a wrong sign": r"$$\det(A + u v^\top) = (1 - v^\top A^{-1} u) \det(A)$$",
}


@pytest.mark.parametrize("name", PROVED)
def test_is_proved(name: str) -> None:
    assert set(statuses(GIVEN + PROVED[name])[1:]) == {"proved"}


@pytest.mark.parametrize("name", REFUTED)
def test_is_refuted(name: str) -> None:
    assert statuses(GIVEN + REFUTED[name])[-1] == "refuted"
