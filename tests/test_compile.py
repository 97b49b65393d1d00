"""`numeric.compile`: emitted source is what an engineer writes, holds no more memory, and says what it rests on."""

from __future__ import annotations

import importlib.util
import math
from itertools import product
from typing import Any

import numpy as np
import pytest
from derivations.numeric import NotCompiled, compile, lambdified
from derivations.numeric.rewriting import SAYS
from sympy import IndexedBase, Sum, exp, symbols

from derivations import Definition
from derivations.theorems import find

HAS_TORCH = importlib.util.find_spec("torch") is not None
HAS_JAX = importlib.util.find_spec("jax") is not None
needs_torch = pytest.mark.skipif(not HAS_TORCH, reason="torch is not installed")
if HAS_TORCH:
    import torch
    import torch.nn.functional as F
    from derivations.numeric.measure import operations, peak_bytes

TWO = {"Q": ("n", "d"), "K": ("m", "d"), "V": ("m", "e")}
SELF = {"Q": ("n", "d"), "K": ("n", "d"), "V": ("n", "e")}
FOUR = {name: ("b", "h", *shape) for name, shape in TWO.items()}


def attention(Q, K, V):
    return torch.softmax(Q @ K.T / math.sqrt(Q.shape[-1]), dim=-1) @ V


def heads(Q, K, V):
    return torch.softmax(Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1]), dim=-1) @ V


def causal(Q, K, V):
    return F.scaled_dot_product_attention(Q, K, V, is_causal=True)


def layer_norm(x, g, b):
    mean = x.mean(-1, keepdim=True)
    return (x - mean) / torch.sqrt(x.var(-1, keepdim=True, unbiased=False) + 1e-5) * g + b


def second_moments(x):
    return (x**2).mean(-1) - x.mean(-1) ** 2


def stable(Q, K):
    s = Q @ K.T
    s = s - s.max(dim=-1, keepdim=True).values
    return torch.exp(s) / torch.exp(s).sum(-1, keepdim=True)


def shifted_log(s):
    top = s.max(dim=-1).values
    return torch.log(torch.exp(s - top[:, None]).sum(-1)) + top


def linear(x, W, b):
    return x @ W.T + b


def batched_bias(x, b):
    return torch.softmax(x + b, dim=-1)


def body(source: str) -> list[str]:
    """The lines after the docstring that compute, without those that compare sizes."""
    lines = [line.strip() for line in source.split('"""')[2].splitlines() if line.strip()]
    return [x for x in lines if not ((".shape" in x and ("if " in x or " = " in x)) or x.startswith("raise "))]


def by_hand(Q, K, V):
    scores = (Q / math.sqrt(Q.shape[-1])) @ K.mT
    weights = torch.softmax(scores, dim=-1)
    del scores
    return weights @ V


def causal_by_hand(Q, K, V):
    n = Q.shape[-2]
    allowed = torch.arange(n)[:, None] >= torch.arange(n)
    scores = torch.where(allowed, (Q / math.sqrt(Q.shape[-1])) @ K.mT, -torch.inf)
    del allowed
    weights = torch.softmax(scores, dim=-1)
    del scores
    return weights @ V


