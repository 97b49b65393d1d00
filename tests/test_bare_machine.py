"""A machine that has none of the programs we can use: nothing fails there, and what is missing is said.

The programs are hidden by an empty ``PATH``.  The two packages beside `derivations` are collected as well, as by a run of
everything: that loads their modules by their files, under their bare names.
"""

import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
GOLDEN = Path(__file__).with_name("data") / "report.json"
PROGRAM = "from derivations.cli import main; raise SystemExit(main())"
MISSING = {
    "latexmk": "latexmk is not installed",
    "pdflatex": "pdflatex is not installed",
    "make": "make is not installed",
    "java": "needs Java",
    "pdftotext": "no pdftotext is installed",
    **dict.fromkeys(("chromium", "chromium-browser", "google-chrome"), "no Chromium is installed"),
    **dict.fromkeys(("firefox", "firefox-esr"), "no Firefox is installed"),
}
"""What the tests look for, and what they say where it is missing."""


def looked_for(path: Path) -> Iterator[str]:
    """The programs that a file names in a call in which `shutil.which` stands."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and any(
            isinstance(n, ast.Attribute) and n.attr == "which" for n in (node.func, *node.args)
        ):
            yield from (n.value for n in ast.walk(node) if isinstance(n, ast.Constant) and isinstance(n.value, str))


USERS = [path for path in sorted(Path(__file__).parent.glob("test_*.py")) if any(looked_for(path))]
"""The files of tests that look for a program."""


def hidden(folder: Path) -> dict[str, str]:
    """The environment without any program; what names a program by its place is taken out as well."""
    empty = folder / "no programs"
    empty.mkdir()
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("DERIVATIONS_", "PYTEST_"))}
    return {**kept, "PATH": str(empty)}


def test_the_table_is_complete() -> None:
    assert {name for path in USERS for name in looked_for(path)} == MISSING.keys()


def test_nothing_fails_and_what_is_missing_is_said(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-o", "addopts=", "--strict-config"]
    command += ["--import-mode=importlib", "--doctest-modules", "-m", "not fuzz", "-rs", "--color=no"]
    command += ["-p", "no:xdist", *map(str, USERS), "reports", "numeric"]
    done = subprocess.run(command, cwd=ROOT, env=hidden(tmp_path), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    said = " ".join(re.findall(r"^SKIPPED \[\d+\] \S+ (.*)$", done.stdout, re.MULTILINE))
    assert [name for name, words in MISSING.items() if words not in said] == []
    assert int(re.search(r"(\d+) passed", done.stdout)[1]) >= 50


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (["doctor"], 0, "latexmk: not installed"),
        (["report", str(GOLDEN), "--output", "pdf=report.pdf"], 2, "needed latexmk"),
        (
            ["check", str(ROOT / "examples" / "two-mistakes.md"), "--no-cache", "--pdf", "report.pdf"],
            2,
            "needed latexmk",
        ),
        (["report", str(GOLDEN), "--html", "pages"], 0, ""),
    ],
    ids=["doctor", "report", "check", "html"],
)
def test_the_commands_say_what_is_missing(arguments: list[str], status: int, words: str, tmp_path: Path) -> None:
    command = [sys.executable, "-P", "-c", PROGRAM, *arguments]
    done = subprocess.run(command, cwd=tmp_path, env=hidden(tmp_path), capture_output=True, text=True, check=False)
    assert done.returncode == status, done.stderr
    assert words in done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    assert (tmp_path / "report.tex").exists() is (status == 2)
