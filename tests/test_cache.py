"""The cache: what is unchanged is taken from it and replayed; whatever differs, is damaged or is not proved is studied anew."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from derivations.reports.run import cache as module
from derivations.reports.run.cache import Cache, folder
from derivations.reports.run.session import check_documents

from derivations import project
from derivations.cli import main

TEXT = r"""Let $S \in \mathbb{R}^{n \times n}$.

$$ A_{ij} = \frac{\exp(S_{ij})}{\sum_k \exp(S_{ik})} $$

$$ \sum_j A_{ij} = 1 $$

$$ \sum_i A_{ij} = 1 $$

<!-- derivations: ignore[false-claim] an exercise -->
$$ \sum_i A_{ij} = 2 $$
"""
STATUSES = ["defined", "proved", "refuted", "skipped"]


class Here:
    """A folder with a document, a cache, and what the cache said."""

    def __init__(self, place: Path) -> None:
        self.place, self.said = place, list[str]()
        self.cache = Cache(place / "cache", self.said.append)
        self.write("a.md", TEXT)

    def write(self, name: str, text: str) -> None:
        (self.place / name).write_text(text, encoding="utf-8")

    def check(self, name: str = "a.md", **more: Any) -> tuple[list[str], bool]:
        """The statuses of the first document, and whether it came from the cache."""
        project.forget()
        report, errors = check_documents([name], device="cpu", numbers=False, cache=self.cache, **more)
        assert errors == []
        return [i["status"] for i in report["documents"][0]["items"]], "kept" in report["run"]

    @property
    def entry(self) -> Path:
        (found,) = (self.place / "cache").iterdir()
        return found

    def edit(self, change: Callable[[Any], object], sign: bool = True) -> None:
        """Change the entry and, with `sign`, write the digest that belongs to it."""
        digest, body = self.entry.read_text(encoding="utf-8").split("\n", 1)
        data = json.loads(body)
        change(data)
        body = json.dumps(data)
        self.entry.write_text(f"{sha256(body.encode()).hexdigest() if sign else digest}\n{body}", encoding="utf-8")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Here:
    monkeypatch.chdir(tmp_path)
    return Here(tmp_path)


def test_unchanged_documents_give_the_same_report(here: Here) -> None:
    first, _ = check_documents(["a.md"], device="cpu", cache=here.cache)
    again, _ = check_documents(["a.md"], device="cpu", cache=here.cache)
    assert again["run"].pop("kept") == {"unchanged": 1, "of": 1}
    for report in (first, again):
        report["run"].pop("seconds")
    assert again == first
    assert here.said == []


def test_nothing_but_the_kernel_is_needed_for_what_is_unchanged(here: Here) -> None:
    command = [sys.executable, "-c", "import sys; from derivations.cli import main; status = main(['check', 'a.md', '--device', "
               "'cpu']); print([m for m in ('sympy', 'torch', 'derivations.provers', 'derivations.kernel') if m in sys.modules])"]  # fmt: skip
    seen = [subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines() for _ in range(2)]
    assert "derivations.provers" in seen[0][-1]
    assert "sympy" not in seen[0][-1]  # its import takes as long as a chapter
    assert seen[1][-1] == "['derivations.kernel']"
    kept = "unchanged: 1 of 1, from the cache, with every proof replayed"
    assert [line for line in seen[1][:-1] if line != kept] == seen[0][:-1]
    assert kept in seen[1]


CHANGES: dict[str, Callable[[Here], object]] = {
    "the document": lambda h: h.write("a.md", TEXT + "\n$$ A_{ij} = A_{ij} $$\n"),
    "a file of macros beside it": lambda h: h.write("_config.yml", "macros: {}\n"),
    "the project file": lambda h: h.write("pyproject.toml", '[tool.derivations]\nnotation = {tokens = "rows"}\n'),
}


@pytest.mark.parametrize("what", CHANGES)
def test_what_changes_is_studied_anew(what: str, here: Here) -> None:
    assert here.check() == (STATUSES, False)
    assert here.check() == (STATUSES, True)
    CHANGES[what](here)
    statuses, kept = here.check()
    assert statuses[:4] == STATUSES and not kept
    assert here.check()[1]


def test_other_settings_and_other_versions(here: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    assert here.check() == (STATUSES, False)
    assert here.check(timeout=77.0) == (STATUSES, False)
    assert here.check(timeout=77.0) == (STATUSES, True)
    monkeypatch.setattr(module, "program", lambda: "another")
    assert here.check(timeout=77.0) == (STATUSES, False)


def test_files_that_are_taken_in(here: Here) -> None:
    here.write("main.tex", "\\documentclass{article}\\begin{document}\n\\input{a}\n\\input{b}\n\\end{document}\n")
    here.write("a.tex", "$x_i = y_i + 1$\n")
    assert here.check("main.tex")[0] == ["unread"], "b.tex is missing"
    assert here.check("main.tex")[1]
    here.write("b.tex", "$x_i = y_i + 1$\n")
    assert here.check("main.tex") == ([], False)
    assert here.check("main.tex")[1]
    here.write("a.tex", "$x_i = y_i + 2$\n")
    report, _ = check_documents(["main.tex"], device="cpu", numbers=False, cache=here.cache)
    assert [i["status"] for d in report["documents"] for i in d["items"]] == ["defined", "refuted"]


def test_chapters_are_kept_together(here: Here) -> None:
    here.write("pyproject.toml", '[tool.derivations]\nchapters = ["a.md", "b.md"]\n')
    here.write("b.md", "$$ \\sum_j A_{ij} = 1 $$\n")
    assert here.check("b.md") == (["proved"], False)
    assert here.check("b.md") == (["proved"], True)
    here.write("a.md", TEXT.replace(r"\sum_k \exp(S_{ik})", "n"))
    assert here.check("b.md") == (["refuted"], False)


def test_an_entry_of_the_project_file_is_used_somewhere(here: Here) -> None:
    """An entry that acts on one document need not act on the others, also when these come from the cache."""
    here.write("pyproject.toml", '[tool.derivations]\nnotation = {shapes = {S = "(n, n)"}}\n')
    here.write("b.md", "$$ y = 2 $$\n")
    for _ in range(2):
        report, _ = check_documents(["a.md", "b.md"], device="cpu", numbers=False, cache=here.cache)
        assert [s["fault"] for d in report["documents"] for s in d["declarations"] if s["text"].startswith("S:")] == [
            None
        ]


def proved(data: Any) -> Any:
    return next(i for i in data["documents"][0]["items"] if i["status"] == "proved")


def refuted(data: Any) -> Any:
    return next(i for i in data["documents"][0]["items"] if i["status"] == "refuted")


def other_digest(data: Any) -> None:
    """A certificate that does not prove what it says, under the digest that it has."""
    from derivations.kernel import certificate

    (kept,) = data["theorems"].values()
    kept["text"] = kept["text"].replace("= 1", "= 2")
    data["theorems"] = {certificate.digest(kept): kept}
    proved(data)["proof"]["certificate"] = certificate.digest(kept)


def claim_is_proved(data: Any) -> None:
    refuted(data).update({"status": "proved", "proof": {"certificate": "0" * 64, "rules": 1}})


# (what is wrong, how, a part of the message)
DAMAGE: dict[str, tuple[Callable[[Here], object], str]] = {
    "cut off": (lambda h: h.entry.write_text(h.entry.read_text()[:500]), "its digest is another one"),
    "empty": (lambda h: h.entry.write_text(""), "its digest is another one"),
    "no text": (lambda h: h.entry.write_bytes(b"\xff\xfe"), "UnicodeDecodeError"),
    "a verdict that was edited": (lambda h: h.edit(claim_is_proved, sign=False), "its digest is another one"),
    "a verdict without a certificate": (lambda h: h.edit(claim_is_proved), "eq-3 is proved without a certificate"),
    "no certificates": (lambda h: h.edit(lambda d: d["theorems"].clear()), "eq-2 is proved without a certificate"),
    "a certificate that was edited": (
        lambda h: h.edit(lambda d: next(iter(d["theorems"].values())).update(text="x")), "is another one"),
    "a certificate that does not prove it": (lambda h: h.edit(other_digest), "the certificate proves "),
    "a proof that does not replay": (
        lambda h: h.edit(lambda d: [c["terms"].pop() for c in d["theorems"].values()]), "is another one"),
    "other JSON": (lambda h: h.edit(lambda d: d.clear()), "KeyError"),
    "an item without a key": (lambda h: h.edit(lambda d: refuted(d).pop("where")), "KeyError"),
    "a key too many": (lambda h: h.edit(lambda d: refuted(d).update(more=1)), "TypeError"),
}  # fmt: skip


@pytest.mark.parametrize("what", DAMAGE)
def test_a_damaged_entry_is_not_used(what: str, here: Here) -> None:
    damage, message = DAMAGE[what]
    assert here.check() == (STATUSES, False)
    damage(here)
    assert here.check() == (STATUSES, False)
    (said,) = here.said
    assert message in said and "damaged entry of the cache, not used" in said and "\n" not in said
    assert here.check() == (STATUSES, True), "it is written anew"


def test_every_certificate_is_replayed(here: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    from derivations.kernel import certificate

    here.check()
    read, replayed = certificate.read, list[str]()
    monkeypatch.setattr(certificate, "read", lambda c: (replayed.append(c["text"]), read(c))[1])
    assert here.check() == (STATUSES, True)
    assert replayed == ["sum(j: 0 <= j < n; A[i, j]) = 1  for i with 0 <= i < n  for all sizes n"]


def test_what_another_run_may_decide_is_not_kept(here: Here) -> None:
    statuses, _ = here.check(timeout=1e-9)
    assert "undecided" in statuses
    assert not (here.place / "cache").exists()


def test_documents_that_cannot_be_read_are_not_kept(here: Here) -> None:
    (here.place / "b.md").write_bytes(b"\xff")
    _, errors = check_documents(["b.md"], cache=here.cache, numbers=False)
    assert len(errors) == 1
    assert not (here.place / "cache").exists()


def test_a_folder_that_cannot_be_written(
    here: Here, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    here.write("b.md", TEXT)
    here.write("file", "")
    monkeypatch.setenv(module.VARIABLE, str(here.place / "file" / "cache"))
    assert main(["check", "a.md", "b.md", "--device", "cpu"]) == 1
    said = capsys.readouterr()
    assert "needed a place for the cache, found: " in said.err
    assert "DERIVATIONS_CACHE names another one, --no-cache does without" in said.err
    assert said.err.count("\n") == 1
    assert "2 refuted" in said.out
    assert main(["check", "a.md", "--device", "cpu", "--no-cache"]) == 1
    assert capsys.readouterr().err == ""


def test_no_cache_keeps_nothing(here: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(module.VARIABLE, "own")
    assert main(["check", "a.md", "--device", "cpu", "--no-cache"]) == 1
    assert not Path("own").exists()
    assert main(["check", "a.md", "--device", "cpu"]) == 1
    assert len(list(Path("own").iterdir())) == 1


def test_the_oldest_entries_go(here: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST", 2)
    for name in ("b.md", "c.md", "d.md"):
        here.write(name, TEXT)
        here.check(name)
    assert len(list((here.place / "cache").iterdir())) == 2
    assert here.check("d.md")[1]


def test_what_a_killed_run_left_goes(here: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that is being written stays, and one that vanishes while it is looked at is no trouble."""
    folder = here.place / "cache"
    folder.mkdir()
    for name in (".old.json.1.part", ".new.json.2.part", ".link.json.3.part"):
        (folder / name).write_text("half", encoding="utf-8")
    os.utime(folder / ".old.json.1.part", (1, 1))
    (folder / ".link.json.3.part").unlink()
    (folder / ".link.json.3.part").symlink_to("nowhere")
    (folder / "gone.json").symlink_to("nowhere")
    here.write("b.md", TEXT)
    here.check("b.md")
    assert here.check("b.md")[1]
    assert {p.name for p in folder.iterdir() if p.name.startswith(".")} == {".new.json.2.part", ".link.json.3.part"}


