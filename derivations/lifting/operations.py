"""All operations that are taken over, by name; whatever is not here is refused.

An operation is one row of one of the files it is grouped in: elementwise, reductions, products,
shaping, making, further, named_axes, solving, shifting.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from derivations.lifting import (
    elementwise,
    further,
    making,
    named_axes,
    products,
    reductions,
    shaping,
    shifting,
    solving,
)
from derivations.lifting.arrays import Array, NotLifted, Scope
from derivations.lifting.table import Op, Value, bind

ROWS: tuple[Op, ...] = (
    *elementwise.ROWS,
    *reductions.ROWS,
    *products.ROWS,
    *shaping.ROWS,
    *making.ROWS,
    *further.ROWS,
    *named_axes.ROWS,
    *solving.ROWS,
    *shifting.ROWS,
)
BY_NAME: Mapping[str, Op] = {name: row for row in ROWS for name in row.names}


def call(scope: Scope, name: str, given: Sequence[Value], named: Mapping[str, Value]) -> Value:
    """The result of the operation `name`; raises `NotLifted` when there is no such row."""
    row = BY_NAME.get(name)
    if row is None:
        raise NotLifted(f"the operation {name} is not in the table", code="unknown-operation")
    result = row.build(scope, **bind(row, given, named))
    library = name.split(".")[0]
    if isinstance(result, Array) and library in ("torch", "numpy", "rng"):
        return replace(result, library="numpy" if library == "rng" else library)
    return result
