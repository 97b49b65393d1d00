"""Parameters that hold several arrays, under names, keys and attributes; and objects that keep a state."""

from __future__ import annotations

from pathlib import Path

import pytest
from derivations.reports.run.check import check_documents

LAYERS = (
    "Let $x \\in \\mathbb{R}^n$, $W_1 \\in \\mathbb{R}^{m \\times n}$, $b_1 \\in \\mathbb{R}^m$, "
    "$W_2 \\in \\mathbb{R}^{p \\times m}$.\n\n$$h = \\tanh(W_1 x + b_1)$$\n\n$$y = W_2 h$$\n"
)
GRADIENT = (
    "Let $x \\in \\mathbb{R}^n$, $g \\in \\mathbb{R}^n$, $s \\in \\mathbb{R}$.\n\n"
    "$$d_i = s (g_i - x_i \\sum_{j=1}^n x_j g_j)$$\n"
)
ADAM = (
    "Let $\\eta > 0$ and $\\epsilon > 0$.\n\n"
    "$$m_t = \\beta_1 m_{t-1} + (1 - \\beta_1) g_t$$\n\n$$v_t = \\beta_2 v_{t-1} + (1 - \\beta_2) g_t^2$$\n\n"
    "$$\\hat m_t = \\frac{m_t}{1 - \\beta_1^t}, \\qquad \\hat v_t = \\frac{v_t}{1 - \\beta_2^t}$$\n\n"
    "$$\\theta_t = \\theta_{t-1} - \\eta \\frac{\\hat m_t}{\\sqrt{\\hat v_t} + \\epsilon}$$\n\n"
    "<!-- check: step = \\theta_t -->\n"
)
NETWORK = "def y(x, {0}):\n    {1}return {2} @ np.tanh({3} @ x {5} {4})"
BY_KEY = ("params", "", 'params["W2"]', 'params["W1"]', 'params["b1"]')
BY_ATTRIBUTE = ("p", "", "p.W2", "p.W1", "p.b1")
UNPACKED = ("weights", "W1, b1, W2 = weights\n    ", "W2", "W1", "b1")
INNER = "def hidden(x, p):\n    return np.tanh(p['W1'] @ x {0} p['b1'])\n\n\ndef y(x, p):\n    return p['W2'] @ hidden(x, p)"
CACHE = "def d(g, cache):\n    x, s = cache\n    return s * (g {0} x * (x @ g))"
REUSED = "def y(x, p):\n    p['h'] = np.tanh(p['W1'] @ x + p['b1'])\n    p['h'] {0}= 1\n    return p['W2'] @ p['h']"
STEP = (
    "    m = b1 * m + (1 - b1) * g\n    v = b2 * v + (1 - b2) * g ** 2\n"
    "    m_hat = m / (1 - b1 ** t)\n    v_hat = v / (1 - b2 ** {0})\n"
    "    return theta - lr * m_hat / (np.sqrt(v_hat) + eps), m, v"
)
CASES = {
    "keys": (LAYERS, NETWORK.format(*BY_KEY, "+"), "proved"),
    "keys, wrong": (LAYERS, NETWORK.format(*BY_KEY, "-"), "refuted code-differs"),
    "attributes": (LAYERS, NETWORK.format(*BY_ATTRIBUTE, "+"), "proved"),
    "attributes, wrong": (LAYERS, NETWORK.format(*BY_ATTRIBUTE, "-"), "refuted code-differs"),
    "parts of a tuple": (LAYERS, NETWORK.format(*UNPACKED, "+"), "proved"),
    "parts of a tuple, wrong": (LAYERS, NETWORK.format(*UNPACKED, "-"), "refuted code-differs"),
    "handed to another function": (LAYERS, INNER.format("+"), "proved"),
    "handed to another function, wrong": (LAYERS, INNER.format("-"), "refuted code-differs"),
    "a cache": (GRADIENT, CACHE.format("-"), "proved"),
    "a cache, wrong": (GRADIENT, CACHE.format("+"), "refuted code-differs"),
    "a key that is written first": (LAYERS, REUSED.format("*"), "proved"),
    "a key that is written first, wrong": (LAYERS, REUSED.format("+"), "refuted code-differs"),
    "a test of what is in it": (LAYERS, "def y(x, p):\n    if 'b1' in p:\n        x = x + 0\n    return p['W2'] @ np.tanh(p['W1'] @ x + p['b1'])", "skipped not-lifted"),
    "two of one name": (LAYERS, "def y(x, p, grads):\n    return p['W2'] @ np.tanh(p['W1'] @ x + grads['W1'])", "skipped shape-conflict"),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_functions(name: str, tmp_path: Path) -> None:
    text, code, wanted = CASES[name]
    assert verdicts(text, code, tmp_path)[-1] == wanted


def verdicts(text: str, code: str, folder: Path) -> list[str]:
    path = folder / "note.md"
    path.write_text(f"{text}\n```python\nimport numpy as np\n\n\n{code}\n```\n")
    made, errors = check_documents([path], numbers=False)
    assert not errors
    items = [i for d in made["documents"] for i in d["items"] if i["kind"] == "code"]
    return [" ".join(filter(None, (i["status"], i["code"]))) for i in items if i["source"].startswith("def ")]
