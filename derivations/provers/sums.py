"""The normal form of a sum: factors without its index in front, brackets in its range, dependent sums merged."""

from __future__ import annotations

from math import comb
from typing import TYPE_CHECKING

from flint import fmpq

from derivations.kernel.finiteness import finite
from derivations.kernel.linear import bounded, consistent, entails
from derivations.kernel.scope import Scope
from derivations.language.substitution import alpha_equal, bound_variables, rename_apart, substitute
from derivations.language.term import (
    ONE,
    ZERO,
    Add,
    Apply,
    Bracket,
    Constraint,
    Guard,
    Index,
    IndexValue,
    Lambda,
    Mul,
    Number,
    Pow,
    Sum,
    Term,
    at_least,
    guard,
    guard_substitute,
    product_of,
)
from derivations.provers.change_of_index import from_start, pinned, reindexed, shifted, split_axis
from derivations.provers.integer_quotients import divided_exactly
from derivations.provers.monomials import base_and_power, sum_of
from derivations.provers.nested_sums import normalise_block, redo
from derivations.provers.summation_ranges import first_of_short_range, intervals, minimal_range
from derivations.provers.trace import Trace

if TYPE_CHECKING:
    from derivations.provers.normal import Normaliser


MAX_POWER = 8
"""Largest power of an index that is summed in closed form."""


def normalise_sum(n: Normaliser, t: Sum, scope: Scope, trace: Trace) -> tuple[Term, Trace]:
    """Normalise a sum whose body is normalised."""
    n.spend(2)
    if not finite(t, n.theory, scope.facts):
        return t, trace
    if t.body is ZERO:
        return trace.step("sum_zero", t, ZERO), trace
    if isinstance(t.body, Add):
        split = trace.step("sum_add_distrib", t, Add(Sum(t.var, t.guard, b) for b in t.body.args))
        new = list(split.children)
        for k, part in enumerate(new):
            inner = Trace()
            new[k], _ = normalise_sum(n, part, scope, inner)  # type: ignore[arg-type]
            trace.below(k, inner)
        return n.polynomial(Add(new), scope, trace)
    constants, own, condition = _sort_factors(n, t, scope)
    rest = [*([Bracket(condition)] if condition else []), *own]
    shaped = product_of([*constants, *rest])
    if shaped is not t.body:
        inner = Trace()
        inner.step("ring", t.body, shaped)
        trace.below(0, inner)
    total: Term = Sum(t.var, t.guard, shaped)
    if constants:
        inner_sum = Sum(t.var, t.guard, product_of(rest))
        if len(constants) + len(rest) == 1 and not isinstance(shaped, Mul):
            shaped = Mul((shaped, ONE))  # a lone constant: c = c * 1, so that it can be pulled out
            again = Trace()
            again.step("ring", total.children[0], shaped)
            trace.below(0, again)
            total = Sum(t.var, t.guard, shaped)
            inner_sum = Sum(t.var, t.guard, ONE)
        pulled = Mul([*constants, inner_sum])
        trace.step("mul_sum", total, pulled, factors=tuple(range(len(constants))))
        inner = Trace()
        last, _ = sum_core(n, inner_sum, bool(condition), scope, inner)
        trace.below(len(constants), inner)
        return n.polynomial(Mul([*constants, last]), scope, trace)
    return sum_core(n, total, bool(condition), scope, trace)  # type: ignore[arg-type]


def _sort_factors(n: Normaliser, t: Sum, scope: Scope) -> tuple[list[Term], list[Term], Guard]:
    """Factors without the index, factors with it, and the constraints (with it) that move into the range."""
    constants: list[Term] = []
    own: list[Term] = []
    condition: list[Constraint] = []
    facts = guard(*scope.facts, *t.guard)
    for f in t.body.args if isinstance(t.body, Mul) else (t.body,):
        if t.var not in f.free:
            if f is not ONE:
                constants.append(f)
        elif isinstance(f, Bracket):
            condition += [c for c in f.condition if t.var in c.free]
            outer = [c for c in f.condition if t.var not in c.free]
            if outer:
                constants.append(Bracket(outer))
        elif isinstance(f, Apply) and f.function == "exp" and isinstance(f.arg, Add) and finite(f.arg, n.theory, facts):
            with_: list[Term] = []
            without: list[Term] = []
            for a in f.arg.args:
                (with_ if t.var in a.free else without).append(a)
            if without:
                constants.append(Apply("exp", sum_of(without)))
            own.append(Apply("exp", sum_of(with_)))
        else:
            own.append(f)
    return constants, own, guard(*condition)


