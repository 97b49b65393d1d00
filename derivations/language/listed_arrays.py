"""Arrays that are given by their entries: `A = [[a, b], [c, d]]` says nothing of A but how its entries are called."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from derivations.language.statement import Definition, Theory
from derivations.language.substitution import substitute, subterms
from derivations.language.term import (
    Add,
    Bracket,
    Case,
    Entry,
    Guard,
    Index,
    IndexValue,
    Mul,
    Number,
    Sum,
    Term,
    TermError,
    guard_substitute,
    number,
)

MAX_ENTRIES = 36
"""Most entries of an array that is seen through."""


def leaves(head: str, theory: Theory) -> frozenset[str] | None:
    """The given names that a name stands for, where its definitions only say which entries it has; None for other names.

    A given name stands for itself.
    """
    found: set[str] = set()
    todo, seen = [head], {head}
    while todo:
        name = todo.pop()
        rows = theory.definitions.get(name, ())
        if not rows:
            found.add(name)
        for d in rows:
            if d.tensors or not all(map(_is_listed, subterms(d.body))):
                return None
            new = d.body.heads - seen
            seen |= new
            todo += new
    return frozenset(found)


def lists_given(d: Definition, theory: Theory) -> bool:
    """Whether a definition writes an array out by its entries, some of them given."""
    return bool(d.indices) and d.name in theory.definitions and bool(leaves(d.name, theory))


def entries_of(head: str, extents: tuple[int, ...], theory: Theory) -> dict[tuple[int, ...], Term] | None:
    """The entries of an array in terms of given names, by their places; None where one is more than sums and products."""
    count = 1
    for n in extents:
        count *= n
    if not 1 <= count <= MAX_ENTRIES:
        return None
    found = {}
    for at in product(*(range(n) for n in extents)):
        entry = spelled_out(Entry(head, tuple(map(Index.of, at))), theory)
        if entry is None or not all(isinstance(t, Entry | Number | Add | Mul) for t in subterms(entry)):
            return None
        found[at] = entry
    return found


def spelled_out(t: Term, theory: Theory) -> Term | None:
    """A term with its sums, its cases and the arrays in it written out; None where that depends on lengths or indices."""
    try:
        return _spelled_out(t, theory)
    except (KeyError, TermError, RecursionError):
        return None


def _spelled_out(t: Term, theory: Theory) -> Term:
    match t:
        case Entry(args=()):
            body = _body(t, theory)
            return t if body is None else _spelled_out(body, theory)
        case Case():
            chosen = next((b for g, b in t.branches if _holds(g)), t.otherwise)
            return _spelled_out(chosen, theory)
        case Bracket():
            return number(int(_holds(t.condition)))
        case IndexValue():
            return number(t.index.evaluate({}, {}))
        case Sum():
            return _added(_spelled_out(part, theory) for part in _summands(t))
        case Add() | Mul():
            return t.with_children([_spelled_out(c, theory) for c in t.children])
        case Number():
            return t
        case _:
            raise TermError(f"needed sums and products of entries, found {type(t).__name__}")


def _body(t: Entry, theory: Theory) -> Term | None:
    """What a definition says of an entry; None for a given one."""
    rows = theory.definitions.get(t.name, ())
    for d in rows:
        if d.tensors or d.sizes or len(d.indices) != len(t.indices):
            raise TermError("needed an array that is defined entry by entry")
        at: dict[str, Index] = {}
        fits = True
        for pattern, index in zip(d.indices, t.indices, strict=True):
            if pattern.is_constant:
                fits = fits and pattern is index
            elif len(pattern.free) == 1 and pattern is Index.var(min(pattern.free)):
                at[min(pattern.free)] = index
            else:
                raise TermError("needed an index for each axis")
        if fits and _holds(guard_substitute(d.condition, at)):
            return substitute(d.body, at)
    if rows:
        raise TermError("needed a definition for each entry")
    return None


def _holds(condition: Guard) -> bool:
    return all(c.holds({}, {}) for c in condition)


def _summands(t: Sum) -> Iterator[Term]:
    """The values of the body of a sum; refuses one whose range is not seen to lie in the first few numbers."""
    low, high = _bounds(t)
    if low < 0 or high >= MAX_ENTRIES:
        raise TermError(f"needed a sum over numbers from 0 to {MAX_ENTRIES - 1}, found one from {low} to {high}")
    for k in range(low, high + 1):
        at = {t.var: Index.of(k)}
        if _holds(guard_substitute(t.guard, at)):
            yield substitute(t.body, at)


def _bounds(t: Sum) -> tuple[int, int]:
    """The least and the largest number that the conditions of a sum allow; beyond what is seen through where none bounds it."""
    low, high = -1, MAX_ENTRIES
    for c in t.guard:
        slope = c.index.coefficient(t.var)
        rest = c.index - slope * Index.var(t.var)
        if not slope or not rest.is_constant or c.relation not in (">=", "=="):
            continue
        if slope > 0 or c.relation == "==":
            low = max(low, -(rest.const // slope) if slope > 0 else rest.const // -slope)
        if slope < 0 or c.relation == "==":
            high = min(high, rest.const // -slope if slope < 0 else -rest.const // slope)
    return low, high


def _added(parts: Iterator[Term]) -> Term:
    found = list(parts)
    if not found:
        return number(0)
    return found[0] if len(found) == 1 else Add(found)


def _is_listed(t: Term) -> bool:
    """Whether a term may stand in a list of entries, one for each place: no condition compares indices."""
    if isinstance(t, Case):
        return all(c.relation == "==" and len(c.index.free) == 1 for g, _ in t.branches for c in g)
    return isinstance(t, Entry | Number | IndexValue)
