"""Copies of a notebook against a reference: the table, its witnesses, and what the reference does not settle."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from derivations.reports.run.batch import as_csv, as_text, check_submissions

from derivations.cli import main
from derivations.code.submissions import under_reference
from derivations.documents import DocumentError, read

WORDS = r"""# Exercise
Let $Q \in \mathbb{R}^{n\times d}$, $K \in \mathbb{R}^{m \times d}$, $V \in \mathbb{R}^{m \times e}$.

$$\text{attention}(Q,K,V) = \operatorname{softmax}\left(\frac{QK^\top}{\sqrt d}\right)V$$"""
NUMPY = "import numpy as np\n"
SOFTMAX = (
    "def softmax(x):\n    e = np.exp(x - x.max(axis=-1, keepdims=True))\n    return e / e.sum(axis=-1, keepdims=True)\n"
)
ATTENTION = "def attention(Q, K, V):\n    return softmax(Q @ K.T / np.sqrt(Q.shape[-1])) @ V\n"
CENTER = "def center(X):\n    return X - X.mean(axis=0)\n"
USE = (
    "rng = np.random.default_rng(0)\nQ = rng.normal(size=(4, 3))\nK = rng.normal(size=(5, 3))\n"
    "V = rng.normal(size=(5, 2))\nS = Q @ K.T\nP = softmax(S)\nO = attention(Q, K, V)\nQc = center(Q)\n"
)
REFERENCE = [("markdown", WORDS, "w"), ("code", NUMPY + SOFTMAX + ATTENTION, "att"), ("code", CENTER, "cen")]
REFERENCE += [("code", USE, "use"), ("code", "def plot(image):\n    return image[0]\n", "plot")]


def notebook(path: Path, cells: list[tuple[str, str, str]]) -> Path:
    made: list[dict[str, Any]] = []
    for kind, source, own in cells:
        cell: dict[str, Any] = {"cell_type": kind, "metadata": {}, "source": source, "id": own}
        made.append(cell | ({"outputs": [], "execution_count": None} if kind == "code" else {}))
    language = {"language_info": {"name": "python"}}
    path.write_text(json.dumps({"cells": made, "metadata": language, "nbformat": 4, "nbformat_minor": 5}))
    return path


SUBMISSIONS: dict[str, tuple[list[tuple[str, str, str]], dict[str, str]]] = {
    "same": (
        [("code", NUMPY + SOFTMAX + ATTENTION + CENTER, "x")],
        {"softmax": "right", "attention": "right", "center": "right"},
    ),
    "otherwise": (
        [
            ("code", NUMPY + "def softmax(z):\n    w = np.exp(z)\n    return w / np.sum(w, axis=1)[:, None]\n", "a"),
            (
                "code",
                "def attention(Q, K, V):\n    s = np.einsum('id,jd->ij', Q, K) / Q.shape[1] ** 0.5\n"
                "    return np.einsum('ij,je->ie', softmax(s), V)\n",
                "b",
            ),
            ("code", "def center(X):\n    m = X.sum(0) / len(X)\n    return X - m[None, :]\n", "c"),
        ],
        {"softmax": "right", "attention": "right", "center": "right"},
    ),
    "wrong": (
        [
            ("code", NUMPY + SOFTMAX.replace("axis=-1", "axis=0") + ATTENTION, "a"),
            ("code", "def center(X): return X", "b"),
        ],
        {"softmax": "wrong", "attention": "wrong", "center": "wrong"},
    ),
    "renamed": (
        [
            ("code", NUMPY + SOFTMAX + "def attention(Q, K, V):\n    # TODO\n    pass\n", "a"),
            ("code", "def subtract_mean(data):\n    return data - np.mean(data, axis=0)\n", "cen"),
        ],
        {"softmax": "right", "attention": "unfinished", "center": "right"},
    ),
    "other signature": (
        [("code", NUMPY + SOFTMAX + ATTENTION + "def center(X, axis):\n    return X - X.mean(axis)\n", "a")],
        {"softmax": "right", "attention": "right", "center": "undecided"},
    ),
    "nothing": ([("code", "x = 1", "a")], dict.fromkeys(("softmax", "attention", "center"), "not found")),
    "does not parse": (
        [("code", "def softmax(x:", "a")],
        dict.fromkeys(("softmax", "attention", "center"), "not found"),
    ),
}


@pytest.fixture(scope="module")
def batch(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("batch")
    reference = notebook(folder / "reference.ipynb", REFERENCE)
    paths = [notebook(folder / f"{name}.ipynb", cells) for name, (cells, _) in SUBMISSIONS.items()]
    report, errors = check_submissions([reference, *paths], reference)
    assert not errors
    return report


@pytest.mark.parametrize("name", SUBMISSIONS)
def test_outcomes(batch: dict[str, Any], name: str) -> None:
    row = next(r for r in batch["run"]["against"]["rows"] if Path(r["submission"]).stem == name)
    assert {t: c["outcome"] for t, c in row["tasks"].items()} == SUBMISSIONS[name][1]


def test_every_verdict_rests_on_an_item_of_the_submission(batch: dict[str, Any]) -> None:
    items = {d["path"]: {i["id"]: i for i in d["items"]} for d in batch["documents"]}
    for row in batch["run"]["against"]["rows"]:
        for cell in row["tasks"].values():
            if cell["outcome"] == "right":
                assert items[row["submission"]][cell["item"]]["proof"]["certificate"]
            if cell["outcome"] == "wrong":
                assert items[row["submission"]][cell["item"]]["counterexample"]
                assert "gives" in cell["why"] and "~" not in cell["why"]


def test_what_is_wrong_by_another_task_alone_follows_from_it(batch: dict[str, Any]) -> None:
    row = next(r for r in batch["run"]["against"]["rows"] if Path(r["submission"]).stem == "wrong")
    assert {t: c["follows_from"] for t, c in row["tasks"].items()} == {
        "softmax": None,
        "attention": "softmax",
        "center": None,
    }
    assert row["tasks"]["attention"]["why"].startswith("follows from softmax; ")
    assert "attention wrong: follows from softmax; " in as_text(batch["run"]["against"])


def test_the_table(batch: dict[str, Any]) -> None:
    against = batch["run"]["against"]
    rows = list(csv.reader(io.StringIO(as_csv(against))))
    assert rows[0] == ["submission", "softmax", "attention", "center"] and len(rows) == len(SUBMISSIONS) + 1
    text = as_text(against)
    assert "no task: plot" in text and "called subtract_mean" in text and "does not parse" in text


def test_no_formula_for_a_spreadsheet() -> None:
    cell = {"outcome": "=1+1", "why": "", "item": None}
    text = as_csv({"tasks": ["a"], "rows": [{"submission": "@x", "tasks": {"a": cell}}]})
    assert text.splitlines()[1] == "'@x,'=1+1"


def test_the_words_are_those_of_the_reference(tmp_path: Path) -> None:
    reference = read(notebook(tmp_path / "r.ipynb", REFERENCE))
    own = [("markdown", "$$\\text{attention}(Q,K,V) = V$$", "w"), ("code", "y = 2", "z"), ("code", ATTENTION, "att")]
    merged, _ = under_reference(reference, read(notebook(tmp_path / "s.ipynb", own)))
    assert [s.source for s in merged.spans] == [s.source for s in reference.spans]
    assert [b.text.text for b in merged.code] == ["y = 2", ATTENTION]
    assert all(b.index == k for k, b in enumerate(merged.blocks))


def test_a_reference_without_tasks(tmp_path: Path) -> None:
    reference = notebook(tmp_path / "r.ipynb", [("markdown", "Words.", "a")])
    with pytest.raises(DocumentError, match="sets a task"):
        check_submissions([reference], reference)


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    reference = notebook(tmp_path / "r.ipynb", REFERENCE)
    good = notebook(tmp_path / "good.ipynb", SUBMISSIONS["same"][0])
    table = tmp_path / "t.csv"
    assert main(["check", str(good), "--against", str(reference), "--csv", str(table)]) == 0
    assert "right" in capsys.readouterr().out and table.read_text().startswith("submission,softmax")
    bad = notebook(tmp_path / "bad.ipynb", SUBMISSIONS["wrong"][0])
    assert main(["check", str(good), str(bad), "--against", str(reference)]) == 1
    assert main(["check", str(good), "--csv", str(table)]) == 5
    assert table.read_text().startswith("document,cell,line"), "without a reference the items"
    assert main(["check", str(good), "--against", str(tmp_path / "absent.ipynb")]) == 3