def sum_core(n: Normaliser, t: Sum, has_bracket: bool, scope: Scope, trace: Trace) -> tuple[Term, Trace]:
    """A sum over factors that all depend on the index (a bracket first, when there is one)."""
    if has_bracket:
        parts = t.body.args if isinstance(t.body, Mul) else (t.body,)
        bracket: Bracket = parts[0]  # type: ignore[assignment]
        after = Sum(t.var, (*t.guard, *bracket.condition), product_of(list(parts[1:])))
        t = trace.step("sum_ite", t, after, factor=0)  # type: ignore[assignment]
        if not consistent(guard(*scope.facts, *t.guard)):
            return trace.step("sum_empty", t, ZERO), trace
    value = pinned(t, scope)
    if value is not None:
        there = {t.var: value}
        body = substitute(rename_apart(t.body, value.free), there)
        after_eq = Mul((Bracket(guard_substitute(t.guard, there)), body))
        return n.more(trace.step("sum_ite_eq", t, after_eq, value=value), scope, trace)
    moved = from_start(t, scope, trace) or shifted(t, scope, trace) or reindexed(n, t, scope, trace)
    if moved is not None:
        inner = Trace()
        body, rest = n.norm(moved.body, scope.inside(moved, 0))
        inner.then(rest)
        trace.below(0, inner)
        return normalise_sum(n, Sum(moved.var, moved.guard, body), scope, trace)
    halves = split_axis(n, t, scope, trace)
    if halves is not None:
        return redo(n, halves, scope, trace)
    outside = [c for c in t.guard if t.var not in c.free and not entails(scope.facts, c)]
    if outside:
        return _pull_condition(n, t, guard(*outside), scope, trace)
    merged = _merge(n, t, scope, trace)
    if merged is not None:
        return normalise_block(n, merged, scope, trace)
    minimal = minimal_range(t.var, t.guard, scope.facts)
    t = trace.step("sum_congr_range", t, Sum(t.var, minimal, t.body))  # type: ignore[assignment]
    if t.var not in t.body.free:
        return _count(n, t, scope, trace)
    powers = _sum_of_powers(n, t, scope, trace)
    if powers is not None:
        return powers
    first = first_of_short_range(t)
    if first is not None:
        on = at_least(first, Index.var(t.var))
        pieces = [Sum(t.var, (*t.guard, c), t.body) for c in (on, *on.negations())]
        split = trace.step("sum_split", t, Add(pieces), on=on)
        new = list(split.children)
        for k, piece in enumerate(pieces):
            inner = Trace()
            new[k], _ = sum_core(n, piece, False, scope, inner)
            trace.below(k, inner)
        return n.polynomial(Add(new), scope, trace)
    return t, trace


def _pull_condition(n: Normaliser, t: Sum, outside: Guard, scope: Scope, trace: Trace) -> tuple[Term, Trace]:
    """Constraints of the range without the index become a bracket in front."""
    inside = tuple(c for c in t.guard if c not in outside)
    shaped = Sum(t.var, inside, Mul((Bracket(outside), t.body)))
    if not bounded(t.var, inside):
        return t, trace
    # sum_ite read backwards needs the product flat
    parts = t.body.args if isinstance(t.body, Mul) else (t.body,)
    shaped = Sum(t.var, inside, Mul((Bracket(outside), *parts)))
    trace.step("sum_ite", t, shaped, back=True, factor=0)
    rest = Sum(t.var, inside, t.body)
    trace.step("mul_sum", shaped, Mul((Bracket(outside), rest)), factors=(0,))
    inner = Trace()
    last, _ = sum_core(n, rest, False, scope, inner)
    trace.below(1, inner)
    return n.polynomial(Mul((Bracket(outside), last)), scope, trace)


def _count(n: Normaliser, t: Sum, scope: Scope, trace: Trace) -> tuple[Term, Trace]:
    """A sum of a constant over an interval."""
    for low, high in intervals(t):
        if entails(scope.facts, at_least(high, low)):
            length = IndexValue(high - low)
            after = Mul((length, t.body))
            trace.step("sum_const", t, after, low=low, high=high)
            inner = Trace()
            whole = divided_exactly(length, scope, inner)
            if whole is not None:
                trace.below(0, inner)
                after = Mul((whole, t.body))
            return n.polynomial(after, scope, trace)
    return t, trace


