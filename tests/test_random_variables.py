"""Random variables as texts on probability write them: capital letters, moments, covariances, families of variables."""

from __future__ import annotations

import pytest

from derivations.documents import read_text
from derivations.documents.model.finding import Finding
from derivations.provers.decide import decide
from derivations.study.claims import study

TWO = r"For random variables $X$ and $Y$ and constants $a, b$, "

CASES = {
    "linearity": (TWO + r"$$\mathbb{E}[aX + bY] = a\mathbb{E}[X] + b\mathbb{E}[Y]$$", ["proved"]),
    "a wrong factor": (
        r"For a r.v. $X$ and a constant $a$, $$\operatorname{Var}(aX) = a \operatorname{Var}(X)$$",
        ["refuted false-claim"],
    ),
    "variance in several forms": (
        r"Let $X$ be a random variable with $\mu = \mathbb{E}[X]$. For the random variable $X$, "
        r"$$\sigma_X^2 = Var(X) = \mathbb{E}[(X - \mu)^2] = \mathbb{E}[X^2] - (\mathbb{E}[X])^2$$",
        ["defined", "defined", "proved", "proved"],
    ),
    "a mean is not taken for what it is itself defined by": (
        TWO + r"let $\mu_X = \mathbb{E}[X]$ and $\mu_Y = \mathbb{E}[Y]$. Since $\mathbb{E}[X] = \mu_X$, "
        r"$$\operatorname{Cov}(X, Y) = \mathbb{E}[XY] - \mu_X \mu_Y$$",
        ["defined", "defined", "proved", "proved"],
    ),
    "covariance": (
        TWO + r"$$\operatorname{Cov}(X, Y) = \mathbb{E}[(X - \mathbb{E}[X])(Y - \mathbb{E}[Y])]$$",
        ["proved"],
    ),
    "nothing is refuted of variables that may depend on one another": (
        TWO + r"$$\mathbb{E}[XY] = 2 \mathbb{E}[X]\mathbb{E}[Y]$$",
        ["undecided ambiguous"],
    ),
    "nothing is proved that needs them to be independent": (
        TWO + r"$$\operatorname{Cov}(X, Y) = 0$$ $$\mathbb{E}[XY] = \mathbb{E}[X]\mathbb{E}[Y]$$ "
        r"$$\operatorname{Var}(X + Y) = \operatorname{Var}(X) + \operatorname{Var}(Y)$$ "
        r"$$\operatorname{Cov}(aX, bY) = ab \operatorname{Cov}(X, Y)$$ $$\operatorname{Cov}(aX, bY) = a \operatorname{Cov}(X, Y)$$",
        ["undecided ambiguous", "undecided ambiguous", "undecided ambiguous", "proved", "undecided ambiguous"],
    ),
    "others are said to be independent": (
        TWO + r"$$\operatorname{Cov}(X, Y) = 0$$ "
        "\n\nLet $X$ and $Z$ be independent random variables with $Z \\ge 0$. \n\nSo are $Y$ and $W$ random, and independent.",
        ["undecided ambiguous", "skipped hypothesis"],
    ),
    "another row of a table says that they are independent": (
        "For random variables $X$ and $Y$ these rules hold.\n\n"
        "| rule | when |\n|---|---|\n"
        r"| $\mathbb{E}[X Y] = \mathbb{E}[X] \mathbb{E}[Y]$ | for independent $X$ and $Y$ |"
        "\n"
        r"| $\operatorname{Var}(X - Y) = \operatorname{Var}(X) + \operatorname{Var}(Y)$ | always |",
        ["proved", "undecided ambiguous"],
    ),
    "variables that are said to be independent": (
        r"For independent random variables $X$ and $Y$, $$\operatorname{Cov}(X, Y) = 0$$ "
        r"$$\operatorname{Var}(X - Y) = \operatorname{Var}(X) + \operatorname{Var}(Y)$$ "
        r"$$\operatorname{Var}(X - Y) = \operatorname{Var}(X) - \operatorname{Var}(Y)$$",
        ["proved", "proved", "refuted false-claim"],
    ),
    "means of variables that may depend on one another": (
        r"For random variables $X$ and $Y$ with $\mathbb{E}[X] = 1$, $\operatorname{Var}(X) = 3$ and $\mathbb{E}[Y] = 2$, "
        r"$$\mathbb{E}[X + Y] = 3$$ $$\mathbb{E}[X^2 + 2Y] = 8$$ $$\mathbb{E}[X Y] = 2$$",
        ["skipped hypothesis", "skipped hypothesis", "skipped hypothesis", "proved", "proved", "undecided ambiguous"],
    ),
    "terms of a sum whose moments are written": (
        r"By the rules for the variance $$\operatorname{Var}(aX + b) = a^2 \operatorname{Var}(X)$$ "
        r"$$\operatorname{Var}(aX + b) = a \operatorname{Var}(X)$$ $$\mathbb{E}[Z^2] = \operatorname{Var}(Z) + \mathbb{E}[Z]^2$$",
        ["proved", "refuted false-claim", "proved"],
    ),
    "letters in moments alone, no word of chance": (
        r"Of counts, $$\operatorname{Var}(aX + b) = a^2 \operatorname{Var}(X)$$ "
        r"$$\operatorname{Var}(aX + b) = a \operatorname{Var}(X)$$ $$\mathbb{E}[X] = \lambda$$",
        ["proved", "refuted false-claim", "skipped hypothesis"],
    ),
    "letters in moments and elsewhere, no word of chance": (
        r"The layer has $$Y = X W$$ $$\operatorname{Var}(2X) = 4 \operatorname{Var}(X)$$",
        ["defined", "unread unknown-notation"],
    ),
    "what nothing calls random beside a variable": (
        r"Let $X$ be a random variable. $$\operatorname{Var}(3W + 1) = 3 \operatorname{Var}(W)$$ "
        r"$$\operatorname{Var}(2x) = 2 \operatorname{Var}(x)$$ $$G = W W^\top$$",
        ["unread unknown-notation", "unread unknown-notation", "defined"],
    ),
    "a variable beside a family of them": (
        r"For a random variable $X$, $\operatorname{Var}(X) = \mathbb{E}[X^2] - \mathbb{E}[X]^2$. For random variables "
        r"$X_1, \dots, X_n$, $$\mathbb{E}\left[\sum_{i=1}^n a_i X_i\right] = \sum_{i=1}^n a_i \mathbb{E}[X_i]$$",
        ["proved", "proved"],
    ),
    "a mean that is written with the variable itself": (
        r"For random variables $X$ and $Y$, $$\mathbb{E}[X] = \sum_x x P(X = x)$$ "
        r"$$\mathbb{E}[a X + b] = a \mathbb{E}[X] + b$$ $$\mathbb{E}[X + Y] = \mathbb{E}[X] + \mathbb{E}[Y]$$",
        ["skipped hypothesis", "proved", "proved"],
    ),
    "moments under a condition": (
        TWO + r"$$\mathbb{E}[X] = \mathbb{E}[\mathbb{E}[X \mid Y]]$$",
        ["unread out-of-scope"],
    ),
    "capital letters whose moments are written": (
        r"The expected values add up: $$\mathbb{E}[X + Y] = \mathbb{E}[X] + \mathbb{E}[Y]$$",
        ["proved"],
    ),
    "no variables, no word of chance": (
        r"$$\operatorname{Var}\left(\sum_{i=1}^{d} q_i k_i\right) = d$$",
        ["unread unknown-notation"],
    ),
    "a standard deviation is not negative": (
        r"Let $x_1, \dots, x_n$ be independent with mean zero and $\operatorname{Var}(x_i) = \sigma^2$. For "
        r"$z = \sum_{i=1}^{n} x_i$ $$\sqrt{\operatorname{Var}(z)} = \sqrt{n}\, \sigma$$ $$\sqrt{\operatorname{Var}(z)} = n \sigma$$",
        ["skipped hypothesis", "defined", "proved", "refuted false-claim"],
    ),
    "names whose shape is stated where they are called random": (
        r"Suppose $q, k \in \mathbb{R}^d$ have independent entries with mean $0$ and variance $1$. Then "
        r"$$\operatorname{Var}(q^\top k) = d$$ $$\operatorname{Var}(q^\top k) = d^2$$",
        ["proved", "refuted false-claim"],
    ),
    "a name whose shape is stated beside a random one": (
        r"For a fixed $x \in \mathbb{R}^d$ let $w \in \mathbb{R}^d$ have independent entries with mean $0$ and variance $1$. Then "
        r"$$\operatorname{Var}(w^\top x) = d$$",
        ["unread unknown-notation"],
    ),
    "a number of which is said where it lies, after the variance": (
        r"Suppose the entries of $q, k \in \mathbb{R}^d$ are independent with mean $0$ and variance $\sigma^2$ for some $\sigma \in "
        r"\mathbb{R}$. Then $$\operatorname{Var}(q^\top k) = d \sigma^4$$ $$\operatorname{Var}(q^\top k) = d \sigma^2$$",
        ["proved", "refuted false-claim"],
    ),
    "vectors drawn from a normal distribution": (
        r"Suppose $q, k \sim \mathcal{N}(0, I_d)$. $$\operatorname{Var}(q^\top k) = d$$ $$\mathbb{E}[q^\top k] = 0$$",
        ["skipped hypothesis", "proved", "proved"],
    ),
    "a covariance that is a multiple of the identity": (
        r"Let $x \sim \mathcal{N}(\mathbf{0}, \sigma^2 \mathbf{I}_m)$ be given. "
        r"$$\mathbb{E}[\|x\|^2] = m \sigma^2$$ $$\mathbb{E}[\|x\|^2] = m \sigma$$",
        ["skipped hypothesis", "proved", "refuted false-claim"],
    ),
    "another covariance": (
        r"Let $x \sim \mathcal{N}(0, \Sigma)$. $$\mathbb{E}[\|x\|^2] = \operatorname{tr}(\Sigma)$$",
        ["skipped hypothesis", "proved"],
    ),
    "vectors whose entries are said to be independent": (
        r"Let $u, w \in \mathbb{R}^d$ be independent random vectors whose entries are independent with zero mean and unit "
        r"variance. $$\operatorname{Var}[u^\top w] = d$$ $$\operatorname{Var}[u^\top w] = d^2$$",
        ["proved", "refuted false-claim"],
    ),
    "the mean of a square beside a mean": (
        r"Each entry of $a \in \mathbb{R}^m$ is drawn independently with $\mathbb{E}[a_i] = 0$ and $\mathbb{E}[a_i^2] = s^2$. "
        r"$$\mathbb{E}[\|a\|^2] = m s^2$$",
        ["skipped hypothesis", "skipped hypothesis", "proved"],
    ),
    "the length of what is drawn is a number that nothing else tells": (
        r"The entries of $q$ and $k$ are independent with mean 0 and variance 1. "
        r"$$\operatorname{Var}(q^\top k) = d$$ $$\operatorname{Var}(q^\top k) = d^2$$",
        ["proved", "undecided unsupported"],
    ),
    "components of what the sentence before speaks of": (
        r"The dot product is $q \cdot k = \sum_{i=1}^{d} q_i k_i$. If the components have mean 0 and variance 1 and are "
        r"independent, then $$\operatorname{Var}(q \cdot k) = d$$ $$\operatorname{Var}(q \cdot k) = 2d$$",
        ["proved", "proved", "refuted false-claim"],
    ),
    "two means and variances in one sentence": (
        r"Assume each $x_i$ has zero mean and unit variance, independent of the weights $w_i$, which have zero mean and variance "
        r"$\frac{1}{n}$. For $y = \sum_{i=1}^{n} w_i x_i$: $$\operatorname{Var}(y) = n \operatorname{Var}(w_i) = 1$$",
        ["defined", "proved", "proved"],
    ),
    "matrices are no variables": (
        r"For the random matrix $A \in \mathbb{R}^{n \times n}$ the expected value is $$\mathbb{E}[A A^\top] = A$$",
        ["unread unknown-notation"],
    ),
}


def read(text: str) -> list[Finding]:
    spaced = text.replace("$$ ", "$$\n\n").replace(" $$", "\n\n$$")
    return [f for f in study(read_text(spaced, "x.md"), decide=decide) if f.kind not in ("shape", "prose")]


@pytest.mark.parametrize("name", CASES)
def test_statuses(name: str) -> None:
    text, expected = CASES[name]
    assert [f"{f.status} {f.code or ''}".strip() for f in read(text)] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            r"Let $X_i$ be i.i.d. random variables with $\theta = \mathbb{E}[X_i]$ and $\bar X = \frac1n \sum_{i=1}^n X_i$. "
            r"Then $\mathbb{E}[\bar X] = \theta$ and $\mathbb{E}[\bar X] = 2 \theta$.",
            ["skipped hypothesis", "defined", "proved", "refuted false-claim"],
        ),
        (
            r"For a random variable $Z$ the expected value is linear: $\mathbf{E}[2 Z] = 2 \mathbf{E}[Z]$.",
            ["proved"],
        ),
    ],
)
def test_means_by_other_names(text: str, expected: list[str]) -> None:
    assert [f"{f.status} {f.code or ''}".strip() for f in read(text)] == expected
