"""The number that the indices of a name start from, 0 or 1, as its places and the ranges beside it show."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

from derivations.latex.syntax.letters import letter, letters_in
from derivations.latex.syntax.surface import (
    Adjacent,
    Big,
    Chain,
    Enclosed,
    Infix,
    Listed,
    Literal,
    Mark,
    Node,
    Reading,
    Scripted,
    walk,
    walk_reading,
)

if TYPE_CHECKING:
    from derivations.latex.lexicon.name_roles import Names
    from derivations.latex.lexicon.written_names import Written


def spread_zero(names: Names, readings: list[Reading]) -> None:
    """Names that share an index letter with even and odd positions start from 0 as well."""
    for r in readings:
        zero: dict[str, str] = {}
        found: list[tuple[str, set[str]]] = []
        for n in walk_reading(r):
            if isinstance(n, Adjacent):
                found += _called(names, n)
            w = names.written(n) if isinstance(n, Scripted) else None
            if w is None:
                continue
            compound = {
                c
                for s in w.slots
                if isinstance(s.node, Adjacent | Infix | Enclosed) and not is_before(s.node)
                for c in letters_in(s.node)
            }
            if is_from_zero(names, w.stem):
                zero |= dict.fromkeys(compound, w.stem)
            found.append((w.stem, {c for s in w.slots if (c := letter(s.node)) is not None}))
        for stem, direct in found:
            names.evidence[stem].zero_with |= {zero[c] for c in direct & zero.keys()} - {stem}


def spread_ranges(names: Names, readings: list[Reading]) -> None:
    """Names with a letter below them that is only ever said to run from 0, `h = 0, …, H - 1`, start from 0."""
    starts: dict[str, set[str]] = defaultdict(set)
    for chain in (c for r in readings for c in (r.chain, *r.conditions) if isinstance(c, Chain)):
        if len(chain.links) == 1 and (c := letter(chain.first)) is not None and chain.links[0][0] == "=":
            right = chain.links[0][1]
            if isinstance(right, Listed) and any(isinstance(n, Mark) for n in right.items):
                starts[c].add(right.items[0].text if isinstance(right.items[0], Literal) else "")
    zero, one = ({c for c, found in starts.items() if found == {start}} for start in ("0", "1"))
    numbered: set[str] = set()
    beside: list[dict[str, set[str]]] = []
    raised = {
        w.stem
        for r in (readings if zero else ())
        for n in walk_reading(r)
        if isinstance(n, Scripted) and (w := names.written(n)) is not None and _is_all_below(w)
    }
    for r in readings if zero else ():
        below: dict[str, set[str]] = defaultdict(set)
        own = {c for n in walk_reading(r) if isinstance(n, Big) for c in _bound_from_one(n)}
        numbered |= {stem for n in walk_reading(r) if isinstance(n, Big) for stem in _summed_from_one(names, n)}
        for n in walk_reading(r):
            for stem, letters in _called(names, n) if isinstance(n, Adjacent) else ():
                below[stem] |= letters
            w = names.written(n) if isinstance(n, Scripted) else None
            for s in w.slots if w is not None else ():
                if s.style == "p" and w.stem in raised:  # type: ignore[union-attr]
                    continue  # a_i^j beside a_i: a power
                if isinstance(s.node, Literal):
                    numbered.add(w.stem)  # type: ignore[union-attr]
                elif s.node is not None:
                    below[w.stem] |= _placing(s.node) - own  # type: ignore[union-attr]
        beside.append(below)
    numbered |= {stem for below in beside for stem, letters in below.items() if letters & one}
    found = {stem for below in beside for stem, letters in below.items() if letters & zero} - numbered
    while more := {stem for below in beside for stem in _sharing(below, found)} - numbered - found:
        found |= more
    for stem in found:
        names.evidence[stem].zero = True


def _bound_from_one(n: Big) -> set[str]:
    r"""The letter that a sum says to run from a number other than 0, and one that it runs to: the r of `\sum_{r=1}^i` is no r
    of other formulas, nor is the i."""
    chain = n.sub
    if not isinstance(chain, Chain) or len(chain.links) != 1 or chain.links[0][0] != "=":
        return set()
    c, start = letter(chain.first), chain.links[0][1]
    end = letter(n.sup)
    is_from_one = c is not None and isinstance(start, Literal) and start.text != "0"
    return {x for x in (c, end) if x is not None} if is_from_one else set()


def _summed_from_one(names: Names, n: Big) -> Iterator[str]:
    r"""The names that a sum takes from their first place on, as it counts: the eta of `\sum_{k=1}^K e^{\eta_k}`."""
    start = n.sub.links[0][1] if isinstance(n.sub, Chain) and [r for r, _ in n.sub.links] == ["="] else None
    c = letter(n.sub.first) if isinstance(n.sub, Chain) else None
    if c is not None and isinstance(start, Literal) and start.text == "1":
        for m in walk(n.body):
            w = names.written(m) if isinstance(m, Scripted) else None
            if w is not None and any(letter(s.node) == c for s in w.slots):
                yield w.stem


def _is_all_below(w: Written) -> bool:
    """Whether all indices of a name stand below it."""
    return bool(w.slots) and all(s.style == "d" for s in w.slots)


def _placing(node: Node) -> set[str]:
    """The letters of an index whose start tells where it starts: the i of `i`, `2i` and `2i + 1`.

    A distance tells nothing: x_{t-j} starts where t does, whatever j starts from.
    """
    if isinstance(node, Infix) and node.operator in ("+", "-"):
        return {c for part in (node.left, node.right) if letter(part) is None for c in _placing(part)}
    return set(letters_in(node))


def _sharing(below: dict[str, set[str]], zero: set[str]) -> Iterator[str]:
    """The names of a formula that have a letter in common with one whose indices start from 0."""
    letters = {c for stem in zero & below.keys() for c in below[stem]}
    yield from (stem for stem, own in below.items() if own & letters)


def _called(names: Names, node: Adjacent) -> Iterator[tuple[str, set[str]]]:
    """Functions with the letters below their values: the i and j of `f(A)_{i,j}`."""
    for head, after in pairwise(node.items):
        w = names.written(head)
        if w is not None and isinstance(after, Scripted) and isinstance(after.base, Enclosed) and after.sub is not None:
            parts = after.sub.items if isinstance(after.sub, Listed | Adjacent) else (after.sub,)
            yield w.stem, {c for p in parts if (c := letter(p)) is not None}


def collect_zero_ranges(names: Names, readings: list[Reading]) -> None:
    """`a_j = …` for `j = 0, 1, …` or `0 <= j < n`, said right after it or as its condition: the index of a starts from 0."""
    before: Node | None = None
    for r in readings:
        own = r.chain.first if r.chain.links and r.chain.links[0][0] == "=" else None
        ranges = [(own, c) for c in r.conditions]
        if _from_zero(r.chain) is not None:
            ranges.append((before, r.chain))
        else:
            before = own
        for left, said in ranges:
            c = _from_zero(said)
            w = names.written(left) if c is not None and isinstance(left, Scripted) else None
            if w is not None and [letter(s.node) for s in w.slots] == [c]:
                names.evidence[w.stem].zero = True


def is_from_zero(names: Names, stem: str) -> bool:
    """Whether an index 0 of the name, or of one that it shares its index with, is written."""
    todo, seen = [stem], {stem}
    while todo:
        e = names.evidence.get(todo.pop())
        if e is not None and e.from_zero:
            return True
        more = e.zero_with - seen if e is not None else set()
        todo += more
        seen |= more
    return False


def collect_starts(names: Names, nodes: list[Node]) -> None:
    """In a document that counts from 0 and from 1, names whose index runs from 0 wherever a sum binds it."""
    found: dict[str, set[str]] = defaultdict(set)
    for n in nodes:
        sub = n.sub if isinstance(n, Big) else None
        if not isinstance(n, Big) or not isinstance(sub, Chain) or len(sub.links) != 1 or sub.links[0][0] != "=":
            continue
        start, c = sub.links[0][1], letter(sub.first)
        for m in walk(n.body) if isinstance(start, Literal) and c is not None else ():
            w = names.written(m) if isinstance(m, Scripted) else None
            if w is not None and any(letter(s.node) == c for s in w.slots):
                found[w.stem].add(start.text)  # type: ignore[attr-defined]
    if {0, 1} <= names.starts:
        for stem, starts in found.items():
            names.evidence[stem].zero = names.evidence[stem].zero or starts == {"0"}


def is_before(node: Node | None) -> bool:
    """`i - 1`: where that is 0, i is 1."""
    return isinstance(node, Infix) and node.operator == "-" and isinstance(node.right, Literal)


def _from_zero(said: Node) -> str | None:
    """The index of `j = 0, 1, …` and of `0 <= j < n`."""
    if not isinstance(said, Chain) or not said.links:
        return None
    relations = [relation for relation, _ in said.links]
    right = said.links[0][1]
    if relations == ["="] and isinstance(right, Listed) and any(isinstance(n, Mark) for n in right.items):
        return letter(said.first) if isinstance(right.items[0], Literal) and right.items[0].text == "0" else None
    is_range = len(relations) == 2 and {"<", "<="}.issuperset(relations) and relations[0] == "<="
    return letter(right) if is_range and isinstance(said.first, Literal) and said.first.text == "0" else None
