"""Equations with shapes that do not fit: refuted where every shape is stated and nothing is open, else never."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from derivations.reports.run.check import check_documents

from derivations.documents import read_text
from derivations.provers.decide import decide
from derivations.study.claims import study

WRONG = {
    "weights from the wrong side": r"""
Let $U \in \mathbb{R}^{d \times m}$ and $x \in \mathbb{R}^d$. The layer computes
$$ y = U x $$
""",
    "tokens are rows": r"""
The input is $X \in \mathbb{R}^{n \times d}$, the weight is $W \in \mathbb{R}^{d \times k}$. We project:
$$ H = W X $$
""",
    "scores without a transpose": r"""
Let $Q, K \in \mathbb{R}^{n \times d}$. The scores are
$$ S = Q K $$
""",
    "attention without a transpose": r"""
With $Q \in \mathbb{R}^{n \times d_k}$, $K \in \mathbb{R}^{m \times d_k}$ and $V \in \mathbb{R}^{m \times d_v}$ attention is
$$ A = \text{softmax}\left(\frac{Q K}{\sqrt{d_k}}\right) V $$
""",
    "values transposed": r"""
With $Q \in \mathbb{R}^{n \times d_k}$, $K \in \mathbb{R}^{m \times d_k}$ and $V \in \mathbb{R}^{m \times d_v}$ attention is
$$ A = \text{softmax}\left(\frac{Q K^\top}{\sqrt{d_k}}\right) V^\top $$
""",
    "both sides declared": r"""
Let $X \in \mathbb{R}^{n \times d}$, $W \in \mathbb{R}^{d \times k}$ and $Y \in \mathbb{R}^{k \times n}$. Then
$$ Y = X W $$
""",
    "beside a matrix that is square by its shape": r"""
Let $F \in \mathbb{R}^{a \times a}$ be symmetric, and $B \in \mathbb{R}^{a \times b}$. The product is
$$ G = B F $$
""",
    "a bias of the wrong length": r"""
Let $W \in \mathbb{R}^{h \times d}$, $x \in \mathbb{R}^d$ and $b \in \mathbb{R}^d$. The layer is
$$ z = W x + b $$
""",
    "behind a bias of which nothing is said": r"""
Let $x \in \mathbb{R}^p$, $W \in \mathbb{R}^{h \times p}$ and $U \in \mathbb{R}^{h \times c}$. With $z = W x + b$ the output is
$$ u = U z $$
""",
    "the second layer": r"""
Let $A \in \mathbb{R}^{h \times d}$, $B \in \mathbb{R}^{h \times d}$ and $x \in \mathbb{R}^d$. Two layers give
$$ z = B \tanh(A x) $$
""",
    "covariance": r"""
Let $X \in \mathbb{R}^{n \times d}$ be the data and $C \in \mathbb{R}^{d \times d}$ its covariance matrix,
$$ C = \frac{1}{n} X X^\top . $$
""",
    "a residual": r"""
Let $X \in \mathbb{R}^{n \times d}$, $W \in \mathbb{R}^{d \times h}$. The residual is
$$ R = X + X W $$
""",
    "a quadratic form": r"""
Let $A \in \mathbb{R}^{m \times n}$ and $x \in \mathbb{R}^m$, $y \in \mathbb{R}^n$ and $s \in \mathbb{R}$. The form is
$$ s = y^\top A x $$
""",
    "numbers": r"""
Let $M \in \mathbb{R}^{3 \times 4}$ and $v \in \mathbb{R}^{3}$. Then
$$ u = M v $$
""",
    "a bold letter beside a number in plain type": r"""
Let $\mathbf{x} \in \mathbb{R}^{d}$ and $x \in \mathbb{R}$, $W \in \mathbb{R}^{d \times k}$. Then
$$ y = W \mathbf{x} $$
""",
    "beside a function whose shape nobody states": r"""
