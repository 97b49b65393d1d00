r"""Places in square brackets, `h[k]`, signs alone in scripts, `\Sigma_\times`, and matrices in angles."""

from __future__ import annotations

import pytest
from studied import statuses

from derivations.latex.syntax.reader import read_equation
from derivations.latex.syntax.surface import Big, walk
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
    "one thing given another": (
        r"Let $$s_{a|b} = s_a - \frac{s_{ab}^2}{s_b} .$$ Then $$s_b (s_a - s_{a \mid b}) = s_{ab}^2 .$$",
        ["defined", "proved"],
    ),
    "entries of a vector beside one entry given another": (
        r"Let $x \in \mathbb{R}^n$. With $p_{j|i} = p_{ij} / p_i$ let $y_i = 2 x_i$. Then $$y = 2 x .$$",
        ["skipped", "defined", "proved"],
    ),
    "parts of a vector that is declared": (
        r"Let $x \in \mathbb{R}^n$ have the parts $x = (x_a, x_b)$ and let $$s_{a|b} = s_a - \frac{s_{ab}^2}{s_b} .$$ "
        r"Then $$s_b (s_a - s_{a \mid b}) = s_{ab}^2 .$$",
        ["unread", "defined", "proved"],
    ),
    "the product of two matrices in angles": (
        r"For $A, B \in \mathbb{R}^{m \times n}$ $$\langle A, B \rangle = \operatorname{tr}(A^\top B) .$$",
        ["proved"],
    ),
}


@pytest.mark.parametrize(("text", "expected"), CASES.values(), ids=CASES)
def test_verdicts(text: str, expected: list[str]) -> None:
    assert statuses(text) == expected


@pytest.mark.parametrize(
    ("source", "is_sum"),
    [
        (r"\Sigma_{i=1}^n x_i", True),
        (r"\Sigma_{d \mid n} f(d)", True),
        (r"\Sigma_{a|b} + \Sigma_{ab}", False),
        (r"\Sigma_{a \mid b} \Sigma_{bb}", False),
    ],
)
def test_a_capital_sigma_is_a_sum_where_something_is_counted(source: str, is_sum: bool) -> None:
    (reading,) = read_equation(f"y = {source}")
    assert any(isinstance(n, Big) for n in walk(reading.chain)) == is_sum


@pytest.mark.parametrize("source", [r"\Sigma_\times", r"h^{\rightarrow}_t", r"a_{\parallel}", r"K_\oplus"])
def test_signs_in_scripts_are_written_again(source: str) -> None:
    (reading,) = read_equation(f"{source} = 1")
    assert reading.chain.first is not None
    again = write_surface(reading.chain.first)
    (other,) = read_equation(f"{again} = 1")
    assert other.chain.first is not None
    assert write_surface(other.chain.first) == again


DIAGONALS = {
    "the degrees of a graph": (
        r"Degrees $d_i = \sum_{j=1}^{n} A_{ij}$ are positive; let $D$ be the diagonal matrix of the degrees. With $L = D - A$ "
        r"always $$L \mathbf{1} = 0 .$$ And $\hat A = D^{-1/2} A D^{-1/2}$ has $$\hat A_{ij} = A_{ij} / \sqrt{d_i d_j} .$$",
        ["defined", "defined", "proved", "defined", "proved"],
    ),
    "a vector behind the words": (
        r"Let $D$ be the diagonal matrix with $d \in \mathbb{R}^n$ on its diagonal. Then $$D \mathbf{1} = d .$$",
        ["proved"],
    ),
    "what stands on the diagonal is not told": (
        r"Let $D$ be the diagonal matrix of the degrees and $L = D - A$. Then $$L \mathbf{1} = 0 .$$",
        ["defined", "undecided"],
    ),
    "the entries of a vector": (
        r"Let $D$ be the diagonal matrix with the entries of $d \in \mathbb{R}^n$ on its diagonal. Then $$D \mathbf{1} = d .$$",
        ["proved"],
    ),
    "the square roots of a vector are not the vector": (
        r"Let $d \in \mathbb{R}^n$ be positive and $D$ be the diagonal matrix with the square roots of $d$ on its diagonal. "
        r"Then $$(D x)_i = d_i x_i .$$",
        ["undecided"],
    ),
    "the inverses of what is named are not it": (
        r"With degrees $d_i$ let $D$ be the diagonal matrix of the inverse degrees. Then $$(D x)_i = d_i x_i .$$",
        ["undecided"],
    ),
    "what is done to the entries of a vector": (
        r"Let $d \in \mathbb{R}^n$ and let $D$ be the diagonal matrix with $d_i$ squared on its diagonal. "
        r"Then $$(D x)_i = d_i x_i .$$",
        ["undecided"],
    ),
    "a root of a diagonal matrix": (
        r"Let $D \in \mathbb{R}^{n \times n}$ be a diagonal matrix with positive entries. Then $$D^{1/2} D^{1/2} = D .$$",
        ["proved"],
    ),
    "the rows of three matrices": (
        r"The matrices $Q, K \in \mathbb{R}^{T \times d}$ and $V \in \mathbb{R}^{T \times e}$ have the rows $q_t^\top$, $k_t^\top$ "
        r"and $v_t^\top$. Let $$z_{ts} = q_t^\top k_s .$$ Then $$z_{ts} = (Q K^\top)_{ts} .$$",
        ["defined", "proved"],
    ),
}


@pytest.mark.parametrize(("text", "expected"), DIAGONALS.values(), ids=DIAGONALS)
def test_matrices_that_words_tell(text: str, expected: list[str]) -> None:
    assert statuses(text) == expected
