"""`compare`: each kind of change is in its section, whatever moved."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from derivations.reports.html.difference import MEANINGS, difference_page
from derivations.reports.model import read_report, summarise
from derivations.reports.plain.difference import SECTIONS, differences, write_json, write_markdown, write_text
from derivations.reports.redact import redacted

from derivations.cli import main

GOLDEN = Path(__file__).with_name("data") / "report.json"


def golden() -> dict[str, Any]:
    return read_report(GOLDEN)


def items(report: dict[str, Any]) -> dict[str, Any]:
    return {item["id"]: item for item in report["documents"][0]["items"]}


def open_again(item: dict[str, Any]) -> None:
    item.update(status="undecided", strength=None, reason="search ended", proof=None, counterexample=None)


def refute(item: dict[str, Any]) -> None:
    item.update(status="refuted", strength=None, proof=None, counterexample=items(golden())["eq-4"]["counterexample"])


def prove(item: dict[str, Any]) -> None:
    same = items(golden())["eq-3"]
    item.update(status="proved", strength="unconditional", reason=None, proof=same["proof"], counterexample=None)


def rewrite(item: dict[str, Any]) -> None:
    item.update(source=item["source"].replace("1", "2"), fingerprint="f" * 16)


def under_another_heading(item: dict[str, Any]) -> None:
    item.update(fingerprint="e" * 16)


# (which item, what happens to it, the section that it is in)
CHANGES = [
    ("eq-3", refute, "newly refuted"),
    ("eq-3", open_again, "no longer proved"),
    ("eq-4", prove, "newly proved"),
    ("eq-4", open_again, "no longer refuted"),
    ("eq-4", rewrite, "changed statements"),
    ("eq-1", lambda i: i.update(source=i["source"] + " + 2", fingerprint="f" * 16), "changed statements"),
    ("eq-3", lambda i: i.update(strength="fixed-sizes"), "other verdicts"),
    ("eq-3", under_another_heading, "unchanged"),
    ("eq-4", lambda i: i.update(silenced={"how": "expected", "reason": "an exercise"}), "no longer refuted"),
    ("eq-3", lambda i: i["where"].update(line=900), "unchanged"),
]


@pytest.mark.parametrize(("name", "change", "section"), CHANGES, ids=lambda v: v if isinstance(v, str) else "")
def test_sections(name: str, change: Any, section: str) -> None:
    old, new = golden(), golden()
    change(items(new)[name])
    found = differences(old, new)
    count = len(items(old))
    (moved,) = [c for c in found[section] if c.item["id"] == name]
    assert moved.old == items(old)[name]
    others = [c for s in SECTIONS if s != section for c in found[s]]
    assert others == [], section
    assert len(found["unchanged"]) == count - (section != "unchanged")


def test_new_and_gone() -> None:
    old, new = golden(), golden()
    lost = old["documents"][0]["items"].pop(3)
    found = differences(old, new)
    assert [c.item["id"] for c in found["newly refuted"]] == [lost["id"]], "what is new and false comes first"
    found = differences(new, old)
    assert [c.item for c in found["gone"]] == [lost]
    found = differences({**old, "documents": []}, new)
    assert len(found["new"]) + len(found["newly refuted"]) + len(found["newly proved"]) == len(items(new))


def test_text_that_is_put_in_changes_nothing_else() -> None:
    old, new = golden(), golden()
    added = copy.deepcopy(items(new)["eq-3"])
    added.update(id="eq-99", fingerprint="a" * 16, source=r"\prod_k B_k = 1")
    new["documents"][0]["items"].insert(0, added)
    for item in new["documents"][0]["items"]:
        item["where"]["line"] += 40
    found = differences(old, new)
    assert [c.item["id"] for c in found["newly proved"]] == ["eq-99"]
    assert len(found["unchanged"]) == len(items(old))


def test_a_document_that_was_renamed() -> None:
    old, new = golden(), golden()
    new["documents"][0]["path"] = "chapter.md"
    assert len(differences(old, new)["unchanged"]) == len(items(old))
    new["documents"][0]["sha256"] = None
    assert len(differences(old, new)["unchanged"]) == len(items(old)), "the only ones left"


def chapters(*paths: str) -> dict[str, Any]:
    """A report of the golden document again and again, each with statements of its own."""
    report = golden()
    (document,) = report["documents"]
    report["documents"] = []
    for number, path in enumerate(paths):
        own = copy.deepcopy(document)
        own.update(path=path, sha256=f"{path}{number}")
        for k, item in enumerate(own["items"]):
            item.update(source=f"{item['source']} + {number}", fingerprint=f"{number:08x}{k:08x}")
        report["documents"].append(own)
    return report


def test_documents_that_were_renamed_and_edited() -> None:
    old, new = chapters("a/x.md", "a/y.md", "a/z.md"), chapters("b/x.md", "b/why.md", "b/z.md")
    for number, document in enumerate(new["documents"]):
        document["items"][number].update(source="something else", fingerprint="e" * 16)
    new["documents"].reverse()
    found = differences(old, new)
    count = sum(len(d["items"]) for d in old["documents"])
    assert len(found["unchanged"]) == count - 3
    assert {c.path.rpartition("/")[2]: c.old["source"][-1] for c in found["unchanged"] if c.old} == {
        "x.md": "0", "why.md": "1", "z.md": "2",
    }  # fmt: skip


def test_a_statement_that_moved_to_another_document() -> None:
    old, new = chapters("x.md", "y.md"), chapters("x.md", "y.md")
    moved = next(i for i in new["documents"][0]["items"] if i["status"] == "refuted")
    new["documents"][0]["items"].remove(moved)
    new["documents"][1]["items"].append({**moved, "fingerprint": "d" * 16})
    found = differences(old, new)
    assert [c for name in SECTIONS for c in found[name]] == []
    assert [c.path for c in found["unchanged"] if c.new and c.new["fingerprint"] == "d" * 16] == ["y.md"]


def test_what_is_left_out_tells_nothing_apart() -> None:
    """Redacted statements are known by their fingerprints alone: another one is new, however it is shown."""
    old, new = golden(), golden()
    item = items(new)["eq-4"]
    item.update(source="another false statement", fingerprint="c" * 16)
    found = differences(redacted(old, ["source"]), redacted(new, ["source"]))
    assert [c.item["id"] for c in found["newly refuted"]] == ["eq-4"]
    assert [c.item["id"] for c in found["gone"]] == ["eq-4"]
    assert len(found["unchanged"]) == len(items(old)) - 1


def test_a_report_and_itself() -> None:
    found = differences(golden(), golden())
    assert write_text(found) == f"no difference; {len(items(golden()))} unchanged\n"
    assert json.loads(write_json(found))["unchanged"] == len(items(golden()))


EXPECTED = """\
newly refuted (1)
  lesson.md:14:3  refuted: \\sum_{j=2}^{n} A_{ij} = 2
      was proved
      was \\sum_{j=1}^{n} A_{ij} = 1

