"""What one lifting shares: its sizes, inputs and assumptions, its fresh names, and how arrays are made and broadcast in it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, Protocol

from derivations.language.statement import Definition
from derivations.language.term import (
    Constraint,
    Guard,
    Index,
    Max,
    Number,
    Sum,
    Term,
    TermError,
    at_least,
    guard,
    label,
    less,
)
from derivations.language.term import Entry as TensorEntry
from derivations.lifting.symbolic.arrays import Array, Entry, places, scalar
from derivations.lifting.symbolic.clipped import both_bounds, over_range, without
from derivations.lifting.symbolic.not_lifted import NotLifted
from derivations.lifting.symbolic.number_ranges import is_short
from derivations.lifting.symbolic.sizes import Sizes
from derivations.notes import Note

SMALL = Number(Fraction(1, 1000)).value
"""Constants up to this size that are added, or called eps, guard against a division by zero."""
KEEP_WHOLE = frozenset(
    {"+", "-", "*", "//", "%", "**", "where", "maximum", "minimum", "clamp", "sign", "mask"}
    | {"abs", "relu", "square", "fill"}
)
"""Operations on entries that give whole numbers for whole numbers."""
KEEP_TRUTH = frozenset({"where", "maximum", "minimum", "mask", "fill"})
"""Operations on entries that give truth values for truth values."""
COMPARISONS = frozenset({"==", "!=", "<", "<=", ">", ">="})


@dataclass
class Input:
    """A tensor that code is given: random, literal data, or a parameter.  `name` is the variable that first held it."""

    head: str
    shape: tuple[Index, ...]
    name: str = ""
    origin: str = "data"
    values: Any = None
    """The literal numbers, as nested tuples, when the code writes them."""
    block: int = -1
    """The block of the document whose code made it; -1 while it has no name."""
    initial: int | None = None
    """The number that all entries of a trained parameter start with."""

    @property
    def constant(self) -> str | None:
        """The number of mathematics that it is."""
        return self.name if self.origin == "constant" else None


class Round(Protocol):
    """A loop of which one round is run for all."""

    @property
    def index(self) -> Index:
        """The number of the round."""

    @property
    def size(self) -> Index:
        """How many rounds there are."""


FRESH = frozenset({"random"})
"""Origins of inputs of which each round of a loop makes another one; lists of layers count their members themselves."""


@dataclass
class Scope:
    """What one lifting shares: sizes, inputs, fresh names, assumptions, and a limit of counted work."""

    sizes: Sizes = field(default_factory=Sizes)
    inputs: dict[str, Input] = field(default_factory=dict)
    library: str = "torch"
    assumptions: list[Note] = field(default_factory=list)
    facts: list[Constraint] = field(default_factory=list)
    """Ranges of the loops that are open, and conditions on their indices."""
    folds: dict[str, tuple[Definition, ...]] = field(default_factory=dict)
    """What loops hand from round to round, by the number of rounds."""
    minima: dict[str, tuple[Index, Index]] = field(default_factory=dict)
    """Variables that stand for the smaller of two numbers while a round runs."""
    blocks: dict[tuple[Index, Index], Index] = field(default_factory=dict)
    """How many blocks of a length cover an axis of a length, the last of which may be shorter."""
    tails: bool = False
    """Whether blocks need not divide an axis."""
    labels: dict[str, Index] = field(default_factory=dict)
    """The inputs that are positions on an axis, such as the classes of examples, and the length of that axis."""
    exact: bool = False
    """Whether numbers that code writes are these numbers; else data are any data, as equations speak of them."""
    work: int = 20_000
    names: int = 0
    rounds: Callable[[], Sequence[Round]] = tuple
    """The loops that are open, of which one round is run for all."""

    @property
    def known(self) -> Guard:
        """What is known of sizes and of the loops that are open."""
        rows = map(self.settled, (*self.facts, *self.sizes.facts))
        return guard(*(x for c in rows for x in (both_bounds(c, self.minima) if self.minima else (c,))))

    def smaller(self, a: Index, b: Index) -> Index:
        """The smaller of two whole numbers, as a variable."""
        found = next((v for v, pair in self.minima.items() if pair in ((a, b), (b, a))), None)
        if found is None:
            found = f"min~{len(self.minima) + 1}"
            self.minima[found] = (a, b)
        return Index.var(found)

    def blocks_of(self, length: Index, width: Index) -> Index:
        """How many blocks of this width cover a length: the number T with (T - 1)*width < length <= T*width."""
        length, width = self.sizes.resolve(length), self.sizes.resolve(width)
        if (length, width) not in self.blocks:
            count = self.blocks[length, width] = self.sizes.fresh("blocks")
            self.sizes.facts += [at_least(count * width, length), less(count * width - width, length)]
        return self.blocks[length, width]

    def spend(self, amount: int = 1) -> None:
        self.work -= amount
        if self.work < 0:
            raise NotLifted("the counted work of lifting is used up", code="work-limit")

    def settled(self, c: Constraint) -> Constraint:
        """A constraint with what is known of its sizes by now."""
        return Constraint(self.sizes.resolve(c.index), c.relation) if c.index.sizes & self.sizes.known.keys() else c

    def variable(self, stem: str = "k") -> Index:
        self.names += 1
        return Index.var(f"{stem}{self.names}")

    def given(
        self,
        shape: Sequence[Index],
        name: str = "",
        origin: str = "data",
        values: Any = None,
        initial: int | None = None,
    ) -> Array:
        """A fresh tensor of unknown entries; what is drawn in a loop is another one in each round."""
        head = f"{name or 'input'}~{len(self.inputs) + 1}"
        shape = tuple(self.sizes.resolve(s) for s in shape)
        rounds = self.rounds() if origin in FRESH else ()
        counts = [self.sizes.resolve(r.size) for r in rounds]
        if any(n.free for n in counts) or (rounds and any(s.free for s in shape)):
            raise NotLifted("numbers are drawn in a loop whose length depends on the round of another one")
        self.inputs[head] = Input(head, (*counts, *shape), name, origin, values, initial=initial)
        return Array(shape, TensorEntry(head, [*(r.index for r in rounds), *places(len(shape))]), library=self.library)

    def positions(self, a: Array, length: Index) -> Array | None:
        """Data that stand for positions on an axis of this length; None for what is computed from data."""
        made = a.entry
        if not isinstance(made, TensorEntry) or made.args or made.name not in self.inputs:
            return None
        given = self.inputs[made.name]
        if given.values is not None or given.origin in ("layer", "bias", "eps", "constant"):
            return None
        length = self.sizes.resolve(length)
        known = self.labels.setdefault(made.name, length)
        if self.sizes.resolve(known) is not length:
            raise NotLifted(f"{given.name or 'an array'} gives positions on two axes, of length {known} and {length}")
        self.assume(Note("labels", (given.name or "the data",)))
        return replace(a, entry=label(made.name, made.indices, length), numbers="whole")

    def constant(self, name: str) -> Array:
        """A number of mathematics, such as pi, as an input that equations may speak of, too."""
        found = next((g for g in self.inputs.values() if g.origin == "constant" and g.name == name), None)
        return self.given((), name, "constant") if found is None else Array((), TensorEntry(found.head, ()))

    def guarding(self, value: Any, name: str = "eps", is_default: bool = False) -> Any:
        """A small positive constant that guards against a division by zero: an input, which an equation may lack.

        Another small number is not the same one, and is left as it is unless it is only what a parameter is by default.
        """
        if self.exact:
            return value
        if isinstance(value, Array) and isinstance(value.entry, Number) and 0 < value.entry.value <= SMALL:
            known = [g for g in self.inputs.values() if g.origin == "eps" and g.name == name]
            found = next((g for g in known if g.values == value.entry.value), None)
            if found is not None:
                return scalar(TensorEntry(found.head, ()))
            if not known or is_default:
                return self.given((), name, "eps", value.entry.value)
        return value

    def assume(self, note: Note) -> None:
        if note not in self.assumptions:
            self.assumptions.append(note)

    def make(
        self, shape: Sequence[Index], entry: Callable[[tuple[Index, ...]], Entry], like: Array | None = None
    ) -> Array:
        """An array from its entries; memory of its own."""
        self.spend()
        shape = tuple(self.sizes.resolve(s) for s in shape)
        try:
            made = entry(places(len(shape)))
        except TermError as error:
            raise NotLifted(str(error), code="too-large") from None
        if like is None:
            return Array(shape, made)
        numbers = like.numbers
        if numbers != "short" and like.whole and isinstance(made, Term):
            numbers = "whole"
        return Array(shape, made, library=like.library, numbers=numbers)

    def look(self, a: Array, shape: Sequence[Index], entry: Callable[[tuple[Index, ...]], Entry]) -> Array:
        """A view into the same memory."""
        made = self.make(shape, entry, a)
        return replace(made, token=a.token, view=True)

    def shape(self, a: Array) -> tuple[Index, ...]:
        return tuple(self.sizes.resolve(s) for s in a.shape)

    def without_minima(self, a: Array) -> Array:
        """The array without variables that stand for the smaller of two numbers."""
        if not self.minima or not isinstance(a.entry, Term):
            return a
        return replace(a, entry=without(a.entry, self.minima))

    def total(self, size: Index, body: Callable[[Index], Term]) -> Term:
        """The sum of `body` over an axis."""
        size = self.sizes.resolve(size)
        if size.is_constant and size.const == 1:
            return body(Index.of(0))
        return over_range(Sum, self.variable(), size, body, self.minima)

    def largest(self, size: Index, body: Callable[[Index], Term]) -> Term:
        size = self.sizes.resolve(size)
        if size.is_constant and size.const == 1:
            return body(Index.of(0))
        return over_range(Max, self.variable(), size, body, self.minima)

    def axis(self, a: Array, k: Any, extra: int = 0) -> int:
        """A non-negative axis number."""
        if isinstance(k, Array) and k.rank == 0 and isinstance(k.entry, Index):
            k = k.entry
        if isinstance(k, Index) and k.is_constant:
            k = k.const
        rank = a.rank + extra
        if not isinstance(k, int) or isinstance(k, bool) or not -rank <= k < rank:
            raise NotLifted(f"needed an axis from {-rank} to {rank - 1}, found {k}", code="shape-conflict")
        return k % rank

    def broadcast(self, shapes: Sequence[tuple[Index, ...]], what: str) -> tuple[Index, ...]:
        """The common shape; axes of size 1 are repeated, other sizes are made equal."""
        rank = max((len(s) for s in shapes), default=0)
        result: list[Index] = []
        one = Index.of(1)
        for k in range(rank):
            found = one
            for s in shapes:
                j = k - (rank - len(s))
                if j < 0:
                    continue
                size = self.sizes.resolve(s[j])
                if size is one:
                    continue
                found = size if found is one else self.sizes.require(found, size, what)
            result.append(found)
        return tuple(self.sizes.resolve(s) for s in result)

    def spread(self, a: Array, at: Sequence[Index]) -> Entry:
        """The entry of `a` at a place of a shape it is broadcast to."""
        own = at[len(at) - a.rank :]
        one = Index.of(1)
        return a.at([Index.of(0) if self.sizes.resolve(s) is one else i for s, i in zip(a.shape, own, strict=True)])

    def elementwise(self, what: str, combine: Callable[..., Entry], *arrays: Array) -> Array:
        shape = self.broadcast([a.shape for a in arrays], what)
        library = next((a.library for a in arrays if a.library), "")
        made = self.make(shape, lambda at: combine(*(self.spread(a, at) for a in arrays)))
        keeps = what in KEEP_WHOLE and made.kind == "real" and all(a.whole for a in arrays)
        floating = made.kind == "int" and any(a.numbers == "real" for a in arrays)
        if any(a.numbers == "short" for a in arrays) and all(a.whole for a in arrays):
            return replace(made, library=library, numbers=self._short(what, made, arrays))
        return replace(made, library=library, numbers="whole" if keeps else "real" if floating else "")

    def _short(self, what: str, made: Array, arrays: Sequence[Array]) -> str:
        """The type of a result of numbers of few bits; refuses what may wrap."""
        if what in COMPARISONS and all(is_short(a.entry) or a.numbers == "short" for a in arrays):
            return ""
        if what not in KEEP_WHOLE and what not in COMPARISONS:
            return ""
        if any(a.numbers != "short" and a.kind != "bool" and a.rank for a in arrays):
            return "whole" if what in KEEP_WHOLE else ""  # both are taken to the longer type
        if what in COMPARISONS or not is_short(made.entry):
            raise NotLifted("whole numbers of fewer than 32 bits, or without a sign, that may wrap")
        return "short"
