"""Lists and columns with dots: `[x_1, …, x_n]` is the family whose member i is `x_i`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from derivations.language.substitution import rename_apart, substitute
from derivations.language.term import Case, Index, Term, at_least, equal, guard, less, quotient, remainder
from derivations.latex.elaborator.joined_lists import Members, along_last, in_blocks, in_line, join, separator_of
from derivations.latex.lexicon.arrays import Array, At, NotUnderstood
from derivations.latex.syntax.surface import (
    Fraction,
    Infix,
    Literal,
    Mark,
    Matrix,
    Name,
    Node,
    Operator,
    Span,
    bare,
    differences,
    fields_of,
)

MAX_PERIOD = 3
"""Longest pattern of a list whose members take turns."""

if TYPE_CHECKING:
    from derivations.latex.elaborator.elaborate import Elaborator
    from derivations.latex.elaborator.indices import Scope


def stack(e: Elaborator, node: Matrix, scope: Scope) -> Array:
    """A column with vertical dots, or a row of blocks with dots."""
    if len(node.rows) == 1 and len(node.rows[0]) > 2:
        blocks = listed(e, node.rows[0], scope, node)
        if blocks.rank > 1:
            return blocks
        if blocks.rank == 1:
            return replace(blocks, orient="row")
    if any(len(row) != 1 for row in node.rows):
        return _triangle(e, node, scope)
    found = listed(e, tuple(row[0] for row in node.rows), scope, node)
    if found.rank == 1:
        return replace(found, orient="column")
    return found


def _triangle(e: Elaborator, node: Matrix, scope: Scope) -> Array:
    """A square matrix with dots and one number above, on and below the diagonal each; raises `NotUnderstood`."""
    rows = [[c for c in row if not isinstance(c, Mark)] for row in node.rows]
    rows = [r for r in rows if r]
    wrong = NotUnderstood(
        "unknown-notation", "only triangular patterns of two or three numbers are read here", node.span
    )
    if len(rows) < 3 or any(len(r) != len(rows[0]) for r in rows) or len(rows[0]) < 3:
        raise wrong
    diagonal, upper, lower = rows[0][0], rows[0][1], rows[1][0]
    for k, row in enumerate(rows):
        place = len(row) - 1 if k == len(rows) - 1 else k
        expected = [lower] * place + [diagonal] + [upper] * (len(row) - 1 - place)
        if [bare(c) for c in row] != [bare(c) for c in expected]:
            raise wrong
    values = [e.value(c, scope) for c in (diagonal, upper, lower)]
    if any(v.rank for v in values):
        raise wrong
    size = e.new_dim("triangle", node.span)

    def at(where: At) -> Term:
        i, j = where
        on, above, below = (v.at(()) for v in values)
        if on is below:
            return Case([(guard(at_least(i, j)), on)], above)
        if on is above:
            return Case([(guard(at_least(j, i)), on)], below)
        return Case([(guard(equal(i, j)), on), (guard(less(i, j)), above)], below)

    return Array((size, size), at, span=node.span)


def _row(e: Elaborator, values: list[Array], span: Span) -> Array:
    """`[1, 0]`: a vector of so many numbers."""

    def at(where: At) -> Term:
        (i,) = where
        *most, final = values
        if i.is_constant and 0 <= i.const < len(values):
            return values[i.const].at(())
        return Case([(guard(equal(i, k)), v.at(())) for k, v in enumerate(most)], final.at(()))

    return Array((e.sizes.declared(Index.of(len(values))),), at, span=span)


def listed(e: Elaborator, items: tuple[Node, ...], scope: Scope, node: Node) -> Array:
    """`first, second, …, last`: a vector of numbers, or vectors or matrices that are joined; raises `NotUnderstood`."""
    found = _members(e, items, scope, node)
    return found if isinstance(found, Array) else join(e, found, node.span)


def _members(e: Elaborator, items: tuple[Node, ...], scope: Scope, node: Node) -> Array | Members:
    """A vector of numbers, or arrays that are to be joined; with dots, last is first with another index."""
    span, separator = node.span, separator_of(node)
    ruled = isinstance(node, Matrix) and node.ruled
    written = [n for n in items if not isinstance(n, Mark)]
    if len(written) == len(items) > 1:
        values = [e.value(n, scope) for n in items]
        if not any(v.rank for v in values):
            return _row(e, values, span)
        if len({v.rank for v in values}) == 1:
            return Members(tuple(values), False, separator, ruled, node)
    if len(written) < 2 or len(written) == len(items):
        raise NotUnderstood("unknown-notation", "a list of numbers and arrays is not read", span)
    found = _with_dots(e, written, scope, span)
    return found if found.rank < 2 else Members((found,), True, separator, ruled, node)


def _with_dots(e: Elaborator, written: list[Node], scope: Scope, span: Span) -> Array:
    """The members of a list with dots, along the first axis."""
    problem: NotUnderstood | None = None
    for period in range(1, MAX_PERIOD + 1):
        if len(written) < 2 * period or len(written) % period:
            continue
        try:
            start, end, pairs = _pattern(written, period, span)
        except NotUnderstood as found:
            problem = problem or found
            continue
        if period == 1:
            return _family(e, written[0], start, end, pairs[0], scope, span)
        return _interleaved(e, written[:period], start, end, pairs, scope, span)
    raise problem or NotUnderstood("unknown-notation", "the members of this list do not follow its first one", span)


Pairs = list[tuple[Node, Node]]


def _pattern(written: list[Node], period: int, span: Span) -> tuple[Literal, Node, list[Pairs]]:
    """The first and the last index of a list whose members repeat with a period, and where each member has it."""
    starts, ends, found = [], [], []
    for k in range(period):
        members = written[k::period]
        pairs = differences(members[0], members[-1])
        if len({(_text(a), _text(b)) for a, b in pairs}) != 1:
            raise NotUnderstood("unknown-notation", "the members of this list differ in more than one index", span)
        start, end = pairs[0]
        if not isinstance(start, Literal) or start.text not in ("0", "1"):
            raise NotUnderstood("unknown-notation", "a list that starts elsewhere than at 0 or 1", span)
        for at, member in enumerate(members[1:-1], start=int(start.text) + 1):
            if {_text(b) for _, b in differences(members[0], member)} != {str(at)}:
                raise NotUnderstood("unknown-notation", "the members of this list do not follow its first one", span)
        starts.append(start)
        ends.append(end)
        found.append(pairs)
    if len({s.text for s in starts}) != 1 or len({_text(n) for n in ends}) != 1:
        raise NotUnderstood("unknown-notation", "the members of this list do not follow its first one", span)
    return starts[0], ends[0], found


def _interleaved(
    e: Elaborator, members: list[Node], start: Literal, end: Node, pairs: list[Pairs], scope: Scope, span: Span
) -> Array:
    """`f_1, g_1, f_2, g_2, …, f_m, g_m`: position 2k is f of k, position 2k + 1 is g of k; m may be written d/2."""
    period = len(members)
    whole = _times(end, period)
    if whole is None:
        high = e.written_index(end, {**e.free, **scope}) + 1 - int(start.text)
        length = e.sizes.declared(period * high) if high.terms and not high.free else e.new_dim("list", span)
    else:
        total = e.written_index(whole, {**e.free, **scope})
        length = e.sizes.declared(total) if total.terms and not total.free else e.new_dim("list", span)
        if total.terms and not total.free:
            e.side.append(equal(remainder(total, period), 0))
    parts = [_family(e, m, start, None, own, scope, span) for m, own in zip(members, pairs, strict=True)]
    if any(p.rank != 1 for p in parts):
        raise NotUnderstood("unknown-notation", "a list of several kinds of arrays is not read", span)

    def at(where: At) -> Term:
        group, place = quotient(where[0], period), remainder(where[0], period)
        branches = [(guard(equal(place, k)), p.at((group,))) for k, p in enumerate(parts[:-1])]
        return Case(branches, parts[-1].at((group,)))

    return Array((length,), at, span=span)


def _times(end: Node, period: int) -> Node | None:
    """d of `d/2` (for a period of 2), None of anything else."""
    parts = end.parts
    is_quotient = isinstance(end, Fraction) or (isinstance(end, Infix) and end.operator == "/")
    if is_quotient and len(parts) == 2 and isinstance(parts[1], Literal) and parts[1].text == str(period):
        return parts[0]
    return None


def _family(
    e: Elaborator, first: Node, start: Literal, end: Node | None, pairs: Pairs, scope: Scope, span: Span
) -> Array:
    """The members of a list from its first one, the index replaced by a letter; `end` is the last index."""
    from derivations.latex.elaborator.indices import Variable

    name = next(c for c in "ijklrstuvw" if c not in scope and c not in e.free and c not in e.table.names.sizes)
    base = int(start.text)
    high = e.written_index(end, {**e.free, **scope}) if end is not None else Index()
    if high.free:
        raise NotUnderstood("unknown-notation", "a list whose length depends on an index is not read", span)
    dim = e.sizes.declared(high + 1 - base) if high.terms else e.new_dim("list", first.span)
    variable = Variable(e.fresh(name), base, dim, explicit=True, bound=True)
    places = frozenset(a.span for a, _ in pairs)
    body = e.value(_put(first, places, name), {**scope, name: variable})

    def at(where: At) -> Term:
        term = body.at(where[1:])
        free = where[0].free | {v for w in where[1:] for v in w.free}
        return substitute(rename_apart(term, free), {variable.name: where[0]})

    return Array((dim, *body.shape), at, body.orient if body.rank == 1 else "plain", span)


def concatenated(e: Elaborator, node: Operator, scope: Scope) -> Array:
    """`Concat(head_1, …, head_h)`: side by side along the last axis, channel c of head c // w at position c mod w."""
    found = _members(e, node.arguments, scope, node)
    if isinstance(found, Array):
        raise NotUnderstood("unknown-notation", "a concatenation of numbers is not read", node.span)
    if found.counted:
        return along_last(e, found.values[0], node.span)
    if found.rank == 1:
        return in_line(e, found, node.span)
    return in_blocks(e, found.values, found.rank - 1, node.span)


def _text(node: Node) -> str:
    return node.text if isinstance(node, Literal) else repr(bare(node))


def _put(node: Node, places: frozenset[Span], name: str) -> Node:
    """`node` with the literals at the differing places replaced by a letter."""
    if isinstance(node, Literal) and node.span in places:
        return Name(node.span, name)
    changed: dict[str, object] = {}
    for field in fields_of(node):
        value = getattr(node, field)
        if isinstance(value, Node):
            changed[field] = _put(value, places, name)
        elif isinstance(value, tuple) and any(isinstance(v, Node) for v in value):
            changed[field] = tuple(_put(v, places, name) if isinstance(v, Node) else v for v in value)
    return replace(node, **changed) if changed else node  # type: ignore[arg-type]


__all__ = ["Index", "listed", "stack"]
