r"""Equations that have no shape, and that one change makes theorems."""

from __future__ import annotations

import pytest

from derivations.documents import read_text
from derivations.documents.model.finding import Finding
from derivations.provers.decide import Refuted, decide
from derivations.study.claims import study


def last(text: str) -> Finding:
    return study(read_text(text, "x.md"), decide=decide)[-1]


MATRICES = r"Let $M \in \mathbb{R}^{p \times q}$, $R \in \mathbb{R}^{s \times p}$ and $S \in \mathbb{R}^{q \times s}$. "

CASES = {
    "a transpose is missing": (
        r"Let $A \in \mathbb{R}^{m \times n}$, $x \in \mathbb{R}^n$ and $f = \tfrac12 \|A x\|^2$. "
        r"$$\frac{\partial f}{\partial x} = A A x$$",
        "refuted shape",
        "with the transpose of A",
    ),
    "factors in the wrong order": (
        r"Let $A \in \mathbb{R}^{m \times n}$ and $B \in \mathbb{R}^{n \times k}$. $$(A B)^\top = A^\top B^\top$$",
        "refuted shape",
        r"B^\top A^\top",
    ),
    "the transpose of a derivative, where words tell its shape": (
        MATRICES + r"A derivative by a matrix has the shape of the matrix. "
        r"$$\frac{\partial}{\partial M} \operatorname{tr}(R M S) = S R$$",
        "refuted shape",
        r"(S R)^{\top}",
    ),
    "what its author says has no shape": (
        r"Let $A \in \mathbb{R}^{m \times n}$ and $B \in \mathbb{R}^{n \times k}$. The product "
        r"$$(A B)^\top = A^\top B^\top$$ would not even have the right shape.",
        "undecided shape",
        "",
    ),
    "lengths that words call equal": (
        r"The hidden size and the input size are equal. Let $A \in \mathbb{R}^{m \times n}$, $x \in \mathbb{R}^n$ and "
        r"$f = \tfrac12 \|A x\|^2$. $$\frac{\partial f}{\partial x} = A A x$$",
        "undecided shape",
        "",
    ),
    "a function may be defined so": (
        r"Let $A \in \mathbb{R}^{m \times n}$ and $B \in \mathbb{R}^{n \times k}$. $$T(A, B) = A^\top B^\top$$",
        "defined None",
        None,
    ),
    "the transpose of a derivative, of which nobody tells the shape": (
        MATRICES + r"$$\frac{\partial}{\partial M} \operatorname{tr}(R M S) = S R$$",
        "unread shape-conflict",
        None,
    ),
}


@pytest.mark.parametrize(("text", "expected", "meant"), CASES.values(), ids=CASES)
def test_verdicts(text: str, expected: str, meant: str | None) -> None:
    found = last(text)
    assert f"{found.status} {found.code}" == expected
    assert found.suggestion is None if meant is None else meant in (found.suggestion or "")


def test_witness_has_two_lengths() -> None:
    text, _, _ = CASES["factors in the wrong order"]
    found = last(text)
    assert isinstance(found.decision, Refuted)
    counterexample = found.decision.counterexample
    assert counterexample.kind == "shape"
    assert len(set(counterexample.sizes.values())) == 2
