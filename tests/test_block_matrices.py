r"""Matrices told apart by runs of letters and stars, `K_{uf}`, `K_{*X}`, and what stands around them in documents."""

from __future__ import annotations

from studied import statuses

from derivations.documents import read_text
from derivations.provers.decide import decide
from derivations.study.claims import study

PROCESS = r"""The values at the data are $\mathbf f$, those at the inducing points $\mathbf u$.

$$\mathbf Q_{ff} = \mathbf K_{fu} \mathbf K_{uu}^{-1} \mathbf K_{uf}$$

$$\mathbf m_\star = \mathbf K_{\star f} (\mathbf K_{ff} + \sigma^2 \mathbf I)^{-1} \mathbf y$$

"""


def _read(text: str) -> list[str]:
    return [str(f.definition or f.statement) for f in study(read_text(text, "x.md"), decide=decide)]


def test_letters_of_bold_things_below_a_matrix_are_one_word() -> None:
    found = _read(PROCESS)
    assert "K_fu" in found[0] and "inverse(K_uu)" in found[0]
    assert "K_star_f" in found[1] and "inverse((a, b) -> K_ff" in found[1]


def test_what_is_claimed_of_such_matrices_is_judged() -> None:
    symmetric = (
        PROCESS + r"$$\mathbf Q_{ff} \mathbf x = \mathbf K_{fu} (\mathbf K_{uu}^{-1} \mathbf K_{uf} \mathbf x)$$"
    )
    assert statuses(symmetric)[-1] == "proved"
    swapped = PROCESS + r"$$\mathbf Q_{ff} = \mathbf K_{uf} \mathbf K_{uu}^{-1} \mathbf K_{fu}$$"
    assert statuses(swapped)[-1] != "proved"


def test_indices_stay_indices() -> None:
    """The f and u of `\\sum_{u}` run, whatever is bold."""
    text = r"Let $\mathbf{u}$ and $\mathbf{f}$ be vectors. $$C_{fu} = \sum_u A_{fu} B_{uu}$$ $$C_{fu} = \sum_u A_{fu} B_{uu}$$"
    assert "sum(u" in _read(text)[-1]


def test_bars_around_a_sum_with_an_identity_are_a_determinant() -> None:
    text = r"Let $Q$ be an $n \times n$ matrix. $$d = |Q + s I|$$ $$d = \det(Q + s I)$$"
    assert statuses(text)[-1] == "proved"


def test_room_is_left_for_the_side_above() -> None:
    text = r"""$$x^2 - 1 = (x - 1)(x + 1)$$

Put in another way, with $y = x - 1$,

$$\phantom{x^2 - 1} = y (y + 2)$$

$$\phantom{x^2 - 1} = y^2 + y$$
"""
    assert statuses(text) == ["proved", "defined", "proved", "refuted"]


def test_a_display_goes_on_after_formulas_in_the_text() -> None:
    text = r"""$$(x + 1)^2 = x (x + 2) + 1$$

and since $z = x + 2$ is what we started from,

$$= x z + 1$$
"""
    assert statuses(text)[-1] == "proved"


def test_a_font_before_a_bracket_is_that_of_the_bracket() -> None:
    text = r"$$\mathbf A = \mathbf (B + s I)$$ $$\mathbf A - B = s I$$"
    assert statuses(text)[-1] == "proved"


BLOCKS = r"""Two blocks, `a` and `b`, are merged: $$m_{ab} = \max(m_a, m_b), \qquad
\ell_{ab} = \ell_a e^{m_a - m_{ab}} + \ell_b e^{m_b - m_{ab}} .$$ """


def test_one_thing_made_of_two_of_its_name() -> None:
    assert statuses(BLOCKS + r"$$e^{m_{ab}} \ell_{ab} = e^{m_a} \ell_a + e^{m_b} \ell_b$$")[-1] == "proved"
    assert statuses(BLOCKS + r"$$e^{m_{ab}} \ell_{ab} = e^{m_a} \ell_b + e^{m_b} \ell_a$$")[-1] == "refuted"


def test_entries_of_a_matrix_are_not_made_of_two_of_its_name() -> None:
    text = r"Let $p_{ij} = p_i p_j$ for $i, j = 1, \dots, n$ with $\sum_{i=1}^n p_i = 1$. Then $\sum_{i,j} p_{ij} = 1$."
    assert "refuted" not in statuses(text)


def test_a_change_is_one_name() -> None:
    text = r"Let $g(x) = x^2$ and $\delta g = g(x + \delta x) - g(x)$. Then "
    assert statuses(text + r"$$\delta g = 2 x \, \delta x + (\delta x)^2$$")[-1] == "proved"
    assert statuses(text + r"$$\delta g = 2 x \, \delta x$$")[-1] == "undecided"  # to the first order it is so
    assert "refuted" not in statuses(r"The change of $f$ is $\delta f = f(A + \delta A) - f(A)$.")


def test_what_a_footnote_supposes_counts_for_its_sentence() -> None:
    text = r"With $m = \sum_k w_k s_k$ we have $\sum_k w_k (s_k - m) = 0$.[^w]"
    assert statuses(text)[-1] != "proved"
    noted = text + "\n\n[^w]: " + r"The $w_k$ are weights with $\sum_k w_k = 1$."
    assert statuses(noted)[1] == "proved"


