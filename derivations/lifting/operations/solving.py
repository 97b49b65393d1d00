"""Rows of inverses, linear systems and powers of matrices."""

from __future__ import annotations

from derivations.language.statement import Definition
from derivations.language.term import DETERMINANT, Apply, Entry, Index, Lambda, Term, at_least, delta, guard, inverse
from derivations.lifting.operations.indexing import known_at_least
from derivations.lifting.operations.making import full
from derivations.lifting.operations.products import matmul
from derivations.lifting.operations.table import Op, Value, array, integer, op
from derivations.lifting.symbolic.arrays import Array, scalar
from derivations.lifting.symbolic.not_lifted import NotLifted
from derivations.lifting.symbolic.scope import Scope
from derivations.lifting.symbolic.term_arithmetic import times

MAX_FACTORS = 6
"""Longest product that a power is written out as."""


def _square(scope: Scope, x: Value, what: str) -> tuple[Array, Index]:
    a = array(x)
    if a.rank < 2:
        raise NotLifted(f"{what} of an array that is no matrix", code="shape-conflict")
    return a, scope.sizes.require(a.shape[-2], a.shape[-1], what)


def inverted(scope: Scope, x: Value) -> Array:
    """The inverse of a matrix, or of each matrix of a batch."""
    a, n = _square(scope, x, "inverse")

    def entry(at: tuple[Index, ...]) -> Term:
        row, column = scope.variable("a"), scope.variable("b")
        body = a.real((*at[:-2], row, column))
        return inverse(Lambda((min(row.free), min(column.free)), body), n, at[-2], at[-1])

    return scope.make(a.shape, entry, a)


def determinant(scope: Scope, x: Value) -> Array:
    """The determinant of a matrix, or of each matrix of a batch."""
    a, n = _square(scope, x, "determinant")

    def entry(at: tuple[Index, ...]) -> Term:
        row, column = scope.variable("a"), scope.variable("b")
        return Entry(DETERMINANT, (), (Lambda((min(row.free), min(column.free)), a.real((*at, row, column))),), (n, n))

    return scope.make(a.shape[:-2], entry, a)


def log_determinant(scope: Scope, x: Value) -> Array:
    """The logarithm of a determinant, where it is positive: elsewhere libraries give that of its absolute value."""
    found = determinant(scope, x)
    return scope.make(found.shape, lambda at: Apply("log", found.real(at)), found)


def _sign_and_logarithm(scope: Scope, x: Value) -> tuple[Value, Array]:
    found = log_determinant(scope, x)
    return full(scope, found.shape, scalar(1)), found


def solved(scope: Scope, x: Value, y: Value) -> Array:
    """The solution of x w = y: the inverse times y."""
    a, b = array(x), array(y)
    if a.rank != 2 or b.rank not in (1, 2):
        raise NotLifted("a linear system other than a matrix with a vector or a matrix")
    return matmul(scope, inverted(scope, a), b)


def _repeated(scope: Scope, a: Array, exponent: Index) -> Array:
    """A power whose exponent is a symbol: the last value of a family, one factor more in each step."""
    if a.rank != 2 or not known_at_least(scope, exponent, 0):
        raise NotLifted("a power of a matrix with this exponent")
    t, i, j = (scope.variable(v) for v in "tij")
    own = [Index.var(v) for v in sorted(a.real((i, j)).free - i.free - j.free)]
    head = f"power~{min(t.free)}"

    def longer(c: Index) -> Term:
        return times(Entry(head, (t - 1, i, c, *own)), a.real((c, j)))

    size = scope.sizes.resolve(a.shape[0])
    shape = None if own or exponent.free else (exponent + 1, size, size)
    scope.folds[head] = (
        Definition(head, (Index(), i, j, *own), delta(i, j), shape=shape),
        Definition(head, (t, i, j, *own), scope.total(size, longer), guard(at_least(t, 1)), shape=shape),
    )
    return scope.make(a.shape, lambda at: Entry(head, (exponent, *at, *own)), a)


def raised(scope: Scope, x: Value, n: Value) -> Array:
    """A matrix times itself so often; the identity for 0, the inverse for negative exponents."""
    a, _ = _square(scope, x, "matrix_power")
    exponent = integer(n)
    if not exponent.is_constant or abs(exponent.const) > MAX_FACTORS:
        return _repeated(scope, a, scope.sizes.resolve(exponent))
    if exponent.const == 0:
        return scope.make(a.shape, lambda at: delta(at[-2], at[-1]), a)
    base = inverted(scope, a) if exponent.const < 0 else a
    result = base
    for _ in range(abs(exponent.const) - 1):
        result = matmul(scope, result, base)
    return result


ROWS: tuple[Op, ...] = (
    op("numpy.linalg.inv torch.linalg.inv torch.inverse .inverse", "x", inverted, "np.linalg.inv(s)", "torch.linalg.inv(s) @ x",
       "torch.inverse(s.T)", "s.inverse()", defined="invertible matrices"),
    op("numpy.linalg.solve torch.linalg.solve", "x y", solved, "np.linalg.solve(s, x)", "torch.linalg.solve(s, x)",
       "np.linalg.solve(s, s[0])", defined="invertible matrices"),
    op("numpy.linalg.det torch.linalg.det torch.det .det", "x", determinant,
       "np.linalg.det(s)", "torch.linalg.det(s)", "torch.det(s.T)", "s.det()", defined="matrices"),
    op("torch.logdet .logdet", "x", log_determinant,
       "torch.logdet(s @ s.T)", "(s @ s.T).logdet()", defined="positive determinants"),
    op("numpy.linalg.slogdet torch.linalg.slogdet torch.slogdet .slogdet", "x", _sign_and_logarithm,
       "np.linalg.slogdet(s @ s.T)[1]", "torch.linalg.slogdet(s @ s.T)[1]", defined="positive determinants"),
    op("numpy.linalg.matrix_power torch.linalg.matrix_power torch.matrix_power .matrix_power", "x n", raised,
       "np.linalg.matrix_power(s, 3)", "torch.linalg.matrix_power(s, 2)", "torch.matrix_power(s, 0)",
       "np.linalg.matrix_power(s, -2)", "s.matrix_power(1)"),
)  # fmt: skip
