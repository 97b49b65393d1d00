"""Attacks on the rules about brackets, case distinctions, quotients, powers, roots, logarithms, absolute values, sines."""

from fractions import Fraction

from derivations.language.statement import Statement, Tensor, Theory
from derivations.language.term import (
    HALF,
    INVERSE,
    ONE,
    ZERO,
    Add,
    Bracket,
    Choice,
    Derivative,
    Entry,
    Index,
    Lambda,
    Max,
    Mul,
    Number,
    Pow,
    Sum,
    at_least,
    equal,
    less,
    within,
)
from derivations.language.term import (
    Case as Cases,
)

from .attempt import Attempt, Inputs, a, b, by, c, e, equation, fn, i, j, k, n, single, step, total, value, x, y

G1, G2 = (at_least(i, 1),), (at_least(i, 2),)
MINUS = Number(-1)
CIRCLE = Entry("pi")
NUMBERS = Theory({"pi": Tensor("pi", constant="pi")})
X2 = Pow(x, 2)
THIRD = Number(Fraction(1, 3))
POSITIVE_X = (Statement(ZERO, "<", x),)
POSITIVE_XY = (Statement(ZERO, "<", x), Statement(ZERO, "<", y))


def neg(t):
    return Mul((MINUS, t))


def absolute(t):
    return fn("abs", t)


def log(t):
    return fn("log", t)


def exp(t):
    return fn("exp", t)


def sin(t):
    return fn("sin", t)


def cos(t):
    return fn("cos", t)


def tanh(t):
    return fn("tanh", t)


def tanh_by(power):
    return Add((ONE, Mul((Number(-2), Pow(Add((power, ONE)), -1)))))


def test_of(t):
    return Choice(t, ONE, ZERO)


test_of.__test__ = False  # type: ignore[attr-defined]
E1 = exp(x) + 1
CASES = Cases([(G2, x), (G1, y)], ZERO)

