r"""Products over an index, `\prod_{i=1}^n p_i`: the last value of a recurrence, `P_0 = 1` and `P_{k+1} = P_k p_k`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derivations.kernel.definition import admit
from derivations.language.statement import Definition, Tensor
from derivations.language.substitution import canonical, rename_apart, substitute
from derivations.language.term import ONE, Entry, Index, Lambda, Mul, Term, at_least, guard
from derivations.latex.lexicon.arrays import NotUnderstood
from derivations.latex.syntax.surface import Span
from derivations.notes import Note

if TYPE_CHECKING:
    from derivations.latex.elaborator.elaborate import Elaborator

MAX_SHOWN = 40
"""Longer factors are not part of the name of their product."""


def product_of_factors(e: Elaborator, var: str, first: Index, end: Index, factor: Term, span: Span) -> Term:
    """The product of a factor for `first <= var < end`; it is defined where that is no less than nothing.

    The running product has the indices that the factor has besides, then the number of factors.  What the function that is
    being defined is applied to are parameters of it.
    """
    k = e.fresh("k")
    member = substitute(rename_apart(factor, {k}), {var: Index.var(k) + first})
    outer = tuple(sorted(member.free - {k}))
    given = [s for s in e.overlay.values() if s.head in member.heads]
    if any(s.parameters is not None or s.call is not None for s in given):
        raise NotUnderstood("unknown-notation", "a product of values of a function that is an argument", span)
    tensors = tuple(Tensor(s.head, tuple(map(e.sizes.index, s.dims))) for s in given)
    sizes = tuple(sorted({name for t in tensors for i in t.shape for name in i.sizes}))
    applied = tuple(_itself(e, t) for t in tensors)
    key = canonical(Entry("prod", (), (Lambda((*outer, k), member), *applied)))
    head = e.table.powers.get(key)
    before, lengths = tuple(map(Index.var, outer)), tuple(map(Index.size, sizes))
    if head is None:
        head = e.table.powers[key] = e.table.new_head(f"prod({member})" if len(str(member)) <= MAX_SHOWN else "prod")
        at = Index.var(k)
        so_far = Entry(head, (*before, at), applied, lengths)
        start = Definition(head, (*before, Index()), ONE, tensors=tensors, sizes=sizes)
        step = Definition(head, (*before, at + 1), Mul((so_far, member)), guard(at_least(at, 0)), tensors, sizes)
        for made in (start, step):
            e.table.put(made, admit)
        e.table.display[head] = r"\Pi"
        e.table.styles[head] = "d" * len(outer) + "p"
        e.table.bases[f"{head}@{len(outer)}"] = 0
    e.readings.append(Note("running-product", (head, str(member), k)))
    return Entry(head, (*before, end - first), applied, lengths)


def _itself(e: Elaborator, tensor: Tensor) -> Lambda:
    names = tuple(e.fresh("p") for _ in tensor.shape)
    return Lambda(names, Entry(tensor.name, map(Index.var, names)))
