"""Floating point: compile definitions to NumPy and torch, bound their errors, cross-check them.

Works as `numeric` and as `derivations.numeric`; torch is imported only by what runs on it. The names below are loaded on
first use: the process that cross-checks is started before anything else of this package is needed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if __name__ == "numeric":
    # Imported under its bare name: hand out the one module object that `derivations.numeric` is.
    from derivations._siblings import adopt

    adopt(__name__)

if TYPE_CHECKING:
    from .bounds import ARITHMETICS, Model, error_bound
    from .compiled import Compiled, NotCompiled, compile, compile_definition
    from .crosscheck import cross_check
    from .kernels import KernelMismatch, Verdict, assert_within_bound, check_within_bound

__all__ = [
    "ARITHMETICS",
    "Compiled",
    "KernelMismatch",
    "Model",
    "NotCompiled",
    "Verdict",
    "assert_within_bound",
    "check_within_bound",
    "compile",
    "compile_definition",
    "cross_check",
    "error_bound",
]

_PLACES = {
    "bounds": ("ARITHMETICS", "Model", "error_bound"),
    "compiled": ("Compiled", "NotCompiled", "compile", "compile_definition"),
    "crosscheck": ("cross_check",),
    "kernels": ("KernelMismatch", "Verdict", "assert_within_bound", "check_within_bound"),
}
_PLACE = {name: module for module, names in _PLACES.items() for name in names}


def __getattr__(name: str) -> Any:
    """Load a public name, or a module of the package, on first use.

    Errors: AttributeError for a name that the package does not have.
    """
    from importlib import import_module

    if name in _PLACE:
        return getattr(import_module(f"{__name__}.{_PLACE[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}; it has {', '.join(__all__)}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