With $Q \in \mathbb{R}^{n \times d}$, $K \in \mathbb{R}^{m \times d}$ and $V \in \mathbb{R}^{m \times p}$ it is
$$ \mathrm{softmax}(Q K^\top) V^\top = F(Q, K, V) . $$
""",
    "below a fourth root": r"""
Let $Q \in \mathbb{R}^{n \times d}$ and $K \in \mathbb{R}^{m \times d}$. Then
$$ \frac{Q}{d^{1/4}} \left(\frac{K}{d^{1/4}}\right)^\top = \frac{Q K}{\sqrt{d}} $$
""",
    "in words": r"""
$M$ is an $n \times p$ matrix and $\beta$ is a vector of length $n$. The prediction is
$$ f = M \beta $$
""",
    "a defined name": r"""
Let $X \in \mathbb{R}^{n \times d}$ and $W \in \mathbb{R}^{d \times k}$. Put
$$ H = X W . $$

Let $U \in \mathbb{R}^{d \times k}$. The output is
$$ Z = H U $$
""",
    "one member of a family": r"""
Let $x_i \in \mathbb{R}^d$ and $W \in \mathbb{R}^{d \times h}$. The key is
$$ k_i = W x_i $$
""",
    "entry by entry": r"""
Let $G \in \mathbb{R}^{n \times h}$ and $F \in \mathbb{R}^{h \times n}$. The gate is
$$ Z = G \odot F $$
""",
    "the transpose of a product": r"""
Let $A \in \mathbb{R}^{m \times n}$, $B \in \mathbb{R}^{n \times p}$. We reverse the product:
$$ (A B)^\top = A^\top B^\top $$
""",
    "a gradient": r"""
Let $X \in \mathbb{R}^{n \times d}$, $y \in \mathbb{R}^n$ and $w, g \in \mathbb{R}^d$. The gradient is
$$ g = X (X w - y) $$
""",
    "a decoder": r"""
The encoder is $E \in \mathbb{R}^{k \times d}$, the input $x \in \mathbb{R}^d$, the output $r \in \mathbb{R}^d$:
$$ r = E E x $$
""",
    "low rank": r"""
Let $W \in \mathbb{R}^{d \times k}$, $B \in \mathbb{R}^{d \times r}$ and $A \in \mathbb{R}^{r \times k}$. The update is
$$ V = W + A B $$
""",
    "a sum of vectors": r"""
Let $u \in \mathbb{R}^{m}$, $v \in \mathbb{R}^{n}$ and $T \in \mathbb{R}^{m \times n}$. The sum is
$$ r = u + v $$
""",
}

NOT_WRONG = {
    "it fits": r"""
Let $W \in \mathbb{R}^{k \times d}$ and $x \in \mathbb{R}^d$. Then
$$ y = W x $$
""",
    "a row by a matrix": r"""
Let $W \in \mathbb{R}^{d \times k}$ and $x \in \mathbb{R}^d$. Then
$$ y = x W $$
""",
    "rows for a batch, a column for one token": r"""
Let $X \in \mathbb{R}^{n \times d}$ and $W \in \mathbb{R}^{d \times k}$. Then
$$ Q = X W $$

For one token $x \in \mathbb{R}^d$ this is
$$ q = W x $$
""",
    "the matrix in a line that is not understood": r"""
Let $X \in \mathbb{R}^{n \times d}$ and $W \in \mathbb{R}^{d \times k}$, $x \in \mathbb{R}^d$. Then
$$ H = \phi(X W) $$
$$ h = W x $$
""",
    "a column for one example, a batch in the same way": r"""
Let $W \in \mathbb{R}^{k \times d}$ and $x \in \mathbb{R}^d$. The layer is
$$ y = W x $$

For a batch $X \in \mathbb{R}^{n \times d}$ of examples we write
$$ Y = W X $$
""",
    "tokens stacked as columns": r"""
Let $W \in \mathbb{R}^{k \times d}$. The tokens, stacked as columns, are $X \in \mathbb{R}^{n \times d}$.
$$ Y = W X $$
""",
    "no shape of the vector": r"""
