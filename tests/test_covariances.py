"""Random vectors: matrices of covariances, laws stated by them, moments under what is given, estimators."""

from __future__ import annotations

import pytest
from studied import statuses

from derivations.documents import read_text
from derivations.provers.decide import decide
from derivations.study.claims import study

MODEL = r"Let $X \in \mathbb{R}^{n \times p}$ have full column rank and $y = X\beta + \varepsilon$ with "
WHITE = r"$E[\varepsilon] = 0$ and $\mathrm{Var}(\varepsilon) = \sigma^2 I$. "
LEAST_SQUARES = MODEL + WHITE + r"$$\hat\beta = (X'X)^{-1} X' y$$ "
GIVEN = ["defined", "skipped", "skipped", "defined"]

CASES = {
    "the estimator is unbiased, and its covariances": (
        LEAST_SQUARES + r"$$E[\hat\beta] = \beta$$ $$\mathrm{Var}(\hat\beta) = \sigma^2 (X'X)^{-1}$$",
        [*GIVEN, "proved", "proved"],
    ),
    "a wrong covariance": (
        LEAST_SQUARES + r"$$\mathrm{Var}(\hat\beta) = \sigma (X'X)^{-1}$$",
        [*GIVEN, "refuted"],
    ),
    "residuals": (
        LEAST_SQUARES
        + r"The residuals are $$\hat e = y - X\hat\beta$$ so that $$E[\hat e'\hat e] = \sigma^2 (n - p)$$",
        [*GIVEN, "defined", "proved"],
    ),
    "the same with parentheses, under the given X": (
        MODEL + r"$E(\varepsilon \mid X) = 0$ and $\operatorname{Var}(\varepsilon \mid X) = \sigma^2 I$. "
        r"$$\hat\beta = (X'X)^{-1} X' y$$ $$E(\hat\beta \mid X) = \beta$$",
        [*GIVEN, "proved"],
    ),
    "means of outer products": (
        r"Let $B \in \mathbb{R}^{m \times n}$ and let $\mathbb{E}[z] = 0$ and $\mathbb{E}[z z^\top] = I_n$. "
        r"With $y = B z + c$, $$\operatorname{Cov}(y) = B B^\top$$ $$\operatorname{Cov}(y, z) = B$$ "
        r"$$\operatorname{Cov}(z, y) = B$$",
        ["skipped", "skipped", "defined", "proved", "proved", "refuted"],
    ),
    "what a given vector is supposed to be": (
        r"Let $X \in \mathbb{R}^{n \times p}$ and $y \in \mathbb{R}^n$. $$A = (X'X + \lambda I)^{-1}$$ $$b = A X' y$$ "
        r"Suppose $y = X\beta + e$ with $E(e) = 0$ and $\operatorname{Cov}(e) = \sigma^2 I$. Then $$E(b) = A X' X \beta$$ "
        r"$$\operatorname{Cov}(b) = \sigma^2 A X' X A$$",
        ["defined", "defined", "defined", "skipped", "skipped", "proved", "proved"],
    ),
    "the variances of the entries, where the other side has one axis": (
        r"Let $W \in \mathbb{R}^{m \times n}$ and let $x \in \mathbb{R}^n$ have independent entries with mean 0 and variance 1. "
        r"With $y = W x$, $$\operatorname{Var}(y_i) = \sum_j W_{ij}^2$$",
        ["defined", "proved"],
    ),
}


@pytest.mark.parametrize(("text", "expected"), CASES.values(), ids=CASES)
def test_verdicts(text: str, expected: list[str]) -> None:
    assert statuses(text) == expected


def test_what_is_read_is_said() -> None:
    text = LEAST_SQUARES + r"$$\mathrm{Var}(\hat\beta) = \sigma^2 (X'X)^{-1}$$"
    found = study(read_text(text, "x.md"), decide=decide)[-1]
    assert "covariance-matrix" in [note.kind for note in found.assumptions]


def test_energy_beside_a_variance_is_a_function() -> None:
    text = r"Let $W \in \mathbb{R}^{n \times n}$. $$E(x) = x^\top W x$$ The spread is $s = \mathrm{Var}(z)$. $$E(2 x) = 4 E(x)$$"
    assert statuses(text)[0] == "defined"
    assert statuses(text)[-1] == "proved"


STREAM = (
    r"Let $g_1, g_2, \dots$ be a stream of gradients, $0 < \beta < 1$, and $$m_0 = 0, \qquad m_t = \beta m_{t-1} + (1 - \beta) g_t "
    r"\quad (t \ge 1).$$ If every $g_i$ has mean $\mu$, then "
)
SAMPLE = (
    r"Let $\bar x_n = \frac{1}{n} \sum_{i=1}^{n} x_i$ and $S_n = \sum_{i=1}^{n} (x_i - \bar x_n)^2$. "
    r"If the $x_i$ are independent with mean $\mu$ and variance $\sigma^2$, then "
)


@pytest.mark.parametrize(
    ("text", "status"),
    [
        (STREAM + r"$$E[m_t] = (1 - \beta^t) \mu .$$", "proved"),
        (STREAM + r"$$E[m_t] = (1 - \beta^{t-1}) \mu .$$", "refuted"),
        (SAMPLE + r"$$E[\bar x_n] = \mu .$$", "proved"),
        (SAMPLE + r"$$\operatorname{Var}[\bar x_n] = \frac{\sigma^2}{n} .$$", "proved"),
        (SAMPLE + r"$$E[S_n] = (n - 1) \sigma^2 .$$", "proved"),
        (SAMPLE + r"$$E[S_n] = n \sigma^2 .$$", "refuted"),
    ],
)
def test_means_of_recursions_and_samples(text: str, status: str) -> None:
    assert statuses(text)[-1] == status


NORMAL = (
    r"Let $\mu_1, \mu_2 \in \mathbb{R}^d$ and let $\Sigma_1, \Sigma_2 \in \mathbb{R}^{d \times d}$ be positive definite. For "
    r"$x \in \mathbb{R}^d$ and $i \in \{1, 2\}$ the density is $$p_i(x) = \frac{1}{(2\pi)^{d/2} |\Sigma_i|^{1/2}} "
    r"\exp\left(-\frac12 (x - \mu_i)^T \Sigma_i^{-1} (x - \mu_i)\right),$$ where $|\cdot|$ is the determinant. Then "
)


def test_bars_around_a_member_of_a_family_are_its_determinant() -> None:
    claim = r"$$\log p_i(x) = -\frac{d}{2} \log(2\pi) - \frac12 \log|\Sigma_i| - \frac12 (x - \mu_i)^T \Sigma_i^{-1} (x - \mu_i) .$$"
    assert statuses(NORMAL + claim)[-2:] == ["defined", "proved"]
