"""Twins: true claims of whole documents with one small thing changed, which an evaluator of its own finds false."""

from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from twins.changes import KINDS, Change, changes
from twins.falsity import Claimed, judge
from twins.study_twins import Twin, documents, twins

from derivations.language.statement import Statement, Tensor, Theory
from derivations.language.term import ONE, Entry, Index, Sum, within
from derivations.latex.syntax.reader import read_equation

HERE = Path(__file__).resolve().parent
FOLDERS = (HERE / "data" / "twins", HERE.parent / "examples")
SHARE = 0.7
"""Of each kind of change at least so many are refuted."""


@cache
def found() -> tuple[Twin, ...]:
    paths = [p for folder in FOLDERS for p in documents(folder)]
    return tuple(t for p in paths for t in twins(p.read_text(encoding="utf-8"), p.name, per_kind=2, wanted=8))


def false() -> list[Twin]:
    return [t for t in found() if t.is_false]


def shown(t: Twin) -> str:
    return f"{t.path}:{t.line} {t.kind}: {t.original} -> {t.role} {t.status} {t.code} {t.changed!r} {t.outcome.witness}"


def test_no_twin_is_proved() -> None:
    assert not [shown(t) for t in false() if t.status == "proved"]


def test_twins_have_the_role_of_the_original() -> None:
    lost = [t for t in false() if t.status != "unread" and not t.keeps_role]
    assert not [shown(t) for t in lost]


@pytest.mark.parametrize("kind", KINDS)
def test_most_twins_are_refuted(kind: str) -> None:
    own = [t for t in false() if t.kind == kind and t.status != "unread"]
    assert len(own) >= 8, "too few of a kind to speak of"
    assert sum(t.status == "refuted" for t in own) >= SHARE * len(own), [shown(t) for t in own]


def test_claims_have_twins() -> None:
    """Three or more for nearly every claim: what is not evaluated is not checked."""
    count = Counter((t.path, t.line, t.source) for t in found())
    evaluated = Counter((t.path, t.line, t.source) for t in false())
    assert len(count) >= 25
    assert sum(evaluated[claim] >= 3 for claim in count) >= 0.8 * len(count), count - evaluated
    assert not any(t.outcome.control for t in found()), "an original came out false"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (r"a_i - b_i", {("sign", r"a_i + b_i"), ("factor", r"a_i - 2 b_i"), ("factor", r"2 a_i - b_i")}),
        (r"\sum_{j=1}^{n} A_{ij}", {("bound", r"\sum_{j=2}^{n} A_{ij}"), ("bound", r"\sum_{j=1}^{{n - 1}} A_{ij}")}),
        (r"\sum_{j \le i} A_{ij}", {("bound", r"\sum_{j < i} A_{ij}"), ("transposition", r"\sum_{j \le i} A_{ji}")}),
        (r"A_{ij} B_{jk}", {("index", r"A_{kj} B_{jk}"), ("index", r"A_{ij} B_{ik}")}),
        (r"2 Q K^\top", {("factor", r"Q K^\top"), ("transposition", r"2 Q K"), ("sign", r"-2 Q K^\top")}),
    ],
)
def test_changes(source: str, expected: set[tuple[str, str]]) -> None:
    whole = f"y = {source}"
    (reading,) = read_equation(whole)
    made = {(c.kind, c.applied(whole)[4:]) for c in changes(whole, reading, 0, lambda _: False)}
    assert expected <= made, made


def test_a_command_does_not_swallow_a_letter() -> None:
    assert Change("bound", 2, 4, r"\le").applied("i <=j") == r"i \le j"


def test_what_is_false_is_seen_and_what_is_true_is_not() -> None:
    n, i = Index.size("n"), Index.var("i")
    theory = Theory({"x": Tensor("x", (n,))})
    total = Sum("i", within("i", 0, n), Entry("x", (i,)))
    given = Statement(total, "=", ONE)
    claim = Statement(total * total, "=", ONE, hypotheses=(given,))
    turned = Statement(total * total, "=", -ONE, hypotheses=(given,))
    original = Claimed((claim,), theory)
    assert judge(Claimed((turned,), theory), original, "a").false
    same = judge(original, original, "a")
    assert not same.false
    assert same.compared > 0
    assert same.control == 0
