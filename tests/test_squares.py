"""Inequalities whose difference is a sum of squares, or lies above a tangent: spreads about a mean, Cauchy's inequality,
convexity of squares, and that divergences are not negative."""

from __future__ import annotations

from fractions import Fraction

import pytest

from derivations.language.statement import Statement, Tensor, Theory
from derivations.language.term import Apply, Entry, Index, IndexValue, Number, Pow, Sum, Term, exp, within
from derivations.provers.decide import Proved, Refuted, decide

n = Index.size("n")
GIVEN = Theory({**{name: Tensor(name, (n,)) for name in "pxyz"}, **{name: Tensor(name) for name in "abt"}})
a, b, t = Entry("a"), Entry("b"), Entry("t")
HALF = Number(Fraction(1, 2))
i = Index.var("i")


def total(*names: str) -> Term:
    """The sum of the products of entries of some vectors."""
    body: Term = Number(1)
    for name in names:
        body = body * Entry(name, (i,))
    return Sum("i", within("i", 0, n), body)


def log(x: Term) -> Term:
    return Apply("log", x)


def softmax(k: Index) -> Term:
    return exp(Entry("z", (k,))) * Pow(Sum("j", within("j", 0, n), exp(Entry("z", (Index.var("j"),)))), -1)


def weighted(power: int) -> Term:
    """The mean of powers of x under the softmax of z."""
    return Sum("i", within("i", 0, n), softmax(i) * Pow(Entry("x", (i,)), power))


def mixture(power: int) -> Term:
    """The squared length of `t x + (1 - t) y`, or its entries summed up."""
    x, y = Entry("x", (i,)), Entry("y", (i,))
    return Sum("i", within("i", 0, n), Pow(t * x + (1 - t) * y, power))


DISTRIBUTION = (
    Statement(total("p"), "=", Number(1)),
    Statement(Number(0), "<=", Entry("p", (i,)), ("i",), within("i", 0, n)),
)
POSITIVE = tuple(Statement(Number(0), "<", Entry(name, (i,)), ("i",), within("i", 0, n)) for name in "px")
TWO = (*DISTRIBUTION, Statement(total("x"), "=", Number(1)), *POSITIVE)
DIVERGENCE = Sum("i", within("i", 0, n), Entry("p", (i,)) * log(Entry("p", (i,)) * Pow(Entry("x", (i,)), -1)))
UNIT = (Statement(Number(0), "<=", t), Statement(t, "<=", Number(1)))
LENGTH_1 = tuple(Statement(total(name, name), "=", Number(1)) for name in "xy")


def norm(*names: str) -> Term:
    """The length of a vector, or of a sum of vectors."""
    whole = Entry(names[0], (i,))
    for name in names[1:]:
        whole = whole + Entry(name, (i,))
    return Pow(Sum("i", within("i", 0, n), Pow(whole, 2)), HALF)


TRUE = {
    "a spread under a softmax": Statement(Pow(weighted(1), 2), "<=", weighted(2)),
    "a spread under a distribution": Statement(
        Pow(total("p", "x"), 2), "<=", total("p", "x", "x"), hypotheses=DISTRIBUTION
    ),
    "a mean of squares": Statement(Pow(total("x"), 2), "<=", IndexValue(n) * total("x", "x")),
    "Cauchy": Statement(Pow(total("x", "y"), 2), "<=", total("x", "x") * total("y", "y")),
    "squares are convex": Statement(mixture(2), "<=", t * total("x", "x") + (1 - t) * total("y", "y"), hypotheses=UNIT),
    "a square and what stands on both sides": Statement(HALF, "<=", HALF * Pow(1 + t, 2) + HALF),
    "a divergence": Statement(Number(0), "<=", DIVERGENCE, hypotheses=TWO),
    "an entropy": Statement(
        -Sum("i", within("i", 0, n), Entry("p", (i,)) * log(Entry("p", (i,)))),
        "<=",
        log(IndexValue(n)),
        hypotheses=(*DISTRIBUTION, *POSITIVE),
    ),
    "evidence": Statement(-DIVERGENCE, "<=", log(total("x")), hypotheses=(*DISTRIBUTION, *POSITIVE)),
    "a tangent of exp": Statement(2 + 2 * t, "<=", 2 * exp(t)),
    "a tangent of log": Statement(log(t), "<=", t - 1, hypotheses=(Statement(Number(0), "<", t),)),
    "Cauchy without squares": Statement(Apply("abs", total("x", "y")), "<=", norm("x") * norm("y")),
    "Cauchy from below": Statement(-norm("x") * norm("y"), "<=", total("x", "y")),
    "the triangle inequality": Statement(norm("x", "y"), "<=", norm("x") + norm("y")),
    "unit vectors": Statement(Apply("abs", total("x", "y")), "<=", Number(1), hypotheses=LENGTH_1),
    "unit vectors from below": Statement(Number(-1), "<=", total("x", "y"), hypotheses=LENGTH_1),
    "a loss": Statement(Number(0), "<=", -log(softmax(Index.var("k"))), ("k",), within("k", 0, n)),
    "two numbers": Statement(4 * a * b, "<=", Pow(a + b, 2)),
}
FALSE = {
    "twice a spread": Statement(2 * Pow(weighted(1), 2), "<=", weighted(2)),
    "a spread without a distribution": Statement(Pow(total("p", "x"), 2), "<=", total("p", "x", "x")),
    "twice Cauchy": Statement(2 * Pow(total("x", "y"), 2), "<=", total("x", "x") * total("y", "y")),
    "convex for any number": Statement(mixture(2), "<=", t * total("x", "x") + (1 - t) * total("y", "y")),
    "a divergence of what is no distribution": Statement(
        Number(0), "<=", DIVERGENCE, hypotheses=(*DISTRIBUTION, *POSITIVE)
    ),
    "half of an entropy": Statement(
        -Sum("i", within("i", 0, n), Entry("p", (i,)) * log(Entry("p", (i,)))),
        "<=",
        HALF * log(IndexValue(n)),
        hypotheses=(*DISTRIBUTION, *POSITIVE),
    ),
    "a line that cuts exp": Statement(1 + 2 * t, "<=", exp(t)),
    "a line that cuts log": Statement(2 * log(t), "<=", t - 1, hypotheses=(Statement(Number(0), "<", t),)),
    "half of Cauchy": Statement(total("x", "y"), "<=", HALF * norm("x") * norm("y")),
    "a triangle with one side": Statement(norm("x", "y"), "<=", norm("x")),
    "unit vectors apart": Statement(total("x", "y"), "<=", HALF, hypotheses=LENGTH_1),
    "a loss above 1": Statement(Number(1), "<=", -log(softmax(Index.var("k"))), ("k",), within("k", 0, n)),
    "five times": Statement(5 * a * b, "<=", Pow(a + b, 2)),
}


@pytest.mark.parametrize("name", TRUE)
def test_true_ones_are_proved(name: str) -> None:
    assert isinstance(decide(TRUE[name], GIVEN), Proved)


@pytest.mark.parametrize("name", FALSE)
def test_false_ones_are_refuted(name: str) -> None:
    assert isinstance(decide(FALSE[name], GIVEN), Refuted)
