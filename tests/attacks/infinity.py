"""Attacks on maxima and on minus infinity."""

from derivations.language.statement import Statement, Tensor
from derivations.language.term import (
    ONE,
    ZERO,
    Add,
    Choice,
    Entry,
    Index,
    Lambda,
    Max,
    Mul,
    Number,
    Pow,
    at_least,
    equal,
    less,
    within,
)
from derivations.language.term import (
    Case as Cases,
)

from .attempt import (
    BOT,
    Attempt,
    by,
    defined_as,
    e,
    equation,
    fn,
    i,
    j,
    n,
    single,
    step,
    theory,
    total,
    x,
    y,
)

F = e("f", j)
ITSELF = (((0, (), {"j": j}, {}),),)
MINUS = Number(-1)


def top(body, low=0, high=n, var="j"):
    return Max(var, within(var, low, high), body)


def exp(t):
    return fn("exp", t)


def neg(t):
    return Mul((MINUS, t))


def pair(one, other):
    return Max("j", within("j", 0, 2), Cases([((equal(j, 0),), one)], other))


MASK = theory(defined_as("S", (i, j), Cases([((at_least(i, j),), e("f", j))], BOT)))
ROW = theory(
    defined_as("S", (j,), Cases([((at_least(j, 3),), ZERO)], BOT)),
    defined_as("F", (), e("T", 0), tensors=(Tensor("T", (n,)),)),
)
S0 = e("S", 0)
S0_CASES = Cases([((at_least(Index.of(0), 3),), ZERO)], BOT)
F_ROW = Entry("F", (), (Lambda(("i",), e("S", i)),))
BRANCHES = (((0, (at_least(j, i),), {"j": j}, {}), (0, (less(j, i),), {"j": j}, {})),)


def sunk(rest, *to_rest):
    """0 = exp(-oo) = exp(-oo + rest), and on to exp(...) = 1."""
    return (
        step("exp_bot", ZERO, exp(BOT), back=True),
        step("bot_add", BOT, Add((BOT, rest)), (0,), back=True),
        *to_rest,
    )


