"""Statements about masked scores below divisions, decided, and each verdict checked by an evaluator of its own.

A `Proved` statement must be true *and defined* at random small sizes and inputs that satisfy what the theorem prints as
assumed; a `Refuted` one must fail at the counterexample that is shown, with both sides defined and all hypotheses kept.
"""

import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import pytest
from plain_evaluator import Circular, Evaluator, Inputs, Overlap, Unclear, Undefined, compare
from random_terms import PALETTES, Maker, source
from test_fuzz_judgements import BOX, Env, met, rewritten

from derivations.kernel.definition import admit
from derivations.kernel.errors import KernelError
from derivations.kernel.scope import Obligation
from derivations.language.statement import Definition, Statement, Tensor, Theory
from derivations.language.term import (
    HALF,
    ONE,
    ZERO,
    Add,
    Apply,
    Bracket,
    Case,
    Choice,
    Entry,
    Guard,
    Index,
    IndexValue,
    Max,
    Mul,
    NegInfinity,
    Number,
    Pow,
    Sum,
    Term,
    TermError,
    at_least,
    equal,
    exp,
    guard,
    less,
    within,
)
from derivations.provers.decide import Decision, Proved, Refuted, Undecided, decide

N = Index.size("n")
BOTTOM = NegInfinity()
I, J, K, L = (Index.var(v) for v in "ijkl")  # noqa: E741 - the names of the field
WORK = 2_000
"""Counted work of one decision: the statements are small."""
CHUNKS, STATEMENTS = 23, 400
LONG = 40
"""Chunks of the long run."""


def x(i: Index, j: Index) -> Term:
    return Entry("x", (i, j))


def S(i: Index, j: Index) -> Term:
    return Entry("S", (i, j))


def W(i: Index, j: Index) -> Term:
    return Entry("W", (i, j))


c, b = Entry("c"), Entry("b")


def log(t: Term) -> Term:
    return Apply("log", t)


