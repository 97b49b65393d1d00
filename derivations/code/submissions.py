"""Copies of a notebook by several people: their code against the equations and the code of a reference.

A *task* is a name that the reference's own code gives a value which is compared with an equation, or a function of the
reference whose arguments' axes its own calls tell.  The words and equations are always those of the reference.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from derivations.code.compare.statement import shown
from derivations.code.program import Program, lifted
from derivations.code.verdicts_in_place import decide_all
from derivations.documents.formats.python_code import NotPython, parse
from derivations.documents.model.document import Block, Code, Document, Output
from derivations.documents.model.finding import Finding
from derivations.language.statement import Statement, Tensor, Theory
from derivations.language.term import Index, TermError, guard, within
from derivations.lifting.interpreter.calls import call_function
from derivations.lifting.interpreter.interpret import Interpreter, Record
from derivations.lifting.operations.table import Struct, Value, array
from derivations.lifting.settled_entries import finish
from derivations.lifting.symbolic.arrays import Array, scalar
from derivations.lifting.symbolic.not_lifted import NotLifted
from derivations.lifting.symbolic.scope import Scope
from derivations.lifting.values.python_values import Function
from derivations.notes import Note
from derivations.study.equation_walk import Decide

RIGHT, WRONG, UNFINISHED, MISSING, OPEN = "right", "wrong", "unfinished", "not found", "undecided"
"""What a submission made of a task."""
_ORDER = (WRONG, RIGHT, UNFINISHED, OPEN)


@dataclass(frozen=True)
class Result:
    """One cell of the table: the outcome, and what it rests on in a few words (a witness, a reason)."""

    outcome: str
    why: str = ""
    finding: Finding | None = None
    follows: str = ""
    """The other task that is wrong, with which this one is right once that one is."""


@dataclass
class Reference:
    """A reference, its lifted code, and the tasks that it sets, in the order of its code."""

    document: Document
    program: Program
    findings: Sequence[Finding]
    tasks: list[str] = field(default_factory=list)
    unclear: dict[str, str] = field(default_factory=dict)
    """Names that the reference itself does not settle, with the reason."""

    @classmethod
    def of(cls, document: Document, findings: Sequence[Finding]) -> Reference:
        """The tasks are what the reference's own code is proved to compute, and its functions that can be lifted."""
        made = cls(document, lifted(document), findings)
        judged: dict[str, set[str]] = {}
        for f in findings:
            if f.kind == "code" and f.name:
                judged.setdefault(f.name, set()).add(f.status)
        for record in made.program.interpreter.records:
            name = record.name
            if record.function is not None or name in made.tasks or name in made.unclear:
                continue
            if "proved" in judged.get(name, ()):
                made.tasks.append(name)
            elif isinstance(record.value, Function):
                try:
                    _arguments(made.program, record, Scope())
                except NotLifted as problem:
                    made.unclear[name] = problem.reason
                else:
                    made.tasks.append(name)
            elif name in judged:
                made.unclear[name] = "the reference's own code is not proved to compute its equation"
        return made


def under_reference(reference: Document, submission: Document) -> tuple[Document, dict[str, str]]:
    """The words of the reference with the code of a submission in place of its own, and what the submission calls
    otherwise than the reference (a function in the cell of the same identifier)."""
    own = [b for b in reference.blocks if isinstance(b, Code) and b.is_python]
    theirs = [b for b in submission.blocks if isinstance(b, Code)]
    names = {b.index: _stored(b) for b in own}
    aliases: dict[str, str] = {}
    placed: dict[int, list[Code]] = {}
    at = -1
    given = {n for b in theirs for n in _stored(b)}
    for block in theirs:
        same = [b for b in own if block.cell_id and b.cell_id == block.cell_id]
        alike = same or [b for b in own if set(names[b.index]) & set(_stored(block))]
        for b in same:
            lost = [n for n in _functions(b) if n not in given]
            new = [n for n in _functions(block) if n not in names[b.index]]
            if len(lost) == len(new) == 1:
                aliases[new[0]] = lost[0]
        at = max([at, *(b.index for b in alike[:1])])
        placed.setdefault(at, []).append(block)
    blocks: list[Block] = []

    def put(code: Code) -> None:
        place = len(blocks)
        blocks.append(replace(code, index=place, section=()))
        for o in submission.outputs_of(code):
            blocks.append(replace(o, index=len(blocks), of=place, section=()))

    for first in placed.get(-1, ()):
        put(first)
    dropped = {b.index for b in own}
    for kept in reference.blocks:
        if kept.index not in dropped and not isinstance(kept, Output):
            blocks.append(replace(kept, index=len(blocks)))
        for code in placed.get(kept.index, ()):
            put(code)
    files = {**reference.files, reference.path: reference.sha256}
    problems = submission.problems
    merged = replace(
        reference,
        path=submission.path,
        sha256=submission.sha256,
        title=submission.title,
        blocks=tuple(blocks),
        files=files,
        problems=problems,
    )
    return merged, aliases


