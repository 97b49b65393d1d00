"""How a counterexample about code is fed to the code itself: which variable holds what, and which entry is compared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from derivations.language.term import Index, Lambda


@dataclass(frozen=True)
class Binding:
    """A variable or parameter of the code, and what it holds in terms of the statement's tensors."""

    name: str
    shape: tuple[Index, ...]
    value: Lambda
    parameter: bool = False


@dataclass(frozen=True)
class Replay:
    """A value of the code: a function's result, or the name `name` after the statement at a line of a block.

    `sizes` are the names that the code has for sizes; `places` holds, for each statement that was decided, the entry of
    the code's value that it speaks of.
    """

    name: str
    function: bool
    block: int
    line: int
    bindings: tuple[Binding, ...]
    sizes: Mapping[str, Index]
    places: tuple[tuple[Index, ...], ...]