class Writer:
    """A theory with a masked score S, weights W made from it, and statements about them."""

    def __init__(self, seed: object) -> None:
        self.rng = random.Random(str(seed))
        self.kept = self.mask()
        self.hypotheses: list[Statement] = []
        self.seen: list[Callable[[Index, Index], Term]] = []

    def pick(self, *options: Any) -> Any:
        return self.rng.choice(options)

    def chance(self, p: float) -> bool:
        return self.rng.random() < p

    def mask(self) -> Guard:
        rng, one = self.rng, Index.of(1)
        ends = (I, J, I + 1, J + 1, Index.of(0), one, N - 1, N - 1 - I, J + 2, 2 * J)
        return rng.choice(
            (
                guard(at_least(I, J)),
                guard(at_least(I, J)),
                guard(less(J, I)),
                guard(at_least(I, J), at_least(J + 1, I)),
                guard(at_least(I + 1, J), at_least(J + 1, I)),
                guard(equal(I, J)),
                guard(less(J, N)),
                guard(less(J, 0)),
                guard(at_least(J, I)),
                guard(less(I, J)),
                guard(at_least(I, one)),
                guard(at_least(rng.choice(ends), rng.choice(ends))),
                guard(less(rng.choice(ends), rng.choice(ends))),
                guard(at_least(rng.choice(ends), rng.choice(ends)), at_least(I, rng.choice(ends))),
            )
        )

    def at(self, j: Index, i: Index = I) -> Guard:
        """The mask at another place."""
        return guard(*(k.substitute({"i": i, "j": j}) for k in self.kept))

    def score(self) -> Term:
        kept = self.kept
        scaled = self.pick(x(I, J), x(I, J), x(I, J), c * x(I, J), x(I, J) / c, x(I, J) / Pow(IndexValue(N), HALF))
        return self.pick(
            Case(((kept, scaled),), BOTTOM),
            Case(((kept, scaled),), BOTTOM),
            Case(((kept, scaled),), BOTTOM),
            Case(tuple(((n,), BOTTOM) for k in kept for n in k.negations()), scaled),
            scaled + Case(((kept, ZERO),), BOTTOM),
            scaled + (ONE - Bracket(kept)) * BOTTOM,
            scaled + Entry("M", (I, J)) * BOTTOM,
            scaled * Bracket(kept),
            Choice(x(I, J), scaled, BOTTOM),
            Choice(c, scaled, BOTTOM),
            scaled,
            BOTTOM,
        )

    def range(self, name: str) -> Guard:
        here = Index.var(name)
        own = guard(*within(name, 0, N), *self.at(here))
        return self.pick(
            within(name, 0, N),
            within(name, 0, N),
            within(name, 0, N),
            own,
            own,
            guard(at_least(here, 0), at_least(I, here)),
            guard(at_least(here, 0), less(here, I)),
            within(name, 1, N),
        )

    def all(self, name: str) -> Guard:
        return within(name, 0, N) if self.chance(0.85) else self.range(name)

    def weight(self) -> Callable[[Index, Index], Term]:
        """A formula of the weights: numerator and denominator at (i, j)."""
        kind = self.rng.randrange(11)
        span, top = self.all("k"), self.range("l")
        if kind < 3:
            return lambda i, j: exp(S(i, j)) / _sum("k", span, exp(S(i, K)), i)
        if kind == 3:
            return lambda i, j: (
                exp(S(i, j) - _max(top, S(i, L), i)) / _sum("k", span, exp(S(i, K) - _max(top, S(i, L), i)), i)
            )
        if kind == 4:
            return lambda i, j: exp(c * S(i, j)) / _sum("k", span, exp(c * S(i, K)), i)
        if kind == 5:
            return lambda i, j: exp(S(i, j) / c) / _sum("k", span, exp(S(i, K) / c), i)
        if kind == 6:
            own = self.range("k")
            return lambda i, j: Mul((Bracket(self.at(j, i)), exp(x(i, j)))) / _sum("k", own, exp(x(i, K)), i)
        if kind == 7:
            return lambda i, j: exp(S(i, j) - log(_sum("k", span, exp(S(i, K)), i)))
        if kind == 8:
            return lambda i, j: exp(S(i, j) + b) / _sum("k", span, exp(S(i, K) + b), i)
        if kind == 9:
            return lambda i, j: (
                Mul((exp(S(i, j)), Bracket(self.at(j, i)))) / _sum("k", span, exp(S(i, K)) * Bracket(self.at(K, i)), i)
            )
        return lambda i, j: Case(
            ((self.at(j, i), exp(x(i, j)) / _sum("k", guard(*within("k", 0, N), *self.at(K, I)), exp(x(i, K)), i)),),
            ZERO,
        )

    def theory(self) -> Theory:
        shape = (N, N)
        tensors = [Tensor("x", shape), Tensor("v", (N,)), Tensor("c"), Tensor("b")]
        theory = Theory({t.name: t for t in tensors})
        own = shape if self.chance(0.7) else None
        self.formula = self.weight()
        rows = [
            Definition("M", (I, J), ONE - Bracket(self.kept), shape=own),
            Definition("S", (I, J), self.score(), shape=own),
            Definition("W", (I, J), self.formula(I, J), shape=own),
            Definition("Z", (I,), _sum("k", self.all("k"), exp(S(I, K)), I)),
            *self.online(),
        ]
        for d in rows:
            try:
                theory = admit(theory, d)
            except (KernelError, TermError):
                continue
        return theory

    def online(self) -> list[Definition]:
        """Running maximum m and running sum d of the online softmax, over a row of scores."""
        t = Index.var("t")
        row = lambda k: Entry("S", (Index.of(0), k))  # noqa: E731
        start = self.pick(BOTTOM, row(Index.of(0)), Entry("x", (Index.of(0), Index.of(0))))
        m, before = Entry("m", (t,)), Entry("m", (t - 1,))
        two = Max("p", within("p", 0, 2), Case(((guard(equal(Index.var("p"), 0)), before),), row(t)))
        d = Entry("d", (t - 1,)) * exp(before - m) + exp(row(t) - m)
        above = guard(at_least(t, 1))
        return [
            Definition("m", (Index.of(0),), start),
            Definition("m", (t,), two, above),
            Definition("d", (Index.of(0),), self.pick(ONE, ZERO, exp(row(Index.of(0)) - Entry("m", (Index.of(0),))))),
            Definition("d", (t,), d, above),
            Definition("e", (Index.of(0),), self.pick(ZERO, exp(row(Index.of(0))))),
            Definition("e", (t,), Entry("e", (t - 1,)) + exp(row(t)), above),
        ]

    def place(self) -> tuple[tuple[str, ...], Guard]:
        inside = [*within("i", 0, N), *within("j", 0, N)]
        more = self.pick(
            (),
            (),
            (),
            self.at(J),
            tuple(self.at(J)[0].negations()[:1]) if self.at(J) else (),
            (at_least(I, 1),),
            (at_least(N, 2),),
        )
        return ("i", "j"), guard(*inside, *more)

    def statement(self) -> Statement:
        left, relation, right = self.claim()
        if self.chance(0.3):
            left, right = (self.mutated(t) if self.chance(0.6) else t for t in (left, right))
        if self.chance(0.04):
            relation = self.pick("=", "<=", "<", "!=")
        names, facts = self.place()
        # a given condition on the temperature, or on the scores
        given = self.pick(
            (),
            (),
            (),
            (Statement(ZERO, "<", c),),
            (Statement(ZERO, "<=", c),),
            (Statement(c, "<", ZERO),),
            (Statement(ZERO, "!=", c),),
        )
        if self.chance(0.08):
            given = (
                *given,
                Statement(
                    ZERO, self.pick("<", "<=", "="), x(I, J), ("i", "j"), guard(*within("i", 0, N), *within("j", 0, N))
                ),
            )
        used = left.free | right.free
        kept = tuple(v for v in names if v in used)
        facts = tuple(f for f in facts if f.free <= set(kept))
        return Statement(left, relation, right, kept, facts, given)

    def claim(self) -> tuple[Term, str, Term]:
        row, total = (lambda f: Sum("j", within("j", 0, N), f)), _sum("k", self.all("k"), exp(S(I, K)), I)
        other = self.weight() if self.chance(0.6) else self.formula
        Z, v = Entry("Z", (I,)), lambda j: Entry("v", (j,))
        top = _max(self.range("l"), S(I, L), I)
        t = self.pick(I, J, N - 1, Index.of(1))
        claims: tuple[tuple[Term, str, Term], ...] = (
            (row(W(I, J)), "=", ONE),
            (row(W(I, J)), "=", ONE),
            (row(other(I, J)), "=", ONE),
            (Sum("j", self.range("j"), W(I, J)), self.pick("=", "<="), ONE),
            (W(I, J), "=", other(I, J)),
            (W(I, J), "=", other(I, J)),
            (W(I, J), "=", ZERO),
            (ZERO, self.pick("<", "<=", "!="), W(I, J)),
            (W(I, J), self.pick("<", "<="), ONE),
            (ZERO, self.pick("<", "<="), exp(S(I, J))),
            (ZERO, self.pick("<", "!=", "<="), total),
            (ZERO, self.pick("<", "!="), Z),
            (exp(S(I, J)), self.pick("<=", "<"), Z),
            (exp(S(I, J)) / Z, self.pick("=", "<="), W(I, J)),
            (W(I, J) * Z, "=", exp(S(I, J))),
            (exp(S(I, J)) / exp(S(I, J)), "=", ONE),
            (exp(log(total)), "=", total),
            (log(total), self.pick("=", "<="), log(Z)),
            (S(I, J), "<=", top),
            (S(I, J) - top, "<=", ZERO),
            (exp(S(I, J) - S(I, J)), "=", ONE),
            (S(I, J) + b - b, "=", S(I, J)),
            (exp(S(I, J) + b), "=", exp(S(I, J)) * exp(b)),
            (exp(c * S(I, J)), "=", Pow(exp(S(I, J)), c)),
            (exp(S(I, J)), "=", exp(x(I, J)) * Bracket(self.at(J))),
            (exp(S(I, J)), "=", Case(((self.at(J), exp(x(I, J))),), ZERO)),
            (Z, "=", _sum("k", guard(*within("k", 0, N), *self.at(K)), exp(x(I, K)), I)),
            (row(W(I, J) * v(J)), "=", row(exp(S(I, J)) * v(J)) / Z),
            (row(W(I, J) * b), "=", b),
            (row(W(I, J) * (v(J) + b)), "=", row(W(I, J) * v(J)) + b),
            (log(W(I, J)), "=", S(I, J) - log(Z)),
            (log(W(I, J)), self.pick("<=", "<"), ZERO),
            (exp(S(I, J) - top) * exp(top), "=", exp(S(I, J))),
            (_sum("k", self.all("k"), exp(S(I, K) - top), I) * exp(top), "=", total),
            (W(I, J) / W(I, J), "=", ONE),
            (W(I, J) * (ONE / Z), "=", exp(S(I, J)) / Pow(Z, 2)),
            (ONE / W(I, J), "=", Z / exp(S(I, J))),
            (Bracket(self.at(J)) * W(I, J), "=", W(I, J)),
            (Bracket(self.at(J)) * S(I, J), "=", Bracket(self.at(J)) * x(I, J)),
            (ZERO * S(I, J), "=", ZERO),
            (Choice(S(I, J), ONE, ZERO), "=", Choice(x(I, J), ONE, ZERO) * Bracket(self.at(J))),
            (Choice(x(I, J), W(I, J), ZERO), self.pick("<=", "="), W(I, J)),
            (W(I, J) - W(I, J), "=", ZERO),
            (Pow(Z, HALF) * Pow(Z, HALF), "=", Z),
            (Entry("e", (t,)), "=", exp(Entry("m", (t,))) * Entry("d", (t,))),
            (Entry("e", (t,)), "=", Sum("k", guard(at_least(K, 0), at_least(t, K)), exp(S(Index.of(0), K)))),
            (ZERO, self.pick("<", "<="), Entry("e", (t,))),
            (Entry("d", (t,)) * Pow(Entry("d", (t,)), -1), "=", ONE),
            (
                exp(S(Index.of(0), t) - Entry("m", (t,))) / Entry("d", (t,)),
                "=",
                exp(S(Index.of(0), t)) / Entry("e", (t,)),
            ),
        )
        return self.rng.choice(claims)

    def mutated(self, t: Term) -> Term:
        """The term with one place changed."""
        children = list(t.children)
        if children and self.chance(0.75):
            k = self.rng.randrange(len(children))
            children[k] = self.mutated(children[k])
            return t.with_children(children)
        if isinstance(t, Entry) and t.indices:
            at = list(t.indices)
            k = self.rng.randrange(len(at))
            at[k] = self.pick(at[k] + 1, at[k] - 1, Index.of(0), *at)
            return Entry(t.name, at)
        if isinstance(t, (Sum, Max)):
            here = Index.var(t.var)
            return type(t)(
                t.var, guard(*t.guard, self.pick(less(here, N - 1), at_least(here, 1), *self.at(here))), t.body
            )
        if isinstance(t, Apply):
            return self.pick(t.arg, Apply("exp", -t.arg), t)
        if isinstance(t, Mul):
            return self.pick(Mul(t.args[1:]) if len(t.args) > 1 else t, Add(t.args), Mul((*t.args, t.args[0])))
        return self.pick(t + ONE, -t, Number(2) * t, t * c, t * ZERO, Pow(t, 2), t)


