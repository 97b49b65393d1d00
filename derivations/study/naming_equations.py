"""Equations that give something a name: functions inside a chain, wholes, entries, members and parts."""

from __future__ import annotations

from dataclasses import replace

from derivations.latex.elaborator.elaborate import Elaborator
from derivations.latex.elaborator.equations import LeftSide, left_side
from derivations.latex.lexicon.name_roles import uses
from derivations.latex.passes.entries import named_rows, naming
from derivations.latex.syntax.letters import rows_of_identity
from derivations.latex.syntax.surface import (
    Adjacent,
    Chain,
    Enclosed,
    Listed,
    Literal,
    Mark,
    Matrix,
    Name,
    Node,
    Scripted,
    bare,
    differences,
)
from derivations.study.admitting import define_name
from derivations.study.equation_walk import Item, Key, is_number
from derivations.study.findings_of_relations import finding_of, skip
from derivations.study.names_and_conditions import elaborator_for
from derivations.study.state import Study

USUAL = frozenset({"I", "delta", "e", "pi", "i"})
"""Names that have a meaning of their own where nothing defines them."""


def is_set_of_names(node: Node) -> bool:
    r"""`\{W, b\}`, `\{h_1, …, h_N\}`."""
    content = node.content if isinstance(node, Enclosed) and node.kind == "{}" else None
    if not isinstance(content, Listed):
        return False
    return all(isinstance(n, Name | Scripted) or (isinstance(n, Mark) and n.kind == "dots") for n in content.items)


def functions_named_between(study: Study, item: Item) -> list[int]:
    """Links whose left side, inside a chain, is a call of a function that nothing defines."""
    links = item.reading.chain.links
    found = []
    for link in range(len(links)):
        middle = links[link - 1][1] if link else item.before if item.reading.chain.first is None else None
        if middle is not None and links[link][0] == "=" and (not link or links[link - 1][0] == "="):
            side = left_side(elaborator_for(study, item), middle) if isinstance(middle, Adjacent) else None
            named = side is not None and (side.parameters or any(kind == "member" for kind, _ in side.call or ()))
            if side is not None and named and side.stem not in study.table.symbols:
                own = (i for i, _ in study.text.lefts.get(side.stem, ()) if i.reading.chain.first is not None)
                if next(own, None) is None and not study.table.is_size(side.written):
                    found.append(link)
    return found


def is_worked(study: Study, chain: Chain) -> bool:
    """`H = W = 32`: bare names that are given a number."""
    sides = [chain.first, *(n for _, n in chain.links)]
    if any(relation != "=" for relation, _ in chain.links) or not isinstance(sides[-1], Literal) or len(sides) < 3:
        return False
    bare = [study.names.written(n) if n is not None else None for n in sides[:-1]]
    return all(w is not None and not w.slots for w in bare)


def names_for_one_thing(study: Study, chain: Chain) -> bool:
    """`x = query = key = value`: bare names of which nothing is known."""
    sides = [n for _, n in chain.links]
    if len(sides) < 2 or any(relation != "=" for relation, _ in chain.links):
        return False
    written = [study.names.written(n) for n in sides]
    if is_number(sides[-1]) or (isinstance(sides[-1], Name) and sides[-1].base in ("1", "0")):  # w = b = 1
        written.pop()
    if any(w is None or w.slots or w.transposed or w.power is not None for w in written):
        return False
    known = [study.table.find(w) for w in written if w is not None]
    return not any(s is not None and s.defined for s in known)


def show_whole(study: Study, item: Item, key: Key, left: Node, right: Node) -> None:
    """Let the definition that a relation makes show the whole relation."""
    shown = finding_of(study, item, key, "definition", "defined", left, right)
    made = study.walk.findings[key]
    made.source, made.place, made.end_line = shown.source, shown.place, shown.end_line


def named_whole(study: Study, item: Item, e: Elaborator, left: Node, right: Node) -> LeftSide | None:
    r"""A name that nobody has used or declared before for something that is no name: S in `Q K^\\top = S`."""
    base = right.base if isinstance(right, Scripted) else right
    own = left_side(e, right) if isinstance(base, Name) else None
    if own is None or left_side(e, left) is not None or isinstance(left, Literal) or is_number(left):
        return None
    known = {*study.walk.introduced, *study.table.declared, *study.names.index_letters, *study.names.random}
    moments = (m for law in study.table.laws.values() for m in (law.mean, law.variance) if m is not None)
    known |= {h.split("#")[0] for m in moments for h in m.heads}
    if own.stem in known | USUAL or rows_of_identity(own.stem) is not None or not own.stem[0].isalpha():
        return None
    if study.table.is_size(own.written) or any(w.stem == own.stem for w in uses(study.names, left)):
        return None
    if own.stem not in study.text.with_named_entries and _is_defined_here(study, item, own.stem):
        return None
    written = list(uses(study.names, left))
    left_names = (study.table.find(w) for w in written)
    defined = any(s is not None and s.defined for s in left_names)
    return own if defined or any(w.stem in study.text.with_named_entries for w in written) else None


