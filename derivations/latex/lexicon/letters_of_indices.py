"""Which letters are indices and which are sizes, as sums, ranges, lists, shapes and index slots show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from derivations.latex.lexicon.index_starts import is_before
from derivations.latex.lexicon.written_names import is_bold
from derivations.latex.passes.index_functions import lengths_of_rounded, rounded_functions
from derivations.latex.passes.means import counted as counts_of_means
from derivations.latex.passes.means import defined_letters
from derivations.latex.syntax.letters import is_upper, letter, unworded
from derivations.latex.syntax.surface import (
    Big,
    Chain,
    Enclosed,
    Fraction,
    Infix,
    Label,
    Listed,
    Literal,
    Mark,
    Matrix,
    Name,
    Node,
    Operator,
    Reading,
    Scripted,
    differences,
    walk,
    walk_reading,
)

if TYPE_CHECKING:
    from derivations.latex.lexicon.name_roles import Names


def collect_letters(names: Names, readings: list[Reading], nodes: list[Node]) -> None:
    """Note which letters of a document are indices, and which are sizes."""
    counted = set(_indices_of_lefts(names, readings))
    for r in readings:
        here = list(walk_reading(r))
        free = {c for n in here if isinstance(n, Scripted) for c in names.slot_letters(n)}
        bound = {c for n in here if isinstance(n, Big) for c in _bound_by(n)}
        for n in here:
            if isinstance(n, Big):
                names.bound |= {letter(n.sub.first if isinstance(n.sub, Chain) else n.sub) or ""}
                _collect_limits(names, n, free, bound)
        chain = r.chain
        maps = [n for relation, n in chain.links if relation == "colon" and isinstance(n, Chain)]
        ends = [("in", n) for m in maps for n in m.parts]  # \phi: R^d \to R^r
        for relation, right in (*chain.links, *ends):
            space = relation == "in" and isinstance(right, Scripted) and isinstance(right.base, Name)
            if space and isinstance(right, Scripted) and right.sup is not None and _is_space(right.base):
                lengths = set(names.size_names(right.sup))
                names.sizes |= lengths
                names.lengths_of_spaces |= lengths
            if relation == "=" and isinstance(right, Listed) and letter(chain.first) is not None:
                _collect_range(names, chain.first, right)
        left = [n for n in walk(chain.first) if isinstance(n, Scripted)] if chain.first is not None else []
        of_left = {c for n in left for c in names.slot_letters(n) if c.islower()} if chain.links else set()
        for n in (Listed(n.span, n.arguments) if isinstance(n, Operator) else n for n in here):
            if isinstance(n, Listed) and any(isinstance(i, Mark) and i.kind == "dots" for i in n.items):
                _collect_enumeration(names, n, of_left)
            if isinstance(n, Listed) or (isinstance(n, Matrix) and all(len(row) == 1 for row in n.rows)):
                _collect_members(names, n.parts, of_left | counted)
    for n in nodes:
        if isinstance(n, Scripted):
            names.index_letters |= set(names.slot_letters(n))
    names.sizes |= {c for n in nodes if isinstance(n, Scripted) and n.sub is not None for c in _divisors(n.sub)}
    for n in nodes:
        if isinstance(n, Chain):
            last = set(_ends(names, n))
            names.sizes |= ({*_widths(names, n)} | last) - names.index_letters
            names.sizes |= {c for c in last if is_upper(c)}  # also where the last place is named, x_T
    names.sizes -= {c for r in readings for c in (*_steps(names, r.chain), *_ranging(r.chain), *_between(names, r))}
    own = defined_letters(r.chain for r in readings)
    rounded = [f for r in readings for f in rounded_functions(r.chain)]
    applied = {n.name.base: n.name for n in nodes if isinstance(n, Label) and n.is_call}
    in_places = (f.body for f in rounded if f.name.base in applied)
    names.sizes |= {c for body in in_places for c in lengths_of_rounded(body)} - names.index_letters - own
    for n in (n for r in readings for n in counts_of_means(r.chain)):
        names.sizes |= set(names.size_names(n)) - names.index_letters - own
    names.index_letters -= names.sizes
    index_maps = [*applied.values(), *(f.name for f in rounded)]
    names.index_maps |= {w.stem for n in index_maps if (w := names.written(n)) is not None}


def _indices_of_lefts(names: Names, readings: Sequence[Reading]) -> Iterator[str]:
    r"""The letters i of `y_i = …`: where the words say that i sees `1, \dots, i`, it is an index still, and no size."""
    for first in (r.chain.first for r in readings if r.chain.links and r.chain.links[0][0] in ("=", "equiv")):
        own = names.written(first) if isinstance(first, Scripted) else None
        yield from (c for s in (own.slots if own is not None else ()) if (c := letter(s.node)) and c.islower())


def raised_numbers(nodes: Sequence[Node]) -> Iterator[tuple[str, str]]:
    r"""The 1 of `\beta_1^t` beside `\beta_1`: a member of a family has its index everywhere, so that t is a power.

    Bold names, capitals, and names that have indices in parentheses above are no numbers.
    """
    alone: set[tuple[str, str]] = set()
    above: set[tuple[str, str]] = set()
    others: set[str] = set()
    for n in nodes:
        if not isinstance(n, Scripted) or not isinstance(n.base, Name):
            continue
        if is_upper(n.base.base) or is_bold(n.base) or isinstance(n.sup, Enclosed):
            others.add(n.base.base)
        elif isinstance(n.sub, Literal) and n.sup is None:
            alone.add((n.base.base, n.sub.text))
        elif isinstance(n.sub, Literal):
            above.add((n.base.base, n.sub.text))
    yield from (key for key in sorted(above & alone) if key[0] not in others)


def _ranging(chain: Chain) -> Iterator[str]:
    r"""The letter of a range, `i = 1, \\dots, d`: also where a sum ends at it in one formula, it is an index."""
    for relation, right in chain.links:
        dots = isinstance(right, Listed) and any(isinstance(m, Mark) and m.kind == "dots" for m in right.items)
        if relation == "=" and dots and (c := letter(chain.first)) is not None and c.islower():
            yield c


def _between(names: Names, reading: Reading) -> Iterator[str]:
    r"""The letter of a range beside an equation for a family, `G_t = …` for `0 \le t \le T - 1`: an index."""
    first = reading.chain.first
    own = names.written(first) if isinstance(first, Scripted) else None
    letters = {c for s in own.slots if (c := letter(s.node)) is not None} if own is not None else set()
    for condition in reading.conditions if letters else ():
        if isinstance(condition, Chain) and len(condition.links) == 2:
            (one, middle), (two, _) = condition.links
            if one in ("<", "<=") and two in ("<", "<=") and letter(middle) in letters:
                yield letter(middle) or ""


def _steps(names: Names, chain: Chain) -> Iterator[str]:
    """The letter t of a recurrence `m_t = … m_{t-1} …`: an index, also where `1 - b^t` or a sum up to t stands alone."""
    own = names.written(chain.first) if isinstance(chain.first, Scripted) else None
    letters = {c for s in own.slots if (c := letter(s.node)) is not None} if own is not None else set()
    if own is None or not letters or not chain.links or chain.links[0][0] != "=":
        return
    for n in walk(chain.links[0][1]):
        w = names.written(n) if isinstance(n, Scripted) else None
        for s in w.slots if w is not None and w.stem == own.stem else ():
            if is_before(s.node) and isinstance(s.node, Infix) and letter(s.node.left) in letters:
                yield letter(s.node.left) or ""


def _divisors(node: Node) -> Iterator[str]:
    r"""The r of `K_{\\lfloor h / r \\rfloor}`, and of `K_{h \\bmod r}`: a number of places."""
    for n in walk(node):
        if isinstance(n, Enclosed) and n.kind in ("floor", "ceil"):
            inner = n.content
            is_ratio = isinstance(inner, Fraction) or (isinstance(inner, Infix) and inner.operator == "/")
            if inner is not None and is_ratio and (c := letter(inner.parts[1])) is not None:
                yield c
        elif isinstance(n, Infix) and n.operator == "mod" and (c := letter(n.right)) is not None:
            yield c


def _ends(names: Names, n: Chain) -> Iterator[str]:
    """The length that ends the range of an index, `0 <= i < d/2`, `1 <= t <= T`."""
    relations = [relation for relation, _ in n.links]
    if not isinstance(n.first, Literal) or len(relations) != 2 or not {"<", "<="}.issuperset(relations):
        return
    (_, index), (_, end) = n.links
    if n.first.text in ("0", "1") and letter(index) in names.index_letters:
        while isinstance(end, Fraction | Infix) and isinstance(end.parts[1], Literal):
            end = end.parts[0]
        yield from names.size_names(end)


def _widths(names: Names, n: Chain) -> Iterator[str]:
    """The width w of a window, `|i - j| <= w`, `0 <= i - j < w`, `i - w < j`: what is compared with two indices."""
    for one, (relation, other) in zip(n.parts, n.links, strict=False) if n.first is not None else ():
        inside = [*_summands(_without_bars(one))]
        if one is not _without_bars(one) and all(letter(p) in names.index_letters for p in inside):
            yield from names.size_names(other)
            continue
        summands = [*inside, *_summands(_without_bars(other))]
        letters = [letter(p) for p in summands if not isinstance(p, Literal)]
        others = [p for p in summands if letter(p) not in names.index_letters and not isinstance(p, Literal)]
        if relation in ("<", "<=", ">", ">=") and len(letters) == 3 and len(others) == 1 and None not in letters:
            yield from names.size_names(others[0])


def _without_bars(node: Node) -> Node | None:
    node = unworded(node)
    return node.content if isinstance(node, Enclosed) and node.kind == "||" else node


def _summands(node: Node | None) -> Iterator[Node]:
    if isinstance(node, Infix) and node.operator in ("+", "-"):
        yield from (x for p in node.parts for x in _summands(p))
    elif node is not None:
        yield node


def _bound_by(n: Big) -> Iterator[str]:
    """The letter of a sum that starts from a number: within it, another sum may end at a multiple of it."""
    if isinstance(n.sub, Chain) and [r for r, _ in n.sub.links] == ["="] and isinstance(n.sub.links[0][1], Literal):
        if (c := letter(n.sub.first)) is not None:
            yield c


def _collect_limits(names: Names, n: Big, free: set[str], bound: set[str]) -> None:
    sub = n.sub
    if isinstance(sub, Chain) and len(sub.links) == 1 and sub.links[0][0] == "=":
        start = sub.links[0][1]
        if isinstance(start, Literal) and start.text in ("0", "1"):
            names.starts.add(int(start.text))
        if (c := letter(sub.first)) is not None:
            names.index_letters.add(c)
    elif (c := letter(sub)) is not None:
        names.index_letters.add(c)
    if n.sup is not None and not (letter(n.sup) in free and not (letter(n.sup) or "").isupper()):
        if isinstance(n.sup, Infix) and n.sup.operator == "-":
            names.sizes |= set(names.size_names(n.sup.left)) - free - bound
        else:
            names.sizes |= set(names.size_names(n.sup)) - bound


def _collect_range(names: Names, first: Node | None, right: Listed) -> None:
    """`i = 1, …, n`."""
    start, end = right.items[0], right.items[-1]
    if any(isinstance(i, Mark) for i in right.items) and isinstance(start, Literal) and start.text in ("0", "1"):
        names.starts.add(int(start.text))
        if (c := letter(first)) is not None:
            names.index_letters.add(c)
        if isinstance(end, Infix) and end.operator == "-":
            end = end.left
        names.sizes |= set(names.size_names(end))


def _collect_enumeration(names: Names, n: Listed, of_left: set[str]) -> None:
    """`k_1, …, k_n`; in `m_i = \\max(x_1, …, x_i)` the last one is an index of the left side."""
    start, end = n.items[0], n.items[-1]
    if isinstance(start, Scripted) and isinstance(end, Scripted):
        for a, b in ((start.sub, end.sub), (start.sup, end.sup)):
            a = a.content if isinstance(a, Enclosed) else a
            b = b.content if isinstance(b, Enclosed) else b
            if isinstance(a, Literal) and a.text == "0" and isinstance(b, Infix) and b.operator == "-":
                b = b.left if isinstance(b.right, Literal) and b.right.text == "1" else b  # r_0, …, r_{T-1}
            if isinstance(a, Literal) and a.text in ("0", "1") and (c := letter(b)) is not None:
                names.starts.add(int(a.text))
                names.sizes |= {c} - of_left


def _collect_members(names: Names, parts: Sequence[Node], of_left: set[str]) -> None:
    """`f(1), f(2), …, f(n)`, also by turns: `f(1), g(1), …, f(d/2), g(d/2)`."""
    if not any(isinstance(p, Mark) for p in parts):
        return
    members = [p for p in parts if not isinstance(p, Mark)]
    for last in reversed(members[-3:]):
        pairs = differences(members[0], last) if last is not members[0] else []
        ends = {letter(b.parts[0] if isinstance(b, Fraction | Infix) and len(b.parts) == 2 else b) for _, b in pairs}
        if len(ends) == 1 and all(isinstance(a, Literal) and a.text in ("0", "1") for a, _ in pairs):
            names.sizes |= {c for c in ends if c is not None and c not in names.index_letters | of_left}
            return


def _is_space(node: Node) -> bool:
    return isinstance(node, Name) and node.base in ("R", "C")
