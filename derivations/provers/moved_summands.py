"""Comparisons by a lemma in which some summands of the difference stand on the other side."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from derivations.kernel.errors import Refused
from derivations.kernel.proof import Have, Proof, Sign
from derivations.kernel.replay import lemma_scope
from derivations.kernel.scope import Scope
from derivations.language.statement import Statement
from derivations.language.term import Term
from derivations.provers.monomials import total
from derivations.provers.trace import Trace


def by_lemma(
    less: Sequence[Term],
    more: Sequence[Term],
    normal: Term,
    trace: Trace,
    scope: Scope,
    prove: Callable[[Term, Term, Scope], Proof | None],
    relation: str = "<=",
) -> Proof | None:
    """A proof from the lemma that the sum of `less` is smaller than that of `more`, or as large as it.

    The difference of the two is `normal`, the normal form of what is to be shown, which the steps of `trace` lead to.
    None where `prove` has no proof of the lemma, or the kernel takes no lemma here.
    """
    low, high = total(less), total(more)
    said = Statement(low, relation, high, scope.variables, scope.facts)
    try:
        why = prove(low, high, lemma_scope(said, scope))
    except Refused:
        return None
    if why is None:
        return None
    trace.step("ring", normal, high - low)
    return Have(said, why, Sign(trace.chain()))
