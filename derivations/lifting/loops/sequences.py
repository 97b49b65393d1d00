"""Arrays and lists that each round of a loop gives one more row, and whose earlier rows it reads: `h[t] = a*h[t - 1] + x[t]`.

The rows are a family (`folds`): the one that was written last, after any number of rounds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from derivations.language.term import ZERO, Case, Index, Term, guard, less
from derivations.lifting.loops.generic_round import conjunction
from derivations.lifting.operations import elementwise
from derivations.lifting.operations.indexing import Slice, bounds, known_at_least, spelled_out, subscript, wrapped
from derivations.lifting.operations.shaping import permuted
from derivations.lifting.operations.table import Stacked, Value, integer
from derivations.lifting.symbolic.arrays import Array, place_name, places, put, real, scalar
from derivations.lifting.symbolic.not_lifted import NotLifted
from derivations.lifting.symbolic.scope import Scope
from derivations.lifting.symbolic.truth_values import Condition


@dataclass(eq=False)
class Rows:
    """What a loop has filled of an array, or of a list, at its generic round: row `first + i` in round i."""

    name: str
    scope: Scope
    before: Array
    first: Index
    round: Index
    row: Callable[[Index], Array]
    """The row that was written last, after a number of rounds."""
    listed: bool = False
    back: bool = False
    """Whether the rows are filled from the end: then rows are counted from there, and `before` is in that order."""
    written: Array | None = None
    axis: int | None = None
    """Along which axis the rows lie, for an array that is joined to with one more in each round."""

    @property
    def here(self) -> Index:
        """The row of this round."""
        return self.scope.sizes.resolve(self.first + self.round)

    @property
    def done(self) -> Index:
        """How many rows are settled, from the first one on."""
        return self.here + 1 if self.written is not None else self.here

    def read(self, items: Value) -> Array:
        """`a[items]`, of rows that earlier rounds wrote, or this one, or none so far."""
        head, *rest = spelled_out(self.before, items)
        if isinstance(head, Slice):
            return self._rest(self._part(head), [Slice(), *rest])
        if not isinstance(head, Array) or head.rank:
            raise self._refusal()
        p = self.scope.sizes.resolve(integer(head, "an index"))
        if self.listed and p.is_constant and p.const < 0:
            p = self.done + p
        return self._rest(self._at(self._counted(wrapped(self.scope, p, self.before.shape[0]))), rest)

    def whole(self) -> Value:
        """All rows so far of a list, or of an array that is joined to."""
        made = self._part(Slice())
        return SoFar(made) if self.axis is None else moved_axis(self.scope, made, self.axis)

    def join(self, value: Array, path: list[Condition]) -> None:
        """`a = cat([a, value])`."""
        k = self.axis or 0
        if self.written is not None or path or value.rank != self.before.rank:
            raise self._refusal()
        one = self.scope.sizes.resolve(value.shape[k])
        if not one.is_constant or one.const != 1:
            raise NotLifted(f"{self.name} grows by more than one row in a round", code="loop-carried")
        items: list[Value] = [Slice()] * value.rank
        items[k] = scalar(0)
        self._put(subscript(self.scope, value, tuple(items)), path)

    def _counted(self, p: Index) -> Index:
        """A row as it is counted here."""
        return self.scope.sizes.resolve(self.before.shape[0] - 1 - p if self.back else p)

    def _rest(self, a: Array, items: list[Value]) -> Array:
        return subscript(self.scope, a, tuple(items)) if items else a

    def _at(self, p: Index) -> Array:
        if p is self.here and self.written is not None:
            return self.written
        if known_at_least(self.scope, self.here - p, 1):
            count = p - self.first + 1
            if known_at_least(self.scope, count, 0):
                return self.row(count)
            early = subscript(self.scope, self.before, scalar(p))
            return elementwise.where(self.scope, scalar((guard(less(count, 0)),)), early, self.row(count))
        if not self.listed and known_at_least(self.scope, p, self.here):
            return subscript(self.scope, self.before, scalar(p))
        raise self._refusal()

    def _part(self, s: Slice) -> Array:
        size = self.done if self.listed else self.scope.sizes.resolve(self.before.shape[0])
        low, length, step = bounds(self.scope, s, size)
        first = low
        if self.back:
            low = self.scope.sizes.resolve(size - low - length)
        if step != 1 or not known_at_least(self.scope, self.done, low + length):
            raise self._refusal()
        if self.back:
            shape = (length, *self.before.shape[1:])
            return self.scope.make(
                shape, lambda at: self._entry((size - 1 - first - at[0], *at[1:]), Index()), self.before
            )
        return self.scope.make((length, *self.before.shape[1:]), lambda at: self._entry(at, low), self.before)

    def _entry(self, at: tuple[Index, ...], low: Index) -> Term:
        """The entry in a settled row."""
        p = at[0] + low
        count = p - self.first + 1
        late = self._late(count, at[1:])
        if not self.back and known_at_least(self.scope, low - self.first, -1):
            return late
        return Case([(guard(less(count, 0)), self.before.real((p, *at[1:])))], late)

    def _late(self, count: Index, at: tuple[Index, ...]) -> Term:
        """The entry of the row that was written last after `count` rounds, which may speak of the place itself."""
        rounds = self.scope.variable("r")
        row = self.row(rounds)
        return real(put(row.entry, {min(rounds.free): count, **{place_name(k): x for k, x in enumerate(at)}}))

    def write(self, items: Value, value: Array, path: list[Condition], *, additive: bool) -> None:
        """`a[items] = value` for the row of this round."""
        head, *rest = spelled_out(self.before, items)
        whole = all(isinstance(x, Slice) and (x.lower, x.upper, x.step) == (None, None, None) for x in rest)
        if not whole or not isinstance(head, Array) or head.rank:
            raise self._refusal()
        p = self._counted(wrapped(self.scope, integer(head, "an index"), self.before.shape[0]))
        if p is not self.here:
            raise self._refusal()
        if additive:
            value = elementwise.binary(self.scope, "+", self._at(p), value)
        self._put(value, path)

    def append(self, value: Array, path: list[Condition]) -> None:
        """`a.append(value)`, once in a round."""
        if self.written is not None or path:
            raise self._refusal()
        self._put(value, path)

    def _put(self, value: Array, path: list[Condition]) -> None:
        shape = self.before.shape[1:]
        if len(self.scope.broadcast([shape, value.shape], "a row")) != len(shape):
            raise NotLifted("a write of an array with more axes than the place has", code="shape-conflict")
        if path:
            value = elementwise.where(self.scope, scalar(conjunction(path)), value, self._at(self.here))
        self.written = self.scope.make(shape, lambda at: real(self.scope.spread(value, at)), value)

    def finished(self, size: Index) -> Value:
        """The array, or the list, after the last round."""
        end = self.scope.sizes.resolve(self.first + size)
        length = end if self.listed else self.scope.sizes.resolve(self.before.shape[0])
        shape = (length, *self.before.shape[1:])
        at = places(len(shape))
        p = at[0]
        late = self._late(p - self.first + 1, at[1:])
        early = None if self.first.is_constant and self.first.const <= 1 else guard(less(p, self.first - 1))
        entry: Term = late
        if length is not end:
            entry = Case([(guard(less(p, end)), late)], self.before.real(at))
        if early is not None:
            entry = Case([(early, self.before.real(at))], entry)
        made = Array(shape, entry, library=self.before.library)
        if self.back:
            made = flipped(self.scope, made)
        if self.axis is not None:
            return moved_axis(self.scope, made, self.axis)
        return Stacked(made) if self.listed else made

    def _refusal(self) -> NotLifted:
        reason = f"{self.name} is read or written at rows that are not those of this or earlier rounds"
        return NotLifted(reason, code="loop-carried")


class SoFar(Stacked):
    """A list as it is at one moment of the loop that appends to it: another name for it would go on growing."""


def moved_axis(scope: Scope, a: Array, k: int) -> Array:
    """The array with its first axis at place `k`."""
    if not k:
        return a
    order = [*range(1, k + 1), 0, *range(k + 1, a.rank)]
    return permuted(scope, a, order)


def first_axis(scope: Scope, a: Array, k: int) -> Array:
    """The array with axis `k` in front."""
    return permuted(scope, a, [k, *(j for j in range(a.rank) if j != k)]) if k else a


def flipped(scope: Scope, a: Array) -> Array:
    """The array with its rows from last to first."""
    last = scope.sizes.resolve(a.shape[0]) - 1
    return scope.make(a.shape, lambda at: a.at((last - at[0], *at[1:])), a)


def start(before: Array, first: Index) -> Array:
    """The row before the first one that a loop writes; zeros where there is none, for that is never read."""
    shape = before.shape[1:]
    if first.is_constant and first.const == 0:
        return Array(shape, ZERO, library=before.library)
    moved = {place_name(0): first - 1, **{place_name(k): Index.var(place_name(k - 1)) for k in range(1, before.rank)}}
    return Array(shape, real(put(before.entry, moved)), library=before.library)
