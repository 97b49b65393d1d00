"""Where a printed value comes from, read off the source: what may make it differ on another machine or in another session.

A difference is called wrong only when none of this explains it; everything here errs on the side of an explanation.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field

from .cells import Prepared, loaded, stored

MACHINE = re.compile(
    r"cuda|\bmps\b|\.device\b|version|\btime\b|perf_counter|timeit|getsizeof|\bos\.|\bsys\.|platform|cpu_count|num_threads"
    r"|\bpath\b|\bid\(|\bhash\(|__file__|getcwd|memory_allocated|psutil"
)
"""A statement whose result depends on the machine or the moment."""
MOMENT = re.compile(
    r"\btime\.|perf_counter|datetime|getsizeof|os\.environ|getenv|cpu_count|psutil|memory_allocated|__version__|\bversion\("
)
"""The same for what the statement builds upon; a device that is chosen somewhere makes only small differences."""
COARSE = re.compile(r"cuda|\bmps\b|autocast|\.half\(|float16|bf16|fp16|\bxla\b|\btpu\b")
"""Arithmetic that is not the same everywhere."""
COARSE_DIFFERENCE = 0.05
RANDOM = re.compile(
    r"rand|normal\(|normal_\(|uniform|permut|shuffle|choice|sample|[Dd]ropout|bernoulli|multinomial|\bseed|"
    r"\bnn\.(?!Module\b|Parameter\b|functional\b|Sequential\b|ModuleList\b|ModuleDict\b|LayerNorm\b|RMSNorm\b|BatchNorm\dd\b|"
    r"GroupNorm\b|Identity\b|Flatten\b|Softmax\b|ReLU\b|GELU\b|SiLU\b|Sigmoid\b|Tanh\b)|\bempty|"
    r"default_rng|\brng\b|init\.|Linear|Embedding|Conv|secrets|uuid"
)
"""Code that may draw random numbers, or begin with what the memory holds."""
UNSTABLE = re.compile(
    r"[Dd]ropout|bernoulli|multinomial|randperm|cuda|\bmps\b|num_workers|sklearn|choice|sample\(|Generator"
)
"""Random numbers that differ between systems for one seed."""
SHAPE_ONLY = re.compile(r"\.(?:shape|size|ndim|dim|numel|dtype|itemsize|nbytes)\b|\blen\(")
REPRODUCIBLE = frozenset(
    {"numpy", "torch", "scipy", "einops", "jax", "jaxlib", "opt_einsum", "jaxtyping", "torchtyping", "sympy"}
)
"""Third-party libraries whose results do not change with their version beyond rounding."""


@dataclass
class Lineage:
    """All statements of a document, and which of them a name may come from."""

    prepared: Sequence[Prepared]
    out_of_order: bool = False
    makers: dict[str, list[tuple[Prepared, ast.stmt]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for p in self.prepared:
            for s in p.statements:
                for name in stored(s):
                    self.makers.setdefault(name, []).append((p, s))

    def behind(self, p: Prepared, line: int) -> list[tuple[Prepared, ast.stmt]]:
        """The statement at a line of a cell, and the statements before it that it may build upon.

        Where cells were executed in another order than they stand, a statement anywhere may be built upon.
        """
        top = next((s for s in p.statements if s.lineno <= line <= (s.end_lineno or s.lineno)), None)
        if top is None:
            return []
        here = (p.cell.id, top.lineno)
        found = [(p, top)]
        known = {id(top)}
        waiting = [(name, here) for name in sorted(loaded(top) | stored(top))]
        seen = set(waiting)
        while waiting:
            name, before = waiting.pop()
            for q, s in self.last_makers(name, before):
                if id(s) in known:
                    continue
                known.add(id(s))
                found.append((q, s))
                # what a function reads is read when it is called
                at = before if isinstance(s, (ast.FunctionDef, ast.ClassDef)) else (q.cell.id, s.lineno)
                new = {(x, at) for x in loaded(s)} - seen
                seen |= new
                waiting += sorted(new)
        return found

    def last_makers(self, name: str, before: tuple[int, int]) -> list[tuple[Prepared, ast.stmt]]:
        """The statements that give a name its value before a place: the last that sets it, and all that change it since."""
        rows = self.makers.get(name, [])
        if self.out_of_order:
            return rows
        found: list[tuple[Prepared, ast.stmt]] = []
        for q, s in reversed(rows):
            if (q.cell.id, s.lineno) < before:
                found.append((q, s))
                if _sets(s, name):
                    break
        return found

    def explanation(self, p: Prepared, line: int, relative: float | None, discrete: bool) -> tuple[str, str] | None:
        """(code, words) for what may make a value differ; `relative` is the size of a difference, where it has one."""
        own = p.source(line)
        if p.escaped or MACHINE.search(own):
            return "machine", "it depends on the machine or the moment"
        behind = self.behind(p, line)
        sources = [ast.unparse(s) for _, s in behind]
        if any(MOMENT.search(text) for text in sources if not text.startswith(("import ", "from "))):
            return "machine", "it builds upon something that depends on the machine or the moment"
        everything = "\n".join(q.cell.source for q in self.prepared)
        if relative is not None and relative < COARSE_DIFFERENCE and COARSE.search(everything):
            return "machine", "the document computes on another device or in a coarse arithmetic"
        library = next((name for name in self.libraries(behind) if name not in REPRODUCIBLE), None)
        if library is not None:
            return "other-library", f"it builds upon {library}, whose results may change with its version"
        if discrete and not SHAPE_ONLY.search(own) and any(RANDOM.search(text) for text in sources):
            return "random", "it is a whole number or a truth value that may depend on random numbers"
        if self.is_gapped() and any(_updates(s) for _, s in behind):
            return (
                "repeated",
                "it builds upon a statement that changes its own input, and cells were executed more than once",
            )
        return None

    def libraries(self, behind: Sequence[tuple[Prepared, ast.stmt]]) -> list[str]:
        """The third-party modules that statements import."""
        found: list[str] = []
        for _, s in behind:
            for n in ast.walk(s):
                names: list[str] = []
                if isinstance(n, ast.Import):
                    names = [a.name for a in n.names]
                elif isinstance(n, ast.ImportFrom) and n.module and not n.level:
                    names = [n.module]
                found += [m for x in names if (m := x.partition(".")[0]) not in sys.stdlib_module_names]
        return found

    def is_gapped(self) -> bool:
        """Whether the execution counts say that cells were executed that are no longer there, or more than once."""
        counts = sorted(p.block.execution_count for p in self.prepared if p.block.execution_count is not None)
        return bool(counts) and counts != list(range(counts[0], counts[0] + len(counts)))

    def draws_are_stable(self, last: Prepared) -> bool:
        """Whether the random numbers up to a cell are the same on every system, for one seed."""
        before = [p for p in self.prepared if self.out_of_order or p.cell.id <= last.cell.id]
        return not any(UNSTABLE.search(p.cell.source) for p in before)


def _sets(s: ast.stmt, name: str) -> bool:
    """Whether a statement gives a name a value of its own, whatever it held before."""
    if isinstance(s, (ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)):
        return True
    targets = s.targets if isinstance(s, ast.Assign) else [s.target] if isinstance(s, ast.AnnAssign) else []
    names = {
        x.id for t in targets for x in ([t] if isinstance(t, ast.Name) else ast.walk(t)) if isinstance(x, ast.Name)
    }
    plain = all(isinstance(t, (ast.Name, ast.Tuple, ast.List)) for t in targets)
    return (
        plain
        and name in names
        and not (isinstance(s, (ast.Assign, ast.AnnAssign)) and s.value and name in loaded(s.value))
    )


def _updates(s: ast.stmt) -> bool:
    """Whether executing a statement twice may give something else than executing it once: `x += 1`, `x = f(x)`."""
    if isinstance(s, (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef)):
        return False
    for n in ast.walk(s):
        if isinstance(n, ast.AugAssign):
            return True
        if isinstance(n, ast.Assign):
            names = {x.id for t in n.targets for x in ast.walk(t) if isinstance(x, ast.Name)}
            if names & loaded(n.value):
                return True
        if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute):
            if n.func.attr in ("append", "extend", "pop", "step", "backward") or n.func.attr.endswith("_"):
                return True
    return False
