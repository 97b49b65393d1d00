"""Names that a recurrence defines: the step, and the state that it starts from."""

from __future__ import annotations

from dataclasses import replace

from derivations.documents.facts.sentence_patterns import every_state_from_zero, starts_from_zero
from derivations.documents.model.document import MARK
from derivations.kernel.definition import admit
from derivations.language.statement import Definition
from derivations.language.term import Entry, Index, NegInfinity, Term, at_least, number
from derivations.latex.elaborator.elaborate import Elaborator
from derivations.latex.elaborator.equations import LeftSide, left_side, letters_first
from derivations.latex.lexicon.arrays import NotUnderstood
from derivations.latex.lexicon.symbol_table import Symbol, fresh_letters
from derivations.latex.syntax.surface import Node
from derivations.notes import Note
from derivations.study.admitting import define_name
from derivations.study.equation_walk import Item, Key, Refusal
from derivations.study.mutual_recurrences import written_out
from derivations.study.names_and_conditions import elaborator_for, readings_of
from derivations.study.recurrences import Recurrence, is_maximum, is_start, step
from derivations.study.state import Study

THE_FIRST = "the first "
"""Begins the question what a recurrence starts from, where its start is not written anywhere."""


def by_recurrence(study: Study, item: Item, key: Key, left: LeftSide, node: Node, right: Node) -> bool:
    """Define a name by its recurrence, here or where it is stated later; then its start."""
    found = study.text.recurrences.get(left.stem)
    known = study.table.symbols.get(left.stem)
    if found is None or (known is not None and known.defined):
        return False
    if step(study.names, left, right) is not None:
        whole = written_out(study, right, left.stem, found.letter)
        is_defined = _define_step(study, item, key, left, node, whole, found)
        if is_defined and whole is not right:
            study.walk.written_out.add(study.table.symbols[left.stem].head)
        return is_defined
    for other, link in study.text.lefts.get(left.stem, ()):
        there, chain = (other.span.index, other.number, link), other.reading.chain
        first = left_side(elaborator_for(study, other), chain.first) if chain.first is not None else None
        if first is None or step(study.names, first, chain.links[link][1]) is None:
            continue
        if there in study.walk.busy or there in study.walk.findings:
            return False
        study.link(study, other, there, chain.first, chain.links[link][0], chain.links[link][1], True)
        known = study.table.symbols.get(left.stem)
        if known is None or not known.defined:
            return False
        try:
            define_name(study, item, key, elaborator_for(study, item), left, node, right, known)
        except Refusal as refusal:
            raise NotUnderstood("not-conservative", str(refusal), node.span) from refusal
        return True
    return False


def start_of_later(study: Study, item: Item, key: Key, left: LeftSide, node: Node, right: Node) -> bool:
    """Define the first state of a recurrence that stands right after it, where that makes a new version of its name.

    `S_0 = 0` before `S_t = \\lambda S_{t-1} + x_t` says nothing of an earlier `S_t = \\sum_{s \\le t} x_s`.
    """
    later = next((r for r in study.text.later.values() if key in r.starts), None)
    if later is None or later.key in study.walk.busy:
        return False
    if later.key not in study.walk.findings:
        other = next(i for i in later.section if (i.span.index, i.number) == later.key[:2])
        relation, after = other.reading.chain.links[later.key[2]]
        study.link(study, other, later.key, other.reading.chain.first, relation, after, True)
    known = study.table.symbols.get(left.stem)
    if known is None or not known.defined or study.walk.origins.get(known.head) != later.key:
        return False
    try:
        define_name(study, item, key, elaborator_for(study, item), left, node, right, known)
    except Refusal as refusal:
        raise NotUnderstood("not-conservative", str(refusal), node.span) from refusal
    return True


def again_by_recurrence(
    study: Study, item: Item, key: Key, left: LeftSide, node: Node, right: Node, known: Symbol, note: str
) -> bool:
    """Define a new version of a name by another recurrence, which starts where the section says, else as the version before.

    One in a sentence of the section that has the first is mentioned: "others use the variant $m_t = \\beta m_{t-1} + g_t$".
    """
    found, origin = step(study.names, left, right), study.walk.origins.get(known.head)
    same = origin is not None and study.document.block_of(study.document.spans[origin[0]]).section == item.section
    if found is None or (same and not item.span.display):
        return False
    first, later = study.text.recurrences.get(left.stem), study.text.later.get(key)
    if later is not None and (later.recurrence.start is not None or first is None):
        stated = bool(later.starts) or _starts_later(study, item, left)
        found = replace(later.recurrence, stated=later.recurrence.stated and stated)
    else:
        found = replace(found, start=first.start if first is not None else None, stated=False)
    whole = written_out(study, right, left.stem, found.letter)
    mark, declared = study.table.sizes.mark(), study.table.declared.get(left.stem)
    rows = study.table.theory.definitions.get(known.head, ())
    is_zero = any(d.body is number(0) and any(i.is_constant for i in d.indices) for d in rows)
    if not _define_step(study, item, key, left, node, whole, found, note, "zero" if is_zero else None):
        study.table.sizes.undo(mark)
        if declared is not None:
            study.table.declared[left.stem] = declared
        return False
    return True


