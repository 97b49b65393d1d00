"""Functions linked to the equations that their docstrings and comments cite, and code in Python files beside what they say."""

from __future__ import annotations

from pathlib import Path

import pytest
from derivations.reports.run.check import check_documents

from derivations.code.citations import written_numbers
from derivations.documents import read_text

RECURRENCE = (
    "Gates $a_t$, inputs $u_t$, start $h_0 = 0$.\n\n$$h_t = a_t h_{t-1} + u_t \\tag{1}$$\n\nWithout gates\n\n"
    "$$g_t = \\sum_{s=1}^t u_s \\tag{2}$$\n"
)
BACKWARD = (
    "Let $P, dY, V$ be given with $P \\in \\mathbb{R}^{n \\times m}$, $V \\in \\mathbb{R}^{m \\times e}$, $dY \\in \\mathbb{R}^{n \\times e}$.\n\n"
    "$$dV = P^\\top dY, \\qquad dP = dY\\, V^\\top \\tag{3}$$\n"
)
LINEAR = (
    "Let $q_t, k_t \\in \\mathbb{R}^d$, $v_t \\in \\mathbb{R}^e$, $S_0 = 0$ and $\\gamma$ a number.\n\n"
    "$$\\begin{aligned} S_t &= \\gamma S_{t-1} + k_t v_t^\\top \\\\ o_t &= S_t^\\top q_t \\end{aligned} \\tag{5}$$\n"
)
LOOP = "def run(a, u):\n    {doc}\n    h, out = 0.0, []\n    for a_t, u_t in zip(a, u):\n        h = a_t * h + u_t\n        out.append(h)\n    return np.array(out)"
HEADS = (
    'def attend(q, k, v, gamma):\n    """o of (5). q, k: (B, H, T, d), v: (B, H, T, e)"""\n'
    "    state = q.new_zeros(*q.shape[:2], q.shape[-1], v.shape[-1])\n    outs = torch.empty_like(v)\n"
    "    for t in range(q.shape[2]):\n        {step}\n"
    '        outs[:, :, t] = torch.einsum("bhde,bhd->bhe", state, q[:, :, t])\n    return outs'
)
STEP = "state = gamma * state + k[:, :, t].unsqueeze(-1) * v[:, :, t].unsqueeze(-2)"
SHIFTED = (
    "For $x \\in \\mathbb{R}^n$ let $m = \\max_i x_i$, $$p_i = \\frac{e^{x_i}}{\\sum_j e^{x_j}} \\tag{1}$$ and "
    "$$L = m + \\log \\sum_j e^{x_j - m} \\tag{2}$$ Then $$\\log p_i = x_i - L \\tag{3}$$\n"
)
CASES = {
    "a comment above several lines": (
        SHIFTED,
        "def total(x):\n    # eq. (2)\n    m = np.max(x)\n    return m + np.log(np.sum(np.exp(x - m)))",
        ["proved"],
    ),
    "a comment at the head of a function": (
        SHIFTED,
        "def f(x):\n    # eq. (1)\n    e = np.exp(x)\n    return e / np.sum(e)",
        ["proved"],
    ),
    "a mistake below such a comment": (
        SHIFTED,
        "def f(x):\n    # eq. (1)\n    e = np.exp(-x)\n    return e / np.sum(e)",
        ["refuted"],
    ),
    "comments for several steps": (
        SHIFTED,
        "def f(x):\n    # eq. (1)\n    p = np.exp(x) / np.sum(np.exp(x))\n    # eq. (3)\n    l = np.log(p)\n    return l - 1",
        [],
    ),
    "an equation between expressions": (SHIFTED, "def f(x):\n    \"\"\"eq. (3)\"\"\"\n    return x - np.log(np.sum(np.exp(x)))", ["proved"]),
    "an expression with a mistake": (
        SHIFTED,
        "def f(x):\n    \"\"\"eq. (3)\"\"\"\n    return x + np.log(np.sum(np.exp(x)))",
        ["refuted"],
    ),
    "a number in a docstring": (RECURRENCE, LOOP.format(doc='"""h of (1), step by step."""'), ["proved"]),
    "a word for an equation": (RECURRENCE, LOOP.format(doc='"""Implements eq. 1."""'), ["proved"]),
    "a comment": (RECURRENCE, "# (2)\ndef total(u):\n    return np.cumsum(u)", ["proved"]),
    "another number": (RECURRENCE, "def total(u):\n    \"\"\"(2)\"\"\"\n    return np.cumsum(u) - u", ["refuted"]),
    "no number of the text, but its place": (RECURRENCE, "def total(u):\n    \"\"\"(7)\"\"\"\n    return np.cumsum(u)", ["proved"]),
    "two values": (BACKWARD, "def back(dY, P, V):\n    \"\"\"dV and dP of (3)\"\"\"\n    return P.T @ dY, dY @ V.T", ["proved", "proved"]),
    "two values, one wrong": (BACKWARD, "def back(dY, P, V):\n    \"\"\"dV, dP of (3)\"\"\"\n    return P.T @ dY, 2 * dY @ V.T", ["proved", "refuted"]),
    "one of two values": (BACKWARD, "def back(dY, P, V):\n    \"\"\"dP of (3)\"\"\"\n    return dY @ V.T", ["proved"]),
    "a number beside another equation": (
        "Let $x \\in \\mathbb{R}^n$ and\n\n$$u_i = x_i^2, \\qquad \\frac{\\partial u_i}{\\partial x_i} = 2 x_i \\tag{3}$$\n",
        "def slope(x):\n    \"\"\"(3)\"\"\"\n    return 2 * x",
        ["proved"],
    ),
    "neither of two equations with one number": (
        "Let $x \\in \\mathbb{R}^n$ and\n\n$$u_i = x_i^2, \\qquad \\frac{\\partial u_i}{\\partial x_i} = 2 x_i \\tag{3}$$\n",
        "def slope(x):\n    \"\"\"(3)\"\"\"\n    return 3 * x",
        ["undecided"],
    ),
    "a recurrence with a batch and heads": (LINEAR, HEADS.format(step=STEP), ["proved"]),
    "a recurrence with a batch and heads, without decay": (LINEAR, HEADS.format(step=STEP.replace("gamma * ", "")), ["refuted"]),
}  # fmt: skip


