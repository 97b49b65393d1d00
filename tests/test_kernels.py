"""A user's own kernel against the bound of what it computes: right ones stay inside, planted mistakes do not."""

from __future__ import annotations

import importlib.util
import math
import subprocess
import sys
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from derivations.numeric import KernelMismatch, Model, assert_within_bound, check_within_bound

pytestmark = pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="torch is not installed")
torch: Any = pytest.importorskip("torch")
F = torch.nn.functional

SHAPES = {"Q": ("n", "d"), "K": ("m", "d"), "V": ("m", "e")}
TYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}
STYLES = ("random", "offset", "large", "near ties", "one key", "unequal lengths", "one hot")


def attention(Q, K, V):
    return torch.softmax(Q @ K.T / math.sqrt(Q.shape[-1]), dim=-1) @ V


def causal(Q, K, V):
    return F.scaled_dot_product_attention(Q, K, V, is_causal=True)


def lse(Q, K):
    return torch.logsumexp(Q @ K.T / math.sqrt(Q.shape[-1]), dim=-1)


def grad_values(Q, K, dO):
    return torch.softmax(Q @ K.T / math.sqrt(Q.shape[-1]), dim=-1).T @ dO


def flash(Q, K, V, block=16, rescale=True, shift=True, tail=True, scale=None):
    """Attention over blocks of keys with a running maximum; the keywords plant mistakes."""
    q, low = Q.float(), -math.inf
    m = torch.full((*Q.shape[:-1], 1), low)
    total, out = torch.zeros_like(m), torch.zeros(*Q.shape[:-1], V.shape[-1])
    for j in range(0, K.shape[-2] if tail else K.shape[-2] // block * block, block):
        k, v = K[..., j : j + block, :].float(), V[..., j : j + block, :].float()
        s = q @ k.mT / (scale or math.sqrt(Q.shape[-1]))
        new = torch.maximum(m, s.amax(-1, keepdim=True))
        p = torch.exp(s - (new if shift else m))
        a = torch.exp(m - new)
        total = total * a + p.sum(-1, keepdim=True)
        if Q.dtype != torch.float32:
            p = p.to(Q.dtype).float()
        out = (out * a if rescale else out) + p @ v
        m = new
    return (out / total).to(Q.dtype)


def inputs(style: str, dtype: Any, seed: int = 0, n: int = 37, m: int = 29, d: int = 8) -> dict[str, Any]:
    g = torch.Generator().manual_seed(seed)
    n, m = {"one key": (n, 1), "unequal lengths": (1, 70)}.get(style, (n, m))
    made = {k: torch.randn(*s, generator=g) for k, s in {"Q": (n, d), "K": (m, d), "V": (m, d - 2)}.items()}
    for name in ("Q", "K"):
        if style == "offset":
            made[name] = made[name] + 30
        if style == "large":
            made[name] = made[name] * 8
        if style == "near ties":
            made[name] = made[name][:1].round() + 1e-3 * made[name]
        if style == "one hot":
            made[name] = torch.zeros_like(made[name])
            made[name][:, 0] = 1
    return {k: v.to(dtype) for k, v in made.items()}


@pytest.mark.parametrize(("storage", "style"), [*product(TYPES, STYLES)])
def test_right_kernels_stay_within(storage: str, style: str) -> None:
    weights = None if storage == "float32" else storage
    fused = Model(storage, "float32", probabilities=weights, block=16)
    for seed in range(3):
        given = inputs(style, TYPES[storage], seed)
        assert_within_bound(flash, attention, given, model=fused, shapes=SHAPES)
        plain = torch.softmax(given["Q"] @ given["K"].mT / math.sqrt(8), -1) @ given["V"]
        assert_within_bound(plain, attention, given, model=Model(storage, "float32", fused=False), shapes=SHAPES)
        four = {k: v[None, None] for k, v in given.items()}
        own = F.scaled_dot_product_attention(*four.values(), is_causal=True)
        assert_within_bound(
            own, causal, four, model=Model(storage, "float32", probabilities=weights, block=1), shapes=SHAPES
        )


MISTAKES: dict[str, dict[str, Any]] = {
    "no rescaling of the output": {"rescale": False},
    "the maximum of the block before": {"shift": False},
    "the last keys left out": {"tail": False},
    "a scale of d": {"scale": 8.0},
}


@pytest.mark.parametrize(("storage", "mistake"), [*product(TYPES, MISTAKES)])
def test_planted_mistakes_leave_the_bound(storage: str, mistake: str) -> None:
    weights = None if storage == "float32" else storage
    given = inputs("random", TYPES[storage])
    model = Model(storage, "float32", probabilities=weights, block=16)
    with pytest.raises(KernelMismatch, match=r"worst entry|a NaN never passes"):
        assert_within_bound(lambda **x: flash(**x, **MISTAKES[mistake]), attention, given, model=model, shapes=SHAPES)


def test_products_in_tf32_fail_the_bound_of_float32() -> None:
    given = inputs("random", torch.float32, n=64, m=64, d=32)

    def cut(x: Any) -> Any:
        return ((x.view(torch.int32) + 0x1000) & ~0x1FFF).view(torch.float32)  # to nearest, 10 bits kept

    q, k, v = map(cut, given.values())
    p = torch.softmax(q @ k.mT / math.sqrt(32), -1)
    result = cut(p) @ v
    assert not check_within_bound(result, attention, given, model=Model(), shapes=SHAPES).within
    assert check_within_bound(result, attention, given, model=Model(products="tf32"), shapes=SHAPES).within


@pytest.mark.parametrize("storage", [torch.float32, torch.float16])
def test_subnormals_that_are_flushed_are_declared(storage: torch.dtype) -> None:
    given = inputs("random", storage, n=32, m=32)
    least = torch.finfo(storage).smallest_normal
    given["V"] = (given["V"].float() * least / 4).to(storage)

    def flushed(x: Any) -> Any:
        return torch.where(x.abs() < least, torch.zeros_like(x), x)

    def kernel(Q: Any, K: Any, V: Any) -> Any:
        p = torch.softmax(Q.float() @ K.float().mT / math.sqrt(8), -1)
        return flushed((p @ flushed(V).float()).to(storage))

    name = str(storage).removeprefix("torch.")
    kept, lost = Model(name, "float32"), Model(name, "float32", flushes=True)
    assert not check_within_bound(kernel, attention, given, model=kept, shapes=SHAPES).within
    assert_within_bound(kernel, attention, given, model=lost, shapes=SHAPES)
    assert "subnormals flushed" in str(lost)
    ordinary = inputs("random", storage, n=32, m=32)
    assert not check_within_bound(lambda **x: kernel(**x) * 1.01, attention, ordinary, model=lost, shapes=SHAPES).within


def test_log_sum_exp_and_gradients() -> None:
    for style in STYLES:
        given = inputs(style, torch.float32)
        qk = {k: given[k] for k in "QK"}
        result = torch.logsumexp(given["Q"] @ given["K"].mT / math.sqrt(8), -1)
        assert_within_bound(result, lse, qk, model=Model(), shapes={k: SHAPES[k] for k in "QK"})
        out = torch.randn(given["Q"].shape[0], 6)
        v = given["V"].clone().requires_grad_()
        attention(given["Q"], given["K"], v).backward(out)
        with_gradient = {**qk, "dO": out}
        shapes = {"Q": ("n", "d"), "K": ("m", "d"), "dO": ("n", "e")}
        assert_within_bound(v.grad, grad_values, with_gradient, model=Model(), shapes=shapes)


def test_heads_that_share_keys() -> None:
    q, k, v = torch.randn(2, 6, 9, 4), torch.randn(2, 2, 11, 4), torch.randn(2, 2, 11, 5)
    shared = [x.repeat_interleave(3, dim=1) for x in (k, v)]
    given = {"Q": q, "K": k, "V": v}
    assert_within_bound(flash(q, *shared), attention, given, model=Model(block=16), shapes=SHAPES)
    turned = [x.repeat(1, 3, 1, 1) for x in (k, v)]
    verdict = check_within_bound(flash(q, *turned), attention, given, model=Model(block=16), shapes=SHAPES)
    assert not verdict.within and verdict.at[:2] in product(range(2), range(6))


def test_rows_are_sampled_where_the_whole_does_not_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(check_within_bound.__globals__, "MAX_ENTRIES", 1000)
    given = inputs("random", torch.float32, n=200, m=29)
    verdict = assert_within_bound(flash, attention, given, model=Model(block=16), shapes=SHAPES, seed=3)
    assert verdict.rows is not None and {0, 199} <= set(verdict.rows) and len(verdict.rows) <= 64
    wrong = flash(**given)
    wrong[199] += 1
    assert not check_within_bound(wrong, attention, given, model=Model(block=16), shapes=SHAPES, seed=3).within
    square = inputs("random", torch.float32, n=200, m=200)
    assert_within_bound(
        F.scaled_dot_product_attention(*(x[None] for x in square.values()), is_causal=True)[0], causal, square,
        model=Model(block=1), shapes=SHAPES, seed=4,
    )  # fmt: skip


BAD: dict[str, tuple[Any, dict[str, Any], type[Exception], str]] = {
    "a type": (flash, {"Q": torch.zeros(3, 2).half()}, ValueError, "Q is float16, needed float32"),
    "a NaN": (flash, {"Q": torch.full((3, 2), math.nan)}, ValueError, "Q holds a NaN"),
    "sizes": (flash, {"V": torch.zeros(7, 2)}, ValueError, "m is 4 from axis 0 of K, but 7 from axis 0 of V"),
    "no array": (flash, {"Q": [[1.0]]}, ValueError, "Q: needed a tensor or an array, found list"),
    "too few axes": (flash, {"Q": torch.zeros(3)}, ValueError, "Q has 1 axes, needed at least 2"),
    "writes": (lambda Q, K, V: Q.zero_() @ K.T @ V, {}, TypeError, "changes its input Q"),
    "several": (lambda Q, K, V: (Q, K), {}, TypeError, "needed one array from the kernel, found 2"),
    "shape": (lambda Q, K, V: Q, {"V": torch.zeros(4, 3)}, KernelMismatch, r"has shape \(3, 2\), needed \(3, 3\)"),
    "result type": (lambda Q, K, V: flash(Q, K, V).half(), {}, KernelMismatch, "the result is float16, needed float32"),
    "random": (lambda Q, K, V: torch.rand(3, 2), {}, KernelMismatch, "not deterministic"),
    "no keys": (flash, {"K": torch.zeros(0, 2), "V": torch.zeros(0, 2)}, ValueError, "axis 0 of K has length 0"),
    "devices": (flash, {"K": torch.zeros(4, 2, device="meta")}, ValueError, "Q is on cpu, but K on meta"),
    "an empty batch": (
        lambda Q, K, V: torch.zeros(0, 3, 2),
        {n: torch.zeros(0, k, 2) for n, k in (("Q", 3), ("K", 4), ("V", 4))},
        KernelMismatch,
        "nothing was checked: the result is empty",
    ),
    "out of memory": (lambda Q, K, V: torch.zeros(1 << 60), {}, MemoryError, r"ran out of memory for Q \(3, 2\), K"),
    "NaN result": (lambda Q, K, V: flash(Q, K, V) * math.nan, {}, KernelMismatch, "found NaN"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input(name: str) -> None:
    kernel, change, error, says = BAD[name]
    given = {"Q": torch.ones(3, 2), "K": torch.ones(4, 2), "V": torch.ones(4, 2), **change}
    with pytest.raises(error, match=says):
        assert_within_bound(kernel, attention, given, model=Model(block=16), shapes=SHAPES)


def test_what_may_overflow_is_counted_and_never_passes_alone() -> None:
    given = {"Q": torch.full((2, 2), 250.0).half(), "K": torch.full((3, 2), 250.0).half(), "V": torch.ones(3, 2).half()}
    unfused = Model("float16", "float32", fused=False)
    result = torch.ones(2, 2).half()
    verdict = check_within_bound(result, attention, given, model=unfused, shapes=SHAPES)
    assert not verdict.within and verdict.unbounded == 4 and "nothing was checked" in str(verdict)
    fused = Model("float16", "float32", probabilities="float16")
    assert check_within_bound(result, attention, given, model=fused, shapes=SHAPES).within


def test_a_nan_never_passes_not_even_where_nothing_is_promised() -> None:
    given = {"Q": torch.full((2, 2), 250.0).half(), "K": torch.full((3, 2), 250.0).half(), "V": torch.ones(3, 2).half()}
    given["Q"][0] = 0  # this row is bounded, the other one may overflow
    unfused = Model("float16", "float32", fused=False)
    result = torch.ones(2, 2).half()
    assert check_within_bound(result, attention, given, model=unfused, shapes=SHAPES).within
    result[1, 1] = math.nan
    verdict = check_within_bound(result, attention, given, model=unfused, shapes=SHAPES)
    assert not verdict.within and verdict.at == (1, 1) and "a NaN never passes" in str(verdict)


def powers_of_two(Q, K, V):
    """Scores times log2(e) and the scale in one constant, as fused kernels do."""
    s = Q.float() @ K.float().mT * (math.log2(math.e) / math.sqrt(Q.shape[-1]))
    p = torch.exp2(s - s.amax(-1, keepdim=True))
    return (p @ V.float() / p.sum(-1, keepdim=True)).to(Q.dtype)


def scaled_on_both_sides(Q, K, V):
    root = Q.shape[-1] ** -0.25
    return torch.softmax((Q * root) @ (K * root).mT, -1) @ V


@pytest.mark.parametrize("style", STYLES)
def test_powers_of_two_and_scales_on_the_operands_are_declared(style: str) -> None:
    for seed in range(3):
        given = inputs(style, torch.float32, seed)
        assert_within_bound(powers_of_two, attention, given, model=Model(base2=True), shapes=SHAPES)
        assert_within_bound(scaled_on_both_sides, attention, given, model=Model(operand_roundings=1), shapes=SHAPES)
        low = inputs(style, torch.bfloat16, seed)
        unfused = Model("bfloat16", "float32", fused=False, operand_roundings=1)
        assert_within_bound(scaled_on_both_sides, attention, low, model=unfused, shapes=SHAPES)
    plain, declared = (
        check_within_bound(powers_of_two(**given), attention, given, model=m, shapes=SHAPES).bound
        for m in (Model(), Model(base2=True, operand_roundings=1))
    )
    assert plain < declared


def test_some_rows_are_looked_at_when_asked_for() -> None:
    given = inputs("random", torch.float32, n=200)
    verdict = assert_within_bound(flash, attention, given, model=Model(block=16), shapes=SHAPES, rows=5)
    assert verdict.rows is not None and len(verdict.rows) == 5 and {0, 199} <= set(verdict.rows)


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


@pytest.mark.parametrize("style", STYLES)
def test_gradients_of_queries_and_keys(style: str) -> None:
    given = inputs(style, torch.float32)
    q, k, v = (x.clone().requires_grad_() for x in given.values())
    out = torch.randn(q.shape[0], v.shape[1])
    attention(q, k, v).backward(out)
    shapes = {**SHAPES, "dO": ("n", "e")}
    for found, definition in ((q.grad, grad_queries), (k.grad, grad_keys)):
        all_of_it = {**given, "dO": out}
        assert_within_bound(found, definition, all_of_it, model=Model(fused=False), shapes=shapes)
        if style == "random":  # scores with an offset leave a wide bound
            assert not check_within_bound(found * 1.01, definition, all_of_it, model=Model(), shapes=shapes).within


def test_strides_do_not_matter() -> None:
    given = inputs("random", torch.float32)
    turned = {k: v.T.contiguous().T for k, v in given.items()}
    turned["V"] = torch.ones(1, 6).expand(29, 6)
    assert_within_bound(flash, attention, turned, model=Model(block=16), shapes=SHAPES)


def test_models_say_what_they_need() -> None:
    with pytest.raises(ValueError, match="storage: needed one of"):
        Model("float8")
    with pytest.raises(ValueError, match="accumulation at least as fine"):
        Model("float32", "bfloat16")
    with pytest.raises(ValueError, match="block of at least 1"):
        Model(block=0)
    assert "P in bfloat16" in str(Model("bfloat16", probabilities="bfloat16"))


def test_a_failure_can_be_reproduced(tmp_path: Path) -> None:
    given = inputs("random", torch.float32)
    wrong = flash(**given, rescale=False)
    with pytest.raises(KernelMismatch) as caught:
        assert_within_bound(wrong, attention, given, model=Model(block=16), shapes=SHAPES, reproducer=tmp_path / "r")
    assert caught.value.verdict.reproducer == tmp_path / "r" and "reproducer" in str(caught.value)
    with np.load(tmp_path / "r" / "inputs.npz") as data:
        assert np.array_equal(data["Q"], given["Q"].double().numpy()) and set(data) == {"Q", "K", "V", "actual"}
    done = subprocess.run([sys.executable, str(tmp_path / "r" / "reproduce.py")], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
