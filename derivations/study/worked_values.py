"""Worked values: what the text puts in for given names, and claims about the numbers that come out.

"Put K = 3 and z = (0, ln 2, ln 5).  Then Z(z) = 8" is said of these inputs alone.  What is put in for given names and
lengths holds for the claims after it in its paragraph or example whose one side is a number: they are decided with these
values as definitions, and everything in them is a number then.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import product

from derivations.documents.model.document import Document
from derivations.language.listed_arrays import spelled_out
from derivations.language.term import (
    Definition,
    Entry,
    Index,
    Statement,
    Term,
    Theory,
    guard_substitute,
    substitute,
)
from derivations.latex.elaborator.elaborate import Elaborator
from derivations.latex.lexicon.arrays import NotUnderstood
from derivations.latex.syntax.surface import Literal, Node
from derivations.notes import Note
from derivations.provers.instance import at_sizes
from derivations.provers.refute import all_sizes
from derivations.study.equation_walk import Item, Key, PutIn
from derivations.study.state import Study
from derivations.study.verdict import Case, all_heads
from derivations.study.where_stated import is_closed

MAX_ENTRIES = 36
"""Most entries of an array that is put in."""


# --- what is put in -------------------------------------------------------------------------------------------------


def put_in(study: Study, item: Item, key: Key, e: Elaborator, left: Node, right: Node) -> None:
    """Keep the numbers that a relation puts in for a given name or a length."""
    if not study.walk.build:
        return
    words = item.span.source[left.span[0] : right.span[1]] if left.span[1] else ""
    mark = study.table.sizes.mark()
    try:
        made = _length(study, e, left, right) or _values(study, e, left, right)
    except NotUnderstood:
        study.table.sizes.undo(mark)
        return
    if made is not None:
        head, entries, sizes = made
        study.walk.put_in.append(PutIn(key, words, head, entries, sizes))


_Made = tuple[str | None, dict[tuple[int, ...], Term], dict[str, int]]


def _length(study: Study, e: Elaborator, left: Node, right: Node) -> _Made | None:
    w = study.names.written(left)
    if w is None or not study.table.is_size(w) or not isinstance(right, Literal) or not right.text.isdigit():
        return None
    size = e.written_index(left, e.free)
    return (None, {}, {_only_size(size): int(right.text)}) if _only_size(size) else None


def _values(study: Study, e: Elaborator, left: Node, right: Node) -> _Made | None:
    value, name = e.value(right, {}), e.value(left, {})
    if len(value.shape) != len(name.shape):
        return None
    extents = [study.table.sizes.index(d) for d in value.shape]
    if not all(n.is_constant for n in extents):
        return None
    sizes: dict[str, int] = {}
    for own, n in zip(map(study.table.sizes.index, name.shape), extents, strict=True):
        if own.is_constant and own is not n:
            return None
        if not own.is_constant:
            sizes[_only_size(own)] = n.const
    theory = study.table.theory
    places = list(product(*(range(n.const) for n in extents)))
    heads, entries = set(), {}
    for at in places if len(places) <= MAX_ENTRIES and "" not in sizes else ():
        where = tuple(map(Index.of, at))
        entry, term = name.at(where), value.at(where)
        if isinstance(entry, Entry) and entry.name in theory.definitions:  # z = (z_1, …, z_K)
            entry = spelled_out(entry, theory) or entry
        if not isinstance(entry, Entry) or entry.args or not all(i.is_constant for i in entry.indices):
            return None
        if not is_closed(term):
            return None
        heads.add(entry.name)
        entries[tuple(i.const for i in entry.indices)] = term
    if len(heads) != 1 or not heads.isdisjoint(theory.definitions):
        return None
    return min(heads), entries, sizes


def _only_size(index: Index) -> str:
    """The name of a length that nothing is done to; empty for another one."""
    names = index.sizes
    return min(names) if len(names) == 1 and index is Index.size(min(names)) else ""


# --- what is claimed of it ------------------------------------------------------------------------------------------


def with_put_in(case: Case, *, is_false: bool) -> Case | None:
    """A claim about numbers, with what the text puts in for the given names and lengths that it rests on.

    So is one that is false in general.  None where it may hold in general, nothing is put in, or something is left open.
    """
    if any(s.hypotheses for s in case.statements):
        return None
    if not is_false and not all(s.relation == "=" and any(map(is_closed, (s.left, s.right))) for s in case.statements):
        return None
    values, sizes, used = _in_force(case)
    heads = {h for s in case.statements for h in all_heads(s, case.theory)}
    lengths = {n for s in case.statements for n in all_sizes(s, case.theory)}
    values = {h: rows for h, rows in values.items() if h in heads}
    sizes = {n: v for n, v in sizes.items() if n in lengths}
    if not (values or sizes) or case.theory.random & heads:
        return None
    theory = _example(case.theory, values, sizes)
    statements = tuple(_at(s, sizes) for s in case.statements)
    if any(_is_open(s, theory) for s in statements):
        return None
    words = [p.words for p in used if p.head in values or not sizes.keys().isdisjoint(p.sizes)]
    note = Note("put-in", (", ".join(dict.fromkeys(w for w in words if w)),), place=case.item.span.place)
    return replace(case, statements=statements, theory=theory, assumptions=(*case.assumptions, note))


def lengths_put_in(study: Study, item: Item) -> dict[str, int]:
    """The numbers that the text puts in for lengths where an equation stands."""
    here = [p for p in study.walk.put_in if p.sizes and _holds_at(study.document, p.key, item)]
    return {n: v for p in here for n, v in p.sizes.items()}


def _in_force(case: Case) -> tuple[dict[str, dict[tuple[int, ...], Term]], dict[str, int], list[PutIn]]:
    """The values and lengths that are put in for a relation, the latest ones, and what puts them in."""
    values: dict[str, dict[tuple[int, ...], Term]] = {}
    sizes: dict[str, int] = {}
    used: list[PutIn] = []
    for p in case.known.walk.put_in:
        if p.key[:2] > case.key[:2] or not _holds_at(case.known.document, p.key, case.item):
            continue
        used.append(p)
        sizes.update(p.sizes)
        if p.head is not None:
            own = values.setdefault(p.head, {})
            if any(len(at) != len(next(iter(p.entries))) for at in own):
                own.clear()
            own.update(p.entries)
    return values, sizes, used


def _holds_at(document: Document, key: Key, item: Item) -> bool:
    """Whether what one relation puts in holds for an equation: in its paragraph, or in the example that both stand in."""
    one, other = document.block_of(document.spans[key[0]]), document.block_of(item.span)
    if one.index == other.index:
        return True
    examples = [name for name in one.scope if name.startswith("example ")]
    return bool(examples) and examples[-1] in other.scope


def _example(theory: Theory, values: Mapping[str, Mapping[tuple[int, ...], Term]], sizes: Mapping[str, int]) -> Theory:
    """The theory at these lengths, with these values as definitions."""
    put = {s: Index.of(v) for s, v in sizes.items()}
    definitions = {n: tuple(_without_length(at_sizes(d, put)) for d in rows) for n, rows in theory.definitions.items()}
    for head, entries in values.items():
        definitions[head] = tuple(Definition(head, tuple(map(Index.of, at)), t) for at, t in entries.items())
    return Theory({n: t for n, t in theory.tensors.items() if n not in definitions}, definitions)


def _without_length(d: Definition) -> Definition:
    """A definition for all places, where nothing tells how many there are."""
    return replace(d, shape=None) if any(not n.is_constant for n in d.shape or ()) and not d.sizes else d


def _at(s: Statement, sizes: Mapping[str, int]) -> Statement:
    put = {n: Index.of(v) for n, v in sizes.items()}
    left, right = (substitute(t, None, put) for t in (s.left, s.right))
    return replace(s, left=left, right=right, guard=guard_substitute(s.guard, {}, put))


def _is_open(s: Statement, theory: Theory) -> bool:
    """Whether a statement rests on something that no value is put in for."""
    return any(h not in theory.definitions for h in all_heads(s, theory)) or bool(all_sizes(s, theory))
