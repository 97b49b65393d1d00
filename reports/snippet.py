"""A counterexample as a small program of its own: plain Python that a sceptic runs without this project.

The program is made from the report alone: the `sympy` text of the statement and of the definitions it rests on, and
the inputs of the counterexample. The text is parsed as data (`ast`), never evaluated. Before a program is handed out,
the same tree is evaluated here at the same inputs and compared with the two values that the report states; where
anything is not covered or does not match, the program only states the inputs and the values, and says so.
"""

from __future__ import annotations

import ast
import keyword
import math
import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

_LENGTH_LIMIT = 50_000
_WORK_LIMIT = 200_000
_FUNCTIONS: dict[str, Callable[[float], float]] = {
    "exp": math.exp,
    "log": math.log,
    "sin": math.sin,
    "cos": math.cos,
    "tanh": math.tanh,
}
_RELATIONS: dict[str, tuple[str, Callable[[Any, Any], bool]]] = {
    "Equality": ("==", operator.eq),
    "Unequality": ("!=", operator.ne),
    "LessThan": ("<=", operator.le),
    "StrictLessThan": ("<", operator.lt),
    "GreaterThan": (">=", operator.ge),
    "StrictGreaterThan": (">", operator.gt),
}
_CONSTANTS = {"pi": math.pi, "E": math.e}
_DECIMAL = re.compile(r"\s*(-?\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?\s*+(?:…|\.\.\.)?\s*+$")
_RATIONAL = re.compile(r"\s*(-?\d+)/(\d+)\s*$")


@dataclass(frozen=True)
class Snippet:
    """A program and its title: `checks` says whether it evaluates both sides or only states what was found."""

    title: str
    code: str
    checks: bool


@dataclass(frozen=True)
class _Node:
    """A head of the SymPy text with its arguments; a name or a number is a leaf with a value."""

    head: str
    args: tuple[_Node, ...] = ()
    value: Any = None


_MINUS_ONE = _Node("Integer", (_Node("literal", value=-1),))


@dataclass(frozen=True)
class _Definition:
    name: str
    parameters: tuple[str, ...]
    body: _Node


@dataclass
class _Program:
    """What names stand for while a program is written or evaluated."""

    inputs: Mapping[str, Any]
    definitions: Mapping[str, _Definition]
    names: Mapping[str, str]
    work: int = 0
    used: set[str] = field(default_factory=set)


class _NotCovered(Exception):
    """The statement holds something that has no plain Python here; the program then only states the values."""


def write_snippet(item: Mapping[str, Any], by_id: Mapping[str, Mapping[str, Any]]) -> Snippet:
    """Write the counterexample of `item` as a program; `by_id` holds the items of its document by their id.

    Raises KeyError where the item has no counterexample.
    """
    found = item["counterexample"]
    if found.get("program"):
        return Snippet("Check it yourself: the document's own code at this point", found["program"], checks=True)
    try:
        code = _checking(item, found, by_id)
    except (_NotCovered, ArithmeticError, ValueError, LookupError, TypeError, RecursionError, MemoryError):
        return Snippet("The values as Python", _stating(found), checks=False)
    return Snippet("Check it yourself: plain Python, without this tool", code, checks=True)


# Programs


def _stating(found: Mapping[str, Any]) -> str:
    """A program that only holds the inputs and states the values."""
    names = _identifiers([*found["sizes"], *found["inputs"], *found["at"]])
    lines = ["from fractions import Fraction as F", ""]
    lines += _assignments(found, names)
    lines += ["", f"left = {str(found['left'])!r}", f"right = {str(found['right'])!r}"]
    return "\n".join([*lines, 'print("stated, not evaluated: left side", left, "right side", right)']) + "\n"


