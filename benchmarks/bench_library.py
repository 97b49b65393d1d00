"""Time, rules and assumptions of every library statement, decided and replayed; row sums beside SymPy's simplify."""

from __future__ import annotations

import time

import sympy

from derivations.kernel import certificate
from derivations.provers.decide import Proved, decide
from derivations.theorems import library


def main() -> None:
    """Print a table; nothing is asserted."""
    total = 0.0
    print(f"{'statement':48} {'status':9} {'decide':>9} {'replay':>9}  rules assumptions")
    for row in library():
        statement, theory = row.stated
        start = time.perf_counter()
        decision = decide(statement, theory)
        spent = time.perf_counter() - start
        again, rules, assumptions = 0.0, 0, 0
        if isinstance(decision, Proved):
            data = certificate.write(decision.theorem)
            start = time.perf_counter()
            certificate.read(data)
            again = time.perf_counter() - start
            rules, assumptions = len(decision.theorem.rules), len(decision.theorem.assumptions)
        total += spent + again
        name = type(decision).__name__.lower()
        print(f"{row.name:48} {name:9} {spent * 1e3:7.1f}ms {again * 1e3:7.1f}ms  {rules:5} {assumptions:11}")
    print(f"all {len(library())} statements: {total:.2f} s")
    for size in (2, 3, 4):
        entries = sympy.symbols(f"s0:{size}", real=True)
        weights = [sympy.exp(a) / sum(sympy.exp(b) for b in entries) for a in entries]
        start = time.perf_counter()
        value = sympy.simplify(sum(weights))
        print(f"sympy.simplify, one row of length {size}: {value} in {(time.perf_counter() - start) * 1e3:.1f} ms")
