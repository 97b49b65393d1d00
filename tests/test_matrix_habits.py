r"""Habits of notation for vectors, matrices and their rows: what each document is read as, and its verdicts."""

from __future__ import annotations

import pytest

from derivations.documents import read_text
from derivations.provers.decide import decide
from derivations.study.claims import study


def outcomes(text: str) -> list[str]:
    return [f.status + (f" [{f.code}]" if f.code else "") for f in study(read_text(text, "x.md"), decide=decide)]


HEADS = (
    r"Let $X \in \mathbb{R}^{N \times D}$ and $$\mathrm{Att}(Q, K, V) = \mathrm{Softmax}\left[\frac{QK^T}{\sqrt{k}}\right] V$$ "
    r"With $H$ heads, $$Z_h = \mathrm{Att}(Q_h, K_h, V_h), \qquad h = 1, \ldots, H$$ in which $Q_h = X A_h$, $K_h = X B_h$ and "
    r"$V_h = X C_h$ for $A_h, B_h \in \mathbb{R}^{D \times k}$ and $C_h \in \mathbb{R}^{D \times v}$. The layer is "
    r"$$Y = \mathrm{Concat}[Z_1, \ldots, Z_H] W$$ with $W \in \mathbb{R}^{Hv \times D}$. "
)
CASES = {
    "names below names": (
        r"$$h_\infty = 2 r, \qquad H_{\hat\theta} = 3 r$$ $$h_\infty + H_{\hat\theta} = 5 r$$ $$q_{data} + q_{x_0} = q_{x_0} + "
        r"q_{data}$$",
        ["defined", "defined", "proved", "proved"],
    ),
    "the identity, its shape said in words": (
        r"Let $A \in \mathbb{R}^{d \times d}$, where $I_d$ is the $d \times d$ identity matrix. $$A I_d = A$$ $$A + 2 I = A + I$$",
        ["proved", "refuted [false-claim]"],
    ),
    "a thin decomposition": (
        r"Let $X = U D V^\top$, where $U \in \mathbb{R}^{n \times p}$ has orthonormal columns, $D \in \mathbb{R}^{p \times p}$ is "
        r"diagonal and $V \in \mathbb{R}^{p \times p}$ is orthogonal. Then $$X^\top X = V D^2 V^\top$$ $$X X^\top = U D^2 U^\top$$",
        ["defined", "proved", "proved"],
    ),
    "a matrix with orthonormal columns makes a projection": (
        r"The columns of $W \in \mathbb{R}^{d \times q}$ are orthonormal. Let $$P = W W^\top.$$ Hence $$P^2 = P$$ "
        r"$$\operatorname{tr} P = q$$",
        ["defined", "proved", "proved"],
    ),
    "a diagonal that lists its entries": (
        r"Let $D = \operatorname{diag}(d_1, \dots, d_n)$ and $A \in \mathbb{R}^{n \times n}$. $$D^\top D = D^2$$ $$D A = A D$$",
        ["defined", "proved", "refuted [false-claim]"],
    ),
    "rows of a product beside a family of matrices": (
        r"Let $P \in \mathbb{R}^{T \times T}$, $V \in \mathbb{R}^{T \times d}$ and $O = P V$. $$O_{t,:} = \sum_{s=1}^{T} P_{ts} "
        r"V_{s,:}$$ Head $a$ returns $O^{(a)} \in \mathbb{R}^{T \times d}$.",
        ["defined", "proved"],
    ),
    "kinds beside definiteness": (
        r"For a symmetric, positive definite $A \in \mathbb{R}^{n \times n}$ and an SPD matrix $B \in \mathbb{R}^{n \times n}$ "
        r"always $$A^\top B^\top = A B$$",
        ["proved"],
    ),
    "comparisons of two names at once": (
        r"$$Q = \begin{pmatrix} 1 - a & a \\ b & 1 - b \end{pmatrix}, \qquad 0 < a, b < 1$$ Hence $$\det Q = 1 - a - b$$",
        ["defined", "proved"],
    ),
    "a kernel of features": (
        r"A kernel $k(x, x') = \varphi(x)^\top \varphi(x')$ with a map $\varphi: \mathbb{R}^d \to \mathbb{R}^M$ gives distances: "
        r"$$\|\varphi(x) - \varphi(x')\|^2 = k(x, x) - 2 k(x, x') + k(x', x')$$ $$\|\varphi(x) - \varphi(x')\|^2 = k(x, x) - k(x, "
        r"x') + k(x', x')$$ $$k(x, x')^2 \le k(x, x) k(x', x')$$",
        ["defined", "skipped [declaration]", "proved", "refuted [false-claim]", "proved"],
    ),
    "a second derivative, applied": (
        r"For $z \in \mathbb{R}^m$ let $$L(z) = \log \sum_{i=1}^m e^{z_i}, \qquad s_i = \frac{e^{z_i}}{\sum_j e^{z_j}}.$$ "
        r"$$\frac{\partial^2}{\partial z_i \partial z_j} L(z) = s_i (\delta_{ij} - s_j)$$",
        ["defined", "defined", "proved"],
    ),
    "the number e beside a length e": (
        r"Let $V \in \mathbb{R}^{N \times e}$ and $u, w \in \mathbb{R}^d$. $$e^{u^\top w} e^{-w^\top w} = e^{(u - w)^\top w}$$",
        ["proved"],
    ),
    "denominators with their own letter": (
        r"Let $Z \in \mathbb{R}^{T \times T}$. $$D_t = \sum_{s=1}^{t} e^{Z_{ts}}$$ $$W_{ts} = e^{Z_{ts}} / D_t$$ "
        r"$$\sum_{s=1}^{t} W_{ts} = 1$$",
        ["defined", "defined", "proved"],
    ),
    "values in terms of the first one": (
        r"$$\tau_n = \frac{1}{1/\tau_0 + n}$$ $$2 \tau_n = \frac{2}{1/\tau_0 + n}$$",
        ["defined", "proved"],
    ),
    "columns of a matrix that is given anew": (
        r"Let $A \in \mathbb{R}^{m \times m}$, and let $a_j$ be the $j$-th column of $A$. Then "
        r"$$\sum_j \|a_j\|^2 = \sum_j a_j^\top a_j .$$"
        + "\n\n## Problem 2\n\nLet $$A = U V^\\top .$$\n\n## Problem 5\n\n"
        r"Let $$A = \begin{bmatrix} 1 & -1 \\ 0 & 0 \\ 2 & 1 \end{bmatrix}$$ Then $$r = \|a_1\| = \sqrt{1^2 + 2^2} .$$ "
        r"$$s = a_1^\top a_2 = -1 + 2$$",
        ["proved", "defined", "defined", "defined", "proved", "defined", "proved"],
    ),
    "a vector of ones beside a row, added to a matrix": (
        r"The tokens are the rows of $X \in \mathbb{R}^{L \times D}$. For $W \in \mathbb{R}^{D \times E}$ let $$K = X W$$ and move all "
        r"keys by one vector $b \in \mathbb{R}^E$: $$\tilde K = K + \mathbf{1} b^\top$$ Then $$\tilde K_{ij} = K_{ij} + b_j$$",
        ["defined", "defined", "proved"],
    ),
    "what stands in coloured boxes": (
        r"Let $x \in \mathbb{R}^n$. $$\colorbox{gray} { $ \begin{align*} y_i &= x_i^2 \\ z_i &= 2 x_i \end{align*} $ }$$ "
        r"$$\fcolorbox{red}{white}{$y_i = x_i x_i$}$$ $$\resizebox{.9\hsize}{!}{$z_i = x_i + x_i$}$$",
        ["defined", "defined", "proved", "proved"],
    ),
    "words without a formula that lead to a display": (
        "The values and the weights are rows:\n\n" + r"$$\left[1, 2, 3\right] \left[1, 0, 1\right]^T = 4$$",
        ["proved"],
    ),
    "every row is scaled and shifted": (
        r"Let $X \in \mathbb{R}^{N \times D}$ be a matrix where each row $x_i$ is one example, $g, b \in \mathbb{R}^D$ and "
        r"$\epsilon > 0$. $$m = \frac{1}{N} \sum_i x_i$$ $$v_j = \frac{1}{N} \sum_i (X_{ij} - m_j)^2$$ $$Z = \frac{X - m}"
        r"{\sqrt{v + \epsilon}}$$ $$Y = g \odot Z + b$$ $$Y_{ij} = g_j \frac{X_{ij} - m_j}{\sqrt{v_j + \epsilon}} + b_j$$",
        ["skipped [hypothesis]", "defined", "defined", "defined", "defined", "proved"],
    ),
    "a symbol called after Kronecker": (
        r"Let $x \in \mathbb{R}^n$ and $y_i = x_i^2$. $$\frac{\partial y_i}{\partial x_j} = 2 x_i u_{ij}$$ with the Kronecker "
        r"symbol $u_{ij}$.",
        ["defined", "proved"],
    ),
    "a matrix before parentheses is no function": (
        r"For $x, b \in \mathbb{R}^n$ let $r = b - A x$. Then $$A^\top (b - A x) = A^\top r.$$ Then "
        r"$$A^\top (b - A x) = A r.$$ Then $$A (x + b) = A x + A b.$$",
        ["defined", "proved", "refuted [false-claim]", "proved"],
    ),
    "a matrix with the letter of a function": (
        r"For $x \in \mathbb{R}^n$ let $f(x) = x^\top Q x$. Then $$\nabla f(x) = 2 Q x.$$ Then "
        r"$$\nabla f(x) = (Q + Q^\top) x.$$ Elsewhere $$Q(t) = t^2 + 1.$$",
        ["defined", "undecided [unsupported]", "proved", "defined"],
    ),
    "a matrix below a fraction": (
        r"For $x, p \in \mathbb{R}^n$ let $$a = \frac{p^\top x}{p^\top Q p}.$$ Then $$p^\top Q^\top x = x^\top Q p.$$",
        ["defined", "proved"],
    ),
    "the blocks of a matrix, one below the other": (
        HEADS
        + r"In blocks, $$W = \begin{bmatrix} W_1 \\ \vdots \\ W_H \end{bmatrix}$$ Then $$Y = \sum_{h=1}^H Z_h W_h$$",
        ["defined", "defined", "defined", "defined", "defined", "defined", "skipped [declaration]", "proved"],
    ),
    "a row of numbers with dots": (
        r"For $x \in \mathbb{R}^B$ and a number $m$ put $$f = \begin{bmatrix} e^{x_1 - m} & \ldots & e^{x_B - m} \end{bmatrix}$$ "
        r"and $\ell = \sum_i f_i$. Then $$\ell = e^{-m} \sum_{i=1}^B e^{x_i}$$",
        ["defined", "defined", "proved"],
    ),
    "a norm, a covariance that are not read": (
        r"Let $q, k \in \mathbb{R}^d$ with $\mathbb{E}[q] = \mathbb{E}[k] = 0$, $\mathrm{Cov}(q) = \Sigma_q$. Let "
        r"$S = q^\top k$. Under isotropy $\mathrm{Var}(S) = d$.",
        ["skipped [hypothesis]", "unread [unknown-notation]", "defined", "undecided [ambiguous]"],
    ),
    "a product sign in a circle between vectors": (
        r"Let $a, b \in \mathbb{R}^d$. $$W = a \otimes b$$ Then $W_{ij} = a_i b_j$ and $W_{ij} = a_j b_i$.",
        ["defined", "proved", "refuted [false-claim]"],
    ),
    "vectors one after the other, with bars": (
        r"Let $a, b \in \mathbb{R}^d$. $$c = [a \| b]$$ Then $c_1 = a_1$ and $c_{d+1} = b_1$.",
        ["defined", "proved", "proved"],
    ),
    "norms of what nothing declares": (
        r"Then $\|q - k_j\|^2 = \|q\|^2 - 2 q^\top k_j + \|k_j\|^2$.",
        ["proved"],
    ),
    "ones in a bold group": (
        r"Let $X \in \mathbb{R}^{n \times m}$. $$y = X \mathbf{1_m}$$ Then $y_i = \sum_{j=1}^m X_{ij}$. $$Z = y \mathbf{1_m^T}$$ "
        r"Then $Z_{ij} = y_i$.",
        ["defined", "proved", "defined", "proved"],
    ),
    "quotients, powers and stars between vectors": (
        r"For $a, b, c \in \mathbb{R}^d$: $$u = \frac{a}{b}, \quad v = a^2, \quad w = a * c$$ $$\sum_{i=1}^d v_i = "
        r"\|a\|^2$$ $$w_i = a_i c_i$$ $$u_i = a_i b_i$$",
        ["defined", "defined", "defined", "proved", "proved", "undecided [ambiguous]"],
    ),
    "entries of a vector of ones": (
        r"$$\mu_{bh} = x_{bh} - \mathbf{1}_h m_b$$ Then $\mu_{bh} = x_{bh} - m_b$.",
        ["defined", "proved"],
    ),
    "one row, and later a batch of rows": (
        r"For one vector: $$\mu = \frac{1}{N} \sum_j x_j$$ $$\sigma^2 = \frac{1}{N} \sum_j (x_j - \mu)^2$$ "
        r"$$\hat{x}_j = (x_j - \mu) r$$ $$y_j = \hat{x}_j \gamma_j + \beta_j$$ "
        r"$$\frac{\partial y_k}{\partial \beta_j} = \delta_{kj}$$ $$\frac{\partial \mu}{\partial x_j} = \frac{1}{N}$$ "
        r"$$\frac{\partial \hat{x}_k}{\partial x_j} = r (\delta_{kj} - \frac{1}{N})$$ For a batch "
        r"$$g_j = \sum_i d_{ij} \hat{x}_{ij}$$ $$h_j = \sum_i \hat{x}_{ij}$$ $$k_i = \sum_j \hat{x}_{ij}$$",
        ["defined"] * 4 + ["proved"] * 3 + ["defined"] * 3,
    ),
    "a row by its number": (
        r"Let $P \in \mathbb{R}^{n \times m}$. Look at the $i$-th row of it, $$p = P[i, :]$$ $$z = \sum_j p_j$$ Then "
        r"$z = \sum_j P_{ij}$.",
        ["defined", "defined", "proved"],
    ),
    "members as columns": (
        r"Let $X = (x_1, \ldots, x_N) \in \mathbb{R}^{d \times N}$ and $u \in \mathbb{R}^d$. $$y = X^T u$$ "
        r"$$y_i = x_i^T u$$",
        ["defined", "skipped [declaration]", "defined", "proved"],
    ),
    "entries in brackets": (
        r"Let $S \in \mathbb{R}^{n \times m}$. $$A[i, j] = \frac{\exp S[i, j]}{\sum_{k=1}^m \exp S[i, k]}$$ "
        r"Then $\sum_{j} A[i, j] = 1$.",
        ["defined", "proved"],
    ),
    "one vector after the other": (
        r"Let $s \in \mathbb{R}^r$, $h \in \mathbb{R}^p$, $v \in \mathbb{R}^m$ and $W \in \mathbb{R}^{m \times (r + p)}$. "
        r"$$u = v^\top \tanh(W [s; h])$$",
        ["defined"],
    ),
    "the kinds of norms": (
        r"Let $x \in \mathbb{R}^n$ and $A \in \mathbb{R}^{n \times m}$. $$\|x\|_2^2 = \sum_i x_i^2$$ "
        r"$$\|x\|_1 = \sqrt{\sum_i x_i^2}$$ $$\|A\|_F^2 = \operatorname{tr}(A^\top A)$$",
        ["proved", "refuted [false-claim]", "proved"],
    ),
    "a batch in calligraphic type": (
        r"$$\mu_{\mathcal{B}} \leftarrow \frac{1}{m} \sum_{i=1}^m x_i$$ "
        r"$$\sigma_{\mathcal{B}}^2 \leftarrow \frac{1}{m} \sum_{i=1}^m (x_i - \mu_{\mathcal{B}})^2$$ Then "
        r"$$\sigma_{\mathcal{B}}^2 = \frac{1}{m} \sum_{i=1}^m x_i^2 - \mu_{\mathcal{B}}^2$$",
        ["defined", "defined", "proved"],
    ),
    "a sign that the text calls entrywise": (
        r"Let $x, y \in \mathbb{R}^n$, where $\otimes$ is the element-wise product. $$z = x \otimes y$$ $$z_i = x_i y_i$$",
        ["defined", "proved"],
    ),
    "a maximum of two blocks": (
        r"$$m = \max(m_1, m_2)$$ $$\ell = e^{m_1 - m} \ell_1 + e^{m_2 - m} \ell_2$$ "
        r"$$e^m \ell = e^{m_1} \ell_1 + e^{m_2} \ell_2$$",
        ["defined", "defined", "proved"],
    ),
    "the inverse of a diagonal matrix": (
        r"Let $A \in \mathbb{R}^{n \times n}$ and $$D = \mathrm{diag}(A \mathbf{1}).$$ $$D^{-1} A \mathbf{1} = \mathbf{1}$$",
        ["defined", "proved"],
    ),
    "states collected as rows": (
        r"Let $h_1, \ldots, h_n \in \mathbb{R}^d$, which we collect as the rows of $H \in \mathbb{R}^{n \times d}$, "
        r"and $\alpha \in \mathbb{R}^n$. $$a = \sum_{j=1}^n \alpha_j h_j = H^\top \alpha$$",
        ["defined", "proved"],
    ),
    "two matrices and their rows": (
        r"Let $Q \in \mathbb{R}^{m \times d}$ and $K \in \mathbb{R}^{n \times d}$, and $$S = Q K^\top.$$ "
        r"$$S_{ij} = q_i^\top k_j,$$ where $q_i$ and $k_j$ are the rows of $Q$ and $K$.",
        ["defined", "proved"],
    ),
    "each row of a matrix": (
        r"Let $Q \in \mathbb{R}^{m \times d}$ and $K \in \mathbb{R}^{n \times d}$, and $$S = Q K^\top.$$ Let $q_i$ denote the "
        r"$i$-th row of $Q$ and let $k_j$ be the $j$-th row of $K$. $$S_{ij} = q_i^\top k_j$$",
        ["defined", "proved"],
    ),
    "with its rows": (
        r"For $K \in \mathbb{R}^{n \times d}$ and $q \in \mathbb{R}^d$ let $s = K q$. Then $$s_j = q^\top k_j$$ with $k_j$ the rows of $K$.",
        ["defined", "proved"],
    ),
    "an outer product beside a matrix": (
        r"Let $p \in \mathbb{R}^n$. $$J = \mathrm{diag}(p) - p p^\top$$ $$J_{ij} = p_i (\delta_{ij} - p_j)$$",
        ["defined", "proved"],
    ),
    "the zero vector": (
        r"For $z \in \mathbb{R}^n$ let $$p_i = \frac{e^{z_i}}{\sum_{k=1}^n e^{z_k}}$$ and $$J = \mathrm{diag}(p) - p p^\top.$$ "
        r"Then $$J \mathbf{1} = \mathbf{0}$$ $$J \mathbf{1} = \mathbf{1}$$",
        ["defined", "defined", "proved", "refuted [false-claim]"],
    ),
    "an arrow for a vector, whose entries are written without it": (
        r"For $\vec{x} \in \mathbb{R}^n$ let $f(\vec{x}) = \log \sum_{i=1}^n e^{x_i}$. Then $$f(\vec{x}) = c + \log \sum_{i=1}^n "
        r"e^{x_i - c}$$ $$\frac{\partial f(\vec{x})}{\partial x_i} = e^{x_i - f(\vec{x})}$$ $$f(2 \vec{x}) = 2 f(\vec{x})$$",
        ["defined", "proved", "proved", "refuted [false-claim]"],
    ),
    "members of a family of matrices are factors": (
        r"Let $K_i \in \mathbb{R}^{d \times d}$ for $i = 1, \dots, n$ and $x \in \mathbb{R}^d$. Then "
        r"$$\sum_{i=1}^n K_i (x) = \Big(\sum_{i=1}^n K_i\Big) x$$",
        ["proved"],
    ),
    "a matrix with two letters below": (
        r"Let $W_q, W_{k,E} \in \mathbb{R}^{p \times d}$ and $c_i \in \mathbb{R}^d$. "
        r"$$A_{ij} = c_i^\top W_q^\top W_{k,E} c_j$$ $$A_{ij} = (W_q c_i)^\top W_{k,E} c_j$$",
        ["defined", "proved"],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_verdicts(name: str) -> None:
    text, expected = CASES[name]
    assert outcomes(text) == expected


def test_vectors_by_words_and_their_accents() -> None:
    text = r"""
$Q_i$ is query vector (row vector) at position $i$ and $K_j$ and $V_j$ are the key and value row vectors at position $j$.

$$S_{ij} = \sigma Q_i K_j^T \qquad O_i = \sum_j S_{ij} V_j$$

$O_i$ is the output vector. Now consider $$O_i = \frac{\tilde{O}_i}{l_i}$$
"""
    found = [str(f.definition) for f in study(read_text(text, "x.md"), decide=decide)]
    assert found[0].startswith("S[i, j] := sum(") and found[1].startswith("O[i, a] :=")
    assert "O_tilde[i, " in found[2]


def test_entries_of_a_matrix_are_dot_products_of_rows() -> None:
    text = r"Let $Q, K \in \mathbb{R}^{n \times d}$. $$S_{ij} = Q_i K_j^T$$"
    assert str(study(read_text(text, "x.md"), decide=decide)[-1].definition).startswith("S[i, j] := sum(")


def test_a_matrix_that_its_definition_calls_a_projection_is_not_refuted_to_be_one() -> None:
    text = (
        "Let $U \\in \\mathbb{R}^{n \\times k}$. We denote $P = U U^\\top$ as the KIND matrix. So $$ P - P P = 0 . $$"
    )
    kinds = {
        kind: study(read_text(text.replace("KIND", kind), "x.md"), decide=decide)[-1] for kind in ("projection", "big")
    }
    assert {kind: (f.status, f.code) for kind, f in kinds.items()} == {
        "projection": ("undecided", "property-not-read"),
        "big": ("refuted", "false-claim"),
    }


QUADRATIC = (
    r"Let $%(A)s \in \mathbb{R}^{n \times n}$ be symmetric and $c \in \mathbb{R}^n$. "
    r"$$f(%(x)s) = \tfrac12 %(x)s^\top %(A)s %(x)s - c^\top %(x)s$$ $$\nabla f(%(x)s) = %(right)s$$"
)


@pytest.mark.parametrize(("x", "matrix"), [(r"\theta", "A"), (r"\omega", "H"), (r"\beta", "S")])
def test_what_stands_on_both_sides_of_a_matrix_is_a_vector(x: str, matrix: str) -> None:
    for right, status in ((f"{matrix} {x} - c", "proved"), (f"{matrix} {x} + c", "refuted [false-claim]")):
        assert outcomes(QUADRATIC % {"A": matrix, "x": x, "right": right})[-1] == status


def test_a_greek_argument_without_a_transpose_is_a_number() -> None:
    text = r"Let $A \in \mathbb{R}^{n \times n}$. $$f(\theta) = \theta A \theta$$ $$f(\theta) = \theta^2 A$$"
    assert outcomes(text)[-1] == "proved"
