"""`derivations report`: saved reports in other formats, and the library as pages."""

import json
from pathlib import Path

import pytest
from derivations.reports.model import read_report, validate
from derivations.reports.redact import redacted
from derivations.reports.run.library_report import library_report

from derivations.cli import main
from derivations.theorems import library, topics

GOLDEN = Path(__file__).with_name("data") / "report.json"


def test_a_saved_report_is_written_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        main(["report", str(GOLDEN), "--html", str(tmp_path / "h"), "--output", f"sarif={tmp_path / 's.sarif'}"]) == 0
    )
    assert (tmp_path / "h" / "index.html").is_file()
    assert json.loads((tmp_path / "s.sarif").read_text())["version"] == "2.1.0"
    capsys.readouterr()
    assert main(["report", str(GOLDEN), "--output", "json=-"]) == 0
    assert json.loads(capsys.readouterr().out) == read_report(GOLDEN)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "a saved report or --library"),
        ([str(GOLDEN), "--library"], "a saved report or --library"),
        ([str(GOLDEN)], "a place to write to"),
        ([str(GOLDEN), "--output", "htm=x"], "did you mean 'html'"),
        (["missing.json", "--output", "tex=-"], "cannot be read"),
    ],
)
def test_what_cannot_be_done_is_one_message(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["report", *arguments]) == 2
    said = capsys.readouterr().err
    assert words in said and said.count("\n") == 1


GOLDEN = Path(__file__).with_name("data") / "report.json"

# (a key of `run`, what stands there, what is said of it)
RUNS = [
    ("skipped", 1, "report.run.skipped"),
    ("skipped", [{"what": 1}], "report.run.skipped"),
    ("errors", "text", "report.run.errors"),
    ("errors", [None], "report.run.errors"),
    ("baseline", {"path": "b", "known": [{}], "fixed": []}, "report.run.baseline.known"),
    ("fail_on", {}, "report.run.fail_on"),
]


@pytest.mark.parametrize(("key", "value", "place"), RUNS)
def test_what_is_said_of_a_run_is_looked_at(
    key: str, value: object, place: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = json.loads(GOLDEN.read_text(encoding="utf-8"))
    report["run"][key] = value
    saved = tmp_path / "r.json"
    saved.write_text(json.dumps(report), encoding="utf-8")
    assert main(["report", str(saved), "--html", str(tmp_path / "h")]) == 2
    said = capsys.readouterr().err
    assert "damaged report" in said and place in said and said.count("\n") == 1
    assert not (tmp_path / "h").exists()


@pytest.mark.parametrize("row", ["no device", {"what": "CUDA"}, {}])
def test_what_was_not_tried_may_be_said_in_short(row: object, tmp_path: Path) -> None:
    report = json.loads(GOLDEN.read_text(encoding="utf-8"))
    report["run"]["skipped"] = [row]
    saved = tmp_path / "r.json"
    saved.write_text(json.dumps(report), encoding="utf-8")
    assert main(["report", str(saved), f"--output=html={tmp_path / 'h'}", f"--output=tex={tmp_path / 'r.tex'}"]) == 0
    shown = redacted(report, ["source"])
    validate(shown)
    assert len(shown["run"]["skipped"]) == 1 and "no device" not in json.dumps(shown["run"]["skipped"])


def test_keys_that_are_no_duty_may_be_missing(tmp_path: Path) -> None:
    report = json.loads(GOLDEN.read_text(encoding="utf-8"))
    for item in report["documents"][0]["items"]:
        for key in ("latex", "listing"):
            item.pop(key, None)
    saved = tmp_path / "r.json"
    saved.write_text(json.dumps(report), encoding="utf-8")
    kinds = ("html", "tex", "junit", "sarif", "github", "plain", "markdown", "csv")
    assert main(["report", str(saved), *(f"--output={kind}={tmp_path / kind}" for kind in kinds)]) == 0


def test_a_pdf_without_latex(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("shutil.which", lambda *_: None)
    assert main(["report", str(GOLDEN), "--output", f"pdf={tmp_path / 'r.pdf'}", "--html", str(tmp_path / "h")]) == 2
    said = capsys.readouterr().err.splitlines()
    assert said[0] == str(tmp_path / "h")
    assert said[1].startswith("derivations: ") and "needed latexmk" in said[1]
    assert (tmp_path / "r.tex").is_file()


def test_the_library_is_a_report_of_all_its_rows() -> None:
    report = library_report()
    validate(report)
    rows = {row.name: row for row in library()}
    items = {item["id"]: item for document in report["documents"] for item in document["items"]}
    assert set(rows) == {name for name, item in items.items() if item["kind"] == "claim"}
    for name, row in rows.items():
        assert items[name]["status"] == row.status
        assert f"Source: {row.source}." in items[name]["notes"]
    assert len(report["documents"]) == len(topics())
    for document in report["documents"]:
        here = {item["id"] for item in document["items"]}
        assert all(set(item["depends_on"]) <= here for item in document["items"])
        for item in document["items"]:
            uses = [d for d in document["items"] if d["id"] in item["depends_on"]]
            assert all(d["kind"] == "definition" for d in uses)
