"""What the text puts in for given names and lengths: the values of `Put K = 3 and z = (0, \\ln 2, \\ln 5)`, kept for claims."""

from __future__ import annotations

from itertools import product

from derivations.language.listed_arrays import spelled_out
from derivations.language.term import Entry, Index, Number, Term
from derivations.latex.elaborator.elaborate import Elaborator
from derivations.latex.lexicon.arrays import Array, NotUnderstood
from derivations.latex.syntax.surface import Literal, Node
from derivations.study.equation_walk import Item, Key, PutIn
from derivations.study.state import Study
from derivations.study.where_stated import is_closed
from derivations.study.worked_values import MAX_ENTRIES, holds_for


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
        holds_on = made[0] is not None and len(made[1]) > 1 and _is_used(study, made[0])
        study.walk.put_in.append(PutIn(key, words, *made, holds_on))


def _is_used(study: Study, head: str) -> bool:
    """Whether a definition of the document goes back to a given name."""
    theory = study.table.theory
    return any(theory.depends(Entry(name), frozenset((head,))) for name in theory.definitions)


_Made = tuple[str | None, dict[tuple[int, ...], Term], dict[str, Index]]


def _length(study: Study, e: Elaborator, left: Node, right: Node) -> _Made | None:
    """A number for a length, or another length: `g = 1`, `g = h`."""
    if not _is_length(study, left):
        return None
    number = isinstance(right, Literal) and right.text.isdigit()
    if not (number or _is_length(study, right)):
        return None
    size, value = e.written_index(left, e.free), e.written_index(right, e.free)
    name = _only_size(size)
    return (None, {}, {name: value}) if name and name not in value.sizes else None


def _is_length(study: Study, node: Node) -> bool:
    w = study.names.written(node)
    return w is not None and study.table.is_size(w)


def _values(study: Study, e: Elaborator, left: Node, right: Node) -> _Made | None:
    value, name = e.value(right, {}), e.value(left, {})
    if len(value.shape) != len(name.shape):
        return None
    extents = [study.table.sizes.index(d) for d in value.shape]
    if not all(n.is_constant for n in extents):
        return _everywhere(study, value, name)
    sizes: dict[str, Index] = {}
    for own, n in zip(map(study.table.sizes.index, name.shape), extents, strict=True):
        if own.is_constant and own is not n:
            return None
        if not own.is_constant:
            sizes[_only_size(own)] = n
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


def _everywhere(study: Study, value: Array, name: Array) -> _Made | None:
    r"""`\gamma = \mathbf{1}`: one number at all places."""
    places = tuple(Index.var(f"i{k}") for k in range(len(value.shape)))
    entry, term = name.at(places), value.at(places)
    if not isinstance(entry, Entry) or entry.args or entry.indices != places or not is_closed(term):
        return None
    if entry.name in study.table.theory.definitions or not isinstance(term, Number):
        return None
    return entry.name, {(): term}, {}


def _only_size(index: Index) -> str:
    """The name of a length that nothing is done to; empty for another one."""
    names = index.sizes
    return min(names) if len(names) == 1 and index is Index.size(min(names)) else ""


def lengths_put_in(study: Study, item: Item) -> dict[str, Index]:
    """The numbers and lengths that the text puts in for lengths where an equation stands."""
    here = [p for p in study.walk.put_in if p.sizes and holds_for(study.document, p, item)]
    return {n: v for p in here for n, v in p.sizes.items()}
