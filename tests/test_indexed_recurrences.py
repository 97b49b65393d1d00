r"""Recurrences in one of several indices, as those of hidden Markov models: `\alpha_t(j) = b_t(j) \sum_i \alpha_{t-1}(i) A_{ij}`."""

from __future__ import annotations

import pytest

from derivations.documents import read_text
from derivations.provers.decide import decide
from derivations.study.claims import study

FORWARD = r"""Let $A \in \mathbb{R}^{K \times K}$, $\pi \in \mathbb{R}^K$ and $b_t(j) > 0$. For $t = 1, \dots, T$ let
$$\alpha_1(j) = \pi_j b_1(j), \qquad \alpha_t(j) = b_t(j) \sum_{i=1}^K \alpha_{t-1}(i) A_{ij}$$
"""
BACKWARD = (
    FORWARD
    + r"""and backwards $\beta_T(i) = 1$,
$$\beta_t(i) = \sum_{j=1}^K A_{ij} b_{t+1}(j) \beta_{t+1}(j) .$$ """
)
CLAIMS = {
    (FORWARD, r"\alpha_2(j) = b_2(j) \sum_i \pi_i b_1(i) A_{ij}"): "proved",
    (FORWARD, r"\alpha_2(j) = b_2(j) \sum_i \pi_i b_1(j) A_{ij}"): "refuted",
    (FORWARD, r"\sum_j \alpha_{t+1}(j) / b_{t+1}(j) = \sum_j \sum_i \alpha_t(i) A_{ij}"): "proved",
    (BACKWARD, r"\sum_i \alpha_{t+1}(i) \beta_{t+1}(i) = \sum_k \alpha_t(k) \beta_t(k)"): "proved",
    (BACKWARD, r"\sum_i \beta_t(i) = \sum_j \sum_i A_{ij} b_{t+1}(j) \beta_{t+1}(j)"): "proved",
}


@pytest.mark.parametrize(("text", "claim"), CLAIMS)
def test_claims(text: str, claim: str) -> None:
    found = study(read_text(f"{text}Then ${claim}$.", "x.md"), decide=decide)[-1]
    assert (found.status, found.reason) == (CLAIMS[text, claim], found.reason)


GUIDANCE = r"With predictions $\epsilon_c$ and $\epsilon_u$ and a weight $w \ge 0$ let $\epsilon_w = (1 + w) \epsilon_c - w \epsilon_u$. Then $\epsilon_w = %s$."


@pytest.mark.parametrize(
    ("right", "status"),
    [
        (r"\epsilon_c + w (\epsilon_c - \epsilon_u)", "proved"),
        (r"\epsilon_u + w (\epsilon_c - \epsilon_u)", "undecided"),  # by another convention
    ],
)
def test_things_made_of_two_others_of_their_name(right: str, status: str) -> None:
    found = study(read_text(GUIDANCE % right, "x.md"), decide=decide)
    assert [f.status for f in found if f.kind == "definition"] == ["defined"]
    assert found[-1].status == status


def test_a_function_at_one_place_twice_is_a_claim() -> None:
    text = r"Let $g(m, n) = \sum_{i=1}^d \cos((m - n) a_i)$ for $a \in \mathbb{R}^d$. Then $g(m, m) = %s$."
    assert study(read_text(text % "d", "x.md"), decide=decide)[-1].status == "proved"
    assert study(read_text(text % "2 d", "x.md"), decide=decide)[-1].status == "refuted"


def test_columns_by_their_products() -> None:
    """Called rows of X, the points stand upright all the same: an exponential of a product of two of them says so."""
    text = (
        r"Data $x_1, \dots, x_n \in \mathbb{R}^d$ are the rows of $X$. Let $C = \sum_{i=1}^n x_i x_i^\top$ and "
        r"$w_{ij} = \exp(x_i^\top x_j)$. Then $C = X^\top X$ and $C = X X^\top$."
    )
    found = study(read_text(text, "x.md"), decide=decide)
    assert found[-2].status == "proved" and found[-1].status != "proved"


def test_a_value_is_called_with_what_its_index_tells() -> None:
    text = r"""For $t = 1, \dots, T$ and $0 < a_t < 1$ let $x_t = \sqrt{a_t} x_{t-1} + \epsilon_t$ with $x_0 \in \mathbb{R}^d$. Let
$$\mu_t(x_t, x_0) = a_t x_0 + \sqrt{a_t} x_t .$$ Then $\mu_t(x_t, x_0) = \sqrt{a_t} (\sqrt{a_t} x_0 + x_t)$ and
$\mu_t(x_t, x_0) = \sqrt{a_t} (\sqrt{a_t} x_0 - x_t)$."""
    found = study(read_text(text, "x.md"), decide=decide)
    assert [f.status for f in found if f.source.startswith(r"\mu_t")] == ["defined", "proved", "refuted"]


def test_a_label_stays_one_on_the_left_side_of_a_claim() -> None:
    text = r"""Let $X \in \mathbb{R}^{n \times p}$ and $C = I_n - \frac{1}{n} \mathbf{1} \mathbf{1}^T$ with $\mathbf{1} \in \mathbb{R}^n$.
Let $X_c = C X$ and $S = \frac{1}{n - 1} X_c^T X_c$. Then $\|X_c\|_F^2 = (n - 1) \mathrm{tr}(S)$."""
    found = study(read_text(text, "x.md"), decide=decide)
    assert found[-1].status == "proved"
