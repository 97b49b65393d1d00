"""Loops that hand a value from round to round: lifted to recursive families, against the real code and closed forms."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from derivations.reports.check import check_documents
from flint import arb, fmpq

from derivations.language.meaning import Inputs, evaluate
from derivations.language.term import Theory
from derivations.lifting import NotLifted, equivalent, lift
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
REFUTED = [
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
    ("Welford", function("x", "mean, M2, k = 0.0, 0.0, 0", "for v in x:", "    k += 1", "    delta = v - mean", "    mean += delta / k", "    M2 += delta * (v - mean)", "return M2 / k")),
    ("a state of the loop around", function("X", "s = torch.zeros(X.shape[1])", "for row in X:", "    t = 1.0", "    for v in row:", "        t = t * v + 1", "    s = s / 2 + t * row", "return s")),
]  # fmt: skip


def values(code: str) -> tuple[np.ndarray, np.ndarray]:
    """What the lifted families say, and what the code computes."""
    rng = np.random.default_rng(7)
    shapes = shapes_of(code)
    made = lift(code, "f", shapes)
    data: dict[str, Any] = {}
    for name, shape in shapes.items():
        data[name] = SIZES[name] if isinstance(shape, str) else rng.integers(-5, 6, [SIZES[s] for s in shape]) / 4.0

    def exact(a: Any) -> Any:
        return [exact(v) for v in a] if isinstance(a, list) else fmpq(int(a * 4), 4)

    sizes = {**SIZES, **{s: SIZES["n"] // SIZES["B"] for i in made.shape for s in i.sizes if s not in SIZES}}
    sizes |= {f"w~{k}": SIZES["n"] // SIZES["B"] for k in range(9)}  # blocks
    point = Inputs(sizes, {t.name: exact(np.asarray(data[t.name]).tolist()) for t in made.inputs})
    theory = Theory({t.name: t for t in made.inputs}, made.definitions)
    out = np.empty([s.evaluate({}, sizes) for s in made.shape])
    for at in np.ndindex(*out.shape):
        v = evaluate(made.entry, theory, point, {f"x{k}": i for k, i in enumerate(at)})
        out[at] = float(v.p) / float(v.q) if isinstance(v, fmpq) else float(arb(v).mid())
    names: dict[str, Any] = {"torch": torch, "math": math}
    exec(code, names)  # the test's own text
    given = {n: v if isinstance(v, int) else torch.tensor(v, dtype=torch.float64) for n, v in data.items()}
    torch.set_default_dtype(torch.float64)
    try:
        return out, np.asarray(names["f"](**given), dtype=float)
    finally:
        torch.set_default_dtype(torch.float32)


EVERY = [(f"{name}, {k}", code) for name, *codes in (*PROVED, *REFUTED, *OTHERS) for k, code in enumerate(codes)]


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
