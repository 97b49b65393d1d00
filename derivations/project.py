r"""`[tool.derivations]` in `pyproject.toml`: notation, the order of chapters, what to leave out, settings for single files.

    [tool.derivations]
    exclude = ["drafts/*"]
    chapters = ["attention.md", "heads.md"]     # what one defines, the next ones know
    timeout = 60
    fail-on = ["refuted", "undecided"]
    baseline = "known.json"
    notation = "notation.toml"                  # or the table [tool.derivations.notation]

    [tool.derivations.notation]
    macros = { "\\R" = "\\mathbb{R}" }
    shapes = { "Q, K" = "(n, d)" }
    names = { W_q = "label" }
    tokens = "rows"

    [tool.derivations.files."old/*.md"]
    ignore = { false-claim = "kept as it was printed" }

A key that is not known is an error, with the nearest one that is.
"""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any

FILE = "pyproject.toml"
KEYS = ("baseline", "cache", "chapters", "exclude", "fail-on", "files", "notation", "timeout")
NOTATION_KEYS = ("bases", "given", "indices", "macros", "names", "ranges", "shapes", "softmax", "tokens")
FILE_KEYS = ("ignore", "notation", "timeout")
FAILING = ("refuted", "undecided", "unread", "assumed")
"""What a run can be told to fail on; `refuted` is also a printed output that is wrong."""
_HEADER = re.compile(r"^\s*\[\s*tool\s*\.\s*derivations\b", re.MULTILINE)


class ProjectError(Exception):
    """A project file that cannot be used; the message is one line that says where, what was needed and found."""


@dataclass(frozen=True)
class Entry:
    """A declaration of the project file: its text, and the file and line where it stands."""

    text: str
    path: str
    line: int


@dataclass(frozen=True)
class ForFiles:
    """Settings for the files that match a pattern."""

    pattern: str
    entries: tuple[Entry, ...] = ()
    timeout: float | None = None


@dataclass(frozen=True)
class Project:
    """The settings of one project; all paths are relative to `root`."""

    root: Path
    exclude: tuple[str, ...] = ()
    chapters: tuple[str, ...] = ()
    timeout: float | None = None
    entries: tuple[Entry, ...] = ()
    files: tuple[ForFiles, ...] = ()
    fail_on: tuple[str, ...] = ()
    baseline: Path | None = None
    cache: Path | None = None
    sources: tuple[Path, ...] = ()
    """The files that these settings were read from."""

    def name(self, path: str | Path) -> str:
        """A path as patterns see it: relative to the root, with `/`; empty for a file outside."""
        try:
            return Path(path).resolve().relative_to(self.root).as_posix()
        except ValueError:
            return ""

    def is_excluded(self, path: str | Path) -> bool:
        """Whether a file found by searching a folder is left out; a file named on the command line never is."""
        return _matches(self.name(path), self.exclude)

    def settings(self, path: str | Path) -> tuple[ForFiles, ...]:
        """The settings for one file, in the order of the project file."""
        return tuple(f for f in self.files if _matches(self.name(path), (f.pattern,)))

    def timeout_of(self, path: str | Path) -> float | None:
        """The seconds for one file; the last pattern that matches wins."""
        found = [f.timeout for f in self.settings(path) if f.timeout is not None]
        return found[-1] if found else self.timeout

    def entries_of(self, path: str | Path) -> tuple[Entry, ...]:
        """The declarations for one file; those for the file come first, for the first one that is made holds."""
        return (*(e for f in self.settings(path) for e in f.entries), *self.entries)

    def chapters_up_to(self, path: str | Path) -> list[Path]:
        """The chapters that come before a file, and the file itself; empty when it is no chapter."""
        name = self.name(path)
        if name not in self.chapters:
            return []
        return [self.root / c for c in self.chapters[: self.chapters.index(name) + 1]]


