"""Bugs planted in code that is proved to compute an equation: none of the changed copies may be proved.

A target is a value of a document's code that the checker proves. One place of it is changed (a sign, an axis, a bound,
a factor), both versions are run on the same random inputs, and a change that gives another output is a bug. The
document with the bug is checked again: `proved` is a false proof. Running the code shares nothing with the checker.

    python tests/planted_bugs.py FILE... [--each N] [--list]
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import copy
import io
import json
import random
import re
import signal
import tempfile
import types
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from derivations.reports.run.chapters_and_declarations import read_with
from derivations.reports.run.check import check_document

from derivations.documents.model.document import Code, Document
from derivations.documents.model.finding import Finding
from derivations.language.term import Index

SECONDS = 5
"""The most that one run of a document's code may take."""
RUNS = 3
"""How often the two versions are run, each time on other inputs of other sizes."""
ALMOST = 1e-6
"""Runs are in double precision; two sums in another order differ by less, a bug by much more."""
BATCH = re.compile(r"\(\s*(?:B|N_?b|batch(?:_size)?|bs|b)\s*,|\bbatch(?:ed|es)?\b", re.IGNORECASE)
"""Comments and docstrings that say that a function gets a batch."""


# --- changes --------------------------------------------------------------------------------------------------------


Change = tuple[str, ast.expr, ast.expr]
"""The kind of a change, the expression that goes, and what takes its place."""
_OTHER: Mapping[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.MatMult: ast.Mult,
}
_REDUCED = {"mean": "sum", "sum": "mean", "exp": "sin", "softmax": "sigmoid", "tril": "triu", "triu": "tril"}
_REDUCED |= {"tanh": "sin", "relu": "tanh", "sigmoid": "tanh", "log": "exp", "cos": "sin", "outer": "mul"}
_TURNED = {"T", "mT"}
_WITH_DIAGONAL = {"tril", "triu", "eye", "tri"}


def changes(node: ast.AST) -> Iterator[Change]:
    """All changes of one place inside of a statement or function; annotations and defaults stay."""
    stored = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    names = sorted({a.arg for a in ast.walk(node) if isinstance(a, ast.arg) and a.arg != "self"} | stored)
    own = sorted({n.attr for n in ast.walk(node) if isinstance(n, ast.Attribute) and _of_self(n)})
    called = {id(n.func) for n in ast.walk(node) if isinstance(n, ast.Call)}
    still = {
        id(x)
        for n in ast.walk(node)
        if isinstance(n, ast.arguments)
        for d in (*n.defaults, *(k for k in n.kw_defaults if k is not None))
        for x in ast.walk(d)
    }
    for n in ast.walk(node):
        if not isinstance(n, ast.expr) or id(n) in still:
            continue
        match n:
            case ast.BinOp():
                yield from _of_operator(n)
            case ast.UnaryOp(op=ast.USub(), operand=operand) if not isinstance(operand, ast.Constant):
                yield "sign", n, operand
            case ast.Call():
                yield from _of_call(n)
            case ast.Compare(left=left, ops=[op], comparators=[right]) if isinstance(
                op, (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
            ):
                other = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt}[type(op)]
                yield "bound", n, ast.Compare(left, [other()], [right])
            case ast.Attribute(value=value, attr=attr) if attr in _TURNED:
                yield "transpose", n, value
            case ast.Attribute(value=value, attr=attr, ctx=ast.Load()) if _of_self(n):
                yield from (("variable", n, ast.Attribute(value, o, ast.Load())) for o in own if o != attr)
            case ast.Subscript():
                yield from _of_subscript(n)
            case ast.Name(id=name, ctx=ast.Load()) if id(n) not in called and name in names:
                yield from (("variable", n, ast.Name(o, ast.Load())) for o in names if o != name)


def _of_self(n: ast.Attribute) -> bool:
    return isinstance(n.value, ast.Name) and n.value.id == "self"


