"""`check` as people call it: several reports at once, what fails, what is known, and places that cannot be written."""

import json
import os
import shutil
import socket
from pathlib import Path
from xml.etree import ElementTree

import pytest
from derivations.reports import outputs
from derivations.reports.model import read_report
from derivations.reports.outputs import KINDS, OutputError, read_output, write_whole
from derivations.reports.run.baseline import SCHEMA
from derivations.reports.tex import article

from derivations import project
from derivations.cli import main

RIGHT = "Let $S \\in \\mathbb{R}^{n \\times n}$.\n\n$$ A_{ij} = \\frac{\\exp(S_{ij})}{\\sum_k \\exp(S_{ik})} $$\n\n"
CLAIM = "$$ \\sum_j A_{ij} = 1 $$\n\n"
WRONG = "$$ \\sum_i A_{ij} = 1 $$\n\n"
OTHER = "$$ \\sum_j A_{ij} = 2 $$\n\n"
UNREAD = "$$ x = \\oint y $$\n\n"


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project.forget()
    monkeypatch.chdir(tmp_path)


def write(text: str, name: str = "a.md") -> str:
    Path(name).write_text(text, encoding="utf-8")
    return name


def check(*arguments: str) -> int:
    return main(["check", "--device", "cpu", *arguments])


def test_several_reports_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    places = {"html": "out/html", "json": "out/r.json", "sarif": "out/r.sarif", "junit": "out/r.xml", "tex": "r.tex",
              "github": "gh.txt", "plain": "plain.txt", "markdown": "r.md2", "csv": "r.csv"}  # fmt: skip
    assert set(places) | {"pdf"} == set(KINDS)
    given = [f"--output={kind}={place}" for kind, place in places.items()]
    assert check(write(RIGHT + CLAIM + WRONG), *given) == 1
    said = capsys.readouterr()
    assert said.err == ""
    assert "3 claims" not in said.out and "2 claims, 2 decided, 1 of them false" in said.out
    assert Path("out/html/index.html").is_file()
    assert read_report("out/r.json")["summary"]["refuted"] == 1
    assert len(json.loads(Path("out/r.sarif").read_text())["runs"][0]["results"]) == 1
    assert ElementTree.parse("out/r.xml").getroot().attrib["failures"] == "1"
    assert Path("plain.txt").read_text().startswith("a.md:7:4: false-claim refuted: ")
    assert list(Path().rglob("*.part")) == []
    assert check("a.md", "--html", "out/html", "--json", "out/r.json") == 1, "what is there is replaced"


PRINTED = {"plain": "a.md:7:4: false-claim", "github": "::error file=a.md,line=7", "json": '{\n "documents"', "csv": "document,",
           "sarif": '{\n "$schema"', "junit": "<?xml", "markdown": "## ✗ Derivations", "tex": "\\documentclass"}  # fmt: skip


