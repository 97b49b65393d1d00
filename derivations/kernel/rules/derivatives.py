"""The rule of derivatives."""

from __future__ import annotations

from derivations.kernel.errors import Refused
from derivations.kernel.linear import entails
from derivations.kernel.rules.determinants import at
from derivations.kernel.rules.requirements import cosine, must_agree, must_be, sine
from derivations.kernel.rules.table import rule
from derivations.kernel.scope import Scope
from derivations.kernel.sign import invertible, nonzero, positive
from derivations.kernel.smoothness import smooth
from derivations.language.substitution import bound_variables, fresh, rename_apart
from derivations.language.term import (
    DERIVED,
    DETERMINANT,
    FUNCTIONS,
    ONE,
    ZERO,
    Add,
    Apply,
    Bracket,
    Case,
    Choice,
    Derivative,
    Entry,
    Index,
    Mul,
    Number,
    Pow,
    Sum,
    Term,
    at_least,
    constraint,
    inverse,
    less,
    within,
)


@rule()
def deriv(before: Term, after: Term, scope: Scope) -> None:
    """One law of differentiation: of a constant, an entry, a sum, a product, a power, exp, log, sin, cos, tanh, phi, of an
    entry of an inverse matrix, `-M^-1 (dM) M^-1`, and of a determinant, `det(M) tr(M^-1 dM)` (Jacobi's formula).

    The derivative of an unknown function phi of one number is the unknown function `phi'`.  Refuses where the law needs
    a base other than 0, a positive argument or an invertible matrix that is not visible, for entries of an inverse that
    may be out of range, and for functions without a law here.
    """
    must_be("deriv", before, Derivative, "a derivative")
    must_agree("deriv", differentiate(before, scope), after)  # type: ignore[arg-type]


def differentiate(d: Derivative, scope: Scope) -> Term:
    """The derivative by one law (for provers; the rule compares with it)."""
    found = _by_one_law(d, scope)
    # with parts that have no derivative the laws fail: x = f f f for the cube root f, and 3 f^2 df/dx is 0 at 0
    if not smooth(d.body, scope.inside(d, 0), d.name):
        raise Refused("deriv", "parts that can be differentiated here", str(d.body))
    return found


def _by_one_law(d: Derivative, scope: Scope) -> Term:
    body = d.body

    def inner(t: Term) -> Term:
        return Derivative(d.name, d.at, t)

    if d.name in scope.theory.definitions:  # y := exp(z) would give dy/dy = 1, and 0 once y is unfolded
        raise Refused("deriv", "a given tensor to differentiate by", f"{d.name}, which is defined")
    if d.name in scope.theory.constants:
        raise Refused("deriv", "a given tensor to differentiate by", f"{d.name}, which is a number")
    if not scope.theory.depends(body, frozenset((d.name,))):
        return ZERO
    if isinstance(body, Entry) and body.name == d.name and not body.args and len(body.indices) == len(d.at):
        return Bracket(constraint(i - j, "==") for i, j in zip(body.indices, d.at, strict=True))
    if isinstance(body, Add):
        return Add(inner(t) for t in body.args)
    if isinstance(body, Mul):
        parts = body.args
        return Add(Mul((*parts[:k], inner(t), *parts[k + 1 :])) for k, t in enumerate(parts))
    if isinstance(body, Sum):
        apart: Sum = rename_apart(body, frozenset(scope.variables).union(*(i.free for i in d.at)))  # type: ignore[assignment]
        return Sum(apart.var, apart.guard, inner(apart.body))
    if isinstance(body, Case):
        return Case([(g, inner(t)) for g, t in body.branches], inner(body.otherwise))
    if isinstance(body, Choice):
        if not nonzero(body.test, scope):
            raise Refused("deriv", f"{body.test} != 0", "it is neither visible nor assumed")
        return Choice(body.test, inner(body.above), inner(body.otherwise))
    if isinstance(body, Entry) and body.is_inverse:
        return _of_inverse(d, body, scope)
    if isinstance(body, Entry) and body.name == DETERMINANT and len(body.args) == 1 and len(body.sizes) == 2:
        return _of_determinant(d, body, scope)
    if isinstance(body, Pow) and isinstance(body.exponent, Number):
        q = body.exponent.value
        if not (q.q == 1 and q >= 1):
            test, needed = (nonzero, "!= 0") if q.q == 1 else (positive, "> 0")
            if not test(body.base, scope):
                raise Refused("deriv", f"{body.base} {needed}", "it is neither visible nor assumed")
        return Mul((Number(q), Pow(body.base, Number(q - 1)), inner(body.base)))
    if isinstance(body, Pow):
        base, exponent = body.base, body.exponent
        if not positive(base, scope):
            raise Refused("deriv", f"{base} > 0", "it is neither visible nor assumed")
        by_base = Mul((exponent, Pow(base, Add((exponent, Number(-1)))), inner(base)))
        return Add((by_base, Mul((body, Apply("log", base), inner(exponent)))))
    if isinstance(body, Apply):
        x = body.arg
        if body.function not in FUNCTIONS:
            return Mul((Apply(body.function + DERIVED, x), inner(x)))
        outer: dict[str, Term] = {
            "exp": body,
            "log": Pow(x, -1),
            "sin": cosine(x),
            "cos": Mul((Number(-1), sine(x))),
            "tanh": Add((ONE, Mul((Number(-1), Pow(body, 2))))),
        }
        if body.function in outer:
            if body.function == "log" and not positive(x, scope):
                raise Refused("deriv", f"{x} > 0", "it is neither visible nor assumed")
            return Mul((outer[body.function], inner(x)))
    raise Refused("deriv", "a sum, product, power, exp, log, sin, cos or tanh (unfold definitions first)", str(body))


