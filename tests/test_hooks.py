"""What others call us by: the hook for pre-commit, the workflow for GitHub Actions, the problem matcher for an editor."""

import json
import os
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from derivations import project
from derivations.cli import main
from derivations.documents import SUFFIXES

ROOT = Path(__file__).resolve().parent.parent
yaml = pytest.importorskip("yaml", reason="pip install pyyaml")
RIGHT = "Let $S \\in \\mathbb{R}^{n \\times n}$.\n\n$$ A_{ij} = \\frac{\\exp(S_{ij})}{\\sum_k \\exp(S_{ik})} $$\n\n"
TRUE, FALSE = RIGHT + "$$ \\sum_j A_{ij} = 1 $$\n", RIGHT + "$$ \\sum_i A_{ij} = 1 $$\n"


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project.forget()
    monkeypatch.chdir(tmp_path)


def write(name: str, text: str) -> str:
    Path(name).parent.mkdir(exist_ok=True)
    Path(name).write_text(text, encoding="utf-8")
    return name


def blocks(language: str) -> list[str]:
    """The code blocks of the page in one language."""
    page = (ROOT / "docs" / "loop.md").read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)


# pre-commit


def hook() -> dict[str, Any]:
    (found,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    return dict(found)


def test_the_hook_says_what_pre_commit_needs() -> None:
    """Its keys are those of pre-commit's documentation, "Creating new hooks"."""
    assert set(hook()) <= {"id", "name", "description", "entry", "language", "files", "require_serial"}
    assert hook()["language"] == "python"
    for suffix in SUFFIXES:
        wanted = suffix not in (".py", ".txt")  # nearly all of those are no documents
        assert bool(re.search(hook()["files"], f"a/b{suffix}")) is wanted


def run_hook(*arguments: str) -> int:
    command = shlex.split(hook()["entry"])
    assert command[0] == "derivations"
    return main([*command[1:], *arguments])


def test_the_hook(capsys: pytest.CaptureFixture[str]) -> None:
    documents = [write("a.md", TRUE), write("words.md", "Words.")]
    assert run_hook(*documents) == 0
    assert run_hook("words.md") == 0
    assert capsys.readouterr().out == ""
    assert run_hook(*documents, write("b.md", FALSE)) == 1
    assert capsys.readouterr().out.startswith("  ✗ Refuted  b.md:5:4\n")


def test_the_configuration_of_the_documentation(capsys: pytest.CaptureFixture[str]) -> None:
    (config,) = [c for c in map(yaml.safe_load, blocks("yaml")) if "repos" in c]
    (used,) = config["repos"][0]["hooks"]
    assert used["id"] == hook()["id"]
    write("a.md", FALSE)
    assert main(["check", "a.md", *used["args"], "--write-baseline"]) == 0
    assert run_hook(*used["args"], "a.md") == 0


# GitHub Actions


def test_the_workflow(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    text = (ROOT / "examples" / "github-workflow.yml").read_text(encoding="utf-8")
    assert text in blocks("yaml"), "the documentation shows it as it is"
    assert text.count("\n") <= 14
    workflow = yaml.safe_load(text)
    assert workflow[True] == ["push", "pull_request"], "`on` is true in YAML 1.1"
    assert workflow["permissions"] == {"contents": "read"}
    steps = [step["run"] for step in workflow["jobs"]["check"]["steps"] if "run" in step]
    (command,) = [step for step in steps if step.startswith("derivations ")]
    write("summary.md", "")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary.md")
    write("docs/a.md", TRUE)
    arguments = shlex.split(os.path.expandvars(command))[1:]
    assert main(arguments) == 0
    assert capsys.readouterr().out == "derivations: 1 claim, 1 decided, none of them false.\n"
    write("docs/b.md", FALSE)
    assert main(arguments) == 1
    assert capsys.readouterr().out.startswith(
        "::error file=docs/b.md,line=5,endLine=5,col=4,title=false-claim::refuted: "
    )
    assert Path("summary.md").read_text(encoding="utf-8").startswith("## ✗ Derivations: 2 claims")


# Visual Studio Code


def matchers() -> list[dict[str, Any]]:
    (text,) = [block for block in blocks("json") if "problemMatcher" in block]
    (task,) = json.loads(text)["tasks"]
    found: list[dict[str, Any]] = task["problemMatcher"]
    return found


def matched(line: str) -> list[tuple[str, str, str, str]]:
    """Severity, file, line and code, for each matcher that takes a line."""
    found = []
    for matcher in matchers():
        pattern = matcher["pattern"]
        match = re.match(pattern["regexp"], line)
        if match is not None:
            found.append((matcher["severity"], *(match[pattern[name]] for name in ("file", "line", "code"))))
    return found


def test_the_problem_matcher_takes_every_line(capsys: pytest.CaptureFixture[str]) -> None:
    cells = [{"cell_type": "markdown", "metadata": {}, "source": FALSE}]
    write("n b.ipynb", json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}))
    write("a.md", FALSE + "\n$$ \\foo{x} = 3 $$\n\n<!-- derivations: Z: (n, d) -->\n")
    assert main(["check", "a.md", "n b.ipynb", "--format", "plain"]) == 1
    assert [matched(line) for line in capsys.readouterr().out.splitlines()] == [
        [("error", "a.md", "5", "false-claim")],
        [("warning", "a.md", "7", "unknown-command")],
        [("error", "n b.ipynb", "5", "false-claim")],
        [("error", "a.md", "9", "declaration")],
    ]


def test_the_problem_matcher_takes_a_file_that_cannot_be_read_once(capsys: pytest.CaptureFixture[str]) -> None:
    """The editor sees both streams."""
    write("docs/bad 1.ipynb", '{"cells": [')
    assert main(["check", "docs", "--format", "plain"]) == 3
    said = capsys.readouterr()
    found = [row for line in (said.err + said.out).splitlines() for row in matched(line)]
    assert found == [("error", "docs/bad 1.ipynb", "1", "unreadable")]


def test_the_problem_matcher_knows_when_a_check_begins_and_ends(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from derivations import watch

    edits = iter([lambda: write("a.md", FALSE)])

    def pause() -> None:
        edit = next(edits, None)
        if edit is None:
            raise KeyboardInterrupt
        edit()

    monkeypatch.setattr(watch, "pause", pause)
    (text,) = [block for block in blocks("json") if "problemMatcher" in block]
    command = shlex.split(json.loads(text)["tasks"][0]["command"])
    write("a.md", TRUE)
    assert main(command[1:]) == 1
    lines = capsys.readouterr().err.splitlines()
    for matcher in matchers():
        begins, ends = (re.compile(matcher["background"][name]) for name in ("beginsPattern", "endsPattern"))
        assert ["B" if begins.match(x) else "E" if ends.match(x) else "" for x in lines] == ["E", "B", "E", ""]
