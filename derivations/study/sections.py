"""Sections that use letters in a way of their own: what to read them with, where the document as a whole does not fit.

`x` is a vector in one section and a batch in the next; one section has tokens as rows, another as columns.  A section with
equations that are not understood is read once more, with what earlier sections say of names that it does not use anew,
and by itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from derivations.documents.model.finding import Finding
from derivations.latex.lexicon.name_roles import Names, uses
from derivations.latex.lexicon.written_names import Written
from derivations.study.equation_walk import Item, Key

MAX_PARTS = 12
"""Most parts of one document that are read by themselves."""
MAX_ITEMS = 120
"""Most equations of a part."""
READ_ANEW = frozenset({"shape-conflict", "ambiguous", "unknown-notation", "not-conservative"})
"""Why an equation is not understood that another reading of its names may explain."""


def parts(
    names: Names, items: list[Item], findings: Mapping[Key, Finding], examples: Mapping[int, str]
) -> Iterator[tuple[frozenset[int], frozenset[Key]]]:
    """Parts of a document worth a reading of their own: the formulas of each, and the relations that are not understood.

    First what stands outside of all examples, whose letters are their own, and each example with what is said before it;
    then of each section with what is said before it of other names, and by itself.  `examples` says of the formulas in an
    example in which one they stand.
    """
    depth = _depth(items)
    open_keys = {k for k, f in findings.items() if f.status == "unread" and f.code in READ_ANEW}
    yield from _beside_examples(items, open_keys, examples)
    if depth is None:
        return
    for own in _grouped(items, depth + 1):
        keys = _inside(own, open_keys)
        if not keys or len(own) > MAX_ITEMS:
            continue
        alone = frozenset(i.span.index for i in own) | _declared_above(items, own)
        for part in dict.fromkeys((alone | _known_before(names, items, own, keys, findings), alone)):
            yield part, keys
        finer = _grouped(own, None)
        for below in finer if len(finer) > 1 else ():
            rest = _inside(below, keys)
            if rest:
                yield frozenset(i.span.index for i in below) | _declared_above(items, below), rest


def grouped(items: list[Item]) -> list[list[Item]]:
    """The equations of each section, down to the level where they part; none where all stand in one."""
    depth = _depth(items)
    return [] if depth is None else _grouped(items, depth + 1)


def alone(items: list[Item], own: list[Item], keys: Iterable[Key]) -> tuple[frozenset[Key], frozenset[int]]:
    """Those of some relations that stand in a section, none where it is long, and the formulas to read it by itself with."""
    inside = _inside(own, keys) if len(own) <= MAX_ITEMS else frozenset()
    return inside, frozenset(i.span.index for i in own) | _declared_above(items, own)


def _declared_above(items: Iterable[Item], own: Sequence[Item]) -> frozenset[int]:
    """The formulas before a section that state shapes, in the text of the sections it belongs to: they hold in it too."""
    section, first = own[0].section, min(i.span.index for i in own)
    above = (i for i in items if i.span.index < first and i.section == section[: len(i.section)])
    return frozenset(i.span.index for i in above if any(relation == "in" for relation, _ in i.reading.chain.links))


def _beside_examples(
    items: list[Item], open_keys: Iterable[Key], examples: Mapping[int, str]
) -> Iterator[tuple[frozenset[int], frozenset[Key]]]:
    outside = [i for i in items if i.span.index not in examples]
    keys = _inside(outside, open_keys)
    if keys and 0 < len(outside) < len(items):
        yield frozenset(i.span.index for i in outside), keys
    for name in dict.fromkeys(examples[i.span.index] for i in items if i.span.index in examples):
        own = [i for i in items if examples.get(i.span.index) == name]
        keys = _inside(own, open_keys)
        if keys and len(own) <= MAX_ITEMS:
            first = own[0].span.index
            yield frozenset(i.span.index for i in (*(o for o in outside if o.span.index < first), *own)), keys


def _grouped(items: list[Item], depth: int | None) -> list[list[Item]]:
    """The equations of each section, down to a level of headings."""
    found: dict[tuple[str, ...], list[Item]] = {}
    for item in items:
        found.setdefault(item.section[:depth], []).append(item)
    return list(found.values())


def _inside(items: list[Item], keys: Iterable[Key]) -> frozenset[Key]:
    """The relations of some equations."""
    own = {(i.span.index, i.number) for i in items}
    return frozenset(k for k in keys if k[:2] in own)


def _depth(items: list[Item]) -> int | None:
    """The level of headings at which the equations part; None when all stand in one section."""
    for depth in range(max((len(i.section) for i in items), default=0)):
        if len({i.section[: depth + 1] for i in items}) > 1:
            return depth
    return None


def _known_before(
    names: Names, items: list[Item], own: list[Item], keys: frozenset[Key], findings: Mapping[Key, Finding]
) -> frozenset[int]:
    """Formulas before a section, of names that no equation has which is not understood there."""
    first = min(i.span.index for i in own)
    troubled = {k[:2] for k in keys}
    conflicting = {w.stem for i in own if (i.span.index, i.number) in troubled for w in uses(names, i.reading.chain)}
    defined = {w.stem for i in items if (w := _defined(names, i, findings, first)) is not None}
    anew = {w.stem for i in own if i.reading.chain.first is not None for w in uses(names, i.reading.chain.first)}
    conflicting = {s for s in conflicting if s in anew or s not in defined}
    return frozenset(
        i.span.index
        for i in items
        if i.span.index < first and conflicting.isdisjoint(w.stem for w in uses(names, i.reading.chain))
    )


def _defined(names: Names, item: Item, findings: Mapping[Key, Finding], before: int) -> Written | None:
    """The name that an equation before a formula defines."""
    made = findings.get((item.span.index, item.number, 0))
    first = item.reading.chain.first
    if first is None or made is None or made.status != "defined" or item.span.index >= before:
        return None
    return names.written(first)
