"""Lowering to torch's own attention functions: what is proved to be their formula, and nothing else."""

from __future__ import annotations

import importlib.util
import math
from typing import Any

import pytest
from derivations.numeric import NotCompiled, compile

from derivations import Proved, equivalent

pytestmark = [
    pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="torch is not installed"),
    # torch's own advice to compile it, which is not the matter here
    pytest.mark.filterwarnings("ignore:flex_attention called without torch.compile"),
]
torch: Any = pytest.importorskip("torch")
F = torch.nn.functional

TWO = {"Q": ("n", "d"), "K": ("m", "d"), "V": ("m", "e")}
SELF = {"Q": ("n", "d"), "K": ("n", "d"), "V": ("n", "e")}
FOUR = {name: ("b", "h", *shape) for name, shape in TWO.items()}
SIZES = {"n": 5, "m": 7, "d": 3, "e": 4, "b": 2, "h": 3}


def plain(Q, K, V):
    return torch.softmax(Q @ K.T / math.sqrt(Q.shape[-1]), dim=-1) @ V


def unscaled(Q, K, V):
    return torch.softmax(Q @ K.T, dim=-1) @ V


def causal(Q, K, V):
    return F.scaled_dot_product_attention(Q, K, V, is_causal=True)


def causal_unequal(Q, K, V):
    return F.scaled_dot_product_attention(Q, K, V, is_causal=True)


def heads(Q, K, V):
    return torch.softmax(Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1]), dim=-1) @ V


def heads_inside(Q, K, V):
    weights = torch.softmax(torch.einsum("bihd,bjhd->bhij", Q, K) * 0.3, dim=-1)
    return torch.einsum("bhij,bjhc->bihc", weights, V)


def shared_keys(Q, K, V):
    return torch.softmax(Q @ K.transpose(-2, -1)[:, None] / math.sqrt(Q.shape[-1]), dim=-1) @ V[:, None]


def linear_bias(Q, K, V, slope):
    at = torch.arange(Q.shape[-2])
    s = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1]) - slope[:, None, None] * (at[:, None] - at)
    return torch.softmax(s.masked_fill(at[:, None] < at, float("-inf")), dim=-1) @ V


def bias(Q, K, V, B):
    return torch.softmax(Q @ K.T + B, dim=-1) @ V


def window(Q, K, V):
    at = torch.arange(Q.shape[0])
    near = (at[:, None] >= at) & (at[:, None] < at + 4)
    return torch.softmax((Q @ K.T).masked_fill(~near, float("-inf")), dim=-1) @ V


def soft_cap(Q, K, V):
    return torch.softmax(30 * torch.tanh(Q @ K.T / 30), dim=-1) @ V


def of_queries(Q, K, V):
    return torch.softmax(Q @ K.T, dim=0) @ V


def linear(Q, K, V):
    return torch.softmax(Q, -1) @ (torch.softmax(K, -1).T @ V)


def squared(Q, K, V):
    return torch.softmax((Q @ K.T) ** 2, dim=-1) @ V


def unnormalised(Q, K, V):
    return torch.exp(Q @ K.T) @ V


def scale_given(Q, K, V, t):
    return torch.softmax(Q @ K.T * t, dim=-1) @ V


CASES: dict[str, tuple[Any, dict[str, tuple[str, ...]]]] = {
    "plain": (plain, TWO),
    "unscaled": (unscaled, TWO),
    "causal": (causal, SELF),
    "causal, unequal lengths": (causal_unequal, TWO),
    "heads": (heads, FOUR),
    "heads inside": (
        heads_inside, {"Q": ("b", "n", "h", "d"), "K": ("b", "m", "h", "d"), "V": ("b", "m", "h", "e")}
    ),
    "shared keys": (shared_keys, {"Q": FOUR["Q"], "K": ("b", "m", "d"), "V": ("b", "m", "e")}),
    "linear bias": (
        linear_bias, {"Q": ("h", "n", "d"), "K": ("h", "n", "d"), "V": ("h", "n", "e"), "slope": ("h",)}
    ),
    "bias": (bias, {**TWO, "B": ("n", "m")}),
    "window": (window, SELF),
    "soft cap": (soft_cap, TWO),
}  # fmt: skip
CALLS = {
    ("plain", "sdpa"): "F.scaled_dot_product_attention(Q, K, V)",
    ("unscaled", "sdpa"): "F.scaled_dot_product_attention(Q, K, V, scale=1.0)",
    ("causal", "sdpa"): "F.scaled_dot_product_attention(Q, K, V, is_causal=True)",
    ("causal, unequal lengths", "sdpa"): "F.scaled_dot_product_attention(Q, K, V, attn_mask=allowed)",
    ("heads", "sdpa"): "F.scaled_dot_product_attention(Q, K, V)",
    ("bias", "sdpa"): "F.scaled_dot_product_attention(Q, K, V, attn_mask=B, scale=1.0)",
    ("heads", "flex"): "flex_attention(Q, K, V)",
    ("causal", "flex"): "flex_attention(Q[None, None], K[None, None], V[None, None], block_mask=block_mask)[0, 0]",
}


