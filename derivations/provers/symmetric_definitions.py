r"""Proofs in which matrices stay what they are called, of which is only used that they are symmetric.

`P' = P - K S K^\top` with `S = H P H^\top + R` and `K = P H^\top S^{-1}` needs of P and S, beside `S^{-1} S = I`, that they
are symmetric; written out by what they are made of, the two sides have hundreds of terms below inverses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from derivations.kernel.errors import Refused
from derivations.kernel.proof import Proof
from derivations.kernel.replay import lemma_scope, with_lemma
from derivations.kernel.scope import Scope
from derivations.language.statement import Definition, Statement, Theory
from derivations.language.term import Entry, Term, guard, within
from derivations.provers.not_found import NotFound

Prover = Callable[[Statement, Scope], Proof]
"""Finds a proof of a statement in a scope, or raises `NotFound`."""
MAX_LEMMAS = 4
"""Most matrices that are shown to be symmetric for one proof."""


def symmetries(sides: Sequence[Term], theory: Theory) -> Iterator[Statement]:
    """What it says of each square matrix below an equation that it is symmetric, the first defined ones first; none where
    nothing has an inverse."""
    reached = [t for side in sides for t in theory.reached(side) if isinstance(t, Entry)]
    if not any(t.is_inverse for t in reached):
        return
    names = {t.name for t in reached} & theory.definitions.keys()
    for name in (n for n in theory.definitions if n in names):
        rows = theory.definitions[name]
        if len(rows) == 1 and not theory.recursive(name) and (said := _symmetry(rows[0])) is not None:
            yield said


def _symmetry(d: Definition) -> Statement | None:
    """That a matrix is symmetric; None of what is no square matrix."""
    if d.tensors or d.sizes or len(d.indices) != len(("row", "column")) or not all(i.plain for i in d.indices):
        return None
    row, column = d.indices
    if len(row.free) != 1 or len(column.free) != 1 or d.condition or d.shape is None or d.shape[0] is not d.shape[1]:
        return None
    i, j = min(row.free), min(column.free)
    left, right = Entry(d.name, (row, column)), Entry(d.name, (column, row))
    return Statement(left, "=", right, (i, j), guard(*within(i, 0, d.shape[0]), *within(j, 0, d.shape[0])))


def shown(lemmas: Sequence[Statement], scope: Scope, prove: Prover) -> tuple[list[tuple[Statement, Proof]], Scope]:
    """Those lemmas that have a proof, which may use the ones before, and the scope that has them."""
    found: list[tuple[Statement, Proof]] = []
    for said in lemmas[:MAX_LEMMAS]:
        try:
            found.append((said, prove(said, lemma_scope(said, scope))))
            scope = with_lemma(said, scope)
        except (NotFound, Refused):
            continue
    return found, scope
