"""Attacks on the admission of definitions: two values for one entry, circles, names in several roles."""

from derivations.kernel.proof import Compute
from derivations.language.statement import Statement, Tensor
from derivations.language.term import (
    INVERSE,
    ONE,
    ZERO,
    Entry,
    Expectation,
    Index,
    Lambda,
    Mul,
    Number,
    Pow,
    at_least,
    equal,
    less,
    permuted,
)

from .attempt import (
    Attempt,
    Case,
    a,
    applied,
    b,
    by,
    c,
    defined_as,
    e,
    equation,
    h,
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
)

TWO = "one entry has two values, so 0 = 1"


def clash(at, *rows, name="A", args=(), sizes=()):
    """0 = A[at] = 1 by two definitions of A."""
    entry = Entry(name, at, args, sizes)
    return equation(ZERO, ONE, by(step("unfold", ZERO, entry, back=True), step("unfold", entry, ONE)), th=theory(*rows))


def fine(at, value_, *rows, sizes=()):
    """A[at] is what its one definition says."""
    return single("unfold", Entry("A", at, (), sizes), value_, th=theory(*rows))


def circle(body, *more, at=(), name="A"):
    """0 = A - A = (A + 1) - A = 1."""
    entry = Entry(name, at)
    minus = Mul((Number(-1), entry))
    return equation(
        ZERO,
        ONE,
        by(step("ring", ZERO, entry + minus), step("unfold", entry, body, (0,)), step("ring", body + minus, ONE)),
        th=theory(*more),
    )


def put(name, at, body, *g, **more):
    return defined_as(name, at, body, *g, **more)


A = e("A")
OVERLAP = "the two left sides overlap"

