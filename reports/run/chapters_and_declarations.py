"""What is read together: a document, its chapters before it, and what its project file declares."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from derivations.documents.model.document import Document, Place
from derivations.project import project_of

from ..model import DocumentReport

if TYPE_CHECKING:
    from derivations.documents.facts.directives import Declaration


def groups(paths: Sequence[str | Path]) -> Iterator[tuple[str | Path, list[str | Path], set[str]]]:
    """What is read together: a document, the chapters before it, and which of these nobody asked for.

    Chapters of one project are read once, up to the last one that is asked for, where the first one stands.
    """
    resolved = {Path(p).resolve(): p for p in paths}
    done: set[Path] = set()
    for path in paths:
        if Path(path).resolve() in done:
            continue
        project = project_of(path)
        wanted = [c for name in project.chapters if (c := project.root / name) in resolved]
        if project.name(path) not in project.chapters:
            done.add(Path(path).resolve())
            yield path, [], set()
            continue
        done |= set(wanted)
        needed = project.chapters_up_to(wanted[-1])
        given: list[str | Path] = [resolved.get(c, c) for c in needed]
        yield given[-1], given[:-1], {Path(c).as_posix() for c in given if c not in resolved.values()}


def declared_in_project(path: str | Path, before: Sequence[str | Path] = ()) -> list[Declaration]:
    """What the project file declares for a document that is read after some chapters."""
    from derivations.documents.facts.directives import read_entry

    project = project_of(path)
    found = []
    for file in (*before, path):
        shared = project.entries if file is path else ()
        for entry in (*(e for f in project.settings(file) for e in f.entries), *shared):
            found.append(read_entry(entry.text, Place(entry.path, None, entry.line, 1)))
            found[-1].only = Path(file).as_posix()
    return found


def used_somewhere(documents: Sequence[DocumentReport]) -> list[DocumentReport]:
    """An entry of the project file that acts on one document need not act on the others; of the rest one fault is kept."""
    rows = [s for d in documents for s in d.declarations]
    used = {(s.path, s.text) for s in rows if s.items}
    result, seen = [], set(used)
    for d in documents:
        kept = []
        for s in d.declarations:
            key = (s.path, s.text)
            if s.fault and s.project and key in seen:
                continue
            if s.project:
                seen.add(key)
            kept.append(s)
        result.append(replace(d, declarations=kept))
    return result


def read_with(path: str | Path, before: Sequence[str | Path] = ()) -> Document:
    """A document, after the chapters before it where there are any."""
    from derivations.documents import read
    from derivations.documents.formats.chapters import bound

    return bound([read(p) for p in (*before, path)]) if before else read(path)