Let $W \in \mathbb{R}^{d \times k}$. For every $x$
$$ y = W x $$
""",
    "an undeclared matrix": r"""
Let $X \in \mathbb{R}^{n \times d}$ and $Y \in \mathbb{R}^{k \times n}$. Then
$$ Y = X W $$
""",
    "lengths that an equation brings together": r"""
Let $W \in \mathbb{R}^{d \times k}$ and $x \in \mathbb{R}^d$, where $d = k$. Then
$$ y = W x $$
""",
    "lengths that are half of another": r"""
Let $W \in \mathbb{R}^{d \times k}$ and $x \in \mathbb{R}^d$ with $k = d / 2$. Then
$$ y = W x $$
""",
    "lengths that the text calls equal": r"""
Let $W \in \mathbb{R}^{d \times k}$ and $x \in \mathbb{R}^d$. For simplicity $d$ and $k$ are the same. Then
$$ y = W x $$
""",
    "a second name of a length": r"""
Let $X \in \mathbb{R}^{n \times d_{model}}$ and $W \in \mathbb{R}^{d \times k}$. Then
$$ Q = X W $$
""",
    "a capital for a length": r"""
Let $X \in \mathbb{R}^{N \times D}$ and $W \in \mathbb{R}^{d \times k}$. Then
$$ Q = X W $$
""",
    "two sections, two matrices": r"""
# The encoder

Let $W \in \mathbb{R}^{k \times d}$, $x \in \mathbb{R}^d$. Then $y = W x$.

# The decoder

Let $W \in \mathbb{R}^{d \times k}$. Now
$$ z = W x $$
""",
    "said in another section": r"""
# Experiment one

Let $W \in \mathbb{R}^{d \times k}$.

# Experiment two

Let $x \in \mathbb{R}^d$. Then
$$ z = W x $$
""",
    "a slip in the shape, five uses": r"""
Let $W \in \mathbb{R}^{d \times k}$ and $x, u, v \in \mathbb{R}^d$, $w \in \mathbb{R}^d$. Then
$$ a = W x $$
$$ b = W u $$
$$ c = W v $$
$$ e = W w $$
$$ f = W (x + u) $$
""",
    "an author who says that it does not fit": r"""
Let $W \in \mathbb{R}^{d \times k}$ and $x \in \mathbb{R}^d$. The product is not defined:
$$ y = W x $$
""",
    "denied": r"""
Let $W \in \mathbb{R}^{d \times k}$ and $x \in \mathbb{R}^d$. It would be wrong to write
$$ y = W x $$
""",
    "a condition": r"""
Let $W \in \mathbb{R}^{d \times k}$ and $x \in \mathbb{R}^d$, $y \in \mathbb{R}^k$. The pair is admissible if
$$ y = W x $$
""",
    "supposed": r"""
Let $W \in \mathbb{R}^{d \times k}$ and $x, y \in \mathbb{R}^d$. Suppose that
$$ y = W x $$
""",
    "an update": r"""
Let $W \in \mathbb{R}^{d \times k}$ and $G \in \mathbb{R}^{k \times d}$, $\eta \in \mathbb{R}$. Each step sets
$$ W = W - \eta G $$
""",
    "an assignment": r"""
Let $W \in \mathbb{R}^{d \times k}$ and $x \in \mathbb{R}^d$. Each step sets
$$ x \leftarrow W x $$
""",
    "another matrix from here on": r"""
Let $W \in \mathbb{R}^{d \times k}$ and $x \in \mathbb{R}^d$. In this variant the matrix is replaced.
$$ y = W x $$
""",
    "a slice for a head": r"""
Let $X \in \mathbb{R}^{n \times d}$ and $W \in \mathbb{R}^{h \times d}$. Then
$$ q = X W_{:, i} $$
""",
    "a family of matrices without a shape": r"""