@pytest.mark.parametrize("kind", PRINTED)
def test_printed(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    write(RIGHT + CLAIM + WRONG)
    assert check("a.md", "--format", kind) == 1
    assert capsys.readouterr().out.startswith(PRINTED[kind])


def test_json_on_standard_output_is_json_alone(capsys: pytest.CaptureFixture[str]) -> None:
    write(RIGHT + CLAIM)
    for given in (["--json", "-"], ["--output", "json=-"], ["--format", "json"]):
        assert check("a.md", *given) == 0
        assert json.loads(capsys.readouterr().out)["summary"]["proved"] == 1


# (arguments, a part of the message)
USAGE = [
    (["--output", "html"], "--output: needed KIND=PATH, such as html=report, found 'html'"),
    (["--output", "junitt=x"], "needed a kind of report, found 'junitt'; did you mean 'junit'?"),
    (["--output", "html=-"], "--output: needed a path for html, which is no text, found '-'"),
    (["--output", "json=-", "--format", "plain"], "needed one report on standard output, found json and plain"),
    (["--json", "r", "--tex", "r"], "r: needed one output for each place, found two"),
    (["--html", "file"], "file: needed a folder for the HTML report, found a file"),
    (["--json", "o", "--csv", "./o"], "o: needed one output for each place, found two"),
    (["--html", ".", "--csv", "index.html"], "needed one output for each place, found two"),
    (["--json", "folder"], "folder: needed a file for json, found a folder"),
    (["--json", "file/r.json"], "needed a folder that can be written, found: "),
    (["--html", "file/r"], "needed a folder that can be written, found: "),
    (["--baseline", "none.json"], "none.json: needed a baseline, found none; --write-baseline makes one"),
    (["--baseline", "file"], "file: damaged baseline, not JSON: "),
    (["--baseline", "other.json"], "other.json: needed a baseline, found another file"),
    (["--baseline", "newer.json", "--write-baseline"], "newer.json: needed derivations-baseline/1, found derivations-baseline/2"),
    (["--baseline", "newer.json"], "newer.json: needed derivations-baseline/1, found derivations-baseline/2: update"),
    (["--baseline", "rows.json"], "rows.json: damaged baseline: needed findings with document, kind and fingerprint"),
    (["--baseline", "file", "--write-baseline"], "file: needed a baseline to write over, found another file"),
    (["--baseline", "a.md", "--write-baseline"], "a.md: needed a baseline to write over, found another file"),
]  # fmt: skip


@pytest.mark.parametrize(("given", "message"), USAGE, ids=[" ".join(row[0]) for row in USAGE])
def test_what_cannot_be_done_is_said(given: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    document = RIGHT + WRONG
    write(document)
    write("words", "file")
    write('{"schema": "derivations-report/1"}', "other.json")
    write('{"schema": "derivations-baseline/2", "findings": []}', "newer.json")
    write(json.dumps({"schema": SCHEMA, "findings": [{"document": "a.md"}]}), "rows.json")
    Path("folder").mkdir()
    before = sorted(Path().rglob("*"))
    assert check("a.md", *given) == 2
    said = capsys.readouterr()
    assert message in said.err and said.err.startswith("derivations: ") and said.err.count("\n") == 1
    assert sorted(Path().rglob("*")) == before
    assert Path("a.md").read_text(encoding="utf-8") == document


def test_options_that_are_no_kinds(capsys: pytest.CaptureFixture[str]) -> None:
    for given, known in (
        (["--fail-on", "refuted,wrong"], "undecided"),
        (["--redact", "names"], "source, outputs, paths"),
    ):
        with pytest.raises(SystemExit) as stopped:
            check("a.md", *given)
        assert stopped.value.code == 2
        assert known in capsys.readouterr().err


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_folder(capsys: pytest.CaptureFixture[str]) -> None:
    write(RIGHT)
    Path("locked").mkdir(mode=0o500)
    assert check("a.md", "--html", "locked") == 2
    assert "locked: needed a folder that can be written, found: Permission denied" in capsys.readouterr().err


def test_a_folder_that_is_locked_meanwhile(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """What was there stays as it was; the message names the place."""
    write(RIGHT)
    write("before", "r.json")

    def full(self: Path, data: bytes) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    assert check("a.md", "--json", "r.json") == 2
    assert "r.json: needed a place that can be written, found: No space left on device" in capsys.readouterr().err
    assert Path("r.json").read_text() == "before"


def test_all_pages_are_written_or_none(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """A disk that is full at the second page leaves the report that was there, and nothing beside it."""
    write(RIGHT + CLAIM, "a.md"), write(RIGHT + WRONG, "b.md")
    assert check("a.md", "b.md", "--html", "pages") == 1
    before = {path.name: path.read_bytes() for path in Path("pages").iterdir()}
    assert sorted(before) == ["a.html", "b.html", "index.html"]
    write(RIGHT + WRONG, "a.md")
    written, real = [], Path.write_bytes

    def full(self: Path, data: bytes) -> int:
        written.append(self)
        if len(written) > 1:
            raise OSError(28, "No space left on device")
        return real(self, data)

    monkeypatch.setattr(Path, "write_bytes", full)
    assert check("a.md", "b.md", "--no-cache", "--html", "pages") == 2
    assert "pages: needed a place that can be written, found: No space left on device" in capsys.readouterr().err
    assert len(written) == 2
    assert {path.name: path.read_bytes() for path in Path("pages").iterdir()} == before


def test_pages_of_an_earlier_report_go_and_nothing_else_does() -> None:
    write(RIGHT + CLAIM, "a.md"), write(RIGHT + CLAIM, "B.md"), write(RIGHT + CLAIM, "b.md")
    assert check("a.md", "B.md", "b.md", "--html", "pages") == 0
    pages = Path("pages")
    assert sorted(p.name for p in pages.iterdir()) == ["B.html", "a.html", "b-2.html", "index.html"]
    shutil.copy(pages / "index.html", pages / "kept.html")
    write("<p>mine", "pages/b-2.html")
    assert check("b.md", "--html", "pages") == 0
    assert sorted(p.name for p in pages.iterdir()) == ["b-2.html", "index.html", "kept.html"]
    write('<a href="kept.html">mine', "pages/index.html")
    assert check("b.md", "--html", "pages") == 0
    assert (pages / "kept.html").is_file()


def test_written_whole_or_not_at_all() -> None:
    write_whole(Path("new/file.txt"), "a")
    write_whole(Path("new/file.txt"), "b\ud800")
    assert Path("new/file.txt").read_bytes() == b"b\\ud800"
    assert [p.name for p in Path("new").iterdir()] == ["file.txt"]
    with pytest.raises(OutputError):
        read_output("=x")


@pytest.mark.skipif(not Path("/dev/null").exists(), reason="needs a device")
def test_a_device_keeps_its_place() -> None:
    assert check(write(RIGHT), "--json", "/dev/null") == 0
    assert not Path("/dev/null").is_file()


def test_a_pdf_without_latex(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(shutil, "which", lambda *_: None)
    assert check(write(RIGHT + CLAIM), "--pdf", "out/r.pdf") == 2
    said = capsys.readouterr()
    assert said.err == (
        f"derivations: {Path('out/r.pdf')}: needed latexmk (TeX Live, MiKTeX) for a PDF, found none; "
        f"its source is {Path('out/r.tex')}\n"
    )
    assert "1 claim, 1 decided" in said.out
    assert Path("out/r.tex").read_text(encoding="utf-8").startswith(r"\documentclass")


def test_a_pdf(monkeypatch: pytest.MonkeyPatch) -> None:
    def compiled(source: Path) -> Path:
        assert source.read_text(encoding="utf-8").startswith(r"\documentclass")
        source.with_suffix(".pdf").write_bytes(b"%PDF")
        return source.with_suffix(".pdf")

    monkeypatch.setattr(article, "compile_pdf", compiled)
    assert check(write(RIGHT + CLAIM), "--pdf", "r.pdf") == 0
    assert sorted(p.name for p in Path().iterdir()) == ["a.md", "r.pdf"]
    assert Path("r.pdf").read_bytes() == b"%PDF"


def test_nothing_goes_to_the_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """The document names places; no connection is made and no name is looked up."""

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a connection was asked for")

    for name in ("connect", "connect_ex"):
        monkeypatch.setattr(socket.socket, name, refuse)
    for name in ("create_connection", "getaddrinfo", "gethostbyname"):
        monkeypatch.setattr(socket, name, refuse)
    write("![x](https://example.org/x.png) <img src='https://example.org/y.png'>\n\n" + RIGHT + WRONG)
    given = [f"--output={kind}=out.{kind}" for kind in outputs.TEXTS]
    assert check("a.md", "--html", "html", *given) == 1


# What fails


FAILS = [
    (RIGHT + CLAIM, None, 0),
    (RIGHT + WRONG, None, 1),
    (RIGHT + WRONG, "undecided,unread", 0),
    (RIGHT + UNREAD, None, 0),
    (RIGHT + UNREAD, "refuted,unread", 1),
    (RIGHT + UNREAD, "undecided", 0),
    (RIGHT + "$$ \\frac{S_{ij}}{S_{ij}} = 1 $$", None, 0),
    (RIGHT + "$$ \\frac{S_{ij}}{S_{ij}} = 1 $$", "assumed", 1),
    (RIGHT + CLAIM, "assumed,undecided,unread,refuted", 0),
    ("Words.", None, 5),
]  # fmt: skip


@pytest.mark.parametrize(("text", "kinds", "status"), FAILS)
def test_fail_on(text: str, kinds: str | None, status: int) -> None:
    write(text)
    assert check("a.md", *(["--fail-on", kinds] if kinds else [])) == status


def test_an_empty_document_may_be_allowed() -> None:
    assert check(write("Words."), "--allow-empty") == 0
    assert check(write(RIGHT + WRONG), "--allow-empty") == 1
    assert check("none.md", "--allow-empty") == 3


def test_fail_on_and_baseline_in_the_project_file(capsys: pytest.CaptureFixture[str]) -> None:
    write('[tool.derivations]\nfail-on = ["refuted", "unread"]\nbaseline = "known.json"\n', "pyproject.toml")
    write(RIGHT + UNREAD)
    assert check("a.md", "--write-baseline") == 0
    assert "known.json: 1 finding written" in capsys.readouterr().err
    assert check("a.md") == 0
    assert check("a.md", "--fail-on", "refuted") == 0
    Path("known.json").unlink()
    assert check("a.md") == 2
    project.forget()
    write('[tool.derivations]\nfail-on = ["wrong"]\n', "pyproject.toml")
    assert check("a.md") == 2
    assert "pyproject.toml:2: fail-on: needed some of refuted, undecided" in capsys.readouterr().err


def test_a_baseline_fails_for_what_is_new(capsys: pytest.CaptureFixture[str]) -> None:
    write(RIGHT + WRONG)
    assert check("a.md", "--baseline", "b.json", "--write-baseline") == 0
    assert "b.json: 1 finding written" in capsys.readouterr().err
    assert check("a.md", "--baseline", "b.json") == 0
    capsys.readouterr()
    write("Some words.\n\n" * 30 + RIGHT + CLAIM + WRONG)
    assert check("a.md", "--baseline", "b.json", "--format", "plain") == 0, "moved lines are the same finding"
    assert capsys.readouterr().out == ""
    assert check("a.md", "--baseline", "b.json") == 0
    assert "1 known from the baseline" in capsys.readouterr().out
    write(RIGHT + OTHER + WRONG)
    assert check("a.md", "--baseline", "b.json", "--format", "plain") == 1
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 1 and lines[0].startswith("a.md:5:4: ")
    assert check("a.md", "--fail-on", "undecided", "--baseline", "b.json") == 0


def test_what_is_fixed_is_listed(capsys: pytest.CaptureFixture[str]) -> None:
    write(RIGHT + WRONG + OTHER)
    write(RIGHT + WRONG, "b.md")
    assert check("a.md", "b.md", "--baseline", "b.json", "--write-baseline") == 0
    write(RIGHT + WRONG)
    capsys.readouterr()
    assert check("a.md", "--baseline", "b.json", "--json", "r.json") == 0
    assert "fixed since the baseline: a.md: \\sum_j A_{ij} = 2" in capsys.readouterr().out
    fixed = read_report("r.json")["run"]["baseline"]["fixed"]
    assert [(row["document"], row["code"]) for row in fixed] == [("a.md", "false-claim")], "b.md was not checked"
    Path("b.md").unlink()
    assert check("a.md", "--baseline", "b.json", "--json", "r.json") == 0
    assert len(read_report("r.json")["run"]["baseline"]["fixed"]) == 2, "a document that is gone"


def test_a_folder_is_searched_for_what_its_owner_wrote(capsys: pytest.CaptureFixture[str]) -> None:
    for folder in ("docs", "env/lib", "node_modules/a", "docs/site-packages", ".hidden"):
        Path(folder).mkdir(parents=True)
        write(RIGHT + CLAIM, f"{folder}/a.md")
    write("", "env/pyvenv.cfg")
    assert check(".") == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines() if ".md" in line] == ["docs/a.md"]
    assert check("node_modules/a") == 0, "it was named"


def test_what_a_document_takes_in_is_a_part_of_it_and_no_other_document(capsys: pytest.CaptureFixture[str]) -> None:
    """Alone a chapter has not the macros and names of its book; the second time all comes from the cache."""
    Path("book").mkdir()
    write("\\input{macros}\n\\newcommand{\\w}{A}\n\\input{one}\n\\include{two}\n", "book/main.tex")
    write("\\newcommand{\\score}{S}\n", "book/macros.tex")
    write(RIGHT.replace("S", "\\score").replace("A_", "\\w_").replace("$$", "$") + "\\input{three}", "book/one.tex")
    write(WRONG.replace("A_", "\\w_").replace("$$", "$"), "book/two.tex")
    write(CLAIM.replace("A_", "\\w_").replace("$$", "$"), "book/three.tex")
    write(RIGHT + CLAIM, "book/other.md")
    for _ in range(2):
        assert check("book", "--json", "r.json") == 1
        report = read_report("r.json")
        found = {d["path"]: [i["status"] for i in d["items"]] for d in report["documents"]}
        assert found == {
            "book/main.tex": [], "book/one.tex": ["defined"], "book/two.tex": ["refuted"], "book/three.tex": ["proved"],
            "book/other.md": ["defined", "proved"],
        }  # fmt: skip
        assert {check["document"] for check in report["run"]["checks"]} == {"book/one.tex", "book/other.md"}
    assert report["run"]["kept"] == {"unchanged": 2, "of": 2}
    assert check("book/two.tex", "--json", "r.json") == 0, "alone it is what it is"
    assert check("book/two.tex", "book/main.tex", "--format", "plain") == 1
    capsys.readouterr()
    write("\\input{b} $x = x$", "a.tex"), write("\\input{a} $y = y$", "b.tex")
    assert check("a.tex", "b.tex", "--json", "r.json") == 0
    assert sorted(d["path"] for d in read_report("r.json")["documents"]) == ["a.tex", "b.tex"]


@pytest.mark.skipif(os.name != "posix", reason="links")
def test_a_link_to_itself_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.md").symlink_to("a.md")
    assert check("a.md") == 3
    assert check("x" * 5000 + ".md") == 3
    first, second = capsys.readouterr().err.splitlines()
    assert first == "derivations: a.md: needed a file or a folder, found: a link that leads to itself"
    assert second.endswith("x.md: needed a file or a folder, found: File name too long")


def test_a_bug_of_ours_is_no_verdict(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Status 1 says that something is refuted."""

    def broken(*_: object) -> None:
        raise LookupError("a bug")

    monkeypatch.setattr("derivations.reports.finding_rows.exit_status", broken)
    assert check(write(RIGHT + CLAIM)) == 3
    said = capsys.readouterr().err
    assert "LookupError: a bug" in said and said.endswith("derivations: internal error, please report it\n")


MOVES = {
    "heading": lambda: write("# Another\n\n" + RIGHT + WRONG),
    "renamed": lambda: Path("a.md").rename("c.md"),
    "renamed, under another heading": lambda: (Path("a.md").unlink(), write("# Another\n\n" + RIGHT + WRONG, "c.md")),
}
"""What moves the finding of a baseline."""


@pytest.mark.parametrize("move", MOVES)
def test_a_finding_that_moved_is_known(move: str, capsys: pytest.CaptureFixture[str]) -> None:
    write(RIGHT + WRONG)
    assert check("a.md", "--baseline", "b.json", "--write-baseline") == 0
    MOVES[move]()
    name = "c.md" if Path("c.md").exists() else "a.md"
    assert check(name, "--baseline", "b.json") == 0
    said = capsys.readouterr().out
    assert "1 known from the baseline" in said and "fixed" not in said
    Path(name).write_text(Path(name).read_text(encoding="utf-8") + WRONG, encoding="utf-8")
    assert check(name, "--baseline", "b.json") == 1, "each row knows one finding"
    write(RIGHT + WRONG), write(RIGHT + WRONG, "d.md")
    assert check("a.md", "d.md", "--baseline", "b.json") == 1, "a document that is there keeps its rows"


def test_what_is_written_again_is_what_was_checked(capsys: pytest.CaptureFixture[str]) -> None:
    write(RIGHT + WRONG), write(RIGHT + WRONG + OTHER, "b.md"), write(RIGHT + OTHER, "c.md")
    assert check("a.md", "b.md", "c.md", "--baseline", "k.json", "--write-baseline") == 0
    write(RIGHT + OTHER), write("\0", "b.md"), Path("c.md").unlink()
    assert check("a.md", "b.md", "--baseline", "k.json", "--write-baseline") == 3
    assert "k.json: 1 finding written" in capsys.readouterr().err
    rows = [(row["document"], row["statement"][-1]) for row in json.loads(Path("k.json").read_text())["findings"]]
    assert sorted(rows) == [("a.md", "2"), ("b.md", "1"), ("b.md", "2")], "c.md is gone, b.md could not be read"


def test_a_baseline_that_cannot_be_written_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    write(RIGHT + WRONG), write("words", "file")
    assert check("a.md", "--baseline", "file/b.json", "--write-baseline") == 2
    assert capsys.readouterr().err.startswith("derivations: file: needed a place that can be written, found: ")


def test_a_baseline_stands_in_the_texts_for_builds(capsys: pytest.CaptureFixture[str]) -> None:
    write(RIGHT + WRONG + OTHER)
    assert check("a.md", "--baseline", "b.json", "--write-baseline") == 0
    write(RIGHT + WRONG)
    capsys.readouterr()
    for kind in ("markdown", "github"):
        assert check("a.md", "--baseline", "b.json", "--format", kind) == 0
        said = capsys.readouterr().out
        assert "1 finding known from the baseline b.json; 1 fixed since then." in said
        assert ("- fixed: a.md: \\\\sum\\_j A\\_{ij} = 2\n" in said) is (kind == "markdown")


def test_a_baseline_is_about_places_beside_it(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("docs").mkdir()
    write(RIGHT + WRONG, "docs/a.md")
    assert check("docs", "--baseline", "docs/b.json", "--write-baseline") == 0
    monkeypatch.chdir("docs")
    assert check(".", "--baseline", "b.json") == 0
    assert check(str(Path("a.md").resolve()), "--baseline", "b.json") == 0


def test_the_same_statement_twice_is_two_findings() -> None:
    write(RIGHT + WRONG)
    assert check("a.md", "--baseline", "b.json", "--write-baseline") == 0
    write(RIGHT + WRONG + WRONG)
    assert check("a.md", "--baseline", "b.json") == 1


def test_redaction_holds_for_every_report(capsys: pytest.CaptureFixture[str]) -> None:
    write("# Secret title\n\n" + RIGHT.replace("S", "\\text{Secret}") + WRONG, "secret.md")
    given = [f"--output={kind}={kind}.out" for kind in outputs.TEXTS]
    assert check("secret.md", "--redact", "source,paths", "--html", "html", *given) == 1
    for path in [*Path().glob("*.out"), Path("html/index.html")]:
        assert "secret" not in path.read_text(encoding="utf-8").lower(), path
    assert "secret" not in capsys.readouterr().out.lower()
