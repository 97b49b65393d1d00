"""Emitted torch beside hand-written torch and `F.scaled_dot_product_attention`: time and peak memory, interleaved.

A ratio stands beside the ratio of the same hand-written code to itself (A/A), measured in the same rounds: what differs
from 1 there is noise.  Results are written to `benchmarks/results/attention-cpu.json`.
"""

from __future__ import annotations

import argparse
import math
import statistics
from collections.abc import Callable
from functools import partial
from itertools import product
from typing import Any

from derivations.numeric import compile

from benchmarks.measuring import interleaved, machine, ratio, save

SHAPES = {"Q": ("n", "d"), "K": ("n", "d"), "V": ("n", "e")}
TARGET = 1.05
"""Emitted over hand-written, at most this many times A/A, at n >= 256."""

try:
    import torch
    import torch.nn.functional as F
    from derivations.numeric.measure import peak_bytes
except ImportError:  # the benchmark says so
    torch = None  # type: ignore[assignment]


def attention(Q, K, V):
    return torch.softmax(Q @ K.T / math.sqrt(Q.shape[-1]), dim=-1) @ V


def causal(Q, K, V):
    return F.scaled_dot_product_attention(Q, K, V, is_causal=True)


def by_hand(Q: Any, K: Any, V: Any) -> Any:
    """What an engineer writes."""
    scores = (Q / math.sqrt(Q.shape[-1])) @ K.transpose(-2, -1)
    weights = torch.softmax(scores, dim=-1)
    del scores
    return weights @ V


def causal_by_hand(Q: Any, K: Any, V: Any) -> Any:
    """The same with a mask."""
    n = Q.shape[-2]
    allowed = torch.ones(n, n, dtype=torch.bool, device=Q.device).tril()
    scores = (Q / math.sqrt(Q.shape[-1])) @ K.transpose(-2, -1)
    scores = scores.masked_fill(~allowed, -math.inf)
    weights = torch.softmax(scores, dim=-1)
    del scores
    return weights @ V


def variants(is_causal: bool) -> dict[str, Callable[..., Any]]:
    """Functions of queries, keys and values; the hand-written one twice."""
    definition, hand = (causal, causal_by_hand) if is_causal else (attention, by_hand)
    return {
        "hand": hand,
        "again": hand,
        "emitted": compile(definition, shapes=SHAPES).function,
        "sdpa": partial(F.scaled_dot_product_attention, is_causal=is_causal),
        "lowered": compile(definition, shapes=SHAPES, lowering="sdpa").function,
    }


def row(dtype: Any, is_causal: bool, n: int, heads: int, d: int, budget: float, device: str = "cpu") -> dict[str, Any]:
    """One row of the table."""
    g = torch.Generator().manual_seed(n)
    x = [torch.randn(1, heads, n, d, generator=g).to(device, dtype) for _ in range(3)]
    wait = torch.cuda.synchronize if device == "cuda" else None
    calls = {name: partial(f, *x) for name, f in variants(is_causal).items()}
    memory = {name: peak_bytes(call, device) for name, call in calls.items() if name != "again"}
    times = interleaved(calls, rounds=41, budget=budget, wait=wait)
    return {
        "dtype": str(dtype).removeprefix("torch."),
        "causal": is_causal,
        "n": n,
        "hand_ms": statistics.median(times["hand"]) * 1e3,
        "rounds": len(times["hand"]),
        "a_a": ratio(times, "again", "hand"),
        "emitted_over_hand": ratio(times, "emitted", "hand"),
        "sdpa_over_hand": ratio(times, "sdpa", "hand"),
        "lowered_over_sdpa": ratio(times, "lowered", "sdpa"),
        "hand_bytes": memory["hand"],
        "emitted_over_hand_bytes": memory["emitted"] / memory["hand"],
        "sdpa_over_hand_bytes": memory["sdpa"] / memory["hand"],
    }


def main() -> None:
    """Print a table; nothing is asserted."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lengths", type=int, nargs="*", default=[64, 128, 256, 512, 1024, 2048, 4096])
    parser.add_argument("--seconds", type=float, default=8.0, help="at most, for a row (five rounds are always run)")
    parser.add_argument("--no-save", action="store_true")
    given = parser.parse_known_args()[0]
    if torch is None:
        print("skipped: torch is not installed")
        return
    torch.set_num_threads(1)
    heads, d, rows = 1, 64, []
    print(
        f"{heads} head of {d} channels; processor time of one thread, medians of quotients within a round; "
        "memory as torch's profiler counts"
    )
    print("                          ---------------- time ----------------   ------- memory -------")
    print("type     causal    n      hand  emitted/hand    A/A  sdpa/hand  |     hand  emitted  sdpa")
    for dtype, is_causal, n in product((torch.float32, torch.bfloat16), (False, True), given.lengths):
        r = row(dtype, is_causal, n, heads, d, given.seconds)
        rows.append(r)
        print(
            f"{r['dtype']:9}{'yes' if is_causal else 'no':6}{n:6}{r['hand_ms']:8.2f}ms{r['emitted_over_hand']:13.3f}"
            f"{r['a_a']:8.3f}{r['sdpa_over_hand']:10.3f}  |{r['hand_bytes'] / 2**20:7.1f}MB"
            f"{r['emitted_over_hand_bytes']:9.3f}{r['sdpa_over_hand_bytes']:7.3f}",
            flush=True,
        )
    large = [r for r in rows if r["n"] >= 256]
    slow = [r for r in large if r["emitted_over_hand"] > TARGET * r["a_a"]]
    wide = [r for r in large if r["emitted_over_hand_bytes"] > 1]
    print(f"n >= 256: {len(slow)} of {len(large)} rows above {TARGET} x A/A in time, {len(wide)} above 1 in memory")
    if not given.no_save:
        about = {
            **machine("torch", "numpy", "derivations"),
            "threads": 1,
            "time": "processor time of one thread",
            "heads": heads,
            "channels": d,
        }
        print(save("attention-cpu", {"machine": about, "gpu": "none was to be had", "rows": rows}))


if __name__ == "__main__":
    main()
