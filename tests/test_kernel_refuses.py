"""What the kernel must refuse, each for the right reason; the same table once more under `python -O`."""

import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from derivations.kernel import certificate, rules
from derivations.kernel.definition import admit
from derivations.kernel.errors import BadCertificate, KernelError, Refused
from derivations.kernel.numbers import certain
from derivations.kernel.proof import Clear, Compute, Have, Induct, Meet, Raise, Step
from derivations.kernel.replay import replay
from derivations.kernel.rules.determinants import determinant, product_of_matrices
from derivations.kernel.scope import Obligation, Scope
from derivations.language.statement import Definition, Law, Statement, Tensor, Theory
from derivations.language.substitution import substitute
from derivations.language.term import (
    INVERSE,
    ONE,
    ZERO,
    Add,
    Apply,
    Bracket,
    Case,
    Choice,
    Derivative,
    Entry,
    Expectation,
    Index,
    IndexValue,
    Lambda,
    Max,
    Mul,
    NegInfinity,
    Number,
    Pow,
    Sum,
    Term,
    TermError,
    at_least,
    equal,
    inverse,
    less,
    permuted,
    sum_over,
    within,
)
from derivations.provers.instance import by_instance
from derivations.provers.not_found import NotFound
from derivations.provers.prove import find_proof

i, j, k = map(Index.var, "ijk")
n = Index.size("n")
x, y = Entry("x"), Entry("y")
HALF = Number(Fraction(1, 2))


def e(name: str, *at: Index) -> Entry:
    return Entry(name, at)


S = sum_over("j", 0, n, e("f", j))
LAW = Law(ZERO, ONE)
CIRCLE = Entry("pi")
THEORY = Theory(
    {
        "q": Tensor("q", (n,), LAW),
        "z": Tensor("z", (n,), Law()),
        "g": Tensor("g", (), Law(ZERO, ONE, normal=True)),
        "pi": Tensor("pi", constant="pi"),
    }
)
MATRIX = Lambda(("a", "b"), Entry("M", (Index.var("a"), Index.var("b"))))
SECOND = Lambda(("a", "b"), Entry("N", (Index.var("a"), Index.var("b"))))
PRODUCT = product_of_matrices(MATRIX, SECOND, n)
G, ALONE = Entry("g"), Lambda(("a",), ONE)
SCOPE = Scope(THEORY, ("i",), within("i", 0, n))
BOT = NegInfinity()


@dataclass(frozen=True)
class Row:
    """One use of a rule that must be refused, and a part of what the refusal says."""

    rule: str
    before: Any
    after: Any
    says: str
    args: dict[str, Any]


def row(rule: str, before: Any, after: Any, says: str, **args: Any) -> Row:
    return Row(rule, before, after, says, args)


def det(matrix: Lambda) -> Entry:
    return determinant(matrix, n)


def pi(at: Index) -> Index:
    return permuted("pi", n, at)


def sin(t: Term) -> Term:
    return Apply("sin", t)


def cos(t: Term) -> Term:
    return Apply("cos", t)


q2 = e("q", i) * e("q", j)
m = Index.size("m")
PAIRS = sum_over("j", 0, n, sum_over("k", 0, m, e("f", j * m + k)))
TWO = sum_over("j", 0, n, sum_over("k", 0, n, e("f", j, k)))


def power(exponent: Index) -> Term:
    return Pow(e("f", i), IndexValue(exponent))


def inverted(row: Index, column: Index) -> Entry:
    return inverse(Lambda(("a", "b"), e("M", Index.var("a"), Index.var("b"))), n, row, column)


INVERTED = {"matrix": inverted(i, i), "row": i, "column": i}
MM = sum_over("c", 0, n, e("M", i, Index.var("c")) * inverted(Index.var("c"), i))


def highest(body: Term) -> Term:
    return Max("j", within("j", 0, n), body)


def perhaps_none(body: Term) -> Term:
    return Max("j", (at_least(j, i), less(j, n - 1)), body)


