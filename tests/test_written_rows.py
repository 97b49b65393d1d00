"""A matrix that is written with one row stands beside vectors as a row."""

from __future__ import annotations

import pytest

from derivations.documents import read_text
from derivations.provers.decide import decide
from derivations.study.claims import study

_ROW = r"\begin{pmatrix} 1 & 2 \end{pmatrix}"
_COLUMN = r"\begin{pmatrix} 3 \\ 4 \end{pmatrix}"
_MATRIX = r"\begin{pmatrix} 3 & 1 \\ 4 & 1 \end{pmatrix}"

EQUATIONS = {
    "a row times a column": (rf"$${_ROW} {_COLUMN} = 11$$", "proved"),
    "with another value": (rf"$${_ROW} {_COLUMN} = 12$$", "refuted"),
    "a row, a matrix, a column": (rf"$${_ROW} {_MATRIX} {_COLUMN} = 45$$", "proved"),
    "a column times a row": (rf"$${_COLUMN} {_ROW} = \begin{{pmatrix}} 3 & 6 \\ 4 & 8 \end{{pmatrix}}$$", "proved"),
    "with another entry": (rf"$${_COLUMN} {_ROW} = \begin{{pmatrix}} 3 & 4 \\ 6 & 8 \end{{pmatrix}}$$", "refuted"),
    "scaled": (rf"$$2 {_COLUMN} {_ROW} = \begin{{pmatrix}} 6 & 12 \\ 8 & 16 \end{{pmatrix}}$$", "proved"),
    "a column times a matrix": (rf"$${_COLUMN} {_MATRIX} = 1$$", "unread"),
}


@pytest.mark.parametrize("name", EQUATIONS)
def test_products_with_a_written_row(name: str) -> None:
    text, expected = EQUATIONS[name]
    assert study(read_text(text, "x.md"), decide=decide)[-1].status == expected
