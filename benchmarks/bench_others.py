"""The same statements put to other tools: tensorgrad (all sizes) and scikit-verify (one size), where they are installed.

They belong into an environment of their own: tensorgrad pins an old networkx and brings torch, scikit-verify brings z3.

    python3 -m venv build/others && build/others/bin/pip install scikit-verify tensorgrad
    export DERIVATIONS_OTHERS=build/others/bin/python

What each tool answered is written down as it said it; a statement that a tool has no form for is left out.  Every answer
is asked for in a process that may take 20 seconds.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from sympy import IndexedBase, Sum, exp, symbols

from benchmarks.measuring import machine, save
from derivations import decide, equivalent

VARIABLE = "DERIVATIONS_OTHERS"
SECONDS = 20
SIZE = 3
"""The rows and columns that scikit-verify is given."""

NAMES = {
    "rows": "rows of the softmax sum to one",
    "columns": "columns of the softmax sum to one (false)",
    "shift": "a number added to each row leaves its softmax as it is",
    "stable": "NumPy code that subtracts the maximum computes the softmax",
    "attention": "NumPy code of attention computes its equation",
    "unscaled": "NumPy code of attention without the scale computes it (false)",
}

TENSORGRAD = r"""
from sympy import symbols
from tensorgrad import Ones, Variable, functions as F
i, j = symbols("i j")
S, c = Variable("S", i, j), Variable("c", i)
p = F.softmax(S, ["j"])
def tried(name):
    if name == "rows":
        return str(F.sum(p, ["j"]).full_simplify()) == str(Ones(i).full_simplify())
    if name == "columns":
        return str(F.sum(p, ["i"]).full_simplify()) == str(Ones(j).full_simplify())
    if name == "shift":
        moved = F.softmax(S + c @ Ones(j), ["j"])
        return moved.full_simplify() == p.full_simplify()
    return None
def answer(name):
    found = tried(name)
    return None if found is None else "simplified to it" if found else "not simplified to it"
"""

SCIKIT_VERIFY = r"""
import numpy as np, sympy
from sympy import IndexedBase, Sum, exp, sqrt
from skverify.testing import check_formula
n = SIZE
i, j, k, l, m = sympy.symbols("i j k l m", integer=True)
S, Q, K, V = map(IndexedBase, "SQKV")
draw = np.random.default_rng(0).normal
soft = exp(S[i, j]) / Sum(exp(S[i, k]), (k, 0, n - 1))
score = lambda a, b: Sum(Q[a, m] * K[b, m], (m, 0, n - 1)) / sqrt(n)
weight = exp(score(i, l)) / Sum(exp(score(i, k)), (k, 0, n - 1))
attended = Sum(weight * V[l, j], (l, 0, n - 1))
def softmax(S):
    e = np.exp(S)
    return e / e.sum(axis=1, keepdims=True)
def stable(S):
    e = np.exp(S - S.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)
def attention(Q, K, V):
    return softmax(Q @ K.T / np.sqrt(Q.shape[1])) @ V
cases = {
    "rows": (lambda S: softmax(S).sum(axis=1), "S", sympy.Integer(1), (i,)),
    "columns": (lambda S: softmax(S).sum(axis=0), "S", sympy.Integer(1), (j,)),
    "shift": (lambda S: softmax(S + 2.0), "S", soft, (i, j)),
    "stable": (stable, "S", soft, (i, j)),
    "attention": (attention, "QKV", attended, (i, j)),
    "unscaled": (lambda Q, K, V: softmax(Q @ K.T) @ V, "QKV", attended, (i, j)),
}
def answer(name):
    code, inputs, spec, indices = cases[name]
    return check_formula(code, tuple(draw(size=(n, n)) for _ in inputs), spec, indices=indices).tier
