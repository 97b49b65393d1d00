"""Further cases of a definition, what is left by them, and left sides that are more general than the ones before."""

from __future__ import annotations

import itertools

from derivations.documents.facts.sentence_patterns import OTHERWISE
from derivations.kernel.definition import instance
from derivations.language.term import Constraint, Entry, Index, guard, guard_free, guard_substitute, less
from derivations.latex.elaborator.elaborate import Elaborator
from derivations.latex.elaborator.equations import LeftSide, letters_first
from derivations.latex.lexicon.arrays import NotUnderstood
from derivations.latex.lexicon.name_roles import uses
from derivations.latex.lexicon.symbol_table import Symbol
from derivations.latex.syntax.surface import Node
from derivations.study.admitting import define_name
from derivations.study.equation_walk import Item, Key, Refusal
from derivations.study.findings_of_relations import skip
from derivations.study.names_and_conditions import elaborator_for
from derivations.study.state import Study


def same_arguments(left: LeftSide, known: Symbol) -> bool:
    """Whether a left side is written with the arguments that the name is defined for: none, or the same letters."""
    if known.call != left.call:
        return False
    own = None if known.parameters is None else [p.head for p in known.parameters]
    return own == (None if left.parameters is None else [p.stem for p in left.parameters])


def further_case(
    study: Study, item: Item, key: Key, e: Elaborator, left: LeftSide, node: Node, right: Node, known: Symbol
) -> bool:
    """Another entry pattern of a symbol that is defined entry by entry: 2j and 2j + 1."""
    if len(left.slots) != known.slots or not left.slots:
        return False
    if OTHERWISE.match(item.context.after):
        return _rest_of_cases(study, item, key, e, left, node, right, known)
    letters_first(e, left)
    mark = study.table.sizes.mark()
    try:
        patterns = [None if s.node is None else e.written_index(s.node, e.free) for s in left.slots]
    except NotUnderstood:
        return False
    if not study.walk.build:
        study.table.sizes.undo(mark)
        if any(w.stem == left.stem for w in uses(study.names, right)):
            return False  # c_t = c_{t-1} + x_t is said of what is known
        places = [p - known.base for p in patterns if p is not None]
        return (
            len(places) == len(patterns)
            and any(p.is_constant or p.const or (p.free and p.sizes) for p in places)
            and (study.walk.introduced.get(left.stem, 0) == study.walk.clock)
        )
    for extra in ((), _beyond(study, e, left, known)):
        try:
            define_name(study, item, key, e, left, node, right, known, extra=extra)
        except (NotUnderstood, Refusal) as problem:
            if isinstance(problem, NotUnderstood) and problem.code == "too-large":
                raise
            study.table.sizes.undo(mark)
            e = elaborator_for(study, item)
            continue
        return True
    return False


def _rest_of_cases(
    study: Study, item: Item, key: Key, e: Elaborator, left: LeftSide, node: Node, right: Node, known: Symbol
) -> bool:
    """What the author says of all places that the cases before leave; skipped when these are not one condition."""
    if not study.walk.build:
        return True
    letters_first(e, left)
    earlier = study.table.theory.definitions.get(known.head, ())
    try:
        at = [None if s.node is None else e.written_index(s.node, e.free) - known.base for s in left.slots]
    except NotUnderstood:
        at = [None]
    if len(earlier) == 1 and len(earlier[0].condition) == 1 and all(i is not None for i in at):
        places = earlier[0].indices[: len(at)]
        mapping = {
            next(iter(p.free)): i for p, i in zip(places, at, strict=True) if i is not None and p.plain and p.free
        }
        rest = [*guard_substitute(guard(*earlier[0].condition[0].negations()), mapping)]
        if len(rest) == 1 and guard_free(tuple(rest)) <= {v.name for v in e.free.values()}:
            try:
                define_name(study, item, key, e, left, node, right, known, extra=tuple(rest))
                return True
            except (NotUnderstood, Refusal):
                pass
    skip(study, item, key, node, right, "special-case", "the values at all places that are left")
    return True


def _beyond(study: Study, e: Elaborator, left: LeftSide, known: Symbol) -> tuple[Constraint, ...]:
    """`\\omega_{2T}` after `\\omega_{21}` and `\\omega_{22}`: T lies beyond the numbers before it."""
    found: list[Constraint] = []
    for k, slot in enumerate(left.slots):
        if slot.node is None:
            continue
        at = e.written_index(slot.node, e.free) - known.base
        earlier = [d.indices[k] for d in study.table.theory.definitions.get(known.head, ()) if k < len(d.indices)]
        if at.sizes and not at.free and earlier and all(i.is_constant for i in earlier):
            found.append(less(Index.of(max(i.const for i in earlier)), at))
    return tuple(found)


def is_entry_of(study: Study, e: Elaborator, left: LeftSide, known: Symbol, *, numbers: bool) -> bool:
    """`\\ell_N = …` where `\\ell_j` is defined for every j, and with `numbers` also `\\ell_1 = …`: one entry of a family is
    not defined anew."""
    if not left.slots or left.parameters is not None or len(left.slots) != known.slots:
        return False
    try:
        at = [None if s.node is None else e.written_index(s.node, e.free) for s in left.slots]
    except NotUnderstood:
        return False
    fixed = [k for k, i in enumerate(at) if i is not None and not i.free and (i.sizes or numbers)]
    definitions = study.table.theory.definitions.get(known.head, ())
    return bool(fixed) and bool(definitions) and all(d.indices[k].free for d in definitions for k in fixed)


def is_more_general(study: Study, e: Elaborator, left: LeftSide, known: Symbol) -> bool:
    """Whether the left side covers entries that no earlier definition of the name covers."""
    if known.parameters is not None or left.parameters is not None or known.call != left.call:
        return (known.parameters is None) != (left.parameters is None) or known.call != left.call
    if len(left.slots) != known.slots and left.slots and known.slots:
        return len(known.dims) < len(left.slots)
    if not study.walk.build:
        return False
    definitions = study.table.theory.definitions.get(known.head, ())
    letters_first(e, left)
    try:
        at = [None if s.node is None else e.written_index(s.node, e.free) - known.base for s in left.slots]
    except NotUnderstood:
        return False
    for d in definitions:
        filled = [p if a is None else a for a, p in itertools.zip_longest(at, d.indices)]
        if len(filled) == len(d.indices) and instance(d, Entry(known.head, filled), ()) is not None:
            return False
    return True
