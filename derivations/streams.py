"""Standard output and its troubles: closed, full, read by somebody who has seen enough, or in an encoding of its own."""

from __future__ import annotations

import errno
import io
import os
import sys
from typing import TextIO

GONE = 141
"""The exit status where the reader of the output went away before the work was done: that of a program that SIGPIPE ends."""
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EFBIG}


def prepare() -> None:
    """Make both streams fit for anything: a closed one takes all, and what a terminal has no sign for is shown as another."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 - as long as the program
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def is_watched(stream: TextIO) -> bool:
    """Whether a person looks at a stream: a terminal, unless a build server says (CI) that it made it."""
    return stream.isatty() and os.environ.get("CI", "").lower() in ("", "0", "false")


def put(text: str, *, data: bool = False) -> None:
    """Print text; `data` is read by programs, and is UTF-8 wherever it goes but to a terminal.

    Where the reader has seen enough the rest is dropped, and nothing ends: what was found out still decides the status.

    Errors: OSError where it cannot be written.
    """
    out = sys.stdout
    if data and isinstance(out, io.TextIOWrapper) and not out.isatty():
        out.reconfigure(encoding="utf-8")
    try:
        out.write(text.encode("utf-8", "backslashreplace").decode("utf-8"))
        out.flush()
    except BrokenPipeError:
        drop()


def drop() -> None:
    """Let all that is still to be printed go nowhere, what is in the buffer, too."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
    except (OSError, ValueError):  # a stream without a file has no buffer to empty
        return


def refusal(error: OSError) -> str | None:
    """What to say where `error` comes from standard output; None where it does not."""
    if error.filename is not None or error.errno not in _FULL:
        return None
    return f"standard output: needed a place that can be written, found: {error.strerror}"
