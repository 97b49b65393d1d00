r"""Fractions in denominators, roots below fractions, products of numbers below 1, and rows divided by what they sum to."""

from __future__ import annotations

import pytest
from studied import statuses

RATES = r"Let $a_1, \dots, a_T \in (0, 1)$ and $$P_t = \prod_{s=1}^t a_s .$$ "
RATIO = RATES + r"Let $$R_t = \frac{P_t}{1 - P_t} .$$ "
LEVELS = r"Let $\alpha \in (0, 1)$ and $A \in (0, 1)$ be given, $c = \alpha A$ and $\beta = 1 - \alpha$. "
STEPS = r"Let $b_1, \dots, b_T \in (0, 1)$ and $a_t = 1 - b_t$. "
ROWS = r"Let $S \in \mathbb{R}^{n \times K}$ and $$g_{ik} = \frac{e^{S_{ik}}}{\sum_{j=1}^K e^{S_{ij}}} .$$ "
DOCUMENTS = {
    "a ratio solved": (RATIO + r"Then $$P_t = \frac{R_t}{1 + R_t} .$$", ["defined", "defined", "proved"]),
    "and wrongly": (RATIO + r"Then $$\frac{R_t}{1 - R_t} = P_t .$$", ["defined", "defined", "refuted"]),
    "a product lies below 1": (RATES + r"Then $$P_t < 1 .$$", ["defined", "proved"]),
    "and above 0": (RATES + r"Then $$0 < P_t .$$", ["defined", "proved"]),
    "and not below a half": (RATES + r"Then $$P_t < \frac{1}{2} .$$", ["defined", "refuted"]),
    "a root below a fraction": (
        LEVELS + r"Then $$\frac{\alpha (1 - A)}{\sqrt{1 - c}} = \sqrt{1 - c} - \frac{\beta}{\sqrt{1 - c}} .$$",
        ["defined", "defined", "proved"],
    ),
    "a root of summands that share a factor": (
        STEPS + r"Then $$\sqrt{a_t (1 - a_{t-1})} = \sqrt{1 - b_t} \sqrt{b_{t-1}} .$$",
        ["defined", "proved"],
    ),
    "rows that sum to one, column by column": (
        ROWS + r"Let $$N_k = \sum_{i=1}^n g_{ik} .$$ Then $$\sum_{k=1}^K N_k = n .$$",
        ["defined", "defined", "proved"],
    ),
    "and columns that do not": (
        ROWS + r"Let $$M_i = \sum_{k=1}^K g_{ik} .$$ Then $$\sum_{i=1}^n M_i = K .$$",
        ["defined", "defined", "refuted"],
    ),
}


@pytest.mark.parametrize(("text", "expected"), DOCUMENTS.values(), ids=list(DOCUMENTS))
def test_fraction(text: str, expected: list[str]) -> None:
    assert statuses(text) == expected
