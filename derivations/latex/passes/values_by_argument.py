r"""`H(X)`, `H(Y)`, `H(X, Y)`, `I(X; Y)`: quantities that are named after the random variables which they belong to.

An equation that defines a function uses what the function is applied to.  Where `H(X) = -\sum_x p(x) \log p(x)` and
`H(Y) = -\sum_y p(y) \log p(y)` do not, `H(X)` and `H(Y)` are two numbers, each with a name that is written like a call.

Source for the notation: Cover and Thomas, Elements of Information Theory (2006), sec. 2.1.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from derivations.latex.passes.keys_of_names import Key, key_of_name
from derivations.latex.passes.short_forms import joined, mapped_readings
from derivations.latex.syntax.function_names import arguments_of, stem_of_law
from derivations.latex.syntax.letters import letter
from derivations.latex.syntax.surface import Adjacent, Enclosed, Name, Node, Reading, Scripted, walk, walk_reading

_Call = tuple[tuple[Key, ...], str]
"""What a call has in its parentheses: names, and the signs between them."""


@dataclass
class _Uses:
    """How one name before parentheses is used in a document."""

    calls: int = 0
    defined: set[_Call] = field(default_factory=set)
    """What it is applied to where an equation that does not use it defines the value."""


def with_values_by_argument(readings: Sequence[Reading]) -> list[Reading]:
    """The readings with names for `H(X)` and `H(Y)`, where they are numbers of their own."""
    uses: dict[Key, _Uses] = defaultdict(_Uses)
    occurs: dict[Key, int] = defaultdict(int)
    within: dict[Key, int] = defaultdict(int)
    for r in readings:
        _note_definition(r, uses)
        for n in walk_reading(r):
            if (own := key_of_name(n)) is not None:
                occurs[own] += 1
            for head, called in _calls(n):
                uses[head].calls += 1
                for a in called[0]:
                    within[a] += 1
    defined = {
        head: {c for c in own.defined if all(within[a] == occurs[a] for a in c[0])}
        for head, own in uses.items()
        if own.calls == occurs[head]
    }
    variables = {a for calls in defined.values() if len(calls) > 1 for c in calls for a in c[0]}
    found = {head: {c for c in calls if variables.issuperset(c[0])} for head, calls in defined.items()}
    found = {head: calls for head, calls in found.items() if calls}
    if not found:
        return list(readings)

    def value(head: Node, after: Node) -> Node | None:
        call = _call(head, after)
        if not isinstance(head, Name) or call is None or call[1] not in found.get(call[0], ()):
            return None
        return _named(head, call[1], after)

    return mapped_readings(readings, lambda node: joined(node, value))


def _named(head: Name, call: _Call, item: Node) -> Node:
    """The name of a value, with what stands above its parentheses."""
    arguments, signs = call
    span = (head.span[0], item.span[1])
    if isinstance(item, Scripted):
        span = (head.span[0], item.base.span[1])
    name = replace(head, span=span, base=stem_of_law(head.base, [a[0] for a in arguments], signs))
    return Scripted((span[0], item.span[1]), name, None, item.sup) if isinstance(item, Scripted) else name


def _note_definition(r: Reading, uses: dict[Key, _Uses]) -> None:
    """Note what an equation with a call alone on its left says of the name."""
    left, links = r.chain.first, r.chain.links
    if not isinstance(left, Adjacent) or len(left.items) != 2 or not links or links[0][0] not in ("=", "equiv"):
        return
    call = _call(*left.items)
    if call is None or isinstance(left.items[1], Scripted):
        return
    head, called = call
    used = {own for n in walk(links[0][1]) if (own := key_of_name(n)) is not None}
    if used.isdisjoint({*called[0], head}):
        uses[head].defined.add(called)


def _calls(node: Node) -> Iterator[tuple[Key, _Call]]:
    """The calls with names alone as arguments among things side by side."""
    for before, after in pairwise(node.items) if isinstance(node, Adjacent) else ():
        if (call := _call(before, after)) is not None:
            yield call


def _call(before: Node, after: Node) -> tuple[Key, _Call] | None:
    inner = after.base if isinstance(after, Scripted) and after.sub is None else after
    if (head := key_of_name(before)) is None or not isinstance(inner, Enclosed) or inner.kind != "()":
        return None
    places, signs = arguments_of(inner)
    keys = [k for a in places if letter(a) is not None and (k := key_of_name(a)) is not None]
    return (head, (tuple(keys), signs)) if places and len(keys) == len(places) else None
