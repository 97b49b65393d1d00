"""The normal form keeps values: random terms, replayed step by step, evaluated before and after.

Sizes, indices (also out of range) and inputs are random; a difference is a bug of a rule or of the prover.
"""

import random

import pytest

from derivations.kernel.definition import admit
from derivations.kernel.errors import Refused
from derivations.kernel.replay import run
from derivations.kernel.scope import Scope
from derivations.language.extended_reals import Indeterminate, WorkLimit, ball
from derivations.language.inputs import Inputs
from derivations.language.meaning import defined, evaluate
from derivations.language.statement import Definition, Law, Tensor, Theory
from derivations.language.substitution import bound_variables, fresh
from derivations.language.term import (
    Add,
    Apply,
    Bracket,
    Case,
    Choice,
    Derivative,
    Entry,
    Expectation,
    Index,
    IndexValue,
    Max,
    Mul,
    Number,
    Pow,
    Sum,
    Term,
    TermError,
    at_least,
    equal,
    guard,
    label,
    less,
    permuted,
    quotient,
    remainder,
    within,
)
from derivations.provers.normal import Normaliser, OutOfWork

SIZES = ("n", "m")
NAMES = ("i", "j", "k", "l", "p", "q")
CASES_PER_SEED = 260
SEEDS = range(40)
RICH_SEEDS = range(100, 140)
"""Seeds whose terms also have permutations, products and quotients in indices, sines, maxima, derivatives, expectations,
case distinctions on values."""


def theory() -> Theory:
    i, j = Index.var("i"), Index.var("j")
    known = Theory({"u": Tensor("u", (Index.size("n"),), Law(Number(1), Number(2)))})
    known = admit(known, Definition("D", (i,), Entry("x", (i,)) * Entry("x", (i + 1,)) + IndexValue(i)))
    total = Sum("r", within("r", 0, Index.size("n")), Entry("A", (i, Index.var("r"))) * Entry("x", (Index.var("r"),)))
    return admit(known, Definition("E", (i, j), total * Bracket((at_least(i, j),))))


