"""The library as a report: a page for each topic with its definitions, statements, sources, derivations and rules."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

from derivations.documents import read_text
from derivations.documents.model.document import Place
from derivations.documents.model.finding import Finding, Silenced
from derivations.language.statement import Definition, Theory
from derivations.latex.writer import write_latex
from derivations.provers.decide import Proved, Refuted, Undecided
from derivations.theorems import topics
from derivations.theorems.row import Row

from ..model import DocumentReport, Fingerprints, Item, Report
from .check import StatedByComments, item_of, versions


def library_report() -> dict[str, Any]:
    """A report whose documents are the topics of the library, every row decided.

    A row that the library holds to be false is expected to be refuted; one whose status is not the expected one is
    reported like any other finding.
    """
    documents = [
        _topic(module.__name__.rpartition(".")[2], inspect.getdoc(module) or "", module.ROWS) for module in topics()
    ]
    return Report(documents, {"checks": [], "skipped": [], "versions": versions()}).to_dict()


def _topic(name: str, words: str, rows: Sequence[Row]) -> DocumentReport:
    path, title = f"library/{name}", words.partition("\n")[0].rstrip(".")
    document = read_text(f"# {title}\n", path)
    prints = Fingerprints()
    items: list[Item] = []
    known: dict[str, int] = {}

    def add(f: Finding, own: str) -> None:
        items.append(
            item_of(f, own, {k: item.id for k, item in enumerate(items)}, prints, document, StatedByComments())
        )

    for row in rows:
        statement, theory = row.stated
        used = theory.about((statement.left, statement.right))
        for d in (d for every in used.definitions.values() for d in every):
            if str(d) not in known:
                known[str(d)] = len(items)
                add(_definition(d, theory, path, len(items) + 1, known), f"def-{len(known)}")
        rests = tuple(sorted(known[str(d)] for every in used.definitions.values() for d in every))
        add(_statement(row, path, len(items) + 1, rests), row.name)
    return DocumentReport(path, None, title, items)


def _definition(d: Definition, theory: Theory, path: str, line: int, known: dict[str, int]) -> Finding:
    below = [known[str(x)] for head in d.body.heads for x in theory.definitions.get(head, ()) if str(x) in known]
    return Finding(
        "definition",
        "defined",
        Place(path, None, line, 1),
        line,
        write_latex(d),
        name=d.name,
        definition=d,
        theory=theory,
        depends_on=tuple(sorted(set(below) - {known[str(d)]})),
    )


def _statement(row: Row, path: str, line: int, rests: tuple[int, ...]) -> Finding:
    statement, theory = row.stated
    decision = row.decision
    notes, silenced = [f"Source: {row.source}."], None
    if isinstance(decision, Refuted) and row.expected == "refuted":
        silenced = Silenced("expected", "a tempting statement that is false")
        notes.append(f"expected to be refuted: {silenced.reason}")
    found = Finding(
        "claim",
        row.status,
        Place(path, None, line, 1),
        line,
        write_latex(statement),
        name=row.name,
        statement=statement,
        statements=(statement,),
        theory=theory,
        decision=decision if isinstance(decision, Proved | Refuted) else None,
        depends_on=rests,
        notes=tuple(notes),
        silenced=silenced,
    )
    if isinstance(decision, Undecided):
        found.code, found.reason = decision.code, decision.reason
    return found
