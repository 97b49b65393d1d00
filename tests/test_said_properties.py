r"""Counterexamples that have the properties in words, and words that are about something else."""

from __future__ import annotations

import pytest

from derivations.documents import read_text
from derivations.provers.decide import decide
from derivations.study.claims import study


def statuses(text: str) -> list[str]:
    found = study(read_text(text, "x.md"), decide=decide)
    return [f.status for f in found if f.kind not in ("shape", "prose")]


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
    "no vector is symmetric": (
        r"Let $x \in \mathbb{R}^n$, symmetric around its mean, and $s = \sum_{i=1}^n x_i$. Always $$\sum_{i=1}^n x_i = 2 s .$$",
        ["defined", "refuted"],
    ),
}


@pytest.mark.parametrize(("text", "expected"), DOCUMENTS.values(), ids=list(DOCUMENTS))
def test_said_property(text: str, expected: list[str]) -> None:
    assert statuses(text) == expected
