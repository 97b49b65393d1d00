r"""Claims about shapes that are told by nothing but themselves; numbers in the cells of a matrix beside arrays of their letter."""

from __future__ import annotations

from pathlib import Path

import pytest
from derivations.reports.run.check import check_documents

MEAN = r"For $M$ heads with outputs $g_i^{(m)}$ put $$y_i = \frac{1}{M} \sum_{m=1}^M g_i^{(m)}$$ so that $y_i \in \mathbb{R}^{M p}$."
PRODUCT = r"Let $x \in \mathbb{R}^n$ and $W \in \mathbb{R}^{m \times n}$. $$y = W x + b$$ so that $y \in \mathbb{R}^m$."
ROWS = r"Let $x_1, \dots, x_n$ be the rows of $X \in \mathbb{R}^{n \times d}$. $$y_i = 2 x_i$$ so that $y_i \in \mathbb{R}^d$."
ROTATION = (
    r"The frequencies are $\theta_i = 10000^{-2i/d}$. For one pair of channels $$R_m = \begin{pmatrix} \cos m\theta & -\sin m\theta \\ "
    r"\sin m\theta & \cos m\theta \end{pmatrix}.$$ "
)


def statuses(text: str, folder: Path) -> list[str]:
    path = folder / "x.md"
    path.write_text(text, encoding="utf-8")
    made, errors = check_documents([path], numbers=False)
    assert not errors
    return [item["status"] for d in made["documents"] for item in d["items"]]


@pytest.mark.parametrize(("text", "status"), [(MEAN, "skipped"), (PRODUCT, "proved"), (ROWS, "proved")])
def test_a_shape_that_only_the_claim_tells_is_none(text: str, status: str, tmp_path: Path) -> None:
    assert statuses(text, tmp_path)[-1] == status


@pytest.mark.parametrize(
    ("claim", "status"),
    [
        (r"Then $$R_m^\top R_m = I.$$", "proved"),
        (r"Then $\det R_m = 1$.", "proved"),
        (r"Then $$R_m^\top R_n = R_{n-m}.$$", "proved"),
        (r"Then $$R_m^\top R_n = R_{m-n}.$$", "refuted"),
    ],
)
def test_the_argument_of_a_cosine_in_a_matrix_is_a_number(claim: str, status: str, tmp_path: Path) -> None:
    assert statuses(ROTATION + claim, tmp_path)[-1] == status
