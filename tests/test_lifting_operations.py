"""Every row of the operation tables: the lifted meaning of its examples against the real torch or NumPy operation."""

from __future__ import annotations

import ast
import math

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from flint import arb, fmpq

from derivations.language.inputs import Inputs
from derivations.language.meaning import evaluate
from derivations.language.statement import Theory
from derivations.language.term import Index
from derivations.lifting.interpreter.interpret import Interpreter
from derivations.lifting.operations.all_operations import BY_NAME, ROWS, call
from derivations.lifting.operations.table import Op, array
from derivations.lifting.settled_entries import finish, finished_folds
from derivations.lifting.symbolic.arrays import place_name
from derivations.lifting.symbolic.not_lifted import NotLifted
from derivations.lifting.symbolic.scope import Scope

SIZES = {"n": 2, "m": 3, "p": 4, "q": 5}
SHAPES = {"x": "nm", "z": "nm", "y": "mp", "u": "m", "v": "m", "s": "nn", "b": "qnm", "c": "qmp", "t": "n"}
"""Unequal sizes, so that no axis can be taken for another."""
ABSOLUTE = 1e-9
"""Double precision on entries of size 1 and sums of at most 60 terms, with room for torch's own order of operations."""
WITHOUT_EXAMPLE = frozenset(
    {"math.exp", "math.log", "math.pow", "scipy.special.softmax", "scipy.special.log_softmax", "numpy.round"}
    | {"torch.nn.functional.dropout", "torch.empty", "torch.empty_like", "torch.randn", "torch.randn_like"}
    | {
        "einops.rearrange",
        "einops.repeat",
        "einops.reduce",
        "einops.einsum",
        "numpy.random.normal",
        "numpy.random.random",
        "numpy.random.gamma",
        "numpy.random.exponential",
        "numpy.random.dirichlet",
        "numpy.random.multivariate_normal",
        "numpy.random.choice",
        "torch.randint",
        "torch.nn.Parameter",
        ".argmax",
    }
    | {"numpy.triu_indices", "numpy.tril_indices", "numpy.triu_indices_from", "numpy.tril_indices_from"}
    | {"torch.triu_indices", "torch.tril_indices", "numpy.diag_indices", "numpy.nonzero", ".fill_diagonal"}
)
"""Rows that have nothing to compare: random, uninitialised, refused, the plain-number twin of a tested row, index arrays and diagonals
(what is written through them is compared in the tests of loops), or of a library that need not be installed (its rows are
compared with torch's in the tests of lifting)."""

CASES = [(row, example) for row in ROWS for example in row.examples]


def test_every_row_has_an_example_or_a_reason() -> None:
    missing = {row.names[0] for row in ROWS if not row.examples} - WITHOUT_EXAMPLE
    assert not missing
    assert len(BY_NAME) == sum(len(row.names) for row in ROWS), "a name stands in two rows"


def inputs(numpy: bool) -> dict[str, object]:
    rng = np.random.default_rng(5)
    found: dict[str, object] = {}
    for name, axes in SHAPES.items():
        values = rng.integers(-6, 7, size=[SIZES[a] for a in axes]) / 4.0  # exact in binary
        if name == "t":  # classes
            values = rng.integers(0, SIZES["m"], size=SIZES["n"])
        found[name] = values if numpy else torch.tensor(values, dtype=torch.int64 if name == "t" else torch.float64)
    return found


def lifted_values(expression: str, numpy: bool) -> np.ndarray:
    scope = Scope(library="numpy" if numpy else "torch")
    interpreter = Interpreter(scope)
    for name, axes in SHAPES.items():
        given = scope.given([scope.sizes.name(a) for a in axes], name, "parameter")
        interpreter.module.names[name] = given
    scope.sizes.concrete.update(SIZES)
    made = finish(scope, array(interpreter.value(ast.parse(expression, mode="eval").body, interpreter.module)))
    data = inputs(True)

    def exact(v: object) -> object:
        return [exact(w) for w in v] if isinstance(v, list) else fmpq(int(v * 4), 4)  # type: ignore[operator]

    sizes = {**SIZES, **scope.sizes.concrete}
    data["pi"] = fmpq(*math.pi.as_integer_ratio())
    tensors = {
        head: data["pi"]
        if i.origin == "constant"
        else data[i.name].tolist()  # type: ignore[attr-defined]
        if head in scope.labels
        else exact(np.asarray(data[i.name]).tolist())
        for head, i in scope.inputs.items()
    }
    point = Inputs(sizes, tensors)
    shape = [s.evaluate({}, sizes) for s in made.shape]
    out = np.empty(shape)
    entry = made.real(tuple(Index.var(place_name(k)) for k in range(len(shape))))
    theory = Theory({}, finished_folds(scope, entry))
    for at in np.ndindex(*shape):
        value = evaluate(entry, theory, point,
                         {place_name(k): i for k, i in enumerate(at)})  # fmt: skip
        out[at] = float(value.p) / float(value.q) if isinstance(value, fmpq) else float(arb(value).mid())
    return out


@pytest.mark.parametrize(("row", "example"), CASES, ids=[f"{r.names[0]}: {e}" for r, e in CASES])
def test_row(row: Op, example: str) -> None:
    numpy = "np." in example
    names = {"np": np, "torch": torch, "F": F, "math": math, **inputs(numpy)}
    with torch.no_grad():
        real = np.asarray(eval(example, names), dtype=float)  # the test's own text
    mine = lifted_values(example, numpy)
    assert mine.shape == real.shape, example
    np.testing.assert_allclose(mine, real, rtol=0, atol=ABSOLUTE, err_msg=example)


def test_unknown_operations_are_refused() -> None:
    with pytest.raises(NotLifted, match=r"torch\.fft\.fft is not in the table"):
        call(Scope(), "torch.fft.fft", [], {})
