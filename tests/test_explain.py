"""derivations explain FILE:LINE: the tree, the names and where they come from, the verdict, and what would settle it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from derivations.reports.run import check
from derivations.reports.run.explained import (
    MAX_TREE,
    NoTarget,
    Target,
    bug_report,
    explained,
    find,
    read_target,
    tree_lines,
)

from derivations.cli import main
from derivations.latex.syntax.reader import read_equation

TEXT = """# Weights

Let $S \\in \\mathbb{R}^{n \\times m}$ with $\\newcommand{\\Z}{\\sum_{k=1}^{m} e^{S_{ik}}}$

$$A_{ij} = \\frac{e^{S_{ij}}}{\\Z}$$

Each row is a distribution, $$\\sum_{j=1}^{m} A_{ij} = 1,$$ but $$\\sum_{i=1}^{n} A_{ij} = 1$$

The other weights are $$B = \\text{softmax}(S)$$

$$\\sum_i B_{ij} = 1$$

<!-- derivations: W: (d, h); given: t_j > 0 -->

$$r_{a} = \\sum_{b=1}^{h} W_{ab} t_b$$

$$c = \\foo{3}$$
"""


@pytest.fixture
def document(tmp_path: Path) -> str:
    path = tmp_path / "x.md"
    path.write_text(TEXT, encoding="utf-8")
    return str(path)


def said(document: str, place: str) -> str:
    return explained(find(read_target(f"{document}:{place}")))


TARGETS = {
    "a.md:7": Target("a.md", None, 7),
    "a.md:7:3": Target("a.md", None, 7, 3),
    "/x/a.tex:12": Target("/x/a.tex", None, 12),
    "a.ipynb:2:7": Target("a.ipynb", 2, 7),
    "a.ipynb:cell 2:7": Target("a.ipynb", 2, 7),
    "a.ipynb:2:7:3": Target("a.ipynb", 2, 7, 3),
    "C:\\a.md:7": Target("C:\\a.md", None, 7),
}


@pytest.mark.parametrize("text", TARGETS)
def test_targets(text: str) -> None:
    assert read_target(text) == TARGETS[text]


@pytest.mark.parametrize(
    ("text", "needed"), [("a.md", "FILE:LINE"), ("a.ipynb:3", "FILE:CELL:LINE"), ("a.md:1:2:3", "FILE:LINE:COLUMN")]
)
def test_bad_targets(text: str, needed: str) -> None:
    with pytest.raises(NoTarget, match=needed):
        read_target(text)


EXPECTED = {
    "5": [
        "definition",
        "surface tree",
        "above: scripted",
        "matrix (n, m), indices from 1",
        "defined here",
        "the text at line 3: S \\in \\mathbb{R}^{n \\times m}",
        "A[i, j] := exp(S[i, j])/sum(",
        "defined",
    ],
    "7:32": ["defined at line 5", "proved", "derivation", "= 1", "[definition of A]"],
    "7:68": ["refuted [false-claim]", "witness", "n = 2", "left", "suggestion", "did you mean"],
    "11": [
        "undecided [ambiguous]",
        "one of these would settle it",
        "<!-- derivations: softmax: rows -->",
        "<!-- derivations: softmax: columns -->",
    ],
    "15": ["declared at line 13: W: (d, h)", "declared: W: (d, h) (declaration)", "given; its shape is inferred"],
    "17": ["unread [unknown-command]", "<!-- derivations: \\foo: WHAT IT STANDS FOR -->"],
}


@pytest.mark.parametrize("place", EXPECTED)
def test_explanations(place: str, document: str) -> None:
    text = said(document, place)
    for part in EXPECTED[place]:
        assert part in text, text


def test_what_is_settled_is_settled_by_the_declaration_that_is_named(document: str) -> None:
    path = Path(document)
    path.write_text(TEXT.replace("# Weights", "# Weights\n<!-- derivations: softmax: columns -->"), encoding="utf-8")
    text = said(document, "12")
    assert "proved" in text
    assert "would settle" not in text


def test_everything_on_a_line_is_explained(document: str) -> None:
    assert said(document, "7").count("as written") == 2


def test_a_place_without_a_statement_names_those_there_are(document: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", f"{document}:1"]) == 2
    assert "needed a statement at line 1, found statements at the lines 5, 7, 9" in capsys.readouterr().err
    assert main(["explain", "none.md:1"]) == 3
    assert main(["explain", document]) == 2


def test_notebooks_and_code(tmp_path: Path) -> None:
    cells = [
        {"cell_type": "markdown", "metadata": {}, "source": "Let $x \\in \\mathbb{R}^n$ and $$y_i = 2 x_i$$"},
        {
            "cell_type": "code",
            "metadata": {},
            "source": "import torch\ny = 2 * x",
            "outputs": [],
            "execution_count": None,
        },
    ]
    path = tmp_path / "a.ipynb"
    path.write_text(json.dumps({"cells": cells, "nbformat": 4, "nbformat_minor": 5, "metadata": {}}), encoding="utf-8")
    assert "y[i] := 2*x[i]" in said(str(path), "cell 1:1")
    assert "y = 2 * x" in said(str(path), "2:2")


def test_trees_are_cut_and_the_rest_is_counted(tmp_path: Path) -> None:
    path = tmp_path / "long.md"
    path.write_text("$$y = " + " + ".join(f"x_{{{k}}}" for k in range(60)) + "$$\n", encoding="utf-8")
    assert "more lines" in said(str(path), "1")
    assert len(said(str(path), "1").splitlines()) < MAX_TREE + 200


FORMS = [
    r"a_{ij} = \frac{1}{2}",
    r"\begin{cases} 1 & j \le i \\ 0 & \text{otherwise} \end{cases}",
    r"\max_j \sqrt[3]{x_j}",
    r"f(x, y) \neq -z",
]


@pytest.mark.parametrize("latex", FORMS)
def test_trees_have_one_line_for_each_node(latex: str) -> None:
    from derivations.latex.syntax.surface import walk

    chain = read_equation(latex)[0].chain
    assert len(list(tree_lines(chain))) == len(list(walk(chain)))


# --- bug reports ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("place", ["5", "7:32", "7:68", "11", "15", "17"])
def test_bug_reports_show_the_verdict(place: str, document: str, tmp_path: Path) -> None:
    found = find(read_target(f"{document}:{place}"))
    text = bug_report(found)
    assert "; this document shows it -->" in text.splitlines()[0]
    assert "\\Z" not in text
    path = tmp_path / "bug.md"
    path.write_text(text, encoding="utf-8")
    report, errors = check.check_documents([path], numbers=False)
    last = report["documents"][0]["items"][-1]
    assert not errors
    assert (last["status"], last["code"]) == (found.here[-1].status, found.here[-1].code)


def test_a_bug_report_takes_in_what_the_verdict_depends_on(tmp_path: Path) -> None:
    """That rows are normalised is said in the paragraph before."""
    path = tmp_path / "x.md"
    path.write_text(
        "Let $S \\in \\mathbb{R}^{n \\times m}$.\n\nEach row is a distribution.\n\n$$B = \\text{softmax}(S)$$\n\n$$\\sum_i B_{ij} = 1$$\n"
    )
    text = bug_report(find(read_target(f"{path}:7")))
    assert "refuted [false-claim]; this document shows it" in text
    assert "Each row" in text


def test_bug_reports_hold_only_what_is_needed(document: str) -> None:
    text = bug_report(find(read_target(f"{document}:7:68")))
    assert "A_{ij}" in text
    assert "softmax" not in text
    assert "W: (d, h)" not in text


def test_bug_report_is_written(document: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out" / "bug.md"
    assert main(["explain", f"{document}:11", "--bug-report", str(out)]) == 0
    assert "softmax" in out.read_text(encoding="utf-8")
    assert "undecided [ambiguous]; this document shows it" in capsys.readouterr().out
    assert main(["explain", f"{document}:11", "--bug-report", "-"]) == 0
    assert capsys.readouterr().out == out.read_text(encoding="utf-8")
