r"""Notation as public documents write it: what each equation is read as, and its verdict."""

from __future__ import annotations

import pytest

from derivations.documents import read_text
from derivations.documents.model.finding import Finding
from derivations.provers.decide import decide
from derivations.study.claims import study


def read(text: str) -> list[Finding]:
    return study(read_text(text, "x.md"), decide=decide)


def outcomes(text: str) -> list[str]:
    return [f.status + (f" [{f.code}]" if f.code else "") for f in read(text)]


def meanings(text: str) -> list[str]:
    return [str(f.definition or f.statement or f.reason) for f in read(text)]


SHAPES = r"Let $Q, K, V, P, S, O \in \mathbb{R}^{n \times n}$ and let $G \in \mathbb{R}^{n \times n}$ be a gradient. "
SIGMA = r"Let $\sigma(t) = \frac{1}{1 + e^{-t}}$. "
ROTATION = r"$$R(\theta) = \begin{pmatrix} \cos\theta & -\sin\theta \\ \sin\theta & \cos\theta \end{pmatrix}$$"

SOFTMAX_LOSS = r"$$y_i = \frac{e^{z_i}}{\sum_{j=1}^n e^{z_j}}$$ $$\xi = -\sum_{k=1}^n t_k \log y_k$$ "

PREFIXES = (
    r"Let $Q, K, V \in \mathbb{R}^{n \times d}$ with rows $q_t, k_t, v_t$. "
    r"$$A_{tj} = \frac{e^{q_t^\top k_j}}{\sum_{l \le t} e^{q_t^\top k_l}} \quad (j \le t)$$ "
    r"$$o_t = \operatorname{softmax}(q_t K_{1:t}^\top) V_{1:t}$$ "
)

