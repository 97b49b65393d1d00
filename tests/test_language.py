"""Terms, substitution, meaning, the SymPy bridge, and the face for users."""

import pytest
import sympy
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

import derivations
from derivations.kernel.errors import NotConservative
from derivations.language.extended_reals import ball
from derivations.language.inputs import Inputs
from derivations.language.meaning import defined, evaluate
from derivations.language.statement import Theory
from derivations.language.substitution import Capture, alpha_equal, canonical, rename_apart, substitute
from derivations.language.sympy_bridge import from_sympy, to_sympy
from derivations.language.sympy_form import BridgeError, form_of
from derivations.language.term import (
    Add,
    Apply,
    Bracket,
    Entry,
    Index,
    IndexValue,
    Max,
    Mul,
    NegInfinity,
    Number,
    Pow,
    Sum,
    Term,
    at_least,
    within,
)

n = Index.size("n")
VARIABLES = ("i", "j", "k")


def indices() -> st.SearchStrategy[Index]:
    return st.builds(lambda v, c: Index.var(v) + c, st.sampled_from(VARIABLES), st.integers(-1, 1))


def extend(inner: st.SearchStrategy[Term]) -> st.SearchStrategy[Term]:
    return st.one_of(
        st.builds(lambda a, b: Add((a, b)), inner, inner),
        st.builds(lambda a, b: Mul((a, b)), inner, inner),
        st.builds(lambda a, k: Pow(a, k), inner, st.sampled_from([-1, 2])),
        st.builds(lambda a: Apply("exp", a), inner),
        st.builds(lambda v, a: Sum(v, within(v, 0, n), a), st.sampled_from(VARIABLES), inner),
        st.builds(lambda a, b, t: Mul((Bracket((at_least(a, b),)), t)), indices(), indices(), inner),
    )


TERMS = st.recursive(
    st.one_of(
        st.integers(-2, 3).map(Number),
        indices().map(IndexValue),
        indices().map(lambda i: Entry("x", (i,))),
        st.builds(lambda i, j: Entry("A", (i, j)), indices(), indices()),
    ),
    extend,
    max_leaves=6,
)
AT = {"i": 0, "j": 1, "k": 2}
INPUTS = Inputs({"n": 2}, {}, "language")


def value(t: Term, at: dict[str, int] | None = None) -> object:
    return evaluate(t, Theory(), INPUTS, at or AT)


def same(a: object, b: object) -> bool:
    return bool(ball(a).overlaps(ball(b)))


@settings(max_examples=150, deadline=None, derandomize=True)
@given(TERMS, st.sampled_from(VARIABLES), indices())
def test_substitution_commutes_with_evaluation(term: Term, var: str, index: Index) -> None:
    put = substitute(rename_apart(term, index.free), {var: index})
    assert same(value(put), value(term, {**AT, var: index.evaluate(AT, {})}))


@settings(max_examples=150, deadline=None, derandomize=True)
@given(TERMS)
def test_renaming_changes_nothing(term: Term) -> None:
    apart = rename_apart(term, VARIABLES)
    assert alpha_equal(apart, term)
    assert canonical(canonical(term)) is canonical(term) is canonical(apart)
    assert same(value(apart), value(term))
    assert (canonical(term).nodes, canonical(term).free, canonical(term).heads) == (term.nodes, term.free, term.heads)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(TERMS)
def test_round_trip_through_sympy_keeps_the_value(term: Term) -> None:
    """SymPy sorts, flattens and cancels on the way (x/x is 1 there), so values are compared where the term is defined."""
    if defined(term, Theory(), INPUTS, AT):
        back = to_sympy(term)
        names = __import__("derivations.language.sympy_bridge", fromlist=["Names"]).Names(
            sizes={"n"}, indices={*VARIABLES, *(f"{v}{k}" for v in VARIABLES for k in range(9))}
        )
        assert same(value(names.to_term(back)), value(term))
        assert eval(str(form_of(term)), {**vars(sympy), **vars(sympy.functions.elementary.piecewise)}) == back


@pytest.mark.parametrize(
    ("term", "text"),
    [
        (Number(fmpq(1, 3)), "Rational(1, 3)"),
        (Pow(Number(2), 900), "Pow(Integer(2), Integer(900), evaluate=False)"),
        (Apply("phi", Entry("x", ())), "Function('phi')(Symbol('x', real=True))"),
        (Apply("abs", NegInfinity()), "Abs(-oo)"),
        (
            Bracket((at_least(Index.var("i"), 1),)),
            "Piecewise(ExprCondPair(Integer(1), GreaterThan(Symbol('i', integer=True), Integer(1))), "
            "ExprCondPair(Integer(0), true))",
        ),
        (
            Entry("Q", (2 * Index.var("i") - 1,)),
            "Indexed(IndexedBase(Symbol('Q')), Add(Mul(Integer(2), Symbol('i', integer=True)), Integer(-1)))",
        ),
    ],
)
def test_text_for_sympy_is_written_without_it(term: Term, text: str) -> None:
    assert str(form_of(term)) == text
    assert eval(text, {**vars(sympy), **vars(sympy.functions.elementary.piecewise)}) == to_sympy(term)


