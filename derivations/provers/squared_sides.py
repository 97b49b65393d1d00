r"""Proofs of `l <= r` from `l^2 <= r^2`, where r is not negative: absolute values and roots are gone in the squares.

`|q \cdot k| \le \|q\| \|k\|` is what Cauchy's inequality says of the squares; and `\|q + k\| \le \|q\| + \|k\|` has squares
whose difference is twice that of `\|q\| \|k\|` and `q \cdot k`, which are compared by their squares again.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from derivations.kernel.errors import Refused
from derivations.kernel.finiteness import finite
from derivations.kernel.proof import Clear, Have, Proof, Sign, SignSplit
from derivations.kernel.replay import lemma_scope
from derivations.kernel.scope import Scope
from derivations.kernel.sign import nonnegative
from derivations.language.statement import Statement
from derivations.language.substitution import subterms
from derivations.language.term import Add, Apply, Mul, Number, Pow, Term, negative
from derivations.provers.monomials import monomials
from derivations.provers.moved_summands import by_lemma
from derivations.provers.not_found import NotFound
from derivations.provers.trace import Trace

if TYPE_CHECKING:
    from derivations.provers.prove import Search

MAX_SQUARED = 2
"""How often sides are squared, one time inside the other."""
MAX_PARTS = 4
"""The longest side that is squared."""
HALF = Number(Fraction(1, 2))


def by_squares(search: Search, left: Term, right: Term, normal: Term, trace: Trace, scope: Scope) -> Proof | None:
    """A proof of `left <= right` whose difference has the normal form `normal`, reached by the steps of `trace`.

    The sides are squared as they stand, or else those parts of the difference that are not negative, and the others.
    """
    if search.relation != "<=" or search.squared >= MAX_SQUARED:
        return None
    # u^T v <= 1 of unit vectors has neither a root nor an absolute value
    is_bound = bool(scope.hypotheses) and any(isinstance(p, Number) for p in monomials(normal))
    if not is_bound and not any(_goes_when_squared(u) for t in (left, normal) for u in subterms(t)):
        return None
    if nonnegative(right, scope) and len(monomials(left)) <= MAX_PARTS and len(monomials(right)) <= MAX_PARTS:
        found = _squared(search, left, right, scope)
        if found is not None:
            return found
    parts = monomials(normal)
    above = [p for p in parts if nonnegative(p, scope)]
    below = [negative(p) for p in parts if not any(p is q for q in above)]
    if not above or not below or len(parts) > MAX_PARTS:
        return None
    return by_lemma(below, above, normal, trace, scope, lambda *sides: _squared(search, *sides))


def _squared(search: Search, less: Term, more: Term, scope: Scope) -> Proof | None:
    """`less <= more` where `more` is not negative: where `less` is positive, both times twice their sum are their squares."""
    if not all(finite(t, scope.theory, scope.facts) for t in (less, more)):
        return None
    said = Statement(Pow(less, 2), "<=", Pow(more, 2), scope.variables, scope.facts)
    search.squared += 1
    try:
        why = search.direct(said.left, said.right, lemma_scope(said, scope), 0)
    except (NotFound, Refused):
        return None
    finally:
        search.squared -= 1
    factor = Add((Mul((Number(2), less)), Mul((Number(2), more))))
    above, otherwise = Trace(), Trace()
    squares = Mul((Number(2), Pow(more, 2) - Pow(less, 2)))
    above.step("ring", Mul((more, factor)) - Mul((less, factor)), squares)
    otherwise.step("ring", more - less, Add((more, *[Mul((HALF, negative(less)))] * 2)))
    return Have(said, why, SignSplit(less, Clear(factor, Sign(above.chain())), Sign(otherwise.chain())))


def _goes_when_squared(t: Term) -> bool:
    """A root, or an absolute value."""
    if isinstance(t, Apply):
        return t.function == "abs"
    return isinstance(t, Pow) and isinstance(t.exponent, Number) and t.exponent.value.q == 2
