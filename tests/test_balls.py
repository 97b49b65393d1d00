"""Reference values in ball arithmetic: they agree with the meaning of a definition, and contain what high precision gives."""

from __future__ import annotations

import importlib.util
import math
from typing import Any

import numpy as np
import pytest
from derivations.numeric import Model, NotCompiled, check_within_bound
from derivations.numeric.balls import LARGEST, distances, middles, reference_balls
from derivations.numeric.crosscheck import reference
from derivations.numeric.definitions import stated
from derivations.numeric.program import lower_definition

from derivations.language.statement import Definition, Theory
from derivations.theorems import library

try:
    import torch
    import torch.nn.functional as F
except ImportError:  # the functions below are read, never run
    torch = F = None  # type: ignore[assignment]

TWO = {"Q": ("n", "d"), "K": ("m", "d"), "V": ("m", "e")}


def attention(Q, K, V):
    return torch.softmax(Q @ K.T / math.sqrt(Q.shape[-1]), dim=-1) @ V


def causal(Q, K, V):
    return F.scaled_dot_product_attention(Q, K, V, is_causal=True)


def definitions() -> dict[str, tuple[Definition, Theory]]:
    found: dict[str, tuple[Definition, Theory]] = {}
    for row in library():
        _, theory = row.stated
        for name, rows in theory.definitions.items():
            if not theory.recursive(name):
                found |= {f"{row.name}.{name}": (one, theory) for one in rows[:1]}
    return found


DEFINITIONS = definitions()


@pytest.mark.parametrize("name", DEFINITIONS)
def test_two_evaluators_agree(name: str) -> None:
    """The array program in balls, and the term entry by entry (`language.meaning`): their balls meet everywhere."""
    definition, theory = DEFINITIONS[name]
    try:
        program = lower_definition(definition, theory)
    except NotCompiled:
        return  # listed in test_numeric.NOT_COMPILED
    sizes = {s: 2 + k % 2 for k, s in enumerate(program.sizes)}
    if any(extent.evaluate({}, sizes) <= at for extent, at in program.needs):
        return  # a fixed index outside of these sizes
    rng = np.random.default_rng(3)
    given = {n: rng.standard_normal([i.evaluate({}, sizes) for i in shape]) for n, shape in program.inputs.items()}
    found = reference_balls(program, given, sizes)
    expected = reference(definition, theory, sizes, given)
    if found is None:
        assert "-oo" in str(definition)  # minus infinity outside of a mask
        return
    assert found.shape == expected.shape
    for at in np.ndindex(expected.shape):
        if expected[at] is not None:
            assert found[at].overlaps(expected[at]) and float(found[at].rad()) < 1e-25


def drawn(n: int, m: int, d: int, e: int, seed: int = 0) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    return {"Q": rng.standard_normal((n, d)), "K": rng.standard_normal((m, d)), "V": rng.standard_normal((m, e))}


@pytest.mark.skipif(importlib.util.find_spec("mpmath") is None, reason="mpmath comes with SymPy")
def test_beside_multiple_precision() -> None:
    from mpmath import mp

    given = drawn(3, 4, 2, 2)
    balls = reference_balls(lower_definition(*stated(attention, (), TWO)), given, {"n": 3, "m": 4, "d": 2, "e": 2})
    assert balls is not None
    with mp.workdps(40):
        q, k, v = (mp.matrix(x.tolist()) for x in given.values())
        s = q * k.T / mp.sqrt(2)
        for i in range(3):
            weights = [mp.exp(s[i, j]) for j in range(4)]
            for c in range(2):
                right = sum(w * v[j, c] for j, w in enumerate(weights)) / sum(weights)
                assert abs(mp.mpf(balls[i, c].mid().str(38, radius=False)) - right) < mp.mpf(10) ** -30


def test_large_scores_and_masks_stay_exact() -> None:
    """Scores of +-1e5 overflow every type; balls take the largest one out."""
    given = drawn(4, 4, 3, 2)
    given["Q"], given["K"] = given["Q"] * 300, given["K"] * 300
    shapes = {"Q": ("n", "d"), "K": ("n", "d"), "V": ("n", "e")}
    balls = reference_balls(lower_definition(*stated(causal, (), shapes)), given, {"n": 4, "d": 3, "e": 2})
    assert balls is not None and all(float(x.rad()) < 1e-20 for x in balls.ravel())
    assert np.allclose(middles(balls)[0], given["V"][0])


def test_what_is_large_is_left_to_samples_and_to_float64() -> None:
    program = lower_definition(*stated(attention, (), TWO))
    assert reference_balls(program, drawn(512, 512, 64, 4), {"n": 512, "m": 512, "d": 64, "e": 4}) is None
    given, sizes = drawn(512, 512, 16, 4), {"n": 512, "m": 512, "d": 16, "e": 4}
    some = reference_balls(program, given, sizes, {"x0": [0, 100, 511]})
    assert some is not None and some.shape == (3, 4) and LARGEST < 512 * 512 * 64
    scores = given["Q"] @ given["K"].T / 4
    weights = np.exp(scores - scores.max(1, keepdims=True))
    assert distances((weights / weights.sum(1, keepdims=True) @ given["V"])[[0, 100, 511]], some).max() < 1e-13


def test_verdicts_say_what_they_rest_on() -> None:
    given = drawn(5, 6, 3, 2)
    scores = given["Q"] @ given["K"].T / math.sqrt(3)
    weights = np.exp(scores - scores.max(1, keepdims=True))
    result = weights / weights.sum(1, keepdims=True) @ given["V"]
    model = Model("float64", "float64")
    verdict = check_within_bound(result, attention, given, model=model, shapes=TWO)
    assert verdict.within and verdict.reference == "ball arithmetic" and 0 < verdict.error < 1e-14
    assert not check_within_bound(result * (1 + 1e-13), attention, given, model=model, shapes=TWO).within
    large = drawn(600, 600, 2, 1)
    scores = large["Q"] @ large["K"].T / math.sqrt(2)
    weights = np.exp(scores - scores.max(1, keepdims=True))
    whole = check_within_bound(
        weights / weights.sum(1, keepdims=True) @ large["V"], attention, large, model=model, shapes=TWO
    )
    assert whole.within and whole.reference == "float64 with its own bound"
