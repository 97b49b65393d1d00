"""`derivations.lambdify`: SymPy's signature, whole arrays, the same values as SymPy's own entry by entry."""

from __future__ import annotations

import importlib.util
from typing import Any

import numpy as np
import pytest
from derivations.numeric import NotCompiled
from sympy import Function, IndexedBase, Sum, exp, sqrt, symbols

import derivations
from derivations import lambdify
from derivations.api import BridgeError

i, j, k, c, n, m, d = symbols("i j k c n m d", integer=True)
a = symbols("a", real=True)
Q, K, V = IndexedBase("Q", shape=(n, d)), IndexedBase("K", shape=(m, d)), IndexedBase("V", shape=(m, d))
x, y = IndexedBase("x", shape=(n,)), IndexedBase("y", shape=(m,))
LIBRARIES = ["numpy", *(["torch"] if importlib.util.find_spec("torch") else [])]


def scores(row: Any, column: Any) -> Any:
    return Sum(Q[row, c] * K[column, c], (c, 0, d - 1)) / sqrt(d)


ATTENTION = Sum(exp(scores(i, j)) / Sum(exp(scores(i, k)), (k, 0, m - 1)) * V[j, c], (j, 0, m - 1))


def given(library: str, **arrays: Any) -> list[Any]:
    if library == "numpy":
        return list(arrays.values())
    import torch

    return [torch.as_tensor(v) for v in arrays.values()]


@pytest.mark.parametrize("library", LIBRARIES)
def test_attention(library: str) -> None:
    rng = np.random.default_rng(0)
    q, key, v = rng.normal(size=(4, 3)), rng.normal(size=(5, 3)), rng.normal(size=(5, 3))
    f = lambdify((Q, K, V), ATTENTION, library, axes=(i, c))
    s = q @ key.T / np.sqrt(3)
    w = np.exp(s - s.max(1, keepdims=True))
    assert f.axes == ("i", "c") and "@" in f.source and "for " not in f.source.split('"""')[2]
    assert np.allclose(np.asarray(f(*given(library, q=q, k=key, v=v))), w / w.sum(1, keepdims=True) @ v)


@pytest.mark.parametrize("library", LIBRARIES)
def test_as_sympy_computes_it(library: str) -> None:
    """A full sum has no free index; SymPy's own function adds entry by entry."""
    from sympy import lambdify as entrywise

    expr = Sum(x[i] * exp(a * y[j]), (i, 0, n - 1), (j, 0, m - 1))
    rng = np.random.default_rng(1)
    one, two = rng.normal(size=4), rng.normal(size=3)
    ours = lambdify([x, y, a], expr, library)(*given(library, x=one, y=two), 0.5)
    assert float(ours) == pytest.approx(entrywise([x, y, a, n, m], expr, "numpy")(one, two, 0.5, 4, 3))


def test_sizes_among_the_arguments_are_checked() -> None:
    f = lambdify((x, n), Sum(x[i], (i, 0, n - 1)))
    assert f(np.ones(3), 3) == 3
    with pytest.raises(ValueError, match="n is 3 from the shapes of the arguments, but 4 is given"):
        f(np.ones(3), 4)


def test_axes_in_the_order_in_which_they_are_written() -> None:
    f = lambdify((x, y), x[i] * y[j])
    assert f(np.ones(2), np.ones(3)).shape == (2, 3)
    assert lambdify((x, y), x[i] * y[j], axes=(j, i))(np.ones(2), np.ones(3)).shape == (3, 2)
    assert lambdify(x, x[i])(np.arange(3.0)).tolist() == [0, 1, 2]


BAD = {
    "a missing argument": (lambda: lambdify((x,), x[i] * y[j]), BridgeError, "needed y among the arguments, found x"),
    "a lost axis": (lambda: lambdify((x, y), x[i] * y[j], axes=(i,)), BridgeError, "needed the free index j among the axes"),
    "too few values": (lambda: lambdify((x, y), x[i] * y[j])(np.ones(2)), TypeError, "needed 2 arguments"),
    "another library": (lambda: lambdify((x,), x[i], "tensorflow"), ValueError, "needed a backend"),
    "an unknown function": (lambda: lambdify((x,), Function("f")(x[i])), (BridgeError, NotCompiled), "f"),
    "no shape": (lambda: lambdify((IndexedBase("z"),), IndexedBase("z")[i]), (BridgeError, NotCompiled), "shape"),
    "other lengths": (
        lambda: lambdify((Q, K), scores(i, j))(np.ones((2, 3)), np.ones((2, 4))), ValueError, "d is 3 from axis 1 of K|d is 4"
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_bad_input(name: str) -> None:
    call, error, says = BAD[name]
    with pytest.raises(error, match=says):
        call()


def test_it_is_a_public_name() -> None:
    assert "lambdify" in dir(derivations)
