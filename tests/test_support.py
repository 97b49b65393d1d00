"""Every reason to believe a refutation, four ways: where it is needed and where it is missing, with it and without."""

from __future__ import annotations

import pytest

from derivations.documents import read_text
from derivations.documents.model.finding import Finding
from derivations.language.statement import Statement
from derivations.language.term import ONE, Entry, Expectation, Index, Mul
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


ENTROPY = (
    r"The entropy is $$H(p) = p \log(1/p) + (1 - p) \log(1/(1 - p)).$$ Prove that $$2^{1 - H(1/4) + (1/4) \log 3} = "
)


@pytest.mark.parametrize(("value", "status"), [("3/2", "undecided"), ("5/2", "refuted")])
def test_what_is_true_to_another_base_in_its_definitions_is_not_settled(value: str, status: str) -> None:
    assert last_claim(ENTROPY + value + " .$$").status == status


BILINEAR = r"Let $A \in \mathbb{R}^{n \times n}$ and $x, y \in \mathbb{R}^n$. WORDS Then $$x^\top A y = y^\top A x .$$"


@pytest.mark.parametrize(
    ("words", "status"),
    [("All this is for symmetric weights $A$.", "undecided"), ("All this is for dense weights $A$.", "refuted")],
)
def test_to_exchange_the_indices_of_what_is_called_symmetric_is_no_slip(words: str, status: str) -> None:
    assert last_claim(BILINEAR.replace("WORDS", words)).status == status


def test_single_values_of_what_only_a_mean_is_known_of() -> None:
    i = Index.var("i")
    z, x = Entry("z", (i,)), Entry("x", (i,))
    second = Statement(Expectation(Mul((z, z))), "=", ONE, ("i",))
    of = {n: Statement(Mul((e, e)), "=", ONE, ("i",), hypotheses=(second,)) for n, e in {"z": z, "x": x}.items()}
    mean = Statement(Expectation(Mul((z, z))), "=", ONE, ("i",), hypotheses=(second,))
    assert support.is_of_values_drawn(of["z"])
    assert not support.is_of_values_drawn(of["x"])
    assert not support.is_of_values_drawn(mean)
