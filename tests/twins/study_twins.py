"""From a document to the verdicts on its twins."""

from __future__ import annotations

import json
import random
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from derivations.documents import read_text
from derivations.documents.model.document import Document, DocumentError, MathSpan
from derivations.documents.model.finding import Finding
from derivations.language.statement import Statement, Theory
from derivations.language.term import Entry
from derivations.latex.syntax.lexer import ReadError
from derivations.latex.syntax.reader import read_equation
from derivations.latex.syntax.surface import Node, bare
from derivations.provers.decide import Decision, Proved, decide
from derivations.study.claims import understood
from derivations.study.directives_at_work import declared
from derivations.study.equation_walk import Item, Key
from derivations.study.state import Study
from twins.changes import KINDS, Change, changes
from twins.falsity import Claimed, Outcome, judge

WORK = 20_000
"""Counted work of one decision: a twin is not worth the longest search."""


@dataclass(frozen=True)
class Twin:
    """A changed copy of a document, as far as one claim is concerned."""

    path: str
    line: int
    kind: str
    source: str
    changed: str
    role: str
    status: str
    code: str | None
    reason: str | None
    original: str
    """The role of the original."""
    original_code: str | None
    outcome: Outcome
    swallowed: bool = False
    """The change makes no difference to what is read."""

    @property
    def is_false(self) -> bool:
        return self.outcome.false

    @property
    def keeps_role(self) -> bool:
        return self.role == self.original and self.status != "skipped"


class Decider:
    """`decide` that remembers: most claims of a changed copy are those of the original."""

    def __init__(self, work: int = WORK) -> None:
        self.work = work
        self.known: dict[tuple[Statement, str], Decision] = {}

    def __call__(self, statement: Statement, theory: Theory, refuting: bool = True) -> Decision:
        about = theory.about([statement.left, statement.right, *_of_hypotheses(statement)])
        key = (statement, f"{refuting} {sorted(about.tensors.items())} {sorted(about.definitions.items())}")
        if key not in self.known:
            self.known[key] = decide(statement, theory, work=self.work, refuting=refuting)
        return self.known[key]


def _of_hypotheses(s: Statement) -> list:
    return [t for h in s.hypotheses for t in (h.left, h.right)]


def twins(
    text: str, name: str, *, per_kind: int = 2, wanted: int = 6, seconds: float = 1e9, seed: int = 0
) -> Iterator[Twin]:
    """The twins of all proved claims of a document, those that are not found false as well.

    At most `per_kind` of a kind and `wanted` in all for one claim.
    """
    end = time.monotonic() + seconds
    document, settle = _read(text, name), Decider()
    if document is None:
        return
    study, _ = understood(document, settle)
    items = {(i.span.index, i.number): i for i in study.items}
    proved = [
        (k, f)
        for k, f in sorted(study.main.findings.items())
        if f.status == "proved" and f.statements and f.instance is None
    ]
    for key, finding in proved:
        item = items.get(key[:2])
        if item is None or key[2] >= len(item.reading.chain.links):
            continue
        for change in _chosen(item, key, study, per_kind, wanted, f"{seed}|{name}|{key}"):
            if time.monotonic() > end:
                return
            found = _twin(text, name, document, item, key, finding, change, settle)
            if found is not None:
                yield found


def _read(text: str, name: str) -> Document | None:
    try:
        document = read_text(text, name)
    except DocumentError:
        return None
    return None if document.parts or document.files else declared(document)


def _chosen(item: Item, key: Key, study: Study, per_kind: int, wanted: int, seed: str) -> list[Change]:
    """Some changes of each kind that are read as something else, in a random order with all kinds early."""

    def is_matrix(node: Node) -> bool:
        w = study.names.written(node)
        symbol = study.table.symbols.get(w.stem) if w is not None else None
        return symbol is not None and symbol.parameters is None and len(symbol.dims) - len(w.slots) == 2

    source, macros = item.span.source, study.document.macros_at(item.span.index)
    plain = read_equation(source, macros)
    found: dict[str, list[Change]] = {kind: [] for kind in KINDS}
    for c in changes(source, item.reading, key[2], is_matrix):
        try:
            again = read_equation(c.applied(source), macros)
        except ReadError:
            continue
        alike = [len(r.chain.links) for r in again] == [len(r.chain.links) for r in plain]
        if alike and [bare(r.chain) for r in again] != [bare(r.chain) for r in plain]:
            found[c.kind].append(c)
        elif alike and [list(map(bare, r.conditions)) for r in again] != [list(map(bare, r.conditions)) for r in plain]:
            found[c.kind].append(c)
    rng = random.Random(seed)
    for rows in found.values():
        rng.shuffle(rows)
    rounds = [rows[k] for k in range(per_kind) for rows in found.values() if k < len(rows)]
    return rounds[:wanted]


