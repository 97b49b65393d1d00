r"""Gradients written as differentials: `dV = P^\top dO`, and derivatives written with an upright or italic d.

LaTeX sets `dV` as a product.  It is one name where the document has an equation for it: nobody defines a product of d
with something.  `\frac{dL}{dx}` and `\frac{d \phi(z)}{dz}` are derivatives: a common factor d would have been cancelled.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TypeGuard

from derivations.latex.syntax.letters import GREEK
from derivations.latex.syntax.surface import (
    Adjacent,
    Chain,
    Fraction,
    Literal,
    Name,
    Node,
    Operator,
    Reading,
    Scripted,
    fields_of,
    walk,
)

TOTAL = "roman"
"""The font of the sign of a derivative that was written with a d."""


def written_differentials(readings: Iterable[Reading]) -> frozenset[str] | None:
    """The letters X of the names `dX` that have an equation of their own; none where the document writes no such names.

    No letter at all, but a set, where the text only mentions `dx_j` beside derivatives of that letter d.
    """
    readings = list(readings)
    defined = frozenset(
        _letter(r.chain.first.items[1])
        for r in readings
        if r.chain.links and r.chain.links[0][0] in ("=", "equiv") and _is_pair(r.chain.first)
    )
    if defined:
        return defined
    mentioned = any(not r.chain.links and _is_pair(r.chain.first) for r in readings)
    if mentioned and any(isinstance(n, Fraction) and _derivative(n) for r in readings for n in walk(r.chain)):
        return frozenset()
    return None


def with_differentials(reading: Reading, joined: frozenset[str] | None) -> Reading:
    """The reading with derivatives as such, and with every `dX` as one name unless `joined` is None.

    In `2dN` the d is a factor; not so where N is in `joined`, the letters whose `dN` has an equation.
    """
    chain = _rewritten(reading.chain, joined)
    conditions = tuple(_rewritten(c, joined) for c in reading.conditions)
    if chain is reading.chain and all(a is b for a, b in zip(conditions, reading.conditions, strict=True)):
        return reading
    return replace(reading, chain=chain if isinstance(chain, Chain) else reading.chain, conditions=conditions)


def _is_d(node: Node) -> bool:
    return isinstance(node, Name) and node.base == "d" and node.font in ("", "roman") and not node.accents


def _pair(a: Node, b: Node) -> bool:
    """`dX`, `dq_i`: a d that touches a letter."""
    base = b.base if isinstance(b, Scripted) else b
    if not _is_d(a) or not isinstance(base, Name) or a.span[1] != b.span[0] or base.accents:
        return False
    return len(base.base) == 1 and base.base.isalpha() and (base.base.isupper() or isinstance(b, Scripted))


def _is_pair(node: Node | None) -> TypeGuard[Adjacent]:
    return isinstance(node, Adjacent) and len(node.items) == 2 and _pair(*node.items)


def _letter(node: Node) -> str:
    base = node.base if isinstance(node, Scripted) else node
    return base.base if isinstance(base, Name) else ""


def _gradient(a: Node, b: Node) -> bool:
    """`dx`, `d\\gamma_j`, `d\\hat{x}_j` as well, in a document that writes gradients like this."""
    base = b.base if isinstance(b, Scripted) else b
    if not _is_d(a) or not isinstance(base, Name) or a.span[1] != b.span[0]:
        return False
    return base.base in GREEK or (len(base.base) == 1 and base.base.isalpha())


def _rewritten(node: Node, joined: frozenset[str] | None) -> Node:
    changed: dict[str, object] = {}
    if isinstance(node, Fraction) and (found := _derivative(node)) is not None:
        return found
    for name in fields_of(node):
        value = getattr(node, name)
        if isinstance(value, Node):
            new: object = _rewritten(value, joined)
        elif isinstance(value, tuple):
            new = _tuple(value, joined)
        else:
            continue
        if new is not value:
            changed[name] = new
    if changed:
        node = replace(node, **changed)  # type: ignore[arg-type]
    return _names(node, joined) if joined is not None and isinstance(node, Adjacent) else node


def _tuple(values: tuple[object, ...], joined: frozenset[str] | None) -> tuple[object, ...]:
    new = tuple(
        _rewritten(v, joined) if isinstance(v, Node) else _tuple(v, joined) if isinstance(v, tuple) else v
        for v in values
    )
    return values if all(a is b for a, b in zip(values, new, strict=True)) else new


def _names(node: Adjacent, defined: frozenset[str]) -> Node:
    items: list[Node] = []
    for item in node.items:
        before = items[-1] if items else None
        clear = len(items) < 2 or items[-2].span[1] < items[-1].span[0] or _letter(item) in defined
        if before is not None and clear and isinstance(item, Operator) and _is_d(before) and _touch((before, item)):
            items[-1] = replace(item, span=(before.span[0], item.span[1]), name=f"d {item.name}")
            continue
        if before is not None and clear and _gradient(before, item):
            items[-1] = _joined(before, item)
            continue
        items.append(item)
    if len(items) == len(node.items):
        return node
    return items[0] if len(items) == 1 else replace(node, items=tuple(items))


def _joined(before: Node, item: Node) -> Node:
    if isinstance(item, Scripted):
        return replace(item, span=(before.span[0], item.span[1]), base=_joined(before, item.base))
    if not isinstance(item, Name):
        raise TypeError(f"a name is needed, found {type(item).__name__}")
    return replace(item, span=(before.span[0], item.span[1]), base="d" + item.base)


def _derivative(node: Fraction) -> Fraction | None:
    """A fraction of differentials with the sign of a partial derivative."""
    above = node.above.items if isinstance(node.above, Adjacent) else (node.above,)
    below = node.below.items if isinstance(node.below, Adjacent) else (node.below,)
    if _is_second(above, below):
        return replace(node, above=_signed_twice(node.above, above), below=_signed_twice(node.below, below))
    if not (_is_d(above[0]) and len(below) == 2 and _is_d(below[0])):
        return None
    return replace(node, above=_signed(node.above, above), below=_signed(node.below, below))


def _is_second(above: Sequence[Node], below: Sequence[Node]) -> bool:
    r"""`\frac{d^2 f}{dx^2}`, `\frac{d^2 f}{dx\,dy}`."""
    first = above[0]
    if not isinstance(first, Scripted) or not _is_d(first.base) or not _is_two(first.sup) or first.sub is not None:
        return False
    if len(below) == len(("d", "x^2")):
        return _is_d(below[0]) and isinstance(below[1], Scripted) and _is_two(below[1].sup)
    return len(below) == len(("d", "x", "d", "y")) and _is_d(below[0]) and _is_d(below[2])


def _is_two(node: Node | None) -> bool:
    return isinstance(node, Literal) and node.text == "2"


def _signed_twice(node: Node, items: Sequence[Node]) -> Node:
    """The items with the sign of a partial derivative for each d."""
    signed = tuple(
        _total(n) if _is_d(n) else replace(n, base=_total(n.base)) if isinstance(n, Scripted) and _is_d(n.base) else n
        for n in items
    )
    return signed[0] if len(signed) == 1 else Adjacent(node.span, signed)


def _total(d: Node) -> Name:
    """The sign of a total derivative, which is read as a partial one but for what it holds fixed."""
    return Name(d.span, "partial", TOTAL)


def _touch(items: Sequence[Node]) -> bool:
    return items[0].span[1] == items[1].span[0] or (isinstance(items[0], Name) and items[0].font == "roman")


def _signed(node: Node, items: Sequence[Node]) -> Node:
    sign = _total(items[0])
    return sign if len(items) == 1 else Adjacent(node.span, (sign, *items[1:]))