class Maker:
    """Random terms over the variables in scope."""

    def __init__(self, seed: int, rich: bool = False) -> None:
        self.random = random.Random(seed)
        self.kinds = ["add", "mul", "mul", "pow", "exp", "sum", "sum", "sum", "bracket", "case", "div", "define"]
        self.rich = rich
        if rich:
            self.kinds += [
                "angle",
                "angle",
                "max",
                "max",
                "largest",
                "power",
                "derivative",
                "expectation",
                "axis",
                "log",
                "choice",
                "choice",
                "indicator",
                "abs",
            ]

    def index(self, scope: list[str]) -> Index:
        r = self.random
        base = Index.var(r.choice(scope)) if scope and r.random() < 0.85 else Index.of(r.randint(-1, 2))
        if r.random() < 0.2:
            base = base + r.choice([-1, 1, 2])
        if r.random() < 0.1:
            base = base + (Index.size(r.choice(SIZES)) - 1 if r.random() < 0.5 else -1 * base + 1)
        if self.rich and r.random() < 0.3:
            length = Index.size(r.choice(SIZES))
            kind = r.choice(["perm", "perm", "inverse", "label", "label", "quotient", "remainder", "product"])
            if kind == "label":
                return label("y", (base,), length) if r.random() < 0.7 else label("c", (), length)
            if kind in ("perm", "inverse"):
                return permuted(f"pi{length}", length, base, inverse=kind == "inverse")
            divisor = length if r.random() < 0.6 else Index.of(2)
            if kind == "product":
                return base * length + (Index.var(r.choice(scope)) if scope else 0)
            return (quotient if kind == "quotient" else remainder)(base, divisor)
        return base

    def constraint(self, scope: list[str]) -> object:
        a, b = self.index(scope), self.index(scope)
        return self.random.choice([at_least, less, equal])(a, b)

    def term(self, depth: int, scope: list[str]) -> Term:
        r = self.random
        if depth <= 0 or r.random() < 0.12:
            return self.leaf(scope)
        kind = r.choice(self.kinds)
        if kind == "add":
            return Add(self.term(depth - 1, scope) for _ in range(r.randint(2, 3)))
        if kind == "mul":
            return Mul(self.term(depth - 1, scope) for _ in range(r.randint(2, 3)))
        if kind == "pow":
            return Pow(self.term(depth - 1, scope), r.choice([-2, -1, 2, 0, 3]))
        if kind == "div":
            return self.term(depth - 1, scope) / self.term(depth - 1, scope)
        if kind == "exp":
            return Apply("exp", self.term(min(depth - 1, 1), scope))
        if kind == "bracket":
            return Bracket([self.constraint(scope)]) * self.term(depth - 1, scope)
        if kind == "case":
            return Case([((self.constraint(scope),), self.term(depth - 1, scope))], self.term(depth - 1, scope))
        if kind == "angle":
            return Apply(r.choice(["sin", "cos"]), self.term(min(depth - 1, 1), scope))
        if kind == "log":
            return Apply("log", Apply("exp", self.term(min(depth - 1, 1), scope)) * Pow(Number(2), r.choice([-1, 2])))
        if kind == "max":
            total = self.sum(min(depth, 2), scope)
            return Max(total.var, total.guard, total.body)
        if kind == "largest":  # some of the values may be maxima themselves
            values = [self.term(depth - 1, scope) for _ in range(r.randint(2, 3))]
            name = fresh("r", {*scope, *(v for x in values for v in (*x.free, *bound_variables(x)))})
            at = Index.var(name)
            cases = [((equal(at, k),), x) for k, x in enumerate(values[:-1])]
            return Max(name, (at_least(at, 0), less(at, len(values))), Case(cases, values[-1]))
        if kind == "choice":
            return Choice(*(self.term(depth - 1, scope) for _ in range(3)))
        if kind == "indicator":  # x [-x > 0] and products of indicators
            test = self.term(min(depth - 1, 1), scope)
            other = self.term(min(depth - 1, 1), scope) if r.random() < 0.5 else -test
            return Mul((test, Choice(other, Number(1), Number(0)), self.term(depth - 1, scope)))
        if kind == "abs":
            return Apply("abs", self.term(depth - 1, scope))
        if kind == "power":
            base = self.term(min(depth - 1, 1), scope)
            body: Term = Pow(base, IndexValue(self.index(scope)))
            for _ in range(r.randint(0, 2)):
                body = body * (base if r.random() < 0.5 else Pow(base, IndexValue(self.index(scope))))
            return body
        if kind == "derivative":
            return Derivative("x", (self.index(scope),), self.term(min(depth - 1, 2), scope))
        if kind == "expectation":
            return Expectation(Entry("u", (self.index(scope),)) * self.term(min(depth - 1, 1), scope))
        if kind == "axis":
            return self.axis(depth, scope)
        if kind == "define":
            if r.random() < 0.5:
                return Entry("D", (self.index(scope),))
            return Entry("E", (self.index(scope), self.index(scope)))
        return self.sum(depth, scope)

    def axis(self, depth: int, scope: list[str]) -> Term:
        """A sum over a flattened axis, or over a permuted one."""
        r = self.random
        var = r.choice(NAMES)
        length = Index.size("n") * Index.size("m") if r.random() < 0.5 else 2 * Index.size("n")
        width = Index.size("m") if length.terms[0][1] == 1 else Index.of(2)
        v = Index.var(var)
        body = Entry("A", (quotient(v, width), remainder(v, width)))
        inner = [x for x in scope if x != var] + [var]
        if r.random() < 0.5:
            length = Index.size("n")
            body = Entry("x", (permuted("pin", length, v),))
        return Sum(var, within(var, 0, length), body * self.term(min(depth - 1, 1), inner))

    def sum(self, depth: int, scope: list[str]) -> Sum:
        r = self.random
        var = r.choice(NAMES)
        inner = [v for v in scope if v != var] + [var]
        v = Index.var(var)
        outer = [x for x in scope if x != var]
        low = Index.of(r.randint(-1, 1)) if r.random() < 0.7 or not outer else Index.var(r.choice(outer))
        high = (
            Index.size(r.choice(SIZES))
            if r.random() < 0.7 or not outer
            else Index.var(r.choice(outer)) + r.randint(0, 1)
        )
        conditions = [at_least(v, low), less(v, high)]
        if r.random() < 0.3:
            conditions.append(self.constraint(inner))
        body = self.term(depth - 1, inner)
        return Sum(var, [c for c in conditions if var in c.free], body)

    def leaf(self, scope: list[str]) -> Term:
        r = self.random
        pick = r.random()
        if pick < 0.2:
            return Number(r.randint(-2, 3))
        if pick < 0.3:
            return IndexValue(self.index(scope))
        if pick < 0.4:
            return Entry("s")
        if self.rich and pick < 0.46:
            return Entry("u", (self.index(scope),))
        if pick < 0.7:
            return Entry(r.choice("xy"), (self.index(scope),))
        return Entry(r.choice("AB"), (self.index(scope), self.index(scope)))


