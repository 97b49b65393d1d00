"""What a name stands for in the course of a document: members of its own, special values, versions, given and then defined."""

from __future__ import annotations

import pytest

from derivations.documents import read_text
from derivations.documents.model.finding import Finding
from derivations.provers.decide import decide
from derivations.study.claims import study

SOFTMAX = r"For $z \in \mathbb{R}^C$ let $$p_i = \frac{e^{z_i}}{\sum_{k=1}^C e^{z_k}}.$$ "
LOSS = SOFTMAX + r"For targets $y \in \mathbb{R}^C$ let the cross-entropy be $$L = -\sum_{i=1}^C y_i \log p_i.$$ "


def read(text: str) -> list[Finding]:
    spaced = text.replace("$$ ", "$$\n\n").replace(" $$", "\n\n$$")
    return [f for f in study(read_text(spaced, "x.md"), decide=decide) if f.kind not in ("shape", "prose")]


LEFT_OUT = (
    r"Let $R_m \in \mathbb{R}^{n \times n}$, $q, k \in \mathbb{R}^n$ and $s_m = \sum_{c=1}^n (R_m q)_c$. The query at position "
    r"$m$ and the key at position $l$ are $$u = R_m q$$ $$v = R_l k$$ "
)
CASES = {
    "an index that is left out": (
        LEFT_OUT + r"Then $$u^\top v = q^\top R_m^\top R_l k$$ and $$u^\top v = q^\top R_l^\top R_m k .$$",
        ["defined", "defined", "defined", "proved", "refuted false-claim"],
    ),
    "an index behind a number in an exponent": (
        r"Let $t > 0$ and $$b_{ij} = e^{-t (i - j)} .$$ Multiply by $e^{-t i}$: $$b_{ij} = e^{-t i} e^{t j} .$$",
        ["defined", "proved"],
    ),
    "the imaginary unit in front of an angle": (
        r"Let $x \in \mathbb{R}^n$ and $s = \sum_{i=1}^n x_i$. $$e^{i t} = 2 s$$",
        ["defined", "unread out-of-scope"],
    ),
    "what the words solve for": (
        SOFTMAX
        + r"Solving for the scores, $$z_i = \log p_i + \log \sum_{k=1}^C e^{z_k} .$$ So we have $$z_i = \log p_i .$$",
        ["defined", "proved", "refuted false-claim"],
    ),
    "the input of the next layer": (
        r"For $x \in \mathbb{R}^m$ let $$y = x + W x .$$ The next input is $$x = \tanh(y) .$$ Then $$x_i = \tanh(y_i) .$$",
        ["defined", "defined", "proved"],
    ),
    "an index that is left out of a function": (
        r"With $p \in \mathbb{R}^m$ and $g \in \mathbb{R}^{m \times d}$, where $\sum_{j=1}^d g_{yj} = 1$, consider the coordinate $j$: "
        r"$$V(c) = \sum_{y=1}^{m} p_y g_{yj} (1 - c)$$ Then $$V(2 c) - V(c) = - c \sum_{y=1}^{m} p_y g_{yj} .$$",
        ["skipped hypothesis", "defined", "proved"],
    ),
    "an index that a written one does not leave out": (
        r"Let $A, S \in \mathbb{R}^{n \times n}$, where $\sum_k S_{ik} = 1$. $$B_{ij} = A_{ij} e^{S_{ik}}$$",
        ["skipped hypothesis", "unread not-conservative"],
    ),
    "a letter below that counts nothing": (
        r"Let $$Z = \sum_{i=1}^N e^{-E_i / (k_B T)}, \qquad p_i = \frac{e^{-E_i / (k_B T)}}{Z} .$$ Then $$\sum_{i=1}^N p_i = 1 .$$",
        ["defined", "defined", "proved"],
    ),
    "weights from one thing to another": (
        r"$$z_t = W_{xh} x_t + W_{hh} h_{t-1} + b_h$$ $$h_t = \tanh(z_t)$$ $$y_t = W_{hy} h_t + b_y$$ Then "
        r"$$y_t = W_{hy} \tanh(z_t) + b_y .$$",
        ["defined", "defined", "defined", "proved"],
    ),
    "weights from one thing to another, with the index above in angle brackets": (
        r"$$a^{\langle t \rangle} = \tanh(W_{aa} a^{\langle t-1 \rangle} + W_{ax} x^{\langle t \rangle} + b_a)$$ "
        r"$$y^{\langle t \rangle} = W_{ya} a^{\langle t \rangle} + b_y$$ Then "
        r"$$y^{\langle t \rangle} = W_{ya} \tanh(W_{aa} a^{\langle t-1 \rangle} + W_{ax} x^{\langle t \rangle} + b_a) + b_y .$$",
        ["defined", "defined", "proved"],
    ),
    "weights of one thing, with the index above": (
        r"$$h^{(t)} = \tanh(W_{hh} h^{(t-1)} + W_{hx} x^{(t)} + b_h)$$",
        ["defined"],
    ),
    "the parameter below a function": (
        r"$$L(\pi_\theta) = \sigma(\beta)$$ $$r(x, y) = \beta \log \frac{\pi_\theta(y|x)}{q(y|x)} + \beta \log Z(x)$$ Then "
        r"$$\frac{\pi_\theta(y|x)}{q(y|x)} = e^{(r(x,y) - \beta \log Z(x)) / \beta} .$$",
        ["defined", "defined", "proved"],
    ),
    "a row times itself may be a matrix": (
        SOFTMAX + r"For $u \in \mathbb{R}^C$, $$v = u (\mathrm{diag}(p) - p^\top p) = u \odot p - (u \cdot p^\top) p$$",
        ["defined", "defined", "undecided ambiguous"],
    ),
    "a row times itself may be a matrix in the line before": (
        SOFTMAX
        + r"For $u \in \mathbb{R}^C$, $$\begin{aligned} v &= u (\mathrm{diag}(p) - p^\top p) \\ &= u \odot p - (u \cdot p^\top) p"
        r"\end{aligned}$$",
        ["defined", "defined", "undecided ambiguous"],
    ),
    "a name whose own members are listed is given": (
        r"Let $y = (y_1, \dots, y_C)^\top \in \mathbb{R}^C$ be the label. There are soft labels: $y_i \ge 0$ and "
        r"$\sum_{i=1}^C y_i = 1$.",
        ["defined", "skipped hypothesis", "skipped hypothesis"],
    ),
    "a sum that is set to a number": (
        r"Let $y \in \mathbb{R}^C$ be the label. Soft labels: $\sum_{i=1}^C y_i = 1$.",
        ["skipped hypothesis"],
    ),
    "a sum of given numbers that is concluded to be a number": (
        r"Let $y \in \mathbb{R}^C$ be the label. Hence we get $$\sum_{i=1}^C y_i = 1.$$",
        ["undecided ambiguous"],
    ),
    "a difference of positions that is zero": (
        r"For relative positions $t = a - b = 0$, the matrix is the identity.",
        ["defined", "skipped hypothesis"],
    ),
    "an identity of numbers is no constraint": (
        r"Let $x \in \mathbb{R}^n$. Always $\sum_{i=1}^n (\sin^2 x_i + \cos^2 x_i) = 1$.",
        ["refuted false-claim"],
    ),
    "false for one class only": (SOFTMAX + r"All weights are small: $p_i < 1$.", ["defined", "undecided search-ended"]),
    "a function of which nothing is said": (
        SOFTMAX + r"For two classes, $p_1 = \sigma(z_1 - z_2)$.",
        ["defined", "undecided ambiguous"],
    ),
    "one entry of a given name": (
        LOSS
        + r"The label of class $t$ has $$y_t = 1.$$ Its gradient is $$\frac{\partial L}{\partial z_t} = p_t - 1.$$",
        ["defined", "defined", "skipped special-case", "undecided special-case"],
    ),
    "rows of targets": (
        r"For $Z, Y \in \mathbb{R}^{B \times C}$ let $$P = \mathrm{softmax}(Z)$$ and let the cross-entropy be "
        r"$$L = -\frac{1}{B} \sum_{b=1}^B \sum_{i=1}^C Y_{bi} \log P_{bi}.$$ $$\nabla_Z L = \frac{1}{B} (P - Y)$$",
        ["defined", "defined", "proved"],
    ),
    "given and then defined": (
        SOFTMAX + "\n\n## The last layer\n\n" + r"The scores are $$z = Wh + b$$ with $h \in \mathbb{R}^d$."
        "\n\n## Logarithms\n\n" + r"$$\log p_i = z_i - \log \sum_{k=1}^C e^{z_k}$$ Hence $$\log p_i = z_i$$",
        ["defined", "defined", "proved", "refuted false-claim"],
    ),
    "an earlier version where the last one says nothing": (
        LOSS
        + "\n\n## Batches\n\nNow write $X \\in \\mathbb{R}^{B \\times C}$ for a batch. "
        + r"$$L = -\frac{1}{B} \sum_{b=1}^B \sum_{i=1}^C X_{bi}$$"
        + "\n\n## Gradient\n\n"
        + r"$$\frac{\partial L}{\partial z_j} = \sum_{i=1}^C y_i (p_j - \delta_{ij})$$"
        + r"$$\frac{\partial L}{\partial z_j} = \sum_{i=1}^C y_i (p_j + \delta_{ij})$$",
        ["defined", "defined", "defined", "proved", "undecided ambiguous"],
    ),
    "nothing is refuted with what is said of a name in between": (
        SOFTMAX + r"$$q_i = p_i + 1$$ From now on $$q_i = \text{blur}(p; 3).$$ Then $$q_i = p_i.$$",
        ["defined", "defined", "unread unknown-notation", "undecided property-not-read"],
    ),
    "the letter delta for a vector": (
        SOFTMAX + r"Let $\delta = p - z$. $$\frac{\partial p_i}{\partial z_j} = p_i (\delta_{ij} - p_j)$$",
        ["defined", "defined", "proved"],
    ),
    "a condition in parentheses after a number": (
        r"Let $\alpha \in \mathbb{R}^{n \times n}$ with $$\alpha_{ij} = 0 \ (i > j).$$",
        ["defined"],
    ),
    "an operator as a label": (
        SOFTMAX
        + r"Write $$J_{\mathrm{softmax}} = \frac{\partial p}{\partial z}.$$ $$J_{\mathrm{softmax}} = \mathrm{diag}(p) - p p^\top$$",
        ["defined", "defined", "proved"],
    ),
    "what the loss is under another condition": (
        LOSS + r"If the loss is halved, there is no 1 before the sum: $$L = \sum_{i=1}^C y_i \log p_i$$",
        ["defined", "defined", "undecided condition-not-read"],
    ),
    "what satisfies a condition, with a colon": (
        SOFTMAX + r"Consider scores that satisfy: $$p_i = z_i$$",
        ["defined", "skipped hypothesis"],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_statuses(name: str) -> None:
    text, expected = CASES[name]
    assert [f"{f.status} {f.code or ''}".strip() for f in read(text)] == expected


def test_which_version_is_meant_is_said() -> None:
    found = read(CASES["an earlier version where the last one says nothing"][0])
    assert [n.text for n in found[3].assumptions] == ["L as defined in line 7"]
    found = read(CASES["given and then defined"][0])
    assert "z as given before" in [n.text for n in found[2].assumptions]
