"""Sections that use letters in a way of their own: rows here, columns there; a number first, a vector later."""

from __future__ import annotations

import pytest

from derivations.documents import read_text
from derivations.documents.model.finding import Finding
from derivations.provers.decide import decide
from derivations.study.claims import other_readings, study, understood
from derivations.study.state import Study

COLUMNS = (
    "# Attention\n\n## One token\n\n"
    + r"A token $x_i \in \mathbb{R}^d$ has the query $$q_i = W x_i$$"
    + "\n\n## All tokens\n\n"
    + r"Now the tokens are the rows of $X \in \mathbb{R}^{n \times d}$ and $W \in \mathbb{R}^{d \times k}$. $$Q = X W$$ "
    + r"$$Q_{ij} = \sum_{c=1}^d X_{ic} W_{cj}$$"
)
NUMBERS = (
    "# A neuron\n\n## A number\n\n"
    + r"With numbers $w$, $z$ and $b$: $$a = w \times z + b.$$"
    + "\n\n## Softmax\n\n"
    + r"For scores $z_1, \dots, z_N$, $$\frac{\partial}{\partial z_j} \frac{e^{z_i}}{\sum_{k=1}^N e^{z_k}} = "
    + r"\frac{e^{z_i}}{\sum_{k=1}^N e^{z_k}} \left(\delta_{ij} - \frac{e^{z_j}}{\sum_{k=1}^N e^{z_k}}\right)$$"
)


def spaced(text: str) -> str:
    return text.replace("$$ ", "$$\n\n").replace(" $$", "\n\n$$")


def read(text: str) -> list[Finding]:
    return [f for f in study(read_text(spaced(text), "x.md"), decide=decide) if f.kind not in ("shape", "prose")]


CASES = {
    "columns, then rows": (COLUMNS, ["defined", "defined", "proved"]),
    "numbers, then vectors": (NUMBERS, ["defined", "proved"]),
    "the loss of a batch": (
        "# Regression\n\n## One sample\n\n"
        + r"For a sample the error is $$L = (y - \hat{y})^2.$$"
        + "\n\n## Many samples\n\n"
        + r"For $y, \hat{y} \in \mathbb{R}^n$ the total is $$S = \sum_{i=1}^n (y_i - \hat{y}_i)^2$$ "
        + r"$$\frac{\partial S}{\partial \hat{y}_i} = 2 (\hat{y}_i - y_i)$$",
        ["defined", "defined", "proved"],
    ),
    "a length here, a matrix there": (
        "# A model\n\n## Layers\n\n"
        + r"With $D$ layers the field grows by $$r = \sum_{l=1}^{D} l k.$$"
        + "\n\n## Graphs\n\n"
        + r"For $E \in \mathbb{R}^{N \times N}$ let $d_i = \sum_{j=1}^{N} E_{ij}$ and "
        + r"$$D = \operatorname{diag}(d_1, \dots, d_N)$$ $$L = D - E$$ $$L \mathbf{1} = 0$$",
        ["defined", "defined", "defined", "defined", "proved"],
    ),
    "sentences say two lengths": (
        "# Vectors\n\n## Norms\n\n"
        + r"Let $\mathbf{u}$ and $\mathbf{v}$ be two vectors of length $D$. $$\lVert \mathbf{u} \rVert_1 = \sum_{d=1}^D |u_d|$$"
        + "\n\n## Derivatives\n\n"
        + r"Let $\mathbf{u}$ be a vector of length $I$. $$\mathbf{u}^\top \mathbf{u} = \sum_{i=1}^I u_i^2$$",
        ["proved", "proved"],
    ),
    "a length here, an index there": (
        "# A model\n\n## Attention\n\n"
        + r"For $Q, K \in \mathbb{R}^{n \times d}$ the scores are $$S = Q K^\top.$$"
        + "\n\n## Positions\n\n"
        + r"$$R_m = \begin{pmatrix} \cos m\theta & -\sin m\theta \\ \sin m\theta & \cos m\theta \end{pmatrix}$$ "
        + r"$$R_m R_n = R_{m+n}$$ $$(R_m q)^\top (R_n k) = q^\top R_{m-n} k$$",
        ["defined", "defined", "proved", "refuted"],
    ),
    "the last one is a length in its section": (
        "# Sums\n\n## Totals\n\n"
        + r"For $x \in \mathbb{R}^n$ let $$T = \sum_{i=1}^n x_i.$$"
        + "\n\n## Running sums\n\n"
        + r"Let $$s_i = \sum_{j=1}^i x_j.$$ The last of $s_1, \dots, s_n$ is the total: $$s_n = T$$",
        ["defined", "defined", "proved"],
    ),
    "an example has letters of its own": (
        r"For a matrix $A \in \mathbb{R}^{m \times n}$ and $x \in \mathbb{R}^n$ the image is $$y = A x.$$"
        + "\n\n:::{prf:example}\n"
        + r"Take $A = \begin{bmatrix} 1 & 2 & 0 \\ 0 & 1 & 3 \end{bmatrix}$ and $x = \begin{bmatrix} 1 \\ 1 \\ 1 \end{bmatrix}$."
        + "\n:::\n\n"
        + r"Its length is given by $$y^\top y = x^\top A^\top A x.$$",
        ["defined", "defined", "defined", "proved"],
    ),
    "so has a section that is one": (
        "# Images\n\n## Vectors\n\n"
        + r"For a matrix $A \in \mathbb{R}^{m \times n}$ and $x \in \mathbb{R}^n$ the image is $$y = A x.$$"
        + "\n\n### A worked example\n\n"
        + r"Take $A = \begin{bmatrix} 1 & 2 & 0 \\ 0 & 1 & 3 \end{bmatrix}$."
        + "\n\n## Lengths\n\n"
        + r"The length is given by $$y^\top y = x^\top A^\top A x.$$",
        ["defined", "defined", "proved"],
    ),
    "nothing is refuted in a section by itself": (
        COLUMNS + "\n\n## One token again\n\n" + r"Its length is $$x_i^\top x_i = W x_i.$$",
        ["defined", "defined", "proved", "unread"],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_statuses(name: str) -> None:
    text, expected = CASES[name]
    assert [f.status for f in read(text)] == expected


def test_a_section_by_itself_is_said() -> None:
    notes = [[n.text for n in f.assumptions] for f in read(COLUMNS)]
    assert sum("names as in this section" in n for n in notes) == 1


def test_findings_keep_their_order_and_their_readings() -> None:
    whole, findings = understood(read_text(spaced(COLUMNS), "x.md"), decide)
    assert isinstance(whole, Study)
    assert [f.position for f in findings] == list(range(len(findings)))
    assert all(p < f.position or f.kind == "shape" for f in findings for p in f.depends_on)
    taken = [whole.main.findings[k] for k in whole.parts]
    assert taken and all(f in findings for f in taken)
    assert all(list(other_readings(whole, f)) == [] for f in taken)
