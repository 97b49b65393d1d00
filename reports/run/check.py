"""From documents to a report: read, study, decide, explain, cross-check."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from derivations.documents.facts.directives import Declaration
from derivations.documents.model.document import Document, Given
from derivations.documents.model.finding import Finding
from derivations.kernel import certificate
from derivations.kernel.finiteness import finite
from derivations.kernel.proof import steps_of
from derivations.kernel.scope import Obligation
from derivations.kernel.theorem import Theorem
from derivations.language.statement import Statement, Tensor, Theory
from derivations.language.sympy_form import BridgeError, form_of_definition, form_of_statement
from derivations.latex.lexicon.differentiated_symbols import is_twin
from derivations.latex.lexicon.differentiated_symbols import known as with_twins
from derivations.latex.syntax.function_names import as_called
from derivations.latex.syntax.lexer import ReadError, expand_macros
from derivations.latex.writer import Style, write_latex
from derivations.notes import Note
from derivations.project import project_of
from derivations.provers.decide import Decision, Proved, Refuted, Undecided, by_definition

from ..finding_rows import exit_status
from ..model import Assumption, Counterexample, DocumentReport, Fingerprints, Item, Place, Proof, Said, Step, to_json
from ..verdict_words import place_words
from . import shown
from .chapters_and_declarations import declared_in_project, read_with
from .cross_checks import Begun, cross_check
from .limits import ended_after, limit, studied_in_time
from .session import Checked, check_documents, versions
from .short_names import as_read, renamed, short_names

if TYPE_CHECKING:
    from derivations.numeric.running.process import Settings

    from derivations.code.explicit_links import Explicit
    from derivations.second_reader import SecondReader
    from derivations.study.state import Study

SECONDS_A_DOCUMENT = 120.0
"""Wall-clock backstop for the decisions about one document; the search itself ends on counted work."""
SECONDS_A_FORMULA = 0.1
"""Added for each formula, several times what most of them need: a long document has longer."""
SHORT_OF_TIME = 0.5
"""The part of the time for a document in which its searches are short."""
LESS_WORK = 5
"""By how much the counted work of a short search is less: of 190 proofs of 16 documents, 4 took more than that."""
MAX_SHOWN = 4_000
"""Most nodes of a term that a report writes out."""

Decide = Callable[..., Decision]


def check_group(
    path: str | Path,
    before: Sequence[str | Path],
    others: Collection[str],
    into: Checked,
    *,
    device: str,
    timeout: float | None,
    numbers: bool,
    run: Settings | None,
    second: SecondReader | None,
    opinions: dict[str, Any],
) -> None:
    """Check a document with the chapters before it; what is found out goes into `into`, `others` excepted."""
    begun = Begun(device) if numbers else None
    try:
        report, findings, items = check_document(
            path,
            timeout=timeout,
            run=run,
            executed=into.executed,
            before=before,
            second=second,
            opinions=opinions,
            defined=begun.begin if begun is not None else None,
        )
        into.documents += [r for r in by_file(report, findings) if r.path not in others]
        items = {k: item for k, item in items.items() if findings[k].place.path not in others}
        into.theorems += [findings[k].decision.theorem for k in items if _is_proved(findings[k])]
        if begun is not None:
            cross_check(report, findings, items, begun, into.checks, into.skipped)
    finally:
        if begun is not None:
            begun.end()


def _is_proved(f: Finding) -> bool:
    return f.status == "proved" and isinstance(f.decision, Proved)


def check_document(
    path: str | Path,
    *,
    timeout: float | None = None,
    run: Settings | None = None,
    executed: list[dict[str, Any]] | None = None,
    before: Sequence[str | Path] = (),
    second: SecondReader | None = None,
    opinions: dict[str, Any] | None = None,
    defined: Callable[[Finding], object] | None = None,
) -> tuple[DocumentReport, list[Finding], dict[int, str]]:
    """The report of one document (with the chapters before it), its findings, and the item of each finding.

    `defined` is told each definition as soon as it is there: what takes time can begin while claims are decided.

    With `run` its code is run; what the report says about that is added to `executed`.  `second` reads formulas without
    indices again, and `opinions` counts how that went.
    """
    from derivations.study.directives_at_work import applied

    timeout = timeout if timeout is not None else project_of(path).timeout_of(path)
    with ended_after(limit(timeout if timeout is not None else SECONDS_A_DOCUMENT), path, "read"):
        document = read_with(path, before)
    seconds = timeout if timeout is not None else seconds_for(document)
    decide = Decider(seconds)
    end = time.monotonic() + limit(seconds)
    parts = document.parts or (document,)
    pieces = []
    for part in parts:
        read, findings, study = studied_in_time(
            end - time.monotonic(),
            path,
            partial(study_with_names, part, decide, declared_in_project(path, before), defined=defined),
        )
        if second is not None and second.absent is None and opinions is not None:
            from .second_opinion import note_disagreements  # SymPy is not worth its import without it

            note_disagreements(second, read, study, findings, opinions)
        pieces.append((read, findings))
    if document.parts:
        pieces.append((document, _unreadable(document)))
    if run is not None:
        pieces = [(part, with_run(part, findings, run, executed)) for part, findings in pieces]
    pieces = [(part, applied(part, findings)) for part, findings in pieces]
    for _, findings in pieces:
        tell_causes(findings, decide)
        decide.mark(findings)
    if defined is not None:
        for f in (f for _, findings in pieces for f in findings if f.definition is not None):
            defined(f)
    return reported(document, pieces)


def tell_causes(findings: Sequence[Finding], decide: Decide) -> None:
    """Say of each refuted finding that only follows from another one which one that is."""
    from derivations.study.one_cause import find_causes

    for k, before in find_causes(findings, partial(decide, refuting=False)).items():
        f, cause = findings[k], findings[before]
        f.cause = cause
        elsewhere = f" of {cause.place.path}" if cause.place.path != f.place.path else ""
        where = place_words({"line": cause.place.line, "cell": cause.place.cell})
        f.reason = "; ".join(filter(None, [f"follows from {where}{elsewhere}", f.reason]))


def reported(
    document: Document, studied: Sequence[tuple[Document, list[Finding]]]
) -> tuple[DocumentReport, list[Finding], dict[int, str]]:
    """The report of a document from the findings of its parts, all findings, and the item of each."""
    merged = [f for _, findings in studied for f in findings]
    ids = iter(_ids(merged))
    prints = Fingerprints()
    items: list[Item] = []
    said: list[Said] = []
    for part, findings in studied:
        own = [next(ids) for _ in findings]
        said += [_said(d, findings, own) for d in part.declarations if d.block >= 0 or d.used or d.fault]
        by_position = {f.position: own[k] for k, f in enumerate(findings) if f.position >= 0}
        given = _given(part, findings)
        causes = {id(f): own[k] for k, f in enumerate(findings)}
        placed = {f.position: f for f in findings if f.position >= 0}
        items += [
            item_of(f, own[k], by_position, prints, part, given, causes, notes_below(f, placed))
            for k, f in enumerate(findings)
        ]
    report = DocumentReport(document.path, document.sha256, document.title or None, items, said, document.chapters)
    return report, merged, {k: item.id for k, item in enumerate(items)}


def study_document(
    document: Document, decide: Decide, project: Sequence[Declaration] = ()
) -> tuple[Document, list[Finding]]:
    """Everything that was found out about a document (or a part of a file), in its order, and the document as studied."""
    document, findings, _ = study_with_names(document, decide, project)
    return document, findings


def study_with_names(
    document: Document,
    decide: Decide,
    project: Sequence[Declaration] = (),
    aliases: Mapping[str, str] | None = None,
    defined: Callable[[Finding], object] | None = None,
) -> tuple[Document, list[Finding], Study]:
    """`study_document`, with what was learned about names and readings.

    `aliases` of code names see `study_code`, `defined` see `understood`.
    """
    from derivations.code.explicit_links import with_explicit_links
    from derivations.documents.facts.prose import study_prose
    from derivations.study.claims import supposed_at, understood
    from derivations.study.directives_at_work import declared
    from derivations.study.words_of_definitions import findings_of_words

    document, links = with_explicit_links(declared(document, project))
    study, findings = understood(document, decide, defined=defined)
    for k, f in enumerate(findings):
        f.position = k
        if document.macros:
            f.display = {name: _expanded(latex, document, f.span) for name, latex in f.display.items()}
    code = _about_code(document, study, findings, decide, links, aliases)
    stems = {x.stem for x in links}  # equations made from `<!-- check: NAME = LATEX -->` speak through the code alone
    findings = [f for f in findings if f.name not in stems]
    prose = [
        *study_prose(document, findings, decide, partial(supposed_at, study)),
        *findings_of_words(document, findings, decide),
    ]
    suggested = [_with_suggestion(f, decide) for f in findings]
    said = [*suggested, *prose, *code, *_unreadable(document)]
    found = sorted(said, key=lambda f: document.order(f.place))
    return document, found, study


def _about_code(
    document: Document,
    study: Study,
    findings: Sequence[Finding],
    decide: Decide,
    links: Sequence[Explicit],
    aliases: Mapping[str, str] | None,
) -> list[Finding]:
    """What is found about the Python of a document; without any, what reads programs is not imported."""
    if not any(block.is_python for block in document.code):
        return []
    from derivations.numeric.running.programs import add_programs

    from derivations.code.remarks import code_remarks
    from derivations.code.study_code import study_code
    from derivations.study.claims import other_readings, signs_at, supposed_at

    called, lengths, said = study.called_in_code(), study.named_sizes(), study.said_of_symbols()
    readings, signs, supposed = (partial(f, study) for f in (other_readings, signs_at, supposed_at))
    code = study_code(document, findings, decide, links, readings, called, aliases, lengths, said, signs, supposed)
    add_programs(document, code)
    return [*code, *code_remarks(document)]


def with_run(
    document: Document, findings: list[Finding], run: Settings, executed: list[dict[str, Any]] | None
) -> list[Finding]:
    """The findings of a document with those that running its code gives."""
    from derivations.numeric.running.study import run_document

    if not document.code:
        return findings
    ran = run_document(document, run, findings)
    findings = [f for f in findings if (f.kind, f.code) != ("code", "syntax-error")]  # running it says so, too
    if executed is not None and ran.about:
        executed.append(ran.about)
    return sorted([*findings, *ran.findings], key=lambda f: document.order(f.place))


def seconds_for(document: Document) -> float:
    """The wall-clock backstop for a document."""
    return SECONDS_A_DOCUMENT + SECONDS_A_FORMULA * len(document.spans)


class Decider:
    """`decide` with memory and a wall-clock backstop.

    A document may be studied in several readings, each with a theory of its own: a statement that rests on the same
    tensors and definitions in two of them is decided once.  What is proved is not searched for again under hypotheses.
    When little of the time is left, searches are shorter, so that one that fails does not take the time of all after it;
    when the time is over, what was decided is still known.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds, self.end = seconds, time.monotonic() + seconds
        self.cut_short = False
        """Whether a search failed that was shorter than others."""
        self._known: dict[tuple[Statement, int, bool], Decision] = {}
        self._alike: dict[tuple[object, ...], Decision] = {}
        self._theorems: dict[tuple[object, ...], list[Theorem]] = {}
        self._theories: list[Theory] = []

    def __call__(self, statement: Statement, theory: Theory, refuting: bool = True) -> Decision:

        statement = with_twins(statement, theory)
        key = (statement, id(theory), refuting)  # not its text: a number and a length may share a name
        if key in self._known:
            return self._known[key]
        below = theory.about(t for s in (statement, *statement.hypotheses) for t in (s.left, s.right))
        content = statement, tuple(below.tensors.items()), tuple(below.definitions.items()), refuting
        if content not in self._alike:
            left = self.end - time.monotonic()
            if left < 0:
                return Undecided("the time for this document ran out", code="timeout")
            self._alike[content] = self._decided(
                statement, theory, below, refuting, left < SHORT_OF_TIME * self.seconds
            )
        self._theories.append(theory)  # kept, so that its identity stays its own
        self._known[key] = self._alike[content]
        return self._known[key]

    def _decided(self, statement: Statement, theory: Theory, below: Theory, refuting: bool, is_short: bool) -> Decision:
        from derivations.provers.decide import WORK, Proved, decide, from_known
        from derivations.study.equation_walk import as_meant

        own = theory.about((statement.left, statement.right))
        plain = replace(statement, hypotheses=()), tuple(own.tensors.items()), tuple(own.definitions.items())
        before = self._theorems.setdefault(plain, [])
        found = from_known(statement, below, before) if statement.hypotheses else None
        if found is None:
            work = WORK // LESS_WORK if is_short else WORK
            found = as_meant(decide(statement, below, work=work, refuting=refuting))
            self.cut_short |= is_short and isinstance(found, Undecided)
        before += [found.theorem] if isinstance(found, Proved) and not found.assumes else []
        return found

    def mark(self, findings: Iterable[Finding]) -> None:
        """Say of findings whose search failed that a longer one might have ended otherwise."""
        for f in findings if self.cut_short else ():
            if f.status == "undecided" and f.code == "search-ended":
                f.code, f.reason = "timeout", f"{f.reason}; the search was short, because this document takes long"


