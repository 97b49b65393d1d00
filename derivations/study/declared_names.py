"""What a document declares of its names, told to the table of names before anything is defined."""

from __future__ import annotations

from collections.abc import Iterable

from derivations.documents.facts.conventions import Conventions
from derivations.documents.facts.declarations import declare, shared_lists, stated_axis
from derivations.documents.facts.fact import Fact, FactKind
from derivations.documents.facts.sentence_patterns import PRODUCT_SIGNS
from derivations.documents.model.document import MathSpan
from derivations.language.term import Index
from derivations.latex.lexicon.arrays import Dim
from derivations.latex.lexicon.name_roles import Names, uses
from derivations.latex.lexicon.symbol_table import Table
from derivations.latex.lexicon.written_names import Written
from derivations.latex.syntax.letters import FAMILY, letter
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
    Reading,
    Scripted,
    walk,
)
from derivations.study.equation_walk import Item
from derivations.study.facts_of_names import Said, written
from derivations.study.left_sides import Lefts


def declare_names(table: Table, said: Said, conventions: Conventions, shapes: Iterable[Reading], lefts: Lefts) -> None:
    """Tell the table shapes, ranges, rows and columns, and the parts of matrices."""
    signs = {s.index: s.source.strip().removeprefix("\\") for s in said.document.spans}
    named = (signs.get(k) for k in said.numbers(FactKind.FUNCTION, "entrywise"))
    table.entrywise |= {sign for sign in named if sign in PRODUCT_SIGNS}
    stand = any(True for _ in said.of(FactKind.TOKENS, "column vectors"))
    table.rows_are_vectors = any(True for _ in said.of(FactKind.TOKENS, "rows")) and not stand
    columns = any(True for _ in said.of(FactKind.TOKENS, "columns"))
    table.columns_are_tokens = not table.rows_are_vectors and columns
    conventions.tell_table(table)
    for item in said.items:
        if item.reading.chain.links and isinstance(item.reading.chain.links[0][1], Listed):
            _declare_there(table, item, item.reading.chain)
    for item in said.items:
        for condition in item.reading.conditions:
            if isinstance(condition, Chain):
                _declare_there(table, item, condition)
    for item in said.items:
        _declare_there(table, item, item.reading.chain)
    for reading in shapes:
        declare(table, reading.chain)
    nodes = [n for i in said.items for n in walk(i.reading.chain)] if table.rows_are_vectors else []
    if any(_stands_upright(table, n) or _is_number_of_upright(table, n) for n in nodes):
        table.rows_are_vectors = False  # "the rows of A are x_i^T" is said of A alone
    for fact in said.of(FactKind.PARTS):
        _name_parts(table, said, fact, lefts)
    for fact in said.of(FactKind.BLOCKS):
        _name_blocks(table, said, fact)
    for item in said.items:
        _name_stack(table, item.reading.chain)
    for item in said.items:
        for node in walk(item.reading.chain):
            shared_lists(table.names, table, node)


def _stands_upright(table: Table, node: Node) -> bool:
    r"""`u^\top S u` for vectors: a column times its transpose from the other side of a matrix; no row is written so."""
    factors = node.items if isinstance(node, Adjacent) else ()
    names = [table.names.written(n) for n in factors]
    vectors = [w is not None and _is_vector(table, w) for w in names]
    for k, w in enumerate(names[:-2]):
        if vectors[k] and w is not None and w.transposed:
            after = next((j for j in range(k + 1, len(names)) if vectors[j]), 0)
            other = names[after]
            if after > k + 1 and other is not None and not other.transposed:
                return True
    return False


