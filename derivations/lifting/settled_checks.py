"""The two results of a self-check of a program, settled: their entries, and what these rest on."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass, replace

from derivations.language.statement import Definition
from derivations.language.term import Index, Term, TermError
from derivations.lifting.interpreter.self_checks import Compared
from derivations.lifting.settled_entries import finish, finished_folds
from derivations.lifting.symbolic.arrays import Array, places
from derivations.lifting.symbolic.not_lifted import NotLifted
from derivations.lifting.symbolic.scope import Scope
from derivations.lifting.symbolic.sizes import Required


@dataclass(frozen=True)
class Side:
    """One of two results: an entry, and what it rests on."""

    entry: Term
    shape: tuple[Index, ...]
    folds: Mapping[str, tuple[Definition, ...]]

    @property
    def heads(self) -> frozenset[str]:
        """All names that it rests on."""
        return self.entry.heads.union(*(d.body.heads for rows in self.folds.values() for d in rows))


@dataclass(frozen=True)
class SelfCheck:
    """Two results that a program compares, entry by entry."""

    left: Side
    right: Side
    shapes: Mapping[str, tuple[Index, ...]]
    """The shapes of the inputs that the two rest on."""
    required: tuple[Required, ...]
    """What the program needs of their lengths up to the check."""
    compared: Compared | None = None
    """Where the program compares them; None where it does not itself."""


def settled(scope: Scope, compared: Compared) -> SelfCheck | None:
    """The check with all entries as terms; None where the two have different shapes, or an entry was never written.

    Nor is there one where a length of an input can only be one number, such as the 1 of an axis that the comparison
    stretches: what holds then holds at the lengths of the program alone.
    """
    left, right = compared.left, compared.right
    if left.rank != right.rank:
        return None
    own = replace(scope, sizes=copy.deepcopy(compared.sizes))
    try:
        for a, b in zip(own.shape(left), own.shape(right), strict=True):
            if _number(own, a) != _number(own, b):
                return None
            own.sizes.require(a, b, "both sides")
        sides = side_of(own, left), side_of(own, right)
    except (NotLifted, TermError):
        return None
    heads = sides[0].heads | sides[1].heads
    inputs = {h: x.shape for h, x in scope.inputs.items() if h in heads}
    shapes = {h: tuple(map(own.sizes.resolve, shape)) for h, shape in inputs.items()}
    if any(a.is_constant and not b.is_constant for h in inputs for a, b in zip(shapes[h], inputs[h], strict=True)):
        return None
    used = {s for shape in (*shapes.values(), sides[0].shape) for size in shape for s in size.sizes}
    return SelfCheck(*sides, shapes, tuple(r for r in own.sizes.required if r.value.sizes & used), compared)


def _number(scope: Scope, size: Index) -> int | None:
    """The number that a length is in the program; None where nothing tells."""
    known = scope.sizes.concrete
    return size.evaluate({}, known) if size.sizes <= known.keys() and not size.free else None


def side_of(scope: Scope, value: Array) -> Side:
    """A result with all entries as terms."""
    done = finish(scope, value)
    entry = done.real(places(done.rank))
    return Side(entry, done.shape, finished_folds(scope, entry))


__all__ = ["SelfCheck", "Side", "settled", "side_of"]
