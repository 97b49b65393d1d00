r"""Lists whose members may be joined in several ways, in the way in which what follows has a shape.

`X = [x_1, \dots, x_n]` has the vectors for rows or for columns; beside `X X^\top = \sum_i x_i x_i^\top` only columns fit.
Truth is no evidence, a shape is: the way with the fewest conflicts is taken; of rows and columns, the one in which fewer
lengths must be the same that nobody calls so; the usual one where there is no such difference.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from derivations.latex.elaborator.joined_lists import CHOICE, COLUMNS, ROWS
from derivations.study.equation_walk import Walk

Forced = Mapping[tuple[object, ...], str]
MAX_LISTS = 4
"""Most lists of one document for which other ways are tried."""


def joined_as_they_fit(usual: Walk, shapes_under: Callable[[Forced], Walk]) -> Walk:
    """The walk over the shapes of a document in which its lists fit best; `shapes_under` makes one for forced choices."""
    choices = {c.key: c for own in usual.choices.values() for c in own if c.key[1] == CHOICE and not c.settled}
    best = usual
    for choice in list(choices.values())[:MAX_LISTS]:
        for option in choice.options:
            if option == choice.taken:
                continue
            other = shapes_under({**best.forced, choice.key: option})
            better = _misfits(other) < _misfits(best)
            turned = {option, choice.taken} == {ROWS, COLUMNS} and _misfits(other) == _misfits(best)
            if better or (turned and _equated(other) < _equated(best)):
                best = other
    return shapes_under(best.forced) if choices else usual


def _misfits(walk: Walk) -> tuple[int, int]:
    return len(walk.conflicts), len(walk.owed)


def _equated(walk: Walk) -> int:
    return sum(walk.equated.values())
