"""What code may change besides the names that it assigns: read off its syntax, through the functions that it calls.

The interpreter follows what it takes over; these rules are for code that it does not: a statement that is refused, or the
arguments of a call that is passed over because it only prints.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from derivations.lifting.loops.generic_round import stored_names
from derivations.lifting.operations.table import Value
from derivations.lifting.values.python_values import Class, Function, Instance, Module

ANY_NAME = frozenset({"exec", "eval", "globals", "locals", "vars", "setattr", "delattr"})
"""Python's functions that can change any name of a module or any attribute."""
OWN_NAMES = frozenset({"globals", "locals", "vars"})
"""Those that, without an argument, lead to names of the module only."""
ANY_ATTRIBUTE = frozenset({"__dict__", "__globals__", "__builtins__", "__setattr__", "__delattr__"})
"""Attributes that lead to all names of a module, or to all attributes of an object."""
MUTATING = frozenset(
    {
        "append",
        "extend",
        "insert",
        "pop",
        "clear",
        "remove",
        "sort",
        "reverse",
        "update",
        "setdefault",
        "popitem",
        "fill",
    }
    | {"copyto", "put", "place", "putmask", "shuffle", "partition", "resize", "fill_diagonal", "itemset", "discard"}
)
"""Methods and functions that change what they are called on, or their arguments, besides those whose names end in `_`."""
Find = Callable[[str], Value]


@dataclass
class Effects:
    """What a piece of code may change."""

    everything: bool = False
    """Any name of the module."""
    everywhere: bool = False
    """Any attribute of a library, too."""
    names: set[str] = field(default_factory=set)
    """Names of the module: those that functions declare global, and those whose objects are changed."""
    libraries: set[str] = field(default_factory=set)
    """Dotted names in libraries that are set to something else."""

    def __bool__(self) -> bool:
        return self.everything or bool(self.names or self.libraries)


def effects(nodes: Iterable[ast.AST], find: Find, inside: bool = False) -> Effects:
    """What code may change; `find` gives the values of names, None for one that has none."""
    made = Effects()
    seen: set[int] = set()
    todo: list[tuple[ast.AST, bool]] = [(n, inside) for n in nodes]
    while todo:
        node, within = todo.pop()
        spelled = _spelled_out(node, made)
        on_itself = set(_set_on_itself(node))
        bare = {n.func for n in ast.walk(node) if isinstance(n, ast.Call) and not n.args and not n.keywords}
        todo += [(n, within) for n in spelled.values()]
        own = {n for n, how in stored_names(_statements(node)).items() if "plain" in how} if within else set()
        for n in ast.walk(node):
            if isinstance(n, ast.Name) and n.id in ANY_NAME and find(n.id) is None:
                if n not in spelled and n not in on_itself:
                    made.everything = True
                    made.everywhere = made.everywhere or n.id not in OWN_NAMES or n not in bare
            elif isinstance(n, ast.Attribute) and n.attr in ANY_ATTRIBUTE:
                made.everything = made.everywhere = True
            elif isinstance(n, ast.Global):
                made.names |= set(n.names)
            elif isinstance(n, ast.ImportFrom) and any(a.name == "*" for a in n.names):
                made.everything = True
            elif isinstance(n, ast.NamedExpr):
                made.names.add(n.target.id)
            elif isinstance(n, (ast.Subscript, ast.Attribute)) and isinstance(n.ctx, (ast.Store, ast.Del)):
                _stored(n, find, made)
            elif isinstance(n, ast.AugAssign):
                made.names |= set(_roots(n.target)) - own
            elif isinstance(n, ast.Call):
                changed = set(_changed_by(n))  # `torch.zeros(n).index_add_(...)` changes no library
                made.names |= {name for name in changed if not isinstance(find(name), Module)}
            for f in _functions(n, find):
                if id(f) not in seen:
                    seen.add(id(f))
                    todo.append((f, True))
    return made


