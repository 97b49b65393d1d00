"""Compile a definition to a NumPy or torch function."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from derivations.language.term import Definition, Index, Theory

from .emit import DIALECTS, safe, size_names, write_source
from .program import NotCompiled, Program, lower_definition


@dataclass(frozen=True)
class Compiled:
    """A compiled definition: call it with its tensors by name.

    `source` is the text of the function; `inputs` the shapes of its tensors; `sizes` the names of the sizes.  Raises
    ValueError when the shapes of two inputs contradict one another (the message names both tensors and axes).
    """

    source: str
    backend: str
    inputs: Mapping[str, tuple[Index, ...]]
    sizes: tuple[str, ...]
    program: Program
    parameters: Mapping[str, str]
    """Sizes that no input tells, and what they are called in the source."""
    function: Callable[..., Any]

    def save(self, path: str | Path) -> Path:
        """Write the source to a file that needs nothing but its library; returns the path."""
        target = Path(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(self.source, encoding="utf-8")
        return target

    def __call__(self, **tensors: Any) -> Any:
        needed = [*sorted(self.inputs), *self.parameters]
        missing = [n for n in needed if n not in tensors]
        if missing:
            raise TypeError(f"needed {', '.join(needed)}; {', '.join(missing)} is missing")
        arguments = {safe(n): tensors[n] for n in self.inputs}
        return self.function(**arguments, **{name: tensors[n] for n, name in self.parameters.items()})


def compile_definition(definition: Definition, theory: Theory, backend: str = "numpy") -> Compiled:
    """A function that computes the defined array; raises `NotCompiled` with the part that has no array program.

    `backend` is `numpy` or `torch`.  The source is our own, made from the term; nothing of a document is executed.
    """
    if backend not in DIALECTS:
        raise ValueError(f"needed a backend of {', '.join(DIALECTS)}, found {backend!r}")
    program = lower_definition(definition, theory)
    source = write_source(program, DIALECTS[backend])
    namespace: dict[str, Any] = {}
    exec(compile(source, f"<derivations {backend}>", "exec"), namespace)  # source made above, from terms only
    names = size_names(program)
    parameters = {s: names[s] for s in program.parameters}
    return Compiled(
        source, backend, dict(program.inputs), tuple(program.sizes), program, parameters, namespace["compute"]
    )


__all__ = ["Compiled", "NotCompiled", "compile_definition"]
