"""The HTML report: pages that are readable offline and without scripts, made from the JSON alone.

The page's policy admits one style sheet and one script, by their hashes, and the font inside of the page; nothing else: no
image, no connection.  The script filters, searches, copies and changes the theme; without it nothing is missing.
Every string of a document goes through `escape`; `el` does it for whatever is not already markup.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from ..model import LATEX_KINDS, STATUSES, validate
from ..outputs import write_together
from ..verdict_words import COUNT_WORDS, VERDICTS, baseline_words, headline, known_items, place_words, verdict
from .checks import check_table
from .elements import Markup, el, join, math, prose, sign
from .item import article, is_rule
from .mathml import STYLE as MATHML_STYLE
from .overview import dependencies, index_of_claims
from .places import Places, cut

_GENERATOR = '<meta name="generator" content="derivations">'
"""What our pages, and no others, have in their heads."""
Checks = Mapping[str, Sequence[Mapping[str, Any]]]
"""The rows of `run.checks` about a document, by the identity of their item."""


def write_html(report: Mapping[str, Any], directory: str | Path) -> Path:
    """Write `index.html`, and a page for each of several documents, into `directory`; return the path of the index.

    All files appear complete, or none: they are written beside their places and renamed. Pages that an earlier report
    in this directory had, and this one has not, are removed. Raises ReportError where the report does not follow the
    schema, OSError where the directory cannot be written.
    """
    validate(report)
    folder = Path(directory)
    folder.mkdir(parents=True, exist_ok=True)
    written, before = pages(report), _pages_of(folder)
    names = sorted(written, key=lambda name: name == "index.html")
    write_together({folder / name: written[name] for name in names})
    for name in before - written.keys():
        (folder / name).unlink(missing_ok=True)
    return folder / "index.html"


def _pages_of(folder: Path) -> set[str]:
    """The pages of the report that lies in a folder: its index, and what of ours that links to."""
    if not _is_ours(folder / "index.html"):
        return set()
    linked = re.findall(r'href="([^"/#?:]+\.html)[#"]', (folder / "index.html").read_text(encoding="utf-8"))
    return {"index.html", *(name for name in set(linked) if _is_ours(folder / name))}


def _is_ours(file: Path) -> bool:
    try:
        with file.open(encoding="utf-8") as opened:
            return _GENERATOR in opened.read(2_000)
    except (OSError, UnicodeDecodeError):
        return False


def page(report: Mapping[str, Any]) -> str:
    """Everything on one page, as text: the same report gives the same bytes."""
    documents = report["documents"]
    slugs = _slugs([document["path"] for document in documents])
    checks = _checks_of(report)
    alone = len(documents) == 1
    parts = [
        _document(report, d, checks[d["path"]], Places("" if alone else f"{slug}/"), alone=alone)
        for d, slug in zip(documents, slugs, strict=True)
    ]
    opening = _opening(report, {document["path"]: f"#{slug}" for document, slug in zip(documents, slugs, strict=True)})
    rest = [_baseline(report), _checks(report), _rules(documents), _legend(documents)]
    return whole_page(_name(report), opening, [*parts, *rest], report)


def pages(report: Mapping[str, Any]) -> dict[str, str]:
    """The pages by file name: one for one document; for several an index of all claims, and one for each document.

    A document whose items are too many for a page has pages of their own for them, one after the other.
    """
    documents = report["documents"]
    checks = _checks_of(report)
    alone = len(documents) == 1
    divided = [
        _Divided(document, "index.html" if alone else f"{slug}.html", slug, checks[document["path"]])
        for document, slug in zip(documents, _slugs([document["path"] for document in documents]), strict=True)
    ]
    if not documents or (alone and not divided[0].several):
        return {"index.html": page(report)}
    found: dict[str, str] = {}
    bodies: list[Markup] = []
    for each in divided:
        if each.several:
            found |= {name: _part(report, each, number) for number, name in enumerate(each.names)}
        if alone:
            bodies.append(_overview(each))
            continue
        found[each.page] = _document_page(report, each)
        table = index_of_claims(each.document, each.seen_from("index.html"))
        if table is not None:
            bodies.append(el("section", el("h2", _title(each.document)), table))
    opening = _opening(report, {each.document["path"]: each.page for each in divided})
    rest = [_baseline(report), _checks(report), _legend(documents)]
    return {"index.html": whole_page(_name(report), opening, [*bodies, *rest], report), **found}


def _name(report: Mapping[str, Any]) -> str:
    return "Derivation report: " + headline(_all_items(report))[1].rstrip(".")


class _Divided:
    """A document with its items in the pieces that have a page each; `page` is the one about all of them."""

    def __init__(self, document: Mapping[str, Any], page: str, slug: str, checks: Checks) -> None:
        self.document, self.page, self.checks = document, page, checks
        self.pieces = cut(document["items"], checks)
        self.several = len(self.pieces) > 1
        self.names = [f"{slug}~{number}.html" for number, _ in enumerate(self.pieces, 1)] if self.several else [page]
        self._files = {item["id"]: name for name, piece in zip(self.names, self.pieces, strict=True) for item in piece}

    def seen_from(self, page: str) -> Places:
        """Where the items are, for the links of a page."""
        return Places(here=page, files=self._files)


def _document_page(report: Mapping[str, Any], divided: _Divided) -> str:
    """The page of one of several documents."""
    document = divided.document
    if divided.several:
        body = [_overview(divided)]
    else:
        places = divided.seen_from(divided.page)
        body = [_document(report, document, divided.checks, places, alone=True), _rules([document])]
    return _beside(report, document["title"] or document["path"], document["items"], [*body, _legend([document])])


def _overview(divided: _Divided) -> Markup:
    """All claims of a document whose items have pages of their own, and what is on each of these."""
    document, places = divided.document, divided.seen_from(divided.page)
    contents = [
        el("li", el("a", f"Part {number}", href=name), f": {_span(piece)} ", _counted({"items": piece}))
        for number, (name, piece) in enumerate(zip(divided.names, divided.pieces, strict=True), 1)
    ]
    return el(
        "section",
        *_document_head(document),
        el("nav", el("ul", *contents, class_="contents"), aria_label="Parts"),
        _all_claims(document, places),
        dependencies(document, places),
        _declared(document.get("declarations", ()), places),
    )


def _part(report: Mapping[str, Any], divided: _Divided, number: int) -> str:
    """A page with some of the items of a document."""
    document, items, names = divided.document, divided.pieces[number], divided.names
    said = f"part {number + 1} of {len(names)}"
    beside = [(number - 1, "Part before"), (number + 1, "Next part")]
    links = [el("a", words, href=names[k]) for k, words in beside if 0 <= k < len(names)]
    body = el(
        "section",
        el("h2", _title(document), f", {said}"),
        el("p", el("code", document["path"]), f" · {_span(items)}", class_="path"),
        el("nav", el("a", "All claims", href=divided.page), *links, class_="parts", aria_label="Parts"),
        *_items(report, document, items, divided.checks, divided.seen_from(names[number])),
        el("nav", *reversed(links), class_="parts", aria_label="Further parts"),
    )
    name = f"{document['title'] or document['path']}, {said}"
    return _beside(report, name, items, [body, _rules([{"items": items}]), _legend([{"items": items}])])


def _beside(report: Mapping[str, Any], name: str, items: Sequence[Mapping[str, Any]], parts: Sequence[Markup]) -> str:
    """A page beside the index, about these items."""
    mark, sentence = headline(items)
    top = el(
        "header",
        el("h1", el("a", "Derivation report", href="index.html")),
        el("p", sign(mark), sentence, class_="headline"),
    )
    return whole_page(f"{name}: {sentence.rstrip('.')}", top, parts, report)


def _span(items: Sequence[Mapping[str, Any]]) -> str:
    first, last = place_words(items[0]["where"]), place_words(items[-1]["where"])
    return first if first == last else f"{first} to {last}"


def fragment(report: Mapping[str, Any], errors: Sequence[str] = ()) -> str:
    """The documents of a report for a page of somebody else's: no script, no font, and a style that stays inside."""
    style = re.sub(r":root|(?<![\w-])body(?= \{)", ":scope", _data("report.css"))
    style = style.replace("margin: 0 auto; padding: 2.5rem 1.5rem 4rem; max-width: 58rem;", "padding: 0.5rem 1rem;")
    style = re.sub(r"@page [^@}]*}\n", "", style)  # somebody else's sheet of paper
    documents = report["documents"]
    slugs = _slugs([document["path"] for document in documents])
    checks = _checks_of(report)
    mark, sentence = headline(_all_items(report))
    return el(
        "div",
        el("style", Markup(f"@scope (.derivations-report) {{\n{style}{MATHML_STYLE}\n}}")),
        el("p", sign(mark), sentence, class_="headline"),
        *(el("p", error) for error in errors),
        *(
            _document(report, d, checks[d["path"]], Places(f"{slug}/"), alone=True)
            for d, slug in zip(documents, slugs, strict=True)
        ),
        _legend(documents),
        class_="derivations-report",
    )