def statuses(path: Path) -> list[str]:
    """The statuses of the functions of a document."""
    made, errors = check_documents([path], numbers=False)
    assert not errors
    items = [i for d in made["documents"] for i in d["items"] if i["kind"] == "code"]
    return [i["status"] for i in items if i["source"].startswith("def ")]


@pytest.mark.parametrize("name", CASES)
def test_docstrings_cite_equations(name: str, tmp_path: Path) -> None:
    text, code, wanted = CASES[name]
    path = tmp_path / "cited.md"
    path.write_text(f"{text}\n```python\nimport numpy as np\nimport torch\n\n{code}\n```\n")
    assert statuses(path) == wanted


def test_numbers_before_formulas() -> None:
    document = read_text("Two steps:\n\n(1) $a = b + c$\n\n(2) $d = 2 a$ and f(3) $= 4$, (x) $y = 5$.\n", "numbers.md")
    assert {document.spans[k].source: n for k, n in written_numbers(document).items()} == {
        "a = b + c": "1",
        "d = 2 a": "2",
    }


FILE = '''r"""Graphs: $\\tilde A = A + I$ with $A \\in \\mathbb{R}^{N \\times N}$ and $\\tilde d_i = \\sum_j \\tilde A_{ij}$."""
import torch

# (1)   $\\hat A_{ij} = \\frac{\\tilde A_{ij}}{\\sqrt{\\tilde d_i \\tilde d_j}}$


def normalise(adj):
    """(1) for a symmetric matrix"""
    adj = adj + torch.eye(adj.size(0))
    root = adj.sum(dim=1).pow(-0.5)
    return root.unsqueeze(1) * adj * root.unsqueeze(0)


def normalise_without_loops(adj):
    """(1), the degrees are those of A"""
    D = torch.diag(adj.sum(1) ** -0.5)
    return D @ (adj + torch.eye(adj.shape[0])) @ D


if __name__ == "__main__":
    x = torch.randn(3, 4)
    y = torch.zeros(3).index_add_(0, torch.arange(3), x[:, 0])
    assert torch.allclose(x.softmax(-1), torch.exp(x) / torch.exp(x).sum(-1, keepdim=True))
'''


def test_the_code_of_a_file_is_compared_with_what_the_file_says(tmp_path: Path) -> None:
    path = tmp_path / "graphs.py"
    path.write_text(FILE)
    assert statuses(path) == ["proved", "refuted"]
    made, _ = check_documents([path], numbers=False)
    checks = [i["status"] for d in made["documents"] for i in d["items"] if i["source"].startswith("assert")]
    assert checks == ["proved"]


def test_a_part_of_a_file_may_use_what_stands_outside_of_it(tmp_path: Path) -> None:
    path = tmp_path / "gates.py"
    path.write_text(
        "import numpy as np\n\nTWO = 2\n\n\ndef logistic(t):\n    return 1 / (1 + np.exp(-t))\n\n\nclass Gate:\n"
        '    r"""Let $x \\in \\mathbb{R}^n$.\n\n    $$y_i = \\frac{2 x_i}{1 + e^{-x_i}}$$\n    """\n\n'
        "    def forward(self, x):\n        return TWO * x * logistic(x)\n"
    )
    made, errors = check_documents([path], numbers=False)
    items = [i for d in made["documents"] for i in d["items"] if i["kind"] == "code"]
    assert not errors
    assert [(i["status"], i["source"]) for i in items] == [("proved", "class Gate:")]


ROWS = r"""For $y, t \in \mathbb{R}^n$ let

$$
\begin{align}
L &= \frac{1}{n} \sum_{i=1}^n (y_i - t_i)^2 \tag{1} \\
\frac{\partial L}{\partial y_i} &= \frac{2}{n} (y_i - t_i) \tag{2}
\end{align}
$$

```python
import torch

def slope(y, t):  # eq. (2)
    return FACTOR * (y - t)
```
"""


@pytest.mark.parametrize(("factor", "status"), [("2 / len(y)", "proved"), ("1 / len(y)", "refuted")])
def test_derivatives_in_rows_with_numbers(factor: str, status: str, tmp_path: Path) -> None:
    path = tmp_path / "x.md"
    path.write_text(ROWS.replace("FACTOR", factor), encoding="utf-8")
    made, errors = check_documents([path], numbers=False)
    assert not errors
    assert [i["status"] for i in made["documents"][0]["items"] if i["kind"] == "code"] == [status]
