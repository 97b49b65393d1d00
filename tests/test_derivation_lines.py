"""The lines of a derivation: definitions stay folded where a proof needs them not, and every line has the letters and the
order of factors of the author."""

from __future__ import annotations

from pathlib import Path

import pytest
from derivations.reports.run.check import check_document

from derivations.exposition.explain import REASONS, REVERSED
from derivations.language.term import (
    Atom,
    Entry,
    Index,
    Lambda,
    Max,
    Mul,
    Number,
    Sum,
    Term,
    equal,
    number,
    sum_over,
    within,
)
from derivations.latex.writer import Habits, Style, write_latex

SOFTMAX = r"""Let $Q, K \in \mathbb{R}^{n \times d}$.

$$S_{ij} = \sum_{c=1}^{d} Q_{ic} K_{jc}$$

$$A_{ij} = \frac{e^{S_{ij}}}{\sum_{k=1}^{n} e^{S_{ik}}}$$

"""
NAMED = SOFTMAX.replace("e^{S_{ij}}", r"\exp(S_{ij})").replace("e^{S_{ik}}", r"\exp(S_{ik})")

LINES = {
    "what cancels stays folded": (
        SOFTMAX + r"$$\sum_{j=1}^{n} A_{ij} = 1$$",
        [
            r"\sum_{j=1}^{n} A_{ij}",
            r"\sum_{j=1}^{n} \frac{e^{S_{ij}}}{\sum_{k=1}^{n} e^{S_{ik}}}",
            r"\frac{\sum_{k=1}^{n} e^{S_{ik}}}{\sum_{k=1}^{n} e^{S_{ik}}}",
            "1",
        ],
    ),
    "what both sides name stays folded": (
        SOFTMAX + r"$$A_{ij} e^{S_{ik}} = A_{ik} e^{S_{ij}}$$",
        [
            r"A_{ij} e^{S_{ik}}",
            r"\frac{e^{S_{ij}}}{\sum_{l=1}^{n} e^{S_{il}}} e^{S_{ik}}",
            r"\frac{e^{S_{ij} + S_{ik}}}{\sum_{l=1}^{n} e^{S_{il}}}",
            r"\frac{e^{S_{ik}}}{\sum_{l=1}^{n} e^{S_{il}}} e^{S_{ij}}",
            r"A_{ik} e^{S_{ij}}",
        ],
    ),
    "what is needed is unfolded, in one line for all places": (
        SOFTMAX + r"$$A_{ij} = \frac{\exp(\sum_t K_{jt} Q_{it})}{\sum_{r=1}^{n} \exp(\sum_{t} K_{rt} Q_{it})}$$",
        [
            r"A_{ij}",
            r"\frac{e^{S_{ij}}}{\sum_{k=1}^{n} e^{S_{ik}}}",
            r"\frac{\exp\left(\sum_{c=1}^{d} K_{jc} Q_{ic}\right)}{\sum_{k=1}^{n} \exp\left(\sum_{c=1}^{d} K_{kc} Q_{ic}\right)}",
        ],
    ),
    "a definition is unfolded in all places at once": (
        SOFTMAX + r"$$S_{ij} - S_{ir} = \sum_{c=1}^{d} Q_{ic} (K_{jc} - K_{rc})$$",
        [
            "S_{ij} - S_{ir}",
            r"\sum_{c=1}^{d} Q_{ic} K_{jc} - \sum_{c=1}^{d} Q_{ic} K_{rc}",
            r"\sum_{c=1}^{d} Q_{ic} \left(K_{jc} - K_{rc}\right)",
        ],
    ),
    "the exponential function as the author writes it, and no comparison with zero": (
        NAMED + r"$$A_{ij} > 0$$",
        [r"A_{ij}", r"\frac{\exp\left(S_{ij}\right)}{\sum_{k=1}^{n} \exp\left(S_{ik}\right)}", "0"],
    ),
    "an inequality, folded too": (
        NAMED + r"$$A_{ij} \le 1$$",
        [
            r"\sum_{k=1}^{n} \exp\left(S_{ik}\right)",
            r"\sum_{k=1}^{n} \exp\left(S_{ik}\right) - A_{ij} \sum_{k=1}^{n} \exp\left(S_{ik}\right)",
            r"\left(1 - \frac{\exp\left(S_{ij}\right)}{\sum_{k=1}^{n} \exp\left(S_{ik}\right)}\right) "
            r"\sum_{k=1}^{n} \exp\left(S_{ik}\right)",
            r"\sum_{k=1}^{n} \exp\left(S_{ik}\right) - \exp\left(S_{ij}\right)",
            "0",
        ],
    ),
    "a free index keeps its letter": (
        SOFTMAX + r"$$S_{ic} = \sum_{a=1}^{d} K_{ca} Q_{ia}$$",
        ["S_{ic}", r"\sum_{a=1}^{d} K_{ca} Q_{ia}"],
    ),
    "several definitions behind one another": (
        "Let $x_1, \\dots, x_n \\in \\mathbb{R}^d$.\n\n"
        r"$$q = x_2$$" + "\n\n" + r"$$s_i = x_i^\top q$$" + "\n\n"
        r"$$a_i = \frac{e^{s_i}}{\sum_{r=1}^{n} e^{s_r}}$$" + "\n\n"
        r"$$a_i = \frac{\exp(x_i^\top x_2)}{\sum_{r=1}^{n} \exp(x_r^\top x_2)}$$",
        [
            "a_{i}",
            r"\frac{e^{s_{i}}}{\sum_{r=1}^{n} e^{s_{r}}}",
            r"\frac{\exp\left(\sum_{c=1}^{d} x_{ic} x_{2c}\right)}{\sum_{r=1}^{n} \exp\left(\sum_{c=1}^{d} x_{rc} x_{2c}\right)}",
        ],
    ),
}


