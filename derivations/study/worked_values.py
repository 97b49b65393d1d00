"""Worked values: what the text puts in for given names, and claims about the numbers that come out.

"Put K = 3 and z = (0, ln 2, ln 5).  Then Z(z) = 8" is said of these inputs alone.  What is put in for given names and
lengths holds for the claims after it in its paragraph or example that have a number on one side, or are false in general:
these are decided with the values as definitions.  A name for which nothing is put in stays open in them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from derivations.documents.facts.role_words import Part
from derivations.documents.model.document import CLOSE, OPEN, Document
from derivations.language.statement import Definition, Theory
from derivations.language.term import Derivative, Index, Term
from derivations.notes import Note
from derivations.provers.instance import at_lengths, at_sizes
from derivations.provers.refute import all_sizes
from derivations.study.equation_walk import Item, Key, PutIn
from derivations.study.roles import Said
from derivations.study.verdict import Case, all_heads
from derivations.study.where_stated import is_closed

WORKED = "a worked value"
"""The role of a claim about the numbers that come out of stated inputs."""


def with_put_in(case: Case, *, is_false: bool) -> Case | None:
    """A claim about numbers, with what the text puts in for the given names and lengths that it rests on.

    So is one that is false in general.  None where it may hold in general, or nothing is put in.
    """
    if Part.UNIVERSAL in Said.of(case).parts:
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
    put = {n: Index.of(v) for n, v in sizes.items()}
    statements = tuple(at_lengths(s, put) for s in case.statements)
    words = [p.words for p in used if p.head in values or not sizes.keys().isdisjoint(p.sizes)]
    note = Note("put-in", (", ".join(dict.fromkeys(w for w in words if w)),), place=case.item.span.place)
    return replace(case, statements=statements, theory=theory, assumptions=(*case.assumptions, note))


def is_differentiated(case: Case) -> bool:
    """Whether something in a claim is differentiated: then its values at one point are not enough."""
    sides = (side for s in case.statements for side in (s.left, s.right))
    return any(isinstance(t, Derivative) for side in sides for t in case.theory.reached(side))


def _in_force(case: Case) -> tuple[dict[str, dict[tuple[int, ...], Term]], dict[str, int], list[PutIn]]:
    """The values and lengths that are put in for a relation, the latest ones, and what puts them in."""
    values: dict[str, dict[tuple[int, ...], Term]] = {}
    sizes: dict[str, int] = {}
    used: list[PutIn] = []
    for p in case.known.walk.put_in:
        if p.key[:2] > case.key[:2] or not holds_here(case.known.document, p.key, case.item):
            continue
        used.append(p)
        sizes.update(p.sizes)
        if p.head is not None:
            own = values.setdefault(p.head, {})
            if any(len(at) != len(next(iter(p.entries))) for at in own):
                own.clear()
            own.update(p.entries)
    return values, sizes, used


def holds_here(document: Document, key: Key, item: Item) -> bool:
    """Whether what one relation puts in holds for an equation: in its sentence or paragraph, or in the example of both."""
    one, other = document.block_of(document.spans[key[0]]), document.block_of(item.span)
    if one.index == other.index or f"{OPEN}{key[0]}{CLOSE}" in item.context.before:
        return True
    examples = [name for name in one.scope if name.startswith("example ")]
    return bool(examples) and examples[-1] in other.scope


def _example(theory: Theory, values: Mapping[str, Mapping[tuple[int, ...], Term]], sizes: Mapping[str, int]) -> Theory:
    """The theory at these lengths, with these values as definitions."""
    put = {s: Index.of(v) for s, v in sizes.items()}
    definitions = {n: tuple(_without_length(at_sizes(d, put)) for d in rows) for n, rows in theory.definitions.items()}
    for head, entries in values.items():
        shape = theory.shape(head) or ()
        whole = tuple(Index.var(f"i{k}") for k in range(len(shape)))
        definitions[head] = tuple(Definition(head, tuple(map(Index.of, at)) or whole, t) for at, t in entries.items())
    return Theory({n: t for n, t in theory.tensors.items() if n not in definitions}, definitions)


def _without_length(d: Definition) -> Definition:
    """A definition for all places, where nothing tells how many there are."""
    return replace(d, shape=None) if any(not n.is_constant for n in d.shape or ()) and not d.sizes else d
