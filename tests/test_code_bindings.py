"""What the names of code stand for: by evidence, for the axes that the document gives, and never by what proves."""

from __future__ import annotations

from pathlib import Path

import pytest
from derivations.reports.run.check import check_documents

from derivations.code.parameter_names import EVIDENCE
from derivations.code.said_axes import said_in

AFFINE = "For $x, a, b \\in \\mathbb{R}^d$ $$\\text{Affine}(x)_i = a_i \\, x_i + b_i$$\n\n"
LAYERS = "For $x \\in \\mathbb{R}^{n \\times d}$ and $W_1, W_2 \\in \\mathbb{R}^{d \\times d}$ $$\\text{MLP}(x) = \\tanh(x W_1) W_2$$\n\n"
ROOT = "For $x \\in \\mathbb{R}^d$ $$\\text{Scaled}(x)_i = \\frac{x_i}{\\sum_{j=1}^d x_j^2 + 1}$$\n\n"
SCORES = "For $Q, K \\in \\mathbb{R}^{n \\times d}$, with the softmax of each row, $$\\text{Weights}(Q, K) = \\text{softmax}(QK^\\top)$$\n\n"


def verdicts(tmp_path: Path, text: str) -> list[tuple[str, str | None]]:
    """Status and code of what is found about the function or class of a document."""
    path = tmp_path / "lesson.md"
    path.write_text(text, encoding="utf-8")
    made, errors = check_documents([path], numbers=False)
    assert not errors
    items = [i for i in made["documents"][0]["items"] if i["kind"] == "code"]
    return [(i["status"], i["code"]) for i in items if i["source"].startswith(("def ", "class "))]


def python(*lines: str) -> str:
    return "```python\nimport torch\nimport torch.nn as nn\n" + "\n".join(lines) + "\n```\n"


def affine(first: str, second: str, result: str) -> str:
    return AFFINE + python(
        "class Affine(nn.Module):",
        "    def __init__(self, d):",
        "        super().__init__()",
        f"        self.{first}",
        f"        self.{second}",
        "    def forward(self, x):",
        f"        return {result}",
    )


def layers(first: str, second: str, result: str) -> str:
    return affine(first, second, result).replace(AFFINE, LAYERS).replace("Affine", "MLP")


RANDOM = "nn.Parameter(torch.randn(d))"
PARAMETERS = [
    ("nothing tells", affine(f"one = {RANDOM}", f"two = {RANDOM}", "self.one * x + self.two"), "undecided", "ambiguous"),
    ("a comment", affine(f"one = {RANDOM}  # a", f"two = {RANDOM}  # b", "self.one * x + self.two"), "proved", None),
    ("the other comment", affine(f"one = {RANDOM}  # b", f"two = {RANDOM}  # a", "self.one * x + self.two"), "undecided", None),
    ("an initial value", affine("one = nn.Parameter(torch.ones(d))", "two = nn.Parameter(torch.zeros(d))", "self.one * x + self.two"), "proved", None),
    ("the other initial value", affine("one = nn.Parameter(torch.zeros(d))", "two = nn.Parameter(torch.ones(d))", "self.one * x + self.two"), "undecided", None),
    ("a word", affine(f"gain = {RANDOM}", f"shift = {RANDOM}", "self.gain * x + self.shift"), "proved", None),
    ("the other word", affine(f"gain = {RANDOM}", f"shift = {RANDOM}", "self.shift * x + self.gain"), "undecided", None),
    ("the same number", layers("fc1 = nn.Linear(d, d, bias=False)", "fc2 = nn.Linear(d, d, bias=False)", "self.fc2(torch.tanh(self.fc1(x)))"), "proved", None),
    ("from zero", layers("fc0 = nn.Linear(d, d, bias=False)", "fc1 = nn.Linear(d, d, bias=False)", "self.fc1(torch.tanh(self.fc0(x)))"), "proved", None),
    ("the other number", layers("fc1 = nn.Linear(d, d, bias=False)", "fc2 = nn.Linear(d, d, bias=False)", "self.fc1(torch.tanh(self.fc2(x)))"), "undecided", None),
    ("no number", layers("left = nn.Linear(d, d, bias=False)", "right = nn.Linear(d, d, bias=False)", "self.right(torch.tanh(self.left(x)))"), "undecided", "ambiguous"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "status", "code"), PARAMETERS, ids=[r[0] for r in PARAMETERS])
