"""Error bounds: a running forward analysis of the compiled program.

Model (Higham 2002, Accuracy and Stability of Numerical Algorithms, sec. 2.2 and 3.1; sums in any order after sec. 4.2):
every operation gives fl(x op y) = (x op y)(1 + a) + b with |a| <= u and |b| <= eta (the smallest subnormal, for
underflow); a sum of L terms in any order and with any blocking has relative error at most gamma(L - 1) with
gamma(k) = k u / (1 - k u) on the sum of the absolute values; exp, log, sin, cos, tanh, sqrt of the libraries are within
`ULPS` units in the last place.  Nothing is dropped to first order.

The analysis runs on values in float64 and is widened by `SLACK`, which covers its own rounding.  A softmax is analysed as
one operation: a common shift cancels exactly, and the result is at most 1, which caps its bound.  A weighted mean by a
softmax lies in the range of what it averages, whatever the weights (up to the rounding of the sums), which caps its bound.

A `Model` says which arithmetic a kernel uses where: storage, accumulation, the weights P, the operands of products (TF32),
blocks of keys with a running maximum, fused or every intermediate result stored.
"""

from __future__ import annotations

import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .program import Node, Program

ULPS = 4.0
"""Error of exp, log, sin, cos, tanh in units in the last place: CUDA C++ Programming Guide, "Mathematical Functions",
states at most 2 for single precision exp and log; glibc's manual, "Known Maximum Errors", at most 2.  Doubled."""
MAX_UNPLANNED = 5_000
"""Most entries of two operands whose sum over an axis is not planned first: planning takes longer there."""
SLACK = 1 + 1e-3
"""Covers the rounding of the analysis itself, which is done in float64 with fewer than 10^6 operations a number."""

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Arithmetic:
    """`u` is the unit roundoff, `eta` the smallest positive subnormal, `largest` the largest finite number."""

    name: str
    u: float
    eta: float
    largest: float

    @property
    def flushed(self) -> Arithmetic:
        """The same where subnormal numbers are taken for zero: what is lost is less than the smallest normal number."""
        return replace(self, eta=self.eta / (2 * self.u))


FLOAT64 = Arithmetic("float64", 2.0**-53, 2.0**-1074, float(np.finfo(np.float64).max))
FLOAT32 = Arithmetic("float32", 2.0**-24, 2.0**-149, float(np.finfo(np.float32).max))
BFLOAT16 = Arithmetic("bfloat16", 2.0**-8, 2.0**-133, (2 - 2.0**-7) * 2.0**127)
FLOAT16 = Arithmetic("float16", 2.0**-11, 2.0**-24, 65504.0)
TF32X3 = Arithmetic("tf32x3", 2.0**-19, 2.0**-136, (2 - 2.0**-10) * 2.0**127)
TF32 = Arithmetic("tf32", 2.0**-11, 2.0**-136, (2 - 2.0**-10) * 2.0**127)
ARITHMETICS = {a.name: a for a in (FLOAT64, FLOAT32, BFLOAT16, FLOAT16, TF32, TF32X3)}
"""Unit roundoffs for rounding to nearest: IEEE 754-2019 tables 3.5 and 3.6 for binary16, 32 and 64; bfloat16 has 8 bits of
significand (Intel, BFLOAT16 Hardware Numerics Definition, 2018), TF32 11 (NVIDIA, A100 Tensor Core GPU Architecture).
`tf32x3` stands for a product of float32 numbers as three of TF32 (CUTLASS, OpMultiplyAddFastF32): with operands cut off
twice, 2^-20 of each is lost, and the product of what was cut off once."""


