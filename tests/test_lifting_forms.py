"""Every operation that is said to be covered, as function and as method, of torch and of NumPy, against the real one."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn as nn
import torch.nn.functional as F
from flint import arb, fmpq

from derivations.language.inputs import Inputs
from derivations.language.meaning import evaluate
from derivations.language.statement import Theory
from derivations.lifting import lift

SIZES = {"n": 4, "d": 2, "h": 2, "b": 3}
SHAPES: dict[str, tuple[str | int, ...]] = {
    "x": ("n",),
    "c": ("n",),
    "X": ("n", "d"),
    "Y": ("n", "d"),
    "S": ("n", "n"),
    "T": ("b", "n", "d"),
    "E": ("n", 6),
    "W": ("d", "d"),
    "R": ("n", 1),
    "X4": ("b", "h", "n", "d"),
}
COVERED = """
@ matmul mm bmm dot inner outer einsum tensordot transpose permute view reshape flatten chunk split cat stack squeeze
unsqueeze expand repeat_interleave broadcast slice arithmetic comparison exp log sqrt rsqrt tanh sigmoid relu gelu silu
sin cos sum mean var std max amax softmax log_softmax logsumexp where masked_fill tril triu ones zeros full eye arange
cumsum nn.Linear F.layer_norm nn.RMSNorm nn.Embedding nn.Dropout nn.Parameter F.scaled_dot_product_attention
apply_along_axis comprehension print f-string closure
"""
ABSOLUTE = 1e-9
"""Double precision on entries of size 1."""
IMPORTS = "import math\nimport numpy as np\n"
TORCH = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n"


def forms() -> Iterator[tuple[str, str, str]]:
    """(library, operation, expression)."""
    group = ""
    for line in (Path(__file__).parent / "data" / "forms.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            group = line[1:-1]
        elif not line.startswith("#"):
            name, _, expression = line.partition(": ")
            yield group, name, expression


ROWS = list(forms())


def test_the_list_is_complete() -> None:
    assert not set(COVERED.split()) - {name for _, name, _ in ROWS}


def values(names: list[str], numpy: bool) -> dict[str, Any]:
    rng = np.random.default_rng(11)
    shapes = {n: [s if isinstance(s, int) else SIZES[s] for s in SHAPES[n]] for n in names}
    drawn = {n: rng.integers(-5, 6, shape) / 4.0 for n, shape in shapes.items()}  # exact in binary
    return {n: v if numpy else torch.tensor(v, dtype=torch.float64) for n, v in drawn.items()}


def run(code: str, given: dict[str, Any]) -> np.ndarray:
    names: dict[str, Any] = {"torch": torch, "math": math, "np": np, "nn": nn, "F": F}
    torch.set_default_dtype(torch.float64)
    try:
        exec(code, names)  # the test's own text
        result = names["f"](**{n: v.copy() if isinstance(v, np.ndarray) else v.clone() for n, v in given.items()})
    finally:
        torch.set_default_dtype(torch.float32)
    return np.asarray(result.detach() if isinstance(result, torch.Tensor) else result, dtype=float)


def exact(a: Any) -> Any:
    return [exact(v) for v in a] if isinstance(a, list) else fmpq(int(a * 4), 4)


def parameter(shape: list[int], bias: bool) -> Any:
    """What layers start from: weights of ones, biases of zeros."""
    return [parameter(shape[1:], bias) for _ in range(shape[0])] if shape else fmpq(0 if bias else 1)


def lifted(code: str, numpy: bool, given: dict[str, Any]) -> np.ndarray:
    made = lift((IMPORTS if numpy else IMPORTS + TORCH) + code, "f", {n: SHAPES[n] for n in given})
    tensors: dict[str, Any] = {"eps": fmpq(1, 100000), "pi": fmpq(*math.pi.as_integer_ratio())}
    for t in made.inputs:
        if t.name in given:
            tensors[t.name] = exact(given[t.name].tolist())
        elif t.name not in tensors:
            tensors[t.name] = parameter([s.evaluate({}, SIZES) for s in t.shape], t.name.endswith("_"))
    theory = Theory({t.name: t for t in made.inputs}, made.definitions)
    out = np.empty([s.evaluate({}, SIZES) for s in made.shape])
    for at in np.ndindex(*out.shape):
        place = {f"x{k}": i for k, i in enumerate(at)}
        value = evaluate(made.entry, theory, Inputs(SIZES, tensors), place)
        out[at] = float(value.p) / float(value.q) if isinstance(value, fmpq) else float(arb(value).mid())
    return out


@pytest.mark.parametrize(("library", "name", "expression"), ROWS, ids=[f"{g}: {e}" for g, _, e in ROWS])
def test_form(library: str, name: str, expression: str) -> None:
    plain = re.sub(r"'[^']*'", "", expression)
    names = [s for s in SHAPES if re.search(rf"(?<![\w.]){s}(?![\w(])", plain)]
    code = f"def f({', '.join(names)}):\n    return {expression}\n"
    given = values(names, library == "numpy")
    mine, real = lifted(code, library == "numpy", given), run(code, given)
    assert mine.shape == real.shape
    np.testing.assert_allclose(mine, real, rtol=0, atol=ABSOLUTE)
