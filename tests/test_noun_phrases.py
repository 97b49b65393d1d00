"""Phrases that name arrays: what authors write, and the shapes that it tells."""

import pytest

from derivations.documents import read_text
from derivations.documents.facts.kinds.collect import sentences_of
from derivations.documents.facts.noun_phrases import phrases

SHAPES = [
    (r"Let $A$ be an invertible $n \times n$ matrix.", ["A: n, n"]),
    (
        r"$A$ is an invertible $n\times n$ matrix, $U$ is $n\times k$ and $V$ is $k\times n$.",
        ["A: n, n", "U: n, k", "V: k, n"],
    ),
    (r"Let $A$ be an $n\times n$ matrix, $C$ an invertible $k\times k$ matrix.", ["A: n, n", "C: k, k"]),
    (r"Let $X$ ($n \times d$) be the design matrix.", ["X: n, d"]),
    (r"Given an $m$-by-$n$ matrix $A$ and an $n$-vector $x$.", ["A: m, n", "x: n"]),
    (r"Given a 3 by 2 matrix $A$.", ["A: 3, 2"]),
    (r"Let $x$ be an $n$-dimensional vector.", ["x: n"]),
    (r"Let $x$ be a $d$-dimensional row vector.", ["x: row d"]),
    (r"Let $x$ and $y$ be two vectors of length $n$.", ["x, y: n"]),
    (r"Let $x$ be a vector with $n$ components.", ["x: n"]),
    (r"Let $x$ be a point in $\mathbb{R}^d$.", [r"x: \mathbb{R}^d"]),
    (r"The weight matrix $W$ has $m$ rows and $d$ columns.", ["W: matrix", "W: m, d"]),
    (r"Let $A$ be a square matrix of order $n$.", ["A: n, n"]),
    (r"The matrices $Q$, $K$ and $V$ are all $n \times d$.", ["Q, K, V: matrix", "Q, K, V: n, d"]),
    (r"Let $A$ and $B$ be real square matrices.", ["A, B: square matrix"]),
    (r"For a vector $x$ and a matrix $A$ this holds.", ["x: vector", "A: matrix"]),
    (r"For a symmetric, positive definite matrix $A$ this holds.", ["A: matrix"]),
    # nothing is said of the name
    (r"The transpose of $A$ is an $n \times m$ matrix.", []),
    (r"We need the transpose of $X$ ($d \times n$) here.", []),
    (r"Here $A$ is not a matrix, and there is no matrix $B$.", []),
    (r"Here $V$ is a vector space, and $\|A\|$ is a matrix norm.", []),
    (r"The product $A B = C$ is a matrix.", []),
    (r"The entries of the matrix are $a$.", []),
]


def said(text: str) -> list[str]:
    """What the phrases of a text say, each as a line."""
    document = read_text(text, "x.md")
    sources = {s.index: s.source for s in document.spans}
    lines = []
    for _, sentence in sentences_of(document, document.spans):
        for p in phrases(sentence):
            kind = ("square " if p.is_square else "") + ("matrix" if p.rank == 2 else "vector")
            what = p.space or f"{p.orientation} {', '.join(p.axes)}".strip() if p.shape else kind
            lines.append(f"{', '.join(sources[n] for n in p.names)}: {what}")
    return lines


@pytest.mark.parametrize(("text", "expected"), SHAPES)
def test_what_a_phrase_says(text: str, expected: list[str]) -> None:
    assert said(text) == expected
