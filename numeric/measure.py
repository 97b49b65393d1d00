"""What a torch function does: its operations one by one, and the largest amount of memory that it holds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def operations(function: Callable[[], Any]) -> list[str]:
    """The ATen operations that a call dispatches, in order, without views (`aten.mm`, `aten._softmax`, ...)."""
    from torch.utils._python_dispatch import TorchDispatchMode

    found: list[str] = []

    class Recording(TorchDispatchMode):
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            if not func.is_view:
                found.append(str(func).rpartition(".")[0])
            return func(*args, **(kwargs or {}))

    with Recording():
        function()
    return found


def peak_bytes(function: Callable[[], Any], device: str = "cpu") -> int:
    """The most memory, in bytes, that a call holds at one time beyond what was there, its result included.

    On CUDA as its allocator counts it; on CPU the running total of the allocations that torch's profiler reports.
    """
    import torch

    if device.startswith("cuda"):
        torch.cuda.synchronize()
        torch.cuda.reset_peak_memory_stats()
        before = torch.cuda.memory_allocated()
        result = function()
        torch.cuda.synchronize()
        del result
        return int(torch.cuda.max_memory_allocated() - before)
    activities = [torch.profiler.ProfilerActivity.CPU]
    with torch.profiler.profile(activities=activities, profile_memory=True, acc_events=True) as profile:
        result = function()
    del result
    held = most = 0
    for event in sorted(profile.profiler.kineto_results.events(), key=lambda e: e.start_ns()):
        if event.name() == "[memory]":
            held += event.nbytes()
            most = max(most, held)
    return most


__all__ = ["operations", "peak_bytes"]
