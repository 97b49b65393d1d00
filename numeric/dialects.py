"""How NumPy, torch and JAX spell what an array program does."""

from __future__ import annotations

from dataclasses import dataclass

FUNCTIONS = ("exp", "log", "sin", "cos", "tanh", "abs", "sqrt")


@dataclass(frozen=True)
class Dialect:
    """One library.  `module` prefixes its functions; `axis` and `keepdims` are its words for a reduction."""

    name: str
    imports: tuple[str, ...]
    module: str
    axis: str
    keepdims: str
    largest: str
    softmax: str = ""
    logsumexp: str = ""

    def function(self, name: str) -> str:
        return f"{self.module}.{name}"

    def transposed(self, text: str, rank: int) -> str:
        """The last two axes exchanged."""
        if self.name == "numpy":
            return f"{text}.T" if rank == 2 else f"{text}.swapaxes(-1, -2)"
        return f"{text}.mT"

    def permuted(self, text: str, order: str) -> str:
        return f"{text}.permute({order})" if self.name == "torch" else f"{text}.transpose({order})"

    def cast(self, text: str, dtype: str) -> str:
        return f"{text}.to({dtype})" if self.name == "torch" else f"{text}.astype({dtype})"

    def arange(self, length: str, device: str, dtype: str = "") -> str:
        inside = [length, *([f"dtype={dtype}"] if dtype else [])]
        if self.name == "torch":
            inside.append(f"device={device}")
        return f"{self.module}.arange({', '.join(inside)})"

    def array(self, value: str, dtype: str, device: str) -> str:
        """A number as an array without axes."""
        if self.name == "torch":
            return f"torch.as_tensor({value}, dtype={dtype}, device={device})"
        return f"{self.module}.asarray({value}, dtype={dtype})"

    def broadcast(self, text: str, shape: str) -> str:
        return f"{text}.expand({shape})" if self.name == "torch" else f"{self.module}.broadcast_to({text}, ({shape},))"


NUMPY = Dialect("numpy", ("import numpy as np",), "np", "axis", "keepdims=True", "max")
TORCH = Dialect("torch", ("import torch",), "torch", "dim", "keepdim=True", "amax", "torch.softmax", "torch.logsumexp")
JAX = Dialect(
    "jax", ("import jax", "import jax.numpy as jnp"), "jnp", "axis", "keepdims=True", "max",
    "jax.nn.softmax", "jax.nn.logsumexp",
)  # fmt: skip
DIALECTS = {d.name: d for d in (NUMPY, TORCH, JAX)}
