"""Attacks on the nodes of proofs: cases, signs, cleared factors, exponentials, lemmas, inductions, computations."""

from derivations.kernel.proof import Clear, Compute, Have, Induct, Raise, Sign, SignSplit, Split
from derivations.language.statement import Statement
from derivations.language.term import (
    HALF,
    ONE,
    ZERO,
    Add,
    Bracket,
    Choice,
    Index,
    Mul,
    Number,
    Pow,
    at_least,
    equal,
    less,
    permuted,
    within,
)
from derivations.language.term import (
    Case as Cases,
)

from .attempt import BOT, Attempt, Inputs, by, defined_as, e, equation, fn, i, j, k, n, step, theory, total, value, x, y

DONE = by()
MASK = theory(defined_as("S", (i, j), Cases([((at_least(i, j),), e("f", j))], BOT)))
SCALAR_MASK = theory(defined_as("S", (i,), Cases([((at_least(i, 1),), ZERO)], BOT)))
COUNT = Statement(value(i), "=", ZERO, ("i",), (at_least(i, 0),))
E1 = fn("exp", x) + 1


def claim(left, relation, right, proof, **more):
    return equation(left, right, proof, relation=relation, **more)


def below(statement_left, number=0, **at):
    return step("hypothesis", statement_left, ZERO, number=number, at=at)


def counted(step_proof, base=None, start=0, **more):
    """i = 0 for i >= 0 by induction on i."""
    base = base or by(
        step("index_eq", value(i), value(Index.of(0)), var="i", value=Index.of(0)),
        step("ring", value(Index.of(0)), ZERO),
    )
    return equation(
        value(i), ZERO, Induct("i", Index.of(start), base, step_proof), ix="i", given=(at_least(i, 0),), **more
    )


SUMMED = total(ONE, 0, i, "j")
LAST = Index.var("i") - 1