def _sum(var: str, span: Guard, body: Term, i: Index) -> Term:
    """A sum in row i, whose range was written for the row "i"."""
    return Sum(var, guard(*(k.substitute({"i": i}) for k in span)), body)


def _max(span: Guard, body: Term, i: Index) -> Term:
    return Max("l", guard(*(k.substitute({"i": i}) for k in span)), body)


# --- checks -----------------------------------------------------------------------------------------------------


def kept(s: Statement, at: Evaluator, env: Env) -> bool:
    """Whether a hypothesis holds for all of its indices."""
    for here in at.assignments(s.indices, s.guard, BOX, env):
        try:
            if not compare(at.value(s.left, {**env, **here}), s.relation, at.value(s.right, {**env, **here})):
                return False
        except Undefined:
            return False
    return True


def models(statement: Statement, theory: Theory, seed: object) -> Iterator[Evaluator]:
    """Inputs at which the hypotheses hold."""
    rng = random.Random(f"{seed}")
    for k in range(10):
        sizes = {"n": (1, 2, 3, 2, 1, 3, 2, 4, 1, 2)[k], "m": rng.choice((1, 2, 3))}
        at = Evaluator(theory, Inputs(sizes, PALETTES[k % len(PALETTES)], str(rng.random())), in_range=True)
        try:
            if all(kept(h, at, {}) for h in statement.hypotheses):
                yield at
        except Unclear:
            continue


