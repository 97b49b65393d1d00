"""Backward passes by hand against the derivative of the forward pass: classes, autograd functions, pairs of functions."""

from __future__ import annotations

from pathlib import Path

import pytest
from derivations.reports.run.check import check_documents

TANH = (
    "class Tanh:\n    def forward(self, x):\n        self.y = np.tanh(x)\n        return self.y\n\n"
    "    def backward(self, grad):\n        return {back}"
)
LINEAR = (
    "class Linear:\n    def __init__(self, p, q, rng):\n        self.W = rng.standard_normal((p, q))\n        self.b = np.zeros(q)\n\n"
    "    def forward(self, X):\n        self.X = X\n        return X @ self.W + self.b\n\n"
    "    def backward(self, grad):\n        self.dW = {weight}\n        return grad @ self.W.T"
)
SOFTMAX = (
    "class Softmax:\n    def forward(self, x):\n        e = np.exp(x - x.max(-1, keepdims=True))\n"
    "        self.s = e / e.sum(-1, keepdims=True)\n        return self.s\n\n"
    "    def backward(self, g):\n        return self.s * (g - (g * self.s).sum(-1, keepdims=True))"
)
MATMUL = (
    "class MatMul(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, a, b):\n"
    "        ctx.save_for_backward(a, b)\n        return a @ b\n\n    @staticmethod\n    def backward(ctx, out):\n"
    "        a, b = ctx.saved_tensors\n        return out @ b.t(), {second}"
)
NORM = (
    "def norm_forward(x, g, b):\n{said}    c = x - x.mean(0)\n    return g * c + b, (c, g)\n\n"
    "def norm_backward(dout, cache):\n    c, g = cache\n    d = dout * g\n    return d - d.mean(0), {gain}, dout.sum(0)"
)
SAID = '    """x: (N, D), g and b: (D,)"""\n'
CASES = {
    "a class": (TANH.format(back="grad * (1 - self.y ** 2)"), ["proved"]),
    "a class, wrong": (TANH.format(back="grad * (1 - self.y)"), ["refuted"]),
    "wrong, but of what is no gradient": (TANH.replace("grad", "z").format(back="z * (1 - self.y)"), []),
    "a gradient that is kept": (LINEAR.format(weight="self.X.T @ grad"), ["proved"]),
    "a gradient that is kept, wrong": (LINEAR.format(weight="grad.T @ self.X"), ["refuted"]),
    "a gradient with the axes of its input for equal lengths only": (
        LINEAR.format(weight="self.X.T @ grad").replace("self.W.T", "self.W").replace("X @ self.W + ", "X @ self.W.T + "),
        ["refuted"],
    ),
    "a softmax without its largest entry": (SOFTMAX, ["proved"]),
    "a softmax without its largest entry, wrong": (SOFTMAX.replace("(self, g)", "(self, grad)").replace("g * self.s", "grad").replace("(g -", "(grad -"), ["refuted"]),
    "weights that are computed, and a wrong gradient that is kept": (
        LINEAR.format(weight="2 * self.X.T @ grad").replace("standard_normal((p, q))", "standard_normal((p, q)) / np.sqrt(p)"),
        ["refuted"],
    ),
    "what is kept under another name": (LINEAR.format(weight="self.X.T @ grad").replace("self.dW", "self.update"), []),
    "more values than inputs": (LINEAR.format(weight="self.X.T @ grad").replace("self.W.T", "self.W.T, 2 * self.dW"), []),
    "an autograd function": (MATMUL.format(second="a.t() @ out"), ["proved"]),
    "an autograd function, wrong": (MATMUL.format(second="a.t() @ out.t()"), ["refuted"]),
    "a pair of functions": (NORM.format(said=SAID, gain="(dout * c).sum(0)"), ["proved"]),
    "a pair of functions without a sum": (NORM.format(said=SAID, gain="dout * c"), []),
    "a sum that may be missing": (NORM.format(said="", gain="dout * c"), []),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_backward_passes(name: str, tmp_path: Path) -> None:
    code, wanted = CASES[name]
    path = tmp_path / "passes.md"
    path.write_text(f"# Passes\n\n```python\nimport numpy as np\nimport torch\n\n{code}\n```\n")
    made, errors = check_documents([path], numbers=False)
    assert not errors
    items = [i for d in made["documents"] for i in d["items"] if i["kind"] == "code"]
    assert [i["status"] for i in items if "def backward" in i["source"] or "_backward" in i["source"]] == wanted
