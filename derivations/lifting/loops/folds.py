"""Folds: what one round of a loop hands to the next, as a family over the number of rounds that are done.

`m = max(m, x[i])` becomes `m[0] := start` and `m[t] := max(m[t - 1], x[t - 1])` for t >= 1, so that the provers can close
it by induction.  Which names are handed on shows when a round reads them: the round is run again with their families,
until its values no longer change.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from derivations.kernel.definition import check
from derivations.kernel.errors import NotConservative
from derivations.kernel.linear import entails
from derivations.language.statement import Definition, Theory
from derivations.language.substitution import Capture, alpha_equal, fresh, rename_apart, substitute
from derivations.language.term import Case, Entry, Index, Lambda, NegInfinity, Term, at_least, guard, guard_substitute
from derivations.lifting.loops.containers import filled, flat, parts, reached_otherwise
from derivations.lifting.loops.generic_round import Loop, walk_statements
from derivations.lifting.loops.sequences import Rows, first_axis, flipped, start
from derivations.lifting.operations.all_operations import call as call_operation
from derivations.lifting.operations.indexing import known_at_least
from derivations.lifting.operations.table import Infinity, Value, array, integer
from derivations.lifting.symbolic.arrays import Array, place_name, places, real, scalar
from derivations.lifting.symbolic.not_lifted import NotLifted
from derivations.lifting.symbolic.scope import Scope
from derivations.lifting.symbolic.term_arithmetic import minus
from derivations.lifting.values.python_values import Accumulator, Carried, Changed, Env, Growing, Pending

if TYPE_CHECKING:
    from derivations.lifting.interpreter.interpret import Interpreter

MAX_ROUNDS = 24
"""How often one generic round is run until its values no longer change."""


@dataclass
class Family:
    """The value of a name after any number of rounds."""

    name: str
    head: str
    start: Array
    shape: tuple[Index, ...]
    negative: bool = False
    """Whether the family is minus the value: a running minimum starts from plus infinity."""
    extra: tuple[str, ...] = ()
    """Variables of loops around, on which the value depends too."""
    rows: Rows | None = None
    """Set when the family are the rows of an array or a list, one for each round."""
    body: Term | None = None
    """The entry after the round that the loop's variable counts."""
    view: bool = False
    part: tuple[str, ...] | None = None
    """Which part of the value that has the name, where that is made of several."""

    @property
    def at(self) -> tuple[Index, ...]:
        """The place of an entry: 0 along axes of length 1."""
        one = Index.of(1)
        return tuple(Index.of(0) if s is one else x for s, x in zip(self.shape, places(len(self.shape)), strict=True))

    @property
    def own(self) -> tuple[Index, ...]:
        """The indices of the family beside the number of rounds."""
        return (*(x for x in self.at if x.free), *map(Index.var, self.extra))

    def entry(self, scope: Scope, value: Array) -> Term:
        """The entry of a value of the name at such a place."""
        return real(scope.spread(value, self.at))

    def after(self, rounds: Index) -> Array:
        """The value after a number of rounds."""
        entry: Term = Entry(self.head, (rounds, *self.own))
        return Array(self.shape, minus(entry) if self.negative else entry, library=self.start.library)

    def later(self, scope: Scope, rounds: Index, loop: Loop) -> Array:
        """The value after a number of rounds, where no round looks at what the one before left in this name."""
        first, last = self.entry(scope, self.start), moved_to(self.one_more, loop, rounds - 1)
        return Array(self.shape, Case([(guard(at_least(0, rounds)), first)], last), library=self.start.library)

    @property
    def one_more(self) -> Term:
        if self.body is None:
            raise NotLifted(f"what the loop does to {self.name} is not known", code="loop-carried")
        return self.body

    cyclic: bool = False
    """Whether it is built from itself only through others that are not built from themselves: `a, b = b, a`."""

    @property
    def recursive(self) -> bool:
        return self.body is None or self.cyclic or self.head in self.body.heads


