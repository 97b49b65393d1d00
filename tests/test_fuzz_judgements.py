"""What the kernel judges is true: random terms at random places, each "yes" checked by an evaluator of its own.

A judgement may say "no" to anything.  Where it says "yes", the values at random small sizes must agree: wherever the term
is defined, and also by the conventions for 1/0 and the like, because the terms between the two sides of a proof owe
nothing.  A judgement that says "yes" too rarely fails: a check that checked nothing.
"""

import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import pytest
from plain_evaluator import BOTTOM, Circular, Evaluator, Inputs, Overlap, Unclear, Undefined, compare, sign
from random_terms import BOTTOM as MINUS_INFINITY
from random_terms import PALETTES, Maker, N, smaller, source

from derivations.kernel.definition import admit, applies, covered, instance
from derivations.kernel.errors import KernelError, Refused
from derivations.kernel.linear import bounded, consistent, entails, entails_all, equal_indices, equivalent
from derivations.kernel.numbers import certain
from derivations.kernel.obligation import obligations
from derivations.kernel.ring import finite, same
from derivations.kernel.scope import Obligation, Scope
from derivations.kernel.sign import nonnegative, nonzero, positive
from derivations.language.statement import Definition, Statement, Tensor, Theory
from derivations.language.substitution import rename_apart, substitute
from derivations.language.term import (
    ONE,
    ZERO,
    Add,
    Apply,
    Bracket,
    Case,
    Choice,
    Entry,
    Expectation,
    Guard,
    Index,
    IndexValue,
    Lambda,
    Max,
    Mul,
    Number,
    Pow,
    Sum,
    Term,
    TermError,
    at_least,
    equal,
    exp,
    guard,
    guard_free,
    less,
    within,
)

BOX = range(-2, 7)
"""Index values that are tried; sizes are at most 4."""
POINTS = 12
SHORT, LONG = 1, 60
CHUNKS = [*range(SHORT), *(pytest.param(k, marks=pytest.mark.fuzz) for k in range(SHORT, LONG))]
TERMS = 300
"""Places of one chunk."""

Env = dict[str, int]


def holds(kind: str, value: Any) -> bool:
    """Whether a value is as a judgement says."""
    if kind == "finite":
        return value is not BOTTOM
    if value is BOTTOM:
        return kind == "nonzero"
    return {"positive": sign(value) > 0, "nonnegative": sign(value) >= 0, "nonzero": sign(value) != 0}[kind]


def met(o: Obligation, at: Evaluator, env: Env) -> bool:
    """Whether an obligation holds for all of its variables; where its subject is undefined it does not."""
    for here in at.assignments(o.variables, o.facts, BOX, env):
        place = {**env, **here}
        try:
            if o.kind in ("in range", "condition"):
                good = at.holds(o.goal, place)
            elif o.kind == "invertible":
                at.value(o.subject, place)
                good = True
            else:
                good = holds(o.kind, at.value(o.subject, place))
        except Undefined:
            return False
        if not good:
            return False
    return True


def worlds(theory: Theory, rng: random.Random, total: bool, count: int = POINTS) -> Iterator[Evaluator]:
    for k in range(count):
        sizes = {"n": rng.choice((1, 1, 2, 2, 3)), "m": rng.choice((1, 2, 2, 3))}
        yield Evaluator(theory, Inputs(sizes, PALETTES[k % len(PALETTES)], str(rng.random())), total=total)


def points(scope: Scope, rng: random.Random, total: bool, count: int = POINTS) -> Iterator[tuple[Evaluator, Env]]:
    """Inputs and index values at which the facts of a scope and what it assumes hold."""
    for at in worlds(scope.theory, rng, total, count):
        places = list(at.assignments(scope.variables, scope.facts, BOX))
        for env in rng.sample(places, min(3, len(places))):
            try:
                if all(met(o, at, env) for o in scope.assumed):
                    yield at, env
            except Unclear:
                continue


def written(scope: Scope) -> str:
    definitions = [d for rows in scope.theory.definitions.values() for d in rows]
    return "\n".join(
        [
            *(f"  {d}\n    {source(d)}" for d in definitions),
            f"  place: {scope.variables} with {', '.join(map(str, scope.facts)) or 'no facts'}  {source(scope.facts)}",
            *(f"  assumed: {o}   {o.kind} for {o.variables}: {source(o.subject)}" for o in scope.assumed),
        ]
    )


@dataclass
class Report:
    """What one chunk saw."""

    yes: int = 0
    asked: int = 0
    checked: int = 0
    failures: list[str] = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        self.failures = []
        self.seen = Counter[str]()

    def fail(self, what: str, text: str) -> None:
        self.seen[what] += 1
        if len(self.failures) < 4:
            self.failures.append(f"{what}\n{text}")

    def close(self, least_yes: int, least_checked: int) -> None:
        sys.stdout.write(
            f"asked {self.asked}, yes {self.yes}, values checked {self.checked}, failed {dict(self.seen)}\n"
        )
        assert not self.failures, f"{dict(self.seen)}\n" + "\n\n".join(self.failures)
        assert self.yes >= least_yes, f"said yes {self.yes} times of {self.asked}: the check checked nothing"
        assert self.checked >= least_checked, f"only {self.checked} values were looked at"


