"""Error bounds: a running forward analysis of the compiled program.

Model (Higham 2002, Accuracy and Stability of Numerical Algorithms, sec. 2.2 and 3.1; sums in any order after sec. 4.2):
every operation gives fl(x op y) = (x op y)(1 + a) + b with |a| <= u and |b| <= eta (the smallest subnormal, for
underflow); a sum of L terms in any order and with any blocking has relative error at most gamma(L - 1) with
gamma(k) = k u / (1 - k u) on the sum of the absolute values; exp, log, sin, cos, tanh, sqrt of the libraries are within
`ULPS` units in the last place.  Nothing is dropped to first order.

The analysis runs on values in float64 and is widened by `SLACK`, which covers its own rounding.  A softmax is analysed as
one operation: a common shift cancels exactly, and the result is at most 1, which caps its bound.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .program import Node, Program

ULPS = 4.0
"""Error of exp, log, sin, cos, tanh in units in the last place: CUDA C++ Programming Guide, "Mathematical Functions",
states at most 2 for single precision exp and log; glibc's manual, "Known Maximum Errors", at most 2.  Doubled."""
SLACK = 1 + 1e-3
"""Covers the rounding of the analysis itself, which is done in float64 with fewer than 10^6 operations a number."""

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Arithmetic:
    """`u` is the unit roundoff, `eta` the smallest positive subnormal."""

    name: str
    u: float
    eta: float


FLOAT64 = Arithmetic("float64", 2.0**-53, 2.0**-1074)
FLOAT32 = Arithmetic("float32", 2.0**-24, 2.0**-149)
ARITHMETICS = {a.name: a for a in (FLOAT64, FLOAT32)}


@dataclass(frozen=True)
class Enclosed:
    """Values (float64) and a bound on the error of the computed ones, over the same axes."""

    value: Array
    error: Array


def error_bound(
    program: Program, tensors: Mapping[str, Any], sizes: Mapping[str, int], arithmetic: Arithmetic
) -> Array:
    """A bound on |computed - exact| for every entry of the result.

    `tensors` hold the exact inputs (as float64; float32 inputs are exact there).  The shape is the result's.
    """
    with np.errstate(all="ignore"):
        found = _Analysis(program, tensors, sizes, arithmetic).run(program.result)
    error = np.where(np.isnan(found.error), np.inf, found.error) * SLACK
    return np.asarray(error + 4 * arithmetic.eta, dtype=np.float64)


