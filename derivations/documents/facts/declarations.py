"""What a document says about its names outside of equations: shapes, ranges, rows or columns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from derivations.documents.model.document import Context
from derivations.language.term import Index
from derivations.latex.elaborator.elaborate import Elaborator
from derivations.latex.elaborator.joined_lists import COLUMNS, IN_LINE, ROWS
from derivations.latex.lexicon.arrays import Dim, NotUnderstood
from derivations.latex.lexicon.name_roles import Names
from derivations.latex.lexicon.symbol_table import Declared, Table
from derivations.latex.lexicon.written_names import Written
from derivations.latex.syntax.letters import is_upper, letter
from derivations.latex.syntax.surface import (
    Chain,
    Enclosed,
    Infix,
    Label,
    Listed,
    Literal,
    Mark,
    Name,
    Node,
    Prefix,
    Scripted,
)

_EACH = re.compile(
    r"\b(?:row|column)(?:-?wise\b| by (?:row|column)\b)|\b(?:each|every|per|single) (?:row|column)\b"
    r"|\b(?:along|over|across|acts? on|applied to|works? on|of)(?: all)?(?: the| its)? (?:rows?|columns?)\b"
    r"|\b(?:axis|index|dimension|dim)\b",
    re.IGNORECASE,
)
"""Words that say something of every row or column, not only that there are some."""
_ROWS = re.compile(r"\brow(?:s|-wise|wise)?\b|\blast (?:axis|index|dimension)\b|\b(?:axis|dim) ?= ?-1\b", re.IGNORECASE)
_COLUMNS = re.compile(r"\bcolumns?(?:-wise|wise)?\b", re.IGNORECASE)
_NORMALISING = re.compile(r"softmax|normali[sz]|sums? to (?:1|one)|weights", re.IGNORECASE)


def space(node: Node) -> Node | None:
    """The exponent of `\\mathbb{R}^{…}`, None for another set."""
    is_part = isinstance(node, Scripted) and (node.sub is None or _is_sign(node.sub))  # \\mathbb{R}_{>0}^r
    if is_part and isinstance(node, Scripted) and isinstance(node.base, Name) and node.base.base == "R":
        return node.sup if node.base.font in ("blackboard", "bold", "roman", "") else None
    return None


def axes(node: Node) -> list[Node]:
    """`n \\times d` as its factors."""
    if isinstance(node, Infix) and node.operator == "times":
        return [*axes(node.left), *axes(node.right)]
    return [node]


def sizes_of(e: Elaborator, exponent: Node) -> tuple[tuple[Index, ...], str] | None:
    """The axes of a declared space and how its vectors stand; None when an axis is not a size that is read."""
    found: list[Index] = []
    for n in axes(exponent):
        try:
            found.append(e.written_index(n, {}))
        except NotUnderstood:
            return None
    orient = "plain"
    if len(found) == 2 and found[0] is Index.of(1):
        found, orient = found[1:], "row"
    elif len(found) == 2 and found[1] is Index.of(1):
        found, orient = found[:1], "column"
    return tuple(found), orient


def _is_sign(node: Node) -> bool:
    """`> 0`, `+` below the real numbers."""
    is_bound = isinstance(node, Chain) and node.first is None and all(r in (">", ">=") for r, _ in node.links)
    return is_bound or (isinstance(node, Mark) and node.kind == "plus")


def members(node: Node | None) -> Iterator[Node]:
    """The names on the left of a membership."""
    if isinstance(node, Listed):
        for item in node.items:
            if not isinstance(item, Mark):
                yield item
    elif node is not None:
        yield node


def declare(table: Table, chain: Chain) -> bool:
    """Take over `Q, K \\in \\mathbb{R}^{n \\times d}` and `i = 1, …, n`; true when the chain is such a declaration."""
    if len(chain.links) == 2 and isinstance(chain.links[0][1], Enclosed) and chain.links[1][0] == "in":
        content = chain.links[0][1].content
        if isinstance(content, Listed):  # Q = [Q_1, …, Q_n] in R^{n x a x b}
            return declare(table, replace(chain, links=chain.links[1:]))
    if len(chain.links) != 1:
        return False
    relation, right = chain.links[0]
    if relation == "=" and isinstance(right, Listed):
        return _range(table, chain.first, right)
    if relation == "colon":
        return _map(table, chain.first, right)
    if relation != "in":
        return False
    items = list(members(chain.first))
    labels = [n for n in items if isinstance(n, Label)]
    if labels:
        told = [_label_range(table, n, right) for n in labels]
        return all(told)
    written = [table.names.written(n) for n in items]
    if any(w is None or w.transposed or w.power is not None for w in written):
        return False
    exponent = space(right)
    if isinstance(right, Name) and right.base == "R" and right.font == "blackboard":
        for w in written:
            if w is not None:
                _declare_name(table, Elaborator(table), w, (), "plain", {})
        return True
    if exponent is None:
        if _in_range(table, chain.first, right):
            return True
        for w in written if _are_numbers(right) else ():
            if w is not None and w.slots:  # t_i in {0, 1}: a number for each i
                _declare_name(table, Elaborator(table), w, (), "plain", {})
        return bool(written)
    e = Elaborator(table)
    shape = sizes_of(e, exponent)
    if shape is None:
        return bool(written)
    last: dict[str, Declared] = {}
    for w in written:
        if w is not None:
            _declare_name(table, e, w, *shape, last)
    return True


def _is_map(node: Node) -> bool:
    r"""`\mathbb{R}^d \to \mathbb{R}^r`."""
    return isinstance(node, Chain) and [relation for relation, _ in node.links] == ["to"]


def _map(table: Table, first: Node | None, right: Node) -> bool:
    r"""`\phi: \mathbb{R}^d \to \mathbb{R}^r`: a function, here one whose values are vectors of length r."""
    w = table.names.written(first) if first is not None else None
    if (
        not _is_map(right)
        or not isinstance(right, Chain)
        or w is None
        or w.slots
        or w.transposed
        or w.power is not None
    ):
        return False
    exponent = space(right.links[0][1])
    shape = sizes_of(Elaborator(table), exponent) if exponent is not None else None
    if shape is not None and len(shape[0]) == 1 and not is_upper(w.stem):
        table.names.maps.add(w.stem)
        table.memo["values of", w.stem] = table.sizes.declared(shape[0][0], "declared")
    return True


def _declare_name(
    table: Table, e: Elaborator, w: Written, shape: tuple[Index, ...], orient: str, last: dict[str, Declared]
) -> None:
    if orient == "row":
        table.rows_are_vectors = True
    earlier = last.get(w.stem)
    if earlier is not None:  # k_1, …, k_n: the last index is the number of members
        for slot, dim in zip(w.slots, earlier.dims, strict=False):
            c = letter(slot.node)
            if c is not None and c in table.names.sizes:
                e.sizes.soft(dim, e.sizes.declared(Index.size(c)))
        return
    known = table.declared.get(w.stem)
    if known is not None and known.slots == len(w.slots):
        return  # stated again; a difference is decided as a shape claim
    dims = tuple(Dim("n") for _ in w.slots)
    for slot, dim in zip(w.slots, dims, strict=True):
        c = letter(slot.node)
        if c is not None and c in table.ranges:
            e.sizes.soft(dim, table.ranges[c][1])
    made = Declared((*dims, *(e.sizes.declared(s, "declared") for s in shape)), orient, len(w.slots))
    table.declared[w.stem] = last[w.stem] = made


def _range(table: Table, first: Node | None, right: Listed) -> bool:
    letters = [letter(n) for n in members(first)]
    found = _limits(table, right) if letters and None not in letters else None
    if found is None:
        return False
    base, length = found
    if length.terms and not length.free:
        size = table.sizes.declared(length)
        table.ranges |= {c: (base, size) for c in letters if c is not None}
    return True


def _limits(table: Table, right: Listed) -> tuple[int, Index] | None:
    r"""Where `1, \dots, n` begins and how many numbers it has, 0 where that is not read; None for another list."""
    start, end = right.items[0], right.items[-1]
    if (
        not isinstance(start, Literal)
        or start.text not in ("0", "1")
        or not any(isinstance(n, Mark) for n in right.items)
    ):
        return None
    base = int(start.text)
    try:
        high = Elaborator(table).written_index(end, {})
    except NotUnderstood:
        return base, Index()
    return base, high + 1 - base


def _label_range(table: Table, node: Label, right: Node) -> bool:
    r"""`y_n \in \{1, \dots, K\}`: the axis of the labels, and where they count from."""
    content = right.content if isinstance(right, Enclosed) else None
    found = _limits(table, content) if isinstance(content, Listed) else None
    if found is None:
        return False
    start, length = found
    e = Elaborator(table)
    e.declare_free(node)
    try:
        e.label_index(node, {})
    except NotUnderstood:
        return False
    family = table.labels[e.label_stem(node)]
    if family.base is None:
        family.base = start
        if length is not Index() and not length.free:
            table.sizes.soft(family.values, table.sizes.declared(length))
    return True


def _in_range(table: Table, first: Node | None, right: Node) -> bool:
    if isinstance(right, Enclosed) and isinstance(right.content, Listed) and first is not None:
        return _range(table, first, right.content)
    return False


def _are_numbers(right: Node) -> bool:
    r"""Whether a set lists numbers, or lies between two: `\{0, 1\}`, `[0, 1]`."""
    listed = right.content if isinstance(right, Enclosed) else None
    items = listed.items if isinstance(listed, Listed) else ()
    return bool(items) and all(isinstance(n.operand if isinstance(n, Prefix) else n, Literal) for n in items)


def shared_lists(names: Names, table: Table, node: Node) -> None:
    """`k_1, …, k_n` anywhere says how many members the family has, and so do `r_0, …, r_{T-1}` and `x_0, …, x_n`."""
    if not isinstance(node, Listed) or not any(isinstance(n, Mark) for n in node.items):
        return
    first, final = names.written(node.items[0]), names.written(node.items[-1])
    if first is None or final is None or first.stem != final.stem or len(final.slots) != 1 or len(first.slots) != 1:
        return
    last, start = final.slots[0].node, first.slots[0].node
    is_before = isinstance(last, Infix) and last.operator == "-" and getattr(last.right, "text", "") == "1"
    c = letter(last.left if is_before and isinstance(last, Infix) else last)
    if c is None or c not in names.sizes or not isinstance(start, Literal) or start.text not in ("0", "1"):
        return
    count = Index.size(c) + (1 - int(start.text) - int(is_before))
    declared = table.declared.get(final.stem)
    if declared is None:
        table.listed.setdefault(final.stem, count)
    elif declared.slots == 1:
        table.sizes.soft(declared.dims[0], table.sizes.declared(count))


def axis_words(context: Context) -> str | None:
    """The axis over which the words around an equation normalise: `row`, `column`, or None when they do not say."""
    texts = [context.before, context.after]
    texts += [s for s in re.split(r"(?<=[.!?;:])\s", context.paragraph) if _NORMALISING.search(s)]
    for text in texts:
        rows, columns = bool(_ROWS.search(text)), bool(_COLUMNS.search(text))
        if rows != columns and (_NORMALISING.search(text) or _EACH.search(text)):
            return "row" if rows else "column"
    return None


def axis_of_remark(text: str) -> str | None:
    """The axis that a remark beside a softmax speaks of: "each column is a distribution", "row-wise"."""
    rows, columns = bool(_ROWS.search(text)), bool(_COLUMNS.search(text))
    return ("row" if rows else "column") if rows != columns and _EACH.search(text) else None


_AS = r"(?:whose|as|as (?:its|the)|with(?: the)?|into|in|are(?: its| the)?|form(?: the)?|by)"
_MEMBERS: dict[str, re.Pattern[str]] = {
    ROWS: re.compile(rf"\b{_AS}\s+rows\b|\brow[- ](?:by[- ]row|wise)\b", re.IGNORECASE),
    COLUMNS: re.compile(rf"\b{_AS}\s+columns\b|\bcolumn[- ](?:by[- ]column|wise)\b|\bside by side\b", re.IGNORECASE),
    IN_LINE: re.compile(r"\bconcatenat(?:e|es|ed|ion|ions|ing)\b|\bone after (?:the other|another)\b", re.IGNORECASE),
}
"""What is said of the members of a list, by the way in which they are joined."""


def members_said(context: Context) -> str | None:
    """How the sentence of a formula says that the members of a list are joined; None where it says it in two ways."""
    text = f"{context.before} {context.after}"
    found = [way for way, pattern in _MEMBERS.items() if pattern.search(text)]
    return found[0] if len(found) == 1 else None


_OPERATION = re.compile(
    r"^\W*(?:(?:here|below|throughout|in this [a-z]+|the|an?|our|operation|operator|function|and|where|so|note that)\W+)*"
    r"(?:⟦(\d+)⟧|softmax)\s+(?:of\s+(?:an?|any|the|our)\s+[a-z]+\s+)?(?:[a-z]+\s+)?"
    r"(?:acts?|works?|normali[sz]es|is (?:applied|taken|computed|meant|understood))\b",
    re.IGNORECASE,
)


def stated_axis(paragraphs: Iterable[str], sources: Mapping[int, str]) -> str | None:
    """The axis that the text says once and for all: `the operation Softmax normalises each column`; `sources` holds the
    formulas.  None when it does not say, or says both."""
    found = set()
    for sentence in (s for p in paragraphs for s in re.split(r"(?<=[.!?;:])\s", p)):
        m = _OPERATION.match(sentence)
        if m is None or (m.group(1) and _softmax_alone(sources.get(int(m.group(1)), "")) is None):
            continue
        rows, columns = bool(_ROWS.search(sentence)), bool(_COLUMNS.search(sentence))
        if rows != columns and _EACH.search(sentence):
            found.add("row" if rows else "column")
    return found.pop() if len(found) == 1 else None


def _softmax_alone(source: str) -> re.Match[str] | None:
    """A formula that is the name of the softmax and nothing else."""
    return re.fullmatch(r"\\?(?:[A-Za-z]*\{)?soft\s?max\}?(?:\(\\cdot\)|\[\\cdot\])?", source.strip(), re.IGNORECASE)
