"""What authors tell the checker: conventions, what is ignored, expected or off; every fault is a message and fails the run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from derivations.reports.model import faults, validate
from derivations.reports.plain import terminal
from derivations.reports.run import check
from hypothesis import given, settings
from hypothesis import strategies as st

from derivations.documents import read_text
from derivations.documents.facts.directives import BadDeclaration, read_entries, read_entry
from derivations.documents.model.document import Place
from derivations.study.directives_at_work import applied

HERE = Path(__file__).parent


def report_of(text: str, folder: Path, name: str = "x.md") -> dict:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    report, errors = check.check_documents([path], numbers=False)
    assert not errors
    validate(report)
    return report


def verdicts(report: dict) -> list[str]:
    items = report["documents"][0]["items"]
    return [f"{i['where']['line']} {i['status']}" + (f" [{i['code']}]" if i["code"] else "") for i in items]


# --- entries --------------------------------------------------------------------------------------------------------

ENTRIES = {
    "Q, K: (n, d)": ("shape", "Q, K", r"\mathbb{R}^{n \times d}"),
    "W_out: (h*w, d_model)": ("shape", "W_{out}", r"\mathbb{R}^{h\cdot w \times d_{model}}"),
    r"x: \mathbb{R}^{n}": ("shape", "x", r"\mathbb{R}^{n}"),
    "x: row vector (d)": ("shape", "x", r"\mathbb{R}^{1 \times d}"),
    "x: column (d,)": ("shape", "x", r"\mathbb{R}^{d \times 1}"),
    "c: ()": ("name", "c", "scalar"),
    "c: scalar": ("name", "c", "scalar"),
    "P: permutation": ("name", "P", "permutation"),
    "W_q: label": ("name", "W_q", "label"),
    "i: 1..n": ("range", "i", r"1, \dots, n"),
    "i: 0, \\dots, n - 1": ("range", "i", r"0, \dots, n - 1"),
    "p: from 0": ("base", "p", "0"),
    "indices: from 0": ("base", "", "0"),
    "indices: 1": ("base", "", "1"),
    "tokens: columns": ("tokens", "", "columns"),
    "softmax: axis j": ("softmax", "", "j"),
    "softmax: rows": ("softmax", "", "row"),
    "softmax: axis -1": ("softmax", "", "row"),
    "softmax: columns": ("softmax", "", "column"),
    "given: independent q, k": ("given", "", "independent q, k"),
    r"\R: \mathbb{R}": ("macro", r"\R", r"\mathbb{R}"),
    "on": ("on", "", ""),
}


@pytest.mark.parametrize("text", ENTRIES)
def test_entries(text: str) -> None:
    d = read_entry(text, Place("x.md", None, 1, 1))
    assert (d.kind, d.subject, d.value) == ENTRIES[text]


REASONS = {
    "ignore[false-claim] see errata": ("ignore", "see errata"),
    "ignore[a, b]: because of this": ("ignore", "of this"),
    "expect: refuted the exercise": ("expect", "the exercise"),
    "expect: refuted (the exercise)": ("expect", "the exercise"),
    "off a sketch; of mine": ("off", "a sketch; of mine"),
    "off: a sketch": ("off", "a sketch"),
}


@pytest.mark.parametrize("text", REASONS)
def test_reasons(text: str) -> None:
    d = read_entry(text, Place("x.md", None, 1, 1))
    assert (d.kind, d.reason) == REASONS[text]


BAD = {
    "ignore no code": "needed ignore[code] reason",
    "ignore[false-claim]": "needed a reason",
    "expect: refuted": "needed a reason",
    "off": "needed a reason",
    "expect: proved it is": "nothing can be declared to be proved",
    "expect: undecided so": "needed expect: refuted or expect: wrong",
    "A: proved": "nothing can be declared to be proved",
    "status: proved": "nothing can be declared to be proved",
    "ignor[x] reason": "did you mean ignore?",
    "tokens: diagonal": "needed tokens: rows or tokens: columns",
    "softmax: over every other one": "needed softmax: rows, columns or axis j",
    "indices: 2": "needed indices: from 0",
    "Q: round": "needed a shape (n, d)",
    "P: permutatoin": "did you mean permutation?",
    "x: row vector (n, d)": "needed one size of a row vector",
    "just words": "needed NAME: MEANING",
}


@pytest.mark.parametrize("text", BAD)
def test_entries_that_are_not_understood(text: str) -> None:
    with pytest.raises(BadDeclaration) as error:
        read_entry(text, Place("x.md", None, 1, 1))
    assert BAD[text] in str(error.value)
    assert "\n" not in str(error.value)


def test_entries_end_at_semicolons_and_lines_and_reasons_at_lines() -> None:
    text = r" Q: (n, d); x: 1..n" + "\n  ignore[a] one; two\n;; macro: \\;x"
    assert [e for _, e in read_entries(text)] == ["Q: (n, d)", "x: 1..n", "ignore[a] one; two", r"macro: \;x"]


# --- conventions ----------------------------------------------------------------------------------------------------

CLAIMS = {
    "rows": ("softmax: rows", r"\sum_j A_{ij} = 1", "proved"),
    "columns": ("softmax: columns", r"\sum_i A_{ij} = 1", "proved"),
    "rows, wrong": ("softmax: rows", r"\sum_i A_{ij} = 1", "refuted [false-claim]"),
    "index j": ("softmax: axis j", r"\sum_j A_{ij} = 1", "proved"),
    "index i": ("softmax: axis i", r"\sum_i A_{ij} = 1", "proved"),
    "index i, wrong": ("softmax: axis i", r"\sum_j A_{ij} = 1", "refuted [false-claim]"),
    "nothing declared": ("", r"\sum_i A_{ij} = 1", "undecided [ambiguous]"),
}


@pytest.mark.parametrize("name", CLAIMS)
def test_softmax_axis(name: str, tmp_path: Path) -> None:
    said, claim, status = CLAIMS[name]
    comment = f"<!-- derivations: S: (n, m){'; ' + said if said else ''} -->\n"
    report = report_of(f"# A\n{comment}\n$$A = \\text{{softmax}}(S)$$\n\n$${claim}$$\n", tmp_path)
    assert verdicts(report) == ["4 defined", f"6 {status}"]
    assert not faults(report)


def test_a_softmax_index_that_says_nothing_is_a_fault(tmp_path: Path) -> None:
    text = "<!-- derivations: S: (n, m); softmax: axis k -->\n\n$$A = \\text{softmax}(S)$$\n\n$$\\sum_j A_{ij} = 1$$\n"
    assert len(faults(report_of(text, tmp_path))) == 1
    assert len(faults(report_of(text.replace("axis k", "axis j"), tmp_path))) == 0


def test_softmax_index_of_an_entry(tmp_path: Path) -> None:
    text = "<!-- derivations: S: (n, m); softmax: axis {} -->\n\n$$A_{{ij}} = \\text{{softmax}}(S_{{ij}})$$\n\n$$\\sum_i A_{{ij}} = 1$$\n"
    assert verdicts(report_of(text.format("i"), tmp_path))[-1] == "5 proved"
    assert verdicts(report_of(text.format("j"), tmp_path))[-1] == "5 refuted [false-claim]"


def test_tokens_settle_a_product_of_two_vectors(tmp_path: Path) -> None:
    text = "<!-- derivations: tokens: {0}; q, k: (n, d) -->\n\n$$s_{{ij}} = q_i k_j^\\top$$\n\n$$s_{{ij}} = \\sum_c q_{{ic}} k_{{jc}}$$\n"
    assert verdicts(report_of(text.format("rows"), tmp_path))[-1] == "5 proved"


def test_shapes_are_assumptions_by_declaration_and_weaken_nothing(tmp_path: Path) -> None:
    text = "<!-- derivations: S: (n, m) -->\n\n$$r_i = \\sum_j S_{ij}$$\n\n$$2 r_i = \\sum_j 2 S_{ij}$$\n"
    items = report_of(text, tmp_path)["documents"][0]["items"]
    assert items[0]["assumptions"][0]["origin"] == "declaration"
    assert items[1]["strength"] == "unconditional"
    assert "m" in items[1]["read"]


def test_given_equations_are_conditions(tmp_path: Path) -> None:
    text = "<!-- derivations: t: (n,); given: t_j > 0 -->\n\nThe total is positive, $$\\sum_j t_j > 0$$\n"
    item = report_of(text, tmp_path)["documents"][0]["items"][-1]
    assert (item["status"], item["strength"]) == ("proved", "conditional")
    assert [a["origin"] for a in item["assumptions"] if "t[j]" in a["text"]] == ["declaration"]


def test_given_distributions(tmp_path: Path) -> None:
    text = (
        "<!-- derivations: given: independent q, k with zero mean and unit variance -->\n\n"
        "$$s = \\frac{1}{\\sqrt d} \\sum_{c=1}^d q_c k_c$$\n\n$$\\operatorname{Var}(s) = 1$$\n"
    )
    item = report_of(text, tmp_path)["documents"][0]["items"][-1]
    assert (item["status"], item["strength"]) == ("proved", "conditional")
    assert {a["origin"] for a in item["assumptions"]} == {"declaration"}


def test_a_claim_that_is_only_declared_is_not_proved(tmp_path: Path) -> None:
    text = (
        "Let $a, b \\in \\mathbb{R}^n$ and $$r_i = a_i^2$$ $$u_i = b_i^2$$\n\n"
        "<!-- derivations: given: r_i = u_i -->\n\nHence $$r_j = u_j$$ and $$u_i = r_i$$\n"
    )
    assert verdicts(report_of(text, tmp_path))[-2:] == ["5 undecided [declared]", "5 undecided [declared]"]


def test_what_is_given_says_nothing_of_the_sentence_after_it(tmp_path: Path) -> None:
    text = "Let $a \\in \\mathbb{R}^n$.\n\n<!-- derivations: given: a_i > 0 -->\n\n$$\\sum_i a_i = 1$$\n"
    plain = text.replace("<!-- derivations: given: a_i > 0 -->\n\n", "")
    with_given, without = report_of(text, tmp_path), report_of(plain, tmp_path)
    assert verdicts(with_given)[-1].split(" ", 1)[1] == verdicts(without)[-1].split(" ", 1)[1]


def test_macros_and_bases(tmp_path: Path) -> None:
    text = (
        "<!-- derivations: \\score: S; S: (n, m); indices: from 0 -->\n\n"
        "$$r_i = \\sum_{j=0}^{m-1} \\score_{ij}$$\n\n$$r_0 = \\sum_{j=0}^{m-1} S_{0j}$$\n"
    )
    report = report_of(text, tmp_path)
    assert verdicts(report) == ["3 defined", "5 proved"]
    assert not faults(report)


# --- ignore, expect, off --------------------------------------------------------------------------------------------

A = "Let $S \\in \\mathbb{R}^{n \\times m}$ and $$A_{ij} = \\frac{e^{S_{ij}}}{\\sum_{k=1}^{m} e^{S_{ik}}}.$$\n\n"  # 2 lines
WRONG = "$$\\sum_{i=1}^{n} A_{ij} = 1$$"
RIGHT = "$$\\sum_{j=1}^{m} A_{ij} = 1$$"
ACTIONS = {
    "ignored": (f"<!-- derivations: ignore[false-claim] errata -->\n\n{WRONG}\n", ["5 skipped [false-claim]"], 0),
    "same paragraph": (
        f"So\n<!-- derivations: ignore[false-claim] errata -->\n{WRONG}\n",
        ["5 skipped [false-claim]"],
        0,
    ),
    "same line": (f"{WRONG} <!-- derivations: ignore[false-claim] errata -->\n", ["3 skipped [false-claim]"], 0),
    "next only": (
        f"<!-- derivations: ignore[false-claim] errata -->\n\n{WRONG}\n\n{WRONG}\n",
        ["5 skipped [false-claim]", "7 refuted [false-claim]"],
        1,
    ),
    "not across a heading": (
        f"<!-- derivations: ignore[false-claim] errata -->\n\n# B\n\n{WRONG}\n",
        ["7 refuted [false-claim]"],
        1,
    ),
    "another code": (f"<!-- derivations: ignore[ambiguous] errata -->\n\n{WRONG}\n", ["5 refuted [false-claim]"], 1),
    "a proof needs no excuse": (f"<!-- derivations: ignore[false-claim] errata -->\n\n{RIGHT}\n", ["5 proved"], 2),
    "expected": (f"<!-- derivations: expect: refuted exercise -->\n\n{WRONG}\n", ["5 refuted [false-claim]"], 0),
    "expected and true": (f"<!-- derivations: expect: refuted exercise -->\n\n{RIGHT}\n", ["5 proved"], 2),
    "off": (
        f"<!-- derivations: off a sketch -->\n\n{WRONG}\n\n<!-- derivations: on -->\n\n{RIGHT}\n",
        ["3 skipped [off]", "9 proved"],
        0,
    ),
    "off to the end": (
        f"{RIGHT}\n\n<!-- derivations: off a sketch -->\n\n{WRONG}\n",
        ["3 proved", "5 skipped [off]"],
        0,
    ),
    "off and nothing": (f"{RIGHT}\n\n<!-- derivations: off a sketch -->\n\nwords\n", ["3 proved"], 2),
    "on without off": (f"{RIGHT}\n\n<!-- derivations: on -->\n", ["3 proved"], 2),
    "off twice": (
        f"<!-- derivations: off a -->\n\n{WRONG}\n\n<!-- derivations: off b -->\n",
        ["3 skipped [off]"],
        2,
    ),
    "no reason": (f"<!-- derivations: ignore[false-claim] -->\n\n{RIGHT}\n", ["5 proved"], 2),
    "unused shape": (f"<!-- derivations: Z: (n, d) -->\n\n{RIGHT}\n", ["5 proved"], 2),
    "shape that is no LaTeX": (f"<!-- derivations: S{{: (n, d) -->\n\n{RIGHT}\n", ["5 proved"], 2),
}


@pytest.mark.parametrize("name", ACTIONS)
def test_actions(name: str, tmp_path: Path) -> None:
    text, expected, status = ACTIONS[name]
    report = report_of(A + text, tmp_path)
    found = [v for v in verdicts(report) if not v.startswith("1 ")]
    assert found == expected
    assert check.exit_status(report, []) == status
    assert bool(faults(report)) == (status == 2 or name in ("another code", "not across a heading"))


def test_reasons_and_faults_are_shown(tmp_path: Path) -> None:
    text = (
        f"{A}<!-- derivations: ignore[false-claim] see the errata -->\n\n{WRONG}\n\n"
        f"<!-- derivations: expect: refuted the exercise -->\n\n{WRONG}\n\n<!-- derivations: Z: (n) -->\n"
    )
    report = report_of(text, tmp_path)
    ignored, expected = report["documents"][0]["items"][1:]
    assert ignored["reason"] == "ignored: see the errata"
    assert any(n.startswith("was refuted") for n in ignored["notes"])
    assert ignored["counterexample"] is None
    assert expected["notes"] == ["expected to be refuted: the exercise"]
    said = report["documents"][0]["declarations"]
    assert [(s["kind"], s["items"]) for s in said] == [("ignore", ["eq-2"]), ("expect", ["eq-3"]), ("shape", [])]
    text = terminal.summary(report, colour=False)
    assert "1 false as expected" in text
    assert "3 declared: expect 1, ignore 1, shape 1" in text
    assert "is about nothing that occurs" in text


def test_off_reads_nothing_of_its_region(tmp_path: Path) -> None:
    """Neither definitions nor shapes nor code of a region are known after it."""
    text = (
        "<!-- derivations: off a draft -->\n\nLet $S \\in \\mathbb{R}^{d}$ and $$B = 7$$ with\n\n```python\nB = 7\n```\n\n"
        f"<!-- derivations: on -->\n\n{A}{RIGHT}\n"
    )
    assert [v.split(" ", 1)[1] for v in verdicts(report_of(text, tmp_path))] == ["skipped [off]", "defined", "proved"]


def test_comments_of_latex_files(tmp_path: Path) -> None:
    text = (
        "\\documentclass{article}\n\\begin{document}\n% derivations: S: (n, m); softmax: rows\n"
        "\\[A = \\operatorname{softmax}(S)\\]\n\nNow\n% derivations: expect: refuted an exercise\n\\[\\sum_i A_{ij} = 1\\]\n\\end{document}\n"
    )
    report = report_of(text, tmp_path, "x.tex")
    assert verdicts(report) == ["4 defined", "8 refuted [false-claim]"]
    assert check.exit_status(report, []) == 0


def test_comments_of_python_files(tmp_path: Path) -> None:
    text = "# derivations: S: (n, m)\n# $$r_i = \\sum_j S_{ij}$$\n# derivations: ignore[false-claim] errata\n# $$r_i = \\sum_i S_{ij}$$\n"
    report = report_of(text, tmp_path, "x.py")
    assert not [s for s in report["documents"][0]["declarations"] if s["kind"] == "unreadable"]
    assert report["documents"][0]["declarations"][0]["kind"] == "shape"


CODE = """Let $S \\in \\mathbb{R}^{n \\times m}$ and $$A_{ij} = \\frac{e^{S_{ij}}}{\\sum_{k=1}^{m} e^{S_{ik}}}$$

