"""Augmented assignments, such as `x += 1`: to names, to parts of arrays and to attributes."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from derivations.lifting.interpreter import python_methods
from derivations.lifting.interpreter.expressions import SIGNS
from derivations.lifting.loops import rounds
from derivations.lifting.operations import elementwise
from derivations.lifting.operations.number_types import require_fit
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
        owner.attributes[s.target.attr] = i.binary(sign, old, i.value(s.value, env))
