"""Imports point downward, torch is imported by the numeric part only, and theorems are made in one place."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
ALLOWED = {
    "derivations.language": {"derivations.language"},
    "derivations.kernel": {
        "derivations.kernel", "derivations.language.term", "derivations.language.meaning", "derivations.language.text",
    },
    "derivations.provers": {"derivations.provers", "derivations.kernel", "derivations.language", "derivations.latex.writer"},
    "derivations.latex": {"derivations.latex", "derivations.language", "derivations.kernel"},
    "derivations.documents": {
        "derivations.documents", "derivations.latex", "derivations.language", "derivations.kernel", "derivations.provers",
        "derivations.lifting",
    },
    "derivations.lifting": {"derivations.lifting", "derivations.language", "derivations.kernel", "derivations.provers"},
    "derivations.theorems": {"derivations.theorems", "derivations.api", "derivations.language", "derivations.provers"},
}  # fmt: skip


def modules() -> list[Path]:
    return sorted(p for top in ("derivations", "numeric", "reports") for p in (ROOT / top).rglob("*.py"))


def imported(path: Path) -> list[str]:
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found += [a.name for a in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            found += [f"{node.module}.{a.name}" for a in node.names]
    return found


@pytest.mark.parametrize("layer", ALLOWED)
def test_imports_point_downward(layer: str) -> None:
    folder = ROOT.joinpath(*layer.split("."))
    files = sorted(folder.rglob("*.py"))
    assert files
    for path in files:
        for name in imported(path):
            if name.split(".")[0] in ("derivations", "numeric", "reports"):
                assert any(name == a or name.startswith(a + ".") for a in ALLOWED[layer]), f"{path.name} imports {name}"


def test_one_part_of_the_kernel_computes_numbers() -> None:
    users = [
        p.name for p in modules() if p.parent.name == "kernel" and any("language.meaning" in n for n in imported(p))
    ]
    assert users == ["numbers.py"]


def test_only_numbers_import_torch() -> None:
    users = [p.relative_to(ROOT).as_posix() for p in modules() if any(n.split(".")[0] == "torch" for n in imported(p))]
    assert all(u.startswith("numeric/") or u == "derivations/cli.py" for u in users), users


def test_theorems_are_made_by_replay_alone() -> None:
    makers = []
    for path in modules():
        source = path.read_text(encoding="utf-8")
        from_kernel = "kernel.theorem import" in source
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and from_kernel:
                if node.func.id in ("Theorem", "KernelTheorem"):
                    makers.append(path.relative_to(ROOT).as_posix())
    # api.Theorem and theorems.Theorem are views and rows of other classes
    assert [m for m in makers if m not in ("derivations/api.py",)] == ["derivations/kernel/replay.py"]


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys, contextlib, io\n"
        "from derivations.cli import main\n"
        "with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit): main(['--help'])\n"
        "print([m for m in ('sympy', 'torch', 'numpy', 'flint') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout.strip() == "[]"
