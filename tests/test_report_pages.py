"""What a report shows at a glance: claims, what rests on what, what changed in a line, both sides of a counterexample."""

import copy
import json
import re
from collections import Counter
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import pytest
from derivations.reports.html import overview
from derivations.reports.html import places as places_module
from derivations.reports.html.checks import _raised
from derivations.reports.html.mathml import write_row
from derivations.reports.html.overview import grounds, index_of_claims
from derivations.reports.html.pages import _told_apart, page, pages, write_html
from derivations.reports.html.places import Places, _weight, cut
from derivations.reports.layout.changes import marked
from derivations.reports.model import SCHEMA, is_expected, summarise
from derivations.reports.verdict_words import headline

GOLDEN = Path(__file__).with_name("data") / "examples.json"


def examples() -> dict:
    known = json.loads(GOLDEN.read_text(encoding="utf-8"))
    return {**known, "schema": SCHEMA, "tool": {"name": "derivations", "version": "0"}, "run": {"checks": []}}


def one_document() -> dict:
    report = examples()
    documents = report["documents"][:1]
    return {**report, "documents": documents, "summary": summarise(documents)}


class Links(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        if found.get("id"):
            self.ids.append(found["id"])
        if tag == "a":
            self.links.append(found["href"])


def test_one_document_is_one_file() -> None:
    assert list(pages(one_document())) == ["index.html"]


def test_several_documents_have_pages_whose_links_meet(tmp_path: Path) -> None:
    report = examples()
    written = pages(report)
    assert len(written) == 1 + len(report["documents"]) >= 3
    links_meet(written)
    write_html(report, tmp_path)
    assert {p.name for p in tmp_path.iterdir()} == set(written)


def links_meet(written: dict[str, str]) -> None:
    read = {name: Links(text) for name, text in written.items()}
    for name, found in read.items():
        assert len(found.ids) == len(set(found.ids))
        for link in found.links:
            file, _, anchor = link.partition("#")
            assert (file or name) in read
            assert not anchor or anchor in read[file or name].ids, (name, link)


@pytest.mark.parametrize("make", [one_document, examples])
def test_too_many_items_for_a_page_have_several(make: Callable[[], dict], monkeypatch: pytest.MonkeyPatch) -> None:
    report = make()
    whole = pages(report)
    monkeypatch.setattr(places_module, "MAX_PAGE", 15_000)
    written = pages(report)
    assert len(written) > len(whole) + 3
    links_meet(written)
    every = [name for text in written.values() for name in re.findall('<article id="([^"]*)"', text)]
    assert every == [name for text in whole.values() for name in re.findall('<article id="([^"]*)"', text)]
    together = without_files("".join(written.values()))
    articles = [article for text in whole.values() for article in re.findall("<article.*?</article>", text, re.DOTALL)]
    assert len(articles) == len(every) and all(without_files(article) in together for article in articles)
    first = next(text for name, text in written.items() if name.endswith("~1.html"))
    assert "part 1 of " in first and "Next part" in first and "Part before" not in first


def without_files(text: str) -> str:
    return re.sub('href="[^"#]*#', 'href="#', text)


def test_pieces_have_about_one_size_and_none_is_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(places_module, "MAX_PAGE", 20_000)
    items = [{"id": str(k), "source": "x" * (k % 7) * 100, "latex": None, "steps": [], "read": None} for k in range(60)]
    pieces = cut(items, {})
    assert [item for piece in pieces for item in piece] == items
    sizes = [sum(_weight(item, 0) for item in piece) for piece in pieces]
    assert max(sizes) < 1.2 * 20_000 and min(sizes) > 0.5 * max(sizes)


def test_every_claim_is_in_the_index_once() -> None:
    report = examples()
    for document in report["documents"]:
        table = str(index_of_claims(document, Places("x/")))
        names = [row.partition('href="#x/')[2].partition('"')[0] for row in table.split("<tr ")[1:]]
        assert len(names) == len(set(names))
        claims = [i["id"] for i in document["items"] if i["status"] in ("proved", "refuted", "undecided")]
        assert set(claims) <= set(names)


def test_very_many_claims_stand_in_several_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    document = one_document()["documents"][0]
    one = index_of_claims(document, Places())
    monkeypatch.setattr(overview, "MAX_ROWS", 5)
    monkeypatch.setattr(overview, "PER_TABLE", 3)
    several = index_of_claims(document, Places())
    assert one is not None
    assert several is not None
    assert one.count("<table") == 1
    assert several.count("<table") == several.count("<thead>") == 3
    assert 'aria-label="Claims 1 to 3"' in several
    assert 'aria-label="Claims 7 to 8"' in several
    assert Links(several).links == Links(one).links


def test_what_a_claim_rests_on_is_followed_to_its_end() -> None:
    items = {
        "a": {"id": "a", "depends_on": []},
        "b": {"id": "b", "depends_on": ["a"]},
        "c": {"id": "c", "depends_on": ["b", "d"]},
        "d": {"id": "d", "depends_on": ["c"]},
    }
    assert grounds(items["b"], items) == ["a"]
    assert grounds(items["c"], items) == ["a", "b", "d"]


def test_an_open_ground_is_named() -> None:
    report = one_document()
    document = copy.deepcopy(report["documents"][0])
    used = next(i for i in document["items"] if i["status"] == "proved" and i["depends_on"])
    assert "all proved" in str(index_of_claims(document, Places("x/")))
    below = next(i for i in document["items"] if i["id"] == used["depends_on"][0])
    below |= {"status": "undecided", "strength": None}
    assert f'<a href="#x/{below["id"]}">{below["id"]} (undecided)</a>' in str(index_of_claims(document, Places("x/")))


CHANGES = [
    (r"a + b", r"a + c", "c"),
    (r"\frac{a}{b}", r"\frac{a}{c + d}", "c+d"),
    (r"\sum_j A_{ij} x", r"\sum_j A_{ij} y", "y"),
    (r"\exp(x_i - m)", r"\exp(x_i)", ""),
    (r"\frac{e^{x}}{\sum_k e^{x_k}} + a", r"\frac{e^{x}}{\sum_k e^{y_k}} + a", "y"),
    (r"a", r"b", ""),
    (r"a b c d", r"w x y z", ""),
    (r"\left(a + b\right) c", r"\left(a + d\right) c", "d"),
]
"""Two lines, and the symbols that are marked in the second."""


@pytest.mark.parametrize(("before", "after", "new"), CHANGES)
def test_what_changed_is_marked(before: str, after: str, new: str) -> None:
    text = write_row(marked(before, after), display=True)
    inside = "".join(re.findall(r'<(m[a-z]+) class="new">(.*?)</\1>', text)[0][1:] if new else "")
    assert re.sub(r"<[^>]*>|\s", "", inside) == new
    plain = re.sub(r'<(m[a-z]+) class="new">(.*?)</\1>', r"\2", text)
    unmarked = write_row(marked(after, after), display=True)
    assert re.sub(r"<[^>]*>|\s", "", plain) == re.sub(r"<[^>]*>|\s", "", unmarked)


TRICKY = [r"\left(a\right)", r"\left[a\right)", r"\left|x\right|", r"\hat{x}", r"\bar{x}", r"\begin{pmatrix} a & b \\ c & d \end{pmatrix}",
          r"\begin{pmatrix} a & b \\ c & x \end{pmatrix}", r"\big( a \big)", r"\Big[ a \big)", r"\text{if $x$}", r"\text{if $y$}",
          r"\operatorname{softmax}(x)", r"\mathop{A}\limits_i", r"\overset{a}{=}", r"\overset{b}{=}", r"\sqrt[3]{x}", r"\sqrt{x}",
          r"\binom{n}{k}", r"x''_{i}^2", r"x'_{i}^2", r"{a}", "", r"\unknown", r"\displaystyle a", r"\textstyle a"]  # fmt: skip


@pytest.mark.parametrize("before", TRICKY)
def test_any_two_lines_can_be_compared(before: str) -> None:
    for after in TRICKY:
        assert write_row(marked(before, after), display=True).startswith("<")


def test_both_sides_of_a_counterexample_are_marked_where_they_differ() -> None:
    report = examples()
    refuted = [i for d in report["documents"] for i in d["items"] if i["status"] == "refuted"]
    shown = [i["counterexample"]["entries"] for i in refuted if i["counterexample"]["entries"]]
    assert shown
    text = "".join(pages(report).values())

    def flat(values: object) -> list:
        return [x for v in values for x in flat(v)] if isinstance(values, list) else [values]

    differing = sum(a != b for e in shown for a, b in zip(flat(e["left"]), flat(e["right"]), strict=True))
    assert differing and text.count('<mtd class="differs">') == 2 * differing


def test_rules_are_explained_where_they_are_named() -> None:
    text = page(one_document())
    named = set(re.findall(r'href="#rule/([a-z_]+)"', text))
    assert named and named == set(re.findall(r'id="rule/([a-z_]+)"', text))


def test_a_picture_shows_every_item_that_rests_on_another() -> None:
    report = one_document()
    items = report["documents"][0]["items"]
    used = {n for i in items for n in i["depends_on"]} | {i["id"] for i in items if i["depends_on"]}
    nodes = re.findall(r'class="node [a-z]+" aria-label="([^:]*):', page(report))
    assert set(nodes) == used


LAYERS = [
    ({"a": [], "b": ["a"]}, {("a", 0): 0, ("b", 1): 0}),
    ({"a": [], "b": ["a"], "c": ["a"]}, {("a", 0): 0, ("b", 1): 0, ("c", 1): 1}),
    ({"a": [], "b": ["a"], "c": ["a", "b"]}, {("a", 0): 0, ("a", 1): 0, ("b", 1): 1, ("c", 2): 0}),
    ({"a": [], "b": [], "c": ["b"]}, {("a", 0): 0, ("b", 0): 1, ("c", 1): 1}),
]
"""What rests on what, and the row of each item, and of each way past a column, in its column."""


@pytest.mark.parametrize(("below", "rows"), LAYERS)
def test_a_line_of_the_picture_has_a_way_past_other_items(below: dict, rows: dict) -> None:
    items = {name: {"id": name, "depends_on": names} for name, names in below.items()}
    level: dict[str, int] = {}
    for name in items:
        overview._place(name, items, level)
    assert overview._rows(below, level) == rows


def test_files_are_named_as_shortly_as_they_can_be_told_apart() -> None:
    files = Counter(["one.md", "two.md", "two.md"])
    assert _told_apart("a/one.md", files) == "one.md"
    assert _told_apart("a/two.md", files) == "a/two.md"


def test_exponents_are_raised_by_the_page() -> None:
    assert _raised("1.2 × 10⁻⁷ < 3") == "1.2 × 10<sup>−7</sup> &lt; 3"


def test_a_long_name_may_break() -> None:
    assert overview._breakable("a_b<_c") == "a_<wbr>b&lt;_<wbr>c"


def test_what_is_false_as_expected_is_not_counted_twice() -> None:
    report = one_document()
    items = copy.deepcopy(report["documents"][0]["items"])
    proved = [i for i in items if i["status"] == "proved"]
    expected = "8 claims, 8 decided, none of them false."
    assert headline(items)[1] == expected
    for item in proved[:2]:
        item |= {"status": "refuted", "strength": None, "silenced": {"how": "expected", "reason": "why"}}
    assert is_expected(proved[0])
    assert headline(items)[1] == "8 claims, 8 decided, 2 false as expected, none of the others false."


def test_numbers_stand_with_their_definition() -> None:
    report = one_document()
    path = report["documents"][0]["path"]
    definition = next(i["id"] for i in report["documents"][0]["items"] if i["status"] == "defined")
    check = {"item": definition, "document": path, "backend": "torch", "device": "cpu", "dtype": "float32"}
    report["run"]["checks"] = [{**check, "sizes": {"n": 4}, "error": e, "bound": 2e-6} for e in (1e-7, 3e-6)]
    text = page(report)
    assert "On numbers: 1 of 2 within their derived bound" in text
    assert "(over)" in text
