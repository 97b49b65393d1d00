r"""Short forms written out: `Q, K = XA, XB` is two equations, `A = [a_{ij}]` defines entries, `x^{<t>}` is `x^{(t)}`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from string import ascii_lowercase

from derivations.latex.syntax.letters import letter, letter_node
from derivations.latex.syntax.notation import ELEMENTARY
from derivations.latex.syntax.surface import (
    Adjacent,
    Big,
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
    Root,
    Scripted,
    Span,
    bare,
    differences,
    fields_of,
    walk,
)


def in_brackets(readings: list[Reading]) -> list[Reading]:
    """`A[i, j]` as an entry, and `V[X]` as a call where the document defines `V[X] = …`."""
    called, quantities = set(), set()
    for r in readings:
        first = r.chain.first
        if first is not None and any(relation == "in" for relation, _ in r.chain.links):
            members = first.items if isinstance(first, Listed) else (first,)
            quantities |= {letter(n) for n in members}
        if first is not None and is_call(first) and isinstance(first, Adjacent) and r.chain.links:
            head, inner = _head(first.items[0]), first.items[1]
            if head is not None and isinstance(inner, Enclosed) and inner.kind == "[]" and not _is_place(inner.content):
                called.add(head)

    letters: set[str | None] = set()
    families = _families(readings)
    called -= families

    def change(node: Node) -> Node:
        if not isinstance(node, Adjacent):
            return node
        items = list(node.items)
        for k in range(len(items) - 1):
            after = items[k + 1]
            inner = after.base if isinstance(after, Scripted) else after
            if not isinstance(inner, Enclosed) or inner.kind != "[]":
                continue
            if _head(items[k]) in called and _head(items[k]) is not None:
                call = replace(inner, kind="()")
                items[k + 1] = replace(after, base=call) if isinstance(after, Scripted) else call
                continue
            is_family = _head(items[k]) in families
            is_place = is_family or _is_place(inner.content, quantities) or letter(inner.content) in letters
            place = inner.content if is_place else None
            entry = None if place is None else _entry(items[k], place, after)
            if entry is not None:
                items[k], items[k + 1] = entry, Mark(inner.span, "empty")
        if all(a is b for a, b in zip(items, node.items, strict=True)):
            return node
        items = [n for n in items if not (isinstance(n, Mark) and n.kind == "empty")]
        return items[0] if len(items) == 1 else replace(node, items=tuple(items))

    found = []
    for r in readings:
        letters = _script_letters(r.chain)
        chain = mapped(r.chain, change)
        found.append(replace(r, chain=chain) if isinstance(chain, Chain) and chain is not r.chain else r)
    return found


def _families(readings: Sequence[Reading]) -> set[tuple[str, str, int]]:
    """The names whose square brackets hold places alone, `h[k] = a h[k - 1]`: brackets around one letter are no product.

    Their letters are counted: a sum runs over them, or they stand beside a number, `k - 1`; then other names with these
    letters alone in their brackets, the y of `y[k] = c h[k]`, are families too.
    """
    found: dict[tuple[str, str, int], list[Node]] = {}
    counting: set[str] = set()
    for node in (n for r in readings for part in (r.chain, *r.conditions) for n in walk(part)):
        if isinstance(node, Big):
            ranges = node.sub.items if isinstance(node.sub, Listed) else (node.sub,)
            counting |= {c for part in ranges if isinstance(part, Chain) and (c := letter(part.first)) is not None}
        for name, after in pairwise(node.items if isinstance(node, Adjacent) else ()):
            inner = after.base if isinstance(after, Scripted) else after
            head = _head(name)
            if head is not None and isinstance(inner, Enclosed) and inner.kind == "[]" and inner.content is not None:
                found.setdefault(head, []).append(inner.content)
    found = {head: own for head, own in found.items() if any(isinstance(c, Literal) or letter(c) for c in own)}
    places = {head: own for head, own in found.items() if all(map(_is_shifted_letter, own))}
    for content in (c for own in places.values() for c in own if isinstance(c, Infix)):
        if any(isinstance(n, Literal) for n in content.parts):
            counting |= {c for n in content.parts if (c := letter(n)) is not None}
    families: set[tuple[str, str, int]] = set()
    while more := {h for h, own in places.items() if _letters_within(own) & counting} - families:
        families |= more
        counting |= {c for h in more for c in _letters_within(places[h])}
    return families


def _letters_within(nodes: Iterable[Node]) -> set[str]:
    return {c for n in nodes for part in walk(n) if (c := letter(part)) is not None}


def _is_shifted_letter(node: Node) -> bool:
    """A whole number, a letter, or a sum or difference of these."""
    if isinstance(node, Infix) and node.operator in ("+", "-"):
        return all(map(_is_shifted_letter, node.parts))
    return (isinstance(node, Literal) and node.text.isdigit()) or letter(node) is not None


def _entry(name: Node, place: Node, after: Node) -> Node | None:
    """`A[i, j]`, `K[i, :]^T` and `W_{in}[w]` with the place below the name; None where something else stands below."""
    above = after.sup if isinstance(after, Scripted) else None
    if isinstance(after, Scripted) and (after.sub is not None or above is None):
        return None
    span = (name.span[0], after.span[1])
    if isinstance(name, Name):
        return Scripted(span, name, place, above)
    if not isinstance(name, Scripted) or name.sup is not None or not isinstance(name.sub, Name) or letter(name.sub):
        return None
    own = place.items if isinstance(place, Listed) else (place,)
    return replace(name, span=span, sub=Listed((name.sub.span[0], place.span[1]), (*own, name.sub)), sup=above)


def _script_letters(chain: Node) -> set[str | None]:
    """The letters that stand alone below a name: `u_c = W[c]`."""
    below = {letter(n.sub) for n in walk(chain) if isinstance(n, Scripted)}
    return {c for c in below if c is not None and c.islower() and len(c) == 1}


def _head(node: Node) -> tuple[str, str, int] | None:
    name = node.base if isinstance(node, Scripted) else node
    return (name.base, name.font, name.primes) if isinstance(name, Name) else None


def _is_place(node: Node | None, quantities: Collection[str | None] = ()) -> bool:
    """Two or more index letters, numbers or colons: the place of an entry."""
    if not isinstance(node, Listed) or len(node.items) < 2:
        return False
    return all(
        isinstance(n, Literal)
        or (isinstance(n, Mark) and n.kind == "colon")
        or ((letter(n) or "A")[0].islower() and letter(n) not in quantities)
        for n in node.items
    )


def written_out(reading: Reading) -> Iterator[Reading]:
    """The equations that one reading stands for, without short forms."""
    chain = mapped(_function_named(reading.chain), _form)
    if not isinstance(chain, Chain):
        raise TypeError(f"a chain is needed, found {type(chain).__name__}")
    if chain is not reading.chain:
        reading = replace(reading, chain=chain)
    together = _together(chain)
    if together is not None:
        yield from (replace(reading, chain=c) for c in together)
        return
    chain = _entry_by_entry(chain)
    if chain is not reading.chain:
        reading = replace(reading, chain=chain)
    entries = _entries(chain) or _by_rows(chain)
    if entries is not None:
        yield from (replace(reading, chain=c) for c in entries)
        return
    shape = _shape(chain)
    yield reading if shape is None else replace(reading, chain=shape)


_OF_ONE_NUMBER = ELEMENTARY | {"sigmoid", "relu", "abs"}
"""Functions of one number that equations name without an argument."""


def _function_named(chain: Chain) -> Chain:
    r"""`\phi = \tanh` as `\phi(x) = \tanh(x)`."""
    left, right = chain.first, chain.links[0][1] if len(chain.links) == 1 else None
    if not isinstance(left, Name) or not isinstance(right, Operator) or chain.links[0][0] not in ("=", "equiv"):
        return chain
    is_alone = right.span[1] - right.span[0] == len(right.name) + 1  # \exp() has nothing in its parentheses
    if right.name not in _OF_ONE_NUMBER or right.arguments or right.sub or right.sup or not is_alone:
        return chain
    argument = Name(right.span, "x")
    call = Adjacent(left.span, (left, Enclosed(left.span, "()", argument)))
    return replace(chain, first=call, links=(("=", replace(right, arguments=(argument,))),))


def _entry_by_entry(chain: Chain) -> Chain:
    r"""`A = \operatorname{softmax}_j(S_{ij})` as `A_{ij} = …`: the axis is named, so it is said of each entry."""
    left, right = chain.first, chain.links[0][1] if len(chain.links) == 1 else None
    if not isinstance(left, Name) or not isinstance(right, Operator) or chain.links[0][0] != "=":
        return chain
    axis = letter(right.sub)
    if right.name != "softmax" or axis is None or right.sup is not None or len(right.arguments) != 1:
        return chain
    places = _places_in(right.arguments[0])
    letters = list(dict.fromkeys(c for place in places for c in place))
    if axis not in letters or len(letters) > 2:
        return chain
    order = next((p for p in places if len(p) == len(letters)), sorted(letters, key=lambda c: c == axis))
    at = tuple(letter_node(left.span, c) for c in order)
    below = at[0] if len(at) == 1 else Adjacent(left.span, at)
    return replace(chain, first=Scripted(left.span, left, below, None))


def _places_in(node: Node) -> list[tuple[str, ...]]:
    """The index letters below each name outside of roots, except those that a sum binds."""
    if isinstance(node, Root):
        return []
    if isinstance(node, Big):
        bound = {letter(n) for n in walk(node.sub)} if node.sub is not None else set()
        return [p for p in (tuple(c for c in p if c not in bound) for p in _places_in(node.body)) if p]
    found = []
    if isinstance(node, Scripted) and isinstance(node.base, Name) and node.sub is not None:
        parts = node.sub.items if isinstance(node.sub, Adjacent | Listed) else (node.sub,)
        letters = [letter(p) for p in parts]
        if all(c is not None and len(c) == 1 and c.islower() for c in letters):
            found.append(tuple(c or "" for c in letters))
    for part in node.parts if not isinstance(node, Scripted) else (node.base,):
        found += _places_in(part)
    return found


def is_call(node: Node) -> bool:
    """A name with something in brackets after it."""
    return isinstance(node, Adjacent) and len(node.items) == 2 and isinstance(node.items[1], Enclosed)


def mapped(node: Node, change: Callable[[Node], Node]) -> Node:
    """The tree with `change` applied to every node, innermost first."""
    changed: dict[str, object] = {}
    for name in fields_of(node):
        value = getattr(node, name)
        if isinstance(value, Node):
            new: object = mapped(value, change)
        elif isinstance(value, tuple):
            new = _tuple(value, change)
        else:
            continue
        if new is not value:
            changed[name] = new
    return change(replace(node, **changed) if changed else node)  # type: ignore[arg-type]


def joined(node: Node, join: Callable[[Node, Node], Node | None]) -> Node:
    """Things side by side with what `join` makes of two neighbours in their place, from the left; the node itself where it
    makes nothing of any."""
    if not isinstance(node, Adjacent):
        return node
    items: list[Node] = []
    for item in node.items:
        made = join(items[-1], item) if items else None
        if made is None:
            items.append(item)
        else:
            items[-1] = made
    if len(items) == len(node.items):
        return node
    return items[0] if len(items) == 1 else replace(node, items=tuple(items))


def mapped_readings(readings: Iterable[Reading], change: Callable[[Node], Node]) -> list[Reading]:
    """The readings with `change` applied to every node of their chains and conditions, innermost first."""
    made = []
    for r in readings:
        chain = mapped(r.chain, change)
        conditions = tuple(mapped(c, change) for c in r.conditions)
        made.append(replace(r, chain=chain, conditions=conditions) if isinstance(chain, Chain) else r)
    return made


def _tuple(values: tuple[object, ...], change: Callable[[Node], Node]) -> tuple[object, ...]:
    new = tuple(
        mapped(v, change) if isinstance(v, Node) else _tuple(v, change) if isinstance(v, tuple) else v for v in values
    )
    return values if all(a is b for a, b in zip(values, new, strict=True)) else new


def _form(node: Node) -> Node:
    node = _derivative(node)
    if isinstance(node, Adjacent):
        return _changes(node)
    if isinstance(node, Operator):
        return _largest_of(node)
    if isinstance(node, Big):
        return _over_numbers(node)
    if isinstance(node, Enclosed):
        return _vector_of_equal_numbers(node)
    if not isinstance(node, Scripted):
        return node
    index = _in_angles(node.sup) or _in_brackets(node.sup)
    if index is not None:
        return replace(node, sup=index)
    return _sequence(_whole_row(node))


def _whole_row(node: Scripted) -> Scripted:
    """`P_{i:}` and `P_{:j}` are a row and a column of a matrix: the letters of rows and columns begin no part of an axis."""
    below = node.sub
    if not (isinstance(below, Infix) and below.operator == "slice" and isinstance(node.base, Name)):
        return node
    at = [n for n in below.parts if not isinstance(n, Mark)]
    matrix = len(node.base.base) == 1 and node.base.base.isupper()
    if not matrix or len(at) != 1 or letter(at[0]) not in ("i", "j"):
        return node
    return replace(node, sub=Listed(below.span, below.parts))


def _over_numbers(node: Big) -> Node:
    r"""A sum over `j \in \{1, …, n\}`, or over `j \in [n]`, by its limits."""
    sub = node.sub
    if node.sup is not None or not isinstance(sub, Chain) or len(sub.links) != 1 or sub.links[0][0] != "in":
        return node
    numbers = sub.links[0][1]
    if letter(sub.first) is None or not isinstance(numbers, Enclosed):
        return node
    content = numbers.content
    if numbers.kind == "[]" and isinstance(content, Name):
        return replace(node, sub=sub.first, sup=content)
    if numbers.kind != "{}" or not isinstance(content, Listed):
        return node
    written = [n for n in content.items if not isinstance(n, Mark)]
    dots = [k for k, n in enumerate(content.items) if isinstance(n, Mark) and n.kind == "dots"]
    texts = [n.text if isinstance(n, Literal) else "" for n in written[:-1]]
    if dots != [len(content.items) - 2] or texts not in (["0"], ["1"], ["0", "1"], ["1", "2"]):
        return node
    return replace(node, sub=replace(sub, links=(("=", written[0]),)), sup=written[-1])


def _vector_of_equal_numbers(node: Enclosed) -> Node:
    r"""`(1, …, 1)` as the vector of ones, `(0, 0, …, 0)` as that of zeros."""
    content = node.content
    if node.kind not in ("()", "[]") or not isinstance(content, Listed) or content.separator != ",":
        return node
    dots = [n for n in content.items if isinstance(n, Mark) and n.kind == "dots"]
    numbers = [n.text if isinstance(n, Literal) else "" for n in content.items if n not in dots]
    is_whole = len(dots) == 1 and content.items[0] is not dots[0] and content.items[-1] is not dots[0]
    if not is_whole or len(numbers) < 2 or set(numbers) not in ({"1"}, {"0"}):
        return node
    return replace(node, content=Name(content.span, numbers[0], "bold"))


def _largest_of(node: Operator) -> Node:
    r"""`\max(x_1, …, x_i)`, also in braces, as `\max_{r=1}^i x_r`."""
    items: tuple[Node, ...] = node.arguments
    only = items[0] if len(items) == 1 else None
    if isinstance(only, Enclosed) and only.kind in ("{}", "[]", "()") and isinstance(only.content, Listed):
        items = only.content.items
    written = [n for n in items if not isinstance(n, Mark)]
    dots = [k for k, n in enumerate(items) if isinstance(n, Mark) and n.kind == "dots"]
    if node.name != "max" or node.sub is not None or node.sup is not None or dots != [len(items) - 2]:
        return node
    pairs = differences(written[0], written[-1])
    between = [differences(written[0], n) for n in written[1:-1]]
    if len(pairs) != 1 or any(len(d) != 1 for d in between):
        return node
    start, end = pairs[0]
    numbers = [n.text for n in (start, *(d[0][1] for d in between)) if isinstance(n, Literal)]
    if numbers != [str(int(numbers[0]) + k) if numbers else "" for k in range(len(written) - 1)]:
        return node
    index = unused_index(written, start.span)
    body = mapped(written[0], lambda n: index if n is start else n)
    return Big(node.span, "max", Chain(start.span, index, (("=", start),)), end, body)


def unused_index(nodes: Iterable[Node], span: Span) -> Name:
    """A letter that is in none of these nodes, for an index that is not written."""
    taken = {letter(n) for part in nodes for n in walk(part)}
    return Name(span, next(c for c in reversed(ascii_lowercase) if c not in taken))


def _derivative(node: Node) -> Node:
    r"""`\partial L / \partial x` as a fraction."""
    if isinstance(node, Infix) and node.operator == "/":
        if all(
            isinstance(n, Adjacent) and isinstance(s := n.items[0], Name) and s.base == "partial" for n in node.parts
        ):
            return Fraction(node.span, node.left, node.right)
    return node


def _changes(node: Adjacent) -> Node:
    r"""`\Delta W`, the change of W, is one name."""
    items: list[Node] = []
    for item in node.items:
        name = item.base if isinstance(item, Scripted) else item
        before = items[-1] if items else None
        if isinstance(before, Name) and before.base == "Delta" and not before.primes and isinstance(name, Name):
            base = replace(name, span=(before.span[0], name.span[1]), accents=(*name.accents, "Delta"))
            whole = (before.span[0], item.span[1])
            items[-1] = replace(item, span=whole, base=base) if isinstance(item, Scripted) else base
        else:
            items.append(item)
    if len(items) == len(node.items):
        return node
    return items[0] if len(items) == 1 else replace(node, items=tuple(items))


def _in_angles(node: Node | None) -> Node | None:
    """`<t>`, `<t, s>`, `\\langle t \\rangle` above a name: an index in parentheses."""
    if isinstance(node, Enclosed) and node.kind == "langle":
        return replace(node, kind="()")
    parts = node.items if isinstance(node, Listed) else (node,)
    first, last = parts[0], parts[-1]
    if not isinstance(first, Chain) or first.first is not None or not first.links or first.links[0][0] != "<":
        return None
    if len(parts) == 1:
        closed = len(first.links) == 2 and first.links[1][0] == ">" and _is_missing(first.links[1][1])
        return Enclosed(first.span, "()", first.links[0][1]) if closed else None
    if len(first.links) != 1 or not isinstance(last, Chain) or last.first is None or len(last.links) != 1:
        return None
    if last.links[0][0] != ">" or not _is_missing(last.links[0][1]):
        return None
    span = (first.span[0], last.span[1])
    items = (first.links[0][1], *(p for p in parts[1:-1] if p is not None), last.first)
    return Enclosed(span, "()", Listed(span, items))


def _in_brackets(node: Node | None) -> Node | None:
    """`[l]` above a name: an index in parentheses."""
    return replace(node, kind="()") if isinstance(node, Enclosed) and node.kind == "[]" else None


def _is_missing(node: Node) -> bool:
    return isinstance(node, Mark) and node.kind == "missing"


def _sequence(node: Scripted) -> Node:
    """`\\{x_i\\}_{i=1}^{n}` is the list of `x_1` to `x_n`."""
    inner, limits = node.base, node.sub
    if not isinstance(inner, Enclosed) or inner.kind not in ("{}", "()") or node.sup is None:
        return node
    member = inner.content
    if not isinstance(member, Scripted) or not isinstance(limits, Chain) or len(limits.links) != 1:
        return node
    c, (relation, start) = letter(limits.first), limits.links[0]
    place = member.sub if letter(member.sub) == c else None
    if c is None or place is None or relation != "=" or not isinstance(start, Literal):
        return node
    dots = Mark(node.span, "dots")
    items = (replace(member, sub=start), dots, replace(member, sub=node.sup))
    return Enclosed(node.span, "()", Listed(node.span, items))


def _together(chain: Chain) -> list[Chain] | None:
    """`Q, K, V = XA, XB, XC`."""
    if not isinstance(chain.first, Listed) or len(chain.links) != 1 or chain.links[0][0] != "=":
        return None
    left, right = chain.first.items, chain.links[0][1]
    if not isinstance(right, Listed) or len(right.items) != len(left):
        return None
    if any(isinstance(n, Mark | Chain) for n in (*left, *right.items)):
        return None
    return [Chain((a.span[0], b.span[1]), a, (("=", b),)) for a, b in zip(left, right.items, strict=True)]


def _shape(chain: Chain) -> Chain | None:
    r"""`X, Y: (N, D)`, as code writes shapes, as `X, Y \\in \\mathbb{R}^{N \\times D}`."""
    if len(chain.links) != 1 or chain.links[0][0] != "colon" or chain.first is None:
        return None
    names, right = chain.first.items if isinstance(chain.first, Listed) else (chain.first,), chain.links[0][1]
    if not isinstance(right, Enclosed) or right.kind != "()" or not isinstance(right.content, Listed):
        return None
    lengths = right.content.items
    if not all(isinstance(n, Name | Scripted) for n in names) or not all(_is_length(n) for n in lengths):
        return None
    product = lengths[0]
    for n in lengths[1:]:
        product = Infix((product.span[0], n.span[1]), "times", product, n)
    space = Scripted(right.span, Name(right.span, "R", "blackboard"), None, product)
    return Chain(chain.span, chain.first, (("in", space),))


def _is_length(node: Node) -> bool:
    """A letter, with a label below or not, or a whole number."""
    if isinstance(node, Literal):
        return node.text.isdecimal()
    return isinstance(node, Name) or (isinstance(node, Scripted) and isinstance(node.base, Name) and node.sup is None)


def _by_rows(chain: Chain) -> list[Chain] | None:
    r"""`(u; v) = R (a; b)` for names one below the other: `u = R_1 (a; b)` and `v = R_2 (a; b)` with the rows of R."""
    cells = _column_of(chain.first)
    names = [n for n in cells if isinstance(n, Name) or (isinstance(n, Scripted) and isinstance(n.base, Name))]
    if len(cells) < 2 or len(names) != len(cells) or len({bare(n) for n in names}) != len(names) or not chain.links:
        return None
    if any(relation != "=" or isinstance(n, Mark | Listed) for relation, n in chain.links):
        return None
    found = []
    for k, name in enumerate(names):
        links = tuple((relation, _row_of(right, k, len(cells))) for relation, right in chain.links)
        found.append(replace(chain, first=replace(name, span=chain.first.span), links=links))  # type: ignore[union-attr]
    return found


def _row_of(node: Node, k: int, count: int) -> Node:
    """Row k of a column of so many numbers: a cell, a row of a matrix times a column, or by a unit vector."""
    cells = _column_of(node)
    if len(cells) == count:
        return cells[k]
    items = node.items if isinstance(node, Adjacent) else ()
    column = _column_of(items[1]) if len(items) == 2 else ()
    matrix = items[0].rows if column and isinstance(items[0], Matrix) else ()
    if len(matrix) == count and all(len(row) == len(column) for row in matrix) and not _has_dots(matrix[k]):
        total: Node | None = None
        for factor, x in zip(matrix[k], column, strict=True):
            product = Adjacent(node.span, (Enclosed(factor.span, "()", factor), Enclosed(x.span, "()", x)))
            total = product if total is None else Infix(node.span, "+", total, product)
        if total is not None:
            return total
    unit = tuple((Literal(node.span, "1" if j == k else "0"),) for j in range(count))
    row = Scripted(node.span, Matrix(node.span, "pmatrix", unit), None, Mark(node.span, "top"))
    return Adjacent(node.span, (row, Enclosed(node.span, "()", node)))


def _has_dots(cells: tuple[Node, ...]) -> bool:
    return any(isinstance(c, Mark) for c in cells)


def _column_of(node: Node | None) -> tuple[Node, ...]:
    """The cells of a matrix with one column and no dots; none of anything else."""
    if not isinstance(node, Matrix) or any(len(row) != 1 or isinstance(row[0], Mark) for row in node.rows):
        return ()
    return tuple(row[0] for row in node.rows)


def _entries(chain: Chain) -> list[Chain] | None:
    """`A = [a_{ij}]`, `A = (a_{ij}) \\in \\mathbb{R}^{n \\times n}`."""
    if not isinstance(chain.first, Name) or not chain.links or chain.links[0][0] != "=":
        return None
    right = chain.links[0][1]
    if not isinstance(right, Enclosed) or right.kind not in ("()", "[]"):
        return None
    entry = right.content
    if not isinstance(entry, Scripted) or not isinstance(entry.base, Name) or entry.sup is not None:
        return None
    letters = entry.sub.items if isinstance(entry.sub, Adjacent | Listed) else (entry.sub,)
    if entry.base.base == chain.first.base or not all(letter(n) is not None for n in letters):
        return None
    left = Scripted(chain.first.span, chain.first, entry.sub, None)
    found = [replace(chain, first=left, links=(("=", entry),))]
    if len(chain.links) > 1:
        found.append(replace(chain, links=chain.links[1:]))
    return found
