"""What a user hands over as a definition, as one of the language with its theory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from derivations.language.statement import Definition, Theory
from derivations.language.term import Index

Shape = Sequence[str | int]


def stated(
    definition: Any, where: Iterable[Any] = (), shapes: Mapping[str, Shape | str] | None = None
) -> tuple[Definition, Theory]:
    """A definition and its theory from a pair, a `derivations.Definition` with those that it uses, or a function.

    Raises TypeError for anything else, `NotLifted` and `BridgeError` for what is not understood.
    """
    if isinstance(definition, tuple) and len(definition) == 2 and isinstance(definition[0], Definition):
        return definition[0], definition[1]
    from derivations import api

    if isinstance(definition, api.Definition):
        _, theory = api.state(0, 0, where=[*where, definition])
        return theory.definitions[definition.symbol][-1], theory
    if callable(definition):
        return of_function(definition, shapes or {})
    found = type(definition).__name__
    raise TypeError(f"needed a derivations.Definition, a definition with its theory or a function, found {found}")


def of_function(function: Callable[..., Any], shapes: Mapping[str, Shape | str]) -> tuple[Definition, Theory]:
    """What a function computes, read from its source."""
    from derivations.lifting import lift

    lifted = lift(function, None, dict(shapes))
    names = [f"x{k}" for k in range(len(lifted.shape))]
    theory = Theory({t.name: t for t in lifted.inputs}, lifted.definitions)
    name = getattr(function, "__name__", "result")
    if name in theory.tensors:
        name += "_"
    return Definition(name, tuple(map(Index.var, names)), lifted.at(names), shape=lifted.shape), theory


__all__ = ["Shape", "of_function", "stated"]
