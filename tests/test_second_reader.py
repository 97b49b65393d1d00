"""The second reader: an opinion about formulas without indices, a note where it differs, a counted skip where it is absent."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
import sympy
from derivations.reports.run import check
from derivations.reports.run.second_opinion import second_opinions

from derivations.documents import read_text
from derivations.second_reader import BESIDE, VARIABLE, Opinion, SecondReader, plain

ROOT = Path(__file__).resolve().parent.parent
ALONE = ROOT / BESIDE
x, y, a, d_k = (sympy.Symbol(n, real=True) for n in ("x", "y", "a", "d_k"))


@pytest.fixture(scope="module")
def reader():
    found = SecondReader(str(ALONE) if ALONE.is_file() else None)
    if found.absent is not None:
        pytest.skip(f"no second reader: {found.absent} (make second-reader)")
    yield found
    found.close()


AGREE = {
    r"\frac{1}{1+e^{-x}}": 1 / (1 + sympy.exp(-x)),
    r"\left( x + y \right)^2": (x + y) ** 2,
    r"\sqrt{d_k} \, x": sympy.sqrt(d_k) * x,
    r"\log x": sympy.log(x),
    r"\tanh(x) - |y|": sympy.tanh(x) - sympy.Abs(y),
    r"\mathbf{x} \cdot y": x * y,
}
DIFFER = {r"\frac{1}{1+e^{-x}}": 1 / (1 + sympy.exp(x)), r"x - y": x - a, r"x^2": 2 * x}


@pytest.mark.parametrize("latex", AGREE)
def test_agreement(latex: str, reader: SecondReader) -> None:
    assert reader.compare(latex, AGREE[latex]).agrees is True


@pytest.mark.parametrize("latex", DIFFER)
def test_disagreement_says_where(latex: str, reader: SecondReader) -> None:
    opinion = reader.compare(latex, DIFFER[latex])
    assert opinion.agrees is False
    assert opinion.why


def test_formulas_with_indices_are_not_asked_about(reader: SecondReader) -> None:
    s, i, k, n = sympy.IndexedBase("s"), *sympy.symbols("i k n", integer=True)
    assert reader.compare(r"\sum_k \exp(s_{ik})", sympy.Sum(sympy.exp(s[i, k]), (k, 1, n))) == Opinion(
        None, why="it has indices"
    )


def test_what_it_cannot_read_is_no_disagreement(reader: SecondReader) -> None:
    opinion = reader.compare(r"\operatorname{softmax}(x)", x)
    assert opinion.agrees is None
    assert opinion.why.startswith("not read")
    assert reader.compare("x + y", x + y).agrees is True


DOCUMENT = r"""# Scalars

$$y = \frac{1}{1 + e^{-x}}$$

$$1 - y = \frac{e^{-x}}{1 + e^{-x}}$$

Let $\epsilon > 0$ and $$w = \frac{\sqrt{a^2 + \epsilon}}{2 b c} - \log(1 + e^{a})$$

$$u = \frac{a}{b} \cdot \left( c - \frac{1}{a + b} \right)^{2}$$

$$u = \frac{a c^2}{b} - \frac{2 a c}{b (a + b)} + \frac{a}{b (a + b)^2}$$
"""


@pytest.mark.parametrize(
    "document", [DOCUMENT, *sorted((ROOT / "examples").glob("*.md"))], ids=lambda d: getattr(d, "name", "scalars")
)
def test_both_readers_agree_on_documents(document: str | Path, reader: SecondReader) -> None:
    text = document if isinstance(document, str) else document.read_text(encoding="utf-8")
    read, findings, study = check.study_with_names(read_text(text, "a.md"), check.Decider(60))
    found = list(second_opinions(reader, read, study, findings))
    assert not [(latex, o) for _, latex, o in found if o.agrees is False]
    assert len(found) >= (9 if document is DOCUMENT else 0)


def test_disagreement_is_a_note_and_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.md"
    path.write_text("$$y = 2 x$$\n\n$$y = x + x$$\n", encoding="utf-8")
    monkeypatch.setattr(SecondReader, "_start", lambda self: None)
    monkeypatch.setattr(SecondReader, "compare", lambda self, latex, ours: Opinion(False, "x**2", "other values"))
    monkeypatch.setenv(VARIABLE, sys.executable)
    report, _ = check.check_documents([path], numbers=False, second_reader=True)
    items = report["documents"][0]["items"]
    assert [i["status"] for i in items] == ["defined", "proved"]
    assert items[0]["notes"] == ["latex2sympy2 reads 2 x as x**2: other values"]
    assert report["run"]["second_reader"] == {"agree": 0, "differ": 3, "not_read": 0}


def test_its_absence_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.md"
    path.write_text("$$y = 2 x$$\n", encoding="utf-8")
    monkeypatch.setenv(VARIABLE, str(tmp_path / "none"))
    report, _ = check.check_documents([path], numbers=False, second_reader=True)
    assert [r["what"] for r in report["run"]["skipped"]] == ["second reader"]
    assert "cannot be started" in report["run"]["skipped"][0]["reason"]
    assert report["run"]["second_reader"] == {"agree": 0, "differ": 0, "not_read": 0}


def test_a_python_without_it_is_absent(tmp_path: Path) -> None:
    fake = tmp_path / "python"
    fake.write_text("#!/bin/sh\nexit 1\n")
    fake.chmod(0o755)
    with SecondReader(str(fake)) as found:
        assert found.absent is not None
        assert "cannot be imported" in found.absent
        assert found.compare("x", x).agrees is None


def test_names_are_compared_without_fonts() -> None:
    assert plain(r"\mathbf{x}_{k}") == plain("x_k")
