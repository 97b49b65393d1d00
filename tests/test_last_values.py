"""Families with a value at a length: returns, advantages, estimates whose last is known; letters of two axes."""

from __future__ import annotations

import pytest
from studied import statuses

RETURN = (
    r"An episode of length $T$ gives rewards $R_1, \dots, R_T$. With a discount $0 < \gamma < 1$ the return is "
    r"$$G_t = \sum_{k=0}^{T-t-1} \gamma^k R_{t+k+1}, \qquad 0 \le t \le T - 1,$$ with $G_T = %s$. "
)
BACKWARDS = r"Returns are computed backwards, $$G_t = R_{t+1} + \gamma G_{t+1} .$$ "
EXPLICIT = r"$$G_t = R_{t+1} + \gamma G_{t+1}, \qquad t = 0, \dots, T - 1 .$$ "
ESTIMATES = (
    r"Let $v_0, \dots, v_T$ be any estimates with $v_T = 0$ and let $$\delta_t = R_{t+1} + \gamma v_{t+1} - v_t .$$ "
)
TELESCOPED = r"Their sum telescopes: $$\sum_{k=0}^{T-t-1} \gamma^k \delta_{t+k} = G_t %s v_t$$ "
ADVANTAGE = (
    r"With $0 \le \lambda \le 1$ the advantage is $$A_t = \sum_{k=0}^{T-t-1} (\gamma \lambda)^k \delta_{t+k},$$ computed by "
    r"$$A_t = \delta_t + \gamma \lambda A_{t+1}$$ for $t < T - 1$."
)

CASES = {
    "the last return is zero": (RETURN % "0" + BACKWARDS, "proved"),
    "for a stated range": (RETURN % "0" + EXPLICIT, "proved"),
    "a wrong recursion": (RETURN % "0" + EXPLICIT.replace("+ \\gamma", "- \\gamma"), "refuted"),
    "a last return for which the recursion is false": (RETURN % "1" + EXPLICIT, "undecided"),
    "the sum of the differences": (RETURN % "0" + ESTIMATES + TELESCOPED % "-", "proved"),
    "a wrong sign": (RETURN % "0" + ESTIMATES + TELESCOPED % "+", "refuted"),
    "powers of a product": (RETURN % "0" + ESTIMATES + ADVANTAGE, "proved"),
    "a bound before the name that tells where a letter counts from": (
        r"For $x_0, \dots, x_T$ let $$s_t = \sum_{k=0}^{t} x_k .$$ Then $$\sum_{k=0}^{t} 2 x_k = 2 s_t .$$",
        "proved",
    ),
}


@pytest.mark.parametrize(("text", "status"), CASES.values(), ids=CASES)
def test_verdict(text: str, status: str) -> None:
    decided = [s for s in statuses(text) if s in ("proved", "refuted", "undecided", "unread")]
    assert decided[-1] == status


DDIM = (
    r"Let $\alpha_t \in (0, 1)$ for $t = 1, \ldots, T$. With the noise model $\epsilon_\theta(x_t)$ the predicted clean sample is "
    r"$$\hat x_0 = \frac{x_t - \sqrt{1 - \alpha_t}\, \epsilon_\theta(x_t)}{\sqrt{\alpha_t}} .$$ The step is "
    r"$$x_{t-1} = \sqrt{\alpha_{t-1}} \hat x_0 + \sqrt{1 - \alpha_{t-1}} \epsilon_\theta(x_t) .$$ Then "
)
ONCE_MORE = (
    r"$$x_{t-1} = \sqrt{\frac{\alpha_{t-1}}{\alpha_t}} x_t + \left( \sqrt{1 - \alpha_{t-1}} - "
    r"\sqrt{\frac{\alpha_{t-1}(1 - \alpha_t)}{\alpha_t}} \right) \epsilon_\theta(x_t) .$$"
)


def test_a_relation_between_two_places_is_given_and_then_claimed() -> None:
    assert statuses(DDIM + ONCE_MORE)[-2:] == ["skipped", "proved"]
    linear = r"For $a \ne 0$ let $$x_{t-1} = a x_t .$$ Then $$x_{t-2} = %s .$$"
    assert statuses(linear % "a^2 x_t")[-1] == "proved"
    assert statuses(linear % "2 a^2 x_t")[-1] != "proved"


POSTERIOR = (
    r"Let $\beta_t \in (0, 1)$ for $t = 1, \dots, T$, $\alpha_t = 1 - \beta_t$ and $\bar\alpha_t = \prod_{s=1}^t \alpha_s$, with "
    r"$\bar\alpha_0 = 1$. %sthe posterior variance is "
    r"$$\tilde\beta_t = \frac{1 - \bar\alpha_{t-1}}{1 - \bar\alpha_t} \beta_t .$$ %s"
    r"$$\frac{1}{\tilde\beta_t} = \frac{\alpha_t}{\beta_t} + \frac{1}{1 - \bar\alpha_{t-1}} .$$"
)


@pytest.mark.parametrize(
    ("definition", "claim", "status"),
    [
        (r"For $2 \le t \le T$ ", "Its inverse is ", "proved"),
        ("Here ", r"For $t \ge 2$ precisions add up, as they should: ", "proved"),
        ("Here ", r"For $t \ge 2$ precisions add up, as they should, ", "proved"),
        ("Here ", "Its inverse is ", "undecided"),
    ],
)
def test_what_is_defined_or_said_from_the_second_step_on(definition: str, claim: str, status: str) -> None:
    assert statuses(POSTERIOR % (definition, claim))[-1] == status
