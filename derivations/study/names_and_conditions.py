"""What every part of the study of a document shares: names, sizes, findings and conditions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from derivations.documents.facts.conventions import Conventions
from derivations.documents.facts.declarations import axis_words
from derivations.documents.facts.distributions import Stated, deviation_of, with_moment
from derivations.documents.facts.fact import Fact
from derivations.documents.facts.kinds.collect import collect_facts
from derivations.documents.facts.sentence_patterns import CONDITION_WORDS
from derivations.documents.model.document import Document, Given, Place
from derivations.documents.model.finding import Finding
from derivations.language.term import Constraint, Law, Number, Statement, Term, Theory
from derivations.latex.elaborator.derivatives import fractions, is_derivative
from derivations.latex.elaborator.elaborate import Elaborator
from derivations.latex.elaborator.equations import compare, statements
from derivations.latex.elaborator.sums_without_index import outside
from derivations.latex.lexicon.arrays import NotUnderstood
from derivations.latex.lexicon.differentiated_symbols import known as with_twins
from derivations.latex.lexicon.name_roles import Form, Names, uses
from derivations.latex.lexicon.symbol_table import ANGLE, Declared, Symbol, Table
from derivations.latex.passes.pairs import letters_outside
from derivations.latex.syntax.letters import FAMILY, for_all, unworded
from derivations.latex.syntax.lexer import Macro
from derivations.latex.syntax.surface import (
    Chain,
    Enclosed,
    Fraction,
    Literal,
    Name,
    Node,
    Reading,
    Scripted,
    Words,
    walk,
)
from derivations.notes import Note
from derivations.study.declared_names import axis_of_document
from derivations.study.equation_walk import (
    SUPPOSED_BESIDE,
    Decide,
    Item,
    Key,
    Walk,
    as_meant,
    balanced,
    code_name,
    is_remark,
)
from derivations.study.facts_given import Spot, given_by_facts, takes_back
from derivations.study.facts_of_names import (
    Known,
    Said,
    bind_facts,
    families_of,
    functions_said,
    labels_of,
    lengths_said,
    names_with_entries,
    random_names,
    shapes_said,
    speaks_of_complex_numbers,
    states_summation,
    with_families,
)
from derivations.study.left_sides import collect_latex, collect_left_sides, find_recurrences, fixed_indices
from derivations.study.reading_passes import pass_over, read_formulas, sum_what_stands_twice
from derivations.study.verdict import all_heads
from derivations.study.written_conditions import (
    Places,
    compared_letters,
    compares_values,
    different,
    is_of_number,
    is_range,
    said_beside,
)

_EXP = re.compile(r"\\exp(?![A-Za-z])")
_POWER_OF_E = re.compile(r"(?<![A-Za-z\\])(?:e|\\mathrm\{e\})\s*\^")
"""Only how the exponential function is shown depends on these two."""


def is_power_of_e(node: Node) -> bool:
    """`e^x`, of the plain letter."""
    base = node.base if isinstance(node, Scripted) and node.sup is not None and node.sub is None else None
    return isinstance(base, Name) and (base.base, base.accents, base.primes) == ("e", (), 0)


Link = Callable[["Study", Item, Key, Node | None, str, Node, bool], None]
"""Study one relation: its equation, its key, its sides; the last is whether it leads its chain."""
MAX_LATER = 20
"""Longest chain of definitions that each use the one after it."""


class Study:
    """The study of one document: what is known before its equations are walked over, and the state of the walk.

    Its formulas and the facts of its text are read; names, index letters, sizes and recurrences are told apart; declared
    shapes and laws are bound to the names.  Then the document is walked over twice, equation by equation: the first walk
    only unifies shapes, so that a size learned late is known early; the second builds terms, admits definitions and
    decides claims.  What is claimed about an equation that is not understood is withheld, and what is proved or refuted is
    tried under the other readings that the document leaves open.
    """

    taken_heads: frozenset[str] | set[str] = frozenset()
    """Names inside that another study of the same document has."""
    heads: frozenset[str] | set[str] = frozenset()
    """Names inside of this one."""

    def __init__(
        self,
        document: Document,
        decide: Decide,
        link: Link,
        macros: Mapping[str, Macro] | None = None,
        apart: Mapping[str, Form] | None = None,
        part: frozenset[int] | None = None,
        facts: tuple[Fact, ...] | None = None,
    ) -> None:
        self.document, self.macros, self.apart = document, macros, apart
        self.link = link
        """How one relation is studied: a name that is defined later asks for it."""
        self.spans = tuple(s for s in document.spans if part is None or s.index in part)
        """What is studied: all mathematics of the document, or that of a part."""
        self.wanted: frozenset[Key] | None = None
        """The only relations that are decided, where the others are of no interest."""
        self.defined: Callable[[Finding], object] | None = None
        """Who is told each definition as soon as it is there."""
        self.decide: Decide = lambda statement, theory: as_meant(decide(with_twins(statement, theory), theory))
        items, self.unread = read_formulas(document, self.spans, macros)
        self.facts = _facts(document, items) if facts is None else facts
        known = document.macros[0][1] if document.macros else {}
        self.conventions = Conventions(document.declarations, known if macros is None else macros)
        passed = pass_over(items, self.facts)
        self.items, self.entry_names = passed.items, passed.entry_names
        self.with_named_entries = frozenset(names_with_entries(self.items))
        """Matrices that equations write out with a name for each entry."""
        self.shapes = list(shapes_said(self.said))
        self.names = self._all_names(apart)
        random = random_names(self.said, self.names)
        labels, families = labels_of(random, self.items), families_of(random, self.names)
        apart = {**(apart or {}), **families}
        if labels or families:
            self.names = self._all_names(apart, labels)
        self.convention_is_stated = states_summation(self.said)
        self.names.settle()
        self.items, self.summed = sum_what_stands_twice(self.names, self.items, self.convention_is_stated)
        """Equations in which an index that stands twice is summed over."""
        self.names.learn()
        if self.summed:
            self.names = self._all_names(apart, labels)
        self._tell_names(passed.joined, with_families(random, families))
        self.lefts = collect_left_sides(self.names, self.items)
        self.names.fixed = fixed_indices(self.names, self.items, self.lefts, self.spans)
        if self.names.fixed:
            self.lefts = collect_left_sides(self.names, self.items)
        self.names.settle()
        self.recurrences = dict(find_recurrences(self.names, self.items, self.lefts))
        self.outcomes: dict[Key, str] = {}
        self.table = Table(self.names)
        self.table.derivatives = tuple(f for i in self.items for f in fractions(i.reading.chain))
        self.known: Known = bind_facts(self.said, self.names, self.table)
        self.latex = collect_latex(self.names, self.items)
        self.walk = self.main = Walk(build=False)
        """What the walk that is under way keeps, and what the one that counts has kept."""
        self.stated: dict[str, Declared] = {}
        """What is declared before the first equation."""
        self.second: dict[str, Symbol] = {}
        """The given names, with their shapes, that the first walk leaves to the second."""
        self.given_gradients = False
        """Whether the relation that is read now takes gradients of a loss as given tensors."""

    @property
    def said(self) -> Said:
        """The facts of the document beside its formulas as they are read now."""
        if self._said is None or self._said.items is not self.items:
            self._said = Said(self.document, self.facts, self.items, self.macros)
        return self._said

    _said: Said | None = None

    @property
    def properties(self) -> Mapping[str, str]:
        """Words about given names that are not read."""
        return self.known.properties

    @property
    def row_sums(self) -> frozenset[str]:
        """Given matrices whose rows sum to one, as the text says."""
        return self.known.row_sums

    @property
    def targets(self) -> frozenset[str]:
        """Names that weigh logarithms in a text about cross entropies."""
        return self.known.targets

    @property
    def stated_laws(self) -> tuple[Stated, ...]:
        """Means and variances that sentences state of names."""
        return self.known.laws

    def _all_names(self, apart: Mapping[str, Form] | None, random_labels: Iterable[tuple[str, str]] = ()) -> Names:
        own = (i.reading for i in self.items)
        readings = [*own, *self.conventions.readings(), *self.shapes]
        labels = {*self.conventions.labels(), *random_labels}
        return Names(readings, labels, lengths_said(self.said), apart)

    def _tell_names(self, joined: bool, random: frozenset[str]) -> None:
        """Tell the names what is declared and said of them."""
        self.conventions.tell_names(self.names)
        self.conventions.mark_used(self.names, [i.reading for i in self.items])
        self.names.differentials, self.names.random = joined, random
        self.names.powers_of_e = any(is_power_of_e(n) for i in self.items for n in walk(i.reading.chain))
        self.names.said_functions |= set(functions_said(self.said, self.names))
        self.names.complex_numbers = speaks_of_complex_numbers(self.said)

    @cached_property
    def axis_for_all(self) -> str | None:
        """The axis of the softmax that the text states for the whole document."""
        return axis_of_document(self.said, self.spans)

    @cached_property
    def _spoken(self) -> dict[int, tuple[Chain, tuple[Fraction, ...], frozenset[str], frozenset[str]]]:
        return {}

    @property
    def places(self) -> Places:
        """The items by where they stand, found once for each list of them."""
        if self._placed is None or self._placed.items is not self.items:
            self._placed = Places.of(self.document, self.items)
        return self._placed

    _placed: Places | None = None

    @cached_property
    def _says_exp(self) -> bool:
        """Whether the document writes the exponential function by its name, and never as a power of e."""
        sources = [span.source for span in self.spans]
        return any(map(_EXP.search, sources)) and not any(map(_POWER_OF_E.search, sources))

    @cached_property
    def parts(self) -> dict[Key, Study]:
        """The studies of single sections from which findings were taken over."""
        return {}

    def ordered(self) -> list[Finding]:
        """The findings in document order, each with the numbers of those that it depends on."""
        main = self.main
        ordered = sorted({**self.unread, **main.findings}.items())
        positions = {key: n for n, (key, _) in enumerate(ordered)}
        for key, finding in ordered:
            finding.position = positions[key]
            finding.depends_on = tuple(
                sorted(positions[k] for k in main.uses.get(key, ()) if k in positions and k != key)
            )
        return [f for _, f in ordered]

    def called_in_code(self) -> list[tuple[str, str, int]]:
        """Code names that the text puts beside a symbol (`inputs`: $x_i$): (code name, stem, block)."""
        found = []
        for item in self.items:
            name, first = code_name(item), item.reading.chain.first
            w = self.names.written(first) if name is not None and first is not None else None
            if name is not None and w is not None:
                found.append((name, w.stem, self.document.block_of(item.span).index))
        return found

    def named_sizes(self) -> frozenset[str]:
        """The lengths that the document has a name for: they stand in a stated shape or range."""
        named = [d.root().known for d in self.table.sizes.named.values()]
        return frozenset(s for size in named if size is not None for s in size.sizes)


def _facts(document: Document, items: Iterable[Item]) -> tuple[Fact, ...]:
    """The facts of a document of which the formulas are read."""
    readings: dict[int, list[Reading]] = {}
    for item in items:
        readings.setdefault(item.span.index, []).append(item.reading)
    return collect_facts(document, readings)


def spot_of(study: Study, item: Item) -> Spot:
    return Spot(item.section, study.document.block_of(item.span).index, item.span.index)


def statements_given(
    study: Study, item: Item, said: Sequence[Statement], theory: Theory
) -> Iterator[tuple[Key, Statement]]:
    """What the text says, anywhere in whose scope an equation stands, of the given names of statements.

    A statement that says nothing but a sign is not told its own.
    """
    heads = {h for s in said for h in all_heads(s, theory)}
    own = {h for s in said if s.relation != "=" for h in (*s.left.heads, *s.right.heads)}
    symbols = [s for s in study.table.symbols.values() if s.head in heads]
    for fact, s in given_by_facts(study.known.about, symbols, spot_of(study, item), study.table.sizes.index):
        of_formula = fact.scope.since == item.span.index and isinstance(fact.names[0], str)
        if not of_formula and (s.relation == "=" or not own & {*s.left.heads, *s.right.heads}):
            yield (fact.scope.since, 0, SUPPOSED_BESIDE), s


def still_holds(study: Study, item: Item, key: Key, supposed: Statement) -> bool:
    """Whether nothing between takes a sign back that was supposed."""
    at = next((i for i in study.places.of_span.get(key[0], ())), None)
    if supposed.relation == "=" or at is None:
        return True
    heads = {*supposed.left.heads, *supposed.right.heads}
    stems = [s.stem for s in study.table.symbols.values() if s.head in heads]
    spots = spot_of(study, at), spot_of(study, item)
    return not any(takes_back(study.known.about.get(stem, ()), *spots) for stem in stems)


def take_law(study: Study, stated: Stated, item: Item | None) -> None:
    """From here on the name is random, with this mean or variance."""
    if isinstance(stated.value, int):
        value: Term = Number(stated.value)
    else:
        e = elaborator_for(study, item) if item is not None else Elaborator(study.table)
        value = e.number_of(stated.value, {})
    law = with_moment(study.table.laws.get(stated.stem, Law()), stated.kind, value)
    study.table.laws[stated.stem] = law
    deviation = deviation_of(value) if stated.kind == "variance" else None
    if deviation is not None and deviation.name not in study.table.theory.definitions:
        known_signs = [h for _, h, _ in study.walk.hypotheses]
        sign = Statement(Number(0), "<=", deviation)
        if sign not in known_signs:
            study.walk.hypotheses.append(((*study.walk.at, SUPPOSED_BESIDE), sign, None))


def define_later(study: Study, stem: str, item: Item) -> bool:
    """Take the first later definition of `stem` in the section of `item`."""
    if stem in study.table.declared or len(study.walk.busy) > MAX_LATER:
        return False
    for other, link in study.lefts.get(stem, ()):
        key = (other.span.index, other.number, link)
        here = min(study.walk.at, (item.span.index, item.number))
        if (other.span.index, other.number) <= here or other.section != item.section:
            continue
        if key in study.walk.busy or key in study.walk.findings:
            continue
        first = other.reading.chain.first or other.before
        if first is None:
            continue
        keep = study.table.later
        relation, right = other.reading.chain.links[link]
        study.link(study, other, key, first, relation, right, True)
        study.table.later = keep
        return stem in study.table.symbols
    return False


def elaborator_for(study: Study, item: Item) -> Elaborator:
    declared = isinstance(study.document.block_of(item.span), Given)  # it speaks of what is known where it stands
    study.table.later = None if declared else lambda stem: define_later(study, stem, item)
    words = axis_words(item.context) or study.axis_for_all
    e = Elaborator(study.table, (item.span.index, item.number), study.walk.forced, words)
    chain = item.reading.chain
    e.differentiated, e.outside, e.outside_sums = _spoken_of(study, chain)
    if e.differentiated:
        named = chain.first is not None and study.names.written(chain.first) is not None
        e.names_derivative = named and len(chain.links) == 1 and is_derivative(chain.links[0][1])
        e.stems = frozenset(w.stem for w in uses(study.names, chain))
    e.gradients_are_given = study.given_gradients
    e.declared_axis, e.declared_letter = study.conventions.axis, study.conventions.axis_letter
    if (item.span.index, item.number) in study.summed:
        origin = "document" if study.convention_is_stated else "reading"
        e.readings.append(Note("summation-convention", origin=origin))
    return e


def _spoken_of(study: Study, chain: Chain) -> tuple[tuple[Fraction, ...], frozenset[str], frozenset[str]]:
    """The derivatives that an equation writes, its index letters outside of sums, its letters outside of their ranges."""
    found = study._spoken.get(id(chain))
    if found is None:
        found = chain, fractions(chain), frozenset(outside(study.names, chain)), frozenset(letters_outside(chain))
        study._spoken[id(chain)] = found  # with the equation: no other takes its identity
    return found[1:]


def conditions_beside(study: Study, item: Item, e: Elaborator) -> tuple[list[Constraint], list[Chain], str]:
    """The conditions written after an equation, on indices and on values, and the first one that is not understood."""
    found: list[Constraint] = []
    values: list[Chain] = []
    unclear = ""
    for node in (*item.reading.conditions, *conditions_said(study, item)):
        node = for_all(node)
        if isinstance(node, Enclosed) and node.kind == "()" and isinstance(node.content, Chain):
            node = node.content
        if is_remark(node) or different(node) is not None:
            continue
        if isinstance(node, Chain) and node.links and is_range(node.links[0][1]):
            continue
        if is_of_number(study.names, unworded(node)):
            suppose(study, item, unworded(node))
            continue
        if isinstance(node, Chain) and compares_values(study.names, item, node, e.free):
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


def suppose(study: Study, item: Item, node: Node, limited: str | None = None) -> None:
    """A condition on a number that is written beside an equation, taken as given in its paragraph, or where said."""
    if not isinstance(node, Chain) or node.first is None:
        return
    key, (relation, right) = (item.span.index, item.number, SUPPOSED_BESIDE), node.links[0]
    e = elaborator_for(study, item)
    try:
        read = compare(e, e.value(node.first, {}), relation, e.value(right, {}), [], right)
        known = [h for _, h, _ in study.walk.hypotheses]
        given = [s for s in statements(e, read) if s not in known]
    except NotUnderstood:
        return
    study.walk.hypotheses += [(key, s, limited or item.context.paragraph) for s in given]


def letters_compared(study: Study, item: Item) -> Iterator[tuple[str, str, str]]:
    """Pairs of indices that are called different or equal where an equation stands."""
    return compared_letters(study.places, study.names, item)


def formulas_numbered(study: Study, numbers: Iterable[str]) -> Iterator[Node]:
    """The chains of formulas with these numbers in the text."""
    return study.places.formulas(numbers)


def conditions_said(study: Study, item: Item) -> Iterator[Node]:
    """A condition in the words around an equation."""
    return said_beside(study.places, study.table, item)


def dependences_of(study: Study, e: Elaborator) -> set[Key]:
    heads = {s.head for s in e.used.values() if s.defined}
    return {study.walk.origins[h] for h in heads if h in study.walk.origins}


def introduce(study: Study, e: Elaborator) -> None:
    """Given names that occur for the first time."""
    for symbol in e.used.values():
        if not symbol.defined and symbol.stem not in study.walk.introduced:
            study.walk.clock += 1
            study.walk.introduced[symbol.stem] = study.walk.clock
    for size in sorted(e.sizes_as_numbers - set(study.walk.introduced)):
        study.walk.clock += 1
        study.walk.introduced[size] = study.walk.clock


def readings_of(study: Study, item: Item, e: Elaborator) -> tuple[Note, ...]:
    notes = [replace(n, place=item.span.place) for n in dict.fromkeys(e.readings)]
    if not study.names.base_is_stated and any(v.base is not None for v in e.free.values()):
        base = study.names.document_base
        if _has_constant_index(study, item.reading.chain):
            notes.append(Note("index-base", (str(base),), place=item.span.place))
    if study.conventions.all:
        notes += study.conventions.notes(study.names, {s.stem for s in e.used.values()})
    return tuple(notes)


def _has_constant_index(study: Study, chain: Chain) -> bool:
    for n in walk(chain):
        w = study.names.written(n) if isinstance(n, Scripted) else None
        if w is not None and any(isinstance(s.node, Literal) for s in w.slots):
            return True
    return False


def finding_of(study: Study, item: Item, key: Key, kind: str, status: str, left: Node, right: Node) -> Finding:
    step = kind == "step" or key[2] > 0
    source = item.span.source
    start = left.span[1] if step else left.span[0]
    if step and not left.span[1] <= right.span[0]:
        start = right.span[0]
    place, end = place_of(item, right if step else left), item.span.locate(max(right.span[1] - 1, 0))
    if kind == "claim":  # a derivation over several lines: each relation stands where its right side starts
        place = max(place, place_of(item, right), key=lambda p: p.line)
    return Finding(
        kind,
        status,
        place,
        end.line,
        balanced(source, start, right.span[1]),
        item.span.index,
        display=displays_of(study),
        bases=dict(study.table.bases),
        styles=dict(study.table.styles),
        code_name=code_name(item),
    )


def place_of(item: Item, node: Node) -> Place:
    """Where a part of an equation starts in the file."""
    return item.span.locate(min(node.span[0], len(item.span.source)))


def displays_of(study: Study) -> Mapping[str, str]:
    """How the names used inside are written in the document."""
    for symbol in study.table.symbols.values():
        stem = symbol.stem.removesuffix(FAMILY).removesuffix(ANGLE)
        if stem in study.latex:
            study.table.display[symbol.head] = study.latex[stem]
        elif stem.startswith("d") and "/d" in stem:  # the gradient of a loss that nothing defines
            above, below = (study.latex.get(name, name) for name in stem[1:].split("/d", 1))
            study.table.display[symbol.head] = rf"\left(\frac{{\partial {above}}}{{\partial {below}}}\right)"
        study.table.bases[symbol.head] = symbol.base
        for k, dim in enumerate(symbol.dims):
            if dim.around is not None:
                study.table.bases[f"{symbol.head}@{k}"] = symbol.base - dim.around[1]
        study.table.styles[symbol.head] = symbol.styles
    known = study.table.display
    if study._says_exp:
        known.setdefault("exp", r"\exp")
    latex = {n: study.latex[n] for n in study.names.sizes if n in study.latex and n not in known}
    for size, divisors in study.table.divisors.items():
        for h in divisors:
            above, below = (study.latex.get(n, n) for n in (size, h))
            latex[study.table.part_name(size, h)] = rf"\frac{{{above}}}{{{below}}}"
    return known | latex


def note_unread(study: Study, item: Item, key: Key, left: Node | None, right: Node, problem: NotUnderstood) -> None:
    if not study.walk.build:
        return
    finding = finding_of(study, item, key, "claim" if key[2] == 0 else "step", "unread", left or right, right)
    offender = problem.span or right.span
    finding.place = place_of(item, left) if left is not None and key[2] == 0 else place_of(item, right)
    finding.code = problem.code
    token = " ".join(balanced(item.span.source, *offender).split())
    place = item.span.locate(min(offender[0], len(item.span.source)))
    finding.reason = f"{problem.message}: '{token}' at line {place.line}, column {place.column}"
    study.walk.findings[key] = finding


def skip(study: Study, item: Item, key: Key, left: Node, right: Node, code: str, reason: str) -> None:
    if study.walk.build:
        finding = finding_of(study, item, key, "hypothesis", "skipped", left, right)
        finding.code, finding.reason = code, reason
        study.walk.findings[key] = finding
