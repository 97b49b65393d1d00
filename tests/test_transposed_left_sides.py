r"""What is defined transposed, `d^\top = …`, and what it is said to satisfy; fractions whose denominators have a sign."""

from __future__ import annotations

import pytest
from studied import statuses

VISITS = r"""Let $P \in \mathbb{R}^{n \times n}$ and $0 \le \gamma < 1$. The visitation distribution is

$$ d^\top = (1-\gamma)\, \rho^\top (I - \gamma P)^{-1} . $$

It satisfies the flow equation $d = (1-\gamma) \rho + \gamma %s d$."""


@pytest.mark.parametrize(("matrix", "status"), [(r"P^\top", "proved"), ("P", "refuted")])
def test_a_row_is_defined(matrix: str, status: str) -> None:
    found = statuses(VISITS % matrix)
    assert (found[-2], found[-1]) == ("defined", status)


def test_what_is_known_is_not_defined_so() -> None:
    assert "defined" not in statuses(r"Let $A$ be a symmetric matrix. Then $A^\top = A$.")


@pytest.mark.parametrize("condition", ["0 < x < 1", r"0 \le x < 1", "x < 1", r"x \ne 1"])
def test_powers_of_what_is_not_zero_cancel(condition: str) -> None:
    claim = r"$$\frac{1-x}{(1-x)^2} = \frac{1}{1-x}$$"
    assert statuses(f"For ${condition}$ we have {claim}")[-1] == "proved"
