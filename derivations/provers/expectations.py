"""Expectations: linearity, factors that are not random, independence, and the given moments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derivations.kernel.finiteness import finite
from derivations.kernel.random_names import random_names
from derivations.kernel.scope import Scope
from derivations.language.term import Add, Bracket, Entry, Expectation, Mul, Number, Pow, Sum, Term, equal, product_of
from derivations.provers.monomials import base_and_power
from derivations.provers.normal_means import mean_of_normal
from derivations.provers.sums import normalise_sum, push
from derivations.provers.trace import Trace

if TYPE_CHECKING:
    from derivations.provers.normal import Normaliser


def normalise_expectation(n: Normaliser, t: Expectation, scope: Scope, trace: Trace) -> tuple[Term, Trace]:
    """Linearity, factors that are not random, independence, and the given moments."""
    body = t.body
    if not finite(body, n.theory, scope.facts):
        return t, trace
    if isinstance(body, (Add, Sum)):
        parts = [Expectation(b) for b in body.args] if isinstance(body, Add) else []
        after: Term = Add(parts) if isinstance(body, Add) else Sum(body.var, body.guard, Expectation(body.body))
        return n.more(trace.step("expect_add", t, after), scope, trace)
    factors = list(body.args) if isinstance(body, Mul) else [body]
    names = [random_names(f, scope) for f in factors]
    fixed_ = tuple(k for k, found in enumerate(names) if not found)
    if fixed_:
        rest = [f for k, f in enumerate(factors) if k not in fixed_]
        pulled = [factors[k] for k in fixed_]
        after = product_of([*pulled, *([Expectation(product_of(rest))] if rest else [])])
        return n.more(trace.step("expect_mul", t, after, factors=fixed_), scope, trace)
    place = next(
        (k for k, f in enumerate(factors) if isinstance(base_and_power(f)[0], Sum) and base_and_power(f)[1] > 0),
        None,
    )
    if place is not None:
        inner = Trace()
        new = push(n, body, place, scope, inner)
        trace.below(0, inner)
        return _spread(n, Expectation(new), scope, trace)
    of_normal = mean_of_normal(n, t, scope, trace)
    if of_normal is not t:
        return n.more(of_normal, scope, trace)
    group = _family(names)
    if len(group) < len(factors):
        one = [factors[k] for k in group]
        other = [f for k, f in enumerate(factors) if k not in group]
        after = Mul((Expectation(product_of(one)), Expectation(product_of(other))))
        return n.more(trace.step("expect_indep", t, after, factors=group), scope, trace)
    if isinstance(body, Pow) and body.exponent is Number(2):
        factors = [body.base, body.base]
    entry = factors[0]
    tensor = n.theory.tensors.get(entry.name) if isinstance(entry, Entry) else None
    if tensor is not None and tensor.law is not None and tensor.law.mean is not None and len(factors) <= 2:
        mean, variance = tensor.law.mean, tensor.law.variance
        if len(factors) == 1:
            return n.more(trace.step("expect_moment", t, mean), scope, trace)
        second = factors[1]
        if variance is not None and isinstance(second, Entry) and second.name == entry.name:  # type: ignore[attr-defined]
            pairs = zip(entry.indices, second.indices, strict=True)  # type: ignore[attr-defined]
            after = Add((Mul((Bracket(equal(i, j) for i, j in pairs), variance)), Pow(mean, 2)))
            return n.more(trace.step("expect_moment", t, after), scope, trace)
    return t, trace


def _spread(n: Normaliser, t: Expectation, scope: Scope, trace: Trace) -> tuple[Term, Trace]:
    """The expectation of nested sums as sums of expectations (the body is not normalised again, which would pull
    factors out of it)."""
    body = t.body
    if not isinstance(body, Sum):
        return n.more(t, scope, trace)
    trace.step("expect_add", t, Sum(body.var, body.guard, Expectation(body.body)))
    inner = Trace()
    new, _ = _spread(n, Expectation(body.body), scope.inside(body, 0), inner)
    trace.below(0, inner)
    return normalise_sum(n, Sum(body.var, body.guard, new), scope, trace)


def _family(names: list[frozenset[str]]) -> tuple[int, ...]:
    """The factors that share random tensors with the first, directly or through others."""
    reached, group = set(names[0]), {0}
    grown = True
    while grown:
        grown = False
        for k, found in enumerate(names):
            if k not in group and not reached.isdisjoint(found):
                group.add(k)
                reached |= found
                grown = True
    return tuple(sorted(group))
