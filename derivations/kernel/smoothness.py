"""Where a term has no jump, and where it can be differentiated: what may be used under a derivative.

Terms are total: 1/x is 0 at 0, log x and x^(-1/2) are 0 for x <= 0, and such terms jump there.  A fact about a value
holds in a neighbourhood only where the value is continuous, and a law of differentiation only where each part can be
differentiated.  Unknown functions count as smooth: a statement speaks of finitely many of their values, through which
a smooth function goes, and one that speaks of their derivatives is about functions that have them.
"""

from __future__ import annotations

from derivations.kernel.definition import instance
from derivations.kernel.finiteness import finite
from derivations.kernel.linear import entails, entails_all
from derivations.kernel.scope import Obligation, Scope
from derivations.kernel.sign import integral, invertible, nonzero, positive
from derivations.language.substitution import rename_apart
from derivations.language.term import (
    ZERO,
    Add,
    Apply,
    Bracket,
    Case,
    Choice,
    Derivative,
    Entry,
    IndexValue,
    Max,
    Mul,
    Number,
    Pow,
    Sum,
    Term,
    at_least,
    listed,
)

MAX_DEPTH = 60
MAX_KNOWN = 2_000
"""Answers that are kept for one theory."""


def continuous(term: Term, scope: Scope, name: str | None = None) -> bool:
    """Whether a term is continuous here in the entries of a tensor (None: of all tensors)."""
    return _Look(name, smooth=False).at(term, scope, MAX_DEPTH)


def smooth(term: Term, scope: Scope, name: str | None = None) -> bool:
    """Whether a term has derivatives of all orders here by the entries of a tensor (None: of all tensors)."""
    memo = scope.theory.memo.setdefault("smooth terms", {})
    if len(memo) > MAX_KNOWN:
        memo.clear()
    key = term, name, scope.variables, scope.facts, scope.assumed
    if key not in memo:
        memo[key] = _Look(name, smooth=True).at(term, scope, MAX_DEPTH)
    return bool(memo[key])


def stable(scope: Scope, name: str | None) -> tuple[Obligation, ...]:
    """What is assumed here and holds for all nearby values of a tensor (None: of all tensors) as well.

    A quotient is continuous where its denominator is assumed not to be zero, so assumptions may keep one another.
    """
    memo = scope.theory.memo.setdefault("stable", {})
    if len(memo) > MAX_KNOWN:
        memo.clear()
    key = name, scope.variables, scope.facts, scope.assumed
    if key in memo:
        return memo[key]  # type: ignore[no-any-return]
    kept: tuple[Obligation, ...] = ()
    left = list(scope.assumed)
    grown = True
    while grown and left:
        grown = False
        for o in list(left):
            if _holds_nearby(o, scope, name, kept):
                kept = (*kept, o)
                left.remove(o)
                grown = True
    found = memo[key] = tuple(o for o in scope.assumed if o in kept)
    return found


def _holds_nearby(o: Obligation, scope: Scope, name: str | None, kept: tuple[Obligation, ...]) -> bool:
    if name is not None and not scope.theory.depends(o.subject, frozenset((name,))):
        return True
    if o.kind not in ("nonzero", "positive", "invertible"):
        return False
    variables = tuple(dict.fromkeys((*scope.variables, *o.variables)))
    there = Scope(scope.theory, variables, o.facts if o.variables else scope.facts, (), kept)
    if o.kind == "invertible":  # its determinant is continuous where its entries are
        return _Look(name, smooth=False).children(rename_apart(o.subject, variables), there, MAX_DEPTH)
    return continuous(rename_apart(o.subject, variables), there, name)


