r"""Weights that sum to one: means lie between the least and the largest value, and no weight is above one.

`\max_k x_k - \sum_i p_i x_i` is `\sum_i p_i (\max_k x_k - x_i)` where the weights sum to one, and `1 - p_i` is the sum of
the others.  That defined weights, as those of a softmax, sum to one and are not negative are lemmas, in which they are
written out; then they keep their name, and the rest is shown of any weights.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, product
from typing import TYPE_CHECKING

from derivations.kernel.errors import Refused
from derivations.kernel.proof import Proof
from derivations.kernel.replay import lemma_scope, with_lemma
from derivations.kernel.scope import Scope
from derivations.language.statement import Statement, Theory
from derivations.language.substitution import alpha_equal, rename_apart, substitute
from derivations.language.term import (
    MINUS_ONE,
    ONE,
    ZERO,
    Add,
    Entry,
    Index,
    IndexValue,
    Mul,
    Pow,
    Sum,
    Term,
    TermError,
    delta,
    guard,
    guard_substitute,
    negative,
    product_of,
    sum_over,
    within,
)
from derivations.provers.monomials import base_and_power, factors
from derivations.provers.not_found import NotFound
from derivations.provers.refute import differs

if TYPE_CHECKING:
    from derivations.provers.prove import Search

MAX_NAMES = 12
"""Most defined names that are looked at."""
MAX_INSTANCES = 16
"""Most rows of a matrix of weights that are looked at."""


def spread(parts: Sequence[Term], scope: Scope) -> Iterator[Term]:
    """The forms of a difference in which what has no weights is summed over them too."""
    for total in _totals(scope):
        inside: list[Term] = []
        outside: list[Term] = []
        for part in parts:
            body = _weighted(part, total, scope)
            (outside if body is None else inside).append(part if body is None else body)
        if inside and outside:
            yield Sum(total.var, total.guard, Mul((total.body, Add([*inside, *outside]))))


def about_mean(parts: Sequence[Term], scope: Scope) -> Iterator[Term]:
    r"""`\sum_i p_i^2 - 1/n` as the sum of `(p_i - 1/n)^2`."""
    for total in _totals(scope):
        ends = [c.index + Index.var(total.var) + 1 for c in total.guard if c.index.coefficient(total.var) < 0]
        if len(ends) != 1 or total.guard != within(total.var, 0, ends[0]):
            continue
        if any(_weighted(part, total, scope) is not None for part in parts):
            mean = Pow(IndexValue(ends[0]), -1)
            yield Sum(total.var, total.guard, Pow(Add((total.body, negative(mean))), 2))


def all_but_one(parts: Sequence[Term], scope: Scope) -> Iterator[Term]:
    """The sum of all weights but one, of a difference `1 - p_i`."""
    if len(parts) != len(("one", "weight")) or sum(p is ONE for p in parts) != 1:
        return
    taken = negative(next(p for p in parts if p is not ONE))
    for total in _totals(scope):
        at = _place(total, taken, scope)
        if at is not None:
            rest = Add((ONE, Mul((MINUS_ONE, delta(Index.var(total.var), at)))))
            yield Sum(total.var, total.guard, Mul((Pow(rest, 2), total.body)))  # a square, whose sign is seen


def _totals(scope: Scope) -> Iterator[Sum]:
    """The sums that hypotheses say to be one, those of the rows of a matrix at every index in scope."""
    for h in scope.hypotheses:
        if h.relation != "=" or h.right is not ONE or not isinstance(h.left, Sum):
            continue
        for values in islice(product(scope.variables, repeat=len(h.indices)), MAX_INSTANCES):
            at = {v: Index.var(w) for v, w in zip(h.indices, values, strict=True)}
            left = substitute(rename_apart(h.left, {*scope.variables, *h.indices}), at)
            yield rename_apart(left, scope.variables)  # type: ignore[misc]


def _weighted(part: Term, total: Sum, scope: Scope) -> Term | None:
    """What a sum over the weights of a total has beside its weights; None for anything else."""
    before = [f for f in factors(part) if not isinstance(f, Sum)]
    sums = [f for f in factors(part) if isinstance(f, Sum)]
    if len(sums) != 1:
        return None
    own = sums[0]
    body = substitute(rename_apart(own.body, {total.var, *scope.variables}), {own.var: Index.var(total.var)})
    if guard_substitute(own.guard, {own.var: Index.var(total.var)}) != total.guard:
        return None
    beside = list(factors(body))
    for k, f in enumerate(beside):
        base, power = base_and_power(f)
        if power > 0 and alpha_equal(base, total.body):
            beside[k] = Pow(base, power - 1) if power > 2 else base if power == 2 else ONE
            return product_of([*before, *(b for b in beside if b is not ONE)])
    return None


def _place(total: Sum, taken: Term, scope: Scope) -> Index | None:
    """The index at which a term is the weight of a total."""
    for w in scope.variables:
        if alpha_equal(substitute(total.body, {total.var: Index.var(w)}), taken):
            return Index.var(w)
    return None


def known_weights(search: Search, scope: Scope) -> list[tuple[Statement, Proof]]:
    """Lemmas that defined names under a comparison are weights, and that weights are at most one."""
    shown: list[tuple[Statement, Proof]] = []
    sides = search.statement.left, search.statement.right
    entries = {t.name for side in sides for t in scope.theory.reached(side) if isinstance(t, Entry)}
    for name in sorted(entries & scope.theory.definitions.keys())[:MAX_NAMES]:
        for total, signs in _said_of(name, scope.theory):
            why = None if differs(total, scope.theory) else shown_as(search, total, scope)
            if why is None:
                continue
            found = ((sign, proof) for sign in signs if (proof := shown_as(search, sign, scope)) is not None)
            of_sign = next(found, None)
            if of_sign is not None:
                for lemma in ((total, why), of_sign):
                    shown.append(lemma)
                    scope = with_lemma(lemma[0], scope)
                break
    return shown


def bounds(search: Search, scope: Scope) -> list[tuple[Statement, Proof]]:
    """Lemmas that weights of which hypotheses say that they sum to one are at most one."""
    shown: list[tuple[Statement, Proof]] = []
    for h in scope.hypotheses:
        if h.relation != "=" or h.right is not ONE or not isinstance(h.left, Sum):
            continue
        own: Sum = rename_apart(h.left, {*h.indices})  # type: ignore[assignment]
        indices, ranges = (*h.indices, own.var), guard(*h.guard, *own.guard)
        lemma = Statement(own.body, "<=", ONE, indices, ranges)
        why = shown_as(search, lemma, scope)
        if why is not None:
            shown.append((lemma, why))
            scope = with_lemma(lemma, scope)
    return shown


def shown_as(search: Search, lemma: Statement, scope: Scope) -> Proof | None:
    """A proof of a lemma in a scope."""
    try:
        return search.for_lemma(lemma).direct(lemma.left, lemma.right, lemma_scope(lemma, scope), 0)
    except (NotFound, Refused, TermError):
        return None


def _said_of(name: str, theory: Theory) -> Iterator[tuple[Statement, tuple[Statement, ...]]]:
    """What makes a name weights along one of its axes: that they sum to one there, and that all are positive, or else that
    none is negative."""
    rows = theory.definitions[name]
    shape = rows[0].shape
    if not shape or theory.recursive(name) or any(d.tensors or d.sizes for d in rows):
        return
    indices = tuple(f"i{k}" for k in range(len(shape)))
    entry = Entry(name, tuple(map(Index.var, indices)))
    ranges = [within(v, 0, n) for v, n in zip(indices, shape, strict=True)]
    signs = tuple(Statement(ZERO, r, entry, indices, guard(*(c for own in ranges for c in own))) for r in ("<", "<="))
    for k in reversed(range(len(shape))):
        others = tuple(v for j, v in enumerate(indices) if j != k)
        where = guard(*(c for j, r in enumerate(ranges) if j != k for c in r))
        yield Statement(sum_over(indices[k], 0, shape[k], entry), "=", ONE, others, where), signs
