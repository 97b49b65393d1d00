"""A baseline: the findings that are known, so that a run fails for new ones only.

A finding is known by its document, its kind and its fingerprint, which text that is inserted elsewhere does not change;
else by its document and its words; else, where that document is gone, by either in another one. Each row of a baseline
knows one finding.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from derivations.project import FAILING

from ..finding_rows import failing, findings, flat
from ..outputs import unwritable, write_whole

SCHEMA = "derivations-baseline/1"
FILE = "derivations-baseline.json"
"""Where a baseline is written when nobody says where."""
_SAME = (
    (("document", "kind", "fingerprint"), False),
    (("document", "kind", "statement"), False),
    (("kind", "fingerprint"), True),
    (("kind", "statement"), True),
)
"""What a finding and a row have in common that are one, in this order; and whether the row's document must be gone."""


class BaselineError(ValueError):
    """A baseline that cannot be used; the message is one line that says where, what was needed and found.

    `code` is `unreadable`, `another-file`, `damaged`, `newer` or `unwritable`.
    """

    def __init__(self, message: str, code: str) -> None:
        self.code = code
        super().__init__(message)


def read_baseline(path: Path) -> list[dict[str, str]]:
    """The known findings.

    Errors: BaselineError.
    """
    try:
        data: Any = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise BaselineError(
            f"{path}: needed a baseline, found none; --write-baseline makes one", "unreadable"
        ) from None
    except OSError as error:
        raise BaselineError(f"{path}: needed a readable file, found: {error.strerror or error}", "unreadable") from None
    except (ValueError, RecursionError) as error:
        raise BaselineError(f"{path}: damaged baseline, not JSON: {flat(str(error), 80)}", "damaged") from None
    found = data.get("schema") if isinstance(data, dict) else None
    if not isinstance(found, str) or not found.startswith("derivations-baseline/"):
        raise BaselineError(
            f"{path}: needed a baseline, found another file; --write-baseline makes one", "another-file"
        )
    if found != SCHEMA:
        raise BaselineError(f"{path}: needed {SCHEMA}, found {found}: update derivations", "newer")
    rows = data.get("findings")
    if not isinstance(rows, list) or not all(_is_row(row) for row in rows):
        raise BaselineError(f"{path}: damaged baseline: needed findings with document, kind and fingerprint", "damaged")
    return rows


def write_baseline(path: Path, report: Mapping[str, Any]) -> int:
    """Write what the run of a report would fail for; returns how many findings that is.

    What the baseline has of documents that were not checked, and are there, stays in it.

    Errors: BaselineError where it cannot be written, or a file lies there that is no baseline, or a newer one.
    """
    before: list[dict[str, str]] = []
    if path.exists():
        try:
            before = read_baseline(path)
        except BaselineError as error:
            if error.code == "newer":
                raise
            if error.code != "damaged" or path.suffix != ".json":
                raise BaselineError(
                    f"{path}: needed a baseline to write over, found another file", "another-file"
                ) from None
    checked = {_name(document["path"], path) for document in report["documents"]}
    rows = [row for row in before if row["document"] not in checked and (path.parent / row["document"]).exists()]
    kept = len(rows)
    rows += [row for _, row in _rows(report, path) if row["kind"] in failing(report)]
    text = json.dumps({"schema": SCHEMA, "findings": rows}, indent=1, sort_keys=True, ensure_ascii=False)
    try:
        write_whole(path, text + "\n")
    except OSError as error:
        raise BaselineError(unwritable(str(path), error), "unwritable") from None
    return len(rows) - kept


def with_baseline(report: Mapping[str, Any], known: Sequence[Mapping[str, str]], path: Path) -> dict[str, Any]:
    """The report with what of it is known, and what of the baseline is found no more, under `run.baseline`.

    A document that was not checked is not fixed, unless it is gone.
    """
    checked = {_name(document["path"], path) for document in report["documents"]}
    gone = {row["document"] for row in known if not (path.parent / row["document"]).exists()} - checked
    rows = list(_rows(report, path))
    found: set[int] = set()
    used: set[int] = set()
    for names, only_gone in _SAME:
        waiting: dict[tuple[str, ...], list[int]] = {}
        for k, row in enumerate(known):
            if k not in used and (row["document"] in gone or not only_gone):
                waiting.setdefault(tuple(row.get(name, "") for name in names), []).append(k)
        for k, (_, row) in enumerate(rows):
            key = tuple(row[name] for name in names)
            if k not in found and all(key) and waiting.get(key):
                found.add(k)
                used.add(waiting[key].pop(0))
    about = {
        "path": path.as_posix(),
        "known": [rows[k][0] for k in sorted(found)],
        "fixed": [
            {name: str(row.get(name, "")) for name in ("document", "kind", "code", "statement")}
            for k, row in enumerate(known)
            if k not in used and row["document"] in checked | gone
        ],
    }
    return {**report, "run": {**report["run"], "baseline": about}}


def _rows(report: Mapping[str, Any], path: Path) -> Iterator[tuple[dict[str, str], dict[str, str]]]:
    """The findings about items: which item each is about, and its row in a baseline at `path`."""
    for row in findings(report):
        if row.item is not None and row.silenced is None:
            yield (
                {"document": row.path, "item": row.item["id"]},
                {
                    "document": _name(row.path, path),
                    "kind": row.kind,
                    "fingerprint": row.item["fingerprint"],
                    "code": row.code,
                    "statement": flat(row.item["source"], 120),
                },
            )


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
