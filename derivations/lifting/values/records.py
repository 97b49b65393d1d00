"""Classes that only have fields: `@dataclass`, `NamedTuple`, `namedtuple("State", "m l")`."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence

from derivations.lifting.operations.table import Value
from derivations.lifting.symbolic.not_lifted import NotLifted
from derivations.lifting.values.python_values import Class, Env, Field, Instance, Module

DATACLASS, FIELD = "dataclasses.dataclass", "dataclasses.field"
NAMED, PLAIN = "typing.NamedTuple", "collections.namedtuple"
SIMPLE = "types.SimpleNamespace"


def is_dataclass(node: ast.ClassDef, evaluate: Callable[[ast.expr], Value]) -> bool:
    """Whether a class has the decorator of data classes only, with options that do not change what its fields are."""
    if len(node.decorator_list) != 1:
        return False
    (d,) = node.decorator_list
    options = [k.arg for k in d.keywords] if isinstance(d, ast.Call) else []
    if isinstance(d, ast.Call) and (
        d.args or not set(options) <= {"frozen", "eq", "slots", "order", "repr", "kw_only"}
    ):
        return False
    return bool(evaluate(d.func if isinstance(d, ast.Call) else d) == Module(DATACLASS))


def fields(cls: Class, node: ast.ClassDef, evaluate: Callable[[ast.expr], Value]) -> list[Field]:
    """The annotated names of a class body, after those of the classes it is made from."""
    found = {f.name: f for b in cls.bases if isinstance(b, Class) for f in b.fields or ()}
    for s in node.body:
        if (
            not isinstance(s, ast.AnnAssign)
            or not isinstance(s.target, ast.Name)
            or "ClassVar" in ast.unparse(s.annotation)
        ):
            continue
        if "InitVar" in ast.unparse(s.annotation):
            raise NotLifted("a field that is only an argument of __post_init__")
        found[s.target.id] = _field(s.target.id, s.value, evaluate)
    return list(found.values())


def _field(name: str, value: ast.expr | None, evaluate: Callable[[ast.expr], Value]) -> Field:
    if value is None:
        return Field(name)
    if not isinstance(value, ast.Call) or evaluate(value.func) != Module(FIELD):
        return Field(name, evaluate(value), has_default=True)
    options = {k.arg: evaluate(k.value) for k in value.keywords}
    if options.get("init", True) is not True:
        raise NotLifted(f"the field {name} is no argument")
    return Field(
        name,
        options.get("default"),
        options.get("default_factory"),
        not {"default", "default_factory"}.isdisjoint(options),
    )


def filled_in(
    cls: Class, given: Sequence[Value], named: Mapping[str, Value], make: Callable[[Value], Value]
) -> Instance:
    """An object from the values of its fields."""
    known = [f.name for f in cls.fields or ()]
    if len(given) > len(known) or not set(named) <= set(known[len(given) :]):
        raise NotLifted(f"{cls.name} is made with arguments that are none of its fields")
    values = {**dict(zip(known, given, strict=False)), **named}
    for f in cls.fields or ():
        if f.name not in values:
            if not f.has_default:
                raise NotLifted(f"{cls.name} needs the argument {f.name}")
            values[f.name] = f.default if f.factory is None else make(f.factory)
    return Instance(cls, {n: values[n] for n in known})


def named_tuple(given: Sequence[Value], named: Mapping[str, Value]) -> Class:
    """`namedtuple("State", "m l")`, or with a list of names."""
    if len(given) != 2 or named or not isinstance(given[0], str):
        raise NotLifted("namedtuple with other arguments than a name and its fields")
    names = given[1].replace(",", " ").split() if isinstance(given[1], str) else given[1]
    if not isinstance(names, (list, tuple)) or not all(isinstance(n, str) for n in names):
        raise NotLifted("namedtuple with fields that are no names")
    node = ast.ClassDef(name=given[0], bases=[], keywords=[], body=[], decorator_list=[])
    return Class(given[0], node, Env(), (), [Field(n) for n in names], packed=True)


def replaced(given: Sequence[Value], named: Mapping[str, Value]) -> Instance:
    """`dataclasses.replace(state, m=...)`, `state._replace(m=...)`."""
    if len(given) != 1 or not isinstance(given[0], Instance) or not named.keys() <= given[0].attributes.keys():
        raise NotLifted("replace of something that is no object with such fields")
    return Instance(given[0].cls, {**given[0].attributes, **named})


def items(value: Value) -> tuple[Value, ...] | None:
    """The fields of a named tuple in order; None for any other value."""
    return tuple(value.attributes.values()) if isinstance(value, Instance) and value.cls.packed else None


__all__ = ["fields", "filled_in", "is_dataclass", "items", "named_tuple", "replaced"]
