"""A counterexample about code as a program of its own: the document's statements at the inputs of the counterexample.

The program is text, made without running anything; it needs the document's own library and nothing of this project.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import Any

from derivations.documents.model.document import Document
from derivations.documents.model.finding import Finding
from derivations.provers.decide import Refuted

from .cells import prepare, stored
from .replays import job_of


def add_programs(document: Document, findings: Sequence[Finding]) -> None:
    """Give each refutation about code a program that shows it, where one can be made."""
    refuted = [f for f in findings if f.kind == "code" and f.status == "refuted" and isinstance(f.decision, Refuted)]
    if not refuted:
        return
    prepared = prepare(document)
    for f in refuted:
        row = job_of(f, prepared)
        if row is not None and isinstance(f.decision, Refuted):
            f.program = _program(row, f.decision.counterexample.left)


def _program(row: Mapping[str, Any], left: str) -> str:
    library = row["library"]
    given = [f"{name} = {value}" for name, value in row["sizes"].items()]
    given += [f"{name} = {_array(library, nested)}" for name, nested in row["arrays"].items()]
    bound = {*row["sizes"], *row["arrays"]}
    lines = [f"import {library}", "", *given, ""]
    for k, source in enumerate(row["steps"]):
        tree = ast.parse(source)
        last = k == len(row["steps"]) - 1
        lines.append(source)
        if any(stored(s) & bound for s in tree.body) and not last:
            lines += given
    if row["call"] is None:
        lines.append(f"value = {row['result']}")
    else:
        passed = [f"{name}={_array(library, nested)}" for name, nested in row["call"].items()]
        passed += [f"{name}={number}" for name, number in row["numbers"].items()]
        lines.append(f"value = {row['result']}({', '.join(passed)})")
    lines.append("if isinstance(value, (tuple, list)):")
    lines.append("    value = value[0]")
    entry = "".join(f"[{k}]" for k in row["at"])
    lines.append(f'print("the code gives    ", float(value{entry}))')
    lines.append(f'print("the equation gives", {left!r})')
    return "\n".join(lines) + "\n"


def _array(library: str, nested: Any) -> str:
    if library == "torch":
        return f"torch.tensor({nested!r}, dtype=torch.float64)"
    return f"numpy.array({nested!r})"
