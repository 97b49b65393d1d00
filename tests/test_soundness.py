"""False statements with proofs that look right: each leaves out one side condition, and the kernel must notice."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from sympy import Derivative as Slope
from sympy import Dummy, Eq, Idx, IndexedBase, Lt, Sum, Symbol, symbols

from derivations.api import BridgeError, Definition, Random, decide, expectation
from derivations.kernel import certificate
from derivations.kernel.errors import BadCertificate, KernelError
from derivations.kernel.proof import Induct, Meet, Proof, Sign, Step
from derivations.kernel.replay import replay
from derivations.language import statement as language
from derivations.language.statement import Law, Statement, Tensor, Theory
from derivations.language.substitution import rename_apart
from derivations.language.term import (
    ONE,
    ZERO,
    Add,
    Apply,
    Bracket,
    Case,
    Derivative,
    Entry,
    Expectation,
    Index,
    Lambda,
    Mul,
    Number,
    Pow,
    Term,
    TermError,
    at_least,
    guard,
    sum_over,
)
from derivations.provers.decide import Proved, Undecided

i, j = Index.var("i"), Index.var("j")
n = Index.size("n")
y, z = Entry("y"), Entry("z")
TRUE = Bracket(())


def x(*at: Index | int) -> Entry:
    return Entry("x", at)


def step(rule: str, before: Term, after: Term, path: tuple[int, ...] = (), back: bool = False, **args: Any) -> Step:
    return Step(rule, path, before, after, args, back)


def defined(name: str, at: tuple[Any, ...], body: Term, **more: Any) -> language.Definition:
    return language.Definition(name, tuple(map(Index.of, at)), body, **more)


def theory(*definitions: language.Definition, tensors: tuple[Tensor, ...] = ()) -> Theory:
    rows: dict[str, tuple[language.Definition, ...]] = {}
    for d in definitions:
        rows[d.name] = (*rows.get(d.name, ()), d)
    return Theory({t.name: t for t in tensors}, rows)


def by(*steps: Step) -> Proof:
    return Meet(steps, ())


def factor_pulled_out_twice() -> tuple[Theory, Statement, Proof]:
    before = sum_over("j", 0, n, Mul((y, x(j))))
    after = Mul((y, y, sum_over("j", 0, n, x(j))))
    return Theory(), Statement(before, "=", after), by(step("mul_sum", before, after, factors=(0, 0)))


def expected_factor_pulled_out_twice() -> tuple[Theory, Statement, Proof]:
    before, after = Expectation(Number(2)), Mul((Number(2), Number(2)))
    known = theory(tensors=(Tensor("q", (n,), Law(ZERO, ONE)),))
    return known, Statement(before, "=", after), by(step("expect_mul", before, after, factors=(0, 0)))


def branch_counted_from_the_end() -> tuple[Theory, Statement, Proof]:
    case = Case((((), ZERO),), ONE)
    steps = step("if_pos", ZERO, case, back=True, branch=0), step("if_pos", case, ONE, branch=-1)
    return Theory(), Statement(ZERO, "=", ONE), by(*steps)


def free_index_named_like_a_level() -> tuple[Theory, Statement, Proof]:
    left = sum_over("j", 0, n, Mul((x(Index.var("%0")), x(j))))
    right = sum_over("j", 0, n, Mul((x(j), x(j))))
    return Theory(), Statement(left, "=", right, ("%0",)), by()


def obligation_matched_to_a_bound_index() -> tuple[Theory, Statement, Proof]:
    rows, trace = sum_over("j", 0, n, x(i, j)), sum_over("j", 0, n, x(j, j))
    given = Statement(ZERO, "<", rows, ("i",))
    claim = Statement(ZERO, "<", trace, hypotheses=(given,))
    return Theory(), claim, Sign((step("ring", trace - ZERO, trace),))


def two_values(known: Theory, at: Entry) -> tuple[Theory, Statement, Proof]:
    return known, Statement(ZERO, "=", ONE), by(step("unfold", ZERO, at, back=True), step("unfold", at, ONE))


def primed_variables_overlap() -> tuple[Theory, Statement, Proof]:
    known = theory(defined("A", (Index.var("i'"),), ZERO), defined("A", (i + 1,), ONE))
    return two_values(known, Entry("A", (0,)))


def size_parameter_zero() -> tuple[Theory, Statement, Proof]:
    known = theory(defined("A", (0,), ZERO, sizes=("n",)), defined("A", (n,), ONE, sizes=("n",)))
    return two_values(known, Entry("A", (0,), (), (0,)))


def recursion_by_a_size_of_zero() -> tuple[Theory, Statement, Proof]:
    body = Entry("A", (i - n,), (), (n,)) + ONE
    known = theory(defined("A", (i,), body, condition=(at_least(i, n),), sizes=("n",)))
    at = Entry("A", (0,), (), (0,))
    negative = Mul((Number(-1), at))
    steps = (
        step("ring", ZERO, Add((at, negative))),
        step("unfold", at, Add((at, ONE)), (0,)),
        step("ring", Add((Add((at, ONE)), negative)), ONE),
    )
    return known, Statement(ZERO, "=", ONE), by(*steps)


def parameter_named_like_its_function() -> tuple[Theory, Statement, Proof]:
    inner = Entry("A", (), (Lambda((), Entry("K")),))
    known = theory(defined("A", (), Apply("exp", ONE + Apply("log", inner)), tensors=(Tensor("A"),)))
    return known, Statement(ONE, "=", ONE), by()


def parameter_applied_to_tensors() -> tuple[Theory, Statement, Proof]:
    inner = Entry("X", (), (Lambda((), Entry("K")),))
    return theory(defined("A", (), inner + ONE, tensors=(Tensor("X"),))), Statement(ONE, "=", ONE), by()


def derivative_by_a_defined_symbol() -> tuple[Theory, Statement, Proof]:
    a = Entry("A")
    whole, unfolded = Derivative("A", (), a), Derivative("A", (), Mul((Number(2), y)))
    steps = (
        step("bracket_congr", ONE, TRUE, back=True),
        step("deriv", TRUE, whole, back=True),
        step("unfold", a, unfolded.body, (0,)),
        step("deriv", unfolded, ZERO),
    )
    return theory(defined("A", (), Mul((Number(2), y)))), Statement(ONE, "=", ZERO), by(*steps)


def mean_that_depends_on_what_is_varied() -> tuple[Theory, Statement, Proof]:
    mean = Expectation(Entry("q", (0,)))
    steps = (
        step("deriv", ZERO, Derivative("y", (), mean), back=True),
        step("expect_moment", mean, y, (0,)),
        step("deriv", Derivative("y", (), y), TRUE),
        step("bracket_congr", TRUE, ONE),
    )
    return theory(tensors=(Tensor("q", (n,), Law(y, ONE)),)), Statement(ZERO, "=", ONE), by(*steps)


def mean_given_by_itself() -> tuple[Theory, Statement, Proof]:
    mean = Expectation(Entry("q", (0,)))
    negative = Mul((Number(-1), mean))
    steps = (
        step("ring", ZERO, Add((mean, negative))),
        step("expect_moment", mean, mean + ONE, (0,)),
        step("ring", Add((mean + ONE, negative)), ONE),
    )
    return theory(tensors=(Tensor("q", (n,), Law(mean + ONE, ONE)),)), Statement(ZERO, "=", ONE), by(*steps)


def negative_variance() -> tuple[Theory, Statement, Proof]:
    square = Expectation(Pow(Entry("q", (0,)), 2))
    sum_ = Add((Mul((TRUE, Number(-1))), Pow(ZERO, 2)))
    known = theory(tensors=(Tensor("q", (n,), Law(ZERO, Number(-1))),))
    return known, Statement(square, "=", sum_), by(step("expect_moment", square, sum_))


def hypothesis_carried_under_a_derivative() -> tuple[Theory, Statement, Proof]:
    def f(t: Term) -> Entry:
        return Entry("F", (), (Lambda((), t),))

    by_z, by_y = Derivative("y", (), z), Derivative("y", (), y)
    steps = (
        step("deriv", ZERO, by_z, back=True),
        step("unfold", by_z, f(z), back=True),
        step("hypothesis", z, y, (0,), number=0, at={}),
        step("unfold", f(y), by_y),
        step("deriv", by_y, TRUE),
        step("bracket_congr", TRUE, ONE),
    )
    known = theory(defined("F", (), Derivative("y", (), Entry("X")), tensors=(Tensor("X"),)))
    return known, Statement(ZERO, "=", ONE, hypotheses=(Statement(z, "=", y),)), by(*steps)


def hypothesis_with_a_hypothesis() -> tuple[Theory, Statement, Proof]:
    given = Statement(y, "=", ONE, hypotheses=(Statement(ZERO, "=", ONE),))
    return Theory(), Statement(y, "=", ONE, hypotheses=(given,)), by(step("hypothesis", y, ONE, number=0, at={}))


def induction_with_a_moving_start() -> tuple[Theory, Statement, Proof]:
    below = Bracket((at_least(i, j + 1),))
    proof = Induct(
        "i", j, by(step("bracket_congr", below, ZERO)), by(step("hypothesis", below, ZERO, number=1, at={"j": j - 1}))
    )
    return Theory(), Statement(below, "=", ZERO, ("i", "j"), guard(at_least(i, j))), proof


def sign_of_recursion_without_a_base() -> tuple[Theory, Statement, Proof]:
    at = Entry("A", (0,))
    steps = (
        step("mul_inv_cancel", ONE, Mul((at, Pow(at, -1))), back=True, above=0, below=1),
        step("hypothesis", at, ZERO, (0,), number=0, at={}),
        step("ring", Mul((ZERO, Pow(at, -1))), ZERO),
    )
    known = theory(defined("A", (i,), Mul((Number(2), Entry("A", (i - 1,)))), condition=(at_least(i, 1),)))
    return known, Statement(ONE, "=", ZERO, hypotheses=(Statement(at, "=", ZERO),)), by(*steps)


ATTACKS: list[Callable[[], tuple[Theory, Statement, Proof]]] = [
    factor_pulled_out_twice,
    expected_factor_pulled_out_twice,
    branch_counted_from_the_end,
    free_index_named_like_a_level,
    obligation_matched_to_a_bound_index,
    primed_variables_overlap,
    size_parameter_zero,
    recursion_by_a_size_of_zero,
    parameter_named_like_its_function,
    parameter_applied_to_tensors,
    derivative_by_a_defined_symbol,
    mean_that_depends_on_what_is_varied,
    mean_given_by_itself,
    negative_variance,
    hypothesis_carried_under_a_derivative,
    hypothesis_with_a_hypothesis,
    induction_with_a_moving_start,
    sign_of_recursion_without_a_base,
]


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda f: f.__name__)
def test_kernel_refuses(attack: Callable[[], tuple[Theory, Statement, Proof]]) -> None:
    known, claim, proof = attack()
    with pytest.raises(KernelError):
        replay(known, claim, proof)


def test_tensors_given_by_their_entries_have_distinct_indices() -> None:
    with pytest.raises(TermError, match="distinct"):
        Lambda(("a", "a"), x(Index.var("a")))
    apart = rename_apart(Entry("F", (Index.var("a"),), (Lambda(("a", "a1"), x(Index.var("a"))),)), ())
    assert isinstance(apart, Entry)
    (given,) = apart.args
    assert given.body is x(Index.var(given.params[0])) and len(set(given.params)) == 2


def test_a_theory_does_not_change() -> None:
    rows: dict[str, Any] = {}
    known = Theory({}, rows)
    replay(known, Statement(ONE, "=", ONE), by())
    rows["A"] = (defined("A", (), ZERO), defined("A", (), ONE))
    assert not known.definitions
    with pytest.raises(TypeError):
        known.definitions["A"] = rows["A"]  # type: ignore[index]


@pytest.mark.parametrize("half", [0.5, {"q": "1/2"}, True, "1"])
def test_indices_are_whole_numbers(half: object) -> None:
    data = json.loads(
        json.dumps(certificate.write(replay(theory(tensors=(Tensor("x", (n,)),)), Statement(x(0), "=", x(0)), by())))
    )
    (row,) = [r for r in data["terms"] if r[0] == "Entry"]
    row[2] = [half]
    with pytest.raises(BadCertificate):
        certificate.read(data)


def test_a_certificate_says_what_it_proves() -> None:
    data = json.loads(json.dumps(certificate.write(replay(Theory(), Statement(y, "=", y), by()))))
    with pytest.raises(BadCertificate, match="proves y = y"):
        certificate.read({**data, "text": "0 = 1"})


# --- the same through SymPy -----------------------------------------------------------------------------------------

a, b, c = symbols("i j k", integer=True)
size = Symbol("n", integer=True, positive=True)
v, U, A = IndexedBase("x", shape=(size,)), IndexedBase("U", shape=(size, size)), IndexedBase("A")
positive = Symbol("i", integer=True, positive=True)
late = Idx("late", (100, 200))


@pytest.mark.parametrize(
    ("what", "arguments", "options"),
    [
        ("a positive index is no size", (Sum(v[positive], (positive, 1, size - 1)), (size - 1) * v[positive]), {}),
        ("the trace of a matrix with positive row sums", (0, Sum(U[b, b], (b, 0, size - 1))), {"given": [Lt(0, Sum(U[a, b], (b, 0, size - 1)))], "relation": "<"}),
        ("a variance below zero", (expectation(v[0] ** 2), -1), {"given": [Random(v, mean=0, variance=-1)]}),
        ("the mean is y", (Slope(expectation(v[0]), symbols("y", real=True)), 0), {"given": [Random(v, mean=symbols("y", real=True), variance=1)]}),
        ("hypotheses that exclude one another far out", (U[0, 0], 1), {"given": [Eq(v[late], 1), Eq(v[late], 2)]}),
        ("a sum over undefined entries", (Sum(A[a], (a, 0, size - 1)), Sum(A[b], (b, 0, size - 1))), {"where": [Definition(A[a], 2 * v[a], a >= 1)]}),
        ("a sum beyond the end", (Sum(v[b], (b, 0, size)), Sum(v[c], (c, 0, size))), {}),
    ],
)  # fmt: skip
def test_nothing_false_is_proved(what: str, arguments: Any, options: Any) -> None:
    assert not isinstance(decide(*arguments, **options), Proved), what


def test_sizes_that_may_be_too_small_are_assumptions() -> None:
    found = decide(v[0] + v[1] + v[2], v[2] + v[1] + v[0])
    assert isinstance(found, Proved) and [o.text for o in found.theorem.assumptions] == ["3 <= n"]


def test_a_triangular_number_with_a_positive_index() -> None:
    assert isinstance(decide(Sum(positive, (positive, 1, size)), size * (size + 1) / 2), Proved)


@pytest.mark.parametrize(
    ("left", "right", "says"),
    [
        (Sum(v[a] * v[Symbol("i")], (a, 0, size - 1)), 0, "two different symbols are called i"),
        (Sum(1 / Symbol("m", integer=True, nonnegative=True), (b, 0, Symbol("m", integer=True, nonnegative=True) - 1)), 1, "at least 1"),
        (None, 1, "SymPy expression"),
        (expectation(v[0]) + 1, 1, "numbers or given"),
    ],
)  # fmt: skip
def test_the_bridge_refuses(left: Any, right: Any, says: str) -> None:
    given = [] if "given" not in says else [Random(v, mean=expectation(v[0]), variance=1)]
    with pytest.raises(BridgeError, match=says):
        decide(left, right, given=given)


def test_dummies_keep_apart_from_names() -> None:
    d = Dummy("i", integer=True)
    other = Symbol("i1", integer=True)
    assert not isinstance(decide(Sum(v[d] * v[other], (d, 0, size - 1)), Sum(v[b] ** 2, (b, 0, size - 1))), Proved)


def test_large_powers_end() -> None:
    tower = Pow(Pow(Pow(Number(2), 10_000), 10_000), 10_000)
    from derivations.provers.decide import decide as core

    assert isinstance(core(Statement(tower, "=", ONE), Theory()), Undecided)


def test_doubling_definitions_end() -> None:
    rows = [
        defined("A0", (), y),
        *(defined(f"A{k}", (), Entry(f"A{k - 1}") + Entry(f"A{k - 1}")) for k in range(1, 40)),
    ]
    last = Entry("A39")
    replay(theory(*rows), Statement(last, "=", last), by(step("ring", last, last)))
