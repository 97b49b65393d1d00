"""Lists and columns with dots: `[x_1, …, x_n]` is the family whose member i is `x_i`."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING

from derivations.language.term import (
    Case,
    Index,
    Term,
    at_least,
    equal,
    guard,
    less,
    quotient,
    remainder,
    rename_apart,
    substitute,
)
from derivations.latex.arrays import Array, At, NotUnderstood
from derivations.latex.surface import Literal, Mark, Matrix, Name, Node, Span

if TYPE_CHECKING:
    from derivations.latex.elaborate import Elaborator
    from derivations.latex.indices import Scope


def stack(e: Elaborator, node: Matrix, scope: Scope) -> Array:
    """A column with vertical dots."""
    if any(len(row) != 1 for row in node.rows):
        return _triangle(e, node, scope)
    found = listed(e, tuple(row[0] for row in node.rows), scope, node.span)
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
        if [_bare(c) for c in row] != [_bare(c) for c in expected]:
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


def listed(e: Elaborator, items: tuple[Node, ...], scope: Scope, span: Span) -> Array:
    """`first, second, …, last`, where last is first with another index; raises `NotUnderstood`."""
    written = [n for n in items if not isinstance(n, Mark)]
    if len(written) < 2 or len(written) == len(items):
        raise NotUnderstood("unknown-notation", "a list of arrays without dots is not read", span)
    first, last = written[0], written[-1]
    pairs = _differences(first, last)
    ends = {(_text(a), _text(b)) for a, b in pairs}
    if len(ends) != 1:
        raise NotUnderstood("unknown-notation", "the members of this list differ in more than one index", span)
    start, end = pairs[0]
    if not isinstance(start, Literal) or start.text not in ("0", "1"):
        raise NotUnderstood("unknown-notation", "a list that starts elsewhere than at 0 or 1", span)
    for k, member in enumerate(written[1:-1], start=int(start.text) + 1):
        if {_text(b) for _, b in _differences(first, member)} != {str(k)}:
            raise NotUnderstood("unknown-notation", "the members of this list do not follow its first one", span)
    from derivations.latex.indices import Variable

    name = next(c for c in "ijklrstuvw" if c not in scope and c not in e.free and c not in e.table.names.sizes)
    base = int(start.text)
    high = e.written_index(end, {**e.free, **scope})
    dim = e.sizes.declared(high + 1 - base) if high.terms and not high.free else e.new_dim("list", span)
    variable = Variable(e.fresh(name), base, dim, explicit=True, bound=True)
    places = frozenset(a.span for a, _ in pairs)
    body = e.value(_put(first, places, name), {**scope, name: variable})

    def at(where: At) -> Term:
        term = body.at(where[1:])
        free = where[0].free | {v for w in where[1:] for v in w.free}
        return substitute(rename_apart(term, free), {variable.name: where[0]})

    return Array((dim, *body.shape), at, span=span)


def concatenated(e: Elaborator, items: tuple[Node, ...], scope: Scope, span: Span) -> Array:
    """`Concat(head_1, …, head_h)`: side by side along the last axis, channel c of head c // w at position c mod w."""
    family = listed(e, items, scope, span)
    if family.rank < 2:
        raise NotUnderstood("unknown-notation", "a concatenation of numbers is not read", span)
    count, width = family.shape[0], family.shape[-1]
    if e.sizes.is_known(count) and e.sizes.is_known(width):
        whole = e.sizes.declared(e.sizes.index(count) * e.sizes.index(width))
    else:
        whole = e.new_dim("concat", span)

    def at(where: At) -> Term:
        by = e.sizes.index(width)
        return family.at((quotient(where[-1], by), *where[:-1], remainder(where[-1], by)))

    return Array((*family.shape[1:-1], whole), at, family.orient if family.rank == 2 else "plain", span)


def _text(node: Node) -> str:
    return node.text if isinstance(node, Literal) else repr(_bare(node))


def _bare(node: object) -> object:
    """A node without its places, for comparison."""
    if isinstance(node, tuple):
        return tuple(_bare(n) for n in node)
    if isinstance(node, Node):
        return (type(node).__name__, *(_bare(getattr(node, f.name)) for f in fields(node) if f.name != "span"))
    return node


def _differences(a: Node, b: Node) -> list[tuple[Node, Node]]:
    if _bare(a) == _bare(b):
        return []
    if type(a) is type(b) and a.parts and len(a.parts) == len(b.parts):
        return [d for x, y in zip(a.parts, b.parts, strict=True) for d in _differences(x, y)]
    return [(a, b)]


def _put(node: Node, places: frozenset[Span], name: str) -> Node:
    """`node` with the literals at the differing places replaced by a letter."""
    if isinstance(node, Literal) and node.span in places:
        return Name(node.span, name)
    changed: dict[str, object] = {}
    for f in fields(node):
        value = getattr(node, f.name)
        if isinstance(value, Node):
            changed[f.name] = _put(value, places, name)
        elif isinstance(value, tuple) and f.name != "span" and any(isinstance(v, Node) for v in value):
            changed[f.name] = tuple(_put(v, places, name) if isinstance(v, Node) else v for v in value)
    return replace(node, **changed) if changed else node  # type: ignore[arg-type]


__all__ = ["Index", "listed", "stack"]
