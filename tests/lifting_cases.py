"""Small functions, run by torch or NumPy and lifted: the same arrays must come out at every size, or a refusal."""

from __future__ import annotations

import ast
import copy
import itertools
import math
import random
import re
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from flint import arb, fmpq

from derivations.language.extended_reals import Indeterminate, WorkLimit
from derivations.language.inputs import Inputs
from derivations.language.meaning import defined, evaluate
from derivations.language.statement import Theory
from derivations.language.substitution import term_sizes
from derivations.language.term import Index
from derivations.lifting import Lifted, NotLifted, lift
from derivations.lifting.symbolic.arrays import place_name

SHAPES: dict[str, tuple[str, ...]] = {
    "x": ("n", "m"),
    "y": ("n", "m"),
    "u": ("n",),
    "w": ("n",),
    "v": ("m",),
    "s": ("n", "n"),
    "b": ("q", "n", "m"),
    "t": (),
}
SIZES = [
    {"n": n, "m": m, "q": q, "k": k}
    for n, m, q, k in [(1, 1, 1, 1), (2, 3, 2, 1), (3, 2, 1, 2), (4, 1, 2, 3), (3, 3, 2, 2)]
]
ABSOLUTE = 1e-6
"""Single precision where the code casts to it; a wrong reading of halves is off by much more."""
MAX_ENTRIES = 40
"""Entries of a result that are compared, drawn with a seed where there are more."""


def read_cases(path: Path) -> Iterator[str]:
    """The functions of a file; each ends with a function `f`, and what stands before belongs to it."""
    lines: list[str] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if lines and not line.startswith((" ", "\t")) and any(x.startswith("def f(") for x in lines):
            yield "\n".join(lines)
            lines = []
        lines.append(line)
    yield "\n".join(lines)


def parameters(code: str) -> list[str]:
    (f,) = (s for s in ast.parse(code).body if isinstance(s, ast.FunctionDef) and s.name == "f")
    return [a.arg for a in f.args.args]


def inputs(names: Sequence[str], sizes: dict[str, int], seed: str) -> dict[str, Any]:
    """Halves from -3/2 to 3/2, so that ties, zeros and both signs occur; `k` is a whole number."""
    draw = random.Random(f"{seed} {sorted(sizes.items())}")
    found: dict[str, Any] = {}
    for name in names:
        if name == "k":
            found[name] = sizes["k"]
            continue
        shape = [sizes[a] for a in SHAPES[name]]
        found[name] = np.array([draw.randint(-3, 3) / 2 for _ in range(math.prod(shape))]).reshape(shape)
    return found


@dataclass(frozen=True)
class Outcome:
    """compared, refused, failed (the code raises there), assumed (an assumption does not hold there), else what differs."""

    kind: str
    text: str = ""


def run(code: str, given: dict[str, Any], numpy: bool) -> Any:
    """What the function really gives; its own text is run, on copies."""
    names: dict[str, Any] = {"torch": torch, "np": np, "F": F, "nn": nn, "math": math}
    made = {
        k: v if isinstance(v, int) else v.copy() if numpy else torch.tensor(v, dtype=torch.float64)
        for k, v in copy.deepcopy(given).items()
    }
    torch.set_default_dtype(torch.float64)
    try:
        with torch.no_grad(), warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            exec("import math\n" + code, names)  # the test's own text
            result = names["f"](**made)
    finally:
        torch.set_default_dtype(torch.float32)
    if isinstance(result, tuple) and result:
        result = result[0]
    if isinstance(result, torch.Tensor):
        result = result.detach().numpy()
    return np.array(result, dtype=float)


def outcomes(code: str) -> Iterator[Outcome]:
    """What becomes of a function at each of the sizes."""
    names, numpy = parameters(code), "np." in code
    shapes: dict[str, Any] = {n: "k" if n == "k" else SHAPES[n] for n in names}
    try:
        lifted = lift(code, "f", shapes)
    except NotLifted as problem:
        yield Outcome("internal" if problem.code == "internal" else "refused", problem.reason)
        return
    for sizes in SIZES:
        given = inputs(names, sizes, code)
        try:
            real = run(code, given, numpy)
        except Exception as error:  # noqa: BLE001 - whatever it raises, it gives no value here
            yield Outcome("failed", repr(error))
            continue
        yield compared(lifted, given, sizes, real)


