"""How the interpreter runs loops and comprehensions: known lists round by round, symbolic ranges by one generic round."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING

from derivations.language.term import Guard, Index, Term, less, quotient
from derivations.lifting.loops.containers import opened
from derivations.lifting.loops.counting import Counted, counted
from derivations.lifting.loops.folds import Folds, Snapshot, joining
from derivations.lifting.loops.generic_round import (
    MAX_UNROLLED,
    Loop,
    abstracted,
    added_to,
    conjunction,
    finished,
    in_order,
    solve,
    stored_names,
    total,
    under,
    walk_statements,
    writes,
)
from derivations.lifting.loops.sequences import Rows
from derivations.lifting.operations import elementwise
from derivations.lifting.operations.indexing import known_at_least, subscript
from derivations.lifting.operations.number_types import require_fit
from derivations.lifting.operations.table import Stacked, Struct, Unlifted, Value, array, describe, integer
from derivations.lifting.symbolic.arrays import Array, in_memory, scalar
from derivations.lifting.symbolic.not_lifted import NotLifted
from derivations.lifting.symbolic.truth_values import TRUE, Condition, both
from derivations.lifting.values.layers import Layer
from derivations.lifting.values.members import made_of, member
from derivations.lifting.values.python_values import (
    Accumulator,
    Bag,
    Carried,
    Continue,
    Env,
    Growing,
    Instance,
    Members,
    Pairs,
    Pending,
    Range,
    Return,
    carried,
)
from derivations.lifting.values.records import items as packed

if TYPE_CHECKING:
    from derivations.lifting.interpreter.interpret import Interpreter


@dataclass(frozen=True)
class Generic:
    """An iterable of symbolic length."""

    size: Index
    element: Callable[[Index], Value]
    facts: Callable[[Index], Guard] = lambda k: ()
    """What holds in a round besides its number being in range."""


def iterate(i: Interpreter, value: Value) -> list[Value] | Generic:
    """The elements of an iterable: a list, or one for a generic position."""
    sizes = i.scope.sizes
    value = value.items if isinstance(value, Struct) else packed(value) or value
    if isinstance(value, Layer) and value.kind in ("ModuleList", "Sequential"):
        value = value.settings["layers"]
    if isinstance(value, Members):
        many = value
        return Generic(many.loop.size, lambda k: member(many, k))
    if isinstance(value, (tuple, list)):
        return list(value)
    if isinstance(value, (dict, str)):
        return list(value)
    if isinstance(value, Range):
        low, high = sizes.resolve(value.low), sizes.resolve(value.high)
        if value.width is not None:
            width = sizes.resolve(value.width)
            if i.scope.tails and known_at_least(i.scope, high - low, 1):
                return _blocks(i, low, high, width)
            count = sizes.divided(high - low, width, "range")
            width, low = sizes.resolve(width), sizes.resolve(low)
            return Generic(count, lambda k: scalar(k * width + low))
        if low.is_constant and high.is_constant:
            known = range(low.const, high.const, value.step)
            if len(known) > MAX_UNROLLED * 16:
                raise NotLifted(f"a loop of {len(known)} rounds")
            return [scalar(k) for k in known]
        if value.step < 0:
            if value.step != -1:
                raise NotLifted("a range with a step below -1")
            return Generic(low - high, lambda k: scalar(low - k))
        if value.step > 1 and i.scope.tails and known_at_least(i.scope, high - low, 1):
            return _blocks(i, low, high, Index.of(value.step))
        if value.step > 1:
            sizes.divided(high, Index.of(value.step), "range")
            low, high = sizes.resolve(low), sizes.resolve(high)
        length = quotient(high - low + (value.step - 1), value.step) if value.step > 1 else high - low
        return Generic(length, lambda k: scalar(k * value.step + low))
    if isinstance(value, Pairs):
        return _pairs(i, value)
    if isinstance(value, (Array, Stacked)):
        a = array(value)
        if not a.rank:
            raise NotLifted("iteration over a number")
        n = sizes.resolve(a.shape[0])
        if n.is_constant and n.const <= MAX_UNROLLED:
            return [subscript(i.scope, a, scalar(k)) for k in range(n.const)]
        return Generic(n, lambda k: subscript(i.scope, a, scalar(k)))
    raise NotLifted(f"iteration over {describe(value)}")


def _blocks(i: Interpreter, low: Index, high: Index, width: Index) -> Generic:
    """`range(low, high, width)` where the width need not divide the length."""
    count = i.scope.blocks_of(high - low, width)
    return Generic(count, lambda k: scalar(k * width + low), lambda k: (less(k * width + low, high),))


def _pairs(i: Interpreter, value: Pairs) -> list[Value] | Generic:
    parts = [None if p is None else iterate(i, p) for p in value.parts]
    known = [p for p in parts if isinstance(p, list)]
    generic = [p for p in parts if isinstance(p, Generic)]
    if known and generic:
        raise NotLifted("a list of known length and one of symbolic length go together")
    if known:
        length = min(map(len, known))
        return [
            tuple(scalar(k + value.start) if p is None else p[k] for p in parts)  # type: ignore[index]
            for k in range(length)
        ]
    size = generic[0].size
    for g in generic[1:]:
        size = i.scope.sizes.require(size, g.size, "zip")
    return Generic(
        size,
        lambda k: tuple(scalar(k + value.start) if p is None else p.element(k) for p in parts),  # type: ignore[union-attr]
    )


# --- for ------------------------------------------------------------------------------------------------------------


def run_for(i: Interpreter, s: ast.For, env: Env) -> Return | None:
    if s.orelse:
        raise NotLifted("for ... else")
    elements = iterate(i, i.value(s.iter, env))
    if isinstance(elements, list):
        for v in elements:
            i.scope.spend()
            i.assign(s.target, v, env, s)
            outcome = i.block_of(s.body, env)
            if isinstance(outcome, Return):
                return outcome
        return None
    _generic(i, s, env, elements)
    return None


def run_while(i: Interpreter, s: ast.While, env: Env) -> Return | None:
    """A loop with a counter as a `for` loop; any other one round by round, where every decision is known."""
    try:
        found = counted(s)
    except NotLifted as problem:
        return _decided_rounds(i, s, env, problem)
    before = array(i.value(ast.copy_location(ast.Name(found.counter, ast.Load()), s), env))
    elements = iterate(i, i.value(found.loop.iter, env))
    outcome = run_for(i, found.loop, env)
    after: Value = Unlifted(NotLifted(f"{found.counter} after a loop that may have no round", code="loop-carried"))
    if isinstance(elements, list):
        after = before
        if elements:
            after = _next(i, found, array(elements[-1]), env)
    elif known_at_least(i.scope, elements.size, 0):
        last = array(elements.element(elements.size - 1))  # without a round this is the one before the first
        after = _next(i, found, last, env)
    i.bind_name(found.counter, after, env, s)
    return outcome


def _next(i: Interpreter, found: Counted, last: Array, env: Env) -> Value:
    return i.binary("-" if found.down else "+", last, i.value(found.step, env))


def _decided_rounds(i: Interpreter, s: ast.While, env: Env, problem: NotLifted) -> Return | None:
    if s.orelse:
        raise problem
    for _ in range(MAX_UNROLLED):
        try:
            known = i.decided(s.test, env)
        except NotLifted:
            raise problem from None
        if not isinstance(known, bool):
            raise problem
        if not known:
            return None
        outcome = i.block_of(s.body, env)
        if isinstance(outcome, Return):
            return outcome
    raise problem


def _states(env: Env) -> Iterator[Pending | Accumulator | Growing]:
    scope: Env | None = env
    while scope is not None:
        for v in scope.names.values():
            if isinstance(v, (Pending, Accumulator, Growing)):
                yield v
        scope = scope.parent


def _effects(state: Pending | Accumulator | Growing) -> list[Value]:
    if isinstance(state, Pending):
        return state.writes
    return state.terms if isinstance(state, Accumulator) else state.items


def _generic(i: Interpreter, s: ast.For, env: Env, elements: Generic) -> None:
    """One round for a generic position; again, with families for the names that turn out to be handed on."""
    inside = opened(s, env)
    s = inside.statement
    stored = stored_names(s.body)
    variable = i.scope.variable("i")
    loop = Loop(min(variable.free), i.scope.sizes.resolve(elements.size))
    folds = Folds(i, s, env, loop, elements.element)
    states = list(_states(env))
    marks = [len(_effects(state)) for state in states]
    before = Snapshot.of(i, env)
    while True:
        i.scope.spend()
        local, own = _begin(i, env, stored, folds)
        try:
            outcome = _round(i, s, env, elements, folds)
        except Carried as problem:
            folds.see(problem.name)
            before.restore()
            folds.add(problem, stored)
            continue
        if outcome is not None and not isinstance(outcome, Continue):
            raise NotLifted("return inside a loop over a symbolic range")
        done = folds.settled()
        late = _rests_on_state(own, folds) if done else None
        if done and late is None:
            break
        before.restore()
        if late is not None:
            folds.add(carried(late), stored)
    for state, mark in zip(states, marks, strict=True):
        _close(i, state, mark, loop)
    for where, name in own:
        state = where.names[name]
        if isinstance(state, (Pending, Accumulator, Growing)):
            _close(i, state, 0, loop)
            where.names[name] = _result(i, state)
            i.record(name, where.names[name], _last_store(s, name), env)
    for name, value in folds.finish().items():
        folds.bind(name, value)
        i.record(name, value, _last_store(s, name), env)
    for name in [*local, *stored_names([ast.copy_location(ast.For(s.target, s.iter, [], []), s)])]:
        env.names[name] = Unlifted(NotLifted(f"{name} is what the last round of a loop left", code="loop-carried"))
    inside.put_back(env)


def _rests_on_state(own: list[tuple[Env, str]], folds: Folds) -> str | None:
    """A name to which the loop adds what it makes of its state: `m2 += (x - old) * (x - new)`; it is a state as well."""
    heads = {f.head for f in folds.families.values() if f.recursive}
    for where, name in own:
        state = where.names[name]
        if isinstance(state, Accumulator) and state.level == len(folds.interpreter.loops) + 1:
            if any(isinstance(t.entry, Term) and not t.entry.heads.isdisjoint(heads) for t in state.terms):
                return name
    return None


def _begin(
    i: Interpreter, env: Env, stored: Mapping[str, set[str]], folds: Folds
) -> tuple[list[str], list[tuple[Env, str]]]:
    """What the names that a loop stores are in its generic round: those of one round only, and those that gather."""
    level = len(i.loops) + 1
    local: list[str] = []
    own: list[tuple[Env, str]] = []
    for name, how in stored.items():
        where = env.find(name)
        if folds.has(name) or how == {"part"}:  # a part that is set tells itself whose it is
            continue
        if where is None or (where is not env and how <= {"plain", "add"}):
            local.append(name)
            continue
        old = where.names[name]
        if isinstance(old, (Pending, Accumulator, Growing)):
            continue
        state = _state(old, how, level)
        if state is None:
            where.names[name] = Unlifted(carried(name))
            local.append(name)
        else:
            if isinstance(old, Array) and in_memory(old) and i.shared(old, name, env) and folds.in_place(name):
                raise NotLifted(f"{name} is changed in place, and another name shares its memory")
            where.names[name] = state
            own.append((where, name))
    folds.begin()
    return local, own


def _round(i: Interpreter, s: ast.For, env: Env, elements: Generic, folds: Folds) -> Return | Continue | None:
    """The body of a loop, for its variable."""
    i.loops.append(folds.loop)
    i.bodies.append(s.body)
    i.folds.append(folds)
    known, path = len(i.scope.facts), len(i.path)
    i.scope.facts += [*folds.loop.range, *elements.facts(folds.loop.index)]
    try:
        i.assign(s.target, elements.element(folds.loop.index), env, s)
        return i.block_of(s.body, env)
    finally:
        i.loops.pop()
        i.bodies.pop()
        i.folds.pop()
        del i.scope.facts[known:]
        del i.path[path:]


def _last_store(s: ast.For, name: str) -> ast.stmt:
    """The statement of a loop that stores a name."""
    found: ast.stmt = s
    for node in ast.walk(s):
        if isinstance(node, (ast.Assign, ast.AugAssign, ast.Expr)) and name in stored_names([node]):
            if node.lineno >= found.lineno:
                found = node
    return found


def _state(old: Value, how: set[str], level: int) -> Pending | Accumulator | Growing | None:
    if how == {"item"} and isinstance(old, Array) and old.rank:
        if old.view:
            raise NotLifted("a write into a view: another array changes with it")
        return Pending(old, level=level)
    if how == {"add"} and isinstance(old, Array):
        return Accumulator(old, level=level)
    if how == {"append"} and isinstance(old, list):
        return Growing(list(old), level=level)
    return None


def _close(i: Interpreter, state: Pending | Accumulator | Growing, mark: int, loop: Loop) -> None:
    """Take the variable of a finished loop out of what the loop did."""
    if isinstance(state, Pending):
        if not all(in_order(a, b, loop) for a, b in combinations(state.writes[mark:], 2)):
            raise NotLifted("two writes of a loop may meet in one place, in an order that is not followed")
        for w in state.writes[mark:]:
            solve(w, [loop], i.loops)
    elif isinstance(state, Accumulator):
        state.terms[mark:] = [total(i.scope, t, loop) for t in state.terms[mark:]]
    elif len(state.items) > mark:
        if len(state.items) != mark + 1 or mark or state.before or state.level != len(i.loops) + 1:
            raise NotLifted("a list that grows by more than one element in a round")
        state.items[mark:] = [Stacked(abstracted(i.scope, array(state.items[mark]), loop))]


def _result(i: Interpreter, state: Pending | Accumulator | Growing) -> Value:
    if isinstance(state, Pending):
        return finished(i.scope, state.before, state.writes)
    if isinstance(state, Accumulator):
        value = state.before
        for t in state.terms:
            zero = isinstance(value, Array) and _is_zero(value) and value.rank <= t.rank
            if zero and len(i.scope.broadcast([value.shape, t.shape], "+")) == t.rank:
                value = t
            else:
                value = elementwise.binary(i.scope, "+", value, t)
        return value
    return state.items[0] if state.items else state.before


def _is_zero(a: Array) -> bool:
    from derivations.language.term import ZERO

    return a.entry is ZERO or a.entry is Index()


def addition(i: Interpreter, s: ast.Assign, env: Env) -> bool | None:
    """`s = s + e` inside a loop, as an addition; None when the statement is none."""
    addend = added_to(s)
    target = s.targets[0]
    if addend is None or not isinstance(target, ast.Name):
        return None
    where = env.find(target.id)
    state = where.names[target.id] if where is not None else None
    if not isinstance(state, Accumulator):
        return None
    accumulate(i, state, i.value(addend, env))
    return True


def join(i: Interpreter, s: ast.Assign, env: Env) -> bool:
    """`a = cat([a, row])` of an array that gets one more row in each round; False for any other statement."""
    target = s.targets[0]
    where = env.find(target.id) if isinstance(target, ast.Name) else None
    state = where.names[target.id] if where is not None and isinstance(target, ast.Name) else None
    found = joining(s, target.id) if isinstance(target, ast.Name) else None
    if not isinstance(state, Rows) or state.axis is None or found is None:
        return False
    state.join(array(i.value(found.row, env)), i.path)
    return True


def accumulate(i: Interpreter, state: Accumulator, addend: Value, *, negative: bool = False) -> None:
    value = array(elementwise.negative(i.scope, addend) if negative else addend)
    value = scalar_term(i, value)
    state.terms.append(under(i.scope, value, conjunction(i.path)))


def append(i: Interpreter, s: ast.Expr, env: Env) -> bool:
    """`items.append(value)` in the loop that the list was made before; False when the statement is something else."""
    call = s.value
    if not (
        isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr == "append"
        and isinstance(call.func.value, ast.Name)
        and len(call.args) == 1
    ):
        return False
    where = env.find(call.func.value.id)
    state = where.names[call.func.value.id] if where is not None else None
    if isinstance(state, Rows):
        state.append(array(i.value(call.args[0], env)), i.path)
        return True
    if not isinstance(state, Growing):
        return False
    if i.path:
        raise NotLifted("a list that grows in a branch")
    state.items.append(i.value(call.args[0], env))
    return True


def scalar_term(i: Interpreter, value: Array) -> Array:
    """Numbers that are added up are real from here on."""
    return i.scope.make(value.shape, value.real, value)


# --- writes ---------------------------------------------------------------------------------------------------------


def write(
    i: Interpreter, target: ast.Subscript, value: Value, env: Env, *, additive: bool, statement: ast.stmt
) -> None:
    base: ast.expr = target.value
    slices_of = [target.slice]
    while isinstance(base, ast.Subscript):
        slices_of.insert(0, base.slice)
        base = base.value
    parts: list[Value] = []
    for node in slices_of:
        items = i.items(node, env)
        parts += list(items) if isinstance(items, tuple) else [items]
        if len(slices_of) > 1 and not all(isinstance(p, Array) and not p.rank for p in parts):
            raise NotLifted("a write into a part of a part")
    place: Value = tuple(parts) if len(parts) > 1 else parts[0]
    if isinstance(value, Array) and not value.rank:
        value = elementwise.fill_value(i.scope, value)
    names, name = _holder(i, base, env)
    old = names[name]
    if isinstance(old, Unlifted):
        raise old.problem
    if isinstance(old, (Array, Rows, Pending)):
        require_fit(old if isinstance(old, Array) else old.before, value)
    if isinstance(old, Rows):
        old.write(place, array(value), i.path, additive=additive)
        return
    if isinstance(old, (list, dict)):
        _write_item(i, old, place, value, additive)
        return
    if isinstance(old, Pending):
        made, slices = writes(i.scope, old.before, place, array(value), _path(i), additive, i.loops)
        for w in made:
            solve(w, slices, i.loops[old.level - 1 :])  # O[i:i + B]: which block, and where in it
        old.writes += made
        return
    a = array(old)
    if i.loops and isinstance(base, ast.Name) and base.id not in env.names:
        raise NotLifted(f"{name} is changed by a function that a loop calls", code="loop-carried")
    if any(id(a.token) in e.borrowed for e in chain(env)):
        raise NotLifted(f"the function changes its argument {name} in place")
    if a.view or i.shared(a, name, env):
        raise NotLifted(f"{name} is changed in place, and another array shares its memory")
    made, slices = writes(i.scope, a, place, array(value), _path(i), additive, i.loops)
    for w in made:
        solve(w, slices)
    names[name] = finished(i.scope, a, made)
    if isinstance(base, ast.Name):
        names[name] = i.as_given(name, names[name], env)
        i.christen(name, names[name])
        i.record(name, names[name], statement, env)


def _path(i: Interpreter) -> Condition:
    result = TRUE
    for c in i.path:
        result = both(result, c)
    return result


def chain(env: Env) -> Iterator[Env]:
    scope: Env | None = env
    while scope is not None:
        yield scope
        scope = scope.parent


def _holder(i: Interpreter, base: ast.expr, env: Env) -> tuple[dict[str, Value], str]:
    """Where the array that is written to is kept."""
    if isinstance(base, ast.Name):
        where = env.find(base.id)
        if where is None:
            raise NotLifted(f"the name {base.id} has no value here", code="undefined-name")
        return where.names, base.id
    if isinstance(base, ast.Attribute) and not i.loops:
        owner = i.value(base.value, env)
        if isinstance(owner, Instance) and base.attr in owner.attributes:
            return owner.attributes, base.attr
    raise NotLifted("a write into something that is no variable")


def _write_item(
    i: Interpreter, old: list[Value] | dict[str, Value], place: Value, value: Value, additive: bool
) -> None:
    if i.loops or i.path or additive:
        raise NotLifted("a write into a list in a loop or a branch")
    if isinstance(old, dict):
        if not isinstance(place, str):
            raise NotLifted("a key that is no text")
        old[place] = value
        return
    k = integer(place)
    if not k.is_constant or not -len(old) <= k.const < len(old):
        raise NotLifted("a write into a list at a position that is not known")
    old[k.const] = value


def own_entry(i: Interpreter, node: ast.Subscript, env: Env) -> Value:
    """A read of `a[i]` in the loop over i that writes into `a[i]` only, before the write; None when it is no such read."""
    if not isinstance(node.value, ast.Name):
        return None
    where = env.find(node.value.id)
    state = where.names[node.value.id] if where is not None else None
    if isinstance(state, Rows):
        return state.read(i.items(node.slice, env))
    if not isinstance(state, Pending):
        return None
    name = node.value.id
    loop = i.loops[state.level - 1]
    mine = ast.dump(_first(node.slice))
    stores = [
        n
        for n in walk_statements(i.bodies[state.level - 1])
        if isinstance(n, ast.Subscript) and isinstance(n.ctx, ast.Store) and _named(n) == name
    ]
    same = all(isinstance(n.value, ast.Name) and ast.dump(_first(n.slice)) == mine for n in stores)
    if len(i.loops) > state.level:  # other rounds of an inner loop must not write what is read here
        added = [n for n in walk_statements(i.bodies[state.level - 1]) if isinstance(n, ast.AugAssign)]
        whole = all(ast.dump(n.slice) == ast.dump(node.slice) for n in stores)
        same = same and len(stores) == 1 and whole and not any(n.target in stores for n in added)
    items = i.items(node.slice, env)
    first = items[0] if isinstance(items, tuple) else items
    position = first.entry if isinstance(first, Array) and not first.rank else None
    if not same or position is not loop.index or (state.writes and len(i.loops) > state.level):
        raise carried(name)
    return subscript(i.scope, finished(i.scope, state.before, state.writes), items)


def _first(node: ast.expr) -> ast.expr:
    return node.elts[0] if isinstance(node, ast.Tuple) and node.elts else node


def _named(n: ast.Subscript) -> str | None:
    base = n.value
    while isinstance(base, ast.Subscript):
        base = base.value
    return base.id if isinstance(base, ast.Name) else None


# --- comprehensions -------------------------------------------------------------------------------------------------


def comprehension(i: Interpreter, node: ast.expr, env: Env) -> Value:
    """`[f(x) for x in xs]`: a list, an array with a new first axis, or values that can only be added up."""
    if not isinstance(node, (ast.ListComp, ast.GeneratorExp)):
        raise NotLifted("this comprehension")
    inner = Env(parent=env, inner=True)
    made = _Gathered(len(i.path))
    depth, known = len(i.loops), len(i.scope.facts)
    try:
        _clauses(i, node, inner, 0, [], made)
    finally:
        del i.loops[depth:]
        del i.bodies[depth:]
        del i.scope.facts[known:]
    if not made.bags:
        return made.found
    if made.found or len(made.bags) > 1:
        raise NotLifted("a comprehension over known and symbolic ranges")
    (bag,) = made.bags
    if isinstance(bag, Members):
        return bag
    if len(bag.loops) == 1 and not bag.filtered:
        return Stacked(abstracted(i.scope, bag.array, bag.loops[0]))
    return bag


@dataclass
class _Gathered:
    """What a comprehension gives, and how many branches were open before it."""

    paths: int
    found: list[Value] = field(default_factory=list)
    bags: list[Bag | Members] = field(default_factory=list)


def _clauses(
    i: Interpreter,
    node: ast.ListComp | ast.GeneratorExp,
    env: Env,
    k: int,
    loops: list[Loop],
    made: _Gathered,
) -> None:
    i.scope.spend()
    if k == len(node.generators):
        before = set(i.scope.inputs)
        value = i.value(node.elt, env)
        if len(loops) == 1 and not i.path and isinstance(value, (Instance, Layer)):
            made.bags.append(made_of(i.scope, value, loops[0], before))
            return
        if not loops:
            made.found.append(value)
            return
        value = under(i.scope, array(value), conjunction(i.path))
        made.bags.append(Bag(value, tuple(loops), len(i.path) > made.paths))
        return
    clause = node.generators[k]
    elements = iterate(i, i.value(clause.iter, env))
    if isinstance(elements, list):
        if loops:
            raise NotLifted("a known list inside a symbolic range")
        for v in elements:
            _bind(i, clause.target, v, env)
            _filtered(i, node, env, k, loops, made, list(clause.ifs))
        return
    variable = i.scope.variable("i")
    loop = Loop(min(variable.free), i.scope.sizes.resolve(elements.size))
    i.loops.append(loop)
    i.bodies.append([])
    i.scope.facts += [*loop.range, *elements.facts(variable)]
    _bind(i, clause.target, elements.element(variable), env)
    _filtered(i, node, env, k, [*loops, loop], made, list(clause.ifs))


def _filtered(
    i: Interpreter,
    node: ast.ListComp | ast.GeneratorExp,
    env: Env,
    k: int,
    loops: list[Loop],
    made: _Gathered,
    tests: list[ast.expr],
) -> None:
    added = 0
    try:
        for test in tests:
            known = i.decided(test, env)
            if known is False:
                return
            if known is not True:
                i.path.append(known)
                i.scope.facts += known[0] if len(known) == 1 else ()
                added += 1
        _clauses(i, node, env, k + 1, loops, made)
    finally:
        del i.path[len(i.path) - added :]


def _bind(i: Interpreter, target: ast.expr, value: Value, env: Env) -> None:
    if isinstance(target, ast.Name):
        env.names[target.id] = value
    elif isinstance(target, (ast.Tuple, ast.List)):
        for t, v in zip(target.elts, i.unpacked(value, len(target.elts)), strict=True):
            _bind(i, t, v, env)
    else:
        raise NotLifted("this loop variable")
