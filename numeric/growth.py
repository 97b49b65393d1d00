"""How the error of a compiled definition grows beside its bound, and where it lies: the numbers behind the plots."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from .balls import distances, middles, reference_balls
from .bounds import Model, analysed
from .compiled import Compiled, compile_definition
from .definitions import Shape, stated

LOW = ("bfloat16", "float16")


def study(
    definition: Any,
    *,
    lengths: Sequence[int] = (8, 16, 32, 64, 128, 256),
    grow: Sequence[str] = ("n", "m"),
    others: int = 32,
    dtypes: Sequence[str] = ("float64", "float32", "bfloat16"),
    heat: int = 16,
    where: Iterable[Any] = (),
    shapes: Mapping[str, Shape | str] | None = None,
    seed: int = 0,
) -> dict[str, Any]:
    """Errors and bounds of a definition over growing sizes, for NumPy and torch on CPU, and on CUDA where there is one.

    The sizes named in `grow` take the `lengths`, all others are `others`.  Up to 64 rows are looked at, inputs are normal
    numbers, expected values are balls.  Gives plain data: `rows` (`backend`, `device`, `dtype`, `n`, `error`, `bound`,
    `ratio`), `skipped`, and for a matrix `heat`: its values at `heat` rows with the error of each entry in the least
    precise type that was run.
    """
    pair = stated(definition, where, shapes)
    made = {b: compile_definition(*pair, b) for b in ("numpy", "torch") if importlib.util.find_spec(b)}
    rows: list[dict[str, Any]] = []
    skipped = [] if "torch" in made else [{"what": "torch", "reason": "torch is not installed"}]
    targets = list(_targets(made, skipped))
    program = next(iter(made.values())).program
    for dtype, (backend, device) in product(dtypes, targets):
        if backend == "numpy" and dtype == "bfloat16":
            skipped.append({"what": "bfloat16 on numpy", "reason": "NumPy has no such type"})
            continue
        for n in lengths:
            sizes = {s: n if s in grow else others for s in made[backend].sizes}
            _, _, error, bound = _entries(made[backend], device, dtype, sizes, seed)
            worst = _worst(error, bound)
            row = {"backend": backend, "device": device, "dtype": dtype, "n": n}
            rows.append(
                {
                    **row,
                    "error": float(error[worst]),
                    "bound": float(bound[worst]),
                    "ratio": float(error[worst] / bound[worst]),
                }
            )
    found = {"name": program.name, "equation": program.equation, "others": others, "rows": rows, "skipped": skipped}
    if len(program.result.axes) == 2 and rows:
        last = rows[-1]
        found["heat"] = _heat(made[last["backend"]], last, heat, grow, others, seed)
    return found


def _targets(made: Mapping[str, Compiled], skipped: list[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    for backend in made:
        yield backend, "cpu"
        if backend == "torch":
            import torch

            if torch.cuda.is_available():
                torch.backends.cuda.matmul.allow_tf32 = False
                yield backend, "cuda"
            else:
                skipped.append({"what": "torch on cuda", "reason": "no CUDA device"})


def _heat(
    made: Compiled, row: Mapping[str, Any], n: int, grow: Sequence[str], others: int, seed: int
) -> dict[str, Any]:
    sizes = {s: n if s in grow else others for s in made.sizes}
    values, _, error, bound = _entries(made, row["device"], row["dtype"], sizes, seed)
    about = {k: row[k] for k in ("backend", "device", "dtype")}
    return {**about, "values": values.tolist(), "errors": error.tolist(), "bounds": bound.tolist()}


def _worst(error: Any, bound: Any) -> tuple[int, ...]:
    with np.errstate(all="ignore"):
        ratio = np.where(bound > 0, error / bound, np.where(error > 0, np.inf, 0.0))
    return tuple(int(k) for k in np.unravel_index(int(np.argmax(ratio)), ratio.shape))


def _entries(made: Compiled, device: str, dtype: str, sizes: Mapping[str, int], seed: int) -> tuple[Any, Any, Any, Any]:
    """Expected values, found ones, errors and bounds of up to 64 rows."""
    rng = np.random.default_rng(seed)
    drawn = {
        name: rng.standard_normal([i.evaluate({}, sizes) for i in shape]) for name, shape in sorted(made.inputs.items())
    }
    given: dict[str, Any] = {s: sizes[s] for s in made.parameters}
    exact: dict[str, Any] = {}
    for name, x in drawn.items():
        if made.backend == "numpy":
            given[name] = x.astype(dtype)
            exact[name] = given[name].astype(np.float64)
        else:
            import torch

            given[name] = torch.as_tensor(x).to(device, getattr(torch, dtype))
            exact[name] = given[name].double().cpu().numpy()
    found = made(**given)
    found = np.asarray(found if made.backend == "numpy" else found.double().cpu().numpy(), dtype=np.float64)
    only = {}
    if found.ndim and found.shape[0] > 64:
        rows = np.unique(np.linspace(0, found.shape[0] - 1, 64).astype(int))
        only, found = {made.program.result.axes[0]: rows}, found[rows]
    model = Model(dtype, "float32" if dtype in LOW else dtype, fused=False)
    bound = np.broadcast_to(analysed(made.program, exact, sizes, model, only).error, found.shape)
    balls = reference_balls(made.program, exact, sizes, only)
    if balls is None:
        raise ValueError(f"needed sizes whose expected values can be computed in ball arithmetic, found {dict(sizes)}")
    return middles(balls), found, distances(found, balls), bound


__all__ = ["study"]
