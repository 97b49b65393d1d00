"""Attacks on derivatives and expectations: what holds at a point, at nearby points, in one outcome, in every outcome."""

from fractions import Fraction

from derivations.kernel.proof import SignSplit
from derivations.language.statement import Law, Statement, Tensor
from derivations.language.term import (
    HALF,
    ONE,
    ZERO,
    Add,
    Bracket,
    Choice,
    Derivative,
    Entry,
    Expectation,
    Index,
    Lambda,
    Mul,
    Number,
    Pow,
    at_least,
    equal,
    within,
)

from .attempt import (
    Attempt,
    Inputs,
    by,
    defined_as,
    e,
    equation,
    fn,
    i,
    j,
    k,
    n,
    p,
    single,
    step,
    theory,
    total,
    x,
    y,
)

MINUS = Number(-1)
X2 = Pow(x, 2)


def d(t, name="x"):
    return Derivative(name, (), t)


def dx(at, t):
    return Derivative("X", (at,), t)


def E(t):
    return Expectation(t)


def neg(t):
    return Mul((MINUS, t))


def absolute(t):
    return fn("abs", t)


q0, q1, r0 = e("q", 0), e("q", 1), e("r", 0)
TH = theory(Tensor("q", (n,), Law(ZERO, ONE)), Tensor("r", (n,), Law(ZERO, ONE)))
OPEN = theory(Tensor("q", (n,), Law()))
ALIAS = theory(Tensor("q", (n,), Law(ZERO, ONE)), defined_as("A", (), Mul((Number(2), q0))))
GAUSS = theory(Tensor("g", (), Law(ZERO, ONE, normal=True)), Tensor("h", (), Law(ZERO, ONE)))
STEPS = theory(
    Tensor("q", (n,), Law(ZERO, ONE)),
    defined_as("W", (0,), y),
    defined_as("W", (i + 1,), q0 + e("W", i), at_least(i, 0)),
)
DRAWN = theory(*STEPS.tensors.values(), *STEPS.definitions["W"], Tensor("g", (n,), Law(ZERO, ONE, normal=True)))
RUNNING = total(e("W", i), 0, 2, "i")
SOME = Inputs({"n": 2}, {"x": 0}, "1")
ZERO_X = (Statement(x, "=", ZERO),)
POSITIVE_X = (Statement(ZERO, "<", x),)
NONNEGATIVE_X = (Statement(ZERO, "<=", x),)
SQUARE = theory(defined_as("A", (), X2))
TANH = Add((ONE, neg(Pow(fn("tanh", x), 2))))


def jump(t, th=theory()):  # noqa: B008
    """1 = 1 + 0 dx/dx for a t that is positive at one point only; t / t is put beside x under the derivative."""
    quotient = Mul((t, Pow(t, -1)))
    first = step("ring", ONE, ONE + d(Mul((ONE, x))) * 0)
    second = step("mul_inv_cancel", ONE, quotient, (1, 0, 0, 0), back=True, above=0, below=1)
    return equation(ONE, ZERO, SignSplit(t, by(first, second), by()), th=th)


