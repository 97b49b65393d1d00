"""The HTML page: nothing of a document becomes markup, nothing is fetched, and what it says is right."""

import base64
import copy
import hashlib
import os
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from derivations.reports.html import pages as html_module
from derivations.reports.html.elements import el, prose, scientific
from derivations.reports.html.pages import page, write_html
from derivations.reports.model import Item, Place, ReportError, claims, read_report, summarise
from derivations.reports.outputs import TEXTS
from derivations.reports.tex.article import write_tex
from derivations.reports.verdict_words import VERDICTS, headline

GOLDEN = Path(__file__).with_name("data") / "report.json"

ATTACKS = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    "</style><script>alert(1)</script>",
    "</annotation></semantics></math><script>alert(1)</script>",
    "]]><script>alert(1)</script>",
    "<!-- -->",
    "&lt;script&gt;&#60;b>",
    "$<b>x</b>$ `<i>y</i>`",
    "\\text{<svg onload=alert(1)>}",
    "\\href{javascript:alert(1)}{x}",
    "\\begin{<b>} x \\end{<b>}",
    "javascript:alert(1)",
    "\x00\x1b[31m\u202e\ud800 <a href=//example.org>",
    "\\frac{<b>}{\\unknown<i>}",
]
"""Strings that would do something if any writer passed them on."""

ELEMENT_LIST = """
html head meta title style body header h1 h2 h3 h4 p span b a ul li nav main section article div code pre details
summary table thead tbody tr th td br dl dt dd footer script svg path rect text wbr sup
small i math semantics annotation mrow mi mn mo mtext mspace msub msup msubsup munder mover munderover mfrac msqrt mroot
mtable mtr mtd mstyle mphantom
"""
ATTRIBUTE_LIST = """
lang charset http-equiv content name class id href open aria-hidden aria-label display alttext encoding stretchy
role scope tabindex data-for viewbox height x y rx d
lspace rspace largeop movablelimits form fence symmetric minsize maxsize mathvariant width displaystyle
rowspan preserveaspectratio scriptlevel accent accentunder linethickness
"""
ELEMENTS = frozenset(ELEMENT_LIST.split())
ATTRIBUTES = frozenset(ATTRIBUTE_LIST.split())


CELLS, ROWS, TERMS = {"td", "th"}, {"td", "th", "tr"}, {"dt", "dd"}
ENDED_BY = {"td": CELLS, "th": CELLS, "tr": ROWS, "tbody": ROWS | {"thead"}, "li": {"li"}, "dt": TERMS, "dd": TERMS}
"""Elements without an end tag, which end where one of these begins."""
UNENDED = ROWS | TERMS | {"thead", "tbody", "li"}