def whole_page(title: str, opening: Markup, parts: Sequence[Markup], report: Mapping[str, Any]) -> str:
    """A page with its style sheet, its font and its script, which are admitted by their hashes and by nothing else."""
    style = f"\n{_data('report.css')}{_font()}{MATHML_STYLE}\n"
    script = f"\n{_data('report.js')}"
    policy = (
        f"default-src 'none'; style-src 'sha256-{_digest(style)}'; script-src 'sha256-{_digest(script)}'; "
        "font-src data:; base-uri 'none'; form-action 'none'"
    )
    head = el(
        "head",
        el("meta", charset="utf-8"),
        el("meta", http_equiv="Content-Security-Policy", content=policy),
        Markup(_GENERATOR),
        el("meta", name="viewport", content="width=device-width, initial-scale=1"),
        el("meta", name="color-scheme", content="light dark"),
        el("meta", name="referrer", content="no-referrer"),
        el("title", title),
        el("style", Markup(style)),
    )
    body = el("body", opening, el("main", *parts), _footer(report), el("script", Markup(script)))
    return f'<!DOCTYPE html>\n<html lang="en">\n{head}\n{body}\n</html>\n'


@cache
def _data(name: str) -> str:
    return Path(__file__).with_name(name).read_text(encoding="utf-8")