@dataclass(frozen=True)
class Model:
    """What a kernel is declared to do with numbers; a verdict holds for this model only.

    `storage` is the type of inputs and results, `accumulate` of everything in between, `probabilities` what the weights
    are rounded to before they are multiplied (None: not), `products` what the operands of products are rounded to (tf32;
    None: not).  `exp_ulps` is the error of exp and log in units in the last place.  `block` keys are taken at a time, with
    a running maximum (None: all at once).  Without `fused` every intermediate result is stored.  `sum_ulps` is the error of
    one addition in a sum in units of the roundoff: 1 to nearest, 2 where sums are cut off (tensor cores: Fasi, Higham,
    Mikaitis, Pranesh 2021, Numerical behavior of NVIDIA tensor cores).  `operand_roundings` says how often an operand of a
    product is rounded before it is multiplied (a scale that stands on the queries: 1).  With `base2` the scores are
    multiplied by log2(e) and powers of two are taken.  With `flushes` subnormal numbers, as inputs and as results of every
    operation, may be taken for zero.
    """

    storage: str = "float32"
    accumulate: str = "float32"
    probabilities: str | None = None
    products: str | None = None
    exp_ulps: float = ULPS
    block: int | None = None
    fused: bool = True
    sum_ulps: float = 1.0
    operand_roundings: int = 0
    base2: bool = False
    flushes: bool = False

    def __post_init__(self) -> None:
        for what in ("storage", "accumulate", "probabilities", "products"):
            name = getattr(self, what)
            if name is not None and name not in ARITHMETICS:
                raise ValueError(f"{what}: needed one of {', '.join(ARITHMETICS)}, found {name!r}")
        if ARITHMETICS[self.accumulate].u > ARITHMETICS[self.storage].u:
            raise ValueError(f"needed an accumulation at least as fine as {self.storage}, found {self.accumulate}")
        if (self.block is not None and self.block < 1) or not 0 < self.exp_ulps < 1e6:
            raise ValueError(f"needed a block of at least 1 and a positive error, found {self.block}, {self.exp_ulps}")

    def arithmetic(self, name: str) -> Arithmetic:
        """One of `ARITHMETICS` as this model has it."""
        return ARITHMETICS[name].flushed if self.flushes else ARITHMETICS[name]

    def __str__(self) -> str:
        parts = [f"{self.storage} storage", f"{self.accumulate} accumulation", "fused" if self.fused else "unfused"]
        parts += [f"P in {self.probabilities}"] if self.probabilities else []
        parts += [f"products in {self.products}"] if self.products else []
        parts += [f"blocks of {self.block} keys"] if self.block else []
        parts += [f"operands rounded {self.operand_roundings} times"] if self.operand_roundings else []
        parts += ["powers of two"] if self.base2 else []
        parts += ["subnormals flushed"] if self.flushes else []
        return ", ".join([*parts, f"exp within {self.exp_ulps:g} ulp"])


@dataclass(frozen=True)
class Enclosed:
    """Values (float64) and a bound on the error of the computed ones, over the same axes."""

    value: Array
    error: Array


def error_bound(
    program: Program, tensors: Mapping[str, Any], sizes: Mapping[str, int], arithmetic: Arithmetic | Model
) -> Array:
    """A bound on |computed - exact| for every entry of the result.

    `tensors` hold the exact inputs (as float64; float32 inputs are exact there).  The shape is the result's.
    """
    return analysed(program, tensors, sizes, arithmetic).error


def analysed(
    program: Program,
    tensors: Mapping[str, Any],
    sizes: Mapping[str, int],
    arithmetic: Arithmetic | Model,
    only: Mapping[str, Sequence[int]] | None = None,
) -> Enclosed:
    """The result as float64 computes it, and the bound for `arithmetic`; `only` takes some positions of an axis."""
    model = arithmetic if isinstance(arithmetic, Model) else Model(arithmetic.name, arithmetic.name)
    with np.errstate(all="ignore"):
        analysis = _Analysis(program, tensors, sizes, model, only or {})
        found = analysis.run(program.result)
        if analysis.s != analysis.a and model.fused:
            found = analysis.stored(found)
    error = np.where(np.isnan(found.error) | np.isnan(found.value), np.inf, found.error) * SLACK
    return Enclosed(found.value, np.asarray(error + 4 * analysis.s.eta, dtype=np.float64))


