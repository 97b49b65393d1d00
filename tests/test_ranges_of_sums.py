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
