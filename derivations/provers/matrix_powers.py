"""Powers of matrices: what is used of them beyond their definition, `A^0 = I` and `A^(k+1) = A A^k`.

Any recursive symbol of this form is a power.  What is said here are lemmas, to be shown by induction.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from derivations.kernel.definition import descent
from derivations.kernel.errors import KernelError
from derivations.kernel.scope import Scope
from derivations.language.statement import Definition, Statement, Theory
from derivations.language.substitution import alpha_equal, bound_variables, fresh, rename_apart, substitute
from derivations.language.term import (
    ZERO,
    Add,
    Bracket,
    Entry,
    Guard,
    Index,
    Mul,
    Number,
    Sum,
    Term,
    at_least,
    equal,
    guard,
    guard_substitute,
    less,
    product_of,
)
from derivations.provers.contraction import flattened_monomial
from derivations.provers.normal import Normaliser


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


# --- recurrences of vectors -----------------------------------------------------------------------------------------


def closed_form(name: str, theory: Theory, normaliser: Normaliser) -> Statement | None:
    """`h_t = A^(t-s) h_s + sum(s < j <= t; A^(t-j) b_j)` for `h_t = A h_(t-1) + b_t`, where A has powers in the theory."""
    rows = theory.definitions.get(name, ())
    start = next((d for d in rows if name not in d.body.heads), None)
    step = next((d for d in rows if name in d.body.heads), None)
    try:
        place = descent(rows) if len(rows) == 2 else None
    except KernelError:
        return None
    if start is None or step is None or place is None or len(step.indices) != 2 or place[0] != 0:
        return None
    if any(d.tensors or d.sizes for d in rows) or not start.indices[0].is_constant or place[1]:
        return None
    names = [min(i.free, default="") for i in step.indices]
    if "" in names or start.indices[1] is not Index.var(min(start.indices[1].free, default="")):
        return None
    t, i = names
    here, row = Index.var(t), Index.var(i)
    shift = step.indices[0] - here
    if not shift.is_constant or step.indices[1] is not row:
        return None
    at = {t: here - shift}
    first = start.indices[0]
    known = guard(*_shaped(step, here), at_least(here, first))
    scope = Scope(theory, (t, i), guard(*known, at_least(here, first + 1)))
    folded = Normaliser(theory, normaliser.work, unroll=False)
    body, _ = folded.start(substitute(rename_apart(step.body, step.variables), at), scope)
    parts = body.args if isinstance(body, Add) else (body,)
    own = [m for m in parts if name in m.heads]
    matrix = _matrix_of(own[0], name, here - 1, i) if len(own) == 1 else None
    if matrix is None:
        return None
    c, entry = matrix
    inside = scope.inside_binder((c,), guard_substitute(_shaped(step, here), {i: Index.var(c)}))
    for other in theory.definitions:
        p = power_of(other, theory)
        if p is None or p.outer:
            continue
        sides = (folded.start(m, inside)[0] for m in (entry, p.matrix(row, Index.var(c), {t, i, c})))
        if not alpha_equal(*sides):
            continue
        return Statement(Entry(name, (here, row)), "=", _solved(p, start, parts, own[0], t, i, c), (t, i), known)
    return None


def _shaped(step: Definition, here: Index) -> Guard:
    """The ranges of the index of a state and of its entries."""
    if step.shape is None or len(step.shape) != 2:
        return ()
    pairs = zip((here, step.indices[1]), step.shape, strict=True)
    return guard(*(x for index, n in pairs for x in (at_least(index, 0), less(index, n))))


def _matrix_of(m: Term, name: str, before: Index, i: str) -> tuple[str, Term] | None:
    """`A[i, c]` and c of a monomial `sum(c; A[i, c] h[before, c])`."""
    flat = flattened_monomial(m, frozenset((i,)))
    states = [f for f in flat.factors if isinstance(f, Entry) and f.name == name]
    rest = [f for f in flat.factors if not (isinstance(f, Entry) and f.name == name)]
    if len(states) != 1 or any(name in f.heads for f in rest) or states[0].indices[0] is not before:
        return None
    c = min(states[0].indices[1].free, default="")
    ranges = dict(flat.binders)
    if c not in ranges or states[0].indices[1] is not Index.var(c):
        return None
    entry: Term = product_of([Number(flat.number), *rest])
    for v, condition in reversed(flat.binders):
        if v != c:
            entry = Sum(v, condition, entry)
    return c, entry


def _solved(p: Power, start: Definition, parts: tuple[Term, ...], own: Term, t: str, i: str, c: str) -> Term:
    """The closed form itself."""
    here, row, between = Index.var(t), Index.var(i), Index.var(c)
    first = start.indices[0]
    range_ = guard_substitute(p.range, {p.between: between, p.row: row})
    found: list[Term] = []
    if start.body is not ZERO:
        state = substitute(rename_apart(start.body, {t, i, c}), {min(start.indices[1].free): between})
        found.append(Sum(c, range_, Mul((p.entry(here - first, row, between), state))))
    rest = [m for m in parts if m is not own]
    if rest:
        j = fresh("j", {t, i, c, *(v for m in rest for v in (*m.free, *bound_variables(m)))})
        then = Index.var(j)
        added = substitute(rename_apart(Add(rest) if len(rest) > 1 else rest[0], {j, c}), {t: then, i: between})
        inner = Sum(c, range_, Mul((p.entry(here - then, row, between), added)))
        found.append(Sum(j, (at_least(then, first + 1), at_least(here, then)), inner))
    return ZERO if not found else found[0] if len(found) == 1 else Add(found)