def results(
    reference: Reference,
    submission: Document,
    findings: Sequence[Finding],
    aliases: Mapping[str, str],
    decide: Decide,
) -> tuple[dict[str, Result], list[Finding]]:
    """What became of each task, and the findings that compare function with function."""
    program = lifted(submission)
    called = {task: name for name, task in aliases.items()}
    table: dict[str, Result] = {}
    more: list[Finding] = []
    for task in reference.tasks:
        name = called.get(task, task)
        own = [f for f in findings if f.kind == "code" and f.name == name and f.status != "unread"]
        best = min((_result(f) for f in own), key=lambda r: _ORDER.index(r.outcome), default=None)
        if best is None or best.outcome == OPEN:
            compared = _compared(reference, program, task, name, decide)
            if compared is not None:
                more.append(compared)
                other = _result(compared)
                if best is None or other.outcome != OPEN:
                    best = other
        if best is None:
            known = any(name in _stored(b) for b in submission.code if b.is_python)
            faulty = next((b for b in submission.code if b.is_python and _tree(b) is None), None)
            if known:
                best = Result(OPEN, "it has the name, but nothing that can be compared")
            elif faulty is not None:
                best = Result(MISSING, f"the code at {faulty.place} does not parse as Python")
            else:
                best = Result(MISSING)
        if name != task and best.outcome != MISSING:
            best = replace(best, why="; ".join(filter(None, (f"called {name}", best.why))))
        table[task] = best
    for task, result in table.items():
        if result.outcome == WRONG and (cause := _cause(reference, program, task, called, table, decide)):
            table[task] = replace(result, follows=cause)
    return table, more


def _cause(
    reference: Reference,
    program: Program,
    task: str,
    called: Mapping[str, str],
    table: Mapping[str, Result],
    decide: Decide,
) -> str:
    """Another wrong task: with the function of the reference in place of the submission's, this task is right."""
    names = program.interpreter.module.names
    for other in reference.tasks:
        own, right = called.get(other, other), _function(reference.program, other)
        if other == task or table[other].outcome != WRONG or table[other].follows or right is None:
            continue
        if not isinstance(names.get(own), Function):
            continue
        kept = names[own]
        names[own] = right.value
        try:
            found = _compared(reference, program, task, called.get(task, task), decide)
        finally:
            names[own] = kept
        if found is not None and found.status == "proved":
            return other
    return ""


def _result(f: Finding) -> Result:
    if f.status == "proved":
        return Result(RIGHT, "", f)
    if f.status == "refuted":
        witness = getattr(f.decision, "counterexample", None)
        if witness is None:
            return Result(WRONG, f.reason or "", f)
        where = shown(re.sub(r"\bn~(?=\d)", "n", witness.place()))  # sizes have names of their own
        return Result(WRONG, f"{where}: gives {witness.left}, needed {witness.right}", f)
    if f.code == "unfinished":
        return Result(UNFINISHED, "", f)
    return Result(OPEN, f.reason or f.code or "", f)


def _compared(reference: Reference, program: Program, task: str, name: str, decide: Decide) -> Finding | None:
    """A function of a submission against the one of the reference; None when one of the two is no function."""
    first, second = _function(reference.program, task), _function(program, name)
    if first is None or second is None:
        return None
    node = second.node
    place = program.place(second.block, node.lineno, node.col_offset + 1)
    found = Finding("code", "undecided", place, place.line, program.source(second.block, node), name=name)
    found.listing = program.listing(second.block, node)
    if program.is_unfinished(second.block, node):
        found.status, found.code, found.reason = "skipped", "unfinished", "the code is not finished"
        return found
    try:
        scope = Scope()
        given = _arguments(reference.program, first, scope)
        one = _called(reference.program, first, given, scope)
        two = _called(program, second, given, scope)
        if one.rank != two.rank:
            raise NotLifted(f"the results have {two.rank} axes, needed {one.rank}", code="shape-conflict")
        for a, b in zip(one.shape, two.shape, strict=True):
            scope.sizes.require(a, b, "the results")
        left, right = finish(scope, two), finish(scope, one)
        names = [f"i{k}" for k in range(one.rank)]
        at = [Index.var(n) for n in names]
        bounds = [c for n, s in zip(names, one.shape, strict=True) for c in within(n, 0, scope.sizes.resolve(s))]
        statement = Statement(left.real(at), "=", right.real(at), tuple(names), guard(*bounds))
    except NotLifted as problem:
        found.code, found.reason = problem.code, problem.reason
        return found
    except TermError as problem:
        found.code, found.reason = "too-large", str(problem)
        return found
    tensors = {
        h: Tensor(h, tuple(map(scope.sizes.resolve, i.shape)), constant=i.constant) for h, i in scope.inputs.items()
    }
    found.statements, found.theory = (statement,), Theory(tensors)
    found.display = {h: i.name or "input" for h, i in scope.inputs.items()}
    decide_all(found, decide)
    said = Note("compared-with", (task, str(reference.document.path)))
    found.assumptions = tuple(replace(n, place=place) for n in (said, *scope.assumptions))
    if found.status == "refuted":
        found.code = "code-differs"
    return found


