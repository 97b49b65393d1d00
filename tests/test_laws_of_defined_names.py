r"""Names with an equation that the text supposes to be random: $Q = X W$, whose entries are "independent with mean 0"."""

from __future__ import annotations

import pytest

from derivations.documents import read_text
from derivations.provers.decide import decide
from derivations.study.claims import study

MADE = (
    r"Let $X \in \mathbb{R}^{n \times m}$ and $W, U \in \mathbb{R}^{m \times d}$. $$Q = X W, \qquad K = X U$$ "
    r"$$S = \frac{Q K^\top}{\sqrt{d}}$$ "
)
SUPPOSED = r"Suppose the entries of $Q$ and $K$ are independent, with mean $0$ and variance $1$. Then "


def last(text: str) -> str:
    return study(read_text(text, "x.md"), decide=decide)[-1].status


@pytest.mark.parametrize(
    ("claim", "status"),
    [
        (r"\operatorname{Var}\Big(\sum_{c=1}^{d} Q_{ic} K_{jc}\Big) = d", "proved"),
        (r"\operatorname{Var}(S_{ij}) = 1", "proved"),
        (r"\mathbb{E}[S_{ij}] = 0", "proved"),
        (r"\operatorname{Var}(S_{ij}) = d", "refuted"),
    ],
)
def test_has_the_law_that_is_supposed(claim: str, status: str) -> None:
    assert last(f"{MADE}{SUPPOSED}$${claim}$$") == status


def test_is_not_taken_for_a_law_of_what_it_is_made_of() -> None:
    claim = r"$$\operatorname{Var}(Q_{ic} + X_{ij}) = 1$$"
    assert last(f"{MADE}{SUPPOSED}{claim}") != "proved"


def test_has_no_law_before_it_is_supposed() -> None:
    claim = r"$$\operatorname{Var}(S_{ij}) = 1$$"
    found = study(read_text(f"{MADE} {claim} {SUPPOSED}$$\\mathbb{{E}}[S_{{ij}}] = 0$$", "x.md"), decide=decide)
    assert [f.status for f in found][-2:] != ["proved", "proved"]
