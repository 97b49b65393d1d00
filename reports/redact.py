"""A report with parts taken out, to be shown to others: what the document says, what its code printed, where it lies."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

KINDS = ("source", "outputs", "paths")
GONE = "(redacted)"
_PRINTED = frozenset({"output", "assertion"})


def redacted(report: Mapping[str, Any], kinds: Iterable[str]) -> dict[str, Any]:
    """The report without what `kinds` name; it follows the schema still, and verdicts, places and counts stay.

    `source` takes out what the document says and everything that repeats it: statements, readings, derivations, inputs,
    reasons. `outputs` takes out what the code printed or raised. `paths` takes out folders and names of files; suffixes
    stay. Fingerprints stay, so that reports can be compared; they are digests of the statements.
    """
    wanted = set(kinds)
    result = dict(report)
    if "source" in wanted:
        result = _each_item(result, _without_source)
        result["documents"] = [{**d, "title": None, **_declarations(d)} for d in result["documents"]]
        result["run"] = _run_without_source(result["run"])
    if wanted & {"source", "outputs"}:
        result = _each_item(result, _without_output)
        # the table of submissions repeats code and values
        result["run"] = {name: value for name, value in result["run"].items() if name != "against"}
    return _without_paths(result) if "paths" in wanted else result


def _each_item(report: Mapping[str, Any], change: Callable[[Mapping[str, Any]], dict[str, Any]]) -> dict[str, Any]:
    return {
        **report,
        "documents": [{**d, "items": [change(item) for item in d["items"]]} for d in report["documents"]],
    }


def _declarations(document: Mapping[str, Any]) -> dict[str, Any]:
    if "declarations" not in document:
        return {}
    rows = [
        {**row, "text": GONE, "reason": row["reason"] and GONE, "fault": row["fault"] and GONE}
        for row in document["declarations"]
    ]
    return {"declarations": rows}


def _without_source(item: Mapping[str, Any]) -> dict[str, Any]:
    found = item["counterexample"]
    return {
        **item,
        "source": GONE,
        "read": item["read"] and GONE,
        "sympy": None,
        "latex": None,
        "listing": None,
        "scope": item["scope"] if isinstance(item["scope"], str) else item["scope"] and {},
        "assumptions": [{**row, "text": GONE} for row in item["assumptions"]],
        "steps": [],
        "counterexample": found and {**found, "sizes": {}, "inputs": {}, "at": {}, "program": None, "entries": None},
        "suggestion": None,
        **_without_words(item),
    }


def _without_words(item: Mapping[str, Any]) -> dict[str, Any]:
    """The reason and the notes, which may repeat the author's words; that something is ignored or expected is told."""
    known = item.get("silenced")
    how, notes = known and known["how"], [GONE for _ in item["notes"]]
    if how == "expected" and notes:
        notes[-1] = f"expected to be {item['status']}: {GONE}"
    reason = f"{how}: {GONE}" if how in ("ignored", "off") else GONE
    found = {"reason": item["reason"] and reason, "notes": notes}
    return {**found, "silenced": {**known, "reason": GONE}} if known else found


def _without_output(item: Mapping[str, Any]) -> dict[str, Any]:
    said = item["kind"] == "code" and item["status"] == "skipped"  # an error may repeat what was printed
    if item["kind"] not in _PRINTED and not said:
        return dict(item)
    words = _without_words(item)
    if item["kind"] == "code":
        return {**item, **words, "notes": item["notes"]}
    found = item["counterexample"]
    return {
        **item,
        "source": GONE,
        "read": item["read"] and GONE,
        "sympy": None,
        "latex": None,
        "listing": None,
        "suggestion": None,
        **words,
        "counterexample": found
        and {**found, "inputs": {}, "left": None, "right": None, "program": None, "entries": None},
    }


def _run_without_source(run: Mapping[str, Any]) -> dict[str, Any]:
    """What the run says, without names and statements of documents."""
    shown = {**run, "checks": [{**row, "sizes": {}} for row in run["checks"]]}
    if run.get("skipped"):
        shown["skipped"] = [
            {**row, "reason": GONE} if row.get("what") == "numerical cross-check" else row
            for row in (r if isinstance(r, Mapping) else {"what": GONE} for r in run["skipped"])
        ]
    if run.get("errors"):
        shown["errors"] = [f"{str(text).partition(': ')[0]}: {GONE}" for text in run["errors"]]
    if run.get("baseline"):
        fixed = [{**row, "statement": GONE} for row in run["baseline"]["fixed"]]
        shown["baseline"] = {**run["baseline"], "fixed": fixed}
    return shown


# --- paths ----------------------------------------------------------------------------------------------------------

_FILE = re.compile(
    r"(?<![\w./\\~-])(?!document(?:-\d+)?\.)[\w./\\~-]*\w(\.(?:ipynb|md|markdown|qmd|tex|txt|py|json))\b(?![\w/-])"
)
"""What looks like the name of a document that is none of the report: a chapter, a file that was missing."""
_CHAPTER = re.compile(r"(?<=^uses )(\S+) of .*(\.\w+)$")
"""A note that something of another chapter is used, whose name may have spaces."""


def _without_paths(report: Mapping[str, Any]) -> dict[str, Any]:
    names = {d["path"]: f"document-{k}{PurePosixPath(d['path']).suffix}" for k, d in enumerate(report["documents"], 1)}
    for name in list(names):
        names.setdefault(str(Path(name).resolve()), names[name])
    for folder, mark in ((os.getcwd(), "."), (os.path.expanduser("~"), "~")):
        names.setdefault(folder, mark)
    known = sorted((n for n in names if len(n) > 1), key=len, reverse=True)
    pattern = re.compile("|".join(rf"(?<![\w./-]){re.escape(name)}(?![\w-])" for name in known))

    def shown(text: str) -> str:
        if "." not in text and "/" not in text and "\\" not in text:
            return text
        known_ones = pattern.sub(lambda m: names[m.group()], text)
        return _FILE.sub(r"document\1", _CHAPTER.sub(r"\1 of document\2", known_ones))

    result: dict[str, Any] = _texts(report, shown)
    if result["run"].get("errors"):
        errors = [_without_path(str(text)) for text in report["run"]["errors"]]
        result["run"] = {**result["run"], "errors": [shown(text) for text in errors]}
    return result


def _without_path(message: str) -> str:
    """A message about a file that could not be read, without its name.

    >>> _without_path("a/b.md:3: needed text")
    'document.md:3: needed text'
    """
    path, colon, rest = message.partition(":")
    return f"document{PurePosixPath(path).suffix}{colon}{rest}"


def _texts(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, Mapping):
        return {change(str(key)): _texts(part, change) for key, part in value.items()}
    return [_texts(part, change) for part in value] if isinstance(value, list) else value
