"""The softmax, whose axis is written, said in words, the only one there is, or a reading that is printed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derivations.language.substitution import rename_apart, substitute
from derivations.language.term import Index, Sum, Term, exp, guard, guard_substitute, within
from derivations.latex.lexicon.arrays import Array, At, NotUnderstood, quotient
from derivations.latex.syntax.letters import letter
from derivations.latex.syntax.surface import Big, Literal, Node, Operator, Scripted, walk
from derivations.notes import Note

if TYPE_CHECKING:
    from derivations.latex.elaborator.elaborate import Elaborator
    from derivations.latex.elaborator.indices import Scope, Variable

AXIS_LABELS = {"row": "last", "rows": "last", "col": "first", "cols": "first", "column": "first", "columns": "first"}
"""Labels on a softmax that say its axis: normalised along each row is the last axis."""


def softmax(e: Elaborator, node: Operator, scope: Scope) -> Array:
    """The array of a softmax; raises `NotUnderstood`."""
    from derivations.latex.elaborator.calls import instance
    from derivations.latex.syntax.letters import label_of

    label = label_of(node.sub) if node.sub is not None else None
    label = node.sub.text if isinstance(node.sub, Literal) else label
    own = e.table.find_stem("softmax" if label is None else f"softmax_{label}")
    if len(node.arguments) > 2:
        raise NotUnderstood("unknown-notation", f"a softmax with {len(node.arguments)} arguments", node.span)
    argument = e.value(node.arguments[0], scope)
    if own is not None and own.parameters is not None and len(own.parameters[0].dims) == argument.rank:
        e.used[own.stem] = own
        return instance(e, own, (), [argument], scope, node.span)
    axis = node.sub if label is None else None
    if len(node.arguments) == 2:
        axis = node.arguments[1]
    if argument.rank == 0:
        return _of_entry(e, node, argument, axis, scope)
    if argument.rank == 1:
        return _along(e, argument, 0)
    sides = {"row": "last", "column": "first"}
    settled = AXIS_LABELS.get(label or "") or sides.get(e.axis_words or "")
    declared = settled is None and e.declared_axis is not None
    settled = settled or sides.get(e.declared_axis or "")
    if axis is not None:
        raise NotUnderstood("unknown-notation", "the axis of this softmax is not read", axis.span)
    taken = e.choose("softmax-axis", node, ("last", "first"), settled, even=e.table.columns_are_tokens)
    if settled is None:
        e.readings.append(Note("softmax-axis", (taken,)))
    else:
        origin = "declaration" if declared else "document"
        e.readings.append(Note("softmax-axis", (taken,), origin))
    return _along(e, argument, argument.rank - 1 if taken == "last" else argument.rank - 2)


def _along(e: Elaborator, argument: Array, axis: int) -> Array:
    def at(where: At) -> Term:
        below = e.sum_axis(
            argument.shape[axis], "r", lambda r: exp(argument.at((*where[:axis], r, *where[axis + 1 :])))
        )
        return quotient(exp(argument.at(where)), below)

    return Array(argument.shape, at, argument.orient, argument.span)


def _of_entry(e: Elaborator, node: Operator, argument: Array, axis: Node | None, scope: Scope) -> Array:
    variables = {**e.free, **scope}
    if axis is not None:
        name = letter(axis)
        if name is None or name not in variables:
            raise NotUnderstood("unknown-notation", "the axis of a softmax must be one of the indices", axis.span)
    else:
        candidates = _letters(e, node.arguments[0], frozenset(variables))
        if not candidates:
            raise NotUnderstood("ambiguous", "the softmax of a single number; an index is needed", node.span)
        declared = e.declared_letter if e.declared_letter in candidates else None
        settled = candidates[0] if len(candidates) == 1 else declared
        name = e.choose("softmax-index", node, tuple(reversed(candidates)), settled)
        origin = "document" if len(candidates) == 1 else "reading" if declared is None else "declaration"
        e.readings.append(Note("softmax-index", (name,), origin))
    variable: Variable = variables[name]
    allowed = [
        c for c in e.conditions if variable.name in c.index.free and len(c.index.free) > 1 and c.relation == ">="
    ]
    if allowed:
        e.readings.append(Note("softmax-range", (name,)))

    def at(_: At) -> Term:
        term = argument.at(())
        r = e.fresh("r")
        put = {variable.name: Index.var(r)}
        moved = substitute(rename_apart(term, {r, variable.name}), put)
        places = guard(*within(r, 0, e.sizes.index(variable.dim)), *guard_substitute(guard(*allowed), put))
        return quotient(exp(term), Sum(r, places, exp(moved)))

    return Array((), at, span=node.span)


def _letters(e: Elaborator, node: Node, known: frozenset[str]) -> list[str]:
    """Index letters in slots of an expression, in order, without those that a sum inside binds."""
    bound = {c for n in walk(node) if isinstance(n, Big) for c in e.bound_letters(n.sub)}
    found: list[str] = []
    for n in walk(node):
        if isinstance(n, Scripted):
            w = e.table.names.written(n)
            for slot in w.slots if w is not None else e.table.names.generic_slots(n)[0]:
                c = letter(slot.node)
                if c is not None and c in known and c not in bound and c not in found:
                    found.append(c)
    return found
