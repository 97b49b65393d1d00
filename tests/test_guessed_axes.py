"""Names whose axes are a guess: what is false in both readings is refuted."""

from __future__ import annotations

import pytest

from derivations.documents import read_text
from derivations.provers.decide import decide
from derivations.study.claims import study

LOSS = (
    r"For one example with label $y$ the loss is a square. Over data $x \in \mathbb{R}^{n \times m}$ with rows $x_i$ and labels "
    r"$y_i$ it is $$\ell(w) = \sum_{i=1}^n (y_i - w^\top x_i)^2 .$$ "
)
DOCUMENTS = {
    "false for entries and for a family": (
        LOSS + r"Also $$\ell(w) = \sum_{i=1}^n (w^\top x_i - 2 y_i)^2 .$$",
        "refuted",
    ),
    "true": (LOSS + r"Also $$\ell(w) = \sum_{i=1}^n (w^\top x_i - y_i)^2 .$$", "proved"),
    "nothing counts the letter below": (
        r"Let $$a_m = a + c, \qquad b_m = b - c .$$ Then $$a_m - b_m = a - b .$$",
        "undecided",
    ),
}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_documents(name: str) -> None:
    text, status = DOCUMENTS[name]
    found = study(read_text(text, "x.md"), decide=decide)[-1]
    assert (found.status, found.reason) == (status, found.reason)
