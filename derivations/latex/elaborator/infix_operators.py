"""What stands between two expressions: sums, differences, quotients, and products with a sign of their own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from derivations.language.term import IndexValue
from derivations.latex.elaborator.indices import Scope
from derivations.latex.elaborator.products import averaged, may_be_vectors, multiply_pair
from derivations.latex.lexicon import arrays
from derivations.latex.lexicon.arrays import Array, NotUnderstood, elementwise, plus, quotient, times
from derivations.latex.lexicon.name_roles import uses
from derivations.latex.passes.means import count_below
from derivations.latex.syntax.surface import Adjacent, Enclosed, Infix, Literal, Mark, Name, Node, Operator, Words
from derivations.notes import Note

if TYPE_CHECKING:
    from derivations.latex.elaborator.elaborate import Elaborator


QUOTIENT = "the whole product below"
"""How `a/b c` is read unless another reading is asked for; the other one is (a/b) c."""


def _is_gated(e: Elaborator, left: Node, right: Node) -> bool:
    r"""`x \cdot \sigma(x)` in what a function of x is: the argument times a function of it, which acts on numbers."""
    names = e.table.names
    for own, other in ((left, right), (right, left)):
        w = names.written(own) if isinstance(own, Name) else None
        if w is None or w.stem not in e.overlay:
            continue
        head = other.items[0] if isinstance(other, Adjacent) and len(other.items) == 2 else None
        called = None if head is None else names.written(head)
        acts_on_entries = isinstance(other, Operator) or (called is not None and called.stem in names.activations)
        if acts_on_entries and {u.stem for u in uses(names, other)} - {called.stem if called else ""} == {w.stem}:
            return True
    return False


def infix(e: Elaborator, node: Infix, scope: Scope) -> Array:
    """The value of two expressions with a sign between them."""
    op = node.operator
    if op in e.table.entrywise and op not in ("+", "-", "/"):
        node, op = replace(node, operator="odot"), "odot"
    if op in ("+", "-"):
        mark = _mark(e)
        parts = [(sign, e.value(n, scope)) for sign, n in _summands(node)]
        if {p.rank for _, p in parts} == {0, 2}:
            are_numbers = [p.rank == 0 for _, p in parts]
            _undo(e, mark)  # what a dot product has told of lengths is not so for an outer one
            parts = [
                (sign, _beside_matrix(e, n, scope) if is_number else e.value(n, scope))
                for is_number, (sign, n) in zip(are_numbers, _summands(node), strict=True)
            ]
        if {p.rank for _, p in parts} == {1, 2}:
            whole = next(p for _, p in parts if p.rank == 2)
            parts = [(sign, p if p.rank == 2 else _along(e, p, whole, node)) for sign, p in parts]
        signed = [elementwise(arrays.minus, p) if sign else p for sign, p in parts]
        mixed = len({p.rank for p in signed}) > 1
        if mixed:
            e.readings.append(Note("number-to-entries"))
        return e.broadcast(signed, lambda terms: plus(*terms), node.span, scalars=True)
    if op in ("cdot", "times", "ast", "@"):
        a, b = e.value(node.left, scope), e.value(node.right, scope)
        if op == "cdot" and a.rank == b.rank == 1 and _is_gated(e, node.left, node.right):
            needed = "whether the dot is a scalar product, or is taken entry by entry, is not said"
            raise NotUnderstood("ambiguous", needed, node.span)
        if op == "ast" and a.rank == b.rank == 1 and a.lying == b.lying:
            e.readings.append(Note("star-of-entries"))
            return e.broadcast([a, b], lambda t: times(*t), node.span, scalars=False)
        if op == "cdot" and a.rank == b.rank == 0 and may_be_vectors(e, node.left, node.right):
            if e.choose("dot", node, ("of numbers", "of vectors"), even=True) == "of vectors":
                raise NotUnderstood("ambiguous", "nothing says that these are vectors", node.span)
        return multiply_pair(e, a, b, node, dotted=op == "cdot" and a.rank == b.rank == 1)
    if op == "/":
        below = node.right
        if isinstance(below, Adjacent) and _is_product(below):
            if e.choose("quotient", node, (QUOTIENT, "its first factor below")) != QUOTIENT:
                first = Infix((node.span[0], below.items[0].span[1]), "/", node.left, below.items[0])
                return e.value(Adjacent(node.span, (Enclosed(first.span, "()", first), *below.items[1:])), scope)
        above = averaged(e, count_below(node), node.left, scope)
        return divide(e, above, e.value(below, scope), node)
    if op == "odot":
        a, b = _beside_lines(e, e.value(node.left, scope), e.value(node.right, scope), node)
        return e.broadcast([a, b], lambda t: times(*t), node.span, scalars=0 in (a.rank, b.rank))
    if op == "otimes":
        a, b = e.value(node.left, scope), e.value(node.right, scope)
        if a.rank == b.rank == 1:
            e.readings.append(Note("outer-product"))
            return e.outer(a, b, node.span)
    if op == "mod":  # of indices and lengths
        value = e.written_index(node, {**e.free, **scope})
        return Array((), lambda _: IndexValue(value), span=node.span)
    raise NotUnderstood("unknown-notation", f"the operator {op} is not read", node.span)


def _along(e: Elaborator, vector: Array, matrix: Array, node: Node, note: str = "vector-to-lines") -> Array:
    """A vector beside a matrix, `x W + b`: the same in every row; in every column where the lengths say so."""
    length, rows, columns = (e.sizes.index(s) for s in (vector.shape[0], *matrix.shape))
    settled = None
    if rows is not columns and length in (rows, columns):
        settled = "row" if length is columns else "column"
    if vector.across:
        settled = "column"
    which = e.choose("added vector", node, ("row", "column"), settled)
    e.readings.append(Note(note, (which,)))
    own = -1 if which == "row" else 0
    e.sizes.unify(vector.shape[0], matrix.shape[own], node.span)
    return Array(matrix.shape, lambda at: vector.at((at[own],)), matrix.orient, vector.span)


def _beside_lines(e: Elaborator, a: Array, b: Array, node: Node) -> tuple[Array, Array]:
    r"""The factors of `\gamma \odot X`, where a vector stands beside a matrix: it is meant for every row of it."""
    match a.rank, b.rank:
        case 1, 2:
            return _along(e, a, b, node, "vector-times-lines"), b
        case 2, 1:
            return a, _along(e, b, a, node, "vector-times-lines")
    return a, b


def _beside_matrix(e: Elaborator, node: Node, scope: Scope) -> Array:
    r"""`p p^\top` in `\mathrm{diag}(p) - p p^\top`: a matrix too, where it can be one."""
    outer, e.expected = e.expected, 2
    mark = _mark(e)
    try:
        found = e.value(node, scope)
    except NotUnderstood:
        found = None
    finally:
        e.expected = outer
    if found is not None and found.rank == 2:
        return found
    _undo(e, mark)
    return e.value(node, scope)


def _mark(e: Elaborator) -> tuple[int, int, int]:
    """What has been told of lengths, chosen and noted so far."""
    return e.sizes.mark(), len(e.taken), len(e.readings)


def _undo(e: Elaborator, mark: tuple[int, int, int]) -> None:
    sizes, taken, noted = mark
    e.sizes.undo(sizes)
    del e.taken[taken:], e.readings[noted:]


def divide(e: Elaborator, a: Array, b: Array, node: Node) -> Array:
    """A quotient by a number, or of arrays entry by entry; a vector below a matrix divides every row of it."""
    if b.rank == 0:
        return Array(a.shape, lambda at: quotient(a.at(at), b.at(())), a.orient, node.span)
    if a.rank == 2 and b.rank == 1:
        b = _along(e, b, a, node, "quotient-of-lines")
    elif a.rank == b.rank and a.rank <= 2:
        e.readings.append(Note("quotient-of-entries"))
    else:
        raise NotUnderstood("unknown-notation", "a division by an array is not read", node.span)
    return e.broadcast([a, b], lambda t: quotient(*t), node.span, scalars=False)


def _is_product(node: Adjacent) -> bool:
    """Several factors, and no call `f(x)`."""
    first, second = node.items[0], node.items[1]
    call = isinstance(second, Enclosed) and not isinstance(first, Literal)
    return not call and not any(isinstance(n, Words | Mark) for n in node.items)


def _summands(node: Node, minus: bool = False) -> Iterator[tuple[bool, Node]]:
    if isinstance(node, Infix) and node.operator in ("+", "-"):
        yield from _summands(node.left, minus)
        yield from _summands(node.right, minus != (node.operator == "-"))
        return
    yield minus, node
