"""The code cells of a document, ready to run: magics left out, shell commands never run, tags obeyed; and in which order."""

from __future__ import annotations

import ast
import re
import symtable
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from derivations.documents.formats.python_code import as_program
from derivations.documents.model.document import Code, Document

from .process import Cell

SKIP_TAGS = frozenset(
    {"skip", "skip-execution", "skip_execution", "derivations-skip", "no-execute", "raises-exception-skip"}
)
"""Tags of a cell that is not run."""
HARMLESS = frozenset({"time", "capture", "prun"})
"""Cell magics whose cell is run as if they were not there."""
_SKIP_OPTION = re.compile(r"^#\|\s*(?:eval|execute)\s*:\s*false\b", re.MULTILINE | re.IGNORECASE)
_CELL_MAGIC = re.compile(r"^\s*%%(\w+)(.*)$", re.MULTILINE)
_TIMED = re.compile(r"^([ \t]*)%(?:time|prun)[ \t]+(?=\S)", re.MULTILINE)
_ESCAPED = re.compile(r"^([ \t]*)(?:[%!](?:[^\n\\]|\\\n|\\(?!\n))*|\?{1,2}[\w.]+|[\w.]+\?{1,2}[ \t]*)$", re.MULTILINE)
_ESCAPED_VALUE = re.compile(r"^([ \t]*)[A-Za-z_][\w, ]*=[ \t]*[%!][^\n]*$", re.MULTILINE)
_SHELL = re.compile(r"^[ \t]*(?:[A-Za-z_][\w, ]*=[ \t]*)?!", re.MULTILINE)
NOT_RUN = 'raise RuntimeError("shell commands and magics are never run")'


@dataclass
class Prepared:
    """A code block and what is run of it; `skipped` says why nothing is (code, reason)."""

    block: Code
    cell: Cell
    tree: ast.Module | None
    skipped: tuple[str, str] | None = None
    loads: frozenset[str] = frozenset()
    escaped: bool = False
    """Whether shell commands were left out, so that some of its output cannot come."""

    @property
    def statements(self) -> list[ast.stmt]:
        return self.tree.body if self.tree is not None else []

    def source(self, line: int) -> str:
        """The statement of the cell that begins at a line."""
        for node in [n for s in self.statements for n in ast.walk(s)]:
            if isinstance(node, ast.stmt) and node.lineno == line:
                return ast.get_source_segment(self.cell.source, node) or ""
        lines = self.cell.source.split("\n")
        return lines[line - 1] if 1 <= line <= len(lines) else ""

    def statement(self, line: int) -> ast.stmt | None:
        """The innermost statement that begins at a line."""
        found = [n for n in self.statements for n in ast.walk(n) if isinstance(n, ast.stmt) and n.lineno == line]
        return found[-1] if found else None


def prepare(document: Document) -> list[Prepared]:
    """All code blocks of a document, in document order."""
    return [_prepared(block) for block in document.code]


def _prepared(block: Code) -> Prepared:
    source, silent, escaped = block.text.text, False, False
    skipped: tuple[str, str] | None = None
    if not block.is_python:
        skipped = ("other-language", f"code in {block.language or 'a language that is not named'} is not run")
    elif SKIP_TAGS & set(block.cell_tags):
        skipped = ("tagged", f"the cell is tagged {', '.join(sorted(SKIP_TAGS & set(block.cell_tags)))}")
    elif _SKIP_OPTION.search(source):
        skipped = ("tagged", "the cell says that it is not evaluated")
    magic = _CELL_MAGIC.match(source) if block.is_python else None
    if magic is not None and magic.group(1) not in HARMLESS:
        skipped = skipped or ("cell-magic", f"cells with %%{magic.group(1)} are not run")
    elif magic is not None:
        silent = magic.group(1) == "capture"
        source = source[: magic.start()] + "\n" * magic.group().count("\n") + source[magic.end() :]
    tree = None
    if skipped is None:
        tree = _parsed(source)
        if tree is None:
            plain = without_escapes(source)
            escaped = _SHELL.search(source) is not None
            source, tree = plain, _parsed(plain)
    loads = (
        frozenset(n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load))
        if tree
        else ()
    )
    return Prepared(block, Cell(block.index, source, silent), tree, skipped, frozenset(loads), escaped)


