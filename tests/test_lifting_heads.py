"""Code with layers, heads side by side and bare sizes against the equations of a document."""

from __future__ import annotations

from pathlib import Path

import pytest
from derivations.reports.run.check import check_documents

from derivations.code.compare.spelling import weight_of

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

NORM = (
    "For a token $x \\in \\mathbb{R}^d$ and a gain $g \\in \\mathbb{R}^d$ let\n\n"
    "$$\\text{RMSNorm}(x) = \\frac{x}{\\sqrt{\\frac{1}{d}\\sum_{i=1}^{d} x_i^2 + \\epsilon}} \\odot g$$\n\n"
)
GAIN = (
    "import torch\nclass RMSNorm(torch.nn.Module):\n    def __init__(self, config):\n        super().__init__()\n        self.eps = 1e-6\n"
    "        self.scale = torch.nn.Parameter(torch.ones(config.{entry}))\n        torch.nn.init.ones_(self.scale)\n"
    "    def forward(self, x):\n        return x * torch.rsqrt(x.pow(2).{how}(-1, keepdim=True) + self.eps) * self.scale\n"
)
FAMILY = (
    "For $x^{(i)} \\in \\mathbb{R}^{1\\times d}$ and $W_q, W_k \\in \\mathbb{R}^{d\\times e}$ let\n"
    "$q^{(i)} = x^{(i)} W_q$ and $k^{(i)} = x^{(i)} W_k$.\n\n"
)
ROWS = (
    "import torch\nd, e = 3, 2\ninputs = torch.rand(6, d)\nW_query = torch.nn.Parameter(torch.rand(d, e))\n"
    "W_key = torch.nn.Parameter(torch.rand(d, e))\nx_2 = inputs[1]\nquery_2 = x_2 @ {weights}\nkeys = inputs @ W_key\n"
)
SOFTMAX = (
    "With scores $S \\in \\mathbb{R}^{N\\times C}$ let $P_{ij} = \\frac{e^{S_{ij}}}{\\sum_{k=1}^{C} e^{S_{ik}}}$.\n\n"
)
NORMALISED = (
    "import numpy as np\ndef f(S):\n    E = np.exp(S)\n    P = E / E.sum(axis={axis}, keepdims=True)\n    return P\n"
)
FEATURES = "Let $\\phi(x) = \\text{{elu}}(x) + {constant}$.\n\n"
WINDOW = (
    "Token $i$ sees the $w$ tokens $i-w < j \\le i$, with scores $S \\in \\mathbb{R}^{n\\times n}$:\n\n"
    "$$B_{ij} = \\mathbb{1}[i - w < j \\le i]\\, S_{ij}$$\n\n"
)
SEEN = (
    "import torch\ndef f(S, w):\n    n = S.shape[0]\n    i, j = torch.arange(n)[:, None], torch.arange(n)[None, :]\n"
    "    B = S.masked_fill(~((j <= i) & (i - j {sign} w)), 0.0)\n    return B\n"
)

FUSED = (
    "For $x \\in \\mathbb{R}^{T\\times C}$ and heads $i = 1, \\dots, h$ with $W^Q_i, W^K_i, W^V_i \\in \\mathbb{R}^{C\\times d}$ let\n\n"
    "$$\\mathrm{head}_i(x) = \\mathrm{softmax}\\left(\\frac{x W^Q_i (x W^K_i)^\\top}{\\sqrt{d}}\\right) x W^V_i$$\n\n"
    "$$\\mathrm{MultiHead}(x) = \\mathrm{Concat}(\\mathrm{head}_1(x), \\dots, \\mathrm{head}_h(x))\\, W^O$$\n\n"
)
CONFIGURED = (
    "import math\nimport torch\nimport torch.nn as nn\nclass MultiHead(nn.Module):\n    def __init__(self, config):\n        super().__init__()\n"
    "        assert config.n_embd % config.n_head == 0\n        self.c_attn = nn.Linear(config.n_embd, 3 * config.n_embd, bias=False)\n"
    "        self.c_proj = nn.Linear(config.n_embd, config.n_embd, bias=False)\n        self.n_head = config.n_head\n"
    "        self.n_embd = config.n_embd\n    def forward(self, x):\n        B, T, C = x.size()\n"
    "        q, k, v = self.c_attn(x).split(self.n_embd, dim=2)\n"
    "        q, k, v = (y.view(B, T, self.n_head, C // self.n_head).transpose(1, 2) for y in ({order}))\n"
    "        att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))\n        y = att.softmax(-1) @ v\n"
    "        return self.c_proj(y.transpose(1, 2).contiguous().view(B, T, C))\n"
)
STATES = (
    "States $h_1, \\dots, h_m \\in \\mathbb{R}^{d}$ are the rows of $H \\in \\mathbb{R}^{m\\times d}$, and $s \\in \\mathbb{R}^{m}$.\n\n"
    "$$a = \\sum_{i=1}^{m} s_i h_i$$\n\n"
)
STRANGERS = "Let $h_i \\in \\mathbb{R}^{d}$ for $i = 1, \\dots, m$ and $s \\in \\mathbb{R}^{m}$.\n\n$$a = \\sum_{i=1}^{m} s_i h_i$$\n\n"
MIXED = "import numpy as np\ndef f(s, {name}):\n    a = s @ {name}\n    return a\n"
COLUMNS = (
    "With scores $S \\in \\mathbb{R}^{N\\times C}$ let $P_{ij} = \\frac{e^{S_{ij}}}{\\sum_{k=1}^{N} e^{S_{kj}}}$.\n\n"
)
ALONG = "import numpy as np\ndef f(S):\n    E = np.exp(S)\n    P = E / E.sum(axis=1, keepdims=True)\n    return P\n"

