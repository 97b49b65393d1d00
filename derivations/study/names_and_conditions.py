"""What every part of the study of a document shares: names, sizes, findings and conditions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

from derivations.documents.facts.conventions import Conventions
from derivations.documents.facts.declarations import (
    axis_words,
    declare,
    members,
    shared_lists,
    speaks_of_columns,
    speaks_of_rows,
    stated_axis,
)
from derivations.documents.facts.distributions import (
    SPAN,
    Stated,
    deviation_of,
    from_sentence,
    length_of_drawn,
    of_components,
    random_variables,
    with_moment,
)
from derivations.documents.facts.rows_and_columns import (
    Parts,
    called_vectors,
    constant_vectors,
    even_numbers,
    named_parts,
    row_blocks,
    unit_vectors,
)
from derivations.documents.facts.sentence_patterns import (
    AND_SO_ON,
    COMPLEX,
    CONDITION_WORDS,
    CONVENTION,
    CROSS_ENTROPY,
    DESCRIBED,
    LETTERS_BEFORE,
    MOMENTS,
    PERMUTATION_MATRIX,
    PRODUCT_SIGNS,
    ROW_SUMS,
    SAID_AFTER,
    SAID_BEFORE,
    called_function,
    called_softmax,
    entrywise,
    fixes,
    near_properties,
)
from derivations.documents.facts.shapes import counted, stated_shapes
from derivations.documents.model.document import Document, Given, Heading, MathSpan, Place, sentences
from derivations.documents.model.finding import Finding
from derivations.language.term import Constraint, Index, Law, Number, Statement, Term
from derivations.latex.elaborator.conditions import SIGNS
from derivations.latex.elaborator.derivatives import fractions, is_derivative
from derivations.latex.elaborator.elaborate import Elaborator
from derivations.latex.elaborator.equations import compare, left_side, statements
from derivations.latex.elaborator.sums_without_index import outside
from derivations.latex.lexicon.arrays import NotUnderstood
from derivations.latex.lexicon.differentiated_symbols import known as with_twins
from derivations.latex.lexicon.name_roles import Form, Names, Slot, Written, uses, without_accents
from derivations.latex.lexicon.symbol_table import ANGLE, Table
from derivations.latex.passes.differentials import are_written, with_differentials
from derivations.latex.passes.entries import entry_names, named_rows, names_entries, with_entries
from derivations.latex.passes.named_functions import Letter, head, names_function, with_function
from derivations.latex.passes.pairs import letters_outside, with_pairs
from derivations.latex.passes.primes import with_primes
from derivations.latex.passes.short_forms import in_brackets, is_call, mapped, written_out
from derivations.latex.passes.spelled_words import spelled
from derivations.latex.passes.summation_convention import free_letters, summed
from derivations.latex.syntax.letters import FAMILY, for_all, letter, unworded
from derivations.latex.syntax.lexer import Macro
from derivations.latex.syntax.reader import MAX_RELATIONS, ReadError, read_equation, read_expression
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
    Prefix,
    Reading,
    Scripted,
    Words,
    walk,
)
from derivations.latex.syntax.surface_writer import write_surface
from derivations.notes import Note
from derivations.study import recurrences
from derivations.study.equation_walk import (
    SUPPOSED_BESIDE,
    Decide,
    Item,
    Key,
    Walk,
    as_meant,
    balanced,
    code_name,
    continued,
    is_remark,
    sentence_context,
)
from derivations.study.recurrences import Recurrence, step

MIN_NEEDED = 3
"""Definitions in which an index stands twice, and not on the left, that show the summation convention unsaid."""
FURTHER = 1_000
"""What is added to the number of an equation that stands for others like it."""
MAX_STATEMENTS = 30_000
"""Most formulas and relations of one document that are read."""

_EXP = re.compile(r"\\exp(?![A-Za-z])")
_POWER_OF_E = re.compile(r"(?<![A-Za-z\\])(?:e|\\mathrm\{e\})\s*\^")
"""Only how the exponential function is shown depends on these two."""


@dataclass(frozen=True)
class _Places:
    """Items of a study: those of a formula by its number, and those of headings by the section they are of."""

    items: list[Item]
    of_span: Mapping[int, list[Item]]
    of_heading: Mapping[tuple[str, ...], list[Item]]


def _boxed(node: Node) -> Node | None:
    """What stands in `[x]`, perhaps to a power."""
    inner = node.base if isinstance(node, Scripted) else node
    return inner.content if isinstance(inner, Enclosed) and inner.kind == "[]" else None


def of_gradient(chain: Chain) -> str | None:
    """X in `dX = \\partial L / \\partial X`."""
    right = chain.links[0][1] if len(chain.links) == 1 and chain.links[0][0] in ("=", "equiv") else None
    if not isinstance(chain.first, Name) or len(chain.first.base) != 2 or chain.first.base[0] != "d":
        return None
    below = right.below if isinstance(right, Fraction) else None
    letters = [n.base for n in walk(below) if isinstance(n, Name)] if below is not None else []
    return chain.first.base[1] if letters == ["partial", chain.first.base[1]] else None


def _renamed(node: Node, names: Mapping[str, str]) -> Node:
    return replace(node, base=names[node.base]) if isinstance(node, Name) and node.base in names else node


def is_range(node: Node) -> bool:
    """`1, 2, …, n`, `1 \\cdots n`."""
    dots = isinstance(node, Adjacent) and any(isinstance(n, Mark) and n.kind == "dots" for n in node.items)
    return isinstance(node, Listed) or dots


def different(node: Node) -> tuple[str, str] | None:
    """The two letters of `i \\neq j`, with or without a word before."""
    return letters_of(node, "!=")


def letters_of(node: Node, relation: str) -> tuple[str, str] | None:
    """The two letters of a relation between letters, with or without a word before."""
    if isinstance(node, Adjacent):
        rest = [p for p in node.items if not isinstance(p, Words)]
        return letters_of(rest[0], relation) if len(rest) == 1 else None
    if not isinstance(node, Chain) or node.first is None or len(node.links) != 1 or node.links[0][0] != relation:
        return None
    left, right = letter(unworded(node.first)), letter(node.links[0][1])
    return (left, right) if left is not None and right is not None else None


def is_power_of_e(node: Node) -> bool:
    """`e^x`, of the plain letter."""
    base = node.base if isinstance(node, Scripted) and node.sup is not None and node.sub is None else None
    return isinstance(base, Name) and (base.base, base.accents, base.primes) == ("e", (), 0)


def has_complex_exponent(item: Item) -> bool:
    """`e^{i\\theta}` in an equation without an index i."""
    nodes = list(walk(item.reading.chain))
    for n in nodes:
        base = n.base if isinstance(n, Scripted) else None
        if not (isinstance(n, Scripted) and isinstance(base, Name) and base.base == "e" and n.sub is None):
            continue
        power = n.sup.operand if isinstance(n.sup, Prefix) else n.sup
        if isinstance(power, Adjacent) and letter(power.items[0]) == "i":
            below = [m.sub for m in nodes if isinstance(m, Scripted) and m.sub is not None]
            return not any(letter(x) == "i" for sub in below for x in walk(sub))
    return False


class Base:
    """Names, table and findings of one document."""

    def __init__(
        self,
        document: Document,
        decide: Decide,
        macros: Mapping[str, Macro] | None = None,
        apart: Mapping[str, Form] | None = None,
        part: frozenset[int] | None = None,
    ) -> None:
        self.document, self.macros, self.apart = document, macros, apart
        self.spans = tuple(s for s in document.spans if part is None or s.index in part)
        """What is studied: all mathematics of the document, or that of a part."""
        self.wanted: frozenset[Key] | None = None
        """The only relations that are decided, where the others are of no interest."""
        self.defined: Callable[[Finding], object] | None = None
        """Who is told each definition as soon as it is there."""
        self.decide: Decide = lambda statement, theory: as_meant(decide(with_twins(statement, theory), theory))
        self.items: list[Item] = []
        self._placed: _Places | None = None
        self.unread: dict[Key, Finding] = {}
        self._read()
        known = document.macros[0][1] if document.macros else {}
        self.conventions = Conventions(document.declarations, known if macros is None else macros)
        joined = are_written(i.reading for i in self.items)
        self._read_again([with_differentials(i.reading, joined) for i in self.items])
        self._read_again(with_primes([i.reading for i in self.items]))
        self.items = list(self._with_further_gradients())
        self._read_again(with_function([i.reading for i in self.items], self._names_of_expectation(), "E"))
        self._read_again(in_brackets([i.reading for i in self.items]))
        self.entry_names = entry_names([i.reading for i in self.items], [i.before for i in self.items])
        self._read_again(with_entries([i.reading for i in self.items], self.entry_names))
        self.softmax_names = frozenset(self._names_of_softmax())
        self._read_again(with_function([i.reading for i in self.items], self.softmax_names, "softmax"))
        self.with_named_entries = frozenset(self._with_named_entries())
        """Matrices that equations write out with a name for each entry."""
        self.shapes = list(self._stated_shapes())
        self.names = self._all_names(apart)
        random = frozenset(self._random_variables())
        self.random_labels = frozenset(self._labels_of(random))
        families = {n for n in random if (e := self.names.evidence.get(n)) is not None and e.slots == 1 and e.bare}
        apart = {**(apart or {}), **dict.fromkeys(families, (1, False))}  # X, and X_1, …, X_n beside it
        if self.random_labels or families:
            self.names = self._all_names(apart)
        random |= {n + FAMILY for n in families}
        self.summed: set[tuple[int, int]] = set()
        """Equations in which an index that stands twice is summed over."""
        self.convention_is_stated = any(
            CONVENTION.search(t) for i in self.items for t in (i.context.paragraph, *i.section)
        )
        self.names.settle()
        repeated = self._sum_what_stands_twice()
        self.names.learn()
        if repeated:
            self.names = self._all_names(apart)
        own = [i.reading for i in self.items]
        self.conventions.tell_names(self.names)
        self.conventions.mark_used(self.names, own)
        self.names.differentials, self.names.random = joined, random
        self.names.powers_of_e = any(is_power_of_e(n) for i in self.items for n in walk(i.reading.chain))
        self.names.said_functions |= set(self._said_functions())
        said = dict.fromkeys(i.context.paragraph for i in self.items)
        self.names.complex_numbers = any(map(COMPLEX.search, said)) or any(map(has_complex_exponent, self.items))
        self._spoken: dict[int, tuple[Chain, tuple[Fraction, ...], frozenset[str], frozenset[str]]] = {}
        self.lefts: dict[str, list[tuple[Item, int]]] = {}
        self._collect_lefts()
        if self._find_fixed():
            self.lefts.clear()
            self._collect_lefts()
        self.names.settle()
        self.recurrences = dict(self._find_recurrences())
        self.outcomes: dict[Key, str] = {}
        self.table = Table(self.names)
        self.table.derivatives = tuple(f for i in self.items for f in fractions(i.reading.chain))
        self.row_sums: set[str] = set()
        """Given matrices whose rows sum to one, as the text says."""
        self.axis_for_all: str | None = None
        """The axis of the softmax that the text states for the whole document."""
        self.targets = frozenset(self._collect_targets())
        self._collect_vectors()
        self.properties = self._collect_properties()
        self.stated_laws = list(self._collect_laws())
        self.latex: dict[str, str] = {}
        for item in self.items:
            self._collect_latex(item)
        self.walk = Walk(build=False)
        self.given_gradients = False
        """Whether the relation that is read now takes gradients of a loss as given tensors."""

    def _all_names(self, apart: Mapping[str, Form] | None) -> Names:
        own = (i.reading for i in self.items)
        readings = [*own, *self.conventions.readings(), *self.shapes]
        labels = {*self.conventions.labels(), *getattr(self, "random_labels", ())}
        return Names(readings, labels, self._counted(), apart)

    def _labels_of(self, random: frozenset[str]) -> Iterator[tuple[str, str]]:
        """Names with a random variable below, `\\mu_X`: it tells whose mean that is."""
        for node in (n for i in self.items for n in walk(i.reading.chain)):
            if isinstance(node, Scripted) and isinstance(node.base, Name) and letter(node.sub) in random:
                yield node.base.base, letter(node.sub) or ""

    def _sum_what_stands_twice(self) -> bool:
        """Write the sums of the summation convention, where the text states it or several definitions need it."""
        slots = self.names.slot_letters
        readings: list[Reading] = []
        needed = 0
        free: set[str] = set()
        for item in self.items:
            chain = item.reading.chain
            first = chain.first
            if not chain.links or any(r not in ("=", "equiv") for r, _ in chain.links):
                readings.append(item.reading)
                continue
            if first is not None:
                free = free_letters(first, (n for _, n in chain.links), slots)
            rest = free | self.names.sizes
            sides = [(r, summed(n, rest, slots)) for r, n in chain.links]
            new = None if first is None else summed(first, rest, slots)
            if (
                first is not None
                and first == new
                and isinstance(first, Name | Scripted)
                and sides[0][1] != chain.links[0][1]
            ):
                needed += self.names.written(first) is not None
            readings.append(replace(item.reading, chain=replace(chain, first=new, links=tuple(sides))))
        if needed < (1 if self.convention_is_stated else MIN_NEEDED):
            return False
        for item, reading in zip(self.items, readings, strict=True):
            if item.reading.chain != reading.chain:
                self.summed.add((item.span.index, item.number))
        self._read_again(readings)
        return bool(self.summed)

    def _define_later(self, stem: str, item: Item) -> bool:
        """Take the first later definition of `stem` in the section of `item`; the study itself provides it."""
        raise NotImplementedError

    def _link(self, item: Item, key: Key, left: Node | None, relation: str, right: Node, leads: bool) -> None:
        """Study one relation; the study itself provides it."""
        raise NotImplementedError

    def _read(self) -> None:
        room = MAX_STATEMENTS
        for span in self.spans:
            if room < 0:
                message = f"needed at most {MAX_STATEMENTS} formulas and relations in a document, found more; "
                self._not_read(span, ReadError(message + "what follows is not read", 0, "too-large"))
                return
            context = sentence_context(self.document, span)
            section = self.document.block_of(span).section
            try:
                macros = self.document.macros_at(span.index) if self.macros is None else self.macros
                readings = read_equation(span.source, macros)
            except ReadError as error:
                if span.display or "=" in span.source:
                    self._not_read(span, error)
                continue
            before: Node | None = None
            own = [r for reading in continued(with_pairs([spelled(r) for r in readings])) for r in written_out(reading)]
            relations = sum(len(r.chain.links) for r in own)
            room -= 1 + relations
            if relations > MAX_RELATIONS:
                message = f"needed at most {MAX_RELATIONS} relations in one equation, found {relations} entry by entry"
                self._not_read(span, ReadError(message, 0, "too-large"))
                continue
            if span.display and own and own[0].chain.first is None and self.items:
                before = self._continued(span)
            for number, reading in enumerate(own):
                chain = reading.chain
                self.items.append(Item(span, number, reading, section, context, before))
                before = chain.links[-1][1] if chain.links else chain.first

    def _continued(self, span: MathSpan) -> Node | None:
        """The last right side of the display before, for one that begins with its relation sign."""
        last = self.items[-1]
        chain = last.reading.chain
        if not last.span.display or last.span.index != span.index - 1 or not chain.links or chain.links[-1][0] == "in":
            return None
        return replace(chain.links[-1][1], span=(0, 0))

    def _read_again(self, readings: Iterable[Reading]) -> None:
        """Take other readings of the items; a row that begins with its relation sign goes on from the new row above."""
        items: list[Item] = []
        for item, reading in zip(self.items, readings, strict=True):
            before = item.before
            if before is not None:
                last = items[-1].reading.chain
                node = last.links[-1][1] if last.links else last.first
                same = items[-1].span.index == item.span.index
                before = node if same or node is None else replace(node, span=(0, 0))
            items.append(replace(item, reading=reading, before=before))
        self.items = items

    def _not_read(self, span: MathSpan, error: ReadError) -> None:
        place = span.locate(min(max(error.offset, 0), len(span.source)))
        key = (span.index, 0, 0)
        self.unread[key] = Finding(
            "claim",
            "unread",
            place,
            span.text.origins[-1][0],
            span.source.strip(),
            span.index,
            code=error.code,
            reason=error.message,
            unknown=error.command if error.code == "unknown-command" else None,
        )

    def _collect_lefts(self) -> None:
        scratch = Table(self.names)
        for item in self.items:
            chain = item.reading.chain
            first = chain.first
            if first is None and item.before is not None and is_call(item.before):
                first = item.before  # a row that goes on after `a = f(x)` says what f is
            if first is None or not chain.links or chain.links[0][0] not in ("=", "equiv"):
                continue
            if isinstance(chain.links[0][1], Listed):
                continue
            e = Elaborator(scratch)
            e.outside = frozenset(outside(self.names, chain))
            left = left_side(e, first)
            if left is not None and (chain.first is not None or left.parameters or left.call):
                self.lefts.setdefault(left.stem, []).append((item, 0))

    def _find_fixed(self) -> bool:
        """Names that stand without an index which the text fixes: `Z = \\sum_k e^{s_{ik}}` after "fix a query i".

        What is defined from such names without that index depends on it as well.
        """
        scratch = Table(self.names)
        shown: dict[str, set[str]] = {}
        letters: dict[str, Name] = {}
        for item in self.items:
            for node in walk(item.reading.chain):
                c, w = letter(node), self.names.written(node)
                if c is not None and isinstance(node, Name):
                    letters.setdefault(c, node)
                if w is not None:
                    own = {
                        c for s in w.slots if s.node is not None for n in walk(s.node) if (c := letter(n)) is not None
                    }
                    shown[w.stem] = shown.get(w.stem, set()) | own
        hidden: dict[str, set[str]] = {}
        rows: list[tuple[str, set[str], set[str], Item]] = []
        for stem, places in self.lefts.items():
            for item, link in places:
                chain = item.reading.chain
                e = Elaborator(scratch)
                e.outside = frozenset(outside(self.names, chain))
                left = left_side(e, chain.first) if chain.first is not None else None
                if left is None or left.parameters is not None or left.call is not None:
                    continue
                right = chain.links[link][1]
                e.declare_free(right)
                rows.append(
                    (stem, set(e.free) - shown.get(stem, set()), {w.stem for w in uses(self.names, right)}, item)
                )
        for stem, free, _, item in rows:
            others = [r for r in rows if r[0] == stem]
            if free and all(r[1] == free for r in others) and not shown.get(stem, set()) & free:
                if all(fixes(self._text_before(item), c, self._letters) for c in free) and free <= letters.keys():
                    hidden[stem] = free
        while True:
            more = {
                stem: found
                for stem, _, used, _ in rows
                if stem not in hidden
                and (found := set().union(*(hidden.get(u, set()) for u in used)) - shown.get(stem, set()))
            }
            if not more:
                break
            hidden |= more
        self.names.fixed = {stem: tuple(Slot(letters[c], "d") for c in sorted(found)) for stem, found in hidden.items()}
        return bool(hidden)

    def _find_recurrences(self) -> Iterator[tuple[str, Recurrence]]:
        """Names that the document introduces by a recurrence, with the number that they start from.

        Index 0 of a state `S_0` says nothing about the other names: tokens may start from 1 all the same.
        """
        scratch = Table(self.names)
        nodes = [i.reading.chain for i in self.items]
        for stem, places in self.lefts.items():
            for item, link in places:
                chain = item.reading.chain
                left = left_side(Elaborator(scratch), chain.first) if chain.first is not None else None
                found = step(self.names, left, chain.links[link][1]) if left is not None else None
                if left is None or (found is None and not recurrences.is_start(left)):
                    break  # it is defined in another way first
                if found is not None:
                    at = recurrences.written_at(self.names, nodes, stem, found.place)
                    given = recurrences.written_at(self.names, self._first_sides(stem), stem, found.place)
                    if at:
                        self.names.evidence[stem].zero = False
                    yield stem, replace(found, start=min(at, default=None), stated=bool(at & given))
                    break

    def _first_sides(self, stem: str) -> Iterator[Node]:
        for item, _ in self.lefts.get(stem, ()):
            if item.reading.chain.first is not None:
                yield item.reading.chain.first

    @cached_property
    def _letters(self) -> dict[int, str]:
        """Formulas that are a single letter."""
        return {s.index: s.source.strip() for s in self.spans if len(s.source.strip()) == 1}

    def _text_before(self, item: Item) -> str:
        """The paragraphs of the section up to an equation."""
        earlier = (i for i in self.items if i.section == item.section and i.span.index <= item.span.index)
        return " ".join(dict.fromkeys(i.context.paragraph for i in earlier))

    def _collect_latex(self, item: Item) -> None:
        """The LaTeX of every name, without its indices."""
        source = item.span.source
        for node in walk(item.reading.chain):
            w = self.names.written(node)
            if w is None or w.stem in self.latex:
                continue
            base = node.base if isinstance(node, Scripted) else node
            text = balanced(source, *base.span)
            if isinstance(node, Scripted) and isinstance(base, Name) and w.stem != (self.names.written(base) or w).stem:
                for sign, script in (("_", node.sub), ("^", node.sup)):
                    words = set(walk(script)) if script is not None else set()
                    if script is not None and not any(s.node in words for s in w.slots) and not w.transposed:
                        text += f"{sign}{{{balanced(source, *script.span)}}}"
            self.latex[w.stem] = text

    def _collect_vectors(self) -> None:
        """Names that the text calls vectors: `Q_i is the query vector at position i`; with accents they are vectors too."""
        said = {k for paragraph in {i.context.paragraph for i in self.items} for k in called_vectors(paragraph)}
        called: dict[str, int] = {}
        for item in self.items:
            chain = item.reading.chain
            if item.span.index not in said or chain.links or chain.first is None:
                continue
            for w in map(self.names.written, members(chain.first)):
                if w is not None and w.power is None and w.stem not in self.names.sizes | self.names.functions:
                    called[w.stem] = max(called.get(w.stem, 0), len(w.slots))
        for stem, evidence in self.names.evidence.items():
            slots = called.get(stem)
            if slots is None and without_accents(stem) != stem and evidence.slots == called.get(without_accents(stem)):
                slots = evidence.slots
            if slots is not None:
                evidence.vector_slots = max(evidence.vector_slots, slots)

    def _collect_properties(self) -> dict[str, str]:
        """Words about given names that are not read: `let P be a permutation matrix`."""
        found: dict[str, str] = {}
        by_span: dict[int, list[Item]] = {}
        for item in self.items:
            by_span.setdefault(item.span.index, []).append(item)
        for paragraph in dict.fromkeys(i.context.paragraph for i in self.items):
            for sentence in sentences(paragraph):
                described = ((m.group(2).lower(), int(m.group(1))) for m in DESCRIBED.finditer(sentence))
                for word, number in (*near_properties(sentence), *described):
                    for item in by_span.get(number, ()):
                        chain = item.reading.chain
                        if chain.first is None or any(relation != "in" for relation, _ in chain.links):
                            continue
                        for node in members(chain.first):
                            w = self.names.written(node)
                            if w is not None and word == "permutation" and PERMUTATION_MATRIX.search(sentence):
                                self.table.permutations.add(w.stem)
                            elif w is not None and word == "one-hot" and self.names.rank(w) < 2:
                                self.table.one_hot.add(w.stem)
                            elif w is not None:
                                found.setdefault(w.stem, word)
                            if w is not None and word.startswith("sum") and ROW_SUMS.search(sentence):
                                self.row_sums.add(w.stem)
            for number in unit_vectors(paragraph):
                for item in by_span.get(number, ()):
                    w = self.names.written(item.reading.chain.first) if item.reading.chain.first is not None else None
                    if w is not None and len(w.slots) == 1 and not item.reading.chain.links:
                        self.table.basis.add(w.stem)
            for number in even_numbers(paragraph):
                for item in by_span.get(number, ()):
                    w = self.names.written(item.reading.chain.first) if item.reading.chain.first is not None else None
                    if w is not None and not w.slots and w.stem in self.names.sizes and w.power is None:
                        self.table.even.add(w.stem)
            for number, value in constant_vectors(paragraph):
                for item in by_span.get(number, ()):
                    w = self._bare_written(item.reading.chain.first)
                    if (
                        w is not None
                        and not w.slots
                        and not w.transposed
                        and all(r == "in" for r, _ in item.reading.chain.links)
                    ):
                        self.table.constant[w.stem] = value
        taken = self.table.permutations | self.table.one_hot | self.table.basis
        return {stem: word for stem, word in found.items() if stem not in taken}

    def _collect_targets(self) -> Iterator[str]:
        """Names that weigh logarithms, in a text about cross entropies: y in `-\\sum_k y_k \\log p_k`."""
        if not any(map(CROSS_ENTROPY.search, self.document.texts())):
            return
        for item in self.items:
            sums = (n.body for n in walk(item.reading.chain) if isinstance(n, Big) and n.name == "sum")
            for product in (n for body in sums for n in walk(body) if isinstance(n, Adjacent | Infix)):
                if any(isinstance(n, Operator) and n.name == "log" for n in product.parts):
                    yield from (w.stem for n in product.parts if (w := self.names.written(n)) is not None and w.slots)

    def _with_further_gradients(self) -> Iterator[Item]:
        """The items, after `dX = \\partial L / \\partial X` for any X, "and so on", the same for the other names dZ."""
        names = [{n.base for n in walk(i.reading.chain) if isinstance(n, Name)} for i in self.items]
        known = {own for i in self.items if (own := of_gradient(i.reading.chain)) is not None}
        letters = {c for used in names for c in used}
        further = sorted(c for c in letters if len(c) == 2 and c[0] == "d" and c[1] in letters and c[1] not in known)
        for item in self.items:
            yield item
            own = of_gradient(item.reading.chain)
            if own is None or not further:
                continue
            generic = sum(own in used for used in names) == 1
            if generic or AND_SO_ON.search(item.context.paragraph) is not None:
                for k, name in enumerate(further):
                    other = {own: name[1], f"d{own}": name}
                    chain = mapped(item.reading.chain, lambda n, put=other: _renamed(n, put))  # type: ignore[misc]
                    if isinstance(chain, Chain):
                        reading = replace(item.reading, chain=chain)
                        yield replace(item, number=item.number + FURTHER + k, reading=reading)
                further = []

    def _names_of_softmax(self) -> Iterator[Letter]:
        """Names that the text or an equation gives to the softmax, and to nothing else."""
        said = {k for i in self.items for k in called_softmax(i.context.paragraph)}
        for item in self.items:
            chain = item.reading.chain
            named = names_function(chain, "softmax")
            if named is None and item.span.index in said and not chain.links:
                named = head(chain.first)
            if named is not None:
                yield named

    def _said_functions(self) -> Iterator[str]:
        """Names that the text calls functions."""
        said = {k for i in self.items for k in called_function(i.context.paragraph)}
        for item in self.items:
            first = item.reading.chain.first if item.span.index in said and not item.reading.chain.links else None
            w = self.names.written(first) if first is not None else None
            if w is not None and not w.slots and w.power is None:
                yield w.stem

    def _names_of_expectation(self) -> set[Letter]:
        """The letter E of `E[x_i]`, in a text about random quantities in which it is nothing but that."""
        if not any(MOMENTS.search(t) for t in dict.fromkeys(i.context.paragraph for i in self.items)):
            return set()
        sides = [n for i in self.items for n in (i.reading.chain.first, *(n for _, n in i.reading.chain.links))]
        nodes = [n for side in sides if side is not None for n in walk(side)]
        letters = [n for n in nodes if isinstance(n, Name) and n.base == "E" and not n.accents]
        pairs = [pair for n in nodes if isinstance(n, Adjacent) for pair in pairwise(n.items)]
        called = {id(name): boxed for name, after in pairs if (boxed := _boxed(after)) is not None}
        plain = all(isinstance(boxed, Name | Listed) for boxed in called.values())  # places of a matrix E
        return set() if plain or any(id(n) not in called for n in letters) else {(n.base, n.font, 0) for n in letters}

    def _stated_shapes(self) -> Iterator[Reading]:
        """What sentences and matrices of named entries say of shapes, as memberships."""
        stated = [i.reading.chain for i in self.items]
        for chain in (c for c in stated if c.first is not None and len(c.links) == 1 and c.links[0][0] == "="):
            rows = named_rows(chain.first, chain.links[0][1])
            if rows is not None and chain.first is not None:
                yield from read_equation(
                    f"{write_surface(chain.first)} \\in \\mathbb{{R}}^{{{rows[0]} \\times {rows[1]}}}"
                )
        for chain in stated:
            length = length_of_drawn(chain)
            if length is not None and chain.first is not None:
                yield from read_equation(f"{write_surface(chain.first)} \\in \\mathbb{{R}}^{{{write_surface(length)}}}")
        sources = {span.index: span.source for span in self.spans}
        for paragraph in dict.fromkeys(map(self.document.paragraph, self.spans)):
            for sentence in sentences(paragraph):
                for latex in stated_shapes(sentence, sources):
                    try:
                        readings = read_equation(latex, self.macros or {})
                    except ReadError:
                        continue
                    if len(readings) == 1:
                        yield readings[0]

    def _with_named_entries(self) -> Iterator[str]:
        for node in (n for i in self.items for _, n in i.reading.chain.links):
            entry = names_entries(node) if isinstance(node, Matrix) else None
            if entry is not None:
                yield entry.base

    def _counted(self) -> Iterator[Node]:
        """Names that sentences give as a number of things; "after t steps" the t of a recurrence stays an index."""
        sources = {span.index: span.source for span in self.spans}
        counting = set(recurrences.step_letters(i.reading.chain for i in self.items))
        for paragraph in dict.fromkeys(sentence_context(self.document, s).paragraph for s in self.spans):
            for latex in counted(paragraph, sources):
                try:
                    found = read_expression(latex, self.macros or {})
                except ReadError:
                    continue
                if letter(found) not in counting:
                    yield found

    def _collect_laws(self) -> Iterator[Stated]:
        """Means and variances that sentences state of names."""
        chains = [(i.span.index, i.reading.chain) for i in reversed(self.items)]
        first = {k: chain.first for k, chain in chains if not chain.links}
        shaped = {k: chain.first for k, chain in chains if [relation for relation, _ in chain.links] == ["in"]}
        for paragraph in dict.fromkeys(i.context.paragraph for i in self.items):
            before: list[Chain] = []
            for sentence in sentences(paragraph):
                found = list(from_sentence(self.names, sentence, first, shaped))
                yield from found or of_components(self.names, sentence, first, before)
                numbers = {int(m.group(1)) for m in SPAN.finditer(sentence)}
                before = [chain for k, chain in chains if k in numbers] or before

    def _random_variables(self) -> Iterator[str]:
        first = {i.span.index: i.reading.chain.first for i in reversed(self.items) if not i.reading.chain.links}
        chains = (i.reading.chain for i in self.items)
        yield from random_variables(self.names, self.document.texts(), first, chains)

    def _take_law(self, stated: Stated, item: Item | None) -> None:
        """From here on the name is random, with this mean or variance."""
        if isinstance(stated.value, int):
            value: Term = Number(stated.value)
        else:
            e = self._elaborator(item) if item is not None else Elaborator(self.table)
            value = e.number_of(stated.value, {})
        law = with_moment(self.table.laws.get(stated.stem, Law()), stated.kind, value)
        self.table.laws[stated.stem] = law
        deviation = deviation_of(value) if stated.kind == "variance" else None
        if deviation is not None and deviation.name not in self.table.theory.definitions:
            known_signs = [h for _, h, _ in self.walk.hypotheses]
            sign = Statement(Number(0), "<=", deviation)
            if sign not in known_signs:
                self.walk.hypotheses.append(((*self.walk.at, SUPPOSED_BESIDE), sign, None))

    def _declare(self) -> None:
        table = self.table
        signs = {s.index: s.source.strip().removeprefix("\\") for s in self.spans}
        for paragraph in dict.fromkeys(map(self.document.paragraph, self.spans)):
            table.entrywise |= {signs[k] for k in entrywise(paragraph) if signs.get(k) in PRODUCT_SIGNS}
        paragraphs = dict.fromkeys(i.context.paragraph for i in self.items)
        table.rows_are_vectors = any(map(speaks_of_rows, paragraphs))
        table.columns_are_tokens = not table.rows_are_vectors and any(map(speaks_of_columns, paragraphs))
        sources = {s.index: s.source for s in self.spans}
        self.axis_for_all = stated_axis(dict.fromkeys(map(self.document.paragraph, self.spans)), sources)
        ranges = [i for i in self.items if i.reading.chain.links and isinstance(i.reading.chain.links[0][1], Listed)]
        self.conventions.tell_table(table)
        for item in ranges:
            declare(table, item.reading.chain)
        for item in self.items:
            for condition in item.reading.conditions:
                if isinstance(condition, Chain):
                    declare(table, condition)
        for item in self.items:
            declare(table, item.reading.chain)
        for reading in self.shapes:
            declare(table, reading.chain)
        first = {i.span.index: i.reading.chain.first for i in reversed(self.items)}
        for paragraph in dict.fromkeys(i.context.paragraph for i in self.items):
            for said in named_parts(paragraph):
                self._name_parts(said, first)
            for numbers in row_blocks(paragraph):
                whole, block, height = (self._bare_written(first.get(k)) for k in numbers)
                if whole is not None and block is not None and height is not None and self.table.is_size(height):
                    of_one_letter = FAMILY if block.stem == whole.stem else ""  # U^{(r)} of U
                    table.blocks[block.stem + of_one_letter] = (whole.stem, Index.size(height.stem))
        for item in self.items:
            self._name_stack(item.reading.chain)
        for item in self.items:
            for node in walk(item.reading.chain):
                shared_lists(self.names, table, node)

    def _name_stack(self, chain: Chain) -> None:
        """`W = (U_1; …; U_H)`, one below the other, for a W that has a stated shape with H times so many rows: its blocks."""
        right = chain.links[0][1] if len(chain.links) == 1 and chain.links[0][0] == "=" else None
        if not isinstance(right, Matrix) or len(right.rows) < 3 or any(len(row) != 1 for row in right.rows):
            return
        whole = self._bare_written(chain.first)
        cells = [row[0] for row in right.rows]
        parts = [w for n in cells if not isinstance(n, Mark) and (w := self.names.written(n)) is not None]
        if whole is None or len(parts) + 1 != len(cells) or len({w.stem for w in parts}) != 1:
            return
        last = parts[-1].slots[0].node if len(parts[-1].slots) == 1 else None
        declared, count = self.table.declared.get(whole.stem), letter(last)
        rows = declared.dims[0].root().known if declared is not None and len(declared.dims) == 2 else None
        for s in sorted(rows.sizes) if rows is not None and count is not None else ():
            if Index.size(s) * Index.size(count or "") is rows:
                of_one_letter = FAMILY if parts[0].stem == whole.stem else ""
                self.table.blocks[parts[0].stem + of_one_letter] = (whole.stem, Index.size(s))

    def _name_parts(self, said: Parts, first: Mapping[int, Node | None]) -> None:
        """`x_1, …, x_n are the rows of X`: x_i is a row of X, which is written with the same letter."""
        wholes = [w for k in said.matrices for n in members(first.get(k)) if (w := self.names.written(n)) is not None]
        parts = [w for k in said.parts for n in members(first.get(k)) if (w := self.names.written(n)) is not None]
        if len(wholes) == 1:
            parts = parts[:1]  # x_1, …, x_n
        named = self.table.rows if said.kind == "row" else self.table.columns
        if not said.parts:
            self._expect_parts(wholes, named)
        for whole, part in zip(wholes, parts, strict=False) if len(wholes) == len(parts) else ():
            if whole.stem != part.stem and whole.stem[0].lower() == part.stem[0].lower():
                named[part.stem] = whole.stem
                if part.transposed or said.kind == "column":
                    self.table.tokens_stated = True

    def _expect_parts(self, wholes: Iterable[Written], named: dict[str, str]) -> None:
        """v_i for a row of V, where v is neither declared nor defined."""
        for whole in wholes:
            stem = whole.stem.lower()
            evidence = self.names.evidence.get(stem)
            known = stem in {*self.table.declared, *self.names.sizes, *self.names.index_letters} or stem in self.lefts
            if stem != whole.stem and evidence is not None and evidence.slots == 1 and not known:
                named.setdefault(stem, whole.stem)

    def _bare_written(self, node: Node | None) -> Written | None:
        """The name of a formula, or the first one of a list."""
        return next((w for n in members(node) if (w := self.names.written(n)) is not None), None)

    def _elaborator(self, item: Item) -> Elaborator:
        declared = isinstance(self.document.block_of(item.span), Given)  # it speaks of what is known where it stands
        self.table.later = None if declared else lambda stem: self._define_later(stem, item)
        words = axis_words(item.context) or self.axis_for_all
        e = Elaborator(self.table, (item.span.index, item.number), self.walk.forced, words)
        chain = item.reading.chain
        e.differentiated, e.outside, e.outside_sums = self._spoken_of(chain)
        if e.differentiated:
            named = chain.first is not None and self.names.written(chain.first) is not None
            e.names_derivative = named and len(chain.links) == 1 and is_derivative(chain.links[0][1])
            e.stems = frozenset(w.stem for w in uses(self.names, chain))
        e.gradients_are_given = self.given_gradients
        e.declared_axis, e.declared_letter = self.conventions.axis, self.conventions.axis_letter
        if (item.span.index, item.number) in self.summed:
            origin = "document" if self.convention_is_stated else "reading"
            e.readings.append(Note("summation-convention", origin=origin))
        return e

    def _spoken_of(self, chain: Chain) -> tuple[tuple[Fraction, ...], frozenset[str], frozenset[str]]:
        """The derivatives that an equation writes, its index letters outside of sums, its letters outside of their ranges."""
        found = self._spoken.get(id(chain))
        if found is None:
            found = chain, fractions(chain), frozenset(outside(self.names, chain)), frozenset(letters_outside(chain))
            self._spoken[id(chain)] = found  # with the equation: no other takes its identity
        return found[1:]

    def _conditions(self, item: Item, e: Elaborator) -> tuple[list[Constraint], list[Chain], str]:
        """The conditions written after an equation, on indices and on values, and the first one that is not understood."""
        found: list[Constraint] = []
        values: list[Chain] = []
        unclear = ""
        for node in (*item.reading.conditions, *self._said_beside(item)):
            node = for_all(node)
            if is_remark(node) or different(node) is not None:
                continue
            if isinstance(node, Chain) and node.links and is_range(node.links[0][1]):
                continue
            if self._of_number(unworded(node)):
                self._suppose(item, unworded(node))
                continue
            if isinstance(node, Chain) and self._compares_values(item, node, e):
                values.append(node)
                continue
            try:
                e.declare_letters(node)
                found += e.constraints(node, e.free)
            except NotUnderstood:
                text = item.span.source[node.span[0] : node.span[1]]
                if isinstance(node, Words | Name) and not CONDITION_WORDS.search(text):
                    continue
                unclear = unclear or text
        e.conditions = tuple(found)
        return found, values, unclear

    def _compares_values(self, item: Item, chain: Chain, e: Elaborator) -> bool:
        """Whether a condition speaks of numbers of the equation, `c > 0`, `x_i \\ge 0`, and not of indices and sizes."""
        if not all(relation in SIGNS for relation, _ in chain.links):
            return False
        used = {letter(n) for n in walk(item.reading.chain)}
        places = {*e.free, *self.names.index_letters, *self.names.sizes}
        for n in walk(chain):
            w = self.names.written(n) if isinstance(n, Scripted) else None
            if w is not None and w.slots and w.stem not in self.names.sizes:
                return True
            if isinstance(n, Name) and (c := letter(n)) is not None and c not in places and c in used:
                return True
        return False

    def _of_number(self, node: Node) -> bool:
        """`c > 0` for a c that stands nowhere as an index: a condition on a number."""
        if not isinstance(node, Chain) or len(node.links) != 1 or node.links[0][0] not in ("<", "<=", ">", ">="):
            return False
        c, bound = letter(node.first), node.links[0][1]
        return (
            c is not None
            and isinstance(bound, Literal)
            and c not in self.names.index_letters | self.names.sizes | set("ijt")
        )

    def _suppose(self, item: Item, node: Node, limited: str | None = None) -> None:
        """A condition on a number that is written beside an equation, taken as given in its paragraph, or where said."""
        if not isinstance(node, Chain) or node.first is None:
            return
        key, (relation, right) = (item.span.index, item.number, SUPPOSED_BESIDE), node.links[0]
        e = self._elaborator(item)
        try:
            read = compare(e, e.value(node.first, {}), relation, e.value(right, {}), [], right)
            known = [h for _, h, _ in self.walk.hypotheses]
            given = [s for s in statements(e, read) if s not in known]
        except NotUnderstood:
            return
        self.walk.hypotheses += [(key, s, limited or item.context.paragraph) for s in given]

    def _compared(self, item: Item) -> Iterator[tuple[str, str, str]]:
        """Pairs of indices that the equation, the words before it or its heading call different or equal: `for $i \\neq j$`.

        What is said last of a pair counts.
        """
        before = item.context.before
        said = [*self._heads(item), *self._formulas(re.findall(r"⟦(\d+)⟧", before)), *item.reading.conditions]
        same = [*self._heads(item), *self._formulas(LETTERS_BEFORE.findall(before))]
        pairs = [(*pair, "!=") for n in said if (pair := letters_of(n, "!=")) is not None]
        pairs += [(*pair, "=") for n in same if (pair := letters_of(n, "=")) is not None]
        yield from {frozenset(p[:2]): p for p in pairs if not self.names.sizes & {*p[:2]}}.values()

    def _formulas(self, numbers: Iterable[str]) -> Iterator[Node]:
        """The chains of formulas with these numbers in the text."""
        for number in map(int, numbers):
            yield from (i.reading.chain for i in self._places().of_span.get(number, ()))

    def _heads(self, item: Item) -> Iterator[Node]:
        """The formulas of the heading that an equation stands under."""
        yield from (other.reading.chain for other in self._places().of_heading.get(item.section, ()))

    def _places(self) -> _Places:
        """The items by where they stand, found once for each list of them."""
        if self._placed is None or self._placed.items is not self.items:
            of_span: dict[int, list[Item]] = {}
            of_heading: dict[tuple[str, ...], list[Item]] = {}
            for item in self.items:
                of_span.setdefault(item.span.index, []).append(item)
                if isinstance(self.document.block_of(item.span), Heading):
                    of_heading.setdefault(item.section, []).append(item)
            self._placed = _Places(self.items, of_span, of_heading)
        return self._placed

    def _said_beside(self, item: Item) -> Iterator[Node]:
        """A condition in the words around an equation: `$B_{ij} = 0$ for $j \\leq i$`, `for $t > 1$, $$c_t = …$$`."""
        source = item.span.source.rstrip()
        ended = source.endswith(".") and not source.endswith("..")
        after = None if ended else SAID_AFTER.match(item.context.after)
        if after is not None and after.group().strip(" ,")[:1].isupper():
            after = None  # a sentence of its own, about what comes next
        said = after or SAID_BEFORE.search(item.context.before)
        other = [] if said is None else self._places().of_span.get(int(said.group(1)), [])
        if len(other) == 1 and other[0].reading.chain.links:
            chain = other[0].reading.chain
            compares = all(relation in ("<=", "<", ">=", ">") for relation, _ in chain.links)
            if compares or letters_of(chain, "=") or self._is_length(chain):
                yield chain

    def _is_length(self, chain: Chain) -> bool:
        """`n = 2` for a size."""
        w = self.names.written(chain.first) if chain.first is not None else None
        (relation, right), *more = chain.links
        return not more and relation == "=" and isinstance(right, Literal) and w is not None and self.table.is_size(w)

    def _dependences(self, e: Elaborator) -> set[Key]:
        heads = {s.head for s in e.used.values() if s.defined}
        return {self.walk.origins[h] for h in heads if h in self.walk.origins}

    def _introduce(self, e: Elaborator) -> None:
        """Given names that occur for the first time."""
        for symbol in e.used.values():
            if not symbol.defined and symbol.stem not in self.walk.introduced:
                self.walk.clock += 1
                self.walk.introduced[symbol.stem] = self.walk.clock
        for size in sorted(e.sizes_as_numbers - set(self.walk.introduced)):
            self.walk.clock += 1
            self.walk.introduced[size] = self.walk.clock

    def _readings(self, item: Item, e: Elaborator) -> tuple[Note, ...]:
        notes = [replace(n, place=item.span.place) for n in dict.fromkeys(e.readings)]
        if not self.names.base_is_stated and any(v.base is not None for v in e.free.values()):
            base = self.names.document_base
            if self._has_constant_index(item.reading.chain):
                notes.append(Note("index-base", (str(base),), place=item.span.place))
        if self.conventions.all:
            notes += self.conventions.notes(self.names, {s.stem for s in e.used.values()})
        return tuple(notes)

    def _has_constant_index(self, chain: Chain) -> bool:
        for n in walk(chain):
            w = self.names.written(n) if isinstance(n, Scripted) else None
            if w is not None and any(isinstance(s.node, Literal) for s in w.slots):
                return True
        return False

    def _finding(self, item: Item, key: Key, kind: str, status: str, left: Node, right: Node) -> Finding:
        step = kind == "step" or key[2] > 0
        source = item.span.source
        start = left.span[1] if step else left.span[0]
        if step and not left.span[1] <= right.span[0]:
            start = right.span[0]
        place, end = self._place(item, right if step else left), item.span.locate(max(right.span[1] - 1, 0))
        if kind == "claim":  # a derivation over several lines: each relation stands where its right side starts
            place = max(place, self._place(item, right), key=lambda p: p.line)
        return Finding(
            kind,
            status,
            place,
            end.line,
            balanced(source, start, right.span[1]),
            item.span.index,
            display=self._displays(),
            bases=dict(self.table.bases),
            styles=dict(self.table.styles),
            code_name=code_name(item),
        )

    def _place(self, item: Item, node: Node) -> Place:
        return item.span.locate(min(node.span[0], len(item.span.source)))

    def _displays(self) -> Mapping[str, str]:
        """How the names used inside are written in the document."""
        for symbol in self.table.symbols.values():
            stem = symbol.stem.removesuffix(FAMILY).removesuffix(ANGLE)
            if stem in self.latex:
                self.table.display[symbol.head] = self.latex[stem]
            elif stem.startswith("d") and "/d" in stem:  # the gradient of a loss that nothing defines
                above, below = (self.latex.get(name, name) for name in stem[1:].split("/d", 1))
                self.table.display[symbol.head] = rf"\left(\frac{{\partial {above}}}{{\partial {below}}}\right)"
            self.table.bases[symbol.head] = symbol.base
            for k, dim in enumerate(symbol.dims):
                if dim.around is not None:
                    self.table.bases[f"{symbol.head}@{k}"] = symbol.base - dim.around[1]
            self.table.styles[symbol.head] = symbol.styles
        known = self.table.display
        if self._says_exp:
            known.setdefault("exp", r"\exp")
        return known | {n: self.latex[n] for n in self.names.sizes if n in self.latex and n not in known}

    @cached_property
    def _says_exp(self) -> bool:
        """Whether the document writes the exponential function by its name, and never as a power of e."""
        sources = [span.source for span in self.spans]
        return any(map(_EXP.search, sources)) and not any(map(_POWER_OF_E.search, sources))

    def _note_unread(self, item: Item, key: Key, left: Node | None, right: Node, problem: NotUnderstood) -> None:
        if not self.walk.build:
            return
        finding = self._finding(item, key, "claim" if key[2] == 0 else "step", "unread", left or right, right)
        offender = problem.span or right.span
        finding.place = self._place(item, left) if left is not None and key[2] == 0 else self._place(item, right)
        finding.code = problem.code
        token = " ".join(balanced(item.span.source, *offender).split())
        place = item.span.locate(min(offender[0], len(item.span.source)))
        finding.reason = f"{problem.message}: '{token}' at line {place.line}, column {place.column}"
        self.walk.findings[key] = finding

    def _skip(self, item: Item, key: Key, left: Node, right: Node, code: str, reason: str) -> None:
        if self.walk.build:
            finding = self._finding(item, key, "hypothesis", "skipped", left, right)
            finding.code, finding.reason = code, reason
            self.walk.findings[key] = finding