def false_proof(decision: Proved, seed: object, seen: Counter[str]) -> str:
    """A point at which a proved statement is false or undefined, as text."""
    theorem = decision.theorem
    s = theorem.statement
    conditions = [a.condition for a in theorem.assumptions if isinstance(a.condition, Obligation)]
    for at in models(s, theorem.theory, seed):
        for env in at.assignments(s.indices, s.guard, range(5)):
            where = f"{dict(at.inputs.sizes)} {env}"
            try:
                if not all(met(o, at, {}) if not _loose(o) else met(o, at, env) for o in conditions):
                    continue
                left, right = at.value(s.left, env), at.value(s.right, env)
                seen["values"] += 1
                if not compare(left, s.relation, right):
                    return f"{left} {s.relation} {right} is false at {where} {at.inputs.drawn}"
            except Undefined as reason:
                return f"undefined ({reason}) at {where} {at.inputs.drawn}"
            except Unclear:
                seen["unclear"] += 1
            except (Circular, Overlap) as wrong:
                return f"{type(wrong).__name__}: {wrong}"
    return ""


def _loose(o: Obligation) -> bool:
    return not o.subject.free <= set(o.variables)


def false_refutation(decision: Refuted, s: Statement, theory: Theory) -> str:
    """Why a counterexample is none."""
    shown = decision.counterexample
    unknown = any(
        isinstance(t, Apply) and t.function == "phi" for side in (s.left, s.right) for t in theory.reached(side)
    )
    if unknown or any(isinstance(v, str) and "independent" in v for v in shown.inputs.values()):
        return ""  # values of unknown functions are not shown, means are not computed here
    at = Evaluator(theory, Inputs(shown.sizes, given=_numbers(shown.inputs)), in_range=True)
    try:
        if not all(kept(h, at, {}) for h in s.hypotheses):
            return "a hypothesis does not hold"
        if not at.holds(s.guard, shown.at):
            return "its conditions do not hold"
        left, right = at.value(s.left, shown.at), at.value(s.right, shown.at)
        return f"{left} {s.relation} {right} holds" if compare(left, s.relation, right) else ""
    except Undefined as reason:
        return f"undefined: {reason}"
    except Unclear as reason:
        return "" if "too" in str(reason) else f"unclear: {reason}"
    except (Circular, Overlap) as wrong:
        return f"{type(wrong).__name__}: {wrong}"


