"""From a lifted array to a statement: sizes as they turned out, quotients in range settled, entries under free indices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from derivations.kernel.linear import consistent, entails_all
from derivations.language.statement import Definition
from derivations.language.substitution import substitute
from derivations.language.term import (
    Bracket,
    Case,
    Constraint,
    Entry,
    Guard,
    Index,
    IndexValue,
    Lambda,
    Max,
    Pow,
    Sum,
    Term,
    at_least,
    equal,
    guard,
    less,
    quotient,
    remainder,
)
from derivations.lifting.loops.folds import needed, reached
from derivations.lifting.operations.making import UNINITIALISED
from derivations.lifting.symbolic.arrays import Array, places, put_sizes
from derivations.lifting.symbolic.not_lifted import NotLifted
from derivations.lifting.symbolic.scope import Scope
from derivations.lifting.symbolic.truth_values import condition


def finish(scope: Scope, a: Array) -> Array:
    """The array with resolved sizes; refuses entries that were never written."""
    shape = scope.shape(a)
    known = {s: scope.sizes.resolve(Index.size(s)) for s in scope.sizes.known}
    entry = put_sizes(a.entry, known) if known else a.entry
    entry = Array(shape, entry).real(places(len(shape)))
    inside = guard(*(c for i, s in zip(places(len(shape)), shape, strict=True) for c in (at_least(i, 0), less(i, s))))
    entry = tidy(entry, inside)
    if entry.free & scope.minima.keys() or any(s.free & scope.minima.keys() for s in shape):
        raise NotLifted("a length that depends on the round of a loop")
    if UNINITIALISED in reached(scope, entry.heads):
        raise NotLifted("some entries of an empty array are never written", code="uninitialised")
    return replace(a, shape=shape, entry=entry)


def finished_folds(scope: Scope, entry: Term) -> dict[str, tuple[Definition, ...]]:
    """The families of loops that a finished entry rests on, with resolved sizes."""
    known = {s: scope.sizes.resolve(Index.size(s)) for s in scope.sizes.known}

    def settled(d: Definition) -> Definition:
        body = substitute(d.body, sizes=known)
        shape = None if d.shape is None else tuple(scope.sizes.resolve(s) for s in d.shape)
        ranges = d.condition
        if shape is not None:
            free = [(i, s) for i, s in zip(d.indices, shape, strict=True) if i.free]
            ranges = guard(*ranges, *(c for i, s in free for c in (at_least(i, 0), less(i, s))))
        return replace(d, body=tidy(body, ranges), shape=shape)

    return {h: tuple(map(settled, rows)) for h, rows in needed(scope.folds, entry.heads).items()}


def tidy(t: Term, facts: Guard) -> Term:
    """The same term where `facts` hold: quotients that are zero there are dropped, known conditions too."""
    return _Tidy().apply(t, facts)


class _Tidy:
    def __init__(self) -> None:
        self.done: dict[tuple[Term, Guard], Term] = {}

    def apply(self, t: Term, facts: Guard) -> Term:
        key = (t, facts)
        if key not in self.done:
            self.done[key] = self._apply(t, facts)
        return self.done[key]

    def _apply(self, t: Term, facts: Guard) -> Term:
        if isinstance(t, Entry):
            lambdas = [Lambda(a.params, self.apply(a.body, facts)) for a in t.args]
            return Entry(t.name, [self.index(i, facts) for i in t.indices], lambdas, t.sizes)
        if isinstance(t, IndexValue):
            return IndexValue(self.index(t.index, facts))
        if isinstance(t, Bracket):
            return Bracket(self.guard(t.condition, facts))
        if isinstance(t, Case):
            return self.case(t, facts)
        if isinstance(t, (Sum, Max)):
            inner = guard(*facts, *t.guard)
            return type(t)(t.var, t.guard, self.apply(t.body, inner))
        if isinstance(t, Pow) or t.children:
            return t.with_children([self.apply(c, facts) for c in t.children])
        return t

    def case(self, t: Case, facts: Guard) -> Term:
        branches: list[tuple[Guard, Term]] = []
        for g, body in t.branches:
            here = self.guard(g, facts)
            if not here:
                return Case(branches, self.apply(body, facts)) if branches else self.apply(body, facts)
            within = guard(*facts, *here)
            if len(condition(here)) and consistent(within):
                branches.append((here, self.apply(body, within)))
        otherwise = self.apply(t.otherwise, self._rest(branches, facts))
        if isinstance(otherwise, Case):
            branches, otherwise = [*branches, *otherwise.branches], otherwise.otherwise
        for k in range(len(branches)):
            if _all_residues([g for g, _ in branches[: k + 1]]):
                branches, otherwise = branches[:k], branches[k][1]
                break
        return Case(branches, otherwise) if any(b is not otherwise for _, b in branches) else otherwise

    def _rest(self, branches: Sequence[tuple[Guard, Term]], facts: Guard) -> Guard:
        """What else is known after all branches: the negation of single conditions."""
        more: list[Constraint] = []
        for g, _ in branches:
            if len(g) == 1 and len(g[0].negations()) == 1:
                more += g[0].negations()
        return guard(*facts, *more)

    def guard(self, g: Guard, facts: Guard) -> Guard:
        moved = [Constraint(self.index(c.index, facts), c.relation) for c in g]
        same = guard(*facts, *(c for c in moved if c.relation == "=="))
        return guard(*(c for c in moved if not _known(c, facts if c.relation == "==" else same)))

    def index(self, i: Index, facts: Guard) -> Index:
        if i.plain:
            return i
        result = Index((), i.const)
        for a, c in i.terms:
            one = Index(((a, 1),))
            if a.kind == "quotient":
                value, by = self.index(a.args[0], facts), a.args[1]
                one = quotient(value, by)
                if by.is_constant and c % by.const == 0 and equal(remainder(value, by), 0) in facts:
                    result = result + (c // by.const) * value  # 2*floor(x/2) is x where x is even
                    continue
                one = _merged(one)
                for b, k in one.terms:
                    by = b.args[1] if b.kind == "quotient" else by
                    if b.kind == "quotient" and b.args[1] is by and k == 1:
                        if entails_all(facts, (at_least(b.args[0], 0), less(b.args[0], by))):
                            one = one - Index(((b, 1),))
            elif a.kind == "product":
                one = Index.of(1)
                for x in a.args:
                    one = one * self.index(x, facts)
            result = result + c * one
        return result


def _merged(i: Index) -> Index:
    """floor(floor(x/a)/b) is floor(x/(a*b))."""
    result = Index((), i.const)
    for a, c in i.terms:
        one = Index(((a, 1),))
        if a.kind == "quotient" and len(a.args[0].terms) == 1 and not a.args[0].const:
            inner, k = a.args[0].terms[0]
            by = a.args[1] * inner.args[1] if inner.kind == "quotient" and k == 1 else Index()
            if not by.is_constant and not by.const and [c for _, c in by.terms] == [1]:  # a divisor of 2*n has no form
                one = quotient(inner.args[0], by)
        result = result + c * one
    return result


def _all_residues(guards: Sequence[Guard]) -> bool:
    """Whether conditions like `x mod 2 = 0`, `x mod 2 = 1` cover all integers."""
    if len(guards) < 2 or any(len(g) != 1 or g[0].relation != "==" or len(g[0].free) != 1 for g in guards):
        return False
    variables = {v for g in guards for v in g[0].free}
    moduli = {a.args[1] for g in guards for a, _ in g[0].index.terms if a.kind == "quotient"}
    if len(variables) != 1 or len(moduli) != 1 or any(g[0].index.sizes for g in guards):
        return False
    (v,), (by,) = variables, moduli
    if not by.is_constant or by.const > 16:
        return False

    def held(k: int) -> list[bool]:
        return [g[0].holds({v: k}, {}) for g in guards]

    return all(any(held(k)) and held(k) == held(k + by.const) == held(k - by.const) for k in range(by.const))


def _known(c: Constraint, facts: Guard) -> bool:
    if c.index.is_constant:
        return c.holds({}, {})
    return entails_all(facts, (c,))


def renamed_heads(t: Term, names: Mapping[str, str]) -> Term:
    """The term with tensors renamed."""
    if t.heads.isdisjoint(names):
        return t
    if isinstance(t, Entry):
        lambdas = [Lambda(a.params, renamed_heads(a.body, names)) for a in t.args]
        return Entry(names.get(t.name, t.name), t.indices, lambdas, t.sizes)
    return t.with_children([renamed_heads(c, names) for c in t.children])
