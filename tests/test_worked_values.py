"""Worked values: numbers that the text puts in, and claims about what comes out of them."""

from __future__ import annotations

import pytest

from derivations.documents import read_text
from derivations.provers.decide import decide
from derivations.study.claims import study

SOFTMAX = r"""
For $z \in \mathbb{R}^K$ let
$$p_k(z) = \frac{e^{z_k}}{Z(z)}, \qquad Z(z) = \sum_{m=1}^{K} e^{z_m}.$$

Put $K = 3$ and $z = (0, \ln 2, \ln 5)$. """
RETURNS = r"""
The return is $$G_t = \sum_{k=0}^{T-t-1} \gamma^k R_{t+k+1}.$$

With $\gamma = \tfrac12$, $T = 3$, $R_1 = 4$, $R_2 = 2$ and $R_3 = 8$ we get """
NORM = r"""
For $x \in \mathbb{R}^d$ let $r(x) = \sqrt{\frac1d \sum_{i=1}^d x_i^2}$.

"""
PRODUCT = r"""
With $X \in \mathbb{R}^{m \times p}$ and $W \in \mathbb{R}^{p \times d}$ let
$$Q = X W, \qquad P = \mathrm{softmax}(Q), \qquad Y = P Q^\top, \qquad t = \sum_{i=1}^m \sum_{j=1}^d Q_{ij} ,$$

where the softmax is taken over each row.

## In numbers

Take
$$X = \begin{bmatrix} 1 & 0 & 1 \\ 0 & 1 & 1 \end{bmatrix}, \qquad W = \begin{bmatrix} 1 & 1 \\ 0 & 1 \\ 0 & 1 \end{bmatrix} .$$

### Results

"""
WEIGHTS = r"$$P = \begin{bmatrix} 0.27 & 0.73 \\ 0.12 & 0.88 \end{bmatrix} .$$"
DOCUMENTS = {
    "what definitions make of arrays of numbers": (
        PRODUCT + r"$$Q = \begin{bmatrix} 1 & 2 \\ 0 & 2 \end{bmatrix}$$",
        "proved",
        None,
    ),
    "what they make of them, a slip": (
        PRODUCT + r"$$Q = \begin{bmatrix} 1 & 2 \\ 0 & 3 \end{bmatrix}$$",
        "refuted",
        "false-claim",
    ),
    "numbers of another example": (PRODUCT + r"$$Q = \begin{bmatrix} 3 & 5 \\ 1 & 4 \end{bmatrix}$$", "defined", None),
    "a number that they make": (PRODUCT + "So we get $$t = 5 .$$", "proved", None),
    "a number that they make, a slip": (PRODUCT + "So we get $$t = 6 .$$", "refuted", "false-claim"),
    "decimals that they make": (PRODUCT + WEIGHTS, "holds", None),
    "decimals that may come from rounded ones": (
        PRODUCT + WEIGHTS + r" $$Y = \begin{bmatrix} 1.73 & 1.46 \\ 1.88 & 1.80 \end{bmatrix}$$",
        "undecided",
        "rounded-number",
    ),
    "decimals that no rounding explains": (
        PRODUCT + WEIGHTS + r" $$Y = \begin{bmatrix} 1.73 & 1.46 \\ 1.88 & 1.23 \end{bmatrix}$$",
        "refuted",
        "false-claim",
    ),
    "a function of an array": (SOFTMAX + "Then $Z(z) = 8$.", "proved", None),
    "a function of an array, a slip": (SOFTMAX + "Then $Z(z) = 9$.", "refuted", "false-claim"),
    "an array": (SOFTMAX + r"Then $p(z) = \left(\tfrac18, \tfrac14, \tfrac58\right)$.", "proved", None),
    "an array, a slip": (
        SOFTMAX + r"Then $p(z) = \left(\tfrac14, \tfrac18, \tfrac58\right)$.",
        "refuted",
        "false-claim",
    ),
    "a sum of entries": (RETURNS + r"$G_1 = 2 + \tfrac12 \cdot 8$.", "proved", None),
    "a sum of entries, a slip": (RETURNS + r"$G_0 = 8$.", "refuted", "false-claim"),
    "entries alone": (NORM + r"Let $x = (3, 4, 0, 0)$ with $d = 4$. Then $\sum_i x_i = 7$.", "proved", None),
    "decimals as far as they are printed": (NORM + r"Let $d = 2$ and $x = (1, 2)$. Then $r(x) = 1.58$.", "holds", None),
    "decimals, a slip": (NORM + r"Let $d = 2$ and $x = (1, 2)$. Then $r(x) = 1.85$.", "refuted", "false-claim"),
    "another paragraph": (NORM + "Let $d = 2$ and $x = (1, 2)$.\n\nThere $\\sum_i x_i = 4$.", "skipped", "hypothesis"),
    "another value": (
        NORM + r"Let $d = 2$ and $x = (1, 2)$, then $\sum_i x_i = 3$. For $x = (2, 2)$ we have $\sum_i x_i = 4$.",
        "proved",
        None,
    ),
    "something left open": (
        r"Let $s = a + b$. With $a = 2$ the sum is $s = 5$.",
        "skipped",
        "special-case",
    ),
    "false in general, true here": (r"With $a = 2$ and $b = 2$ we have $a b = a + b$.", "proved", None),
    "false here as well": (r"With $a = 2$ and $b = 3$ we have $a b = a + b$.", "refuted", "false-claim"),
    "one number at all places": (
        r"For $x, g \in \mathbb{R}^n$ let $s = \sum_{i=1}^n g_i x_i$. With $g = \mathbf{1}$ we have $s = \sum_{i=1}^n x_i$.",
        "proved",
        None,
    ),
    "groups of three digits": (r"With $d = 512$ the layer has $N = 4 d^2$ weights, $N = 1\,048\,576$.", "proved", None),
}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_documents(name: str) -> None:
    text, status, code = DOCUMENTS[name]
    found = study(read_text(text, "x.md"), decide=decide)[-1]
    assert (found.status, found.code, found.reason) == (status, code, found.reason)


def test_what_is_put_in_is_said() -> None:
    found = study(read_text(DOCUMENTS["a function of an array"][0], "x.md"), decide=decide)[-1]
    assert [n.text for n in found.assumptions if n.kind == "put-in"] == [
        r"for the values that the text puts in: K = 3, z = (0, \ln 2, \ln 5)"
    ]
