r"""`\|k\| = 1`, taken as given: the prover works with the sum of the squares, so that is given beside the norm."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from derivations.language.statement import Statement
from derivations.language.term import HALF, Number, Pow


def with_squares(given: Iterable[Statement]) -> Iterator[Statement]:
    r"""What is given, and `x = c^2` beside each `\sqrt x = c` for a number c that is not negative."""
    for s in given:
        yield s
        for root, value in ((s.left, s.right), (s.right, s.left)):
            if s.relation != "=" or not isinstance(root, Pow) or not isinstance(value, Number):
                continue
            if root.exponent is HALF and value.value >= 0:
                yield replace(s, left=root.base, right=Number(value.value * value.value))
