"""Every rule of the kernel is used by the certificate of some true statement, and that certificate replays."""

import json

import pytest
import sympy
from sympy import Eq, IndexedBase, Piecewise, Sum, exp, oo, sqrt

from derivations.api import Definition, Random, expectation, state
from derivations.kernel import certificate
from derivations.kernel.rules import RULES
from derivations.kernel.rules.determinants import determinant, product_of_matrices
from derivations.language import term as language
from derivations.language.statement import Statement, Tensor, Theory
from derivations.language.term import Apply, Entry, Mul, NegInfinity, Number, Pow
from derivations.provers.decide import Proved, decide
from derivations.theorems import library

i, j, k = sympy.symbols("i j k", integer=True)
n = sympy.Symbol("n", integer=True, positive=True)
x, y = IndexedBase("x", shape=(n,)), IndexedBase("y", shape=(n,))
a, b = sympy.symbols("a b", real=True)


ALPHA = Entry("alpha")


def masked(row: object, column: object) -> object:
    return Piecewise((x[column], column <= row), (-oo, True))


STATEMENTS = {
    "a bias on masked scores": state(
        exp(masked(i, j) + y[j]) / Sum(exp(masked(i, k) + y[k]), (k, 0, n - 1)),
        exp(y[j] + masked(i, j)) / Sum(exp(y[k] + masked(i, k)), (k, 0, n - 1)),
    ),
    "a scale on masked scores": state(
        Sum(exp(2 * masked(i, j)), (j, 0, n - 1)), Sum(exp(2 * x[j]), (j, 0, i)), given=[i >= 0, i < n]
    ),
    "a multiple of minus infinity": (
        Statement(Apply("exp", Mul((Number(2), NegInfinity()))), "=", Number(0)),
        Theory(),
    ),
    "exponential of a logarithm": (
        Statement(Apply("exp", Apply("log", Apply("exp", ALPHA) + 1)), "=", Apply("exp", ALPHA) + 1),
        Theory(),
    ),
    "a case that is known": state(Piecewise((x[i], i >= 1), (y[i], True)), x[i], given=[i >= 1]),
    "equal indices": state(x[i], x[j], given=[Eq(i, j)]),
    "root mean square": state(
        Sum(y[i] ** 2, (i, 0, n - 1)), n, where=[Definition(y[i], x[i] / sqrt(Sum(x[j] ** 2, (j, 0, n - 1)) / n))]
    ),
    "length under a factor": state(
        sqrt(Sum((a * x[i]) ** 2, (i, 0, n - 1)) / n), sympy.Abs(a) * sqrt(Sum(x[i] ** 2, (i, 0, n - 1)) / n)
    ),
    "size of a multiple": (Statement(Apply("abs", -3 * ALPHA), "=", 3 * Apply("abs", ALPHA)), Theory()),
    "a real exponent": state(2 ** (-a) * 2 ** (a + b), 2**b),
    "square of a size": (Statement(Pow(Apply("abs", ALPHA), 2), "=", Pow(ALPHA, 2)), Theory()),
    "a shifted index": state(Sum(x[j - 1], (j, 1, n)), Sum(x[j], (j, 0, n - 1))),
    "a reversed sum": state(Sum(x[n - 1 - j], (j, 0, n - 1)), Sum(x[j], (j, 0, n - 1))),
    "an empty sum": state(Sum(x[j], (j, i, i - 1)), 0),
    "the last term": state(Sum(x[j], (j, 0, i)), Sum(x[j], (j, 0, i - 1)) + x[i]),
    "without the first term": state(Sum(x[j], (j, 0, n - 1)) - x[0], Sum(x[j], (j, 1, n - 1))),
    "opposite maxima": state(sympy.Max(a, 0) - sympy.Max(-a, 0), a),
    "a size by cases": state(sympy.Abs(a * b), Piecewise((a * b, a * b > 0), (-a * b, True))),
    "a positive factor": state(Piecewise((b, a * exp(b) > 0), (0, True)), Piecewise((b, a > 0), (0, True))),
    "a known sign": state(Piecewise((a, a > 0), (b, True)), a, given=[a > 0]),
    "a mask of values": state(exp(2 * Piecewise((b, a > 0), (-oo, True))), Piecewise((exp(2 * b), a > 0), (0, True))),
    "a hyperbolic tangent of the opposite": (
        Statement(Apply("tanh", -1 * ALPHA), "=", -1 * Apply("tanh", ALPHA)),
        Theory(),
    ),
    "a learning rate at half of its time": state(
        a + b * (1 + sympy.cos(sympy.pi * sympy.Rational(1, 2) + 0 * b, evaluate=False)), a + b
    ),
    "whole turns": state(
        x[i] * sympy.cos(a + 2 * sympy.pi * i, evaluate=False), x[i] * sympy.cos(a), given=[i >= 0, i < n]
    ),
    "a mean of an exponential": state(
        expectation(exp(a * b)), exp(a**2 / 2), given=[Random(b, mean=0, variance=1, normal=True)]
    ),
    "an angle of zero": state(sympy.Function("phi")(a) * sympy.sin(a - a + 0 * b, evaluate=False), 0),
}


N = language.Index.size("n")
N_VALUE = language.IndexValue(N)
MATRIX = language.Lambda(("i", "j"), Entry("A", (language.Index.var("i"), language.Index.var("j"))))
LINE = language.Lambda(("i", "j"), Entry("u", (language.Index.var("i"),)))
UNIT = language.Lambda(("i", "j"), language.delta(language.Index.var("i"), language.Index.var("j")))
OF_LINE = language.Mul((LINE.body, Entry("u", (language.Index.var("j"),))))
GIVEN = Theory({"A": Tensor("A", (N, N)), "u": Tensor("u", (N,))})
DETERMINANTS = {
    "of the square of a transpose": (
        Statement(
            determinant(product_of_matrices(language.Lambda(("j", "i"), MATRIX.body), MATRIX, N), N),
            "=",
            Pow(determinant(MATRIX, N), 2),
        ),
        GIVEN,
    ),
    "of a multiple of the identity": (
        Statement(
            determinant(language.Lambda(("i", "j"), Mul((Number(2), UNIT.body))), N), "=", Pow(Number(2), N_VALUE)
        ),
        GIVEN,
    ),
    "of the identity and a column": (
        Statement(
            determinant(language.Lambda(("i", "j"), language.Add((UNIT.body, OF_LINE))), N),
            "=",
            1 + language.sum_over("j", 0, N, Pow(Entry("u", (language.Index.var("j"),)), 2)),
        ),
        GIVEN,
    ),
}


def proved() -> dict[str, tuple[Statement, Theory]]:
    return {**STATEMENTS, **DETERMINANTS, **{r.name: r.stated for r in library() if r.expected == "proved"}}


@pytest.mark.parametrize("name", [*STATEMENTS, *DETERMINANTS])
def test_statement_is_proved_and_replays(name: str) -> None:
    decision = decide(*{**STATEMENTS, **DETERMINANTS}[name])
    assert isinstance(decision, Proved), decision
    text = json.dumps(certificate.write(decision.theorem))
    assert certificate.read(json.loads(text)).rules == decision.theorem.rules


def test_every_rule_is_used_by_a_certificate() -> None:
    used: set[str] = set()
    for statement, theory in proved().values():
        decision = decide(statement, theory)
        assert isinstance(decision, Proved)
        used |= set(decision.theorem.rules)
    assert used == set(RULES)