class _Analysis:
    def __init__(
        self,
        program: Program,
        tensors: Mapping[str, Any],
        sizes: Mapping[str, int],
        model: Model,
        only: Mapping[str, Sequence[int]],
    ) -> None:
        self.program, self.sizes, self.model = program, sizes, model
        self.a, self.s = model.arithmetic(model.accumulate), model.arithmetic(model.storage)
        self.ulps = model.exp_ulps
        self.only = {k: np.asarray(v) for k, v in only.items()}
        self.tensors = {k: np.asarray(v, dtype=np.float64) for k, v in tensors.items()}
        self.done: dict[Node, Enclosed] = {}

    def run(self, node: Node) -> Enclosed:
        found = self.done.get(node)
        if found is None:
            found = self.done[node] = getattr(self, "op_" + node.op)(node)
        return found

    def places(self, var: str) -> NDArray[Any]:
        """The positions of an axis that are looked at."""
        found = self.only.get(var)
        return np.arange(self.program.extents[var].evaluate({}, self.sizes)) if found is None else found

    def length(self, var: str) -> int:
        return len(self.places(var))

    def gamma(self, k: int) -> float:
        ku = max(k, 0) * self.a.u * self.model.sum_ulps
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
        error = error + ulps * self.a.u * (np.abs(value) + error) + self.a.eta
        if not self.model.fused and self.s != self.a:
            return self.stored(Enclosed(value, error))
        return Enclosed(value, np.where(np.abs(value) + error > self.a.largest, np.inf, error))

    def stored(self, e: Enclosed) -> Enclosed:
        """Rounded to the type of storage; nothing is promised where that overflows."""
        error = e.error + self.s.u * (np.abs(e.value) + e.error) + self.s.eta
        return Enclosed(e.value, np.where(np.abs(e.value) + error > self.s.largest, np.inf, error))

    def operand(self, e: Enclosed, weights: bool) -> Enclosed:
        """An operand of a product, rounded as the model says."""
        if self.model.operand_roundings and not weights:  # each a product with a constant that is rounded itself
            once = 3 * self.a.u + (0.0 if self.model.fused or self.s == self.a else self.s.u)
            more = np.expm1(self.model.operand_roundings * once * 1.01) * (np.abs(e.value) + e.error)
            e = Enclosed(e.value, e.error + more + self.model.operand_roundings * (self.a.eta + self.s.eta))
        for name in (self.model.probabilities if weights else None, self.model.products):
            if name is not None:
                to = self.model.arithmetic(name)
                e = Enclosed(e.value, e.error + to.u * (np.abs(e.value) + e.error) + to.eta)
        return e

    # --- operations

    def op_input(self, node: Node) -> Enclosed:
        name, picks = node.data
        value = self.tensors[name][tuple(slice(None) if isinstance(p, str) else p for p in picks)]
        for k, axis in enumerate(node.axes):
            if axis in self.only:
                value = np.take(value, self.only[axis], axis=k)
        subnormal = np.abs(value) < max(self.a.eta, self.s.eta) if self.model.flushes else np.zeros(value.shape, bool)
        return Enclosed(value, np.where(subnormal, np.abs(value), 0.0))

    def op_const(self, node: Node) -> Enclosed:
        value = np.asarray(node.data)
        exact = np.isinf(value) or float(node.data).is_integer()
        return Enclosed(value, np.asarray(0.0 if exact else 2 * self.a.u * abs(node.data) + self.a.eta))

    def op_size(self, node: Node) -> Enclosed:
        return Enclosed(np.asarray(float(self.sizes[node.data])), np.asarray(0.0))

    def op_position(self, node: Node) -> Enclosed:
        value = self.places(node.data).astype(np.float64)
        return Enclosed(value, np.zeros_like(value))

    def op_mask(self, node: Node) -> Enclosed:
        shape = tuple(self.length(a) for a in node.axes)
        grids = np.meshgrid(*map(self.places, node.axes), indexing="ij") if shape else []
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
        return self.rounded(value, error, 1.0 if p in (2.0, 0.5) else 2 * self.ulps)

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
        return self.rounded(value, error + self.ulps * extra, 2 * self.ulps)

    def op_where(self, node: Node) -> Enclosed:
        mask, a, b = (self.spread(x, node.axes) for x in node.args)
        return Enclosed(np.where(mask.value > 0, a.value, b.value), np.where(mask.value > 0, a.error, b.error))

    def op_choose(self, node: Node) -> Enclosed:
        test, a, b = (self.spread(x, node.axes) for x in node.args)
        above = test.value > 0
        value, error = np.where(above, a.value, b.value), np.where(above, a.error, b.error)
        unsure = np.abs(test.value) <= test.error  # the computed sign may be another one
        unsure = unsure & (test.error > 0)
        other = np.where(above, b.value, a.value)
        apart = np.abs(np.where(unsure, value - other, 0.0))
        return Enclosed(value, np.where(unsure, np.maximum(a.error, b.error) + apart, error))

    def op_larger(self, node: Node) -> Enclosed:
        a, b = (self.spread(x, node.axes) for x in node.args)
        return Enclosed(np.maximum(a.value, b.value), np.maximum(a.error, b.error))

    def op_max(self, node: Node) -> Enclosed:
        e = self.run(node.args[0])
        k = node.args[0].axes.index(node.data)
        return Enclosed(e.value.max(axis=k), e.error.max(axis=k))

    def op_mean(self, node: Node) -> Enclosed:
        """The sum in any order, and a quotient, or a product with a rounded reciprocal."""
        e = self.run(node.args[0])
        k = node.args[0].axes.index(node.data[0])
        length = self.length(node.data[0])
        value, most = e.value.mean(axis=k), (np.abs(e.value) + e.error).mean(axis=k)
        error = e.error.mean(axis=k) + (self.gamma(length + 1) + 4 * ARITHMETICS["float64"].u * length) * most
        error = error + length * self.a.eta
        found = self.rounded(value, error)
        return Enclosed(found.value, np.where(most * length > self.a.largest, np.inf, found.error))

    def op_contract(self, node: Node) -> Enclosed:
        axes = (*node.axes, *node.data)
        parts = [self.operand(self.run(x), x.op == "softmax") for x in node.args]
        letters = {a: string.ascii_letters[k] for k, a in enumerate(axes)}
        spec = ",".join("".join(letters[a] for a in x.axes) for x in node.args)
        spec += "->" + "".join(letters[a] for a in node.axes)

        def total(*operands: Array) -> Array:
            missing = [a for a in axes if not any(a in x.axes for x in node.args)]
            ones = [np.ones(self.length(a)) for a in missing]
            full = spec.replace("->", "".join(f",{letters[a]}" for a in missing) + "->")
            planned = len(node.args) > 2 or sum(x.size for x in operands) > MAX_UNPLANNED
            return np.asarray(np.einsum(full, *operands, *ones, optimize=planned))

        sizes = [np.abs(p.value) for p in parts]
        most = [a + p.error for a, p in zip(sizes, parts, strict=True)]
        value, magnitude = total(*(p.value for p in parts)), total(*most)
        error = np.zeros_like(magnitude)
        for k, p in enumerate(parts):  # one more operand with its error each time: nothing cancels
            error = error + total(*sizes[:k], p.error, *most[k + 1 :])
        length = int(np.prod([self.length(v) for v in node.data]))
        own = ARITHMETICS["float64"].u * (length + len(parts)) * 2 * magnitude  # of the analysis itself
        work = self.gamma(length - 1 + len(parts) - 1 + self.blocks(length)) * magnitude
        result = np.maximum(error, 0) + work + own + length * len(parts) * self.a.eta
        result = np.minimum(result, self.hull(node, parts, length))
        if not self.model.fused and self.s != self.a:
            return self.stored(Enclosed(value, result))
        return Enclosed(value, np.where(magnitude > self.a.largest, np.inf, result))

    def hull(self, node: Node, parts: list[Enclosed], length: int) -> Array | float:
        """A mean by the weights of a softmax lies between the smallest and the largest value that it averages."""
        if len(node.args) != 2 or len(node.data) != 1 or {x.op for x in node.args} == {"softmax"}:
            return np.inf
        k = next((k for k, x in enumerate(node.args) if x.op == "softmax" and x.data == node.data[0]), None)
        if k is None or node.data[0] not in node.args[1 - k].axes:
            return np.inf
        other = node.args[1 - k]
        axis = other.axes.index(node.data[0])
        v = parts[1 - k]
        spread = (v.value + v.error).max(axis=axis) - (v.value - v.error).min(axis=axis)
        most = (np.abs(v.value) + v.error).max(axis=axis)
        fine = ARITHMETICS[self.model.probabilities].u if self.model.probabilities else 0.0
        rough = ARITHMETICS[self.model.products].u if self.model.products else 0.0
        # the weights as computed are positive and sum to one up to the rounding of each weight, the sums and the quotient
        off = self.gamma(3 * length + 3 + 2 * self.blocks(length)) + 2 * (fine + 2 * rough)
        weights = self.model.arithmetic(self.model.probabilities).eta if self.model.probabilities else 0.0
        tiny = 2 * length * (self.a.eta + weights)
        if not self.model.fused:
            off, tiny = off + 2 * self.s.u, tiny + 2 * length * self.s.eta
        cap = spread + (off + tiny) * 2 * most
        if not np.isfinite(parts[k].error).all():
            return np.inf  # a score that overflows leaves no weights
        rest = tuple(a for a in other.axes if a != node.data[0])
        order = [a for a in node.axes if a in rest]
        moved = np.transpose(cap, [rest.index(a) for a in order]) if order else cap
        return np.asarray(moved).reshape([self.length(a) if a in rest else 1 for a in node.axes])

    def between(self) -> tuple[float, float]:
        """Roundoff and smallest number of what is stored inside of a softmax: shifted scores, exponentials, their sum."""
        return (0.0, 0.0) if self.model.fused or self.s == self.a else (self.s.u, self.s.eta)

    def blocks(self, length: int) -> int:
        """How often a running sum is scaled again."""
        return -(-length // self.model.block) if self.model.block else 0

    def in_base2(self, value: Array, error: Array) -> Array:
        """The error of scores after a product with a rounded log2(e), or with it and the scale in one constant."""
        if not self.model.base2:
            return error
        return error + np.where(np.isfinite(value), 4 * self.a.u * (np.abs(value) + error), 0.0)

    def op_logsumexp(self, node: Node) -> Enclosed:
        axes = (*node.axes, node.data)
        shape = tuple(self.length(a) for a in axes)
        s = self.spread(node.args[0], axes)
        value, error = np.broadcast_to(s.value, shape), np.broadcast_to(s.error, shape)
        if len(node.args) == 2:
            mask = np.broadcast_to(self.spread(node.args[1], axes).value, shape) > 0
            value, error = np.where(mask, value, -np.inf), np.where(mask, error, 0.0)
        error = self.in_base2(value, error)
        top = value.max(axis=-1, keepdims=True)
        t = value - top
        total = np.exp(t).sum(axis=-1)
        live = np.where(np.isfinite(t), np.abs(t), 0.0)
        largest = np.where(np.isfinite(value), error, 0.0).max(axis=-1)
        blocks = self.blocks(shape[-1])
        steps = (2 * self.ulps + 2) * (1 + blocks) * 1.01
        again, tiny = self.between()
        drift = self.a.u * (2 * live.max(axis=-1) + 3 * largest + steps) + again * (
            live.max(axis=-1) + 2 * largest + 2.02
        )
        sums = self.gamma(shape[-1] + blocks) * 1.01 + 1.01 * again
        below = np.expm1(drift) + sums + shape[-1] * (self.a.eta + tiny) * np.exp(largest)
        logs = np.where(below < 1, -np.log1p(-np.where(below < 1, below, 0)), np.inf)
        found = top[..., 0] + np.log(total)
        logs = logs + (2 * self.ulps * self.a.u + again) * (np.abs(np.log(total)) + logs) + tiny
        if self.model.base2:  # back by a product with log(2)
            logs = logs + 3 * self.a.u * (np.abs(found) + largest + logs)
        return self.rounded(found, largest + logs + self.a.u * (np.abs(top[..., 0]) + largest))

    def op_softmax(self, node: Node) -> Enclosed:
        k = node.axes.index(node.data)
        s = self.spread(node.args[0], node.axes)
        shape = tuple(self.length(a) for a in node.axes)
        value, error = np.broadcast_to(s.value, shape), np.broadcast_to(s.error, shape)
        if len(node.args) == 2:
            mask = np.broadcast_to(self.spread(node.args[1], node.axes).value, shape) > 0
            value, error = np.where(mask, value, -np.inf), np.where(mask, error, 0.0)
        error = self.in_base2(value, error)
        top = value.max(axis=k, keepdims=True)
        t = value - top
        weights = np.exp(t)
        p = weights / weights.sum(axis=k, keepdims=True)
        # the computed maximum differs from `top` by at most the largest error; the shift itself cancels
        largest = np.where(np.isfinite(value), error, 0.0).max(axis=k, keepdims=True)
        drift = error + self.a.u * (np.where(np.isfinite(t), np.abs(t), 0.0) + error + largest)
        blocks = self.blocks(shape[k])
        if blocks:  # each block brings a difference of maxima, its exponential, and a product
            span = np.where(np.isfinite(t), np.abs(t), 0.0).max(axis=k, keepdims=True) + 2 * largest
            drift = drift + self.a.u * span + blocks * (2 * self.ulps + 2) * self.a.u * 1.01
        again, tiny = self.between()
        drift = drift + again * (np.where(np.isfinite(t), np.abs(t), 0.0) + error + largest + 1.01)
        one = np.expm1(drift + 2 * self.ulps * self.a.u * 1.01)
        live = np.isfinite(value)
        one = np.where(live, one, 0.0)
        length = shape[k]
        under = length * (self.a.eta + tiny) * np.exp(largest) * (1 + blocks)
        below = (p * one).sum(axis=k, keepdims=True) + self.gamma(length + blocks) * 1.01 + 1.01 * again + under
        relative = np.where(below < 1, ((1 + one) * (1 + 2 * self.a.u)) / np.where(below < 1, 1 - below, 1) - 1, np.inf)
        bound = np.where(live, p * relative + 2 * self.a.eta + under, 0.0)
        bound = np.where(live, np.minimum(bound, 1.0 + self.gamma(length)), 0.0)
        bound = np.where(np.isfinite(largest), bound, np.inf)  # a score may overflow
        found = Enclosed(p, bound)
        return found if self.model.fused or self.s == self.a else self.stored(found)


def _times(a: Enclosed, b: Enclosed) -> tuple[Array, Array]:
    value = a.value * b.value
    return value, np.abs(a.value) * b.error + np.abs(b.value) * a.error + a.error * b.error
