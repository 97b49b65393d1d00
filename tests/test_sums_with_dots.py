"""Sums that are written with dots are sums over an index, where every term that is written fits."""

from __future__ import annotations

import pytest

from derivations.documents import read_text
from derivations.latex.passes.sums_with_dots import with_sums_of_dots
from derivations.latex.syntax.reader import read_equation
from derivations.latex.syntax.surface import Big, walk
from derivations.provers.decide import decide
from derivations.study.claims import study

CLAIMS = {
    "indices": (
        r"For $w, x \in \mathbb{R}^m$ we have $$w_1 x_1 + \dots + w_m x_m + 2 = \sum_{l=1}^m w_l x_l + 2.$$",
        "proved",
    ),
    "a sign": (
        r"For $w, x \in \mathbb{R}^m$ we have $$w_1 x_1 + \dots + w_m x_m = - \sum_{l=1}^m w_l x_l.$$",
        "refuted",
    ),
    "numbers": (r"We have $$1 + 2 + \dots + n = \frac{n (n + 1)}{2}.$$", "proved"),
    "wrong numbers": (r"We have $$1 + 2 + \dots + n = \frac{n (n - 1)}{2}.$$", "refuted"),
    "odd numbers": (r"We have $$1 + 3 + 5 + \dots + (2n - 1) = n^2.$$", "proved"),
    "powers": (r"For a number $0 < r < 1$, $$1 + r + r^2 + \cdots + r^{n-1} = \frac{1 - r^n}{1 - r}.$$", "proved"),
    "powers of two": (r"We have $$1 + 2 + 4 + \dots + 2^n = 2^{n+1} - 1.$$", "proved"),
    "a polynomial": (r"Let $$p = c_0 + c_1 x + \dots + c_k x^k.$$ Then $$2 p = \sum_{j=0}^k 2 c_j x^j.$$", "proved"),
}
OPEN = (
    r"1 + \dots + (2n - 1)",  # of all numbers, or of the odd ones
    r"x + \dots",
    r"1 + 4 + \dots + n",
    r"a \cdot \dots \cdot b",
)


@pytest.mark.parametrize("name", CLAIMS)
def test_claim(name: str) -> None:
    text, status = CLAIMS[name]
    found = study(read_text(text, "a.md"), decide=decide)
    assert found[-1].status == status, (found[-1].code, found[-1].reason)


@pytest.mark.parametrize("latex", OPEN)
def test_what_does_not_fit_stays(latex: str) -> None:
    (reading,) = read_equation(f"s = {latex}")
    assert not any(isinstance(n, Big) for n in walk(with_sums_of_dots(reading).chain))


def test_the_item_shows_the_whole_sum() -> None:
    (found,) = study(read_text(r"So $1 + 2 + \dots + n = \frac{n (n + 1)}{2}$.", "a.md"), decide=decide)
    assert found.source == r"1 + 2 + \dots + n = \frac{n (n + 1)}{2}"
