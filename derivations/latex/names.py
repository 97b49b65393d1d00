"""What the letters of a document are: labels, index slots, sizes, functions, and how many axes each name has.

Evidence is gathered over the whole document before anything is elaborated: `d_k` is a size because a shape or an upper
limit says so, `W_q` is a label because `W_v` stands beside it, `k_i` is a family of vectors because it is bold.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from derivations.latex.besides import vectors
from derivations.latex.surface import (
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

GREEK = frozenset(
    [
        "alpha",
        "beta",
        "gamma",
        "delta",
        "epsilon",
        "varepsilon",
        "zeta",
        "eta",
        "theta",
        "vartheta",
        "iota",
        "kappa",
        "lambda",
        "mu",
        "nu",
        "xi",
        "pi",
        "rho",
        "varrho",
        "sigma",
        "tau",
        "upsilon",
        "phi",
        "varphi",
        "chi",
        "psi",
        "omega",
    ]
)
LABEL_WORDS = frozenset(
    [
        "out",
        "model",
        "head",
        "heads",
        "attn",
        "key",
        "query",
        "value",
        "max",
        "min",
        "vocab",
        "row",
        "col",
        "norm",
        "new",
        "old",
        "mask",
        "masked",
        "causal",
        "train",
        "test",
        "ffn",
        "hidden",
        "emb",
        "embed",
        "input",
        "output",
    ]
)
"""Subscripts spelled with italic letters that are words, not runs of indices."""
INDEX_WORDS = GREEK | {"pos", "idx", "position", "ell"}
"""Names longer than a letter that may be indices."""
ROLES = frozenset("qkvoQKVO")
SQUARE = "^2"
WHOLE = frozenset({"colon", "bullet", "cdot"})
"""Signs in an index slot for all of an axis."""
TRANSPOSES = frozenset({"top", "intercal"})


FAMILY = "^()"
"""Ends the key of a family `q^{(i)}` beside a vector `q` of the same letter."""


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


@dataclass(slots=True)
class Evidence:
    """What the occurrences of a name say about its axes."""

    slots: int = 0
    vector_slots: int = -1
    """Largest number of slots at which what remains is a vector (bold letter, transpose sign, bare token index)."""
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


def letter(node: Node | None) -> str | None:
    """The single letter that a node is, if it is one."""
    if isinstance(node, Name) and not node.accents and (len(node.base) == 1 or node.base in INDEX_WORDS):
        return node.base + "_prime" * node.primes
    return None


def is_upper(stem: str) -> bool:
    head = re.split(r"[_^]", stem)[0]
    return head[:1].isupper()


def _label(node: Node | None) -> str | None:
    """The words of a script that can only be a label."""
    if isinstance(node, Enclosed) and node.kind == "()":
        node = node.content
    if isinstance(node, Name):
        if node.font == "roman" or (len(node.base) > 1 and node.base not in GREEK | {"ell"}):
            return (
                _clean(node.base) if not (node.font == "roman" and len(node.base) == 1 and node.base in "ijt") else None
            )
        return None
    if isinstance(node, Words):
        return _clean(node.text)
    if isinstance(node, Mark) and node.kind in ("ast", "star", "bullet", "dagger", "plus", "prime"):
        return node.kind
    if isinstance(node, Adjacent) and all(isinstance(n, Name) and len(n.base) == 1 for n in node.items):
        word = "".join(n.base for n in node.items if isinstance(n, Name))
        return word if word in LABEL_WORDS or word == "in" else None
    if isinstance(node, Scripted) and (below := _label(node.sub)) and node.sup is None and (stem := letter(node.base)):
        return f"{stem}_{below}"
    return None


def _clean(text: str) -> str:
    return re.sub(r"[^0-9A-Za-z]+", "_", text).strip("_") or "x"


def _is_word(node: Node) -> bool:
    """Upright words of more than a letter."""
    text = node.text if isinstance(node, Words) else node.base if isinstance(node, Name) else ""
    return len(text.strip()) > 1 and (isinstance(node, Words) or (isinstance(node, Name) and node.font == "roman"))


def _transpose_sign(node: Node | None) -> bool:
    if isinstance(node, Prefix) and node.operator == "-":
        return False
    return (isinstance(node, Mark) and node.kind in TRANSPOSES) or (
        isinstance(node, Name) and node.base in ("T", "top", "intercal") and not node.primes
    )


class Names:
    """The evidence of a document about its names."""

    def __init__(
        self,
        readings: Iterable[Reading] = (),
        labels: Iterable[tuple[str, str]] = (),
        counted: Iterable[Node] = (),
    ) -> None:
        self.labels: set[tuple[str, str]] = set(labels)
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
        self.parted: set[str] = set()
        """Names of a whole and, with an index, of its parts: `W = [W_1, …, W_h]`."""
        self.fixed: dict[str, tuple[Slot, ...]] = {}
        """Indices that the text fixes and that a name depends on without showing them."""
        self.applied: set[str] = set()
        """Names that stand before a single letter in parentheses: functions, unless a shape is declared for them."""
        self.differentials = False
        """`dX` is one name: the gradient of a loss in X."""
        self.complex_numbers = False
        """The document speaks of complex numbers: an i that is no index is the imaginary unit."""
        self.divisors: set[str] = set()
        """Names that something is divided by, or that are compared with a number: numbers, also when they are capitals."""
        self.bound: set[str] = set()
        """Letters that sums and maxima bind."""
        self.upright: set[str] = set()
        """Letters that are indices in upright type."""
        self.evidence: dict[str, Evidence] = defaultdict(Evidence)
        self.starts: set[int] = set()
        self.mixed: set[tuple[str, int]] = set()
        trees = list(readings)
        nodes = [n for r in trees for n in self._nodes(r)]
        self._collect_labels(nodes)
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
        self.index_letters -= self.sizes
        self._collect_parted(trees)
        self._collect_unbound(trees, nodes)
        for n in nodes:  # counts first: `_{22}` is read by them
            if isinstance(n, Scripted):
                self._count(n)
        for stem, count in self.mixed:  # `_{21}` and `_{2j}` together are two indices
            if count > 0 and (stem, -count) in self.mixed:
                self.evidence[stem].counts.add(count)
        for r in trees:
            self._collect_left(r)
        for n in nodes:
            self._collect_occurrence(n)
        for vector in vectors(self, nodes):
            e = self.evidence[vector.stem]
            e.vector_slots = max(e.vector_slots, len(vector.slots))
        inner = {id(n.base) for n in nodes if isinstance(n, Scripted)}
        for n in nodes:
            if isinstance(n, Name) and id(n) not in inner:
                self._note(self.written(n))
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
        self._spread_zero(trees)
        self._collect_divisors(nodes)

    def _collect_parted(self, readings: list[Reading]) -> None:
        found = set()
        for r in readings:
            first = self.written(r.chain.first) if r.chain.first is not None else None
            if first is None or first.slots or not is_upper(first.stem):
                continue
            for relation, right in r.chain.links[:1]:
                if relation != "=" or not isinstance(right, Enclosed) or right.kind != "[]":
                    continue
                if not isinstance(right.content, Listed) or len(r.chain.links) > 1:
                    continue
                parts = [self.written(p) for p in right.content.items if not isinstance(p, Mark)]
                if len(parts) < len(right.content.items) and all(p and p.stem == first.stem and p.slots for p in parts):
                    found.add(first.stem)
        self.parted = found

    def _collect_divisors(self, nodes: list[Node]) -> None:
        inner = {id(n.base) for n in nodes if isinstance(n, Scripted)}
        written = [w for n in nodes if id(n) not in inner and (w := self.written(n)) is not None]
        squared = {w.stem for w in written if isinstance(w.power, Literal) and not w.slots and not w.bold}
        self.divisors |= squared - {w.stem for w in written if not isinstance(w.power, Literal)}  # M^2 and never M
        for n in nodes:
            if isinstance(n, Fraction) or (isinstance(n, Infix) and n.operator == "/"):
                below = [n.parts[1]]
            elif isinstance(n, Chain) and n.first is not None and len(n.links) == 1 and n.links[0][0] in "<>":
                below = [a for a, b in ((n.first, n.links[0][1]), (n.links[0][1], n.first)) if isinstance(b, Literal)]
            else:
                continue
            while below:
                node = below.pop()
                if isinstance(node, Adjacent):
                    below += node.items
                    continue
                w = self.written(node)
                if w is not None and not w.slots and not w.bold and not w.transposed:
                    self.divisors.add(w.stem)

    @staticmethod
    def _nodes(reading: Reading) -> Iterator[Node]:
        yield from walk(reading.chain)
        for c in reading.conditions:
            yield from walk(c)

    def _spread_zero(self, readings: list[Reading]) -> None:
        """Names that share an index letter with even and odd positions start from 0 as well."""
        for r in readings:
            zero: set[str] = set()
            found: list[tuple[str, set[str]]] = []
            for n in self._nodes(r):
                w = self.written(n) if isinstance(n, Scripted) else None
                if w is None:
                    continue
                compound = {c for s in w.slots if isinstance(s.node, Adjacent | Infix) for c in _letters(s.node)}
                if self.evidence[w.stem].zero:
                    zero |= compound
                found.append((w.stem, {c for s in w.slots if (c := letter(s.node)) is not None}))
            for stem, direct in found:
                if direct & zero:
                    self.evidence[stem].zero = True

    # --- labels ---------------------------------------------------------------------------------------------

    def _collect_labels(self, nodes: list[Node]) -> None:
        for n in nodes:
            limit = n.sup if isinstance(n, Big) else None  # T_x above a sum is the name of a size
            if isinstance(limit, Scripted) and isinstance(limit.base, Name) and (c := letter(limit.sub)) is not None:
                self.labels.add((limit.base.base, c))
        below: dict[str, set[str]] = defaultdict(set)
        literals: dict[str, bool] = {}
        for n in nodes:
            if not isinstance(n, Scripted) or not isinstance(n.base, Name):
                continue
            base = n.base.base
            for script in (n.sub, n.sup):
                inner = script.content if isinstance(script, Enclosed) and script.kind == "()" else script
                if (one := letter(inner)) is not None:
                    if script is n.sup and not isinstance(script, Enclosed) and one not in ROLES:
                        continue
                    below[base].add(one)
            if n.sub is not None:
                literals[base] = literals.get(base, True) and isinstance(n.sub, Literal)
        for base, letters in below.items():
            roles = letters & ROLES
            folded = {c.lower() for c in roles}
            for c in letters:
                size_like = base in ("d", "D") and c not in "ij"
                if size_like or (
                    c in roles
                    and (
                        (len(folded) >= 2 and folded & set("qvo"))
                        or (base in "WwBb" and (c != "k" or base in "WB"))
                        or c.isupper()
                    )
                ):
                    self.labels.add((base, c))
        self.numbered = {b for b, only in literals.items() if only and b[:1].isupper() and not below[b]}
        if "W" in self.numbered:  # b_1 and b_2 beside W_1 and W_2 are two biases
            self.numbered |= {b for b, only in literals.items() if only and b in "bw" and not below[b]}

    def _collect_unbound(self, readings: list[Reading], nodes: list[Node]) -> None:
        r"""`W_a`, `b_f`: a letter that no sum binds and that stands on no left side and in no condition is a label."""
        indices = set("ijklmnrst") | self.sizes
        single: set[tuple[str, str]] = set()
        for n in nodes:
            if isinstance(n, Big) and n.sub is not None:
                indices |= _letters(n.sub)
            if isinstance(n, Listed) and any(isinstance(i, Mark) for i in n.items):
                indices |= _letters(n)
            if isinstance(n, Scripted) and isinstance(n.base, Name):
                c = letter(n.sub)
                if c is not None and c.isalpha() and len(c) == 1:
                    single.add((n.base.base, c))
                else:
                    indices |= _letters(n.sub) if n.sub is not None else set()
                above = n.sup.content if isinstance(n.sup, Enclosed) else n.sup
                indices |= {d for d in [letter(above)] if d is not None}
        for r in readings:
            sides = [
                r.chain.first,
                *(right for relation, right in r.chain.links if relation not in ("=", "equiv", "in")),
            ]
            if not r.chain.links or r.chain.links[0][0] != "in":
                indices |= {c for side in sides[:1] if side is not None for c in self._slots_in(side)}
            alone = letter(r.chain.first)
            indices |= {alone} if alone is not None and not r.chain.links else set()  # for each head h
            indices |= {c for side in sides[1:] if side is not None for c in _letters(side)}
            indices |= {c for condition in r.conditions for c in _letters(condition)}
            if len(r.chain.links) and r.chain.links[0][0] in ("<=", "<", ">=", ">", "in") and r.chain.first is not None:
                many = r.chain.first.items if isinstance(r.chain.first, Listed) else (r.chain.first,)
                indices |= {c for n in many if (c := letter(n)) is not None}
        self.labels |= {(base, c) for base, c in single if c not in indices}

    def _members_of_spaces(self, readings: list[Reading]) -> set[str]:
        """Names of which a shape is stated."""
        found = set()
        for r in readings:
            if r.chain.first is not None and any(relation == "in" for relation, _ in r.chain.links):
                items = r.chain.first.items if isinstance(r.chain.first, Listed) else (r.chain.first,)
                found |= {w.stem for n in items if (w := self.written(n)) is not None}
        return found

    def _slots_in(self, node: Node) -> Iterator[str]:
        for n in walk(node):
            if isinstance(n, Scripted):
                yield from self.slot_letters(n)

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
            for relation, right in chain.links:
                space = relation == "in" and isinstance(right, Scripted) and isinstance(right.base, Name)
                if space and isinstance(right, Scripted) and right.sup is not None and _is_space(right.base):
                    self.sizes |= set(self.size_names(right.sup))
                if relation == "=" and isinstance(right, Listed) and letter(chain.first) is not None:
                    self._range(chain.first, right)
            for n in here:
                if isinstance(n, Listed) and any(isinstance(i, Mark) and i.kind == "dots" for i in n.items):
                    self._enumeration(n)
                if isinstance(n, Listed) or (isinstance(n, Matrix) and all(len(row) == 1 for row in n.rows)):
                    self._members(n.parts)
        for n in nodes:
            if isinstance(n, Scripted):
                self.index_letters |= set(self.slot_letters(n))
        self.index_letters -= self.sizes

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

    def _enumeration(self, n: Listed) -> None:
        """`k_1, …, k_n`."""
        start, end = n.items[0], n.items[-1]
        if isinstance(start, Scripted) and isinstance(end, Scripted):
            for a, b in ((start.sub, end.sub), (start.sup, end.sup)):
                a = a.content if isinstance(a, Enclosed) else a
                b = b.content if isinstance(b, Enclosed) else b
                if isinstance(a, Literal) and a.text in ("0", "1") and (c := letter(b)) is not None:
                    self.starts.add(int(a.text))
                    self.sizes.add(c)

    def _members(self, parts: Sequence[Node]) -> None:
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
                self.sizes |= {c for c in ends if c is not None and c not in self.index_letters}
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

    def _collect_left(self, r: Reading) -> None:
        first = r.chain.first
        if first is None or not r.chain.links or r.chain.links[0][0] not in ("=", "equiv"):
            return
        if isinstance(first, Adjacent) and len(first.items) == 2:
            head, arguments = first.items
            if isinstance(arguments, Scripted):
                arguments = arguments.base
            w = self.written(head)
            if w is not None and isinstance(arguments, Enclosed) and arguments.kind == "()":
                self.functions.add(w.stem)
        if not isinstance(first, Scripted) or not isinstance(first.base, Name) or first.sub is not None:
            return
        stem = self._stem(first.base)
        if stem is not None and isinstance(first.sup, Literal) and first.sup.text == "2":
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
        if isinstance(n, Adjacent):
            for head, after in zip(n.items, n.items[1:], strict=False):
                w = self.written(head)
                if w is None or not isinstance(after, Enclosed) or after.kind != "()" or w.font == "blackboard":
                    continue
                if _is_argument(after.content) and not w.slots and w.stem[0] not in "WU" and w.power is None:
                    self.applied.add(w.stem)
                many = isinstance(after.content, Listed)
                word = w.font == "roman" and len(w.stem) > 1
                if many or word:
                    self.functions.add(w.stem)

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
        # even and odd positions, 2j and 2j + 1, fill an axis that starts from 0
        e.zero = e.zero or any(isinstance(s.node, Adjacent) and isinstance(s.node.items[0], Literal) for s in w.slots)
        lower = not is_upper(w.stem)
        whole = sum(1 for s in w.slots if s.node is None)
        if lower and (w.bold or w.transposed) and not whole:
            e.vector_slots = max(e.vector_slots, count)
        elif lower and count == 1 and w.slots[0].style == "u" and w.font == "":
            e.vector_slots = max(e.vector_slots, count)

    # --- reading a name -------------------------------------------------------------------------------------

    def _stem(self, n: Name) -> str | None:
        base = _clean(n.base) if not n.base.isalnum() else n.base
        if not base or (n.font == "blackboard" and n.base in "RNZEI1") or n.base == "1":
            return None
        stem = base
        if n.font in ("calligraphic", "fraktur", "blackboard") and len(base) == 1:
            stem = f"{base}_{n.font[:3]}"
        for accent in n.accents:
            stem += "_" + {"widehat": "hat", "widetilde": "tilde", "overline": "bar"}.get(accent, accent)
        return stem + "_prime" * n.primes

    def written(self, node: Node) -> Written | None:
        """The name that a node is, with its scripts told apart; None when the node is something else."""
        w = self._written(node)
        if w is not None and w.slots and w.stem in self.parted:
            return replace(w, stem=w.stem + FAMILY)
        if w is not None and w.stem in self.fixed:
            return replace(w, slots=(*self.fixed[w.stem], *w.slots))
        return w

    def _written(self, node: Node) -> Written | None:
        if isinstance(node, Name):
            stem = self._stem(node)
            return None if stem is None else Written(stem, node.font == "bold", node.font, (), False, None, node.span)
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
        if isinstance(above, Adjacent) and len(above.items) == 2 and _transpose_sign(above.items[1]):
            above, turned = above.items
        inner = above.content if isinstance(above, Enclosed) and above.kind == "()" else above
        if (
            above is not None
            and not _transpose_sign(above)
            and (
                (label := _label(above)) is not None
                or ((label := letter(inner)) is not None and (name.base, label) in self.labels)
            )
        ):
            stem, above = f"{stem}_{label}", turned
        elif turned is not None:
            above = node.sup
        if isinstance(above, Literal) and above.text == "2" and below is None and stem in self.squares:
            return Written(stem + SQUARE, name.font == "bold", name.font, (), False, None, node.span)
        slots, transposed, power = self._scripts(stem, below, above)
        return Written(stem, name.font == "bold", name.font, slots, transposed, power, node.span)

    def _labelled(self, name: Name, below: Node | None) -> tuple[str | None, Node | None]:
        r"""The label in a subscript, and what is left of it: `d_k`, `W_{QK}`, `\alpha_{ij,\text{masked}}`."""
        if below is None or (isinstance(below, Mark) and below.kind in WHOLE):
            return None, below
        below = self._upright(below)
        if (label := _label(below)) is not None and (label != "in" or name.base in ("d", "D")):
            return label, None
        if (label := letter(below)) is not None and (name.base, label) in self.labels:
            return label, None
        if isinstance(below, Literal) and name.base in getattr(self, "numbered", ()):
            return below.text, None
        if isinstance(below, Adjacent):
            letters = [letter(i) for i in below.items]
            if all(c is not None and (name.base, c) in self.labels for c in letters):
                return "".join(c or "" for c in letters), None
        if isinstance(below, Listed):
            words = [_label(i) if _is_word(i) else None for i in below.items]
            rest = [i for i, w in zip(below.items, words, strict=True) if w is None]
            if rest and len(rest) < len(words):
                kept = rest[0] if len(rest) == 1 else replace(below, items=tuple(rest))
                return "_".join(w for w in words if w is not None), kept
        return None, below

    def _upright(self, below: Node) -> Node:
        r"""`_\text{ij}` in a document whose single indices are upright too, as `_{ij}`."""
        word = below.base if isinstance(below, Name) and below.font == "roman" else None
        word = below.text.strip() if isinstance(below, Words) else word
        if word is None or not 1 < len(word) < 4 or not set(word) <= self.upright:
            return below
        a, _ = below.span
        return Adjacent(below.span, tuple(Name((a + k, a + k + 1), c) for k, c in enumerate(word)))

    def generic_slots(self, node: Scripted) -> tuple[tuple[Slot, ...], bool, Node | None]:
        """The scripts of something that is not a name: `(QK^\\top)_{ij}`."""
        return self._scripts("", node.sub, node.sup)

    def _scripts(self, stem: str, below: Node | None, above: Node | None) -> tuple[tuple[Slot, ...], bool, Node | None]:
        slots: list[Slot] = []
        transposed, power = False, None
        if above is not None and stem == "e" and below is None and isinstance(above, Adjacent):
            return (), False, above  # e^{m(x)}
        if above is not None:
            items = above.items if isinstance(above, Adjacent) else (above,)
            rest = []
            for item in items:
                if _transpose_sign(item):
                    transposed = True
                elif isinstance(item, Enclosed) and item.kind == "()" and item.content is not None and len(items) <= 2:
                    parts = item.content.items if isinstance(item.content, Listed) else (item.content,)
                    slots += [Slot(p, "u") for p in parts]
                else:
                    rest.append(item)
            if rest:
                only = letter(rest[0]) if len(rest) == 1 else None
                if only is not None and below is not None and only in self.index_letters and only.islower():
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
        rank = max(e.slots, e.vector_slots + 1, len(w.slots))
        if w.stem in self.divisors and not e.slots and not e.transposed:
            return rank
        if is_upper(w.stem) and e.bare and len(re.split(r"[_^]", w.stem)[0]) == 1:
            rank = max(rank, 2)
        if is_upper(w.stem) and "_" in w.stem and e.slots == 1:
            rank = max(rank, 3)  # W_i^Q: a family of matrices
        return rank

    def shaky(self, stem: str) -> bool:
        """Whether the axes of an undeclared name are a guess: `q` beside `q_m`, or `R_m` alone."""
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
        e = self.evidence.get(stem)
        if e is not None and e.zero and self.stated_base is None:
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


def _letters(node: Node) -> set[str]:
    return {c for n in walk(node) if (c := letter(n)) is not None}


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
