"""JUnit XML, for build servers: a suite for each document, a case for each claim, with its file and line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from ..escape import html
from ..finding_rows import Found, code_of, findings, flat
from ..model import claims
from ..verdict_words import headline, verdict
from .terminal import failure


@dataclass(frozen=True)
class _Case:
    """One test case: its outcome is failure, error, skipped, or empty where it passes."""

    name: str
    path: str
    line: int | None = None
    outcome: str = ""
    kind: str = ""
    message: str = ""
    text: str = ""


def write_junit(report: Mapping[str, Any]) -> str:
    """The report as JUnit XML.

    What is refuted fails, what is neither proved nor refuted is skipped with its reason and never passes; what the
    author ignores or expects, and what the baseline knows, is skipped as well. There are no times of single claims.
    """
    rows = findings(report)
    found = {(row.path, row.item["id"]): row for row in rows if row.item is not None}
    suites = [_suite(document, rows, found) for document in report["documents"]]
    unread = [_Case("readable", r.path, _line(r), "error", r.code, r.message) for r in rows if r.kind == "unreadable"]
    if unread:
        suites.append(_written("documents that could not be read", None, unread))
    total = [f'{name}="{sum(count[name] for count, _ in suites)}"' for name in ("tests", "failures", "errors")]
    opening = f'<testsuites name="derivations" {" ".join(total)}>'
    body = [line for _, lines in suites for line in lines]
    return "\n".join(['<?xml version="1.0" encoding="UTF-8"?>', opening, *body, "</testsuites>", ""])


def _line(row: Found) -> int | None:
    return None if row.where is None else int(row.where["line"])


_Suite = tuple[dict[str, int], list[str]]


def _suite(document: Mapping[str, Any], rows: Iterable[Found], found: Mapping[tuple[str, str], Found]) -> _Suite:
    path, items = document["path"], document["items"]
    counted = {item["id"] for item in claims(items)}
    unread = {item["id"] for item in items if item["status"] == "unread"}
    cases = [
        _case(item, path, found.get((path, item["id"])))
        for item in items
        if item["id"] in counted or item["id"] in unread or _is_silenced(found.get((path, item["id"])))
    ]
    faults = [r for r in rows if r.kind == "declaration" and r.path == path]
    cases += [_Case("declaration", path, _line(r), "failure", r.code, r.message, r.message) for r in faults]
    if not cases:
        cases.append(_Case("claims", path, None, "skipped", "", headline(items)[1]))
    return _written(path, path, cases)


def _is_silenced(row: Found | None) -> bool:
    return row is not None and row.silenced is not None


def _case(item: Mapping[str, Any], path: str, row: Found | None) -> _Case:
    where = item["where"]
    cell = f"cell {where['cell']} " if where["cell"] is not None else ""
    name = f"{cell}line {where['line']}, {item['id']}: {flat(item['source'], 100)}"
    case = _Case(name, path, where["line"])
    if row is not None and not row.open:
        said = row.silenced or "known from the baseline"
        return _Case(name, path, case.line, "skipped", row.code, flat(said))
    if row is not None and row.level == "error":
        details = failure(item, path) if row.kind == "refuted" else [row.message]
        return _Case(name, path, case.line, "failure", row.code, row.message, "\n".join(details))
    if item["status"] in ("proved", "holds"):
        return case
    reason = f"{verdict(item).words.lower()}: {item['reason'] or verdict(item).meaning}"
    return _Case(name, path, case.line, "skipped", code_of(item), flat(reason))


def _written(name: str, file: str | None, cases: list[_Case]) -> _Suite:
    outcomes = [case.outcome for case in cases]
    counts = {"tests": len(cases), "failures": outcomes.count("failure")}
    counts |= {"errors": outcomes.count("error"), "skipped": outcomes.count("skipped")}
    own = {"name": name, **counts, **({"file": file} if file else {})}
    lines = [f"<testsuite {_attributes(own)}>"]
    for case in cases:
        lines += _lines(case)
    return counts, [*lines, "</testsuite>"]


def _lines(case: _Case) -> list[str]:
    own: dict[str, object] = {"name": case.name, "classname": PurePath(case.path).as_posix() or "documents"}
    own |= {"file": case.path} if case.path else {}
    own |= {"line": case.line} if case.line is not None else {}
    if not case.outcome:
        return [f"<testcase {_attributes(own)}/>"]
    said = {"message": case.message, "type": case.kind or case.outcome}
    inner = f"<{case.outcome} {_attributes(said)}>{html(case.text)}</{case.outcome}>"
    return [f"<testcase {_attributes(own)}>{inner}</testcase>"]


def _attributes(values: Mapping[str, object]) -> str:
    return " ".join(f'{name}="{html(" ".join(str(value).split()))}"' for name, value in values.items())
