"""Definition, claim, step, new version or hypothesis: what each relation of a document is, decided in document order.

The document is walked twice.  The first walk only unifies shapes, so that a size learned late is known early; the
second builds terms, admits definitions and decides claims.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from derivations.documents.facts.directives import Declaration
from derivations.documents.facts.fact import Fact
from derivations.documents.facts.prose import Supposed
from derivations.documents.facts.sentence_patterns import EXAMPLE_TITLE
from derivations.documents.model.document import Document
from derivations.documents.model.finding import Finding
from derivations.language.statement import Law, Statement, Theory
from derivations.latex.lexicon.arrays import NotUnderstood
from derivations.latex.lexicon.kind_search import search_kinds
from derivations.latex.lexicon.name_roles import uses
from derivations.latex.lexicon.symbol_table import Symbol
from derivations.latex.lexicon.written_names import Form
from derivations.latex.syntax.lexer import Macro
from derivations.latex.syntax.surface import Matrix
from derivations.notes import Note
from derivations.study import sections
from derivations.study.declared_names import declare_names
from derivations.study.doubts.about_words import is_supposed_by_facts
from derivations.study.equation_walk import Decide, Item, Key, Walk, is_number
from derivations.study.facts_of_names import shapes_by_place
from derivations.study.guessed_axes import confirm_where_axes_do_not_matter
from derivations.study.known_text import learn_text
from derivations.study.lists_that_fit import Forced, joined_as_they_fit
from derivations.study.names_and_conditions import statements_given, still_holds, take_law
from derivations.study.names_of_sections import (
    Letter,
    OwnNames,
    counted_otherwise,
    declared_anew,
    letter_of,
    letters_in,
    numbers_beside_functions,
    used_otherwise,
)
from derivations.study.open_equations import withhold_about_open_names
from derivations.study.other_kinds import withhold_where_kinds_differ
from derivations.study.recurrences_defined import THE_FIRST
from derivations.study.relations import study_item, study_relation
from derivations.study.said_afterwards import suppose_what_follows
from derivations.study.said_properties import MAX_TRIES, examples_of
from derivations.study.shape_conflicts import judge_shapes
from derivations.study.state import Study
from derivations.study.support import withhold_unsupported
from derivations.study.verdict import all_heads, withheld

CONFLICTS = frozenset({"shape-conflict", "ambiguous"})
MIN_CONFLICTS = 3
"""Conflicts of shapes in one document that make another reading of its names worth a try."""
MAX_READINGS = 8
"""Readings tried before a refutation is believed."""


def study(document: Document, *, decide: Decide, macros: Mapping[str, Macro] | None = None) -> list[Finding]:
    """One finding for each definition, claim, step, hypothesis, shape statement and unread equation, in document order.

    `decide(statement, theory)` settles claims; nothing of the document is executed.
    """
    return understood(document, decide, macros)[1]


def understood(
    document: Document,
    decide: Decide,
    macros: Mapping[str, Macro] | None = None,
    defined: Callable[[Finding], object] | None = None,
) -> tuple[Study, list[Finding]]:
    """The study of a document and its findings; `defined` is told each definition while the rest is still decided.

    When several shapes conflict, names that are written in two ways are tried as two names: `x_j` of one row, and later
    `x_{ij}` of a batch.  So are `a` and `a_m` where an equation gives `a_m` in terms of `a`, when something is not
    understood.  That reading counts when less is not understood and no less is proved; it refutes nothing about these
    names.  What is then not understood is looked for in readings of single sections, which refute nothing either.
    """
    chosen, findings = _chosen(document, decide, macros, defined)
    chosen, findings = _with_names_of_sections(chosen, findings, document, decide, macros)
    read_apart = partial(_read_apart, chosen, document, decide, macros)
    if chosen.main.guessed and confirm_where_axes_do_not_matter(chosen, read_apart):
        findings = chosen.ordered()
    if withhold_where_kinds_differ(chosen, partial(_read_with, chosen, document, decide, macros)):
        findings = chosen.ordered()
    if withhold_unsupported(chosen):
        withhold_about_open_names(chosen, chosen.main)
        findings = chosen.ordered()
    if _read_by_sections(chosen, partial(_read_part, chosen, document, decide, macros)):
        findings = chosen.ordered()
    if judge_shapes(chosen, chosen.main.findings):
        findings = chosen.ordered()
    return chosen, findings


def _read_with(
    chosen: Study,
    document: Document,
    decide: Decide,
    macros: Mapping[str, Macro] | None,
    said: Sequence[Declaration],
    keys: frozenset[Key],
) -> Study:
    """Another study of a document, as if its author declared more; only the relations of these keys are decided."""
    declared = replace(document, declarations=(*document.declarations, *said))
    other = open_study(declared, decide, macros, chosen.text.apart, facts=chosen.text.said.facts, own=chosen.text.own)
    other.wanted, other.outcomes = keys, dict(chosen.outcomes)
    walk_twice(other)
    return other


def _read_apart(
    chosen: Study,
    document: Document,
    decide: Decide,
    macros: Mapping[str, Macro] | None,
    apart: Mapping[str, Form],
    keys: frozenset[Key],
) -> Study:
    """Another study of a document, with these names taken for two; only the relations of these keys are decided."""
    other = open_study(document, decide, macros, apart, facts=chosen.text.said.facts, own=chosen.text.own)
    other.wanted, other.outcomes = keys, dict(chosen.outcomes)
    walk_twice(other)
    return other


def open_study(
    document: Document,
    decide: Decide,
    macros: Mapping[str, Macro] | None = None,
    apart: Mapping[str, Form] | None = None,
    part: frozenset[int] | None = None,
    facts: tuple[Fact, ...] | None = None,
    own: OwnNames | None = None,
) -> Study:
    """A study of a document, or of a part of it, before its first walk; the arguments are those of `learn_text`."""
    text, table = learn_text(document, macros, apart, part, facts, own)
    return Study(text, table, decide, study_relation)


def _read_part(
    chosen: Study, document: Document, decide: Decide, macros: Mapping[str, Macro] | None, part: frozenset[int]
) -> Study:
    """A study of a part of a document, before its first walk."""
    text = chosen.text
    return open_study(document, decide, macros, text.apart, part, text.said.facts, text.own)


def _with_names_of_sections(
    study: Study, findings: list[Finding], document: Document, decide: Decide, macros: Mapping[str, Macro] | None
) -> tuple[Study, list[Finding]]:
    """Tell names apart that sections use for other things, where they declare them so or their readings by themselves show
    that, and where the whole document is understood better then."""
    shown = _own_names(study, partial(_read_part, study, document, decide, macros))
    declared = declared_anew(sections.grouped(study.items), shapes_by_place(study.text.said))
    for told in (used_otherwise, numbers_beside_functions, counted_otherwise):
        for span, ways in told(sections.grouped(study.items)).items():
            declared[span] = ways | declared.get(span, {})
    both = {span: shown.get(span, {}) | declared.get(span, {}) for span in shown.keys() | declared.keys()}
    for own in (both, shown) if shown and both != shown else (both,):
        if not own:
            continue
        other = open_study(document, decide, macros, study.text.apart, facts=study.text.said.facts, own=OwnNames(own))
        other.defined = study.defined
        found = walk_twice(other)
        if not _loses_proof(study, other) and _is_better(found, findings, is_told=own != shown):
            return other, found
    return study, findings


def _loses_proof(one: Study, other: Study) -> bool:
    """Whether another reading leaves open what the first proves; the definition of a name told apart is not left open, nor
    what is supposed of it: `\\sigma > 0` says nothing of the function of another section."""
    proved = {k for k, f in one.main.findings.items() if f.status == "proved"}
    apart = other.text.own.of_span
    kept = {
        k
        for k, f in other.main.findings.items()
        if f.status in ("proved", "defined") or (f.code == "hypothesis" and k[0] in apart)
    }
    return not proved <= kept


def _own_names(study: Study, make: Callable[[frozenset[int]], Study]) -> dict[int, dict[Letter, int]]:
    """The names that have other axes in a section, read by itself, than in the whole document, which is not understood there:
    for each formula of the section, with the number of the section."""
    found: dict[int, dict[Letter, int]] = {}
    conflicts = {k for k, f in study.main.findings.items() if f.status == "unread" and f.code in CONFLICTS}
    tried = 0
    for number, own in enumerate(sections.grouped(study.items), start=1):
        keys, part = sections.alone(study.items, own, conflicts)
        if not keys or tried >= sections.MAX_PARTS:
            continue
        tried += 1
        other = make(part)
        other.wanted = frozenset()
        walk_twice(other)
        if all(k not in other.main.findings or other.main.findings[k].status == "unread" for k in keys):
            continue
        spans = {i.span.index for i in own}
        outside = {letter_of(n) for n in letters_in(i for i in study.items if i.span.index not in spans)}
        unlike = {
            n for n in study.table.symbols.keys() & other.table.symbols.keys() if _have_other_axes(study, other, n)
        }
        letters = {letter_of(n) for n in letters_in(own) if study.names.stem(n) in unlike} & outside
        for span in spans if letters else ():
            found[span] = dict.fromkeys(letters, number)
    return found


def _have_other_axes(one: Study, other: Study, stem: str) -> bool:
    a, b = one.table.symbols[stem], other.table.symbols[stem]
    return len(a.dims) != len(b.dims) and a.parameters is None and b.parameters is None


def _read_by_sections(study: Study, make: Callable[[frozenset[int]], Study]) -> bool:
    """Take over what a reading of single sections understands and that of the whole document does not."""
    open_keys = {k for k, f in study.main.findings.items() if f.status == "unread"}
    changed = False
    tried = 0
    for part, keys in sections.parts(study.names, study.items, dict(study.main.findings), _in_examples(study)):
        if not keys & open_keys or tried >= sections.MAX_PARTS:
            continue
        tried += 1
        other = make(part)
        other.wanted = keys & open_keys
        other.introduced_before = dict(study.main.introduced)
        other.taken_heads = study.heads | {h for p in study.parts.values() for h in p.heads}
        walk_twice(other)
        for key in keys & open_keys:
            found = other.main.findings.get(key)
            if found is not None and found.status in ("undecided", "refuted"):
                open_keys.discard(key)  # it is read, and that is all
            if found is None or found.status not in ("proved", "defined"):
                continue
            if found.status == "proved" and any(s.hypotheses for s in found.statements):
                continue  # what is supposed in the section may be what was not understood
            if found.status == "proved" and not _defined_alike(study, other, key):
                continue  # it is proved of a name with other axes than the report says
            if found.status == "defined" and _forgets_shapes(study, other, key):
                continue
            found.assumptions = (*found.assumptions, Note("names-of-section", place=found.place))
            study.main.findings[key], study.parts[key] = found, other
            study.main.uses[key] = other.main.uses.get(key, set())
            open_keys.discard(key)
            changed = True
    return changed


def _forgets_shapes(study: Study, other: Study, key: Key) -> bool:
    """Whether a relation fits in a section alone because a shape that is stated before it is not known there."""
    items = (i for i in other.items if (i.span.index, i.number) == key[:2])
    stems = {w.stem for i in items for w in uses(other.names, i.reading.chain)}
    before = (i.reading.chain for i in study.items if i.span.index < key[0])
    stated = {
        w.stem
        for c in before
        if [r for r, _ in c.links] == ["in"] and c.first is not None
        for w in uses(study.names, c.first)
    }
    pairs = ((study.table.symbols.get(s), other.table.symbols.get(s)) for s in stems & stated)
    return any(a is not None and b is not None and a.exact and not (b.exact or b.defined) for a, b in pairs)


def _in_examples(study: Study) -> dict[int, str]:
    """The formulas that stand in examples and exercises, environments or sections, and in which."""
    found: dict[int, str] = {}
    for span in dict.fromkeys(i.span for i in study.items):
        block = study.document.block_of(span)
        titles = block.section[1:]
        named = [k for k, title in enumerate(titles, start=2) if EXAMPLE_TITLE.search(title)]
        own = next((name for name in block.scope if name.startswith("example ")), None)
        if own is not None or named:
            found[span.index] = own if own is not None else " / ".join(block.section[: named[0]])
    return found


def _defined_alike(study: Study, other: Study, key: Key) -> bool:
    """Whether the definitions that a finding rests on, and those beside it, have as many axes in both studies."""
    rests = {key, *(k for k in other.main.findings if k[:2] == key[:2])}
    todo = list(rests)
    while todo:
        new = other.main.uses.get(todo.pop(), set()) - rests
        rests |= new
        todo += new
    for k in rests:
        one, two = (s.main.findings.get(k) for s in (study, other))
        if one is None or two is None or one.definition is None or two.definition is None:
            continue
        if len(one.definition.indices) != len(two.definition.indices):
            return False
    return True


def _chosen(
    document: Document,
    decide: Decide,
    macros: Mapping[str, Macro] | None,
    defined: Callable[[Finding], object] | None,
) -> tuple[Study, list[Finding]]:
    """The study of the whole document, in the one or the other reading."""
    study = open_study(document, decide, macros)
    study.defined = defined
    findings = walk_twice(study)
    for apart in _ways_apart(study, findings):
        other = open_study(document, decide, macros, apart, facts=study.text.said.facts)
        found = walk_twice(other)
        if _is_better(found, findings, is_told=apart == study.names.told_apart):
            study, findings = other, found
    return study, findings


def _ways_apart(study: Study, findings: Sequence[Finding]) -> list[dict[str, Form]]:
    """Names to try as two: what the search for their axes tells, and what else is written in two ways."""
    told = dict(study.names.told_apart)
    more: dict[str, Form] = {}
    if any(f.status == "unread" for f in findings):
        more.update(study.names.in_terms_of_bare(i.reading.chain for i in study.items))
    if sum(f.status == "unread" and f.code in CONFLICTS for f in findings) >= MIN_CONFLICTS:
        more.update(study.names.two_ways(i.reading.chain for i in study.items))
    more.update(told)
    return [told, more] if told and more != told else [more] if more else []


def _is_better(found: list[Finding], findings: list[Finding], *, is_told: bool) -> bool:
    """Whether another reading understands more, or as much and proves more.  One that the search for the axes tells (its
    price is lower) needs to understand and to prove no less.

    What is understood counts as what is proved: a name that is misread may be defined where it should be claimed.
    """
    one, other = (Counter(f.status for f in own) for own in (found, findings))
    more = one["proved"] - other["proved"]
    fewer = other["unread"] - one["unread"]
    is_more = (fewer >= 0 and more >= (0 if is_told else 1)) or (fewer > 0 and fewer + more > 0)
    return _idle(found) <= _idle(findings) and is_more


def _idle(findings: list[Finding]) -> int:
    """Functions that do not depend on an argument: `f(\\mathbf z)_i = e^{z_i}` with the z of the right side another name."""
    made = (f.definition for f in findings if f.definition is not None)
    return sum(any(t.name not in d.body.heads for t in d.tensors) for d in made)


def walk_twice(study: Study) -> list[Finding]:
    """Walk over a document for its shapes, then for what it defines and claims; the findings in document order."""
    text = study.text
    declare_names(study.table, text.said, text.conventions, text.shapes, text.lefts)
    _search_kinds(study)
    study.stated = dict(study.table.declared)
    mark, outcomes = study.table.sizes.mark(), dict(study.outcomes)

    def shapes_under(forced: Forced) -> Walk:
        study.table.sizes.undo(mark)
        study.outcomes = dict(outcomes)
        return _run(study, Walk(build=False, forced=forced))

    first = joined_as_they_fit(shapes_under({}), shapes_under)
    given = {k: s for k, s in study.table.symbols.items() if not s.defined and s.parameters is None}
    study.second = {**first.given, **given}
    main = study.main = _run(study, Walk(build=True, forced=first.forced))
    study.refuted_in_main = study.refuted
    withhold_about_open_names(study, main)
    suppose_what_follows(study, main)
    for key, finding in main.findings.items():
        if finding.status in ("refuted", "proved"):
            _try_other_readings(study, key, finding, main)
    study.heads = frozenset(study.table.heads)
    return study.ordered()


def _search_kinds(study: Study) -> None:
    """Let the whole document decide how many axes the names have that nothing declares or defines."""
    table, text = study.table, study.text
    declared = {stem: (len(d.dims), d.slots) for stem, d in table.declared.items()}
    numbers = {stem for stem, places in text.lefts.items() if all(_is_number_at(*p) for p in places)}
    chains = (i.reading.chain for i in text.said.items)
    found = search_kinds(table.names, chains, declared, text.lefts.keys() - numbers, numbers)
    table.names.searched, table.names.told_apart = dict(found.ranks), dict(found.apart)
    table.names.defined_axes = dict(found.defined)


def _is_number_at(item: Item, link: int) -> bool:
    r"""Whether an equation gives its left side a number, `\gamma = 0.99`: such a name is given, and is no array."""
    links = item.reading.chain.links
    return link < len(links) and not isinstance(links[link][1], Matrix) and is_number(links[link][1])


def _run(study: Study, walk_state: Walk) -> Walk:
    table = study.table
    given = study.second if walk_state.build else {}
    table.settled = walk_state.build
    table.symbols, table.declared = dict(given), dict(study.stated)
    table.heads = {s.head for s in given.values()} | study.taken_heads
    table.theory = Theory()
    table.display, table.bases, table.styles, table.laws = {}, {}, {}, {}
    table.twins, table.powers, table.gradients, table.values, table.replaced = {}, {}, {}, {}, []
    table.ways = set()
    study.walk, study.refuted = walk_state, {}
    table.laws.update((stem, Law()) for stem in study.names.random)
    for stated in study.text.known.laws:
        try:
            take_law(study, stated, None)
        except NotUnderstood:
            continue  # said in words that are not read: nothing is known then
    examples = _in_examples(study)
    here, outside = None, dict(table.symbols)
    for item in study.items:
        example = examples.get(item.span.index)
        if example != here:
            if here is not None:
                _leave(study, outside)
            here, outside = example, dict(table.symbols)
        walk_state.at = (item.span.index, item.number)
        study_item(study, item)
    return walk_state


def _leave(study: Study, outside: Mapping[str, Symbol]) -> None:
    """What an example defines under a name from outside of it holds in the example alone."""
    for stem, symbol in outside.items():
        if study.table.symbols.get(stem) is not symbol:
            study.table.symbols[stem] = symbol


def other_readings(study: Study, finding: Finding) -> Iterator[list[Finding]]:
    """The findings under each other reading that the document leaves open for one finding of `walk_twice`."""
    key = next((k for k, f in study.main.findings.items() if f is finding), None)
    if key in study.parts:
        yield from other_readings(study.parts[key], finding)
    elif key is not None:
        for _, _, walk_state in _alternatives(study, key, study.main):
            yield [f for _, f in sorted(walk_state.findings.items())]


def signs_at(study: Study, span: int, finding: Finding) -> list[Statement]:
    """What the text says, where a formula stands, of the signs of given numbers that a finding speaks of."""
    part = next((p for k, p in study.parts.items() if k[0] == span), None)
    if part is not None and part is not study:  # it is read with the names of its section
        return signs_at(part, span, finding)
    item = next(iter(study.text.places.of_span.get(span, ())), None)
    if item is None:
        return []
    heads = {h for s in finding.statements for h in all_heads(s, finding.theory)}
    supposed = [(k, h) for k, h, limited in study.main.hypotheses if limited is None and still_holds(study, item, k, h)]
    given = [h for _, h in (*supposed, *statements_given(study, item, finding.statements, finding.theory))]
    numbers = [h for h in given if h.relation != "=" and not h.indices and heads & {*h.left.heads, *h.right.heads}]
    return list(dict.fromkeys(numbers))


def supposed_at(study: Study, finding: Finding, statement: Statement) -> Supposed:
    """What the text says, where an array is defined, of the given names that a statement about the array rests on."""
    part = next((p for k, p in study.parts.items() if k[0] == finding.span), study)
    item = next(iter(part.text.places.of_span.get(finding.span, ())), None)
    if item is None:
        return Supposed()
    heads = set(all_heads(statement, finding.theory))
    supposed = [
        h
        for k, h, limited in part.main.hypotheses
        if limited is None and heads.intersection(all_heads(h, finding.theory)) and still_holds(part, item, k, h)
    ]
    said = [h for _, h in statements_given(part, item, [statement], finding.theory)]
    hypotheses = tuple(dict.fromkeys([*supposed, *said]))
    told = {h for s in hypotheses for h in (*s.left.heads, *s.right.heads)}
    words = part.text.known.properties
    given = [s for s in part.table.symbols.values() if s.head in heads and not s.defined]
    unread = {
        s.stem: (s, own)
        for s in given
        if (own := [w for w in words.get(s.stem, ()) if not (s.head in told and is_supposed_by_facts(w))])
    }
    first = next(((stem, own[0]) for stem, (_, own) in unread.items()), None)
    ways = [list(examples_of(s, own, finding.theory)) for s, own in unread.values()]
    count = min(MAX_TRIES, max(map(len, ways), default=0)) if all(ways) else 0
    examples = [tuple(h for own in ways for h in own[min(k, len(own) - 1)]) for k in range(count)]
    return Supposed(hypotheses, first, tuple(examples))


def _alternatives(
    study: Study, key: Key, main: Walk, *, even: bool = False
) -> Iterator[tuple[str, frozenset[str], Walk]]:
    """The other readings of what a relation rests on: in words, the names of whose recurrences they change the start, where
    they change nothing else, and what is found under them."""
    choices = (
        c for k in _rests_on(main, key) for c in main.choices.get(k, ()) if not c.settled and (c.even or not even)
    )
    points = list({c.key: c for c in choices}.values())
    options = ((c.taken, *(o for o in c.options if o != c.taken)) for c in points)
    for taken in itertools.islice(itertools.product(*options), 1, MAX_READINGS):
        forced = {**main.forced, **{c.key: option for c, option in zip(points, taken, strict=True)}}
        said = "; ".join(f"{c.key[1]}: {option}" for c, option in zip(points, taken, strict=True))
        changed = [c for c, option in zip(points, taken, strict=True) if option != c.taken]
        of_starts = all(str(c.key[1]).startswith(THE_FIRST) for c in changed)
        starts = frozenset(str(c.key[1]).removeprefix(THE_FIRST) for c in changed) if of_starts else frozenset()
        mark = study.table.sizes.mark()
        yield said, starts, _run(study, Walk(build=True, forced=forced, only=key))
        study.table.sizes.undo(mark)


def _rests_on(main: Walk, key: Key) -> set[Key]:
    """A relation, and those that define the names in it, directly or through others."""
    keys, todo = {key}, [key]
    while todo:
        for k in main.uses.get(todo.pop(), ()):
            if k not in keys:
                keys.add(k)
                todo.append(k)
    return keys


def _try_other_readings(study: Study, key: Key, finding: Finding, main: Walk) -> None:
    """Refuted means: under every reading that the document leaves open; proved: under those that are as good.

    What a recurrence starts from is no question of reading: a claim that needs a start at zero is proved for that.
    """
    proved, rests = finding.status == "proved", _rests_on(main, key)
    for said, starts, walk_state in _alternatives(study, key, main, even=proved):
        other = walk_state.findings.get(key)
        if not proved and starts and other is not None and other.status == "proved":
            notes = [n for f in walk_state.findings.values() for n in f.assumptions if n.kind == "start-value"]
            notes = [n for n in notes if n.arguments[0] in starts]
            main.findings[key] = replace(other, assumptions=tuple(dict.fromkeys((*other.assumptions, *notes))))
            return
        if other is not None and other.status == "unread" and other.code == "shape-conflict":
            continue  # nobody can have meant what has no shape
        if (walk_state.misfits - main.misfits) & rests:
            continue  # nor what speaks of such things, or has one only where a product of lengths is another length
        if proved and any(walk_state.equated.get(k, 0) > main.equated.get(k, 0) for k in rests):
            continue  # it puts together lengths that the reading taken keeps apart
        if proved and (other is None or other.status != "proved"):
            reason = f"proved as read, but not under a reading that is as good ({said})"
            main.findings[key] = withheld(finding, "ambiguous", reason)
            return
        if not proved and (other is None or other.status != "refuted"):
            reason = f"false as read, but not under another reading that the document leaves open ({said})"
            main.findings[key] = replace(finding, status="undecided", code="ambiguous", reason=reason)
            return