def _of_inverse(d: Derivative, body: Entry, scope: Scope) -> Term:
    """The derivative of the entry (i, j) of an inverse: the entry of `-M^-1 (dM) M^-1`."""
    (matrix,), (n,), (i, j) = body.args, body.sizes, body.indices
    if not invertible(body, scope):
        raise Refused("deriv", "a matrix that is assumed to be invertible", str(body))
    for k in (i, j):
        if not (entails(scope.facts, at_least(k, 0)) and entails(scope.facts, less(k, n))):
            raise Refused("deriv", f"an entry of the inverse within its {n} rows and columns", str(body))
    row, column, changed = _entry_by_entry(d, body, scope)
    a, b = Index.var(row), Index.var(column)
    product = Mul((inverse(matrix, n, i, a), changed, inverse(matrix, n, b, j)))
    return Mul((Number(-1), Sum(row, within(row, 0, n), Sum(column, within(column, 0, n), product))))


def _of_determinant(d: Derivative, body: Entry, scope: Scope) -> Term:
    """Jacobi's formula: `det(M) tr(M^-1 dM)`."""
    (matrix,), (n, columns) = body.args, body.sizes
    if n is not columns:
        raise Refused("deriv", "the determinant of a square matrix", str(body))
    if not invertible(inverse(matrix, n, 0, 0), scope):
        raise Refused("deriv", "a matrix that is assumed to be invertible", str(body))
    row, column, changed = _entry_by_entry(d, body, scope)
    product = Mul((inverse(matrix, n, Index.var(column), Index.var(row)), changed))
    return Mul((body, Sum(row, within(row, 0, n), Sum(column, within(column, 0, n), product))))


def _entry_by_entry(d: Derivative, body: Entry, scope: Scope) -> tuple[str, str, Term]:
    """Names of a row and a column that occur nowhere else, and the derivative of that entry of the matrix."""
    (matrix,) = body.args
    used = {*scope.variables, *body.free, *bound_variables(matrix.body), *matrix.params}
    used |= {v for k in d.at for v in k.free}
    row = fresh("a", used)
    column = fresh("b", {*used, row})
    return row, column, Derivative(d.name, d.at, at(matrix, Index.var(row), Index.var(column)))
