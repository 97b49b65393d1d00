r"""How the members of a list are joined: `[x_1, \dots, x_n]` has vectors for rows or for columns, or one after the other.

Brackets do not tell.  What tells is how the members are written (`x_1^\top`, `&`, `;`, lines), the stated shape of the
list, what the text says of rows and columns.  Where several ways stay, the list is a choice that is as good in each way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from derivations.language.term import Case, Index, Term, equal, guard, less, quotient, remainder
from derivations.latex.lexicon.arrays import Array, At, Dim, ListShape, NotUnderstood, transpose
from derivations.latex.syntax.letters import FAMILY
from derivations.latex.syntax.surface import Enclosed, Listed, Mark, Matrix, Name, Node, Scripted, Span

if TYPE_CHECKING:
    from derivations.latex.elaborator.elaborate import Elaborator

ROWS, COLUMNS = "rows", "columns"
IN_LINE = "one after the other"
SIDE_BY_SIDE, ON_TOP, STACK = "side by side", "one below the other", "a stack"
CHOICE = "members"
"""What a choice of one of these ways is called."""


@dataclass(frozen=True, slots=True)
class Members:
    """Arrays of one rank in a list; `counted` for a family with dots, whose first axis is their number."""

    values: tuple[Array, ...]
    counted: bool
    separator: str
    """`,`, `;`, `|`; in matrices `&` and `\\\\`."""
    ruled: bool = False
    node: Node | None = None

    @property
    def rank(self) -> int:
        return self.values[0].rank - self.counted

    @property
    def stand(self) -> str:
        """How the members stand, where they are vectors."""
        ways = {v.orient for v in self.values}
        return ways.pop() if len(ways) == 1 else "plain"

    @property
    def below(self) -> bool:
        """Whether they are written one below the other."""
        return self.separator in (";", "\\\\")


def shape_of_list(e: Elaborator, right: Node, dims: tuple[Dim, ...] | None, usual: int | None = None) -> None:
    """Tell what is stated of the shape of a right side, where that is a list, perhaps under a transpose sign."""
    node = right
    if isinstance(node, Scripted) and e.table.names.generic_slots(node) == ((), True, None):
        node, dims = node.base, dims[::-1] if dims is not None else None
    if isinstance(node, Enclosed | Matrix):
        e.list_shape = ListShape(node.span, dims, usual)


def standing_list(e: Elaborator, right: Node, value: Array) -> Array:
    r"""The value of a right side, which is a column where that is a list with a transpose sign: `x = (x_1, …, x_n)^\top`."""
    listed = right.base if isinstance(right, Scripted) else None
    if not isinstance(right, Scripted) or not isinstance(listed, Enclosed) or listed.kind not in ("()", "[]"):
        return value
    content = listed.content
    is_list = isinstance(content, Listed) or (isinstance(content, Name) and content.base in ("0", "1"))
    turned = value.orient == "transposed" and e.table.names.generic_slots(right) == ((), True, None)
    return replace(value, orient="column") if turned and is_list else value


def separator_of(node: Node) -> str:
    """What stands between the members of a list, or of a matrix with one row or one column."""
    if isinstance(node, Enclosed) and isinstance(node.content, Listed):
        return node.content.separator
    return "&" if isinstance(node, Matrix) and len(node.rows) == 1 else "\\\\"


def join(e: Elaborator, members: Members, span: Span) -> Array:
    """The array that a list of vectors or of matrices is."""
    if members.rank == 1:
        return _joined_vectors(e, members, span)
    if members.rank == 2:
        return _joined_matrices(e, members, span)
    raise NotUnderstood("unknown-notation", "a list of such arrays is not read", span)


# --- vectors ----------------------------------------------------------------------------------------------------------


def _joined_vectors(e: Elaborator, members: Members, span: Span) -> Array:
    way = _way(e, members, span)
    if way == IN_LINE:
        return in_line(e, members, span)
    found = _as_rows(e, members, span)
    return transpose(found) if way == COLUMNS else found


def _way(e: Elaborator, members: Members, span: Span) -> str:
    """How vectors are joined: settled by what is said, or else chosen."""
    node = members.node
    written, firm = _ways_written(e, members)
    said = _said(e, span)
    fitting = _fitting(e, {w: _shape(e, members, w) for w in (ROWS, COLUMNS, IN_LINE)}, said.dims)
    options = tuple(w for w in written if w in fitting) or (written if firm else fitting) or written
    if said.dims is None and said.usual == 2 and len(options) > 2:
        options = tuple(w for w in options if w != IN_LINE)  # nobody calls a vector what looks like a matrix
    settled = options[0] if len(options) == 1 else e.list_words if e.list_words in options else None
    if settled is None and e.table.tokens_stated:
        tokens = COLUMNS if e.table.columns_are_tokens else ROWS if e.table.rows_are_vectors else None
        settled = tokens if tokens in options else None
    if node is None:
        return settled or options[0]
    return e.choose(CHOICE, node, options, settled, even=True)


def _said(e: Elaborator, span: Span) -> ListShape:
    return e.list_shape if e.list_shape is not None and e.list_shape.span == span else ListShape(span, None)


def _ways_written(e: Elaborator, members: Members) -> tuple[tuple[str, ...], bool]:
    """The ways that the notation leaves open, the usual one first, and whether only a rank may overrule it."""
    lying, standing = members.stand in ("row", "transposed"), members.stand == "column"
    if members.ruled:
        return (ROWS if members.below else COLUMNS,), True
    if members.separator in ("&", "|"):
        return (IN_LINE if lying else COLUMNS,), lying or standing
    if members.below and (lying or standing):
        return (ROWS if lying else IN_LINE,), lying
    named = _named_parts(e, members)
    if named is not None and not lying:
        return (named,), False
    usual = ROWS if members.counted else IN_LINE
    possible = (ROWS, IN_LINE) if lying or members.below else (ROWS, COLUMNS, IN_LINE)
    return (usual, *(w for w in possible if w != usual)), False


def _named_parts(e: Elaborator, members: Members) -> str | None:
    """What the text calls these members of a matrix: its rows or its columns."""
    content = members.node.content if isinstance(members.node, Enclosed) else None
    first = content.items[0] if isinstance(content, Listed) else None
    w = e.table.names.written(first) if first is not None else None
    if w is None:
        return None
    return ROWS if w.stem in e.table.rows else COLUMNS if w.stem in e.table.columns else None


def _shape(e: Elaborator, members: Members, way: str) -> tuple[Index | None, ...]:
    """The lengths of the axes of vectors joined in some way, None for one that is not known."""
    count, widths = _count(e, members), [_known(e, v.shape[-1]) for v in members.values]
    if way == ROWS:
        return (count, widths[0])
    if way == COLUMNS:
        return (widths[0], count)
    known = [w for w in widths if w is not None]
    if len(known) < len(widths) or (members.counted and count is None):
        return (None,)
    return (count * known[0] if members.counted and count is not None else sum(known, Index()),)


def _count(e: Elaborator, members: Members) -> Index | None:
    return _known(e, members.values[0].shape[0]) if members.counted else Index.of(len(members.values))


def _known(e: Elaborator, dim: Dim) -> Index | None:
    return e.sizes.index(dim) if e.sizes.is_known(dim) else None


def _fitting(
    e: Elaborator, shapes: dict[str, tuple[Index | None, ...]], said: tuple[Dim, ...] | None
) -> tuple[str, ...]:
    """The ways whose shape is the stated one; where some certainly are, those alone."""
    if said is None:
        return tuple(shapes)
    stated = [_known(e, d) for d in said]
    found: dict[str, bool] = {}
    for way, shape in shapes.items():
        if len(shape) != len(stated):
            continue
        same = [_same(a, b) for a, b in zip(shape, stated, strict=True)]
        if False not in same:
            found[way] = all(same)
    return tuple(w for w, sure in found.items() if sure or not any(found.values()))


def _same(a: Index | None, b: Index | None) -> bool | None:
    """Whether two lengths are the same; None where that is not known."""
    if a is None or b is None:
        return None
    return True if a is b else False if a.plain and b.plain else None


def _as_rows(e: Elaborator, members: Members, span: Span) -> Array:
    """The matrix that has these vectors for rows."""
    if members.counted:
        return replace(members.values[0], orient="plain", span=span)
    for v in members.values[1:]:
        e.sizes.unify(members.values[0].shape[0], v.shape[0], span)

    def at(where: At) -> Term:
        k, i = where
        if k.is_constant and 0 <= k.const < len(members.values):
            return members.values[k.const].at((i,))
        *most, last = (v.at((i,)) for v in members.values)
        return Case([(guard(equal(k, n)), t) for n, t in enumerate(most)], last)

    count = e.sizes.declared(Index.of(len(members.values)))
    return Array((count, members.values[0].shape[0]), at, span=span)


def in_line(e: Elaborator, members: Members, span: Span) -> Array:
    """Vectors one after the other: a vector, however they stand."""
    if members.counted:
        return along_last(e, members.values[0], span)
    orient = "row" if members.stand in ("row", "transposed") and members.separator == "&" else "column"
    return replace(in_blocks(e, members.values, 0, span), orient=orient)


# --- matrices ---------------------------------------------------------------------------------------------------------


def _joined_matrices(e: Elaborator, members: Members, span: Span) -> Array:
    way = _way_of_blocks(e, members, span)
    if way == STACK:
        return members.values[0]
    axis = 0 if way == ON_TOP else 1
    if not members.counted:
        return in_blocks(e, members.values, axis, span)
    return along_last(e, members.values[0], span) if axis else _along_first(e, members.values[0], span)


def _way_of_blocks(e: Elaborator, members: Members, span: Span) -> str:
    """How matrices are joined; a list with dots of which nothing is said is a stack of them."""
    said = _said(e, span).dims
    if not members.counted and said is None and isinstance(members.node, Enclosed) and not _are_told(e, members.node):
        raise NotUnderstood("unknown-notation", "a list of what may be matrices is not read", span)
    beside = ON_TOP if members.below else SIDE_BY_SIDE
    other = SIDE_BY_SIDE if members.below else ON_TOP
    if members.counted and said is None:
        return beside if _is_parted(e, members) else STACK
    if members.separator != ",":
        return beside if said is None or len(said) == 2 else STACK
    ways = {w: _shape_of_blocks(e, members, w) for w in (beside, other)}
    if members.counted:
        ways[STACK] = tuple(_known(e, d) for d in members.values[0].shape)
    options = _fitting(e, ways, said)
    if not options:
        raise NotUnderstood("shape-conflict", "these matrices have not the stated shape together", span)
    if members.node is None or len(options) == 1:
        return options[0]
    return e.choose(CHOICE, members.node, options, even=True)


def _are_told(e: Elaborator, node: Enclosed) -> bool:
    """Whether more than a habit tells that the members of `[A, B]` are matrices, and no tuple of them is meant."""
    items = node.content.parts if isinstance(node.content, Listed) else ()
    return node.kind == "[]" and all(is_told(e, n) for n in items)


def is_told(e: Elaborator, node: Node) -> bool:
    """Whether more than a habit tells that a name is an array."""
    w = e.table.names.written(node)
    if w is None:
        return False
    known = e.table.find(w)
    return (
        w.bold or w.transposed or w.stem in e.table.declared or (known is not None and (known.defined or known.exact))
    )


def _is_parted(e: Elaborator, members: Members) -> bool:
    """Whether the members have the name of the whole: `W = [W_1, …, W_h]`."""
    content = members.node.content if isinstance(members.node, Enclosed) else None
    if not isinstance(members.node, Enclosed) or members.node.kind != "[]" or not isinstance(content, Listed):
        return False
    named = [e.table.names.written(n) for n in content.items if not isinstance(n, Mark)]
    return all(w is not None and w.stem.endswith(FAMILY) for w in named)


def _shape_of_blocks(e: Elaborator, members: Members, way: str) -> tuple[Index | None, ...]:
    axis = 0 if way == ON_TOP else 1
    own = [[_known(e, d) for d in v.shape[-2:]] for v in members.values]
    along, count = [shape[axis] for shape in own], _count(e, members)
    known = [n for n in along if n is not None]
    whole: Index | None = None
    if len(known) == len(along) and not members.counted:
        whole = sum(known, Index())
    elif known and count is not None:
        whole = count * known[0]
    return (whole, own[0][1]) if way == ON_TOP else (own[0][0], whole)


def in_blocks(e: Elaborator, values: Sequence[Array], axis: int, span: Span) -> Array:
    """Arrays one after the other along an axis; the other axes are the same."""
    lengths = [v.shape[axis] for v in values]
    for v in values[1:]:
        for k, dim in enumerate(v.shape):
            if k != axis:
                e.sizes.unify(values[0].shape[k], dim, span)
    if all(e.sizes.is_known(d) for d in lengths):
        whole = e.sizes.declared(sum((e.sizes.index(d) for d in lengths), Index()))
    else:
        whole = e.new_dim("joined", span)

    def at(where: At) -> Term:
        starts = [Index()]
        for d in lengths[:-1]:
            starts.append(starts[-1] + e.sizes.index(d))
        places = [(*where[:axis], where[axis] - start, *where[axis + 1 :]) for start in starts]
        parts = [v.at(place) for v, place in zip(values, places, strict=True)]
        branches = [(guard(less(where[axis], end)), p) for end, p in zip(starts[1:], parts, strict=False)]
        return Case(branches, parts[-1])

    return Array((*values[0].shape[:axis], whole, *values[0].shape[axis + 1 :]), at, span=span)


def along_last(e: Elaborator, family: Array, span: Span) -> Array:
    """The members of a family joined along their last axis: position c of all is c mod w of member c // w."""
    count, width = family.shape[0], family.shape[-1]
    if e.sizes.is_known(count) and e.sizes.is_known(width):
        whole = e.sizes.declared(e.sizes.index(count) * e.sizes.index(width))
    else:
        whole = e.new_dim("concat", span)

    def at(where: At) -> Term:
        by = e.sizes.index(width)
        if e.sizes.index(whole) is by and e.sizes.index(count) != Index.of(1):
            raise NotUnderstood("shape-conflict", f"all parts together are as long as one of them, {by}", span)
        return family.at((quotient(where[-1], by), *where[:-1], remainder(where[-1], by)))

    return Array((*family.shape[1:-1], whole), at, family.orient if family.rank == 2 else "plain", span)


def _along_first(e: Elaborator, family: Array, span: Span) -> Array:
    """The matrices of a family one below the other."""
    count, tall, wide = family.shape
    turned = Array((count, wide, tall), lambda at: family.at((at[0], at[2], at[1])), span=span)
    return transpose(along_last(e, turned, span))
