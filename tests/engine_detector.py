"""Run on a copy of the engine: exits 0 when it behaves, prints what is wrong otherwise (see test_engine_bugs.py)."""

import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import test_kernel_refuses as refusals
import test_value_preservation as values

from derivations.kernel import rules
from derivations.kernel.definition import admit, instance
from derivations.kernel.errors import KernelError
from derivations.kernel.linear import entails
from derivations.kernel.obligation import obligations
from derivations.kernel.proof import Meet
from derivations.kernel.replay import replay
from derivations.kernel.ring import same
from derivations.kernel.scope import top_scope
from derivations.kernel.sign import positive
from derivations.language.inputs import Inputs
from derivations.language.statement import Definition, Statement, Tensor, Theory
from derivations.language.substitution import Capture, substitute
from derivations.language.term import (
    Add,
    Apply,
    Bracket,
    Case,
    Entry,
    Index,
    IndexValue,
    Mul,
    Number,
    Pow,
    Sum,
    TermError,
    at_least,
    equal,
    guard,
    less,
    permuted,
    quotient,
    remainder,
    sum_over,
    within,
)
from derivations.provers.decide import decide
from derivations.provers.not_found import NotFound
from derivations.theorems import find

i, j, n = Index.var("i"), Index.var("j"), Index.size("n")
ROWS = (
    *("attention_rows_sum_to_one", "causal_rows_sum_to_one", "causal_first_row", "attention_at_most_one"),
    *("strictly_causal_rows_sum_to_one", "attention_columns_sum_to_one", "causal_columns_sum_to_one"),
    *("permutation_matrix_is_orthogonal", "softmax_jacobian", "variance_of_a_dot_product", "variance_one_power_short"),
    *("square_root_on_both_sides", "attention_below_one", "prefix_mean_is_a_product_with_uniform_weights"),
)


def refused() -> None:
    for row in refusals.ROWS:
        try:
            rules.apply(row.rule, row.before, row.after, refusals.SCOPE, row.args)
        except KernelError:
            continue
        raise AssertionError(f"{row.rule} accepts {row.before} = {row.after}")


def must_refuse(what: str, attempt: Callable[[], object]) -> None:
    try:
        attempt()
    except KernelError:
        return
    raise AssertionError(f"accepted: {what}")


def attacks() -> None:
    """Uses of rules that are wrong in nothing but their side condition."""
    scope, f, x = refusals.SCOPE, Entry("f", (j,)), Entry("x")
    total, there = sum_over("j", 0, n, f), Mul((Bracket(within("i", 0, n)), Entry("f", (i,))))
    must_refuse("delta", lambda: rules.apply("sum_ite_eq", total, there, scope, {"value": i}))
    part = sum_over("j", 0, i - 1, x)
    count = Mul((IndexValue(i - 1), x))
    must_refuse("count", lambda: rules.apply("sum_const", part, count, scope, {"low": Index(), "high": i - 1}))
    assert not positive(sum_over("j", 0, i, Apply("exp", f)), scope)
    assert not positive(sum_over("j", 0, n, Bracket((at_least(j, 5),))), scope)
    assert positive(Add((Number(-1), IndexValue(i))), scope.given((at_least(i, 2),)))
    assert not positive(Add((Number(-1), IndexValue(i))), scope.given((at_least(i, 1),)))
    must_refuse("1 = 2", lambda: replay(Theory(), Statement(Number(1), "=", Number(2)), Meet((), ())))
    beyond, known = {**refusals.INVERTED, "row": i + 1, "right": True}, refusals.known_invertible()
    product = sum_over("c", 0, n, Mul((Entry("M", (i + 1, Index.var("c"))), refusals.inverted(Index.var("c"), i))))
    one = Bracket((equal(i + 1, i),))
    must_refuse("an inverse out of range", lambda: rules.apply("mul_inv_matrix", product, one, known, beyond))
    inverted = Statement(refusals.inverted(i, i), "=", x, ("i",), within("i", 0, n))
    assert [o.kind for o in obligations(inverted, top_scope(Theory(), inverted))] == ["invertible"]
    e, y = Apply("exp", Entry("a")), Entry("y")
    assert same(Pow(e * x + e * y, -1), Pow(e, -1) * Pow(x + y, -1), Theory())
    cases = Case([(guard(at_least(i, 1)), x)], y)
    assert at_least(i, 1) not in cases.binding(1)[1]


