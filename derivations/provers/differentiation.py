"""Derivatives, taken from the outside in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derivations.kernel.errors import Refused
from derivations.kernel.finiteness import finite
from derivations.kernel.rules.derivatives import differentiate
from derivations.kernel.scope import Scope
from derivations.kernel.sign import unfold
from derivations.language.substitution import rename_apart
from derivations.language.term import Derivative, Entry, Expectation, Term
from derivations.provers import choices
from derivations.provers.trace import Trace

if TYPE_CHECKING:
    from derivations.provers.normal import Normaliser


def normalise_derivative(n: Normaliser, t: Derivative, scope: Scope, trace: Trace) -> tuple[Term, Trace]:
    """Differentiate from the outside in, definitions unfolded where they depend on the variable."""
    body = t.body
    if isinstance(body, Entry) and body.name in n.theory.definitions:
        if n.theory.depends(body, frozenset((t.name,))):
            inside = scope.inside(t, 0)
            below = unfold(body, inside) or n.unrolled(body, inside)
            if below is None:
                return t, trace
            inner = Trace()
            new = inner.step("unfold", body, rename_apart(below, scope.variables))
            trace.below(0, inner)
            return n.more(t.with_children([new]), scope, trace)
    moving = isinstance(body, Expectation) and n.theory.depends(body, frozenset((t.name,)))
    if isinstance(body, Derivative) or moving:  # a second derivative, or a mean: the first one is taken first
        first, steps = n.norm(body, scope.inside(t, 0))
        if isinstance(first, Derivative) or first is body:
            return t, trace
        trace.below(0, steps)
        return n.more(t.with_children([first]), scope, trace)
    found = choices.as_choice(body)
    if found is not None and finite(body, n.theory, scope.facts):
        inner = Trace()
        new = inner.step(found[0], body, found[1])
        trace.below(0, inner)
        return n.more(t.with_children([new]), scope, trace)
    try:
        after = differentiate(t, scope)
    except Refused:
        return t, trace
    return n.more(trace.step("deriv", t, after), scope, trace)
