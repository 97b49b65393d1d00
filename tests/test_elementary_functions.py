"""Identities of hyperbolic functions, of the logistic function and of angles: the true ones are proved, the false ones refuted."""

from __future__ import annotations

from fractions import Fraction

import pytest

from derivations.documents import read_text
from derivations.language.statement import Statement, Tensor, Theory
from derivations.language.term import HALF, ONE, Apply, Entry, Number, Pow, Term, exp
from derivations.provers.decide import Proved, Refuted, decide
from derivations.study.claims import study

THIRD = Number(Fraction(1, 3))
GIVEN = Theory({name: Tensor(name) for name in "xy"})
x, y = Entry("x"), Entry("y")


def tanh(t: Term) -> Term:
    return Apply("tanh", t)


def logistic(t: Term) -> Term:
    return Pow(ONE + exp(-1 * t), -1)


def sin(t: Term) -> Term:
    return Apply("sin", t)


def cos(t: Term) -> Term:
    return Apply("cos", t)


def inverse(t: Term) -> Term:
    return Pow(t, -1)


TRUE = {
    "by the logistic function": (tanh(x), "=", 2 * logistic(2 * x) - 1),
    "the logistic function by it": (logistic(x), "=", HALF * (ONE + tanh(HALF * x))),
    "its slope": (1 - Pow(tanh(x), 2), "=", 4 * exp(2 * x) * Pow(exp(2 * x) + 1, -2)),
    "by two exponentials": (tanh(x), "=", (exp(x) - exp(-1 * x)) * inverse(exp(x) + exp(-1 * x))),
    "of the opposite": (tanh(-1 * x), "=", -1 * tanh(x)),
    "of twice": (tanh(2 * x), "=", 2 * tanh(x) * inverse(1 + Pow(tanh(x), 2))),
    "at most one": (tanh(x), "<=", ONE),
    "below one": (tanh(x), "<", ONE),
    "above minus one": (Number(-1), "<", tanh(x)),
    "the logistic function of the opposite": (logistic(-1 * x), "=", 1 - logistic(x)),
    "the sine of half an angle": (1 - cos(x), "=", 2 * Pow(sin(HALF * x), 2)),
    "the cosine of half an angle": (1 + cos(x), "=", 2 * Pow(cos(HALF * x), 2)),
    "an angle by its halves": (sin(x), "=", 2 * sin(HALF * x) * cos(HALF * x)),
    "an angle by its thirds": (sin(x), "=", 3 * sin(THIRD * x) - 4 * Pow(sin(THIRD * x), 3)),
    "twice an angle": (cos(2 * x), "=", 2 * Pow(cos(x), 2) - 1),
    "half a sum": (2 * sin(HALF * (x + y)) * cos(HALF * (x - y)), "=", sin(x) + sin(y)),
    "one and a half": (sin(Number(Fraction(3, 2)) * x) - sin(HALF * x), "=", 2 * cos(x) * sin(HALF * x)),
}
FALSE = {
    "the factor of the logistic function": (tanh(x), "=", logistic(2 * x) - 1),
    "the argument of the logistic function": (tanh(x), "=", 2 * logistic(x) - 1),
    "as if it were even": (tanh(-1 * x), "=", tanh(x)),
    "as if it were linear": (tanh(x + y), "=", tanh(x) + tanh(y)),
    "half an angle without its factor": (1 - cos(x), "=", Pow(sin(HALF * x), 2)),
    "half an angle for twice": (cos(x), "=", 1 - 2 * Pow(sin(2 * x), 2)),
    "above one": (ONE, "<", tanh(x)),
}


@pytest.mark.parametrize("name", TRUE)
def test_a_true_statement_is_proved(name: str) -> None:
    decision = decide(Statement(*TRUE[name]), GIVEN)
    assert isinstance(decision, Proved), decision
    assert not decision.theorem.assumptions


@pytest.mark.parametrize("name", FALSE)
def test_a_false_statement_is_refuted(name: str) -> None:
    assert isinstance(decide(Statement(*FALSE[name]), GIVEN), Refuted)


DOCUMENTS = {
    "a sum and a difference of exponentials": (
        r"For a number $z$ $$\cosh z = \frac{e^z + e^{-z}}{2}, \quad \sinh z = \frac{e^z - e^{-z}}{2}$$ "
        r"$$\cosh^2 z - \sinh^2 z = 1$$ $$\tanh z = \frac{\sinh z}{\cosh z}$$ $$\cosh(2 z) = \cosh^2 z - \sinh^2 z$$",
        ["proved", "proved", "proved", "proved", "refuted"],
    ),
    "halves of angles under a sum": (
        r"Let $\omega \in \mathbb{R}^{m}$ and $s, t \in \mathbb{R}$. "
        r"$$2 m - 2 \sum_{k=1}^m \cos(\omega_k (s - t)) = 4 \sum_{k=1}^m \sin^2(\omega_k (s - t) / 2)$$ "
        r"$$2 m - 2 \sum_{k=1}^m \cos(\omega_k (s - t)) = 2 \sum_{k=1}^m \sin^2(\omega_k (s - t) / 2)$$",
        ["proved", "refuted"],
    ),
    "of each entry": (
        r"Let $u \in \mathbb{R}^n$. $$\cosh(u) + \sinh(u) = e^{u}$$ $$\cosh(u)_i = \sinh(u)_i + e^{-u_i}$$",
        ["proved", "proved"],
    ),
}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_documents(name: str) -> None:
    text, expected = DOCUMENTS[name]
    found = study(read_text(text, "functions.md"), decide=decide)
    assert [f.status for f in found] == expected, [(f.source, f.reason) for f in found]
