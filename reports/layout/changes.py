"""What is new in a line of a derivation: the least part of the formula that differs from the line before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from functools import cache

from .reader import read_layout
from .tree import Marked, Node, Row

MOST = 0.8
"""Where more than this share of a formula is new, nothing of it is marked."""


_PARTS = frozenset({"base", "sub", "sup", "top", "bottom", "body", "index", "over", "under", "items"})
"""Fields that hold any formula; where another differs, such as a delimiter, the whole is new."""


def marked(before: str, after: str) -> Row:
    """The layout of `after`, with what `before` does not have in the same place marked.

    Nothing is marked where a part was only left out, or where nearly everything is new.
    """
    old, new = read_layout(before).root, read_layout(after).root
    found = _row(old, new)
    if found is new:
        return new
    only, every = _weight(found)
    return found if only <= MOST * every else new


def _row(old: Row, new: Row) -> Row:
    a, b = old.items, new.items
    start = 0
    while start < min(len(a), len(b)) and a[start] == b[start]:
        start += 1
    end = 0
    while end < min(len(a), len(b)) - start and a[-1 - end] == b[-1 - end]:
        end += 1
    left, middle, right = b[:start], b[start : len(b) - end], b[len(b) - end :]
    gone = a[start : len(a) - end]
    if not middle:
        return new
    changed = _same_kind(gone, middle)
    return Row((*left, *(changed or (Marked(Row(middle)),)), *right))


def _same_kind(old: Sequence[Node], new: Sequence[Node]) -> tuple[Node, ...] | None:
    """Pairs of nodes with the same build are looked into."""
    if len(old) != len(new) or any(type(a) is not type(b) for a, b in zip(old, new, strict=True)):
        return None
    return tuple(a if a == b else _node(a, b) for a, b in zip(old, new, strict=True))


def _node(old: Node, new: Node) -> Node:
    if isinstance(old, Row) and isinstance(new, Row):
        return _row(old, new)
    values = {}
    for field in fields(new):  # type: ignore[arg-type]
        was, now = getattr(old, field.name), getattr(new, field.name)
        if was == now:
            continue
        if field.name not in _PARTS:
            return Marked(Row((new,)))
        if isinstance(was, Row) and isinstance(now, Row):
            values[field.name] = _row(was, now)
        elif isinstance(was, Node) and isinstance(now, Node) and type(was) is type(now):
            values[field.name] = _node(was, now)
        elif field.name == "items":
            values[field.name] = _row(Row(was), Row(now)).items
        elif isinstance(now, Node) and isinstance(was, Node):
            values[field.name] = Marked(Row((now,)))
        else:
            return Marked(Row((new,)))
    return replace(new, **values) if values else new  # type: ignore[type-var]


def _weight(whole: Row) -> tuple[int, int]:
    """How many symbols of a layout are marked, and how many it has."""
    only, every = 0, 0
    todo: list[tuple[object, bool]] = [(whole, False)]
    while todo:
        node, inside = todo.pop()
        if isinstance(node, tuple):
            todo += [(part, inside) for part in node if isinstance(part, Node | tuple)]
            continue
        below = [part for name in _parts(type(node)) if isinstance(part := getattr(node, name), Node | tuple) and part]
        if below:
            inside = inside or isinstance(node, Marked)
            todo += [(part, inside) for part in below]
        else:
            every += 1
            only += inside
    return only, every


@cache
def _parts(kind: type[Node]) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))  # type: ignore[arg-type]
