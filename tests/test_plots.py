"""Plots: inline SVG that is well formed and escaped, with the numbers beside it; studies of errors over growing sizes."""

from __future__ import annotations

import importlib.util
import math
import re
import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from derivations.numeric.growth import study
from derivations.reports.plots import Series, heat_map, line_plot, study_plots, write_numbers
from sympy import IndexedBase, Sum, exp, symbols

from derivations import Definition

i, j, k, n, m = symbols("i j k n m", integer=True)
s, A = IndexedBase("s", shape=(n, m)), IndexedBase("A", shape=(n, m))
SOFTMAX = Definition(A[i, j], exp(s[i, j]) / Sum(exp(s[i, k]), (k, 0, m - 1)))
LINES = (
    Series("error", ((8.0, 1e-7), (16.0, 2e-7), (64.0, 5e-7))),
    Series("bound", ((8.0, 1e-6), (16.0, 2e-6), (64.0, 5e-6)), 0, True),
)


CELLS = ("td", "th")
ENDED_BY = {"td": CELLS, "th": CELLS, "tr": (*CELLS, "tr"), "tbody": (*CELLS, "tr", "thead"), "li": ("li",)}
"""Elements without an end tag, which end where one of these begins."""


class Tree(HTMLParser):
    """HTML as a tree; every other element has to be closed in order."""

    def __init__(self, markup: str) -> None:
        super().__init__()
        self.root = ElementTree.Element("root")
        self.open = [self.root]
        self.feed(markup)
        self.close()
        assert self.open == [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        while self.open[-1].tag in ENDED_BY.get(tag, ()):
            self.open.pop()
        self.open.append(ElementTree.SubElement(self.open[-1], tag, {k: v or "" for k, v in attrs}))

    def handle_endtag(self, tag: str) -> None:
        while self.open[-1].tag != tag and self.open[-1].tag in (*CELLS, "tr", "tbody", "li"):
            self.open.pop()
        assert self.open.pop().tag == tag

    def handle_data(self, data: str) -> None:
        self.open[-1].text = (self.open[-1].text or "") + data


def tree(markup: str) -> ElementTree.Element:
    return Tree(markup).root


def test_lines_have_markers_bounds_are_dashed_and_numbers_are_in_the_table() -> None:
    found = tree(line_plot("Errors", LINES, "n", "error"))
    lines = [e.get("class") for e in found.find("figure/svg").iter("polyline")]  # type: ignore[union-attr]
    assert lines == ["line tone0", "line tone0 bound"]
    marks = list(found.find("figure/svg").iter("rect"))  # type: ignore[union-attr]
    assert len(marks) == 3
    cells = [e.text for e in found.iter("td")]
    assert len(cells) == 18 and {"error", "bound", "64", "5.0 × 10⁻⁷"} <= set(cells)


def test_larger_is_further_up_and_right() -> None:
    line = tree(line_plot("Errors", LINES, "n", "error")).find("figure/svg/polyline")
    assert line is not None
    places = [tuple(map(float, p.split(","))) for p in line.get("points", "").split()]
    assert places == sorted(places) and [y for _, y in places] == sorted((y for _, y in places), reverse=True)


def test_heat_maps_shade_by_value() -> None:
    found = tree(heat_map("Weights", [[0.0, 0.5], [1.0, 0.25]]))
    shades = [float(e.get("fill-opacity", "nan")) for e in found.iter("rect") if e.get("fill-opacity")]
    assert shades == [0, 0.5, 1, 0.25]
    logs = tree(heat_map("Errors", [[0.0, 1e-9], [1e-3, 1e-6]], log=True))
    assert [float(e.get("fill-opacity", "nan")) for e in logs.iter("rect") if e.get("fill-opacity")] == [0, 0, 1, 0.5]


@pytest.mark.parametrize("bad", ["<script>alert(1)</script>", '"><img src=x>', "</svg>", "a & b"])
def test_names_are_escaped(bad: str) -> None:
    lines = (Series(bad, ((1.0, 1.0), (2.0, 2.0))),)
    for markup in (line_plot(bad, lines, bad, bad), heat_map(bad, [[1.0]])):
        found = tree(markup)
        assert not list(found.iter("script")) and not list(found.iter("img"))
        assert bad in "".join(found.itertext())


def test_nothing_and_what_is_no_number() -> None:
    assert "no finite number" in line_plot("Errors", (), "n", "error")
    assert "no finite number" in heat_map("Errors", [[math.nan]])
    odd = tree(heat_map("Errors", [[math.inf, 1.0, math.nan]]))
    assert len([e for e in odd.iter("rect") if e.get("fill-opacity")]) == 3
    single = tree(line_plot("Errors", (Series("one", ((4.0, 1e-3), (4.0, math.inf))),), "n", "error"))
    assert "nan" not in ElementTree.tostring(single.find("figure/svg"), encoding="unicode")  # type: ignore[arg-type]


def test_a_study_of_a_softmax(tmp_path: Path) -> None:
    found = study(SOFTMAX, lengths=(2, 4), grow=("n", "m"), heat=3)
    types = {(r["backend"], r["dtype"]) for r in found["rows"]}
    assert {("numpy", "float64"), ("numpy", "float32")} <= types
    if importlib.util.find_spec("torch"):
        assert ("torch", "bfloat16") in types
    assert all(0 <= r["error"] <= r["bound"] and r["ratio"] <= 1 for r in found["rows"])
    assert np.asarray(found["heat"]["values"]).shape == (3, 3) and np.allclose(np.sum(found["heat"]["values"], 1), 1)
    assert any("no CUDA device" in x["reason"] or "torch" in x["what"] for x in found["skipped"]) or any(
        r["device"] == "cuda" for r in found["rows"]
    )
    one, two = (write_numbers([found], tmp_path / name).read_text() for name in ("a.html", "b.html"))
    assert one == two and study(SOFTMAX, lengths=(2, 4), heat=3) == found
    assert not re.search(r"<script|<[^>]* (style|src|href)=", one) and "default-src 'none'" in one
    assert one.count("<svg") == 3 + 2 * len(types) and one.count("The numbers") == 3


def test_a_study_says_what_it_did_not_do() -> None:
    rows: dict[str, Any] = {"name": "x", "equation": "x := y", "rows": [], "skipped": [{"what": "a", "reason": "b"}]}
    assert "a: b" in study_plots(rows) and "no finite number" in study_plots(rows)
    with pytest.raises(ValueError, match="expected values can be computed in ball arithmetic"):
        study(SOFTMAX, lengths=(4100,), grow=("m",), others=64, dtypes=("float64",))
