"""Attacks on what the kernel decides by itself: signs, finiteness, smoothness, entailment, obligations, coverage."""

from derivations.kernel.proof import Sign
from derivations.language.statement import Statement, Tensor
from derivations.language.term import (
    HALF,
    ONE,
    ZERO,
    Add,
    Bracket,
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
    permuted,
    quotient,
    remainder,
    within,
)
from derivations.language.term import (
    Case as Cases,
)

from .attempt import (
    BOT,
    Attempt,
    Inputs,
    a,
    b,
    by,
    defined_as,
    e,
    equation,
    fn,
    i,
    j,
    k,
    m,
    n,
    single,
    step,
    theory,
    total,
    value,
    w,
    x,
    y,
)

F = e("f", j)
E1 = fn("exp", x) + 1
MINUS = Number(-1)


def visible(left, relation, right, **more):
    """`left relation right` because the difference is visibly so; a number on the left is taken away."""
    steps = ()
    if isinstance(left, Number):
        steps = (step("ring", right - left, right if left is ZERO else Add((right, Number(-left.value)))),)
    return equation(left, right, Sign(steps), relation=relation, **more)


def holds(*condition, **more):
    """[condition] = 1."""
    return single("bracket_congr", Bracket(condition), ONE, **more)


def cancel(t, **more):
    """t / t = 1 after an equation in which t / t is not written: 1 = t / t by the rule, backwards, and to the right side."""
    product = Mul((t, Pow(t, -1)))
    return equation(
        ONE,
        ZERO,
        by(step("mul_inv_cancel", ONE, product, back=True, above=0, below=1), step("ring", product, ZERO)),
        **more,
    )


def top(body, low=0, high=n):
    return Max("j", within("j", low, high), body)


def pi(at, length=n):
    return permuted("pi", length, at)


X_ZERO = Inputs({}, {"x": 0})
MASK = theory(defined_as("S", (i, j), Cases([((at_least(i, j),), e("f", j))], BOT)))
HALVES = theory(defined_as("A", (2 * j,), ONE), defined_as("A", (4 * j + 1,), ONE))
RISING = theory(defined_as("A", (0,), ONE), defined_as("A", (k,), e("A", k - 1) - 1, at_least(k, 1)))
GROWING = theory(defined_as("A", (0,), ONE), defined_as("A", (k,), e("A", k - 1) + 1, at_least(k, 1)))
GAP = theory(defined_as("A", (0,), ONE), defined_as("A", (k,), e("A", k - 2), at_least(k, 2)))