GOLDEN = {
    ("plain", "torch"): [
        "scores = (Q / math.sqrt(d)) @ K.mT",
        "weights = torch.softmax(scores, dim=-1)",
        "del scores",
        "return weights @ V",
    ],
    ("plain", "numpy"): [
        "scores = (Q / math.sqrt(d)) @ K.T",
        "scores -= scores.max(axis=-1, keepdims=True)",
        "weights = np.exp(scores, out=scores)",
        "weights /= weights.sum(axis=-1, keepdims=True)",
        "return weights @ V",
    ],
    ("plain", "jax"): [
        "scores = (Q / math.sqrt(d)) @ K.mT",
        "weights = jax.nn.softmax(scores, axis=-1)",
        "del scores",
        "return weights @ V",
    ],
    ("causal", "torch"): [
        "allowed = torch.arange(n, device=Q.device)[:, None] >= torch.arange(n, device=Q.device)",
        "scores = torch.where(allowed, (Q / math.sqrt(d)) @ K.mT, -torch.inf)",
        "del allowed",
        "weights = torch.softmax(scores, dim=-1)",
        "del scores",
        "return weights @ V",
    ],
    ("heads", "torch"): [
        "scores = (Q / math.sqrt(d)) @ K.mT",
        "weights = torch.softmax(scores, dim=-1)",
        "del scores",
        "return weights @ V",
    ],
}
SOURCES: dict[str, tuple[Any, Any]] = {
    "plain": (attention, TWO),
    "causal": (causal, SELF),
    "heads": (heads, FOUR),
    "layer_norm": (layer_norm, {"x": ("n", "d"), "g": ("d",), "b": ("d",)}),
    "second moments": (second_moments, {"x": ("n", "d")}),
    "stable": (stable, {"Q": ("n", "d"), "K": ("m", "d")}),
    "shifted log": (shifted_log, {"s": ("n", "m")}),
    "linear": (linear, {"x": ("b", "n", "c"), "W": ("d", "c"), "b": ("d",)}),
    "bias": (batched_bias, {"x": ("b", "n"), "b": ("n",)}),
}


@pytest.mark.parametrize(("name", "backend"), GOLDEN)
def test_emitted_attention_is_what_a_good_engineer_writes(name: str, backend: str) -> None:
    function, shapes = SOURCES[name]
    made = compile(function, shapes=shapes, backend=backend)
    assert body(made.source) == GOLDEN[name, backend]
    assert not any(line.startswith(("for ", "while ")) for line in body(made.source))


def inputs(shapes: dict[str, Any], sizes: dict[str, int], seed: int = 0) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    return {name: rng.standard_normal([sizes[s] for s in shape]) for name, shape in shapes.items()}


@needs_torch
@pytest.mark.parametrize(
    ("name", "hand", "lead"),
    [("plain", by_hand, ()), ("plain", by_hand, (2, 3)), ("heads", by_hand, (2, 3)), ("causal", causal_by_hand, ()),
     ("causal", causal_by_hand, (2, 3))],
)  # fmt: skip
@pytest.mark.parametrize("n", [1, 64, 200])
def test_operation_for_operation_and_byte_for_byte(name: str, hand: Any, lead: tuple[int, ...], n: int) -> None:
    function, shapes = SOURCES[name]
    ours = compile(function, shapes=shapes).function
    x = [torch.randn(*lead, n, 16) for _ in range(3)]
    assert operations(lambda: ours(*x)) == operations(lambda: hand(*x))
    assert peak_bytes(lambda: ours(*x)) <= peak_bytes(lambda: hand(*x))
    assert torch.equal(ours(*x), hand(*x))


@needs_torch
@pytest.mark.parametrize("name", ["plain", "causal"])
def test_one_square_array_beside_the_weights(name: str) -> None:
    """Scores and weights, and for a moment the mask; nothing else grows with the square of the length."""
    function, shapes = SOURCES[name]
    ours = compile(function, shapes=shapes).function
    peaks = [peak_bytes(lambda n=n: ours(*(torch.randn(n, 8) for _ in range(3)))) / (4 * n * n) for n in (256, 512)]
    assert peaks[1] < (2.1 if name == "plain" else 2.35)  # 2 arrays of 4 bytes an entry, a mask of 1, rows of 8 columns


