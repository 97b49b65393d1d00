"""Which files the reading of a document looked at, so that a saved result knows when it is out of date."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from hashlib import sha256
from pathlib import Path

_files: ContextVar[dict[str, str | None] | None] = ContextVar("files", default=None)


@contextmanager
def recorded() -> Iterator[dict[str, str | None]]:
    """The files that are looked at inside of the block, with the SHA-256 of what was read, None where there was none."""
    found: dict[str, str | None] = {}
    token = _files.set(found)
    try:
        yield found
    finally:
        _files.reset(token)


def looked_at(path: Path, data: bytes | None) -> None:
    """Say that a file was read, or looked for in vain."""
    found = _files.get()
    if found is not None:
        found[os.path.abspath(path)] = None if data is None else sha256(data).hexdigest()


def present(path: str) -> str | None:
    """What `recorded` would hold of a file by now."""
    try:
        return sha256(Path(path).read_bytes()).hexdigest()
    except OSError:
        return None
