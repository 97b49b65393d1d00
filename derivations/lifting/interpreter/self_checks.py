"""What a program checks of its own results: two ways to compute one thing, `assert torch.allclose(a, b)`.

Both sides are evaluated where the check stands, with the values that its names have there.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from derivations.language.term import TermError
from derivations.lifting.interpreter.effects_of_code import effects
from derivations.lifting.operations.table import Stacked, Value
from derivations.lifting.symbolic.arrays import Array
from derivations.lifting.symbolic.not_lifted import NotLifted
from derivations.lifting.symbolic.sizes import Sizes
from derivations.lifting.values.python_values import Module
from derivations.notes import Note

if TYPE_CHECKING:
    from derivations.lifting.interpreter.interpret import Interpreter

COMPARING = frozenset(
    {"allclose", "equal", "array_equal", "assert_close", "assert_allclose", "assert_array_equal", "assert_almost_equal"}
)
"""Calls that compare two arrays, entry by entry."""
_LARGEST = frozenset({"max", "amax", "norm"})
_ABSOLUTE = frozenset({"abs", "absolute", "fabs"})


@dataclass(frozen=True)
class Compared:
    """Two results that a program compares, and what was known of sizes there."""

    node: ast.stmt
    block: int
    left: Array
    right: Array
    sizes: Sizes
    assumptions: tuple[Note, ...]


def compared_in(statement: ast.stmt) -> Iterator[tuple[ast.expr, ast.expr]]:
    """The two results that a statement says are the same, or prints whether they are; none for others.

    >>> [ast.unparse(x) for x in next(compared_in(ast.parse("assert torch.allclose(f(x), g(x), atol=1e-5)").body[0]))]
    ['f(x)', 'g(x)']
    >>> [ast.unparse(x) for x in next(compared_in(ast.parse("assert (a - b).abs().max() < 1e-6").body[0]))]
    ['a', 'b']
    >>> list(compared_in(ast.parse("assert not torch.allclose(a, b)").body[0]))
    []
    """
    if isinstance(statement, ast.Assert):
        if (found := _compared(statement.test)) is not None:
            yield found
    elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        call = statement.value
        if _name(call.func) == "print" and len(call.args) == 1:
            call = call.args[0]  # type: ignore[assignment]
        if (found := _compared(call)) is not None:
            yield found


def _compared(test: ast.expr) -> tuple[ast.expr, ast.expr] | None:
    """The two sides of a test that they are the same."""
    if isinstance(test, ast.Call) and _name(test.func) in ("bool", "all") and len(test.args) == 1:
        return _compared(test.args[0])
    if isinstance(test, ast.Call) and _name(test.func) in ("all", "item") and isinstance(test.func, ast.Attribute):
        return _compared(test.func.value) if not test.args else None
    if isinstance(test, ast.Call) and _name(test.func) in COMPARING:
        if isinstance(test.func, ast.Attribute) and len(test.args) == 1:  # a.equal(b)
            return test.func.value, test.args[0]
        return (test.args[0], test.args[1]) if len(test.args) >= 2 else None
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        if isinstance(test.ops[0], ast.Lt | ast.LtE) and isinstance(test.comparators[0], ast.Constant):
            return _difference(test.left)
    return None


def _difference(node: ast.expr) -> tuple[ast.expr, ast.expr] | None:
    """The two sides of `(a - b).abs().max()`."""
    seen: set[str] = set()
    while isinstance(node, ast.Call):
        name = _name(node.func)
        if name not in _LARGEST | _ABSOLUTE | {"item", "float"}:
            return None
        seen.add(name)
        of_value = isinstance(node.func, ast.Attribute) and not node.args
        if not of_value and len(node.args) != 1:
            return None
        node = node.func.value if of_value and isinstance(node.func, ast.Attribute) else node.args[0]
    is_size = bool(seen & _LARGEST) and (bool(seen & _ABSOLUTE) or "norm" in seen)
    is_difference = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub)
    return (node.left, node.right) if is_size and is_difference and isinstance(node, ast.BinOp) else None


def _name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def check_in(i: Interpreter, statement: ast.stmt) -> bool:
    """Note the check that a statement of the module makes; False where it makes none.

    A side that is not followed leaves no check; it is refused only where it may change something.
    """
    found = next(compared_in(statement), None)
    if found is None or not _is_plain(i, statement, found):
        return False
    sizes, assumed = copy.deepcopy(i.scope.sizes), list(i.scope.assumptions)
    try:
        left, right = (_array(i.value(side, i.module)) for side in found)
        known = copy.deepcopy(i.scope.sizes)
        i.checks.append(Compared(statement, i.block, left, right, known, tuple(i.scope.assumptions)))
    except (NotLifted, TermError, RecursionError):
        if effects(found, i.module.names.get):
            raise
        i.scope.facts.clear()
        i.path, i.loops, i.bodies, i.folds, i.depth, i.base, i.frames = [], [], [], [], 0, 0, []
    finally:
        i.scope.sizes, i.scope.assumptions = sizes, assumed
    return True


def _is_plain(i: Interpreter, statement: ast.stmt, sides: tuple[ast.expr, ast.expr]) -> bool:
    """Whether nothing but the two sides is computed: no function of the program compares them, no option changes anything."""
    inside = {id(n) for side in sides for n in ast.walk(side)}
    around = [n for n in ast.walk(statement) if isinstance(n, ast.Call) and id(n) not in inside]
    for call in around:
        root = call.func
        while isinstance(root, ast.Attribute):
            root = root.value
        is_name = isinstance(root, ast.Name) and id(root) not in inside
        if is_name and isinstance(root, ast.Name) and not isinstance(i.module.names.get(root.id), Module | None):
            return False
    others = [
        x
        for c in around
        for x in (*c.args, *(k.value for k in c.keywords))
        if not {id(n) for n in ast.walk(x)} & inside
    ]
    return not effects(others, i.module.names.get)


def _array(value: Value) -> Array:
    value = value.array if isinstance(value, Stacked) else value
    if not isinstance(value, Array):
        raise NotLifted("a side of the check is no array")
    return value


__all__ = ["Compared", "check_in", "compared_in"]
