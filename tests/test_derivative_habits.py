r"""Habits of notation for derivatives and gradients: what each document is read as, and its verdicts."""

from __future__ import annotations

import pytest

from derivations.documents import read_text
from derivations.provers.decide import decide
from derivations.study.claims import study


def outcomes(text: str) -> list[str]:
    return [f.status + (f" [{f.code}]" if f.code else "") for f in study(read_text(text, "x.md"), decide=decide)]


LAYER_NORM = (
    r"For $x \in \mathbb{R}^d$ let $$\mu = \frac{1}{d} \sum_{k=1}^{d} x_k, \qquad \sigma^2 = \frac{1}{d} "
    r"\sum_{k=1}^{d} (x_k - \mu)^2, \qquad \hat{x}_i = \frac{x_i - \mu}{\sigma}.$$ "
)
GRADIENTS = r"Let $P \in \mathbb{R}^{N \times N}$, $V \in \mathbb{R}^{N \times d}$ and $O = PV$; a scalar loss $L$ depends on $O$ only. "
CASES = {
    "gradients of any matrix": (
        GRADIENTS
        + r"We write $dX = \frac{\partial L}{\partial X}$ for every matrix $X$. Then $$dV = P^\top dO$$ $$dP = dO V$$",
        ["defined", "defined", "defined", "defined", "defined", "proved", "refuted [shape]"],
    ),
    "gradients, and so on": (
        GRADIENTS
        + r"Here $dO = \frac{\partial L}{\partial O}$ and so on. Then $$dV = P^\top dO.$$ The other one is $$dP = 2\, dO V^\top.$$",
        ["defined", "defined", "defined", "defined", "proved", "refuted [false-claim]"],
    ),
    "a derivative with a space after the d": (
        r"$$\phi(z) = e^{-z^2}$$ $$\frac{d \phi(z)}{dz} = -2 z \phi(z)$$ $$\frac{d \phi(z)}{d z} = 2 z \phi(z)$$",
        ["defined", "proved", "refuted [false-claim]"],
    ),
    "a probability that is called pi": (
        r"$$h(\pi) = -\pi \log \pi - (1 - \pi) \log(1 - \pi)$$ $$h'(\pi) = \log \frac{1 - \pi}{\pi}$$ "
        r"$$h'(\pi) = \log \frac{\pi}{1 - \pi}$$",
        ["defined", "proved", "refuted [false-claim]"],
    ),
    "a gradient that is zero at the best place, beside the places of a descent": (
        r"$$J(\theta) = \sum_{i=1}^n (x_i - \theta)^2$$ $$\theta_{t+1} = \theta_t - \eta \nabla_\theta J(\theta_t)$$ "
        r"$$\nabla_\theta J(\theta) = 0$$",
        ["defined", "skipped [update]", "undecided [ambiguous]"],
    ),
    "a gradient of losses that nothing defines": (
        r"$$J(\theta) = \sum_{i=1}^n g(x_i, \theta)$$ $$\nabla_\theta J(\theta) = 0$$",
        ["defined", "undecided [search-ended]"],
    ),
    "a gradient by the argument, beside entries with its letter": (
        r"For $0 < c \le 1$ let $$u_c(x) = \frac{x^c - 1}{c}$$ Then $$\nabla^2 u_c(x) \le 0$$ Elsewhere $g(x) = x_1 x_2$.",
        ["defined", "undecided [search-ended]", "defined"],
    ),
    "a slope and slopes": (
        r"A slope $m > 0$ is given. With $s_{ij} = q_i^\top k_j$ put $$a_{ij} = \frac{e^{s_{ij} - m(i-j)}}"
        r"{\sum_{l=1}^{i} e^{s_{il} - m(i-l)}}$$ $$\sum_{j=1}^i a_{ij} = 1$$ The slopes are $m_h = 2^{-8h/n}$.",
        ["skipped [hypothesis]", "defined", "defined", "proved", "defined"],
    ),
    "a loss with a small letter": (
        r"Let $y_i = 2 x_i$. $$\frac{\partial l}{\partial x_i} = 2 \frac{\partial l}{\partial y_i}$$ "
        r"$$\frac{\partial l}{\partial x_i} = 3 \frac{\partial l}{\partial y_i}$$",
        ["defined", "proved", "refuted [false-claim]"],
    ),
    "a derivative of what is not known": (
        r"$$y = f(x, w; 3)$$ $$\frac{\partial y}{\partial w} = 0 \cdot w$$",
        ["defined", "undecided [search-ended]"],
    ),
    "a gradient that is stated, and what follows from it": (
        r"The prediction is $Y = X W$ with $X \in \mathbb{R}^{n \times d}$, $W \in \mathbb{R}^{d \times k}$, $T \in "
        r"\mathbb{R}^{n \times k}$. $$\frac{\partial L}{\partial Y} = Y - T$$ $$\frac{\partial L}{\partial W} = X^\top "
        r"\frac{\partial L}{\partial Y}$$ $$\frac{\partial L}{\partial W} = X^\top (Y - T)$$ "
        r"$$\frac{\partial L}{\partial Y} = T - Y$$ $$\frac{\partial L}{\partial W} = X^\top (T - Y)$$",
        ["defined"] * 2 + ["proved"] * 2 + ["undecided [ambiguous]"] * 2,
    ),
    "a gradient that is stated, of nothing defined": (
        r"$$\frac{\partial L}{\partial z_i} = p_i - t_i$$ $$\sum_{i=1}^n \frac{\partial L}{\partial z_i} = \sum_{i=1}^n p_i - "
        r"\sum_{i=1}^n t_i$$",
        ["defined", "proved"],
    ),
    "a gradient called dx that is stated twice": (
        r"$$z = \frac{1}{N} \sum_j t_j$$ We want $\frac{dL}{dx_j}$, or $dx_j$. $$\frac{dL}{dx_j} = p_j - t_j$$ $$\frac{dL}{dx_j} = "
        r"- (t_j - p_j)$$ $$\frac{dL}{dx_j} = t_j - p_j$$",
        ["defined", "defined", "proved", "undecided [ambiguous]"],
    ),
    "gradients called dy for y": (
        r"$$\mu = \frac{1}{N} \sum_j x_j$$ $$u_j = x_j - \mu$$ $$y_j = u_j \gamma_j$$ We are given $\frac{dL}{dy_j}$, or $dy_j$. "
        r"$$\frac{dL}{d\gamma_j} = dy_j u_j$$ $$\frac{dL}{du_j} = dy_j \gamma_j$$ "
        r"$$\frac{dL}{dx_j} = \sum_k dy_k \gamma_k (\delta_{kj} - \frac{1}{N})$$ $$\frac{dL}{dx_j} = dy_j \gamma_j$$",
        ["defined"] * 3 + ["proved"] * 3 + ["undecided [ambiguous]"],
    ),
    "gradients that are mentioned": (
        r"$$y_j = x_j g_j$$ with $\frac{dL}{dy_j}$ (denoted $dy_j$). $$d\hat{x}_j = dy_j g_j$$ Then $d\hat{x}_j = g_j dy_j$.",
        ["defined", "defined", "proved"],
    ),
    "a derivative that forgets the root": (
        LAYER_NORM + r"Then $$\frac{\partial \hat{x}_i}{\partial x_j} = \frac{1}{\sigma}(\delta_{ij} - \frac{1}{d})$$",
        ["defined", "defined", "defined", "refuted [false-claim]"],
    ),
    "a change of a matrix": (
        r"Let $W_0 \in \mathbb{R}^{d \times k}$, $B \in \mathbb{R}^{d \times r}$ and $A \in \mathbb{R}^{r \times k}$. "
        r"$$\Delta W = BA$$ $$(W_0 + \Delta W) x = W_0 x + B(Ax)$$",
        ["defined", "proved"],
    ),
    "a second derivative": (
        r"For $z \in \mathbb{R}^n$ let $$F = \log \sum_{j=1}^n e^{z_j}, \qquad p_i = \frac{e^{z_i}}{\sum_{j=1}^n e^{z_j}}.$$ "
        r"Then $$\frac{\partial^2 F}{\partial z_i \partial z_j} = p_i (\delta_{ij} - p_j)$$ "
        r"$$\frac{\partial^2 F}{\partial z_i^2} = p_i (1 - p_i)$$",
        ["defined", "defined", "proved", "proved"],
    ),
    "a gradient": (
        r"For $A \in \mathbb{R}^{n \times n}$ and $x \in \mathbb{R}^n$ let $$f = x^\top A x.$$ Then "
        r"$$\nabla_x f = (A + A^\top) x$$ $$\nabla_x f = 2 A x$$",
        ["defined", "proved", "refuted [false-claim]"],
    ),
    "the derivative of a normalised entry": (
        LAYER_NORM
        + r"Then $$\frac{\partial \hat{x}_i}{\partial x_j} = \frac{1}{\sigma}(\delta_{ij} - \frac{1}{d} - \frac{\hat{x}_i \hat{x}_j}{d})$$",
        ["defined", "defined", "defined", "proved"],
    ),
    "an ordinary derivative set apart": (
        r"$$E(c) = \frac{1}{2} \sum_{i=1}^n a_i (v_i - c)^2$$ $$\frac{d E(c)}{d c} = -\sum_{i=1}^n a_i (v_i - c)$$",
        ["defined", "proved"],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_verdicts(name: str) -> None:
    text, expected = CASES[name]
    assert outcomes(text) == expected


FLASH = r"""
Let $Q, K, V, \tilde{O} \in \mathbb{R}^{n \times d}$.

\begin{align}
S_{ij} &= \sigma Q_i K_j^T \\
L_i &= \sum_j e^{S_{ij}} \\
P_{ij} &= \frac{e^{S_{ij}}}{L_i} \\
O_i &= \sum_j P_{ij} V_j
\end{align}

Here $Q_i$ is a row vector. One pass over the keys keeps two sums. Then finally,

$$O_i = \frac{\tilde{O}_i}{l_i}$$

\begin{align}
dP_{ij} &= dO_{i} V_j^T \\
D_i &= \sum_k P_{ik} dP_{ik} \\
&= \sum_k P_{ik} dO_i V_k^T \\
&= dO_i \sum_k P_{ik} V_k^T \\
&= dO_i O_i^T
\end{align}
"""


def test_rows_of_a_display_go_on_from_gradients_and_not_from_products_with_d() -> None:
    rows = [f for f in study(read_text(FLASH, "x.md"), decide=decide) if f.kind == "step"]
    assert [f.status for f in rows[:2]] == ["proved", "proved"]
    assert "dP[i, k]" in str(rows[0].statement)


def test_what_is_true_of_the_version_before_is_not_refuted() -> None:
    parts = FLASH.replace("Here $Q_i$", "## One pass\n\nHere $Q_i$").replace("{l_i}$$", "{l_i}$$\n\n## Backward\n")
    parts = parts.replace("Then finally,", "Now consider")
    last = study(read_text(parts, "x.md"), decide=decide)[-1]
    assert (last.status, last.code) == ("undecided", "ambiguous")
