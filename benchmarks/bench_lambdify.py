"""`derivations.lambdify` beside SymPy's own, which computes entry by entry, for attention weights."""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy
from sympy import IndexedBase, Sum, exp, symbols

from benchmarks.measuring import interleaved, machine, ratio, save
from derivations import lambdify

i, j, k, c, n, m, d = symbols("i j k c n m d", integer=True)
Q, K = IndexedBase("Q", shape=(n, d)), IndexedBase("K", shape=(m, d))


def score(row: Any, column: Any) -> Any:
    return Sum(Q[row, c] * K[column, c], (c, 0, d - 1))


WEIGHTS = exp(score(i, j)) / Sum(exp(score(i, k)), (k, 0, m - 1))


def main() -> None:
    """Print a table; nothing is asserted."""
    ours = lambdify((Q, K), WEIGHTS, axes=(i, j))
    entry = sympy.lambdify((Q, K, i, j, n, m, d), WEIGHTS, "numpy")
    rows = []
    print(f"{'n':>4} {'ours':>11} {'entry by entry':>15} {'ratio':>9}")
    for size in (4, 8, 16, 32):
        rng = np.random.default_rng(size)
        q, keys = rng.standard_normal((2, size, 8))

        def entries(q: Any = q, keys: Any = keys, size: int = size) -> Any:
            return np.array([[entry(q, keys, a, b, size, size, 8) for b in range(size)] for a in range(size)])

        if not np.allclose(entries(), ours(q, keys)):
            raise ValueError("the two differ")
        times = interleaved({"ours": lambda q=q, keys=keys: ours(q, keys), "sympy": entries}, rounds=9)  # type: ignore[misc]
        found = {
            "n": size,
            "ours_us": float(np.median(times["ours"]) * 1e6),
            "sympy_over_ours": ratio(times, "sympy", "ours"),
        }
        rows.append(found)
        print(
            f"{size:4} {found['ours_us']:9.1f}us {np.median(times['sympy']) * 1e3:13.2f}ms {found['sympy_over_ours']:9.0f}"
        )
    print(save("lambdify", {"machine": machine("sympy", "numpy"), "channels": 8, "rows": rows}))


if __name__ == "__main__":
    main()