class _Analysis:
    def __init__(
        self, program: Program, tensors: Mapping[str, Any], sizes: Mapping[str, int], arithmetic: Arithmetic
    ) -> None:
        self.program, self.sizes, self.a = program, sizes, arithmetic
        self.tensors = {k: np.asarray(v, dtype=np.float64) for k, v in tensors.items()}
        self.done: dict[Node, Enclosed] = {}

    def run(self, node: Node) -> Enclosed:
        found = self.done.get(node)
        if found is None:
            found = self.done[node] = getattr(self, "op_" + node.op)(node)
        return found

    def length(self, var: str) -> int:
        return self.program.extents[var].evaluate({}, self.sizes)

    def gamma(self, k: int) -> float:
        ku = max(k, 0) * self.a.u
        return ku / (1 - ku) if ku < 1 else float("inf")

    def spread(self, node: Node, axes: tuple[str, ...]) -> Enclosed:
        """Values and errors with axes put in, ready to broadcast over `axes`."""
        e = self.run(node)
        order = [a for a in axes if a in node.axes]
        moved = [np.transpose(x, [node.axes.index(a) for a in order]) if order else x for x in (e.value, e.error)]
        shape = [self.length(a) if a in node.axes else 1 for a in axes]
        return Enclosed(moved[0].reshape(shape), moved[1].reshape(shape))

    def rounded(self, value: Array, error: Array, ulps: float = 1.0) -> Enclosed:
        """The error after one more rounding."""
        return Enclosed(value, error + ulps * self.a.u * (np.abs(value) + error) + self.a.eta)

    # --- operations

    def op_input(self, node: Node) -> Enclosed:
        name, picks = node.data
        value = self.tensors[name][tuple(slice(None) if isinstance(p, str) else p for p in picks)]
        return Enclosed(value, np.zeros_like(value))

    def op_const(self, node: Node) -> Enclosed:
        value = np.asarray(node.data)
        exact = np.isinf(value) or float(node.data).is_integer()
        return Enclosed(value, np.asarray(0.0 if exact else 2 * self.a.u * abs(node.data)))

    def op_size(self, node: Node) -> Enclosed:
        return Enclosed(np.asarray(float(self.sizes[node.data])), np.asarray(0.0))

    def op_position(self, node: Node) -> Enclosed:
        value = np.arange(self.length(node.data), dtype=np.float64)
        return Enclosed(value, np.zeros_like(value))

    def op_mask(self, node: Node) -> Enclosed:
        shape = tuple(self.length(a) for a in node.axes)
        grids = np.meshgrid(*(np.arange(n) for n in shape), indexing="ij") if shape else []
        value = np.ones(shape)
        for c in node.data:
            total: Any = c.index.const
            for atom, k in c.index.terms:
                total = total + k * (
                    self.sizes[atom.name] if atom.kind == "size" else grids[node.axes.index(atom.name)]
                )
            value = value * ((total >= 0) if c.relation == ">=" else (total == 0))
        return Enclosed(np.asarray(value, dtype=np.float64), np.zeros(shape))

    def op_arrange(self, node: Node) -> Enclosed:
        e = self.spread(node.args[0], node.axes)
        shape = tuple(self.length(a) for a in node.axes)
        return Enclosed(np.broadcast_to(e.value, shape), np.broadcast_to(e.error, shape))

    def op_add(self, node: Node) -> Enclosed:
        a, b = (self.spread(x, node.axes) for x in node.args)
        return self.rounded(a.value + b.value, a.error + b.error)

    def op_mul(self, node: Node) -> Enclosed:
        a, b = (self.spread(x, node.axes) for x in node.args)
        return self.rounded(*_times(a, b))

    def op_div(self, node: Node) -> Enclosed:
        a, b = (self.spread(x, node.axes) for x in node.args)
        room = np.abs(b.value) - b.error
        value = a.value / b.value
        error = np.where(room > 0, (a.error + np.abs(value) * b.error) / np.where(room > 0, room, 1), np.inf)
        return self.rounded(value, error)

    def op_power(self, node: Node) -> Enclosed:
        e, p = self.run(node.args[0]), float(node.data)
        value = e.value**p
        low, high = np.abs(e.value) - e.error, np.abs(e.value) + e.error
        if p > 0:
            error = np.maximum(high**p - np.abs(value), np.abs(value) - np.maximum(low, 0) ** p)
        else:
            error = np.where(low > 0, np.maximum(low, np.finfo(float).tiny) ** p - np.abs(value), np.inf)
        # pow is correctly rounded for squares and within a few units in the last place otherwise
        return self.rounded(value, error, 1.0 if p in (2.0, 0.5) else 2 * ULPS)

    def op_function(self, node: Node) -> Enclosed:
        e = self.run(node.args[0])
        x, d = e.value, e.error
        value = {"exp": np.exp, "log": np.log, "sin": np.sin, "cos": np.cos, "tanh": np.tanh, "abs": np.abs}[node.data](
            x
        )
        if node.data == "exp":
            error = value * np.expm1(d)
        elif node.data == "log":
            error = np.where(x - d > 0, -np.log1p(-np.minimum(d / np.where(x > 0, x, 1), 1 - 1e-16)), np.inf)
        else:
            error = d  # sin, cos, tanh, abs do not enlarge differences
        if node.data == "abs":
            return Enclosed(value, error)
        extra = self.a.u if node.data in ("sin", "cos") else 0.0  # near zeros the absolute error counts
        return self.rounded(value, error + ULPS * extra, 2 * ULPS)

    def op_where(self, node: Node) -> Enclosed:
        mask, a, b = (self.spread(x, node.axes) for x in node.args)
        return Enclosed(np.where(mask.value > 0, a.value, b.value), np.where(mask.value > 0, a.error, b.error))

    def op_max(self, node: Node) -> Enclosed:
        e = self.run(node.args[0])
        k = node.args[0].axes.index(node.data)
        return Enclosed(e.value.max(axis=k), e.error.max(axis=k))

    def op_contract(self, node: Node) -> Enclosed:
        axes = (*node.axes, *node.data)
        parts = [self.spread(x, axes) for x in node.args]
        value, most = parts[0].value, np.abs(parts[0].value) + parts[0].error
        for p in parts[1:]:
            value, most = value * p.value, most * (np.abs(p.value) + p.error)
        shape = tuple(self.length(a) for a in axes)
        value, most = np.broadcast_to(value, shape), np.broadcast_to(most, shape)
        summed = tuple(range(len(node.axes), len(axes)))
        length = int(np.prod([self.length(v) for v in node.data]))
        total, magnitude = value.sum(axis=summed), most.sum(axis=summed)
        propagated = (most - np.abs(value)).sum(axis=summed)
        work = self.gamma(length - 1 + len(parts) - 1) * magnitude
        underflow = length * len(parts) * self.a.eta
        return Enclosed(total, np.maximum(propagated, 0) + work + underflow)

    def op_softmax(self, node: Node) -> Enclosed:
        k = node.axes.index(node.data)
        s = self.spread(node.args[0], node.axes)
        shape = tuple(self.length(a) for a in node.axes)
        value, error = np.broadcast_to(s.value, shape), np.broadcast_to(s.error, shape)
        if len(node.args) == 2:
            mask = np.broadcast_to(self.spread(node.args[1], node.axes).value, shape) > 0
            value, error = np.where(mask, value, -np.inf), np.where(mask, error, 0.0)
        top = value.max(axis=k, keepdims=True)
        t = value - top
        weights = np.exp(t)
        p = weights / weights.sum(axis=k, keepdims=True)
        # the computed maximum differs from `top` by at most the largest error; the shift itself cancels
        largest = np.where(np.isfinite(value), error, 0.0).max(axis=k, keepdims=True)
        drift = error + self.a.u * (np.where(np.isfinite(t), np.abs(t), 0.0) + error + largest)
        one = np.expm1(drift + 2 * ULPS * self.a.u * 1.01)
        live = np.isfinite(value)
        one = np.where(live, one, 0.0)
        length = shape[k]
        under = length * self.a.eta * np.exp(largest)
        below = (p * one).sum(axis=k, keepdims=True) + self.gamma(length) * 1.01 + under
        relative = np.where(below < 1, ((1 + one) * (1 + 2 * self.a.u)) / np.where(below < 1, 1 - below, 1) - 1, np.inf)
        bound = np.where(live, p * relative + 2 * self.a.eta + under, 0.0)
        return Enclosed(p, np.where(live, np.minimum(bound, 1.0 + self.gamma(length)), 0.0))


def _times(a: Enclosed, b: Enclosed) -> tuple[Array, Array]:
    value = a.value * b.value
    return value, np.abs(a.value) * b.error + np.abs(b.value) * a.error + a.error * b.error