VERDICTS = {
    "a power with a name above says nothing of its base": (
        r"Let $0 < \beta < 1$. $$(1 - \beta) \sum_{k=0}^{t} \beta^k = 1 - \beta^t$$ "
        "\n\n"
        r"With $\beta = 0.9$ the window is ten. "
        "\n\n"
        r"Let $h = -\frac{\ln 2}{\ln \beta}$; then $\beta^{h} = \frac{1}{3}$, so $h$ is the number of steps.",
        [
            "skipped [hypothesis]",
            "skipped [hypothesis]",
            "refuted [false-claim]",
            "skipped [special-case]",
            "skipped [size]",
            "undecided [special-case]",
        ],
    ),
    "columns of a matrix that words name": (
        r"Let $U \in \mathbb{R}^{p \times r}$ and $V \in \mathbb{R}^{q \times r}$ with $U^\top U = I_r$ and $V^\top V = I_r$, and "
        r"$$M = U V^\top .$$ The columns of $U$ and $V$ are $u_i$ and $v_i$. Then $$2 M^\top u_j = 2 v_j$$ $$2 M^\top u_j = 3 v_j$$",
        ["skipped [hypothesis]", "skipped [hypothesis]", "defined", "proved", "refuted [false-claim]"],
    ),
    "a decimal of one digit is meant as it is written": (
        r"For a rate of 0.9, the weight at lag twenty is $0.9^{20} \approx 0.148$, at lag ten $0.9^{10} \approx 0.349$; of the "
        r"rounded rate, $0.93^{20} \approx 0.26$.",
        ["refuted [false-claim]", "holds", "undecided [rounded-number]"],
    ),
    "a rotation by an angle is the matrix, not the angle": (
        r"A rotation by the angle $\theta$ is the matrix " + ROTATION + " \n\n"
        r"With $J = \begin{pmatrix} 0 & -1 \\ 1 & 0 \end{pmatrix}$ and $x \in \mathbb{R}^2$ it is a mix: "
        r"$$R(\theta) = \cos\theta \, I + \sin\theta \, J$$ $$R(\theta) x = \cos\theta \, x + \sin\theta \, J x$$ "
        r"$$R(m \theta)^\top R(n \theta) = R((n - m) \theta)$$ $$R(m \theta)^\top R(n \theta) = R((m - n) \theta)$$",
        ["defined", "defined", "proved", "proved", "proved", "refuted [false-claim]"],
    ),
    "the axis of the softmax of a matrix, in words": (
        r"Let $S \in \mathbb{R}^{n \times m}$. The softmax of a matrix acts on each column separately. "
        "\n\n"
        r"$$A = \operatorname{softmax}(S)$$ $$\sum_{i=1}^n A_{ij} = 1$$ $$\sum_{j=1}^m A_{ij} = 1$$",
        ["defined", "proved", "refuted [false-claim]"],
    ),
    "an approximation of which numbers are said": (
        r"The best approximation leaves the error $\frac{2^2 + 1^2}{4^2 + 2^2 + 1^2} = \frac{5}{19}$. A quotient is approximately "
        r"$\frac{1}{3} = 0.33$, and approximately $\frac{22}{7} = \pi$. For a full turn, $\cos(2 \pi) = 1$.",
        ["refuted [false-claim]", "skipped [special-case]", "skipped [special-case]", "proved"],
    ),
    "symmetric matrices below an inverse": (
        r"Let $P \in \mathbb{R}^{n \times n}$, $H \in \mathbb{R}^{m \times n}$ and $R \in \mathbb{R}^{m \times m}$, with $P$ and "
        r"$R$ symmetric. $$S = H P H^\top + R$$ $$K = P H^\top S^{-1}$$ $$N = (I - K H) P$$ Hence $N = P - K S K^\top$.",
        ["defined", "defined", "defined", "proved"],
    ),
    "a minus above a name": (
        r"Let $F, P, Q \in \mathbb{R}^{n \times n}$ and $x, u \in \mathbb{R}^n$. $$\begin{align} y &= F x + u - x^- \\ "
        r"P^- &= F P F^\top + Q \end{align}$$ Hence $2 P^- = 2 F P F^\top + 2 Q$. Also $e^-x = 2 e^-x$.",
        ["defined", "defined", "proved", "unread [unknown-notation]"],
    ),
    "the number pi beside a family": (
        r"Mixture weights $\pi_k$ with $\sum_k \pi_k = 1$, and a density with $\sigma > 0$: "
        r"$$\varphi(x) = \frac{1}{\sqrt{2 \pi \sigma^2}} e^{-(x - \mu)^2 / (2 \sigma^2)}$$ "
        r"$$\frac{\partial^2 \log \varphi(x)}{\partial \mu^2} = \frac{1}{\sigma^2}$$",
        ["skipped [hypothesis]", "skipped [hypothesis]", "defined", "refuted [false-claim]"],
    ),
    "numbers that words call constants, and numbered ones": (
        r"Start from $h_0 = 0$ and let $a$ and $b$ be constants. For $t \ge 1$ $$h_t = a h_{t-1} + b x_t$$ "
        r"Then $h_2 = b x_2 + a b x_1$ and $h_3 = b x_3 + a b x_2 + a b x_1$. For two steps put $$a_{12} = a_2 a_1$$",
        ["defined", "defined", "proved", "refuted [false-claim]", "defined"],
    ),
    "unit vectors that their sentence introduces": (
        r"Take $N$ pairs $u_i, v_i \in \mathbb{R}^d$, all of them on the unit sphere: $\|u_i\| = 1$ and $\|v_i\| = 1$. "
        "\n\n"
        r"Then $$|u_i^\top v_j| \le 1$$ $$\|u_i - v_j\|^2 = 2 - 2 u_i^\top v_j$$ $$\|u_i - v_j\|^2 = 2 - u_i^\top v_j$$",
        ["skipped [hypothesis]", "skipped [hypothesis]", "proved", "proved", "refuted [false-claim]"],
    ),
    "determinants have their values in counterexamples": (
        r"Let $A, B \in \mathbb{R}^{n \times n}$ and $u, v \in \mathbb{R}^n$. $$\det(A + B) = \det(A) + \det(B)$$ "
        r"$$\det(A B) = \det(A) \det(B)$$ $$\det(I_n + u v^\top) = 1 - v^\top u$$ $$\det(I_n + u v^\top) = 1 + v^\top u$$",
        ["refuted [false-claim]", "proved", "refuted [false-claim]", "proved"],
    ),
    "where the argument of a determinant or of a logarithm ends": (
        r"Let $A \in \mathbb{R}^{n \times n}$ and $x, y \in \mathbb{R}$. $$\det A (1 + y) = (1 + y) \det A$$ "
        r"$$\log x (1 + y) = (1 + y) \log x$$ $$\log x (1 + y) = 2 \log x$$",
        ["proved", "undecided [ambiguous]", "refuted [false-claim]"],
    ),
    "the logarithm of a matrix": (
        r"Let $A \in \mathbb{R}^{n \times n}$. $$\log \det A = \operatorname{tr} \log A$$",
        ["undecided [ambiguous]"],
    ),
    "sums over numbers in braces and brackets": (
        r"Let $x \in \mathbb{R}^n$. $$\sum_{i \in \{1, \ldots, n\}} x_i = \sum_{i=1}^n x_i$$ "
        r"$$\sum_{i \in \{1, 2, \ldots, n\}} x_i = \sum_{i \in [n]} x_i$$",
        ["proved", "proved"],
    ),
    "a softmax whose axis is named, of a whole matrix": (
        r"Let $S \in \mathbb{R}^{n \times m}$. $$A = \mathrm{softmax}_j(S_{ij})$$ $$\sum_j A_{ij} = 1$$ $$\sum_i A_{ij} = 1$$",
        ["defined", "proved", "refuted [false-claim]"],
    ),
    "heads side by side, and their weights one below the other": (
        r"Let $Q, K, V \in \mathbb{R}^{n \times d}$. $$F(Q, K, V) = \text{softmax}(Q K^\top) V$$ "
        r"$$M(Q, K, V) = \text{Concat}(H_1, \ldots, H_h) W^O$$ where $H_i = F(Q W_i^Q, K W_i^K, V W_i^V)$ "
        r"with $W^O = [W^O_1; \ldots; W^O_h]$, so that $$M(Q, K, V) = \sum_{i=1}^h H_i W^O_i$$",
        ["defined", "defined", "defined", "defined", "undecided [ambiguous]"],
    ),
    "a minimum over an index": (
        r"Let $s \in \mathbb{R}^n$. $$\min_j s_j = -\max_j (-s_j)$$ $$\min_j (s_j - c) = \min_j s_j - c$$ $$\min_j s_j \le s_i$$ "
        r"$$\min_j s_j = \max_j s_j$$",
        ["proved", "proved", "proved", "refuted [false-claim]"],
    ),
    "an index as an upper limit alone": (
        r"A recurrence $h_t = a h_{t-1} + x_t$, $h_0 = 0$, has the solution $h_t = \sum_{s=1}^{t} a^{t-s} x_s$. "
        r"Here $\sum_{s=0}^{t-1} a^s = \sum_{s=1}^{t} a^{s-1}$.",
        ["defined", "defined", "proved", "proved"],
    ),
    "letters inside of norms are vectors": (
        r"We have $\|a - b\|^2 = \|a\|^2 + \|b\|^2 - 2 a^\top b$.",
        ["proved"],
    ),
    "a softmax whose axis is named, of products": (
        r"Let $q_i, k_j \in \mathbb{R}^d$. $$\alpha = \operatorname{softmax}_j(q_i^\top k_j / \sqrt{d})$$ "
        r"$$\alpha_{ij} = \frac{\exp(q_i^\top k_j / \sqrt d)}{\sum_l \exp(q_i^\top k_l / \sqrt d)}$$",
        ["defined", "proved"],
    ),
    "vectors that only a product with a small matrix gives their length": (
        r"$$R = \begin{pmatrix} \cos \theta & -\sin \theta \\ \sin \theta & \cos \theta \end{pmatrix}$$ "
        r"$$(R q)^\top (R k) = q^\top k$$ $$(R q)^\top k = q^\top R k$$",
        ["defined", "proved", "undecided [unsupported]"],
    ),
    "a bilinear form has a vector at its end": (
        r"$$R_m = \begin{pmatrix} \cos m\theta & -\sin m\theta \\ \sin m\theta & \cos m\theta \end{pmatrix}$$ "
        r"$$(R_m q)^\top (R_n k) = q^\top R_{n-m} k$$",
        ["defined", "proved"],
    ),
    "parts of an axis": (
        PREFIXES
        + r"$$o_t = \sum_{j=1}^t A_{tj} v_j$$ $$\sum_{j<t} v_j = V_{<t}^\top \mathbf{1}$$ "
        + r"$$\operatorname{softmax}(q_t K_{\le t}^\top) = A_{t,1:t}$$ $$\sum_{j \le t} v_j = V_{<t}^\top \mathbf{1}$$",
        ["defined", "defined", "proved", "proved", "proved", "refuted [false-claim]"],
    ),
    "means of squares and of products": (
        r"For $x, y \in \mathbb{R}^n$ let $$\bar{x} = \frac{1}{n} \sum_{i=1}^n x_i, \quad \bar{y} = \frac{1}{n} \sum_{i=1}^n "
        r"y_i, \quad \bar{x^2} = \frac{1}{n} \sum_{i=1}^n x_i^2, \quad \overline{xy} = \frac{1}{n} \sum_{i=1}^n x_i y_i.$$ Then "
        r"$$\frac{1}{n} \sum_{i=1}^n (x_i - \bar{x})^2 = \bar{x^2} - \bar{x}^2$$ $$\frac{1}{n} \sum_{i=1}^n (x_i - \bar{x}) "
        r"(y_i - \bar{y}) = \overline{x y} - \bar{x} \bar{y}$$ $$\overline{x^2} = \bar{x}^2$$",
        ["defined", "defined", "defined", "defined", "proved", "proved", "undecided [unsupported]"],
    ),
    "sums of rows beside a matrix": (
        SHAPES
        + r"$$G = P \odot (S - \operatorname{rowsum}(P \odot S))$$ $$G_{ij} = P_{ij} (S_{ij} - \sum_k P_{ik} S_{ik})$$ "
        + r"$$G_{ij} = P_{ij} (S_{ij} - \sum_k P_{kj} S_{kj})$$ $$\text{rowsum}(P)_i = \sum_j P_{ij}$$ "
        + r"$$\text{rowsum}(P)_i = \sum_j P_{ji}$$",
        ["defined", "proved", "refuted [false-claim]", "proved", "refuted [false-claim]"],
    ),
    "a row and a column of a matrix": (
        SHAPES
        + r"$$r_i = P_{i:}^\top S_{i:}$$ $$r_i = \sum_j P_{ij} S_{ij}$$ $$P_{:j}^\top S_{:j} = \sum_i P_{ij} S_{ij}$$ "
        + r"$$r_i = \sum_j P_{ji} S_{ji}$$",
        ["defined", "proved", "proved", "undecided [unsupported]"],
    ),
    "words below a letter that are spelled with single letters": (
        r"Let $$m_{block} = \max_j s_j$$ $$z_{total} = \sum_{j=1}^n e^{s_j - m_{block}}$$ "
        r"$$\log z_{total} = \log\Big(\sum_{j=1}^n e^{s_j}\Big) - m_{block}$$ Then $$z_{total} = \sum_{j=1}^n e^{s_j}$$",
        ["defined", "defined", "proved", "undecided [unsupported]"],
    ),
    "four indices side by side": (
        r"For $Q, K \in \mathbb{R}^{b \times n \times h \times d}$ let $$S_{bhij} = \sum_d Q_{bihd} K_{bjhd}$$",
        ["defined"],
    ),
    "a length that is not said": (
        r"$$W_{ts} = \begin{cases} 1/t & s \le t \\ 0 & s > t \end{cases}$$ $$\operatorname{tr} W = \sum_{t=1}^{T} \frac{1}{t}$$",
        ["defined", "undecided [ambiguous]"],
    ),
    "an example of a fixed length": (
        r"$$W_{ts} = \begin{cases} 1/t & s \le t \\ 0 & s > t \end{cases}$$ For two tokens "
        r"$$W = \begin{pmatrix} 1 & 0 \\ \tfrac12 & \tfrac12 \end{pmatrix}$$ and $$\sum_{s=1}^{t} W_{ts} = 1$$",
        ["defined", "unread [shape-conflict]", "proved"],
    ),
    "0 as the vector of zeros": (
        r"Let $p_i = \frac{e^{s_i}}{\sum_{k=1}^n e^{s_k}}$ and $A = \operatorname{diag}(p) - p p^\top$. $$A \mathbf{1} = 0$$ Hence $$A p = 0$$",
        ["defined", "defined", "proved", "refuted [false-claim]"],
    ),
    "half of a size": (
        r"Let $u \in \mathbb{R}^{d}$. $$\sum_{j=0}^{\frac{d}{2}-1} 1 = d/2$$ $$\sum_{j=0}^{d/2-1} 1 = d$$",
        ["proved", "refuted [false-claim]"],
    ),
    "shapes as code writes them": (
        r"Shapes: $x: (N, D)$ and $W: (D, d_k)$. $$y = xW$$ $$y_{ij} = \sum_{k=1}^D x_{ik} W_{kj}$$ $$W x = y$$",
        ["defined", "proved", "undecided [shape]"],
    ),
    "a maximum that is a name": (
        r"Let $x \in \R^n$ with entries $x_1, \dots, x_n$. $$\max_{j}=\max(x_{1}, x_{2},\ldots, x_{j})$$ "
        r"$$d_j=\sum_{k=1}^j e^{x_k-\max_j}$$ For $j > 1$, $$d_{j}=d_{j-1} e^{\max_{j-1}-\max_j}+e^{x_j-\max_j}$$",
        ["defined", "defined", "proved"],
    ),
    "whether the end of a part counts": (
        r"Indices start from $0$, $i = 0, \dots, n-1$. With $x \in \mathbb{R}^n$ let $s = \sum_{i=0}^{n-1} x_i$ and "
        r"$u = x_{0:k}^\top \mathbf{1}$.",
        ["defined", "unread [ambiguous]"],
    ),
    "the chain rule through a defined symbol": (
        SOFTMAX_LOSS
        + r"$$\frac{\partial \xi}{\partial z_i} = \sum_{k=1}^n \frac{\partial \xi}{\partial y_k} \frac{\partial y_k}{\partial z_i}$$"
        + r"$$\frac{\partial \xi}{\partial z_i} = 2 \sum_{k=1}^n \frac{\partial \xi}{\partial y_k} \frac{\partial y_k}{\partial z_i}$$",
        ["defined", "defined", "proved", "refuted [false-claim]"],
    ),
    "a derivative by a defined symbol, which keeps its meaning": (
        SOFTMAX_LOSS
        + r"$$\frac{\partial \xi}{\partial y_k} = -\frac{t_k}{y_k}$$"
        + r"$$\frac{\partial \xi}{\partial y_k} = -t_k e^{-z_k} \sum_{j=1}^n e^{z_j}$$"
        + r"$$\frac{\partial \xi}{\partial y_k} = \frac{t_k}{y_k}$$",
        ["defined", "defined", "proved", "proved", "refuted [false-claim]"],
    ),
    "a name for a derivative by a defined symbol": (
        SOFTMAX_LOSS + r"$$g_k = \frac{\partial \xi}{\partial y_k}$$ $$g_k = -t_k / y_k$$ $$g_k = t_k / y_k$$",
        ["defined", "defined", "defined", "proved", "refuted [false-claim]"],
    ),
    "an index that may be summed over": (
        r"For $A \in \mathbb{R}^{n \times n}$ and $x, u \in \mathbb{R}^{n}$ let $$y_i = \sum_{j=1}^n A_{ij} x_j.$$ "
        r"Now define $$B_{ij} = 2 A_{ij}.$$ Then $$2 y_i = B_{ij} x_j$$",
        ["defined", "defined", "undecided [ambiguous]"],
    ),
    "numbers put for sizes": (
        r"$$P = 4 d_k^2 = 4 \cdot 512^2 = 1048576$$",
        ["defined", "undecided [special-case]", "proved"],
    ),
    "ones and zeros put for names": (
        r"Without them, $\mathbf{w} = \mathbf{b} = \mathbf{1}$.",
        ["defined", "skipped [hypothesis]"],
    ),
    "a shape with a size that no other shape has": (
        r"For $B, C \in \mathbb{R}^{n \times n}$ let $b_t = \sum_{s=1}^{T} c_{ts}$ and $u_s = \sum_{t=1}^{T} c_{ts}$. "
        r"Then $c C^\top \in \mathbb{R}^{n \times n}$ and $C B \in \mathbb{R}^{n \times n}$.",
        ["defined", "defined", "unread [shape-conflict]", "proved"],
    ),
    "a display that begins with its relation": (
        r"$$z_i = 3 y_i + 3 y_i$$" + "\n\n" + r"$$= 6 y_i$$" + "\n\n" + r"$$= 7 y_i$$",
        ["defined", "proved", "undecided [unsupported]"],
    ),
    "a name for the members of a sequence": (
        r"Given $y = \{y_i\}_{i=1}^N$ let $z_i = 2 y_i$.",
        ["skipped [declaration]", "defined"],
    ),
    "script l as an index": (
        r"$$s = \sum_{\ell=1}^{d} q_\ell k_\ell$$ $$s = \sum_{i=1}^{d} q_i k_i$$",
        ["defined", "proved"],
    ),
    "gradients named with a d": (
        SHAPES + r"$$dV = P^\top dO$$ $$dP = dO V^\top$$ $$dP_{ij} = \sum_c dO_{ic} V_{jc}$$",
        ["defined", "defined", "proved"],
    ),
    "gradients named with a d, wrongly": (
        SHAPES + r"$$dV = P^\top dO$$ $$dP = dO V^\top$$ $$dP_{ij} = \sum_c dO_{jc} V_{ic}$$",
        ["defined", "defined", "refuted [false-claim]"],
    ),
    "lower-case gradients": (
        SHAPES + r"$$dS_{ij} = P_{ij} G_{ij}$$ $$dq_i = \sum_j dS_{ij} k_j$$",
        ["defined", "defined"],
    ),
    "the differential of a function is not a product": (
        SHAPES + r"$$dS = G$$ $$dS_{ij} = d\text{softmax}(dP_{ij})$$",
        ["defined", "unread [unknown-notation]"],
    ),
    "d as a factor": (
        r"For $d \in \mathbb{R}$ and $x \in \mathbb{R}$ let $y = 2dx$. Then $y = dx + dx$.",
        ["defined", "proved"],
    ),
    "derivatives with the letter d": (
        SIGMA + r"$$\frac{d\sigma(t)}{dt} = \sigma(t)(1 - \sigma(t))$$ $$\frac{d}{dt}\sigma(t) = \sigma(t)^2$$",
        ["defined", "proved", "refuted [false-claim]"],
    ),
    "several names for one thing": (
        r"Here $x = \text{query} = \text{key} = \text{value}$.",
        ["defined", *["skipped [hypothesis]"] * 2],
    ),
    "an angle after a sine": (
        r"$$\cos m\theta \cos n\theta + \sin m\theta \sin n\theta = \cos (m - n)\theta$$",
        ["proved"],
    ),
    "an angle that is wrong in both readings": (
        r"$$\cos m\theta \cos n\theta - \sin m\theta \sin n\theta = \cos (m + n)\theta = \cos (m - n)\theta$$",
        ["proved", "refuted [false-claim]"],
    ),
    "a scale that a later version adds": (
        r"First $$f(Q, K) = \text{softmax}(Q K^\top)$$ and then, for larger widths, $$f(Q, K) = \text{softmax}(Q K^\top / \sqrt{d_k})$$",
        ["defined", "defined"],
    ),
    "one scale in the place of another": (
        r"$$f(Q, K) = \text{softmax}(Q K^\top / \sqrt{d_k})$$ That is, $$f(Q, K) = \text{softmax}(Q K^\top / \sqrt{d_v})$$",
        ["defined", "refuted [false-claim]"],
    ),
    "one name put for another unsaid": (
        r"$$\sum_i a_{n,i} u_i + c_n = \sum_i a_{n,i} w_i + c_n = \sum_i w_i a_{n,i} + c_n$$",
        ["undecided [ambiguous]", "proved"],
    ),
    "two names that definitions relate": (
        r"For $x \in \mathbb{R}^{d}$ and $W, U \in \mathbb{R}^{d \times d}$ let $q = W x$ and $k = U x$. "
        r"Then $q^\top k = x^\top W^\top W x$.",
        ["defined", "defined", "refuted [false-claim]"],
    ),
    "a sum without an index": (
        r"$$p_i = \frac{e^{x_i}}{\sum e^{x_j}}$$ $$\sum_i p_i = 1$$ $$\frac{e^{x_i + c}}{\sum e^{x_j + c}} = \frac{e^{x_i}}{\sum e^{x_j}}$$",
        ["defined", "proved", "proved"],
    ),
    "a sum without an index over the letter of the numerator": (
        r"$$p_i = \frac{e^{x_i}}{\sum e^{x_i}}$$ $$\sum_i p_i = 1$$",
        ["defined", "proved"],
    ),
    "an expression between two limits": (
        r"$$\left[ x^3 - x^2 \right]_0^2 = 8 - 4$$ $$\left[ x^3 - x^2 \right]_0^2 = 5$$ "
        r"$$\left[ \frac{u^2}{2} \right]_0^{b + 1} = \frac{(b + 1)^2}{2}$$ $$\left[ x e^x \right]_0^t = t e^t$$",
        ["proved", "refuted [false-claim]", "proved", "proved"],
    ),
    "two letters between limits": (r"$$\left[ a u^2 \right]_0^2 = 4 a$$", ["unread [shape-conflict]"]),
    "an entry of a product is not between limits": (
        r"Let $A, B \in \mathbb{R}^{n \times n}$. $$[A B]_1^2 = 1$$",
        ["unread [shape-conflict]"],
    ),
    "an expression at a value": (
        r"$$\left. x^2 + 1 \right|_{x = 3} = 10$$ $$\left. x^2 + 1 \right|_{x = 3} = 9$$",
        ["proved", "refuted [false-claim]"],
    ),
    "a sum without an index over two letters": (r"$$s = \sum x_i y_j$$", ["unread [unknown-notation]"]),
    "the imaginary unit": (r"$$f(q, m) = q e^{i m \theta}$$", ["unread [out-of-scope]"]),
    "an index as a factor": (r"$$y_i = e^{i x_i}$$ $$y_i^2 = e^{2 i x_i}$$", ["defined", "proved"]),
    "a matrix that depends on an angle": (
        ROTATION
        + r"The angles are $\theta_1, \dots, \theta_m$. $$R(-\theta) = R(\theta)^\top$$ $$R(\theta) R(-\theta) = I$$",
        ["defined", "proved", "proved"],
    ),
    "a matrix that depends on something and is not defined": (
        r"$$R(a) R(b) = R(a + b)$$",
        ["unread [unknown-notation]"],
    ),
    "the larger of two numbers": (r"$$y = \max(0, x)$$", ["defined"]),
    "a moment whose value is not read": (
        r"For $u \in \mathbb{R}^{n}$ we have $$\mathbb{E}[x] = u^3$$ $$y = 2 x$$",
        ["unread [unknown-notation]", "defined"],
    ),
}


