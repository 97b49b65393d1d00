"""What `check` prints at a terminal, in a build, and into a file: excerpts, tables, the bar, `-q` and `-v`."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from derivations.reports.model import read_report
from derivations.reports.plain.excerpt import Sources
from derivations.reports.plain.terminal import DETAILS, summary
from derivations.reports.redact import redacted
from derivations.reports.run.progress import Bar
from derivations.reports.run.session import check_documents

from derivations.cli import main

GOLDEN = Path(__file__).with_name("data") / "report.json"
TEXT = r"""Let $S \in \mathbb{R}^{n \times n}$.

$$ A_{ij} = \frac{\exp(S_{ij})}{\sum_k \exp(S_{ik})} $$

$$ \sum_j A_{ij} = 1 $$

$$ \sum_i A_{ij} = 1 $$

and $\foo{x} = 3$ is not read.
"""


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "FORCE_COLOR", "CI"):
        monkeypatch.delenv(name, raising=False)


def write(text: str, name: str = "a.md") -> str:
    Path(name).write_text(text, encoding="utf-8")
    return name


def report_of(*names: str) -> dict[str, Any]:
    report, errors = check_documents(names, device="cpu", numbers=False)
    assert not errors
    return report


def excerpt(report: dict[str, Any], name: str, width: int = 96) -> list[str]:
    document = report["documents"][0]
    item = next(i for i in document["items"] if i["id"] == name)
    return [f"{margin}|{text}" for margin, text in Sources(report).excerpt(item, document["path"], width)]


# (document, id of the item, excerpt)
EXCERPTS = [
    (TEXT, "eq-3", ["7|$$ \\sum_i A_{ij} = 1 $$", " |   ^^^^^^^^^^^^^^^^^"]),
    ("中文 $\\foo = 1$\n", "eq-1", ["1|中文 $\\foo = 1$", " |      ^^^^^^^^"]),
    ("a\tb $\\foo = 1$\n", "eq-1", ["1|a b $\\foo = 1$", " |     ^^^^^^^^"]),
    ("e\u0301 $\\foo = 1$\n", "eq-1", ["1|e\u0301 $\\foo = 1$", " |   ^^^^^^^^"]),
    ("\x1b[31m $\\foo = 1$\n", "eq-1", ["1|\ufffd[31m $\\foo = 1$", " |       ^^^^^^^^"]),
    ("\r\n\r\nx $\\foo = 1$\r\n", "eq-1", ["3|x $\\foo = 1$", " |   ^^^^^^^^"]),
    ("$$\n\\foo\n= 1\n$$\n", "eq-1", ["2|\\foo", " |^^^^"]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "name", "expected"), EXCERPTS)
def test_excerpts(text: str, name: str, expected: list[str]) -> None:
    report = report_of(write(text))
    assert excerpt(report, name) == expected


def test_long_lines_are_cut_around_the_place() -> None:
    report = report_of(write("word " * 50 + "$\\foo = 1$" + " word" * 50))
    line, marks = excerpt(report, "eq-1", 60)
    assert len(line) == 62 and line.startswith("1|…") and line.endswith("…")
    assert line[marks.index("^") :].startswith("\\foo = 1$")
    line, _ = excerpt(report, "eq-1", 12)
    assert len(line) == 14


def test_a_document_that_is_another_one_by_now_is_not_quoted() -> None:
    report = report_of(write(TEXT))
    assert "     7 | $$" in summary(report, colour=False)
    write(TEXT + " ")
    text = summary(report, colour=False)
    assert " | $$" not in text and r"✗ Refuted  a.md:7:4  \sum_i A_{ij} = 1" in text
    Path("a.md").unlink()
    assert summary(report, colour=False) == text


def test_what_is_redacted_is_not_read_from_the_file() -> None:
    assert r"\sum_i" not in summary(redacted(report_of(write(TEXT)), ["source"]), colour=False)


def test_an_excerpt_of_a_notebook() -> None:
    cells = [
        {"cell_type": "markdown", "metadata": {}, "source": source}
        for source in ("# T", TEXT.splitlines(keepends=True))
    ]
    write(json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}), "n.ipynb")
    report = report_of("n.ipynb")
    assert excerpt(report, "eq-3") == ["7|$$ \\sum_i A_{ij} = 1 $$", " |   ^^^^^^^^^^^^^^^^^"]
    assert "✗ Refuted  n.ipynb:cell 2:7:4\n" in summary(report, colour=False)


BRIEF = """\
a.md  ✗ 3 claims, 2 decided, 1 of them false (1 not read).
  ✗ Refuted  a.md:7:4
      7 | $$ \\sum_i A_{ij} = 1 $$
        |    ^^^^^^^^^^^^^^^^^
      read as     sum(i: 0 <= i < n; A[i, j]) = 1 for j with 0 <= j < n
      fails at    n = 2, j = 0, S = [[0, 0], [0, 1]]
      left side   0.7689414214
      right side  1
      suggestion  did you mean $\\sum_{j=1}^{n} A_{ij} = 1$? (the sum over the other index; proved)
b.md  – No claim was found: nothing was checked.
✗ In all: 3 claims, 2 decided, 1 of them false.
1 defined, 1 proved, 1 refuted, 1 not read
"""
TABLE = """\
a.md  ✗ 3 claims, 2 decided, 1 of them false.
  5:4  ✓  Proved    \\sum_j A_{ij} = 1
  7:4  ✗  Refuted   \\sum_i A_{ij} = 1
  9:6  –  Not read  \\foo{x} = 3
  ✗ Refuted  a.md:7:4