DERIVATIVES = [
    Attempt("deriv: of a product, factor by factor", "deriv", "found", single("deriv", d(x * y), d(x) * d(y)), single("deriv", d(x * y), Add((d(x) * y, x * d(y))))),
    Attempt("deriv: of an entry at another place", "deriv", "found", single("deriv", dx(p, e("X", i)), ONE, ix="ip"), single("deriv", dx(p, e("X", i)), Bracket((equal(i, p),)), ix="ip")),
    Attempt("deriv: of the sum by the entry at its index", "deriv", "found", single("deriv", dx(j, total(e("X", j))), total(dx(j, e("X", j))), ix="j", given=within("j", 0, n)),
            single("deriv", dx(j, total(e("X", k), var="k")), total(dx(j, e("X", k)), var="k"), ix="j", given=within("j", 0, n))),
    Attempt("deriv: of a definition as if it were another tensor", "deriv", "unfold definitions first", single("deriv", d(e("A")), ZERO, th=SQUARE),
            equation(d(e("A")), d(X2), by(step("unfold", e("A"), X2, (0,))), th=SQUARE)),
    Attempt("deriv: by a tensor that is defined", "obligations", "a derivative by a given tensor", equation(d(e("A"), "A"), d(X2, "A"), by(step("unfold", e("A"), X2, (0,))), th=SQUARE), about=("deriv", "obligations"),
            because="dA/dA = 1, but x^2 does not depend on A"),
    Attempt("deriv: by a tensor that is defined, inside of the proof", "deriv", "a given tensor", equation(ONE, ZERO, by(step("bracket_congr", ONE, Bracket(()), back=True), step("deriv", Bracket(()), d(e("A"), "A"), back=True), step("unfold", e("A"), X2, (0,)), step("deriv", d(X2, "A"), ZERO)), th=SQUARE)),
    Attempt("deriv: the absolute value at its kink", "deriv", "x != 0", equation(ZERO, ONE, by(step("ring", ZERO, ZERO * d(Choice(x, x, neg(x)))), step("deriv", d(Choice(x, x, neg(x))), Choice(x, d(x), d(neg(x))), (1,)), step("ring", ZERO * Choice(x, d(x), d(neg(x))), ONE))), about=("smooth",)),
    Attempt("deriv: the cube of the cube root", "deriv", "differentiated here", equation(ZERO, ONE, by(step("ring", ZERO, ZERO * d(Pow(Pow(x, Number(Fraction(1, 3))), 3))), step("deriv", d(Pow(Pow(x, Number(Fraction(1, 3))), 3)), Mul((Number(3), Pow(Pow(x, Number(Fraction(1, 3))), 2), d(Pow(x, Number(Fraction(1, 3)))))), (1,)), step("ring", ZERO, ONE))), about=("smooth",)),
    Attempt("deriv: a quotient where its denominator may be zero", "deriv", "x != 0", equation(ZERO, ONE, by(step("ring", ZERO, ZERO * d(Pow(x, -1))), step("deriv", d(Pow(x, -1)), Mul((MINUS, Pow(x, -2), d(x))), (1,)), step("ring", ZERO, ONE))),
            single("deriv", d(Pow(x, -1)), Mul((MINUS, Pow(x, -2), d(x)))), about=("smooth", "nonzero")),
    Attempt("deriv: log of what may be negative", "deriv", "x > 0", equation(ZERO, ONE, by(step("ring", ZERO, ZERO * d(fn("log", x))), step("deriv", d(fn("log", x)), Mul((Pow(x, -1), d(x))), (1,)), step("ring", ZERO, ONE))),
            single("deriv", d(fn("log", x)), Mul((Pow(x, -1), d(x)))), about=("smooth", "positive")),
    Attempt("deriv: the chain rule without its inner derivative", "deriv", "found", single("deriv", d(fn("exp", X2)), fn("exp", X2)), single("deriv", d(fn("exp", X2)), Mul((fn("exp", X2), d(X2))))),
    Attempt("deriv: of tanh", "deriv", "found", single("deriv", d(fn("tanh", x)), Mul((TANH, TANH, d(x)))), single("deriv", d(fn("tanh", x)), Mul((TANH, d(x))))),
    Attempt("deriv: of an expectation of the variable", "deriv", "unfold definitions first", single("deriv", d(E(X2 * Pow(q0, 2))), ZERO, th=TH), because="E(x^2 q^2) = x^2, with the derivative 2 x"),
    Attempt("deriv: of a derivative", "deriv", "unfold definitions first", single("deriv", d(d(Pow(x, 3))), ZERO), equation(d(d(Pow(x, 3))), d(Mul((Number(3), Pow(x, 2), d(x)))), by(step("deriv", d(Pow(x, 3)), Mul((Number(3), Pow(x, 2), d(x))), (0,))))),
    Attempt("deriv: a maximum where two values may be equal", "deriv", "x - y != 0", equation(ZERO, ONE, by(step("ring", ZERO, ZERO * d(Choice(x - y, x, y))), step("deriv", d(Choice(x - y, x, y)), Choice(x - y, d(x), d(y)), (1,)), step("ring", ZERO, ONE))), about=("smooth",)),
    Attempt("under a derivative: a value at a point", "hypothesis", "a number below 0", equation(ZERO, d(X2 + x), by(step("deriv", ZERO, d(ZERO), back=True), step("hypothesis", ZERO, x, (0,), back=True, number=0, at={})), hyps=ZERO_X), about=("stable",), witness=Inputs({}, {"x": 0})),
    Attempt("under a derivative: non-negative at a point", "abs_value", ">= 0", equation(d(absolute(x)), d(x), by(step("abs_value", absolute(x), x, (0,), sign=1)), hyps=NONNEGATIVE_X),
            equation(d(absolute(x)), d(x), by(step("abs_value", absolute(x), x, (0,), sign=1)), hyps=POSITIVE_X), about=("stable",), because="at x = 0 there is no derivative on the left; the theorem of the twin asks for x > 0"),
    Attempt("under a derivative: the sign of a jump", "mul_inv_cancel", "!= 0", jump(Add((ONE, neg(Mul((x, Pow(x, -1))))))), about=("stable", "continuous")),
    Attempt("under a derivative: a sign that is no longer one", "mul_inv_cancel", "!= 0", jump(Mul((ONE, Pow(x, -1)))), about=("stable", "continuous")),
    Attempt("under a derivative: the sign of a defined jump", "mul_inv_cancel", "!= 0", jump(e("J"), theory(defined_as("J", (), Choice(x, ZERO, ONE)))), about=("stable", "continuous")),
    Attempt("under a derivative: the sign of a root at zero", "mul_inv_cancel", "!= 0", jump(Choice(Pow(x, HALF), ZERO, ONE)), about=("stable", "continuous")),
    Attempt("under a derivative: what a function differentiates", "hypothesis", "a number below 0", equation(Entry("D", (), (Lambda((), x),)), Entry("D", (), (Lambda((), ZERO),)), by(step("hypothesis", x, ZERO, (0,), number=0, at={})),
                th=theory(defined_as("D", (), d(Entry("T")), tensors=(Tensor("T"),))), hyps=ZERO_X), about=("stable",), because="by its definition D(x) is dx/dx = 1, and D(0) is 0; the evaluator differentiates no arguments"),
]  # fmt: skip

