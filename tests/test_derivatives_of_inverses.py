"""Derivatives of inverse matrices and of determinants, by the law for inverses and Jacobi's formula, and false twins."""

from __future__ import annotations

import pytest

from derivations.documents import read_text
from derivations.provers.decide import decide
from derivations.study.claims import study

GIVEN = r"Let $X, C \in \mathbb{R}^{n \times n}$ with $X$ invertible, $y \in \mathbb{R}^n$ and $t \in \mathbb{R}$. "
MOVED = r"(X + t C)^{-1}"
TRUE = (
    r"\nabla_X \operatorname{tr}(C X^{-1}) = -X^{-\top} C^\top X^{-\top}",
    r"\nabla_X \det X = \det(X) X^{-\top}",
    r"\nabla_X \log |\det X| = X^{-\top}",
    r"\frac{\partial}{\partial X} y^\top X^{-1} y = -X^{-\top} y y^\top X^{-\top}",
    rf"\frac{{\partial}}{{\partial t}} \log \det(X + t C) = \operatorname{{tr}}({MOVED} C)",
    rf"\frac{{\partial}}{{\partial t}} {MOVED} = -{MOVED} C {MOVED}",
)
FALSE = (
    r"\nabla_X \operatorname{tr}(C X^{-1}) = -X^{-\top} C X^{-\top}",
    r"\nabla_X \det X = \det(X) X^{-1}",
    r"\nabla_X \log |\det X| = X^{-1}",
    r"\frac{\partial}{\partial X} y^\top X^{-1} y = X^{-\top} y y^\top X^{-\top}",
    r"\frac{\partial}{\partial t} \log \det(X + t C) = \operatorname{tr}(C)",
    rf"\frac{{\partial}}{{\partial t}} {MOVED} = -{MOVED} {MOVED} C",
)


def last(claim: str) -> str:
    return study(read_text(f"{GIVEN}We have $${claim}.$$", "x.md"), decide=decide)[-1].status


@pytest.mark.parametrize("claim", TRUE)
def test_is_proved(claim: str) -> None:
    assert last(claim) == "proved"


@pytest.mark.parametrize("claim", FALSE)
def test_is_refuted(claim: str) -> None:
    assert last(claim) == "refuted"


def test_is_of_one_case_where_the_sentence_says_so() -> None:
    text = (
        r"Let $C, X \in \mathbb{R}^{n \times n}$ and $x \in \mathbb{R}^n$."
        "\n\n"
        r"- $\nabla_x\, x^\top C x = (C + C^\top) x$; for symmetric $C$: $2 C x$"
        "\n"
        r"- $\nabla_X \operatorname{tr}(C X^{-1}) = -X^{-\top} C X^{-\top}$"
    )
    assert study(read_text(text, "x.md"), decide=decide)[-1].status != "proved"
