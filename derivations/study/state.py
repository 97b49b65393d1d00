"""What is known of a document before its equations are walked over, and the state of the walk."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property

from derivations.documents.facts.conventions import Conventions
from derivations.documents.facts.distributions import Stated
from derivations.documents.facts.fact import Fact
from derivations.documents.facts.kinds.collect import collect_facts
from derivations.documents.model.document import Document
from derivations.documents.model.finding import Finding
from derivations.latex.elaborator.derivatives import fractions
from derivations.latex.lexicon.differentiated_symbols import known as with_twins
from derivations.latex.lexicon.name_roles import Form, Names
from derivations.latex.lexicon.symbol_table import Declared, Symbol, Table
from derivations.latex.syntax.lexer import Macro
from derivations.latex.syntax.surface import Chain, Fraction, Name, Node, Reading, Scripted, walk
from derivations.study.declared_names import axis_of_document
from derivations.study.equation_walk import Decide, Item, Key, Walk, as_meant, code_name
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
from derivations.study.written_conditions import Places

_EXP = re.compile(r"\\exp(?![A-Za-z])")
_POWER_OF_E = re.compile(r"(?<![A-Za-z\\])(?:e|\\mathrm\{e\})\s*\^")
"""Only how the exponential function is shown depends on these two."""


def is_power_of_e(node: Node) -> bool:
    """`e^x`, of the plain letter."""
    base = node.base if isinstance(node, Scripted) and node.sup is not None and node.sub is None else None
    return isinstance(base, Name) and (base.base, base.accents, base.primes) == ("e", (), 0)


Link = Callable[["Study", Item, Key, Node | None, str, Node, bool], None]
"""Study one relation: its equation, its key, its sides; the last is whether it leads its chain."""


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
