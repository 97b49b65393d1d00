"""Functions that no name and no number links to an equation: those beside their equation, methods, and how to link others.

An equation beside a function is one that stands between it and the code before it, or defines what the sentence before the
code names.  What the function computes may be one of them, so that a proof counts; a difference tells nothing, unless it is
one slip (`slips_beside`).  A function of which nothing is known then is named, with the comment that would link it, so that
none is silently left out.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from derivations.code.citations import numbers_in
from derivations.code.compare.document_symbols import Target
from derivations.code.judgement_context import Candidate, Context, Judged, finding_at
from derivations.code.linked_symbols import candidates_of, explicit_target, texts_beside
from derivations.documents.formats.python_file import has_mathematics
from derivations.documents.model.document import CLOSE, OPEN, Prose, sentences
from derivations.documents.model.finding import Finding
from derivations.lifting.interpreter.interpret import Record
from derivations.lifting.values.python_values import Class, Function

MAX_BESIDE = 6
"""Most symbols beside a function that it is compared with, and most sides of other equations."""
ONLY_PROVED = frozenset({"guess", "several", "beside"})
"""Links that tell what a value may compute, of which only a proof counts."""


def methods_of(record: Record) -> Iterator[Record]:
    """The methods of a class that are not what its objects do when they are called, each as a value of its own."""
    if not isinstance(record.value, Class) or not isinstance(record.node, ast.ClassDef):
        return
    own = record.value
    called = own.entry.node if own.entry is not None else None
    for node in record.node.body:
        if isinstance(node, ast.FunctionDef) and node is not called and not node.name.startswith("_"):
            if isinstance(own.member(node.name), Function) and not node.decorator_list and _returns(node):
                yield replace(record, name=f"{own.name}.{node.name}", value=replace(own, method=node.name), node=node)


def _returns(node: ast.AST) -> bool:
    return any(isinstance(n, ast.Return) and n.value is not None for n in ast.walk(node))


def targets_beside(context: Context, record: Record) -> list[Target]:
    """The symbol that the sentence before the code names, those whose equations stand between a function and the code before
    it, the last one first, then the sides of other equations there."""
    blocks = context.document.blocks
    if record.function is not None or not record.block < len(blocks):
        return []
    named = _named_before(context, record)
    return [*named, *(t for t in _between(context, record) if t not in named)]


def _named_before(context: Context, record: Record) -> list[Target]:
    """The only symbol that the last sentence before the code names: "so that $R$ is a single call:"."""
    before = context.document.blocks[record.block - 1] if record.block else None
    if not isinstance(before, Prose) or not before.spans:
        return []
    sentence = (sentences(before.words) or [""])[-1]
    written = {span.source.strip() for span in before.spans if f"{OPEN}{span.index}{CLOSE}" in sentence}
    own = [t for t in context.symbols.targets if t.block < record.block and t.stem not in context.by_stem]
    named = [t for t in own if t.finding.display.get(t.head) in written]
    return named[-1:] if len({t.stem for t in named}) == 1 else []


def _between(context: Context, record: Record) -> list[Target]:
    """The symbols and the sides of equations between a function and the code before it."""
    blocks = context.document.blocks
    section = blocks[record.block].section
    before = sorted({n for n in context.program.trees if n < record.block}, reverse=True)
    end = record.block
    for start in (*before, -1):
        here: list[Target] = []
        for every in (context.symbols.targets, context.symbols.stated):
            own = [t for t in every if start < t.block < end and t.stem not in context.by_stem]
            own = [t for t in own if blocks[t.block].section == section]
            here += sorted(own, key=lambda t: (t.block, t.finding.span), reverse=True)[:MAX_BESIDE]
        if here:
            return here
        end = start
    return []


def candidates_beside(context: Context, record: Record) -> list[Candidate]:
    """The equations beside a function that nothing else links to one."""
    return [Candidate(record, t, "beside") for t in targets_beside(context, record)]


def findings_of_unlinked_functions(
    context: Context, judged: Iterable[Judged], found: Collection[Finding]
) -> Iterator[Finding]:
    """A finding for each function or class of the document that is compared with nothing, or of which nothing is known.

    `found` are the findings about values of the code.  What a function computes that another one calls is seen there.
    """
    if not context.symbols.targets and not context.numbered.unread:
        return
    program, records = context.program, context.program.interpreter.records
    spots = [(j.candidate.record.block, j.candidate.record.node) for j in judged]
    lines = {(f.place.cell, f.place.line) for f in found}
    used = {n for _, node in spots for n in _names_in(node)}
    for r in (x for own in records for x in (own, *methods_of(own))):
        node = r.node
        if r.function is not None or not isinstance(node, (ast.FunctionDef, ast.ClassDef)) or program.is_only_used(r):
            continue
        last = node.end_lineno or node.lineno
        inside = any(b == r.block and node.lineno <= n.lineno <= last for b, n in spots)
        own = (program.place(r.block, k) for k in range(node.lineno, last + 1))
        if inside or any((p.cell, p.line) in lines for p in own) or has_part_of_its_own(context, r):
            continue
        is_method = isinstance(r.value, Class) and r.value.method is not None
        if why := _why_open(context, r):
            yield finding_at(context, r, "undecided", *why)
        elif not is_method and r.name not in used and _computes(r) and explicit_target(context, r) is None:
            yield finding_at(context, r, "skipped", "unlinked", how_to_link(context, r))


def _why_open(context: Context, record: Record) -> tuple[str, str] | None:
    """Code and text for a function whose words cite an equation that it could not be compared with."""
    open_ones = [c.target for c in candidates_of(context, record) if c.link == "several"]
    if open_ones:
        lines = sorted({t.finding.place.line for t in open_ones})
        count = len({t.finding.position for t in open_ones})
        where = f"line {lines[0]}" if len(lines) == 1 else f"lines {lines[0]} to {lines[-1]}"
        return (
            "unlinked",
            f"the number stands beside {count} equations ({where}), none of which is proved: say which is meant",
        )
    for text in texts_beside(context, record):
        for _, number in numbers_in(text, context.numbered.unread, alone=True):
            why = context.numbered.unread[number].reason or "no reason is known"
            return "unread-equation", f"the equation ({number}) was not read: {why}"
    return None


def has_part_of_its_own(context: Context, record: Record) -> bool:
    """Whether a function or class of a Python file is studied by itself, with what its docstrings say."""
    others = (s for s in context.program.trees[record.block].body if not isinstance(s, (ast.Import, ast.ImportFrom)))
    scopes = (n for n in ast.walk(record.node) if isinstance(n, (ast.FunctionDef, ast.ClassDef)))
    says = any(has_mathematics((ast.get_docstring(n) or "").split("\n")) for n in scopes)
    is_file = context.program.blocks[record.block].text.path.endswith(".py")
    return is_file and says and any(s is not record.node for s in others)


def _computes(record: Record) -> bool:
    """Whether a function makes a value out of what it is given, or the objects of a class do."""
    entry = record.node if isinstance(record.value, Function) else record.value.entry
    node = entry.node if isinstance(entry, Function) else entry
    if not isinstance(node, ast.FunctionDef):
        return False
    named = [a.arg for a in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs) if a.arg != "self"]
    return bool(named) and _returns(node)


def _names_in(node: ast.AST) -> set[str]:
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}


def how_to_link(context: Context, record: Record) -> str:
    """What an author may write before a function to say what it computes."""
    beside = len({t.finding.position for t in targets_beside(context, record)})
    before = "the equation" if beside == 1 else f"one of the {beside} equations"
    told = f", and it is not proved to be {before} before it" if beside else ""
    link = f"check: {record.name} = LATEX"
    is_file = context.program.blocks[record.block].text.path.endswith(".py")
    where = f"a line `{link}` in a docstring" if is_file else f"`<!-- {link} -->` before the code"
    return f"nothing links it to an equation{told}; {where} does"


__all__ = [
    "ONLY_PROVED",
    "candidates_beside",
    "findings_of_unlinked_functions",
    "has_part_of_its_own",
    "methods_of",
]
