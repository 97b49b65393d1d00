r"""Small letters with two indices as the entries of a matrix: said in words, or by custom; and what is given of a diagonal."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from derivations.reports.run.check import check_documents

MATRIX = r"Let $A \in \mathbb{R}^{n \times n}$ and $x \in \mathbb{R}^n$. "
FORM = r"Then $x^\top A x = \sum_{i,j} a_{ij} x_i x_j$."
GRAPH = (
    r"Let $\mathbf{A} \in \mathbb{R}^{n \times n}$ with $\mathbf{A} = \mathbf{A}^\top$, entries $a_{ij} \ge 0$ and $a_{ii} = 0$, let "
    r"$d_i = \sum_{j=1}^n a_{ij}$ and $\mathbf{L} = \operatorname{diag}(d_1, \dots, d_n) - \mathbf{A}$. "
)
CASES = {
    "by custom": (MATRIX + FORM, ["proved"]),
    "by custom, of a bold matrix": (GRAPH + r"Then $\operatorname{tr} \mathbf{L} = \sum_{i=1}^n d_i$.", ["proved"]),
    "in words": (
        r"Let $K$ be a symmetric matrix with entries $k_{ij} = x_i x_j$ for $x \in \mathbb{R}^n$. Then $\operatorname{tr} K = \sum_i x_i^2$.",
        ["proved"],
    ),
    "a mistake is one of the entries": (
        MATRIX + r"Then $x^\top A x = 2 \sum_{i,j} a_{ij} x_i x_j$.",
        ["refuted"],
    ),
    "shown by a transpose": (r"For $x \in \mathbb{R}^n$ let $B = \frac{1}{2} (A + A^\top)$. " + FORM, ["proved"]),
    # something else
    "another matrix of that letter": (
        r"Let $\hat{A} \in \mathbb{R}^{n \times n}$ and $x \in \mathbb{R}^n$. Then $x^\top \hat{A} x = \sum_{i,j} a_{ij} x_i x_j$.",
        ["undecided"],
    ),
    "another matrix of that letter comes first": (
        r"Let $\hat{A} \in \mathbb{R}^{n \times n}$, and $z = \hat{A} x$. " + MATRIX + FORM,
        ["proved"],
    ),
    "entries of that name are written": (MATRIX + r"The sum is $\sum_i A_{ii}$. " + FORM, ["undecided"]),
    "they are defined": (MATRIX + r"For $w \in \mathbb{R}^n$ put $$a_{ij} = w_i w_j.$$ " + FORM, ["undecided"]),
    "the letter is a vector, too": (MATRIX + r"With $a \in \mathbb{R}^n$ put $$y = A a.$$ " + FORM, ["unread"]),
}


def claims(text: str, folder: Path) -> list[dict[str, Any]]:
    path = folder / "x.md"
    path.write_text(text, encoding="utf-8")
    made, errors = check_documents([path], numbers=False)
    assert not errors
    return [i for d in made["documents"] for i in d["items"] if i["status"] not in ("defined", "skipped")]


@pytest.mark.parametrize("name", CASES)
def test_small_letters(name: str, tmp_path: Path) -> None:
    text, expected = CASES[name]
    assert [item["status"] for item in claims(text, tmp_path)] == expected


def test_what_nothing_says_is_noted(tmp_path: Path) -> None:
    (item,) = claims(MATRIX + FORM, tmp_path)
    assert "a with two indices is an entry of A" in [a["text"] for a in item["assumptions"]]


DIAGONALS = {
    "given": (r"Let $A \in \mathbb{R}^{n \times n}$ with $A_{ii} = 0$. Then $\operatorname{tr} A = 0$.", ["proved"]),
    "supposed": (MATRIX + r"If $A_{ii} = 1$ then $\operatorname{tr} A = n$.", ["proved"]),
    "one entry": (
        r"Let $A \in \mathbb{R}^{n \times n}$ with $A_{11} = 0$. Then $\operatorname{tr} A = 0$.",
        ["undecided"],
    ),
}


@pytest.mark.parametrize("name", DIAGONALS)
def test_a_diagonal_that_is_given(name: str, tmp_path: Path) -> None:
    text, expected = DIAGONALS[name]
    assert [item["status"] for item in claims(text, tmp_path)] == expected


ROWS = r"A transition matrix $P \in \mathbb{R}^{n \times n}$ has nonnegative entries $p_{ij}$ and $\sum_{j=1}^n p_{ij} = 1$ for every $i$. "


def test_for_every_place_is_not_for_everything(tmp_path: Path) -> None:
    found = claims(ROWS + r"So $P^2 \mathbf{1} = \mathbf{1}$.", tmp_path)
    assert [item["status"] for item in found] == ["proved"]


def test_what_is_needed_is_supposed(tmp_path: Path) -> None:
    text = r"For $x \in \mathbb{R}^n$ let $\sigma^2 = \frac{1}{n} \sum_i x_i^2$. We divide by it, so we need $\sigma > 0$: "
    found = claims(text + r"$$y_i = \frac{x_i}{\sigma}$$ Then $\frac{1}{n} \sum_i y_i^2 = 1$.", tmp_path)
    assert [item["status"] for item in found] == ["proved"]
