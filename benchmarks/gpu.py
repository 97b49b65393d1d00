"""Every attention backend of torch held to its bound, on one CUDA card in a few minutes: `make gpu`.

Results go to `benchmarks/results/gpu-<device>.json` with device, driver, versions and the precision flags that were set
and read back.  Without a CUDA device everything is listed as skipped in `gpu-none.json`, and the exit status is 0.  With
`--device cpu --small` the same code runs at small sizes; the tests do that.
"""

from __future__ import annotations

import argparse
import math
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from typing import Any

from derivations.numeric import Model, check_within_bound, compile

from benchmarks.measuring import RESULTS, machine, save

try:
    import torch
    import torch.nn.functional as F
    from torch.nn.attention import SDPBackend, sdpa_kernel
except ImportError:  # said by main
    torch = None  # type: ignore[assignment]

SHAPES = {"Q": ("n", "d"), "K": ("m", "d"), "V": ("m", "e")}
SAME = {"Q": ("n", "d"), "K": ("n", "d"), "V": ("n", "e")}
SDPA = ("MATH", "FLASH_ATTENTION", "EFFICIENT_ATTENTION", "CUDNN_ATTENTION")
OWN = ("emitted", "emitted, torch.compile", "lowered to sdpa", "lowered to flex, torch.compile")
DTYPES = ("float64", "float32", "bfloat16", "float16")
FULL = 1024
"""Rows up to which every one is looked at; beyond it some are sampled."""


def attention(Q, K, V):
    return torch.softmax(Q @ K.T / math.sqrt(Q.shape[-1]), dim=-1) @ V


def causal(Q, K, V):
    return F.scaled_dot_product_attention(Q, K, V, is_causal=True)


def log_sum_exp(Q, K):
    return torch.logsumexp(Q @ K.T / math.sqrt(Q.shape[-1]), dim=-1)


def grad_values(Q, K, dO):  # the values themselves play no part in it
    return torch.softmax(Q @ K.T / math.sqrt(Q.shape[-1]), dim=-1).T @ dO


def grad_queries(Q, K, V, dO):
    weights = torch.softmax(Q @ K.T / math.sqrt(Q.shape[-1]), dim=-1)
    inner = dO @ V.T
    mean = (dO * (weights @ V)).sum(-1, keepdim=True)
    return weights * (inner - mean) @ K / math.sqrt(Q.shape[-1])


def grad_keys(Q, K, V, dO):
    weights = torch.softmax(Q @ K.T / math.sqrt(Q.shape[-1]), dim=-1)
    inner = dO @ V.T
    mean = (dO * (weights @ V)).sum(-1, keepdim=True)
    return (weights * (inner - mean)).T @ Q / math.sqrt(Q.shape[-1])


TWO = {name: SHAPES[name] for name in "QK"}
UPWARD = {"dO": ("n", "e")}
DEFINITIONS: dict[str, Any] = {
    "log-sum-exp": (log_sum_exp, TWO),
    "dQ": (grad_queries, {**SHAPES, **UPWARD}),
    "dK": (grad_keys, {**SHAPES, **UPWARD}),
    "dV": (grad_values, {**TWO, **UPWARD}),
}
GRADIENTS = ("dQ", "dK", "dV")


@dataclass(frozen=True)
class Run:
    """One check: a backend at one type, mask and size.  `what` is the output, a log-sum-exp or a gradient."""

    backend: str
    dtype: str
    causal: bool
    d: int
    n: int
    m: int
    heads: int
    key_heads: int
    what: str = "output"

    def __str__(self) -> str:
        keys = "" if self.m == self.n else f" x {self.m}"
        heads = f", {self.heads} heads" + (f" on {self.key_heads}" if self.key_heads != self.heads else "")
        mask = ", causal" if self.causal else ""
        return f"{self.what} of {self.backend}, {self.dtype}{mask}, d = {self.d}, n = {self.n}{keys}{heads}"


