"""Values that are kept while single entries change are those of a new evaluation; what is decided is decided once."""

import random

import pytest
from derivations.reports.run.check import Decider
from flint import fmpq

from derivations.documents.model.document import Place
from derivations.documents.model.finding import Finding
from derivations.language.meaning import evaluate
from derivations.language.statement import Definition, Law, Statement, Tensor, Theory
from derivations.language.term import (
    ZERO,
    Choice,
    Entry,
    Expectation,
    Index,
    Lambda,
    Number,
    Term,
    exp,
    inverse,
    sum_over,
)
from derivations.provers import decide as provers
from derivations.provers.kept_values import KeptValues
from derivations.provers.satisfying import Draw

n = Index.size("n")
i, j, c = map(Index.var, "ijc")
A, x, y = Entry("A", (i, j)), Entry("x", (j,)), Entry("y", (i,))
PRODUCT = sum_over("j", 0, n, A * x)
THEORY = Theory(
    {
        "A": Tensor("A", (n, n)),
        "x": Tensor("x", (n,)),
        "y": Tensor("y", (n,)),
        "u": Tensor("u", (n,), Law(ZERO, Number(1))),
    },
    {"p": (Definition("p", (i,), PRODUCT, shape=(n,)),)},
)
TERMS: dict[str, Term] = {
    "a sum of products": PRODUCT - y,
    "a definition": Entry("p", (i,)) * Entry("p", (Index.of(0),)),
    "entries of an inverse": sum_over("j", 0, n, inverse(Lambda(("i", "j"), A), n, i, j) * x),
    "a branch that a value decides": Choice(y, PRODUCT, Entry("x", (i,))),
    "a mean over random entries": Expectation(Entry("u", (i,)) * Entry("u", (i,)) * y + PRODUCT),
    "a ball": exp(Entry("p", (i,))),
    "an entry out of range": Entry("x", (i + 5,)) * y,
}


@pytest.mark.parametrize("name", TERMS)
def test_a_kept_value_is_the_value(name: str) -> None:
    term, source = TERMS[name], random.Random(5)
    draw = Draw({"n": 3}, seed=name, ranges={"A": (3, 3), "x": (3,), "y": (3,)})
    values = KeptValues(THEORY, draw, draw.drawn)
    for _ in range(40):
        at = {"i": source.randrange(3)}
        assert str(values.at_place(term, at)) == str(evaluate(term, THEORY, draw, at))
        for place in source.sample(sorted(draw.drawn), min(source.randrange(3), len(draw.drawn))):
            draw.drawn[place] = fmpq(source.randrange(-3, 4), source.randrange(1, 4))
        if not source.randrange(8):
            draw.drawn.clear()  # they are drawn again when they are asked for


def test_what_rests_on_no_changed_entry_is_not_computed_again() -> None:
    draw = Draw({"n": 3}, seed="kept", ranges={"A": (3, 3), "x": (3,), "y": (3,)})
    values = KeptValues(THEORY, draw, draw.drawn)
    term = PRODUCT - y
    values.at_place(term, {"i": 0})
    spent = []
    for place in (("y", (0,)), ("A", (0, 1)), ("A", (2, 2))):
        draw.drawn[place] = fmpq(7)
        before = values.left
        values.at_place(term, {"i": 0})
        spent.append(before - values.left)
    whole = KeptValues(THEORY, draw, draw.drawn)
    before = whole.left
    whole.at_place(term, {"i": 0})
    assert spent[2] < spent[0] < before - whole.left and spent[1] < before - whole.left


def test_a_statement_is_decided_once_for_theories_that_are_alike_below_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another name in the theory of another reading changes nothing; another definition of a name in it does."""
    asked: list[str] = []
    spent: list[int] = []
    whole = provers.decide

    def counted(statement: Statement, theory: Theory, *, work: int, refuting: bool = True) -> provers.Decision:
        asked.append(str(statement))
        spent.append(work)
        return whole(statement, theory, work=work, refuting=refuting)

    monkeypatch.setattr(provers, "decide", counted)
    decide = Decider(60)
    number = {"a": Tensor("a"), "b": Tensor("b")}
    twice = Definition("s", (), Entry("a") + Entry("a"), shape=())
    thrice = Definition("s", (), Entry("a") + Entry("a") + Entry("a"), shape=())
    claim = Statement(Entry("s"), "=", 2 * Entry("a"))
    first = decide(claim, Theory(number, {"s": (twice,)}))
    again = decide(claim, Theory({**number, "z": Tensor("z", (n,))}, {"s": (twice,)}))
    other = decide(claim, Theory(number, {"s": (thrice,)}))
    assert [type(d) for d in (first, again, other)] == [provers.Proved, provers.Proved, provers.Refuted]
    assert len(asked) == 2


def test_searches_are_shorter_when_little_time_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search that fails then is said to have been short, and no cache keeps what it did not find."""
    spent: list[int] = []

    def failing(_statement: Statement, _theory: Theory, *, work: int, refuting: bool = True) -> provers.Decision:
        spent.append(work)
        return provers.Undecided("nothing found")

    monkeypatch.setattr(provers, "decide", failing)
    decide = Decider(60)
    claims = [Statement(Entry("a"), "=", Number(k)) for k in (1, 2)]
    theory = Theory({"a": Tensor("a")}, {})
    decide(claims[0], theory)
    decide.end -= 40
    decide(claims[1], theory)
    found = Finding("claim", "undecided", Place("a.md", None, 1, 1), 1, "", code="search-ended", reason="nothing found")
    decide.mark([found])
    assert spent[1] < spent[0] and found.code == "timeout" and "short" in found.reason
