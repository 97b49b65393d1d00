"""Every reason to believe a refutation, four ways: where it is needed and where it is missing, with it and without."""

from __future__ import annotations

import pytest

from derivations.documents import read_text
from derivations.documents.model.finding import Finding
from derivations.provers.decide import decide
from derivations.study import support
from derivations.study.claims import study
from derivations.study.support import SUPPORTS, Support

ROWS = [pytest.param(row, id=row.name) for row in SUPPORTS]


def last_claim(text: str) -> Finding:
    return [f for f in study(read_text(text, "x.md"), decide=decide) if f.kind not in ("shape", "prose")][-1]


@pytest.mark.parametrize("row", ROWS)
def test_a_supported_refutation_is_believed(row: Support) -> None:
    assert last_claim(row.needed).status == "refuted"


@pytest.mark.parametrize("row", ROWS)
def test_nothing_else_supports_it(row: Support, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(support, "SUPPORTS", tuple(other for other in SUPPORTS if other is not row))
    found = last_claim(row.needed)
    assert (found.status, found.code) == ("undecided", "unsupported")


@pytest.mark.parametrize("row", ROWS)
def test_without_support_it_is_undecided(row: Support) -> None:
    found = last_claim(row.missing)
    assert (found.status, found.code) == ("undecided", "unsupported")
    assert found.reason is not None and found.reason.startswith("false as it is read (left ")


@pytest.mark.parametrize("row", ROWS)
def test_what_has_no_support_is_false_as_it_is_read(row: Support, monkeypatch: pytest.MonkeyPatch) -> None:
    always = Support("always", lambda _: True, "", "")
    monkeypatch.setattr(support, "SUPPORTS", (always,))
    assert last_claim(row.missing).status == "refuted"


def test_the_reason_names_what_nothing_introduces() -> None:
    found = last_claim(next(row.missing for row in SUPPORTS if row.name.startswith("a chain")))
    assert found.reason is not None and found.reason.endswith(
        "), but nothing says what p and x are, and no small change that was tried makes it true"
    )


SLIPPED = {
    "a property that is not read": (r"For numbers $a$ and $b$ that are coprime, $$(a + b)^2 = a^2 + a b + b^2.$$"),
    "names that nothing introduces": r"It follows that $$(a + b)(a - b) = a^2 + b^2.$$",
    "a derivative": r"Let $$h(t) = t^3.$$ Then $$h'(t) = 3 t.$$",
}


@pytest.mark.parametrize("text", SLIPPED.values(), ids=SLIPPED)
def test_a_slip_outweighs_doubts(text: str) -> None:
    assert last_claim(text).status == "refuted"
