"""Facts: every row fires on its example and keeps silent on the other one."""

import pytest

from derivations.documents import read_text
from derivations.documents.facts.fact import MEANINGS, Fact, FactKind, Row, said
from derivations.documents.facts.kinds.collect import ROWS, collect_facts, sentences_of
from derivations.latex.syntax.reader import ReadError, read_equation


def facts_of(text: str) -> tuple[list[Fact], list[str]]:
    """The facts of a document, and each as a line."""
    document = read_text(text, "x.md")
    sources = {s.index: s.source for s in document.spans}
    readings = {}
    for span in document.spans:
        try:
            readings[span.index] = read_equation(span.source)
        except ReadError:
            continue
    found = list(collect_facts(document, readings))
    return found, [said(f.kind, f.names, f.value, sources) for f in found]


@pytest.mark.parametrize("row", ROWS, ids=[f"{r.kind}-{r.name}" for r in ROWS])
def test_every_row_fires_on_its_example(row: Row) -> None:
    assert row.gives in facts_of(row.fires)[1]
    assert row.gives.startswith(f"{row.kind}: ")


@pytest.mark.parametrize("row", ROWS, ids=[f"{r.kind}-{r.name}" for r in ROWS])
def test_every_row_keeps_silent_on_the_other(row: Row) -> None:
    document = read_text(row.silent, "x.md")
    assert not [found for _, sentence in sentences_of(document, document.spans) for found in row.read(sentence)]
    if row.kind in (FactKind.SIGN, FactKind.DIVISIBLE):
        assert {f.value for f in facts_of(row.silent)[0] if f.kind is row.kind} <= {"any"}


def test_every_kind_has_a_meaning_and_rows() -> None:
    assert set(MEANINGS) == set(FactKind)
    assert {row.kind for row in ROWS} == set(FactKind)
    assert len({(row.kind, row.name) for row in ROWS}) == len(ROWS)
