"""SARIF 2.1.0, for code scanning and editors.  Source: OASIS, Static Analysis Results Interchange Format 2.1.0."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from ..finding_rows import Found, cell_prefix, findings
from ..redact import redacted

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
ROOT = "SRCROOT"


def write_sarif(report: Mapping[str, Any]) -> str:
    """The findings as one SARIF log.

    Printed outputs are left out, for such logs are uploaded. What the author silenced is there with its suppression,
    what the baseline knows is `unchanged`. A notebook has no lines: the cell is a logical location.
    """
    report = redacted(report, {"outputs"})
    rows = findings(report)
    codes = sorted({row.code for row in rows})
    baseline = bool(report["run"].get("baseline"))
    digests = {document["path"]: document["sha256"] for document in report["documents"]}
    paths = list(dict.fromkeys([*digests, *(row.path for row in rows if row.path)]))
    messages = [{"level": "error", "message": {"text": row.message}} for row in rows if row.kind == "unreadable"]
    run = {
        "tool": {
            "driver": {
                "name": report["tool"]["name"],
                "semanticVersion": report["tool"]["version"],
                "rules": [{"id": code, "shortDescription": {"text": _sentence(code)}} for code in codes],
            }
        },
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {ROOT: {"description": {"text": "The folder in which the check was run."}}},
        "invocations": [{"executionSuccessful": not messages, "toolExecutionNotifications": messages}],
        "artifacts": [{"location": _location(path), **_hashes(digests.get(path))} for path in paths],
        "results": [_result(row, codes, paths, baseline) for row in rows],
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=1, ensure_ascii=False) + "\n"


def _sentence(code: str) -> str:
    return f"{code.replace('-', ' ').capitalize()}."


def _hashes(digest: str | None) -> dict[str, Any]:
    return {} if digest is None else {"hashes": {"sha-256": digest}}


def _location(path: str) -> dict[str, Any]:
    """Where a file lies, as a URI: relative to the root where the path is relative."""
    pure = PurePath(path)
    if pure.is_absolute():
        return {"uri": pure.as_uri()}
    return {"uri": quote(pure.as_posix(), errors="replace"), "uriBaseId": ROOT}


def _result(row: Found, codes: list[str], paths: list[str], baseline: bool) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": row.code,
        "ruleIndex": codes.index(row.code),
        "level": row.level,
        "message": {"text": cell_prefix(row.where) + row.message},
        "locations": [_place(row, paths)] if row.path else [],
    }
    if row.item is not None:
        result["partialFingerprints"] = {"statement/v1": row.item["fingerprint"]}
    if row.silenced is not None:
        result["suppressions"] = [{"kind": "inSource", "justification": row.silenced}]
    if baseline:
        result["baselineState"] = "unchanged" if row.known else "new"
    return result


def _place(row: Found, paths: list[str]) -> dict[str, Any]:
    physical: dict[str, Any] = {"artifactLocation": {**_location(row.path), "index": paths.index(row.path)}}
    where = row.where
    if where is None:
        return {"physicalLocation": physical}
    if where.get("cell") is not None:
        return {"physicalLocation": physical, "logicalLocations": [{"name": f"cell {where['cell']}", "kind": "cell"}]}
    region = {"startLine": where["line"]}
    if where.get("column"):
        region["startColumn"] = where["column"]
    if where.get("end_line"):
        region["endLine"] = max(where["end_line"], where["line"])
    return {"physicalLocation": {**physical, "region": region}}
