"""Words about names whose meaning is not read; a claim about such a name is not refuted."""

from __future__ import annotations

import re
from collections.abc import Iterator

from derivations.documents.facts.fact import ONE, FactKind, Found, Row, Sentence, numbers_in, pattern
from derivations.documents.facts.sentence_patterns import DESCRIBED, ON_DIAGONAL, PROPERTIES

_ATTRIBUTE = re.compile(
    r"\s+(?:[a-z-]+\s+)?(?!(?:and|or|with|for|of|in|on|by|to|from|at|that|then|where|the|let)\s)[a-z-]*[a-rt-z]\s+⟦(\d+)⟧",
    re.IGNORECASE,
)
"""One thing in the singular, and its name, right after a word that says what it is like."""
_PREDICATE = re.compile(r"\b(?:is|are|be|being|as)(?: a| an)?\s+$", re.IGNORECASE)
_OF_BEFORE = re.compile(
    r"(?:^|[.;:,]\s+)(?:it|this|that|which|they|these|both)\s+(?:is|are)(?:\s+(?:a|an|also|both|then))*\s+$",
    re.IGNORECASE,
)
"""`It is positive definite, since ⟦v⟧ …`: what comes after is not what the word is about."""
_RELATED = re.compile(r"\s+(?:to|with)\s+(?:the\s+)?⟦(\d+)⟧", re.IGNORECASE)
"""`the plane orthogonal to ⟦v⟧` says nothing of v."""
_SUBJECTS = pattern(
    r"NAMES\s*,?\s*(?:is|are|be|being|remains?|stays?)\s+(?:(?:all|both|each|an?|the|always|assumed|taken)\s+)*"
    r"(?:(?:to\s+be\s+)?[a-z-]+(?:\s*,|\s+and|\s*,\s*and)\s+)*$"
)
"""`$P$ and $Q$ are symmetric and …`: a list of formulas, and what is said of them up to another word."""
_DECLARED = re.compile(r"\\in(?![A-Za-z])|∈")
MAX_DISTANCE = 40
"""Most characters between a word and the formula that it is about."""


def near(match: re.Match[str], sentence: Sentence) -> Iterator[int]:
    """The formulas that a word of a sentence is about: the one right after it, those that it is said of, or else the nearest
    two of its clause."""
    text = sentence.text
    own = _ATTRIBUTE.match(text, match.end())
    if own is not None and not _PREDICATE.search(text, 0, match.start()):  # a one-hot target y
        yield int(own.group(1))
        return
    subjects = _SUBJECTS.search(text, max(text.rfind(";", 0, match.start()), 0), match.start())
    if subjects is not None:
        names = numbers_in(subjects["names"])
        apart = not re.search(r"\b(?:and|are)\b", subjects.group())
        if apart and any(_DECLARED.search(sentence.sources.get(n, "")) for n in names):
            names = names[-1:]  # let e in (0, 1), y in R^K be one-hot
        yield from names
        after = text[match.end() : match.end() + MAX_DISTANCE + len("⟦0⟧")].split(";")[0]
        yield from (n for n in numbers_in(after)[:1] if n not in names)  # symmetric, as is P
        return
    other = _RELATED.match(text, match.end())
    is_of_before = _OF_BEFORE.search(text, 0, match.start()) is not None
    marks = [
        (min(abs(match.start() - m.end()), abs(m.start() - match.end())), int(m.group(1)))
        for m in re.finditer(r"⟦(\d+)⟧", text)
        if ";" not in text[min(m.end(), match.end()) : max(m.start(), match.start())]
        if not (is_of_before and m.start() > match.start()) and (other is None or m.start() != other.start(1) - 1)
    ]
    for distance, number in sorted(marks)[:2]:
        if distance <= MAX_DISTANCE:
            yield number


_UP_TO = re.compile(
    r"\bup to (?:an? )?(?:overall |global |constant |scalar )*(?:scal(?:e|ing|ar)|sign|factor|constant)\b",
    re.IGNORECASE,
)
"""`Up to scale $J$ is a projection`, `a projection up to scale`: J is none."""


_WHEN_EQUAL = re.compile(
    r"\b(?:with )?equality\s+(?:holds\s+)?(?:if|when|iff|whenever|exactly|only|precisely)\b[^.;]*$", re.IGNORECASE
)
"""`with equality when the columns of $A$ are orthogonal`: that is said of a case, not of A."""


def _near_word(match: re.Match[str], sentence: Sentence) -> Iterator[Found]:
    if _WHEN_EQUAL.search(sentence.text, 0, match.start()):
        return
    around = sentence.text[max(0, match.start() - MAX_DISTANCE) : match.end() + MAX_DISTANCE]
    if _UP_TO.search(around):
        return
    for number in near(match, sentence):
        yield (number,), match.group(0).lower()


def _described(match: re.Match[str], _sentence: Sentence) -> Iterator[Found]:
    yield (int(match.group(1)),), match.group(2).lower()


