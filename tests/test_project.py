"""`[tool.derivations]`: notation, chapters, what is left out, settings for files; unknown keys are errors with a suggestion."""

from __future__ import annotations

from pathlib import Path

import pytest
from derivations.reports.model import faults, validate
from derivations.reports.run import check

from derivations import project
from derivations.cli import main
from derivations.documents import read_text
from derivations.documents.formats.chapters import bound
from derivations.project import ProjectError, project_of, read_project

NOTATION = """
[tool.derivations.notation]
shapes = { S = "(n, m)" }
softmax = "rows"
macros = { sm = "\\\\operatorname{softmax}" }
"""
WEIGHTS = "# B\n\n$$A = \\sm(S)$$\n\n$$\\sum_j A_{ij} = 1$$\n"
COLUMNS = "# C\n\n$$\\sum_i A_{ij} = 1$$\n"


@pytest.fixture(autouse=True)
def _fresh() -> None:
    project.forget()


def folder(tmp_path: Path, settings: str, **files: str) -> Path:
    (tmp_path / "pyproject.toml").write_text(settings, encoding="utf-8")
    for name, text in files.items():
        path = tmp_path / (name.replace("__", "/") + ".md")
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path


def verdicts(*paths: Path) -> dict[str, list[str]]:
    report, errors = check.check_documents(paths, numbers=False)
    assert not errors
    validate(report)
    return {Path(d["path"]).name: [i["status"] for i in d["items"]] for d in report["documents"]}


def test_notation_holds_in_every_document_below(tmp_path: Path) -> None:
    root = folder(tmp_path, "[tool.derivations]\n" + NOTATION, part__b=WEIGHTS)
    assert verdicts(root / "part" / "b.md") == {"b.md": ["defined", "proved"]}


def test_notation_may_be_a_file_of_its_own(tmp_path: Path) -> None:
    root = folder(tmp_path, '[tool.derivations]\nnotation = "notation.toml"\n', b=WEIGHTS)
    (root / "notation.toml").write_text(NOTATION.replace("[tool.derivations.notation]", ""), encoding="utf-8")
    assert verdicts(root / "b.md") == {"b.md": ["defined", "proved"]}


def test_a_project_without_our_table_is_passed_over(tmp_path: Path) -> None:
    root = folder(tmp_path, "[tool.derivations]\n" + NOTATION, part__b=WEIGHTS)
    (root / "part" / "pyproject.toml").write_text('[project]\nname = "x"\n', encoding="utf-8")
    assert project_of(root / "part" / "b.md").root == root.resolve()


ORDER = '[tool.derivations]\nchapters = ["b.md", "a.md"]\n' + NOTATION


def test_chapters_know_what_earlier_ones_define(tmp_path: Path) -> None:
    root = folder(tmp_path, ORDER, a=COLUMNS, b=WEIGHTS, c=COLUMNS)
    together = verdicts(root / "a.md", root / "b.md", root / "c.md")
    assert list(together.items()) == [
        ("b.md", ["defined", "proved"]),
        ("a.md", ["refuted"]),
        ("c.md", ["skipped"]),
    ]
    assert verdicts(root / "a.md") == {"a.md": ["refuted"]}


def test_a_later_chapter_may_define_a_name_anew(tmp_path: Path) -> None:
    root = folder(tmp_path, ORDER, b=WEIGHTS, a="# A\n\n$$A_{ij} = 2 S_{ij}$$\n\n$$A_{ij} = S_{ij} + S_{ij}$$\n")
    assert verdicts(root / "a.md") == {"a.md": ["defined", "proved"]}


def test_items_of_chapters_have_the_places_of_their_own_files(tmp_path: Path) -> None:
    root = folder(tmp_path, ORDER, a=COLUMNS, b=WEIGHTS)
    report, _ = check.check_documents([root / "b.md", root / "a.md"], numbers=False)
    assert [[i["where"]["line"] for i in d["items"]] for d in report["documents"]] == [[3, 5], [3]]
    assert [d["title"] for d in report["documents"]] == ["B", "C"]
    assert [len(d["sha256"]) for d in report["documents"]] == [64, 64]


