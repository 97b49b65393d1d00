"""What the letters of a document are: labels, index slots, sizes, functions, and how many axes each name has.

Evidence is gathered over the whole document before anything is elaborated: `d_k` is a size because a shape or an upper
limit says so, `W_q` is a label because `W_v` stands beside it, `k_i` is a family of vectors because it is bold.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from derivations.latex.lexicon.labels import Labels
from derivations.latex.lexicon.things_in_subscripts import numbers_in_subscripts, things_in_subscripts
from derivations.latex.lexicon.two_fonts import families_beside_numbers, numbers_beside_arrays
from derivations.latex.lexicon.unknown_functions import ShownValues, arguments_of, shown_values
from derivations.latex.lexicon.vectors_beside_weights import vectors
from derivations.latex.lexicon.words_in_scripts import run_of, words_of_scripts
from derivations.latex.passes.means import counted as counts_of_means
from derivations.latex.passes.means import defined_letters
from derivations.latex.syntax.letters import (
    ALONE,
    FAMILY,
    GREEK,
    MATRICES,
    SQUARE,
    WHOLE,
    cleaned,
    is_transpose,
    is_upper,
    label_of,
    letter,
    letters_in,
    unworded,
)
from derivations.latex.syntax.notation import ACCENTS
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
    Prefix,
    Reading,
    Scripted,
    Span,
    Words,
    differences,
    walk,
)


@dataclass(frozen=True, slots=True)
class Slot:
    """One written index: its node (None for `:`) and its style: `d` below, `u` above in parentheses, `p` above."""

    node: Node | None
    style: str


@dataclass(frozen=True, slots=True)
class Written:
    """A name as written: `stem` with accents, primes and labels; index slots; a transpose sign; a power."""

    stem: str
    bold: bool
    font: str
    slots: tuple[Slot, ...]
    transposed: bool
    power: Node | None
    span: Span

    def named(self, stem: str) -> Written:
        """The same with another name."""
        return replace(self, stem=stem)


Form = tuple[int, bool]
"""How a name is written: the number of its indices, and whether one of them stands above in parentheses."""


def are_indices(nodes: Sequence[Node]) -> bool:
    """Small single letters, side by side."""
    return all((letter(n) or "A")[0].islower() for n in nodes)


def form(w: Written) -> Form:
    return len(w.slots), any(s.style == "u" for s in w.slots)


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
    zero_with: set[str] = field(default_factory=set)
    """Names that start from 0 and share an index letter with it."""
    halves: dict[int, str] = field(default_factory=dict)
    """Slots in which a place `i + d/2` is written, and that size d: the axis has two halves."""


EULER = "e"
"""The name whose powers are exponentials, unless the text has another use for it."""
_LOOKS = frozenset({"cal", "fra", "bla", "prime"})
"""What fonts and primes add to a stem: no label."""


def is_bold(name: Name) -> bool:
    r"""Whether a letter is marked as an array: `\mathbf{x}`, or `\vec{x}`, whose entries are `x_i` as those of the first."""
    return name.font == "bold" or "vec" in name.accents


def without_accents(stem: str) -> str:
    """The stem of `O` for that of `\\tilde{O}`."""
    return "_".join(part for k, part in enumerate(stem.split("_")) if not k or part not in ACCENTS)


class Names(Labels):
    """The evidence of a document about its names."""

    def __init__(
        self,
        readings: Iterable[Reading] = (),
        labels: Iterable[tuple[str, str]] = (),
        counted: Iterable[Node] = (),
        apart: Mapping[str, Form] | None = None,
    ) -> None:
        self._settled: dict[int, tuple[Node, Written | None]] | None = None
        self.apart = dict(apart or {})
        """Names that are taken for two: in this form they are a batch of what they are in the others."""
        self.labels: set[tuple[str, str]] = set(labels)
        self.words: set[tuple[str, str]] = set()
        """Names and runs of letters in their scripts that are one word: `D_{KL}`."""
        self.upper = False
        """Indices stand above, as in `S^{ij}`: several capitals have two letters there, and nothing below."""
        counted = list(counted)
        for n in counted:
            if isinstance(n, Scripted) and isinstance(n.base, Name) and (c := letter(n.sub)) is not None:
                self.labels.add((n.base.base, c))
        self.stated_base: int | None = None
        """The number that indices start from, where the author declares it."""
        self.bases: dict[str, int] = {}
        """The same for single names."""
        self.sizes: set[str] = set()
        self.index_letters: set[str] = set()
        self.functions: set[str] = set()
        self.squares: set[str] = set()
        self.plain: set[str] = set()
        """Names that an equation defines as they are, not their squares."""
        self.parted: set[str] = set()
        """Names of a whole and, with an index, of its parts: `W = [W_1, …, W_h]`."""
        self.in_two_fonts: dict[str, int] = {}
        """Names of vectors with so many indices in bold, and of numbers with as many in italics."""
        self.numbers_alone: set[str] = set()
        """Names of numbers in italics without an index, and of arrays in bold, or families with an index."""
        self.fixed: dict[str, tuple[Slot, ...]] = {}
        """Indices that the text fixes and that a name depends on without showing them."""
        self.members_applied: set[str] = set()
        """Families whose members stand before a single name in parentheses, `f_e(u)`: nobody writes a product so."""
        self.applied: set[str] = set()
        """Names that stand before a single name in parentheses: functions, unless a shape is declared for them."""
        self.powers_of_e = False
        r"""Whether the document writes the exponential function as a power of e."""
        self.writes_determinants = False
        r"""Whether `\det`, or a matrix between bars, stands somewhere in the document."""
        self.said_functions: set[str] = set()
        """Names that the text calls functions: an activation, a feature map."""
        self.arities: dict[str, int] = {}
        """How many arguments each name has on the first left side that has some, else where it first has some."""
        self.maps: set[str] = set()
        r"""Names whose values are transposed, `\phi(q)^\top \phi(k)`: functions whose values are vectors."""
        self.shown = ShownValues()
        """Which functions that nothing defines have values that are numbers, and which vectors."""
        self.differentials = False
        """`dX` is one name: the gradient of a loss in X."""
        self.imaginary: frozenset[str] = frozenset()
        """The letters that are the imaginary unit where they are no index."""
        self.random: frozenset[str] = frozenset()
        """Names of random numbers, and of families of them."""
        self.divisors: set[str] = set()
        """Names that something is divided by, or that are compared with a number: numbers, also when they are capitals."""
        self.bound: set[str] = set()
        """Letters that sums and maxima bind."""
        self.sets: set[str] = set()
        """Names of sets that sums run over."""
        self.unscripted: set[str] = set()
        """Names that occur without any script."""
        self.matrices: set[str] = set()
        """Names that the text calls matrices."""
        self.factors: set[str] = set()
        """Names that occur without any script as factors of a product."""
        self.numbered: set[str] = set()
        """Names with the number 1 above them: one of several, `W^1` beside `W^2`, and no power."""
        self.upright: set[str] = set()
        """Letters that are indices in upright type."""
        self.in_dots_alone: frozenset[str] = frozenset()
        """Names that stand beside the dot of a product, and nowhere else."""
        self.evidence: dict[str, Evidence] = defaultdict(Evidence)
        self.parities: set[tuple[str, bool]] = set()
        """Names that are applied to even and to odd numbers (whether odd)."""
        self.starts: set[int] = set()
        self.mixed: set[tuple[str, int]] = set()
        trees = list(readings)
        nodes = [n for r in trees for n in self._nodes(r)]
        self.both_ways = any("overleftarrow" in n.accents for n in nodes if isinstance(n, Name))
        """Whether arrows tell two things of one letter apart: forwards and backwards."""
        pairs = [n for n in nodes if isinstance(n, Scripted) and n.sub is None and isinstance(n.sup, Adjacent)]
        above = {
            n.base.base for n in pairs if isinstance(n.base, Name) and n.sup is not None and are_indices(n.sup.parts)
        }
        self.upper = len({base for base in above if len(base) == 1 and base.isupper()}) > 1
        self.words = words_of_scripts(nodes)
        self._collect_labels(nodes)
        self.labels |= things_in_subscripts(trees) | numbers_in_subscripts(trees)
        subs = [n.sub for n in nodes if isinstance(n, Scripted)]
        self.upright = {
            c for s in subs if isinstance(s, Name) and s.font == "roman" and (c := letter(s)) in tuple("ijt")
        }
        self.upright |= {s.text for s in subs if isinstance(s, Words) and s.text in "ijt"}
        self._collect_letters(trees, nodes)
        for n in counted:  # n_h heads, H heads
            w = self.written(n)
            if (
                w is not None
                and not w.slots
                and not w.bold
                and w.power is None
                and w.stem not in self._members_of_spaces(trees)
            ):
                self.sizes.add(w.stem)
        self.labels |= set(self._labels_of_counts(trees, nodes))
        self.index_letters -= self.sizes
        self._collect_parted(trees)
        self._collect_unbound(trees, nodes)
        self.in_dots_alone = self._found_in_dots_alone(nodes)
        for n in nodes:  # counts first: `_{22}` is read by them
            if isinstance(n, Scripted):
                self._count(n)
        for stem, count in self.mixed:  # `_{21}` and `_{2j}` together are two indices
            if count > 0 and (stem, -count) in self.mixed:
                self.evidence[stem].counts.add(count)
        for stem, below in self._numbers_below(nodes).items():  # q_{11}, q_{12}, q_{21}: entries of a matrix
            if "11" in below and below & {"12", "21"} and all(len(n) == 2 for n in below):
                self.evidence[stem].counts.add(2)
        shaped = self._members_of_spaces(trees)
        for r in trees:
            self._collect_left(r, shaped)
        self.settle()  # what follows learns nothing that scripts are told apart by
        self.in_two_fonts, self.numbers_alone = families_beside_numbers(self, nodes), numbers_beside_arrays(self, nodes)
        self.settle()
        for n in nodes:
            self._collect_occurrence(n)
        self._collect_starts(nodes)
        for vector, is_shown in vectors(self, nodes):
            e = self.evidence[vector.stem]
            e.vector_slots = max(e.vector_slots, len(vector.slots))
            e.shown_slots = max(e.shown_slots, len(vector.slots) if is_shown else -1)
        inner = {id(n.base) for n in nodes if isinstance(n, Scripted)}
        for n in nodes:
            if isinstance(n, Name) and id(n) not in inner:
                self._note(self.written(n))
                self.unscripted.add(self._stem(n) or "")
            elif isinstance(n, Adjacent):
                self.factors |= {self._stem(m) or "" for m in n.items if isinstance(m, Name)}
            elif (
                isinstance(n, Scripted)
                and isinstance(n.base, Name)
                and isinstance(n.sup, Literal)
                and n.sup.text == "1"
            ):
                self.numbered.add(self._stem(n.base) or "")
        called = {
            id(head)
            for n in nodes
            if isinstance(n, Adjacent)
            for head, after in zip(n.items, n.items[1:], strict=False)
            if isinstance(after.base if isinstance(after, Scripted) else after, Enclosed)
        }
        for n in nodes:
            if isinstance(n, Name | Scripted) and id(n) not in inner and id(n) not in called:
                w = self.written(n)
                if w is not None:
                    self.evidence[w.stem].alone = True
        self._collect_maps(trees, nodes)
        self.shown = shown_values([r.chain for r in trees], self._called)
        self._zero_ranges(trees)
        self._spread_zero(trees)
        self._collect_divisors(nodes)
        self.learn()

    def _numbers_below(self, nodes: list[Node]) -> dict[str, set[str]]:
        """The whole numbers that stand as subscripts of each name."""
        found: dict[str, set[str]] = defaultdict(set)
        for n in nodes:
            if isinstance(n, Scripted) and isinstance(n.base, Name) and isinstance(n.sub, Literal):
                found[self._stem(n.base) or ""].add(n.sub.text)
        return found

    def _collect_maps(self, trees: list[Reading], nodes: list[Node]) -> None:
        r"""`\phi(q)^\top`, where phi stands in no equation without an argument: its values are vectors."""
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
                content, w = after.base.content, self.written(head)
                plain = content is not None and self.written(content) is not None and letter(content) not in self.bound
                if plain and w is not None and not is_upper(w.stem) and not w.slots and self.generic_slots(after)[1]:
                    found.add(w.stem)
        spoken = {id(r.chain.first) for r in trees if not r.chain.links or r.chain.links[0][0] == "colon"}
        alone = {self._stem(n) for n in nodes if isinstance(n, Name) and id(n) not in heads | spoken}
        self.maps = found - alone - self.sizes

    def _called(self, node: Node) -> str | None:
        w = self.written(node) if isinstance(node, Name | Scripted) else None
        return w.stem if w is not None and not w.transposed and w.power is None else None

    def _labels_of_counts(self, trees: list[Reading], nodes: list[Node]) -> Iterator[tuple[str, str]]:
        """`M_g = 2 n g d` beside `M = 2 n h d`: the number for g groups, where g is a size and M has no other index."""
        below: dict[str, set[str | None]] = defaultdict(set)
        for n in nodes:
            if isinstance(n, Scripted) and isinstance(n.base, Name):
                below[n.base.base].add(letter(n.sub))
        lefts = [r.chain.first for r in trees if r.chain.links and r.chain.links[0][0] == "="]
        bare = {left.base for left in lefts if isinstance(left, Name)}
        for left in lefts:
            if (
                isinstance(left, Scripted)
                and isinstance(left.base, Name)
                and left.sup is None
                and left.base.base in bare
            ):
                c = letter(left.sub)
                if c is not None and c in self.sizes and below[left.base.base] == {c}:
                    yield left.base.base, c

    @staticmethod
    def _nodes(reading: Reading) -> Iterator[Node]:
        yield from walk(reading.chain)
        for c in reading.conditions:
            yield from walk(c)

    def _spread_zero(self, readings: list[Reading]) -> None:
        """Names that share an index letter with even and odd positions start from 0 as well."""
        for r in readings:
            zero: dict[str, str] = {}
            found: list[tuple[str, set[str]]] = []
            for n in self._nodes(r):
                w = self.written(n) if isinstance(n, Scripted) else None
                if w is None:
                    continue
                compound = {
                    c
                    for s in w.slots
                    if isinstance(s.node, Adjacent | Infix | Enclosed) and not _is_before(s.node)
                    for c in letters_in(s.node)
                }
                if self._from_zero(w.stem):
                    zero |= dict.fromkeys(compound, w.stem)
                found.append((w.stem, {c for s in w.slots if (c := letter(s.node)) is not None}))
            for stem, direct in found:
                self.evidence[stem].zero_with |= {zero[c] for c in direct & zero.keys()} - {stem}

    def _zero_ranges(self, readings: list[Reading]) -> None:
        """`a_j = …` for `j = 0, 1, …`, said right after it or as its condition: the index of a starts from 0."""
        before: Node | None = None
        for r in readings:
            own = r.chain.first if r.chain.links and r.chain.links[0][0] == "=" else None
            ranges = [(own, c) for c in r.conditions]
            if isinstance(r.chain, Chain) and _is_zero_range(r.chain):
                ranges.append((before, r.chain))
            else:
                before = own
            for left, said in ranges:
                c = letter(said.first) if isinstance(said, Chain) and _is_zero_range(said) else None
                w = self.written(left) if c is not None and isinstance(left, Scripted) else None
                if w is not None and [letter(s.node) for s in w.slots] == [c]:
                    self.evidence[w.stem].zero = True

    def _from_zero(self, stem: str) -> bool:
        """Whether an index 0 of the name, or of one that it shares its index with, is written."""
        todo, seen = [stem], {stem}
        while todo:
            e = self.evidence.get(todo.pop())
            if e is not None and e.zero:
                return True
            more = e.zero_with - seen if e is not None else set()
            todo += more
            seen |= more
        return False

    # --- labels ---------------------------------------------------------------------------------------------

    # --- letters --------------------------------------------------------------------------------------------

    def _collect_letters(self, readings: list[Reading], nodes: list[Node]) -> None:
        for r in readings:
            here = list(self._nodes(r))
            free = {c for n in here if isinstance(n, Scripted) for c in self.slot_letters(n)}
            for n in here:
                if isinstance(n, Big):
                    self.bound |= {letter(n.sub.first if isinstance(n.sub, Chain) else n.sub) or ""}
                    self._collect_limits(n, free)
            chain = r.chain
            maps = [n for relation, n in chain.links if relation == "colon" and isinstance(n, Chain)]
            ends = [("in", n) for m in maps for n in m.parts]  # \phi: R^d \to R^r
            for relation, right in (*chain.links, *ends):
                space = relation == "in" and isinstance(right, Scripted) and isinstance(right.base, Name)
                if space and isinstance(right, Scripted) and right.sup is not None and _is_space(right.base):
                    self.sizes |= set(self.size_names(right.sup))
                if relation == "=" and isinstance(right, Listed) and letter(chain.first) is not None:
                    self._range(chain.first, right)
            left = [n for n in walk(chain.first) if isinstance(n, Scripted)] if chain.first is not None else []
            of_left = {c for n in left for c in self.slot_letters(n) if c.islower()} if chain.links else set()
            for n in here:
                if isinstance(n, Listed) and any(isinstance(i, Mark) and i.kind == "dots" for i in n.items):
                    self._enumeration(n, of_left)
                if isinstance(n, Listed) or (isinstance(n, Matrix) and all(len(row) == 1 for row in n.rows)):
                    self._members(n.parts, of_left)
        for n in nodes:
            if isinstance(n, Scripted):
                self.index_letters |= set(self.slot_letters(n))
        for n in nodes:
            if isinstance(n, Chain):
                self.sizes |= set(self._widths(n)) - self.index_letters
        self.sizes -= {c for r in readings for c in self._steps(r.chain)}
        own = defined_letters(r.chain for r in readings)
        for n in (n for r in readings for n in counts_of_means(r.chain)):
            self.sizes |= set(self.size_names(n)) - self.index_letters - own
        self.index_letters -= self.sizes

    def _steps(self, chain: Chain) -> Iterator[str]:
        """The letter t of a recurrence `m_t = … m_{t-1} …`: an index, also where `1 - b^t` or a sum up to t stands alone."""
        own = self.written(chain.first) if isinstance(chain.first, Scripted) else None
        letters = {c for s in own.slots if (c := letter(s.node)) is not None} if own is not None else set()
        if own is None or not letters or not chain.links or chain.links[0][0] != "=":
            return
        for n in walk(chain.links[0][1]):
            w = self.written(n) if isinstance(n, Scripted) else None
            for s in w.slots if w is not None and w.stem == own.stem else ():
                if _is_before(s.node) and isinstance(s.node, Infix) and letter(s.node.left) in letters:
                    yield letter(s.node.left) or ""

    def _widths(self, n: Chain) -> Iterator[str]:
        """The width w of a window `|i - j| <= w`."""
        first = unworded(n.first) if n.first is not None else None
        inside = first.content if isinstance(first, Enclosed) and first.kind == "||" else None
        if isinstance(inside, Infix) and inside.operator == "-" and all(letter(p) for p in inside.parts):
            if {letter(p) for p in inside.parts} <= self.index_letters and len(n.links) == 1:
                yield from self.size_names(n.links[0][1])

    def _collect_limits(self, n: Big, free: set[str]) -> None:
        sub = n.sub
        if isinstance(sub, Chain) and len(sub.links) == 1 and sub.links[0][0] == "=":
            start = sub.links[0][1]
            if isinstance(start, Literal) and start.text in ("0", "1"):
                self.starts.add(int(start.text))
            if (c := letter(sub.first)) is not None:
                self.index_letters.add(c)
        elif (c := letter(sub)) is not None:
            self.index_letters.add(c)
        if n.sup is not None and not (letter(n.sup) in free and not (letter(n.sup) or "").isupper()):
            if isinstance(n.sup, Infix) and n.sup.operator == "-":
                self.sizes |= set(self.size_names(n.sup.left)) - free
            else:
                self.sizes |= set(self.size_names(n.sup))

    def _collect_starts(self, nodes: list[Node]) -> None:
        """In a document that counts from 0 and from 1, names whose index runs from 0 wherever a sum binds it."""
        found: dict[str, set[str]] = defaultdict(set)
        for n in nodes:
            sub = n.sub if isinstance(n, Big) else None
            if not isinstance(n, Big) or not isinstance(sub, Chain) or len(sub.links) != 1 or sub.links[0][0] != "=":
                continue
            start, c = sub.links[0][1], letter(sub.first)
            for m in walk(n.body) if isinstance(start, Literal) and c is not None else ():
                w = self.written(m) if isinstance(m, Scripted) else None
                if w is not None and any(letter(s.node) == c for s in w.slots):
                    found[w.stem].add(start.text)  # type: ignore[attr-defined]
        if {0, 1} <= self.starts:
            for stem, starts in found.items():
                self.evidence[stem].zero = self.evidence[stem].zero or starts == {"0"}

    def _range(self, first: Node | None, right: Listed) -> None:
        """`i = 1, …, n`."""
        start, end = right.items[0], right.items[-1]
        if any(isinstance(i, Mark) for i in right.items) and isinstance(start, Literal) and start.text in ("0", "1"):
            self.starts.add(int(start.text))
            if (c := letter(first)) is not None:
                self.index_letters.add(c)
            if isinstance(end, Infix) and end.operator == "-":
                end = end.left
            self.sizes |= set(self.size_names(end))

    def _enumeration(self, n: Listed, of_left: set[str]) -> None:
        """`k_1, …, k_n`; in `m_i = \\max(x_1, …, x_i)` the last one is an index of the left side."""
        start, end = n.items[0], n.items[-1]
        if isinstance(start, Scripted) and isinstance(end, Scripted):
            for a, b in ((start.sub, end.sub), (start.sup, end.sup)):
                a = a.content if isinstance(a, Enclosed) else a
                b = b.content if isinstance(b, Enclosed) else b
                if isinstance(a, Literal) and a.text in ("0", "1") and (c := letter(b)) is not None:
                    self.starts.add(int(a.text))
                    self.sizes |= {c} - of_left

    def _members(self, parts: Sequence[Node], of_left: set[str]) -> None:
        """`f(1), f(2), …, f(n)`, also by turns: `f(1), g(1), …, f(d/2), g(d/2)`."""
        if not any(isinstance(p, Mark) for p in parts):
            return
        members = [p for p in parts if not isinstance(p, Mark)]
        for last in reversed(members[-3:]):
            pairs = differences(members[0], last) if last is not members[0] else []
            ends = {
                letter(b.parts[0] if isinstance(b, Fraction | Infix) and len(b.parts) == 2 else b) for _, b in pairs
            }
            if len(ends) == 1 and all(isinstance(a, Literal) and a.text in ("0", "1") for a, _ in pairs):
                self.sizes |= {c for c in ends if c is not None and c not in self.index_letters | of_left}
                return

    def size_names(self, node: Node) -> Iterator[str]:
        """Names of sizes in a shape or an upper limit."""
        if isinstance(node, Name | Scripted):
            w = self.written(node)
            if w is not None and not w.slots and w.power is None:
                yield w.stem
            return
        if isinstance(node, Infix | Adjacent | Enclosed | Listed):
            for p in node.parts:
                yield from self.size_names(p)

    def slot_letters(self, n: Scripted) -> Iterator[str]:
        """The letters in the index slots of a name or of something else with scripts."""
        w = self.written(n)
        for s in w.slots if w is not None else self.generic_slots(n)[0]:
            if s.node is not None:
                for m in walk(s.node):
                    if (c := letter(m)) is not None:
                        yield c

    # --- left sides -----------------------------------------------------------------------------------------

    def _collect_left(self, r: Reading, shaped: set[str]) -> None:
        first = r.chain.first
        if first is None or not r.chain.links or r.chain.links[0][0] not in ("=", "equiv", "gets"):
            return
        if isinstance(first, Adjacent) and len(first.items) == 2:
            head, arguments = first.items
            if isinstance(arguments, Scripted):
                arguments = arguments.base
            w = self.written(head)
            if w is not None and isinstance(arguments, Enclosed) and arguments.kind == "()":
                self.functions.add(w.stem)
                self._note_arity(w.stem, arguments)
        if isinstance(first, Name):
            self.plain.add(self._stem(first) or "")
        if not isinstance(first, Scripted) or not isinstance(first.base, Name):
            return
        stem = self._stem(first.base)
        if stem is None:
            return
        label, _ = self._labelled(first.base, first.sub)
        stem = stem if label is None else f"{stem}_{label}"
        right = r.chain.links[0][1]
        if isinstance(right, Literal) and right.text != "0" and (w := self.written(first)) is not None and w.slots:
            self.evidence[w.stem].numbers = True
        if not (isinstance(first.sup, Literal) and first.sup.text == "2"):
            self.plain.add(stem)
        elif is_upper(stem) and (is_bold(first.base) or stem in shaped):
            return  # P^2 = P is said of a matrix
        elif stem not in self.plain:  # y_i^2 after y_i = … is no name
            self.squares.add(stem)

    # --- occurrences ----------------------------------------------------------------------------------------

    def _count(self, n: Scripted) -> None:
        stem = self._stem(n.base) if isinstance(n.base, Name) else None
        if stem is None or n.sub is None:
            return
        if isinstance(n.sub, Listed):
            self.evidence[stem].counts.add(len(n.sub.items))
        elif isinstance(n.sub, Adjacent) and all(letter(i) for i in n.sub.items):
            self.evidence[stem].counts.add(len(n.sub.items))
        elif isinstance(n.sub, Adjacent) and all(letter(i) or isinstance(i, Literal) for i in n.sub.items):
            self.mixed.add((stem, len(n.sub.items)))
        elif isinstance(n.sub, Literal) and len(n.sub.text) > 1 and n.sub.text.isdigit():
            self.mixed.add((stem, -len(n.sub.text)))

    def _collect_occurrence(self, n: Node) -> None:
        if isinstance(n, Scripted):
            self._note(self.written(n))
        if isinstance(n, Big) and isinstance(n.sub, Chain) and [r for r, _ in n.sub.links] == ["in"]:
            self.sets |= {w.stem for w in (self.written(n.sub.links[0][1]),) if w is not None}
        if isinstance(n, Adjacent):
            for head, after in zip(n.items, n.items[1:], strict=False):
                w = self.written(head)
                if w is None or not isinstance(after, Enclosed) or after.kind != "()" or w.font == "blackboard":
                    continue
                single = _is_argument(after.content) or (not is_upper(w.stem) and self._is_member(after.content))
                if single and not w.slots and w.stem[0] not in "WU" and w.power is None:
                    self.applied.add(w.stem)
                inner = after.content.base if isinstance(after.content, Scripted) else after.content
                if w.slots and w.stem[0] not in "WU" and w.power is None and letter(inner) is not None:
                    self.members_applied.add(w.stem)
                many = isinstance(after.content, Listed)
                self._note_arity(w.stem, after)
                for item in after.content.items if isinstance(after.content, Listed) else ():
                    self._note_parity(w.stem, item)
                word = w.font == "roman" and len(w.stem) > 1
                if many or word:
                    self.functions.add(w.stem)

    def _note_arity(self, stem: str, arguments: Enclosed) -> None:
        nodes, signs = arguments_of(arguments)
        if signs:
            self.functions.add(self.overloaded(stem, len(nodes), signs))
        else:
            self.arities.setdefault(stem, max(len(nodes), 1))

    def _is_member(self, node: Node | None) -> bool:
        r"""`\sigma(Q_t)`: a factor has no single name in parentheses after it."""
        w = self.written(node) if isinstance(node, Scripted) else None
        return w is not None and w.power is None and bool(w.slots)

    def _note_parity(self, stem: str, node: Node) -> None:
        """`PE(pos, 2i)` and `PE(pos, 2i + 1)` together: positions that start from 0."""
        odd = (
            isinstance(node, Infix)
            and node.operator == "+"
            and isinstance(node.right, Literal)
            and node.right.text == "1"
        )
        even = node.left if isinstance(node, Infix) and odd else node
        if isinstance(even, Adjacent) and isinstance(even.items[0], Literal) and even.items[0].text == "2":
            self.parities.add((stem, odd))
            self.evidence[stem].zero |= {(stem, False), (stem, True)} <= self.parities

    def _note(self, w: Written | None) -> None:
        if w is None or w.stem in self.functions:
            return
        e = self.evidence[w.stem]
        count = len(w.slots)
        e.slots = max(e.slots, count)
        e.bare = e.bare or not count
        e.bare_plain = e.bare_plain or (not count and not w.bold)
        e.transposed = e.transposed or w.transposed
        e.zero = e.zero or any(isinstance(s.node, Literal) and s.node.text == "0" for s in w.slots)
        # floor(h / g) is 0 for the first h
        e.zero = e.zero or any(isinstance(s.node, Enclosed) and s.node.kind == "floor" for s in w.slots)
        # even and odd positions, 2j and 2j + 1, fill an axis that starts from 0
        e.zero = e.zero or any(isinstance(s.node, Adjacent) and isinstance(s.node.items[0], Literal) for s in w.slots)
        for k, s in enumerate(w.slots):
            if (size := self._halved(s.node)) is not None:
                e.halves[k] = size
        lower = not is_upper(w.stem)
        whole = sum(1 for s in w.slots if s.node is None)
        if lower and (w.bold or w.transposed) and not whole:
            e.vector_slots, e.shown_slots = max(e.vector_slots, count), max(e.shown_slots, count)
        elif lower and count == 1 and w.slots[0].style == "u" and w.font == "" and not e.numbers:
            e.vector_slots, e.shown_slots = max(e.vector_slots, count), max(e.shown_slots, count)

    def _halved(self, node: Node | None) -> str | None:
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
        size = self.written(above)
        return size.stem if isinstance(below, Literal) and below.text == "2" and size and not size.slots else None

    # --- reading a name -------------------------------------------------------------------------------------

    def _stem(self, n: Name) -> str | None:
        if n.base in ("nabla", "partial") or not any(c.isalnum() for c in n.base):  # a currency is no name
            return None
        base = cleaned(n.base) if not n.base.isalnum() else n.base
        if not base or (n.font == "blackboard" and n.base in "RNZEI1") or n.base in ("0", "1"):
            return None
        stem = base
        if n.font in ("calligraphic", "fraktur", "blackboard") and len(base) == 1:
            stem = f"{base}_{n.font[:3]}"
        for accent in n.accents:
            if accent == "vec" and not self.both_ways:
                continue
            stem += "_" + {"widehat": "hat", "widetilde": "tilde", "overline": "bar"}.get(accent, accent)
        return stem + "_prime" * n.primes

    def settle(self) -> None:
        """From now on nothing more is learned: what a node is written as is remembered."""
        self._settled = {}

    def learn(self) -> None:
        """From now on more may be learned, until `settle`."""
        self._settled = None

    def written(self, node: Node) -> Written | None:
        """The name that a node is, with its scripts told apart; None when the node is something else."""
        if self._settled is None:
            return self._told_apart(node)
        known = self._settled.get(id(node))
        if known is None:
            known = self._settled[id(node)] = node, self._told_apart(node)  # with the node: no other takes its identity
        return known[1]

    def _told_apart(self, node: Node) -> Written | None:
        w = self._written(node)
        if w is not None and self.apart.get(w.stem) == form(w):
            return replace(w, stem=w.stem + FAMILY)
        if w is not None and w.stem in self.numbers_alone and not (w.slots or w.bold or w.font):
            return replace(w, stem=w.stem + ALONE)
        if w is not None and w.slots and w.stem in self.in_two_fonts:
            if w.bold or len(w.slots) > self.in_two_fonts[w.stem]:
                return replace(w, stem=w.stem + FAMILY)
        if w is not None and w.slots and w.stem in self.parted:
            return replace(w, stem=w.stem + FAMILY)
        if w is not None and w.stem in self.fixed:
            return replace(w, slots=(*self.fixed[w.stem], *w.slots))
        return w

    def _written(self, node: Node) -> Written | None:
        if isinstance(node, Name):
            stem = self._stem(node)
            return None if stem is None else Written(stem, is_bold(node), node.font, (), False, None, node.span)
        if not isinstance(node, Scripted) or not isinstance(node.base, Name):
            return None
        name = node.base
        stem = self._stem(name)
        if stem is None:
            return None
        below, above = node.sub, node.sup
        label, below = self._labelled(name, below)
        if label is not None:
            stem = f"{stem}_{label}"
        turned: Node | None = None
        if isinstance(above, Adjacent) and len(above.items) == 2 and is_transpose(above.items[1]):
            above, turned = above.items
        inner = above.content if isinstance(above, Enclosed) and above.kind == "()" else above
        if (
            above is not None
            and not is_transpose(above)
            and not (self.upper and is_upper(stem) and isinstance(above, Adjacent))
            and (
                (label := label_of(above)) is not None
                or (label := self.number_above(name, above)) is not None
                or ((label := letter(inner)) is not None and (name.base, label) in self.labels)
                or ((label := run_of(above)) is not None and (name.base, label) in self.words)
            )
        ):
            stem, above = f"{stem}_{label}", turned
        elif turned is not None:
            above = node.sup
        if isinstance(above, Literal) and above.text == "2" and stem in self.squares:
            slots = tuple(self._below(stem, below))
            return Written(stem + SQUARE, is_bold(name), name.font, slots, False, None, node.span)
        slots, transposed, power = self._scripts(stem, below, above)
        return Written(stem, is_bold(name), name.font, slots, transposed, power, node.span)

    def _found_in_dots_alone(self, nodes: list[Node]) -> frozenset[str]:
        dots = [n for n in nodes if isinstance(n, Infix) and n.operator == "cdot"]
        pairs = [(_last_factor(dot.left), _first_factor(dot.right)) for dot in dots]
        sides = [n for pair in pairs for n in pair if not any(isinstance(m, Literal) for m in pair)]
        beside = {id(n) for n in sides}
        inner = {id(n.base) for n in nodes if isinstance(n, Scripted)}
        found = {w.stem for n in sides if (w := self.written(n)) is not None}
        other = (n for n in nodes if isinstance(n, Name | Scripted) and id(n) not in beside and id(n) not in inner)
        return frozenset(found - {w.stem for n in other if (w := self.written(n)) is not None})

    def generic_slots(self, node: Scripted) -> tuple[tuple[Slot, ...], bool, Node | None]:
        """The scripts of something that is not a name: `(QK^\\top)_{ij}`."""
        if isinstance(node.base, Name) and node.base.base == "nabla":
            return (), False, None  # below it stands what the gradient is taken by
        return self._scripts("", node.sub, node.sup)

    def _scripts(self, stem: str, below: Node | None, above: Node | None) -> tuple[tuple[Slot, ...], bool, Node | None]:
        slots: list[Slot] = []
        transposed, power = False, None
        if above is not None and stem == EULER and below is None and isinstance(above, Adjacent):
            return (), False, above  # e^{m(x)}
        if isinstance(above, Adjacent) and isinstance(above.items[0], Literal):
            return tuple(self._below(stem, below)), False, above  # r^{2(n-i)}
        if above is not None:
            items = above.items if isinstance(above, Adjacent) else (above,)
            rest = []
            for item in items:
                if is_transpose(item):
                    transposed = True
                elif isinstance(item, Enclosed) and item.kind == "()" and item.content is not None and len(items) <= 2:
                    parts = item.content.items if isinstance(item.content, Listed) else (item.content,)
                    slots += [Slot(p, "u") for p in parts]
                else:
                    rest.append(item)
            if len(rest) > 1 and self.upper and below is None and is_upper(stem) and are_indices(rest):
                slots += [Slot(p, "p") for p in rest]
            elif rest:
                only = letter(rest[0]) if len(rest) == 1 else None
                indexed = only in self.index_letters or stem == "delta"  # \\delta^i_m
                beside = below is not None or (is_upper(stem) and (self.upper or "_" in stem))  # F^i, W_Q^i
                if only is not None and beside and indexed and only.islower():
                    slots.append(Slot(rest[0], "p"))
                else:
                    power = above
        return (*slots, *self._below(stem, below)), transposed, power

    def _below(self, stem: str, below: Node | None) -> Iterator[Slot]:
        if below is None:
            return
        if isinstance(below, Enclosed) and below.kind == "()" and isinstance(below.content, Listed):
            below = below.content
        if isinstance(below, Listed):
            for item in below.items:
                yield Slot(None if isinstance(item, Mark) and item.kind in WHOLE else item, "d")
            return
        counts = self.evidence[stem].counts if stem in self.evidence else set()
        if isinstance(below, Literal) and len(below.text) > 1 and len(below.text) in counts and below.text.isdigit():
            a, _ = below.span
            for k, digit in enumerate(below.text):
                yield Slot(Literal((a + k, a + k + 1), digit), "d")
            return
        if isinstance(below, Adjacent) and all(isinstance(i, Literal) or letter(i) for i in below.items):
            split: list[Node] = []
            for i in below.items:
                if isinstance(i, Literal) and len(below.items) == 1 + (max(counts, default=0) - len(i.text)) and counts:
                    split += [Literal(i.span, c) for c in i.text]
                else:
                    split.append(i)
            if not (counts == {1} and isinstance(split[0], Literal)):
                for i in split:
                    yield Slot(i, "d")
                return
        yield Slot(None if isinstance(below, Mark) and below.kind in WHOLE else below, "d")

    # --- conclusions ----------------------------------------------------------------------------------------

    def rank(self, w: Written, declared: int | None = None) -> int:
        """How many axes a name has that nothing else defines or declares."""
        if declared is not None:
            return declared
        e = self.evidence[w.stem] if w.stem in self.evidence else Evidence()
        if w.stem in self.random:
            return max(e.slots, len(w.slots))
        rank = max(e.slots, e.vector_slots + 1, len(w.slots))
        if w.stem in self.divisors and not e.slots and not e.transposed:
            return rank
        head = re.split(r"[_^]", w.stem)[0]
        greek = head in MATRICES or (head.lower() in GREEK and not e.bare_plain)
        if is_upper(w.stem) and e.bare and (len(head) == 1 or greek):
            rank = max(rank, 2)
        labelled = any(part not in ACCENTS | _LOOKS for part in w.stem.split("_")[1:])
        if is_upper(w.stem) and labelled and e.slots == 1:
            rank = max(rank, 3)  # W_i^Q: a family of matrices; \tilde{O}_i is not
        return rank

    def two_ways(self, nodes: Iterable[Node]) -> dict[str, Form]:
        """Names with one index more in some places, `\\hat{x}_{ij}` beside `\\hat{x}_j`, or `y^{(i)}` beside `y_k`: that form."""
        forms: dict[str, set[Form]] = {}
        vectors: set[str] = set()
        for node in nodes:
            w = self.written(node)
            if w is not None:
                forms.setdefault(w.stem, set()).add(form(w))
                vectors |= {w.stem} if w.bold and w.slots and not form(w)[1] else set()  # \\mathbf{w}_k beside w_{kd}
        found: dict[str, Form] = {}
        for stem, own in forms.items():
            if stem in vectors:
                continue
            above = [f for f in own if f[1]]
            counts = sorted(n for n, _ in own if n)
            if len(above) == 1 and len(own) > 1:
                found[stem] = above[0]
            elif not above and len(counts) == 2 and counts[1] == counts[0] + 1:
                found[stem] = (counts[1], False)
        return found

    def in_terms_of_bare(self, chains: Iterable[Chain]) -> dict[str, Form]:
        """Names with one index that an equation gives in terms of the same name without it: `q_m = R_m q`, `m_h` beside
        a number `m > 0`."""
        given: set[str] = set()
        found: set[str] = set()
        for chain in chains:
            if chain.first is None or not chain.links:
                continue
            left = [w for w in map(self.written, walk(chain.first)) if w is not None]
            right = [w for _, n in chain.links for w in map(self.written, walk(n)) if w is not None]
            own = {w.stem for w in left if form(w) == (1, False)}
            bare = {w.stem for w in right if not w.slots}
            if chain.links[0][0] in ("=", "equiv"):
                given |= own
                found |= own & bare - {w.stem for w in right if w.slots}
            elif chain.links[0][0] in ("<", ">", "<=", ">=") and isinstance(chain.first, Name):
                found |= {w.stem for w in left if not w.slots}
        return dict.fromkeys(found & given, (1, False))

    def overloaded(self, stem: str, count: int, signs: str = "") -> str:
        r"""The name of a function of so many arguments: `H(p, q)` beside `H(p)` is another one, and so is `p(y \mid x)`."""
        if signs:
            return f"{stem}({signs})"
        return stem if self.arities.get(stem, count) == count else f"{stem}_of_{count}"

    def shaky(self, stem: str) -> bool:
        """Whether the axes of an undeclared name are a guess: `q` beside `q_m`, or `R_m` alone."""
        if stem.removesuffix(FAMILY) in self.apart:
            return True
        e = self.evidence.get(stem)
        if e is None:
            return False
        if is_upper(stem):
            return e.slots == 1 and not e.bare
        return e.bare_plain and e.slots > 0

    def base(self, stem: str) -> int:
        """The number that the indices of a name start from."""
        if stem in self.bases:
            return self.bases[stem]
        if self.stated_base is None and self._from_zero(stem):
            return 0
        return self.document_base

    @property
    def document_base(self) -> int:
        if self.stated_base is not None:
            return self.stated_base
        if self.starts:
            return 0 if self.starts == {0} else 1
        return 0 if any(e.zero for e in self.evidence.values()) else 1

    @property
    def base_is_stated(self) -> bool:
        return bool(self.starts) or self.stated_base is not None


def _is_before(node: Node | None) -> bool:
    """`i - 1`: where that is 0, i is 1."""
    return isinstance(node, Infix) and node.operator == "-" and isinstance(node.right, Literal)


def _is_zero_range(chain: Chain) -> bool:
    """`j = 0, 1, …`."""
    if len(chain.links) != 1 or chain.links[0][0] != "=" or letter(chain.first) is None:
        return False
    right = chain.links[0][1]
    if not isinstance(right, Listed) or not any(isinstance(n, Mark) for n in right.items):
        return False
    return isinstance(right.items[0], Literal) and right.items[0].text == "0"


def _is_argument(node: Node | None) -> bool:
    """`\\theta`, `m\\theta`, `-t`: what stands in parentheses after a function, and never after a factor."""
    if isinstance(node, Prefix) and node.operator == "-":
        return _is_argument(node.operand)
    if isinstance(node, Adjacent):
        return all(isinstance(i, Literal) or (letter(i) or "A").islower() for i in node.items)
    c = letter(node)
    return c is not None and c[0].islower() and isinstance(node, Name) and not node.primes


def _is_space(node: Node) -> bool:
    return isinstance(node, Name) and node.base in ("R", "C")


def uses(names: Names, node: Node) -> Iterator[Written]:
    """The names that occur in an expression, without those that are only labels of others."""
    w = names.written(node) if isinstance(node, Name | Scripted) else None
    if w is None:
        for part in node.parts:
            yield from uses(names, part)
        return
    yield w
    for inner in (*(s.node for s in w.slots), w.power):
        if inner is not None:
            yield from uses(names, inner)


def called_in(names: Names, node: Node) -> Iterator[str]:
    """The functions whose values occur in an expression, told apart by the numbers of their arguments."""
    for n in walk(node):
        for head, after in zip(n.items, n.items[1:], strict=False) if isinstance(n, Adjacent) else ():
            inner = after.base if isinstance(after, Scripted) else after
            w = names.written(head)
            if w is not None and isinstance(inner, Enclosed) and inner.kind == "()":
                nodes, signs = arguments_of(inner)
                yield names.overloaded(w.stem, len(nodes), signs)


def _last_factor(node: Node) -> Node:
    """The q of `\\tau q \\cdot k`."""
    return node.items[-1] if isinstance(node, Adjacent) else node


def _first_factor(node: Node) -> Node:
    return node.items[0] if isinstance(node, Adjacent) else node
