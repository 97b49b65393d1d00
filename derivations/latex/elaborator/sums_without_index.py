"""Sums that do not name their index: `\\frac{e^{x_i}}{\\sum e^{x_j}}`, `\\sum x`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from derivations.language.term import Index, Max, Term, within
from derivations.latex.lexicon.arrays import Array, NotUnderstood
from derivations.latex.lexicon.name_roles import Names
from derivations.latex.syntax.letters import letter, letter_node
from derivations.latex.syntax.surface import Big, Node, Scripted, walk
from derivations.notes import Note

if TYPE_CHECKING:
    from derivations.latex.elaborator.elaborate import Elaborator
    from derivations.latex.elaborator.indices import Scope


def outside(names: Names, node: Node) -> Iterator[str]:
    """The index letters of an expression outside of all sums without an index."""
    if isinstance(node, Big) and node.sub is None and node.name in ("sum", "max"):
        return
    if isinstance(node, Scripted):
        yield from names.slot_letters(node)
    for part in node.parts:
        yield from outside(names, part)


def unnamed(e: Elaborator, node: Big, scope: Scope) -> Array:
    """A sum over the one index letter of its body that the rest of the equation does not use, or over a whole vector."""
    names = e.table.names
    letters = dict.fromkeys(c for c in outside(names, node.body) if c not in scope and c not in names.sizes)
    own = [c for c in letters if c not in e.outside]
    found = own if len(own) == 1 else list(letters) if len(letters) == 1 else []
    if found:
        e.readings.append(Note("operator-index", (node.name, found[0])))
        return e.big(replace(node, sub=letter_node(node.span, found[0])), scope)
    if not letters and node.sup is None:
        body = e.value(node.body, scope)
        if body.rank == 1:
            size = e.sizes.index

            def at(_: tuple[Index, ...]) -> Term:
                if node.name == "sum":
                    return e.sum_axis(body.shape[0], "r", lambda r: body.at((r,)))
                name = e.fresh("r")
                return Max(name, within(name, 0, size(body.shape[0])), body.at((Index.var(name),)))

            return Array((), at, span=node.span)
    raise NotUnderstood("unknown-notation", f"a {node.name} needs its index below", node.span)


def of_rows(e: Elaborator, node: Big, scope: Scope) -> Array | None:
    r"""`\sum_j M`, where no j stands in the body: the sum of each row, beside every entry of it; of a vector one number.

    None when the body has the index, or is a number.
    """
    c = letter(node.sub)
    if c is None or node.name != "sum" or node.sup is not None or any(letter(n) == c for n in walk(node.body)):
        return None
    body = e.value(node.body, scope)
    if body.rank == 0:
        return None
    if body.rank == 1:
        e.readings.append(Note("sum-of-entries", (c,)))
        return Array((), lambda _: e.sum_axis(body.shape[0], "r", lambda r: body.at((r,))), span=node.span)
    if body.rank > 2:
        raise NotUnderstood("ambiguous", f"no {c} stands in what is summed over {c}", node.span)
    rows = e.choose("the sum of a matrix", node, ("rows", "columns")) == "rows"
    e.readings.append(Note("sum-of-lines", (c, "row" if rows else "column")))

    def at(where: tuple[Index, ...]) -> Term:
        i, j = where
        if rows:
            return e.sum_axis(body.shape[1], "r", lambda r: body.at((i, r)))
        return e.sum_axis(body.shape[0], "r", lambda r: body.at((r, j)))

    return Array(body.shape, at, span=node.span)
