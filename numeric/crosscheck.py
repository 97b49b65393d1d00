"""Cross-checks: a compiled definition on tensors, against rigorous values, within a derived bound."""

from __future__ import annotations

import hashlib
import importlib.util
from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

import numpy as np
from flint import arb, fmpq

from derivations.kernel.errors import Refused
from derivations.kernel.obligation import obligations
from derivations.kernel.scope import top_scope
from derivations.language.extended_reals import PRECISION, Indeterminate, WorkLimit, ball, precise
from derivations.language.inputs import Inputs
from derivations.language.meaning import Evaluator
from derivations.language.statement import Definition, Statement, Theory
from derivations.language.term import Index, guard, within

from .bounds import ARITHMETICS, Arithmetic, error_bound
from .compiled import Compiled, compile_definition, emitted
from .program import NotCompiled, Program

STYLES = ("random", "offset", "large", "near ties", "one hot")
"""Inputs: standard normal; +1000 (cancelling scores); scaled by 64; nearly equal rows; unit rows."""


def cross_check(
    definition: Definition,
    theory: Theory,
    *,
    device: str = "auto",
    dtypes: tuple[str, ...] = ("float64", "float32"),
    styles: tuple[str, ...] = STYLES,
    seed: int = 0,
) -> list[dict[str, Any]]:
    """Rows for the report: checks (`backend`, `device`, `dtype`, `sizes`, `error`, `bound`, `ratio`, `failed`) and
    skipped ones (`what`, `reason`).  Each row is the worst of its styles of inputs and sizes.  NumPy and torch on CPU;
    torch on CUDA when `device` is `cuda` or `auto` and there is one.
    """
    try:
        programs = {"numpy": compile_definition(definition, theory, "numpy")}
    except NotCompiled as reason:
        return [{"what": "numerical cross-check", "reason": f"not compiled: {reason}"}]
    targets: list[tuple[str, str]] = [("numpy", "cpu")] if device != "cuda" else []
    rows: list[dict[str, Any]] = []
    if importlib.util.find_spec("torch") is None:
        rows.append({"what": "torch", "reason": "torch is not installed (pip install torch)"})
    else:
        import torch

        programs["torch"] = emitted(programs["numpy"].program, "torch")
        if device != "cuda":
            targets.append(("torch", "cpu"))
        if device != "cpu":
            if torch.cuda.is_available():
                targets.append(("torch", "cuda"))
            else:
                rows.append({"what": "torch on cuda", "reason": "no CUDA device"})
    cases = list(_cases(definition, theory, programs["numpy"], styles, seed))
    if not cases:
        return [*rows, {"what": "numerical cross-check", "reason": "no inputs at which a reference value was found"}]
    for dtype, (backend, where) in product(dtypes, targets):
        rows.append(_worst(programs[backend], ARITHMETICS[dtype], backend, where, cases))
    return rows


class Case:
    """Inputs at some sizes, with the exact values of every entry for inputs rounded to a dtype."""

    def __init__(
        self,
        definition: Definition,
        theory: Theory,
        sizes: Mapping[str, int],
        inputs: Mapping[str, Any],
        everywhere: bool = False,
    ) -> None:
        self.definition, self.theory, self.sizes, self.inputs = definition, theory, dict(sizes), dict(inputs)
        self.everywhere = everywhere
        self.known: dict[str, Any] = {}
        self.bounds: dict[str, Any] = {}

    def rounded(self, dtype: str) -> dict[str, Any]:
        return {k: np.asarray(v, dtype=dtype) for k, v in self.inputs.items()}

    def bound(self, program: Program, arithmetic: Arithmetic) -> Any:
        """The error bound of the one program of this definition, which all backends run."""
        if arithmetic.name not in self.bounds:
            inputs = self.rounded(arithmetic.name)
            self.bounds[arithmetic.name] = error_bound(program, inputs, self.sizes, arithmetic)
        return self.bounds[arithmetic.name]

    def reference(self, dtype: str) -> Any:
        """The exact values (balls of at least 128 bits) of all entries; an object array over the index variables."""
        if dtype not in self.known:
            rounded = self.rounded(dtype)
            if dtype != "float64" and all(np.array_equal(rounded[k], v) for k, v in self.inputs.items()):
                self.known[dtype] = self.reference("float64")  # the inputs are numbers of this dtype already
            else:
                self.known[dtype] = reference(
                    self.definition, self.theory, self.sizes, rounded, everywhere=self.everywhere
                )
        return self.known[dtype]


