r"""`\sum_{i<j} x_i x_j` beside what has no j: a sum over all pairs, written with both of its indices.

`\sum_{j \leq t} \alpha_{tj} = 1` may well be said for each t: both indices are bound only where they count along one axis.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from derivations.latex.passes.short_forms import mapped
from derivations.latex.syntax.letters import letter
from derivations.latex.syntax.surface import Big, Chain, Listed, Mark, Name, Node, Reading, Scripted, bare, walk

_ORDERED = frozenset({"<", ">", "<=", ">=", "!="})


def with_pairs(readings: Sequence[Reading]) -> list[Reading]:
    r"""The statements of a formula, where a sum over `i < j` binds j too if nothing outside of such sums has a j.

    Not where a name is defined: in `c = \sum_{j<t} a_{tj} h_j` the t may be fixed by the words around it.
    """
    found: list[Reading] = []
    for k, reading in enumerate(readings):
        start = next((m for m in range(k, -1, -1) if readings[m].chain.first is not None), k)
        end = next((m for m in range(k + 1, len(readings)) if readings[m].chain.first is not None), len(readings))
        rows = [n for row in readings[start:end] for n in (row.chain, *row.conditions)]  # `= …` has the same indices
        pairs = _pairs(rows) if any(isinstance(n, Big) for n in walk(reading.chain)) else frozenset()
        if not pairs:
            found.append(reading)
            continue
        chain = reading.chain
        head = chain.first.base if isinstance(chain.first, Scripted) else chain.first
        own = isinstance(head, Name)
        links = [(r, n if own and not m else _bound(n, pairs)) for m, (r, n) in enumerate(chain.links)]
        new = replace(chain, first=None if chain.first is None else _bound(chain.first, pairs), links=tuple(links))
        found.append(replace(reading, chain=new))
    return found


def _pairs(rows: Sequence[Node]) -> frozenset[frozenset[str]]:
    """The letters of the sums over pairs in some rows."""
    outside = {c for n in rows for c in letters_outside(n)}
    sums = [(n, pair) for row in rows for n in walk(row) if isinstance(n, Big) and (pair := pair_below(n)) is not None]
    alike = {frozenset(letter(n) or "" for n in pair) for big, pair in sums if _count_along_one_axis(pair, big.body)}
    return frozenset(pair for pair in alike if outside.isdisjoint(pair))


def letters_outside(node: Node) -> Iterator[str]:
    """All letters of an expression but those that the range of a sum around them has."""
    if isinstance(node, Big) and node.sub is not None:
        own = {letter(n) for n in walk(node.sub)}
        yield from (c for part in node.parts if part is not node.sub for c in letters_outside(part) if c not in own)
        return
    c = letter(node)
    if c is not None:
        yield c
    for part in node.parts:
        yield from letters_outside(part)


def _bound(node: Node, pairs: frozenset[frozenset[str]]) -> Node:
    """The expression with both indices below each sum over one of the pairs."""

    def change(n: Node) -> Node:
        pair = pair_below(n) if isinstance(n, Big) else None
        if not isinstance(n, Big) or pair is None or frozenset(letter(c) or "" for c in pair) not in pairs:
            return n
        return replace(n, sub=both_below(n))

    return mapped(node, change)


def both_below(node: Big) -> Node | None:
    """What stands below a sum over pairs, with both of its indices."""
    found, chain = pair_below(node), node.sub
    return chain if found is None or chain is None else Listed(chain.span, (*found, chain))


def pair_below(node: Big) -> tuple[Node, Node] | None:
    r"""The two letters of a range `i < j`, `i \neq j`, `1 \leq i < j \leq n` that are indices of what is summed."""
    chain = node.sub
    if node.sup is not None or not isinstance(chain, Chain) or any(r not in _ORDERED for r, _ in chain.links):
        return None
    indices = {c for slots in _slots(node.body) for c in slots}
    parts = {c: n for n in chain.parts if (c := letter(n)) in indices and c is not None}
    return (*parts.values(),) if len(parts) == 2 else None  # type: ignore[return-value]


def _slots(node: Node) -> Iterator[tuple[str, ...]]:
    """The letters in the scripts of each name of an expression, in order."""
    for n in walk(node):
        if isinstance(n, Scripted):
            scripts = [s for s in (n.sub, n.sup) if s is not None]
            yield tuple(c for s in scripts for m in walk(s) if (c := letter(m)) is not None)


def _count_along_one_axis(pair: tuple[Node, Node], body: Node) -> bool:
    """Whether each of two letters stands where the other one does: `x_i` and `x_j`, `A_{ij}` and `A_{ji}`."""
    one, other = (letter(n) or "" for n in pair)
    bases: dict[object, set[tuple[str, ...]]] = {}
    for n in walk(body):
        if isinstance(n, Scripted):
            bases.setdefault(bare(n.base), set()).update(_slots(replace(n, base=Mark(n.span, "empty"))))
    turned = {one: other, other: one}
    return any(
        tuple(turned.get(c, c) for c in slots) in there and {one, other} & {*slots}
        for there in bases.values()
        for slots in there
    )
