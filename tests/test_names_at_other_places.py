r"""Equations with a given name on both sides, on one side as a square, or at another place: claims about it."""

from __future__ import annotations

import pytest
from studied import statuses

LABEL = r"Let $y \in \mathbb{R}^K$ be a one-hot vector. "
NOISE = (
    r"Let $a_1, \dots, a_T \in (0, 1)$ be given, $x_0, e \in \mathbb{R}^n$, and $$x_t = \sqrt{a_t}\, x_0 + \sqrt{1 - a_t}\, e .$$ "
    r"Let $$v_t = \sqrt{a_t}\, e - \sqrt{1 - a_t}\, x_0 .$$ "
)
ONE_STEP = r"Let $c \in (0, 1)$, $u, e \in \mathbb{R}^n$ and $$z = \sqrt{c}\, u + \sqrt{1 - c}\, e .$$ In other words, "
SHARES = r"Let $\epsilon \in (0, 1)$, $y \in \mathbb{R}^K$ be one-hot, and $$q_k = (1 - \epsilon) y_k + \frac{\epsilon}{K} .$$ "
DOCUMENTS = {
    "a square that equals the name": (LABEL + r"Here $$y_k^2 = y_k .$$", ["proved"]),
    "solved for the start": (
        NOISE + r"Then $$x_0 = \sqrt{a_t}\, x_t - \sqrt{1 - a_t}\, v_t .$$",
        ["defined", "defined", "proved"],
    ),
    "solved for what has no index": (
        NOISE + r"Then $$e = \sqrt{1 - a_t}\, x_t + \sqrt{a_t}\, v_t .$$",
        ["defined", "defined", "proved"],
    ),
    "with a slip": (
        NOISE + r"Then $$x_0 = \sqrt{a_t}\, x_t + \sqrt{1 - a_t}\, v_t .$$",
        ["defined", "defined", "refuted"],
    ),
    "a given name with a slip": (
        ONE_STEP + r"$$u = \frac{z - (1 - c)\, e}{\sqrt{c}} .$$",
        ["defined", "refuted"],
    ),
    "a limit is of its sentence alone": (
        SHARES + r"It goes to $y$ as $\epsilon \to 0$. Then $$\sum_{k=1}^K q_k y_k = 1 - \epsilon .$$",
        ["defined", "unread", "refuted"],
    ),
    "a claim in the limit": (
        SHARES + r"As $\epsilon \to 0$ we get $$\sum_{k=1}^K q_k y_k = 1 .$$",
        ["defined", "unread", "undecided"],
    ),
}


@pytest.mark.parametrize(("text", "expected"), DOCUMENTS.values(), ids=list(DOCUMENTS))
def test_equation_about_given_name(text: str, expected: list[str]) -> None:
    assert statuses(text) == expected
