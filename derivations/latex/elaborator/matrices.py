r"""Powers and inverses of square matrices: `A^2`, `A^k`, `A^{t-s}`, `M^{-1}`, `A^{-\top}`.

A written power is a product.  A power with an index is a family of matrices that is defined by recursion from the
identity.  An inverse is the kernel's own; that the matrix is invertible is for a statement to assume.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from derivations.kernel.definition import admit
from derivations.language.statement import Definition
from derivations.language.substitution import bound_variables, canonical, fresh, rename_apart, substitute, term_sizes
from derivations.language.term import (
    Bracket,
    Entry,
    Index,
    Lambda,
    Mul,
    Number,
    Pow,
    Term,
    at_least,
    equal,
    guard,
    inverse,
    sum_over,
    within,
)
from derivations.latex.lexicon.arrays import Array, At, NotUnderstood, elementwise, transpose
from derivations.latex.syntax.letters import is_transpose, letter
from derivations.latex.syntax.surface import Adjacent, Mark, Name, Node, Prefix, Span, walk

if TYPE_CHECKING:
    from derivations.latex.elaborator.elaborate import Elaborator
    from derivations.latex.elaborator.indices import Scope

MAX_FACTORS = 6
"""Longest product that a power with a number is written out as."""


def power(e: Elaborator, base: Array, exponent: Node, scope: Scope, span: Span) -> Array:
    """A power of a matrix; raises `NotUnderstood` for one that is not square or an exponent that is not whole."""
    if is_entrywise(exponent):
        return elementwise(lambda t: Pow(t, 2), base)
    _square(e, base, span)
    negative = isinstance(exponent, Prefix) and exponent.operator == "-"
    size = exponent.operand if isinstance(exponent, Prefix) else exponent
    if negative and is_transpose(size):
        return transpose(inverted(e, base))
    if not any(isinstance(n, Name) for n in walk(exponent)):
        value = e.number_of(size, scope)
        if not isinstance(value, Number) or value.value.q != 1 or not 0 <= value.value <= MAX_FACTORS:
            raise NotUnderstood("unknown-notation", "a power of a matrix with this exponent is not read", span)
        count = int(value.value.p)
        if count == 2 and not negative:
            if e.choose("power", exponent, ("of the matrix", "of its entries")) == "of its entries":
                return elementwise(lambda t: Pow(t, 2), base)
        return product(e, inverted(e, base) if negative else base, count, span)
    return family(e, inverted(e, base) if negative else base, _index(e, size, scope), span)


def is_entrywise(exponent: Node) -> bool:
    r"""`\odot 2`, `\circ 2`: the squares of the entries."""
    parts = exponent.items if isinstance(exponent, Adjacent) else ()
    return len(parts) == 2 and isinstance(parts[0], Mark) and getattr(parts[1], "text", "") == "2"


def _square(e: Elaborator, base: Array, span: Span) -> None:
    try:
        e.sizes.unify(base.shape[0], base.shape[1], span)
    except NotUnderstood:
        raise NotUnderstood("unknown-notation", "a power of an array that is not square is not read", span) from None


def inverted(e: Elaborator, base: Array) -> Array:
    """The inverse of a square matrix."""

    def at(where: At) -> Term:
        a, b = e.fresh("a"), e.fresh("b")
        matrix = Lambda((a, b), base.at((Index.var(a), Index.var(b))))
        return inverse(matrix, e.sizes.index(base.shape[0]), *where)

    return Array(base.shape, at, span=base.span)


def product(e: Elaborator, base: Array, count: int, span: Span) -> Array:
    """The product of so many factors; the identity for none."""
    if count == 0:
        return Array(base.shape, lambda at: Bracket((equal(at[0], at[1]),)), span=span)
    result = base
    for _ in range(count - 1):
        result = e.contract(result, base, span)
    return result


def _index(e: Elaborator, exponent: Node, scope: Scope) -> Index:
    """The natural number that an exponent is; its letters are indices."""
    known = e.table
    for node in walk(exponent):
        c = letter(node)
        if not isinstance(node, Name) or c is None or c in scope or c in e.free:
            continue
        w = known.names.written(node)
        if w is None or known.is_size(w) or w.stem in known.names.sizes:
            continue
        if w.stem in known.symbols or w.stem in known.declared or not c.islower() or len(c) > 1:
            raise NotUnderstood("unknown-notation", "a power of a matrix with this exponent is not read", node.span)
        variable = e.free_variable(c)
        if variable.base is None:
            variable.base, variable.natural = 0, True
    return e.written_index(exponent, {**e.free, **scope})


def family(e: Elaborator, base: Array, exponent: Index, span: Span) -> Array:
    """The power of a matrix with an index as its exponent."""
    return Array(base.shape, lambda at: Entry(*_member(e, base, exponent, at, span)), span=span)


def _member(e: Elaborator, base: Array, exponent: Index, at: At, span: Span) -> tuple[str, tuple[Index, ...]]:
    """The name and the indices of an entry of a power: those that the matrix itself depends on come first."""
    i, j = e.fresh("i"), e.fresh("j")
    body = base.at((Index.var(i), Index.var(j)))
    own = {parameter.head for parameter in e.overlay.values()}
    if not own.isdisjoint(body.heads):
        raise NotUnderstood("unknown-notation", "a power of what a function is applied to is not read", span)
    outer = tuple(sorted(body.free - {i, j}))
    key = canonical(Entry("", (), (Lambda((*outer, i, j), body),)))
    head = e.table.powers.get(key)
    if head is None:
        name = body.name if isinstance(body, Entry) else "power"
        head = e.table.powers[key] = e.table.new_head(f"{name}^")
        for made in powers_of(head, Lambda((i, j), body), e.sizes.index(base.shape[0]), outer):
            e.table.put(made, admit)
        e.table.bases[head], e.table.bases[f"{head}@{len(outer)}"] = e.table.names.document_base, 0
        e.table.styles[head] = "d" * len(outer) + "pdd"
        if name in e.table.display:
            e.table.display[head] = e.table.display[name]
    return head, (*map(Index.var, outer), exponent, *at)


def powers_of(head: str, matrix: Lambda, length: Index, outer: tuple[str, ...] = ()) -> tuple[Definition, Definition]:
    """The powers of a matrix: the identity, and the matrix times the power before."""
    i, j = matrix.params
    taken = {i, j, *outer, *matrix.free, *bound_variables(matrix.body), *term_sizes(matrix.body)}
    k = fresh("k", taken)
    c = fresh("c", {*taken, k})
    before = tuple(map(Index.var, outer))
    row, column, number = Index.var(i), Index.var(j), Index.var(k)
    left = substitute(rename_apart(matrix.body, {c, k}), {j: Index.var(c)})
    square = guard(*within(i, 0, length), *within(j, 0, length))
    start = Definition(head, (*before, Index(), row, column), Bracket((equal(row, column),)), square)
    factors = (left, Entry(head, (*before, number, Index.var(c), column)))
    body = sum_over(c, 0, length, Mul(factors))
    return start, Definition(head, (*before, number + 1, row, column), body, guard(*square, at_least(number, 0)))
