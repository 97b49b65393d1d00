"""Findings a line each: as linters print them, and as GitHub shows them beside a change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..escape import clean
from ..finding_rows import Found, cell_prefix, findings, flat
from ..redact import redacted
from ..verdict_words import baseline_words, headline

_LEVELS = {"error": "error", "warning": "warning", "note": "notice"}


def write_plain(report: Mapping[str, Any]) -> str:
    """`file:line:col: code message` for each open finding; nothing where there is none."""
    return "".join(f"{_one_place(row.place)}: {row.code} {row.message}\n" for row in findings(report) if row.open)


def write_github(report: Mapping[str, Any]) -> str:
    """Workflow commands of GitHub Actions, one for each open finding, then the headline.

    Printed outputs are left out, for what is shown there is public where the repository is. A notebook has no lines
    there: the cell stands in the message.  Source: GitHub documentation, "Workflow commands for GitHub Actions".
    """
    report = redacted(report, {"outputs"})
    lines = [_command(row) for row in findings(report) if row.open]
    items = [item for document in report["documents"] for item in document["items"]]
    words = baseline_words(report)
    said = [headline(items)[1], *([flat(words[0])] if words is not None else [])]
    return "\n".join([*lines, *(f"derivations: {text}" for text in said)]) + "\n"


def _one_place(place: str) -> str:
    return clean(" ".join(place.split()))


def _command(row: Found) -> str:
    properties = {"file": row.path} if row.path else {}
    if row.where is not None and row.where.get("cell") is None:
        properties["line"] = str(row.where["line"])
        if row.where.get("end_line"):
            properties["endLine"] = str(row.where["end_line"])
        if row.where.get("column"):
            properties["col"] = str(row.where["column"])
    properties["title"] = row.code
    written = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    return f"::{_LEVELS[row.level]} {written}::{_data(cell_prefix(row.where) + row.message)}"


def _data(text: str) -> str:
    """The message of a command; `##[` would begin a command of the older form.

    >>> _data("50%\\n::error::x")
    '50%25%0A::error::x'
    """
    return clean(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A").replace("##[", "## [")


def _property(text: str) -> str:
    """The value of a property of a command.

    >>> _property("a,b:c")
    'a%2Cb%3Ac'
    """
    return _data(text).replace(":", "%3A").replace(",", "%2C")
