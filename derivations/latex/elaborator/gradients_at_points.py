r"""Gradients of functions at points: `\nabla f(x_k)`, `\nabla f(x + t d)`, `\nabla^2 f(x^*)`.

A derivative is taken by a name.  At a point that is an expression, or a name that is defined, the gradient of a function
that is defined is worked out once, by a name of its own, and the point is put in; that of a function that nothing defines
is another function that nothing defines.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from derivations.language.substitution import rename_apart, substitute, subterms
from derivations.language.term import (
    DERIVED,
    NABLA,
    UNKNOWN,
    Apply,
    Derivative,
    Entry,
    Index,
    Lambda,
    Term,
    at_least,
    guard,
    less,
)
from derivations.latex.elaborator.calls import argument, instance
from derivations.latex.lexicon.arrays import Array, At, NotUnderstood
from derivations.latex.lexicon.symbol_table import Symbol
from derivations.latex.lexicon.written_names import Written
from derivations.latex.syntax.function_names import arguments_of
from derivations.latex.syntax.surface import Enclosed, Node
from derivations.notes import Note

if TYPE_CHECKING:
    from derivations.latex.elaborator.elaborate import Elaborator
    from derivations.latex.elaborator.indices import Scope


def at_point(e: Elaborator, head: Node, call: Enclosed, order: int, scope: Scope) -> Array | None:
    """The gradient of a function at what stands in parentheses, or its matrix of second derivatives.

    None where it is the derivative by a given name: that is left to the prover.
    """
    function = e.table.names.written(head)
    nodes, signs = arguments_of(call)
    if function is None or function.slots or function.power is not None or len(nodes) != 1 or signs:
        return None
    symbol = e.overlay.get(function.stem) or e.table.function(function, nodes)
    if symbol is None and e.table.later is not None and e.table.later(function.stem):
        symbol = e.table.find(function)
    if symbol is None:
        return _of_unknown(e, function, argument(e, nodes[0], scope), order)
    if symbol.parameters is None or len(symbol.parameters) != 1 or symbol.dims or _is_given(e, nodes[0]):
        return None
    return _worked_out(e, function, symbol, argument(e, nodes[0], scope), order, scope)


def _is_given(e: Elaborator, node: Node) -> bool:
    """Whether an argument is a name that nothing defines: a derivative can be taken by it."""
    w = e.table.names.written(node)
    known = e.overlay.get(w.stem) or e.table.find(w) if w is not None else None
    return w is not None and w.power is None and (known is None or not known.defined)


def _of_unknown(e: Elaborator, function: Written, value: Array, order: int) -> Array:
    if not value.rank:
        return Array((), lambda _: Apply(function.stem + DERIVED * order, value.at(())), span=function.span)
    head = UNKNOWN + NABLA * order + function.stem
    e.readings.append(Note("any-function-of-arrays", (function.stem,)))

    def at(where: At) -> Term:
        names = tuple(e.fresh("p") for _ in value.shape)
        point = Lambda(names, value.at(tuple(map(Index.var, names))))
        return Entry(head, where, [point], [e.sizes.index(d) for d in value.shape])

    return Array(value.shape * order, at, value.orient if order * value.rank == 1 else "plain", function.span)


def _worked_out(
    e: Elaborator, function: Written, symbol: Symbol, value: Array, order: int, scope: Scope
) -> Array | None:
    """The gradient of a function that is defined, by a name of its own, with the point put in."""
    if e.table.worked_out is None or not e.table.theory.definitions.get(symbol.head):
        return _of_unknown(e, function, value, order)  # the first walk asks for shapes alone
    point = e.table.new_head("point")
    own = Array(value.shape, lambda at: Entry(point, at), value.orient, value.span)
    body = instance(e, symbol, (), [own], scope, function.span).at(())
    lengths = [e.sizes.index(d) for d in value.shape] * order
    letters = tuple(e.fresh("g") for _ in lengths)
    places = tuple(map(Index.var, letters))
    for k in range(order):
        body = Derivative(point, places[k * value.rank : (k + 1) * value.rank], body)
    inside = guard(*(c for i, n in zip(places, lengths, strict=True) for c in (at_least(i, 0), less(i, n))))
    found = e.table.worked_out(body, e.table.theory, inside)
    if any(isinstance(t, Derivative) and t.name == point for t in subterms(found)):
        raise NotUnderstood(
            "unknown-notation", f"the gradient of {function.stem} is not worked out here", function.span
        )
    e.readings.append(Note("gradient-worked-out", (function.stem,)))

    def at(where: At) -> Term:
        names = tuple(e.fresh("p") for _ in value.shape)
        put = Lambda(names, value.at(tuple(map(Index.var, names))))
        taken = put.body.free | {v for i in where for v in i.free}
        return substitute(rename_apart(found, taken), dict(zip(letters, where, strict=True)), {}, {point: put})

    return Array(value.shape * order, at, value.orient if order * value.rank == 1 else "plain", function.span)
