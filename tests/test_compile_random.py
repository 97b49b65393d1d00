"""Random definitions: NumPy, torch and balls agree with the value of the term, entry by entry."""

from __future__ import annotations

import importlib.util
import random
from fractions import Fraction

import numpy as np
import pytest
from derivations.numeric import NotCompiled, compile_definition
from derivations.numeric.balls import reference_balls
from derivations.numeric.bounds import ARITHMETICS, error_bound
from derivations.numeric.crosscheck import compare, reference

from derivations.language.statement import Definition, Tensor, Theory
from derivations.language.substitution import substitute
from derivations.language.term import (
    Add,
    Apply,
    Bracket,
    Case,
    Entry,
    Index,
    IndexValue,
    Mul,
    Pow,
    Term,
    at_least,
    guard,
    less,
    number,
    sum_over,
)

n, m, d = map(Index.size, "nmd")
AXES = {"i": n, "j": m, "c": d, "k": m}
INPUTS = {"A": ("i", "c"), "B": ("k", "c"), "C": ("i", "j"), "x": ("i",), "y": ("k",), "s": (), "D": ("j", "i")}
THEORY = Theory({name: Tensor(name, tuple(AXES[a] for a in axes)) for name, axes in INPUTS.items()})
BACKENDS = ["numpy", *(["torch"] if importlib.util.find_spec("torch") else [])]


class Maker:
    """Terms over the indices i < n and j < m; `positive` ones may stand under a root, a logarithm or a fraction."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.fresh = 0

    def name(self) -> str:
        self.fresh += 1
        return f"k{self.fresh}"

    def term(self, depth: int, free: tuple[str, ...]) -> Term:
        if depth == 0:
            return self.leaf(free)
        kind = self.random.choice(
            [
                "add",
                "mul",
                "sub",
                "div",
                "exp",
                "tanh",
                "sum",
                "dot",
                "softmax",
                "mean",
                "where",
                "power",
                "lse",
                "sqrt",
            ]
        )
        a = self.term(depth - 1, free)
        if kind in ("add", "mul", "sub"):
            b = self.term(self.random.randrange(depth), free)
            return {"add": Add((a, b)), "mul": Mul((a, b)), "sub": a - b}[kind]
        if kind == "div":
            return a / self.positive(depth - 1, free)
        if kind == "exp":
            return Apply("exp", Apply("tanh", a))
        if kind == "tanh":
            return Apply("tanh", a)
        if kind == "power":
            return Pow(a, 2)
        if kind == "sqrt":
            return Apply("log", self.positive(depth - 1, free)) * Pow(self.positive(0, free), Fraction(-1, 2))
        if kind == "where":
            return Case([(self.condition(free), a)], self.term(self.random.randrange(depth), free))
        return self.reduction(kind, depth, free)

    def reduction(self, kind: str, depth: int, free: tuple[str, ...]) -> Term:
        var = self.name()
        column = Index.var(var)
        if kind == "dot":
            row = Entry("A", (Index.var(free[0]), column)) if free else Entry("A", (Index.of(0), column))
            other = Index.var(free[-1]) if len(free) > 1 else Index.of(0)
            product = sum_over(var, 0, d, row * Entry("B", (other, column)))
            return product / Pow(IndexValue(d), Fraction(1, 2)) if self.random.random() < 0.5 else product
        body = self.term(depth - 1, (*free[:1], var))
        if kind == "sum":
            return sum_over(var, 0, m, body)
        if kind == "mean":
            return sum_over(var, 0, m, body) / IndexValue(m)
        weight: Term = Apply("exp", Apply("tanh", body) * 3)
        if self.random.random() < 0.5 and free:
            weight = Bracket(guard(at_least(Index.var(free[0]), column - 1))) * weight
        if kind == "lse":
            return Apply("log", sum_over(var, 0, m, Apply("exp", body if depth < 2 else Apply("tanh", body))))
        other = self.name()
        total = sum_over(other, 0, m, substitute(weight, {var: Index.var(other)}))
        return sum_over(var, 0, m, weight / total * Entry("y", (column,)))

    def positive(self, depth: int, free: tuple[str, ...]) -> Term:
        return Pow(self.term(depth, free), 2) + 1

    def condition(self, free: tuple[str, ...]) -> tuple:
        if len(free) < 2:
            return guard(at_least(Index.var(free[0]), 1)) if free else guard(at_least(n, 2))
        i, j = map(Index.var, free[:2])
        return self.random.choice(
            [guard(at_least(i, j)), guard(less(i, j)), guard(at_least(j + 1, i), at_least(i, j - 1))]
        )

    def leaf(self, free: tuple[str, ...]) -> Term:
        i, j = Index.var(free[0]), Index.var(free[-1])
        choices = [
            Entry("x", (i,)),
            Entry("y", (j,)) if len(free) > 1 else Entry("x", (i,)),
            Entry("C", (i, j)) if len(free) > 1 else Entry("C", (i, Index.of(0))),
            Entry("D", (j, i)) if len(free) > 1 else Entry("D", (Index.of(0), i)),
            Entry("s"),
            number(Fraction(self.random.choice([2, -1, 3]), 7)),
            IndexValue(j) + 1,
            Mul((number(-1), Entry("x", (i,)))),
        ]
        return self.random.choice(choices)


@pytest.mark.parametrize("seed", range(60))
def test_random_definitions(seed: int) -> None:
    term = Maker(seed).term(1 + seed % 3, ("i", "j"))
    definition = Definition("R", (Index.var("i"), Index.var("j")), term, shape=(n, m))
    sizes = {"n": 3, "m": 4, "d": 2}
    rng = np.random.default_rng(seed)
    lengths = {"i": 3, "j": 4, "k": 4, "c": 2}
    drawn = {name: rng.standard_normal([lengths[a] for a in axes]) for name, axes in INPUTS.items()}
    exact = None
    for backend in BACKENDS:
        try:
            made = compile_definition(definition, THEORY, backend)
        except NotCompiled as reason:
            assert "nested" in str(reason), reason
            return
        given = {name: drawn[name] for name in made.inputs}
        if exact is None:
            exact = reference(definition, THEORY, sizes, given)
            balls = reference_balls(made.program, given, sizes)
            assert balls is not None
            for at in np.ndindex(exact.shape):
                if exact[at] is not None:
                    assert balls[at].overlaps(exact[at])
        tensors = given
        if backend == "torch":
            import torch

            tensors = {k: torch.as_tensor(v) for k, v in given.items()}
        numbers = {s: sizes[s] for s in made.parameters}
        with np.errstate(all="ignore"):
            found = np.asarray(made(**tensors, **numbers))
        bound = np.broadcast_to(error_bound(made.program, given, sizes, ARITHMETICS["float64"]), exact.shape)
        meant = np.array([v is not None for v in exact.ravel()], dtype=bool).reshape(exact.shape)
        if np.isfinite(bound[meant]).all() and meant.any():
            row = compare(found, exact, bound)
            assert not row["failed"], (str(term), made.source, row)