def plan(small: bool) -> list[Run]:
    """All checks, in the order in which they are run while there is time."""
    lengths = (24,) if small else (1024, 65536, 16384, 4096)
    widths = (8,) if small else (64, 128)
    runs = []
    for n, d, is_causal, dtype, backend in product(lengths, widths, (False, True), DTYPES, (*SDPA, *OWN)):
        heads = 2 if n <= 4096 else 1
        compiled = backend.endswith("torch.compile")
        if dtype == "float64" and backend not in ("MATH", "emitted"):
            continue
        if compiled and not small and (n > 1024 or d != 64 or dtype == "float16"):
            continue  # each of them is compiled anew, which takes seconds
        runs.append(Run(backend, dtype, is_causal, d, n, n, heads, heads))
    n, m, d = (17, 11, 8) if small else (1000, 777, 64)
    extra = []
    for backend, dtype in product(SDPA, ("float32", "bfloat16")):
        extra.append(Run(backend, dtype, False, d, n, m, 2, 2))
        extra.append(Run(backend, dtype, False, d, n, n, 4, 2))
        extra += [Run(backend, dtype, False, d, n, m, 1, 1, what) for what in GRADIENTS]
    extra += [Run("FLASH_ATTENTION", dtype, False, d, n, m, 1, 1, "log-sum-exp") for dtype in ("float32", "bfloat16")]
    first = len(runs) // len(lengths)
    return [*runs[:first], *extra, *runs[first:]]


def declared(run: Run, device: str) -> Model:
    """The arithmetic that a backend is declared to have; several allowances at once only widen the bound."""
    low = run.dtype if run.dtype in ("bfloat16", "float16") else None
    fine = "float64" if run.dtype == "float64" else "float32"
    common: dict[str, Any] = {"exp_ulps": 8.0, "sum_ulps": 2.0, "operand_roundings": 1, "base2": True}
    if run.backend in ("MATH", "emitted", "emitted, torch.compile"):
        if run.what in GRADIENTS:
            common["products"] = low
        return Model(run.dtype, fine, fused=False, **common)
    products = "tf32x3" if device == "cuda" and run.dtype == "float32" and "EFFICIENT" in run.backend else None
    if device == "cuda" and run.dtype == "float32" and run.backend == "lowered to sdpa":
        products = "tf32x3"  # torch chooses the backend
    if run.what in GRADIENTS:
        products = low or products
    return Model(run.dtype, fine, probabilities=low, products=products, block=16, **common)


class Unavailable(Exception):
    """A backend that does not take these inputs here."""


class Kernels:
    """The functions that are checked, made once."""

    def __init__(self, device: str) -> None:
        self.device = device
        self.made: dict[tuple[str, bool], Callable[..., Any]] = {}

    def of(self, run: Run) -> Callable[..., Any]:
        key = run.backend, run.causal
        if key not in self.made:
            self.made[key] = self.make(run)
        return self.made[key]

    def make(self, run: Run) -> Callable[..., Any]:
        if run.backend in SDPA:
            return sdpa(getattr(SDPBackend, run.backend), run.causal)
        definition, shapes = (causal, SAME) if run.causal else (attention, SHAPES)
        if run.backend.startswith("lowered to flex"):
            shapes = {name: ("b", "h", *shape) for name, shape in shapes.items()}
            definition = causal if run.causal else batched
            return self.compiled(compile(definition, shapes=shapes, lowering="flex").function)
        lowering = "sdpa" if run.backend == "lowered to sdpa" else "plain"
        function = compile(definition, shapes=shapes, lowering=lowering).function
        return self.compiled(function) if run.backend.endswith("torch.compile") else function

    def compiled(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """On CPU without a C++ compiler: traced, and run as traced."""
        return torch.compile(function, backend="inductor" if self.device == "cuda" else "aot_eager")


def batched(Q, K, V):
    return torch.softmax(Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1]), dim=-1) @ V


def sdpa(backend: Any, is_causal: bool) -> Callable[..., Any]:
    """torch's function by one backend."""

    def call(q: Any, k: Any, v: Any) -> Any:
        with sdpa_kernel(backend):
            return F.scaled_dot_product_attention(q, k, v, is_causal=is_causal, enable_gqa=q.shape[1] != k.shape[1])

    return call


