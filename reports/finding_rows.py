"""What is worth a line in an editor or a build: the findings of a report, one row each, for the formats of other tools.

What the author silenced or expects is kept as a row with its reason, so that a format which can say so does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from derivations.documents.model.document import INTERNAL

from .escape import clean
from .model import faults
from .redact import GONE
from .verdict_words import place_words, side_words, sizes_words, verdict

DEFAULT_FAILING = ("refuted",)
LEVELS = {"refuted": "error", "undecided": "warning", "unread": "note", "assumed": "note"}
"""How grave a finding is that does not fail the run."""
UNREADABLE, FAULT = "unreadable", "declaration"
"""The codes of a document that could not be read, and of a declaration that does nothing."""
_MESSAGE = re.compile(r"(?P<path>.+?)(?::(?P<line>\d+))?(?::(?P<column>\d+))?: (?P<said>.*)", re.DOTALL)
_WIDTH = 400


@dataclass(frozen=True, kw_only=True)
class Found:
    """One finding.

    `kind` is a kind that a run may fail on, or `unreadable`, or `declaration`; `level` is error, warning or note. `where`
    is None where it is about a whole file, `item` where it is about no item. `known` says that the baseline has it,
    `silenced` why its author wants it passed over.
    """

    path: str
    kind: str
    level: str
    code: str
    message: str
    where: Mapping[str, Any] | None = None
    item: Mapping[str, Any] | None = None
    known: bool = False
    silenced: str | None = None

    @property
    def open(self) -> bool:
        """Whether somebody should look at it: nobody silenced it, and it is not known from before."""
        return not self.known and self.silenced is None

    @property
    def place(self) -> str:
        """`path:line:column`, with the cell of a notebook after the path, as linters write it."""
        if self.where is None:
            return self.path
        cell = f":cell {self.where['cell']}" if self.where.get("cell") is not None else ""
        return f"{self.path}{cell}:{self.where['line']}:{self.where.get('column') or 1}"


def failing(report: Mapping[str, Any]) -> tuple[str, ...]:
    """The kinds that the run of a report fails on."""
    return tuple(report["run"].get("fail_on") or DEFAULT_FAILING)


def findings(report: Mapping[str, Any]) -> list[Found]:
    """All findings of a report: documents that could not be read, then items and declarations in document order."""
    fail_on = failing(report)
    known = {(row["document"], row["item"]) for row in (report["run"].get("baseline") or {}).get("known", ())}
    rows = [_unreadable(str(message)) for message in report["run"].get("errors") or ()]
    for document in report["documents"]:
        path = document["path"]
        for item in document["items"]:
            rows += _of_item(item, path, fail_on, (path, item["id"]) in known)
    for path, where, fault in faults(report):
        rows.append(Found(path=path, kind=FAULT, level="error", code=FAULT, message=flat(fault), where=where))
    return rows


def exit_status(report: Mapping[str, Any], errors: Sequence[str]) -> int:
    """3 when a document could not be read, 1 when something is refuted or wrong, 5 when there is no statement, else 0.

    3 also when a bug of ours kept an item from being studied; 2 when a declaration is not understood or does nothing.
    What the author expects to be refuted does not count. `run.fail_on` of the report names other kinds to fail on, and
    what `run.baseline` knows is not counted.
    """
    items = [i for d in report["documents"] for i in d["items"]]
    if errors or any(i["code"] == INTERNAL for i in items):
        return 3
    fail_on = failing(report)
    if any(row.open and row.kind in fail_on for row in findings(report)):
        return 1
    if faults(report):
        return 2
    return 0 if items else 5


def kind_of(item: Mapping[str, Any]) -> str | None:
    """The kind of finding that an item is, None for one that is none of them."""
    if item["status"] in ("refuted", "wrong"):
        return "refuted"
    if item["status"] in ("undecided", "unread"):
        return str(item["status"])
    return "assumed" if item["strength"] == "conditional" else None


def code_of(item: Mapping[str, Any]) -> str:
    """The short stable name of what was found, the status where it has none."""
    return flat(str(item["code"] or "")) or {"refuted": "false-claim", "proved": "assumed"}.get(
        item["status"], str(item["status"])
    )


def parts_of(item: Mapping[str, Any]) -> tuple[str, str, str]:
    """What was found, in three parts: the verdict, the statement, and what there is to say about it."""
    row = verdict(item)
    said = "" if item["source"] == GONE else flat(item["source"], 120)
    if item["status"] in ("refuted", "wrong"):
        more = [_witness(item), item["reason"], item["suggestion"]]
    elif item["status"] == "proved":
        added = ", ".join(row["text"] for row in item["assumptions"] if row["origin"] != "document")
        more = [f"assuming {added}" if added else None]
    else:
        more = [item["reason"]]
    told = "; ".join(text for text in more if text and text != GONE)
    return row.words.lower(), said, flat(told or ("" if said else row.meaning))


def message_of(item: Mapping[str, Any]) -> str:
    """What was found, in a line."""
    words, said, more = parts_of(item)
    return flat("; ".join(filter(None, [f"{words}: {said}" if said else words, more])))


def flat(text: str, width: int = _WIDTH) -> str:
    """Text on one line of at most `width` characters, without control characters.

    >>> flat("a\\n  b")
    'a b'
    """
    line = clean(" ".join(text.split()))
    return line if len(line) <= width else line[: width - 1] + "…"


def cell_prefix(where: Mapping[str, Any] | None) -> str:
    """What a message begins with in a format that has no cells."""
    return f"{place_words(where)}: " if where is not None and where.get("cell") is not None else ""


def _of_item(item: Mapping[str, Any], path: str, fail_on: Sequence[str], known: bool) -> Iterator[Found]:
    kind = kind_of(item)
    silenced = _silenced(item)
    if (kind is None and silenced is None) or (kind == "assumed" and kind not in fail_on):
        return
    kind = kind or "undecided"  # ignored: what it was is told by its code
    level = "error" if kind in fail_on else LEVELS[kind]
    row = Found(path=path, kind=kind, level=level, code=code_of(item), message=message_of(item), where=item["where"])
    yield replace(row, item=item, known=known, silenced=silenced)


def _silenced(item: Mapping[str, Any]) -> str | None:
    known = item.get("silenced") or {"how": None}
    if known["how"] == "expected":
        return f"expected to be {item['status']}: {known['reason']}"
    return f"ignored: {known['reason']}" if known["how"] == "ignored" else None


def _witness(item: Mapping[str, Any]) -> str:
    found = item["counterexample"]
    if found is None:
        return ""
    where = ", ".join(filter(None, [sizes_words(found["sizes"]), sizes_words(found["at"])]))
    names = side_words(found["kind"])
    sides = [
        f"{name} {value}"
        for name, value in zip(names, (found["left"], found["right"]), strict=True)
        if value is not None
    ]
    return ": ".join(filter(None, [f"fails at {where}" if where else "", ", ".join(sides)]))


def _unreadable(message: str) -> Found:
    match = _MESSAGE.fullmatch(message)
    if match is None:
        return Found(path="", kind=UNREADABLE, level="error", code=UNREADABLE, message=flat(message))
    where = None
    if match["line"]:
        column = int(match["column"]) if match["column"] else None
        where = {"cell": None, "line": int(match["line"]), "column": column, "end_line": None}
    said = flat(match["said"])
    return Found(path=match["path"], kind=UNREADABLE, level="error", code=UNREADABLE, message=said, where=where)
