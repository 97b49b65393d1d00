"""Logarithms, roots and absolute values: the laws that hold are proved, those that hold only for some values are not."""

import pytest
import sympy
from sympy import Abs, IndexedBase, Sum, exp, log, sqrt

from derivations.api import state
from derivations.provers.decide import Proved, Refuted, decide

a, b, c, z = sympy.symbols("a b c z", real=True)
i, j = sympy.symbols("i j", integer=True)
n = sympy.Symbol("n", integer=True, positive=True)
u = IndexedBase("u", shape=(n,))


def sigma(x: sympy.Expr) -> sympy.Expr:
    return 1 / (1 + exp(-x))


def mean_square(factor: sympy.Expr) -> sympy.Expr:
    return sqrt(Sum((factor * u[i]) ** 2, (i, 0, n - 1)) / n)


def variance() -> sympy.Expr:
    mean = Sum(u[j], (j, 0, n - 1)) / n
    return Sum((u[i] - mean) ** 2, (i, 0, n - 1)) / n


TRUE = {
    "log-odds": state(log(sigma(a) / (1 - sigma(a))), a),
    "other class": state(log(1 - sigma(a)), -log(1 + exp(a))),
    "softplus, two ways": state(log(1 + exp(a)), a + log(1 + exp(-a))),
    "frequencies, as an exponential": state(10000 ** (-2 * i / n), exp(-2 * i * log(10000) / n)),
    "frequencies, as a quotient": state(10000 ** (-2 * i / n), 1 / 10000 ** (2 * i / n)),
    "ratio of neighbouring frequencies": state(
        10000 ** (-2 * (i + 1) / n) / 10000 ** (-2 * i / n), 10000 ** (-sympy.Integer(2) / n)
    ),
    "another base": state((10000 ** (-2 * i / n)) ** 2, 100 ** (-8 * i / n)),
    "two logits": state(log(exp(a) + exp(b)), b + log(1 + exp(a - b))),
    "a common number": state(log(2 + 2 * exp(a)), log(2) + log(1 + exp(a))),
    "powers of two": state(log(sympy.Integer(12)), 2 * log(2) + log(3)),
    "inverse of an inverse": state(1 / (1 - 1 / (1 + exp(-a))), 1 + exp(a)),
    "inverse of a sum with an inverse": state(1 / (1 + 1 / (1 + exp(a))), (1 + exp(a)) / (2 + exp(a))),
    "square of such an inverse": state(1 / (1 + 1 / (1 + exp(a))) ** 2, (1 + exp(a)) ** 2 / (2 + exp(a)) ** 2),
    "two inverses in one": state(
        1 / (1 - 4 / (1 + exp(a)) + 4 / (1 + exp(a)) ** 2 + 1), (1 + exp(a)) ** 2 / (2 + 2 * exp(2 * a))
    ),
    "a variance beside a number": state(variance() / (variance() + z), 1 - z / (variance() + z)),
    "under a root": state(variance() / sqrt(variance() + z) ** 2, 1 - z / sqrt(variance() + z) ** 2),
    "four under the root": state(1 / sqrt(4 * a**2 + 4), 1 / (2 * sqrt(a**2 + 1))),
    "two factors": state(sqrt(a**2 * b**2), Abs(a) * Abs(b)),
    "order of a difference": state(Abs(a - b), Abs(b - a)),
    "odd power": state(Abs(a) ** 3, a**2 * Abs(a)),
    "scaled mean square": state(mean_square(c), Abs(c) * mean_square(sympy.Integer(1))),
    "size in front of the root": state(mean_square(sympy.Integer(1)) * sqrt(n), sqrt(Sum(u[i] ** 2, (i, 0, n - 1)))),
}

FALSE = {
    "root of a square": state(sqrt(a**2), a),
    "inverse of a sum with an inverse, turned": state(1 / (1 + 1 / (1 + exp(a))), (2 + exp(a)) / (1 + exp(a))),
    "a variance beside a number, twice": state(variance() / (variance() + z), 1 - 2 * z / (variance() + z)),
    "log of a sum": state(log(exp(a) + exp(b)), a + b),
    "the root of the base": state(10000 ** (-2 * i / n), 100 ** (-2 * i / n), given=[i >= 0, i < n]),
    "mirrored softplus": state(log(1 + exp(a)), log(1 + exp(-a))),
    "size of a sum": state(Abs(a + b), Abs(a) + Abs(b)),
    "scaled by a negative number": state(mean_square(c), c * mean_square(sympy.Integer(1))),
}


@pytest.mark.parametrize("name", TRUE)
def test_law(name: str) -> None:
    assert isinstance(decide(*TRUE[name]), Proved)


@pytest.mark.parametrize("name", FALSE)
def test_what_holds_for_some_values_only(name: str) -> None:
    assert isinstance(decide(*FALSE[name]), Refuted)


def test_length_of_a_normalised_vector() -> None:
    length = sqrt(Sum((u[j] / mean_square(sympy.Integer(1))) ** 2, (j, 0, n - 1)))
    decision = decide(*state(length, sqrt(n)))
    assert isinstance(decision, Proved)
    assert decision.theorem.assumptions, "it holds where the vector is not zero"