@dataclass(eq=False)
class Folds:
    """The names that one loop hands from round to round, and how its value before and after is kept."""

    interpreter: Interpreter
    statement: ast.For
    env: Env
    loop: Loop
    element: Callable[[Index], Value]
    """What the loop's variables are in a round."""
    families: dict[str, Family] = field(default_factory=dict)
    counters: dict[str, tuple[Index, int]] = field(default_factory=dict)
    """Whole numbers that each round makes larger by the same amount."""
    whole: dict[str, Value] = field(default_factory=dict)
    """Names that hold values of several parts, and those before the loop: each part is a family."""
    rounds: int = 0
    seen: dict[str, list[Value]] = field(default_factory=dict)
    """Rows that were appended to lists that are empty before the loop."""

    # --- names ------------------------------------------------------------------------------------------------------

    def add(self, problem: Carried, stored: Mapping[str, set[str]]) -> None:
        """Take a name as handed on; raises the problem again when its value is not a number or an array."""
        if isinstance(problem, Changed):
            problem.name = self.holder(problem)
        name = problem.name
        where = self.env.find(name)
        changed = isinstance(problem, Changed)
        if where is None or (name not in stored and not changed) or self.has(name):
            raise problem
        old = where.names[name]
        if parts(old) and (changed or stored[name] == {"plain"}):
            self.whole[name] = old
            for path, v in flat(old).items():
                if isinstance(v, (Array, Infinity)):
                    self.add_family(problem, v, name + ("" if isinstance(old, tuple) else "_") + "_".join(path), path)
            return
        step = self.count(name)
        if isinstance(old, Array) and not old.rank and isinstance(old.entry, Index) and step is not None:
            self.counters[name] = old.entry, step
            return
        if self.add_rows(name, old, stored[name]):
            return
        self.add_family(problem, old, name)

    def holder(self, problem: Changed) -> str:
        """The only name by which a loop reaches an object that it changes; raises the problem again without one."""
        i, owner = self.interpreter, problem.owner
        names = [n for e in scopes(self.env) for n, v in e.names.items() if v is owner]
        if owner.born != i.now or len(names) != 1 or reached_otherwise(self.statement, owner, names[0], self.env):
            raise problem
        return names[0]

    def has(self, name: str) -> bool:
        """Whether a name is known to be handed on."""
        return name in self.families or name in self.counters or name in self.whole

    def add_family(self, problem: Carried, old: Value, key: str, part: tuple[str, ...] | None = None) -> None:
        i, name, negative = self.interpreter, problem.name, isinstance(old, Infinity)
        start = scalar(NegInfinity()) if negative else old
        if not isinstance(start, Array) or start.kind == "bool":
            raise problem
        lent = any(id(start.token) in e.borrowed for e in scopes(self.env))
        if start.rank and self.in_place(name) and (start.view or lent or i.shared(start, name, self.env)):
            raise NotLifted(f"{name} is changed in place, and another name shares its memory")
        shape = i.scope.shape(start)
        self.families[key] = Family(name, f"{key}~{self.loop.variable}", start, shape, negative, part=part)

    def add_rows(self, name: str, old: Value, how: set[str]) -> bool:
        """Take an array or a list as one that gets a row in each round, where that is what the loop does to it."""
        i = self.interpreter
        axis: int | None = None
        if how == {"append"} and isinstance(old, list) and all(isinstance(v, Array) for v in old):
            rows = list(old) or self.seen.get(name, [])
            if not rows:
                return False
            before, first, back = array(call_operation(i.scope, "torch.stack", [rows], {})), Index.of(len(old)), False
        elif how == {"plain"} and isinstance(old, Array) and (axis := self.joined(name, old)) is not None:
            before, back = first_axis(i.scope, old, axis), False
            first = i.scope.sizes.resolve(before.shape[0])
        elif how == {"item"} and isinstance(old, Array) and old.rank and not old.view:
            size = i.scope.sizes.resolve(old.shape[0])
            place, back = self.written_at(name, Index()), False
            if place is None:
                place, back = self.written_at(name, size - 1), True
            if place is None or i.shared(old, name, self.env):
                return False
            before, first = flipped(i.scope, old) if back else old, place
        else:
            return False
        family = Family(name, f"{name}~{self.loop.variable}", start(before, first), before.shape[1:])

        family.rows = Rows(
            *(name, i.scope, before, first, self.loop.index, partial(self.value_at, family)),
            listed=how != {"item"},
            back=back,
            axis=axis,
        )
        self.families[name] = family
        return True

    def see(self, name: str) -> None:
        """Keep the row that a round appended to an empty list before the list was read."""
        where = self.env.find(name)
        state = where.names[name] if where is not None else None
        last = state.items[-1] if isinstance(state, Growing) and len(state.items) == 1 else None
        if isinstance(last, Array) and not any(
            self.loop.variable in s.free for s in self.interpreter.scope.shape(last)
        ):
            self.seen[name] = [last]

    def joined(self, name: str, old: Array) -> int | None:
        """The axis of the one statement `name = cat([name, row], axis)` that stores a name."""
        stores = [
            s
            for s in walk_statements(self.statement.body)
            if isinstance(s, ast.stmt) and any(_is_store(n, name) for n in ast.walk(s)) and not hasattr(s, "body")
        ]
        found = joining(stores[0], name) if len(stores) == 1 else None
        if found is None:
            return None
        try:
            k = found.axis if found.axis is None else self.interpreter.value(found.axis, self.env)
            return self.interpreter.scope.axis(old, scalar(0) if k is None else k)
        except NotLifted:
            return None

    def written_at(self, name: str, end: Index) -> Index | None:
        """c of the only place `name[i + c]` that round i writes to; with an `end`, of `name[end - i - c]`."""
        i, found = self.interpreter, set[Index]()
        inner = Env(parent=self.env)
        known = len(i.scope.facts)
        i.scope.facts += self.loop.range
        i.loops.append(self.loop)
        try:
            i.assign(self.statement.target, self.element(self.loop.index), inner, self.statement)
            for node in walk_statements(self.statement.body):
                if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
                    if isinstance(node.value, ast.Name) and node.value.id == name:
                        first = node.slice.elts[0] if isinstance(node.slice, ast.Tuple) else node.slice
                        p = i.scope.sizes.resolve(integer(i.value(first, inner)))
                        found.add((p if end is Index() else end - p) - self.loop.index)
        except NotLifted:
            return None
        finally:
            del i.scope.facts[known:]
            i.loops.pop()
        place = found.pop() if len(found) == 1 else None
        return place if place is not None and not place.free and (place.const >= 0) else None

    def count(self, name: str) -> int | None:
        """c of the one statement `name += c` that stores a name in each round."""
        found: int | None = None
        for node in walk_statements(self.statement.body):
            if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store):
                own = next((s for s in self.statement.body if isinstance(s, ast.AugAssign) and s.target is node), None)
                if found is not None or own is None or not isinstance(own.op, ast.Add):
                    return None
                if not isinstance(own.value, ast.Constant) or type(own.value.value) is not int:
                    return None
                found = own.value.value
        return found

    def in_place(self, name: str) -> bool:
        """Whether the loop may write into the memory of an array."""
        for node in walk_statements(self.statement.body):
            target = node.target if isinstance(node, ast.AugAssign) else node
            while isinstance(target, ast.Subscript) and isinstance(target.ctx, ast.Store):
                target = target.value
                if isinstance(target, ast.Name) and target.id == name:
                    return True
            if isinstance(node, ast.AugAssign) and isinstance(target, ast.Name) and target.id == name:
                return True
        return False

    # --- rounds -----------------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Give the names their values at the beginning of the generic round."""
        self.rounds += 1
        if self.rounds > MAX_ROUNDS:
            raise NotLifted("the values that the loop hands on do not settle", code="loop-carried")
        here = self.loop.index
        for name, (first, step) in self.counters.items():
            self.bind(name, scalar(first + here * step))
        for f in self.families.values():
            if f.rows is not None:
                self.bind(f.name, replace(f.rows, written=None))
            elif f.part is None:
                self.bind(f.name, self.value_at(f, here))
        for name in self.whole:
            values = {f.part: self.value_at(f, here) for f in self.families.values() if f.name == name}
            loops, branches = self.interpreter.now
            self.bind(name, self.put_together(name, values, (loops + 1, branches)))

    def put_together(self, name: str, found: Mapping[tuple[str, ...] | None, Value], born: tuple[int, int]) -> Value:
        """A value of several parts; those that are no numbers are what they were before the loop."""
        return filled(self.whole[name], lambda path, v: found.get(path, v), born)

    def value_at(self, f: Family, rounds: Index) -> Array:
        return f.after(rounds) if f.recursive else f.later(self.interpreter.scope, rounds, self.loop)

    def left(self, f: Family) -> Array:
        """What a round has left in the name of a family."""
        where = self.env.find(f.name)
        value = where.names[f.name] if where is not None else None
        if f.part is not None:
            before, after = flat(self.whole[f.name]), flat(value)
            fixed = {k: v for k, v in before.items() if not isinstance(v, (Array, Infinity))}
            if before.keys() != after.keys() or any(after[k] is not v for k, v in fixed.items()):
                raise NotLifted(f"{f.name} holds something else after a round", code="loop-carried")
            value = after[f.part]
        return array(value.written if isinstance(value, Rows) else value)

    def bind(self, name: str, value: Value) -> None:
        where = self.env.find(name)
        if where is not None:
            where.names[name] = value

    def known(self, value: Array) -> Array:
        """A value that is bound in the round, by its name in the families: what the round leaves in one of them."""
        i = self.interpreter
        for f in self.families.values():
            if f.body is None or not f.recursive or f.negative or value.kind != "real":
                continue
            if i.scope.shape(value) == f.shape and alpha_equal(f.entry(i.scope, value), f.body):
                return replace(value, entry=f.after(self.loop.index + 1).entry)
        return value

    def settled(self) -> bool:
        """Whether the values that the round left are those of the last time; takes them over when they are not."""
        i = self.interpreter
        done = True
        for f in self.families.values():
            value = self.left(f)
            if value.kind == "bool":
                raise NotLifted(f"the loop hands on the truth value {f.name}", code="loop-carried")
            if self.in_place(f.name) and f.rows is None and value.rank and i.shared(value, f.name, self.env):
                raise NotLifted(f"{f.name} is changed in place, and another name shares its memory")
            shape = i.scope.broadcast([f.shape, i.scope.shape(value)], f"{f.name} after a round")
            if any(s.free & {self.loop.variable, *i.scope.minima} for s in shape):
                raise NotLifted(f"{f.name} has another size in each round", code="loop-carried")
            if shape != f.shape:  # 0 at first, then a row
                if not entails(i.scope.known, at_least(self.loop.size, 1)):
                    raise NotLifted(f"{f.name} has another shape when there is no round", code="loop-carried")
                f.shape, f.body, done = shape, None, False
                continue
            f.view = value.view or i.shared(value, f.name, self.env)
            final = f.entry(i.scope, i.scope.without_minima(value))
            final = minus(final) if f.negative else final
            if final is f.after(self.loop.index + 1).entry:
                continue
            if f.body is None or not alpha_equal(final, f.body):
                f.body, done = final, False
        self.mark_cycles()
        return self.widened() and done

    def mark_cycles(self) -> None:
        """Find families that go round among themselves: putting one into the other would not end."""
        plain = {f.head: f.body.heads for f in self.families.values() if f.body is not None and not f.recursive}
        cycles = {h for h in plain if h in _closure(h, plain)}
        for f in self.families.values():
            f.cyclic = f.cyclic or f.head in cycles

    def widened(self) -> bool:
        """Whether no family depends on more variables of loops around than was known."""
        done = True
        for f in self.families.values():
            first = f.entry(self.interpreter.scope, f.start)
            free = first.free | (f.body.free if f.body is not None else frozenset())
            free -= {self.loop.variable, *(place_name(k) for k in range(len(f.shape)))}
            if not free <= set(f.extra):
                f.extra, f.body, done = (*f.extra, *sorted(free - set(f.extra))), None, False
        if not done:  # the bodies speak of families with fewer indices
            for f in self.families.values():
                f.body = None
        return done

    # --- the end ----------------------------------------------------------------------------------------------------

    def finish(self) -> dict[str, Value]:
        """The values after the last round; the families become definitions of the scope."""
        scope, size = self.interpreter.scope, self.loop.size
        for group in self.ordered([f for f in self.families.values() if f.recursive]):
            made = self.defined(group)
            scope.folds.update(made)
            try:
                check(Theory({}, needed(scope.folds, made)))
            except NotConservative as problem:  # loops within one another that hand on one state
                reason = f"{group[0].name} is handed on in a way that is no recursion on the rounds of this loop"
                raise NotLifted(f"{reason}: {problem.reason}", code="loop-carried") from None
        if self.counters and not known_at_least(scope, size, 0):
            raise NotLifted("a number that is counted up in a loop that may have no round", code="loop-carried")
        found: dict[str, Value] = {n: scalar(first + size * step) for n, (first, step) in self.counters.items()}
        ends: dict[str, dict[tuple[str, ...] | None, Value]] = {}
        for f in self.families.values():
            if f.rows is not None:
                found[f.name] = f.rows.finished(size)
                continue
            value = self.value_at(f, size)
            if not f.recursive and entails(scope.known, at_least(size, 1)):
                value = replace(value, entry=moved_to(f.one_more, self.loop, size - 1))
            value = replace(value, view=f.view)
            if f.part is None:
                found[f.name] = value
            else:
                ends.setdefault(f.name, {})[f.part] = value
        found |= {name: self.put_together(name, values, self.interpreter.now) for name, values in ends.items()}
        return found

    def ordered(self, families: Sequence[Family]) -> list[list[Family]]:
        """Families after those that they are built from; those that are built from one another go together."""
        left, done = list(families), list[list[Family]]()
        direct = {f.head: f.one_more.heads for f in families}
        uses = {h: _closure(h, direct) for h in direct}
        while left:
            heads = {f.head for f in left}
            first = next(f for f in left if all(f.head in uses[h] for h in uses[f.head] & heads))
            group = [f for f in left if f is first or (f.head in uses[first.head] and first.head in uses[f.head])]
            left = [f for f in left if f not in group]
            done.append(group)
        return done

    def defined(self, group: Sequence[Family]) -> dict[str, tuple[Definition, ...]]:
        """The definitions of families that are built from one another: members of one family, by their number."""
        if len(group) == 1:
            return {group[0].head: self.definitions(group[0])}
        for f in group:
            f.body = self.of_rounds_before(f.one_more, {g.head: g for g in group})
        joint = "_".join(f.name for f in group) + f"~{self.loop.variable}~"
        width = max(len(f.own) for f in group)
        members: dict[str, Lambda] = {}
        for k, f in enumerate(group):
            params = tuple(f"p{j}" for j in range(len(f.own) + 1))
            rest = [Index.of(0)] * (width - len(f.own))
            place = [Index.var(params[0]), Index.of(k), *map(Index.var, params[1:]), *rest]
            members[f.head] = Lambda(params, Entry(joint, place))
        rows: list[Definition] = []
        names: dict[str, tuple[Definition, ...]] = {}
        for k, f in enumerate(group):
            rest = [Index.of(0)] * (width - len(f.own))
            for d in self.definitions(f):
                own = (d.indices[0], Index.of(k), *d.indices[1:], *rest)
                rows.append(replace(d, name=joint, indices=own, body=substitute(d.body, tensors=members), shape=None))
            t = self.interpreter.scope.variable("t")
            body = Entry(joint, (t, Index.of(k), *f.own, *rest))
            names[f.head] = (Definition(f.head, (t, *f.own), body, shape=self.extents(f)),)
        return {joint: tuple(rows), **names}

    def of_rounds_before(self, t: Term, group: Mapping[str, Family]) -> Term:
        """The term with what the same round left in other families of a group put in."""
        if t.heads.isdisjoint(group):
            return t
        if isinstance(t, Entry) and t.name in group and t.indices[0] is self.loop.index + 1:
            f = group[t.name]
            own = {min(x.free): i for x, i in zip(f.own, t.indices[1:], strict=True)}
            body = self.of_rounds_before(f.one_more, group)
            away = frozenset().union(*(i.free for i in own.values()))
            return substitute(rename_apart(body, away), own)
        return t.with_children([self.of_rounds_before(c, group) for c in t.children]) if t.children else t

    def definitions(self, f: Family) -> tuple[Definition, ...]:
        """`f[0] := start` and `f[t] := one more round after f[t - 1]`."""
        scope = self.interpreter.scope
        t, shape = scope.variable("t"), self.extents(f)
        step = moved_to(f.one_more, self.loop, t - 1)
        return (
            Definition(f.head, (Index.of(0), *f.own), f.entry(scope, f.start), shape=shape),
            Definition(f.head, (t, *f.own), step, guard(at_least(t, 1)), shape=shape),
        )

    def extents(self, f: Family) -> tuple[Index, ...] | None:
        """The shape of a family; None where it is not seen."""
        around = {x.variable: x.size for x in self.interpreter.loops}
        found: list[Index] = [self.loop.size + 1, *(s for s, x in zip(f.shape, f.at, strict=True) if x.free)]
        for v in f.extra:
            if v not in around:
                return None
            found.append(around[v])
        wide = [_widest(s, around) for s in found]
        return None if any(s is None for s in wide) else tuple(s for s in wide if s is not None)


