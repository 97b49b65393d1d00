"""Starts the process that runs a document's code, watches its clock, and starts it again without a cell that it died of."""

from __future__ import annotations

import json
import os
import selectors
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

CHILD = Path(__file__).with_name("child.py")
PROMISES = ("time", "memory", "network", "files")
EVENT_LIMIT = 64 << 20
"""Bytes that one run may report."""
GRACE = 5.0
"""Seconds that a cell has after its time is up to come to an end by itself."""
START_SECONDS = 120.0
"""Seconds for starting the interpreter and importing the array libraries; a cold disk needs many."""
RESTARTS = 3


class RunRefused(Exception):
    """Code that is not run: a promise of the confinement cannot be kept, or there is no interpreter."""


@dataclass(frozen=True)
class Settings:
    """How the code of documents is run: `strict` refuses where a promise of the confinement cannot be kept."""

    strict: bool = True
    python: str = sys.executable
    local_imports: bool = False
    seconds: float = 30.0
    """For one cell."""
    memory: int = 4096
    """MiB."""
    document_seconds: float = 300.0
    """For all cells of one document together."""


@dataclass(frozen=True)
class Cell:
    """Code to run: its number, its text, and whether its output is thrown away."""

    id: int
    source: str
    silent: bool = False


@dataclass
class Run:
    """What the cells of one run did; `held` says for each promise by what means it was kept, None for none."""

    cells: dict[int, dict[str, Any]] = field(default_factory=dict)
    held: dict[str, str | None] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    replays: dict[str, Any] = field(default_factory=dict)
    broken: str = ""


def trial(settings: Settings) -> tuple[dict[str, str | None], dict[str, str]]:
    """Start a process that runs nothing; returns what holds each promise, and why what does not hold failed.

    Errors: RunRefused where the interpreter does not start, or where a promise fails and `settings.strict` is set.
    """
    run = start([], settings)
    if run.broken:
        raise RunRefused(f"--run needs a Python interpreter that starts, found {settings.python}: {run.broken}")
    missing = [name for name in PROMISES if not run.held.get(name)]
    if missing and settings.strict:
        said = "; ".join(f"{name}: {run.failed.get(name, 'not available')}" for name in missing)
        raise RunRefused(
            f"--run needs limits of {', '.join(PROMISES)} for the code of documents; not available here: {said}. "
            "Documents that you trust can be run with --run=unconfined"
        )
    return run.held, run.failed


def start(
    cells: Sequence[Cell],
    settings: Settings,
    *,
    local: Path | None = None,
    disturb: Mapping[str, float] | None = None,
    replays: Sequence[Mapping[str, Any]] = (),
) -> Run:
    """Run cells in a new process; a cell that the process ends in, or does not come back from, is left out of the next try.

    `local` is a folder that the code may import from and read; `disturb` see `disturb.py`; `replays` see `replaying.py`.
    """
    end = time.monotonic() + settings.document_seconds
    fatal: dict[int, dict[str, Any]] = {}
    while True:
        run, last, reason = _once([c for c in cells if c.id not in fatal], settings, local, disturb, replays, end)
        if last is None or len(fatal) >= RESTARTS:
            break
        fatal[last] = {"segments": [], "passed": [], "errors": [{"kind": "Ended", "message": reason, "line": 1}]}
        if time.monotonic() > end:
            break
    run.cells.update(fatal)
    return run