"""


def test_one_line_for_a_document_in_a_build(capsys: pytest.CaptureFixture[str]) -> None:
    write(TEXT)
    write("Words.", "b.md")
    assert main(["check", "a.md", "b.md", "--device", "cpu"]) == 1
    said = capsys.readouterr()
    assert said.out.startswith(BRIEF)
    assert said.err == ""


def test_a_table_at_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    write(TEXT)
    out = Terminal()
    monkeypatch.setattr("sys.stdout", out)
    monkeypatch.setenv("NO_COLOR", "1")
    assert main(["check", "a.md", "--device", "cpu"]) == 1
    assert out.getvalue().startswith(TABLE)
    assert out.getvalue().endswith("how an equation was read, and why: derivations explain a.md:7\n")
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("TERM", "xterm")
    assert main(["check", "a.md", "--device", "cpu"]) == 1
    assert "\x1b[31m✗ Refuted\x1b[0m" in out.getvalue()
    monkeypatch.setenv("COLUMNS", "44")
    lines = summary(report_of("a.md"), colour=False, detail="table", width=44).splitlines()
    out.truncate(0)
    monkeypatch.setenv("NO_COLOR", "1")
    assert main(["check", "a.md", "--device", "cpu"]) == 1
    said = [line for line in out.getvalue().splitlines() if line.startswith(" " * 6)]
    assert said == [line for line in lines if line.startswith(" " * 6)]
    assert max(map(len, said)) <= 44


@pytest.mark.parametrize(("ci", "table"), [("true", False), ("1", False), ("false", True), ("", True)])
def test_a_terminal_of_a_build_server_is_none(ci: str, table: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    write(TEXT)
    streams = Stream(True), Stream(True)
    monkeypatch.setattr("sys.stdout", streams[0])
    monkeypatch.setattr("sys.stderr", streams[1])
    monkeypatch.setenv("CI", ci)
    monkeypatch.setenv("TERM", "xterm")
    assert main(["check", "a.md", "--device", "cpu"]) == 1
    assert ("5:4" in streams[0].getvalue()) is table
    assert bool(streams[1].getvalue()) is table


def test_quiet_and_verbose(capsys: pytest.CaptureFixture[str]) -> None:
    write(TEXT)
    assert main(["check", "a.md", "--device", "cpu", "-q"]) == 1
    assert capsys.readouterr().out == "".join(BRIEF.splitlines(keepends=True)[1:9])
    assert main(["check", "a.md", "--device", "cpu", "-q", "--fail-on", "unread"]) == 1
    assert capsys.readouterr().out.startswith("  – Not read  ")
    assert main(["check", "a.md", "--device", "cpu", "-v"]) == 1
    out = capsys.readouterr().out
    assert "\n  3:4  ≔  Defined   A_{ij} = " in out
    assert "  – Not read  a.md:9:6\n      9 | and $\\foo{x} = 3$ is not read.\n        |      ^^^^^^^^^^^\n" in out
    write("Let $x \\in \\mathbb{R}^n$.\n\n$$ y_i = x_i $$\n\n$$ y_i = x_i $$\n", "c.md")
    assert main(["check", "c.md", "--device", "cpu", "-q"]) == 0
    assert capsys.readouterr().out == ""
    with pytest.raises(SystemExit):
        main(["check", "a.md", "-q", "-v"])


def test_what_is_expected_is_said_where_there_is_room() -> None:
    report = read_report(GOLDEN)
    next(i for i in report["documents"][0]["items"] if i["id"] == "eq-4")["silenced"] = {
        "how": "expected",
        "reason": "why",
    }
    texts = {detail: summary(report, colour=False, detail=detail) for detail in DETAILS}
    assert {d for d, text in texts.items() if "Refuted, as expected" in text} == {"normal", "table", "verbose"}


def test_many_undecided_claims_are_counted() -> None:
    report = read_report(GOLDEN)
    items = report["documents"][0]["items"]
    items += [{**next(i for i in items if i["id"] == "eq-8"), "id": f"more-{k}"} for k in range(30)]
    assert "… and 11 more that are undecided" in summary(report, colour=False)
    assert summary(report, colour=False, detail="verbose").count("? Undecided") == 31


class Stream(io.StringIO):
    def __init__(self, terminal: bool) -> None:
        super().__init__()
        self.terminal = terminal

    def isatty(self) -> bool:
        return self.terminal


def drawn(bar: Bar) -> None:
    bar(0, 2, "a.md")
    bar(1, 2, "b\x1b[31m\n.md")
    bar(2, 2, "")


def test_the_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setenv("TERM", "xterm")
    stream = Stream(True)
    drawn(Bar(stream))
    assert stream.getvalue() == (
        "\r\x1b[K[....................] 0/2 a.md\r\x1b[K[##########..........] 1/2 b\ufffd[31m .md\r\x1b[K"
    )
    stream = Stream(True)
    bar = Bar(stream)
    bar(0, 2, "x" * 99)
    assert len(stream.getvalue()) == len("\r\x1b[K") + 39
    said: list[str] = []
    bar.said(said.append)("message")
    assert stream.getvalue().endswith("\r\x1b[K") and said == ["message"]


@pytest.mark.parametrize(
    ("terminal", "quiet", "term"), [(False, False, "xterm"), (True, True, "xterm"), (True, False, "dumb")]
)
def test_no_bar(terminal: bool, quiet: bool, term: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", term)
    stream = Stream(terminal)
    drawn(Bar(stream, quiet=quiet))
    assert stream.getvalue() == ""