ATTEMPTS = [
    Attempt("meet: two ends that differ", "meet", "both sides to end in one term", equation(x, y, DONE), equation(x, x, DONE)),
    Attempt("meet: a strict inequality", "meet", "an equation", claim(x, "<", x, DONE), claim(x, "<=", x, DONE)),
    Attempt("meet: an inequation", "meet", "an equation", claim(x, "!=", x, DONE)),
    Attempt("meet: a step at another place", "ring", "the term", equation(x + y, Add((y, y)), by(step("ring", x, y, (1,)))), about=("meet",)),
    Attempt("meet: a position that is no child", "position", "a child number", equation(x + y, x, by(step("ring", y, ZERO, (-1,)), step("ring", x + ZERO, x))), about=("meet",)),
    Attempt("meet: a step brings in an index", "ring", "no new free index", equation(x, x * 0 + 1, by(step("ring", x, x + value(k) - value(k)))), about=("meet",)),
    Attempt("meet: a step under a binder of a name in use", "scope", "rename first", equation(total(Bracket((equal(j, 2),))), total(ONE), by(step("bracket_congr", Bracket((equal(j, 2),)), ONE, (0,))), ix="j", given=(equal(j, 2),)),
            equation(total(Bracket((equal(k, 2),)), var="k"), total(Bracket((equal(j, 2),))), DONE, ix=""), about=("meet",)),
    Attempt("meet: a sum without bounds comes in", "ring", "a range that bounds j", equation(x, ONE, by(step("ring", x, x + total(ZERO, 0, n, "j") * 0 + type(total(x))("j", (), ONE) * 0))), about=("bounded", "meet")),
    Attempt("meet: a sum that is bounded on one side", "ring", "a range that bounds j", equation(x, ONE, by(step("ring", x, x + type(total(x))("j", (at_least(j, 0),), ONE) * 0))), about=("bounded", "meet")),
    Attempt("split: one case is forgotten", "split", "2 other cases", equation(Bracket((equal(i, 0),)), Bracket((at_least(i, 0),)), Split(equal(i, 0), by(step("bracket_congr", Bracket((equal(i, 0),)), Bracket((at_least(i, 0),)))), (by(step("bracket_congr", Bracket((equal(i, 0),)), Bracket((at_least(i, 0),)))),)), ix="i"),
            equation(Bracket((at_least(2 * i, 0),)), Bracket((at_least(i, 0),)), Split(equal(i, 0), by(), (by(), by())), ix="i")),
    Attempt("split: what holds in one case is used in the other", "bracket_congr", "= 1", equation(Bracket((at_least(i, 0),)), ONE, Split(at_least(i, 0), by(step("bracket_congr", Bracket((at_least(i, 0),)), ONE)), (by(step("bracket_congr", Bracket((at_least(i, 0),)), ONE)),)), ix="i"), about=("split",)),
    Attempt("split: an empty case is no proof of the others", "meet", "both sides to end in one term", equation(value(n), ONE, Split(less(n, 1), DONE, (DONE,))), about=("split", "consistent")),
    Attempt("signs: zero belongs to the second case", "abs_value", ">= 0", equation(fn("abs", x), x, SignSplit(x, by(step("abs_value", fn("abs", x), x, sign=1)), by(step("abs_value", fn("abs", x), x, sign=1)))),
            equation(fn("abs", x), Choice(x, x, Mul((Number(-1), x))), SignSplit(x, by(step("abs_choice", fn("abs", x), Choice(x, x, Mul((Number(-1), x))))), by(step("abs_choice", fn("abs", x), Choice(x, x, Mul((Number(-1), x))))))), about=("signs",)),
    Attempt("signs: strictly negative in the second case", "mul_inv_cancel", "!= 0", equation(x * Pow(E1, -1) * 0 + Choice(x, ONE, Choice(Mul((Number(-1), x)), ONE, ZERO)), ONE, SignSplit(x, by(step("ring", x * Pow(E1, -1) * 0 + Choice(x, ONE, Choice(Mul((Number(-1), x)), ONE, ZERO)), Choice(x, ONE, Choice(Mul((Number(-1), x)), ONE, ZERO))), step("choice_value", Choice(x, ONE, Choice(Mul((Number(-1), x)), ONE, ZERO)), ONE, form=x)), by(
                step("ring", x * Pow(E1, -1) * 0 + Choice(x, ONE, Choice(Mul((Number(-1), x)), ONE, ZERO)), Mul((x, ONE)) * 0 + Choice(x, ONE, Choice(Mul((Number(-1), x)), ONE, ZERO))),
                step("mul_inv_cancel", ONE, Mul((x, Pow(x, -1))), (0, 0, 1), back=True, above=0, below=1)))), witness=Inputs({}, {"x": 0}), about=("signs", "nonzero")),
    Attempt("signs: of what may be minus infinity", "signs", "minus infinity", equation(ZERO, ONE, SignSplit(e("S", 0), by(step("ring", ZERO, ONE)), by(step("ring", ZERO, ONE))), th=SCALAR_MASK), about=("finite",)),
    Attempt("signs: of a value with an index of its own", "signs", "without new free indices", equation(ZERO, ONE, SignSplit(e("f", k), DONE, DONE)),
            equation(ONE, ONE, SignSplit(e("f", k), DONE, DONE), ix="k")),
    Attempt("clear: a factor that is zero", "clear", "!= 0", equation(x, y, Clear(ZERO, by(step("ring", x * ZERO, y * ZERO))))),
    Attempt("clear: a factor that is zero somewhere", "clear", "!= 0", equation(Choice(x, ONE, ZERO), Choice(x, ONE, ZERO) + Choice(ZERO - fn("abs", x), ZERO, ONE) * 0 + Bracket((less(n, 2),)), Clear(x - x, by(step("ring", Choice(x, ONE, ZERO) * (x - x), (Choice(x, ONE, ZERO) + Choice(ZERO - fn("abs", x), ZERO, ONE) * 0 + Bracket((less(n, 2),))) * (x - x))))), about=("nonzero",)),
    Attempt("clear: a bracket", "clear", "!= 0", equation(e("f", i), e("f", 0), Clear(Bracket((equal(i, 0),)), by(step("ite_subst", e("f", i) * Bracket((equal(i, 0),)), e("f", 0) * Bracket((equal(i, 0),)), factor=1, var="i", value=Index.of(0)))), ix="i"),
            equation(e("f", i), e("f", 0), Clear(Bracket((equal(i, 0),)), by(step("ite_subst", e("f", i) * Bracket((equal(i, 0),)), e("f", 0) * Bracket((equal(i, 0),)), factor=1, var="i", value=Index.of(0)))), ix="i", given=(equal(i, 0),)), about=("nonzero",)),
    Attempt("clear: a negative factor turns an inequality", "clear", "> 0", claim(x, "<=", y, Clear(Number(-1), DONE)), about=("positive",)),
    Attempt("clear: an inequation", "clear", "an equation or an order", claim(x, "!=", x, Clear(E1, DONE))),
    Attempt("clear: minus infinity", "clear", "minus infinity", equation(e("S", 0), e("f", 0), Clear(E1, by(step("ring", e("S", 0) * E1, e("f", 0) * E1))), th=SCALAR_MASK), about=("finite",)),
    Attempt("raise: minus infinity", "raise", "minus infinity", equation(e("S", 0), x, Raise(by()), th=SCALAR_MASK), about=("finite",)),
    Attempt("raise: the other end is not reached", "meet", "both sides to end in one term", equation(x, y, Raise(DONE)), about=("raise",)),
    Attempt("sign: the difference may be zero", "sign", "to be visibly <", claim(ZERO, "<", Pow(x, 2), Sign((step("ring", Pow(x, 2) - ZERO, Pow(x, 2)),))), claim(ZERO, "<=", Pow(x, 2), Sign((step("ring", Pow(x, 2) - ZERO, Pow(x, 2)),))), witness=Inputs({}, {"x": 0}), about=("positive", "nonnegative")),
    Attempt("sign: the wrong way round", "sign", "to be visibly <=", claim(Pow(x, 2), "<=", ZERO, Sign(())), about=("nonnegative",)),
    Attempt("sign: minus infinity", "sign", "minus infinity", claim(x, "<", e("S", i), Sign(()), th=SCALAR_MASK, ix="i"), about=("finite",), because="S[0] is minus infinity"),
    Attempt("sign: an equation", "sign", "to be visibly =", claim(x, "=", y, Sign(()))),
    Attempt("sign: a sum of positive terms over an empty range", "sign", "to be visibly <", claim(ZERO, "<", total(fn("exp", e("f", j)), 1), Sign((step("ring", total(fn("exp", e("f", j)), 1) - ZERO, total(fn("exp", e("f", j)), 1)),))),
            claim(ZERO, "<", total(fn("exp", e("f", j))), Sign((step("ring", total(fn("exp", e("f", j))) - ZERO, total(fn("exp", e("f", j)))),))), about=("positive",), witness=Inputs({"n": 1})),
    Attempt("sign: one term that is not there", "sign", "to be visibly <=", claim(fn("exp", e("f", i)), "<=", total(fn("exp", e("f", j))), Sign(()), ix="i"), claim(fn("exp", e("f", i)), "<=", total(fn("exp", e("f", j))), Sign(()), ix="i", given=within("i", 0, n)), about=("nonnegative", "entails")),
    Attempt("sign: a term of unsigned ones", "sign", "to be visibly <=", claim(e("f", 0), "<=", total(e("f", j)), Sign(())), about=("nonnegative",)),
    Attempt("compute: the wrong way round", "compute", "two numbers", claim(ONE, "<", ZERO, Compute()), claim(ZERO, "<", ONE, Compute()), about=("certain",)),
    Attempt("compute: equal values in other clothes", "compute", "two numbers", claim(Pow(Number(2), HALF) * Pow(Number(2), HALF), "!=", Number(2), Compute()), about=("certain",), because="both are 2"),
    Attempt("compute: an equation", "compute", "two numbers", claim(fn("sin", Number(3)), "=", Number(3), Compute()), about=("certain",)),
    Attempt("compute: a size", "compute", "two numbers", claim(value(n), "!=", ONE, Compute()), about=("closed",)),
    Attempt("compute: an unknown function", "compute", "two numbers", claim(fn("phi", ZERO), "<", fn("phi", ONE), Compute()), about=("closed",), because="phi may decrease"),
    Attempt("compute: a tensor", "compute", "two numbers", claim(x, "!=", ZERO, Compute()), about=("closed",), witness=Inputs({}, {"x": 0})),
    Attempt("compute: a permutation", "compute", "two numbers", claim(value(permuted("pi", Index.of(3), Index.of(0))), "!=", ONE, Compute()), about=("closed",), witness=Inputs({}, {"pi": [1, 0, 2]})),
    Attempt("lemma: with a hypothesis of its own", "lemma", "without hypotheses", equation(x, ZERO, Have(Statement(x, "=", ZERO, (), (), (Statement(x, "=", ZERO),)), by(step("hypothesis", x, ZERO, number=0, at={})), by(step("hypothesis", x, ZERO, number=0, at={}))))),
    Attempt("lemma: not shown", "meet", "both sides to end in one term", equation(x, ZERO, Have(Statement(x, "=", ZERO), DONE, by(step("hypothesis", x, ZERO, number=0, at={}))))),
    Attempt("lemma: used outside of its condition", "hypothesis", "not known here", equation(Bracket((at_least(i, 0),)), ONE, Have(Statement(Bracket((at_least(k, 0),)), "=", ONE, ("k",), (at_least(k, 0),)), by(step("bracket_congr", Bracket((at_least(k, 0),)), ONE)), by(step("hypothesis", Bracket((at_least(i, 0),)), ONE, number=0, at={"k": i}))), ix="i"),
            equation(Bracket((at_least(i, 0),)), ONE, Have(Statement(Bracket((at_least(k, 0),)), "=", ONE, ("k",), (at_least(k, 0),)), by(step("bracket_congr", Bracket((at_least(k, 0),)), ONE)), by(step("hypothesis", Bracket((at_least(i, 0),)), ONE, number=0, at={"k": i}))), ix="i", given=(at_least(i, 2),)), about=("lemma",)),
    Attempt("lemma: that is not defined everywhere", "lemma", "defined everywhere", equation(Choice(fn("abs", x), ONE, ZERO), ONE, Have(Statement(Mul((x, Pow(x, -1))), "=", ONE), by(step("mul_inv_cancel", Mul((x, Pow(x, -1))), ONE, above=0, below=1)), DONE)), witness=Inputs({}, {"x": 0}), about=("obligations", "assume")),
    Attempt("lemma: facts about an index of the statement", "bracket_congr", "= 1", equation(Bracket((at_least(j, 0),)), ONE, Have(Statement(Bracket((at_least(i, 0),)), "=", ONE, ("i",)), by(step("bracket_congr", Bracket((at_least(i, 0),)), ONE)), by(step("hypothesis", Bracket((at_least(j, 0),)), ONE, number=0, at={"i": j}))), ix="ij", given=(at_least(i, 0),)), about=("lemma",)),
    Attempt("lemma: within an induction", "lemma", "outside of inductions", counted(Have(Statement(value(k), "=", ZERO, ("k",), (at_least(k, 0),)), by(step("hypothesis", value(k), ZERO, number=0, at={})), by(step("hypothesis", value(i), ZERO, number=1, at={"k": i}))))),
    Attempt("induction: without a step", "meet", "both sides to end in one term", counted(DONE), about=("induction",)),
    Attempt("induction: the statement itself instead of the one below", "hypothesis", "i - 1", counted(by(step("hypothesis", value(i), ZERO, number=0, at={}))), about=("induction",)),
    Attempt("induction: the base is above the start", "induction", "i >= 1", counted(by(step("hypothesis", value(i), ZERO, number=0, at={})), start=1)),
    Attempt("induction: an index with values below", "induction", "i >= 0", equation(total(ONE, 0, i), value(i), Induct("i", Index.of(0), by(step("index_eq", total(ONE, 0, i), total(ONE, 0, 0), var="i", value=Index.of(0))), DONE), ix="i"), about=("entails",)),
    Attempt("induction: a place below that is out of range", "induction", "the place below may not be in range", equation(value(i), ZERO, Induct("i", Index.of(0), DONE, by(step("hypothesis", value(i - 1), ZERO, number=0, at={}))), ix="i", given=(at_least(2 * i, n), at_least(i, 0)),)),
    Attempt("induction: on what is no index", "induction", "an index variable of the statement", equation(value(n), ONE, Induct("n", Index.of(1), DONE, DONE))),
    Attempt("induction: a start that depends on the index", "induction", "a start without i", equation(value(i), ZERO, Induct("i", i, DONE, DONE), ix="i", given=(at_least(i, 0),))),
    Attempt("induction: for all others, where one is special", "hypothesis", "a number below", equation(value(i) * e("f", j), ZERO, SignSplit(e("f", j), Induct("i", Index.of(0), by(step("index_eq", value(i) * e("f", j), value(Index.of(0)) * e("f", j), var="i", value=Index.of(0)), step("ring", value(Index.of(0)) * e("f", j), ZERO)), by(step("ring", value(i) * e("f", j), value(i) * e("f", j) + value(i - 1) * e("f", 0) * 0), step("hypothesis", value(i - 1) * e("f", 0), ZERO, (1, 0), number=1, at={"j": Index.of(0)}))), DONE), ix="ij", given=(at_least(i, 0),)), about=("induction",)),
]  # fmt: skip
