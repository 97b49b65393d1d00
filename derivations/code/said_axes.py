"""What the document says of the axes of a function's parameters: calls, annotations, docstrings and comments.

An equation speaks of one sequence, and the function may get a batch of them: `# x: (B, T, d)`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from derivations.code.compare.spelling import BATCHES, spelled
from derivations.code.program import Program
from derivations.lifting.interpreter.interpret import Record
from derivations.lifting.operations.table import Value
from derivations.lifting.symbolic.arrays import Array

_AXIS = r"(?:[A-Za-z_][\w.]*+|\d++)(?:\s*+(?:\*|//?|\+|-)\s*+(?:[A-Za-z_][\w.]*+|\d++))*+"
AXES = re.compile(rf"[(\[]\s*+({_AXIS}(?:\s*+[,x×]\s*+{_AXIS})++)\s*+,?\s*+[)\]]")
"""The axes of an array, as people write them: `(B, T, C)`, `[batch, heads, len, d_k]`."""
_TELLS = re.compile(r"[:=]|\b(?:is|are|has|have|shape|shaped|size|sizes|of|gets|takes|dim|dims)\b|-|–|—", re.IGNORECASE)
"""What stands between a name and its axes."""
_ALONE = re.compile(r"\s*+(?:(?:->|→|=>|shapes?|size|of|is|becomes|now|:|=)\s*+)*+", re.IGNORECASE)
"""What may stand before the axes in a comment that says nothing else."""
MADE = frozenset({"randn", "rand", "zeros", "ones", "empty", "standard_normal"})
"""Calls that make an array with as many axes as they have arguments."""


@dataclass(frozen=True)
class SaidAxes:
    """The axes of the parameters of a function, and how many the names have that it gives values to, as far as it is said."""

    parameters: Mapping[str, tuple[str, ...]]
    """What the axes of each parameter are called, the empty string where nothing tells."""
    inside: Mapping[tuple[str, int], int]
    """Name and line of a statement in the function -> axes of the value."""

    def __bool__(self) -> bool:
        return bool(self.parameters or self.inside)

    def leading(self, name: str, own: Sequence[str]) -> int:
        """How many axes of a parameter come before those that the equation calls `own`; 0 where they come after."""
        axes = self.parameters.get(name, ())
        if len(axes) <= len(own) or (_alike(axes, own) and not _alike(axes[len(axes) - len(own) :], own)):
            return 0
        return len(axes) - len(own)

    def is_sure(self, name: str, own: Sequence[str]) -> bool:
        """Whether the names of the axes say that the ones before those of the equation count a batch."""
        axes = self.parameters.get(name, ())
        first = axes[0] if axes else ""
        return _alike(axes[len(axes) - len(own) :], own) or spelled(first) in BATCHES


def _alike(axes: Sequence[str], own: Sequence[str]) -> bool:
    """Whether axes, from the first one on, are called as those of the equation."""
    return bool(own) and all(spelled(a) == spelled(b) for a, b in zip(axes, own, strict=False))


def axes_in(text: str) -> list[tuple[str, list[str]]]:
    """Each list of axes in a line, with what stands before it.

    >>> axes_in("q, k: (B, T, d) and v is [B, T, e]")
    [('q, k: ', ['B', 'T', 'd']), (' and v is ', ['B', 'T', 'e'])]
    >>> axes_in("attention(q)")
    []
    """
    found, start = [], 0
    for m in AXES.finditer(text):
        found.append((text[start : m.start()], [a.strip() for a in re.split(r"\s[x×]\s|,|×", m.group(1))]))
        start = m.end()
    return found


def said_in(text: str, names: Iterable[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The names to which a line gives axes, and what these are called.

    >>> dict(said_in("x: (B, T, d), weights of (d, d)", ["x", "d"]))
    {'x': ('B', 'T', 'd')}
    """
    names = set(names)
    for before, axes in axes_in(text):
        words = re.findall(r"[A-Za-z_]\w*", before)
        known = [w for w in words if w in names]
        if known and not names >= set(axes) and _TELLS.search(before[before.rindex(known[-1]) + len(known[-1]) :]):
            yield from ((name, _kept(axes)) for name in known)


