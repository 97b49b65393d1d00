"""Equations read and printed per second: every example of the notation table, and a few long equations."""

from __future__ import annotations

import time
from collections.abc import Callable

from derivations.latex.syntax.notation import FORMS
from derivations.latex.syntax.reader import read_equation
from derivations.latex.syntax.surface_writer import write_surface

LONG = (
    r"A_{ij}(\mathbf{Q}, \mathbf{K}) = \frac{\exp(\mathbf{Q}_{i, :} \cdot \mathbf{K}_{j, :})}"
    r"{\sum_k \exp(\mathbf{Q}_{i, :} \cdot \mathbf{K}_{k, :})}",
    r"\text{Attention}(Q, K, V) = \text{softmax}\left(\frac{QK^\top}{\sqrt{d_k}} + M\right) V \in \mathbb{R}^{n \times d}",
    r"M_{ij} = \begin{cases} 0 & \text{if } j \leq i \\ -\infty & \text{otherwise} \end{cases}",
    r"\begin{aligned} R(m)^T R(n) &= \begin{pmatrix} \cos(m\theta) & \sin(m\theta) \\ -\sin(m\theta) & \cos(m\theta) "
    r"\end{pmatrix} \begin{pmatrix} \cos(n\theta) & -\sin(n\theta) \\ \sin(n\theta) & \cos(n\theta) \end{pmatrix} \\ "
    r"&= R(n-m) \end{aligned}",
)


def rate(work: Callable[[], int]) -> float:
    """Equations per second, the best of five rounds."""
    best = 0.0
    for _ in range(5):
        start = time.perf_counter()
        count = work()
        best = max(best, count / (time.perf_counter() - start))
    return best


def main() -> None:
    """Print the rates."""
    for name, sources in (("notation table", [f.example for f in FORMS]), ("long equations", list(LONG) * 25)):
        print(f"{name:15} read  {rate(lambda s=sources: sum(bool(read_equation(x)) for x in s)):8.0f} equations/s")  # type: ignore[misc]
        trees = [r.chain for x in sources for r in read_equation(x)]
        print(f"{name:15} print {rate(lambda t=trees: sum(bool(write_surface(x)) for x in t)):8.0f} equations/s")  # type: ignore[misc]


if __name__ == "__main__":
    main()
