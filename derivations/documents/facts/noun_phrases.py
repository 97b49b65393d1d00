"""Phrases that name arrays: "an invertible $n \\times n$ matrix $A$", "$U$ is $n \\times k$", "vectors $x$ and $y$ of length 3".

    phrase = {article | adjective | axes | length "-dimensional"} noun [names] {after}
    after  = "of" ["the"] ("size" | "shape" | "order" | "dimension" | "length") axes
           | "in" space | "with" length ("entries" | "rows" | "columns") | "(" axes ")"

The names of a phrase stand after its noun, before its verb, "$A$ is", or beside it, "$C$ an invertible $k \\times k$ matrix".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from derivations.documents.facts.fact import Sentence, numbers_in

_TOKEN = re.compile(r"⟦\d+⟧|[A-Za-z]+(?:['’][a-z]+)?|\d+|\S")
_MARK = re.compile(r"⟦\d+⟧")
_TIMES = re.compile(r"\\times(?![A-Za-z])|×")
_SPACE = re.compile(
    r"^\s*+(?:\\in\s*+)?(?:\\(?:mathbb|mathbf|bf|Bbb)\s*+(?:\{\s*+)?R\s*+\}?+|\\R(?:eals)?)(?![A-Za-z])\s*+\^"
)
_AXIS = re.compile(r"^[A-Za-z0-9_{}\\+\-*/ ()]+$")
_LENGTH = re.compile(r"^\s*(?:\\?[A-Za-z]+(?:_(?:\{[^{}]*\}|\\?[A-Za-z0-9]))?|\d+)\s*$")
_NAME = re.compile(r"^[^=<>]+$")
_NO_NAME = re.compile(r"\\(?:in|to|leq?|geq?|neq?|times|mapsto|approx|[cl]?dots)(?![A-Za-z])|\.\.\.|:")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_MATRIX = frozenset({"matrix", "matrices"})
_VECTOR = frozenset({"vector", "vectors"})
_POINT = frozenset({"point", "points"})
_ARTICLES = frozenset(
    {"a", "an", "the", "any", "every", "each", "all", "some", "two", "three", "four", "both", "another", "our"}
)
_NO_ADJECTIVE = _words(
    "of in on at to from by with without for as per and or nor not no never than that which who whose where "
    "when if then is are be being been was were has have had does do denotes denote represents represent "
    "means let suppose assume given consider define write call number numbers rows row columns column size "
    "shape length dimension dimensions order entries between over under into onto through only so because "
    "since thus hence this these those such matrix matrices vector vectors point points scalar scalars "
    "function functions product sum"
)
_BE = frozenset({"is", "are", "be", "being", "denotes", "denote", "represents", "represent"})
_AFTER_NOUN = _words(
    "of in with on for at that which whose such and as or from to is are be has have by where so then "
    "containing consisting representing obtained given made while when if we it they but respectively this "
    "exactly having"
)
_OBLIQUE = frozenset(
    {"of", "in", "from", "to", "by", "on", "at", "over", "between", "under", "than", "into", "through", "along"}
) | {"times", "minus", "plus", "per"}
_OF = frozenset(
    {"size", "sizes", "shape", "shapes", "order", "dimension", "dimensions", "dimensionality", "length", "lengths"}
)
_ENTRIES = frozenset({"entries", "components", "elements", "coordinates", "dimensions", "features"})
_DENIED = frozenset({"no", "not", "never", "neither", "without", "cannot"})
MAX_ADJECTIVES = 8
"""Most words and axes before a noun that are looked at."""


@dataclass(frozen=True, slots=True)
class Phrase:
    """What a phrase calls its names: an array of `rank` axes, and how long these are, where it says so."""

    names: tuple[int, ...]
    rank: int
    axes: tuple[str, ...] = ()
    space: str = ""
    is_square: bool = False
    orientation: str = ""

    @property
    def shape(self) -> str:
        """The space of its names; empty where the phrase does not tell how long their axes are."""
        if self.space or not self.axes:
            return self.space
        axes = {"row": ("1", *self.axes), "column": (*self.axes, "1")}.get(self.orientation, self.axes)
        written = r" \times ".join(axes)
        return rf"\mathbb{{R}}^{{{written}}}"


@dataclass(frozen=True, slots=True)
class _Words:
    """The words of a sentence, in small letters, with the formulas that its marks stand for."""

    words: tuple[str, ...]
    sources: Mapping[int, str]

    def at(self, k: int) -> str:
        return self.words[k] if 0 <= k < len(self.words) else ""

    def source(self, k: int) -> str | None:
        """The formula at a place, or the number or the letter that stands there by itself."""
        word = self.at(k)
        if _MARK.fullmatch(word):
            return self.sources.get(numbers_in(word)[0], "").strip().strip("$")
        return word if word.isdigit() else None

    # --- axes: `$n \times k$`, `$n$-by-$k$`, `3 x 3` -----------------------------------------------------------------

    def axes(self, k: int) -> tuple[tuple[str, ...], int]:
        """Two or more axes that begin at a place, and the place after them; none there are no axes."""
        if self.at(k) == "(":
            found, end = self.axes(k + 1)
            return (found, end + 1) if found and self.at(end) == ")" else ((), k)
        source = self.source(k)
        if source is None:
            return (), k
        if _TIMES.search(source) and not _SPACE.match(source):
            parts = [p.strip() for p in _TIMES.split(source.strip().removeprefix("(").removesuffix(")"))]
            return (tuple(parts), k + 1) if all(p and _AXIS.match(p) for p in parts) else ((), k)
        sizes, end = [source], k + 1
        while _LENGTH.match(source):
            after = end
            if self.at(after) == "-" and self.at(after + 1) == "by" and self.at(after + 2) == "-":
                after += 3
            elif self.at(after) in ("by", "x", "×"):
                after += 1
            else:
                break
            source = self.source(after) or ""
            if not _LENGTH.match(source):
                return (), k
            sizes.append(source)
            end = after + 1
        return (tuple(sizes), end) if len(sizes) > 1 else ((), k)

    def length(self, k: int) -> str:
        """The length at a place, `$n$` or 3."""
        source = self.source(k) or ""
        return source.strip() if _LENGTH.match(source) else ""

    # --- names --------------------------------------------------------------------------------------------------------

    def is_name(self, k: int) -> bool:
        source = self.source(k) if _MARK.fullmatch(self.at(k)) else None
        return source is not None and bool(_NAME.match(source)) and not _NO_NAME.search(source)

    def names_from(self, k: int) -> tuple[tuple[int, ...], int]:
        """The list of names that begins at a place, and the place after it."""
        found: list[int] = []
        end = k
        while self.is_name(k):
            found += numbers_in(self.at(k))
            k = end = k + 1
            if self.at(k) == ",":
                k += 1
            if self.at(k) == "and":
                k += 1
            if k == end:
                break
        return tuple(found), end

    def names_before(self, k: int) -> tuple[tuple[int, ...], int]:
        """The list of names that ends before a place, and the place before the list."""
        found: list[int] = []
        start = k - 1
        k -= 1
        while self.is_name(k):
            found[:0] = numbers_in(self.at(k))
            k = start = k - 1
            if self.at(k) == "and":
                k -= 1
            if self.at(k) == ",":
                k -= 1
            if k == start:
                break
        return tuple(found), start


def phrases(sentence: Sentence) -> tuple[Phrase, ...]:
    """The phrases of a sentence that say of names that they are arrays."""
    return _phrases(sentence.text, tuple((n, sentence.sources.get(n, "")) for n in numbers_in(sentence.text)))


@lru_cache(maxsize=16)
def _phrases(sentence: str, sources: tuple[tuple[int, str], ...]) -> tuple[Phrase, ...]:
    """The same; several rows of facts ask for those of one sentence."""
    text = _Words(tuple(w.lower() if not _MARK.match(w) else w for w in _TOKEN.findall(sentence)), dict(sources))
    return tuple(_read(text))


def _read(text: _Words) -> Iterator[Phrase]:
    for k, word in enumerate(text.words):
        if word in _MATRIX | _VECTOR | _POINT:
            yield from _with_noun(text, k)
        elif word in _BE:
            yield from _bare_axes(text, k)
        elif word == "(":
            yield from _in_parentheses(text, k)
        elif word in ("has", "have"):
            yield from _counted(text, k)


def _with_noun(text: _Words, noun: int) -> Iterator[Phrase]:
    """The phrases around a noun."""
    rank = 2 if text.at(noun) in _MATRIX else 1
    start, axes, is_square, is_odd, orientation = _before_noun(text, noun)
    if text.at(start) in _DENIED:
        return
    named, end = text.names_from(noun + 1)
    if not named and text.at(noun + 1).isalpha() and text.at(noun + 1) not in _AFTER_NOUN:
        return  # "vector space", "matrix product"
    space = ""
    for _ in range(2):  # "of length n in R^n"
        further, space_here, end = _after_noun(text, end, rank, is_square)
        axes, space = axes or further, space or space_here
    if axes and len(axes) != rank:
        return
    if text.at(noun) in _POINT and not axes and not space:
        return
    if is_odd:
        axes, space = (), ""
    for names in (named,) if named else _subjects(text, start):
        yield Phrase(names, rank, axes, space, is_square, orientation)


def _before_noun(text: _Words, noun: int) -> tuple[int, tuple[str, ...], bool, bool, str]:
    """The place before the phrase of a noun, the axes in it, whether it is square or has blocks, and `row` or `column`."""
    axes: tuple[str, ...] = ()
    is_square = is_odd = False
    orientation = ""
    start = k = noun - 1
    for _ in range(MAX_ADJECTIVES):
        word = text.at(k)
        found, begin = _axes_before(text, k)
        if found:
            axes, k = axes or found, begin - 1
        elif word == "-" and text.at(k - 1).isalpha():
            k -= 1
            continue
        elif word in ("row", "column") and text.at(noun) in _VECTOR:
            orientation = word
            k -= 1
        elif word.isalpha() and (word in _ARTICLES or word not in _NO_ADJECTIVE):
            is_square |= word == "square" and text.at(k - 1) != "-"
            is_odd |= word == "block"
            k -= 1
        elif word == "," and text.at(k - 1).isalpha() and text.at(k - 1) not in _NO_ADJECTIVE | _BE:
            k -= 1
        else:
            break
        start = k
    return start, axes, is_square, is_odd, orientation


def _axes_before(text: _Words, k: int) -> tuple[tuple[str, ...], int]:
    """The axes that end at a place, and where they begin: `$n \\times k$`, `$n$-dimensional`, `$n$-`."""
    if text.at(k) == "dimensional":
        at = k - 2 if text.at(k - 1) == "-" else k - 1
        length = text.length(at)
        return ((length,), at) if length else ((), k)
    if text.at(k) == "-" and (length := text.length(k - 1)) and text.at(k - 2) != "-":
        return (length,), k - 1
    for begin in (k - 4, k - 2, k):
        found, end = text.axes(begin)
        if found and end == k + 1:
            return found, begin
    return (), k


def _after_noun(text: _Words, k: int, rank: int, is_square: bool) -> tuple[tuple[str, ...], str, int]:
    """The axes, or the space, that stand behind a noun and its names."""
    word = text.at(k)
    if word == "of":
        at = k + 2 if text.at(k + 1) in _ARTICLES else k + 1
        if text.at(at) in _OF:
            found, end = text.axes(at + 1)
            length = text.length(at + 1)
            if not found and length:
                found, end = (length,) * rank if rank == 1 or is_square or text.at(at) == "order" else (), at + 2
            return found, "", end if found else k
    if word in ("in", "∈"):
        source = text.source(k + 1) or ""
        if _SPACE.match(source) and "=" not in source:
            return (), source, k + 2
    if word == "(":
        found, end = text.axes(k)
        return found, "", end
    if word == "with":
        length = text.length(k + 1)
        if length and rank == 1 and text.at(k + 2) in _ENTRIES:
            return (length,), "", k + 3
        if length and rank == 2 and text.at(k + 2) == "rows" and text.at(k + 3) == "and":
            other = text.length(k + 4)
            return ((length, other) if other and text.at(k + 5) == "columns" else ()), "", k + 6
    return (), "", k


def _subjects(text: _Words, start: int) -> Iterator[tuple[int, ...]]:
    """The names that a phrase, whose first word comes after `start`, is said of: "$A$ is", "$C$" beside it."""
    k = start
    if text.at(k) in ("all", "both", "each"):
        k -= 1
    if text.at(k) in _BE:
        k = k - 1 if text.at(k - 1) != "," else k - 2
        names, before = text.names_before(k + 1)
        if names and not _is_oblique(text, before):
            yield names
        return
    names, before = text.names_before(k + 1)
    if (
        names
        and text.at(start + 1) in ("a", "an", "the")
        and text.at(before) in ("and", ",", "with", "for", "where", ";", "let")
    ):
        yield names[-1:]


def _is_oblique(text: _Words, k: int) -> bool:
    """Whether a preposition stands before a name, right there or with a noun between: "a rotation by the angle $A$ is"."""
    nouns = k - 1 if text.at(k).isalpha() and text.at(k) not in _ARTICLES | _OBLIQUE else k
    return text.at(k) in _OBLIQUE or text.at(nouns - 1 if text.at(nouns) in _ARTICLES else nouns) in _OBLIQUE


def _bare_axes(text: _Words, verb: int) -> Iterator[Phrase]:
    """`$U$ is $n \\times k$`, `$Q$, $K$ and $V$ are all $n \\times d$`, `$Q$ is of size $n \\times d$`."""
    k = verb + 2 if text.at(verb + 1) in ("all", "both", "each") else verb + 1
    if text.at(k) == "of" and text.at(k + 1) in _OF:
        k += 2
    axes, end = text.axes(k)
    if not axes or (text.at(end).isalpha() and text.at(end) not in _AFTER_NOUN):
        return
    names, before = text.names_before(verb - 1 if text.at(verb - 1) == "," else verb)
    if names and text.at(before) not in _OBLIQUE:
        yield Phrase(names, len(axes), axes)


def _in_parentheses(text: _Words, k: int) -> Iterator[Phrase]:
    """`$X$ ($n \\times d$)`."""
    axes, end = text.axes(k)
    if axes and end > k + 2 and text.is_name(k - 1) and text.at(k - 2) not in _OBLIQUE:
        yield Phrase(numbers_in(text.at(k - 1)), len(axes), axes)


def _counted(text: _Words, verb: int) -> Iterator[Phrase]:
    """`$W$ has $m$ rows and $d$ columns`."""
    names, before = text.names_before(verb)
    rows, columns = text.length(verb + 1), text.length(verb + 4)
    counted = [text.at(verb + 2), text.at(verb + 3), text.at(verb + 5)]
    if names and rows and columns and counted == ["rows", "and", "columns"] and text.at(before) not in _OBLIQUE:
        yield Phrase(names, 2, (rows, columns))
