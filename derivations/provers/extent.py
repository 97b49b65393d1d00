"""How large a statement is with all definitions unfolded: the checker sees it so, however folded it is written."""

from __future__ import annotations

import math
from collections.abc import Iterable

from derivations.language.statement import Theory
from derivations.language.term import Entry, Term

MAX_UNFOLDED = 4_000
"""Most nodes (as a tree) of one side of a statement with all definitions unfolded."""
MAX_STATED_ENTRIES = 100_000
"""Most entries of an array whose lengths are stated in numbers: each of them is a rigorous value of a cross-check."""
MAX_LEVELS = 150
"""Deepest nesting of one side of a statement with all definitions unfolded."""


def too_large(terms: Iterable[Term], theory: Theory) -> str | None:
    """Why terms are too large to decide anything about them, None when they are not.

    A chain of definitions that each use the one before twice doubles with each of them.

    >>> from derivations.kernel.definition import admit
    >>> from derivations.language.statement import Definition
    >>> theory = Theory()
    >>> for k in range(20):
    ...     theory = admit(theory, Definition(f"x{k + 1}", (), Entry(f"x{k}") * (Entry(f"x{k}") + 1)))
    >>> too_large([Entry("x9")], theory) is None
    True
    >>> too_large([Entry("x20")], theory)
    'unfolded it has more than 4000 nodes'
    """
    known: dict[str, tuple[int, int]] = {}
    for term in terms:
        nodes, levels = _extent(term, theory, known, 0)
        if nodes > MAX_UNFOLDED:
            return f"unfolded it has more than {MAX_UNFOLDED} nodes"
        if levels > MAX_LEVELS:
            return f"unfolded it is nested more than {MAX_LEVELS} levels deep"
    return None


def too_many_entries(terms: Iterable[Term], theory: Theory) -> str | None:
    """Why arrays at the lengths that are stated in numbers are too large to evaluate, None when they are not."""
    for name, tensor in theory.about(list(terms)).tensors.items():
        stated = math.prod(n.evaluate({}, {}) for n in tensor.shape if n.is_constant)
        if stated > MAX_STATED_ENTRIES:
            return f"{name} has {stated} entries at the lengths that are stated in numbers"
    return None


def _extent(root: Term, theory: Theory, known: dict[str, tuple[int, int]], chained: int) -> tuple[int, int]:
    """(nodes, levels) of a term, exact up to the limits; what a recursive definition uses of itself counts once."""
    if chained > MAX_LEVELS:
        return 1, MAX_LEVELS + 1
    nodes, levels = 0, 0
    stack = [(root, 1)]
    while stack:
        t, level = stack.pop()
        nodes, levels = nodes + 1, max(levels, level)
        if isinstance(t, Entry) and t.name in theory.definitions:
            if t.name not in known:
                known[t.name] = (1, 1)
                bodies = [d.body for d in theory.definitions[t.name]]
                found = [_extent(body, theory, known, chained + 1) for body in bodies]
                known[t.name] = (max(n for n, _ in found), max(k for _, k in found))
            more, deeper = known[t.name]
            nodes, levels = nodes + more, max(levels, level + deeper)
        if nodes > MAX_UNFOLDED or levels > MAX_LEVELS:
            break
        stack += [(x, level + 1) for x in t.children]
    return nodes, levels