@needs_torch
@pytest.mark.parametrize(("name", "backend"), [*product(SOURCES, ["numpy", "torch", "jax"])])
def test_every_library_computes_what_the_function_does(name: str, backend: str) -> None:
    if backend == "jax" and not HAS_JAX:
        pytest.skip("jax is not installed")
    function, shapes = SOURCES[name]
    made = compile(function, shapes=shapes, backend=backend)
    arrays = inputs(shapes, {"n": 5, "m": 5 if name == "causal" else 7, "d": 3, "e": 4, "b": 2, "h": 2, "c": 6})
    extra = {n: 1e-5 for n in made.inputs if n not in arrays}  # eps of the layer
    expected = function(**{k: torch.as_tensor(v) for k, v in arrays.items()}).numpy()
    if backend == "torch":
        arrays = {k: torch.as_tensor(v) for k, v in arrays.items()}
    if backend == "jax":
        import jax.numpy as jnp

        arrays = {k: jnp.asarray(v) for k, v in arrays.items()}
    found = np.asarray(made(**arrays, **extra))
    # a few roundings of the type in use: JAX takes float32 unless told otherwise
    assert found == pytest.approx(
        expected, rel=1e-5 if backend == "jax" else 1e-12, abs=1e-5 if backend == "jax" else 1e-14
    )


@needs_torch
@pytest.mark.parametrize("name", ["plain", "layer_norm", "stable", "bias", "linear"])
def test_leading_axes_are_carried_where_the_source_says_so(name: str) -> None:
    function, shapes = SOURCES[name]
    made = compile(function, shapes=shapes)
    sizes = {"n": 5, "m": 7, "d": 3, "e": 4, "b": 2, "c": 6}
    stacked = {
        k: torch.randn(*(() if k in made.exact else (3,)), *[sizes[s] for s in shape]) for k, shape in shapes.items()
    }
    extra = {n: 1e-5 for n in made.inputs if n not in stacked}
    whole = made(**stacked, **extra)
    for k in range(3):
        one = made(**{n: x if n in made.exact else x[k] for n, x in stacked.items()}, **extra)
        assert torch.allclose(whole[k], one, rtol=1e-5, atol=1e-6)  # another order of summation in float32
    for name in made.exact & set(stacked):
        with pytest.raises(ValueError, match=rf"{name} has .* axes"):
            made(**{**stacked, name: stacked[name][None]}, **extra)


@pytest.mark.parametrize(("name", "rests_on"), {
    "plain": ["scale_on_the_first_operand", "softmax_by_the_largest_score"],
    "causal": ["scale_on_the_first_operand", "softmax_by_the_largest_score", "softmax_of_masked_scores"],
    "stable": ["softmax_of_shifted_scores", "softmax_by_the_largest_score"],
    "second moments": ["variance_by_centred_squares"],
    "shifted log": ["log_sum_exp_by_the_largest_score", "log_sum_exp_of_shifted_scores"],
    "linear": [],
}.items())  # fmt: skip
def test_rewritings_are_named_in_the_source(name: str, rests_on: list[str]) -> None:
    function, shapes = SOURCES[name]
    made = compile(function, shapes=shapes, backend="numpy")
    assert sorted(made.program.rewritings) == sorted(rests_on)
    assert all(r in made.source.split('"""')[1] for r in rests_on)


@pytest.mark.parametrize("name", SAYS)
def test_each_rewriting_is_a_proved_row_of_the_library(name: str) -> None:
    assert find(name).status == "proved"


def test_equal_arrays_are_computed_once() -> None:
    source = compile(layer_norm, shapes=SOURCES["layer_norm"][1]).source
    assert source.count("mean(dim=-1, keepdim=True)") == 1  # once for the difference, which is then squared


def test_variance_does_not_cancel() -> None:
    made = compile(second_moments, shapes={"x": ("n", "d")}, backend="numpy")
    x = np.asarray([[1e8, 1e8 + 1, 1e8 + 2]])
    assert made(x=x) == pytest.approx([2 / 3]) and (x**2).mean() - x.mean() ** 2 != pytest.approx(2 / 3)


i, j, k, c, n, m, d = symbols("i j k c n m d", integer=True)
s, A, x, y = (IndexedBase(*a) for a in (("s", (n, m)), ("A", (n, m)), ("x", (n, d)), ("y", (n, d))))


