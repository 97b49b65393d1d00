"""Sums of powers are shown by induction over their end, those of falling powers from their other end."""

from __future__ import annotations

import pytest

from derivations.documents import read_text
from derivations.provers.decide import decide
from derivations.study.claims import study

CLAIMS = {
    r"(1 - r) \sum_{i=0}^{n-1} r^i = 1 - r^n": "proved",
    r"(1 - r) \sum_{i=1}^{n} r^{n-i} = 1 - r^n": "proved",
    r"(1 - r) \sum_{i=1}^{n} r^{n-i} = 1 - r^{n-1}": "refuted",
    r"\sum_{i=0}^{n-1} r^i = \frac{1 - r^n}{1 - r}": "proved",
    r"\sum_{i=1}^{n} r^{n-i} = \frac{1 - r^n}{1 - r}": "proved",
    r"\sum_{i=1}^{n} r^{2(n-i)} = \frac{1 - r^{2n}}{1 - r^2}": "proved",
    r"\sum_{i=1}^{n} r^{i-1} = \frac{r^n - 1}{r - 1}": "proved",
    r"\sum_{i=0}^{n} r^i = \frac{1 - r^n}{1 - r}": "refuted",
    r"\sum_{i=0}^{n-1} e^{-r i} = \frac{1 - e^{-r n}}{1 - e^{-r}}": "proved",
    r"\sum_{i=0}^{n} e^{-r i} = \frac{1 - e^{-r n}}{1 - e^{-r}}": "refuted",
    r"\sum_{i=1}^{n} 2^{i-1} (r - 1) = (r - 1)(2^n - 1)": "proved",
    r"\sum_{i=1}^{n} 3 \cdot 4^{i} r = 4 r (4^n - 1)": "proved",
    r"\sum_{i=1}^{n} 2^{i-1} (r - 1) = (r - 1)(2^n - 2)": "refuted",
}


@pytest.mark.parametrize("claim", CLAIMS)
def test_claim(claim: str) -> None:
    found = study(read_text(rf"For a number $r$ with $0 < r < 1$ we have $${claim}.$$", "a.md"), decide=decide)
    assert found[-1].status == CLAIMS[claim], (found[-1].code, found[-1].reason)


def test_steps_of_a_recurrence() -> None:
    text = (
        r"Let $\beta \in (0, 1)$, $m_0 = 0$ and $$m_t = \beta m_{t-1} + (1 - \beta) g_t.$$ "
        r"The weights add up: $$(1 - \beta) \sum_{i=1}^t \beta^{t-i} = 1 - \beta^t.$$"
    )
    assert study(read_text(text, "a.md"), decide=decide)[-1].status == "proved"
