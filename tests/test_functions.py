"""Functions of a user's own: what they compute, and whether two of them compute the same; nothing is run."""

from __future__ import annotations

import math

import pytest
import torch

import derivations
from derivations.api import describe
from derivations.lifting import NotLifted, equivalent
from derivations.provers.decide import Proved

SHAPES = {"Q": ("n", "d"), "K": ("m", "d"), "V": ("m", "v")}
FACTOR = 2
RAN: list[str] = []


def scale(width: int) -> float:
    return 1 / math.sqrt(width)


def attention(Q: torch.Tensor, K: torch.Tensor, V: torch.Tensor) -> torch.Tensor:
    RAN.append("attention")
    return torch.softmax(Q @ K.T * scale(Q.shape[-1]), dim=-1) @ V


def by_hand(Q: torch.Tensor, K: torch.Tensor, V: torch.Tensor) -> torch.Tensor:
    weights = torch.exp(torch.einsum("id,jd->ij", Q, K) / K.shape[1] ** 0.5)
    return (weights @ V) / weights.sum(dim=1, keepdim=True)


def unscaled(Q: torch.Tensor, K: torch.Tensor, V: torch.Tensor) -> torch.Tensor:
    return torch.softmax(Q @ K.T, dim=-1) @ V


def doubled(x: torch.Tensor) -> torch.Tensor:
    return FACTOR * x


def strange(x: torch.Tensor) -> torch.Tensor:
    return torch.linalg.svd(x)[0]


def test_a_function_is_read_with_the_names_of_its_module() -> None:
    assert str(derivations.lift(doubled, x=("n", "d")).entry) == "2*x[x0, x1]"
    made = derivations.lift(attention, **SHAPES)
    assert [str(s) for s in made.shape] == ["n", "v"]
    assert not RAN


def test_two_functions_are_equal_for_all_sizes() -> None:
    assert isinstance(derivations.equivalent(attention, by_hand, **SHAPES), derivations.Proved)
    assert derivations.assert_equivalent(attention, by_hand, **SHAPES).statement
    assert not RAN


def test_two_functions_that_differ() -> None:
    assert isinstance(derivations.equivalent(attention, unscaled, **SHAPES), derivations.Refuted)
    with pytest.raises(AssertionError, match=r"attention = unscaled\n  refuted: left .*, right .* for "):
        derivations.assert_equivalent(attention, unscaled, **SHAPES)


def test_what_is_not_taken_over_is_refused() -> None:
    with pytest.raises(NotLifted, match=r"torch.linalg.svd is not in the table"):
        derivations.lift(strange, x=("n", "n"))
    with pytest.raises(NotLifted, match="needed a function made by def"):
        derivations.lift(lambda x: x, x=("n",))
    with pytest.raises(TypeError, match="shapes are for functions"):
        derivations.assert_equivalent(1, 1, x=("n",))
    with pytest.raises(TypeError, match="without conditions"):
        derivations.assert_equivalent(attention, by_hand, relation="<=", **SHAPES)


def test_what_a_proof_supposes_of_sizes_is_said() -> None:
    whole = "def g(x, B):\n    return x.sum(0)"
    blocks = "def f(x, B):\n    t = 0\n    for j in range(0, x.shape[0], B):\n        t = t + x[j : j + B].sum(0)\n    return t"
    decision = equivalent(blocks, whole, x=("n", "d"), B="B")
    assert isinstance(decision, Proved) and decision.assumes == ()  # the last block may be shorter
    views = "def f(x, B):\n    return x.view(-1, B, x.shape[1]).sum((0, 1))"
    decision = equivalent(views, whole, x=("n", "d"), B="B")
    assert isinstance(decision, Proved) and decision.assumes == ("B divides n",)
    assert describe(decision).endswith("where B divides n")
