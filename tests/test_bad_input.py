"""Bad input, one table: each row is one message at its place, and what follows is still decided.

The limits are counted (length, nesting, relations, work), so that no row needs a clock; `test_memory_stays_bounded` runs
the rows once more in a process whose address space is limited.
"""

import json
import re
import subprocess
import sys
import tempfile
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from derivations.reports.html import pages
from derivations.reports.model import validate
from derivations.reports.plain import terminal
from derivations.reports.run import check
from derivations.reports.run.check import SECONDS_A_DOCUMENT, Decider, seconds_for, study_document
from derivations.reports.tex import article
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from derivations.cli import main
from derivations.code import study_code
from derivations.documents import DocumentError, read, read_text
from derivations.kernel import certificate
from derivations.latex.writer import write_latex
from derivations.provers.decide import Proved
from derivations.study import admitting, claims, reading_passes, relations
from derivations.theorems import library

LAST = r"""

Let $S \in \mathbb{R}^{n \times n}$. The weights are

$$ P_{ij} = \frac{\exp(S_{ij})}{\sum_{k=1}^{n} \exp(S_{ik})} $$

Hence

$$ \sum_{j=1}^{n} P_{ij} = 1 $$

and also

$$ \sum_{i=1}^{n} P_{ij} = 1 $$
"""
DECIDED = ["defined", "proved", "refuted"]
BOMB = "".join(rf"\def\{a}z{{\{b}z\{b}z}}" for a, b in zip("abcdefghijkl", "bcdefghijklm", strict=True))
MANY = 10**5
MEMORY = 2 * 2**30
"""Bytes; PyTorch alone takes a good part of them."""

# (what, the formula, column, code, a part of the message)
FORMULAS = [
    ("an open brace", r"a_{i = b_i", 4, "unbalanced-braces", "needed a closing '}' for this '{', found the end"),
    ("a closed brace", r"a_i} = b_i", 5, "unbalanced-braces", "needed an operator or the end, found '}'"),
    ("an open delimiter", r"a = \left( b + c", 11, "unbalanced-braces", "needed a closing delimiter for '('"),
    ("an open parenthesis", "a = (b + c", 6, "unbalanced-braces", "needed a closing delimiter for '('"),
    ("an unknown command", r"a = \foo{b}", 6, "unknown-command", "needed a command that is known here"),
    ("no binder", r"y = \sum_{i=1}^n", 18, "missing-argument", r"needed a term after '\sum', found the end"),
    ("a sum of nothing", r"\sum_{i=1}^{n} = 3", 17, "missing-argument", r"needed a term after '\sum', found '='"),
    ("an argument too few", r"\frac{a} = c", 11, "unexpected-token", "needed an expression, found '='"),
    ("two equality signs", "a == b", 5, "unexpected-token", "needed an expression, found '='"),
    ("two subscripts", "a_i_j = b", 5, "double-script", "needed one subscript, found '_'"),
    ("two superscripts", "a^b^c = d", 5, "double-script", "needed one superscript, found '^'"),
    ("a free index on the right only", "a_i = b_j", 2, "not-conservative", "j is free on the right side"),
    ("no left side", "= b_i", 4, "out-of-scope", "a relation without a left side"),
    ("no right side", "a =", 2, "missing-argument", "needed an expression, found nothing: '' at line"),
    ("another environment's end", r"\begin{aligned} a = b \end{split}", 24, "unbalanced-environment", r"'\end{aligned}'"),
    ("rows of a matrix that differ", r"\begin{pmatrix} a & b \\ c \end{pmatrix} = x", 2, "shape-conflict", "the rows of this"),
    ("10,000 levels of braces", "{" * 10_000 + "x" + "}" * 10_000 + "=1", 2, "too-large", "at most 20000 characters"),
    ("levels of roots", r"\sqrt" * 3_000 + "x=1", 202, "too-deep", "needed at most 40 nested levels"),
    ("levels of scripts", "x_{" * 900 + "x" + "}" * 900 + "=1", 62, "too-deep", "needed at most 40 nested levels"),
    ("levels of matrices", r"\begin{pmatrix}" * 50 + "x" + r"\end{pmatrix}" * 50 + "=1", 182, "too-deep", "at most 12"),
    ("5 MB", "a = " + "b + " * 1_250_000 + "c", 2, "too-large", "needed at most 20000 characters, found 5000005"),
    ("many tokens", "x = " + "+".join("x" * 3_100), 6004, "too-large", "needed at most 6000 tokens"),
    ("a long product", "x = " + "*".join("x" * 1_500), 2708, "too-deep", "needed at most 150 nested operations, found more"),
    ("a long chain", "a=" * 1_500 + "a", 204, "too-large", "needed at most 100 relations in one equation, found 1500"),
    ("a macro that calls itself", r"\def\a{x\a} \a=1", 14, "too-large", "needed at most 500 macro expansions"),
    ("a macro bomb", BOMB + r"\def\mz{x} \az=1", 193, "too-large", "needed at most 500 macro expansions"),
    ("a definition without a body", r"\def\b#1 = 3", 2, "unknown-command", r"found '\def'"),
    ("a function of nothing", r"x = \exp()", 2, "missing-argument", "exp is given no argument: '\\exp()' at line"),
    ("a root of nothing", r"\sqrt{} = x", 2, "missing-argument", "needed an expression, found nothing: '{}'"),
    ("a control character", "a\x01 = b", 3, "unexpected-token", "needed an operator or the end"),
    ("a direction mark", "\u202ea = b", 2, "unexpected-token", "needed an expression"),
]  # fmt: skip

