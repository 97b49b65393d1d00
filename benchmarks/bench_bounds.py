"""Kernels against their bounds on adversarial inputs: how many leave them (none may), and how loose the bounds are."""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
from derivations.numeric import Model, check_within_bound, compile

from benchmarks.measuring import machine, save

STYLES = (
    "random",
    "offset",
    "cancelling",
    "times 64",
    "near ties",
    "denormal",
    "one hot",
    "one key",
    "one row",
    "constant",
)
SHAPES = {"Q": ("n", "d"), "K": ("m", "d"), "V": ("m", "e")}


def attention(Q, K, V):
    return torch.softmax(Q @ K.T / math.sqrt(Q.shape[-1]), dim=-1) @ V


def causal(Q, K, V):
    return F.scaled_dot_product_attention(Q, K, V, is_causal=True)


def weights(Q, K):
    return torch.softmax(Q @ K.T / math.sqrt(Q.shape[-1]), dim=-1)


def logs(Q, K):
    return torch.logsumexp(Q @ K.T / math.sqrt(Q.shape[-1]), dim=-1)


try:
    import torch
    import torch.nn.functional as F
    from torch.nn.attention import SDPBackend, sdpa_kernel
except ImportError:  # the benchmark says so
    torch = None  # type: ignore[assignment]


EMITTED = compile(attention, shapes=SHAPES).function


def drawn(style: str, dtype: Any, seed: int) -> dict[str, Any]:
    """Queries, keys and values of one style."""
    g = np.random.default_rng(seed)
    n, m, d, e = (int(g.integers(1, 24)) for _ in range(4))
    n, m = (1 if style == "one row" else n), (1 if style == "one key" else m)
    q, k, v = g.normal(size=(n, d)), g.normal(size=(m, d)), g.normal(size=(m, e))
    if style == "offset":
        q, k, v = q + 30, k + 30, v + 100
    elif style == "cancelling":
        q = np.concatenate([q * 30, -q * 30], 1)
        k = np.concatenate([k, k + 1e-3 * g.normal(size=k.shape)], 1)
    elif style == "times 64":
        q, k = q * 8, k * 8
    elif style == "near ties":
        q, k = np.round(q), np.round(k[:1]) + 1e-3 * k
    elif style == "denormal":
        q, k, v = q * 1e-20, k * 1e-22, v * 1e-38
    elif style == "one hot":
        k = np.zeros_like(k)
        k[:, 0] = g.integers(-20, 20, size=m)
    elif style == "constant":
        v = np.ones_like(v)
    return {"Q": torch.as_tensor(q).to(dtype), "K": torch.as_tensor(k).to(dtype), "V": torch.as_tensor(v).to(dtype)}


def scaled_dot_product(q: Any, k: Any, v: Any) -> Any:
    """torch's own, by its plain backend."""
    with sdpa_kernel(SDPBackend.MATH):
        return F.scaled_dot_product_attention(q[None, None], k[None, None], v[None, None], is_causal=True)[0, 0]


def blocked(q: Any, k: Any, v: Any, block: int) -> Any:
    """Attention with a running maximum, in float32, with weights rounded to the type of the inputs."""
    m, total, out = torch.full((len(q), 1), -math.inf), torch.zeros(len(q), 1), torch.zeros(len(q), v.shape[1])
    for j in range(0, len(k), block):
        s = q.float() @ k[j : j + block].float().T / math.sqrt(q.shape[1])
        new = torch.maximum(m, s.amax(-1, keepdim=True))
        p, a = torch.exp(s - new), torch.exp(m - new)
        total = total * a + p.sum(-1, keepdim=True)
        out = out * a + p.to(q.dtype).float() @ v[j : j + block].float()
        m = new
    return (out / total).to(q.dtype)


def powers_of_two(q: Any, k: Any, v: Any) -> Any:
    """Attention with log2(e) in the scale and powers of two, in float32."""
    s = q.float() @ k.float().T * (math.log2(math.e) / math.sqrt(q.shape[1]))
    p = torch.exp2(s - s.amax(-1, keepdim=True))
    return (p @ v.float() / p.sum(-1, keepdim=True)).to(q.dtype)


