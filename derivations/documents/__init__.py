"""Readers of documents: notebooks, Markdown, LaTeX, plain-text transcripts, Python. Reading never executes anything."""

from __future__ import annotations

import re
from dataclasses import replace
from hashlib import sha256
from pathlib import Path, PurePosixPath

from derivations.documents.formats.files_looked_at import looked_at
from derivations.documents.model.document import Builder, Document, DocumentError, Heading

SUFFIXES = (".ipynb", ".md", ".markdown", ".qmd", ".tex", ".txt", ".py")
"""The files that can be read."""
MAX_BYTES = 32 * 2**20
MAX_HEADING = 1000
"""Most characters of a heading in which emphasis is looked for."""


def read(path: str | Path) -> Document:
    """Read a document.

    Errors: DocumentError with one line for a missing file, a wrong encoding, a NUL byte, an unreadable notebook, a file
    that is too large, or a suffix that no reader knows.
    """
    path = Path(path)
    name = path.as_posix()
    if path.suffix.lower() not in SUFFIXES:
        raise DocumentError(
            f"{name}: needed a file that ends in {', '.join(SUFFIXES)}, found {path.suffix or 'no suffix'}"
        )
    try:
        if path.stat().st_size > MAX_BYTES:
            raise DocumentError(f"{name}: needed at most {MAX_BYTES} bytes, found {path.stat().st_size}")
        data = path.read_bytes()
        looked_at(path, data)
    except FileNotFoundError:
        raise DocumentError(f"{name}: needed a file, found none of that name") from None
    except OSError as error:
        raise DocumentError(f"{name}: needed a readable file, found: {error.strerror or error}") from None
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DocumentError(f"{name}: needed UTF-8 text, found another byte at offset {error.start}") from None
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise DocumentError(f"{name}:{line}: needed text, found a NUL byte")
    return read_text(text, name, sha256(data).hexdigest(), path.parent)


def read_text(text: str, name: str, digest: str = "", folder: Path | None = None) -> Document:
    """Read a document from its text; `name` tells its format by the suffix.

    Files that the document takes in are read from `folder` and below it, and not at all when it is None.
    """
    from derivations.documents.formats.latex_file import read_latex
    from derivations.documents.formats.markdown import front_matter, read_markdown
    from derivations.documents.formats.notebook import read_notebook
    from derivations.documents.formats.python_file import read_python
    from derivations.documents.formats.transcript import is_transcript, read_transcript

    text = text.replace("\r\n", "\n").replace("\r", "\n")
    digest = digest or sha256(text.encode()).hexdigest()
    builder, suffix = Builder(name), PurePosixPath(name).suffix.lower()
    front, files = "", {}
    parts: tuple[Document, ...] = ()
    lines = [(line, k, 1) for k, line in enumerate(text.split("\n"), 1)]
    if suffix == ".ipynb":
        _site_macros(builder, text, "", folder)
        read_notebook(text, builder)
        kind = "notebook"
    elif suffix == ".tex":
        files = {path: sha256(data).hexdigest() for path, data in read_latex(text, builder, folder).items()}
        kind = "latex"
    elif suffix == ".py":
        parts = tuple(_document(part, digest, "python") for part in read_python(text, builder))
        kind = "python"
    elif suffix == ".txt" and is_transcript(text):
        read_transcript(lines, builder)
        kind = "transcript"
    else:
        front, start = front_matter(lines)
        _site_macros(builder, text, front, folder)
        read_markdown(lines[start:], builder, indented_code=suffix != ".txt")
        kind = "markdown"
    return replace(_document(builder, digest, kind), front_matter=front, files=files, parts=parts)


def _document(builder: Builder, digest: str, kind: str) -> Document:
    heading = next((b.text.text for b in builder.blocks if isinstance(b, Heading)), "")
    title = " ".join((heading if kind == "latex" else without_emphasis(heading)).split())
    blocks, problems = tuple(builder.blocks), tuple(builder.problems)
    return Document(builder.path, digest, title, kind, blocks, problems, macros=tuple(builder.macros))


def without_emphasis(text: str) -> str:
    """A heading of Markdown as it is read: without asterisks, underscores and addresses, but with its formulas.

    >>> without_emphasis("**On *two* things**: [softmax](a.md) of $a*b*c$")
    'On two things: softmax of $a*b*c$'
    """
    if len(text) > MAX_HEADING:
        return text
    pieces = re.split(r"(\$[^$]*\$|`[^`]*`)", text)
    return "".join(piece if k % 2 else _plain(piece) for k, piece in enumerate(pieces))


def _plain(text: str) -> str:
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    for mark in (r"\*\*", r"\*", r"(?<!\w)__", r"(?<!\w)_"):
        closing = mark.removeprefix(r"(?<!\w)")
        text = re.sub(rf"{mark}(?=\S)(.+?)(?<=\S){closing}" + (r"(?!\w)" if "_" in mark else ""), r"\1", text)
    return text


def _site_macros(builder: Builder, text: str, front: str, folder: Path | None) -> None:
    """Macros that the document, or a configuration beside it, defines outside of its formulas."""
    from derivations.documents.formats.site_macros import macros_beside, macros_of_script, macros_of_text

    found = macros_beside(folder) if folder is not None else {}
    if "macros" in text:
        found |= macros_of_script(text)
    if front:
        found |= macros_of_text(front)
    if found:
        builder.commands.known.update(found)
        builder.note_commands()


__all__ = ["SUFFIXES", "Document", "DocumentError", "read", "read_text"]