def _numbers(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _numbers(v) for k, v in value.items()}
    return [_numbers(v) for v in value] if isinstance(value, list) else Fraction(value)


def written(s: Statement, theory: Theory) -> str:
    rows = theory.about([s.left, s.right]).definitions.values()
    lines = [f"  {d}\n    {source(d)}" for ds in rows for d in ds]
    return "\n".join([f"  {s}\n    {source(s)}", *lines])


def masked(seed: str) -> tuple[Statement, Theory]:
    writer = Writer(seed)
    theory = writer.theory()
    return writer.statement(), theory


def anything(seed: str) -> tuple[Statement, Theory]:
    """A random term against what a law makes of it, or against 0."""
    make = Maker(seed)
    theory = make.theory()
    names, facts = make.place()
    t = make.term(theory, names, make.rng.choice((1, 2, 2, 3)))
    relation = make.rng.choice(("=", "=", "=", "<", "<=", "!="))
    u = t if relation == "=" else make.rng.choice((ZERO, ZERO, t, make.term(theory, names, 1)))
    for _ in range(make.rng.choice((1, 2))):
        u = rewritten(u, make, theory, names)
    known = make.rng.choice((Entry("y"), Entry("z"), Entry("y") - Entry("z"), Entry("v", (0,))))
    given = (Statement(ZERO, make.rng.choice(("<", "<=", "!=", "=")), known),) if make.chance(0.3) else ()
    left, right = (t, u) if relation == "=" or make.chance(0.2) else (u, t)
    return Statement(left, relation, right, names, facts, given), theory


