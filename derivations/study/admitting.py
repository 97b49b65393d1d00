"""Definitions as they are elaborated and admitted: shapes, conditions, cases that complete each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from derivations.documents.facts.declarations import sizes_of, space
from derivations.documents.facts.role_words import Part, parts_said
from derivations.documents.facts.sentence_patterns import ELSE, ZERO_ELSEWHERE
from derivations.documents.model.document import MARK
from derivations.documents.model.finding import Finding
from derivations.kernel.definition import admit
from derivations.kernel.errors import NotConservative
from derivations.language.statement import Definition, Theory
from derivations.language.substitution import fresh, rename_apart, substitute
from derivations.language.term import (
    Case,
    Constraint,
    Entry,
    Guard,
    Index,
    equal,
    guard,
    guard_substitute,
    halved,
    less,
)
from derivations.latex.elaborator.elaborate import Elaborator
from derivations.latex.elaborator.equations import LeftSide, Pending, define, definition, left_side, letters_first
from derivations.latex.lexicon.arrays import NotUnderstood
from derivations.latex.lexicon.symbol_table import Declared, Symbol
from derivations.latex.lexicon.written_names import Written
from derivations.latex.syntax.letters import letter, letter_node, letters_in
from derivations.latex.syntax.surface import (
    Chain,
    Enclosed,
    Fraction,
    Infix,
    Listed,
    Literal,
    Mark,
    Matrix,
    Node,
    Operator,
    Scripted,
    bare,
    walk,
)
from derivations.latex.syntax.surface_writer import write_surface
from derivations.notes import Note
from derivations.study.equation_walk import Item, Key, Refusal
from derivations.study.findings_of_relations import displays_of, finding_of
from derivations.study.names_and_conditions import (
    conditions_beside,
    conditions_of,
    dependences_of,
    elaborator_for,
    introduce,
    letters_compared,
    readings_of,
)
from derivations.study.state import Study
from derivations.study.unfolding import calls_of_itself_put_in, closed
from derivations.study.written_conditions import is_between

MAX_CASES = 200
"""Most equations that define the entries of one name; each is compared with all others."""


def _first_half(study: Study, e: Elaborator, item: Item, left: LeftSide) -> tuple[Symbol, Constraint] | None:
    """The shape of `p_k` where `p_{k + d/2}` is defined too: an axis of length d, of which this is the first half."""
    for other, link in study.text.lefts.get(left.stem, ()):
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


def is_domain(node: Chain, parameters: Sequence[str]) -> bool:
    """Whether a condition is a range of an argument, between two bounds or beyond one: `0 <= t <= T`, `t > 0`, `t != 0`."""
    if is_between(node):
        return letter(node.links[0][1]) in parameters
    if len(node.links) != 1 or node.links[0][0] not in ("<", ">", "<=", ">=", "!="):
        return False
    left, right = letter(node.first), node.links[0][1]
    return left in parameters and letters_in(right).isdisjoint(parameters)


def _grown(study: Study, left: LeftSide, right: Node) -> Node | None:
    r"""The block of a member before in `K_t = \begin{bmatrix} K_{t-1} \\ k_t^\top \end{bmatrix}`: members have other shapes."""
    own = {id(s.node) for s in left.slots}
    for n in walk(right) if own else ():
        if isinstance(n, Operator) and n.name == "Concat":
            blocks: Sequence[Node] = n.arguments
        else:
            blocks = n.parts if isinstance(n, Matrix) and len(n.parts) > 1 else ()
        for block in blocks:
            w = study.names.written(block) if isinstance(block, Scripted) else None
            if w is not None and w.stem == left.stem and w.slots and not w.transposed:
                return block
    return None


def _is_parted(study: Study, item: Item, left: LeftSide, arguments: Sequence[str]) -> bool:
    """Whether another equation gives a function of these arguments on another part of its domain."""
    own = [*_domains(study, item, arguments)]
    others = (o for o, _ in study.text.lefts.get(left.stem, ()) if o is not item and o.reading.chain.first is not None)
    return any(_are_apart(one, other) for o in others for other in _domains(study, o, arguments) for one in own)


def _are_apart(one: Chain, other: Chain) -> bool:
    """Whether two ranges have nothing in common: what bounds the one from above bounds the other from below."""
    (low, high), (other_low, other_high) = _bounds(one), _bounds(other)
    return _is_below(high, other_low) or _is_below(other_high, low)


def _bounds(chain: Chain) -> tuple[Node | None, Node | None]:
    """What bounds a range from below, and from above."""
    low: Node | None = None
    high: Node | None = None
    sides = [chain.first, *(n for _, n in chain.links)]
    for (before, after), (relation, _) in zip(pairwise(sides), chain.links, strict=True):
        is_letter = letter(before) is not None and (len(chain.links) == 1 or before is not chain.first)
        bound = after if is_letter else before
        if relation in (("<", "<=") if is_letter else (">", ">=")):
            high = bound
        elif relation in ("<", "<=", ">", ">="):
            low = bound
    return low, high


def _is_below(high: Node | None, low: Node | None) -> bool:
    if high is None or low is None:
        return False
    if isinstance(high, Literal) and isinstance(low, Literal):
        return float(high.text) <= float(low.text)
    return bare(high) == bare(low)


def _domains(study: Study, item: Item, arguments: Sequence[str]) -> Iterator[Chain]:
    """The ranges of arguments that stand beside an equation, or before it in its sentence: `for $x < 0$ let $f(x) = -x$`."""
    numbers = map(int, MARK.findall(item.context.before))
    said = (i.reading.chain for n in numbers for i in study.text.places.of_span.get(n, ()))
    own = (c for c in conditions_of(study, item) if isinstance(c, Chain))
    yield from (c for c in (*own, *said) if is_domain(c, arguments))


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
    arguments = [p.stem for p in left.parameters or ()]
    conditions, values, unclear = conditions_beside(study, item, e, arguments)
    for value in values:
        if is_domain(value, arguments) and not _is_parted(study, item, left, arguments):
            e.readings.append(Note("on-domain", (left.stem,)))
        else:
            unclear = unclear or write_surface(value)
    domain = next(_domains(study, item, arguments), None) if arguments else None
    if domain is not None and not unclear and _is_parted(study, item, left, arguments):
        unclear = write_surface(domain)
    if unclear:
        raise NotUnderstood("unknown-notation", f"the condition is not read: {unclear}", node.span)
    if (grown := _grown(study, left, right)) is not None:
        raise NotUnderstood(
            "unknown-notation", "an array with more rows or columns at each index is not read", grown.span
        )
    head = known.head if known is not None else ""
    if left.stem in state.introduced and known is None:
        table.declared.pop(left.stem, None)
        _declare_again(study, item, key, e, left)
    half = _first_half(study, e, item, left) if known is None and left.slots else None
    if half is not None:
        extra = (*extra, half[1])
    apart = _letters_apart(study, item, left)
    pending = define(e, left, right, [*conditions, *extra], head, known if half is None else half[0])
    symbol, earlier = pending.symbol, table.symbols.get(left.stem)
    if known is None and earlier is not None and not earlier.defined and len(earlier.dims) == len(symbol.dims):
        for own, given_before in zip(symbol.dims, earlier.dims, strict=True):
            e.sizes.soft(own, given_before)
    limited = conditions or apart or (extra and half is None)
    if limited and pending.body.rank == 0 and _zero_elsewhere(study, item):
        pending.complete_with_zero(_on_both_sides(e, apart))
        apart = ()
        e.readings.append(Note("zero-elsewhere", (left.stem,)))
    if known is None:
        symbol.head = table.new_head(left.stem) if earlier is None or earlier.head else left.stem
    dependences = dependences_of(study, e)
    given = _given_by_members(study, left, right, symbol) if known is None else None
    finding = None
    if state.build:
        finding = _admit_definition(study, item, key, e, pending, node, right, known, apart)
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
            if finding is not None and _is_supposed_of(study, item, earlier, symbol):
                table.supposed[earlier.head] = symbol
                table.theory = table.view()
            else:
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


def _is_supposed_of(study: Study, item: Item, earlier: Symbol, symbol: Symbol) -> bool:
    """Whether words suppose that a tensor used before is what an equation says: "Suppose $y = X w + e$", for the y above."""
    if Part.SUPPOSED not in parts_said(f"{item.context.before} {item.reading.lead}".rstrip(" :")):
        return False
    theory, index = study.table.view(), study.table.sizes.index
    same_shape = [index(d) for d in earlier.dims] == [index(d) for d in symbol.dims]
    plain = earlier.parameters is None and symbol.parameters is None
    return plain and same_shape and not theory.depends(Entry(symbol.head), frozenset((earlier.head,)))


def _declare_again(study: Study, item: Item, key: Key, e: Elaborator, left: LeftSide) -> None:
    r"""The shape that a chain states for the name which it defines anew: `X = [x_1, …, x_n] \in \mathbb{R}^{d \times n}`."""
    after = item.reading.chain.links[key[2] + 1 : key[2] + 2]
    exponent = next((space(right) for relation, right in after if relation == "in"), None)
    said = sizes_of(e, exponent) if exponent is not None and left.parameters is None and not left.slots else None
    if said is not None:
        dims = tuple(map(study.table.sizes.declared, said[0]))
        study.table.declared[left.stem] = Declared(dims, said[1], 0)


def _letters_apart(study: Study, item: Item, left: LeftSide) -> tuple[str, ...]:
    """Two letters of the left side that are said to be different: `A_{ij} = 0` for `i \\neq j`."""
    own = {letter(slot.node) for slot in left.slots if slot.node is not None}
    pairs = ((i, j) for i, j, sign in letters_compared(study, item) if sign == "!=" and {i, j} <= own)
    return next(pairs, ())


def _on_both_sides(e: Elaborator, apart: tuple[str, ...]) -> tuple[Guard, ...]:
    """What two different indices are: the one below the other, or the other below the one."""
    if not apart:
        return ((),)
    i, j = (e.written_index(letter_node((0, 0), c), e.free) for c in apart)
    return guard(less(i, j)), guard(less(j, i))


def _zero_elsewhere(study: Study, item: Item) -> bool:
    """Whether the words after a definition say that it is zero where its condition does not hold."""
    after = item.context.after
    other = ELSE.search(after)
    if other is not None:
        return any(
            s.index == int(other.group(1) or other.group(2)) and s.source.strip() == "0" for s in study.text.spans
        )
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
    study: Study,
    item: Item,
    key: Key,
    e: Elaborator,
    pending: Pending,
    node: Node,
    right: Node,
    known: Symbol | None,
    apart: tuple[str, ...],
) -> Finding:
    symbol = pending.symbol
    made = definition(e, pending)
    made = calls_of_itself_put_in(closed(made, study.table.view()), study.table.view())
    if known is not None:
        made = _with_letters_once(made)
    if len(study.table.theory.definitions.get(made.name, ())) >= MAX_CASES:
        message = f"needed at most {MAX_CASES} cases of one definition, found more"
        raise NotUnderstood("too-large", message, node.span)
    rows = [replace(made, condition=guard(*made.condition, *side)) for side in _on_both_sides(e, apart)]
    try:
        for row in rows:
            study.table.put(row, admit)
    except NotConservative as refusal:
        if known is not None:
            raise Refusal(str(refusal)) from refusal
        raise NotUnderstood("not-conservative", str(refusal), node.span) from refusal
    _as_cases(study, symbol.head)
    finding = finding_of(study, item, key, "definition", "defined", node, right)
    finding.name, finding.definition = symbol.head, rows[0]
    notes = (Note("letters-compared", (apart[0], "\u2260", apart[1]), place=item.span.place),) if apart else ()
    finding.assumptions = (*readings_of(study, item, e), *notes)
    return finding


def _with_letters_once(made: Definition) -> Definition:
    """`A_{ii} = d_i` of a name with two indices: the entries where these are equal."""
    places: list[Index] = []
    same: list[Constraint] = []
    for place in made.indices:
        if place.plain and place.free and place in places:
            other = Index.var(fresh("j", {*made.variables, *(v for i in places for v in i.free)}))
            same.append(equal(place, other))
            place = other
        places.append(place)
    return replace(made, indices=tuple(places), condition=guard(*made.condition, *same)) if same else made


def _as_cases(study: Study, head: str) -> None:
    """Two definitions whose conditions exclude and complete each other, as one by cases: sums over them are decided."""
    rows = study.table.theory.definitions.get(head, ())
    merged = _with_last(*rows) if len(rows) == 2 else None
    if merged is not None:
        _put_cases(study, merged)
        return
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
    _put_cases(study, merged)


def _put_cases(study: Study, merged: Definition) -> None:
    """Put one definition by cases in the place of the two that it is made of."""
    others = {k: v for k, v in study.table.theory.definitions.items() if k != merged.name}
    admit(Theory(study.table.theory.tensors, others), merged)
    study.table.theory = replace(study.table.theory, definitions={**others, merged.name: (merged,)})


def _with_last(one: Definition, two: Definition) -> Definition | None:
    """One definition by cases for `G_t` below a length and `G_T` at it; None for any other two."""
    if (one.tensors, one.sizes, one.shape) != (two.tensors, two.sizes, two.shape) or two.condition:
        return None
    if not all(i is Index.var(min(i.free, default="")) for i in one.indices) or len(one.indices) != 1:
        return None
    (place,), (last,) = one.indices, two.indices
    below = less(place, last)
    if last.free or not last.sizes or below not in one.condition:
        return None
    others = [c for c in one.condition if c != below]
    second = rename_apart(two.body, one.variables)
    return replace(one, body=Case([(guard(below), one.body)], second), condition=guard(*others, less(place, last + 1)))