SIGNS = [
    Attempt("positive: a product of two unsigned values", "sign", "to be visibly <=", visible(ZERO, "<=", x * y), visible(ZERO, "<=", Pow(x, 2) * Pow(y, 2)), about=("nonnegative",)),
    Attempt("positive: an odd power", "sign", "to be visibly <=", visible(ZERO, "<=", Pow(x, 3)), visible(ZERO, "<=", Pow(x, 4)), about=("nonnegative",)),
    Attempt("positive: an odd number of minus signs", "sign", "to be visibly <", visible(ZERO, "<", Mul((MINUS, Number(-2), Number(-3), fn("exp", x)))), about=("positive",)),
    Attempt("positive: one branch of a case distinction", "sign", "to be visibly <", visible(ZERO, "<", Cases([((at_least(i, 1),), ONE)], x), ix="i"), visible(ZERO, "<", Cases([((at_least(i, 1),), value(i))], ONE), ix="i"), about=("positive",)),
    Attempt("positive: a case distinction whose earlier branch takes the place", "sign", "to be visibly <", visible(ZERO, "<", Cases([((at_least(i, 1),), value(i - 1)), ((at_least(i, 0),), ONE)], ONE), ix="i"), about=("positive",)),
    Attempt("positive: the test of a choice at zero", "sign", "to be visibly <", visible(ZERO, "<", Choice(x, x, fn("abs", x))), visible(ZERO, "<=", Choice(x, x, fn("abs", x))), witness=X_ZERO, about=("positive",)),
    Attempt("positive: a maximum over nothing is zero", "sign", "to be visibly <", equation(ZERO, x, Sign((step("hypothesis", x, top(ONE, 1), (0,), number=0, at={}), )), relation="<", hyps=(Statement(x, "=", top(ONE, 1)),)), about=("positive",), witness=Inputs({"n": 1}, {"x": 0})),
    Attempt("positive: a maximum of which one value is positive", "sign", "to be visibly <", visible(ONE, "<", top(Cases([((equal(j, 0),), ONE)], ZERO))), about=("positive",)),
    Attempt("positive: a value of a maximum out of its range", "sign", "to be visibly <=", visible(e("f", n), "<=", top(F)), visible(e("f", n - 1), "<=", top(F)), about=("nonnegative", "entails")),
    Attempt("positive: a value above a maximum", "sign", "to be visibly <=", visible(top(F), "<=", e("f", 0)), about=("nonnegative",)),
    Attempt("positive: the opposite of a maximum of which one value is at most zero", "sign", "to be visibly <=", visible(top(Cases([((equal(j, 0),), ZERO)], x)), "<=", ZERO), visible(top(Mul((MINUS, Pow(F, 2)))), "<=", ZERO), about=("nonnegative",), witness=Inputs({"n": 2}, {"x": 1})),
    Attempt("positive: the opposite of a maximum over nothing", "sign", "to be visibly <", equation(x, ZERO, Sign((step("hypothesis", x, top(MINUS, 1), (1, 1), number=0, at={}),)), relation="<", hyps=(Statement(x, "=", top(MINUS, 1)),)), visible(top(MINUS), "<", ZERO), about=("positive",), witness=Inputs({"n": 1}, {"x": 0})),
    Attempt("positive: the opposites of two maxima", "sign", "to be visibly <=", visible(ZERO, "<=", Mul((MINUS, top(Mul((MINUS, Pow(F, 2)))), top(Mul((MINUS, Pow(F, 2))))))), visible(ZERO, "<=", Mul((MINUS, top(Mul((MINUS, Pow(F, 2))))))), about=("nonnegative",)),
    Attempt("positive: exp x - 2", "sign", "to be visibly <=", visible(Number(2), "<=", fn("exp", Pow(x, 2))), visible(ONE, "<=", fn("exp", Pow(x, 2))), about=("nonnegative",), witness=X_ZERO),
    Attempt("positive: a hypothesis about another index", "sign", "to be visibly <", visible(ZERO, "<", e("f", 0), hyps=(Statement(ZERO, "<", e("f", i), ("i",), (at_least(i, 1),)),)), visible(ZERO, "<", e("f", 1), hyps=(Statement(ZERO, "<", e("f", i), ("i",), (at_least(i, 1),)),)), about=("positive", "entails"), witness=Inputs({}, {"f": [0, 1, 1, 1, 1]})),
    Attempt("positive: a hypothesis about a difference, the other way round", "sign", "to be visibly <", visible(x, "<", y, hyps=(Statement(y, "<", x),)), visible(y, "<", x, hyps=(Statement(y, "<", x),)), about=("positive",), witness=Inputs({}, {"x": 1, "y": 0})),
    Attempt("positive: a size minus one", "sign", "to be visibly <", visible(ZERO, "<", value(n - 1)), visible(ZERO, "<=", value(n - 1)), about=("positive", "entails")),
    Attempt("positive: a recursion that falls", "sign", "to be visibly <", visible(ZERO, "<", e("A", i), th=RISING, ix="i", given=(at_least(i, 0),)), visible(ZERO, "<", e("A", i), th=GROWING, ix="i", given=(at_least(i, 0),)), about=("positive",)),
    Attempt("positive: a recursion with a gap", "mul_inv_cancel", "!= 0", equation(ZERO, ONE, by(
                step("ring", ZERO, Mul((ZERO, Pow(ZERO, -1)))), step("hypothesis", ZERO, e("A", 1), (0,), back=True, number=0, at={}), step("hypothesis", ZERO, e("A", 1), (1, 0), back=True, number=0, at={}),
                step("unfold", e("A", 1), e("A", 3), (0,), back=True), step("unfold", e("A", 1), e("A", 3), (1, 0), back=True), step("mul_inv_cancel", Mul((e("A", 3), Pow(e("A", 3), -1))), ONE, above=0, below=1)), th=GAP, hyps=(Statement(e("A", 1), "=", ZERO),)),
            about=("positive", "covered"), because="no definition applies to A[1], which may be 0"),
    Attempt("positive: a recursion below its start", "mul_inv_cancel", "!= 0", equation(ZERO, ONE, by(
                step("ring", ZERO, Mul((ZERO, Pow(ZERO, -1)))), step("hypothesis", ZERO, e("A", -1), (0,), back=True, number=0, at={}), step("hypothesis", ZERO, e("A", -1), (1, 0), back=True, number=0, at={}),
                step("mul_inv_cancel", Mul((e("A", -1), Pow(e("A", -1), -1))), ONE, above=0, below=1)), th=GROWING, hyps=(Statement(e("A", -1), "=", ZERO),)), about=("positive", "covered"), because="no definition applies to A[-1], which may be 0"),
    Attempt("nonzero: the root of a negative number", "mul_inv_cancel", "!= 0", cancel(Pow(Number(-2), HALF)), about=("nonzero",), because="1 is not 0"),
    Attempt("nonzero: a sum of two values that are not zero", "mul_inv_cancel", "!= 0", equation(ONE, ZERO, by(step("mul_inv_cancel", ONE, Mul((x + y, Pow(x + y, -1))), back=True, above=0, below=1)), hyps=(Statement(ZERO, "!=", x), Statement(ZERO, "!=", y))), about=("nonzero",)),
    Attempt("nonzero: an index that may be zero", "mul_inv_cancel", "!= 0", equation(Bracket(()) * value(i) * 0, ONE, by(step("ring", Bracket(()) * value(i) * 0, Mul((value(i), Pow(value(i), -1))) * 0 + ZERO), step("mul_inv_cancel", Mul((value(i), Pow(value(i), -1))), ONE, (0, 0), above=0, below=1)), ix="i"), about=("nonzero", "consistent")),
]  # fmt: skip

