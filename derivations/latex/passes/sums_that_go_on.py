r"""Sums that go on after a plus sign: `\sum_i y_i \log p_i + (1 - y_i) \log(1 - p_i)`, written without parentheses.

A sum ends before the next plus or minus sign.  Where a term after it has the index of the sum, and nothing else in the
relation says what that index is, the author means the sum to go on over it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from derivations.latex.passes.short_forms import mapped
from derivations.latex.syntax.letters import letter, letters_in
from derivations.latex.syntax.surface import Adjacent, Big, Chain, Enclosed, Infix, Node, Prefix, Reading, walk

_SIGNS = ("+", "-")


def with_longer_sums(reading: Reading) -> Reading:
    """The reading with sums that go on over the terms that have their index."""
    first = reading.chain.first
    known = set() if first is None else letters_in(first) - {c for n in walk(first) for c in _below(n)}
    for condition in reading.conditions:
        known |= letters_in(condition)

    def changed(node: Node) -> Node:
        return _joined(node, known) if isinstance(node, Infix) and node.operator in _SIGNS else node

    chain = mapped(reading.chain, changed)
    return replace(reading, chain=chain) if isinstance(chain, Chain) and chain is not reading.chain else reading


def _joined(node: Infix, known: set[str]) -> Node:
    """A sum of two terms as one, where the first ends in a sum over an index that the second has."""
    found = _last_sum(node.left)
    if found is None:
        return node
    free = set(_bound(found)) & (letters_in(node.right) - {c for n in walk(node.right) for c in _below(n)})
    before = {c for n in _beside(node.left, found) for c in letters_in(n)}
    if not free or free & (known | before):
        return node
    body = found.body
    if isinstance(body, Enclosed) and body.kind == "()" and _is_summed(body.content):
        return node  # its author has said where it ends
    longer = Infix((body.span[0], node.right.span[1]), node.operator, body, node.right)
    return _with_last(node.left, replace(found, span=(found.span[0], longer.span[1]), body=longer))


def _is_summed(node: Node | None) -> bool:
    return isinstance(node, Infix) and node.operator in _SIGNS


def _last_sum(node: Node) -> Big | None:
    """The sum that an expression ends in, after its factors and terms."""
    match node:
        case Big(name="sum"):
            return node
        case Adjacent(items=items):
            return _last_sum(items[-1])
        case Infix(operator=operator, right=right) if operator in (*_SIGNS, "cdot", "times"):
            return _last_sum(right)
        case Prefix(operand=operand):
            return _last_sum(operand)
        case _:
            return None


def _with_last(node: Node, put: Big) -> Node:
    match node:
        case Adjacent(items=items):
            return replace(node, span=(node.span[0], put.span[1]), items=(*items[:-1], _with_last(items[-1], put)))
        case Infix(right=right):
            return replace(node, span=(node.span[0], put.span[1]), right=_with_last(right, put))
        case Prefix(operand=operand):
            return replace(node, span=(node.span[0], put.span[1]), operand=_with_last(operand, put))
        case _:
            return put


def _beside(node: Node, found: Big) -> Iterator[Node]:
    """What stands before the last sum of an expression."""
    match node:
        case Adjacent(items=items):
            yield from items[:-1]
            yield from _beside(items[-1], found)
        case Infix(left=left, right=right):
            yield left
            yield from _beside(right, found)
        case Prefix(operand=operand):
            yield from _beside(operand, found)
        case _:
            return


def _bound(node: Node) -> Iterator[str]:
    """The letter that a sum, a product or a maximum runs over."""
    if isinstance(node, Big) and node.sub is not None:
        below = node.sub.first if isinstance(node.sub, Chain) else node.sub
        if (c := letter(below)) is not None:
            yield c


def _below(node: Node) -> set[str]:
    r"""All letters below a big operator: i and j of `\sum_{1 \le i < j \le n}`."""
    return letters_in(node.sub) if isinstance(node, Big) and node.sub is not None else set()