def _twin(
    text: str, name: str, document: Document, item: Item, key: Key, finding: Finding, change: Change, settle: Decider
) -> Twin | None:
    changed = change.applied(item.span.source)
    other = edited(text, document, item.span, change)
    copy = _read(other, name) if other is not None else None
    if copy is None or len(copy.spans) != len(document.spans) or copy.spans[item.span.index].source != changed:
        return None
    study, _ = understood(copy, settle)
    found = study.main.findings.get(key) or study.text.unread.get(key)
    role, status = (found.kind, found.status) if found is not None else ("none", "none")
    claimed = _claimed(found, finding) if found is not None else None
    original = Claimed(tuple(replace(s, hypotheses=_given(finding)) for s in finding.statements), finding.theory)
    outcome = judge(claimed, original, f"{name}|{key}") if claimed is not None else Outcome(why="not read")
    return Twin(
        name,
        finding.place.line,
        change.kind,
        finding.source,
        changed,
        role,
        status,
        found.code if found is not None else None,
        found.reason if found is not None else None,
        finding.kind,
        finding.code,
        outcome,
        found is not None and found.statements == finding.statements,
    )


def _claimed(found: Finding, original: Finding) -> Claimed | None:
    """What a twin says, also where it was taken as a definition: then that the old name has the new value."""
    if found.status == "unread":
        return None
    if found.statements:
        given = _given(original)
        own = tuple(replace(s, hypotheses=tuple(dict.fromkeys((*s.hypotheses, *given)))) for s in found.statements)
        return Claimed(own, found.theory)
    d = found.definition
    if d is None or d.tensors or d.sizes:
        return None
    shown = found.display.get(d.name)
    before = [h for h, latex in original.display.items() if latex == shown and h in original.theory.definitions]
    before = [h for h in before if h in found.theory.definitions] or before
    if len(before) != 1:
        return None
    merged = Theory(
        {**found.theory.tensors, **original.theory.tensors}, {**found.theory.definitions, **original.theory.definitions}
    )
    condition = d.condition
    s = Statement(Entry(before[0], d.indices), "=", d.body, d.variables, condition)
    return Claimed((s,), merged)


def _given(finding: Finding) -> tuple[Statement, ...]:
    """What the proof of a claim takes as given."""
    said = [h for s in finding.statements for h in s.hypotheses]
    if isinstance(finding.decision, Proved):
        conditions = (a.condition for a in finding.decision.theorem.assumptions)
        said += [c for c in conditions if isinstance(c, Statement)]
    return tuple(dict.fromkeys(said))


def edited(text: str, document: Document, span: MathSpan, change: Change) -> str | None:
    """The document with the change; None where a formula is not one stretch of the file."""
    start, end = span.locate(change.start), span.locate(change.end)
    if start.line != end.line or start.path != document.path:
        return None
    replaced = span.source[change.start : change.end]
    new = change.put(span.source)

    def in_lines(lines: list[str]) -> list[str] | None:
        row = lines[start.line - 1] if start.line <= len(lines) else ""
        a, b = start.column - 1, end.column - 1
        if row[a:b] != replaced:
            return None
        return [*lines[: start.line - 1], row[:a] + new + row[b:], *lines[start.line :]]

    if document.format != "notebook":
        found = in_lines(text.split("\n"))
        return None if found is None else "\n".join(found)
    notebook = json.loads(text)
    cells = notebook.get("cells", [])
    if start.cell is None or not 1 <= start.cell <= len(cells):
        return None
    cell = cells[start.cell - 1]
    own = cell["source"] if isinstance(cell["source"], str) else "".join(cell["source"])
    found = in_lines(own.split("\n"))
    if found is None:
        return None
    cell["source"] = "\n".join(found)
    return json.dumps(notebook)


def table(found: list[Twin]) -> dict[str, Counter[str]]:
    """For each kind how often a false twin ended how."""
    rows: dict[str, Counter[str]] = {kind: Counter() for kind in KINDS}
    for t in found:
        rows[t.kind][outcome_of(t)] += 1
    return rows


def outcome_of(t: Twin) -> str:
    """One word or two for how a twin ended."""
    if t.status in ("unread", "none"):
        return t.status
    if t.swallowed:
        return "swallowed"
    if not t.is_false:
        return "not shown false" if t.outcome.compared else "not evaluated"
    if t.status == "skipped":
        return f"skipped: {t.code}"
    if t.role != t.original:
        return f"role: {t.role}"
    return f"undecided: {t.code}" if t.status == "undecided" else t.status


def documents(folder: Path) -> Iterator[Path]:
    """The documents of a folder in order."""
    yield from sorted(p for p in folder.iterdir() if p.suffix in (".md", ".ipynb", ".tex"))