def _spelled_out(node: ast.AST, made: Effects) -> dict[ast.expr, ast.AST]:
    """`exec("k = 5")`: the code of a known text, by the name that runs it; its names get values in the module."""
    found: dict[ast.expr, ast.AST] = {}
    for n in ast.walk(node):
        if not isinstance(n, ast.Call) or not isinstance(n.func, ast.Name) or n.func.id not in ("exec", "eval"):
            continue
        text = n.args[0].value if len(n.args) == 1 and isinstance(n.args[0], ast.Constant) and not n.keywords else None
        if isinstance(text, str):
            try:
                tree = ast.parse(text.strip())
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                continue
            found[n.func] = tree
            made.names |= {x.id for x in ast.walk(tree) if isinstance(x, ast.Name) and not isinstance(x.ctx, ast.Load)}
            made.names |= {x.name for x in ast.walk(tree) if isinstance(x, (ast.FunctionDef, ast.ClassDef))}
            made.names |= {(x.asname or x.name).split(".")[0] for x in ast.walk(tree) if isinstance(x, ast.alias)}
    return found


def _set_on_itself(node: ast.AST) -> Iterator[ast.expr]:
    """`setattr(self, "W_" + gate, w)` in a method: it sets an attribute of its object, as `self.W_f = w` does."""
    for cls in (n for n in ast.walk(node) if isinstance(n, ast.ClassDef)):
        for f in (n for n in cls.body if isinstance(n, ast.FunctionDef) and n.args.args and not n.decorator_list):
            this = f.args.args[0].arg
            for n in (n for s in f.body for n in ast.walk(s) if isinstance(n, ast.Call)):
                if isinstance(n.func, ast.Name) and n.func.id == "setattr" and n.args:
                    if isinstance(n.args[0], ast.Name) and n.args[0].id == this:
                        yield n.func


def _statements(node: ast.AST) -> list[ast.stmt]:
    body = getattr(node, "body", [])
    return [s for s in body if isinstance(s, ast.stmt)] if isinstance(body, list) else []


def _stored(n: ast.Subscript | ast.Attribute, find: Find, made: Effects) -> None:
    """`c[0] = 5`, `c.k = 5`, `torch.softmax = mine`."""
    path = _dotted(n, find)
    if path is not None:
        made.libraries.add(path)
    else:
        made.names |= set(_roots(n))


def _dotted(n: ast.expr, find: Find) -> str | None:
    """The dotted name in a library that an expression is."""
    if isinstance(n, ast.Attribute):
        base = _dotted(n.value, find)
        return None if base is None else f"{base}.{n.attr}"
    value = find(n.id) if isinstance(n, ast.Name) else None
    return value.path if isinstance(value, Module) else None


def _roots(n: ast.expr) -> Iterator[str]:
    """The names whose objects a target is a part of."""
    while isinstance(n, (ast.Subscript, ast.Attribute, ast.Starred)):
        n = n.value
    if isinstance(n, ast.Name):
        yield n.id
    elif isinstance(n, (ast.Tuple, ast.List)):
        for e in n.elts:
            yield from _roots(e)
    elif isinstance(n, ast.Call):
        yield from (x.id for x in ast.walk(n) if isinstance(x, ast.Name))


def _changed_by(n: ast.Call) -> Iterator[str]:
    """The names whose objects a call changes by its name, or by `out=`."""
    name = n.func.attr if isinstance(n.func, ast.Attribute) else n.func.id if isinstance(n.func, ast.Name) else ""
    in_place = name.endswith("_") and not name.endswith("__") and name != "requires_grad_"
    if in_place or name in MUTATING:
        if isinstance(n.func, ast.Attribute):
            yield from _roots(n.func.value)
        for a in n.args[
            : 2 if name in ("shuffle", "put", "place", "copyto", "putmask", "fill_diagonal") or in_place else 0
        ]:
            yield from _roots(a)
    for k in n.keywords:
        if k.arg == "out":
            yield from _roots(k.value)
        if k.arg == "inplace":
            for a in n.args[:1]:
                yield from _roots(a)


def _functions(n: ast.AST, find: Find) -> Iterator[ast.AST]:
    """The code of the functions and classes that a name stands for."""
    if not isinstance(n, ast.Name) or not isinstance(n.ctx, ast.Load):
        return
    value = find(n.id)
    if isinstance(value, Function):
        yield value.node
    elif isinstance(value, Class):
        yield value.node
    elif isinstance(value, Instance):
        yield value.cls.node


__all__ = ["Effects", "effects"]
