"""Laws: "independent with mean 0 and variance 1", said of names whose entries are random."""

from __future__ import annotations

import re
from collections.abc import Iterator

from derivations.documents.facts.fact import FactKind, Found, Row, Sentence, Take, numbers_in, pattern
from derivations.documents.model.document import sentences

RANDOM = re.compile(r"\b(?:independent(?:ly)?|i\.?i\.?d\.?|random|uncorrelated)\b", re.IGNORECASE)
FIXED = re.compile(
    r"\b(?:fixed|constants?|deterministic|non-?random|arbitrary|given|any|every|each|all)\b", re.IGNORECASE
)
MEAN = re.compile(r"\bzero[- ]means?\b|\bmeans?\s*(?:of|=|equal to)?\s*(?:zero\b|0\b|⟦(?P<span>\d+)⟧)", re.IGNORECASE)
VARIANCE = re.compile(
    r"\bunit[- ]variances?\b|\bvariances?\s*(?:of|=|equal to)?\s*(?:one\b|1\b|⟦(?P<span>\d+)⟧)", re.IGNORECASE
)
COMPONENTS = re.compile(
    r"\b(?:the|their|these|its)\s+(?:components|entries|elements|coordinates)\b(?!\s+of\b)", re.IGNORECASE
)
"""Entries of what the sentence before speaks of."""
_STANDARD = r"standard[- ](?:normal|Gaussian)s?\b"
STANDARD = pattern(
    rf"\b{_STANDARD}\s+(?:(?:random\s+)?(?:variables?|vectors?|noise|variates?|numbers?|samples?)\s+)?NAMES|"
    rf"(?P<those>⟦\d+⟧(?:\s*(?:,|and)\s*⟦\d+⟧)*)\s*,?\s*(?:is|are|be|being)\s+(?:an?\s+|all\s+)?"
    rf"(?:(?:independent|i\.?i\.?d\.?)\s+)?{_STANDARD}"
)
"""A law in words: with mean 0 and variance 1."""
MAX_DISTANCE = 80
"""Most characters after the first moment of a sentence in which names that it is about stand."""
_NEXT_CLAUSE = re.compile(r"(?:\band|[,;:])\s+(?:let|suppose|assume|take|given|consider)\b", re.IGNORECASE)
"""`let ⟦W⟧ be fixed and let ⟦x⟧ have`: what is said after it is not said of W."""
_MEMBERSHIP = re.compile(r"\\in(?![A-Za-z])|∈")


def _is_of_chance(sentence: Sentence) -> bool:
    """Whether a sentence speaks of what is random: in words, or by a mean or a variance that it writes."""
    return RANDOM.search(sentence.text) is not None or any(
        f"⟦{number}⟧" in sentence.text and _MOMENT.search(source) for number, source in sentence.sources.items()
    )


_MOMENT = re.compile(
    r"\\mathbb\s*\{?\s*E\b|(?:\\operatorname|\\mathrm|\\text)\s*\{\s*(?:E|Var|Cov)\s*\}|\\(?:Var|Cov|E)\b|\bE\s*(?:\\left\s*)?\["
)


def _moment(own: re.Pattern[str], usual: str) -> Take:
    """What gives each name of a sentence the moment that is said first after it, or else last.

    A name whose shape is stated on the way counts when it comes first and nothing in the sentence is fixed.
    """

    def take(match: re.Match[str], sentence: Sentence) -> Iterator[Found]:
        text = sentence.text
        found = list(own.finditer(text))
        if match.start() != found[0].start() or not _is_of_chance(sentence):
            return
        every = [*MEAN.finditer(text), *VARIANCE.finditer(text)]
        start, taken = min(m.start() for m in every), {m["span"] for m in every}
        since = max((m.end() for m in _NEXT_CLAUSE.finditer(text, 0, start)), default=0)
        loose = FIXED.search(text) is None
        for mark in re.finditer(r"⟦(\d+)⟧", text):
            if mark[1] in taken or mark.start() > start + MAX_DISTANCE or mark.start() < since:
                continue
            shaped = _MEMBERSHIP.search(sentence.sources.get(int(mark[1]), "")) is not None
            if shaped and not (loose and mark.start() < start):
                continue
            said = next((m for m in found if m.start() > mark.start()), found[-1])
            yield (int(mark[1]),), usual if said["span"] is None else int(said["span"])

    return take


def _of_components(own: re.Pattern[str], usual: str) -> Take:
    """What gives the components of the formulas of the sentence before a mean and a variance that are said together."""

    def take(match: re.Match[str], sentence: Sentence) -> Iterator[Found]:
        text = sentence.text
        mean, variance, said = MEAN.search(text), VARIANCE.search(text), own.search(text)
        if mean is None or variance is None or said is None or RANDOM.search(text) is None:
            return
        if match.start() > min(mean.start(), variance.start()) or FIXED.search(text) is not None:
            return
        before = sentences(sentence.paragraph[: max(sentence.paragraph.find(text), 0)])
        marked = next((n for s in reversed(before) if (n := numbers_in(s))), ())
        yield marked, ("components", usual if said["span"] is None else int(said["span"]))

    return take


def _standard(value: str) -> Take:
    """What gives each name that is called standard normal a moment."""

    def take(match: re.Match[str], _sentence: Sentence) -> Iterator[Found]:
        for number in numbers_in(match["names"] or match["those"]):
            yield (number,), value

    return take


ROWS: tuple[Row, ...] = (
    Row(
        FactKind.MEAN,
        "mean-of-standard-normal",
        STANDARD,
        _standard("0"),
        "With a standard normal $u$ this holds.",
        "mean: u 0",
        "With a normal $u$ this holds.",
    ),
    Row(
        FactKind.VARIANCE,
        "variance-of-standard-normal",
        STANDARD,
        _standard("1"),
        "where $u$ is standard normal",
        "variance: u 1",
        "where the standard normal density at $u$ is meant",
    ),
    Row(
        FactKind.NORMAL,
        "law-of-standard-normal",
        STANDARD,
        _standard("1"),
        "where $u$ is standard Gaussian",
        "normal: u 1",
        "where $u$ has the standard deviation 1",
    ),
    Row(
        FactKind.MEAN,
        "mean",
        MEAN,
        _moment(MEAN, "0"),
        "The entries of $q$ and $k$ are independent with mean $m$.",
        "mean: k m",
        "The entries of $q$ have mean 0.",
        denied=True,
    ),
    Row(
        FactKind.VARIANCE,
        "variance",
        VARIANCE,
        _moment(VARIANCE, "1"),
        "The entries of $q$ and $k$ are independent with zero mean and unit variance.",
        "variance: q 1",
        "The entries of $q$ have variance 1.",
        denied=True,
    ),
    Row(
        FactKind.MEAN,
        "mean-of-components",
        COMPONENTS,
        _of_components(MEAN, "0"),
        r"We have $s = q \cdot k$. If the components are independent with mean 0 and variance 1, it is small.",
        r"mean: s = q \cdot k components 0",
        r"We have $s = q \cdot k$. If the components of it are independent with mean 0 and variance 1, it is small.",
        denied=True,
    ),
    Row(
        FactKind.VARIANCE,
        "variance-of-components",
        COMPONENTS,
        _of_components(VARIANCE, "1"),
        r"We have $s = q \cdot k$. If the components are independent with mean 0 and variance 1, it is small.",
        r"variance: s = q \cdot k components 1",
        r"We have $s = q \cdot k$. If the components are independent with mean 0, it is small.",
        denied=True,
    ),
)