Let $X \in \mathbb{R}^{n \times d}$ and $W \in \mathbb{R}^{k \times d}$. The heads are
$$ H_i = X W_i $$
""",
    "a batch of matrices": r"""
Let $Q, K \in \mathbb{R}^{b \times n \times d}$ and $W \in \mathbb{R}^{k \times d}$. Then
$$ S = Q W $$
""",
    "a vector added to all rows": r"""
Let $X \in \mathbb{R}^{n \times d}$, $W \in \mathbb{R}^{d \times k}$, $b \in \mathbb{R}^k$. Then
$$ Y = X W + b $$
""",
    "a batch against one vector": r"""
Let $X \in \mathbb{R}^{n \times d}$, $w \in \mathbb{R}^{d}$, $y \in \mathbb{R}$. The prediction is
$$ y = X w $$
""",
    "a function of its own": r"""
Let $W \in \mathbb{R}^{d \times k}$, $z \in \mathbb{R}^d$. Then
$$ y = W f(z) $$
""",
    "a length with a factor": r"""
Let $W \in \mathbb{R}^{2d \times k}$ and $x \in \mathbb{R}^{d}$, $y \in \mathbb{R}^{k}$. Then
$$ y = W^\top x $$
""",
    "another item of a list": r"""
Two models:

- Let $W \in \mathbb{R}^{d \times k}$ be the encoder.
- Let $x \in \mathbb{R}^d$, then $y = W x$.
""",
    "a name stated in two ways": r"""
Let $W \in \mathbb{R}^{d \times k}$ and $x \in \mathbb{R}^d$. Then
$$ y = W x $$

Here $W \in \mathbb{R}^{k \times d}$ has a row for each class.
""",
    "a matrix that is called square": r"""
Let $W \in \mathbb{R}^{d \times k}$ and $x \in \mathbb{R}^d$. Here $W$ is square.
$$ y = W x $$
""",
    "matrices that are called symmetric": r"""
Let $W \in \mathbb{R}^{d \times k}$ and $x \in \mathbb{R}^d$.

The weight matrices are symmetric. Then
$$ y = W x $$
""",
    "matrices of several layers": r"""
The layers have $W_i \in \mathbb{R}^{m \times n}$ and $x \in \mathbb{R}^n$. Two of them give
$$ y = W_2 W_1 x $$
""",
    "introduced again": r"""
Let $W \in \mathbb{R}^{d \times k}$ and $x \in \mathbb{R}^d$.

Let $x$ be the output of the last layer. Then
$$ y = W x $$
""",
    "given by two equations": r"""
Let $W \in \mathbb{R}^{d \times k}$, $u, x \in \mathbb{R}^d$.
$$ x = 2 u $$
$$ x = 2 u + 0 u $$
$$ y = W x $$
""",
    "lengths that words call equal": r"""
Let $W \in \mathbb{R}^{d \times k}$ and $x \in \mathbb{R}^d$. The output dimension equals the input dimension.
$$ y = W x $$
""",
    "a second shape in a chain": r"""
Let $W \in \mathbb{R}^{d \times k}$, $x, u \in \mathbb{R}^d$, $b \in \mathbb{R}^{k}$.
$$ x = b + b \in \mathbb{R}^{k} $$
$$ y = W x $$
""",
    "perhaps entry by entry": r"""
Let $A, B \in \mathbb{R}^{n \times d}$. Then
$$ C = A \cdot B $$
""",
    "an exponent that is a length": r"""
Let $A \in \mathbb{R}^{d \times T}$, $B \in \mathbb{R}^{d \times k}$. Then
$$ C = A^T B^T $$
""",
    "a shape in a comment": r"""
<!-- derivations: x: (k,) -->

Let $W \in \mathbb{R}^{d \times k}$ and $x \in \mathbb{R}^d$. Then
$$ y = W x $$
""",
    "rows as a convention": r"""
