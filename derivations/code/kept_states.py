"""What objects keep from call to call: `self.m = b1 * self.m + (1 - b1) * g`, `self.t += 1`.

At a call such a state may be anything that earlier calls made it.  What it is when the object is made tells of the first
call alone.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from derivations.lifting.values.python_values import Class, Function

MAX_METHODS = 16
"""Most methods of an object that one of them may call."""


@dataclass(frozen=True)
class Mention:
    """One use of an attribute of the object: the number of the statement, whether it is read, whether it is changed."""

    name: str
    place: int
    is_read: bool
    is_changed: bool


def states_of(f: Function) -> tuple[str, ...]:
    """The attributes that a method may read before it has given them a value, and that it, or another method, changes.

    >>> code = "def step(self, g):\\n    self.h = g * 2\\n    self.m = self.m + self.h\\n    return self.m"
    >>> states_of(Function("step", ast.parse(code).body[0], None))
    ('m',)
    """
    found, elsewhere = list(_mentions(f)), _changed_elsewhere(f)
    kept = []
    for name in dict.fromkeys(m.name for m in found):
        own = [m for m in found if m.name == name]
        first = min(m.place for m in own)
        given_first = any(m.place == first for m in own) and not any(m.is_read for m in own if m.place == first)
        if not given_first and (any(m.is_changed for m in own) or name in elsewhere):
            kept.append(name)
    return tuple(kept)


def _changed_elsewhere(f: Function) -> set[str]:
    """The attributes to which other methods of the class give values after the object is made."""
    others = f.owner.members.names.values() if isinstance(f.owner, Class) else ()
    nodes = [m.node for m in others if isinstance(m, Function) and m.name != "__init__" and m.node is not f.node]
    stored = (n for node in nodes for n in ast.walk(node) if isinstance(n, ast.Attribute))
    return {n.attr for n in stored if isinstance(n.ctx, ast.Store)}


def _mentions(f: Function) -> Iterator[Mention]:
    """The uses of attributes in a method, and in the methods that it calls."""
    todo: list[tuple[Function, int | None]] = [(f, None)]
    seen = {id(f.node)}
    while todo and len(seen) <= MAX_METHODS:
        own, at = todo.pop()
        if not isinstance(own.node, ast.FunctionDef) or not own.node.args.args:
            continue
        this = own.node.args.args[0].arg
        around = {id(c): p for p in ast.walk(own.node) for c in ast.iter_child_nodes(p)}
        for k, statement in enumerate(own.node.body):
            place = k if at is None else at
            for n in ast.walk(statement):
                if not (isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name) and n.value.id == this):
                    continue
                method = f.owner.member(n.attr) if isinstance(f.owner, Class) else None
                if isinstance(method, Function):
                    if id(method.node) not in seen:
                        seen.add(id(method.node))
                        todo.append((method, place))
                    continue
                changed, only = _is_changed(n, around, statement, at is not None)
                yield Mention(n.attr, place, not only, changed)


def _is_changed(n: ast.Attribute, around: dict[int, ast.AST], statement: ast.stmt, inside: bool) -> tuple[bool, bool]:
    """Whether a use of an attribute changes it, and whether that is all it does, whatever happens: `self.h = g`."""
    parent = around[id(n)]
    if isinstance(n.ctx, ast.Store):
        plain = isinstance(statement, (ast.Assign, ast.AnnAssign)) and not inside
        return True, plain and not isinstance(parent, ast.AugAssign)
    if not isinstance(n.ctx, ast.Load):
        return True, False
    while isinstance(parent, (ast.Subscript, ast.Attribute)) and isinstance(parent.ctx, ast.Load):
        if isinstance(parent, ast.Attribute):
            call = around[id(parent)]
            in_place = parent.attr.endswith("_") or parent.attr in (
                "append",
                "extend",
                "insert",
                "pop",
                "clear",
                "update",
            )
            if isinstance(call, ast.Call) and call.func is parent and in_place:
                return True, False
        parent = around[id(parent)]
    return isinstance(parent, (ast.Subscript, ast.Attribute)) and not isinstance(parent.ctx, ast.Load), False


def counted_on(tree: ast.AST, name: str) -> int | None:
    """By how much a function raises a number before it uses it; None where it changes the number in any other way.

    >>> counted_on(ast.parse("def f(t):\\n    t += 1\\n    return t").body[0], "t")
    1
    >>> counted_on(ast.parse("def f(t):\\n    return t").body[0], "t")
    0
    """
    stores = [n for n in ast.walk(tree) if isinstance(n, ast.Name) and n.id == name and not isinstance(n.ctx, ast.Load)]
    if not stores:
        return 0
    for s in tree.body if isinstance(tree, ast.FunctionDef) else ():
        if stores[0] in (inside := [*ast.walk(s)]):
            return 1 if all(n in inside for n in stores) and _is_raised(s, name) else None
        if any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(s)):
            return None
    return None


def _is_raised(s: ast.stmt, name: str) -> bool:
    """Whether a statement adds one to a number: `t += 1`, `t = t + 1`, and that kept under its name, `t = t = t + 1`."""
    if isinstance(s, ast.AugAssign):
        return isinstance(s.op, ast.Add) and isinstance(s.target, ast.Name) and _is_one(s.value)
    if not isinstance(s, ast.Assign) or not isinstance(s.value, ast.BinOp) or not isinstance(s.value.op, ast.Add):
        return False
    sides: Sequence[ast.expr] = (s.value.left, s.value.right)
    is_own = any(isinstance(x, ast.Name) and x.id == name for x in sides)
    is_stored = all(isinstance(x, ast.Name) and x.id == name for x in s.targets)
    return is_stored and is_own and any(map(_is_one, sides))


def _is_one(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value == 1 and not isinstance(node.value, bool)


__all__ = ["counted_on", "states_of"]