_PROBABILITIES = (
    r"NAMES\s*,?\s*(?:is|are|be|denotes?)\s+(?:the\s+|a\s+|some\s+|discrete\s+)*(?:probabilit(?:y(?!\s+(?:vector|distribution|mass))|ies)|proportions|"
    r"(?:mixture|mixing|convex|normali[sz]ed) weights)\b"
)

_PART = (
    rf"NAMES\s*,?\s*(?:is|are|be|denotes?|for|as)\s+(?:its|an?|any|one|some|the)\s+(?:{ONE}\s*-?\s*(?:th|st|nd|rd)\s+)?"
    r"(?:[a-z-]+\s+){0,2}?(?P<part>row|column)(?:\s+vector)?\s+of\s+(?:the\s+)?(?:[a-z]+\s+){0,2}?⟦\d+⟧"
)


def _part(match: re.Match[str], _sentence: Sentence) -> Iterator[Found]:
    for number in numbers_in(match["names"]):
        yield (number,), f"a {match['part'].lower()} of a matrix"


BOUND_OF_EIGENVALUES = "a bound of eigenvalues"
"""What is said of the numbers that eigenvalues lie between."""
_EIGENVALUES = (
    r"NAMES\s*,?\s*(?:is|are|be|denotes?|for|as)\s+(?:the|its|their|an?|any)\s+(?:[a-z-]+\s+){0,4}?"
    r"(?:eigenvalues?|singular values?)\b"
)
_SPECTRUM = (
    r"\b(?:eigenvalues?|singular\s+values?|spectrum)\b(?:\s+(?!of\b)[a-z]+){0,8}?\s+"
    r"(?:in|between|from|within|by|below|above|than|least|most|to)(?:\s+(?:the\s+)?(?:interval|range))?\s+NAMES"
)
"""`eigenvalues between $\\mu$ and $L$`: the numbers say something of a matrix."""


DIAGONAL_MATRIX_OF = (
    r"(?:(?P<matrix>⟦\d+⟧)(?:\s*,?\s*(?:is|are|be|being|denotes?|as|for)\s+|\s*,\s*)(?:the|a)\s+diagonal\s+matrix|"
    r"\bdiagonal\s+matrix\s+(?P<after>⟦\d+⟧))\s+(?:of|with|whose|containing|holding|that (?:has|holds|contains))\b"
    r"(?!\s+(?:(?:strictly|only|all|real|non-?negative|positive|non-?zero)\s+)+(?:diagonal\s+)?(?:entr|elem|numb|diag))"
    r"(?!\s+(?:size|order|dimensions?|shape)\b)"
)
"""A matrix, and that something stands on its diagonal; what, comes after."""


def _on_diagonal(match: re.Match[str], _sentence: Sentence) -> Iterator[Found]:
    yield numbers_in(match["matrix"] or match["after"]), ON_DIAGONAL


ROWS: tuple[Row, ...] = (
    Row(
        FactKind.PROPERTY,
        "on-diagonal",
        re.compile(DIAGONAL_MATRIX_OF, re.IGNORECASE),
        _on_diagonal,
        "let $D$ be the diagonal matrix of the degrees",
        "property: D a diagonal matrix of something",
        "let $D$ be a diagonal matrix with positive entries",
    ),
    Row(
        FactKind.PROPERTY,
        "eigenvalues",
        pattern(_EIGENVALUES),
        "an eigenvalue",
        "where $\\mu$ and $L$ are its smallest and largest eigenvalues",
        "property: \\mu, L an eigenvalue",
        "where $\\mu$ and $L$ are its smallest and largest numbers",
    ),
    Row(
        FactKind.PROPERTY,
        "spectrum",
        pattern(_SPECTRUM),
        BOUND_OF_EIGENVALUES,
        "with eigenvalues in the interval $[\\mu, L]$",
        "property: [\\mu, L] a bound of eigenvalues",
        "with eigenvectors in the space $V$",
    ),
    Row(
        FactKind.PROPERTY,
        "part-of-a-matrix",
        pattern(_PART),
        _part,
        "Let $u$ be a row of $P$.",
        "property: u a row of a matrix",
        "Let $u$ be a row of tokens.",
    ),
    Row(
        FactKind.PROPERTY,
        "probabilities",
        pattern(_PROBABILITIES),
        "probabilities",
        "Let $p_i$ be probabilities.",
        "property: p_i probabilities",
        "Let $p_i$ be patterns of probabilities.",
    ),
    Row(
        FactKind.PROPERTY,
        "near",
        PROPERTIES,
        _near_word,
        "Let $A$ be an idempotent matrix.",
        "property: A idempotent",
        "Let $A$ be a matrix.",
        denied=True,
    ),
    Row(
        FactKind.PROPERTY,
        "described",
        DESCRIBED,
        _described,
        "where $m$ is the mean of the rows",
        "property: m mean",
        "where $m$ is an index of the rows",
        denied=True,
    ),
)
