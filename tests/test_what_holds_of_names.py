"""What a text says of its names, in lists of their entries and around them, reaches the claims about them."""

from __future__ import annotations

import pytest

from derivations.documents import read_text
from derivations.provers.decide import decide
from derivations.study.claims import study

LISTED = (
    r"Throughout, $p = (p_1, \dots, p_M)$ and $q = (q_1, \dots, q_M)$ are probability vectors with positive entries. "
)
PLAIN = r"Let $p$ and $q$ be probability vectors with positive entries. "
DIVERGENCE = r"Let $$H(p) = -\sum_{i=1}^M p_i \log p_i$$ and $$D(p, q) = \sum_{i=1}^M p_i \log \frac{p_i}{q_i} .$$ "
GIBBS = r"Then $$-D(p, q) = \sum_{i=1}^M p_i \log \frac{q_i}{p_i} \le \sum_{i=1}^M p_i \left(\frac{q_i}{p_i} - 1\right) = 0 .$$"
UNIFORM = r"For the uniform vector $u_i = 1/M$ we have $D(p, u) = \log M - H(p)$. With $m = \frac12 (p + q)$ let "
MIXED = r"$$J(p, q) = \frac12 D(p, m) + \frac12 D(q, m) .$$ Then $$J(p, q) = H(m) - \frac12 H(p) - \frac12 H(q) .$$"
SCORES = (
    r"Let $Q, K \in \mathbb{R}^{n \times d}$ and $S = Q K^\top$. For $V \in \mathbb{R}^{n \times p}$ let "
    r"$$A_{ij} = \frac{\exp(S_{ij})}{\sum_{l=1}^n \exp(S_{il})} .$$ Position $i$ sees the positions $1, \dots, i$. "
)
SAMPLE = (
    r"For a sample $X_1, \dots, X_n$ let $$M_n = \frac{1}{n} \sum_{i=1}^n X_i$$ and "
    r"$$S_n^2 = \frac{1}{n - 1} \sum_{i=1}^n (X_i - M_n)^2 .$$ Then $$(n - 1) S_n^2 = \sum_{i=1}^n X_i^2 - n M_n^2 .$$"
)
CASES = {
    "gibbs": (PLAIN + DIVERGENCE + GIBBS, ["proved", "proved", "proved"]),
    "gibbs, of lists of entries": (LISTED + DIVERGENCE + GIBBS, ["proved", "proved", "proved"]),
    "no lower bound": (PLAIN + DIVERGENCE + GIBBS.replace(r"\le ", r"\ge "), ["proved", "refuted", "proved"]),
    "an argument brings its length": (LISTED + DIVERGENCE + UNIFORM + MIXED, ["proved", "proved"]),
    "an index that words count up to": (SCORES + r"Then $$\sum_{j=1}^n A_{ij} = 1 .$$", ["proved"]),
    "the length of a sequence beside its statistic": (SAMPLE, ["proved"]),
    "its sums are no sums of columns": (SCORES + r"Then $$\sum_{i=1}^n A_{ij} = 1 .$$", ["refuted"]),
}


@pytest.mark.parametrize("name", CASES)
def test_claims(name: str) -> None:
    text, wanted = CASES[name]
    made = study(read_text(text, "x.md"), decide=decide)
    claims = [f for f in made if f.status in ("proved", "refuted", "undecided", "unread")]
    assert [f.status for f in claims] == wanted, [(f.source, f.status, f.reason) for f in claims]
