"""Python's built-in functions, as far as they are taken over."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from derivations.language.term import Index
from derivations.lifting.interpreter.decisions import decide
from derivations.lifting.loops import rounds
from derivations.lifting.loops.generic_round import total
from derivations.lifting.operations import all_operations, elementwise
from derivations.lifting.operations.indexing import known_at_least
from derivations.lifting.operations.number_types import cast
from derivations.lifting.operations.table import Infinity, Stacked, Text, Value, array, integer
from derivations.lifting.symbolic.arrays import Array, real, scalar
from derivations.lifting.symbolic.not_lifted import NotLifted
from derivations.lifting.values.layers import Layer
from derivations.lifting.values.python_values import Bag, Instance, Members, Module, Pairs, Pending, Range, carried

if TYPE_CHECKING:
    from derivations.lifting.interpreter.interpret import Interpreter

NAMES = frozenset(
    [
        "len",
        "dict",
        "range",
        "enumerate",
        "zip",
        "sum",
        "max",
        "min",
        "abs",
        "float",
        "int",
        "bool",
        "list",
        "tuple",
        "print",
        "isinstance",
        "hasattr",
        "getattr",
        "setattr",
        "super",
        "reversed",
        "round",
        "str",
        "repr",
        "NotImplementedError",
        "ValueError",
        "pow",
        "map",
    ]
)
_KEYWORDS: Mapping[str, frozenset[str]] = {"enumerate": frozenset({"start"}), "sum": frozenset({"start"})}
"""The keywords that are read; `dict` takes any."""
_NUMBERS = ("builtins.int", "builtins.float")


def call(i: Interpreter, name: str, given: Sequence[Value], named: Mapping[str, Value]) -> Value:
    """The result of a built-in function."""
    from derivations.lifting.interpreter.calls import apply, attribute, language_operation, operation

    if name == "zip" and named.get("strict") in (True, False):
        named = {}
    if name not in ("dict", "print") and named.keys() - _KEYWORDS.get(name, frozenset()):
        raise NotLifted(f"{name} is called with the argument {next(iter(named))}")
    if name in ("float", "int", "bool") and given and not isinstance(given[0], str):
        return _converted(i, name, given[0])
    if name in ("list", "tuple"):
        if not given:
            return [] if name == "list" else ()
        found = rounds.iterate(i, given[0])
        if isinstance(found, list):
            return found if name == "list" else tuple(found)
        return Stacked(array(given[0])) if isinstance(given[0], (Array, Stacked)) else listed(i, given[0])
    if name == "dict" and (not given or (len(given) == 1 and isinstance(given[0], dict))):
        return {**(given[0] if given else {}), **named}
    if name == "range":
        bounds = [i.scope.sizes.resolve(integer(g)) for g in given]
        step = bounds[2] if len(bounds) > 2 else Index.of(1)
        if not step.is_constant and not step.free and all(c > 0 for _, c in step.terms) and step.const >= 0:
            return Range(bounds[0], bounds[1], 1, step)
        if not step.is_constant or not step.const:
            raise NotLifted("a range with a step that may be negative")
        return Range(bounds[0] if len(bounds) > 1 else Index(), bounds[1] if len(bounds) > 1 else bounds[0], step.const)
    if name == "enumerate":
        start = integer(given[1] if len(given) > 1 else named.get("start", scalar(0)))
        if not start.is_constant:
            raise NotLifted("enumerate from a symbolic number")
        return Pairs((None, given[0]), start.const)
    if name == "zip":
        return Pairs(tuple(given))
    if name == "reversed":
        if isinstance(given[0], Range) and given[0].step == 1 and given[0].width is None:
            return Range(given[0].high - 1, given[0].low - 1, -1)
        if isinstance(given[0], (list, tuple)):
            return list(given[0])[::-1]
    if name == "len":
        return _length(i, given[0])
    if name == "sum":
        return _summed(i, given[0], given[1] if len(given) > 1 else named.get("start", scalar(0)))
    if name in ("max", "min"):
        return _largest(i, name, given)
    if name == "abs":
        return language_operation(i, "torch.abs", given, {})
    if name == "pow" and len(given) == 2:
        return i.binary("**", given[0], given[1])
    if name == "float":
        return operation(i, "builtins.float", given, named)
    if name in ("str", "repr"):
        return given[0] if name == "str" and given and isinstance(given[0], str) else Text()
    if name == "map" and len(given) == 2:
        found = rounds.iterate(i, given[1])
        if isinstance(found, list):
            return [apply(i, given[0], [v], {}) for v in found]
    if name == "isinstance" and len(given) == 2:
        return _is_instance(given[0], given[1])
    if name == "hasattr" and len(given) == 2 and isinstance(given[1], str):
        return _has(given[0], given[1])
    if name == "getattr" and len(given) in (2, 3) and isinstance(given[1], str) and isinstance(given[0], Instance):
        if given[1] in given[0].attributes or len(given) == 2:
            return attribute(i, given[0], given[1], ast.Constant(given[1]))
        return given[2]
    if name == "setattr" and len(given) == 3 and isinstance(given[1], str):
        i.set_attribute(given[0], given[1], given[2])
        return None
    raise NotLifted(f"the built-in {name} is not taken over", code="unknown-operation")


def _is_instance(value: Value, kind: Value) -> bool:
    """Whether an array is one of torch or of NumPy, or a value a number or None, where that is known."""
    kinds = [k.path if isinstance(k, Module) else "" for k in (kind if isinstance(kind, tuple) else (kind,))]
    if isinstance(value, Array) and value.rank and value.library:
        own = "torch.Tensor" if value.library == "torch" else "numpy.ndarray"
        if set(kinds) <= {"torch.Tensor", "numpy.ndarray", *_NUMBERS}:
            return own in kinds
    if isinstance(value, Array) and not value.rank and not value.library and isinstance(value.entry, Index):
        if set(kinds) <= {"torch.Tensor", "numpy.ndarray", *_NUMBERS}:
            return "builtins.int" in kinds
    raise NotLifted("isinstance of something that is not known")


def _has(value: Value, name: str) -> bool:
    """Whether a module or an object has an attribute, where that is known."""
    if isinstance(value, Module) and value.path.split(".")[0] in ("torch", "numpy"):
        from derivations.lifting.interpreter.calls import canonical

        if canonical(f"{value.path}.{name}") in all_operations.BY_NAME:
            return True
    if isinstance(value, Instance):
        return name in value.attributes or value.cls.member(name) is not None
    raise NotLifted("hasattr of something that is not known")


def listed(i: Interpreter, value: Value) -> Value:
    """The numbers of a range."""
    from derivations.lifting.interpreter.calls import operation

    if isinstance(value, Range) and value.step == 1 and value.width is None:
        return Stacked(operation(i, "torch.arange", [scalar(value.low), scalar(value.high)], {}))
    raise NotLifted("a list of symbolic length")


def _converted(i: Interpreter, name: str, value: Value) -> Value:
    if isinstance(value, Infinity):
        return value
    a = array(value)
    if name == "bool":
        known = decide(i, a)
        return known if isinstance(known, bool) else scalar(known)
    if a.rank and not all(s is Index.of(1) for s in i.scope.shape(a)):
        raise NotLifted(f"{name} of an array")
    if name == "int" and a.kind == "real":
        return elementwise.whole(i.scope, a)
    return scalar(real(a.entry)) if name == "float" and not isinstance(a.entry, Index) else a


def _length(i: Interpreter, value: Value) -> Value:
    if isinstance(value, (list, tuple, dict, str)):
        return scalar(len(value))
    if isinstance(value, Layer):
        value = value.settings.get("layers", ())
        return scalar(value.loop.size if isinstance(value, Members) else len(value))
    a = array(value)
    if not a.rank:
        raise NotLifted("the length of a number")
    return scalar(i.scope.sizes.resolve(a.shape[0]))


def _summed(i: Interpreter, value: Value, start: Value) -> Value:
    from derivations.lifting.interpreter.calls import language_operation

    if isinstance(value, Bag):
        made = value.array
        for loop in reversed(value.loops):
            made = total(i.scope, made, loop)
        return made
    if isinstance(value, Pending):
        raise carried("the array")
    found = rounds.iterate(i, value)
    if isinstance(found, list):
        result = start
        for v in found:
            if isinstance(v, Array) and v.kind == "bool":
                v = cast(i.scope, v, "whole")
            nothing = isinstance(result, Array) and result.entry is Index() and not result.rank
            result = v if nothing else i.binary("+", result, v)
        return result
    made = language_operation(i, "torch.sum", [array(value)], {"dim": scalar(0)})
    return made if isinstance(start, Array) and start.entry is Index() else i.binary("+", start, made)


def _largest(i: Interpreter, name: str, given: Sequence[Value]) -> Value:
    if len(given) == 1:
        found = rounds.iterate(i, given[0])
        from derivations.lifting.interpreter.calls import operation

        if not isinstance(found, list):
            return operation(i, f"numpy.{name}", [array(given[0])], {})
        given = found
    if not given:
        raise NotLifted(f"{name} of nothing")
    result = given[0]
    for v in given[1:]:
        a, b = array(result), array(v)
        if isinstance(a.entry, Index) and isinstance(b.entry, Index) and known_at_least(i.scope, a.entry - b.entry, 0):
            result = a if name == "max" else b
        elif (
            isinstance(a.entry, Index) and isinstance(b.entry, Index) and known_at_least(i.scope, b.entry - a.entry, 0)
        ):
            result = b if name == "max" else a
        elif i.loops and i.scope.tails and isinstance(a.entry, Index) and isinstance(b.entry, Index):
            sign = -1 if name == "max" else 1
            result = scalar(sign * i.scope.smaller(sign * a.entry, sign * b.entry))
        else:
            result = elementwise._maximum(i.scope, a, b) if name == "max" else elementwise._minimum(i.scope, a, b)
    return result