def runs(given: dict[str, Any], storage: str, block: int) -> Iterator[tuple[str, Any, Any, dict[str, Any], Model]]:
    """Name, result, definition, inputs and declared model of each kernel."""
    q, k, v = given.values()
    low = None if storage in ("float32", "float64") else storage
    fine = "float64" if storage == "float64" else "float32"
    scale = math.sqrt(q.shape[1])
    pair = {"Q": q, "K": k}
    if fine == "float32":
        yield "blocks", blocked(q, k, v, block), attention, given, Model(storage, fine, probabilities=low, block=block)
        yield "powers of two", powers_of_two(q, k, v), attention, given, Model(storage, fine, base2=True)
    unfused = Model(storage, fine, fused=False)
    both = scaled_dot_product(q, k, v)  # a root of the scale on both sides
    yield "sdpa, math", both, causal, given, Model(storage, fine, fused=False, operand_roundings=1)
    emitted = EMITTED(q, k, v)
    yield "emitted", emitted, attention, given, Model(storage, fine, fused=False, operand_roundings=1)
    yield "plain", torch.softmax(q @ k.T / scale, -1) @ v, attention, given, unfused
    own = F.scaled_dot_product_attention(q[None, None], k[None, None], v[None, None], is_causal=True)[0, 0]
    yield "sdpa, causal", own, causal, given, Model(storage, fine, probabilities=low, block=1)
    yield "softmax", torch.softmax(q @ k.T / scale, -1), weights, pair, unfused
    yield "logsumexp", torch.logsumexp(q @ k.T / scale, -1), logs, pair, unfused


def main() -> None:
    """Print a table: kernel, type, cases, violations, median and largest ratio of error to bound."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=6, help="6 take about two minutes; 34 give more than 10,000 cases")
    seeds = parser.parse_known_args()[0].seeds
    if torch is None:
        print("skipped: torch is not installed")
        return
    start = time.perf_counter()
    rows: dict[tuple[str, str], list[tuple[float, bool, str]]] = {}
    for storage, style, seed in product(("float64", "float32", "bfloat16", "float16"), STYLES, range(seeds)):
        given = drawn(style, getattr(torch, storage), 1000 * seed + STYLES.index(style))
        if not all(bool(torch.isfinite(x).all()) for x in given.values()):
            continue
        for name, result, definition, inputs, model in runs(given, storage, 1 + seed % 7):
            verdict = check_within_bound(result, definition, inputs, model=model, shapes={n: SHAPES[n] for n in inputs})
            if verdict.checked:
                rows.setdefault((name, storage), []).append(
                    (verdict.ratio, not verdict.within, f"{style} {seed}: {verdict}")
                )
    total = bad = 0
    print(f"{'kernel':14} {'type':9} {'cases':>6} {'outside':>7} {'median':>8} {'largest':>8}   (error / bound)")
    for (name, storage), found in rows.items():
        ratios = [r for r, _, _ in found]
        outside = [text for _, wrong, text in found if wrong]
        total, bad = total + len(found), bad + len(outside)
        print(f"{name:14} {storage:9} {len(found):6} {len(outside):7} {np.median(ratios):8.2g} {max(ratios):8.2g}")
        for text in outside[:2]:
            print("    ", text)
    print(f"{total} cases, {bad} outside their bound, {time.perf_counter() - start:.0f} s")
    if seeds > 30:
        table = [
            {"kernel": n, "dtype": s, "cases": len(f), "outside": sum(w for _, w, _ in f),
             "median_ratio": float(np.median([r for r, _, _ in f])), "largest_ratio": max(r for r, _, _ in f)}
            for (n, s), f in rows.items()
        ]  # fmt: skip
        print(save("bounds", {"machine": machine("torch", "numpy"), "cases": total, "outside": bad, "rows": table}))


if __name__ == "__main__":
    main()
