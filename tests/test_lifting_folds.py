"""Loops that hand a value from round to round: lifted to recursive families, against the real code and closed forms."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from derivations.reports.run.check import check_documents
from flint import arb, fmpq

from derivations.language.inputs import Inputs
from derivations.language.meaning import evaluate
from derivations.language.statement import Theory
from derivations.lifting import NotLifted, _lifted, _run, equivalent, lift
from derivations.lifting.symbolic.scope import Scope
from derivations.provers.decide import Proved, Refuted

SIZES = {"n": 4, "m": 4, "d": 2, "v": 3, "B": 2}
ABSOLUTE = 1e-9
"""Double precision on numbers of size 1 and a few rounds."""
SHAPES: dict[str, Any] = {
    "x": ("n",),
    "X": ("n", "d"),
    "q": ("d",),
    "Q": ("m", "d"),
    "K": ("n", "d"),
    "V": ("n", "v"),
    "b": (),
    "B": "B",
}


def function(args: str, *lines: str) -> str:
    return f"def f({args}):\n" + "".join(f"    {line}\n" for line in lines)


def shapes_of(code: str) -> dict[str, Any]:
    parameters = code[code.index("def f(") + 6 :]
    return {name: SHAPES[name] for name in parameters[: parameters.index(")")].split(", ")}


STEP = ("s = q @ K[j]", "m_new = max(m, s)", "scale = math.exp(m - m_new)", "p = math.exp(s - m_new)")


def online(
    m: str = "m = -math.inf",
    total: str = "l = l * scale + p",
    acc: str = "acc = acc * scale + p * V[j]",
    first: str = "",
) -> str:
    rows = [first, *STEP, total, acc, "" if first else "m = m_new"]
    inner = [f"    {row}" for row in rows if row]
    start = [m, "l, acc = 0.0, torch.zeros(V.shape[1])", "for j in range(K.shape[0]):"]
    return function("q, K, V", *start, *inner, "return acc / l")


ATTENTION = function("q, K, V", "return torch.softmax(K @ q, dim=0) @ V")
CROSS = function("Q, K, V", "return torch.softmax(Q @ K.T / math.sqrt(K.shape[1]), dim=-1) @ V")
CAUSAL = function(
    "X, V",
    "mask = torch.ones(X.shape[0], X.shape[0]).tril().bool()",
    "return (X @ X.T).masked_fill(~mask, -math.inf).softmax(-1) @ V",
)
LINEAR = function("K, V", "return torch.tril(K @ K.T) @ V")
ONLINE = online()
ROWS = function(
    "Q, K, V",
    "m, l, O = torch.full((Q.shape[0],), -math.inf), torch.zeros(Q.shape[0]), torch.zeros(Q.shape[0], V.shape[1])",
    "for k, v in zip(K, V):",
    "    s = Q @ k / K.shape[1] ** 0.5",
    "    m_new = torch.maximum(m, s)",
    "    scale, p = torch.exp(m - m_new), torch.exp(s - m_new)",
    "    l, O = scale * l + p, scale[:, None] * O + torch.outer(p, v)",
    "    m = m_new",
    "return O / l[:, None]",
)
INNER = function(
    "X, V",
    "out = torch.zeros(X.shape[0], V.shape[1])",
    "for i in range(X.shape[0]):",
    "    m, l, acc = -math.inf, 0.0, torch.zeros(V.shape[1])",
    "    for j in range(i + 1):",
    "        s = X[i] @ X[j]",
    "        m_new = max(m, s)",
    "        l = l * math.exp(m - m_new) + math.exp(s - m_new)",
    "        acc = acc * math.exp(m - m_new) + math.exp(s - m_new) * V[j]",
    "        m = m_new",
    "    out[i] = acc / l",
    "return out",
)
BLOCKS = ("for j in range(0, K.shape[0], B):", "kb, vb = K[j:j + B], V[j:j + B]")
CLIPPED = ("for j in range(0, K.shape[0], B):", "end = min(j + B, K.shape[0])", "kb, vb = K[j:end], V[j:end]")
PARTS = ("for kb, vb in zip(K.split(B), V.split(B)):",)


def blocked(blocks: tuple[str, ...], total: str = "l = l * scale + p.sum(-1, keepdim=True)") -> str:
    return function(
        "Q, K, V, B",
        "n, d = Q.shape",
        "m, l, O = torch.full((n, 1), -math.inf), torch.zeros(n, 1), torch.zeros(n, V.shape[1])",
        blocks[0],
        *(f"    {row}" for row in blocks[1:]),
        "    s = Q @ kb.T / math.sqrt(d)",
        "    m_new = torch.maximum(m, s.max(dim=-1, keepdim=True).values)",
        "    p, scale = torch.exp(s - m_new), torch.exp(m - m_new)",
        f"    {total}",
        "    O = O * scale + p @ vb",
        "    m = m_new",
        "return O / l",
    )


MEAN = function("X", "return X.mean(0)")
RUNNING = function(
    "X",
    "mean, count = torch.zeros(X.shape[1]), 0",
    "for row in X:",
    "    count += 1",
    "    mean += (row - mean) / count",
    "return mean",
)
FIRST = function(
    "X",
    "mean = X[0]",
    "for i in range(1, X.shape[0]):",
    "    mean = mean + (X[i] - mean) / (i + 1)",
    "return mean",
)
STATE = function(
    "K, V",
    "S, out = torch.zeros(K.shape[1], V.shape[1]), []",
    "for k, v in zip(K, V):",
    "    S = S + torch.outer(k, v)",
    "    out.append(k @ S)",
    "return torch.stack(out)",
)
IN_PLACE = function(
    "K, V",
    "S, out = torch.zeros(K.shape[1], V.shape[1]), torch.zeros(K.shape[0], V.shape[1])",
    "for t in range(K.shape[0]):",
    "    S += K[t][:, None] * V[t][None, :]",
    "    out[t] = S.T @ K[t]",
    "return out",
)
DECAY = function(
    "K, V, b",
    "i = torch.arange(K.shape[0])",
    "D = torch.where(i[:, None] >= i, b ** (i[:, None] - i), 0.0)",
    "return (K @ K.T * D) @ V",
)
FADED = function(
    "K, V, b",
    "S, out = torch.zeros(K.shape[1], V.shape[1]), []",
    "for k, v in zip(K, V):",
    "    S = b * S + torch.outer(k, v)",
    "    out.append(k @ S)",
    "return torch.stack(out)",
)
LARGEST = function("x", "m = -math.inf", "for v in x:", "    m = max(m, v)", "return m")
SMALLEST = function("x", "m = math.inf", "for v in x:", "    m = min(m, v)", "return m")
SOFTMAX = function(
    "x",
    "m, l = -math.inf, 0.0",
    "for v in x:",
    "    m_new = max(m, v)",
    "    l = l * math.exp(m - m_new) + math.exp(v - m_new)",
    "    m = m_new",
    "return torch.exp(x - m) / l",
)
AVERAGE = function("x, b", "m = 0.0", "for v in x:", "    m = b * m + (1 - b) * v", "return m")

PREFIX = function("x", "return torch.cumsum(x, 0)")
DECAYED = function(
    "x, b", "i = torch.arange(len(x))", "return torch.where(i[:, None] >= i, b ** (i[:, None] - i), 0.0) @ x"
)

PROVED = [
    ("online softmax attention", ATTENTION, ONLINE),
    ("online softmax that starts from 0", ATTENTION, online("m = 0.0")),
    ("all queries at once", CROSS, ROWS),
    ("a loop in a loop, causal", CAUSAL, INNER),
    ("blocks by position", function("Q, K, V, B", "return g(Q, K, V)") + CROSS.replace("f(", "g("), blocked(BLOCKS)),
    ("blocks that are clipped", function("Q, K, V, B", "return g(Q, K, V)") + CROSS.replace("f(", "g("), blocked(CLIPPED)),
    ("blocks as parts", function("Q, K, V, B", "return g(Q, K, V)") + CROSS.replace("f(", "g("), blocked(PARTS)),
    ("a running mean", MEAN, RUNNING),
    ("a running mean from the first row", MEAN, FIRST),
    ("linear attention as a state", LINEAR, STATE),
    ("linear attention, state in place", LINEAR, IN_PLACE),
    ("a state that fades", DECAY, FADED),
    ("a running maximum", function("x", "return x.max()"), LARGEST),
    ("a running minimum", function("x", "return x.min()"), SMALLEST),
    ("a softmax by its running denominator", function("x", "return torch.softmax(x, 0)"), SOFTMAX),
    ("an exponential moving average", function("x, b", "w = (1 - b) * b ** (len(x) - 1 - torch.arange(len(x)))", "return (w * x).sum()"), AVERAGE),
]  # fmt: skip
ROWWISE = [
    ("rows from rows", DECAYED, function("x, b", "h = torch.zeros(len(x))", "h[0] = x[0]", "for t in range(1, len(x)):", "    h[t] = b * h[t - 1] + x[t]", "return h")),
    ("a row more than the input has", PREFIX, function("x", "s = torch.zeros(len(x) + 1)", "for t in range(len(x)):", "    s[t + 1] = s[t] + x[t]", "return s[1:]")),
    ("the last element of a list", PREFIX, function("x", "s = [x[0]]", "for t in range(1, len(x)):", "    s.append(s[-1] + x[t])", "return torch.stack(s)")),
    ("a row in a branch", PREFIX, function("x", "s = torch.zeros(len(x))", "for t in range(len(x)):", "    if t == 0:", "        s[t] = x[t]", "    else:", "        s[t] = s[t - 1] + x[t]", "return s")),
    ("a state matrix for each token", LINEAR, function("K, V", "S = torch.zeros(K.shape[0] + 1, K.shape[1], V.shape[1])", "out = torch.zeros(K.shape[0], V.shape[1])", "for t in range(K.shape[0]):",
     "    S[t + 1] = S[t] + K[t][:, None] * V[t]", "    out[t] = K[t] @ S[t + 1]", "return out")),
]  # fmt: skip
BOTH = function(
    "Q, K, V, B",
    "n, d = Q.shape",
    "O = torch.zeros(n, V.shape[1])",
    "for i in range(0, n, B):",
    "    q, m, l, acc = Q[i:i + B], torch.full((B,), -math.inf), torch.zeros(B), torch.zeros(B, V.shape[1])",
    "    for j in range(0, K.shape[0], B):",
    "        s = q @ K[j:j + B].T / math.sqrt(d)",
    "        m_new = torch.maximum(m, s.amax(1))",
    "        p, scale = torch.exp(s - m_new[:, None]), torch.exp(m - m_new)",
    "        l, acc, m = scale * l + p.sum(1), scale[:, None] * acc + p @ V[j:j + B], m_new",
    "    O[i:i + B] = acc / l[:, None]",
    "return O",
)
PAIRS = function(
    "x",
    "total = x[0]",
    "for v in x[1:]:",
    "    total = torch.log(torch.exp(total) + torch.exp(v))",
    "return total",
)
TUPLE = (
    "def step(state, s, v):\n    m, l, o = state\n    m_new = torch.maximum(m, s)\n    scale, p = torch.exp(m - m_new), torch.exp(s - m_new)\n"
    "    return m_new, scale * l + p, scale * o + p * v\n"
) + function(
    "q, K, V",
    "state = (torch.tensor(-math.inf), torch.tensor(0.0), torch.zeros(V.shape[1]))",
    "for k, v in zip(K, V):",
    "    state = step(state, k @ q, v)",
    "m, l, o = state",
    "return o / l",
)
PROVED += [
    ("a state of several parts", ATTENTION, TUPLE),
    (
        "a product",
        function("x", "return torch.prod(x)"),
        function("x", "p = 1.0", "for v in x:", "    p = v * p", "return p"),
    ),
    ("the logarithm of a sum, one at a time", function("x", "return torch.logsumexp(x, 0)"), PAIRS),
    *ROWWISE,
    ("blocks of queries and keys", function("Q, K, V, B", "return g(Q, K, V)") + CROSS.replace("f(", "g("), BOTH),
]
KEYS = "for x in K:"
CACHED = function(
    "K, V",
    'cache = {"k": [], "v": []}',
    "out = []",
    "for k, v in zip(K, V):",
    '    cache["k"].append(k)',
    '    cache["v"].append(v)',
    '    k_all, v_all = torch.stack(cache["k"]), torch.stack(cache["v"])',
    "    out.append(torch.softmax(k_all @ k, dim=0) @ v_all)",
    "return torch.stack(out)",
)
JOINED = function(
    "K, V",
    "k_all, v_all = torch.empty(0, K.shape[1]), torch.zeros((V.shape[1], 0))",
    "out = []",
    "for t in range(len(K)):",
    "    k = K[t:t + 1]",
    "    k_all = torch.cat([k_all, k], dim=0)",
    "    v_all = torch.cat((v_all, V[t][:, None]), dim=-1)",
    "    out.append(torch.softmax(k @ k_all.T, dim=-1) @ v_all.T)",
    "return torch.cat(out)",
)
STATES = (
    "from dataclasses import dataclass, replace\nfrom typing import NamedTuple\nfrom collections import namedtuple\n"
)
UPDATE = ("new = max({0}.m, v)", "{0}.z = {0}.z * math.exp({0}.m - new) + math.exp(v - new)", "{0}.m = new")


def with_state(state: str, start: str, *update: str, result: str = "return torch.exp(x - s.m) / s.z") -> str:
    """A softmax by an object that each number updates."""
    return STATES + state + function("x", f"s = {start}", "for v in x:", *(f"    {u}" for u in update), result)


def methods(*lines: str) -> str:
    return "class State:\n" + "".join(f"    {line}\n" for line in lines)


START = ("def __init__(self):", "    self.m, self.z = -math.inf, 0.0")
UPDATED = methods(*START, "def update(self, v):", *(f"    {u.format('self')}" for u in UPDATE))
DATA = "@dataclass\nclass State:\n    m: float = -math.inf\n    z: float = 0.0\n"
TUPLES = "class State(NamedTuple):\n    m: float\n    z: float\n"
STATEFUL = [
    ("a dictionary", with_state("", "dict(m=-math.inf, z=0.0)", *(re.sub(r"\bs\.(\w)", r"s['\1']", u.format("s")) for u in UPDATE), result="return torch.exp(x - s['m']) / s['z']")),
    ("a dictionary made anew", with_state("", "{'m': -math.inf, 'z': 0.0}", "new = max(s['m'], v)", "s = {'m': new, 'z': s['z'] * math.exp(s['m'] - new) + math.exp(v - new)}", result="return torch.exp(x - s['m']) / s['z']")),
    ("a data class", with_state(DATA, "State()", *(u.format("s") for u in UPDATE))),
    ("a data class made anew", with_state(DATA, "State(z=0.0)", "new = max(s.m, v)", "s = replace(s, z=s.z * math.exp(s.m - new) + math.exp(v - new), m=new)")),
    ("a named tuple", with_state(TUPLES, "State(-math.inf, 0.0)", "new = max(s.m, v)", "s = s._replace(m=new, z=s.z * math.exp(s.m - new) + math.exp(v - new))")),
    ("a named tuple by position", with_state("State = namedtuple('State', 'm z')\n", "State(-math.inf, 0.0)", "m, z = s", "new = max(m, v)", "s = State(new, s[1] * math.exp(m - new) + math.exp(v - new))")),
    ("an object", with_state(UPDATED, "State()", "s.update(v)")),
    ("an object's own loop", STATES + methods(*START, "def run(self, x):", "    for v in x:", *(f"        {u.format('self')}" for u in UPDATE), "    return torch.exp(x - self.m) / self.z") + function("x", "return State().run(x)")),
]  # fmt: skip
VARIANCE = function("x", "return ((x - x.mean()) ** 2).mean()")
WELFORD = function("x", "mean, M2, k = 0.0, 0.0, 0", "for v in x:", "    k += 1", "    delta = v - mean", "    mean += delta / k", "    M2 += delta * (v - mean)", "return M2 / k")  # fmt: skip
PROVED += [
    ("a variance in one pass", VARIANCE, WELFORD),
    (
        "a variance in one pass, by the index",
        VARIANCE,
        function(
            "x",
            "mean = M2 = 0.0",
            "for i in range(len(x)):",
            "    old = mean",
            "    mean = old + (x[i] - old) / (i + 1)",
            "    M2 = M2 + (x[i] - mean) * (x[i] - old)",
            "return M2 / len(x)",
        ),
    ),
    *((f"a softmax by {name}", function("x", "return torch.softmax(x, 0)"), code) for name, code in STATEFUL),
    ("keys and values in lists", CAUSAL.replace("X", "K"), CACHED),
    ("keys and values joined to", CAUSAL.replace("X", "K"), JOINED),
]
BACK = [
    ("a sum from behind", function("x, b", "i = torch.arange(len(x))", "return torch.where(i[:, None] <= i, b ** (i - i[:, None]), 0.0) @ x"),
     function("x, b", "g, acc = torch.zeros(len(x)), 0.0", "for t in reversed(range(len(x))):", "    acc = x[t] + b * acc", "    g[t] = acc", "return g")),
]  # fmt: skip
MASKS = [
    ("the places above a diagonal", function("X", "S = X @ X.T", "S[np.triu_indices(len(X), k=1)] = -math.inf", "return torch.exp(S)")),
    ("the places of another shape", function("Q, K", "S = Q @ K.T", "S[np.tril_indices(len(Q), -1, len(K))] = -1.5", "return S")),
    ("places of an array", function("X", "S = X @ X.T", "i = np.triu_indices_from(S.numpy(), 1)", "S[i[1], i[0]] = 0", "return S")),
    ("places as two rows", function("X", "S = X @ X.T", "rows, columns = torch.triu_indices(len(X), len(X), offset=1)", "S[rows, columns] += 2", "return S")),
    ("places one by one", function("X", "S = X @ X.T", "i = torch.tril_indices(len(X), len(X))", "S[i[1], i[0]] = 3", "return S")),
    ("where a mask holds", function("X", "S = X @ X.T", "S[np.where(np.triu(np.ones((len(X), len(X)), dtype=bool), 1))] = 7", "return S")),
    ("a mask", function("X", "S = X @ X.T", "S[torch.ones(len(X), len(X)).triu(1).bool()] = 0.5", "return S")),
    ("a mask of the last axes", function("Q, K", "S = Q[:, :, None] * K.sum()", "S = S + torch.zeros(len(Q), Q.shape[1], Q.shape[1])", "S[:, torch.ones(Q.shape[1], Q.shape[1], dtype=torch.bool).tril()] = -1", "return S")),
    ("a mask of rows", function("X", "Y = X * 2", "Y[torch.arange(len(X)) < 2] = 0", "return Y")),
    ("the diagonal", function("X", "S = X @ X.T", "S[range(len(X)), range(len(X))] = 0", "return S")),
    ("the diagonal, added to", function("X", "S = X @ X.T", "i = torch.arange(len(X))", "S[i, i] += X.sum(1)", "return S")),
    ("the diagonal filled", function("X", "S = X @ X.T", "S.fill_diagonal_(-1.5)", "return S")),
    ("the diagonal filled by NumPy", function("X", "S = (X @ X.T).numpy()", "np.fill_diagonal(S, 0)", "return S")),
    ("the next to the diagonal", function("X", "S = X @ X.T", "i = torch.arange(len(X) - 1)", "S[i, i + 1] = X[:-1, 0]", "return S")),
    ("the diagonal by its places", function("X", "S = X @ X.T", "S[np.diag_indices(len(X))] = 1", "return S")),
    ("a mask in a loop", function("X", "m = torch.ones(len(X), len(X)).triu(1).bool()", "S = torch.zeros(len(X), len(X), len(X)) + X @ X.T", "for i in range(len(X)):", "    S[i, m] = X[i, 0]", "return S")),
    ("a mask made entry by entry", function("X", "m = torch.zeros(len(X), len(X), dtype=torch.bool)", "for i in range(len(X)):", "    for j in range(i):", "        m[i, j] = True", "S = X @ X.T", "S[m] = 0", "return S")),
]  # fmt: skip
COUNTED = [
    ("while, up", function("x", "s, i = 0.0, 0", "while i < len(x):", "    s = 2 * s + x[i]", "    i += 1", "return s * i")),
    ("while, two at once", function("Q, K", "S, i = torch.zeros(len(Q), len(K)), 0", "while i < len(Q):", "    j = 0", "    while len(K) > j:", "        S[i, j] = Q[i] @ K[j]", "        j = 1 + j", "    i += 1", "return S")),
    ("while, down", function("x", "s, i = 0.0, len(x) - 1", "while i >= 0:", "    s = 2 * s + x[i]", "    i = i - 1", "return s * i")),
    ("while, counted first", function("x", "s, i = 0.0, 0", "while i < len(x):", "    i += 1", "    s = s / 2 + i * x[i - 1]", "return s")),
    ("while, in blocks", function("x, B", "s, i = 0.0, 0", "while i <= len(x) - 1:", "    s += x[i:i + B].max() ** 2", "    i += B", "return s + i")),
    ("a number of blocks", function("x, B", "s = 0.0", "for k in range(math.ceil(len(x) / B)):", "    s = s / 2 + x[k * B:(k + 1) * B].sum()", "return s * int(len(x) / B)")),
    ("while, a known number of rounds", function("x", "k = 1", "while k < 9:", "    x, k = x + k, 2 * k", "return x")),
]  # fmt: skip
FURTHER = [
    *BACK, *((n, c) for n, c in MASKS), *COUNTED,
    ("from behind, with the last row given", function("X", "g = torch.zeros(X.shape)", "g[len(X) - 1] = X[-1]", "for i in reversed(range(len(X) - 1)):", "    g[i] = X[i] - g[i + 1] / 2", "return g")),
    ("from behind, one row more", function("X", "g = torch.zeros(len(X) + 1, X.shape[1])", "for i in range(len(X) - 1, -1, -1):", "    g[i] = X[i] * g[i + 1] + X[i]", "return g[:-1]")),
    ("from behind, all later rows", function("X", "g = torch.ones(len(X) + 1, X.shape[1])", "for i in range(len(X) - 1, -1, -1):", "    g[i] = X[i] + g[i + 1:].sum(0) / 4", "return g")),
    ("from behind, in a branch", function("x", "g = torch.zeros(len(x))", "for i in range(len(x) - 1, -1, -1):", "    g[i] = x[i] + (g[i + 1] * x[i] if i < len(x) - 1 else 0)", "return g")),
    ("rows from rows, of a matrix", function("X", "h = torch.zeros(len(X) + 1, X.shape[1])", "for t in range(len(X)):", "    h[t + 1] = h[t] / 2 + X[t]", "return h[1:]")),
    ("rows from all rows so far, of a matrix", function("X", "h = torch.zeros(len(X) + 1, X.shape[1])", "for t in range(len(X)):", "    h[t + 1] = h[:t + 1].sum(0) - X[t]", "return h[1:]")),
    ("states that need one another", function("x, b", "u, v = 1.0, 0.0", "for r in x:", "    u, v = b * u - v, u + b * v + r", "return u - v")),
    ("states of different shapes that need one another", function("X", "a, v = 0.5, torch.zeros(X.shape[1])", "for r in X:", "    v = v * a + r", "    a = a + v.sum() / 8", "return v")),
    ("states that change places", function("X", "u, v, w = X[0], X[1], X[2]", "for r in X:", "    u, v, w = v, w, u", "return u - v")),
    ("mean so far, from a list", function("X", "seen, out = [], []", "for r in X:", "    seen.append(r)", "    out.append(sum(seen) / len(seen))", "return torch.stack(out)")),
    ("an array in a dictionary, in place", function("X", "state = {'s': torch.zeros(X.shape[1]), 'n': 0}", "for r in X:", "    state['s'] += r", "    state['n'] += 1", "return state['s'] / state['n']")),
    ("an object changed by a method and from outside", methods("def __init__(self):", "    self.h, self.w = 0.0, 1.0", "def step(self, v):", "    self.h = self.h * self.w + v") + function("x", "s = State()", "for v in x:", "    s.step(v)", "    s.w = s.w / 2 + v", "return s.h - s.w")),
    ("an object that counts", methods("def __init__(self):", "    self.rows, self.h = 0, 1.0", "def step(self, v):", "    self.rows += 1", "    self.h = self.h / 2 + v", "    return self.h") + function("x", "s, out = State(), []", "for v in x:", "    out.append(s.step(v))", "return torch.stack(out) * s.rows")),
]  # fmt: skip
REFUTED = [
    ("a variance from the new mean only", VARIANCE, WELFORD.replace("delta * (v - mean)", "(v - mean) ** 2")),
    ("the accumulator is not rescaled", ATTENTION, online(acc="acc = acc + p * V[j]")),
    ("the denominator is not rescaled", ATTENTION, online(total="l = l + p")),
    ("the maximum is renewed first", ATTENTION, online(first="m = max(m, q @ K[j])")),
    ("blocks without rescaling", function("Q, K, V, B", "return g(Q, K, V)") + CROSS.replace("f(", "g("), blocked(BLOCKS, "l = l + p.sum(-1, keepdim=True)")),
    ("a maximum that starts from 0", function("x", "return x.max()"), LARGEST.replace("-math.inf", "0.0")),
    ("a mean that divides by the index", MEAN, FIRST.replace("(i + 1)", "i")),
    ("the state before its own token", LINEAR, IN_PLACE.replace("    S += K[t][:, None] * V[t][None, :]\n        out[t] = S.T @ K[t]\n", "    out[t] = S.T @ K[t]\n        S += K[t][:, None] * V[t][None, :]\n")),
    ("the newest value has the wrong weight", function("x, b", "w = (1 - b) * b ** (len(x) - torch.arange(len(x)))", "return (w * x).sum()"), AVERAGE),
    ("a row from the value before", DECAYED, ROWWISE[0][2].replace("x[t]\n", "x[t - 1]\n")),
    ("blocks of queries, not rescaled", PROVED[-1][1], BOTH.replace("scale * l", "l")),
    ("a part of a state that is not rescaled", ATTENTION, TUPLE.replace("scale * o", "o")),
    ("no mask", CAUSAL, INNER.replace("range(i + 1)", "range(X.shape[0])")),
]  # fmt: skip
OTHERS = [
    ("all rows so far", function("x", "h = torch.zeros(len(x))", "h[0] = x[0]", "for t in range(1, len(x)):", "    h[t] = x[t] + h[:t].sum()", "return h")),
    ("two rows back", function("x", "h = torch.zeros(len(x) + 2)", "h[1] = 1.0", "for t in range(len(x)):", "    h[t + 2] = h[t + 1] + x[t] * h[t]", "return h")),
    ("a list of two", function("x", "h = [x[0], x[1]]", "for t in range(2, len(x)):", "    h.append(h[-1] * h[-2] + x[t])", "return torch.stack(h)")),
    ("a part of an array", function("x", "h = torch.ones(len(x) + 3)", "for t in range(1, len(x) - 1):", "    h[t] = h[t - 1] * x[t] + h[t + 1]", "return h")),
    ("rows added to", function("x", "h = torch.ones(len(x) + 1)", "for t in range(len(x)):", "    h[t + 1] += h[t] * x[t]", "return h")),
    ("products of two axes", function("X", "return X.prod(0).prod() + torch.cumprod(X, 1).sum()")),
    ("a product", function("x", "p = 1.0", "for v in x:", "    p *= v", "return p")),
    ("the value before", function("x", "last, s = 0.0, 0.0", "for v in x:", "    s, last = s + v * last, v", "return s + last")),
    ("two terms back", function("x", "a, b = 0.0, 1.0", "for v in x:", "    a, b = b, a + v * b", "return b")),
    ("a branch on the round", function("x", "s = 0.0", "for i in range(len(x)):", "    if i % 2 == 0:", "        s = 2 * s + x[i]", "    else:", "        s = s * x[i]", "return s")),
    ("a state of the loop around", function("X", "s = torch.zeros(X.shape[1])", "for row in X:", "    t = 1.0", "    for v in row:", "        t = t * v + 1", "    s = s / 2 + t * row", "return s")),
]  # fmt: skip


def values(code: str, uneven: dict[str, int] | None = None) -> tuple[np.ndarray, np.ndarray]:
    """What the lifted families say, and what the code computes; with `uneven`, at sizes where the last block is shorter."""
    rng = np.random.default_rng(7)
    shapes = shapes_of(code)
    sizes = {**SIZES, **(uneven or {})}
    scope = Scope(tails=uneven is not None)
    made = _lifted(scope, _run(scope, code, "f", dict(shapes)))
    data: dict[str, Any] = {}
    for name, shape in shapes.items():
        data[name] = sizes[name] if isinstance(shape, str) else rng.integers(-5, 6, [sizes[s] for s in shape]) / 4.0

    def exact(a: Any) -> Any:
        return [exact(v) for v in a] if isinstance(a, list) else fmpq(int(a * 4), 4)

    sizes = {**sizes, **{s: sizes["n"] // sizes["B"] for i in made.shape for s in i.sizes if s not in sizes}}
    sizes |= {f"w~{k}": sizes["n"] // sizes["B"] for k in range(9)}  # blocks
    sizes |= {f"blocks~{k}": -(-sizes["n"] // sizes["B"]) for k in range(9)}
    point = Inputs(sizes, {t.name: exact(np.asarray(data[t.name]).tolist()) for t in made.inputs})
    theory = Theory({t.name: t for t in made.inputs}, made.definitions)
    out = np.empty([s.evaluate({}, sizes) for s in made.shape])
    for at in np.ndindex(*out.shape):
        v = evaluate(made.entry, theory, point, {f"x{k}": i for k, i in enumerate(at)})
        out[at] = float(v.p) / float(v.q) if isinstance(v, fmpq) else float(arb(v).mid())
    names: dict[str, Any] = {"torch": torch, "math": math, "np": np}
    exec(code, names)  # the test's own text
    given = {n: v if isinstance(v, int) else torch.tensor(v, dtype=torch.float64) for n, v in data.items()}
    torch.set_default_dtype(torch.float64)
    try:
        return out, np.asarray(names["f"](**given), dtype=float)
    finally:
        torch.set_default_dtype(torch.float32)


EVERY = [
    (f"{name}, {k}", code) for name, *codes in (*PROVED, *REFUTED, *OTHERS, *FURTHER) for k, code in enumerate(codes)
]


@pytest.mark.parametrize(("name", "code"), EVERY, ids=[r[0] for r in EVERY])
def test_families_are_what_the_code_computes(name: str, code: str) -> None:
    mine, real = values(code)
    assert mine.shape == real.shape
    np.testing.assert_allclose(mine, real, rtol=0, atol=ABSOLUTE)


@pytest.mark.parametrize(("name", "one", "two"), PROVED, ids=[r[0] for r in PROVED])
def test_proved(name: str, one: str, two: str) -> None:
    decision = equivalent(one, two, **shapes_of(two))
    assert isinstance(decision, Proved), decision


@pytest.mark.parametrize(("name", "one", "two"), REFUTED, ids=[r[0] for r in REFUTED])
def test_refuted(name: str, one: str, two: str) -> None:
    decision = equivalent(one, two, **shapes_of(two))
    assert isinstance(decision, Refuted), decision


SHARED = [
    ("another name for the object", UPDATED + function("x", "s = State()", "p = s", "for v in x:", "    s.update(v)", "return p.m"), "carries an object"),
    ("a dictionary with two names", function("x", "s = {'a': 0.0}", "p = s", "for v in x:", "    s['a'] = 2 * s['a'] + v", "    p['a'] = 1.0", "return s['a']"), "carries s"),
    ("a list with two names", function("X", "s, out = [], []", "for r in X:", "    s.append(r)", "    p = s", "    p.append(r)", "    out.append(torch.stack(s).sum(0))", "return torch.stack(out)"), "list"),
    ("an object that two loops change", methods("def __init__(self):", "    self.h = 0.0", "def step(self, v):", "    self.h = self.h / 2 + v") + function("X", "s = State()", "for r in X:", "    for v in r:", "        s.step(v)", "return s.h"), "recursion on the rounds"),
    ("an object with two names, changed from outside", methods("def __init__(self):", "    self.h = 0.0", "def step(self, v):", "    self.h = self.h / 2 + v") + function("x", "s = State()", "p = s", "for v in x:", "    s.step(v)", "    p.h = v", "return s.h"), "carries an object"),
    ("an object changed in a comprehension", methods("def __init__(self):", "    self.h = 0.0", "def step(self, v):", "    self.h = self.h / 2 + v", "    return self.h") + function("x", "s = State()", "return torch.stack([s.step(v) for v in x])"), "carries an object"),
    ("an attribute in place", methods("def __init__(self, n):", "    self.h = torch.zeros(n)", "def step(self, v):", "    self.h += v", "    return self.h") + function("X", "s, out = State(X.shape[1]), []", "for v in X:", "    out.append(s.step(v))", "return torch.stack(out)"), "in place"),
    ("a loop that may end early", function("x", "s, i = 0.0, 0", "while i < len(x):", "    if x[i] > 0:", "        break", "    i += 1", "return s + i"), "end or skip"),
    ("a bound that moves", function("x", "s, i, n = 0.0, 0, len(x)", "while i < n:", "    s, n = s + x[i], n - 1", "    i += 1", "return s"), "changes in the loop"),
    ("a counter after no round", function("x", "i = 5", "while i < len(x):", "    i += 1", "return x * i"), "no round"),
    ("two rows that index rows", function("X", "S = X @ X.T", "S[torch.triu_indices(len(X), len(X), offset=1)] = 0", "return S"), "needed an index"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "code", "reason"), SHARED, ids=[r[0] for r in SHARED])
def test_what_a_loop_may_not_hand_on(name: str, code: str, reason: str) -> None:
    with pytest.raises(NotLifted, match=reason):
        lift(code, "f", shapes_of(code))


def test_a_state_that_is_shared_is_refused() -> None:
    shared = function("X", "s, seen = torch.zeros(X.shape[1]), []", "for row in X:", "    s *= 2", "    s += row", "    seen.append(s)", "return torch.stack(seen)")  # fmt: skip
    with pytest.raises(NotLifted, match="shares its memory"):
        lift(shared, "f", {"X": ("n", "d")})
    own = shared.replace("append(s)", "append(s.clone())")
    mine, real = values(own)
    np.testing.assert_allclose(mine, real, rtol=0, atol=ABSOLUTE)


def test_a_family_says_what_it_is() -> None:
    made = lift(LARGEST, "f", {"x": ("n",)})
    assert str(made.entry) == "m[n]"
    first, later = made.definitions["m"]
    assert str(first) == "m[0] := -oo"
    assert re.fullmatch(r"m\[(t\d+)\] := max\(.*m\[\1 - 1\].* x\[\1 - 1\]\)\)  where 1 <= \1", str(later)), later


DOCUMENT = r"""Let $Q \in \mathbb{R}^{n \times d}$, $K \in \mathbb{R}^{m \times d}$ and $V \in \mathbb{R}^{m \times v}$. The softmax acts on each row.

