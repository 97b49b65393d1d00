"""How many axes names have, found by a search over the relations of a document."""

from __future__ import annotations

import pytest

from derivations.documents import read_text
from derivations.latex.lexicon.kind_search import Found, search_kinds
from derivations.latex.lexicon.name_roles import Names
from derivations.latex.syntax.reader import read_equation
from derivations.provers.decide import decide
from derivations.study.claims import study

RANKS: dict[str, tuple[str, dict[str, int]]] = {
    "what stands behind a matrix, and what is added to that": (r"y = M u + c", {"u": 1, "c": 1}),
    "nothing where a number stands before a matrix": (r"Y = u M + C", {}),
    "nothing where everything is a number": (r"y = a u + c", {}),
    "capitals that something is divided by": (r"C = \frac{A B}{A + B}; c = \frac{a B + b A}{A + B}", {"A": 0, "B": 0}),
    "a number below a root": (r"S = \frac{Q K^\top}{\sqrt{D_k}}", {"D_k": 0}),
    "a vector added to every row of a product": (r"z = A W + g", {"g": 1}),
    "the same in a later layer": (r"z_1 = A W_1 + g_1; h = z_1 W_2 + g_2", {"g_1": 1, "g_2": 1}),
    "the arguments of a function of vectors": (r"f(x) = x^\top M x; s = f(u)", {"u": 1}),
}


def found(latex: str, declared: dict[str, tuple[int, int]] | None = None) -> Found:
    readings = [r for part in latex.split(";") for r in read_equation(part.strip(), {})]
    names = Names(readings)
    names.settle()
    chains = [r.chain for r in readings]
    lefts = {w.stem for c in chains if c.first is not None and (w := names.written(c.first)) is not None}
    return search_kinds(names, chains, declared or {}, lefts)


@pytest.mark.parametrize("name", RANKS)
def test_ranks(name: str) -> None:
    latex, ranks = RANKS[name]
    assert found(latex).ranks == ranks


@pytest.mark.parametrize("letters", ["M u c y", "B w h q", "F r g p"])
def test_no_letter_decides(letters: str) -> None:
    capital, vector, shift, value = letters.split()
    assert found(f"{value} = {capital} {vector} + {shift}").ranks == {vector: 1, shift: 1}


def test_a_letter_with_and_without_an_index_is_two_names() -> None:
    rows = r"f(x) = x^\top A x - b^\top x; x_{k+1} = x_k - \eta \nabla f(x_k); e = x_k^\top A x_k"
    assert found(rows, {"A": (2, 0), "b": (1, 0)}).apart == {"x": (1, False)}


DOCUMENTS: dict[str, tuple[str, list[str]]] = {
    "a sequence of points beside any point": (
        r"Let $A \in \mathbb{R}^{d \times d}$ be symmetric and $b \in \mathbb{R}^d$. $$f(x) = \tfrac12 x^\top A x - b^\top x$$ "
        r"Then $$\nabla f(x) = A x - b$$ $$\nabla f(x_k) = A x_k - b$$",
        ["defined", "proved", "proved"],
    ),
    "matrices that numbers in parentheses tell apart": (
        r"Let $W^{(1)} \in \mathbb{R}^{m \times d}$, $W^{(2)} \in \mathbb{R}^{c \times m}$ and $x \in \mathbb{R}^d$. "
        r"$$a = W^{(1)} x$$ $$z = W^{(2)} a$$ Hence $$z = W^{(2)} W^{(1)} x$$",
        ["defined", "defined", "proved"],
    ),
    "matrices that lead from one thing to another": (
        r"Let $x_t \in \mathbb{R}^d$ and $h_t \in \mathbb{R}^n$. $W_{hh}$ is $n \times n$ and $W_{xh}$ is $n \times d$. "
        r"$$a_t = W_{hh} h_{t-1} + W_{xh} x_t$$ Then $$2 a_t = 2 W_{xh} x_t + 2 W_{hh} h_{t-1}$$",
        ["defined", "proved"],
    ),
    "primes that are transpose signs": (
        r"The design matrix $X$ is $n \times p$ and $y$ is an $n$-vector. $$\hat\beta = (X'X)^{-1} X'y$$ "
        r"$$r = y - X\hat\beta$$ So $$X'r = 0$$ and $$r'r = y'r$$ but $$r'r = y'y - 2 y'X\hat\beta$$",
        ["defined", "defined", "proved", "proved", "refuted"],
    ),
    "the variance as a parameter": (
        r"For $\sigma > 0$ let $$g(x; \mu, \sigma^2) = \frac{1}{\sqrt{2 \pi \sigma^2}} e^{-(x - \mu)^2/(2 \sigma^2)}$$ "
        r"Then $$g(x; \mu, \sigma^2) = g(\mu; x, \sigma^2)$$",
        ["defined", "proved"],
    ),
    "probability vectors are no negative numbers": (
        r"Let $p \in \mathbb{R}^K$ and $q \in \mathbb{R}^K$ be probability vectors. $$D(p, q) = \sum_{k=1}^K p_k q_k^2$$ "
        r"Then $D(p, q) \geq 0$",
        ["defined", "proved"],
    ),
    "a vector that is added to every row": (
        r"A network computes $$z = X W + b, \qquad h = \max(0, z), \qquad u = h V + c$$ So $$u_{ij} = \sum_k h_{ik} V_{kj} + c_j$$",
        ["defined", "defined", "defined", "proved"],
    ),
    "a vector that is not zero has some entry that is not": (
        r"Let $x \in \mathbb{R}^n$ with $x \neq 0$. Then $$\nabla \|x\| = \frac{x}{\|x\|}$$",
        ["proved"],
    ),
    "a column of ones times a row": (
        r"Let $X \in \mathbb{R}^{n \times p}$ and let $u$ be the vector of $n$ ones. Put $m = \frac1n X^\top u$ and "
        r"$J = I_n - \frac1n u u^\top$. Then $$J X = X - u m^\top$$",
        ["defined", "defined", "proved"],
    ),
    "words after a claim that it is one about everything": (
        r"$$g(z) = \frac{1}{1 + e^{-z}}$$ It is never steep: $g(z) (1 - g(z)) \leq \frac{1}{8}$ for all $z$.",
        ["defined", "refuted"],
    ),
}


def statuses(text: str) -> list[str]:
    read = study(read_text(text.replace("$$ ", "$$\n\n").replace(" $$", "\n\n$$"), "x.md"), decide=decide)
    return [f.status for f in read if f.kind not in ("shape", "prose") and f.status != "skipped"]


@pytest.mark.parametrize("name", DOCUMENTS)
def test_documents(name: str) -> None:
    text, expected = DOCUMENTS[name]
    assert statuses(text) == expected
