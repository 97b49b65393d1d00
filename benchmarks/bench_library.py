"""Time, rules and assumptions of every library statement, decided and replayed; row sums beside SymPy's simplify."""

from __future__ import annotations

import subprocess
import sys
import time

import sympy

from derivations.kernel import certificate
from derivations.provers.decide import Proved, decide
from derivations.theorems import find, library


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
    print(f"peak memory of a process that decides and replays them all: {peak_memory():.0f} MB")
    beside_sympy()


def peak_memory() -> float:
    """Largest resident size, in MB, of a fresh process that decides the library and replays its certificates."""
    program = (
        "import json, resource\n"
        "from derivations.kernel import certificate\n"
        "from derivations.theorems import library\n"
        "for row in library():\n"
        "    if row.status == 'proved':\n"
        "        certificate.read(json.loads(json.dumps(certificate.write(row.decision.theorem))))\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)\n"
    )
    return float(subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout)


def beside_sympy() -> None:
    """Row sums and shift invariance: `sympy.simplify` on written-out entries of one length, and one proof for all lengths."""
    print("\nfor one length (sympy.simplify on entries), and for all lengths (one proof); milliseconds")
    for name in ("attention_rows_sum_to_one", "attention_shift"):
        statement, theory = find(name).stated
        cells = []
        for size in (2, 3, 4, 5):
            entries, shift = sympy.symbols(f"s0:{size}", real=True), sympy.symbols("c", real=True)
            weights = [sympy.exp(a) / sum(map(sympy.exp, entries)) for a in entries]
            shifted = [sympy.exp(a - shift) / sum(sympy.exp(b - shift) for b in entries) for a in entries]
            start = time.perf_counter()
            if "shift" in name:
                done = sympy.simplify(weights[0] - shifted[0]) == 0
            else:
                done = sympy.simplify(sum(weights)) == 1
            cells.append(f"n={size} {(time.perf_counter() - start) * 1e3:8.1f}{'' if done else ' (not decided)'}")
            start = time.perf_counter()
            proved = isinstance(decide(statement, theory), Proved)
            cells[-1] += f" / {(time.perf_counter() - start) * 1e3:5.1f}{'' if proved else ' (not proved)'}"
        print(f"{name:32} sympy / proof: {';  '.join(cells)}")
