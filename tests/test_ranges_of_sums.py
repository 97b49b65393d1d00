"""Sums over pairs of indices: what is bound, what is said for each index, and what stays open."""

import pytest

from derivations.documents import read_text
from derivations.provers.decide import decide
from derivations.study.claims import study

GIVEN = r"""Let $x \in \mathbb{R}^n$ and $A \in \mathbb{R}^{n \times n}$, and let

$$ \alpha_{tj} = \frac{e^{A_{tj}}}{\sum_{k \le t} e^{A_{tk}}} . $$

"""
SQUARE = r"\left(\sum_{i=1}^n x_i\right)^2 = \sum_{i=1}^n x_i^2"
CLAIMS = [
    (rf"{SQUARE} + \sum_{{i \neq j}} x_i x_j", "proved"),
    (rf"{SQUARE} + 2 \sum_{{i \neq j}} x_i x_j", "refuted"),
    (rf"{SQUARE} + \sum_{{i < j}} x_i x_j", "refuted"),
    (r"\sum_{i \neq j} (A_{ij} + A_{ji}) = 2 \sum_{i \neq j} A_{ij}", "proved"),
    (r"\sum_{j \le t} \alpha_{tj} = 1", "proved"),
    (r"\sum_{j < t} \alpha_{tj} = 1", "refuted"),
    (r"\sum_{j \neq i} x_i x_j = x_i \sum_{j} x_j - x_i^2", "proved"),
    (r"\sum_{i \neq j} A_{ij} = \sum_{j \neq i} A_{ij}", "undecided"),
]


@pytest.mark.parametrize(("claim", "status"), CLAIMS)
def test_verdicts(claim: str, status: str) -> None:
    found = study(read_text(f"{GIVEN}$$ {claim} $$\n", "x.md"), decide=decide)
    assert (found[-1].status, found[-1].reason) == (status, found[-1].reason)


@pytest.mark.parametrize("range_", [r"i<j", r"1 \le i < j \le n"])
def test_a_true_sum_over_pairs_is_not_refuted(range_: str) -> None:
    claim = rf"{SQUARE} + 2 \sum_{{{range_}}} x_i x_j"
    assert study(read_text(f"{GIVEN}$$ {claim} $$\n", "x.md"), decide=decide)[-1].status != "refuted"


def test_a_definition_for_a_fixed_index_is_one_for_each() -> None:
    found = study(
        read_text(GIVEN + r"$$ c = \sum_{j < t} x_t x_j $$ $$ c = x_t \sum_{j < t} x_j $$", "x.md"), decide=decide
    )
    assert [(f.status, f.code) for f in found[-2:]] == [("defined", None), ("proved", None)]


def test_a_sum_over_a_primed_member_of_a_set() -> None:
    text = r"Let $w \in \mathbb{R}^n$. $$ \sum_{j' \in S_k} 2 w_{j'} = 2 \sum_{j' \in S_k} w_{j'} $$"
    found = study(read_text(text, "x.md"), decide=decide)
    assert [(f.status, f.code) for f in found] == [("proved", None)]


SQUARE_MATRIX = r"Let $A \in \mathbb{R}^{n \times n}$ with $A_{ij} = A_{ji}$, and let "


@pytest.mark.parametrize(
    ("text", "statuses"),
    [
        (r"$m = \sum_{i<j} A_{ij}$. $$ m = \sum_j \sum_{i=1}^{j-1} A_{ij} $$", ["defined", "proved"]),
        (r"$m = \sum_{1 \le i < j \le n} A_{ij}$. $$ \sum_i \sum_j A_{ij} = 2 m $$", ["defined", "refuted"]),
        (r"$u = \sum_{i \ne j} A_{ij}$. $$ \sum_i \sum_j A_{ij} = u + \sum_i A_{ii} $$", ["defined", "proved"]),
        (
            r"$r = \sum_{i<j<k} A_{ij} A_{jk}$. $$ r = \sum_k \sum_{j<k} \sum_{i<j} A_{ij} A_{jk} $$",
            ["defined", "proved"],
        ),
        (r"$c_j = \sum_{i<j} A_{ij}$. $$ \sum_j c_j = \sum_j \sum_{i<j} A_{ij} $$", ["defined", "proved"]),
    ],
)
def test_indices_in_the_order_in_which_they_are_compared(text: str, statuses: list[str]) -> None:
    found = study(read_text(SQUARE_MATRIX + text, "x.md"), decide=decide)
    assert [f.status for f in found if f.status != "skipped"] == statuses
