"""Plots as inline SVG, each with its numbers in a table beside it; no script, no picture file, no library.

Series differ by line, marker and name, not by colour alone; colours come from the style sheet, in light and dark.
"""

from __future__ import annotations

import base64
import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .html.elements import Markup, el, scientific
from .outputs import write_whole

WIDTH, HEIGHT, LEFT, BOTTOM, MARGIN = 560, 340, 64, 44, 14
TONES = ("--link", "--good", "--warn", "--cool", "--bad", "--soft")
STYLE = """
.plot { display: block; width: 100%; max-width: 44rem; height: auto; margin: 0.8rem 0; }
.plot.sample { display: inline-block; width: 40px; height: 12px; margin: 0; }
.plot text { font: 12px system-ui, sans-serif; fill: var(--ink); }
.plot .grid { stroke: var(--line); stroke-width: 1; }
.plot .frame { stroke: var(--soft); stroke-width: 1; fill: none; }
.plot .line { fill: none; stroke-width: 1.8; }
.plot .bound { stroke-dasharray: 6 4; }
""" + "".join(
    f".plot .tone{k} {{ stroke: var({tone}); }} .plot .mark.tone{k} {{ fill: var({tone}); stroke: none; }}\n"
    for k, tone in enumerate(TONES)
)


@dataclass(frozen=True)
class Series:
    """Points of one line; `dashed` for a bound.  Series of one `tone` belong together."""

    name: str
    points: tuple[tuple[float, float], ...]
    tone: int = 0
    dashed: bool = False


@dataclass(frozen=True)
class _Axis:
    """A logarithmic axis: decades, or powers of two where `base` is 2."""

    low: float
    high: float
    start: float
    end: float
    base: int = 10

    def at(self, value: float) -> float:
        """The place of a value, cut off at the ends."""
        low, high = math.log(self.low), math.log(self.high)
        part = (math.log(max(value, self.low)) - low) / ((high - low) or 1)
        return round(self.start + min(part, 1.0) * (self.end - self.start), 1)

    def ticks(self) -> list[float]:
        first = math.ceil(math.log(self.low, self.base) - 1e-9)
        last = math.floor(math.log(self.high, self.base) + 1e-9)
        step = max(1, math.ceil((last - first) / 8))
        return [float(self.base) ** k for k in range(first, last + 1, step)]


def line_plot(title: str, series: Sequence[Series], x_label: str, y_label: str) -> Markup:
    """Lines over logarithmic axes, a legend, and a table with a row for each point."""
    points = [p for s in series for p in s.points if p[1] > 0 and math.isfinite(p[1])]
    if not points:
        return el("p", f"{title}: no finite number above 0.")
    xs, ys = [x for x, _ in points], [y for _, y in points]
    across = _Axis(min(xs), max(xs), LEFT, WIDTH - MARGIN, 2)
    up = _Axis(_decade(min(ys), math.floor), _decade(max(ys), math.ceil), HEIGHT - BOTTOM, MARGIN)
    parts: list[Markup] = []
    for x in across.ticks():
        parts.append(
            el("line", class_="grid", x1=_n(across.at(x)), x2=_n(across.at(x)), y1=_n(up.end), y2=_n(up.start))
        )
        parts.append(el("text", f"{x:g}", x=_n(across.at(x)), y=_n(up.start + 16), text_anchor="middle"))
    for y in up.ticks():
        parts.append(
            el("line", class_="grid", x1=_n(across.start), x2=_n(across.end), y1=_n(up.at(y)), y2=_n(up.at(y)))
        )
        power = str(round(math.log10(y))).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
        parts.append(el("text", f"10{power}", x=_n(LEFT - 6), y=_n(up.at(y) + 4), text_anchor="end"))
    parts.append(el("text", x_label, x=_n((across.start + across.end) / 2), y=_n(HEIGHT - 6), text_anchor="middle"))
    for s in series:
        parts += _drawn(s, across, up)
    svg = _svg(f"{title}: {y_label} over {x_label}", WIDTH, HEIGHT, parts)
    rows = [(s.name, f"{x:g}", scientific(y)) for s in series for x, y in s.points]
    legend = el("ul", *(el("li", _sample(s), " ", s.name) for s in series), class_="plain")
    return el("figure", el("h3", title), svg, legend, _table(("Line", x_label, y_label), rows))


def _drawn(s: Series, across: _Axis, up: _Axis) -> list[Markup]:
    kind = f"tone{s.tone % len(TONES)}"
    places = [(across.at(x), up.at(y)) for x, y in s.points if math.isfinite(y)]
    line = el(
        "polyline",
        class_=f"line {kind}" + (" bound" if s.dashed else ""),
        points=" ".join(f"{_n(x)},{_n(y)}" for x, y in places),
    )
    if s.dashed:
        return [line]
    return [line, *(_mark(s.tone, x, y) for x, y in places)]


def _mark(tone: int, x: float, y: float) -> Markup:
    """A marker of the tone's own shape: square, circle, diamond in turn."""
    kind = f"mark tone{tone % len(TONES)}"
    if tone % 3 == 1:
        return el("circle", class_=kind, cx=_n(x), cy=_n(y), r="3.4")
    turned = f"rotate(45 {_n(x)} {_n(y)})" if tone % 3 == 2 else None
    return el("rect", class_=kind, x=_n(x - 3), y=_n(y - 3), width="6", height="6", transform=turned)


