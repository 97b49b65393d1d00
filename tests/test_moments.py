r"""Means and variances of what recursions make of noise, for all steps."""

from __future__ import annotations

import pytest
from studied import statuses

NOISE = r"Let the $\varepsilon_t$ be independent with mean $0$ and variance $1$. "
AUTOREGRESSIVE = NOISE + r"With a number $x_0$ and $0 < a < 1$ let $$x_t = a x_{t-1} + b \varepsilon_t.$$ "
DIFFUSION = (
    r"Let $0 < \beta_t < 1$, $\alpha_t = 1 - \beta_t$ and $\bar\alpha_t = \prod_{s=1}^{t} \alpha_s$. Starting from a number "
    r"$x_0$, let $$x_t = \sqrt{\alpha_t}\, x_{t-1} + \sqrt{1 - \alpha_t}\, \varepsilon_t$$ with independent "
    r"$\varepsilon_t \sim \mathcal{N}(0,1)$. Set $\bar\alpha_0 = 1$. "
)

PROVED = {
    "the mean with constant factors": AUTOREGRESSIVE + r"$$\mathbb{E}[x_t] = a^t x_0$$",
    "a step of the variance": AUTOREGRESSIVE + r"$$\operatorname{Var}(x_t) = a^2 \operatorname{Var}(x_{t-1}) + b^2$$",
    "the variance with constant factors": AUTOREGRESSIVE
    + r"$$\operatorname{Var}(x_t) = b^2 \frac{1 - a^{2t}}{1 - a^2}$$",
    "the mean with factors of each step": DIFFUSION + r"$$\mathbb{E}[x_t] = \sqrt{\bar\alpha_t}\, x_0$$",
    "a step of the variance with factors of each step": DIFFUSION
    + r"$$\operatorname{Var}(x_t) = \alpha_t \operatorname{Var}(x_{t-1}) + 1 - \alpha_t$$",
    "the variance with factors of each step": DIFFUSION + r"$$\operatorname{Var}(x_t) = 1 - \bar\alpha_t$$",
    "roots of products without noise": r"Let $0 < \beta_t < 1$, $\alpha_t = 1 - \beta_t$, "
    r"$\bar\alpha_t = \prod_{s=1}^{t} \alpha_s$ and $\bar\alpha_0 = 1$. Starting from a number $y_0$, let "
    r"$$y_t = \sqrt{\alpha_t}\, y_{t-1}.$$ Then $$y_t = \sqrt{\bar\alpha_t}\, y_0$$",
}
NOT_PROVED = {
    "the variance of another step": AUTOREGRESSIVE
    + r"$$\operatorname{Var}(x_t) = b^2 \frac{1 - a^{2t + 2}}{1 - a^2}$$",
    "the product of another step": DIFFUSION + r"$$\operatorname{Var}(x_t) = 1 - \bar\alpha_{t-1}$$",
    "the noise of the same step": AUTOREGRESSIVE + r"$$\mathbb{E}[x_t \varepsilon_t] = 0$$",
}


@pytest.mark.parametrize("name", PROVED)
def test_is_proved_for_all_steps(name: str) -> None:
    assert statuses(PROVED[name])[-1] == "proved"


@pytest.mark.parametrize("name", NOT_PROVED)
def test_is_not_proved(name: str) -> None:
    assert statuses(NOT_PROVED[name])[-1] != "proved"