@pytest.mark.parametrize("name", LINES)
def test_lines(name: str, tmp_path: Path) -> None:
    text, expected = LINES[name]
    path = tmp_path / "x.md"
    path.write_text(text, encoding="utf-8")
    item = check_document(path)[0].items[-1]
    assert item.status == "proved"
    assert [step.term for step in item.steps] == expected


def test_reasons_say_which_way_a_rule_goes(tmp_path: Path) -> None:
    path = tmp_path / "x.md"
    path.write_text(SOFTMAX + r"$$S_{ij} - S_{ir} = \sum_{c=1}^{d} Q_{ic} (K_{jc} - K_{rc})$$", encoding="utf-8")
    assert [step.reason for step in check_document(path)[0].items[-1].steps] == [
        "",
        "definition of $S$",
        "write the sums as one",
    ]
    assert set(REVERSED) <= set(REASONS)
    assert not set(REVERSED.values()) & set(REASONS.values())


n, d = Index.size("n"), Index.size("d")
i, j, k, c, c1 = map(Index.var, ("i", "j", "k", "c", "c1"))


def dot(index: str, low: Index, row: Index) -> Sum:
    return sum_over(index, 0, low, Entry("Q", (i, Index.var(index))) * Entry("K", (row, Index.var(index))))


BOUND = [
    (dot("c", d, j) / dot("c1", d, k), r"\frac{\sum_{c=0}^{d - 1} Q_{ic} K_{jc}}{\sum_{c=0}^{d - 1} Q_{ic} K_{kc}}"),
    (sum_over("c", 0, n, dot("c1", d, c)), r"\sum_{c=0}^{n - 1} \sum_{a=0}^{d - 1} Q_{ia} K_{ca}"),
    (sum_over("c1", 0, n, dot("c", d, c1)), r"\sum_{c=0}^{n - 1} \sum_{a=0}^{d - 1} Q_{ia} K_{ca}"),
    (dot("k1", d, k), r"\sum_{j=0}^{d - 1} Q_{ij} K_{kj}"),
    (dot("d1", d, j), r"\sum_{d'=0}^{d - 1} Q_{i, d'} K_{j, d'}"),
    (dot("K1", d, j), r"\sum_{K'=0}^{d - 1} Q_{i, K'} K_{j, K'}"),
    (Max("c1", within("c1", 0, n), Entry("x", (c1,))), r"\max_{0 \le c \le n - 1} x_{c}"),
]


@pytest.mark.parametrize(("term", "latex"), BOUND, ids=[str(t) for t, _ in BOUND])
def test_a_letter_is_used_again_once_it_is_free(term: Term, latex: str) -> None:
    assert write_latex(term) == latex


P = Index(((Atom("perm", "pi", (i, n)), 1),))


def applied(body: Term) -> Entry:
    return Entry("f", (i,), (Lambda(("p", "q"), body),))


