"""Attacks by names that are caught, by ranges without an end, and by what holds at one place alone."""

from derivations.kernel.proof import Clear, Compute, Induct, Sign, SignSplit, Split
from derivations.kernel.rules.determinants import added_to_identity, determinant
from derivations.language.inputs import Inputs
from derivations.language.statement import Statement, Tensor, Theory
from derivations.language.term import (
    ONE,
    ZERO,
    Bracket,
    Choice,
    Index,
    Lambda,
    Mul,
    Sum,
    Term,
    at_least,
    equal,
    guard,
    negative,
    within,
)
from derivations.language.term import Case as Cases

from .attempt import EMPTY, ZERO_INDEX, Attempt, Case, by, c, defined_as, e, equation, i, j, n, step, theory, total

A = Lambda(("a", "b"), e("A", Index.var("a"), Index.var("b")))
B = Lambda(("a", "b"), e("B", Index.var("a"), Index.var("b")))
DET = determinant
ONE_BY_ONE = Inputs({"n": 1}, {"A": [[1]], "B": [[1]]})


def caught(left: str, right: str, inner: Index) -> Lambda:
    """The product of two matrices with rows called i, where i tells how many columns the left one has."""
    return Lambda(("i", "j"), total(e(left, i, c) * e(right, c, j), 0, inner, "c"))


def product_of_caught() -> Case:
    """det(A B) = det A det B of i by i matrices, with a row called i: a triangle of the products."""
    left, right = DET(caught("A", "B", i), i), Mul((DET(A, i), DET(B, i)))
    return equation(left, right, by(step("det_product", left, right, left=A, right=B)), ix="i", given=(at_least(i, 1),))


def exchange_of_caught() -> Case:
    left, right = DET(added_to_identity(caught("A", "B", i)), n), DET(added_to_identity(caught("B", "A", n)), i)
    steps = by(step("det_exchange", left, right, left=A, right=B, inner=i))
    return equation(left, right, steps, ix="i", given=(at_least(i, 1),))


def without_end() -> Case:
    """1 <= 0, times a sum over all natural numbers, which is 0 where a number is reckoned and positive where a sign is."""
    endless = defined_as("D", (), Sum("j", (at_least(j, 0),), ONE))
    return Case(theory(endless), Statement(ONE, "<=", ZERO), Clear(e("D"), Compute()))


def shape_with_variable() -> Case:
    """A stray q in the length of an axis becomes a fact about the q that a sum binds."""
    q = Index.var("q")
    nothing = Mul((ZERO, e("x", 0)))
    first, second = (Sum("q", within("q", 0, n), body) for body in (Bracket((equal(q, 0),)), ZERO))
    proof = by(
        step("bracket_congr", Bracket((equal(q, 0),)), ZERO, (0, 0)),
        step("sum_zero", second, ZERO, (0,)),
        step("ring", ZERO + nothing, ZERO),
    )
    return Case(Theory({"x": Tensor("x", (q,))}), Statement(first + nothing, "=", ZERO), proof)


def start_with_sign() -> Case:
    """Where f[i] is positive, what is said times f[i] is shown by induction on i, from f[0] > 0, which is not known."""
    fi = e("f", i)

    def chosen(at: Index) -> Term:
        return Cases([((equal(at, 0),), ONE)], Choice(e("f", 1), e("f", 0), ZERO))

    inner = Choice(fi, e("f", 0), ZERO)
    outside = tuple(
        Sign(
            (
                step("if_pos", chosen(i), Choice(e("f", 1), e("f", 0), ZERO), (0,), branch=1),
                step("index_congr", e("f", 1), fi, (0, 0)),
                step("choice_value", inner, ZERO, (0,), form=negative(fi)),
            )
        )
        for _ in range(2)
    )
    low = Split(equal(i, 0), Sign((step("if_pos", chosen(i), ONE, (0,), branch=0),)), outside)
    base = Sign(
        (
            step("if_pos", chosen(i), ONE, (0, 0), branch=0),
            step("ring", Mul((ONE, fi)) - Mul((ZERO, fi)), fi),
        )
    )
    below = Mul((ONE, e("f", 0))) - Mul((ZERO, e("f", 0)))
    up = Sign(
        (
            step("if_pos", chosen(i), Choice(e("f", 1), e("f", 0), ZERO), (0, 0), branch=1),
            step("index_congr", e("f", 1), fi, (0, 0, 0)),
            step("ring", Mul((inner, fi)) - Mul((ZERO, fi)), Mul((inner, fi))),
            step("apply_choice", Mul((inner, fi)), Choice(fi, Mul((e("f", 0), fi)), Mul((ZERO, fi))), child=0),
            step("ring", Mul((ZERO, fi)), ZERO, (2,)),
            step("ring", e("f", 0), below, (1, 0)),
            step("if_pos", ONE, chosen(i - 1), (1, 0, 0, 0), back=True, branch=0),
            step("index_congr", e("f", 0), e("f", i - 1), (1, 0, 0, 1)),
            step("index_congr", e("f", 0), e("f", i - 1), (1, 0, 1, 1, 1)),
        )
    )
    high = Clear(fi, Induct("i", ZERO_INDEX, base, up))
    statement = Statement(ZERO, "<=", chosen(i), ("i",), guard(at_least(i, 0), at_least(1, i)))
    return Case(EMPTY, statement, SignSplit(fi, high, low))


ATTEMPTS = [
    Attempt("det_product: a row with the name of the size", "det_product", "needs", product_of_caught, witness=ONE_BY_ONE),
    Attempt("det_exchange: a row with the name of the other size", "det_exchange", "needs", exchange_of_caught, witness=ONE_BY_ONE),
    Attempt("definition: a sum without an end", "definition", "a range that bounds j", without_end),
    Attempt("definition: a length that depends on an index", "definition", "no index variable", shape_with_variable, because="at n = 1 the sum is 1"),
    Attempt("induction: a start with a sign of the present place", "sign", "f[i]", start_with_sign, about=("induction",), witness=Inputs({}, {"f": [-1, 1]})),
]  # fmt: skip