DOCUMENTS = [
    ("queries, keys and values by one layer", FUSED, CONFIGURED.format(order="q, k, v"), "class MultiHead", "proved"),
    ("parts in another order", FUSED, CONFIGURED.format(order="k, q, v"), "class MultiHead", "undecided"),
    ("rows of a matrix", STATES, MIXED.format(name="H"), "a =", "proved"),
    ("what the code does not have", STRANGERS, "import numpy as np\nB, s = np.random.randn(4, 3), np.random.randn(4)\na = s @ B\n", "a =", "undecided"),
    ("another axis where it is called", COLUMNS, ALONG + "S = np.zeros((3, 4))\nprint(f(S))\n", "P =", "refuted"),
    ("a parameter that has another name", NORM, GAIN.format(entry="n_embd", how="mean"), "class RMSNorm", "proved"),
    ("the sum of squares", NORM, GAIN.format(entry="n_embd", how="sum"), "class RMSNorm", "undecided"),
    ("a member of a family", FAMILY, ROWS.format(weights="W_query"), "query_2", "proved"),
    ("a word for a letter", FAMILY, ROWS.format(weights="W_query"), "keys", "proved"),
    ("a member by other weights is not spoken of", FAMILY, ROWS.format(weights="W_key"), "query_2", None),
    ("rows", SOFTMAX, NORMALISED.format(axis=1), "P =", "proved"),
    ("columns", SOFTMAX, NORMALISED.format(axis=0), "P =", "refuted"),
    ("a function of torch", FEATURES.format(constant=1), "import torch.nn.functional as F\ndef phi(x):\n    return F.elu(x) + 1\n", "def phi", "proved"),
    ("a function of torch, another constant", FEATURES.format(constant=2), "import torch.nn.functional as F\ndef phi(x):\n    return F.elu(x) + 1\n",
     "def phi", "refuted"),
    ("a function that nobody knows", "Let $\\phi(x) = \\text{frob}(x)$.\n\n", "import torch\ndef phi(x):\n    return torch.exp(x)\n", "def phi", "undecided"),
    ("a window", WINDOW, SEEN.format(sign="<"), "B =", "proved"),
    ("a window that is too wide", WINDOW, SEEN.format(sign="<="), "B =", "refuted"),
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


REMARKS = ("hard-wired-size", "unused-value")


@pytest.mark.parametrize(("name", "text", "code", "line", "status"), DOCUMENTS, ids=[r[0] for r in DOCUMENTS])
def test_documents(tmp_path: Path, name: str, text: str, code: str, line: str, status: str | None) -> None:
    path = tmp_path / "lesson.md"
    path.write_text(f"{text}```python\n{code}```\n", encoding="utf-8")
    made, errors = check_documents([path], numbers=False)
    assert not errors
    items = [i for i in made["documents"][0]["items"] if i["kind"] == "code" and i["source"].startswith(line)]
    assert [i["status"] for i in items if i["code"] not in REMARKS] == [status] * (status is not None)


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
