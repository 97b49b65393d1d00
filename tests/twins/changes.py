"""Changes of the LaTeX of one relation, one small thing each."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from derivations.latex.syntax.letters import letter
from derivations.latex.syntax.surface import (
    Adjacent,
    Big,
    Chain,
    Enclosed,
    Fraction,
    Infix,
    Listed,
    Literal,
    Mark,
    Name,
    Node,
    Operator,
    Prefix,
    Reading,
    Root,
    Scripted,
    Span,
    walk,
)

KINDS = ("sign", "index", "factor", "transposition", "bound")
_ORDER = {"<=": (r"\\leqslant|\\leq|\\le|≤", "<"), "<": (r"\\lt(?![a-z])|<", r"\\le ")}
_ORDER |= {">=": (r"\\geqslant|\\geq|\\ge|≥", ">"), ">": (r"\\gt(?![a-z])|>", r"\\ge ")}
_WHOLE = (Name, Scripted, Adjacent, Fraction, Operator, Big, Enclosed, Root)
_COMMAND_AT_END = re.compile(r"\\[A-Za-z]+$")


@dataclass(frozen=True)
class Change:
    """The stretch `start:end` of a formula becomes `text`."""

    kind: str
    start: int
    end: int
    text: str

    def applied(self, source: str) -> str:
        """The formula with the change.

        >>> Change("sign", 2, 3, "-").applied("a + b")
        'a - b'
        """
        return source[: self.start] + self.put(source) + source[self.end :]

    def put(self, source: str) -> str:
        """The new stretch, with a space where a command would swallow the letter behind it."""
        runs_on = _COMMAND_AT_END.search(source[: self.start] + self.text) and source[self.end :][:1].isalpha()
        return self.text + (" " if runs_on else "")


def changes(source: str, reading: Reading, link: int, is_matrix: Callable[[Node], bool]) -> Iterator[Change]:
    """All changes of one relation of a chain: of its right side, of a compound left side, of its conditions."""
    chain = reading.chain
    relation, right = chain.links[link]
    if relation == "in":  # of a set only its sizes are a claim
        for n in walk(right):
            if isinstance(n, Infix) and n.operator == "times":
                texts = [source[slice(*m.span)] for m in (n.right, n.left)]
                yield Change("transposition", *n.span, r" \times ".join(texts))
        return
    sides = [right]
    if link == 0 and chain.first is not None and not isinstance(chain.first, Name | Scripted):
        sides.append(chain.first)
    whole = [n for n in (chain.first, *(n for _, n in chain.links), *reading.conditions) if n is not None]
    letters = list(dict.fromkeys(c for n in whole for c in _index_letters(n)))
    found: dict[tuple[int, int, str], Change] = {}
    for side in sides:
        for c in (*_of_whole(side), *_of_parts(source, side, letters, is_matrix)):
            found.setdefault((c.start, c.end, c.text), c)
    for condition in reading.conditions:
        for c in _bounds(source, condition):
            found.setdefault((c.start, c.end, c.text), c)
    for c in found.values():
        if 0 <= c.start <= c.end <= len(source) and c.applied(source) != source:
            yield c


def _of_whole(side: Node) -> Iterator[Change]:
    """A minus or a factor before a side."""
    if isinstance(side, _WHOLE):
        yield Change("sign", side.span[0], side.span[0], "-")
    if isinstance(side, (*_WHOLE, Infix)):
        yield Change("factor", side.span[0], side.span[0], "2 ")
        yield Change("factor", side.span[0], side.span[0], r"\frac{1}{2} ")


def _of_parts(source: str, side: Node, letters: Sequence[str], is_matrix: Callable[[Node], bool]) -> Iterator[Change]:
    for node in walk(side):
        yield from _signs(source, node)
        yield from _factors(node)
        yield from _indices(node, letters)
        yield from _transpositions(source, node, is_matrix)
        yield from _bounds(source, node)


def _between(source: str, left: Node, right: Node, sign: str) -> Span | None:
    """Where a sign stands between two nodes; None when that is not clear."""
    at = [m.span() for m in re.finditer(re.escape(sign), source[left.span[1] : right.span[0]])]
    return (at[0][0] + left.span[1], at[0][1] + left.span[1]) if len(at) == 1 else None


def _signs(source: str, node: Node) -> Iterator[Change]:
    match node:
        case Infix(operator="+" | "-" as sign):
            at = _between(source, node.left, node.right, sign)
            if at is not None:
                yield Change("sign", *at, "-" if sign == "+" else "+")
        case Prefix(operator="-"):
            if source[node.span[0] : node.span[0] + 1] == "-":
                yield Change("sign", node.span[0], node.span[0] + 1, "")
        case Operator(arguments=(inner,)) if isinstance(inner, _WHOLE) and node.name in ("exp", "tanh", "sin"):
            yield Change("sign", inner.span[0], inner.span[0], "-")
        case _:
            pass


def _factors(node: Node) -> Iterator[Change]:
    match node:
        case Adjacent(items=(Literal() as number, second, *_)):
            yield Change("factor", number.span[0], second.span[0], "")
        case Adjacent(items=(Fraction(above=Literal(), below=Literal()) as number, second, *_)):
            yield Change("factor", number.span[0], second.span[0], "")
        case Infix(operator="+" | "-", right=right) if isinstance(right, _WHOLE):
            yield Change("factor", right.span[0], right.span[0], "2 ")
        case Operator(arguments=(inner,)) if isinstance(inner, _WHOLE) and node.name in ("exp", "softmax"):
            yield Change("factor", inner.span[0], inner.span[0], "2 ")
        case _:
            pass


def _slots(node: Node | None) -> list[tuple[str, Span]]:
    """The letters of a subscript, each with its place."""
    parts = node.items if isinstance(node, Listed | Adjacent) else (node,)
    found = [(letter(p), p.span) for p in parts if p is not None]
    return [(c, span) for c, span in found if c is not None and c.islower()]


def _index_letters(node: Node) -> Iterator[str]:
    for n in walk(node):
        if isinstance(n, Scripted) and isinstance(n.base, Name):
            yield from (c for c, _ in _slots(n.sub))
        if isinstance(n, Big):
            yield from (c for c in (letter(n.sub), *(letter(p) for p in (n.sub.parts if n.sub else ()))) if c)


def _indices(node: Node, letters: Sequence[str]) -> Iterator[Change]:
    """One index letter becomes another one of the formula; two become each other."""
    if not isinstance(node, Scripted) or not isinstance(node.base, Name | Enclosed):
        return
    slots = _slots(node.sub)
    for c, (start, end) in slots:
        for other in letters:
            if c in letters and other != c:
                yield Change("index", start, end, other)
    if len(slots) == 2 and slots[0][0] != slots[1][0] and slots[0][1][1] <= slots[1][1][0]:
        (a, (start, _)), (b, (_, end)) = slots
        comma = isinstance(node.sub, Listed)
        yield Change("transposition", start, end, f"{b}, {a}" if comma else f"{b}{' ' if len(b) > 1 else ''}{a}")


def _transpositions(source: str, node: Node, is_matrix: Callable[[Node], bool]) -> Iterator[Change]:
    match node:
        case Scripted(sup=Mark(kind="top")) | Scripted(sup=Name(base="T")):
            ends = [p.span[1] for p in (node.base, node.sub) if p is not None]
            text = source[max(ends) : node.span[1]]
            at = text.find("^")
            if at >= 0 and text.count("^") == 1:
                yield Change("transposition", max(ends) + at, node.span[1], "")
        case Adjacent(items=items):
            for n in items:
                if isinstance(n, Name | Scripted) and is_matrix(n) and not (isinstance(n, Scripted) and n.sup):
                    yield Change("transposition", n.span[1], n.span[1], r"^\top")
        case Enclosed(kind="()", content=Adjacent()):
            yield Change("transposition", node.span[1], node.span[1], r"^\top")
        case _:
            pass


def _bounds(source: str, node: Node) -> Iterator[Change]:
    match node:
        case Big(sub=sub, sup=sup):
            if isinstance(sub, Chain) and len(sub.links) == 1 and isinstance(sub.links[0][1], Literal):
                low = sub.links[0][1]
                if low.text.isdecimal():
                    yield Change("bound", *low.span, str(int(low.text) + 1))
            if sup is not None and not isinstance(sup, Mark):
                yield Change("bound", *sup.span, f"{{{source[slice(*sup.span)].strip('{}')} - 1}}")
        case Chain(first=Node() as left, links=links):
            for relation, right in links:
                pattern, other = _ORDER.get(relation, ("", ""))
                between = source[left.span[1] : right.span[0]]
                if pattern and len(re.findall(pattern, between)) == 1:
                    text = re.sub(pattern, other, between)
                    yield Change("bound", left.span[1], right.span[0], text)
                left = right
        case _:
            pass
