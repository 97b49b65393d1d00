r"""Habits of notation in books and papers: what each document is read as, and its verdicts."""

from __future__ import annotations

import pytest

from derivations.documents import read_text
from derivations.documents.facts.fact import Sentence
from derivations.documents.facts.kinds import count
from derivations.provers.decide import decide
from derivations.study.claims import study


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
SOFTMAX = r"$$a_j = \frac{e^{z_j}}{\sum_k e^{z_k}}$$ "
DIAGONAL = r"\frac{\partial a_j}{\partial z_i} = a_i(1 - a_i)"
BESIDE = r"\frac{\partial a_j}{\partial z_i} = -a_i a_j"
TURNED = r"$$\begin{aligned} a_m &= a \cos m\theta - b \sin m\theta \\ b_m &= a \sin m\theta + b \cos m\theta \end{aligned}$$ "
NOISE = (
    r"The weights $w_{ij}$ are drawn independently, with mean zero and variance $\sigma^2$. The inputs $x_j$ are independent "
    r"with mean zero and variance $\gamma^2$. Let $o_i = \sum_{j=1}^n w_{ij} x_j$. "
)
HEADS = (
    r"Let $X \in \mathbb{R}^{N \times D}$ and $$\mathrm{Att}(Q, K, V) = \mathrm{Softmax}\left[\frac{QK^T}{\sqrt{k}}\right] V$$ "
    r"With $H$ heads, $$Z_h = \mathrm{Att}(Q_h, K_h, V_h), \qquad h = 1, \ldots, H$$ in which $Q_h = X A_h$, $K_h = X B_h$ and "
    r"$V_h = X C_h$ for $A_h, B_h \in \mathbb{R}^{D \times k}$ and $C_h \in \mathbb{R}^{D \times v}$. The layer is "
    r"$$Y = \mathrm{Concat}[Z_1, \ldots, Z_H] W$$ with $W \in \mathbb{R}^{Hv \times D}$. "
)
CASES = {
    "heads that share keys": (
        r"Let $K \in \mathbb{R}^{G \times T \times d}$ and $Q \in \mathbb{R}^{H \times T \times d}$ with $g$ heads in each group. "
        r"$$S_{h,i,j} = \sum_c Q_{h,i,c} K_{\lfloor h/g \rfloor, j, c}$$ Let $R_{h,j} = K_{\lfloor h/2 \rfloor, j, 1}$. Then "
        r"$R_{2m,j} = R_{2m+1,j}$.",
        ["defined", "defined", "proved"],
    ),
    "names one below the other": (
        r"A pair $(x_1, x_2)$ becomes $$\begin{pmatrix} x'_1 \\ x'_2 \end{pmatrix} = \begin{pmatrix} \cos\theta & -\sin\theta \\ "
        r"\sin\theta & \cos\theta \end{pmatrix} \begin{pmatrix} x_1 \\ x_2 \end{pmatrix}.$$ Then "
        r"$x'_1 = x_1 \cos\theta - x_2 \sin\theta$ and $x'_2 = x_2 \cos\theta - x_1 \sin\theta$.",
        ["defined", "defined", "proved", "refuted [false-claim]"],
    ),
    "names one below the other, by a product of matrices": (
        r"Let $A, B \in \mathbb{R}^{2 \times 2}$. $$\begin{pmatrix} u \\ v \end{pmatrix} = A B \begin{pmatrix} a \\ b \end{pmatrix} "
        r"= \begin{pmatrix} u \\ v \end{pmatrix}$$",
        ["defined", "proved", "defined", "proved"],
    ),
    "subscripts escaped for Markdown": (
        r"For $t \ge 1$ the state $\mathbf{h}\_t \in \mathbb{R}^q$ is $$\mathbf{h}\_t = \mathbf{z}\_t \odot \mathbf{h}\_{t-1}$$ "
        r"so that $$\mathbf{h}\_t \odot \mathbf{h}\_t = \mathbf{z}\_t \odot \mathbf{h}\_t \odot \mathbf{h}\_{t-1}$$",
        ["defined", "proved"],
    ),
    "an underscore in a word is part of it": (
        r"$$d\_head = 3 d\_model$$ $$2 d\_head = 6 d\_model$$",
        ["skipped [size]", "proved"],
    ),
    "members that are defined after they are put for parameters": (
        HEADS,
        ["defined", "defined", "defined", "defined", "defined", "defined"],
    ),
    "what is turned and what it is turned to have one letter": (
        TURNED + r"Then $$a_m^2 + b_m^2 = a^2 + b^2$$ $$a_m^2 - b_m^2 = a^2 - b^2$$",
        ["defined", "defined", "proved", "undecided [unsupported]"],
    ),
    "for others than one that the relation does not have": (
        r"Let $t \in \mathbb{R}^K$ and $$u_k = t_k + 1 / K .$$ Then $u_k = 1/K$ for $k \ne c$.",
        ["defined", "undecided [condition-not-read]"],
    ),
    "a condition before this": (
        r"Let $S \in \mathbb{R}^{n \times n}$ and $$A_{ij} = S_{ij} \mathbb{1}[j \le i] .$$ For $j \le i$ this is $A_{ij} = S_{ij}$.",
        ["defined", "proved"],
    ),
    "an expectation by a plain letter": (
        NOISE
        + r"$$E[o_i] = \sum_{j=1}^n E[w_{ij}]\, E[x_j] = 0$$ $$E[o_i^2] = n \sigma^2 \gamma^2$$ $$E[o_i^2] = n \sigma^2$$",
        ["defined", "proved", "proved", "proved", "refuted [false-claim]"],
    ),
    "a letter E that is a matrix": (
        r"The variance is not known. Let $E \in \mathbb{R}^{v \times d}$ hold one row for each token. $$x_{tc} = E[t, c]$$",
        ["defined"],
    ),
    "a special value beside a claim": (
        r"Let $s = c \sum_{i=1}^n x_i$ for numbers $x_1, \ldots, x_n$ and $c$. At $c = 1$ this is $s = \sum_{i=1}^n x_i$.",
        ["defined", "skipped [special-case]", "proved"],
    ),
    "two indices are equal or differ, beside an equation and in words before it": (
        SOFTMAX
        + rf"$${DIAGONAL}, \quad i = j$$ If $i = j$, $${DIAGONAL}$$ When $i = j$ we have $${DIAGONAL}$$ and when "
        + rf"$i \ne j$ $${BESIDE}$$ This is all. In general $${DIAGONAL}$$",
        ["defined", "proved", "proved", "proved", "proved", "refuted [false-claim]"],
    ),
    "two indices differ in a heading": (
        SOFTMAX
        + f"\n\n### Case 2: $i \\neq j$ (off the diagonal)\n\n$${BESIDE}$$ $${BESIDE[:-9]} a_i a_j$$\n\n### Both\n\n$${BESIDE}$$",
        ["defined", "proved", "refuted [false-claim]", "refuted [false-claim]"],
    ),
    "a step that gives a part a name": (
        r"$$a_i = \frac{e^{s_i}}{\sum_k e^{s_k}} = \frac{e^{s_i}}{Z}$$ Then "
        r"$$\frac{\partial a_i}{\partial s_i} = \frac{e^{s_i} Z - e^{s_i} e^{s_i}}{Z^2}$$ and $\sum_i e^{s_i} = 2 Z$.",
        ["defined", "defined", "proved", "refuted [false-claim]"],
    ),
    "places in brackets after a name": (
        r"Let $K \in \mathbb{R}^{n \times d}$, $q \in \mathbb{R}^d$. $$x_i = q K[i, :]^T$$ Then $x_i = q^T K[i, :]$.",
        ["defined", "proved"],
    ),
    "the last of a list is an index of the left side": (
        r"Let $x \in \mathbb{R}^N$. $$m_i = \max(x_1, \ldots, x_i)$$ $$k_i = \max(\{x_j\}_{j=1}^i)$$ "
        r"Then $k_i = m_i$. $$l = \max(x_1, x_2, \ldots, x_N)$$ Then $m_N = l$.",
        ["defined", "defined", "proved", "defined", "proved"],
    ),
    "weights of one head, and later of several": (
        r"$$\text{Attention}(Q, K, V) = \text{softmax}(Q K^T / \sqrt{d_k}) V$$ With $X \in \mathbb{R}^{n \times d}$ let "
        r"$$Q = X W_Q, \quad K = X W_K$$ $$S = Q K^T, \quad S_{ij} = \sum_c Q_{ic} K_{jc}$$ "
        r"$$\text{head}_i = \text{Attention}(X W_i^Q, X W_i^K, X W_i^V)$$ where $W_i^Q \in \mathbb{R}^{d \times d_k}$, "
        r"$W_i^K \in \mathbb{R}^{d \times d_k}$, $W_i^V \in \mathbb{R}^{d \times d_v}$.",
        ["defined", "defined", "defined", "defined", "proved", "defined"],
    ),
    "a declared name that a later section defines": (
        r"Let $Q \in \mathbb{R}^{n \times d}$ and $K \in \mathbb{R}^{m \times d}$. $$S = Q K^T \in \mathbb{R}^{n \times m}$$"
        "\n\n## Self-attention\n\n"
        r"$$Q = X W_Q, \quad K = X W_K$$",
        ["defined", "proved", "defined", "defined"],
    ),
    "a name for the softmax": (
        r"Let $z \in \mathbb{R}^n$. $$a = \sigma(z), \quad \sigma = \text{softmax}$$ Then "
        r"$a_j = \frac{e^{z_j}}{\sum_k e^{z_k}}$.",
        ["defined", "skipped [declaration]", "proved"],
    ),
    "a name for the softmax, in words": (
        r"Let $Q, K \in \mathbb{R}^{n \times d}$. $$A = \phi\left(\frac{Q K^T}{\sqrt{d}}\right)$$ where $\phi$ denotes the "
        r"row-wise softmax function. Then $$\sum_j A_{ij} = 1.$$",
        ["defined", "proved"],
    ),
    "a sigma that is no softmax": (
        r"Let $z \in \mathbb{R}^n$. $$a = \sigma(z)$$ Then $\sum_j a_j = 1$, as for the softmax. Here $\sigma$ is given.",
        ["defined", "undecided [ambiguous]"],
    ),
    "a setting in a title": (
        r"Let $s \in \mathbb{R}^n$. **Apply the softmax** (with $\beta = 1$) $$a = \text{softmax}(s)$$ **With a high "
        r"temperature** ($\beta = 5$): $$a = \text{softmax}(5s)$$",
        ["skipped [special-case]", "defined", "skipped [special-case]", "defined"],
    ),
    "a supposition after an equation": (
        r"Let $s \in \mathbb{R}^n$ and $$t = s_1 + s_2.$$ $$u = e^{t} \quad \text{with} \quad t^2 = 4$$",
        ["defined", "defined", "skipped [hypothesis]"],
    ),
    "cases with opposite conditions": (
        SOFTMAX + r"$$\frac{\partial a_i}{\partial z_j} = \begin{cases} a_i (1 - a_i) & \text{if } i = j \\ -a_i a_j & "
        r"\text{if } i \neq j \end{cases}$$ "
        r"$$\frac{\partial a_i}{\partial z_j} = \begin{cases} a_i a_j & \text{if }\; j \neq i \\ a_i (1 - a_i) & \text{if }\; "
        r"i = j \end{cases}$$",
        ["defined", "proved", "refuted [false-claim]"],
    ),
    "a window": (
        r"$$M_{ij} = \begin{cases} 0 & \text{if } |i - j| \leq w \\ -\infty & \text{otherwise} \end{cases}$$ "
        r"$$N_{ij} = \begin{cases} 0 & \text{if } |i - j| \leq w \\ -\infty & \text{if } |i - j| > w \end{cases}$$ "
        r"$$N_{ij} = M_{ij}$$",
        ["defined", "defined", "proved"],
    ),
    "a logarithm to a base": (
        r"Let $p \in \mathbb{R}^n$ with $p_i > 0$. $$l_i = \log_2 p_i$$ Then $l_i = \log p_i / \log 2$.",
        ["skipped [hypothesis]", "defined", "proved"],
    ),
    "upper indices alone": (
        r"$$S^{ij} = \sum_a Q^{ia} K^{ja}$$ $$Z^i = \sum_j e^{S^{ij}}$$ $$A^{ij} = \frac{e^{S^{ij}}}{Z^i}$$ Then "
        r"$$\sum_j A^{ij} = 1$$",
        ["defined", "defined", "defined", "proved"],
    ),
    "digits right at a letter": (
        r"Let $x \in \mathbb{R}^n$. $$y = w1 x_1 + w2 x_2$$ Then $y = w_1 x_1 + w_2 x_2$.",
        ["defined", "proved"],
    ),
    "a sum over an index that does not occur": (
        r"Let $x \in \mathbb{R}^n$ and $A \in \mathbb{R}^{n \times m}$. $$s = \sum_i x$$ Then $s = \sum_i x_i$. "
        r"$$B = A - \sum_j A$$ Then $B_{ij} = A_{ij} - \sum_k A_{ik}$ and $B_{ij} = A_{ij} - \sum_k A_{kj}$.",
        ["defined", "proved", "defined", "proved", "undecided [ambiguous]"],
    ),
    "other names for rows of one display": (
        r"$$\begin{aligned} \alpha(q, k) &= \exp(-\|q - k\|^2) && \mathrm{Gaussian} \\ \alpha(q, k) &= "
        r"\max(0, 1 - \|q - k\|) && \mathrm{Epanechnikov} \end{aligned}$$",
        ["defined", "defined"],
    ),
    "a function of the entries of a vector, at a number": (
        r"Let $\mathbf{u} \in \mathbb{R}^n$ and $s(u) = u \ln 2 + 1$. Then $e^{s(1)} = 2 e$, $s(0) = 1$ and $s(1) = 2$.",
        ["defined", "proved", "proved", "refuted [false-claim]"],
    ),
    "a function of the whole of a vector, at a number": (
        r"Let $\mathbf{u} \in \mathbb{R}^n$, $s(u) = \frac{u}{\|u\|}$ and $t(u) = u / n$. Then $s(2) = 1$ and $t(2) = 2$.",
        ["defined", "defined", "unread [shape-conflict]", "unread [shape-conflict]"],
    ),
    "a function of the largest of two numbers, at a number": (
        r"Let $\mathbf{u} \in \mathbb{R}^n$ and $s(u) = \max(0, u)$. Then $s(3) = 3$ and $s(-2) = -2$.",
        ["defined", "proved", "refuted [false-claim]"],
    ),
    "a part of a sentence": (r"All weights are $\geq 0$.", ["unread [out-of-scope]"]),
    "a name like that of a length, of a sum": (
        r"For $\mu \in \mathbb{R}^d$ $$D_0 = \frac12 \sum_{i=1}^d \mu_i^2$$ and so $2 D_0 = \mu^\top \mu$.",
        ["defined", "proved"],
    ),
    "a length that is stated": (
        r"Let $d_k = d / h$. For $q \in \mathbb{R}^{d_k}$ $$s = q^\top q$$",
        ["skipped [size]", "defined"],
    ),
    "the summation convention, stated": (
        r"Repeated indices are summed. $$O^{ib} = A^{ij} V^{jb}$$ Then $$\frac{\partial O^{ib}}{\partial V^{mc}} = A^{ij} "
        r"\delta^j_m \delta^b_c = A^{im} \delta^b_c.$$ Also $$O^{ib} = \sum_j A^{ij} V^{jb}$$ and $O^{ib} = 2 A^{ij} V^{jb}$.",
        ["defined", "proved", "proved", "proved", "refuted [false-claim]"],
    ),
    "the summation convention, unsaid": (
        r"$$S^{ij} = Q^{ia} K^{ja}$$ $$O^{ib} = S^{ij} V^{jb}$$ $$P^{ic} = O^{ib} W^{bc}$$ Then "
        r"$P^{ic} = \sum_b O^{ib} W^{bc}$ and $P^{ic} = 2 O^{ib} W^{bc}$.",
        ["defined", "defined", "defined", "proved", "undecided [ambiguous]"],
    ),
    "an index that stands twice on both sides": (
        r"Repeated indices are summed. $$O^{ib} = A^{ij} V^{jb}$$ $$a_i = \frac{e^{s_i}}{\sum_k e^{s_k}}$$ If $i = j$, "
        r"$$\frac{\partial a_i}{\partial s_i} = a_i - a_i^2 = a_i (1 - a_i)$$",
        ["defined", "defined", "proved", "proved"],
    ),
    "the letter of a mean counts what it is divided by": (
        r"$$\mu = \frac{1}{N} \sum_j x_j$$ $$\sum_j (x_j - \mu) = 0$$ $$s = \frac{\sum_i y_i}{M}$$ $$\sum_i (y_i - s) = 0$$ "
        r"$$w = \frac{1}{Z} \sum_k v_k$$ Then $$\sum_k (v_k - w) = 0$$",
        ["defined", "proved", "defined", "proved", "defined", "undecided [unsupported]"],
    ),
    "the mean and the variance of a vector in a text without random numbers": (
        r"The layer normalises each row $x \in \mathbb{R}^d$: $$y = \frac{x - \mathrm{E}[x]}{\sqrt{\mathrm{Var}[x] + \epsilon}} * "
        r"\gamma + \beta$$ $$\mu = \frac{1}{d} \sum_j x_j, \quad v = \frac{1}{d} \sum_j (x_j - \mu)^2$$ $$y_i = \gamma \frac{x_i - "
        r"\mu}{\sqrt{v + \epsilon}} + \beta$$",
        ["defined"] * 3 + ["proved"],
    ),
    "entries with two digits below, and names for a whole and its entries": (
        r"Let $$A = \begin{bmatrix} a_{11} & a_{12} \\ a_{21} & a_{22} \end{bmatrix}, \quad B = \begin{bmatrix} b_{11} & b_{12} "
        r"\\ b_{21} & b_{22} \end{bmatrix}.$$ Then $$A B = C = \begin{bmatrix} a_{11} b_{11} + a_{12} b_{21} & a_{11} b_{12} + "
        r"a_{12} b_{22} \\ a_{21} b_{11} + a_{22} b_{21} & a_{21} b_{12} + a_{22} b_{22} \end{bmatrix} = \begin{bmatrix} c_{11} & "
        r"c_{12} \\ c_{21} & c_{22} \end{bmatrix}$$ $$\mathrm{tr}(C) = c_{11} + c_{22}$$ $$\mathrm{tr}(C) = c_{11} + c_{21}$$",
        ["defined"] * 3 + ["proved", "defined", "proved", "refuted [false-claim]"],
    ),
    "a product gets a name on its right side": (
        r"Let $X \in \mathbb{R}^{n \times d}$ and $$Q = X W, \quad K = X U.$$ Then $$Q K^\top = S$$ $$S_{ij} = \sum_c Q_{ic} K_{jc}$$",
        ["defined", "defined", "proved", "defined"],
    ),
    "a product gets a name that is used from there on": (
        r"Let $X \in \mathbb{R}^{n \times d}$ and $$Q = X W, \quad K = X U.$$ Then $$Q K^\top = S$$ $$\sum_j S_{ij} = \sum_j \sum_c "
        r"Q_{ic} K_{jc}$$ $$\sum_j S_{ij} = \sum_j \sum_c Q_{jc} K_{ic}$$",
        ["defined"] * 3 + ["proved", "refuted [false-claim]"],
    ),
    "a softmax on the right side is not named": (
        r"For $S \in \mathbb{R}^{n \times n}$ let $m_i = \max_j S_{ij}$. Then $$\frac{e^{S_{ij} - m_i}}{\sum_k e^{S_{ik} - m_i}} = "
        r"\text{softmax}(S)_{ij}$$",
        ["defined", "proved"],
    ),
    "a softmax up to the condition": (
        r"$$\alpha_{ij} = \text{softmax}(q_i^\top k_j) \quad \forall j \le i$$ $$\alpha_{ij} = \frac{\exp(q_i^\top k_j)}{\sum_{l=1}^i "
        r"\exp(q_i^\top k_l)} \quad \forall j \le i$$ $$\sum_{j \le i} \alpha_{ij} = 1$$ $$\alpha_{11} = 1$$ $$\alpha_{ij} = \frac{\exp("
        r"q_i^\top k_j)}{\sum_{l=1}^n \exp(q_i^\top k_l)} \quad \forall j \le i$$",
        ["defined", "proved", "proved", "proved", "undecided [unsupported]"],
    ),
    "a letter that stands below a weight matrix only": (
        r"The router has $$g_i = W_r x_i, \quad u_i = W_s x_i$$ for $W_r, W_s \in \mathbb{R}^{N \times d}$. $$g_i + u_i = (W_r + W_s) x_i$$",
        ["defined", "defined", "proved"],
    ),
    "a function of two positions": (
        r"$$\text{score}(m, n) = q_m^\top k_n$$ $$\sum_n \text{score}(m, n) = q_m^\top \sum_n k_n$$ $$\text{score}(n, m) = q_n^\top k_m$$",
        ["defined", "proved", "proved"],
    ),
    "a sum with an upper limit alone": (
        r"$$p_i = \frac{e^{h_i}}{\sum_j^N e^{h_j}}$$ $$\sum_{i=1}^N p_i = 1$$",
        ["defined", "proved"],
    ),
    "sets, and what kind something is of": (
        r"With the parameters $$\theta = \{W, b\}$$ of $$\phi: \mathbb{R}^d \to \mathbb{R}^m$$ and $$h = \{\vec{h}_1, \dots, \vec{h}_N\}$$",
        ["skipped [declaration]"] * 3,
    ),
    "the Kronecker delta with one index above": (
        r"Let $A, B \in \mathbb{R}^{n \times n}$ with $$B_{bj} = \sum_m \delta^b_m A_{mj}$$ Then $B_{bj} = A_{bj}$.",
        ["defined", "proved"],
    ),
    "targets of a cross entropy sum to one": (
        SOFTMAX
        + r"The cross-entropy loss is $$L = -\sum_k y_k \log a_k.$$ "
        + r"$$\frac{\partial L}{\partial z_i} = a_i \sum_k y_k - y_i = a_i - y_i$$ "
        + r"$$\frac{\partial L}{\partial z_i} = a_i + y_i$$",
        ["defined", "defined", "proved", "proved", "refuted [false-claim]"],
    ),
    "an arrow to what an equation becomes": (
        r"Let $W \in \mathbb{R}^{d \times k}$, $B \in \mathbb{R}^{d \times r}$, $A \in \mathbb{R}^{r \times k}$. "
        r"$h = Wx \to h = Wx + BAx$. $$h = Wx \Rightarrow h = Wx + BAx$$",
        [
            "defined",
            "unread [out-of-scope]",
            "undecided [ambiguous]",
            "proved",
            "undecided [unsupported]",
        ],
    ),
    "what is defined at one place only": (
        r"$$y_i = \frac{e^{x_i}}{\sum_{j=1}^N e^{x_j}}$$ $$m = \max(x)$$ $$m_0 = -\infty$$ $$m_i = \max(m_{i-1}, x_i)$$ "
        r"$$l_i = \sum_{j=1}^i e^{x_j - m_N}$$ $$q_i = \sum_{j=1}^i e^{x_j - m_j}$$ Notice that $q_N = l_N$.",
        ["defined"] * 6 + ["undecided [vacuous]"],
    ),
    "words with underscores": (
        r"$$c = \max(dot\_product)$$ $$e^{dot\_product_i - c} = e^{dot\_product_i} \cdot e^{-c}$$",
        ["defined", "proved"],
    ),
    "two ways to do it, each with its title": (
        "**Linear scaling** (simple): $$t_j = u_j / s$$\n\nwhere $s > 1$ is the scaling factor.\n\n**Aware scaling** (better):\n\n"
        "$$t_j = u_j \\cdot s^2$$\n\nThen $$t_j = u_j \\cdot s^3$$",
        ["defined", "skipped [hypothesis]", "defined", "undecided [unsupported]"],
    ),
    "a special value in the sentence": (
        r"Let $x \in \mathbb{R}^d$. $$\text{RMS}(x) = \sqrt{\frac{1}{d} \sum_{i=1}^d x_i^2 + \epsilon}$$ For $\epsilon = 0$ and $c > 0$, "
        r"$\text{RMS}(cx) = c\,\text{RMS}(x)$. In general $\text{RMS}(cx) = c\,\text{RMS}(x)$.",
        [
            "defined",
            "skipped [special-case]",
            "skipped [hypothesis]",
            "proved",
            "refuted [false-claim]",
        ],
    ),
    "cases in words": (
        r"For $i = j$ the mask is $M_{ij} = 0$, and for $j > i$ it is $M_{ij} = -\infty$.",
        ["defined", "defined"],
    ),
    "indices above": (
        r"$$A^{ij} = \frac{e^{S^{ij}}}{\sum_k e^{S^{ik}}}$$ Then $\sum_j A^{ij} = 1$. Hence $\sum_i A^{ij} = 1$. "
        r"$$\frac{\partial A^{ij}}{\partial S^{mn}} = \delta^i_m A^{ij} (\delta^j_n - A^{in})$$",
        ["defined", "proved", "refuted [false-claim]", "proved"],
    ),
    "the true class, and weights of rows": (
        r"With true class $c$ (one-hot encoded as $\mathbf{y}$): $$p_k = \frac{e^{z_k}}{\sum_j e^{z_j}}$$ "
        r"$$-\log p_c = -\sum_k y_k \log p_k$$",
        ["defined", "undecided [ambiguous]"],
    ),
    "a root that some inputs make zero": (
        r"$$\sigma_b = \sqrt{v_b + \epsilon}, \quad y_{bh} = \frac{\mu_{bh}}{\sigma_b} \gamma_h$$ "
        r"$$\frac{\partial y_{bh}}{\partial \gamma_q} = \frac{\mu_{bh}}{\sigma_b} \delta_{hq}$$",
        ["defined", "defined", "proved"],
    ),
    "a name is the root of its defined square": (
        LAYER_NORM + r"Then $$\sum_{i=1}^{d} \hat{x}_i = 0$$",
        ["defined", "defined", "defined", "proved"],
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
        ["defined", "undecided [ambiguous]"],
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
    "calls in brackets": (
        r"Let $X \in \mathbb{R}^{d \times n}$ and $W \in \mathbb{R}^{p \times d}$. $$V[X] = W X$$ $$V[X + X] = 2 V[X]$$",
        ["defined", "proved"],
    ),
    "an index in parentheses": (
        r"Let $v_s \in \mathbb{R}^d$ for $s = 1, \ldots, S$. $$a_t(s) = \frac{e^{u_{ts}}}{\sum_{r=1}^S e^{u_{tr}}}$$ "
        r"$$c_t = \sum_{s=1}^S a_t(s) v_s$$ Then $\sum_{s=1}^S a_t(s) = 1$.",
        ["defined", "defined", "proved"],
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
    "a square with a label or an index, and its root": (
        r"For $x_{bi}$ with $b = 1, \ldots, B$ and $i = 1, \ldots, d$ let "
        r"$$\mu_b = \frac{1}{d} \sum_{i=1}^d x_{bi}, \qquad \sigma_b^2 = \frac{1}{d} \sum_{i=1}^d (x_{bi} - \mu_b)^2.$$ "
        r"$$y_{bi} = \frac{x_{bi} - \mu_b}{\sigma_b}$$ Then $$\sum_{i=1}^d y_{bi} = 0$$",
        ["defined", "defined", "defined", "proved"],
    ),
    "a function of numbers at an array": (
        r"Let $x \in \mathbb{R}^n$ and $$\sigma(z) = \frac{1}{1+e^{-z}}.$$ $$y = \sigma(x)$$ $$y_i = \sigma(x_i)$$",
        ["defined", "defined", "proved"],
    ),
    "sums over neighbours": (
        r"$$a_{ij} = \frac{e^{s_{ij}}}{\sum_{k \in \mathcal{N}_i} e^{s_{ik}}}$$ Then $$\sum_{j \in \mathcal{N}_i} a_{ij} = 1$$ "
        r"$$\sum_{j \in \mathcal{N}_i} a_{ij} = 2$$",
        ["defined", "proved", "undecided [property-not-read]"],
    ),
    "a parameter below a function": (
        r"$$\operatorname{Swish}_\beta(z) = \frac{z}{1 + e^{-\beta z}}$$ $$\operatorname{Swish}_\beta(0) = 0$$",
        ["defined", "proved"],
    ),
    "a root of what is assumed to be positive": (
        r"For $a \in \mathbb{R}^n$ let $$r(a) = \sqrt{\frac{1}{n} \sum_{i=1}^n a_i^2}.$$ Then "
        r"$$\sum_{i=1}^n \left(\frac{a_i}{r(a)}\right)^2 = n$$ $$\sum_{i=1}^n \left(\frac{a_i}{r(a)}\right)^2 = 1$$",
        ["defined", "proved", "refuted [false-claim]"],
    ),
    "one logistic function in two forms": (
        r"$$s(t) = \frac{1}{1 + e^{-t}}$$ $$s(t) = \frac{e^t}{1 + e^t}$$ $$s(t) = \frac{e^t}{1 - e^t}$$",
        ["defined", "proved", "refuted [false-claim]"],
    ),
    "an aside before a display": (
        r"For $z \in \mathbb{R}^n$ let $F = \sum_{j=1}^n e^{z_j}$. The derivative with the opposite sign, "
        r"$$\frac{\partial F}{\partial z_i} = -e^{z_i},$$ is sometimes printed.",
        ["defined", "refuted [false-claim]"],
    ),
    "a claim after what was let": (
        r"Let $A \in \mathbb{R}^{n \times n}$ and then with $B = A^\top$ $$(AB)^\top = BA.$$",
        ["defined", "refuted [false-claim]"],
    ),
    "one letter in two cases of which nothing is said": (
        r"Let $h_1, \ldots, h_n \in \mathbb{R}^d$ and $H \in \mathbb{R}^{n \times d}$, and $u \in \mathbb{R}^n$. Then "
        r"$$\sum_{j=1}^n u_j h_j = H^\top u$$",
        ["undecided [ambiguous]"],
    ),
    "a double bar between the arguments of a divergence": (
        r"For distributions $p$ and $q$ over $n$ outcomes $$D_\text{KL}(p \,\|\, q) = \sum_{i=1}^n p_i \log \frac{p_i}{q_i}$$ "
        r"$$H(p) = -\sum_{i=1}^n p_i \log p_i$$ $$H(p, q) = -\sum_{i=1}^n p_i \log q_i$$ $$H(p, q) = H(p) + D_\text{KL}(p \| q)$$",
        ["defined", "defined", "defined", "proved"],
    ),
    "bars typed twice are one sign between two things": (
        r"For distributions $p$ and $q$ over $n$ outcomes $$D_{KL}(p||q) = \sum_{i=1}^n p_i \log \frac{p_i}{q_i}$$ "
        r"$$KL(p || q) = \sum_{i=1}^n p_i \log p_i - \sum_{i=1}^n p_i \log q_i$$ $$KL(p || q) = D_{KL}(p || q)$$",
        ["defined", "defined", "proved"],
    ),
    "a word of capitals below or above a name": (
        r"Let $x_t \in \mathbb{R}^{1 \times d}$, $W^Q, W^K \in \mathbb{R}^{d \times r}$, $q_t = x_t W^Q$, $k_t = x_t W^K$ and "
        r"$W^{QK} = W^Q (W^K)^\top$. Then $$q_t k_s^\top = x_t W^{QK} x_s^\top$$ $$q_t k_s^\top = x_s W^{QK} x_t^\top$$",
        ["defined", "defined", "defined", "proved", "refuted [false-claim]"],
    ),
    "a word of roles below a number": (
        r"The cache of $L$ layers and $n_{kv}$ heads of width $d_h$ for the keys $k_t$ takes $$M = 4 L T n_{kv} d_h$$ bytes. "
        r"Therefore $$M = 2 \cdot 2 T L d_h n_{kv}$$ $$M = 2 T L d_h n_{kv}$$",
        ["defined", "proved", "refuted [false-claim]"],
    ),
    "capitals that are indices, one after the other": (
        r"$$T_{AB} = \sum_{C=1}^n U_{AC} V_{CB}$$ $$\sum_{B=1}^n T_{AB} = \sum_{C=1}^n U_{AC} \sum_{B=1}^n V_{CB}$$",
        ["defined", "proved"],
    ),
    "members of a family of functions are no factors": (
        r"The layer has $n$ experts $E_1, \dots, E_n$. For $x \in \mathbb{R}^d$ and a gate $g \in \mathbb{R}^n$ "
        r"$$y = \sum_{i=1}^n g_i E_i(x)$$ $$y = \Big(\sum_{i=1}^n g_i E_i\Big) x$$",
        ["unread [unknown-notation]", "defined"],
    ),
    "a state before the first beside entries from 1": (
        r"Given $x_1, \dots, x_N$ let $$d = \sum_{j=1}^{N} e^{x_j}, \qquad a_i = \frac{e^{x_i}}{d}.$$ Hence $a_i = \frac{e^{x_i}}"
        r"{\sum_{j=1}^N e^{x_j}}$. Start with $m_0 = -\infty$; for $i = 1, \dots, N$ $$m_i \gets \max(m_{i-1}, x_i)$$",
        ["defined", "defined", "proved", "defined", "skipped [update]"],
    ),
    "weights that are random at first": (
        r"We train $B \in \mathbb{R}^{m \times r}$ and $A \in \mathbb{R}^{r \times n}$, initialised at random. For $x \in \mathbb{R}^n$ "
        r"let $h = B A x$. Then $$h = B (A x)$$ $$h = 2 B A x$$",
        ["defined", "proved", "refuted [false-claim]"],
    ),
    "a number of heads in a product": (
        r"The cache takes $$M = 4 T n_h d_h$$ bytes. Therefore $$M = 2 \cdot 2 n_h d_h T$$ $$M = 2 n_h d_h T$$",
        ["defined", "proved", "refuted [false-claim]"],
    ),
    "a claim about one size alone": (
        r"Let $p_i = e^{z_i} / \sum_{j=1}^V e^{z_j}$. When $V = 2$ we have $$p_1 = \frac{e^{z_1}}{e^{z_1} + e^{z_2}}$$ When $V = 3$ we "
        r"have $$p_1 = \frac{e^{z_1}}{e^{z_1} + e^{z_2}}$$",
        ["defined", "skipped [size]", "proved", "skipped [size]", "undecided [unsupported]"],
    ),
    "the step of a recurrence beside a sum up to it": (
        r"$$m_t = \beta m_{t-1} + (1 - \beta) g_t, \qquad m_0 = 0$$ Unrolled, $m_t = (1 - \beta) \sum_{i=1}^t \beta^{t-i} g_i$. "
        r"For $\beta \neq 1$ one has $\sum_{i=0}^{t-1} \beta^i = \frac{1 - \beta^t}{1 - \beta}$.",
        ["defined", "defined", "proved", "skipped [hypothesis]", "proved"],
    ),
    "arrows that say forwards and backwards": (
        r"Let $\overrightarrow{h}, \overleftarrow{h} \in \mathbb{R}^n$ and $h = \overrightarrow{h} + \overleftarrow{h}$. Then "
        r"$$h = \overleftarrow{h} + \overrightarrow{h}$$",
        ["defined", "proved"],
    ),
    "variances with names of quantities below": (
        r"Let $w_1, \dots, w_n$ and $x_1, \dots, x_n$ be independent with mean zero, $\operatorname{Var}(w_i) = \sigma_w^2$ "
        r"and $\operatorname{Var}(x_i) = \sigma_x^2$. Then "
        r"$$\operatorname{Var}\left(\sum_{i=1}^n w_i x_i\right) = n\, \sigma_w^2\, \sigma_x^2$$",
        ["skipped [hypothesis]", "skipped [hypothesis]", "proved"],
    ),
    "what one will not find": (
        WEIGHTS + r"A reader who sums over $i$ will not find $\sum_{i=1}^n \alpha_{ij} = 1$.",
        ["defined", "skipped [denied]"],
    ),
    "parts of a sum with letters of their own": (
        r"Let $s \in \mathbb{R}^n$ and $v_1, \dots, v_n \in \mathbb{R}^d$. $$L_a = \sum_{j=1}^{t} e^{s_j}, \quad L_b = \sum_{j=t+1}^{n} e^{s_j}, "
        r"\quad L = \sum_{j=1}^{n} e^{s_j}.$$ For $1 \le t < n$ we have $$L = L_a + L_b.$$ "
        r"$$o_b = \frac{1}{L_b} \sum_{j=t+1}^{n} e^{s_j} v_j$$",
        ["defined", "defined", "defined", "proved", "defined"],
    ),
    "a function of a vector at zero": (
        r"Let $k_1, \dots, k_m \in \mathbb{R}^d$ and $q \in \mathbb{R}^d$. $$w_i(q) = \frac{e^{q^\top k_i}}{\sum_{j=1}^m e^{q^\top k_j}}$$ "
        r"$$w_i(0) = \frac{1}{m}$$",
        ["defined", "proved"],
    ),
    "a softmax with a number": (
        r"$$\text{softmax}_1(x)_i = \frac{e^{x_i}}{1 + \sum_{j=1}^n e^{x_j}}$$ $$\sum_{i=1}^n \text{softmax}_1(x)_i < 1$$",
        ["defined", "proved"],
    ),
    "undefined at size one only": (
        r"For $x \in \mathbb{R}^d$ let $$v = \frac{1}{d-1} \sum_{i=1}^d x_i.$$ Then $$v = \frac{1}{d-1} \sum_{k=1}^d x_k$$",
        ["defined", "proved"],
    ),
    "a symmetry that is said in indices": (
        r"A graph has weights $W_{ij} = W_{ji} \ge 0$. $$d_i = \sum_j W_{ij}, \qquad P_{ij} = \frac{W_{ij}}{d_i}$$ "
        r"$$d_i P_{ij} = d_j P_{ji}$$",
        ["skipped [hypothesis]", "skipped [hypothesis]", "defined", "defined", "proved"],
    ),
    "a symmetry that is said of matrices": (
        r"Take weights $W$ with $W = W^\top$. $$d_i = \sum_j W_{ij}$$ Then $d_i = \sum_j W_{ji}$.",
        ["skipped [hypothesis]", "defined", "proved"],
    ),
    "a step that stands alone, and a change that an equation gives": (
        r"With a step size $\Delta$ $$\bar{A} = \exp(\Delta a), \qquad \bar{b} = \frac{\exp(\Delta a) - 1}{a} b .$$ "
        r"$$a \bar b = (\bar A - 1) b$$ The update is $W' = W + \Delta W$ with $\Delta W = B C$ for "
        r"$B \in \mathbb{R}^{n \times r}$, $C \in \mathbb{R}^{r \times n}$.",
        ["defined", "defined", "proved", "defined", "defined"],
    ),
    "one point, and a batch in another section": (
        "## One point\n\nFor logits $z$ let $$s_i = \\frac{\\exp(z_i)}{\\sum_j \\exp(z_j)}.$$ Then $\\sum_i s_i = 1$.\n\n## A batch\n\n"
        "For a batch let $z, s \\in \\mathbb{R}^{N \\times k}$ with $$s_{ni} = \\frac{\\exp(z_{ni})}{\\sum_j \\exp(z_{nj})}.$$ Then "
        "$\\sum_i s_{ni} = 1$.\n",
        ["defined", "proved", "defined", "proved"],
    ),
    "channels, and groups of them in another section": (
        "## Layer norm\n\nFor $x \\in \\mathbb{R}^d$ let $$\\mu = \\frac{1}{d} \\sum_{i=1}^d x_i, \\qquad \\sum_{i=1}^d (x_i - \\mu) = 0.$$\n\n"
        "## Group norm\n\nLet $x_{hk}$ be channel $k$ of group $h$: $$m_h = \\frac{1}{K} \\sum_{k=1}^K x_{hk}, \\qquad "
        "\\sum_{k=1}^K (x_{hk} - m_h) = 0.$$\n",
        ["defined", "proved", "defined", "proved"],
    ),
    "other lengths that another section declares": (
        "## Dense\n\nFor $x \\in \\mathbb{R}^n$, $W \\in \\mathbb{R}^{m \\times n}$, $b \\in \\mathbb{R}^m$ let $$z = W x + b.$$ "
        "Then $z_i = \\sum_{j=1}^n W_{ij} x_j + b_i$.\n\n## Output\n\nFor $x \\in \\mathbb{R}^d$, $W \\in \\mathbb{R}^{k \\times d}$, "
        "$b \\in \\mathbb{R}^k$ let $$z = W x + b.$$ Then $z_i = \\sum_{j=1}^d W_{ij} x_j + b_i$.\n",
        ["defined", "proved", "defined", "proved"],
    ),
    "weights that words call the entries of a matrix": (
        "Let $G$ be a graph without loops, with weights $w_{uv} \\ge 0$ collected in a symmetric matrix $W \\in \\mathbb{R}^{N\\times N}$ "
        "with zero diagonal. The degree of a vertex is $$d_u = \\sum_{v=1}^N w_{uv}.$$ Let $D = \\operatorname{diag}(d_1, \\dots, d_N)$ "
        "and $L = D - W$. Then $$L_{uv} = \\begin{cases} d_u & u = v,\\\\ -w_{uv} & u \\neq v\\end{cases}$$ and "
        "$\\operatorname{tr} L = \\sum_{u=1}^N d_u$, and for every $f \\in \\mathbb{R}^N$ "
        "$$f^\\top L f = \\frac12 \\sum_{u=1}^N \\sum_{v=1}^N w_{uv} (f_u - f_v)^2 .$$\n",
        ["skipped [hypothesis]", "defined", "defined", "defined", "proved", "proved", "proved"],
    ),
    "layers whose numbers stand below all their names": (
        "Let $x \\in \\mathbb{R}^d$, $W_1 \\in \\mathbb{R}^{m \\times d}$, $b_1 \\in \\mathbb{R}^m$, $W_2 \\in \\mathbb{R}^{k \\times m}$ "
        "and $b_2 \\in \\mathbb{R}^k$. $$z_1 = W_1 x + b_1, \\qquad h_1 = \\tanh(z_1), \\qquad z_2 = W_2 h_1 + b_2.$$ "
        "Hence $z_2 = W_2 \\tanh(W_1 x + b_1) + b_2$.\n",
        ["defined", "defined", "defined", "proved"],
    ),
    "a range of two indices": (
        "Let $q_i, k_j \\in \\mathbb{R}^d$ for $i, j = 1, \\dots, N$ and $$s_{ij} = q_i^\\top k_j.$$ Then "
        "$$\\sum_{j=1}^N s_{ij} = q_i^\\top \\sum_{j=1}^N k_j.$$\n",
        ["defined", "proved"],
    ),
    "labels with an arrow": (
        "Let $\\ell_{ij}$ be logits. $$\\mathcal{L}_{u \\to v} = -\\frac{1}{N} \\sum_{i=1}^N \\ell_{ii}, \\qquad "
        "\\mathcal{L}_{v \\to u} = \\frac{1}{N} \\sum_{i=1}^N \\ell_{ii}.$$ Then $\\mathcal{L}_{u \\to v} + \\mathcal{L}_{v \\to u} = 0$.\n",
        ["defined", "defined", "proved"],
    ),
    "indices with an arrow": (
        "Let $h \\in \\mathbb{R}^n$. The messages are $$m_{j \\to i} = h_i h_j.$$ Then $m_{j \\to i} = m_{i \\to j}$ and "
        "$$\\sum_{j=1}^n m_{j \\to i} = h_i \\sum_{j=1}^n h_j.$$\n",
        ["defined", "proved", "proved"],
    ),
    "what a defined matrix satisfies for every vector": (
        r"Let $X \in \mathbb{R}^{n \times d}$. The Gram matrix $K = X X^\top$ satisfies, for every $a \in \mathbb{R}^n$, "
        r"$$a^\top K a = \|X^\top a\|_2^2.$$",
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
        ("the value matrix ⟦1⟧ projects input sequences", []),
    ],
)
def test_numbers_of_things(sentence: str, names: list[str]) -> None:
    sources = {1: "n_h", 2: "L", 3: r"Q K^\top"}
    found = [one for row in count.ROWS for one in row.read(Sentence(sentence, sentence, sources))]
    assert [sources[n] for numbers, _ in found for n in numbers if isinstance(n, int)] == names
