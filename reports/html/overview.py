"""What a reader of a report sees first: the claims as a table, what rests on what, and the same as a picture."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..model import LATEX_KINDS, claims
from ..verdict_words import KIND_WORDS, is_named, place_words, verdict
from .elements import Markup, el, inline, join, prose, sign
from .places import Places

_SETTLED = frozenset({"defined", "proved"})
MAX_SHOWN = 160
"""Most characters of a statement in the table."""
MAX_LATEX = 400
"""Most characters of LaTeX that is set in the table."""
MAX_ROWS = 500
"""Most claims in one table: a browser lays out a table as a whole."""
PER_TABLE = 250
"""Claims in each of several tables, of which a browser lays out those that are seen."""
MAX_DRAWN = 60
"""Most items that a picture of dependencies shows; the table has all of them."""
_GAP, _ROW, _WIDTH, _HEIGHT, _LETTER = 46, 40, 104, 28, 7


def index_of_claims(document: Mapping[str, Any], places: Places) -> Markup | None:
    """The claims in document order: verdict, statement, place, assumptions, and whether all that they rest on is proved."""
    by_id = {item["id"]: item for item in document["items"]}
    found = claims(document["items"])
    if not found:
        return None
    place = "Name" if all(map(is_named, found)) else "Place"
    names = ("Verdict", "Statement", place, "What it rests on")
    head = el("tr", *(el("th", name) for name in names))
    rows = [_row(item, by_id, places) for item in found]
    if len(rows) <= MAX_ROWS:
        table = el("table", el("thead", head), el("tbody", *rows), class_="grid index")
        return el("div", table, class_="scroll", tabindex="0", role="region", aria_label="Claims")
    tables = []
    for k in range(0, len(rows), PER_TABLE):
        table = el("table", el("thead", head), el("tbody", *rows[k : k + PER_TABLE]), class_="grid index")
        name = f"Claims {k + 1} to {min(k + PER_TABLE, len(rows))}"
        tables.append(el("div", table, class_="scroll long", tabindex="0", role="region", aria_label=name))
    return join(tables)


def _row(item: Mapping[str, Any], by_id: Mapping[str, Mapping[str, Any]], places: Places) -> Markup:
    row = verdict(item)
    place = _breakable(item["id"]) if is_named(item) else place_words(item["where"])
    return el(
        "tr",
        el("td", sign(row.sign), row.words),
        el("td", in_short(item)),
        el("td", el("a", place, href=places.href(item["id"]))),
        el("td", _grounds(item, by_id, places)),
        class_=row.name,
    )


def _breakable(name: str) -> Markup:
    """A name in small letters with underscores, which may break after them."""
    first, *rest = name.split("_")
    return join([first, *(join(["_", el("wbr"), part]) for part in rest)])


def in_short(item: Mapping[str, Any]) -> Markup:
    """A statement in one line, cut where it is long."""
    source = item["source"].strip()
    if item["kind"] in LATEX_KINDS and source and len(source) <= MAX_LATEX and "\n" not in source:
        return inline(source)
    line = " ".join(source.split()) or KIND_WORDS[item["kind"]]
    line = line if len(line) <= MAX_SHOWN else line[: MAX_SHOWN - 1].rstrip() + "…"
    return el("code", line) if item["kind"] != "prose" else prose(line)


def _grounds(item: Mapping[str, Any], by_id: Mapping[str, Mapping[str, Any]], places: Places) -> Markup:
    """What a claim rests on beyond the definitions: assumptions, and whether the items it uses are settled."""
    parts: list[str] = []
    count = len(item["assumptions"])
    if count:
        parts.append(f"{count} assumption" + ("" if count == 1 else "s"))
    open_ = [by_id[name] for name in grounds(item, by_id) if by_id[name]["status"] not in _SETTLED]
    if open_:
        names = [el("a", x["id"], f" ({verdict(x).words.lower()})", href=places.href(x["id"])) for x in open_]
        return join([", ".join(parts), "; " if parts else "", *_listed(names)])
    if item["status"] == "proved" and item["depends_on"]:
        parts.append("all proved")
    return join(["; ".join(parts)])


def _listed(names: Sequence[Markup]) -> list[Markup]:
    found: list[Markup] = []
    for name in names:
        found += [join([", "]), name]
    return found[1:]


def grounds(item: Mapping[str, Any], by_id: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """The items that an item rests on, directly or not, in document order."""
    found: set[str] = set()
    todo = list(item["depends_on"])
    while todo:
        name = todo.pop()
        if name in by_id and name not in found and name != item["id"]:
            found.add(name)
            todo += by_id[name]["depends_on"]
    return [name for name in by_id if name in found] if found else []


def dependencies(document: Mapping[str, Any], places: Places) -> Markup | None:
    """What rests on what, as a picture (for at most `MAX_DRAWN` items) and as a table."""
    items = [item for item in document["items"] if item["status"] not in ("unread", "skipped")]
    names = {item["id"] for item in items}
    used = {name for item in items for name in item["depends_on"] if name in names}
    drawn = [item for item in items if item["id"] in used or any(n in names for n in item["depends_on"])]
    if not used:
        return None
    rows = [
        el(
            "tr",
            el("td", _link(item["id"], places)),
            el("td", verdict(item).words),
            el("td", *_links(item, names, places)),
        )
        for item in drawn
    ]
    head = el("tr", *(el("th", name) for name in ("Item", "Verdict", "Rests on")))
    table = el("table", el("thead", head), el("tbody", *rows), class_="grid")
    if len(drawn) <= MAX_DRAWN:
        seen: Markup = el(
            "div", _picture(drawn, places), class_="scroll", tabindex="0", role="region", aria_label="Picture"
        )
    else:
        seen = el("p", f"{len(drawn)} items are too many for a picture; the table has all of them.", class_="soft")
    as_table = el("details", el("summary", "The same as a table"), el("div", table, class_="scroll"))
    return el("details", el("summary", "What rests on what"), seen, as_table, class_="depends")


def _link(name: str, places: Places) -> Markup:
    return el("a", name, href=places.href(name))


def _links(item: Mapping[str, Any], names: Iterable[str], places: Places) -> list[Markup]:
    return _listed([_link(name, places) for name in item["depends_on"] if name in names])


def _picture(items: Sequence[Mapping[str, Any]], places: Places) -> Markup:
    """Items in columns: each stands right of all that it rests on, and level with it where there is room."""
    by_id = {item["id"]: item for item in items}
    level: dict[str, int] = {}
    for item in items:
        _place(item["id"], by_id, level)
    below = {x["id"]: [n for n in x["depends_on"] if n in by_id and n != x["id"]] for x in items}
    rows = _rows(below, level)
    node = max(_WIDTH, *(_LETTER * len(name) + 34 for name in by_id))
    column = node + _GAP

    def at(name: str, where: int) -> tuple[int, int]:
        return where * column + 2, rows[name, where] * _ROW + 2

    edges = []
    for name, names in below.items():
        for other in names:
            passed = [at(other, k) for k in range(level[other], level[name])]
            edges.append(_edge([*(passed or [at(other, level[other])]), at(name, level[name])], node))
    nodes = [_node(item, at(item["id"], level[item["id"]]), node, places) for item in items]
    width, height = max(level.values()) * column + node + 4, max(rows.values()) * _ROW + _HEIGHT + 4
    title = el("title", f"What rests on what: {len(items)} items")
    return el(
        "svg",
        title,
        *edges,
        *nodes,
        viewBox=f"0 0 {width} {height}",
        width=str(width),
        height=str(height),
        role="group",
    )


def _rows(below: Mapping[str, Sequence[str]], level: Mapping[str, int]) -> dict[tuple[str, int], int]:
    """The row of each item in its column, and of a way past each column that lies between it and what rests on it."""
    last = dict(level)
    for name, names in below.items():
        for other in names:
            last[other] = max(last[other], level[name] - 1)
    rows: dict[tuple[str, int], int] = {}
    for column in range(max(level.values()) + 1):
        wanted = []
        for name in below:
            if level[name] == column:
                before = [rows[n, column - 1] for n in below[name] if (n, column - 1) in rows]
                wanted.append((sum(before) / len(before) if before else 0.0, name))
            elif level[name] < column <= last[name]:
                wanted.append((float(rows[name, column - 1]), name))
        free = 0
        for middle, name in sorted(wanted, key=lambda pair: pair[0]):
            rows[name, column] = max(free, int(middle))
            free = rows[name, column] + 1
    return rows


def _place(name: str, by_id: Mapping[str, Mapping[str, Any]], level: dict[str, int]) -> int:
    """The column of an item; what rests on itself in a circle is left where it is met first."""
    todo = [name]
    level_open: set[str] = set()
    while todo:
        top = todo[-1]
        below = [n for n in by_id[top]["depends_on"] if n in by_id and n != top]
        missing = [n for n in below if n not in level and n not in level_open]
        if top in level or not missing:
            todo.pop()
            level.setdefault(top, 1 + max((level[n] for n in below if n in level), default=-1))
        else:
            level_open.add(top)
            todo += missing
    return level[name]


def _edge(stops: Sequence[tuple[int, int]], width: int) -> Markup:
    """From an item to one that rests on it, past the columns between them."""
    (x, y), *rest = stops
    x, y = x + width, y + _HEIGHT // 2
    path = f"M{x} {y}"
    for number, (u, v) in enumerate(rest, 1):
        v += _HEIGHT // 2
        bend = max((u - x) // 2, 20)
        path += f"C{x + bend} {y} {u - bend} {v} {u} {v}"
        x, y = u, v
        if number < len(rest):
            x += width
            path += f"H{x}"
    return el("path", d=path, class_="edge")


def _node(item: Mapping[str, Any], at: tuple[int, int], width: int, places: Places) -> Markup:
    x, y = at
    row = verdict(item)
    words = f"{item['id']}: {row.words}, {KIND_WORDS[item['kind']]}, {place_words(item['where'])}"
    box = el("rect", x=str(x), y=str(y), width=str(width), height=str(_HEIGHT), rx="3")
    text = el("text", f"{row.sign} {item['id']}", x=str(x + 9), y=str(y + 18))
    return el(
        "a", el("title", words), box, text, href=places.href(item["id"]), class_=f"node {row.name}", aria_label=words
    )
