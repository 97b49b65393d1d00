r"""`\mathbb{E}_{a \sim \pi}[r(a)]` where the document sums over what `\pi` is the law of: the sum `\sum_a \pi(a) r(a)`.

That a law is one of finitely many things is shown by a sum over the argument of it: `\sum_a \pi(a)`, `\sum_i p_i` or
`\sum_a \pi(a \mid s)`.  What is drawn from any other law is a random quantity; `elaborator.expectations` reads that.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from derivations.latex.passes.short_forms import mapped, mapped_readings
from derivations.latex.syntax.letters import letter
from derivations.latex.syntax.surface import (
    Adjacent,
    Big,
    Chain,
    Enclosed,
    Infix,
    Listed,
    Literal,
    Mark,
    Name,
    Node,
    Operator,
    Reading,
    Scripted,
    Span,
    bare,
    before_bar,
    content_of,
    walk,
)

_SUMS, _INTEGRALS = frozenset({"sum"}), frozenset({"int", "iint", "oint"})


@dataclass
class _Summed:
    """The ways in which sums run over the argument of one name, and the letters that they bind."""

    call: set[str] = field(default_factory=set)
    r"""`\sum_a \pi(a)`."""
    conditional: set[str] = field(default_factory=set)
    r"""`\sum_a \pi(a \mid s)`."""
    index: set[str] = field(default_factory=set)
    r"""`\sum_i p_i`."""


_Laws = Mapping[object, _Summed]


def with_discrete_means(readings: Sequence[Reading]) -> list[Reading]:
    """The readings with sums for the means and variances under laws that the document sums over."""
    laws = _summed_over(readings)
    if not laws:
        return list(readings)
    return mapped_readings(readings, lambda node: _as_sum(node, laws))


def laws_drawn_from(readings: Sequence[Reading]) -> Iterator[tuple[int, Name]]:
    """The names of laws of one argument that these means are taken under, each with the number of a reading."""
    laws = _summed_over(readings)
    for k, r in enumerate(readings):
        for n in walk(r.chain) if laws else ():
            if isinstance(n, Operator) and _as_sum(n, laws) is not n and n.sub is not None:
                for part in n.sub.items if isinstance(n.sub, Listed) else (n.sub,):
                    draw = _draw(part, laws)
                    head = draw.probability.parts[0] if draw is not None else None
                    if isinstance(head, Name) and draw is not None and not _is_conditional(draw.probability):
                        yield k, head


def _is_conditional(probability: Node) -> bool:
    return isinstance(probability, Adjacent) and isinstance(content_of(probability.items[1]), Chain)


def _summed_over(readings: Sequence[Reading]) -> _Laws:
    """The names that are summed over their argument, and are not integrated."""
    found: dict[object, _Summed] = defaultdict(_Summed)
    integrated: set[object] = set()
    for big in (n for r in readings for n in walk(r.chain) if isinstance(n, Big)):
        bound = set(_bound(big.sub))
        for key, way, argument in (row for n in walk(big.body) for row in _uses(n)):
            if big.name in _INTEGRALS:
                integrated.add(key)
            elif big.name in _SUMS and argument in bound:
                getattr(found[key], way).add(argument)
    return {key: own for key, own in found.items() if key not in integrated}


def _bound(sub: Node | None) -> Iterator[str]:
    """The letters that a sum binds: the i of `i`, `i, j`, `i = 1` and `x \\in X`."""
    for part in sub.items if isinstance(sub, Listed) else (sub,):
        first = part.first if isinstance(part, Chain) else part
        for n in first.items if isinstance(first, Listed) else (first,):
            if n is not None and (c := letter(n)) is not None:
                yield c


def _uses(node: Node) -> Iterator[tuple[object, str, str]]:
    """The names that are applied to a letter in a node, the way, and the letter."""
    if isinstance(node, Adjacent):
        for head, after in zip(node.items, node.items[1:], strict=False):
            if isinstance(head, Name | Scripted) and isinstance(content := content_of(after), Name | Chain):
                is_plain = isinstance(content, Name)
                first = before_bar(content)
                if first is not None and (c := letter(first)) is not None:
                    yield bare(head), "call" if is_plain else "conditional", c
    elif (
        isinstance(node, Scripted) and node.sub is not None and node.sup is None and (c := letter(node.sub)) is not None
    ):
        yield bare(node.base), "index", c


# --- means as sums --------------------------------------------------------------------------------------------------


def _as_sum(node: Node, laws: _Laws) -> Node:
    if not isinstance(node, Operator) or node.name not in ("E", "Var") or node.sub is None or node.sup is not None:
        return node
    if len(node.arguments) != 1 or isinstance(node.arguments[0], Chain):
        return node
    draws = [_draw(part, laws) for part in (node.sub.items if isinstance(node.sub, Listed) else (node.sub,))]
    known = [d for d in draws if d is not None]
    if not known or len(known) < len(draws) or len({d.drawn for d in known}) < len(known):
        return node
    argument = node.arguments[0]
    for draw in known:
        argument = _renamed(argument, draw)
    if node.name == "E":
        return _mean(known, argument, node.span)
    mean = _mean(known, argument, node.span)
    of_square = _mean(known, Scripted(node.span, Enclosed(node.span, "()", argument), None, _two(node.span)), node.span)
    difference = Infix(node.span, "-", of_square, Scripted(node.span, mean, None, _two(node.span)))
    return Enclosed(node.span, "()", difference)


def _two(span: Span) -> Node:
    return Literal(span, "2")


@dataclass(frozen=True, slots=True)
class _Draw:
    """What is drawn, the letter that a sum binds for it, and its probability."""

    drawn: str
    bound: Name
    probability: Node


def _draw(part: Node, laws: _Laws) -> _Draw | None:
    r"""`a \sim \pi`, `a \sim \pi(\cdot \mid s)` or `\pi(a)` for a law that the document sums over."""
    if isinstance(part, Chain) and [relation for relation, _ in part.links] == ["sim"]:
        drawn, law = part.first, part.links[0][1]
    elif isinstance(part, Adjacent) and len(part.items) == 2:
        content = content_of(part.items[1])
        drawn, law = (before_bar(content) if content is not None else None), part
    else:
        return None
    if not isinstance(drawn, Name) or letter(drawn) is None or not isinstance(law, Name | Scripted | Adjacent):
        return None
    head = law.items[0] if isinstance(law, Adjacent) else law
    own = laws.get(bare(head))
    if own is None or (isinstance(law, Adjacent) and len(law.items) != 2):
        return None
    content = content_of(law.items[1]) if isinstance(law, Adjacent) else None
    letters = own.conditional if isinstance(content, Chain) else own.call or own.index
    name = drawn.base
    if name not in letters and name.lower() in letters:
        name = name.lower()
    bound = replace(drawn, base=name)
    if isinstance(content, Chain):
        is_place = isinstance(content.first, Mark) or (content.first is not None and bare(content.first) == bare(drawn))
        if not own.conditional or not is_place or before_bar(content) is None:
            return None
        probability: Node = _applied(head, replace(content, first=bound))
    elif content is not None and not (isinstance(content, Mark) or bare(content) == bare(drawn)):
        return None
    elif own.call:
        probability = _applied(head, bound)
    elif name in own.index and isinstance(head, Name):  # of p_i alone, x may be a value that has the probability p_i
        probability = Scripted(head.span, head, bound, None)
    else:
        return None
    return _Draw(drawn.base, bound, probability)


def _applied(head: Node, argument: Node) -> Node:
    return Adjacent(head.span, (head, Enclosed(head.span, "()", argument)))


def _renamed(argument: Node, draw: _Draw) -> Node:
    """What the mean is of, with the letter that the sum binds in place of what is drawn: `x` for `X`."""
    if draw.drawn == draw.bound.base:
        return argument
    return mapped(argument, lambda n: replace(n, base=draw.bound.base) if _is(n, draw.drawn) else n)  # type: ignore[call-arg]


def _is(node: Node, name: str) -> bool:
    return isinstance(node, Name) and node.base == name and letter(node) is not None


def _mean(draws: Sequence[_Draw], argument: Node, span: Span) -> Node:
    """The sum over all that is drawn, of what the mean is of times the probabilities."""
    body: Node = Enclosed(span, "()", argument)
    for draw in reversed(draws):
        probability = draw.probability.items if isinstance(draw.probability, Adjacent) else (draw.probability,)
        body = Enclosed(span, "()", Big(span, "sum", draw.bound, None, Adjacent(span, (body, *probability))))
    return body