def _with_suggestion(f: Finding, decide: Decide) -> Finding:
    from derivations.study.near_misses import near_miss

    if f.status != "refuted" or f.suggestion is not None or f.statement is None:
        return f
    found = near_miss(f.statement, f.theory, partial(decide, refuting=False))
    if found is None:
        return f
    latex = write_latex(found.statement, _style(f))
    return replace(f, suggestion=f"did you mean ${latex}$? ({found.slip.words}; proved)")


def by_file(report: DocumentReport, findings: Sequence[Finding]) -> list[DocumentReport]:
    """One report for each file of a document that takes in others: every place is a line of the report's own file."""
    paths = list(dict.fromkeys([report.path, *report.chapters, *(f.place.path for f in findings)]))
    if len(paths) == 1:
        return [report]
    home = {item.id: f.place.path for item, f in zip(report.items, findings, strict=True)}
    reports = []
    for path in paths:
        items = []
        for item in report.items:
            if home[item.id] != path:
                continue
            away = [x for x in item.depends_on if home[x] != path]
            notes = [*item.notes, *(f"uses {x} of {home[x]}" for x in away)]
            kept = [x for x in item.depends_on if x not in away]
            cause = item.follows_from if home.get(item.follows_from or "", path) == path else None
            items.append(replace(item, depends_on=kept, notes=notes, follows_from=cause))
        digest = report.sha256 if path == report.path else _digest(path)
        title = report.chapters.get(path, report.title) or None
        own = {item.id for item in items}
        said = [s for s in report.declarations if (s.only or s.path) == path]
        said = [replace(s, items=[x for x in s.items if x in own]) for s in said]
        reports.append(DocumentReport(path, digest, title, items, said))
    return reports


