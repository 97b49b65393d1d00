"""Symbolic arrays: a shape of sizes, and the entry at a place as a term, an integer or a condition.

The entry of an array of rank r is built eagerly over the place variables `x0`, ..., `x{r-1}`; nothing is delayed, so a
term that grows too large is refused where it grows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from derivations.language.substitution import Capture, rename_apart, substitute
from derivations.language.term import (
    ONE,
    ZERO,
    Index,
    IndexValue,
    Number,
    Term,
    by_sign,
    equal,
    guard_substitute,
    number,
)
from derivations.lifting.symbolic.not_lifted import NotLifted
from derivations.lifting.symbolic.truth_values import Condition, Test, Truth, condition, negated, pieces, selected

Entry = Term | Index | Condition | Test
"""What stands at a place: a real number, an integer, or a truth value."""


def place_name(k: int) -> str:
    """The variable of axis k in the entry of an array."""
    return f"x{k}"


def places(rank: int) -> tuple[Index, ...]:
    return tuple(Index.var(place_name(k)) for k in range(rank))


@dataclass(frozen=True, eq=False)
class Array:
    """`entry` over the place variables; `kind` is real, int or bool.

    `token` stands for the memory behind the array: views share it, and writing in place into shared memory is refused.
    `library` says whose defaults its methods follow.
    """

    shape: tuple[Index, ...]
    entry: Entry
    token: object = field(default_factory=object)
    view: bool = False
    library: str = ""
    numbers: str = ""
    """The type of numbers that the memory keeps, where that is told: `whole`, `short` (whole, of fewer than 32 bits or
    without a sign, so that arithmetic wraps) or `real`."""

    @property
    def whole(self) -> bool:
        """Whether the memory keeps whole numbers only, and cuts what is written into it."""
        return self.numbers in ("whole", "short") or (not self.numbers and self.kind != "real")

    @property
    def rank(self) -> int:
        return len(self.shape)

    @property
    def kind(self) -> str:
        return "real" if isinstance(self.entry, Term) else "int" if isinstance(self.entry, Index) else "bool"

    def at(self, place: Sequence[Index | int]) -> Entry:
        """The entry at a place."""
        if len(place) != self.rank:
            raise NotLifted(f"needed {self.rank} indices, found {len(place)}")
        return put(self.entry, {place_name(k): Index.of(i) for k, i in enumerate(place)})

    def real(self, place: Sequence[Index | int]) -> Term:
        """The entry at a place as a real number: truth values count as 1 and 0."""
        return real(self.at(place))


def in_memory(a: Array) -> bool:
    """Whether `a += 1` writes into memory that other names may share; numbers of Python have none."""
    return bool(a.rank or a.library)


def put(entry: Entry, indices: dict[str, Index]) -> Entry:
    """The entry with indices put for variables."""
    if isinstance(entry, Index):
        return entry.substitute(indices)
    if isinstance(entry, tuple):
        return condition(*(guard_substitute(g, indices) for g in entry))
    if isinstance(entry, Test):
        return Test(put(entry.term, indices))  # type: ignore[arg-type]
    try:
        return substitute(entry, indices)
    except Capture:
        away = frozenset().union(*(i.free for i in indices.values()))
        return substitute(rename_apart(entry, away), indices)


def put_sizes(entry: Entry, sizes: dict[str, Index]) -> Entry:
    """The entry with other sizes."""
    if isinstance(entry, Index):
        return entry.substitute({}, sizes)
    if isinstance(entry, tuple):
        return condition(*(guard_substitute(g, {}, sizes) for g in entry))
    if isinstance(entry, Test):
        return Test(substitute(entry.term, sizes=sizes))
    return substitute(entry, sizes=sizes)


def real(entry: Entry) -> Term:
    if isinstance(entry, Term):
        return entry
    if isinstance(entry, Index):
        return number(entry.const) if entry.is_constant else IndexValue(entry)
    return selected(entry, ONE, ZERO)


def truth(entry: Entry) -> Truth:
    """The entry as a truth value: numbers are true when they are not zero."""
    if isinstance(entry, (tuple, Test)):
        return entry
    if isinstance(entry, Index):
        return negated(condition((equal(entry, 0),)))
    known = pieces(entry)
    if known is None:
        return Test(by_sign(entry, ONE, ZERO, ONE))
    return condition(*(g for c, v in known if v.value != 0 for g in c))


def as_truth(made: Array, *arrays: Array) -> Array:
    """What is made of truth values alone, and keeps them."""
    if made.kind == "bool" or not arrays or any(a.kind != "bool" for a in arrays):
        return made
    return replace(made, entry=truth(made.entry), numbers="")


def index_truth(entry: Entry) -> Condition:
    """The entry as a condition on indices."""
    known = truth(entry)
    if isinstance(known, Test):
        raise NotLifted("a condition on values of data, which is not a condition on indices")
    return known


def scalar(value: Entry | int | float) -> Array:
    """A number as an array of rank 0."""
    return Array((), Index.of(value) if isinstance(value, int) else value)  # type: ignore[arg-type]


def constant_of(value: object, resolve: Callable[[Index], Index] = lambda size: size) -> Number | None:
    """The number that a value is, whatever the inputs and lengths are; None for any other."""
    entry = value.entry if isinstance(value, Array) and not value.rank and value.kind != "bool" else None
    if isinstance(entry, Index):
        known = resolve(entry)
        return Number(known.const) if known.is_constant else None
    return entry if isinstance(entry, Number) else None
