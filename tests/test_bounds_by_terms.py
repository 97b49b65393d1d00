r"""Bounds shown term by term: norms against one another, means under weights, entropies; and twins that are false."""

from __future__ import annotations

import pytest

from derivations.documents import read_text
from derivations.provers.decide import decide
from derivations.study.claims import study

VECTORS = r"Let $x, y \in \mathbb{R}^n$, $A \in \mathbb{R}^{m \times n}$ and $B \in \mathbb{R}^{n \times p}$. "
WEIGHTS = r"Let $x, p \in \mathbb{R}^n$ with $p_i > 0$ and $\sum_{i=1}^n p_i = 1$. $$H = -\sum_{i=1}^n p_i \log p_i$$ "
SOFTMAX = (
    r"Let $z \in \mathbb{R}^n$ and $v \in \mathbb{R}^{n \times d}$. $$w_i = \frac{e^{z_i}}{\sum_{j=1}^n e^{z_j}}$$ "
    r"$$S = -\sum_{i=1}^n w_i \log w_i$$ $$o_b = \sum_{i=1}^n w_i v_{ib}$$ "
)
SIGMOID = r"Let $\sigma(u) = 1 / (1 + e^{-u})$. "

TRUE = {
    "2-norm below 1-norm": (VECTORS, r"\|x\|_2 \le \|x\|_1"),
    "1-norm below 2-norm": (VECTORS, r"\|x\|_1 \le \sqrt{n} \|x\|_2"),
    "2-norm below the largest entry": (VECTORS, r"\|x\|_2 \le \sqrt{n} \|x\|_\infty"),
    "Cauchy for each row": (VECTORS, r"\|A x\| \le \|A\|_F \|x\|"),
    "Frobenius norm of a product": (VECTORS, r"\|A B\|_F \le \|A\|_F \|B\|_F"),
    "entropy": (WEIGHTS, r"H \ge 0"),
    "exponential of the entropy": (WEIGHTS, r"e^{H} \le n"),
    "squares of weights": (WEIGHTS, r"\sum_{i=1}^n p_i^2 \le 1"),
    "least sum of squares": (WEIGHTS, r"\sum_{i=1}^n p_i^2 \ge \frac{1}{n}"),
    "mean below the largest": (WEIGHTS, r"\sum_{i=1}^n p_i x_i \le \max_k x_k"),
    "mean above the least": (WEIGHTS, r"\min_k x_k \le \sum_{i=1}^n p_i x_i"),
    "entropy of a softmax": (SOFTMAX, r"S \ge 0"),
    "largest entropy of a softmax": (SOFTMAX, r"S \le \log n"),
    "mean under a softmax": (SOFTMAX, r"o_b \le \max_k v_{kb}"),
    "squares of a softmax": (SOFTMAX, r"\sum_{i=1}^n w_i^2 \le 1"),
    "slope of a sigmoid": (SIGMOID, r"\sigma'(u) \le \frac{1}{4}"),
    "an interval without its lower end": (r"For $p_1, \dots, p_n \in (0, 1]$ this holds. ", r"\sum_{i=1}^n p_i \le n"),
}
FALSE = {
    "1-norm below 2-norm": (VECTORS, r"\|x\|_1 \le \|x\|_2"),
    "2-norm below a fraction": (VECTORS, r"\|x\|_2 \le \frac{1}{2} \|x\|_1"),
    "norm by the largest entry": (VECTORS, r"\|x\|_2 \le \|x\|_\infty"),
    "norm of a product": (VECTORS, r"\|A\|_F \|x\| \le \|A x\|"),
    "entropy": (WEIGHTS, r"H \ge 1"),
    "squares of weights": (WEIGHTS, r"\sum_{i=1}^n p_i^2 \le \frac{1}{n}"),
    "mean below the least": (WEIGHTS, r"\sum_{i=1}^n p_i x_i \le \min_k x_k"),
    "entropy of a softmax": (SOFTMAX, r"S \ge \log n"),
    "slope of a sigmoid": (SIGMOID, r"\sigma'(u) \le \frac{1}{5}"),
}


def last_status(setup: str, claim: str) -> str:
    found = study(read_text(f"{setup}We have $${claim}.$$", "x.md"), decide=decide)
    return found[-1].status


@pytest.mark.parametrize("name", TRUE)
def test_is_proved(name: str) -> None:
    assert last_status(*TRUE[name]) == "proved"


@pytest.mark.parametrize("name", FALSE)
def test_is_not_proved(name: str) -> None:
    assert last_status(*FALSE[name]) in ("refuted", "undecided")