@cache
def _font() -> str:
    """STIX Two Math, reduced to our characters, inside of the page; without it the fonts that the reader has are used."""
    try:
        font = Path(__file__).parent.joinpath("fonts", "stix-two-math-subset.woff2").read_bytes()
    except OSError:  # a distribution may leave fonts out
        return ""
    address = f"data:font/woff2;base64,{base64.b64encode(font).decode()}"
    return f'@font-face {{ font-family: "STIX Two Math"; src: url("{address}") format("woff2"); }}\n'


@cache
def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _opening(report: Mapping[str, Any], addresses: Mapping[str, str]) -> Markup:
    mark, sentence = headline(_all_items(report))
    counts = [
        el("li", el("b", str(report["summary"][status])), " ", COUNT_WORDS[status])
        for status in STATUSES
        if report["summary"][status]
    ]
    documents = report["documents"]
    titles = Counter(document["title"] for document in documents)
    files = Counter(Path(document["path"]).name for document in documents)
    contents = [
        el(
            "li",
            el("a", _title(document), href=address),
            join([" ", el("code", _told_apart(document["path"], files))])
            if titles[document["title"]] > 1 and document["title"]
            else None,
            " ",
            _counted(document),
        )
        for document, address in zip(documents, addresses.values(), strict=True)
    ]
    return el(
        "header",
        el("h1", "Derivation report"),
        el("p", sign(mark), sentence, class_="headline"),
        el("ul", *counts, class_="counts") if counts else None,
        el("nav", el("ul", *contents, class_="contents"), aria_label="Documents") if len(documents) > 1 else None,
    )


def _told_apart(path: str, files: Mapping[str, int]) -> str:
    """The name of a file, or its whole path where another file has the same name."""
    return Path(path).name if files[Path(path).name] == 1 else path


def _title(document: Mapping[str, Any]) -> Markup:
    """The title with its formulas, or the path."""
    return prose(document["title"]) if document["title"] else el("span", document["path"])


def _counted(document: Mapping[str, Any]) -> Markup:
    mark, sentence = headline(document["items"])
    return el("span", f"{mark} {sentence}", class_="soft")


