"""`docs/first-chapter.md`: the chapter, every command, and what the page says that each prints."""

import re
from pathlib import Path

import pytest

from derivations import project
from derivations.cli import main

PAGE = (Path(__file__).resolve().parent.parent / "docs" / "first-chapter.md").read_text(encoding="utf-8")
CHAPTER, REMARK = re.findall(r"^```markdown\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
BEFORE, AFTER = re.findall(r"^```text\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def test_the_page_is_what_happens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    project.forget()
    monkeypatch.chdir(tmp_path)
    commands = re.findall(r"^    derivations (.*)$", PAGE, re.MULTILINE)
    assert commands == [
        "check chapter.md",
        "explain chapter.md:14",
        "check chapter.md -v",
        "check chapter.md --html report",
    ]
    check, explain, verbose, report = (command.split() for command in commands)
    path = Path("chapter.md")
    path.write_text(CHAPTER, encoding="utf-8")
    assert main(check) == 1
    assert capsys.readouterr().out.startswith(BEFORE)
    assert main(explain) == 0
    said = capsys.readouterr().out
    assert "\n  verdict\n    proved\n" in said and "\n  derivation\n" in said
    assert main(verbose) == 1
    (code,) = re.findall(r"ignore\[(.*?)\]", REMARK)
    assert f"1 not read: {code} 1 (lines 16)" in capsys.readouterr().out
    (wrong,) = re.findall(r"10 \| \$\$ (.*)\. \$\$", BEFORE)
    (right,) = re.findall(r"did you mean \$(.*)\$\?", BEFORE)
    lines = CHAPTER.replace(wrong, right).splitlines(keepends=True)
    path.write_text("".join([*lines[:-1], REMARK, lines[-1]]), encoding="utf-8")
    assert main(check) == 0
    assert capsys.readouterr().out.startswith(AFTER)
    assert main(report) == 0
    assert Path("report/index.html").is_file()
