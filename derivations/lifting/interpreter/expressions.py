"""The value of each kind of expression of Python."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import reduce
from typing import TYPE_CHECKING, Any

from derivations.language.term import Index, Number
from derivations.lifting.interpreter import built_in, calls
from derivations.lifting.interpreter.decisions import (
    decide,
    depends_on_data,
    have_same_lengths,
    require_known,
    undisturbed,
)
from derivations.lifting.loops import rounds
from derivations.lifting.loops.generic_round import conjunction
from derivations.lifting.loops.sequences import Rows
from derivations.lifting.operations import elementwise
from derivations.lifting.operations.indexing import Slice, subscript
from derivations.lifting.operations.table import INFINITY, Stacked, Struct, Text, Unlifted, Value, array, integer
from derivations.lifting.symbolic.arrays import Array, scalar, truth
from derivations.lifting.symbolic.not_lifted import NotLifted
from derivations.lifting.symbolic.truth_values import FALSE, TRUE, Condition, all_of, negated
from derivations.lifting.values.layers import Layer
from derivations.lifting.values.python_values import (
    Accumulator,
    Carried,
    Class,
    Env,
    Function,
    Growing,
    Instance,
    Module,
    Pending,
    Settings,
    carried,
)
from derivations.lifting.values.records import items as packed

if TYPE_CHECKING:
    from derivations.lifting.interpreter.interpret import Interpreter


KNOWN_MODULES = {
    "np": "numpy",
    "numpy": "numpy",
    "torch": "torch",
    "F": "torch.nn.functional",
    "nn": "torch.nn",
    "math": "math",
}
"""Names that documents use without importing them."""
JOINED = {"numpy.c_": "numpy.column_stack", "numpy.r_": "numpy.concatenate"}
"""Objects of NumPy whose subscripts are joined."""
SIGNS: Mapping[type[ast.AST], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.Pow: "**",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.BitAnd: "&",
    ast.BitOr: "|",
}
_COMPARISONS: Mapping[type[ast.AST], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
}


def evaluate(i: Interpreter, node: ast.expr, env: Env) -> Value:
    """The value of an expression, by its kind."""
    handler = _HANDLERS.get(type(node))
    if handler is None:
        raise NotLifted(f"the expression {type(node).__name__} is not taken over")
    return handler(i, node, env)


def _name(i: Interpreter, node: ast.Name, env: Env) -> Value:
    where = env.find(node.id)
    if where is None:
        scope: Env | None = env
        while scope is not None:
            if node.id in scope.local:
                raise NotLifted(f"the name {node.id} is read before it has a value", code="undefined-name")
            scope = scope.parent
        if node.id == "__name__":
            return "__main__"  # a document's code is run as a program
        if env.outermost.complete:
            raise NotLifted(f"the name {node.id} has no value here", code="undefined-name")
        if i.opaque:
            raise NotLifted(f"the name {node.id} may have been given any value before", code="undefined-name")
        if node.id in KNOWN_MODULES:
            return Module(KNOWN_MODULES[node.id])
        if node.id in built_in.NAMES:
            return Module(f"builtins.{node.id}")
        raise NotLifted(f"the name {node.id} has no value here", code="undefined-name")
    found = where.names[node.id]
    if isinstance(found, Unlifted):
        if isinstance(found.problem, Carried):
            raise carried(found.problem.name)
        raise NotLifted(found.problem.reason, code=found.problem.code)
    if isinstance(found, (Accumulator, Growing, Pending)):
        raise carried(node.id)
    if isinstance(found, Rows) and found.listed:
        return found.whole()
    if isinstance(found, Rows):
        raise NotLifted(f"{node.id} is read as a whole in the loop that fills it", code="loop-carried")
    return found


def _constant(i: Interpreter, node: ast.Constant, env: Env) -> Value:
    v = node.value
    if isinstance(v, bool) or v is None or isinstance(v, str) or v is Ellipsis:
        return v
    if isinstance(v, int):
        return scalar(v)
    if isinstance(v, float):
        if v in (float("inf"), float("-inf")):
            return INFINITY
        return scalar(Number(Fraction(repr(v))))
    raise NotLifted(f"the constant {v!r}")


def _operator(i: Interpreter, node: ast.BinOp, env: Env) -> Value:
    a, b = i.value(node.left, env), i.value(node.right, env)
    if isinstance(node.op, ast.Add):  # x + 1e-8: a guard against a division by zero
        a, b = i.scope.guarding(a), i.scope.guarding(b)
    sign = "@" if isinstance(node.op, ast.MatMult) else SIGNS.get(type(node.op))
    if sign is None:
        raise NotLifted("this operator")
    return i.binary(sign, a, b)


def _unary(i: Interpreter, node: ast.UnaryOp, env: Env) -> Value:
    v = i.value(node.operand, env)
    if isinstance(node.op, ast.USub):
        return elementwise.negative(i.scope, v)
    if isinstance(node.op, ast.Not):
        known = decide(i, v)
        return (not known) if isinstance(known, bool) else scalar(negated(known))
    if isinstance(node.op, ast.Invert):
        return elementwise.invert(i.scope, v)
    return v


def _boolean(i: Interpreter, node: ast.BoolOp, env: Env) -> Value:
    conjunctive = isinstance(node.op, ast.And)
    found: list[Condition] = []
    last: Value = conjunctive
    for part in node.values:
        last = i.value(part, env) if not found else undisturbed(i, lambda p=part: i.value(p, env), env)  # type: ignore[misc]
        if (found or part is not node.values[-1]) and not _is_truth(last):
            require_known(i, last)  # what comes out is one of the values, and not only whether they hold
            if found:
                raise NotLifted("and, or of values of which a condition on indices takes one")
        if part is node.values[-1] and not found:
            return last
        known = decide(i, last)
        if isinstance(known, bool):
            if known is not conjunctive:
                return last
        else:
            found.append(known)
    if not found:
        return last
    return scalar(conjunction(found) if conjunctive else tuple(g for c in found for g in c))


def _comparison(i: Interpreter, node: ast.Compare, env: Env) -> Value:
    left, results = i.value(node.left, env), []
    for o, right_node in zip(node.ops, node.comparators, strict=True):
        right = i.value(right_node, env)
        results.append(_compare(i, o, left, right))
        left = right
    if len(results) == 1:
        return results[0]
    if all(isinstance(r, bool) for r in results):
        return all(results)
    if any(array(r).rank for r in results):
        raise NotLifted("a chain of comparisons of arrays, which is an error")
    return scalar(reduce(all_of, (truth(array(r).entry) for r in results)))


def _compare(i: Interpreter, o: ast.cmpop, a: Value, b: Value) -> Value:
    plain = (type(None), bool, str, Module, Function, Class, Instance)
    if isinstance(o, (ast.Is, ast.IsNot)):
        if all(isinstance(v, (Array, str, tuple)) for v in (a, b)):
            raise NotLifted("whether two values are one object")
        same = a is b or (isinstance(a, (bool, Module)) and a == b)
        return same if isinstance(o, ast.Is) else not same
    if isinstance(o, (ast.In, ast.NotIn)):
        known = isinstance(b, (tuple, list)) and all(isinstance(v, (str, type(None))) for v in b)
        if isinstance(a, str) and (known or isinstance(b, (str, dict))):
            return (a in b) is isinstance(o, ast.In)
        raise NotLifted("a test of membership")
    if any(isinstance(v, Text) or (isinstance(v, Module) and v.path.startswith("tensor.")) for v in (a, b)):
        raise NotLifted("a decision by text, a device or a type of numbers")
    sign = _COMPARISONS[type(o)]
    if isinstance(a, (tuple, list)) and isinstance(b, (tuple, list)) and sign in ("==", "!="):
        return have_same_lengths(i, a, b) is (sign == "==")
    if isinstance(a, plain) or isinstance(b, plain):
        if any(isinstance(v, Instance) for v in (a, b)) and a is not b and a is not None and b is not None:
            raise NotLifted("whether two objects are equal")
        if sign in ("==", "!=") and not (isinstance(a, Array) or isinstance(b, Array)):
            return (a == b) is (sign == "==")
        if a is None or b is None:
            return sign == "!="
    made = elementwise.compare(i.scope, sign, a, b)
    if not made.rank and made.entry in (TRUE, FALSE):
        return made.entry == TRUE
    return made


def _conditional(i: Interpreter, node: ast.IfExp, env: Env) -> Value:
    test = i.value(node.test, env)
    known = True if depends_on_data(test) else decide(i, test)
    if isinstance(known, bool) and not depends_on_data(test):
        return i.value(node.body if known else node.orelse, env)
    yes, no = (undisturbed(i, lambda e=e: i.value(e, env), env) for e in (node.body, node.orelse))  # type: ignore[misc]
    return elementwise.where(i.scope, test if isinstance(known, bool) else scalar(known), yes, no)


def _indexed(i: Interpreter, node: ast.Subscript, env: Env) -> Value:
    if i.loops and isinstance(node.value, ast.Name):
        own = rounds.own_entry(i, node, env)
        if own is not None:
            return own
    base = i.value(node.value, env)
    items = i.items(node.slice, env)
    return _part(i, base, items)


def _part(i: Interpreter, base: Value, items: Value) -> Value:
    if isinstance(base, Module) and base.path in JOINED:
        values = list(items) if isinstance(items, tuple) else [items]
        return calls.operation(i, JOINED[base.path], [[array(v) for v in values]], {})
    base = base.items if isinstance(base, Struct) else packed(base) or base
    if isinstance(base, Settings) and isinstance(items, str):
        return base.entry(i.scope, items)
    if isinstance(base, dict):
        if isinstance(items, str) and items in base:
            if isinstance(base[items], Unlifted):
                raise base[items].problem
            return base[items]
        raise NotLifted("a key that the dictionary does not have")
    if isinstance(base, (tuple, list)):
        if isinstance(items, Slice):
            cut = [None if v is None else integer(v) for v in (items.lower, items.upper, items.step)]
            if any(c is not None and not c.is_constant for c in cut):
                raise NotLifted("a part of a list with symbolic bounds")
            return base[slice(*(None if c is None else c.const for c in cut))]
        place = i.scope.sizes.resolve(integer(items, "a position"))
        if place.is_constant:
            if not -len(base) <= place.const < len(base):
                raise NotLifted("a position outside the list", code="shape-conflict")
            return base[place.const]
        return _part(i, calls.language_operation(i, "torch.stack", [list(base)], {}), items)
    if isinstance(base, Stacked):
        return subscript(i.scope, base.array, items)
    if isinstance(base, Layer):
        return base.member(i, items)
    return subscript(i.scope, array(base), items)


def _attribute(i: Interpreter, node: ast.Attribute, env: Env) -> Value:
    return calls.attribute(i, i.value(node.value, env), node.attr, node.value)


def _call(i: Interpreter, node: ast.Call, env: Env) -> Value:
    return calls.call(i, node, env)


def _comprehension(i: Interpreter, node: ast.expr, env: Env) -> Value:
    return rounds.comprehension(i, node, env)


def _anonymous(i: Interpreter, node: ast.Lambda, env: Env) -> Value:
    return calls.function(i, node, env)


def _tuple(i: Interpreter, node: Any, env: Env) -> Value:
    return tuple(v for e in node.elts for v in _element(i, e, env))


def _list(i: Interpreter, node: Any, env: Env) -> Value:
    return [v for e in node.elts for v in _element(i, e, env)]


def _element(i: Interpreter, e: ast.expr, env: Env) -> list[Value]:
    if isinstance(e, ast.Starred):
        v = i.value(e.value, env)
        if not isinstance(v, (tuple, list)):
            raise NotLifted("* on something that is no list")
        return list(v)
    return [i.value(e, env)]


def _dict(i: Interpreter, node: Any, env: Env) -> Value:
    made: dict[str, Value] = {}
    for k, v in zip(node.keys, node.values, strict=True):
        if not isinstance(k, ast.Constant) or not isinstance(k.value, str):
            raise NotLifted("a dictionary whose keys are not text")
        made[k.value] = i.value(v, env)
    return made


def _text(i: Interpreter, node: Any, env: Env) -> Value:
    """A text that is put together; known where all its parts are, as in f"W_{gate}" for a gate of a list of names."""
    parts = [_written_part(i, part, env) for part in node.values]
    known = [p for p in parts if p is not None]
    return "".join(known) if len(known) == len(parts) else Text()


def _written_part(i: Interpreter, part: Any, env: Env) -> str | None:
    """What a part of a text says; None where that is not followed."""
    if isinstance(part, ast.Constant):
        return str(part.value)
    if isinstance(part.value, ast.Name) and part.conversion == -1 and part.format_spec is None:
        held = env.find(part.value.id)
        value = None if held is None else held.names[part.value.id]
        if isinstance(value, Array) and not value.rank and isinstance(value.entry, Index) and value.entry.is_constant:
            return str(value.entry.const)
        return value if isinstance(value, str) else None
    i.passed_over(part.value, env)
    return None


def _is_truth(value: Value) -> bool:
    """Whether a value is a truth value itself, so that it and whether it holds are one."""
    return isinstance(value, bool) or (isinstance(value, Array) and value.kind == "bool")


def _walrus(i: Interpreter, node: Any, env: Env) -> Value:
    value = i.value(node.value, env)
    while env.inner and env.parent is not None:
        env = env.parent
    i.bind_name(node.target.id, value, env, ast.copy_location(ast.Expr(node), node))
    return value


_HANDLERS: Mapping[type[ast.expr], Callable[[Interpreter, Any, Env], Value]] = {
    ast.Name: _name,
    ast.Constant: _constant,
    ast.BinOp: _operator,
    ast.UnaryOp: _unary,
    ast.BoolOp: _boolean,
    ast.Compare: _comparison,
    ast.IfExp: _conditional,
    ast.Subscript: _indexed,
    ast.Attribute: _attribute,
    ast.Call: _call,
    ast.ListComp: _comprehension,
    ast.GeneratorExp: _comprehension,
    ast.Lambda: _anonymous,
    ast.Tuple: _tuple,
    ast.List: _list,
    ast.Dict: _dict,
    ast.JoinedStr: _text,
    ast.NamedExpr: _walrus,
}
