"""The sibling packages are ours, whatever else carries their bare names."""

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import derivations
from derivations import _siblings


def run(code: str, folder: Path) -> str:
    """Run `code` in a fresh interpreter that starts in `folder`, the first entry of its ``sys.path``."""
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("name", _siblings.NAMES)
def test_a_users_own_package_does_not_shadow_ours(name: str, tmp_path: Path) -> None:
    (tmp_path / name).mkdir()
    (tmp_path / name / "__init__.py").write_text("mine = True\n")
    ours = _siblings.location(name)
    code = (
        f"import derivations.{name} as ours, {name} as mine; print(ours.__file__); print(mine.mine, mine is not ours)"
    )
    assert run(code, tmp_path).splitlines() == [str(ours / "__init__.py"), "True True"]


@pytest.mark.parametrize("name", _siblings.NAMES)
def test_a_users_own_module_imported_first_does_not_shadow_ours(name: str, tmp_path: Path) -> None:
    (tmp_path / f"{name}.py").write_text("mine = True\n")
    code = f"import {name}; import derivations; print({name}.mine, derivations.{name}.__file__)"
    assert run(code, tmp_path) == f"True {_siblings.location(name) / '__init__.py'}"


@pytest.mark.parametrize("name", _siblings.NAMES)
@pytest.mark.parametrize("order", ["{0}, derivations.{0}", "derivations.{0}, {0}"])
def test_the_bare_name_is_the_same_module_when_it_means_ours(name: str, order: str, tmp_path: Path) -> None:
    root = str(_siblings.location(name).parent)
    code = f"import sys; sys.path.insert(0, {root!r}); import {order.format(name)}; print({name} is derivations.{name})"
    assert run(code, tmp_path) == "True"


@pytest.mark.parametrize("name", _siblings.NAMES)
def test_submodules_are_loaded_once(name: str, tmp_path: Path) -> None:
    place = _siblings.location(name)
    files = (p.relative_to(place).with_suffix("") for p in place.rglob("*.py") if p.stem != "__init__")
    modules = sorted(".".join(p.parts) for p in files)
    if not modules:
        pytest.skip(f"{name} has no submodule")
    root = str(_siblings.location(name).parent)
    code = f"import sys; sys.path.insert(0, {root!r})\n" + "\n".join(
        f"import {name}.{module} as bare, derivations.{name}.{module} as full\n"
        f"print(bare is full, full.__name__ == full.__spec__.name == 'derivations.{name}.{module}')"
        for module in modules
    )
    assert run(code, tmp_path).splitlines() == ["True True"] * len(modules)


@pytest.mark.parametrize("name", _siblings.NAMES)
def test_who_loads_by_file_finds_the_module_that_is_loaded(name: str, tmp_path: Path) -> None:
    """pytest does so for doctests, and then sets the attribute of the package: a copy would hide the module in use."""
    folder = _siblings.location(name)
    paths = sorted(p for p in folder.rglob("*.py") if p.name != "__init__.py")
    assert len(paths) >= 10
    code = f"""
import importlib, sys
from pathlib import Path
from _pytest.pathlib import ImportMode, import_path
sys.path.insert(0, {str(folder.parent)!r})
import derivations, {name}
for file in {[str(p) for p in paths]!r}:
    loaded = import_path(file, mode=ImportMode.importlib, root=Path({str(folder.parent)!r}), consider_namespace_packages=False)
    full = "derivations." + ".".join(Path(file).relative_to({str(folder.parent)!r}).with_suffix("").parts)
    parent, _, last = full.rpartition(".")
    print(loaded is importlib.import_module(full) is getattr(sys.modules[parent], last))
"""
    assert run(code, tmp_path).splitlines() == ["True"] * len(paths)


def test_no_file_of_ours_is_loaded_twice() -> None:
    """Here, where pytest has collected what it was asked for."""
    import_module("derivations.reports")
    loaded: dict[str, set[int]] = {}
    for module in list(sys.modules.values()):
        file = getattr(module, "__file__", None)
        if file and any(Path(file).is_relative_to(_siblings.location(name)) for name in _siblings.NAMES):
            loaded.setdefault(file, set()).add(id(module))
    assert loaded
    assert [file for file, copies in loaded.items() if len(copies) > 1] == []


def test_only_siblings_have_a_location() -> None:
    with pytest.raises(ValueError, match=r"one of numeric, reports; found 'sympy'"):
        _siblings.location("sympy")


def test_an_unknown_name_says_what_there_is() -> None:
    with pytest.raises(AttributeError, match=r"has no attribute 'proof'; it has .*prove"):
        _ = derivations.proof
