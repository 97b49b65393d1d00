"""Products of what is written side by side, with or without a dot: of numbers, of vectors, of matrices, and calls among them."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from derivations.latex.elaborator import calls, derivatives
from derivations.latex.elaborator.conditions import indicator
from derivations.latex.elaborator.indices import Scope
from derivations.latex.lexicon.arrays import Array, NotUnderstood, times
from derivations.latex.lexicon.name_roles import uses
from derivations.latex.lexicon.written_names import Written
from derivations.latex.passes.means import count_of
from derivations.latex.syntax.function_names import arguments_of
from derivations.latex.syntax.letters import GREEK, is_upper, letter
from derivations.latex.syntax.notation import TRIGONOMETRIC
from derivations.latex.syntax.surface import (
    Adjacent,
    Chain,
    Enclosed,
    Fraction,
    Infix,
    Listed,
    Literal,
    Mark,
    Matrix,
    Name,
    Node,
    Operator,
    Scripted,
    bare,
    starts_with_digit,
    walk,
)
from derivations.notes import Note

if TYPE_CHECKING:
    from derivations.latex.elaborator.elaborate import Elaborator


def product(e: Elaborator, node: Adjacent, scope: Scope) -> Array:
    """The value of what stands side by side."""
    factors: list[Array] = []
    items = list(node.items)
    head: Node | None = None
    while items:
        before, head = head, items.pop(0)
        if isinstance(before, Literal) and starts_with_digit(head):
            raise NotUnderstood("unknown-notation", "two numbers beside each other are no product", head.span)
        if items and (angle := _angle(e, head, items[0])) is not None:
            items.pop(0)
            head = angle
        after = items[0] if items else None
        if derivatives.is_operator(head) and isinstance(head, Fraction) and items:
            body = items[0] if len(items) == 1 else Adjacent(node.span, tuple(items))
            factors.append(derivatives.applied(e, head, body, scope))
            break
        if derivatives.is_gradient(head) and items:
            factors.append(derivatives.gradient(e, head, items, scope))
            continue
        if after is not None and (bracket := _indicator_beside(e, head, after, scope)) is not None:
            items.pop(0)
            factors.append(bracket)
            continue
        w = e.table.names.written(head)
        inner = after.base if isinstance(after, Scripted) else after
        if w is not None and isinstance(inner, Enclosed) and inner.kind == "()" and _is_function(e, w, inner):
            items.pop(0)
            found = e.call(w, inner, scope)
            if isinstance(after, Scripted):
                slots, transposed, power = e.table.names.generic_slots(after)
                known = e.table.find(w)
                base = known.base if known is not None and known.parameters is not None else None
                found = e.with_scripts(found, slots, transposed, power, scope, after.span, base)
            factors.append(found)
            continue
        if w is not None and isinstance(inner, Enclosed) and inner.kind == "()" and not _is_entry(after, inner):
            _refuse_arguments(e, w, inner, scope)
        count = count_of(before, head)
        factors.append(_factor(e, head, scope) if count is None else averaged(e, count, head, scope))
    return _multiply(e, factors, node)


def _is_entry(after: Node | None, inner: Enclosed) -> bool:
    """Whether parentheses only keep two subscripts apart: `(G_A)_{il}`."""
    is_below = isinstance(after, Scripted) and after.sub is not None and after.sup is None
    return is_below and isinstance(inner.content, Scripted) and inner.content.sub is not None


def _refuse_arguments(e: Elaborator, w: Written, inner: Enclosed, scope: Scope) -> None:
    r"""What stands before a bound letter or a number in parentheses, `p(x)`, may be applied to it, as may an entry before
    what it is computed from: `p_i(2z)` for a p that depends on z.  Nobody puts a name alone in parentheses to multiply by
    it: that `\mu_\theta` stands somewhere without an argument makes no product of `\mu_\theta(x)`."""
    symbol = e.table.find(w)
    is_array = w.stem in e.table.declared or w.stem in e.table.rows or e.table.is_size(w)
    own = e.table.names.written(inner.content) if inner.content is not None else None
    if own is not None and own.stem == w.stem:  # \mu_k (\mu_k)^\top: nothing is applied to itself
        return
    if w.transposed or (own is not None and own.power is not None):  # b^\top (N^{-1})^\top: no row is applied
        return
    if not is_array and own is not None:
        raise NotUnderstood("ambiguous", f"whether {w.stem} is applied to this or multiplied by it", inner.span)
    number = inner.content.parts if isinstance(inner.content, Fraction) else (inner.content,)
    if letter(inner.content) in scope or all(isinstance(n, Literal) for n in number):  # Y_i(0), p(1/2)
        raise NotUnderstood("ambiguous", f"whether {w.stem} is applied to this or multiplied by it", inner.span)
    if symbol is None or not symbol.defined or not w.slots or inner.content is None:
        return
    names = [n for n in uses(e.table.names, inner.content) if n.stem not in e.free]
    whole = [n for n in names if not n.slots and n.stem in symbol.speaks_of and e.lookup(n).dims]
    if whole and all(n.stem in symbol.speaks_of or e.table.is_size(n) for n in names):
        needed = f"whether {w.stem} is applied to {whole[0].stem} or multiplied by it is not said"
        raise NotUnderstood("ambiguous", needed, inner.span)


def averaged(e: Elaborator, count: Node | None, node: Node, scope: Scope) -> Array:
    """A sum of which a quotient says how many terms it has, where nothing else says so."""
    w = e.table.names.written(count) if count is not None else None
    if w is not None and e.table.is_size(w):
        e.mean = node, e.sizes.declared(e.size(w.stem))
    return e.value(node, scope)


def _factor(e: Elaborator, node: Node, scope: Scope) -> Array:
    """A factor of a product of several: there `[H_1, …, H_r]` is a block matrix, on its own a stack."""
    found = e.value(node, scope)
    row = node.rows[0] if isinstance(node, Matrix) and len(node.rows) == 1 else ()
    if isinstance(node, Enclosed) and node.kind == "[]" and isinstance(node.content, Listed):
        row = node.content.items
    if found.rank == 3 and any(isinstance(n, Mark) for n in row):
        from derivations.latex.elaborator.joined_lists import along_last

        return along_last(e, found, node.span)
    return found


def _angle(e: Elaborator, head: Node, after: Node) -> Node | None:
    r"""`\cos (m - n) \theta` is the cosine of an angle: positions in the parentheses, and a Greek letter after them."""
    base = after.base if isinstance(after, Scripted) else after
    if not (isinstance(head, Operator) and head.name in TRIGONOMETRIC and len(head.arguments) == 1):
        return None
    if head.bare or not isinstance(base, Name) or base.base not in GREEK:
        return None
    (inner,) = head.arguments
    letters = [n for n in walk(inner) if not n.parts]
    if not isinstance(inner, Infix) or inner.operator not in ("+", "-"):
        return None
    if not all(isinstance(n, Literal) or ((c := letter(n)) is not None and c not in GREEK) for n in letters):
        return None
    if e.choose("angle", head, ("the whole angle", "the parentheses alone")) != "the whole angle":
        return None
    whole = Adjacent((inner.span[0], after.span[1]), (Enclosed(inner.span, "()", inner), after))
    return replace(head, span=(head.span[0], after.span[1]), arguments=(whole,))


def _indicator_beside(e: Elaborator, head: Node, after: Node, scope: Scope) -> Array | None:
    """`\\mathbb{I}(j \\le i)`, `\\mathbf{1}[j \\le i]`."""
    if not isinstance(head, Name) or head.base not in ("I", "1") or not isinstance(after, Enclosed):
        return None
    if not isinstance(after.content, Chain):
        return None
    return indicator(e, after.content, scope)


def _is_function(e: Elaborator, w: Written, arguments: Enclosed) -> bool:
    content = arguments.content
    nodes, signs = arguments_of(arguments)
    if signs and e.table.names.overloaded(w.stem, len(nodes), signs) in e.table.names.functions:
        return True
    symbol = e.overlay.get(w.stem) or e.table.function(w, nodes)
    names = e.table.names
    member = bool(w.slots) and w.stem in names.members_applied and w.stem not in e.table.declared
    if symbol is not None:
        called = symbol.parameters is not None or symbol.call is not None
        is_given = not symbol.defined and w.stem not in e.overlay
        return called or (member and is_given) or calls.is_only_named(e, w, symbol)
    if w.stem in names.functions | names.maps | names.said_functions or isinstance(content, Listed):
        return True
    if w.slots and isinstance(content, Infix) and content.operator in ("+", "-"):
        return False  # a_i (v_i - c)
    declared = w.stem in e.table.declared or w.stem in e.table.rows or e.table.is_size(w)
    if declared or w.stem in e.free or (is_upper(w.stem) and "_" in w.stem):
        return False
    if letter(content) in names.index_letters:
        return True  # p(i): nobody puts an index alone in parentheses to multiply by it
    return not names.evidence[w.stem].alone or (member if w.slots else w.stem in names.applied)


def _multiply(e: Elaborator, factors: list[Array], node: Node) -> Array:
    """A product of things written side by side, from the left."""
    result = factors[0]
    for k, nxt in enumerate(factors[1:], start=2):
        result = multiply_pair(e, result, nxt, node, last=k == len(factors))
    return result


def multiply_pair(e: Elaborator, a: Array, b: Array, node: Node, *, last: bool = True, dotted: bool = False) -> Array:
    """The product of two arrays, as their ranks and their lying or standing say."""
    span = node.span
    if a.rank == 0 and b.rank == 0:
        return Array((), lambda _: times(a.at(()), b.at(())), span=span)
    if a.rank == 0:
        return e.scale(a, b, span)
    if b.rank == 0:
        return e.scale(b, a, span)
    if a.rank == 1 and b.rank == 1:
        return _multiply_vectors(e, a, b, node, last=last, dotted=dotted)
    from derivations.latex.elaborator.written_matrices import with_one_row

    if {a.rank, b.rank} == {1, 2} and (made := with_one_row(e, a, b, span)) is not None:
        return made
    if a.rank == 1 and a.orient == "column" and b.rank == 2:
        raise NotUnderstood("shape-conflict", "a column times a matrix", span)
    if b.rank == 1 and b.lying and a.rank == 2 and b.orient == "row":
        raise NotUnderstood("shape-conflict", "a matrix times a row", span)
    return e.contract(a, b, span)


def _multiply_vectors(e: Elaborator, a: Array, b: Array, node: Node, *, last: bool, dotted: bool) -> Array:
    span = node.span
    if dotted:
        return e.dot(a, b, span)
    if a.lying and not b.lying:
        if _is_product_of_lists(node) and e.choose("list", node, ("columns", "rows"), even=True) == "rows":
            raise NotUnderstood("ambiguous", "a column times a row, where lists are rows", span)
        return e.dot(a, b, span)
    if a.orient == "row" and b.orient == "transposed":  # rows are declared: the transposed one stands upright
        return e.dot(a, b, span)
    if a.orient in ("column", "plain") and b.orient == "row":
        return e.outer(a, b, span)
    if a.orient == "column" and b.lying:
        return e.outer(a, b, span)
    if a.orient == "plain" and b.orient in ("transposed", "column"):
        if e.expected is not None and last:
            settled = "dot" if e.expected == 0 else "outer" if e.expected == 2 else None
        else:
            settled = None
        rows = e.table.rows_are_vectors or e.entries_of_matrix
        options = ("dot", "outer") if rows or b.orient == "column" else ("outer", "dot")
        lengths = [e.sizes.index(d) for d in (a.shape[0], b.shape[0]) if e.sizes.is_known(d)]
        if len(lengths) == 2 and lengths[0] is not lengths[1] and all(n.plain for n in lengths):
            settled = settled or "outer"
        if e.table.tokens_stated:
            settled = settled or options[0]
        taken = e.choose("vectors", node, options, settled)
        if taken == "outer" and _are_rows_of_capitals(e, node):
            e.readings.append(Note("rows-multiplied"))
        return e.dot(a, b, span) if taken == "dot" else e.outer(a, b, span)
    raise NotUnderstood("ambiguous", "a product of two vectors that is neither a dot nor an outer product", span)


def _are_rows_of_capitals(e: Elaborator, node: Node) -> bool:
    """`Q_h K_h^T` of rows of two matrices, which may be meant as matrices, those of the head h."""
    written = [e.table.names.written(n) if isinstance(n, Scripted) else None for n in node.parts]
    for one, other in pairwise(written):
        if one is not None and other is not None and other.transposed and is_upper(one.stem) and is_upper(other.stem):
            if one.slots and [bare(s.node) for s in one.slots] == [bare(s.node) for s in other.slots]:
                return True
    return False


def may_be_vectors(e: Elaborator, left: Node, right: Node) -> bool:
    r"""Whether nothing tells if names are numbers or vectors: one of them stands in dots alone, `q_i \cdot k_j`."""
    one = left.items[-1] if isinstance(left, Adjacent) else left
    other = right.items[0] if isinstance(right, Adjacent) else right
    return any(_is_untold(e, n) for n in (one, other))


def _is_untold(e: Elaborator, node: Node) -> bool:
    w = e.table.names.written(node)
    symbol = None if w is None else e.table.find(w)
    told = symbol is None or symbol.defined or symbol.stem in e.table.declared
    return not told and w is not None and w.stem in e.table.names.in_dots_alone


def _is_product_of_lists(node: Node) -> bool:
    r"""`[1, 0, 1]^\top [1, 2, 3]`: nothing says whether lists are rows or columns."""
    if not isinstance(node, Adjacent):
        return False
    factors = [n.base if isinstance(n, Scripted) else n for n in node.items]
    return all(isinstance(n, Enclosed) and n.kind == "[]" and isinstance(n.content, Listed) for n in factors)