def is_defined_everywhere(definition: Definition, theory: Theory) -> bool:
    """Whether the kernel sees that the right side is defined at all sizes, indices in range and inputs."""
    shape = definition.shape
    free = [(p, n) for p, n in zip(definition.indices, shape or (), strict=False) if p.free]
    if shape is None or definition.condition or not all(p is Index.var(min(p.free)) for p, _ in free):
        return False
    theory = Theory({**theory.tensors, **{t.name: t for t in definition.tensors}}, theory.definitions)
    ranges = guard(*(c for p, n in free for c in within(min(p.free), 0, n)))
    statement = Statement(definition.body, "=", definition.body, tuple(definition.variables), ranges)
    try:
        return not obligations(statement, top_scope(theory, statement))
    except Refused:
        return False


def reference(
    definition: Definition,
    theory: Theory,
    sizes: Mapping[str, int],
    inputs: Mapping[str, Any],
    *,
    everywhere: bool = False,
) -> Any:
    """Rigorous values of all entries of a definition, by the meaning of its term (not by the compiled program).

    None where the definition says nothing (0/0 in the first row of a strictly causal mask); with `everywhere` it is known
    to say something at every place."""
    tensors = {name: _exact(array) for name, array in inputs.items()}
    theory = Theory({**theory.tensors, **{t.name: t for t in definition.tensors}}, theory.definitions)
    evaluator = Evaluator(theory, Inputs(dict(sizes), tensors))
    extents = (
        [definition.shape[k].evaluate({}, sizes) for k, p in enumerate(definition.indices) if p.free]
        if definition.shape
        else []
    )
    variables = definition.variables
    values = np.empty(tuple(extents), dtype=object)
    with precise(PRECISION):
        for at in product(*(range(n) for n in extents)):
            env = dict(zip(variables, at, strict=True))
            meant = everywhere or evaluator.defined(definition.body, env)
            values[at] = ball(evaluator.value(definition.body, env)) if meant else None
    return values


def _exact(array: Any) -> Any:
    if np.ndim(array) == 0:
        numerator, denominator = float(array).as_integer_ratio()
        return fmpq(numerator, denominator)
    return [_exact(row) for row in array]


def _cases(
    definition: Definition, theory: Theory, compiled: Compiled, styles: tuple[str, ...], seed: int
) -> Iterator[Case]:
    names = list(compiled.sizes)
    text = f"{definition}|{seed}"
    everywhere = is_defined_everywhere(definition, theory)
    choices = [
        {s: 3 + (k * 2) % 3 for k, s in enumerate(names)},
        {s: 4 - k % 3 for k, s in enumerate(names)},
        dict.fromkeys(names, 1),
    ]
    for number, sizes in enumerate(choices):
        if any(extent.evaluate({}, sizes) <= at for extent, at in compiled.program.needs):
            continue
        if any(i.evaluate({}, sizes) < 1 for shape in compiled.inputs.values() for i in shape):
            continue  # an axis of n - 1 places, where n is 1, has no entries to draw
        for style in styles if number == 0 else styles[:1]:
            digest = hashlib.sha256(f"{text}|{number}|{style}".encode()).digest()
            random = np.random.default_rng(int.from_bytes(digest[:8], "big"))
            inputs = {}
            for name, shape in sorted(compiled.inputs.items()):
                inputs[name] = _draw(random, tuple(i.evaluate({}, sizes) for i in shape), style)
            case = Case(definition, theory, sizes, inputs, everywhere)
            try:
                case.reference("float64")
            except (Indeterminate, WorkLimit, KeyError):
                continue
            yield case


def _draw(random: np.random.Generator, shape: tuple[int, ...], style: str) -> Any:
    values = random.standard_normal(shape)
    if style == "offset":
        values = values + 30.0
    elif style == "large":
        values = values * 8.0  # scores grow by 64
    elif style == "near ties":
        values = np.round(values[:1] if shape else values) + 1e-6 * random.standard_normal(shape)
    elif style == "one hot" and shape:
        values = np.zeros(shape)
        values[..., 0] = 1.0
    return np.asarray(values, dtype=np.float32).astype(np.float64)


