"""Errors beside their bounds over growing lengths, as a page of plots: `benchmarks/results/errors-and-bounds.html`."""

from __future__ import annotations

import math
from typing import Any

from derivations.numeric.growth import study
from derivations.reports.plots import write_numbers

from benchmarks.measuring import RESULTS

try:
    import torch
    import torch.nn.functional as F
except ImportError:  # the functions below are read, never run
    torch = F = None  # type: ignore[assignment]

SHAPES = {"Q": ("n", "d"), "K": ("n", "d"), "V": ("n", "e")}


def attention(Q: Any, K: Any, V: Any) -> Any:
    return torch.softmax(Q @ K.T / math.sqrt(Q.shape[-1]), dim=-1) @ V


def causal_weights(Q: Any, K: Any) -> Any:
    scores = Q @ K.T / math.sqrt(Q.shape[-1])
    above = torch.triu(torch.ones(Q.shape[0], Q.shape[0]), diagonal=1).bool()
    return torch.softmax(scores.masked_fill(above, float("-inf")), dim=-1)


def main() -> None:
    """Print the largest ratio of each line, and where the page is."""
    pair = {name: SHAPES[name] for name in "QK"}
    studies = [study(attention, shapes=SHAPES), study(causal_weights, shapes=pair)]
    for one in studies:
        for row in one["rows"][5::6]:
            print(
                f"{one['name']:16} {row['dtype']:9} {row['backend']:6} n={row['n']:4} error / bound {row['ratio']:.3g}"
            )
    print(write_numbers(studies, RESULTS / "errors-and-bounds.html"))


if __name__ == "__main__":
    main()
