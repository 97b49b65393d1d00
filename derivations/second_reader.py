r"""A second opinion on how formulas without indices are read: latex2sympy2, in a process of its own, where it is installed.

No reader but ours gets indices right, so only formulas without any are compared, on numbers.  A disagreement is a note at
the item and a failure of our tests; it never changes a status.  latex2sympy2 installs top-level packages named `tests` and
`gen` and pins antlr 4.7.2, so it belongs into an environment of its own:

    python3.11 -m venv build/second-reader && build/second-reader/bin/pip install latex2sympy2==1.9.1
    export DERIVATIONS_SECOND_READER=build/second-reader/bin/python

Sources: github.com/OrangeX4/latex2sympy (version 1.9.1, August 2023).
"""

from __future__ import annotations

import importlib.util
import json
import os
import random
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

VARIABLE = "DERIVATIONS_SECOND_READER"
"""The environment variable that names the Python which has latex2sympy2."""
BESIDE = Path("build") / "second-reader" / "bin" / "python"
"""Where `make second-reader` puts one, below the working directory."""
SECONDS = 20
POINTS = 4
TOLERANCE = 1e-9
"""Relative; both sides are evaluated with 30 digits, so what is left is the rounding of the inputs to doubles."""

_WORKER = r"""
import json, sys, warnings
warnings.simplefilter("ignore")
from latex2sympy2 import latex2sympy
import sympy
print(json.dumps({"ready": sympy.__version__}), flush=True)
for line in sys.stdin:
    asked = json.loads(line)
    try:
        e = sympy.sympify(latex2sympy(asked["latex"]))
        told = {"text": str(e), "symbols": sorted(map(str, e.free_symbols))}
        if "points" in asked:
            values = []
            for p in asked["points"]:
                v = sympy.N(e.subs({s: sympy.Rational(p[str(s)]) for s in e.free_symbols}), 30)
                values.append(str(v) if v.is_Float or v.is_Integer or v.is_Rational else None)
            told["values"] = values
    except Exception as error:
        told = {"error": type(error).__name__ + ": " + str(error).split("\n")[0][:200]}
    print(json.dumps(told), flush=True)
"""
_WRAPPED = re.compile(r"\\(?:math(?:bf|rm|it|sf|cal|bb|frak)|boldsymbol|bm|text|operatorname)\s*")
_LOG = re.compile(r"\\log(?![A-Za-z_])")
_LAYOUT = re.compile(r"\\(?:left|right|displaystyle|textstyle|,|;|!|:|quad|qquad)(?![A-Za-z])|(?<!\\)~")


@dataclass(frozen=True)
class Opinion:
    """What the second reader made of a formula: `agrees` is None where it cannot be compared, and `why` says so."""

    agrees: bool | None
    text: str = ""
    why: str = ""
    asked: bool = True
    """Whether the second reader was asked: it reads nothing with indices."""