def test_bound_chapters_keep_spans_outputs_and_macros_apart() -> None:
    one = read_text(
        "$$\\newcommand{\\R}{\\mathbb{R}} a = b$$\n\n```python\nprint(1)\n```\n\n```output\n1\n```\n", "1.md"
    )
    two = read_text("$$c = d$$\n\n```python\nprint(2)\n```\n\n```output\n2\n```\n", "2.md")
    both = bound([one, two])
    assert [s.index for s in both.spans] == [0, 1]
    assert [b.index for b in both.blocks] == list(range(6))
    assert [o.text.text for c in both.code for o in both.outputs_of(c)] == ["1", "2"]
    places = [b.place for b in both.blocks]
    assert sorted(places, key=both.order) == places


def test_settings_for_files(tmp_path: Path) -> None:
    settings = ORDER + '[tool.derivations.files."a.md"]\nignore = { false-claim = "an old print" }\ntimeout = 5\n'
    root = folder(tmp_path, settings, a=COLUMNS, b=WEIGHTS)
    assert verdicts(root / "b.md", root / "a.md") == {"b.md": ["defined", "proved"], "a.md": ["skipped"]}
    assert project_of(root / "a.md").timeout_of(root / "a.md") == 5
    assert project_of(root / "a.md").timeout_of(root / "b.md") is None


def test_an_ignore_that_acts_on_no_file_fails(tmp_path: Path) -> None:
    settings = "[tool.derivations]\n" + NOTATION + '[tool.derivations.files."*.md"]\nignore = { CODE = "why" }\n'
    root = folder(tmp_path, settings.replace("CODE", "ambiguous"), a=WEIGHTS, b=WEIGHTS)
    report, errors = check.check_documents([root / "a.md", root / "b.md"], numbers=False)
    assert [path for path, _, _ in faults(report)] == ["pyproject.toml"]
    assert check.exit_status(report, errors) == 2
    project.forget()
    folder(tmp_path, settings.replace("CODE", "false-claim"), a=WEIGHTS, b=WEIGHTS + COLUMNS)
    report, errors = check.check_documents([root / "a.md", root / "b.md"], numbers=False)
    assert check.exit_status(report, errors) == 0


def test_excluded_files_are_not_found_in_folders(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = folder(
        tmp_path, '[tool.derivations]\nexclude = ["drafts", "*-old.md"]\n' + NOTATION, b=WEIGHTS, drafts__x=WEIGHTS
    )
    (root / "c-old.md").write_text(WEIGHTS, encoding="utf-8")
    assert main(["check", str(root)]) == 0
    said = capsys.readouterr().out
    assert "b.md" in said
    assert "x.md" not in said
    assert "c-old.md" not in said
    assert main(["check", str(root / "drafts" / "x.md")]) == 0


BAD = {
    'exlude = ["x"]': "pyproject.toml:2: [tool.derivations]: unknown key 'exlude'; did you mean 'exclude'?",
    "nonsense = 1": "unknown key 'nonsense'; known keys: baseline, cache, chapters, exclude",
    'exclude = "x"': "exclude: needed a list of texts, found 'x'",
    "timeout = -1": "timeout: needed a positive number of seconds, found -1",
    'chapters = ["none.md"]': "chapters: needed a file 'none.md' beside the project file",
    'notation = "none.toml"': "notation: needed a file in UTF-8",
    "notation = { shape = {} }": "notation: unknown key 'shape'; did you mean 'shapes'?",
    'notation = { shapes = { Q = "round" } }': "needed a shape (n, d)",
    'notation = { tokens = "up" }': "needed tokens: rows or tokens: columns",
    "notation = { indices = 2 }": "needed indices: from 0",
    'notation = { names = { A = "proved" } }': "nothing can be declared to be proved",
    'files = { "*.md" = { ignore = { x = "" } } }': "ignore: needed a reason for 'x'",
    'files = { "*.md" = { skip = true } }': "unknown key 'skip'",
    "= 1": "needed TOML",
}


@pytest.mark.parametrize("text", BAD)
def test_mistakes_are_one_message(text: str, tmp_path: Path) -> None:
    with pytest.raises(ProjectError) as error:
        read_project("[tool.derivations]\n" + text + "\n", tmp_path / "pyproject.toml")
    assert BAD[text] in str(error.value)
    assert "\n" not in str(error.value)


def test_a_mistake_is_exit_status_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = folder(tmp_path, '[tool.derivations]\nexlude = ["x"]\n', b=WEIGHTS)
    assert main(["check", str(root / "b.md")]) == 2
    assert "did you mean 'exclude'?" in capsys.readouterr().err
