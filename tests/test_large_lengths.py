"""Lengths that are stated in numbers and too large to write out: no counterexample of millions of entries, no evaluation."""

from __future__ import annotations

from pathlib import Path

from derivations.reports.run import check

from derivations.documents import read_text
from derivations.provers.decide import Refuted, decide
from derivations.study.claims import study

CLAIM = r"Let $A \in \mathbb{R}^{%(n)s \times %(n)s}$. Then $$A^\top = 2 A .$$"


def test_a_counterexample_is_shown_where_somebody_can_look_at_it() -> None:
    small, large = (study(read_text(CLAIM % {"n": n}, "x.md"), decide=decide)[-1] for n in ("3", "5000"))
    assert isinstance(small.decision, Refuted)
    assert large.status == "undecided"


def test_what_is_too_large_to_evaluate_is_said_to_be_so(tmp_path: Path) -> None:
    text = r"Let $W \in \mathbb{R}^{%s \times 40}$ and $x \in \mathbb{R}^{40}$. Let $y = W x$."
    reasons = {}
    for rows in ("50", "50000"):
        file = tmp_path / f"{rows}.md"
        file.write_text(text % rows, encoding="utf-8")
        report, _ = check.check_documents([file], device="cpu")
        reasons[rows] = [s["reason"] for s in report["run"]["skipped"] if "entries" in s["reason"]]
        assert bool(report["run"]["checks"]) == (rows == "50")
    assert reasons == {"50": [], "50000": ["W has 2000000 entries at the lengths that are stated in numbers"]}
