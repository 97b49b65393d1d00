r"""Functions whose values are indices: the group `g(h)` of a head, in `K_{g(h), s}`, `V^{(g(h))}`, `\sum_{h : g(h) = a}`.

Below or above a name, and below a sum, such a call becomes a `Label`: it says which entry is meant.  That it stands in a
script is not enough, because $\mu_{f(x)}$ may be the mean of $f(x)$: what it is applied to must be letters that count, and
the place one that letters take elsewhere, unless an equation defines the function by a rounded quotient or a remainder.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from derivations.latex.passes.labels_in_subscripts import index_letters_of, is_place
from derivations.latex.passes.short_forms import joined, mapped, mapped_readings
from derivations.latex.syntax.letters import letter
from derivations.latex.syntax.surface import (
    Adjacent,
    Big,
    Chain,
    Enclosed,
    Fraction,
    Infix,
    Label,
    Listed,
    Literal,
    Name,
    Node,
    Reading,
    Scripted,
    walk,
    walk_reading,
)

_Key = tuple[str, str, tuple[str, ...]]
"""A letter, its font and its accents."""
_Place = tuple[_Key, str, int, int]
"""A name, below or above it, which place of how many."""


def with_index_functions(readings: Sequence[Reading]) -> list[Reading]:
    """The readings with `Label` for the values of functions that say which entry is meant."""
    found = _found(readings)
    if not found:
        return list(readings)

    def change(node: Node) -> Node:
        if isinstance(node, Scripted) and (node.sub is not None or node.sup is not None):
            sub = None if node.sub is None else _in_script(node.sub, found)
            sup = node.sup
            parts = sup.items if isinstance(sup, Adjacent) else () if sup is None else (sup,)
            if any(
                isinstance(p, Enclosed) and p.kind == "()" for p in parts
            ):  # K^{(g(h))}, and with a sign of a transpose
                sup = None if sup is None else mapped(sup, lambda n: _as_labels(n, found))
            return node if sub is node.sub and sup is node.sup else replace(node, sub=sub, sup=sup)
        if isinstance(node, Big) and node.sub is not None:
            sub = mapped(node.sub, lambda n: _as_labels(n, found))
            return node if sub is node.sub else replace(node, sub=sub)
        return node

    return mapped_readings(readings, change)


@dataclass(frozen=True, slots=True)
class RoundedFunction:
    r"""A function of one letter that an equation defines by a rounded quotient or a remainder: `g(h) = \lfloor h / r \rfloor`."""

    name: Name
    argument: str
    body: Node


def rounded_functions(chain: Chain) -> Iterator[RoundedFunction]:
    """The function that an equation defines so; none where it defines something else."""
    first = chain.first
    if not isinstance(first, Adjacent) or len(first.items) != 2 or [r for r, _ in chain.links][:1] != ["="]:
        return
    name, argument = first.items
    own = letter(argument.content) if isinstance(argument, Enclosed) and argument.kind == "()" else None
    if isinstance(name, Name) and not name.primes and own is not None and _is_whole(chain.links[0][1]):
        yield RoundedFunction(name, own, chain.links[0][1])


def lengths_of_rounded(body: Node) -> Iterator[str]:
    r"""The H of `\lfloor h G / H \rfloor` and of `h \bmod H`: lengths, by which one counts, where the value is an index."""
    for n in walk(body):
        inner = n.content if isinstance(n, Enclosed) and n.kind in ("floor", "ceil") else None
        by = n.right if isinstance(n, Infix) and n.operator == "mod" else None
        if isinstance(inner, Fraction) or (isinstance(inner, Infix) and inner.operator == "/"):
            by = inner.parts[1]
        items = by.items if isinstance(by, Adjacent) else () if by is None else (by,)
        yield from (c for item in items if (c := letter(item)) is not None)


def _is_whole(node: Node) -> bool:
    """Whether an expression is rounded, a remainder, or a sum of such with numbers and letters."""
    if isinstance(node, Infix) and node.operator in ("+", "-"):
        sides = (node.left, node.right)
        return any(map(_is_whole, sides)) and all(_is_whole(n) or is_place(n) for n in sides)
    if isinstance(node, Infix):
        return node.operator == "mod"
    if isinstance(node, Enclosed) and node.kind == "()" and node.content is not None:
        return _is_whole(node.content)
    return isinstance(node, Enclosed) and node.kind in ("floor", "ceil")


def _key(name: Name) -> _Key:
    return name.base, name.font, name.accents


def _in_script(node: Node, found: set[_Key]) -> Node:
    """A subscript with labels; `{g(h) s}` side by side becomes a list of two places."""
    new = mapped(node, lambda n: _as_labels(n, found))
    if isinstance(new, Adjacent) and any(isinstance(n, Label) for n in new.items):
        if all(isinstance(n, Label | Literal) or letter(n) is not None for n in new.items):
            return Listed(new.span, new.items)
    return new


def _as_labels(node: Node, found: set[_Key]) -> Node:
    """A product with calls of these functions in it, with the calls as labels."""

    def label(name: Node, after: Node) -> Node | None:
        places = _arguments(after)
        if not isinstance(name, Name) or name.primes or not places or _key(name) not in found:
            return None
        return Label((name.span[0], after.span[1]), name, places, is_call=True)

    return joined(node, label)


def _arguments(node: Node) -> tuple[Node, ...]:
    """The places in parentheses; none where something else stands in them."""
    if not isinstance(node, Enclosed) or node.kind != "()" or node.content is None:
        return ()
    items = node.content.items if isinstance(node.content, Listed) else (node.content,)
    return tuple(items) if all(is_place(n) or isinstance(n, Label) for n in items) else ()


@dataclass
class _Evidence:
    lettered: set[_Place] = field(default_factory=set)
    """The places that letters or numbers take."""
    called: dict[_Key, set[_Place]] = field(default_factory=dict)
    """The places that values of a function take, applied to letters that count."""
    single: set[_Key] = field(default_factory=set)
    """Functions that are applied to one letter alone somewhere: `n (k - 1)` may be a product."""


def _found(readings: Sequence[Reading]) -> set[_Key]:
    """The functions whose values are indices."""
    e = _Evidence()
    rounded = {_key(f.name): f.argument for r in readings for f in rounded_functions(r.chain)}
    letters = {c for r in readings for c in index_letters_of(r)} | set(rounded.values())
    for node in (n for r in readings for n in walk_reading(r)):
        if isinstance(node, Scripted) and isinstance(node.base, Name):
            for place, item in _places(node, _key(node.base)):
                _look_at_place(e, place, item, letters)
    shown = {key for key, places in e.called.items() if key in rounded or not places.isdisjoint(e.lettered)}
    return {key for key in shown | (rounded.keys() & e.called.keys()) if key in e.single or key in rounded}


def _look_at_place(e: _Evidence, place: _Place, item: Node, letters: set[str]) -> None:
    """Take a place of a script for one of letters, or for one of the values of a function."""
    if letter(item) is not None or isinstance(item, Literal):
        e.lettered.add(place)
        return
    for name, argument in _calls(item):
        arguments = _arguments(argument)
        own = {c for p in arguments for m in walk(p) if (c := letter(m)) is not None}
        is_single = all(letter(p) is not None or isinstance(p, Literal) for p in arguments)
        if not arguments or not own <= letters or (letter(name) in letters and not is_single):
            continue
        e.called.setdefault(_key(name), set()).add(place)
        if is_single:
            e.single.add(_key(name))


def _calls(node: Node) -> Iterator[tuple[Name, Node]]:
    """The names in a place with parentheses after them."""
    items = node.items if isinstance(node, Adjacent) else ()
    for name, argument in pairwise(items):
        if isinstance(name, Name) and isinstance(argument, Enclosed) and not name.primes:
            yield name, argument


def _places(node: Scripted, key: _Key) -> Iterator[tuple[_Place, Node]]:
    """The places of a name with what stands there."""
    if node.sub is not None:
        yield from _numbered(key, "below", _items(node.sub))
    parts = node.sup.items if isinstance(node.sup, Adjacent) else () if node.sup is None else (node.sup,)
    for part in parts:
        if isinstance(part, Enclosed) and part.kind == "()" and part.content is not None:
            yield from _numbered(key, "above", _items(part.content))


def _items(script: Node) -> tuple[Node, ...]:
    """What stands in a script, side by side or in a list, a name with its parentheses as one."""
    if isinstance(script, Listed):
        return script.items
    if not isinstance(script, Adjacent):
        return (script,)
    items: list[Node] = []
    for item in script.items:
        if items and isinstance(items[-1], Name) and isinstance(item, Enclosed):
            items[-1] = Adjacent((items[-1].span[0], item.span[1]), (items[-1], item))
        else:
            items.append(item)
    return tuple(items)


def _numbered(key: _Key, where: str, items: Iterable[Node]) -> Iterator[tuple[_Place, Node]]:
    items = tuple(items)
    yield from (((key, where, k, len(items)), item) for k, item in enumerate(items))
