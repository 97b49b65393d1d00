"""The line of a document that a finding is about, with a caret below the place."""

from __future__ import annotations

import hashlib
import json
import unicodedata
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..escape import clean
from ..redact import GONE

_WIDTH = 96


class Sources:
    """The lines of documents, as long as these are the ones that were checked."""

    def __init__(self, report: Mapping[str, Any]) -> None:
        self._digests = {document["path"]: document["sha256"] for document in report["documents"]}
        self._data: dict[str, bytes | None] = {}

    def excerpt(self, item: Mapping[str, Any], path: str, width: int = _WIDTH) -> list[tuple[str, str]]:
        """Pairs of margin and text: the line, and the caret below it; empty where the document is another one by now."""
        where = item["where"]
        lines = self._lines(path, where["cell"]) if item["source"] != GONE else None
        if lines is None or where["line"] > len(lines):
            return []
        line, number = lines[where["line"] - 1], str(where["line"])
        start = min((where["column"] or 1) - 1, len(line))
        shown, before = _window(line, start, width)
        marks = "^" * _columns(_pointed_at(item, line, start)[: max(1, len(shown) - before)])
        return [(number, shown), (" " * len(number), " " * _columns(shown[:before]) + (marks or "^"))]

    def _lines(self, path: str, cell: int | None) -> Sequence[str] | None:
        if path not in self._data:
            self._data[path] = _read(Path(path), self._digests.get(path))
        data = self._data[path]
        if data is None:
            return None
        text = data.decode("utf-8-sig", "replace")
        if cell is not None:
            try:
                source = json.loads(text)["cells"][cell - 1]["source"]
            except (LookupError, TypeError, ValueError, RecursionError):
                return None
            text = source if isinstance(source, str) else "".join(map(str, source))
        return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _read(path: Path, digest: str | None) -> bytes | None:
    try:
        data = path.read_bytes()
    except OSError:
        return None
    return data if hashlib.sha256(data).hexdigest() == digest else None


def _pointed_at(item: Mapping[str, Any], line: str, start: int) -> str:
    """What the caret is below: the statement, so far as it stands on this line, else one character."""
    said = item["source"].strip().split("\n")[0].rstrip()
    return said if said and line.startswith(said, start) else line[start : start + 1]


def _window(line: str, start: int, width: int) -> tuple[str, int]:
    """At most `width` characters of a line around a place, without what a terminal would obey, and where the place is."""
    flat = "".join(" " if c.isspace() else c for c in clean(line))
    if len(flat) <= width:
        indent = len(flat) - len(flat.lstrip())
        return flat.strip(), max(0, start - indent)
    first = max(0, min(start - width // 4, len(flat) - width))
    cut = flat[first : first + width]
    head, tail = "…" if first else "", "…" if first + width < len(flat) else ""
    return head + cut[len(head) : len(cut) - len(tail)] + tail, start - first


def _columns(text: str) -> int:
    """How many columns a text takes on a terminal."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)
