"""Gradients: autograd of the compiled code against the derivative that a definition means, in ball arithmetic."""

from __future__ import annotations

import importlib.util
from itertools import product
from typing import Any

import numpy as np
import pytest
from derivations.numeric import NotCompiled, compile_definition
from derivations.numeric.crosscheck import _exact

from derivations.language.extended_reals import PRECISION, ball, precise
from derivations.language.inputs import Inputs
from derivations.language.meaning import Evaluator
from derivations.language.statement import Definition, Tensor, Theory
from derivations.language.term import Derivative, Index
from derivations.theorems import library

pytestmark = pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="torch is not installed")
torch: Any = pytest.importorskip("torch")


def definitions() -> dict[str, tuple[Definition, Theory]]:
    """The library's definitions that have an array program and read real tensors."""
    found: dict[str, tuple[Definition, Theory]] = {}
    seen: set[str] = set()
    for row in library():
        _, theory = row.stated
        for name, rows in theory.definitions.items():
            for one in rows:
                if theory.recursive(name) or str(one) in seen:
                    continue
                seen.add(str(one))
                try:
                    if compile_definition(one, theory, "torch").inputs:
                        found[f"{row.name}.{one.name}"] = one, theory
                except NotCompiled:
                    continue  # counted in test_numeric.NOT_COMPILED
    return found


DEFINITIONS = definitions()


def test_there_is_something_to_differentiate() -> None:
    assert len(DEFINITIONS) >= 34  # a number that may only grow


@pytest.mark.parametrize("name", DEFINITIONS)
def test_autograd_is_the_derivative(name: str) -> None:
    """Every partial derivative at one point with sizes of 2 and 3, in float64: 1e-10 is a million times its roundoff,
    which leaves room for the few operations of these formulas at numbers of order one."""
    definition, theory = DEFINITIONS[name]
    made = compile_definition(definition, theory, "torch")
    sizes = {s: 2 + k % 2 for k, s in enumerate(made.sizes)}
    rng = np.random.default_rng(len(name))
    arrays = {
        n: np.asarray(rng.uniform(0.5, 1.5, [i.evaluate({}, sizes) for i in shape])) for n, shape in made.inputs.items()
    }
    tensors = {n: Tensor(n, shape) for n, shape in made.inputs.items()}
    known = Theory({**theory.tensors, **tensors}, theory.definitions)
    evaluator = Evaluator(known, Inputs(sizes, {n: _exact(a) for n, a in arrays.items()}))
    extents = [
        i.evaluate({}, sizes) for p, i in zip(definition.indices, definition.shape or (), strict=False) if p.free
    ]
    numbers = {s: sizes[s] for s in made.parameters}
    for wanted, array in arrays.items():

        def f(x: Any, wanted: str = wanted) -> Any:
            given = {n: torch.as_tensor(a) for n, a in arrays.items()}
            return made(**{**given, wanted: x}, **numbers)

        jacobian = torch.autograd.functional.jacobian(f, torch.as_tensor(array)).numpy()
        for at in product(*map(range, extents)):
            env = dict(zip(definition.variables, at, strict=True))
            if not evaluator.defined(definition.body, env):
                continue  # 0/0 in the first row of a strictly causal mask
            for place in np.ndindex(*array.shape):
                meant = Derivative(wanted, tuple(map(Index.of, place)), definition.body)
                with precise(PRECISION):
                    exact = float(ball(evaluator.value(meant, env)).mid())
                assert jacobian[(*at, *place)] == pytest.approx(exact, rel=1e-10, abs=1e-10), (wanted, at, place)