def at(name: str, *where: str) -> Entry:
    return Entry(name, tuple(map(Index.var, where)))


APPLIED = [
    (sum_over("c", 0, d, at("P", "p", "c") * at("X", "c", "q")), "f_{i}(P X)"),
    (sum_over("c", 0, d, at("X", "c", "q") * at("P", "p", "c")), "f_{i}(P X)"),
    (sum_over("c", 0, d, at("P", "p", "c") * at("X", "q", "c")), r"f_{i}(P X^\top)"),
    (
        sum_over("c", 0, d, at("P", "p", "c") * sum_over("b", 0, n, at("X", "c", "b") * at("Y", "b", "q"))),
        "f_{i}(P X Y)",
    ),
    (
        sum_over("c", 1, d, at("P", "p", "c") * at("X", "c", "q")),
        r"f_{i}((j, k) \mapsto \sum_{c=1}^{d - 1} P_{jc} X_{ck})",
    ),
    (at("X", "p", "q") * at("Y", "p", "q"), r"f_{i}((j, k) \mapsto X_{jk} Y_{jk})"),
]


@pytest.mark.parametrize(("body", "latex"), APPLIED, ids=[latex for _, latex in APPLIED])
def test_what_a_function_is_applied_to(body: Term, latex: str) -> None:
    assert write_latex(applied(body)) == latex


def test_permutations_count_from_where_the_author_does() -> None:
    style = Style(bases={"X": 1})
    assert write_latex(Entry("X", (P, c)), style) == r"X_{\pi(i), c}"
    assert write_latex(Sum("k", (*within("k", 0, n), equal(k, P)), Entry("X", (k, c))), style) == (
        r"\sum_{\substack{1 \le k \le n \\ k = \pi(i)}} X_{kc}"
    )
    assert write_latex(Entry("X", (P, c))) == r"X_{\pi(i), c}"


SIGNED = [
    (Mul((at("a"), Number(-1), at("b"))), "-a b"),
    (at("a") + sum_over("j", 0, n, -at("x", "j")), r"a - \sum_{j=0}^{n - 1} x_{j}"),
    (-at("a") + at("b"), "b - a"),
    (number(1) + at("b"), "b + 1"),
    (number(1) - at("b"), "1 - b"),
    (Mul((number(1), at("a"))), "a"),
    (at("a") - number(0), "a"),
    (Mul((-at("a"), -at("b"))), "a b"),
    (Mul((Number(-1), Number(-1))), "1"),
]


@pytest.mark.parametrize(("term", "latex"), SIGNED, ids=[str(t) for t, _ in SIGNED])
def test_signs_in_a_line(term: Term, latex: str) -> None:
    assert write_latex(term, habits=Habits()) == latex


HABITS = [
    (dot("t", d, j), r"\sum_{c=0}^{d - 1} Q_{ic} K_{jc}"),  # a letter of nobody's
    (dot("k", d, j), r"\sum_{c=0}^{d - 1} Q_{ic} K_{jc}"),  # the author's letter of another axis
    (dot("a", d, j), r"\sum_{a=0}^{d - 1} Q_{ia} K_{ja}"),  # the author's letter, elsewhere
    (dot("c", d, j), r"\sum_{c=0}^{d - 1} Q_{ic} K_{jc}"),
    (Entry("K", (j, c)) * Entry("Q", (i, c)), "Q_{ic} K_{jc}"),
    (Entry("K", (Index(const=2), c)) * Entry("K", (j, c)), "K_{jc} K_{2c}"),
    (Entry("Z", (i,)) * Entry("K", (j, c)), "K_{jc} Z_{i}"),
]


@pytest.mark.parametrize(("term", "latex"), HABITS, ids=[str(t) for t, _ in HABITS])
def test_an_author_is_followed(term: Term, latex: str) -> None:
    habits = Habits(taken=("i", "j"))
    habits.learn(dot("c", d, j))
    habits.learn(sum_over("k", 0, n, Entry("K", (k, Index()))))
    habits.learn(sum_over("a", 0, n, Entry("x", (Index.var("a"),))))
    assert write_latex(term, habits=habits) == latex


def test_no_index_is_named_like_one_of_the_statement() -> None:
    term = sum_over("c1", 0, d, Entry("x", (c1,)))
    assert write_latex(term, habits=Habits(taken=("c",))) == r"\sum_{a=0}^{d - 1} x_{a}"
