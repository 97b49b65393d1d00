r"""Geometric series: `\\sum_{k=0}^{\\infty} \\gamma^k`."""

from __future__ import annotations

import pytest

from derivations.documents import read_text
from derivations.provers.decide import decide
from derivations.study.claims import study

CLAIMS = {
    r"\sum_{k=0}^{\infty} \gamma^k = \frac{1}{1 - \gamma}": "proved",
    r"\sum_{k=1}^{\infty} \gamma^k = \frac{\gamma}{1 - \gamma}": "proved",
    r"\sum_{k=1}^{\infty} \gamma^k = \frac{1}{1 - \gamma}": "refuted",
    r"\sum_{k=2}^{\infty} c \gamma^{k-1} = \frac{c \gamma}{1 - \gamma}": "proved",
    r"\sum_{n=1}^{\infty} n (1 - \gamma)^{n-1} \gamma = \frac{1}{\gamma}": "proved",
    r"\sum_{n=0}^{\infty} n \gamma^{n} = \frac{\gamma}{(1 - \gamma)^2}": "proved",
    r"\sum_{n=3}^{\infty} n \gamma^{n} = \frac{\gamma^3 (3 - 2 \gamma)}{(1 - \gamma)^2}": "proved",
    r"\sum_{n=1}^{\infty} n (1 - \gamma)^{n-1} \gamma = \frac{1}{1 - \gamma}": "refuted",
    r"\sum_{k=0}^{\infty} (\gamma \lambda)^k = \frac{1}{1 - \gamma \lambda}": "proved",
    r"\sum_{k=0}^{\infty} \frac{\gamma^k}{2^k} = 2": "unread",
    r"\sum_{k=0}^{\infty} \gamma^k x_k = 1": "unread",
    r"\sum_{k=0}^{\infty} \gamma^k > 0": "proved",
}


@pytest.mark.parametrize("claim", CLAIMS)
def test_series(claim: str) -> None:
    """Nothing is asked of ratios for which the series does not converge."""
    text = rf"For $0 < \gamma < 1$ and numbers $c$ and $\lambda$ we have ${claim}$."
    found = study(read_text(text, "x.md"), decide=decide)[-1]
    assert (found.status, found.reason) == (CLAIMS[claim], found.reason)


def test_a_claim_that_fails_only_where_the_series_diverges_is_proved() -> None:
    text = r"We have $\sum_{k=0}^{\infty} r^k > 0$."
    assert study(read_text(text, "x.md"), decide=decide)[-1].status == "proved"


def test_series_of_matrices_are_not_read() -> None:
    text = r"For $P \in \mathbb{R}^{n \times n}$ we have $\sum_{k=0}^{\infty} P^k = (I - P)^{-1}$."
    found = study(read_text(text, "x.md"), decide=decide)[-1]
    assert found.status == "unread" and "infinite sum" in (found.reason or "")
