"""Rewritings of array programs: what a careful engineer would do before writing the code down.

Each is an equality between real numbers that is a row of the library (`derivations/theorems/rewritings.py`), proved there
for all sizes; a program lists those that it rests on, and the emitted docstring names them.  Floating point is what they
are for: the bound of a compiled program is that of its rewritten form.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from derivations.language.term import Index, guard, guard_substitute

from .program import Node, Program, in_order

SAYS: Mapping[str, str] = {
    "softmax_by_the_largest_score": "a softmax is computed from the scores less the largest one",
    "softmax_of_shifted_scores": "what is subtracted from all scores of a softmax is left out",
    "softmax_of_masked_scores": "what a mask leaves out has the score minus infinity",
    "softmax_of_scores_plus_mask": "a mask of 0 and minus infinity is not added, but selects",
    "log_sum_exp_by_the_largest_score": "a log-sum-exp is computed from the scores less the largest one",
    "log_sum_exp_of_shifted_scores": "what is subtracted from all scores of a log-sum-exp is added at its end",
    "scale_on_the_first_operand": "a scale stands on the smaller operand of a product",
    "variance_by_centred_squares": "E[x^2] - E[x]^2 is computed as the mean of centred squares",
}
"""Rows of the library that are used here, in the words of a docstring."""


def rewritten(program: Program) -> Program:
    """The program in the form in which it is written down; `rewritings` names the theorems behind it."""
    work = _Rewriting(program)
    result = work.node(program.result)
    if result.axes != program.result.axes:
        result = Node("arrange", program.result.axes, (result,))
    return replace(program, result=result, rewritings=tuple(dict.fromkeys(work.used)))


def signature(node: Node, extents: Mapping[str, Index], done: dict[Node, tuple[object, ...]]) -> tuple[object, ...]:
    """Equal for nodes that hold the same array up to the names of axes."""
    found = done.get(node)
    if found is None:
        bound = bound_axes(node)
        places = {a: k for k, a in enumerate((*node.axes, *bound))}
        data: object = node.data
        if node.op == "input":
            data = (node.data[0], tuple("*" if isinstance(p, str) else p for p in node.data[1]))
        elif node.op == "mask":
            data = guard_substitute(node.data, {a: Index.var(f"%{k}") for a, k in places.items()})
        elif node.op == "softmax":
            data = places[node.data]
        elif bound or node.op == "position":
            data = None
        below = tuple((signature(a, extents, done), tuple(places[x] for x in a.axes)) for a in node.args)
        found = done[node] = (node.op, data, len(node.axes), tuple(extents.get(a) for a in places), below)
    return found


def nodes(node: Node, seen: set[Node] | None = None) -> Iterator[Node]:
    """All nodes under a node, each once."""
    seen = set() if seen is None else seen
    if node not in seen:
        seen.add(node)
        yield node
        for a in node.args:
            yield from nodes(a, seen)


def bound_axes(node: Node) -> tuple[str, ...]:
    """The axes that a reduction removes."""
    if node.op in ("contract", "mean"):
        return tuple(node.data)
    return (node.data,) if node.op in ("max", "logsumexp") else ()


@dataclass
class Softened:
    """Scores without what all of them share, and the mask that selects among them."""

    scores: Node
    mask: Node | None
    shift: Node | None = None


class _Rewriting:
    def __init__(self, program: Program) -> None:
        self.program, self.extents = program, program.extents
        self.done: dict[Node, Node] = {}
        self.signatures: dict[Node, tuple[object, ...]] = {}
        self.used: list[str] = []
        channels = {shape[-1] for shape in program.inputs.values() if shape}
        self.channels = channels - {
            self.extents[n.data] for n in nodes(program.result) if n.op in ("softmax", "logsumexp")
        }
        """Lengths that some input has on its last axis, unless they are normalised over; the others count positions."""

    def node(self, node: Node) -> Node:
        found = self.done.get(node)
        if found is None:
            args = tuple(map(self.node, node.args))
            found = node if args == node.args else replace(node, args=args)
            rule: Callable[[Node], Node] | None = getattr(self, "op_" + node.op, None)
            found = self.done[node] = found if rule is None else rule(found)
        return found

    def same(self, a: Node, b: Node) -> bool:
        return signature(a, self.extents, self.signatures) == signature(b, self.extents, self.signatures)

    # --- factors

    def op_mul(self, node: Node) -> Node:
        a, b = node.args
        for x, y in ((a, b), (b, a)):
            if _is(x, 1.0) and y.axes == node.axes:
                return y
            if x.op == "div" and _is(x.args[0], 1.0) and not x.axes:
                return self.op_div(Node("div", y.axes, (y, x.args[1])))
        for x, y in ((a, b), (b, a)):
            if not x.axes and x.op != "const":
                moved = self.scaled(y, lambda o, x=x: Node("mul", o.axes, (o, x)))  # type: ignore[misc]
                if moved is not None:
                    return moved
        return node

    def op_div(self, node: Node) -> Node:
        a, b = node.args
        if a.op == "mul" and not a.args[0].axes and b.axes == () and a.args[0].op == "const":
            return Node("mul", node.axes, (a.args[0], self.op_div(Node("div", node.axes, (a.args[1], b)))))
        if b.axes or a.op != "contract":
            return node
        return self.mean(a, b) or self.scaled(a, lambda o: Node("div", o.axes, (o, b))) or node

    def mean(self, total: Node, length: Node) -> Node | None:
        """A sum over its own length is a mean."""
        if len(total.data) != 1 or length.op != "size" or self.extents[total.data[0]] is not Index.size(length.data):
            return None
        if len(total.args) == 1 and total.args[0].op != "mask":
            return Node("mean", total.axes, total.args, total.data)
        if len(total.args) == 2 and total.args[0].axes == total.args[1].axes and self.same(*total.args):
            x = total.args[0]
            return Node("mean", total.axes, (Node("power", x.axes, (x,), 2.0),), total.data)
        return None

    def scaled(self, product: Node, scale: Callable[[Node], Node]) -> Node | None:
        """A scale of a product of matrices stands on an operand that is smaller than the product."""
        if product.op != "contract" or len(product.args) < 2:
            return None
        sizes = [self.positions(a) for a in product.args]
        free = [k for k, a in enumerate(product.args) if a.op not in ("softmax", "mask")]
        best = min(free, key=lambda k: sizes[k], default=None)
        if best is None or sizes[best] >= self.positions(product):
            return None
        self.used.append("scale_on_the_first_operand")
        args = [scale(a) if k == best else a for k, a in enumerate(product.args)]
        return replace(product, args=tuple(args))

    def positions(self, node: Node) -> int:
        """How many axes count positions and not channels."""
        return sum(self.extents[a] not in self.channels for a in node.axes)

    # --- means, shifts and masks

    def op_add(self, node: Node) -> Node:
        for a, b in (node.args, node.args[::-1]):
            found = self.variance(a, b) or self.log_sum(a, b)
            if found is not None and found.axes == node.axes:
                return found
        return node

    def variance(self, square: Node, other: Node) -> Node | None:
        """`mean(x^2) - mean(x)^2`."""
        less = negated(other)
        if less is None or square.op != "mean" or less.op != "power" or less.data != 2.0:
            return None
        inner, mean = square.args[0], less.args[0]
        if inner.op != "power" or inner.data != 2.0 or mean.op != "mean":
            return None
        x = inner.args[0]
        if mean.axes != square.axes or not self.same(Node("mean", square.axes, (x,), square.data), mean):
            return None
        self.used.append("variance_by_centred_squares")
        centred = Node("add", x.axes, (x, minus(mean)))
        return Node("mean", square.axes, (Node("power", x.axes, (centred,), 2.0),), square.data)

    def log_sum(self, log: Node, shift: Node) -> Node | None:
        """`logsumexp(s - t) + t`."""
        if log.op != "logsumexp" or log.args[0].op != "add":
            return None
        for a, b in (log.args[0].args, log.args[0].args[::-1]):
            less = negated(b)
            if less is not None and less.axes == shift.axes and self.same(less, shift) and log.data in a.axes:
                self.used.append("log_sum_exp_of_shifted_scores")
                return replace(log, args=(a, *log.args[1:]))
        return None

    def op_softmax(self, node: Node) -> Node:
        found = self.selected(node)
        while found.scores.op == "add":
            rest = [x for x in found.scores.args if node.data in x.axes]
            if len(rest) == 2 or len(rest) == 0 or set(rest[0].axes) != set(found.scores.axes):
                break
            self.used.append("softmax_of_shifted_scores")
            found = self.selected(
                Node("softmax", node.axes, (rest[0], *((found.mask,) if found.mask else ())), node.data)
            )
        self.used.append("softmax_by_the_largest_score")
        if found.mask is not None:
            self.used.append("softmax_of_masked_scores")
        args = (found.scores,) if found.mask is None else (found.scores, found.mask)
        axes = in_order((*found.scores.axes, *(a for a in node.axes if a not in found.scores.axes)), self.extents)
        return Node("softmax", axes if set(axes) == set(node.axes) else node.axes, args, node.data)

    def op_logsumexp(self, node: Node) -> Node:
        found = self.selected(node)
        self.used.append("log_sum_exp_by_the_largest_score")
        return replace(node, args=(found.scores,) if found.mask is None else (found.scores, found.mask))

    def selected(self, node: Node) -> Softened:
        """Scores apart from masks: minus infinity where a condition fails."""
        scores, mask = node.args[0], node.args[1] if len(node.args) > 1 else None
        while True:
            if scores.op == "where" and _is(scores.args[2], float("-inf")):
                chosen, scores = scores.args[0], scores.args[1]
            else:
                added = next((x for x in scores.args if scores.op == "add" and _is_mask(x)), None)
                if added is None:
                    return Softened(scores, mask)
                chosen = added.args[0]
                scores = next(x for x in scores.args if x is not added)
                self.used.append("softmax_of_scores_plus_mask")
            mask = chosen if mask is None else _both(mask, chosen, self.extents)


def _both(a: Node, b: Node, extents: Mapping[str, Index]) -> Node:
    axes = in_order({*a.axes, *b.axes}, extents)
    return Node("mask", axes, (), guard(*a.data, *b.data))


def _is_mask(x: Node) -> bool:
    return x.op == "where" and _is(x.args[1], 0.0) and _is(x.args[2], float("-inf"))


def _is(x: Node, value: float) -> bool:
    return x.op == "const" and bool(x.data == value)


def minus(x: Node) -> Node:
    """The node times -1."""
    return Node("mul", x.axes, (Node("const", (), (), -1.0), x))


def negated(x: Node) -> Node | None:
    """What stands behind a minus sign."""
    if x.op == "mul" and _is(x.args[0], -1.0):
        return x.args[1]
    return None


__all__ = ["SAYS", "bound_axes", "negated", "nodes", "rewritten", "signature"]
