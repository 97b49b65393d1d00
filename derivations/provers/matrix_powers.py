"""Powers of matrices: what is used of them beyond their definition, `A^0 = I` and `A^(k+1) = A A^k`.

Any recursive symbol of this form is a power.  What is said here are lemmas, to be shown by induction.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from derivations.kernel.definition import descent
from derivations.kernel.errors import KernelError
from derivations.language.term import (
    Bracket,
    Definition,
    Entry,
    Guard,
    Index,
    Mul,
    Statement,
    Sum,
    Term,
    Theory,
    alpha_equal,
    at_least,
    bound_variables,
    equal,
    fresh,
    guard,
    guard_substitute,
    product_of,
    rename_apart,
    substitute,
)


@dataclass(frozen=True)
class Power:
    """The powers of a matrix with the entries `factor` at (row, between): `name[outer, k, row, column]`."""

    name: str
    outer: tuple[str, ...]
    row: str
    column: str
    between: str
    factor: Term
    facts: Guard
    """What the definition supposes of the row and the column."""
    range: Guard
    """The range of the index between."""

    def entry(self, exponent: Index, row: Index, column: Index) -> Entry:
        return Entry(self.name, (*map(Index.var, self.outer), exponent, row, column))

    def matrix(self, row: Index, column: Index, avoid: set[str]) -> Term:
        """An entry of the matrix itself."""
        apart = rename_apart(self.factor, {*avoid, *row.free, *column.free})
        return substitute(apart, {self.row: row, self.between: column})


def power_of(name: str, theory: Theory) -> Power | None:
    """A recursive symbol as the powers of a matrix, None when it is something else."""
    rows = theory.definitions.get(name, ())
    start = next((d for d in rows if name not in d.body.heads), None)
    step = next((d for d in rows if name in d.body.heads), None)
    try:
        place = descent(rows) if len(rows) == 2 else None
    except KernelError:
        return None
    if start is None or step is None or place is None or place[0] != len(step.indices) - 3:
        return None
    if any(d.tensors or d.sizes for d in rows) or not _is_identity(start):
        return None
    return _of_step(step)


def _is_identity(start: Definition) -> bool:
    """`[0, i, j] := [i = j]`."""
    *_, exponent, row, column = start.indices
    return exponent == Index() and start.body is Bracket((equal(row, column),))


def _of_step(step: Definition) -> Power | None:
    *before, above, row, column = step.indices
    if not all(len(i.free) == 1 and i is Index.var(min(i.free)) for i in (*before, row, column)):
        return None
    k, i, j = min(above.free, default=""), min(row.free), min(column.free)
    if not above.plain or above.coefficient(k) != 1 or not isinstance(step.body, Sum):
        return None
    body = rename_apart(step.body, step.variables)
    parts = list(body.body.args) if isinstance(body, Sum) and isinstance(body.body, Mul) else []
    between = body.var  # type: ignore[attr-defined]
    own = Entry(step.name, (*before, above - 1, Index.var(between), column))
    if own not in parts:
        return None
    parts.remove(own)
    factor = product_of(parts)
    if factor.free & {j, k} or step.name in factor.heads:
        return None
    facts = guard(*(c for c in step.condition if k not in c.free))
    outer = tuple(min(b.free) for b in before)
    return Power(step.name, outer, i, j, between, factor, facts, body.guard)  # type: ignore[attr-defined]


def lemmas(names: list[str], theory: Theory) -> Iterator[tuple[Statement, str]]:
    """What is known of the powers among recursive symbols, each with the index for its induction: A^k A = A^(k+1),
    A^m A^k = A^(m+k), (A^T)^k = (A^k)^T."""
    powers = [p for name in names if (p := power_of(name, theory)) is not None]
    for p in powers:
        yield _times_matrix(p)
    for p in powers:
        yield _times_power(p)
    for number, p in enumerate(powers):
        for q in powers[:number]:
            if (found := _transposed(p, q)) is not None:
                yield found


def _names(p: Power, *hints: str) -> tuple[str, ...]:
    taken = {*p.outer, p.row, p.column, p.between, *p.factor.free, *bound_variables(p.factor)}
    found: list[str] = []
    for hint in hints:
        found.append(fresh(hint, {*taken, *found}))
    return tuple(found)


def _times_matrix(p: Power) -> tuple[Statement, str]:
    (k,) = _names(p, "k")
    i, j, c = Index.var(p.row), Index.var(p.column), Index.var(p.between)
    here = Index.var(k)
    body = Mul((p.entry(here, i, c), p.matrix(c, j, {p.row, p.between})))
    left = Sum(p.between, p.range, body)
    facts = guard(*p.facts, at_least(here, 0))
    return Statement(left, "=", p.entry(here + 1, i, j), (*p.outer, k, p.row, p.column), facts), k


def _times_power(p: Power) -> tuple[Statement, str]:
    m, k = _names(p, "m", "k")
    i, j, c = Index.var(p.row), Index.var(p.column), Index.var(p.between)
    first, second = Index.var(m), Index.var(k)
    left = Sum(p.between, p.range, Mul((p.entry(first, i, c), p.entry(second, c, j))))
    facts = guard(*p.facts, at_least(first, 0), at_least(second, 0))
    return Statement(left, "=", p.entry(first + second, i, j), (*p.outer, m, k, p.row, p.column), facts), m


def _transposed(p: Power, q: Power) -> tuple[Statement, str] | None:
    """The powers of a matrix and of its transpose."""
    if p.outer or q.outer:
        return None
    k, i, j = _names(p, "k", "i", "j")
    row, column, here = Index.var(i), Index.var(j), Index.var(k)
    if not alpha_equal(p.matrix(row, column, {i, j}), q.matrix(column, row, {i, j})):
        return None
    facts = guard(*guard_substitute(p.facts, {p.row: row, p.column: column}), at_least(here, 0))
    return Statement(p.entry(here, row, column), "=", q.entry(here, column, row), (k, i, j), facts), k
