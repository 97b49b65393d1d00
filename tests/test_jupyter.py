"""In Jupyter: what `%load_ext derivations` puts into a shell, and how results show themselves."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from sympy import IndexedBase, Sum, symbols

import derivations
from derivations import Undecided
from derivations.jupyter import Checked, check_notebook, check_text

LESSON = """
Let $Q, K \\in \\mathbb{R}^{n \\times d}$ and $S_{ij} = \\sum_c Q_{ic} K_{jc}$.

$$A_{ij} = \\frac{\\exp(S_{ij})}{\\sum_k \\exp(S_{ik})}$$

$$\\sum_j A_{ij} = 1$$

$$\\sum_i A_{ij} = 1$$
"""


class Shell:
    def __init__(self) -> None:
        self.user_ns: dict[str, Any] = {}
        self.magics: dict[str, Any] = {}

    def register_magic_function(self, function: Any, magic_kind: str, magic_name: str) -> None:
        assert magic_kind == "cell"
        self.magics[magic_name] = function


def statuses(checked: Checked) -> list[str]:
    return [i["status"] for d in checked.report["documents"] for i in d["items"] if i["kind"] == "claim"]


def test_the_extension_gives_a_magic_and_a_function() -> None:
    shell = Shell()
    derivations.load_ipython_extension(shell)
    checked = shell.magics["check"]("", LESSON)
    assert statuses(checked) == ["proved", "refuted"]
    assert "check_notebook" in shell.user_ns
    assert "2 claims, 2 decided, 1 of them false" in str(checked) == repr(checked)


def test_a_result_shows_itself_and_nothing_leaks() -> None:
    text = check_text(LESSON)._repr_html_()
    assert text.startswith('<div class="derivations-report"><style>@scope (.derivations-report) {')
    assert "Proved" in text and "Refuted" in text and "<math" in text
    assert "<script" not in text and "url(" not in text
    style = re.search(r"<style>(.*?)</style>", text, re.DOTALL).group(1)
    assert ":root" not in style and not re.search(r"(?<![\w-])body \{", style)
    assert "this cell" in text


# (the cell below `%%check`, the line of the cell in which the statement stands)
LINES = [
    ("$$x = x$$", 2),
    ("\n\n$$x = x$$\n", 4),
    ("words\n\n$x = x$", 4),
    (r"\sum_{i=1}^n 1 = n", 2),
    ("\n" + r"\sum_{i=1}^n 1 = n", 3),
    ("\\begin{align}\na &= b \\\\\nb &= c\n\\end{align}", 3),
]


@pytest.mark.parametrize(("cell", "line"), LINES)
def test_places_are_those_of_the_cell_as_it_is_seen(cell: str, line: int) -> None:
    shell = Shell()
    derivations.load_ipython_extension(shell)
    (document,) = shell.magics["check"]("", cell).report["documents"]
    assert document["items"][0]["where"]["line"] == line


def test_a_cell_that_cannot_be_read_is_named_as_what_it_is() -> None:
    checked = check_text("x\n\0")
    assert checked.errors == ["this cell:2: needed text, found a NUL byte"] == checked.report["run"]["errors"]
    assert "this cell:2" in checked._repr_html_() and "tmp" not in str(checked)


class Formatter:
    def __init__(self) -> None:
        self.known: dict[type, Any] = {}

    def for_type(self, kind: type, show: Any) -> None:
        self.known[kind] = show


def test_decisions_show_themselves() -> None:
    shell = Shell()
    formatters = {"text/html": Formatter(), "text/plain": Formatter()}
    shell.display_formatter = type("Display", (), {"formatters": formatters})
    derivations.load_ipython_extension(shell)
    i, j, n = symbols("i j n", integer=True)
    A, x_y = IndexedBase("A", shape=(n, n)), IndexedBase("x_y", shape=(n,))
    rows = [
        (derivations.decide(Sum(A[i, j], (j, 0, n - 1)), x_y[i]), ["✗ refuted", "<mtable", r"x\_y", "left side"]),
        (derivations.decide(symbols("x"), 1), ["✗ refuted", "fails at"]),
        (Undecided("a < b"), ["? undecided", "a &lt; b"]),
    ]
    for decision, parts in rows:
        text = formatters["text/html"].known[type(decision)](decision)
        assert all(part in text for part in parts), text
        assert type(decision) in formatters["text/plain"].known
    assert derivations.api.describe(rows[1][0]) == "refuted: left 0, right 1 at one point for x = 0"
    assert derivations.api.describe(derivations.decide(2, 3)) == "refuted: left 2, right 3 at one point"


@pytest.mark.parametrize(
    "text", [r"\sum_{i=1}^n x_i - \sum_{i=1}^n x_i = 0", "\\begin{align} a &= b \\\\ a - b &= 0 \\end{align}"]
)
def test_bare_latex_is_read_as_latex(text: str) -> None:
    assert "proved" in statuses(check_text(text))


def test_another_word_is_refused() -> None:
    with pytest.raises(ValueError, match="needed md or tex, found 'rst'"):
        check_text("x", line="rst")


def test_a_notebook_is_checked_as_it_was_saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JPY_SESSION_NAME", raising=False)
    with pytest.raises(ValueError, match="needed the path of the notebook"):
        check_notebook()
    path = tmp_path / "lesson.ipynb"
    cell = {"cell_type": "markdown", "source": LESSON, "metadata": {}}
    path.write_text(json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
    assert statuses(check_notebook(path)) == ["proved", "refuted"]
    monkeypatch.setenv("JPY_SESSION_NAME", str(path))
    assert statuses(check_notebook()) == ["proved", "refuted"]
    monkeypatch.delenv("JPY_SESSION_NAME")
    shell = Shell()
    shell.user_ns["__vsc_ipynb_file__"] = str(path)
    derivations.load_ipython_extension(shell)
    assert statuses(shell.user_ns["check_notebook"]()) == ["proved", "refuted"]
