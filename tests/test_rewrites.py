"""Completeness: true statements written in another way are still proved, and never called false.

Each rewrite keeps the meaning of a term: bound indices renamed, factors and summands in another order, products
multiplied out, exponentials split, sums exchanged, reversed or cut in two, brackets as cases, quotients extended.
"""

import random
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from derivations.kernel.definition import instance
from derivations.language.statement import Statement, Theory
from derivations.language.substitution import bound_variables, fresh, rename_apart, substitute
from derivations.language.term import (
    ONE,
    ZERO,
    Add,
    Apply,
    Bracket,
    Case,
    Entry,
    Index,
    Mul,
    Number,
    Pow,
    Sum,
    Term,
    TermError,
    at_least,
    guard_free,
    guard_substitute,
)
from derivations.provers.decide import Proved, Refuted, decide
from derivations.theorems import Theorem, library

ROWS = [r for r in library() if isinstance(r, Theorem) and r.relation == "="]
PER_ROW = 7
BATCHES = 4
WANTED = 0.95
Rewrite = Callable[[Term, Theory, frozenset[str]], Term | None]


def renamed(t: Term, _: Theory, avoid: frozenset[str]) -> Term | None:
    if not isinstance(t, Sum):
        return None
    new = fresh("z", avoid | bound_variables(t) | t.free | {t.var})
    at = {t.var: Index.var(new)}
    return Sum(new, guard_substitute(t.guard, at), substitute(t.body, at))


def turned(t: Term, _: Theory, __: frozenset[str]) -> Term | None:
    return t.with_children(t.children[::-1]) if isinstance(t, (Add, Mul)) and len(t.children) > 1 else None


def multiplied_out(t: Term, _: Theory, __: frozenset[str]) -> Term | None:
    if not isinstance(t, Mul):
        return None
    place = next((k for k, f in enumerate(t.args) if isinstance(f, Add)), None)
    if place is None:
        return None
    return Add(Mul((*t.args[:place], a, *t.args[place + 1 :])) for a in t.args[place].children)


def split_exponential(t: Term, _: Theory, __: frozenset[str]) -> Term | None:
    if not (isinstance(t, Apply) and t.function == "exp"):
        return None
    half = Mul((Number(1) / Number(2), t.arg))
    return Mul((Apply("exp", half), Apply("exp", half)))


def pushed_in(t: Term, _: Theory, __: frozenset[str]) -> Term | None:
    if not isinstance(t, Mul) or len(t.args) < 2:
        return None
    place = next((k for k, f in enumerate(t.args) if isinstance(f, Sum)), None)
    if place is None:
        return None
    rest = [f for k, f in enumerate(t.args) if k != place]
    total = rename_apart(t.args[place], frozenset().union(*(f.free | bound_variables(f) for f in rest)))
    return Sum(total.var, total.guard, Mul((*rest, total.body)))  # type: ignore[attr-defined]


def exchanged(t: Term, _: Theory, __: frozenset[str]) -> Term | None:
    if not (isinstance(t, Sum) and isinstance(t.body, Sum)) or t.var in guard_free(t.body.guard):
        return None
    return Sum(t.body.var, t.body.guard, Sum(t.var, t.guard, t.body.body))


def cut(t: Term, _: Theory, avoid: frozenset[str]) -> Term | None:
    if not isinstance(t, Sum):
        return None
    on = at_least(Index.var(t.var), 1)
    return Add((Sum(t.var, (*t.guard, on), t.body), Sum(t.var, (*t.guard, *on.negations()), t.body)))


def as_cases(t: Term, _: Theory, __: frozenset[str]) -> Term | None:
    return Case([(t.condition, ONE)], ZERO) if isinstance(t, Bracket) else None


def extended(t: Term, _: Theory, __: frozenset[str]) -> Term | None:
    if not (isinstance(t, Pow) and t.exponent is Number(-1)):
        return None
    extra = Apply("exp", Entry("shift"))
    return Mul((extra, Pow(Mul((t.base, extra)), -1)))


def unfolded(t: Term, theory: Theory, avoid: frozenset[str]) -> Term | None:
    if isinstance(t, Entry):
        for d in theory.definitions.get(t.name, ()):
            found = instance(d, t, avoid)
            if found is not None and not found[1]:
                return found[0]
    return None


def plus_minus(t: Term, _: Theory, __: frozenset[str]) -> Term | None:
    if not isinstance(t, Entry):
        return None
    return t + Entry("extra") - Entry("extra")


REWRITES: tuple[Rewrite, ...] = (
    *(renamed, turned, multiplied_out, split_exponential, pushed_in, exchanged, cut, as_cases, extended, unfolded),
    plus_minus,
)


def places(
    t: Term, path: tuple[int, ...], bound: frozenset[str]
) -> Iterator[tuple[tuple[int, ...], Term, frozenset[str]]]:
    yield path, t, bound
    for k, child in enumerate(t.children):
        yield from places(child, (*path, k), bound | set(t.binding(k)[0]))


def put(root: Term, path: tuple[int, ...], new: Term) -> Term:
    if not path:
        return new
    children = list(root.children)
    children[path[0]] = put(children[path[0]], path[1:], new)
    return root.with_children(children)


def rewritten(row: Theorem, count: int) -> Iterator[tuple[str, Statement, Theory]]:
    """Statements that mean the same, each made by two rewrites in a row where that is possible."""
    statement, theory = row.stated
    rng = random.Random(f"rewrite {row.name}")
    for rewrite in rng.sample(REWRITES, len(REWRITES)):
        if count == 0:
            return
        current, used = statement, []
        for one in (rewrite, rng.choice(REWRITES)):
            side = rng.choice(("left", "right"))
            for name in (side, "right" if side == "left" else "left"):
                root = getattr(current, name)
                found = list(places(root, (), frozenset(statement.indices)))
                rng.shuffle(found)
                new = next(((p, n) for p, t, bound in found if (n := one(t, theory, bound | t.free)) is not None), None)
                if new is None:
                    continue
                try:
                    current = replace(current, **{name: put(root, *new)})
                except TermError:
                    continue
                used.append(one.__name__)
                break
        if used:
            count -= 1
            yield ", ".join(used), current, theory


SCORE: dict[int, tuple[int, int]] = {}


@pytest.mark.parametrize("number", range(BATCHES))
def test_rewritten_statements_are_still_proved(number: int) -> None:
    proved, tried, missed = 0, 0, []
    for row in ROWS[number::BATCHES]:
        for used, statement, theory in rewritten(row, PER_ROW):
            decision = decide(statement, theory)
            tried += 1
            assert not isinstance(decision, Refuted), f"{row.name} rewritten by {used} is called false: {statement}"
            if isinstance(decision, Proved):
                proved += 1
            else:
                missed.append(f"{row.name} ({used}): {getattr(decision, 'reason', '')}\n   {statement}")
    shown = "\n".join(missed)
    print(f"batch {number}: {proved} of {tried}\n{shown}")  # noqa: T201 (the score, shown by pytest -rP)
    assert tried >= 20
    assert proved >= tried * WANTED, shown


def test_there_are_enough_rewrites() -> None:
    assert sum(sum(1 for _ in rewritten(r, PER_ROW)) for r in ROWS) >= 300
