"""The claims of documents as pytest items; `derivations.pytest_plugin` registers this when it is asked to.

A claim that is proved passes, and one that is refuted fails.  What was not decided is skipped, so that it is counted, or
fails with `--derivations-strict`; it never passes.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from derivations.documents import SUFFIXES
from derivations.project import ProjectError, project_of

from ..model import claims, faults, is_expected
from ..plain.terminal import failure, one_line
from ..verdict_words import verdict
from .check import check_documents

SEARCHED = frozenset(SUFFIXES) - {".py", ".txt"}
"""Files that are collected when a folder is searched; the others are when they are named."""


class Documents:
    """The hooks, and the reports of the documents that were collected."""

    def __init__(self, config: pytest.Config) -> None:
        self.config, self.files, self.claims = config, 0, 0
        self.strict = bool(config.getoption("--derivations-strict"))
        try:
            project_of(config.rootpath)
        except ProjectError as error:
            raise pytest.UsageError(f"derivations: {error}") from None
        self._reports: dict[Path, tuple[Mapping[str, Any] | None, str]] = {}

    def pytest_collect_file(self, file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
        """A document that is named, or that is found and not excluded by the project."""
        suffix, named = file_path.suffix.lower(), parent.session.isinitpath(file_path)
        if suffix not in (SUFFIXES if named else SEARCHED):
            return None
        try:
            if not named and project_of(file_path).is_excluded(file_path):
                return None
        except ProjectError:
            pass  # collecting the document will say so
        collector: pytest.Collector = DocumentFile.from_parent(parent, path=file_path, documents=self)
        return collector

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """How many documents and claims there were; under xdist the workers know, and nothing is said."""
        if hasattr(self.config, "workerinput") or self.config.pluginmanager.hasplugin("dsession"):
            return
        documents = "1 document" if self.files == 1 else f"{self.files} documents"
        claims_ = "1 claim" if self.claims == 1 else f"{self.claims} claims"
        said = f"{documents}, {claims_}" if self.files else "no document was found"
        terminalreporter.write_line(f"derivations: {said}")

    def report_of(self, path: Path) -> tuple[Mapping[str, Any] | None, str]:
        """The report of one document, or None with what went wrong; chapters are checked together, once."""
        if path.resolve() not in self._reports:
            project = project_of(path)
            name = project.name(path)
            wanted = [project.root / c for c in project.chapters] if name in project.chapters else [path]
            report, errors = check_documents([_shown(p) for p in wanted], numbers=False)
            for p in wanted:  # a LaTeX document alone comes with the files that it takes in
                own = [d for d in report["documents"] if len(wanted) == 1 or Path(d["path"]).resolve() == p.resolve()]
                read = {**report, "documents": own} if own else None
                self._reports[p.resolve()] = (read, "; ".join(errors))
        return self._reports[path.resolve()]


def _shown(path: Path) -> str:
    """A path as a person would write it."""
    try:
        return Path(os.path.relpath(path)).as_posix()
    except ValueError:  # another drive
        return path.as_posix()


class DocumentFile(pytest.File):
    """A document; its tests are its claims, and its declarations where it has any."""

    def __init__(self, *, documents: Documents, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.documents = documents

    def collect(self) -> Iterable[pytest.Item]:
        """One test for each claim, in document order."""
        self.documents.files += 1  # not when it is made: pytest makes those beside a named file, too
        try:
            report, problem = self.documents.report_of(self.path)
        except ProjectError as error:
            report, problem = None, str(error)
        if report is None:
            yield Readable.from_parent(self, name="readable", problem=problem)
            return
        if any(d.get("declarations") for d in report["documents"]):
            yield Readable.from_parent(self, name="declarations", problem="\n".join(_faults(report)))
        for document in report["documents"]:
            own = document["path"] == report["documents"][0]["path"]
            for item in [*claims(document["items"]), *_ignored(document["items"])]:
                self.documents.claims += 1
                name = _name(item) if own else f"{document['path']}:{_name(item)}"
                strict = self.documents.strict
                yield Claim.from_parent(self, name=name, item=item, path_shown=document["path"], strict=strict)


def _faults(report: Mapping[str, Any]) -> Iterator[str]:
    for path, where, fault in faults(report):
        yield f"{path}:{where['line']}: {fault}"


def _ignored(items: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    return [i for i in items if i["silenced"] is not None and i["silenced"]["how"] in ("ignored", "off")]


def _name(item: Mapping[str, Any]) -> str:
    where = item["where"]
    cell = f"c{where['cell']}-" if where["cell"] is not None else ""
    return f"{cell}L{where['line']}-{item['kind']}-{item['id']}"


class Readable(pytest.Item):
    """Fails when a document cannot be read, or when a declaration of it is not understood or does nothing."""

    def __init__(self, *, problem: str, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.problem = problem
        self.add_marker("derivations")

    def runtest(self) -> None:
        """Fail with the problem."""
        if self.problem:
            raise ClaimFailed(self.problem)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The message alone."""
        return str(excinfo.value) if excinfo.errisinstance(ClaimFailed) else super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Where it stands."""
        return self.path, None, self.name


class ClaimFailed(Exception):
    """A claim is false, or a document has a fault; the message is for the person who reads the test report."""


class Claim(Readable):
    """One claim."""

    def __init__(self, *, item: Mapping[str, Any], path_shown: str, strict: bool, **kwargs: Any) -> None:
        super().__init__(problem="", **kwargs)
        self.item, self.path_shown, self.strict = item, path_shown, strict
        self.extra_keyword_matches.update({item["kind"], item["id"], item["code"] or item["kind"]})

    def runtest(self) -> None:
        """Pass when it is proved, fail when it is refuted, skip what is neither."""
        item, row = self.item, verdict(self.item)
        if item["status"] in ("refuted", "wrong"):
            if is_expected(item):
                pytest.xfail(f"expected to be {item['status']}: {item['silenced']['reason']}")
            raise ClaimFailed("\n".join(failure(item, self.path_shown)))
        if item["status"] in ("proved", "holds"):
            return
        reason = f"{row.words.lower()}: {item['reason'] or row.meaning}"
        if self.strict and item["status"] != "skipped":
            place = f"{self.path_shown}:{item['where']['line']}"
            raise ClaimFailed(f"{row.sign} {row.words}  {place}  {one_line(item['source'], 70)}\n    {reason}")
        raise pytest.skip.Exception(reason, _use_item_location=True)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Where the claim stands, and what it says."""
        return self.path, self.item["where"]["line"] - 1, f"{self.name}: {one_line(self.item['source'], 60)}"
