"""Proofs about inverses that leave other matrices folded, and steps of chains that follow from the first side."""

from __future__ import annotations

import pytest

from derivations.documents import read_text
from derivations.language.statement import Statement, Theory
from derivations.language.term import Entry
from derivations.provers.decide import Decision, Undecided, decide
from derivations.study.claims import study

FILTER = r"""The covariances $P$ ($n \times n$), $Q$ ($n \times n$) and $R$ ($p \times p$) are symmetric and positive definite
throughout; $F$ is $n \times n$ and $H$ is $p \times n$. Let
\begin{align}
M &= F P F^\top + Q \\
S &= H M H^\top + R \\
K &= M H^\top S^{-1} \\
N &= (I - K H) M
\end{align}
"""
CLAIMS = {
    r"N = (I - K H) M (I - K H)^\top + K R K^\top": "proved",
    r"K S K^\top = K H M": "proved",
    r"K = N H^\top R^{-1}": "proved",
    r"N = M - K S K^\top": "proved",
    r"N = (I - K H) M (I - K H)": "refuted",
}


@pytest.mark.parametrize("claim", CLAIMS)
def test_a_filter(claim: str) -> None:
    """The shapes in parentheses are read, and that the covariances are symmetric; F, after the semicolon, is not."""
    found = study(read_text(f"{FILTER}Then ${claim}$.", "x.md"), decide=decide)[-1]
    assert (found.status, found.reason) == (CLAIMS[claim], found.reason)


def test_a_step_follows_from_the_first_side() -> None:
    """Where no proof is found from one long side to the next, that from the first side to it says the same."""

    def from_names(statement: Statement, theory: Theory, *, refuting: bool = True) -> Decision:
        if isinstance(statement.left, Entry):
            return decide(statement, theory, refuting=refuting)
        return Undecided("nothing found")

    text = r"For numbers $x$ and $y$ let $a = (x + y)^2$. Then \begin{align} a &= x^2 + 2 x y + y^2 \\ &= y (y + 2 x) + x^2 \end{align}"
    found = study(read_text(text, "x.md"), decide=from_names)[-2:]
    assert [f.status for f in found] == ["proved"] * 2
    assert any(n.kind == "first-side" for n in found[-1].assumptions)


def test_what_is_so_too_is_not_refuted() -> None:
    """ "… are symmetric, as is P": what is said of P after the word is not read as a property, and not forgotten."""
    text = r"""The covariances $Q \in \mathbb{R}^{n \times n}$, $R \in \mathbb{R}^{m \times m}$ are symmetric and positive definite,
as is the covariance $P \in \mathbb{R}^{n \times n}$. For $F \in \mathbb{R}^{n \times n}$ let $M = F P F^\top + Q$. Then $M^\top = M$."""
    assert study(read_text(text, "x.md"), decide=decide)[-1].status != "refuted"
