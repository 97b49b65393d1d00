"""What was found out about one equation, sentence or step of a document."""

from __future__ import annotations

import traceback
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from derivations.documents.model.code_replay import Replay
from derivations.documents.model.document import Place
from derivations.language.statement import Definition, Statement, Theory
from derivations.notes import Note
from derivations.provers.decide import Decision

KINDS = frozenset({"definition", "claim", "step", "hypothesis", "shape", "prose", "code", "output", "assertion"})
STATUSES = frozenset({"defined", "proved", "holds", "refuted", "wrong", "undecided", "unread", "skipped"})


def bug(error: Exception) -> str:
    """A bug of ours, in one line."""
    frames = traceback.extract_tb(error.__traceback__)
    where = f" ({Path(frames[-1].filename).name}:{frames[-1].lineno})" if frames else ""
    return f"internal error, please report it: {type(error).__name__}: {' '.join(str(error).split())}{where}"


@dataclass(frozen=True, slots=True)
class Silenced:
    """That the author knows of a finding: it is `expected`, `ignored` or `off`, for a reason."""

    how: str
    reason: str


@dataclass(slots=True)
class Finding:
    """One item of a document, in document order.

    `span` is the index of its mathematics in `Document.spans`; `position` the item's own place in the list of findings;
    `depends_on` holds positions of definitions and hypotheses that it uses.  `statement` is what was decided (None for
    a definition and for a relation that was not read); a relation between arrays of fixed small shape has one statement
    per entry, all in `statements`, and `statement` and `decision` are the decisive one.  `definition` is what was
    admitted, `theory` what was known at this place.  `display` maps the names used inside to the LaTeX of the document;
    `bases` maps a name to the number its indices start from; `styles` maps a name to how its indices are written, one
    letter an index: `d` below, `u` above in parentheses, `p` above without, `a` as an argument, `:` a whole axis that
    is not written.  `assumptions` are readings and stated conventions (those of the theorem itself are in
    `decision.theorem.assumptions`), `notes` are remarks that nothing rests on.  `read` says in words what was understood
    of something that is no statement, such as a printed output.
    """

    kind: str
    status: str
    place: Place
    end_line: int
    source: str
    span: int = -1
    position: int = -1
    name: str | None = None
    statement: Statement | None = None
    statements: tuple[Statement, ...] = ()
    definition: Definition | None = None
    theory: Theory = field(default_factory=Theory)
    decision: Decision | None = None
    assumptions: tuple[Note, ...] = ()
    notes: tuple[str, ...] = ()
    depends_on: tuple[int, ...] = ()
    display: Mapping[str, str] = field(default_factory=dict)
    bases: Mapping[str, int] = field(default_factory=dict)
    styles: Mapping[str, str] = field(default_factory=dict)
    code_name: str | None = None
    """The name of a program variable that the document puts beside the equation (`attn_weights` = $…$)."""
    listing: str | None = None
    """The whole function that `source` is the first line of."""
    role: str | None = None
    """The rule that told whether the relation is a claim, a condition, a hypothesis."""
    code: str | None = None
    reason: str | None = None
    suggestion: str | None = None
    read: str | None = None
    instance: Mapping[str, int] | None = None
    """The sizes of the instance that shows it, for a statement that is not about all inputs (`A \\neq B` in general)."""
    is_nearly: bool = False
    """Its statements say of numbers that they are nearly equal, as far as they are printed."""
    unknown: str | None = None
    """The command that is not known, where the code is `unknown-command`."""
    silenced: Silenced | None = None
    cause: Finding | None = field(default=None, repr=False, compare=False)
    """The earlier finding without which this one would be proved (`study.one_cause`)."""
    replay: Replay | None = None
    """How the code itself is given the counterexample."""
    replayed: bool = False
    """Whether the counterexample was confirmed by the document's own code."""
    program: str | None = None
    """The counterexample as a program made of the document's code."""

    def __post_init__(self) -> None:
        if self.kind not in KINDS or self.status not in STATUSES:
            raise ValueError(f"a kind and a status of the tables are needed, found {self.kind!r}, {self.status!r}")
