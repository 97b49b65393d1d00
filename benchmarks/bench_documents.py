"""Whole documents, cold, in a process of their own: equations with claims, growth with length, cells of code."""

from __future__ import annotations

import json
import os
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
"""Two definitions, two claims in formulas and one in words."""
IN_WORDS = "Its rows sum to one, and the scale is the same for all keys:"

EQUATION = "$$A = \\text{softmax}(QK^T/\\sqrt{2})$$"
CODE = """def weights_{k}(Q, K):
    scores = Q @ K.T / {k} ** 0.5
    scores = scores - scores.max(axis=1, keepdims=True)
    e = np.exp(scores)
    return e / e.sum(axis=1, keepdims=True)
"""


def timed(path: Path) -> tuple[float, dict[str, int]]:
    """Seconds of `derivations check` on a file, the better of two runs, and how many items have which status.

    Each run is a new process; Python may keep its byte code, as it does where the package is installed.
    """
    out = path.with_suffix(".out.json")
    command = [
        sys.executable,
        "-c",
        "import sys; from derivations.cli import main; sys.exit(main())",
        "check",
        str(path),
        "--json",
        str(out),
        "--no-cache",
    ]
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    seconds = []
    for _ in range(2):
        start = time.perf_counter()
        subprocess.run(command, capture_output=True, check=False, env=environment)
        seconds.append(time.perf_counter() - start)
    spent = min(seconds)
    found: dict[str, int] = {}
    for item in json.loads(out.read_text())["documents"][0]["items"]:
        found[item["status"]] = found.get(item["status"], 0) + 1
    return spent, found


def notebook(path: Path, codes: list[str]) -> None:
    """An equation and cells of code."""
    cells: list[dict[str, object]] = [{"cell_type": "markdown", "source": EQUATION, "metadata": {}}]
    for k, code in enumerate(codes):
        source = ("import numpy as np\n" if not k else "") + code
        cells.append({"cell_type": "code", "source": source, "metadata": {}, "outputs": [], "execution_count": k + 1})
    path.write_text(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))


def submissions(folder: Path) -> None:
    """Eighty notebooks of twenty cells on their own, then against a reference; each has one function that is wrong."""
    right = [CODE.format(k=k + 1) for k in range(20)]
    calls = "n, m, d = 5, 4, 3\nQ, K = np.random.randn(n, d), np.random.randn(m, d)\n"
    calls += "".join(f"A{k + 1} = weights_{k + 1}(Q, K)\n" for k in range(20))
    (folder / "copies").mkdir()
    notebook(folder / "reference.ipynb", [*right, calls])
    for k in range(80):
        codes = [c.replace("/ e.sum(axis=1", "/ e.sum(axis=0") if j == k % 20 else c for j, c in enumerate(right)]
        notebook(folder / "copies" / f"copy{k:02}.ipynb", [*codes, calls])
    command = [sys.executable, "-m", "derivations.cli", "check", str(folder / "copies"), "--no-cache"]
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    for what, more in (("on their own", []), ("against a reference", ["--against", str(folder / "reference.ipynb")])):
        start = time.perf_counter()
        done = subprocess.run([*command, *more], capture_output=True, check=False, env=environment, text=True)
        spent, wrong = time.perf_counter() - start, done.stdout.count(" wrong: ")
        print(f"80 notebooks with 20 cells each, {what}: {spent:6.2f} s  ({wrong} functions wrong)")


def chapters(folder: Path) -> None:
    """Thirty documents of two sections each: studied, unchanged, and with one of them changed."""
    for k in range(30):
        (folder / f"chapter{k:02}.md").write_text(f"# {k}\n" + SECTION.format(k=k + 1) + SECTION.format(k=k + 31))
    command = [sys.executable, "-m", "derivations.cli", "check", str(folder)]
    environment = {**os.environ, "DERIVATIONS_CACHE": str(folder / ".cache")}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    for what in ("studied", "unchanged", "unchanged", "with one of them changed"):
        if what.startswith("with"):
            (folder / "chapter07.md").write_text(SECTION.format(k=8))
        start = time.perf_counter()
        done = subprocess.run(command, capture_output=True, check=False, env=environment, text=True)
        spent = time.perf_counter() - start
        kept = next((line for line in done.stdout.splitlines() if line.startswith("unchanged:")), "nothing kept")
        print(f"30 chapters, {what}: {spent:6.2f} s  ({kept})")


def main() -> None:
    """Print a table; nothing is asserted."""
    with tempfile.TemporaryDirectory() as folder:
        for parts in (6, 12, 25, 50):
            path = Path(folder) / f"lesson{parts}.md"
            path.write_text("# A lesson\n" + "".join(SECTION.format(k=k) for k in range(1, parts + 1)))
            spent, found = timed(path)
            print(f"{parts * 2:4} definitions and {parts * 3:4} claims: {spent:6.2f} s  {found}")
        path.write_text(path.read_text().replace(IN_WORDS, "For all keys:"))
        spent, found = timed(path)
        print(f" 100 definitions and  100 claims in formulas alone: {spent:6.2f} s  {found}")
        path = Path(folder) / "cells.ipynb"
        notebook(path, [CODE.format(k=k + 1) for k in range(20)])
        spent, found = timed(path)
        print(f"a notebook with 20 cells of code: {spent:6.2f} s  {found}")
    with tempfile.TemporaryDirectory() as folder:
        chapters(Path(folder))
    with tempfile.TemporaryDirectory() as folder:
        submissions(Path(folder))


if __name__ == "__main__":
    main()
