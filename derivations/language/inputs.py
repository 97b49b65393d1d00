"""What a value is computed from: sizes, the entries of every tensor, and outcomes of random ones."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from flint import fmpq


@dataclass
class Inputs:
    """Sizes, and the entries of every tensor as nested lists of rationals (a scalar is a bare rational).

    Entries that are missing or out of range have fixed pseudo-random values derived from `seed`.
    """

    sizes: Mapping[str, int]
    tensors: Mapping[str, Any] = field(default_factory=dict)
    seed: str = ""

    def choose(self, kind: str, name: str, length: int, places: tuple[int, ...]) -> int:
        """A permutation of an axis at a position, its inverse, or a label at places (given as lists in `tensors`, else fixed
        and derived from `seed`)."""
        if kind == "label":
            return self.label(name, length, places)
        (position,) = places
        if not 0 <= position < length:
            return position
        order = self.permutation(name, length)
        return order.index(position) if kind == "inverse" else order[position]

    def label(self, name: str, length: int, places: tuple[int, ...]) -> int:
        """The position on an axis of this length that a label gives for some places; 0 where the axis is empty."""
        if length <= 0:
            return 0
        found = self.tensors.get(name)
        for k in places:
            found = found[k] if isinstance(found, (list, tuple)) and 0 <= k < len(found) else None
        if type(found) is int and 0 <= found < length:
            return found
        digest = hashlib.sha256(f"{self.seed}|{name}|{length}|{places}".encode()).digest()
        return int.from_bytes(digest[:4], "big") % length

    def permutation(self, name: str, length: int) -> Sequence[int]:
        found = self.tensors.get(name)
        if isinstance(found, (list, tuple)) and sorted(found) == list(range(length)):
            return found
        digest = [hashlib.sha256(f"{self.seed}|{name}|{length}|{k}".encode()).digest() for k in range(length)]
        return sorted(range(length), key=lambda k: digest[k])

    def entry(self, name: str, at: Sequence[int]) -> fmpq:
        found = self.tensors.get(name)
        for k in at:
            if not isinstance(found, (list, tuple)) or not 0 <= k < len(found):
                return self.unspecified(name, at)
            found = found[k]
        if found is None or isinstance(found, (list, tuple)):
            return self.unspecified(name, at)
        return fmpq(found) if not isinstance(found, fmpq) else found

    def skew(self, name: str) -> fmpq:
        """How far above the mean the upper of the two values of a random entry lies."""
        return (fmpq(1), fmpq(2), fmpq(1, 2))[hashlib.sha256(f"{self.seed}|law of {name}".encode()).digest()[0] % 3]

    def unspecified(self, name: str, at: Sequence[int]) -> fmpq:
        digest = hashlib.sha256(f"{self.seed}|{name}|{tuple(at)}".encode()).digest()
        return fmpq(int.from_bytes(digest[:2], "big") % 41 - 20, 1 + digest[2] % 7)


class Unknown(Exception):
    """A random entry whose outcome has not been chosen yet."""

    def __init__(self, name: str, at: tuple[int, ...]) -> None:
        self.name, self.at = name, at
        super().__init__(name)


class Outcome:
    """Inputs in which random entries have chosen values."""

    def __init__(
        self, inputs: Inputs, random: frozenset[str], known: Mapping[tuple[str, tuple[int, ...]], fmpq]
    ) -> None:
        self.inputs, self.random, self.known = inputs, random, known

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inputs, name)

    def entry(self, name: str, at: Sequence[int]) -> fmpq:
        if name not in self.random:
            return self.inputs.entry(name, at)
        if (name, tuple(at)) not in self.known:
            raise Unknown(name, tuple(at))
        return self.known[name, tuple(at)]