TOP = highest(e("f", j))
OTHER = highest(e("g", j))
LONGER = Max("j", within("j", 0, n + 1), e("f", j))
ITSELF = (((0, (), {"j": j}, {}),),)
SHORTER = (((0, (less(j, n),), {"j": j}, {}),),)
ROWS = [
    row("alpha", S, sum_over("k", 0, n, e("g", k)), "g[k]"),
    row("ring", x + y, x * y, "polynomial"),
    row("ring", x * Pow(x, -1), ONE, "polynomial"),
    row("ring", Pow(Pow(x, 2), Number(1) / Number(2)), x, "polynomial"),
    row("ring", BOT - BOT, ZERO, "minus infinity"),
    row("unfold", e("A", i), x, "no definition"),
    row("hypothesis", x, y, "a number below 0", number=0, at={}),
    row("index_eq", e("f", i), e("f", Index()), "does not follow", var="i", value=Index()),
    row("sum_add_distrib", S, S, "a sum of terms"),
    row("mul_sum", sum_over("j", 0, n, e("f", j) * x), e("f", j) * sum_over("j", 0, n, x), "without j", factors=(0,)),
    row("mul_sum", S, S, "a product", factors=(0,)),
    row("sum_comm", TWO, sum_over("k", 0, n, sum_over("j", 0, n + 1, e("f", j, k))), "pairs"),
    row("sum_comm", S, S, "sum(i, sum(j, f))"),
    row("sum_congr_range", S, sum_over("j", 0, n + 1, e("f", j)), "indices with"),
    row("sum_congr_range", S, Sum("j", (at_least(j, 0),), e("f", j)), "indices with"),
    row("sum_ite", S, S, "a bracket", factor=0),
    row("sum_empty", S, ZERO, "without indices"),
    row("sum_zero", S, ZERO, "0"),
    row("sum_ite_eq", S, e("f", i), "fixes", value=i),
    # the range must not be forgotten: sum(j < n, [j = k] f(j)) = f(k) needs k < n
    row("sum_ite_eq", Sum("j", (equal(j, k), *within("j", 0, n)), e("f", j)), e("f", k), "[", value=k),
    row("sum_split", S, S, "+", on=at_least(i, j)),
    row("sum_bij", S, S, "shift", sign=2, shift=Index()),
    row("sum_bij", S, sum_over("j", 0, n, e("f", j + 1)), "sum(", sign=1, shift=Index.of(1)),
    row("sum_const", S, x, "without j", low=Index(), high=n),
    row("sum_const", sum_over("j", 0, i - 1, x), x, ">=", low=Index(), high=i - 1),
    row("telescope", S, x, "to be", low=Index(), high=n, total=Lambda(("j",), IndexValue(Index.var("j")))),
    row("telescope", S, x, "one index", low=Index(), high=n, total=Lambda((), x)),
    row("telescope", S, x, "the range", low=Index.of(1), high=n, total=Lambda(("j",), x)),
    row("telescope", sum_over("j", 0, i - 1, x), x, ">=", low=Index(), high=i - 1, total=Lambda(("j",), x)),
    row("pow_add", power(j), power(j + 1) * power(Index.of(-1)), ">= 0 or", first=j + 1, second=Index.of(-1)),
    row("pow_add", power(i), power(i) * x, "i + 1", first=i, second=Index.of(1)),
    row("pow_add", power(i + 1), power(i) * y, "f[i]", first=i, second=Index.of(1)),
    row("pow_add", power(i + 1), power(i), "b^e * b^f", first=i, second=Index.of(1)),
    row("max_congr", TOP, TOP, "an answer for each", forth=(), converse=()),
    row("max_congr", TOP, LONGER, "does not follow", forth=ITSELF, converse=ITSELF),
    row("max_congr", LONGER, TOP, "leave some out", forth=SHORTER, converse=ITSELF),
    row("max_congr", TOP, OTHER, "the value", forth=ITSELF, converse=ITSELF),
    row("max_congr", TOP, e("f", Index()), "does not follow", forth=(((0, (), {}, {"j": Index()}),),), converse=ITSELF),
    row("max_congr", S, S, "a maximum", forth=(), converse=()),
    row("max_add", TOP, TOP, "a sum under", terms=(0,)),
    row("max_add", highest(e("f", j) + e("g", j)), TOP, "without j", terms=(1,)),
    row("max_add", perhaps_none(e("f", j) + x), x + perhaps_none(e("f", j)), "not empty", terms=(1,)),
    row("max_mul", TOP, TOP, "a product under", factors=(0,)),
    row("max_mul", highest(e("f", j) * e("g", j)), TOP, "without j", factors=(0,)),
    row("max_mul", highest(Number(-1) * e("f", j)), Number(-1) * TOP, ">= 0", factors=(0,)),
    row("max_mul", highest(x * e("f", j)), x * TOP, ">= 0", factors=(0,)),
    row("bracket_congr", Bracket((at_least(i, 1),)), ONE, "does not follow"),
    row("bracket_congr", Bracket((at_least(i, 1),)), ZERO, "does not follow"),
    row("bracket_congr", Bracket((at_least(i, 1),)), Bracket((at_least(i, 2),)), "indices with"),
    row("ite_subst", Bracket((at_least(i, 0),)) * e("f", i), x, "fixes", factor=0, var="i", value=Index()),
    row("if_pos", Case([((at_least(i, 1),), x)], y), x, "does not follow", branch=0),
    row("if_pos", Case([((at_least(i, 1),), x)], y), y, "does not follow", branch=1),
    row("if_bracket", Case([((at_least(i, 1),), x)], y), x, "1 <= i"),
    row("apply_ite", Add((x, y)), x, "case distinction", child=0),
    row("choice_value", Choice(x, x, y), x, "x >= 0", form=x),
    row("choice_value", Choice(x, x, y), y, "x", form=ONE),
    row("choice_value", Choice(Number(2), x, y), y, "x", form=Number(2)),
    row("choice_value", Choice(ZERO, x, y), x, "y", form=ZERO),  # not positive: the other branch
    row("choice_value", Choice(e("f", j), x, y), x, "in scope", form=e("f", j)),
    row("choice_value", x, x, "case distinction on", form=ONE),
    row("choice_bracket", Choice(x, x, y), Mul((Choice(x, ONE, ZERO), x)), "(1 - [x > 0])*y"),
    row("choice_scale", Choice(x * y, x, y), Choice(y, x, y), "x > 0", factor=x),
    row("choice_scale", Choice(Number(2) * y, x, y), Choice(y, y, y), "x", factor=Number(2)),
    row("choice_scale", Choice(Number(2) * y, x, y), Choice(x, x, y), "2*x", factor=Number(2)),
    row("choice_neg", x * Choice(-x, ONE, ZERO), x * (ONE - Choice(x, ONE, ONE)), "[x > 0]"),
    row("choice_neg", ONE * Choice(-x, ONE, ZERO), ONE - Choice(x, ONE, ZERO), "-1"),
    row("choice_neg", x * Choice(-x, x, ZERO), x, "the values 1 and 0"),
    row("max_choice", TOP, TOP, "listed values"),
    row("max_choice", Max("r", within("r", 0, 2), Case([((equal(Index.var("r"), 0),), x)], y)), x, "x > y"),
    row("abs_choice", Apply("abs", x), Choice(x, x, x), "-x"),
    row("apply_choice", x + Choice(y, x, ZERO), Choice(y, x + x, ZERO), "x + 0", child=1),
    row("apply_choice", Expectation(Choice(e("q", i), x, y)), x, "a sum, product", child=0),
    row("apply_choice", Derivative("x", (), Choice(x, x, y)), x, "a sum, product", child=0),
    row("exp_bot", Apply("exp", x), ZERO, "exp(-oo)"),
    row("bot_add", Add((x, y)), BOT, "-oo"),
    row("bot_add", Add((BOT, Case([((at_least(i, 1),), BOT)], x))), BOT, "real summands"),
    row("bot_mul", Mul((x, BOT)), BOT, "positive"),
    row("bot_mul", Mul((Number(-1), BOT)), BOT, "positive"),
    row("mul_inv_cancel", Mul((x, Pow(x, -1))), ONE, "!= 0", above=0, below=1),
    row("mul_inv_cancel", Mul((x, Pow(y, -1))), ONE, "same D", above=0, below=1),
    # a matrix that may be singular, a place outside of it, other factors, another value
    row("mul_inv_matrix", MM, Bracket((equal(i, i),)), "invertible", **INVERTED, right=True),
    row("mul_inv_matrix", MM, ONE, "inverse of a square matrix", matrix=e("M", i, i), row=i, column=i, right=True),
    row("mul_inv_matrix", MM, ONE, "not known here", **{**INVERTED, "row": i + 1}, right=True),
    row("sq_sqrt", Pow(Pow(x, Number(1)), 2), x, ">= 0"),
    row("sq_sqrt", Pow(Pow(x, HALF), 0), ONE, "other than 0"),
    row("root_mul", Pow(Mul((x, y)), HALF), Mul((Pow(x, HALF), Pow(y, HALF))), ">= 0"),
    row("root_mul", Pow(Mul((x, y)), 2), Mul((Pow(x, 2), Pow(y, 2))), "no integer"),
    row(
        "root_mul",
        Pow(Mul((x, y)), IndexValue(i - 5)),
        Mul((Pow(x, IndexValue(i - 5)), Pow(y, IndexValue(i - 5)))),
        ">= 0",
    ),
    row("root_mul", Pow(x, IndexValue(i)), Pow(x, IndexValue(i)), "power of a product"),
    row("root_even", Pow(Pow(x, 3), HALF), Pow(Apply("abs", x), Number(Fraction(3, 2))), "even power"),
    row("root_even", Pow(Pow(x, 2), HALF), x, "abs("),
    row("abs_value", Apply("abs", x), x, ">= 0", sign=1),
    row("abs_value", Apply("abs", x), Mul((Number(-1), x)), ">= 0", sign=-1),
    row("abs_value", Apply("abs", Number(2)), Number(2), "sign", sign=0),
    row("abs_mul", Apply("abs", Add((x, y))), Add((Apply("abs", x), Apply("abs", y))), "product or of a power"),
    row("abs_mul", Apply("abs", Mul((x, y))), Mul((x, Apply("abs", y))), "abs"),
    row("abs_even", Pow(Apply("abs", x), 3), Pow(x, 3), "even power"),
    row("pow_exp", Pow(x, y), Apply("exp", Mul((y, Apply("log", x)))), "> 0"),
    row("pow_exp", Pow(Number(2), x), Apply("exp", Mul((Number(2), Apply("log", x)))), "log"),
    row("log_exp", Apply("log", x), x, "log(exp x)"),
    row("exp_log", Apply("exp", Apply("log", x)), x, "> 0"),
    row("log_mul", Apply("log", Mul((x, y))), Add((Apply("log", x), Apply("log", y))), "> 0"),
    row("log_inv", Apply("log", Pow(x, -1)), Apply("log", x), "> 0"),
    # a permutation of an axis of length n says nothing about a part of that axis, nor about a longer one
    row("sum_perm", S, sum_over("j", 0, n, e("g", pi(j))), "g[", name="pi", length=n, inverse=False),
    row(
        *("sum_perm", sum_over("j", 0, i, e("f", j)), sum_over("j", 0, i, e("f", pi(j))), "indices with"),
        name="pi",
        length=n,
        inverse=False,
    ),
    row(
        *("sum_axis", sum_over("j", 0, n * m + 1, e("f", j)), PAIRS, "range"),
        heads=n,
        width=m,
    ),
    row("sum_axis", sum_over("j", 0, n * m, e("g", j)), PAIRS, "g[", heads=n, width=m),
    row("sum_axis", sum_over("j", 0, n * i, e("f", j)), PAIRS, ">= 1", heads=n, width=i),
    row("index_congr", e("f", i), e("f", pi(i)), "indices equal"),
    row("index_congr", e("f", i), e("g", i), "indices equal"),
    row("sin_add", sin(x + y), sin(x) + sin(y), "cos", first=x, rest=y),
    row("sin_add", sin(x * y), sin(x) * cos(y) + cos(x) * sin(y), "x*y", first=x, rest=y),
    row("cos_add", cos(x + y), cos(x) * cos(y) + Mul((sin(x), sin(y))), "-", first=x, rest=y),
    row("sin_neg", sin(-x), sin(x), "-", angle=x),
    row("cos_neg", cos(-x), -cos(x), "cos", angle=x),
    row("tanh_exp", Apply("tanh", x), ONE - Number(2) * Pow(Apply("exp", x) + 1, -1), "2*x"),
    row("tanh_exp", sin(x), ONE - Number(2) * Pow(Apply("exp", 2 * x) + 1, -1), "tanh(x)"),
    row("cos_sq", Pow(cos(x), 2), Pow(sin(x), 2) + ONE, "1 - "),
    row("cos_sq", Pow(cos(x), 3), ONE - Pow(sin(x), 2), "cos(x)^2"),
    # d/dx of |x| and of 1/x where x may be 0; a sum is not differentiated factor by factor
    row("deriv", Derivative("x", (), Apply("abs", x)), ONE, "log, sin"),
    row("deriv", Derivative("x", (), Choice(x, x, ZERO)), Choice(x, ONE, ZERO), "x != 0"),  # a jump may be there
    row("deriv", Derivative("x", (), Pow(x, -1)), -Pow(x, -2), "x != 0"),
    row("deriv", Derivative("x", (), Pow(x, Fraction(1, 2))), ONE, "x > 0"),
    row("deriv", Derivative("x", (), Pow(x, y)), y * Pow(x, y - 1), "x > 0"),
    row("deriv", Derivative("x", (), Pow(Apply("exp", x), NegInfinity() + y)), ZERO, "finite real values"),
    row("deriv", Derivative("x", (), x * x), x + x, "d/dx"),
    row("deriv", Derivative("x", (i,), e("x", j)), ZERO, "[i = j]"),
    row("expect_add", Expectation(x * y), Expectation(x) * Expectation(y), "sum"),
    row("expect_mul", Expectation(e("q", i) * x), e("q", i) * Expectation(x), "not random", factors=(0,)),
    row("expect_indep", Expectation(q2), Expectation(e("q", i)) * Expectation(e("q", j)), "in both", factors=(0,)),
    row("expect_moment", Expectation(q2), ZERO, "[i = j]"),
    row("expect_moment", Expectation(Pow(e("q", i), 3)), ZERO, "random tensor"),
    row("expect_moment", Expectation(e("z", i)), ZERO, "the mean of z"),
    row(
        "expect_normal",
        Expectation(Apply("exp", x)),
        Apply("exp", x),
        "a normal tensor",
        tensor="x",
        coefficients=ALONE,
        rest=ZERO,
    ),
    row(
        "expect_normal",
        Expectation(Apply("exp", e("z", i))),
        ONE,
        "a normal tensor",
        tensor="z",
        coefficients=ALONE,
        rest=ZERO,
    ),
    row(
        "expect_normal",
        Expectation(Apply("tanh", G)),
        ZERO,
        "exp(x), sin(x)",
        tensor="g",
        coefficients=ALONE,
        rest=ZERO,
    ),
    row("expect_normal", Expectation(Apply("exp", G)), ONE, "1/2", tensor="g", coefficients=Lambda((), ONE), rest=ZERO),
    row(
        "expect_normal",
        Expectation(Apply("exp", G * x)),
        ONE,
        "g*x",
        tensor="g",
        coefficients=Lambda((), ONE),
        rest=ZERO,
    ),
    row(
        "expect_normal",
        Expectation(Apply("exp", G * G)),
        ONE,
        "not random",
        tensor="g",
        coefficients=Lambda((), G),
        rest=ZERO,
    ),
    row("det_product", det(MATRIX), ONE, "sum(", left=MATRIX, right=MATRIX),
    row("det_product", det(PRODUCT), det(MATRIX), "det(", left=MATRIX, right=SECOND),
    row("det_product", x, ONE, "a determinant", left=MATRIX, right=MATRIX),
    row("det_product", det(PRODUCT), ONE, "matrices", left=ALONE, right=MATRIX),
    row("det_exchange", det(PRODUCT), det(PRODUCT), "[", left=MATRIX, right=SECOND, inner=n),
    row("det_scale", det(Lambda(("a", "b"), x * MATRIX.body)), x * det(MATRIX), "x^n", factor=x, matrix=MATRIX),
    row("det_scale", det(MATRIX), x * det(MATRIX), "x*", factor=x, matrix=MATRIX),
    row("det_transpose", det(MATRIX), det(MATRIX), "M[", matrix=MATRIX),
    row("det_identity", det(MATRIX), ONE, "[i = j]"),
    row("det_one", det(MATRIX), e("M", Index.of(0), Index.of(0)), "one row"),
    row("trig_zero", sin(x), ZERO, "sin 0"),
    row("trig_value", sin(CIRCLE), ONE, "0", circle=CIRCLE, multiple=ONE),
    row("trig_value", sin(CIRCLE * HALF), ZERO, "1", circle=CIRCLE, multiple=HALF),
    row(
        "trig_value", sin(CIRCLE * Number(Fraction(1, 5))), ONE, "pi/6", circle=CIRCLE, multiple=Number(Fraction(1, 5))
    ),
    row("trig_value", cos(x), -ONE, "the number pi", circle=x, multiple=ONE),
    row("trig_turn", cos(x + CIRCLE * IndexValue(i)), cos(x), "-1", circle=CIRCLE, turns=i, rest=x),
    row("trig_turn", cos(x + y * IndexValue(i)), cos(x), "the number pi", circle=y, turns=i, rest=x),
    row("trig_turn", cos(x + CIRCLE), cos(x), "pi", circle=CIRCLE, turns=Index.of(2), rest=x),
    row("deriv", Derivative("pi", (), sin(CIRCLE)), ZERO, "which is a number"),
    row("trig_zero", cos(ZERO), ZERO, "1"),
]


