"""What sentences say of the parts of matrices: which names are the rows or the columns of which matrix."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_ONE = r"⟦\d+⟧"
_MANY = rf"({_ONE}(?:\s*(?:,|and|,\s*and|、|和|与)\s*{_ONE}){{0,31}}+)"
_LAST = rf"({_ONE}(?:\s*(?:,|and|,\s*and|、|和|与)\s*{_ONE}(?!\s*,?\s*(?:the|are|is|be|as)\b)){{0,31}}+)"
"""The same at the end of a phrase: what the next phrase speaks of is left to it."""
_MADE = r"(?:collected|stacked|arranged|packed|gathered|put|taken|stored|written|kept)"
_AS_PARTS = re.compile(
    rf"{_MANY}(?:\s*,?\s*(?:which|that)\b[^.,;:⟦]{{0,50}}|\s*,?\s*{_MADE}?)"
    r"(?:\s+(?:as|into|form|are|is|be|denotes?|make up|for)(?:\s+the)?|\s+the)\s+"
    rf"(rows?|row vectors?|columns?|column vectors?)\s+of\s+(?:an?\s+|the\s+)?(?:[a-z]+\s+)?{_LAST}",
    re.IGNORECASE,
)
"""`x_1, …, x_n are the rows of X`."""
_PARTS_BE = re.compile(
    rf"\b(rows?|columns?)\s+of\s+(?:the\s+)?(?:matri(?:x|ces)\s+)?{_MANY}\s*,?\s*(?:be|are|is|by|as|called|denoted(?:\s+by)?)\s+{_MANY}",
    re.IGNORECASE,
)
"""`let the rows of Q and K be q_t and k_t`."""
_THE_PARTS = re.compile(
    rf"\bthe\s+(rows|columns)\s+{_MANY}\s+of\s+(?:the\s+)?(?:[a-z]+\s+)?{_LAST}"
    rf"(?:\s*\([^()]*\))?(?:\s*,?\s*and\s+(?:the\s+)?(?:\1\s+)?{_MANY}\s+of\s+(?:the\s+)?(?:[a-z]+\s+)?({_ONE}))?",
    re.IGNORECASE,
)
"""`stored as the columns x_1, …, x_N of X (inputs) and y_1, …, y_N of Y`."""
_HAS_PARTS = re.compile(rf"({_ONE})[^.⟦]{{0,40}}\b(rows|columns)\b(?! of\b)[^.⟦]{{0,12}}({_ONE})", re.IGNORECASE)
"""`X has the rows x_1, …, x_n`."""
_NTH = re.compile(
    rf"({_ONE})\s*(?:is|denotes?|be|for|,)?\s*(?:the\s+)?(?:{_ONE}\s*-?\s*(?:th|st|nd|rd)\s+)(row|column)(?:\s+vector)?\s+of\s+({_ONE})",
    re.IGNORECASE,
)
"""`x_i is the i-th row of X`."""
_PLACED = re.compile(
    rf"({_ONE})\s*(?:is|denotes?|be|for|as)\s+(?:the\s+)?(row|column)\s+(?:number\s+)?{_ONE}\s+of\s+(?:the\s+)?"
    rf"(?:[a-z]+\s+)?({_ONE})",
    re.IGNORECASE,
)
"""`write x_i for row i of X`."""
_WORDS_AS_PARTS = re.compile(
    rf"(?<![⟦⟧\w])[a-z]+s\s+are\s+(?:all\s+)?(?:the\s+)?(rows|columns)\s+of\s+(?:the\s+)?(?:[a-z]+\s+)?({_ONE})",
    re.IGNORECASE,
)
"""`the values are the rows of V`: no name is given, v_i is what one expects."""
_PARTS_ZH = re.compile(rf"{_MANY}\s*分别(?:是|为)\s*{_MANY}\s*的第[^。]{0, 200}(行|列)")

_BLOCKS = re.compile(
    rf"({_ONE})\s*(?:(?:is|be|are)\s+)?(?:(?:cut|split|divided|partitioned|sliced)\s+)?(?:by rows\s+)?into\s+(?:{_ONE}\s+)?"
    rf"(?:row[- ]|horizontal\s+)?(?:blocks|slices|parts|strips)\s*(?P<before>{_ONE})?\s*,?\s*(?:each\s+)?"
    rf"(?:of|with)\s+({_ONE})\s+rows(?:\s+each)?(?:\s*,?\s*(?P<after>{_ONE}))?",
    re.IGNORECASE,
)
"""`cut U into R blocks U_1, …, U_R of p rows each`."""
_UNIT = re.compile(
    rf"({_ONE})\s*,?\s*(?:is|are|denotes?|be|for|means)?\s*(?:the|an?)?\s*"
    rf"(?:{_ONE}\s*-?\s*(?:th|st|nd|rd)\s+|(?:standard|canonical|natural|coordinate)\s+)+(?:unit|basis|unit\s+basis)\s+"
    r"(?:column\s+|row\s+)?vectors?\b",
    re.IGNORECASE,
)
"""`e_c for the c-th unit vector`."""

_WORD = (
    r"(?:(?!of\b|in\b|on\b|not\b|no\b|to\b|by\b|with\b|from\b|that\b|which\b|between\b|number\b|as\b|"
    r"is\b|are\b)[a-z-]+\s+)"
)
_VECTOR = (
    r"vectors?\b(?=\s*(?:[.,;:()]|$|(?:at|of|on|for|in|with|that|which|and|as|from|to|is|are|whose|per|respectively|"
    r"corresponding|associated|representing)\b))"
)
_VECTORS_BE = re.compile(
    rf"{_MANY}\s*,?\s*(?:(?:all|both|each)\s+)?(?:is|are|be|denotes?|represents?)\s+{_WORD}{{0,5}}?{_VECTOR}",
    re.IGNORECASE,
)
"""`K_j and V_j are the key and value row vectors`."""


@dataclass(frozen=True, slots=True)
class Parts:
    """The formulas of matrices and of their rows or columns, in the same order; no parts where they are not named."""

    kind: str
    matrices: tuple[int, ...]
    parts: tuple[int, ...]


def named_parts(paragraph: str) -> Iterator[Parts]:
    """What a paragraph calls the rows and the columns of matrices; formulas are given by their numbers."""
    for m in _AS_PARTS.finditer(paragraph):
        yield _parts(m.group(2), m.group(3), m.group(1))
    for m in _PARTS_BE.finditer(paragraph):
        yield _parts(m.group(1), m.group(2), m.group(3))
    for m in _THE_PARTS.finditer(paragraph):
        yield _parts(m.group(1), m.group(3), m.group(2))
        if m.group(5) is not None:
            yield _parts(m.group(1), m.group(5), m.group(4))
    for m in (*_NTH.finditer(paragraph), *_PLACED.finditer(paragraph)):
        yield _parts(m.group(2), m.group(3), m.group(1))
    for m in _WORDS_AS_PARTS.finditer(paragraph):
        yield _parts(m.group(1), m.group(2), "")
    for m in _PARTS_ZH.finditer(paragraph):
        yield _parts("row" if m.group(3) == "行" else "column", m.group(2), m.group(1))
    for m in _HAS_PARTS.finditer(paragraph):
        yield _parts(m.group(2), m.group(1), m.group(3))


def _parts(kind: str, matrices: str, parts: str) -> Parts:
    a, b = (tuple(map(int, re.findall(r"⟦(\d+)⟧", text))) for text in (matrices, parts))
    return Parts("row" if kind.lower().startswith("row") else "column", a, b)


def row_blocks(paragraph: str) -> Iterator[tuple[int, int, int]]:
    """What a paragraph cuts into blocks of rows: the formulas of the matrix, of its blocks, and of their height."""
    for m in _BLOCKS.finditer(paragraph):
        blocks = m.group("before") or m.group("after")
        if blocks is not None:
            yield tuple(int(g.strip("⟦⟧")) for g in (m.group(1), blocks, m.group(3)))  # type: ignore[misc]


def unit_vectors(paragraph: str) -> Iterator[int]:
    """The formulas that a paragraph calls the unit vectors of a space."""
    for m in _UNIT.finditer(paragraph):
        yield int(m.group(1).strip("⟦⟧"))


def called_vectors(paragraph: str) -> Iterator[int]:
    """The formulas that a paragraph calls vectors."""
    for m in _VECTORS_BE.finditer(paragraph):
        yield from map(int, re.findall(r"⟦(\d+)⟧", m.group(1)))


_EVEN = re.compile(
    r"\b(?:for|an|assum\w+|with|every|any|all|some|given|let)\s+even\s+(?:\w+\s+)?⟦(\d+)⟧(?=\W|$)"
    r"|⟦(\d+)⟧,?\s+(?:(?:is|be|being|to be|has to be|must be|should be)\s+)?(?:assumed (?:to be )?)?(?:an )?even"
    r"(?=\s*(?:$|[.,;:)—–]|numbers?\b|integers?\b|and\b|so\b|throughout\b))",
    re.IGNORECASE,
)


def even_numbers(paragraph: str) -> Iterator[int]:
    """The formulas that a paragraph calls even: `for even ⟦1⟧`, `with ⟦1⟧ even`."""
    for m in _EVEN.finditer(paragraph):
        yield int(m.group(1) or m.group(2))


_KIND = rf"(?:(?:column|row|{_ONE}|[a-z]|{_ONE}-dimensional|[a-z]-dimensional)[- ]+)*"
_OF_ONES = r"vector\s+(?:of|with|filled with|made of|consisting of)\s+(?:all\s+|only\s+)?(?P<what>ones|zeros|zeroes)\b"
_ONES = re.compile(
    rf"({_ONE})\s*(?:is|be|are|denotes?|for|as|,|=)?\s*(?:the|a|an)?\s*{_KIND}(?:{_OF_ONES}|(?:all-?ones|ones)[- ]vector\b"
    r"|vector\s+(?:whose|with)\s+(?:all\s+)?entries\s+(?:are\s+)?(?:all\s+)?(?:one|1)\b)",
    re.IGNORECASE,
)
_ONES_BEFORE = re.compile(
    rf"(?:(?:all-?ones|ones)[- ]vector|vector\s+of\s+(?:all\s+)?(?P<what>ones|zeros|zeroes))\s+({_ONE})", re.IGNORECASE
)


def constant_vectors(paragraph: str) -> Iterator[tuple[int, int]]:
    """The formulas that a paragraph calls vectors of ones or of zeros, each with the value of its entries."""
    for m in _ONES.finditer(paragraph):
        yield int(m.group(1).strip("⟦⟧")), 0 if (m.group("what") or "").lower().startswith("zero") else 1
    for m in _ONES_BEFORE.finditer(paragraph):
        yield int(m.group(2).strip("⟦⟧")), 0 if (m.group("what") or "").lower().startswith("zero") else 1