def _expanded(latex: str, document: Document, span: int) -> str:
    """LaTeX without the author's own commands, which no reader of a report knows."""
    try:
        return expand_macros(latex, document.macros_at(span))
    except ReadError:
        return latex


def _digest(path: str) -> str | None:
    try:
        return sha256(Path(path).read_bytes()).hexdigest()
    except OSError:
        return None


def _said(d: Declaration, findings: Sequence[Finding], ids: Sequence[str]) -> Said:
    taken = [own for f, own in zip(findings, ids, strict=True) if any(f is x for x in d.findings)]
    where = Place(line=d.place.line, cell=d.place.cell, column=d.place.column)
    said = Said(kind=d.kind, text=d.text, reason=d.reason, where=where, items=taken, fault=d.fault, path=d.place.path)
    return replace(said, only=d.only)


def _unreadable(document: Document) -> list[Finding]:
    """What the readers could not take in, one finding each."""
    return [
        Finding("prose", "unread", p.place, p.place.line, "", code=p.code, reason=p.message) for p in document.problems
    ]


def _ids(findings: Iterable[Finding]) -> list[str]:
    counts = {"eq": 0, "text": 0, "code": 0, "out": 0}
    ids = []
    for f in findings:
        kind = {"prose": "text", "code": "code", "output": "out", "assertion": "out"}.get(f.kind, "eq")
        counts[kind] += 1
        ids.append(f"{kind}-{counts[kind]}")
    return ids