def test_parameters_of_layers(tmp_path: Path, name: str, text: str, status: str, code: str | None) -> None:
    ((found, why),) = verdicts(tmp_path, text)
    assert found == status
    assert code is None or why == code


def test_every_row_of_evidence_says_what_it_is() -> None:
    assert len({row.name for row in EVIDENCE}) == len(EVIDENCE)
    assert all(row.example for row in EVIDENCE)


def norm(axis: str, said: str) -> str:
    return ROOT + python("def scaled(x):" + said, f"    return x / ((x ** 2).sum({axis}, keepdim=True) + 1)")


def weights(axis: int, said: str) -> str:
    return SCORES + python(
        "def weights(Q, K):" + said, f"    return torch.softmax(Q @ K.transpose(-2, -1), dim={axis})"
    )


AXES = [
    ("nothing is said", norm("0", ""), "proved"),
    ("a batch in a comment", norm("0", "  # x: (B, T, d)"), "refuted"),
    ("a batch in a comment, right", norm("-1", "  # x: (B, T, d)"), "proved"),
    ("a column is a vector", norm("0", "  # x: (d, 1)"), "proved"),
    ("a docstring", norm("0", '\n    """Scale x of shape (batch, len, d)."""'), "refuted"),
    ("a call", norm("0", "") + python("y = scaled(torch.randn(3, 4, 5))"), "undecided"),
    ("columns, not rows", norm("0", "  # x: (d, N)"), "proved"),
    ("axes of other names", norm("0", "  # x: (tokens, channels)"), "undecided"),
    ("a call with one vector", norm("0", "") + python("y = scaled(torch.randn(5))"), "proved"),
    ("both arguments", weights(1, "  # Q, K: (B, n, d)"), "refuted"),
    ("both arguments, right", weights(2, "  # Q, K: (B, n, d)"), "proved"),
    ("beside a name inside", SCORES + python("def weights(Q, K):", "    S = Q @ K.transpose(-2, -1)  # (B, n, n)", "    return torch.softmax(S, dim=1)"), "undecided"),
    ("beside a name inside, right", SCORES + python("def weights(Q, K):", "    S = Q @ K.transpose(-2, -1)  # (B, n, n)", "    return torch.softmax(S, dim=-1)"), "proved"),
    ("an annotation", norm("0", "").replace("scaled(x)", 'scaled(x: Float[Tensor, "b t d"])'), "refuted"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "status"), AXES, ids=[r[0] for r in AXES])
def test_leading_axes_that_the_document_gives(tmp_path: Path, name: str, text: str, status: str) -> None:
    assert [s for s, _ in verdicts(tmp_path, text)] == [status]


LAYER = """A layer computes

$$z = X {0} + b, \\qquad h_i = \\max(0, z_i).$$

```python
import numpy as np
X = np.array([[1.0, -1.0], [0.5, 2.0], [-1.5, 1.0]])
{1} = np.array([[0.4, -0.3, 0.2], [0.1, 0.5, -0.4]])
b = np.array([0.05, -0.1, 0.2])

z = X @ {1} + b
```
"""
"""An equation without shapes, and code in which the weights are a matrix."""


@pytest.mark.parametrize(("written", "status"), [("w", "undecided"), ("W", "proved"), ("W_1", "proved")])
def test_weights_whose_axes_nobody_declares(tmp_path: Path, written: str, status: str) -> None:
    path = tmp_path / "lesson.md"
    text = LAYER.format(written, written.replace("_", ""))
    path.write_text(
        text.replace("h_i = \\max(0, z_i)", "h = \\max(0, z)") if written != "w" else text, encoding="utf-8"
    )
    made, errors = check_documents([path], numbers=False)
    assert not errors
    items = [i for i in made["documents"][0]["items"] if i["kind"] == "code"]
    assert [i["status"] for i in items if i["source"].startswith("z = ")] == [status]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("x: (B, T, C)", {"x": ("B", "T", "C")}),
        ("q, k, v: [batch, heads, n, d_k]", dict.fromkeys("qkv", ("batch", "heads", "n", "d_k"))),
        ("x has shape (batch, len)", {"x": ("batch", "len")}),
        ("x is a column (d, 1)", {"x": ("d",)}),
        ("attention(q, k, v) of all tokens", {}),
        ("multiply x by (q, k)", {}),
        ("x, then something (with, words)", {}),
    ],
)
def test_axes_of_names(line: str, expected: dict[str, tuple[str, ...]]) -> None:
    assert dict(said_in(line, ["x", "q", "k", "v"])) == expected


