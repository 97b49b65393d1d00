r"""Shapes are a way to be wrong: an equation whose names have all their shapes from other lines, and that has no meaning.

Most conflicts of shapes come from a wrong reading, so an equation is refuted for its shapes only where nothing was guessed:
every shape is stated or follows from stated ones, the two lengths stand side by side in a stated shape and nothing equates
them, and no way to stand that the document leaves open makes them fit.  Where more than one line disagrees with a stated
shape, the stated shape is more likely the slip; where the document mixes rows and columns, nobody can tell.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise

from derivations.documents.facts.declarations import members, sizes_of, space
from derivations.documents.facts.fact import FactKind
from derivations.documents.facts.role_words import Part, parts_said
from derivations.documents.facts.sentence_patterns import ANEW, DENIED_AFTER, DENIED_BEFORE, SCENARIO, VERSIONS
from derivations.documents.model.document import Block, MathSpan, are_beside
from derivations.documents.model.finding import Finding
from derivations.language.statement import Statement
from derivations.language.term import Index, IndexValue
from derivations.latex.elaborator.elaborate import Elaborator
from derivations.latex.elaborator.stated_shapes import ONE, Clash, ShapeReader, Unsettled, Ways, axes_of
from derivations.latex.lexicon.name_roles import Names, uses
from derivations.latex.lexicon.symbol_table import GENERIC
from derivations.latex.lexicon.written_names import Written
from derivations.latex.syntax.letters import letter
from derivations.latex.syntax.reader import ReadError, read_equation, read_expression
from derivations.latex.syntax.surface import Adjacent, Chain, Infix, Name, Node, Scripted, walk
from derivations.provers.decide import Refuted
from derivations.study.equation_walk import Item, Key, balanced
from derivations.study.shape_products import factors_of
from derivations.study.state import Study
from derivations.study.verdict import withheld

_CONVENTION = re.compile(
    r"\b(?:rows|(?:each|every|per|one|a|the|as) row|row[- ](?:wise|vectors?)|columns?(?:-?wise)?|(?:mini-?)?batch(?:es|ed|ing)?|"
    r"stack(?:ed|ing|s)?|transposed|convention\w*|broadcast\w*|vectori[sz]\w+)\b",
    re.IGNORECASE,
)
"""Words beside a formula after which what is a row and what a column may change."""
_ABOUT_SHAPES = re.compile(
    r"\b(?:undefined|not (?:well[- ])?defined|ill[- ]defined|not conform\w*|mismatch\w*|incompatible|invalid|wrong\w*|"
    r"mistake\w*|incorrect\w*|impossible|cannot|can't|nonsens\w*|makes? no sense|typos?|sloppy|abus\w+|"
    r"(?:shape|dimension)s? (?:error|do(?:es)? not|don't)|"
    r"(?:not|never|n't|no)\b[^.;]{0,40}\b(?:right|correct|same|proper|expected) (?:shape|dimension|size)s?)\b",
    re.IGNORECASE,
)
"""Words of an author who speaks of formulas that do not fit, or takes liberties."""
_EQUATED = re.compile(
    r"\b(?:equal\w*|same|identical|coincid\w+|square|match\w*|both|assum\w+|suppos\w+|simplicity|otherwise)\b",
    re.IGNORECASE,
)
_SQUARE = re.compile(
    r"\bsquare(?: (?:and|or|invertible|weight|real)\b| matri|,)|\b(?:is|are|be) (?:\w+ )?square\b|\bsymmetric\b|\borthogonal\b|"
    r"\binvertible\b|\bpermutation matri|\bdefinite\b|\beigen",
    re.IGNORECASE,
)
"""A sentence about matrices that have as many rows as columns."""
_SAME_LENGTHS = re.compile(
    r"\b(?:sizes?|dimensions?|dimensionalit(?:y|ies)|widths?|lengths?)\b[^⟦.;]{0,40}\b(?:equals?|equal to|identical|the same as|"
    r"coincides?|matches)\b[^⟦.;]{0,40}\b(?:sizes?|dimensions?|dimensionality|widths?|lengths?)\b|"
    r"\b(?:sizes?|dimensions?|widths?|lengths?)\b[^⟦.;]{0,40}\band\b[^⟦.;]{0,40}\b(?:sizes?|dimensions?|widths?|lengths?)\s+"
    r"(?:are|being|be)\s+(?:all\s+|both\s+|set\s+|taken\s+|assumed\s+)*(?:to\s+be\s+)?(?:equal|identical|the same)\b|"
    r"\b(?:all|both)\b[^⟦.;]{0,40}\b(?:sizes?|dimensions?|dimensionalities|widths?|lengths?)\b[^⟦.;]{0,30}\b(?:equal|identical|"
    r"the same)\b",
    re.IGNORECASE,
)
"""A sentence that calls lengths equal in words alone."""
_INTRODUCED = re.compile(
    r"\b(?:let|letting|consider(?:ing)?|another|a new|now|next|denoted?(?: by)?|write)\s+((?:⟦\d+⟧(?:\s*(?:,|and)\s*)*)+)",
    re.IGNORECASE,
)
_MARK = re.compile(r"⟦(\d+)⟧")
_ORDERED = re.compile(r"[<>]|\\(?:l|g)(?:e|eq|eqslant|t|l|g)?(?![A-Za-z])")
"""A formula that compares lengths without saying that they are equal."""
_NOT_CLAIMED = frozenset({Part.DENIED, Part.CONDITION, Part.PREMISE, Part.SUPPOSED, Part.DESCRIBED, Part.SITUATION})


@dataclass(frozen=True, slots=True)
class StatedShape:
    """The axes of a name, how it stands as a vector, the number of its indices, and where it is said."""

    axes: tuple[Index, ...]
    orient: str
    slots: int
    block: Block | None
    """None where a comment says it of the whole document."""
    line: int
    derived: bool = False
    """It follows from other stated shapes, by an equation that defines the name."""


Spelling = tuple[str, bool]
"""A name and whether it is bold: `\\mathbf{x}` and `x` may be two things."""


@dataclass(slots=True)
class Stated:
    """What a document states of shapes, and which lengths it keeps apart."""

    names: Names
    shapes: dict[Spelling, list[StatedShape]] = field(default_factory=dict)
    equated: dict[Index, Index] = field(default_factory=dict)
    anew: dict[Spelling, list[int]] = field(default_factory=dict)
    """The blocks in which words introduce a name without a shape."""

    def at(self, w: Written, block: Block) -> StatedShape | None:
        """The shape of a name as written in a block; None where no line settles it there."""
        found = self.shapes.get((w.stem, w.bold), [])
        if (w.stem, not w.bold) in self.shapes or len({(s.axes, s.slots) for s in found}) != 1:
            return None
        if len(w.slots) != found[0].slots or any(letter(s.node) is None or s.style != "d" for s in w.slots):
            return None
        if w.slots and len(found[0].axes) != 1:
            return None  # the matrices of several layers, of which only one has this shape
        again = self.anew.get((w.stem, w.bold), ())
        return next((s for s in found if s.block is None or _covers(s.block, block, again)), None)

    def compare(self, a: Index, b: Index) -> bool | None:
        """Whether two lengths are the same; None where nothing keeps them apart."""
        if self._root(a) is self._root(b):
            return True if a is b else None
        if a.is_constant and b.is_constant:
            return False
        if not (_is_name(a) and _is_name(b)) or str(a).casefold() == str(b).casefold():
            return None
        return False if self.are_together(a, b) or set(str(a).split("_")).isdisjoint(str(b).split("_")) else None

    def are_together(self, a: Index, b: Index) -> bool:
        """Whether the author keeps two lengths apart: one stated shape has both, or two stated side by side differ in them
        alone, as `n \\times p` and `n \\times q`."""
        stated = [s for each in self.shapes.values() for s in each if not s.derived]
        if any({a, b} <= set(s.axes) for s in stated):
            return True
        one, other = ([s for s in stated if n in s.axes and len(s.axes) > 1] for n in (a, b))
        pairs = ((s, t) for s in one for t in other if s.block is not None and s.block is t.block)
        return any([b if n is a else n for n in s.axes] == list(t.axes) for s, t in pairs)

    def equate(self, lengths: Iterable[Index]) -> None:
        """From now on these lengths may be the same."""
        first, *rest = [self._root(n) for n in lengths] or [ONE]
        for other in rest:
            self.equated[other] = first

    def are_equated(self, lengths: Iterable[Index]) -> bool:
        """Whether all these lengths may be the same."""
        return len({id(self._root(n)) for n in lengths}) == 1

    def _root(self, n: Index) -> Index:
        while self.equated.get(n, n) is not n:
            n = self.equated[n]
        return n


@dataclass(frozen=True, slots=True)
class ShapeConflict:
    """An equation that does not fit: what clashes first, and the stated names in it."""

    clash: Clash
    names: frozenset[Spelling]
    left: Node | None
    """The left side, None where it is new and the right side clashes by itself."""
    right: Node


class StatedReading:
    """The equations of a document read over stated shapes; `but` is a membership that is judged, and states none."""

    def __init__(self, study: Study, findings: Mapping[Key, Finding], but: Item | None = None) -> None:
        self.study, self.names, self.document = study, study.names, study.document
        self.findings, self.stated, self.but = findings, Stated(study.names), but
        self._collect()
        self._introduce_anew()
        self._equate()
        self._infer()
        self._derive()

    # --- what is stated -------------------------------------------------------------------------------------

    def _collect(self) -> None:
        for item in self.study.items:
            if item is self.but:
                continue
            chains = [item.reading.chain, *(c for c in item.reading.conditions if isinstance(c, Chain))]
            for chain in chains:
                self._membership(chain, self._block(item), item.span.place.line)
        for reading in self.study.text.conventions.readings():
            self._membership(reading.chain, None, 1)
        sources = {s.index: s for s in self.document.spans}
        for fact in self.study.text.said.of(FactKind.SHAPE):
            numbers = [n for n in fact.names if isinstance(n, int)]
            names = ", ".join(sources[n].source.strip() for n in numbers)
            try:
                readings = read_equation(rf"{names} \in {fact.value}", self.study.text.said.macros or {})
            except ReadError:
                continue
            if len(readings) == 1 and numbers:
                self._membership(readings[0].chain, self.document.block_of(sources[numbers[0]]), fact.place.line)

    def _block(self, item: Item) -> Block:
        return self.document.block_of(item.span)

    def _membership(self, chain: Chain, block: Block | None, line: int) -> None:
        if chain.first is None or not chain.links or chain.links[-1][0] != "in":
            return  # X = (x_1, …, x_n) \in R^{n x d} states the shape of X, too
        right = chain.links[-1][1]
        exponent = space(right)
        real = isinstance(right, Name) and right.base == "R" and right.font == "blackboard"
        found = ((), "plain") if real else sizes_of(Elaborator(self.study.table), exponent) if exponent else None
        for node in members(chain.first):
            w = self.names.written(node)
            if w is not None and found is not None and w.power is None and (not w.transposed or len(found[0]) == 2):
                axes, orient = found
                axes = axes[::-1] if w.transposed else axes  # X^T \\in R^{d x n} says as much of X
                self._state(w, StatedShape(axes, orient, len(w.slots), block, line))
            elif w is not None:
                self._state(w, StatedShape((), "unknown", -1, block, line))  # a shape that is not read

    def _state(self, w: Written, shape: StatedShape) -> None:
        self.stated.shapes.setdefault((w.stem, w.bold), []).append(shape)

    def _introduce_anew(self) -> None:
        """Names that words introduce, "for another x", "let x be the output", with a shape or without one."""
        shaped = {n for fact in self.study.text.said.of(FactKind.SHAPE) for n in fact.names}
        spans = {s.index: s for s in self.document.spans}
        for paragraph in dict.fromkeys(map(self.document.paragraph, self.document.spans)):
            for match in _INTRODUCED.finditer(paragraph):
                for number in map(int, _MARK.findall(match[1])):
                    if number in shaped or number not in spans:
                        continue
                    name = self._bare_name(spans[number])
                    if name is not None:
                        place = self.document.block_of(spans[number]).index
                        self.stated.anew.setdefault(name, []).append(place)

    def _equate(self) -> None:
        """Lengths that an equation, a sentence or a line of code brings together."""
        axes = {n for each in self.stated.shapes.values() for s in each for n in s.axes}
        lengths = {str(n): n for n in axes if _is_name(n)}
        for item in self.study.items:
            chain = item.reading.chain
            sides = [n for n in (chain.first, *(n for _, n in chain.links)) if n is not None]
            if any(len(factors_of(self.names, n)) > 1 for n in sides):
                continue  # (n x d)(d x m) = n x m brings no two lengths together
            if len(sides) > 1 and all(r in ("=", "equiv", "approx") for r, _ in chain.links):
                stems = [[w.stem for w in uses(self.names, n)] for n in sides]
                if all(s in lengths or self._is_length(s) for side in stems for s in side):
                    self.stated.equate(lengths[s] for side in stems for s in side if s in lengths)
        for paragraph in {self.document.paragraph(i.span) for i in self.study.items}:
            for sentence in re.split(r"(?<=[.!?;])\s", paragraph):
                if _EQUATED.search(sentence):
                    self.stated.equate(self._lengths_in(sentence, lengths))
                if _SQUARE.search(sentence):
                    self._equate_axes(sentence)

    def _equate_axes(self, sentence: str) -> None:
        """The matrices that a sentence speaks of have as many rows as columns; all, where it names none.

        Where it names some that do by their stated shapes, it is said of these: "a symmetric $S \\in \\mathbb{R}^{n \\times n}$
        and $B \\in \\mathbb{R}^{n \\times m}$".
        """
        numbers = set(map(int, _MARK.findall(sentence)))
        chains = (i.reading.chain for i in self.study.items if i.span.index in numbers)
        named = {n for c in chains for n in self.stated_in(*c.parts)}
        spans = (s for s in self.document.spans if s.index in numbers)
        called = {n for s in spans if (n := self._bare_name(s)) is not None}
        named = (named | called) & self.stated.shapes.keys()
        if called and not named:
            return  # it is said of names without a stated shape
        matrices = [s.axes for n in named or self.stated.shapes for s in self.stated.shapes[n] if len(s.axes) == 2]
        if named and any(rows is columns for rows, columns in matrices):
            return
        for axes in matrices:
            self.stated.equate(axes)

    def _bare_name(self, span: MathSpan) -> Spelling | None:
        """The name that a formula is; None where it is more."""
        try:
            node = read_expression(span.source.strip(), self.study.text.said.macros or {})
        except ReadError:
            return None
        w = self.names.written(node)
        return None if w is None else (w.stem, w.bold)

    def _is_length(self, stem: str) -> bool:
        return stem in self.names.sizes

    def _lengths_in(self, sentence: str, lengths: Mapping[str, Index]) -> Iterator[Index]:
        """The lengths that a sentence speaks of, in formulas that are no shapes."""
        by_source = {s.index: s.source for s in self.document.spans}
        for number in map(int, _MARK.findall(sentence)):
            source = by_source.get(number, "")
            if _ORDERED.search(source):
                continue  # r < n brings no two lengths together
            bare = re.sub(r"\\(?:text|mathrm|mathit|operatorname)|[{}\s$\\]", "", source)
            for part in re.split(r"[=,<>]", bare):
                if part in lengths:
                    yield lengths[part]

    def _derive(self) -> None:
        """The shapes of names that one equation each defines, of names whose shapes are settled."""
        for item in self.study.items:
            chain = item.reading.chain
            if chain.first is None or not chain.links or chain.links[0][0] != "=":
                continue
            w, key = self.names.written(chain.first), (item.span.index, item.number, 0)
            made = self.findings.get(key)
            if w is None or w.slots or w.transposed or made is None or made.status != "defined":
                continue
            if (w.stem, w.bold) in self.stated.shapes or len(self.study.text.lefts.get(w.stem, ())) != 1:
                continue
            reader = self.reader(self._block(item))
            try:
                ways = reader.ways(chain.links[0][1])
            except Unsettled:
                continue
            if ways and not reader.clashes:
                axes, orient = _as_axes(ways)
                line = item.span.place.line
                self._state(w, StatedShape(axes, orient, 0, self._block(item), line, derived=True))

    def _infer(self) -> None:
        """The lengths of vectors that nothing declares, behind a matrix and in a sum with such a product, in what is read."""
        unread = {k[:2] for k, f in self.findings.items() if f.status == "unread"}
        items = [i for i in self.study.items if (i.span.index, i.number) not in unread]
        for _ in range(2):  # `S k - v` tells v when k is told
            told: dict[Spelling, set[Index]] = {}
            for item in items:
                for node in walk(item.reading.chain):
                    for name, length in self._lengths_told(node, self._block(item)):
                        told.setdefault(name, set()).add(length)
            for name, lengths in told.items():
                if len(lengths) == 1 and name not in self.stated.shapes:
                    (length,) = lengths
                    self.stated.shapes[name] = [StatedShape((length,), "plain", 0, None, 1, derived=True)]

    def _lengths_told(self, node: Node, block: Block) -> Iterator[tuple[Spelling, Index]]:
        """The vectors whose length a product with a matrix of a stated shape tells, or a sum."""
        if isinstance(node, Adjacent):
            for before, after in pairwise(node.items):
                matrix, w = self._written(before), self._open_vector(after)
                shape = self.stated.at(matrix, block) if matrix is not None and matrix.power is None else None
                if w is not None and matrix is not None and shape is not None and len(shape.axes) == 2:
                    yield (w.stem, w.bold), shape.axes[0 if matrix.transposed else 1]
        elif isinstance(node, Infix) and node.operator in ("+", "-"):
            for one, other in ((node.left, node.right), (node.right, node.left)):
                w = self._open_vector(one)
                if w is None:
                    continue
                reader = self.reader(block)
                try:
                    ways = reader.ways(other)
                except Unsettled:
                    continue
                if ways and not reader.clashes and len(axes := axes_of(ways)) == 1 and axes[0] is not ONE:
                    yield (w.stem, w.bold), axes[0]

    def _written(self, node: Node) -> Written | None:
        return self.names.written(node) if isinstance(node, Name | Scripted) else None

    def _open_vector(self, node: Node) -> Written | None:
        """A name that is read as a vector, whose length no line states."""
        w = self._written(node)
        if w is None or w.slots or w.transposed or w.power is not None or (w.stem, w.bold) in self.stated.shapes:
            return None
        symbols = self.study.table.symbols
        symbol = (symbols.get(w.stem + GENERIC) if w.bold else None) or symbols.get(w.stem)
        return w if symbol is not None and not symbol.defined and len(symbol.dims) == 1 else None

    # --- what clashes ---------------------------------------------------------------------------------------

    @cached_property
    def rows_are_open(self) -> bool:
        """Whether vectors may stand as rows: the document says so of one, or multiplies one by a matrix from the left."""
        rows = any(s.orient == "row" for each in self.stated.shapes.values() for s in each)
        return rows or self.study.table.rows_are_vectors or any(True for _ in self.study.text.said.of(FactKind.TOKENS))

    def reader(self, block: Block) -> ShapeReader:
        def stated(w: Written) -> tuple[tuple[Index, ...], str] | None:
            if not w.slots and (w.stem, w.bold) not in self.stated.shapes and self._is_length(w.stem):
                return (), "plain"
            found = self.stated.at(w, block)
            return None if found is None else (found.axes, found.orient)

        def rank(w: Written) -> int | None:
            symbol = self.study.table.symbols.get(w.stem)
            return None if symbol is None or w.slots else len(symbol.dims)

        return ShapeReader(self.names, stated, self.stated.compare, self.rows_are_open, rank=rank)

    def links(self, item: Item) -> Iterator[tuple[Key, Node | None, Node]]:
        """The equations of an item: with their left side, or without it where the equation gives it its shape."""
        chain = item.reading.chain
        left = chain.first if chain.first is not None else item.before
        for number, (relation, right) in enumerate(chain.links):
            if relation == "=" and left is not None:
                w = self.names.written(left)
                new = w is not None and (w.stem, w.bold) not in self.stated.shapes and number == 0 and not w.transposed
                if not (new and w is not None and any(u.stem == w.stem for u in uses(self.names, right))):
                    yield (item.span.index, item.number, number), None if new else left, right
            left = right

    def repeats(self, item: Item, key: Key, left: Node | None) -> bool:
        """Whether an equation goes on from a side that clashes by itself: the equation before it says so."""
        goes_on = key[2] > 0 or item.reading.chain.first is None
        return goes_on and left is not None and self.conflict(item, None, left) is not None

    def conflict(self, item: Item, left: Node | None, right: Node) -> ShapeConflict | None:
        """What clashes in an equation, or in the one side of it that is settled; None where nothing does."""
        for one, other in ((left, right), (None, right), (None, left)) if left is not None else ((None, right),):
            reader = self.reader(self._block(item))
            if other is None or not is_settled(reader, one, other):
                continue
            return ShapeConflict(reader.clashes[0], self.stated_in(one, other), one, other) if reader.clashes else None
        return None

    def stated_in(self, *sides: Node | None) -> frozenset[Spelling]:
        found = ((w.stem, w.bold) for n in sides if n is not None for w in uses(self.names, n))
        return frozenset(n for n in found if n in self.stated.shapes)

    def other_uses(self, item: Item, found: ShapeConflict) -> list[int]:
        """The lines of other relations with a matrix of an equation."""
        matrices = {n for n in found.names if any(len(s.axes) == 2 for s in self.stated.shapes[n])}
        others = (i for i in self.study.items if (i.span.index, i.number) != (item.span.index, item.number))
        sides = ((i.span.place.line, n) for i in others for n in i.reading.chain.parts if self.names.written(n) is None)
        return sorted({line for line, n in sides if matrices & self.stated_in(n)})

    def disagreeing(
        self, key: Key, found: ShapeConflict, conflicts: Container[Key], troubled: Iterable[Key]
    ) -> list[int]:
        """The lines of other equations that have no shape either: those that do not fit with a name of this one, and those
        that are not understood with a matrix of it."""
        lines: set[int] = set()
        by_key = {(i.span.index, i.number): i for i in self.study.items}
        matrices = {n for n in found.names if any(len(s.axes) == 2 for s in self.stated.shapes[n])}
        for other in troubled:
            item = by_key.get(other[:2])
            if item is not None and other[:2] != key[:2]:
                chain = item.reading.chain
                shared = found.names if other in conflicts else matrices
                if shared & self.stated_in(chain.first, *(n for _, n in chain.links)):
                    lines.add(item.span.place.line)
        return sorted(lines)

    def are_made(self, names: Iterable[Spelling]) -> bool:
        """Whether the shape of one of these names follows from an equation that defines it."""
        return any(s.derived for n in names for s in self.stated.shapes[n])

    def is_claimed(self, item: Item, *, is_of_product: bool = False) -> bool:
        """Whether the words around an equation assert it, of what was said before; what a product, or a name that an
        equation defines, satisfies is asserted."""
        context = item.context
        before = f"{context.before} {item.reading.lead}"
        if item.reading.conditions and not all(self._only_declares(c) for c in item.reading.conditions):
            return False
        if DENIED_BEFORE.search(before) or DENIED_AFTER.search(context.after) or SCENARIO.search(item.reading.lead):
            return False
        parts = parts_said(before) - ({Part.DESCRIBED} if is_of_product else set())
        if not _NOT_CLAIMED.isdisjoint(parts) or ANEW.search(context.paragraph):
            return False
        headings = re.findall(r"[a-z]+", " ".join(context.section).lower())
        return not VERSIONS.intersection(headings) and not _ABOUT_SHAPES.search(f"{before} {context.paragraph}")

    def _only_declares(self, node: Node) -> bool:
        return isinstance(node, Chain) and bool(node.links) and all(r == "in" for r, _ in node.links)

    def have_one_meaning(self, found: ShapeConflict) -> bool:
        """Whether no name of an equation is given by several equations."""
        return all(len(self.study.text.lefts.get(stem, ())) <= 1 for stem, _ in found.names)

    def speaks_of_convention(self, item: Item, names: frozenset[Spelling]) -> bool:
        """Whether words beside the equation, or beside what states its shapes, tell rows from columns."""
        said = (s.block.index for n in names for s in self.stated.shapes[n] if s.block is not None)
        blocks = {*said, self._block(item).index}
        return any(_CONVENTION.search(t) for t in self._paragraphs(blocks))

    def _paragraphs(self, blocks: Container[int]) -> set[str]:
        return {self.document.paragraph(s) for s in self.document.spans if self.document.block_of(s).index in blocks}

    def calls_lengths_equal(self) -> bool:
        """Whether a sentence without their names calls lengths equal: "the hidden size is the input size"."""
        sentences = (
            t for p in self._paragraphs(range(len(self.document.blocks))) for t in re.split(r"(?<=[.!?;])\s", p)
        )
        return any(_SAME_LENGTHS.search(t) for t in sentences)

    def correction(self, item: Item, found: ShapeConflict) -> str | None:
        """The one name that must be transposed for the equation to fit, else the two matrices that must change places."""
        fitting = []
        for node, w in self._occurrences(found):
            shape = self.stated.at(w, self._block(item))
            if shape is not None and len(shape.axes) == 2:
                if self._fits(replace(self.reader(self._block(item)), turned=node), found):
                    how = "without the transpose of" if w.transposed else "with the transpose of"
                    fitting.append(f"the shapes fit {how} {_source(item, node)}")
        if not fitting and all(len(axes) == 2 for axes in found.clash.shapes):
            for pair in _neighbours(found):
                if self._fits(replace(self.reader(self._block(item)), exchanged=pair), found):
                    fitting.append(f"the shapes fit as {_source(item, pair[1])} {_source(item, pair[0])}")
        return fitting[0] if len(fitting) == 1 else None

    def _occurrences(self, found: ShapeConflict) -> Iterator[tuple[Node, Written]]:
        """The stated names in an equation, each as often as it is written."""
        for side in (found.left, found.right):
            for node in walk(side) if side is not None else ():
                w = self.names.written(node) if isinstance(node, Name | Scripted) else None
                if w is not None and (w.stem, w.bold) in self.stated.shapes:
                    yield node, w

    def _fits(self, reader: ShapeReader, found: ShapeConflict) -> bool:
        return is_settled(reader, found.left, found.right) and not reader.clashes

    def fits_when_turned(self, item: Item, found: ShapeConflict) -> bool:
        """Whether the equation fits where what is stated of every matrix holds of its transpose."""
        return self._fits(replace(self.reader(self._block(item)), all_turned=True), found)


def is_settled(reader: ShapeReader, left: Node | None, right: Node) -> bool:
    """Whether every shape of an equation is settled; what clashes is in the reader then."""
    try:
        if left is None:
            reader.ways(right)
        else:
            reader.relation(left, right)
    except Unsettled:
        return False
    return True


def judge_shapes(study: Study, findings: dict[Key, Finding]) -> bool:
    """Refute the equations of a document that have no meaning under the shapes that it states; whether there was one.

    Only what was not understood for its shapes is asked.
    """
    if not any(map(_has_no_shape, findings.values())):
        return False
    reading = StatedReading(study, findings)
    are_equal = reading.calls_lengths_equal()
    changed = _withhold_slips(reading, findings, are_equal=are_equal)
    if are_equal:
        return changed
    conflicts: dict[Key, tuple[Item, ShapeConflict]] = {}
    repeated: set[Key] = set()
    for item in study.items:
        for key, left, right in reading.links(item):
            if reading.repeats(item, key, left):
                repeated.add(key)
            elif (found := reading.conflict(item, left, right)) is not None:
                conflicts[key] = item, found
    unread = {k for k, f in findings.items() if _has_no_shape(f)}
    for key, (item, found) in conflicts.items():
        is_of_product = reading.are_made(found.names)
        if key in unread and reading.is_claimed(item, is_of_product=is_of_product) and reading.have_one_meaning(found):
            others = reading.disagreeing(key, found, conflicts, {*conflicts, *unread} - repeated)
            judged = _judged(reading, item, findings[key], found, others)
            if findings[key].status == "refuted" and judged.status != "refuted":
                continue  # one change proves it: that is reason enough
            findings[key] = judged
            changed = changed or findings[key].code == "shape"
    return changed


def _withhold_slips(reading: StatedReading, findings: dict[Key, Finding], *, are_equal: bool) -> bool:
    """Withhold what is refuted because one change makes a theorem of it, where the words around do not assert it, or lengths
    may be equal; whether there was such a one."""
    items = {(i.span.index, i.number): i for i in reading.study.items}
    changed = False
    for key, f in findings.items():
        s, item = f.statement, items.get(key[:2])
        if f.status != "refuted" or f.code != "shape" or s is None or item is None:
            continue
        sides = [t.index for t in (s.left, s.right) if isinstance(t, IndexValue)]
        if are_equal or reading.stated.are_equated(sides):
            findings[key] = _open(f, f"{f.reason}; the text calls lengths equal")
        elif not reading.is_claimed(item, is_of_product=reading.are_made(reading.stated_in(item.reading.chain))):
            findings[key] = _open(f, f"{f.reason}; the words around do not assert it")
        changed = changed or findings[key] is not f
    return changed


def _has_no_shape(f: Finding) -> bool:
    """Whether an equation was not understood for its shapes, or refuted because one change makes a theorem of it."""
    return (f.status == "unread" and f.code == "shape-conflict") or (f.status == "refuted" and f.code == "shape")


def _judged(
    reading: StatedReading,
    item: Item,
    finding: Finding,
    found: ShapeConflict,
    others: list[int],
) -> Finding:
    """The verdict on an equation that does not fit."""
    clash = found.clash
    a, b = clash.lengths
    shown = tuple(
        f"{_source(item, n)}: {_shown(s)}" for n, s in zip((clash.one, clash.other), clash.shapes, strict=True)
    )
    said = f"{shown[0]} and {shown[1]} do not fit: {a} is not {b}"
    correction = reading.correction(item, found)
    if correction is None and not (a.is_constant or reading.stated.are_together(a, b)):
        return finding  # they may be two names of one length
    finding = replace(finding, suggestion=correction, reason=said, code="shape")
    statement = Statement(IndexValue(a), "=", IndexValue(b))
    finding.statement, finding.statements = statement, (statement,)
    if others:
        lines = ", ".join(map(str, others))
        return _open(finding, f"{said}; other lines have no shape with these names either ({lines})")
    if reading.fits_when_turned(item, found):
        seen = reading.other_uses(item, found)
        if seen:
            return _open(finding, f"{said}; it would fit with rows for columns, as line {seen[0]} may be meant")
        if reading.speaks_of_convention(item, found.names) and reading.rows_are_open:
            return _open(finding, f"{said}; it would fit with rows for columns")
    if correction is not None and reading.speaks_of_convention(item, found.names):
        return _open(finding, f"{said}; the text around speaks of rows and columns")
    decision = reading.study.decide(statement, finding.theory)
    if not isinstance(decision, Refuted):
        return _open(finding, said)
    witness = replace(decision.counterexample, kind="shape", left=shown[0], right=shown[1])
    return replace(finding, status="refuted", decision=replace(decision, counterexample=witness))


def _open(finding: Finding, reason: str) -> Finding:
    return withheld(finding, "shape", reason)


def _covers(said: Block, used: Block, again: Iterable[int]) -> bool:
    """Whether what a block states holds in another one: in its section and below, and not far before it is said.

    In a later block of `again` its name is introduced once more.
    """
    if any(said.index < b <= used.index for b in again):
        return False
    inside = used.section[: len(said.section)] == said.section and not are_beside(said.scope, used.scope)
    return inside and len(said.scope) <= len(used.scope) and said.index <= used.index + 1


def _as_axes(ways: Ways) -> tuple[tuple[Index, ...], str]:
    rows, columns = ways[0]
    axes = tuple(n for n in (rows, columns) if n is not ONE)
    if len(axes) == 1 and len(ways) == 1:
        return axes, "row" if rows is ONE else "column"
    return axes, "plain"


def _neighbours(found: ShapeConflict) -> Iterator[tuple[Node, Node]]:
    """The factors of an equation that stand beside each other."""
    for side in (found.left, found.right):
        for node in walk(side) if side is not None else ():
            if isinstance(node, Adjacent):
                yield from pairwise(node.items)


def _is_name(n: Index) -> bool:
    """Whether a length is one name: `d`, not `2 d` or `d + 1`."""
    return n.const == 0 and len(n.terms) == 1 and n.terms[0][1] == 1 and n.terms[0][0].kind == "size"


def _source(item: Item, node: Node) -> str:
    return " ".join(balanced(item.span.source, *node.span).split())


def _shown(axes: tuple[Index, ...]) -> str:
    return " x ".join(map(str, axes)) if len(axes) > 1 else f"length {axes[0]}" if axes else "a number"