def _style(f: Finding, names: Mapping[str, str] | None = None) -> Style:
    return Style(f.display, f.bases, f.styles, names or {})


@dataclass(frozen=True)
class StatedByComments:
    """What comments declare as given: statements, and the names of which they say something."""

    names: frozenset[str] = frozenset()
    statements: frozenset[Statement] = frozenset()

    def has(self, condition: Obligation | Statement | Tensor) -> bool:
        """Whether comments say what a theorem rests on."""
        if isinstance(condition, Tensor):
            return _readable(condition.name) in self.names
        return isinstance(condition, Statement) and replace(condition, hypotheses=()) in self.statements


def _given(document: Document, findings: Sequence[Finding]) -> StatedByComments:
    names = frozenset(
        name.strip()
        for s in document.spans
        if isinstance(document.block_of(s), Given)
        for name in s.source.replace("\\", "").split(",")
    )
    statements = frozenset(
        replace(s, hypotheses=())
        for f in findings
        if f.code == "hypothesis" and f.span >= 0 and isinstance(document.block_of(document.spans[f.span]), Given)
        for s in f.statements
    )
    return StatedByComments(names, statements)


_SORTS: dict[type, str] = {Obligation: "obligation", Statement: "hypothesis", Tensor: "law"}


def notes_below(f: Finding, findings: Mapping[int, Finding]) -> Iterator[Note]:
    """What the definitions and hypotheses below a verdict were read under, each once, those of the verdict itself aside."""
    if f.decision is None or f.status not in ("proved", "refuted"):
        return
    own = {n.text for n in f.assumptions}
    todo, seen = list(f.depends_on), set(f.depends_on)
    for position in todo:
        below = findings.get(position)
        if below is None:
            continue
        for n in below.assumptions:
            if n.text not in own:
                own.add(n.text)
                yield n
        new = [p for p in below.depends_on if p not in seen]
        seen.update(new)
        todo += new