MAXIMA = [
    Attempt("max_congr: a value is left out", "max_congr", "leave some out", single("max_congr", top(F, 0, n + 1), top(F), forth=(((0, (less(j, n),), {"j": j}, {}),),), converse=ITSELF),
            single("max_congr", top(F, 0, n + 1), top(F, 0, n + 1), forth=ITSELF, converse=ITSELF), about=("maximum.check", "covered")),
    Attempt("max_congr: one way only", "max_congr", "an answer for each of", single("max_congr", top(F), top(F, 0, n + 1), forth=ITSELF, converse=()), about=("maximum.check",)),
    Attempt("max_congr: answered by another value", "max_congr", "the value", single("max_congr", top(F), top(e("g", j)), forth=ITSELF, converse=ITSELF), about=("maximum.check",)),
    Attempt("max_congr: answered out of the range", "max_congr", "does not follow here", single("max_congr", top(F, 0, n + 1), top(F), forth=ITSELF, converse=ITSELF), about=("maximum.check",)),
    Attempt("max_congr: a fixed index that is not fixed", "max_congr", "j = 0", single("max_congr", top(F), top(e("f", 0)), forth=(((0, (), {"j": j}, {"j": Index.of(0)}),),), converse=(((0, (), {"j": Index.of(0)}, {}),),)), about=("maximum.check",)),
    Attempt("max_congr: of an empty range", "max_congr", "the value", equation(ZERO, top(x), by(
                step("hypothesis", ZERO, top(x, 1), back=True, number=0, at={}),
                step("max_congr", top(x, 1), top(x), forth=(((0, (), {"j": Index.of(0)}, {}),),), converse=(((0, (), {}, {}),),))), given=(equal(n, 1),), hyps=(Statement(top(x, 1), "=", ZERO),)), about=("maximum.check",)),
    Attempt("max_add: out of an empty range", "max_add", "a range that is not empty", equation(ZERO, x, by(
                step("hypothesis", ZERO, top(x + F, 1), back=True, number=0, at={}), step("max_add", top(x + F, 1), x + top(F, 1), terms=(0,)),
                step("hypothesis", top(F, 1), ZERO, (1,), number=1, at={}), step("ring", x + ZERO, x)), given=(equal(n, 1),), hyps=(Statement(top(x + F, 1), "=", ZERO), Statement(top(F, 1), "=", ZERO))),
            single("max_add", top(x + F), x + top(F), terms=(0,))),
    Attempt("max_add: a term that depends on the index", "max_add", "terms without j", single("max_add", top(F + e("g", j)), F + top(e("g", j)), ix="j", terms=(0,))),
    Attempt("max_add: a term is lost", "max_add", "found", single("max_add", top(Add((x, y, F))), Add((x, top(F))), terms=(0, 1)), single("max_add", top(Add((x, y, F))), Add((x, y, top(F))), terms=(0, 1))),
    Attempt("max_mul: a negative factor", "max_mul", ">= 0", single("max_mul", top(Mul((MINUS, F))), Mul((MINUS, top(F))), factors=(0,)), single("max_mul", top(Mul((Number(2), F))), Mul((Number(2), top(F))), factors=(0,)), about=("nonnegative",)),
    Attempt("max_mul: a factor of unknown sign", "max_mul", ">= 0", single("max_mul", top(x * F), x * top(F), factors=(0,)), single("max_mul", top(x * F), x * top(F), factors=(0,), hyps=(Statement(ZERO, "<=", x),)), about=("nonnegative",)),
    Attempt("max_mul: a factor that depends on the index", "max_mul", "factors without j", single("max_mul", top(exp(F) * e("g", j)), exp(F) * top(e("g", j)), ix="j", factors=(0,))),
    Attempt("max_choice: the smaller one", "max_choice", "found", single("max_choice", pair(x, y), Choice(x - y, y, x)), single("max_choice", pair(x, y), Choice(x - y, x, y))),
    Attempt("max_choice: of a value and zero", "max_choice", "found", single("max_choice", pair(x, ZERO), Choice(x, ONE, ZERO)), single("max_choice", pair(x, ZERO), Choice(x, x, ZERO))),
    Attempt("max_choice: of values that depend on the number", "max_choice", "listed values", single("max_choice", Max("j", within("j", 0, 2), Cases([((equal(j, 0),), F)], F)), Choice(e("f", 0) - e("f", 0), e("f", 0), e("f", 0)))),
    Attempt("max_choice: one value more than is listed", "max_choice", "listed values", single("max_choice", Max("j", within("j", 0, 1), Cases([((equal(j, 0),), x)], y)), Choice(x - y, x, y))),
]  # fmt: skip