def known_invertible() -> Scope:
    """A scope that assumes M to be invertible."""
    return replace(SCOPE, assumed=(Obligation("invertible", (), (), inverted(Index(), Index())),))


@pytest.mark.parametrize(
    ("before", "after", "right", "says"),
    [
        (MM, ZERO, True, "["),
        (MM, Bracket((equal(i, i),)), False, "sum("),
        (sum_over("c", 0, n - 1, MM.body), Bracket((equal(i, i),)), True, "sum("),
        (sum_over("c", 0, n, e("N", i, Index.var("c")) * inverted(Index.var("c"), i)), ONE, True, "sum("),
    ],
)
def test_the_inverse_of_an_invertible_matrix_is_no_other(before: Term, after: Term, right: bool, says: str) -> None:
    rules.apply("mul_inv_matrix", MM, Bracket((equal(i, i),)), known_invertible(), {**INVERTED, "right": True})
    with pytest.raises(KernelError) as refusal:
        rules.apply("mul_inv_matrix", before, after, known_invertible(), {**INVERTED, "right": right})
    assert says in str(refusal.value)


def test_nothing_else_is_called_like_an_inverse() -> None:
    for made in (
        Definition(INVERSE, (i, j), ONE),
        Definition("f", (), ONE, tensors=(Tensor(INVERSE, ()),)),
    ):
        with pytest.raises(KernelError, match="inverse of a matrix"):
            admit(Theory(), made)
    with pytest.raises(KernelError, match="inverse of a matrix"):
        replay(Theory({INVERSE: Tensor(INVERSE)}), Statement(ONE, "=", ONE), Meet((), ()))