def test_definitions_of_the_face_with_those_that_they_use() -> None:
    weights = Definition(A[i, j], exp(s[i, j]) / Sum(exp(s[i, k]), (k, 0, m - 1)))
    V, out = IndexedBase("V", shape=(m, d)), IndexedBase("out", shape=(n, d))
    mixed = Definition(out[i, c], Sum(A[i, j] * V[j, c], (j, 0, m - 1)))
    made = compile(mixed, where=[weights], backend="numpy")
    rng = np.random.default_rng(0)
    scores, values = rng.standard_normal((4, 5)), rng.standard_normal((5, 3))
    e = np.exp(scores)
    assert np.allclose(made(s=scores, V=values), e / e.sum(1, keepdims=True) @ values)
    assert scores.std() > 0 and np.array_equal(scores, rng.__class__(np.random.PCG64(0)).standard_normal((4, 5)))


def test_sums_over_one_and_over_two_axes_of_one_product_are_two_arrays() -> None:
    a, b, v, out = (IndexedBase(name, shape=(n, size)) for name, size in (("a", m), ("b", m), ("v", d), ("out", d)))
    weight = Sum(a[i, k] * b[j, k], (k, 0, m - 1))
    mixed = Definition(out[i, c], Sum(weight * v[j, c], (j, 0, n - 1)) / Sum(weight, (j, 0, n - 1)))
    rng = np.random.default_rng(0)
    given = {"a": rng.random((3, 2)), "b": rng.random((3, 2)), "v": rng.random((3, 4))}
    scores = given["a"] @ given["b"].T
    expected = scores @ given["v"] / scores.sum(axis=1, keepdims=True)
    assert np.allclose(compile(mixed, backend="numpy")(**given), expected)


def test_inputs_are_never_written_to() -> None:
    """NumPy works in place on arrays of its own alone."""
    made = compile(Definition(A[i, j], exp(s[i, j]) / Sum(exp(s[i, k]), (k, 0, m - 1))), backend="numpy")
    scores = np.arange(6.0).reshape(2, 3)
    made(s=scores)
    assert np.array_equal(scores, np.arange(6.0).reshape(2, 3))


def test_a_sum_over_a_part_of_the_axis_is_no_softmax() -> None:
    """exp(s_j) / sum_{k <= i} exp(s_k) has values for j > i too, and no mask may make them 0."""
    square, whole = IndexedBase("q", shape=(n, n)), IndexedBase("P", shape=(n, n))
    part = exp(square[i, j]) / Sum(exp(square[i, k]), (k, 0, i))
    made = compile(Definition(whole[i, j], part), backend="numpy")
    scores = np.random.default_rng(1).standard_normal((3, 3))
    e = np.exp(scores)
    sums = np.array([e[r, : r + 1].sum() for r in range(3)])
    assert np.allclose(made(q=scores), e / sums[:, None])
    p, one, t = IndexedBase("p", shape=(n,)), IndexedBase("z", shape=(n,)), symbols("t", real=True)
    with pytest.raises(NotCompiled, match="k runs over m, but that axis of z has length n"):
        compile(Definition(p[j], exp(one[j]) / Sum(exp(one[k]), (k, 0, m - 1))), backend="numpy")
    uniform = compile(Definition(p[j], one[j] * exp(t) / Sum(exp(t), (k, 0, n - 1))), backend="numpy")
    assert np.allclose(uniform(z=np.ones(4), t=2.0), 0.25)


def test_saved_source_needs_nothing_of_ours(tmp_path) -> None:
    text = compile(attention, shapes=TWO, backend="numpy").save(tmp_path / "a" / "f.py").read_text()
    assert "derivations" not in text.split('"""')[0] + text.split('"""')[2]
    namespace: dict[str, Any] = {}
    exec(text, namespace)
    assert namespace["compute"](np.ones((2, 3)), np.ones((4, 3)), np.ones((4, 5))).shape == (2, 5)


