"""Means under laws that the document sums over, and the dot in the place of what a law is of."""

from __future__ import annotations

import pytest
from studied import statuses

from derivations.latex.syntax.reader import read_equation

BANDIT = (
    r"The policy is $$\pi(a) = \frac{e^{\theta_a}}{\sum_{b=1}^{K} e^{\theta_b}}$$ and its value "
    r"$$J = \sum_{a=1}^{K} \pi(a) r(a) .$$ "
)
RATIO = (
    r"Let $\mu$ be a law with $\mu(a) > 0$, and $$\rho(a) = \frac{\pi(a)}{\mu(a)} .$$ $$S = \sum_{a=1}^K \mu(a) r(a)$$ "
)

CASES = {
    "the mean is the sum": (BANDIT + r"$$\mathbb{E}_{a \sim \pi}[r(a)] = J$$", "proved"),
    "with the law written with its argument": (BANDIT + r"$$\mathbb{E}_{a \sim \pi(a)}[r(a)] = J$$", "proved"),
    "in short": (BANDIT + r"$$\mathbb{E}_{\pi(a)}[r(a)] = J$$", "proved"),
    "the score": (
        BANDIT
        + r"$$\mathbb{E}_{a \sim \pi}\left[r(a) \frac{\partial \log \pi(a)}{\partial \theta_b}\right] = \frac{\partial J}{\partial \theta_b}$$",
        "proved",
    ),
    "a wrong score": (
        BANDIT
        + r"$$\mathbb{E}_{a \sim \pi}\left[r(a) \frac{\partial \log \pi(a)}{\partial \theta_b}\right] = \pi(b) (r(b) + J)$$",
        "refuted",
    ),
    "a variance": (
        BANDIT + r"$$\operatorname{Var}_{a \sim \pi}[r(a)] = \sum_{a=1}^{K} \pi(a) r(a)^2 - J^2$$",
        "proved",
    ),
    "what a mean draws from is a distribution": (
        BANDIT + RATIO + r"$$\mathbb{E}_{a \sim \mu}[\rho(a) - c] = 1 - c$$",
        "proved",
    ),
    "a divergence": (
        r"For laws $p, q$ on the same symbols let $$D = \sum_x p(x) \log \frac{p(x)}{q(x)}$$ and $h = - \sum_x p(x) \log p(x)$. Then "
        r"$$D = \mathbb{E}_{x \sim p}\left[\log \frac{1}{q(x)}\right] - h$$",
        "proved",
    ),
    "what is integrated is no sum": (
        r"Let $$m = \int x p(x) dx$$ and $$s = \sum_x p(x) .$$ Then $$\mathbb{E}_{x \sim p}[2 f(x)] = 2 \mathbb{E}_{x \sim p}[f(x)]$$",
        "proved",
    ),
}


@pytest.mark.parametrize(("text", "status"), CASES.values(), ids=CASES)
def test_verdict(text: str, status: str) -> None:
    assert statuses(text)[-1] == status


@pytest.mark.parametrize(
    "law",
    [
        r"\pi(\cdot | s)",
        r"\pi(\cdot \mid s)",
        r"\pi(\cdot \,|\, s)",
        r"P(\cdot | s, a)",
        r"\pi_\theta(\cdot \middle| s)",
        r"q(\bullet \mid x)",
    ],
)
def test_a_dot_in_the_place_of_what_a_law_is_of_is_read(law: str) -> None:
    assert len(read_equation(rf"\mathbb{{E}}_{{a \sim {law}}}[r(a)] = J")) == 1
    assert len(read_equation(rf"H({law}) = h")) == 1


def test_a_product_with_an_absolute_value_stays_one() -> None:
    (reading,) = read_equation(r"f(a \cdot |b|) = 1")
    assert "cdot" in repr(reading.chain.first)
    assert "mid" not in repr(reading.chain)