def test_what_may_be_singular_is_owed() -> None:
    range_ = within("i", 0, n)
    theory = Theory({"M": Tensor("M", (n, n))})
    same = Statement(inverted(i, i), "=", inverted(i, i), ("i",), range_)
    theorem = replay(theory, same, Meet((), ()))
    assert [a.text for a in theorem.assumptions] == ["M is invertible"]
    beyond = Statement(inverted(i, n), "=", inverted(i, n), ("i",), range_)
    with pytest.raises(KernelError, match="at which the statement is defined"):
        replay(theory, beyond, Meet((), ()))


@pytest.mark.parametrize("r", ROWS, ids=lambda r: r.rule)
def test_rule_refuses(r: Row) -> None:
    with pytest.raises(KernelError) as refusal:
        rules.apply(r.rule, r.before, r.after, SCOPE, r.args)
    assert r.says in str(refusal.value)


def test_every_rule_has_a_refusal() -> None:
    assert {r.rule for r in ROWS} == set(rules.RULES)


def test_unknown_rule_and_wrong_arguments() -> None:
    with pytest.raises(KernelError, match="no rule is called"):
        rules.apply("trust_me", x, y, SCOPE, {})
    with pytest.raises(KernelError, match="arguments"):
        rules.apply("mul_sum", S, S, SCOPE, {"factor": 1})