def _starts_later(study: Study, item: Item, left: LeftSide) -> bool:
    """Whether an equation of the section, after this one, says what a recurrence starts from."""
    for other, link in study.text.lefts.get(left.stem, ()):
        chain = other.reading.chain
        later = (other.span.index, other.number) > (item.span.index, item.number) and other.section == item.section
        if later and not link and chain.first is not None:
            first = left_side(elaborator_for(study, other), chain.first)
            if first is not None and is_start(first):
                return True
    return False


def _define_step(
    study: Study,
    item: Item,
    key: Key,
    left: LeftSide,
    node: Node,
    right: Node,
    found: Recurrence,
    note: str | None = None,
    start_said: str | None = None,
) -> bool:
    """Admit `S_t = … S_{t-1} …` for the indices after the start; False when it is not read."""
    table, stem = study.table, left.stem
    declared, before = table.declared.get(stem), table.symbols.get(stem)
    count = len(left.slots)
    ranks = [len(declared.dims) - count] if declared is not None else [0, 1, 2]
    base = study.names.base(stem)
    start = base + found.shift - found.lag if found.start is None else found.start
    early = max(base - start, 0)
    place = left.slots[found.place].node
    if place is None:
        return False
    usual = table.names.defined_axes.get(stem, count) - count
    head = table.new_head(stem)
    for rank in sorted(ranks, key=lambda r: r != usual):
        mark = table.sizes.mark()
        e = elaborator_for(study, item)
        letters_first(e, left)
        if found.letter not in e.free:
            break  # the letter is the name of a size
        dims = [e.new_dim("state", stem, rank, k) for k in range(count + rank)]
        dims[found.place].around = (e.free[found.letter].dim, early, found.shift)
        symbol = Symbol(stem, head, tuple(dims), defined=True, base=base)
        table.symbols[stem] = symbol
        try:
            at = e.written_index(place, e.free) - (base - early)
            later = at_least(at, max(start - base, 0) + found.lag)
            define_name(study, item, key, e, left, node, right, symbol, note, extra=(later,))
        except (NotUnderstood, Refusal):
            table.sizes.undo(mark)
            continue
        if not found.stated:
            _define_start(study, item, key, e, left, right, found, max(start - base, 0), start_said)
        return True
    if before is None:
        table.symbols.pop(stem, None)
    else:
        table.symbols[stem] = before
    return False


def _lead(study: Study, item: Item) -> str:
    """The sentences before a display, or before the first of several displays one after the other."""
    document, span = study.document, item.span
    while span.index and span.display and document.spans[span.index - 1].display:
        before = document.spans[span.index - 1]
        apart = document.block_of(span).index - document.block_of(before).index
        if apart > 1 or any(c.isalpha() for c in MARK.sub("", document.sentences_before(span, 1))):
            break
        span = before
    return document.sentences_before(span, 2)


def _define_start(
    study: Study,
    item: Item,
    key: Key,
    e: Elaborator,
    left: LeftSide,
    right: Node,
    found: Recurrence,
    place: int,
    said: str | None = None,
) -> None:
    """The state that a recurrence starts from, where no equation states it: anything, or zero; `said` where that is known."""
    table, symbol = study.table, study.table.symbols[left.stem]
    question = f"{THE_FIRST}{left.stem}" if found.start is None else f"the {left.stem} that is written first"
    words = f"{_lead(study, item)} {item.context.after}"
    above = (words, *study.document.words_above(item.span))
    said = "zero" if starts_from_zero(words) or any(map(every_state_from_zero, above)) else said
    taken = e.choose(question, right, ("anything", "zero"), said)
    rest = tuple(d for k, d in enumerate(symbol.dims) if k != found.place)
    value: Term = number(0)
    variables = tuple(map(Index.var, fresh_letters(set(e.reserved) | e.sizes.taken, len(rest))))
    if taken == "anything":
        given = Symbol(f"{left.stem} at the start", table.new_head(f"{left.stem}_start"), rest, base=symbol.base)
        table.symbols[given.stem] = given
        value = Entry(given.head, variables)
    elif is_maximum(study.names, right, left.stem):
        value = NegInfinity()
    if taken == "zero" and said is None:
        e.readings.append(Note("start-value", (left.stem, str(value))))
    study.walk.choices[key] = e.taken
    if not study.walk.build:
        return
    patterns = (*variables[: found.place], Index.of(place), *variables[found.place :])
    shape = tuple(e.sizes.index(d) for d in symbol.dims)
    table.put(Definition(symbol.head, patterns, value, shape=shape), admit)
    finding = study.walk.findings[key]
    finding.theory, finding.assumptions = table.view(), readings_of(study, item, e)
