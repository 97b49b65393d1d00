"""Many copies of one notebook against a reference: a row for each submission, a column for each task."""

from __future__ import annotations

import csv
import io
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from derivations.code.submissions import WRONG, Reference, Result, results, under_reference
from derivations.documents import Document, DocumentError, read
from derivations.documents.model.finding import bug
from derivations.project import project_of

from ..model import Report
from ..plain.csv_tables import safe
from .chapters_and_declarations import declared_in_project
from .limits import ended_after, limit, studied_in_time

if TYPE_CHECKING:
    from derivations.numeric.running.process import Settings


def check_submissions(
    paths: Sequence[str | Path], against: str | Path, *, timeout: float | None = None, run: Settings | None = None
) -> tuple[dict[str, Any], list[str]]:
    """The report about the code of `paths` with the words, equations and code of `against`, and messages about files
    that could not be read.  The table stands in `run.against` of the report.

    Raises `DocumentError` for a reference that cannot be read or sets no task.
    """
    from . import check

    started = time.monotonic()
    document = read(against)
    if document.parts:
        raise DocumentError(f"{document.path}: needed a notebook or a text as the reference, found a Python file")
    seconds = timeout if timeout is not None else project_of(against).timeout_of(against) or check.SECONDS_A_DOCUMENT
    declared = declared_in_project(against)
    studied, findings, _ = check.study_with_names(document, check.Decider(seconds), declared)
    reference = Reference.of(studied, findings)
    if not reference.tasks:
        why = "; ".join(f"{n}: {r}" for n, r in reference.unclear.items()) or "it has no code that could be compared"
        raise DocumentError(f"{document.path}: needed code that sets a task, found none ({why})")
    rows: list[dict[str, Any]] = []
    documents, errors = [], []
    executed: list[dict[str, Any]] = []
    for path in paths:
        if Path(path).resolve() == Path(against).resolve():
            continue
        try:
            with ended_after(limit(seconds), path, "read"):
                own = read(path)
            part, found, table = _studied(reference, document, own, seconds, run, executed, against)
            report, merged, items = check.reported(part, [(part, found)])
            documents += [r for r in check.by_file(report, merged) if r.path == own.path]
            item_of = {id(merged[k]): item for k, item in items.items()}
            follows = {id(r.finding): t for t, r in table.items() if r.finding is not None}
            cells = {t: _cell(r, item_of, follows) for t, r in table.items()}
            rows.append({"submission": own.path, "tasks": cells})
        except DocumentError as error:
            errors.append(str(error))
        except Exception as error:  # noqa: BLE001 - a bug of ours must not silence the other submissions
            errors.append(f"{path}: {bug(error)}")
    batch = {"reference": document.path, "tasks": reference.tasks, "no_task": reference.unclear, "rows": rows}
    about: dict[str, Any] = {"checks": [], "skipped": [], "errors": errors, "versions": check.versions()}
    about |= {"seconds": round(time.monotonic() - started, 3), "against": batch}
    if run is not None:
        about["executed"] = executed
    return Report(documents, about).to_dict(), errors


def _studied(
    reference: Reference,
    words: Document,
    own: Document,
    seconds: float,
    run: Settings | None,
    executed: list[dict[str, Any]],
    against: str | Path,
) -> tuple[Document, list[Any], Mapping[str, Result]]:
    from . import check

    merged, aliases = under_reference(words, own)
    decide = check.Decider(seconds)

    def study() -> tuple[Document, list[Any], Mapping[str, Result], list[Any]]:
        document, findings, _ = check.study_with_names(merged, decide, declared_in_project(against), aliases)
        return document, findings, *results(reference, own, findings, aliases, decide)

    document, findings, table, more = studied_in_time(limit(seconds), own.path, study)
    settled = {(f.place, f.name) for f in more}
    findings = [f for f in findings if f.kind != "code" or (f.place, f.name) not in settled]
    kept = {id(r.finding) for r in table.values()}
    findings += [f for f in more if id(f) in kept]
    if run is not None:
        findings = check.with_run(document, findings, run, executed)
    check.tell_causes(findings, decide)
    return document, sorted(findings, key=lambda f: document.order(f.place)), table


def _cell(result: Result, items: Mapping[int, str], tasks: Mapping[int, str]) -> dict[str, Any]:
    """One cell; `follows_from` is the task that is to blame, where this one is wrong for no reason of its own."""
    cause = result.finding.cause if result.finding is not None else None
    task = result.follows or (tasks.get(id(cause)) if cause is not None else None)
    why = f"follows from {task}; {result.why}" if task else result.why
    return {"outcome": result.outcome, "why": why, "item": items.get(id(result.finding)), "follows_from": task or None}


def as_csv(batch: Mapping[str, Any]) -> str:
    """The table as CSV: the outcome, with its witness or reason after a colon."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["submission", *batch["tasks"]])
    for row in batch["rows"]:
        cells = (row["tasks"][t] for t in batch["tasks"])
        writer.writerow(
            [safe(row["submission"]), *(safe(": ".join(filter(None, (c["outcome"], c["why"])))) for c in cells)]
        )
    return out.getvalue()


def as_text(batch: Mapping[str, Any]) -> str:
    """The table for a terminal, what is wrong below it, and what was no task."""
    header = ["", *batch["tasks"]]
    table = [header, *([r["submission"], *(r["tasks"][t]["outcome"] for t in batch["tasks"])] for r in batch["rows"])]
    widths = [max(len(row[k]) for row in table) for k in range(len(header))]
    lines = ["  ".join(f"{cell:{w}}" for cell, w in zip(row, widths, strict=True)).rstrip() for row in table]
    lines.append("")
    for row in batch["rows"]:
        for task in batch["tasks"]:
            cell = row["tasks"][task]
            if cell["why"]:
                sign = "✗" if cell["outcome"] == WRONG else "–"
                lines.append(f"{sign} {row['submission']}: {task} {cell['outcome']}: {cell['why']}")
    lines += [f"– no task: {name} ({why})" for name, why in batch["no_task"].items()]
    return "\n".join(lines).rstrip() + "\n"
