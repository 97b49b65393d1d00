"""Hypotheses as rewriting rules: `entry = term` is used from left to right wherever an instance occurs."""

from __future__ import annotations

from derivations.kernel.linear import entails_all
from derivations.kernel.scope import Scope
from derivations.kernel.sign import match_index
from derivations.language.term import Entry, Index, Term, guard_substitute, rename_apart, substitute
from derivations.provers.trace import Trace


def use(term: Term, scope: Scope, trace: Trace, depth: int = 8) -> Term:
    """The term with every instance of a hypothesis' left entry replaced, innermost first."""
    if not any(isinstance(h.left, Entry) and h.relation == "=" for h in scope.hypotheses):
        return term
    return _use(term, scope, trace, depth)


def _use(term: Term, scope: Scope, trace: Trace, depth: int) -> Term:
    new = list(term.children)
    for k, child in enumerate(new):
        inner = Trace()
        new[k] = _use(child, scope.inside(term, k), inner, depth)
        trace.below(k, inner)
    if new:
        term = term.with_children(new)
    if not isinstance(term, Entry) or depth <= 0:
        return term
    for number, h in enumerate(scope.hypotheses):
        if h.relation != "=" or not isinstance(h.left, Entry) or h.left.name != term.name or term.args:
            continue
        if len(h.left.indices) != len(term.indices):
            continue
        mapping: dict[str, Index] = {}
        pairs = zip(h.left.indices, term.indices, strict=True)
        if not all(match_index(p, q, frozenset(h.indices), mapping) for p, q in pairs):
            continue
        if set(mapping) != set(h.indices) or not entails_all(scope.facts, guard_substitute(h.guard, mapping)):
            continue
        if substitute(h.left, mapping) is not term:
            continue
        after = substitute(rename_apart(h.right, scope.variables), mapping)
        trace.step("hypothesis", term, after, number=number, at=mapping)
        return _use(after, scope, trace, depth - 1)
    return term