def _checks_of(report: Mapping[str, Any]) -> dict[str, Checks]:
    """The numerical checks of the items of each document."""
    found: dict[str, dict[str, list[Mapping[str, Any]]]] = {document["path"]: {} for document in report["documents"]}
    only = report["documents"][0]["path"] if len(report["documents"]) == 1 else None
    for check in report["run"]["checks"]:
        path = check.get("document", only)
        if path in found:
            found[path].setdefault(check["item"], []).append(check)
    return dict(found)


def _document(
    report: Mapping[str, Any], document: Mapping[str, Any], checks: Checks, places: Places, *, alone: bool
) -> Markup:
    """A document of a report with its items; `alone` where its counts are said elsewhere."""
    return el(
        "section",
        *_document_head(document),
        None if alone else el("p", _counted(document)),
        _all_claims(document, places),
        dependencies(document, places),
        *_items(report, document, document["items"], checks, places),
        _declared(document.get("declarations", ()), places),
        id=places.prefix.rstrip("/") or None,
    )


def _document_head(document: Mapping[str, Any]) -> list[Markup]:
    sha = f" · SHA\u2011256 {document['sha256'][:16]}…" if document["sha256"] else None
    return [el("h2", _title(document)), el("p", el("code", document["path"]), sha, class_="path")]


def _all_claims(document: Mapping[str, Any], places: Places) -> Markup | None:
    index = index_of_claims(document, places)
    return None if index is None else el("details", el("summary", "All claims"), index, open=True, class_="claims")


def _items(
    report: Mapping[str, Any],
    document: Mapping[str, Any],
    items: Sequence[Mapping[str, Any]],
    checks: Checks,
    places: Places,
) -> Iterator[Markup | None]:
    """What was decided of these items of a document, one by one, and then what was not."""
    known = known_items(report, document["path"])
    by_id = {item["id"]: item for item in document["items"]}
    path = document["path"] if document["sha256"] else ""  # what is no file cannot be explained by its line
    aside = []
    for item in items:
        if item["status"] in {"unread", "skipped"}:
            aside.append(item)
        else:
            yield article(item, places, by_id, path, checks.get(item["id"], ()), known=item["id"] in known)
    yield _aside(aside, places)


def _declared(rows: Sequence[Mapping[str, Any]], places: Places) -> Markup | None:
    """What the author told the checker, with the reasons, and what of it does nothing."""
    if not rows:
        return None
    lines = []
    for row in rows:
        links = [join([" ", el("a", name, href=places.href(name))]) for name in row["items"]]
        fault = el("b", f" ✗ {row['fault']}") if row["fault"] else None
        place = f"{row['path']}, {place_words(row['where'])}: "
        lines.append(el("li", el("span", place, class_="soft"), el("code", row["text"]), *links, fault))
    return el("details", el("summary", f"Declared by the author ({len(rows)})"), el("ul", *lines, class_="plain"))


# What was not decided, numbers, legend


def _aside(items: Sequence[Mapping[str, Any]], places: Places) -> Markup | None:
    if not items:
        return None
    rows = []
    for item in items:
        row = verdict(item)
        latex = item["kind"] in LATEX_KINDS
        shown = (
            join([math(item["source"]), el("code", item["source"])]) if latex else el("pre", el("code", item["source"]))
        )
        rows.append(
            el(
                "tr",
                el("td", place_words(item["where"])),
                el("td", row.sign, " ", row.words),
                el("td", shown if item["source"] else None),
                el("td", prose(item["reason"] or ""), el("br"), el("code", item["code"]) if item["code"] else None),
                id=places.anchor(item["id"]),
            )
        )
    header = el("tr", *(el("th", words) for words in ("Place", "Status", "Source", "Reason")))
    table = el("table", el("thead", header), el("tbody", *rows), class_="grid")
    return join([el("h3", "Not read or skipped"), el("div", table, class_="scroll")])


def _baseline(report: Mapping[str, Any]) -> Markup:
    """What was known before, and what is fixed since."""
    words = baseline_words(report)
    if words is None:
        return Markup("")
    sentence, fixed = words
    rows = el("ul", *(el("li", el("code", line)) for line in fixed), class_="plain") if fixed else None
    return el("section", el("h2", "Baseline"), el("p", sentence), rows, id="/baseline")