# --- signs and finiteness ---------------------------------------------------------------------------------------

JUDGES: dict[str, Callable[[Term, Scope], bool]] = {
    "positive": positive,
    "nonnegative": nonnegative,
    "nonzero": nonzero,
    "finite": lambda t, scope: finite(t, scope.theory, scope.facts),
}


def random_scope(make: Maker) -> Scope:
    theory = make.theory()
    names, facts = make.place()
    assumed = []
    for _ in range(make.rng.choice((0, 0, 1, 2))):
        bound = names[: make.rng.choice((0, 1, 2))] if make.chance(0.5) else ()
        inside = guard(*(c for v in bound for c in make.range(v, ())))
        subject = make.term(theory, (*names, *bound), 2)
        assumed.append(Obligation(make.rng.choice(("positive", "nonnegative", "nonzero")), bound, inside, subject))
    make.extra = tuple(o.subject for o in assumed)
    return Scope(theory, names, facts, (), tuple(assumed))


def contradicted(t: Term, kind: str, scope: Scope, seed: object, report: Report | None = None) -> str:
    """A point at which the kernel's "yes" is wrong, as text; "" when none was met."""
    for total in (False, True):
        for at, env in points(scope, random.Random(f"{seed}"), total):
            try:
                value = at.value(t, env)
                good = holds(kind, value)
            except (Undefined, Unclear):
                continue
            except (Circular, Overlap) as wrong:
                return f"{type(wrong).__name__}: {wrong}"
            if report is not None:
                report.checked += 1
            if not good:
                inputs = {str(k): str(v) for k, v in at.inputs.drawn.items()}
                return (
                    f"{'by convention ' if total else ''}value {value} at {dict(at.inputs.sizes)} {env} with {inputs}"
                )
    return ""


def judged(t: Term, kind: str, scope: Scope) -> bool:
    try:
        return consistent(scope.facts) and JUDGES[kind](t, scope)
    except (Refused, TermError):
        return False


def wrong_sign(t: Term, kind: str, scope: Scope, seed: object) -> bool:
    return judged(t, kind, scope) and bool(contradicted(t, kind, scope, seed))


def pruned(t: Term, kind: str, scope: Scope, seed: object) -> tuple[Term, Scope]:
    """A failing term with less around it."""
    t = smaller(t, lambda u: wrong_sign(u, kind, scope, seed))
    for o in scope.assumed:
        less_known = replace(scope, assumed=tuple(p for p in scope.assumed if p is not o))
        scope = less_known if wrong_sign(t, kind, less_known, seed) else scope
    for c in scope.facts:
        fewer = replace(scope, facts=tuple(d for d in scope.facts if d is not c))
        scope = fewer if wrong_sign(t, kind, fewer, seed) else scope
    small = replace(scope, theory=scope.theory.about([t, *(o.subject for o in scope.assumed)]))
    return t, small if wrong_sign(t, kind, small, seed) else scope


