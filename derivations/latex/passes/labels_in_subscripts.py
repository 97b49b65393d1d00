r"""Labels: families of positions on an axis, as the class `y_n` of example n in `P_{n, y_n}`, or the token in `E_{w_t}`.

A name with indices of its own that stands below another name is no array of numbers: it says which entry is meant.
Wherever it occurs it becomes a `Label`.  That it stands below a name is not enough, because $\mu_{X_i}$ may be the mean
of $X_i$: the place must be one that letters take elsewhere, or an axis of an array with a stated shape, or the name must
be declared as a member of `{1, …, K}`; and it must not be calculated with anywhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from derivations.latex.passes.short_forms import mapped_readings
from derivations.latex.syntax.letters import letter
from derivations.latex.syntax.surface import (
    Adjacent,
    Big,
    Chain,
    Enclosed,
    Infix,
    Label,
    Listed,
    Literal,
    Mark,
    Name,
    Node,
    Reading,
    Scripted,
    walk,
    walk_reading,
)

_Key = tuple[str, str, tuple[str, ...]]
"""A letter, its font and its accents."""
_COMPARED = frozenset({"=", "!=", "in", "colon", "mid"})
"""Relations of conditions, and of the sets that they describe."""


def with_labels(readings: Sequence[Reading]) -> list[Reading]:
    """The readings with `Label` for the names that say which entry is meant."""
    found = _found(readings)
    if not found:
        return list(readings)

    def change(node: Node) -> Node:
        if isinstance(node, Scripted):
            if (label := _as_label(node)) is not None and _key(label.name) in found:
                return label
            sub = _apart(node.sub)
            return node if sub is node.sub else replace(node, sub=sub)
        return node

    return mapped_readings(readings, change)


def _apart(sub: Node | None) -> Node | None:
    """`{n y_n}` side by side as a list of two places."""
    if isinstance(sub, Adjacent) and any(isinstance(n, Label) for n in sub.items):
        if all(isinstance(n, Label | Literal) or letter(n) is not None for n in sub.items):
            return Listed(sub.span, sub.items)
    return sub


def _key(name: Name) -> _Key:
    return name.base, name.font, name.accents


def _as_label(node: Node) -> Label | None:
    """`y_n`, `w_{t+1}`, `y^{(i)}` as a label, whatever it is."""
    if not isinstance(node, Scripted) or not isinstance(node.base, Name) or node.base.primes:
        return None
    above = node.sup.content if isinstance(node.sup, Enclosed) and node.sup.kind == "()" else None
    if node.sup is not None and above is None:
        return None
    parts = [p for script in (above, node.sub) if script is not None for p in _places(script)]
    if not parts or not all(map(is_place, parts)):
        return None
    return Label(node.span, node.base, tuple(parts))


def _places(script: Node) -> tuple[Node, ...]:
    """The places in a script, one after the other."""
    if isinstance(script, Listed):
        return script.items
    if isinstance(script, Adjacent) and all(letter(n) is not None for n in script.items):
        return script.items
    return (script,)


def is_place(node: Node) -> bool:
    """A letter, a number, or a sum of them."""
    if isinstance(node, Infix) and node.operator in ("+", "-"):
        return is_place(node.left) and is_place(node.right)
    return letter(node) is not None or (isinstance(node, Literal) and node.text.isdigit())


@dataclass
class _Evidence:
    """What a document shows of the names with scripts below other names."""

    below: dict[_Key, set[tuple[_Key, int, int]]] = field(default_factory=dict)
    """Where a name stands below others: the name above, which place of how many."""
    lettered: set[tuple[_Key, int, int]] = field(default_factory=set)
    """The places that are taken by letters alone."""
    shaped: set[_Key] = field(default_factory=set)
    """Names of which a shape with at least one axis is stated."""
    ranged: set[_Key] = field(default_factory=set)
    """Names that are declared to be among numbers which are counted up to a letter."""
    calculated: set[_Key] = field(default_factory=set)


def _found(readings: Sequence[Reading]) -> set[_Key]:
    """The names that are labels."""
    e = _Evidence()
    letters = {c for r in readings for c in index_letters_of(r)}
    for r in readings:
        for n in walk_reading(r):
            _look_below(e, n, letters)
        _look_at_membership(e, r.chain)
        for top in (r.chain, *r.conditions):
            _look_at_uses(e, top, calculated=bool(r.chain.links))
    found = set()
    for key in (e.below.keys() | e.ranged) - e.calculated:
        places = e.below.get(key, set())
        if key in e.ranged or not places.isdisjoint(e.lettered) or any(above in e.shaped for above, _, _ in places):
            found.add(key)
    return found


def index_letters_of(r: Reading) -> Iterator[str]:
    """The letters that a formula uses as indices: below sums, and in scripts of what does not itself stand in a script."""
    inside: set[int] = set()
    for n in walk_reading(r):  # outermost first
        if isinstance(n, Big) and n.sub is not None:
            yield from (c for m in walk(n.sub) if (c := letter(m)) is not None)
        elif isinstance(n, Scripted) and id(n) not in inside:
            for script in (n.sub, n.sup.content if isinstance(n.sup, Enclosed) else None):
                if script is not None:
                    inside |= {id(m) for m in walk(script)}
                    yield from (c for p in _places(script) if (c := letter(p)) is not None)


def _look_below(e: _Evidence, node: Node, letters: set[str]) -> None:
    """Names with indices below a name, and the places that letters take below it."""
    if not isinstance(node, Scripted) or not isinstance(node.base, Name) or node.sub is None:
        return
    if node.base.base == "nabla" or node.base.base == "partial" or node.base.font == "blackboard":
        return
    key = _key(node.base)
    items = node.sub.items if isinstance(node.sub, Listed | Adjacent) else (node.sub,)
    for k, item in enumerate(items):
        place = (key, k, len(items))
        if letter(item) is not None:
            e.lettered.add(place)
        elif (label := _as_label(item)) is not None:
            own = {c for p in label.places for m in walk(p) if (c := letter(m)) is not None}
            if own and own <= letters:
                e.below.setdefault(_key(label.name), set()).add(place)


def _look_at_membership(e: _Evidence, chain: Chain) -> None:
    r"""`E \in \mathbb{R}^{V \times d}` states a shape, `y_n \in \{1, \dots, K\}` a range."""
    if chain.first is None or len(chain.links) != 1 or chain.links[0][0] != "in":
        return
    right = chain.links[0][1]
    members = chain.first.items if isinstance(chain.first, Listed) else (chain.first,)
    if isinstance(right, Scripted) and isinstance(right.base, Name) and right.base.base == "R":
        e.shaped |= {_key(m) for m in members if isinstance(m, Name)} if isinstance(right.sup, Infix) else set()
    elif _is_range(right):
        e.ranged |= {_key(label.name) for m in members if (label := _as_label(m)) is not None}


def _is_range(node: Node) -> bool:
    r"""`\{1, \dots, K\}`, `\{0, \dots, K - 1\}`."""
    content = node.content if isinstance(node, Enclosed) and node.kind == "{}" else None
    if not isinstance(content, Listed) or not any(isinstance(n, Mark) for n in content.items):
        return False
    first, last = content.items[0], content.items[-1]
    return isinstance(first, Literal) and first.text in ("0", "1") and any(letter(m) is not None for m in walk(last))


def _look_at_uses(e: _Evidence, node: Node, *, calculated: bool) -> None:
    """Names with indices that are calculated with, or given a value.

    They are not where they stand below a name, are compared as a condition, are members of a set or are what a function is
    applied to.
    """
    if calculated and (label := _as_label(node)) is not None:
        e.calculated.add(_key(label.name))
    match node:
        case Scripted(base=base, sub=sub, sup=sup):
            _look_at_uses(e, base, calculated=not isinstance(base, Name))
            if sub is not None:
                _look_at_uses(e, sub, calculated=False)
            if sup is not None:
                _look_at_uses(e, sup, calculated=not isinstance(sup, Enclosed))
        case Big(sub=sub, sup=sup, body=body):
            if sub is not None:
                _look_at_uses(e, sub, calculated=False)
            if sup is not None:
                _look_at_uses(e, sup, calculated=True)
            _look_at_uses(e, body, calculated=True)
        case Enclosed(content=content) if content is not None:
            _look_at_uses(e, content, calculated=False)
        case Listed(items=items):
            for item in items:
                _look_at_uses(e, item, calculated=False)
        case Chain():
            compared = not calculated and all(relation in _COMPARED for relation, _ in node.links)
            member = [relation for relation, _ in node.links] == ["in"]
            for part in node.parts:
                _look_at_uses(e, part, calculated=not compared and not member)
        case _:
            for part in node.parts:
                _look_at_uses(e, part, calculated=calculated or not isinstance(node, Adjacent))
