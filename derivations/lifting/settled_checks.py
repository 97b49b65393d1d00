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

    compared: Compared
    left: Side
    right: Side
    shapes: Mapping[str, tuple[Index, ...]]
    """The shapes of the inputs that the two rest on."""
    required: tuple[Required, ...]
    """What the two need of the sizes."""


def settled(scope: Scope, compared: Compared) -> SelfCheck | None:
    """The check with all entries as terms; None where the two have different shapes, or an entry was never written."""
    left, right = compared.left, compared.right
    if left.rank != right.rank:
        return None
    own = replace(scope, sizes=copy.deepcopy(compared.sizes))
    try:
        for a, b in zip(own.shape(left), own.shape(right), strict=True):
            own.sizes.require(a, b, "both sides")
        sides = _side(own, left), _side(own, right)
    except (NotLifted, TermError):
        return None
    heads = sides[0].heads | sides[1].heads
    shapes = {h: tuple(map(own.sizes.resolve, x.shape)) for h, x in scope.inputs.items() if h in heads}
    return SelfCheck(compared, *sides, shapes, tuple(own.sizes.required[compared.before :]))


def _side(scope: Scope, value: Array) -> Side:
    done = finish(scope, value)
    entry = done.real(places(done.rank))
    return Side(entry, done.shape, finished_folds(scope, entry))


__all__ = ["SelfCheck", "Side", "settled"]