def test_a_law_with_a_star_leaves_the_other_law_a_family() -> None:
    text = r"""Let $p$ and $q$ be probability mass functions with $q(x) > 0$. Let $w(x) = p(x) / q(x)$ and
$q_\star(x) = p(x)^2 / \sum_y p(y)^2$. Then $\sum_x q(x) w(x) = 1$ and $\sum_x q_\star(x) = 1$ and
$\sum_x \frac{p(x)^2}{q(x)} - 2 \sum_x p(x) + \sum_x q(x) = \sum_x \frac{p(x)^2}{q(x)} - 1$."""
    assert statuses(text)[-3:] == ["proved", "proved", "proved"]


def test_letters_that_stand_in_runs_alone_name_blocks() -> None:
    text = r"""Let $K_{uu} \in \mathbb{R}^{m \times m}$ and $K_{uf} \in \mathbb{R}^{m \times n}$ with $K_{fu} = K_{uf}^\top$.
$$Q = K_{fu} K_{uu}^{-1} K_{uf}$$ $$C = Q + \sigma^2 I_n$$ """
    assert statuses(text + r"$$C - K_{fu} K_{uu}^{-1} K_{uf} = \sigma^2 I_n$$")[-1] == "proved"
    jacobi = (
        r"Let $A \in \mathbb{R}^{n \times n}$. $$x_i = A_{ii}^{-1} \left( b_i - \sum_{j \ne i} A_{ij} y_j \right)$$"
    )
    assert "A[i, i]" in _read(jacobi)[-1]


def test_a_family_is_counted_as_sums_count_it() -> None:
    text = r"""For $\eta \in \mathbb{R}^K$ let $F(\eta) = \log \sum_{k=1}^{K} e^{\eta_k}$ and $\pi_k = e^{\eta_k - F(\eta)}$. Then
$\sum_{k=1}^K \pi_k = 1$.

With rate $\lambda > 0$ let $$p_\lambda(k) = \frac{\lambda^k e^{-\lambda}}{k!}, \qquad k = 0, 1, 2, \dots$$"""
    assert statuses(text)[2] == "proved"


def test_a_power_after_so_many_steps() -> None:
    text = r"Let $0 < a < 1$. Then $\sum_{k=0}^{K-1} a^k = \frac{1 - a^K}{1 - a}$."
    assert statuses(text)[-1] == "proved"


def test_a_list_with_dots_is_compared_with_a_number() -> None:
    text = r"For weights $w_1, \dots, w_n > 0$ we have $\sum_{i=1}^n w_i > 0$ and $w_i^2 > 0$."
    assert statuses(text) == ["skipped", "proved", "proved"]


def test_a_list_with_dots_says_nothing_of_other_members() -> None:
    text = r"Let $w \in \mathbb{R}^n$ and $w_1, \dots, w_m > 0$ with $m < n$. Then $$ \sum_{i=1}^n w_i > 0 . $$"
    assert statuses(text)[-1] == "undecided"
    assert statuses(text.replace("w_m", "w_n").replace(" with $m < n$", ""))[-1] == "proved"


def test_words_about_a_list_with_dots_say_nothing_of_other_members() -> None:
    text = (
        r"Let $w \in \mathbb{R}^n$ where $w_1, \dots, w_m$ are positive and $m < n$. Then $$ \sum_{i=1}^n w_i > 0 . $$"
    )
    assert statuses(text)[-1] == "undecided"
    assert statuses(text.replace(r"\sum_{i=1}^n", r"\sum_{i=1}^m"))[-1] == "proved"
    assert statuses(text.replace("w_m", "w_n").replace(" and $m < n$", ""))[-1] == "proved"
    counted = r"Let $b_0, \dots, b_{n-1}$ be positive numbers. Then $$ \sum_{i=0}^{n-1} b_i > 0 . $$"
    assert statuses(counted)[-1] == "proved"


def test_a_sign_of_some_members_is_none_of_all() -> None:
    text = r"Let $w \in \mathbb{R}^n$ and $w_i > 0, 1 \le i \le m$ with $m < n$. Then $$ \sum_{i=1}^n w_i > 0 . $$"
    assert statuses(text)[-1] == "undecided"


def test_a_temperature_keeps_its_sign() -> None:
    text = "For values at temperature $\\tau > 0$ we have\n\n$$ \\sqrt{\\tau^2} = \\tau $$\n\n$$ \\sqrt{\\tau^2} = 2 \\tau $$\n"
    assert statuses(text)[1:] == ["proved", "refuted"]


def test_a_star_beside_an_index_is_a_row_or_a_column() -> None:
    text = r"""Let $A \in \mathbb{R}^{n \times m}$. Then $\|A_{i*}\|^2 = \sum_{j=1}^m A_{ij}^2$ and
$\|A_{*j}\|^2 = \sum_{i=1}^n A_{ij}^2$, but not $\|A_{*j}\|^2 = \sum_{i=1}^n A_{ij}$."""
    assert statuses(text)[:2] == ["proved", "proved"]
    defined = r"Let $A, B$ be matrices, $C_{ij} = \sum_k A_{ik} B_{kj}$ and $$D_{ij} = A_{i*} B_{*j} .$$"
    assert statuses(defined)[-1] != "defined"  # what a row by a column is, is not said
