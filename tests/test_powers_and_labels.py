r"""Derivatives of powers, noise that is drawn, products over nothing, and indices that indicators compare."""

from __future__ import annotations

import pytest
from studied import statuses

STEPS = (
    r"Let $\beta_1, \dots, \beta_T \in (0, 1)$. Define $$\alpha_t = 1 - \beta_t, \qquad \bar\alpha_t = \prod_{s=1}^t \alpha_s, "
    r"\qquad \bar\alpha_0 = 1 .$$ "
)
NOISE = (
    STEPS + r"With $x_0 \in \mathbb{R}^D$ and a noise vector $\epsilon \sim \mathcal{N}(0, I)$ let "
    r"$$x_t = \sqrt{\bar\alpha_t}\, x_0 + \sqrt{1 - \bar\alpha_t}\, \epsilon .$$ "
)
BEGUN = ["defined", "defined", "proved"]
CLASSES = (
    r"There are $K$ classes, and the right one is $y \in \{1, \ldots, K\}$. Let $p_k = e^{z_k} / \sum_{j=1}^K e^{z_j}$ and "
    r"$\ell = -\log p_y$. Put $$t_k = (1 - a) [k = y] + \frac{a}{K} .$$ "
)
LOSS = r"For arrays $q$ and $p$ let $$C(q, p) = -\sum_{k=1}^K q_k \log p_k .$$ "
HEADS = (
    r"With $H$ heads of width $d_h$ we assume $H d_h = d$, and there are $G$ groups. The sizes are "
    r"$$N = 4 H d d_h, \qquad M = 2 d^2 + 2 G d d_h, \qquad P = 2 H d d_h .$$ "
)
INSIDE = r"For $0 < u < 1$ and $\gamma \ge 1$ let $$F(u) = -(1 - u)^\gamma \log u .$$ "
DOCUMENTS = {
    "a power of a positive base": (r"For $u > 0$, $$\frac{d}{du} u^a = a u^{a - 1} .$$", ["skipped", "proved"]),
    "and wrongly": (r"For $u > 0$ and any number $a$, $$\frac{d}{du} u^a = a u^a .$$", ["skipped", "refuted"]),
    "base and exponent": (r"For $x > 0$, $$\frac{d}{dx} x^x = x^x (\log x + 1) .$$", ["skipped", "proved"]),
    "the base alone": (r"For $x > 0$, $$\frac{d}{dx} x^x = x x^{x - 1} .$$", ["skipped", "refuted"]),
    "a product with a power": (
        INSIDE + r"Then $$F'(u) = \gamma (1 - u)^{\gamma - 1} \log u - \frac{(1 - u)^\gamma}{u} .$$",
        ["skipped"] * 3 + ["defined", "proved"],
    ),
    "with a wrong sign": (
        INSIDE + r"Then $$F'(u) = -\gamma (1 - u)^{\gamma - 1} \log u - \frac{(1 - u)^\gamma}{u} .$$",
        ["skipped"] * 3 + ["defined", "refuted"],
    ),
    "the last of the products": (STEPS + r"Then $$\bar\alpha_T = \prod_{s=1}^T (1 - \beta_s) .$$", [*BEGUN, "proved"]),
    "one after the other": (STEPS + r"Then $$\bar\alpha_t = \alpha_t \bar\alpha_{t-1} .$$", [*BEGUN, "proved"]),
    "and with the wrong one": (STEPS + r"Then $$\bar\alpha_t = \alpha_{t-1} \bar\alpha_{t-1} .$$", [*BEGUN, "refuted"]),
    "what is given is solved for": (
        NOISE + r"Hence $$\epsilon = \frac{x_t - \sqrt{\bar\alpha_t}\, x_0}{\sqrt{1 - \bar\alpha_t}} .$$",
        [*BEGUN, "skipped", "defined", "proved"],
    ),
    "its entries are summed": (
        NOISE + r"Then $$\|x_t - \sqrt{\bar\alpha_t}\, x_0\|^2 = (1 - \bar\alpha_t) \|\epsilon\|^2 .$$",
        [*BEGUN, "skipped", "defined", "proved"],
    ),
    "lengths that are related": (HEADS + r"Then $$N = 4 d^2 .$$", ["skipped", *["defined"] * 3, "proved"]),
    "below a fraction": (
        HEADS + r"Then $$M = 2 d^2 \left(1 + \frac{G}{H}\right) .$$",
        ["skipped", *["defined"] * 3, "proved"],
    ),
    "a fraction upside down": (
        HEADS + r"The ratio is $$\frac{N}{2 G d d_h} = \frac{2 G}{H} .$$",
        ["skipped", *["defined"] * 3, "refuted"],
    ),
    "what has the label": (CLASSES + r"Then $t_y = 1 - a + a / K$.", ["defined"] * 3 + ["proved"]),
    "all with and without it": (CLASSES + r"Then $$\sum_{k=1}^K t_k = 1 .$$", ["defined"] * 3 + ["proved"]),
    "a function of what depends on it": (
        CLASSES + LOSS + r"Then $$C(t, p) = (1 - a) \ell - \frac{a}{K} \sum_{k=1}^K \log p_k .$$",
        ["defined"] * 4 + ["proved"],
    ),
}


@pytest.mark.parametrize(("text", "expected"), DOCUMENTS.values(), ids=list(DOCUMENTS))
def test_verdicts(text: str, expected: list[str]) -> None:
    assert statuses(text) == expected
