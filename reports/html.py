"""The HTML report: one file, readable offline and without scripts, made from the JSON alone.

The page's policy admits one style sheet, by its hash, and nothing else: no script, no image, no font, no connection.
Every string of a document goes through `escape`; `el` does it for whatever is not already markup.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from pathlib import Path
from typing import Any

from . import escape
from .layout_reader import read_layout
from .mathml import STYLE as MATHML_STYLE
from .mathml import write_mathml
from .model import STATUSES, validate
from .snippet import write_snippet
from .words import (
    COUNT_WORDS,
    KIND_WORDS,
    ORIGIN_WORDS,
    VERDICTS,
    headline,
    place_words,
    scope_words,
    sizes_words,
    verdict,
)

_LATEX_KINDS = frozenset({"definition", "claim", "step", "hypothesis", "shape"})
_CODE_KINDS = frozenset({"code", "output", "assertion"})
_INLINE = re.compile(r"(`[^`\n]+`|(?<![\\$])\$(?=[^\s$])[^$\n]*[^\s$\\]\$(?!\d)|(?<![\\$])\$[^\s$\\]\$(?!\d))")
_VOID = frozenset({"meta", "br"})


class Markup(str):
    """Text that is markup already. Everything else is escaped where it enters the page."""

    __slots__ = ()


def el(name: str, /, *children: str | None, **attributes: str | bool | None) -> Markup:
    """An element. Children and attribute values are escaped unless they are `Markup`; None is left out.

    >>> el("p", "a < b", class_="x")
    '<p class="x">a &lt; b</p>'
    """
    written = [name]
    for key, value in attributes.items():
        if value is None or value is False:
            continue
        attribute = key.rstrip("_").replace("_", "-")
        written.append(attribute if value is True else f'{attribute}="{escape.html(str(value))}"')
    opening = f"<{' '.join(written)}>"
    return Markup(opening if name in _VOID else f"{opening}{join(children)}</{name}>")


def join(parts: Iterable[str | None]) -> Markup:
    """Pieces of a page one after the other; what is not `Markup` is escaped."""
    return Markup(
        "".join(part if isinstance(part, Markup) else escape.html(part) for part in parts if part is not None)
    )


def write_html(report: Mapping[str, Any], directory: str | Path) -> Path:
    """Write `index.html` into `directory` (made where it is missing) and return its path.

    The file appears complete or not at all: it is written beside its place and renamed. Raises ReportError where the
    report does not follow the schema, OSError where the directory cannot be written.
    """
    validate(report)
    folder = Path(directory)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "index.html"
    beside = folder / f".index.html.{os.getpid()}"
    try:
        beside.write_text(page(report), encoding="utf-8", newline="\n")
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
    return path


def page(report: Mapping[str, Any]) -> str:
    """The page as text: the same report gives the same bytes."""
    style = "\n" + Path(__file__).with_name("report.css").read_text(encoding="utf-8") + MATHML_STYLE + "\n"
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    documents = report["documents"]
    slugs = _slugs([document["path"] for document in documents])
    head = el(
        "head",
        el("meta", charset="utf-8"),
        el("meta", http_equiv="Content-Security-Policy", content=policy),
        el("meta", name="viewport", content="width=device-width, initial-scale=1"),
        el("meta", name="color-scheme", content="light dark"),
        el("meta", name="referrer", content="no-referrer"),
        el("title", "Derivation report: " + headline(_all_items(report))[1].rstrip(".")),
        el("style", Markup(style)),
    )
    body = el(
        "body",
        _opening(report, slugs),
        el(
            "main",
            *(
                _document(document, slug, alone=len(documents) == 1)
                for document, slug in zip(documents, slugs, strict=True)
            ),
            _checks(report, slugs),
            _legend(report),
        ),
        _footer(report),
    )
    return f'<!DOCTYPE html>\n<html lang="en">\n{head}\n{body}\n</html>\n'


# Words, mathematics, code


def _sign(sign: str) -> Markup:
    return el("span", sign, class_="sign", aria_hidden="true")


def prose(text: str) -> Markup:
    """A sentence: `code` between backquotes and formulas between dollar signs are set as such."""
    pieces = _INLINE.split(text)
    return join(_inline(piece) if number % 2 else piece for number, piece in enumerate(pieces))


def _inline(piece: str) -> Markup:
    return el("code", piece[1:-1]) if piece[0] == "`" else Markup(write_mathml(piece[1:-1], display=False))


def math(latex: str) -> Markup:
    """A formula on a line of its own, which scrolls where it is too wide."""
    return el("div", Markup(write_mathml(latex)), class_="math")


def _source(item: Mapping[str, Any]) -> Markup:
    """What the author wrote, set as it would be printed; the text as typed stays at hand."""
    source, kind = item["source"], item["kind"]
    if kind in _CODE_KINDS or (kind == "definition" and source.lstrip().startswith(("def ", "import "))):
        return el("pre", el("code", source))
    if kind == "prose" or not source.strip():
        return el("p", prose(source) if source.strip() else "(empty)", class_="said")
    layout = read_layout(source)
    typed = el("summary", "LaTeX as typed")
    whole = el("details", typed, el("pre", el("code", source)), class_="typed", open=bool(layout.problems))
    return join([math(source), whole])


def _reading(item: Mapping[str, Any]) -> Markup | None:
    """How the statement was understood: as a formula where a derivation gives its two ends, and in full as text."""
    if item["read"] is None:
        return None
    steps = item["steps"]
    shown = None
    if item["status"] == "proved" and len(steps) > 1 and not steps[0]["relation"]:
        relations = {step["relation"] for step in steps[1:]}
        if relations <= {"=", "≤", "<"}:
            relation = "<" if "<" in relations else "\\le" if "≤" in relations else "="
            shown = math(f"{steps[0]['term']} {relation} {steps[-1]['term']}")
    return join([shown, el("div", el("code", item["read"]), class_="read")])


# The page


def _opening(report: Mapping[str, Any], slugs: Sequence[str]) -> Markup:
    sign, sentence = headline(_all_items(report))
    counts = [
        el("li", el("b", str(report["summary"][status])), " ", COUNT_WORDS[status])
        for status in STATUSES
        if report["summary"][status]
    ]
    contents = [
        el("li", el("a", document["title"] or document["path"], href=f"#{slug}"), " ", _counted(document))
        for document, slug in zip(report["documents"], slugs, strict=True)
    ]
    return el(
        "header",
        el("h1", "Derivation report"),
        el("p", _sign(sign), sentence, class_="headline"),
        el("ul", *counts, class_="counts") if counts else None,
        el("nav", el("ul", *contents, class_="contents"), aria_label="Documents") if len(contents) > 1 else None,
    )


def _counted(document: Mapping[str, Any]) -> Markup:
    sign, sentence = headline(document["items"])
    return el("span", f"{sign} {sentence}", class_="soft")


def _document(document: Mapping[str, Any], slug: str, *, alone: bool) -> Markup:
    items = document["items"]
    aside = [item for item in items if item["status"] in {"unread", "skipped"}]
    shown = [item for item in items if item["status"] not in {"unread", "skipped"}]
    by_id = {item["id"]: item for item in items}
    sha = f"SHA-256 {document['sha256'][:16]}…" if document["sha256"] else "not hashed"
    return el(
        "section",
        el("h2", document["title"] or document["path"]),
        el("p", el("code", document["path"]), f" · {sha}", class_="path"),
        None if alone else el("p", _counted(document)),
        *(_item(item, slug, by_id) for item in shown),
        _aside(aside, slug),
        _declared(document.get("declarations", ()), slug),
        id=slug,
    )


def _declared(rows: Sequence[Mapping[str, Any]], slug: str) -> Markup | None:
    """What the author told the checker, with the reasons, and what of it does nothing."""
    if not rows:
        return None
    lines = []
    for row in rows:
        links = [join([" ", el("a", name, href=f"#{slug}/{name}")]) for name in row["items"]]
        fault = el("b", f" ✗ {row['fault']}") if row["fault"] else None
        place = f"{row['path']}, {place_words(row['where'])}: "
        lines.append(el("li", el("span", place, class_="soft"), el("code", row["text"]), *links, fault))
    return el("details", el("summary", f"Declared by the author ({len(rows)})"), el("ul", *lines, class_="plain"))


def _item(
    item: Mapping[str, Any],
    slug: str,
    by_id: Mapping[str, Mapping[str, Any]],
) -> Markup:
    row = verdict(item)
    failed = item["status"] in {"refuted", "wrong"}
    anchor = f"{slug}/{item['id']}"
    scope = scope_words(item["scope"])
    link = el("a", place_words(item["where"]), href=f"#{anchor}", aria_label=f"Link to {item['id']}")
    reading = _reading(item)
    return el(
        "article",
        el(
            "header",
            el("span", _sign(row.sign), row.words, class_="verdict"),
            el("span", KIND_WORDS[item["kind"]], f", {scope}" if scope else None, class_="kind"),
            el("span", item["id"], " · ", link, class_="where"),
        ),
        el(
            "div",
            el("div", el("span", "As written", class_="label"), _source(item)),
            None if reading is None else el("div", el("span", "As it was read", class_="label"), reading),
            class_="pair",
        ),
        el("p", prose(item["reason"]), class_="said") if item["reason"] else None,
        _counterexample(item, by_id),
        el("p", prose(item["suggestion"]), class_="said suggestion") if item["suggestion"] else None,
        _assumptions(item["assumptions"]),
        _derivation(item, failed),
        el("ul", *(el("li", prose(note)) for note in item["notes"]), class_="plain") if item["notes"] else None,
        _related(item, slug),
        id=anchor,
        class_=f"item {row.name}",
    )


def _related(item: Mapping[str, Any], slug: str) -> Markup | None:
    def links(names: Sequence[str]) -> Markup:
        pieces: list[str] = []
        for name in names:
            pieces += [", ", el("a", name, href=f"#{slug}/{name}")]
        return join(pieces[1:])

    parts: list[str] = []
    if item["depends_on"]:
        parts += ["Rests on ", links(item["depends_on"]), ". "]
    if item["linked"]:
        parts += ["Compared with ", links(item["linked"]), ". "]
    if item["code"]:
        parts += ["Finding: ", el("code", item["code"]), "."]
    return el("p", *parts, class_="soft") if parts else None


def _assumptions(rows: Sequence[Mapping[str, Any]]) -> Markup | None:
    if not rows:
        return None
    listed = []
    for origin, words in ORIGIN_WORDS.items():
        for row in rows:
            if row["origin"] == origin:
                where = f", {place_words(row['where'])}" if row["where"] else None
                listed.append(el("li", prose(row["text"]), el("span", f", {words}", where, class_="soft")))
    return join([el("h4", "Assuming"), el("ul", *listed, class_="plain")])


def _derivation(item: Mapping[str, Any], failed: bool) -> Markup | None:
    if not item["steps"]:
        return None
    rows = [
        el(
            "tr",
            el("td", _relation(step["relation"]), class_="relation"),
            el("td", math(step["term"]), class_="term"),
            el("td", prose(step["reason"]), class_="why"),
            el("td", el("code", step["rule"]) if step["rule"] else "", class_="rule"),
        )
        for step in item["steps"]
    ]
    header = el("tr", el("th", ""), el("th", "Term"), el("th", "Because"), el("th", "Rule"))
    table = el("table", el("thead", header), el("tbody", *rows), class_="grid steps")
    proof = item["proof"]
    certificate = None
    if proof is not None:
        rules = f"{proof['rules']} rule application" + ("" if proof["rules"] == 1 else "s")
        certificate = el(
            "p", f"{rules} replayed by the kernel; certificate ", el("code", proof["certificate"]), class_="soft"
        )
    title = f"Derivation, {len(rows)} line" + ("" if len(rows) == 1 else "s")
    return el("details", el("summary", title), el("div", table, class_="scroll"), certificate, open=failed)


def _relation(relation: str) -> Markup:
    return Markup(write_mathml(relation, display=False)) if relation else Markup("")


# Counterexamples


def _counterexample(item: Mapping[str, Any], by_id: Mapping[str, Mapping[str, Any]]) -> Markup | None:
    found = item["counterexample"]
    if found is None:
        return None
    inputs = [
        el("div", Markup(f"<math><mi>{escape.html(name)}</mi><mo>=</mo>{_value(value)}</math>"), class_="math")
        for name, value in found["inputs"].items()
    ]
    where = f", at {sizes_words(found['at'])}" if found["at"] else ""
    sides = None
    if found["left"] is not None or found["right"] is not None:
        left, right = ("value", "printed") if found["kind"] == "digits" else ("left side", "right side")
        unequal = (item["sympy"] or "").startswith("Unequality")  # that claim fails where the sides are equal
        sign, spoken = ("=", "equals") if unequal else ("≠", "is not equal to")
        sides = el(
            "div",
            el("span", f"{left}{where}: ", el("b", _said(found["left"])), class_="side"),
            el("span", sign, class_="differs", aria_label=spoken),
            el("span", f"{right}: ", el("b", _said(found["right"])), class_="side"),
            class_="sides",
        )
    kinds = {
        "values": "Fails at these values",
        "shape": "The declared shapes contradict each other",
        "digits": "The printed digits are not a rounding of the value",
        "distribution": "Fails for this distribution",
    }
    sizes = f", with {sizes_words(found['sizes'])}" if found["sizes"] else ""
    replayed = "Replayed in the document's own code." if found["replayed"] else None
    snippet = write_snippet(item, by_id)
    return el(
        "details",
        el("summary", kinds[found["kind"]] + sizes),
        el("div", *inputs, class_="inputs") if inputs else None,
        sides,
        el("p", replayed, class_="soft") if replayed else None,
        el("details", el("summary", snippet.title), el("pre", el("code", snippet.code))),
        open=True,
    )


def _said(value: str | None) -> str:
    return "not known" if value is None else value


def _value(value: Any) -> str:
    """An input as a number, a matrix, or a list of matrices for more than two axes."""
    if isinstance(value, Mapping):
        rows = "".join(
            f"<mtr><mtd><mtext>{escape.html(str(key))}</mtext></mtd><mtd>{_value(element)}</mtd></mtr>"
            for key, element in value.items()
        )
        return f'<mtable class="matrix">{rows}</mtable>'
    if not isinstance(value, list):
        return _number(str(value))
    if not any(isinstance(element, list) for element in value):
        # A vector stands upright, as in the text books.
        return _bracketed([[element] for element in value])
    if any(isinstance(element, list) for row in value if isinstance(row, list) for element in row):
        inner = "<mo>,</mo>".join(_value(element) for element in value)
        return f'<mrow><mo stretchy="true">(</mo>{inner}<mo stretchy="true">)</mo></mrow>'
    return _bracketed([row if isinstance(row, list) else [row] for row in value])


def _bracketed(rows: Sequence[Sequence[Any]]) -> str:
    cells = "".join(f"<mtr>{''.join(f'<mtd>{_value(cell)}</mtd>' for cell in row)}</mtr>" for row in rows)
    fence = '<mo fence="true" stretchy="true" symmetric="true">{}</mo>'
    return f'<mrow>{fence.format("[")}<mtable class="matrix">{cells}</mtable>{fence.format("]")}</mrow>'


def _number(text: str) -> str:
    match = re.fullmatch(r"(-?)(\d+)/(\d+)", text)
    if match:
        sign = "<mo>−</mo>" if match.group(1) else ""
        return f"<mrow>{sign}<mfrac><mn>{match.group(2)}</mn><mn>{match.group(3)}</mn></mfrac></mrow>"
    if re.fullmatch(r"-\d+(\.\d+)?", text):
        return f"<mrow><mo>−</mo><mn>{text[1:]}</mn></mrow>"
    return f"<mn>{escape.html(text)}</mn>"


# What was not decided, numbers, legend


def _aside(items: Sequence[Mapping[str, Any]], slug: str) -> Markup | None:
    if not items:
        return None
    rows = []
    for item in items:
        row = verdict(item)
        latex = item["kind"] in _LATEX_KINDS
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
                id=f"{slug}/{item['id']}",
            )
        )
    header = el("tr", *(el("th", words) for words in ("Place", "Status", "Source", "Reason")))
    table = el("table", el("thead", header), el("tbody", *rows), class_="grid")
    return join([el("h3", "Not read or skipped"), el("div", table, class_="scroll")])


def _checks(report: Mapping[str, Any], slugs: Sequence[str]) -> Markup:
    run = report["run"]
    anchors = {
        (document["path"], item["id"]): f"#{slug}/{item['id']}"
        for document, slug in zip(report["documents"], slugs, strict=True)
        for item in document["items"]
    }
    parts: list[str | None] = [el("h2", "Numerical cross-check")]
    if run["checks"]:
        parts.append(
            el(
                "p",
                "Each compiled definition against its exact value. The bound is derived, not chosen; a ratio above 1 "
                "would be a fault. Agreement of numbers is no proof.",
                class_="soft",
            )
        )
        parts.append(el("div", _check_table(run["checks"], anchors), class_="scroll"))
    else:
        parts.append(el("p", "Nothing was evaluated numerically."))
    skipped = run.get("skipped") or []
    if skipped:
        parts += [el("h3", "What was not tried"), el("ul", *map(_skipped, skipped), class_="plain")]
    return el("section", *parts, id="cross-check")


def _skipped(row: Any) -> Markup:
    if not isinstance(row, Mapping):
        return el("li", prose(str(row)))
    return el(
        "li", prose(str(row.get("what", "something"))), ": ", prose(str(row.get("reason", "no reason was given")))
    )


def _check_table(checks: Sequence[Mapping[str, Any]], anchors: Mapping[tuple[str, str], str]) -> Markup:
    names = ("Item", "Backend", "Device", "Type", "Sizes", "Error", "Bound", "Error ÷ bound")
    header = el("tr", *(el("th", name, class_="number" if place > 4 else None) for place, name in enumerate(names)))
    rows = []
    for check in checks:
        error, bound = check["error"], check["bound"]
        known = error is not None and bound is not None
        over = known and error > bound
        ratio = "–" if not known else f"{error / bound:.2g}" if bound else "0" if not error else "∞"
        address = anchors.get((check.get("document", ""), check["item"]))
        item = el("a", check["item"], href=address) if address else check["item"]
        rows.append(
            el(
                "tr",
                el("td", item),
                *(el("td", check[key]) for key in ("backend", "device", "dtype")),
                el("td", sizes_words(check["sizes"])),
                el("td", scientific(error), class_="number"),
                el("td", scientific(bound), class_="number"),
                el("td", f"{ratio} (over)" if over else ratio, class_="number"),
                class_="over" if over else None,
            )
        )
    return el("table", el("thead", header), el("tbody", *rows), class_="grid")


def scientific(value: float | None) -> str:
    """A number with two digits for a table; a dash where there is none.

    >>> scientific(1.23e-7), scientific(0), scientific(None)
    ('1.2 × 10⁻⁷', '0', '–')
    """
    if value is None:
        return "–"
    if value == 0:
        return "0"
    if not isfinite(value):
        return "∞" if value > 0 else "−∞" if value < 0 else "NaN"
    mantissa, _, exponent = f"{value:.1e}".partition("e")
    return f"{mantissa} × 10{str(int(exponent)).translate(str.maketrans('-0123456789', '⁻⁰¹²³⁴⁵⁶⁷⁸⁹'))}"


def _legend(report: Mapping[str, Any]) -> Markup:
    used = {(item["status"], item["strength"]) for item in _all_items(report)}
    rows = [
        join([el("dt", _sign(row.sign), f" {row.words}"), el("dd", row.meaning)])
        for key, row in VERDICTS.items()
        if key in used
    ]
    if not rows:
        return Markup("")
    decided = (
        "Every theorem is about real numbers, not about floating point. A claim counts as decided where it was proved "
        "or refuted, or where a printed number was settled by exact arithmetic."
    )
    return el("section", el("h2", "How to read this"), el("p", decided), el("dl", *rows, class_="legend"), id="legend")


def _footer(report: Mapping[str, Any]) -> Markup:
    run, tool = report["run"], report["tool"]
    parts = [f"Made by {tool['name']} {tool['version']}"]
    versions = run.get("versions")
    if isinstance(versions, Mapping) and versions:
        parts.append(", ".join(f"{name} {version}" for name, version in versions.items()))
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
    taken: set[str] = {"cross-check", "legend"}
    slugs = []
    for path in paths:
        stem = re.sub(r"[^A-Za-z0-9._-]+", "-", Path(path).stem).strip("-.") or "document"
        slug, number = stem, 2
        while slug in taken:
            slug, number = f"{stem}-{number}", number + 1
        taken.add(slug)
        slugs.append(slug)
    return slugs