LENGTHS = [
    ("two widths", LAYERS.replace("W_1, W_2 \\in \\mathbb{R}^{d \\times d}", "W_1 \\in \\mathbb{R}^{d \\times f}, W_2 \\in \\mathbb{R}^{f \\times d}")
     + python("class MLP(nn.Module):", "    def __init__(self, d):", "        super().__init__()", "        self.fc1 = nn.Linear(d, d, bias=False)",
              "        self.fc2 = nn.Linear(d, d, bias=False)", "    def forward(self, x):", "        return self.fc2(torch.tanh(self.fc1(x)))"), ("undecided", "vacuous")),
    ("a guard that is a length", ROOT.replace("+ 1", "+ \\epsilon") + python("def scaled(x):", "    return x / ((x ** 2).sum() + x.shape[0])"), ("undecided", "ambiguous")),
    ("a bare size of another argument", "For queries, keys and values $$\\text{Mix}(Q, K, V) = \\frac{QK^\\top}{\\sqrt{d_k}} V$$\n\n"
     + python("def mix(Q, K, V):", "    return Q @ K.T / V.shape[-1] ** 0.5 @ V"), ("undecided", "ambiguous")),
    ("a bare size", "For queries, keys and values $$\\text{Mix}(Q, K, V) = \\frac{QK^\\top}{\\sqrt{d_k}} V$$\n\n"
     + python("def mix(Q, K, V):", "    return Q @ K.T / Q.shape[-1] ** 0.5 @ V"), ("proved", None)),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "expected"), LENGTHS, ids=[r[0] for r in LENGTHS])
def test_lengths_that_only_the_proof_equates(
    tmp_path: Path, name: str, text: str, expected: tuple[str, str | None]
) -> None:
    assert verdicts(tmp_path, text) == [expected]


@pytest.mark.parametrize(
    ("shape", "divisor", "status"),
    [
        ("2, 2", "Q.shape[0] ** 0.5", "undecided"),
        ("2, 2", "Q.shape[1] ** 0.5", "proved"),
        ("5, 4", "2", "proved"),
        ("4, 4", "2", "undecided"),
    ],
)
def test_numbers_that_are_two_lengths_at_once(tmp_path: Path, shape: str, divisor: str, status: str) -> None:
    path = tmp_path / "lesson.md"
    code = python(f"Q, K = torch.randn({shape}), torch.randn({shape})", f"S = Q @ K.T / {divisor}")
    path.write_text(
        "For $Q, K \\in \\mathbb{R}^{n \\times d}$ $$S = QK^\\top / \\sqrt{d}$$\n\n" + code, encoding="utf-8"
    )
    made, _ = check_documents([path], numbers=False)
    assert next(i["status"] for i in made["documents"][0]["items"] if i["source"].startswith("S = Q @")) == status


SHIFTED = (
    "For $X \\in \\mathbb{R}^{n \\times d}$ and $W \\in \\mathbb{R}^{d \\times k}$ the logits are $$Z = X W.$$\n\n"
)


def test_a_function_that_changes_its_argument_computes_no_equation_of_that_name(tmp_path: Path) -> None:
    text = SHIFTED + python(
        "def softmax(Z):",
        "    Z = Z - Z.max(dim=1, keepdim=True).values",
        "    E = torch.exp(Z)",
        "    return E / E.sum(dim=1, keepdim=True)",
        "n, d, k = 4, 3, 2",
        "X, W = torch.randn(n, d), torch.randn(d, k)",
        "Z = X @ W",
        "P = softmax(Z)",
    )
    path = tmp_path / "lesson.md"
    path.write_text(text, encoding="utf-8")
    made, errors = check_documents([path], numbers=False)
    assert not errors
    items = [i for i in made["documents"][0]["items"] if i["kind"] == "code"]
    assert "proved" in [i["status"] for i in items if i["source"] == "Z = X @ W"]
    assert not [i for i in items if i["status"] == "refuted"]