MEAN_Q = step("expect_moment", E(q0), ZERO)
EXPECTATIONS = [
    Attempt("expect_add: of a product", "expect_add", "the expectation of a sum", single("expect_add", E(q0 * q0), E(q0) + E(q0), th=TH), single("expect_add", E(q0 + q1), E(q0) + E(q1), th=TH)),
    Attempt("expect_add: a summand is lost", "expect_add", "found", single("expect_add", E(Pow(q0, 2) + ONE), E(Pow(q0, 2)), th=TH), single("expect_add", E(Pow(q0, 2) + ONE), E(Pow(q0, 2)) + E(ONE), th=TH)),
    Attempt("expect_mul: a random factor", "expect_mul", "not random", single("expect_mul", E(q0 * q0), q0 * E(q0), th=TH, factors=(0,)), single("expect_mul", E(x * q0), x * E(q0), th=TH, factors=(0,)),
            because="on the left is the variance 1; on the right an outcome times the mean 0"),
    Attempt("expect_mul: a defined random factor", "expect_mul", "not random", equation(E(Mul((e("A"), q0))), ZERO, by(step("expect_mul", E(Mul((e("A"), q0))), Mul((e("A"), E(q0))), factors=(0,)), step("expect_moment", E(q0), ZERO, (1,)), step("ring", e("A") * ZERO, ZERO)), th=ALIAS)),
    Attempt("expect_mul: a start or a step that is random", "expect_mul", "not random", equation(E(Mul((e("W", i), q0))), ZERO, by(step("expect_mul", E(Mul((e("W", i), q0))), Mul((e("W", i), E(q0))), factors=(0,)), step("expect_moment", E(q0), ZERO, (1,)), step("ring", e("W", i) * ZERO, ZERO)), th=STEPS, ix="i", given=(at_least(i, 0),)),
            equation(E(Mul((e("W", 0), q0))), ZERO, by(step("expect_mul", E(Mul((e("W", 0), q0))), Mul((e("W", 0), E(q0))), factors=(0,)), step("expect_moment", E(q0), ZERO, (1,)), step("ring", e("W", 0) * ZERO, ZERO)), th=STEPS)),
    Attempt("expect_mul: a sum over a variable with the name of a known index", "expect_mul", "not random", equation(E(Mul((RUNNING, q0))), ZERO, by(step("expect_mul", E(Mul((RUNNING, q0))), Mul((RUNNING, E(q0))), factors=(0,)), step("expect_moment", E(q0), ZERO, (1,)), step("ring", RUNNING * ZERO, ZERO)), th=STEPS, ix="i", given=(equal(i, 0),))),
    Attempt("expect_mul: a hypothesis about all values under the name of a known index", "statement", "about expectations only", equation(E(Pow(e("W", 1), 2)), Pow(y, 2), by(step("hypothesis", e("W", 1), y, (0, 0), number=0, at={"i": Index.of(1)}), step("expect_mul", E(Pow(y, 2)), Pow(y, 2), factors=(0,))), th=STEPS, ix="i", given=(equal(i, 0),), hyps=(Statement(e("W", i), "=", y, ("i",), (at_least(i, 0), at_least(Index.of(1), i))),)), because="the hypothesis holds in outcomes where q[0] is 0; E(W[1]^2) = y^2 + 1 whatever the outcome"),
    Attempt("expect_normal: coefficients under the name of a known index", "expect_normal", "not random", single("expect_normal", E(fn("exp", total(e("W", k) * e("g", k), var="k"))), fn("exp", Add((Add((ZERO, total(e("W", k) * ZERO, var="k"))), Mul((Number(Fraction(1, 2)), total(Mul((Pow(e("W", k), 2), ONE)), var="k")))))), th=DRAWN, ix="i", given=(equal(i, 0),), tensor="g", coefficients=Lambda(("i",), e("W", i)), rest=ZERO), because="W[1] is random: on the left stands a number, on the right an outcome"),
    Attempt("expect_normal: without half of the variance", "expect_normal", "found", single("expect_normal", E(fn("exp", e("g"))), ONE, th=GAUSS, tensor="g", coefficients=Lambda((), ONE), rest=ZERO), single("expect_normal", E(fn("exp", e("g"))), fn("exp", Add((Add((ZERO, Mul((ONE, ZERO)))), Mul((Number(Fraction(1, 2)), Mul((Pow(ONE, 2), ONE))))))), th=GAUSS, tensor="g", coefficients=Lambda((), ONE), rest=ZERO), because="exp is convex, so that its mean is larger than exp(0)"),
    Attempt("expect_normal: a law that is only known by its moments", "expect_normal", "a normal tensor", single("expect_normal", E(fn("exp", e("h"))), fn("exp", Number(Fraction(1, 2))), th=GAUSS, tensor="h", coefficients=Lambda((), ONE), rest=ZERO), because="two outcomes -1 and 1 have the mean cosh(1)"),
    Attempt("expect_mul: a quotient is no factor", "expect_mul", "not random", equation(E(Mul((x, Pow(Pow(q0, 2) + 1, -1)))), Mul((x, Pow(E(Pow(q0, 2) + 1), -1))), by(step("expect_mul", E(Mul((x, Pow(Pow(q0, 2) + 1, -1)))), Mul((x, Pow(Pow(q0, 2) + 1, -1))), factors=(0, 1))), th=TH)),
    Attempt("expect_indep: one tensor on both sides", "expect_indep", "q in both", equation(E(q0 * q0), ZERO, by(step("expect_indep", E(q0 * q0), E(q0) * E(q0), factors=(0,)), step("expect_moment", E(q0), ZERO, (0,)), step("ring", ZERO * E(q0), ZERO)), th=TH),
            equation(E(q0 * r0), ZERO, by(step("expect_indep", E(q0 * r0), E(q0) * E(r0), factors=(0,)), step("expect_moment", E(q0), ZERO, (0,)), step("ring", ZERO * E(r0), ZERO)), th=TH)),
    Attempt("expect_indep: dependence through a definition", "expect_indep", "q in both", equation(E(e("A") * q0), ZERO, by(step("expect_indep", E(e("A") * q0), E(e("A")) * E(q0), factors=(0,)), step("expect_moment", E(q0), ZERO, (1,)), step("ring", E(e("A")) * ZERO, ZERO)), th=ALIAS)),
    Attempt("expect_indep: all factors on one side", "expect_indep", "two groups", equation(E(q0 * q0), ZERO, by(step("expect_indep", E(q0 * q0), Mul((E(q0 * q0), E(ONE))), factors=(0, 1)), step("ring", Mul((E(q0 * q0), E(ONE))), ZERO)), th=TH)),
    Attempt("expect_moment: the square as the variance without the mean", "expect_moment", "found", single("expect_moment", E(Pow(q0, 2)), ONE, th=theory(Tensor("q", (n,), Law(Number(2), ONE)))),
            single("expect_moment", E(Pow(q0, 2)), Add((Mul((Bracket((equal(Index.of(0), Index.of(0)),)), ONE)), Pow(Number(2), 2))), th=theory(Tensor("q", (n,), Law(Number(2), ONE))))),
    Attempt("expect_moment: two entries as one", "expect_moment", "found", single("expect_moment", E(e("q", i) * e("q", j)), Add((Mul((ONE, ONE)), Pow(ZERO, 2))), th=TH, ix="ij", given=(*within("i", 0, n), *within("j", 0, n))),
            single("expect_moment", E(e("q", i) * e("q", j)), Add((Mul((Bracket((equal(i, j),)), ONE)), Pow(ZERO, 2))), th=TH, ix="ij", given=(*within("i", 0, n), *within("j", 0, n)))),
    Attempt("expect_moment: a mean that is not given", "expect_moment", "the mean of q", single("expect_moment", E(q0), ZERO, th=OPEN)),
    Attempt("expect_moment: of a tensor that is not random", "expect_moment", "a random tensor", single("expect_moment", E(e("f", 0)), ZERO, th=TH)),
    Attempt("expect_moment: the third power", "expect_moment", "one or two entries", single("expect_moment", E(Mul((q0, q0, q0))), ZERO, th=theory(Tensor("q", (n,), Law(ONE, ONE)))),),
    Attempt("in every outcome: what the statement owes of this one", "abs_value", ">= 0", equation(Add((Mul((ZERO, fn("log", q0))), E(absolute(q0)))), ZERO, by(
                step("abs_value", absolute(q0), q0, (1, 0), sign=1), step("expect_moment", E(q0), ZERO, (1,)), step("ring", Add((Mul((ZERO, fn("log", q0))), ZERO)), ZERO)), th=TH), about=("assume", "obligations"),
            because="E|q| is not 0 where the variance is 1; that q[0] > 0 here says nothing of the other outcomes"),
    Attempt("in every outcome: the sign of this one", "abs_value", ">= 0", equation(E(absolute(q0)), ZERO, SignSplit(q0, by(step("abs_value", absolute(q0), q0, (0,), sign=1), MEAN_Q), by(step("abs_value", absolute(q0), neg(q0), (0,), sign=-1))), th=TH), about=("signs",)),
    Attempt("in every outcome: a choice on a random value around the mean", "choice_value", ">= 0", equation(Choice(q0, E(Choice(q0, ONE, ZERO)), ONE), ONE, by(step("choice_value", Choice(q0, ONE, ZERO), ONE, (1, 0), form=q0)), th=TH), because="P(q[0] > 0) is not 1 where q has mean 0 and variance 1"),
    Attempt("in every outcome: a hypothesis about an outcome", "statement", "expectations only", equation(E(q0), ONE, by(step("hypothesis", q0, ONE, (0,), number=0, at={})), th=TH, hyps=(Statement(q0, "=", ONE),)),
            because="E(q) = 0 whatever value an outcome has"),
    Attempt("in every outcome: what a function averages", "abs_value", ">= 0", equation(Add((Mul((ZERO, fn("log", q0))), Entry("M", (), (Lambda((), absolute(q0)),)))), Add((Mul((ZERO, fn("log", q0))), Entry("M", (), (Lambda((), q0),)))), by(
                step("abs_value", absolute(q0), q0, (1, 0), sign=1)), th=theory(Tensor("q", (n,), Law(ZERO, ONE)), defined_as("M", (), E(Entry("T")), tensors=(Tensor("T"),)))), because="M(|q|) is E|q| > 0, and M(q) is 0"),
    Attempt("law: a mean that is random", "statement", "a mean and a variance", equation(E(q0), r0, by(step("expect_moment", E(q0), r0)), th=theory(Tensor("r", (n,), Law(ZERO, ONE)), Tensor("q", (n,), Law(r0, ONE)))), because="a mean is a number: the left side does not depend on the outcome of r"),
    Attempt("law: a negative variance", "statement", "a variance of q that is not negative", equation(E(Pow(q0, 2)), MINUS, by(step("expect_moment", E(Pow(q0, 2)), Add((Mul((Bracket(()), MINUS)), Pow(ZERO, 2))))), th=theory(Tensor("q", (n,), Law(ZERO, MINUS)))), because="the mean of a square is not negative"),
    Attempt("law: equal means as equal values", "expect_moment", "found", single("expect_moment", E(q0), E(r0), th=theory(Tensor("q", (n,), Law(ZERO, ONE)), Tensor("r", (n,), Law(ONE, ONE))))),
]  # fmt: skip

ATTEMPTS = [*DERIVATIVES, *EXPECTATIONS]