$$\text{Attention}(Q, K, V) = \text{softmax}\left(\frac{QK^\top}{\sqrt{d}}\right) V$$

"""
CELL = """n, m, d, v, B = 6, 8, 4, 3, 2
Q, K, V = torch.randn(n, d), torch.randn(m, d), torch.randn(m, v)
top = torch.full((n,), -math.inf)
total = torch.zeros(n)
O = torch.zeros(n, v)
for start in range(0, m, B):
    s = Q @ K[start:start + B].T / d ** 0.5
    new = torch.maximum(top, s.max(dim=1).values)
    p, scale = torch.exp(s - new[:, None]), torch.exp(top - new)
    total = scale * total + p.sum(dim=1)
    O = scale[:, None] * O + p @ V[start:start + B]
    top = new
Attention = O / total[:, None]
"""
IN_DOCUMENTS = [
    ("one key at a time", ROWS.replace("def f", "def attention"), "proved"),
    ("blocks of a given length", blocked(BLOCKS).replace("def f(Q, K, V, B)", "def attention(Q, K, V, B=2)"), "proved"),
    ("blocks without rescaling", blocked(BLOCKS, "l = l + p.sum(-1, keepdim=True)").replace("def f(Q, K, V, B)", "def attention(Q, K, V, B=2)"), "refuted"),
    ("a cell", CELL, "proved"),
    ("a cell that renews the maximum first", CELL.replace("torch.exp(top - new)", "torch.exp(new - new)"), "refuted"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "code", "status"), IN_DOCUMENTS, ids=[r[0] for r in IN_DOCUMENTS])
def test_in_documents(tmp_path: Path, name: str, code: str, status: str) -> None:
    path = tmp_path / "lesson.md"
    path.write_text(DOCUMENT + f"```python\nimport math\nimport torch\n{code}\n```\n", encoding="utf-8")
    made, errors = check_documents([path], numbers=False)
    assert not errors
    items = [
        i for i in made["documents"][0]["items"] if i["kind"] == "code" and "ttention" in i["source"].split("\n")[0]
    ]
    assert [i["status"] for i in items] == [status], items


KEYS_OF_BLOCKS = function("Q, K, V, B", "return g(Q, K, V)") + CROSS.replace("f(", "g(")
NUMBERED = ("for b in range(math.ceil(K.shape[0] / B)):", "kb, vb = K[b * B:(b + 1) * B], V[b * B:(b + 1) * B]")
COUNTED = ("for b in range((K.shape[0] + B - 1) // B):", "lo = b * B", "hi = min(lo + B, K.shape[0])", "kb, vb = K[lo:hi], V[lo:hi]")  # fmt: skip
WHILE = ("j = 0", "while j < K.shape[0]:", "    kb, vb = K[j:j + B], V[j:j + B]", "    j = j + B")
UNEVEN = [
    ("attention", KEYS_OF_BLOCKS, blocked(BLOCKS)),
    ("attention, clipped", KEYS_OF_BLOCKS, blocked(CLIPPED)),
    ("attention, blocks by number", KEYS_OF_BLOCKS, blocked(NUMBERED)),
    ("attention, blocks by number, clipped", KEYS_OF_BLOCKS, blocked(COUNTED)),
    ("a sum", function("x, B", "return (x ** 2).sum()"), function("x, B", "s = 0.0", "for j in range(0, len(x), B):", "    s = s + (x[j:j + B] ** 2).sum()", "return s")),
    ("products added up", function("x, B", "return x @ x"), function("x, B", "s = 0.0", "for j in range(0, len(x), B):", "    s += x[j:min(len(x), j + B)] @ x[j:j + B]", "return s")),
    ("a window", function("x, B", "i = torch.arange(len(x))", "return ((i[None, :] <= i[:, None]) & (i[None, :] >= i[:, None] - B)).double() @ x"),
     function("x, B", "return torch.stack([x[max(0, i - B):i + 1].sum() for i in range(len(x))])")),
]  # fmt: skip
"""Blocks that need not divide the axis, and windows that begin with it."""


@pytest.mark.parametrize(("name", "one", "two"), UNEVEN, ids=[r[0] for r in UNEVEN])
def test_blocks_of_any_length(name: str, one: str, two: str) -> None:
    decision = equivalent(one, two, **shapes_of(two))
    assert isinstance(decision, Proved), decision
    assert not [said for said in decision.assumes if "divides" in said]


MEANS = function("x, B", "out = torch.zeros(len(x))", "for i in range(len(x)):", "    lo = max(0, i - B)", "    out[i] = x[lo:i + 1].sum() / x[lo:i + 1].numel()", "return out")  # fmt: skip


@pytest.mark.parametrize(
    ("name", "one", "two"), [*UNEVEN, ("means of windows", "", MEANS)], ids=[*(r[0] for r in UNEVEN), "means"]
)
def test_blocks_of_any_length_are_what_the_code_computes(name: str, one: str, two: str) -> None:
    mine, real = values(two, {"n": 5, "B": 2})
    assert mine.shape == real.shape
    np.testing.assert_allclose(mine, real, rtol=0, atol=ABSOLUTE)


def test_a_last_block_that_is_forgotten() -> None:
    code = function(
        "x, B", "s = 0.0", "for b in range(len(x) // B):", "    s = s + x[b * B:(b + 1) * B].sum()", "return s"
    )
    decision = equivalent(function("x, B", "return x.sum()"), code, **shapes_of(code))
    assert isinstance(decision, Proved)
    assert "B divides n" in decision.assumes
    wrong = blocked(CLIPPED, "l = l + p.sum(-1, keepdim=True)")
    refuted = equivalent(KEYS_OF_BLOCKS, wrong, **shapes_of(wrong))
    assert isinstance(refuted, Refuted)
    assert not [s for s in refuted.counterexample.sizes if "~" in s]
