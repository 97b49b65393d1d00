r"""Strings that stand alone in a Python file, between functions or inside them, are what its author says there."""

from __future__ import annotations

from pathlib import Path

from derivations.reports.run.check import check_documents

from derivations.documents import read_text

FILE = r'''r"""
Let $x \in \mathbb{R}^n$ and $m = \frac{1}{n} \sum_{i=1}^n x_i$.
"""
import numpy as np


def m(x):
    r"""The mean $m$."""
    return x.sum() / len(x)


r"""
Part 2
------

The squares have the mean $$s = \frac{1}{n} \sum_{i=1}^n x_i^2$$ which is not smaller: $m^2 \le s$.
"""


def s(x):
    r"""The mean $s$ of the squares."""
    y = x * x
    r"""Here $y_i = x_i^2$, so $\sum_{i=1}^n y_i = \sum_{i=1}^n x_i^2$."""
    return y.sum() / len(x)


"""
old = x.sum() / 2
"""
'''


def statuses(text: str, folder: Path) -> list[tuple[int, str]]:
    path = folder / "x.py"
    path.write_text(text, encoding="utf-8")
    made, errors = check_documents([path], numbers=False)
    assert not errors
    return [(item["where"]["line"], item["status"]) for d in made["documents"] for item in d["items"]]


def test_what_they_say_is_read_in_its_place(tmp_path: Path) -> None:
    found = statuses(FILE, tmp_path)
    assert [status for line, status in found if line == 16] == ["defined", "proved"]
    assert [status for line, status in found if line == 23] == ["defined", "proved"]
    assert {(7, "proved"), (20, "proved"), (22, "proved")} <= {*found}


def test_code_that_is_put_aside_says_nothing(tmp_path: Path) -> None:
    assert all(line < 27 for line, _ in statuses(FILE, tmp_path))


def test_they_are_no_code() -> None:
    codes = [code.text.text for part in read_text(FILE, "x.py").parts for code in part.code]
    assert any("return x.sum()" in code for code in codes)
    assert not any("Part 2" in code for code in codes)
