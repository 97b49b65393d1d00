"""pytest --derivations in projects of others: what is collected, how a failure reads, what is never imported."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from sympy import Eq, IndexedBase, Sum, exp, symbols

import derivations
from derivations import Definition, assert_equivalent

ROOT = Path(derivations.__file__).resolve().parent.parent
GOOD = "Let $S \\in \\mathbb{R}^{n \\times m}$ and $$A_{ij} = \\frac{e^{S_{ij}}}{\\sum_{k=1}^{m} e^{S_{ik}}}.$$\n\n$$\\sum_{j=1}^{m} A_{ij} = 1$$\n"
WRONG = "\n$$\\sum_{i=1}^{n} A_{ij} = 1$$\n"
OWN = """
import numeric, reports
import tests.helper

def test_own():
    assert numeric.mine and reports.mine and tests.helper.mine
"""


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """pytest as its own process, with our plugin and no other."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEST_", "COV_"))}
    env |= {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONPATH": str(ROOT), "COLUMNS": "160"}
    command = [sys.executable, "-m", "pytest", "-p", "derivations.pytest_plugin", "-p", "no:cacheprovider", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, env=env, check=False)


def project(tmp_path: Path, **files: str) -> Path:
    (tmp_path / "pyproject.toml").write_text("[tool.pytest.ini_options]\naddopts = ['--strict-markers']\n")
    for name, text in files.items():
        (tmp_path / f"{name}.md").write_text(text, encoding="utf-8")
    return tmp_path


def test_one_test_for_each_claim(tmp_path: Path) -> None:
    done = run(project(tmp_path, a=GOOD + WRONG), "--derivations", "-v")
    assert done.returncode == 1
    assert "a.md::L3-claim-eq-2 PASSED" in done.stdout
    assert "a.md::L5-claim-eq-3 FAILED" in done.stdout
    assert "1 failed, 1 passed" in done.stdout
    assert "derivations: 1 document, 2 claims" in done.stdout


def test_documents_beside_a_named_one_are_not_counted(tmp_path: Path) -> None:
    done = run(project(tmp_path, a=GOOD + WRONG, b=GOOD), "--derivations", "a.md")
    assert "derivations: 1 document, 2 claims" in done.stdout


def test_a_failure_says_statement_witness_and_suggestion(tmp_path: Path) -> None:
    said = run(project(tmp_path, a=GOOD + WRONG), "--derivations").stdout
    for part in (r"\sum_{i=1}^{n} A_{ij} = 1", "a.md:5:3", "fails at", "left side   2", "did you mean"):
        assert part in said
    assert "Traceback" not in said
    assert ".py:" not in said


def test_without_the_flag_nothing_is_collected_or_imported(tmp_path: Path) -> None:
    folder = project(tmp_path, a=GOOD + WRONG)
    (folder / "test_modules.py").write_text(
        "import sys\n\ndef test_nothing():\n"
        "    assert not {m for m in sys.modules if m.split('.')[0] in ('sympy', 'flint', 'numpy', 'torch', 'numeric', 'reports')}\n"
        "    assert {m for m in sys.modules if m.startswith('derivations')} <= {'derivations', 'derivations._siblings', 'derivations.pytest_plugin'}\n"
    )
    done = run(folder)
    assert "1 passed" in done.stdout, done.stdout
    assert "derivations:" not in done.stdout


def test_torch_is_not_imported_with_the_flag(tmp_path: Path) -> None:
    folder = project(tmp_path, a=GOOD)
    (folder / "test_zz.py").write_text("import sys\n\ndef test_torch():\n    assert 'torch' not in sys.modules\n")
    assert "2 passed" in run(folder, "--derivations").stdout


@pytest.mark.parametrize("mode", ["prepend", "append", "importlib"])
def test_a_project_with_its_own_reports_numeric_and_tests(mode: str, tmp_path: Path) -> None:
    folder = project(tmp_path, a=GOOD + WRONG)
    for name in ("reports/__init__.py", "numeric.py", "tests/__init__.py", "tests/helper.py"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("mine = True\n")
    (folder / "tests" / "test_own.py").write_text(OWN)
    done = run(folder, "--derivations", f"--import-mode={mode}")
    assert "1 failed, 2 passed" in done.stdout, done.stdout
    assert "FAILED a.md::L5-claim-eq-3" in done.stdout


SELECTED = {
    "-k L3": "1 passed, 1 deselected",
    "-k eq-3": "1 failed, 1 deselected",
    "-k false-claim": "1 failed, 1 deselected",
    "-m derivations": "1 failed, 1 passed",
    "-m 'not derivations'": "2 deselected",
    "a.md::L3-claim-eq-2": "1 passed",
}


@pytest.mark.parametrize("option", SELECTED)
def test_selection(option: str, tmp_path: Path) -> None:
    arguments = [w.strip("'") for w in option.split(" ", 1)]
    assert SELECTED[option] in run(project(tmp_path, a=GOOD + WRONG), "--derivations", *arguments).stdout


def test_xdist(tmp_path: Path) -> None:
    pytest.importorskip("xdist", reason="pytest-xdist is not installed")
    done = run(project(tmp_path, a=GOOD + WRONG, b=GOOD), "--derivations", "-p", "xdist.plugin", "-n", "2")
    assert "1 failed, 2 passed" in done.stdout, done.stdout + done.stderr


def test_what_is_not_decided_is_counted_and_never_passes(tmp_path: Path) -> None:
    text = GOOD + "\n$$A_{ij} = \\foo{S}$$\n\n<!-- derivations: ignore[false-claim] errata -->\n" + WRONG
    folder = project(tmp_path, a=text)
    done = run(folder, "--derivations", "-rs")
    assert "2 passed, 2 skipped" in done.stdout
    assert "not read:" in done.stdout
    assert "ignored: errata" in done.stdout
    strict = run(folder, "--derivations-strict")
    assert "1 failed, 2 passed, 1 skipped" in strict.stdout


def test_expected_refutations_are_expected_failures(tmp_path: Path) -> None:
    text = GOOD + "\n<!-- derivations: expect: refuted an exercise -->\n" + WRONG
    done = run(project(tmp_path, a=text), "--derivations", "-rx")
    assert "2 passed, 1 xfailed" in done.stdout
    assert "expected to be refuted: an exercise" in done.stdout
    done = run(project(tmp_path, a=text.replace("i=1}^{n}", "j=1}^{m}")), "--derivations")
    assert done.returncode == 1
    assert "needed something refuted here" in done.stdout


def test_a_document_that_cannot_be_read_fails(tmp_path: Path) -> None:
    folder = project(tmp_path)
    (folder / "a.ipynb").write_text("{", encoding="utf-8")
    done = run(folder, "--derivations")
    assert done.returncode == 1
    assert "needed a notebook in JSON" in done.stdout


def test_excluded_files_and_mistakes_of_the_project_file(tmp_path: Path) -> None:
    folder = project(tmp_path, a=GOOD, b=GOOD)
    settings = folder / "pyproject.toml"
    settings.write_text('[tool.derivations]\nexclude = ["b.md"]\n')
    assert "1 passed" in run(folder, "--derivations").stdout
    settings.write_text('[tool.derivations]\nexlude = ["b.md"]\n')
    done = run(folder, "--derivations")
    assert done.returncode == 4
    assert "did you mean 'exclude'?" in done.stderr + done.stdout


def test_no_document_is_said(tmp_path: Path) -> None:
    (tmp_path / "test_own.py").write_text("def test_own(): pass\n")
    assert "derivations: no document was found" in run(tmp_path, "--derivations").stdout


def test_text_and_python_files_are_collected_when_they_are_named(tmp_path: Path) -> None:
    folder = project(tmp_path)
    (folder / "a.txt").write_text(GOOD, encoding="utf-8")
    assert run(folder, "--derivations").returncode == 5
    assert "1 passed" in run(folder, "--derivations", "a.txt").stdout


def test_the_entry_point_is_the_tiny_module() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert settings["project"]["entry-points"]["pytest11"] == {"derivations": "derivations.pytest_plugin"}


def test_a_wheel_has_one_package() -> None:
    """Bare `numeric` and `reports` in site-packages would shadow the modules of projects that are installed in place."""
    wheel = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]["build"]["targets"][
        "wheel"
    ]
    assert wheel["packages"] == ["derivations"]
    assert wheel["force-include"] == {name: f"derivations/{name}" for name in ("numeric", "reports")}


# --- assert_equivalent ----------------------------------------------------------------------------------------------

i, j, k, n, m = symbols("i j k n m", integer=True)
s, A = IndexedBase("s", shape=(n, m)), IndexedBase("A", shape=(n, m))
x = IndexedBase("x", shape=(n,))
SOFTMAX = Definition(A[i, j], exp(s[i, j]) / Sum(exp(s[i, k]), (k, 0, m - 1)))


def test_equivalent_is_a_theorem() -> None:
    theorem = assert_equivalent(Sum(A[i, j], (j, 0, m - 1)), 1, where=[SOFTMAX])
    assert theorem.certificate()


def test_refuted_says_witness_and_suggestion() -> None:
    with pytest.raises(AssertionError) as error:
        assert_equivalent(Sum(A[i, j], (i, 0, n - 1)), 1, where=[SOFTMAX])
    assert "refuted: left" in str(error.value)
    assert "did you mean" in str(error.value)


def test_undecided_fails() -> None:
    with pytest.raises(AssertionError, match="undecided"):
        assert_equivalent(x[i], 3, given=[Eq(x[i], 1), Eq(x[i], 2)])
