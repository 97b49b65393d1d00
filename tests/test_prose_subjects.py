"""Which array a phrase of a sentence is about: the last one before it, and no other that only looks like it."""

from __future__ import annotations

import pytest

from derivations.documents import read_text
from derivations.documents.facts.prose import study_prose
from derivations.provers.decide import decide
from derivations.study.claims import study

WEIGHTS = r"For $S \in \mathbb{R}^{n \times n}$ let $$A_{ij} = \frac{e^{S_{ij}}}{\sum_{k=1}^{n} e^{S_{ik}}}.$$" + "\n\n"
SENTENCES = {
    r"Each row of $A$ sums to one.": "proved",
    r"Each column of $A$ sums to one.": "refuted",
    r"For each query $i$ the columns of $A$ sum to one.": "refuted",
    r"Here $A$ is symmetric.": "refuted",
    r"Here $C$ is lower triangular, and a factor of $A$.": "skipped",
    r"Since $A$ is symmetric, this is simple.": "undecided",
    r"It follows because each column of $A$ sums to one.": "undecided",
    r"With a causal mask $A$ is lower triangular.": "undecided",
    r"Here $A'$ is symmetric.": "skipped",
    r"Here $A^\pi$ is symmetric.": "skipped",
}


@pytest.mark.parametrize("sentence", SENTENCES)
def test_subject(sentence: str) -> None:
    document = read_text(WEIGHTS + sentence, "a.md")
    found = study_prose(document, study(document, decide=decide), decide)
    assert [f.status for f in found] == [SENTENCES[sentence]], [(f.statement, f.reason) for f in found]


def test_an_equivalence_claims_neither_side() -> None:
    document = read_text(WEIGHTS + r"The matrix $A$ is symmetric iff the scores are.", "a.md")
    assert study_prose(document, study(document, decide=decide), decide) == []