def compared(lifted: Lifted, given: dict[str, Any], sizes: dict[str, int], real: np.ndarray) -> Outcome:
    point = fitting(lifted, sizes)
    if point is None:
        return Outcome("assumed")
    shape = tuple(s.evaluate({}, point) for s in lifted.shape)
    if shape != real.shape:
        return Outcome("different", f"shape {shape}, really {real.shape}, at {sizes}")
    tensors: dict[str, Any] = {}
    for t in lifted.inputs:
        if t.name not in given and t.name not in ("pi", "eps"):
            return Outcome("assumed", f"an input {t.name}")
        if t.name == "eps":
            return Outcome("assumed", "a guard against a division by zero")
        tensors[t.name] = fmpq(*math.pi.as_integer_ratio()) if t.name == "pi" else exact(given[t.name].tolist())
    at = [(place_name(k), Index.var(place_name(k))) for k in range(len(shape))]
    entry, theory, here = lifted.entry, Theory({}, dict(lifted.definitions)), Inputs(point, tensors)
    places = list(np.ndindex(*shape))
    if len(places) > MAX_ENTRIES:
        places = random.Random(0).sample(places, MAX_ENTRIES)
    for place in places:
        env = {name: k for (name, _), k in zip(at, place, strict=True)}
        try:
            value = evaluate(entry, theory, here, env)
            mine = float(value.p) / float(value.q) if isinstance(value, fmpq) else float(arb(value).mid())
            known = defined(entry, theory, here, env)
        except WorkLimit:
            return Outcome("assumed", "too long to evaluate")
        except (Indeterminate, TypeError):
            mine, known = math.nan, False
        theirs = float(real[place])
        if math.isnan(theirs) or math.isinf(theirs):
            if known and not (theirs < 0 and mine == theirs):
                return Outcome("different", f"{mine} at {place}, really {theirs}, at {sizes}")
        elif not known:
            return Outcome("undefined", f"undefined at {place}, really {theirs}, at {sizes}")
        elif abs(mine - theirs) > ABSOLUTE * max(1, abs(theirs)):
            return Outcome("different", f"{mine} at {place}, really {theirs}, at {sizes}")
    return Outcome("compared")


def exact(v: Any) -> Any:
    return [exact(w) for w in v] if isinstance(v, list) else fmpq(int(v * 2), 2)


def fitting(lifted: Lifted, sizes: dict[str, int]) -> dict[str, int] | None:
    """The sizes, with those that lifting made up; None where an assumption does not hold at these sizes."""
    point = dict(sizes)
    for text in lifted.assumptions:
        if holds(text, point) is False:
            return None
    found = set(term_sizes(lifted.entry)) | {x for s in lifted.shape for x in s.sizes}
    found |= {x for t in lifted.inputs for s in t.shape for x in s.sizes}
    found |= {x for rows in lifted.definitions.values() for d in rows for x in term_sizes(d.body)}
    fresh = sorted(found - point.keys())
    for values in itertools.product(range(6), repeat=len(fresh)):
        tried = {**point, **dict(zip(fresh, values, strict=True))}
        fits = all(
            [s.evaluate({}, tried) for s in t.shape] == [sizes[a] for a in SHAPES[t.name]]
            for t in lifted.inputs
            if t.name in SHAPES
        )
        if fits and all(c.holds({}, tried) for c in lifted.facts):
            return tried
    return None


_COMPARED = re.compile(r"^([\w*+\- ~().]+) (=|>=|>) ([\w*+\- ~().]+)$")
_DIVIDES = re.compile(r"^(\w+) divides (\w+)$")


def holds(text: str, sizes: dict[str, int]) -> bool | None:
    """Whether an assumption holds at these sizes; None for one that is not of sizes alone."""
    found = _DIVIDES.match(text)
    if found:
        a, b = (sizes[t] if t in sizes else int(t) if t.isdigit() else None for t in found.groups())
        return None if a is None or b is None else b % a == 0
    found = _COMPARED.match(text)
    if found:
        try:
            a, b = (eval(t, {}, dict(sizes)) for t in found.group(1, 3))  # text of our own
        except (NameError, SyntaxError):
            return None
        return bool({"=": a == b, ">=": a >= b, ">": a > b}[found.group(2)])
    if text == "no axis that squeeze leaves has size 1":
        return all(v > 1 for v in sizes.values())
    return None