def one_case(seed: int, known: Theory, rich: bool = False) -> str:
    """`same`, or why nothing was compared; raises AssertionError with the term where a value changed."""
    maker = Maker(seed, rich)
    variables = ("i", "j")
    try:
        term = maker.term(3 if rich else 4, list(variables))
    except TermError:
        return "too large"
    n = Index.size("n")
    facts = guard(*within("i", 0, n)) if maker.random.random() < 0.5 else ()
    scope = Scope(known, variables, facts)
    try:
        normaliser = Normaliser(known, 4_000)
        normaliser.choices = seed % 2 == 1
        normal, trace = normaliser.start(term, scope)
        end = run(term, trace.chain(), scope)
    except (OutOfWork, TermError):
        return "out of work"
    except Refused as refusal:
        if "at most" in refusal.needed or "exponents" in refusal.needed:
            return "refused by a limit"
        raise AssertionError(f"seed {seed}: the kernel refuses a step of the prover for {term}: {refusal}") from refusal
    assert end is normal, f"seed {seed}: the steps do not lead to the result"
    compared = 0
    for trial in range(3):
        sizes = {s: maker.random.randint(1, 3) for s in SIZES}
        at = {v: maker.random.randint(-1, 3) for v in variables}
        if not all(c.holds(at, sizes) for c in facts):
            continue
        inputs = Inputs(sizes, {}, f"{seed}.{trial}")
        try:
            if rich and not defined(term, known, inputs, at):
                continue  # derivatives mean something only where their terms are defined
            before, after = evaluate(term, known, inputs, at), evaluate(normal, known, inputs, at)
            assert ball(before).overlaps(ball(after)), (
                f"seed {seed}: at {sizes}, {at} the value {before} of\n  {term}\nbecame {after} of\n  {normal}"
            )
        except (Indeterminate, WorkLimit, OverflowError):
            continue
        compared += 1
    return "same" if compared else "nothing to compare"


def many(seed: int, count: int, rich: bool = False) -> dict[str, int]:
    known = theory()
    found: dict[str, int] = {}
    for k in range(count):
        outcome = one_case(seed * 1_000_003 + k, known, rich)
        found[outcome] = found.get(outcome, 0) + 1
    return found


@pytest.mark.parametrize("seed", SEEDS)
def test_normal_form_keeps_values(seed: int) -> None:
    found = many(seed, CASES_PER_SEED)
    assert found.get("same", 0) >= 0.8 * CASES_PER_SEED, found


@pytest.mark.parametrize("seed", RICH_SEEDS)
def test_normal_form_keeps_values_of_rich_terms(seed: int) -> None:
    found = many(seed, CASES_PER_SEED, rich=True)
    assert found.get("same", 0) >= 0.35 * CASES_PER_SEED, found


@pytest.mark.fuzz
@pytest.mark.parametrize("seed", range(1_000, 1_400))
def test_normal_form_keeps_values_for_hours(seed: int) -> None:
    rich = seed % 2 == 1
    found = many(seed, 4 * CASES_PER_SEED, rich)
    assert found.get("same", 0) >= (1.4 if rich else 3) * CASES_PER_SEED, found