# S[0] = f[0], S[t] = S[t - 1] + f[t]: what an induction may not do
t = Index.var("t")
AT_T = (at_least(t, 0), less(t, n))
RUNNING = admit(
    admit(Theory({"f": Tensor("f", (n,))}), Definition("S", (Index.of(0),), e("f", Index.of(0)))),
    Definition("S", (t,), Add((e("S", t - 1), e("f", t))), (at_least(t, 1),)),
)
ZERO_INDEX = Index()
NOTHING = Meet((), ())
KNOWN = Meet((Step("bracket_congr", (), Bracket((at_least(t, 5),)), ONE),), ())
CONSTANT = admit(
    admit(Theory(), Definition("H", (ZERO_INDEX, i), Bracket((at_least(i, 1),)))),
    Definition("H", (t, i), e("H", t - 1, i), (at_least(t, 1),)),
)
COUNTER = admit(
    admit(Theory(), Definition("C", (ZERO_INDEX,), ZERO)), Definition("C", (t,), e("C", t - 1) + ONE, (at_least(t, 1),))
)


def step(rule: str, before: Any, after: Any, **args: Any) -> Step:
    return Step(rule, (), before, after, args)


def unfold(before: Any, after: Any) -> Step:
    return step("unfold", before, after)


def assume(before: Any, after: Any, number: int) -> Step:
    return step("hypothesis", before, after, number=number, at={})