def _checking(item: Mapping[str, Any], found: Mapping[str, Any], by_id: Mapping[str, Mapping[str, Any]]) -> str:
    """A program that evaluates both sides; raises where one cannot be made that gives the stated values."""
    if found["kind"] not in {"values", "digits"} or item["sympy"] is None:
        raise _NotCovered("no statement to evaluate")
    statement = _parse(item["sympy"])
    if statement.head not in _RELATIONS or len(statement.args) != 2:
        raise _NotCovered(statement.head)
    definitions = _definitions(item, by_id)
    inputs = {**found["inputs"], **found["sizes"], **found["at"]}
    overlap = set(definitions) & set(inputs)
    definitions = {name: row for name, row in definitions.items() if name not in overlap}
    bound = [name for row in definitions.values() for name in row.parameters]
    bound += [name for tree in [statement, *(row.body for row in definitions.values())] for name in _bound(tree)]
    program = _Program(_exact(inputs), definitions, _identifiers([*inputs, *definitions, *bound]))
    left, right = statement.args
    for side, stated in ((left, found["left"]), (right, found["right"])):
        if stated is None or not _matches(_evaluate(side, {}, program), stated):
            raise _NotCovered("the evaluation does not give the stated value")
    if _RELATIONS[statement.head][1](_evaluate(left, {}, program), _evaluate(right, {}, program)):
        raise _NotCovered("the statement holds at these values")
    sides = [f"left = {_code(left, program)}", f"right = {_code(right, program)}"]
    body = []
    for name, row in definitions.items():
        written = _code(row.body, program)
        if row.parameters:
            parameters = ", ".join(program.names[each] for each in row.parameters)
            body += ["", "", f"def {program.names[name]}({parameters}):", f"    return {written}"]
        else:
            body += ["", "", f"def {program.names[name]}():", f"    return {written}"]
    lines = _assignments(found, program.names) + body
    if body:
        lines += ["", ""]
    code = "\n".join([*lines, *sides])
    imports = [f"import {name}" for name in ("math",) if "math." in code]
    relation = _RELATIONS[statement.head][0]
    closing = ['print("left side ", float(left))', 'print("right side", float(right))']
    closing.append(f'print("the statement needs left {relation} right")')
    return "\n".join([*imports, "from fractions import Fraction as F", "", code, *closing]) + "\n"


def _assignments(found: Mapping[str, Any], names: Mapping[str, str]) -> list[str]:
    lines = [f"{names[name]} = {int(value)}" for name, value in found["sizes"].items()]
    lines += [f"{names[name]} = {_literal(value)}" for name, value in found["inputs"].items()]
    return lines + [f"{names[name]} = {int(value)}" for name, value in found["at"].items()]


def _literal(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{str(key)!r}: {_literal(element)}" for key, element in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_literal, value)) + "]"
    try:
        exact = Fraction(value)
    except (ValueError, ZeroDivisionError, TypeError):
        return repr(str(value))
    return f"F({exact})" if exact.denominator == 1 else f"F({exact.numerator}, {exact.denominator})"


def _identifiers(names: Sequence[str]) -> dict[str, str]:
    """A Python identifier for each name, all different."""
    taken = {"F", "math", "left", "right", "print", "sum", "range", "max", "float"}
    result: dict[str, str] = {}
    for name in names:
        if name in result:
            continue
        plain = re.sub(r"[^A-Za-z0-9_]+", "_", name).strip("_") or "x"
        if plain[0].isdigit() or keyword.iskeyword(plain):
            plain = "v_" + plain
        candidate, number = plain, 2
        while candidate in taken:
            candidate, number = f"{plain}_{number}", number + 1
        taken.add(candidate)
        result[name] = candidate
    return result


# Reading the SymPy text


def _parse(text: str) -> _Node:
    """The text of `sympy.srepr` as a tree, by its syntax alone."""
    if len(text) > _LENGTH_LIMIT:
        raise _NotCovered("too long")
    try:
        tree = ast.parse(text, mode="eval")
    except SyntaxError as error:
        raise _NotCovered("no SymPy text") from error
    return _read(tree.body)


def _read(node: ast.expr) -> _Node:
    match node:
        case ast.Constant(value=bool() | None):
            raise _NotCovered("a constant")
        case ast.Constant(value=int() | str() as value):
            return _Node("literal", value=value)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() as value)):
            return _Node("literal", value=-value)
        case ast.Name(id=name):
            return _Node(name)
        case ast.Call(func=ast.Name(id="Symbol" | "Dummy"), args=[ast.Constant(value=str() as name), *_]):
            return _Node("name", value=name)
        case ast.Call(func=ast.Name(id="IndexedBase" | "Idx"), args=[first, *_]):
            inner = _read(first)
            return _Node("name", value=inner.value) if inner.head in {"name", "literal"} else inner
        case ast.Call(func=ast.Name(id=head), args=args):
            return _Node(head, tuple(_read(argument) for argument in args))
    raise _NotCovered(type(node).__name__)


