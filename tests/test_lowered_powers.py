"""Powers of sums with an index as exponent: closed forms of `w_t = (1 - c) w_{t-1}`, also with what is added at each step."""

from __future__ import annotations

import pytest
from studied import statuses

INTRO = r"Let $a, b, c$ be numbers. "


@pytest.mark.parametrize(
    ("source", "status"),
    [
        (r"Let $w_t = (1 - c) w_{t-1}$. So $w_t = (1 - c)^t w_0$.", "proved"),
        (r"Let $w_t = (b - c) w_{t-1}$. So $w_t = (b - c)^t w_0$.", "proved"),
        (r"Let $w_{t+1} = w_t - 3 c w_t$. So $w_t = (1 - 3 c)^t w_0$.", "proved"),
        (r"Let $w_t = (1 - c) w_{t-1} + c b$. So $w_t = b + (1 - c)^t (w_0 - b)$.", "proved"),
        (r"Let $w_0 = 0$ and $w_t = (1 - c) w_{t-1} + g_t$. So $w_t = \sum_{i=1}^t (1 - c)^{t-i} g_i$.", "proved"),
        (r"Let $w_0 = 0$ and $w_t = (1 - c) w_{t-1} + c g_t$. So $w_t = c \sum_{i=1}^t (1 - c)^{t-i} g_i$.", "proved"),
        (r"Let $w_t = (1 - c) w_{t-1}$. So $w_t = (1 - c)^{t+1} w_0$.", "not proved"),
        (
            r"Let $w_0 = 0$ and $w_t = (1 - c) w_{t-1} + g_t$. So $w_t = \sum_{i=1}^t (1 - c)^{t-i+1} g_i$.",
            "not proved",
        ),
    ],
)
def test_closed_forms(source: str, status: str) -> None:
    assert (statuses(INTRO + source)[-1] == "proved") == (status == "proved")
