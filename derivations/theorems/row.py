"""A row of the library."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from derivations import api
from derivations.language.statement import Statement, Theory
from derivations.provers.decide import Decision, Proved
from derivations.provers.decide import Refuted as RefutedDecision


@dataclass(frozen=True)
class Row:
    """A statement `left relation right` with its definitions, conditions and source."""

    name: str
    left: Any
    right: Any
    source: str
    where: tuple[api.Definition, ...] = ()
    given: tuple[Any, ...] = ()
    relation: str = "="
    expected: ClassVar[str] = ""

    @cached_property
    def stated(self) -> tuple[Statement, Theory]:
        """The statement and the theory it is about."""
        return api.state(self.left, self.right, relation=self.relation, given=self.given, where=self.where)

    @cached_property
    def decision(self) -> Decision:
        """What the prover and the kernel make of it (computed once)."""
        from derivations.provers.decide import decide

        return decide(*self.stated)

    @property
    def status(self) -> str:
        """`proved`, `refuted` or `undecided`."""
        if isinstance(self.decision, Proved):
            return "proved"
        return "refuted" if isinstance(self.decision, RefutedDecision) else "undecided"


class Theorem(Row):
    """A statement that the library claims to hold."""

    expected = "proved"


class Undefined(Row):
    """A statement that is not meaningful everywhere, whatever the inputs are."""

    expected = "undecided"


class Refuted(Row):
    """A tempting statement that is false."""

    expected = "refuted"
