"""Check again whenever a file changes. Files are asked for their size and time; nothing is installed for that."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path

SECONDS = 0.5
"""Between two looks."""

State = dict[str, tuple[int, int] | None]


def watch(check: Callable[[set[str]], int], look: Callable[[], Iterable[str]]) -> int:
    """Call `check` now and after every change, until the user interrupts; returns the last exit status.

    `check` adds the files that it looked at to its argument; `look` gives the files that would be checked by now. A usage
    error of the first run ends it, for no change of a file would mend that.
    """
    status, files = 0, set[str]()
    try:
        while True:
            before = state({*files, *look()})  # what changes during a check is seen after it
            first, files = not files, set[str]()
            status = check(files)
            sys.stdout.flush()
            if first and status == 2 and not files:
                return status
            seen = {**state(files), **before}
            _say(f"watching {sum(about is not None for about in seen.values())} files; Ctrl-C ends")
            while not (changed := _changed(seen, state({*seen, *look()}))):
                pause()
            _say(f"{time.strftime('%H:%M:%S')} {', '.join(sorted(changed)[:3])}{', …' if len(changed) > 3 else ''}")
    except KeyboardInterrupt:
        _say("ended")
        return status


def pause() -> None:
    """Wait until the next look."""
    time.sleep(SECONDS)


def state(files: Iterable[str]) -> State:
    """Time and size of files, None for one that is not there."""
    found: State = {}
    for file in files:
        try:
            about = Path(file).stat()
            found[str(Path(file).resolve())] = about.st_mtime_ns, about.st_size
        except OSError:
            found[str(Path(file).resolve())] = None
    return found


def _changed(before: State, now: State) -> set[str]:
    return {Path(file).name for file in {*before, *now} if before.get(file) != now.get(file)}


def _say(message: str) -> None:
    sys.stderr.write(f"derivations: {message}\n")
    sys.stderr.flush()