def _of_operator(n: ast.BinOp) -> Iterator[Change]:
    if type(n.op) in (ast.Add, ast.Sub):
        yield "sign", n, ast.BinOp(n.left, _OTHER[type(n.op)](), n.right)
        yield "operator", n, ast.BinOp(n.left, ast.Mult(), n.right)
    elif type(n.op) in _OTHER:
        yield "operator", n, ast.BinOp(n.left, _OTHER[type(n.op)](), n.right)
    if isinstance(n.op, (ast.Mult, ast.Div)):
        yield "factor", n, n.left
    if isinstance(n.op, (ast.MatMult, ast.Sub, ast.Div)):
        yield "arguments", n, ast.BinOp(n.right, n.op, n.left)
    if isinstance(n.op, ast.Add):
        yield "factor", n, ast.BinOp(n.left, ast.Add(), ast.BinOp(ast.Constant(2), ast.Mult(), n.right))
        yield "term", n, n.left
    if isinstance(n.op, ast.Pow):
        yield "sqrt", n, n.left
    if isinstance(n.op, ast.MatMult):
        yield "transpose", n, ast.BinOp(n.left, n.op, ast.Attribute(n.right, "T", ast.Load()))


def _of_call(n: ast.Call) -> Iterator[Change]:
    name = n.func.attr if isinstance(n.func, ast.Attribute) else n.func.id if isinstance(n.func, ast.Name) else ""
    for k, word in enumerate(n.keywords):
        rest = [*n.keywords[:k], *n.keywords[k + 1 :]]
        value = _whole(word.value)
        if word.arg in ("dim", "axis") and value is not None:
            for other in {-1, -2, 0, 1} - {value}:
                yield "axis", n, ast.Call(n.func, n.args, [*rest, ast.keyword(word.arg, ast.Constant(other))])
        elif word.arg in ("keepdim", "keepdims"):
            yield "keepdim", n, ast.Call(n.func, n.args, rest)
        elif word.arg in ("diagonal", "k") and value is not None:
            for step in (-1, 1):
                yield "bound", n, ast.Call(n.func, n.args, [*rest, ast.keyword(word.arg, ast.Constant(value + step))])
        elif word.arg in ("unbiased", "correction", "ddof") and isinstance(word.value, ast.Constant):
            yield (
                "factor",
                n,
                ast.Call(n.func, n.args, [*rest, ast.keyword(word.arg, ast.Constant(not word.value.value))]),
            )
    given = {word.arg for word in n.keywords}
    last = n.args[-1] if n.args else None
    if name in {"mean", "sum", "softmax", "var", "std", "max", "cumsum", "norm"} and last is not None:
        value = _whole(last)
        for other in {-1, -2, 0, 1} - {value} if value is not None else ():
            yield "axis", n, ast.Call(n.func, [*n.args[:-1], ast.Constant(other)], n.keywords)
    if name in _REDUCED and isinstance(n.func, (ast.Attribute, ast.Name)):
        func = copy.copy(n.func)
        if isinstance(func, ast.Attribute):
            func.attr = _REDUCED[name]
        else:
            func.id = _REDUCED[name]
        yield "function", n, ast.Call(func, n.args, n.keywords)
    if name in _WITH_DIAGONAL - {"eye"} and not given & {"diagonal", "k"} and len(n.args) == 1:
        word = "k" if isinstance(n.func, ast.Attribute) and ast.unparse(n.func.value) in ("np", "numpy") else "diagonal"
        yield "bound", n, ast.Call(n.func, n.args, [*n.keywords, ast.keyword(word, ast.Constant(-1))])
        yield "bound", n, ast.Call(n.func, n.args, [*n.keywords, ast.keyword(word, ast.Constant(1))])
    if name == "sqrt" and len(n.args) == 1:
        yield "sqrt", n, n.args[0]
        inner = n.args[0]
        if isinstance(inner, ast.BinOp) and isinstance(inner.op, ast.Add):
            yield "eps", n, ast.BinOp(ast.Call(n.func, [inner.left], []), ast.Add(), inner.right)
    if name in ("transpose", "permute", "swapaxes") and isinstance(n.func, ast.Attribute):
        yield "transpose", n, n.func.value
    if name == "range":
        end = n.args[-1] if len(n.args) < 3 else n.args[1]
        start = n.args[0] if len(n.args) > 1 else ast.Constant(0)
        yield "bound", n, ast.Call(n.func, [start, ast.BinOp(end, ast.Sub(), ast.Constant(1))], [])
        yield "bound", n, ast.Call(n.func, [ast.BinOp(start, ast.Add(), ast.Constant(1)), end], [])
    if len(n.args) > 1 and not any(isinstance(a, (ast.Constant, ast.Starred)) for a in n.args[:2]):
        yield "arguments", n, ast.Call(n.func, [n.args[1], n.args[0], *n.args[2:]], n.keywords)
    if name == "zeros" or name == "zeros_like":
        yield "start", n, ast.BinOp(n, ast.Add(), ast.Constant(1))


