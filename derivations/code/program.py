"""The Python of a document as one program: its blocks in order, lifted value by value; nothing is executed."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from textwrap import dedent

from derivations.documents.formats.python_code import NotPython, as_program, parse
from derivations.documents.model.document import Code, Comment, Document, Place
from derivations.lifting.interpreter.interpret import Interpreter, Record
from derivations.lifting.symbolic.not_lifted import NotLifted
from derivations.lifting.symbolic.scope import Scope

MAX_LISTED = 200
"""Most lines of a function that are kept with what was found about it."""
SHAPED = frozenset(
    {
        "randn",
        "rand",
        "ones",
        "zeros",
        "empty",
        "full",
        "eye",
        "arange",
        "normal",
        "uniform",
        "random",
        "view",
        "reshape",
    }
    | {"standard_normal", "Linear", "Embedding", "LayerNorm", "RMSNorm", "range", "expand", "tri", "randint", "chunk"}
    | {"split", "linspace", "tile", "repeat", "identity"}
)
"""Calls whose whole-number arguments are sizes."""
UNFINISHED = re.compile(
    r"^[^#]*#.*\b(?:TO ?DO|FIXME|replace th(?:is|ese) (?:\w+ )?lines?|fill in|to be completed|"
    r"(?:your|student) (?:code|solution|answer|implementation)(?: (?:goes )?here)?|(?:code|solution) goes here)\b",
    re.IGNORECASE,
)
"""Comments that say that the code is an exercise which is still to be solved."""


@dataclass
class Program:
    """The lifted program: its interpreter, and what each block looks like."""

    interpreter: Interpreter
    blocks: dict[int, Code] = field(default_factory=dict)
    trees: dict[int, ast.Module] = field(default_factory=dict)
    unfinished_lines: dict[int, frozenset[int]] = field(default_factory=dict)

    def place(self, block: int, line: int, column: int = 1) -> Place:
        """The place in the document of a line of a block."""
        text = self.blocks[block].text
        k = min(max(line, 1), len(text.origins)) - 1
        own, first = text.origins[k]
        return Place(text.path, text.cell, own, first + max(column, 1) - 1)

    def source(self, block: int, node: ast.AST) -> str:
        """The text of a statement; of a function or class its first line."""
        lines = self.blocks[block].text.text.split("\n")
        start, end = getattr(node, "lineno", 1), getattr(node, "end_lineno", 1)
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            end = start
        return "\n".join(lines[start - 1 : end]).strip()

    def listing(self, block: int, node: ast.AST) -> str | None:
        """All lines of a function or class, from the margin; None for another statement, of which `source` is all."""
        if not isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            return None
        lines = self.blocks[block].text.text.split("\n")[node.lineno - 1 : node.end_lineno]
        if len(lines) > MAX_LISTED:
            lines = [*lines[:MAX_LISTED], f"{' ' * (node.col_offset + 4)}...  # {len(lines) - MAX_LISTED} lines more"]
        return dedent("\n".join(lines)).strip("\n")

    def function_around(self, block: int, node: ast.AST) -> ast.FunctionDef | None:
        """The innermost function of a block that a statement stands in."""
        functions = [f for f in ast.walk(self.trees[block]) if isinstance(f, ast.FunctionDef)]
        around = [f for f in functions if any(n is node for n in ast.walk(f))]
        return max(around, key=lambda f: f.lineno, default=None)

    def comments(self, block: int, node: ast.AST) -> list[Comment]:
        """The comments on the lines of a statement, and those alone on the lines just before it."""
        found = []
        start, end = getattr(node, "lineno", 1), getattr(node, "end_lineno", 1)
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            end = start
        first = self.place(block, start).line
        last = self.place(block, end).line
        alone = {c.place.line for c in self.blocks[block].comments if c.alone}
        while first - 1 in alone:
            first -= 1
        for c in self.blocks[block].comments:
            if first <= c.place.line <= last:
                found.append(c)
        return found

    def comments_inside(self, block: int, node: ast.FunctionDef) -> tuple[list[Comment], list[Comment]]:
        """The comments of a function that stand before its first statement, where it has no docstring, and all others."""
        first = self.place(block, node.body[0].lineno).line
        start, last = self.place(block, node.lineno).line, self.place(block, node.end_lineno or node.lineno).line
        inside = [c for c in self.blocks[block].comments if start < c.place.line <= last]
        has_docstring = ast.get_docstring(node) is not None
        head = [] if has_docstring else [c for c in inside if c.alone and c.place.line < first]
        return head, [c for c in inside if c not in head]

    def is_first_of_several(self, block: int, node: ast.AST) -> bool:
        """Whether a comment stands alone above an assignment, and the next line, without one, works on with what it stores."""
        if not isinstance(node, ast.Assign | ast.AnnAssign) or not all(c.alone for c in self.comments(block, node)):
            return False
        stored = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        after = next((n for n in self._pairs(block) if n[0] is node), (node, node))[1]
        used = {n.id for n in ast.walk(after) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
        is_next = after.lineno == (node.end_lineno or node.lineno) + 1
        return is_next and bool(used & stored) and not self.comments(block, after)

    def _pairs(self, block: int) -> Iterator[tuple[ast.stmt, ast.stmt]]:
        """The statements of a block, each with the one after it."""
        for node in ast.walk(self.trees[block]):
            for body in (getattr(node, "body", None), getattr(node, "orelse", None)):
                if isinstance(body, list):
                    yield from pairwise(body)

    def is_only_used(self, record: Record) -> bool:
        """Whether a value of a part of a file is only there for the function or class that the part is about."""
        subject = self.blocks[record.block].subject if record.block in self.blocks else ""
        own = isinstance(record.node, (ast.FunctionDef, ast.ClassDef)) and record.node.name == subject
        return bool(subject) and record.function is None and not own

    def is_unfinished(self, block: int, node: ast.AST) -> bool:
        """Whether a statement stands in an exercise that is not solved yet."""
        start, end = getattr(node, "lineno", 1), getattr(node, "end_lineno", 1)
        marked = self.unfinished_lines.get(block, frozenset())
        if isinstance(node, ast.FunctionDef):
            return any(start <= k <= end for k in marked) or empty_body(node)
        if isinstance(node, ast.ClassDef):
            return any(start <= k <= end for k in marked)
        outside = marked - {
            k
            for s in ast.walk(self.trees[block])
            if isinstance(s, (ast.FunctionDef, ast.ClassDef))
            for k in range(s.lineno, (s.end_lineno or s.lineno) + 1)
        }
        return bool(outside)


def empty_body(node: ast.FunctionDef) -> bool:
    """Nothing but a docstring, `pass`, `...` or `raise NotImplementedError`."""
    return all(
        isinstance(s, (ast.Pass, ast.Raise)) or (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))
        for s in node.body
    )


def size_names(trees: Iterable[ast.Module]) -> frozenset[str]:
    """Names of the module that hold a whole number and are used as sizes."""
    whole: set[str] = set()
    used: set[str] = set()
    own = {s.name for t in trees for s in ast.walk(t) if isinstance(s, (ast.FunctionDef, ast.ClassDef))}
    for tree in trees:
        for s in tree.body:
            if isinstance(s, ast.Assign):
                for target in s.targets:
                    pairs = [(target, s.value)]
                    if isinstance(target, ast.Tuple) and isinstance(s.value, ast.Tuple):
                        pairs = list(zip(target.elts, s.value.elts, strict=False))
                    whole |= {
                        t.id
                        for t, v in pairs
                        if isinstance(t, ast.Name) and isinstance(v, ast.Constant) and type(v.value) is int
                    }
        used |= names_used_as_sizes(tree, own)
    return frozenset(whole & used)


def is_state(f: ast.FunctionDef, name: str, node: ast.stmt) -> bool:
    """Whether a statement in a loop gives a variable of a function a new value, and no `return` gives the variable back."""
    in_loop = any(isinstance(s, (ast.For, ast.While)) and any(n is node for n in ast.walk(s)) for s in ast.walk(f))
    targets = [t for n in ast.walk(node) if isinstance(n, (ast.Assign, ast.AugAssign)) for t in _targets(n)]
    plain = any(isinstance(t, ast.Name) and t.id == name for t in targets)
    used = any(isinstance(n, ast.Name) and n.id == name for v in _values_returned(f) for n in ast.walk(v))
    return in_loop and plain and used and name not in names_returned(f)


def names_returned(f: ast.FunctionDef) -> frozenset[str]:
    """The names whose values a function gives back as they are, perhaps several of them."""
    return frozenset(v.id for v in _values_returned(f) if isinstance(v, ast.Name))


def _values_returned(f: ast.FunctionDef) -> list[ast.expr]:
    returned = [s.value for s in ast.walk(f) if isinstance(s, ast.Return) and s.value is not None]
    return [v for r in returned for v in (r.elts if isinstance(r, ast.Tuple) else [r])]


def _targets(s: ast.Assign | ast.AugAssign) -> list[ast.expr]:
    found = s.targets if isinstance(s, ast.Assign) else [s.target]
    return [e for t in found for e in (t.elts if isinstance(t, (ast.Tuple, ast.List)) else [t])]


def names_used_as_sizes(tree: ast.AST, own: Iterable[str] = ()) -> set[str]:
    """Names inside the arguments of calls that take sizes."""
    found: set[str] = set()
    for n in ast.walk(tree):
        if isinstance(n, ast.Call):
            name = (
                n.func.attr if isinstance(n.func, ast.Attribute) else n.func.id if isinstance(n.func, ast.Name) else ""
            )
            if name in SHAPED or name in own:
                arguments = [*n.args, *(k.value for k in n.keywords)]
                found |= {x for a in arguments for x in _numbers_in(a)}
    return found


def _numbers_in(node: ast.AST) -> Iterator[str]:
    """The names in an expression, but for arrays of which only a length is taken: `x.size(0)`, `len(x)`."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.attr in ("shape", "size", "ndim"):
        return
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "len":
        return
    if isinstance(node, ast.Name):
        yield node.id
    for child in ast.iter_child_nodes(node):
        yield from _numbers_in(child)


