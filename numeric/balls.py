"""Reference values: an array program in ball arithmetic (Arb), rigorous, products by matrices of balls.

Each entry is an interval that contains the exact value for the given inputs.  That takes 0.1 s for scores of 256 x 256
with 64 channels; what is larger is left to float64 with its own bound, or to a sample of rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from itertools import product
from typing import Any

import numpy as np
from flint import arb, arb_mat
from numpy.typing import NDArray

from derivations.language.extended_reals import PRECISION, precise

from .program import Node, Program
from .rewriting import nodes, rewritten

Balls = NDArray[np.object_]
LARGEST = 1 << 23
"""Products of balls of one contraction, and entries of one array times 32, up to which a reference is computed."""


def reference_balls(
    program: Program,
    tensors: Mapping[str, Any],
    sizes: Mapping[str, int],
    only: Mapping[str, Sequence[int]] | None = None,
) -> Balls | None:
    """Balls that contain the entries of the result, for inputs that are float64 numbers; None where it is too large.

    `only` takes some positions of an axis, as in `bounds.analysed`.
    """
    program = rewritten(program)  # the same real numbers: each rewriting is a theorem
    work = _Balls(program, tensors, sizes, only or {})
    if any(work.cost(n) > LARGEST for n in nodes(program.result)) or any(map(_infinite, nodes(program.result))):
        return None
    with precise(PRECISION):
        return work.run(program.result)


def distances(values: NDArray[Any], exact: Balls) -> NDArray[np.float64]:
    """Upper bounds of |value - exact|, entry by entry; infinite where either is no number."""
    with precise(PRECISION):
        return np.asarray(_DISTANCE(values, exact), dtype=np.float64)


def middles(exact: Balls) -> NDArray[np.float64]:
    """The midpoints, rounded to float64; NaN where nothing is known."""
    return np.asarray(_MIDDLE(exact), dtype=np.float64)


def _infinite(node: Node) -> bool:
    """Minus infinity outside of a mask: no ball."""
    return node.op == "const" and bool(np.isinf(node.data))


def _distance(value: float, exact: arb) -> float:
    if not np.isfinite(value) or not exact.is_finite():
        return float("inf")
    return float((arb(value) - exact).abs_upper()) * (1 + 2.0**-50)  # the conversion rounds


_DISTANCE = np.frompyfunc(_distance, 2, 1)
_MIDDLE = np.frompyfunc(lambda x: float(x.mid()) if x.is_finite() else float("nan"), 1, 1)
_BALL = np.frompyfunc(lambda x: arb(float(x)), 1, 1)
_FUNCTIONS = {
    name: np.frompyfunc(lambda x, name=name: abs(x) if name == "abs" else getattr(x, name)(), 1, 1)
    for name in ("exp", "log", "sin", "cos", "tanh", "abs")
}
_HOLDS = np.frompyfunc(lambda x: x != 0, 1, 1)
_CHOSEN = np.frompyfunc(lambda test, a, b: a if test > 0 else b if test <= 0 else a.union(b), 3, 1)
_LARGER = np.frompyfunc(lambda x, y: x.max(y), 2, 1)


class _Balls:
    def __init__(
        self,
        program: Program,
        tensors: Mapping[str, Any],
        sizes: Mapping[str, int],
        only: Mapping[str, Sequence[int]],
    ) -> None:
        self.program, self.sizes = program, sizes
        self.only = {a: np.asarray(v) for a, v in only.items()}
        self.tensors = {n: np.asarray(x, dtype=np.float64) for n, x in tensors.items()}
        self.done: dict[Node, Balls] = {}

    def run(self, node: Node) -> Balls:
        found = self.done.get(node)
        if found is None:
            found = self.done[node] = np.asarray(getattr(self, "op_" + node.op)(node), dtype=object)
        return found

    def places(self, var: str) -> NDArray[Any]:
        found = self.only.get(var)
        return np.arange(self.program.extents[var].evaluate({}, self.sizes)) if found is None else found

    def cost(self, node: Node) -> int:
        """Products of balls of a contraction; for any other array, 32 an entry."""
        summed = tuple(node.data) if node.op == "contract" else ()
        lengths = [len(self.places(a)) for a in (*node.axes, *summed)]
        return int(np.prod(lengths, dtype=np.int64)) * (1 if summed else 32)

    def spread(self, node: Node, axes: Sequence[str]) -> Balls:
        """The array with axes of length 1 put in, ready to broadcast."""
        value = self.run(node)
        order = [node.axes.index(a) for a in axes if a in node.axes]
        value = np.transpose(value, order) if order else value
        return value.reshape([len(self.places(a)) if a in node.axes else 1 for a in axes])

    # --- leaves

    def op_input(self, node: Node) -> Any:
        name, picks = node.data
        value = self.tensors[name][tuple(slice(None) if isinstance(p, str) else p for p in picks)]
        for k, axis in enumerate(node.axes):
            if axis in self.only:
                value = np.take(value, self.only[axis], axis=k)
        return _BALL(value)

    def op_const(self, node: Node) -> Any:
        if node.exact is not None:
            return arb(node.exact)
        return arb(node.data)

    def op_size(self, node: Node) -> Any:
        return arb(self.sizes[node.data])

    def op_position(self, node: Node) -> Any:
        return _BALL(self.places(node.data))

    def op_mask(self, node: Node) -> Any:
        grids = np.meshgrid(*map(self.places, node.axes), indexing="ij") if node.axes else []
        value = np.ones([len(self.places(a)) for a in node.axes], dtype=bool)
        for c in node.data:
            total: Any = c.index.const
            for atom, k in c.index.terms:
                total = total + k * (
                    self.sizes[atom.name] if atom.kind == "size" else grids[node.axes.index(atom.name)]
                )
            value = value & ((total >= 0) if c.relation == ">=" else (total == 0))
        return _BALL(value)

    # --- entry by entry

    def op_add(self, node: Node) -> Any:
        a, b = (self.spread(x, node.axes) for x in node.args)
        return a + b

    def op_mul(self, node: Node) -> Any:
        a, b = (self.spread(x, node.axes) for x in node.args)
        return a * b

    def op_div(self, node: Node) -> Any:
        a, b = (self.spread(x, node.axes) for x in node.args)
        return a / b

    def op_power(self, node: Node) -> Any:
        exponent = arb(node.exact) if node.exact is not None else arb(node.data)
        return np.frompyfunc(lambda x: x**exponent, 1, 1)(self.run(node.args[0]))

    def op_function(self, node: Node) -> Any:
        return _FUNCTIONS[node.data](self.run(node.args[0]))

    def op_where(self, node: Node) -> Any:
        mask, a, b = (self.spread(x, node.axes) for x in node.args)
        return np.where(_HOLDS(mask).astype(bool), a, b)

    def op_choose(self, node: Node) -> Any:
        return _CHOSEN(*(self.spread(x, node.axes) for x in node.args))

    def op_larger(self, node: Node) -> Any:
        a, b = (self.spread(x, node.axes) for x in node.args)
        return _LARGER(a, b)

    def op_arrange(self, node: Node) -> Any:
        return np.broadcast_to(self.spread(node.args[0], node.axes), [len(self.places(a)) for a in node.axes])

    # --- reductions

    def op_max(self, node: Node) -> Any:
        return _LARGER.reduce(self.run(node.args[0]), axis=node.args[0].axes.index(node.data))

    def op_mean(self, node: Node) -> Any:
        value, k = self.run(node.args[0]), node.args[0].axes.index(node.data[0])
        return value.sum(axis=k) / arb(value.shape[k])

    def op_contract(self, node: Node) -> Any:
        if len(node.args) == 2 and len(node.data) == 1 and all(node.data[0] in a.axes for a in node.args):
            return self.product(node)
        axes = (*node.axes, *node.data)
        parts = [self.spread(a, axes) for a in node.args]
        whole = np.broadcast_to(reduce(lambda a, b: a * b, parts), [len(self.places(a)) for a in axes])
        return whole.sum(axis=tuple(range(len(node.axes), len(axes))))

    def product(self, node: Node) -> Any:
        """Matrices of balls, one for each place of the axes that both operands have."""
        (a, b), var = node.args, node.data[0]
        batch = [x for x in node.axes if x in a.axes and x in b.axes]
        rows = [x for x in node.axes if x in a.axes and x not in batch]
        columns = [x for x in node.axes if x in b.axes and x not in batch]
        left, right = self.spread(a, [*batch, *rows, var]), self.spread(b, [*batch, var, *columns])
        lead = left.shape[: len(batch)]
        found = np.empty((*lead, *left.shape[len(batch) : -1], *right.shape[len(batch) + 1 :]), dtype=object)
        for at in product(*map(range, lead)):
            one, two = left[at].reshape(-1, left.shape[-1]), right[at].reshape(left.shape[-1], -1)
            made = arb_mat(*one.shape, one.ravel().tolist()) * arb_mat(*two.shape, two.ravel().tolist())
            found[(*at, ...)] = np.array(made.entries(), dtype=object).reshape(found.shape[len(batch) :])
        now = [*batch, *rows, *columns]
        return np.transpose(found, [now.index(x) for x in node.axes]) if now else found

    # --- softmax and log-sum-exp

    def shifted(self, node: Node, axes: Sequence[str]) -> tuple[Balls, Balls]:
        """Exponentials of scores less a number near the largest, 0 where the mask leaves out, and that number."""
        shape = [len(self.places(a)) for a in axes]
        scores = np.broadcast_to(self.spread(node.args[0], axes), shape)
        mask = np.ones(shape, dtype=bool)
        if len(node.args) == 2:
            mask = np.broadcast_to(_HOLDS(self.spread(node.args[1], axes)).astype(bool), shape)
        near = np.where(mask, middles(scores), -np.inf).max(axis=-1, keepdims=True)
        top = _BALL(np.where(np.isfinite(near), near, 0.0))
        weights = np.where(mask, _FUNCTIONS["exp"](scores - top), arb(0))
        return weights, top

    def op_softmax(self, node: Node) -> Any:
        axes = (*(a for a in node.axes if a != node.data), node.data)
        weights, _ = self.shifted(node, axes)
        found = weights / weights.sum(axis=-1, keepdims=True)
        return np.transpose(found, [axes.index(a) for a in node.axes])

    def op_logsumexp(self, node: Node) -> Any:
        weights, top = self.shifted(node, (*node.axes, node.data))
        return _FUNCTIONS["log"](weights.sum(axis=-1)) + top[..., 0]


__all__ = ["LARGEST", "distances", "middles", "reference_balls"]
