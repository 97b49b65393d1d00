"""The numerical cross-checks of an item: errors beside their bounds as a table, and as a picture in the same rows."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from .. import decades, escape
from ..verdict_words import sizes_words
from .elements import Markup, el, scientific

_TABLE = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_PLAIN = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "−0123456789")


def checked(checks: Sequence[Mapping[str, Any]]) -> Markup | None:
    """The numerical cross-checks of one item: the worst ratio in the summary, all of them behind it."""
    if not checks:
        return None
    ratios = [c["error"] / c["bound"] for c in checks if c["error"] is not None and c["bound"]]
    within = sum(decades.known(c) and c["error"] <= c["bound"] for c in checks)
    worst = "" if not ratios else f", at most {max(ratios):.2g} of it" if max(ratios) else ", without an error"
    title = f"On numbers: {within} of {len(checks)} within their derived bound{worst}"
    return el("details", el("summary", title), check_table(checks), open=within < len(checks))


def check_table(checks: Sequence[Mapping[str, Any]]) -> Markup:
    """Errors beside their bounds; what is the same in all rows stands above."""
    sizes = [sizes_words(check["sizes"]) for check in checks]
    devices = ["CPU" if check["device"] == "cpu" else check["device"] for check in checks]
    columns = {"Backend": [check["backend"] for check in checks]}
    shared = []
    for name, values, words in (("Device", devices, "on {}"), ("Sizes", sizes, "with {}")):
        if len(set(values)) > 1:
            columns[name] = values
        elif values[0]:
            shared.append(words.format(values[0]))
    columns["Type"] = [check["dtype"] for check in checks]
    ratios = [_ratio(check) for check in checks]
    numbers = [(scientific(c["error"]), scientific(c["bound"]), ratio) for c, ratio in zip(checks, ratios, strict=True)]
    picture = _picture(checks)
    heads = [el("th", name) for name in columns]
    heads += [el("th", name, class_="number") for name in ("Error", "Bound", "Error ÷ bound")]
    rows = []
    for k, check in enumerate(checks):
        cells = [el("th", values[k]) for values in columns.values()]
        cells += [el("td", _raised(text)) for text in numbers[k]]
        if picture is not None and k == 0:
            cells.append(el("td", picture[1], rowspan=str(len(checks)), class_="picture"))
        over = decades.known(check) and check["error"] > check["bound"]
        rows.append(el("tr", *cells, class_="over" if over else None))
    head = el("tr", *heads, el("th", _raised(picture[0])) if picture is not None else None)
    table = el("table", el("thead", head), el("tbody", *rows), class_="grid checks")
    words = " ".join(shared)
    said = el("p", words[0].upper() + words[1:] + ".", class_="soft") if shared else None
    return el("div", said, table, class_="scroll")


def _raised(text: str) -> Markup:
    """Exponents as such: the raised digits of a typeface seldom match each other."""
    return Markup(re.sub("[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+", lambda x: f"<sup>{x[0].translate(_PLAIN)}</sup>", escape.html(text)))


def _ratio(check: Mapping[str, Any]) -> str:
    if not decades.known(check):
        return "–"
    error, bound = check["error"], check["bound"]
    ratio = f"{error / bound:.2g}" if bound else "0" if not error else "∞"
    return f"{ratio} (over)" if error > bound else ratio


def _picture(checks: Sequence[Mapping[str, Any]]) -> tuple[str, Markup] | None:
    """Decades from left to right, in each row the error as a dot and its bound as a stroke; and what the range is.

    An error of zero lies at the left end.
    """
    found = decades.span(checks)
    if found is None:
        return None
    low, high = found
    rows = [(k, c["error"], c["bound"]) for k, c in enumerate(checks) if decades.known(c) and decades.drawn(c["bound"])]
    places = [(decades.at(error, low, high), decades.at(bound, low, high), k + 0.5) for k, error, bound in rows]
    lines = "".join(f"M{x:g} {y:g}H{b:g}" for x, b, y in places)
    bounds = "".join(f"M{b:g} {y - 0.3:g}v.6" for _, b, y in places)
    dots = "".join(f"M{x:g} {y:g}h0" for x, _, y in places)
    said = f"10{str(low).translate(_TABLE)} to 10{str(high).translate(_TABLE)}"
    drawing = el(
        "svg",
        el("path", d=lines),
        el("path", d=bounds, class_="bound"),
        el("path", d=dots, class_="error"),
        viewBox=f"{low} 0 {high - low} {len(checks)}",
        preserveAspectRatio="none",
        role="img",
        aria_label=f"Errors and bounds by decades, {said}",
    )
    return f"● error, | bound: {said}", drawing
