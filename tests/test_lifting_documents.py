"""Code of documents against their equations: what is linked, proved, refuted, left alone, and why."""

from __future__ import annotations

from pathlib import Path

import pytest
from derivations.reports.model import validate
from derivations.reports.run.check import check_documents

PRELUDE = "```python\nimport math\nimport torch\nimport torch.nn.functional as F\nn, m, d, v = 5, 6, 4, 3\n```\n\n"
SHAPES = (
    "Let $Q \\in \\mathbb{R}^{n \\times d}$, $K \\in \\mathbb{R}^{m \\times d}$ and $V \\in \\mathbb{R}^{m \\times v}$. "
    "The softmax acts on each row.\n\n"
)
ATTENTION = "$$\\text{Attention}(Q, K, V) = \\text{softmax}\\left(\\frac{QK^\\top}{\\sqrt{d}}\\right) V$$\n\n"
SCORES = "$$S = \\frac{QK^\\top}{\\sqrt{d}}, \\qquad A = \\text{softmax}(S), \\qquad O = AV \\quad (7)$$\n\n"
INPUTS = "Q, K, V = torch.randn(n, d), torch.randn(m, d), torch.randn(m, v)\n"


def report(tmp_path: Path, text: str) -> list[dict]:
    path = tmp_path / "lesson.md"
    path.write_text(text, encoding="utf-8")
    made, errors = check_documents([path], numbers=False)
    assert not errors
    validate(made)
    return [i for i in made["documents"][0]["items"] if i["kind"] == "code"]


