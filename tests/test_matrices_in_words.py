"""What the text says of matrices and vectors in words, and what that leaves of a refutation."""

from __future__ import annotations

from pathlib import Path

import pytest
from derivations.reports.run.check import check_documents

from derivations.documents import read_text
from derivations.provers.decide import decide
from derivations.study.claims import study

POSITIVE = r"Let $A, B \in \mathbb{R}^{n \times n}$ be positive definite. Then "
SYMMETRIC = r"Let $A, B \in \mathbb{R}^{n \times n}$ be symmetric matrices. Then "
COLUMNS = (
    r"Let $X \in \mathbb{R}^{n \times p}$ have linearly independent columns, and $H = X (X^\top X)^{-1} X^\top$. Then "
)
FORM = (
    r"Let $X \in \mathbb{R}^{n \times d}$ and $r \in \mathbb{R}^n$. The matrix $M = X^\top X$ comes first. It is positive "
    r"semidefinite, since for all $v \in \mathbb{R}^d$ "
)
CLAIMS = {
    "the trace of a product": (POSITIVE + r"$\mathrm{tr}(A B) = \mathrm{tr}(A) \, \mathrm{tr}(B)$.", "refuted"),
    "what diagonal matrices do": (POSITIVE + "$A B = B A$.", "undecided"),
    "the order of a product": (POSITIVE + r"$\mathrm{tr}(A B) = \mathrm{tr}(B A)$.", "proved"),
    "a square": (SYMMETRIC + "$(A + B)^2 = A^2 + 2 A B + B^2 + A$.", "refuted"),
    "the rank of a projection": (COLUMNS + r"$\operatorname{tr}(I_n - H) = n - p + 1$.", "refuted"),
    "that rank": (COLUMNS + r"$\operatorname{tr}(I_n - H) = n - p$.", "proved"),
    "a form": (FORM + r"$$v^\top M v = \sum_{i=1}^n (x_i^\top v)^2,$$ where $x_i$ are the rows of $X$.", "proved"),
    "another form": (FORM + r"$$v^\top M v = 2 \|X v\|^2.$$", "refuted"),
    "two words about a matrix": (
        r"Let $P \in \mathbb{R}^{n \times n}$ be a symmetric idempotent matrix and $x \in \mathbb{R}^n$. "
        r"Then $$x^\top P x = \|P x\|^2.$$",
        "undecided",
    ),
    "two words in another order": (
        r"Let $P \in \mathbb{R}^{n \times n}$ be positive semidefinite and idempotent, and $x \in \mathbb{R}^n$. "
        r"Then $$x^\top P x = \|P x\|^2.$$",
        "undecided",
    ),
    "singular values": (
        r"Let $X \in \mathbb{R}^{n \times p}$. The singular values of $X$ tell that $$\|X\|_F^2 = 2 \operatorname{tr}(X^\top X).$$",
        "refuted",
    ),
}


@pytest.mark.parametrize(("text", "status"), CLAIMS.values(), ids=CLAIMS)
def test_a_claim_about_matrices_in_words(text: str, status: str) -> None:
    assert study(read_text(text, "x.md"), decide=decide)[-1].status == status


ROWS = r"The $N$ examples $u_1, \ldots, u_N \in \mathbb{R}^D$ are the rows of the design matrix $X \in \mathbb{R}^{N \times D}$. "


@pytest.mark.parametrize(
    ("before", "status"),
    [
        (ROWS, "proved"),
        (
            r"Let $X \in \mathbb{R}^{N \times D}$. We write $u_i$ for the $i$-th row of $X$, as a column vector. ",
            "proved",
        ),
        (r"Let $X \in \mathbb{R}^{N \times D}$, where row $i$ of $X$ is $u_i$. ", "proved"),
        (r"The matrix $X \in \mathbb{R}^{N \times D}$ stacks the inputs $u_i$ as rows. ", "proved"),
        (ROWS.replace("rows", "columns").replace(r"{N \times D}", r"{D \times N}"), "undecided"),
    ],
)
def test_rows_of_another_letter(before: str, status: str) -> None:
    text = before + r"Let $w \in \mathbb{R}^D$ and $a \in \mathbb{R}^N$. Then $$X^\top a = \sum_{i=1}^N a_i u_i.$$"
    found = study(read_text(text, "x.md"), decide=decide)[-1]
    assert (found.status, found.code) == (status, None if status == "proved" else "shape")


SAID = {
    "equality holds only when": (
        r"The number $m \in \mathbb{R}$ satisfies $m \ge 2$, and the equality $m = 2$ holds only when $p$ is an oval."
        "\n\n"
        r"Then $$m^2 = 4.$$",
        "undecided [special-case]",
    ),
    "names that nothing introduces": (r"It is believed that $P \neq NP$.", "undecided [ambiguous]"),
    "declared names": (r"Let $P, N \in \mathbb{R}^{n \times n}$. In general $P \neq NP$.", "proved"),
    "a case of another item": (
        r"Let $e_1, \ldots, e_n$ be slack variables with $e_i \ge 0$, which simply means that if"
        "\n\n"
        r"1. $e_i = 0$, the observation is right"
        "\n\n"
        r"2. $e_i < 1$, it is right, but inside of the margin"
        "\n",
        "skipped [hypothesis]",
    ),
    "values of a function": (
        r"# One"
        "\n\n"
        r"Let $y(t) = \sin t$."
        "\n\n# Two\n\n"
        r"Since the curve is closed, $y(a) = y(b)$. Hence $$y(c) = y(b).$$",
        "undecided [ambiguous]",
    ),
}


@pytest.mark.parametrize(("text", "verdict"), SAID.values(), ids=SAID)
def test_what_is_said_in_a_case_defines_nothing(text: str, verdict: str) -> None:
    found = study(read_text(text, "x.md"), decide=decide)[-1]
    assert found.status + (f" [{found.code}]" if found.code else "") == verdict


RANGES = {
    "a half": ("The width $d$ is even. $$y_i = 10000^{-2i/d}, \\quad 0 \\le i < d/2$$", "y[i] := 10000^(-2*i/d)"),
    "a length": ("$$y_i = 3^{i/d}, \\quad 0 \\le i < d$$", "y[i] := 3^(i/d)"),
    "from one": ("$$y_i = 3^{i/d}, \\quad 1 \\le i \\le d$$", "y[i] := 3^((i + 1)/d)"),
    "a word of capitals": (
        "$$PE_{pos, 2i} = \\sin\\left(\\frac{pos}{10000^{2i/d}}\\right)$$\n\nfor $0 \\le i < d/2$.",
        "PE[pos, 2*i] := sin(pos/10000^(2*i/d))",
    ),
}


@pytest.mark.parametrize(("text", "read"), RANGES.values(), ids=RANGES)
def test_a_range_tells_the_length_that_ends_it(tmp_path: Path, text: str, read: str) -> None:
    path = tmp_path / "x.md"
    path.write_text(text, encoding="utf-8")
    item = check_documents([path], numbers=False)[0]["documents"][0]["items"][0]
    assert item["status"] == "defined"
    assert item["read"].startswith(read)
    assert item["source"].startswith(("y_i", "PE_"))
