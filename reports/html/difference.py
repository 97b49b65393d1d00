"""What changed between two reports, as a page in the look of the report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..layout.changes import marked
from ..outputs import OutputError, unwritable, write_whole
from ..plain.difference import SECTIONS, Change, count
from ..verdict_words import KIND_WORDS, place_words, verdict
from .elements import Markup, el, join, prose, sign
from .item import MAX_COMPARED, as_written, counterexample, is_formula
from .mathml import write_layout
from .overview import in_short
from .pages import whole_page

MEANINGS = {
    "newly refuted": "False now: it was not refuted before, or was not there.",
    "no longer proved": "Proved before, and now neither proved nor refuted.",
    "newly proved": "Proved now: it was not proved before, or was not there.",
    "no longer refuted": "Refuted before, and not now.",
    "changed statements": "Another statement in the same place, with a verdict of the same kind.",
    "other verdicts": "The same statement, with another verdict.",
    "new": "Only in the newer report.",
    "gone": "Only in the older report.",
}
_IN_A_TABLE = frozenset({"new", "gone"})
"""Sections of which a line each is enough."""


def write_difference(
    found: Mapping[str, Sequence[Change]], old: Mapping[str, Any], new: Mapping[str, Any], directory: str | Path
) -> Path:
    """Write the page into a folder, as `index.html`; return its path.

    Errors: OutputError where the folder cannot be written.
    """
    path = Path(directory) / "index.html"
    try:
        write_whole(path, difference_page(found, old, new))
    except OSError as error:
        raise OutputError(unwritable(str(path), error)) from None
    return path


def difference_page(found: Mapping[str, Sequence[Change]], old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    """The sections of a comparison, one after the other; `new` is the newer of the reports that were compared."""
    worse = bool(found["newly refuted"])
    mark = "✗" if worse else "–" if found["no longer proved"] else "✓"
    sentence = count(found)
    items = {d["path"]: {item["id"]: item for item in d["items"]} for report in (old, new) for d in report["documents"]}
    counts = [
        el("li", el("a", el("b", str(len(found[name]))), " ", name, href=f"#{_slug(name)}"))
        for name in SECTIONS
        if found[name]
    ]
    opening = el(
        "header",
        el("h1", "Derivation reports compared"),
        el("p", sign(mark), sentence[0].upper() + sentence[1:] + ".", class_="headline"),
        el("ul", *counts, class_="counts") if counts else None,
    )
    parts = [_section(name, found[name], items) for name in SECTIONS if found[name]]
    if not parts:
        parts = [el("p", "Both reports say the same of the same statements.")]
    return whole_page(f"Derivation reports compared: {sentence}", opening, parts, new)


def _section(name: str, changes: Sequence[Change], items: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> Markup:
    rows: list[Markup] = []
    if name in _IN_A_TABLE:
        rows = [_table(changes)]
    else:
        slug = _slug(name)
        rows = [_article(c, f"{slug}/{number}", items.get(c.path, {})) for number, c in enumerate(changes, 1)]
    return el("section", el("h2", name.capitalize()), el("p", MEANINGS[name], class_="soft"), *rows, id=_slug(name))


def _slug(name: str) -> str:
    return name.replace(" ", "-")


def _table(changes: Sequence[Change]) -> Markup:
    rows = []
    for change in changes:
        row = verdict(change.item)
        cells = (
            el("td", sign(row.sign), row.words),
            el("td", in_short(change.item)),
            el("td", place_words(change.item["where"])),
            el("td", el("code", change.path)),
        )
        rows.append(el("tr", *cells, class_=row.name))
    head = el("tr", *(el("th", name) for name in ("Verdict", "Statement", "Place", "Document")))
    table = el("table", el("thead", head), el("tbody", *rows), class_="grid index")
    return el("div", table, class_="scroll", tabindex="0", role="region", aria_label="Statements")


def _article(change: Change, anchor: str, by_id: Mapping[str, Mapping[str, Any]]) -> Markup:
    item, old = change.item, change.old
    row = verdict(item)
    was = None
    if old is not None and verdict(old) != row:
        was = el("span", f"was: {verdict(old).words.lower()}")
    elif old is None:
        was = el("span", "was not there")
    place = f"{change.path}, {place_words(item['where'])}"
    if old is not None and change.rewritten:
        statement = el(
            "div",
            el("div", el("small", "Before"), as_written(old)),
            el("div", el("small", "Now"), _marked(old, item)),
        )
    else:
        statement = el("div", el("div", as_written(item)), class_="stacked")
    failed = change.new is not None and item["status"] in {"refuted", "wrong"}
    return el(
        "article",
        el(
            "header",
            el("h3", sign(row.sign), row.words),
            was,
            el("span", KIND_WORDS[item["kind"]]),
            el("a", place, href=f"#{anchor}"),
        ),
        statement,
        el("p", prose(item["reason"]), class_="said") if item["reason"] else None,
        counterexample(item, by_id) if failed else None,
        el("p", prose(item["suggestion"]), class_="said suggestion") if failed and item["suggestion"] else None,
        id=anchor,
        class_=f"item {row.name}",
    )


def _marked(old: Mapping[str, Any], new: Mapping[str, Any]) -> Markup:
    """A statement, with what is new in its formula marked."""
    before, after = old["source"], new["source"]
    if not (is_formula(old) and is_formula(new)) or max(len(before), len(after)) > MAX_COMPARED:
        return as_written(new)
    row = marked(before, after)
    typed = el("details", el("summary", "LaTeX as typed"), el("pre", el("code", after)))
    return join([el("div", Markup(write_layout(row, after)), class_="math"), typed])
