"""Kinds of vectors: query vectors, unit vectors, basis vectors, vectors of ones, probabilities."""

from __future__ import annotations

import re
from collections.abc import Iterator

from derivations.documents.facts.fact import ONE, FactKind, Found, Row, Sentence, numbers_in, pattern
from derivations.documents.facts.kinds.property import near
from derivations.documents.facts.noun_phrases import phrases

_WORD = (
    r"(?:(?!of\b|in\b|on\b|not\b|no\b|to\b|by\b|with\b|from\b|that\b|which\b|between\b|number\b|as\b|"
    r"is\b|are\b)[a-z-]+\s+)"
)
_VECTOR = (
    r"vectors?\b(?=\s*(?:[.,;:()]|$|(?:at|of|on|for|in|with|that|which|and|as|from|to|is|are|whose|per|respectively|"
    r"corresponding|associated|representing)\b))"
)
_KIND = rf"(?:(?:column|row|{ONE}|[a-z]|{ONE}-dimensional|[a-z]-dimensional)[- ]+)*"
_IS = r"\s*,?\s*(?:(?:all|both|each)\s+)?(?:is|are|be|being|denotes?|has|have|with|of|as|for)\s+"
_BEING = r"\s*,?\s*(?:(?:all|both|each)\s+)?(?:is|are|be|being|denotes?|as|for)\s+"
"""What something is called: what *has* a distribution is drawn, and none itself."""
_UNIT = (
    r"unit[- ](?:(?:column |row |feature |query |key |direction )?vectors?|norms?|lengths?|(?:euclidean|l2) norms?)\b"
)
_DISTRIBUTION = (
    r"(?:(?:discrete\s+)?probability\s+(?:distributions?|vectors?|mass\s+functions?)|pmfs?\b|distributions? over\b|"
    r"points? (?:of|in|on) the (?:probability )?simplex|stochastic vectors?|probabilities)"
)


_FINITE_SET = (
    rf"(?:⟦\d+⟧|(?:the\s+)?(?:same\s+)?(?:{ONE}\s+)?(?:classes|categories|labels|outcomes|symbols|words|tokens|states|"
    r"actions|arms|items|alphabet|a\s+finite\s+(?:set|alphabet)))"
)
_BOTH = pattern(
    rf"\b(?:both|they|these)\s+(?:are|being)\s+(?:both\s+)?(?:(?:probability|discrete)\s+)*distributions?\s+(?:on|over)\s+{_FINITE_SET}"
)
"""Names of a sentence, taken up by a pronoun."""
_FOR_DISTRIBUTION = pattern(
    r"(?<!\bon )(?<!\bover )(?<!\bin )NAMES\s+for\s+(?:the|a|an)\s+(?:[a-z]+\s+)?distributions?\b(?!\s+(?:of|function)\b)"
)


def _constant(match: re.Match[str], _sentence: Sentence) -> Iterator[Found]:
    what = match.groupdict().get("what") or ""
    yield numbers_in(match["names"]), 0 if what.lower().startswith("zero") else 1


def _written_for(match: re.Match[str], sentence: Sentence) -> Iterator[Found]:
    for written in _FOR_DISTRIBUTION.finditer(sentence.text, match.end()):
        yield numbers_in(written["names"]), "distribution"


def _both(match: re.Match[str], sentence: Sentence) -> Iterator[Found]:
    """The two formulas of the sentence before a pronoun."""
    before = tuple(dict.fromkeys(numbers_in(sentence.text[: match.start()])))
    if len(before) == 2:
        yield before, "distribution"


def _orthonormal(match: re.Match[str], _sentence: Sentence) -> Iterator[Found]:
    yield numbers_in(match["names"] or match["those"]), "orthonormal"


def _one_hot(match: re.Match[str], sentence: Sentence) -> Iterator[Found]:
    yield from (((number,), "one-hot") for number in near(match, sentence))


def _vectors(_match: re.Match[str], sentence: Sentence) -> Iterator[Found]:
    yield from ((p.names, "vector") for p in phrases(sentence) if p.rank == 1 and not p.shape)


