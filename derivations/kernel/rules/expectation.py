"""Rules of expectation."""

from __future__ import annotations

from flint import fmpq

from derivations.kernel.errors import Refused
from derivations.kernel.random_names import random_names
from derivations.kernel.rules.requirements import must_agree, must_be, must_be_equal_polynomials, must_number_parts
from derivations.kernel.rules.table import rule
from derivations.kernel.scope import Scope
from derivations.language.statement import Law, Tensor
from derivations.language.substitution import bound_variables, fresh, rename_apart, substitute
from derivations.language.term import (
    ZERO,
    Add,
    Apply,
    Bracket,
    Entry,
    Expectation,
    Index,
    Lambda,
    Mul,
    Number,
    Pow,
    Sum,
    Term,
    constraint,
    product_of,
    within,
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


@rule()
def expect_normal(before: Term, after: Term, scope: Scope, tensor: str, coefficients: Lambda, rest: Term) -> None:
    """E(exp(r + sum c z)) = exp(r + sum (c m + c^2 v / 2)) for independent normal z; sine and cosine of it likewise.

    `coefficients` are the c by the places of the tensor z, `rest` is r; m and v are the mean and the variance of z.
    E(cos(r + sum c z)) = exp(-sum c^2 v / 2) cos(r + sum c m), and the same with the sine.
    Refuses when r or a c is random, when z is not normal, and when the argument is another one.
    """
    body = _expected("expect_normal", before)
    if not (isinstance(body, Apply) and body.function in ("exp", "sin", "cos")):
        raise Refused("expect_normal", "the mean of exp(x), sin(x) or cos(x)", str(before))
    given = scope.theory.tensors.get(tensor)
    law = given.law if given is not None else None
    if given is None or law is None or not law.normal or law.mean is None or law.variance is None:
        raise Refused("expect_normal", "a normal tensor with its mean and variance", tensor)
    if len(coefficients.params) != len(given.shape):
        raise Refused(
            "expect_normal", f"a coefficient for each place of {tensor}", f"{len(coefficients.params)} indices"
        )
    argument, mean, half = normal_sums(given, law, coefficients, rest, scope)
    for part, bound in ((coefficients.body, coefficients.params), (rest, ())):
        if random_names(part, scope, bound):
            raise Refused("expect_normal", "coefficients and a rest that are not random", str(part))
    must_be_equal_polynomials("expect_normal", argument, body.arg, scope)
    must_agree("expect_normal", normal_mean(body.function, mean, half), after)


def normal_sums(given: Tensor, law: Law, coefficients: Lambda, rest: Term, scope: Scope) -> tuple[Term, Term, Term]:
    """`r + sum c z`, its mean and half of its variance, with the sums over all places of a tensor."""
    used = {*scope.variables, *coefficients.free, *rest.free, *coefficients.params}
    used |= bound_variables(coefficients.body) | bound_variables(rest)
    places: list[str] = []
    for _ in given.shape:
        places.append(fresh("z", {*used, *places}))
    at = dict(zip(coefficients.params, map(Index.var, places), strict=True))
    c = substitute(rename_apart(coefficients.body, {*used, *places}), at)
    entry = Entry(given.name, map(Index.var, places))

    def total(body: Term) -> Term:
        for v, n in reversed(list(zip(places, given.shape, strict=True))):
            body = Sum(v, within(v, 0, n), body)
        return body

    mean, variance = law.mean or ZERO, law.variance or ZERO
    half = Mul((Number(fmpq(1, 2)), total(Mul((Pow(c, 2), variance)))))
    return Add((rest, total(Mul((c, entry))))), Add((rest, total(Mul((c, mean))))), half


def normal_mean(function: str, mean: Term, half: Term) -> Term:
    """The mean of exp, sine or cosine of what is normal, by its mean and half of its variance."""
    if function == "exp":
        return Apply("exp", Add((mean, half)))
    return Mul((Apply("exp", Mul((Number(-1), half))), Apply(function, mean)))
