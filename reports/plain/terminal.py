"""The summary for a terminal: what is false and why first, then what stayed open, then the counts."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from textwrap import wrap
from typing import Any

from ..escape import clean
from ..finding_rows import Found, failing, findings
from ..model import claims, faults, is_expected
from ..verdict_words import COUNT_WORDS, count_words, headline, place_mark, side_words, sizes_words, verdict
from .excerpt import Sources

DETAILS = ("quiet", "brief", "normal", "table", "verbose")
"""Findings alone; a line for each document, and findings; what else there is; a table of claims; one of all items."""
_WIDTH = 100
_OPEN_LIMIT = 20
"""Findings that are no refutations, and are listed for each document; the number of the rest is printed."""
_COLOURS = {"bad": "31", "good": "32", "warn": "33", "soft": "2", "strong": "1"}


def summary(
    report: Mapping[str, Any], *, colour: bool | None = None, detail: str = "normal", width: int = _WIDTH
) -> str:
    """The summary as text, each line ending in a line feed; `detail` is one of `DETAILS`.

    `colour` None asks the environment: NO_COLOR, then FORCE_COLOR, then whether standard output is a terminal. The
    words say everything that the colours say.
    """
    paint = _Painter(_wants_colour() if colour is None else colour)
    page = _Page(report, paint, detail, width)
    lines = [line for document in report["documents"] for line in page.document(document)]
    if detail == "quiet":
        lines += [*_faults(report, paint), *_unreadable(report["run"], paint)]
        return "".join(f"{line}\n" for line in lines)
    items = [item for document in report["documents"] for item in document["items"]]
    if len(report["documents"]) > 1:
        sign, sentence = headline(items)
        lines.append(paint(f"{sign} In all: {sentence}", _tone(sign)))
    lines.append(paint(", ".join(count_words(items)) or "no statement was found", "soft"))
    lines += _fixed(report["run"].get("baseline") or {}, paint)
    lines += [*_faults(report, paint), *_unreadable(report["run"], paint)]
    lines += _numbers(report["run"], paint)
    return "\n".join([*lines, *page.hint()]) + "\n"


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


class _Page:
    """The documents of one report, with as much detail as is wanted."""

    def __init__(self, report: Mapping[str, Any], paint: _Painter, detail: str, width: int) -> None:
        self.paint, self.detail, self.width = paint, detail, width
        self.sources = Sources(report)
        shown = {*failing(report)} if detail == "quiet" else {*failing(report), "refuted", "undecided"}
        shown |= {"unread"} if detail == "verbose" else set()
        self.known: Counter[str] = Counter()
        self.rows: dict[str, list[Found]] = {}
        for row in findings(report):
            self.known[row.path] += row.known
            wanted = row.open if detail in ("quiet", "brief") else not row.known
            if wanted and row.kind in shown and row.item is not None and row.item["status"] != "skipped":
                self.rows.setdefault(row.path, []).append(row)

    def document(self, document: Mapping[str, Any]) -> list[str]:
        """The lines about one document."""
        path, items = document["path"], document["items"]
        rows = self.rows.get(path, [])
        false = [line for row in _with_followers(rows) for line in self._refuted(row)]
        others = [row for row in rows if row.kind != "refuted"]
        limit = len(others) if self.detail in ("quiet", "verbose") else _OPEN_LIMIT
        found = [*false, *(line for row in others[:limit] for line in self._open(row))]
        if len(others) > limit:
            found.append(f"  … and {len(others) - limit} more that are {'undecided' if _alike(others) else 'open'}")
        if self.detail == "quiet":
            return found
        if self.detail == "brief":
            return [self._headline(path, items, self._passed_over(document)), *found]
        table = self._table(items) if self.detail in ("table", "verbose") else []
        return [self._headline(path, items), *table, *found, *self._left_out(document), ""]

    def hint(self) -> list[str]:
        """How to ask about the first finding."""
        first = next((row for rows in self.rows.values() for row in rows if row.open and row.where), None)
        if first is None or first.where is None or self.detail not in ("table", "verbose"):
            return []
        cell = f"{first.where['cell']}:" if first.where["cell"] is not None else ""
        place = f"{first.path}:{cell}{first.where['line']}"
        return [self.paint(one_line(f"how an equation was read, and why: derivations explain {place}", 200), "soft")]

    def _headline(self, path: str, items: Sequence[Mapping[str, Any]], more: Sequence[str] = ()) -> str:
        sign, sentence = headline(items)
        if more:
            sentence = f"{sentence.removesuffix('.')} ({', '.join(more)})."
        return f"{self.paint(one_line(path), 'strong')}  {self.paint(f'{sign} {sentence}', _tone(sign))}"

    def _table(self, items: Sequence[Mapping[str, Any]]) -> list[str]:
        """A row for each claim, or for each item: place, verdict, statement."""
        rows = items if self.detail == "verbose" else claims(items)
        cells = [(_short_place(item), _said(item), item) for item in rows]
        places, words = (
            max((len(text) for text in column), default=0)
            for column in ([place for place, _, _ in cells], [said for _, said, _ in cells])
        )
        lines = []
        for place, said, item in cells:
            room = max(20, self.width - places - words - 9)
            shown = self.paint(f"{verdict(item).sign:<2} {said:<{words}}", _status_tone(item))
            lines.append(f"  {place:>{places}}  {shown}  {one_line(item['source'], room)}".rstrip())
        return lines

    def _left_out(self, document: Mapping[str, Any]) -> Iterator[str]:
        """What was not read, what was skipped, what is known, and what the author declared."""
        for status in ("unread", "skipped"):
            rows = [item for item in document["items"] if item["status"] == status]
            codes = Counter(item["code"] or "no code" for item in rows)
            if rows:
                listed = ", ".join(f"{code} {count}" for code, count in sorted(codes.items()))
                places = ", ".join(str(item["where"]["line"]) for item in rows[:8]) + (", …" if len(rows) > 8 else "")
                text = f"  {verdict(rows[0]).sign} {len(rows)} {COUNT_WORDS[status]}: {listed} (lines {places})"
                yield self.paint(text, "soft")
        if self.known[document["path"]]:
            yield self.paint(f"  · {self.known[document['path']]} known from the baseline", "soft")
        said = _declared(document)
        if said:
            yield self.paint(said, "soft")

    def _passed_over(self, document: Mapping[str, Any]) -> list[str]:
        """The same in a few words."""
        counts = Counter(item["status"] for item in document["items"])
        said = [f"{counts[status]} {COUNT_WORDS[status]}" for status in ("unread", "skipped") if counts[status]]
        known = self.known[document["path"]]
        return [*said, f"{known} known from the baseline"] if known else said

    def _refuted(self, row: Found) -> list[str]:
        item = row.item or {}
        if row.silenced is not None:
            return [_head(item, row.path, self.paint)]
        if item.get("follows_from") is not None:
            why = self.paint(one_line(item["reason"] or "follows from another"), "soft")
            return [f"    {_head(item, row.path, self.paint, width=40)}", f"        {why}"]
        excerpt = self._excerpt(row)
        head = _head(item, row.path, self.paint, source=not excerpt)
        return [head, *excerpt, *self._folded(_failure_lines(item))]

    def _folded(self, lines: Sequence[str], indent: int = 18) -> list[str]:
        """At a terminal, lines that are too long go on under their own text; elsewhere a program may look for them."""
        if self.detail not in ("table", "verbose"):
            return list(lines)
        return [part for line in lines for part in wrap(line, self.width, subsequent_indent=" " * indent)]

    def _open(self, row: Found) -> list[str]:
        item = row.item or {}
        excerpt = self._excerpt(row)
        head = _head(item, row.path, self.paint, source=not excerpt, width=60)
        if item["status"] == "proved":
            assuming = [f"      assuming    {one_line(a['text'])}" for a in item["assumptions"]]
            return [head, *excerpt, *self._folded(assuming)]
        return [head, *excerpt, *self._folded([f"      {one_line(item['reason'] or 'no reason was given')}"], 6)]

    def _excerpt(self, row: Found) -> list[str]:
        """The line of the document, with a caret."""
        pairs = self.sources.excerpt(row.item or {}, row.path, self.width - 12)
        bar, tone = self.paint("|", "soft"), "bad" if row.level == "error" else "warn"
        return [
            f"  {self.paint(f'{margin:>5}', 'soft')} {bar} {text if margin.strip() else self.paint(text, tone)}"
            for margin, text in pairs
        ]


def _with_followers(rows: Sequence[Found]) -> Iterator[Found]:
    """What is false, and under each row what only follows from it."""
    false = [row for row in rows if row.kind == "refuted"]
    shown = {(row.item or {}).get("id") for row in false}
    below: dict[object, list[Found]] = {}
    for row in false:
        below.setdefault((row.item or {}).get("follows_from"), []).append(row)
    for row in false:
        if (row.item or {}).get("follows_from") not in shown:
            yield row
            yield from below.get((row.item or {})["id"], ())


def _alike(rows: Sequence[Found]) -> bool:
    return all(row.kind == "undecided" for row in rows)


def _short_place(item: Mapping[str, Any]) -> str:
    return place_mark("", item["where"]).removeprefix(":")


def _said(item: Mapping[str, Any]) -> str:
    return f"{verdict(item).words}{', as expected' if is_expected(item) else ''}"


def _status_tone(item: Mapping[str, Any]) -> str:
    if item["status"] in ("refuted", "wrong"):
        return "soft" if is_expected(item) else "bad"
    return {"proved": "good", "holds": "good", "undecided": "warn"}.get(item["status"], "soft")


def _unreadable(run: Mapping[str, Any], paint: _Painter) -> list[str]:
    messages = run.get("errors") or []
    if not messages:
        return []
    count = f"{len(messages)} document{'s' if len(messages) > 1 else ''}"
    lines = [f"✗ {count} could not be read:", *(f"    {one_line(str(message), 200)}" for message in messages)]
    return [paint(line, "bad") for line in lines]


def _fixed(baseline: Mapping[str, Any], paint: _Painter) -> list[str]:
    rows = baseline.get("fixed") or ()
    lines = [f"fixed since the baseline: {row['document']}: {row['statement'] or row['code']}" for row in rows]
    if rows:
        lines.append(f"--write-baseline takes {'it' if len(rows) == 1 else 'them'} out of {baseline['path']}")
    return [paint(one_line(line, 160), "good") for line in lines]


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
    head = _head(item, path, _Painter(on=False))
    return [head] if is_expected(item) else [head, *_failure_lines(item)]


def _head(item: Mapping[str, Any], path: str, paint: _Painter, *, source: bool = True, width: int = 70) -> str:
    words = f"{verdict(item).sign} {_said(item)}"
    line = f"  {paint(words, _status_tone(item))}  {_place(path, item)}"
    return f"{line}  {one_line(item['source'], width)}" if source else line


def _failure_lines(item: Mapping[str, Any]) -> list[str]:
    lines = []
    if item["read"] is not None:
        lines.append(f"      read as     {one_line(item['read'])}")
    found = item["counterexample"]
    if found is not None:
        inputs = [f"{name} = {_value(value)}" for name, value in found["inputs"].items()]
        where = [text for text in (sizes_words(found["sizes"]), sizes_words(found["at"]), *inputs) if text]
        if where:
            lines.append(f"      fails at    {one_line(', '.join(where))}")
        if found["left"] is not None or found["right"] is not None:
            names = side_words(found["kind"])
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