# (what, the code of a cell, line, column, code, a part of the message)
CODE = [
    ("a syntax error", "P = 1\ndef f(:\n    pass", 2, 1, "syntax-error", "it does not parse as Python: invalid syntax"),
    ("levels of signs", "P = " + "-" * 50_000 + "S", 1, 1, "syntax-error", "the code is too deeply nested"),
    ("an undefined name", "P = nope(S)", 1, 1, "undefined-name", "the name nope has no value here"),
    ("an unknown operation", "P = torch.fft.fft(S)", 1, 1, "unknown-operation", "torch.fft.fft is not in the table"),
    ("a selection by data", "P = S[S > 0]", 1, 1, "not-lifted", "a choice of entries by a mask"),
    ("an endless loop", "while P.sum() > 0:\n    P = P / 2", 1, 1, "not-lifted", "a while loop that is not seen to count"),
    ("an endless recursion", "def f(S):\n    return f(S)\nP = f(S)", 3, 1, "work-limit", "calls nested deeper than 24"),
    ("many rounds", "x = 0\nfor i in range(60):\n    for j in range(60):\n        for k in range(60):\n"
     "            x = x + i * j * k\nP = S * x", 6, 1, "work-limit", "the counted work of lifting is used up"),
    ("a huge array", "P = np.zeros((10**9, 10**9))", 1, 1, "not-lifted", "needed a size, found 1000000000"),
    ("a huge list", "P = [S] * 10**9", 1, 1, "not-lifted", "needed an integer, found 1000000000"),
    ("a huge number", "x = 2\nfor i in range(40):\n    x = x * x\nP = S * x", 4, 1, "too-large", "bits"),
    ("a huge term", "x = S\nfor i in range(60):\n    x = x * x + x\nP = x", 4, 1, "too-large", "more than 200000 nodes"),
    ("an axis that is not there", "P = S.sum(axis=9)", 1, 1, "shape-conflict", "needed an axis from -2 to 1, found 9"),
    ("parts of no length", "P = S.split(0)", 1, 1, "shape-conflict", "needed parts of a positive length, found 0"),
    ("a step of 0", "P = S[::0]", 1, 1, "not-lifted", "a slice with a negative step"),
    ("a decorator", "@boom\ndef f(S):\n    return S\nP = f(S)", 4, 1, "not-lifted", "a decorator may change"),
    ("an opened file", "with open('/etc/passwd') as f:\n    P = S", 1, 1, "not-lifted", "a with statement"),
    ("a complex number", "P = S * 1j", 1, 1, "not-lifted", "the constant 1j"),
]  # fmt: skip
SILENT = [
    "input()\nimport sys\nsys.exit(3)",
    "import os\nos.system('exit 3')\nprint('x' * 10**8)",
    "import threading\nthreading.Thread(target=print).start()",
    "%%bash\nexit 3",
    "%%R\nx <- 3",
    "while True: pass",
]
"""Cells that compute nothing an equation speaks of: no message, and no effect."""

