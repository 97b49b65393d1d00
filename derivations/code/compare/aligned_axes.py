"""How the axes of an array of the code stand to those of a symbol of the equation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from derivations.code.compare.document_symbols import NotComparable
from derivations.language.term import (
    Entry,
    Index,
    Lambda,
)


@dataclass(frozen=True)
class Alignment:
    """How an array of the code stands to a symbol: leading axes more, axes of size 1 more, another order."""

    batch: int
    axes: tuple[int, ...]
    """The code axis for each axis of the symbol."""
    permuted: bool = False


def align(code: Sequence[Index], own: Sequence[Index], batch: int | None = None) -> Alignment:
    """Match the axes of a code array with those of a symbol.

    Axes go one to one in order; leading axes of the code are carried along, axes of size 1 are dropped.  Sizes of the
    same names in another order mean that the code keeps its axes in that order.
    """
    one = Index.of(1)
    kept = list(range(len(code)))
    if len(code) > len(own):
        small = [k for k in kept if code[k] is one]
        more = len(code) - len(own)
        if len(small) >= more and not (batch and len(code) == len(own) + batch):
            for k in small[:more]:
                kept.remove(k)
        elif batch and batch < more <= batch + sum(k >= batch for k in small):  # a mean for each row, kept as a column
            for k in [k for k in small if k >= batch][: more - batch]:
                kept.remove(k)
    lead = len(kept) - len(own)
    if lead < 0:
        raise NotComparable(f"the code has {len(code)} axes, the equation {len(own)}")
    axes = kept[lead:]
    names, others = [str(code[k]).rstrip("'") for k in axes], [str(s) for s in own]
    if names != others and sorted(names) == sorted(others) and len(set(names)) == len(names) > 1:
        return Alignment(lead, tuple(axes[names.index(s)] for s in others), True)
    return Alignment(lead, tuple(axes))


def batch_variable(k: int) -> str:
    return f"b{k}"


def batched(name: str, found: Alignment, kept: Sequence[int]) -> Lambda:
    """The tensor of the equation, as the entries of the code's array at a fixed place of its leading axes."""
    params = tuple(f"p{k}" for k in range(len(found.axes)))
    at = {axis: Index.var(params[n]) for n, axis in enumerate(found.axes)}
    return Lambda(params, Entry(name, [at[k] if k in at else Index.var(batch_variable(k)) for k in kept]))


def picked(name: str, rank: int, axes: Iterable[int]) -> Lambda:
    params = tuple(f"p{k}" for k in range(rank))
    return Lambda(params, Entry(name, [Index.var(params[k]) for k in axes]))


def renamed(name: str, rank: int) -> Lambda:
    return picked(name, rank, range(rank))


def member_at(name: str, place: Index, rank: int) -> Lambda:
    """The member of a family at a place, as an array of its own."""
    params = tuple(f"p{k}" for k in range(rank))
    return Lambda(params, Entry(name, [place, *map(Index.var, params)]))
