"""The normal form of one side of a statement, with what facts and hypotheses say of it."""

from __future__ import annotations

from derivations.kernel.linear import equal_indices
from derivations.kernel.scope import Scope
from derivations.language.substitution import rename_apart, substitute
from derivations.language.term import Index, Term
from derivations.provers.contraction import rewrite
from derivations.provers.hypotheses import use, use_normal
from derivations.provers.normal import Normaliser
from derivations.provers.trace import Trace

MAX_ROUNDS = 4
"""Rounds of using hypotheses and normalising."""


def normal_side(normaliser: Normaliser, term: Term, scope: Scope) -> tuple[Term, Trace]:
    """The normal form of one side, with indices that the facts fix replaced by their values first."""
    trace = Trace()
    term = trace.step("alpha", term, rename_apart(term, scope.variables))
    for var, value in fixed(scope):
        if var in term.free:
            after = substitute(rename_apart(term, {var, *value.free}), {var: value})
            term = trace.step("index_eq", term, after, var=var, value=value)
    term = use(term, scope, trace)
    result, rest = normaliser.start(term, scope)
    trace.then(rest)
    for _ in range(MAX_ROUNDS):  # unfolding brings up entries that hypotheses speak of
        used = use(result, scope, trace)
        if used is result:
            break
        result, rest = normaliser.start(used, scope)
        trace.then(rest)
    result = use_normal(result, scope, normaliser, trace)
    return rewrite(result, scope, normaliser, trace), trace


def fixed(scope: Scope) -> list[tuple[str, Index]]:
    """Index variables that the facts of a scope fix to a value without them (each resolved by earlier ones only)."""
    found: list[tuple[str, Index]] = []
    gone: set[str] = set()
    for var in reversed(scope.variables):
        for c in scope.facts:
            k = c.index.coefficient(var)
            if abs(k) != 1:
                continue
            value = (c.index - k * Index.var(var)) * -k
            if value.free & gone or var in value.free:
                continue
            if any(scope.variables.index(v) > scope.variables.index(var) for v in value.free):
                continue
            if c.relation == "==" or equal_indices(scope.facts, Index.var(var), value):
                found.append((var, value))
                gone.add(var)
                break
    return found
