"""Declarations at work: regions that are passed over, what is given, findings that are ignored or expected.

Every reason is kept and shown; an entry that does nothing has a fault, and a fault fails the run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from derivations.documents.facts.directives import Declaration, declarations_of
from derivations.documents.model.document import (
    Block,
    Code,
    Document,
    Given,
    Heading,
    HtmlComment,
    MathSpan,
    Output,
    Prose,
    Text,
)
from derivations.documents.model.finding import Finding, Silenced
from derivations.latex.syntax.lexer import Macro

IGNORED = frozenset({"refuted", "wrong", "undecided", "unread"})
"""What may be ignored: a proof needs no excuse."""
_RELATION = re.compile(r"[=<>]|\\(?:leq?|geq?|neq?|sim|in|equiv)(?![A-Za-z])")
_NAME = re.compile(r"^(?:\\[A-Za-z]+|[A-Za-z])(?:[_^'].*)?$")


def declared(document: Document, project: Sequence[Declaration] = ()) -> Document:
    """The document with its declarations read, what is off taken out, and what is given in its place."""
    found = [*project, *declarations_of(document)]
    macros = {d.subject.removeprefix("\\"): Macro(_arguments(d.value), d.value) for d in found if d.kind == "macro"}
    if macros:
        tables = [(start, {**macros, **known}) for start, known in document.macros] or [(0, macros)]
        document = replace(document, macros=tuple(tables))
        for d in found:
            if d.kind == "macro":
                d.used = any(d.subject in s.source for s in document.spans)
    document = _without_regions(document, found)
    document = _with_given(document, found)
    return replace(document, declarations=tuple(found))


def _arguments(body: str) -> int:
    return max((int(k) for k in re.findall(r"#([1-9])", body)), default=0)


# --- off and on -----------------------------------------------------------------------------------------------------


def _without_regions(document: Document, found: Sequence[Declaration]) -> Document:
    switches = [d for d in found if d.kind in ("off", "on")]
    if not switches:
        return document
    hidden: dict[int, Declaration] = {}
    opened: Declaration | None = None
    for d in switches:
        if d.in_code:
            d.fault = "needed off and on in a comment of the text, found them in code; ignore[code] works there"
        elif d.kind == "off" and opened is not None:
            d.fault = f"needed on before another off; the region is open since line {opened.place.line}"
        elif d.kind == "off":
            opened = d
        elif opened is None:
            d.fault = "needed off before on, found none"
        else:
            hidden |= dict.fromkeys(range(opened.block + 1, d.block), opened)
            opened, d.used = None, True
    if opened is not None:
        hidden |= dict.fromkeys(range(opened.block + 1, len(document.blocks)), opened)
    blocks: list[Block] = []
    taken: dict[int, tuple[int, int]] = {}
    for block in document.blocks:
        region = hidden.get(block.index)
        if region is None or isinstance(block, Heading | HtmlComment):
            blocks.append(block)
            continue
        spans, code = taken.get(id(region), (0, 0))
        formulas = len(block.spans) if isinstance(block, Prose) else 0
        taken[id(region)] = (spans + formulas, code + isinstance(block, Code))
        region.used = region.used or formulas > 0 or isinstance(block, Code)
        empty = replace(block.text, text=" ", starts=(0,), origins=block.text.origins[:1])
        blocks.append(HtmlComment(block.index, empty, block.section, block.cell_tags))
    for d in switches:
        spans, code = taken.get(id(d), (0, 0))
        if d.kind == "off" and d.used:
            source = f"{spans} formulas and {code} blocks of code"
            place, end = d.place, d.place.line
            off = Finding("prose", "skipped", place, end, source, code="off", reason=f"off: {d.reason}")
            off.silenced = Silenced("off", d.reason or "")
            d.findings.append(off)
    for d in found:  # entries inside a region are off with it
        if d.block in hidden and d.kind not in ("off", "on"):
            d.kind, d.fault = "off", None
            d.used = True
    return _renumbered(document, blocks, found)


# --- given ----------------------------------------------------------------------------------------------------------


def _with_given(document: Document, found: Sequence[Declaration]) -> Document:
    """Each `given` becomes a sentence of its own, where the comment stands; that of the project file comes first."""
    given = [d for d in found if d.kind == "given"]
    if not given:
        return document
    by_block: dict[int, list[Declaration]] = {}
    for d in given:
        d.used = True
        if d.in_code:
            d.fault = "needed given in a comment of the text, found it in code"
        else:
            by_block.setdefault(d.block, []).append(d)
    blocks: list[Block] = []
    for block in document.blocks:
        own = by_block.get(block.index)
        if own is None:
            blocks.append(block)
        else:
            blocks += [_stated(d, block) for d in own]
    first = document.blocks[0] if document.blocks else None
    if first is not None:
        blocks = [*(replace(_stated(d, first), index=-1, section=()) for d in by_block.get(-1, ())), *blocks]
    return _renumbered(document, blocks, found)


def _stated(d: Declaration, block: Block) -> Given:
    """`given: independent q, k` as "Let q, k be independent", an equation as "Assume that …"."""
    words, latex = "", d.value
    if _RELATION.search(d.value) is None:
        kept = d.value.replace(", ", ",").split()
        names = [w for w in kept if all(_NAME.match(part) for part in w.split(",")) and not w.isalpha()]
        names += [w for w in kept if len(w) == 1 and w.isalpha() and w not in names]
        latex = ", ".join(part for w in kept if w in names for part in w.split(",") if part)
        words = " ".join(w for w in kept if w not in names)
    if not latex:
        d.fault = f"needed names or an equation after given, found {d.value!r}"
        latex = "x"
    before, after = (f"Let ${latex}$", f" be {words}.") if words else (f"Assume that ${latex}$", ".")
    start = before.index("$")
    place = d.place
    origins = ((place.line, place.column),) * 2
    text = Text(before + after, (0, start + 1), origins, place.path, place.cell)
    span = MathSpan(-1, False, "$", text.piece(start + 1, len(before) - 1), start, len(before))
    return Given(block.index, text, block.section, block.cell_tags, (span,))


def _renumbered(document: Document, blocks: Sequence[Block], found: Sequence[Declaration]) -> Document:
    """The document with other blocks: spans, blocks, outputs, macro tables and entries numbered again."""
    moved = {b.index: k for k, b in reversed(list(enumerate(blocks))) if b.index >= 0}
    olds: list[int] = []
    made: list[Block] = []
    for k, block in enumerate(blocks):
        if isinstance(block, Prose | Heading):
            spans = tuple(replace(s, index=len(olds) + n) for n, s in enumerate(block.spans))
            olds += [s.index for s in block.spans]
            block = replace(block, index=k, spans=spans)
        elif isinstance(block, Output):
            block = replace(block, index=k, of=moved.get(block.of, -1))
        else:
            block = replace(block, index=k)
        made.append(block)
    for d in found:
        d.block = moved.get(d.block, d.block)
    tables: list[tuple[int, Mapping[str, Macro]]] = []
    for start, known in document.macros:
        at = next((k for k, old in enumerate(olds) if old >= start), len(olds))
        tables.append((0 if start == 0 else at, known))
    return replace(document, blocks=tuple(made), macros=tuple(tables))


# --- ignore and expect ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Reach:
    """Lines that an ignore or an expectation is about."""

    path: str
    cell: int | None
    first: int
    last: int

    def covers(self, f: Finding) -> bool:
        same = f.place.path == self.path and f.place.cell == self.cell
        return same and f.place.line <= self.last and max(f.end_line, f.place.line) >= self.first


def applied(document: Document, findings: Sequence[Finding]) -> list[Finding]:
    """The findings after every declaration has done its work; what did nothing has a fault from here on."""
    result = list(findings)
    for d in document.declarations:
        if d.kind in ("ignore", "expect") and d.fault is None:
            near = _near(document, d, result)
            (_ignore if d.kind == "ignore" else _expect)(d, near)
        elif d.kind == "off":
            result += [f for f in d.findings if f not in result]
        if not d.used and d.fault is None and d.block >= 0:
            d.fault = _unused(d)
    return sorted(result, key=lambda f: document.order(f.place))


def _unused(d: Declaration) -> str:
    if d.kind in ("ignore", "expect"):
        return f"{d.text!r} has nothing to act on"
    if d.kind in ("off", "on"):
        return f"{d.text!r} takes out nothing: there is no formula and no code in its region"
    return f"{d.text!r} is about nothing that occurs in an equation that was read"


def _near(document: Document, d: Declaration, findings: Sequence[Finding]) -> list[Finding]:
    if d.block < 0:
        return [f for f in findings if f.place.path == d.only]
    for reach in _reaches(document, d):
        near = [f for f in findings if reach.covers(f)]
        if d.in_code and d.alone and near:
            line = min(f.place.line for f in near)
            near = [f for f in near if f.place.line == line]
        if near:
            return near
    return []


def _reaches(document: Document, d: Declaration) -> Iterator[_Reach]:
    """Where an entry looks, nearest first: its own paragraph from its line on, else the next one up to a heading."""
    own = document.blocks[d.block]
    line, cell, path = d.place.line, d.place.cell, d.place.path
    if d.in_code:
        yield _Reach(path, cell, line + 1, own.end_line) if d.alone else _Reach(path, cell, line, line)
        return
    for block in document.blocks[d.block + 1 :]:
        if isinstance(block, Heading):
            return
        if isinstance(block, HtmlComment | Given):
            continue
        place = block.place
        inside = place.path == path and place.cell == cell and place.line <= line <= block.end_line
        yield _Reach(place.path, place.cell, line if inside else place.line, block.end_line)


def _code(f: Finding) -> str:
    """The code of a finding; of one without, its status."""
    return f.code or ("false-claim" if f.status == "refuted" else f.status)


def _ignore(d: Declaration, near: Sequence[Finding]) -> None:
    taken = [f for f in near if f.status in IGNORED and _code(f) in d.codes]
    found = {_code(f) for f in taken}
    for f in taken:
        f.notes = (*f.notes, f"was {f.status}: {f.reason or f.code}")
        f.status, f.reason, f.suggestion = "skipped", f"ignored: {d.reason}", None
        f.silenced = Silenced("ignored", d.reason or "")
        if f.kind == "definition":
            f.kind = "claim"
    d.findings, d.used = taken, bool(taken)
    missing = [c for c in d.codes if c not in found]
    if missing:
        there = sorted({f"{_code(f)} ({f.status}, line {f.place.line})" for f in near if f.status in IGNORED})
        d.fault = f"{d.text!r}: needed a finding with the code {', '.join(missing)}, found {', '.join(there) or 'none'}"


def _expect(d: Declaration, near: Sequence[Finding]) -> None:
    taken = [f for f in near if f.status == d.value]
    for f in taken:
        f.notes = (*f.notes, f"expected to be {d.value}: {d.reason}")
        f.silenced = Silenced("expected", d.reason or "")
    d.findings, d.used = taken, bool(taken)
    if not taken:
        there = ", ".join(f"{f.status} (line {f.place.line})" for f in near if f.status != "defined")
        d.fault = f"{d.text!r}: needed something {d.value} here, found {there or 'no claim'}"
