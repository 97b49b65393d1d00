"""Which library the arrays of a function are of: torch and NumPy give some methods (`var`, `transpose`) another meaning."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence

from derivations.lifting.operations.table import Value
from derivations.lifting.values.python_values import Class, Env, Function, Module

LIBRARIES = ("torch", "numpy")


def libraries(value: Value, block: ast.AST | None, default: str) -> Sequence[str]:
    """The libraries that the parameters of a function may be of: that which its own code uses, or what it calls; else
    that of its block; both where neither tells."""
    env = _scope(value)
    used = _used(value, set()) or (named(block, env) if block is not None else set()) or _imported(env)
    return tuple(sorted(used, key=lambda x: x != default)) or (default,)


def _scope(value: Value) -> Env | None:
    return value.env if isinstance(value, Function) else value.members if isinstance(value, Class) else None


def _used(value: Value, seen: set[int]) -> set[str]:
    """The libraries that the code of a function or class names, also through functions that it names."""
    if id(value) in seen or not isinstance(value, (Function, Class)):
        return set()
    seen.add(id(value))
    env = _scope(value)
    found = named(value.node, env)
    for n in _names(value.node):
        where = env.find(n) if env is not None else None
        found |= _used(where.names[n], seen) if where is not None else set()
    return found


def named(node: ast.AST, env: Env | None) -> set[str]:
    """The libraries that code names or imports."""
    roots: Mapping[str, str] = {"torch": "torch", "np": "numpy", "numpy": "numpy"}
    found = set()
    for n in _names(node):
        where = env.find(n) if env is not None else None
        value = where.names[n] if where is not None else None
        root = value.path.split(".")[0] if isinstance(value, Module) else roots.get(n) if value is None else None
        if root in LIBRARIES:
            found.add(root)
    return found


def _imported(env: Env | None) -> set[str]:
    """The libraries that names of a scope and those around it stand for."""
    found = set()
    while env is not None:
        found |= {v.path.split(".")[0] for v in env.names.values() if isinstance(v, Module)}
        env = env.parent
    return found & set(LIBRARIES)


def _names(node: ast.AST) -> Iterable[str]:
    """The names that code speaks of; those that it imports, too."""
    found = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
    return found | {(n.asname or n.name).split(".")[0] for n in ast.walk(node) if isinstance(n, ast.alias)}


__all__ = ["libraries", "named"]
