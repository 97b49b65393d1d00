"""One item of a report as an article: what was written, how it was read, and what was found out."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from shlex import quote
from typing import Any

from .. import escape
from ..layout.changes import marked
from ..layout.reader import read_layout
from ..layout.same_look import alike
from ..layout.tree import Atom
from ..model import LATEX_KINDS
from ..snippet import write_snippet
from ..verdict_words import assumed, is_named, kind_words, place_words, scope_words, side_words, sizes_words, verdict
from .checks import checked
from .elements import Markup, el, inline, join, math, prose, sign
from .mathml import write_layout
from .places import Places

MAX_BESIDE = 22.0
"""Width of a formula in em that has room in one half of a page."""
MAX_PRINTED = (26.0, 38.0)
"""Widths in em from which on a term of a derivation is printed smaller, and much smaller."""
MAX_LISTED = 16
"""Most lines of a function that are shown beside its equation without a fold."""
MAX_COMPARED = 6_000
"""Most characters of two lines that are compared."""
_CODE_KINDS = frozenset({"code", "output", "assertion"})


def is_formula(item: Mapping[str, Any]) -> bool:
    """Whether what the author wrote is a formula, not a sentence and no code."""
    return not item.get("listing") and not _is_code(item) and item["kind"] != "prose" and bool(item["source"].strip())


def _is_code(item: Mapping[str, Any]) -> bool:
    kind = item["kind"]
    return kind in _CODE_KINDS or (kind == "definition" and item["source"].lstrip().startswith(("def ", "import ")))


def as_written(item: Mapping[str, Any]) -> Markup:
    """What the author wrote, set as it would be printed; the text as typed stays at hand."""
    source = item["source"]
    if item.get("listing"):
        return _listing(item["listing"])
    if _is_code(item):
        return el("pre", el("code", source))
    if not is_formula(item):
        return el("p", prose(source) if source.strip() else "(empty)", class_="said")
    layout = read_layout(source)
    typed = el("summary", "LaTeX as typed")
    whole = el("details", typed, el("pre", el("code", source)), open=bool(layout.problems))
    return join([math(source), whole])


def _is_wide(item: Mapping[str, Any]) -> bool:
    """Whether a formula needs the whole line, so that what was written stands above how it was read."""
    shown = [item["latex"]] if item.get("latex") else []
    if item["kind"] in LATEX_KINDS:
        shown.append(item["source"])
    return any(read_layout(latex).width > MAX_BESIDE for latex in shown)


def _listing(code: str) -> Markup:
    """A function, folded where it is long."""
    first, *rest = code.split("\n")
    whole = el("pre", el("code", code))
    if len(rest) < MAX_LISTED:
        return whole
    return el("details", el("summary", el("code", first), f" {len(rest)} lines"), whole, class_="listing")


def _reading(item: Mapping[str, Any]) -> Markup | None:
    """How the statement was understood: as a formula, and in full as text."""
    if item["read"] is None:
        return None
    return el("div", el("code", item["read"]), class_="read") if item.get("latex") is None else math(item["latex"])


def article(
    item: Mapping[str, Any],
    places: Places,
    by_id: Mapping[str, Mapping[str, Any]],
    path: str = "",
    checks: Sequence[Mapping[str, Any]] = (),
    *,
    known: bool = False,
) -> Markup:
    """An item of the document at `path`; `checks` are the rows of `run.checks` about it, `known` is in the baseline."""
    row = verdict(item)
    failed = item["status"] in {"refuted", "wrong"}
    anchor = places.anchor(item["id"])
    scope = scope_words(item["scope"])
    place = "" if is_named(item) else f" · {place_words(item['where'])}"
    kind = kind_words(item)
    link = el("a", item["id"] + place, href=f"#{anchor}")
    return el(
        "article",
        el(
            "header",
            el("h3", sign(row.sign), row.words),
            el("span", ", ".join(x for x in (kind, scope) if x)) if kind or scope else None,
            el("span", "known from the baseline") if known else None,
            link,
        ),
        _statement(item, path),
        el("p", prose(item["reason"]), class_="said") if item["reason"] else None,
        counterexample(item, by_id),
        el("p", prose(item["suggestion"]), class_="said suggestion") if item["suggestion"] else None,
        _assumptions(item["assumptions"]),
        _derivation(item, anchor, failed),
        el("ul", *(el("li", prose(note)) for note in item["notes"]), class_="plain") if item["notes"] else None,
        checked(checks),
        _related(item, places),
        id=anchor,
        class_=f"item {row.name}",
    )


def _statement(item: Mapping[str, Any], path: str) -> Markup:
    """What was written beside how it was read; once where both are the same."""
    if item["read"] is None:
        return el("div", el("div", el("small", "As written"), as_written(item)))
    misread = _misread(item, path)
    if is_formula(item) and alike(item.get("latex") or "", item["source"]):
        return el("div", el("div", el("small", "As written, and read"), as_written(item), misread), class_="stacked")
    return el(
        "div",
        el("div", el("small", "As written"), as_written(item)),
        el("div", el("small", "As it was read"), _reading(item), misread),
        class_="stacked" if _is_wide(item) else None,
    )


def _related(item: Mapping[str, Any], places: Places) -> Markup | None:
    def links(names: Sequence[str]) -> Markup:
        pieces: list[str] = []
        for name in names:
            pieces += [", ", el("a", name, href=places.href(name))]
        return join(pieces[1:])

    parts: list[str] = []
    if item["depends_on"]:
        parts += ["Rests on ", links(item["depends_on"]), ". "]
    if item.get("follows_from"):
        parts += ["Follows from ", links([item["follows_from"]]), ". "]
    if item["linked"]:
        parts += ["Compared with ", links(item["linked"]), ". "]
    if item["code"]:
        parts += ["Finding: ", el("code", item["code"]), "."]
    return el("p", *parts, class_="soft") if parts else None


def _assumptions(rows: Sequence[Mapping[str, Any]]) -> Markup | None:
    if not rows:
        return None
    listed = [el("li", prose(text), el("span", f", {words}")) for text, words in assumed(rows)]
    return join([el("h4", "Assuming"), el("ul", *listed, class_="plain")])


def _misread(item: Mapping[str, Any], path: str) -> Markup | None:
    """The reading as text, and the command that says how it came about."""
    text = el("p", el("code", item["read"])) if item.get("latex") is not None else None
    if item["status"] == "skipped" or not path:
        return None if text is None else el("details", el("summary", "As text"), text)
    where = item["where"]
    cell = f":{where['cell']}" if where.get("cell") is not None else ""
    place = f"{path}{cell}:{where['line']}"
    command = el("code", f"derivations explain {quote(place)} ", el("span", "--bug-report misread.md", class_="whole"))
    title = "As text; misread?" if text is not None else "Misread?"
    return el("details", el("summary", title), text, el("p", command))


def _derivation(item: Mapping[str, Any], anchor: str, failed: bool) -> Markup | None:
    if not item["steps"]:
        return None
    rows = []
    before: str | None = None
    for number, step in enumerate(item["steps"], 1):
        name = f"{anchor}/{number}"
        rows.append(
            el(
                "tr",
                el("td", _relation(step["relation"])),
                el("td", _changed(before, step["term"])),
                el("td", prose(step["reason"])),
                el("td", _rule(step["rule"])),
                el("td", el("a", str(number), href=f"#{name}")),
                id=name,
            )
        )
        before = step["term"] if step["relation"] not in ("case",) else None
    first = el("th", el("span", "Relation", class_="unseen"))
    header = el("tr", first, *(el("th", name) for name in ("Term", "Because", "Rule", "Line")))
    table = el("table", el("thead", header), el("tbody", *rows), class_="grid steps")
    proof = item["proof"]
    certificate = None
    if proof is not None:
        rules = f"{proof['rules']} rule application" + ("" if proof["rules"] == 1 else "s")
        certificate = el(
            "p",
            f"{rules} replayed by the kernel; certificate ",
            el("code", f"{proof['certificate'][:16]}…"),
            class_="soft",
        )
    title = f"Derivation, {len(rows)} line" + ("" if len(rows) == 1 else "s")
    return el("details", el("summary", title), el("div", table, class_="scroll"), certificate, open=failed)


def _changed(before: str | None, term: str) -> Markup:
    """A line of a derivation, with what is new in it marked."""
    layout = read_layout(term)
    if before is None or max(len(before), len(term)) > MAX_COMPARED:
        row = layout.root
    else:
        row = marked(before, term)
    written = Markup(write_layout(row, term, display=None, annotated=False))
    size = sum(layout.width > limit for limit in MAX_PRINTED)
    return el("div", written, class_=("small", "tiny")[size - 1]) if size else written


def _relation(latex: str) -> Markup | str:
    """A relation as the sign that it is, or else as a formula."""
    row = read_layout(latex).root
    return (
        row.items[0].text if len(row.items) == 1 and isinstance(row.items[0], Atom) else inline(latex) if latex else ""
    )


def _rule(name: str | None) -> Markup | str | None:
    """A rule of the kernel, as a link to what it says."""
    return el("a", name, href=f"#rule/{name}") if name and is_rule(name) else name


def is_rule(name: str) -> bool:
    """Whether a rule has a name of the kernel's kind, which can stand in an address."""
    return re.fullmatch(r"[a-z][a-z0-9_]*", name) is not None


