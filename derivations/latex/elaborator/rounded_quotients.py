r"""Rounded quotients: `\lfloor h / g \rfloor` and `\lceil h G / H \rceil` of indices and lengths, `\lceil 512 / 80 \rceil`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derivations.language.term import Index, IndexValue, Mul, Number, Pow, Term, TermError, quotient
from derivations.latex.lexicon.arrays import Array, NotUnderstood
from derivations.latex.syntax.surface import Adjacent, Enclosed, Fraction, Infix, Node

if TYPE_CHECKING:
    from derivations.latex.elaborator.elaborate import Elaborator
    from derivations.latex.elaborator.indices import Indices, Scope

_Ratio = tuple[Index, Index]
"""A numerator and a denominator."""


def rounded(e: Indices, node: Enclosed, scope: Scope) -> Index:
    """A rounded quotient of an index by a positive number or a product of lengths."""
    found = None if node.content is None else _ratio(e, node.content, scope)
    if found is not None:
        above, below = found
        if counts_places(below):
            try:
                return quotient(above if node.kind == "floor" else above + below - 1, below)
            except TermError:
                pass
    raise NotUnderstood("unknown-notation", "this rounded quotient is not read as an index", node.span)


def counts_places(divisor: Index) -> bool:
    """Whether one can count by a divisor: a positive number, or a product of lengths."""
    if divisor.is_constant:
        return divisor.const > 0
    return len(divisor.terms) == 1 and divisor.terms[0][1] == 1 and not divisor.const and not divisor.free


def rounded_number(e: Elaborator, node: Enclosed, scope: Scope) -> Array:
    """The same as a number; one of numbers alone is reckoned."""
    try:
        value = e.written_index(node, {**e.free, **scope})
        return Array((), lambda _: IndexValue(value), span=node.span)
    except NotUnderstood:
        inside = None if node.content is None or e.table.worked_out is None else e.number_of(node.content, scope)
    if inside is not None and e.table.worked_out is not None and not inside.heads and not inside.free:
        known = e.table.worked_out(inside, e.table.theory, ())
        if isinstance(known, Number):
            whole = int(known.value.floor() if node.kind == "floor" else known.value.ceil())
            return Array((), lambda _: Number(whole), span=node.span)
    raise NotUnderstood("unknown-notation", f"brackets {node.kind} with this content are not read", node.span)


def _ratio(e: Indices, node: Node, scope: Scope) -> _Ratio | None:
    """The numerator and the denominator of an expression in indices and lengths."""
    if isinstance(node, Fraction) or (isinstance(node, Infix) and node.operator == "/"):
        above, below = (_ratio(e, n, scope) for n in node.parts)
        return None if above is None or below is None else (above[0] * below[1], above[1] * below[0])
    if isinstance(node, Adjacent) or (isinstance(node, Infix) and node.operator in ("cdot", "times", "ast")):
        product = Index((), 1), Index((), 1)
        for part in node.parts:
            if (found := _ratio(e, part, scope)) is None:
                return None
            product = product[0] * found[0], product[1] * found[1]
        return product
    if isinstance(node, Enclosed) and node.kind == "()" and node.content is not None:
        return _ratio(e, node.content, scope)
    return _named_ratio(e, node) or (e.written_index(node, scope), Index((), 1))


def _named_ratio(e: Indices, node: Node) -> _Ratio | None:
    """H and G for a number that an equation defines as their quotient, `r = H / G`."""
    w = e.table.names.written(node)
    symbol = None if w is None or w.slots or w.transposed or w.power is not None else e.table.find(w)
    if symbol is None or not symbol.defined or symbol.dims or symbol.parameters is not None:
        return None
    rows = e.table.theory.definitions.get(symbol.head, ())
    found = _of_lengths(rows[0].body) if len(rows) == 1 else None
    if found is not None:
        e.used[symbol.stem] = symbol
    return found


def _of_lengths(t: Term) -> _Ratio | None:
    """A term that is a quotient of products of lengths."""
    if isinstance(t, IndexValue):
        return None if t.index.free else (t.index, Index((), 1))
    if isinstance(t, Number) and t.value > 0:
        return Index((), int(t.value.p)), Index((), int(t.value.q))
    if isinstance(t, Pow) and t.exponent == Number(-1):
        found = _of_lengths(t.base)
        return None if found is None else (found[1], found[0])
    if not isinstance(t, Mul):
        return None
    above, below = Index((), 1), Index((), 1)
    for factor in t.args:
        if (found := _of_lengths(factor)) is None:
            return None
        above, below = above * found[0], below * found[1]
    return above, below
