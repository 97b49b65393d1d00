"""SymPy's `lambdify` for expressions with indexed sums: array programs instead of loops over entries."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import sympy

from derivations.language.statement import Definition, Theory
from derivations.language.substitution import subterms
from derivations.language.sympy_bridge import BridgeError, Names
from derivations.language.term import Entry, Index

from .compiled import Compiled, compile_definition


@dataclass(frozen=True)
class Lambdified:
    """A function of the arguments in order; `source` is its text, `axes` the free indices of the expression, which are
    the axes of the result."""

    compiled: Compiled
    arguments: tuple[str, ...]
    axes: tuple[str, ...]

    @property
    def source(self) -> str:
        return self.compiled.source

    def __call__(self, *values: Any) -> Any:
        if len(values) != len(self.arguments):
            raise TypeError(
                f"needed {len(self.arguments)} arguments ({', '.join(self.arguments)}), found {len(values)}"
            )
        given = dict(zip(self.arguments, values, strict=True))
        result = self.compiled(
            **{n: v for n, v in given.items() if n in self.compiled.inputs or n in self.compiled.parameters}
        )
        for name, value in given.items():
            if name in self.compiled.sizes and name not in self.compiled.parameters:
                found = self.size(name, given)
                if found != value:
                    raise ValueError(f"{name} is {found} from the shapes of the arguments, but {value} is given")
        return result

    def size(self, name: str, given: dict[str, Any]) -> int | None:
        """The length that the arguments give a size."""
        for tensor, shape in self.compiled.inputs.items():
            for k, extent in enumerate(shape):
                if extent is Index.size(name):
                    return int(given[tensor].shape[k])
        return None


def lambdify(
    args: Any, expr: Any, modules: str | Sequence[str] = "numpy", *, axes: Iterable[Any] | None = None
) -> Lambdified:
    """A function that computes a SymPy expression with indexed sums on whole arrays, with `sympy.lambdify`'s signature.

    `args` are `IndexedBase`s with shapes, symbols and sizes, in the order of the call.  Indices that are free in `expr` are
    the axes of the result, in the order in which they are first written, or as `axes` says.  `modules` is `numpy` or
    `torch`.  Raises `BridgeError` for an expression or arguments that are not understood, `NotCompiled` for one without
    an array program.

    >>> import numpy as np
    >>> from sympy import IndexedBase, Sum, symbols
    >>> i, j, n, m = symbols("i j n m", integer=True)
    >>> A, x = IndexedBase("A", shape=(n, m)), IndexedBase("x", shape=(m,))
    >>> product = lambdify((A, x), Sum(A[i, j] * x[j], (j, 0, m - 1)))
    >>> product(np.eye(2), np.array([3.0, 4.0]))
    array([3., 4.])
    """
    backend = modules if isinstance(modules, str) else next(iter(modules), "numpy")
    listed = list(args) if isinstance(args, (list, tuple)) else [args]
    names = Names.of(
        [expr, *(a for a in listed if isinstance(a, sympy.Basic) and not isinstance(a, sympy.IndexedBase))]
    )
    term = names.to_term(expr)
    theory = Theory(names.tensors(), {})
    written = [str(s) for s in (axes if axes is not None else _in_order(expr)) if str(s) in term.free]
    lost = sorted(term.free - set(written))
    if lost:
        raise BridgeError(f"needed the free index {lost[0]} among the axes, found {', '.join(written) or 'none'}")
    shape = tuple(_length(v, term, theory) for v in written)
    definition = Definition("result", tuple(map(Index.var, written)), term, shape=shape)
    compiled = compile_definition(definition, theory, backend)
    arguments = tuple(str(getattr(a, "label", a)) for a in listed)
    missing = sorted({*compiled.inputs, *compiled.parameters} - set(arguments))
    if missing:
        raise BridgeError(f"needed {missing[0]} among the arguments, found {', '.join(arguments)}")
    return Lambdified(compiled, arguments, tuple(written))


def _in_order(expr: Any) -> list[Any]:
    """The indices in the order in which they are first written."""
    found = [
        s
        for node in sympy.preorder_traversal(expr)
        if isinstance(node, sympy.Indexed)
        for i in node.indices
        for s in sorted(i.free_symbols, key=str)
    ]
    return list(dict.fromkeys(found))


def _length(name: str, term: Any, theory: Theory) -> Index:
    """The length of the axis that a free index runs over."""
    for t in subterms(term):
        shape = theory.shape(t.name) if isinstance(t, Entry) else None
        if shape is not None and len(shape) == len(t.indices):
            for i, n in zip(t.indices, shape, strict=True):
                if i is Index.var(name):
                    return n
    raise BridgeError(f"the index {name} stands alone in no place of an array: give IndexedBase a shape")


__all__ = ["Lambdified", "lambdify"]
