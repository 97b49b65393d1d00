"""Every command of README and `docs/` is run, here or by a test that is named; one that neither knows of fails.

A command is an indented line, or a line of a ``text`` block, that begins with one of `PROGRAMS`.
"""

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from derivations.cli import main

ROOT = Path(__file__).resolve().parent.parent
TESTS = Path(__file__).parent
PROGRAMS = r"(?:\.venv/bin/)?(?:derivations|make|python3?|pip|pytest)\b|%"
PLACES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]

USAGE = {
    "check PATH... [--output KIND=PATH]... [--format KIND] [--device cpu|cuda|auto] [--timeout S]":
        "check examples --output csv=o.csv --format markdown --device cpu --timeout 100",
    "compare OLD NEW": "compare old.json old.json",
    "report --library --html DIR": "report --library --html lib",
    "explain FILE:LINE": "explain lesson.md:8 --bug-report out.md",
    "prove NAME... | --all [--certificates DIR]": "prove attention_rows_sum_to_one --certificates certs",
    "replay FILE...": "replay certs/attention_rows_sum_to_one.json",
    "explain lesson.ipynb:3:2 --bug-report bug.md": "explain lesson.ipynb:3:5 --bug-report bug.md",
    "explain lesson.md:12": "explain lesson.md:8",
}  # fmt: skip
"""Forms of a command, and lines that are not in our lesson, as they are run."""

ELSEWHERE = {
    "make report": "test_check_outputs.py::test_several_reports_at_once",
    "make second-reader": "test_second_reader.py::test_its_absence_is_counted",
    "derivations check PATH... --run": "test_run_document.py::test_the_command",
    "derivations check COPIES... --against REFERENCE [--csv FILE]": "test_submissions.py::test_the_command",
    "derivations check submissions/*.ipynb --against reference.ipynb --csv table.csv":
        "test_submissions.py::test_the_command",
    "derivations check lesson.ipynb --run": "test_run_document.py::test_the_command",
    "derivations check lesson.md --second-reader": "test_second_reader.py::test_disagreement_is_a_note_and_changes_nothing",
    "derivations check chapter.md": "test_first_chapter.py::test_the_page_is_what_happens",
    "derivations check chapter.md -v": "test_first_chapter.py::test_the_page_is_what_happens",
    "derivations check chapter.md --html report": "test_first_chapter.py::test_the_page_is_what_happens",
    "derivations explain chapter.md:14": "test_first_chapter.py::test_the_page_is_what_happens",
    "derivations check chapter.md --watch": "test_watch.py::test_every_change_is_checked",
    "pytest --derivations": "test_pytest_plugin.py::test_one_test_for_each_claim",
    "%load_ext derivations": "test_jupyter.py::test_the_extension_gives_a_magic_and_a_function",
    "%%check": "test_jupyter.py::test_the_extension_gives_a_magic_and_a_function",
}  # fmt: skip
"""Commands that other tests run, with what they need."""

NETWORK = {"python3 -m venv .venv", ".venv/bin/pip install '.[torch]'", "make test"}
"""What fetches packages, or runs this very test."""


def commands(path: Path) -> list[str]:
    text = path.read_text(encoding="utf-8")
    found = re.findall(rf"^    ((?:{PROGRAMS}).*)$", text, re.MULTILINE)
    for block in re.findall(r"^```text\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        found += re.findall(rf"^((?:{PROGRAMS}).*)$", block, re.MULTILINE)
    return [re.sub(r"\s+#.*", "", line).strip() for line in found]


ALL = [(path, command) for path in PLACES for command in commands(path)]


def test_there_are_commands() -> None:
    assert len(ALL) >= 45
    known = {command for _, command in ALL}
    assert known >= NETWORK | ELSEWHERE.keys(), "a row of the tables that no document has any more"
    assert {c.removeprefix("derivations ") for c in known} >= USAGE.keys()


@pytest.mark.parametrize("command", ELSEWHERE)
def test_the_named_test_is_there(command: str) -> None:
    file, _, name = ELSEWHERE[command].partition("::")
    assert re.search(rf"^def {name}\b", (TESTS / file).read_text(encoding="utf-8"), re.MULTILINE)


@pytest.mark.parametrize("command", sorted({c for _, c in ALL if c.startswith("make ")}))
def test_targets_of_make_exist(command: str) -> None:
    if shutil.which("make") is None:
        pytest.skip("make is not installed")
    done = subprocess.run(["make", "-n", *command.split()[1:]], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("path", PLACES, ids=lambda path: path.name)
def test_every_command_runs(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    shutil.copy(ROOT / "examples" / "two-mistakes.md", tmp_path / "lesson.md")
    shutil.copy(ROOT / "examples" / "scaling.ipynb", tmp_path / "lesson.ipynb")
    shutil.copy(TESTS / "data" / "report.json", tmp_path / "old.json")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("derivations.reports.tex.article.compile_pdf", lambda _: ROOT / "LICENSE")
    for command in commands(path):
        if command in NETWORK | ELSEWHERE.keys():
            continue
        program, _, rest = command.partition(" ")
        assert program.removeprefix(".venv/bin/") == "derivations", (
            f"no test runs this command of {path.name}: {command}"
        )
        arguments = USAGE.get(rest, rest)
        status = main(shlex.split(arguments))
        said = capsys.readouterr()
        assert "needed" not in said.err, (command, said.err)
        false = arguments.startswith("check examples") and "--baseline" not in arguments
        assert status == (1 if false else 0), command
