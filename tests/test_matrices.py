"""Powers and inverses of matrices, gradients and Hessians in documents."""

from __future__ import annotations

from fractions import Fraction

import pytest

from derivations.documents import read_text
from derivations.language.extended_reals import ball
from derivations.language.inputs import Inputs
from derivations.language.meaning import evaluate
from derivations.language.statement import Tensor, Theory
from derivations.language.substitution import subterms
from derivations.language.term import Apply, Case, Derivative, Entry, Index, Pow, Term, at_least, guard
from derivations.provers.decide import Proved, decide
from derivations.provers.normal import normalise
from derivations.study.claims import study

GIVEN = (
    r"Let $\mathbf{A}, \mathbf{B} \in \mathbb{R}^{n\times n}$, $\mathbf{X} \in \mathbb{R}^{m\times n}$, "
    r"$\mathbf{u}, \mathbf{v} \in \mathbb{R}^n$ and $\mathbf{y} \in \mathbb{R}^m$. "
)
STATE = (
    r"Let $\mathbf{A} \in \mathbb{R}^{n\times n}$, $\mathbf{b} \in \mathbb{R}^n$ and $u_1, \ldots, u_T$ be numbers. "
    r"From $\mathbf{h}_0 = \mathbf{0}$ on, $$\mathbf{h}_t = \mathbf{A}\mathbf{h}_{t-1} + \mathbf{b}u_t.$$ "
)
RIDGE = (
    r"Let $\mathbf{X} \in \mathbb{R}^{m\times n}$ and $\mathbf{y} \in \mathbb{R}^m$. "
    r"Let $$R(\mathbf{w}) = \|\mathbf{y} - \mathbf{X}\mathbf{w}\|^2 + \mu\,\|\mathbf{w}\|^2.$$ "
)
DOCUMENTS = {
    "a projection": (
        r"Let $\mathbf{x} \in \mathbb{R}^d$ and $\mathbf{C} = \mathbf{I} - \frac{1}{d}\mathbf{1}\mathbf{1}^\top$, so that "
        r"$\mathbf{C}^2 = \mathbf{C}$ and $\mathbf{C}^3 = \mathbf{C}$. Then $$\mathbf{C}^2 = 2\mathbf{C}.$$ "
        r"$$\sum_{i=1}^d (\mathbf{C}\mathbf{x})_i = 0$$",
        ["defined", "proved", "proved", "refuted", "proved"],
    ),
    "determinants up to three rows": (
        r"Let $A, B \in \mathbb{R}^{3 \times 3}$ and $c \in \mathbb{R}$. $$\det(AB) = \det(A) \det(B)$$ "
        r"$$\det(c A) = c^3 \det A$$ $$\det(c A) = c \det A$$ $$|A^\top| = |A|$$ $$\det(A + B) = \det A + \det B$$",
        ["proved", "proved", "refuted", "proved", "refuted"],
    ),
    "determinants of numbers": (
        r"Let $M = \begin{pmatrix} 2 & 1 \\ 1 & 3 \end{pmatrix}$. Then $\det M = 2 \cdot 3 - 1 \cdot 1$ and $\det M = 6$.",
        ["defined", "proved", "refuted"],
    ),
    "entries between bars": (
        r"$$\begin{vmatrix} a & b \\ c & d \end{vmatrix} = ad - bc$$ "
        r"$$\left| \begin{matrix} a & b \\ c & d \end{matrix} \right| = ad + bc$$",
        ["proved", "refuted"],
    ),
    "entries between double bars": (r"$$\begin{Vmatrix} a & b \\ c & d \end{Vmatrix} = ad - bc$$", ["unread"]),
    "the determinant of a rotation": (
        r"Let $$R(t) = \begin{bmatrix} \cos t & -\sin t \\ \sin t & \cos t \end{bmatrix} .$$ $$\det R(t) = 1$$ "
        r"$$\det R(t) = \cos(2 t)$$",
        ["defined", "proved", "refuted"],
    ),
    "determinants of any size": (
        r"Let $A, B \in \mathbb{R}^{n \times n}$. $$\det(A) \det(B) = \det(B) \det(A)$$ "
        r"$$\det(AB) = \det(A) \det(B)$$ $$\det(A + B) = \det(A) + \det(B)$$ $$\det(I) = 1$$",
        ["proved", "proved", "refuted", "proved"],
    ),
    "bars around a matrix": (
        r"Let $A, B \in \mathbb{R}^{2 \times 2}$. $$|A B| = |A| |B|$$ $$|A| = A_{11} A_{22} - A_{12} A_{21}$$ "
        r"$$|A|_{ij} = |A_{ij}|$$ $$|A - B| \le |A| + |B|$$",
        ["undecided", "proved", "proved", "undecided"],
    ),
    "bars around what may be a set": (r"$$|A \cup B| = |A| + |B|$$ $$|A| = n$$", ["unread", "unread"]),
    "a determinant of what is not square": (
        r"Let $D \in \mathbb{R}^{m \times k}$. $$\det(D) = 1$$ $$|D| = 1$$",
        ["unread", "unread"],
    ),
    "a square that is no matrix": (GIVEN + r"$$\mathbf{y} = \mathbf{X}^2 \mathbf{v}$$", ["unread"]),
    "a square that may be of the entries": (
        r"Let $\mathbf{A} \in \mathbb{R}^{n\times n}$. $$S = \mathbf{A}^2$$ $$S_{ij} = A_{ij}^2$$",
        ["defined", "undecided"],
    ),
    "exponents add": (GIVEN + r"$$\mathbf{A}^{s+k} = \mathbf{A}^s \mathbf{A}^k$$", ["proved"]),
    "exponents off by one": (GIVEN + r"$$\mathbf{A}^{s+k} = \mathbf{A}^s \mathbf{A}^{k+1}$$", ["refuted"]),
    "powers commute": (GIVEN + r"$$\mathbf{A}^k \mathbf{A} = \mathbf{A} \mathbf{A}^k$$", ["proved"]),
    "powers of other matrices do not": (GIVEN + r"$$\mathbf{A}^k \mathbf{B} = \mathbf{B} \mathbf{A}^k$$", ["refuted"]),
    "powers of the transpose": (GIVEN + r"$$(\mathbf{A}^\top)^k = (\mathbf{A}^k)^\top$$", ["proved"]),
    "powers of similar matrices": (
        GIVEN + r"$$(\mathbf{A}^{-1}\mathbf{B}\mathbf{A})^k = \mathbf{A}^{-1}\mathbf{B}^k\mathbf{A}$$",
        ["proved"],
    ),
    "a geometric sum": (
        GIVEN + r"$$(\mathbf{I} - \mathbf{A}) \sum_{s=0}^{k-1} \mathbf{A}^s = \mathbf{I} - \mathbf{A}^k$$",
        ["proved"],
    ),
    "a geometric sum with one term too many": (
        GIVEN + r"$$(\mathbf{I} - \mathbf{A}) \sum_{s=0}^{k} \mathbf{A}^s = \mathbf{I} - \mathbf{A}^k$$",
        ["refuted"],
    ),
    "an unrolled recurrence": (
        STATE + r"$$\mathbf{h}_t = \sum_{s=1}^{t} \mathbf{A}^{t-s}\mathbf{b}u_s$$",
        ["defined", "defined", "proved"],
    ),
    "an unrolled recurrence with one factor too many": (
        STATE + r"$$\mathbf{h}_t = \sum_{s=1}^{t} \mathbf{A}^{t-s+1}\mathbf{b}u_s$$",
        ["defined", "defined", "refuted"],
    ),
    "a convolution": (
        STATE + r"Let $\mathbf{c} \in \mathbb{R}^n$ and $$y_t = \mathbf{c}^\top\mathbf{h}_t.$$ "
        r"With $\kappa_j = \mathbf{c}^\top\mathbf{A}^j\mathbf{b}$ $$y_t = \sum_{j=0}^{t-1} \kappa_j u_{t-j}$$",
        ["defined", "defined", "defined", "defined", "proved"],
    ),
    "matrices of layers": (
        r"Let $W^l \in \mathbb{R}^{d\times d}$. $$G = W^l H$$ $$W^{l+1} = W^l W^1$$",
        ["unread", "unread"],
    ),
    "a matrix that is its own square": (
        GIVEN + r"Suppose $\mathbf{A}^2 = \mathbf{A}$. Then $$(\mathbf{I} - \mathbf{A})^2 = \mathbf{I} - \mathbf{A}.$$ "
        r"$$(\mathbf{I} + \mathbf{A})^2 = \mathbf{I} + \mathbf{A}$$",
        ["skipped", "proved", "refuted"],
    ),
    "a matrix whose square is zero": (
        GIVEN
        + r"Suppose $\mathbf{A}^2 = \mathbf{0}$. Then $$(\mathbf{I} - \mathbf{A})^{-1} = \mathbf{I} + \mathbf{A}.$$",
        ["skipped", "proved"],
    ),
    "one of several matrices": (
        r"Let $W$ be the weights, $y = W x$. $$F(x) = W^2 \operatorname{relu}(W^1 x)$$",
        ["defined", "unread"],
    ),
    "a factor elsewhere": (r"$$y = W x$$ $$z = W^{-1} y$$", ["defined", "defined"]),
    "a divisor elsewhere": (
        r"For $z \in \mathbb{R}^n$ let $$y = T^{-1} z.$$ Then $$y = z / T.$$",
        ["defined", "proved"],
    ),
    "a number that may be a matrix": (r"$$z = T^{-1} x$$", ["unread"]),
    "an inverse": (
        GIVEN + r"$$\mathbf{A}\mathbf{A}^{-1} = \mathbf{I} = \mathbf{A}^{-1}\mathbf{A}$$",
        ["proved", "proved"],
    ),
    "an inverse in the middle": (
        GIVEN
        + r"For every invertible $\mathbf{A}$ $$(\mathbf{X}\mathbf{A})(\mathbf{A}^{-1}\mathbf{v}) = \mathbf{X}\mathbf{v}$$",
        ["proved"],
    ),
    "another order": (
        GIVEN + r"For every invertible $\mathbf{A}$ $$\mathbf{A}\mathbf{B}\mathbf{A}^{-1} = \mathbf{B}$$",
        ["refuted"],
    ),
    "an inverse of a product": (
        GIVEN + r"$$(\mathbf{A}\mathbf{B})^{-1} = \mathbf{B}^{-1}\mathbf{A}^{-1}$$ "
        r"$$(\mathbf{A}\mathbf{B})^{-1} = \mathbf{A}^{-1}\mathbf{B}^{-1}$$",
        ["proved", "refuted"],
    ),
    "an inverse of a transpose": (
        GIVEN + r"$$(\mathbf{A}^\top)^{-1} = (\mathbf{A}^{-1})^\top = \mathbf{A}^{-\top}$$",
        ["proved", "proved"],
    ),
    "pushed through": (
        GIVEN + r"$$(\mathbf{X}^\top\mathbf{X} + \mu\mathbf{I})^{-1}\mathbf{X}^\top = "
        r"\mathbf{X}^\top(\mathbf{X}\mathbf{X}^\top + \mu\mathbf{I})^{-1}$$",
        ["proved"],
    ),
    "pushed through with another number": (
        GIVEN + r"$$(\mathbf{X}^\top\mathbf{X} + \mu\mathbf{I})^{-1}\mathbf{X}^\top = "
        r"\mathbf{X}^\top(\mathbf{X}\mathbf{X}^\top + 2\mu\mathbf{I})^{-1}$$",
        ["refuted"],
    ),
    "normal equations": (
        GIVEN + r"$$\mathbf{w} = (\mathbf{X}^\top\mathbf{X})^{-1}\mathbf{X}^\top\mathbf{y}$$ "
        r"$$\mathbf{X}^\top(\mathbf{y} - \mathbf{X}\mathbf{w}) = \mathbf{0}$$",
        ["defined", "proved"],
    ),
    "a projection onto columns": (
        GIVEN
        + r"$$\mathbf{H} = \mathbf{X}(\mathbf{X}^\top\mathbf{X})^{-1}\mathbf{X}^\top$$ $$\mathbf{H}^2 = \mathbf{H}$$ "
        r"$$\mathbf{H}\mathbf{X} = 2\mathbf{X}$$",
        ["defined", "proved", "refuted"],
    ),
    "inverses of a matrix that has a name and of one that is written": (
        GIVEN + r"Let $\mathbf{K} = \mathbf{X}\mathbf{X}^\top$ and $\mu > 0$. "
        r"$$\mathbf{X}^\top(\mathbf{K} + \mu\mathbf{I}_m)^{-1} = "
        r"(\mathbf{X}^\top\mathbf{X} + \mu\mathbf{I}_n)^{-1}\mathbf{X}^\top$$ "
        r"$$\mathbf{H} = \mathbf{X}(\mathbf{X}^\top\mathbf{X} + \mu\mathbf{I}_n)^{-1}\mathbf{X}^\top$$ "
        r"$$\mathbf{H} = \mathbf{K}(\mathbf{K} + \mu\mathbf{I}_m)^{-1} = "
        r"\mathbf{I}_m - \mu(\mathbf{K} + \mu\mathbf{I}_m)^{-1}$$ "
        r"$$\mathbf{H} = \mathbf{I}_m + \mu(\mathbf{K} + \mu\mathbf{I}_m)^{-1}$$",
        ["defined", "skipped", "proved", "defined", "proved", "proved", "refuted"],
    ),
    "an inverse taken through a matrix to another inverse": (
        GIVEN + r"Let $\mathbf{K} = \mathbf{X}\mathbf{X}^\top$ and $\mu > 0$. "
        r"Let $\mathbf{w} = (\mathbf{X}^\top\mathbf{X} + \mu\mathbf{I}_n)^{-1}\mathbf{X}^\top\mathbf{y}$ and "
        r"$\mathbf{a} = (\mathbf{K} + \mu\mathbf{I}_m)^{-1}\mathbf{y}$. "
        r"$$\mathbf{w}^\top\mathbf{w} = \mathbf{a}^\top\mathbf{K}\mathbf{a}$$ "
        r"$$\|\mathbf{y} - \mathbf{X}\mathbf{w}\|^2 + \mu\,\|\mathbf{w}\|^2 = \mu\,\mathbf{a}^\top\mathbf{y}$$ "
        r"$$\mathbf{w}^\top\mathbf{w} = 2\,\mathbf{a}^\top\mathbf{K}\mathbf{a}$$",
        ["defined", "skipped", "defined", "defined", "proved", "proved", "refuted"],
    ),
    "inverses of symmetric matrices": (
        GIVEN + r"$$\mathbf{u}^\top(\mathbf{X}^\top\mathbf{X} + \mathbf{I})^{-1}\mathbf{v} = "
        r"\mathbf{v}^\top(\mathbf{X}^\top\mathbf{X} + \mathbf{I})^{-1}\mathbf{u}$$ "
        r"$$\mathbf{u}^\top\mathbf{A}^{-1}\mathbf{v} = \mathbf{v}^\top\mathbf{A}^{-1}\mathbf{u}$$",
        ["proved", "refuted"],
    ),
    "a change of rank one": (
        GIVEN + r"$$(\mathbf{A} + \mathbf{u}\mathbf{v}^\top)^{-1} = \mathbf{A}^{-1} - "
        r"\frac{\mathbf{A}^{-1}\mathbf{u}\mathbf{v}^\top\mathbf{A}^{-1}}{1 + \mathbf{v}^\top\mathbf{A}^{-1}\mathbf{u}}$$",
        ["proved"],
    ),
    "a gradient by the argument": (
        RIDGE + r"Then $$\nabla R(\mathbf{w}) = 2\mathbf{X}^\top(\mathbf{X}\mathbf{w} - \mathbf{y}) + 2\mu\mathbf{w}$$ "
        r"$$\nabla R(\mathbf{w}) = 2\mathbf{X}^\top(\mathbf{X}\mathbf{w} - \mathbf{y}) + \mu\mathbf{w}$$",
        ["defined", "proved", "refuted"],
    ),
    "a second derivative": (
        RIDGE + r"Then $$\nabla^2 R(\mathbf{w}) = 2\mathbf{X}^\top\mathbf{X} + 2\mu\mathbf{I}$$ "
        r"$$\nabla^2_{\mathbf{w}} R(\mathbf{w}) = \mathbf{X}^\top\mathbf{X} + 2\mu\mathbf{I}$$",
        ["defined", "proved", "refuted"],
    ),
}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_documents(name: str) -> None:
    text, expected = DOCUMENTS[name]
    found = study(read_text(text, "matrices.md"), decide=decide)
    assert [f.status for f in found] == expected, [(f.source, f.reason) for f in found]


