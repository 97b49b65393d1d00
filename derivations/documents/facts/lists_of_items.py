"""Lists of a document: the words that lead to an item, and the formulas that head it, `$c > 1$: the sequence grows`."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction as Rational

from derivations.documents.model.document import MARK, Block, Document, MathSpan, Prose
from derivations.latex.syntax.surface import Chain, Fraction, Literal, Node, Prefix, bare

MAX_ITEMS = 40
"""Blocks of a list through which its beginning is looked for, and items beside one that are looked at."""
MAX_WORDS = 3
"""Most words in a head beside its formulas: `If $a > 0$ and $b < 0$:` is one, a clause with a colon after it is none."""
_TAG = re.compile(r"<(/?[a-z]+)\b")
_EMPHASIS = ("***", "___", "**", "__", "*", "_")
_WORD = re.compile(r"[^\W\d_]+")
_HEAD_ENDS = re.compile(r"[:：→⇒]|[-=]>|(?<=[\s*_])[-–—]+(?=\s)|[—]")


def lead_of_list(document: Document, span: MathSpan) -> str:
    """The unfinished sentence that a list goes on with, for an item of it: `T is called a shear if`.

    The first item of a list in Markdown has it before it anyway; the tags of one in HTML are blocks of their own.
    """
    at = _before_list(document, document.block_of(span))
    before = document.blocks[at] if at is not None and at >= 0 else None
    if not isinstance(before, Prose) or not before.words.rstrip().endswith((":", "if", "when", "that")):
        return ""
    return document.last_sentence(before).rstrip(" :")


def _before_list(document: Document, block: Block) -> int | None:
    """Where the block stands that comes before the list of an item; None for what is in no list."""
    at, scope = block.index - 1, block.scope
    if _is_item(block):
        while at >= 0 and _in_list_of(document.blocks[at], scope):
            at -= 1
        return at
    for k in range(at, max(at - MAX_ITEMS, -1), -1):
        tags = _TAG.findall(document.blocks[k].text.text)
        if any(tag in ("/ol", "/ul") for tag in tags):
            return None
        if any(tag in ("ol", "ul") for tag in tags):
            return k - 1
    return None


def _is_item(block: Block) -> bool:
    return bool(block.scope) and block.scope[-1].startswith("item")


def _in_list_of(block: Block, scope: tuple[str, ...]) -> bool:
    """Whether a block stands in the list of an item with this scope."""
    own = block.scope
    return len(own) >= len(scope) and own[: len(scope) - 1] == scope[:-1] and own[len(scope) - 1].startswith("item")


def formulas_in_head(block: Block) -> tuple[int, ...]:
    """The numbers of the formulas that head an item or a paragraph, before a colon, a dash or an arrow and more text.

    A paragraph has a head in emphasis only; the label of an item in LaTeX is its head.  A head is formulas with next to no
    words, or a title with them in parentheses: a sentence before a colon claims what it says.
    """
    if not isinstance(block, Prose) or not block.spans:
        return ()
    text = block.words.strip()
    if _is_item(block) and text.startswith("[") and "]" in text:
        head, _, rest = text[1:].partition("]")
        return _numbers_of(head.rstrip(" :"), rest)
    mark = next((m for m in _EMPHASIS if text.startswith(m)), "")
    found = _HEAD_ENDS.search(text)
    if found is None or not (mark or _is_item(block)):
        return ()
    head, rest = text[len(mark) : found.start()].rstrip(), text[found.end() :]
    title, closing, aside = head.partition(mark) if mark else ("", "", "")
    if closing and aside.strip().startswith("(") and aside.endswith(")") and MARK.search(title) is None:
        return _numbers_of(aside, rest)
    closes = not mark or head.endswith(mark) or rest.startswith(mark)
    return _numbers_of(head.removesuffix(mark), rest.removeprefix(mark)) if closes else ()


def _numbers_of(head: str, rest: str) -> tuple[int, ...]:
    words = MARK.sub(" ", head)
    is_head = len(_WORD.findall(words)) <= MAX_WORDS and not any(c in words for c in ".!?;")
    more = _WORD.search(rest) is not None or MARK.search(rest) is not None
    return tuple(map(int, MARK.findall(head))) if is_head and more else ()


def heads_beside(document: Document, span: MathSpan) -> Iterator[int]:
    """The numbers of the formulas that head the other items of the list in which a formula heads one."""
    own = document.block_of(span)
    if _is_item(own) and span.index in formulas_in_head(own):
        for block in _items_beside(document, own):
            yield from formulas_in_head(block)


def _beginning_items(document: Document, span: MathSpan) -> Iterator[int]:
    """The numbers of the formulas with which the other items begin, for one that begins its item."""
    own = document.block_of(span)
    if _is_item(own) and span.index in _first_formula(own):
        for block in _items_beside(document, own):
            yield from _first_formula(block)


def _items_beside(document: Document, own: Block) -> Iterator[Block]:
    """The first blocks of the other items of a list."""
    for step in (-1, 1):
        at = own.index + step
        while 0 <= at < len(document.blocks) and abs(at - own.index) <= MAX_ITEMS:
            block = document.blocks[at]
            if not _in_list_of(block, own.scope):
                break
            if block.scope[-1] != own.scope[-1] and len(block.scope) == len(own.scope):
                yield block
            at += step


def _first_formula(block: Block) -> tuple[int, ...]:
    """The number of the formula that an item begins with: `- $c > 1$ means that it grows`."""
    found = MARK.match(block.words.strip()) if isinstance(block, Prose) else None
    return () if found is None else (int(found.group(1)),)


_EXCLUDED = {">": {"<", "<=", "="}, "<": {">", ">=", "="}, "=": {"<", ">", "!="}, ">=": {"<"}, "<=": {">"}, "!=": {"="}}
"""The relations that exclude one between the same sides."""
_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "="}


def names_case(document: Document, span: MathSpan, chain: Chain, chains: Callable[[int], Iterable[Chain]]) -> bool:
    """Whether a formula heads an item of a list in which another head excludes it: `$c > 1$: up` beside `$c < 1$: down`.

    So do the alternatives of one sentence, `which of $c > 0$, $c = 0$ and $c < 0$ holds`.  An author cannot mean both: they
    are the cases of which the items speak.  `chains` gives the formulas by their numbers.
    """
    if any(_exclude(chain, other) for number in heads_beside(document, span) for other in chains(number)):
        return True
    beside = (*_beginning_items(document, span), *_in_sentence(document, span))
    others = (other for number in beside for other in chains(number))
    return any(_exclude(chain, other) and not (_is_equation(chain) and _is_equation(other)) for other in others)


def _is_equation(chain: Chain) -> bool:
    return all(sign == "=" for sign, _ in chain.links)


def _in_sentence(document: Document, span: MathSpan) -> Iterator[int]:
    """The numbers of the other formulas of the sentence in which a formula stands in line."""
    if not span.display:
        context = document.context(span)
        yield from map(int, MARK.findall(f"{context.before} {context.after}"))


def _exclude(one: Chain, other: Chain) -> bool:
    """Whether two formulas say what cannot be so at once: other relations of the same sides, or ranges that do not meet."""
    a, b = _range_of(one), _range_of(other)
    if a is not None and b is not None:
        return bare(a.of) == bare(b.of) and (a.is_below(b) or b.is_below(a))
    if one.first is None or other.first is None or len(one.links) != 1 or len(other.links) != 1:
        return False
    (sign, value), (sign_there, value_there) = one.links[0], other.links[0]
    same = bare(one.first) == bare(other.first) and bare(value) == bare(value_there)
    return same and sign_there in _EXCLUDED.get(sign, ())


@dataclass(frozen=True, slots=True)
class _Range:
    """The numbers from `low` to `high`, each with whether it is one of them, that a formula leaves to an expression."""

    of: Node
    low: tuple[Rational | float, bool] = (-math.inf, False)
    high: tuple[Rational | float, bool] = (math.inf, False)

    def is_below(self, other: _Range) -> bool:
        return self.high[0] < other.low[0] or (self.high[0] == other.low[0] and not (self.high[1] and other.low[1]))


def _range_of(chain: Chain) -> _Range | None:
    """The numbers that are left by `c > 1`, `c = 1` or `0 < c < 1`."""
    if chain.first is None or not 1 <= len(chain.links) <= 2:
        return None
    sides = [chain.first, *(n for _, n in chain.links)]
    values = [_number(n) for n in sides]
    named = [k for k, value in enumerate(values) if value is None]
    if len(named) != 1 or (len(sides) == 3 and named != [1]):
        return None
    found = _Range(sides[named[0]])
    for k, (sign, _) in enumerate(chain.links):
        sign = sign if k == named[0] else _TURNED.get(sign, "")
        value = values[k + 1] if k == named[0] else values[k]
        if value is None or sign not in _TURNED:
            return None
        if sign in ("<", "<=", "="):
            found = replace(found, high=(value, sign != "<"))
        if sign in (">", ">=", "="):
            found = replace(found, low=(value, sign != ">"))
    return found


def _number(node: Node) -> Rational | None:
    """The value of a number as written, with a sign or as a fraction."""
    match node:
        case Literal():
            try:
                return Rational(node.text)
            except ValueError:
                return None
        case Prefix(operator="-", operand=inner):
            value = _number(inner)
            return None if value is None else -value
        case Fraction(above=above, below=below):
            value, by = _number(above), _number(below)
            return None if value is None or not by else value / by
    return None


def holds_there(document: Document, condition: MathSpan, span: MathSpan) -> bool:
    """Whether a condition may hold at another formula: one that heads an item or a paragraph holds in it alone."""
    own, there = document.block_of(condition), document.block_of(span)
    if condition.index not in formulas_in_head(own):
        return True
    return there.scope[: len(own.scope)] == own.scope if _is_item(own) else there is own