ATTEMPTS = [
    Attempt("two definitions of a scalar", "definition", OVERLAP, clash((), put("A", (), ZERO), put("A", (), ONE)), about=("disjoint",)),
    Attempt("overlap where two ranges meet", "definition", OVERLAP, clash((3,), put("A", (i,), ZERO, at_least(3, i)), put("A", (j,), ONE, at_least(j, 3))),
            fine((3,), ZERO, put("A", (i,), ZERO, at_least(3, i)), put("A", (j,), ONE, at_least(j, 4))), about=("disjoint",)),
    Attempt("overlap at size one only", "definition", OVERLAP, clash((0,), put("A", (0,), ZERO), put("A", (n - 1,), ONE)), fine((0,), ZERO, put("A", (0,), ZERO), put("A", (n,), ONE)), about=("disjoint",), ),
    Attempt("overlap of 2 j and 3 j", "definition", OVERLAP, clash((6,), put("A", (2 * i,), ZERO), put("A", (3 * i,), ONE)), fine((6,), ZERO, put("A", (2 * i,), ZERO), put("A", (4 * i + 1,), ONE)), about=("disjoint", "consistent")),
    Attempt("overlap of 2 j + 1 and 4 j + 3", "definition", OVERLAP, clash((3,), put("A", (2 * i + 1,), ZERO), put("A", (4 * i + 3,), ONE)), fine((3,), ZERO, put("A", (2 * i + 1,), ZERO), put("A", (4 * i + 2,), ONE)), about=("disjoint",)),
    Attempt("overlap of a flattened axis and its positions", "definition", OVERLAP, clash((0,), put("A", (h * w + c,), ZERO, at_least(c, 0), less(c, w)), put("A", (0,), ONE)), about=("disjoint",)),
    Attempt("overlap of two widths", "definition", OVERLAP, clash((0,), put("A", (h * w + c,), ZERO, at_least(c, 0), less(c, w)), put("A", (h * m + c,), ONE, at_least(c, 0), less(c, m))), about=("disjoint",)),
    Attempt("size parameters with exchanged names", "definition", OVERLAP, clash((2,), put("A", (i,), ZERO, at_least(n - 1, i), at_least(i, 0), sizes=("n", "m")), put("A", (i,), ONE, at_least(i, n), sizes=("m", "n")), sizes=(5, 2)),
            about=("disjoint",)),
    Attempt("a size parameter named as a size of the other definition", "definition", OVERLAP, clash((n + 1,), put("A", (n,), ZERO, sizes=("n",)), put("A", (n + 1,), ONE, sizes=("m",)), sizes=(n + 1,)), about=("disjoint",)),
    Attempt("size parameters that only look different", "definition", OVERLAP, clash((1,), put("A", (m,), ZERO, sizes=("m",)), put("A", (1,), ONE, sizes=("w",)), sizes=(1,)), about=("disjoint",)),
    Attempt("other parameters of one name", "definition", "with other parameters", clash((), put("A", (), ZERO), put("A", (), ONE, sizes=("m",))), about=("disjoint",)),
    Attempt("a symbol that is a tensor", "definition", "a given tensor", equation(A, ZERO, by(step("unfold", A, ZERO)), th=theory(Tensor("A"), put("A", (), ZERO))), because="the tensor A may have any value"),
    Attempt("a circle of one", "definition", "itself", circle(A + 1, put("A", (), A + 1)), about=("cycle",)),
    Attempt("a circle of two", "definition", "through other definitions", equation(ZERO, ONE, by(step("ring", ZERO, A - A), step("unfold", A, e("B"), (0,)), step("unfold", e("B"), A + 1, (0,)), step("ring", (A + 1) - A, ONE)), th=theory(put("A", (), e("B")), put("B", (), A + 1))), about=("cycle",)),
    Attempt("a circle through an argument", "definition", "uses it as a function", equation(ZERO, ONE, by(step("ring", ZERO, A - A), step("unfold", A, Entry("F", (), (Lambda((), A),)), (0,)), step("unfold", Entry("F", (), (Lambda((), A),)), A + 1, (0,)), step("ring", (A + 1) - A, ONE)),
                     th=theory(put("F", (), e("T") + 1, tensors=(Tensor("T"),)), put("A", (), Entry("F", (), (Lambda((), A),))))), about=("cycle",)),
    Attempt("a recursion that does not descend", "definition", "no index of it is smaller", circle(e("A", 0) + 1, put("A", (i,), e("A", i) + 1), at=(0,)), about=("cycle",)),
    Attempt("a recursion that descends below zero", "definition", "no index of it is smaller", equation(ZERO, ONE, by(step("unfold", ZERO, e("A", 5), back=True)), th=theory(put("A", (i,), e("A", i - 1) + 1))), about=("cycle",)),
    Attempt("a recursion that descends in one part only", "definition", "no index of it is smaller", equation(ZERO, ONE, by(step("ring", ZERO, e("A", 2) - e("A", 2)), step("unfold", e("A", 2), e("A", 2) + 1, (0,)), step("ring", (e("A", 2) + 1) - e("A", 2), ONE)), th=theory(put("A", (i,), e("A", 4 - i) + 1, at_least(i, 2), at_least(4, i)))), about=("cycle",)),
    Attempt("a recursion that stays under its sum", "definition", "no index of it is smaller", equation(ZERO, ONE, by(step("ring", ZERO, e("A", 1) - e("A", 1)), step("unfold", e("A", 1), total(e("A", j), 0, 2) + 1, (0,)), step("ring", ZERO, ONE)), th=theory(put("A", (i,), total(e("A", j), 0, i + 1) + 1, at_least(i, 0)))),
            equation(e("A", 1), total(e("A", j), 0, 1) + 1, by(step("unfold", e("A", 1), total(e("A", j), 0, 1) + 1)), th=theory(put("A", (i,), total(e("A", j), 0, i) + 1, at_least(i, 0)))), about=("cycle",)),
    Attempt("a recursion in which two definitions descend in two places", "definition", "no index of it is smaller", equation(ZERO, ONE, by(step("ring", ZERO, e("A", 1, 0) - e("A", 1, 0)), step("unfold", e("A", 1, 0), e("A", 0, 1) + 1, (0,)), step("unfold", e("A", 0, 1), e("A", 1, 0) + 1, (0, 0)), step("ring", ZERO, ONE)),
                                         th=theory(put("A", (i, j), e("A", i - 1, j + 1) + 1, at_least(i, 1), equal(j, 0)), put("A", (i, j), e("A", i + 1, j - 1) + 1, equal(i, 0), at_least(j, 1)))), about=("cycle",)),
    Attempt("a recursion with another size", "definition", "with other sizes", equation(ZERO, ONE, by(step("unfold", ZERO, Entry("A", (1,), (), (n,)), back=True)), th=theory(put("A", (i,), Entry("A", (i - 1,), (), (m + 1,)) + 1, at_least(i, 1), sizes=("m",)))), about=("cycle",)),
    Attempt("a recursion under a mean", "definition", "under a derivative or mean", equation(ZERO, ONE, by(step("unfold", ZERO, e("A", 1), back=True)), th=theory(put("A", (i,), Expectation(e("A", i - 1)) + 1, at_least(i, 1)))), about=("cycle",)),
    Attempt("a variable that stands twice", "definition", "twice on the left side", clash((0, 1), put("A", (i, i), ZERO)), because="A[0, 1] is no entry A[i, i]"),
    Attempt("a free variable on the right side", "definition", "is free on the right side", equation(e("f", 0), e("f", 1), by(step("unfold", e("f", 0), A, back=True), step("unfold", A, e("f", 1))), th=theory(put("A", (), e("f", i))))),
    Attempt("a free variable in the condition", "definition", "is free on the right side", equation(A, ZERO, by(step("unfold", A, ZERO)), th=theory(put("A", (), ZERO, at_least(i, 0)))), because="which i is meant nobody says; A may have any value"),
    Attempt("two variables in one place", "definition", "combines variables", equation(e("f", 0), e("f", 1), by(step("unfold", e("f", 0), e("A", 1), back=True), step("unfold", e("A", 1), e("f", 1))), th=theory(put("A", (i + j,), e("f", i))))),
    Attempt("a flattened place without bounds of its channel", "definition", "needs the condition", equation(e("f", 0), e("f", 1), by(step("unfold", e("f", 0), e("D", w), back=True), step("unfold", e("D", w), e("f", 1))), th=theory(put("D", (h * w + c,), e("f", h)))), about=("entails",)),
    Attempt("the inverse of matrices defined", "definition", "the inverse of a matrix has a meaning", equation(e(INVERSE), ZERO, by(step("unfold", e(INVERSE), ZERO)), th=theory(put(INVERSE, (), ZERO))), because="the name is taken"),
    Attempt("a parameter that is applied", "definition", "applied to tensors", equation(ZERO, ONE, by(step("unfold", ZERO, Entry("F", (), (Lambda((), x),)), back=True)), th=theory(put("F", (), Entry("T", (), (Lambda((), x),)), tensors=(Tensor("T"),))))),
    Attempt("two parameters of one name", "definition", "names of their own", equation(ZERO, ONE, by(step("unfold", ZERO, Entry("F", (), (Lambda((), ZERO), Lambda((), ONE))), back=True), step("unfold", Entry("F", (), (Lambda((), ZERO), Lambda((), ONE))), ONE)), th=theory(put("F", (), e("T"), tensors=(Tensor("T"), Tensor("T")))))),
    Attempt("two sizes of one name", "definition", "names of their own", equation(ZERO, ONE, by(step("ring", ONE, ONE)), th=theory(put("F", (), value(m), sizes=("m", "m"))))),
    Attempt("recursion: what is put for sizes may be no sizes", "mul_inv_cancel", "!= 0", equation(ZERO, ONE, by(
                step("ring", ZERO, Mul((ZERO, Pow(ZERO, -1)))), step("hypothesis", ZERO, Entry("F", (0,), (), (0,)), (0,), back=True, number=0, at={}), step("hypothesis", ZERO, Entry("F", (0,), (), (0,)), (1, 0), back=True, number=0, at={}),
                step("mul_inv_cancel", Mul((Entry("F", (0,), (), (0,)), Pow(Entry("F", (0,), (), (0,)), -1))), ONE, above=0, below=1)),
                th=theory(put("F", (0,), value(m), sizes=("m",)), put("F", (k,), Entry("F", (k - 1,), (), (m,)), at_least(k, 1), sizes=("m",))), hyps=(Statement(Entry("F", (0,), (), (0,)), "=", ZERO),)),
            equation(ONE, ONE, by(step("ring", ONE, ONE), step("mul_inv_cancel", ONE, Mul((Entry("F", (0,), (), (n,)), Pow(Entry("F", (0,), (), (n,)), -1))), back=True, above=0, below=1), step("mul_inv_cancel", Mul((Entry("F", (0,), (), (n,)), Pow(Entry("F", (0,), (), (n,)), -1))), ONE, above=0, below=1)),
                th=theory(put("F", (0,), value(m), sizes=("m",)), put("F", (k,), Entry("F", (k - 1,), (), (m,)), at_least(k, 1), sizes=("m",)))),
            about=("positive", "covered"), because="no definition applies at size 0, so F[0; 0] may be 0"),
    Attempt("recursion: entries off the diagonal are not covered", "mul_inv_cancel", "!= 0", equation(ZERO, ONE, by(
                step("ring", ZERO, Mul((ZERO, Pow(ZERO, -1)))), step("hypothesis", ZERO, e("R", 0, 1, 2), (0,), back=True, number=0, at={}), step("hypothesis", ZERO, e("R", 0, 1, 2), (1, 0), back=True, number=0, at={}),
                step("unfold", e("R", 0, 1, 2), e("R", 1, 0, 0), (0,), back=True), step("unfold", e("R", 0, 1, 2), e("R", 1, 0, 0), (1, 0), back=True),
                step("mul_inv_cancel", Mul((e("R", 1, 0, 0), Pow(e("R", 1, 0, 0), -1))), ONE, above=0, below=1)),
                th=theory(put("R", (0, a, b), ONE, equal(a, b)), put("R", (k, a, b), e("R", k - 1, a + 1, b + 2), at_least(k, 1), equal(a, b))), hyps=(Statement(e("R", 0, 1, 2), "=", ZERO),)),
            about=("positive", "covered"), because="no definition applies to R[0, 1, 2], which may be 0"),
    Attempt("recursion: entries off the diagonal, with an index named as those that the kernel makes", "mul_inv_cancel", "!= 0", Case(
                theory(put("R", (0, a, b), ONE, equal(a, b)), put("R", (k, a, b), e("R", k - 1, a + 1, b + 2), at_least(k, 1), equal(a, b))),
                Statement(ZERO, "=", ONE, ("u1",), (), (Statement(e("R", 0, 1, 2), "=", ZERO),)), by(
                step("ring", ZERO, Mul((ZERO, Pow(ZERO, -1)))), step("hypothesis", ZERO, e("R", 0, 1, 2), (0,), back=True, number=0, at={}), step("hypothesis", ZERO, e("R", 0, 1, 2), (1, 0), back=True, number=0, at={}),
                step("unfold", e("R", 0, 1, 2), e("R", 1, 0, 0), (0,), back=True), step("unfold", e("R", 0, 1, 2), e("R", 1, 0, 0), (1, 0), back=True),
                step("mul_inv_cancel", Mul((e("R", 1, 0, 0), Pow(e("R", 1, 0, 0), -1))), ONE, above=0, below=1))),
            about=("positive", "covered"), because="no definition applies to R[0, 1, 2], which may be 0"),
    Attempt("alpha: an argument names its index as the canonical form does on the way", "alpha", "found", equation(e("X", 0, 1), e("X", 1, 1), by(
                step("unfold", e("X", 0, 1), Entry("G", (), (Lambda(("a", "%0~"), e("X", a, Index.var("%0~"))),)), back=True),
                step("alpha", Entry("G", (), (Lambda(("a", "%0~"), e("X", a, Index.var("%0~"))),)), applied("G", "ab", e("X", b, b))),
                step("unfold", applied("G", "ab", e("X", b, b)), e("X", 1, 1))), th=theory(put("G", (), e("T", 0, 1), tensors=(Tensor("T", (n, n)),))))),
    Attempt("compute: a definition whose condition permutes", "compute", "two numbers whose values tell", Case(
                theory(put("A", (i,), ZERO, at_least(permuted("pi", Index.of(3), i), 1)), put("A", (i,), ONE, at_least(0, permuted("pi", Index.of(3), i)))), Statement(e("A", 0), "<", e("A", 1)), Compute()),
            about=("closed", "certain"), because="false for the permutation that leaves all in place"),
]  # fmt: skip
