"""Maxima as sets of values: two maxima are equal when each value of one is a value of the other.

A maximum over an index, a maximum of maxima and `cases` under a maximum are taken apart into pieces: a value for all
indices that satisfy some constraints.  Which piece answers to which is for a proof to say; here it is checked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from derivations.kernel import ring
from derivations.kernel.definition import covered
from derivations.kernel.errors import Refused
from derivations.kernel.linear import entails_all, equal_indices
from derivations.kernel.scope import Scope
from derivations.kernel.sign import inhabited
from derivations.language.substitution import alpha_equal, rename_apart, substitute
from derivations.language.term import Case, Guard, Index, Max, NegInfinity, Term, guard, guard_free, guard_substitute

Branch = tuple[int, Guard, Mapping[str, Index], Mapping[str, Index]]
"""Under some constraints a value is that of piece number n at these indices; its own indices then have known values."""


@dataclass(frozen=True)
class Piece:
    """The values of a term for all `binders` that satisfy `guard`."""

    binders: tuple[str, ...]
    guard: Guard
    value: Term


def pieces(t: Term, scope: Scope) -> list[Piece]:
    """The values whose maximum a term is; a maximum over a range that may be empty is a value of its own."""
    return list(_pieces(t, scope))


def _pieces(t: Term, scope: Scope) -> Iterator[Piece]:
    if isinstance(t, Max) and inhabited(t, scope):
        own: Max = rename_apart(t, scope.variables)  # type: ignore[assignment]
        for p in _pieces(own.body, scope.inside(own, 0)):
            yield Piece((own.var, *p.binders), guard(*own.guard, *p.guard), p.value)
        return
    if isinstance(t, Case) and all(len(g) == 1 for g, _ in t.branches):
        earlier: list[Guard] = [()]
        for (own_guard, value), last in zip(
            (*t.branches, ((), t.otherwise)), (*[False] * len(t.branches), True), strict=True
        ):
            for known in earlier:
                here = guard(*known, *own_guard)
                for p in _pieces(value, scope.given(here)):
                    yield Piece(p.binders, guard(*here, *p.guard), p.value)
            if not last:
                earlier = [guard(*known, n) for known in earlier for n in own_guard[0].negations()]
        return
    yield Piece((), (), t)


def check(
    rule: str, one: list[Piece], other: list[Piece], answers: tuple[tuple[Branch, ...], ...], scope: Scope
) -> None:
    """Raises `Refused` unless each value of `one` is a value of `other`, as `answers` say; minus infinity is below all."""
    if len(answers) != len(one):
        raise Refused(rule, f"an answer for each of {len(one)} pieces", str(len(answers)))
    for p, branches in zip(one, answers, strict=True):
        if isinstance(p.value, NegInfinity):
            continue
        inside = scope.inside_binder(p.binders, p.guard)
        if not covered(inside.facts, [conditions for _, conditions, _, _ in branches]):
            raise Refused(rule, f"an answer for all values of {p.value}", f"{len(branches)} that leave some out")
        for number, conditions, at, fixed in branches:
            if not 0 <= number < len(other):
                raise Refused(rule, f"a piece from 0 to {len(other) - 1}", str(number))
            q = other[number]
            here = inside.given(conditions)
            loose = guard_free(conditions) | {v for i in at.values() for v in i.free}
            if set(at) != set(q.binders) or not loose <= set(here.variables):
                raise Refused(rule, f"a value for each of {', '.join(q.binders)}", ", ".join(sorted(at)))
            if not entails_all(here.facts, guard_substitute(q.guard, at)):
                raise Refused(rule, f"{q.guard} at {dict(at)}", "it does not follow here")
            for v, i in fixed.items():
                if (
                    v not in p.binders
                    or not i.free <= set(here.variables)
                    or not equal_indices(here.facts, Index.var(v), i)
                ):
                    raise Refused(rule, f"{v} = {i}", "it does not follow here")
            own = substitute(rename_apart(p.value, here.variables), fixed)
            value = substitute(rename_apart(q.value, {*here.variables, *q.binders}), at)
            if not alpha_equal(value, own) and not ring.same(value, own, scope.theory, here.facts):
                raise Refused(rule, f"the value {own}", str(value))
