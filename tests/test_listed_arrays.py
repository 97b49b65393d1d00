"""Arrays that are written out with letters for entries, and of which words say of what kind they are."""

from __future__ import annotations

import pytest
from derivations.reports.run.check import check_documents

from derivations.language.listed_arrays import entries_of, leaves, spelled_out
from derivations.language.statement import Definition, Statement, Tensor, Theory
from derivations.language.term import (
    ONE,
    ZERO,
    Case,
    Entry,
    Guard,
    Index,
    IndexValue,
    Sum,
    at_least,
    equal,
    guard,
    number,
    within,
)
from derivations.provers.decide import Proved, Refuted, decide
from derivations.provers.refute import find_model

A = r"A = \begin{bmatrix} a & b \\ c & d \end{bmatrix}"
OPEN = r"A = \begin{bmatrix} a & b \\ -b & d \end{bmatrix}"
NORMAL = r"$$A^\top A = A A^\top$$"
TURNED = r"$$A^\top = A$$"

PROVED = {
    "before the entries": f"Take the orthogonal matrix $${A}.$$ Then {NORMAL}",
    "after the entries": f"Let ${A}$, where $A$ is an orthogonal matrix. Then {NORMAL}",
    "with the entries": f"Let ${A}$ be orthogonal. Then {NORMAL}",
    "in a sentence of its own": f"Let ${A}$. The matrix $A$ is symmetric. Hence {TURNED}",
    "diagonal": f"Let ${A}$ be a diagonal matrix. Then {TURNED}",
    "entries with signs": f"Let ${OPEN}$ be symmetric. Then $$A A = A^\\top A$$",
    "of the entries alone": f"Let ${A}$ be an upper triangular matrix. Then $$c + d = d$$",
    "rows that sum to one": f"Let ${A}$ be a row-stochastic matrix. Then $$a + b + c + d = 2$$",
    "a given one of a known size": r"Let $A \in \mathbb{R}^{2 \times 2}$ be symmetric. Then " + NORMAL,
}
REFUTED = {
    "of any such matrix": f"Let ${A}$. Then {NORMAL}",
    "orthogonal is not symmetric": f"Let ${A}$ be orthogonal. Then $$A A = A^\\top A$$",
    "symmetric is not orthogonal": f"Let ${A}$ be symmetric. Then $$A A^\\top = 2 A^\\top A$$",
    "another matrix": f"Let ${A}$ and $B = \\begin{{bmatrix}} p & q \\\\ r & s \\end{{bmatrix}}$. The matrix $B$ is symmetric. "
    f"Then {NORMAL}",
    "the same letters in another section": f"# One\n\nLet ${A}$ be symmetric.\n\n# Two\n\nLet $B = \\begin{{bmatrix}} a & c \\\\ b & "
    r"d \end{bmatrix}$. Then $$B^\top B = B B^\top$$",
}
OPEN_ONES = {
    "what a word means": f"Let ${A}$. The matrix $A$ is an orthogonal matrix if its columns are. Always {NORMAL}",
    "a word that is not read": f"Let ${A}$ be an idempotent matrix. Then {NORMAL}",
    "in the heading": f"# Orthogonal matrices\n\nLet ${A}$. Then {NORMAL}",
    "block diagonal": f"Let ${A}$ be a block diagonal matrix. Then {TURNED}",
    "numbers that are not so": r"Let $A = \begin{bmatrix} a & 2 \\ 3 & d \end{bmatrix}$ be symmetric. Then " + NORMAL,
}


def status_of(text: str, tmp_path) -> str:  # type: ignore[no-untyped-def]
    path = tmp_path / "a.md"
    path.write_text(text + "\n", encoding="utf-8")
    report, errors = check_documents([path], device="cpu", numbers=False)
    assert not errors
    items = report["documents"][0]["items"]
    assert not [i for i in items if i["kind"] == "prose" and i["status"] == "refuted"]
    return [i for i in items if i["kind"] in ("claim", "step")][-1]["status"]


@pytest.mark.parametrize("name", PROVED)
def test_what_the_words_say_of_the_entries_is_used(name: str, tmp_path) -> None:  # type: ignore[no-untyped-def]
    assert status_of(PROVED[name], tmp_path) == "proved"


@pytest.mark.parametrize("name", REFUTED)
def test_a_counterexample_is_what_the_words_say(name: str, tmp_path) -> None:  # type: ignore[no-untyped-def]
    assert status_of(REFUTED[name], tmp_path) == "refuted"


@pytest.mark.parametrize("name", OPEN_ONES)
def test_what_the_words_may_say_is_open(name: str, tmp_path) -> None:  # type: ignore[no-untyped-def]
    assert status_of(OPEN_ONES[name], tmp_path) == "undecided"


ROW, COLUMN = Index.var("i"), Index.var("j")
LETTERS = {name: Tensor(name, ()) for name in "abcd"}
LISTED = Definition(
    "A",
    (ROW, COLUMN),
    Case(
        [
            (guard(equal(ROW, 0), equal(COLUMN, 0)), Entry("a", ())),
            (guard(equal(ROW, 0), equal(COLUMN, 1)), Entry("b", ())),
            (guard(equal(ROW, 1), equal(COLUMN, 0)), Entry("c", ())),
        ],
        Entry("d", ()),
    ),
    shape=(Index.of(2), Index.of(2)),
)
THEORY = Theory(LETTERS, {"A": (LISTED,)})


def test_the_entries_of_an_array_are_found() -> None:
    found = entries_of("A", (2, 2), THEORY)
    assert found is not None
    assert {at: str(t) for at, t in found.items()} == {(0, 0): "a", (0, 1): "b", (1, 0): "c", (1, 1): "d"}
    assert leaves("A", THEORY) == frozenset("abcd")
    assert entries_of("A", (7, 7), THEORY) is None


def test_inputs_that_quadratic_equations_tie_together_are_found() -> None:
    a, b, c, d = (Entry(name, ()) for name in "abcd")
    rows = (Statement(a * a + c * c, "=", ONE), Statement(b * b + d * d, "=", ONE), Statement(a * b + c * d, "=", ZERO))
    assert find_model(Statement(a, "=", d, hypotheses=rows), Theory(LETTERS)) is not None
    assert isinstance(decide(Statement(a, "=", d, hypotheses=rows), Theory(LETTERS)), Refuted)
    assert isinstance(decide(Statement(a * a, "=", ONE - c * c, hypotheses=rows[:1]), Theory(LETTERS)), Proved)
    both = (*rows, Statement(a * a, "=", number(2)))
    assert find_model(Statement(a, "=", d, hypotheses=both), Theory(LETTERS)) is None


@pytest.mark.parametrize(
    ("condition", "written"),
    [
        (within("k", 2, 5), "2 + 3 + 4"),
        ((equal(Index.var("k"), 3),), "3"),
        (within("k", 0, 50), None),
        (within("k", 40, 42), None),
        (within("k", -1, 2), None),
        ((at_least(Index.var("k"), 0),), None),
    ],
)
def test_a_sum_is_written_out_whole_or_not_at_all(condition: Guard, written: str | None) -> None:
    found = spelled_out(Sum("k", guard(*condition), IndexValue(Index.var("k"))), Theory())
    assert (None if found is None else str(found)) == written
