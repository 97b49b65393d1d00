r"""`\sum_{x \in \mathcal{X}} p(x) \log p(x)`: functions of the members of a finite set are families of numbers.

What a sum runs over is a finite list, and a function of its members is a list of values: `p(x)` is written `p_x` then.
A function is read so where each of its calls has one argument, a name alone, and one of these names is bound by a sum.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from derivations.latex.passes.short_forms import mapped_readings
from derivations.latex.syntax.letters import letter
from derivations.latex.syntax.surface import (
    Adjacent,
    Big,
    Chain,
    Enclosed,
    Listed,
    Name,
    Node,
    Reading,
    Scripted,
    walk,
)

_Key = tuple[str, str, tuple[str, ...], int]
"""A name without scripts: letter, font, accents, primes."""


@dataclass
class _Uses:
    """How one name is used in the relations of a document."""

    bound: bool = False
    """It is applied to a name that a sum binds there."""
    otherwise: bool = False
    """It has an index, or is applied to something else than one name."""
    arguments: set[_Key] = field(default_factory=set)


def with_families(readings: Sequence[Reading]) -> list[Reading]:
    """The readings with `p_x` for `p(x)`, where p is a function of what sums run over."""
    uses: dict[_Key, _Uses] = defaultdict(_Uses)
    values: set[tuple[_Key, _Key]] = set()
    for r in readings:
        calls = [c for part in (r.chain, *r.conditions) for c in _note(part, frozenset(), uses)]
        whole = {key for part in (r.chain, *r.conditions) for key in _values(_without_drawn(part))}
        values |= {(f, x) for f, x in calls if x in whole}
    families = {
        f
        for f, own in uses.items()
        if own.bound and not own.otherwise and not any((f, x) in values for x in own.arguments)
    }
    if not families:
        return list(readings)

    def change(node: Node) -> Node:
        if not isinstance(node, Adjacent):
            return node
        items: list[Node] = []
        for item in node.items:
            place = _argument(item)
            if items and place is not None and _key(items[-1]) in families:
                items[-1] = _member(items[-1], place, item)
            else:
                items.append(item)
        if len(items) == len(node.items):
            return node
        return items[0] if len(items) == 1 else replace(node, items=tuple(items))

    return mapped_readings(readings, change)


def _member(name: Node, place: Name, item: Node) -> Node:
    """`p_x` for `p(x)`, with what stands above the parenthesis: `p(x)^2`."""
    above = item.sup if isinstance(item, Scripted) else None
    return Scripted((name.span[0], item.span[1]), name, place, above)


def _note(node: Node, bound: frozenset[str], uses: dict[_Key, _Uses]) -> Iterator[tuple[_Key, _Key]]:
    """Note how names are used below a node; the calls with one name as their argument."""
    if isinstance(node, Big):
        for part in (node.sub, node.sup):
            if part is not None:
                yield from _note(part, bound, uses)
        yield from _note(node.body, bound | frozenset(_bound(node.sub)), uses)
        return
    if isinstance(node, Scripted) and node.sub is not None and (key := _key(node.base)) is not None:
        uses[key].otherwise = True
    if isinstance(node, Adjacent):
        for name, after in zip(node.items, node.items[1:], strict=False):
            base = name.base if isinstance(name, Scripted) else name
            if (key := _key(base)) is None or _in_parentheses(after) is None:
                continue
            place = _argument(after) if base is name else None
            if place is None:
                uses[key].otherwise |= not _is_conditional(after)  # p(y | x) is another function than p(x)
                continue
            own, argument = uses[key], _key(place)
            own.bound |= letter(place) in bound
            if argument is not None:
                own.arguments.add(argument)
                yield key, argument
    for part in node.parts:
        yield from _note(part, bound, uses)


def _without_drawn(node: Node) -> Node:
    r"""A relation without its left side where that is only said to be drawn or taken from something: the x of `x \sim q`."""
    is_drawn = isinstance(node, Chain) and [r for r, _ in node.links] in (["sim"], ["in"])
    return replace(node, first=None) if is_drawn else node  # type: ignore[call-arg]


def _values(node: Node) -> Iterator[_Key]:
    """The names that stand for values: not below a sum sign, in a subscript, or alone in parentheses after a name."""
    if isinstance(node, Name):
        if (key := _key(node)) is not None:
            yield key
        return
    parts: Sequence[Node] = node.parts
    if isinstance(node, Big):
        parts = [p for p in (node.sup, node.body) if p is not None]
    elif isinstance(node, Scripted):
        parts = [p for p in (node.base, node.sup) if p is not None]
    elif isinstance(node, Adjacent):
        before = (None, *node.items[:-1])
        parts = [
            n for b, n in zip(before, node.items, strict=True) if b is None or _key(b) is None or not _has_names(n)
        ]
    for part in parts:
        yield from _values(part)


def _bound(sub: Node | None) -> Iterator[str]:
    r"""The letters that `x`, `x \in \mathcal{X}`, `i = 1` and `x, y` below a sum sign bind."""
    for part in sub.items if isinstance(sub, Listed) else () if sub is None else (sub,):
        first = part.first if isinstance(part, Chain) else part
        if first is not None and (c := letter(first)) is not None:
            yield c


def _in_parentheses(after: Node) -> Node | None:
    """What stands in parentheses, whatever is above or below them."""
    inner = after.base if isinstance(after, Scripted) else after
    return inner.content if isinstance(inner, Enclosed) and inner.kind == "()" else None


def _has_names(after: Node) -> bool:
    r"""`(x)`, `(x, y)` and `(y \\mid x)` after a name: what a function is applied to."""
    content = _in_parentheses(after)
    return content is not None and all(isinstance(n, Name | Listed | Chain) for n in walk(content))


def _is_conditional(after: Node) -> bool:
    r"""`(y \\mid x)` and `(X = x)`: the notation has another function there."""
    content = _in_parentheses(after)
    parts = content.items if isinstance(content, Listed) else (content,)
    return any(isinstance(p, Chain) for p in parts)


def _argument(after: Node) -> Name | None:
    """The one name in the parentheses of a call whose value has no index of its own."""
    content = None if isinstance(after, Scripted) and after.sub is not None else _in_parentheses(after)
    return content if isinstance(content, Name) and letter(content) is not None else None


def _key(node: Node) -> _Key | None:
    return (node.base, node.font, node.accents, node.primes) if isinstance(node, Name) else None
