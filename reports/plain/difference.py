"""Two reports about the same documents: what is newly refuted, newly proved, changed, new or gone."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import PurePath
from typing import Any

from ..escape import clean
from ..finding_rows import flat
from ..model import is_expected
from ..redact import GONE
from ..verdict_words import place_mark, verdict
from .markdown import code, text

SCHEMA = "derivations-comparison/1"
ALIKE = 0.6
"""How alike two statements are, from 0 to 1, at least, to be one that was changed."""
_MOST_PAIRS = 40_000
"""Pairs of statements that are compared, at most; beyond, what is changed is new and gone."""

Item = Mapping[str, Any]


@dataclass(frozen=True)
class Change:
    """An item of the old report, of the new one, or of both; `path` is where the newer of them stands."""

    path: str
    old: Item | None
    new: Item | None

    @property
    def item(self) -> Item:
        """The newer one."""
        found = self.new if self.new is not None else self.old
        if found is None:
            raise ValueError("an old or a new item is needed, found neither")
        return found

    @property
    def rewritten(self) -> bool:
        """Whether the statement is another one."""
        return self.old is not None and self.new is not None and _words(self.old) != _words(self.new)


def _is(item: Item | None, *statuses: str) -> bool:
    return item is not None and item["status"] in statuses and not is_expected(item)


def _false(item: Item | None) -> bool:
    return _is(item, "refuted", "wrong")


def _shown(item: Item | None) -> bool:
    return _is(item, "proved", "holds")


SECTIONS: dict[str, Callable[[Change], bool]] = {
    "newly refuted": lambda c: _false(c.new) and not _false(c.old),
    "no longer proved": lambda c: c.new is not None and _shown(c.old) and not _shown(c.new),
    "newly proved": lambda c: _shown(c.new) and not _shown(c.old),
    "no longer refuted": lambda c: c.new is not None and _false(c.old) and not _false(c.new),
    "changed statements": lambda c: c.rewritten,
    "other verdicts": lambda c: c.old is not None and c.new is not None and verdict(c.old) != verdict(c.new),
    "new": lambda c: c.old is None,
    "gone": lambda c: c.new is None,
}
"""One row per section, in the order of the report; a change stands in the first one that takes it."""


def differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, list[Change]]:
    """All changes by section; `unchanged` holds the rest."""
    found: dict[str, list[Change]] = {name: [] for name in (*SECTIONS, "unchanged")}
    for change in _moved([change for pair in _documents(old, new) for change in _changes(*pair)]):
        found[next((name for name, takes in SECTIONS.items() if takes(change)), "unchanged")].append(change)
    return found


def _moved(changes: Sequence[Change]) -> Iterator[Change]:
    """The changes, where what is gone from one document and new in another, in the same words, is one of them."""
    waiting: dict[tuple[str, str], list[Change]] = {}
    for change in changes:
        if change.old is not None and change.new is None:
            waiting.setdefault((change.old["kind"], _words(change.old)), []).append(change)
    taken: dict[int, Change] = {}
    for change in changes:
        if change.new is not None and change.old is None and _words(change.new):
            rows = waiting.get((change.new["kind"], _words(change.new)))
            if rows:
                taken[id(change)] = rows.pop(0)
    gone = {id(change) for change in taken.values()}
    for change in changes:
        if id(change) in taken:
            yield Change(change.path, taken[id(change)].old, change.new)
        elif id(change) not in gone:
            yield change


def _documents(
    old: Mapping[str, Any], new: Mapping[str, Any]
) -> Iterator[tuple[Mapping[str, Any] | None, Mapping[str, Any] | None]]:
    """Documents that belong together: by path, else by content, else by what they say, else as the only ones left."""
    before, after = list(old["documents"]), list(new["documents"])
    for same in (
        lambda a, b: a["path"] == b["path"],
        lambda a, b: a["sha256"] is not None and a["sha256"] == b["sha256"],
    ):
        for b in list(after):
            a = next((a for a in before if same(a, b)), None)
            if a is not None:
                before.remove(a)
                after.remove(b)
                yield a, b
    pairs = _said_alike(before, after)
    yield from ((before[j], after[k]) for j, k in pairs)
    before = [a for j, a in enumerate(before) if j not in {j for j, _ in pairs}]
    after = [b for k, b in enumerate(after) if k not in {k for _, k in pairs}]
    if len(before) == len(after) == 1:
        yield before[0], after[0]
        return
    yield from ((a, None) for a in before)
    yield from ((None, b) for b in after)


def _said_alike(before: Sequence[Mapping[str, Any]], after: Sequence[Mapping[str, Any]]) -> list[tuple[int, int]]:
    """Pairs of documents at least half of whose statements are the same, the most alike first; of those, one file name."""
    left, right = (
        [Counter(_words(i) or i["fingerprint"] for i in d["items"]) for d in side] for side in (before, after)
    )
    rows = []
    for j, a in enumerate(left):
        for k, b in enumerate(right):
            shared, most = (a & b).total(), max(a.total(), b.total())
            if most and 2 * shared >= most:
                renamed = PurePath(before[j]["path"]).name != PurePath(after[k]["path"]).name
                rows.append((-shared / most, renamed, abs(j - k), j, k))
    pairs: dict[int, int] = {}
    for *_, j, k in sorted(rows):
        if j not in pairs and k not in pairs.values():
            pairs[j] = k
    return sorted(pairs.items())


def _changes(before: Mapping[str, Any] | None, after: Mapping[str, Any] | None) -> Iterator[Change]:
    old: list[Item] = list(before["items"]) if before is not None else []
    new: list[Item] = list(after["items"]) if after is not None else []
    pairs = _paired(old, new)
    partner = {id(b): a for a, b in pairs}
    path = str((after or before or {})["path"])
    yield from (Change(path, partner.get(id(b)), b) for b in new)
    taken = {id(a) for a, _ in pairs}
    yield from (Change(str(before["path"]), a, None) for a in old if before is not None and id(a) not in taken)


def _paired(old: Sequence[Item], new: Sequence[Item]) -> list[tuple[Item, Item]]:
    """Items that are the same: by fingerprint, else by their words under another heading, else alike and of one kind."""
    left, right = list(old), list(new)
    pairs: list[tuple[Item, Item]] = []
    for key in (lambda i: i["fingerprint"], lambda i: (i["kind"], _words(i)) if _words(i) else None):
        waiting: dict[Any, list[Item]] = {}
        for a in left:
            waiting.setdefault(key(a), []).append(a)
        waiting.pop(None, None)
        matched = [(waiting[key(b)].pop(0), b) for b in right if waiting.get(key(b))]
        pairs += matched
        done = {id(x) for pair in matched for x in pair}
        left, right = ([i for i in side if id(i) not in done] for side in (left, right))
    return [*pairs, *_alike(left, right)]


def _alike(left: Sequence[Item], right: Sequence[Item]) -> Iterator[tuple[Item, Item]]:
    if len(left) * len(right) > _MOST_PAIRS:
        return
    rows = []
    for j, a in enumerate(left):
        for k, b in enumerate(right):
            matcher = SequenceMatcher(None, _words(a)[:500], _words(b)[:500], autojunk=False)
            if (
                a["kind"] == b["kind"]
                and _words(a)
                and matcher.quick_ratio() >= ALIKE
                and (ratio := matcher.ratio()) >= ALIKE
            ):
                rows.append((-ratio, abs(j - k), j, k))
    used: tuple[set[int], set[int]] = (set(), set())
    for _, _, j, k in sorted(rows):
        if j not in used[0] and k not in used[1]:
            used[0].add(j)
            used[1].add(k)
            yield left[j], right[k]


def _words(item: Item) -> str:
    """What an item says; nothing where that was left out of the report."""
    return "" if item["source"] == GONE else " ".join(item["source"].split())


# --- as text --------------------------------------------------------------------------------------------------------


def write_text(found: Mapping[str, Sequence[Change]]) -> str:
    """The sections for a terminal."""
    lines = []
    for name in SECTIONS:
        rows = found[name]
        if rows:
            lines.append(f"{name} ({len(rows)})")
            lines += [line for change in rows for line in _lines(change)]
            lines.append("")
    return "\n".join([*lines, count(found), ""])


def _lines(change: Change) -> Iterator[str]:
    item = change.item
    yield f"  {_place(change)}  {verdict(item).words.lower()}: {flat(item['source'], 80)}"
    if change.old is not None and change.new is not None:
        if verdict(change.old) != verdict(change.new):
            yield f"      was {verdict(change.old).words.lower()}"
        if change.rewritten:
            yield f"      was {flat(change.old['source'], 80)}"
    if _false(change.new) and item["suggestion"]:
        yield f"      {flat(item['suggestion'], 100)}"


def _place(change: Change) -> str:
    return clean(" ".join(place_mark(change.path, change.item["where"]).split()))


def count(found: Mapping[str, Sequence[Change]]) -> str:
    """How many changes of each kind there are, in one line."""
    counts = [f"{len(found[name])} {name}" for name in SECTIONS if found[name]]
    return f"{', '.join(counts) or 'no difference'}; {len(found['unchanged'])} unchanged"


def write_markdown(found: Mapping[str, Sequence[Change]]) -> str:
    """The sections for a pull request."""
    lines = [f"## Derivations: {text(count(found))}"]
    for name in SECTIONS:
        rows = found[name]
        if rows:
            lines += ["", f"### {name.capitalize()} ({len(rows)})", ""]
            lines += [f"- {code(_place(change))} {_in_markdown(change)}" for change in rows]
    return "\n".join(lines) + "\n"


def _in_markdown(change: Change) -> str:
    parts = [f"{verdict(change.item).words.lower()} {code(flat(change.item['source'], 120) or ' ')}"]
    if change.old is not None and change.new is not None:
        if verdict(change.old) != verdict(change.new):
            parts.append(f"was {verdict(change.old).words.lower()}")
        if change.rewritten:
            parts.append(f"was {code(flat(change.old['source'], 120) or ' ')}")
    return ", ".join(parts)


def write_json(found: Mapping[str, Sequence[Change]]) -> str:
    """The sections as JSON: the items as both reports have them."""
    rows = {name: [{"document": c.path, "old": c.old, "new": c.new} for c in found[name]] for name in SECTIONS}
    data = {"schema": SCHEMA, "unchanged": len(found["unchanged"]), "changes": rows}
    return json.dumps(data, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


WRITERS = {"text": write_text, "markdown": write_markdown, "json": write_json}
