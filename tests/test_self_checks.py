"""Two results that a program compares: proved for all inputs and lengths where both are followed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from derivations.reports.run.check import check_documents

PRELUDE = """
import numpy as np
import torch
import torch.nn.functional as F
T, d = 8, 16
Q, K, V = torch.randn(T, d), torch.randn(T, d), torch.randn(T, d)
mask = torch.tril(torch.ones(T, T))

def parallel(Q, K, V):
    return (Q @ K.T * torch.tril(torch.ones(len(Q), len(Q)))) @ V

def recurrent(Q, K, V):
    S = torch.zeros(K.shape[1], V.shape[1])
    out = []
    for q, k, v in zip(Q, K, V):
        S = S + torch.outer(k, v)
        out.append(S.T @ q)
    return torch.stack(out)

"""
DRAWN = "xs = []\nfor n in range(T):\n    xs.append(np.random.normal(size=(d, 1)))\n"
CASES = [
    ("two functions", "assert torch.allclose(parallel(Q, K, V), recurrent(Q, K, V), atol=1e-5)", True),
    ("other arguments", "assert torch.allclose(parallel(Q, K, V), recurrent(K, Q, V))", False),
    ("a softmax of zeros", "a = torch.zeros(T, T).masked_fill(mask == 0, float('-inf'))\n"
     "print(torch.allclose(F.softmax(a, dim=-1), mask / mask.sum(dim=1, keepdim=True)))", True),
    ("the largest difference", "assert (Q @ K.T - (K @ Q.T).T).abs().max() < 1e-6", True),
    ("an assertion of a library", "torch.testing.assert_close(Q @ K.T, (K @ Q.T).T)", True),
    ("a method", "assert Q.equal(Q.T.T)", True),
    ("the negation", "assert not torch.allclose(Q, Q)", False),
    ("one of two", "assert torch.allclose(Q, Q) or T == 8", False),
    ("the smallest difference", "assert (Q - Q).abs().min() < 1e-6", False),
    ("two draws", "assert torch.allclose(torch.randn(T, d), torch.randn(T, d))", False),
    ("draws of two rounds", DRAWN + "assert np.allclose(xs[0], xs[1])", False),
    ("draws of the same rounds", DRAWN + "ys = [2 * x for x in xs]\nassert np.allclose(np.array(ys), 2 * np.array(xs))", True),
    ("at one length only", "x = torch.randn(4, 4)\nassert torch.allclose(x.sum(0).sum(), 16 * x.mean())", False),
    ("an axis that is stretched", "assert torch.allclose(Q, Q.mean(1, keepdim=True))", False),
    ("literal lengths that differ", "assert torch.allclose(torch.randn(4, 1) * 0, torch.randn(4, 3) * 0)", False),
    ("an axis that is stretched, of literal length", "x = torch.randn(4, 3)\nassert torch.allclose(x, x.mean(1, keepdim=True))", False),
    ("a function of the program", "def allclose(a, b):\n    return True\nassert allclose(Q, Q)", False),
    ("a state with draws", "def f(x):\n    for n in range(T):\n        x = x + torch.randn(T, d)\n    return x\nassert torch.allclose(f(Q), f(Q))", False),
    ("in a loop", "for n in range(T):\n    assert torch.allclose(Q[n], Q[n])", False),
]  # fmt: skip


def assertions(tmp_path: Path, code: str, **how: Any) -> list[dict[str, Any]]:
    path = tmp_path / "lesson.md"
    path.write_text(f"```python\n{PRELUDE}{code}\n```\n", encoding="utf-8")
    made, errors = check_documents([path], numbers=False, **how)
    assert not errors
    return [i for i in made["documents"][0]["items"] if i["kind"] == "assertion"]


@pytest.mark.parametrize(("name", "code", "is_proved"), CASES, ids=[c[0] for c in CASES])
def test_a_check_is_proved_for_all_lengths(tmp_path: Path, name: str, code: str, is_proved: bool) -> None:
    found = assertions(tmp_path, code)
    assert [i["status"] for i in found] == (["proved"] if is_proved else [])
    assert all(i["proof"] for i in found)


def test_a_proof_says_which_lengths_the_program_has(tmp_path: Path) -> None:
    (found,) = assertions(tmp_path, "assert torch.allclose(Q @ K.T, (K @ Q.T).T)")
    assert any("T = 8" in n["text"] if isinstance(n, dict) else "T = 8" in n for n in found["notes"])


def test_lengths_that_a_later_check_equates_are_apart_before(tmp_path: Path) -> None:
    code = "A, B = torch.randn(5, 6), torch.randn(5, 6)\nassert torch.allclose(A + B, B + A)\nassert torch.allclose(A[:5], A)"
    found = assertions(tmp_path, code)
    assert found[0]["status"] == "proved"
    assert "5" not in found[0]["read"]


def test_indices_are_not_taken_for_inputs_with_their_letters(tmp_path: Path) -> None:
    code = (
        "i, j, k = torch.randn(3, 4), torch.randn(4, 5), torch.randn(3, 5)\nassert torch.allclose(i @ j + k, k + i @ j)"
    )
    assert [x["status"] for x in assertions(tmp_path, code)] == ["proved"]
