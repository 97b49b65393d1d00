"""Proofs and refutations, for all sizes, of the equations that documents about attention write.

>>> import derivations
>>> derivations.__version__
'0.1.0'

The names below are loaded on first use, so that importing the package (and ``derivations --help``) stays cheap.
`derivations.numeric` and `derivations.reports` are the sibling packages of this distribution, found by their place on
disk: a user's own ``reports/`` folder cannot shadow them.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from . import _siblings

if TYPE_CHECKING:
    from .api import *  # noqa: F403

__version__ = "0.1.0"

_FROM_API = (
    *("Calculation", "Decision", "Definition", "NotProved", "Proved", "Refuted", "Theorem", "Undecided"),
    *("assert_equivalent", "calculate", "decide", "equivalent", "lift", "prove"),
)

_siblings.install()


def __getattr__(name: str) -> Any:
    """Load a public name on first use.

    Errors: AttributeError for a name that the package does not have.
    """
    if name in _FROM_API:
        return getattr(import_module(f"{__name__}.api"), name)
    if name == "lambdify":
        return import_module(f"{__name__}.numeric.lambdified").lambdify
    if name in _siblings.NAMES:
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}; it has {', '.join([*_FROM_API, 'lambdify'])}")


def load_ipython_extension(shell: Any) -> None:
    """`%load_ext derivations` in Jupyter: see `derivations.jupyter`."""
    import_module(f"{__name__}.jupyter").load(shell)


def __dir__() -> list[str]:
    return sorted([*globals(), *_FROM_API, "lambdify", *_siblings.NAMES])