def _assumptions(f: Finding, given: StatedByComments, below: Iterable[Note] = ()) -> Iterator[tuple[Assumption, bool]]:
    """What a finding rests on, and whether that is a convention: what comments say of shapes and axes, and no more."""
    for n in (*f.assumptions, *below):
        where = None if n.place is None else Place(line=n.place.line, cell=n.place.cell, column=n.place.column)
        assumption = Assumption(kind=n.kind, text=n.text, origin=n.origin, where=where)
        yield assumption, n.origin in ("document", "declaration")
    if not isinstance(f.decision, Proved) or f.status != "proved":
        return
    for a in f.decision.theorem.assumptions:
        declared = given.has(a.condition)
        if is_twin(a.condition) or (_is_stated_sign(a.condition) and not declared):
            continue
        origin = "declaration" if declared else a.origin
        row = Assumption(kind=_SORTS[type(a.condition)], text=_readable(a.text), origin=origin)
        yield row, origin == "document"
    for text in f.decision.assumes:
        yield Assumption(text=text, origin="definedness"), False


def item_of(
    f: Finding,
    own: str,
    ids: Mapping[int, str],
    prints: Fingerprints,
    document: Document,
    given: StatedByComments,
    causes: Mapping[int, str] | None = None,
    below: Iterable[Note] = (),
) -> Item:
    theorem = f.decision.theorem if isinstance(f.decision, Proved) and f.status == "proved" else None
    first = f.read or (_read(f) if f.status != "unread" else "")
    read = first
    if f.status != "unread" and f.read is None and _nodes(f) <= MAX_SHOWN:
        read = _readable(shown.text_of(f, MAX_SHOWN))
    heading = _heading(document, f)
    rests = list(_assumptions(f, given, below))
    witness = (
        f.decision.counterexample if isinstance(f.decision, Refuted) and f.status in ("refuted", "wrong") else None
    )
    names = short_names(f, [read, *(a.text for a, _ in rests)])
    first, read = as_read(first, names), as_read(read, names)
    assumptions = [replace(a, text=as_read(a.text, names)) for a, _ in rests]
    return Item(
        id=own,
        fingerprint=prints.of(_normal(first or f.source), heading),
        kind=f.kind,
        where=Place(line=f.place.line, cell=f.place.cell, column=f.place.column, end_line=f.end_line),
        source=f.source,
        listing=f.listing,
        read=read or None,
        sympy=renamed(_sympy(f) or "", names) or None,
        latex=_latex(f, names),
        status=f.status,
        strength=_strength(theorem, all(said for _, said in rests)) if theorem else None,
        scope=(dict(f.instance) or None if f.instance is not None else "all sizes") if theorem else None,
        assumptions=assumptions,
        steps=_steps(theorem, f, names) if theorem else [],
        proof=_proof(theorem) if theorem else None,
        depends_on=[ids[p] for p in f.depends_on if p in ids],
        counterexample=_counterexample(witness, f, names) if witness else None,
        suggestion=f.suggestion,
        code=f.code or ("false-claim" if f.status == "refuted" else None),
        reason=as_read(f.reason, names) if f.reason else f.reason,
        notes=[*f.notes, *_sort(f)],
        silenced=f.silenced and {"how": f.silenced.how, "reason": f.silenced.reason},
        role=f.role or (f.code if f.status == "skipped" else f.kind),
        follows_from=None if f.cause is None else (causes or {}).get(id(f.cause)),
    )


