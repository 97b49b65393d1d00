"""Claims about shapes: refuted where stated shapes alone give another one, and where nothing tells of other things."""

from __future__ import annotations

import pytest

from derivations.documents import read_text
from derivations.documents.model.finding import Finding
from derivations.provers.decide import decide
from derivations.study import memberships
from derivations.study.claims import study
from derivations.study.memberships import SHAPE_DOUBTS, ShapeDoubt

ROWS = [pytest.param(row, id=row.name) for row in SHAPE_DOUBTS]


def shapes(text: str, path: str = "x.md") -> list[Finding]:
    return [f for f in study(read_text(text, path), decide=decide) if f.kind == "shape"]


@pytest.fixture
def without(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> ShapeDoubt:
    """A row that the study does not have."""
    row: ShapeDoubt = request.param
    monkeypatch.setattr(memberships, "SHAPE_DOUBTS", tuple(other for other in SHAPE_DOUBTS if other is not row))
    return row


@pytest.mark.parametrize("row", ROWS)
def test_stops_a_refutation_where_it_is_needed(row: ShapeDoubt) -> None:
    found = shapes(row.needed)[-1]
    assert (found.status, found.code) == ("undecided", "ambiguous")
    before, _, after = row.sentence.partition("{")
    assert found.reason is not None and found.reason.startswith(before)
    assert found.reason.endswith(after.rpartition("}")[2])


@pytest.mark.parametrize("without", ROWS, indirect=True)
def test_nothing_else_stops_it(without: ShapeDoubt) -> None:
    assert shapes(without.needed)[-1].status == "refuted"


@pytest.mark.parametrize("row", ROWS)
def test_is_silent_about_what_is_false_all_the_same(row: ShapeDoubt) -> None:
    found = shapes(row.silent)[-1]
    assert (found.status, found.code) == ("refuted", "shape-conflict")


_SCORES = r"Let $Q \in \mathbb{R}^{n \times d}$ and $K \in \mathbb{R}^{m \times d}$. "

NEVER_REFUTED = {
    "an experiment": r"Let $A \in \mathbb{R}^{d \times d}$ and $$L = A A^\top.$$"
    "\n\nIn the experiment $L \\in \\mathbb{R}^{20 \\times 20}$ is drawn, and $A^\\top A \\in \\mathbb{R}^{20 \\times 20}$.",
    "one length of two": _SCORES + r"Then $Q K^\top \in \mathbb{R}^{2 \times m}$.",
    "now let": r"Let $A \in \mathbb{R}^{m \times n}$, $x \in \mathbb{R}^n$. Then $A x \in \mathbb{R}^m$."
    "\n\nNow let $A \\in \\mathbb{R}^{k \\times d}$ and $x \\in \\mathbb{R}^d$. Then $A x \\in \\mathbb{R}^k$.",
    "a random vector": r"Let $A \in \mathbb{R}^{d \times k}$, $u \in \mathbb{R}^k$ and $z = A u$."
    "\n\nGiven a random vector $z \\in \\mathbb{R}^k$ we draw again.",
    "another section": "# One\n\n"
    + _SCORES
    + "\n\n# Two\n\nThe product $Q K^\\top \\in \\mathbb{R}^{n \\times d}$ is small.",
    "an example in the same paragraph": r"Let $X \in \mathbb{R}^{n \times d}$, $w \in \mathbb{R}^d$ and $y = X w$. "
    r"For a single example $y \in \mathbb{R}^d$.",
    "a prime that nothing declares": r"Let $\beta \in \mathbb{R}^p$ and $a \in \mathbb{R}^{p \times k}$. "
    r"Then $a' \beta \in \mathbb{R}^k$.",
}


@pytest.mark.parametrize("name", NEVER_REFUTED)
def test_what_may_be_introduced_again_is_not_refuted(name: str) -> None:
    assert "refuted" not in {f.status for f in shapes(NEVER_REFUTED[name])}


def test_declarations_of_a_theorem_and_of_its_proof() -> None:
    text = r"""\begin{document}
\begin{theorem} Let $a, b \in \mathbb{R}^p$. Then $a + b \in \mathbb{R}^p$. \end{theorem}
\begin{proof} Let $a \in \mathbb{R}^{q \times p}$. Then $a b \in \mathbb{R}^q$. \end{proof}
\end{document}"""
    assert "refuted" not in {f.status for f in shapes(text, "x.tex")}


ERRORS = {
    "a product": _SCORES + r"Then $Q K^\top \in \mathbb{R}^{n \times d}$.",
    "a name of the product": _SCORES + r"Let $S = Q K^\top$. Hence $S^\top \in \mathbb{R}^{d \times m}$.",
    "numbers": r"Let $A \in \mathbb{R}^{2 \times 3}$ and $B \in \mathbb{R}^{3 \times 4}$. Then $A B \in \mathbb{R}^{3 \times 4}$.",
    "a vector": r"For $W \in \mathbb{R}^{k \times d}$ and $x \in \mathbb{R}^d$ we have $W x \in \mathbb{R}^d$.",
}


@pytest.mark.parametrize("name", ERRORS)
def test_a_wrong_shape_is_refuted(name: str) -> None:
    assert shapes(ERRORS[name])[-1].status == "refuted"
