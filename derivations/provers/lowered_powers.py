"""Powers of sums whose exponent is an index, by their lowest natural exponent: `(1 - c)^(t + 1)` as `(1 - c)^t (1 - c)`.

A product is multiplied out before its factors meet, so that `(1 - c) w` becomes `w - c w`, in which a known
`w = (1 - c)^t a` makes no power any more.  With the lowest exponents on both sides what is left is a polynomial identity.
"""

from __future__ import annotations

from itertools import chain

from derivations.kernel import ring as ring_laws
from derivations.kernel.errors import Refused
from derivations.kernel.linear import entails
from derivations.kernel.scope import Scope
from derivations.kernel.sign import integral
from derivations.language.substitution import rename_apart, subterms
from derivations.language.term import Add, Index, IndexValue, Mul, Number, Pow, Sum, Term, at_least, product_of
from derivations.provers.normal import Normaliser, OutOfWork
from derivations.provers.peeling import cut_as
from derivations.provers.trace import Trace

MAX_LOWERED = 3
"""By how much an exponent is lowered at most."""


def by_lowered_powers(first: Term, second: Term, scope: Scope, normaliser: Normaliser) -> tuple[Trace, Trace] | None:
    """Steps that make two normal forms equal, from powers of sums by their lowest exponents; None where there are none.

    Sums of the second that end later than those of the first, as in the step of an induction, are also cut there.
    """
    if not any(_is_power(u) for t in (first, second) for u in subterms(t)):
        return None
    normaliser, one = normaliser.without_joins(), Trace()
    try:
        left = _lowered(first, scope, normaliser, one)
        for result, cut in chain([(second, Trace())], cut_as(second, first, scope, normaliser)):
            two = Trace()
            two.then(cut)
            right = _lowered(result, scope, normaliser, two)
            if (one or two) and ring_laws.same(left, right, scope.theory, scope.facts):
                two.step("ring", right, left)
                return one, two
    except (OutOfWork, Refused):  # larger polynomials than the ring takes: other ways remain
        return None
    return None


def _is_power(t: Term) -> bool:
    return isinstance(t, Pow) and isinstance(t.base, Add) and not isinstance(t.exponent, Number)


def _lowered(t: Term, scope: Scope, normaliser: Normaliser, trace: Trace) -> Term:
    if isinstance(t, Pow):
        return _power(t, scope, trace)
    if not isinstance(t, Add | Mul | Sum):
        return t
    t = trace.step("alpha", t, rename_apart(t, scope.variables))
    children = list(t.children)
    for k, child in enumerate(t.children):
        inner = Trace()
        children[k] = _lowered(child, scope.inside(t, k), normaliser, inner)
        trace.below(k, inner)
    new = t if all(a is b for a, b in zip(children, t.children, strict=True)) else t.with_children(children)
    if new is t or not isinstance(new, Sum):
        return new
    spread = _multiplied_out(new.body)
    if spread is new.body:
        return new
    inner = Trace()
    inner.step("ring", new.body, spread)
    trace.below(0, inner)
    result, rest = normaliser.norm(new.with_children([spread]), scope)
    trace.then(rest)
    return result


def _power(t: Pow, scope: Scope, trace: Trace) -> Term:
    """`b^(e + k)` as `b^e b^k` for a sum b and the largest k, up to a few, for which e is known to be natural."""
    exponent = integral(t.exponent) if _is_power(t) else None
    if exponent is None:
        return t
    k = 0
    while k < MAX_LOWERED and entails(scope.facts, at_least(exponent - (k + 1), 0)):
        k += 1
    if not k:
        return t
    lowest = exponent - k
    times = t.base if k == 1 else Pow(t.base, Number(k))
    return trace.step("pow_add", t, Mul((Pow(t.base, IndexValue(lowest)), times)), first=lowest, second=Index.of(k))


def _multiplied_out(t: Term) -> Term:
    """A product with the sum that one factor of a lowered power is multiplied out, also where that stands in a product."""
    factors: list[Term] = []
    for f in t.args if isinstance(t, Mul) else (t,):
        factors += f.args if isinstance(f, Mul) else (f,)
    k = next((k for k, f in enumerate(factors) if isinstance(f, Add)), None)
    if k is None:
        return t
    rest = [f for j, f in enumerate(factors) if j != k]
    return Add(product_of([*rest, part]) for part in factors[k].children)
