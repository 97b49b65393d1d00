"""What words say of names that are in use: a case in which two are the same, parts of matrices, laws, the next clause."""

from __future__ import annotations

import pytest
from studied import statuses

PRECISIONS = (
    r"Let the variances be $u, v > 0$. The product has the variance $$w = \left(\frac1u + \frac1v\right)^{-1}$$ and the mean "
    r"$$c = w \left(\frac{a}{u} + \frac{b}{v}\right) .$$ So "
)
FALSE_MEAN, MEAN = r"$$c = \frac{u a + v b}{u + v} .$$ ", r"$$c = \frac{v a + u b}{u + v} .$$ "
SOFTMAX = r"Let $Z \in \mathbb{R}^{n \times K}$ and $$P_{ik} = \frac{\exp(Z_{ik})}{\sum_{l=1}^{K} \exp(Z_{il})} .$$ "
HESSIAN = r"and $H = \operatorname{diag}(%s) - %s %s^\top$. Then $$H \mathbf{1} = 0 .$$"
BOTH = (
    r"A small model draws from $q$, the large one wants $p$; both are distributions on the same $V$ tokens. "
    r"$$\sum_{v=1}^V p(v) (1 - q(v)) + \sum_{v=1}^V p(v) q(v) = %s$$"
)
LAWS = (
    r"Let $W \in \mathbb{R}^{m \times n}$ and let $x \in \mathbb{R}^n$ have independent entries with mean 0 and variance 1. "
    r"With $y = W x$, $$\operatorname{Var}(y_i) = \sum_j W_{ij}^2$$"
)

CASES = {
    "a case defines nothing before it": (
        PRECISIONS + FALSE_MEAN + "For equal variances, $u = v$, it is the midpoint.",
        "refuted",
    ),
    "nor does one without a comma": (
        PRECISIONS + FALSE_MEAN + "With equal variances $u = v$ it is the midpoint.",
        "refuted",
    ),
    "what is true is proved": (PRECISIONS + MEAN + "For equal variances, $u = v$, it is the midpoint.", "proved"),
    "a row by its index": (
        SOFTMAX + r"Let $p_i \in \mathbb{R}^K$ be a row of $P$ " + HESSIAN % ("p_i", "p_i", "p_i"),
        "proved",
    ),
    "a row without one": (
        SOFTMAX + r"Let $p \in \mathbb{R}^K$ be a row of $P$ " + HESSIAN % ("p", "p", "p"),
        "undecided",
    ),
    "both": (BOTH % "1", "proved"),
    "the law of the next clause": (LAWS, "proved"),
}


@pytest.mark.parametrize(("text", "status"), CASES.values(), ids=CASES)
def test_verdict(text: str, status: str) -> None:
    decided = [s for s in statuses(text) if s in ("proved", "refuted", "undecided")]
    assert decided[-1] == status
