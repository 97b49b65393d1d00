"""Names whose axes are a guess: what is false in both readings is refuted."""

from __future__ import annotations

import pytest

from derivations.documents import read_text
from derivations.provers.decide import decide
from derivations.study.claims import study

LOSS = (
    r"For one example with label $y$ the loss is a square. Over data $x \in \mathbb{R}^{n \times m}$ with rows $x_i$ and labels "
    r"$y_i$ it is $$\ell(w) = \sum_{i=1}^n (y_i - w^\top x_i)^2 .$$ "
)
METHODS = (
    "# Momentum\n\nGradients arrive as $g_1, g_2, \\ldots$ and the rate is $\\eta > 0$. From $u_0 = 0$ on "
    "$$u_t = \\mu u_{t-1} + g_t, \\qquad w_t = w_{t-1} - \\eta u_t .$$ If the gradient is the same number $g$ at every "
    "step, then $$u_t = \\frac{1 - \\mu^t}{1 - \\mu} g .$$\n\n# On a parabola\n\nLet $c > 0$. Plain descent multiplies the "
    "parameter by a constant, $$w_t = w_{t-1} - \\eta c w_{t-1} .$$"
)
DOCUMENTS = {
    "a step of another method, no claim about the first": (METHODS, "defined"),
    "false for entries and for a family": (
        LOSS + r"Also $$\ell(w) = \sum_{i=1}^n (w^\top x_i - 2 y_i)^2 .$$",
        "refuted",
    ),
    "true": (LOSS + r"Also $$\ell(w) = \sum_{i=1}^n (w^\top x_i - y_i)^2 .$$", "proved"),
    "nothing counts the letter below": (
        r"Let $$a_m = a + c, \qquad b_m = b - c .$$ Then $$a_m - b_m = a - b .$$",
        "undecided",
    ),
}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_documents(name: str) -> None:
    text, status = DOCUMENTS[name]
    found = study(read_text(text, "x.md"), decide=decide)[-1]
    assert (found.status, found.reason) == (status, found.reason)