@pytest.mark.parametrize("name", VERDICTS)
def test_verdicts(name: str) -> None:
    text, expected = VERDICTS[name]
    assert outcomes(text) == expected, meanings(text)


MEANINGS = {
    "rows times weights": (
        r"$$q_i = x_i W^Q$$",
        ["q[i, j] := sum(c: 0 <= c < d; x[i, c]*W_Q[c, j])"],
    ),
    "weights times columns": (
        r"$$k_t = W_k x_t$$",
        ["k[t, i] := sum(c: 0 <= c < d; W_k[i, c]*x[t, c])"],
    ),
    "several definitions at once": (
        r"$$q_t, k_t = x_t W_Q, x_t W_K$$",
        ["q[t, i] := sum(c: 0 <= c < d; x[t, c]*W_Q[c, i])", "k[t, i] := sum(c: 0 <= c < d; x[t, c]*W_K[c, i])"],
    ),
    "indices in angle brackets": (
        r"$$q^{<t>} = W_q x^{<t>}$$ $$c^{<t>} = \sum_{s=1}^{T_x} \alpha^{<t, s>} a^{<s>}$$",
        [
            "q[t, i] := sum(c: 0 <= c < d; W_q[i, c]*x[t, c])",
            "c[t, i] := sum(s: 0 <= s < T_x; alpha[t, s]*a[s, i])",
        ],
    ),
    "a matrix of its entries": (
        r"$$b_{ij} = 2 s_{ij}, \quad B = [b_{ij}]$$",
        ["b[i, j] := 2*s[i, j]", "B[i, j] := b[i, j]"],
    ),
    "a short list of numbers": (
        r"$$w_i = v_i \cdot [1, 0]$$",
        ["w[i, j] := v[i]*cases(1 if j = 0; else 0)"],
    ),
    "a small letter in a product with a row": (
        r"$$e_{ij} = q_i^\top k_j$$",
        ["e[i, j] := sum(c: 0 <= c < d; q[i, c]*k[j, c])"],
    ),
    "numbers times weights": (
        r"For $x \in \mathbb{R}$ let $$y = x W$$",
        ["y[i, j] := x*W[i, j]"],
    ),
    "two layers with biases": (
        r"$$\mathrm{FFN}(x) = \max(0, x W_1 + b_1) W_2 + b_2$$",
        [
            "FFN(x)[i] := sum(c: 0 <= c < d1; max(r: 0 <= r <= 1; cases(0 if r = 0; else "
            "sum(c1: 0 <= c1 < d; x[c1]*W_1[c1, c]) + b_1[c]))*W_2[c, i]) + b_2[i]"
        ],
    ),
    "a length with a label, whatever its letter": (
        r"Let $G, F \in \mathbb{R}^{T \times N_k}$. $$S = \frac{G F^\top}{\sqrt{N_k}}$$",
        ["S[i, j] := sum(c: 0 <= c < N_k; G[i, c]*F[j, c])/sqrt(N_k)"],
    ),
    "a length of matrices with labels": (
        r"Let $x \in \mathbb{R}^{T \times C}$ and $W_q, W_k \in \mathbb{R}^{C \times N_k}$. $$S = \frac{x W_q (x W_k)^\top}{\sqrt{N_k}}$$",
        [
            "S[i, j] := sum(c: 0 <= c < N_k; sum(c1: 0 <= c1 < C; x[i, c1]*W_q[c1, c])"
            "*sum(c2: 0 <= c2 < C; x[j, c2]*W_k[c2, c]))/sqrt(N_k)"
        ],
    ),
    "names above matrices, whatever their letters": (
        r"Let $x \in \mathbb{R}^{d}$ and $Y^G, Y^F \in \mathbb{R}^{d \times m}$. $$z = x^\top Y^G (x^\top Y^F)^\top$$",
        ["z := sum(c: 0 <= c < m; sum(c1: 0 <= c1 < d; x[c1]*Y_G[c1, c])*sum(c2: 0 <= c2 < d; x[c2]*Y_F[c2, c]))"],
    ),
    "names above that are matrices too": (
        r"Let $G \in \mathbb{R}^{n \times d}$ and $U^G_i \in \mathbb{R}^{d \times m}$. Here $G$ holds the queries. $$q_i = G U^G_i$$",
        ["q[i, j, a] := sum(c: 0 <= c < d; G[j, c]*U_G[i, c, a])"],
    ),
    "a power of a matrix, with its shape": (
        r"Let $A \in \mathbb{R}^{d \times d}$ and $N \ge 1$. Then $A^N \in \mathbb{R}^{d \times d}$. $$B = A^N A$$",
        [
            "taken as given from here on",
            "a power of a matrix with this exponent is not read: 'N' at line 1, column 100",
        ],
    ),
    "the largest entry": (r"For $x \in \mathbb{R}^{n}$ let $m = \max(x)$.", ["m := max(r: 0 <= r < n; x[r])"]),
}


