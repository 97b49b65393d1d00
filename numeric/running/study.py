"""Run a document's code and say of every printed output and every assertion whether it is right."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from derivations.documents.code_program import UNFINISHED
from derivations.documents.finding import Finding
from derivations.documents.model import Document, Place
from derivations.provers.decide import Refuted
from derivations.provers.refute import Counterexample

from .cells import Doubts, Prepared, in_counted_order, prepare
from .outputs import Compared, Outcome, Shown, compare_cell, run_tokens, shown_below
from .printed import Number, Token, compare_number, masked
from .process import Run, Settings, start
from .replays import replay_jobs, take_replays

CLOCK, SEEDS = 3.7, 1009
"""How a disturbed run differs: the clock runs faster, and every seed is another one."""
MERGED = 12
"""Printed pieces of one statement, in a document whose outputs have lines, from which on they are one item."""
MACHINE = re.compile(
    r"cuda|\bmps\b|\.device\b|version|\btime\b|perf_counter|timeit|getsizeof|\bos\.|\bsys\.|platform|cpu_count|num_threads"
    r"|\bpath\b|\bid\(|\bhash\(|__file__|getcwd|memory_allocated|psutil"
)
"""Code whose result depends on the machine or the moment."""
STATED = re.compile(
    r"\b(?:true|expected|correct|reference|ground.?truth|should)\b|(?<![a-z])(?:true|expected)_?|_true\b", re.I
)
"""Words by which a document announces values that a result should have."""
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
    study = _Study(document, prepared, settings, replay_jobs(read, prepared))
    take_replays(read, study.run.replays)
    return study.ran()


def _not_run(document: Document, prepared: Sequence[Prepared]) -> Iterator[Finding]:
    """What is shown below code that is not run."""
    for p in prepared:
        shown = shown_below(document, p)
        if p.skipped is not None and shown is not None:
            yield _finding("output", "skipped", p, 1, shown, 0, code=p.skipped[0], reason=p.skipped[1])


def _place(p: Prepared, line: int) -> Place:
    """The place in the document of a line of a cell."""
    text = p.block.text
    own, first = text.origins[min(max(line, 1), len(text.origins)) - 1]
    return Place(text.path, text.cell, own, first)


def _finding(kind: str, status: str, p: Prepared, line: int, shown: Shown | None, start: int, **more: Any) -> Finding:
    """A finding about what a statement prints: in a notebook at the statement, elsewhere at the printed line."""
    if shown is None or p.block.text.cell is not None:
        source = p.source(line).strip()
        place = _place(p, line)
        end = line + source.count("\n")
        last = _place(p, end).line
    else:
        end = more.pop("end", start)
        place = shown.locate(start)
        source = shown.text[shown.text.rfind("\n", 0, start) + 1 :][: max(end - start, 1) + 200]
        source = shown.text[start:end] if end > start else source.split("\n")[0].strip()
        last = shown.locate(max(end - 1, start)).line
    more.pop("end", None)
    return Finding(kind, status, place, last, source, **more)


class _Study:
    """One document: its runs, and what follows from them."""

    def __init__(
        self,
        document: Document,
        prepared: list[Prepared],
        settings: Settings,
        replays: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        self.document, self.prepared, self.settings = document, prepared, settings
        self.local = Path(document.path).resolve().parent if settings.local_imports else None
        self.runnable = [p for p in prepared if p.skipped is None and p.cell.source.strip()]
        self.disturbed: dict[str, Run] = {}
        self.doubts: dict[int, dict[int, str | None]] = {}
        """For each cell and statement (its first line) why its values may not be those of the document."""
        self.run = self.start(replays=replays)
        ordered = in_counted_order(prepared)
        self.counted: Run | None = None
        self.ordered = ordered

    def start(
        self,
        order: Sequence[Prepared] | None = None,
        disturb: Mapping[str, float] | None = None,
        replays: Sequence[Mapping[str, Any]] = (),
    ) -> Run:
        cells = [p.cell for p in (self.runnable if order is None else order)]
        return start(cells, self.settings, local=self.local, disturb=disturb, replays=replays)

    def ran(self) -> Ran:
        if self.run.broken:
            p = self.runnable[0]
            reason = f"the code could not be run: {self.run.broken}"
            return Ran([_finding("code", "skipped", p, 1, None, 0, code="not-run", reason=reason)], self.about())
        self.find_doubts()
        findings: list[Finding] = list(_not_run(self.document, self.prepared))
        shown = {p.cell.id: shown_below(self.document, p) for p in self.runnable}
        compared = {p.cell.id: self.compare(p, s) for p in self.runnable if (s := shown[p.cell.id]) is not None}
        for p in self.runnable:
            findings += self.errors(p)
            findings += self.assertions(p)
            below = shown[p.cell.id]
            if below is not None:
                findings += self.outputs(p, below, compared[p.cell.id])
        return Ran(findings, self.about())

    def about(self) -> dict[str, Any]:
        """What the report says about the run: what was enforced, and how often the code was run."""
        return {
            "document": self.document.path,
            "enforced": {name: self.run.held.get(name) or "not enforced" for name in self.run.held},
            "runs": 1 + (self.counted is not None) + len(self.disturbed),
        }

    # --- what cannot be relied on -----------------------------------------------------------------------------------

    def find_doubts(self) -> None:
        doubts = Doubts()
        for p in self.prepared:
            if p.skipped is not None:
                if p.block.is_python:
                    try:
                        body = ast.parse(p.block.text.text).body
                    except (SyntaxError, ValueError, RecursionError):
                        continue
                    for statement in body:
                        doubts.take(statement, f"the code at {_place(p, 1)} is not run")
                continue
            errors = self.errors_of(p)
            failed_imports = {e["line"] for e in errors if e["kind"] in ("ImportError", "ModuleNotFoundError")}
            stop = min((e["line"] for e in errors if e["line"] not in failed_imports), default=None)
            rows: dict[int, str | None] = {}
            for statement in p.statements:
                end = statement.end_lineno or statement.lineno
                failed = None
                if any(statement.lineno <= k <= end for k in failed_imports):
                    failed = f"the import at {_place(p, statement.lineno)} failed"
                elif stop is not None and end >= stop:
                    failed = f"the code at {_place(p, stop)} stopped"
                rows[statement.lineno] = next(doubts.reasons(_reads(statement)), None)
                for inner in ast.walk(statement):
                    if isinstance(inner, ast.stmt) and inner.lineno not in rows:
                        rows[inner.lineno] = rows[statement.lineno]
                doubts.take(statement, failed)
            self.doubts[p.cell.id] = rows

    def doubt(self, p: Prepared, line: int) -> str | None:
        return self.doubts.get(p.cell.id, {}).get(line)

    def errors_of(self, p: Prepared) -> list[dict[str, Any]]:
        cell = self.run.cells.get(p.cell.id)
        return list(cell["errors"]) if cell is not None else []

    def expected_error(self, p: Prepared) -> bool:
        """Whether the document itself shows that the cell ends in an error."""
        return any(
            o.kind == "error" or re.search(r"^(?:Traceback \(most recent|\w*Error\b)", o.text.text, re.MULTILINE)
            for o in self.document.outputs_of(p.block)
        )

    def errors(self, p: Prepared) -> Iterator[Finding]:
        """What stopped a cell, at its place."""
        if p.cell.id not in self.run.cells:
            yield _finding("code", "skipped", p, 1, None, 0, code="not-run", reason="the run ended before this cell")
            return
        for e in self.errors_of(p):
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
                said = f"the code stopped here: {message}"
            yield _finding("code", "skipped", p, line, None, 0, code=code, reason=said)

    def beside(self, module: str | None) -> str:
        """A hint where a missing module lies beside the document."""
        if self.settings.local_imports or not module:
            return ""
        folder, head = Path(self.document.path).resolve().parent, module.partition(".")[0]
        if (folder / f"{head}.py").exists() or (folder / head).is_dir():
            return "; it lies beside the document: --allow-local-imports lets it be imported"
        return ""

    # --- assertions -------------------------------------------------------------------------------------------------

    def asserted(self, p: Prepared, line: int) -> ast.stmt | None:
        """The statement at the top of a cell that asserts something at this line."""
        for s in p.statements:
            if s.lineno <= line <= (s.end_lineno or s.lineno) and _is_assertion(s):
                return s
        return None

    def assertions(self, p: Prepared) -> Iterator[Finding]:
        cell = self.run.cells.get(p.cell.id)
        if cell is None:
            return
        for s in p.statements:
            if not _is_assertion(s):
                continue
            read = _short(ast.unparse(s.test if isinstance(s, ast.Assert) else s))
            if s.lineno in cell["passed"]:
                doubt = self.doubt(p, s.lineno)
                if doubt is None:
                    note = "it held for the inputs of the document; nothing is said about others"
                    yield _finding("assertion", "holds", p, s.lineno, None, 0, read=read, notes=(note,))
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
        runs = [self.disturbed_run("seeds")]
        if self.ordered is not None:
            runs.append(self.counted_run())
        for run in runs if why is None else ():
            cell = run.cells.get(p.cell.id)
            if cell is not None and s.lineno in cell["passed"]:
                why = "it holds in another order of the cells, or for other random numbers"
        if why is not None:
            reason = f"it fails in this run, but {why}"
            return _finding("assertion", "undecided", p, s.lineno, None, 0, code="assertion", read=read, reason=reason)
        reason = "it fails when the code of the document is run in its order"
        return _finding("assertion", "wrong", p, s.lineno, None, 0, code="assertion-fails", read=read, reason=reason)

    # --- outputs ----------------------------------------------------------------------------------------------------

    def segments(self, run: Run, p: Prepared) -> list[dict[str, Any]]:
        cell = run.cells.get(p.cell.id)
        return list(cell["segments"]) if cell is not None else []

    def counted_run(self) -> Run:
        if self.counted is None:
            self.counted = self.start(self.ordered)
        return self.counted

    def disturbed_run(self, kind: str) -> Run:
        """Another run: with another clock, for `seeds` also with other seeds."""
        if kind not in self.disturbed:
            disturb = {"clock": CLOCK, "seeds": SEEDS} if kind == "seeds" else {"clock": CLOCK}
            self.disturbed[kind] = self.start(disturb=disturb)
        return self.disturbed[kind]

    def compare(self, p: Prepared, shown: Shown) -> Compared:
        """The better of the two orders, line by line."""
        found = self.compared(self.run, p, shown)
        if found.clean or self.ordered is None or p not in self.ordered:
            return found
        other = self.compared(self.counted_run(), p, shown)
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
        segments = self.segments(run, p)
        found = compare_cell(shown, segments)
        for o in found.outcomes:
            o.line = int(segments[o.segment]["line"])
        return found

    def outputs(self, p: Prepared, shown: Shown, compared: Compared) -> Iterator[Finding]:
        in_notebook = p.block.text.cell is not None
        stated = dict(self.stated(p, compared))
        for o in _merged(compared.outcomes, in_notebook):
            if o.state == "absent":
                continue
            if id(o) in stated:
                yield self.stated_finding(p, shown, o, stated[id(o)])
            elif not _says_nothing(p, o):
                yield self.judged(p, shown, o)
        if compared.left_over is not None:
            yield from self.left_over(p, shown, compared.left_over)

    def left_over(self, p: Prepared, shown: Shown, start: int) -> Iterator[Finding]:
        errors = self.errors_of(p)
        last = p.statements[-1].lineno if p.statements else 1
        if errors and not self.expected_error(p):
            reason = (
                f"the code stopped before it printed this: {errors[0]['kind']} (line {errors[0]['line']} of the cell)"
            )
            yield _finding("output", "skipped", p, last, shown, start, code="not-printed", reason=reason)
        elif not errors and not p.escaped:
            reason = "what the code prints has another form than what the document shows here"
            yield _finding("output", "undecided", p, last, shown, start, code="not-comparable", reason=reason)

    def judged(self, p: Prepared, shown: Shown, o: Outcome) -> Finding:
        read = f"{_short(p.source(o.line))} prints {_described(o.run)}"
        notes = [f"in the order of the {o.order}"] if o.order != "document" else []
        if o.merged > 1:
            notes.append(f"printed {o.merged} times")

        def made(status: str, code: str | None = None, reason: str | None = None) -> Finding:
            return _finding(
                "output",
                status,
                p,
                o.line,
                shown,
                o.start,
                end=o.end,
                read=read,
                code=code,
                reason=reason,
                notes=tuple(notes),
            )

        d = o.difference
        if o.state == "same":
            return made("holds")
        if d is None:
            return made("undecided", "not-comparable", "what the code prints has another form")
        text = f"the document shows {d.printed}, the code gives {d.computed}"
        doubt = self.doubt(p, o.line)
        if doubt is not None:
            return made("undecided", "depends", f"{text}; but {doubt}")
        if o.state == "unclear":
            why = "rounding errors may explain it" if d.noise else "the value behind the text is not known"
            return made("undecided", "last-digit" if d.noise else "text-differs", f"{text}; {why}")
        if p.escaped or MACHINE.search(p.source(o.line)):
            return made("undecided", "machine", f"{text}; it depends on the machine or the moment")
        random = self.randomness(p, o)
        if random is not None:
            return made(*random)
        out_of_order = self.ordered is not None
        finding = made("wrong", "stale-output" if out_of_order else "wrong-output", self.why_wrong(text, out_of_order))
        finding.decision = Refuted(Counterexample({}, {}, {}, d.computed, d.printed, "digits"))
        finding.replayed = True
        return finding

    def why_wrong(self, text: str, out_of_order: bool) -> str:
        where = "in the order of the document and in that of the execution counts" if out_of_order else "when it is run"
        return f"{text}, {where}"

    def randomness(self, p: Prepared, o: Outcome) -> tuple[str, str, str] | None:
        """Why a difference may come from random numbers or the clock; None when the output depends on neither."""
        own = self.segments(self.run, p)
        if self.same_text(own, self.segments(self.disturbed_run("seeds"), p), o):
            return None
        if o.difference is not None and o.difference.kind == "shape":
            other = self.segments(self.disturbed_run("seeds"), p)
            shapes = [[t.shape for k, t in run_tokens(s) if k == o.segment and t.kind == "array"] for s in (own, other)]
            if shapes[0] == shapes[1]:
                return None
        if self.same_text(own, self.segments(self.disturbed_run("clock"), p), o):
            reason = "it depends on seeded random numbers, and other versions of the libraries may draw others"
            return "undecided", "seeded-random", f"{reason}: the seed does not reproduce what the document shows"
        reason = (
            "it depends on random numbers without a seed, or on the clock: only its form was compared, not its values"
        )
        return "skipped", "unseeded-random", reason

    def same_text(self, own: Sequence[Mapping[str, Any]], other: Sequence[Mapping[str, Any]], o: Outcome) -> bool:
        if len(own) != len(other) or o.segment >= len(own):
            return False
        return masked(own[o.segment]["text"]) == masked(other[o.segment]["text"])

    # --- values that the document states ----------------------------------------------------------------------------

    def stated(self, p: Prepared, compared: Compared) -> Iterator[tuple[int, tuple[bool, str]]]:
        """Literal values printed beside a computed result: for each such output whether they agree, and in what words."""
        computed: Token | None = None
        row = 0
        for o in compared.outcomes:
            constant = _is_constant(p, o.line)
            if not constant:
                arrays = [t for t in o.run if t.kind == "array" and t.numbers and not t.gaps]
                if arrays and all(n.exact is not None for n in arrays[-1].numbers):
                    computed, row = arrays[-1], 0
                continue
            literal = next((t for t in o.printed if t.kind == "array" and t.numbers), None)
            if computed is None or literal is None or o.state != "same" or not STATED.search(p.source(o.line)):
                continue
            count = len(literal.numbers)
            numbers: tuple[Number, ...] = computed.numbers
            if len(numbers) != count:
                if computed.shape is None or len(computed.shape) < 2 or computed.shape[-1] != count:
                    continue
                numbers = numbers[row * count : (row + 1) * count]
                row += 1
            if len(numbers) != count:
                continue
            differences = [
                d for a, b in zip(literal.numbers, numbers, strict=True) if (d := compare_number(a, b)) is not None
            ]
            if differences:
                d = differences[0]
                yield id(o), (False, f"stated {d.printed}, computed {d.computed}")
            else:
                yield id(o), (True, "")

    def stated_finding(self, p: Prepared, shown: Shown, o: Outcome, stated: tuple[bool, str]) -> Finding:
        right, words = stated
        read = f"{_short(p.source(o.line))}: {_described(o.printed)} beside the computed result"
        if right:
            return _finding("output", "holds", p, o.line, shown, o.start, end=o.end, read=read)
        reason = f"the stated values are not those that the code computes above: {words}"
        return _finding(
            "output",
            "undecided",
            p,
            o.line,
            shown,
            o.start,
            end=o.end,
            read=read,
            code="stated-values-differ",
            reason=reason,
        )


def _reads(statement: ast.stmt) -> set[str]:
    return {n.id for n in ast.walk(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}


def _is_assertion(s: ast.stmt) -> bool:
    if isinstance(s, ast.Assert):
        return True
    call = s.value if isinstance(s, ast.Expr) and isinstance(s.value, ast.Call) else None
    if call is None:
        return False
    f = call.func
    name = f.attr if isinstance(f, ast.Attribute) else f.id if isinstance(f, ast.Name) else ""
    return name.startswith("assert")


def _is_constant(p: Prepared, line: int) -> bool:
    """Whether a statement prints only what it says itself."""
    s = p.statement(line)
    call = s.value if isinstance(s, ast.Expr) else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.func.id != "print":
        return False
    return all(isinstance(a, ast.Constant) and isinstance(a.value, str) for a in call.args)


def _says_nothing(p: Prepared, o: Outcome) -> bool:
    """A title, or a line that is printed as it stands in the code."""
    values = any(t.numbers or t.text in ("True", "False") for t in o.run)
    return not values or (_is_constant(p, o.line) and o.state == "same")


def _described(run: Sequence[Token]) -> str:
    """What kind of values a text holds, in words."""
    parts = []
    for t in run:
        if t.kind == "array" and t.shape is not None and t.shape:
            shape = t.shape[1:] if t.shape[0] == 1 and len(t.shape) > 1 else t.shape
            parts.append(f"an array of {' × '.join(map(str, shape))} numbers" if t.numbers else "an empty array")
        elif t.numbers:
            parts.append(t.numbers[0].text if len(t.numbers) == 1 else f"{len(t.numbers)} numbers")
        elif t.text in ("True", "False"):
            parts.append(t.text)
    return ", ".join(parts[:6]) + (", …" if len(parts) > 6 else "") if parts else "words"


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 100 else text[:99] + "…"


_WORST = {"differs": 3, "unclear": 2, "same": 1, "absent": 0}


def _merged(outcomes: Sequence[Outcome], in_notebook: bool) -> list[Outcome]:
    """One outcome for each statement in a notebook; elsewhere one for each printed piece, unless there are many."""
    count: dict[int, int] = {}
    for o in outcomes:
        count[o.line] = count.get(o.line, 0) + 1
    found: list[Outcome] = []
    first: dict[int, int] = {}
    for o in outcomes:
        if not in_notebook and count[o.line] <= MERGED:
            found.append(o)
        elif o.line not in first:
            first[o.line] = len(found)
            found.append(o)
        else:
            k = first[o.line]
            found[k].merged += 1
            if _WORST[o.state] > _WORST[found[k].state]:
                o.merged = found[k].merged
                found[k] = o
    return found


__all__ = ["Ran", "run_document"]
