"""A bar on standard error while documents are checked; on a terminal only."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from typing import TextIO

from derivations.streams import is_watched

from ..plain.terminal import one_line

_CELLS = 20


class Bar:
    """Draws itself over its own line, and leaves nothing of it behind."""

    def __init__(self, stream: TextIO | None = None, *, quiet: bool = False) -> None:
        self.stream = sys.stderr if stream is None else stream
        self.on = not quiet and is_watched(self.stream) and os.environ.get("TERM") != "dumb"
        self.drawn = False

    def __call__(self, done: int, total: int, name: str) -> None:
        """Show that `done` of `total` documents are done, and that `name` comes next."""
        if not self.on:
            return
        if done == total:
            self.clear()
            return
        full = _CELLS * done // max(total, 1)
        head = f"[{'#' * full}{'.' * (_CELLS - full)}] {done}/{total} "
        room = shutil.get_terminal_size().columns - len(head) - 1
        self._write(head + one_line(name, max(room, 1)))
        self.drawn = True

    def said(self, say: Callable[[str], object]) -> Callable[[str], object]:
        """`say`, on a line of its own."""

        def cleared(message: str) -> None:
            self.clear()
            say(message)

        return cleared

    def clear(self) -> None:
        """Make room for a message."""
        if self.drawn:
            self._write("")
            self.drawn = False

    def _write(self, text: str) -> None:
        self.stream.write(f"\r\x1b[K{text}")
        self.stream.flush()
