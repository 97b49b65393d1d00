"""Formats of other tools: each against the schema of those tools, and with texts that would break out of it."""

import copy
import csv
import io
import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest
from derivations.reports.finding_rows import findings
from derivations.reports.model import read_report, validate
from derivations.reports.outputs import TEXTS
from derivations.reports.plain.annotations import write_github, write_plain
from derivations.reports.plain.markdown import write_markdown
from derivations.reports.redact import KINDS, redacted

DATA = Path(__file__).with_name("data")
EVIL = "</script>\"'><!--]]>%0A::error::x\n::set-output name=a::b\x00\x1b[31m\u202e\ud800 `` | @you ,:;=1+1\r##[error]x $\\input{/etc/passwd}$"
"""Something that each format must not obey."""


def golden() -> dict[str, Any]:
    return read_report(DATA / "report.json")


def changed(**run: Any) -> dict[str, Any]:
    report = golden()
    report["run"] |= run
    return report


def notebook() -> dict[str, Any]:
    report = golden()
    report["documents"][0]["path"] = "a b/lesson%.ipynb"
    for item in report["documents"][0]["items"]:
        item["where"]["cell"] = 3
    return report


def evil() -> dict[str, Any]:
    """The report with EVIL in every text of a document."""
    report = golden()
    document = report["documents"][0]
    document["path"] = document["title"] = EVIL
    for item in document["items"]:
        for name in ("source", "read", "sympy", "reason", "suggestion"):
            if item[name]:
                item[name] = EVIL
        item["notes"] = [EVIL]
        item["assumptions"] = [{**row, "text": EVIL} for row in item["assumptions"]]
    report["run"]["errors"] = [f"{EVIL}:3: {EVIL}"]
    return report


def silenced() -> dict[str, Any]:
    """One finding is expected, one is ignored, one is known."""
    report = golden()
    items = {item["id"]: item for item in report["documents"][0]["items"]}
    items["eq-4"]["silenced"] = {"how": "expected", "reason": "an exercise"}
    items["eq-9"] |= {"status": "skipped", "silenced": {"how": "ignored", "reason": "not our matter"}}
    report["summary"] |= {"unread": 0, "skipped": 2}
    report["run"]["baseline"] = {"path": "b.json", "known": [{"document": "lesson.md", "item": "out-2"}], "fixed": []}
    return report


def empty() -> dict[str, Any]:
    report = golden()
    report["documents"], report["run"] = [], {"checks": [], "errors": ["a.md: needed a file, found none of that name"]}
    report["summary"] = dict.fromkeys(report["summary"], 0)
    return report


REPORTS = {
    "golden": golden,
    "notebook": notebook,
    "evil": evil,
    "silenced": silenced,
    "empty": empty,
    "strict": lambda: changed(fail_on=["refuted", "undecided", "unread", "assumed"]),
    **{f"without {kind}": (lambda kind=kind: redacted(golden(), {kind})) for kind in KINDS},
}


