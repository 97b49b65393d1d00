"""What sentences say of names: shapes, fixed indices, one-hot vectors; functions named in a chain, lists by turns."""

from __future__ import annotations

import pytest

from derivations.documents import read_text
from derivations.documents.facts.fact import Sentence
from derivations.documents.facts.kinds import shape
from derivations.provers.decide import decide
from derivations.study.claims import study

FORMULAS = {1: "Q", 2: "K", 3: "V", 4: "d_k", 9: r"n \times d"}


def stated_shapes(sentence: str) -> list[str]:
    """Memberships in LaTeX that a sentence states."""
    found = [one for row in shape.ROWS for one in row.read(Sentence(sentence, sentence, FORMULAS))]
    return [rf"{', '.join(FORMULAS[n] for n in names if isinstance(n, int))} \in {space}" for names, space in found]


@pytest.mark.parametrize(
    ("sentence", "latex"),
    [
        ("⟦1⟧, ⟦2⟧ and ⟦3⟧ have shape (S, D)", r"Q, K, V \in \mathbb{R}^{S \times D}"),
        ("where ⟦1⟧ has the shape `(B, T, C)`", r"Q \in \mathbb{R}^{B \times T \times C}"),
        ("⟦1⟧ is a row vector of length ⟦4⟧", r"Q \in \mathbb{R}^{1 \times d_k}"),
        ("an ⟦9⟧ matrix ⟦1⟧", r"Q \in \mathbb{R}^{n \times d}"),
    ],
)
def test_shapes_as_memberships(sentence: str, latex: str) -> None:
    assert stated_shapes(sentence)[:1] == [latex]


@pytest.mark.parametrize(
    "sentence",
    ["the shape of things to come", "⟦1⟧ and ⟦2⟧ are of interest", "a matrix ⟦1⟧ of size unknown to us", "length ⟦4⟧"],
)
def test_other_sentences_state_no_shape(sentence: str) -> None:
    assert not stated_shapes(sentence)


