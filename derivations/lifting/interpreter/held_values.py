"""What lists, dictionaries, objects and names hold, by identity: it tells whether code changed them, and what shares memory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from derivations.lifting.loops.sequences import Rows
from derivations.lifting.operations.table import Stacked, Struct, Value
from derivations.lifting.symbolic.arrays import Array
from derivations.lifting.values.python_values import Accumulator, Env, Growing, Instance, Pending


def contents(value: Value) -> list[int]:
    """What an object holds, by identity."""
    inner = value.attributes if isinstance(value, Instance) else value
    return [id(v) for v in (inner.values() if isinstance(inner, dict) else inner)]


def arrays_in(value: Value, seen: set[int]) -> Iterable[Array]:
    """The arrays that a value reaches."""
    if id(value) in seen:
        return
    seen.add(id(value))
    if isinstance(value, Array):
        yield value
    elif isinstance(value, Pending):
        yield value.before
    elif isinstance(value, Rows):
        yield value.before
    elif isinstance(value, Growing):
        yield from arrays_in(value.items, seen)
    elif isinstance(value, (tuple, list)):
        for v in value:
            yield from arrays_in(v, seen)
    elif isinstance(value, dict):
        for v in value.values():
            yield from arrays_in(v, seen)
    elif isinstance(value, Struct):
        for v in value.items:
            yield from arrays_in(v, seen)
    elif isinstance(value, Instance):
        yield from arrays_in(value.attributes, seen)
    elif isinstance(value, (Stacked,)):
        yield value.array


def held_in(scopes: Iterable[Env], kept: Sequence[Value] = ()) -> list[list[int]]:
    """What names of scopes hold, and what the lists, dictionaries and objects in them hold, by identity."""
    seen: set[int] = set()
    found: list[list[int]] = []
    todo: list[Value] = [*kept]
    for e in scopes:
        if id(e) not in seen:
            seen.add(id(e))
            found.append([id(v) for v in e.names.values()])
            todo += e.names.values()
    while todo:
        v = todo.pop()
        if id(v) not in seen and isinstance(v, (list, tuple, dict, Instance, Pending, Accumulator, Growing, Rows)):
            seen.add(id(v))
            inner = _inner(v)
            found.append([id(x) for x in inner])
            todo += inner
    return found


def _inner(v: Value) -> list[Value]:
    if isinstance(v, Pending):
        return [*v.writes]
    if isinstance(v, Accumulator):
        return [*v.terms]
    if isinstance(v, Growing):
        return [*v.items]
    if isinstance(v, Rows):
        return [v.written]
    inner = v.attributes if isinstance(v, Instance) else v
    return [*inner.values()] if isinstance(inner, dict) else [*inner]
