"""Code with layers, heads side by side and bare sizes against the equations of a document."""

from __future__ import annotations

from pathlib import Path

import pytest
from derivations.reports.check import check_documents

from derivations.documents.code_names import weight_of

HEAD = (
    "For $x \\in \\mathbb{R}^{T\\times C}$ and $W_k, W_q, W_v \\in \\mathbb{R}^{C\\times d}$ let $k = x W_k$, $q = x W_q$, $v = x W_v$\n"
    "and, with the softmax along the rows,\n\n$$\\text{Head}(x) = \\text{softmax}\\left(\\frac{q k^\\top}{\\sqrt{d}}\\right) v$$\n\n"
)
LAYERS = (
    "import torch\nimport torch.nn as nn\nclass Head(nn.Module):\n    def __init__(self, width, head_size):\n        super().__init__()\n"
    "        self.key = nn.Linear(width, head_size, bias=False)\n        self.query = nn.Linear(width, head_size, bias=False)\n"
    "        self.value = nn.Linear(width, head_size, bias=False)\n    def forward(self, x):\n        k = self.key(x)\n"
    "        q = self.{query}(x)\n        s = q @ k.transpose(-2, -1) * {scale} ** -0.5\n"
    "        return s.softmax(-1) @ self.value(x)\n"
)
MULTI = (
    "For $X \\in \\mathbb{R}^{T\\times D}$ and $i = 1, \\ldots, h$ let $W^Q_i, W^K_i, W^V_i \\in \\mathbb{R}^{D\\times d}$ and\n\n"
    "$$\\begin{aligned}\\mathrm{head}_i &= \\mathrm{softmax}\\left(\\frac{XW^Q_i (XW^K_i)^T}{\\sqrt{d}}\\right) XW^V_i \\\\\n"
    "\\mathrm{MultiHead}(X) &= \\mathrm{Concat}(\\mathrm{head}_1, \\ldots, \\mathrm{head}_h)W^O\\end{aligned}$$\n\n"
    "The arguments of the program hold the matrices side by side, $d$ columns for each head.\n\n"
)
VIEW = (
    "import torch\ndef multi_head(X, W_q, W_k, W_v, W_o, h):\n    T = X.shape[0]\n    w = W_q.shape[1] // h\n"
    "    q, k, v = ((X @ W).{view} for W in (W_q, W_k, W_v))\n    a = (q @ k.transpose(1, 2) / w ** 0.5).softmax(-1)\n"
    "    return (a @ v).transpose(0, 1).reshape(T, -1) @ W_o\n"
)
STACKED = (
    "import torch\ndef multi_head(X, W_Q, W_K, W_V, W_O):\n    q, k, v = X @ W_Q, X @ W_K, X @ W_V\n"
    "    o = (q @ k.mT / q.size(-1) ** 0.5).softmax(-1) @ v\n    return {end} @ W_O\n"
)
BARE = "Scores are $S_{ij} = q_i^\\top k_j/\\sqrt{d}$ for $i, j = 1, \\dots, n$.\n\n"
SCORES = "import torch\ndef f(q, k):\n    S = q @ k.T / {below}\n    return S\n"

DOCUMENTS = [
    ("layers hold the weights of their role", HEAD, LAYERS.format(query="query", scale="k.shape[-1]"), "class Head", "proved"),
    ("another layer", HEAD, LAYERS.format(query="value", scale="k.shape[-1]"), "class Head", "refuted"),
    ("the number of channels", HEAD, LAYERS.format(query="query", scale="x.shape[-1]"), "class Head", "refuted"),
    ("heads by view", MULTI, VIEW.format(view="view(T, h, w).transpose(0, 1)"), "def multi_head", "proved"),
    ("heads alternate", MULTI, VIEW.format(view="view(T, w, h).permute(2, 0, 1)"), "def multi_head", "proved"),
    ("a view without a transpose", MULTI, VIEW.format(view="view(h, T, w)"), "def multi_head", "refuted"),
    ("heads along a first axis", MULTI, STACKED.format(end="o.transpose(0, 1).flatten(1)"), "def multi_head", "proved"),
    ("heads not moved back", MULTI, STACKED.format(end="o.reshape(X.shape[0], -1)"), "def multi_head", "refuted"),
    ("a size that is no axis", BARE, SCORES.format(below="q.shape[1] ** 0.5"), "S =", "proved"),
    ("a size that is no axis, and no root", BARE, SCORES.format(below="q.shape[1]"), "S =", "refuted"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "code", "line", "status"), DOCUMENTS, ids=[r[0] for r in DOCUMENTS])
def test_documents(tmp_path: Path, name: str, text: str, code: str, line: str, status: str) -> None:
    path = tmp_path / "lesson.md"
    path.write_text(f"{text}```python\n{code}```\n", encoding="utf-8")
    made, errors = check_documents([path], numbers=False)
    assert not errors
    items = [i for i in made["documents"][0]["items"] if i["kind"] == "code" and i["source"].startswith(line)]
    assert [i["status"] for i in items if i["code"] != "hard-wired-size"] == [status]


ROLES = [
    ("W_query", False, "q"),
    ("Wq", False, "q"),
    ("W_Q#2", False, "q"),
    ("Omega_v", False, "v"),
    ("key", False, None),
    ("key", True, "k"),
    ("k_proj", True, "k"),
    ("out_proj", True, "o"),
    ("W_1", False, "1"),
    ("weights", True, None),
    ("attn_weights", False, "attn"),
    ("W_q_extra", False, None),
]


@pytest.mark.parametrize(("name", "layer", "role"), ROLES)
def test_what_a_matrix_of_weights_is_for(name: str, layer: bool, role: str | None) -> None:
    assert weight_of(name, layer) == role
