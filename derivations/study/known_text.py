"""What is known of the text of a document before its equations are walked over: formulas, facts, names and sizes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property

from derivations.documents.facts.conventions import Conventions
from derivations.documents.facts.fact import Fact
from derivations.documents.facts.kinds.collect import collect_facts
from derivations.documents.facts.sentence_patterns import DETERMINANT
from derivations.documents.model.document import Document, MathSpan
from derivations.documents.model.finding import Finding
from derivations.language.statement import CIRCLE
from derivations.latex.elaborator.derivatives import fractions
from derivations.latex.elaborator.determinants import writes_determinant
from derivations.latex.lexicon.circle_number import as_number, is_number_beside_family
from derivations.latex.lexicon.name_roles import Names, uses
from derivations.latex.lexicon.parameters_of_laws import names_of_laws
from derivations.latex.lexicon.symbol_table import Table
from derivations.latex.lexicon.written_names import Form
from derivations.latex.syntax.letters import IMAGINARY, letter, letters_in
from derivations.latex.syntax.lexer import Macro
from derivations.latex.syntax.surface import (
    Adjacent,
    Big,
    Chain,
    Literal,
    Name,
    Node,
    Operator,
    Reading,
    Scripted,
    walk,
)
from derivations.provers.normal import worked_out
from derivations.study.declared_names import axis_of_document
from derivations.study.equation_walk import Item, Key
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
from derivations.study.left_sides import (
    Later,
    Lefts,
    collect_latex,
    collect_left_sides,
    find_later_recurrences,
    find_recurrences,
    fixed_indices,
    value_after_last,
    value_before_first,
    written_before_first,
)
from derivations.study.linked_names import Orders, index_linked_names
from derivations.study.names_of_sections import OwnNames
from derivations.study.reading_passes import pass_over, read_formulas, sum_what_stands_twice
from derivations.study.recurrences import Recurrence
from derivations.study.unfolding import by_steps
from derivations.study.written_conditions import Places

_EXP = re.compile(r"\\exp(?![A-Za-z])")
_POWER_OF_E = re.compile(r"(?<![A-Za-z\\])(?:e|\\mathrm\{e\})\s*\^")
"""Only how the exponential function is shown depends on these two."""


@dataclass(frozen=True, eq=False)
class Text:
    """The formulas of a document, or of a part of it, and what is found in them before the first is studied.

    `said` has the document, the facts of its words, and its equations as they are read; `apart` are names that are read
    as two.  All else follows from these.
    """

    said: Said
    spans: tuple[MathSpan, ...]
    """What is studied: all mathematics of the document, or that of a part."""
    apart: Mapping[str, Form] | None
    own: OwnNames
    """Names that sections use in a way of their own."""
    unread: dict[Key, Finding]
    """Formulas that cannot be read at all."""
    conventions: Conventions
    shapes: Sequence[Reading]
    names: Names
    entry_names: dict[tuple[str, str], Name]
    entries_by_custom: Mapping[tuple[int, int], tuple[tuple[str, str], ...]]
    """Formulas in which a small letter is read as the entries of a capital by custom, each with these letters."""
    with_named_entries: frozenset[str]
    """Matrices that equations write out with a name for each entry."""
    convention_is_stated: bool
    summed: frozenset[tuple[int, int]]
    """Equations in which an index that stands twice is summed over."""
    ordered: Orders
    """The indices of the names that an author links to equations."""
    lefts: Lefts
    recurrences: Mapping[str, Recurrence]
    """The names that a recurrence introduces."""
    later: Mapping[Key, Later]
    """The recurrences of names that have another equation before."""
    known: Known
    """What the facts say of the names."""
    latex: Mapping[str, str]
    """How the names are written."""

    @cached_property
    def places(self) -> Places:
        """The items by where they stand."""
        return Places.of(self.said.document, self.said.items)

    @cached_property
    def stepped(self) -> frozenset[str]:
        """Names that an equation of their own gives in terms of themselves."""
        found: set[str] = set()
        for stem, items in self.lefts.items():
            for chain in (item.reading.chain for item, _ in items):
                own = self.names.written(chain.first) if chain.first is not None else None
                count = len(own.slots) if own is not None else -1  # a matrix of its own entries gives no steps
                if any(w.stem == stem and len(w.slots) == count for w in uses(self.names, chain.links[0][1])):
                    found.add(stem)
        return frozenset(found)

    @cached_property
    def axis_for_all(self) -> str | None:
        """The axis of the softmax that the text states for the whole document."""
        return axis_of_document(self.said, self.spans)

    @cached_property
    def says_exp(self) -> bool:
        """Whether the document writes the exponential function by its name, and never as a power of e."""
        sources = [span.source for span in self.spans]
        return any(map(_EXP.search, sources)) and not any(map(_POWER_OF_E.search, sources))


def learn_text(
    document: Document,
    macros: Mapping[str, Macro] | None = None,
    apart: Mapping[str, Form] | None = None,
    part: frozenset[int] | None = None,
    facts: tuple[Fact, ...] | None = None,
    own: OwnNames | None = None,
) -> tuple[Text, Table]:
    """What is known of a document before the walk, and the table of its names, to which the facts are bound.

    `part` are the formulas of a part that is studied by itself; `facts` those of the document, where they are collected;
    `own` the names that sections use in a way of their own.
    """
    spans = tuple(s for s in document.spans if part is None or s.index in part)
    read, unread = read_formulas(document, spans, macros)
    facts = _facts(document, read) if facts is None else facts
    own_macros = document.macros[0][1] if document.macros else {}
    conventions = Conventions(document.declarations, own_macros if macros is None else macros)
    passed = pass_over(read, facts)
    facts = (*facts, *(f for f in passed.implied if f not in facts))
    own = own or OwnNames()
    said = Said(document, facts, own.told_apart(passed.items), macros)
    shapes = list(shapes_said(said, own))
    names = _all_names(said, conventions, shapes, apart)
    random = random_names(said, names)
    labels, families = labels_of(random, said.items), families_of(random, names)
    forms = {**(apart or {}), **families}
    if is_number_beside_family(n for i in said.items for n in walk(i.reading.chain)):
        forms.setdefault(CIRCLE, (1, False))
    if labels or len(forms) > len(apart or {}):
        names = _all_names(said, conventions, shapes, forms, labels)
    convention_is_stated = states_summation(said)
    names.settle()
    items, ordered = index_linked_names(names, document, said.items, convention_is_stated)
    if items is not said.items:
        said = Said(document, facts, items, macros)
        names = _all_names(said, conventions, shapes, forms, labels)
        names.settle()
    items, summed = sum_what_stands_twice(names, said.items, convention_is_stated)
    said = Said(document, facts, items, macros)
    names.learn()
    if summed:
        names = _all_names(said, conventions, shapes, forms, labels)
    _tell_names(names, said, conventions, passed.joined, with_families(random, families))
    lefts = collect_left_sides(names, items)
    names.fixed = fixed_indices(names, items, lefts, spans)
    if names.fixed:
        lefts = collect_left_sides(names, items)
    names.settle()
    recurrences = dict(find_recurrences(names, items, lefts))
    later = dict(find_later_recurrences(names, items, lefts, recurrences))
    table = Table(names)
    before_first = dict(value_before_first(names, lefts))
    names.bases |= dict.fromkeys(before_first, 1)
    table.after_last = dict(value_after_last(names, lefts))
    recursive = (r for r in later.values() if r.stem not in recurrences)
    table.before_first = before_first | dict(written_before_first(names, lefts, recursive))
    table.worked_out = worked_out
    table.stepped = by_steps
    table.derivatives = tuple(f for i in items for f in fractions(i.reading.chain))
    known = bind_facts(said, names, table)
    text = Text(
        said=said,
        spans=spans,
        apart=apart,
        own=own,
        unread=unread,
        conventions=conventions,
        shapes=shapes,
        names=names,
        entry_names=passed.entry_names,
        entries_by_custom=passed.by_custom,
        with_named_entries=frozenset(names_with_entries(passed.items)),
        convention_is_stated=convention_is_stated,
        summed=summed,
        ordered=ordered,
        lefts=lefts,
        recurrences=recurrences,
        later=later,
        known=known,
        latex=collect_latex(names, items),
    )
    return text, table


def _all_names(
    said: Said,
    conventions: Conventions,
    shapes: Iterable[Reading],
    apart: Mapping[str, Form] | None,
    random_labels: Iterable[tuple[str, str]] = (),
) -> Names:
    """The names of a document, by how it writes, declares and says them."""
    own = (i.reading for i in said.items)
    readings = [*own, *conventions.readings(), *shapes]
    labels = {*conventions.labels(), *random_labels}
    return Names(readings, labels, lengths_said(said), apart)


def _tell_names(names: Names, said: Said, conventions: Conventions, joined: bool, random: frozenset[str]) -> None:
    """Tell the names what is declared and said of them."""
    conventions.tell_names(names)
    conventions.mark_used(names, [i.reading for i in said.items])
    names.differentials, names.random = joined, random
    names.powers_of_e = any(is_power_of_e(n) for i in said.items for n in walk(i.reading.chain))
    names.writes_determinants = any(map(DETERMINANT.search, said.document.texts())) or any(
        writes_determinant(n) for i in said.items for n in walk(i.reading.chain)
    )
    names.writes_circle = any(as_number(n for i in said.items for n in walk(i.reading.chain)))
    names.in_laws = frozenset(w.stem for i in said.items for w in names_of_laws(names, i.reading.chain))
    names.activations |= {stem for kind in ("activation", "entrywise") for stem in functions_said(said, names, kind)}
    names.said_functions |= names.activations | set(functions_said(said, names, "function"))
    counting = {c for i in said.items for c in _counting(i.reading.chain)}
    turned = {c for own in said.of_span.values() for c in _in_exponent([i.reading.chain for i in own], counting)}
    names.imaginary = frozenset({"i", *turned} if speaks_of_complex_numbers(said) else turned)


def _in_exponent(chains: Iterable[Chain], counting: Set[str]) -> Iterator[str]:
    r"""The imaginary unit of `e^{j \omega}`: a letter for it beside an angle, which is no index anywhere in the formula.

    The i of `e^{-\theta i}` is one where the document counts by it elsewhere.
    """
    chains = list(chains)
    here = {c for chain in chains for c in _counting(chain)}
    for n in (n for chain in chains for n in walk(chain)):
        power = n.sup if isinstance(n, Scripted) and is_power_of_e(n) else None
        exponent = n.arguments[0] if isinstance(n, Operator) and n.name == "exp" and n.arguments else power
        for product in (m for m in walk(exponent) if isinstance(m, Adjacent)) if exponent is not None else ():
            letters = [c for m in product.items if (c := letter(m)) is not None]
            lead = next((m for m in product.items if not isinstance(m, Literal) and letter(m) != "pi"), None)
            in_front = {letter(lead)} if lead is not None else set()
            yield from set(letters) & IMAGINARY - here - (counting - in_front)


def _counting(chain: Chain) -> set[str]:
    """The letters of indices, and those that sums bind."""
    nodes = list(walk(chain))
    scripts = [n.sub for n in nodes if isinstance(n, Scripted | Big) and n.sub is not None]
    scripts += [n.sup for n in nodes if isinstance(n, Big) and n.sup is not None]
    return {c for script in scripts for c in letters_in(script)}


def is_power_of_e(node: Node) -> bool:
    """`e^x`, of the plain letter."""
    base = node.base if isinstance(node, Scripted) and node.sup is not None and node.sub is None else None
    return isinstance(base, Name) and (base.base, base.font == "bold", base.accents, base.primes) == ("e", False, (), 0)


def _facts(document: Document, items: Iterable[Item]) -> tuple[Fact, ...]:
    """The facts of a document of which the formulas are read."""
    readings: dict[int, list[Reading]] = {}
    for item in items:
        readings.setdefault(item.span.index, []).append(item.reading)
    return collect_facts(document, readings)
