"""Norms that are supposed: given for the sentence, as the sum of the squares too, and beside numbers that are put in."""

from __future__ import annotations

import pytest

from derivations.documents import read_text
from derivations.language.statement import Statement
from derivations.language.term import Entry, Index, Number, sqrt, sum_over
from derivations.provers.decide import decide
from derivations.study.claims import study
from derivations.study.roots_supposed import with_squares

VECTORS = r"Let $k, w \in \mathbb{R}^d$ and $\beta \in \mathbb{R}$. Let $u_a = (1 - \beta \|k\|^2) w_a$." + "\n\n"
UNIT = r"For unit keys, $\|k\| = 1$, we have "
DOCUMENTS = {
    "in its sentence": (r"For $\|k\| = 1$ we get $u_a = (1 - \beta) w_a$.", "proved"),
    "in its sentence, with a wrong sign": (r"For $\|k\| = 1$ we get $u_a = (1 + \beta) w_a$.", "refuted"),
    "before a display": (UNIT + "\n\n" + r"$$u_a = (1 - \beta) w_a .$$", "proved"),
    "before a display, with a wrong sign": (UNIT + "\n\n" + r"$$u_a = (1 + \beta) w_a .$$", "refuted"),
    "another norm": (r"For $\|k\| = 2$ we get $u_a = (1 - 4 \beta) w_a$.", "proved"),
    "another norm that is not squared": (r"For $\|k\| = 2$ we get $u_a = (1 - 2 \beta) w_a$.", "refuted"),
    "beside a number that is put in": (r"For $\|k\| = 1$ and $\beta = 1$ we get $u_a = 0$.", "proved"),
    "beside another number that is put in": (r"For $\|k\| = 1$ and $\beta = 2$ we get $u_a = 0$.", "refuted"),
}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_norms_that_are_supposed(name: str) -> None:
    text, status = DOCUMENTS[name]
    found = study(read_text(VECTORS + text, "a.md"), decide=decide)[-1]
    assert found.status == status, (found.source, found.status, found.code, found.reason)


def test_squares_beside_roots() -> None:
    norm = sqrt(sum_over("i", 0, Index.size("n"), Entry("k", (Index.var("i"),))))
    assert [s.right for s in with_squares([Statement(norm, "=", Number(3))])] == [Number(3), Number(9)]
    assert [s.right for s in with_squares([Statement(norm, "=", Number(-3))])] == [Number(-3)]
    assert [s.relation for s in with_squares([Statement(norm, "<", Number(3))])] == ["<"]
