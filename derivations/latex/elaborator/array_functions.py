"""Functions of arrays that need the whole elaborator: norms, maxima, moments, members of sets, roots of squares."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from derivations.language.term import (
    HALF,
    MINUS_ONE,
    Case,
    Entry,
    Index,
    Max,
    Number,
    Pow,
    Term,
    equal,
    guard,
    within,
)
from derivations.latex.lexicon import arrays
from derivations.latex.lexicon.arrays import Array, At, Dim, NotUnderstood
from derivations.latex.lexicon.symbol_table import MEMBERS, Symbol
from derivations.latex.lexicon.written_names import Written
from derivations.latex.syntax.letters import SQUARE, is_upper, letter
from derivations.latex.syntax.surface import Big, Chain, Enclosed, Literal, Mark, Node, Operator, Span
from derivations.notes import Note

if TYPE_CHECKING:
    from derivations.latex.elaborator.elaborate import Elaborator
    from derivations.latex.elaborator.indices import Scope


def rational(term: Term) -> Term:
    """A constant exponent as one number."""
    fraction = isinstance(term, Pow) and isinstance(term.base, Number) and term.exponent is MINUS_ONE
    if fraction and isinstance(term, Pow) and isinstance(term.base, Number) and term.base.value != 0:
        return Number(1 / term.base.value)
    return term


def norm(
    e: Elaborator, node: Enclosed, power: Node | None, scope: Scope, span: Span, which: Node | None = None
) -> Array:
    r"""`\|x\|`, `\|x\|_2^2`, `\|x\|_1`, `\|x\|_\infty`, `\|A\|_F^2`."""
    if node.content is None:
        raise NotUnderstood("unknown-notation", "empty brackets", span)
    inner = e.value(node.content, scope)
    kind = "" if which is None else which.text if isinstance(which, Literal) else letter(which) or "?"
    if inner.rank == 0 and not kind:
        size = Array((), lambda _: arrays.applied("abs")(inner.at(())), span=span)
        return size if power is None else e.raised(size, power, scope, span)
    if inner.rank == 1 and isinstance(which, Mark) and which.kind == "infinity":
        name, size_of = e.fresh("r"), e.sizes.index

        def top(_: At) -> Term:
            entry = arrays.applied("abs")(inner.at((Index.var(name),)))
            return Max(name, within(name, 0, size_of(inner.shape[0])), entry)

        largest_entry = Array((), top, span=span)
        return largest_entry if power is None else e.raised(largest_entry, power, scope, span)
    if (inner.rank, kind) not in ((1, ""), (1, "2"), (1, "1"), (2, "F")):
        raise NotUnderstood("unknown-notation", "only norms of vectors and the Frobenius norm are read", span)

    def over(of: Callable[[Term], Term], taken: At = ()) -> Term:
        if len(taken) == inner.rank:
            return of(inner.at(taken))
        return e.sum_axis(inner.shape[len(taken)], "c", lambda c: over(of, (*taken, c)))

    def square() -> Term:
        return over(lambda t: Pow(t, 2))

    if kind == "1":
        total = Array((), lambda _: over(arrays.applied("abs")), span=span)
        return total if power is None else e.raised(total, power, scope, span)
    if power is None:
        return Array((), lambda _: Pow(square(), HALF), span=span)
    if isinstance(power, Literal) and power.text.isdigit() and int(power.text) % 2 == 0:
        half = int(power.text) // 2
        return Array((), lambda _: square() if half == 1 else Pow(square(), half), span=span)
    return e.raised(Array((), lambda _: Pow(square(), HALF), span=span), power, scope, span)


def largest(e: Elaborator, node: Operator, scope: Scope) -> Array:
    r"""`\max(0, x)` entry by entry; `\max(x)` is the largest entry of a vector; `\min(x)` is `-\max(-x)`."""
    turned = arrays.minus if node.name == "min" else lambda t: t
    if len(node.arguments) == 1:
        inner = e.value(node.arguments[0], scope)
        if inner.rank != 1:
            raise NotUnderstood("unknown-notation", f"the largest entry of {inner.rank} axes is not read", node.span)
        high = e.sizes.index
        name = e.fresh("r")
        return Array(
            (),
            lambda _: turned(Max(name, within(name, 0, high(inner.shape[0])), turned(inner.at((Index.var(name),))))),
            span=node.span,
        )
    if any(isinstance(n, Mark) for n in node.arguments):
        raise NotUnderstood("unknown-notation", "the largest of a list with dots is not read", node.span)
    parts = [e.value(n, scope) for n in node.arguments]

    def largest(terms: Sequence[Term]) -> Term:
        name = e.fresh("r")
        *some, final = terms
        cases = [(guard(equal(Index.var(name), k)), turned(t)) for k, t in enumerate(some)]
        return turned(Max(name, within(name, 0, len(terms)), Case(cases, turned(final))))

    return e.broadcast(parts, largest, node.span, scalars=True)


def members_of(e: Elaborator, node: Big, part: Node, c: str) -> tuple[Dim, Callable[[Scope], Term]] | None:
    r"""`k \\in \\mathcal{N}_i`: the axis of k, and a weight for each k that is 1 in the set and 0 outside of it."""
    if not isinstance(part, Chain) or [r for r, _ in part.links] != ["in"] or letter(part.first) != c:
        return None
    chosen = part.links[0][1]
    w = e.table.names.written(chosen)
    if node.name != "sum" or w is None or not is_upper(w.stem) or w.transposed or w.power is not None:
        raise NotUnderstood("unknown-notation", "this range is not read", part.span)
    own, fixed = _members(e, w, part.span)

    def weight(inner: Scope) -> Term:
        return Entry(own.head, (*fixed, Index.var(inner[c].name)))

    return own.dims[-1], weight


def count_members(e: Elaborator, w: Written, span: Span) -> Array:
    r"""`|\\mathcal{N}_i|`: how many members a set has that sums run over."""
    own, fixed = _members(e, w, span)
    return Array((), lambda _: e.sum_axis(own.dims[-1], "k", lambda k: Entry(own.head, (*fixed, k))), span=span)


def _members(e: Elaborator, w: Written, span: Span) -> tuple[Symbol, list[Index]]:
    """The weights of a set, 1 for each of its members and 0 for others, and the places of the set in its family."""
    stem = w.stem + MEMBERS
    symbol = e.table.symbols.get(stem)
    if symbol is None:
        dims = (*(e.new_dim("set", stem, k) for k in range(len(w.slots))), e.new_dim("members", stem))
        symbol = Symbol(stem, e.table.new_head(f"in_{w.stem}"), dims, base=e.table.names.document_base)
        symbol.styles = "d" * len(dims)
        e.table.symbols[stem] = symbol
    e.used[stem] = symbol
    if len(symbol.dims) != len(w.slots) + 1 or any(s.node is None for s in w.slots):
        raise NotUnderstood("unknown-notation", "this range is not read", span)
    e.readings.append(Note("members", (w.stem,)))
    own = symbol
    return own, [e.place_on(s.node, own.base, d, e.free) for s, d in zip(w.slots, own.dims, strict=False) if s.node]


def square_of(e: Elaborator, w: Written) -> Symbol | None:
    r"""The defined symbol `\\sigma^2` of which a bare `\\sigma`, which nothing defines, is the root."""
    if w.stem not in e.table.names.squares or w.stem in e.overlay or w.stem in e.table.declared:
        return None
    found: list[Symbol | None] = []
    for stem in (w.stem, w.stem + SQUARE):
        known = e.table.find_stem(stem)
        if known is None and e.table.later is not None and e.table.later(stem):
            known = e.table.find_stem(stem)
        found.append(known)
    own, square = found
    if square is None or not square.defined or square.parameters is not None:
        return None
    if own is not None and (own.defined or own.dims or own.parameters is not None):  # not only the s of `s > 0`
        return None
    if len(square.dims) != len(w.slots):
        return None
    e.used[square.stem] = square
    e.readings.append(Note("root-of-square", (w.stem,)))
    return square
