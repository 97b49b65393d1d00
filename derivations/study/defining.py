"""Definitions, further cases of them, and new versions."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

from derivations.documents.facts.sentence_patterns import (
    ANEW,
    CONDITION,
    ELSE,
    OTHERWISE,
    SCENARIO,
    TITLE,
    VERSIONS,
    ZERO_ELSEWHERE,
    qualifiers,
    words,
)
from derivations.documents.model.document import CLOSE, OPEN, are_beside
from derivations.documents.model.finding import Finding
from derivations.kernel.definition import admit, instance
from derivations.kernel.errors import NotConservative
from derivations.language.term import (
    Case,
    Constraint,
    Definition,
    Entry,
    Index,
    NegInfinity,
    Statement,
    Term,
    Theory,
    at_least,
    guard,
    guard_free,
    guard_substitute,
    halved,
    less,
    number,
    rename_apart,
    substitute,
)
from derivations.latex.elaborator.elaborate import Elaborator
from derivations.latex.elaborator.equations import LeftSide, Pending, define, definition, left_side, letters_first
from derivations.latex.lexicon.arrays import NotUnderstood
from derivations.latex.lexicon.name_roles import Written, uses
from derivations.latex.lexicon.symbol_table import CALLED, Symbol, fresh_letters
from derivations.latex.passes.short_forms import is_call
from derivations.latex.syntax.letters import letter
from derivations.latex.syntax.surface import (
    Adjacent,
    Enclosed,
    Fraction,
    Infix,
    Listed,
    Literal,
    Mark,
    Matrix,
    Node,
    Scripted,
    walk,
)
from derivations.notes import Note
from derivations.study.equation_walk import Item, Key, Refusal, code_name, is_number, remark
from derivations.study.findings_of_relations import displays_of, finding_of, skip
from derivations.study.judging import judge_claim
from derivations.study.names_and_conditions import (
    conditions_beside,
    conditions_said,
    dependences_of,
    elaborator_for,
    introduce,
    readings_of,
    suppose,
)
from derivations.study.primed_names import PRIME, primed
from derivations.study.recurrences import Recurrence, is_maximum, step
from derivations.study.state import Study
from derivations.study.unfolding import closed
from derivations.study.verdict import all_heads, withheld

MAX_CASES = 200
"""Most equations that define the entries of one name; each is compared with all others."""


def definition_or_claim(
    study: Study, item: Item, key: Key, e: Elaborator, left: LeftSide, node: Node, right: Node
) -> None:
    if by_recurrence(study, item, key, left, node, right):
        return
    known = study.table.symbols.get(left.stem)
    count = len(left.written.slots)
    itself = any(w.stem == left.stem and len(w.slots) == count for w in uses(study.names, right))
    if known is not None and known.defined and known.parameters is not None and left.parameters is None and itself:
        if _instance_of_function(study, item, key, e, left, node, right, known):
            return
    fresh_name = known is None or not known.defined
    bare = not left.slots and left.parameters is None and left.call is None
    fixed = left.parameters is None and all(isinstance(s.node, Literal) for s in left.slots)
    scenario = left.stem in study.walk.introduced and SCENARIO.search(item.context.before) is not None
    numeric = is_number(right) and (bare or (fixed and not item.span.display))
    if fresh_name and CONDITION.search(item.context.before):
        skip(study, item, key, node, right, "condition", "a condition of its sentence")
        return
    if fresh_name and left.parameters and is_number(right):
        skip(study, item, key, node, right, "special-case", "a value at one argument")
        return
    if fresh_name and not isinstance(right, Matrix) and (numeric or (scenario and bare and not item.span.display)):
        skip(study, item, key, node, right, "special-case", "a special value of a given quantity")
        if known is not None and known.parameters is None and not known.dims and not item.span.display:
            suppose(study, item, item.reading.chain, f"{OPEN}{item.span.index}{CLOSE}")
        return
    if bare and is_number(right) and study.document.in_table(item.span):  # a row for each value of T
        skip(study, item, key, node, right, "special-case", "a special value of a given quantity")
        return
    if known is not None and _is_special_entry(study, item, left, right, known):
        study.walk.special[left.stem] = item.section
        skip(study, item, key, node, right, "special-case", "a special value of a given quantity")
        return
    if known is None or not known.defined:
        if itself and left.parameters is None:
            skip(study, item, key, node, right, "update", f"{left.stem} is written in terms of itself")
            return
        if isinstance(right, Matrix) and bare and left.stem in {whole for whole, _ in study.table.blocks.values()}:
            skip(study, item, key, node, right, "declaration", f"it names the blocks of {left.stem}")
            return
        if not claims_of_primed(study, item, key, left, node, right):
            define_name(study, item, key, elaborator_for(study, item), left, node, right, None)
        return
    if same_arguments(left, known):
        further = further_case(study, item, key, e, left, node, right, known)
        if further:
            return
        e = elaborator_for(study, item)
    if is_more_general(study, e, left, known):
        note = f"{left.stem} was defined before for fewer indices; from here on this definition holds"
        define_name(study, item, key, e, left, node, right, None, note)
        return
    e = elaborator_for(study, item)
    outcome = study.outcomes.get(key)
    if outcome != "version":
        mark, given = study.table.sizes.mark(), len(study.walk.hypotheses)
        problem: NotUnderstood | None = None
        try:
            judge_claim(study, item, key, e, "claim", node, "=", right)
        except NotUnderstood as found:
            study.table.sizes.undo(mark)
            problem = found
        finding = study.walk.findings.get(key)
        if not study.walk.build or (finding is not None and finding.status == "proved") or outcome == "claim":
            keep_outcome(study, key, "claim")
            if problem is not None:
                raise problem
            return
        if finding is not None and finding.code in ("denied", "rounded-number", "declared"):
            return
        since = study.walk.introduced.get(left.stem, 0)
        reason = new_version(study, item, e, left, known, right, finding)
        a_step = finding is not None and finding.status == "refuted" and step(study.names, left, right) is not None
        said_of_one = finding is not None and is_entry_of(study, e, left, known)
        if itself and left.parameters is None and not (a_step and reason is None) and not said_of_one:
            del study.walk.hypotheses[given:]
            skip(study, item, key, node, right, "update", f"{left.stem} is written in terms of itself")
            return
        if reason is None:
            keep_outcome(study, key, "claim")
            if problem is not None:
                raise problem
            return
        note = f"a new version of {left.stem}: {reason}"
        study.table.sizes.undo(mark)
        del study.walk.hypotheses[given:]  # what the trial took as given speaks of the version before
        keep_outcome(study, key, "version")
    else:
        since = study.walk.clock
        note = f"a new version of {left.stem}"
    define_name(study, item, key, elaborator_for(study, item), left, node, right, None, note)
    made = study.table.symbols.get(left.stem)
    if made is not None and known.parameters is None and brings_only_given(study, left, right, since):
        study.walk.loose[made.head] = known.head


def claims_of_primed(study: Study, item: Item, key: Key, left: LeftSide, node: Node, right: Node) -> bool:
    r"""Read `\mu' = \mu + c` as a claim about the mean of x'; where it is not proved it may be a name of its own.

    An equation without the name itself, `\mu' = \frac1d \sum_i x'_i`, says what the primed name is.
    """
    if not study.walk.build or left.parameters is not None:
        return False
    plain = left.stem.replace(PRIME, "", 1)
    if plain == left.stem or all(w.stem != plain for w in uses(study.names, right)):
        return False
    found = primed(study.table, left.stem)
    if found is None:
        return False
    table, state = study.table, study.walk
    mark, theory, symbols = table.sizes.mark(), table.theory, dict(table.symbols)
    given = len(state.hypotheses)
    try:
        for d in found.definitions:
            table.put(d, admit)
        table.symbols[left.stem] = found.symbol
        judge_claim(study, item, key, elaborator_for(study, item), "claim", node, "=", right)
    except (NotUnderstood, NotConservative):
        state.findings.pop(key, None)
    tried = state.findings.get(key)
    if tried is not None and tried.status == "proved":
        note = Note("primed", (left.stem, ", ".join(found.rests_on)), place=item.span.place)
        tried.assumptions = (*tried.assumptions, note)
        state.clock += 1
        state.introduced[left.stem] = state.clock
        return True
    table.theory, table.symbols = theory, symbols
    table.sizes.undo(mark)
    del state.hypotheses[given:]
    define_name(study, item, key, elaborator_for(study, item), left, node, right, None)
    if tried is not None:
        about = f"what {plain} is for {', '.join(found.rests_on)}"
        reason = f"false or not decided of {about}; {left.stem} may be a name of its own"
        state.findings[key] = withheld(tried, "ambiguous", reason)
    return True


def _is_special_entry(study: Study, item: Item, left: LeftSide, right: Node, known: Symbol) -> bool:
    """`y_t = 1`, without a condition, for a y that is given and used before: one entry, not all of them."""
    if known.defined or not left.slots or left.parameters is not None or left.stem not in study.walk.introduced:
        return False
    said = any(True for _ in conditions_said(study, item)) or OTHERWISE.match(item.context.after) is not None
    letters = all(letter(s.node) is not None for s in left.slots)
    return letters and is_number(right) and not item.reading.conditions and not said


def brings_only_given(study: Study, left: LeftSide, right: Node, since: int) -> bool:
    """Whether what a right side has that is new since then is not defined anywhere."""
    new = {
        w.stem
        for w in uses(study.names, right)
        if w.stem != left.stem and study.walk.introduced.get(w.stem, 0) > since and not study.table.is_size(w)
    }
    symbols = map(study.table.symbols.get, new)
    return bool(new) and all(s is not None and not s.defined for s in symbols)


def _instance_of_function(
    study: Study, item: Item, key: Key, e: Elaborator, left: LeftSide, node: Node, right: Node, known: Symbol
) -> bool:
    """`p_i = p_i(1)`: a quantity named like the function that it is a value of."""
    if left.call is not None or not is_call(right) or not isinstance(right, Adjacent):
        return False
    head = study.names.written(right.items[0])
    if head is None or head.stem != left.stem or known.stem != left.stem:
        return False
    study.table.symbols[left.stem + CALLED] = replace(known, stem=left.stem + CALLED)
    del study.table.symbols[left.stem]
    try:
        define_name(study, item, key, e, left, node, right, None)
    except NotUnderstood:
        study.table.symbols[left.stem] = known
        raise
    return True


def by_recurrence(study: Study, item: Item, key: Key, left: LeftSide, node: Node, right: Node) -> bool:
    """Define a name by its recurrence, here or where it is stated later; then its start."""
    found = study.recurrences.get(left.stem)
    known = study.table.symbols.get(left.stem)
    if found is None or (known is not None and known.defined):
        return False
    if step(study.names, left, right) is not None:
        return _define_step(study, item, key, left, node, right, found)
    for other, link in study.lefts.get(left.stem, ()):
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


def _define_step(
    study: Study, item: Item, key: Key, left: LeftSide, node: Node, right: Node, found: Recurrence
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
    head = table.new_head(stem)
    for rank in ranks:
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
            define_name(study, item, key, e, left, node, right, symbol, extra=(later,))
        except (NotUnderstood, Refusal):
            table.sizes.undo(mark)
            continue
        if not found.stated:
            _define_start(study, item, key, e, left, right, found, max(start - base, 0))
        return True
    if before is None:
        table.symbols.pop(stem, None)
    else:
        table.symbols[stem] = before
    return False


def _define_start(
    study: Study, item: Item, key: Key, e: Elaborator, left: LeftSide, right: Node, found: Recurrence, place: int
) -> None:
    """The state that a recurrence starts from, where no equation states it: zero, or anything."""
    table, symbol = study.table, study.table.symbols[left.stem]
    options = ("zero", "anything") if found.start is None else ("anything", "zero")
    taken = e.choose(f"the first {left.stem}", right, options)
    rest = tuple(d for k, d in enumerate(symbol.dims) if k != found.place)
    value: Term = number(0)
    variables = tuple(map(Index.var, fresh_letters(set(e.reserved) | e.sizes.taken, len(rest))))
    if taken == "anything":
        given = Symbol(f"{left.stem} at the start", table.new_head(f"{left.stem}_start"), rest, base=symbol.base)
        table.symbols[given.stem] = given
        value = Entry(given.head, variables)
    elif is_maximum(study.names, right, left.stem):
        value = NegInfinity()
    if taken == "zero":
        e.readings.append(Note("start-value", (left.stem, str(value))))
    study.walk.choices[key] = e.taken
    if not study.walk.build:
        return
    patterns = (*variables[: found.place], Index.of(place), *variables[found.place :])
    shape = tuple(e.sizes.index(d) for d in symbol.dims)
    table.put(Definition(symbol.head, patterns, value, shape=shape), admit)
    finding = study.walk.findings[key]
    finding.theory, finding.assumptions = table.view(), readings_of(study, item, e)


def keep_outcome(study: Study, key: Key, outcome: str) -> None:
    if study.walk.build and study.walk.only is None:
        study.outcomes[key] = outcome


def same_arguments(left: LeftSide, known: Symbol) -> bool:
    """Whether a left side is written with the arguments that the name is defined for: none, or the same letters."""
    if known.call != left.call:
        return False
    own = None if known.parameters is None else [p.head for p in known.parameters]
    return own == (None if left.parameters is None else [p.stem for p in left.parameters])


def _first_half(study: Study, e: Elaborator, item: Item, left: LeftSide) -> tuple[Symbol, Constraint] | None:
    """The shape of `p_k` where `p_{k + d/2}` is defined too: an axis of length d, of which this is the first half."""
    for other, link in study.lefts.get(left.stem, ()):
        first = other.reading.chain.first
        if other is item or link or first is None or not any(isinstance(n, Infix | Fraction) for n in walk(first)):
            continue  # no half in its indices
        second = left_side(elaborator_for(study, other), first)
        if second is None or len(second.slots) != len(left.slots):
            continue
        for place, (one, two) in enumerate(zip(left.slots, second.slots, strict=True)):
            if one.node is None or two.node is None or letter(one.node) is None:
                continue
            trial = elaborator_for(study, item)
            letters_first(trial, left)
            try:
                half = trial.written_index(two.node, trial.free) - trial.written_index(one.node, trial.free)
            except NotUnderstood:
                continue
            whole = halved(half)
            if whole is None:
                continue
            letters_first(e, left)
            dims = [e.new_dim("halves", left.stem, k) for k in range(len(left.slots))]
            dims[place] = study.table.sizes.declared(whole)
            base = study.names.base(left.stem)
            within_half = less(e.written_index(one.node, e.free) - base, half)
            return Symbol(left.stem, "", tuple(dims), base=base), within_half
    return None


def further_case(
    study: Study, item: Item, key: Key, e: Elaborator, left: LeftSide, node: Node, right: Node, known: Symbol
) -> bool:
    """Another entry pattern of a symbol that is defined entry by entry: 2j and 2j + 1."""
    if len(left.slots) != known.slots or not left.slots:
        return False
    if OTHERWISE.match(item.context.after):
        return _rest_of_cases(study, item, key, e, left, node, right, known)
    letters_first(e, left)
    mark = study.table.sizes.mark()
    try:
        patterns = [None if s.node is None else e.written_index(s.node, e.free) for s in left.slots]
    except NotUnderstood:
        return False
    if not study.walk.build:
        study.table.sizes.undo(mark)
        if any(w.stem == left.stem for w in uses(study.names, right)):
            return False  # c_t = c_{t-1} + x_t is said of what is known
        places = [p - known.base for p in patterns if p is not None]
        return (
            len(places) == len(patterns)
            and any(p.is_constant or p.const or (p.free and p.sizes) for p in places)
            and (study.walk.introduced.get(left.stem, 0) == study.walk.clock)
        )
    for extra in ((), _beyond(study, e, left, known)):
        try:
            define_name(study, item, key, e, left, node, right, known, extra=extra)
        except (NotUnderstood, Refusal) as problem:
            if isinstance(problem, NotUnderstood) and problem.code == "too-large":
                raise
            study.table.sizes.undo(mark)
            e = elaborator_for(study, item)
            continue
        return True
    return False


def _rest_of_cases(
    study: Study, item: Item, key: Key, e: Elaborator, left: LeftSide, node: Node, right: Node, known: Symbol
) -> bool:
    """What the author says of all places that the cases before leave; skipped when these are not one condition."""
    if not study.walk.build:
        return True
    letters_first(e, left)
    earlier = study.table.theory.definitions.get(known.head, ())
    try:
        at = [None if s.node is None else e.written_index(s.node, e.free) - known.base for s in left.slots]
    except NotUnderstood:
        at = [None]
    if len(earlier) == 1 and len(earlier[0].condition) == 1 and all(i is not None for i in at):
        places = earlier[0].indices[: len(at)]
        mapping = {
            next(iter(p.free)): i for p, i in zip(places, at, strict=True) if i is not None and p.plain and p.free
        }
        rest = [*guard_substitute(guard(*earlier[0].condition[0].negations()), mapping)]
        if len(rest) == 1 and guard_free(tuple(rest)) <= {v.name for v in e.free.values()}:
            try:
                define_name(study, item, key, e, left, node, right, known, extra=tuple(rest))
                return True
            except (NotUnderstood, Refusal):
                pass
    skip(study, item, key, node, right, "special-case", "the values at all places that are left")
    return True


def _beyond(study: Study, e: Elaborator, left: LeftSide, known: Symbol) -> tuple[Constraint, ...]:
    """`\\omega_{2T}` after `\\omega_{21}` and `\\omega_{22}`: T lies beyond the numbers before it."""
    found: list[Constraint] = []
    for k, slot in enumerate(left.slots):
        if slot.node is None:
            continue
        at = e.written_index(slot.node, e.free) - known.base
        earlier = [d.indices[k] for d in study.table.theory.definitions.get(known.head, ()) if k < len(d.indices)]
        if at.sizes and not at.free and earlier and all(i.is_constant for i in earlier):
            found.append(less(Index.of(max(i.const for i in earlier)), at))
    return tuple(found)


def is_entry_of(study: Study, e: Elaborator, left: LeftSide, known: Symbol) -> bool:
    """`\\ell_N = …` where `\\ell_j` is defined for every j: one entry of a family is not defined anew."""
    if not left.slots or left.parameters is not None or len(left.slots) != known.slots:
        return False
    try:
        at = [None if s.node is None else e.written_index(s.node, e.free) for s in left.slots]
    except NotUnderstood:
        return False
    sizes = [k for k, i in enumerate(at) if i is not None and not i.free and i.sizes]
    definitions = study.table.theory.definitions.get(known.head, ())
    return bool(sizes) and bool(definitions) and all(d.indices[k].free for d in definitions for k in sizes)


def is_more_general(study: Study, e: Elaborator, left: LeftSide, known: Symbol) -> bool:
    """Whether the left side covers entries that no earlier definition of the name covers."""
    if known.parameters is not None or left.parameters is not None or known.call != left.call:
        return (known.parameters is None) != (left.parameters is None) or known.call != left.call
    if len(left.slots) != known.slots and left.slots and known.slots:
        return len(known.dims) < len(left.slots)
    if not study.walk.build:
        return False
    definitions = study.table.theory.definitions.get(known.head, ())
    letters_first(e, left)
    try:
        at = [None if s.node is None else e.written_index(s.node, e.free) - known.base for s in left.slots]
    except NotUnderstood:
        return False
    for d in definitions:
        filled = [p if a is None else a for a, p in itertools.zip_longest(at, d.indices)]
        if len(filled) == len(d.indices) and instance(d, Entry(known.head, filled), ()) is not None:
            return False
    return True


def define_name(
    study: Study,
    item: Item,
    key: Key,
    e: Elaborator,
    left: LeftSide,
    node: Node,
    right: Node,
    known: Symbol | None,
    note: str | None = None,
    extra: tuple[Constraint, ...] = (),
) -> None:
    """Elaborate and admit a definition; raises `NotUnderstood`, or `Refusal` for a further case that overlaps."""
    table, state = study.table, study.walk
    letters_first(e, left)
    conditions, values, unclear = conditions_beside(study, item, e)
    if values:
        text = item.span.source[values[0].span[0] : values[0].span[1]]
        unclear = unclear or text
    if unclear:
        raise NotUnderstood("unknown-notation", f"the condition is not read: {unclear}", node.span)
    head = known.head if known is not None else ""
    if left.stem in state.introduced and known is None:
        table.declared.pop(left.stem, None)
    half = _first_half(study, e, item, left) if known is None and left.slots else None
    if half is not None:
        extra = (*extra, half[1])
    pending = define(e, left, right, [*conditions, *extra], head, known if half is None else half[0])
    symbol = pending.symbol
    if (conditions or (extra and half is None)) and pending.body.rank == 0 and _zero_elsewhere(study, item):
        pending.complete_with_zero()
        e.readings.append(Note("zero-elsewhere", (left.stem,)))
    earlier = table.symbols.get(left.stem)
    if known is None:
        symbol.head = table.new_head(left.stem) if earlier is None or earlier.head else left.stem
    dependences = dependences_of(study, e)
    given = _given_by_members(study, left, right, symbol) if known is None else None
    finding = None
    if state.build:
        finding = _admit_definition(study, item, key, e, pending, node, right, known)
    introduce(study, e)
    symbol.defined = True
    table.symbols[left.stem] = symbol
    state.clock += 1
    state.introduced[left.stem] = state.clock
    state.origins[symbol.head] = key
    state.stems[symbol.head] = left.stem
    if given is not None:
        table.symbols[left.stem] = given
    elif earlier is not None and known is None and left.stem in state.introduced:
        state.versions.setdefault(left.stem, []).append(earlier)
        if not earlier.defined:
            state.given.setdefault(left.stem, earlier)
            table.replaced.append(earlier)
            state.loose[symbol.head] = earlier.head
    state.uses[key] = dependences
    if e.sizes_as_numbers:
        state.scaled.add(symbol.head)
    state.choices[key] = e.taken
    if finding is not None:
        if note:
            finding.notes = (*finding.notes, note)
        finding.theory = table.view()
        finding.display = displays_of(study)
        finding.bases, finding.styles = dict(table.bases), dict(table.styles)
        state.findings[key] = finding
        if study.defined is not None and state.only is None:
            study.defined(finding)


def _zero_elsewhere(study: Study, item: Item) -> bool:
    """Whether the words after a definition say that it is zero where its condition does not hold."""
    after = item.context.after
    other = ELSE.search(after)
    if other is not None:
        return any(s.index == int(other.group(1)) and s.source.strip() == "0" for s in study.spans)
    return ZERO_ELSEWHERE.search(after) is not None


def _given_by_members(study: Study, left: LeftSide, right: Node, symbol: Symbol) -> Symbol | None:
    """The given name whose own entries a definition lists: `y = (y_1, …, y_C)^\\top` tells no more than its length."""
    given = study.table.symbols.get(left.stem)
    listed = right.base if isinstance(right, Scripted) else right
    content = listed.content if isinstance(listed, Enclosed) else None
    if given is None or given.defined or left.slots or left.parameters is not None:
        return None
    if not isinstance(content, Listed) or len(given.dims) != len(symbol.dims):
        return None
    members = [study.names.written(n) for n in content.items if not isinstance(n, Mark)]
    if any(isinstance(n, Mark) for n in content.items) or not _numbered(left.stem, members):
        if not members or any(m is None or m.stem != left.stem or len(m.slots) != 1 for m in members):
            return None
    elif len(given.dims) == 1:
        _name_entries(study, given, [m.stem for m in members if m is not None])
    for own, stated in zip(given.dims, symbol.dims, strict=True):
        study.table.sizes.unify(own, stated, left.written.span)
    given.exact = True  # the list tells how many axes it has
    return given


def _numbered(stem: str, members: Sequence[Written | None]) -> bool:
    """Whether names are `q_0, q_1, …` or `q_1, q_2, …` for the entries of q."""
    plain = [m.stem for m in members if m is not None and not m.slots and m.power is None and not m.transposed]
    numbered = [[f"{stem}_{k + base}" for k in range(len(members))] for base in (0, 1)]
    return len(plain) == len(members) > 1 and plain in numbered


def _name_entries(study: Study, given: Symbol, stems: Sequence[str]) -> None:
    """`q = (q_0, q_1)^\\top` for a q that is given and was used: q_0 and q_1 are its entries."""
    for k, stem in enumerate(stems):
        symbol = Symbol(stem, study.table.new_head(stem), (), defined=True, base=given.base)
        if study.walk.build:
            study.table.put(Definition(symbol.head, (), Entry(given.head, (Index.of(k),)), shape=()), admit)
        study.table.symbols[stem] = symbol


def _admit_definition(
    study: Study, item: Item, key: Key, e: Elaborator, pending: Pending, node: Node, right: Node, known: Symbol | None
) -> Finding:
    symbol = pending.symbol
    made = definition(e, pending)
    made = closed(made, study.table.view())
    if len(study.table.theory.definitions.get(made.name, ())) >= MAX_CASES:
        message = f"needed at most {MAX_CASES} cases of one definition, found more"
        raise NotUnderstood("too-large", message, node.span)
    try:
        study.table.put(made, admit)
    except NotConservative as refusal:
        if known is not None:
            raise Refusal(str(refusal)) from refusal
        raise NotUnderstood("not-conservative", str(refusal), node.span) from refusal
    _as_cases(study, symbol.head)
    finding = finding_of(study, item, key, "definition", "defined", node, right)
    finding.name, finding.definition = symbol.head, made
    finding.assumptions = readings_of(study, item, e)
    return finding


def _as_cases(study: Study, head: str) -> None:
    """Two definitions whose conditions exclude and complete each other, as one by cases: sums over them are decided."""
    rows = study.table.theory.definitions.get(head, ())
    if len(rows) != 2 or not all(i.plain for d in rows for i in d.indices):
        return
    one, two = rows
    if (one.tensors, one.sizes) != (two.tensors, two.sizes):
        return
    places = [next(iter(i.free)) if i is Index.var(min(i.free, default="")) else None for i in two.indices]
    if None in places or any(i is not Index.var(min(i.free, default="")) for i in one.indices):
        return
    mapping = dict(zip((p or "" for p in places), one.indices, strict=True))
    beside = guard_substitute(two.condition, mapping)
    on = [c for c in one.condition if len(c.negations()) == 1 and c.negations()[0] in beside]
    if len(on) != 1:
        return
    shared = [c for c in (*one.condition, *beside) if c not in (on[0], *on[0].negations())]
    if any(c.free for c in shared):
        return
    second = substitute(rename_apart(two.body, {*two.variables, *one.variables}), mapping)
    merged = replace(one, body=Case([(guard(on[0]), one.body)], second), condition=guard(*shared))
    others = {k: v for k, v in study.table.theory.definitions.items() if k != head}
    admit(Theory(study.table.theory.tensors, others), merged)
    study.table.theory = replace(study.table.theory, definitions={**others, head: (merged,)})


def _is_defined_name(study: Study, right: Node) -> bool:
    """Whether a right side is nothing but another name that an equation defines: `H_q = H_k` claims that they are equal."""
    w = study.names.written(right)
    symbol = study.table.symbols.get(w.stem) if w is not None and not w.transposed else None
    return symbol is not None and symbol.defined and symbol.parameters is None


def _brings_in_more(study: Study, w: Written, read: Finding | None) -> bool:
    """Whether a name depends on something given that the left side of an equation does not depend on."""
    symbol = study.table.find(w)
    if read is None or not read.statements or symbol is None or not symbol.defined:
        return True
    sides = zip(*((s.left, s.right) for s in read.statements), strict=True)
    left_given, right_given = (
        {h for t in terms for h in all_heads(Statement(t, "=", t), read.theory)} - read.theory.definitions.keys()
        for terms in sides
    )
    return not right_given <= left_given


def new_version(
    study: Study, item: Item, e: Elaborator, left: LeftSide, known: Symbol, right: Node, read: Finding | None
) -> str | None:
    """Why an unproved repetition of a left side defines something new; None when it is a claim.

    `read` is what it says as a claim.  New names on the right make another thing only where they bring in something
    that the name did not depend on: `m = \\max_i z_i` in a softmax of z does not.
    """
    if is_entry_of(study, e, left, known) or _is_defined_name(study, right):
        return None
    since = study.walk.introduced.get(left.stem, 0)
    own = {p.stem for p in left.parameters or ()}
    for w in uses(study.names, right):
        if w.stem == left.stem or w.stem in own:
            continue
        if study.table.is_size(w) and (w.stem not in e.sizes_as_numbers or known.head in study.walk.scaled):
            continue  # another scale is a claim, the first one makes a new version
        if study.walk.introduced.get(w.stem, 0) > since and _brings_in_more(study, w, read):
            return f"its right side uses {w.stem}, introduced since"
    origin = study.walk.origins.get(known.head)
    old = next((i for i in study.items if origin and (i.span.index, i.number) == origin[:2]), None)
    if old is None:
        return None
    chapters = study.document.chapters
    here, there = item.span.text.path, old.span.text.path
    if here != there and here in chapters and there in chapters:
        return "another chapter defines it"
    code, old_code = code_name(item), code_name(old)
    if code is not None and old_code is not None and code != old_code:
        return f"the text calls it {code}, not {old_code}"
    titles = [{w for t in i.section for w in words(t)} & VERSIONS for i in (item, old)]
    said, old_said = qualifiers(item.context.before), qualifiers(old.context.before)
    named = sorted((said - old_said) | (titles[0] - titles[1]))
    if named:
        return f"the text speaks of another object ({named[0]})"
    names = [m.group(1).strip() for c in (item.context, old.context) if (m := TITLE.search(c.before)) is not None]
    names = names if len(set(names)) == 2 else [r for i in (item, old) if (r := remark(i)) is not None]
    if len(set(names)) == 2:
        return f"the text calls it {names[0]}, not {names[1]}"
    if ANEW.search(item.context.before):
        return "the text starts anew"
    if item.section[: len(old.section)] != old.section:
        return "another section defines it"  # a name lives where it is introduced and below
    if are_beside(study.document.block_of(old.span).scope, study.document.block_of(item.span).scope):
        return "an item or an example beside it defines it"
    return None
