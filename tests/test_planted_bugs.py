"""No bug that is planted in proved code is proved, and the code of the documents is proved before."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import pytest

from tests.planted_bugs import changed_texts, measured, targets

FOLDER = Path(__file__).parent / "data" / "planted"
DOCUMENTS = sorted(FOLDER.glob("*.md"))
EACH = 3
"""Bugs of one target; by hand the tool plants more."""
PROVED = {"affine_with_equal_shapes": 0, "moving_average": 1}
"""Documents with less than one value for each function or statement that is proved, and how many are."""


@pytest.mark.parametrize("path", DOCUMENTS, ids=[p.stem for p in DOCUMENTS])
def test_no_planted_bug_is_proved(path: Path) -> None:
    made = measured([path], EACH)
    assert [str(b) for b in made.of_verdict("proved")] == []
    assert made.targets >= PROVED.get(path.stem, 1)
    assert len(made.bugs) >= min(EACH, made.targets)


def test_changes_are_of_many_kinds() -> None:
    code = (
        "def f(x, y, eps):\n    s = x @ y.T / math.sqrt(x.shape[-1] + eps) - torch.tril(x, diagonal=0)\n"
        "    for t in range(1, len(x)):\n        s[t] = -s[t - 1].mean(dim=-1, keepdim=True) * (x[: t + 1] <= 0) ** 0.5\n    return g(s, x)\n"
    )
    kinds = Counter(kind for kind, _, _ in changed_texts(code, ast.parse(code).body[0]))
    assert set(kinds) >= {
        "sign", "operator", "index", "axis", "factor", "transpose", "bound", "keepdim", "sqrt", "arguments", "variable", "eps",
    }  # fmt: skip
    for _, _, text in changed_texts(code, ast.parse(code).body[0]):
        ast.parse(text)


def test_targets_are_what_is_proved() -> None:
    assert {t.name for t in targets(FOLDER / "covariance.md")} == {"mu", "C", "G", "D"}
