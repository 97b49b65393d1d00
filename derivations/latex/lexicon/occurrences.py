"""What the places where a name occurs show of it: how many indices and arguments it has, and whether it is a vector."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from derivations.latex.lexicon.written_names import Written, is_bold
from derivations.latex.syntax.function_names import arguments_of
from derivations.latex.syntax.letters import is_upper, letter
from derivations.latex.syntax.surface import (
    Adjacent,
    Big,
    Chain,
    Enclosed,
    Fraction,
    Infix,
    Listed,
    Literal,
    Name,
    Node,
    Prefix,
    Reading,
    Scripted,
    walk,
)

if TYPE_CHECKING:
    from derivations.latex.lexicon.name_roles import Names


@dataclass(slots=True)
class Evidence:
    """What the occurrences of a name say about its axes."""

    slots: int = 0
    vector_slots: int = -1
    """Largest number of slots at which what remains is a vector (bold letter, transpose sign, bare token index)."""
    shown_slots: int = -1
    """The same where it is written or said to be one, and not only beside what is usually a weight matrix."""
    numbers: bool = False
    """An equation says that its entries are a number other than 0, which may stand for an array: `w_i = 1`."""
    bare: bool = False
    """It occurs without any index."""
    transposed: bool = False
    counts: set[int] = field(default_factory=set)
    alone: bool = False
    """It occurs somewhere without parentheses after it, so it is not a function."""
    bare_plain: bool = False
    """It occurs without any index in a font that is not bold."""
    zero: bool = False
    """Index 0 occurs in a slot."""
    even: bool = False
    """An even place occurs in a slot, `2i`."""
    before_even: bool = False
    """The place before an even one occurs in a slot, `2i - 1`: its places start from 1."""
    zero_with: set[str] = field(default_factory=set)
    """Names that start from 0 and share an index letter with it."""
    halves: dict[int, str] = field(default_factory=dict)
    """Slots in which a place `i + d/2` is written, and that size d: the axis has two halves."""

    @property
    def from_zero(self) -> bool:
        """Whether its places start from 0: even and odd ones, 2j and 2j + 1, fill an axis that does."""
        return self.zero or (self.even and not self.before_even)


def numbers_below(names: Names, nodes: list[Node]) -> dict[str, set[str]]:
    """The whole numbers that stand as subscripts of each name."""
    found: dict[str, set[str]] = defaultdict(set)
    for n in nodes:
        if isinstance(n, Scripted) and isinstance(n.base, Name) and isinstance(n.sub, Literal):
            found[names.stem(n.base) or ""].add(n.sub.text)
    return found


def collect_maps(names: Names, trees: list[Reading], nodes: list[Node]) -> None:
    r"""`\phi(q)^\top`, where phi stands nowhere without an argument, and `\phi(q) \in \mathbb{R}^r`: its values are vectors."""
    applied = [
        (head, after)
        for n in nodes
        if isinstance(n, Adjacent)
        for head, after in zip(n.items, n.items[1:], strict=False)
        if isinstance(head, Name) and isinstance(after.base if isinstance(after, Scripted) else after, Enclosed)
    ]
    heads = {id(head) for head, _ in applied}
    found = set()
    for head, after in applied:
        if isinstance(after, Scripted) and isinstance(after.base, Enclosed) and after.base.kind == "()":
            content, w = after.base.content, names.written(head)
            plain = content is not None and names.written(content) is not None and letter(content) not in names.bound
            if plain and w is not None and not is_upper(w.stem) and not w.slots and names.generic_slots(after)[1]:
                found.add(w.stem)
    stated = {w.stem for r in trees if (w := _of_vector_values(names, r)) is not None}
    spoken = {id(r.chain.first) for r in trees if not r.chain.links or r.chain.links[0][0] == "colon"}
    alone = {names.stem(n) for n in nodes if isinstance(n, Name) and id(n) not in heads | spoken}
    names.maps = (found - alone | stated) - names.sizes


def _of_vector_values(names: Names, r: Reading) -> Written | None:
    r"""The function of `\phi(x) \in \mathbb{R}^r`."""
    first = r.chain.first
    if (
        not isinstance(first, Adjacent)
        or len(first.items) != 2
        or [relation for relation, _ in r.chain.links] != ["in"]
    ):
        return None
    head, after = first.items
    space = r.chain.links[0][1]
    if (
        not isinstance(head, Name)
        or not isinstance(after, Enclosed)
        or after.kind != "()"
        or not isinstance(space, Scripted)
    ):
        return None
    is_of_vectors = isinstance(space.base, Name) and space.base.font == "blackboard" and space.sub is None
    power = space.sup
    if not is_of_vectors or power is None or any(isinstance(n, Infix) and n.operator == "times" for n in walk(power)):
        return None
    w = names.written(head)
    return w if w is not None and not w.slots and not is_upper(w.stem) else None


def collect_left_side(names: Names, r: Reading, shaped: set[str]) -> None:
    """What a definition says of the name on its left side: a function, a square, or a name as it stands."""
    first = r.chain.first
    if first is None or not r.chain.links or r.chain.links[0][0] not in ("=", "equiv", "gets"):
        return
    if isinstance(first, Adjacent) and len(first.items) == 2:
        head, arguments = first.items
        if isinstance(arguments, Scripted):
            arguments = arguments.base
        w = names.written(head)
        if w is not None and isinstance(arguments, Enclosed) and arguments.kind == "()" and _is_call(w, arguments):
            names.functions.add(w.stem)
            _note_arity(names, w.stem, arguments)
            names.squares |= set(_squared(names, arguments))
    if isinstance(first, Name):
        names.plain.add(names.stem(first) or "")
    if not isinstance(first, Scripted) or not isinstance(first.base, Name):
        return
    stem = names.stem(first.base)
    if stem is None:
        return
    label, _ = names.labelled(first.base, first.sub)
    stem = stem if label is None else f"{stem}_{label}"
    right = r.chain.links[0][1]
    if isinstance(right, Literal) and right.text != "0" and (w := names.written(first)) is not None and w.slots:
        names.evidence[w.stem].numbers = True
    if not (isinstance(first.sup, Literal) and first.sup.text == "2"):
        names.plain.add(stem)
    elif is_upper(stem) and (is_bold(first.base) or stem in shaped):
        return  # P^2 = P is said of a matrix
    elif any(_is_bare_use(names, n, stem) for n in walk(right)):
        return  # y_i^2 = y_i is said of y
    elif stem not in names.plain:  # y_i^2 after y_i = … is no name
        names.squares.add(stem)


def _is_bare_use(names: Names, node: Node, stem: str) -> bool:
    """Whether a name stands somewhere as it is, with indices below it and nothing above."""
    base, above = (node.base, node.sup) if isinstance(node, Scripted) else (node, None)
    return isinstance(base, Name) and above is None and names.stem(base) == stem and node is not base


_ORDERS = frozenset({"<", "<=", ">", ">="})


def said_negative(names: Names, trees: list[Reading]) -> Iterator[str]:
    r"""Names that the text says lie below zero, `s < 0`, `0 > s` or `s < -1`: such a name is no root of its square."""
    for chain in [c for r in trees for c in (r.chain, *r.conditions) if isinstance(c, Chain)]:
        left = chain.first
        for relation, right in chain.links:
            small, great = (left, right) if relation in ("<", "<=") else (right, left)
            if relation in _ORDERS and isinstance(small, Name) and _is_zero_or_less(great):
                yield names.stem(small) or ""
            left = right


def _is_zero_or_less(node: Node | None) -> bool:
    """`0`, and what a minus sign stands before."""
    return (isinstance(node, Literal) and node.text == "0") or (isinstance(node, Prefix) and node.operator == "-")


def _squared(names: Names, arguments: Enclosed) -> Iterator[str]:
    r"""The parameters that are written as squares: the variance of `N(x; \mu, \sigma^2) = …`."""
    items = arguments.content.items if isinstance(arguments.content, Listed) else (arguments.content,)
    for n in items if len(items) > 1 else ():
        if isinstance(n, Scripted) and isinstance(n.base, Name) and isinstance(n.sup, Literal) and n.sup.text == "2":
            stem = names.stem(n.base)
            if n.sub is None and stem is not None and not is_upper(stem):
                yield stem


def _is_call(w: Written, arguments: Enclosed) -> bool:
    r"""Whether a name before parentheses on the left of an equation is a function: not in `A^\top (b - A x)`, `D (I - P)`."""
    if w.transposed or w.power is not None:
        return False
    content = arguments.content
    is_sum = isinstance(content, Infix) and content.operator in ("+", "-")
    return not (is_sum and is_upper(w.stem) and len(w.stem) == 1)


def count_indices(names: Names, n: Scripted) -> None:
    """How many indices stand below a name, where commas or letters tell."""
    stem = names.stem(n.base) if isinstance(n.base, Name) else None
    if isinstance(n.sub, Infix) and _is_multiple(n.sub.left):
        names.multiples.add(n.sub.left.parts[0].text)  # type: ignore[attr-defined]
    if stem is None or n.sub is None:
        return
    if isinstance(n.sub, Listed):
        names.evidence[stem].counts.add(len(n.sub.items))
    elif isinstance(n.sub, Infix) and _is_multiple(n.sub.left):
        names.evidence[stem].counts.add(1)  # x_{2i-1}, so that x_{2i} has one index too
    elif isinstance(n.sub, Adjacent) and all(letter(i) for i in n.sub.items):
        names.evidence[stem].counts.add(len(n.sub.items))
    elif isinstance(n.sub, Adjacent) and all(letter(i) or isinstance(i, Literal) for i in n.sub.items):
        names.mixed.add((stem, len(n.sub.items)))
    elif isinstance(n.sub, Literal) and len(n.sub.text) > 1 and n.sub.text.isdigit():
        names.mixed.add((stem, -len(n.sub.text)))


def _is_multiple(node: Node) -> bool:
    """`2i`: a number before a letter."""
    items = node.items if isinstance(node, Adjacent) else ()
    return len(items) == 2 and isinstance(items[0], Literal) and letter(items[1]) is not None


def collect_occurrence(names: Names, n: Node) -> None:
    """What one node shows: the indices of a name, a set that a sum runs over, the arguments of a function."""
    if isinstance(n, Scripted):
        note_occurrence(names, names.written(n))
    if isinstance(n, Big) and isinstance(n.sub, Chain) and [r for r, _ in n.sub.links] == ["in"]:
        names.sets |= {w.stem for w in (names.written(n.sub.links[0][1]),) if w is not None}
    if isinstance(n, Adjacent):
        for head, after in zip(n.items, n.items[1:], strict=False):
            w = names.written(head)
            if w is None or not isinstance(after, Enclosed) or after.kind != "()" or w.font == "blackboard":
                continue
            single = _is_argument(after.content) or (not is_upper(w.stem) and _is_member(names, after.content))
            if single and not w.slots and w.stem[0] not in "WU" and w.power is None:
                names.applied.add(w.stem)
            inner = after.content.base if isinstance(after.content, Scripted) else after.content
            if w.slots and w.stem[0] not in "WU" and w.power is None and letter(inner) is not None:
                names.members_applied.add(w.stem)
            many = isinstance(after.content, Listed)
            _note_arity(names, w.stem, after)
            for item in after.content.items if isinstance(after.content, Listed) else ():
                _note_parity(names, w.stem, item)
            word = w.font == "roman" and len(w.stem) > 1
            if many or word:
                names.functions.add(w.stem)


def _note_arity(names: Names, stem: str, arguments: Enclosed) -> None:
    nodes, signs = arguments_of(arguments)
    if signs:
        names.functions.add(names.overloaded(stem, len(nodes), signs))
    else:
        names.arities.setdefault(stem, max(len(nodes), 1))


def _is_member(names: Names, node: Node | None) -> bool:
    r"""`\sigma(Q_t)`: a factor has no single name in parentheses after it."""
    w = names.written(node) if isinstance(node, Scripted) else None
    return w is not None and w.power is None and bool(w.slots)


def _note_parity(names: Names, stem: str, node: Node) -> None:
    """`PE(pos, 2i)` and `PE(pos, 2i + 1)` together: positions that start from 0."""
    odd = (
        isinstance(node, Infix) and node.operator == "+" and isinstance(node.right, Literal) and node.right.text == "1"
    )
    even = node.left if isinstance(node, Infix) and odd else node
    if isinstance(even, Adjacent) and isinstance(even.items[0], Literal) and even.items[0].text == "2":
        names.parities.add((stem, odd))
        names.evidence[stem].zero |= {(stem, False), (stem, True)} <= names.parities


def note_occurrence(names: Names, w: Written | None) -> None:
    """The axes of a name as one of its places shows them."""
    if w is None or w.stem in names.functions:
        return
    e = names.evidence[w.stem]
    count = len(w.slots)
    e.slots = max(e.slots, count)
    e.bare = e.bare or not count
    e.bare_plain = e.bare_plain or (not count and not w.bold)
    e.transposed = e.transposed or w.transposed
    e.zero = e.zero or any(isinstance(s.node, Literal) and s.node.text == "0" for s in w.slots)
    # floor(h / g) is 0 for the first h
    e.zero = e.zero or any(isinstance(s.node, Enclosed) and s.node.kind == "floor" for s in w.slots)
    e.even = e.even or any(_is_even_place(s.node) for s in w.slots)
    e.before_even = e.before_even or any(_is_before_multiple(s.node) for s in w.slots)
    for k, s in enumerate(w.slots):
        if (size := _halved(names, s.node)) is not None:
            e.halves[k] = size
    lower = not is_upper(w.stem)
    whole = sum(1 for s in w.slots if s.node is None)
    if lower and (w.bold or w.transposed) and not whole:
        e.vector_slots, e.shown_slots = max(e.vector_slots, count), max(e.shown_slots, count)
    elif lower and count == 1 and w.slots[0].style == "u" and w.font == "" and not e.numbers:
        e.vector_slots, e.shown_slots = max(e.vector_slots, count), max(e.shown_slots, count)


def _is_even_place(node: Node | None) -> bool:
    """`2j`."""
    return isinstance(node, Adjacent) and isinstance(node.items[0], Literal)


def _is_before_multiple(node: Node | None) -> bool:
    """`2j - 1`."""
    is_difference = isinstance(node, Infix) and node.operator == "-" and _is_even_place(node.left)
    return is_difference and isinstance(node.right, Literal) and node.right.text == "1"  # type: ignore[union-attr]


def _halved(names: Names, node: Node | None) -> str | None:
    """The size d of a place `i + d/2`."""
    if not isinstance(node, Infix) or node.operator != "+" or letter(node.left) is None:
        return None
    half = node.right
    if isinstance(half, Fraction):
        above, below = half.above, half.below
    elif isinstance(half, Infix) and half.operator == "/":
        above, below = half.left, half.right
    else:
        return None
    size = names.written(above)
    return size.stem if isinstance(below, Literal) and below.text == "2" and size and not size.slots else None


def _is_argument(node: Node | None) -> bool:
    """`\\theta`, `m\\theta`, `-t`: what stands in parentheses after a function, and never after a factor."""
    if isinstance(node, Prefix) and node.operator == "-":
        return _is_argument(node.operand)
    if isinstance(node, Adjacent):
        return all(isinstance(i, Literal) or (letter(i) or "A").islower() for i in node.items)
    c = letter(node)
    return c is not None and c[0].islower() and isinstance(node, Name) and not node.primes
