r"""Forms of a difference in which a convex function lies above its tangent: `\sum_i q_i \log (q_i / p_i)` of two distributions.

It is `\sum_i q_i (p_i / q_i - 1 - \log (p_i / q_i))`, as both sum to one.  What sums to another number, c, is divided by
it: `\log c - \sum_i q_i \log (p_i / q_i)` is not negative either, nor is `\log n + \sum_i q_i \log q_i`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from flint import fmpq

from derivations.kernel.scope import Scope
from derivations.language.substitution import rename_apart, substitute
from derivations.language.term import ONE, Add, Apply, Index, Mul, Number, Pow, Sum, Term, guard_substitute, product_of


def above_tangents(parts: Sequence[Term], scope: Scope) -> Iterator[Term]:
    """The form of a difference of two sums of logarithms under one weight, or of one and a logarithm before them."""
    logs = [(c, f.arg) for c, f in map(_logarithm, parts) if f is not None]
    if len(logs) > 1 or not 2 <= len(parts) <= len(("own", "other", "before")):
        return
    read = [_weighted_logarithm(p, scope) for p in parts if _logarithm(p)[1] is None]
    if None in read or not read:
        return
    sums = [r for r in read if r is not None]
    for own in sums:
        outer, total, weight, q = own
        others = [r for r in sums if r is not own]
        p = _beside(own, others[0], scope) if others else ONE
        if p is None or any(c != outer for c, _ in logs):
            continue
        ratio = product_of([p, *(Pow(c, -1) for _, c in logs), Pow(q, -1)])
        inner = Add((ratio, Number(-1), Mul((Number(-1), Apply("log", ratio)))))
        yield product_of([Number(outer), Sum(total.var, total.guard, Mul((weight, inner)))])


Weighted = tuple[fmpq, Sum, Term, Term]
"""The number before a sum `\\sum_i w_i \\log x_i`, the sum, its weight and what its logarithm is of."""


def _beside(own: Weighted, other: Weighted, scope: Scope) -> Term | None:
    """What the other sum, with the other sign, has in its logarithm at each place of a sum with the same weights."""
    (outer, total, weight, _), (minus, there, again, p) = own, other
    at = {there.var: Index.var(total.var)}
    if guard_substitute(there.guard, at) != total.guard or outer != -minus:
        return None
    again, p = (substitute(rename_apart(t, {total.var, *scope.variables}), at) for t in (again, p))
    return p if again is weight else None


def _logarithm(part: Term) -> tuple[fmpq, Apply | None]:
    """The number before a logarithm, and the logarithm; None where a part is something else."""
    factors = list(part.args) if isinstance(part, Mul) else [part]
    value = factors.pop(0).value if isinstance(factors[0], Number) else Number(1).value  # type: ignore[attr-defined]
    only = factors[0] if len(factors) == 1 else None
    return value, only if isinstance(only, Apply) and only.function == "log" else None


def _weighted_logarithm(part: Term, scope: Scope) -> Weighted | None:
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
