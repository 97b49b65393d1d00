"""Seeded bugs: an engine with one thing broken must be caught by a few seconds of its tests."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
BUGS: dict[str, tuple[str, str, str]] = {
    "substitution captures": (
        "language/substitution.py",
        "            if captured:\n                name = min(captured)",
        "            if False:\n                name = min(captured)",
    ),
    "later cases under earlier conditions": (
        "language/term.py",
        "                known += earlier[0].negations()",
        "                known += earlier",
    ),
    "fresh names taken": ("language/substitution.py", "    while f\"{stem}{k}\" in taken:\n        k += 1\n", ""),
    "index signs": ("language/index.py", "return Index._ordered(tuple([(a, -c) for a, c in self.terms]), -self.const)", "return Index._ordered(tuple([(a, -c) for a, c in self.terms]), self.const)"),
    "inverse permutation": ("language/index.py", "if c == 1 and atom.kind == other and atom.name == name", "if c == 1 and atom.name == name"),
    "quotient of a rest": ("language/index.py", "whole = Index(((a, c // k) for a, c in value.terms if c % k == 0), value.const // k)", "whole = Index(((a, c // k) for a, c in value.terms), value.const // k)"),
    "no integer tightening": ("language/index.py", "index.const // divisor)\n        elif", "-(-index.const // divisor))\n        elif"),
    "entailment of weaker facts": ("kernel/linear.py", "return all(not consistent(guard(*related, negated)) for negated in goal.negations())", "return any(not consistent(guard(*related, negated)) for negated in goal.negations()) or bool(related)"),
    "permutations stay inside always": ("kernel/linear.py", "        if all(_follows(facts, c) for c in inside):\n", "        if True:\n"),
    "zero sizes forgotten": ("kernel/linear.py", "Constraint(Index(((a, 1),), -1)) for a in sorted(sizes)", "Constraint(Index(((a, 1),), -2)) for a in sorted(sizes)"),
    "exp of a sum": ("kernel/ring.py", "    exponent = _merge(a[1], b[1])\n", "    exponent = a[1] or b[1]\n"),
    "brackets forgotten": ("kernel/ring.py", "    condition = a[2] if not b[2] else b[2] if not a[2] else guard(*a[2], *b[2])\n", "    condition = a[2]\n"),
    "x over x is one": ("kernel/ring.py", "                factors[inverse_key(key)] = power * -k\n", "                factors[key] = power * k\n"),
    "roots of squares": ("kernel/ring.py", "if c <= 0 or m[2] or any(key[0] not in (\"size\", \"prime\") for key, _ in m[0]):", "if c <= 0 or m[2]:"),
    "common factors twice": ("kernel/ring.py", "frozenset((k, -v) for k, v in exponent), ())", "exponent, ())"),
    "factors of the index pulled out": ("kernel/rules/sums.py", "        if total.var in parts[k].free:\n", "        if False:\n"),
    "range lost in delta elimination": ("kernel/rules/sums.py", "must_agree(\"sum_ite_eq\", Mul((Bracket(guard_substitute(total.guard, there)), substitute(total.body, there))), after)", "must_agree(\"sum_ite_eq\", substitute(total.body, there), after)"),
    "any delta": ("kernel/rules/sums.py", "    if not equal_indices(guard(*scope.facts, *total.guard), Index.var(total.var), value):\n", "    if False:\n"),
    "counting negative ranges": ("kernel/rules/sums.py", "    if not entails(scope.facts, at_least(high, low)):\n        raise Refused(\"sum_const\"", "    if False:\n        raise Refused(\"sum_const\""),
    "cancelling zero": ("kernel/rules/powers.py", "    if not nonzero(witness, scope):\n", "    if False:\n"),
    "exchanged ranges": ("kernel/rules/sums.py", "    if not equivalent(scope.facts, pairs, new_pairs):\n", "    if False:\n"),
    "permuted part of an axis": ("kernel/rules/sums.py", "    if not equivalent(scope.facts, guard_substitute(total.guard, moved), new.guard):\n", "    if False:\n"),
    "independence of one tensor": ("kernel/rules/expectation.py", "    if shared:\n", "    if False:\n"),
    "random factors pulled out": ("kernel/rules/expectation.py", "        if random_names(parts[k], scope):\n", "        if False:\n"),
    "case chosen too early": ("kernel/rules/brackets.py", "        if not entails_all(scope.facts, case.branches[branch][0]):\n", "        if False:\n"),
    "log of anything": ("kernel/rules/exponentials.py", "    if not positive(inner.arg, scope):\n", "    if False:\n"),
    "negative numbers are positive": ("kernel/sign.py", "return POSITIVE if t.value > 0 else NONNEGATIVE if t.value == 0 else 0", "return POSITIVE"),
    "sums of brackets are positive": ("kernel/sign.py", "        if body == POSITIVE:\n            return POSITIVE\n", "        return POSITIVE\n"),
    "division owes nothing": ("kernel/obligation.py", "return \"nonzero\" if t.exponent.value < 0 else \"\"", "return \"\""),
    "entries out of range owe nothing": ("kernel/obligation.py", "                    *(c for i, n in zip(t.indices, shape, strict=True) for c in (at_least(i, 0), less(i, n)))\n", ""),
    "circular definitions": ("kernel/definition.py", "        if head == name:\n", "        if False:\n"),
    "overlapping definitions": ("kernel/definition.py", "        if not _disjoint(other, definition):\n", "        if False:\n"),
    "one entry defined twice": ("kernel/definition.py", "if any(p.is_constant and q.is_constant and p is not q for", "if any(p.is_constant and q.is_constant for"),
    "free variables in definitions": ("kernel/definition.py", "    if free:\n        raise NotConservative(name, f\"{min(free)}", "    if False:\n        raise NotConservative(name, f\"{min(free)}"),
    "odd channels as even ones": ("kernel/definition.py", "        if any(c % k for _, c in rest.terms) or rest.const % k:\n            return None\n        mapping[v]", "        mapping[v]"),
    "recursion that does not descend": ("kernel/definition.py", "                if not entails_all(facts, (at_least(index, 0), less(index, pattern))):\n", "                if False:\n"),
    "recursion below zero": ("kernel/definition.py", "(at_least(index, 0), less(index, pattern))", "(less(index, pattern),)"),
    "induction without a start": ("kernel/replay.py", "    if not entails(scope.facts, at_least(here, start)):\n", "    if False:\n"),
    "induction over gaps": ("kernel/replay.py", "        if not entails(above.facts, c):\n", "        if False:\n"),
    "induction from the place itself": ("kernel/replay.py", "    below = {var: here - 1}\n", "    below = {var: here}\n"),
    "lemmas that are not shown": ("kernel/replay.py", "        _prove(proof.why, lemma.left, lemma.relation, lemma.right, lemma_scope(lemma, scope))\n", "        lemma_scope(lemma, scope)\n"),
    "powers of negative exponents": ("kernel/rules/powers.py", "        if not entails(scope.facts, at_least(part, 0)) and not positive(base, scope):\n", "        if False:\n"),
    "values of a maximum left out": ("kernel/maximum.py", "        if not covered(inside.facts, [conditions for _, conditions, _, _ in branches]):\n", "        if False:\n"),
    "values outside of a range": ("kernel/maximum.py", "            if not entails_all(here.facts, guard_substitute(q.guard, at)):\n", "            if False:\n"),
    "another value of a maximum": ("kernel/maximum.py", "            if not alpha_equal(value, own) and not ring.same(value, own, scope.theory, here.facts):\n", "            if False:\n"),
    "negative factors before a maximum": ("kernel/rules/maxima.py", "        if not nonnegative(c, scope):\n", "        if False:\n"),
    "empty maxima": ("kernel/rules/maxima.py", "    if not inhabited(top, scope):\n        raise Refused(\"max_add\"", "    if False:\n        raise Refused(\"max_add\""),
    "telescopes of other terms": ("kernel/rules/sums.py", "    if not ring_laws.same(at(j + 1) - at(j), t.body, scope.theory, scope.facts):\n", "    if False:\n"),
    "inverses of what may be singular": ("kernel/rules/matrices.py", "    if not invertible(corner, scope):\n", "    if False:\n"),
    "inverses out of range": ("kernel/rules/matrices.py", "    if not entails_all(scope.facts, guard(*within_index(row, length), *within_index(column, length))):\n", "    if False:\n"),
    "singular matrices are defined": ("kernel/obligation.py", "                yield _invertible(t, scope), scope\n", "                pass\n"),
    "the ends are not compared": ("kernel/replay.py", "        if not alpha_equal(first, second):\n", "        if False:\n"),
}  # fmt: skip


@pytest.fixture(scope="session")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("engine")
    ignore = shutil.ignore_patterns("__pycache__", "*.pyc")
    for name in ("derivations", "numeric", "reports"):
        shutil.copytree(ROOT / name, folder / name, ignore=ignore)
    (folder / "tests").mkdir()
    for name in ("engine_detector.py", "test_kernel_refuses.py", "test_value_preservation.py"):
        shutil.copy(ROOT / "tests" / name, folder / "tests" / name)
    return folder


def detect(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-B", str(folder / "tests" / "engine_detector.py")],
        capture_output=True,
        text=True,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder), "PYTHONHASHSEED": "0"},
        timeout=300,
    )


def test_the_engine_itself_is_fine(engine: Path) -> None:
    done = detect(engine)
    assert done.returncode == 0, done.stderr[-2_000:]
    assert done.stdout == "fine\n"


@pytest.mark.parametrize("name", BUGS)
def test_a_seeded_bug_is_caught(name: str, engine: Path) -> None:
    file, old, new = BUGS[name]
    path = engine / "derivations" / file
    source = path.read_text(encoding="utf-8")
    assert source.count(old) == 1, f"{file} has this text {source.count(old)} times; update the table: {old!r}"
    try:
        path.write_text(source.replace(old, new), encoding="utf-8")
        assert detect(engine).returncode != 0, f"nothing notices: {name}"
    finally:
        path.write_text(source, encoding="utf-8")