def integers() -> None:
    inputs = Inputs({"n": 3, "m": 2}, {"p": [1, 2, 0]})
    p_i = permuted("p", n, i)
    for at in range(-4, 8):
        image = [1, 2, 0][at] if 0 <= at < 3 else at
        for index, wanted in (
            (p_i, image),
            (permuted("p", n, p_i), [1, 2, 0][image] if 0 <= image < 3 else image),
            (permuted("p", n, p_i, inverse=True), at),
            (quotient(3 * i + 1, 2), (3 * at + 1) // 2),
            (remainder(5 * i, 3), 5 * at % 3),
            (quotient(i * n + 2 * i - 1, n), (at * 3 + 2 * at - 1) // 3),
            ((i + 2) * (n - i), (at + 2) * (3 - at)),
        ):
            assert index.evaluate({"i": at}, inputs.sizes, inputs.choose) == wanted, (str(index), at)


def indices() -> None:
    facts = guard(*within("i", 0, n), *within("j", 0, n))
    assert entails(facts, less(i, n))
    assert not entails(facts, less(i + 1, n))
    assert not entails(facts, at_least(i, j))
    assert not entails(guard(at_least(3 * i, 1)), at_least(i, 2))
    assert entails(guard(at_least(3 * i, 1)), at_least(i, 1))
    assert not entails((), less(permuted("p", n, i), n))
    try:
        substitute(sum_over("j", 0, n, Entry("f", (i, j))), {"i": j})
    except Capture:
        pass
    else:
        raise AssertionError("a substitution captures")


def proofs() -> None:
    """The proofs and definitions that the kernel must refuse."""
    for name, attempt, _ in refusals.PROOFS:
        try:
            attempt()
        except (KernelError, TermError, NotFound):
            continue
        raise AssertionError(f"accepted: {name}")
    for name, definition, theory, _ in refusals.DEFINITIONS:
        must_refuse(name, lambda d=definition, t=theory: admit(t, d))  # type: ignore[misc]


def definitions() -> None:
    theory = Theory({"x": Tensor("x", (n,))}, {})
    bad = (
        Definition("y", (i,), Entry("y", (i,)) + Entry("x", (i,))),
        Definition("y", (i,), Entry("x", (j,))),
        Definition("x", (i,), Number(0)),
        Definition("y", (i, i), Number(0)),
    )
    for d in bad:
        try:
            admit(theory, d)
        except KernelError:
            continue
        raise AssertionError(f"{d} is admitted")
    even = Definition("z", (2 * i,), Entry("x", (i,)))
    assert instance(even, Entry("z", (2 * j + 1,)), ()) is None
    first, second = (Definition("w", (Index.of(k),), Number(k)) for k in (1, 2))
    admit(admit(theory, first), second)  # w_1 and w_2
    for one, two in ((even, Definition("z", (j,), Number(0))), (first, Definition("w", (Index.of(1),), Number(0)))):
        try:
            admit(admit(theory, one), two)
        except KernelError:
            continue
        raise AssertionError(f"{two} is admitted beside {one}")


def owed() -> None:
    theory = Theory({"x": Tensor("x", (n,))}, {})
    x = Entry("x", (i,))
    statement = Statement(Number(0) * Pow(x, -1), "=", Number(0), ("i",), within("i", 0, n))
    assert [o.kind for o in obligations(statement, top_scope(theory, statement))] == ["nonzero"]
    outside = Statement(Entry("x", (i + 1,)), "=", Entry("x", (i + 1,)), ("i",), within("i", 0, n))
    assert [o.kind for o in obligations(outside, top_scope(theory, outside))] == ["in range"]
    empty = Statement(Sum("j", within("j", 0, n), Pow(Entry("x", (j,)), -1)), "=", Number(0))
    assert obligations(empty, top_scope(theory, empty))


def library() -> None:
    for name in ROWS:
        row = find(name)
        status = type(decide(*row.stated)).__name__.lower()
        assert status == row.expected, f"{name} is {status}, not {row.expected}"


def fuzz() -> None:
    for seed, rich in ((3, False), (4, False), (103, True), (104, True)):
        found = values.many(seed, 60, rich)
        assert found.get("same", 0) >= (20 if rich else 45), found


if __name__ == "__main__":
    for check in (refused, attacks, integers, indices, proofs, definitions, owed, library, fuzz):
        check()
    sys.stdout.write("fine\n")