# Counterexamples


def counterexample(item: Mapping[str, Any], by_id: Mapping[str, Mapping[str, Any]]) -> Markup | None:
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
        left, right = side_words(found["kind"])
        unequal = (item["sympy"] or "").startswith("Unequality")  # that claim fails where the sides are equal
        seen, spoken = ("=", "equals") if unequal else ("≠", "is not equal to")
        sides = el(
            "div",
            el("span", f"{left}{where}: ", el("b", _said(found["left"])), class_="side"),
            el("span", sign(seen), el("span", spoken, class_="unseen"), class_="differs"),
            el("span", f"{right}: ", el("b", _said(found["right"])), class_="side"),
            class_="sides",
        )
    kinds = {
        "values": "Fails at these values",
        "shape": "The declared shapes contradict each other",
        "digits": "The printed digits are not a rounding of the value",
        "distribution": "Fails for this distribution",
    }
    entries = _both_sides(found)
    sizes = f", with {sizes_words(found['sizes'])}" if found["sizes"] else ""
    replayed = "Replayed in the document's own code." if found["replayed"] else None
    snippet = write_snippet(item, by_id)
    return el(
        "details",
        el("summary", kinds[found["kind"]] + sizes),
        el("div", *inputs, class_="inputs") if inputs else None,
        sides,
        entries,
        el("p", replayed, class_="soft") if replayed else None,
        el("details", el("summary", snippet.title), el("pre", el("code", snippet.code))),
        open=True,
    )