def _is_defined_here(study: Study, item: Item, stem: str) -> bool:
    """Whether an equation of the same section has the name on its left side."""
    return any(other.section == item.section for other, _ in study.text.lefts.get(stem, ()))


def named_entries(study: Study, item: Item, node: Node) -> LeftSide | None:
    """A name that nobody has used before for the entries of a matrix, written out as `s_{11}`, `s_{12}`, ..."""
    if not isinstance(node, Matrix) or len(node.rows) < 2 or len(node.rows[0]) < 2:
        return None
    places = [(n, f"{i}{j}") for i, row in enumerate(node.rows, 1) for j, n in enumerate(row, 1)]
    written = [study.names.written(n) for n, _ in places]
    first = written[0]
    if first is None or first.stem in {*study.walk.introduced, *study.table.declared}:
        return None
    own = (f for k, f in study.walk.findings.items() if k[:2] == (item.span.index, item.number))
    if any(f.status == "refuted" for f in own) or _is_defined_here(study, item, first.stem):
        return None
    for w, (_, place) in zip(written, places, strict=True):
        slots = () if w is None else w.slots
        numbers = [s.node.text for s in slots if isinstance(s.node, Literal)]
        if w is None or w.stem != first.stem or len(numbers) != len(slots) or "".join(numbers) != place:
            return None
    return LeftSide(replace(first, slots=()), ())


def named_part(study: Study, left: Node, right: Node) -> tuple[Node, Node] | None:
    """A name that is new in a step, and the part that it stands for: Z in `a = e^{s_i} / \\sum_k e^{s_k} = e^{s_i} / Z`."""
    pairs = differences(left, right)
    if not pairs or len({(bare(part), bare(name)) for part, name in pairs}) != 1:
        return None
    part, name = pairs[0]
    w = study.names.written(name)
    if w is None or w.power is not None or w.transposed or isinstance(part, Name | Scripted | Literal):
        return None
    unknown = w.stem not in {
        *USUAL,
        *study.table.symbols,
        *study.table.declared,
        *study.text.lefts,
        *study.names.index_letters,
    }
    return (name, part) if unknown and not study.table.is_size(w) else None


def is_first_assignment(study: Study, left: Node, right: Node) -> bool:
    r"""`Q \\leftarrow W X` of a name that gets no other value: it defines the name."""
    own = study.names.written(left)
    if own is None or own.transposed or own.power is not None:
        return False
    if any((i.span.index, i.number) < study.walk.at for i, _ in study.text.lefts.get(own.stem, ())):
        return False
    if any(w.stem == own.stem for w in uses(study.names, right)):
        return False
    given = [
        i
        for i in study.items
        for r, _ in i.reading.chain.links[:1]
        if r == "gets" and i.reading.chain.first is not None
    ]
    same = [i for i in given if (w := study.names.written(i.reading.chain.first or left)) and w.stem == own.stem]
    return len(same) == 1


def names_entries(study: Study, item: Item, key: Key, left: Node, right: Node) -> bool:
    """A matrix of which an equation says how its entries are called: small letters are defined as its entries."""
    chain = item.reading.chain
    sides = [left, chain.first, *(n for _, n in chain.links)]
    whole = next((n for n in sides if isinstance(n, Name) and named_rows(n, right) is not None), None)
    if whole is None:
        return False
    pair = naming(whole, study.text.entry_names)
    e = elaborator_for(study, item)
    own = None if pair is None else left_side(e, pair[0])
    if pair is None or own is None or own.stem in {*study.walk.introduced, *study.table.symbols}:
        if whole is not left:
            return False  # said again, it is a claim
        skip(study, item, key, left, right, "declaration", "it names the entries")
        return True
    define_name(study, item, key, e, own, pair[0], pair[1], None, "the entries have names of their own")
    if key in study.walk.findings:
        show_whole(study, item, key, left, right)
    return True


def names_members(study: Study, left: Node, right: Node) -> bool:
    """`x = \\{x_i\\}_{i=1}^n`."""
    own = study.names.written(left)
    content = right.content if isinstance(right, Enclosed) else None
    if own is None or own.slots or not isinstance(content, Listed):
        return False
    if not any(isinstance(n, Mark) and n.span == content.span for n in content.items):
        return False  # a list as such defines a stack
    members = [study.names.written(n) for n in content.items if not isinstance(n, Mark)]
    return all(m is not None and m.stem == own.stem and len(m.slots) == 1 for m in members)
