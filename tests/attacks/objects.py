"""Attacks with Python objects that are not what they seem: they answer otherwise the second time, or to another reader."""

import sys
from collections import deque
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

from derivations.kernel.proof import Step
from derivations.language.statement import Definition, Law, Statement, Tensor, Theory
from derivations.language.term import (
    INVERSE,
    ONE,
    ZERO,
    Add,
    Bracket,
    Derivative,
    Entry,
    Expectation,
    Index,
    Lambda,
    Max,
    Mul,
    Number,
    Pow,
    Sum,
    Term,
    at_least,
    equal,
    guard,
    guard_substitute,
    less,
    within,
)
from derivations.language.term import (
    Case as Cases,
)

from .attempt import (
    Attempt,
    Case,
    Inputs,
    a,
    b,
    by,
    c,
    defined_as,
    e,
    equation,
    i,
    j,
    n,
    single,
    step,
    theory,
    total,
    x,
)

NOT_PLAIN = "a proof of plain tuples"
F = e("f", j)


class Astray(tuple[int, ...]):
    """A position that is walked to the first child and replaced at the top."""

    def __iter__(self) -> Iterator[int]:
        return iter((0,))


class Twice(int):
    """1 that multiplies by two."""

    def __mul__(self, other: Any) -> Any:
        return Index.of(2) * other


class Everything(tuple[int, ...]):
    """A tuple in which everything is."""

    def __contains__(self, other: object) -> bool:
        return True


class NoOther(int):
    """A number from which no other one differs."""

    def __ne__(self, other: object) -> bool:
        return False

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 0


class Far(int):
    """A number with a large successor."""

    def __add__(self, other: Any) -> Any:
        return 99


class Elsewhere(dict[str, Index]):
    """A mapping that says 0 to those who ask politely."""

    def get(self, key: str, default: Any = None) -> Any:
        return Index.of(0)


class Late(tuple[Step, ...]):
    """Steps that are not there when they are first asked for."""

    def __iter__(self) -> Iterator[Step]:
        self.__dict__["asked"] = self.__dict__.get("asked", 0) + 1
        return iter(()) if self.__dict__["asked"] == 2 else super().__iter__()


class Moving(Step):
    """A step whose right side is 0 for the rule and 1 for the result."""

    def __getattribute__(self, name: str) -> Any:
        if name == "after":
            asked = object.__getattribute__(self, "__dict__")
            asked["asked"] = asked.get("asked", 0) + 1
            return ZERO if asked["asked"] < 4 else ONE
        return object.__getattribute__(self, name)


