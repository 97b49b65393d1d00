"""Snippets in which a naive reading goes wrong: what is lifted is what the code computes, and the rest is refused."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
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
from derivations.language.statement import Tensor, Theory
from derivations.lifting import NotLifted, lift

SIZES = {"n": 4, "m": 3, "d": 2, "v": 5, "h": 2, "b": 3, "e": 6, "o": 1}
"""Unequal, so that no axis can be taken for another; `e` divides by 2 and 3."""
SHAPES: dict[str, tuple[str, ...]] = {
    "x": ("n",),
    "X": ("n", "d"),
    "Y": ("n", "d"),
    "S": ("n", "n"),
    "T": ("b", "n", "d"),
    "E": ("n", "e"),
    "W": ("d", "d"),
    "M": ("n", "m"),
    "R": ("n", "o"),
    "o": ("o", "n"),
    "X4": ("b", "h", "n", "d"),
    "c": ("n",),
}
ABSOLUTE = 1e-9
"""Double precision on entries of size 1."""
IMPORTS = {"numpy": "import numpy as np\n"}


def snippets() -> Iterator[tuple[str, str, bool]]:
    """(library, code, whether it is lifted)."""
    group = ""
    text = (Path(__file__).parent / "data" / "snippets.txt").read_text(encoding="utf-8")
    for line in text.splitlines():
        if line.startswith("["):
            group = line[1:-1]
        elif not line.startswith("#"):
            yield group, line[2:].replace(" ⏎ ", "\n") + "\n", line.startswith("=")


ROWS = list(snippets())


def data(code: str, numpy: bool) -> dict[str, Any]:
    rng = np.random.default_rng(11)
    names = code[code.index("def f(") + 6 :].split(")")[0].split(", ")
    drawn = {n: rng.integers(-5, 6, [SIZES[s] for s in SHAPES[n]]) / 4.0 for n in names}  # exact in binary
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


def parts_of_sizes(inputs: Iterable[Tensor], given: dict[str, Any]) -> dict[str, int]:
    """What the parts are of sizes that the code cuts: 3 where an axis of length 6 has size 2*w."""
    found = {}
    for t in inputs:
        for size, real in zip(t.shape, given[t.name].shape if t.name in given else (), strict=False):
            if len(size.terms) == 1 and not size.const:
                atom, k = size.terms[0]
                found[atom.name] = real // k
    return found


def lifted(code: str, group: str, given: dict[str, Any]) -> np.ndarray:
    imports = IMPORTS.get(group, "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n")
    made = lift(f"{imports}import math\n{code}", "f", {n: SHAPES[n] for n in given})

    def exact(a: Any) -> Any:
        return [exact(v) for v in a] if isinstance(a, list) else fmpq(int(a * 4), 4)

    tensors = {t.name: exact(given[t.name].tolist()) for t in made.inputs if t.name in given}
    constants = {"eps": fmpq(1, 100000), "pi": fmpq(*math.pi.as_integer_ratio())}
    tensors |= {t.name: constants[t.name] for t in made.inputs if t.name in constants}
    theory = Theory({t.name: t for t in made.inputs}, made.definitions)
    sizes = SIZES | parts_of_sizes(made.inputs, given)
    out = np.empty([s.evaluate({}, sizes) for s in made.shape])
    for at in np.ndindex(*out.shape):
        place = {f"x{k}": i for k, i in enumerate(at)}
        value = evaluate(made.entry, theory, Inputs(sizes, tensors), place)
        out[at] = float(value.p) / float(value.q) if isinstance(value, fmpq) else float(arb(value).mid())
    return out


@pytest.mark.parametrize(("group", "code", "taken"), ROWS, ids=[f"{g}: {c}" for g, c, _ in ROWS])
def test_snippet(group: str, code: str, taken: bool) -> None:
    given = data(code, group == "numpy")
    if not taken:
        with pytest.raises(NotLifted):
            lifted(code, group, given)
        return
    mine, real = lifted(code, group, given), run(code, given)
    assert mine.shape == real.shape
    np.testing.assert_allclose(mine, real, rtol=0, atol=ABSOLUTE)
