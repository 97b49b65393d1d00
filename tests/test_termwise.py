"""Sums that are equal term by term."""

from __future__ import annotations

import pytest

from derivations.documents import read_text
from derivations.provers.decide import decide
from derivations.study.claims import study

SIGMOID = r"For $u, t \in \mathbb{R}^n$ we have "
STATEMENTS = {
    "two forms of the sigmoid": r"$\sum_{i=1}^n \frac{e^{u_i}}{1+e^{u_i}} = \sum_{i=1}^n \frac{1}{1+e^{-u_i}}$",
    "beside other sums": (
        r"$\sum_{i=1}^n \left(\frac{e^{u_i}}{1+e^{u_i}} - t_i\right) = \sum_{i=1}^n \left(\frac{1}{1+e^{-u_i}} - t_i\right)$"
    ),
    "two sums": (
        r"$\sum_{i=1}^n \frac{e^{u_i}}{1+e^{u_i}} + 2 \sum_{i=1}^n \frac{t_i^2 e^{t_i}}{1+e^{t_i}} = "
        r"\sum_{i=1}^n \frac{1}{1+e^{-u_i}} + 2 \sum_{i=1}^n \frac{t_i^2}{1+e^{-t_i}}$"
    ),
}


@pytest.mark.parametrize("formula", STATEMENTS.values(), ids=STATEMENTS)
def test_equal_terms_make_equal_sums(formula: str) -> None:
    (f,) = study(read_text(SIGMOID + formula, "x.md"), decide=decide)
    assert f.status == "proved"


@pytest.mark.parametrize(
    "formula",
    [
        r"$\sum_{i=1}^n \frac{e^{u_i}}{1+e^{u_i}} = \sum_{i=2}^n \frac{1}{1+e^{-u_i}}$",
        r"$\sum_{i=1}^n \frac{e^{u_i}}{1+e^{u_i}} = 2 \sum_{i=1}^n \frac{1}{1+e^{-u_i}}$",
        r"$\sum_{i=1}^n \frac{e^{u_i}}{1+e^{u_i}} = \sum_{i=1}^n \frac{1}{1+e^{u_i}}$",
    ],
)
def test_other_sums_are_not(formula: str) -> None:
    (f,) = study(read_text(SIGMOID + formula, "x.md"), decide=decide)
    assert f.status == "refuted"


def test_sums_that_are_equal_together_only() -> None:
    text = r"""For $u, t \in \mathbb{R}^n$ we have
$$\sum_{i=1}^n t_i \frac{e^{-u_i}}{1+e^{-u_i}} - \sum_{i=1}^n \frac{(1 - t_i) e^{u_i}}{1+e^{u_i}}
= \sum_{i=1}^n t_i - \sum_{i=1}^n \frac{1}{1+e^{-u_i}}.$$"""
    (f,) = study(read_text(text, "x.md"), decide=decide)
    assert f.status == "proved"


def test_the_gradient_of_the_cross_entropy_of_sigmoids() -> None:
    text = r"""Let $w \in \mathbb{R}^D$ and $X \in \mathbb{R}^{N \times D}$ with rows $x_n$, and $t \in \mathbb{R}^N$. With
$\sigma(a) = \frac{1}{1+e^{-a}}$ and $p_n = \sigma(w^\top x_n)$ the loss is
$$E(w) = -\sum_{n=1}^{N}\left[t_n\log p_n+(1-t_n)\log(1-p_n)\right].$$
Hence
$$\nabla_w E(w) = X^\top(p-t).$$"""
    assert study(read_text(text, "x.md"), decide=decide)[-1].status == "proved"
