r"""Vectors that are drawn from normal laws, $x \sim \mathcal{N}(\mu, \Sigma)$, and random vectors of which only the shape is said."""

from __future__ import annotations

import pytest
from studied import statuses

GIVEN = r"Let $\mu \in \mathbb{R}^n$ and $\Sigma \in \mathbb{R}^{n \times n}$. "
DRAWN = GIVEN + r"Let $x \sim \mathcal{N}(\mu, \Sigma)$. "
CALLED = r"Let $X$ and $Y$ be random vectors in $\mathbb{R}^n$. "

CASES = {
    "a linear map": (
        DRAWN
        + r"With $A \in \mathbb{R}^{m \times n}$, $$\mathbb{E}[A x] = A \mu$$ $$\operatorname{Cov}(A x) = A \Sigma A^\top$$",
        ["skipped", "proved", "proved"],
    ),
    "a quadratic form": (
        DRAWN + r"$$\mathbb{E}[x^\top Q x] = \operatorname{tr}(Q \Sigma) + \mu^\top Q \mu$$",
        ["skipped", "proved"],
    ),
    "a wrong second moment": (
        DRAWN + r"$$\mathbb{E}[\|x\|^2] = \operatorname{tr}(\Sigma)$$",
        ["skipped", "refuted"],
    ),
    "the distance that a covariance measures": (
        DRAWN + r"$$\mathbb{E}[(x - \mu)^\top \Sigma^{-1} (x - \mu)] = n$$",
        ["skipped", "proved"],
    ),
    "one variance, and a mean": (
        GIVEN + r"Let $x \sim \mathcal{N}(\mu, \sigma^2 I)$. $$\mathbb{E}[\|x - \mu\|^2] = n \sigma^2$$",
        ["skipped", "proved"],
    ),
    "variances on a diagonal": (
        r"Let $\mu, s \in \mathbb{R}^d$ and $x \sim \mathcal{N}(\mu, \operatorname{diag}(s^2))$. "
        r"$$\mathbb{E}[\|x\|^2] = \sum_{i=1}^d (\mu_i^2 + s_i^2)$$",
        ["skipped", "proved"],
    ),
    "a law of a law": (
        r"Let $z \sim \mathcal{N}(0, I_k)$, $W \in \mathbb{R}^{d \times k}$, $b \in \mathbb{R}^d$, "
        r"$x \mid z \sim \mathcal{N}(W z + b, \sigma^2 I_d)$. $$\operatorname{Cov}(x) = W W^\top + \sigma^2 I_d$$",
        ["skipped", "skipped", "proved"],
    ),
    "a sample": (
        GIVEN + r"The $x_1, \dots, x_N$ are independent, $x_i \sim \mathcal{N}(\mu, \Sigma)$, and "
        r"$$\bar x = \frac{1}{N} \sum_{i=1}^N x_i$$ $$\operatorname{Cov}(\bar x) = \frac{1}{N} \Sigma$$ "
        r"$$\operatorname{Cov}(\bar x) = \Sigma$$",
        ["skipped", "defined", "proved", "refuted"],
    ),
    "a law that is stated after its use": (
        r"Let $y = X \beta + \varepsilon$ with $\varepsilon \sim \mathcal{N}(0, \Sigma)$ and $X \in \mathbb{R}^{n \times p}$. "
        r"$$\hat\beta = (X^\top \Sigma^{-1} X)^{-1} X^\top \Sigma^{-1} y$$ "
        r"$$\operatorname{Cov}(\hat\beta) = (X^\top \Sigma^{-1} X)^{-1}$$",
        ["defined", "skipped", "defined", "proved"],
    ),
    "nothing declared": (
        r"Let $w \sim \mathcal{N}(m, S)$ and $f = \Phi w + \epsilon$ with $\epsilon \sim \mathcal{N}(0, \sigma^2 I)$. "
        r"$$\operatorname{Cov}(f) = \Phi S \Phi^\top + \sigma^2 I$$",
        ["skipped", "defined", "skipped", "proved"],
    ),
    "numbers": (
        r"Let $X \sim \mathcal{N}(\mu, \sigma^2)$. $$\mathbb{E}[X^2] = \mu^2 + \sigma^2$$",
        ["skipped", "proved"],
    ),
    "vectors of unknown laws": (
        CALLED + r"$$\mathbb{E}[X X^\top] = \operatorname{Cov}(X) + \mathbb{E}[X] \mathbb{E}[X]^\top$$ "
        r"$$\operatorname{Cov}(X + Y) = \operatorname{Cov}(X) + \operatorname{Cov}(Y) + \operatorname{Cov}(X, Y) + "
        r"\operatorname{Cov}(Y, X)$$",
        ["proved", "proved"],
    ),
    "what holds of independent ones only": (
        CALLED + r"$$\operatorname{Cov}(X + Y) = \operatorname{Cov}(X) + \operatorname{Cov}(Y)$$",
        ["undecided"],
    ),
    "a covariance that is counted once": (
        CALLED
        + r"$$\operatorname{Cov}(X + Y) = \operatorname{Cov}(X) + \operatorname{Cov}(Y) + \operatorname{Cov}(X, Y)$$",
        ["refuted"],
    ),
    "independent ones": (
        r"For independent random vectors $X, Y$ in $\mathbb{R}^n$ $$\operatorname{Cov}(X + Y) = \operatorname{Cov}(X) + "
        r"\operatorname{Cov}(Y)$$",
        ["proved"],
    ),
}


@pytest.mark.parametrize(("text", "expected"), CASES.values(), ids=CASES)
def test_verdicts(text: str, expected: list[str]) -> None:
    assert statuses(text) == expected