@contextmanager
def precision(tf32: bool) -> Iterator[dict[str, Any]]:
    """Flags of reduced precision, set and read back; raises where one was not taken."""
    matmul, cudnn = torch.backends.cuda.matmul, torch.backends.cudnn
    before = matmul.allow_tf32, cudnn.allow_tf32
    matmul.allow_tf32 = cudnn.allow_tf32 = tf32
    reduced = [n for n in dir(matmul) if n.startswith("allow_") and "16" in n] or [
        "allow_bf16_reduced_precision_reduction", "allow_fp16_reduced_precision_reduction", "allow_fp16_accumulation"
    ]  # fmt: skip
    found: dict[str, Any] = {}
    for name in reduced:
        try:
            setattr(matmul, name, False)
        except (AttributeError, RuntimeError) as error:
            found[name] = f"not there: {error}"
            continue
        found[name] = getattr(matmul, name)
    torch.backends.cuda.allow_fp16_bf16_reduction_math_sdp(False)
    found |= {
        "matmul.allow_tf32": matmul.allow_tf32,
        "cudnn.allow_tf32": cudnn.allow_tf32,
        "math_sdp_reduction": torch.backends.cuda.fp16_bf16_reduction_math_sdp_allowed(),
    }
    wrong = [n for n, v in found.items() if not isinstance(v, str) and bool(v) != (tf32 and "tf32" in n)]
    if wrong:
        raise RuntimeError(f"could not be set: {', '.join(wrong)}")
    try:
        yield found
    finally:
        matmul.allow_tf32, cudnn.allow_tf32 = before


def inputs(run: Run, device: str) -> dict[str, Any]:
    """Normal numbers, seeded by the run."""
    g = torch.Generator(device=device).manual_seed(run.n + run.d)
    dtype = getattr(torch, run.dtype)
    shapes = {"Q": (run.heads, run.n, run.d), "K": (run.key_heads, run.m, run.d), "V": (run.key_heads, run.m, run.d)}
    if run.what in GRADIENTS:
        shapes["dO"] = (run.heads, run.n, run.d)
    return {name: torch.randn(1, *shape, generator=g, device=device).to(dtype) for name, shape in shapes.items()}


def result_of(run: Run, kernels: Kernels, given: dict[str, Any]) -> Any:
    """What the backend gives; raises `Unavailable` with torch's words when it does not take the inputs."""
    try:
        if run.what == "log-sum-exp":
            suffix = "" if kernels.device == "cuda" else "_for_cpu"
            return getattr(torch.ops.aten, f"_scaled_dot_product_flash_attention{suffix}")(*given.values())[1]
        if run.what == "output":
            return kernels.of(run)(*given.values())
        q, k, v = (given[n].clone().requires_grad_() for n in "QKV")
        kernels.of(run)(q, k, v).backward(given["dO"])
        return {"dQ": q, "dK": k, "dV": v}[run.what].grad
    except (RuntimeError, NotImplementedError, ValueError) as error:
        said = re.sub(r"\s+", " ", str(error).strip())
        kind = "out of memory" if "out of memory" in said else said.partition(". ")[0][:160]
        raise Unavailable(kind or type(error).__name__) from error


def checked(run: Run, kernels: Kernels, model: Model | None = None) -> dict[str, Any]:
    """One run against its bound."""
    given = inputs(run, kernels.device)
    start = time.perf_counter()
    found = result_of(run, kernels, given)
    if kernels.device == "cuda":
        torch.cuda.synchronize()
    spent = time.perf_counter() - start
    definition, shapes = (
        DEFINITIONS[run.what] if run.what != "output" else (causal if run.causal else attention, SHAPES)
    )
    given = {name: given[name] for name in shapes}
    verdict = check_within_bound(
        found, definition, given, model=model or declared(run, kernels.device), shapes=shapes,
        rows=None if run.n <= FULL else 64 if run.n <= 4096 else 16,
    )  # fmt: skip
    return {
        **asdict(run), "within": verdict.within, "error": verdict.error, "bound": verdict.bound, "ratio": verdict.ratio,
        "rows": "all" if verdict.rows is None else len(verdict.rows), "entries": verdict.checked,
        "model": str(verdict.model), "first_call_s": round(spent, 4), **({"why": verdict.why} if verdict.why else {}),
    }  # fmt: skip


def tensor_float(kernels: Kernels, small: bool) -> dict[str, Any]:
    """Products in TF32 must leave the bound of float32, and stay within the one that declares them."""
    if kernels.device != "cuda":
        return {"skipped": "TF32 is a mode of CUDA devices"}
    n, d = (64, 32) if small else (1024, 64)
    run = Run("emitted", "float32", False, d, n, n, 1, 1)
    with precision(tf32=True) as flags:
        plain, told = (
            checked(run, kernels, Model(fused=False, operand_roundings=1, products=p)) for p in (None, "tf32")
        )
    return {"flags": flags, "outside_the_bound_of_float32": not plain["within"], "within_the_bound_of_tf32": told["within"],
            "ratio": plain["ratio"], "ratio_with_tf32_declared": told["ratio"]}  # fmt: skip


