"""A summary in Markdown, for a pull request or the page of a build."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ..finding_rows import Found, findings, flat, parts_of
from ..model import STATUSES
from ..verdict_words import COUNT_WORDS, baseline_words, headline, place_mark

_LISTED = 100
"""Findings that are listed; the number of the rest is printed."""


def write_markdown(report: Mapping[str, Any]) -> str:
    """The headline, a row for each document, and the open findings, in GitHub's Markdown."""
    items = [item for document in report["documents"] for item in document["items"]]
    sign, sentence = headline(items)
    lines = [f"## {sign} Derivations: {text(sentence)}", "", *_table(report)]
    if (words := baseline_words(report)) is not None:
        lines += ["", text(words[0]), *([""] if words[1] else []), *(f"- fixed: {text(line)}" for line in words[1])]
    rows = [row for row in findings(report) if row.open]
    for title, levels in (("Errors", ("error",)), ("Open", ("warning", "note"))):
        listed = [row for row in rows if row.level in levels]
        if listed:
            lines += ["", f"### {title}", "", *(_line(row) for row in listed[:_LISTED])]
        if len(listed) > _LISTED:
            lines.append(f"- … and {len(listed) - _LISTED} more")
    return "\n".join(lines) + "\n"


def _table(report: Mapping[str, Any]) -> list[str]:
    used = [status for status in STATUSES if report["summary"][status]]
    if not used:
        return ["Nothing was found to check."]
    lines = [
        f"| document | {' | '.join(COUNT_WORDS[status] for status in used)} |",
        "|---|" + "---:|" * len(used),
    ]
    for document in report["documents"]:
        counts = [sum(item["status"] == status for item in document["items"]) for status in used]
        lines.append(f"| {text(document['path'])} | {' | '.join(str(count or '') for count in counts)} |")
    return lines


def _line(row: Found) -> str:
    place = place_mark(row.path, row.where) if row.where is not None else row.path
    said = text(row.message)
    if row.item is not None:
        words, source, more = parts_of(row.item)
        said = " ".join(filter(None, [words, code(source) if source else "", text(more)]))
    return f"- {code(place)} **{text(row.code)}** {said}"


def text(words: str) -> str:
    r"""Text that Markdown prints as it is.

    >>> text("a_b <x> | @you")
    'a\\_b \\<x\\> \\| &#64;you'
    """
    return re.sub(r"[\\`*_\[\]<>|~$&#]", r"\\\g<0>", flat(words)).replace("@", "&#64;")


def code(words: str) -> str:
    """Text in a code span.

    >>> code("a`b")
    '``a`b``'
    """
    line = flat(words)
    runs = re.findall(r"`+", line)
    fence = "`" * (max(map(len, runs), default=0) + 1)
    room = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{fence}{room}{line}{room}{fence}"
