"""Run a document's code and say of every printed output and every assertion whether it is right."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from derivations.code.program import UNFINISHED
from derivations.documents.model.document import Document
from derivations.documents.model.finding import Finding

from .cells import Doubts, Prepared, prepare
from .commented import commented_values, outcome_beside
from .judging import Judge
from .lineage import MACHINE
from .outputs import Compared, Outcome, Shown, compare_cell, shown_below
from .process import Run, Settings
from .replays import replay_jobs, take_replays
from .several_runs import Runs, errors, segments
from .stated import stated_values
from .wording import (
    at_output,
    at_statement,
    described,
    is_assertion,
    is_constant,
    merged,
    place_of,
    says_nothing,
    short,
)

CODES = {
    "SyntaxError": "syntax-error",
    "IndentationError": "syntax-error",
    "ModuleNotFoundError": "missing-module",
    "ImportError": "missing-module",
    "TimeUp": "time-limit",
    "TooMuchOutput": "output-limit",
    "Ended": "process-ended",
    "EOFError": "needs-input",
    "MemoryError": "memory-limit",
    "SystemExit": "exit",
    "NameError": "undefined-name",
}
CONFINED = re.compile(r"PermissionError|URLError|ConnectionError|gaierror|name resolution|Operation not permitted")
"""Errors that come from the confinement."""


@dataclass
class Ran:
    """What running a document gave: findings in document order, and what the report says about the run."""

    findings: list[Finding] = field(default_factory=list)
    about: dict[str, Any] = field(default_factory=dict)


def run_document(document: Document, settings: Settings, read: Sequence[Finding] = ()) -> Ran:
    """Run the code of a document and compare what it prints.

    The refutations about code among `read`, what reading the document gave, are replayed in the code and marked.
    """
    prepared = prepare(document)
    if not any(p.skipped is None for p in prepared):
        return Ran(list(_not_run(document, prepared)))
    runs = Runs(document, prepared, settings, replay_jobs(read, prepared))
    take_replays(read, runs.plain.replays)
    return _Study(document, runs).ran()


def _not_run(document: Document, prepared: Sequence[Prepared]) -> Iterator[Finding]:
    """What is shown below code that is not run."""
    for p in prepared:
        shown = shown_below(document, p)
        if p.skipped is not None and shown is not None:
            yield at_output("skipped", p, 1, shown, 0, 0, code=p.skipped[0], reason=p.skipped[1])


class _Study:
    """One document: its runs, and what follows from them."""

    def __init__(self, document: Document, runs: Runs) -> None:
        self.document, self.runs, self.prepared = document, runs, runs.prepared
        self.doubts: dict[int, dict[int, str | None]] = {}
        """For each cell and statement (its first line) why its values may not be those of the document."""

    def ran(self) -> Ran:
        if self.runs.plain.broken:
            p = self.runs.runnable[0]
            reason = f"the code could not be run: {self.runs.plain.broken}"
            return Ran([at_statement("code", "skipped", p, 1, code="not-run", reason=reason)], self.about())
        self.find_doubts()
        findings: list[Finding] = list(_not_run(self.document, self.prepared))
        shown = {p.cell.id: shown_below(self.document, p) for p in self.runs.runnable}
        compared = {p.cell.id: self.compare(p, s) for p in self.runs.runnable if (s := shown[p.cell.id]) is not None}
        judge = Judge(self.runs, compared, self.doubt)
        for p in self.runs.runnable:
            findings += self.accidents(p)
            findings += self.assertions(p)
            findings += self.comments(p, judge)
            below = shown[p.cell.id]
            if below is not None:
                findings += self.outputs(p, below, compared[p.cell.id], judge)
        return Ran(findings, self.about())

    def about(self) -> dict[str, Any]:
        """What the report says about the run: what was enforced, and how often the code was run."""
        return {
            "document": self.document.path,
            "enforced": {name: self.runs.plain.held.get(name) or "not enforced" for name in self.runs.plain.held},
            "runs": self.runs.count,
        }

    # --- what cannot be relied on -----------------------------------------------------------------------------------

    def find_doubts(self) -> None:
        doubts = Doubts()
        for p in self.prepared:
            if p.skipped is not None:
                if p.block.is_python:
                    try:
                        body = ast.parse(p.block.text.text).body
                    except (SyntaxError, ValueError, RecursionError, MemoryError):
                        continue
                    for statement in body:
                        doubts.take(statement, f"the code at {place_of(p, 1)} is not run")
                continue
            stopped = errors(self.runs.plain, p)
            failed_imports = {e["line"] for e in stopped if e["kind"] in ("ImportError", "ModuleNotFoundError")}
            stop = min((e["line"] for e in stopped if e["line"] not in failed_imports), default=None)
            rows: dict[int, str | None] = {}
            for statement in p.statements:
                end = statement.end_lineno or statement.lineno
                failed = None
                if any(statement.lineno <= k <= end for k in failed_imports):
                    failed = f"the import at {place_of(p, statement.lineno)} failed"
                elif stop is not None and end >= stop:
                    failed = f"the code at {place_of(p, stop)} stopped"
                rows[statement.lineno] = next(doubts.reasons(_reads(statement)), None)
                for inner in ast.walk(statement):
                    if isinstance(inner, ast.stmt) and inner.lineno not in rows:
                        rows[inner.lineno] = rows[statement.lineno]
                doubts.take(statement, failed)
            self.doubts[p.cell.id] = rows

    def doubt(self, p: Prepared, line: int) -> str | None:
        return self.doubts.get(p.cell.id, {}).get(line)

    def expected_error(self, p: Prepared) -> bool:
        """Whether the document itself shows that the cell ends in an error."""
        return any(
            o.kind == "error" or re.search(r"^(?:Traceback \(most recent|\w*Error\b)", o.text.text, re.MULTILINE)
            for o in self.document.outputs_of(p.block)
        )

    def accidents(self, p: Prepared) -> Iterator[Finding]:
        """What stopped a cell, at its place."""
        if p.cell.id not in self.runs.plain.cells:
            yield at_statement("code", "skipped", p, 1, code="not-run", reason="the run ended before this cell")
            return
        for e in errors(self.runs.plain, p):
            if self.expected_error(p):
                continue
            line, message = int(e["line"]), " ".join(f"{e['kind']}: {e['message']}".split())
            if e["kind"] == "AssertionError" and self.asserted(p, line) is not None:
                continue
            reason = self.doubt(p, line) or next(
                (r for k, r in self.doubts.get(p.cell.id, {}).items() if r and k <= line and e["kind"] == "NameError"),
                None,
            )
            if reason is not None:
                code, said = "depends", f"not run to its end, because {reason} ({message})"
            elif e["kind"] in ("ModuleNotFoundError", "ImportError"):
                code = "missing-module"
                said = f"{message}; install it beside the interpreter that --python names{self.beside(e.get('module'))}"
            else:
                code = CODES.get(e["kind"], "run-error")
                if "allocate memory" in message:
                    code = "memory-limit"
                elif CONFINED.search(message) and any(self.runs.plain.held.get(x) for x in ("network", "files")):
                    code = "confined"
                    message += (
                        " (the code has no network, no other programs, and no files of its own but temporary ones)"
                    )
                said = f"the code stopped here: {message}"
            yield at_statement("code", "skipped", p, line, code=code, reason=said)

    def beside(self, module: str | None) -> str:
        """A hint where a missing module lies beside the document."""
        if self.runs.settings.local_imports or not module:
            return ""
        folder, head = Path(self.document.path).resolve().parent, module.partition(".")[0]
        if (folder / f"{head}.py").exists() or (folder / head).is_dir():
            return "; it lies beside the document: --allow-local-imports lets it be imported"
        return ""

    # --- assertions -------------------------------------------------------------------------------------------------

    def asserted(self, p: Prepared, line: int) -> ast.stmt | None:
        """The statement at the top of a cell that asserts something at this line."""
        for s in p.statements:
            if s.lineno <= line <= (s.end_lineno or s.lineno) and is_assertion(s):
                return s
        return None

    def assertions(self, p: Prepared) -> Iterator[Finding]:
        cell = self.runs.plain.cells.get(p.cell.id)
        if cell is None:
            return
        for s in p.statements:
            if not is_assertion(s):
                continue
            read = short(ast.unparse(s.test if isinstance(s, ast.Assert) else s))
            if s.lineno in cell["passed"]:
                doubt = self.doubt(p, s.lineno)
                if doubt is None:
                    note = "it held for the inputs of the document; nothing is said about others"
                    yield at_statement("assertion", "holds", p, s.lineno, read=read, notes=(note,))
                continue
            errors = [e for e in cell["errors"] if s.lineno <= int(e["line"]) <= (s.end_lineno or s.lineno)]
            if not errors or errors[0]["kind"] != "AssertionError" or self.expected_error(p):
                continue
            yield self.failed_assertion(p, s, read)

    def failed_assertion(self, p: Prepared, s: ast.stmt, read: str) -> Finding:
        why = self.doubt(p, s.lineno)
        if why is None and p.block.executed is False:
            why = "the cell was not executed in the document"
        if why is None and any(UNFINISHED.search(q.block.text.text) for q in self.prepared):
            why = "the document holds exercises that are not solved"
        if why is None and MACHINE.search(p.source(s.lineno)):
            why = "it depends on the machine"
        runs = [self.runs.otherwise()]
        if self.runs.ordered is not None:
            runs.append(self.runs.counted())
        for run in runs if why is None else ():
            cell = run.cells.get(p.cell.id)
            if cell is not None and s.lineno in cell["passed"]:
                why = "it holds in another order of the cells, or for other random numbers"
        if why is not None:
            reason = f"it fails in this run, but {why}"
            return at_statement("assertion", "undecided", p, s.lineno, code="assertion", read=read, reason=reason)
        reason = "it fails when the code of the document is run in its order"
        return at_statement("assertion", "wrong", p, s.lineno, code="assertion-fails", read=read, reason=reason)

    # --- outputs ----------------------------------------------------------------------------------------------------

    def compare(self, p: Prepared, shown: Shown) -> Compared:
        """The better of the two orders, line by line."""
        found = self.compared(self.runs.plain, p, shown)
        if found.clean or self.runs.ordered is None or p not in self.runs.ordered:
            return found
        other = self.compared(self.runs.counted(), p, shown)
        for o in other.outcomes:
            o.order = "execution counts"
        if other.clean:
            return other
        right = {o.line: o for o in other.outcomes if o.state == "same"}
        states = {o.line: o.state for o in found.outcomes}
        if all(right.get(line) is None for line, state in states.items() if state != "same"):
            return found
        found.outcomes = [right.get(o.line, o) if o.state != "same" else o for o in found.outcomes]
        return found

    def compared(self, run: Run, p: Prepared, shown: Shown) -> Compared:
        pieces = segments(run, p)
        found = compare_cell(shown, pieces)
        for o in found.outcomes:
            o.line = int(pieces[o.segment]["line"])
        return found

    def outputs(self, p: Prepared, shown: Shown, compared: Compared, judge: Judge) -> Iterator[Finding]:
        in_notebook = p.block.text.cell is not None
        stated = dict(stated_values(p, compared))
        for o in merged(compared.outcomes, in_notebook):
            if o.state == "absent":
                continue
            if id(o) in stated:
                yield self.stated_finding(p, shown, o, stated[id(o)])
            elif not says_nothing(p, o):
                yield judge.judged(p, shown, o)
        if compared.left_over is not None:
            yield from self.left_over(p, shown, compared.left_over)

    def comments(self, p: Prepared, judge: Judge) -> Iterator[Finding]:
        """What comments say that a statement prints."""
        for said in commented_values(p):
            outcome = outcome_beside(said, segments(self.runs.plain, p))
            if outcome is None or is_constant(p, said.line):
                continue
            if outcome.state != "same" and self.runs.ordered is not None and p in self.runs.ordered:
                other = outcome_beside(said, segments(self.runs.counted(), p))
                if other is not None and other.state == "same":
                    outcome = replace(other, order="execution counts")
            yield judge.judged(p, said.shown, outcome)

    def left_over(self, p: Prepared, shown: Shown, start: int) -> Iterator[Finding]:
        stopped = errors(self.runs.plain, p)
        last = p.statements[-1].lineno if p.statements else 1
        if stopped and not self.expected_error(p):
            reason = (
                f"the code stopped before it printed this: {stopped[0]['kind']} (line {stopped[0]['line']} of the cell)"
            )
            yield at_output("skipped", p, last, shown, start, start, code="not-printed", reason=reason)
        elif not stopped and not p.escaped:
            reason = "what the code prints has another form than what the document shows here"
            yield at_output("undecided", p, last, shown, start, start, code="not-comparable", reason=reason)

    def stated_finding(self, p: Prepared, shown: Shown, o: Outcome, stated: tuple[bool, str]) -> Finding:
        right, words = stated
        read = f"{short(p.source(o.line))}: {described(o.printed)} beside the computed result"
        if right:
            return at_output("holds", p, o.line, shown, o.start, o.end, read=read)
        reason = f"the stated values are not those that the code computes above: {words}"
        code = "stated-values-differ"
        return at_output("undecided", p, o.line, shown, o.start, o.end, read=read, code=code, reason=reason)


def _reads(statement: ast.stmt) -> set[str]:
    return {n.id for n in ast.walk(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}


__all__ = ["Ran", "run_document"]
