"""Readers of documents: notebooks, Markdown, LaTeX and plain-text transcripts. Reading never executes anything."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

from derivations.documents.model import Builder, Document, DocumentError, Heading

SUFFIXES = (".ipynb", ".md", ".markdown", ".qmd", ".tex", ".txt")
"""The files that can be read."""
MAX_BYTES = 32 * 2**20


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
    from derivations.documents.latex_file import read_latex
    from derivations.documents.markdown import read_markdown
    from derivations.documents.notebook import read_notebook
    from derivations.documents.transcript import is_transcript, read_transcript

    text = text.replace("\r\n", "\n").replace("\r", "\n")
    builder = Builder(name)
    front, files = "", {}
    lines = [(line, k, 1) for k, line in enumerate(text.split("\n"), 1)]
    if name.lower().endswith(".ipynb"):
        read_notebook(text, builder)
        kind = "notebook"
    elif name.lower().endswith(".tex"):
        files = {path: sha256(data).hexdigest() for path, data in read_latex(text, builder, folder).items()}
        kind = "latex"
    elif name.lower().endswith(".txt") and is_transcript(text):
        read_transcript(lines, builder)
        kind = "transcript"
    else:
        front = read_markdown(lines, builder)
        kind = "markdown"
    title = next((b.text.text.strip() for b in builder.blocks if isinstance(b, Heading)), "")
    digest = digest or sha256(text.encode()).hexdigest()
    return Document(
        name,
        digest,
        title,
        kind,
        tuple(builder.blocks),
        tuple(builder.problems),
        front,
        tuple(builder.macros),
        files,
    )


__all__ = ["SUFFIXES", "Document", "DocumentError", "read", "read_text"]