def _of_subscript(n: ast.Subscript) -> Iterator[Change]:
    if not isinstance(n.ctx, ast.Load):
        return
    for put, part in _places(n):
        value = _whole(part)
        if value is not None:
            yield "index", n, put(ast.Constant(value + 1 if value != -1 else -2))
        elif isinstance(part, ast.Slice):
            for side in ("lower", "upper"):
                end = getattr(part, side)
                if end is not None:
                    for op in (ast.Add(), ast.Sub()):
                        other = copy.copy(part)
                        setattr(other, side, ast.BinOp(end, op, ast.Constant(1)))
                        yield "bound", n, put(other)
        elif not isinstance(part, ast.Constant):
            for op in (ast.Add(), ast.Sub()):
                yield "index", n, put(ast.BinOp(part, op, ast.Constant(1)))
    if isinstance(n.slice, ast.Tuple) and len(n.slice.elts) == 2:
        yield "index", n, ast.Subscript(n.value, ast.Tuple(n.slice.elts[::-1], ast.Load()), ast.Load())


def _places(n: ast.Subscript) -> Iterator[tuple[Callable[[ast.expr], ast.expr], ast.expr]]:
    if not isinstance(n.slice, ast.Tuple):
        yield (lambda x: ast.Subscript(n.value, x, ast.Load())), n.slice
        return
    elts = n.slice.elts
    for k, part in enumerate(elts):
        yield (
            (lambda x, k=k: ast.Subscript(n.value, ast.Tuple([*elts[:k], x, *elts[k + 1 :]], ast.Load()), ast.Load())),
            part,
        )


def _whole(n: ast.expr) -> int | None:
    try:
        value = ast.literal_eval(n)
    except ValueError:
        return None
    return value if type(value) is int else None


def changed_texts(text: str, node: ast.AST) -> Iterator[tuple[str, str, str]]:
    """Kind, what was changed in words, and the text of a block with one change inside of a node of its tree."""
    lines = text.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line.encode()) + 1)
    raw = text.encode()
    seen = {text}
    for kind, old, new in changes(node):
        a, b = starts[old.lineno - 1] + old.col_offset, starts[(old.end_lineno or 1) - 1] + (old.end_col_offset or 0)
        written = ast.unparse(ast.fix_missing_locations(new))
        made = (raw[:a] + f"({written})".encode() + raw[b:]).decode()
        if made not in seen:
            seen.add(made)
            yield kind, f"{' '.join(raw[a:b].decode().split())} -> {written}", made


# --- targets --------------------------------------------------------------------------------------------------------


@dataclass
class Target:
    """A proved value of a document's code: a function or class, or a name after a statement."""

    path: Path
    document: Document
    block: Code
    node: ast.stmt
    finding: Finding
    owner: str | None = None
    """The function or class of the module that the statement stands in."""

    @property
    def name(self) -> str:
        return self.finding.name or ""

    @property
    def callable(self) -> bool:
        return isinstance(self.node, (ast.FunctionDef, ast.ClassDef))

    def __str__(self) -> str:
        return f"{self.path.name}:{self.finding.place.line} {self.name}"


def targets(path: Path) -> Iterator[Target]:
    """The values of a document's code that are proved."""
    document = read_with(path, ())
    _, findings, _ = check_document(path)
    blocks: list[tuple[Code, ast.Module]] = []
    for block in document.code:
        with contextlib.suppress(SyntaxError):
            blocks.append((block, ast.parse(block.text.text)))
    for f in findings:
        if f.kind != "code" or f.status != "proved":
            continue
        for block, tree in blocks:
            for top in tree.body:
                for s in ast.walk(top):
                    if isinstance(s, ast.stmt) and _here(block, s, f):
                        inside = top.name if s is not top and isinstance(top, (ast.FunctionDef, ast.ClassDef)) else None
                        yield Target(path, document, block, s, f, inside)


