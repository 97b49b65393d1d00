"""Counterexamples to claims about positive definite or symmetric matrices: diagonal ones with positive entries are such."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from derivations.language.statement import Statement
from derivations.language.term import ZERO, Bracket, Entry, Index, equal, guard, within
from derivations.study.verdict import Case, Verdict, decide_again, heads_below

_OF_DIAGONALS = re.compile(r"positive|non-?negative|symmetric|diagonal|triangular")
"""Properties that a diagonal matrix with positive entries has; every word about a given name must be one."""


def with_diagonal_matrices(case: Case, verdict: Verdict) -> Verdict | None:
    """A refutation where each given matrix to which the text gives such a property is diagonal and positive; else None.

    That a matrix is positive definite is not read, and a counterexample need not have the property: this one has it.
    """
    heads, properties = heads_below(case, verdict), case.known.properties
    named = [s for s in case.known.table.symbols.values() if s.head in heads and not s.defined]
    called = [(s, properties[s.stem]) for s in named if properties.get(s.stem)]
    if not all(len(s.dims) == 2 and all(map(_OF_DIAGONALS.fullmatch, said)) for s, said in called):
        return None  # an idempotent matrix is another one
    supposed = [h for s, _ in called for h in _is_diagonal(s.head, case.theory.shape(s.head) or ())]
    if not supposed:
        return None
    statements = [
        replace(s, hypotheses=(*s.hypotheses, *(h for h in supposed if h not in s.hypotheses)))
        for s in verdict.statements
    ]
    tried = decide_again(case, verdict, statements)
    return tried if tried.is_refuted else None


def _is_diagonal(head: str, shape: tuple[Index, ...]) -> Iterator[Statement]:
    """That a square matrix has zeros beside its diagonal, and positive numbers on it."""
    if len(shape) != 2 or shape[0] is not shape[1]:
        return
    i, j = Index.var("i"), Index.var("j")
    inside = guard(*within("i", 0, shape[0]), *within("j", 0, shape[1]))
    same = Bracket((equal(i, j),))
    yield Statement(Entry(head, (i, j)), "=", same * Entry(head, (i, i)), ("i", "j"), inside)
    yield Statement(ZERO, "<", Entry(head, (i, i)), ("i",), guard(*within("i", 0, shape[0])))
