r"""Sums of what is not negative: `0 <= \sum_i f_i` from a lemma that `0 <= f_i` for each i.

`-\sum_i p_i \log p_i` is not negative where no p is above one, which is seen of one term by its exponential; and
`\|A x\|^2 <= \|A\|^2 \|x\|^2` is Cauchy's inequality for each row, summed over the rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from derivations.kernel.errors import Refused
from derivations.kernel.finiteness import finite
from derivations.kernel.proof import Have, Proof, Sign
from derivations.kernel.replay import lemma_scope, with_lemma
from derivations.kernel.scope import Scope
from derivations.kernel.sign import nonnegative
from derivations.language.statement import Statement
from derivations.language.substitution import alpha_equal, canonical, rename_apart, substitute, subterms
from derivations.language.term import (
    ONE,
    ZERO,
    Add,
    Index,
    Mul,
    Sum,
    Term,
    TermError,
    guard,
    guard_free,
    product_of,
)
from derivations.provers import weights
from derivations.provers.monomials import factors, monomials
from derivations.provers.normal_sides import normal_side
from derivations.provers.not_found import NotFound
from derivations.provers.order import combined
from derivations.provers.trace import Trace, reverse

if TYPE_CHECKING:
    from derivations.provers.prove import Search

MAX_DEPTH = 2
"""How often a lemma about one term rests on one about the terms of a sum in it."""


def by_terms(search: Search, normal: Term, scope: Scope, steps: Trace) -> Proof | None:
    """A proof that a difference with a normal form, to which `steps` lead, is not negative, as a sum of what is not."""
    from derivations.provers.comparisons import compare

    if search.summed >= MAX_DEPTH:
        return None
    search.summed += 1
    try:
        for form in _forms(normal, scope, search):
            own: Sum = rename_apart(form, scope.variables)  # type: ignore[assignment]
            inside = scope.inside(own, 0)
            if not finite(own.body, scope.theory, inside.facts):
                continue
            back, trace = normal_side(search.normaliser, own, scope)
            if not alpha_equal(back, normal):
                continue
            said = Statement(ZERO, "<=", own.body, inside.variables, guard(*inside.facts))
            try:
                why = compare(search.for_lemma(said), ZERO, own.body, lemma_scope(said, scope), 0)
            except (NotFound, Refused, TermError):
                continue
            if nonnegative(own, with_lemma(said, scope)):
                whole = Trace()
                whole.then(steps)
                whole.step("alpha", normal, back)
                for step in reverse(trace.chain()):
                    whole.at(step)
                return Have(said, why, Sign(whole.chain()))
        return None
    finally:
        search.summed -= 1


def _forms(normal: Term, scope: Scope, search: Search) -> Iterator[Sum]:
    """The single sums that a difference may be."""
    parts = list(monomials(normal))
    if len(parts) == 1:
        row = factors(normal)
        sums = [f for f in row if isinstance(f, Sum)]
        if len(sums) == 1:
            own: Sum = rename_apart(sums[0], scope.variables)  # type: ignore[assignment]
            yield Sum(own.var, own.guard, product_of([*(f for f in row if f is not sums[0]), own.body]))
        return
    whole = combined(parts, scope, search.normaliser)
    if isinstance(whole, Sum):
        yield whole
    yield from _over_one_range(parts, scope)
    if scope.hypotheses:
        yield from weights.spread(parts, scope)  # type: ignore[misc]


def _over_one_range(parts: Sequence[Term], scope: Scope) -> Iterator[Sum]:
    """The sums over a range that all parts have somewhere in them, moved to the front."""
    own = [rename_apart(p, scope.variables) for p in parts]
    sums = [t for t in subterms(own[0]) if isinstance(t, Sum) and guard_free(t.guard) <= {t.var, *scope.variables}]
    for kind in dict.fromkeys(canonical(Sum(t.var, t.guard, ONE)) for t in sums):
        found = [_in_front(p, kind) for p in own]
        rows = [f for f in found if f is not None]
        if len(rows) < len(own):
            continue
        var, condition = rows[0].var, rows[0].guard
        bodies = [
            substitute(rename_apart(r.body, {var}), {r.var: Index.var(var)}) if r.var != var else r.body for r in rows
        ]
        yield Sum(var, condition, Add(bodies))


def _in_front(t: Term, kind: Term) -> Sum | None:
    """A product or sum as a sum over such a range, where one of the sums in it has that range."""
    if isinstance(t, Sum):
        if canonical(Sum(t.var, t.guard, ONE)) is kind:
            return t
        inner = _in_front(t.body, kind)
        if inner is None or inner.var == t.var or inner.var in guard_free(t.guard) or t.var in guard_free(inner.guard):
            return None
        return Sum(inner.var, inner.guard, Sum(t.var, t.guard, inner.body))
    for k, f in enumerate(factors(t) if isinstance(t, Mul) else ()):
        inner = _in_front(f, kind)
        if inner is not None and all(inner.var not in g.free for g in factors(t)):
            return Sum(inner.var, inner.guard, product_of([*factors(t)[:k], inner.body, *factors(t)[k + 1 :]]))
    return None
