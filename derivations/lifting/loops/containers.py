"""States of several parts that a loop keeps in one object: `state["sum"] += x`, `s.m = max(s.m, x)`, `state = step(state)`.

In a loop whose body only speaks of the parts, each part is a variable of its own; where the object is handed on as a
whole, its parts are taken out and put together again.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from derivations.language.substitution import fresh
from derivations.lifting.loops.generic_round import walk_statements
from derivations.lifting.operations.table import Unlifted, Value
from derivations.lifting.symbolic.not_lifted import NotLifted
from derivations.lifting.values.python_values import Bound, Class, Env, Function, Instance, Module

MUTATING = frozenset({"append", "extend", "insert", "pop", "clear"})


def parts(value: Value) -> Mapping[str, Value] | None:
    """The parts of a value that is made of several, by name; None for any other value."""
    if isinstance(value, dict):
        return value
    if isinstance(value, Instance):
        return value.attributes
    return {str(k): v for k, v in enumerate(value)} if isinstance(value, tuple) else None


def _rebuilt(like: Value, found: Mapping[str, Value], born: tuple[int, int]) -> Value:
    """A value of the same make from other parts."""
    if isinstance(like, Instance):
        return Instance(like.cls, dict(found), born)
    return tuple(found.values()) if isinstance(like, tuple) else dict(found)


# --- parts as variables ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Part:
    """A part of an object as a variable of a loop."""

    holder: dict[str, Value]
    key: str
    name: str


@dataclass
class Opened:
    """A loop in which the parts of some objects are variables, which are put back when it is done."""

    statement: ast.For
    parts: list[Part] = field(default_factory=list)

    def put_back(self, env: Env) -> None:
        for p in self.parts:
            if p.name in env.names:
                p.holder[p.key] = env.names.pop(p.name)


def opened(s: ast.For, env: Env) -> Opened:
    """The loop with the parts of each object that it changes as variables, where it never speaks of the object itself."""
    made = Opened(s)
    renaming: dict[tuple[str, str], str] = {}
    changed = {n for n, _, store in _mentions(s.body) if store}
    taken = {n.id for n in ast.walk(s) if isinstance(n, ast.Name)} | {n for e in _chain(env) for n in e.names}
    for name in sorted(changed):
        where = env.find(name)
        value = where.names[name] if where is not None else None
        holder = value if isinstance(value, dict) else value.attributes if isinstance(value, Instance) else None
        if (
            holder is None
            or not _only_parts(s, name, isinstance(value, dict))
            or reached_otherwise(s, value, name, env)
        ):
            continue
        keys = dict.fromkeys(k for n, k, _ in _mentions(s.body) if n == name and k is not None)
        if isinstance(value, Instance) and any(k not in holder and value.cls.member(k) is not None for k in keys):
            continue  # a method may change other parts
        for key in keys:
            own = renaming[name, key] = fresh(f"{name}_{key}", taken)
            taken.add(own)
            made.parts.append(Part(holder, key, own))
            if key in holder:
                env.names[own] = holder[key]
                holder[key] = Unlifted(
                    NotLifted(f"{name}.{key} in a loop that was not taken over", code="loop-carried")
                )
    if renaming:
        body = [_AsNames(renaming).visit(copy.deepcopy(x)) for x in s.body]
        loop = ast.For(s.target, s.iter, body, s.orelse)
        made.statement = ast.fix_missing_locations(ast.copy_location(loop, s))
    return made


def _chain(env: Env | None) -> Iterator[Env]:
    while env is not None:
        yield env
        env = env.parent


def _part_of(n: ast.AST) -> tuple[str, str] | None:
    """Name and key of `name["key"]` or `name.key`."""
    if isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name):
        return n.value.id, n.attr
    if isinstance(n, ast.Subscript) and isinstance(n.value, ast.Name) and isinstance(n.slice, ast.Constant):
        if isinstance(n.slice.value, str):
            return n.value.id, n.slice.value
    return None


def _mentions(body: Sequence[ast.stmt]) -> list[tuple[str, str | None, bool]]:
    """Parts of names that statements speak of, and whether they store them or what is inside them."""
    found: list[tuple[str, str | None, bool]] = []
    for n in walk_statements(body):
        part = _part_of(n)
        if part is not None:
            found.append((*part, isinstance(getattr(n, "ctx", None), ast.Store)))
        target = n
        while isinstance(target, ast.Subscript) and isinstance(target.ctx, ast.Store):
            target = target.value
            inner = _part_of(target)
            if inner is not None:
                found.append((*inner, True))
        if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute) and n.func.attr in MUTATING:
            inner = _part_of(n.func.value)
            if inner is not None:
                found.append((*inner, True))
    return found


def _only_parts(s: ast.For, name: str, keyed: bool) -> bool:
    """Whether a loop speaks of a name only by its parts, and stores no other value in it."""
    inside = {
        id(n.value)
        for x in s.body
        for n in ast.walk(x)
        if _part_of(n) is not None and isinstance(n, ast.Subscript if keyed else ast.Attribute)
    }
    functions = [f for x in s.body for f in ast.walk(x) if isinstance(f, (ast.FunctionDef, ast.Lambda))]
    if any(isinstance(n, ast.Name) and n.id == name for f in functions for n in ast.walk(f)):
        return False
    whole = (n for x in [*s.body, s.target] for n in ast.walk(x) if isinstance(n, ast.Name) and n.id == name)
    return all(id(n) in inside for n in whole)


def reached_otherwise(s: ast.For, value: Value, name: str, env: Env) -> bool:
    """Whether a loop reaches an object by another name too, or through a function that it calls."""
    seen: set[int] = set()
    names = {(n.id, env) for x in s.body for n in ast.walk(x) if isinstance(n, ast.Name)}
    todo: list[Value] = [_named(n, e) for n, e in names if n != name]
    while todo:
        v = todo.pop()
        if v is value:
            return True
        if id(v) in seen or isinstance(v, Module):
            continue
        seen.add(id(v))
        if isinstance(v, Function):
            todo += [_named(n.id, v.env) for n in ast.walk(v.node) if isinstance(n, ast.Name)]
        elif isinstance(v, Class):
            todo += [*v.members.names.values(), *v.bases]
        elif isinstance(v, Bound):
            todo += [v.function, v.instance]
        elif isinstance(v, (list, tuple)):
            todo += v
        else:
            todo += (parts(v) or {}).values()
        if isinstance(v, Instance):
            todo.append(v.cls)
    return False


def _named(name: str, env: Env) -> Value:
    where = env.find(name)
    return where.names[name] if where is not None else None


class _AsNames(ast.NodeTransformer):
    """Parts of objects as the variables that stand for them."""

    def __init__(self, renaming: Mapping[tuple[str, str], str]) -> None:
        self.renaming = renaming

    def generic_visit(self, node: ast.AST) -> ast.AST:
        part = _part_of(node)
        if part is not None and part in self.renaming:
            context = getattr(node, "ctx", ast.Load())
            return ast.copy_location(ast.Name(self.renaming[part], context), node)
        return super().generic_visit(node)


# --- parts of what is handed on as a whole --------------------------------------------------------------------------


def flat(value: Value, path: tuple[str, ...] = ()) -> dict[tuple[str, ...], Value]:
    """The innermost parts of a value, by the keys that lead to them."""
    found = parts(value)
    if found is None:
        if isinstance(value, Unlifted):
            raise value.problem
        return {path: value}
    return {k: v for key, inner in found.items() for k, v in flat(inner, (*path, key)).items()}


def filled(
    like: Value, put: Callable[[tuple[str, ...], Value], Value], born: tuple[int, int], path: tuple[str, ...] = ()
) -> Value:
    """A value of the same make whose innermost parts are replaced."""
    found = parts(like)
    if found is None:
        return put(path, like)
    return _rebuilt(like, {key: filled(inner, put, born, (*path, key)) for key, inner in found.items()}, born)


__all__ = ["Opened", "filled", "flat", "opened", "parts", "reached_otherwise"]
