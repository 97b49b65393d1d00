"""Augmented assignments, such as `x += 1`: to names, to parts of arrays and to attributes."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from derivations.lifting.interpreter import python_methods
from derivations.lifting.interpreter.expressions import SIGNS
from derivations.lifting.interpreter.held_values import arrays_in
from derivations.lifting.loops import rounds
from derivations.lifting.operations import elementwise
from derivations.lifting.operations.number_types import require_fit
from derivations.lifting.operations.table import Value
from derivations.lifting.symbolic.arrays import Array, in_memory
from derivations.lifting.symbolic.not_lifted import NotLifted
from derivations.lifting.values.python_values import Accumulator, Changed, Env, Instance

if TYPE_CHECKING:
    from derivations.lifting.interpreter.interpret import Interpreter


def augment(i: Interpreter, s: ast.AugAssign, env: Env) -> None:
    """Run `target sign= value`; refuses a change in place of memory that another name shares."""
    sign = SIGNS.get(type(s.op))
    if sign is None:
        if isinstance(s.op, ast.MatMult):
            sign = "@"
        else:
            raise NotLifted("an update with this operator")
    if isinstance(s.target, ast.Name):
        name = s.target.id
        where = env.find(name) or env
        old = where.names.get(name)
        if isinstance(old, Accumulator) and sign in ("+", "-"):
            addend = i.value(s.value, env)
            rounds.accumulate(i, old, addend, negative=sign == "-")
            return
        old = i.value(ast.copy_location(ast.Name(name, ast.Load()), s), env)
        lent = isinstance(old, Array) and any(id(old.token) in e.borrowed for e in rounds.chain(env))
        if isinstance(old, Array) and in_memory(old) and (lent or i.shared(old, name, env)):
            raise NotLifted(f"{name} is changed in place, and another name shares its memory")
        if isinstance(old, list) and sign == "+":
            python_methods.extend(i, old, i.value(s.value, env))
            return
        made = i.binary(sign, old, i.value(s.value, env))
        if isinstance(old, Array) and in_memory(old) and isinstance(made, Array):
            if made.rank != old.rank or not all(map(i.scope.sizes.same, made.shape, old.shape)):
                raise NotLifted(f"{name} would get another shape in place", code="shape-conflict")
            if old.rank:
                require_fit(old, made)
        i.bind_name(name, made, env, s)
    elif isinstance(s.target, ast.Subscript) and (holder := _dictionary(s.target, env)) is not None:
        _augment_entry(i, holder, sign, s, env)
    elif isinstance(s.target, ast.Subscript):
        value = i.value(s.value, env)
        if sign in ("+", "-"):
            value = value if sign == "+" else elementwise.negative(i.scope, value)
            i.write(s.target, value, env, additive=True, statement=s)
        else:
            read = ast.copy_location(ast.Subscript(s.target.value, s.target.slice, ast.Load()), s)
            i.write(s.target, i.binary(sign, i.value(read, env), value), env, additive=False, statement=s)
    else:
        owner = i.value(s.target.value, env)
        if not isinstance(owner, Instance) or s.target.attr not in owner.attributes:
            raise NotLifted("an update of an attribute")
        if owner.born != i.now:
            raise Changed(owner)
        old = owner.attributes[s.target.attr]
        if isinstance(old, Array) and in_memory(old) and (i.loops or i.shared(old, s.target.attr, env, owner)):
            raise NotLifted(f"{s.target.attr} is changed in place, and another name may share its memory")
        made = i.as_free(s.target.attr, i.binary(sign, old, i.value(s.value, env)))
        i.christen(s.target.attr, made)
        owner.attributes[s.target.attr] = made
        if not i.at_top(env):
            i.record(ast.unparse(s.target), made, s, env)


def _dictionary(target: ast.Subscript, env: Env) -> dict[str, Value] | None:
    """The dictionary of which one entry is updated, as `state` in `state["t"] += 1`; None for anything else."""
    where = env.find(target.value.id) if isinstance(target.value, ast.Name) else None
    held = where.names[target.value.id] if where is not None and isinstance(target.value, ast.Name) else None
    return held if isinstance(held, dict) else None


def _augment_entry(i: Interpreter, holder: dict[str, Value], sign: str, s: ast.AugAssign, env: Env) -> None:
    """Update an entry of a dictionary; refuses one that is an array in memory which something else may reach."""
    read = ast.copy_location(ast.Subscript(s.target.value, s.target.slice, ast.Load()), s)  # type: ignore[union-attr]
    old = i.value(read, env)
    if isinstance(old, (list, dict)):
        raise NotLifted("a list in a dictionary is changed in place")
    if isinstance(old, Array) and in_memory(old):
        others = {k: v for k, v in holder.items() if v is not old}
        if len(others) + 1 < len(holder) or _reached_elsewhere(i, old, holder, others, env):
            raise NotLifted("an entry is changed in place, and another name may share its memory")
    made = i.binary(sign, old, i.value(s.value, env))
    if isinstance(old, Array) and old.rank and isinstance(made, Array):
        if made.rank != old.rank or not all(map(i.scope.sizes.same, made.shape, old.shape)):
            raise NotLifted("an entry would get another shape in place", code="shape-conflict")
        require_fit(old, made)
    i.write(s.target, made, env, additive=False, statement=s)  # type: ignore[arg-type]


def _reached_elsewhere(
    i: Interpreter, old: Array, holder: dict[str, Value], others: dict[str, Value], env: Env
) -> bool:
    """Whether the memory of an entry is reached by any other way than by its key."""
    seen = {id(holder)}
    held: list[Value] = [*others.values()]
    for start in (env, *i.frames):
        for scope in rounds.chain(start):
            held += scope.names.values()
    lent = any(id(old.token) in e.borrowed for e in rounds.chain(env))
    return lent or any(a.token is old.token for v in held for a in arrays_in(v, seen))
