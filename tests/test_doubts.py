"""Every reason not to believe a refutation, four ways: where it is needed and where it is silent, with it and without."""

from __future__ import annotations

import importlib
import pkgutil

import pytest

from derivations.documents import read_text
from derivations.documents.model.finding import Finding
from derivations.provers.decide import decide
from derivations.study import doubts, judging, support
from derivations.study.claims import study
from derivations.study.doubts.all_doubts import DOUBTS
from derivations.study.doubts.doubt import Doubt
from derivations.study.support import Support

ALWAYS = Support("always", lambda _: True, "", "")


@pytest.fixture(autouse=True)
def doubts_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every refutation that is not doubted is believed, and no slip outweighs a doubt."""
    monkeypatch.setattr(support, "SUPPORTS", (ALWAYS,))
    monkeypatch.setattr(judging, "is_told_by_slip", lambda *_: False)


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


FALSE_ALL_THE_SAME = {
    "an index twice, but in two summands": (
        r"For $a, b \in \mathbb{R}^n$ let $$c_i = a_i^2 + b_i^2.$$ Then $$\frac{a_i^2 + b_i^2}{2} = 1 + c_1.$$"
    ),
    "an index twice beside a sum that is written": (
        r"For $J \in \mathbb{R}^{n \times n}$ let $$A_{ij} = \frac{e^{J_{ij}}}{\sum_{k=1}^n e^{J_{ik}}}.$$ Then "
        r"$$\sum_{j=1}^n A_{ii} = 1.$$"
    ),
    "an undecided line of other names": (
        r"Let $U \in \mathbb{R}^{n \times d}$ and $W \in \mathbb{R}^{n \times n}$. An orthogonal projection has the property "
        r"$$U U^\top U U^\top = U U^\top.$$"
        "\n\n"
        r"Thus $$W W^\top + W = 2 W.$$"
    ),
    "an undecided line that the counterexample need not contradict": (
        r"Let $U \in \mathbb{R}^{n \times d}$. An orthogonal projection has the property $$U U^\top U U^\top = U U^\top.$$"
        "\n\n"
        r"Thus $$U U^\top + U U^\top U U^\top = 2 U U^\top U U^\top U U^\top + U U^\top.$$"
    ),
    "the undecided line once more": (
        r"Let $U \in \mathbb{R}^{n \times d}$. An orthogonal projection has the property $$U U^\top U U^\top = U U^\top.$$"
        "\n\n"
        r"Thus $$U U^\top = U U^\top U U^\top.$$"
    ),
    "an undecided line of another section": (
        "## One\n\n"
        r"Let $U \in \mathbb{R}^{n \times d}$. An orthogonal projection has the property $$U U^\top U U^\top = U U^\top.$$"
        "\n\n## Two\n\n"
        r"Thus $$U U^\top + U U^\top U U^\top = 2 U U^\top.$$"
    ),
    "a number of a definition": r"$$D = \begin{pmatrix} 0 & 1 \end{pmatrix}$$ Then $$2 D = \begin{pmatrix} 0 & 1 \end{pmatrix}$$",
}
PERHAPS_TRUE = {
    "a row times itself in a definition": (
        r"For $z, u \in \mathbb{R}^C$ let $$p_i = \frac{e^{z_i}}{\sum_{k=1}^C e^{z_k}}$$ and "
        r"$$v = u (\mathrm{diag}(p) - p^\top p).$$ We get $$v_i = u_i p_i - p_i \sum_{k=1}^C u_k p_k.$$"
    ),
    "two names in definitions": (
        r"For $x \in \mathbb{R}^n$ let $$s = \sum_{i=1}^n x_i u_i.$$ Then $$2 s = 2 \sum_{i=1}^n x_i w_i.$$"
    ),
    "a step after an undecided one": (
        r"Let $U \in \mathbb{R}^{n \times d}$ and let $$P = U U^\top.$$ As a property of projection matrices "
        r"$$P P = U U^\top U U^\top = U U^\top = P.$$ So we get $$(I - P)^\top (I - P) = I - 2 P + P P = I - P.$$"
    ),
    "a line that follows from two undecided ones": (
        r"Let $U, V \in \mathbb{R}^{n \times d}$. An orthogonal projection has the property $$U U^\top U U^\top = U U^\top.$$ "
        r"Another projection has the property $$V V^\top V V^\top = V V^\top.$$"
        "\n\n"
        r"Thus $$U U^\top U U^\top + V V^\top V V^\top = U U^\top + V V^\top.$$"
    ),
    "a number put for a name": r"The four weights have $$P = 4 d^2 = 4 \cdot 512^2$$ entries.",
}


@pytest.mark.parametrize("text", FALSE_ALL_THE_SAME.values(), ids=FALSE_ALL_THE_SAME)
def test_what_no_row_is_about_is_refuted(text: str) -> None:
    assert last_claim(text).status == "refuted"


@pytest.mark.parametrize("text", PERHAPS_TRUE.values(), ids=PERHAPS_TRUE)
def test_what_stands_below_a_claim_is_doubted_too(text: str) -> None:
    assert last_claim(text).status == "undecided"


def test_nothing_is_proved_from_itself() -> None:
    text = (
        r"Let $z, t \in \mathbb{R}^C$ and $$y_i = \frac{e^{z_i}}{\sum_{k=1}^C e^{z_k}}.$$ For the cross entropy "
        r"$$L = -\sum_{c=1}^C t_c \log y_c$$ we use that $$\sum_{c=1}^C t_c = 1.$$"
    )
    found = last_claim(text)
    assert (found.kind, found.status, found.assumptions) == ("hypothesis", "skipped", ())


def test_every_row_of_the_folder_is_asked_once() -> None:
    modules = [importlib.import_module(m.name) for m in pkgutil.iter_modules(doubts.__path__, f"{doubts.__name__}.")]
    made = {id(x): x.name for m in modules for x in vars(m).values() if isinstance(x, Doubt)}
    assert sorted(made.values()) == sorted(row.name for row in DOUBTS)
    assert len({row.name for row in DOUBTS}) == len(DOUBTS)