def statuses(tmp_path: Path, equations: str, code: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for i in report(tmp_path, SHAPES + equations + PRELUDE + "```python\n" + code + "\n```\n"):
        found.setdefault(i["source"].split("\n")[0], []).append(i["status"])
    return found


FUNCTIONS = [
    ("right", "def attention(query, key, value):\n    return F.softmax(query @ key.mT / query.size(-1) ** 0.5, dim=-1) @ value", "proved"),
    ("batched, with a mask that is not given", "def attention(q, k, v, mask=None):\n    s = torch.bmm(q, k.transpose(1, 2)) / math.sqrt(q.size(-1))\n"
     "    if mask is not None:\n        s = s.masked_fill(mask == 0, -1e9)\n    w = s.softmax(dim=-1)\n    return torch.bmm(w, v), w", "proved"),
    ("divided after the exponential", "def attention(Q, K, V):\n    P = torch.exp(Q @ K.T / Q.shape[1] ** 0.5)\n    return (P @ V) / P.sum(dim=1)[:, None]", "proved"),
    ("a class with dropout", "class Attention(torch.nn.Module):\n    def __init__(self, p=0.1):\n        super().__init__()\n        self.drop = torch.nn.Dropout(p)\n"
     "    def forward(self, q, k, v):\n        return self.drop(F.softmax(q @ k.mT / q.shape[-1] ** 0.5, -1)) @ v", "proved"),
    ("a width given to a class", "class Attention(torch.nn.Module):\n    def __init__(self, head_dim):\n        super().__init__()\n        self.scale = head_dim ** -0.5\n"
     "    def forward(self, q, k, v):\n        return F.softmax(q @ k.mT * self.scale, -1) @ v", "proved"),
    ("a wrong power of a width given to a class", "class Attention(torch.nn.Module):\n    def __init__(self, head_dim):\n        super().__init__()\n"
     "        self.scale = head_dim ** -0.25\n    def forward(self, q, k, v):\n        return F.softmax(q @ k.mT * self.scale, -1) @ v", "refuted"),
    ("four axes by their names", "def attention(q, k, v):\n    b, h, t, d = q.shape\n    return F.softmax(q @ k.mT / d ** 0.5, -1) @ v", "proved"),
    ("sizes that are checked first", "def attention(q, k, v):\n    if q.shape[-1] != k.shape[-1]:\n        raise ValueError('sizes')\n    return F.softmax(q @ k.mT / q.shape[-1] ** 0.5, -1) @ v", "proved"),
    ("only the last value stays", "def attention(q, k, v):\n    w, out = F.softmax(q @ k.T / q.shape[1] ** 0.5, -1), torch.zeros(len(q), v.shape[1])\n    for i in range(len(q)):\n        for j in range(len(k)):\n            out[i] = w[i, j] * v[j]\n    return out", "refuted"),
    ("no scale", "def attention(q, k, v):\n    return F.softmax(q @ k.mT, dim=-1) @ v", "refuted"),
    ("keys ask", "def attention(Q, K, V):\n    return F.softmax(K @ Q.T / Q.size(-1) ** 0.5, dim=-1) @ V", "refuted"),
    ("the other axis", "def compute_attention(q, k, v):\n    return F.softmax(q @ k.mT / q.size(-1) ** 0.5, dim=0) @ v", "refuted"),
    ("scale outside", "def attention(q, k, v):\n    return F.softmax(q @ k.mT, dim=-1) / q.size(-1) ** 0.5 @ v", "refuted"),
    ("parameters by position only", "def attention(x, y, z):\n    return F.softmax(y @ x.mT / y.size(-1) ** 0.5, dim=-1) @ z", "undecided"),
    ("a mask that the equation lacks", "def attention(Q, K, V):\n    return F.scaled_dot_product_attention(Q, K, V, is_causal=True)", "undecided"),
    ("unfinished", "def attention(Q, K, V):\n    # TODO write this\n    return torch.zeros(Q.shape[0], V.shape[1])", "skipped"),
    ("to be written", "def attention(Q, K, V):\n    # Your code goes here. ####\n    return Q", "skipped"),
    ("empty", "def attention(Q, K, V):\n    raise NotImplementedError", "skipped"),
    ("unknown operation", "def attention(Q, K, V):\n    return magic(Q, K, V)", "skipped"),
    ("a decorator", "@cache\ndef attention(Q, K, V):\n    return V", "skipped"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "code", "status"), FUNCTIONS, ids=[r[0] for r in FUNCTIONS])
def test_functions(tmp_path: Path, name: str, code: str, status: str) -> None:
    found = statuses(tmp_path, ATTENTION, code)
    assert [s for line, own in found.items() if "ttention" in line for s in own] == [status]


MASKED = (
    "Let $Q, K \\in \\mathbb{R}^{n \\times d}$ and $V \\in \\mathbb{R}^{n \\times v}$. The mask is $M_{ij} = 0$ if $j \\le i$ and "
    "$M_{ij} = -\\infty$ if $j > i$. The softmax acts on each row.\n\n"
    "$$\\text{Attention}(Q, K, V) = \\text{softmax}\\left(\\frac{QK^\\top}{\\sqrt{d}} + M\\right) V$$\n\n"
)
ENTRIES = "    s = Q @ K.T / Q.shape[1] ** 0.5\n    for i in range(len(Q)):\n        for j in range(len(Q)):\n            if {}:\n                s[i, j] = -1e9\n    return F.softmax(s, -1) @ V"
ROWS = "    out = []\n    for t in range(len(Q)):\n        w = F.softmax(Q[t] @ K[:{0}].T / Q.shape[1] ** 0.5, dim=-1)\n        out.append(w @ V[:{0}])\n    return torch.stack(out)"
LENGTHS = [
    ("entries of a mask", ENTRIES.format("j > i"), "proved"),
    ("too many entries", ENTRIES.format("j > i + 1"), "refuted"),
    ("rows up to each token", ROWS.format("t + 1"), "proved"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "lines", "status"), LENGTHS, ids=[r[0] for r in LENGTHS])
def test_arguments_have_the_lengths_that_the_document_gives(tmp_path: Path, name: str, lines: str, status: str) -> None:
    items = report(tmp_path, MASKED + PRELUDE + "```python\ndef attention(Q, K, V):\n" + lines + "\n```\n")
    assert [i["status"] for i in items if "ttention" in i["source"].split("\n")[0]] == [status]


NORM = r"For $x, g \in \mathbb{R}^{d}$ $$\text{RMSNorm}(x)_i = \frac{x_i}{\sqrt{\frac{1}{d} \sum_{j=1}^{d} x_j^2 + \epsilon}} \, g_i$$"
LOSS = (
    r"For logits $z \in \mathbb{R}^{n}$ and a one-hot target $y \in \mathbb{R}^n$ let $p = \text{softmax}(z)$ and "
    r"$$L = -\sum_{i=1}^n y_i \log p_i$$"
)
LAYERS = (
    r"For $x \in \mathbb{R}^{n \times d}$, $W_1 \in \mathbb{R}^{d \times f}$, $b_1 \in \mathbb{R}^f$, $W_2 \in \mathbb{R}^{f \times d}$ and "
    r"$b_2 \in \mathbb{R}^d$ $$\text{FFN}(x) = \max(0, x W_1 + b_1) W_2 + b_2$$"
)
ENCODED = (
    r"The positional encoding with even $d$ is $$PE_{pos, 2i} = \sin\left(\frac{pos}{10000^{2i/d}}\right), \qquad "
    r"PE_{pos, 2i+1} = \cos\left(\frac{pos}{10000^{2i/d}}\right)$$"
)
WAVE = "def positional_encoding(n, d):\n    pe = torch.zeros(n, d)\n    for pos in range(n):\n        for i in range(0, d, 2):\n            pe[pos, i] = math.sin(pos / 10000 ** ({0}))\n            pe[pos, i + 1] = math.cos(pos / 10000 ** ({0}))\n    return pe"
NETWORK = "class FFN(torch.nn.Module):\n    def __init__(self, d, f):\n        super().__init__()\n        self.net = torch.nn.Sequential(torch.nn.Linear(d, f), torch.nn.{}(), torch.nn.Linear(f, d))\n    def forward(self, x):\n        return self.net(x)"
MIXED = r"For $x \in \mathbb{R}^{n \times d}$ and $W_i \in \mathbb{R}^{d \times m}$ $$\text{Mix}(x) = \sum_{i=1}^{h} \tanh(x W_i)$$"
MEMBERS = "class Mix(torch.nn.Module):\n    def __init__(self, d, m, h):\n        super().__init__()\n        self.W = torch.nn.ModuleList([torch.nn.Linear(d, m, bias=False) for _ in range(h)])\n    def forward(self, x):\n        return {}"
WITH_EQUATIONS = [
    ("a list of layers", MIXED, MEMBERS.format("sum(torch.tanh(w(x)) for w in self.W)"), ["proved"]),
    ("a list of layers by position", MIXED, MEMBERS.format("sum(torch.tanh(self.W[i](x)) for i in range(len(self.W)))"), ["proved"]),
    ("the same layer each time", MIXED, MEMBERS.format("sum(torch.tanh(self.W[0](x)) for w in self.W)"), ["refuted"]),
    ("a layer and its bias", LAYERS, NETWORK.format("ReLU"), ["proved"]),
    ("another activation", LAYERS, NETWORK.format("Tanh"), ["undecided"]),
    ("a guard in the root", NORM, "def rms_norm(x, g, eps=1e-6):\n    return x * torch.rsqrt((x ** 2).mean(-1, keepdim=True) + eps) * g", ["proved"]),
    ("a guard beside the root", NORM, "def rms_norm(x, g, eps=1e-6):\n    return x / (x.norm(dim=-1, keepdim=True) / math.sqrt(x.shape[-1]) + eps) * g", ["undecided"]),
    ("a sum for a mean", NORM, "def rms_norm(x, g, eps=1e-6):\n    return x / (x.norm(dim=-1, keepdim=True) + eps) * g", ["refuted"]),
    ("a target at one place", LOSS, "z, y = torch.randn(5), torch.zeros(5)\ny[2] = 1\np = torch.softmax(z, dim=0)\nL = -(y * torch.log(p)).sum()", ["proved", "proved"]),
    ("a mean over the classes", LOSS, "z, y = torch.randn(5), torch.rand(5)\nL = -(y * F.log_softmax(z, dim=0)).mean()", ["refuted"]),
    ("positions", ENCODED, WAVE.format("i / d"), ["proved"] * 2),
    ("positions with a wrong power", ENCODED, WAVE.format("2 * i / d"), ["undecided", "refuted"]),
    ("heads that share keys", SHAPES + ATTENTION, "def attention(Q, K, V, times=2):\n    b, h, t, d = Q.shape\n    K, V = K.repeat_interleave(times, dim=1), V.repeat_interleave(times, dim=1)\n    return F.softmax(Q @ K.mT / d ** 0.5, -1) @ V", ["undecided"]),
    ("a squared deviation", SHAPES + "For $x \\in \\mathbb{R}^n$ $$\\sigma^2 = \\frac{1}{n} \\sum_i (x_i - \\mu)^2, \\quad \\mu = \\frac{1}{n} \\sum_i x_i$$", "import numpy as np\nx = np.random.randn(7)\nmu = x.mean()\nsigma2 = np.std(x) ** 2", ["proved", "proved"]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "equations", "code", "status"), WITH_EQUATIONS, ids=[r[0] for r in WITH_EQUATIONS])
def test_with_equations(tmp_path: Path, name: str, equations: str, code: str, status: list[str]) -> None:
    items = report(tmp_path, equations + "\n\n" + PRELUDE + "```python\n" + code + "\n```\n")
    assert [i["status"] for i in items] == status, [(i["source"], i["status"], i["reason"]) for i in items]


CELLS = [
    ("by name", INPUTS + "S = Q @ K.T / d ** 0.5\nA = torch.softmax(S, dim=-1)\nO = A @ V", {"S": "proved", "A": "proved", "O": "proved"}),
    ("a wrong name", INPUTS + "S = Q @ K.T / d ** 0.5\nA = torch.softmax(S, dim=-1)\nO = A @ A.T @ Q", {"O": "undecided"}),
    ("hard-wired numbers", "Q, K = torch.randn(5, 4), torch.randn(6, 4)\nS = Q @ K.T / 2.0", {"S": "proved"}),
    ("hard-wired wrong number", "Q, K = torch.randn(5, 4), torch.randn(6, 4)\nS = Q @ K.T / 4", {"S": "refuted"}),
    ("a loop", INPUTS + "S = torch.empty(n, m)\nfor i in range(n):\n    for j in range(m):\n        S[i, j] = Q[i] @ K[j] / math.sqrt(d)", {"S[i, j]": "proved"}),
    ("any version proves", INPUTS + "S = Q @ K.T\nS = S / d ** 0.5", {"S": "proved"}),
    ("an intermediate name for another value", INPUTS + "S = Q @ K.T\nA = torch.softmax(S / d ** 0.5, dim=-1)", {"S": "undecided", "A": "proved"}),
    ("a difference", INPUTS + "S = Q @ K.T / d", {"S": "refuted"}),
    ("cited", INPUTS + "result = torch.softmax(Q @ K.T / d ** 0.5, -1) @ V  # output, eq. (7)", {}),
    ("keepdims", INPUTS + "S = Q @ K.T / d ** 0.5\nE = torch.exp(S)\nA = E / E.sum(dim=1)", {"A": "refuted"}),
    ("an input that the document does not know", INPUTS + "B = torch.randn(n, m)\nS = Q @ K.T / d ** 0.5 + B", {"S": "undecided"}),
    ("q is not Q", INPUTS + "s = Q @ K.T\no = V", {}),
]  # fmt: skip


def test_a_batch_of_a_matrix_with_a_small_letter(tmp_path: Path) -> None:
    equation = "For $X \\in \\mathbb{R}^{n \\times d}$ and $W \\in \\mathbb{R}^{d \\times v}$ put $$Y = XW.$$\n\n"
    code = "x = torch.randn(2, n, d)\nW = torch.randn(d, v)\nY = x @ W"
    assert statuses(tmp_path, equation, code)["Y = x @ W"] == ["proved"]


TEMPERED = "$$p_k = \\frac{\\exp(z_k/\\tau)}{\\sum_{l=1}^{K} \\exp(z_l/\\tau)}$$\n\n"
TEMPERATURE = (
    "def softmax(z, tau=1.0):\n    e = torch.exp(z / tau)\n    return e / e.sum()\nz = torch.randn(4)\ntau = 2.0\n"
)


@pytest.mark.parametrize(
    ("call", "status"),
    [
        ("softmax(z)", "undecided"),
        ("softmax(z, 3.0)", "undecided"),
        ("softmax(z, tau)", "proved"),
        ("softmax(z, tau=tau)", "proved"),
        ("torch.softmax(z, 0)", "refuted"),
    ],
)
def test_a_number_that_a_call_has_of_its_own(tmp_path: Path, call: str, status: str) -> None:
    assert statuses(tmp_path, TEMPERED, TEMPERATURE + f"p = {call}")[f"p = {call}"] == [status]


@pytest.mark.parametrize(("name", "code", "expected"), CELLS, ids=[r[0] for r in CELLS])
def test_cells(tmp_path: Path, name: str, code: str, expected: dict[str, str]) -> None:
    found = statuses(tmp_path, SCORES, code)
    last = {line.split(" =")[0]: own[-1] for line, own in found.items()}
    for target, status in expected.items():
        assert last[target] == status, found
    if not expected:
        assert "refuted" not in last.values()


def test_an_explicit_link_is_compared_and_its_equation_is_no_item(tmp_path: Path) -> None:
    link = "<!-- check: mine = \\text{softmax}\\left(\\frac{QK^\\top}{\\sqrt{d}}\\right) V -->\n"
    text = SHAPES + PRELUDE + link + "```python\n" + INPUTS + "mine = F.scaled_dot_product_attention(Q, K, V)\n```\n"
    (item,) = report(tmp_path, text)
    assert item["status"] == "proved"
    assert item["proof"]["certificate"]
    assert item["source"].startswith("mine =")


def test_a_finite_fill_and_a_missing_epsilon_are_assumptions(tmp_path: Path) -> None:
    text = (
        "For $x \\in \\mathbb{R}^d$ with $\\mu = \\frac1d \\sum_{i=1}^d x_i$ and $\\sigma^2 = \\frac1d \\sum_{i=1}^d (x_i - \\mu)^2$\n\n"
        "$$\\text{norm}(x)_i = \\frac{x_i - \\mu}{\\sqrt{\\sigma^2}}$$\n\n"
        "```python\nimport torch\ndef norm(x, eps=1e-5):\n    mu = x.mean(-1, keepdim=True)\n"
        "    return (x - mu) / torch.sqrt(x.var(-1, keepdim=True, unbiased=False) + eps)\n```\n"
    )
    items = [i for i in report(tmp_path, text) if i["source"].startswith("def")]
    assert [i["status"] for i in items] == ["proved"]
    assert "eps = 0: the equation has none" in [a["text"] for a in items[0]["assumptions"]]
    assert items[0]["strength"] == "conditional"


MEMBERS = (
    "The scores of the second token.\n\n"
    "```python\nimport torch\ninputs = torch.rand(6, 3)\nW_q = torch.rand(3, 2)\nW_k = torch.rand(3, 2)\n"
    "q_2 = inputs[1] @ W_q\nk_2 = inputs[1] @ W_k\nkeys = inputs @ W_k\n```\n\n"
    "`scores_2` = $\\omega_{2j} = \\sum_a q^{(2)}_a k^{(j)}_a$\n\n"
)


@pytest.mark.parametrize(
    ("code", "status"), [("q_2 @ keys.T", "proved"), ("k_2 @ keys.T", "refuted"), ("5 * q_2 @ keys.T", "refuted")]
)
def test_members_of_given_families(tmp_path: Path, code: str, status: str) -> None:
    items = report(tmp_path, MEMBERS + f"```python\nscores_2 = {code}\n```\n")
    assert [i["status"] for i in items if i["source"].startswith("scores_2")] == [status]


def test_what_the_code_computes_and_the_equation_takes_as_given(tmp_path: Path) -> None:
    text = (
        "$$\\alpha = x_T W X^\\top, \\qquad x_T \\in \\mathbb{R}^{1 \\times C}, \\quad X \\in \\mathbb{R}^{T \\times C}, "
        "W \\in \\mathbb{R}^{C \\times C}$$\n\n```python\nimport numpy as np\nT, C = 5, 8\nX = np.random.randn(T, C)\n"
        "W = np.random.randn(C, C)\nx_T = X[-1:, :]\nalpha = x_T @ W @ X.T\n```\n"
    )
    assert [i["status"] for i in report(tmp_path, text) if i["source"].startswith("alpha")] in (
        ["undecided"],
        ["proved"],
    )


NUMPY_SOFTMAX = "def softmax(x):\n    e = np.exp(x - x.max(axis={0}, keepdims=True))\n    return e / e.sum(axis={0}, keepdims=True)\n"
BIASED = (
    "The $N$ inputs are the columns of $X \\in \\mathbb{R}^{D \\times N}$, with $W, U \\in \\mathbb{R}^{E \\times D}$, $b, c \\in \\mathbb{R}^E$. The "
    "operation $\\text{Softmax}$ normalises each column of a matrix.\n\n"
    "$$Q = b \\mathbf{1}^\\top + W X, \\qquad K = c \\mathbf{1}^\\top + U X$$\n\n"
    "Words in between, which say nothing of it.\n\n$$\\text{weights} = \\text{Softmax}[K^\\top Q]$$\n\n"
)


@pytest.mark.parametrize(("axis", "status"), [(-1, "proved"), (0, "refuted")])
def test_a_product_of_numpy_arrays_is_one(tmp_path: Path, axis: int, status: str) -> None:
    """`x.max(axis, keepdims)` gives values in NumPy, values and positions in torch."""
    code = (
        NUMPY_SOFTMAX.format(axis) + "def attention(Q, K, V):\n    return softmax(Q @ K.T / np.sqrt(Q.shape[-1])) @ V"
    )
    items = report(tmp_path, SHAPES + ATTENTION + f"```python\nimport numpy as np\n{code}\n```\n")
    assert [i["status"] for i in items if "attention" in i["source"]] == [status]


@pytest.mark.parametrize(("axis", "status"), [(0, "proved"), (1, "refuted")])
def test_vectors_as_columns_where_sizes_fit(tmp_path: Path, axis: int, status: str) -> None:
    code = NUMPY_SOFTMAX.format(axis) + "def weights(X, W, U, b, c):\n    return softmax((c + U @ X).T @ (b + W @ X))"
    items = report(tmp_path, BIASED + f"```python\nimport numpy as np\n{code}\n```\n")
    assert [i["status"] for i in items if "weights" in i["source"]] == [status]


def test_transposed_convention_is_no_error(tmp_path: Path) -> None:
    text = (
        "Tokens are the columns of $X \\in \\mathbb{R}^{D \\times N}$, with $W \\in \\mathbb{R}^{D\\times D}$ and $H = W X$.\n\n"
        "```python\nimport torch\nX = torch.randn(6, 4)\nW = torch.randn(4, 4)\nH = X @ W\n```\n"
    )
    (item,) = report(tmp_path, text)
    assert item["status"] == "proved"
    assert any("transpose" in n for n in item["notes"])


def test_a_global_that_is_rebound_is_not_guessed(tmp_path: Path) -> None:
    code = (
        "k = 1.0\ndef attention(Q, K, V):\n    return k * F.softmax(Q @ K.T / Q.size(-1) ** 0.5, dim=-1) @ V\nk = 2.0"
    )
    found = statuses(tmp_path, ATTENTION, code)
    assert found["def attention(Q, K, V):"] == ["skipped"]


SOFTENED = (
    "Let $z, u \\in \\mathbb{R}^C$ and $\\tau > 0$. Define\n\n$$p_c = \\frac{\\exp(u_c/\\tau)}{\\sum_{k=1}^C \\exp(u_k/\\tau)}, \\qquad "
    "q_c = \\frac{\\exp(z_c/\\tau)}{\\sum_{k=1}^C \\exp(z_k/\\tau)}$$\n\n{EXAMPLE}A batch has one example per row.\n\n"
    "```python\nimport numpy as np\n\ndef soften(logits, tau):\n    e = np.exp((logits - logits.max(axis=1, keepdims=True)) / tau)\n"
    "    return e / e.sum(axis=1, keepdims=True)\n\ndef gradient(z, u, tau):\n    q = soften(z, tau)\n    p = soften(u, tau)\n"
    "    return (q - p) / tau\n```\n"
)


@pytest.mark.parametrize("example", ["", "With $u = (2, 0)$, $z = (0, 0)$ and $\\tau = 2$ we have $q_1 = 0.5$.\n\n"])
def test_a_batch_of_two_arguments_and_the_numbers_of_an_example(tmp_path: Path, example: str) -> None:
    found = [i for i in report(tmp_path, SOFTENED.replace("{EXAMPLE}", example)) if i["kind"] == "code"]
    assert [i["status"] for i in found] == ["proved"] * 3  # the function beside the equations as well
    assert not any("C = 2" in a["text"] for i in found for a in i["assumptions"])


@pytest.mark.parametrize(("points", "status"), [(100, "undecided"), (2, "refuted")])
def test_an_array_with_the_letter_of_a_few_entries(tmp_path: Path, points: int, status: str) -> None:
    text = "We find\n\n$$x_0 = -\\sqrt{1/3}, \\qquad x_1 = \\sqrt{1/3}$$\n\n"
    text += f"```python\nimport numpy\nx = numpy.linspace(0.0, 2.0, {points})\n```\n"
    assert [i["status"] for i in report(tmp_path, text) if i["kind"] == "code"] == [status]


def test_bad_code_costs_nothing_else(tmp_path: Path) -> None:
    text = (
        SHAPES
        + SCORES
        + "```python\ndef (:\n```\n\n"
        + PRELUDE
        + "```python\n"
        + INPUTS
        + "S = Q @ K.T / d ** 0.5\nopen('x')\n```\n"
    )
    found = report(tmp_path, text)
    assert [i["status"] for i in found if i["code"] != "unused-value"] == ["skipped", "proved"]


def test_every_refutation_has_a_counterexample(tmp_path: Path) -> None:
    items = report(tmp_path, SHAPES + SCORES + PRELUDE + "```python\n" + INPUTS + "S = Q @ K.T / d\n```\n")
    (item,) = [i for i in items if i["status"] == "refuted"]
    assert item["code"] == "code-differs"
    assert item["counterexample"]["left"] != item["counterexample"]["right"]
    assert item["counterexample"]["replayed"] is False


NORM = r"""Let $x \in \mathbb{R}^{n \times d}$ and a small $\varepsilon > 0$.

$$v_i = \frac{1}{d} \sum_j (x_{ij} - \frac{1}{d} \sum_k x_{ik})^2 + \varepsilon$$

```python
import torch
import numpy as np
```

"""
LIBRARIES = [
    ("NumPy by a name", "return np.add(x.var(axis=-1), eps)", ["proved"]),
    ("torch by a name", "return torch.add(x.var(axis=-1, unbiased=False), eps)", ["proved"]),
    ("torch's own divisor", "return torch.add(x.var(dim=-1), eps)", ["refuted"]),
    ("torch's divisor, told otherwise", "return torch.add(torch.var(x, dim=-1, correction=0), eps)", ["proved"]),
    ("an annotation", "y: np.ndarray = x\n    return y.var(axis=-1) + eps", ["proved"]),
    ("neither is named", "return x.var(axis=-1) + eps", ["proved"]),
    ("neither is named, and wrong in both", "return 2 * x.var(axis=-1) + eps", ["refuted"]),
    (
        "through a function",
        "return spread(x) + eps\n\ndef spread(x):\n    return np.asarray(x).var(axis=-1)",
        ["proved"],
    ),
]


@pytest.mark.parametrize(("name", "code", "expected"), LIBRARIES, ids=[r[0] for r in LIBRARIES])
@pytest.mark.parametrize("default", ["eps", "eps=1e-5"])
def test_whose_methods_parameters_have(tmp_path: Path, name: str, code: str, expected: list[str], default: str) -> None:
    text = NORM + f"```python\ndef v(x, {default}):\n    {code}\n```\n"
    assert [i["status"] for i in report(tmp_path, text) if i["kind"] == "code"] == expected


SIZES = [
    ("a square of scores", "def attention(Q, K, V):\n    n = Q.shape[0]\n    S = torch.zeros(n, n) + Q @ K.T\n    return S @ V", "undecided", ["n = m"]),
    ("any lengths", "def attention(Q, K, V):\n    return Q @ K.T @ V", "proved", []),
    ("blocks", "def attention(Q, K, V):\n    O = 0\n    for i in range(0, len(K), 4):\n        O = O + Q @ K[i:i + 4].T @ V[i:i + 4]\n    return O", "proved", ["m = 4*w"]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "code", "status", "expected"), SIZES, ids=[r[0] for r in SIZES])
def test_what_code_supposes_of_the_sizes_of_arguments_is_said(
    tmp_path: Path, name: str, code: str, status: str, expected: list[str]
) -> None:
    text = r"For $Q \in \mathbb{R}^{n \times d}$, $K \in \mathbb{R}^{m \times d}$, $V \in \mathbb{R}^{m \times v}$ $$\text{Attention}(Q, K, V) = QK^\top V$$"
    items = [i for i in report(tmp_path, f"{text}\n\n```python\nimport torch\n{code}\n```\n") if i["kind"] == "code"]
    assert [(i["status"], [a["text"] for a in i["assumptions"]]) for i in items] == [(status, expected)]


WAVES = r"""$$PE_{(pos,2i)} = \sin\left(\frac{pos}{10000^{2i/d_{model}}}\right)$$

$$PE_{(pos,2i+1)} = \cos\left(\frac{pos}{10000^{2i/d_{model}}}\right)$$

"""
APPLIED = r"The encoding is $$PE(pos, 2i) = \sin(pos / 10000^{2i/d}), \quad PE(pos, 2i+1) = \cos(pos / 10000^{2i/d}).$$"
LOOPS = (
    "def {}(length, d_model):\n    P = np.zeros((length, d_model))\n    for pos in range(length):\n        for i in {}:\n"
    "            P[pos, {}] = np.{}(pos / 10000 ** ({} / d_model))\n            P[pos, {} + 1] = np.cos(pos / 10000 ** ({} / d_model))\n    return P"
)
MODULE = (
    "class PositionalEncoding(nn.Module):\n    def __init__(self, d_model, max_len=5000):\n        super().__init__()\n"
    "        pe = torch.zeros(max_len, d_model)\n        position = torch.arange(max_len).unsqueeze(1)\n"
    "        scale = torch.exp(torch.arange(0, d_model, 2) * -(math.log(10000.0) / d_model))\n"
    "        pe[:, 0::2] = torch.sin(position * scale)\n        pe[:, 1::2] = torch.cos(position * scale)\n        self.pe = pe\n\n"
    "    def forward(self, x):\n        return x + self.pe[:x.size(1)]"
)
ANGLES = (
    "def positional_encoding(length, d):\n    a = np.arange(length)[:, None] / np.power(10000, 2 * (np.arange(d)[None] // 2) / d)\n"
    "    a[:, 0::2] = np.sin(a[:, 0::2])\n    a[:, 1::2] = np.cos(a[:, 1::2])\n    return a"
)
FREQUENCIES = r"The frequencies are $\theta_i = 10000^{-2i/d}$ for $i = 0, 1, \dots, d/2 - 1$."
ROTATIONS = (
    "def precompute(d, n, base=10000.0):\n    theta = 1.0 / (base ** (torch.arange(0, d, 2)[: (d // 2)].float() / {}))\n"
    "    freqs = torch.outer(torch.arange(n), theta)\n    return torch.cos(freqs), torch.sin(freqs)"
)
ENCODINGS = [
    ("steps of two", WAVES, LOOPS.format("PE", "range(0, d_model, 2)", "i", "sin", "i", "i", "i"), ["proved"]),
    ("halves", WAVES, LOOPS.format("PE", "range(int(d_model / 2))", "2 * i", "sin", "2 * i", "2 * i", "2 * i"), ["proved"]),
    ("twice the exponent", WAVES, LOOPS.format("PE", "range(0, d_model, 2)", "i", "sin", "2 * i", "i", "2 * i"), ["refuted"]),
    ("two cosines", WAVES, LOOPS.format("PE", "range(0, d_model, 2)", "i", "cos", "i", "i", "i"), ["refuted"]),
    ("a name that is spelled out", WAVES, LOOPS.format("positional_encoding", "range(0, d_model, 2)", "i", "sin", "i", "i", "i"), ["proved"]),
    ("a name that is spelled out, wrong", WAVES, LOOPS.format("positional_encoding", "range(0, d_model, 2)", "i", "cos", "i", "i", "i"), ["undecided"]),
    ("inside a module", WAVES, MODULE, ["proved"]),
    ("angles at once", APPLIED, ANGLES, ["proved"]),
    ("frequencies, for even d", FREQUENCIES, ROTATIONS.format("d"), ["proved"]),
    ("frequencies with another power", FREQUENCIES, ROTATIONS.format("(d // 2)"), ["refuted"]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "code", "expected"), ENCODINGS, ids=[r[0] for r in ENCODINGS])
def test_positional_encodings(tmp_path: Path, name: str, text: str, code: str, expected: list[str]) -> None:
    block = f"```python\nimport math\nimport numpy as np\nimport torch\nfrom torch import nn\n{code}\n```\n"
    assert [i["status"] for i in report(tmp_path, text + "\n\n" + block) if i["kind"] == "code"] == expected


ONE_HEAD = r"""Let $X \in \mathbb{R}^{n \times d}$ and for $i = 1, \dots, h$ let $W_i^Q, W_i^K, W_i^V \in \mathbb{R}^{d \times k}$.

$$\text{head}_i = \text{softmax}\left(\frac{X W_i^Q (X W_i^K)^\top}{\sqrt{k}}\right) X W_i^V$$

"""
HEAD = "def {}:\n    q, k, v = X @ W_Q{}, X @ W_K{}, X @ W_V{}\n    return torch.softmax({} / k.shape[-1] ** 0.5, dim=-1) @ v"
HEAD_MEMBERS = [
    ("matrices of one head", HEAD.format("head(X, W_Q, W_K, W_V)", "", "", "", "q @ k.T"), ["proved"]),
    ("the number of the head", HEAD.format("head(X, W_Q, W_K, W_V, i)", "[i]", "[i]", "[i]", "q @ k.T"), ["proved"]),
    ("a name with the index", HEAD.format("head_i(X, W_Q, W_K, W_V, i)", "[i]", "[i]", "[i]", "q @ k.T"), ["proved"]),
    ("keys and queries swapped", HEAD.format("head(X, W_Q, W_K, W_V)", "", "", "", "k @ q.T"), ["refuted"]),
    ("the values of the first head", HEAD.format("head(X, W_Q, W_K, W_V, i)", "[i]", "[i]", "[0]", "q @ k.T"), ["refuted"]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "code", "expected"), HEAD_MEMBERS, ids=[r[0] for r in HEAD_MEMBERS])
def test_one_head_of_a_family(tmp_path: Path, name: str, code: str, expected: list[str]) -> None:
    items = report(tmp_path, ONE_HEAD + f"```python\nimport torch\n{code}\n```\n")
    assert [i["status"] for i in items if i["kind"] == "code"] == expected


def test_a_function_whose_equation_was_not_read_is_named(tmp_path: Path) -> None:
    text = r"$$\text{weights}(s) = \lim_{t \to 0} s^t$$ and $$\text{other}(s) = s$$"
    code = "def weights(s):\n    return s\n\ndef unknown(s):\n    return s"
    items = [i for i in report(tmp_path, f"{text}\n\n```python\n{code}\n```\n") if i["kind"] == "code"]
    assert [(i["status"], i["code"]) for i in items] == [("undecided", "unread-equation"), ("skipped", "unlinked")]
    assert items[0]["reason"].startswith("the equation of weights was not read: lim")


def test_a_link_without_code_is_said_to_be_one(tmp_path: Path) -> None:
    text = SHAPES + "$$S = QK^\\top$$\n\n<!-- check: scores(Q, K) = S -->\n<!-- check: scored = S -->\n\n" + PRELUDE
    items = report(tmp_path, text + "```python\ndef scores(Q, K):\n    return Q @ K.T\n```\n")
    assert [(i["status"], i["where"]["line"]) for i in items] == [("undecided", 6), ("proved", 16)]
    assert items[0]["reason"] == "no code after this comment gives a value to scored"


FLASH = (
    "def flash(Q, K, V, B=2):\n    n, d = Q.shape\n"
    "    M, L, O = torch.full((n, 1), -math.inf), torch.zeros(n, 1), torch.zeros(n, V.shape[1])\n"
    "    for j in range(0, K.shape[0], B):\n        S_ = Q @ K[j:j + B].T / math.sqrt(d)\n"
    "        M_new = torch.maximum(M, S_.max(dim=1, keepdim=True).values)\n"
    "        P, c = torch.exp(S_ - M_new), torch.exp(M - M_new)\n"
    "        L, O, M = L * c + P.sum(dim=1, keepdim=True), O * c + P @ V[j:j + B], M_new\n    return O / L\n"
)
STATES = [
    ("a state that is divided in the end", FLASH, {"O": {"proved"}, "def": {"proved"}}),
    ("a state that is not rescaled", FLASH.replace("O * c + P", "O + P"), {"O": {"refuted"}}),
    ("a state that is returned", FLASH.replace("return O / L", "return O"), {"O": {"refuted"}, "L,": {"refuted"}}),
]


@pytest.mark.parametrize(("name", "code", "expected"), STATES, ids=[r[0] for r in STATES])
def test_the_state_of_a_loop_is_not_what_the_function_returns(
    tmp_path: Path, name: str, code: str, expected: dict[str, set[str]]
) -> None:
    found = statuses(tmp_path, SCORES, INPUTS + code + "O = flash(Q, K, V)")
    decided = {s.split()[0]: {x for x in r if x in ("proved", "refuted")} for s, r in found.items()}
    assert {k: v for k, v in decided.items() if v} == expected


PLANTED = """import os
os.system("touch {mark}")
().__class__.__mro__[1].__subclasses__()

def mark(f):
    open("{mark}", "w")
    return f

def attention(Q, K, V, a=open("{mark}", "w"), b=__import__("os").system("touch {mark}")):
    print(open("{mark}", "w"), f"{{os.system('touch {mark}')}}")
    assert __import__("os").system("touch {mark}")
    return F.softmax(Q @ K.T / Q.shape[-1] ** 0.5, -1) @ V

@mark
def compute_attention(Q, K, V, a=().__class__.__mro__[1].__subclasses__()):
    return F.softmax(Q @ K.T / Q.shape[-1] ** 0.5, -1) @ V
"""


def test_nothing_of_a_linked_function_is_executed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "empty"
    folder.mkdir()
    monkeypatch.chdir(folder)
    mark = tmp_path / "mark"
    found = statuses(tmp_path, ATTENTION, PLANTED.format(mark=mark))
    assert [s for r in found.values() for s in r] == ["proved", "skipped"]
    assert not mark.exists()
    assert not list(folder.iterdir())
