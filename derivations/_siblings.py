"""Finds the sibling packages `numeric` and `reports` by their place on disk.

Their bare names are common: a user's own ``reports/`` folder, being first on ``sys.path``, shadows ours. So everything
in this distribution imports them as `derivations.numeric` and `derivations.reports`, which this finder resolves to the
folders next to this package, or, as a wheel installs them, inside it: bare names in site-packages would in turn shadow
modules of a project that is installed in place. Where a bare name does mean ours, it is the same module object, never a
second copy whose classes would not be equal.
"""

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.abc import Loader, MetaPathFinder
else:  # the bases do nothing here, and importing them is half of what importing this package takes
    Loader = MetaPathFinder = object

NAMES = ("numeric", "reports")
_PACKAGE = __name__.rpartition(".")[0]
_ROOT = Path(__file__).resolve().parent.parent


class _Alias(Loader):
    """Loads a bare name such as ``numeric.bounds`` as the module ``derivations.numeric.bounds``."""

    def __init__(self, real: ModuleType) -> None:
        self.real = real
        self.spec = real.__spec__

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return self.real

    def exec_module(self, module: ModuleType) -> None:
        # The import system has just written the alias's spec over the module's own.
        module.__spec__ = self.spec


class SiblingFinder(MetaPathFinder):
    """A meta path finder for ``derivations.numeric``, ``derivations.reports`` and aliases of their submodules."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the spec of a sibling package or of an alias, or None for every other name."""
        head, _, rest = fullname.partition(".")
        if head == _PACKAGE and rest in NAMES:
            folder = location(rest)
            return spec_from_file_location(fullname, folder / "__init__.py", submodule_search_locations=[str(folder)])
        if head in NAMES and rest:
            ours = sys.modules.get(f"{_PACKAGE}.{head}")
            if ours is not None and sys.modules.get(head) is ours:
                real = import_module(f"{_PACKAGE}.{fullname}")
                # With the origin: who loads modules by their files, as pytest does, sees that this file is loaded.
                return ModuleSpec(fullname, _Alias(real), origin=real.__file__)
        return None


def install() -> None:
    """Put the finder on ``sys.meta_path`` once."""
    if not any(isinstance(finder, SiblingFinder) for finder in sys.meta_path):
        sys.meta_path.insert(0, SiblingFinder())


def adopt(name: str) -> None:
    """Make the bare module `name`, which is being imported from our own folder, the module ``derivations.name``."""
    sys.modules[name] = import_module(f"{_PACKAGE}.{name}")


def location(name: str) -> Path:
    """Return the folder of the sibling package `name`.

    Errors: ValueError for a name that is not a sibling.
    """
    if name not in NAMES:
        raise ValueError(f"a sibling package is needed, one of {', '.join(NAMES)}; found {name!r}")
    inside = _ROOT / _PACKAGE / name
    return inside if inside.is_dir() else _ROOT / name