@pytest.mark.parametrize("chunk", CHUNKS)
@pytest.mark.parametrize("kind", JUDGES)
def test_signs(kind: str, chunk: int) -> None:
    report = Report()
    for k in range(TERMS):
        seed = f"{kind} {chunk} {k}"
        make = Maker(seed)
        scope = random_scope(make)
        for depth in (2, 3, 3, 4):
            t = make.term(scope.theory, scope.variables, depth)
            report.asked += 1
            if not judged(t, kind, scope):
                continue
            report.yes += 1
            if contradicted(t, kind, scope, seed, report):
                t, scope = pruned(t, kind, scope, seed)
                why = contradicted(t, kind, scope, seed)
                report.fail(kind, f"{kind} ({seed}): {t}\n  {source(t)}\n{written(scope)}\n  {why}")
                break
    report.close(TERMS // 4, TERMS)


@pytest.mark.parametrize("chunk", CHUNKS)
def test_signs_of_recursions(chunk: int) -> None:
    """Recursive symbols with gaps, several rows, an index that stays, and right sides of all signs."""
    report = Report()
    for k in range(TERMS):
        make = Maker(f"recursion {chunk} {k}")
        theory = recursive_theory(make)
        if "R" not in theory.definitions:
            continue
        names, facts = make.place()
        scope = Scope(theory, names, facts)
        rank = len(theory.definitions["R"][0].indices)
        own = Entry("R", [make.index(names, 0) for _ in range(rank)])
        t = make.rng.choice((own, own, own, ONE / own, own + ONE, own * make.leaf(theory, names), -own))
        for kind in JUDGES:
            report.asked += 1
            if not judged(t, kind, scope):
                continue
            report.yes += 1
            why = contradicted(t, kind, scope, k, report)
            if why:
                report.fail(kind, f"{kind} (recursion {chunk} {k}): {t}\n{written(scope)}\n  {why}")
    report.close(TERMS // 4, TERMS)


def recursive_theory(make: Maker) -> Theory:
    theory = Theory({t.name: t for t in (Tensor("x", (N, N)), Tensor("v", (N,)), Tensor("y"), Tensor("z"))})
    t, a = Index.var("t"), Index.var("a")
    wide = make.chance(0.4)
    at = lambda i, j: Entry("R", (j, i) if wide and flip else (i, j) if wide else (i,))  # noqa: E731
    flip = make.chance(0.5)
    start, step = make.rng.choice((0, 0, 1, -1)), make.rng.choice((1, 1, 2))
    other = make.rng.choice((a, a, a, a + 1, Index.of(0), t))
    seen = ("t", "a") if wide else ("t",)

    def part(*names: str) -> Term:
        e = make.leaf(theory, names)
        v = Entry("v", (Index.var(names[0]),)) if names else Entry("y")
        return make.rng.choice((e, e, exp(e), Apply("abs", e), ONE, ZERO, v, exp(v), MINUS_INFINITY, v * v))

    own = at(t - step, other)
    ran = Index.var("r")
    forms = (
        own + part(*seen),
        own * part(*seen),
        own * part(*seen) + part(*seen),
        exp(own) * part(*seen),
        own,
        -own,
        Pow(own, make.rng.choice((2, -1))),
        Max("r", within("r", 0, 2), Case(((guard(equal(ran, 0)), own),), part(*seen))),
        Case(((make.condition(seen), own),), part(*seen)),
        Choice(own, own, part(*seen)),
        Sum("r", guard(at_least(ran, make.rng.choice((0, start))), less(ran, t)), at(ran, other) * part("r")),
        Max("r", guard(at_least(ran, 0), less(ran, t)), at(ran, other)),
    )
    condition = guard(at_least(t, make.rng.choice((start + step, start + step, start + 1, start))))
    if make.chance(0.3):
        condition = guard(*condition, *make.condition(seen, 0))
    rows = [Definition("R", at(Index.of(start), a).indices, part(*(("a",) if wide else ())))]
    if make.chance(0.6):
        rows.append(Definition("R", at(Index.of(start + 1), a).indices, part(*(("a",) if wide else ()))))
    rows.append(Definition("R", at(t, a).indices, make.rng.choice(forms), condition))
    for d in rows:
        try:
            theory = admit(theory, d)
        except (KernelError, TermError):
            continue
    return theory


@pytest.mark.parametrize("chunk", CHUNKS)
def test_what_is_assumed_of_all_indices(chunk: int) -> None:
    """An assumption about all entries of a kind is used for those only that its conditions speak of."""
    report = Report()
    for k in range(TERMS):
        make = Maker(f"assumed {chunk} {k}")
        theory = make.theory()
        names, facts = make.place()
        bound = make.rng.choice((("a",), ("a", "b"), ("i", "a"), ("i",), ("j", "i")))
        outer = tuple(v for v in names if v not in bound) if make.chance(0.3) else ()
        inside = guard(
            *(c for v in bound for c in make.range(v, ())), *(make.condition(bound) if make.chance(0.4) else ())
        )
        subject = about(make, theory, (*bound, *outer))
        kind = make.rng.choice(("positive", "nonnegative", "nonzero"))
        scope = Scope(theory, names, facts, (), (Obligation(kind, bound, inside, subject),))
        values = {v: make.index(names, 0.1) for v in bound}
        try:
            apart = rename_apart(subject, {*names, *bound})
            t = substitute(apart, values) if make.chance(0.8) else about(make, theory, names)
        except TermError:
            continue
        t = make.rng.choice((t, t, t, ONE / t, -t, t + ONE, t * make.leaf(theory, names)))
        if make.chance(0.2):
            here = make.rng.choice(bound)
            t = Sum(here, make.range(here, ()), substitute(apart, {v: i for v, i in values.items() if v != here}))
        for asked in ("positive", "nonnegative", "nonzero"):
            report.asked += 1
            if not t.free <= set(names) or not judged(t, asked, scope):
                continue
            report.yes += 1
            why = contradicted(t, asked, scope, k, report)
            if why:
                report.fail(asked, f"{asked} (assumed {chunk} {k}): {t}\n{written(scope)}\n  {why}")
    report.close(TERMS // 15, TERMS)


@pytest.mark.parametrize("chunk", CHUNKS)
def test_names_that_hide_others(chunk: int) -> None:
    """What is known of an index in scope says nothing of a bound one with the same name."""
    report = Report()
    for k in range(TERMS):
        make = Maker(f"hidden {chunk} {k}")
        theory = Theory({t.name: t for t in (Tensor("x", (N, N)), Tensor("y"))})
        here, w = Index.var("i"), Index.var("w")
        given = (Tensor("X", (N,)),)
        total = Sum("w", within("w", 0, 2), Entry("X", (w,)))
        body = make.rng.choice((Entry("X", (here,)), Entry("X", (here + 1,)), total))
        for d in (*make.scores(theory), Definition("F", (here,), body, (), given)):
            theory = admit(theory, d)
        names, facts = make.place()
        facts = guard(*facts, *(make.condition(names, 0) if names else ()))
        p = make.rng.choice(names or ("i",))
        score = Entry("S", make.rng.sample((make.index(names, 0), Index.var(p)), 2))
        own = Entry("F", (make.rng.choice((0, 1, make.index(names, 0))),), (Lambda((p,), score),))
        t = make.rng.choice((own, exp(own), ONE / exp(own), exp(own) + score, exp(Max(p, within(p, 0, 2), score))))
        scope = Scope(theory, names, facts)
        for kind in JUDGES:
            report.asked += 1
            if not t.free <= set(names) or not judged(t, kind, scope):
                continue
            report.yes += 1
            why = contradicted(t, kind, scope, k, report)
            if why:
                report.fail(kind, f"{kind} (hidden {chunk} {k}): {t}\n{written(scope)}\n  {why}")
    report.close(TERMS // 4, TERMS)


def about(make: Maker, theory: Theory, names: tuple[str, ...]) -> Term:
    """A term that an assumption may be about: entries, sums of entries, totals of rows."""
    x, v = (
        (lambda: Entry("x", (make.index(names, 0.1), make.index(names, 0.1)))),
        (lambda: Entry("v", (make.index(names, 0.1),))),
    )
    w = make.fresh() if make.chance(0.6) or not names else "a"
    inner = lambda: Entry("x", (make.index((*names, w), 0), Index.var(w)))  # noqa: E731
    forms: tuple[Callable[[], Term], ...] = (
        x,
        v,
        lambda: x() + v(),
        lambda: v() - v(),
        lambda: x() * v(),
        lambda: Sum(w, make.range(w, ()), inner()),
        lambda: Max(w, make.range(w, ()), inner()),
        lambda: v() + Sum(w, make.range(w, ()), inner()),
        lambda: Pow(v(), make.rng.choice((2, -1))),
        lambda: IndexValue(make.index(names)) * v(),
        lambda: Case(((make.condition(names), v()),), x()),
        lambda: make.term(theory, names, 2),
    )
    return make.rng.choice(forms)()


# --- what must be defined ---------------------------------------------------------------------------------------


def owed(t: Term, scope: Scope) -> tuple[Obligation, ...] | None:
    try:
        if not consistent(scope.facts):
            return None
        return obligations(Statement(t, "=", ZERO, scope.variables, scope.facts), scope)
    except (Refused, TermError):
        return None


def undefined(t: Term, scope: Scope, open_: tuple[Obligation, ...], seed: object, report: Report | None = None) -> str:
    """A point at which all that is owed holds, and the term is undefined."""
    there = replace(scope, assumed=(*scope.assumed, *open_))
    for at, env in points(there, random.Random(f"{seed}"), False):
        try:
            at.value(t, env)
        except Undefined as reason:
            inputs = {str(k): str(v) for k, v in at.inputs.drawn.items()}
            return (
                f"undefined: {reason} at {dict(at.inputs.sizes)} {env} with {inputs}, owed {'; '.join(map(str, open_))}"
            )
        except Unclear:
            continue
        except (Circular, Overlap) as wrong:
            return f"{type(wrong).__name__}: {wrong}"
        if report is not None:
            report.checked += 1
    return ""


def unpaid(t: Term, scope: Scope, seed: object) -> bool:
    open_ = owed(t, scope)
    return open_ is not None and bool(undefined(t, scope, open_, seed))


@pytest.mark.parametrize("chunk", CHUNKS)
def test_obligations(chunk: int) -> None:
    report = Report()
    for k in range(TERMS):
        seed = f"owed {chunk} {k}"
        make = Maker(seed)
        scope = random_scope(make)
        t = make.term(scope.theory, scope.variables, make.rng.choice((2, 3, 4)))
        report.asked += 1
        open_ = owed(t, scope)
        if open_ is None:
            continue
        report.yes += 1
        why = undefined(t, scope, open_, seed, report)
        if why:
            t = smaller(t, lambda u: unpaid(u, scope, seed))  # noqa: B023 - used at once
            small = replace(scope, assumed=(), theory=scope.theory.about([t]))
            scope = small if unpaid(t, small, seed) else scope
            why = undefined(t, scope, owed(t, scope) or (), seed)
            report.fail(why.split(" at ")[0], f"({seed}) {t}\n  {source(t)}\n{written(scope)}\n  {why}")
    report.close(TERMS // 4, TERMS)


# --- integers ---------------------------------------------------------------------------------------------------

Claim = Callable[[Evaluator, Env], bool]


def linear_claims(make: Maker, names: tuple[str, ...], facts: Guard) -> dict[str, tuple[bool, Claim]]:
    """What is said of some facts, each with the test at a point of them."""
    goal, other = make.condition(names, 0.3), make.condition(names, 0.3)
    one, two = make.index(names, 0.3), make.index(names, 0.3)
    if make.chance(0.5):
        goal = guard(*make.rng.sample(facts, 1), *(make.condition(names, 0.3) if make.chance(0.3) else ()))
    return {
        "consistent": (not consistent(facts), lambda at, env: False),
        "entails": (bool(goal) and entails(facts, goal[0]), lambda at, env: at.holds(goal[:1], env)),
        "entails_all": (entails_all(facts, goal), lambda at, env: at.holds(goal, env)),
        "equivalent": (equivalent(facts, goal, other), lambda at, env: at.holds(goal, env) == at.holds(other, env)),
        "equal": (
            equal_indices(facts, one, two),
            lambda at, env: at.index(one, env, at.top) == at.index(two, env, at.top),
        ),
        "covered": (covered(facts, [goal, other]), lambda at, env: at.holds(goal, env) or at.holds(other, env)),
    }


@pytest.mark.parametrize("chunk", CHUNKS)
def test_linear(chunk: int) -> None:
    report, yes = Report(), Counter[str]()
    for k in range(TERMS):
        make = Maker(f"linear {chunk} {k}")
        names, facts = make.place()
        if not names:
            continue
        facts = guard(*facts, *make.condition(names, 0.3))
        claims = linear_claims(make, names, facts)
        report.asked += len(claims)
        said = {name: check for name, (answer, check) in claims.items() if answer}
        report.yes += len(said)
        yes.update(said.keys())
        for at in worlds(Theory(), random.Random(k), False, 6) if said else ():
            for env in at.assignments(names, facts, range(-4, 7)):
                for name, check in said.items():
                    report.checked += 1
                    if not check(at, env):
                        report.fail(name, f"({chunk} {k}) {facts} at {at.inputs.sizes} {env}: {source(facts)}")
        inside = make.range("w", names)
        if bounded("w", inside):
            at = next(worlds(Theory(), random.Random(k), False))
            for env in list(at.assignments(names, (), range(-2, 3)))[:20]:
                far = [w for w in (*range(-99, -80), *range(80, 99)) if at.holds(inside, {**env, "w": w})]
                if far:
                    report.fail("bounded", f"{inside} at {env}: {far}")
    assert set(yes) == {"consistent", "entails", "entails_all", "equivalent", "equal", "covered"}
    report.close(TERMS // 2, TERMS)


# --- definitions ------------------------------------------------------------------------------------------------


def random_definition(make: Maker) -> Definition:
    """A left side that other ones may meet."""
    rng, i, c = make.rng, Index.var(make.rng.choice("ij")), Index.var("c")
    n, m = (Index.size(rng.choice("nm")) for _ in range(2))
    number = Index.of(rng.choice((0, 1, 2, 3)))
    patterns = (number, i, i, i + 1, 2 * i, 2 * i + 1, 3 * i + 1, n, n - 1, n + 1, i * m + c, Index.of(0) - i)
    at = rng.choice(patterns)
    rank_two = make.chance(0.3)
    names = tuple(at.free)
    condition = make.condition(names, 0.1) if names and make.chance(0.5) else ()
    if "c" in names:
        condition = guard(*condition, at_least(c, 0), less(c, m))
    indices = (at, rng.choice((Index.var("k"), Index.of(0), Index.of(1)))) if rank_two else (at,)
    sizes = rng.choice(((), (), ("n",), ("m",), ("n", "m"), ("m", "n")))
    return Definition("D", indices, Number(rng.randrange(5)), condition, (), sizes)


@pytest.mark.parametrize("chunk", CHUNKS)
def test_left_sides_do_not_overlap(chunk: int) -> None:
    """Admitted definitions of one symbol never speak of one entry; what `instance` and `applies` say of them is so."""
    report = Report()
    for k in range(TERMS):
        make = Maker(f"left sides {chunk} {k}")
        theory = Theory()
        for _ in range(3):
            try:
                theory = admit(theory, random_definition(make))
            except KernelError:
                continue
        rows = theory.definitions.get("D", ())
        report.asked += 1
        if len(rows) < 2:
            continue
        report.yes += 1
        names, facts = make.place()
        for at in worlds(theory, random.Random(k), False, 2):
            for d in rows:
                for indices in at.assignments(("a", "b")[: len(d.indices)], (), range(-1, 5)):
                    for sizes in at.assignments(tuple(map(str, range(len(d.sizes)))), (), range(1, 4)):
                        report.checked += 1
                        t = Entry("D", indices.values(), (), sizes.values())
                        try:
                            at.value(t, {})
                        except Undefined:
                            continue
                        except Overlap as wrong:
                            report.fail("overlap", f"{wrong}: {source(rows)}")
            general = [make.index(names, 0.3) for _ in rows[0].indices]
            extents = [make.rng.choice((Index.size("n"), Index.size("m") + 1, Index.of(2))) for _ in rows[0].sizes]
            t = Entry("D", general, (), extents)
            for env in list(at.assignments(names, facts, BOX))[:10]:
                _check_left_sides(rows, t, facts, names, at, env, report)
    report.close(TERMS // 8, TERMS)


def _check_left_sides(
    rows: tuple[Definition, ...],
    t: Entry,
    facts: Guard,
    names: tuple[str, ...],
    at: Evaluator,
    env: Env,
    report: Report,
) -> None:
    place = tuple(at.index(i, env, at.top) for i in t.indices)
    sizes = tuple(at.index(s, env, at.top) for s in t.sizes)
    for d in rows:
        match = at.match(d, t, place, sizes)
        where = f"{source(d)} at {t} ({place}, {sizes}), {env}, {at.inputs.sizes}, facts {facts}"
        try:
            found, given = applies(d, t), instance(d, t, names, facts)
        except (TermError, KernelError):
            return  # what is put for a size is none that an index may be divided by
        if (found is not None and at.holds(found[0], env)) != (match is not None):
            report.fail("applies", where)
        elif found is not None and match is not None:
            if {v: at.index(i, env, at.top) for v, i in found[1].items()} != match[1]:
                report.fail("values of the variables", where)
        if given is not None and at.holds(given[1], env) and match is None:
            report.fail("instance", where)


@pytest.mark.parametrize("chunk", CHUNKS)
def test_unfolding(chunk: int) -> None:
    """Where `instance` gives a right side whose condition holds, its value is that of the entry."""
    report = Report()
    for k in range(TERMS):
        make = Maker(f"unfolding {chunk} {k}")
        theory = make.theory()
        names, facts = make.place()
        if not theory.definitions:
            continue
        scope = Scope(theory, names, facts)
        for _ in range(6):
            t = make.entry(theory, names)
            assert isinstance(t, Entry)
            for d in theory.definitions.get(t.name, ()):
                report.asked += 1
                try:
                    found = instance(d, t, names, facts)
                except (TermError, KernelError):
                    continue  # what is put for a size is none that an index may be divided by
                if found is None:
                    continue
                report.yes += 1
                for at, env in points(scope, random.Random(k), False, 6):
                    try:
                        if not at.holds(found[1], env):
                            continue
                        difference = _differ(t, found[0], at, env)
                    except Unclear:
                        continue
                    except (Circular, Overlap) as wrong:
                        difference = f"{type(wrong).__name__}: {wrong}"
                    report.checked += 1
                    if difference:
                        report.fail(
                            "unfold", f"{t} -> {found[0]}: {difference} at {at.inputs.sizes} {env}\n{written(scope)}"
                        )
    report.close(TERMS, TERMS)


def _differ(left: Term, right: Term, at: Evaluator, env: Env) -> str:
    """How the values of two terms differ; undefined is a value here."""
    values = []
    for t in (left, right):
        try:
            values.append(at.value(t, env))
        except Undefined as reason:
            values.append(reason)
    if any(isinstance(v, Undefined) for v in values):
        return "" if all(isinstance(v, Undefined) for v in values) else f"{values[0]!r} and {values[1]!r}"
    return "" if compare(values[0], "=", values[1]) else f"{values[0]} and {values[1]}"


# --- the ring ---------------------------------------------------------------------------------------------------


def rewritten(t: Term, make: Maker, theory: Theory, names: tuple[str, ...]) -> Term:
    """The term with a law applied somewhere: a true one, or one that only looks true."""
    if t.children and make.chance(0.5) and not t.binding(0)[0]:
        children = list(t.children)
        k = make.rng.randrange(len(children))
        children[k] = rewritten(children[k], make, theory, names)
        return t.with_children(children)
    u = make.leaf(theory, names)
    laws: list[Callable[[], Term]] = [
        lambda: t + ZERO,
        lambda: t * ONE,
        lambda: t + u - u,
        lambda: Mul((t, u, Pow(u, -1))),
        lambda: Pow(Pow(t, 2), Number(1) / 2 if False else Number(1)),
        lambda: Pow(Pow(t, -1), -1),
        lambda: Pow(t, 1),
        lambda: Number(2) * t - t,
        lambda: Choice(u, t, t),
        lambda: t * Pow(u, 0),
        lambda: Mul((t, Bracket(()))),
    ]
    if isinstance(t, (Add, Mul)):
        laws += [lambda: type(t)(reversed(t.args))] * 3
        laws += [lambda: t.args[0]]
    if isinstance(t, Mul) and any(isinstance(a, Add) for a in t.args):
        k = next(k for k, a in enumerate(t.args) if isinstance(a, Add))
        rest = (*t.args[:k], *t.args[k + 1 :])
        laws += [lambda: Add([Mul((*rest, a)) for a in t.args[k].args])] * 5  # type: ignore[attr-defined]
    if isinstance(t, Apply) and t.function == "exp" and isinstance(t.arg, Add):
        laws += [lambda: Mul([Apply("exp", a) for a in t.arg.args])] * 5  # type: ignore[attr-defined]
    if isinstance(t, Apply) and t.function == "exp" and isinstance(t.arg, Mul) and len(t.arg.args) == 2:
        laws += [lambda: Pow(Apply("exp", t.arg.args[1]), t.arg.args[0])] * 5  # type: ignore[attr-defined]
    if isinstance(t, Pow) and isinstance(t.base, Mul):
        laws += [lambda: Mul([Pow(a, t.exponent) for a in t.base.args])] * 5  # type: ignore[attr-defined]
    if isinstance(t, Pow) and isinstance(t.base, Pow):
        laws += [lambda: Pow(t.base.base, t.base.exponent * t.exponent)] * 5  # type: ignore[attr-defined]
    if isinstance(t, Pow) and isinstance(t.exponent, Number):
        half = Number(t.exponent.value / 2)
        laws += [lambda: Mul((Pow(t.base, half), Pow(t.base, half)))] * 3
    if isinstance(t, Bracket) and t.condition:
        laws += [lambda: Mul([Bracket((c,)) for c in t.condition]), lambda: Pow(t, make.rng.choice((-1, 2)))] * 3
    if isinstance(t, Choice):
        scaled = Number(make.rng.choice((2, -1))) * t.test
        laws += [lambda: Choice(scaled, t.above, t.otherwise), lambda: Pow(t, 2), lambda: t * t] * 2
    return make.rng.choice(laws)()


@pytest.mark.parametrize("chunk", CHUNKS)
def test_ring(chunk: int) -> None:
    report = Report()
    for k in range(TERMS):
        make = Maker(f"ring {chunk} {k}")
        scope = replace(random_scope(make), assumed=())
        t = make.term(scope.theory, scope.variables, make.rng.choice((1, 2, 3)))
        u = t
        for _ in range(make.rng.choice((1, 2, 3))):
            u = rewritten(u, make, scope.theory, scope.variables)
        facts = scope.facts if make.chance(0.5) else None
        report.asked += 1
        try:
            if u is t or not same(t, u, scope.theory, facts):
                continue
        except (Refused, TermError):
            continue
        report.yes += 1
        for total in (False, True):
            for at, env in points(scope, random.Random(k), total, 8):
                try:
                    one, two = at.value(t, env), at.value(u, env)
                    equal = compare(one, "=", two)
                except (Undefined, Unclear, Circular, Overlap):
                    continue
                report.checked += 1
                if not equal:
                    inputs = {str(key): str(v) for key, v in at.inputs.drawn.items()}
                    what = "ring, by convention" if total else "ring"
                    report.fail(
                        what, f"{t} = {u}: {one} and {two} at {at.inputs.sizes} {env} {inputs}\n{written(scope)}"
                    )
                    break
    report.close(TERMS // 8, TERMS)


# --- derivatives and expectations -------------------------------------------------------------------------------


@pytest.mark.parametrize("chunk", CHUNKS)
def test_nearby(chunk: int) -> None:
    """What stays known under a derivative holds in a neighbourhood of each point where it holds."""
    report = Report()
    for k in range(TERMS):
        make = Maker(f"nearby {chunk} {k}")
        theory = make.theory()
        names, facts = make.place()
        y = Entry("y")
        subject = make.term(theory, names, make.rng.choice((2, 3)))
        if make.chance(0.6):
            make.extra = (y, y, ONE / y, y * y, Choice(y, ONE, ZERO), Apply("abs", y))
            subject = make.term(theory, names, make.rng.choice((2, 3)))
        kind = make.rng.choice(("positive", "nonzero"))
        known = Obligation(kind, (), (), subject)
        scope = Scope(theory, names, facts, (), (known,))
        report.asked += 1
        try:
            kept = known in scope.nearby().assumed
        except Refused:
            continue
        if not kept or not theory.depends(subject, frozenset(("y",))):
            continue
        report.yes += 1
        for at, env in points(scope, random.Random(k), True):
            here = at.inputs.entry("y", ())
            for step in (+1, -1):
                away = []
                for exponent in (3, 5, 6):
                    moved = here + step * type(here)(1, 10**exponent)
                    drawn = {**at.inputs.drawn, ("y", ()): moved}
                    there = Evaluator(theory, replace(at.inputs, drawn=drawn), total=True)
                    try:
                        away.append(not holds(kind, there.value(subject, env)))
                    except (Undefined, Unclear):
                        away.append(False)
                report.checked += 1
                if all(away):
                    what = f"{subject} {kind} at y = {here}, not at {step} nearby"
                    report.fail("nearby", f"{what}\n  {source(subject)}\n{written(scope)} {env} {at.inputs.sizes}")
    report.close(TERMS // 30, TERMS)


@pytest.mark.parametrize("chunk", CHUNKS)
def test_expectations(chunk: int) -> None:
    """What is judged inside an expectation holds for every outcome, also where the facts outside speak of one."""
    report = Report()
    for k in range(TERMS):
        make = Maker(f"expectations {chunk} {k}")
        theory = make.theory()
        if not theory.random:
            continue
        names, facts = make.place()
        q = Entry("q", (make.index(names, 0),))
        make.extra = (q, q, q)
        subject = make.term(theory, names, make.rng.choice((1, 2)))
        known = Obligation(make.rng.choice(("positive", "nonnegative", "nonzero")), (), (), subject)
        scope = Scope(theory, names, facts, (), (known,))
        make.extra = (subject, subject, q)
        body = make.term(theory, names, make.rng.choice((0, 1, 2)))
        kind = make.rng.choice(("positive", "nonnegative", "nonzero"))
        report.asked += 1
        try:
            inside = scope.inside(Expectation(body), 0)
            if not consistent(facts) or not JUDGES[kind](body, inside):
                continue
        except (Refused, TermError):
            continue
        report.yes += 1
        for at, env in points(scope, random.Random(k), False, 8):
            for trial in range(4):
                drawn = {key: v for key, v in at.inputs.drawn.items() if key[0] != "q"}
                palette = PALETTES[trial % len(PALETTES)]
                other = replace(at.inputs, drawn=drawn, palette=palette, seed=f"{at.inputs.seed} {trial}")
                # only the random entries change: what is read for the first time is drawn as before
                fixed = Outcome(at.inputs, other)
                try:
                    good = holds(kind, Evaluator(theory, fixed).value(body, env))  # type: ignore[arg-type]
                except (Undefined, Unclear, Circular, Overlap):
                    continue
                report.checked += 1
                if not good:
                    report.fail("outcome", f"{kind} inside E: {body}\n  {source(body)}\n{written(scope)} at {env}")
    report.close(TERMS // 40, TERMS // 4)


@dataclass
class Outcome:
    """Inputs whose random entries are those of other inputs."""

    inputs: Inputs
    other: Inputs

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inputs, name)

    def entry(self, name: str, at: tuple[int, ...]) -> Any:
        return (self.other if name == "q" else self.inputs).entry(name, at)


# --- numbers ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("chunk", CHUNKS)
def test_numbers(chunk: int) -> None:
    """`certain` compares numbers: what is not a number has no order, whatever stands for it."""
    report = Report()
    for k in range(TERMS):
        make = Maker(f"numbers {chunk} {k}")
        theory = Theory()
        names = ("i",)
        for name in ("A", "B"):
            body = _closed(make, make.term(theory if theory.definitions else _ONLY, names, 2))
            try:
                theory = admit(theory, Definition(name, (), body))
            except (KernelError, TermError):
                continue
        parts = theory if theory.definitions else _ONLY
        left, right = (_closed(make, make.term(parts, names, make.rng.choice((1, 2, 3)))) for _ in range(2))
        relation = make.rng.choice(("<", "<=", "!="))
        report.asked += 1
        if not certain(left, relation, right, theory):
            continue
        report.yes += 1
        for at in worlds(theory, random.Random(k), False, 5):
            try:
                good = compare(at.value(left, {}), relation, at.value(right, {}))
            except Unclear:
                continue
            except Undefined as reason:
                report.fail("undefined", f"{left} {relation} {right}: {reason}")
                break
            report.checked += 1
            if not good:
                report.fail(
                    "numbers",
                    f"{left} {relation} {right}\n  {source(left)}\n  {source(right)}\n{source(theory.definitions)}",
                )
                break
    report.close(TERMS // 20, TERMS // 4)


_ONLY = Theory({}, {"A": (Definition("A", (), Number(2)),)})


def _closed(make: Maker, t: Term) -> Term:
    """Numbers for all indices and sizes."""
    sizes = {s: Index.of(make.rng.choice((1, 2, 3))) for s in ("n", "m")}
    try:
        return substitute(t, {v: Index.of(make.rng.choice((0, 1, 2))) for v in t.free}, sizes)
    except TermError:
        return ONE


def test_the_text_of_a_failure_is_the_term() -> None:
    """`source` writes what Python reads back."""
    import derivations.language.term as language

    names = {**vars(language), "Fraction": __import__("fractions").Fraction}
    for k in range(200):
        make = Maker(f"text {k}")
        theory = make.theory()
        t = make.term(theory, ("i", "j"), 3)
        assert eval(source(t), names) is t  # what was written here
        assert guard_free(guard()) == frozenset()
