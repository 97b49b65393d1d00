"""From paths to one report: every document in its turn, what is unchanged from the cache.

Importing this imports no prover: where all documents are unchanged, none is needed.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from derivations.documents.formats.files_looked_at import recorded
from derivations.documents.model.document import DocumentError

from ..model import DocumentReport, Report
from .chapters_and_declarations import groups, used_somewhere

if TYPE_CHECKING:
    from derivations.numeric.running.process import Settings

    from derivations.kernel.theorem import Theorem
    from derivations.second_reader import SecondReader

    from .cache import Cache

Progress = Callable[[int, int, str], object]
"""Told how many documents are done, of how many, and which one comes next (empty at the end)."""


@dataclass
class Checked:
    """What checking one group of documents found out."""

    documents: list[DocumentReport] = field(default_factory=list)
    checks: list[dict[str, Any]] = field(default_factory=list)
    skipped: list[dict[str, Any]] = field(default_factory=list)
    executed: list[dict[str, Any]] = field(default_factory=list)
    theorems: list[Theorem] = field(default_factory=list)
    """The theorem of each item that is proved."""


def check_documents(
    paths: Sequence[str | Path],
    *,
    device: str = "auto",
    timeout: float | None = None,
    numbers: bool = True,
    run: Settings | None = None,
    second_reader: bool = False,
    cache: Cache | None = None,
    progress: Progress | None = None,
    files: set[str] | None = None,
) -> tuple[dict[str, Any], list[str]]:
    """Check documents and return (the report, one message for each document that could not be read).

    `device` is `cpu`, `cuda` or `auto` for the numerical cross-checks; `timeout` the seconds that the decisions about
    one document may take before the rest is left undecided; `run` says how the code of the documents is run, None that
    nothing of them is executed. What `cache` holds is taken from it, unless code is run or a second reader asked; `files`
    takes the files that were looked at.
    """
    started = time.monotonic()
    session = _Session(device, timeout, numbers, run, second_reader, cache)
    todo = list(groups(paths))
    for k, (path, before, others) in enumerate(todo):
        if progress is not None:
            progress(k, len(todo), Path(path).as_posix())
        looked_at = session.check(path, before, others)
        if files is not None:
            files.update(looked_at)
    if progress is not None:
        progress(len(todo), len(todo), "")
    session.leave_out_parts()
    about = {**session.about(), "seconds": round(time.monotonic() - started, 3)}
    documents = [document for group in session.done for document in group.checked.documents]
    return Report(used_somewhere(documents), about).to_dict(), session.errors


@dataclass
class _Group:
    """What was checked together: its own documents, what was found out, and the files that were read for it."""

    own: set[Path]
    checked: Checked
    read: set[Path]
    kept: bool

    def has(self, other: _Group) -> bool:
        """Whether the only document of another group is a part of this one, or has nothing but what this one took from it."""
        if len(other.own) != 1 or not other.own <= self.read or other.own <= self.own:
            return False
        empty = not any(document.items for document in other.checked.documents)
        return empty or other.own <= {Path(document.path).resolve() for document in self.checked.documents}


class _Session:
    """One run of `check_documents`."""

    def __init__(
        self,
        device: str,
        timeout: float | None,
        numbers: bool,
        run: Settings | None,
        second_reader: bool,
        cache: Cache | None,
    ) -> None:
        self.device, self.timeout, self.numbers, self.run = device, timeout, numbers, run
        self.second_reader = second_reader
        self.cache = cache if run is None and not second_reader else None
        self.done: list[_Group] = []
        self.errors: list[str] = []
        self.second: SecondReader | None = None
        self.opinions: dict[str, Any] = {}
        self.prepared = False

    def check(self, path: str | Path, before: Sequence[str | Path], others: Collection[str]) -> Collection[str]:
        """Check one group, or take it from the cache; returns the files that were looked at."""
        entry = None
        own = {Path(p).resolve() for p in (path, *before)}
        if self.cache is not None:
            entry = self.cache.entry(path, before, others, (self.device, self.timeout, self.numbers))
            if (found := entry.load()) is not None:
                self.done.append(_Group(own, found, _read(entry.files), kept=True))
                return entry.files
        checked = Checked()
        with recorded() as files:
            fine = self._study(path, before, others, checked)
        self.done.append(_Group(own, checked, _read(files), kept=False))
        if entry is not None and fine:
            entry.save(checked, files)
        return {*files, *map(str, own)}

    def leave_out_parts(self) -> None:
        """What a document takes in was read as a part of it, with its macros and names: it is no document of its own."""
        left_out: set[int] = set()
        for k, group in enumerate(self.done):
            if any(j != k and j not in left_out and other.has(group) for j, other in enumerate(self.done)):
                left_out.add(k)
        self.done = [group for k, group in enumerate(self.done) if k not in left_out]

    def _study(self, path: str | Path, before: Sequence[str | Path], others: Collection[str], checked: Checked) -> bool:
        self._prepare()
        from derivations.documents.model.finding import bug

        from .check import check_group

        try:
            check_group(
                path,
                before,
                others,
                checked,
                device=self.device,
                timeout=self.timeout,
                numbers=self.numbers,
                run=self.run,
                second=self.second,
                opinions=self.opinions,
            )
        except DocumentError as error:
            self.errors.append(str(error))
        except Exception as error:  # noqa: BLE001 - a bug of ours must not silence the other documents; it is reported as what it is
            self.errors.append(f"{path}: {bug(error)}")
        else:
            return True
        return False

    def _prepare(self) -> None:
        """Once, before the first document that is studied."""
        if self.prepared:
            return
        self.prepared = True
        if self.numbers:
            from derivations.numeric.apart import apart

            apart()  # before anything heavy is imported here: it imports torch meanwhile
        if self.second_reader:
            from derivations.second_reader import SecondReader

            self.second = SecondReader()

    def about(self) -> dict[str, Any]:
        """What the report says about the run."""
        done = [group.checked for group in self.done]
        kept = sum(group.kept for group in self.done)
        skipped = _merged([row for checked in done for row in checked.skipped])
        about: dict[str, Any] = {
            "checks": [row for checked in done for row in checked.checks],
            "skipped": skipped,
            "errors": self.errors,
            "versions": versions(),
        }
        if kept:
            about["kept"] = {"unchanged": kept, "of": len(done)}
        if self.run is not None:
            about["executed"] = [row for checked in done for row in checked.executed]
        if self.second is not None:
            self.second.close()
            about["second_reader"] = {"agree": 0, "differ": 0, "not_read": 0, **self.opinions}
            if self.second.absent is not None:
                skipped.append({"what": "second reader", "reason": self.second.absent})
        return about


def _read(files: Mapping[str, str | None]) -> set[Path]:
    return {Path(file).resolve() for file, digest in files.items() if digest is not None}


def _merged(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """One row for all items of which the same was not tried for the same reason."""
    found: dict[tuple[str, str], dict[str, Any]] = {}
    merged = []
    for row in rows:
        key = row["what"], row["reason"]
        if "item" in row and key in found:
            same = found[key]
            same["items"] = same.get("items", 1) + 1
            same.pop("item", None)
            same.pop("document", None)
            continue
        merged.append(dict(row))
        if "item" in row:
            found[key] = merged[-1]
    return merged


PACKAGES = {"derivations": "derivations", "sympy": "sympy", "python-flint": "flint", "numpy": "numpy", "torch": "torch"}
"""The packages that take part, with the names under which they are imported."""


def versions() -> dict[str, str]:
    """Versions of Python and of the packages that took part."""
    known: dict[str, str] = {}
    for folder in sys.path:
        for name, version in _told_by_folders(folder):
            known.setdefault(name, version)
    found = {"python": sys.version.split()[0]}
    for name, module in PACKAGES.items():
        version = known.get(name) or _told_by_metadata(name, module)
        if version is not None:
            found[name] = version
    return found


def _told_by_folders(folder: str) -> Iterator[tuple[str, str]]:
    """The packages that are installed in a folder, by the names of the folders with what is known of them.

    `importlib.metadata` reads the same with a parser of e-mail, which takes as long to import as a short document to study.
    """
    try:
        inside = sorted(os.listdir(folder or "."))
    except OSError:
        return
    for entry in inside:
        name, _, version = entry.removesuffix(".dist-info").partition("-")
        if entry.endswith(".dist-info") and version:
            yield name.lower().replace("_", "-"), version


def _told_by_metadata(name: str, module: str) -> str | None:
    """The version of a package that is installed in another way."""
    from importlib.util import find_spec

    if find_spec(module) is None:
        return None
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(name)
    except PackageNotFoundError:
        return None


__all__ = ["Checked", "check_documents", "versions"]
