r"""Divergences and entropies of lists of probabilities.

The entropy `H(p)` is `-\sum_i p_i \log p_i`, the cross entropy `H(p, q)` is `-\sum_i p_i \log q_i`, and the divergence of p from
q is `\sum_i p_i \log (p_i / q_i)`.

Sources: Kullback, Information Theory and Statistics (1959), sec. 1.2; Cover and Thomas, Elements of Information Theory
(2006), sec. 2.1 and 2.3; Goodfellow, Bengio, Courville, Deep Learning (2016), sec. 3.13.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from derivations.language.term import Index, Term
from derivations.latex.elaborator.indices import Scope
from derivations.latex.lexicon import arrays
from derivations.latex.lexicon.arrays import Array, NotUnderstood, minus, quotient, times
from derivations.latex.passes.known_divergences import DIVERGENCE
from derivations.latex.syntax.surface import Operator
from derivations.notes import Note

if TYPE_CHECKING:
    from derivations.latex.elaborator.elaborate import Elaborator

_LOG = arrays.applied("log")


def known_of_lists(e: Elaborator, node: Operator, scope: Scope) -> Array:
    """The divergence, the entropy or the cross entropy of lists of probabilities."""
    lists = [e.value(a, scope) for a in node.arguments]
    if any(p.rank != 1 for p in lists):
        raise NotUnderstood("unknown-notation", f"{node.name} of other things than lists of probabilities", node.span)
    for other in lists[1:]:
        e.sizes.unify(lists[0].shape[0], other.shape[0], node.span)
    first, second = lists[0], lists[-1]
    is_divergence = node.name == DIVERGENCE
    what = "divergence" if is_divergence else "entropy" if len(lists) == 1 else "cross entropy"
    e.readings.append(Note("formula-of-lists", (what,)))

    def part(i: Index) -> Term:
        p, q = first.at((i,)), second.at((i,))
        return times(p, _LOG(quotient(p, q) if is_divergence else q))

    def total() -> Term:
        found = e.sum_axis(first.shape[0], "r", part)
        return found if is_divergence else minus(found)

    return Array((), lambda _: total(), span=node.span)