def _definitions(item: Mapping[str, Any], by_id: Mapping[str, Mapping[str, Any]]) -> dict[str, _Definition]:
    """The definitions that the statement rests on, directly or through others."""
    found: dict[str, _Definition] = {}
    waiting, seen = list(item["depends_on"]), set()
    while waiting:
        name = waiting.pop(0)
        if name in seen or name not in by_id:
            continue
        seen.add(name)
        other = by_id[name]
        waiting += other["depends_on"]
        if other["status"] != "defined" or other["sympy"] is None:
            continue
        tree = _parse(other["sympy"])
        if tree.head != "Equality" or len(tree.args) != 2:
            continue
        head, body = tree.args
        heads = head.args if head.head == "Indexed" else (head,)
        if any(part.head != "name" for part in heads):
            raise _NotCovered("a definition by cases of its index")
        if heads[0].value in found:
            raise _NotCovered("two definitions of one name")
        parameters = tuple(str(part.value) for part in heads[1:])
        found[str(heads[0].value)] = _Definition(str(heads[0].value), parameters, body)
    return found


def _bound(node: _Node) -> Iterator[str]:
    if node.head == "Sum":
        yield from (str(limits.args[0].value) for limits in node.args[1:])
    for part in node.args:
        yield from _bound(part)


def _exact(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _exact(element) for name, element in value.items()}
    if isinstance(value, list):
        return [_exact(element) for element in value]
    return Fraction(value)


def _matches(value: Any, stated: str) -> bool:
    """Whether a value is what the text states, to its last printed digit."""
    rational = _RATIONAL.match(stated)
    if rational:
        return math.isclose(value, int(rational.group(1)) / int(rational.group(2)), rel_tol=1e-12)
    decimal = _DECIMAL.match(stated)
    if decimal is None:
        return False
    digits = decimal.group(2) or ""
    power = int(decimal.group(3) or 0)
    if abs(power) > 300:
        return False
    number = Fraction(f"{decimal.group(1)}.{digits or '0'}") * Fraction(10) ** power
    # The text may be cut or rounded; floating point adds its own last digits.
    unit = Fraction(10) ** (power - len(digits)) if digits else Fraction(0)
    return abs(Fraction(value) - number) <= unit + abs(number) * Fraction(1, 10**12)


# One table, two readings of it: the value, and the Python


def _evaluate(node: _Node, scope: Mapping[str, Any], program: _Program) -> Any:
    program.work += 1
    if program.work > _WORK_LIMIT:
        raise _NotCovered("too much work")

    def value(part: _Node) -> Any:
        return _evaluate(part, scope, program)

    args = node.args
    match node.head:
        case "Integer" | "Rational":
            return Fraction(*(part.value for part in args))
        case "name":
            if node.value in scope:
                return scope[node.value]
            if node.value in program.definitions:
                return _evaluate(program.definitions[node.value].body, {}, program)
            return program.inputs[node.value]
        case "Indexed":
            where = [value(part) for part in args[1:]]
            if args[0].value in program.definitions:
                row = program.definitions[args[0].value]
                return _evaluate(row.body, dict(zip(row.parameters, where, strict=True)), program)
            entry = program.inputs[args[0].value]
            for position in where:
                if position != int(position) or position < 0:
                    raise _NotCovered("an entry out of range")
                entry = entry[int(position)]
            return entry
        case "Add":
            return sum(map(value, args))
        case "Mul":
            return math.prod(map(value, args))
        case "Pow":
            return value(args[0]) ** (int(e) if (e := value(args[1])) == int(e) else float(e))
        case "Max":
            return max(map(value, args))
        case "Mod":
            return value(args[0]) % value(args[1])
        case "KroneckerDelta":
            return Fraction(value(args[0]) == value(args[1]))
        case "Sum":
            return sum(_evaluate(args[0], {**scope, **row}, program) for row in _ranges(args[1:], scope, program))
        case "Piecewise":
            if args[-1].args[1].head != "true":
                raise _NotCovered("cases that do not cover everything")
            return next(value(part.args[0]) for part in args if value(part.args[1]))
        case "And" | "Or":
            return (all if node.head == "And" else any)(map(value, args))
        case "Not":
            return not value(args[0])
        case "true" | "false":
            return node.head == "true"
    if node.head in _RELATIONS:
        return _RELATIONS[node.head][1](value(args[0]), value(args[1]))
    if node.head in _FUNCTIONS and len(args) == 1:
        return _FUNCTIONS[node.head](value(args[0]))
    if node.head in _CONSTANTS and not args:
        return _CONSTANTS[node.head]
    raise _NotCovered(node.head)