FACTS = [
    Attempt("entails: a quotient of two sizes", "bracket_congr", "= 1", holds(at_least(quotient(n, 2), 1)), holds(at_least(quotient(n + 1, 2), 1)), about=("entails",)),
    Attempt("entails: a remainder is below its divisor, not above", "bracket_congr", "= 1", holds(at_least(remainder(i, w), 1), ix="i"), holds(at_least(w - 1, remainder(i, w)), ix="i"), about=("entails",)),
    Attempt("entails: a quotient of a negative index is no zero", "bracket_congr", "= 1", holds(equal(quotient(i, w), 0), ix="i", given=(less(i, w),)), holds(equal(quotient(i, w), 0), ix="i", given=within("i", 0, w)), about=("entails",)),
    Attempt("entails: multiplied by an index", "bracket_congr", "= 1", holds(at_least(i * j, i), ix="ij", given=(at_least(j, 1),)), holds(at_least(i * w, 0), ix="i", given=(at_least(i, 0),)), about=("entails",)),
    Attempt("entails: an image outside of its axis", "bracket_congr", "= 1", holds(less(pi(i), n), ix="i", given=(at_least(i, 0),)), holds(less(pi(i), n), ix="i", given=within("i", 0, n)), about=("entails",)),
    Attempt("entails: a permutation keeps no order", "bracket_congr", "= 1", holds(at_least(pi(j), pi(i)), ix="ij", given=(at_least(j, i), *within("i", 0, n), *within("j", 0, n))), about=("entails",)),
    Attempt("entails: a permutation is not its own inverse", "bracket_congr", "= 1", holds(equal(pi(pi(i)), i), ix="i", given=within("i", 0, n)), holds(at_least(pi(permuted("pi", n, i, inverse=True)), i), ix="i"), about=("entails",)),
    Attempt("entails: images on axes of two lengths", "bracket_congr", "= 1", holds(equal(pi(i, m), pi(i, n)), ix="i", given=within("i", 0, n)), about=("entails",)),
    Attempt("entails: two halves make a whole", "bracket_congr", "= 1", holds(equal(2 * quotient(n, 2), n)), about=("entails",)),
    Attempt("consistent: only for even sizes", "bracket_congr", "= 0", single("bracket_congr", Bracket((equal(2 * quotient(n, 2), n),)), ZERO), single("bracket_congr", Bracket((equal(2 * quotient(n, 2), n + 1),)), ZERO), about=("consistent",)),
    Attempt("consistent: a size between two others", "bracket_congr", "= 0", single("bracket_congr", Bracket((less(n, m), less(m, n + 2))), ZERO), single("bracket_congr", Bracket((less(n, m), less(m, n + 1))), ZERO), about=("consistent",)),
    Attempt("bounded: by a product only", "ring", "a range that bounds j", equation(ONE, ZERO, by(step("ring", ONE, ONE + type(total(x))("j", (at_least(i * j, 0), at_least(n, i * j)), x) * 0)), ix="i"), about=("bounded",)),
    Attempt("covered: odd places of a symbol that has even ones and every fourth", "obligations", "one of the definitions", equation(e("A", i), ONE, by(), th=HALVES, ix="i"), about=("covered", "obligations"), because="no definition applies to A[3], which may have any value"),
    Attempt("obligations: a sum without bounds", "obligations", "a range that bounds j", equation(type(total(x))("j", (at_least(j, 0),), ONE), value(n), by()), about=("obligations", "bounded"), because="it has no value"),
    Attempt("assume: what is owed in a sum is no fact about the place", "bracket_congr", "= 1", equation(total(e("T", j), 0, m) * 0 + Bracket((less(i, n),)), ONE, by(step("bracket_congr", Bracket((less(i, n),)), ONE, (1,))), th=theory(Tensor("T", (n,))), ix="i"), about=("assume", "obligations")),
    Attempt("assume: a denominator of one row for another", "mul_inv_cancel", "!= 0", equation(total(Pow(F, -1), 1) * 0 + Choice(Pow(e("f", 0), 2), ONE, ZERO), ONE, by(step("mul_inv_cancel", ONE, Mul((e("f", 0), Pow(e("f", 0), -1))), (1, 1), back=True, above=0, below=1))), about=("assume", "nonzero"), witness=Inputs({"n": 2}, {"f": [0, 1]})),
    Attempt("invertible: another matrix than the one that is assumed", "mul_inv_matrix", "assumed to be invertible", equation(Entry("matrix inverse", (0, 0), (Lambda(("a", "b"), e("N", a, b)),), (n,)) * 0, ONE, by(
                step("ring", Entry("matrix inverse", (0, 0), (Lambda(("a", "b"), e("N", a, b)),), (n,)) * 0, ZERO), step("sum_zero", ZERO, total(ZERO, var="c"), back=True),
                step("ring", ZERO, Mul((ZERO, Entry("matrix inverse", (Index.var("c"), 0), (Lambda(("a", "b"), ZERO),), (n,)))), (0,)),
                step("mul_inv_matrix", total(Mul((ZERO, Entry("matrix inverse", (Index.var("c"), 0), (Lambda(("a", "b"), ZERO),), (n,)))), var="c"), Bracket(()), matrix=Entry("matrix inverse", (0, 0), (Lambda(("a", "b"), ZERO),), (n,)), row=Index.of(0), column=Index.of(0), right=True),
                step("bracket_congr", Bracket(()), ONE))), about=("invertible", "assume")),
    Attempt("invertible: of another length", "mul_inv_matrix", "assumed to be invertible", equation(Entry("matrix inverse", (0, 0), (Lambda(("a", "b"), e("N", a, b)),), (n,)) * 0, ONE, by(
                step("ring", Entry("matrix inverse", (0, 0), (Lambda(("a", "b"), e("N", a, b)),), (n,)) * 0, ZERO * ONE), step("bracket_congr", ONE, Bracket((equal(Index.of(0), Index.of(0)),)), (1,), back=True),
                step("mul_inv_matrix", Bracket(()), total(e("N", 0, Index.var("c")) * Entry("matrix inverse", (Index.var("c"), 0), (Lambda(("a", "b"), e("N", a, b)),), (n + 1,)), 0, n + 1, "c"), (1,), back=True, matrix=Entry("matrix inverse", (0, 0), (Lambda(("a", "b"), e("N", a, b)),), (n + 1,)), row=Index.of(0), column=Index.of(0), right=True))), about=("invertible",)),
    Attempt("finite: a masked score where the mask is not known", "ring", "minus infinity", equation(fn("exp", e("S", i, j)) * 0, ONE, by(step("ring", fn("exp", e("S", i, j)) * 0, Mul((ZERO, e("S", i, j)))), step("ring", Mul((ZERO, e("S", i, j))), ONE)), th=MASK, ix="ij"), about=("finite",)),
    Attempt("finite: a maximum of which no value is known", "ring", "minus infinity", equation(fn("exp", top(e("S", i, j), 1)) * 0, ONE, by(step("ring", fn("exp", top(e("S", i, j), 1)) * 0, top(e("S", i, j), 1) * 0), step("ring", top(e("S", i, j), 1) * 0, ONE)), th=MASK, ix="i", given=within("i", 0, n)),
            equation(fn("exp", top(e("S", i, j))) * 0, ZERO, by(step("ring", fn("exp", top(e("S", i, j))) * 0, top(e("S", i, j)) * 0), step("ring", top(e("S", i, j)) * 0, ZERO)), th=MASK, ix="i", given=within("i", 0, n)), about=("finite",), witness=Inputs({"n": 2})),
]  # fmt: skip

ATTEMPTS = [*SIGNS, *FACTS]