STATED = "## The text\n\nLet $$A = \\begin{bmatrix} 1 & 2 \\\\ 2 & 4 \\end{bmatrix}.$$ We start with $$P = \\begin{bmatrix} 1 & 2 \\\\ 2 & 5 \\end{bmatrix}$$\n\n"
NUMBERS = "```python\nimport numpy as np\nA = np.array([[1.0, 2.0], [2.0, 4.0]])\nP = A @ A\n```\n"


@pytest.mark.parametrize(("heading", "code"), [("", "code-differs"), ("## Another example\n\n", "ambiguous")])
def test_numbers_that_are_only_stated(tmp_path: Path, heading: str, code: str) -> None:
    path = tmp_path / "lesson.md"
    path.write_text(STATED + heading + NUMBERS, encoding="utf-8")
    made, errors = check_documents([path], numbers=False)
    assert not errors
    assert [i["code"] for i in made["documents"][0]["items"] if i["kind"] == "code"] == [code]


ELSEWHERE = (
    "## Covariance\n\nFor $Y \\in \\mathbb{R}^{n \\times p}$ and $\\mu_j = \\frac{1}{n} \\sum_{i=1}^n Y_{ij}$ let $$X_{ij} = Y_{ij} - \\mu_j$$ "
    "and $$S = \\frac{1}{n - 1} X^\\top X.$$\n\n## Code\n\n"
)
CENTRED, SCATTER = "    X = Y - Y.mean(axis=0)", "    S = X.T @ X / len(Y)"
SECTIONS = [
    ("made of what is proved", [CENTRED, SCATTER, "    return S"], ["proved", "refuted"]),
    ("right", [CENTRED, SCATTER.replace("len(Y)", "(len(Y) - 1)"), "    return S"], ["proved", "proved"]),
    ("something else is returned", [CENTRED, SCATTER, "    return S * len(Y) / (len(Y) - 1)"], ["proved", "undecided"]),
    ("made of something else", ["    Z = Y - Y.mean(axis=0)", "    S = Z.T @ Z / len(Y)", "    return S"], ["undecided"]),
    ("made of what is not proved", ["    X = Y - Y.mean(axis=0) / 2", SCATTER, "    return S"], ["undecided", "undecided"]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "lines", "expected"), SECTIONS, ids=[r[0] for r in SECTIONS])
def test_names_inside_functions_of_another_section(
    tmp_path: Path, name: str, lines: list[str], expected: list[str]
) -> None:
    path = tmp_path / "lesson.md"
    path.write_text(ELSEWHERE + python("def statistics(Y):", *lines), encoding="utf-8")
    made, errors = check_documents([path], numbers=False)
    assert not errors
    assert [i["status"] for i in made["documents"][0]["items"] if i["kind"] == "code"] == expected


def test_a_name_with_several_values_before_its_equation_is_not_refuted(tmp_path: Path) -> None:
    """`f = lambda x: …` again and again: the equation further below is about one of the later values."""
    code = "```python\nf = lambda x: x + 1\nf = lambda x: x ** 3 - 1\n```\n\n"
    path = tmp_path / "several.md"
    path.write_text(f"# Lines\n\n{code}# Parabolas\n\nFor a number $x$ let $$f(x) = x^2 .$$\n", encoding="utf-8")
    made, _ = check_documents([path], numbers=False)
    assert "refuted" not in {i["status"] for d in made["documents"] for i in d["items"]}


def test_a_value_inside_a_function_that_a_call_gives_a_leading_axis(tmp_path: Path) -> None:
    path = tmp_path / "lesson.md"
    path.write_text(
        "For $z \\in \\mathbb{R}^K$ put\n\n$$p_k = \\frac{\\exp(z_k)}{\\sum_{j=1}^{K} \\exp(z_j)}$$\n\n"
        "and for the class $c$\n\n$$\\ell(z, c) = -\\log p_c$$\n\n"
        "$$\\frac{\\partial \\ell}{\\partial z_k} = p_k - \\mathbb{1}[k = c]$$\n\n"
        + python(
            "N, K = 6, 5",
            "logits = torch.randn(N, K)",
            "target = torch.tensor([0, 3, 2, 4, 1, 3])",
            "def grad(z, c):",
            "    p = torch.softmax(z, dim=1)",
            "    p[torch.arange(len(c)), c] -= 1",
            "    return p",
            "z = logits.clone()",
            "g = grad(logits, target)",
        ),
        encoding="utf-8",
    )
    made, errors = check_documents([path], numbers=False)
    assert not errors
    assert [i["status"] for i in made["documents"][0]["items"] if i["source"].startswith("p = ")] == ["proved"]