def _here(block: Code, s: ast.stmt, f: Finding) -> bool:
    origins = block.text.origins
    line, _ = origins[min(s.lineno, len(origins)) - 1]
    if (line, block.text.cell) != (f.place.line, f.place.cell):
        return False
    if isinstance(s, (ast.FunctionDef, ast.ClassDef)):
        return s.name == f.name
    stored = {n.id for n in ast.walk(s) if isinstance(n, ast.Name)}
    return isinstance(s, (ast.Assign, ast.AugAssign, ast.AnnAssign)) and f.name in stored


def with_block(path: Path, block: Code, text: str) -> str:
    """The file with another text of one block."""
    whole = path.read_text(encoding="utf-8")
    if path.suffix == ".ipynb":
        book = json.loads(whole)
        for cell in book["cells"]:
            if cell["cell_type"] == "code" and "".join(cell["source"]).rstrip() == block.text.text.rstrip():
                cell["source"] = text.splitlines(keepends=True)
                return json.dumps(book)
        raise LookupError("the cell is not found again")
    if whole.count(block.text.text) != 1:
        raise LookupError("the block is not found again")
    return whole.replace(block.text.text, text)


# --- runs -----------------------------------------------------------------------------------------------------------


class TooLong(Exception):
    """A run that was ended."""


def run(target: Target, text: str, seed: int, batch: bool) -> list[Any]:
    """The outputs of a target with a text of its block: raises whatever the code raises."""
    import numpy as np
    import torch

    def stop(*_: object) -> None:
        raise TooLong

    torch.manual_seed(seed)
    np.random.seed(seed)
    random.seed(seed)
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    old = signal.signal(signal.SIGALRM, stop)
    signal.alarm(SECONDS)
    try:
        with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return _outputs(target, text, seed, batch)
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, old)
        torch.set_default_dtype(before)


def _outputs(target: Target, text: str, seed: int, batch: bool) -> list[Any]:
    seen: list[Any] = []
    module = types.ModuleType("document")
    space = module.__dict__
    space["__seen__"] = lambda value: seen.append(copy.deepcopy(value))
    exec("import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\nimport numpy as np\nimport math", space)
    for block in target.document.code:
        own = block.index == target.block.index
        try:
            tree = ast.parse(text if own else block.text.text)
            if own and not target.callable:
                _watch(tree, target)
            exec(compile(ast.fix_missing_locations(tree), "document", "exec"), space)
        except Exception:
            # Another cell may need a file or a library; without its names the changed one fails by itself.
            if own and not target.callable:
                raise
        if own and target.callable:
            break
    if not target.callable:
        if not seen and target.owner is not None and target.finding.replay is not None:
            _call(space[target.owner], target.finding, space, seed, batch)
        if not seen:
            raise LookupError("the statement is not reached")
        return seen[-1:]
    return [_call(space[target.name], target.finding, space, seed, batch)]


def _watch(tree: ast.Module, target: Target) -> None:
    """Hand on the value of a target's name after each time that its statement is done."""
    for parent in ast.walk(tree):
        for part in ("body", "orelse"):
            body = getattr(parent, part, None)
            for k, s in enumerate(body if isinstance(body, list) else ()):
                if s.lineno == target.node.lineno and type(s) is type(target.node):
                    body.insert(k + 1, ast.parse(f"__seen__({target.name})").body[0])
                    return
    raise LookupError("the statement is not found again")


