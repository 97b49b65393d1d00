"""What tells names without scripts apart."""

from __future__ import annotations

from collections.abc import Iterator

from derivations.latex.syntax.surface import Name, Node, walk

Key = tuple[str, str, tuple[str, ...], int, int]
"""A name without scripts: letter, font, accents, primes, way."""
Letter = tuple[str, str, tuple[str, ...]]
"""A letter whatever primes it has: `s` and `s'` are members of one set."""


def key_of(name: Name) -> Key:
    return name.base, name.font, name.accents, name.primes, name.way


def key_of_name(node: Node | None) -> Key | None:
    """The key of a name; None for anything else."""
    return key_of(node) if isinstance(node, Name) else None


def letter_of(name: Name) -> Letter:
    return name.base, name.font, name.accents


def letters_in(node: Node) -> Iterator[Letter]:
    return (letter_of(n) for n in walk(node) if isinstance(n, Name))
