r"""One letter in two fonts: when `v_1` is an entry of `\mathbf{v}`, and when it has nothing to do with `\mathbf{v}_1`."""

from __future__ import annotations

import pytest

from derivations.documents import read_text
from derivations.provers.decide import decide
from derivations.study.claims import study


def outcomes(text: str) -> list[str]:
    return [f.status for f in study(read_text(text, "x.md"), decide=decide)]


ROWS = {
    "entries of the bold one": (
        r"Let $\mathbf v \in \mathbb{R}^n$. $$\mathbf v^\top \mathbf v = \sum_{i=1}^n v_i^2$$ "
        r"$$\mathbf v^\top \mathbf v = 2 \sum_{i=1}^n v_i^2$$",
        ["proved", "refuted"],
    ),
    "entries of members of a family": (
        r"Let $\mathbf w_k \in \mathbb{R}^n$. $$\mathbf w_k^\top \mathbf w_k = \sum_{i=1}^n w_{ki}^2$$ "
        r"$$\mathbf w_k^\top \mathbf w_k = 2 \sum_{i=1}^n w_{ki}^2$$",
        ["proved", "refuted"],
    ),
    "entries of members of a family, beside numbers": (
        r"Let $\mathbf w_k \in \mathbb{R}^n$ and $w_k = 2 s_k$. $$\mathbf w_k^\top \mathbf w_k = \sum_{i=1}^n w_{ki}^2$$ "
        r"$$\mathbf w_k^\top \mathbf w_k = 2 \sum_{i=1}^n w_{ki}^2$$",
        ["defined", "proved", "refuted"],
    ),
    "coefficients": (
        r"Let $\mathbf a_k \in \mathbb{R}^n$. $$\mathbf b = \sum_{k=1}^m a_k \mathbf a_k$$ $$\mathbf b^\top \mathbf b = "
        r"\sum_{k=1}^m \sum_{l=1}^m a_k a_l \mathbf a_k^\top \mathbf a_l$$ $$\mathbf b^\top \mathbf b = "
        r"\sum_{k=1}^m a_k a_k \mathbf a_k^\top \mathbf a_k$$",
        ["defined", "proved", "undecided"],
    ),
    "lengths": (
        r"Let $\mathbf x_i \in \mathbb{R}^d$ and $x_i = \|\mathbf x_i\|$. $$x_i^2 = \mathbf x_i^\top \mathbf x_i$$ "
        r"$$x_i^2 = 2 \mathbf x_i^\top \mathbf x_i$$",
        ["defined", "proved", "refuted"],
    ),
    "one name in both fonts, transposed": (
        r"Let $\mathbf x_i \in \mathbb{R}^d$ and $W \in \mathbb{R}^{d \times d}$. $$\mathbf q_i = W \mathbf x_i$$ "
        r"$$q_i^\top q_j = x_i^\top W^\top W x_j$$ $$q_i^\top q_j = 2 x_i^\top W^\top W x_j$$",
        ["defined", "proved", "refuted"],
    ),
    "one name in both fonts, in dots": (
        r"Let $\mathbf q_i, \mathbf k_j \in \mathbb{R}^d$. $$a_{ij} = q_i \cdot k_j$$ $$a_{ij} = \mathbf q_i^\top \mathbf k_j$$",
        ["defined", "proved"],
    ),
    "a number that is declared beside a vector": (
        r"Let $x, a \in \mathbb{R}$ and $\mathbf{a} \in \mathbb{R}^n$. $$\mathbf{x}^\top \mathbf{x} = \|\mathbf{x}\|^2$$ "
        r"$$a \mathbf{a}^\top \mathbf{a} = a \sum_{i=1}^n a_i^2$$ $$a \mathbf{a}^\top \mathbf{a} = a^2 \sum_{i=1}^n a_i^2$$",
        ["proved", "proved", "refuted"],
    ),
    "a number that is squared beside a vector": (
        r"Here $f(x) = x^2$, but $$\mathbf{x}^\top \mathbf{x} = \|\mathbf{x}\|^2$$ $$f(3) = 9$$",
        ["defined", "proved", "proved"],
    ),
    "one name in both fonts, declared": (
        r"Let $\mathbf x_1, \dots, \mathbf x_n$ with $x_i \in \mathbb{R}^d$. $$\mathbf s = \sum_{i=1}^n \mathbf x_i$$ "
        r"$$\mathbf s = \sum_{i=1}^n x_i$$",
        ["defined", "proved"],
    ),
}
MATRIX = r"\begin{pmatrix} 3 & 1 \\ 0 & 2 \end{pmatrix}"
EIGENVALUES = rf"Let $\mathbf A = {MATRIX}$. $$\mathbf A \mathbf v_i = \lambda_i \mathbf v_i$$ "
NUMBERS = {
    "in the cells of a matrix": (
        EIGENVALUES
        + r"$$\mathbf A - \lambda \mathbf I = \begin{pmatrix} 3 - \lambda & 1 \\ 0 & 2 - \lambda \end{pmatrix}$$",
        "proved",
    ),
    "in the cells of a matrix, and not": (
        EIGENVALUES
        + r"$$\mathbf A - \lambda \mathbf I = \begin{pmatrix} 3 - \lambda & 1 \\ 0 & 2 + \lambda \end{pmatrix}$$",
        "refuted",
    ),
    "in sums with numbers that are multiplied": (
        EIGENVALUES + r"$$(3 - \lambda) (2 - \lambda) = \lambda^2 - 5 \lambda + 6$$",
        "proved",
    ),
    "in sums with numbers that are multiplied, and not": (
        EIGENVALUES + r"$$(3 - \lambda) (2 - \lambda) = \lambda^2 - 5 \lambda - 6$$",
        "refuted",
    ),
    "an entry of the bold one": (r"Let $\mathbf x = (x, y)$. $$\|\mathbf x\|^2 = x^2 + y^2$$", "proved"),
    "an entry of the bold one, and not": (r"Let $\mathbf x = (x, y)$. $$\|\mathbf x\|^2 = x^2 - y^2$$", "refuted"),
    "a cell of a matrix, beside a bold vector": (
        r"$$\mathbf A = \begin{pmatrix} a & b \\ -b & a \end{pmatrix}$$ $$\mathbf c = \mathbf A \mathbf b$$ "
        r"$$\mathbf A^\top \mathbf A = (a^2 + b^2) \mathbf I$$",
        "proved",
    ),
    "the norm of the bold one": (
        r"For $\mathbf r \in \mathbb{R}^n$ let $$r = \|\mathbf r\|.$$ $$r^2 = \sum_i r_i^2$$",
        "proved",
    ),
    "the norm of the bold one, and not": (
        r"For $\mathbf r \in \mathbb{R}^n$ let $$r = \|\mathbf r\|.$$ $$r = \sum_i r_i$$",
        "undecided",
    ),
    "a vector with entries": (
        r"Let $x_i$ be the entries of $x$. $$y = x + 1$$ $$y_i = x_i + 1$$",
        "proved",
    ),
}
NEVER_REFUTED = {
    "entries of eigenvectors": (
        r"The entries satisfy $v_2 = -v_1$, so $$\mathbf v_1 = \begin{pmatrix} 1 \\ 1 \end{pmatrix}$$ and "
        r"$$\mathbf v_2 = \begin{pmatrix} 1 \\ -1 \end{pmatrix}$$"
    ),
    "entries that are written out": (
        r"Let $\mathbf v = \begin{pmatrix} v_1 \\ v_2 \end{pmatrix}$. From $v_2 = -v_1$ we have "
        r"$$\mathbf v_1 = \begin{pmatrix} 1 \\ 1 \end{pmatrix}$$ $$\mathbf v_2 = \begin{pmatrix} 1 \\ -1 \end{pmatrix}$$"
    ),
}


@pytest.mark.parametrize("name", ROWS)
def test_what_the_italic_letter_is(name: str) -> None:
    text, expected = ROWS[name]
    assert outcomes(text) == expected


@pytest.mark.parametrize("name", NEVER_REFUTED)
def test_numbers_and_vectors_of_one_letter_contradict_nothing(name: str) -> None:
    assert not {"refuted", "unread"} & set(outcomes(NEVER_REFUTED[name]))


@pytest.mark.parametrize("name", NUMBERS)
def test_a_letter_alone_is_a_number_where_only_numbers_stand(name: str) -> None:
    text, expected = NUMBERS[name]
    assert outcomes(text)[-1] == expected