BRANCHES = [
    Attempt("bracket_congr: one index more", "bracket_congr", "the indices with", single("bracket_congr", Bracket(G1), Bracket(G2), ix="i"),
            single("bracket_congr", Bracket((at_least(2 * i, 1),)), Bracket(G1), ix="i")),
    Attempt("bracket_congr: not always true", "bracket_congr", "= 1", single("bracket_congr", Bracket(G1), ONE, ix="i"),
            single("bracket_congr", Bracket(G1), ONE, ix="i", given=G2), about=("entails",)),
    Attempt("bracket_congr: not always false", "bracket_congr", "= 0", single("bracket_congr", Bracket((less(n, 2),)), ZERO),
            single("bracket_congr", Bracket((less(n, 1),)), ZERO), about=("consistent",)),
    Attempt("bracket_congr: parities", "bracket_congr", "= 0", single("bracket_congr", Bracket((equal(2 * i, 4 * j + 2),)), ZERO, ix="ij"),
            single("bracket_congr", Bracket((equal(2 * i, 4 * j + 1),)), ZERO, ix="ij"), about=("consistent",)),
    Attempt("ite_subst: the bracket bounds the index only", "ite_subst", "a bracket that fixes",
            single("ite_subst", Bracket((at_least(i, j),)) * e("f", i), Bracket((at_least(i, j),)) * e("f", j), ix="ij", factor=0, var="i", value=j),
            single("ite_subst", Bracket((equal(i, j),)) * e("f", i), Bracket((equal(i, j),)) * e("f", j), ix="ij", factor=0, var="i", value=j)),
    Attempt("ite_subst: the bracket of another product", "ite_subst", "a bracket as factor 1",
            single("ite_subst", Bracket((equal(i, j),)) * e("f", i), Bracket((equal(i, j),)) * e("f", 0), ix="ij", factor=1, var="i", value=Index.of(0))),
    Attempt("ite_subst: captured by a sum", "ite_subst", "sum(",
            single("ite_subst", Bracket((equal(i, k),)) * total(e("f", i, k), var="k"), Bracket((equal(i, k),)) * total(e("f", k, k), var="k"), ix="ik", factor=0, var="i", value=k),
            single("ite_subst", Bracket((equal(i, k),)) * total(e("f", i, j)), Bracket((equal(i, k),)) * total(e("f", k, j)), ix="ik", factor=0, var="i", value=k)),
    Attempt("if_pos: an earlier branch overlaps", "if_pos", "not (2 <= i)", single("if_pos", CASES, y, ix="i", given=G1, branch=1),
            single("if_pos", CASES, y, ix="i", given=(equal(i, 1),), branch=1), about=("consistent",)),
    Attempt("if_pos: the condition may fail", "if_pos", "does not follow", single("if_pos", CASES, x, ix="i", given=G1, branch=0), single("if_pos", CASES, x, ix="i", given=G2, branch=0)),
    Attempt("if_pos: otherwise, while a branch can be reached", "if_pos", "not (", single("if_pos", CASES, ZERO, ix="i", given=(at_least(1, i),), branch=2),
            single("if_pos", CASES, ZERO, ix="i", given=(at_least(0, i),), branch=2)),
    Attempt("if_bracket: the other branch without its bracket", "if_bracket", "+", single("if_bracket", Cases([(G1, x)], y), Add((Bracket(G1) * x, y)), ix="i"),
            single("if_bracket", Cases([(G1, x)], y), Add((Bracket(G1) * x, Mul((Add((ONE, neg(Bracket(G1)))), y)))), ix="i")),
    Attempt("if_bracket: two conditions", "if_bracket", "one condition", single("if_bracket", CASES, Add((Bracket(G2) * x, Mul((Add((ONE, neg(Bracket(G2)))), y)))), ix="i")),
    Attempt("apply_ite: out of the sum that binds its index", "apply_ite", "a position that binds no index",
            single("apply_ite", total(Cases([((at_least(j, 1),), x)], y)), Cases([((at_least(j, 1),), total(x))], total(y)), ix="j", child=0)),
    Attempt("apply_ite: one branch stays inside", "apply_ite", "cases(", single("apply_ite", Cases([(G1, x)], y) + 1, Cases([(G1, x + 1)], y), ix="i", child=0),
            single("apply_ite", Cases([(G1, x)], y) + 1, Cases([(G1, x + 1)], y + 1), ix="i", child=0)),
    Attempt("apply_ite: out of a range whose guard it shares", "apply_ite", "a position that binds no index",
            single("apply_ite", Max("j", within("j", 0, n), Cases([((at_least(j, 1),), x)], y)), Cases([((at_least(j, 1),), Max("j", within("j", 0, n), x))], y), ix="j", child=0)),
    Attempt("choice_value: a value that may be zero", "choice_value", "found -x^2", single("choice_value", Choice(X2, ONE, ZERO), ONE, form=X2),
            single("choice_value", Choice(E1, ONE, ZERO), ONE, form=E1), about=("positive",), witness=Inputs({}, {"x": 0})),
    Attempt("choice_value: at exactly zero it is the other one", "choice_value", "found", single("choice_value", Choice(ZERO, ONE, ZERO), ONE, form=ZERO),
            single("choice_value", Choice(ZERO, ONE, ZERO), ZERO, form=ZERO), about=("nonnegative",)),
    Attempt("choice_value: the form is another value", "choice_value", "needs", single("choice_value", Choice(x, ONE, ZERO), ONE, form=E1), about=("ring.same",)),
    Attempt("choice_value: the sign of minus the value", "choice_value", "needs", single("choice_value", Choice(neg(E1), ONE, ZERO), ONE, form=E1),
            single("choice_value", Choice(neg(E1), ONE, ZERO), ZERO, form=E1)),
    Attempt("choice_bracket: both indicators the same", "choice_bracket", "found", single("choice_bracket", Choice(x, y, ONE), Add((test_of(x) * y, Mul((test_of(neg(x)), ONE))))),
            single("choice_bracket", Choice(x, y, ONE), Add((test_of(x) * y, Mul((Add((ONE, neg(test_of(x)))), ONE))))), witness=Inputs({}, {"x": 0, "y": 5})),
    Attempt("choice_bracket: a case distinction on an index", "choice_bracket", "on the sign of a value", single("choice_bracket", Cases([(G1, x)], y), Add((test_of(value(i)) * y, Mul((Add((ONE, neg(test_of(value(i))))), x)))), ix="i")),
    Attempt("choice_scale: a factor that may be negative", "choice_scale", "> 0", single("choice_scale", Choice(x * y, ONE, ZERO), Choice(y, ONE, ZERO), factor=x),
            single("choice_scale", Choice(exp(x) * y, ONE, ZERO), Choice(y, ONE, ZERO), factor=exp(x)), about=("positive",)),
    Attempt("choice_scale: a factor that may be zero", "choice_scale", "> 0", single("choice_scale", Choice(absolute(x) * y, ONE, ZERO), Choice(y, ONE, ZERO), factor=absolute(x)), witness=Inputs({}, {"x": 0, "y": 1})),
    Attempt("choice_scale: the branches change", "choice_scale", "needs 1", single("choice_scale", Choice(exp(x) * y, ONE, ZERO), Choice(y, x, ZERO), factor=exp(x))),
    Attempt("choice_neg: without the value before it", "choice_neg", "found", single("choice_neg", Mul((x, test_of(neg(x)))), Mul((ONE, Add((ONE, neg(test_of(x))))))),
            single("choice_neg", Mul((x, test_of(neg(x)))), Mul((x, Add((ONE, neg(test_of(x)))))))),
    Attempt("choice_neg: of another value", "choice_neg", "needs", single("choice_neg", Mul((y, test_of(neg(x)))), Mul((y, Add((ONE, neg(test_of(y)))))))),
    Attempt("choice_neg: other values than one and zero", "choice_neg", "the values 1 and 0", single("choice_neg", Mul((x, Choice(neg(x), ONE, MINUS))), Mul((x, Add((ONE, neg(test_of(x)))))))),
    Attempt("abs_choice: the same sign twice", "abs_choice", "found", single("abs_choice", absolute(x), Choice(x, x, x)), single("abs_choice", absolute(x), Choice(x, x, neg(x)))),
    Attempt("abs_choice: of exp", "abs_choice", "|x|", single("abs_choice", exp(x), Choice(x, x, neg(x)))),
    Attempt("apply_choice: out of a sum over the index of its test", "apply_choice", "a sum, product, power or function",
            single("apply_choice", total(Choice(e("f", j), ONE, ZERO)), Choice(e("f", j), total(ONE), total(ZERO)), ix="j", child=0)),
    Attempt("apply_choice: the other summand is lost", "apply_choice", "found", single("apply_choice", Choice(x, ONE, ZERO) + y, Choice(x, ONE + y, ZERO), child=0),
            single("apply_choice", Choice(x, ONE, ZERO) + y, Choice(x, ONE + y, ZERO + y), child=0)),
    Attempt("apply_choice: the test of another", "apply_choice", "found", single("apply_choice", absolute(Choice(x, ONE, y)), Choice(y, absolute(ONE), absolute(y)), child=0),
            single("apply_choice", absolute(Choice(x, ONE, y)), Choice(x, absolute(ONE), absolute(y)), child=0)),
]  # fmt: skip


