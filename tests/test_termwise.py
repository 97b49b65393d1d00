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
