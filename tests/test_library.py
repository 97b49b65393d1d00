"""Every statement of the library has the status it is listed under, its proof replays from JSON, and SymPy agrees."""

import json
import random
import subprocess
import sys
from itertools import islice, product
from pathlib import Path

import pytest
import sympy

from derivations.kernel import certificate
from derivations.language.extended_reals import Indeterminate, ball
from derivations.language.meaning import defined, evaluate
from derivations.language.sympy_bridge import IndexedInverse, IndexedMax, Mean, PermutedIndex
from derivations.provers.decide import Proved
from derivations.provers.refute import STYLES, Draw, all_sizes, apart, models, points
from derivations.theorems import Refuted, Theorem, Undefined, library
from derivations.theorems.row import Row

ROWS = library()
GOLDEN = Path(__file__).parent / "data" / "library_rules.json"


@pytest.mark.parametrize("row", ROWS, ids=lambda r: r.name)
def test_status_is_the_one_it_is_listed_under(row: Row) -> None:
    assert isinstance(row, (Theorem, Refuted, Undefined))
    assert row.source
    assert row.status == row.expected, row.decision


def test_names_are_distinct() -> None:
    assert len({r.name for r in ROWS}) == len(ROWS) > 80


def test_certificates_replay_in_a_fresh_process(tmp_path: Path) -> None:
    files = []
    for row in ROWS:
        if isinstance(row.decision, Proved):
            path = tmp_path / f"{row.name}.json"
            path.write_text(json.dumps(certificate.write(row.decision.theorem)))
            files.append(str(path))
    assert files
    done = subprocess.run([sys.executable, "-m", "derivations.cli", "replay", *files], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("replayed") == len(files)


@pytest.mark.parametrize("row", ROWS, ids=lambda r: r.name)
def test_values_agree_at_small_sizes(row: Row) -> None:
    """A second route: the meaning of both sides, at random inputs, without the prover."""
    statement, theory = row.stated
    names = sorted(all_sizes(statement, theory))
    compared = failed = 0
    draws = [
        Draw(
            {s: 2 + (k + trial) % 2 if trial else 1 for k, s in enumerate(names)},
            seed=f"{row.name}{trial}",
            values=STYLES[2] if trial else STYLES[0][:1],
        )
        for trial in range(4)
    ]
    if statement.hypotheses:
        draws = list(islice(models(statement, theory), 12))
    for inputs in draws:
        for at in list(points(statement, inputs.sizes))[:6]:
            try:
                if not (defined(statement.left, theory, inputs, at) and defined(statement.right, theory, inputs, at)):
                    continue
                left, right = (
                    evaluate(statement.left, theory, inputs, at),
                    evaluate(statement.right, theory, inputs, at),
                )
            except Indeterminate:
                continue
            compared += 1
            failed += apart(left, statement.relation, right)
            if isinstance(row, Theorem) and statement.relation == "=":
                assert ball(left).overlaps(ball(right))
    assert compared
    assert bool(failed) == isinstance(row, Refuted)


SPECIAL = (PermutedIndex, IndexedMax, IndexedInverse, Mean, sympy.Mod, sympy.floor, sympy.Idx, sympy.Derivative)
"""What SymPy has no meaning of its own for, or (derivatives) another one before definitions are put in."""
EXPANDED = [
    r
    for r in ROWS
    if r.relation == "=" and not r.given and not isinstance(r, Undefined)
    and not any(sympy.sympify(e).has(*SPECIAL) for e in (r.left, r.right, *(d.right for d in r.where)))
    and all(d.when is True and all(i.is_Symbol for i in d.left.indices) for d in r.where)
]  # fmt: skip


@pytest.mark.parametrize("row", EXPANDED, ids=lambda r: r.name)
def test_sympy_agrees_on_expanded_entries(row: Row) -> None:
    """SymPy itself, on written-out sums with random rational entries."""

    def drawn(u: object) -> sympy.Rational:
        rng = random.Random(f"{row.name} {u}")
        return sympy.Rational(rng.randint(-9, 9), rng.randint(1, 5))

    sizes = {"n": 2, "m": 3, "d": 2, "v": 2, "w": 2, "H": 2, "B": 2}

    def expand(e: object) -> object:
        e = sympy.sympify(e).subs(
            {s: sizes[s.name] for s in sympy.sympify(e).free_symbols if s.is_positive and s.name in sizes}
        )
        e = e.doit()
        for _ in range(4):
            for d in row.where:
                if isinstance(d.left, sympy.Indexed):
                    base = d.left.base
                    uses = [u for u in e.atoms(sympy.Indexed) if u.base.label == base.label]
                    for u in uses:
                        body = d.right.subs(dict(zip(d.left.indices, u.indices, strict=True)), simultaneous=True)
                        e = e.subs(
                            u,
                            body.subs(
                                {s: sizes[s.name] for s in body.free_symbols if s.is_positive and s.name in sizes}
                            ).doit(),
                        )
        known = {}
        for u in e.atoms(sympy.Indexed):
            known[u] = drawn(u)
        for u in e.atoms(sympy.matrices.expressions.matexpr.MatrixElement):
            known[u] = drawn(u)
        for s in [x for x in e.free_symbols if x.is_Symbol and not x.is_integer and x.is_real]:
            known[s] = drawn(s)
        return sympy.N(e.subs(known), 30)

    statement, _ = row.stated
    different = 0
    for at in product(range(2), repeat=len(statement.indices)):
        there = {sympy.Symbol(v, integer=True): k for v, k in zip(statement.indices, at, strict=True)}
        left, right = expand(sympy.sympify(row.left).subs(there)), expand(sympy.sympify(row.right).subs(there))
        different += bool(abs(left - right) > sympy.Rational(1, 10**20))
    assert bool(different) == isinstance(row, Refuted)


def test_rules_that_each_theorem_rests_on() -> None:
    """Regenerate with: python tests/test_library.py"""
    assert json.loads(GOLDEN.read_text()) == rules()


def rules() -> dict[str, list[str]]:
    return {r.name: list(r.decision.theorem.rules) for r in ROWS if isinstance(r.decision, Proved)}


if __name__ == "__main__":
    GOLDEN.write_text(json.dumps(rules(), indent=1, sort_keys=True) + "\n")
