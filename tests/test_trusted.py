"""What is trusted is computed from imports, and said alike in two places; the page of the format names every rule."""

import ast
import re
from pathlib import Path

import pytest

from derivations import kernel
from derivations.kernel.certificate_reader import ARGUMENTS, arguments
from derivations.kernel.rules import RULES

ROOT = Path(__file__).resolve().parent.parent
ROOTS = ("derivations.kernel.replay", "derivations.kernel.certificate")
LIBRARIES = {"flint"}
"""Libraries beside Python's own that the trusted modules import."""


def file_of(module: str) -> Path | None:
    """The source of a module of `derivations`; None for what is no module."""
    place = ROOT.joinpath(*module.split("."))
    return next((p for p in (place.with_suffix(".py"), place / "__init__.py") if p.is_file()), None)


def imported(module: str) -> set[str]:
    """Modules that a module imports, also inside functions and relatively, with the packages that they lie in."""
    path = file_of(module)
    assert path is not None
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    return imports_of(path.read_text(encoding="utf-8"), module, package)


def imports_of(source: str, module: str, package: str) -> set[str]:
    """What a source imports."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {a.name for a in node.names}
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            found |= {base, *(f"{base}.{a.name}" for a in node.names)}
        elif isinstance(node, ast.Call) and ast.unparse(node.func) in ("__import__", "import_module"):
            raise AssertionError(f"{module} imports what cannot be told from its source")
    return found


def reached() -> tuple[set[str], set[str]]:
    """(modules of `derivations` that replay and certificates rest on, libraries that are not Python's own)."""
    import sys

    known, libraries, pending = set[str](), set[str](), list(ROOTS)
    while pending:
        module = pending.pop()
        if module in known:
            continue
        known.add(module)
        for name in imported(module):
            top = name.split(".")[0]
            if top == "derivations":
                packages = [name.rsplit(".", k)[0] for k in range(name.count("."))]
                # the package itself only loads what is asked for by name (see its `__getattr__`): nothing is asked for
                pending += [m for m in packages if m != "derivations" and file_of(m)]
            elif top not in sys.stdlib_module_names:
                libraries.add(top)
    return known, libraries


def written(text: str) -> set[str]:
    """The modules that a text names: kernel/replay.py and the like, in its list of what is trusted."""
    return {
        "derivations." + found.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        for found in re.findall(r"`((?:kernel|language)/[\w/]+\.py)`", text)
    }


def test_imports_are_found_where_they_hide() -> None:
    assert "derivations.kernel.replay" in imported("derivations.kernel.rules.powers")  # inside a function
    relative = "def f():\n    from .b import c\n    from .. import d\n"
    assert {"p.q.b.c", "p.d"} <= imports_of(relative, "p.q.a", "p.q")
    with pytest.raises(AssertionError, match="cannot be told"):
        imports_of("from importlib import import_module\nimport_module(name)\n", "p.q.a", "p.q")
    assert "derivations.language.text" in imported("derivations.language.term")


def test_the_list_of_what_is_trusted_is_the_one_that_imports_give() -> None:
    known, libraries = reached()
    assert len(known) > 15
    docstring = kernel.__doc__ or ""
    page = (ROOT / "docs/what-is-proved.md").read_text(encoding="utf-8").split("## Trust")[1].split("\n## ")[0]
    assert written(docstring) == known
    assert written(page) == known
    assert libraries == LIBRARIES
    assert all(f"`{library}`" in text for library in LIBRARIES for text in (docstring, page))


def rows_of_the_page() -> dict[str, tuple[str, str]]:
    """Of each rule in the table of docs/certificates.md its arguments, and its mark."""
    page = (ROOT / "docs/certificates.md").read_text(encoding="utf-8")
    table = page.split("| rule | arguments |")[1].split("\n\n")[0]
    rows = re.findall(r"^\| `(\w+)`( \*)? \| ([^|]*) \|", table, re.MULTILINE)
    assert len({name for name, _, _ in rows}) == len(rows)
    return {name: (given.strip(), mark.strip()) for name, mark, given in rows}


def test_every_rule_is_on_the_page_with_its_arguments() -> None:
    rows = rows_of_the_page()
    assert list(rows) == list(RULES)
    for name, (given, mark) in rows.items():
        taken = arguments(name)
        said = dict(re.findall(r"`(\w+)`: ([^;]*)", given))
        assert set(said) == set(taken), name
        for argument, (annotation, needed) in taken.items():
            assert said[argument].startswith(ARGUMENTS[annotation][0]), (name, argument)
            assert ("left out" in said[argument]) == (not needed), (name, argument)
        assert (mark == "*") == RULES[name].extended, name


def test_every_kind_is_on_the_page() -> None:
    from derivations.kernel.certificate import FORMAT, KEYS
    from derivations.kernel.certificate_reader import KINDS

    page = (ROOT / "docs/certificates.md").read_text(encoding="utf-8")
    assert all(f"`{kind}`" in page for kind in KINDS) and f"`{FORMAT}`" in page
    assert all(f"| `{key}` |" in page for key in KEYS)
