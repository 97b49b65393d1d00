"""Array programs with named axes: what a term becomes before it is written as NumPy or torch, or bounded.

A node has axes (index variables in a fixed order); operations broadcast over named axes.  Sums of products become one
contraction, factors without the summed index stay outside, `exp(s_j) / sum_k exp(s_k)` (with or without indicators)
becomes one softmax node: subtracting the maximum from all scores changes nothing, which is the library's theorem
`attention_shift`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from derivations.kernel.definition import instance
from derivations.language.statement import Definition, Theory
from derivations.language.substitution import alpha_equal, rename_apart, substitute
from derivations.language.term import (
    ZERO,
    Add,
    Apply,
    Bracket,
    Case,
    Choice,
    Constraint,
    Entry,
    Guard,
    Index,
    IndexValue,
    Max,
    Mul,
    NegInfinity,
    Number,
    Pow,
    Sum,
    Term,
    guard,
    guard_substitute,
    listed,
    write_guard,
)

MAX_LISTED = 4
"""Values of a maximum that are compared one by one."""


class NotCompiled(ValueError):
    """A term that has no array program yet; the message says which part and why."""


@dataclass(frozen=True, eq=False)
class Node:
    """One operation over named axes.

    `op` is one of: input, const, size, position, mask, add, mul, contract, mean, max, softmax, logsumexp, div, power, function,
    where, larger (of two), choose (by the sign of its first argument), arrange; `axes` are the index variables of the
    result; `data` what the operation needs besides its arguments.
    """

    op: str
    axes: tuple[str, ...]
    args: tuple[Node, ...] = ()
    data: Any = None
    exact: Any = None
    """The rational number of a constant or an exponent, which `data` rounds."""


@dataclass
class Program:
    """The program of one definition: its result over `axes`, given tensors with their shapes, and sizes."""

    name: str
    result: Node
    inputs: dict[str, tuple[Index, ...]]
    extents: dict[str, Index]
    sizes: list[str]
    equation: str = ""
    steps: list[tuple[str, Node]] = field(default_factory=list)
    """Earlier definitions that the result uses, in order."""
    needs: list[tuple[Index, int]] = field(default_factory=list)
    """(length, index): a fixed index that the length must exceed."""
    rewritings: tuple[str, ...] = ()
    """Theorems of the library that rewrote it (see `rewriting.py`)."""
    parameters: list[str] = field(default_factory=list)
    """Sizes that are the length of no axis of an input; they are passed as whole numbers."""


def lower_definition(definition: Definition, theory: Theory) -> Program:
    """The array program of a definition; raises `NotCompiled`."""
    if definition.condition:
        raise NotCompiled(f"{definition.name} is defined only for some indices; a full array has no value elsewhere")
    tensors = {**theory.tensors, **{t.name: t for t in definition.tensors}}
    lowering = _Lowering(Theory(tensors, theory.definitions))
    variables = definition.variables
    if len(set(variables)) != len(variables):
        raise NotCompiled("an index occurs twice on the left side")
    for pattern in definition.indices:
        if pattern.free and pattern is not Index.var(min(pattern.free)):
            raise NotCompiled(f"the left side has the index pattern {pattern}")
    shape = definition.shape
    for k, pattern in enumerate(definition.indices):
        if pattern.free:
            if shape is None or k >= len(shape):
                raise NotCompiled(f"the range of {pattern} is not known")
            lowering.extents[min(pattern.free)] = shape[k]
    body = rename_apart(definition.body, variables)
    result = lowering.node(body)
    if any(i.free for i in lowering.extents.values()):
        raise NotCompiled("the length of an axis depends on an index")
    odd = next((i for i in lowering.extents.values() if not i.plain), None)
    if odd is not None:
        raise NotCompiled(f"the length {odd} of an axis is a product or a quotient")
    program = Program(
        definition.name,
        _ordered(result, variables),
        lowering.inputs,
        lowering.extents,
        [],
        str(definition),
        lowering.steps,
    )
    program.needs = lowering.needs
    names: set[str] = set()
    for extent in [*lowering.extents.values(), *(i for s in lowering.inputs.values() for i in s)]:
        names |= extent.sizes
    program.sizes = sorted(names | lowering.used)
    axes = {
        i.terms[0][0].name
        for shape in lowering.inputs.values()
        for i in shape
        if len(i.terms) == 1 and not i.const and i.terms[0][1] == 1 and i.terms[0][0].kind == "size"
    }
    program.parameters = [s for s in program.sizes if s not in axes]
    return program


def _ordered(node: Node, axes: Sequence[str]) -> Node:
    """The node with exactly these axes, in this order (a constant axis is repeated)."""
    if node.axes == tuple(axes):
        return node
    return Node("arrange", tuple(axes), (node,))


def _join(*axes: Sequence[str]) -> tuple[str, ...]:
    found: list[str] = []
    for group in axes:
        for a in group:
            if a not in found:
                found.append(a)
    return tuple(found)


def in_order(axes: Iterable[str], extents: Mapping[str, Index]) -> tuple[str, ...]:
    """Axes of the result first, then summed ones: a reduced axis stands last."""
    order = {a: k for k, a in enumerate(extents)}
    return tuple(sorted(set(axes), key=lambda a: (order.get(a, len(order)), a)))


class _Lowering:
    def __init__(self, theory: Theory) -> None:
        self.theory = theory
        self.inputs: dict[str, tuple[Index, ...]] = {}
        self.extents: dict[str, Index] = {}
        self.steps: list[tuple[str, Node]] = []
        self.needs: list[tuple[Index, int]] = []
        self.used: set[str] = set()
        self.done: dict[Term, Node] = {}
        self.depth = 0

    def node(self, t: Term) -> Node:
        key = t
        found = self.done.get(key)
        if found is None:
            self.depth += 1
            if self.depth > 100:
                raise NotCompiled("the term is nested too deeply")
            found = self.done[key] = self._node(t)
            self.depth -= 1
        return found

    def _node(self, t: Term) -> Node:
        if isinstance(t, Number):
            return Node("const", (), (), int(t.value.p) / int(t.value.q), t.value)
        if isinstance(t, NegInfinity):
            return Node("const", (), (), float("-inf"))
        if isinstance(t, IndexValue):
            return self.index_value(t.index)
        if isinstance(t, Entry):
            return self.entry(t)
        if isinstance(t, Add):
            parts = [self.node(a) for a in t.args]
            return self.fold("add", parts)
        if isinstance(t, Mul):
            return self.product(_factors(t))
        if isinstance(t, Pow):
            return self.power(t)
        if isinstance(t, Apply):
            if t.function not in ("exp", "log", "sin", "cos", "tanh", "abs"):
                raise NotCompiled(f"{t.function} is not a function with a meaning")
            logs = self.log_sum(t.arg) if t.function == "log" and isinstance(t.arg, Sum) else None
            if logs is not None:
                return logs
            inner = self.node(t.arg)
            return Node("function", inner.axes, (inner,), t.function)
        if isinstance(t, Bracket):
            return self.mask(t.condition)
        if isinstance(t, Case):
            result = self.node(t.otherwise)
            for condition, value in reversed(t.branches):
                if not condition:  # it holds: 0 = 0, where an index is a number
                    result = self.node(value)
                    continue
                mask, chosen = self.mask(condition), self.node(value)
                result = Node("where", _join(chosen.axes, mask.axes, result.axes), (mask, chosen, result))
            return result
        if isinstance(t, Choice):
            parts = [self.node(c) for c in t.children]
            return Node("choose", _join(*(p.axes for p in parts)), tuple(parts))
        if isinstance(t, Sum):
            return self.sum(t)
        if isinstance(t, Max) and (values := listed(t)) is not None and len(values) <= MAX_LISTED:
            return self.fold("larger", [self.node(v) for v in values])
        if isinstance(t, Max):
            top: Max = rename_apart(t, set(self.extents)) if t.var in self.extents else t  # type: ignore[assignment]
            extra = self.bind(top.var, top.guard)
            inner = self.node(top.body)
            if extra:
                mask = self.mask(extra)
                low = Node("const", (), (), float("-inf"))
                inner = Node("where", _join(inner.axes, mask.axes), (mask, inner, low))
            axes = tuple(a for a in inner.axes if a != top.var)
            return Node("max", axes, (inner,), top.var)
        raise NotCompiled(f"no array program for {type(t).__name__}")

    def fold(self, op: str, parts: list[Node]) -> Node:
        result = parts[0]
        for p in parts[1:]:
            axes = result.axes if set(p.axes) <= set(result.axes) else in_order((*result.axes, *p.axes), self.extents)
            result = Node(op, axes, (result, p))
        return result

    def index_value(self, index: Index) -> Node:
        if not index.plain:
            raise NotCompiled(f"the index {index} uses a permutation, a product or a quotient")
        parts: list[Node] = [Node("const", (), (), float(index.const))] if index.const or not index.terms else []
        self.used |= index.sizes
        for atom, c in index.terms:
            leaf = (
                Node("size", (), (), atom.name)
                if atom.kind == "size"
                else Node("position", (atom.name,), (), atom.name)
            )
            parts.append(leaf if c == 1 else Node("mul", leaf.axes, (Node("const", (), (), float(c)), leaf)))
        return self.fold("add", parts)

    def entry(self, t: Entry) -> Node:
        if t.name in self.theory.definitions:
            for d in self.theory.definitions[t.name]:
                found = instance(d, t, tuple(self.extents))
                if found is not None and not found[1]:
                    return self.node(rename_apart(found[0], tuple(self.extents)))
            raise NotCompiled(f"no definition of {t.name} fits {t}")
        if t.args:
            raise NotCompiled(f"{t.name} is an unknown function of tensors")
        shape = self.theory.shape(t.name)
        if shape is None or len(shape) != len(t.indices):
            if t.indices:
                raise NotCompiled(f"the shape of {t.name} is not known")
            if shape:  # a parameter of the definition has the name of a number that another definition rests on
                raise NotCompiled(f"{t.name} is an array of {len(shape)} axes and also a number")
            shape = ()
        self.inputs[t.name] = shape
        axes: list[str] = []
        picks: list[int | str] = []
        for index, extent in zip(t.indices, shape, strict=True):
            if index.is_constant:
                picks.append(index.const)
                self.needs.append((extent, index.const))
            elif (
                index.plain
                and len(index.terms) == 1
                and index.const == 0
                and index.terms[0] == (index.terms[0][0], 1)
                and index.free
            ):
                var = min(index.free)
                known = self.extents.setdefault(var, extent)
                if known is not extent:
                    raise NotCompiled(f"{var} runs over {known}, but that axis of {t.name} has length {extent}")
                picks.append(var)
                axes.append(var)
            else:
                raise NotCompiled(f"the index {index} of {t.name} is not one variable")
        if len(set(axes)) != len(axes):
            raise NotCompiled(f"an index occurs twice in {t}")
        return Node("input", tuple(axes), (), (t.name, tuple(picks)))

    def mask(self, condition: Guard) -> Node:
        if not all(c.index.plain for c in condition):
            raise NotCompiled(f"the condition {write_guard(condition)} uses a permutation, a product or a quotient")
        self.used |= {s for c in condition for s in c.index.sizes}
        return Node("mask", in_order({v for c in condition for v in c.free}, self.extents), (), condition)

    def power(self, t: Pow) -> Node:
        base = self.node(t.base)
        if isinstance(t.exponent, Number):
            q = t.exponent.value
            if q == -1:
                return Node("div", base.axes, (Node("const", (), (), 1.0), base))
            return Node("power", base.axes, (base,), int(q.p) / int(q.q), q)
        exponent = self.node(t.exponent)
        log = Node("function", base.axes, (base,), "log")
        axes = _join(exponent.axes, base.axes)
        return Node("function", axes, (Node("mul", axes, (exponent, log)),), "exp")

    def product(self, factors: list[Term]) -> Node:
        softmax = self.softmax(factors)
        if softmax is not None:
            node, rest = softmax
            return node if not rest else self.fold("mul", [self.product(rest), node])
        above = [f for f in factors if not _is_reciprocal(f)]
        below = [f.base for f in factors if isinstance(f, Pow) and _is_reciprocal(f)]
        masks = [f for f in above if isinstance(f, Bracket)]
        plain = [f for f in above if not isinstance(f, Bracket)]
        parts = [self.node(f) for f in plain] or [Node("const", (), (), 1.0)]
        result = self.fold("mul", parts)
        for m in masks:
            mask = self.mask(m.condition)
            zero = Node("const", (), (), 0.0)
            result = Node("where", _join(result.axes, mask.axes), (mask, result, zero))
        for b in below:
            lower = self.node(b)
            result = Node("div", _join(result.axes, lower.axes), (result, lower))
        return result

    def softmax(self, factors: list[Term], known: Guard = ()) -> tuple[Node, list[Term]] | None:
        """`[g_j] exp(s_j) * (sum_k [g_k] exp(s_k))^-1` among the factors, and the other factors.

        The sum must run over the whole axis of j, or its limits must hold for j too: by a bracket, or as `known`.
        """
        for place, f in enumerate(factors):
            if not (isinstance(f, Pow) and _is_reciprocal(f) and isinstance(f.base, Sum)):
                continue
            total = f.base
            inner = _factors(total.body)
            exps = [g for g in inner if isinstance(g, Apply) and g.function == "exp"]
            if len(exps) != 1 or not all(isinstance(g, (Apply, Bracket)) for g in inner):
                continue
            others = [g for k, g in enumerate(factors) if k != place]
            length, limits = self.summed(total)
            for candidate in sorted(self.extents):
                if candidate == total.var or candidate in total.free or self.extents[candidate] is not length:
                    continue
                there = {total.var: Index.var(candidate)}
                try:
                    wanted = [substitute(g, there) for g in inner]
                except ValueError:
                    continue
                rest = _without(others, wanted)
                mask = guard_substitute(limits, there)
                held = {*known, *(c for g in rest or () if isinstance(g, Bracket) for c in g.condition)}
                if rest is None or not held.issuperset(mask):
                    continue
                node = self.softmax_node(candidate, wanted, mask)
                if node is not None:
                    return node, rest
        return None

    def summed(self, total: Sum) -> tuple[Index, Guard]:
        """The length of the axis of a sum, and its limits within that axis; nothing is bound."""
        before = self.extents.get(total.var)
        limits = self.bind(total.var, total.guard)
        length = self.extents.pop(total.var)
        if before is not None:
            self.extents[total.var] = before
        return length, limits

    def softmax_node(self, var: str, factors: list[Term], mask: Guard) -> Node | None:
        """The softmax of the exponent among factors that are an exponential and brackets."""
        exponent = next(g.arg for g in factors if isinstance(g, Apply))
        scores = self.node(exponent)
        condition = guard(*mask, *(c for g in factors if isinstance(g, Bracket) for c in g.condition))
        args = (scores, self.mask(condition)) if condition else (scores,)
        axes = _join(*(a.axes for a in args))
        return Node("softmax", axes, args, var) if var in axes else None

    def log_sum(self, total: Sum) -> Node | None:
        """`log sum_k [g_k] exp(s_k)` in stable form: the maximum is taken out (the library's `log_sum_exp_shift`)."""
        inner = _factors(total.body)
        exps = [g for g in inner if isinstance(g, Apply) and g.function == "exp"]
        if len(exps) != 1 or not all(isinstance(g, (Apply, Bracket)) for g in inner):
            return None
        if total.var in self.extents:
            renamed: Sum = rename_apart(total, set(self.extents))  # type: ignore[assignment]
            return self.log_sum(renamed)
        extra = self.bind(total.var, total.guard)
        scores = self.node(exps[0].arg)
        condition = guard(*extra, *(c for g in inner if isinstance(g, Bracket) for c in g.condition))
        args: tuple[Node, ...] = (scores, self.mask(condition)) if condition else (scores,)
        axes = _join(*(a.axes for a in args))
        if total.var not in axes:
            return None
        return Node("logsumexp", tuple(a for a in axes if a != total.var), args, total.var)

    # --- sums

    def bind(self, var: str, condition: Guard) -> Guard:
        """Fix the axis of a bound index; returns the constraints that a mask must still impose."""
        low, high = None, None
        for c in condition:
            k = c.index.coefficient(var)
            rest = c.index - k * Index.var(var)
            if k == 1 and not rest.terms and c.relation == ">=":
                low = -rest.const
            elif k == -1 and not rest.free and c.relation == ">=":
                high = rest + 1 if high is None else high
        if high is None:  # bounded by another index only: its axis is long enough
            for c in condition:
                k = c.index.coefficient(var)
                rest = c.index - k * Index.var(var)
                if k == -1 and len(rest.free) == 1 and not rest.sizes and c.relation == ">=":
                    high = self.extents.get(min(rest.free))
                    if high is not None:
                        high = high + rest.const if rest.const > 0 else high
        if low != 0 or high is None:
            raise NotCompiled(f"the range of {var} does not start at 0 or has no end")
        self.extents[var] = high
        return self.residual(var, condition)

    def residual(self, var: str, condition: Guard) -> Guard:
        kept: list[Constraint] = []
        for c in condition:
            k = c.index.coefficient(var)
            rest = c.index - k * Index.var(var)
            if k == 1 and not rest.terms and rest.const == 0 and c.relation == ">=":
                continue
            if k == -1 and not rest.free and c.relation == ">=" and rest + 1 is self.extents.get(var):
                continue
            kept.append(c)
        return guard(*kept)

    def sum(self, t: Sum) -> Node:
        if t.var in self.extents:  # another sum over an index of this name may have another length
            t = rename_apart(t, set(self.extents))  # type: ignore[assignment]
        extra = self.bind(t.var, t.guard)
        factors = _factors(t.body)
        softmax = self.softmax(factors, extra)
        parts: list[Node] = []
        if softmax is not None:
            node, rest = softmax
            parts.append(node)
            factors = rest
        numbers: list[Node] = []
        inverse: list[Node] = []
        for f in factors:
            if isinstance(f, Pow) and _is_reciprocal(f):
                lower = self.node(f.base)
                if t.var in lower.axes:
                    parts.append(Node("div", lower.axes, (Node("const", (), (), 1.0), lower)))
                else:
                    inverse.append(lower)
                continue
            node = self.node(f)
            (parts if t.var in node.axes else numbers).append(node)
        if extra:
            parts.append(self.mask(extra))
        order = list(self.extents)  # the axes of the result come first, so the operands follow them

        def place(p: Node) -> tuple[int, ...]:
            return tuple(order.index(a) for a in p.axes if a != t.var) or (len(order),)

        parts.sort(key=place)
        axes = tuple(a for a in _join(*(p.axes for p in parts)) if a != t.var)
        if parts:
            # nested contractions over one product are one contraction
            summed = [t.var]
            flat: list[Node] = []
            for p in parts:
                if p.op == "contract" and len(parts) == 1:
                    flat += p.args
                    summed += p.data
                else:
                    flat.append(p)
            result = Node("contract", axes, tuple(flat), tuple(summed))
        else:
            result = self.index_value(self.extents[t.var])
        for n in numbers:
            result = Node("mul", _join(n.axes, result.axes), (n, result))
        for b in inverse:
            result = Node("div", _join(result.axes, b.axes), (result, b))
        return result


def _factors(t: Term) -> list[Term]:
    """Factors of a product; `x if g else 0` is `[g] * x` to an array program."""
    if isinstance(t, Case) and len(t.branches) == 1 and t.otherwise is ZERO:
        condition, value = t.branches[0]
        return [Bracket(condition), *_factors(value)]
    return [f for a in t.args for f in _factors(a)] if isinstance(t, Mul) else [t]


def _without(factors: list[Term], taken: list[Term]) -> list[Term] | None:
    """The factors without those that are taken; None where one is missing."""
    rest = list(factors)
    for w in taken:
        same = next((g for g in rest if alpha_equal(g, w)), None)
        if same is None:
            return None
        rest.remove(same)
    return rest


def _is_reciprocal(t: Term) -> bool:
    return isinstance(t, Pow) and isinstance(t.exponent, Number) and t.exponent.value == -1