def _once(
    cells: Sequence[Cell],
    settings: Settings,
    local: Path | None,
    disturb: Mapping[str, float] | None,
    replays: Sequence[Mapping[str, Any]],
    end: float,
) -> tuple[Run, int | None, str]:
    """One process; returns what it did, and the cell that it did not survive with the reason, if there is one."""
    folder = Path(tempfile.mkdtemp(prefix="derivations-run-")).resolve()
    try:
        work = folder / "work"
        work.mkdir()
        text = "\n".join(c.source for c in cells)
        job = {
            "cells": [{"id": c.id, "source": c.source, "silent": c.silent} for c in cells],
            "parent": os.getpid(),
            "folder": str(work),
            "memory": settings.memory << 20,
            "cpu": int(settings.document_seconds) + 60,
            "seconds": settings.seconds,
            "strict": settings.strict,
            "local": str(local) if local is not None else None,
            "readable": [str(local)] if local is not None else [],
            "preload": [name for name in ("numpy", "torch") if name in text],
            "disturb": dict(disturb or {}),
            "replays": list(replays),
        }
        return _watched(job, work, settings, end)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _environment(folder: Path) -> dict[str, str]:
    """All that the code sees of the environment."""
    home = str(folder)
    return {
        "PATH": "/usr/bin:/bin",
        "HOME": home,
        "TMPDIR": home,
        "USER": "document",
        "LOGNAME": "document",
        "LANG": "C.UTF-8",
        "MPLBACKEND": "Agg",
        "MPLCONFIGDIR": home,
        "CUDA_VISIBLE_DEVICES": "",
        # One thread: sums are added in one order, and a document takes one core.
        "OMP_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
    }


def _watched(job: Mapping[str, Any], folder: Path, settings: Settings, end: float) -> tuple[Run, int | None, str]:
    try:
        process = subprocess.Popen(
            [settings.python, "-I", "-B", str(CHILD)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=_environment(folder),
            cwd=folder,
            start_new_session=True,
        )
    except OSError as error:
        return Run(broken=error.strerror or str(error)), None, ""
    run = Run()
    try:
        return _listened(process, job, run, settings, end)
    finally:
        # The process is the leader of its own session: nothing else is in its group.
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None and not pipe.closed:
                try:
                    pipe.close()
                except OSError:
                    continue


def _listened(
    process: subprocess.Popen[bytes], job: Mapping[str, Any], run: Run, settings: Settings, end: float
) -> tuple[Run, int | None, str]:
    if process.stdin is None or process.stdout is None:
        raise RuntimeError("the pipes of the process are needed")
    current: int | None = None
    limit = time.monotonic() + START_SECONDS
    received = 0
    pending = b""
    try:
        process.stdin.write((json.dumps(job) + "\n").encode())
        process.stdin.close()
    except BrokenPipeError:
        run.broken = "the process ended before it took its work"
        return run, None, ""
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while True:
            left = min(limit, end + GRACE) - time.monotonic()
            if left <= 0 or not selector.select(left):
                if current is None:
                    run.broken = f"it did not start within {START_SECONDS:g} seconds"
                    return run, None, ""
                return run, current, _overdue(limit <= end, settings)
            data = os.read(process.stdout.fileno(), 1 << 16)
            received += len(data)
            if not data:
                if current is not None:
                    return run, current, "the process ended: os._exit, a crash, or too much memory"
                run.broken = run.broken or ("" if run.held else "the process ended at once")
                return run, None, ""
            if received > EVENT_LIMIT:
                return run, current, f"more than {EVENT_LIMIT >> 20} MiB were reported"
            *lines, pending = (pending + data).split(b"\n")
            for line in lines:
                event = _event(line)
                kind = event.get("event")
                if kind == "confined":
                    run.held, run.failed = dict(event.get("held", {})), dict(event.get("failed", {}))
                elif kind == "start":
                    current = event.get("cell")
                    limit = time.monotonic() + settings.seconds + GRACE
                elif kind == "cell" and isinstance(event.get("cell"), int):
                    run.cells[event["cell"]] = event
                    current = None
                    limit = time.monotonic() + START_SECONDS
                elif kind == "replays":
                    run.replays = dict(event.get("found", {}))
                elif kind == "broken":
                    run.broken = str(event.get("reason"))
                elif kind == "end":
                    return run, None, ""


def _overdue(by_cell: bool, settings: Settings) -> str:
    if by_cell:
        return f"the cell did not end within {settings.seconds:g} seconds and could not be interrupted"
    return f"the time for all cells of the document, {settings.document_seconds:g} seconds, ran out"


def _event(line: bytes) -> dict[str, Any]:
    """A line of the process; what is no event (the code may write anything) is passed over."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
