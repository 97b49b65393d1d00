"""Mutated statements: what is proved of them must be true, and what was true must not be called false.

A mutant changes one thing in a true library statement (or in a definition that it uses).  Most mutants are false; a
few are true again.  Whatever the prover proves is evaluated at random inputs; one difference is a false proof.
"""

import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from itertools import islice

import pytest

from derivations.kernel.definition import admit
from derivations.kernel.errors import KernelError
from derivations.language.extended_reals import Indeterminate, WorkLimit, precise
from derivations.language.meaning import Evaluator
from derivations.language.statement import Statement, Theory
from derivations.language.term import (
    Add,
    Apply,
    Bracket,
    Entry,
    Index,
    Mul,
    Number,
    Pow,
    Sum,
    Term,
    TermError,
    at_least,
    constraint,
)
from derivations.provers.decide import Proved, Refuted, decide
from derivations.provers.refute import STYLES, Draw, all_sizes, apart, points
from derivations.theorems import Theorem, library

ROWS = [r for r in library() if isinstance(r, Theorem)]
PER_ROW = 11
BATCHES = 12


def edits(t: Term) -> Iterator[Callable[[Term], Term]]:
    """Changes of one node."""
    if isinstance(t, Entry) and len(t.indices) == 2 and t.indices[0] is not t.indices[1]:
        yield lambda x: Entry(x.name, x.indices[::-1], x.args, x.sizes)
    if isinstance(t, Entry) and t.indices:
        yield lambda x: Entry(x.name, (x.indices[0] + 1, *x.indices[1:]), x.args, x.sizes)
    if isinstance(t, (Add, Mul)) and len(t.args) > 1:
        yield lambda x: x.with_children(x.children[1:])
        yield lambda x: x.with_children(x.children[:-1])
    if isinstance(t, Add):
        yield lambda x: x.with_children([-x.children[0], *x.children[1:]])
        yield lambda x: Mul(x.children)
    if isinstance(t, Mul):
        yield lambda x: Add(x.children)
    if isinstance(t, Number):
        yield lambda x: Number(x.value + 1)
        yield lambda x: Number(-x.value)
    if isinstance(t, Sum):
        yield lambda x: Sum(x.var, (*x.guard[:-1], constraint(x.guard[-1].index - 1, x.guard[-1].relation)), x.body)
        yield lambda x: Sum(x.var, (*x.guard, at_least(Index.var(x.var), 1)), x.body)
        yield lambda x: x.body if x.var not in x.body.free else Mul((Number(2), x))
    if isinstance(t, Pow) and isinstance(t.exponent, Number):
        yield lambda x: Pow(x.base, Number(x.exponent.value + 1))
        yield lambda x: x.base
    if isinstance(t, Apply):
        yield lambda x: x.arg
        yield lambda x: Apply("exp" if x.function != "exp" else "sin", x.arg)
    if isinstance(t, Bracket) and t.condition:
        yield lambda x: Bracket([constraint(c.index - 1, c.relation) for c in x.condition])
        yield lambda x: Number(1)


def positions(t: Term, path: tuple[int, ...] = ()) -> Iterator[tuple[tuple[int, ...], Term]]:
    yield path, t
    for k, child in enumerate(t.children):
        yield from positions(child, (*path, k))


def changed(root: Term, path: tuple[int, ...], edit: Callable[[Term], Term]) -> Term:
    if not path:
        return edit(root)
    children = list(root.children)
    children[path[0]] = changed(children[path[0]], path[1:], edit)
    return root.with_children(children)


def mutants(row: Theorem, count: int) -> Iterator[tuple[Statement, Theory]]:
    """Statements that differ from the row's in one node of a side or of a definition."""
    statement, theory = row.stated
    rng = random.Random(row.name)
    places: list[tuple[str, tuple[int, ...], Callable[[Term], Term]]] = []
    sources = {"left": statement.left, "right": statement.right}
    sources |= {f"definition {n}": d[0].body for n, d in theory.definitions.items() if len(d) == 1}
    for name, term in sources.items():
        places += [(name, path, edit) for path, t in positions(term) for edit in edits(t)]
    rng.shuffle(places)
    made = 0
    for name, path, edit in places:
        if made == count:
            return
        try:
            term = changed(sources[name], path, edit)
            if term is sources[name]:
                continue
            if name.startswith("definition"):
                head = name.split(" ", 1)[1]
                rebuilt = Theory(theory.tensors, {})
                for n, ds in theory.definitions.items():
                    for d in ds:
                        rebuilt = admit(rebuilt, replace(d, body=term) if n == head else d)
                mutant = statement, rebuilt
            else:
                mutant = replace(statement, **{name: term}), theory
        except (TermError, KernelError):
            continue
        if mutant[0].left.free | mutant[0].right.free <= set(statement.indices):
            made += 1
            yield mutant


def counterexample(statement: Statement, theory: Theory) -> str | None:
    """Where a proved statement fails, by its meaning at sizes up to 3."""
    names = sorted(all_sizes(statement, theory))
    for trial in range(6):
        sizes = {s: 1 + (k + trial) % 3 for k, s in enumerate(names)}
        evaluator = Evaluator(theory, Draw(sizes, seed=f"mutant {trial}", values=STYLES[2]))
        for at in islice(points(statement, sizes), 8):
            try:
                with precise(128):
                    if not (evaluator.defined(statement.left, at) and evaluator.defined(statement.right, at)):
                        continue
                    left, right = evaluator.value(statement.left, at), evaluator.value(statement.right, at)
                    if apart(left, statement.relation, right):
                        return f"{statement}\n at {sizes}, {at}: {left} against {right}"
            except (Indeterminate, WorkLimit):
                continue
    return None


@cache
def batch(number: int) -> dict[str, int]:
    score = {"refuted": 0, "proved and true": 0, "undecided": 0, "all": 0}
    for row in ROWS[number::BATCHES]:
        for statement, theory in mutants(row, PER_ROW):
            decision = decide(statement, theory, work=20_000)
            score["all"] += 1
            if isinstance(decision, Refuted):
                score["refuted"] += 1
            elif isinstance(decision, Proved):
                if not decision.theorem.statement.hypotheses:
                    found = counterexample(decision.theorem.statement, theory)
                    assert found is None, f"FALSE PROOF (mutant of {row.name}): {found}"
                score["proved and true"] += 1
            else:
                score["undecided"] += 1
    return score


@pytest.mark.parametrize("number", range(BATCHES))
def test_no_mutant_has_a_false_proof(number: int) -> None:
    score = batch(number)
    print(f"batch {number}: {score}")  # noqa: T201 (the score, shown by pytest -rP)
    assert score["all"] > 20, score
    assert score["refuted"] > score["all"] / 2, score


def test_there_are_enough_mutants() -> None:
    assert sum(min(PER_ROW, sum(1 for _ in mutants(r, PER_ROW))) for r in ROWS) >= 500
