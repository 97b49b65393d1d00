"""Small questions about code: what matches what by name, what a statement uses, what a parameter is."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from derivations.code.compare.document_symbols import Target
from derivations.code.compare.spelling import ALIASES, spelled
from derivations.code.compare.statement import Comparison
from derivations.code.program import names_used_as_sizes
from derivations.language.substitution import subterms
from derivations.language.term import Index, Term
from derivations.lifting.interpreter.interpret import Record
from derivations.lifting.operations.all_operations import BY_NAME
from derivations.lifting.symbolic.arrays import Array
from derivations.lifting.symbolic.scope import Scope
from derivations.lifting.values.python_values import Class, Function


def is_settings(f: ast.FunctionDef | ast.Lambda, name: str) -> bool:
    """Whether a parameter is only asked for its entries: `config.n_embd`, `cfg["emb_dim"]`."""
    asked = {
        id(n.value)
        for n in ast.walk(f)
        if isinstance(n, ast.Attribute)
        or (isinstance(n, ast.Subscript) and isinstance(n.slice, ast.Constant) and isinstance(n.slice.value, str))
    }
    uses = [n for n in ast.walk(f) if isinstance(n, ast.Name) and n.id == name]
    return bool(uses) and all(id(n) in asked for n in uses)


def is_generator(f: ast.FunctionDef | ast.Lambda, name: str) -> bool:
    """Whether a parameter is only asked to draw: `rng.standard_normal(n)`."""
    drawn = {
        id(n.func.value)
        for n in ast.walk(f)
        if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute) and f"rng.{n.func.attr}" in BY_NAME
    }
    uses = [n for n in ast.walk(f) if isinstance(n, ast.Name) and n.id == name]
    return bool(uses) and all(id(n) in drawn for n in uses)


def length_by_default(f: Function, name: str) -> int | None:
    """The whole number that a parameter is by default, when it is used as a size: any other one would do."""
    default = f.defaults.get(name)
    if not isinstance(default, Array) or default.rank or not isinstance(default.entry, Index):
        return None
    known = default.entry.is_constant and default.entry.const > 1
    return default.entry.const if known and name in names_used_as_sizes(f.node) else None


def index_parameter(f: Function, required: Sequence[str]) -> str | None:
    """The one parameter that is used as a position only: `W[i]` in `def head(X, W, i)`."""
    places = {
        id(x)
        for n in ast.walk(f.node)
        if isinstance(n, ast.Subscript)
        for x in ast.walk(n.slice)
        if isinstance(x, ast.Name)
    }
    loads: dict[str, list[bool]] = {}
    for n in ast.walk(f.node):
        if isinstance(n, ast.Name) and n.id in required:
            loads.setdefault(n.id, []).append(id(n) in places)
    found = [name for name, inside in loads.items() if all(inside)]
    return found[0] if len(found) == 1 else None


def uses(later: Record, earlier: Record) -> bool:
    """Whether a statement computes a value from an earlier one."""
    if later.function != earlier.function or (later.block, later.node.lineno) <= (earlier.block, earlier.node.lineno):
        return False
    return not isinstance(earlier.value, (Function, Class)) and any(
        isinstance(n, ast.Name) and n.id == earlier.name and isinstance(n.ctx, ast.Load) for n in ast.walk(later.node)
    )


def same_name(name: str, tensor: str) -> bool:
    """Whether a parameter is called as an argument of the equation."""
    own = spelled(name)
    return name == tensor or own == spelled(tensor) or ALIASES.get(own, own) == spelled(tensor)


def matched_names(required: Sequence[str], tensors: Sequence[str]) -> dict[str, int]:
    """Parameters of the function for the arguments of the equation: by name if all have one, else by position."""
    found: dict[str, int] = {}
    for k, t in enumerate(tensors):
        exact = [n for n in required if n == t] or [n for n in required if same_name(n, t)]
        if len(exact) == 1:
            found[exact[0]] = k
    if len(found) == len(tensors):
        return found
    if found or len(required) < len(tensors):
        return found
    return {n: k for k, n in enumerate(required[: len(tensors)])}


def names_given(node: ast.AST) -> set[str]:
    """The names to which a statement, or the body of a function, gives a value: `h` in `h = 1`, `m` in `self.m = 1`."""
    stored = (n for n in ast.walk(node) if isinstance(n, (ast.Name, ast.Attribute)) and isinstance(n.ctx, ast.Store))
    return {n.id if isinstance(n, ast.Name) else n.attr for n in stored}


def spells(name: str, stem: str) -> bool:
    """Whether a name inside a function, or of an attribute, is that of a symbol; words also in other letters: `pe` for $PE$."""
    name = name.rpartition(".")[2]
    return name == stem or (len(name) > 1 and len(stem) > 1 and spelled(name) == spelled(stem))


def names_member(name: str, target: Target) -> bool:
    """Whether a name inside a function is that of a symbol, or of its member at an index of its own: `h_t` for $h_t$."""
    base, _, index = name.rpartition(".")[2].rpartition("_")
    is_index = any(index in i.free for d in target.definitions for i in d.indices)
    return spells(name, target.stem) or (bool(base) and is_index and spells(base, target.stem))


def head_of(a: Array) -> str:
    return str(getattr(a.entry, "name", ""))


def is_input(a: Array, scope: Scope) -> bool:
    """A bare input: its value is nothing that an equation could say."""
    return (
        isinstance(a.entry, Term)
        and not a.entry.children
        and head_of(a) in scope.inputs
        and a.rank == len(getattr(a.entry, "indices", ()))
        and all(str(i) == f"x{k}" for k, i in enumerate(getattr(a.entry, "indices", ())))
    )


def sizes_of_inputs(made: Comparison, scope: Scope) -> set[str]:
    """Sizes that the inputs of the compared value were made with."""
    used: set[str] = set()
    heads = {h for s in made.statements for t in (s.left, s.right) for x in subterms(t) for h in x.heads}
    for given in scope.inputs.values():
        if given.name in {h.split("#")[0] for h in heads} or given.name in heads:
            used |= {s for i in given.shape for s in i.sizes}
    return used
