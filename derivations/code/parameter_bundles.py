"""Parameters that hold several arrays: `xhat, s = cache`, `params["W1"]`, `p.W1`, `state.get("m", 0.0)`.

What a function takes out of such a parameter are parameters of their own, called as the names under which they are taken
out, as the keys, or as the attributes.  Only a parameter of which nothing else is used is one: whoever asks for its
length, goes through it or tests what is in it may get any answer.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from derivations.lifting.operations.table import Value
from derivations.lifting.values.python_values import Class, Env, Function, Instance

MAX_HANDED_ON = 4
"""How often a parameter is followed into a function that it is handed to."""
OF_ARRAYS = frozenset(
    {"shape", "size", "ndim", "dtype", "device", "T", "mT", "H", "mH", "data", "grad", "real", "imag", "flat"}
)
"""Attributes that arrays have: what is asked for one of them is an array."""
_PLAIN = ast.ClassDef(name="Parameters", bases=[], keywords=[], body=[], decorator_list=[])


@dataclass(frozen=True)
class Bundle:
    """A parameter that holds several values, and what they are called."""

    kind: str
    """How they are taken out: `tuple`, `key` or `attribute`."""
    members: tuple[str, ...]

    def made_of(self, values: Sequence[Value]) -> Value:
        """The parameter that holds these values."""
        named = dict(zip(self.members, values, strict=True))
        if self.kind == "tuple":
            return tuple(values)
        return named if self.kind == "key" else Instance(Class("Parameters", _PLAIN, Env()), named)


def bundles_in(f: Function, names: Sequence[str], find: Callable[[str], Value]) -> dict[str, Bundle]:
    """The parameters among `names` that hold several values; `find` gives the other functions of the module.

    None of them where two values would have one name: `params["w"]` and `grads["w"]`.
    """
    found = {n: b for n in names if (b := bundle_of(f.node, n, find)) is not None}
    called = [
        *(a.arg for a in ast.walk(f.node.args) if isinstance(a, ast.arg)),
        *(m for b in found.values() for m in b.members),
    ]
    return {n: b for n, b in found.items() if all(called.count(m) == 1 for m in b.members)}


def bundle_of(node: ast.AST, name: str, find: Callable[[str], Value]) -> Bundle | None:
    """What a function takes out of a parameter; None where it does anything else with it.

    >>> f = ast.parse("def f(x, p): return p['W'] @ x + p['b']").body[0]
    >>> bundle_of(f, "p", lambda name: None)
    Bundle(kind='key', members=('b', 'W'))
    >>> bundle_of(f, "x", lambda name: None) is None
    True
    """
    taken = list(_uses(node, name, find, MAX_HANDED_ON))
    kinds = {kind for kind, _ in taken} - {"handed on"}
    if len(kinds) != 1 or "other" in kinds:
        return None
    (kind,) = kinds
    if kind == "tuple":
        (members, *more) = [m for k, m in taken if k == "tuple"]
        return Bundle(kind, members) if not more and len(set(members)) == len(members) else None
    members = tuple(dict.fromkeys(m for _, own in taken for m in own))
    if kind == "attribute" and (not members or OF_ARRAYS & set(members)):
        return None
    return Bundle(kind, members) if members else None


def with_names_for_members(f: Function, bundles: Mapping[str, Bundle]) -> ast.AST:
    """The code of a function with a name for each value that it takes out of a parameter."""
    return _Named(bundles).visit(copy.deepcopy(f.node))  # type: ignore[no-any-return]


class _Named(ast.NodeTransformer):
    def __init__(self, bundles: Mapping[str, Bundle]) -> None:
        self.bundles = bundles

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        key = _key(node)
        known = isinstance(node.value, ast.Name) and node.value.id in self.bundles and key is not None
        return ast.copy_location(ast.Name(str(key), node.ctx), node) if known else self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        use = node.func.value if isinstance(node.func, ast.Attribute) else None
        around = {id(use): node.func, id(node.func): node}
        key = _key_asked_for(use, around) if isinstance(use, ast.Name) and use.id in self.bundles else None
        return ast.copy_location(ast.Name(key, ast.Load()), node) if key is not None else self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        known = isinstance(node.value, ast.Name) and node.value.id in self.bundles
        return ast.copy_location(ast.Name(node.attr, node.ctx), node) if known else self.generic_visit(node)


def _uses(node: ast.AST, name: str, find: Callable[[str], Value], depth: int) -> Iterator[tuple[str, tuple[str, ...]]]:
    """What each use of a name takes out of it; a key that is only written, or written before, is nothing that it held."""
    around = {id(child): parent for parent in ast.walk(node) for child in ast.iter_child_nodes(parent)}
    uses = [n for n in ast.walk(node) if isinstance(n, ast.Name) and n.id == name]
    written = _written_first(node, uses, around)
    for use in uses:
        parent = around[id(use)]
        if not isinstance(use.ctx, ast.Load):
            yield "other", ()
        elif isinstance(parent, ast.Assign) and (names := _unpacked(parent)):
            yield "tuple", names
        elif isinstance(parent, ast.Subscript) and parent.value is use and (key := _key(parent)) is not None:
            is_read = not isinstance(parent.ctx, ast.Store) or isinstance(around[id(parent)], ast.AugAssign)
            is_kept = not isinstance(parent.ctx, ast.Del)
            yield ("key", (key,) if is_read and key not in written else ()) if is_kept else ("other", ())
        elif (key := _key_asked_for(use, around)) is not None:
            yield "key", (() if key in written else (key,))
        elif isinstance(parent, ast.Attribute) and isinstance(parent.ctx, ast.Load):
            call = around[id(parent)]
            is_called = isinstance(call, ast.Call) and call.func is parent
            yield ("other", ()) if is_called else ("attribute", (parent.attr,))
        elif isinstance(parent, (ast.Return, ast.Tuple)) and _is_returned(use, around):
            yield "handed on", ()
        else:
            yield from _handed_on(use, parent, find, depth)


def _handed_on(
    use: ast.Name, parent: ast.AST, find: Callable[[str], Value], depth: int
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """What a function of the document takes out of an argument."""
    if isinstance(parent, ast.Call) and isinstance(parent.func, ast.Name) and depth:
        called = find(parent.func.id)
        starred = any(isinstance(a, ast.Starred) for a in parent.args)
        if isinstance(called, Function) and isinstance(called.node, ast.FunctionDef) and not starred:
            a = called.node.args
            plain = [x.arg for x in (*a.posonlyargs, *a.args)]
            for own, value in zip(plain, parent.args, strict=False):
                if value is use:
                    yield "handed on", ()
                    yield from _uses(called.node, own, find, depth - 1)
                    return
    yield "other", ()


def _unpacked(s: ast.Assign) -> tuple[str, ...]:
    """The names to which the parts of one value are given; none where there is anything else at the left."""
    target = s.targets[0]
    if len(s.targets) != 1 or not isinstance(target, (ast.Tuple, ast.List)):
        return ()
    names = tuple(e.id for e in target.elts if isinstance(e, ast.Name))
    return names if len(names) == len(target.elts) else ()


def _key(node: ast.Subscript) -> str | None:
    return node.slice.value if isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str) else None


def _key_asked_for(use: ast.Name, around: Mapping[int, ast.AST]) -> str | None:
    """The key of `state.get("m", 0.0)` and `state.setdefault("m", zeros)`: what is kept there after the first call."""
    method = around[id(use)]
    call = around.get(id(method))
    is_asked = isinstance(method, ast.Attribute) and method.attr in ("get", "setdefault") and isinstance(call, ast.Call)
    if not is_asked or not isinstance(call, ast.Call) or call.func is not method or not call.args:
        return None
    key = call.args[0]
    return key.value if isinstance(key, ast.Constant) and isinstance(key.value, str) else None


def _written_first(node: ast.AST, uses: Iterable[ast.Name], around: Mapping[int, ast.AST]) -> frozenset[str]:
    """The keys that a statement of the body itself writes before anything reads them."""
    body = node.body if isinstance(node, ast.FunctionDef) else []
    inside = {id(n): k for k, s in enumerate(body) for n in ast.walk(s)}
    first: dict[str, tuple[int, bool]] = {}
    for use in uses:
        parent = around[id(use)]
        asked = _key_asked_for(use, around)
        if asked is not None and id(use) in inside:
            here = inside[id(use)], False
            first[asked] = min(first.get(asked, here), here)
        if isinstance(parent, ast.Subscript) and (key := _key(parent)) is not None and id(use) in inside:
            statement = body[inside[id(use)]]
            only_written = isinstance(statement, ast.Assign) and parent in statement.targets
            here = inside[id(use)], only_written
            first[key] = min(first.get(key, here), here)  # what a statement reads, it reads before it writes
    return frozenset(key for key, (_, only_written) in first.items() if only_written)


def _is_returned(use: ast.AST, around: Mapping[int, ast.AST]) -> bool:
    """Whether a value is what a function returns, or one of several values."""
    parent = around[id(use)]
    if isinstance(parent, ast.Tuple):
        parent = around[id(parent)]
    return isinstance(parent, ast.Return)


__all__ = ["Bundle", "bundle_of", "bundles_in", "with_names_for_members"]
