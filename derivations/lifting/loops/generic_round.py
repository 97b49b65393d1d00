"""Loops over symbolic ranges: one generic round, whose writes become cases and whose additions become sums.

A name that the body stores and that had a value before may be read in the body only to add to it: a value that one round
hands to the next is a family (`folds`) or refused, never taken from a single round.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from derivations.kernel.linear import consistent, entails, entails_all
from derivations.language.term import (
    ZERO,
    Case,
    Constraint,
    Guard,
    Index,
    Sum,
    Term,
    at_least,
    equal,
    guard,
    less,
    quotient,
    remainder,
    within,
)
from derivations.lifting.operations.indexing import Slice, bounds, integers, is_mask, spelled_out, wrapped
from derivations.lifting.operations.table import Value, integer
from derivations.lifting.symbolic.arrays import Array, Entry, index_truth, place_name, places, put, real, truth
from derivations.lifting.symbolic.clipped import both_bounds
from derivations.lifting.symbolic.not_lifted import NotLifted
from derivations.lifting.symbolic.scope import Scope
from derivations.lifting.symbolic.term_arithmetic import plus
from derivations.lifting.symbolic.truth_values import (
    TRUE,
    Condition,
    Test,
    Truth,
    all_of,
    both,
    chosen,
    condition,
    selected,
)

MAX_UNROLLED = 64
"""Rounds of a loop of known length that are taken one by one."""


@dataclass(frozen=True)
class Loop:
    """A loop that runs once for `variable` in [0, size)."""

    variable: str
    size: Index

    @property
    def index(self) -> Index:
        return Index.var(self.variable)

    @property
    def range(self) -> Guard:
        return within(self.variable, 0, self.size)


@dataclass(frozen=True, eq=False)
class Origin:
    """The places of a write as the code says them, before variables are expressed by places."""

    pattern: tuple[Index, ...]
    when: tuple[Constraint, ...]
    loops: tuple[Loop, ...]
    """The loops around, from the outside."""
    axes: tuple[Loop, ...]
    """The variables along slices, masks and index arrays."""

    def renamed(self, first: Loop, mark: str, fixed: str = "") -> Origin:
        """With other names for a loop and all that is inside; those of slices by their order."""
        start = next((k for k, x in enumerate(self.loops) if x.variable == first.variable), len(self.loops))
        new = {x.variable: f"{x.variable}{mark}" for x in self.loops[start:]}
        new |= {x.variable: f"slice{k}{mark}{fixed}" for k, x in enumerate(self.axes)}
        indices = {old: Index.var(name) for old, name in new.items()}

        def loop(x: Loop) -> Loop:
            return Loop(new.get(x.variable, x.variable), x.size.substitute(indices))

        return Origin(
            tuple(p.substitute(indices) for p in self.pattern),
            tuple(c.substitute(indices) for c in self.when),
            tuple(map(loop, self.loops)),
            tuple(map(loop, self.axes)),
        )


def in_order(first: Written, second: Written, loop: Loop) -> bool:
    """Whether no round of a loop writes by `first` what an earlier round has written by `second`."""
    if (first.additive and second.additive) or first.origin is None or second.origin is None:
        return first.additive and second.additive
    if first.origin.renamed(loop, "").pattern == second.origin.renamed(loop, "").pattern:
        own = any(loop.variable in p.free for p in first.origin.pattern)  # every place belongs to one round
        return own or not second.additive
    a, b = first.origin.renamed(loop, "", "a"), second.origin.renamed(loop, "'", "b")
    ranges = [c for x in (*a.loops, *a.axes, *b.loops, *b.axes) for c in x.range]
    same = [equal(p, q) for p, q in zip(a.pattern, b.pattern, strict=True)]
    known = guard(*ranges, *a.when, *b.when, *same)
    return entails(known, at_least(Index.var(f"{loop.variable}'"), loop.index)) or not consistent(known)


@dataclass(eq=False)
class Written:
    """`array[pattern] = value` for all values of the variables in the pattern."""

    pattern: list[Index | None]
    """One index for each axis; None for an axis that is solved already."""
    when: list[Constraint]
    value: Term
    additive: bool = False
    solved: set[str] = field(default_factory=set)
    origin: Origin | None = None

    def put(self, indices: dict[str, Index]) -> None:
        self.pattern = [None if p is None else p.substitute(indices) for p in self.pattern]
        self.when = [c.substitute(indices) for c in self.when]
        value = put(self.value, indices)
        assert_term(value)
        self.value = value  # type: ignore[assignment]


def assert_term(value: Entry) -> None:
    if not isinstance(value, Term):
        raise NotLifted("a write of something that is no number")


def stored_names(body: Iterable[ast.stmt]) -> dict[str, set[str]]:
    """Names that statements store, each with how: `plain`, `add`, `item`, `append`, or `part` of an object."""
    found: dict[str, set[str]] = {}

    def note(name: str, how: str) -> None:
        found.setdefault(name, set()).add(how)

    def target(t: ast.expr, how: str = "plain") -> None:
        if isinstance(t, ast.Name):
            note(t.id, how)
        elif isinstance(t, (ast.Tuple, ast.List)):
            for e in t.elts:
                target(e)
        elif isinstance(t, ast.Starred):
            target(t.value)
        elif isinstance(t, ast.Subscript):
            base = t.value
            while isinstance(base, ast.Subscript):
                base = base.value
            if isinstance(base, ast.Name):
                note(base.id, "item")
            else:
                target(base)
        elif isinstance(t, ast.Attribute):
            base = t.value
            while isinstance(base, (ast.Attribute, ast.Subscript)):
                base = base.value
            if isinstance(base, ast.Name):
                note(base.id, "part")

    for node in walk_statements(body):
        if isinstance(node, ast.Assign):
            for t in node.targets:
                target(t, "add" if added_to(node) is not None else "plain")
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            target(node.target)
        elif isinstance(node, ast.AugAssign):
            how = "append" if as_append(node) is not None else "add"
            target(node.target, how if isinstance(node.op, (ast.Add, ast.Sub)) else "plain")
        elif isinstance(node, ast.For):
            target(node.target)
        elif isinstance(node, ast.NamedExpr):
            target(node.target)
        elif (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
        ):
            if node.func.attr == "append":
                note(node.func.value.id, "append")
            elif node.func.attr in ("extend", "insert", "pop", "clear") or node.func.attr.endswith("_"):
                note(node.func.value.id, "plain")
    return found


def as_append(s: ast.AugAssign) -> ast.Expr | None:
    """`items += [x]` as `items.append(x)`."""
    if not (isinstance(s.op, ast.Add) and isinstance(s.target, ast.Name) and isinstance(s.value, ast.List)):
        return None
    if len(s.value.elts) != 1 or isinstance(s.value.elts[0], ast.Starred):
        return None
    items = ast.copy_location(ast.Name(s.target.id, ast.Load()), s)
    call = ast.Call(ast.copy_location(ast.Attribute(items, "append", ast.Load()), s), list(s.value.elts), [])
    return ast.copy_location(ast.Expr(ast.copy_location(call, s)), s)


def walk_statements(body: Iterable[ast.stmt]) -> Iterator[ast.AST]:
    """All nodes, those of nested function bodies left out."""
    todo: list[ast.AST] = list(body)
    while todo:
        node = todo.pop()
        yield node
        if not isinstance(node, (ast.FunctionDef, ast.Lambda, ast.ClassDef)):
            todo.extend(ast.iter_child_nodes(node))


def added_to(node: ast.Assign) -> ast.expr | None:
    """The addend of `s = s + addend` or `s = addend + s`."""
    if len(node.targets) != 1 or not isinstance(node.targets[0], ast.Name) or not isinstance(node.value, ast.BinOp):
        return None
    name, value = node.targets[0].id, node.value
    if isinstance(value.op, ast.Add):
        for mine, other in ((value.left, value.right), (value.right, value.left)):
            if isinstance(mine, ast.Name) and mine.id == name:
                return other
    return None


# --- writes ---------------------------------------------------------------------------------------------------------


def writes(
    scope: Scope, a: Array, items: Value, value: Array, path: Condition, additive: bool, known: Sequence[Loop]
) -> tuple[list[Written], list[Loop]]:
    """The writes of `a[items] = value`, and a variable for each slice, mask or index array in it."""
    place = _Place(scope, a)
    for x in spelled_out(a, items):
        place.add(x)
    value = scope.without_minima(value)
    if any(i.free & scope.minima.keys() for i in (*place.shape, *place.pattern)):
        raise NotLifted("a write into a part whose length depends on the round")
    target = scope.broadcast([tuple(place.shape), value.shape], "a write")
    if len(target) != len(place.shape):
        raise NotLifted("a write of an array with more axes than the place has", code="shape-conflict")
    if any(new is not scope.sizes.resolve(old) for new, old in zip(target, place.shape, strict=True)):
        raise NotLifted("a write of an array with longer axes than the place has", code="shape-conflict")
    entry = real(scope.spread(value, [s.index for s in place.axes]))
    if place.chosen and (additive or place.tests):
        if known:
            raise NotLifted("a write through a mask of data, or an addition through index arrays, in a loop")
        old = a.real(place.pattern)
        if additive:  # a[i, j] += v counts each place once
            entry, additive = plus(old, entry), False
        holds: Truth = TRUE
        for test in place.tests:
            holds = all_of(holds, test)
        entry = selected(holds, entry, old)
    made = []
    for g in path:
        for when in place.when:
            origin = Origin(tuple(place.pattern), (*g, *when), tuple(known), tuple(place.variables))
            made.append(Written([*place.pattern], [*g, *when], entry, additive, origin=origin))
    return made, place.variables


class _Place:
    """The places that the items of a subscript speak of, axis by axis."""

    def __init__(self, scope: Scope, a: Array) -> None:
        self.scope, self.sizes = scope, scope.shape(a)
        self.pattern: list[Index] = []
        self.when: Condition = TRUE
        self.variables: list[Loop] = []
        self.axes: list[Loop] = []
        """The variables along the axes of what is written."""
        self.shape: list[Index] = []
        self.chosen = False
        """Whether there are masks or index arrays."""
        self.tests: list[Test] = []
        """Masks that numbers of the data decide: the write is a choice between the new number and the old one."""
        self.common: list[Loop] | None = None
        """The variables of the index arrays, which go together."""

    def add(self, x: Value) -> None:
        if x is None:
            raise NotLifted("a write through new axes")
        size = self.sizes[len(self.pattern)]
        if isinstance(x, Slice):
            low, length, step = bounds(self.scope, x, size)
            self.pattern.append(self.axis(length).index * step + low)
        elif is_mask(x):
            self.mask(x)
        elif isinstance(x, list) or (isinstance(x, Array) and x.rank):
            self.positions(integers(self.scope, x) if isinstance(x, list) else x, size)
        else:
            self.pattern.append(wrapped(self.scope, integer(x, "an index"), size))

    def variable(self, size: Index) -> Loop:
        v = self.scope.variable("s")
        self.variables.append(Loop(min(v.free), size))
        return self.variables[-1]

    def axis(self, size: Index) -> Loop:
        """A variable along an axis of what is written."""
        made = self.variable(size)
        self.axes.append(made)
        self.shape.append(size)
        return made

    def mask(self, x: Array) -> None:
        """All places where a mask holds get the same number."""
        own = []
        for s in x.shape:
            size = self.scope.sizes.require(s, self.sizes[len(self.pattern)], "a mask")
            own.append(self.variable(size).index)
            self.pattern.append(own[-1])
        holds = x.at(own)
        if isinstance(holds, Test):
            self.tests.append(holds)
        else:
            self.when = both(self.when, index_truth(holds))
        self.chosen = True
        self.shape.append(Index.of(1))
        self.axes.append(Loop("", Index.of(1)))

    def positions(self, x: Array, size: Index) -> None:
        """Index arrays: their entries at one position belong together."""
        if x.kind != "int":
            raise NotLifted("indices that are data")
        if self.common is None:
            self.common = [self.axis(s) for s in self.scope.shape(x)]
        elif self.axes[-len(self.common) :] != self.common:
            raise NotLifted("index arrays with other subscripts between them")
        shape = tuple(c.size for c in self.common)
        if self.scope.broadcast([shape, x.shape], "index arrays") != shape:
            raise NotLifted("index arrays of which the later ones have more axes")
        ranges = guard(*(c for v in self.common for c in v.range))
        i = self.scope.spread(x, [c.index for c in self.common])
        assert_index(i)
        self.pattern.append(wrapped(self.scope, i, size, ranges))  # type: ignore[arg-type]
        self.chosen = True


def assert_index(i: Entry) -> None:
    if not isinstance(i, Index):
        raise NotLifted("indices that are data")


def solve(w: Written, loops: Sequence[Loop], around: Sequence[Loop] = ()) -> None:
    """Express loop variables by the places they write to; sums over those that additions do not depend on.

    `around` are loops that go on: a head and its channel are solved together.
    """
    left = {x.variable: x for x in loops if x.variable not in w.solved}
    for k, p in enumerate(w.pattern):
        for outer in around:
            for inner in list(left.values()):
                pair = None if p is None else _flattened(p, inner, outer)
                if p is not None and pair is not None:
                    _solve_pair(w, k, p, *pair)
                    w.solved |= {inner.variable, outer.variable}
                    left.pop(inner.variable)
                    p = None
    progress = True
    while left and progress:
        progress = False
        for k, p in enumerate(w.pattern):
            if p is None:
                continue
            own = [v for v in left if v in p.free]
            if len(own) == 1 and p.linear_in(own[0]):
                _solve_one(w, k, p, left.pop(own[0]))
                progress = True
                break
            if len(own) == 2:
                pair = _flattened(p, left[own[0]], left[own[1]])
                if pair is not None:
                    _solve_pair(w, k, p, *pair)
                    left.pop(own[0]), left.pop(own[1])
                    progress = True
                    break
            if len(own) == 1:
                width = _product_width(p, own[0])
                if width is not None:
                    _solve_product(w, k, p, left.pop(own[0]), width)
                    progress = True
                    break
    for loop in left.values():
        if w.additive:
            w.value = summed(w, loop)
        else:
            last_stays(w, loop)


def last_stays(w: Written, loop: Loop) -> None:
    """Every round writes to the same places: what the last one writes stays."""
    if any(loop.variable in p.free for p in w.pattern if p is not None):
        raise carried_write(loop)
    if any(loop.variable in c.free for c in w.when):
        raise carried_write(loop)
    w.put({loop.variable: loop.size - 1})
    w.when.append(at_least(loop.size, 1))


def carried_write(loop: Loop) -> NotLifted:
    return NotLifted("every round of the loop writes to the same entries: only the last one stays", code="loop-carried")


def summed(w: Written, loop: Loop) -> Term:
    """The sum of an addition over a variable that its place does not depend on."""
    mine = [c for c in w.when if loop.variable in c.free]
    for k, p in enumerate(w.pattern):
        if p is not None and loop.variable in p.free:
            mine.append(equal(Index.var(place_name(k)), p))
            w.pattern[k] = None
    w.when = [c for c in w.when if loop.variable not in c.free]
    return Sum(loop.variable, guard(*loop.range, *mine), w.value)


def _solve_one(w: Written, k: int, p: Index, loop: Loop) -> None:
    x = Index.var(place_name(k))
    c = p.coefficient(loop.variable)
    rest = p - c * loop.index
    if c in (1, -1):
        value = (x - rest) * c
        parity: list[Constraint] = []
    elif c > 1:
        value = quotient(x - rest, c)
        parity = [equal(remainder(x - rest, c), 0)]
    else:
        raise NotLifted("a write with a negative step")
    w.pattern[k] = None
    w.put({loop.variable: value})
    w.when += [*parity, at_least(value, 0), less(value, loop.size)]


def _product_width(p: Index, v: str) -> Index | None:
    """w of the pattern `v*w + rest`."""
    for a, c in p.terms:
        if a.kind == "product" and c == 1 and v in a.free:
            width = Index.of(1)
            for f in a.args:
                if f is not Index.var(v):
                    width = width * f
            if not width.free:
                return width
    return None


def _solve_product(w: Written, k: int, p: Index, loop: Loop, width: Index) -> None:
    x = Index.var(place_name(k))
    rest = p - loop.index * width
    value = quotient(x - rest, width)
    w.pattern[k] = None
    w.put({loop.variable: value})
    w.when += [equal(remainder(x - rest, width), 0), at_least(value, 0), less(value, loop.size)]


def _flattened(p: Index, a: Loop, b: Loop) -> tuple[Loop, Loop, Index] | None:
    """(head, channel, width) of the pattern head*width + channel, the channel in [0, width)."""
    for head, channel in ((a, b), (b, a)):
        width = _product_width(p, head.variable)
        if width is None and p.linear_in(head.variable) and p.coefficient(head.variable) > 1:
            width = Index.of(p.coefficient(head.variable))
        if width is not None and p - head.index * width is channel.index and channel.size is width:
            return head, channel, width
    return None


def _solve_pair(w: Written, k: int, p: Index, head: Loop, channel: Loop, width: Index) -> None:
    x = Index.var(place_name(k))
    high = quotient(x, width)
    w.pattern[k] = None
    w.put({head.variable: high, channel.variable: x - high * width})
    w.when += [less(high, head.size)]


def finished(scope: Scope, before: Array, done: Sequence[Written]) -> Array:
    """The array after all writes; later writes win, additions add."""
    shape = scope.shape(before)
    at = places(len(shape))
    inside = guard(*(c for i, s in zip(at, shape, strict=True) for c in (at_least(i, 0), less(i, s))))
    entry: Term = before.real(at)
    for w in done:
        when = list(w.when)
        for k, p in enumerate(w.pattern):
            if p is not None:
                when.append(equal(Index.var(place_name(k)), p))
        same = guard(*inside, *(c for c in when if c.relation == "=="))
        needed = [c for c in when if not entails_all(inside if c.relation == "==" else same, (c,))]
        value = w.value
        if w.additive:
            added = value if not needed else chosen(condition(needed), value, ZERO)
            entry = plus(entry, added)
        else:
            entry = value if not needed else Case([(guard(*needed), value)], entry)
    written: Entry = truth(entry) if before.kind == "bool" else entry
    return replace(before, entry=written, view=False, numbers="whole" if before.whole else before.numbers)


# --- generic rounds -------------------------------------------------------------------------------------------------


def abstracted(scope: Scope, a: Array, loop: Loop) -> Array:
    """The array of all rounds along a new first axis."""
    a, shape = scope.without_minima(a), scope.shape(a)
    if any(s.free & {loop.variable, *scope.minima} for s in shape):
        raise NotLifted("rounds of a loop whose arrays have different sizes")
    mapping = {place_name(k): Index.var(place_name(k + 1)) for k in range(a.rank)}
    mapping[loop.variable] = Index.var(place_name(0))
    return replace(
        a, shape=(scope.sizes.resolve(loop.size), *shape), entry=put(a.entry, mapping), token=object(), view=False
    )


def total(scope: Scope, a: Array, loop: Loop) -> Array:
    """The sum over all rounds."""
    a = scope.without_minima(a)
    if any(s.free & {loop.variable, *scope.minima} for s in scope.shape(a)):
        raise NotLifted("rounds of a loop whose arrays have different sizes")
    ranges = within(loop.variable, 0, scope.sizes.resolve(loop.size))
    if scope.minima:
        ranges = guard(*(x for c in ranges for x in both_bounds(c, scope.minima)))
    entry: Any = Sum(loop.variable, ranges, a.real(places(a.rank)))
    return replace(a, entry=entry, token=object(), view=False)


def under(scope: Scope, a: Array, path: Condition) -> Array:
    """The array where the path holds, zero elsewhere."""
    if path == TRUE:
        return a
    return scope.make(a.shape, lambda at: chosen(path, a.real(at), ZERO), a)


def conjunction(conditions: Sequence[Condition]) -> Condition:
    result = TRUE
    for c in conditions:
        result = both(result, c)
    return result
