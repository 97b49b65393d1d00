"""Code is fuzzed: small functions, written by hand and drawn from a grammar, are lifted and run by torch and NumPy.

Each comes out equal at all sizes, or is refused, or is equal under an assumption that is printed.  How many were compared
is counted, so that refusing everything does not pass.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.lifting_cases import outcomes, read_cases

DATA = Path(__file__).parent / "data" / "lifting"
WRITTEN = {p.stem: list(read_cases(p)) for p in sorted(DATA.glob("*.txt"))}
COMPARED = {"memory": 0.4, "python": 0.6, "numbers": 0.5, "places": 0.7, "arrays": 0.6}
"""The least part of each file that must be compared; most of what changes memory is refused."""
NARROWER = {
    "def f(u, w): return torch.linspace(0, 1, len(u)) * w": "(b - a) / (n - 1) where n is 1",
    "def f(x): return F.cosine_similarity(x, x + 1)": "a vector that is zero: that none is, is printed",
    "def f(s): return torch.linalg.inv(s) @ s": "a singular matrix, which rounding may hide from the library",
}
"""Functions whose term has a value at fewer sizes than the function itself; all others have one wherever it has."""
DRAWN, MANY = 150, 3000


def judged(codes: Iterable[str]) -> tuple[Counter[str], list[str]]:
    """How many functions were compared, refused, and so on, and what differs."""
    counts: Counter[str] = Counter()
    wrong: list[str] = []
    for code in codes:
        found = list(outcomes(code))
        kinds = {o.kind for o in found}
        bad = [
            o for o in found if o.kind in ("different", "internal") or (o.kind == "undefined" and code not in NARROWER)
        ]
        wrong += [f"{code}\n    {o.kind}: {o.text}" for o in bad[:1]]
        counts[next((k for k in ("compared", "refused", "assumed", "failed") if k in kinds), "other")] += 1
    return counts, wrong


def test_there_are_many_functions() -> None:
    assert WRITTEN.keys() == COMPARED.keys()
    assert sum(map(len, WRITTEN.values())) >= 800
    codes = [c for file in WRITTEN.values() for c in file]
    assert len(set(codes)) == len(codes)
    assert NARROWER.keys() <= set(codes)


@pytest.mark.parametrize("name", WRITTEN)
def test_written_functions(name: str) -> None:
    counts, wrong = judged(WRITTEN[name])
    assert not wrong, "\n".join(wrong)
    assert counts["compared"] >= COMPARED[name] * len(WRITTEN[name]), counts


def test_drawn_functions() -> None:
    counts, wrong = judged(Drawn(f"{k} drawn").function() for k in range(DRAWN))
    assert not wrong, "\n".join(wrong)
    assert counts["compared"] >= 0.5 * DRAWN, counts


@pytest.mark.fuzz
@pytest.mark.parametrize("part", range(10))
def test_many_drawn_functions(part: int) -> None:
    each = MANY // 10
    counts, wrong = judged(Drawn(f"{k} many {part}").function() for k in range(each))
    assert not wrong, "\n".join(wrong)
    assert counts["compared"] >= 0.5 * each, counts


class Drawn:
    """A function from a grammar: a few statements that make, alias and change arrays, and one that returns."""

    def __init__(self, seed: str) -> None:
        self.draw = random.Random(seed)
        self.matrices = ["x", "y"]

    def function(self) -> str:
        lines = [line for _ in range(self.draw.randint(1, 4)) for line in self.statement()]
        result = self.pick(
            self.matrix(1), self.row(1), self.column(1), self.pick(*self.matrices), f"{self.matrix(1)}.sum()"
        )
        return "def f(x, y, u, v):\n" + "".join(f"    {line}\n" for line in [*lines, f"return {result}"])

    def pick(self, *options: str) -> str:
        return self.draw.choice(options)

    def number(self) -> str:
        return self.pick("0", "1", "2", "-1", "0.5", "-1.5")

    def name(self) -> str:
        return self.draw.choice(self.matrices)

    def matrix(self, depth: int) -> str:
        if depth <= 0:
            return self.pick(self.name(), f"{self.name()}.clone()")
        a, b, axis = self.matrix(depth - 1), self.matrix(depth - 1), self.pick("0", "1", "-1")
        return self.pick(
            *(
                f"({a} + {b})",
                f"({a} * {b})",
                f"({a} - {self.row(depth - 1)})",
                f"({a} * {self.column(depth - 1)}[:, None])",
            ),
            *(
                f"torch.relu({a})",
                f"({a} / 2)",
                f"{a}.cumsum({axis})",
                f"{a}.flip({self.pick('0', '1')})",
                f"{a}.roll(1, {axis})",
            ),
            *(
                f"{a}.masked_fill({self.mask(depth - 1)}, {self.number()})",
                f"torch.where({self.mask(depth - 1)}, {a}, {b})",
            ),
            *(f"torch.tril({a}, {self.pick('0', '1', '-1')})", f"{a}.T.T", f"({a} - {a}.mean({axis}, keepdim=True))"),
            *(f"torch.maximum({a}, {b})", f"{a}.abs()", f"{a}.clamp(min={self.number()})", f"({a} ** 2)", f"(-{a})"),
            *(f"torch.softmax({a}, {axis})", f"{a}.reshape(-1).reshape({a}.shape)", f"({self.mask(depth - 1)} * {a})"),
            *(
                f"torch.cat([{a}, {b}])[{self.pick('0', '1')}:][:x.shape[0]]",
                f"torch.stack([{a}, {b}])[{self.pick('0', '1', '-1')}]",
            ),
        )

    def mask(self, depth: int) -> str:
        a = self.matrix(min(depth, 1))
        return self.pick(
            *(f"({a} > {self.number()})", f"({a} <= {self.matrix(0)})", f"({a} == 0)", f"~({a} < {self.number()})"),
            *(f"(({a} > 0) & ({self.matrix(0)} < 1))", f"(({a} > 0) + ({a} < -1))"),
            *("torch.ones_like(x).triu(1).bool()", "(torch.arange(x.shape[0])[:, None] > torch.arange(x.shape[1]))"),
        )

    def row(self, depth: int) -> str:
        a = self.matrix(min(depth, 1))
        return self.pick(
            *("v", f"{a}.sum(0)", f"{a}.mean(0)", f"{a}[{self.pick('0', '-1')}]", f"{a}.max(0).values", f"{a}.amin(0)"),
            *(f"({self.column(0)} @ {a})", f"(v * {a}[0])", "torch.arange(x.shape[1])", f"({a} > 0).sum(0)"),
        )

    def column(self, depth: int) -> str:
        a = self.matrix(min(depth, 1))
        return self.pick(
            "u",
            f"{a}.sum(1)",
            f"{a}[:, {self.pick('0', '-1')}]",
            f"({a} @ v)",
            f"{a}.max(1)[0]",
            "torch.arange(x.shape[0])",
        )

    def statement(self) -> list[str]:
        a, new = self.name(), f"a{len(self.matrices)}"
        place = self.pick("0", "-1", ":1", "1:", ":", f"{self.mask(1)}", ":, 0", ":-1", "..., -1")
        kinds = [
            [f"{a}[{place}] {self.pick('=', '=', '+=', '*=', '-=')} {self.number()}"],
            [f"{a} {self.pick('+=', '-=', '*=')} {self.pick(self.number(), self.matrix(1), 'v')}"],
            [f"{a}.{self.pick('add_(1)', 'mul_(2)', 'relu_()', 'neg_()', f'masked_fill_({self.mask(0)}, 0.5)', f'copy_({self.matrix(1)})')}"],
            [f"{a}[{self.pick('0', '-1', ':')}] = {self.row(1)}"],
            [f"for i in range({a}.shape[0]):", f"    {a}[i] = {a}[i] {self.pick('+', '*')} {self.pick('i', 'v', '2', 'u[i]')}"],
            [f"for i in range({self.pick('2', '3')}):", f"    {a} = {a} {self.pick('+', '*')} {self.pick('i', 'v', '2')}"],
            [f"for i in range({a}.shape[0]):", f"    if i {self.pick('>', '==', '<')} 1:", "        continue", f"    {a}[i] = {self.number()}"],
        ]  # fmt: skip
        made = [
            [f"{new} = {self.matrix(self.draw.randint(1, 2))}"],
            [f"{new} = {a}"],
            [f"{new} = {self.pick('torch.zeros_like(x)', 'x.clone()', 'torch.ones(x.shape)', 'y + 0')}"],
            [f"{new} = {a}.{self.pick('detach()', 'view(x.shape)', 'contiguous()', 'clone()', 'T.clone().T')}"],
            [f"{new} = torch.zeros(x.shape)", "for i in range(x.shape[0]):", f"    {new}[i] = {self.pick('x[i]', 'u[i] * y[i]', 'v', 'i')}"],
            [f"{new} = torch.zeros_like(x)", "for i in range(x.shape[0]):", "    for j in range(x.shape[1]):", f"        if j {self.pick('<', '<=', '==')} i:", f"            {new}[i, j] {self.pick('=', '+=')} {self.pick('x[i, j]', 'u[i] * v[j]', '1')}"],
        ]  # fmt: skip
        if self.draw.random() < 0.55:
            found = self.draw.choice(made)
            self.matrices.append(new)
            return found
        return self.draw.choice(kinds)
