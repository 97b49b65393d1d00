"""Rules of expectation."""

from __future__ import annotations

from derivations.kernel.definition import applies
from derivations.kernel.errors import Refused
from derivations.kernel.linear import consistent
from derivations.kernel.rules.requirements import must_agree, must_be, must_number_parts
from derivations.kernel.rules.table import rule
from derivations.kernel.scope import Scope
from derivations.language.statement import Definition
from derivations.language.term import (
    Add,
    Bracket,
    Derivative,
    Entry,
    Expectation,
    Mul,
    Number,
    Pow,
    Sum,
    Term,
    constraint,
    guard,
    product_of,
)


def _expected(rule: str, t: Term) -> Term:
    must_be(rule, t, Expectation, "an expectation")
    return t.children[0]


@rule()
def expect_add(before: Term, after: Term, scope: Scope) -> None:
    """E(a + b) = E(a) + E(b), also for a sum over an index."""
    body = _expected("expect_add", before)
    if isinstance(body, Sum):
        must_agree("expect_add", Sum(body.var, body.guard, Expectation(body.body)), after)
    else:
        must_be("expect_add", body, Add, "the expectation of a sum")
        must_agree("expect_add", Add(Expectation(t) for t in body.children), after)


@rule()
def expect_mul(before: Term, after: Term, scope: Scope, factors: tuple[int, ...]) -> None:
    """E(c x) = c E(x) for factors that are not random (also E(c) = c).

    Refuses when a factor depends on a random tensor.
    """
    body = _expected("expect_mul", before)
    parts = body.args if isinstance(body, Mul) else (body,)
    must_number_parts("expect_mul", factors, len(parts))
    for k in factors:
        if random_names(parts[k], scope):
            raise Refused("expect_mul", "a factor that is not random", str(parts[k]))
    rest = [t for k, t in enumerate(parts) if k not in factors]
    pulled = [parts[k] for k in factors]
    must_agree("expect_mul", product_of([*pulled, *([Expectation(product_of(rest))] if rest else [])]), after)


@rule()
def expect_indep(before: Term, after: Term, scope: Scope, factors: tuple[int, ...]) -> None:
    """E(x y) = E(x) E(y) for x and y that depend on different random tensors (which are independent).

    Refuses when one random tensor occurs on both sides.
    """
    body = _expected("expect_indep", before)
    must_be("expect_indep", body, Mul, "the expectation of a product")
    must_number_parts("expect_indep", factors, len(body.children))
    one = [t for k, t in enumerate(body.children) if k in factors]
    other = [t for k, t in enumerate(body.children) if k not in factors]
    if not one or not other:
        raise Refused("expect_indep", "two groups of factors", str(factors))
    shared = random_names(product_of(one), scope) & random_names(product_of(other), scope)
    if shared:
        raise Refused("expect_indep", "factors with different random tensors", f"{min(shared)} in both")
    must_agree("expect_indep", Mul((Expectation(product_of(one)), Expectation(product_of(other)))), after)


@rule()
def expect_moment(before: Term, after: Term, scope: Scope) -> None:
    """E(x[i]) = mean, E(x[i]^2) = variance + mean^2, E(x[i] x[j]) = [i = j] variance + mean^2.

    Refuses when the mean or variance of the tensor is not given.
    """
    body = _expected("expect_moment", before)
    squared = isinstance(body, Pow) and body.exponent is Number(2)
    entries = (body.base,) * 2 if isinstance(body, Pow) and squared else body.args if isinstance(body, Mul) else (body,)
    first = entries[0]
    if len(entries) > 2 or not isinstance(first, Entry) or first.args or first.sizes:
        raise Refused("expect_moment", "one or two entries of a random tensor", str(body))
    tensor = scope.theory.tensors.get(first.name)
    if tensor is None or tensor.law is None or len(tensor.shape) != len(first.indices):
        raise Refused("expect_moment", "entries of a random tensor", first.name)
    mean, variance = tensor.law.mean, tensor.law.variance
    if mean is None:
        raise Refused("expect_moment", f"the mean of {first.name}", "it is not given")
    if len(entries) == 1:
        must_agree("expect_moment", mean, after)
        return
    second = entries[1]
    if variance is None:
        raise Refused("expect_moment", f"the variance of {first.name}", "it is not given")
    if not isinstance(second, Entry) or (second.name, second.args, second.sizes) != (first.name, (), ()):
        raise Refused("expect_moment", "two entries of one random tensor", str(body))
    if len(second.indices) != len(first.indices):
        raise Refused("expect_moment", "two entries of one random tensor", str(body))
    equal_places = Bracket(constraint(i - j, "==") for i, j in zip(first.indices, second.indices, strict=True))
    must_agree("expect_moment", Add((Mul((equal_places, variance)), Pow(mean, 2))), after)


def random_names(t: Term, scope: Scope) -> frozenset[str]:
    """The random tensors that the value of a term depends on (an expectation depends on none).

    Of a symbol that is defined by cases those count that can apply to an entry in the term: a start that is a number is
    not random, whatever the steps that follow it are.  Behind that all cases of a symbol count.
    """
    random = scope.theory.random
    found: set[str] = set()
    seen: set[str] = set()
    stack = [(t, True)]
    while stack:
        top, is_own = stack.pop()
        if isinstance(top, Expectation):
            continue
        if isinstance(top, (Entry, Derivative)):
            if top.name in random:
                found.add(top.name)
            rows = scope.theory.definitions.get(top.name, ())
            if is_own and isinstance(top, Entry):
                stack += [(d.body, False) for d in rows if _may_apply(d, top, scope)]
            elif top.name not in seen:
                seen.add(top.name)
                stack += [(d.body, False) for d in rows]
        stack += [(child, is_own) for child in top.children]
    return frozenset(found)


def _may_apply(d: Definition, entry: Entry, scope: Scope) -> bool:
    """Whether a definition can apply to an entry under the facts of a scope, as far as that is seen."""
    if entry.free - set(scope.variables):
        return True  # an index that is bound further up in the term: nothing is known of it
    try:
        applied = applies(d, entry)
    except Refused:
        return True
    return applied is not None and consistent(guard(*scope.facts, *applied[0]))