def _sample(s: Series) -> Markup:
    """A short piece of the line for the legend."""
    line = _drawn(Series("", ((1, 1), (2, 1)), s.tone, s.dashed), _Axis(1, 2, 4, 36), _Axis(1, 2, 6, 6))
    return el("svg", *line, class_="plot sample", viewBox="0 0 40 12", aria_hidden="true")


def heat_map(title: str, values: Sequence[Sequence[float]], log: bool = False) -> Markup:
    """A square for each entry, darker for more; with `log` by decades below the largest.  The numbers are in a table."""
    rows, columns = len(values), max(map(len, values), default=0)
    numbers = [v for row in values for v in row if math.isfinite(v)]
    if not numbers:
        return el("p", f"{title}: no finite number.")
    low, high = min(numbers), max(numbers)
    side = max(4, min(16, 480 // max(rows, columns, 1)))
    squares = []
    for i, row in enumerate(values):
        for j, v in enumerate(row):
            shade = _shade(v, low, high, log)
            squares.append(
                el("rect", class_="mark tone0", x=_n(j * side), y=_n(i * side), width=_n(side), height=_n(side),
                   fill_opacity=f"{shade:.3f}")
            )  # fmt: skip
    frame = el("rect", class_="frame", x="0", y="0", width=_n(columns * side), height=_n(rows * side))
    svg = _svg(f"{title}, {rows} rows and {columns} columns", columns * side, rows * side, [*squares, frame])
    scale = f"white {scientific(low if not log else 0)}, dark {scientific(high)}" + (
        "; each of six steps a factor of ten" if log else ""
    )
    header = ("", *(str(j) for j in range(columns)))
    body = [(str(i), *(scientific(v) for v in row)) for i, row in enumerate(values)]
    return el("figure", el("h3", title), svg, el("p", scale, class_="soft"), _table(header, body))


def _shade(value: float, low: float, high: float, log: bool) -> float:
    if not math.isfinite(value):
        return 1.0
    if log:
        return max(0.0, 1 + math.log10(value / high) / 6) if value > 0 and high > 0 else 0.0
    return (value - low) / (high - low) if high > low else 0.0


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> Markup:
    head = el("thead", el("tr", *(el("th", name) for name in header)))
    body = el(
        "tbody",
        *(el("tr", *(el("td", cell, class_="number" if k else None) for k, cell in enumerate(row))) for row in rows),
    )
    whole = el("div", el("table", head, body, class_="grid"), class_="scroll")
    return el("details", el("summary", "The numbers"), whole)


def _svg(label: str, width: float, height: float, parts: Sequence[Markup]) -> Markup:
    return el("svg", *parts, class_="plot", viewBox=f"0 0 {_n(width)} {_n(height)}", role="img", aria_label=label)


def _n(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def _decade(value: float, rounding: Any) -> float:
    return float(10.0 ** rounding(math.log10(value) + (1e-9 if rounding is math.floor else -1e-9)))


# --- a study of numbers


def study_plots(study: Mapping[str, Any]) -> Markup:
    """The plots of `numeric.growth.study`: error and bound over n for each type and backend; heat maps."""
    groups: dict[tuple[str, str, str], list[Mapping[str, Any]]] = {}
    for row in study["rows"]:
        groups.setdefault((row["dtype"], row["backend"], row["device"]), []).append(row)
    series = []
    for tone, ((dtype, backend, device), rows) in enumerate(groups.items()):
        for what in ("error", "bound"):
            points = tuple((float(r["n"]), float(r[what])) for r in rows)
            series.append(Series(f"{what}, {dtype}, {backend} on {device}", points, tone, what == "bound"))
    parts: list[str | None] = [
        el("h2", study["name"]),
        el("p", el("code", study["equation"])),
        line_plot("Error and bound at the worst entry", series, "n", "error or bound"),
    ]
    heat = study.get("heat")
    if heat:
        where = f"{heat['dtype']}, {heat['backend']} on {heat['device']}"
        parts.append(heat_map("Values", heat["values"]))
        parts.append(heat_map(f"Error of each entry ({where})", heat["errors"], log=True))
    if study["skipped"]:
        said = [el("li", f"{s['what']}: {s['reason']}") for s in study["skipped"]]
        parts += [el("h3", "What was not tried"), el("ul", *said, class_="plain")]
    return el("section", *parts)


def write_numbers(studies: Sequence[Mapping[str, Any]], path: str | Path) -> Path:
    """Write one page with the plots of all studies; returns its path.  The same studies give the same bytes."""
    style = "\n" + Path(__file__).with_name("html").joinpath("report.css").read_text(encoding="utf-8") + STYLE
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    head = el(
        "head",
        el("meta", charset="utf-8"),
        el("meta", http_equiv="Content-Security-Policy", content=policy),
        el("meta", name="viewport", content="width=device-width, initial-scale=1"),
        el("title", "Errors and their bounds"),
        el("style", Markup(style)),
    )
    note = (
        "Errors of the compiled source against expected values in ball arithmetic. The bound is derived, not chosen; "
        "an error above its bound would be a fault."
    )
    body = el("body", el("main", el("h1", "Errors and their bounds"), el("p", note), *map(study_plots, studies)))
    target = Path(path)
    write_whole(target, f'<!DOCTYPE html>\n<html lang="en">\n{head}\n{body}\n</html>\n')
    return target


__all__ = ["Series", "heat_map", "line_plot", "study_plots", "write_numbers"]