def _ranges(limits: Sequence[_Node], scope: Mapping[str, Any], program: _Program) -> Iterator[dict[str, Any]]:
    """The values of the bound indices: the last range is the outermost, as SymPy writes it."""
    if not limits:
        yield {}
        return
    name, low, high = limits[-1].args
    first, last = (_evaluate(part, scope, program) for part in (low, high))
    for position in range(int(first), int(last) + 1):
        outer = {name.value: Fraction(position)}
        for inner in _ranges(limits[:-1], {**scope, **outer}, program):
            yield {**outer, **inner}


def _code(node: _Node, program: _Program) -> str:
    def code(part: _Node) -> str:
        return _code(part, program)

    args = node.args
    match node.head:
        case "Integer" | "Rational":
            return _literal(Fraction(*(part.value for part in args)))
        case "name":
            called = "()" if node.value in program.definitions else ""
            return program.names[node.value] + called
        case "Indexed":
            name = program.names[args[0].value]
            if args[0].value in program.definitions:
                return f"{name}({', '.join(map(code, args[1:]))})"
            return name + "".join(f"[{_index(part, program)}]" for part in args[1:])
        case "Add":
            return "(" + " + ".join(map(code, args)) + ")"
        case "Mul":
            below = [part for part in args if part.head == "Pow" and part.args[1] == _MINUS_ONE]
            above = " * ".join(code(part) for part in args if part not in below) or "1"
            return above + "".join(f" / {_grouped(code(part.args[0]))}" for part in below)
        case "Pow":
            exponent = args[1]
            if exponent.head == "Integer":
                power = exponent.args[0].value
                grouped = _grouped(code(args[0]))
                return f"(1 / {grouped})" if power == -1 else f"{grouped} ** {power if power >= 0 else f'({power})'}"
            return f"{_grouped(code(args[0]))} ** float({code(exponent)})"
        case "Max":
            return f"max({', '.join(map(code, args))})"
        case "Mod":
            return f"({code(args[0])} % {code(args[1])})"
        case "KroneckerDelta":
            return f"(1 if {code(args[0])} == {code(args[1])} else 0)"
        case "Sum":
            loops = " ".join(
                f"for {program.names[limits.args[0].value]} in {_range(limits.args[1], limits.args[2], program)}"
                for limits in reversed(args[1:])
            )
            return f"sum({code(args[0])} {loops})"
        case "Piecewise":
            chain = "".join(f"{code(part.args[0])} if {code(part.args[1])} else " for part in args[:-1])
            return f"({chain}{code(args[-1].args[0])})"
        case "And" | "Or":
            return "(" + f" {node.head.lower()} ".join(map(code, args)) + ")"
        case "Not":
            return f"(not {code(args[0])})"
        case "true" | "false":
            return node.head.capitalize()
    if node.head in _RELATIONS:
        return f"({code(args[0])} {_RELATIONS[node.head][0]} {code(args[1])})"
    if node.head in _FUNCTIONS:
        return f"math.{node.head}({code(args[0])})"
    return f"math.{node.head.lower()}"


def _grouped(code: str) -> str:
    """The code in parentheses, where it is more than a name, a call or what has them already."""
    return code if re.fullmatch(r"\w+|[\w.]*\([^()]*\)|[\w.]*\((?:[^()]|\([^()]*\))*\)", code) else f"({code})"


def _range(low: _Node, high: _Node, program: _Program) -> str:
    """`range` over both limits and what lies between; one less than something is that something as the end."""
    parts = high.args if high.head == "Add" else ()
    rest = tuple(part for part in parts if part != _MINUS_ONE)
    if len(rest) == len(parts) - 1:
        end = _index(rest[0] if len(rest) == 1 else _Node("Add", rest), program)
    else:
        end = f"{_index(high, program)} + 1"
    start = _index(low, program)
    return f"range({end})" if start == "0" else f"range({start}, {end})"


def _index(node: _Node, program: _Program) -> str:
    """An index or a limit: an integer, written without fractions where it can be."""
    match node.head:
        case "Integer":
            return str(node.args[0].value)
        case "name":
            return _code(node, program)
        case "Add" if all(part.head in {"Integer", "name"} for part in node.args):
            return " + ".join(_index(part, program) for part in node.args).replace("+ -", "- ")
    return f"int({_code(node, program)})"
