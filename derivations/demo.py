"""A first look, without files: a proof, a refutation with its witness, and a suggestion."""

from __future__ import annotations

from derivations.documents import read_text
from derivations.documents.model.finding import Finding
from derivations.exposition.explain import explain
from derivations.provers.decide import Proved, Refuted, decide
from derivations.study.claims import study
from derivations.study.near_misses import near_miss

LESSON = r"""
Let $Q \in \mathbb{R}^{n \times d}$ and $K \in \mathbb{R}^{m \times d}$. The attention weights are
$$A_{ij} = \frac{\exp(Q_i \cdot K_j)}{\sum_{k=1}^{m} \exp(Q_i \cdot K_k)}.$$
Every row sums to one:
$$\sum_{j=1}^{m} A_{ij} = 1.$$
And so does every column:
$$\sum_{i=1}^{n} A_{ij} = 1.$$
"""


def run() -> str:
    """The text that `derivations demo` prints."""
    lines = ["A lesson says:", *(f"    {line}" for line in LESSON.strip().splitlines())]
    for finding in study(read_text(LESSON, "lesson.md"), decide=decide):
        lines += ["", *_about(finding)]
    return "\n".join([*lines, "", "Next: derivations check YOUR_CHAPTER.md --html report"])


def _about(f: Finding) -> list[str]:
    source = " ".join(f.source.split())
    if isinstance(f.decision, Proved):
        rows = [f"\u2713 proved for all sizes: {source}"]
        for line in explain(f.decision.theorem, plain=True):
            rows.append(f"      {line.relation:2} {line.term}" + (f"    [{line.reason}]" if line.reason else ""))
        return rows
    if isinstance(f.decision, Refuted):
        w = f.decision.counterexample
        where = ", ".join(f"{k} = {v}" for k, v in {**w.sizes, **w.at}.items())
        rows = [
            f"\u2717 refuted: {source}",
            f"      for {where} (indices from 0) the left side is {w.left}, not {w.right}:",
        ]
        rows += [f"      {name} = {value}".replace("'", "") for name, value in w.inputs.items()]
        found = near_miss(f.statement, f.theory, decide) if f.statement is not None else None
        if found is not None:
            rows += [f"  did you mean (proved; {found.slip.words})?", f"      {found.statement}"]
        return rows
    return [f"\u00b7 {f.status}: {source}"]
