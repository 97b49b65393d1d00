r"""`\sum_{i<j} x_i x_j` beside what has no j: a sum over all pairs, written with both of its indices.

`\sum_{j \leq t} \alpha_{tj} = 1` may well be said for each t: both indices are bound only where they count along one axis,
or stand in the order in which they are compared, as in `\sum_{i<j<k} A_{ij} A_{jk}`, where no other equation around it has
one of them without the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

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


def with_all_indices(readings: Sequence[Reading], formulas: Sequence[int], sections: Sequence[object]) -> list[Reading]:
    r"""The readings with all indices of sums over `i < j` that run over both.

    `formulas` and `sections` tell for each reading the formula and the section that it stands in.
    """
    if not any(len(indices_below(n)) > 1 for r in readings for n in walk(r.chain) if isinstance(n, Big)):
        return list(readings)
    outside = [frozenset(letters_outside(r.chain)) for r in readings]
    found: list[Reading] = []
    for k, reading in enumerate(readings):
        own = frozenset().union(*(outside[m] for m, formula in enumerate(formulas) if formula == formulas[k]))
        around = [outside[m] for m, section in enumerate(sections) if section == sections[k] and m != k]
        sums = {n.span: n for n, letters in _over_several(reading.chain, own) if not _is_apart(letters, around)}

        def change(n: Node, sums: Mapping[tuple[int, int], Big] = sums) -> Node:
            if not isinstance(n, Big) or n.span not in sums:
                return n
            return replace(n, sub=with_indices(n, indices_below(n)))

        chain = mapped(reading.chain, change) if sums else reading.chain
        found.append(replace(reading, chain=chain) if isinstance(chain, Chain) else reading)
    return found


def _over_several(chain: Chain, outside: frozenset[str]) -> Iterator[tuple[Big, tuple[str, ...]]]:
    """The sums of a relation that run over all letters of the order below them, with these letters."""
    sums = [(n, outer, tuple(map(_letter, indices_below(n)))) for n, outer in _sums(chain, frozenset())]
    several = [(n, outer, own) for n, outer, own in sums if len(own) > 1]
    sure = {frozenset(own): True for _, _, own in several}
    for n, outer, own in several:
        is_sure = not ({*own} & (outside | outer)) and (_is_in_order(own, n) or (len(own) == 2 and _is_of_one_axis(n)))
        sure[frozenset(own)] &= is_sure
    yield from ((n, own) for n, _, own in several if sure[frozenset(own)])


def _sums(node: Node, outer: frozenset[str]) -> Iterator[tuple[Big, frozenset[str]]]:
    """The sums in an expression, with the letters of the ranges around them."""
    if isinstance(node, Big) and node.sub is not None:
        yield node, outer
        outer |= {c for n in walk(node.sub) if (c := letter(n)) is not None}
    for part in node.parts:
        yield from _sums(part, outer)


def _is_of_one_axis(node: Big) -> bool:
    return _count_along_one_axis(indices_below(node), node.body)


def _is_in_order(letters: Sequence[str], node: Big) -> bool:
    """Whether neighbours among the letters stand below one name in the order in which they are compared."""
    chain = node.sub
    relations = {r for r, _ in chain.links} if isinstance(chain, Chain) else set()
    ordered = letters if relations <= {"<", "<=", "!="} else letters[::-1]
    slots = [*_slots(node.body)]
    return all(any(a in s and b in s[s.index(a) :] for s in slots) for a, b in pairwise(ordered))


def _is_apart(letters: Sequence[str], around: Sequence[frozenset[str]]) -> bool:
    """Whether an equation around has one of the letters without the one before it."""
    return any(b in own and a not in own for own in around for a, b in pairwise(letters))


def _letter(node: Node) -> str:
    return letter(node) or ""


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
    return with_indices(node, pair_below(node) or ())


def with_indices(node: Big, indices: Sequence[Node]) -> Node | None:
    """What stands below a sum, with indices over which it runs before the condition on them."""
    return node.sub if node.sub is None or not indices else Listed(node.sub.span, (*indices, node.sub))


def pair_below(node: Big) -> tuple[Node, ...] | None:
    r"""The two letters of a range `i < j`, `i \neq j`, `1 \leq i < j \leq n` that are indices of what is summed."""
    found = indices_below(node)
    return found if len(found) == 2 else None


def indices_below(node: Big) -> tuple[Node, ...]:
    r"""The letters of a range `i < j < k` that are indices of what is summed."""
    chain = node.sub
    if node.sup is not None or not isinstance(chain, Chain) or any(r not in _ORDERED for r, _ in chain.links):
        return ()
    indices = {c for slots in _slots(node.body) for c in slots}
    return (*{c: n for n in chain.parts if (c := letter(n)) in indices and c is not None}.values(),)


def _slots(node: Node) -> Iterator[tuple[str, ...]]:
    """The letters in the scripts of each name of an expression, in order."""
    for n in walk(node):
        if isinstance(n, Scripted):
            scripts = [s for s in (n.sub, n.sup) if s is not None]
            yield tuple(c for s in scripts for m in walk(s) if (c := letter(m)) is not None)


def _count_along_one_axis(pair: Sequence[Node], body: Node) -> bool:
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
