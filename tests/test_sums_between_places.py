r"""Sums that begin or end at an index, `\sum_{k=t}^{T-1} \gamma^{k-t}`: their closed forms, and slips in them."""

from __future__ import annotations

import pytest
from studied import statuses

GEOMETRIC = {
    r"\sum_{k=t}^{T-1} \gamma^{k-t} = \frac{1 - \gamma^{T-t}}{1 - \gamma}": "proved",
    r"\sum_{k=t}^{T-1} \gamma^{k-t} = \frac{1 - \gamma^{T-t+1}}{1 - \gamma}": "refuted",
    r"\sum_{k=0}^{T-t-1} \gamma^{k} = \frac{1 - \gamma^{T-t}}{1 - \gamma}": "proved",
    r"\sum_{k=0}^{T-t-1} \gamma^{k} = \frac{1 - \gamma^{T-t-1}}{1 - \gamma}": "refuted",
}


@pytest.mark.parametrize("claim", GEOMETRIC)
def test_geometric_sums(claim: str) -> None:
    text = r"Let $0 < \gamma < 1$. For $t = 0, \dots, T - 1$ we have "
    assert statuses(f"{text}$${claim} .$$")[-1] == GEOMETRIC[claim]


def test_a_number_that_a_letter_is_not() -> None:
    claim = (
        r"The weights add up to $\sum_{j=1}^{t} \gamma^{t-j} = \frac{1 - \gamma^{%s}}{1 - \gamma}$ for $\gamma \neq 1$."
    )
    assert [statuses(claim % end)[0] for end in ("t", "t-1")] == ["proved", "refuted"]


VALUES = r"""Let $v_t$ be the value after step $t$, with $v_T = 0$.

$$\delta_t = r_t + \gamma v_{t+1} - v_t, \qquad t = 0, \ldots, T-1. $$

"""


def test_a_value_at_the_end_is_one_of_the_family() -> None:
    assert statuses(VALUES + r"$$\sum_{k=t}^{T-1} \gamma^{k-t} (\gamma v_{k+1} - v_k) = -v_t$$")[-1] == "proved"


def test_a_slip_is_no_constraint() -> None:
    assert statuses(VALUES + r"$$\sum_{k=t}^{T-1} (v_{k+1} - v_k) = -v_t$$")[-1] == "proved"
    assert statuses(VALUES + r"$$\sum_{k=t}^{T-1} (v_{k+1} - v_k) = v_t$$")[-1] == "refuted"
    assert statuses(r"The points $x \in \mathbb{R}^n$ lie on the plane $$\sum_i w_i x_i = x_1 .$$")[-1] != "refuted"


PARTS = {
    "before": r"For $x > 0$ let $$f(x) = x^2$$ and for $x < 0$ let $$f(x) = -x.$$ Then $f(-2) = 2$.",
    "after": r"Let $f(x) = x$ for $x \ge 0$ and $f(x) = 0$ for $x < 0$. Then $f(-1) = 0$.",
}


@pytest.mark.parametrize("text", PARTS.values(), ids=PARTS)
def test_a_function_in_parts_is_not_its_first_part(text: str) -> None:
    assert not {"proved", "refuted"} & {*statuses(text)}


def test_a_function_on_a_domain() -> None:
    text = r"For $t>0$ let $$b(t) = -t\log t.$$ Then $b(t^2) = 2 t b(t)$."
    assert statuses(text) == ["defined", "proved"]
    text = r"For $0<t<1$ put $$b(t) = -t^2.$$ For $t > 1/2$ we have $b(t) = - t \cdot t$."
    assert "refuted" not in statuses(text) and "proved" in statuses(text)
