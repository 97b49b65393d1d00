"""Brackets in a monomial: without what is known, and with their equations used for the other factors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derivations.kernel.linear import consistent, entails, entails_all
from derivations.kernel.scope import Scope
from derivations.language.substitution import rename_apart, substitute
from derivations.language.term import ONE, ZERO, Bracket, Constraint, Index, Mul, Term, atoms, equal, guard, permuted
from derivations.provers.trace import Trace

if TYPE_CHECKING:
    from derivations.provers.normal import Normaliser


def simplify_bracket(b: Bracket, scope: Scope) -> Term:
    """The bracket with constraints that are known here left out; tight ones become equations."""
    if entails_all(scope.facts, b.condition):
        return ONE
    if not consistent(guard(*scope.facts, *b.condition)):
        return ZERO
    kept = list(b.condition)
    for c in b.condition:
        if len(kept) > 1 or entails(scope.facts, c):
            rest = [x for x in kept if x is not c]
            if entails(guard(*scope.facts, *rest), c):
                kept = rest
    tight = []
    for c in kept:
        c = _plainer(c)
        if c.relation == ">=" and c.free:
            opposite = equal(c.index, 0)
            if entails(guard(*scope.facts, *kept), opposite):
                c = opposite
        tight.append(c)
    return Bracket(tight)


def _plainer(c: Constraint) -> Constraint:
    """An equation with permutations, solved for the position that needs the fewest of them: pi(i) = j as i = pi^-1(j)
    where that is shorter."""
    if c.relation != "==" or c.index.plain:
        return c
    choices = [c]
    for a, k in c.index.terms:
        if a.kind in ("perm", "inverse") and abs(k) == 1:
            value = (c.index - k * Index(((a, 1),))) * -k
            choices.append(equal(a.args[0], permuted(a.name, a.args[1], value, inverse=a.kind == "perm")))
    return min(choices, key=lambda e: (sum(1 for a in atoms(e.index) if a.args), "inverse" in str(e), str(e)))


def use_equations(n: Normaliser, b: Bracket, m: Mul, k: int, scope: Scope, trace: Trace) -> Term:
    """Use an equation in a bracket for the other factors."""
    for c in b.condition:
        if c.relation != "==":
            continue
        for v in sorted(c.free, key=lambda name: -_level(name, scope)):
            q = c.index.coefficient(v)
            if abs(q) != 1:
                continue
            value = (c.index - q * Index.var(v)) * -q
            if v in value.free:
                continue
            if any(v in f.free for j, f in enumerate(m.args) if j != k):
                new = [
                    f if j == k else substitute(rename_apart(f, {v, *value.free}), {v: value})
                    for j, f in enumerate(m.args)
                ]
                after = trace.step("ite_subst", m, Mul(new), factor=k, var=v, value=value)
                again = list(after.children)
                for j in range(len(again)):
                    if j != k:
                        again[j], below = n.norm(again[j], scope)
                        trace.below(j, below)
                return Mul(again)
            break
    return m


def _level(name: str, scope: Scope) -> int:
    return scope.variables.index(name) if name in scope.variables else -1
