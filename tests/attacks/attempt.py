"""One attempt to prove something false, the refusal that it must meet, and the sound proof beside it.

An attempt is honest when its statement fails somewhere: `counterexample` finds sizes and inputs where both sides are
defined, all hypotheses hold, and the relation does not.  Where the evaluator cannot say so (it knows one value of an
entry that may have any), the attempt says in words why its statement is false.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

from flint import fmpq

from derivations.kernel.proof import Meet, Proof, Step
from derivations.language.extended_reals import NEG_INF, Indeterminate, WorkLimit, ball
from derivations.language.inputs import Inputs
from derivations.language.meaning import defined, evaluate
from derivations.language.statement import Definition, Statement, Tensor, Theory
from derivations.language.substitution import subterms, term_sizes
from derivations.language.term import (
    Apply,
    Constraint,
    Entry,
    Guard,
    Index,
    IndexValue,
    Lambda,
    NegInfinity,
    Number,
    Term,
    TermError,
    guard,
    sum_over,
)

a, b, c, h, i, j, k, p = (Index.var(v) for v in "abchijkp")
n, m, w = (Index.size(s) for s in "nmw")
x, y, z = Entry("x"), Entry("y"), Entry("z")
ZERO_INDEX = Index.of(0)
HALF = Number(Fraction(1, 2))
BOT = NegInfinity()
EMPTY = Theory()


@dataclass(frozen=True)
class Case:
    """A theory, a statement in it, and a proof."""

    theory: Theory
    statement: Statement
    proof: Proof


@dataclass(frozen=True)
class Attempt:
    """A case that must be refused at `stage` (a rule, or what else refuses) for a reason that contains `says`.

    `about` names what is attacked besides the stage: nodes and judgements.  `because` says why the statement is false
    where no `witness` shows it.  A case may be a function that makes it, where making it is refused
    already.
    """

    name: str
    stage: str
    says: str
    case: Case | Callable[[], Case]
    twin: Case | None = None
    about: tuple[str, ...] = ()
    witness: Inputs | None = None
    because: str = ""

    def made(self) -> Case:
        return self.case if isinstance(self.case, Case) else self.case()


def step(rule: str, before: Term, after: Term, path: tuple[int, ...] = (), back: bool = False, **args: Any) -> Step:
    return Step(rule, path, before, after, args, back)


def by(*steps: Step) -> Meet:
    return Meet(steps, ())


def backwards(steps: Iterable[Step]) -> list[Step]:
    """The same steps from the end to the beginning."""
    return [Step(s.rule, s.path, s.after, s.before, s.args, not s.back) for s in reversed(list(steps))]


def theory(*rows: Definition | Tensor) -> Theory:
    definitions: dict[str, tuple[Definition, ...]] = {}
    for d in rows:
        if isinstance(d, Definition):
            definitions[d.name] = (*definitions.get(d.name, ()), d)
    return Theory({t.name: t for t in rows if isinstance(t, Tensor)}, definitions)


def defined_as(name: str, at: Iterable[Index | int], body: Term, *condition: Constraint, **more: Any) -> Definition:
    return Definition(name, tuple(map(Index.of, at)), body, guard(*condition), **more)


def e(name: str, *at: Index | int) -> Entry:
    return Entry(name, at)


def applied(name: str, params: str, body: Term, *at: Index | int) -> Entry:
    """`name((params) -> body)[at]`."""
    return Entry(name, at, (Lambda(tuple(params), body),))


def total(body: Term, low: Index | int = 0, high: Index | int = n, var: str = "j") -> Term:
    return sum_over(var, low, high, body)


def fn(name: str, t: Term) -> Apply:
    return Apply(name, t)


def value(index: Index) -> IndexValue:
    return IndexValue(index)


def equation(
    left: Term,
    right: Term,
    proof: Proof,
    *,
    th: Theory = EMPTY,
    ix: str = "",
    given: Iterable[Constraint] = (),
    hyps: tuple[Statement, ...] = (),
    relation: str = "=",
) -> Case:
    return Case(th, Statement(left, relation, right, tuple(ix), guard(*given), hyps), proof)


def single(
    rule: str,
    before: Term,
    after: Term,
    *,
    th: Theory = EMPTY,
    ix: str = "",
    given: Iterable[Constraint] = (),
    hyps: tuple[Statement, ...] = (),
    path: tuple[int, ...] = (),
    within: Any = None,
    back: bool = False,
    **args: Any,
) -> Case:
    """`before = after` in one step; with `within`, the equation of what it makes of the two sides."""
    around = within or (lambda t: t)
    proof = by(Step(rule, path, before, after, args, back))
    return equation(around(before), around(after), proof, th=th, ix=ix, given=given, hyps=hyps)


# --- whether a statement fails somewhere -----------------------------------------------------------------------------

PLACES = range(-2, 5)
SEEDS = 6


def _sizes(case: Case) -> list[str]:
    s = case.statement
    terms = [s.left, s.right, *(t for h in s.hypotheses for t in (h.left, h.right))]
    terms += [d.body for ds in case.theory.definitions.values() for d in ds]
    conditions: list[Guard] = [s.guard, *(h.guard for h in s.hypotheses)]
    conditions += [d.condition for ds in case.theory.definitions.values() for d in ds]
    found = {name for t in terms for u in subterms(t) for name in term_sizes(u)}
    found |= {name for g in conditions for q in g for name in q.index.sizes}
    found |= {s for ds in case.theory.definitions.values() for d in ds for q in d.indices for s in q.sizes}
    found |= {s for name in case.theory.random for q in case.theory.tensors[name].shape for s in q.sizes}
    return sorted(found)


def _points(statement: Statement, inputs: Inputs) -> Iterator[dict[str, int]]:
    for values in product(PLACES, repeat=len(statement.indices)):
        env = dict(zip(statement.indices, values, strict=True))
        if all(q.holds(env, inputs.sizes, inputs.choose) for q in statement.guard):
            yield env


def _fails(s: Statement, th: Theory, inputs: Inputs, env: dict[str, int]) -> bool:
    """Whether the relation certainly does not hold."""
    left, right = evaluate(s.left, th, inputs, env), evaluate(s.right, th, inputs, env)
    if left is NEG_INF or right is NEG_INF:
        return left is not right
    if isinstance(left, fmpq) and isinstance(right, fmpq):
        return not {"=": left == right, "!=": left != right, "<": left < right, "<=": left <= right}[s.relation]
    one, other = ball(left), ball(right)
    if s.relation == "=":
        return not one.overlaps(other)
    return s.relation != "!=" and bool(one > other)


def counterexample(case: Case, witness: Inputs | None = None) -> tuple[dict[str, int], dict[str, int]] | None:
    """Sizes and indices at which a statement fails although both sides are defined and all hypotheses hold."""
    s, names = case.statement, _sizes(case)
    rows = [witness] if witness is not None else [
        Inputs(dict(zip(names, values, strict=True)), {}, str(seed))
        for seed in range(SEEDS)
        for values in product((2, 3, 1), repeat=len(names))
    ]  # fmt: skip
    for inputs in rows:
        try:
            if any(_fails(hyp, case.theory, inputs, at) for hyp in s.hypotheses for at in _points(hyp, inputs)):
                continue
            for env in _points(s, inputs):
                sides = (s.left, s.right)
                if all(defined(t, case.theory, inputs, env) for t in sides) and _fails(s, case.theory, inputs, env):
                    return dict(inputs.sizes), env
        except (Indeterminate, WorkLimit, TermError, KeyError):
            continue
    return None
