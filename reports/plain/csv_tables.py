"""CSV: a row for each item, for many documents at once."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from typing import Any

from ..finding_rows import flat

COLUMNS = (
    "document", "cell", "line", "column", "id", "kind", "status", "strength", "code", "source", "read", "reason",
    "suggestion", "fingerprint",
)  # fmt: skip
_WIDTH = 2_000


def write_csv(report: Mapping[str, Any]) -> str:
    """The items of all documents as CSV with a header; texts are on one line, and no spreadsheet takes one for a formula."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for document in report["documents"]:
        for item in document["items"]:
            row = {**item, **item["where"], "document": document["path"]}
            writer.writerow([safe(_cell(row[name])) for name in COLUMNS])
    return out.getvalue()


def _cell(value: Any) -> str:
    return "" if value is None else flat(str(value), _WIDTH)


def safe(text: str) -> str:
    """Text that no spreadsheet takes for a formula.

    >>> safe("=1+1"), safe("-x")
    ("'=1+1", "'-x")
    """
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text
