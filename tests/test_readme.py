"""The README's examples print what they say, and its commands exist."""

import doctest
import re
from pathlib import Path

import pytest

from derivations.documents.facts.directives import read_entries, read_entry
from derivations.documents.model.document import Place
from derivations.project import NOTATION_KEYS, read_project

ROOT = Path(__file__).resolve().parent.parent


def test_readme_examples() -> None:
    result = doctest.testfile(str(ROOT / "README.md"), module_relative=False)
    assert result.attempted >= 6
    assert result.failed == 0


DOCUMENTS = sorted((ROOT / "docs").glob("*.md"))


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda p: p.name)
def test_examples_of_the_documentation(path: Path) -> None:
    flags = doctest.NORMALIZE_WHITESPACE
    assert doctest.testfile(str(path), module_relative=False, optionflags=flags).failed == 0


ENTRY = re.compile(r"<!-- derivations: (.*?) -->")


@pytest.mark.parametrize("path", [ROOT / "README.md", *DOCUMENTS], ids=lambda p: p.name)
def test_declarations_of_the_documentation_are_understood(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    entries = [e for line in ENTRY.findall(text) for _, e in read_entries(line)]
    if path.name == "tell-the-checker.md":
        rows = re.findall(r"^\| (`.+?) \|", text, re.MULTILINE)
        entries += [e for row in rows for e in re.findall(r"`([^`]*:[^`]*)`", row)]
        assert len(entries) >= 18
    for entry in entries:
        assert read_entry(entry, Place("x.md", None, 1, 1)).kind != "unreadable"


def test_the_project_file_of_the_documentation_is_understood(tmp_path: Path) -> None:
    text = (ROOT / "docs" / "tell-the-checker.md").read_text(encoding="utf-8")
    settings = text.split("```toml\n")[1].split("```")[0]
    for name in ("attention.md", "heads.md"):
        (tmp_path / name).touch()
    project = read_project(settings, tmp_path / "pyproject.toml")
    assert set(NOTATION_KEYS) - {"indices"} <= set(re.findall(r"^(\w+) =", settings, re.MULTILINE))
    assert len(project.entries) == 9
    assert project.files[0].entries[0].text == "ignore[false-claim] kept as it was printed"


def test_readme_commands_exist(capsys) -> None:
    from derivations.cli import main

    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for command in ("check", "compare", "report", "explain", "theorems", "prove", "replay", "doctor"):
        assert f"derivations {command}" in readme
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in ("report", "test"):
        assert f"make {target}" in readme
        assert f"\n{target}:" in makefile
    assert main(["doctor"]) == 0
    assert "ours" in capsys.readouterr().out


def test_prove_and_theorems(capsys, tmp_path: Path) -> None:
    from derivations.cli import main

    assert main(["prove", "attention_rows_sum_to_one", "--certificates", str(tmp_path)]) == 0
    assert "definition of" in capsys.readouterr().out
    assert main(["replay", str(tmp_path / "attention_rows_sum_to_one.json")]) == 0
    assert main(["prove", "attention_rows_sum_to_two"]) == 2
    assert "did you mean" in capsys.readouterr().err
    assert main(["theorems"]) == 0
