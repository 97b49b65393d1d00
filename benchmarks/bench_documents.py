"""Whole documents, cold, in a process of their own: equations with claims, growth with length, cells of code."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SECTION = r"""
## Part {k}

Let $Q, K \in \mathbb{{R}}^{{n \times d}}$. The scores are $S^{{({k})}}_{{ij}} = \sum_c Q_{{ic}} K_{{jc}} / \sqrt{{d + {k}}}$ and

$$B^{{({k})}}_{{ij}} = \frac{{\exp(S^{{({k})}}_{{ij}})}}{{\sum_r \exp(S^{{({k})}}_{{ir}})}}.$$

Its rows sum to one, and the scale is the same for all keys:

$$\sum_j B^{{({k})}}_{{ij}} = 1$$

$$S^{{({k})}}_{{ij}} - S^{{({k})}}_{{ir}} = \sum_c Q_{{ic}} (K_{{jc}} - K_{{rc}}) / \sqrt{{d + {k}}}$$
"""
"""Two definitions and two claims."""

CODE = """def weights_{k}(Q, K):
    scores = Q @ K.T / {k} ** 0.5
    scores = scores - scores.max(axis=1, keepdims=True)
    e = np.exp(scores)
    return e / e.sum(axis=1, keepdims=True)
"""


def timed(path: Path) -> tuple[float, dict[str, int]]:
    """Seconds of `derivations check` on a file, and how many items have which status."""
    out = path.with_suffix(".out.json")
    start = time.perf_counter()
    command = [
        sys.executable,
        "-c",
        "import sys; from derivations.cli import main; sys.exit(main())",
        "check",
        str(path),
        "--json",
        str(out),
    ]
    subprocess.run(command, capture_output=True, check=False)
    spent = time.perf_counter() - start
    found: dict[str, int] = {}
    for item in json.loads(out.read_text())["documents"][0]["items"]:
        found[item["status"]] = found.get(item["status"], 0) + 1
    return spent, found


def main() -> None:
    """Print a table; nothing is asserted."""
    with tempfile.TemporaryDirectory() as folder:
        for parts in (6, 12, 25, 50):
            path = Path(folder) / f"lesson{parts}.md"
            path.write_text("# A lesson\n" + "".join(SECTION.format(k=k) for k in range(1, parts + 1)))
            spent, found = timed(path)
            print(f"{parts * 2:4} definitions and {parts * 2:4} claims: {spent:6.2f} s  {found}")
        cells = [{"cell_type": "markdown", "source": "$$A = \\text{softmax}(QK^T/\\sqrt{2})$$", "metadata": {}}]
        for k in range(20):
            source = ("import numpy as np\n" if not k else "") + CODE.format(k=k + 1)
            cells.append(
                {"cell_type": "code", "source": source, "metadata": {}, "outputs": [], "execution_count": k + 1}
            )
        path = Path(folder) / "cells.ipynb"
        path.write_text(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
        spent, found = timed(path)
        print(f"a notebook with 20 cells of code: {spent:6.2f} s  {found}")


if __name__ == "__main__":
    main()