ZERO_X = (Statement(x, "=", ZERO),)


def cancels(d, *to_zero, at=0, hyps=ZERO_X, **more):
    """0 = 0 * 0^-1 = d * d^-1 = 1 for a term d that `to_zero` shows to be 0 (steps inside of d)."""
    product = Mul((ZERO, Pow(ZERO, -1)))
    steps = [step("ring", ZERO, product)]
    for path in ((0,), (1, 0)):
        moved = [type(s)(s.rule, (*path, *s.path), s.after, s.before, s.args, not s.back) for s in reversed(to_zero)]
        steps += moved
    steps.append(step("mul_inv_cancel", Mul((d, Pow(d, -1))), ONE, above=0, below=1, **more))
    return equation(ZERO, ONE, by(*steps), hyps=hyps)


X_IS_ZERO = step("hypothesis", x, ZERO, number=0, at={})
X_ZERO = Inputs({}, {"x": 0})
N = Lambda(("a", "b"), e("N", a, b))


def inverse_of(row, column):
    return Entry(INVERSE, (row, column), (N,), (n,))


def matrix_product(left, right):
    return Sum("c", within("c", 0, n), left * right)


NI = matrix_product(e("N", i, c), inverse_of(c, j))
IN_RANGE = (*within("i", 0, n), *within("j", 0, n))
DELTA = Bracket((equal(i, j),))
REGULAR = "the zero matrix has no inverse, and nothing here says that N is another one"