@pytest.mark.parametrize("name", MEANINGS)
def test_meanings(name: str) -> None:
    text, expected = MEANINGS[name]
    assert meanings(text) == expected


def test_a_distance_tells_nothing_of_where_an_index_starts() -> None:
    text = (
        r"$$\kappa_j = c^j, \qquad j = 0, 1, \dots$$ "
        r"$$y_t = \sum_{j=0}^{t-1} \kappa_j x_{t-j}, \qquad t = 1, \dots, T$$ $$s_t = \sum_{i=1}^t x_i$$"
    )
    assert meanings(text) == [
        "kappa[j] := c^j",
        "y[t] := sum(j: 0 <= j <= t; kappa[j]*x[t - j])",
        "s[t] := sum(i: 0 <= i <= t; x[i])",
    ]


def test_a_function_that_is_only_named_first() -> None:
    text = r"Two densities $p \neq q$ are given. $$f(x) = \frac{p(x)}{q(x)}$$ Then $$f(x) q(x) = p(x)$$"
    assert outcomes(text)[-2:] == ["defined", "proved"]


def test_capitals_that_spell_a_name_with_indices() -> None:
    text = (
        r"$PE_{(t,2i)} = \sin(\omega_i t)$ and $PE_{(t,2i+1)} = \cos(\omega_i t)$. "
        r"$$\|PE_t\|^2 = \sum_{i=0}^{d/2-1} (\sin^2(\omega_i t) + \cos^2(\omega_i t))$$"
    )
    assert outcomes(text) == ["defined", "defined", "proved"]


