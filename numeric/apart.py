"""Cross-checks in a process of their own, which imports torch while this one still reads and proves.

The process is started once, before this one imports what it reads and proves with, and answers one request after
another; where it cannot be had, or ends, the work is done here, with the same result.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from derivations.language.statement import Definition, Theory

_COMMAND = (
    "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN); from derivations.numeric.apart import serve; serve()"
)
"""Ctrl-C at a terminal is for the process that asks: this one ends when its standard input does."""


class Apart:
    """The other process; `check` gives a future of the rows of `cross_check`."""

    def __init__(self) -> None:
        self.asking = ThreadPoolExecutor(1, thread_name_prefix="cross-check")
        self.process: subprocess.Popen[str] | None = None
        if "torch" in sys.modules or (os.cpu_count() or 1) < 2:
            return  # nothing would be gained
        try:
            # -P: a file of the user's that is called torch.py is no module here
            self.process = subprocess.Popen(
                [sys.executable, "-P", "-c", _COMMAND], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
            )
        except OSError:
            return
        atexit.register(self.close)

    def check(self, definition: Definition, theory: Theory, device: str) -> Future[list[dict[str, Any]]]:
        """The rows of `cross_check`, computed while this process goes on."""
        return self.asking.submit(self._ask, definition, theory.about((definition.body,)), device)

    def _ask(self, definition: Definition, theory: Theory, device: str) -> list[dict[str, Any]]:
        from derivations.kernel import certificate

        if self.process is not None and self.process.stdin is not None and self.process.stdout is not None:
            request = {**certificate.write_definition(definition, theory), "device": device}
            try:
                self.process.stdin.write(json.dumps(request) + "\n")
                self.process.stdin.flush()
                answer = json.loads(self.process.stdout.readline())
                if "rows" in answer:
                    return list(answer["rows"])
            except (OSError, ValueError, TypeError):
                self.close()
        from .crosscheck import cross_check

        return cross_check(definition, theory, device=device)

    def close(self) -> None:
        """End the process."""
        process, self.process = self.process, None
        if process is not None:
            process.kill()
            process.communicate()


_started: list[Apart] = []


def apart() -> Apart:
    """The one such process, started when it is first asked for."""
    if not _started:
        _started.append(Apart())
    return _started[0]


def serve() -> None:
    """Answer requests on standard input until it ends."""
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a library prints is no answer
    gc.disable()  # what is imported stays
    from . import crosscheck  # noqa: F401 - while the other process reads

    with suppress(ImportError):
        import torch  # noqa: F401
    gc.freeze()
    gc.set_threshold(100_000, 20, 20)
    gc.enable()
    for line in sys.stdin:
        out.write(json.dumps(_answer(json.loads(line))) + "\n")
        out.flush()


def _answer(request: Mapping[str, Any]) -> dict[str, Any]:
    from derivations.kernel import certificate

    from .crosscheck import cross_check

    try:
        definition, theory = certificate.read_definition(request)
        return {"rows": cross_check(definition, theory, device=request["device"])}
    except Exception as error:  # noqa: BLE001 - the process that asks then does the work itself, and reports the error
        return {"error": f"{type(error).__name__}: {error}"}