def _is_stated_sign(condition: object) -> bool:
    """Whether an assumption is what the text itself says of a sign: it stands in the reading, as what is given."""
    return isinstance(condition, Statement) and condition.relation != "="


def _sort(f: Finding) -> Iterator[str]:
    """That the entries of what is defined may be minus infinity."""
    d = f.definition
    if d is not None and not finite(d.body, f.theory):
        yield f"the entries of {_readable(d.name)} may be -oo"


def _heading(document: Document, f: Finding) -> str:
    if f.span >= 0:
        return " / ".join(document.block_of(document.spans[f.span]).section)
    blocks = [b for b in document.blocks if (b.place.cell or 0, b.place.line) <= (f.place.cell or 0, f.place.line)]
    return " / ".join(blocks[-1].section) if blocks else ""


def _nodes(f: Finding) -> int:
    if f.definition is not None:
        return f.definition.body.nodes
    return f.statement.left.nodes + f.statement.right.nodes if f.statement is not None else 0


def _read(f: Finding) -> str:
    if _nodes(f) > MAX_SHOWN:
        return f"(a term of {_nodes(f)} nodes)"
    if f.definition is not None:
        return _readable(str(f.definition))
    return _readable(shown.plain_text(f.statement, is_nearly=f.is_nearly) if f.statement is not None else "")


def _readable(text: str) -> str:
    """Canonical text without the version marks of names."""
    out, k = [], 0
    while k < len(text):
        if text[k] == "#" and k + 1 < len(text) and text[k + 1].isdigit():
            k += 1
            while k < len(text) and text[k].isdigit():
                k += 1
            continue
        out.append(text[k])
        k += 1
    return "".join(out)


def _normal(text: str) -> str:
    return " ".join(text.split())


def _strength(theorem: Theorem, said: bool) -> str:
    """What comments say of shapes and axes is a convention; what they say is given is a condition."""
    if not said:
        return "conditional"
    return "unfolding" if by_definition(theorem) else "unconditional"


def _steps(theorem: Theorem, f: Finding, names: Mapping[str, str]) -> list[Step]:
    from derivations.exposition.explain import explain

    lines = explain(theorem, _style(f, names))
    return [Step(relation=x.relation, term=x.term, reason=x.reason, rule=x.rule or None) for x in lines]


def _proof(theorem: Theorem) -> Proof:
    return Proof(
        certificate=certificate.digest(certificate.write(theorem)), rules=sum(1 for _ in steps_of(theorem.proof))
    )


def _counterexample(witness: Any, f: Finding, names: Mapping[str, str]) -> Counterexample:
    return Counterexample(
        kind=witness.kind,
        sizes={names.get(k, k): v for k, v in witness.sizes.items()},
        inputs={as_called(name): value for name, value in witness.inputs.items()},
        at={names.get(k, k): v for k, v in witness.at.items()},
        left=witness.left,
        right=witness.right,
        replayed=f.replayed,
        program=f.program,
        entries=_entries(witness.entries, names),
    )


def _entries(entries: Any, names: Mapping[str, str]) -> dict[str, Any] | None:
    if entries is None:
        return None
    shown = [names.get(i, i) for i in entries.indices]
    return {"indices": shown, "left": entries.left, "right": entries.right}


def _latex(f: Finding, names: Mapping[str, str]) -> str | None:
    """The statement as it was read, in the notation of the document."""
    return None if f.status == "unread" else shown.latex_of(f, _style(f, names), MAX_SHOWN)


def _sympy(f: Finding) -> str | None:
    """The statement as SymPy text, when SymPy has a form for it."""
    if f.status == "unread" or _nodes(f) > MAX_SHOWN:
        return None
    try:
        if f.statement is not None:
            return str(form_of_statement(f.statement))
        if f.definition is not None and not f.definition.tensors:
            return str(form_of_definition(f.definition))
    except BridgeError:
        pass
    return None


__all__ = ["check_document", "check_documents", "exit_status", "to_json", "versions"]
