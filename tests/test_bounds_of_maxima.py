"""Upper bounds of maxima over an index, and the log of a sum of exponentials between the maximum and more than that."""

from __future__ import annotations

import pytest

from derivations.language.statement import Statement, Tensor, Theory
from derivations.language.term import ZERO, Apply, Entry, Index, IndexValue, Max, Pow, Sum, Term, exp, within
from derivations.provers.decide import Proved, Refuted, decide

n, i = Index.size("n"), Index.var("i")
GIVEN = Theory({**{name: Tensor(name, (n,)) for name in "uv"}, "t": Tensor("t"), "c": Tensor("c")})
u, v, t, c = Entry("u", (i,)), Entry("v", (i,)), Entry("t"), Entry("c")
POSITIVE = Statement(ZERO, "<", t)
IN_RANGE = within("i", 0, n)


def top(body: Term) -> Max:
    return Max("i", IN_RANGE, body)


def total(body: Term) -> Sum:
    return Sum("i", IN_RANGE, body)


def log(x: Term) -> Term:
    return Apply("log", x)


def smooth(by: Term) -> Term:
    return by * log(total(exp(u * Pow(by, -1))))


TRUE = {
    "below the log of a sum": Statement(top(u), "<=", log(total(exp(u)))),
    "above it, less log n": Statement(log(total(exp(u))), "<=", top(u) + log(IndexValue(n))),
    "below a smooth maximum": Statement(top(u), "<=", smooth(t), hypotheses=(POSITIVE,)),
    "above it, less t log n": Statement(smooth(t), "<=", top(u) + t * log(IndexValue(n)), hypotheses=(POSITIVE,)),
    "both sides divided": Statement(top(u) / t, "<=", smooth(t) / t, hypotheses=(POSITIVE,)),
    "a bound of each": Statement(top(u), "<=", c, hypotheses=(Statement(u, "<=", c, ("i",), IN_RANGE),)),
    "a multiple of it": Statement(
        t * top(u), "<=", t * c, hypotheses=(POSITIVE, Statement(u, "<=", c, ("i",), IN_RANGE))
    ),
    "below the sum": Statement(top(Pow(u, 2)), "<=", total(Pow(u, 2))),
    "of what is never positive": Statement(top(-1 * Pow(u, 2)), "<=", ZERO),
    "of a sum": Statement(top(u + v), "<=", top(u) + top(v)),
}
FALSE = {
    "above the log of a sum": Statement(log(total(exp(u))), "<=", top(u)),
    "below the sum of what may be negative": Statement(top(u), "<=", total(u)),
    "the sum of two maxima": Statement(top(u) + top(v), "<=", top(u + v)),
    "a negative multiple": Statement(
        -1 * t * top(u), "<=", -1 * t * c, hypotheses=(POSITIVE, Statement(u, "<=", c, ("i",), IN_RANGE))
    ),
}


@pytest.mark.parametrize("name", TRUE)
def test_a_bound_is_proved(name: str) -> None:
    decision = decide(TRUE[name], GIVEN)
    assert isinstance(decision, Proved), decision


@pytest.mark.parametrize("name", FALSE)
def test_what_is_no_bound_is_refuted(name: str) -> None:
    assert isinstance(decide(FALSE[name], GIVEN), Refuted)