def drawn(shapes: dict[str, tuple[str, ...]], seed: int = 0) -> dict[str, Any]:
    g = torch.Generator().manual_seed(seed)
    return {k: torch.randn(*(SIZES[s] for s in shape), generator=g, dtype=torch.float64) for k, shape in shapes.items()}


@pytest.mark.parametrize("lowering", ["sdpa", "flex"])
@pytest.mark.parametrize("name", CASES)
def test_a_lowering_is_proved_and_computes_the_same(name: str, lowering: str) -> None:
    function, shapes = CASES[name]
    if (name, lowering) == ("soft cap", "sdpa"):
        with pytest.raises(NotCompiled, match="try the lowering flex"):
            compile(function, shapes=shapes, lowering=lowering)
        return
    made = compile(function, shapes=shapes, lowering=lowering)
    assert made.theorem is not None and not made.theorem.assumptions
    assert "proved to be its formula" in made.source
    assert CALLS.get((name, lowering), "attention") in made.source
    given = drawn(shapes)
    expected = compile(function, shapes=shapes)(**given)
    assert torch.allclose(made(**given), expected, rtol=1e-12, atol=1e-13)  # a few roundings of float64


@pytest.mark.parametrize(("function", "says"), [
    (of_queries, "not attention"),
    (linear, "the values are no input"),
    (unnormalised, "no sum of softmax weights"),
    (scale_given, "the scale depends on an input"),
])  # fmt: skip
@pytest.mark.parametrize("lowering", ["sdpa", "flex"])
def test_what_is_not_of_the_form_is_refused(function: Any, says: str, lowering: str) -> None:
    shapes = {**TWO, **({"t": ()} if function is scale_given else {})}
    if function is of_queries:
        shapes = SELF
    with pytest.raises(NotCompiled, match=says):
        compile(function, shapes=shapes, lowering=lowering)


def test_other_functions_of_the_scores_go_to_flex_alone() -> None:
    with pytest.raises(NotCompiled, match="try the lowering flex"):
        compile(squared, shapes=TWO, lowering="sdpa")
    assert "score ** 2" in compile(squared, shapes=TWO, lowering="flex").source


def test_a_form_that_was_recognised_wrongly_is_not_lowered(monkeypatch: pytest.MonkeyPatch) -> None:
    """The recogniser is not trusted: a formula that is not the definition has no proof."""
    inside = compile.__globals__["proved_form"].__globals__  # type: ignore[attr-defined]
    right = inside["formula"]
    monkeypatch.setitem(inside, "formula", lambda form: right(form) * 2)
    with pytest.raises(NotCompiled, match="the kernel has no proof"):
        compile(plain, shapes=TWO, lowering="sdpa")


def test_only_torch_is_lowered() -> None:
    with pytest.raises(ValueError, match="needed the backend torch for the lowering sdpa, found 'numpy'"):
        compile(plain, shapes=TWO, lowering="sdpa", backend="numpy")


@pytest.mark.parametrize("lowering", ["plain", "sdpa"])
@pytest.mark.parametrize("name", ["plain", "unscaled", "causal", "causal, unequal lengths", "heads", "bias"])
def test_the_source_itself_is_read_and_proved_equal(name: str, lowering: str, tmp_path: Any) -> None:
    """A second route: the lifter reads the emitted file, and the kernel proves it equal to the function that was given."""
    function, shapes = CASES[name]
    path = compile(function, shapes=shapes, lowering=lowering).save(tmp_path / "emitted.py")
    spec = importlib.util.spec_from_file_location("emitted", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    decision = equivalent(module.compute, function, **shapes)
    assert isinstance(decision, Proved) and not decision.assumes
