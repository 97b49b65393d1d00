"""Which equations the words of a program speak of: `# eq. (3)`, and `Y of (2)` in the docstring of a function.

A number in parentheses counts where an equation of the document has it.  Where it numbers several definitions, or several
numbers are cited, the names that the words give choose among them, in their order: `dQ, dK, dV of (3) and (5)` speaks of
three values.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from derivations.code.compare.document_symbols import Symbols, Target
from derivations.code.compare.spelling import spelled
from derivations.documents.model.document import Document
from derivations.documents.model.finding import Finding
from derivations.language.term import Entry
from derivations.latex.syntax.reader import ReadError, read_equation
from derivations.lifting.interpreter.interpret import Record
from derivations.lifting.values.python_values import Class

WORDED = re.compile(
    r"\b(?:eq|eqs|eqn|equation|formula|gl|式|公式)\.?\s*+[(（]?\s*+(\d+(?:\.\d+)*[a-z]?)\s*+[)）]?", re.IGNORECASE
)
"""A number after a word for an equation."""
_ALONE = re.compile(r"(?<![\w\])])\(([^\s()]{1,12})\)")
"""A number, or a letter, in parentheses that follow no name."""
_AT_END = re.compile(r"\(([^\s()]{1,12})\)$")
"""A number in parentheses that ends a text."""
_ENDS = frozenset("\n.;:!?⟧")
"""What a number in parentheses may stand after that begins a line or a sentence."""
_PLACES = {"left": 0, "first": 0, "right": -1, "second": 1, "third": 2, "last": -1}
"""Words for one of the equations that a number stands beside, with its place among them."""
_COMPUTED = frozenset(
    {
        "the",
        "a",
        "an",
        "this",
        "is",
        "of",
        "in",
        "from",
        "by",
        "see",
        "and",
        "or",
        "as",
        "both",
        "all",
        "each",
        "every",
        "s",
    }
    | {"eq", "eqs", "eqn", "equation", "equations", "formula", "formulas", "gl", "numbered", "return", "returns"}
    | {
        "compute",
        "computes",
        "implement",
        "implements",
        "implementation",
        "evaluate",
        "evaluates",
        "calculate",
        "calculates",
    }
    | {
        "give",
        "gives",
        "apply",
        "applies",
        "value",
        "values",
        "row",
        "rows",
        "entry",
        "entries",
        "vector",
        "matrix",
        "code",
    }
    | {
        "forward",
        "output",
        "result",
        "state",
        "function",
        "loss",
        "step",
        "one",
        "for",
        "with",
        "to",
        "layer",
        "module",
        "per",
    }
)
"""Words before a citation that say no more than that an equation is computed."""
_WORD = re.compile(r"[^\W\d_][\w']*")


def written_numbers(document: Document) -> dict[int, str]:
    """The written number of each span that has exactly one: its tag, or what stands in parentheses before it."""
    found: dict[int, str] = {}
    for span in document.spans:
        try:
            numbers = {r.number for r in read_equation(span.source, None) if r.number}
        except ReadError:
            continue
        if len(numbers) == 1:
            found[span.index] = next(iter(numbers)).strip("() ")
    listed = {k: n for k, n in _numbers_before(document) if k not in found}
    repeated = [*found.values(), *listed.values()]
    return found | {k: n for k, n in listed.items() if repeated.count(n) == 1}


def numbers_of_rows(document: Document) -> dict[int, list[tuple[tuple[int, int], str]]]:
    r"""The numbers of the equations of spans that have several, each with the line and column where it begins: `\tag{3}`
    in a row of `align`."""
    found: dict[int, list[tuple[tuple[int, int], str]]] = {}
    for span in document.spans:
        try:
            rows = [r for r in read_equation(span.source, None) if r.number] if span.display else []
        except ReadError:
            continue
        if len({r.number for r in rows}) > 1:
            starts = ((span.locate(r.chain.span[0]), str(r.number)) for r in rows)
            found[span.index] = sorted(((p.line, p.column), number.strip("() ")) for p, number in starts)
    return found


def _numbers_before(document: Document) -> Iterator[tuple[int, str]]:
    """`(2) $H = …$`: the numbers that stand before formulas."""
    for span in document.spans:
        before, mark, _ = document.paragraph(span).partition(f"⟦{span.index}⟧")
        text = before.rstrip()
        if mark and "=" in span.source and (m := _AT_END.search(text[-20:])) is not None:
            earlier = text[: -len(m.group())].rstrip(" \t")
            if not earlier or earlier[-1] in _ENDS:
                yield span.index, m.group(1)


@dataclass(frozen=True)
class Cited:
    """A symbol that words speak of, and which of several values that a function returns it is."""

    target: Target
    part: int = 0
    is_sure: bool = True
    """Whether the words say no more than that it is computed: not so `True where M of (2) is zero`."""
    is_chosen: bool = True
    """Whether it is the only one that is meant; else one of several that a number stands beside."""


@dataclass(frozen=True)
class Numbered:
    """What the equations with each written number define, or say something of."""

    symbols: Mapping[str, Sequence[Target]] = field(default_factory=dict)
    unread: Mapping[str, Finding] = field(default_factory=dict)
    """An equation that was not read, for each number of which nothing else is known."""
    shared: frozenset[str] = frozenset()
    """The numbers that stand beside some other equation as well, of which no symbol is known: it may be the one meant."""
    rests_on: Callable[[str], frozenset[str]] = lambda head: frozenset({head})
    """The symbols that one is made of, itself included."""

    def tops(self, meant: Iterable[Target]) -> list[Target]:
        """The symbols among these that none of the others is made of: the loss beside the numbers that it sums."""
        known = list(meant)
        below = {t.head: self.rests_on(t.head) for t in known}
        return [t for t in known if not any(t.head in below[o.head] for o in known if o is not t)]


def numbered_symbols(document: Document, findings: Sequence[Finding], symbols: Symbols) -> Numbered:
    """The symbols that the equations with each number define, or say something of."""
    numbers, rows = written_numbers(document), numbers_of_rows(document)
    by_head = {t.head: t for t in symbols.targets}
    found: dict[str, dict[str, Target]] = {}
    unread: dict[str, Finding] = {}
    others: set[str] = set()
    for f in findings:
        at = f.place.line, f.place.column
        number = numbers.get(f.span) or next((n for start, n in reversed(rows.get(f.span, [])) if start <= at), None)
        if number is None:
            continue
        head = f.definition.name if f.definition is not None else _left_head(f)
        if head in by_head:
            found.setdefault(number, {})[head] = by_head[head]
        elif (side := _only_side(f, symbols)) is not None:
            found.setdefault(number, {})[side.head] = side
        elif f.kind != "step":
            others.add(number)
            if f.status == "unread":
                unread.setdefault(number, f)
    known = {number: list(own.values()) for number, own in found.items()}
    lost = {n: f for n, f in unread.items() if n not in known}
    return Numbered(known, lost, frozenset(others & known.keys()), symbols.under)


def _only_side(f: Finding, symbols: Symbols) -> Target | None:
    """What a derivative, or another expression, is proved to be: code of an equation about one computes that."""
    own = [t for t in symbols.stated if t.finding is f] if f.status == "proved" else []
    return own[-1] if own and not isinstance(f.statements[0].left, Entry) else None


def _left_head(f: Finding) -> str:
    """The symbol that stands alone at the left of a claim."""
    left = f.statements[0].left if f.kind == "claim" and f.statements else None
    return left.name if isinstance(left, Entry) else ""


def numbers_in(text: str, known: Container[str], *, alone: bool) -> list[tuple[int, str]]:
    """The numbers of equations that a text writes, each with where it stands.

    `alone`: numbers in parentheses need no word for an equation before them.
    """
    marks = [(m.start(), m.group(1)) for m in WORDED.finditer(text)]
    marks += [(m.start(), m.group(1)) for m in _ALONE.finditer(text)] if alone else []
    return sorted((at, number) for at, number in marks if number in known)


def ends_with_number(text: str) -> bool:
    """Whether a comment ends with a number in parentheses, as `# (5.4)` and `# second moment, (5.3).`: it cites without a
    word for an equation."""
    return _AT_END.search(text.rstrip(" .:;")) is not None


def cited_in(text: str, numbered: Numbered, *, alone: bool) -> list[Cited]:
    """The symbols that a text speaks of by the numbers of their equations.

    Where a number stands beside several, the names before it choose, or a word for a place (`(3), left`), or there is
    one that the others are parts of; else each of them may be meant.
    """
    known = numbers_in(text, numbered.symbols, alone=alone)
    meant = {t.head: t for _, number in known for t in numbered.symbols[number]}
    if not meant:
        return []
    sure = _says_only(text[: known[0][0]], meant.values()) and all(n not in numbered.shared for _, n in known)
    if len(meant) == 1:
        return [Cited(t, is_sure=sure) for t in meant.values()]
    said = [w.group() for w in _WORD.finditer(text[: known[0][0]])]
    named = [t for word in dict.fromkeys(said) for t in meant.values() if _is_called(word, t)]
    if named:
        chosen = len({t.stem for t in named}) == len(named)
        return [Cited(t, k, sure) for k, t in enumerate(named)] if chosen else []
    if (placed := _at_place(text, known, numbered)) is not None:
        return [Cited(placed, is_sure=sure)]
    tops = numbered.tops(meant.values())
    return [Cited(t, is_sure=sure, is_chosen=len(tops) == 1) for t in tops]


def _at_place(text: str, known: Sequence[tuple[int, str]], numbered: Numbered) -> Target | None:
    """The symbol that a word for a place chooses beside one number: `(3), left`, `the second of (3)`."""
    if len(known) != 1:
        return None
    at, number = known[0]
    after = text[at:].partition(number)[2].lstrip(")）").split("\n")[0]
    near = [w.group().lower() for w in (*list(_WORD.finditer(text[:at]))[-4:], *list(_WORD.finditer(after))[:2])]
    said = {_PLACES[w] for w in near if w in _PLACES}
    own = numbered.symbols[number]
    place = next(iter(said)) if len(said) == 1 else len(own)
    return own[place] if place < len(own) else None


def _says_only(words: str, targets: Iterable[Target]) -> bool:
    """Whether words before a number name symbols, and say of them that they are computed."""
    known = list(targets)
    names = (w.group() for w in _WORD.finditer(words))
    return all(w.lower() in _COMPUTED or any(_is_called(w, t) for t in known) for w in names)


def _is_called(word: str, target: Target) -> bool:
    """Whether a word is the name of a symbol, capitals told from small letters where it is one letter."""
    return word == target.stem or (len(word) > 1 and spelled(word) == spelled(target.stem))


def docstrings(record: Record) -> Iterator[str]:
    """The docstrings of a function, or of a class and of what it does when it is called."""
    value = record.value
    nodes: list[ast.AST] = [record.node] if isinstance(record.node, (ast.FunctionDef, ast.ClassDef)) else []
    if isinstance(value, Class) and value.method is None and value.entry is not None:
        nodes.append(value.entry.node)
    for node in nodes:
        text = ast.get_docstring(node) if isinstance(node, (ast.FunctionDef, ast.ClassDef)) else None
        if text:
            yield text


def first_lines(record: Record) -> Iterator[str]:
    """The first paragraphs of these docstrings."""
    return (text.split("\n\n")[0] for text in docstrings(record))
