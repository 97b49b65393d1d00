"""Equations between numbers, combined: `a^2 + b^2 = c^2 + b^2` from `a^2 + c^2 = 1` and its like.

Where `left - right` is a sum of the differences of given equations, each times a polynomial, the left side is written as
the right side plus that sum, and each equation is used in its place.  The polynomials are the solution of a linear system.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from flint import fmpq, fmpq_mat

from derivations.kernel.scope import Scope
from derivations.language.substitution import canonical, rename_apart
from derivations.language.term import Add, Entry, IndexValue, Mul, Number, Pow, Term
from derivations.provers.trace import Trace

MAX_EQUATIONS = 24
MAX_MONOMIALS = 160
"""Most monomials of one polynomial, and of all together."""
MAX_PRODUCTS = 160
"""Most products of an equation and a monomial that are tried."""
MAX_POWER = 4
ROUNDS = 2
"""Rounds of taking equations to the monomials that came up in the round before."""

Monomial = tuple[tuple[Term, int], ...]
"""Atoms with their powers, in the order of their texts."""
Polynomial = dict[Monomial, fmpq]


class TooLarge(Exception):
    """A polynomial with too many monomials."""


@dataclass(frozen=True)
class Equation:
    """A hypothesis of the scope, and the difference of its sides as a polynomial."""

    number: int
    left: Term
    right: Term
    difference: Polynomial


def combined(left: Term, right: Term, scope: Scope) -> Trace | None:
    """Steps from the left side to the right one by equations of the scope about numbers; None where none are found."""
    equations = list(_equations(scope))
    if not equations:
        return None
    try:
        target = _sum(_polynomial(left), _polynomial(right), fmpq(-1))
        found = _solution(target, equations)
    except TooLarge:
        return None
    return None if found is None else _steps(left, right, found, scope)


def _equations(scope: Scope) -> Iterator[Equation]:
    """The equations of the scope without indices or conditions whose sides are polynomials in entries."""
    for number, h in enumerate(scope.hypotheses[:MAX_EQUATIONS]):
        if h.relation != "=" or h.indices or h.guard or not (_is_plain(h.left) and _is_plain(h.right)):
            continue
        try:
            difference = _sum(_polynomial(h.left), _polynomial(h.right), fmpq(-1))
        except TooLarge:
            continue
        if difference:
            yield Equation(number, h.left, h.right, difference)


def _is_plain(t: Term) -> bool:
    """Whether a term is made of entries, lengths and numbers by sums, products and whole powers."""
    kinds = Entry | IndexValue | Number | Add | Mul | Pow
    return all(
        isinstance(u, kinds) and not (isinstance(u, Entry) and u.args and not u.is_inverse)
        for u in _outside_inverses(t)
    )


def _outside_inverses(t: Term) -> Iterator[Term]:
    """The terms in a term, but for those in a matrix whose inverse is taken."""
    yield t
    for c in () if isinstance(t, Entry) and t.is_inverse else t.children:
        yield from _outside_inverses(c)


# --- polynomials ----------------------------------------------------------------------------------------------------


def _polynomial(t: Term) -> Polynomial:
    """A term as a polynomial in what is no sum, product or whole power."""
    if isinstance(t, Number):
        return {(): t.value} if t.value else {}
    if isinstance(t, Add):
        total: Polynomial = {}
        for c in t.args:
            total = _sum(total, _polynomial(c), fmpq(1))
        return total
    if isinstance(t, Mul):
        result: Polynomial = {(): fmpq(1)}
        for c in t.args:
            result = _product(result, _polynomial(c))
        return result
    if isinstance(t, Pow) and isinstance(t.exponent, Number):
        n = t.exponent.value
        if n.q == 1 and 0 < n <= MAX_POWER:
            base, result = _polynomial(t.base), {(): fmpq(1)}
            for _ in range(int(n.p)):
                result = _product(result, base)
            return result
    return {((canonical(t), 1),): fmpq(1)}


def _sum(a: Polynomial, b: Polynomial, factor: fmpq) -> Polynomial:
    total = dict(a)
    for m, k in b.items():
        total[m] = total.get(m, fmpq(0)) + factor * k
    if len(total) > MAX_MONOMIALS:
        raise TooLarge
    return {m: k for m, k in total.items() if k}


def _product(a: Polynomial, b: Polynomial) -> Polynomial:
    total: Polynomial = {}
    for m, k in a.items():
        for n, j in b.items():
            both = _times(m, n)
            total[both] = total.get(both, fmpq(0)) + k * j
    if len(total) > MAX_MONOMIALS:
        raise TooLarge
    return {m: k for m, k in total.items() if k}


def _times(m: Monomial, n: Monomial) -> Monomial:
    powers = dict(m)
    for atom, k in n:
        powers[atom] = powers.get(atom, 0) + k
    return tuple(sorted(powers.items(), key=lambda row: str(row[0])))


def _divided(m: Monomial, n: Monomial) -> Monomial | None:
    """The monomial m / n where n divides m."""
    powers = dict(m)
    for atom, k in n:
        powers[atom] = powers.get(atom, 0) - k
        if powers[atom] < 0:
            return None
    return tuple((atom, k) for atom, k in powers.items() if k)


# --- the linear system ----------------------------------------------------------------------------------------------

Solution = list[tuple[fmpq, Monomial, Equation]]


def _solution(target: Polynomial, equations: Sequence[Equation]) -> Solution | None:
    """Numbers, monomials and equations whose products add up to a polynomial."""
    if not target:
        return []
    products = _products(target, equations)
    rows: dict[Monomial, int] = {}
    for m in (*target, *(m for p in products.values() for m in p)):
        rows.setdefault(m, len(rows))
    if not products or len(rows) > 2 * MAX_MONOMIALS:
        return None
    keys = list(products)
    table = fmpq_mat(len(rows), len(keys) + 1)
    for column, key in enumerate(keys):
        for m, k in products[key].items():
            table[rows[m], column] = k
    for m, k in target.items():
        table[rows[m], len(keys)] = k
    reduced, rank = table.rref()
    found = []
    for row in range(rank):
        pivot = next(c for c in range(len(keys) + 1) if reduced[row, c])
        if pivot == len(keys):
            return None
        if reduced[row, len(keys)]:
            place, m = keys[pivot]
            found.append((reduced[row, len(keys)], m, equations[place]))
    return found


def _products(target: Polynomial, equations: Sequence[Equation]) -> Mapping[tuple[int, Monomial], Polynomial]:
    """Equations times the monomials that take one of their own monomials to one of the target, or of a product before."""
    found: dict[tuple[int, Monomial], Polynomial] = {}
    wanted, met = list(target), set(target)
    for _ in range(ROUNDS):
        new: list[Monomial] = []
        for m in wanted:
            for place, equation in enumerate(equations):
                for own in equation.difference:
                    by = _divided(m, own)
                    if by is None or (place, by) in found or len(found) >= MAX_PRODUCTS:
                        continue
                    found[place, by] = _product(equation.difference, {by: fmpq(1)})
                    new += [n for n in found[place, by] if n not in met]
                    met.update(found[place, by])
        wanted = new
    return found


# --- the steps ------------------------------------------------------------------------------------------------------


def _steps(left: Term, right: Term, solution: Solution, scope: Scope) -> Trace | None:
    """`left = right + sum of k m (l - r)`, each l then replaced by r, which leaves the right side."""
    parts: list[Term] = [right]
    for k, m, equation in solution:
        factor = Mul((Number(k), *(atom for atom, power in m for _ in range(power))))
        parts += [Mul((factor, equation.left)), Mul((Number(-1), factor, equation.right))]
    start = Add(parts)
    if rename_apart(start, scope.variables) is not start:
        return None
    trace = Trace()
    trace.step("ring", left, start)
    for place, (_, _, equation) in enumerate(solution):
        used, inside = Trace(), Trace()
        used.step("hypothesis", equation.left, equation.right, number=equation.number, at={})
        inside.below(1, used)
        trace.below(2 * place + 1, inside)
        parts[2 * place + 1] = Mul((parts[2 * place + 1].children[0], equation.right))
    trace.step("ring", Add(parts), right)
    return trace
