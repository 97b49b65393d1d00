r"""Comparisons with a number that are written in one: `a, b \ge 0` says it of both, and so do `0 < a, b < 1`, `a_0 = b_0 = 0`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from derivations.latex.syntax.surface import (
    Chain,
    Listed,
    Literal,
    Mark,
    Name,
    Node,
    Prefix,
    Reading,
    Scripted,
    differences,
    walk_reading,
)

FREE_LETTERS = "ijklabc"
"""Letters for an index of which a document writes none, the customary ones first."""
_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


def one_by_one(readings: Iterable[Reading]) -> list[Reading]:
    """The statements with each comparison of a list written out, and conditions as comparisons of a name with a number."""
    found: list[Reading] = []
    todo = list(map(_of_any, readings))
    while todo:
        reading = todo.pop(0)
        if todo and not reading.conditions and (both := _joined(reading.chain, todo[0].chain)) is not None:
            todo[:1] = [replace(todo[0], chain=chain) for chain in both]
            continue
        chains, conditions = [reading.chain], list(reading.conditions)
        if conditions and (pair := _joined(reading.chain, conditions[0])) is not None:
            chains, conditions = pair, conditions[1:]
        alone = [c for chain in chains for c in (_of_one_number(chain) or _of_each(chain))]
        below = tuple(_apart(conditions))
        if alone == [reading.chain] and below == reading.conditions:
            found.append(reading)
        else:
            found += [replace(reading, chain=chain, conditions=below) for chain in alone]
    return found


def _apart(conditions: Sequence[Node]) -> Iterator[Node]:
    """Conditions, each a comparison of one name with one number where it is made of such."""
    todo = list(conditions)
    while todo:
        node = todo.pop(0)
        if isinstance(node, Chain) and todo and (pair := _joined(node, todo[0])) is not None:
            todo[:1] = pair
            continue
        for chain in _of_each(node) if isinstance(node, Chain) else ():
            yield from links_with_numbers(chain)
        if not isinstance(node, Chain):
            yield node


def links_with_numbers(chain: Chain) -> Iterator[Node]:
    """`0 < a < 1` as `a > 0` and `a < 1`; another chain as it is."""
    sides = chain.parts
    relations = [r for r, _ in chain.links]
    numbers = [_is_number(s) for s in sides]
    whole = chain.first is not None and len(sides) > 1 and all(r in _TURNED for r in relations)
    if not whole or any(a == b for a, b in pairwise(numbers)):
        yield chain
        return
    for (left, right), relation in zip(pairwise(sides), relations, strict=True):
        span = (left.span[0], right.span[1])
        if _is_number(left):
            yield Chain(span, right, ((_TURNED[relation], left),))
        else:
            yield Chain(span, left, ((relation, right),))


def _of_each(chain: Chain) -> list[Chain]:
    """The same chain for each member of a list that is compared with numbers."""
    sides = chain.parts
    lists = [k for k, s in enumerate(sides) if _is_list(s)]
    rest = [s for k, s in enumerate(sides) if k not in lists]
    ordered = chain.first is not None and all(r in _TURNED for r, _ in chain.links)
    if not ordered or len(lists) != 1 or not rest or not all(map(_is_number, rest)):
        return [chain]
    (place,) = lists
    return [_with(chain, place, member) for member in sides[place].parts]


def _of_one_number(chain: Chain) -> list[Chain]:
    """`m_0 = u_0 = 0`: the number that members of families have at a place, for each of them; else nothing."""
    *members, number = chain.parts
    if chain.first is None or len(members) < 2 or not _is_number(number) or {r for r, _ in chain.links} != {"="}:
        return []
    if not all(isinstance(m, Scripted) and isinstance(m.sub, Literal) and m.sup is None for m in members):
        return []
    return [Chain((m.span[0], number.span[1]), m, (("=", number),)) for m in members]


def _of_any(reading: Reading) -> Reading:
    r"""`w_i > 0` for `1 \le i \le n`, where `w_1, \dots, w_n > 0` is compared with numbers: for these members and no others."""
    chain = reading.chain
    if len(chain.links) != 1 or chain.links[0][0] not in _TURNED or not _is_number(chain.links[0][1]):
        return reading
    ends = ends_of_list(chain.first)
    if ends is None or not isinstance(chain.first, Listed) or not isinstance(first := chain.first.items[0], Scripted):
        return reading
    taken = {n.base for n in walk_reading(reading) if isinstance(n, Name)}
    i = next((c for c in FREE_LETTERS if c not in taken), None)
    if i is None:
        return reading
    index = Name((first.span[1] - 1, first.span[1]), i)
    between = Chain(chain.first.span, ends[0], (("<=", index), ("<=", ends[1])))
    return replace(
        reading, chain=replace(chain, first=replace(first, sub=index)), conditions=(*reading.conditions, between)
    )


def ends_of_list(node: Node | None) -> tuple[Node, Node] | None:
    r"""The first and the last subscript of a list with dots, `w_1, \dots, w_m` or `w_1, w_2, \dots, w_m`; else None."""
    if not isinstance(node, Listed) or node.separator != "," or len(node.items) not in (3, 4):
        return None
    *firsts, dots, last = node.items
    first = firsts[0]
    if not isinstance(dots, Mark) or not (isinstance(first, Scripted) and isinstance(last, Scripted)):
        return None
    if any(not isinstance(n, Scripted) or n.sub is None or n.sup is not None for n in (*firsts, last)):
        return None
    if any(differences(first.base, n.base) for n in (*firsts, last) if isinstance(n, Scripted)):
        return None
    return (first.sub, last.sub) if first.sub is not None and last.sub is not None else None


def _with(chain: Chain, place: int, side: Node) -> Chain:
    """A chain with another side."""
    if place == 0:
        return replace(chain, first=side)
    links = [(r, side if k == place - 1 else n) for k, (r, n) in enumerate(chain.links)]
    return replace(chain, links=tuple(links))


def _joined(one: Node, other: Node) -> list[Chain] | None:
    """`0 < a, b < 1`: both bounds for both names; None for what is not written like this."""
    if not (isinstance(one, Chain) and isinstance(other, Chain) and len(one.links) == len(other.links) == 1):
        return None
    (first, a), (second, high) = one.links[0], other.links[0]
    low, b = one.first, other.first
    if low is None or b is None or first[:1] != second[:1] or first not in _TURNED:
        return None
    if not (_is_number(low) and _is_number(high) and _is_name(a) and _is_name(b)):
        return None
    span = (one.span[0], other.span[1])
    return [Chain(span, low, ((first, name), (second, high))) for name in (a, b)]


def _is_number(node: Node) -> bool:
    return isinstance(node, Literal) or (isinstance(node, Prefix) and isinstance(node.operand, Literal))


def _is_name(node: Node) -> bool:
    return isinstance(node, Name | Scripted)


def _is_list(node: Node) -> bool:
    return isinstance(node, Listed) and node.separator == "," and all(map(_is_name, node.items))
