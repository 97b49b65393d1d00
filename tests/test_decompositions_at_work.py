r"""Decompositions that words or a heading name: factors with orthonormal columns, and singular values on the diagonal."""

from __future__ import annotations

import pytest

from derivations.documents import read_text
from derivations.provers.decide import decide
from derivations.study.claims import study

NAMED = r"Let $A = U \Sigma V^\top$ be the thin SVD with singular values $\sigma_1, \dots, \sigma_r$. Then "
HEADED = "## SVD\n\n" + r"$A = U \Sigma V^\top$, with $\sigma_i$ on the diagonal of $\Sigma$." + "\n\n"
INDEXED = r"Thin SVD $X_c = U S V^\top$. The scores are $$T = X_c V.$$ "


@pytest.mark.parametrize(
    ("text", "status"),
    [
        (NAMED + r"$$\|A\|_F^2 = \sum_{i=1}^r \sigma_i^2$$", "proved"),
        (NAMED + r"$$\operatorname{tr}(A^\top A) = \sum_{i=1}^r \sigma_i$$", "refuted"),
        (NAMED + r"$$A^\top A = V \Sigma^2 V^\top$$", "proved"),
        (NAMED + r"$$A^\top A = U \Sigma^2 U^\top$$", "refuted"),
        (HEADED + r"$$A^\top A = V \Sigma^2 V^\top$$", "proved"),
        (INDEXED + r"Then $$T = U S$$", "proved"),
    ],
)
def test_is_decided_by_what_the_factors_are(text: str, status: str) -> None:
    assert study(read_text(text, "x.md"), decide=decide)[-1].status == status


def test_a_product_alone_says_nothing_of_its_factors() -> None:
    text = r"Let $A = U \Sigma V^\top$. Then $$A^\top A = V \Sigma^2 V^\top$$"
    assert study(read_text(text, "x.md"), decide=decide)[-1].status != "proved"