def _both_sides(found: Mapping[str, Any]) -> Markup | None:
    """Both sides as small matrices, with every entry marked in which they differ."""
    entries = found.get("entries")
    if entries is None:
        return None
    left, right = entries["left"], entries["right"]
    names = ", ".join(entries["indices"])
    return el(
        "div",
        el("div", el("small", f"Left side over {names}"), _matrix(left, right)),
        el("div", el("small", f"Right side over {names}"), _matrix(right, left)),
        class_="inputs",
    )


def _matrix(values: Any, others: Any) -> Markup:
    rows = [v if isinstance(v, list) else [v] for v in values]
    beside = [v if isinstance(v, list) else [v] for v in others]
    cells = "".join(
        "<mtr>"
        + "".join(
            f'<mtd class="differs">{_entry(a)}</mtd>' if a != b else f"<mtd>{_entry(a)}</mtd>"
            for a, b in zip(row, other, strict=True)
        )
        + "</mtr>"
        for row, other in zip(rows, beside, strict=True)
    )
    fence = '<mo fence="true" stretchy="true" symmetric="true">{}</mo>'
    table = f'<mtable class="matrix compared">{cells}</mtable>'
    return el("div", Markup(f"<math><mrow>{fence.format('[')}{table}{fence.format(']')}</mrow></math>"), class_="math")


def _entry(value: str | None) -> str:
    return "<mtext>–</mtext>" if value is None else _number(value)


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
