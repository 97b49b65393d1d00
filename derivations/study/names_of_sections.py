r"""Names that a section uses for other things than the rest of its document: `z` of one point, and `z` of a batch.

They are told apart before the document is walked over: wherever the section has the letter, it is another name.  Which
letters these are is seen in a reading of the section by itself, which understands what the document as a whole does not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from derivations.latex.passes.short_forms import mapped_readings
from derivations.latex.syntax.surface import Name, Node, Reading, walk_reading
from derivations.study.equation_walk import Item
from derivations.study.reading_passes import read_again

Letter = tuple[str, str, tuple[str, ...], int]
"""A letter, its font, its accents and its primes."""


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


def letter_of(name: Name) -> Letter:
    """What tells a letter from others."""
    return name.base, name.font, name.accents, name.primes


def letters_in(items: Iterable[Item]) -> Iterator[Name]:
    """All names in formulas."""
    for item in items:
        yield from (n for n in walk_reading(item.reading) if isinstance(n, Name))
