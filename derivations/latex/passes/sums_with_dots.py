r"""Sums that are written with dots, `w_1 x_1 + \dots + w_m x_m`, as sums over an index.

The last term says what the others are like: one part of it, the `m`, stands for a number that counts up.  Every term that is
written before the dots must be the one that comes out for its number.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from derivations.latex.passes.short_forms import mapped, unused_index
from derivations.latex.syntax.letters import letter
from derivations.latex.syntax.surface import (
    Adjacent,
    Big,
    Chain,
    Enclosed,
    Fraction,
    Infix,
    Literal,
    Mark,
    Node,
    Reading,
    Scripted,
    bare,
    walk,
)

STARTS = (1, 0, 2)
"""Numbers from which the terms of a sum are counted, the likeliest first."""


def with_sums_of_dots(reading: Reading) -> Reading:
    """A formula with its sums that have dots written as sums over an index."""
    if not any(isinstance(n, Mark) and n.kind == "dots" for n in walk(reading.chain)):
        return reading
    chain = mapped(reading.chain, _with_sum)
    return replace(reading, chain=chain) if isinstance(chain, Chain) else reading


def _with_sum(node: Node) -> Node:
    """`a + x_1 + \\dots + x_n` as a plus a sum; any other node as it is."""
    if not isinstance(node, Infix) or node.operator != "+" or not _is_dots(_last(node.left)):
        return node
    before = list(_terms(node.left))[:-1]
    if any(_is_dots(n) for n in before):
        return node
    for skipped in range(len(before)):
        found = _series(before[skipped:], node.right)
        if found is not None:
            found = replace(found, span=node.span)
            for term in reversed(before[:skipped]):
                found = Infix(node.span, "+", term, found)
            return found
    return node


def _series(written: list[Node], last: Node) -> Node | None:
    """The sum of terms up to the last one, over the part of this that counts up."""
    for part in _parts_that_count(last, is_index=len(written) == 1):
        for start in STARTS:
            terms = (_reckoned(_put_in(last, part, Literal(part.span, str(start + k)))) for k in range(len(written)))
            if all(bare(term) == bare(_reckoned(own)) for term, own in zip(terms, written, strict=True)):
                index = unused_index((*written, last), part.span)
                limits = Chain(part.span, index, (("=", Literal(part.span, str(start))),))
                return Big(last.span, "sum", limits, part, _put_in(last, part, index))
    return None


def _parts_that_count(last: Node, *, is_index: bool) -> Iterator[Node]:
    """Parts of the last term that may be the number that counts up, the largest first; after one term alone an index."""
    below = [n.sub for n in walk(last) if isinstance(n, Scripted) and n.sub is not None]
    seen = set()
    for part in (*below, *(() if is_index else (n for n in walk(last) if letter(n) is not None))):
        if bare(part) not in seen and any(letter(n) is not None for n in walk(part)):
            seen.add(bare(part))
            yield part


def _put_in(node: Node, part: Node, value: Node) -> Node:
    return mapped(node, lambda n: value if bare(n) == bare(part) else n)


def _reckoned(node: Node) -> Node:
    """A term with its numbers reckoned: `1/1` and `x^1 1` are `1` and `x`."""
    return mapped(node, _simpler)


def _simpler(node: Node) -> Node:
    match node:
        case Fraction(above=above, below=Literal(text="1")):
            return above
        case Scripted(base=Literal(text=a), sub=None, sup=Literal(text=b)) if (
            a.isdigit() and b.isdigit() and len(b) == 1
        ):
            return Literal(node.span, str(int(a) ** int(b)))
        case Scripted(base=base, sub=None, sup=Literal(text="1")):
            return base
        case Scripted(sub=None, sup=Literal(text="0")):
            return Literal(node.span, "1")
        case Enclosed(content=Literal() as number):
            return number
        case Infix(operator="+" | "-" | "cdot" as operator, left=Literal(text=a), right=Literal(text=b)):
            return _number(node, operator, a, b) or node
        case Adjacent(items=(Literal(text=a), Literal(text=b))):
            return _number(node, "cdot", a, b) or node
        case Adjacent(items=items):
            rest = tuple(n for n in items if not (isinstance(n, Literal) and n.text == "1"))
            if len(rest) == len(items):
                return node
            return replace(node, items=rest) if len(rest) > 1 else rest[0] if rest else Literal(node.span, "1")
    return node


def _number(node: Node, operator: str, a: str, b: str) -> Literal | None:
    if not (a.isdigit() and b.isdigit()):
        return None
    one, other = int(a), int(b)
    value = one + other if operator == "+" else one - other if operator == "-" else one * other
    return Literal(node.span, str(value)) if value >= 0 else None


def _terms(node: Node) -> Iterator[Node]:
    if isinstance(node, Infix) and node.operator == "+":
        yield from _terms(node.left)
        yield node.right
    else:
        yield node


def _last(node: Node) -> Node:
    return node.right if isinstance(node, Infix) and node.operator == "+" else node


def _is_dots(node: Node) -> bool:
    return isinstance(node, Mark) and node.kind == "dots"