@dataclass(frozen=True)
class Joining:
    """`name = cat([name, row], axis)`."""

    row: ast.expr
    axis: ast.expr | None


def joining(s: ast.AST, name: str) -> Joining | None:
    """A statement that joins one more row to an array of this name; None for any other one."""
    if not isinstance(s, ast.Assign) or len(s.targets) != 1 or not _is_store(s.targets[0], name):
        return None
    call = s.value
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or not call.args:
        return None
    if call.func.attr not in ("cat", "concat", "concatenate", "vstack") or not isinstance(
        call.args[0], (ast.Tuple, ast.List)
    ):
        return None
    parts = call.args[0].elts
    if len(parts) != 2 or not isinstance(parts[0], ast.Name) or parts[0].id != name:
        return None
    if any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(parts[1])):
        return None
    axes = [*call.args[1:], *(k.value for k in call.keywords if k.arg in ("dim", "axis"))]
    if len(axes) > 1 or len(call.keywords) + len(call.args) > 2 or (call.func.attr == "vstack" and axes):
        return None
    return Joining(parts[1], axes[0] if axes else None)


def _is_store(n: ast.AST, name: str) -> bool:
    return isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Store)


def _closure(head: str, uses: Mapping[str, Iterable[str]]) -> set[str]:
    """All heads that one rests on, itself only when it does."""
    found: set[str] = set()
    todo = [head]
    while todo:
        more = {h for h in uses[todo.pop()] if h in uses} - found
        found |= more
        todo += more
    return found


