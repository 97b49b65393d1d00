"""What needs real numbers, an open condition or every outcome: statements where one of them is missing."""

from collections.abc import Sequence

import pytest

from derivations.kernel.finiteness import extended_symbols, finite
from derivations.kernel.scope import Obligation, Scope
from derivations.kernel.smoothness import continuous, smooth, stable
from derivations.language.statement import Definition, Law, Statement, Tensor, Theory
from derivations.language.substitution import substitute
from derivations.language.term import (
    ONE,
    ZERO,
    Add,
    Apply,
    Case,
    Choice,
    Constraint,
    Derivative,
    Entry,
    Expectation,
    Guard,
    Index,
    IndexValue,
    Lambda,
    Mul,
    NegInfinity,
    Number,
    Pow,
    Term,
    at_least,
    equal,
    exp,
    guard,
    less,
    sqrt,
    sum_over,
    within,
)
from derivations.provers.decide import Decision, Proved, Refuted, Undecided, decide

i, j, k, n = Index.var("i"), Index.var("j"), Index.var("k"), Index.size("n")
c, x, y = Entry("c"), Entry("x"), Entry("y")
BOT = NegInfinity()


def score(a: Index, b: Index) -> Entry:
    return Entry("S", (a, b))


def masked(*kept: Constraint) -> tuple[Definition, ...]:
    """S[i, j]: a real score where the constraints hold, else minus infinity."""
    return (Definition("S", (i, j), Case([(guard(*kept), Entry("X", (i, j)))], BOT)),)


CAUSAL, STRICT = masked(at_least(i, j)), masked(less(j, i))
SQUARE = guard(*within("i", 0, n), *within("j", 0, n))
ROWS = guard(*within("i", 0, n))


def weights(scores: Term) -> Term:
    """Softmax over j of scores at i, j."""
    return Mul((exp(scores), Pow(sum_over("k", 0, n, exp(substitute(scores, {"j": k}))), -1)))


def ask(
    left: Term,
    relation: str,
    right: Term,
    rows: Sequence[Definition] = (),
    where: Guard = (),
    given: Sequence[Statement] = (),
    law: Law | None = None,
) -> Decision:
    indices = tuple(sorted(left.free | right.free))
    where = tuple(constraint for constraint in where if constraint.free <= set(indices))
    tensors = {"X": Tensor("X", (n, n)), "q": Tensor("q", (n,), law)}
    theory = Theory(tensors, {rows[0].name: tuple(rows)} if rows else {})
    return decide(Statement(left, relation, right, indices, guard(*where), tuple(given)), theory)


def assumed(decision: Decision) -> list[str]:
    assert isinstance(decision, Proved), decision
    return [a.text for a in decision.theorem.assumptions]


def total(scores: Term) -> Term:
    return sum_over("j", 0, n, weights(scores))


class TestMinusInfinity:
    def test_its_exponential_is_not_positive(self) -> None:
        assert isinstance(ask(ZERO, "<", exp(score(i, j)), STRICT, SQUARE), Refuted)
        assert assumed(ask(ZERO, "<=", exp(score(i, j)), STRICT, SQUARE)) == []
        below = guard(*SQUARE, less(j, i))
        assert assumed(ask(ZERO, "<", exp(score(i, j)), STRICT, below)) == []

    def test_a_row_without_keys_has_no_weights(self) -> None:
        assert assumed(ask(total(score(i, j)), "=", ONE, CAUSAL, ROWS)) == []
        for mask in (STRICT, masked(less(i, i))):
            found = ask(total(score(i, j)), "=", ONE, mask, ROWS)
            assert isinstance(found, Undecided)
            assert found.code == "undefined"

    def test_a_factor_beside_it_must_be_positive(self) -> None:
        assert assumed(ask(total(Mul((c, score(i, j)))), "=", ONE, CAUSAL, ROWS)) == ["c > 0"]
        scaled = Mul((score(i, j), Pow(IndexValue(n), Number(-1) / 2)))
        assert assumed(ask(total(scaled), "=", ONE, CAUSAL, ROWS)) == []

    @pytest.mark.parametrize(
        "term",
        [
            -score(i, j),
            Mul((ZERO, score(i, j))),
            Mul((score(i, j), score(j, i))),
            Pow(score(i, j), 2),
            Apply("tanh", score(i, j)),
            Apply("log", score(i, j)),
            Apply("phi", score(i, j)),
            sum_over("k", 0, n, score(i, k)),
            Choice(score(i, j), ONE, ZERO),
            Derivative("y", (), score(i, j)),
        ],
        ids=str,
    )
    def test_there_is_no_arithmetic_with_it(self, term: Term) -> None:
        found = ask(term, "=", term, CAUSAL, SQUARE)
        assert isinstance(found, Undecided)
        assert found.code in ("not-meaningful", "undefined")

    def test_arithmetic_where_it_cannot_be(self) -> None:
        kept = sum_over("k", 0, i + 1, score(i, k))
        assert assumed(ask(kept, "=", sum_over("k", 0, i + 1, Entry("X", (i, k))), CAUSAL, ROWS)) == []

    def test_hypotheses_are_about_real_numbers(self) -> None:
        given = [Statement(Entry("X", (i, j)), "=", BOT, ("i", "j"), SQUARE)]
        for claim in ((exp(Entry("X", (i, j))), "=", ZERO), (ZERO, "<", exp(Entry("X", (i, j))))):
            found = ask(*claim, (), SQUARE, given)
            assert isinstance(found, Undecided)
            assert found.code == "not-meaningful"

    def test_facts_are_not_about_the_indices_of_a_tensor_argument(self) -> None:
        row = Definition("F", (k,), Entry("X", (k,)), (), (Tensor("X", (n,)),))
        theory = Theory({"X": Tensor("X", (n, n))}, {"S": CAUSAL, "F": (row,)})
        second = Entry("F", (1,), (Lambda(("i",), score(Index.of(0), i)),))  # S[0, 1], whatever i is outside
        assert not finite(second, theory, guard(equal(i, 0)))
        claim = Statement(ZERO, "<", exp(second), ("i",), guard(equal(i, 0)))
        assert not isinstance(decide(claim, theory), Proved)

    def test_its_sort_is_known_of_symbols_and_places(self) -> None:
        theory = Theory({}, {"S": CAUSAL, "P": (Definition("P", (i, j), exp(score(i, j))),)})
        assert extended_symbols(theory) == {"S"}
        assert not finite(score(i, j), theory, SQUARE)
        assert finite(score(i, j), theory, guard(*SQUARE, at_least(i, j)))
        assert finite(score(Index.of(1), Index.of(0)), theory, ())
        assert finite(Entry("P", (i, j)), theory, SQUARE)


