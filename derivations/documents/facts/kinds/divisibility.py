"""Divisibility: "d is even", "H divides d", "d is a multiple of 4", "d is divisible by H"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from derivations.documents.facts.fact import ONE, FactKind, Found, Name, Row, Sentence, numbers_in, pattern

_WORDS = {"two": 2, "three": 3, "four": 4, "eight": 8}
_BY = rf"(?P<by>{ONE}|\d+|two|three|four|eight)"


def _named(text: str) -> Name:
    marks = numbers_in(text)
    return marks[0] if marks else str(_WORDS.get(text.lower(), text))


def _divided(match: re.Match[str], sentence: Sentence) -> Iterator[Found]:
    """What divides, and what it divides: a formula that is a number counts as the number."""
    divisor = _named(match["by"])
    source = sentence.sources.get(divisor, "").strip() if isinstance(divisor, int) else ""
    for number in numbers_in(match["names"]):
        yield (number,), source if source.isdecimal() else divisor


_GOES_ON = r"(?=\s*(?:$|[.,;:)—–]|numbers?\b|integers?\b|and\b|so\b|throughout\b))"
_TO_BE = r"(?:(?:is|are|be|being|to be|has to be|must be|should be)\s+)?(?:assumed (?:to be )?)?(?:an )?"

ROWS: tuple[Row, ...] = (
    Row(
        FactKind.DIVISIBLE,
        "even-name",
        pattern(r"\b(?:for|an|assum\w+|with|every|any|all|some|given|let)\s+even\s+(?:\w+\s+)?NAMES(?=\W|$)"),
        "2",
        "For an even dimension $d$ we pair the coordinates.",
        "divisible: d 2",
        "For even more tokens than $d$ we pair nothing.",
    ),
    Row(
        FactKind.DIVISIBLE,
        "name-is-even",
        pattern(rf"(?P<names>{ONE}),?\s+{_TO_BE}even{_GOES_ON}"),
        "2",
        "We take $d$ to be even.",
        "divisible: d 2",
        "The dimension $d$ is even larger.",
    ),
    Row(
        FactKind.DIVISIBLE,
        "names-are-even",
        pattern(rf"NAMES\s+are\s+(?:both\s+|all\s+)?even{_GOES_ON}"),
        "2",
        "Here $d$ and $p$ are even.",
        "divisible: d, p 2",
        "Here $d$ and $p$ are even larger.",
    ),
    Row(
        FactKind.DIVISIBLE,
        "divides",
        pattern(
            rf"(?P<by>{ONE})\s*,?\s*(?:(?!not\b)[a-z]+\s+){{0,4}}?(?:divides?|dividing)\s+"
            r"(?:evenly\s+)?(?:the\s+[a-z -]{1,30}?\s+)?NAMES(?!\s*(?:by|into|in)\b)"
        ),
        _divided,
        "The number of heads $H$ divides $d$.",
        "divisible: d H",
        "The head $H$ divides $x$ by its norm.",
    ),
    Row(
        FactKind.DIVISIBLE,
        "divisible-by",
        pattern(
            rf"NAMES\s*,?\s*(?:(?:is|are|be|must be|has to be|should be|to be)\s+)?(?:evenly\s+)?divisible\s+by\s+{_BY}"
        ),
        _divided,
        "We need $d$ divisible by $H$.",
        "divisible: d H",
        "We do not need that $d$ is prime.",
        subject=True,
    ),
    Row(
        FactKind.DIVISIBLE,
        "multiple-of",
        pattern(
            rf"NAMES\s*,?\s*(?:is|are|be|must be|has to be|should be|to be)\s+(?:always\s+)?(?:an?\s+)?"
            rf"(?:integer\s+|integral\s+|whole\s+)?multiples?\s+of\s+{_BY}"
        ),
        _divided,
        "Here $d$ is a multiple of $4$.",
        "divisible: d 4",
        "Here $x$ is the sum of multiples.",
        subject=True,
    ),
    Row(
        FactKind.DIVISIBLE,
        "divides-without-rest",
        pattern(rf"NAMES\s*/\s*(?P<by>{ONE})\s+(?:is|being)\s+(?:an?\s+)?(?:integer|whole number)"),
        _divided,
        "Here $d$/$H$ is an integer.",
        "divisible: d H",
        "Here $d$/$H$ is large.",
    ),
)
