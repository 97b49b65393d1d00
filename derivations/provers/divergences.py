r"""Forms of a difference in which a convex function lies above its tangent: `\sum_i q_i \log (q_i / p_i)` of two distributions.

It is `\sum_i q_i (p_i / q_i - 1 - \log (p_i / q_i))`, as both sum to one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from flint import fmpq

from derivations.kernel.scope import Scope
from derivations.language.substitution import rename_apart, substitute
from derivations.language.term import Add, Apply, Index, Mul, Number, Pow, Sum, Term, guard_substitute, product_of


def above_tangents(parts: Sequence[Term], scope: Scope) -> Iterator[Term]:
    """The form of a difference of two sums of logarithms under one weight."""
    if len(parts) != len(("own", "other")):
        return
    for one, other in (parts, parts[::-1]):
        own, cross = _weighted_logarithm(one, scope), _weighted_logarithm(other, scope)
        if own is None or cross is None:
            continue
        (outer, total, weight, q), (minus, there, again, p) = own, cross
        at = {there.var: Index.var(total.var)}
        if guard_substitute(there.guard, at) != total.guard or outer != -minus:
            continue
        again, p = (substitute(rename_apart(t, {total.var, *scope.variables}), at) for t in (again, p))
        if again is not weight:
            continue
        ratio = Mul((p, Pow(q, -1)))
        inner = Add((ratio, Number(-1), Mul((Number(-1), Apply("log", ratio)))))
        yield product_of([Number(outer), Sum(total.var, total.guard, Mul((weight, inner)))])


def _weighted_logarithm(part: Term, scope: Scope) -> tuple[fmpq, Sum, Term, Term] | None:
    """The number before a sum `\\sum_i w_i \\log x_i`, the sum, its weight and what its logarithm is of."""
    factors = list(part.args) if isinstance(part, Mul) else [part]
    value = factors.pop(0).value if isinstance(factors[0], Number) else Number(1).value  # type: ignore[attr-defined]
    if len(factors) != 1 or not isinstance(factors[0], Sum):
        return None
    total: Sum = rename_apart(factors[0], scope.variables)  # type: ignore[assignment]
    body = list(total.body.args) if isinstance(total.body, Mul) else [total.body]
    logs = [f for f in body if isinstance(f, Apply) and f.function == "log"]
    if isinstance(body[0], Number):
        value *= body.pop(0).value  # type: ignore[attr-defined]
    if len(logs) != 1:
        return None
    return value, total, product_of([f for f in body if f is not logs[0]]), logs[0].arg
