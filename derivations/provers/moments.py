r"""Means and variances of what a recursion makes of noise: `x_t = a_t x_{t-1} + b_t e_t` with independent e_t.

What is drawn at a place s >= t has no part in what the recursion has made before it, so that `E(x[t] e[s])` is the mean of
the noise times `E(x[t])`: a lemma for each recursive symbol, shown by induction.  A claim about a variance is shown for the
second moment, from which the step of an induction can go on.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from derivations.kernel.definition import descent
from derivations.kernel.errors import KernelError, Refused
from derivations.kernel.proof import Meet, Proof, Step
from derivations.kernel.random_names import random_names
from derivations.kernel.replay import lemma_scope, with_lemma
from derivations.kernel.scope import Scope
from derivations.language.statement import Definition, Statement
from derivations.language.substitution import subterms
from derivations.language.term import (
    ZERO,
    Add,
    Entry,
    Expectation,
    Index,
    Mul,
    Number,
    Pow,
    Term,
    at_least,
    guard,
    negative,
    within,
)
from derivations.provers.inductions import direct_or_by_induction, having, induction
from derivations.provers.not_found import NotFound
from derivations.provers.recurrence import recursive_symbols

if TYPE_CHECKING:
    from derivations.provers.prove import Search


def with_moments(search: Search, left: Term, right: Term, scope: Scope, splits: int) -> Proof | None:
    """A proof from what is known of recursive symbols and of the noise that comes after them."""
    means = [u for side in (left, right) for u in subterms(side) if isinstance(u, Expectation)]
    if search.relation != "=" or not means:
        return None
    shown: list[tuple[Statement, Proof]] = []
    inside = scope
    search.inducting = True
    try:
        for said in _with_later_noise(means, scope):
            try:
                why = _shown(search, said, inside)
            except (NotFound, Refused):
                continue
            shown.append((said, why))
            inside = with_lemma(said, inside)
        if not shown:
            return None
        try:
            return having(shown, direct_or_by_induction(search, left, right, inside, splits))
        except (NotFound, Refused):
            return _of_second_moment(search, left, right, inside, shown)
    finally:
        search.inducting = False


def _of_second_moment(
    search: Search, left: Term, right: Term, scope: Scope, shown: list[tuple[Statement, Proof]]
) -> Proof | None:
    """`E(x^2) - E(x)^2 = r` from the lemma `E(x^2) = r + E(x)^2`, which can be shown by induction."""
    parts = left.args if isinstance(left, Add) else (left,)
    square = next((p for p in parts if isinstance(p, Expectation) and _is_square(p.body)), None)
    if square is None or len(parts) < 2:
        return None
    rest = [p for p in parts if p is not square]
    said = Statement(square, "=", Add((right, *(negative(p) for p in rest))), scope.variables, scope.facts)
    try:
        there = lemma_scope(said, scope)
        why = direct_or_by_induction(search.for_lemma(said), said.left, said.right, there, 0)
    except (NotFound, Refused):
        return None
    number, at = len(scope.hypotheses), {v: Index.var(v) for v in scope.variables}
    place = next(k for k, p in enumerate(parts) if p is square)
    put_in = left.with_children([said.right if p is square else p for p in parts])
    steps = (
        Step("hypothesis", (place,), square, said.right, {"number": number, "at": at}),
        Step("ring", (), put_in, right, {}),
    )
    return having([*shown, (said, why)], Meet(steps, ()))


def _is_square(t: Term) -> bool:
    return isinstance(t, Pow) and t.exponent is Number(2)


def _shown(search: Search, said: Statement, scope: Scope) -> Proof:
    """A proof of a lemma, directly or by induction over its first index."""
    there = lemma_scope(said, scope)
    own = search.for_lemma(said)
    try:
        return own.direct(said.left, said.right, there, 0)
    except NotFound:
        return induction(own, said.indices[0], Index(), said.left, said.right, there, 0)


def _with_later_noise(means: list[Expectation], scope: Scope) -> Iterator[Statement]:
    """For each recursive symbol and each noise that it is made of: `E(x[t] e[s])` for s >= t, in both orders of the factors."""
    theory = scope.theory
    for name in recursive_symbols(theory, list(means)):
        rows = theory.definitions[name]
        try:
            found = descent(rows)
        except KernelError:
            continue
        steps = [d for d in rows if name in d.body.heads]
        if found is None or len(steps) != 1 or steps[0].tensors or steps[0].sizes or len(steps[0].indices) != 1:
            continue
        for noise, after in _noise(steps[0], scope):
            law, (length,) = theory.tensors[noise].law, theory.tensors[noise].shape
            if law is None or law.mean is None:
                continue
            t, s = Index.var("t"), Index.var("s")
            drawn, made = Entry(noise, (s,)), Entry(name, (t,))
            known = guard(at_least(t, 0), at_least(s, t + after), *within("s", 0, length))
            value = ZERO if law.mean is ZERO else Mul((law.mean, Expectation(made)))
            for factors in ((drawn, made), (made, drawn)):
                yield Statement(Expectation(Mul(factors)), "=", value, ("t", "s"), known)


def _noise(step: Definition, scope: Scope) -> Iterator[tuple[str, int]]:
    """The random tensors with one axis in a step `x[t + k] := …`, and how far after t the places are that x[t] has no part of:
    with `e[t + j]` in it, those from `t + j + 1 - k` on."""
    (pattern,) = step.indices
    (variable,) = pattern.free
    found: dict[str, int] = {}
    for u in subterms(step.body):
        if not isinstance(u, Entry) or u.name not in scope.theory.random:
            continue
        distance = u.indices[0] - pattern if len(u.indices) == 1 else None
        if distance is None or not distance.is_constant or pattern.coefficient(variable) != 1:
            return
        found[u.name] = max(found.get(u.name, distance.const + 1), distance.const + 1)
    behind = {h for h in step.body.heads if h in scope.theory.definitions and h not in (step.name, *found)}
    if any(random_names(Entry(h), scope) for h in behind):
        return  # noise that comes in through another symbol
    yield from found.items()