def said_axes(program: Program, record: Record, entry: ast.FunctionDef, known: Mapping[str, Value]) -> SaidAxes:
    """What is said of the parameters of a function, or of the `entry` of a class, and of the names inside it."""
    arguments = [*entry.args.posonlyargs, *entry.args.args, *entry.args.kwonlyargs]
    names = [a.arg for a in arguments if a.arg != "self"]
    said = [found for line in _words(program, record, entry) for found in said_in(line, names)]
    said += [(a.arg, _annotated(a.annotation)) for a in arguments]
    said += _passed(program, record, names, known)
    parameters: dict[str, tuple[str, ...]] = {}
    for name, axes in said:
        if len(axes) > len(parameters.get(name, ())):
            parameters[name] = axes
    return SaidAxes(parameters, dict(_inside(program, record, entry)))


def _words(program: Program, record: Record, entry: ast.FunctionDef) -> Iterator[str]:
    """The lines of the docstrings, and the comments that stand alone or beside the name of the function."""
    if isinstance(record.node, ast.ClassDef):
        yield from (ast.get_docstring(record.node) or "").split("\n")
    yield from (ast.get_docstring(entry) or "").split("\n")
    yield from (c.text for c in program.comments(record.block, record.node))
    stated = {n.lineno for s in entry.body for n in ast.walk(s) if isinstance(n, ast.stmt)}
    for line, text in _comments(program, record, entry):
        if line not in stated:
            yield text


def _comments(program: Program, record: Record, node: ast.FunctionDef) -> Iterator[tuple[int, str]]:
    """The comments on the lines of a function, by the line of the block."""
    origins = program.blocks[record.block].text.origins
    lines = {origins[k - 1][0]: k for k in range(node.lineno, min(node.end_lineno or node.lineno, len(origins)) + 1)}
    for c in program.blocks[record.block].comments:
        if c.place.line in lines:
            yield lines[c.place.line], c.text


def _inside(program: Program, record: Record, entry: ast.FunctionDef) -> Iterator[tuple[tuple[str, int], int]]:
    """The comments beside assignments that say nothing but axes."""
    beside = dict(_comments(program, record, entry))
    for s in ast.walk(entry):
        if isinstance(s, ast.Assign) and len(s.targets) == 1 and isinstance(s.targets[0], ast.Name):
            found = axes_in(beside.get(s.end_lineno or s.lineno, ""))
            if len(found) == 1 and _ALONE.fullmatch(found[0][0]):
                yield (s.targets[0].id, s.lineno), len(_kept(found[0][1]))


def _kept(axes: Iterable[str]) -> tuple[str, ...]:
    """The axes without those of length 1: a column is a vector."""
    return tuple(a for a in axes if a != "1")


def _annotated(annotation: ast.expr | None) -> tuple[str, ...]:
    """The axes of an annotation such as `Float[Tensor, "batch len d"]`; none for others."""
    if isinstance(annotation, ast.Subscript) and isinstance(annotation.slice, ast.Tuple):
        last = annotation.slice.elts[-1]
        if isinstance(last, ast.Constant) and isinstance(last.value, str) and "..." not in last.value:
            return _kept(last.value.split())
    return ()


def _passed(
    program: Program, record: Record, names: list[str], known: Mapping[str, Value]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The axes of the arrays that the program passes to a function, or to an object of a class."""
    objects = {record.name} if isinstance(record.node, ast.FunctionDef) else set()
    calls = [n for tree in program.trees.values() for n in ast.walk(tree)]
    if not objects:
        for n in calls:
            if isinstance(n, ast.Assign) and _makes(n.value, record.name):
                objects |= {t.id for t in n.targets if isinstance(t, ast.Name)}
    for n in calls:
        if not isinstance(n, ast.Call):
            continue
        direct = isinstance(record.node, ast.ClassDef) and _makes(n.func, record.name)
        if direct or (isinstance(n.func, ast.Name) and n.func.id in objects):
            for name, node in [*zip(names, n.args, strict=False), *((k.arg or "", k.value) for k in n.keywords)]:
                if name in names:
                    yield name, _axes_of(node, known)


def _makes(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name


def _axes_of(node: ast.expr, known: Mapping[str, Value]) -> tuple[str, ...]:
    """The axes of an array of the program, called as the program calls its lengths."""
    if isinstance(node, ast.Name):
        value = known.get(node.id)
        shape = value.shape if isinstance(value, Array) else ()
        return tuple("" if "~" in str(i) or i.is_constant else str(i) for i in shape)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in MADE:
        sizes = node.args[0].elts if node.args and isinstance(node.args[0], ast.Tuple) else node.args
        if all(isinstance(a, (ast.Constant, ast.Name)) for a in sizes) and not node.keywords:
            return _kept(a.id if isinstance(a, ast.Name) else "1" if _is_one(a) else "" for a in sizes)
    return ()


def _is_one(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value == 1


__all__ = ["SaidAxes", "axes_in", "said_axes", "said_in"]
