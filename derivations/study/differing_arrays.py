r"""`x \neq 0` of a vector: some entry differs, not each one, so the sum of the squares of all differences is positive."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from derivations.language.statement import Statement
from derivations.language.term import ZERO, Pow, Sum, Term
from derivations.latex.syntax.letters import letters_in
from derivations.latex.syntax.surface import Node


def where_arrays_differ(s: Statement, left: Node, right: Node) -> Statement:
    r"""What a difference of arrays says, where the sides write some of its indices: `x_i \neq 0` is said of each entry."""
    written = letters_in(left) | letters_in(right)
    return of_some_entry(s, [v for v in s.indices if v not in written])


def of_some_entry(s: Statement, among: Collection[str]) -> Statement:
    """A difference for some values of these indices, in place of all of them."""
    if s.relation != "!=" or not among:
        return s
    body: Term = Pow(s.left if s.right is ZERO else s.left - s.right if s.left is not ZERO else s.right, 2)
    for v in s.indices[::-1]:
        if v in among:
            body = Sum(v, tuple(c for c in s.guard if v in c.index.free), body)
    rest = tuple(c for c in s.guard if c.index.free.isdisjoint(among))
    return replace(
        s, left=ZERO, relation="<", right=body, indices=tuple(v for v in s.indices if v not in among), guard=rest
    )