def induct(start: Index | int, facts: tuple[Any, ...] = AT_T, var: str = "t") -> Callable[[], object]:
    claim = Statement(e("S", t), "=", e("f", t), ("t", "i"), facts)
    return lambda: replay(RUNNING, claim, Induct(var, Index.of(start), NOTHING, NOTHING))


def have(lemma: Statement) -> Callable[[], object]:
    claim = Statement(e("S", t), "=", e("f", t), ("t",), AT_T)
    return lambda: replay(RUNNING, claim, Have(lemma, NOTHING, NOTHING))


def statement(left: Any, right: Any, *indices: str, given: tuple[Any, ...] = ()) -> Statement:
    return Statement(left, "=", right, indices, given)


PROOFS: list[tuple[str, Callable[[], object], str]] = [
    ("different ends", lambda: replay(Theory(), statement(x, y), Meet((), ())), "end in one term"),
    ("free index", lambda: replay(Theory(), statement(e("f", i), ZERO), Meet((), ())), "i is free"),
    (
        "wrong before",
        lambda: replay(Theory(), statement(x, y), Meet((Step("alpha", (), y, y),), ())),
        "the term y",
    ),
    (
        "position",
        lambda: replay(Theory(), statement(x, y), Meet((Step("alpha", (3,), y, y),), ())),
        "child number",
    ),
    (
        "unbounded sum enters",
        lambda: replay(
            Theory(),
            statement(x, x),
            Meet((Step("ring", (), x, x + ZERO * Sum("j", (at_least(j, 0),), e("f", j))),), ()),
        ),
        "bounds j",
    ),
    (
        "derivative by a defined symbol",  # unfolded it is 0, folded it would be 1
        lambda: replay(
            COUNTER,
            statement(Derivative("C", (ZERO_INDEX,), e("C", ZERO_INDEX)), ONE),
            Meet((Step("deriv", (), Derivative("C", (ZERO_INDEX,), e("C", ZERO_INDEX)), ONE),), ()),
        ),
        "is defined",
    ),
    ("raise what is not smaller", lambda: replay(Theory(), statement(x, y), Raise(Meet((), ()))), "one term"),
    ("raise minus infinity", lambda: replay(Theory(), statement(BOT, y), Raise(Meet((), ()))), "finite"),
    ("clear by zero", lambda: replay(Theory(), statement(x, y), Clear(ZERO, Meet((), ()))), "!= 0"),
    ("order needs a sign", lambda: find_proof(Statement(x, "<", y), Theory()), "sign"),
    ("induction on nothing", induct(0, var="u"), "an index variable of the statement"),
    ("induction from too high", induct(1), "t >= 1"),
    ("induction from itself", induct(t), "a start without t"),
    ("induction past another index", induct(0, (*AT_T, at_least(i, 0), at_least(t, i))), "may not be in range"),
    ("induction without its base", induct(0), "end in one term"),
    (
        "a true start above a false one",
        lambda: replay(
            Theory(),
            Statement(Bracket((at_least(t, 5),)), "=", ONE, ("t",), (at_least(t, 0),)),
            Induct("t", Index.of(5), KNOWN, KNOWN),
        ),
        "t >= 5",
    ),
    (
        "a place below that is out of range",
        lambda: replay(
            CONSTANT,
            Statement(e("H", t, i), "=", ZERO, ("t", "i"), (at_least(i, 0), at_least(t, i))),
            Induct(
                "t",
                Index.of(0),
                Meet(
                    (
                        step("index_eq", e("H", t, i), e("H", ZERO_INDEX, i), var="t", value=ZERO_INDEX),
                        unfold(e("H", ZERO_INDEX, i), Bracket((at_least(i, 1),))),
                        step("bracket_congr", Bracket((at_least(i, 1),)), ZERO),
                    ),
                    (),
                ),
                Meet((unfold(e("H", t, i), e("H", t - 1, i)), assume(e("H", t - 1, i), ZERO, 0)), ()),
            ),
        ),
        "may not be in range",
    ),
    (
        "the assumption at the place itself",
        lambda: replay(
            COUNTER,
            Statement(e("C", t), "=", ZERO, ("t",), (at_least(t, 0),)),
            Induct(
                "t",
                ZERO_INDEX,
                Meet(
                    (
                        step("index_eq", e("C", t), e("C", ZERO_INDEX), var="t", value=ZERO_INDEX),
                        unfold(e("C", ZERO_INDEX), ZERO),
                    ),
                    (),
                ),
                Meet((assume(e("C", t), ZERO, 0),), ()),
            ),
        ),
        "C[t",
    ),
    ("a lemma that is not shown", have(Statement(e("S", t), "=", ZERO, ("t",), AT_T)), "end in one term"),
    (
        "anything from a lemma that is not shown",
        lambda: replay(
            Theory(), Statement(x, "=", ZERO), Have(Statement(x, "=", ZERO), NOTHING, Meet((assume(x, ZERO, 0),), ()))
        ),
        "end in one term",
    ),
    (
        "a telescope of something else",
        lambda: replay(
            Theory(),
            Statement(sum_over("j", 0, n, IndexValue(j)), "=", IndexValue(n) - IndexValue(ZERO_INDEX)),
            Meet(
                (
                    step(
                        "telescope",
                        sum_over("j", 0, n, IndexValue(j)),
                        IndexValue(n) - IndexValue(ZERO_INDEX),
                        low=ZERO_INDEX,
                        high=n,
                        total=Lambda(("j",), IndexValue(j)),
                    ),
                ),
                (),
            ),
        ),
        "to be j",
    ),
    ("a lemma about other indices", have(Statement(e("S", t), "=", e("f", t))), "its own indices"),
    (
        "a lemma that may be undefined",
        have(Statement(Pow(e("f", t), -1), "=", ZERO, ("t",), AT_T)),
        "defined everywhere",
    ),
    (
        "a lemma with a hypothesis",
        have(Statement(ONE, "=", ZERO, hypotheses=(Statement(ONE, "=", ZERO),))),
        "without hypotheses",
    ),
    (
        "a hypothesis about an index of the statement",
        lambda: replay(
            RUNNING,
            Statement(e("f", t), "=", ZERO, ("t",), AT_T, (Statement(e("f", t), "=", ZERO),)),
            NOTHING,
        ),
        "hypotheses about their own indices",
    ),
    ("capture", lambda: substitute(sum_over("k", 0, n, e("Q", i, k)), {"i": k}), "would be captured"),
]