def _is_number_of_upright(table: Table, node: Node) -> bool:
    r"""`\exp(u^\top v)`, and `\lVert u \rVert^2 - 2 u^\top v`: the product of a lying vector and a standing one is a number."""
    if isinstance(node, Operator) and node.name in _OF_NUMBERS:
        return any(_is_dot(table, a) for a in node.arguments)
    if isinstance(node, Scripted) and isinstance(node.base, Name) and node.base.base == "e" and node.sup is not None:
        return _is_dot(table, node.sup)
    if isinstance(node, Infix) and node.operator in ("+", "-"):
        sides = (node.left, node.right)
        return any(map(_is_measured, sides)) and any(_is_dot(table, n) for n in sides)
    return False


_OF_NUMBERS = frozenset({"exp", "log", "cos", "sin", "tanh"})


def _is_measured(node: Node) -> bool:
    """Whether a summand is a number, a norm or a square of one, or a sum with one."""
    if isinstance(node, Infix) and node.operator in ("+", "-"):
        return _is_measured(node.left) or _is_measured(node.right)
    inner = node.base if isinstance(node, Scripted) else node
    return isinstance(node, Literal) or (isinstance(inner, Enclosed) and inner.kind == "norm")


def _is_dot(table: Table, node: Node) -> bool:
    """Whether an expression is a number times a lying vector times a standing one."""
    if isinstance(node, Enclosed) and node.kind == "()" and node.content is not None:
        return _is_dot(table, node.content)
    if isinstance(node, Fraction):
        return _is_dot(table, node.above)
    if isinstance(node, Infix) and node.operator in ("+", "-"):
        return _is_dot(table, node.left) or _is_dot(table, node.right)
    factors = node.items if isinstance(node, Adjacent) else ()
    written_ = [table.names.written(n) for n in factors]
    vectors = [w for w in written_ if w is not None and _is_vector(table, w)]
    return len(vectors) == 2 and vectors[0].transposed and not vectors[1].transposed and written_[-1] is vectors[1]


def _is_vector(table: Table, w: Written) -> bool:
    """Whether a name, with the indices that are written, is declared to have one axis."""
    known = table.declared.get(w.stem)
    return known is not None and len(known.dims) - len(w.slots) == 1 and w.power is None


def _declare_there(table: Table, item: Item, chain: Chain) -> None:
    """Tell the table what a formula declares, and where it states the range of a letter."""
    before = dict(table.ranges)
    declare(table, chain)
    for c, stated in table.ranges.items():
        if before.get(c) != stated:
            table.stated_ranges.setdefault(c, []).append((item.span.index, item.section, stated))


def ranges_at(table: Table, item: Item) -> dict[str, tuple[int, Dim]]:
    """The ranges of letters that hold where an equation stands: what another section states later does not.

    Nor does a range up to a part of a length, the d/2 of `i = 0, ..., d/2 - 1`, in sections that are no part of its own.
    """
    found = {}
    for c, stated in table.stated_ranges.items():
        places = sorted(stated, key=lambda row: row[0])
        own = [row for row in places if row[1] == item.section]
        earlier = [
            row for row in places if row[0] <= item.span.index and (_is_around(row[1], item) or _is_name(row[2][1]))
        ]
        if (nearest := [row for row in own if row[0] <= item.span.index][-1:] or own[:1] or earlier[-1:]) != []:
            found[c] = nearest[0][2]
    return found


def _is_around(section: tuple[str, ...], item: Item) -> bool:
    return item.section[: len(section)] == section


def _is_name(length: Dim) -> bool:
    """Whether a length is one name, or not known."""
    known = length.root().known
    return known is None or (not known.const and len(known.terms) == 1 and known.terms[0][0].kind == "size")


def axis_of_document(said: Said, spans: Iterable[MathSpan]) -> str | None:
    """The axis of the softmax that the text states for the whole document."""
    spans = tuple(spans)
    sources = {s.index: s.source for s in spans}
    return stated_axis(dict.fromkeys(map(said.document.paragraph, spans)), sources)