FOLDERS = [
    ("linux", {"XDG_CACHE_HOME": "/x"}, None, "/x/derivations"),
    ("linux", {}, None, "/home/me/.cache/derivations"),
    ("darwin", {}, None, "/home/me/Library/Caches/derivations"),
    ("win32", {"LOCALAPPDATA": "/local"}, None, "/local/derivations/Cache"),
    ("linux", {"XDG_CACHE_HOME": "/x"}, "/project/.cache", "/project/.cache"),
    ("linux", {"DERIVATIONS_CACHE": "/named"}, "/project/.cache", "/named"),
]


@pytest.mark.parametrize(("platform", "environment", "setting", "expected"), FOLDERS)
def test_where_the_cache_lies(
    platform: str, environment: dict[str, str], setting: str | None, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("XDG_CACHE_HOME", "LOCALAPPDATA", "DERIVATIONS_CACHE"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {**environment, "HOME": "/home/me"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(Path, "home", lambda: Path("/home/me"))
    assert folder(Path(setting) if setting else None) == Path(expected)


def test_the_cache_of_a_project(here: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(module.VARIABLE)
    here.write("pyproject.toml", '[tool.derivations]\ncache = "build/cache"\n')
    project.forget()
    assert main(["check", "a.md", "--device", "cpu"]) == 1
    assert len(list(Path("build/cache").iterdir())) == 1
