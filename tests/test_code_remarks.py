"""Remarks about code: what is said, where, and what is left alone."""

from pathlib import Path

import pytest

from derivations.code.remarks import code_remarks
from derivations.documents import read

ROWS = [
    ("sum = 3\nprint(sum([1]))", [("shadowed-builtin", 1)]),
    ("total = 3\nprint(sum([1]))", []),
    ("sum = 3\nprint(sum)", []),  # never called: no harm
    ("for id in range(3):\n    print(id(3))", [("shadowed-builtin", 1)]),
    (
        "import torch\nT = 4\nx = torch.rand(T)\ndef f(x):\n    return torch.arange(T) + x\nf(x)",
        [("hard-wired-size", 4)],
    ),
    ("import torch\nT = 4\nx = torch.rand(T)\ndef f(x, T):\n    return torch.arange(T) + x\nf(x, T)", []),
    ("import torch\nW_q = torch.rand(2)\nW_v = torch.rand(2)\nQ = V = W_q * 2\nprint(Q, V)", [("unused-value", 3)]),
    (
        "import torch\nW = torch.rand(2, 2)\nK = W @ W.T\nW = torch.rand(2, 2)\nprint(K @ W)",
        [("stale-value", 5)],
    ),
    ("import torch\nW = torch.rand(2, 2)\nK = W @ W.T\nW = torch.rand(2, 2)\nK = W @ W.T\nprint(K @ W)", []),
    ("import torch\nx = torch.rand(2)\nx = torch.exp(x)\nprint(x)", []),
    ("def f(:\n", [("syntax-error", 1)]),
]


@pytest.mark.parametrize(("source", "expected"), ROWS)
def test_remarks(source: str, expected: list[tuple[str, int]], tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text(f"```python\n{source}\n```\n", encoding="utf-8")
    found = code_remarks(read(path))
    assert [(f.code, f.place.line - 1) for f in found] == expected
    assert all(f.status == "skipped" and f.reason for f in found)