def _call(value: Any, f: Finding, space: dict[str, Any], seed: int, batch: bool) -> Any:
    """The result of a function, or of an object of a class, for drawn arrays of the shapes that were proved about."""
    import numpy as np
    import torch

    replay = f.replay
    if replay is None:
        raise LookupError("nothing says what the parameters are")
    draw = random.Random(f"{seed} sizes")
    lengths: dict[str, int] = {}

    def length(i: Index) -> int:
        for s in sorted(i.sizes):
            if s not in lengths:
                lengths[s] = draw.choice([k for k in (2, 3, 4, 5, 6, 7, 8) if k not in lengths.values()])
        return i.substitute({}, {s: Index.of(lengths[s]) for s in i.sizes}).const

    drawn = {b.name: tuple(length(i) for i in b.shape) for b in replay.bindings}
    uses_torch = _is_torch(value)
    numbers = np.random.default_rng(seed)

    def made(shape: Sequence[int]) -> Any:
        entries = numbers.standard_normal(shape)
        return torch.tensor(entries) if uses_torch else entries

    whole = {name: length(i) for name, i in replay.sizes.items()}
    for b in replay.bindings:
        if not b.parameter and b.name in space:
            space[b.name] = made(drawn[b.name])
    function = value
    if isinstance(value, type):
        initial = _parameters(value.__init__)
        try:
            function = value(**{n: whole[n] for n in initial if n in whole}, **_guards(value.__init__, drawn))
        except TypeError as problem:
            raise LookupError(str(problem)) from None
        if isinstance(function, torch.nn.Module):
            with torch.no_grad():
                for p in function.parameters():
                    p.copy_(torch.tensor(numbers.standard_normal(tuple(p.shape))))
        entry = function.forward if hasattr(function, "forward") else function.__call__
    else:
        entry = function
    passed: dict[str, Any] = dict(_guards(entry, drawn))
    leading = True
    for name, required in _parameters(entry).items():
        if name in passed:
            continue
        if name in drawn:
            shape = drawn[name]
            more = (3,) if batch and (leading or len(shape) > 1) and shape else ()
            passed[name] = made((*more, *shape))
            leading = False
        elif name in whole:
            passed[name] = whole[name]
        elif required:
            passed[name] = made(())
    result = entry(**passed)
    return result[0] if isinstance(result, tuple) else result


def _guards(f: Any, drawn: Mapping[str, object]) -> dict[str, float]:
    """Small numbers that guard quotients: large enough to tell where the equation has them, else zero as in the proof."""
    import inspect

    found = {p.name: p.default for p in inspect.signature(f).parameters.values()}
    small = [n for n, v in found.items() if isinstance(v, float) and 0 < v < 1e-3]
    return {n: 0.3 if n in drawn else 0.0 for n in small}


def _is_torch(value: Any) -> bool:
    """Whether code asks for names of torch, or for none of NumPy."""
    codes = [v.__code__ for v in vars(value).values() if hasattr(v, "__code__")] if isinstance(value, type) else []
    codes += [value.__code__] if hasattr(value, "__code__") else []
    names = {n for c in codes for n in c.co_names}
    return not names & {"np", "numpy"} or bool(names & {"torch", "F", "nn"})


def _parameters(f: Any) -> dict[str, bool]:
    """The parameters of a function, and whether they are required."""
    import inspect

    found = inspect.signature(f).parameters.values()
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return {p.name: p.default is inspect.Parameter.empty for p in found if p.kind in kinds and p.name != "self"}


def same(a: Any, b: Any) -> bool:
    """Whether two outputs are the same array; of another shape is another output."""
    import numpy as np
    import torch

    x, y = (np.asarray(v.detach() if isinstance(v, torch.Tensor) else v, dtype=float) for v in (a, b))
    return x.shape == y.shape and bool(np.allclose(x, y, rtol=ALMOST, atol=ALMOST, equal_nan=True))


# --- bugs -----------------------------------------------------------------------------------------------------------


@dataclass
class Bug:
    """A change that the outputs tell, and what the checker says of it."""

    target: Target
    kind: str
    what: str
    text: str
    batch: bool
    """Only a batch tells it."""
    verdict: str = ""
    why: str = ""

    def __str__(self) -> str:
        only = " (told by a batch only)" if self.batch else ""
        return f"{self.target}: {self.kind}: {self.what}{only}: {self.verdict} {self.why}".rstrip()


def gets_batch(target: Target) -> bool:
    """Whether the document says in the code that a function gets a batch."""
    source = ast.get_source_segment(target.block.text.text, target.node) or ""
    return bool(BATCH.search(source))