class _Look:
    """One question about a term: is it smooth (or continuous) in the entries of one tensor, or of all?"""

    def __init__(self, name: str | None, *, smooth: bool) -> None:
        self.name, self.smooth = name, smooth
        self.within: set[str] = set()

    def at(self, t: Term, scope: Scope, fuel: int) -> bool:
        if fuel <= 0:
            return False
        if isinstance(t, (Number, IndexValue, Bracket)):
            return True
        if self.name is not None and not scope.theory.depends(t, frozenset((self.name,))):
            return True
        if isinstance(t, (Add, Mul, Sum, Case)):
            own = rename_apart(t, scope.variables)
            return self.children(own, scope, fuel)
        if isinstance(t, Pow):
            return self.power(t, scope, fuel)
        if isinstance(t, Apply):
            if t.function == "abs" and self.smooth and not nonzero(t.arg, scope):
                return False
            if t.function == "log" and not positive(t.arg, scope):
                return False
            return (t.function == "exp" or finite(t.arg, scope.theory, scope.facts)) and self.at(t.arg, scope, fuel - 1)
        if isinstance(t, Choice):
            known = nonzero(t.test, scope) and finite(t.test, scope.theory, scope.facts)
            return known and self.children(t, scope, fuel)
        if isinstance(t, Max):
            return self.maximum(t, scope, fuel)
        if isinstance(t, Entry):
            return self.entry(t, scope, fuel)
        if isinstance(t, Derivative):  # smooth terms have smooth derivatives
            return _Look(None, smooth=True).at(t.body, scope.nearby(), fuel - 1)
        return False  # an expectation: its outcomes may be infinitely many

    def children(self, t: Term, scope: Scope, fuel: int) -> bool:
        return all(self.at(child, scope.inside(t, k), fuel - 1) for k, child in enumerate(t.children))

    def power(self, t: Pow, scope: Scope, fuel: int) -> bool:
        if not self.at(t.base, scope, fuel - 1):
            return False
        if isinstance(t.exponent, Number):
            q = t.exponent.value
            if q.q == 1:
                return bool(q >= 0) or nonzero(t.base, scope)
            # a root is 0 for negative numbers: continuous, with a corner at 0
            return (bool(q > 0) and not self.smooth) or positive(t.base, scope)
        whole = integral(t.exponent)
        if whole is not None:
            return entails(scope.facts, at_least(whole, 0)) or nonzero(t.base, scope)
        return positive(t.base, scope) and self.at(t.exponent, scope, fuel - 1)

    def maximum(self, t: Max, scope: Scope, fuel: int) -> bool:
        own: Max = rename_apart(t, scope.variables)  # type: ignore[assignment]
        if not self.children(own, scope, fuel):
            return False
        if not self.smooth:
            return finite(own.body, scope.theory, scope.inside(own, 0).facts)
        values = listed(t)
        if values is None or len(values) != 2:
            return False
        one, other = values
        apart = [v for v in values if v is not ZERO][:1] if ZERO in values else [one - other]
        return all(finite(v, scope.theory, scope.facts) and nonzero(v, scope) for v in apart)

    def entry(self, t: Entry, scope: Scope, fuel: int) -> bool:
        theory = scope.theory
        if t.is_inverse:
            return invertible(t, scope) and self.children(rename_apart(t, scope.variables), scope, fuel)
        if t.name not in theory.definitions:
            return not t.args or self.children(rename_apart(t, scope.variables), scope, fuel)
        if not theory.recursive(t.name):
            for d in theory.definitions[t.name]:
                found = instance(d, t, scope.variables, scope.facts)
                if found is not None and entails_all(scope.facts, found[1]):
                    return self.at(found[0], scope, fuel - 1)
        if t.name in self.within:
            return True  # by induction: the right sides are looked at already
        if t.args or any(d.tensors or d.sizes for d in theory.definitions[t.name]):
            return False
        # whichever definition applies: all right sides, with what is assumed of no particular index
        self.within.add(t.name)
        universal = tuple(o for o in scope.assumed if o.subject.free <= set(o.variables))
        found_all = all(
            self.at(rename_apart(d.body, d.variables), Scope(theory, d.variables, d.condition, (), universal), fuel - 1)
            for d in theory.definitions[t.name]
        )
        self.within.discard(t.name)
        return found_all