BOTTOM = [
    Attempt("exp_bot: becomes one", "exp_bot", "found 1", single("exp_bot", exp(BOT), ONE), single("exp_bot", exp(BOT), ZERO)),
    Attempt("exp_bot: of a masked score where it counts", "exp_bot", "exp(-oo)", single("exp_bot", exp(e("S", i, j)), ZERO, th=MASK, ix="ij", given=(less(j, i + 1),)), about=("finite",)),
    Attempt("bot_add: beside what may be minus infinity", "bot_add", "real summands", equation(ZERO, ONE, by(
                step("exp_bot", ZERO, exp(BOT), back=True), step("bot_add", BOT, Add((BOT, neg(BOT))), (0,), back=True), step("ring", exp(Add((BOT, neg(BOT)))), ONE))), about=("finite",)),
    Attempt("bot_add: without minus infinity", "bot_add", "a summand -oo", equation(exp(x + y), ZERO, by(step("bot_add", x + y, BOT, (0,)), step("exp_bot", exp(BOT), ZERO))),
            equation(exp(x + BOT), ZERO, by(step("bot_add", x + BOT, BOT, (0,)), step("exp_bot", exp(BOT), ZERO)))),
    Attempt("bot_add: beside a masked score of which nothing is known", "bot_add", "real summands", equation(ZERO, ONE, by(
                step("exp_bot", ZERO, exp(BOT), back=True), step("bot_add", BOT, Add((BOT, neg(e("S", i, j)))), (0,), back=True),
                step("if_pos", BOT, Cases([((at_least(i, j),), e("f", j))], BOT), (0, 0), back=True, branch=1), step("unfold", Cases([((at_least(i, j),), e("f", j))], BOT), e("S", i, j), (0, 0), back=True),
                step("ring", exp(e("S", i, j) - e("S", i, j)), ONE)), th=MASK, ix="ij", given=(less(i, j),)), about=("finite",)),
    Attempt("bot_mul: a negative factor", "bot_mul", "positive factors", equation(ZERO, ONE, by(
                step("exp_bot", ZERO, exp(BOT), back=True), step("bot_mul", BOT, Mul((MINUS, BOT)), (0,), back=True), step("ring", exp(Mul((MINUS, BOT))), ONE))),
            equation(ZERO, ZERO, by(step("exp_bot", ZERO, exp(BOT), back=True), step("bot_mul", BOT, Mul((Number(2), BOT)), (0,), back=True), step("bot_mul", Mul((Number(2), BOT)), BOT, (0,)), step("exp_bot", exp(BOT), ZERO))), about=("positive",)),
    Attempt("bot_mul: a factor that may be zero", "bot_mul", "positive factors", equation(ZERO, ONE, by(
                step("exp_bot", ZERO, exp(BOT), back=True), step("bot_mul", BOT, Mul((ZERO, BOT)), (0,), back=True), step("ring", exp(Mul((ZERO, BOT))), ONE))), about=("positive",)),
    Attempt("bot_mul: the square of minus infinity", "bot_mul", "one factor -oo", equation(ZERO, ONE, by(
                step("exp_bot", ZERO, exp(BOT), back=True), step("bot_mul", BOT, Mul((BOT, BOT)), (0,), back=True), step("ring", exp(Mul((BOT, BOT))), ONE)))),
    Attempt("bot_mul: exp of what may be minus infinity is no positive factor", "bot_mul", "positive factors", equation(ZERO, ONE, by(
                step("exp_bot", ZERO, exp(BOT), back=True), step("bot_mul", BOT, Mul((exp(BOT), BOT)), (0,), back=True), step("exp_bot", exp(BOT), ZERO, (0, 0)), step("ring", exp(Mul((ZERO, BOT))), ONE))), about=("positive", "finite")),
    Attempt("mul_inv_cancel: exp(-oo) is zero", "mul_inv_cancel", "exp(-oo) != 0", equation(ZERO, ONE, by(
                step("ring", ZERO, Mul((ZERO, Pow(ZERO, -1)))), step("exp_bot", ZERO, exp(BOT), (0,), back=True), step("exp_bot", ZERO, exp(BOT), (1, 0), back=True),
                step("mul_inv_cancel", Mul((exp(BOT), Pow(exp(BOT), -1))), ONE, above=0, below=1))), about=("nonzero", "finite")),
    Attempt("ring: a masked score minus itself", "ring", "found exp(S[0] - S[0])", equation(ONE, ZERO, by(step("ring", ONE, exp(Add((S0, neg(S0)))))), th=ROW), about=("finite",)),
    Attempt("ring: a fact about an index of the place reaches the index that an argument binds", "bot_add", "real summands", equation(ZERO, ONE, by(*sunk(neg(F_ROW),
                step("if_pos", BOT, S0_CASES, (0, 0), back=True, branch=1), step("unfold", S0_CASES, S0, (0, 0), back=True), step("unfold", S0, F_ROW, (0, 0), back=True),
                step("ring", exp(Add((F_ROW, neg(F_ROW)))), ONE))), th=ROW, ix="i", given=(at_least(i, 3),)), about=("finite",)),
    Attempt("sum_add_distrib: over masked terms", "sum_add_distrib", "minus infinity", equation(exp(total(ZERO)), ZERO, by(step("sum_zero", total(ZERO), ZERO, (0,)), step("sum_add_distrib", ZERO, Add((total(e("S", 0, j)), neg(total(e("S", 0, j))))), (0,), back=True)), th=MASK), about=("finite",)),
    Attempt("max_congr: minus infinity is no value of reals", "max_congr", "an answer for each", single("max_congr", Max("j", within("j", 0, n), x), Max("j", within("j", 0, n), BOT), within=exp, path=(0,), forth=(), converse=((),)), about=("maximum.check",)),
    Attempt("obligations: zero beside minus infinity", "obligations", "positive factors beside", equation(Mul((ZERO, BOT)), ZERO, by(step("ring", Mul((ZERO, BOT)), ZERO))), about=("obligations",),
            because="0 * (-oo) has no value, so an equation about it says nothing"),
    Attempt("obligations: minus infinity in a sum", "obligations", "finite real values", equation(total(e("S", i, j)), ZERO, by(), th=MASK, ix="i"), about=("obligations", "finite"),
            because="a sum over an index in which minus infinity occurs has no value"),
]  # fmt: skip

ATTEMPTS = [*MAXIMA, *BOTTOM]
