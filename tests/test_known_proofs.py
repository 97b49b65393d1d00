"""What is proved is proved under more hypotheses: the kernel replays the proof, with its lemmas after all of them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from derivations.documents import read_text
from derivations.language.statement import Statement
from derivations.language.term import ONE, Entry, Number
from derivations.provers.decide import Proved, decide, from_known
from derivations.study.claims import study

DOCUMENTS = {
    "by calculation": r"Let $a$ and $b$ be numbers. Then $$(a + b)^2 = a^2 + 2 a b + b^2 .$$",
    "by induction": (
        r"Let $x_1, \dots, x_T$ be numbers, $S_0 = 0$ and $$S_t = S_{t-1} + x_t .$$ Then $$S_t = \sum_{k=1}^t x_k .$$"
    ),
    "under a hypothesis": r"Let $a$ and $b$ be numbers with $a = b + 1$. Then $$a^2 = b^2 + 2 b + 1 .$$",
    "from a lemma": (
        r"Let $A \in \mathbb{R}^{n \times n}$ be symmetric and invertible, and $x \in \mathbb{R}^n$. "
        r"Then $$(A^{-1} x)^\top A x = x^\top x .$$"
    ),
}


@pytest.mark.parametrize("text", DOCUMENTS.values(), ids=list(DOCUMENTS))
def test_under_more_hypotheses(text: str) -> None:
    found = [f for f in study(read_text(text, "x.md"), decide=decide) if isinstance(f.decision, Proved)][-1]
    assert isinstance(found.decision, Proved)
    assert found.statement is not None
    name = sorted(found.theory.tensors)[0]
    given = Entry(name, (0,) * len(found.theory.shape(name) or ()))
    more = replace(found.statement, hypotheses=(*found.statement.hypotheses, Statement(given, "<", Number(9))))
    again = from_known(more, found.theory, [found.decision.theorem])
    assert isinstance(again, Proved)
    assert again.theorem.statement == more


def test_nothing_else_is_proved_from_it() -> None:
    text = DOCUMENTS["by calculation"]
    found = [f for f in study(read_text(text, "x.md"), decide=decide) if isinstance(f.decision, Proved)][-1]
    assert isinstance(found.decision, Proved)
    assert found.statement is not None
    other = replace(found.statement, right=found.statement.right + ONE)
    assert from_known(other, found.theory, [found.decision.theorem]) is None
