"""All operations that are taken over, by name; whatever is not here is refused.

An operation is one row of one of the files it is grouped in: elementwise, reductions, products,
shaping, making, named_axes, solving, shifting, activations_and_picking, losses.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from derivations.lifting.operations import (
    activations_and_picking,
    elementwise,
    losses,
    making,
    named_axes,
    products,
    reductions,
    shaping,
    shifting,
    solving,
)
from derivations.lifting.operations.table import Op, Value, bind
from derivations.lifting.symbolic.arrays import Array
from derivations.lifting.symbolic.not_lifted import NotLifted
from derivations.lifting.symbolic.scope import Scope

ROWS: tuple[Op, ...] = (
    *elementwise.ROWS,
    *reductions.ROWS,
    *products.ROWS,
    *shaping.ROWS,
    *making.ROWS,
    *activations_and_picking.ROWS,
    *losses.ROWS,
    *named_axes.ROWS,
    *solving.ROWS,
    *shifting.ROWS,
)
BY_NAME: Mapping[str, Op] = {name: row for row in ROWS for name in row.names}


def _arrays_of(row: Op) -> int:
    """How many of the first arguments of an operation are arrays."""
    return next((k for k, a in enumerate(row.args) if a not in ("x", "y")), len(row.args))


def _as_array(scope: Scope, v: Value) -> Value:
    """A list of numbers and arrays as NumPy takes it where it needs an array."""
    return making.literal(scope, v) if isinstance(v, (list, tuple)) and v else v


def call(scope: Scope, name: str, given: Sequence[Value], named: Mapping[str, Value]) -> Value:
    """The result of the operation `name`; raises `NotLifted` when there is no such row."""
    row = BY_NAME.get(name)
    if row is None:
        raise NotLifted(f"the operation {name} is not in the table", code="unknown-operation")
    library = name.split(".")[0]
    if library == "numpy":
        given = [_as_array(scope, v) if k < _arrays_of(row) else v for k, v in enumerate(given)]
    result = row.build(scope, **bind(row, given, named))
    if isinstance(result, Array) and library in ("torch", "numpy", "rng"):
        return replace(result, library="numpy" if library == "rng" else library)
    return result
