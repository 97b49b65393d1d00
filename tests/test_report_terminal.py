"""The summary for a terminal, and counterexamples as programs of their own."""

import copy
import subprocess
import sys
from pathlib import Path

import pytest
from derivations.reports.model import read_report
from derivations.reports.plain.terminal import one_line, summary
from derivations.reports.snippet import write_snippet

GOLDEN = Path(__file__).with_name("data") / "report.json"

EXPECTED = """\
lesson.md  ✗ 10 claims, 7 decided, 2 of them false.
  ✗ Refuted  lesson.md:18:3  \\sum_{i=1}^{n} A_{ij} = 1
      read as     for all j: sum(i, A[i, j]) = 1
      fails at    n = 2, j = 0, S = [[1/2, 0], [0, 0]]
      left side   1.1224593312018546
      right side  1
      suggestion  The rows sum to one, the columns do not: did you mean $\\sum_{j} A_{ij} = 1$?
  ✗! Wrong output  lesson.md:37:3  0.74
      read as     1/(1 + exp(-1)) = 0.74
      value       0.731058578630004879…
      printed     0.74
  ? Undecided  lesson.md:44:3  A_{ij} = A_{ji}^\\top
      ambiguous: `A_{ji}^\\top` is an entry or a matrix
  – 1 not read: out-of-scope 1 (lines 48)
  ○ 1 skipped: unfinished 1 (lines 52)

2 defined, 4 proved, 1 refuted, 1 compared numerically only, 1 right as printed, 1 wrong as printed, 1 undecided, \
1 not read, 1 skipped
cross-check: 2 of 2 within their bound, 1 without a bound (numpy float64 on cpu, torch float32 on cpu, \
torch float64 on cpu)
not tried: CUDA: no device was found
"""


def test_summary() -> None:
    assert summary(read_report(GOLDEN), colour=False) == EXPECTED


def test_colour_adds_nothing_but_colour() -> None:
    coloured = summary(read_report(GOLDEN), colour=True)
    assert "\x1b[31m" in coloured
    for code in ("\x1b[31m", "\x1b[32m", "\x1b[33m", "\x1b[1m", "\x1b[2m", "\x1b[0m"):
        coloured = coloured.replace(code, "")
    assert coloured == EXPECTED


@pytest.mark.parametrize(
    ("environment", "coloured"),
    [({"FORCE_COLOR": "1"}, True), ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False), ({}, False)],
)
def test_colour_follows_the_environment(
    environment: dict[str, str], coloured: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert ("\x1b[" in summary(read_report(GOLDEN))) is coloured


def test_a_terminal_obeys_nothing_of_a_document() -> None:
    report = read_report(GOLDEN)
    document = report["documents"][0]
    document["path"] = "\x1b]0;x\x07.md"
    for item in document["items"]:
        item["source"] = item["reason"] = item["suggestion"] = "\x1b[2J\r\x9b31m\u202e"
    text = summary(report, colour=False)
    assert not any(character in text for character in "\x1b\x07\r\x9b\u202e")


def test_nothing_checked_is_said() -> None:
    report = read_report(GOLDEN)
    report["documents"], report["run"] = [], {"checks": []}
    report["summary"] = dict.fromkeys(report["summary"], 0)
    assert summary(report, colour=False) == ("no statement was found\ncross-check: nothing was evaluated numerically\n")


def test_long_text_is_cut() -> None:
    assert one_line("x" * 300, 10) == "x" * 9 + "…"


@pytest.mark.parametrize("width", [60, 80])
def test_at_a_terminal_what_is_said_of_a_finding_is_folded(width: int) -> None:
    report = read_report(GOLDEN)
    for item in report["documents"][0]["items"]:
        item.update({key: f"{item[key]} " * 4 for key in ("suggestion", "reason", "read") if item[key]})
    lines = summary(report, colour=False, detail="table", width=width).splitlines()
    assert max(len(line) for line in lines if line.startswith(" " * 6)) <= width
    assert any(line.startswith(" " * 18) for line in lines)
    assert any(len(line) > width for line in summary(report, colour=False).splitlines())


# Counterexamples as programs


def by_id() -> dict:
    return {item["id"]: item for item in read_report(GOLDEN)["documents"][0]["items"]}


def run(code: str) -> str:
    """What the program prints, in an interpreter that has nothing of this project."""
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=True)
    return done.stdout


def test_the_program_gives_both_sides() -> None:
    items = by_id()
    snippet = write_snippet(items["eq-4"], items)
    assert snippet.checks
    assert "derivations" not in snippet.code
    assert run(snippet.code).splitlines() == [
        "left side  1.1224593312018545",
        "right side 1.0",
        "the statement needs left == right",
    ]


def name(text: str) -> str:
    return f"Symbol('{text}')"


