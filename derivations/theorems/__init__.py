"""The library: statements about attention with their sources.  A row is a statement; its status is computed.

Each topic is a file of rows written as SymPy expressions, as a user would write them.  `Theorem` rows should be proved,
`Refuted` rows are tempting wrong statements that are kept with the point that kills them; the tests hold both to it.
"""

from __future__ import annotations

from types import ModuleType

from derivations.theorems.row import Refuted, Row, Theorem, Undefined


def topics() -> tuple[ModuleType, ...]:
    """The modules with the rows of a topic each."""
    from derivations.theorems import (
        attention,
        averaging,
        causal,
        conventions,
        gradients,
        heads,
        matrices,
        permutation,
        positions,
        recurrence,
        rewritings,
        scaling,
        weighted_sum,
    )

    return (
        *(attention, causal, averaging, weighted_sum, scaling, permutation),
        *(heads, conventions, positions, gradients, recurrence, rewritings, matrices),
    )


def library() -> tuple[Row, ...]:
    """All rows, topic by topic."""
    return tuple(row for topic in topics() for row in topic.ROWS)


def find(name: str) -> Row:
    """The row with this name.

    Errors: KeyError that lists names that are close.
    """
    import difflib

    rows = {row.name: row for row in library()}
    if name not in rows:
        near = difflib.get_close_matches(name, rows, 3)
        raise KeyError(f"no statement is called {name!r}" + (f"; did you mean {', '.join(near)}?" if near else ""))
    return rows[name]


__all__ = ["Refuted", "Row", "Theorem", "Undefined", "find", "library", "topics"]