X, Y = Entry("x"), Entry("y")
POSITIVE = Pow(X, 2) + Pow(Y, 2) + 1
TERMS = (
    X * X * X * Y,
    Pow(POSITIVE, -2) * X,
    Pow(POSITIVE + Pow(X, 4), Fraction(1, 2)) * Y,
    Apply("exp", X * Y) * Apply("sin", X + Y),
    Apply("log", POSITIVE) * Apply("cos", X * Y),
    Apply("tanh", X * Y + X),
    Case([(guard(at_least(Index.size("n"), 2)), X * Y)], X),
)


@pytest.mark.parametrize("term", TERMS, ids=str)
@pytest.mark.parametrize("by", ["xx", "xy", "yx", "yy"])
def test_second_derivatives_have_the_value_of_what_the_kernel_makes_of_them(term: Term, by: str) -> None:
    theory, inputs = Theory({"x": Tensor("x"), "y": Tensor("y")}), Inputs({"n": 2}, {"x": "2/3", "y": "5/4"})
    twice = Derivative(by[1], (), Derivative(by[0], (), term))
    written, _ = normalise(twice, theory)
    assert not any(isinstance(t, Derivative) for t in subterms(written))
    assert ball(evaluate(twice, theory, inputs)).overlaps(ball(evaluate(written, theory, inputs)))


