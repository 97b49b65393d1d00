"""Where a report goes: `--output KIND=PATH`, each kind written whole or not at all."""

from __future__ import annotations

import difflib
import os
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .model import ReportError, to_json


class OutputError(Exception):
    """An output that cannot be written; the message is one line that says which, what was needed and found."""


def _lazily(module: str, function: str) -> Callable[[Mapping[str, Any]], str]:
    def write(report: Mapping[str, Any]) -> str:
        from importlib import import_module

        return str(getattr(import_module(f".{module}", __package__), function)(report))

    return write


def _csv(report: Mapping[str, Any]) -> str:
    """The table of submissions where there is one, else the items."""
    against = report["run"].get("against")
    return _lazily("run.batch", "as_csv")(against) if against else _lazily("plain.csv_tables", "write_csv")(report)


TEXTS: dict[str, Callable[[Mapping[str, Any]], str]] = {
    "json": to_json,
    "plain": _lazily("plain.annotations", "write_plain"),
    "github": _lazily("plain.annotations", "write_github"),
    "sarif": _lazily("plain.sarif", "write_sarif"),
    "junit": _lazily("plain.junit", "write_junit"),
    "markdown": _lazily("plain.markdown", "write_markdown"),
    "csv": _csv,
    "tex": _lazily("tex.article", "write_tex"),
}
"""One row per kind that is one text."""
KINDS = (*TEXTS, "html", "pdf")


@dataclass(frozen=True)
class Output:
    """One place that a report is written to; the path `-` is standard output."""

    kind: str
    path: str


def read_output(text: str) -> Output:
    """`KIND=PATH`.

    Errors: OutputError.

    >>> read_output("sarif=report.sarif")
    Output(kind='sarif', path='report.sarif')
    """
    kind, equals, path = text.partition("=")
    if not equals or not path:
        raise OutputError(f"--output: needed KIND=PATH, such as html=report, found {text!r}")
    if kind not in KINDS:
        near = difflib.get_close_matches(kind, KINDS, 1)
        hint = f"did you mean {near[0]!r}?" if near else f"kinds: {', '.join(KINDS)}"
        raise OutputError(f"--output: needed a kind of report, found {kind!r}; {hint}")
    if path == "-" and kind not in TEXTS:
        raise OutputError(f"--output: needed a path for {kind}, which is no text, found '-'")
    return Output(kind, path)


def see_to(outputs: Sequence[Output]) -> None:
    """Raise OutputError where an output could not be written: before the work is done, not after it."""
    places = [_place(o) for o in outputs]
    for o in outputs:
        if places.count(_place(o)) > 1:
            raise OutputError(f"{o.path}: needed one output for each place, found two")
        if o.path == "-":
            continue
        path = Path(o.path)
        if o.kind == "html" and path.exists() and not path.is_dir():
            raise OutputError(f"{path}: needed a folder for the HTML report, found a file")
        if o.kind != "html" and path.is_dir():
            raise OutputError(f"{path}: needed a file for {o.kind}, found a folder")
        if path.exists() and not path.is_file() and not path.is_dir():
            continue  # a pipe or a device
        folder = path if o.kind == "html" else path.parent
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                pass
        except OSError as error:
            said = error.strerror or str(error)
            raise OutputError(f"{folder}: needed a folder that can be written, found: {said}") from None


def _place(o: Output) -> str:
    """The file that an output is, of a folder its first page."""
    if o.path == "-":
        return "-"
    path = Path(os.path.abspath(o.path))
    return str(path / "index.html" if o.kind == "html" else path)


def write_outputs(outputs: Iterable[Output], report: Mapping[str, Any]) -> list[str]:
    """Write a report to all its places; returns what is not an error of writing but was not done, a line each.

    Errors: OutputError.
    """
    messages = []
    for o in outputs:
        try:
            if o.kind == "html":
                from .html.pages import write_html

                write_html(report, o.path)
            elif o.kind == "pdf":
                messages += _pdf(Path(o.path), report)
            elif o.path != "-":
                write_whole(Path(o.path), TEXTS[o.kind](report))
        except OSError as error:
            raise OutputError(unwritable(o.path, error)) from None
        except ReportError as error:
            raise OutputError(f"{o.path}: {error}") from None
    return messages


def write_whole(path: Path, text: str | bytes) -> None:
    """Write a file beside its place and rename it, so that it is there complete or as it was before.

    Lone surrogates, which JSON may hold and UTF-8 may not, are written as their escapes.
    """
    if path.exists() and not path.is_file():  # a pipe or a device keeps its place
        path.write_bytes(_bytes(text))
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    write_together({path: text})


def write_together(files: Mapping[Path, str | bytes]) -> None:
    """Write files beside their places, and rename them when all are written: all are new, or all are as they were."""
    beside = {path: path.with_name(f".{path.name}.{os.getpid()}.part") for path in files}
    try:
        for path, text in files.items():
            beside[path].write_bytes(_bytes(text))
        for path, part in beside.items():
            part.replace(path)
    finally:
        for part in beside.values():
            part.unlink(missing_ok=True)


def _bytes(text: str | bytes) -> bytes:
    return text if isinstance(text, bytes) else text.encode("utf-8", "backslashreplace")


def _pdf(path: Path, report: Mapping[str, Any]) -> list[str]:
    """Compile in a folder of its own; where no LaTeX is installed, the source is left instead."""
    from .tex.article import compile_pdf, write_tex

    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "report.tex"
        source.write_text(write_tex(report), encoding="utf-8")
        made = compile_pdf(source)
        if made is not None:
            write_whole(path, made.read_bytes())
            return []
        beside = path.with_suffix(".tex")
        write_whole(beside, source.read_bytes())
    return [f"{path}: needed latexmk (TeX Live, MiKTeX) for a PDF, found none; its source is {beside}"]


def unwritable(place: str, error: OSError) -> str:
    """One line about a place that could not be written; the file beside it is nobody's business."""
    name = next((n for n in (error.filename2, error.filename) if n and not str(n).endswith(".part")), place)
    return f"{name}: needed a place that can be written, found: {error.strerror or error}"