ROWS: tuple[Row, ...] = (
    Row(
        FactKind.VECTOR,
        "vector-phrase",
        re.compile(r"\A(?=.*\bvectors?\b)", re.IGNORECASE | re.DOTALL),
        _vectors,
        "For column vectors $u$ and $v$ this holds.",
        "vector: u, v vector",
        "The entries of a vector are $a$, and $V$ is a vector space.",
    ),
    Row(
        FactKind.VECTOR,
        "called-vector",
        pattern(
            rf"NAMES\s*,?\s*(?:(?:all|both|each)\s+)?(?:is|are|be|denotes?|represents?)\s+{_WORD}{{0,5}}?{_VECTOR}"
        ),
        "vector",
        "$K_j$ is the key vector at position $j$.",
        "vector: K_j vector",
        "$K_j$ is not a vector.",
    ),
    Row(
        FactKind.VECTOR,
        "orthonormal",
        pattern(
            r"\borthonormal\s+(?:(?!columns|rows)[a-z-]+\s+){1,3}NAMES|"
            r"(?P<those>⟦\d+⟧)\s*,?\s*(?:is|are|be|form(?:s|ing)?|being)\s+(?:an?\s+|all\s+)?orthonormal(?!\s+(?:columns|rows))\b"
        ),
        _orthonormal,
        "The eigenvectors are orthonormal vectors $w_k$.",
        "vector: w_k orthonormal",
        "The columns are orthonormal; $w_k$ is one of them.",
    ),
    Row(
        FactKind.VECTOR,
        "nth-unit-vector",
        pattern(
            rf"(?P<names>{ONE})\s*,?\s*(?:is|are|denotes?|be|for|means)?\s*(?:the|an?)?\s*"
            rf"(?:{ONE}\s*-?\s*(?:th|st|nd|rd)\s+|(?:standard|canonical|natural|coordinate)\s+)+(?:unit|basis|unit\s+basis)\s+"
            r"(?:column\s+|row\s+)?vectors?\b"
        ),
        "basis vector",
        "Write $e_c$ for the $c$-th unit vector.",
        "vector: e_c basis vector",
        "Write $e_c$ for the unit vector along it.",
    ),
    Row(
        FactKind.VECTOR,
        "unit",
        pattern(
            rf"MANY(?:{_IS}|\s+(?:has|have|having)\s+)(?:(?:a|an|the|some|any|fixed|all|both)\s+)*"
            rf"(?:(?:vectors?|points?)\s+(?:of|with)\s+)?{_UNIT}"
        ),
        "unit vector",
        "Let $u$ be a unit vector.",
        "vector: u unit vector",
        "Let $u$ be near a unit vector.",
        subject=True,
    ),
    Row(
        FactKind.VECTOR,
        "unit-before",
        pattern(
            r"\bunit[- ](?:(?:column |row |feature |query |key |direction )?vectors?|"
            r"norm (?:vectors?|quer(?:y|ies)|keys?))\s+NAMES"
        ),
        "unit vector",
        "For unit vectors $u$ and $v$ this holds.",
        "vector: u, v unit vector",
        "For the unit vectors of $u$ this holds.",
    ),
    Row(
        FactKind.VECTOR,
        "normalised",
        pattern(
            rf"NAMES{_IS}(?:normali[sz]ed|scaled)\s+(?:so as |in order )?to\s+(?:have\s+)?(?:unit|{ONE}|euclidean)?\s*"
            r"(?:length|norm)(?:\s+(?:one|1))?\b"
        ),
        "unit vector",
        "The vectors $q$ and $k$ are normalised to unit length.",
        "vector: q, k unit vector",
        "The vectors $q$ and $k$ are normalised by their length.",
        subject=True,
    ),
    Row(
        FactKind.VECTOR,
        "norm-one",
        pattern(
            r"NAMES\s*,?\s*(?:is|are|be|has|have|of|with|whose)\s+(?:(?:a|euclidean|an euclidean|its|l2)\s+)*"
            r"(?:norm|length)\s+(?:is\s+|equal to\s+|equals\s+)?(?:one|1)\b"
        ),
        "unit vector",
        "Here $u$ has norm one.",
        "vector: u unit vector",
        "Here $u$ has length ten.",
        subject=True,
    ),
    Row(
        FactKind.VECTOR,
        "distribution",
        pattern(
            rf"NAMES{_BEING}(?:(?:a|an|the|some|any|fixed|given|two|both)\s+)*{_DISTRIBUTION}(?!\s+(?:of\s+⟦|ratio|density|that|under|assigned|given))"
        ),
        "distribution",
        "Let $p$ be a probability distribution.",
        "vector: p distribution",
        "Let $p$ be the probability of rain.",
        subject=True,
    ),
    Row(
        FactKind.VECTOR,
        "distribution-before",
        pattern(r"\b(?:probability\s+(?:distributions?|vectors?|mass\s+functions?)|stochastic vectors?)\s+NAMES"),
        "distribution",
        "For probability vectors $p$ and $q$ this holds.",
        "vector: p, q distribution",
        "For the probability $p$ this holds.",
    ),
    Row(
        FactKind.VECTOR,
        "distribution-on-classes",
        pattern(rf"\bdistributions?\s+NAMES\s+(?:on|over)\s+{_FINITE_SET}"),
        "distribution",
        "For distributions $p$ and $q$ on $K$ classes this holds.",
        "vector: p, q distribution",
        "For distributions $p$ and $q$ on the real line this holds.",
    ),
    Row(
        FactKind.VECTOR,
        "distribution-on-a-set",
        pattern(
            rf"NAMES(?:{_BEING}|\s+)(?:(?:a|an|the|some|any|fixed|given|two|both|discrete|(?:strictly\s+)?positive|arbitrary)\s+)*"
            rf"distributions?\s+(?:on|over)\s+{_FINITE_SET}"
        ),
        "distribution",
        "Let $p$ and $q$ be two distributions on $S$.",
        "vector: p, q distribution",
        "Let $x$ and $y$ have two distributions on $S$.",
        subject=True,
    ),
    Row(
        FactKind.VECTOR,
        "both-distributions",
        _BOTH,
        _both,
        "One draws from $q$, the other wants $p$; both are distributions on the same $V$ tokens.",
        "vector: q, p distribution",
        "Of $q$, $p$ and $r$, both are distributions on the same tokens.",
    ),
    Row(
        FactKind.VECTOR,
        "written-for-distributions",
        re.compile(r"\b(?:write|writing)\b(?=.*\bdistributions?\b)", re.IGNORECASE | re.DOTALL),
        _written_for,
        "We write $p$ for the target distribution on $S$ and $q$ for the draft distribution.",
        "vector: q distribution",
        "We write $m$ for the mean of the target distribution and $s$ for its variance.",
    ),
    Row(
        FactKind.VECTOR,
        "policy",
        pattern(r"\b(?:a|any|each|every|the|all|some|two|reference|stochastic|random)\s+polic(?:y|ies)\s+NAMES"),
        "distribution",
        "For every policy $p$ this holds.",
        "vector: p distribution",
        "For every policy gradient $p$ this holds.",
    ),
    Row(
        FactKind.VECTOR,
        "one-hot",
        re.compile(r"\bone-hot\b", re.IGNORECASE),
        _one_hot,
        "We take a one-hot target $y$.",
        "vector: y one-hot",
        "We take a target $y$.",
        denied=True,
    ),
    Row(
        FactKind.CONSTANT,
        "of-ones",
        pattern(
            rf"NAMES\s*(?:is|be|are|denotes?|for|as|,|=)?\s*(?:the|a|an)?\s*{_KIND}"
            r"(?:vector\s+(?:of|with|filled with|made of|consisting of)\s+(?:all\s+|only\s+)?(?P<what>ones|zeros|zeroes)\b"
            r"|(?:all-?ones|ones)[- ]vector\b"
            r"|vector\s+(?:whose|with)\s+(?:all\s+)?entries\s+(?:are\s+)?(?:all\s+)?(?:one|1)\b)"
        ),
        _constant,
        "where $e$ is the vector of ones",
        "constant: e 1",
        "where $e$ is the vector of weights",
    ),
    Row(
        FactKind.CONSTANT,
        "ones-before",
        pattern(r"(?:(?:all-?ones|ones)[- ]vector|vector\s+of\s+(?:all\s+)?(?P<what>ones|zeros|zeroes))\s+NAMES"),
        _constant,
        "the vector of zeros $z$ is its start",
        "constant: z 0",
        "the vector of states $z$ is its start",
    ),
)