def check(
    seed: str, seen: Counter[str], failures: list[str], statement: Callable[[str], tuple[Statement, Theory]] = masked
) -> None:
    """Decide one statement, and check what was decided."""
    s, theory = statement(seed)
    decision: Decision = decide(s, theory, work=WORK)
    if isinstance(decision, Proved):
        seen["proved"] += 1
        wrong = false_proof(decision, seed, seen)
        if wrong:
            seen["proved wrongly"] += 1
            assumed = "; ".join(a.text for a in decision.theorem.assumptions)
            failures.append(f"proved, assuming [{assumed}] {decision.assumes}: {wrong}\n({seed})\n{written(s, theory)}")
    elif isinstance(decision, Refuted):
        seen["refuted"] += 1
        wrong = false_refutation(decision, s, theory)
        if wrong:
            seen["refuted wrongly"] += 1
            shown = decision.counterexample
            failures.append(f"refuted at {shown.place()} {shown.at}: {wrong}\n({seed})\n{written(s, theory)}")
    else:
        assert isinstance(decision, Undecided)
        seen["undecided"] += 1
        seen[f"undecided, {decision.code}"] += 1


def run(
    name: str, count: int, statement: Callable[[str], tuple[Statement, Theory]] = masked, share: float = 0.15
) -> None:
    seen, failures = Counter[str](), list[str]()
    for k in range(count):
        check(f"{name} {k}", seen, failures, statement)
    sys.stdout.write(f"{dict(sorted(seen.items()))}\n")
    assert not failures, f"{dict(seen)}\n" + "\n\n".join(failures[:5])
    assert seen["proved"] >= share * count, seen
    assert seen["refuted"] >= share * count, seen
    assert seen["values"] >= count, seen


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_verdicts_about_masked_scores(chunk: int) -> None:
    run(f"masked {chunk}", STATEMENTS)


@pytest.mark.parametrize("chunk", range(4))
def test_verdicts_about_random_terms(chunk: int) -> None:
    run(f"anything {chunk}", STATEMENTS // 2, anything, 0.04)


@pytest.mark.fuzz
@pytest.mark.parametrize("chunk", range(LONG))
def test_more_verdicts_about_masked_scores(chunk: int) -> None:
    run(f"more masked {chunk}", 2_000)


@pytest.mark.fuzz
@pytest.mark.parametrize("chunk", range(LONG))
def test_more_verdicts_about_random_terms(chunk: int) -> None:
    run(f"more of anything {chunk}", 500, anything, 0.04)