ROW = r"Here $q$ is a row vector of length $d$ and $W$ is a $d \times m$ matrix. "
DOCUMENTS = {
    "a row vector times a matrix": (
        ROW + r"$$y = qW$$ $$y_j = \sum_{c=1}^d q_c W_{cj}$$",
        ["defined", "proved"],
    ),
    "a fixed query": (
        r"Let $S$ be an $n \times n$ matrix. For a fixed query $i$, let $$Z = \sum_{k=1}^n e^{S_{ik}}$$ and "
        r"$$A_{ij} = \frac{e^{S_{ij}}}{Z}.$$ Then $$\sum_{j=1}^n A_{ij} = 1.$$",
        ["defined", "defined", "proved"],
    ),
    "the case that is left, in words": (
        r"Let $S$ be an $n \times n$ matrix and let $M_{st} = 0$ for $t \le s$ and $M_{st} = -\infty$ otherwise. "
        r"$$A = \mathrm{softmax}(S + M)$$ $$\sum_{t=1}^{s} A_{st} = 1$$",
        ["defined", "defined", "defined", "proved"],
    ),
    "the case that is left, the other way round": (
        r"Let $S$ be an $n \times n$ matrix. The mask has $M_{ij} = -\infty$ for $j > i$ and $M_{ij} = 0$ else. "
        r"$$A_{ij} = \frac{\exp(S_{ij} + M_{ij})}{\sum_{k=1}^n \exp(S_{ik} + M_{ik})}$$ "
        r"$$A_{ij} = \frac{\exp(S_{ij})}{\sum_{k \le i} \exp(S_{ik})} \quad \text{for } j \le i$$",
        ["defined", "defined", "defined", "proved"],
    ),
    "minus infinity as the first of two cases": (
        r"Let $S$ be an $n \times n$ matrix. "
        r"$$M_{ij} = \begin{cases} -\infty & j > i \\ 0 & \text{otherwise} \end{cases}$$ "
        r"$$A_{ij} = \frac{\exp(S_{ij} + M_{ij})}{\sum_{k=1}^n \exp(S_{ik} + M_{ik})}$$ "
        r"$$A_{ij} = \frac{\exp(S_{ij})}{\sum_{k \le i} \exp(S_{ik})} \quad \text{for } j \le i$$",
        ["defined", "defined", "proved"],
    ),
    "an index that numbers the samples": (
        r"Take $m$ samples; the upper index $i$ numbers the samples, $Z_j^{i}$ is feature $j$ of sample $i$. "
        r"$$\mu_j = \frac{1}{m} \sum_{i=1}^m Z_j^i$$ $$\sum_{i=1}^m (Z_j^i - \mu_j)^2 = \sum_{i=1}^m (Z_j^i)^2 - m \mu_j^2$$",
        ["defined", "proved"],
    ),
    "an index that nothing fixes": (
        r"Let $S$ be an $n \times n$ matrix and $$Z = \sum_{k=1}^n e^{S_{ik}}.$$ $$Z = e^{S_{i1}} + \sum_{k=2}^n e^{S_{ik}}$$",
        ["defined", "proved"],
    ),
    "a function named in a chain": (
        r"Let $z$ be a vector of length $n$. $$p_i = \sigma(z)_i = \frac{e^{z_i}}{\sum_{j=1}^n e^{z_j}}$$ "
        r"$$\sum_{i=1}^n p_i = 1$$",
        ["defined", "defined", "proved"],
    ),
    "a one-hot target": (
        r"The target $t$ is one-hot with $C$ entries. $$s = \sum_{j=1}^C t_j$$ $$s = 1$$ $$\sum_{j=1}^C t_j^2 = 1$$",
        ["defined", "proved", "proved"],
    ),
    "a one-hot target is not uniform": (
        r"The target $t$ is one-hot with $C$ entries. $$\sum_{j=1}^C t_j = 2$$",
        ["refuted"],
    ),
    "a list whose members take turns": (
        r"$$p(t) = [\sin(w_1 t), \cos(w_1 t), \sin(w_2 t), \cos(w_2 t), \cdots, \sin(w_{d/2} t), \cos(w_{d/2} t)]$$ "
        r"$$\|p(t)\|^2 = \frac{d}{2}$$",
        ["defined", "proved"],
    ),
    "a heading that says that another version follows": (
        "## Fast weights\n\nLet $f_t, v_t \\in \\mathbb{R}^m$. $$M_t = M_{t-1} + f_t v_t^\\top$$ $$M_t = \\sum_{s \\le t} f_s v_s^\\top$$ "
        "\n\n### Simplified form\n\n$$M_t = M_{t-1} + u_t v_t^\\top$$",
        ["defined", "proved", "defined"],
    ),
    "values in the rows of a table": (
        "$$b_i = e^{z_i / T}$$ where $T = \\sqrt{m}$.\n\n| $T$ | weights |\n|---|---|\n| $T = 1$ | plain |\n| $T = 4$ | flat |\n\n"
        "| relation |\n|---|\n| $T^2 = m$ |\n| $T^2 = 2 m$ |\n",
        ["defined", "defined", "skipped", "skipped", "proved", "refuted"],
    ),
    "words inside a formula that begin a definition": (
        r"$$\begin{aligned} &\text{Letting } Z = \sum_{j=1}^n e^{z_j} \text{ we write} \\ & p_i = \frac{e^{z_i}}{Z} \end{aligned}$$ "
        r"$$\sum_{i=1}^n p_i = 1$$",
        ["defined", "defined", "proved"],
    ),
    "parts of a whole": (
        r"Let $W_i \in \mathbb{R}^{d \times k}$ and $$W = [W_1, W_2, \ldots, W_h].$$",
        ["defined"],
    ),
}


@pytest.mark.parametrize(("text", "statuses"), DOCUMENTS.values(), ids=DOCUMENTS)
def test_statuses(text: str, statuses: list[str]) -> None:
    found = study(read_text(text.replace("$$ ", "$$\n\n").replace(" $$", "\n\n$$"), "x.md"), decide=decide)
    assert [f.status for f in found if f.kind not in ("shape", "prose") and f.code != "hypothesis"] == statuses, [
        (f.status, f.code, f.reason) for f in found
    ]


def test_what_rests_on_a_fixed_index_depends_on_it() -> None:
    text = (
        "For each head $h$, $$Q = X W_h^Q$$\n\n$$K = X W_h^K$$\n\n"
        r"$$A = \text{softmax}\left(\frac{Q K^\top}{\sqrt{d}}\right)$$" + "\n\n" + r"Hence $$\sum_j A_{ij} = 1$$"
    )
    found = study(read_text(text, "x.md"), decide=decide)
    assert [f.status for f in found] == ["defined", "defined", "defined", "proved"]
    assert found[-1].statements[0].indices[0] == "h"


@pytest.mark.parametrize(
    "words", ["Let $\\phi$ be a function.", "Take any function $\\phi$.", "Here $\\phi$ is an even function."]
)
def test_what_is_called_a_function_is_no_factor(words: str) -> None:
    found = study(read_text(f"{words}\n\n$$\\phi(0) \\neq \\phi(1)$$\n", "x.md"), decide=decide)
    assert [f.status for f in found if f.place.line == 3] == ["undecided"]