PAIRS_OF_FEATURES = """Let $x \\in \\mathbb{R}^{T \\times d}$, and for $\\theta_i = 100^{-2i/d}$, $i = 0, \\dots, d/2 - 1$, put

$$u_{t,2i} = x_{t,2i} \\theta_i, \\qquad u_{t,2i+1} = x_{t,2i+1} \\theta_i$$

```python
import torch
def f(x):
    T, d = x.shape
    theta = 100.0 ** (-torch.arange(0, d, 2) / d)
    u = torch.empty_like(x)
    u[:, 0::2] = x[:, 0::2] * theta
    u[:, 1::2] = x[:, 1::2] * theta
    return u
```
"""


@pytest.mark.parametrize(("change", "status"), [("", "proved"), ("2 * ", "refuted")])
def test_a_length_that_the_code_cuts_in_halves_is_even(tmp_path: Path, change: str, status: str) -> None:
    path = tmp_path / "lesson.md"
    path.write_text(PAIRS_OF_FEATURES.replace("theta = ", f"theta = {change}"), encoding="utf-8")
    made, errors = check_documents([path], numbers=False)
    assert not errors
    (found,) = [i for i in made["documents"][0]["items"] if i["source"].startswith("theta = ")]
    assert found["status"] == status
    assert status == "refuted" or "2 divides d" in str(found["assumptions"])


def test_a_length_that_the_document_rounds_may_be_odd(tmp_path: Path) -> None:
    path = tmp_path / "lesson.md"
    path.write_text(PAIRS_OF_FEATURES.replace("d/2 - 1", "\\lfloor d/2 \\rfloor - 1"), encoding="utf-8")
    made, errors = check_documents([path], numbers=False)
    assert not errors
    (found,) = [i for i in made["documents"][0]["items"] if i["source"].startswith("theta = ")]
    assert found["status"] == "undecided"


RANGES = """# Angles

Each pair of features has $\\omega_i = 10^{-i}$ for $i = 0, \\dots, d/2 - 1$.

# Scores

With $Q, K \\in \\mathbb{R}^{n \\times d}$ let

$$A_{ij} = \\frac{\\exp(S_{ij})}{\\sum_k \\exp(S_{ik})}, \\qquad S = QK^\\top$$

```python
import torch
def A(Q, K):
    S = Q @ K.T
    return torch.softmax(S, dim=AXIS)
```
"""


@pytest.mark.parametrize(("axis", "status"), [("1", "proved"), ("0", "refuted")])
def test_ranges_of_other_sections(tmp_path: Path, axis: str, status: str) -> None:
    assert [s for s, _ in verdicts(tmp_path, RANGES.replace("AXIS", axis))] == [status]


def test_a_parameter_that_the_equation_does_not_use_refutes_nothing(tmp_path: Path) -> None:
    text = r"The alignment of two views is $$\text{alignment}(\mathbf{A}, \mathbf{B}) = \sum_{i=1}^{n} \|\mathbf{a}_i - \mathbf{b}_i\|^2 .$$"
    code = python("def alignment(A, B):", "    return ((A - B) ** 2).sum(1).mean()")
    assert verdicts(tmp_path, text + "\n\n" + code) == [("undecided", "ambiguous")]


def test_what_is_drawn_is_an_input(tmp_path: Path) -> None:
    text = (
        r"For $P \in \mathbb{R}^{n \times n}$ and $r, u \in \mathbb{R}^n$ $$\text{bellman}(u) = r + \gamma P u$$"
        + "\n\n"
    )
    drawn = (
        "import numpy as np",
        "rng = np.random.default_rng(0)",
        "n, gamma = 4, 0.9",
        "P = rng.dirichlet(np.ones(n), size=n)",
    )
    for product, status in (("P @ u", "proved"), ("P.T @ u", "refuted")):
        code = python(*drawn, "r = rng.exponential(size=n)", "def bellman(u):", f"    return r + gamma * {product}")
        assert [found[0] for found in verdicts(tmp_path, text + code)] == [status]
