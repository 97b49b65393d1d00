"""A user's own kernel, held to the error bound of what it computes in the arithmetic that it declares.

The bound is a theorem about any program that does the operations of the definition in the declared arithmetic, in any
order of summation and with any blocking; a kernel that leaves the bound does something else, or in other arithmetic.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from derivations.language.statement import Definition, Theory

from .balls import distances, middles, reference_balls
from .bounds import Model, analysed
from .definitions import Shape, stated
from .program import NotCompiled, Program, lower_definition

EXACT = Model("float64", "float64")
MAX_ENTRIES = 1 << 26
"""Entries of the largest array of one analysis; beyond it rows are sampled."""
SAMPLED = 64
"""Rows that are looked at then: the first, the last, and others spread by the seed."""


class KernelMismatch(AssertionError):
    """A result outside its bound; `verdict` says where."""

    def __init__(self, verdict: Verdict) -> None:
        self.verdict = verdict
        super().__init__(str(verdict))


@dataclass(frozen=True)
class Verdict:
    """Whether every entry that was looked at lies within its bound, and the entry with the largest ratio.

    `error` and `bound` are those of the worst entry; `checked` counts entries, `unbounded` those for which nothing is
    promised (the formula may overflow there); `rows` is None when all rows were looked at; `reference` says how the
    expected values were computed.
    """

    within: bool
    model: Model
    at: tuple[int, ...] = ()
    actual: float = float("nan")
    expected: float = float("nan")
    error: float = 0.0
    bound: float = 0.0
    ratio: float = 0.0
    checked: int = 0
    unbounded: int = 0
    rows: tuple[int, ...] | None = None
    seed: int = 0
    why: str = ""
    reference: str = ""
    reproducer: Path | None = None

    def __str__(self) -> str:
        if self.why:
            text = self.why
        else:
            word = "within" if self.within else "outside"
            text = (
                f"{word} the bound for this declared model ({self.model}): worst entry {list(self.at)}: found {self.actual:.9g}, "
                f"expected {self.expected:.9g}, error {self.error:.3g}, bound {self.bound:.3g}, ratio {self.ratio:.3g}"
            )
        parts = [text, f"{self.checked} entries checked"]
        parts += [f"nothing is promised for {self.unbounded} more, which may overflow"] if self.unbounded else []
        parts += [f"{len(self.rows)} rows sampled (seed {self.seed})"] if self.rows is not None else []
        parts += [f"reproducer: {self.reproducer}"] if self.reproducer is not None else []
        return "; ".join(parts)


def assert_within_bound(
    actual: Any,
    definition: Callable[..., Any] | tuple[Definition, Theory],
    inputs: Mapping[str, Any],
    *,
    model: Model,
    shapes: Mapping[str, Shape | str] | None = None,
    seed: int = 0,
    rows: int | None = None,
    reproducer: str | Path | None = None,
) -> Verdict:
    """Hold a kernel to the bound of its definition; raises `KernelMismatch` where an entry lies outside, or is NaN.

    `actual` is the result, or the kernel, which is called with the inputs by name.  `definition` is a plain torch or NumPy
    function, which is read and never run, with the axes of its parameters in `shapes` (`{"Q": ("n", "d"), ...}`), or a
    definition with its theory.  Inputs may have further leading axes, such as batch and heads; where keys have fewer heads
    than queries, each is shared by a group.  `rows` of the result are looked at, the first and the last among them (None: all
    while the arrays of the analysis are small).  `reproducer` is a folder to write the inputs and the result of a failure to.

    Raises ValueError for inputs that contradict one another, have another type than `model.storage`, lie on several
    devices, or hold a NaN or an infinity; TypeError for a kernel that changes its inputs; MemoryError for one that runs out
    of it; NotLifted and NotCompiled for what is not understood.
    """
    verdict = check_within_bound(actual, definition, inputs, model=model, shapes=shapes, seed=seed, rows=rows)
    if not verdict.within:
        if reproducer is not None:
            verdict = _with_reproducer(verdict, actual, inputs, Path(reproducer))
        raise KernelMismatch(verdict)
    return verdict


def check_within_bound(
    actual: Any,
    definition: Callable[..., Any] | tuple[Definition, Theory],
    inputs: Mapping[str, Any],
    *,
    model: Model,
    shapes: Mapping[str, Shape | str] | None = None,
    seed: int = 0,
    rows: int | None = None,
) -> Verdict:
    """The verdict of `assert_within_bound` without raising for a result outside the bound."""
    program = _program(definition, shapes or {})
    missing = [n for n in sorted(program.inputs) if n not in inputs]
    if missing:
        raise ValueError(f"needed inputs {', '.join(sorted(program.inputs))}; {', '.join(missing)} is missing")
    devices = {n: str(getattr(inputs[n], "device", "cpu")) for n in program.inputs}
    first = next(iter(devices))
    other = next((n for n in devices if devices[n] != devices[first]), None)
    if other is not None:
        raise ValueError(f"{first} is on {devices[first]}, but {other} on {devices[other]}")
    arrays = {n: _array(n, inputs[n], model) for n in program.inputs}
    for name, shape in program.inputs.items():
        if arrays[name].ndim < len(shape):
            raise ValueError(f"{name} has {arrays[name].ndim} axes, needed at least {len(shape)}")
    sizes = _sizes(program, arrays)
    told = {s: inputs[s] for s in program.parameters if s in inputs}
    lost = [s for s in program.parameters if s not in told]
    if lost:
        raise ValueError(f"no input tells the size {lost[0]}: give it by name")
    sizes |= {s: int(v) for s, v in told.items()}
    again = None
    found = actual
    if callable(actual) and not _is_tensor(actual):
        found, again = _called(actual, inputs), _called(actual, inputs)
    if isinstance(found, (tuple, list)):
        raise TypeError(f"needed one array from the kernel, found {len(found)}: name the output that is meant")
    if again is not None and not np.array_equal(_plain(found), _plain(again), equal_nan=True):
        return Verdict(False, model, why="the kernel gives another result for the same inputs: it is not deterministic")
    result = _plain(found)
    if _dtype(found) not in (model.storage, model.accumulate):
        return Verdict(
            False, model, why=f"the result is {_dtype(found)}, needed {model.storage} (the declared storage)"
        )
    chosen = _rows(program, sizes, seed, rows)
    return _compared(program, arrays, sizes, result, model, seed, chosen)


def _compared(
    program: Program,
    arrays: Mapping[str, np.ndarray[Any, Any]],
    sizes: Mapping[str, int],
    result: np.ndarray[Any, Any],
    model: Model,
    seed: int,
    rows: np.ndarray[Any, Any] | None,
) -> Verdict:
    """Each leading place on its own: the result against expected values."""
    own = tuple(program.extents[a].evaluate({}, sizes) for a in program.result.axes)
    lead = _leading(arrays, program)
    if result.shape != lead + own:
        return Verdict(False, model, why=f"the result has shape {result.shape}, needed {lead + own}")
    if 0 in lead:
        return Verdict(False, model, why=f"nothing was checked: the result is empty (leading axes {lead})")
    only = {program.result.axes[0]: rows} if rows is not None and program.result.axes else {}
    worst = Verdict(True, model, rows=None if rows is None else tuple(int(r) for r in rows), seed=seed)
    checked = unbounded = 0
    for at in product(*map(range, lead)):
        inputs = {n: _part(arrays[n], at, lead, len(s)) for n, s in program.inputs.items()}
        part = result[at] if rows is None else np.take(result[at], rows, axis=0)
        exact = _expected(program, inputs, sizes, only, part)
        bound = analysed(program, inputs, sizes, model, only).error + exact.uncertain
        promised = np.isfinite(bound) & np.isfinite(exact.value)
        error = np.where(promised, np.where(np.isfinite(part), exact.error, np.inf), 0.0)
        with np.errstate(all="ignore"):
            ratio = np.where(promised, np.where(bound > 0, error / bound, np.where(error > 0, np.inf, 0.0)), 0.0)
        lost = np.argwhere(np.isnan(part))
        if len(lost):
            place = (*at, *_place(lost[0], rows))
            why = f"found NaN at {list(place)}, expected {float(exact.value[tuple(lost[0])]):.9g}: a NaN never passes"
            return Verdict(False, model, at=place, checked=checked, seed=seed, why=why)
        checked += int(promised.sum())
        unbounded += int((~promised).sum())
        k = np.unravel_index(int(np.argmax(ratio)), ratio.shape) if ratio.size else ()
        if ratio.size and (float(ratio[k]) >= worst.ratio):
            worst = replace(
                worst,
                within=not float(ratio[k]) > 1,
                at=(*at, *_place(k, rows)),
                actual=float(part[k]),
                expected=float(exact.value[k]),
                error=float(error[k]),
                bound=float(bound[k]),
                ratio=float(ratio[k]),
                reference=exact.by,
            )
    if not checked:
        return Verdict(False, model, unbounded=unbounded, why="nothing was checked: no entry has a finite bound")
    return replace(worst, checked=checked, unbounded=unbounded)


@dataclass(frozen=True)
class _Expected:
    """Expected values, how far the found ones are from them, and how much that is uncertain."""

    value: np.ndarray[Any, Any]
    error: np.ndarray[Any, Any]
    uncertain: np.ndarray[Any, Any] | float
    by: str


def _expected(
    program: Program, inputs: Mapping[str, Any], sizes: Mapping[str, int], only: Mapping[str, Any], part: Any
) -> _Expected:
    """By ball arithmetic, or by float64 with its own bound where that would take long."""
    balls = reference_balls(program, inputs, sizes, only)
    if balls is not None:
        return _Expected(middles(balls), distances(part, balls), 0.0, "ball arithmetic")
    exact = analysed(program, inputs, sizes, EXACT, only)
    with np.errstate(all="ignore"):
        return _Expected(exact.value, np.abs(part - exact.value), exact.error, "float64 with its own bound")


def _place(k: Sequence[Any], rows: np.ndarray[Any, Any] | None) -> tuple[int, ...]:
    """Where an entry of the rows that were looked at stands in the whole."""
    place = tuple(int(x) for x in k)
    return place if rows is None or not place else (int(rows[place[0]]), *place[1:])


def _sizes(program: Program, arrays: Mapping[str, np.ndarray[Any, Any]]) -> dict[str, int]:
    """Sizes from the trailing axes; a contradiction names both tensors and axes."""
    found: dict[str, int] = {}
    origin: dict[str, str] = {}
    for name, shape in sorted(program.inputs.items()):
        own = arrays[name].shape[arrays[name].ndim - len(shape) :]
        for k, (extent, length) in enumerate(zip(shape, own, strict=True)):
            if length == 0:
                raise ValueError(f"axis {k} of {name} has length 0: sizes are at least 1")
            if extent.is_constant and extent.const != length:
                raise ValueError(f"axis {k} of {name} has length {length}, needed {extent.const}")
            if len(extent.terms) != 1 or extent.const or extent.terms[0][1] != 1:
                continue
            size = extent.terms[0][0].name
            if found.setdefault(size, length) != length:
                raise ValueError(
                    f"{size} is {found[size]} from {origin[size]}, but {length} from axis {k} of {name} "
                    f"(of shape {arrays[name].shape})"
                )
            origin.setdefault(size, f"axis {k} of {name}")
    return found


def _program(definition: Callable[..., Any] | tuple[Definition, Theory], shapes: Mapping[str, Shape | str]) -> Program:
    return lower_definition(*stated(definition, (), shapes))


def _leading(arrays: Mapping[str, np.ndarray[Any, Any]], program: Program) -> tuple[int, ...]:
    """The leading axes of the result: the longest ones, into which those of every input divide."""
    leads = {n: arrays[n].shape[: arrays[n].ndim - len(s)] for n, s in program.inputs.items()}
    rank = max(map(len, leads.values()), default=0)
    found = [1] * rank
    for name, own in leads.items():
        for k, length in enumerate((*[1] * (rank - len(own)), *own)):
            low, high = sorted((found[k], length))
            if high % low if low else high > 1:
                raise ValueError(
                    f"leading axis {k} has length {found[k]}, but {length} in {name}: one must divide the other"
                )
            found[k] = high if low else 0
    return tuple(found)


def _part(a: np.ndarray[Any, Any], at: Sequence[int], lead: Sequence[int], rank: int) -> np.ndarray[Any, Any]:
    """The array at a place of the leading axes; neighbours share it where it has fewer (grouped heads)."""
    own = a.shape[: a.ndim - rank]
    shift = len(lead) - len(own)
    return np.asarray(a[tuple(at[shift + k] * length // lead[shift + k] for k, length in enumerate(own))])


def _rows(
    program: Program, sizes: Mapping[str, int], seed: int, most: int | None = None
) -> np.ndarray[Any, Any] | None:
    """The rows to look at; None for all of them."""
    axes = program.result.axes
    lengths = [e.evaluate({}, sizes) for e in program.extents.values()]
    if not axes or (most is None and int(np.prod(sorted(lengths)[-2:], dtype=np.int64)) <= MAX_ENTRIES):
        return None
    n, most = program.extents[axes[0]].evaluate({}, sizes), most or SAMPLED
    if n <= most:
        return None
    chosen = np.random.default_rng(seed).choice(n, max(most - 2, 0), replace=False)
    return np.unique(np.concatenate([[0, n - 1], chosen]).astype(np.int64))


# --- tensors --------------------------------------------------------------------------------------------------------


def _is_tensor(x: Any) -> bool:
    return hasattr(x, "shape") and hasattr(x, "dtype")


def _dtype(x: Any) -> str:
    return str(getattr(x, "dtype", type(x).__name__)).rpartition(".")[2]


def _plain(x: Any) -> np.ndarray[Any, Any]:
    """A tensor of any library as float64."""
    if hasattr(x, "detach"):
        x = x.detach().cpu().double().numpy()
    return np.asarray(x, dtype=np.float64)


def _array(name: str, x: Any, model: Model) -> np.ndarray[Any, Any]:
    if not _is_tensor(x):
        raise ValueError(f"{name}: needed a tensor or an array, found {type(x).__name__}")
    if _dtype(x) != model.storage:
        raise ValueError(f"{name} is {_dtype(x)}, needed {model.storage} (the declared storage)")
    found = _plain(x)
    if not np.isfinite(found).all():
        raise ValueError(f"{name} holds a NaN or an infinity: no bound holds for it")
    return found


def _called(kernel: Callable[..., Any], inputs: Mapping[str, Any]) -> Any:
    """The kernel's result; TypeError when it writes to its inputs."""
    before = {n: _plain(x).copy() for n, x in inputs.items() if _is_tensor(x)}
    try:
        result = kernel(**inputs)
    except (MemoryError, RuntimeError) as error:
        if isinstance(error, MemoryError) or "out of memory" in str(error) or "can't allocate memory" in str(error):
            shapes = ", ".join(f"{n} {tuple(x.shape)}" for n, x in inputs.items() if _is_tensor(x))
            raise MemoryError(f"the kernel ran out of memory for {shapes}") from error
        raise
    for n, x in before.items():
        if not np.array_equal(x, _plain(inputs[n]), equal_nan=True):
            raise TypeError(f"the kernel changes its input {n}")
    return result


