"""`check --watch`: again after every change of what was read, of what would be read by now, and of the project file."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from derivations import project, watch
from derivations.cli import main

RIGHT = "Let $S \\in \\mathbb{R}^{n \\times n}$.\n\n$$ A_{ij} = \\frac{\\exp(S_{ij})}{\\sum_k \\exp(S_{ik})} $$\n\n"
TRUE, FALSE = RIGHT + "$$ \\sum_j A_{ij} = 1 $$\n", RIGHT + "$$ \\sum_i A_{ij} = 1 $$\n"


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project.forget()
    monkeypatch.chdir(tmp_path)


def write(name: str, text: str) -> None:
    Path(name).parent.mkdir(exist_ok=True)
    Path(name).write_text(text, encoding="utf-8")


Edit = Callable[[], object]


def watched(monkeypatch: pytest.MonkeyPatch, edits: list[Edit], *arguments: str) -> int:
    """The exit status, where one edit is made at each look that finds nothing, and then the user interrupts."""
    waiting = iter(edits)

    def pause() -> None:
        edit = next(waiting, None)
        if edit is None:
            raise KeyboardInterrupt
        edit()

    monkeypatch.setattr(watch, "pause", pause)
    status = main(["check", "--device", "cpu", "--watch", *arguments])
    assert next(waiting, None) is None, "every edit was made"
    return status


def test_every_change_is_checked(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    write("a.md", FALSE)
    edits: list[Edit] = [lambda: write("a.md", TRUE), lambda: None, lambda: write("a.md", FALSE)]
    assert watched(monkeypatch, edits, "a.md") == 1
    said = capsys.readouterr()
    assert [line for line in said.out.splitlines() if line.startswith("a.md")] == [
        "a.md  ✗ 1 claim, 1 decided, 1 of them false.",
        "a.md  ✓ 1 claim, 1 decided, none of them false.",
        "a.md  ✗ 1 claim, 1 decided, 1 of them false.",
    ]
    assert said.err.count("files; Ctrl-C ends") == 3
    assert said.err.count(" a.md\n") == 2
    assert said.err.endswith("derivations: ended\n")


def test_files_of_a_folder_that_come_and_go(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write("docs/a.md", TRUE)
    edits: list[Edit] = [
        lambda: write("docs/b.md", FALSE),
        lambda: write("docs/.hidden.md", FALSE),
        lambda: Path("docs/b.md").unlink(),
        lambda: Path("docs/a.md").unlink(),
        lambda: write("docs/a.md", TRUE),
    ]
    assert watched(monkeypatch, edits, "docs") == 0
    said = capsys.readouterr()
    assert said.out.count("docs/b.md") == 2, "its line and its failure, and no more after it is gone"
    assert "docs: needed a folder with documents" in said.err


def test_files_that_are_taken_in_and_the_project_file(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write("main.tex", "\\documentclass{article}\\begin{document}\n\\input{a}\n\\end{document}\n")
    write("a.tex", FALSE)
    edits: list[Edit] = [
        lambda: write("a.tex", TRUE),
        lambda: write("pyproject.toml", "[tool.derivations]\nfail = 1\n"),
        lambda: write("pyproject.toml", '[tool.derivations]\nnotation = "n.toml"\nfail-on = ["assumed"]\n'),
        lambda: write("n.toml", 'given = ["t > 0"]\n'),
    ]
    write("n.toml", "")
    assert watched(monkeypatch, edits, "main.tex") == 0
    said = capsys.readouterr()
    assert said.out.count("a.tex  ") >= 4
    assert "unknown key 'fail'; did you mean 'fail-on'?" in said.err
    assert said.err.count("files; Ctrl-C ends") == 5


def test_the_baseline_is_watched(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    write("a.md", FALSE)
    assert main(["check", "a.md", "--device", "cpu", "--baseline", "b.json", "--write-baseline"]) == 0
    known = Path("b.json").read_text(encoding="utf-8")
    write("pyproject.toml", '[tool.derivations]\nbaseline = "b.json"\n')
    for given in (["--baseline", "b.json"], []):
        project.forget()
        edits: list[Edit] = [
            lambda: write("b.json", known.replace("refuted", "unread")),
            lambda: write("b.json", known),
        ]
        assert watched(monkeypatch, edits, "a.md", *given) == 0
        assert capsys.readouterr().err.count(" b.json\n") == 2


def test_a_change_during_a_check_is_seen_after_it() -> None:
    looks: list[int] = []

    def check(files: set[str]) -> int:
        looks.append(len(looks))
        files.add("a.md")
        if len(looks) == 1:
            write("a.md", "longer")
        if len(looks) == 2:
            raise KeyboardInterrupt
        return 7

    write("a.md", "x")
    assert watch.watch(check, lambda: ["a.md"]) == 7
    assert looks == [0, 1]


def test_what_no_file_would_mend_ends_it(capsys: pytest.CaptureFixture[str]) -> None:
    write("a.md", TRUE)
    assert main(["check", "a.md", "--watch", "--output", "htm=x"]) == 2
    assert main(["check", "a.md", "--watch", "--write-baseline"]) == 2
    assert capsys.readouterr().err.count("\n") == 2


@pytest.mark.skipif(os.name != "posix", reason="signals of a terminal")
def test_ctrl_c_is_one_line(tmp_path: Path) -> None:
    """The interrupt goes to every process of the terminal, as it does here to the whole group."""
    write("a.md", TRUE)
    process = subprocess.Popen(
        [sys.executable, "-m", "derivations.cli", "check", "a.md", "--watch", "--no-cache"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # ignored where the suite is in the background
    )
    assert process.stderr is not None
    assert "files; Ctrl-C ends" in process.stderr.readline()
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0
    assert err == "derivations: ended\n"
    assert out.startswith("a.md  ✓ 1 claim")
