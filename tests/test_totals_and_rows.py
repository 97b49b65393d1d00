"""A total beside the numbers it is the sum of, facts about the rows of a matrix, lengths put in for lengths."""

from __future__ import annotations

from derivations.documents import read_text
from derivations.provers.decide import decide
from derivations.study.claims import study


def statuses(text: str) -> list[str]:
    return [
        f.status
        for f in study(read_text(text.replace("$$ ", "$$\n\n").replace(" $$", "\n\n$$"), "x.md"), decide=decide)
    ]


_LOSS = r"""Let $P_{ij} = \frac{\exp(S_{ij})}{\sum_{k=1}^{n} \exp(S_{ik})}$ for $S \in \mathbb{R}^{n \times n}$. The loss of pair $i$ is
$L_i = -\log P_{ii}$ and the batch loss is $L = \frac{1}{n} \sum_{i=1}^{n} L_i$."""


def test_a_total_is_another_name_than_its_parts() -> None:
    right = _LOSS + r"$$ \frac{\partial L}{\partial S} = \frac{1}{n} (P - I) $$"
    assert statuses(right)[-3:] == ["defined", "defined", "proved"]
    assert statuses(right.replace("(P - I)", "(I - P)"))[-1] == "refuted"


def test_the_entries_of_a_matrix_are_those_of_the_matrix() -> None:
    text = r"Let $W \in \mathbb{R}^{n \times n}$ and $u = W h$ with $h \in \mathbb{R}^n$. $$ u_2 = \sum_{j=1}^{n} W_{2j} h_j $$"
    assert statuses(text)[-1] == "proved"


def test_rows_of_two_matrices_are_told_in_order() -> None:
    text = r"Let $U \in \mathbb{R}^{n \times d}$ and $V \in \mathbb{R}^{n \times d}$, whose rows $u_i$ and $v_i$ have unit length."
    claim = r"$$ \|u_i - v_i\|^2 = 2 - 2 u_i^\top v_i $$"
    assert statuses(text + claim)[-1] == "proved"
    assert statuses(text + claim.replace("2 - 2", "2 + 2"))[-1] == "refuted"
    assert statuses(text + r"$$ S = U V^\top $$" + "\n\n" + r"$$ S_{ij} = u_i^\top v_j $$")[-1] == "proved"


def test_what_holds_along_a_surface_is_a_condition() -> None:
    text = r"Let $h(x) = W x$ with $W \in \mathbb{R}^{K \times D}$. The boundary is the surface along which $h_k(x) = h_j(x)$."
    assert statuses(text)[-1] == "skipped"
    assert statuses(text.replace("The boundary", "Then, as before, the boundary"))[-1] == "skipped"


def test_a_length_may_be_put_in_for_another() -> None:
    text = (
        r"Let $M \in \mathbb{R}^{g \times h}$ be the matrix of ones, $M_{ij} = 1$. Take $g = h$: then "
        r"$\sum_{i=1}^{g} M_{ij} = h$ for all $j$."
    )
    assert "refuted" not in statuses(text)


def test_a_letter_may_be_the_sign_of_transposes() -> None:
    text = (
        r"Let $B \in \mathbb{R}^{n \times p}$ and $F \in \mathbb{R}^n$. The estimator is $$ \hat\beta = (B^t B)^{-1} B^t F $$"
        "\n\n"
        r"and it satisfies $B^t B \hat\beta = B^t F$."
    )
    assert statuses(text)[-2:] == ["defined", "proved"]


def test_a_sign_alone_states_nothing() -> None:
    assert statuses(r"Costly $\Rightarrow$ limited. Let $f(x) = x^2$, so $f(2) = 4$.") == ["defined", "proved"]


def test_a_claim_about_invertible_matrices_is_refuted_by_some() -> None:
    text = r"Let $A, B, C \in \mathbb{R}^{n \times n}$ be invertible. $$ \operatorname{tr}(A B C) = \operatorname{tr}(B A C) $$"
    assert statuses(text)[-1] == "refuted"
    assert statuses(text.replace("B A C", "B C A"))[-1] == "proved"


_COLLECTED = (
    r"Let $x_i \in \mathbb{R}^d$ and $y_j \in \mathbb{R}^d$ for $i, j = 1, \dots, N$, and $$ u_i = \frac{x_i}{\|x_i\|}, \qquad "
    r"v_j = \frac{y_j}{\|y_j\|}. $$"
    "\n\n"
    r"The scores are $$ s_{ij} = u_i^\top v_j, \qquad p_{ij} = \frac{\exp(s_{ij})}{\sum_{k=1}^N \exp(s_{ik})} . $$"
    "\n\n"
    r"We collect $u_i^\top$ and $v_j^\top$ as the rows of $U, V \in \mathbb{R}^{N \times d}$, $s_{ij}$ and $p_{ij}$ in the matrices $S$ "
    r"and $P$. In this notation "
)


def test_matrices_of_defined_rows_and_entries_are_made_of_these() -> None:
    assert statuses(_COLLECTED + r"$S = U V^\top$ and $P \mathbf{1} = \mathbf{1}$.")[-2:] == ["proved", "proved"]
    assert statuses(_COLLECTED + r"$S = V U^\top$.")[-1] == "refuted"


def test_what_is_defined_is_nothing_else_after_if_and_then() -> None:
    text = (
        r"Let $s \in \mathbb{R}^{N \times N}$ and $p_{ij} = \frac{\exp(s_{ij})}{\sum_{k=1}^N \exp(s_{ik})}$."
        "\n\n"
        r"If the captions fall together, $v_1 = \dots = v_N$, then $p_{ij} = \frac1N$."
        "\n\n"
        r"We have $p_{11} = \exp(s_{11}) / \sum_{k=1}^N \exp(s_{1k})$."
    )
    assert statuses(text)[-2:] == ["undecided", "proved"]


def test_what_is_false_under_a_premise_is_not_called_true_in_a_case() -> None:
    text = r"Let $P \in \mathbb{R}^{n \times n}$, $x \in \mathbb{R}^n$ and $y = P x$. If $n > 2$, then $y_i = \sum_{j=1}^n P_{ji} x_j$."
    assert statuses(text)[-1] == "undecided"
    assert statuses(text.replace("P_{ji}", "P_{ij}"))[-1] == "proved"