@needs_torch
def test_torch_compile_takes_the_source_whole() -> None:
    made = compile(attention, shapes=TWO)
    traced = torch.compile(made.function, backend="eager", fullgraph=True, dynamic=True)
    q, keys, v = torch.randn(5, 3), torch.randn(6, 3), torch.randn(6, 2)
    assert torch.equal(traced(q, keys, v), made(Q=q, K=keys, V=v))


def good() -> dict[str, Any]:
    return {"Q": torch.ones(3, 2), "K": torch.ones(4, 2), "V": torch.ones(4, 5)}


BAD: dict[str, tuple[Any, type[Exception], str]] = {
    "other types": (lambda g: {**g, "K": g["K"].double()}, ValueError, "Q and K differ: float32 and float64"),
    "other devices": (lambda g: {**g, "K": g["K"].to("meta")}, ValueError, "Q and K differ: cpu and meta"),
    "whole numbers": (lambda g: {k: v.long() for k, v in g.items()}, TypeError, "Q is int64, needed floating point"),
    "sizes": (lambda g: {**g, "V": torch.ones(3, 5)}, ValueError, "m is 4 from axis 0 of K, but 3 from axis 0 of V"),
    "too few axes": (lambda g: {**g, "V": torch.ones(4)}, ValueError, r"V has 1 axes \(shape \(4,\)\), needed at least 2"),
    "no keys": (lambda g: {**g, "K": torch.ones(0, 2), "V": torch.ones(0, 5)}, ValueError, "K has length 0 on axis 0"),
    "no array": (lambda g: {**g, "V": [[1.0]]}, TypeError, "V: needed an array of torch, found list"),
    "missing": (lambda g: {"Q": g["Q"]}, TypeError, "needed Q, K, V; K, V is missing"),
    "unknown": (lambda g: {**g, "M": g["Q"]}, TypeError, "needed Q, K, V; M is none of them"),
}  # fmt: skip


@needs_torch
@pytest.mark.parametrize("name", BAD)
def test_bad_input(name: str) -> None:
    change, error, says = BAD[name]
    with pytest.raises(error, match=says):
        compile(attention, shapes=TWO)(**change(good()))


@needs_torch
def test_strides_empty_batches_and_what_is_not_a_number() -> None:
    made = compile(attention, shapes=TWO)
    g = {k: torch.randn(v.shape) for k, v in good().items()}
    assert torch.allclose(made(**{k: v.T.contiguous().T for k, v in g.items()}), made(**g), atol=1e-6)
    row = torch.randn(1, 5)
    assert torch.allclose(
        made(**{**g, "V": row.expand(4, 5)}), row.expand(3, 5), atol=1e-6
    )  # float32: weights add up to 1
    assert made(**{k: v.expand(0, *v.shape) for k, v in g.items()}).shape == (0, 3, 5)
    bad = g["Q"].clone()
    bad[1, 0] = math.nan
    assert torch.isnan(made(**{**g, "Q": bad})[1]).all()  # it goes through, into the rows that depend on it
    assert not torch.isnan(made(**{**g, "Q": bad})[[0, 2]]).any()


def test_what_is_asked_for_wrongly() -> None:
    with pytest.raises(ValueError, match="needed a backend of numpy, torch, jax, found 'tensorflow'"):
        compile(attention, shapes=TWO, backend="tensorflow")
    with pytest.raises(ValueError, match="needed a lowering of plain"):
        compile(attention, shapes=TWO, lowering="fast")
    with pytest.raises(TypeError, match=r"needed a derivations.Definition, .* found int"):
        compile(3)
    with pytest.raises(NotCompiled):
        compile(Definition(A[i, j], s[j, i]), backend="numpy") and compile(
            Definition(x[i, c], y[i, 2 * c]), backend="numpy"
        )
    assert lambdified.lambdify is not None


@pytest.mark.skipif(HAS_JAX, reason="jax is installed")
def test_source_without_its_library() -> None:
    made = compile(attention, shapes=TWO, backend="jax")
    with pytest.raises(ModuleNotFoundError, match="jax is not installed; `source` and `save` need it not"):
        made.function(1, 2, 3)
