"""Values at drawn inputs of which single entries change: what rests on no changed entry is not computed again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from flint import fmpq, fmpq_mat

from derivations.language.extended_reals import PRECISION, Value, precise
from derivations.language.inputs import Inputs
from derivations.language.meaning import MAX_WORK, Evaluator
from derivations.language.statement import Theory
from derivations.language.term import Entry, Number, Term

Place = tuple[str, tuple[int, ...]]
"""An entry of the inputs."""


class Watched:
    """Inputs that note which of their drawn entries are read: each has a bit of its own."""

    def __init__(self, inputs: Inputs, drawn: Mapping[Place, fmpq]) -> None:
        self.inputs, self.drawn = inputs, drawn
        self.sizes, self.choose = inputs.sizes, inputs.choose
        self.seen: dict[Place, fmpq] = {}
        """The entries that some value rests on, as they were when it was computed."""
        self.bits: dict[Place, int] = {}
        self.read = 0
        """The bits of what was read of late."""

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inputs, name)

    def entry(self, name: str, at: Sequence[int]) -> fmpq:
        """An entry, which is noted unless it is out of range: those have fixed values."""
        value = self.inputs.entry(name, at)
        place = (name, tuple(at))
        if place in self.drawn:
            self.seen[place] = value
            self.read |= self.bits.setdefault(place, 1 << len(self.bits))
        return value

    def changed(self) -> int:
        """The bits of the entries that have another value now."""
        now = self.drawn
        places = [place for place, value in self.seen.items() if now.get(place) is not value]
        bits = 0
        for place in places:
            del self.seen[place]
            bits |= self.bits[place]
        return bits


class KeptValues(Evaluator):
    """Values of terms at a draw, in which entries may be changed between two calls of `at_place`.

    An inverse is computed once for all of its entries: in a matrix of hypotheses each of them asks for it again.
    """

    def __init__(self, theory: Theory, inputs: Inputs, drawn: Mapping[Place, fmpq], work: int = MAX_WORK) -> None:
        self.watched, self.left = Watched(inputs, drawn), work
        super().__init__(theory, self.watched)  # type: ignore[arg-type]
        self.reads: dict[tuple[Any, ...], int] = {}
        self.inverses: dict[tuple[Any, ...], tuple[fmpq_mat | None, int]] = {}

    def at_place(self, t: Term, at: Mapping[str, int]) -> Value:
        """The value of a term with the entries as they are now, within the work of one evaluation and what is left."""
        changed = self.watched.changed()
        if changed:
            for key in [key for key, read in self.reads.items() if read & changed]:
                del self.values[key], self.reads[key]
            self.inverses = {key: row for key, row in self.inverses.items() if not row[1] & changed}
        granted = self.work = min(MAX_WORK, self.left)
        self.watched.read = 0
        try:
            with precise(PRECISION):
                return self.value(t, dict(at))
        finally:
            self.left -= granted - self.work

    def value(self, t: Term, env: dict[str, int]) -> Value:
        """The value of a term, with what it rests on."""
        if type(t) is Number:
            return t.value
        key, watched = self.key(t, env), self.watched
        found = self.values.get(key)
        if found is None:
            self.spend()
            before, watched.read = watched.read, 0
            found = self.values[key] = self._value(t, env)
            self.reads[key] = watched.read
            watched.read |= before
        else:
            watched.read |= self.reads[key]
        return found

    def inverse(self, t: Entry, env: dict[str, int]) -> fmpq_mat | None:
        """The inverse of a matrix, with what it rests on."""
        matrix, watched = t.args[0], self.watched
        key = (*self.key(t.args[0].body, {**env, **dict.fromkeys(matrix.params, 0)}), matrix, self.at(t.sizes[0], env))
        if key not in self.inverses:
            before, watched.read = watched.read, 0
            found = super().inverse(t, env)
            self.inverses[key] = found, watched.read
            watched.read |= before
        found, read = self.inverses[key]
        watched.read |= read
        return found
