r"""Forms of a difference in which a convex function lies above its tangent: `\sum_i q_i \log (q_i / p_i)` of two distributions.

It is `\sum_i q_i (p_i / q_i - 1 - \log (p_i / q_i))`, as both sum to one.  What sums to another number, c, is divided by
it: `\log c - \sum_i q_i \log (p_i / q_i)` is not negative either, nor is `\log n + \sum_i q_i \log q_i`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations
from typing import NamedTuple

from flint import fmpq

from derivations.kernel.scope import Scope
from derivations.language.substitution import alpha_equal, fresh, rename_apart, substitute
from derivations.language.term import Add, Apply, Index, Mul, Number, Pow, Sum, Term, guard_substitute, product_of


def above_tangents(parts: Sequence[Term], scope: Scope) -> Iterator[Term]:
    """The form of a difference of sums of logarithms under one weight, perhaps with a logarithm before them."""
    logs = [(c, f.arg) for c, f in map(_logarithm, parts) if f is not None]
    if len(logs) > 1 or not 1 <= len(parts) - len(logs) <= MAX_SUMS or len(parts) < len(("own", "other")):
        return
    read = [_weighted_logarithm(p, scope) for p in parts if _logarithm(p)[1] is None]
    sums = [r for r in read if r is not None]
    if len(sums) < len(read):
        return
    for own in sums:
        outer, own_sums, weight, q = own
        if any(c != outer for c, _ in logs) or any((r.outer / outer).q != 1 for r in sums):
            continue
        factors: list[Term] = [*(Pow(c, -1) for _, c in logs), Pow(q, -1)]
        for r in sums:
            p = None if r is own else _beside(own, r, scope)
            if p is not None:
                power = -r.outer / outer
                factors.append(p if power == 1 else Pow(p, int(power.p)))
        if len(factors) < len(logs) + len(sums):
            continue
        ratio = product_of(factors)
        inner: Term = Mul((weight, Add((ratio, Number(-1), Mul((Number(-1), Apply("log", ratio)))))))
        for total in reversed(own_sums):
            inner = Sum(total.var, total.guard, inner)
        yield product_of([Number(outer), inner])


MAX_SUMS = 4
"""Most sums of logarithms that are looked at as one."""


class Weighted(NamedTuple):
    """A number before sums `\\sum_i \\sum_j w_{ij} \\log x_{ij}`."""

    outer: fmpq
    sums: tuple[Sum, ...]
    """The sums, the outer one first; only their indices and ranges count."""
    weight: Term
    inside: Term
    """What the logarithm is of."""


def _beside(own: Weighted, other: Weighted, scope: Scope) -> Term | None:
    """What another sum has in its logarithm at each place of a sum with the same weights; the sums may come in another order."""
    if len(own.sums) != len(other.sums):
        return None
    away = {*(s.var for s in own.sums), *(s.var for s in other.sums), *scope.variables}
    kept = {s.var: fresh(f"{s.var}_", away) for s in other.sums}
    for order in permutations(own.sums):
        at = {kept[there.var]: Index.var(here.var) for there, here in zip(other.sums, order, strict=True)}
        ranges = [guard_substitute(guard_substitute(s.guard, _renamed(kept)), at) for s in other.sums]
        if {c for g in ranges for c in g} != {c for s in own.sums for c in s.guard}:
            continue
        again, inside = (
            substitute(rename_apart(substitute(t, _renamed(kept)), away), at) for t in (other.weight, other.inside)
        )
        if again is own.weight or alpha_equal(again, own.weight):
            return inside
    return None


def _renamed(names: Mapping[str, str]) -> dict[str, Index]:
    return {old: Index.var(new) for old, new in names.items()}


def _logarithm(part: Term) -> tuple[fmpq, Apply | None]:
    """The number before a logarithm, and the logarithm; None where a part is something else."""
    factors = list(part.args) if isinstance(part, Mul) else [part]
    value = factors.pop(0).value if isinstance(factors[0], Number) else Number(1).value  # type: ignore[attr-defined]
    only = factors[0] if len(factors) == 1 else None
    return value, only if isinstance(only, Apply) and only.function == "log" else None


def _weighted_logarithm(part: Term, scope: Scope) -> Weighted | None:
    """A part of a difference that is such a sum; None for another one."""
    factors = list(part.args) if isinstance(part, Mul) else [part]
    value = factors.pop(0).value if isinstance(factors[0], Number) else Number(1).value  # type: ignore[attr-defined]
    if len(factors) != 1 or not isinstance(factors[0], Sum):
        return None
    inner: Term = rename_apart(factors[0], scope.variables)
    sums: list[Sum] = []
    while isinstance(inner, Sum):
        sums.append(inner)
        inner = inner.body
    body = list(inner.args) if isinstance(inner, Mul) else [inner]
    logs = [f for f in body if isinstance(f, Apply) and f.function == "log"]
    if isinstance(body[0], Number):
        value *= body.pop(0).value  # type: ignore[attr-defined]
    if len(logs) != 1 or len(sums) > MAX_NESTED:
        return None
    return Weighted(value, tuple(sums), product_of([f for f in body if f is not logs[0]]), logs[0].arg)


MAX_NESTED = 3
"""Most sums inside of each other."""