def test_that_a_matrix_is_invertible_is_assumed() -> None:
    text = GIVEN + r"$$\mathbf{A}^{-1}\mathbf{A}\mathbf{v} = \mathbf{v}$$"
    (found,) = study(read_text(text, "matrices.md"), decide=decide)
    assert isinstance(found.decision, Proved)
    assert [a.text for a in found.decision.theorem.assumptions] == ["A is invertible"]


COVARIANCE = r"Let $X \in \mathbb{R}^{n \times p}$ and $S = \frac{1}{n - 1} X^\top X$. "
DIVIDED = {
    "in a definition": COVARIANCE + r"$$\operatorname{tr}(S) = \frac{1}{n - 1} \sum_{i=1}^n \sum_{j=1}^p X_{ij}^2$$",
    "where an equation fits small sizes": (
        COVARIANCE + r"Let $V \in \mathbb{R}^{p \times r}$ have orthonormal columns, and let $X = T V^\top$ with "
        r"$T \in \mathbb{R}^{n \times r}$. Then $$\frac{1}{n - 1} (X V)^\top (X V) = \frac{1}{n - 1} T^\top T$$"
    ),
}


@pytest.mark.parametrize("name", DIVIDED)
def test_only_the_length_in_a_divisor_is_assumed_to_be_larger(name: str) -> None:
    found = study(read_text(DIVIDED[name], "matrices.md"), decide=decide)[-1]
    assert isinstance(found.decision, Proved), found.reason
    assert found.decision.assumes == ("n >= 2",)
