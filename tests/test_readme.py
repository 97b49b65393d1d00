"""The README's examples print what they say, and its commands exist."""

import doctest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def test_readme_examples() -> None:
    result = doctest.testfile(str(ROOT / "README.md"), module_relative=False)
    assert result.attempted >= 6
    assert result.failed == 0


def test_readme_commands_exist(capsys) -> None:
    from derivations.cli import main

    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for command in ("check", "theorems", "prove", "replay", "doctor"):
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
