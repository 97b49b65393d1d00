r"""Habits of notation in books and papers: what each document is read as, and its verdicts."""

from __future__ import annotations

import pytest

from derivations.documents import read_text
from derivations.documents.claims import study
from derivations.documents.shapes import counted
from derivations.provers.decide import decide


def outcomes(text: str) -> list[str]:
    return [f.status + (f" [{f.code}]" if f.code else "") for f in study(read_text(text, "x.md"), decide=decide)]


def meanings(text: str) -> list[str]:
    return [str(f.definition or f.statement or f.reason) for f in study(read_text(text, "x.md"), decide=decide)]


LAYER_NORM = (
    r"For $x \in \mathbb{R}^d$ let $$\mu = \frac{1}{d} \sum_{k=1}^{d} x_k, \qquad \sigma^2 = \frac{1}{d} "
    r"\sum_{k=1}^{d} (x_k - \mu)^2, \qquad \hat{x}_i = \frac{x_i - \mu}{\sigma}.$$ "
)
FAMILY = (
    r"Let $\mathbf{q} \in \mathbb{R}^d$ and $\mathbf{k}_1, \ldots, \mathbf{k}_m$ with $\mathbf{k}_i \in \mathbb{R}^d$. "
)
WEIGHTS = r"$$\alpha_{ij} = \frac{e^{s_{ij}}}{\sum_{k=1}^n e^{s_{ik}}}$$ "
CASES = {
    "a name is the root of its defined square": (
        LAYER_NORM + r"Then $$\sum_{i=1}^{d} \hat{x}_i = 0$$",
        ["defined", "defined", "defined", "proved"],
    ),
    "a derivative that forgets the root": (
        LAYER_NORM + r"Then $$\frac{\partial \hat{x}_i}{\partial x_j} = \frac{1}{\sigma}(\delta_{ij} - \frac{1}{d})$$",
        ["defined", "defined", "defined", "refuted [false-claim]"],
    ),
    "a bold parameter beside a family": (
        FAMILY
        + r"$$\alpha(\mathbf{q}, \mathbf{k}) = \exp(-\tfrac{1}{2} \|\mathbf{q} - \mathbf{k}\|^2)$$ Then "
        + r"$$\alpha(\mathbf{q} + \mathbf{c}, \mathbf{k} + \mathbf{c}) = \alpha(\mathbf{q}, \mathbf{k})$$"
        + r"$$f(\mathbf{q}) = \sum_{i=1}^m \alpha(\mathbf{q}, \mathbf{k}_i)$$",
        ["defined", "proved", "defined"],
    ),
    "a label after the indices": (
        WEIGHTS
        + r"$$\alpha_{ij,\text{masked}} = \begin{cases} \alpha_{ij} & j \leq i \\ 0 & \text{otherwise} \end{cases}$$ "
        + r"Then $$\sum_{j=1}^n \alpha_{ij,\text{masked}} = 1$$",
        ["defined", "defined", "refuted [false-claim]"],
    ),
    "indices in upright type": (
        r"Let $\mathbf{x}_\text{i} \in \mathbb{R}^k$. $$w'_\text{ij} = \mathbf{x}_\text{i}^T \mathbf{x}_\text{j}$$ "
        r"Then $w'_\text{ij} = w'_\text{ji}$.",
        ["defined", "proved"],
    ),
    "comments beside the equations of a derivation": (
        r"$$\begin{aligned} c_t &= \sum_{i=1}^n \alpha_{t,i} h_i & \small{\text{; Context vector for output }y_t} \\ "
        r"\alpha_{t,i} &= \text{align}(y_t, x_i) & \small{\text{; How well they match}} \\ "
        r"&= \frac{\exp(u_{t,i})}{\sum_{j=1}^n \exp(u_{t,j})} \end{aligned}$$ Then $\sum_{i=1}^n \alpha_{t,i} = 1$.",
        ["defined", "defined", "defined", "proved"],
    ),
    "an unknown function in between stays unknown": (
        r"$$a_i = \text{align}(y_i)$$ Then $\sum_{i=1}^n a_i = 1$.",
        ["defined", "undecided [ambiguous]"],
    ),
    "no refutation about what an equation says that is not understood": (
        r"Let $A \in \mathbb{R}^{n \times n}$ and $$A = \text{blur}(B, C; 3).$$ Then $$\sum_{j=1}^n A_{ij} = 1$$",
        ["unread [unknown-notation]", "undecided [property-not-read]"],
    ),
    "members as columns": (
        r"Let $X = (x_1, \ldots, x_N) \in \mathbb{R}^{d \times N}$ and $u \in \mathbb{R}^d$. $$y = X^T u$$ "
        r"$$y_i = x_i^T u$$",
        ["defined", "proved", "defined", "proved"],
    ),
    "a quantity named like the function that it is a value of": (
        r"For $z \in \mathbb{R}^K$ and $T > 0$ put $$p_i(T) = \frac{\exp(z_i / T)}{\sum_{j=1}^K \exp(z_j / T)}.$$ "
        r"We write $p_i = p_i(1)$. Then $$\sum_{i=1}^K p_i(T) = 1$$ and $$\log p_i = z_i - \log \sum_{j=1}^K \exp(z_j)$$",
        ["skipped [hypothesis]", "defined", "defined", "proved", "proved"],
    ),
    "a first assignment defines": (
        r"Let $W \in \mathbb{R}^{m \times d}$ and $X \in \mathbb{R}^{d \times n}$. $$Q \leftarrow W X$$ "
        r"$$Q^\top = X^\top W^\top$$ $$X \leftarrow 2 X$$",
        ["defined", "proved", "skipped [update]"],
    ),
    "entries in brackets": (
        r"Let $S \in \mathbb{R}^{n \times m}$. $$A[i, j] = \frac{\exp S[i, j]}{\sum_{k=1}^m \exp S[i, k]}$$ "
        r"Then $\sum_{j} A[i, j] = 1$.",
        ["defined", "proved"],
    ),
    "calls in brackets": (
        r"Let $X \in \mathbb{R}^{d \times n}$ and $W \in \mathbb{R}^{p \times d}$. $$V[X] = W X$$ $$V[X + X] = 2 V[X]$$",
        ["defined", "proved"],
    ),
    "an index in parentheses": (
        r"Let $v_s \in \mathbb{R}^d$ for $s = 1, \ldots, S$. $$a_t(s) = \frac{e^{u_{ts}}}{\sum_{r=1}^S e^{u_{tr}}}$$ "
        r"$$c_t = \sum_{s=1}^S a_t(s) v_s$$ Then $\sum_{s=1}^S a_t(s) = 1$.",
        ["defined", "defined", "proved"],
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
    "the smaller of two numbers": (
        r"$$r = \min(a, b)$$ $$r \le a$$ $$r = -\max(-a, -b)$$",
        ["defined", "proved", "proved"],
    ),
    "a sigmoid and a rectifier": (
        r"$$s(t) = \operatorname{sigmoid}(t)$$ $$s(t) = \frac{1}{1 + e^{-t}}$$ $$r(t) = \operatorname{ReLU}(t)$$ "
        r"$$r(t) = \max(0, t)$$",
        ["defined", "proved", "defined", "proved"],
    ),
    "a number of heads": (
        r"A model with $H$ heads has the slopes $m_h = 2^{-8h/H}$, so $m_H = \frac{1}{256}$.",
        ["defined", "proved"],
    ),
    "undefined at size one only": (
        r"For $x \in \mathbb{R}^d$ let $$v = \frac{1}{d-1} \sum_{i=1}^d x_i.$$ Then $$v = \frac{1}{d-1} \sum_{k=1}^d x_k$$",
        ["defined", "proved"],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_verdicts(name: str) -> None:
    text, expected = CASES[name]
    assert outcomes(text) == expected


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        (r"Let $x \in \mathbb{R}^p$. $$u = W_a x$$", "u[i] := sum(c: 0 <= c < p; W_a[i, c]*x[c])"),
        (
            r"Let $W_q, W_k \in \mathbb{R}^{d \times p}$. $$W_{qk} = W_q W_k^\top$$",
            "W_qk[i, j] := sum(c: 0 <= c < p; W_q[i, c]*W_k[j, c])",
        ),
    ],
)
def test_labels(text: str, meaning: str) -> None:
    assert meanings(text)[-1] == meaning


@pytest.mark.parametrize(
    ("sentence", "names"),
    [
        ("a model with ⟦1⟧ query heads and ⟦2⟧ layers", ["n_h", "L"]),
        ("The rows of ⟦2⟧ are the tokens", []),
        ("with ⟦3⟧ heads", []),
    ],
)
def test_numbers_of_things(sentence: str, names: list[str]) -> None:
    assert list(counted(sentence, {1: "n_h", 2: "L", 3: r"Q K^\top"})) == names
