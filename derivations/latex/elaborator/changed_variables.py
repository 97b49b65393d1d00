r"""Derivatives by a new variable: after `\rho_j = \log \sigma_j^2`, by the `\rho_j` of what is written in terms of `\sigma_j`.

Where the new variable is a function of one old one, and what is differentiated depends on the old one alone, it is the
derivative by the old one divided by that of the new one: near a place where this is not zero the old one is a function
of the new one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from derivations.language.term import Entry, Index, Term
from derivations.latex.lexicon.arrays import quotient
from derivations.latex.lexicon.symbol_table import Symbol
from derivations.latex.syntax.surface import Node
from derivations.notes import Note

if TYPE_CHECKING:
    from derivations.latex.elaborator.elaborate import Elaborator


def old_variable(e: Elaborator, body: Node, new: Symbol) -> str | None:
    """The given name that a new variable is a function of, entry by entry, where the body is written in terms of it."""
    theory, w = e.table.theory, e.table.names.written(body)
    known = e.table.find(w) if w is not None else None
    made = theory.definitions.get(new.head, ())
    if known is None or not known.defined or known.parameters is not None or len(made) != 1 or not e.table.settled:
        return None
    (d,) = made
    places = tuple(map(Index.var, d.variables))
    if d.condition or d.tensors or d.sizes or d.indices != places or theory.recursive(new.head):
        return None
    heads = set(d.body.heads)
    if len(heads) != 1 or not heads <= theory.tensors.keys():
        return None
    (old,) = heads
    whole = Entry(known.head)
    if theory.depends(whole, frozenset((new.head,))) or not theory.depends(whole, frozenset(heads)):
        return None
    return old if _of_own_entry(d.body, Entry(old, places)) else None


def by_new_variable(e: Elaborator, new: Entry, old: str, body: Term) -> Term:
    """The derivative of a term by an entry of a new variable, through the entry of the old one."""
    entry = Entry(old, new.indices)
    e.readings.append(Note("new-variable", (new.name, old)))
    return quotient(e.table.differentiated(entry, body), e.table.differentiated(entry, new))


def _of_own_entry(t: Term, own: Entry) -> bool:
    """Whether a term has no other entry of a name than the one at its own place, and no bound index."""
    if t == own:
        return True
    if isinstance(t, Entry):
        return False
    return t.free <= own.free and all(_of_own_entry(c, own) for c in t.children)
