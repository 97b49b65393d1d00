"""Compile a definition to a NumPy, torch or JAX function."""

from __future__ import annotations

import builtins
import importlib.util
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from derivations.kernel.theorem import Theorem
from derivations.language.statement import Definition, Theory
from derivations.language.term import Index

from .attention import attention_form, flex_source, proved_form, sdpa_source
from .definitions import Shape, stated
from .emit import DIALECTS, Emitter, size_names
from .program import NotCompiled, Program, lower_definition
from .rewriting import rewritten

LOWERINGS = ("plain", "sdpa", "flex")


@dataclass(frozen=True)
class Compiled:
    """A compiled definition: call it with its tensors by name.

    `source` is the text of the function; `inputs` the shapes of its tensors; `sizes` the names of the sizes.  Raises
    ValueError when the shapes of two inputs contradict one another (the message names both tensors and axes), for
    tensors of other types or on other devices than one another, and for numbers of axes that the source cannot take.
    """

    source: str
    backend: str
    inputs: Mapping[str, tuple[Index, ...]]
    sizes: tuple[str, ...]
    program: Program
    parameters: Mapping[str, str]
    """Sizes that no input tells, and what they are called in the source."""
    function: Callable[..., Any]
    """The function of the source itself: inputs in the order of the definition, then `parameters`."""
    exact: frozenset[str] = frozenset()
    """Inputs that may not have further leading axes."""
    theorem: Theorem | None = None
    """For a lowering: the definition is the formula of the function that is called, proved for all sizes."""

    def save(self, path: str | Path) -> Path:
        """Write the source to a file that needs nothing but its library; returns the path."""
        target = Path(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(self.source, encoding="utf-8")
        return target

    def __call__(self, **tensors: Any) -> Any:
        needed = [*self.inputs, *self.parameters]
        missing = [n for n in needed if n not in tensors]
        if missing:
            raise TypeError(f"needed {', '.join(needed)}; {', '.join(missing)} is missing")
        unknown = [n for n in tensors if n not in needed]
        if unknown:
            raise TypeError(f"needed {', '.join(needed)}; {unknown[0]} is none of them")
        self.check(tensors)
        return self.function(*(tensors[n] for n in needed))

    def check(self, tensors: Mapping[str, Any]) -> None:
        """Kinds, types, devices and numbers of axes; the source compares the lengths itself."""
        first: str | None = None
        for name, shape in self.inputs.items():
            x = tensors[name]
            if not shape and not hasattr(x, "shape"):
                continue  # a number
            if not hasattr(x, "shape") or not hasattr(x, "dtype"):
                raise TypeError(f"{name}: needed an array of {self.backend}, found {type(x).__name__}")
            rank = len(x.shape)
            if rank < len(shape) or (rank > len(shape) and name in self.exact):
                most = "" if name in self.exact else "at least "
                raise ValueError(f"{name} has {rank} axes (shape {tuple(x.shape)}), needed {most}{len(shape)}")
            if 0 in tuple(x.shape)[rank - len(shape) :]:
                axis = tuple(x.shape)[rank - len(shape) :].index(0)
                raise ValueError(f"{name} has length 0 on axis {axis}: sizes are at least 1")
            if not _floating(x):
                raise TypeError(f"{name} is {_word(x.dtype)}, needed floating point")
            if not shape:
                continue
            first = first or name
            for what in ("dtype", "device"):
                one, two = (_word(getattr(tensors[n], what, "")) for n in (first, name))
                if one != two:
                    raise ValueError(f"{first} and {name} differ: {one} and {two}")


def compile(  # noqa: A001 - numeric.compile is what it is called
    definition: Any,
    *,
    backend: str = "torch",
    lowering: str = "plain",
    where: Iterable[Any] = (),
    shapes: Mapping[str, Shape | str] | None = None,
) -> Compiled:
    """An array function that computes a definition, with its `source`, which `save(path)` writes to a file.

    `definition` is a `derivations.Definition` (those that it uses in `where`), a pair of a definition and its theory, or
    a plain torch or NumPy function, which is read and never run, with the axes of its parameters in `shapes`.
    `backend` is `numpy`, `torch` or `jax`.  `lowering` is `plain`, or for torch `sdpa` or `flex`: a call of
    `F.scaled_dot_product_attention` or of FlexAttention, for a definition that is proved to be its formula (`theorem`).
    Raises `NotCompiled` with the part that has no array program, or is not of that form.

    >>> from sympy import IndexedBase, Sum, symbols
    >>> from derivations import Definition
    >>> i, c, n, d = symbols("i c n d", integer=True)
    >>> x, mean = IndexedBase("x", shape=(n, d)), IndexedBase("mean", shape=(n,))
    >>> rows = compile(Definition(mean[i], Sum(x[i, c], (c, 0, d - 1)) / d), backend="numpy")
    >>> print(rows.source.splitlines()[-1].strip())
    return x.mean(axis=-1)
    """
    return compile_definition(*stated(definition, where, shapes), backend, lowering)


def compile_definition(
    definition: Definition, theory: Theory, backend: str = "numpy", lowering: str = "plain"
) -> Compiled:
    """A function that computes the defined array; raises `NotCompiled` with the part that has no array program.

    The source is our own, made from the term; nothing of a document is executed.
    """
    if backend not in DIALECTS:
        raise ValueError(f"needed a backend of {', '.join(DIALECTS)}, found {backend!r}")
    if lowering not in LOWERINGS:
        raise ValueError(f"needed a lowering of {', '.join(LOWERINGS)}, found {lowering!r}")
    if lowering != "plain" and backend != "torch":
        raise ValueError(f"needed the backend torch for the lowering {lowering}, found {backend!r}")
    program = rewritten(lower_definition(definition, theory))
    if lowering != "plain":
        form = attention_form(program)
        theorem = proved_form(form, definition, theory)
        source, exact = {"sdpa": sdpa_source, "flex": flex_source}[lowering](form)
        return replace(assembled(program, source, backend, exact), theorem=theorem)
    return emitted(program, backend)


def emitted(program: Program, backend: str) -> Compiled:
    """The function of a program in the plain operations of a backend."""
    emitter = Emitter(program, DIALECTS[backend])
    return assembled(program, emitter.source(), backend, emitter.exact)


def assembled(program: Program, source: str, backend: str, exact: Iterable[str]) -> Compiled:
    """The function of a source that was made from a program."""
    namespace: dict[str, Any] = {"compute": _missing(backend)}
    if importlib.util.find_spec(backend) is not None:
        exec(
            builtins.compile(source, f"<derivations {backend}>", "exec"), namespace
        )  # source made here, from terms only
    names = size_names(program)
    return Compiled(
        source=source,
        backend=backend,
        inputs=dict(program.inputs),
        sizes=tuple(program.sizes),
        program=program,
        parameters={s: names[s] for s in program.parameters},
        function=namespace["compute"],
        exact=frozenset(exact),
    )


def _missing(backend: str) -> Callable[..., Any]:
    """What stands for the function where its library is not installed; the source is there all the same."""

    def compute(*_: Any) -> Any:
        raise ModuleNotFoundError(f"{backend} is not installed; `source` and `save` need it not")

    return compute


def _word(x: Any) -> str:
    return str(x).rpartition(".")[2]


def _floating(x: Any) -> bool:
    return _word(x.dtype).startswith(("float", "bfloat"))


__all__ = ["LOWERINGS", "Compiled", "NotCompiled", "assembled", "compile", "compile_definition", "emitted"]