def timed(device: str, small: bool, ends: float) -> list[dict[str, Any]]:
    """Emitted code beside hand-written code and torch's own function on the device."""
    from benchmarks.bench_attention import row

    lengths = (16,) if small else (256, 1024, 4096)
    rows = []
    for dtype, is_causal, n in product(("float32", "bfloat16"), (False, True), lengths):
        if time.perf_counter() > ends:
            break
        rows.append(row(getattr(torch, dtype), is_causal, n, 2, 8 if small else 64, 0.2 if small else 1.5, device))
    return rows


def about(device: str) -> dict[str, Any]:
    """Device, driver and versions."""
    found: dict[str, Any] = {**machine("torch", "triton", "numpy", "derivations"), "device": None}
    if device == "cuda":
        found["device"] = torch.cuda.get_device_name()
        found["capability"] = ".".join(map(str, torch.cuda.get_device_capability()))
        found["cuda"], found["cudnn"] = torch.version.cuda, torch.backends.cudnn.version()
        command = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
        try:
            said = subprocess.run(command, capture_output=True, text=True, timeout=20, check=True).stdout
            found["driver"] = said.splitlines()[0].strip()
        except (OSError, subprocess.SubprocessError, IndexError) as error:
            found["driver"] = f"not found: {type(error).__name__}"
    return found


def main(argv: list[str] | None = None) -> int:
    """Run all checks; exit status 1 when something leaves its bound, or TF32 does not."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--small", action="store_true", help="small sizes, as in the tests")
    parser.add_argument("--seconds", type=float, default=400, help="no further check is begun after this time")
    parser.add_argument("--out", type=Path, default=RESULTS)
    given = parser.parse_args(sys.argv[1:] if argv is None else argv)
    runs = plan(given.small)
    if torch is None or (given.device == "cuda" and not torch.cuda.is_available()):
        reason = "torch is not installed" if torch is None else "no CUDA device"
        print(f"{reason}: nothing was run; {len(runs)} checks, the run with TF32 and the timings are skipped")
        for run in runs:
            print(f"skipped: {run}")
        skipped = [*map(str, runs), "TF32 against the bound of float32", "time and memory of emitted code"]
        print(save("gpu-none", {"machine": {"device": None}, "reason": reason, "skipped": skipped}, given.out))
        return 0
    start, kernels = time.perf_counter(), Kernels(given.device)
    checks, skipped = [], []
    with precision(tf32=False) as flags:
        for run in runs:
            if time.perf_counter() - start > given.seconds * 0.85:
                skipped.append({"what": str(run), "reason": "no time left"})
                continue
            try:
                found = checked(run, kernels)
            except Unavailable as reason:
                skipped.append({"what": str(run), "reason": str(reason)})
                continue
            finally:
                if given.device == "cuda" and run.n > 4096:
                    torch.cuda.empty_cache()
            checks.append(found)
            word = "within " if found["within"] else "OUTSIDE"
            print(f"{word} {found['ratio']:9.3g}  {run}  {found.get('why', '')}", flush=True)
        times = timed(given.device, given.small, start + given.seconds)
    tf32 = tensor_float(kernels, given.small)
    outside = [c for c in checks if not c["within"]]
    for s in skipped:
        print(f"skipped: {s['what']}: {s['reason']}")
    print(f"{len(checks)} checks, {len(outside)} outside their bound, {len(skipped)} skipped; TF32: {tf32}")
    name = about(given.device)
    slug = re.sub(r"[^a-z0-9]+", "-", str(name["device"] or "code-on-cpu").lower()).strip("-")
    data = {"machine": name, "flags": flags, "seconds": round(time.perf_counter() - start), "checks": checks,
            "skipped": skipped, "tf32": tf32, "times": times}  # fmt: skip
    print(save(f"gpu-{slug}", data, given.out))
    failed = bool(outside) or not checks or not tf32.get("outside_the_bound_of_float32", True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
