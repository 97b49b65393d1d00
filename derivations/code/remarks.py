"""Remarks about a document's code that refute nothing: shadowed built-ins, values that are not used or out of date,
sizes that functions take from outside, code that does not parse, cells that were executed in another order than they stand."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from derivations.code.program import size_names
from derivations.documents.formats.python_code import NotPython, parse
from derivations.documents.model.document import Code, Document, Place
from derivations.documents.model.finding import Finding

SHADOWED = frozenset(name for name in dir(builtins) if name.islower() and not name.startswith("_")) - {
    "copyright",
    "credits",
    "license",
    "exit",
    "quit",
}
MAKERS = frozenset(
    """tensor array zeros ones rand randn empty arange linspace eye full normal softmax matmul einsum stack cat tril triu
    randint zeros_like ones_like Parameter mean sum exp""".split()  # noqa: SIM905
)
"""Calls whose result is a tensor."""


def code_remarks(document: Document) -> list[Finding]:
    """One finding for each remark: status `skipped`, the code says what it is about."""
    blocks: list[tuple[Code, ast.Module]] = []
    unread: list[Finding] = []
    for block in document.code:
        if block.is_python:
            try:
                blocks.append((block, parse(block.text.text)))
            except NotPython as error:
                unread.append(_not_python(block, error))
    if not blocks:
        return unread
    return [
        *unread,
        *_order(document),
        *_shadowed(blocks),
        *_outer_sizes(blocks),
        *_values(blocks, document.format == "markdown"),
    ]


def _not_python(block: Code, error: NotPython) -> Finding:
    text = block.text
    number = min(max(error.line, 1), len(text.origins))
    own, first = text.origins[number - 1]
    reason = f"nothing of this code is studied, it does not parse as Python: {error}"
    source = text.text.split("\n")[number - 1].strip()
    return Finding(
        "code", "skipped", Place(text.path, text.cell, own, first), own, source, code="syntax-error", reason=reason
    )


def _remark(block: Code, node: ast.stmt, code: str, reason: str) -> Finding:
    text = block.text
    lines = text.text.split("\n")
    own, first = text.origins[min(node.lineno, len(text.origins)) - 1]
    place = Place(text.path, text.cell, own, first + node.col_offset)
    return Finding("code", "skipped", place, own, lines[node.lineno - 1].strip(), code=code, reason=reason)


def _order(document: Document) -> Iterator[Finding]:
    """Execution counts that do not grow."""
    counted = [b for b in document.code if b.execution_count is not None]
    counts = [b.execution_count or 0 for b in counted]
    for k in range(1, len(counts)):
        if counts[k] < counts[k - 1]:
            place = counted[k].place
            listed = ", ".join(map(str, counts[:12])) + (", …" if len(counts) > 12 else "")
            reason = f"the cells were executed in another order than they stand (counts {listed})"
            source = counted[k].text.text.split("\n")[0]
            yield Finding("code", "skipped", place, place.line, source, code="out-of-order", reason=reason)
            return


def _shadowed(blocks: Sequence[tuple[Code, ast.Module]]) -> Iterator[Finding]:
    """Names of built-in functions that are given another value, and are called somewhere."""
    called = {
        n.func.id
        for _, tree in blocks
        for n in ast.walk(tree)
        if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)
    }
    seen: set[str] = set()
    for block, tree in blocks:
        for s in ast.walk(tree):
            targets = (
                s.targets
                if isinstance(s, ast.Assign)
                else [s.target]
                if isinstance(s, (ast.AnnAssign, ast.For))
                else []
            )
            for n in [x for t in targets for x in ast.walk(t)]:
                if (
                    isinstance(n, ast.Name)
                    and n.id in SHADOWED & called
                    and n.id not in seen
                    and isinstance(s, ast.stmt)
                ):
                    seen.add(n.id)
                    yield _remark(block, s, "shadowed-builtin", f"{n.id} is the name of a built-in function")


def _outer_sizes(blocks: Sequence[tuple[Code, ast.Module]]) -> Iterator[Finding]:
    """Functions that read a size from outside instead of from their arguments."""
    sizes = size_names([tree for _, tree in blocks])
    for block, tree in blocks:
        for f in ast.walk(tree):
            if not isinstance(f, ast.FunctionDef):
                continue
            own = {a.arg for a in ast.walk(f) if isinstance(a, ast.arg)}
            own |= {n.id for n in ast.walk(f) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
            body = [n for s in f.body for n in ast.walk(s)]
            read = {n.id for n in body if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)} & sizes - own
            if read:
                names = ", ".join(sorted(read))
                reason = f"{f.name} reads the size {names} from outside: it is right for inputs of that size only"
                yield _remark(block, f, "hard-wired-size", reason)


@dataclass
class _Made:
    """A value of the module: its statement, and the versions of the names that it was made from."""

    block: Code
    node: ast.stmt
    versions: dict[str, int]
    used: bool = False
    tensor: bool = False


@dataclass
class _Values:
    versions: dict[str, int] = field(default_factory=dict)
    made: dict[str, _Made] = field(default_factory=dict)


def _values(blocks: Sequence[tuple[Code, ast.Module]], excerpts: bool) -> Iterator[Finding]:
    """Tensors that nothing reads, and tensors that are used together with a newer version of what they were made from.

    Code in `excerpts` may end in results that are for the reader; of these only inputs count as not used.
    """
    state = _Values()
    said: set[tuple[str, str]] = set()
    for block, tree in blocks:
        for s in tree.body:
            loads = {n.id for n in ast.walk(s) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
            for name in sorted(loads):
                made = state.made.get(name)
                if made is None:
                    continue
                made.used = True
                for other in sorted(loads & made.versions.keys()):
                    newer = state.made.get(other)
                    if newer is None or not (made.tensor and newer.tensor) or (name, other) in said:
                        continue
                    if state.versions[other] != made.versions[other] and name not in newer.versions:
                        said.add((name, other))
                        yield _remark(block, s, "stale-value", f"{name} was made from an earlier value of {other}")
            stored = _stored(s)
            for name in stored:
                state.versions[name] = state.versions.get(name, 0) + 1
                simple = isinstance(s, ast.Assign) and len(stored) == 1 and isinstance(s.targets[0], ast.Name)
                if simple:
                    versions = {x: state.versions[x] for x in loads & state.versions.keys() if x != name}
                    state.made[name] = _Made(block, s, versions, tensor=_is_tensor(s, state))
                else:
                    state.made.pop(name, None)
    last = blocks[-1][1].body[-1] if blocks[-1][1].body else None
    for name, made in state.made.items():
        if excerpts and made.versions.keys() & {x for x, m in state.made.items() if m.tensor}:
            continue
        if made.tensor and not made.used and not name.startswith("_") and made.node is not last:
            yield _remark(made.block, made.node, "unused-value", f"{name} is computed, but nothing reads it")


def _stored(s: ast.stmt) -> set[str]:
    return {n.id for n in ast.walk(s) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}


def _is_tensor(s: ast.stmt, state: _Values) -> bool:
    """Whether a statement makes a tensor: by a call that does, or from one by a product."""
    value = s.value if isinstance(s, ast.Assign) else None
    for n in ast.walk(value) if value is not None else ():
        if isinstance(n, ast.Call):
            f = n.func
            name = f.attr if isinstance(f, ast.Attribute) else f.id if isinstance(f, ast.Name) else ""
            if name in MAKERS:
                return True
        if isinstance(n, ast.BinOp) and isinstance(n.op, ast.MatMult):
            return True
    if isinstance(value, ast.BinOp):
        names = {n.id for n in ast.walk(value) if isinstance(n, ast.Name)}
        return any(state.made[x].tensor for x in names & state.made.keys())
    return False


__all__ = ["code_remarks"]
