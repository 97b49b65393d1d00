"""Parameters that hold several arrays, under names, keys and attributes; and objects that keep a state."""

from __future__ import annotations

from pathlib import Path
from typing import Any

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
    "Let $\\theta, g \\in \\mathbb{R}^n$ and $\\eta > 0$, $\\epsilon > 0$.\n\n"
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
TUPLE = """
def step(theta, g, m, v, t, lr, betas=(0.9, 0.999), eps=1e-8):
    {0}, {1} = betas
    m = b1 * m + (1 - b1) * g
    v = b2 * v + (1 - b2) * g ** 2
    return theta - lr * (m / (1 - b1 ** t)) / (np.sqrt(v / (1 - b2 ** t)) + eps), m, v
"""
STATE = """
def step(theta, g, state, lr, beta1=0.9, beta2=0.999, eps=1e-8):
    state["t"] += 1
    state["m"] = beta1 * state["m"] + (1 - beta1) * g
    state["v"] = beta2 * state["v"] + (1 - beta2) * g ** 2
    m_hat = state["m"] / (1 - beta1 ** {0})
    v_hat = state["v"] / (1 - beta2 ** state["t"])
    return theta - lr * m_hat / (np.sqrt(v_hat) + eps)
"""
KEPT = """
def step(theta, g, state, lr=1e-3, beta1=0.9, beta2=0.999, eps=1e-8):
    t = state["t"] = state.get("t", 0) + 1
    m = beta1 * state.get("m", 0.0) + (1 - beta1) * g
    v = state.setdefault("v", np.zeros_like(theta)) * beta2 + (1 - beta2) * g {0}
    state["m"], state["v"] = m, v
    return theta - lr * (m / (1 - beta1 ** t)) / (np.sqrt(v / (1 - beta2 ** t)) + eps)
"""
LION = (
    "Let $\\theta_t, g_t \\in \\mathbb{R}^n$ and $\\eta > 0$.\n\n"
    "$$c_t = \\beta_1 m_{t-1} + (1 - \\beta_1) g_t$$\n\n$$\\theta_t = \\theta_{t-1} - \\eta \\tanh(c_t)$$\n\n"
    "$$m_t = \\beta_2 m_{t-1} + (1 - \\beta_2) g_t$$\n\n<!-- check: step = \\theta_t -->\n"
)
LATE = """
def step(theta, g, state, lr, beta1=0.9, beta2=0.99):
    m = state.get("m", np.zeros_like(theta))
    c = beta1 * m + (1 - beta1) * g
    state["m"] = beta2 * m + (1 - beta2) * g
    return theta - lr * np.tanh({0})
"""
OBJECT = """
class Adam:
    def __init__(self, lr=1e-3, betas=(0.9, 0.999), eps=1e-8):
        self.lr, self.betas, self.eps = lr, betas, eps
        self.m = self.v = 0.0
        self.t = {0}

    def step(self, theta, g):
        b1, b2 = self.betas
        self.t += 1
        self.m = b1 * self.m + (1 - b1) * g
        self.v = b2 * self.v + (1 - b2) * g ** 2
        m_hat = self.m / (1 - b1 ** self.t)
        v_hat = self.v / (1 - b2 ** self.t)
        return theta - self.lr * m_hat / (np.sqrt(v_hat) + self.eps)
"""
NOTED = "class Twice:\n    def __init__(self):\n        self.seen = None\n\n    def forward(self, x, g, s):\n        if self.seen is None:\n            self.seen = 1\n            return s * (g - x * (x @ g))\n        return {0}"
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
    "numbers of a tuple": (ADAM, TUPLE.format("b1", "b2"), "proved"),
    "numbers of a tuple, exchanged": (ADAM, TUPLE.format("b2", "b1"), "refuted code-differs"),
    "a state that the caller keeps": (ADAM, STATE.format('state["t"]'), "proved"),
    "a state that the caller keeps, wrong": (ADAM, STATE.format('(state["t"] + 1)'), "refuted code-differs"),
    "a state that starts by default": (ADAM, KEPT.format("** 2"), "proved"),
    "a state that starts by default, wrong": (ADAM, KEPT.format(""), "refuted code-differs"),
    "a state that is changed after it was used": (LION, LATE.format("c"), "proved"),
    "a state that is used after it was changed": (LION, LATE.format('state["m"]'), "undecided unlinked-input"),
    "a state of an object": (ADAM.replace("step", "Adam.step"), OBJECT.format(0), "proved"),
    "a state of an object, that starts too late": (ADAM.replace("step", "Adam.step"), OBJECT.format(1), "refuted code-differs"),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_functions(name: str, tmp_path: Path) -> None:
    text, code, wanted = CASES[name]
    assert [" ".join(filter(None, (i["status"], i["code"]))) for i in found(text, code, tmp_path)][-1] == wanted


def test_says_that_it_is_the_first_call(tmp_path: Path) -> None:
    text = GRADIENT + "\n<!-- check: Twice = d -->\n"
    item = found(text, NOTED, tmp_path)[-1]
    assert item["status"] == "proved"
    assert "seen is what it is when the object is made" in str(item["assumptions"])


def test_refuses_a_first_call_as_an_error(tmp_path: Path) -> None:
    item = found(GRADIENT + "\n<!-- check: Twice = d -->\n", NOTED.replace("g - x", "g + x"), tmp_path)[-1]
    assert (item["status"], item["code"]) == ("undecided", "ambiguous")


def found(text: str, code: str, folder: Path) -> list[dict[str, Any]]:
    path = folder / "note.md"
    path.write_text(f"{text}\n```python\nimport numpy as np\n\n\n{code}\n```\n")
    made, errors = check_documents([path], numbers=False)
    assert not errors
    items = [i for d in made["documents"] for i in d["items"] if i["kind"] == "code"]
    return [i for i in items if i["source"].startswith(("def ", "class "))]
