"""Conventions that hold throughout: sums over repeated indices, complex numbers, which logarithm is meant."""

from __future__ import annotations

import re
from collections.abc import Iterator

from derivations.documents.facts.fact import FactKind, Found, Row, Sentence, Take, numbers_in, pattern
from derivations.documents.facts.sentence_patterns import COMPLEX, CONVENTION

SUMMATION = "summation"
COMPLEX_NUMBERS = "complex numbers"
NATURAL = "natural logarithm"
BINARY = "logarithm to base 2"
TRANSPOSE = "a prime is a transpose sign"
_LOGARITHM = r"(?:logarithms?|logs?)"


def _constant(value: str) -> Take:
    def take(match: re.Match[str], _sentence: Sentence) -> Iterator[Found]:
        yield numbers_in(match.groupdict().get("names")), value

    return take


ROWS: tuple[Row, ...] = (
    Row(
        FactKind.CONVENTION,
        "summation",
        CONVENTION,
        _constant(SUMMATION),
        "We use the summation convention for $a_i$.",
        "convention: summation",
        "We use another convention for $a_i$.",
        denied=True,
    ),
    Row(
        FactKind.CONVENTION,
        "complex",
        COMPLEX,
        _constant(COMPLEX_NUMBERS),
        "Take $z$ as a complex number.",
        "convention: complex numbers",
        "Take $z$ as a complex task.",
        denied=True,
    ),
    Row(
        FactKind.CONVENTION,
        "natural",
        pattern(
            rf"\bnatural\s+{_LOGARITHM}\b(?:\s+NAMES)?|\b{_LOGARITHM}\s+(?:is|are)\s+(?:all\s+)?natural\b|\b{_LOGARITHM}\s+to\s+(?:the\s+)?base\s+e\b"
        ),
        _constant(NATURAL),
        "All logarithms are natural, as is $x$.",
        "convention: natural logarithm",
        "All logarithms of $x$ are negative.",
    ),
    Row(
        FactKind.CONVENTION,
        "binary",
        pattern(
            rf"\b{_LOGARITHM}\s+(?:(?:is|are)\s+)?(?:all\s+)?(?:taken\s+)?(?:to|in|with)\s+(?:the\s+)?base\s+(?:2|two)\b|"
            rf"\bbase[- ](?:2|two)\s+{_LOGARITHM}\b"
        ),
        _constant(BINARY),
        "Logarithms are taken to base 2, also of $x$.",
        "convention: logarithm to base 2",
        "The base 2 is written in $x$.",
    ),
    Row(
        FactKind.CONVENTION,
        "prime",
        pattern(
            r"\bprimes?\b[^.;:]*\b(?:denotes?|means?|stands?\s+for|indicates?|is|are|marks?)\b[^.;:]*\btranspos|"
            r"\btranspos\w*\b[^.;:]*\b(?:denoted|written|indicated|marked)\b[^.;:]*\bprimes?\b"
        ),
        _constant(TRANSPOSE),
        "A prime denotes the transpose, as in $X'$.",
        "convention: a prime is a transpose sign",
        "A prime denotes the next state, as in $x'$.",
        denied=True,
    ),
)