QUOTIENTS = [
    Attempt("mul_inv_cancel: a scalar that may be zero", "mul_inv_cancel", "x != 0", cancels(x, X_IS_ZERO), witness=X_ZERO, about=("nonzero",)),
    Attempt("mul_inv_cancel: a square that may be zero", "mul_inv_cancel", "!= 0", cancels(x * x, step("hypothesis", x, ZERO, (0,), number=0, at={}), step("ring", ZERO * x, ZERO)), witness=X_ZERO, about=("nonzero",)),
    Attempt("mul_inv_cancel: the steps lead to another value", "mul_inv_cancel", "x != 0", cancels(x, X_IS_ZERO, because=(step("ring", x, Mul((ONE, x))),)), witness=X_ZERO),
    Attempt("mul_inv_cancel: a witness beside that is zero", "ring", "polynomial", cancels(x, X_IS_ZERO, beside=Pow(x, -1), because=(step("ring", x * Pow(x, -1), ONE),)), witness=X_ZERO, about=("mul_inv_cancel",)),
    Attempt("mul_inv_cancel: a root of what may be negative", "mul_inv_cancel", "!= 0", cancels(x - x, step("ring", x - x, ZERO), hyps=()), about=("nonzero",)),
    Attempt("mul_inv_cancel: a difference of sizes that may be equal", "mul_inv_cancel", "!= 0", equation(ZERO, ONE, by(
                step("ring", ZERO, Mul((value(n) - value(n), Pow(value(n) - value(n), -1)))),
                step("mul_inv_cancel", Mul((value(n) - value(n), Pow(value(n) - value(n), -1))), ONE, above=0, below=1))),
            equation(ONE, ONE, by(step("ring", ONE, Mul((value(n), Pow(value(n), -1)))), step("mul_inv_cancel", Mul((value(n), Pow(value(n), -1))), ONE, above=0, below=1)))),
    Attempt("mul_inv_cancel: the powers do not fit", "mul_inv_cancel", "found", single("mul_inv_cancel", Mul((Pow(E1, 3), Pow(E1, -1))), E1, above=0, below=1),
            single("mul_inv_cancel", Mul((Pow(E1, 3), Pow(E1, -1))), Pow(E1, 2), above=0, below=1)),
    Attempt("mul_inv_cancel: the same factor above and below", "mul_inv_cancel", "different numbers", single("mul_inv_cancel", Mul((Pow(E1, -1), x)), x, above=0, below=0)),
    Attempt("mul_inv_matrix: of a matrix that may be singular", "mul_inv_matrix", "assumed to be invertible",
            equation(ZERO, ONE, by(step("ring", ZERO, Mul((ZERO, Number(1)))), step("ring", Mul((ZERO, ONE)), ZERO), step("sum_zero", ZERO, total(ZERO, var="c"), back=True),
                                   step("ring", ZERO, Mul((ZERO, Entry(INVERSE, (c, 0), (Lambda(("a", "b"), ZERO),), (n,)))), (0,)),
                                   step("mul_inv_matrix", matrix_product(ZERO, Entry(INVERSE, (c, 0), (Lambda(("a", "b"), ZERO),), (n,))), Bracket(()),
                                        matrix=Entry(INVERSE, (0, 0), (Lambda(("a", "b"), ZERO),), (n,)), row=Index.of(0), column=Index.of(0), right=True),
                                   step("bracket_congr", Bracket(()), ONE))), about=("invertible",)),
    Attempt("mul_inv_matrix: out of range", "mul_inv_matrix", "not known here", single("mul_inv_matrix", matrix_product(e("N", i, c), inverse_of(c, 0)), Bracket((equal(i, 0),)), ix="i", matrix=inverse_of(0, 0), row=i, column=Index.of(0), right=True),
            single("mul_inv_matrix", matrix_product(e("N", i, c), inverse_of(c, 0)), Bracket((equal(i, 0),)), ix="i", given=within("i", 0, n), matrix=inverse_of(0, 0), row=i, column=Index.of(0), right=True),
            because="an entry of N outside of it is arbitrary: with n = 1 and i = 1 the left side is N[1, 0] / N[0, 0]"),
    Attempt("mul_inv_matrix: the transpose", "mul_inv_matrix", "found", single("mul_inv_matrix", matrix_product(e("N", c, i), inverse_of(c, j)), DELTA, ix="ij", given=IN_RANGE, matrix=inverse_of(0, 0), row=i, column=j, right=True),
            single("mul_inv_matrix", NI, DELTA, ix="ij", given=IN_RANGE, matrix=inverse_of(0, 0), row=i, column=j, right=True), witness=Inputs({"n": 2}, {"N": [[1, 2], [0, 1]]})),
    Attempt("mul_inv_matrix: by an entry that equals an entry", "mul_inv_matrix", "steps inside of the matrix", equation(Mul((ZERO, inverse_of(0, 0))), ONE, by(
                step("ring", Mul((ZERO, inverse_of(0, 0))), ZERO), step("sum_zero", ZERO, total(ZERO, var="c"), back=True),
                step("ring", ZERO, Mul((ZERO, Entry(INVERSE, (c, 0), (Lambda(("a", "b"), ZERO),), (n,)))), (0,)),
                step("mul_inv_matrix", matrix_product(ZERO, Entry(INVERSE, (c, 0), (Lambda(("a", "b"), ZERO),), (n,))), Bracket(()), matrix=Entry(INVERSE, (0, 0), (Lambda(("a", "b"), ZERO),), (n,)),
                     row=Index.of(0), column=Index.of(0), right=True, because=(step("hypothesis", Entry(INVERSE, (0, 0), (Lambda(("a", "b"), ZERO),), (n,)), inverse_of(0, 0), number=0, at={}),)),
                step("bracket_congr", Bracket(()), ONE)), hyps=(Statement(Entry(INVERSE, (0, 0), (Lambda(("a", "b"), ZERO),), (n,)), "=", inverse_of(0, 0)),)),
            because="the entry of an inverse that does not exist is arbitrary, and N may be the unit matrix", about=("invertible",)),
]  # fmt: skip