def moved_to(t: Term, loop: Loop, round_: Index) -> Term:
    """The term at another round of a loop."""
    try:
        return substitute(t, {loop.variable: round_})
    except Capture:
        return substitute(rename_apart(t, round_.free), {loop.variable: round_})


def _widest(size: Index, around: Mapping[str, Index]) -> Index | None:
    """The largest value of a size that depends on loops around."""
    for v in reversed(list(around)):
        k = size.coefficient(v)
        if v in size.free and not size.linear_in(v):
            return None
        if v in size.free:
            size = size.substitute({v: around[v] - 1 if k > 0 else Index()})
    return None if size.free else size


def scopes(env: Env) -> Iterable[Env]:
    here: Env | None = env
    while here is not None:
        yield here
        here = here.parent


@dataclass
class Snapshot:
    """What a round changes, to be put back before it is run again."""

    interpreter: Interpreter
    names: list[tuple[Env, dict[str, Value]]]
    marks: list[tuple[list[object], int]]
    asserted: int
    versions: dict[str, int]
    inputs: dict[str, object]
    variables: int

    @classmethod
    def of(cls, i: Interpreter, env: Env) -> Snapshot:
        names = [(e, dict(e.names)) for e in scopes(env)]
        marks: list[tuple[list[object], int]] = []
        for _, held in names:
            for v in held.values():
                found = _grown(v)
                if found is not None:
                    marks.append((found, len(found)))
        return cls(i, names, marks, len(i.asserted), dict(i.versions), dict(i.scope.inputs), i.scope.names)

    def restore(self) -> None:
        for env, names in self.names:
            env.names.clear()
            env.names.update(names)
        for found, length in self.marks:
            del found[length:]
        del self.interpreter.asserted[self.asserted :]
        self.interpreter.versions = dict(self.versions)
        self.interpreter.scope.inputs = dict(self.inputs)  # type: ignore[arg-type]
        self.interpreter.scope.names = self.variables  # so that a round that does the same has the same names


