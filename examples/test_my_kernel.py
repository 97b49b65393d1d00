"""A blocked attention kernel held to the rounding bound of the arithmetic that it declares: `pytest examples/test_my_kernel.py`.

`forgetful` has a bug that small inputs hide: it does not rescale the blocks before when a larger score comes.  The last
test shows that it fails, and by how much; write your own kernel where `flash` stands.
"""

import math

import pytest
import torch
from derivations.numeric import Model, assert_within_bound

SHAPES = {"Q": ("n", "d"), "K": ("m", "d"), "V": ("m", "e")}
MODEL = Model("float32", "float32", block=32)


def attention(Q, K, V):
    """What the kernels should compute; it is read, and never run."""
    return torch.softmax(Q @ K.T / math.sqrt(Q.shape[-1]), dim=-1) @ V


def flash(Q, K, V, block=32, rescale=True):
    """Online softmax over blocks of keys; the last block may be shorter."""
    top = torch.full((*Q.shape[:-1], 1), -torch.inf)
    total, out = torch.zeros_like(top), torch.zeros(*Q.shape[:-1], V.shape[-1])
    for start in range(0, K.shape[-2], block):
        keys, values = K[..., start : start + block, :], V[..., start : start + block, :]
        scores = Q @ keys.mT / math.sqrt(Q.shape[-1])
        new = torch.maximum(top, scores.amax(-1, keepdim=True))
        weights, scale = torch.exp(scores - new), torch.exp(top - new)
        total = total * scale + weights.sum(-1, keepdim=True)
        out = (out * scale if rescale else out) + weights @ values
        top = new
    return out / total


def forgetful(Q, K, V):
    """The same without rescaling the output."""
    return flash(Q, K, V, rescale=False)


def inputs(keys):
    """Queries, keys and values for two heads; the lengths differ, and `keys` need not be a multiple of the block."""
    torch.manual_seed(0)
    return {"Q": torch.randn(2, 48, 64), "K": torch.randn(2, keys, 64), "V": torch.randn(2, keys, 64)}


@pytest.mark.parametrize("keys", [1, 32, 96, 100])
def test_flash_is_within_its_bound(keys):
    verdict = assert_within_bound(flash, attention, inputs(keys), shapes=SHAPES, model=MODEL)
    assert verdict.ratio <= 1


def test_the_bound_catches_a_missing_rescale():
    with pytest.raises(AssertionError, match="bound"):
        assert_within_bound(forgetful, attention, inputs(100), shapes=SHAPES, model=MODEL)