def _function(program: Program, name: str) -> Record | None:
    records = [r for r in program.interpreter.records if r.name == name and r.function is None]
    return next((r for r in reversed(records) if isinstance(r.value, Function)), None)


def _called(program: Program, record: Record, given: Sequence[Value], scope: Scope) -> Array:
    interpreter = Interpreter(scope, program.interpreter.module, program.interpreter.size_names, block=record.block)
    function = record.value
    if not isinstance(function, Function):
        raise NotLifted(f"{record.name} is no function")
    a = function.node.args
    names = [x.arg for x in (*a.posonlyargs, *a.args)]
    if len(given) > len(names) or any(n not in function.defaults for n in names[len(given) :]):
        raise NotLifted(f"{record.name} takes {len(names)} arguments, needed {len(given)}", code="other-signature")
    own = [replace(v, library=program.interpreter.scope.library) if isinstance(v, Array) else v for v in given]
    result = call_function(interpreter, function, own, {}, lend=False)
    if isinstance(result, Struct):
        result = result.items
    return array(result[0] if isinstance(result, (tuple, list)) and result else result)


def _arguments(program: Program, record: Record, scope: Scope) -> list[Value]:
    """Symbolic arguments for a function: as many axes as where the document calls it, equal sizes where they are equal
    there.  Raises `NotLifted` where no call tells."""
    function = record.value
    if not isinstance(function, Function):
        raise NotLifted(f"{record.name} is no function")
    a = function.node.args
    names = [x.arg for x in (*a.posonlyargs, *a.args)]
    required = [n for n in names if n not in function.defaults]
    for values in _calls(program, record.name, names):
        sizes: dict[Index, Index] = {}
        made: list[Value] = []
        for name in required:
            value = values.get(name)
            if isinstance(value, Array) and value.rank:
                own = program.interpreter.scope.sizes
                axes = [sizes.setdefault(own.resolve(s), scope.sizes.fresh("n")) for s in value.shape]
                made.append(scope.given(axes, name, "parameter"))
            elif isinstance(value, (Array, int, float)):
                made.append(value if isinstance(value, int) else scalar(scope.sizes.name(name)))
            else:
                break
        else:
            return made
    raise NotLifted("no call in the reference tells the axes of its arguments")


def _calls(program: Program, name: str, parameters: Sequence[str]) -> Iterator[dict[str, Value]]:
    known = program.interpreter.module.names
    for tree in program.trees.values():
        for n in ast.walk(tree):
            if isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id == name:
                pairs = [*zip(parameters, n.args, strict=False), *((k.arg or "", k.value) for k in n.keywords)]
                found: dict[str, Value] = {}
                for parameter, node in pairs:
                    if isinstance(node, ast.Name) and node.id in known:
                        found[parameter] = known[node.id]
                    elif isinstance(node, ast.Constant) and type(node.value) is int:
                        found[parameter] = node.value
                yield found


def _tree(block: Code) -> ast.Module | None:
    try:
        return parse(block.text.text)
    except NotPython:
        return None


def _functions(block: Code) -> list[str]:
    """The functions and classes of a block."""
    tree = _tree(block) if block.is_python else None
    return [s.name for s in tree.body if isinstance(s, (ast.FunctionDef, ast.ClassDef))] if tree is not None else []


def _stored(block: Code) -> list[str]:
    """The names that a block gives a value, functions and classes first."""
    tree = _tree(block) if block.is_python else None
    targets = [n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)] if tree else []
    return list(dict.fromkeys([*_functions(block), *targets]))


__all__ = ["MISSING", "OPEN", "RIGHT", "UNFINISHED", "WRONG", "Reference", "Result", "results", "under_reference"]
