"""That something is not so in general, shown by an instance: sizes and inputs are put in, and the numbers differ."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import product
from typing import Any

from flint import fmpq

from derivations.kernel.errors import KernelError
from derivations.kernel.theorem import Theorem
from derivations.language.statement import Definition, Statement, Theory
from derivations.language.substitution import substitute
from derivations.language.term import Index, Number, guard_substitute
from derivations.provers.not_found import NotFound
from derivations.provers.prove import find_proof
from derivations.provers.refute import Counterexample, refute

MAX_ENTRIES = 64
"""Entries of an example's tensors; a larger one is not put in."""


def by_instance(statement: Statement, theory: Theory) -> tuple[Theorem, Counterexample] | None:
    """For `left != right`: a theorem that the two differ at some sizes and inputs, which it defines, and these.

    None when no such inputs were found, or when they are not plain numbers (permutations, distributions).
    """
    if statement.relation != "!=" or statement.hypotheses or theory.random:
        return None
    equal = Statement(statement.left, "=", statement.right, statement.indices, statement.guard)
    theory = theory.about((statement.left, statement.right))
    witness = refute(equal, theory)
    if witness is None or any(n not in theory.tensors for n in witness.inputs):
        return None
    given = [d for name, entries in witness.inputs.items() for d in _entries(name, entries)]
    if len(given) > MAX_ENTRIES:
        return None
    sizes = {s: Index.of(v) for s, v in witness.sizes.items()}
    place = {v: Index.of(k) for v, k in witness.at.items()}
    definitions: dict[str, tuple[Definition, ...]] = {}
    for d in given:
        definitions[d.name] = (*definitions.get(d.name, ()), d)
    for name, ds in theory.definitions.items():
        definitions[name] = tuple(at_sizes(d, sizes) for d in ds)
    example = Theory({n: t for n, t in theory.tensors.items() if n not in definitions}, definitions)
    left, right = (substitute(side, place, sizes) for side in (statement.left, statement.right))
    try:
        return find_proof(Statement(left, "!=", right), example), witness
    except (NotFound, KernelError):
        return None


def _entries(name: str, entries: Any) -> list[Definition]:
    """Each entry of nested lists of rationals as a definition of its own."""
    extents = []
    inner = entries
    while isinstance(inner, (list, tuple)):
        extents.append(len(inner))
        inner = inner[0] if inner else "0"
    found = []
    for at in product(*(range(n) for n in extents)):
        value = entries
        for k in at:
            value = value[k]
        found.append(Definition(name, tuple(map(Index.of, at)), Number(fmpq(value))))
    return found


def at_lengths(s: Statement, sizes: Mapping[str, Index]) -> Statement:
    """A statement and what it supposes at given sizes."""
    left, right = (substitute(side, {}, sizes) for side in (s.left, s.right))
    supposed = tuple(at_lengths(h, sizes) for h in s.hypotheses)
    return replace(s, left=left, right=right, guard=guard_substitute(s.guard, {}, sizes), hypotheses=supposed)


def at_sizes(d: Definition, sizes: Mapping[str, Index]) -> Definition:
    """A definition at given sizes; its own size parameters stay."""
    here = {s: v for s, v in sizes.items() if s not in d.sizes}

    def at(shape: tuple[Index, ...]) -> tuple[Index, ...]:
        return tuple(i.substitute({}, here) for i in shape)

    return replace(
        d,
        indices=at(d.indices),
        body=substitute(d.body, {}, here),
        condition=guard_substitute(d.condition, {}, here),
        tensors=tuple(replace(t, shape=at(t.shape)) for t in d.tensors),
        shape=None if d.shape is None else at(d.shape),
    )
