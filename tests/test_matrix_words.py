r"""Equations of matrices and inverses, proved among words: Woodbury's identity, factors moved through inverses, filters."""

from __future__ import annotations

import pytest

from derivations.documents import read_text
from derivations.provers.decide import decide
from derivations.study.claims import study

RIDGE = r"Let $X \in \mathbb{R}^{n \times d}$, $y \in \mathbb{R}^{n}$ and $\lambda > 0$."
HAT = RIDGE + r" Let $H = X (X^\top X + \lambda I_d)^{-1} X^\top$."
BLOCKS = (
    r"Let $A \in \mathbb{R}^{n \times n}$ and $C \in \mathbb{R}^{m \times m}$ be invertible, and let "
    r"$U \in \mathbb{R}^{n \times m}$ and $V \in \mathbb{R}^{m \times n}$."
)
FILTER = (
    r"Let $P \in \mathbb{R}^{n \times n}$ and $R \in \mathbb{R}^{m \times m}$ be symmetric positive definite and "
    r"$H \in \mathbb{R}^{m \times n}$. Let $S = H P H^\top + R$, $K = P H^\top S^{-1}$ and $G = (I - K H) P$."
)

TWINS: dict[str, tuple[str, str, str]] = {
    "Woodbury's identity": (
        BLOCKS,
        r"(A + U C V)^{-1} = A^{-1} - A^{-1} U (C^{-1} + V A^{-1} U)^{-1} V A^{-1}",
        r"(A + U C V)^{-1} = A^{-1} + A^{-1} U (C^{-1} + V A^{-1} U)^{-1} V A^{-1}",
    ),
    "a factor moved through an inverse": (
        BLOCKS,
        r"(I + U V)^{-1} U = U (I + V U)^{-1}",
        r"(I + U V)^{-1} U = U (I - V U)^{-1}",
    ),
    "the dual form of ridge regression": (
        RIDGE,
        r"(X^\top X + \lambda I_d)^{-1} X^\top y = X^\top (X X^\top + \lambda I_n)^{-1} y",
        r"(X^\top X + \lambda I_d)^{-1} X^\top y = \lambda X^\top (X X^\top + \lambda I_n)^{-1} y",
    ),
    "what a smoother leaves": (
        HAT,
        r"I_n - H = \lambda (X X^\top + \lambda I_n)^{-1}",
        r"I_n - H = (X X^\top + \lambda I_n)^{-1}",
    ),
    "a trace": (
        HAT,
        r"\operatorname{tr}(H) = d - \lambda \operatorname{tr}\big( (X^\top X + \lambda I_d)^{-1} \big)",
        r"\operatorname{tr}(H) = n - \lambda \operatorname{tr}\big( (X^\top X + \lambda I_d)^{-1} \big)",
    ),
    "a symmetric product": (HAT, r"H^\top = H", r"H^\top = -H"),
    "Joseph's form": (
        FILTER,
        r"G = (I - K H) P (I - K H)^\top + K R K^\top",
        r"G = (I - K H) P (I - K H)^\top - K R K^\top",
    ),
    "a gain from what it leads to": (FILTER, r"K = G H^\top R^{-1}", r"K = P H^\top R^{-1}"),
    "the covariance of what is seen": (FILTER, r"G = P - K S K^\top", r"G = P - K R K^\top"),
}


@pytest.mark.parametrize("name", TWINS)
def test_twins(name: str) -> None:
    given, true, false = TWINS[name]
    found = [study(read_text(f"{given} Then\n\n$$ {claim} $$\n", "x.md"), decide=decide)[-1] for claim in (true, false)]
    assert found[0].status == "proved"
    assert found[1].status in ("refuted", "undecided")