FILES: list[tuple[str, bytes, str]] = [
    ("latin.md", "é $x$".encode("latin-1"), "latin.md: needed UTF-8 text, found another byte at offset 0"),
    ("wide.md", LAST.encode("utf-16"), "wide.md: needed UTF-8 text, found another byte at offset 0"),
    ("nul.tex", b"a\nb\0", "nul.tex:2: needed text, found a NUL byte"),
    ("cut.ipynb", b'{"cells": [', "cut.ipynb:1:12: needed a notebook in JSON"),
    ("list.ipynb", b"[1]", "list.ipynb: needed a notebook with a list of cells, found other JSON"),
    ("deep.ipynb", b"[" * MANY, "deep.ipynb: "),
]


def checked(path: Path, numbers: bool = True) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The report, which every writer takes, and its items."""
    report, errors = check.check_documents([path], device="cpu", numbers=numbers)
    assert not errors
    validate(report)
    for written in (terminal.summary(report), pages.page(report), article.write_tex(report)):
        assert "Traceback" not in written
    return report, [i for d in report["documents"] for i in d["items"]]


@pytest.fixture(scope="module")
def formulas(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """Every formula in a paragraph of its own, then the equations that are fine."""
    path = tmp_path_factory.mktemp("bad") / "formulas.md"
    path.write_text("\n\n".join(f"${row[1]}$" for row in FORMULAS) + LAST, encoding="utf-8")
    report, items = checked(path)
    assert check.exit_status(report, []) == 1
    return items


@pytest.mark.parametrize("number", range(len(FORMULAS)), ids=[row[0] for row in FORMULAS])
def test_a_formula_that_is_not_read_is_one_message_at_its_place(number: int, formulas: list[dict[str, Any]]) -> None:
    _, _, column, code, message = FORMULAS[number]
    (item,) = [i for i in formulas if i["where"]["line"] == 1 + 2 * number]
    assert (item["status"], item["where"]["column"], item["code"]) == ("unread", column, code)
    assert message in item["reason"]
    assert "\n" not in item["reason"]
    assert len(item["reason"]) < 300


def test_what_follows_bad_formulas_is_decided(formulas: list[dict[str, Any]]) -> None:
    assert [i["status"] for i in formulas[-3:]] == DECIDED


def cells(codes: list[str]) -> str:
    """A notebook: the equations, the inputs, one cell for each code, and a cell that is right."""
    sources = ["import numpy as np, torch\nn = 5\nS = np.random.randn(n, n)", *codes]
    sources.append("E = np.exp(S)\nP = E / E.sum(axis=1, keepdims=True)")
    made: list[dict[str, Any]] = [{"cell_type": "markdown", "metadata": {}, "source": LAST}]
    for source in sources:
        made.append({"cell_type": "code", "metadata": {}, "source": source, "outputs": [], "execution_count": None})
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": made})


@pytest.mark.parametrize("row", CODE, ids=[row[0] for row in CODE])
def test_code_that_is_not_read_is_one_message_at_its_place(row: tuple[str, ...], tmp_path: Path) -> None:
    _, source, line, column, code, message = row
    path = tmp_path / "n.ipynb"
    path.write_text(cells([source]), encoding="utf-8")
    report, items = checked(path)
    (item,) = [i for i in items if i["where"]["cell"] == 3]
    where = item["where"]["line"], item["where"]["column"]
    assert (item["status"], *where, item["code"]) == ("skipped", line, column, code)
    assert message in item["reason"]
    assert [i["status"] for i in items if i["where"]["cell"] == 1] == DECIDED
    assert [(i["kind"], i["status"]) for i in items if i["where"]["cell"] == 4] == [("code", "proved")]
    assert check.exit_status(report, []) == 1


def test_code_that_no_equation_speaks_of_does_nothing(tmp_path: Path) -> None:
    path = tmp_path / "n.ipynb"
    path.write_text(cells(SILENT), encoding="utf-8")
    _, items = checked(path)
    assert [i["status"] for i in items] == [*DECIDED, "proved"]
    assert [p.name for p in tmp_path.iterdir()] == ["n.ipynb"]


def test_files_that_cannot_be_read_are_a_line_each(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, data, _ in FILES:
        (tmp_path / name).write_bytes(data)
    (tmp_path / "good.md").write_text(LAST, encoding="utf-8")
    assert main(["check", str(tmp_path), "--device", "cpu"]) == 3
    said = capsys.readouterr()
    lines = said.err.splitlines()
    assert len(lines) == len(FILES)
    for _, _, message in FILES:
        assert any(message in line for line in lines), message
    assert "good.md" in said.out
    assert f"✗ {len(FILES)} documents could not be read:" in said.out
    assert "1 proved" in said.out
    assert "Traceback" not in said.out + said.err


COUNTED = [
    (
        "formulas",
        reading_passes,
        "MAX_STATEMENTS",
        5,
        "$x$ " * 9,
        "needed at most 5 formulas and relations in a document",
    ),
    ("cases", admitting, "MAX_CASES", 3, "".join(f"$a_{{{k}}} = b + {k}$\n\n" for k in range(4)), "at most 3 cases"),
    ("names", relations, "MAX_NAMES", 7, "".join(f"${x} = c + 1$\n\n" for x in "stuvwxyz"), "needed at most 7 names"),
]


@pytest.mark.parametrize(("what", "module", "name", "limit", "source", "message"), COUNTED, ids=[r[0] for r in COUNTED])
def test_what_is_counted_in_a_document(
    what: str,
    module: object,
    name: str,
    limit: int,
    source: str,
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, name, limit)
    path = tmp_path / "a.md"
    path.write_text(source, encoding="utf-8")
    _, items = checked(path)
    said = [i for i in items if i["code"] == "too-large"]
    assert len(said) == 1, what
    assert message in said[0]["reason"]


def test_chained_definitions_are_unfolded_up_to_a_limit(tmp_path: Path) -> None:
    names = [rf"\mathrm{{z{chr(97 + k)}}}" for k in range(25)]
    chain = [f"$$ {b} = {a} + {a} \\cdot {a} $$" for a, b in pairwise(names)]
    path = tmp_path / "a.md"
    path.write_text("\n\n".join([*chain, f"$$ {names[-1]} = {names[0]} $$"]) + LAST, encoding="utf-8")
    _, items = checked(path)
    assert [i["status"] for i in items] == ["defined"] * 24 + ["undecided", *DECIDED]
    assert items[24]["reason"] == "unfolded it has more than 4000 nodes"


def test_definitions_that_each_need_the_next_one(tmp_path: Path) -> None:
    names = [rf"\mathrm{{z{chr(97 + k // 20)}{chr(97 + k % 20)}}}" for k in range(60)]
    path = tmp_path / "a.md"
    path.write_text("\n\n".join(f"$$ {a} = {b} + 1 $$" for a, b in pairwise(names)) + LAST, encoding="utf-8")
    _, items = checked(path, numbers=False)
    assert [i["status"] for i in items[-3:]] == DECIDED
    assert {i["status"] for i in items} <= {"defined", "proved", "refuted", "undecided", "unread"}


def test_a_bug_of_ours_costs_one_statement(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    relation = relations.read_relation

    def broken(study: Any, item: Any, *rest: Any) -> None:
        if "boom" in item.span.source:
            raise KeyError("no such\nthing")
        relation(study, item, *rest)

    monkeypatch.setattr(relations, "read_relation", broken)
    path = tmp_path / "a.md"
    path.write_text("$boom_i = x_i$" + LAST, encoding="utf-8")
    report, items = checked(path)
    assert [i["status"] for i in items] == ["unread", *DECIDED]
    assert items[0]["code"] == "internal"
    assert items[0]["reason"].startswith("internal error, please report it: KeyError: 'no such")
    assert check.exit_status(report, []) == 3


def test_a_bug_of_ours_costs_one_value_of_the_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    judge = study_code.judge_record

    def broken(context: Any, record: Any) -> Any:
        if record.name == "first":
            raise LookupError("no such thing")
        return judge(context, record)

    monkeypatch.setattr(study_code, "judge_record", broken)
    path = tmp_path / "a.md"
    code = "def first(x):\n    return 2 * x\n\n\ndef y(x):\n    return 3 * x\n"
    path.write_text(f"For $x \\in \\mathbb{{R}}$, $y = 3 x$.\n\n```python\n{code}```\n", encoding="utf-8")
    report, items = checked(path)
    (item,) = (i for i in items if i["code"] == "internal")
    assert (item["kind"], item["status"]) == ("code", "skipped")
    assert item["source"].startswith("def first")
    assert item["reason"].startswith("internal error, please report it: LookupError: no such thing")
    assert [i["status"] for i in items if i["source"].startswith("def y")] == ["proved"]
    assert check.exit_status(report, []) == 3


def test_a_bug_of_ours_leaves_nothing_of_its_statement_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A definition that was made before the bug counts as little as one that was not."""
    relation = relations.read_relation

    def broken(study: Any, item: Any, *rest: Any) -> None:
        relation(study, item, *rest)
        if "1000" in item.span.source:
            raise KeyError("too late")

    monkeypatch.setattr(relations, "read_relation", broken)
    path = tmp_path / "a.md"
    given = "For $x \\in \\mathbb{R}^n$ let $$ s = \\sum_{i=1}^n x_i . $$\n\n"
    again = "Now consider $$ s = 1000 + \\sum_{i=1}^n x_i^2 . $$\n\nWe also have $$ t = \\sum_{i=1}^n 1000 x_i . $$\n\n"
    path.write_text(given + again + "Hence $$ 2 s = 2 \\sum_{i=1}^n x_i $$ and $$ t = x_1 + 1 . $$", encoding="utf-8")
    _, items = checked(path, numbers=False)
    assert [i["status"] for i in items] == ["defined", "unread", "unread", "proved", "defined"]