POWERS = [
    Attempt("sq_sqrt: the root of what may be negative", "sq_sqrt", ">= 0", equation(x, absolute(x), by(step("sq_sqrt", x, Pow(Pow(x, HALF), 2), back=True), step("sq_sqrt", Pow(Pow(x, HALF), 2), absolute(x)))),
            equation(x, x, by(step("sq_sqrt", x, Pow(Pow(x, HALF), 2), back=True), step("sq_sqrt", Pow(Pow(x, HALF), 2), x)), hyps=POSITIVE_X)),
    Attempt("sq_sqrt: exponents that multiply to another number", "sq_sqrt", "found", single("sq_sqrt", Pow(Pow(E1, HALF), 3), Pow(E1, 2)), single("sq_sqrt", Pow(Pow(E1, HALF), 3), Pow(E1, Number(Fraction(3, 2))))),
    Attempt("sq_sqrt: exponent zero", "sq_sqrt", "exponents other than 0", single("sq_sqrt", Pow(Pow(absolute(x), HALF), 0), ZERO)),
    Attempt("root_mul: two negative factors", "root_mul", ">= 0", equation(Pow(Mul((x, x)), HALF), ZERO, by(step("root_mul", Pow(Mul((x, x)), HALF), Mul((Pow(x, HALF), Pow(x, HALF)))), step("ring", Mul((Pow(x, HALF), Pow(x, HALF))), ZERO))),
            single("root_mul", Pow(Mul((x, y)), HALF), Mul((Pow(x, HALF), Pow(y, HALF))), hyps=POSITIVE_XY), about=("nonnegative",)),
    Attempt("root_mul: another root of one factor", "root_mul", "found", single("root_mul", Pow(Mul((E1, absolute(x))), HALF), Mul((Pow(E1, HALF), Pow(absolute(x), THIRD))))),
    Attempt("root_even: without the absolute value", "root_even", "abs(x)", single("root_even", Pow(X2, HALF), x), single("root_even", Pow(X2, HALF), absolute(x))),
    Attempt("root_even: of an odd power", "root_even", "an even power", single("root_even", Pow(Pow(E1 - 2, 3), HALF), Pow(absolute(E1 - 2), Number(Fraction(5, 2))))),
    Attempt("abs_value: a value of unknown sign", "abs_value", ">= 0", single("abs_value", absolute(x), x, sign=1), single("abs_value", absolute(E1), E1, sign=1), about=("nonnegative",)),
    Attempt("abs_value: minus a positive value", "abs_value", ">= 0", single("abs_value", absolute(E1), neg(E1), sign=-1), single("abs_value", absolute(neg(E1)), E1, sign=-1)),
    Attempt("abs_value: a product of two of unknown sign", "abs_value", ">= 0", single("abs_value", absolute(x * y), x * y, sign=1), single("abs_value", absolute(X2), X2, sign=1)),
    Attempt("abs_mul: one factor without bars", "abs_mul", "found", single("abs_mul", absolute(x * y), x * absolute(y)), single("abs_mul", absolute(x * y), absolute(x) * absolute(y))),
    Attempt("abs_mul: of a sum", "abs_mul", "a product or of a power", single("abs_mul", absolute(x + y), absolute(x) + absolute(y))),
    Attempt("abs_even: an odd power", "abs_even", "an even power", single("abs_even", Pow(absolute(x), 3), Pow(x, 3)), single("abs_even", Pow(absolute(x), 2), Pow(x, 2))),
    Attempt("abs_even: the power zero", "abs_even", "an even power", single("abs_even", Pow(absolute(x), 0), ZERO)),
    Attempt("abs_even: another power", "abs_even", "found", single("abs_even", Pow(absolute(x), 4), Pow(x, 2)), single("abs_even", Pow(absolute(x), 4), Pow(x, 4))),
    Attempt("pow_add: a negative part at zero", "pow_add", ">= 0 or", equation(ONE, ZERO, by(
                step("ring", ONE, Pow(ZERO, value(Index.of(0)))), step("pow_add", Pow(ZERO, value(Index.of(0))), Mul((Pow(ZERO, value(Index.of(1))), Pow(ZERO, value(Index.of(-1))))), first=Index.of(1), second=Index.of(-1)),
                step("ring", Mul((Pow(ZERO, value(Index.of(1))), Pow(ZERO, value(Index.of(-1))))), ZERO))),
            equation(ONE, ONE, by(step("ring", ONE, Pow(E1, value(Index.of(0)))), step("pow_add", Pow(E1, value(Index.of(0))), Mul((Pow(E1, value(Index.of(1))), Pow(E1, value(Index.of(-1))))), first=Index.of(1), second=Index.of(-1)),
                step("pow_add", Mul((Pow(E1, value(Index.of(1))), Pow(E1, value(Index.of(-1))))), Pow(E1, value(Index.of(0))), back=True, first=Index.of(1), second=Index.of(-1)), step("ring", Pow(E1, value(Index.of(0))), ONE)))),
    Attempt("pow_add: parts with another sum", "pow_add", "needs", single("pow_add", Pow(x, value(n)), Mul((Pow(x, value(n)), x)), first=n, second=Index.of(1)), single("pow_add", Pow(x, value(n + 1)), Mul((Pow(x, value(n)), x)), first=n, second=Index.of(1)), about=("ring.same",)),
    Attempt("pow_add: an index that may be negative", "pow_add", ">= 0 or", single("pow_add", Pow(x, value(i + 1)), Mul((Pow(x, value(i)), x)), ix="i", first=i, second=Index.of(1), within=lambda t: t, given=(at_least(i, -1),)),
            single("pow_add", Pow(x, value(i + 1)), Mul((Pow(x, value(i)), x)), ix="i", first=i, second=Index.of(1), given=(at_least(i, 0),)),
            because="at x = 0 and i = -1 the left side is 1; the right side is not defined there, and its value is 0"),
    Attempt("pow_exp: a base that may be negative", "pow_exp", "> 0", equation(Pow(x, 2), exp(Mul((Number(2), log(ONE)))), by(step("pow_exp", Pow(x, 2), exp(Mul((Number(2), log(x))))), step("ring", exp(Mul((Number(2), log(x)))), exp(Mul((Number(2), log(ONE))))))),
            single("pow_exp", Pow(E1, 2), exp(Mul((Number(2), log(E1)))))),
    Attempt("pow_exp: the exponent is lost", "pow_exp", "found", single("pow_exp", Pow(E1, 3), exp(Mul((Number(2), log(E1)))))),
    Attempt("log_exp: the other way round", "log_exp", "log(exp x)", equation(x, exp(log(Number(3))) , by(step("log_exp", x, exp(log(x)), back=True), step("ring", exp(log(x)), exp(log(Number(3)))))), equation(x, x, by(step("log_exp", x, log(exp(x)), back=True), step("log_exp", log(exp(x)), x)))),
    Attempt("log_exp: another argument", "log_exp", "found", single("log_exp", log(exp(x)), y)),
    Attempt("exp_log: of what may be negative", "exp_log", "> 0", equation(x, absolute(x), by(step("exp_log", x, exp(log(x)), back=True), step("exp_log", exp(log(x)), absolute(x)))),
            equation(x, x, by(step("exp_log", x, exp(log(x)), back=True), step("exp_log", exp(log(x)), x)), hyps=POSITIVE_X), about=("positive",)),
    Attempt("exp_log: of what may be zero", "exp_log", "> 0", equation(absolute(x) + 0, ONE, by(step("ring", absolute(x) + 0, absolute(x)), step("exp_log", absolute(x), exp(log(absolute(x))), back=True))), about=("positive",)),
    Attempt("log_mul: two negative factors", "log_mul", "> 0", equation(ZERO, log(Number(2)), by(step("ring", ZERO, log(Mul((MINUS, MINUS))) - log(Mul((MINUS, MINUS)))), step("log_mul", log(Mul((MINUS, MINUS))), log(MINUS) + log(MINUS), (0,))),),
            single("log_mul", log(exp(x) * E1), log(exp(x)) + log(E1))),
    Attempt("log_mul: of a sum", "log_mul", "the log of a product", single("log_mul", log(exp(x) + E1), log(exp(x)) + log(E1))),
    Attempt("log_inv: of what may be negative", "log_inv", "> 0", equation(log(Pow(x, 2) + 1) * 0, ONE, by(step("ring", log(Pow(x, 2) + 1) * 0, log(Pow(x, 2)) - log(Pow(x, 2))), step("log_inv", log(Pow(x, 2)), Number(2) * log(x), (0,)))),
            single("log_inv", log(Pow(E1, 2)), Number(2) * log(E1))),
    Attempt("log_inv: the exponent outside twice", "log_inv", "found", single("log_inv", log(Pow(E1, 2)), Number(4) * log(E1))),
    Attempt("tanh_exp: the exponential of the angle itself", "tanh_exp", "found", single("tanh_exp", tanh(x), tanh_by(exp(x))), single("tanh_exp", tanh(x), tanh_by(exp(Number(2) * x)))),
    Attempt("tanh_exp: of the logistic function", "tanh_exp", "found", single("tanh_exp", tanh(x), Pow(Add((exp(Number(2) * x), ONE)), -1))),
    Attempt("tanh_exp: of another function", "tanh_exp", "tanh(x)", single("tanh_exp", sin(x), tanh_by(exp(Number(2) * x)))),
    Attempt("sin_add: another angle", "sin_add", "needs", single("sin_add", sin(x), Add((sin(x) * cos(y), cos(x) * sin(y))), first=x, rest=y), single("sin_add", sin(x + y), Add((sin(x) * cos(y), cos(x) * sin(y))), first=x, rest=y), about=("ring.same",)),
    Attempt("sin_add: the sign of the cosine", "sin_add", "found", single("sin_add", sin(x + y), Add((sin(x) * cos(y), neg(cos(x) * sin(y)))), first=x, rest=y)),
    Attempt("cos_add: the sign of the sine", "cos_add", "found", single("cos_add", cos(x + y), Add((cos(x) * cos(y), sin(x) * sin(y))), first=x, rest=y), single("cos_add", cos(x + y), Add((cos(x) * cos(y), Mul((MINUS, sin(x), sin(y))))), first=x, rest=y)),
    Attempt("cos_add: another angle", "cos_add", "needs", single("cos_add", cos(x * y), Add((cos(x) * cos(y), Mul((MINUS, sin(x), sin(y))))), first=x, rest=y)),
    Attempt("sin_neg: as if it were even", "sin_neg", "found", single("sin_neg", sin(neg(x)), sin(x), angle=x), single("sin_neg", sin(neg(x)), neg(sin(x)), angle=x)),
    Attempt("sin_neg: of another angle", "sin_neg", "needs", single("sin_neg", sin(x), neg(sin(y)), angle=y)),
    Attempt("cos_neg: as if it were odd", "cos_neg", "found", single("cos_neg", cos(neg(x)), neg(cos(x)), angle=x), single("cos_neg", cos(neg(x)), cos(x), angle=x)),
    Attempt("cos_neg: of a sum with one sign changed", "cos_neg", "needs", single("cos_neg", cos(x - y), cos(x + y), angle=x + y)),
    Attempt("cos_sq: of the cube", "cos_sq", "cos(x)^2", single("cos_sq", Pow(cos(x), 3), Add((ONE, neg(Pow(sin(x), 2)))))),
    Attempt("cos_sq: the sine of another angle", "cos_sq", "found", single("cos_sq", Pow(cos(x), 2), Add((ONE, neg(Pow(sin(y), 2))))), single("cos_sq", Pow(cos(x), 2), Add((ONE, neg(Pow(sin(x), 2)))))),
    Attempt("trig_value: sine at pi as cosine", "trig_value", "found", single("trig_value", sin(CIRCLE), MINUS, th=NUMBERS, circle=CIRCLE, multiple=ONE), single("trig_value", cos(CIRCLE), MINUS, th=NUMBERS, circle=CIRCLE, multiple=ONE)),
    Attempt("trig_value: of a letter that is no number", "trig_value", "the number pi", single("trig_value", cos(CIRCLE), MINUS, circle=CIRCLE, multiple=ONE), single("trig_value", cos(CIRCLE * 2), ONE, th=NUMBERS, circle=CIRCLE, multiple=Number(2))),
    Attempt("trig_value: a multiple too large by one", "trig_value", "needs", single("trig_value", cos(CIRCLE), ONE, th=NUMBERS, circle=CIRCLE, multiple=Number(2)), about=("ring.same",)),
    Attempt("trig_turn: an odd number of half turns as a whole one", "trig_turn", "found", single("trig_turn", cos(x + CIRCLE * value(i)), cos(x), th=NUMBERS, ix="i", circle=CIRCLE, turns=i, rest=x), single("trig_turn", cos(x + CIRCLE * value(2 * i)), cos(x), th=NUMBERS, ix="i", circle=CIRCLE, turns=2 * i, rest=x)),
    Attempt("trig_turn: by a letter that is no number", "trig_turn", "the number pi", single("trig_turn", sin(x + y * value(2 * i)), sin(x), th=NUMBERS, ix="i", circle=y, turns=2 * i, rest=x), single("trig_turn", sin(x + CIRCLE * value(3 * i)), Mul((Pow(MINUS, value(i)), sin(x))), th=NUMBERS, ix="i", circle=CIRCLE, turns=3 * i, rest=x)),
    Attempt("deriv: by the number pi", "scope", "which is a number", single("deriv", Derivative("pi", (), sin(CIRCLE)), ZERO, th=NUMBERS), because="cos(pi) is -1, were it the derivative by a letter"),
    Attempt("trig_value: under a derivative by pi", "scope", "a derivative by what is given", single("trig_value", sin(CIRCLE), ZERO, th=NUMBERS, path=(0,), within=lambda t: Derivative("pi", (), t), circle=CIRCLE, multiple=ONE), because="cos(pi) is -1, were it the derivative by a letter"),
    Attempt("trig_zero: exchanged", "trig_zero", "found", single("trig_zero", sin(ZERO), ONE), single("trig_zero", sin(ZERO), ZERO)),
    Attempt("trig_zero: of another angle", "trig_zero", "sin 0 or cos 0", single("trig_zero", cos(x), ONE), single("trig_zero", cos(ZERO), ONE)),
]  # fmt: skip

ATTEMPTS = [*BRANCHES, *QUOTIENTS, *POWERS]
