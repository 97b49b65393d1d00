"""`derivations explain FILE:LINE`: how an equation was read, what each name is and why, and what was found out about it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

from derivations.documents import read_text
from derivations.documents.facts.directives import CONVENTIONS
from derivations.documents.model.document import Code, Document, Given, Heading, Prose
from derivations.documents.model.finding import Finding
from derivations.exposition.explain import explain as derivation
from derivations.latex.syntax.lexer import ReadError, expand_macros
from derivations.latex.syntax.surface import Node, walk
from derivations.project import project_of
from derivations.provers.decide import Proved, Refuted
from derivations.study.directives_at_work import applied
from derivations.study.meaning_of_names import item_of, key_of, meanings, settling
from derivations.study.state import Study

from .chapters_and_declarations import declared_in_project, read_with
from .check import SECONDS_A_DOCUMENT, Decider, seconds_for, study_with_names

_TARGET = re.compile(r"^(?P<path>.+?)(?::(?:cell )?(?P<cell>\d+)(?=:\d))??:(?P<line>\d+)(?::(?P<column>\d+))?$")
MAX_TREE = 200
"""Lines of a surface tree that are printed."""


class NoTarget(Exception):
    """There is nothing to explain at a place; the message is one line that says where, what was needed and found."""


@dataclass(frozen=True)
class Target:
    """A place as it is written on the command line."""

    path: str
    cell: int | None
    line: int
    column: int | None = None


def read_target(text: str) -> Target:
    """`FILE:LINE`, `FILE:LINE:COLUMN`, in a notebook `FILE:CELL:LINE` or `FILE:cell N:LINE`.

    Errors: NoTarget.

    >>> read_target("a.md:7"), read_target("a.ipynb:cell 2:7:3")
    (Target(path='a.md', cell=None, line=7, column=None), Target(path='a.ipynb', cell=2, line=7, column=3))
    """
    match = _TARGET.match(text)
    if match is None:
        raise NoTarget(f"needed FILE:LINE (in a notebook FILE:CELL:LINE), found {text!r}")
    path, cell, line, column = (match.group(k) for k in ("path", "cell", "line", "column"))
    notebook = path.lower().endswith(".ipynb")
    if notebook and cell is None:
        if column is None:
            raise NoTarget(f"needed FILE:CELL:LINE for a notebook, found {text!r}")
        cell, line, column = line, column, None
    elif not notebook and cell is not None:
        if column is not None:
            raise NoTarget(f"needed FILE:LINE:COLUMN, found {text!r}")
        cell, line, column = None, cell, line
    numbers = (None if n is None else int(n) for n in (cell, line, column))
    own_cell, own_line, own_column = numbers
    return Target(path, own_cell, own_line or 0, own_column)


@dataclass(frozen=True)
class Found:
    """The findings at a place, with what the study of their document learned."""

    document: Document
    study: Study
    here: tuple[Finding, ...]
    all: tuple[Finding, ...]


def find(target: Target) -> Found:
    """Study the document and pick out what stands at the place.

    Errors: NoTarget; DocumentError for a document that cannot be read.
    """
    before = project_of(target.path).chapters_up_to(target.path)[:-1]
    document = read_with(target.path, before)
    places: list[str] = []
    for part in document.parts or (document,):
        decide = Decider(seconds_for(part))
        studied, findings, study = study_with_names(part, decide, declared_in_project(target.path, before))
        findings = applied(studied, findings)
        own = [f for f in findings if Path(f.place.path) == Path(target.path) and f.place.cell == target.cell]
        here = [f for f in own if f.place.line <= target.line <= max(f.end_line, f.place.line)]
        here = [f for f in here if f.place.line == target.line] or here
        if target.column is not None and here:
            left = [f for f in here if f.place.column <= target.column] or here[:1]
            here = [max(left, key=lambda f: (f.place.line, f.place.column))]
        if here:
            return Found(studied, study, tuple(here), tuple(findings))
        places += [str(f.place.line) for f in own]
    there = f"statements at the lines {', '.join(dict.fromkeys(places))}" if places else "no statement"
    cell = f"cell {target.cell}, " if target.cell is not None else ""
    raise NoTarget(f"{target.path}: needed a statement at {cell}line {target.line}, found {there}")


def explained(found: Found) -> str:
    """Everything about the statements at a place, as text."""
    return "\n\n".join("\n".join(_one(found, f)) for f in found.here) + "\n"


def _one(found: Found, f: Finding) -> Iterator[str]:
    yield f"{f.place}: {f.kind}"
    yield from _block("as written", f.source.split("\n"))
    study = found.study
    key = key_of(study, f.position) if f.span >= 0 else None
    item = item_of(study, key) if key is not None else None
    if item is not None and key is not None:
        tree = list(tree_lines(item.reading.chain))
        more = [f"… and {len(tree) - MAX_TREE} more lines"] if len(tree) > MAX_TREE else []
        yield from _block("surface tree", [*tree[:MAX_TREE], *more])
        rows = list(meanings(study, item, key))
        width = max((len(r.written) for r in rows), default=0)
        kinds = max((len(r.kind) for r in rows), default=0)
        yield from _block("names", [f"{r.written:{width}}  {r.kind:{kinds}}  {r.origin}".rstrip() for r in rows])
    if f.definition is not None:
        yield from _block("term", [str(f.definition)])
    elif f.statements:
        yield from _block("term", [str(s) for s in f.statements])
    assumed = [f"{n.text} ({n.origin})" for n in f.assumptions]
    if isinstance(f.decision, Proved) and f.status == "proved":
        assumed += [f"{a.text} ({a.origin})" for a in f.decision.theorem.assumptions]
        assumed += [f"{text} (definedness)" for text in f.decision.assumes]
    yield from _block("assuming", assumed)
    yield from _verdict(f)
    if f.unknown:
        yield from _block("this would settle it", [f"<!-- derivations: \\{f.unknown}: WHAT IT STANDS FOR -->"])
    elif f.status in ("undecided", "unread") and key is not None:
        options = [f"<!-- derivations: {words} -->" for words in settling(study, key)]
        yield from _block("one of these would settle it" if len(options) > 1 else "this would settle it", options)


def _verdict(f: Finding) -> Iterator[str]:
    code = f" [{f.code}]" if f.code else ""
    yield from _block("verdict", [f.status + code + (f": {f.reason}" if f.reason else ""), *f.notes])
    if isinstance(f.decision, Proved) and f.status == "proved":
        steps = derivation(f.decision.theorem, plain=True)
        yield from _block(
            "derivation", [f"{s.relation:2} {s.term}" + (f"    [{s.reason}]" if s.reason else "") for s in steps]
        )
    elif isinstance(f.decision, Refuted) and f.status == "refuted":
        w = f.decision.counterexample
        inputs = [f"{name} = {value}".replace("'", "") for name, value in w.inputs.items()]
        at = [f"{name} = {value}" for name, value in {**w.sizes, **w.at}.items()]
        yield from _block("witness", [", ".join(at), *inputs, f"left  {w.left}", f"right {w.right}"])
    if f.suggestion:
        yield from _block("suggestion", [f.suggestion])


def _block(title: str, lines: Sequence[str]) -> Iterator[str]:
    if lines:
        yield f"  {title}"
        yield from (f"    {line}" for line in lines)


def tree_lines(node: Node, depth: int = 0, role: str = "") -> Iterator[str]:
    """The surface tree, one node a line, children further in; nothing is elaborated."""
    own, below = [], []
    for field in fields(node):
        value = getattr(node, field.name)
        if field.name == "span" or value is None or value in ("", (), 0, False):
            continue
        if isinstance(value, Node):
            below.append((field.name, value))
        elif isinstance(value, tuple) and not all(isinstance(v, str) for v in value):
            below += list(_nested(field.name, value))
        else:
            own.append(" ".join(value) if isinstance(value, tuple) else "" if value is True else str(value))
    words = " ".join([type(node).__name__.lower(), *own]).rstrip()
    yield "  " * depth + (f"{role}: " if role else "") + words
    for name, child in below:
        yield from tree_lines(child, depth + 1, name)


def _nested(role: str, value: tuple[object, ...]) -> Iterator[tuple[str, Node]]:
    for part in value:
        if isinstance(part, Node):
            yield role, part
        elif isinstance(part, tuple):
            label = part[0] if part and isinstance(part[0], str) else role
            yield from _nested(label, tuple(p for p in part if not isinstance(p, str)))


# --- a minimal document ---------------------------------------------------------------------------------------------


def bug_report(found: Found) -> str:
    """A Markdown document with the statement and what it rests on, and whether it shows the same verdict."""
    f = found.here[-1]
    status = f.status + (f" [{f.code}]" if f.code else "")
    text, said = "", f"{status} in the whole document, but not in this one"
    for words in ("", "own", "all"):
        text = _document(found, f, words)
        if _outcome(text, found, f) == (f.status, f.code):
            said = f"{status}; this document shows it"
            break
    return f"<!-- derivations {_version()}: {said} -->\n\n{text}"


def _version() -> str:
    from derivations import __version__

    return __version__


def _document(found: Found, f: Finding, words: str) -> str:
    """The equations that a finding rests on, the shapes of their names and the declarations, in document order.

    `words`: without any, with the paragraphs of these equations, or with all paragraphs up to the last one.
    """
    document, study = found.document, found.study
    by_position = {x.position: x for x in found.all if x.position >= 0}
    spans, todo = {f.span}, [f]
    while todo:
        for position in todo.pop().depends_on:
            other = by_position.get(position)
            if other is not None and other.span not in spans:
                spans.add(other.span)
                todo.append(other)
    stems = {s for i in study.items if i.span.index in spans for s in _stems(study, i.reading.chain)}
    for item in study.items:
        links = item.reading.chain.links
        if links and links[0][0] in ("in", "sim") and stems & _stems(study, item.reading.chain):
            spans.add(item.span.index)
    parts = []
    for d in document.declarations:
        about = study.text.conventions.stems(study.names, d)
        if d.kind in CONVENTIONS - {"macro"} and d.fault is None and (not about or about & stems):
            parts.append(f"<!-- derivations: {d.text} -->")
    own = [s for s in document.spans if s.index in spans and not isinstance(document.block_of(s), Given)]
    blocks = dict.fromkeys(document.block_of(s).index for s in own)
    if words == "all":
        last = max(blocks, default=0)
        blocks = dict.fromkeys(b.index for b in document.blocks[: last + 1] if isinstance(b, Prose | Heading))
    if words:
        parts += [_expanded(document.blocks[k].text.text.strip(), found, f.span) for k in blocks]
    else:
        parts += [_displayed(_expanded(s.source, found, s.index)) for s in own]
    if f.span < 0:
        code = next((c for c in document.code if _covers(c, f)), None)
        parts.append(f.source if code is None else f"```{code.language or ''}\n{code.text.text}\n```")
    return "\n\n".join(parts) + "\n"


def _stems(study: Study, node: Node) -> set[str]:
    return {w.stem for n in walk(node) if (w := study.names.written(n)) is not None}


def _covers(code: Code, f: Finding) -> bool:
    place = code.place
    return place.path == f.place.path and place.cell == f.place.cell and place.line <= f.place.line <= code.end_line


def _expanded(latex: str, found: Found, span: int) -> str:
    """LaTeX without the author's own commands."""
    macros = found.document.macros_at(max(span, 0))
    if not any(f"\\{name}" in latex for name in macros):
        return latex
    try:
        return expand_macros(latex, macros)
    except ReadError:
        return latex


def _displayed(source: str) -> str:
    source = source.strip()
    return source if source.startswith("\\begin") else f"$$\n{source}\n$$"


def _outcome(text: str, found: Found, f: Finding) -> tuple[str, str | None] | None:
    """What the minimal document says of the same statement."""
    document, findings, _ = study_with_names(read_text(text, "bug.md"), Decider(SECONDS_A_DOCUMENT))
    findings = applied(document, findings)
    sources = {f.source, _expanded(f.source, found, f.span)}
    same = [x for x in findings if x.kind == f.kind and x.source in sources]
    return (same[-1].status, same[-1].code) if same else None
