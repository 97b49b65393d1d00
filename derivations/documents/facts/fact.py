"""Facts: what an author says of names outside of equations, each one a frozen row.

A fact is read from words alone, before any formula gets a meaning.  It names formulas by their numbers, as the marks in its
sentence do, or by LaTeX of its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from derivations.documents.model.document import MARK, Place

Name = int | str
"""The number of a formula, or the LaTeX of a name."""
Value = str | int | tuple[Name, ...]


class FactKind(StrEnum):
    """What facts are about; `MEANINGS` says what the value of each kind is."""

    SIGN = "sign"
    COUNT = "count"
    DIVISIBLE = "divisible"
    VECTOR = "vector"
    MATRIX = "matrix"
    CONSTANT = "constant"
    FUNCTION = "function"
    RANDOM = "random"
    SHAPE = "shape"
    PARTS = "parts"
    ENTRIES = "entries"
    BLOCKS = "blocks"
    TOKENS = "tokens"
    MEAN = "mean"
    VARIANCE = "variance"
    NORMAL = "normal"
    CONVENTION = "convention"
    PROPERTY = "property"


MEANINGS: Mapping[FactKind, str] = {
    FactKind.SIGN: "a relation to a number, `> 0`, which holds for the name or for each of its entries; `any` for none",
    FactKind.COUNT: "the noun that is counted or measured: the name is a length",
    FactKind.DIVISIBLE: "what divides the length: a number, or a name",
    FactKind.VECTOR: "`vector`, `unit vector`, `basis vector`, `one-hot`, `orthonormal` or `distribution`",
    FactKind.MATRIX: "`matrix`, `square`, `orthogonal`, `symmetric`, `antisymmetric`, `diagonal`, `zero diagonal`, `upper`, "
    "`lower`, `permutation`, `row-stochastic`, `column-stochastic`, `rows sum to one`, `orthonormal columns`, "
    "`orthonormal rows`, `kronecker`",
    FactKind.CONSTANT: "the number that each entry of the vector is",
    FactKind.FUNCTION: "`function`, `softmax`, or `entrywise` for the sign of a product",
    FactKind.RANDOM: "`variable`, or `vector`",
    FactKind.SHAPE: "the LaTeX of a space: `\\mathbb{R}^{n \\times d}`",
    FactKind.PARTS: "`row` or `column`, then the matrices; the names are their rows or columns",
    FactKind.ENTRIES: "the matrix that the names are the entries of",
    FactKind.BLOCKS: "the matrix that the names are blocks of rows of, and the height of a block",
    FactKind.TOKENS: "`rows` or `columns`",
    FactKind.MEAN: "a number, or a formula",
    FactKind.VARIANCE: "a number, or a formula",
    FactKind.NORMAL: "1: the law with its mean and variance is the normal one",
    FactKind.CONVENTION: "`summation`, `complex numbers`, `natural logarithm`, `logarithm to base 2`",
    FactKind.PROPERTY: "a word whose meaning is not read",
}
"""What the value of a fact of each kind says of its names."""


GIVING = frozenset({FactKind.SIGN, FactKind.VECTOR, FactKind.MATRIX})
"""Kinds of facts that give hypotheses to statements."""


class Strength(StrEnum):
    """How a fact is said: outright, under "if" or "when", or by a word that implies it."""

    SAID = "said"
    SUPPOSED = "supposed"
    IMPLIED = "implied"


@dataclass(frozen=True, slots=True)
class Scope:
    """Where a fact holds: `section` is the headings that it stands under, `block` its paragraph.

    `since` is the number of the first formula of its sentence.  A fact that is `local` holds in its paragraph, one that is
    `within` in its section and below, and one that is said `everywhere` stands in a list of symbols.  Any other holds in all
    of its section and below, and after it.

    >>> Scope(("A",), 3, 7).covers(("A",), 2, 5), Scope(("A",), 3, 7).covers(("B",), 8, 9)
    (True, True)
    >>> Scope(("B",), 3, 7).covers(("A",), 2, 5), Scope(("A",), 3, 7, local=True).covers(("A",), 4, 8)
    (False, False)
    """

    section: tuple[str, ...]
    block: int
    since: int
    local: bool = False
    within: bool = False
    everywhere: bool = False

    def covers(self, section: tuple[str, ...], block: int, formula: int) -> bool:
        """Whether a formula of a paragraph of a section is one of those that the fact holds for."""
        if self.local:
            return block == self.block
        later = self.everywhere or (formula >= self.since and not self.within)
        return later or section[: len(self.section)] == self.section


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing that an author says of names.

    >>> fact = Fact(FactKind.SIGN, ("T",), "> 0", Scope((), 0, 0), Place("a.md", None, 1, 1), Strength.SAID)
    >>> str(fact)
    'sign: T > 0'
    """

    kind: FactKind
    names: tuple[Name, ...]
    value: Value
    scope: Scope
    place: Place
    strength: Strength = Strength.SAID

    def __str__(self) -> str:
        return said(self.kind, self.names, self.value)


