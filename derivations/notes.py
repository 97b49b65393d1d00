"""What a verdict rests on, as data: each note has a kind and arguments, and its English is written here alone.

`KINDS` is closed: a note of another kind, with another number of arguments or of another origin cannot be made.  What
reads a note asks for its kind or for a property of its row, and never for its words.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from string import Formatter
from typing import TYPE_CHECKING

from derivations.language.index import Index

if TYPE_CHECKING:
    from derivations.documents.model.document import Place

ORIGINS = ("reading", "document", "declaration", "definedness", "modelling")
MADE_UP = "~"
"""Stands in the names of lengths that no document and no code has."""


@dataclass(frozen=True)
class Kind:
    """A row: the sentence with its fields in braces, and where such a note may come from, the usual origin first."""

    sentence: str
    origins: tuple[str, ...] = ("reading",)
    guess: bool = False
    """Some authors use the sign for another thing: nothing is refuted that rests on it."""
    equates: bool = False
    """A length, or a number that may be one, is put to a value."""
    masks: bool = False
    """A finite number is read as minus infinity."""

    @cached_property
    def fields(self) -> tuple[str, ...]:
        """The names of the arguments, each once, in the order of the sentence.

        >>> KINDS["root-of-square"].sentence, KINDS["root-of-square"].fields
        ('{name} is the non-negative root of {name}^2', ('name',))
        """
        return tuple(dict.fromkeys(field for _, field, _, _ in Formatter().parse(self.sentence) if field))


_DOCUMENT, _MODEL = ("document",), ("modelling",)
_ANY = ("reading", "document", "declaration")

_SIGNS: Mapping[str, Kind] = {
    "power-of-entries": Kind("a power of a vector is taken entry by entry", guess=True),
    "quotient-of-entries": Kind("a quotient of arrays is taken entry by entry", guess=True),
    "quotient-of-lines": Kind("a vector below a matrix divides every {line}", guess=True),
    "rows-multiplied": Kind("rows with one index are multiplied to a matrix", guess=True),
    "star-of-entries": Kind("a star between vectors is the product entry by entry", guess=True),
    "mean-of-entries": Kind(
        "the mean and the variance of a vector are those of its entries, divided by their number", guess=True
    ),
    "covariance-matrix": Kind("the variance of a vector is the matrix of the covariances of its entries"),
    "common-deviation": Kind("{names} deviate from their means by the same: nothing says that they are independent"),
    "given-condition": Kind("what a moment is conditioned on is given, not random"),
    "number-to-entries": Kind("a number added to an array is added to every entry"),
    "vector-to-lines": Kind("a vector added to a matrix is added to every {line}"),
    "vector-times-lines": Kind("a vector times a matrix entry by entry is taken for every {line}"),
    "outer-product": Kind("the product sign in a circle makes a matrix of two vectors"),
    "operator-index": Kind("the {operator} without an index runs over {index}"),
    "sum-of-entries": Kind("the sum over {index} is that of all entries"),
    "sum-of-lines": Kind("the sum over {index} is that of each {line}"),
    "summation-convention": Kind("an index that stands twice in a product is summed over", ("reading", "document")),
    "order-of-indices": Kind("the axes of what the code computes stand in the order {indices}"),
    "softmax-axis": Kind("the softmax normalises over the {place} index", _ANY),
    "softmax-index": Kind("the softmax normalises over {index}", _ANY),
    "softmax-range": Kind("the softmax runs over every {index} that the condition allows"),
}
"""How a sign is read."""
_NAMES: Mapping[str, Kind] = {
    "running-product": Kind("{name} is the running product of {factor} over {index}"),
    "entries-by-custom": Kind("{entries} with two indices is an entry of {name}"),
    "members": Kind("{name} is read as weights that are 1 for its members and 0 otherwise"),
    "root-of-square": Kind("{name} is the non-negative root of {name}^2"),
    "function-of-entries": Kind("{name} of an array is taken entry by entry"),
    "argument-is-number": Kind("{name} stands for a number here, as the argument of a function"),
    "customary-function": Kind("{name}, which nothing defines, is {what}, as is customary"),
    "any-function-of-arrays": Kind("{name} may be any function"),
    "function-at-number": Kind("{name} of a number is the entry that it makes of this entry"),
    "any-function-of-entries": Kind("{name} may be any function of a number, and is taken entry by entry"),
    "any-function": Kind("{name} may be any function whose values are vectors"),
    "closed-form-of-laws": Kind(
        "the {what} of normal laws is put in by its closed form (Kullback 1959, sec. 9.1; Cover and Thomas 2006, th. 8.4.1)"
    ),
    "geometric-series": Kind(
        "the geometric series is put in by its sum, which it has where it converges (Abramowitz and Stegun 1964, 3.6.10)"
    ),
    "formula-of-lists": Kind("the {what} of lists of probabilities is the usual sum (Cover and Thomas 2006, ch. 2)"),
    "new-variable": Kind("{name} is the variable in the place of {other}, and what else there is stays fixed"),
    "start-value": Kind("{name} starts from {value}, as nothing is said of its start"),
    "zero-elsewhere": Kind("{name} is zero elsewhere", _DOCUMENT),
    "on-domain": Kind("{name} is given by a formula between two bounds only", _DOCUMENT),
    "index-base": Kind("written indices start from {base}"),
    "names-of-section": Kind("names as in this section"),
    "version-of-line": Kind("{name} as defined in line {line}"),
    "primed": Kind("{name} is what the name without the prime is for {others}"),
    "given-before": Kind("{name} as given before"),
    "number-is-length": Kind("{name} is the length that nothing else names", equates=True),
    "loss-through": Kind("{loss} depends on {name} through {others} only"),
    "named-gradient": Kind("{name} is the gradient of {loss} in {by}"),
    "gradient-worked-out": Kind("the gradient of {name} is worked out from its definition"),
    "stated-gradient": Kind("the gradient of {loss} in {by} is what the document says of it"),
}
"""What a name is."""
_SAID: Mapping[str, Kind] = {
    "declared": Kind("declared: {words}", ("declaration",)),
    "put-in": Kind("for the values that the text puts in: {values}", _DOCUMENT),
    "length": Kind("{condition}", _DOCUMENT),
    "letters-compared": Kind("for {one} {sign} {other}", _DOCUMENT),
    "range": Kind("{condition}, as a range supposes"),
    "rows-sum-to-one": Kind("the rows of {name} sum to one", _DOCUMENT),
    "target-sums-to-one": Kind("{name} sums to one, as targets of a cross entropy do"),
    "targets-sum-to-one": Kind("each row of {name} sums to one, as targets of a cross entropy do"),
    "differ-at": Kind("in general: the two differ at {place}"),
    "first-side": Kind("between the first side and this one; those before are equal"),
    "nearest-array": Kind("the sentence is about ${name}$, the nearest array before it"),
    "sum-runs-over": Kind("the sum runs over {index}"),
    "compared-with": Kind("compared with {name} of {path}"),
}
"""What a sentence, a comment or another document says, and how a sentence is read."""
_MODELLING: Mapping[str, Kind] = {
    "holds-logarithm": Kind("{name} holds the logarithm of {symbol}, as its name says", _MODEL, guess=True),
    "one-hot-rows": Kind("the rows of {symbol} are one-hot, at the places that {name} holds", _MODEL),
    "labels": Kind("{name} holds positions on an axis, which count from 0", _MODEL),
    "dropout-off": Kind("dropout is switched off", _MODEL),
    "mask-fill": Kind("the mask fill {value} is read as minus infinity", _MODEL, masks=True),
    "added-mask": Kind("the added mask {value} is read as minus infinity", _MODEL, masks=True),
    "squeezed": Kind("no axis that squeeze leaves has size 1", _MODEL),
    "normalised-longer": Kind("the vectors that are normalised are longer than eps", _MODEL),
    "compared-longer": Kind("the vectors that are compared are longer than eps", _MODEL),
    "size-at-least": Kind("{size} >= {bound}", _MODEL),
    "size-above": Kind("{size} > {bound}", _MODEL),
    "goes-on": Kind("the code does not stop at `if {test}`", _MODEL),
    "assertion-holds": Kind("the code does not stop at `{assertion}`", _MODEL),
    "first-call": Kind("{name} is what it is when the object is made", _MODEL),
    "later-call": Kind("{name} is what an earlier call has made it", _MODEL),
    "equal-size": Kind("{size} = {value}", _MODEL, equates=True),
    "scale": Kind("{size} = {value}, the number of terms of the sum that it scales", _MODEL, equates=True),
    "divided-size": Kind("{divisor} divides {size}", _MODEL),
    "width": Kind("{size} is the width of {name}", _MODEL, equates=True),
    "spelled-out": Kind("{name} is the function of that name", _MODEL),
    "lacking": Kind("{name} = 0: the equation has none", _MODEL),
    "called-otherwise": Kind("{name} is {other}", _MODEL),
    "default-value": Kind(
        "{name} is {value}, as where a call does not say otherwise: the equation has no such number", _MODEL
    ),
    "heads-alternate": Kind("the columns of all heads alternate", _MODEL),
    "value-of-name": Kind("{number} is {value}, the value of {name}", _MODEL, equates=True),
}
"""How code is modelled."""
KINDS: Mapping[str, Kind] = {**_SIGNS, **_NAMES, **_SAID, **_MODELLING}


@dataclass(frozen=True)
class Note:
    """Something a verdict rests on: a row of `KINDS` with its arguments, where it comes from, and its place.

    >>> Note("start-value", ("s", "0")).text
    's starts from 0, as nothing is said of its start'
    """

    kind: str
    arguments: tuple[str | Index, ...] = ()
    origin: str = ""
    """One of the origins of the row; the first of them where nothing is given."""
    place: Place | None = None

    def __post_init__(self) -> None:
        row = KINDS.get(self.kind)
        if row is None or len(self.arguments) != len(row.fields) or (self.origin and self.origin not in row.origins):
            raise ValueError(f"a note needs a kind with its arguments and an origin, found {self!r}")
        object.__setattr__(self, "origin", self.origin or row.origins[0])

    @property
    def row(self) -> Kind:
        """What the table says of such notes."""
        return KINDS[self.kind]

    @property
    def text(self) -> str:
        """The note in English."""
        return self.row.sentence.format_map(dict(zip(self.row.fields, map(str, self.arguments), strict=True)))

    @property
    def is_internal(self) -> bool:
        """Whether it speaks of a length that only we have a name for."""
        return any(MADE_UP in size for a in self.arguments if isinstance(a, Index) for size in a.sizes)