"""

TIMER = r"""
import json, sys, time
start = time.perf_counter()
said = answer(sys.argv[1])
print(json.dumps({"said": said, "ms": round(1000 * (time.perf_counter() - start), 1)}))
"""

i, j, k, c, n, m, d, e = symbols("i j k c n m d e", integer=True)
S, Q, K, V, shift = map(IndexedBase, ("S", "Q", "K", "V", "r"))
ROW = Sum(exp(S[i, k]), (k, 0, m - 1))


def softmax(S: Any) -> Any:
    p = np.exp(S)
    return p / p.sum(axis=1, keepdims=True)


def stable(S: Any) -> Any:
    p = np.exp(S - S.max(axis=1, keepdims=True))
    return p / p.sum(axis=1, keepdims=True)


def attention(Q: Any, K: Any, V: Any) -> Any:
    return softmax(Q @ K.T / np.sqrt(Q.shape[1])) @ V


def by_entries(Q: Any, K: Any, V: Any) -> Any:
    scores = np.einsum("ic,jc->ij", Q, K) / Q.shape[1] ** 0.5
    return np.einsum("ij,je->ie", np.exp(scores) / np.exp(scores).sum(axis=1)[:, None], V)


def unscaled(Q: Any, K: Any, V: Any) -> Any:
    return softmax(Q @ K.T) @ V


def _ours(name: str) -> Any:
    shapes = {"Q": ("n", "d"), "K": ("m", "d"), "V": ("m", "e")}
    column = exp(S[i, j]) / ROW
    asked: dict[str, Callable[[], Any]] = {
        "rows": lambda: decide(Sum(column, (j, 0, m - 1)), 1),
        "columns": lambda: decide(Sum(column, (i, 0, n - 1)), 1),
        "shift": lambda: decide(exp(S[i, j] + shift[i]) / Sum(exp(S[i, k] + shift[i]), (k, 0, m - 1)), column),
        "stable": lambda: equivalent(stable, softmax, S=("n", "m")),
        "attention": lambda: equivalent(attention, by_entries, **shapes),
        "unscaled": lambda: equivalent(unscaled, by_entries, **shapes),
    }
    return asked[name]()


def ours(name: str) -> dict[str, Any]:
    """Our answer for all sizes, and its milliseconds (the better of two)."""
    spent = []
    for _ in range(2):
        start = time.perf_counter()
        found = _ours(name)
        spent.append(time.perf_counter() - start)
    return {"said": type(found).__name__.lower(), "ms": round(1000 * min(spent), 1)}


def other(python: str, script: str, name: str) -> dict[str, Any] | None:
    """What another tool says of a statement; None where it is not installed or has no form for it."""
    source = script.replace("SIZE", str(SIZE)) + TIMER
    try:
        run = subprocess.run([python, "-c", source, name], capture_output=True, text=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return {"said": f"no answer in {SECONDS} s", "ms": None}
    if run.returncode:
        return {"said": (run.stderr.strip().splitlines() or ["failed"])[-1][:200], "ms": None}
    found: dict[str, Any] = json.loads(run.stdout.splitlines()[-1])
    return found if found["said"] is not None else None


def version(python: str, package: str) -> str | None:
    """The version of a package there; None when it is not installed."""
    source = f"from importlib.metadata import version; print(version({package!r}))"
    run = subprocess.run([python, "-c", source], capture_output=True, text=True, check=False)
    return run.stdout.strip() or None


def main() -> None:
    """Print a table; nothing is asserted."""
    python = os.environ.get(VARIABLE) or sys.executable
    tools = {"tensorgrad": TENSORGRAD, "scikit-verify": SCIKIT_VERIFY}
    versions = {tool: version(python, tool) for tool in tools}
    rows = []
    for name, statement in NAMES.items():
        row: dict[str, Any] = {"statement": statement, "derivations": ours(name)}
        for tool, script in tools.items():
            if versions[tool] is not None:
                row[tool] = other(python, script, name)
        rows.append(row)
        print(statement)
        for tool in ("derivations", *tools):
            found = row.get(tool)
            text = "not asked" if found is None else f"{found['said']}" + (f", {found['ms']} ms" if found["ms"] else "")
            print(f"    {tool:14} {text}")
    absent = [tool for tool, v in versions.items() if v is None]
    if absent:
        print(f"not installed: {', '.join(absent)} (set {VARIABLE}); nothing is written")
        return
    print(save("others", {"machine": machine("sympy", "numpy"), "others": versions, "size": SIZE, "rows": rows}))


if __name__ == "__main__":
    main()
