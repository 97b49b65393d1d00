"""Hypotheses as rewriting rules: `entry = term` is used from left to right wherever an instance occurs."""

from __future__ import annotations

from derivations.kernel.proof import Chain
from derivations.kernel.scope import Scope
from derivations.language.statement import Statement
from derivations.language.substitution import alpha_equal, rename_apart, substitute, subterms
from derivations.language.term import Derivative, Entry, Expectation, Index, Number, Term
from derivations.provers.normal import Normaliser, matching
from derivations.provers.trace import Trace, reverse


def use(term: Term, scope: Scope, trace: Trace, depth: int = 8) -> Term:
    """The term with every instance of a hypothesis' left entry, its derivative or mean, replaced, innermost first."""
    if not any(isinstance(h.left, Entry | Derivative | Expectation) and h.relation == "=" for h in scope.hypotheses):
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
    if not isinstance(term, Entry | Derivative | Expectation) or depth <= 0:
        return term
    for number, h in enumerate(scope.hypotheses):
        mapping = None if is_symmetry(h) else matching(h, term, scope)
        if mapping is None:
            continue
        after = substitute(rename_apart(h.right, scope.variables), mapping)
        if any(u is term for u in subterms(after)):
            continue  # D[i, i] = [i = i] D[i, i]
        trace.step("hypothesis", term, after, number=number, at=mapping)
        return _use(after, scope, trace, depth - 1)
    return term


def use_normal(term: Term, scope: Scope, normaliser: Normaliser, trace: Trace, rounds: int = 4) -> Term:
    """Use hypotheses without indices whose left side normalises to one atom, such as `sum(i, t[i]) = 1`."""
    rules: list[tuple[int, Term, Chain]] = []
    for number, h in enumerate(scope.hypotheses):
        if h.relation == "=" and not h.indices and not isinstance(h.left, (Entry, Number)) and not h.guard:
            start = rename_apart(h.left, scope.variables)
            atom, steps = normaliser.start(start, scope)
            if not isinstance(atom, Number):
                rules.append((number, atom, steps.chain()))
    for _ in range(rounds if rules else 0):
        inner = Trace()
        new = _replace(term, scope, rules, inner)
        if new is term:
            return term
        trace.then(inner)
        term, rest = normaliser.start(new, scope)
        trace.then(rest)
    return term


def _replace(term: Term, scope: Scope, rules: list[tuple[int, Term, Chain]], trace: Trace) -> Term:
    for number, atom, steps in rules:
        if alpha_equal(term, atom):
            trace.step("alpha", term, atom)
            for s in reverse(steps):
                trace.at(s)
            h = scope.hypotheses[number]
            left = rename_apart(h.left, scope.variables)
            trace.step("hypothesis", left, rename_apart(h.right, scope.variables), number=number, at={})
            return rename_apart(h.right, scope.variables)
    new = list(term.children)
    for k, child in enumerate(new):
        below = Trace()
        new[k] = _replace(child, scope.inside(term, k), rules, below)
        trace.below(k, below)
    return term.with_children(new) if new else term


def is_symmetry(h: Statement) -> bool:
    """Whether a hypothesis says that a matrix is its own transpose: used as a rule, it would go back and forth."""
    left, right = h.left, h.right
    if h.relation != "=" or not isinstance(left, Entry) or not isinstance(right, Entry):
        return False
    if left.name != right.name or left.is_inverse is not right.is_inverse or len(left.indices) != 2:
        return False
    if not left.is_inverse and (left.args or right.args):
        return False
    return left.indices == right.indices[::-1] and set(left.indices) == set(map(Index.var, h.indices))