def test_a_largest_value_over_part_of_an_axis_has_no_form() -> None:
    """SymPy's limits know a first and a last value; a factor that is zero elsewhere would take part in the maximum."""
    i, j = Index.var("i"), Index.var("j")
    with pytest.raises(BridgeError, match="needed one lower and one upper limit"):
        form_of(Max("j", (*within("j", 0, n), at_least(i, j)), Entry("s", (j,))))


def test_substitution_refuses_to_capture() -> None:
    with pytest.raises(Capture, match="k := would be captured by sum over k"):
        substitute(Sum("k", within("k", 0, n), Entry("Q", (Index.var("i"), Index.var("k")))), {"i": Index.var("k")})


def test_equal_terms_are_one_object() -> None:
    assert Entry("x", (Index.var("i"),)) is Entry("x", (Index.var("i"),))
    assert Add((Number(1), Number(2))) is not Number(3)  # nothing is simplified on construction


@pytest.mark.parametrize(
    ("term", "expected"),
    [
        (Pow(Number(0), -1), False),
        (Pow(Number(-1), Number(1) / Number(2)), False),
        (Apply("log", Number(0)), False),
        (Apply("exp", NegInfinity()), True),
        (Mul((Number(0), NegInfinity())), False),
        (Add((NegInfinity(), Number(1))), True),
        (Mul((Bracket((at_least(0, 1),)), Pow(Number(0), -1))), False),  # a product with a bracket is strict
    ],
)
def test_definedness(term: Term, expected: bool) -> None:
    assert defined(term, Theory(), INPUTS) is expected


# --- the face on SymPy ----------------------------------------------------------------------------------------------

x, y = sympy.symbols("x y", real=True)
i, j, m = sympy.symbols("i j m", integer=True)


@pytest.mark.parametrize(
    ("attempt", "says"),
    [
        (lambda: derivations.prove(sympy.Eq(x, x), 1), "SymPy has evaluated the statement"),
        (lambda: derivations.prove(True, x), "truth value"),
        (lambda: derivations.prove(sympy.Eq(x, y), 1), "pass its two sides"),
        (lambda: derivations.prove(0.5 * x, x), "exact number"),
        (lambda: derivations.prove(x, y, relation="~"), "relation"),
        (lambda: derivations.prove(sympy.IndexedBase("a")[i / 2], 1), "whole-number multiples"),
        (lambda: derivations.prove(sympy.gamma(x), 1), "found gamma"),
        (lambda: derivations.Definition(True, x), "on the left of a definition"),
    ],
)
def test_what_cannot_be_carried_over_says_why(attempt, says: str) -> None:
    with pytest.raises(BridgeError, match=says):
        attempt()


def test_definition_of_itself_is_refused() -> None:
    with pytest.raises(NotConservative, match="uses x itself"):
        derivations.prove(x, y, where=[derivations.Definition(x, x + sympy.Function("f")(x))])


def test_not_proved_carries_the_decision() -> None:
    with pytest.raises(derivations.NotProved) as refusal:
        derivations.prove(x + 1, x)
    assert isinstance(refusal.value.decision, derivations.Refuted)
    assert "refuted" in str(refusal.value)


def test_a_decision_has_no_truth_value() -> None:
    with pytest.raises(TypeError, match="test its class"):
        bool(derivations.decide(x, x))


def test_theorem_shows_itself() -> None:
    theorem = derivations.prove((x + y) ** 2, x**2 + 2 * x * y + y**2)
    bundle = theorem._repr_mimebundle_()
    assert {"text/plain", "text/latex", "text/html"} <= set(bundle)
    assert theorem.assumptions == ()
    assert theorem.certificate()["format"]
    assert theorem.steps


def test_assumptions_are_said() -> None:
    theorem = derivations.prove(x * y / x, y) if x * y / x != y else derivations.prove(1 / (1 / x), x)
    assert all(a.origin == "definedness" for a in theorem.assumptions)


def test_sympy_sum_limits_are_inclusive() -> None:
    assert str(from_sympy(sympy.Sum(sympy.IndexedBase("a")[i], (i, 0, m)))) == "sum(i: 0 <= i <= m; a[i])"