def _matches(name: str, patterns: Iterable[str]) -> bool:
    return bool(name) and any(
        fnmatchcase(name, p) or fnmatchcase(name, f"{p.rstrip('/')}/*") or fnmatchcase(name, f"*/{p}") for p in patterns
    )


def project_of(path: str | Path) -> Project:
    """The project that a document belongs to: the nearest `pyproject.toml` above it with `[tool.derivations]`.

    Errors: ProjectError for a file that cannot be read or used.
    """
    folder = Path(path).resolve()
    return _nearest(folder if folder.is_dir() else folder.parent)


@cache
def _nearest(folder: Path) -> Project:
    for place in (folder, *folder.parents):
        file = place / FILE
        if not file.is_file():
            continue
        try:
            text = file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise ProjectError(f"{file}: needed a readable file in UTF-8, found: {error}") from None
        if _HEADER.search(text):
            return read_project(text, file)
    return Project(folder)


def forget() -> None:
    """Read every project file again when it is next needed."""
    _nearest.cache_clear()


def read_project(text: str, file: Path) -> Project:
    """The settings in the text of a project file.

    Errors: ProjectError.

    >>> read_project('[tool.derivations]\\nexclude = ["drafts/*"]', Path("/p/pyproject.toml")).exclude
    ('drafts/*',)
    """
    table = _Reader(text, file).table(("tool", "derivations"))
    return _project(table, text, file)


@dataclass(frozen=True)
class _Reader:
    """One TOML file, with the lines of its keys."""

    text: str
    file: Path

    def table(self, keys: Sequence[str]) -> dict[str, Any]:
        try:
            found: Any = tomllib.loads(self.text)
        except tomllib.TOMLDecodeError as error:
            raise ProjectError(f"{self.file}: needed TOML, found: {error}") from None
        for key in keys:
            found = found.get(key, {})
        return dict(self.checked(found, dict, "a table", ".".join(keys) or "file"))

    def line(self, *keys: str) -> int:
        """The line of the last of nested keys, the first line where it is not found."""
        at = 0
        for key in keys:
            quoted = re.escape(key).replace(r"\\", r"\\\\?")
            match = re.compile(rf"""(?<![\w-])["']?{quoted}["']?\s*(?:=|\]|\.)""").search(self.text, at)
            at = match.start() if match is not None else at
        return self.text.count("\n", 0, at) + 1

    def fail(self, message: str, *keys: str) -> ProjectError:
        return ProjectError(f"{self.file}:{self.line(*keys)}: {message}")

    def known(self, table: Mapping[str, Any], keys: Sequence[str], where: str) -> None:
        for key in table:
            if key not in keys:
                near = difflib.get_close_matches(key, keys, 1)
                hint = f"did you mean {near[0]!r}?" if near else f"known keys: {', '.join(keys)}"
                raise self.fail(f"{where}: unknown key {key!r}; {hint}", key)

    def checked(self, value: Any, kind: type, words: str, *keys: str) -> Any:
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise self.fail(f"{keys[-1]}: needed {words}, found {value!r}", *keys)
        return value

    def texts(self, value: Any, *keys: str) -> tuple[str, ...]:
        listed = self.checked(value, list, "a list of texts", *keys)
        return tuple(self.checked(v, str, "a list of texts", *keys) for v in listed)

    def kinds(self, value: Any, key: str) -> tuple[str, ...]:
        named = self.texts(value, key)
        for name in named:
            if name not in FAILING:
                raise self.fail(f"{key}: needed some of {', '.join(FAILING)}, found {name!r}", key)
        return named

    def path(self, value: Any, key: str) -> Path | None:
        return None if value is None else self.file.parent / self.checked(value, str, "a path", key)

    def seconds(self, value: Any, *keys: str) -> float | None:
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < float("inf"):
            raise self.fail(f"timeout: needed a positive number of seconds, found {value!r}", *keys)
        return float(value)