def entry(base: str, *where: str) -> str:
    return f"Indexed(IndexedBase({name(base)}), {', '.join(where)})"


INDEX, SIZE = name("i"), name("n")
UP_TO_N = f"Tuple({INDEX}, Integer(0), Add(Integer(-1), {SIZE}))"
STATEMENTS = [
    (f"Equality(Sum({entry('x', INDEX)}, {UP_TO_N}), Integer(4))", "3", "4"),
    (f"Equality(Sum(Pow({entry('x', INDEX)}, Integer(2)), {UP_TO_N}), Integer(4))", "5", "4"),
    (f"Equality(Pow({entry('x', 'Integer(1)')}, Rational(1, 2)), Integer(1))", "1.41421356237309…", "1"),
    (f"Equality(Mul(Rational(1, 3), {SIZE}), Integer(1))", "2/3", "1"),
    (f"StrictLessThan({entry('x', 'Integer(1)')}, {SIZE})", "2", "2"),
    (f"Equality(Max({entry('x', 'Integer(0)')}, Integer(0)), Integer(3))", "1", "3"),
    (f"Equality(KroneckerDelta({SIZE}, Integer(2)), Integer(0))", "1", "0"),
    (f"Equality(Mod({SIZE}, Integer(2)), Integer(1))", "0", "1"),
    (f"Equality(Piecewise(ExprCondPair(Integer(1), LessThan({SIZE}, Integer(2))), ExprCondPair(Integer(0), true)), "
     "Integer(0))", "1", "0"),
    (f"Equality(Sum(Mul({INDEX}, {name('k')}), {UP_TO_N}, Tuple({name('k')}, Integer(1), {SIZE})), Integer(0))",
     "3", "0"),
    ("Equality(cos(Integer(0)), tanh(Integer(0)))", "1", "0"),
    ("Equality(exp(log(Integer(2))), sin(Mul(Rational(1, 2), pi)))", "2.000000000000", "1"),
]  # fmt: skip


def with_statement(statement: str | None, left: str | None, right: str | None) -> dict:
    item = copy.deepcopy(by_id()["eq-4"])
    item["sympy"], item["depends_on"] = statement, []
    item["counterexample"] |= {"sizes": {"n": 2}, "at": {}, "inputs": {"x": ["1", "2"]}, "left": left, "right": right}
    return item


@pytest.mark.parametrize(("statement", "left", "right"), STATEMENTS)
def test_programs_of_each_form(statement: str, left: str, right: str) -> None:
    snippet = write_snippet(with_statement(statement, left, right), {})
    assert snippet.checks
    printed = run(snippet.code).splitlines()
    for line, stated in zip(printed, (left, right), strict=False):
        top, _, bottom = stated.rstrip("…").partition("/")
        assert float(line.split()[-1]) == pytest.approx(float(top) / float(bottom or 1), rel=1e-12)


NOT_EVALUATED = [
    (STATEMENTS[0][0], "3.5", "4"),
    (STATEMENTS[0][0], None, "4"),
    (STATEMENTS[0][0].replace("Integer(4)", "Integer(3)"), "3", "3"),
    (f"Equality({entry('x', 'Integer(2)')}, Integer(1))", "3", "1"),
    (f"Equality({entry('x', 'Integer(-1)')}, Integer(1))", "2", "1"),
    (f"Equality({entry('y', 'Integer(0)')}, Integer(1))", "3", "1"),
    ("Equality(Function('f')(Integer(1)), Integer(1))", "3", "1"),
    ("Equality(Pow(Integer(0), Integer(-1)), Integer(1))", "3", "1"),
    ("Equality(Sum(Symbol('i'), Tuple(Symbol('i'), Integer(0), Integer(100000000))), Integer(1))", "3", "1"),
    ("__import__('os').system('true')", "3", "1"),
    ("[" * 5000, "3", "1"),
    ("not SymPy", "3", "1"),
    (None, "3", "1"),
]


@pytest.mark.parametrize(("statement", "left", "right"), NOT_EVALUATED)
def test_what_cannot_be_evaluated_is_only_stated(statement: str | None, left: str | None, right: str) -> None:
    snippet = write_snippet(with_statement(statement, left, right), {})
    assert not snippet.checks
    assert snippet.title == "The values as Python"
    assert run(snippet.code).startswith("stated, not evaluated")


def test_names_of_documents_become_identifiers() -> None:
    item = with_statement(None, "1", "'; import os; '")
    item["counterexample"]["inputs"] = {"W^{(q)}": ["1/2"], "lambda": "x\ny", "W_(q)": "1", "print": "0.5", "α": "1"}
    snippet = write_snippet(item, {})
    assert "W_q = [F(1, 2)]" in snippet.code
    assert "v_lambda = 'x\\ny'" in snippet.code
    assert run(snippet.code).count("\n") == 1
