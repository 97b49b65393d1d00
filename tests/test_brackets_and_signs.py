r"""Places in square brackets, `h[k]`, signs alone in scripts, `\Sigma_\times`, and matrices in angles."""

from __future__ import annotations

import pytest
from studied import statuses

from derivations.latex.syntax.reader import read_equation
from derivations.latex.syntax.surface_writer import write_surface

STATE = r"Let $A \in \mathbb{R}^{n \times n}$, $h[0] = 0$ and $$h[k] = A h[k-1] + B u[k]$$ "

CASES = {
    "a state that is unrolled": (
        STATE + r"Then $$h[k] = \sum_{j=1}^k A^{k-j} B u[j] .$$",
        ["defined", "defined", "proved"],
    ),
    "a convolution is no product of letters": (
        r"Let $$y[n] = \sum_{k=0}^{K-1} w[k] x[n-k] .$$ Then $$y[n] = n x \sum_{k=0}^{K-1} w k - x \sum_{k=0}^{K-1} w k^2 .$$",
        ["defined", "undecided"],
    ),
    "other names with these letters": (
        STATE + r"$$y[k] = C h[k]$$ Then $$y[k] = C A h[k-1] + C B u[k] .$$",
        ["defined", "defined", "defined", "proved"],
    ),
    "brackets around a sum multiply": (
        r"For $a, b \in \mathbb{R}$ always $$a [b + 1] = a b + a .$$",
        ["proved"],
    ),
    "a sign below a name": (
        r"Let $$\Sigma_\times = (\Sigma_1^{-1} + \Sigma_2^{-1})^{-1} .$$ Then $$\Sigma_\times^{-1} = \Sigma_1^{-1} + \Sigma_2^{-1} .$$",
        ["defined", "proved"],
    ),
    "parts along and across": (
        r"For $a, b \in \mathbb{R}^n$ let $a_\parallel = \frac{a^\top b}{b^\top b} b$ and $a_\perp = a - a_\parallel$. "
        r"Then $$a_\perp + a_\parallel = a .$$",
        ["defined", "defined", "proved"],
    ),
    "the product of two matrices in angles": (
        r"For $A, B \in \mathbb{R}^{m \times n}$ $$\langle A, B \rangle = \operatorname{tr}(A^\top B) .$$",
        ["proved"],
    ),
}


@pytest.mark.parametrize(("text", "expected"), CASES.values(), ids=CASES)
def test_verdicts(text: str, expected: list[str]) -> None:
    assert statuses(text) == expected


@pytest.mark.parametrize("source", [r"\Sigma_\times", r"h^{\rightarrow}_t", r"a_{\parallel}", r"K_\oplus"])
def test_signs_in_scripts_are_written_again(source: str) -> None:
    (reading,) = read_equation(f"{source} = 1")
    assert reading.chain.first is not None
    again = write_surface(reading.chain.first)
    (other,) = read_equation(f"{again} = 1")
    assert other.chain.first is not None
    assert write_surface(other.chain.first) == again
