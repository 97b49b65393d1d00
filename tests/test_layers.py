"""Imports point downward, torch is imported by the numeric part only, and theorems are made in one place."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
TOPS = ("derivations", "numeric", "reports")

# From the bottom up: a room may import from rooms above its row here, and imports from no others (without `derivations.`).
ROWS = {
    "derivations._siblings": "",
    "derivations.__init__": "_siblings",
    "derivations.streams": "",
    "derivations.second_reader": "",
    "derivations.language.index": "",
    "derivations.notes": "language.index",
    "derivations.language.term": "language.index",
    "derivations.language.substitution": "language.index language.term",
    "derivations.language.statement": "language.index language.term language.substitution",
    "derivations.language.text": "language.index language.term language.substitution language.statement",
    "derivations.language.extended_reals": "",
    "derivations.language.inputs": "",
    "derivations.language.derivative_values": "language.term language.extended_reals",
    "derivations.language.definedness": "language.term language.extended_reals",
    "derivations.language.degrees": "language.term language.statement",
    "derivations.language.meaning": (
        "language.term language.substitution language.statement language.extended_reals language.inputs "
        "language.derivative_values language.definedness language.degrees"
    ),
    "derivations.language.listed_arrays": "language.term language.substitution language.statement",
    "derivations.language": "language.term language.substitution language.statement",
    "derivations.kernel": (
        "language.term language.substitution language.statement language.text language.extended_reals "
        "language.inputs language.meaning"
    ),
    "derivations.kernel.rules": "language.term language.substitution language.statement kernel",
    "derivations.provers": (
        "language.term language.substitution language.statement language.extended_reals language.inputs "
        "language.meaning kernel kernel.rules"
    ),
    "derivations.latex.syntax": "",
    "derivations.latex": "language.term language.substitution language.statement language.text latex.syntax",
    "derivations.latex.passes": "latex.syntax",
    "derivations.latex.lexicon": "language.index language.term language.substitution language.statement latex.syntax latex.passes",
    "derivations.latex.elaborator": (
        "notes language.term language.substitution language.statement kernel latex.syntax latex.passes latex.lexicon"
    ),
    "derivations.exposition": (
        "language.term language.substitution language.statement language.inputs language.meaning kernel provers latex"
    ),
    "derivations.lifting.symbolic": "notes language.term language.substitution language.statement",
    "derivations.lifting.operations": "notes language.term language.statement kernel lifting.symbolic",
    "derivations.lifting.values": "notes language.term language.substitution lifting.symbolic lifting.operations",
    "derivations.lifting.loops": (
        "language.term language.substitution language.statement kernel lifting.symbolic lifting.operations "
        "lifting.values"
    ),
    "derivations.lifting.interpreter": (
        "notes language.term language.substitution kernel lifting.symbolic lifting.operations lifting.values "
        "lifting.loops"
    ),
    "derivations.lifting": (
        "language.term language.substitution language.statement kernel provers lifting.symbolic lifting.operations "
        "lifting.values lifting.loops lifting.interpreter"
    ),
    "derivations.documents.model": "notes language.term language.statement provers latex.syntax",
    "derivations.documents.formats": "latex.syntax documents.model",
    "derivations.documents": "documents.model documents.formats",
    "derivations.documents.facts": (
        "notes language.term language.statement language.listed_arrays provers latex.syntax latex latex.lexicon "
        "latex.elaborator documents.model documents.formats"
    ),
    "derivations.documents.facts.kinds": "latex.syntax documents.model documents.facts",
    "derivations.project": "documents.model documents.facts",
    "derivations.study.equation_walk": (
        "language.term language.statement provers latex.syntax latex.lexicon latex.elaborator documents.model "
        "documents.facts"
    ),
    "derivations.study.verdict": (
        "notes language.term language.statement provers latex.syntax latex.lexicon documents.model study.equation_walk"
    ),
    "derivations.study.related_lengths": "language.term language.substitution language.statement",
    "derivations.study.strategies": (
        "notes language.term language.substitution language.statement kernel provers latex.lexicon documents.model "
        "documents.facts study.equation_walk study.verdict study.related_lengths"
    ),
    "derivations.study.decimals": (
        "language.meaning language.term language.substitution language.statement language.extended_reals "
        "language.inputs latex.syntax provers"
    ),
    "derivations.study.differing_arrays": "language.statement language.term latex.syntax",
    "derivations.study.said_of_relations": (
        "language.term language.substitution language.statement language.listed_arrays documents.model "
        "documents.facts latex.syntax latex.lexicon study.equation_walk study.verdict"
    ),
    "derivations.study.roles": (
        "documents.model documents.facts study.verdict study.differing_arrays study.said_of_relations"
    ),
    "derivations.study.where_stated": (
        "language.term language.substitution language.statement documents.model study.equation_walk"
    ),
    "derivations.study.worked_values": (
        "notes language.term language.substitution language.statement kernel provers documents.model documents.facts "
        "study.equation_walk study.verdict study.said_of_relations study.where_stated"
    ),
    "derivations.study.array_kinds": "language.term language.statement",
    "derivations.study.said_properties": (
        "language.term language.statement latex.lexicon study.verdict study.array_kinds"
    ),
    "derivations.study.doubts": (
        "language.term language.substitution language.statement language.extended_reals language.inputs "
        "language.meaning language.listed_arrays notes kernel provers latex.syntax latex.passes latex.lexicon "
        "latex.elaborator documents.model documents.facts study.equation_walk study.verdict study.strategies "
        "study.said_of_relations study.decimals study.where_stated study.related_lengths study.said_properties"
    ),
    "derivations.study": (
        "notes language.term language.substitution language.statement language.listed_arrays kernel provers "
        "latex.syntax latex.passes latex.lexicon latex.elaborator documents.model documents.facts "
        "documents.facts.kinds study.equation_walk study.verdict study.strategies study.roles study.decimals "
        "study.where_stated study.doubts study.worked_values study.differing_arrays study.array_kinds "
        "study.said_properties study.said_of_relations"
    ),
    "derivations.code.compare": (
        "notes language.term language.substitution language.statement kernel provers latex.syntax lifting.symbolic "
        "lifting.operations lifting.loops lifting documents.model"
    ),
    "derivations.code": (
        "notes language.term language.substitution language.statement provers latex.syntax lifting.symbolic "
        "lifting.operations lifting.values lifting.loops lifting.interpreter lifting documents.model "
        "documents.facts documents.formats study.equation_walk study.verdict study.where_stated study code.compare"
    ),
    "derivations.reports": "_siblings __init__ latex.syntax documents.model",
    "derivations.reports.outputs": "reports",
    "derivations.reports.layout": "latex.syntax",
    "derivations.reports.plain": "reports",
    "derivations.reports.html": "latex.syntax exposition reports reports.outputs reports.layout reports.plain",
    "derivations.reports.plots": "reports.outputs reports.html",
    "derivations.reports.tex": "latex.syntax reports reports.layout",
    "derivations.api": (
        "language.term language.substitution language.statement language kernel provers latex exposition lifting "
        "study reports.html"
    ),
    "derivations.theorems": "language.statement provers api",
    "derivations.numeric": (
        "_siblings language.term language.substitution language.statement language.extended_reals language.inputs "
        "language.meaning language kernel provers lifting api"
    ),
    "derivations.numeric.running": (
        "language.term language.substitution language.extended_reals language.inputs language.meaning provers "
        "documents.model documents.formats code"
    ),
    "derivations.reports.run": (
        "__init__ streams second_reader notes language.index language.term language.substitution "
        "language.statement language kernel provers latex.syntax latex latex.lexicon exposition documents.model "
        "documents.formats documents documents.facts project study.equation_walk study code reports "
        "reports.outputs reports.plain theorems numeric numeric.running"
    ),
    "derivations": (
        "__init__ streams second_reader kernel provers exposition documents.model documents project "
        "study reports reports.outputs reports.plain reports.html api theorems numeric.running "
        "reports.run"
    ),
}
# Imports against that order, each with its reason.
EXCEPTIONS = {
    ("derivations.__init__", "derivations.api"): "the public names, for type checkers alone",
    ("derivations.language.term", "derivations.language.text"): "a term prints itself",
    ("derivations.language.derivative_values", "derivations.language.meaning"): "a type alone",
    ("derivations.language.definedness", "derivations.language.meaning"): "a type alone",
    (
        "derivations.kernel.replay",
        "derivations.kernel.rules",
    ): "replay uses the table of rules, whose families use the rest of the kernel",
    (
        "derivations.kernel.certificate_reader",
        "derivations.kernel.rules",
    ): "what a certificate says of a step is checked against its rule",
    ("derivations.notes", "derivations.documents.model.document"): "a type alone: the place of a note",
    (
        "derivations.documents.model.document",
        "derivations.documents.facts.directives",
    ): "a type alone: a document keeps what its comments declare",
    (
        "derivations.lifting.values.python_values",
        "derivations.lifting.loops.generic_round",
    ): "a value that was written knows its loop",
    (
        "derivations.lifting.values.members",
        "derivations.lifting.loops.generic_round",
    ): "one member is made in a generic round",
    ("derivations.lifting.values.layers", "derivations.lifting.interpreter.interpret"): "a type alone",
    (
        "derivations.lifting.values.layers",
        "derivations.lifting.interpreter.calls",
    ): "a container of layers calls each of them",
    (
        "derivations.lifting.loops.folds",
        "derivations.lifting.interpreter.interpret",
    ): "a type alone: the body of a loop is run by the interpreter",
    (
        "derivations.lifting.loops.rounds",
        "derivations.lifting.interpreter.interpret",
    ): "a type alone: the body of a loop is run by the interpreter",
    (
        "derivations.reports.outputs",
        "derivations.reports.html.pages",
    ): "a writer is looked up when its kind is asked for",
    (
        "derivations.reports.outputs",
        "derivations.reports.tex.article",
    ): "a writer is looked up when its kind is asked for",
}
UNCLEAR = {
    *("alike", "applied", "base", "besides", "finish", "found", "further", "items", "laws"),
    *("names", "parts", "phrases", "runs", "taken_in", "together", "twins", "words"),
}
"""No module is called so: the name would not say what is in it."""


@cache
def modules() -> dict[str, Path]:
    """Every module by its full name; `derivations` itself is told apart from the entry points beside it."""
    found = {}
    for top in TOPS:
        for path in sorted((ROOT / top).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            name = ".".join(parts if parts == ("derivations", "__init__") else [p for p in parts if p != "__init__"])
            found[name if top == "derivations" else f"derivations.{name}"] = path
    return found


@cache
def trees() -> dict[str, ast.Module]:
    return {name: ast.parse(path.read_text(encoding="utf-8")) for name, path in modules().items()}


def spelled_out(module: str, node: ast.Import | ast.ImportFrom) -> Iterator[str]:
    """The full names that an import asks for, relative ones included."""
    if isinstance(node, ast.Import):
        yield from (a.name for a in node.names)
        return
    base = module.removesuffix(".__init__").split(".")
    if modules()[module].name != "__init__.py":
        base.pop()
    base = base[: len(base) + 1 - node.level] if node.level else []
    place = ".".join([*base, *(node.module or "").split(".")]).strip(".")
    yield from (f"{place}.{a.name}" for a in node.names)


def asked_for(module: str) -> Iterator[str]:
    """Everything that a module imports, also inside functions and for type checkers alone."""
    for node in ast.walk(trees()[module]):
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from spelled_out(module, node)


@cache
def imported(module: str) -> frozenset[str]:
    """Our own modules that a module imports."""
    found = set()
    for name in asked_for(module):
        full = f"derivations.{name}" if name.split(".")[0] in ("numeric", "reports") else name
        parts = full.split(".")
        heads = [".".join(parts[:k]) for k in range(len(parts), 0, -1)]
        ours = next((h for h in heads if h in modules()), None)
        if ours is None and parts[0] == "derivations":
            ours = "derivations.__init__"
        if ours is not None and ours != module:
            found.add(ours)
    return frozenset(found)


def room_of(module: str) -> str:
    """The row for a module: its own, or that of its package."""
    return module if module in ROWS else module.rpartition(".")[0] if module not in packages() else module


@cache
def packages() -> frozenset[str]:
    return frozenset(m for m, path in modules().items() if path.name == "__init__.py" and m != "derivations.__init__")


def arrows(room: str) -> Iterator[tuple[str, str]]:
    """Imports that leave a room, but for the exceptions."""
    for module in modules():
        if room_of(module) == room:
            for other in sorted(imported(module)):
                if room_of(other) != room and (module, other) not in EXCEPTIONS:
                    yield module, other


def test_every_room_has_a_row() -> None:
    rooms = {room_of(m) for m in modules()}
    assert rooms - ROWS.keys() == set(), "a room without a row"
    assert ROWS.keys() - rooms == set(), "a row without a room"
    assert packages() <= ROWS.keys()


@pytest.mark.parametrize("room", ROWS)
def test_imports_point_downward(room: str) -> None:
    lower = list(ROWS)[: list(ROWS).index(room)]
    assert set(ROWS[room].split()) <= {r.removeprefix("derivations.") for r in lower}, (
        f"{room} may only name rooms below it"
    )
    allowed = {f"derivations.{r}" for r in ROWS[room].split()}
    wrong = [f"{module} imports {other}" for module, other in arrows(room) if room_of(other) not in allowed]
    assert not wrong, wrong


@pytest.mark.parametrize("room", ROWS)
def test_rows_allow_no_more_than_is_imported(room: str) -> None:
    used = {room_of(other).removeprefix("derivations.") for _, other in arrows(room)}
    assert set(ROWS[room].split()) == used


def test_exceptions_are_needed() -> None:
    """Each is a real import, and one that its row does not allow anyway."""
    for (module, other), reason in EXCEPTIONS.items():
        assert other in imported(module), f"{module} does not import {other} any more"
        assert room_of(other).removeprefix("derivations.") not in ROWS[room_of(module)].split()
        assert reason


def test_names_of_modules_say_what_is_in_them() -> None:
    unclear = {m for m, path in modules().items() if path.stem in UNCLEAR or path.parent.name in UNCLEAR}
    assert unclear == set()


def test_one_part_of_the_kernel_computes_numbers() -> None:
    inside = [m for m in modules() if m.startswith("derivations.kernel.")]
    values = {f"derivations.language.{m}" for m in ("meaning", "extended_reals", "inputs")}
    assert [m for m in inside if values & imported(m)] == ["derivations.kernel.numbers"]


def test_only_numbers_import_torch() -> None:
    users = [m for m in modules() if any(n.split(".")[0] == "torch" for n in asked_for(m))]
    assert all(u.startswith("derivations.numeric.") or u == "derivations.cli" for u in users), users


def test_theorems_are_made_by_replay_alone() -> None:
    makers = []
    for name, tree in trees().items():
        if "derivations.kernel.theorem" not in imported(name):
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                if node.func.id in ("Theorem", "KernelTheorem"):
                    makers.append(name)
    # api.Theorem and theorems.Theorem are views and rows of other classes
    assert [m for m in makers if m != "derivations.api"] == ["derivations.kernel.replay"]


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys, contextlib, io\n"
        "from derivations.cli import main\n"
        "with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit): main(['--help'])\n"
        "print([m for m in ('sympy', 'torch', 'numpy', 'flint') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout.strip() == "[]"