BLOCK_WORK, MAX_WORK = 20_000, 80_000
"""Counted work of lifting one block of code and all blocks of a document."""


def lifted(document: Document, is_given: Callable[[str, int, int], bool] | None = None) -> Program:
    """Read and lift all Python blocks of a document, in document order.

    A variable that the document takes as given (name, number of axes, block) is an input, whatever the code computes it
    from: the document's equations speak of any value of it.
    """
    program = Program(Interpreter(Scope()))
    for block in document.code:
        if not block.is_python:
            continue
        try:
            tree = parse(block.text.text)
        except NotPython:
            continue
        tree.body = list(as_program(tree.body))
        lines = block.text.text.split("\n")
        program.blocks[block.index], program.trees[block.index] = block, tree
        program.unfinished_lines[block.index] = frozenset(k for k, x in enumerate(lines, 1) if UNFINISHED.search(x))
    interpreter = program.interpreter
    interpreter.size_names = size_names(list(program.trees.values()))
    interpreter.is_given = is_given
    interpreter.unfinished = lambda block, node: program.is_unfinished(block, node)
    left = MAX_WORK
    for index, tree in program.trees.items():
        interpreter.block = index
        interpreter.scope.work = granted = min(left, BLOCK_WORK)
        interpreter.run(tree.body)
        left -= granted - max(interpreter.scope.work, 0)
    return program


__all__ = ["NotLifted", "Program", "Record", "lifted"]