@pytest.mark.parametrize(("name", "attempt", "says"), PROOFS, ids=[p[0] for p in PROOFS])
def test_proof_is_refused(name: str, attempt: Callable[[], object], says: str) -> None:
    with pytest.raises((KernelError, TermError, NotFound)) as refusal:
        attempt()
    assert says in str(refusal.value)


def test_scope_refuses_an_index_bound_twice() -> None:
    with pytest.raises(KernelError, match="distinct"):
        SCOPE.inside(sum_over("i", 0, n, x), 0)


A = Definition("A", (i,), e("f", i))
DEFINITIONS = [
    ("itself", Definition("x", (), Add((x, Apply("phi", x)))), Theory(), "uses x itself"),
    ("tensor", Definition("f", (i,), ONE), Theory({"f": Tensor("f", (n,))}), "given tensor"),
    ("free right side", Definition("B", (i,), e("f", j)), Theory(), "j is free"),
    ("index twice", Definition("B", (i, i), ONE), Theory(), "occurs twice"),
    ("overlap", Definition("A", (Index.of(2),), ONE), admit(Theory(), A), "overlap"),
    (
        "recursion upwards",
        Definition("B", (i,), e("B", i + 1), (at_least(i, 0),)),
        Theory(),
        "smaller there and natural",
    ),
    ("recursion below zero", Definition("B", (i,), e("B", i - 1)), Theory(), "smaller there and natural"),
    ("recursion in place", Definition("B", (i,), e("B", i), (at_least(i, 1),)), Theory(), "smaller there and natural"),
    (
        "recursion in a sum without bounds",
        Definition("B", (i,), sum_over("k", 0, n, e("B", Index.var("k"))), (at_least(i, 1),)),
        Theory(),
        "smaller there and natural",
    ),
    ("circle", Definition("C", (i,), e("D", i)), admit(Theory(), Definition("D", (i,), e("C", i))), "uses C itself"),
]


@pytest.mark.parametrize(("name", "definition", "theory", "says"), DEFINITIONS, ids=[d[0] for d in DEFINITIONS])
def test_definition_is_not_conservative(name: str, definition: Definition, theory: Theory, says: str) -> None:
    with pytest.raises(KernelError) as refusal:
        admit(theory, definition)
    assert says in str(refusal.value)


