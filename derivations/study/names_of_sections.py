r"""Names that a section uses for other things than the rest of its document: `z` of one point, and `z` of a batch.

They are told apart before the document is walked over: wherever the section has the letter, it is another name.  Which
letters these are is seen in declarations, where two sections state different spaces, and in a reading of a section by
itself, which understands what the document as a whole does not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from derivations.documents.facts.declarations import members, space
from derivations.latex.passes.short_forms import mapped_readings
from derivations.latex.syntax.surface import (
    Adjacent,
    Big,
    Chain,
    Enclosed,
    Listed,
    Literal,
    Mark,
    Matrix,
    Name,
    Node,
    Reading,
    Scripted,
    walk,
    walk_reading,
)
from derivations.latex.syntax.surface_writer import write_surface
from derivations.study.equation_walk import Item
from derivations.study.reading_passes import read_again

Letter = tuple[str, str, tuple[str, ...], int]
"""A letter, its font, its accents and its primes."""
_OF_ITS_OWN = frozenset({"calligraphic", "fraktur", "blackboard"})
"""Fonts whose letters are no entries of others."""


@dataclass(frozen=True, slots=True)
class OwnNames:
    """The letters that formulas use in a way of their own: for each formula those letters, and which of several ways."""

    of_span: Mapping[int, Mapping[Letter, int]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.of_span)

    def told_apart(self, items: list[Item]) -> list[Item]:
        """The formulas with these letters as names of their own."""
        return read_again(items, [self.marked([i.reading], i.span.index)[0] for i in items]) if self else items

    def marked(self, readings: Iterable[Reading], span: int) -> list[Reading]:
        """Readings of a formula with these letters as names of their own."""
        own = self.of_span.get(span)
        if not own:
            return list(readings)

        def change(node: Node) -> Node:
            if isinstance(node, Name) and not node.way and (way := own.get(letter_of(node))) is not None:
                return replace(node, way=way)
            return node

        return mapped_readings(readings, change)


def declared_anew(
    sections: Iterable[list[Item]], said: Iterable[tuple[int, Iterable[Reading]]] = ()
) -> dict[int, dict[Letter, int]]:
    """For each formula the letters of which its section declares another space than the first section that declares them,
    with the number of the section that declares that space first.

    A letter that earlier sections write with an index alone, and that a later one declares without, is declared anew there.
    A section that declares no space for it goes on with the one of the last section that did, where it uses what that
    section has defined.  `said` is what sentences say of spaces, each with the formula beside which they stand.
    """
    beside = [(span, r.chain) for span, readings in said for r in readings]
    ways: dict[Letter, list[tuple[frozenset[str], int]]] = {}
    found: dict[int, dict[Letter, int]] = {}
    last: dict[Letter, tuple[int, frozenset[Letter]]] = {}
    introduced: set[Letter] = set()
    indexed: set[Letter] = set()
    plain: set[Letter] = set()
    for number, own in enumerate(sections, start=1):
        stated: dict[Letter, set[str]] = {}
        new = frozenset(_given_first(own)) - introduced
        introduced |= new
        spans = {item.span.index for item in own}
        chains = [item.reading.chain for item in own] + [c for span, c in beside if span in spans]
        for chain in chains:
            for name, written in _declared(chain):
                stated.setdefault(letter_of(name), set()).add(written)
        for letter, spaces in stated.items():
            known = ways.setdefault(letter, [])
            if not known and letter in indexed - plain and not any("_" in s.partition(" in ")[0] for s in spaces):
                known.append((frozenset(), 0))
            way = next((k for other, k in known if other == spaces), None)
            if way is None:
                way = number if known else 0
                known.append((frozenset(spaces), way))
            last[letter] = way, new
            for item in own if way else ():
                found.setdefault(item.span.index, {})[letter] = way
        for item in own:
            with_index, without = _written_ways(item.reading)
            indexed |= with_index
            plain |= without
        used = {letter_of(n) for n in letters_in(own)} if last else set()
        for letter, (way, defined) in last.items():
            for item in own if way and letter not in stated and used & defined else ():
                found.setdefault(item.span.index, {})[letter] = way
    return found


def _written_ways(reading: Reading) -> tuple[set[Letter], set[Letter]]:
    """The letters of a formula that have an index below them, and those that have none."""
    based: dict[int, Letter] = {}
    for n in walk_reading(reading):
        if isinstance(n, Scripted) and isinstance(n.base, Name) and n.sub is not None:
            based[id(n.base)] = letter_of(n.base)
    names = [n for n in walk_reading(reading) if isinstance(n, Name)]
    return set(based.values()), {letter_of(n) for n in names if id(n) not in based}


def _given_first(items: Iterable[Item]) -> Iterator[Letter]:
    """The letters at the left of equations."""
    for item in items:
        first, links = item.reading.chain.first, item.reading.chain.links
        name = first.base if isinstance(first, Scripted) else first
        if isinstance(name, Name) and links and links[0][0] in ("=", ":="):
            yield letter_of(name)


def used_otherwise(sections: Iterable[list[Item]]) -> dict[int, dict[Letter, int]]:
    r"""For each formula the letters that are lengths in other sections and that its own section uses for something else.

    `D` bounds a sum in one section, and the next gives it as `\operatorname{diag}(d_1, \dots, d_N)`; `n` is the length of Q,
    and an index where `R_m = …` tells what `R_n` is.  The number of a section is negative for a letter that is an index there.
    """
    all_sections = list(enumerate(sections, start=1))
    lengths = {number: set(_lengths(own)) for number, own in all_sections}
    found: dict[int, dict[Letter, int]] = {}
    for number, own in all_sections:
        elsewhere = set().union(*(used for other, used in lengths.items() if other != number))
        free = elsewhere - lengths[number]
        ways = dict.fromkeys(free & set(_indices(own)), -number)
        ways |= dict.fromkeys(free & set(_given(own)), number)
        for item in own if ways else ():
            found[item.span.index] = ways
    return found


def counted_otherwise(sections: Iterable[list[Item]]) -> dict[int, dict[Letter, int]]:
    r"""For each formula the letters whose places its section counts from 0 and the first one from 1, or the other way round:
    the x of `\sum_{i=1}^d x_i^2`, and of `x_j` for `j = 0, \dots, d/2 - 1`."""
    first: dict[Letter, str] = {}
    ways: dict[tuple[Letter, str], int] = {}
    found: dict[int, dict[Letter, int]] = {}
    for number, own in enumerate(sections, start=1):
        starts: dict[Letter, set[str]] = {}
        for name, start in _starts(own):
            starts.setdefault(letter_of(name), set()).add(start)
        for letter, (start,) in ((x, s) for x, s in starts.items() if len(s) == 1):
            if first.setdefault(letter, start) != start:
                way = ways.setdefault((letter, start), number)
                for item in own:
                    found.setdefault(item.span.index, {})[letter] = way
    return found


def _starts(items: Sequence[Item]) -> Iterator[tuple[Name, str]]:
    """The names with an index, each with the number that a sum or a list says the index to start from."""
    said: dict[str, set[str]] = {}
    for item in items:
        for chain in (c for c in (item.reading.chain, *item.reading.conditions) if isinstance(c, Chain)):
            right = chain.links[0][1] if [r for r, _ in chain.links] == ["="] else None
            if isinstance(chain.first, Name) and isinstance(right, Listed) and isinstance(right.items[0], Literal):
                if any(isinstance(n, Mark) for n in right.items):
                    said.setdefault(chain.first.base, set()).add(right.items[0].text)
    nodes = [n for item in items for n in walk_reading(item.reading)]
    for big in (n for n in nodes if isinstance(n, Big) and isinstance(n.sub, Chain)):
        start = big.sub.links[0][1] if [r for r, _ in big.sub.links] == ["="] else None  # type: ignore[union-attr]
        if isinstance(big.sub.first, Name) and isinstance(start, Literal):  # type: ignore[union-attr]
            yield from ((n, start.text) for n in _names_at(walk(big.body), big.sub.first.base))  # type: ignore[union-attr]
    for index, numbers in said.items():
        yield from ((n, start) for n in _names_at(nodes, index) for start in numbers)


def _names_at(nodes: Iterable[Node], index: str) -> Iterator[Name]:
    """The names with this letter alone as one of the indices below them."""
    for n in nodes:
        if isinstance(n, Scripted) and isinstance(n.base, Name) and n.sub is not None:
            below = n.sub.items if isinstance(n.sub, Listed) else (n.sub,)
            if any(isinstance(b, Name) and b.base == index for b in below):
                yield n.base


def numbers_beside_functions(sections: Iterable[list[Item]]) -> dict[int, dict[Letter, int]]:
    r"""For each formula the letters that its section uses as a function, or as a number, and an earlier one as the other.

    A section compares `\eta > 0`, and a later one gives `\eta(t)`.  From there on the letter is the function where it stands
    before parentheses; after a function it is the number in the sections that compare it alone.
    """
    all_sections = list(enumerate(sections, start=1))
    given = {
        number: {letter_of(n) for i in own for n in _applied(i.reading.chain.first)} for number, own in all_sections
    }
    compared = {number: set(_compared(own)) - given[number] for number, own in all_sections}
    found: dict[int, dict[Letter, int]] = {}
    for letter in set().union(*given.values()) & set().union(*compared.values()):
        of_function = min(k for k, letters in given.items() if letter in letters)
        of_number = min(k for k, letters in compared.items() if letter in letters)
        of_later = max(of_function, of_number)
        for number, own in all_sections:
            if of_number < of_function:
                applies = any(letter_of(n) == letter for i in own for m in walk_reading(i.reading) for n in _applied(m))
                is_other = number >= of_function and applies
            else:
                is_other = letter in compared[number]
            for item in own if is_other else ():
                found.setdefault(item.span.index, {})[letter] = of_later
    return found


def _applied(node: Node | None) -> Iterator[Name]:
    """The name before parentheses: the f of `f(x)`."""
    for head, after in pairwise(node.items) if isinstance(node, Adjacent) else ():
        if isinstance(head, Name) and isinstance(after, Enclosed) and after.kind == "()":
            yield head


def _compared(items: Iterable[Item]) -> Iterator[Letter]:
    """The letters that are compared with a number by their order."""
    for node in (n for item in items for n in walk_reading(item.reading) if isinstance(n, Chain)):
        for (one, other), (relation, _) in zip(pairwise(node.parts), node.links, strict=False):
            if node.first is not None and relation in ("<", "<=", ">", ">="):
                yield from (
                    letter_of(a)
                    for a, b in ((one, other), (other, one))
                    if isinstance(a, Name) and isinstance(b, Literal)
                )


def _lengths(items: Iterable[Item]) -> Iterator[Letter]:
    """The letters that bound sums and lists, and those in the exponents of spaces."""
    for item in items:
        for node in walk_reading(item.reading):
            if isinstance(node, Listed) and any(isinstance(n, Mark) for n in node.items):
                yield from (letter_of(n) for n in walk(node.items[-1]) if isinstance(n, Name))
            if isinstance(node, Big) and node.sup is not None:
                yield from (letter_of(n) for n in walk(node.sup) if isinstance(n, Name))
        exponent = space(item.reading.chain.links[0][1]) if item.reading.chain.links else None
        if exponent is not None:
            yield from (letter_of(n) for n in walk(exponent) if isinstance(n, Name))


def _given(items: Iterable[Item]) -> Iterator[Letter]:
    """The letters that are said to be something with indices or a matrix."""
    for item in items:
        chain = item.reading.chain
        if isinstance(chain.first, Name) and chain.links and chain.links[0][0] in ("=", ":="):
            if any(
                isinstance(n, Matrix) or (isinstance(n, Scripted) and n.sub is not None)
                for n in walk(chain.links[0][1])
            ):
                yield letter_of(chain.first)


def _indices(items: Sequence[Item]) -> Iterator[Letter]:
    r"""The letters that stand below a name where the section gives it with another letter: the n of `R_n` beside `R_m = …`."""
    given: dict[Letter, set[Letter]] = {}
    for item in items:
        chain = item.reading.chain
        if chain.links and chain.links[0][0] in ("=", ":=") and (left := _with_index(chain.first)) is not None:
            given.setdefault(left[0], set()).add(left[1])
    for item in items:
        for name, index in filter(None, map(_with_index, walk_reading(item.reading))):
            if given.get(name, {index}) != {index}:
                yield index


def _with_index(node: Node | None) -> tuple[Letter, Letter] | None:
    """A name with one letter below it."""
    if isinstance(node, Scripted) and isinstance(node.base, Name) and isinstance(node.sub, Name) and node.sup is None:
        return letter_of(node.base), letter_of(node.sub)
    return None


def _declared(chain: Chain) -> Iterator[tuple[Name, str]]:
    r"""The names in `x_t, y_t \in \mathbb{R}^d`, each with its indices and the space."""
    exponent = space(chain.links[0][1]) if len(chain.links) == 1 and chain.links[0][0] == "in" else None
    for member in members(chain.first) if exponent is not None else ():
        name = member.base if isinstance(member, Scripted) else member
        if isinstance(name, Name) and exponent is not None:
            yield name, f"{write_surface(member)} in {write_surface(exponent)}"


def letter_of(name: Name) -> Letter:
    """What tells a letter from others; bold and plain ones are one, as an array and its entries are."""
    return name.base, name.font if name.font in _OF_ITS_OWN else "", name.accents, name.primes


def letters_in(items: Iterable[Item]) -> Iterator[Name]:
    """All names in formulas."""
    for item in items:
        yield from (n for n in walk_reading(item.reading) if isinstance(n, Name))
