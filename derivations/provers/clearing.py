"""Both sides of a statement times the denominators of their normal forms, compared again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from derivations.kernel.proof import Chain, Clear, Meet, Proof, Sign
from derivations.kernel.scope import Scope
from derivations.kernel.sign import nonzero, positive
from derivations.language.substitution import alpha_equal
from derivations.language.term import Add, Mul, Pow, Term
from derivations.provers.cancelling import assumed_form
from derivations.provers.combining import combined
from derivations.provers.fractions import distribute
from derivations.provers.joining import cut_longer
from derivations.provers.monomials import denominators, roots_below
from derivations.provers.normal import Normaliser
from derivations.provers.normal_sides import normal_side
from derivations.provers.order import Test, find_form
from derivations.provers.trace import Trace, reverse

MAX_NESTED = 3
"""How often both sides are multiplied by what is below a denominator, once its own fraction is gone."""


def clear_order(
    normaliser: Normaliser, left: Term, right: Term, normal: Term, scope: Scope, test: Test
) -> Proof | None:
    """Both sides times the positive denominators of their difference, compared again."""
    wanted = denominators(normal)
    pieces = [b if p == 1 else Pow(b, p) for b, p in wanted.items() if positive(b, scope)]
    if not pieces:
        return None
    factor = pieces[0] if len(pieces) == 1 else Mul(pieces)
    difference = Mul((right, factor)) - Mul((left, factor))
    # the difference is normalised before it is multiplied out, so that each monomial is cancelled on its own
    trace = Trace()
    trace.step("ring", difference, Mul((right - left, factor)))
    inner = Trace()
    _, steps = normal_side(normaliser, right - left, scope)
    inner.then(steps)
    trace.below(0, inner)
    result = distribute(normaliser, Mul((normal, factor)), normal, pieces, scope, trace)
    if test(result, scope):
        return Clear(factor, Sign(trace.chain()))
    formed = find_form(result, scope, normaliser, test)
    if formed is None:
        return None
    trace.then(formed[1])
    return Clear(factor, Sign(trace.chain()))


def clear(
    normaliser: Normaliser, first: Term, second: Term, one: Trace, two: Trace, scope: Scope, nested: int = MAX_NESTED
) -> Proof | None:
    """Multiply both sides by the denominators of their normal forms and compare again: as often as a denominator has
    denominators itself, `1/(1 + a/b)`, up to `nested` times more."""
    wanted: Mapping[Term, int | Fraction] = denominators(first, second) or roots_below(first, second)
    if not any(isinstance(t, Add | Pow) for t in (first, second, *wanted)):
        return None
    forms = [assumed_form(normaliser, b, scope) for b in wanted]
    known = [form for form in forms if form is not None]
    if len(known) < len(forms):
        return None
    folded, because = [form for form, _ in known], [steps for _, steps in known]
    pieces = [b if p == 1 else Pow(b, p) for b, p in wanted.items()]
    powers = [b if p == 1 else Pow(b, p) for b, p in zip(folded, wanted.values(), strict=True)]
    if not all(isinstance(p, int) or nonzero(b, scope) for b, p in zip(powers, wanted.values(), strict=True)):
        return None
    factor = powers[0] if len(powers) == 1 else Mul(powers)
    ends = []
    for normal, trace in ((first, one), (second, two)):
        whole = Trace()
        whole.below(0, trace)
        _unfold(because, list(wanted.values()), whole)
        product = Mul((normal, pieces[0] if len(pieces) == 1 else Mul(pieces)))
        ends.append((distribute(normaliser, product, normal, pieces, scope, whole), whole))
    by_equations = combined(ends[0][0], ends[1][0], scope) if scope.hypotheses else None
    if by_equations is not None:
        return Clear(factor, Meet((*ends[0][1].chain(), *by_equations.chain()), ends[1][1].chain()))
    if not alpha_equal(ends[0][0], ends[1][0]):
        cut = cut_longer(normaliser, [end for end, _ in ends], scope)
        if cut is None or not alpha_equal(cut[0][0], cut[1][0]):
            (left, to_left), (right, to_right) = ends
            inside = nested and (any(denominators(b) for b in wanted) or roots_below(left, right))
            again = clear(normaliser, left, right, to_left, to_right, scope, nested - 1) if inside else None
            return Clear(factor, again) if again is not None else None
        for (_, whole), (_, steps) in zip(ends, cut, strict=True):
            whole.then(steps)
    return Clear(factor, Meet(ends[0][1].chain(), ends[1][1].chain()))


def _unfold(because: Sequence[Chain], powers: Sequence[int | Fraction], trace: Trace) -> None:
    """Steps from the assumed forms of the denominators to their normal forms, in the second factor of a product."""
    for k, (steps, power) in enumerate(zip(because, powers, strict=True)):
        inner = Trace()
        for step in reverse(steps):
            inner.at(step)
        for place in ([0] if power != 1 else []) + ([k] if len(powers) > 1 else []):
            outer = Trace()
            outer.below(place, inner)
            inner = outer
        trace.below(1, inner)
