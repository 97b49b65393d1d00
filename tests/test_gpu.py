"""What `make gpu` runs, at small sizes on CPU; and what it says where there is no CUDA device."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest

pytestmark = [
    pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="torch is not installed"),
    # torch's own: FlexAttention's advice to compile it, and what its compiler says of itself
    pytest.mark.filterwarnings("ignore:flex_attention called without torch.compile"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]
torch: Any = pytest.importorskip("torch")
gpu: Any = pytest.importorskip("benchmarks.gpu", reason="the benchmarks are not beside the tests")


def test_the_same_code_on_cpu(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    every = gpu.plan(True)
    kept = [r for r in every if r.dtype != "float16" and not (r.causal and r.dtype == "bfloat16")]
    monkeypatch.setattr(gpu, "plan", lambda small: kept)
    assert gpu.main(["--device", "cpu", "--small", "--seconds", "1000", "--out", str(tmp_path)]) == 0
    data = json.loads((tmp_path / "gpu-code-on-cpu.json").read_text())
    assert len(data["checks"]) + len(data["skipped"]) == len(kept)
    assert all(c["within"] and c["entries"] for c in data["checks"])
    seen = {c["backend"] for c in data["checks"]}
    assert {"MATH", "FLASH_ATTENTION", *gpu.OWN} <= seen
    assert {c["what"] for c in data["checks"]} == {"output", "log-sum-exp", "dQ", "dK", "dV"}
    assert all("EFFICIENT" in s["what"] or "CUDNN" in s["what"] for s in data["skipped"])
    assert data["tf32"] == {"skipped": "TF32 is a mode of CUDA devices"}
    assert not any(data["flags"].values()) and "host" not in json.dumps(data).lower()
    assert data["times"] and data["times"][0]["emitted_over_hand_bytes"] <= 1


def test_without_a_device_everything_is_listed_as_skipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert gpu.main(["--out", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    data = json.loads((tmp_path / "gpu-none.json").read_text())
    assert "no CUDA device: nothing was run" in said and data["reason"] == "no CUDA device"
    assert len(data["skipped"]) == len(gpu.plan(False)) + 2
    assert said.count("skipped: ") == len(gpu.plan(False))


def test_a_violation_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = gpu.Run("MATH", "float32", False, 8, 16, 16, 1, 1)
    monkeypatch.setattr(gpu, "plan", lambda small: [run])
    monkeypatch.setattr(gpu, "timed", lambda *_: [])
    right = gpu.Kernels.make
    monkeypatch.setattr(gpu.Kernels, "make", lambda self, r: lambda *x: right(self, r)(*x) * 1.01)
    assert gpu.main(["--device", "cpu", "--small", "--out", str(tmp_path)]) == 1
    assert not json.loads((tmp_path / "gpu-code-on-cpu.json").read_text())["checks"][0]["within"]


def test_the_plan_covers_what_is_promised() -> None:
    runs = gpu.plan(False)
    assert {r.n for r in runs} >= {1024, 4096, 16384, 65536} and {r.d for r in runs} >= {64, 128}
    assert {r.dtype for r in runs} == set(gpu.DTYPES) and {r.causal for r in runs} == {True, False}
    assert {r.backend for r in runs} == {*gpu.SDPA, *gpu.OWN}
    assert any(r.key_heads < r.heads for r in runs) and any(r.m != r.n for r in runs)


def test_flags_are_read_back(monkeypatch: pytest.MonkeyPatch) -> None:
    with gpu.precision(tf32=True) as flags:
        assert flags["matmul.allow_tf32"] and not flags["math_sdp_reduction"]
    assert not torch.backends.cuda.matmul.allow_tf32
    monkeypatch.setattr(torch.backends.cuda, "fp16_bf16_reduction_math_sdp_allowed", lambda: True)
    with pytest.raises(RuntimeError, match="could not be set: math_sdp_reduction"), gpu.precision(tf32=False):
        pass