gone (1)
  lesson.md:44:3  undecided: A_{ij} = A_{ji}^\\top

1 newly refuted, 1 gone; 11 unchanged
"""


def changed(tmp_path: Path) -> Path:
    new = golden()
    refute(items(new)["eq-3"])
    rewrite(items(new)["eq-3"])
    new["documents"][0]["items"].remove(items(new)["eq-8"])
    new["summary"] = summarise(new["documents"])
    path = tmp_path / "new.json"
    path.write_text(json.dumps(new), encoding="utf-8")
    return path


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    new = str(changed(tmp_path))
    assert main(["compare", str(GOLDEN), new]) == 1
    assert capsys.readouterr().out == EXPECTED
    assert main(["compare", new, str(GOLDEN)]) == 0
    assert "newly proved (1)" in capsys.readouterr().out
    assert main(["compare", str(GOLDEN), new, "--format", "markdown"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "## Derivations: 1 newly refuted, 1 gone; 11 unchanged"
    assert (
        r"- `lesson.md:14:3` refuted `\sum_{j=2}^{n} A_{ij} = 2`, was proved, was `\sum_{j=1}^{n} A_{ij} = 1`" in lines
    )
    assert main(["compare", str(GOLDEN), new, "--format", "json"]) == 1
    assert json.loads(capsys.readouterr().out)["changes"]["gone"][0]["old"]["id"] == "eq-8"


def test_the_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    new = str(changed(tmp_path))
    assert main(["compare", str(GOLDEN), new, "--html", str(tmp_path / "what")]) == 1
    assert capsys.readouterr().out == EXPECTED
    text = (tmp_path / "what" / "index.html").read_text(encoding="utf-8")
    assert "1 newly refuted, 1 gone; 11 unchanged." in text
    refuted = text.partition('<section id="newly-refuted">')[2].partition("</section>")[0]
    assert refuted.count("<article") == 1 and "was: proved" in refuted and "Fails at these values" in refuted
    before, _, now = refuted.partition("<small>Now</small>")
    assert "<mn>1</mn>" in before and '<mn class="new">2</mn>' in now
    gone = text.partition('<section id="gone">')[2].partition("</section>")[0]
    assert gone.count('<tr class="undecided">') == 1 and "lesson.md" in gone
    assert main(["compare", new, new, "--html", str(tmp_path / "what")]) == 0
    assert "Both reports say the same" in (tmp_path / "what" / "index.html").read_text(encoding="utf-8")
    assert main(["compare", new, new, "--html", new]) == 2
    assert "needed a folder for the HTML report, found a file" in capsys.readouterr().err


@pytest.mark.parametrize("section", SECTIONS)
def test_every_section_has_its_words(section: str) -> None:
    assert MEANINGS[section].endswith(".")


# (content, a part of the message)
BAD = [
    (None, "cannot be read: No such file or directory"),
    ("{", ": damaged report, not JSON: "),
    ("[]", 'needs an object with "schema": "derivations-report/1"'),
    ('{"schema": "derivations-report/2"}', "written by a newer version (derivations-report/2); this version reads"),
    ('{"schema": "other/1"}', "needs schema derivations-report/1, found 'other/1'"),
    ('{"schema": "derivations-report/1"}', "damaged report: report: needs the key 'tool'"),
]


@pytest.mark.parametrize(("content", "message"), BAD)
def test_reports_that_are_none(
    content: str | None, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "bad.json"
    if content is not None:
        path.write_text(content, encoding="utf-8")
    for given in ([str(GOLDEN), str(path)], [str(path), str(GOLDEN)]):
        assert main(["compare", *given]) == 2
        said = capsys.readouterr()
        assert said.out == "" and said.err.startswith(f"derivations: {path}") and message in said.err
        assert said.err.count("\n") == 1


def test_nothing_of_a_document_is_obeyed() -> None:
    new = golden()
    document = new["documents"][0]
    document["path"] = "\x1b[2J\n.md"
    for item in document["items"]:
        item["source"] = item["suggestion"] = "\x1b[31m`x`\n<script>\u202e"
    found = differences(golden(), new)
    for text in (write_text(found), write_markdown(found)):
        assert not any(c in text for c in "\x1b\u202e")
    page = difference_page(found, golden(), new)
    assert not any(c in page for c in "\x1b\u202e") and page.count("<script>") == 1
    assert all(line.startswith(("#", "- ", "")) for line in write_markdown(found).splitlines())