Vectors are rows: $q \in \mathbb{R}^{1 \times d}$, $k \in \mathbb{R}^{1 \times m}$. Then
$$ M = q^\top k $$
""",
}


def checked(path: Path, text: str) -> list[dict[str, Any]]:
    path.write_text(text, encoding="utf-8")
    report, errors = check_documents([path], numbers=False)
    assert not errors
    items: list[dict[str, Any]] = report["documents"][0]["items"]
    return items


@pytest.mark.parametrize("text", WRONG.values(), ids=WRONG)
def test_shapes_refute(tmp_path: Path, text: str) -> None:
    items = checked(tmp_path / "lesson.md", text)
    refuted = [i for i in items if i["status"] == "refuted"]
    assert [i["code"] for i in refuted] == ["shape"], [
        (i["source"], i["status"], i["code"], i["reason"]) for i in items
    ]
    (item,) = refuted
    witness = item["counterexample"]
    assert witness["kind"] == "shape"
    assert item["reason"].startswith(f"{witness['left']} and {witness['right']} do not fit")


@pytest.mark.parametrize("text", NOT_WRONG.values(), ids=NOT_WRONG)
def test_shapes_do_not_refute(tmp_path: Path, text: str) -> None:
    items = checked(tmp_path / "lesson.md", text)
    assert not [(i["source"], i["reason"]) for i in items if i["status"] == "refuted"]


def test_what_a_product_satisfies_is_claimed(tmp_path: Path) -> None:
    text = r"Let $B \in \mathbb{R}^{a \times b}$ and $H \in \mathbb{R}^{b \times b}$. The gain satisfies $B H \in \mathbb{R}^{b \times a}$."
    assert [i["status"] for i in checked(tmp_path / "lesson.md", text)] == ["refuted"]


TOLD_BY_USE = {
    "a vector behind a matrix": r"""Fast weights $S \in \mathbb{R}^{d_v \times d_k}$ map keys to values. The loss
$\ell(S) = \tfrac{1}{2} \| S \mathbf{k} - \mathbf{v} \|^2$ has the gradient $\nabla_S \ell = \mathbf{k} (S \mathbf{k} - \mathbf{v})^\top$.""",
    "traces": r"""Let $X \in \mathbb{R}^{N \times p}$ and $Y \in \mathbb{R}^{N \times q}$. Then
$$\| X^\top Y \|_F^2 = \operatorname{tr}(X^\top X \, Y^\top Y) .$$""",
    "what a definition satisfies": r"""Let $H \in \mathbb{R}^{k \times d}$, $P \in \mathbb{R}^{d \times d}$ symmetric and
$S = H P H^\top$. The gain $K = P H^\top S^{-1}$ satisfies $S K^\top = P H^\top$.""",
    "beside a symmetric matrix": r"""The Hessian $A$ is symmetric. For $B \in \mathbb{R}^{m \times n}$, $x \in \mathbb{R}^n$ and
$c \in \mathbb{R}^m$ we have $\nabla_x \, \tfrac{1}{2} \| B x - c \|^2 = B (B x - c)$.""",
}


@pytest.mark.parametrize("text", TOLD_BY_USE.values(), ids=TOLD_BY_USE)
def test_shapes_that_products_tell(text: str) -> None:
    last = study(read_text(text, "x.md"), decide=decide)[-1]
    assert (last.status, last.code) == ("refuted", "shape")


def test_shapes_that_fit_are_not_refuted() -> None:
    right = {
        r"\mathbf{k} (S \mathbf{k} - \mathbf{v})^\top": r"(S \mathbf{k} - \mathbf{v}) \mathbf{k}^\top",
        r"X^\top X \, Y^\top Y": r"X X^\top Y Y^\top",
        r"S K^\top": r"K S",
        r"B (B x - c)": r"B^\top (B x - c)",
    }
    for text, (wrong, fits) in zip(TOLD_BY_USE.values(), right.items(), strict=True):
        assert wrong in text
        assert study(read_text(text.replace(wrong, fits), "x.md"), decide=decide)[-1].status == "proved"
