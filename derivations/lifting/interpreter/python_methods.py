"""Methods of Python's own values: lists, dictionaries and text.

Text that is put together while the code runs is not followed; it is `Text`, and no decision is made by it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from derivations.lifting.loops import rounds
from derivations.lifting.operations.table import Stacked, Text, Value, describe, integer
from derivations.lifting.symbolic.not_lifted import NotLifted
from derivations.lifting.values.python_values import Env, Method

if TYPE_CHECKING:
    from derivations.lifting.interpreter.interpret import Interpreter

_OF_TEXT = frozenset({"lower", "upper", "strip", "title", "capitalize", "startswith", "endswith", "replace"})
"""Methods of text whose results are known where the text is."""


def method(i: Interpreter, m: Method, given: Sequence[Value], named: Mapping[str, Value]) -> Value:
    """The result of a method of a list, a dictionary or text."""
    r = m.receiver
    if isinstance(r, str) and m.name in _OF_TEXT and all(isinstance(g, str) for g in given) and not named:
        return getattr(r, m.name)(*given)
    if isinstance(r, (str, Text)):
        return Text()
    if isinstance(r, Stacked):
        from derivations.lifting.interpreter.calls import array_method

        return array_method(i, Method(r.array, m.name, m.node), given, named, Env())
    if m.name == "copy" and not given:
        return r.copy() if isinstance(r, (list, dict)) else r
    if isinstance(r, dict):
        found = _of_dictionary(i, r, m.name, given, named)
    elif isinstance(r, list) and not named:
        found = _of_list(i, r, m.name, given)
    else:
        found = NotImplemented
    if found is NotImplemented:
        raise NotLifted(f"the method {m.name} of {describe(r)}")
    return found


def _of_dictionary(
    i: Interpreter, r: dict[str, Value], name: str, given: Sequence[Value], named: Mapping[str, Value]
) -> Value:
    if name in ("items", "keys", "values"):
        return [tuple(p) if name == "items" else p[0 if name == "keys" else 1] for p in r.items()]
    if name == "get" and given and isinstance(given[0], str) and not named:
        return r.get(given[0], given[1] if len(given) > 1 else None)
    if name == "setdefault" and len(given) == 2 and isinstance(given[0], str) and given[0] in r:
        return r[given[0]]
    if i.path or i.loops:
        return NotImplemented
    if name == "setdefault" and len(given) == 2 and isinstance(given[0], str) and not named:
        r[given[0]] = given[1]
        return given[1]
    if name == "update" and len(given) <= 1 and all(isinstance(g, dict) for g in given):
        r.update(*given, **named)
        return None
    if name == "pop" and len(given) == 1 and isinstance(given[0], str) and given[0] in r:
        return r.pop(given[0])
    return NotImplemented


def _of_list(i: Interpreter, r: list[Value], name: str, given: Sequence[Value]) -> Value:
    if name == "extend" and len(given) == 1:
        return extend(i, r, given[0])
    if name not in ("append", "pop", "insert", "reverse", "clear"):
        return NotImplemented
    if i.path or i.loops:
        raise NotLifted("a list that grows or shrinks in a branch, or in a loop that does not own it")
    if name == "append" and len(given) == 1:
        r.append(given[0])
        return None
    if name == "insert" and len(given) == 2:
        r.insert(_position(i, given[0], len(r)), given[1])
        return None
    if name == "pop" and len(given) <= 1 and r:
        return r.pop(_position(i, given[0], len(r) - 1) if given else -1)
    if name in ("reverse", "clear") and not given:
        r.reverse() if name == "reverse" else r.clear()
        return None
    return NotImplemented


def _position(i: Interpreter, value: Value, last: int) -> int:
    k = i.scope.sizes.resolve(integer(value, "a position"))
    if not k.is_constant or not -last - 1 <= k.const <= last:
        raise NotLifted("a position in a list that is not known")
    return k.const


def extend(i: Interpreter, items: list[Value], more: Value) -> None:
    """`items += more` of a list, which all names of the list see."""
    found = rounds.iterate(i, more)
    if i.path or i.loops or not isinstance(found, list):
        raise NotLifted("a list that grows or shrinks in a branch, or in a loop that does not own it")
    items.extend(list(found))