def _sum_of_powers(n: Normaliser, t: Sum, scope: Scope, trace: Trace) -> tuple[Term, Trace] | None:
    """A sum of powers of its own index over an interval, by Faulhaber's formula."""
    body, p = base_and_power(t.body)
    if not isinstance(body, IndexValue) or body.index is not Index.var(t.var) or not 0 < p <= MAX_POWER:
        return None
    for low, high in intervals(t):
        if entails(scope.facts, at_least(high, low)):
            total = Lambda((t.var,), faulhaber(IndexValue(body.index), p))
            ends = [substitute(total.body, {t.var: i}) for i in (high, low)]
            after = trace.step("telescope", t, ends[0] - ends[1], low=low, high=high, total=total)
            return n.polynomial(after, scope, trace)
    return None


def _merge(n: Normaliser, t: Sum, scope: Scope, trace: Trace) -> Sum | None:
    """Move the factors of the body into a dependent sum: sum(i, a * sum(j, b)) = sum(i, sum(j, a * b)).

    None when no factor is a sum.
    """
    factors = list(t.body.args) if isinstance(t.body, Mul) else [t.body]
    place = next(
        (k for k, f in enumerate(factors) if isinstance(base_and_power(f)[0], Sum) and base_and_power(f)[1] > 0),
        None,
    )
    if place is None:
        return None
    inner = Trace()
    inside = scope.inside(t, 0)
    body = push(n, t.body, place, inside, inner)
    trace.below(0, inner)
    return Sum(t.var, t.guard, body)


def push(n: Normaliser, body: Term, place: int, scope: Scope, trace: Trace) -> Term:
    """`body` with its factor number `place` (a sum) around all the others, down to the innermost body."""
    n.spend(2)
    factors = list(body.args) if isinstance(body, Mul) else [body]
    base, p = base_and_power(factors[place])
    rest = [f for k, f in enumerate(factors) if k != place]
    if p > 1:
        rest.append(base if p == 2 else Pow(base, p - 1))
    avoid = frozenset(scope.variables).union(*(f.free | bound_variables(f) for f in rest), frozenset())
    own: Sum = rename_apart(base, avoid)  # type: ignore[assignment]
    shaped = product_of([*rest, own])
    if shaped is not body:
        if alpha_equal(shaped, body):
            trace.step("alpha", body, shaped)
        else:
            trace.step("ring", body, shaped)
    if rest:
        parts = list(own.body.args) if isinstance(own.body, Mul) else [own.body]
        moved = Sum(own.var, own.guard, Mul([*rest, *parts]))
        trace.step("mul_sum", shaped, moved, back=True, factors=tuple(range(len(rest))))
        own = moved
    inner = Trace()
    inside = scope.inside(own, 0)
    parts = list(own.body.args) if isinstance(own.body, Mul) else [own.body]
    nested = next(
        (k for k, f in enumerate(parts) if isinstance(base_and_power(f)[0], Sum) and base_and_power(f)[1] > 0), None
    )
    if nested is not None:
        new = push(n, own.body, nested, inside, inner)
    else:
        new, rest_trace = n.norm(own.body, inside)
        inner.then(rest_trace)
    trace.below(0, inner)
    return Sum(own.var, own.guard, new)


def faulhaber(j: Term, p: int) -> Term:
    """The polynomial F with F(j + 1) - F(j) = j^p and F(0) = 0.

    >>> from derivations.language.term import Entry
    >>> str(faulhaber(Entry("j"), 1))
    '(1/2)*j^2 - (1/2)*j'
    """
    # F = c_(p+1) j^(p+1) + ... + c_1 j; the coefficient of j^k in F(j + 1) - F(j) is sum over m > k of c_m (m choose k)
    c = {p + 1: fmpq(1, p + 1)}
    for k in range(p - 1, -1, -1):
        c[k + 1] = -sum((c[m] * comb(m, k) for m in range(k + 2, p + 2)), fmpq(0)) / (k + 1)
    return sum_of([product_of([Number(c[m]), Pow(j, m) if m > 1 else j]) for m in sorted(c, reverse=True) if c[m] != 0])
