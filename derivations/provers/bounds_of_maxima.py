"""Upper bounds of maxima: `max(j, f) <= c` from a lemma that `f <= c` for every j."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derivations.kernel.errors import Refused
from derivations.kernel.finiteness import finite
from derivations.kernel.proof import Have, Proof, Sign
from derivations.kernel.replay import lemma_scope, with_lemma
from derivations.kernel.scope import Scope
from derivations.kernel.sign import nonnegative
from derivations.language.statement import Statement
from derivations.language.substitution import alpha_equal, rename_apart
from derivations.language.term import MINUS_ONE, Max, Mul, Term, guard, negative, product_of
from derivations.provers.monomials import factors, monomials, sum_of
from derivations.provers.normal_sides import normal_side
from derivations.provers.not_found import NotFound
from derivations.provers.trace import Trace, reverse

if TYPE_CHECKING:
    from derivations.provers.prove import Search


def bound_of_maximum(search: Search, normal: Term, scope: Scope, steps: Trace) -> Proof | None:
    """A proof that a difference with the normal form `c - r max(j, f)`, to which `steps` lead, is not negative, for r >= 0.

    The form is `-max(j, -(c - r f))`, and by the lemma `r f <= c` no value of this maximum is positive.
    """
    from derivations.provers.comparisons import compare

    for top, scale, rest in _maxima_below(normal, scope):
        own: Max = rename_apart(top, scope.variables)  # type: ignore[assignment]
        inside = scope.inside(own, 0)
        if not finite(own.body, scope.theory, inside.facts):
            continue
        said = Statement(product_of([*scale, own.body]), "<=", rest, inside.variables, guard(*inside.facts))
        proposal = Mul((MINUS_ONE, Max(own.var, own.guard, Mul((MINUS_ONE, said.right - said.left)))))
        back, trace = normal_side(search.normaliser, proposal, scope)
        if not alpha_equal(back, normal):
            continue
        try:
            there = lemma_scope(said, scope)
            why = compare(search.for_lemma(said), said.left, said.right, there, 0)
        except (NotFound, Refused):
            continue
        if not nonnegative(proposal, with_lemma(said, scope)):
            continue
        whole = Trace()
        whole.then(steps)
        whole.step("alpha", normal, back)
        for step in reverse(trace.chain()):
            whole.at(step)
        return Have(said, why, Sign(whole.chain()))
    return None


def _maxima_below(normal: Term, scope: Scope) -> list[tuple[Max, list[Term], Term]]:
    """The maxima in a normal form that are subtracted, what is in front of each, and the rest of the form."""
    parts = monomials(normal)
    found = []
    for k, part in enumerate(parts):
        row = factors(negative(part))
        tops = [f for f in row if isinstance(f, Max)]
        scale = [f for f in row if not isinstance(f, Max)]
        if len(tops) == 1 and all(nonnegative(f, scope) for f in scale):
            found.append((tops[0], scale, sum_of([p for j, p in enumerate(parts) if j != k])))
    return found
