"""`while i < n:` with a counter, as the `for` loop that takes the same rounds."""

from __future__ import annotations

import ast
import copy
from collections.abc import Sequence
from dataclasses import dataclass

from derivations.lifting.loops.generic_round import stored_names, walk_statements
from derivations.lifting.symbolic.not_lifted import NotLifted

_TURNED = {ast.Lt: ast.Gt, ast.Gt: ast.Lt, ast.LtE: ast.GtE, ast.GtE: ast.LtE}


@dataclass(frozen=True)
class Counted:
    """A `while` loop whose counter goes from its value before by `step`, up or down."""

    counter: str
    loop: ast.For
    step: ast.expr
    down: bool


def counted(s: ast.While) -> Counted:
    """The `for` loop of a `while` loop; refuses any loop that is not seen to count."""
    if s.orelse:
        raise _refusal("while ... else")
    test = s.test
    if not isinstance(test, ast.Compare) or len(test.ops) != 1:
        raise _refusal("its condition is no comparison with a counter")
    for one, other, sign in (
        (test.left, test.comparators[0], type(test.ops[0])),
        (test.comparators[0], test.left, _TURNED.get(type(test.ops[0]))),
    ):
        if isinstance(one, ast.Name) and sign in _TURNED:
            found = _step(s.body, one.id)
            if found is not None:
                return _counted(s, one.id, other, sign, *found)
    raise _refusal("no name in its condition goes up or down by the same amount in each round")


def _counted(
    s: ast.While, name: str, end: ast.expr, sign: type[ast.cmpop], k: int, step: ast.expr, down: bool
) -> Counted:
    if down is not (sign in (ast.Gt, ast.GtE)):
        raise _refusal(f"{name} goes away from its bound")
    body = [*s.body[:k], *(_Later(name, step, down).visit(copy.deepcopy(x)) for x in s.body[k + 1 :])]
    stored = stored_names(s.body)
    free = {n.id for x in (end, step) for n in ast.walk(x) if isinstance(n, ast.Name)}
    if not free.isdisjoint(stored):
        raise _refusal("its bound or its step changes in the loop")
    if any(isinstance(n, (ast.Break, ast.Continue, ast.Return)) for n in walk_statements(s.body)):
        raise _refusal("it may end or skip the counting")
    if any(isinstance(n, (ast.Lambda, ast.FunctionDef)) and _speaks(n, name) for x in s.body for n in ast.walk(x)):
        raise _refusal(f"a function inside it reads {name}")
    bound = end if sign in (ast.Lt, ast.Gt) else _plus(end, -1 if down else 1)
    by = ast.UnaryOp(ast.USub(), step) if down else step
    call = ast.Call(ast.Name("range", ast.Load()), [ast.Name(name, ast.Load()), bound, by], [])
    loop = ast.For(ast.Name(name, ast.Store()), call, body or [ast.Pass()], [])
    return Counted(name, ast.fix_missing_locations(ast.copy_location(loop, s)), step, down)


def _speaks(n: ast.AST, name: str) -> bool:
    return any(isinstance(x, ast.Name) and x.id == name for x in ast.walk(n))


def _step(body: Sequence[ast.stmt], name: str) -> tuple[int, ast.expr, bool] | None:
    """Where the one statement `name += step` of a loop stands, and its step; None when there is no such or another."""
    stores = [
        n for n in walk_statements(body) if isinstance(n, ast.Name) and n.id == name and not isinstance(n.ctx, ast.Load)
    ]
    if len(stores) != 1:
        return None
    for k, s in enumerate(body):
        value, op = (s.value, s.op) if isinstance(s, ast.AugAssign) and s.target is stores[0] else (None, None)
        if isinstance(s, ast.Assign) and s.targets == [stores[0]] and isinstance(s.value, ast.BinOp):
            own, other = s.value.left, s.value.right
            if isinstance(s.value.op, ast.Add) and not _speaks(own, name):
                own, other = other, own
            value, op = (other, s.value.op) if isinstance(own, ast.Name) and own.id == name else (None, None)
        if value is not None and isinstance(op, (ast.Add, ast.Sub)) and _is_step(value):
            return k, value, isinstance(op, ast.Sub)
    return None


def _is_step(value: ast.expr) -> bool:
    """A positive whole number, or a name or an attribute that may be one."""
    if isinstance(value, ast.Constant):
        return type(value.value) is int and value.value > 0
    return isinstance(value, (ast.Name, ast.Attribute))


class _Later(ast.NodeTransformer):
    """Statements after the counting see the next number."""

    def __init__(self, name: str, step: ast.expr, down: bool) -> None:
        self.name, self.step, self.down = name, step, down

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id != self.name:
            return node
        op = ast.Sub() if self.down else ast.Add()
        return ast.copy_location(ast.BinOp(ast.Name(self.name, ast.Load()), op, copy.deepcopy(self.step)), node)


def _plus(e: ast.expr, k: int) -> ast.expr:
    return ast.BinOp(copy.deepcopy(e), ast.Add(), ast.Constant(k))


def _refusal(reason: str) -> NotLifted:
    return NotLifted(f"a while loop that is not seen to count: {reason}")


__all__ = ["Counted", "counted"]