def _project(table: Mapping[str, Any], text: str, file: Path) -> Project:
    r = _Reader(text, file)
    r.known(table, KEYS, "[tool.derivations]")
    chapters = r.texts(table.get("chapters", []), "chapters")
    for name in chapters:
        if not (file.parent / name).is_file() or chapters.count(name) > 1:
            found = "it twice" if chapters.count(name) > 1 else "none of that name"
            raise r.fail(f"chapters: needed a file {name!r} beside the project file, found {found}", "chapters")
    files = []
    tables = r.checked(table.get("files", {}), dict, "a table", "files")
    for pattern, value in tables.items():
        own = r.checked(value, dict, "a table", pattern)
        r.known(own, FILE_KEYS, f"[tool.derivations.files.{pattern!r}]")
        entries = [*_notation(own.get("notation", {}), r, file.parent)]
        for code, reason in r.checked(own.get("ignore", {}), dict, "a table of codes and reasons", "ignore").items():
            said = r.checked(reason, str, "the reason as a text", "ignore", code).strip()
            if not said:
                raise r.fail(f"ignore: needed a reason for {code!r}, found none", "ignore", code)
            entries.append(Entry(f"ignore[{code}] {said}", file.name, r.line("files", "ignore", code)))
        files.append(ForFiles(pattern, tuple(entries), r.seconds(own.get("timeout"), "files", "timeout")))
        if own.get("notation") and any(_matches(c, (pattern,)) for c in chapters):
            raise r.fail(
                f"{pattern!r}: chapters share their notation; write it in [tool.derivations.notation]", pattern
            )
    return Project(
        file.parent.resolve(),
        r.texts(table.get("exclude", []), "exclude"),
        chapters,
        r.seconds(table.get("timeout"), "timeout"),
        _notation(table.get("notation", {}), r, file.parent),
        tuple(files),
        r.kinds(table.get("fail-on", []), "fail-on"),
        r.path(table.get("baseline"), "baseline"),
        r.path(table.get("cache"), "cache"),
        (
            file,
            *(file.parent / n for n in (t.get("notation") for t in (table, *tables.values())) if isinstance(n, str)),
        ),
    )


def _notation(value: Any, r: _Reader, folder: Path) -> tuple[Entry, ...]:
    """A table of notation, or the name of a file that holds one, as declarations."""
    if isinstance(value, str):
        file = folder / value
        try:
            text = file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            raise r.fail(
                f"notation: needed a file in UTF-8, found none that is readable at {value!r}", "notation"
            ) from None
        r = _Reader(text, file)
        value = r.table(())
    table = r.checked(value, dict, "a table or the name of a file", "notation")
    r.known(table, NOTATION_KEYS, "notation")
    entries: list[Entry] = []

    def add(said: str, *keys: str) -> None:
        from derivations.documents.facts.directives import BadDeclaration, read_entry
        from derivations.documents.model.document import Place

        try:
            read_entry(said, Place(r.file.name, None, 1, 1))
        except BadDeclaration as error:
            raise r.fail(str(error), *keys) from None
        entries.append(Entry(said, r.file.name, r.line(*keys)))

    for key in ("macros", "names", "shapes", "ranges", "bases"):
        for name, said in r.checked(table.get(key, {}), dict, "a table", key).items():
            written = name if key != "macros" or name.startswith("\\") else "\\" + name
            if key == "bases":
                add(f"{written}: from {r.checked(said, int, '0 or 1', key, name)}", key, name)
            else:
                add(f"{written}: {r.checked(said, str, 'a text', key, name)}", key, name)
    for key in ("tokens", "softmax"):
        if key in table:
            add(f"{key}: {r.checked(table[key], str, 'a text', key)}", key)
    if "indices" in table:
        add(f"indices: from {r.checked(table['indices'], int, '0 or 1', 'indices')}", "indices")
    for said in r.texts(table.get("given", []), "given"):
        add(f"given: {said}", "given")
    return tuple(entries)


__all__ = ["FAILING", "Entry", "ForFiles", "Project", "ProjectError", "forget", "project_of", "read_project"]
