"""What is decided, and of what: the case of a relation and the verdict about it, frozen values that are made once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace

from derivations.documents.model.document import Document, Place
from derivations.documents.model.finding import Finding
from derivations.language.statement import Statement, Theory
from derivations.language.term import Constraint
from derivations.latex.lexicon.name_roles import Names
from derivations.latex.lexicon.symbol_table import Symbol, Table
from derivations.latex.syntax.surface import Node
from derivations.notes import Note
from derivations.provers.decide import Decision, Proved, Refuted, Undecided
from derivations.study.equation_walk import Decide, Item, Key, Walk

OtherBase = Callable[[], tuple[Statement, ...] | None]
"""Reads a relation again with numbers that count from the other one of 0 and 1; None where it is not understood."""


@dataclass(frozen=True, slots=True)
class Known:
    """What the study of a document knows where it decides a relation; it is only read."""

    document: Document
    names: Names
    table: Table
    walk: Walk
    decide: Decide
    properties: Mapping[str, tuple[str, ...]]
    """Words about given names that are not read, in the order of the text."""
    row_sums: AbstractSet[str]
    """Given matrices whose rows sum to one, as the text says."""
    targets: AbstractSet[str]
    """Names that weigh the logarithms of a cross entropy."""
    summed: AbstractSet[tuple[int, int]]
    """Equations in which an index that stands twice is summed over."""
    convention_is_stated: bool
    stepped: AbstractSet[str]
    """Names of which an equation gives each from the one before."""
    formulas: Mapping[int, Sequence[Item]]
    """What was read of each formula of the document, by its number."""

    @property
    def given(self) -> Iterator[Symbol]:
        """Names that stand for any value."""
        return (s for s in self.table.symbols.values() if not s.defined)


@dataclass(frozen=True, slots=True)
class Case:
    """What a verdict is about: a relation of the document, what it says, and what was known where it stands."""

    item: Item
    key: Key
    kind: str
    left: Node
    relation: str
    right: Node
    statements: tuple[Statement, ...]
    theory: Theory
    assumptions: tuple[Note, ...]
    place: Place
    unclear: str
    """The first condition of the relation that is not read."""
    in_case: str | None
    """Words right after it, not read, that say in which case it is so."""
    ranges: tuple[Constraint, ...]
    """What its sums suppose: none that begins at a letter ends before it."""
    compares_letters: bool
    """Whether the words around it call two indices equal or different."""
    said: tuple[tuple[Key, Statement], ...]
    """What facts in whose scope it stands say of given names in it, each with where it is said."""
    taken_back: frozenset[Key]
    """Where signs are supposed that the text takes back before it."""
    from_other_base: OtherBase | None
    """What it says where the numbers in it count from the other one of 0 and 1; None without such numbers."""
    known: Known

    @property
    def is_conditional(self) -> bool:
        return any(s.hypotheses for s in self.statements)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was found out about a case.

    `statement` and `decision` are the decisive ones of `statements`, which may say more than those of the case: what
    was supposed to decide them.  `assumptions` says it in words, `uses` has the places of what was used.
    """

    status: str
    statements: tuple[Statement, ...]
    statement: Statement | None = None
    decision: Decision | None = None
    code: str | None = None
    reason: str | None = None
    assumptions: tuple[Note, ...] = ()
    uses: frozenset[Key] = frozenset()
    role: str | None = None
    """The rule that told the role of the relation."""
    kind: str | None = None
    """What the relation is instead of what it looks like."""
    given: tuple[Statement, ...] = ()
    """What holds from here on because the text supposes it."""
    within: str | None = None
    """The paragraph that it is supposed in; None: in the rest of the document."""
    instance: Mapping[str, int] | None = None
    read: str | None = None
    theory: Theory | None = None
    """What the names stand for, where that is not what they stand for in general."""
    of_guess: Verdict | None = None
    """The refutation that is withheld only because the axes of a name are a guess."""

    @property
    def is_asserted(self) -> bool:
        """Whether the text says that the relation holds: it neither supposes nor denies it."""
        return self.status != "skipped"

    @property
    def is_proved(self) -> bool:
        return self.status == "proved"

    @property
    def is_refuted(self) -> bool:
        return self.status == "refuted"


