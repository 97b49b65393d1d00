r"""Counterexamples that have the properties in words, and words that are about something else."""

from __future__ import annotations

import pytest
from studied import statuses

SQUARE = r"Let $A \in \mathbb{R}^{n \times n}$ be "
WALK = (
    r"A graph on $n$ nodes has a symmetric adjacency matrix $A \in \mathbb{R}^{n \times n}$ with nonnegative entries. "
    r"Let $$d_i = \sum_{j=1}^n A_{ij}$$ $$P_{ij} = \frac{A_{ij}}{d_i}$$ $$q_i = \frac{d_i}{\sum_{k=1}^n d_k}$$ "
)
RIDGE = (
    r"Let $X \in \mathbb{R}^{n \times d}$, $y \in \mathbb{R}^n$, $w \in \mathbb{R}^d$ and $$r = y - X w .$$ "
    r"The residuals aren't orthogonal to the columns of $X$. "
)
DOCUMENTS = {
    "a symmetric matrix refutes it": (SQUARE + r"symmetric. Always $$A^\top A = 2 A A^\top .$$", ["refuted"]),
    "it holds for symmetric ones": (SQUARE + r"symmetric. Always $$A^\top A = A A^\top .$$", ["proved"]),
    "an idempotent one refutes it": (SQUARE + r"idempotent. Always $$A^\top A = 2 A A^\top .$$", ["refuted"]),
    "an idempotent one is no example": (SQUARE + r"idempotent. Always $$A^\top A = A A^\top .$$", ["undecided"]),
    "a positive definite one refutes it": (
        SQUARE + r"positive definite. Always $$\sum_{i=1}^n A_{ii} = n .$$",
        ["refuted"],
    ),
    "the kind of a matrix that has a noun": (
        WALK + r"Then $$q_i P_{ij} = q_j P_{ji} .$$",
        ["defined"] * 3 + ["proved"],
    ),
    "a claim with its indices exchanged": (WALK + r"Also $$P_{ij} = P_{ji} .$$", ["defined"] * 3 + ["refuted"]),
    "a relation to columns says nothing of the matrix": (
        RIDGE + r"Then $$X^\top r = X^\top y + X^\top X w .$$",
        ["defined", "refuted"],
    ),
    "no vector is invertible": (
        r"Let $x \in \mathbb{R}^n$, invertible or not, and $s = \sum_{i=1}^n x_i$. Always $$\sum_{i=1}^n x_i = 2 s .$$",
        ["defined", "refuted"],
    ),
    "a vector may be a projection": (
        r"Let $a, b \in \mathbb{R}^n$, and let $p \in \mathbb{R}^n$ be the projection of $b$ onto $a$. Then $$p^\top p = p^\top b .$$",
        ["undecided"],
    ),
    "uniform weights": (
        r"Let $w \in \mathbb{R}^n$ be uniform. Then $$n \sum_{i=1}^n w_i^2 = \left(\sum_{i=1}^n w_i\right)^2 .$$",
        ["undecided"],
    ),
    "a word may be about another matrix": (
        r"Let $Q \in \mathbb{R}^{n \times n}$ be orthogonal and $P \in \mathbb{R}^{n \times n}$ be idempotent. "
        r"Then $$\sum_{i=1}^n \sum_{j=1}^n (Q P)_{ij}^2 = \sum_{i=1}^n \sum_{j=1}^n P_{ij}^2 .$$",
        ["proved"],
    ),
}


@pytest.mark.parametrize(("text", "expected"), DOCUMENTS.values(), ids=list(DOCUMENTS))
def test_said_property(text: str, expected: list[str]) -> None:
    assert statuses(text) == expected
