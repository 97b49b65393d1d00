"""A baseline: the findings that are known, so that a run fails for new ones only.

A finding is known by its document, its kind and its fingerprint, which text that is inserted elsewhere does not change.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from derivations.project import FAILING

from .found import failing, findings, flat
from .outputs import write_whole

SCHEMA = "derivations-baseline/1"
FILE = "derivations-baseline.json"
"""Where a baseline is written when nobody says where."""


class BaselineError(ValueError):
    """A baseline that cannot be used; the message is one line that says where, what was needed and found."""


def read_baseline(path: Path) -> list[dict[str, str]]:
    """The known findings.

    Errors: BaselineError.
    """
    try:
        data: Any = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise BaselineError(f"{path}: needed a baseline, found none; --write-baseline makes one") from None
    except OSError as error:
        raise BaselineError(f"{path}: needed a readable file, found: {error.strerror or error}") from None
    except (ValueError, RecursionError) as error:
        raise BaselineError(f"{path}: damaged baseline, not JSON: {flat(str(error), 80)}") from None
    found = data.get("schema") if isinstance(data, dict) else None
    if not isinstance(found, str) or not found.startswith("derivations-baseline/"):
        raise BaselineError(f"{path}: needed a baseline, found another file; --write-baseline makes one")
    if found != SCHEMA:
        raise BaselineError(f"{path}: needed {SCHEMA}, found {found}: update derivations")
    rows = data.get("findings")
    if not isinstance(rows, list) or not all(_is_row(row) for row in rows):
        raise BaselineError(f"{path}: damaged baseline: needed findings with document, kind and fingerprint")
    return rows


def write_baseline(path: Path, report: Mapping[str, Any]) -> int:
    """Write what the run of a report would fail for; returns how many findings that is.

    Errors: BaselineError where a file lies there that is no baseline; OSError.
    """
    if path.exists():
        try:
            read_baseline(path)
        except BaselineError as error:
            if "damaged" not in str(error) or path.suffix != ".json":
                raise BaselineError(f"{path}: needed a baseline to write over, found another file") from None
    rows = [
        {
            "document": _name(row.path, path),
            "kind": row.kind,
            "fingerprint": row.item["fingerprint"],
            "code": row.code,
            "statement": flat(row.item["source"], 120),
        }
        for row in findings(report)
        if row.item is not None and row.silenced is None and row.kind in failing(report)
    ]
    text = json.dumps({"schema": SCHEMA, "findings": rows}, indent=1, sort_keys=True, ensure_ascii=False)
    write_whole(path, text + "\n")
    return len(rows)


def with_baseline(report: Mapping[str, Any], known: Sequence[Mapping[str, str]], path: Path) -> dict[str, Any]:
    """The report with what of it is known, and what of the baseline is found no more, under `run.baseline`.

    A document that was not checked is not fixed, unless it is gone.
    """
    keys = {(row["document"], row["kind"], row["fingerprint"]) for row in known}
    checked = {_name(document["path"], path) for document in report["documents"]}
    current, rows = set(), []
    for row in findings(report):
        if row.item is None or row.silenced is not None:
            continue
        key = (_name(row.path, path), row.kind, row.item["fingerprint"])
        current.add(key)
        if key in keys:
            rows.append({"document": row.path, "item": row.item["id"]})
    fixed = [
        {name: str(row.get(name, "")) for name in ("document", "kind", "code", "statement")}
        for row in known
        if (row["document"], row["kind"], row["fingerprint"]) not in current
        and (row["document"] in checked or not (path.parent / row["document"]).exists())
    ]
    about = {"path": path.as_posix(), "known": rows, "fixed": fixed}
    return {**report, "run": {**report["run"], "baseline": about}}


def _is_row(row: Any) -> bool:
    return (
        isinstance(row, dict)
        and all(isinstance(row.get(name), str) for name in ("document", "kind", "fingerprint"))
        and row["kind"] in FAILING
    )


def _name(document: str, baseline: Path) -> str:
    """A document as the baseline calls it: relative to the folder that the baseline lies in."""
    try:
        return Path(os.path.relpath(document, baseline.parent)).as_posix()
    except ValueError:  # another drive
        return Path(document).as_posix()