def said(kind: FactKind, names: tuple[Name, ...], value: Value, sources: Mapping[int, str] | None = None) -> str:
    """A fact as a line; formulas are shown as written where their `sources` are given."""

    def show(name: Name) -> str:
        return (sources or {}).get(name, f"formula {name}").strip() if isinstance(name, int) else name

    numbers = kind in (FactKind.CONSTANT,)
    of = value if isinstance(value, tuple) else (value,)
    shown = " ".join(str(v) if numbers else show(v) for v in of)
    return f"{kind}: {', '.join(map(show, names))} {shown}".replace(":  ", ": ")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence with the marks of its formulas, `text`, inside its `paragraph`; `sources` are the formulas as written."""

    text: str
    paragraph: str
    sources: Mapping[int, str]


Found = tuple[tuple[Name, ...], Value]
"""The names and the value of a fact."""
Take = Callable[[re.Match[str], Sentence], Iterator[Found]]

DENIED = re.compile(
    r"(?:\b(?:no|not|without|neither|nor|never|cannot|unless|rather than|instead of)\b|n't\b)[^.,;:⟦]{0,25}$",
    re.IGNORECASE,
)
"""Right before what is said: it is denied."""


OBLIQUE = re.compile(
    r"\b(?:of|to|in|by|from|on|at|over|under|with respect to|along|between|through|than|per|times|minus|plus|divided by)\s+"
    r"(?:(?:the|a|an|its|each|every)\s+)?(?:[a-z-]+\s+){0,2}$",
    re.IGNORECASE,
)
"""Right before a name: the sentence is about something else, "the derivative with respect to x is positive"."""


_SAID_BEFORE = re.compile(r"\b(?:is|are|be|denotes?)\b", re.IGNORECASE)


def is_oblique(text: str, start: int) -> bool:
    """Whether what stands at a place is part of a longer phrase, and not what a sentence, or its second half, is about.

    >>> is_oblique("the derivative with respect to ⟦0⟧ is positive", 31)
    True
    >>> is_oblique("⟦0⟧ is the number of steps and ⟦1⟧ are positive", 31)
    False
    """
    found = OBLIQUE.search(text, 0, start)
    if found is None:
        return False
    goes_on = re.search(r"\band\s+$", found.group()) is not None
    return not (goes_on and _SAID_BEFORE.search(text, 0, found.start()))


@dataclass(frozen=True, slots=True)
class Row:
    """One way to say a fact: a pattern over sentences, and the value, or how a match gives names and value.

    Where `value` takes nothing, the names are the formulas in the group `names`.  `fires` is a sentence that gives the fact
    `gives`; `silent` is one that must give no fact in this way.
    """

    kind: FactKind
    name: str
    pattern: re.Pattern[str]
    value: Value | Take
    fires: str
    gives: str
    silent: str
    strength: Strength = Strength.SAID
    denied: bool = False
    """Whether it counts although a word before denies it."""
    subject: bool = False
    """Whether the names must be what the sentence is about, and no part of a longer phrase."""

    def read(self, sentence: Sentence) -> Iterator[Found]:
        """The names and the values that a sentence gives in this way."""
        for match in self.pattern.finditer(sentence.text):
            if not self.denied and DENIED.search(sentence.text, 0, match.start()):
                continue
            if self.subject and is_oblique(sentence.text, match.start("names")):
                continue
            if callable(self.value):
                yield from self.value(match, sentence)
            else:
                yield numbers_in(match["names"]), self.value


def numbers_in(text: str | None) -> tuple[int, ...]:
    """The formulas that are marked in a text.

    >>> numbers_in("⟦3⟧ and ⟦4⟧")
    (3, 4)
    """
    text = text or ""
    if _IS_LIST.fullmatch(text):  # what stands in parentheses after a name is none
        text = _BESIDE.sub("", text)
    return tuple(int(m.group(1)) for m in MARK.finditer(text))


ONE = r"⟦\d+⟧"
_BESIDE = re.compile(rf"(?<=⟧)\s*\({ONE}\)")
"""A formula in parentheses after another one, as its shape in `P (n \\times n)`."""
LIST = rf"{ONE}(?:\s*\({ONE}\))?(?:\s*(?:,|and|,\s*and|、|和|与)\s*{ONE}(?:\s*\({ONE}\))?){{0,31}}+"
"""A list of formulas, each perhaps with another one in parentheses; nothing of it is given back when what follows does not
fit."""
_IS_LIST = re.compile(LIST)
NAMES = rf"(?P<names>{LIST})"
MANY = rf"(?P<names>{ONE}(?:\s*(?:,|and|,\s*and)\s*(?:the\s+)?(?:[a-z]+s\s+)?{ONE}){{0,31}}+)"
"""A list in which nouns in the plural may stand before the formulas: `q and keys k`."""


def pattern(text: str) -> re.Pattern[str]:
    """A pattern over sentences, in which `NAMES` and `MANY` stand for lists of formulas and `ONE` for one."""
    return re.compile(text.replace("NAMES", NAMES).replace("MANY", MANY).replace("ONE", ONE), re.IGNORECASE)
