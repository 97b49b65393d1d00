"""A doubt about a refutation that shows inputs which the text has excluded before, in a line that is not decided."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from dataclasses import replace

from derivations.documents.model.document import are_beside
from derivations.documents.model.finding import Finding
from derivations.language.statement import Statement
from derivations.provers.decide import Refuted
from derivations.provers.refute import is_false_at
from derivations.study.doubts.doubt import Doubt
from derivations.study.strategies import shape_of, with_versions
from derivations.study.verdict import Case, Verdict, heads_below

MAX_LINES_LOOKED_AT = 40
"""Lines before a claim that are looked at for what they suppose."""
MAX_LINES = 12
"""How many lines before a claim are looked at, the nearest first."""


def excluded_by_line_before(case: Case, verdict: Verdict) -> tuple[str] | None:
    """A line before it that is asserted and not decided, and false at every counterexample that is found.

    The claim is decided again under each line that its counterexample contradicts.  What is still refuted then, by
    inputs at which all these lines hold, is false whatever they say.
    """
    return _first_that_excludes(list(_undecided_before(case, verdict)), case, verdict)


def excluded_by_supposition(case: Case, verdict: Verdict) -> tuple[str] | None:
    """A condition on given names that another paragraph of its section supposes, and that its counterexample contradicts."""
    return _first_that_excludes(list(_supposed_before(case)), case, verdict)


def _first_that_excludes(
    lines: list[tuple[Finding, tuple[Statement, ...]]], case: Case, verdict: Verdict
) -> tuple[str] | None:
    s, decision = verdict.statement, verdict.decision
    while s is not None and isinstance(decision, Refuted):
        witness = decision.counterexample
        line = next((row for row in lines if any(is_false_at(h, case.theory, witness) for h in row[1])), None)
        if line is None:
            return None
        lines.remove(line)
        s = replace(s, hypotheses=(*s.hypotheses, *line[1]))
        decision = case.known.decide(s, case.theory)
        if not isinstance(decision, Refuted):
            return (str(line[0].place.line),)
    return None


def _supposed_before(case: Case) -> Iterator[tuple[Finding, tuple[Statement, ...]]]:
    """The equations that paragraphs of its section, before a claim, suppose each for itself: what its names have to meet.

    A condition, "if AB = BA", and an order such as x > 0 are rather the case of one sentence.
    """
    known = case.known
    here = known.document.block_of(case.item.span)
    for key in sorted((k for k in known.walk.findings if k < case.key), reverse=True)[:MAX_LINES_LOOKED_AT]:
        finding = known.walk.findings[key]
        is_supposed = finding.status == "skipped" and finding.kind == finding.code == "hypothesis" and key[0] >= 0
        if not is_supposed or not finding.statements or any(s.relation != "=" for s in finding.statements):
            continue
        block = known.document.block_of(known.document.spans[key[0]])
        if here.section[: len(block.section)] == block.section and not are_beside(here.scope, block.scope):
            yield finding, tuple(replace(s, hypotheses=()) for s in finding.statements)


def _undecided_before(case: Case, verdict: Verdict) -> Iterator[tuple[Finding, tuple[Statement, ...]]]:
    """The undecided lines before a claim in whose scope it stands, with what they say; none says what the claim itself says."""
    known = case.known
    own = {shape_of(s) for s in case.statements}
    below = heads_below(case, verdict)
    names = case.theory.tensors.keys() | case.theory.definitions.keys()
    here = known.document.block_of(case.item.span)
    found = 0
    for key in sorted((k for k in known.walk.findings if k < case.key), reverse=True):
        finding = known.walk.findings[key]
        if finding.status != "undecided" or finding.code is None or found >= MAX_LINES:
            continue  # what is not asked has no code
        block = known.document.block_of(known.document.spans[key[0]])
        if here.section[: len(block.section)] != block.section or are_beside(here.scope, block.scope):
            continue
        if finding.code in ("condition-not-read", "special-case") and block is not here:
            continue  # it is said of a case, in another paragraph
        said = finding.statements
        heads = {h for s in said for h in (*s.left.heads, *s.right.heads)}
        if not heads <= names or own & {shape_of(s) for s in said}:
            continue
        found += 1
        other = {h: v for h in heads - below if (v := _version(h, below)) is not None}
        yield finding, tuple(with_versions(replace(s, hypotheses=()), other) for s in said)


def _version(head: str, below: AbstractSet[str]) -> str | None:
    """The only version of a name among others: what a line says of the new one is said of the one that a claim rests on."""
    stem = head.split("#")[0]
    found = [h for h in below if h.split("#")[0] == stem]
    return found[0] if len(found) == 1 else None


_PROJECTION = (
    r"Let $U \in \mathbb{R}^{n \times d}$. An orthogonal projection has the property $$U U^\top U U^\top = U U^\top.$$"
    "\n\n"
)

LINE_BEFORE = Doubt(
    name="excluded by a line before",
    code="property-not-read",
    sentence="false in general, but line {}, which is not decided, says more of its names",
    test=excluded_by_line_before,
    needed=_PROJECTION + r"Thus $$U U^\top + U U^\top U U^\top = 2 U U^\top.$$",
    silent=_PROJECTION + r"Thus $$U U^\top + U U^\top U U^\top = 3 U U^\top.$$",
)

_ENTROPY = r"For $p_i > 0$ and $\sum_{i=1}^n p_i = 1$ let $$H(p) = -\sum_{i=1}^n p_i \log p_i.$$"
SUPPOSED_BEFORE = Doubt(
    name="excluded by what another paragraph supposes",
    code="condition-not-read",
    sentence="false in general, but line {} supposes more of its names for its own paragraph",
    test=excluded_by_supposition,
    needed=_ENTROPY + "\n\nIt is plain that always $$H(p) \\geq 0.$$",
    silent=_ENTROPY + "\n\nIt is plain that always $$H(p) \\geq 3.$$",
)
