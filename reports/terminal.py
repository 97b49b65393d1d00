"""The summary for a terminal: what is false and why first, then what stayed open, then the counts."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any

from .escape import clean
from .model import STATUSES, faults, is_expected
from .words import COUNT_WORDS, headline, place_mark, sizes_words, verdict

_WIDTH = 100
_OPEN_LIMIT = 20
"""Undecided claims that are listed for each document; the number of the rest is printed."""
_COLOURS = {"bad": "31", "good": "32", "warn": "33", "soft": "2", "strong": "1"}


def summary(report: Mapping[str, Any], *, colour: bool | None = None) -> str:
    """The summary as text, ending in a line feed.

    `colour` None asks the environment: NO_COLOR, then FORCE_COLOR, then whether standard output is a terminal. The
    words say everything that the colours say.
    """
    paint = _Painter(_wants_colour() if colour is None else colour)
    lines: list[str] = []
    baseline = report["run"].get("baseline") or {}
    known = {(row["document"], row["item"]) for row in baseline.get("known", ())}
    for document in report["documents"]:
        lines += [*_document(document, paint, {item for path, item in known if path == document["path"]}), ""]
    items = [item for document in report["documents"] for item in document["items"]]
    if len(report["documents"]) > 1:
        sign, sentence = headline(items)
        lines.append(paint(f"{sign} In all: {sentence}", _tone(sign)))
    counts = [f"{report['summary'][status]} {COUNT_WORDS[status]}" for status in STATUSES if report["summary"][status]]
    lines.append(paint(", ".join(counts) or "no statement was found", "soft"))
    lines += _fixed(baseline, paint)
    lines += _faults(report, paint)
    unreadable = report["run"].get("errors") or []
    if unreadable:
        count = f"{len(unreadable)} document{'s' if len(unreadable) > 1 else ''}"
        lines.append(paint(f"✗ {count} could not be read:", "bad"))
        lines += [paint(f"    {one_line(str(message), 200)}", "bad") for message in unreadable]
    lines += _numbers(report["run"], paint)
    return "\n".join(lines) + "\n"


class _Painter:
    def __init__(self, on: bool) -> None:
        self.on = on

    def __call__(self, text: str, tone: str) -> str:
        return f"\x1b[{_COLOURS[tone]}m{text}\x1b[0m" if self.on and tone in _COLOURS else text


def _wants_colour() -> bool:
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


def _tone(sign: str) -> str:
    return {"✗": "bad", "✓": "good"}.get(sign, "warn")


def _fixed(baseline: Mapping[str, Any], paint: _Painter) -> list[str]:
    rows = baseline.get("fixed") or ()
    lines = [f"fixed since the baseline: {row['document']}: {row['statement'] or row['code']}" for row in rows]
    if rows:
        lines.append(f"--write-baseline takes {'it' if len(rows) == 1 else 'them'} out of {baseline['path']}")
    return [paint(one_line(line, 160), "good") for line in lines]


def _document(document: Mapping[str, Any], paint: _Painter, known: Collection[str]) -> list[str]:
    path, items = document["path"], document["items"]
    sign, sentence = headline(items)
    lines = [paint(one_line(path), "strong") + f"  {paint(f'{sign} {sentence}', _tone(sign))}"]
    for item in items:
        if item["status"] in {"refuted", "wrong"} and item["id"] not in known:
            lines += _failure_lines(item, path, paint)
    still_open = [item for item in items if item["status"] == "undecided" and item["id"] not in known]
    for item in still_open[:_OPEN_LIMIT]:
        lines.append(f"  {paint('? Undecided', 'warn')}  {_place(path, item)}  {one_line(item['source'], 60)}")
        lines.append(f"      {one_line(item['reason'] or 'no reason was given')}")
    if len(still_open) > _OPEN_LIMIT:
        lines.append(f"  … and {len(still_open) - _OPEN_LIMIT} more that are undecided")
    for status in ("unread", "skipped"):
        rows = [item for item in items if item["status"] == status]
        codes = Counter(item["code"] or "no code" for item in rows)
        if rows:
            listed = ", ".join(f"{code} {count}" for code, count in sorted(codes.items()))
            places = ", ".join(str(item["where"]["line"]) for item in rows[:8]) + (", …" if len(rows) > 8 else "")
            text = f"  {verdict(rows[0]).sign} {len(rows)} {COUNT_WORDS[status]}: {listed} (lines {places})"
            lines.append(paint(text, "soft"))
    if known:
        lines.append(paint(f"  · {len(known)} known from the baseline", "soft"))
    said = _declared(document)
    return [*lines, paint(said, "soft")] if said else lines


def _faults(report: Mapping[str, Any], paint: _Painter) -> list[str]:
    return [
        paint(one_line(f"✗ {place_mark(path, where)}: {fault}", 200), "bad") for path, where, fault in faults(report)
    ]


def _declared(document: Mapping[str, Any]) -> str | None:
    """How many declarations the author made, and of which kinds."""
    kinds = Counter(said["kind"] for said in document.get("declarations", ()) if said["kind"] != "on")
    if not kinds:
        return None
    listed = ", ".join(f"{kind} {count}" for kind, count in sorted(kinds.items()))
    return f"  · {sum(kinds.values())} declared: {listed}"


def failure(item: Mapping[str, Any], path: str) -> list[str]:
    """A claim that is false, without colours: statement, witness, suggestion."""
    return _failure_lines(item, path, _Painter(on=False))


def _failure_lines(item: Mapping[str, Any], path: str, paint: _Painter) -> list[str]:
    row = verdict(item)
    meant = is_expected(item)
    words = f"{row.sign} {row.words}{', as expected' if meant else ''}"
    lines = [f"  {paint(words, 'soft' if meant else 'bad')}  {_place(path, item)}  {one_line(item['source'], 70)}"]
    if meant:
        return lines
    if item["read"] is not None:
        lines.append(f"      read as     {one_line(item['read'])}")
    found = item["counterexample"]
    if found is not None:
        inputs = [f"{name} = {_value(value)}" for name, value in found["inputs"].items()]
        where = [text for text in (sizes_words(found["sizes"]), sizes_words(found["at"]), *inputs) if text]
        if where:
            lines.append(f"      fails at    {one_line(', '.join(where))}")
        if found["left"] is not None or found["right"] is not None:
            names = ("value", "printed") if found["kind"] == "digits" else ("left side", "right side")
            left, right = (one_line(found[side] or "not known", 40) for side in ("left", "right"))
            lines.append(f"      {names[0]:<11} {left}")
            lines.append(f"      {names[1]:<11} {right}")
    if item["suggestion"]:
        lines.append(f"      suggestion  {one_line(item['suggestion'])}")
    return lines


def _place(path: str, item: Mapping[str, Any]) -> str:
    return one_line(place_mark(path, item["where"]))


def _value(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}: {_value(part)}" for key, part in value.items()) + "}"
    return "[" + ", ".join(map(_value, value)) + "]" if isinstance(value, list) else str(value)


def one_line(text: str, width: int = _WIDTH) -> str:
    """Text of a document on one line of at most `width` characters, without anything a terminal would obey.

    >>> one_line("a\\x1b[31m  b")
    'a\\ufffd[31m b'
    """
    flat = clean(" ".join(text.split()))
    return flat if len(flat) <= width else flat[: width - 1] + "…"


def _numbers(run: Mapping[str, Any], paint: _Painter) -> list[str]:
    checks, kept = run["checks"], run.get("kept")
    known = [check for check in checks if check["error"] is not None and check["bound"] is not None]
    over = [check for check in known if check["error"] > check["bound"]]
    lines = []
    if checks:
        where = sorted({f"{check['backend']} {check['dtype']} on {check['device']}" for check in checks})
        unbounded = f", {len(checks) - len(known)} without a bound" if len(checks) > len(known) else ""
        text = (
            f"cross-check: {len(known) - len(over)} of {len(known)} within their bound{unbounded} ({', '.join(where)})"
        )
        lines.append(paint(one_line(text, 160), "bad" if over else "soft"))
    else:
        lines.append(paint("cross-check: nothing was evaluated numerically", "soft"))
    if kept:
        text = f"unchanged: {kept['unchanged']} of {kept['of']}, from the cache, with every proof replayed"
        lines.append(paint(text, "soft"))
    executed = [row for row in run.get("executed") or [] if isinstance(row, Mapping)]
    if executed:
        held = {name: means for row in executed for name, means in dict(row.get("enforced") or {}).items()}
        kept = [name for name, means in held.items() if means != "not enforced"]
        open_ = [name for name in held if name not in kept]
        count = f"{len(executed)} document{'s' if len(executed) > 1 else ''}"
        text = f"code of {count} was run; limited: {', '.join(kept) or 'nothing'}"
        text += f"; NOT limited: {', '.join(open_)}" if open_ else ""
        lines.append(paint(one_line(text, 160), "warn" if open_ else "soft"))
    rows = [row for row in run.get("skipped") or [] if isinstance(row, Mapping)]
    for text, count in Counter(f"not tried: {row.get('what')}: {row.get('reason')}" for row in rows).items():
        lines.append(paint(one_line(text + (f" ({count} times)" if count > 1 else "")), "soft"))
    return lines