def _worst(compiled: Compiled, arithmetic: Arithmetic, backend: str, where: str, cases: list[Case]) -> dict[str, Any]:
    worst: dict[str, Any] | None = None
    unbounded = 0
    for case in cases:
        inputs = case.rounded(arithmetic.name)
        exact = case.reference(arithmetic.name)
        try:
            computed = _run(compiled, backend, where, {**inputs, **{s: case.sizes[s] for s in compiled.parameters}})
        except (RuntimeError, TypeError, ValueError, ArithmeticError, MemoryError) as error:
            said = str(error).splitlines()[0][:200] if str(error) else ""
            what = f"{backend} on {where} in {arithmetic.name}"
            return {"what": what, "reason": f"the compiled function stopped: {type(error).__name__}: {said}"}
        try:
            bound = case.bound(compiled.program, arithmetic)
        except (ValueError, IndexError, KeyError) as error:  # a bug of ours costs one check, and is said
            what = f"{backend} on {where} in {arithmetic.name}"
            said = str(error).splitlines()[0][:200] if str(error) else ""
            return {
                "what": what,
                "reason": f"internal error in its bound, please report it: {type(error).__name__}: {said}",
            }
        meant = np.array([v is not None for v in exact.ravel()], dtype=bool).reshape(exact.shape)
        if not np.all(np.isfinite(np.broadcast_to(bound, exact.shape)[meant])) or not meant.any():
            unbounded += 1  # the formula may overflow or divide by an underflow here: nothing is promised
            continue
        row = compare(computed, exact, bound)
        row = {
            "backend": backend,
            "device": where,
            "dtype": arithmetic.name,
            "sizes": dict(case.sizes),
            **row,
        }
        if worst is None or (row["failed"], row["ratio"]) > (worst["failed"], worst["ratio"]):
            worst = row
    if worst is None:
        what = f"{backend} on {where} in {arithmetic.name}"
        return {
            "what": what,
            "reason": "no finite error bound at any of the inputs: the formula overflows or underflows",
        }
    finite = {k: None if isinstance(v, float) and not np.isfinite(v) else v for k, v in worst.items()}
    return {**finite, "cases": len(cases) - unbounded, "unbounded": unbounded}


def compare(computed: Any, exact: Any, bound: Any) -> dict[str, Any]:
    """Error, bound and their largest ratio over all entries; a NaN or a wrong shape fails."""
    computed = np.asarray(computed, dtype=np.float64)
    if computed.shape != exact.shape:
        return {
            "error": None,
            "bound": None,
            "ratio": float("inf"),
            "failed": True,
            "why": f"shape {computed.shape}, needed {exact.shape}",
        }
    bound = np.broadcast_to(bound, exact.shape)
    worst = {"error": 0.0, "bound": float(np.max(bound)) if bound.size else 0.0, "ratio": 0.0, "failed": False}
    with precise(PRECISION):
        for at in np.ndindex(exact.shape):
            if exact[at] is None:
                continue
            value, most = float(computed[at]), float(bound[at])
            if not np.isfinite(value):
                return {
                    "error": None,
                    "bound": most,
                    "ratio": float("inf"),
                    "failed": True,
                    "why": f"{value} at {at}",
                }
            error = float((arb(value) - exact[at]).abs_upper())
            ratio = error / most if most > 0 else (float("inf") if error > 0 else 0.0)
            if ratio >= worst["ratio"]:
                worst = {"error": error, "bound": most, "ratio": ratio, "failed": not ratio <= 1}
    return worst


def _run(compiled: Compiled, backend: str, where: str, inputs: Mapping[str, Any]) -> Any:
    if backend == "numpy":
        with np.errstate(all="ignore"):
            return compiled(**inputs)
    import torch

    if where == "cuda":
        torch.backends.cuda.matmul.allow_tf32 = False
        torch.backends.cudnn.allow_tf32 = False
        if torch.backends.cuda.matmul.allow_tf32:
            raise RuntimeError("TF32 could not be switched off")
    tensors = {k: v if isinstance(v, int) else torch.as_tensor(v, device=where) for k, v in inputs.items()}
    return torch.as_tensor(compiled(**tensors)).cpu().numpy()


__all__ = ["STYLES", "Case", "compare", "cross_check", "reference"]
