"""Conditions on indices that are written beside equations, or said in the words around them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from derivations.documents.facts.sentence_patterns import (
    BOUND_BEFORE,
    IN_WORDS,
    LETTERS_BEFORE,
    SAID_AFTER,
    SAID_BEFORE,
)
from derivations.documents.model.document import Document, Heading
from derivations.latex.elaborator.conditions import SIGNS
from derivations.latex.lexicon.name_roles import Names
from derivations.latex.lexicon.symbol_table import Table
from derivations.latex.syntax.letters import INDICES_BY_HABIT, for_all, letter, unworded
from derivations.latex.syntax.surface import (
    Adjacent,
    Chain,
    Enclosed,
    Listed,
    Literal,
    Mark,
    Name,
    Node,
    Scripted,
    Words,
    walk,
)
from derivations.study.equation_walk import Item


@dataclass(frozen=True)
class Places:
    """Items of a study: those of a formula by its number, and those of headings by the section they are of."""

    items: list[Item]
    of_span: Mapping[int, list[Item]]
    of_heading: Mapping[tuple[str, ...], list[Item]]

    @classmethod
    def of(cls, document: Document, items: list[Item]) -> Places:
        """The items by where they stand."""
        of_span: dict[int, list[Item]] = {}
        of_heading: dict[tuple[str, ...], list[Item]] = {}
        for item in items:
            of_span.setdefault(item.span.index, []).append(item)
            if isinstance(document.block_of(item.span), Heading):
                of_heading.setdefault(item.section, []).append(item)
        return cls(items, of_span, of_heading)

    def formulas(self, numbers: Iterable[str]) -> Iterator[Node]:
        """The chains of formulas with these numbers in the text."""
        for number in map(int, numbers):
            yield from (i.reading.chain for i in self.of_span.get(number, ()))

    def heads(self, item: Item) -> Iterator[Node]:
        """The formulas of the heading that an equation stands under."""
        yield from (other.reading.chain for other in self.of_heading.get(item.section, ()))


def is_range(node: Node) -> bool:
    """`1, 2, …, n`, `1 \\cdots n`."""
    dots = isinstance(node, Adjacent) and any(isinstance(n, Mark) and n.kind == "dots" for n in node.items)
    return isinstance(node, Listed) or dots


def is_between(node: Node) -> bool:
    """`0 <= t <= T`."""
    relations = [relation for relation, _ in node.links] if isinstance(node, Chain) and node.first is not None else []
    rising, falling = (all(r in signs for r in relations) for signs in (("<", "<="), (">", ">=")))
    return len(relations) == 2 and (rising or falling)


def different(node: Node) -> tuple[str, str] | None:
    """The two letters of `i \\neq j`, with or without a word before."""
    return letters_of(node, "!=")


def letters_of(node: Node, relation: str) -> tuple[str, str] | None:
    """The two letters of a relation between letters, with or without a word before."""
    if isinstance(node, Adjacent):
        rest = [p for p in node.items if not isinstance(p, Words)]
        return letters_of(rest[0], relation) if len(rest) == 1 else None
    if not isinstance(node, Chain) or node.first is None or len(node.links) != 1 or node.links[0][0] != relation:
        return None
    left, right = letter(unworded(node.first)), letter(node.links[0][1])
    return (left, right) if left is not None and right is not None else None


def compared_letters(places: Places, names: Names, item: Item) -> Iterator[tuple[str, str, str]]:
    """Pairs of indices that the equation, the words around it or its heading call different or equal: `for $i \\neq j$`.

    What is said last of a pair counts.
    """
    before = item.context.before
    after = list(places.formulas(() if (number := _formula_after(item)) is None else (number,)))
    beside = (n for node in item.reading.conditions for n in conditions_in(node))
    said = [*places.heads(item), *places.formulas(re.findall(r"⟦(\d+)⟧", before)), *beside]
    same = [*places.heads(item), *places.formulas(LETTERS_BEFORE.findall(before))]
    pairs = [(*pair, "!=") for n in said if (pair := letters_of(n, "!=")) is not None]
    pairs += [(*pair, "=") for n in same if (pair := letters_of(n, "=")) is not None]
    pairs += [(*pair, r) for n in after for r in ("!=", "=") if (pair := letters_of(n, r)) is not None]
    yield from {frozenset(p[:2]): p for p in pairs if not names.sizes & {*p[:2]}}.values()


def conditions_in(node: Node) -> Iterator[Node]:
    r"""The `i \neq j` of `(i \neq j)` and of `\forall i \neq j`; both conditions of `(u > 0, v > 0)`."""
    node = for_all(node)
    inner = node.content if isinstance(node, Enclosed) and node.kind == "()" else None
    if isinstance(inner, Listed) and all(isinstance(n, Chain) for n in inner.items):
        yield from inner.items
    else:
        yield inner if isinstance(inner, Chain) else node


def words_after(item: Item) -> str:
    """The rest of the sentence that an equation stands in; nothing after its own full stop, or before a new sentence."""
    after = item.context.after
    return "" if item.span.ends_sentence or after.strip(" ,")[:1].isupper() else after


def _formula_after(item: Item) -> str | None:
    """The number of the formula of `for $j \\leq i$`, right after an equation."""
    found = SAID_AFTER.match(words_after(item))
    return None if found is None else found.group(1)


def unread_after(places: Places, names: Names, table: Table, item: Item) -> str | None:
    """The words of a condition right after an equation, where they are not read: `for positive pairs`, `otherwise`.

    What is said of all, `for every token`, restricts nothing; nor does a range, `for $i = 1, \\dots, n$`.
    """
    after = words_after(item)
    found = SAID_AFTER.match(after)
    if found is None:
        found = IN_WORDS.match(after)
        return None if found is None else found.group(0).strip(" ,;(")
    for chain in places.formulas((found.group(1),)):
        compares = isinstance(chain, Chain) and chain.links and chain.links[0][0] in SIGNS
        if not compares or not isinstance(chain, Chain) or is_range(chain.links[0][1]):
            continue
        is_read = any(True for _ in said_beside(places, table, item)) or is_of_number(names, chain)
        if not is_read and letters_of(chain, "!=") is None:
            return "another formula"
    return None


def said_beside(places: Places, table: Table, item: Item) -> Iterator[Node]:
    """A condition in the words around an equation: `$B_{ij} = 0$ for $j \\leq i$`, `for $t > 1$, $$c_t = …$$`."""
    before = SAID_BEFORE.search(item.context.before)
    if before is None and (bound := BOUND_BEFORE.search(item.context.before)) is not None:
        chains = [i.reading.chain for i in places.of_span.get(int(bound.group(1)), ())]
        before = bound if len(chains) == 1 and _is_bound(chains[0]) else None
    said = _formula_after(item) or (before.group(1) if before is not None else None)
    other = [] if said is None else places.of_span.get(int(said), [])
    if len(other) == 1 and other[0].reading.chain.links:
        chain = other[0].reading.chain
        compares = all(relation in ("<=", "<", ">=", ">") for relation, _ in chain.links)
        if compares or _excludes(chain) or letters_of(chain, "=") or _is_length(table, chain):
            yield chain


def _excludes(chain: Chain) -> bool:
    r"""`\gamma \ne 1`: a number that a letter is not."""
    return [relation for relation, _ in chain.links] == ["!="] and isinstance(chain.links[0][1], Literal)


def _is_bound(chain: Chain) -> bool:
    """`t >= 2`: a letter, and a number that bounds it."""
    return (
        [relation in ("<=", "<", ">=", ">") for relation, _ in chain.links] == [True]
        and letter(chain.first) is not None
        and isinstance(chain.links[0][1], Literal)
    )


def _is_length(table: Table, chain: Chain) -> bool:
    """`n = 2` for a size."""
    w = table.names.written(chain.first) if chain.first is not None else None
    (relation, right), *more = chain.links
    return not more and relation == "=" and isinstance(right, Literal) and w is not None and table.is_size(w)


def compares_values(names: Names, item: Item, chain: Chain, free: Iterable[str]) -> bool:
    """Whether a condition speaks of numbers of the equation, `c > 0`, `x_i \\ge 0`, and not of indices and sizes."""
    if not all(relation in SIGNS for relation, _ in chain.links):
        return False
    used = {letter(n) for n in walk(item.reading.chain)}
    places = {*free, *names.index_letters, *names.sizes}
    for n in walk(chain):
        w = names.written(n) if isinstance(n, Scripted) else None
        if w is not None and w.slots and w.stem not in names.sizes:
            return True
        if isinstance(n, Name) and (c := letter(n)) is not None and c not in places and c in used:
            return True
    return False


def is_of_number(names: Names, node: Node) -> bool:
    """`c > 0`, `c != 1` for a c that stands nowhere as an index: a condition on a number."""
    if not isinstance(node, Chain) or len(node.links) != 1 or node.links[0][0] not in ("<", "<=", ">", ">=", "!="):
        return False
    c, bound = letter(node.first), node.links[0][1]
    if isinstance(node.first, Scripted) and isinstance(node.first.sub, Literal) and node.first.sup is None:
        c = letter(node.first.base)  # one of a few numbers, b_1
    return (
        c is not None and isinstance(bound, Literal) and c not in names.index_letters | names.sizes | INDICES_BY_HABIT
    )