def _grown(v: Value) -> list[object] | None:
    """The list that a loop adds to."""
    if isinstance(v, Pending):
        return v.writes  # type: ignore[return-value]
    if isinstance(v, Accumulator):
        return v.terms  # type: ignore[return-value]
    return v.items if isinstance(v, Growing) else None


# --- families in what is lifted -------------------------------------------------------------------------------------


def reached(scope: Scope, heads: Iterable[str]) -> frozenset[str]:
    """All heads that a value with these heads rests on, through families too."""
    seen: set[str] = set()
    todo = list(heads)
    while todo:
        h = todo.pop()
        if h not in seen:
            seen.add(h)
            todo += [x for d in scope.folds.get(h, ()) for x in d.body.heads]
    return frozenset(seen)


def moved(
    entry: Term,
    folds: Mapping[str, Sequence[Definition]],
    sizes: Mapping[str, Index],
    tensors: Mapping[str, Lambda],
    taken: Iterable[str] = (),
) -> tuple[Term, dict[str, tuple[Definition, ...]]]:
    """An entry with its families at other sizes and tensors, under readable names.

    What is put for a tensor may speak of more indices (a place along leading axes): these become indices of the
    families that rest on it.
    """
    known = dict(tensors)
    made: dict[str, tuple[Definition, ...]] = {}
    avoid = {*taken, *(h for x in known.values() for h in x.body.heads)}
    for head, rows in folds.items():
        name = fresh(head.split("~")[0], avoid)
        avoid.add(name)
        used = {h for d in rows for h in d.body.heads} & known.keys()
        extra = tuple(sorted({v for h in used for v in known[h].free}))
        params = tuple(f"p{k}" for k in range(len(rows[0].indices)))
        known[head] = Lambda(params, Entry(name, [*map(Index.var, params), *map(Index.var, extra)]))
        made[name] = tuple(
            replace(
                d,
                name=name,
                indices=(*d.indices, *map(Index.var, extra)),
                body=substitute(d.body, None, dict(sizes), known),
                condition=guard_substitute(d.condition, {}, dict(sizes)),
                shape=None if d.shape is None or extra else tuple(s.substitute({}, dict(sizes)) for s in d.shape),
            )
            for d in rows
        )
    return substitute(entry, None, dict(sizes), known), made


def needed(folds: Mapping[str, tuple[Definition, ...]], heads: Iterable[str]) -> dict[str, tuple[Definition, ...]]:
    """The families that a value with these heads rests on, each after those that it is built from."""
    found: dict[str, tuple[Definition, ...]] = {}
    seen: set[str] = set()

    def visit(head: str) -> None:
        if head not in seen and head in folds:
            seen.add(head)
            for d in folds[head]:
                for h in sorted(d.body.heads):
                    visit(h)
            found[head] = folds[head]

    for h in sorted(heads):
        visit(h)
    return found
