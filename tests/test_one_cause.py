"""What is wrong only because an earlier line is wrong: which line that is, and how every writer says so."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from derivations.reports.finding_rows import exit_status
from derivations.reports.html.pages import write_html
from derivations.reports.model import read_report, validate
from derivations.reports.plain.terminal import summary
from derivations.reports.run.check import check_documents
from derivations.reports.tex.article import write_tex
from derivations.reports.verdict_words import count_words

from derivations.documents import read_text
from derivations.provers.decide import decide
from derivations.study.claims import study
from derivations.study.one_cause import find_causes

ROWS = r"Let $S \in \mathbb{R}^{n \times m}$. $$A_{ij} = \frac{e^{S_{ij}}}{\sum_{k=1}^m e^{S_{ik}}}$$ "
WRONG = r"$$\sum_{i=1}^n A_{ij} = 1$$ "
CHAIN = r"For $x, y \in \mathbb{R}^n$, $$\sum_{i=1}^n (x_i + y_i)^2 = \sum_{i=1}^n (x_i^2 + y_i^2) = "

# A document, and for each refuted line the refuted line that it follows from, both by their number among them.
DOCUMENTS = {
    "a consequence of a wrong property": (ROWS + WRONG + r"Hence $$\sum_{i=1}^n 2 A_{ij} = 2$$", [None, 0]),
    "another wrong property": (ROWS + WRONG + r"Hence $$\sum_{i=1}^n A_{ij} = 3$$", [None, None]),
    "a wrong property, and a mistake of its own": (ROWS + WRONG + r"Hence $$\sum_{i=1}^n 2 A_{ij} = 3$$", [None, None]),
    "the same again": (ROWS + WRONG + "In words: " + WRONG, [None, 0]),
    "of another name": (ROWS + WRONG + r"Let $$B_{ij} = 2 S_{ij}.$$ Then $$B_{ij} = 3 S_{ij}$$", [None, None]),
    "a right line after a wrong one in a chain": (CHAIN + r"\sum_{i=1}^n (x_i^2 + 2 x_i y_i + y_i^2)$$", [None, 0]),
    "a second wrong step of a chain": (CHAIN + r"\sum_{i=1}^n (x_i^2 + 5 x_i y_i + y_i^2)$$", [None, None]),
    "a name that is restated wrongly, then used": (
        r"For $x \in \mathbb{R}^n$ let $$y_i = x_i^2.$$ So $$y_i = 2 x_i^2$$ and $$y_i + 1 = 2 x_i^2 + 1$$", [None, 0]),
    "and used with another mistake": (
        r"For $x \in \mathbb{R}^n$ let $$y_i = x_i^2.$$ So $$y_i = 2 x_i^2$$ and $$y_i + 1 = 2 x_i^2 + 2$$", [None, None]),
    "what follows from what follows": (
        ROWS + WRONG + r"Hence $$\sum_{i=1}^n 2 A_{ij} = 2$$ and $$\sum_{i=1}^n 4 A_{ij} = 4$$", [None, 0, 0]),
    "false numbers imply nothing": (
        r"Clearly $2 + 2 = 5$. For $x \in \mathbb{R}^n$ let $$y_i = x_i^2.$$ So $$y_i = 2 x_i^2$$", [None, None]),
    "a contradiction is not taken as given": (
        ROWS + r"$$A_{ij} + 1 = A_{ij}$$ $$\sum_{i=1}^n A_{ij} = 1$$", [None, None]),
}  # fmt: skip


@pytest.mark.parametrize("name", DOCUMENTS)
def test_causes(name: str) -> None:
    text, expected = DOCUMENTS[name]
    found = study(read_text(text, "x.md"), decide=decide)
    causes = find_causes(found, lambda s, theory: decide(s, theory, refuting=False))
    refuted = [k for k, f in enumerate(found) if f.status == "refuted"]
    assert [refuted.index(causes[k]) if k in causes else None for k in refuted] == expected


SHAPES = r"Let $Q \in \mathbb{R}^{n \times d}$, $K \in \mathbb{R}^{m \times d}$, $V \in \mathbb{R}^{m \times v}$. The softmax acts on each row."
SCORES = SHAPES + "\n\n$$S = \\frac{QK^\\top}{\\sqrt{d}}, \\qquad A = \\text{softmax}(S), \\qquad O = AV$$\n\n"
INPUTS = "import torch\nn, m, d, v = 5, 6, 4, 3\nQ, K, V = torch.randn(n, d), torch.randn(m, d), torch.randn(m, v)\n"
FUNCTIONS = (
    SHAPES + "\n\n$$\\text{weights}(Q, K) = \\text{softmax}\\left(\\frac{QK^\\top}{\\sqrt{d}}\\right)$$\n\n"
    "$$\\text{attention}(Q, K, V) = \\text{weights}(Q, K) V$$\n\n"
)
HELPER = "import torch\ndef weights(Q, K):\n    return torch.softmax(Q @ K.T / Q.shape[1], dim=-1)\n"
CODE = {
    "a function, and its value at equal lengths": (
        FUNCTIONS,
        "import torch\ns, d = 4, 3\nQ, K = torch.randn(s, d), torch.randn(s, d)\n"
        "def compute_weights(Q, K):\n    return torch.softmax(Q @ K.T / Q.shape[1], dim=-1)\nweights = compute_weights(Q, K)\n",
        [None, 0],
    ),
    "cells": (SCORES, INPUTS + "S = Q @ K.T / d\nA = torch.softmax(S, dim=-1)\nO = A @ V\n", [None, 0, 0]),
    "a later mistake": (SCORES, INPUTS + "S = Q @ K.T / d\nA = torch.softmax(S, dim=0)\nO = A @ V\n", [None, None, 1]),
    "a function": (FUNCTIONS, HELPER + "def attention(Q, K, V):\n    return weights(Q, K) @ V\n", [None, 0]),
    "a function, and a mistake of its own": (
        FUNCTIONS, HELPER + "def attention(Q, K, V):\n    return 2 * weights(Q, K) @ V\n", [None, None]),
}  # fmt: skip


def checked(folder: Path, text: str) -> dict[str, Any]:
    path = folder / "lesson.md"
    path.write_text(text, encoding="utf-8")
    made, errors = check_documents([path], numbers=False)
    assert not errors
    validate(made)
    return made


def false(made: dict[str, Any]) -> list[dict[str, Any]]:
    return [i for i in made["documents"][0]["items"] if i["status"] == "refuted"]


@pytest.mark.parametrize("name", CODE)
def test_code(tmp_path: Path, name: str) -> None:
    text, code, expected = CODE[name]
    items = false(checked(tmp_path, f"{text}```python\n{code}```\n"))
    ids = [i["id"] for i in items]
    assert [ids.index(i["follows_from"]) if i["follows_from"] else None for i in items] == expected


def test_it_is_said_everywhere_and_the_run_fails_all_the_same(tmp_path: Path) -> None:
    text, code, _ = CODE["cells"]
    made = checked(tmp_path, f"{text}```python\n{code}```\n")
    first, *rest = false(made)
    said = f"follows from line {first['where']['line']}"
    assert [i["reason"] for i in rest] == [said, said] and first["reason"] is None
    assert made["summary"]["refuted"] == 3
    assert "3 refuted (2 follow from another)" in count_words(made["documents"][0]["items"])
    shown = summary(made, colour=False, detail="table")
    assert "3 of them false (2 follow from another)." in shown and shown.count(said) == 2
    assert shown.index("fails at") < shown.index(said), "under its cause"
    assert shown.count("fails at") == 1
    assert write_html(made, tmp_path / "html").read_text(encoding="utf-8").count("Follows from ") == 2
    assert write_tex(made).count(said) == 2
    assert exit_status(made, ()) == 1


def test_what_is_expected_is_no_cause(tmp_path: Path) -> None:
    text, code, _ = CODE["cells"]
    lines = code.replace("S = Q @ K.T / d\n", "S = Q @ K.T / d  # derivations: expect: refuted an exercise\n")
    items = false(checked(tmp_path, f"{text}```python\n{lines}```\n"))
    assert items[0]["silenced"]["how"] == "expected"
    assert items[1]["follows_from"] is None
    assert items[2]["follows_from"] == items[1]["id"]


def test_a_report_without_the_key_is_read(tmp_path: Path) -> None:
    made = checked(tmp_path, CODE["cells"][0])
    for item in made["documents"][0]["items"]:
        del item["follows_from"], item["silenced"]
    path = tmp_path / "old.json"
    path.write_text(json.dumps(made), encoding="utf-8")
    assert read_report(path)["documents"][0]["items"][0]["silenced"] is None
