"""How the formulas of a document are read: passes over surface trees, before any name has a meaning."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from itertools import pairwise

from derivations.documents.facts.fact import Fact, FactKind, Scope, Strength
from derivations.documents.facts.kinds import convention
from derivations.documents.facts.repetition_words import starts_anew
from derivations.documents.facts.sentence_patterns import AND_SO_ON, ENTROPY, MOMENTS, RANDOM_PATHS
from derivations.documents.model.document import Document, MathSpan
from derivations.documents.model.finding import Finding
from derivations.latex.lexicon.name_roles import Names
from derivations.latex.passes.applied_operators import with_applied_operators
from derivations.latex.passes.arrows_below import with_arrows_below
from derivations.latex.passes.binomials import with_binomials
from derivations.latex.passes.conditions_below import with_conditions_below
from derivations.latex.passes.differential_relations import with_derivatives
from derivations.latex.passes.differentials import with_differentials, written_differentials
from derivations.latex.passes.discrete_means import laws_drawn_from, with_discrete_means
from derivations.latex.passes.entries import customary_entries, entry_names, small_letter, with_entries
from derivations.latex.passes.functions_of_members import with_families
from derivations.latex.passes.geometric_series import with_geometric_series
from derivations.latex.passes.gradients_as_names import with_gradients_as_names
from derivations.latex.passes.gradients_by_accent import with_gradients
from derivations.latex.passes.index_functions import with_index_functions
from derivations.latex.passes.known_divergences import with_known_divergences
from derivations.latex.passes.labels_in_subscripts import with_labels
from derivations.latex.passes.layers_above import with_layers
from derivations.latex.passes.named_functions import Letter, head, names_function, with_function
from derivations.latex.passes.names_of_words import with_names_of_words
from derivations.latex.passes.operators_as_names import with_operators_as_names
from derivations.latex.passes.pairs import with_all_indices, with_pairs
from derivations.latex.passes.primes import defined_functions, with_primes
from derivations.latex.passes.primes_as_transposes import with_letter_of_transposes, with_transposes
from derivations.latex.passes.rows_by_stars import with_rows_by_stars
from derivations.latex.passes.sets_of_members import with_sets
from derivations.latex.passes.short_forms import in_brackets, mapped, written_out
from derivations.latex.passes.spelled_words import spelled, words_with_lists
from derivations.latex.passes.steps_by_delta import with_steps, with_variations
from derivations.latex.passes.summation_convention import Slots, free_letters, summed, unbound_letters
from derivations.latex.passes.sums_that_go_on import with_longer_sums
from derivations.latex.passes.sums_with_dots import with_sums_of_dots
from derivations.latex.passes.transposed_left_sides import with_transposed_left_sides
from derivations.latex.passes.values_by_argument import with_values_by_argument
from derivations.latex.syntax.lexer import Macro
from derivations.latex.syntax.parser import percent
from derivations.latex.syntax.reader import MAX_RELATIONS, ReadError, read_equation
from derivations.latex.syntax.surface import (
    Adjacent,
    Chain,
    Fraction,
    Listed,
    Literal,
    Name,
    Node,
    Operator,
    Reading,
    Scripted,
    bare,
    content_of,
    walk,
)
from derivations.latex.syntax.surface_writer import write_surface
from derivations.study.equation_walk import Item, Key, continued, sentence_context
from derivations.study.named_sides import with_named_sides

MIN_NEEDED = 3
"""Definitions in which an index stands twice, and not on the left, that show the summation convention unsaid."""
FURTHER = 1_000
"""What is added to the number of an equation that stands for others like it."""
OF_VARIABLES = 10_000
"""What is added to the number of an equation for each further variable of a total differential."""
_PERCENT = re.compile(r"\s?(?:\\?%|(?:percent|per cent)\b)")
"""A percent sign right after a formula."""
_REASON = re.compile(r"\b(?:since|because|due to|using|recall)\b", re.IGNORECASE)
"""Words that begin a reason beside a row of a derivation."""
_ROOM_LEFT = re.compile(r"\s*+(?:\\begin\{[a-z]++\*?\}\s*+)?&?\s*+\\h?phantom\b")
"""Room for a left side that is written above: what it stands for goes on, whatever words are between."""
_LAST_FORMULA = re.compile(r"⟦(\d+)⟧[\s:,]*+$")
"""A formula that words end with: if it stands in the text, it may be the left side."""
MAX_STATEMENTS = 30_000
"""Most formulas and relations of one document that are read."""
KNOWN_FUNCTIONS = ("softmax", "sigmoid", "relu")
"""Functions that texts give letters to in words."""
KNOWN_BY_NAME = {
    "silu": frozenset({"silu", "SiLU", "swish", "Swish"}),
    "softplus": frozenset({"softplus", "Softplus", "SoftPlus"}),
}
"""Functions that a document may use without a definition, and what they are called; its own definition comes first."""


@dataclass(frozen=True)
class Passed:
    """Formulas after all passes; `joined` tells whether `dX` is one name, `entry_names` are small letters for entries.

    `by_custom` has the formulas in which these are entries though nothing says it, each with these letters and the matrices.
    """

    items: list[Item]
    joined: bool
    entry_names: dict[tuple[str, str], Name]
    by_custom: dict[tuple[int, int], tuple[tuple[str, str], ...]]
    implied: tuple[Fact, ...] = ()
    """What the formulas imply: that a name is a distribution which a mean draws from."""


# --- from the text --------------------------------------------------------------------------------------------------


def read_formulas(
    document: Document, spans: Sequence[MathSpan], macros: Mapping[str, Macro] | None
) -> tuple[list[Item], dict[Key, Finding]]:
    """The formulas among `spans` as the syntax alone tells them, and a finding for each that is not read."""
    items: list[Item] = []
    unread: dict[Key, Finding] = {}

    def refuse(span: MathSpan, error: ReadError) -> None:
        unread[(span.index, 0, 0)] = _not_read(span, error)

    parsed: dict[int, list[Reading] | ReadError] = {}
    for span in spans[: MAX_STATEMENTS + 1]:
        try:
            parsed[span.index] = [
                *read_equation(span.source, document.macros_at(span.index) if macros is None else macros)
            ]
        except ReadError as error:
            parsed[span.index] = error
    inline = {s.index for s in spans if not s.display}
    words = words_with_lists(r for found in parsed.values() if isinstance(found, list) for r in found)
    room = MAX_STATEMENTS
    for span, last in zip(spans, _last_displays(spans), strict=True):
        if room < 0 or span.index not in parsed:
            message = f"needed at most {MAX_STATEMENTS} formulas and relations in a document, found more; "
            refuse(span, ReadError(message + "what follows is not read", 0, "too-large"))
            break
        readings = parsed[span.index]
        if isinstance(readings, ReadError):
            if span.display or "=" in span.source:
                refuse(span, readings)
            continue
        spelt = [with_sums_of_dots(with_binomials(with_longer_sums(spelled(r, words)))) for r in readings]
        own = [r for reading in continued(with_pairs(spelt)) for r in written_out(reading)]
        relations = sum(len(r.chain.links) for r in own)
        room -= 1 + relations
        if relations > MAX_RELATIONS:
            message = f"needed at most {MAX_RELATIONS} relations in one equation, found {relations} entry by entry"
            refuse(span, ReadError(message, 0, "too-large"))
            continue
        context, section = sentence_context(document, span), document.block_of(span).section
        before: Node | None = None
        if span.display and own and own[0].chain.first is None and items and last is not None:
            ends_with = _LAST_FORMULA.search(context.before)
            has_left_side = ends_with is not None and int(ends_with[1]) in inline
            if _ROOM_LEFT.match(span.source) or not (has_left_side or starts_anew(context.before)):
                before = _right_side_before(items, last)
        if own and _PERCENT.match(context.after):
            own[-1] = _with_percent(own[-1])
        for number, reading in enumerate(own):
            chain = reading.chain
            above = _in_its_column(own, number)
            if above is not None:
                before = _last_side(own[above].chain)
            items.append(Item(span, number, reading, section, context, before, above))
            if not _gives_reason(items, len(items) - 1):  # a row goes on after the row before, not after its reason
                before = _last_side(chain)
    return items, unread


def _last_side(chain: Chain) -> Node | None:
    return chain.links[-1][1] if chain.links else chain.first


def _in_its_column(own: Sequence[Reading], number: int) -> int | None:
    r"""The reading of the row above that one goes on from in a row of several, `&= b & &= d` below `a &= 2 b & c &= 2 d`."""
    row = [k for k, r in enumerate(own) if r.row == own[number].row]
    if len(row) < 2 or row[0] == 0 or any(own[k].chain.first is not None for k in row):
        return None
    above = [k for k, r in enumerate(own[: row[0]]) if r.row == own[row[0] - 1].row]
    return above[row.index(number)] if len(above) == len(row) else None


def _with_percent(reading: Reading) -> Reading:
    """`$1/4 = 25$%`: a formula whose last number is followed by a percent sign outside of it."""
    links = reading.chain.links
    last = links[-1][1] if links else reading.chain.first
    if not isinstance(last, Literal):
        return reading
    hundredth = percent(last, last.span)
    changed = replace(reading.chain, links=(*links[:-1], (links[-1][0], hundredth)) if links else links)
    return replace(reading, chain=changed if links else replace(changed, first=hundredth))


def _gives_reason(items: Sequence[Item], k: int) -> bool:
    """Whether a reading is a reason beside its row, `since a = 0 and b = 1`, or goes on with one."""
    reading, span = items[k].reading, items[k].span
    while not _REASON.search(reading.lead):
        k -= 1
        if k < 0 or items[k].span is not span or items[k].reading.row != reading.row or not reading.lead:
            return False
        reading = items[k].reading
    return True


def _last_displays(spans: Sequence[MathSpan]) -> Iterator[MathSpan | None]:
    """For each formula the display before it."""
    last: MathSpan | None = None
    for span in spans:
        yield last
        last = span if span.display else last


def _right_side_before(items: Sequence[Item], display: MathSpan) -> Node | None:
    """The last right side of a display of this section, for one after it that begins with its relation sign."""
    found = next((i for i in reversed(items) if i.span.index <= display.index), None)
    links = () if found is None or found.span is not display else found.reading.chain.links
    if found is None or found.section != items[-1].section or not links or links[-1][0] == "in":
        return None
    return replace(links[-1][1], span=(0, 0))


def _not_read(span: MathSpan, error: ReadError) -> Finding:
    place, end = span.locate(min(max(error.offset, 0), len(span.source))), span.text.origins[-1][0]
    source = span.source.strip()
    unknown = error.command if error.code == "unknown-command" else None
    finding = Finding("claim", "unread", place, end, source, span.index, code=error.code, reason=error.message)
    return replace(finding, unknown=unknown)


# --- the passes -----------------------------------------------------------------------------------------------------


def pass_over(items: list[Item], facts: Sequence[Fact]) -> Passed:
    """Differentials, transposes, primes, gradients of further names, expectations, brackets, names of entries, of the softmax,
    and logarithms to the base that the text states."""
    items = read_again(items, with_named_sides(items))
    items = read_again(items, with_arrows_below([i.reading for i in items]))
    items = read_again(items, with_rows_by_stars([i.reading for i in items]))
    items = read_again(items, with_conditions_below([i.reading for i in items]))
    items = read_again(items, with_variations(with_steps([i.reading for i in items])))
    items = read_again(items, with_names_of_words([i.reading for i in items]))
    joined = written_differentials(i.reading for i in items)
    items = read_again(items, [with_differentials(i.reading, joined) for i in items])
    items = items if joined is not None else _with_related_differentials(items)
    items = read_again(items, with_layers([i.reading for i in items]))
    are_stated = any(f.kind is FactKind.CONVENTION and f.value == convention.TRANSPOSE for f in facts)
    items = read_again(items, with_transposes([i.reading for i in items], are_stated=are_stated))
    items = read_again(items, with_letter_of_transposes([i.reading for i in items]))
    items = read_again(items, with_transposed_left_sides([i.reading for i in items]))
    named = {function: frozenset(_names_of_function(items, facts, function)) for function in KNOWN_FUNCTIONS}
    named |= {function: frozenset(_undefined(items, words)) for function, words in KNOWN_BY_NAME.items()}
    items = read_again(items, with_primes([i.reading for i in items], frozenset().union(*named.values())))
    items = list(_with_further_gradients(items))
    items = read_again(items, with_gradients([i.reading for i in items], [i.context.before for i in items]))
    if _speaks_of_chance(items):
        for base, name in (("E", "E"), ("V", "Var")):
            items = read_again(items, with_function([i.reading for i in items], _called_in_brackets(items, base), name))
    items = read_again(items, with_gradients_as_names(with_operators_as_names([i.reading for i in items])))
    if not any(f.value == convention.BINARY for f in facts if f.kind is FactKind.CONVENTION):
        sections = [i.section for i in items]
        known = with_known_divergences([i.reading for i in items], _speaks_of_entropy(items), sections)
        items = read_again(items, known)
    items = read_again(items, in_brackets([i.reading for i in items]))
    where = [i.span.index for i in items], [i.section for i in items]
    items = read_again(items, with_all_indices([i.reading for i in items], *where))
    entries = entry_names([i.reading for i in items], [i.before for i in items])
    entries |= {k: whole for k, whole in _entries_said(items, facts) if k not in entries}
    items = read_again(items, with_entries([i.reading for i in items], entries))
    customary = customary_entries([i.reading for i in items], frozenset(_called_matrices(items, facts)))
    before, items = items, read_again(items, with_entries([i.reading for i in items], customary))
    by_custom = {
        (old.span.index, old.number): tuple((key[0], customary[key].base) for key in sorted(found))
        for old in before
        if (found := {(n.base, n.font) for n in walk(old.reading.chain) if isinstance(n, Name)} & customary.keys())
    }
    entries |= customary
    for function, letters in named.items():
        items = read_again(items, with_function([i.reading for i in items], letters, function))
    implied = tuple(_distributions(items))
    items = read_again(items, with_discrete_means([i.reading for i in items]))
    items = read_again(items, with_applied_operators([i.reading for i in items], _of_any_argument(items)))
    items = read_again(items, with_families(with_sets(with_index_functions([i.reading for i in items]))))
    items = read_again(items, with_values_by_argument([i.reading for i in items]))
    items = read_again(items, with_geometric_series([i.reading for i in items]))
    items = read_again(items, with_labels([i.reading for i in items]))
    based = read_again(items, [_with_stated_base(i, facts) for i in items])
    return Passed(based, joined is not None, entries, by_custom, implied)


_FOR_ANY = re.compile(r"\s?,?\s?for (?:any|every|all|each|an arbitrary)\s(?:\w+\s){0,2}⟦\d+⟧")
"""Words after an equation that make it one about any argument."""
_OPERATOR = re.compile(r"\b(?:operator|mapping|map|transformation)\b", re.IGNORECASE)


def _of_any_argument(items: Sequence[Item]) -> list[int]:
    """The numbers of the equations that are said of any argument, or to define an operator."""
    said = ((k, i.context) for k, i in enumerate(items))
    return [k for k, c in said if _FOR_ANY.match(c.after) is not None or _OPERATOR.search(c.before) is not None]


def _distributions(items: Sequence[Item]) -> Iterator[Fact]:
    """That what a mean draws from is a distribution."""
    seen: set[object] = set()
    for k, law in laws_drawn_from([i.reading for i in items]):
        span = items[k].span
        if bare(law) not in seen:
            seen.add(bare(law))
            scope = Scope(items[k].section, -1, span.index)
            yield Fact(FactKind.VECTOR, (write_surface(law),), "distribution", scope, span.place, Strength.IMPLIED)


def _entries_said(items: Sequence[Item], facts: Sequence[Fact]) -> Iterator[tuple[tuple[str, str], Name]]:
    """Names with two indices that words call the entries of a matrix, with that matrix."""
    firsts = {i.span.index: i.reading.chain.first for i in reversed(items)}
    for fact in facts:
        if fact.kind is not FactKind.ENTRIES or not isinstance(fact.value, tuple):
            continue
        (whole,), (entry,) = ([firsts.get(n) for n in own if isinstance(n, int)] for own in (fact.value, fact.names))
        if isinstance(whole, Name) and entry is not None and (small := small_letter(entry, whole)) is not None:
            yield small, whole


def _called_matrices(items: Sequence[Item], facts: Sequence[Fact]) -> Iterator[tuple[str, str]]:
    """The names without indices that words call matrices."""
    firsts = {i.span.index: i.reading.chain.first for i in reversed(items)}
    for number in (n for fact in facts if fact.kind is FactKind.MATRIX for n in fact.names if isinstance(n, int)):
        if isinstance(name := firsts.get(number), Name) and not (name.accents or name.primes):
            yield name.base, name.font


def read_again(old: list[Item], readings: Iterable[Reading]) -> list[Item]:
    """The items with other readings; a row that begins with its relation sign goes on from the new row above."""
    items: list[Item] = []
    for item, reading in zip(old, readings, strict=True):
        before = item.before
        if before is not None:
            own = [(k, i) for k, i in enumerate(items) if i.span.display or i.span.index == item.span.index]
            above = next((i for k, i in reversed(own) if not _gives_reason(items, k)), items[-1])
            if item.above is not None:
                column = (i for i in items if i.span is item.span and i.number == item.above)
                above = next(column, above)
            node = _last_side(above.reading.chain)
            same = above.span.index == item.span.index
            before = node if same or node is None else replace(node, span=(0, 0))
        items.append(replace(item, reading=reading, before=before))
    return items


def sum_what_stands_twice(
    names: Names, items: list[Item], stated: bool
) -> tuple[list[Item], frozenset[tuple[int, int]]]:
    """Write the sums of the summation convention, where the text states it or several definitions need it.

    The items, and those in which an index that stands twice is summed over now.
    """
    slots = names.slot_letters
    readings: list[Reading] = []
    needed = 0
    free: set[str] = set()
    for item in items:
        chain = item.reading.chain
        first = chain.first
        if not chain.links or any(r not in ("=", "equiv") for r, _ in chain.links):
            readings.append(item.reading)
            continue
        if first is not None:
            free = free_letters(first, (n for _, n in chain.links), slots)
        rest = free | names.sizes
        sides = [(r, summed(n, rest, slots)) for r, n in chain.links]
        new = None if first is None else summed(first, rest, slots)
        if first is not None and first == new and isinstance(first, Name | Scripted):
            whole = unbound_letters(sides[0][1], slots) <= rest  # else the left side goes without its indices
            is_needed = sides[0][1] != chain.links[0][1] and names.written(first) is not None and whole
            needed += is_needed and (stated or _has_matrix(chain.links[0][1], slots))
        readings.append(replace(item.reading, chain=replace(chain, first=new, links=tuple(sides))))
    if needed < (1 if stated else MIN_NEEDED):
        return items, frozenset()
    changed = {
        (item.span.index, item.number)
        for item, reading in zip(items, readings, strict=True)
        if item.reading.chain != reading.chain
    }
    return read_again(items, readings), frozenset(changed)


def _has_matrix(node: Node, slots: Slots) -> bool:
    r"""Whether something has two indices, `W_{ij} x_j`: of `a_t x_t` alone it may be said for every t."""
    return any(len(list(slots(n))) > 1 for n in walk(node) if isinstance(n, Scripted))


def _of_gradient(chain: Chain) -> str | None:
    """X in `dX = \\partial L / \\partial X`."""
    right = chain.links[0][1] if len(chain.links) == 1 and chain.links[0][0] in ("=", "equiv") else None
    if not isinstance(chain.first, Name) or len(chain.first.base) != 2 or chain.first.base[0] != "d":
        return None
    below = right.below if isinstance(right, Fraction) else None
    letters = [n.base for n in walk(below) if isinstance(n, Name)] if below is not None else []
    return chain.first.base[1] if letters == ["partial", chain.first.base[1]] else None


def _renamed(node: Node, names: Mapping[str, str]) -> Node:
    return replace(node, base=names[node.base]) if isinstance(node, Name) and node.base in names else node


def _with_further_gradients(items: list[Item]) -> Iterator[Item]:
    """The items, after `dX = \\partial L / \\partial X` for any X, "and so on", the same for the other names dZ."""
    names = [{n.base for n in walk(i.reading.chain) if isinstance(n, Name)} for i in items]
    known = {own for i in items if (own := _of_gradient(i.reading.chain)) is not None}
    letters = {c for used in names for c in used}
    further = sorted(c for c in letters if len(c) == 2 and c[0] == "d" and c[1] in letters and c[1] not in known)
    for item in items:
        yield item
        own = _of_gradient(item.reading.chain)
        if own is None or not further:
            continue
        generic = sum(own in used for used in names) == 1
        if generic or AND_SO_ON.search(item.context.paragraph) is not None:
            for k, name in enumerate(further):
                other = {own: name[1], f"d{own}": name}
                chain = mapped(item.reading.chain, lambda n, put=other: _renamed(n, put))  # type: ignore[misc]
                if isinstance(chain, Chain):
                    yield replace(item, number=item.number + FURTHER + k, reading=replace(item.reading, chain=chain))
            further = []


def _with_related_differentials(items: list[Item]) -> list[Item]:
    """The items, those about differentials as derivatives; one for each further variable of a total differential."""
    texts = dict.fromkeys(i.context.paragraph for i in items)
    found = with_derivatives([i.reading for i in items], not any(map(RANDOM_PATHS.search, texts)))
    items = read_again(items, [first for first, *_ in found])
    further = (
        [replace(item, number=item.number + OF_VARIABLES + k, reading=r) for k, r in enumerate(more)]
        for item, (_, *more) in zip(items, found, strict=True)
    )
    return [made for item, more in zip(items, further, strict=True) for made in (item, *more)]


def _names_of_function(items: list[Item], facts: Sequence[Fact], function: str) -> Iterator[Letter]:
    """Names that the text or an equation gives to a known function, and to nothing else."""
    said = {k for f in facts if f.kind is FactKind.FUNCTION and f.value == function for k in f.names}
    own = set(defined_functions([i.reading for i in items]))
    for item in items:
        chain = item.reading.chain
        named = names_function(chain, function)
        if named is None and item.span.index in said and not chain.links:
            named = head(chain.first)
        if named is not None and named not in own:
            yield named


def _undefined(items: list[Item], words: AbstractSet[str]) -> Iterator[Letter]:
    """Names among these words that no equation defines."""
    own = {head(i.reading.chain.first) for i in items if i.reading.chain.links}
    own |= set(defined_functions([i.reading for i in items]))
    for item in items:
        for node in walk(item.reading.chain):
            if isinstance(node, Name) and node.base in words and (named := head(node)) is not None and named not in own:
                yield named


def _speaks_of_chance(items: list[Item]) -> bool:
    """Whether the text is about random quantities: it says so, or draws from a law."""
    if any(MOMENTS.search(t) or _MEANS.search(t) for t in dict.fromkeys(i.context.paragraph for i in items)):
        return True
    return any(r == "sim" for i in items for r, _ in i.reading.chain.links) or _has_variances(items)


_MEANS = re.compile(
    r"\b(?:unbiased|biased|on average|(?:ha(?:s|ve)|with|of|zero)[- ](?:the |a )?means?|in the mean)\b", re.IGNORECASE
)


def _has_variances(items: list[Item]) -> bool:
    """Whether a variance or a covariance is written, as an operator."""
    nodes = (n for i in items for n in walk(i.reading.chain))
    return any(isinstance(n, Operator) and n.name in ("Var", "Cov") and n.arguments for n in nodes)


def _speaks_of_entropy(items: list[Item]) -> bool:
    """Whether the text is about entropies: it says so in a paragraph with a formula, or above it."""
    texts = dict.fromkeys(t for i in items for t in (i.context.paragraph, i.context.before, *i.section))
    return any(map(ENTROPY.search, texts))


def _called_in_brackets(items: list[Item], base: str) -> set[Letter]:
    """The letter E of `E[x_i]`, where it is nothing but that; the V of `V[X]`.

    Beside variances, `Var(x)`, the E of `E(x)` is one as well, but not where `E(x) = f(x)` defines a function.
    """
    has_variances = base == "E" and _has_variances(items)
    kinds = ("[]", "()") if has_variances else ("[]",)
    sides = [n for i in items for n in (i.reading.chain.first, *(n for _, n in i.reading.chain.links))]
    nodes = [n for side in sides if side is not None for n in walk(side)]
    pairs = [pair for n in nodes if isinstance(n, Adjacent) for pair in pairwise(n.items)]
    called = {id(name): inner for name, after in pairs if (inner := content_of(after, kinds)) is not None}
    places = Listed if has_variances else (Name, Listed)
    if has_variances and any(_defines_function(i.reading.chain, base) for i in items):
        return set()
    found: set[Letter] = set()
    letters = [n for n in nodes if isinstance(n, Name) and n.base == base and not n.accents]
    for font in {n.font for n in letters}:
        own = [n for n in letters if n.font == font]
        inside = [called.get(id(n)) for n in own]
        if None not in inside and not all(isinstance(inner, places) for inner in inside):
            found.add((base, font, 0))  # neither the places of a matrix E, nor a name that stands alone, too
    return found


def _defines_function(chain: Chain, base: str) -> bool:
    """Whether a row is `E(x) = f(x)`: a function of x, and no mean."""
    call = chain.first.items if isinstance(chain.first, Adjacent) else ()
    if len(call) != len(("E", "(x)")) or not isinstance(call[0], Name) or call[0].base != base:
        return False
    argument = content_of(call[1], ("()", "[]"))
    if not isinstance(argument, Name | Scripted):
        return False
    return any(bare(n) == bare(argument) for _, right in chain.links for n in _outside_of(right, base))


def _outside_of(node: Node, base: str) -> Iterator[Node]:
    """A node and what is below it, but for the arguments of a name and of moments."""
    yield node
    parts: Sequence[Node] = () if isinstance(node, Operator) and node.name in ("E", "Var", "Cov") else node.parts
    if isinstance(node, Adjacent):
        named = {b for a, b in pairwise(node.items) if isinstance(a, Name) and a.base == base}
        parts = [n for n in node.items if n not in named]
    for part in parts:
        yield from _outside_of(part, base)


def _with_stated_base(item: Item, facts: Sequence[Fact]) -> Reading:
    """The reading with `\\log` to base 2 where the text says so last; `\\ln` is the natural logarithm everywhere."""
    bases = [f for f in facts if f.kind is FactKind.CONVENTION and f.value in (convention.NATURAL, convention.BINARY)]
    here = [f for f in bases if f.scope.covers(item.section, -1, item.span.index)]
    said = max(here, key=lambda f: (f.scope.since <= item.span.index, f.scope.since), default=None)
    if said is None or said.value == convention.NATURAL:
        return item.reading

    def change(node: Node) -> Node:
        if not isinstance(node, Operator) or node.name != "log" or node.sub is not None:
            return node
        written = item.span.source[node.span[0] :].lstrip("\\")
        return node if written.startswith("ln") else replace(node, sub=Literal(node.span, "2"))

    chain = mapped(item.reading.chain, change)
    return replace(item.reading, chain=chain) if isinstance(chain, Chain) else item.reading
