"""A limit for work that does not look at the clock: reading, and patterns that take longer than anybody thought.

The decisions about a document end by themselves.  What stands before and between them is ended by a signal, which
Python's pattern matching looks at as well; so the limit holds inside of one call of it.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TypeVar

from derivations.documents.model.document import DocumentError

T = TypeVar("T")
FACTOR = 3.0
MARGIN = 30.0
"""The limit is FACTOR times the seconds for decisions, and at least MARGIN more than them: a decision may run over."""
_AGAIN = 1.0
"""Seconds after which the signal comes again, where something kept the first one to itself."""


class TimeOver(DocumentError):
    """A document on which work was ended, because its time was over."""


class _Late(BaseException):
    """No Exception: what handles those inside of the work must not take it for a bug of its own."""


def limit(seconds: float) -> float:
    """The seconds after which work is ended whose decisions have `seconds`."""
    return max(FACTOR * seconds, seconds + MARGIN)


@contextmanager
def ended_after(seconds: float, path: object, work: str) -> Iterator[None]:
    """End what is done inside of the block after `seconds`; `work` says what it is, `read` or `study`.

    Where a platform has no such signal, and outside of the main thread, there is no limit.

    Errors: TimeOver for the document `path` when the time is over.
    """
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def late(*_: int | FrameType | None) -> None:
        raise _Late

    handler = signal.signal(signal.SIGALRM, late)
    start = time.monotonic()
    remaining, interval = signal.setitimer(signal.ITIMER_REAL, seconds, _AGAIN)
    try:
        yield
    except _Late:
        signal.setitimer(signal.ITIMER_REAL, 0)
        raise TimeOver(
            f"{path}: needed {seconds:g} s at most to {work} the document, found no end: nothing of it is reported"
        ) from None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)
        if remaining:
            signal.setitimer(signal.ITIMER_REAL, max(remaining - (time.monotonic() - start), 1e-3), interval)


def studied_in_time(seconds: float, path: object, study: Callable[[], T]) -> T:
    """A study that is ended after `seconds`, and then made again, for as long, with what has been decided until then.

    The study that is ended was caught in one decision; its decider keeps what it decided before, and decides nothing
    new when its time is over, so that the second study comes to an end.  A part of a document has at least MARGIN: when
    the parts before it took all of the time, nothing is decided of it, and it is reported all the same.

    Errors: TimeOver for the document `path` when even that does not end.
    """
    seconds = max(seconds, MARGIN)
    try:
        with ended_after(seconds, path, "study"):
            return study()
    except TimeOver as late:
        try:
            with ended_after(seconds, path, "study"):
                return study()
        except TimeOver:
            raise late from None
