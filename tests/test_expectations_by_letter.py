"""The letters E and V as an expectation and a variance, and e as a number, told by what stands around them."""

import pytest

from derivations.documents import read_text
from derivations.provers.decide import decide
from derivations.study.claims import study

DOCUMENTS = {
    "a capital that is drawn from a law of numbers": (
        r"Let $X \sim \mathcal{N}(\mu, \sigma^2)$. $$E[X^2] = \mu^2 + \sigma^2$$ $$\mathrm{Var}(3X - 2) = 9\sigma^2$$",
        ["skipped", "proved", "proved"],
    ),
    "one that is false": (
        r"Let $X \sim \mathcal{N}(\mu, \sigma^2)$. $$\mathrm{Var}(3X - 2) = 3\sigma^2$$",
        ["skipped", "refuted"],
    ),
    "letters in another font": (
        r"For a random variable $X$ it is $$\mathsf{E}[aX + b] = a\,\mathsf{E}[X] + b$$ $$\mathsf{V}[aX + b] = a^2\,\mathsf{V}[X]$$",
        ["proved", "proved"],
    ),
    "an equation to be solved": (
        r"Let $x = \mu$. Let $\mu \in \mathbb{R}$. We look for $$e^{-(x - \mu)^2} = \frac{1}{2}.$$",
        ["defined", "undecided"],
    ),
    "the number e": (r"So $$\frac{e^2}{e^2 + e + 1} \approx 0.665.$$", ["holds"]),
    "the number e, a wrong value": (r"So $$\frac{e^2}{e^2 + e + 1} \approx 0.765.$$", ["refuted"]),
}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_statuses(name: str) -> None:
    text, expected = DOCUMENTS[name]
    assert [f.status for f in study(read_text(text, "x.md"), decide=decide)] == expected
