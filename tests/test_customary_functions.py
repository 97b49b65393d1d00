r"""Functions that a text never defines: `\sigma` for the logistic function."""

from __future__ import annotations

import pytest

from derivations.documents import read_text
from derivations.provers.decide import decide
from derivations.study.claims import study

TEXTS = {
    r"We have $\sigma(a - b) = \frac{e^a}{e^a + e^b}$.": ("proved",),
    r"The loss is $\ell = -\log \sigma(z)$. We have $\sigma(z) = 1 - \sigma(-z)$ and $\frac{\partial \ell}{\partial z} = \sigma(z) - 1$.": (
        "defined",
        "proved",
        "proved",
    ),
    r"The loss is $\ell = -\log \sigma(z)$. We have $\sigma(z) = 1 - \sigma(-z)$ and $\frac{\partial \ell}{\partial z} = 1 - \sigma(z)$.": (
        "defined",
        "proved",
        "refuted",
    ),
    r"For every activation $\sigma$ we have $\sigma(z)^2 = \sigma(z) \sigma(-z)$.": ("undecided",),
    r"Let $\sigma$ be any activation function. Then $\sigma(z) + \sigma(-z) = 1$.": ("undecided",),
    r"For an arbitrary nonlinearity $\sigma$ we have $\sigma(z) + \sigma(-z) = 1$.": ("undecided",),
    r"Let $\sigma(z) = z^2$. We have $\sigma(z) = 1 - \sigma(-z)$.": ("defined", "refuted"),
}


@pytest.mark.parametrize("text", TEXTS)
def test_texts(text: str) -> None:
    found = study(read_text(text, "x.md"), decide=decide)
    assert tuple(f.status for f in found) == TEXTS[text], [f.reason for f in found]
