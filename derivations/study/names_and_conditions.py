"""Each equation with what the text says of it: how it is elaborated, its conditions, what is supposed, what it depends on."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import takewhile

from derivations.documents.facts.declarations import axis_of_remark, axis_words, members_said
from derivations.documents.facts.distributions import Stated, deviation_of, with_moment
from derivations.documents.facts.fact import Strength
from derivations.documents.facts.role_words import Part, parts_said
from derivations.documents.facts.sentence_patterns import CONDITION_WORDS
from derivations.documents.model.document import Given
from derivations.language.statement import Law, Statement, Theory
from derivations.language.term import Constraint, Entry, Number, Term
from derivations.latex.elaborator.derivatives import fractions, is_derivative
from derivations.latex.elaborator.elaborate import Elaborator
from derivations.latex.elaborator.equations import compare, statements
from derivations.latex.elaborator.sums_without_index import outside
from derivations.latex.lexicon.arrays import NotUnderstood
from derivations.latex.lexicon.name_roles import called_in, uses
from derivations.latex.lexicon.parameters_of_laws import length_of_laws
from derivations.latex.passes.pairs import letters_outside
from derivations.latex.syntax.function_names import places_of_law
from derivations.latex.syntax.letters import is_upper, letter, unworded
from derivations.latex.syntax.listed_comparisons import links_with_numbers
from derivations.latex.syntax.surface import Adjacent, Chain, Literal, Name, Node, Scripted, Words, walk
from derivations.notes import Note
from derivations.study.declared_names import ranges_at
from derivations.study.equation_walk import SUPPOSED_BESIDE, Item, Key, is_remark
from derivations.study.facts_given import (
    Spot,
    given_by_facts,
    given_by_notation,
    given_of_entries,
    given_of_members,
    takes_back,
)
from derivations.study.facts_of_names import About
from derivations.study.left_sides import is_made_of_itself
from derivations.study.roots_supposed import with_squares
from derivations.study.state import Spoken, Study
from derivations.study.verdict import all_heads
from derivations.study.written_conditions import (
    compared_letters,
    compares_values,
    conditions_in,
    different,
    is_between,
    is_of_number,
    is_range,
    said_beside,
    unread_after,
)

_NAMING = frozenset({Part.LET, Part.WHERE, Part.CONCLUDED})
"""What words say of a formula that may name something, or be a claim."""
MAX_LATER = 20
"""Longest chain of definitions that each use the one after it."""


def _spot_of(study: Study, item: Item) -> Spot:
    """Where an equation stands, for what holds only in a part of the text."""
    return Spot(item.section, study.document.block_of(item.span).index, item.span.index)


def statements_given(
    study: Study, item: Item, said: Sequence[Statement], theory: Theory
) -> Iterator[tuple[Key, Statement]]:
    """What the text says, anywhere in whose scope an equation stands, of the given names of statements.

    A statement that says nothing but a sign is not told its own.
    """
    heads = {h for s in said for h in all_heads(s, theory)}
    signs = {t.name for s in said if s.relation != "=" for t in _of_sign(s)}
    own = signs - theory.definitions.keys()
    symbols = [s for s in study.table.symbols.values() if s.head in heads]
    known, spot, size = _about_values(study, item), _spot_of(study, item), study.table.sizes.index
    found = list(given_of_entries(known, study.table.symbols.values(), heads, spot, size, theory))
    written_out = {h for _, s in found for h in (*s.left.heads, *s.right.heads)}
    if all(not s.indices for s in said):  # what is said of all entries would only be said again
        symbols = [s for s in symbols if s.head not in written_out]
    found += given_by_facts(known, symbols, spot, size)
    found += given_of_members(known, study.table.symbols.values(), heads, spot, size, theory)
    told: set[Statement] = set()
    for fact, s in found:
        is_own = fact.scope.since == item.span.index and isinstance(fact.names[0], str)
        of_formula = is_own and fact.strength is not Strength.IMPLIED  # a law in it implies the sign of its deviation
        if not of_formula and (s.relation == "=" or not own & {*s.left.heads, *s.right.heads}):
            if s not in told:  # each formula with a law says anew that its deviation is positive
                yield (fact.scope.since, 0, SUPPOSED_BESIDE), s
            told.add(s)
    laws = [s for s in study.table.symbols.values() if places_of_law(s.stem)]
    for s in given_by_notation(laws, size):
        if s not in told and not heads.isdisjoint({*s.left.heads, *s.right.heads}):
            yield (0, 0, SUPPOSED_BESIDE), s


def _of_sign(s: Statement) -> Iterator[Entry]:
    """The entry of which an inequality says no more than how it compares with a number."""
    for one, other in ((s.left, s.right), (s.right, s.left)):
        if isinstance(one, Entry) and not other.heads:
            yield one


def _among(study: Study, item: Item, about: About) -> About:
    """A fact about the members of a list with dots, with the range of their indices where both ends are lengths or numbers."""
    if about.ends is None:
        return about
    e = elaborator_for(study, item)
    try:
        first, last = (e.written_index(end, {}) for end in about.ends)
    except NotUnderstood:
        return about
    return replace(about, among=(first, last + 1))


def _about_values(study: Study, item: Item) -> Mapping[str, tuple[About, ...]]:
    """The facts about given names; what is said of a function is said of the families of its values, and what is said of the
    rows of a matrix, which have a name of their own, is said of the matrix."""
    about, values = study.text.known.about, study.table.values
    known = {stem: tuple(_among(study, item, a) for a in own) for stem, own in about.items()}
    for part, whole in study.table.rows.items():
        if part in known and part not in study.table.symbols:
            known[whole] = (*known.get(whole, ()), *(a for a in known[part] if a.slots == 1))
    own = {s.stem: known.get(values[s.head][0], ()) for s in study.table.symbols.values() if s.head in values}
    return {**known, **own} if any(own.values()) else known


def still_holds(study: Study, item: Item, key: Key, supposed: Statement) -> bool:
    """Whether nothing between takes a sign back that was supposed."""
    at = next((i for i in study.text.places.of_span.get(key[0], ())), None)
    if supposed.relation == "=" or at is None:
        return True
    heads = {*supposed.left.heads, *supposed.right.heads}
    stems = [s.stem for s in study.table.symbols.values() if s.head in heads]
    spots = _spot_of(study, at), _spot_of(study, item)
    return not any(takes_back(study.text.known.about.get(stem, ()), *spots) for stem in stems)


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


def equates_given(study: Study, item: Item) -> bool:
    """Whether an equation in a line of text equates two names that formulas above have used as they are: `u = v` then says
    which case is spoken of, "for equal variances, $u = v$", and defines neither."""
    chain = item.reading.chain
    if item.span.display or chain.first is None or [r for r, _ in chain.links] != ["="]:
        return False
    sides = [study.names.written(n) for n in (chain.first, chain.links[0][1])]
    if any(w is None or w.slots or w.power is not None or w.transposed for w in sides):
        return False
    if parts_said(f"{item.context.before} {item.reading.lead}".rstrip(" :")) & _NAMING:
        return False
    return all(w is not None and is_used_before(study, item, w.stem) for w in sides)


def is_used_before(study: Study, item: Item, stem: str) -> bool:
    """Whether an earlier formula of the section uses a name: "the minimum is at $s_j = 1$" then tells a value, not what s is."""
    earlier = takewhile(lambda other: other is not item, study.items)
    own = (o for o in earlier if o.section == item.section and o.span is not item.span)
    chains = (o.reading.chain for o in own if len(o.reading.chain.parts) > 1)
    return any(w.stem == stem for chain in chains for w in uses(study.names, chain))


def define_later(study: Study, stem: str, item: Item) -> bool:
    """Take the first later definition of `stem` in the section of `item`."""
    is_given = (
        stem in study.table.declared and stem not in study.text.recurrences
    )  # a state is one from its first use on
    if is_given or len(study.walk.busy) > MAX_LATER:
        return False
    for other, link in study.text.lefts.get(stem, ()):
        key = (other.span.index, other.number, link)
        here = min(study.walk.at, (item.span.index, item.number))
        if (other.span.index, other.number) <= here or other.section != item.section:
            continue
        if key in study.walk.busy or key in study.walk.findings:
            continue
        first = other.reading.chain.first or other.before
        if first is None or (isinstance(first, Adjacent) and stem in study.names.uncalled_factors and is_upper(stem)):
            continue  # Q(t) = t^2 + 1 says nothing of the Q in Q x
        relation, right = other.reading.chain.links[link]
        if set(called_in(study.names, right)) & _being_defined(study):
            continue  # Q(s, a) = A(s, a) + V(s), wanted for A(s, a) = Q(s, a) - V(s): it is said of both
        if equates_given(study, other):
            continue  # a case of which the text speaks there
        w = study.names.written(first)
        if w is not None and not w.slots and is_made_of_itself(study.names, stem, other, study.text.lefts):
            continue  # not so a_l = g(z_l), wanted for z_l = W_l a_{l-1}
        keep = study.table.later
        study.link(study, other, key, first, relation, right, True)
        study.table.later = keep
        return stem in study.table.symbols
    return False


def _being_defined(study: Study) -> set[str]:
    """The names whose definitions are under way."""
    busy = study.walk.busy
    return {s for s, places in study.text.lefts.items() for o, k in places if (o.span.index, o.number, k) in busy}


def _remarks(item: Item) -> str:
    """The words that stand beside an equation in its formula, `(each column is a distribution)`."""
    nodes = (n for condition in item.reading.conditions for n in walk(condition))
    return " ".join(n.text for n in nodes if isinstance(n, Words))


def _from_zero(study: Study, item: Item) -> Iterator[str]:
    """The letters of multiples, 2i, in the places of names whose indices start from 0."""
    names = study.names
    if names.document_base == 0:
        return
    for w in (w for side in item.reading.chain.parts for w in uses(names, side)):
        for slot in w.slots if names.base(w.stem) == 0 else ():
            for n in walk(slot.node) if slot.node is not None else ():
                if isinstance(n, Adjacent) and len(n.items) == 2 and isinstance(n.items[0], Literal):
                    yield from filter(None, (letter(n.items[1]),))


def elaborator_for(study: Study, item: Item) -> Elaborator:
    """An elaborator that knows where an equation stands, what the text says of it, and how to find later definitions."""
    declared = isinstance(study.document.block_of(item.span), Given)  # it speaks of what is known where it stands
    study.table.later = None if declared else lambda stem: define_later(study, stem, item)
    study.table.being_defined = lambda: _being_defined(study)
    words = axis_of_remark(_remarks(item)) or axis_words(item.context) or study.text.axis_for_all
    e = Elaborator(study.table, (item.span.index, item.number), study.walk.forced, words)
    e.list_words = members_said(item.context)
    e.ranges = ranges_at(study.table, item)
    e.from_zero = frozenset(_from_zero(study, item))
    chain = item.reading.chain
    e.differentiated, e.outside, e.outside_sums, e.stems = _spoken_of(study, chain)
    e.length_of_laws = length_of_laws(study.names, chain)
    if e.differentiated:
        named = chain.first is not None and study.names.written(chain.first) is not None
        e.names_derivative = named and len(chain.links) == 1 and is_derivative(chain.links[0][1])
    e.gradients_are_given = study.given_gradients
    e.declared_axis, e.declared_letter = study.text.conventions.axis, study.text.conventions.axis_letter
    if (item.span.index, item.number) in study.text.summed:
        origin = "document" if study.text.convention_is_stated else "reading"
        e.readings.append(Note("summation-convention", origin=origin))
    for pair in study.text.entries_by_custom.get((item.span.index, item.number), ()):
        e.readings.append(Note("entries-by-custom", pair))
    if indices := study.text.ordered.get((item.span.index, item.number)):
        e.readings.append(Note("order-of-indices", (", ".join(indices),)))
    return e


def _spoken_of(study: Study, chain: Chain) -> Spoken:
    """What an equation writes of derivatives and of free letters, found once."""
    found = study.spoken.get(id(chain))
    if found is None:
        stems = frozenset(w.stem for w in uses(study.names, chain))
        said = fractions(chain), frozenset(outside(study.names, chain)), frozenset(letters_outside(chain)), stems
        found = study.spoken[id(chain)] = (chain, said)  # with the equation: no other takes its identity
    return found[1]


def conditions_of(study: Study, item: Item) -> Iterator[Node]:
    """The conditions written after an equation or said of it, without the parentheses around them."""
    for node in (*item.reading.conditions, *conditions_said(study, item)):
        yield from conditions_in(node)


def conditions_beside(
    study: Study, item: Item, e: Elaborator, arguments: Collection[str] = ()
) -> tuple[list[Constraint], list[Chain], str]:
    """The conditions written after an equation, on indices and on values, and the first one that is not understood.

    `arguments` are those of the function that the equation defines: a range of one is no condition on an index.
    """
    found: list[Constraint] = []
    values: list[Chain] = []
    unclear = ""
    for node in conditions_of(study, item):
        pair = different(node)
        if is_remark(node) or (pair is not None and {*pair} <= e.free.keys()):
            continue
        if isinstance(node, Chain) and node.links and is_range(node.links[0][1]):
            continue
        bounds = _bounds_of_number(study, node, arguments)
        if bounds:
            for bound in bounds:
                suppose(study, item, bound)
            continue
        if isinstance(node, Chain) and (
            compares_values(study.names, item, node, e.free)
            or (is_between(node) and letter(node.links[0][1]) in arguments)
        ):
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


def _bounds_of_number(study: Study, node: Node, arguments: Collection[str]) -> list[Node]:
    """The comparisons of a number that a condition consists of, `0 < b < 1` as `b > 0` and `b < 1`; else nothing."""
    condition = unworded(node)
    if isinstance(condition, Chain) and not (is_between(condition) and letter(condition.links[0][1]) in arguments):
        bounds = list(links_with_numbers(condition))
        if all(is_of_number(study.names, b) for b in bounds):
            return bounds
    return []


def suppose(study: Study, item: Item, node: Node, limited: str | None = None, *, from_here_on: bool = False) -> None:
    """A condition on a number that is written beside an equation, taken as given in its paragraph, or where said."""
    if not isinstance(node, Chain) or node.first is None:
        return
    key, (relation, right) = (item.span.index, item.number, SUPPOSED_BESIDE), node.links[0]
    e = elaborator_for(study, item)
    try:
        e.declare_free(node.first)
        e.declare_free(right)
        read = compare(e, e.value(node.first, {}), relation, e.value(right, {}), [], right)
        where = None if from_here_on else limited or item.context.paragraph
        known = [h for _, h, place in study.walk.hypotheses if place in (None, where)]
        given = [s for s in statements(e, read) if s not in known]
    except NotUnderstood:
        return
    study.walk.hypotheses += [(key, s, where) for s in with_squares(given)]


def letters_compared(study: Study, item: Item) -> Iterator[tuple[str, str, str]]:
    """Pairs of indices that are called different or equal where an equation stands."""
    return compared_letters(study.text.places, study.names, item)


def formulas_numbered(study: Study, numbers: Iterable[str]) -> Iterator[Node]:
    """The chains of formulas with these numbers in the text."""
    return study.text.places.formulas(numbers)


def conditions_said(study: Study, item: Item) -> Iterator[Node]:
    """A condition in the words around an equation."""
    return said_beside(study.text.places, study.table, item)


def case_in_words(study: Study, item: Item) -> str | None:
    """Words right after an equation, not read, that say in which case it is so: `for positive pairs`."""
    return unread_after(study.text.places, study.names, study.table, item)


def dependences_of(study: Study, e: Elaborator) -> set[Key]:
    """The relations that define the names which an equation uses."""
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
    """The readings that an equation rests on: its own, the number that indices start from, and stated conventions."""
    notes = [replace(n, place=item.span.place) for n in dict.fromkeys(e.readings)]
    if not study.names.base_is_stated and any(v.base is not None for v in e.free.values()):
        base = study.names.document_base
        if _has_constant_index(study, item.reading.chain):
            notes.append(Note("index-base", (str(base),), place=item.span.place))
    if study.text.conventions.all:
        notes += study.text.conventions.notes(study.names, {s.stem for s in e.used.values()})
    return tuple(notes)


def _has_constant_index(study: Study, chain: Chain) -> bool:
    for n in walk(chain):
        w = study.names.written(n) if isinstance(n, Scripted) else None
        if w is not None and any(isinstance(s.node, Literal) for s in w.slots):
            return True
    return False