class Means(str):
    """A relation that reads `<` and means `=`."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return other == "="

    def __ne__(self, other: object) -> bool:
        return other != "="

    def __hash__(self) -> int:
        return hash("<")


class Waver(Definition):
    """A definition whose right side is 0 when it is unfolded first, and then 1."""

    __slots__ = ()
    looks = 0

    def __getattribute__(self, name: str) -> Any:
        if name == "body":
            Waver.looks += sys._getframe(1).f_code.co_name == "instance"
            return ONE if Waver.looks > 1 else ZERO
        return super().__getattribute__(name)


class Fixed(Theory):
    """A theory in which nothing depends on anything."""

    def depends(self, t: Term, names: frozenset[str]) -> bool:
        return False


class Other(Statement):
    """A statement whose right side is 1 for its readers and 0 for the check."""

    __slots__ = ()
    looks = 0

    def __getattribute__(self, name: str) -> Any:
        if name == "right":
            Other.looks += 1
            return ZERO if Other.looks < 20 else ONE
        return super().__getattribute__(name)


class Turn(Lambda):
    """An argument that is 0 when it is put in first, and then 1."""

    __slots__ = ()
    looks = 0

    def __getattribute__(self, name: str) -> Any:
        if name == "body":
            Turn.looks += sys._getframe(1).f_code.co_name == "_apply"
            return ONE if Turn.looks > 1 else ZERO
        return super().__getattribute__(name)


def wavering() -> Case:
    there = Theory({}, {"A": (Waver("A", (), ZERO),)})
    Waver.looks = 0
    symbol = Entry("A")
    return Case(
        there, Statement(ZERO, "=", ONE), by(step("unfold", ZERO, symbol, back=True), step("unfold", symbol, ONE))
    )


def turning() -> Case:
    Turn.looks = 0
    call = Entry("G", (), (Turn((), ZERO),))
    there = theory(defined_as("G", (), Entry("T"), tensors=(Tensor("T"),)))
    return Case(there, Statement(ZERO, "=", ONE), by(step("unfold", ZERO, call, back=True), step("unfold", call, ONE)))


def fixed() -> Case:
    there = Fixed({"q": Tensor("q", (n,), Law(ZERO, ONE))}, {})
    rate = Derivative("q", (0,), e("q", 0))
    return Case(there, Statement(rate, "=", ZERO), by(step("deriv", rate, ZERO)))


def other() -> Case:
    Other.looks = 0
    return Case(Theory(), Other(ZERO, "=", ONE), by())


class Shy(int):
    """0 that is not found in a set."""

    def __hash__(self) -> int:
        return 77


def by_half() -> tuple[Term, Index]:
    """The number of j with 0 <= j + 1/2 < n, which is n - 1."""
    half = Index((), Fraction(1, 2))  # type: ignore[arg-type]
    moved = {"j": Index(j.terms, Fraction(1, 2))}  # type: ignore[arg-type]
    return Sum("j", guard_substitute(within("j", 0, n), moved), ONE), half


EVEN = Sum("j", guard(at_least(2 * j, 0), less(2 * j, n)), e("f", 2 * j))
TEST = Bracket((at_least(j, 2),))
INSIDE = guard(*within("j", 0, n), at_least(j, 2))
SMALL = Cases([((at_least(n, 2),), ZERO)], ONE)
BELOW = Statement(e("f", i), "=", ZERO, ("i",), (equal(i, 0),))
NOTHING = Lambda(("a", "b"), ZERO)
N = Lambda(("a", "b"), e("N", a, b))


def nothing(row: Index | int) -> Entry:
    return Entry(INVERSE, (row, 0), (NOTHING,), (n,))


def top(body: Term) -> Max:
    return Max("j", within("j", 0, n), body)


LATE = Late((step("hypothesis", nothing(0), Entry(INVERSE, (0, 0), (N,), (n,)), number=0, at={}),))


def make(
    name: str, stage: str, says: str, case: Case | Callable[[], Case], twin: Case | None = None, **more: Any
) -> Attempt:
    return Attempt(f"object: {name}", stage, says, case, twin, **more)


ATTEMPTS = [
    make("a position that leads to two places", "replay", NOT_PLAIN, equation(ZERO, ONE, by(
            step("ring", ZERO, Mul((ONE, ZERO))), Step("ring", Astray(), ONE, Mul((ONE, ONE))), step("ring", Mul((ONE, ONE)), ONE)))),
    make("a sign that doubles", "replay", NOT_PLAIN, single("sum_bij", total(F), EVEN, sign=Twice(1), shift=Index.of(0))),
    make("factors among which are all: mul_sum", "replay", NOT_PLAIN, single("mul_sum", total(Mul((x, F))), Mul((x, total(ONE))), factors=Everything((0,))),
         single("mul_sum", total(Mul((x, F))), Mul((x, total(F))), factors=(0,))),
    make("factors among which are all: max_mul", "replay", NOT_PLAIN, single("max_mul", top(Mul((Number(2), F))), Mul((Number(2), top(ONE))), factors=Everything((0,)))),
    make("terms among which are all: max_add", "replay", NOT_PLAIN, single("max_add", top(Add((x, F))), Add((x, top(Add(())))), terms=Everything((0,)))),
    make("factors among which are all: expect_mul", "replay", NOT_PLAIN, single("expect_mul", Expectation(Mul((x, F))), x, ix="j", factors=Everything((0,)))),
    make("a factor that all others equal: sum_ite", "replay", NOT_PLAIN, single("sum_ite", total(Mul((TEST, F))), Sum("j", INSIDE, ONE), factor=NoOther(0)),
         single("sum_ite", total(Mul((TEST, F))), Sum("j", INSIDE, F), factor=0)),
    make("a child with a far neighbour: apply_ite", "replay", NOT_PLAIN, single("apply_ite", Add((SMALL, x)), Cases([((at_least(n, 2),), Add((ZERO,)))], Add((ONE,))), child=Far(0))),
    make("places that depend on how they are asked", "replay", NOT_PLAIN, single("hypothesis", e("f", 1), ZERO, hyps=(BELOW,), number=0, at=Elsewhere(i=Index.of(1))),
         single("hypothesis", e("f", 0), ZERO, hyps=(BELOW,), number=0, at={"i": Index.of(0)}), witness=Inputs({}, {"f": [0, 1]})),
    make("steps that come late", "replay", NOT_PLAIN, equation(Mul((ZERO, Entry(INVERSE, (0, 0), (N,), (n,)))), ONE, by(
            step("ring", Mul((ZERO, Entry(INVERSE, (0, 0), (N,), (n,)))), ZERO), step("sum_zero", ZERO, total(ZERO, var="c"), back=True), step("ring", ZERO, Mul((ZERO, nothing(c))), (0,)),
            step("mul_inv_matrix", total(Mul((ZERO, nothing(c))), var="c"), Bracket(()), matrix=nothing(0), row=Index.of(0), column=Index.of(0), right=True, because=LATE), step("bracket_congr", Bracket(()), ONE)),
            hyps=(Statement(nothing(0), "=", Entry(INVERSE, (0, 0), (N,), (n,))),)), because="the entry of an inverse that does not exist is arbitrary, and N may be the unit matrix"),
    make("a step that moves", "replay", NOT_PLAIN, equation(ZERO, ONE, by(Moving("ring", (), ZERO, ZERO)))),
    make("a relation that means another one", "term", "a relation as a text", lambda: equation(x, x, by(), relation=Means("<")), because="x is not below itself"),
    make("half an index", "term", "whole numbers", lambda: single("sum_bij", total(ONE), by_half()[0], sign=1, shift=by_half()[1]), because="on the right are n - 1 indices"),
    make("a hypothesis that is not listed", "replay", NOT_PLAIN, equation(Mul((x, Pow(x, -1))), ONE, by(step("mul_inv_cancel", Mul((x, Pow(x, -1))), ONE, above=0, below=1, because=deque([step("hypothesis", x, ONE, number=0, at={})]))),
         hyps=(Statement(x, "=", ONE),)), because="true, but its assumptions would not say that x = 1 is used"),
    make("a hypothesis under a number that is not found", "replay", NOT_PLAIN, single("hypothesis", x, ONE, hyps=(Statement(x, "=", ONE),), number=Shy(0), at={}), because="true, but its assumptions would not say that x = 1 is used"),
    make("a theory of another class", "replay", NOT_PLAIN, fixed, because="dq/dq is 1"),
    make("a definition of another class", "replay", NOT_PLAIN, wavering, because="0 is not 1"),
    make("a statement of another class", "replay", NOT_PLAIN, other, because="0 is not 1"),
    make("an argument of another class", "term", "given by their entries", turning, because="0 is not 1"),
]  # fmt: skip