def planted(target: Target, each: int, seed: int = 1) -> tuple[list[Bug], str]:
    """At most `each` bugs of a target, of all kinds in turn, and why there are none."""
    text = target.block.text.text
    batches = [False, True] if target.callable and gets_batch(target) else [False]
    right: dict[tuple[int, bool], list[Any]] = {}
    why = ""
    for k in range(RUNS):
        for batch in batches:
            try:
                right[k, batch] = run(target, text, seed + k, batch)
            except Exception as problem:  # noqa: BLE001 - a document's code may fail in any way
                why = f"{type(problem).__name__}: {problem}"
    if not right:
        return [], why
    kinds: dict[str, list[tuple[str, str]]] = {}
    for kind, what, made in changed_texts(text, target.node):
        kinds.setdefault(kind, []).append((what, made))
    for found in kinds.values():
        random.Random(seed).shuffle(found)
    bugs: list[Bug] = []
    while len(bugs) < each and any(kinds.values()):
        for kind, found in kinds.items():
            while found and len(bugs) < each:
                what, made = found.pop()
                told = _told(target, made, right, seed)
                if told is not None:
                    bugs.append(Bug(target, kind, what, made, told))
                    break
    return bugs, ""


def _told(target: Target, text: str, right: Mapping[tuple[int, bool], list[Any]], seed: int) -> bool | None:
    """Whether only a batch tells a change from the original; None when nothing does, or when the code does not run."""
    told: set[bool] = set()
    for (k, batch), outputs in right.items():
        try:
            made = run(target, text, seed + k, batch)
        except Exception:  # noqa: BLE001 - changed code may fail in any way: a bug that everybody sees
            continue
        if not all(same(a, b) for a, b in zip(outputs, made, strict=True)):
            told.add(batch)
    return None if not told else told == {True}


def judge(bug: Bug, folder: Path) -> None:
    """Check the document with the bug; what is found at the target's place is the verdict."""
    path = folder / bug.target.path.name
    path.write_text(with_block(bug.target.path, bug.target.block, bug.text), encoding="utf-8")
    _, findings, _ = check_document(path)
    here = [
        f
        for f in findings
        if f.kind == "code"
        and (f.place.line, f.place.cell) == (bug.target.finding.place.line, bug.target.finding.place.cell)
        and f.name == bug.target.name
    ]
    order = ["proved", "refuted", "undecided", "skipped"]
    best = min(here, key=lambda f: order.index(f.status), default=None)
    bug.verdict = "unread" if best is None or best.status == "skipped" else best.status
    bug.why = "" if best is None else f"[{best.code or ''}] {best.reason or ''}".replace("[]", "").strip()
    if best is not None and best.status == "proved":
        bug.why = "; ".join(n.text for n in best.assumptions)


@dataclass
class Measure:
    """All bugs of some documents."""

    bugs: list[Bug] = field(default_factory=list)
    not_run: dict[str, str] = field(default_factory=dict)
    targets: int = 0

    def of_verdict(self, verdict: str) -> list[Bug]:
        return [b for b in self.bugs if b.verdict == verdict]

    def table(self) -> str:
        """A line for each kind of change."""
        columns = ("proved", "refuted", "undecided", "unread")
        count = Counter((b.kind, b.verdict) for b in self.bugs)
        rows = [(kind, *(count[kind, c] for c in columns)) for kind in sorted({b.kind for b in self.bugs})]
        rows.append(("all", *(len(self.of_verdict(c)) for c in columns)))
        lines = [f"{'':12}" + "".join(f"{c:>11}" for c in columns)]
        return "\n".join([*lines, *(f"{r[0]:12}" + "".join(f"{x:>11}" for x in r[1:]) for r in rows)])


def measured(paths: Iterable[Path], each: int, say: Callable[[Bug], None] = lambda b: None) -> Measure:
    """Plant bugs in all targets of some documents and check each."""
    made = Measure()
    with tempfile.TemporaryDirectory() as folder:
        for path in paths:
            for target in targets(path):
                made.targets += 1
                bugs, why = planted(target, each)
                if why:
                    made.not_run[str(target)] = why
                for bug in bugs:
                    judge(bug, Path(folder))
                    say(bug)
                    made.bugs.append(bug)
    return made


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--each", type=int, default=8, help="most bugs of one target")
    parser.add_argument("--list", action="store_true", help="print every bug, not only the proved ones")
    asked = parser.parse_args()
    made = measured(
        asked.files, asked.each, lambda b: print(b, flush=True) if asked.list or b.verdict == "proved" else None
    )
    for name, why in made.not_run.items():
        print(f"not run: {name}: {why}")
    print(made.table())
    return 1 if made.of_verdict("proved") else 0


if __name__ == "__main__":
    raise SystemExit(main())


__all__ = ["Bug", "Measure", "Target", "changed_texts", "measured", "planted", "targets"]