```python
import torch
S = torch.randn(4, 5)
# derivations: ignore[code-differs] an older version
A = torch.softmax(2 * S, dim=1)
B = S  # derivations: ignore[undecided] nothing here
```
"""


def test_comments_in_code(tmp_path: Path) -> None:
    report = report_of(CODE, tmp_path)
    code = [i for i in report["documents"][0]["items"] if i["kind"] == "code" and i["where"]["line"] == 7]
    assert [i["status"] for i in code] == ["skipped"]
    assert [i["reason"] for i in code] == ["ignored: an older version"]
    assert [where["line"] for _, where, _ in faults(report)] == [8]


PIECES = [
    "Q",
    "K_{ij}",
    "W_q",
    "\\alpha",
    "{",
    "}",
    "(",
    ")",
    "n",
    "d",
    ",",
    ":",
    ";",
    "1..n",
    "from 0",
    "softmax",
    "tokens",
]
PIECES += [
    "given",
    "ignore",
    "[",
    "]",
    "expect",
    "refuted",
    "off",
    "on",
    "rows",
    "=",
    ">",
    "\n",
    "\\in",
    "\\mathbb{R}^{n}",
    "$",
    "'",
    "^",
]
PIECES += [
    "independent",
    "zero mean",
    "x_i",
    "scalar",
    "permutation",
    "label",
    "index",
    "size",
    "function",
    "2",
    "\\foo",
    "is",
]


@given(st.lists(st.sampled_from(PIECES), max_size=12).map(" ".join))
@settings(max_examples=150, deadline=None, derandomize=True)
def test_any_comment_is_an_entry_or_a_message(text: str) -> None:
    """Whatever a comment says, the document is checked, and what is not understood is a fault of one line."""
    source = f"<!-- derivations: {text} -->\n\n$$r_i = \\sum_j K_{{ij}} x_j$$\n\n$$2 r_i = \\sum_j 2 K_{{ij}} x_j$$\n"
    document, findings = check.study_document(read_text(source, "a.md"), check.Decider(60))
    after = applied(document, findings)
    assert all(d.fault is None or "\n" not in d.fault for d in document.declarations if "\n" not in d.text)
    assert not [f for f in after if f.status == "refuted"]


def test_comments_of_notebooks(tmp_path: Path) -> None:
    cells = [
        {
            "cell_type": "markdown",
            "metadata": {},
            "source": "<!-- derivations: softmax: rows -->\n$$A = \\text{softmax}(S)$$",
        },
        {
            "cell_type": "code",
            "metadata": {},
            "source": "# derivations: S: (n, m)\nS = 1",
            "outputs": [],
            "execution_count": 1,
        },
        {"cell_type": "markdown", "metadata": {}, "source": "<!-- derivations: expect: refuted exercise -->"},
        {"cell_type": "markdown", "metadata": {}, "source": "$$\\sum_i A_{ij} = 1$$"},
    ]
    report = report_of(
        json.dumps({"cells": cells, "nbformat": 4, "nbformat_minor": 5, "metadata": {}}), tmp_path, "a.ipynb"
    )
    items = report["documents"][0]["items"]
    assert items[-1]["status"] == "refuted"
    assert "m" in items[-1]["read"]
    assert check.exit_status(report, []) == 0
