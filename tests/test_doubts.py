"""Every reason not to believe a refutation, four ways: where it is needed and where it is silent, with it and without."""

from __future__ import annotations

import importlib
import pkgutil

import pytest

from derivations.documents import read_text
from derivations.documents.model.finding import Finding
from derivations.provers.decide import decide
from derivations.study import doubts, judging
from derivations.study.claims import study
from derivations.study.doubts.all_doubts import DOUBTS
from derivations.study.doubts.doubt import Doubt

ROWS = [pytest.param(row, id=row.name) for row in DOUBTS]


def last_claim(text: str) -> Finding:
    return [f for f in study(read_text(text, "x.md"), decide=decide) if f.kind not in ("shape", "prose")][-1]


@pytest.fixture
def without(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Doubt:
    """A row that the study does not have."""
    row: Doubt = request.param
    monkeypatch.setattr(judging, "DOUBTS", tuple(other for other in DOUBTS if other is not row))
    return row


@pytest.mark.parametrize("row", ROWS)
def test_stops_a_refutation_where_it_is_needed(row: Doubt) -> None:
    found = last_claim(row.needed)
    assert (found.status, found.code) == ("undecided", row.code)
    before, _, after = row.sentence.partition("{")
    assert found.reason is not None and found.reason.startswith(before)
    assert found.reason.endswith(after.rpartition("}")[2])


@pytest.mark.parametrize("without", ROWS, indirect=True)
def test_nothing_else_stops_it(without: Doubt) -> None:
    assert last_claim(without.needed).status == "refuted"


@pytest.mark.parametrize("row", ROWS)
def test_is_silent_about_what_is_false_all_the_same(row: Doubt) -> None:
    found = last_claim(row.silent)
    assert (found.status, found.code) == ("refuted", "false-claim")


@pytest.mark.parametrize("without", ROWS, indirect=True)
def test_is_false_without_it_as_well(without: Doubt) -> None:
    assert last_claim(without.silent).status == "refuted"


def test_every_row_of_the_folder_is_asked_once() -> None:
    modules = [importlib.import_module(m.name) for m in pkgutil.iter_modules(doubts.__path__, f"{doubts.__name__}.")]
    made = {id(x): x.name for m in modules for x in vars(m).values() if isinstance(x, Doubt)}
    assert sorted(made.values()) == sorted(row.name for row in DOUBTS)
    assert len({row.name for row in DOUBTS}) == len(DOUBTS)
