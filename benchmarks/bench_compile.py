"""Emitted NumPy against hand-written NumPy for attention weights, interleaved, with the A/A ratio beside it."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from derivations.numeric import compile_definition

from derivations.theorems import find


def by_hand(Q: Any, K: Any) -> Any:
    """What an engineer writes."""
    scores = Q @ K.T
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True)


def seconds(function: Callable[[], Any]) -> float:
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def main() -> None:
    """Print a table of medians; nothing is asserted."""
    _, theory = find("attention_rows_sum_to_one").stated
    compiled = compile_definition(theory.definitions["A"][0], theory)
    print(f"{'n':>6} {'by hand':>10} {'emitted':>10} {'ratio':>7} {'A/A':>7}")
    for n in (64, 256, 1024):
        rng = np.random.default_rng(n)
        Q, K = rng.standard_normal((n, 64)), rng.standard_normal((n, 64))
        first, second, ours = [], [], []
        for _ in range(15):
            first.append(seconds(partial(by_hand, Q, K)))
            ours.append(seconds(partial(compiled, Q=Q, K=K)))
            second.append(seconds(partial(by_hand, Q, K)))
        a, b, c = map(statistics.median, (first, second, ours))
        print(f"{n:6} {a * 1e3:8.3f}ms {c * 1e3:8.3f}ms {c / a:7.3f} {b / a:7.3f}")
