"""Values that a document prints as they stand in its code ("true values"), beside a result that it computes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .cells import Prepared
from .outputs import Compared
from .printed import Number, Token, compare_number
from .wording import is_constant

STATED = re.compile(r"(?<![a-z])(?:true|expected|correct|reference|ground.?truth|should)(?![a-z])", re.IGNORECASE)
"""Words by which a document announces values that a result should have."""


def stated_values(p: Prepared, compared: Compared) -> Iterator[tuple[int, tuple[bool, str]]]:
    """For each output of stated values (by its identity): whether they agree with the result above it, else what differs.

    They are compared with the last array that was computed in the cell: with all of it, or row by row when each line
    states one row.
    """
    computed: Token | None = None
    row = 0
    for o in compared.outcomes:
        if not is_constant(p, o.line):
            arrays = [t for t in o.run if t.kind == "array" and t.numbers and not t.gaps]
            if arrays and all(n.exact is not None for n in arrays[-1].numbers):
                computed, row = arrays[-1], 0
            continue
        literal = next((t for t in o.printed if t.kind == "array" and t.numbers), None)
        if computed is None or literal is None or o.state != "same" or not STATED.search(p.source(o.line)):
            continue
        count = len(literal.numbers)
        numbers: tuple[Number, ...] = computed.numbers
        if len(numbers) != count:
            if computed.shape is None or len(computed.shape) < 2 or computed.shape[-1] != count:
                continue
            numbers = numbers[row * count : (row + 1) * count]
            row += 1
        if len(numbers) != count:
            continue
        pairs = zip(literal.numbers, numbers, strict=True)
        difference = next((d for a, b in pairs if (d := compare_number(a, b)) is not None), None)
        if difference is None:
            yield id(o), (True, "")
        else:
            yield id(o), (False, f"stated {difference.printed}, computed {difference.computed}")