def without_escapes(source: str) -> str:
    """The source with the lines of the notebook's front end replaced; every other line keeps its number.

    >>> without_escapes("%time x = 1\\n!ls\\ny = !ls")
    'x = 1\\npass\\nraise RuntimeError("shell commands and magics are never run")'
    """
    source = _TIMED.sub(r"\1", source)
    source = _ESCAPED_VALUE.sub(lambda m: m.group(1) + NOT_RUN, source)
    return _ESCAPED.sub(lambda m: f"{m.group(1)}pass" + "\n" * m.group().count("\n"), source)


def _parsed(source: str) -> ast.Module | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    tree.body = [*as_program(tree.body)]
    return tree


def in_counted_order(prepared: Sequence[Prepared]) -> list[Prepared] | None:
    """The executed cells in the order of their execution counts; None when the document's order is the same."""
    counted = [p for p in prepared if p.block.execution_count is not None and p.skipped is None]
    ordered = sorted(counted, key=lambda p: p.block.execution_count or 0)
    runnable = [p for p in prepared if p.skipped is None and p.block.text.text.strip()]
    return ordered if counted and ordered != runnable else None


# --- what depends on what -------------------------------------------------------------------------------------------


def stored(node: ast.AST) -> set[str]:
    """The names that code may change: assigned, imported, defined, written into, or handed to a call."""
    names: set[str] = set()
    for n in ast.walk(node):
        if isinstance(n, ast.Name) and isinstance(n.ctx, (ast.Store, ast.Del)):
            names.add(n.id)
        elif isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.add(n.name)
        elif isinstance(n, ast.alias):
            names.add((n.asname or n.name).partition(".")[0])
        elif isinstance(n, (ast.Attribute, ast.Subscript)) and isinstance(n.ctx, (ast.Store, ast.Del)):
            names |= _base(n)
    return names


def _base(node: ast.expr) -> set[str]:
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    return {node.id} if isinstance(node, ast.Name) else set()


def loaded(node: ast.AST) -> set[str]:
    """The names that code reads; a function or a class reads neither its parameters nor its own variables.

    >>> sorted(loaded(ast.parse("def f(x): return a * x + f(x - 1)").body[0]))
    ['a', 'f']
    """
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        try:
            return set(_read_in(symtable.symtable(ast.unparse(node), "a function", "exec"), is_outside=True))
        except (SyntaxError, RecursionError):  # what Python does not compile reads everything that it names
            pass
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}


def _read_in(table: symtable.SymbolTable, *, is_outside: bool) -> Iterator[str]:
    """The global names that a block of code, and the blocks inside it, read."""
    yield from (s.get_name() for s in table.get_symbols() if s.is_referenced() and (is_outside or s.is_global()))
    for inside in table.get_children():
        yield from _read_in(inside, is_outside=False)


@dataclass
class Doubts:
    """Names whose values in the run may not be those of the document: what made them failed, or was not run."""

    names: dict[str, str] = field(default_factory=dict)
    """A name and why it is in doubt."""
    reads: dict[str, set[str]] = field(default_factory=dict)
    """What the functions and classes read."""
    modules: set[str] = field(default_factory=set)

    def reasons(self, names: set[str]) -> Iterator[str]:
        """Why any of the names is in doubt."""
        seen: set[str] = set()
        waiting = sorted(names)
        while waiting:
            name = waiting.pop()
            if name in seen:
                continue
            seen.add(name)
            if name in self.names:
                yield self.names[name]
            waiting += sorted(self.reads.get(name, ()))

    def take(self, statement: ast.stmt, failed: str | None) -> None:
        """Go on to the next statement; `failed` says why it was not executed to its end."""
        own, read = stored(statement), loaded(statement)
        if isinstance(statement, (ast.Import, ast.ImportFrom)):
            self.modules |= own
        if isinstance(statement, ast.AugAssign):
            read = read | own
        if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
            for name in own:
                self.reads[name] = read
        if failed is not None:  # what its calls were about to change: `optimizer.step()`
            calls = [n.func for n in ast.walk(statement) if isinstance(n, ast.Call)]
            own |= {b for c in calls if isinstance(c, ast.Attribute) for b in _base(c)} - self.modules
        reason = failed or next(self.reasons(read), None)
        for name in own:
            if reason is not None:
                self.names.setdefault(name, reason)
            elif not isinstance(statement, (ast.For, ast.While, ast.If, ast.Try, ast.With)):
                self.names.pop(name, None)