def _name_blocks(table: Table, said: Said, fact: Fact) -> None:
    """`cut U into blocks U^{(r)} of p rows each`."""
    numbers = (*fact.names, *(fact.value if isinstance(fact.value, tuple) else ()))
    first = (said.first.get(n) if isinstance(n, int) else None for n in numbers)
    block, whole, height = (next(written(table.names, node), None) for node in first)
    if whole is not None and block is not None and height is not None and table.is_size(height):
        of_one_letter = FAMILY if block.stem == whole.stem else ""  # U^{(r)} of U
        table.blocks[block.stem + of_one_letter] = (whole.stem, Index.size(height.stem))


def _name_stack(table: Table, chain: Chain) -> None:
    """`W = (U_1; …; U_H)`, one below the other, for a W that has a stated shape with H times so many rows: its blocks."""
    right = chain.links[0][1] if len(chain.links) == 1 and chain.links[0][0] == "=" else None
    if not isinstance(right, Matrix) or len(right.rows) < 3 or any(len(row) != 1 for row in right.rows):
        return
    whole = next(written(table.names, chain.first), None)
    cells = [row[0] for row in right.rows]
    parts = [w for n in cells if not isinstance(n, Mark) and (w := table.names.written(n)) is not None]
    if whole is None or len(parts) + 1 != len(cells) or len({w.stem for w in parts}) != 1:
        return
    last = parts[-1].slots[0].node if len(parts[-1].slots) == 1 else None
    declared, count = table.declared.get(whole.stem), letter(last)
    rows = declared.dims[0].root().known if declared is not None and len(declared.dims) == 2 else None
    for s in sorted(rows.sizes) if rows is not None and count is not None else ():
        if Index.size(s) * Index.size(count or "") is rows:
            of_one_letter = FAMILY if parts[0].stem == whole.stem else ""
            table.blocks[parts[0].stem + of_one_letter] = (whole.stem, Index.size(s))


def _name_parts(table: Table, said: Said, fact: Fact, lefts: Lefts) -> None:
    """`x_1, …, x_n are the rows of X`: x_i is a row of X; what has no index is none of several rows."""
    kind, *matrices = fact.value if isinstance(fact.value, tuple) else ("",)
    wholes = [w for k in matrices if isinstance(k, int) for w in written(table.names, said.first.get(k))]
    parts = [w for k in fact.names if isinstance(k, int) for w in written(table.names, said.first.get(k))]
    parts = list({w.stem: w for w in reversed(parts)}.values())[::-1]  # x_1, …, x_n is x
    if len(wholes) == 1 or len(parts) == 1:
        wholes, parts = wholes[:1], parts[:1]
    if all(w.slots for w in wholes[len(parts) :]):  # "the rows of U, V, and s_{ij} in the matrix S"
        wholes = wholes[: len(parts)]
    named = table.rows if kind == "row" else table.columns
    if not fact.names:
        _expect_parts(table, wholes, named, lefts)
    for whole, part in zip(wholes, parts, strict=False) if len(wholes) == len(parts) else ():
        if _is_made_of(table.names, whole, part, lefts):
            continue  # `X = [x_1, …, x_n]` says it already
        if whole.stem != part.stem and part.slots and part.stem not in table.names.sizes:
            named[part.stem] = whole.stem
            if part.transposed or kind == "column":
                table.tokens_stated = True


def _is_made_of(names: Names, whole: Written, part: Written, lefts: Lefts) -> bool:
    """Whether an equation for a matrix has the name of its parts on its right side."""
    rights = (item.reading.chain.links[link][1] for item, link in lefts.get(whole.stem, ()))
    return any(w.stem == part.stem for right in rights for w in uses(names, right))


def _expect_parts(table: Table, wholes: Iterable[Written], named: dict[str, str], lefts: Lefts) -> None:
    """v_i for a row of V, where v is neither declared nor defined."""
    for whole in wholes:
        stem = whole.stem.lower()
        evidence = table.names.evidence.get(stem)
        known = stem in {*table.declared, *table.names.sizes, *table.names.index_letters} or stem in lefts
        if stem != whole.stem and evidence is not None and evidence.slots == 1 and not known:
            named.setdefault(stem, whole.stem)
