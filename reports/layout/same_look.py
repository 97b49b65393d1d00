"""Whether two formulas look the same, so that one of them is enough: space and the height of brackets do not count."""

from __future__ import annotations

from typing import Any

from .reader import read_layout
from .tree import (
    Accent,
    Atom,
    Classed,
    Delimiter,
    Fenced,
    Fraction,
    Marked,
    Node,
    Number,
    Root,
    Row,
    Scripts,
    Space,
    Style,
    Table,
)

_DEFINED = ((":", ""), ("=", ""))


def alike(one: str, other: str) -> bool:
    r"""Whether two formulas in LaTeX look the same; a definition may have `=` or `:=`, and a formula ends in any stop.

    >>> alike(r"A_{ij} = e^{x}.", r"A_{ij} := \,e^x"), alike(r"f\left(x\right)", "f(x)"), alike("A_{ij}", "A_i j")
    (True, True, False)
    """
    return _sentence(one) == _sentence(other)


def _sentence(latex: str) -> list[Any]:
    layout = read_layout(latex)
    drawn = list(_drawn(layout.root))
    while drawn and drawn[-1] in ((",", ""), (".", ""), (";", "")):
        drawn.pop()
    defined = next((k for k in range(len(drawn) - 1) if tuple(drawn[k : k + 2]) == _DEFINED), None)
    if defined is not None:
        del drawn[defined]
    return [("=", "") if piece == ("≔", "") else piece for piece in drawn]


def _drawn(node: Node | None) -> tuple[Any, ...]:
    """What is seen of a node, piece by piece."""
    match node:
        case None | Space():
            return ()
        case Row(items=items):
            return tuple(piece for item in items for piece in _drawn(item))
        case Style(body=body) | Classed(body=body) | Marked(body=body):
            return _drawn(body)
        case Atom(text=text, font=font) | Number(text=text, font=font):
            return ((text, font),)
        case Delimiter(atom=atom):
            return _drawn(atom)
        case Fenced(left=left, items=items, right=right):
            return (*_drawn(left), *_drawn(Row(items)), *_drawn(right))
        case Scripts(base=base, sub=sub, sup=sup, primes=primes):
            return (("scripts", _drawn(base), _drawn(sub), _drawn(sup), primes),)
        case Fraction(top=top, bottom=bottom, line=line):
            return (("over", _drawn(top), _drawn(bottom), line),)
        case Root(body=body, index=index):
            return (("root", _drawn(body), _drawn(index)),)
        case Accent(mark=mark, body=body):
            return (("mark", mark.text, mark.under, _drawn(body)),)
        case Table(env=env, rows=rows):
            return (("table", env, tuple(tuple(map(_drawn, cells)) for cells in rows)),)
    return (node,)
