r"""Names of several letters or words: `\text{Context Relevance}` in an equation, and `TP` where T and P never stand alone.

LaTeX sets a run of capitals as a product.  It is one name where no letter of it stands anywhere by itself, as the factors
of a product do, and where such runs come back: `\frac{TP}{TP + FP}`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from derivations.latex.passes.short_forms import mapped_readings
from derivations.latex.syntax.surface import (
    Adjacent,
    Chain,
    Fraction,
    Infix,
    Literal,
    Name,
    Node,
    Reading,
    Scripted,
    Words,
    walk_reading,
)

_ARITHMETIC = frozenset({"+", "-", "cdot", "times", "/", "ast"})
_EQUATIONS = frozenset({"=", "equiv"})


def with_names_of_words(readings: Sequence[Reading]) -> list[Reading]:
    """The readings with phrases in arithmetic, and runs of capitals, as one name each."""
    runs = frozenset(_names_of_capitals(readings))

    def change(node: Node) -> Node:
        match node:
            case Fraction(above=above, below=below):
                return replace(node, above=_named(above), below=_named(below))
            case Infix(operator=operator, left=left, right=right) if operator in _ARITHMETIC:
                return replace(node, left=_named(left), right=_named(right))
            case Chain(first=Words() as first, links=((relation, right), *_)) if relation in _EQUATIONS:
                return node if isinstance(right, Words) else replace(node, first=_named(first))
            case Adjacent() if runs:
                return _joined(node, runs)
        return node

    return mapped_readings(readings, change)


def _named(node: Node) -> Node:
    """A phrase as a name."""
    text = " ".join(node.text.split()) if isinstance(node, Words) else ""
    return Name(node.span, text, "roman") if text and text[0].isalpha() else node


def _runs(node: Adjacent) -> Iterator[tuple[int, int]]:
    """Where plain capitals touch one another, two or more: the first of them, and the place after the last."""
    start = 0
    for k, item in enumerate((*node.items, None)):
        if item is not None and _is_capital(item) and (k == start or node.items[k - 1].span[1] == item.span[0]):
            continue
        if k - start > 1:
            yield start, k
        start = k if item is not None and _is_capital(item) else k + 1


def _is_capital(node: Node) -> bool:
    return (
        isinstance(node, Name)
        and len(node.base) == 1
        and node.base.isupper()
        and not (node.font or node.accents or node.primes)
    )


def _word(node: Adjacent, start: int, end: int) -> str:
    return "".join(n.base for n in node.items[start:end] if isinstance(n, Name))


def _names_of_capitals(readings: Sequence[Reading]) -> Iterator[str]:
    """The runs of capitals that are names."""
    found: Counter[str] = Counter()
    inside: set[int] = set()
    nodes = [n for r in readings for n in walk_reading(r)]
    for n in nodes:
        if isinstance(n, Adjacent):
            for start, end in _runs(n):
                found[_word(n, start, end)] += 1
                inside |= {id(m) for m in n.items[start:end]}
    inside |= {id(n.base) for n in nodes if isinstance(n, Scripted) and isinstance(n.sub, Literal)}  # F_1 is no F
    alone = {n.base for n in nodes if isinstance(n, Name) and id(n) not in inside}
    for word, count in found.items():
        if alone.isdisjoint(word) and (count > 1 or len(found) > 1):
            yield word


def _joined(node: Adjacent, runs: frozenset[str]) -> Node:
    """A product with such runs as one factor each."""
    items: list[Node] = []
    last = 0
    for start, end in _runs(node):
        if (word := _word(node, start, end)) in runs:
            items += [*node.items[last:start], Name((node.items[start].span[0], node.items[end - 1].span[1]), word)]
            last = end
    items += node.items[last:]
    if len(items) == len(node.items):
        return node
    return items[0] if len(items) == 1 else replace(node, items=tuple(items))
