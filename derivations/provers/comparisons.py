"""Proofs that one side is less than, at most, or not equal to the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from derivations.kernel.finiteness import finite
from derivations.kernel.numbers import certain
from derivations.kernel.proof import Clear, Compute, Proof, Raise, Sign
from derivations.kernel.scope import Scope
from derivations.kernel.sign import nonnegative, nonzero, positive
from derivations.language.substitution import alpha_equal
from derivations.language.term import ONE, ZERO, Apply, Mul, Number, Pow, Term, negative, product_of
from derivations.provers import choices
from derivations.provers.bounds_of_maxima import bound_of_maximum
from derivations.provers.clearing import clear_order
from derivations.provers.distinctions import candidates, split_by_sign, split_on
from derivations.provers.monomials import denominators, factors, monomials, total
from derivations.provers.moved_summands import by_lemma
from derivations.provers.normal_sides import normal_side
from derivations.provers.not_found import NotFound
from derivations.provers.order import find_form
from derivations.provers.squared_sides import by_squares
from derivations.provers.sums_of_signs import by_terms
from derivations.provers.trace import Trace

if TYPE_CHECKING:
    from derivations.provers.prove import Search


def compare(search: Search, left: Term, right: Term, scope: Scope, splits: int) -> Proof:
    """A proof of a comparison from the sign of the difference, or from forms of it whose sign can be seen."""
    test = {"<": positive, "<=": nonnegative, "!=": nonzero}[search.relation]
    difference = right - left
    if test(difference, scope):
        return Sign(())
    if certain(left, search.relation, right, scope.theory):
        return Compute()
    normal, trace = normal_side(search.normaliser, difference, scope)
    if test(normal, scope):
        return Sign(trace.chain())
    if left is ZERO and test(right, scope):
        whole = Trace()
        whole.step("ring", difference, right)
        return Sign(whole.chain())
    for form in choices.beside_assumed(search.normaliser, normal, scope):
        if test(form, scope):
            trace.step("ring", normal, form)
            return Sign(trace.chain())
    if search.relation != "!=":
        formed = find_form(normal, scope, search.normaliser, test)
        if formed is not None:
            trace.then(formed[1])
            return Sign(trace.chain())
        cleared = clear_order(search.normaliser, left, right, normal, scope, test)
        if cleared is not None:
            return cleared
        bounded = bound_of_maximum(search, normal, scope, trace) if search.relation == "<=" else None
        if bounded is not None:
            return bounded
        summed = by_terms(search, normal, scope, trace) if search.relation == "<=" else None
        if summed is not None:
            return summed
        raised = _by_exponentials(search, left, right, normal, scope)
        raised = raised or _without_signs(search, left, normal, trace, scope)
        if raised is not None:
            return raised
        squared = by_squares(search, left, right, normal, trace, scope)
        if squared is not None:
            return squared
    by_sign = split_by_sign(search, left, right, (normal,), scope, splits)
    if by_sign is not None:
        return by_sign
    if splits:
        for on in candidates(normal, ONE, left, right, scope):
            split = split_on(search, left, right, scope, on, splits)
            if split is not None:
                return split
    raise NotFound("the sign of the difference is not visible", replace(search.statement, left=Number(0), right=normal))


def _by_exponentials(search: Search, left: Term, right: Term, normal: Term, scope: Scope) -> Proof | None:
    """A comparison with logarithms by its exponentials, as it stands or after both sides are multiplied.

    They are divided by what all logarithms have in front, or else multiplied by what they are divided by.
    """
    with_logarithms = [factors(m) for m in monomials(normal) if any(map(_is_logarithm, factors(m)))]
    if search.raising or not with_logarithms:
        return None
    in_front = tuple(Pow(f, -1) for f in _in_front_of_all(with_logarithms, scope))
    below = tuple(b if p == 1 else Pow(b, p) for b, p in denominators(normal).items())
    for pieces in dict.fromkeys((in_front or below, ())):
        found = _raised(search, left, right, pieces, scope) if all(positive(p, scope) for p in pieces) else None
        if found is not None:
            return found
    return None


def _without_signs(search: Search, left: Term, normal: Term, trace: Trace, scope: Scope) -> Proof | None:
    """A comparison by its exponentials after all that has a minus has changed sides: `0 <= log t - s` as `s <= log t`."""
    parts = monomials(normal)
    with_minus = [p for p in parts if isinstance(c := factors(p)[0], Number) and c.value < 0]
    if search.raising or not with_minus or not any(map(_is_logarithm, (f for p in parts for f in factors(p)))):
        return None
    less = [negative(p) for p in with_minus]
    if alpha_equal(total(less), left):
        return None
    more = [p for p in parts if not any(p is q for q in with_minus)]
    return by_lemma(
        less, more, normal, trace, scope, lambda a, b, there: _raised(search, a, b, (), there), search.relation
    )


def _raised(search: Search, left: Term, right: Term, pieces: Sequence[Term], scope: Scope) -> Proof | None:
    """A comparison by the exponentials of both sides times some positive factors."""
    factor = product_of(pieces) if pieces else None
    sides = [
        side if factor is None else normal_side(search.normaliser, Mul((side, factor)), scope)[0]
        for side in (left, right)
    ]
    scaled = [side if factor is None else Mul((side, factor)) for side in (left, right)]
    if not all(finite(side, scope.theory, scope.facts) for side in sides):
        return None
    search.raising = True
    try:
        rest = Raise(compare(search, Apply("exp", scaled[0]), Apply("exp", scaled[1]), scope, 0))
    except NotFound:
        return None
    finally:
        search.raising = False
    return rest if factor is None else Clear(factor, rest)


def _is_logarithm(t: Term) -> bool:
    return isinstance(t, Apply) and t.function == "log"


def _in_front_of_all(rows: Sequence[Sequence[Term]], scope: Scope) -> list[Term]:
    """The positive factors that all products share, without numbers, logarithms and what is divided by."""
    first, *others = rows
    shared = [f for f in first if all(any(alpha_equal(f, g) for g in row) for row in others)]
    shared = [f for f in shared if not isinstance(f, Number) and not _is_logarithm(f)]
    return [f for f in shared if not denominators(f) and positive(f, scope)]