def test_disjoint_patterns_are_admitted() -> None:
    even = admit(Theory(), Definition("p", (2 * i,), ONE))
    assert len(admit(even, Definition("p", (2 * i + 1,), ZERO)).definitions["p"]) == 2


def good() -> dict[str, Any]:
    theory = admit(Theory(), Definition("A", (i,), e("f", i) * 2))
    claim = Statement(sum_over("i", 0, n, e("A", i)), "=", Number(2) * sum_over("k", 0, n, e("f", k)))
    return certificate.write(find_proof(claim, theory))


def tampered(change: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
    data = good()
    change(data)
    return data


TAMPERINGS = {
    "format": lambda d: d.update(format="other"),
    "statement": lambda d: d["statement"].update(right=0),
    "term": lambda d: d["terms"].__setitem__(0, ["Number", {"q": "7"}]),
    "rule": lambda d: d["proof"][1][0].__setitem__(0, "ring"),
    "path": lambda d: d["proof"][1][0].__setitem__(1, [9]),
    "truncated": lambda d: d["proof"][1].pop(),
    "no terms": lambda d: d.pop("terms"),
    "relation": lambda d: d["statement"].update(relation="<>"),
    "assumptions": lambda d: d.update(assumptions=["x != 0"]),
    "definition": lambda d: d["definitions"][0].update(body=d["statement"]["left"]),
    "proof kind": lambda d: d["proof"].__setitem__(0, "believe"),
}


def test_certificate_replays() -> None:
    assert certificate.read(good()).assumptions == ()


@pytest.mark.parametrize("name", TAMPERINGS)
def test_tampered_certificate_is_refused(name: str) -> None:
    with pytest.raises(BadCertificate):
        certificate.read(tampered(TAMPERINGS[name]))


def test_obligations_come_from_the_statement_as_written() -> None:
    theorem = find_proof(statement(ZERO * Pow(x, -1), ZERO), Theory())
    assert [a.text for a in theorem.assumptions] == ["x != 0"]


def test_numbers_are_compared_only_where_nothing_is_given() -> None:
    e = Apply("exp", Number(1))
    assert certain(e, "<", Number(3), Theory()) and certain(e, "!=", Number(2), Theory())
    assert not certain(Number(3), "<", e, Theory())
    assert not certain(e * Apply("exp", Number(-1)), "!=", ONE, Theory())  # equal, which no ball shows to be different
    assert not certain(x, "!=", x + 1, Theory())  # a given number
    assert not certain(Number(1), "=", Number(1), Theory())  # equations are for the other proofs
    assert not certain(Pow(ZERO, -1), "<", ONE, Theory())  # 1/0 has a value here, but it is not defined
    for before, relation in ((x, "!="), (e, "=")):
        with pytest.raises(Refused, match="two numbers"):
            replay(Theory(), Statement(before, relation, Number(2)), Compute())


def test_an_instance_is_a_theorem_about_its_own_numbers() -> None:
    q = Entry("q", (i,))
    statement_ = Statement(q, "!=", Number(1), ("i",), within("i", 0, Index.size("n")))
    found = by_instance(statement_, Theory({"q": Tensor("q", (Index.size("n"),))}))
    assert found is not None
    theorem, witness = found
    assert not theorem.theory.tensors and set(theorem.theory.definitions) == {"q"} and witness.sizes == {"n": 1}
    assert certificate.read(certificate.write(theorem)).statement == theorem.statement


def test_too_deep_is_refused() -> None:
    def nested(levels: int) -> object:
        term = x
        for _ in range(levels):
            term = Apply("exp", term)
        return term

    with pytest.raises(TermError, match="levels deep"):
        nested(200)


def test_strictness_of_brackets_is_integer() -> None:
    assert less(i, j) == at_least(j, i + 1)


def test_the_same_without_asserts() -> None:
    """`python -O` strips asserts; refusals must not depend on them."""
    if sys.flags.optimize:
        pytest.skip("this is the run without asserts")
    code = (
        "import sys, importlib.util\n"
        f"spec = importlib.util.spec_from_file_location('t', {str(Path(__file__))!r})\n"
        "t = importlib.util.module_from_spec(spec); sys.modules['t'] = t; spec.loader.exec_module(t)\n"
        "bad = 0\n"
        "for r in t.ROWS:\n"
        "    try: t.rules.apply(r.rule, r.before, r.after, t.SCOPE, r.args); bad += 1\n"
        "    except t.KernelError as refusal: bad += r.says not in str(refusal)\n"
        "for name, change in t.TAMPERINGS.items():\n"
        "    try: t.certificate.read(t.tampered(change)); bad += 1\n"
        "    except t.BadCertificate: pass\n"
        "print('refused', len(t.ROWS) + len(t.TAMPERINGS), 'wrong', bad)\n"
    )
    done = subprocess.run([sys.executable, "-O", "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == f"refused {len(ROWS) + len(TAMPERINGS)} wrong 0", done.stdout + done.stderr