class SecondReader:
    """latex2sympy2 in a subprocess; `absent` says why there is none, and then nothing is ever compared."""

    def __init__(self, python: str | None = None) -> None:
        self.python = python or os.environ.get(VARIABLE) or _installed()
        self.absent: str | None = None
        self._process: subprocess.Popen[str] | None = None
        if not self.python:
            self.absent = f"latex2sympy2 is not installed (see derivations/second_reader.py, or set {VARIABLE})"
            return
        self._start()

    def _start(self) -> None:
        environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
        try:
            self._process = subprocess.Popen(
                [str(self.python), "-I", "-c", _WORKER],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                encoding="utf-8",
                env=environment,
            )
        except OSError as error:
            self.absent = f"{self.python} cannot be started: {error.strerror}"
            return
        if "ready" not in self._line():
            self.absent = f"latex2sympy2 cannot be imported by {self.python} (it needs Python 3.12 or older)"
            self.close()

    def _line(self) -> dict[str, Any]:
        if self._process is None or self._process.stdout is None:
            return {}
        try:
            told = json.loads(self._process.stdout.readline() or "{}")
        except (json.JSONDecodeError, OSError):
            return {}
        return told if isinstance(told, dict) else {}

    def _ask(self, question: Mapping[str, Any]) -> dict[str, Any]:
        if self._process is None or self._process.stdin is None:
            return {"error": self.absent or "closed"}
        import threading

        timer = threading.Timer(SECONDS, self._process.kill)
        timer.start()
        try:
            self._process.stdin.write(json.dumps(question) + "\n")
            self._process.stdin.flush()
            told = self._line()
        except OSError:
            told = {}
        finally:
            timer.cancel()
        if not told:
            self.close()
            self._start()
            return {"error": f"it gave no answer in {SECONDS} s"}
        return told

    def compare(self, latex: str, ours: Any) -> Opinion:
        """Compare its reading of a formula with ours, a SymPy expression in symbols alone."""
        import sympy

        if ours.atoms(sympy.Indexed, sympy.Sum, sympy.Function) - ours.atoms(*_KNOWN(sympy)) or _is_index_text(latex):
            return Opinion(None, why="it has indices", asked=False)
        source = _LAYOUT.sub(" ", _LOG.sub(r"\\ln", latex)).strip()
        first = self._ask({"latex": source})
        if "error" in first:
            return Opinion(None, why=f"not read: {first['error']}")
        names = {plain(str(s)): s for s in ours.free_symbols}
        theirs = {plain(s): s for s in first["symbols"]}
        if set(names) != set(theirs):
            return Opinion(
                False, first["text"], f"names {', '.join(sorted(theirs))} instead of {', '.join(sorted(names))}"
            )
        draw = random.Random(latex)
        points = [{n: f"{draw.randint(5, 40)}/{draw.randint(7, 23)}" for n in sorted(names)} for _ in range(POINTS)]
        told = self._ask({"latex": source, "points": [{theirs[n]: v for n, v in p.items()} for p in points]})
        if "error" in told:
            return Opinion(None, first["text"], f"not evaluated: {told['error']}")
        return _compared(first["text"], ours, names, points, told["values"])

    def close(self) -> None:
        """End the subprocess."""
        if self._process is not None:
            for stream in (self._process.stdin, self._process.stdout):
                if stream is not None:
                    stream.close()
            self._process.kill()
            self._process.wait()
            self._process = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


def _KNOWN(sympy: Any) -> tuple[Any, ...]:
    return (sympy.exp, sympy.log, sympy.sin, sympy.cos, sympy.tanh, sympy.Abs)


def _installed() -> str | None:
    if BESIDE.is_file():
        return str(BESIDE)
    return sys.executable if importlib.util.find_spec("latex2sympy2") is not None else None


def _is_index_text(latex: str) -> bool:
    return re.search(r"\\(?:sum|prod|max|min|begin)(?![A-Za-z])|_\{?[^{}]*[,:]", latex) is not None


def plain(name: str) -> str:
    r"""A name without fonts, braces, backslashes, as both readers may write it.

    >>> plain(r"\mathbf{d}_{k}"), plain("d_k")
    ('dk', 'dk')
    """
    return re.sub(r"[\\{}_^\s]", "", _WRAPPED.sub("", name))


def _compared(
    text: str, ours: Any, names: Mapping[str, Any], points: Sequence[Mapping[str, str]], values: Sequence[str | None]
) -> Opinion:
    import sympy

    compared = 0
    for point, value in zip(points, values, strict=True):
        own = sympy.N(ours.subs({names[n]: sympy.Rational(v) for n, v in point.items()}), 30)
        if value is None or not own.is_number or not own.is_finite or not own.is_real:
            continue
        compared += 1
        other = sympy.Float(value, 30)
        if abs(own - other) > TOLERANCE * (1 + abs(own)):
            at = ", ".join(f"{n} = {v}" for n, v in point.items())
            return Opinion(False, text, f"{sympy.N(own, 8)} here and {sympy.N(other, 8)} there at {at}")
    return Opinion(True, text) if compared else Opinion(None, text, "it has no value at the points that were tried")
