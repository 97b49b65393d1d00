"""What stands on the left of equations: which names they define, by a recurrence or for a fixed index, and their LaTeX."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace

from derivations.documents.facts.sentence_patterns import fixes
from derivations.documents.model.document import MathSpan
from derivations.latex.elaborator.elaborate import Elaborator
from derivations.latex.elaborator.equations import left_side
from derivations.latex.elaborator.sums_without_index import outside
from derivations.latex.lexicon.arrays import NotUnderstood
from derivations.latex.lexicon.name_roles import Names, uses
from derivations.latex.lexicon.symbol_table import Table
from derivations.latex.lexicon.written_names import Slot
from derivations.latex.passes.short_forms import is_call
from derivations.latex.syntax.letters import letter, letters_in
from derivations.latex.syntax.normal_laws import is_of_vector, normal_law
from derivations.latex.syntax.surface import (
    Big,
    Chain,
    Enclosed,
    Infix,
    Listed,
    Literal,
    Name,
    Node,
    Operator,
    Scripted,
    walk,
)
from derivations.study import recurrences
from derivations.study.equation_walk import Item, Key, balanced, is_number
from derivations.study.recurrences import Recurrence, step

Lefts = dict[str, list[tuple[Item, int]]]
"""The equations with a name on their left side, each with the number of the relation."""


@dataclass(frozen=True, slots=True)
class Later:
    """A recurrence of a name that has another equation before it."""

    key: Key
    stem: str
    recurrence: Recurrence
    section: tuple[Item, ...]
    """The equations of its section, and of those below."""
    starts: frozenset[Key]
    """The equations right before it that give its first states."""


def collect_left_sides(names: Names, items: Iterable[Item]) -> Lefts:
    """The names that stand on the left of equations."""
    scratch, lefts = Table(names), Lefts()
    for item in items:
        chain = item.reading.chain
        first = chain.first
        if first is None and item.before is not None and is_call(item.before):
            first = item.before  # a row that goes on after `a = f(x)` says what f is
        if first is None or not chain.links:
            continue
        if chain.links[-1][0] == "sim" and (law := normal_law(chain.links[-1][1])) is not None:
            own = left_side(Elaborator(scratch), first) if is_of_vector(law) else None
            if own is not None and own.parameters is None and own.call is None:
                lefts.setdefault(own.stem, []).append((item, len(chain.links) - 1))
            continue
        if chain.links[0][0] not in ("=", "equiv"):
            continue
        if isinstance(chain.links[0][1], Listed):
            continue
        e = Elaborator(scratch)
        e.outside = frozenset(outside(names, chain))
        left = left_side(e, first)
        if left is not None and (chain.first is not None or left.parameters or left.call):
            lefts.setdefault(left.stem, []).append((item, 0))
    return lefts


# --- indices that are fixed -----------------------------------------------------------------------------------------


MOMENTS = frozenset({"E", "Var", "Cov", "var", "cov"})
"""Operators whose value says nothing of a member of a family."""
_BOUNDS = frozenset({"<", ">", "<=", ">=", "in"})


def fixed_indices(
    names: Names, items: Sequence[Item], lefts: Lefts, spans: Iterable[MathSpan]
) -> dict[str, tuple[Slot, ...]]:
    """Names that stand without an index which the text fixes: `Z = \\sum_k e^{s_{ik}}` after "fix a query i".

    What is defined from such names without that index depends on it as well.
    """
    shown, letters = _letters_shown(names, items)
    everywhere = _of_one_width(names, items)
    rows = list(_plain_definitions(names, lefts, shown, everywhere))
    alone = {s.index: s.source.strip() for s in spans if len(s.source.strip()) == 1}
    alone |= dict(_bounded_letters(items))
    hidden: dict[str, set[str]] = {}
    for stem, free, _, item in rows:
        others = [r for r in rows if r[0] == stem]
        is_compared = stem in everywhere and free <= _compared_in(item.reading.chain.links[0][1])
        if (
            free
            and all(r[1] == free or (is_compared and not r[1]) for r in others)
            and (is_compared or not shown.get(stem, set()) & free)
        ):
            is_said = all(fixes(_text_before(items, item), c, alone) for c in free)
            is_bare = (is_compared or not any(shown.get(stem, ()))) and not is_made_of_itself(names, stem, item, lefts)
            if free <= letters.keys() and (is_said or (is_bare and _is_left_out(names, items, stem, free, item))):
                hidden[stem] = free
    first = {row[0]: row for row in reversed(rows)}
    while True:
        more = {
            stem: found
            for stem, _, used, _ in first.values()
            if stem not in hidden
            and (found := set().union(*(hidden.get(u, set()) for u in used)) - shown.get(stem, set()))
        }
        if not more:
            break
        hidden |= more
    for stem, found in hidden.items():  # a letter that hides an index itself is no index of others
        hidden[stem] = {c for c in found if c not in hidden}
    return {stem: tuple(Slot(letters[c], "d") for c in sorted(found)) for stem, found in hidden.items() if found}


def _is_left_out(names: Names, items: Iterable[Item], stem: str, free: Set[str], item: Item) -> bool:
    r"""Whether an index is left out where a name is defined: `\tilde q = R_m q`, for an m that counts elsewhere.

    Not so `x = x_i`, which names a member, means, which may be the same for all, and a name inside of a sum over the letter.
    """
    right = item.reading.chain.links[0][1]
    if not free.isdisjoint(_letters_of(item.reading.chain.first)) or isinstance(right, Name | Scripted):
        return False
    if stem in names.sizes | names.random or _has_mean(right):
        return False
    for node in (n for i in items for n in walk(i.reading.chain) if isinstance(n, Big) and n.sub is not None):
        if not free.isdisjoint(_letters_of(node.sub)) and any(w.stem == stem for w in uses(names, node.body)):
            return False
    return _counted(names, items).issuperset(free)


def is_made_of_itself(names: Names, stem: str, item: Item, lefts: Lefts) -> bool:
    r"""Whether an equation is about what it seems to define: `\epsilon = (x_t - x_0) / s_t` below `x_t = x_0 + s_t \epsilon`."""
    before: dict[str, set[str]] = {}
    for other, places in lefts.items():
        for earlier, link in places:
            if other != stem and (earlier.span.index, earlier.number) < (item.span.index, item.number):
                before.setdefault(other, {w.stem for w in uses(names, earlier.reading.chain.links[link][1])})
    made, ahead = set[str](), [w.stem for w in uses(names, item.reading.chain.links[0][1])]
    while ahead:
        if (name := ahead.pop()) not in made:
            made.add(name)
            ahead += before.get(name, ())
    return stem in made


def _letters_of(node: Node | None) -> set[str]:
    return letters_in(node) if node is not None else set()


def _counted(names: Names, items: Iterable[Item]) -> set[str]:
    """Letters that a sum binds, that one counts on from, or that stand on a left side; and others at places of these."""
    counted: set[str] = set()
    families: dict[str, set[str]] = {}
    for chain in (i.reading.chain for i in items):
        left = chain.first if chain.links else None
        for node in walk(left) if left is not None else ():
            counted |= set(names.slot_letters(node)) if isinstance(node, Scripted) else set()
        for node in walk(chain):
            if isinstance(node, Big):
                counted |= _letters_of(node.sub)
            elif isinstance(node, Scripted):
                counted |= letters_in(node.sub) if isinstance(node.sub, Infix) else set()
                if (w := names.written(node)) is not None:
                    families.setdefault(w.stem, set()).update(names.slot_letters(node))
    for own in families.values():
        counted |= own if own & counted else set()
    return counted


def _has_mean(node: Node) -> bool:
    """Whether a mean or a variance is taken somewhere."""
    named = (n.base for n in walk(node) if isinstance(n, Name))
    return any(isinstance(n, Operator) and n.name in MOMENTS for n in walk(node)) or not MOMENTS.isdisjoint(named)


def _bounded_letters(items: Iterable[Item]) -> Iterator[tuple[int, str]]:
    r"""The letters of formulas that say no more of a letter than where it lies: `t \\ge 2` after "fix"."""
    for item in items:
        chain = item.reading.chain
        c = letter(chain.first) if not item.number else None
        if c is not None and len(c) == 1 and chain.links and all(r in _BOUNDS for r, _ in chain.links):
            yield item.span.index, c


def _letters_shown(names: Names, items: Iterable[Item]) -> tuple[dict[str, set[str]], dict[str, Name]]:
    """The letters in the indices of each name, and a node for each letter."""
    shown: dict[str, set[str]] = {}
    letters: dict[str, Name] = {}
    for node in (n for item in items for n in walk(item.reading.chain)):
        c, w = letter(node), names.written(node)
        if c is not None and isinstance(node, Name):
            letters.setdefault(c, node)
        if w is not None:
            own = {c for s in w.slots if s.node is not None for n in walk(s.node) if (c := letter(n)) is not None}
            shown[w.stem] = shown.get(w.stem, set()) | own
    return shown, letters


def _of_one_width(names: Names, items: Iterable[Item]) -> set[str]:
    """Names that have indices, and as many wherever they have some."""
    widths: dict[str, set[int]] = {}
    for w in (w for item in items for w in uses(names, item.reading.chain)):
        widths.setdefault(w.stem, set()).add(len(w.slots))
    return {stem for stem, found in widths.items() if len(found - {0}) == 1}


def _compared_in(node: Node) -> set[str]:
    """The letters that indicators compare with others: the k and the y of `[k = y]`."""
    inside = (n.content for n in walk(node) if isinstance(n, Enclosed) and n.kind == "[]")
    sides = (n for c in inside if isinstance(c, Chain) for n in (c.first, *(right for _, right in c.links)))
    return {c for n in sides if n is not None and (c := letter(n)) is not None}


def _plain_definitions(
    names: Names, lefts: Lefts, shown: Mapping[str, set[str]], everywhere: Set[str]
) -> Iterator[tuple[str, set[str], set[str], Item]]:
    """Equations of plain names: the name, letters that are free on the right alone, names on the right, and the equation."""
    scratch = Table(names)
    for stem, places in lefts.items():
        for item, link in places:
            chain = item.reading.chain
            e = Elaborator(scratch)
            e.outside = frozenset(outside(names, chain))
            left = left_side(e, chain.first) if chain.first is not None else None
            if left is None or left.call is not None:
                continue
            right = chain.links[link][1]
            try:
                e.declare_free(right)
            except NotUnderstood:  # it is not read, and that is said where it is studied
                continue
            own = {p.stem for p in left.parameters or ()}
            of_left = {c for s in left.slots if isinstance(s.node, Node) for c in letters_in(s.node)}
            own |= of_left if stem in everywhere and _compared_in(right) else shown.get(stem, set())
            yield stem, set(e.free) - own, {w.stem for w in uses(names, right)} - own, item


def _text_before(items: Iterable[Item], item: Item) -> str:
    """The paragraphs of the section, and of those around it, up to an equation."""
    earlier = (i for i in items if i.section == item.section[: len(i.section)] and i.span.index <= item.span.index)
    return " ".join(dict.fromkeys(i.context.paragraph for i in earlier))


# --- recurrences ----------------------------------------------------------------------------------------------------


def find_recurrences(names: Names, items: Iterable[Item], lefts: Lefts) -> Iterator[tuple[str, Recurrence]]:
    """Names that the document introduces by a recurrence, with the number that they start from.

    Index 0 of a state `S_0` says nothing about the other names: tokens may start from 1 all the same.
    """
    scratch = Table(names)
    chains = [i.reading.chain for i in items]
    for stem, places in lefts.items():
        for item, link in places:
            chain = item.reading.chain
            left = left_side(Elaborator(scratch), chain.first) if chain.first is not None else None
            found = step(names, left, chain.links[link][1]) if left is not None else None
            if left is None or (found is None and not recurrences.is_start(left)):
                break  # it is defined in another way first
            if found is not None:
                inputs = {w.stem for w in uses(names, chain.links[link][1])} - {stem}
                numbers = [p for n in inputs for p in lefts.get(n, ())]
                first = max(names.base(stem) + found.shift - found.lag, 0)
                worked = [
                    i
                    for i, k in places
                    if _is_worked(i, k, item, numbers)
                    and min(recurrences.written_at(names, (i.reading.chain.first,), stem, found.place), default=0)
                    > first
                ]
                starts = (
                    i.reading.chain.first
                    for i, k in places
                    if i not in worked and _may_start(names, i.reading.chain, k, stem, found)
                )
                nodes = [c for c in chains if not any(c is i.reading.chain for i in worked)]
                at = recurrences.written_at(names, nodes, stem, found.place)
                given = recurrences.written_at(names, (n for n in starts if n is not None), stem, found.place)
                start = min(at, default=None) if at & given or 0 in at else None
                if at:
                    names.evidence[stem].zero = False
                if at & given and start == -1:
                    _start_from_zero(names, stem, found, chain.links[link][1])
                yield stem, replace(found, start=start, stated=bool(at & given))
                break


def find_later_recurrences(
    names: Names, items: Sequence[Item], lefts: Lefts, first: Mapping[str, Recurrence]
) -> Iterator[tuple[Key, Later]]:
    """Recurrences of names that have another equation before, each with the start that its section states.

    Index 0 of such a state says nothing about the other names either, where it is written in these sections alone.
    """
    scratch = Table(names)
    for stem, places in lefts.items():
        found: list[tuple[Item, int, Recurrence]] = []
        if len({_width(names, item) for item, _ in places}) > 1:
            continue  # `m = \max(x)` beside `m_i = \max(m_{i-1}, x_i)`: two things, and each has its own indices
        for item, link in places:
            chain = item.reading.chain
            left = left_side(Elaborator(scratch), chain.first) if chain.first is not None else None
            own = step(names, left, chain.links[link][1]) if left is not None else None
            if own is not None:
                found.append((item, link, own))
        later = [_later(names, items, places, stem, *f) for f in found[stem in first :]]
        later = [r if _is_first_of_section(r, found) else replace(r, starts=frozenset()) for r in later]
        at_zero = [r for r in later if r.recurrence.stated and r.recurrence.start == 0]
        written = {id(i) for i in items if at_zero and _is_at_zero(names, i, stem, at_zero[0].recurrence.place)}
        if at_zero and written <= {id(i) for r in at_zero for i in r.section}:
            names.evidence[stem].zero = False
        yield from ((r.key, r) for r in later)


def _width(names: Names, item: Item) -> int | None:
    """How many indices the name at the left of an equation has."""
    first = item.reading.chain.first
    w = names.written(first) if first is not None else None
    return None if w is None else len(w.slots)


def written_before_first(names: Names, lefts: Lefts, later: Iterable[Later]) -> Iterator[tuple[str, int]]:
    """Names that an equation of another kind defines, by a sum or in the section of a recurrence, where the recurrence starts
    one before the first index; each with the place of the index: `S_i = \\sum_{j \\le i} x_j` obeys `S_i = S_{i-1} + x_i` with
    `S_0 = 0`.
    """
    for r in later:
        if not r.recurrence.stated or r.recurrence.start != names.base(r.stem) - 1:
            continue
        first, link = lefts[r.stem][0]
        right = first.reading.chain.links[link][1]
        if any(i is first for i in r.section) or any(isinstance(n, Big) for n in walk(right)):
            yield r.stem, r.recurrence.place


def value_before_first(names: Names, lefts: Lefts) -> Iterator[tuple[str, int]]:
    r"""Names with a value for nothing, beside others that count from 1; each with the place of the index: the index 0 of
    `\bar\alpha_t = \prod_{s=1}^t \alpha_s`, of which `\bar\alpha_0 = 1` is said too.
    """
    for stem, places in lefts.items():
        first, link = places[0]
        w = names.written(first.reading.chain.first) if first.reading.chain.first is not None else None
        if w is None or names.base(stem) != 0 or stem in names.bases or names.document_base != 1:
            continue
        for k, slot in enumerate(w.slots):
            c = letter(slot.node)
            if c is not None and c in set(_ends_from_one(first.reading.chain.links[link][1])):
                yield stem, k


def _is_length(names: Names, node: Node | None) -> bool:
    """Whether an index is a length: the T of `G_T`."""
    w = names.written(node) if isinstance(node, Name | Scripted) else None
    return w is not None and w.stem in names.sizes and not w.slots and w.power is None


def value_after_last(names: Names, lefts: Lefts) -> Iterator[tuple[str, tuple[int, Node]]]:
    """Names that one equation gives for a letter and another at a length, `G_T = 0`; each with the place of the index, and
    the length."""
    for stem, places in lefts.items():
        written = [(i, names.written(i.reading.chain.first)) for i, _ in places if i.reading.chain.first is not None]
        first = written[0][1] if written else None
        for k, slot in enumerate(first.slots if first is not None else ()):
            if letter(slot.node) is None or _is_length(names, slot.node):
                continue
            ends = [w.slots[k].node for _, w in written[1:] if w is not None and len(w.slots) > k]
            if (end := next((n for n in ends if n is not None and _is_length(names, n)), None)) is not None:
                yield stem, (k, end)


def _ends_from_one(node: Node) -> Iterator[str]:
    r"""The letters that ranges from 1 end at: the t of `\sum_{s=1}^t`."""
    for n in walk(node):
        sub = n.sub if isinstance(n, Big) else None
        if not isinstance(n, Big) or not isinstance(sub, Chain) or [r for r, _ in sub.links] != ["="]:
            continue
        start, end = sub.links[0][1], letter(n.sup)
        if isinstance(start, Literal) and start.text == "1" and end is not None:
            yield end


def _later(
    names: Names,
    items: Sequence[Item],
    places: Sequence[tuple[Item, int]],
    stem: str,
    item: Item,
    link: int,
    found: Recurrence,
) -> Later:
    """A recurrence of a name that has an equation before, with what its section says of its start."""
    section = tuple(i for i in items if i.section[: len(item.section)] == item.section)
    inside = [(i, k) for i, k in places if any(i is other for other in section)]
    starts = [
        i
        for i, k in inside
        if _may_start(names, i.reading.chain, k, stem, found)
        and recurrences.written_at(names, (i.reading.chain.first,), stem, found.place)
    ]
    at = recurrences.written_at(names, (i.reading.chain for i in section), stem, found.place)
    given = recurrences.written_at(names, (i.reading.chain.first for i in starts), stem, found.place)
    start = min(at) if at & given or 0 in at else None
    own = _place(item)
    others = (_place(i) for i, _ in inside if not any(i is other for other in starts))
    since = max((p for p in others if p < own), default=(-1, -1))
    keys = frozenset((*p, 0) for p in map(_place, starts) if since < p < own)
    return Later((*own, link), stem, replace(found, start=start, stated=bool(at & given)), section, keys)


def _is_first_of_section(later: Later, found: Iterable[tuple[Item, int, Recurrence]]) -> bool:
    """Whether no other recurrence of the name stands before it in its section: a start between the two is that of the other."""
    steps = (i for i, _, _ in found if _place(i) < later.key[:2])
    return not any(i is other for i in steps for other in later.section)


def _place(item: Item) -> tuple[int, int]:
    return item.span.index, item.number


def _is_at_zero(names: Names, item: Item, stem: str, place: int) -> bool:
    return 0 in recurrences.written_at(names, (item.reading.chain,), stem, place)


def _start_from_zero(names: Names, stem: str, found: Recurrence, right: Node) -> None:
    """The inputs of a state that starts at -1 start from 0, as it does: `h_t = a h_{t-1} + x_t` with `h_{-1} = 0`."""
    names.evidence[stem].zero = True
    for w in uses(names, right):
        if w.stem != stem and any((a := recurrences.affine(s.node)) and a.letter == found.letter for s in w.slots):
            names.evidence[w.stem].zero = True


def _is_worked(item: Item, link: int, step_item: Item, of_inputs: Iterable[tuple[Item, int]]) -> bool:
    """Whether an equation gives a state as a number after numbers were put in for what the step goes by: it is worked out."""
    return _is_number_there(item, link) and any(
        step_item.span.index < i.span.index < item.span.index and i.section == item.section and _is_number_there(i, k)
        for i, k in of_inputs
    )


def _is_number_there(item: Item, link: int) -> bool:
    return is_number(item.reading.chain.links[link][1])


def _may_start(names: Names, chain: Chain, link: int, stem: str, found: Recurrence) -> bool:
    """Whether an equation may give a first state: its right side has neither the state nor the letter of the steps."""
    own = list(uses(names, chain.links[link][1]))
    slots = (s.node for w in own for s in w.slots if s.node is not None)
    letters = {c for slot in slots for n in walk(slot) if (c := letter(n)) is not None}
    return stem not in {w.stem for w in own} and found.letter not in letters


# --- how names are written ------------------------------------------------------------------------------------------


def collect_latex(names: Names, items: Iterable[Item]) -> dict[str, str]:
    """The LaTeX of every name, without its indices, as it is first written."""
    latex: dict[str, str] = {}
    for item in items:
        source = item.span.source
        for node in walk(item.reading.chain):
            w = names.written(node)
            if w is not None and w.stem not in latex:
                latex[w.stem] = _latex_of(names, node, source)
    return latex


def _latex_of(names: Names, node: Node, source: str) -> str:
    w = names.written(node)
    base = node.base if isinstance(node, Scripted) else node
    text = balanced(source, *base.span)
    if w is None or not isinstance(node, Scripted) or not isinstance(base, Name):
        return text
    if w.stem != (names.written(base) or w).stem:
        for sign, script in (("_", node.sub), ("^", node.sup)):
            words = set(walk(script)) if script is not None else set()
            if script is not None and not any(s.node in words for s in w.slots) and not w.transposed:
                text += f"{sign}{{{balanced(source, *script.span)}}}"
    return text
