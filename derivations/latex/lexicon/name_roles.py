"""What the letters of a document are: labels, index slots, sizes, functions, and how many axes each name has.

Evidence is gathered over the whole document before anything is elaborated: `d_k` is a size because a shape or an upper
limit says so, `W_q` is a label because `W_v` stands beside it, `k_i` is a family of vectors because it is bold.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from derivations.latex.lexicon.exponents import raised_to_counts
from derivations.latex.lexicon.index_starts import (
    collect_starts,
    collect_zero_ranges,
    is_from_zero,
    spread_ranges,
    spread_zero,
)
from derivations.latex.lexicon.labels import Labels, below_sums, labels_of_lengths
from derivations.latex.lexicon.letters_of_indices import collect_letters, raised_numbers
from derivations.latex.lexicon.occurrences import (
    Evidence,
    collect_left_side,
    collect_maps,
    collect_occurrence,
    count_indices,
    note_occurrence,
    numbers_below,
    said_negative,
)
from derivations.latex.lexicon.things_in_subscripts import numbers_in_subscripts, parts_of_one, things_in_subscripts
from derivations.latex.lexicon.two_fonts import families_beside_numbers, numbers_beside_arrays
from derivations.latex.lexicon.unknown_functions import ShownValues, shown_values
from derivations.latex.lexicon.vectors_beside_weights import vectors
from derivations.latex.lexicon.words_in_scripts import words_of_scripts
from derivations.latex.lexicon.written_names import (
    Form,
    Slot,
    Written,
    are_indices,
    form,
    is_bold,
    is_of_family,
    is_of_form,
)
from derivations.latex.syntax.function_names import arguments_of
from derivations.latex.syntax.letters import (
    ACTIVATIONS,
    ALONE,
    EULER,
    FAMILY,
    GREEK,
    INDICES_BY_HABIT,
    MATRICES,
    SQUARE,
    WAY,
    WHOLE,
    cleaned,
    is_transpose,
    is_upper,
    label_of,
    letter,
    run_of,
)
from derivations.latex.syntax.notation import ACCENTS
from derivations.latex.syntax.surface import (
    Adjacent,
    Chain,
    Enclosed,
    Infix,
    Listed,
    Literal,
    Mark,
    Name,
    Node,
    Reading,
    Scripted,
    Words,
    walk,
    walk_reading,
)

_LOOKS = frozenset({"cal", "fra", "bla", "prime", "Delta", "delta"})
"""What fonts, primes and the sign of a change add to a stem: no label."""


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
        self.labels_said = frozenset(self.labels)
        """Labels that are not found, but told."""
        self.stated_base: int | None = None
        """The number that indices start from, where the author declares it."""
        self.bases: dict[str, int] = {}
        """The same for single names."""
        self.sizes: set[str] = set()
        self.index_letters: set[str] = set()
        self.index_maps: set[str] = set()
        """Functions whose values are indices: of a head its group, `g(h)`."""
        self.functions: set[str] = set()
        self.squares: set[str] = set()
        self.raised: frozenset[tuple[str, str]] = frozenset()
        """Names with a number below, as (name, number), that have nothing above in other places."""
        self.plain: set[str] = set()
        """Names that an equation defines as they are, not their squares."""
        self.parted: dict[str, Form] = {}
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
        self.writes_circle = False
        r"""Whether pi stands as the number does somewhere in the document: in `2 \pi`, or in a function of angles."""
        self.in_laws: frozenset[str] = frozenset()
        """Names that are the mean or the variance of a normal law: the law tells whether it is one of numbers."""
        self.said_functions: set[str] = set()
        """Names that the text calls functions: an activation, a feature map."""
        self.activations: set[str] = set()
        """Those of them that are applied to every entry of an array."""
        self.called: set[str] = set()
        """Names that stand before parentheses."""
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
        self.multiples: set[str] = set()
        """Numbers that are factors in indices, the 2 of `_{2i+1}`: `f(x)_{2i}` has one index then."""
        self.lengths_of_spaces: set[str] = set()
        """Sizes that stand in the shape of a space: they are lengths also beside a family with the same letter."""
        self.sets: set[str] = set()
        """Names of sets that sums run over."""
        self.unscripted: set[str] = set()
        """Names that occur without any script."""
        self.matrices: set[str] = set()
        """Names that the text calls matrices."""
        self.factors: set[str] = set()
        """Names that occur without any script as factors of a product."""
        self.uncalled_factors: set[str] = set()
        """Those of them without parentheses after them."""
        self.numbered: set[str] = set()
        """Names with the number 1 above them: one of several, `W^1` beside `W^2`, and no power."""
        self.upright: set[str] = set()
        """Letters that are indices in upright type."""
        self.in_dots_alone: frozenset[str] = frozenset()
        """Names that stand beside the dot of a product, and nowhere else."""
        self.evidence: dict[str, Evidence] = defaultdict(Evidence)
        self.searched: dict[str, int] = {}
        """How many axes names have that nothing declares or defines, where the whole document tells another number than usual."""
        self.defined_axes: dict[str, int] = {}
        """How many axes names have that equations define, as far as the whole document tells."""
        self.told_apart: dict[str, Form] = {}
        """Names that the whole document tells to be two, and the form of the one that is a family."""
        self.parities: set[tuple[str, bool]] = set()
        """Names that are applied to even and to odd numbers (whether odd)."""
        self.starts: set[int] = set()
        self.mixed: set[tuple[str, int]] = set()
        trees = list(readings)
        nodes = [n for r in trees for n in walk_reading(r)]
        self.raised_to_counts = raised_to_counts(nodes)
        """Numbers above which the letter T is an exponent."""
        self.both_ways = any("overleftarrow" in n.accents for n in nodes if isinstance(n, Name))
        """Whether arrows tell two things of one letter apart: forwards and backwards."""
        pairs = [n for n in nodes if isinstance(n, Scripted) and n.sub is None and isinstance(n.sup, Adjacent)]
        above = {
            n.base.base for n in pairs if isinstance(n.base, Name) and n.sup is not None and are_indices(n.sup.parts)
        }
        self.upper = len({base for base in above if len(base) == 1 and base.isupper()}) > 1
        self.words = words_of_scripts(nodes)
        self._collect_labels(nodes)
        self._collect_numbered(trees)
        self.labels |= set(labels_of_lengths(trees))
        summed = set(below_sums(nodes)) - self.labels_said
        self.labels -= summed
        self.labels |= things_in_subscripts(trees, self.words) | numbers_in_subscripts(trees) | parts_of_one(trees)
        subs = [n.sub for n in nodes if isinstance(n, Scripted)]
        self.upright = {
            c for s in subs if isinstance(s, Name) and s.font == "roman" and (c := letter(s)) in INDICES_BY_HABIT
        }
        self.upright |= {s.text for s in subs if isinstance(s, Words) and s.text in "ijt"}
        self.raised = frozenset(raised_numbers(nodes))
        collect_letters(self, trees, nodes)
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
        self.labels -= summed
        self.in_dots_alone = self._found_in_dots_alone(nodes)
        for n in nodes:  # counts first: `_{22}` is read by them
            if isinstance(n, Scripted):
                count_indices(self, n)
        for stem, count in self.mixed:  # `_{21}` and `_{2j}` together are two indices
            if count > 0 and (stem, -count) in self.mixed:
                self.evidence[stem].counts.add(count)
        for stem, below in numbers_below(self, nodes).items():  # q_{11}, q_{12}, q_{21}: entries of a matrix
            if "11" in below and below & {"12", "21"} and all(len(n) == 2 for n in below):
                self.evidence[stem].counts.add(2)
        shaped = self._members_of_spaces(trees)
        for r in trees:
            collect_left_side(self, r, shaped)
        self.squares -= set(said_negative(self, trees))
        self.settle()  # what follows learns nothing that scripts are told apart by
        self.in_two_fonts, self.numbers_alone = families_beside_numbers(self, nodes), numbers_beside_arrays(self, nodes)
        self.settle()
        for n in nodes:
            collect_occurrence(self, n)
        collect_starts(self, nodes)
        for vector, is_shown in vectors(self, nodes):
            e = self.evidence[vector.stem]
            e.vector_slots = max(e.vector_slots, len(vector.slots))
            e.shown_slots = max(e.shown_slots, len(vector.slots) if is_shown else -1)
        inner = {id(n.base) for n in nodes if isinstance(n, Scripted)}
        for n in nodes:
            if isinstance(n, Name) and id(n) not in inner:
                note_occurrence(self, self.written(n))
                self.unscripted.add(self.stem(n) or "")
            elif isinstance(n, Adjacent):
                self.factors |= {self.stem(m) or "" for m in n.items if isinstance(m, Name)}
            elif (
                isinstance(n, Scripted)
                and isinstance(n.base, Name)
                and isinstance(n.sup, Literal)
                and n.sup.text == "1"
            ):
                self.numbered.add(self.stem(n.base) or "")
        for n in self._not_called(nodes):
            if (w := self.written(n)) is not None:
                self.evidence[w.stem].alone = True
        items = [m for n in nodes if isinstance(n, Adjacent) for m in n.items if isinstance(m, Name)]
        uncalled = {id(n) for n in self._not_called(nodes)}
        self.uncalled_factors |= {self.stem(m) or "" for m in items if id(m) in uncalled}
        collect_maps(self, trees, nodes)
        self.called |= {stem for r in trees for stem in called_in(self, r.chain)}
        relations = [n for r in trees if r.chain.links for n in walk_reading(r)]
        alone = {w.stem for n in self._not_called(relations) if (w := self.written(n)) is not None}
        customary = self.called & ACTIVATIONS - alone
        self.activations |= customary
        self.said_functions |= customary
        self.shown = shown_values([r.chain for r in trees], self._called)
        collect_zero_ranges(self, trees)
        spread_ranges(self, trees)
        spread_zero(self, trees)
        self._collect_divisors(nodes)
        self.learn()

    @staticmethod
    def _not_called(nodes: Sequence[Node]) -> Iterator[Node]:
        """The names among nodes that do not stand before parentheses, each with its scripts."""
        inner = {id(n.base) for n in nodes if isinstance(n, Scripted)}
        called = {
            id(head)
            for n in nodes
            if isinstance(n, Adjacent)
            for head, after in zip(n.items, n.items[1:], strict=False)
            if isinstance(after.base if isinstance(after, Scripted) else after, Enclosed)
        }
        return (n for n in nodes if isinstance(n, Name | Scripted) and id(n) not in inner | called)

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

    # --- letters --------------------------------------------------------------------------------------------

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

    # --- occurrences ----------------------------------------------------------------------------------------

    # --- reading a name -------------------------------------------------------------------------------------

    def stem(self, n: Name) -> str | None:
        """A name in one word, with its font, its accents and its primes; None for a sign that is no name."""
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
        return stem + "_prime" * n.primes + (f"{WAY}{abs(n.way)}" if n.way else "")

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
        if w is not None and w.stem in self.apart and is_of_form(w, self.apart[w.stem]):
            return replace(w, stem=w.stem + FAMILY)
        if w is not None and w.stem in self.numbers_alone and not (w.slots or w.bold or w.font):
            return replace(w, stem=w.stem + ALONE)
        if w is not None and w.slots and w.stem in self.in_two_fonts:
            if w.bold or len(w.slots) > self.in_two_fonts[w.stem]:
                return replace(w, stem=w.stem + FAMILY)
        if w is not None and w.slots and w.stem in self.parted and is_of_family(w, self.parted[w.stem]):
            return replace(w, stem=w.stem + FAMILY)
        if w is not None and w.stem in self.fixed:
            return replace(w, slots=(*self.fixed[w.stem], *w.slots))
        return w

    def _written(self, node: Node) -> Written | None:
        if isinstance(node, Name):
            stem = self.stem(node)
            return None if stem is None else Written(stem, is_bold(node), node.font, (), False, None, node.span)
        if not isinstance(node, Scripted) or not isinstance(node.base, Name):
            return None
        name = node.base
        stem = self.stem(name)
        if stem is None:
            return None
        below, above = node.sub, node.sup
        label, below = self.labelled(name, below)
        if label is not None:
            stem = f"{stem}_{label}"
        turned: Node | None = None
        if isinstance(above, Adjacent) and len(above.items) == 2 and is_transpose(above.items[1]):
            above, turned = above.items
        inner = above.content if isinstance(above, Enclosed) and above.kind == "()" else above
        if (
            above is not None
            and (not is_transpose(above) or (name.base, letter(inner)) in self.two_above)
            and not (self.upper and is_upper(stem) and isinstance(above, Adjacent))
            and (
                (label := label_of(above)) is not None
                or (label := self.number_above(name, above)) is not None
                or ((label := letter(inner)) is not None and (name.base, label) in self.labels | self.two_above)
                or ((label := run_of(above)) is not None and (name.base, label) in self.words)
            )
        ):
            stem, above = f"{stem}_{label}", turned
        elif turned is not None:
            above = node.sup
        if isinstance(above, Literal) and above.text == "2" and stem in self.squares:
            slots = tuple(self._below(stem, below))
            return Written(stem + SQUARE, is_bold(name), name.font, slots, False, None, node.span)
        if isinstance(below, Literal) and (name.base, below.text) in self.raised and letter(above) is not None:
            return Written(stem, is_bold(name), name.font, tuple(self._below(stem, below)), False, above, node.span)
        slots, transposed, power = self._scripts(stem, below, above)
        above = node.sup if transposed else None
        return Written(stem, is_bold(name), name.font, slots, transposed, power, node.span, above)

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
                if is_transpose(item) and not (letter(item) == "T" and stem.partition("_")[0] in self.raised_to_counts):
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
        unlabelled = stem.rpartition("_")[0]  # what is written as A^c_{ij} is counted for A
        counts = next(
            (own for s in (stem, unlabelled) if s in self.evidence and (own := self.evidence[s].counts)), set()
        )
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
            is_multiple = not stem and isinstance(split[0], Literal) and split[0].text in self.multiples
            if not is_multiple and not (counts == {1} and isinstance(split[0], Literal)):
                for i in split:
                    yield Slot(i, "d")
                return
        yield Slot(None if isinstance(below, Mark) and below.kind in WHOLE else below, "d")

    # --- conclusions ----------------------------------------------------------------------------------------

    def rank(self, w: Written, declared: int | None = None) -> int:
        """How many axes a name has that nothing else defines or declares."""
        if declared is not None:
            return declared
        if w.stem in self.searched:
            return max(self.searched[w.stem], len(w.slots))
        e = self.evidence[w.stem] if w.stem in self.evidence else Evidence()
        if w.stem in self.random:
            return max(e.slots, len(w.slots))
        rank = max(e.slots, e.vector_slots + 1, len(w.slots))
        if w.stem in self.divisors and not e.slots and not e.transposed:
            return rank
        head = re.split(r"[_^]", w.stem)[0]
        greek = head in MATRICES or (head.lower() in GREEK and (e.transposed or not e.bare_plain))
        is_factor = w.stem in self.functions and w.stem in self.uncalled_factors  # a map, T x beside T(x)
        if is_upper(w.stem) and (e.bare or is_factor) and (len(head) == 1 or greek):
            rank = max(rank, 2)
        labelled = any(part not in ACCENTS | _LOOKS and not part.startswith("(") for part in w.stem.split("_")[1:])
        if is_upper(w.stem) and labelled and e.slots == 1:
            rank = max(rank, 3)  # W_i^Q: a family of matrices; \tilde{O}_i is not
        return rank

    def two_ways(self, chains: Iterable[Node]) -> dict[str, Form]:
        """Names with one index more in some places, `\\hat{x}_{ij}` beside `\\hat{x}_j`, or `y^{(i)}` beside `y_k`: that form."""
        forms: dict[str, set[Form]] = {}
        vectors: set[str] = set()
        for chain in chains:
            for w in uses(self, chain):
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
        if e is None or stem in self.in_laws:
            return False
        if is_upper(stem):
            return e.slots == 1 and not e.bare
        return e.bare_plain and e.slots > 0

    def base(self, stem: str) -> int:
        """The number that the indices of a name start from."""
        if stem in self.bases:
            return self.bases[stem]
        if self.stated_base is None and is_from_zero(self, stem):
            return 0
        return self.document_base

    @property
    def document_base(self) -> int:
        if self.stated_base is not None:
            return self.stated_base
        if self.starts:
            return 0 if self.starts == {0} else 1
        return 0 if any(e.from_zero for e in self.evidence.values()) else 1

    @property
    def base_is_stated(self) -> bool:
        return bool(self.starts) or self.stated_base is not None


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
