"""Proofs about inverse matrices, from both sides times a matrix whose inverse occurs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from derivations.kernel.errors import Refused
from derivations.kernel.proof import Have, Proof
from derivations.kernel.replay import lemma_scope, with_lemma
from derivations.kernel.scope import Scope
from derivations.language.statement import Statement
from derivations.language.substitution import canonical
from derivations.language.term import Entry, Term
from derivations.provers.contraction import exchanges, symmetry
from derivations.provers.inductions import having, with_powers
from derivations.provers.multiplying import MAX_MULTIPLIED, Multiplier, cancelled, multipliers
from derivations.provers.multiplying import lemma as times
from derivations.provers.normal_sides import normal_side
from derivations.provers.not_found import NotFound
from derivations.provers.recurrence import recursive_symbols

if TYPE_CHECKING:
    from derivations.provers.prove import Search


MAX_PRODUCTS = 8
"""Most products of both sides with matrices that are multiplied again."""
MAX_INDUCTIONS = 2
"""Products that are shown by induction."""
Product = tuple[Multiplier, Term, Term, Scope, Statement]
"""A matrix, the two sides that it multiplies, their scope, and what is said of the products."""


def with_symmetry(search: Search, left: Term, right: Term, scope: Scope) -> Proof | None:
    """A proof from lemmas that the inverses of symmetric matrices are symmetric."""
    if search.relation != "=" or not any(isinstance(t, Entry) and t.is_inverse for t in _reached(left, right, scope)):
        return None
    shown: list[tuple[Statement, Proof]] = []
    inside = scope
    for o in scope.assumed:
        said = symmetry(o.subject, scope, search.normaliser) if o.kind == "invertible" else None
        try:
            there = None if said is None else lemma_scope(said, inside)
        except Refused:
            continue
        why = None if said is None or there is None else multiplied(search, said.left, said.right, there)
        if said is not None and why is not None:
            shown.append((said, why))
            inside = with_lemma(said, inside)
    if not shown:
        return None
    try:
        return having(shown, search.direct(left, right, inside, 0))
    except NotFound:
        proof = multiplied(search, left, right, inside)
        return None if proof is None else having(shown, proof)


def with_exchange(search: Search, left: Term, right: Term, scope: Scope) -> Proof | None:
    """A proof from lemmas that take one inverse through a matrix to another one: `inverse(M) P = P inverse(N)`."""
    if search.relation != "=" or not any(isinstance(t, Entry) and t.is_inverse for t in _reached(left, right, scope)):
        return None
    forms = [normal_side(search.normaliser, t, scope)[0] for t in (left, right)]
    for lemmas in exchanges(forms, scope):
        shown: list[tuple[Statement, Proof]] = []
        inside = scope
        for said in lemmas:
            try:
                why = multiplied(search, said.left, said.right, lemma_scope(said, inside))
            except Refused:
                continue
            if why is not None:
                shown.append((said, why))
                inside = with_lemma(said, inside)
        try:
            if shown:
                return having(shown, search.direct(left, right, inside, 0))
        except NotFound:
            continue
    return None


def multiplied(search: Search, left: Term, right: Term, scope: Scope) -> Proof | None:
    """A proof from both sides times a matrix whose inverse occurs; products are tried first, then their products."""
    if search.relation != "=" or not any(isinstance(t, Entry) and t.is_inverse for t in _reached(left, right, scope)):
        return None
    pending: list[tuple[Term, Term, Scope, tuple[Product, ...]]] = [(left, right, scope, ())]
    tried: set[tuple[Term, Term]] = set()
    for one, other, here, so_far in pending:
        first, second = (normal_side(search.normaliser, t, here)[0] for t in (one, other))
        for m in multipliers(first, second, here):
            said = times(m, one, other, here)
            try:
                there = lemma_scope(said, here)
            except Refused:
                continue
            ends = (
                canonical(normal_side(search.normaliser, said.left, there)[0]),
                canonical(normal_side(search.normaliser, said.right, there)[0]),
            )
            if ends in tried:
                continue
            tried.add(ends)
            steps = (*so_far, (m, one, other, here, said))
            try:
                why = search.direct(said.left, said.right, there, 0)
            except NotFound:
                if len(steps) < MAX_MULTIPLIED and len(pending) < MAX_PRODUCTS:
                    pending.append((said.left, said.right, there, steps))
                continue
            return _divide(search, steps, why)
    if not recursive_symbols(scope.theory, [left, right]):
        return None
    for one, other, here, so_far in pending[1 : 1 + MAX_INDUCTIONS]:
        shown = with_powers(search, one, other, here, 0)
        if shown is not None:
            return _divide(search, so_far, shown)
    return None


def _divide(search: Search, steps: Sequence[Product], why: Proof) -> Proof | None:
    """From a proof about a product back to what was multiplied."""
    for m, left, right, scope, said in reversed(steps):
        rest = cancelled(m, left, right, with_lemma(said, scope), search.normaliser)
        if rest is None:
            return None
        why = Have(said, why, rest)
    return why


def _reached(left: Term, right: Term, scope: Scope) -> Iterator[Term]:
    """The terms that two sides rest on, through definitions too."""
    for side in (left, right):
        yield from scope.theory.reached(side)
