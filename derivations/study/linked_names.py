r"""Equations that comments link to names of the code: `r = \sum_j A_{ij} x_j` is read as `r_i = \sum_j A_{ij} x_j`.

The author writes the name on the left as the code does, without the indices of its entries.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from derivations.documents.model.document import Document, Linked
from derivations.latex.elaborator.elaborate import Elaborator
from derivations.latex.lexicon.name_roles import Names
from derivations.latex.passes.summation_convention import summed
from derivations.latex.syntax.letters import letter_node
from derivations.latex.syntax.surface import Big, Chain, Listed, Name, Node, Reading, Scripted, walk
from derivations.study.equation_walk import Item
from derivations.study.reading_passes import read_again

Orders = dict[tuple[int, int], tuple[str, ...]]
"""The indices of names with several of them, by formula and number of the reading; their order is a guess."""


def index_linked_names(names: Names, document: Document, items: list[Item], stated: bool) -> tuple[list[Item], Orders]:
    """Write the indices of its entries at each name of the code that an author links to an equation.

    The order is that of a name of the equation that has all of them, else that in which they are written.  With the
    summation convention `stated`, an index that stands twice in a product is not one of the entries.
    """
    found = {
        (item.span.index, item.number): tuple(_free_indices(names, item.reading.chain, stated))
        for item in items
        if isinstance(document.block_of(item.span), Linked)
    }
    if not any(found.values()):
        return items, {}
    readings = [_with_indices(item.reading, found.get((item.span.index, item.number), ())) for item in items]
    return read_again(items, readings), {place: own for place, own in found.items() if len(own) > 1}


def _free_indices(names: Names, chain: Chain, stated: bool) -> list[str]:
    """The indices of the right side that nothing binds, where the left side is a name without indices."""
    if not isinstance(chain.first, Name) or [relation for relation, _ in chain.links] != ["="]:
        return []
    right = chain.links[0][1]
    if stated:
        right = summed(right, set(names.sizes), names.slot_letters)
    free = [c for c in dict.fromkeys(_unbound(names, right, frozenset())) if c not in names.sizes]
    for node in walk(right):
        own = [c for c in names.slot_letters(node) if c in free] if isinstance(node, Scripted) else []
        if sorted(own) == sorted(free):
            return own
    return free


def _unbound(names: Names, node: Node, bound: frozenset[str]) -> Iterator[str]:
    """The letters in index slots that no operator around them binds, in the order in which they are written."""
    if isinstance(node, Scripted):
        yield from (c for c in names.slot_letters(node) if c not in bound)
    if isinstance(node, Big):
        bound = bound | frozenset(Elaborator.bound_letters(node.sub))
    for part in node.parts:
        yield from _unbound(names, part, bound)


def _with_indices(reading: Reading, letters: tuple[str, ...]) -> Reading:
    name = reading.chain.first
    if not letters or name is None:
        return reading
    places = tuple(letter_node(name.span, c) for c in letters)
    sub = places[0] if len(places) == 1 else Listed(name.span, places, ",")
    return replace(reading, chain=replace(reading.chain, first=Scripted(name.span, name, sub, None)))


__all__ = ["Orders", "index_linked_names"]