def decide_statements(statements: Sequence[Statement], theory: Theory, decide: Decide) -> Verdict:
    """The verdict about statements that stand for one relation; one refuted refutes, all proved prove."""
    decisions = [(s, decide(s, theory)) for s in statements]
    order: list[tuple[type, str]] = [(Refuted, "refuted"), (Undecided, "undecided"), (Proved, "proved")]
    for outcome, status in order:
        for s, d in decisions:
            if isinstance(d, outcome):
                code, reason = (d.code, d.reason) if isinstance(d, Undecided) else (None, None)
                return Verdict(status, tuple(statements), s, d, code, reason)
    return Verdict("undecided", tuple(statements))


def decide_again(case: Case, verdict: Verdict, statements: Iterable[Statement], *notes: Note) -> Verdict:
    """The verdict about other statements for the same case, which suppose what the notes say."""
    found = decide_statements(tuple(statements), case.theory, case.known.decide)
    return replace(found, assumptions=(*verdict.assumptions, *notes), uses=verdict.uses)


def undecided(verdict: Verdict, code: str, reason: str) -> Verdict:
    """The verdict, withheld for a reason."""
    decision = Undecided(reason, verdict.statement, code)
    return replace(verdict, status="undecided", code=code, reason=reason, decision=decision)


def skipped(verdict: Verdict, code: str, reason: str) -> Verdict:
    """The verdict that the text does not claim the relation."""
    return replace(verdict, status="skipped", code=code, reason=reason)


def with_verdict(finding: Finding, verdict: Verdict) -> Finding:
    """The finding about a relation, with the verdict about it."""
    return replace(
        finding,
        kind=verdict.kind or finding.kind,
        role=verdict.role,
        status=verdict.status,
        statements=verdict.statements,
        statement=verdict.statement,
        decision=verdict.decision,
        code=verdict.code,
        reason=verdict.reason,
        assumptions=verdict.assumptions,
        instance=verdict.instance,
        read=verdict.read,
        theory=verdict.theory if verdict.theory is not None else finding.theory,
    )


def withheld(finding: Finding, code: str, reason: str) -> Finding:
    """The finding with its verdict withheld, for a reason that only the rest of the document shows."""
    decision = Undecided(reason, finding.statement, code)
    return replace(finding, status="undecided", code=code, reason=reason, decision=decision)


def all_heads(s: Statement, theory: Theory) -> Iterator[str]:
    """The names of a statement and of all definitions below it, but for the parameters of these."""
    seen: set[str] = set()
    todo = [*s.left.heads, *s.right.heads]
    while todo:
        head = todo.pop()
        if head not in seen:
            seen.add(head)
            yield head
            for d in theory.definitions.get(head, ()):
                todo += d.body.heads - {t.name for t in d.tensors}


def heads_of_law(head: str, theory: Theory) -> frozenset[str]:
    """The names in the mean and the variance of a random name."""
    law = theory.tensors[head].law if head in theory.tensors else None
    moments = (law.mean, law.variance) if law is not None else ()
    return frozenset(h for m in moments if m is not None for h in m.heads)


def heads_below(case: Case, verdict: Verdict) -> set[str]:
    """The names that a verdict speaks of, down to the first definitions."""
    return {h for s in verdict.statements for h in all_heads(s, case.theory)}


def keys_below(case: Case, verdict: Verdict) -> frozenset[Key]:
    """The relation itself, and all definitions and hypotheses below its verdict, down to the first."""
    found = {case.key, *verdict.uses}
    todo = list(found)
    while todo:
        for k in case.known.walk.uses.get(todo.pop(), ()):
            if k not in found:
                found.add(k)
                todo.append(k)
    return frozenset(found)


def notes_below(case: Case, verdict: Verdict) -> Iterator[Note]:
    """What a verdict and the definitions and hypotheses below it were read under."""
    yield from verdict.assumptions
    for key in sorted(keys_below(case, verdict) - {case.key}):
        if (found := case.known.walk.findings.get(key)) is not None:
            yield from found.assumptions
