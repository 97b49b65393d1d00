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