def _checks(report: Mapping[str, Any]) -> Markup:
    """How the cross-checks went in sum; those of an item stand with it."""
    run = report["run"]
    parts: list[str | None] = [el("h2", "Numerical cross-check")]
    checks = run["checks"]
    if checks:
        outside = [c for c in checks if c["error"] is None or c["bound"] is None or c["error"] > c["bound"]]
        parts.append(
            el(
                "p",
                f"{len(checks) - len(outside)} of {len(checks)} evaluations of compiled definitions lie within their "
                "bound of the exact value; they stand with the definitions. The bound is derived, not chosen; a ratio "
                "above 1 would be a fault. Agreement of numbers is no proof.",
            )
        )
        if outside:
            parts.append(check_table(outside))
    else:
        parts.append(el("p", "Nothing was evaluated numerically."))
    skipped = run.get("skipped") or []
    if skipped:
        several = len(report["documents"]) > 1
        rows = [_skipped(row, several) for row in skipped]
        parts += [el("h3", "What was not tried"), el("ul", *rows, class_="plain")]
    return el("section", *parts, id="/cross-check")


def _skipped(row: Any, several: bool) -> Markup:
    if not isinstance(row, Mapping):
        return el("li", prose(str(row)))
    of = [" of ", el("code", row["document"])] if several and "document" in row else []
    what, why = str(row.get("what", "something")), str(row.get("reason", "no reason was given"))
    return el("li", prose(what), *of, ": ", prose(why))


def _rules(documents: Sequence[Mapping[str, Any]]) -> Markup:
    """What the rules of the kernel say that the derivations name."""
    from derivations.exposition.explain import REASONS

    used = sorted(
        {s["rule"] for d in documents for item in d["items"] for s in item["steps"] if s["rule"] and is_rule(s["rule"])}
    )
    if not used:
        return Markup("")
    rows = []
    for name in used:
        said = REASONS.get(name, "").replace("{name}", "the symbol")
        rows += [el("dt", el("code", name), id=f"rule/{name}"), el("dd", prose(said or "a step of the kernel"))]
    summary = el("summary", f"Rules that the derivations use ({len(used)})")
    return el("details", summary, el("dl", *rows, class_="legend"), id="/rules")


def _legend(documents: Sequence[Mapping[str, Any]]) -> Markup:
    used = {(item["status"], item["strength"]) for document in documents for item in document["items"]}
    rows = [
        join([el("dt", sign(row.sign), f" {row.words}"), el("dd", row.meaning)])
        for key, row in VERDICTS.items()
        if key in used
    ]
    if not rows:
        return Markup("")
    decided = (
        "Every theorem is about real numbers, not about floating point. A claim counts as decided where it was proved "
        "or refuted, or where a printed number was settled by exact arithmetic."
    )
    misread = (
        "Misread? The command at an item shows how its line was read, token by token, and which declaration would settle "
        "it; what it writes is the smallest document that shows the same, to send along."
    )
    words = [el("p", decided), el("p", misread)]
    return el("section", el("h2", "How to read this"), *words, el("dl", *rows, class_="legend"), id="/legend")


def _footer(report: Mapping[str, Any]) -> Markup:
    run, tool = report["run"], report["tool"]
    parts = [f"Made by {tool['name']} {tool['version']}"]
    versions = run.get("versions")
    if isinstance(versions, Mapping) and versions:
        others = (f"{name} {version}" for name, version in versions.items() if name != tool["name"])
        parts.append(", ".join(others))
    devices = run.get("devices")
    if isinstance(devices, Sequence) and not isinstance(devices, str) and devices:
        parts.append("devices: " + ", ".join(str(device) for device in devices))
    if isinstance(run.get("seconds"), int | float):
        parts.append(f"{run['seconds']:.1f} s")
    return el("footer", el("p", " · ".join(parts) + "."))


def _all_items(report: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [item for document in report["documents"] for item in document["items"]]


def _slugs(paths: Sequence[str]) -> list[str]:
    """A name for each document that can stand in an address, unique within the page."""
    taken: set[str] = {"index"}
    slugs = []
    for path in paths:
        stem = re.sub(r"[^A-Za-z0-9._-]+", "-", Path(path).stem).strip("-.") or "document"
        slug, number = stem, 2
        while slug.lower() in taken:  # there are file systems that do not tell A from a
            slug, number = f"{stem}-{number}", number + 1
        taken.add(slug.lower())
        slugs.append(slug)
    return slugs