class Reader(HTMLParser):
    """Collects elements, attributes and text, and checks that elements are closed in order."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.words: list[str] = []
        self.comments: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        while self.open and self.open[-1] in ENDED_BY.get(tag, ()):
            self.open.pop()
        if tag not in {"meta", "br", "wbr"} and not self.get_starttag_text().endswith("/>"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        while self.open and self.open[-1] != tag and self.open[-1] in UNENDED:
            self.open.pop()
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    def handle_comment(self, data: str) -> None:
        self.comments.append(data)


def golden() -> dict:
    return read_report(GOLDEN)


def attacked(attack: str) -> dict:
    """The sample with the attack in every place that can hold a text of a document."""
    report = copy.deepcopy(golden())
    document = report["documents"][0]
    document["path"] = document["title"] = attack
    for item in document["items"]:
        for key in ("source", "read", "reason", "suggestion", "listing"):
            item[key] = attack if key != "listing" or item["kind"] == "code" else None
        item["notes"] = [attack]
        item["steps"] = [{"relation": attack, "term": attack, "reason": attack, "rule": attack}] * 2
        item["assumptions"] = [{"text": attack, "origin": "document", "where": None}]
        if item["counterexample"] is not None:
            item["counterexample"] |= {"left": attack, "right": attack}
            item["counterexample"]["inputs"] = {attack: [[attack]], "x": {attack: attack}, "y": [[[attack]]]}
            item["counterexample"]["at"] = item["counterexample"]["sizes"] = {attack: 1}
    for check in report["run"]["checks"]:
        check |= {"document": attack, "item": attack, "backend": attack, "device": attack, "dtype": attack}
    report["run"] |= {"skipped": [{"what": attack, "reason": attack}], "versions": {attack: attack}}
    report["run"]["devices"] = [attack]
    return report


@pytest.mark.parametrize("attack", ATTACKS)
def test_no_text_of_a_document_becomes_markup(attack: str) -> None:
    plain = Reader(page(golden()))
    reader = Reader(page(attacked(attack)))
    assert {name for name, _ in reader.elements} <= ELEMENTS
    assert {key for _, attributes in reader.elements for key in attributes} <= ATTRIBUTES
    assert reader.comments == []
    for counted in ("script", "img", "iframe", "link", "style"):
        assert sum(name == counted for name, _ in reader.elements) == sum(name == counted for name, _ in plain.elements)
    assert sum(name == "svg" for name, _ in reader.elements) <= sum(name == "svg" for name, _ in plain.elements)
    shown = re.sub("[\x00\x1b\u202e\ud800]", "\ufffd", attack)
    assert any(shown in text for text in reader.words)


@pytest.mark.parametrize("attack", ["", *ATTACKS])
def test_nothing_is_fetched_and_every_link_is_inside(attack: str) -> None:
    reader = Reader(page(attacked(attack) if attack else golden()))
    ids = [attributes["id"] for _, attributes in reader.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    links = [attributes["href"] for name, attributes in reader.elements if name == "a"]
    assert links
    for link in links:
        assert link.startswith("#")
        assert link[1:] in ids
    assert not any("src" in attributes or "style" in attributes for _, attributes in reader.elements)
    assert re.findall(r"url\([^,]*,", page(golden())) == ['url("data:font/woff2;base64,']
    assert "@import" not in page(golden())


def test_policy_admits_one_style_sheet_and_one_script_only() -> None:
    text = page(golden())
    found = {}
    for name in ("style", "script"):
        inside = re.findall(rf"<{name}>(.*?)</{name}>", text, re.DOTALL)
        assert len(inside) == 1
        found[name] = base64.b64encode(hashlib.sha256(inside[0].encode()).digest()).decode()
    policy = next(
        attributes["content"]
        for _, attributes in Reader(text).elements
        if attributes.get("http-equiv") == "Content-Security-Policy"
    )
    assert policy == (
        f"default-src 'none'; style-src 'sha256-{found['style']}'; script-src 'sha256-{found['script']}'; "
        "font-src data:; base-uri 'none'; form-action 'none'"
    )


def test_every_item_has_its_permalink_and_its_words() -> None:
    report = golden()
    reader = Reader(page(report))
    ids = {attributes["id"] for _, attributes in reader.elements if "id" in attributes}
    assert {item["id"] for item in report["documents"][0]["items"]} <= ids
    for item in report["documents"][0]["items"]:
        assert any(VERDICTS[item["status"], item["strength"]].words in text for text in reader.words)


def test_verdicts_are_told_apart_by_word_sign_and_name() -> None:
    rows = list(VERDICTS.values())
    for part in ("name", "sign", "words"):
        assert len({getattr(row, part) for row in rows}) == len(rows)
    agrees = VERDICTS["agrees", None]
    assert "✓" not in agrees.sign
    assert "proved" not in agrees.words.lower()
    style = page(golden())
    assert all(f".{row.name} " in style or f".{row.name}," in style for row in rows)


def test_refuted_is_open_and_proved_is_closed() -> None:
    text = page(golden())
    proved = text[text.index('id="eq-3"') : text.index('id="eq-4"')]
    refuted = text[text.index('id="eq-4"') : text.index('id="eq-5"')]
    assert "<details open>" not in proved
    assert "<details open><summary>Fails at these values, with n = 2</summary>" in refuted


def _items(*statuses: str) -> list[dict]:
    return [{"kind": "claim", "status": status} for status in statuses]


HEADLINES = [
    ([], "–", "No claim was found: nothing was checked."),
    (_items("undecided"), "–", "1 claim, none decided: nothing was proved or refuted."),
    (_items("agrees", "agrees"), "–", "2 claims, none decided: nothing was proved or refuted."),
    (_items("proved", "unread"), "–", "2 claims, 1 decided, none of them false."),
    (_items("proved", "holds"), "✓", "2 claims, 2 decided, none of them false."),
    (_items("proved", "refuted", "undecided"), "✗", "3 claims, 2 decided, 1 of them false."),
]


@pytest.mark.parametrize(("items", "sign", "sentence"), HEADLINES)
def test_headline_has_a_tick_only_where_all_was_decided(items: list[dict], sign: str, sentence: str) -> None:
    assert headline(items) == (sign, sentence)


def test_a_function_stands_beside_its_equation_folded_where_it_is_long() -> None:
    report = golden()
    item = next(item for item in report["documents"][0]["items"] if item["id"] == "code-1")
    assert f"<pre><code>{item['listing']}</code></pre>" in page(report)
    assert item["listing"].replace("_", r"\_").split("\n")[1].strip()[:6] in write_tex(report)
    item["listing"] += "\n    # a line" * 20
    text = page(report)
    assert '<details class="listing"><summary><code>def attention_weights(q, k):</code> 21 lines</summary>' in text


def test_wide_formulas_have_the_whole_line_and_are_printed_smaller() -> None:
    report = golden()
    item = next(item for item in report["documents"][0]["items"] if item["id"] == "eq-3")
    assert "stacked" not in page(report).partition("<body>")[2].partition('id="eq-4"')[0]
    item["source"] = item["source"].replace("1", " + ".join(f"x_{{{k}}}" for k in range(20)))
    item["steps"][-1]["term"] = " + ".join(f"x_{{{k}}}" for k in range(60))
    shown = page(report).partition('id="eq-3"')[2].partition('id="eq-4"')[0]
    assert '<div class="stacked">' in shown and '<div class="tiny"><math' in shown
    item["source"] = item["steps"][-1]["term"] + " = 1"
    assert '<div class="math tiny">' in page(report)


def test_without_the_font_the_page_names_others(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(self: Path) -> bytes:
        raise FileNotFoundError(2, "No such file", str(self))

    html_module._font.cache_clear()
    monkeypatch.setattr(Path, "read_bytes", missing)
    text = page(golden())
    monkeypatch.undo()
    html_module._font.cache_clear()
    assert "@font-face" not in text and '"Latin Modern Math", "Cambria Math"' in text
    assert Reader(text).elements


def many(count: int) -> dict:
    """The golden document again and again until it has `count` items."""
    report = golden()
    document = report["documents"][0]
    items: list[dict] = []
    while len(items) < count:
        mark = f"r{len(items)}."
        for item in document["items"]:
            names = {key: [mark + name for name in item[key]] for key in ("depends_on", "linked")}
            items.append({**item, **names, "id": mark + item["id"]})
    document["items"], report["run"]["checks"] = items, []
    report["summary"] = summarise(report["documents"])
    return report


def test_ten_thousand_items_are_written_in_every_format() -> None:
    report = many(10_000)
    found = claims(report["documents"][0]["items"])
    assert f"{len(found)} claims" in page(report)
    refuted = report["summary"]["refuted"]
    assert refuted > 700
    for kind, write in TEXTS.items():
        text = write(report)
        if kind in ("plain", "github", "csv", "json", "sarif"):
            assert text.count("false-claim") >= refuted, kind
    assert "items are too many for a picture" in page(many(400))


LONG = " + ".join(f"x_{{{k}}}" for k in range(1250))
"""5,000 tokens."""


def test_a_formula_of_5000_tokens_is_set() -> None:
    report = golden()
    item = next(item for item in report["documents"][0]["items"] if item["id"] == "eq-3")
    item["source"] = item["latex"] = LONG
    item["steps"][1]["term"] = LONG
    text = page(report)
    assert text.count("<mn>1249</mn>") == 2 and Reader(text).elements
    assert "1249" in write_tex(report)


def test_what_the_baseline_knows_is_said() -> None:
    report = golden()
    fixed = {"document": "lesson.md", "kind": "refuted", "code": "false-claim", "statement": "x < <b>"}
    report["run"]["baseline"] = {
        "path": "b.json",
        "known": [{"document": "lesson.md", "item": "eq-4"}],
        "fixed": [fixed],
    }
    text = page(report)
    refuted = text[text.index('id="eq-4"') : text.index('id="eq-5"')]
    assert "known from the baseline" in refuted.partition("</header>")[0]
    assert text.count("known from the baseline</span>") == 1
    assert "1 finding known from the baseline b.json; 1 fixed since then." in text
    assert "<li><code>lesson.md: x &lt; &lt;b&gt;</code>" in text
    written = write_tex(report)
    assert "{claim, known from the baseline}{eq-4" in written and "1 fixed since then" in written
    assert "Baseline" not in page(golden()) and "Baseline" not in write_tex(golden())


def test_a_report_without_claims_has_no_tick() -> None:
    report = golden()
    report["documents"][0]["items"] = report["documents"][0]["items"][:2]
    for item in report["documents"][0]["items"]:
        item["depends_on"], item["linked"] = [], []
    report["summary"] = summarise(report["documents"])
    report["run"]["checks"] = []
    text = page(report)
    assert "✓" not in text
    assert "nothing was checked" in text
    assert "Nothing was evaluated numerically." in text


def test_an_error_over_its_bound_is_said_in_words() -> None:
    report = golden()
    report["run"]["checks"][0]["error"] = 1.0
    assert "(over)" in page(report)


def test_same_report_gives_the_same_bytes() -> None:
    assert page(golden()) == page(golden())


def test_a_report_that_contradicts_itself_is_refused(tmp_path: Path) -> None:
    report = golden()
    report["summary"]["proved"] += 1
    with pytest.raises(ReportError, match="counts differ"):
        write_html(report, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_file_is_complete_or_absent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_html(golden(), tmp_path / "new")
    assert path == tmp_path / "new" / "index.html"
    before = path.read_bytes()

    def fails(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(os, "replace", fails)
    monkeypatch.setattr(Path, "replace", fails)
    with pytest.raises(OSError, match="disk full"):
        write_html(golden(), tmp_path / "new")
    assert path.read_bytes() == before
    assert [each.name for each in path.parent.iterdir()] == ["index.html"]


def test_documents_of_one_name_have_permalinks_of_their_own() -> None:
    report = golden()
    report["documents"] = [report["documents"][0], {**report["documents"][0], "path": "other/lesson.md"}]
    report["summary"] = summarise(report["documents"])
    ids = [attributes.get("id") for _, attributes in Reader(page(report)).elements]
    assert "lesson/eq-1" in ids
    assert "lesson-2/eq-1" in ids


PROSE = [
    ("a < b", "a &lt; b"),
    ("see `x<y`", "see <code>x&lt;y</code>"),
    ("$5 and $6", "$5 and $6"),
    ("costs $5", "costs $5"),
]


@pytest.mark.parametrize(("text", "expected"), PROSE)
def test_prose(text: str, expected: str) -> None:
    assert prose(text) == expected


def test_prose_sets_formulas() -> None:
    assert prose("each $x_i$").startswith("each <math ")


def test_elements_escape_attributes() -> None:
    assert el("p", "x", id='a"b') == '<p id="a&quot;b">x</p>'


@pytest.mark.parametrize(("value", "text"), [(None, "–"), (0.0, "0"), (1.5, "1.5 × 10⁰"), (2e-16, "2.0 × 10⁻¹⁶")])
def test_scientific(value: float | None, text: str) -> None:
    assert scientific(value) == text


def test_items_are_built_with_every_key() -> None:
    item = Item(id="a", fingerprint="b", kind="claim", where=Place(line=1), source="", status="unread")
    assert item.notes == ()


def _luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_contrast_of_text() -> None:
    """At least 4.5 to 1 for every colour of text on every background: WCAG 2.2, success criterion 1.4.3."""
    schemes = [x for x in re.findall(r":root[^{]*\{(.*?)\}", page(golden()), re.DOTALL) if "--paper" in x]
    assert len(schemes) == 4
    for scheme in schemes:
        colours = dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6})", scheme))
        for text in ("ink", "soft", "link", "good", "bad", "warn", "cool"):
            for ground in (
                ("paper", "card", "code", "bad-wash", "new") if text == "ink" else ("paper", "card", "code", "bad-wash")
            ):
                dark, light = sorted((_luminance(colours[text]), _luminance(colours[ground])))
                assert (light + 0.05) / (dark + 0.05) >= 4.5, (text, ground)