def _with_reproducer(verdict: Verdict, actual: Any, inputs: Mapping[str, Any], folder: Path) -> Verdict:
    """The inputs, the result and the verdict in a folder, with a script that loads them."""
    folder.mkdir(parents=True, exist_ok=True)
    arrays = {n: _plain(x) for n, x in inputs.items() if _is_tensor(x)}
    if _is_tensor(actual):
        arrays["actual"] = _plain(actual)
    np.savez(folder / "inputs.npz", **arrays)  # type: ignore[arg-type]
    said = {"verdict": str(verdict), "at": list(verdict.at), "seed": verdict.seed, "model": str(verdict.model)}
    (folder / "verdict.json").write_text(json.dumps(said, indent=1) + "\n", encoding="utf-8")
    names = [n for n in arrays if n != "actual"]
    script = f'''"""Loads the inputs at which a kernel left its bound: stored as float64, without loss."""

from pathlib import Path

import numpy as np

data = np.load(Path(__file__).parent / "inputs.npz")
inputs = {{name: data[name] for name in {names!r}}}  # cast to {verdict.model.storage}
worst = {verdict.at!r}
'''
    (folder / "reproduce.py").write_text(script, encoding="utf-8")
    return replace(verdict, reproducer=folder)


__all__ = ["KernelMismatch", "Model", "NotCompiled", "Verdict", "assert_within_bound", "check_within_bound"]
