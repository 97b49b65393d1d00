"""Interleaved timings, and what a result says about the machine that it was measured on (never its name)."""

from __future__ import annotations

import json
import os
import platform
import random
import statistics
import sys
import time
from collections.abc import Callable, Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results"


def seconds(function: Callable[[], Any], repeats: int = 1, wait: Callable[[], Any] | None = None) -> float:
    """Seconds of one call, as the mean over `repeats`.

    With `wait`, which ends when a device has done its work, by the clock; else the processor time of this thread, which
    leaves out what other programs take on a shared machine (so the work must be done by one thread).
    """
    now = time.thread_time if wait is None else time.perf_counter
    start = now()
    for _ in range(repeats):
        function()
    if wait is not None:
        wait()
    return (now() - start) / repeats


def interleaved(
    functions: Mapping[str, Callable[[], Any]],
    rounds: int = 15,
    sample: float = 2e-2,
    budget: float = 6.0,
    wait: Callable[[], Any] | None = None,
) -> dict[str, list[float]]:
    """Seconds of each function, round by round: all of them once in each round, in an order drawn by the round.

    A sample repeats short calls until it takes `sample` seconds.  After `budget` seconds no further round is begun, but
    at least nine are run (five where a round takes more than a minute).
    """
    names = list(functions)
    for name in names:
        functions[name]()  # what is set up once is not measured
    first = {name: seconds(functions[name], 1, wait) for name in names}
    repeats = {name: max(1, int(sample / max(first[name], 1e-9))) for name in names}
    found: dict[str, list[float]] = {name: [] for name in names}
    start = time.perf_counter()
    for k in range(rounds):
        spent = time.perf_counter() - start
        if k >= (5 if spent > 60 * k else 9) and spent > budget:
            break
        for name in random.Random(k).sample(names, len(names)):
            found[name].append(seconds(functions[name], repeats[name], wait))
    return found


def ratio(times: Mapping[str, list[float]], one: str, other: str) -> float:
    """The median over the rounds of the quotient in one round: slow phases of the machine cancel."""
    return statistics.median(a / b for a, b in zip(times[one], times[other], strict=True))


def machine(*packages: str) -> dict[str, Any]:
    """Processor, operating system, versions and load; no name of a host."""
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "system": platform.system(),
        "python": platform.python_version(),
        "versions": {p: _version(p) for p in packages},
        "load": round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None,
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next((x.partition(":")[2].strip() for x in lines if x.startswith("model name")), platform.machine())


def _version(package: str) -> str | None:
    """Its installed version; its own word for it where it runs from a folder; none where it is not there."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return getattr(sys.modules.get(package), "__version__", None)


def save(name: str, data: Mapping[str, Any], folder: Path = RESULTS) -> Path:
    """Write a result; returns its path."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.json"
    path.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    return path