def test_sums_over_triangles_are_exchanged() -> None:
    text = r"Let $A \in \mathbb{R}^{n \times n}$. $$\sum_{i=1}^n \sum_{j=i+1}^n A_{ij} = \sum_{j=1}^n \sum_{i=1}^{j-1} A_{ij}$$"
    assert outcomes(text) == ["proved"]


@pytest.mark.parametrize(
    ("claim", "status"),
    [
        (r"$$\nabla f = (2 x, 1)$$", "proved"),
        (r"$$\nabla f + \lambda \nabla g = (2 x + \lambda y, 1 + \lambda x)$$", "proved"),
        (r"So $$\nabla f = (x, 1)$$", "refuted"),
        (r"Setting $\nabla f = 0$ gives nothing.", "skipped"),
        (r"$$\nabla h = 3 x^2$$", "proved"),
    ],
)
def test_gradients_of_functions_of_numbers(claim: str, status: str) -> None:
    found = outcomes(r"Let $f(x, y) = x^2 + y$, $g(x, y) = x y$ and $h(x) = x^3$. " + claim)
    assert found[-1].split()[0] == status


@pytest.mark.parametrize(
    ("claim", "status"),
    [
        (r"$$\|x\|_\infty \le \|x\|_1$$", "proved"),
        (r"$$\|x\|_1 \le n \|x\|_\infty$$", "proved"),
        (r"Always $$\|x\|_1 \le \sqrt{n} \|x\|_\infty$$", "refuted"),
        (r"$$\|x\|_\infty^2 \ge 0$$", "proved"),
    ],
)
def test_the_largest_entry_as_a_norm(claim: str, status: str) -> None:
    assert outcomes(r"Let $x \in \mathbb{R}^n$. " + claim)[-1].split()[0] == status


def test_a_broken_number_below_a_name_is_no_index() -> None:
    text = r"Let $0 < \gamma < 1$ and put $t_{1/2} = -\frac{\ln 2}{\ln \gamma}$. Then $$\gamma^{t_{1/2}} = \frac12.$$"
    assert outcomes(text)[-2:] == ["defined", "proved"]