def test_memory_stays_bounded(tmp_path: Path) -> None:
    """Each of these once took gigabytes: orders of 12 alike sums, a chain of 1500, a square of pages in a report."""
    letters = "abcdefghijkl"
    sums = "".join(rf"\sum_{{{c}=1}}^n " for c in letters)
    ring = "".join(f"x_{{{a}{b}}}" for a, b in zip(letters, letters[1:] + "a", strict=True))
    back = "".join(f"x_{{{b}{a}}}" for a, b in zip(letters, letters[1:] + "a", strict=True))
    path = tmp_path / "a.md"
    heavy = [f"$$ {sums}{ring} = {sums}{back} $$", "$" + "a=" * 1500 + "a$", "x" * 5_000_000]
    path.write_text("\n\n".join(heavy) + LAST, encoding="utf-8")
    program = f"""
import resource, sys
resource.setrlimit(resource.RLIMIT_DATA, ({MEMORY}, {MEMORY}))
from derivations.cli import main
sys.exit(main(["check", {str(path)!r}, "--device", "cpu", "--html", {str(tmp_path / "html")!r}]))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 1, done.stderr
    assert done.stderr == ""
    assert (tmp_path / "html" / "index.html").stat().st_size < 2_000_000


# --- mutated mathematics --------------------------------------------------------------------------------------------

TOKEN = re.compile(r"\\[A-Za-z]+|\\.|[A-Za-z]|\d+|\s+|.", re.DOTALL)
PIECES = [
    *"\\{}()[]&_^$=!'|",
    *(
        [
            r"\\",
            r"\frac",
            r"\sum_",
            r"\left",
            r"\right)",
            r"\text{",
            r"\begin{cases}",
            r"\end{align}",
            r"\partial",
            r"\infty",
            r"\max_",
            r"\,",
        ]
    ),
]
EXAMPLES = [p for p in sorted(Path(__file__).parent.with_name("examples").iterdir()) if p.suffix in (".md", ".ipynb")]
EQUATIONS = [s.source for p in EXAMPLES for s in read(p).spans] + [write_latex(r.stated[0]) for r in library()]
TOKENS = [TOKEN.findall(e) for e in EQUATIONS]


@st.composite
def mutated(draw: st.DrawFn) -> str:
    """An equation with tokens deleted, doubled, swapped, put in or taken from another one, or cut off at a character."""
    tokens = list(TOKENS[draw(st.integers(0, len(TOKENS) - 1))])
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, max(len(tokens) - 1, 0)))
        match draw(st.sampled_from(["delete", "double", "swap", "put in", "splice", "brace", "cut"])):
            case "delete":
                del tokens[at : at + 1]
            case "double":
                tokens[at:at] = tokens[at : at + 1]
            case "swap":
                tokens[at : at + 2] = tokens[at : at + 2][::-1]
            case "put in":
                tokens.insert(at, draw(st.sampled_from(PIECES)))
            case "splice":
                other = TOKENS[draw(st.integers(0, len(TOKENS) - 1))]
                start = draw(st.integers(0, len(other)))
                tokens[at:at] = other[start : start + draw(st.integers(1, 8))]
            case "brace":
                braces = [k for k, t in enumerate(tokens) if t in "{}"]
                if braces:
                    del tokens[braces[at % len(braces)]]
            case "cut":
                text = "".join(tokens)
                tokens = TOKEN.findall(text[: draw(st.integers(0, len(text)))])
    return "".join(tokens)


@settings(max_examples=40, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(st.lists(mutated(), min_size=3, max_size=5))
def test_mutated_mathematics_is_read_or_said_not_to_be(equations: list[str]) -> None:
    """No mutant stops the study of the others, and each proof replays from its certificate."""
    text = "\n\n".join(f"$$ {e} $$" for e in equations) + "\n\n# The last\n" + LAST.replace("P", r"\mathcal{P}")
    findings = study_document(read_text(text, "a.md"), Decider(20))[1]
    for f in findings:
        assert f.code != "internal", (equations, f.reason)
        if isinstance(f.decision, Proved):
            made = certificate.read(json.loads(json.dumps(certificate.write(f.decision.theorem))))
            assert str(made.statement) == str(f.decision.theorem.statement)


@settings(max_examples=40, deadline=None, derandomize=True)
@given(st.binary(max_size=300), st.sampled_from([".md", ".tex", ".ipynb", ".txt", ".py", ".qmd"]))
def test_any_bytes_are_read_or_refused_in_a_line(data: bytes, suffix: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"a{suffix}"
        path.write_bytes(data)
        try:
            study_document(read(path), Decider(20))
        except DocumentError as error:
            assert "\n" not in str(error)


@pytest.mark.parametrize(
    "source", ["if x:\n    a = 1\n  b = 2\n", "x = '''abc\n", "x = (\n", "a\n\tb\n    c\n", "\\\n"]
)
def test_comments_of_code_that_does_not_parse(source: str) -> None:
    document = read_text(f"```python\n# one\n{source}```\n\n$a$\n", "a.md")
    assert [s.source for s in document.spans] == ["a"]
    assert [c.text for c in document.comments] == [" one"]


QUOTIENTS = [
    (r"\frac{a}{b} x_i", "a / b x_i", "undecided"),
    (r"\frac{a}{b x_i}", "a / b x_i", "proved"),
    (r"\frac{1}{2} x_i", "1/2 x_i", "undecided"),
    (r"\frac{a}{b} x_i", "2 a / b x_i", "undecided"),
]


@pytest.mark.parametrize(("first", "again", "status"), QUOTIENTS)
def test_what_a_slash_divides_by_is_open(first: str, again: str, status: str, tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text(f"Let $x \\in \\mathbb{{R}}^n$.\n\n$$ y_i = {first} $$\n\n$$ y_i = {again} $$\n")
    _, items = checked(path, numbers=False)
    assert [i["status"] for i in items] == ["defined", status]


def test_a_long_document_has_longer_and_each_place_is_looked_up_once() -> None:
    text = "".join(f"# For $i \\neq {k}$\n\nLet $a_i = {k}$, then\n\n$$b_i = {k}$$\n\n" for k in range(40))
    document = read_text(text, "a.md")
    assert seconds_for(document) > seconds_for(read_text("$a = b$", "a.md")) >= SECONDS_A_DOCUMENT
    study = claims.open_study(document, Decider(20))
    places = study.text.places
    assert study.text.places is places
    assert [i for own in places.of_span.values() for i in own] == study.items
    assert [len(own) for own in places.of_heading.values()] == [1] * 40