class TestNearby:
    """Facts and laws under a derivative by x."""

    @staticmethod
    def scope(*kinds: tuple[str, Term]) -> Scope:
        return Scope(Theory(), (), (), (), tuple(Obligation(kind, (), (), t) for kind, t in kinds))

    @pytest.mark.parametrize(
        "subject",
        [
            Add((ONE, Mul((Number(-2), x, Pow(x, -1))))),
            Add((ONE, Apply("log", x))),
            Add((ONE, Pow(x, Number(-1) / 2))),
            Choice(x, ONE, Number(2)),
            Pow(x, y),
        ],
        ids=str,
    )
    def test_what_jumps_is_not_known_nearby(self, subject: Term) -> None:
        assert stable(self.scope(("positive", subject)), "x") == ()

    def test_what_is_continuous_or_does_not_move_is(self) -> None:
        root, fixed = ("positive", Add((x, sqrt(x)))), ("nonnegative", Apply("log", y))
        assert len(stable(self.scope(root, fixed), "x")) == 2
        assert stable(self.scope(("nonnegative", x)), "x") == ()
        # 1/x is continuous where x is known not to be 0, and so is what is assumed of it
        quotient = ("positive", Add((ONE, Pow(x, -1))))
        assert len(stable(self.scope(quotient, ("nonzero", x)), "x")) == 2

    def test_smooth_and_continuous(self) -> None:
        nothing = self.scope()
        assert continuous(Apply("abs", x), nothing, "x")
        assert not smooth(Apply("abs", x), nothing, "x")
        assert smooth(Apply("abs", x), self.scope(("nonzero", x)), "x")
        assert not smooth(sqrt(x), nothing, "x")
        assert smooth(sqrt(Add((ONE, exp(x)))), nothing, "x")
        assert smooth(Apply("phi", x), nothing, "x")
        assert smooth(Choice(y, x, ZERO), self.scope(("nonzero", y)), "x")
        assert not smooth(Choice(y, x, ZERO), nothing, None)

    def test_the_product_rule_needs_derivatives(self) -> None:
        root = Choice(x, Pow(x, Number(1) / 3), -Pow(-x, Number(1) / 3))
        # (cube root of x)^3 is x, with slope 1 at 0; by the law of powers it would be 3 * 0^2 * (...)
        given = [Statement(x, "=", ZERO)]
        assert not isinstance(ask(Derivative("x", (), Pow(root, 3)), "=", ZERO, (), (), given), Proved)


class TestOutcomes:
    LAW = Law(ZERO, ONE)
    q = Entry("q", (0,))

    def test_nothing_is_known_of_the_outcome_at_hand_inside_a_mean(self) -> None:
        mean = Expectation(Apply("abs", self.q))
        for outside in (sqrt(self.q), Mul((ZERO, Apply("log", self.q)))):
            assert not isinstance(ask(Add((outside, mean)), "=", outside, law=self.LAW), Proved)

    def test_what_a_mean_owes_holds_in_every_outcome(self) -> None:
        inside = Expectation(Mul((self.q, Pow(self.q, -1))))
        assert "q[0] != 0 in every outcome" in assumed(ask(inside, "=", ONE, law=self.LAW))

    def test_a_variance_is_owed_not_to_be_negative(self) -> None:
        square = Expectation(Pow(self.q, 2))
        assert "y >= 0" in assumed(ask(square, "=", y, law=Law(ZERO, y)))
        spread = Add((Number(-1), Mul((Number(-1), Pow(y, 2)))))
        assert not isinstance(ask(square, "=", spread, law=Law(ZERO, spread)), Proved)


def test_an_unknown_function_has_no_computed_values() -> None:
    zero, one = Apply("phi", ZERO), Apply("phi", ONE)
    for relation in ("<", "!=", "<="):
        assert not isinstance(ask(zero, relation, one), Proved)
        assert not isinstance(ask(one, relation, zero), Proved)