@pytest.mark.parametrize("name", REPORTS)
def test_sarif_follows_its_schema(name: str) -> None:
    log = json.loads(TEXTS["sarif"](REPORTS[name]()))
    schema = json.loads((DATA / "sarif-2.1.0.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(schema, format_checker=jsonschema.FormatChecker()).validate(log)
    run = log["runs"][0]
    for result in run["results"]:
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
        for place in result["locations"]:
            location = place["physicalLocation"]["artifactLocation"]
            uri = run["artifacts"][location["index"]]["location"]["uri"]
            assert uri == location["uri"]
            assert re.fullmatch(r"[A-Za-z0-9%/._~:-]+", uri)


@pytest.mark.parametrize("name", REPORTS)
def test_junit_follows_its_schema(name: str) -> None:
    """The schema has no `file` and `line` of a case, which build servers read all the same: these alone are added."""
    xmlschema = pytest.importorskip("xmlschema", reason="pip install xmlschema")
    text = (DATA / "junit-10.xsd").read_text(encoding="utf-8")
    own = '<xs:attribute name="classname" type="xs:string"/>'
    more = '<xs:attribute name="file" type="xs:string"/><xs:attribute name="line" type="xs:positiveInteger"/>'
    assert text.count(own) == 1
    xmlschema.XMLSchema(text.replace(own, own + more)).validate(TEXTS["junit"](REPORTS[name]()))


def cases(report: dict[str, Any]) -> dict[str, tuple[str, str, str | None]]:
    """Outcome, file and line of each case, by the id of its item."""
    root = ElementTree.fromstring(TEXTS["junit"](report))
    for suite in root:
        outcomes = [child.tag for case in suite for child in case]
        assert int(suite.attrib["tests"]) == len(suite) > 0
        for tag, count in (("failure", "failures"), ("error", "errors"), ("skipped", "skipped")):
            assert int(suite.attrib[count]) == outcomes.count(tag)
    for count in ("tests", "failures", "errors"):
        assert int(root.attrib[count]) == sum(int(suite.attrib[count]) for suite in root)
    found = {}
    for case in root.iter("testcase"):
        name = re.search(r", (\S+): ", case.attrib["name"])
        key = name.group(1) if name is not None else case.attrib["name"]
        found[key] = (next((c.tag for c in case), "passed"), case.attrib.get("file", ""), case.attrib.get("line"))
    return found


def test_cases_of_junit() -> None:
    found = cases(golden())
    assert found["eq-3"] == ("passed", "lesson.md", "14")
    assert found["eq-4"] == ("failure", "lesson.md", "18")
    assert found["out-2"] == ("failure", "lesson.md", "37")
    assert {found[name][0] for name in ("eq-7", "eq-8", "eq-9")} == {"skipped"}
    assert "eq-1" not in found, "a definition is no test"
    strict = cases(changed(fail_on=["undecided", "unread", "assumed"]))
    assert {strict[name][0] for name in ("eq-8", "eq-9")} == {"failure"}
    assert strict["eq-4"][0] == "failure", "what is false never passes"
    assert {cases(silenced())[name][0] for name in ("eq-4", "eq-9", "out-2")} == {"skipped"}


def test_what_could_not_be_read_is_an_error() -> None:
    assert cases(empty()) == {"readable": ("error", "a.md", None)}
    assert write_plain(empty()) == "a.md: unreadable needed a file, found none of that name\n"
    assert write_github(empty()).startswith("::error file=a.md,title=unreadable::needed a file")
    run = json.loads(TEXTS["sarif"](empty()))["runs"][0]
    assert run["invocations"][0]["executionSuccessful"] is False
    assert run["results"][0]["ruleId"] == "unreadable"


def test_a_document_without_claims_does_not_pass() -> None:
    report = golden()
    report["documents"][0]["items"] = []
    report["summary"] = dict.fromkeys(report["summary"], 0)
    assert cases(report) == {"claims": ("skipped", "lesson.md", None)}


PLAIN = """\
lesson.md:18:3: false-claim refuted: \\sum_{i=1}^{n} A_{ij} = 1; fails at n = 2, j = 0: left side 1.1224593312018546, \
right side 1; The rows sum to one, the columns do not: did you mean $\\sum_{j} A_{ij} = 1$?
lesson.md:37:3: stale-output wrong output: 0.74; value 0.731058578630004879…, printed 0.74
lesson.md:44:3: ambiguous undecided: A_{ij} = A_{ji}^\\top; ambiguous: `A_{ji}^\\top` is an entry or a matrix
lesson.md:48:3: out-of-scope not read: \\iiint_\\Omega \\foo{x} \\, dx; integrals are outside the scope
"""


def test_plain() -> None:
    assert write_plain(golden()) == PLAIN
    assert write_plain(notebook()).startswith("a b/lesson%.ipynb:cell 3:18:3: false-claim ")
    assert write_plain(silenced()).count("\n") == 1


def test_github_annotations() -> None:
    lines = write_github(golden()).splitlines()
    assert [line.split(" ")[0] for line in lines[:-1]] == ["::error", "::error", "::warning", "::notice"]
    assert lines[0].startswith("::error file=lesson.md,line=18,endLine=18,col=3,title=false-claim::refuted: ")
    assert lines[-1] == "derivations: 10 claims, 7 decided, 2 of them false."
    first = write_github(notebook()).splitlines()[0]
    assert first.startswith("::error file=a b/lesson%25.ipynb,title=false-claim::cell 3, line 18: refuted")


def test_printed_outputs_stay_out_of_what_is_uploaded() -> None:
    """The output of the golden report is 0.74, computed 0.7310…"""
    for kind in ("sarif", "github"):
        assert "0.74" not in TEXTS[kind](golden())
        assert "0.7310" not in TEXTS[kind](golden())
    assert "0.74" in write_plain(golden())
    assert "wrong output; The code cannot have printed this." in write_github(golden())


def test_nothing_breaks_out() -> None:
    report = evil()
    for text in (write_github(report), write_plain(report)):
        lines = text.splitlines()
        assert len(lines) == 6 if "::error file=" in text else 5
        assert not any(c in text for c in "\x00\x1b\u202e\ud800\r")
        assert "##[error]" not in text or "::error file=" not in text
    for line in write_github(report).splitlines()[:-1]:
        assert re.fullmatch(r"::(error|warning|notice) (\w+=[^,:]*,?)+::[^\r\n]*", line), line
    root = ElementTree.fromstring(TEXTS["junit"](report))
    assert not {element.tag for element in root.iter()} - {
        "testsuites",
        "testsuite",
        "testcase",
        "failure",
        "skipped",
        "error",
    }
    written = TEXTS["markdown"](report)
    assert not re.search(r"(?<!\\)<(?!/?td)", re.sub(r"(`+).*?\1", "", written))
    assert "@you" not in re.sub(r"(`+).*?\1", "", written)
    for row in csv.reader(io.StringIO(TEXTS["csv"](report))):
        assert len(row) == 14
        assert not any(cell[:1] in "=+-@" and cell[:1] for cell in row)
    for kind, write in TEXTS.items():
        written = write(report).encode("utf-8", "backslashreplace").decode("utf-8")
        assert "\x00" not in written, kind
    assert json.loads(TEXTS["json"](report)) == report


def test_markdown() -> None:
    lines = write_markdown(golden()).splitlines()
    assert lines[0] == "## ✗ Derivations: 10 claims, 7 decided, 2 of them false."
    assert lines[4].startswith("| lesson.md | 2 | 4 | 1 |")
    assert lines[8].startswith(r"- `lesson.md:18:3` **false-claim** refuted `\sum_{i=1}^{n} A_{ij} = 1` fails at n = 2")
    assert write_markdown(empty()).splitlines()[2] == "Nothing was found to check."


def test_csv_has_a_row_for_each_item() -> None:
    rows = list(csv.DictReader(io.StringIO(TEXTS["csv"](golden()))))
    assert len(rows) == len(golden()["documents"][0]["items"])
    assert rows[3] | {"source": ""} == {
        "document": "lesson.md", "cell": "", "line": "18", "column": "3", "id": "eq-4", "kind": "claim",
        "status": "refuted", "strength": "", "code": "false-claim", "source": "", "read": rows[3]["read"], "reason": "",
        "suggestion": rows[3]["suggestion"], "fingerprint": golden()["documents"][0]["items"][3]["fingerprint"],
    }  # fmt: skip


# What is left out


@pytest.mark.parametrize("kinds", [["source"], ["outputs"], ["paths"], list(KINDS)])
def test_a_redacted_report_is_a_report(kinds: list[str]) -> None:
    report = redacted(golden(), kinds)
    validate(report)
    assert report["summary"] == golden()["summary"]
    assert [row.code for row in findings(report)] == [row.code for row in findings(golden())]
    for write in TEXTS.values():
        write(report)


def texts(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [text for part in value.values() for text in texts(part)]
    if isinstance(value, list):
        return [text for part in value for text in texts(part)]
    return [value] if isinstance(value, str) else []


def test_without_source_nothing_of_the_document_is_left() -> None:
    report = golden()
    secret = "SECRET"
    document = report["documents"][0]
    document["title"] = secret
    document["declarations"] = [
        {"kind": "ignore", "text": secret, "where": document["items"][0]["where"], "path": "lesson.md", "reason": secret,
         "items": [], "fault": secret}
    ]  # fmt: skip
    for item in document["items"]:
        for name in ("source", "read", "sympy", "reason", "suggestion", "listing"):
            item[name] = item[name] and secret
        item["notes"] = [secret, f"expected to be refuted: {secret}"]
        item["silenced"] = {"how": "expected", "reason": secret}
        item["assumptions"] = [{**row, "text": secret} for row in item["assumptions"]]
        item["steps"] = [{**row, "term": secret, "reason": secret} for row in item["steps"]]
        if item["counterexample"]:
            item["counterexample"] |= {
                "inputs": {secret: secret},
                "sizes": {secret: 1},
                "at": {secret: 1},
                "program": secret,
            }
    report["run"]["checks"][0]["sizes"] = {secret: 3}
    report["run"]["skipped"] = [{"what": "numerical cross-check", "reason": f"not compiled: {secret}"}]
    report["run"]["errors"] = [f"a.md: internal error, please report it: KeyError: {secret}"]
    fixed = [{"document": "a.md", "kind": "refuted", "code": "false-claim", "statement": secret}]
    report["run"]["baseline"] = {"path": "b.json", "known": [], "fixed": fixed}
    report["run"]["against"] = {"rows": [{"submission": "a", "tasks": {"t": {"why": secret}}}]}
    shown = redacted(report, ["source"])
    validate(shown)
    assert secret not in json.dumps(shown)
    assert "expected to be refuted: (redacted)" in texts(shown)


def test_without_outputs_nothing_that_was_printed_is_left() -> None:
    report = golden()
    for item in report["documents"][0]["items"]:
        if item["kind"] == "output":
            item["source"] = item["read"] = "SECRET"
    shown = redacted(report, ["outputs"])
    assert "SECRET" not in json.dumps(shown)
    assert shown["documents"][0]["items"][0] == golden()["documents"][0]["items"][0]


def test_without_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    report = golden()
    other = copy.deepcopy(report["documents"][0])
    report["documents"].append({**other, "path": "thesis/lesson.md"})
    report["summary"] = {name: 2 * count for name, count in report["summary"].items()}
    report["documents"][0]["items"][0]["notes"] = [f"from {tmp_path}/lesson.md and thesis/lesson.md", "lessons.md"]
    report["run"]["errors"] = ["thesis/secret.tex:3: needed text", str(tmp_path)]
    report["documents"][1]["items"][0]["notes"] = [
        "uses eq-3 of thesis/first chapter.md",
        "needed the file 'thesis-2.tex'",
    ]
    known = [{"document": "thesis/lesson.md", "item": "eq-4"}]
    fixed = [{"document": "thesis/gone.md", "kind": "refuted", "code": "false-claim", "statement": "x = y"}]
    report["run"]["baseline"] = {"path": "thesis/b.json", "known": known, "fixed": fixed}
    shown = redacted(report, ["paths"])
    assert [d["path"] for d in shown["documents"]] == ["document-1.md", "document-2.md"]
    assert shown["documents"][0]["items"][0]["notes"] == ["from document-1.md and document-2.md", "document.md"]
    assert [row.known for row in findings(shown) if row.path == "document-2.md"][:1] == [True]
    assert shown["run"]["errors"][0] == "document.tex:3: needed text"
    leaks = [text for text in texts(shown) if "thesis" in text or str(tmp_path) in text]
    assert leaks == []
