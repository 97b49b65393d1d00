r"""Names that the text gives first and explains later, in equations and in words; what rests on them then holds of that."""

from __future__ import annotations

import pytest

from derivations.documents import read_text
from derivations.documents.facts.kinds import decomposition
from derivations.latex.syntax.reader import read_equation
from derivations.provers.decide import decide
from derivations.study.claims import study

FIT = (
    r"Let $A \in \mathbb{R}^{m \times k}$, $b \in \mathbb{R}^m$ and $\mu > 0$. Put "
    r"$$w_\mu = (A^\top A + \mu I)^{-1} A^\top b .$$ "
)
NUMBERS = (
    r"Take $\mu = 1$ and $$A = \begin{pmatrix} 1 & 0 \\ 1 & 1 \\ 1 & 2 \end{pmatrix}, \qquad "
    r"b = \begin{pmatrix} 1 \\ 2 \\ 2 \end{pmatrix} .$$ "
)
GRAPH = (
    r"Let $A \in \mathbb{R}^{n \times n}$ be symmetric with degrees $d_i = \sum_{j=1}^n A_{ij}$ and "
    r"$D = \mathrm{diag}(d_1, \ldots, d_n)$. Put $$N = D^{-1/2} A D^{-1/2} .$$ "
)
WEIGHTS = r"$$\alpha_{ij} = \frac{\exp(e_{ij})}{\sum_{k \in \mathcal{N}(i)} \exp(e_{ik})}$$ "
RETURN = r"For rewards $r_0, \ldots, r_{T-1}$ and a discount $0 < \gamma < 1$ let $$G_t = \sum_{k=0}^{T-1-t} \gamma^k r_{t+k} .$$ "
FORM = r"Let $C \in \mathbb{R}^{n \times n}$ be symmetric and $q(x) = x^\top C x$ for $x \in \mathbb{R}^n$. "

CASES = {
    "the argument of a softmax": (
        r"Let $z \in \mathbb{R}^n$ and $p = \text{softmax}(z)$. Now let $z = a + c \mathbf{1}$ with $a \in \mathbb{R}^n$ and "
        r"$c \in \mathbb{R}$. Then $$p = \text{softmax}(a) .$$",
        ["proved"],
    ),
    "another argument": (
        r"Let $z \in \mathbb{R}^n$ and $p = \text{softmax}(z)$. Now let $z = a + c \mathbf{1}$ with $a \in \mathbb{R}^n$ and "
        r"$c \in \mathbb{R}$. Then $$p = \text{softmax}(2 a) .$$",
        ["undecided [ambiguous]"],
    ),
    "a spectral decomposition": (
        FORM
        + r"By the spectral theorem $C = Q \Lambda Q^\top$ with $\Lambda = \mathrm{diag}(\lambda_1, \ldots, \lambda_n)$. "
        r"So $$q(x) = \sum_{i=1}^n \lambda_i (Q^\top x)_i^2$$ and $\mathrm{tr}(C) = \sum_{i=1}^n \lambda_i$.",
        ["proved", "proved"],
    ),
    "a singular value decomposition": (
        r"Let $A = U \Sigma V^\top$ be the thin singular value decomposition of $A \in \mathbb{R}^{m \times k}$, with "
        r"$\Sigma = \mathrm{diag}(\sigma_1, \ldots, \sigma_r)$. Then $$A^\top A = V \Sigma^2 V^\top .$$",
        ["proved"],
    ),
    "a product that no words call a decomposition": (
        r"Let $A = U \Sigma V^\top$ be a product with $\Sigma = \mathrm{diag}(\sigma_1, \ldots, \sigma_r)$. Then "
        r"$$A^\top A = V \Sigma^2 V^\top .$$",
        ["undecided [unsupported]"],
    ),
    "the numbers of an example, in another paragraph": (
        FIT + "\n\n# Example\n\n" + NUMBERS + "\n\n"
        r"Then $$A^\top A + \mu I = \begin{pmatrix} 4 & 3 \\ 3 & 6 \end{pmatrix} .$$"
        "\n\n"
        r"So $w_\mu = \begin{pmatrix} 4/5 \\ 3/5 \end{pmatrix}$.",
        ["proved", "proved"],
    ),
    "the inverse of a matrix of numbers": (
        r"Let $P = \begin{pmatrix} 2 & 1 \\ 1 & 1 \end{pmatrix}$. Its inverse is "
        r"$P^{-1} = \begin{pmatrix} 1 & -1 \\ -1 & 2 \end{pmatrix}$.",
        ["proved"],
    ),
    "a wrong entry of an inverse": (
        r"Let $P = \begin{pmatrix} 2 & 1 \\ 1 & 1 \end{pmatrix}$. Its inverse is "
        r"$P^{-1} = \begin{pmatrix} 1 & -1 \\ 1 & 2 \end{pmatrix}$.",
        ["refuted [false-claim]"],
    ),
    "the inverse of a singular matrix": (
        r"Let $S = \begin{pmatrix} 1 & 2 \\ 2 & 4 \end{pmatrix}$. Then "
        r"$S^{-1} = \begin{pmatrix} 1 & 0 \\ 0 & 1 \end{pmatrix}$.",
        ["undecided [undefined]"],
    ),
    "the root of a product of sums": (GRAPH + r"So $$N_{ij} = \frac{A_{ij}}{\sqrt{d_i d_j}} .$$", ["proved"]),
    "a root beside its radicand": (
        GRAPH + r"Then $$N D^{1/2} \mathbf{1} = D^{1/2} \mathbf{1} .$$",
        ["proved"],
    ),
    "a sum over the neighbours of a node": (
        WEIGHTS + r"Then $\sum_{j \in \mathcal{N}(i)} \alpha_{ij} = 1$.",
        ["proved"],
    ),
    "the first term of a sum with an offset": (
        RETURN + r"Hence, for $t < T-1$, $G_t = r_t + \gamma\, G_{t+1}$.",
        ["proved"],
    ),
    "the first term of such a sum, without its factor": (
        RETURN + r"Hence, for $t < T-1$, $G_t = r_t + G_{t+1}$.",
        ["undecided [unsupported]"],
    ),
    "as many members as are listed from 0 on": (
        r"For nodes $x_0, \ldots, x_n$ let $s = \sum_{i=0}^n x_i$. Then $s = x_0 + \sum_{i=1}^n x_i$.",
        ["proved"],
    ),
    "a standard normal in words": (
        r"With a standard normal $\varepsilon$ we draw $z = m + s\, \varepsilon$. Then "
        r"$$\mathbb{E}\big[ (z - c)^2 \big] = (m - c)^2 + s^2 .$$",
        ["proved"],
    ),
    "a state whose numbers are worked out later": (
        r"An average of the gradients, starting from zero, is $$m_t = \beta m_{t-1} + (1 - \beta) g_t$$ with $0 < \beta < 1$. "
        r"Then $$m_t = (1 - \beta) \sum_{s=1}^{t} \beta^{t-s} g_s .$$ Let $\beta = 0.9$, $g_1 = 1$ and $g_2 = -2$. Then "
        r"$m_1 = 0.1$ and $$m_2 = 0.9 \cdot 0.1 + 0.1 \cdot (-2) = -0.11 .$$",
        [
            "proved",
            "skipped [special-case]",
            "skipped [special-case]",
            "skipped [special-case]",
            "proved",
            "proved",
            "proved",
        ],
    ),
    "a symmetric matrix beside its inverse": (
        r"Let $H \in \mathbb{R}^{n \times n}$ be symmetric and $w = H^{-1} b$ with $b \in \mathbb{R}^n$. Then "
        r"$\frac{1}{2} H w + \frac{1}{2} H^\top w = b$.",
        ["proved"],
    ),
    "derivatives of known functions, and at a number": (
        r"Let $\sigma(a) = \frac{1}{1 + e^{-a}}$. Then $$\sigma'(a) = \sigma(a) (1 - \sigma(a)), \quad \tanh'(a) = 1 - \tanh^2(a), "
        r"\quad \sigma'(0) = \frac{1}{4}, \quad \tanh'(a) = 1 - \tanh(a) .$$",
        ["proved", "proved", "proved", "refuted [false-claim]"],
    ),
    "a condition on what the claim does not depend on": (
        r"Let $f, t, c \in \mathbb{R}^n$ and $d_i = \frac{1}{c_i - t_i}$. With $f = 0$ we have $d_i = 1 / c_i$.",
        ["undecided [condition-not-read]"],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_verdicts(name: str) -> None:
    text, expected = CASES[name]
    found = study(read_text(text, "x.md"), decide=decide)
    assert [f.status + (f" [{f.code}]" if f.code else "") for f in found][-len(expected) :] == expected


def test_the_penalty_below_a_name_is_no_index() -> None:
    found = study(read_text(FIT, "x.md"), decide=decide)
    assert str(found[-1].definition).startswith("w_mu[i] := ")
    assert "mu*[a = b]" in str(found[-1].definition)


def test_a_letter_above_the_weights_of_a_gate_is_no_power() -> None:
    text = r"The gates are $i_t = \sigma(a^i_t)$ and $o_t = \sigma(a^o_t)$ with $\sigma(u) = 1 / (1 + e^{-u})$."
    found = study(read_text(text, "x.md"), decide=decide)
    assert [str(f.definition) for f in found][:2] == ["i[t] := sigma(a_i[t])", "o[t] := sigma(a_o[t])"]


def test_a_letter_above_all_weights_of_a_gate_is_no_power() -> None:
    text = r"Let $i_t = \sigma(a^i_t)$ with $$a^i_t = W^i x_t + b^i, \qquad W^i \in \mathbb{R}^{n \times p}, \qquad x_t \in \mathbb{R}^p .$$"
    found = [str(f.definition) for f in study(read_text(text, "x.md"), decide=decide) if f.definition is not None]
    assert found[1] == "a_i[t, i] := sum(c: 0 <= c < p; W_i[i, c]*x[t, c]) + b_i[i]"


def test_a_name_that_is_only_set_to_numbers_is_a_number() -> None:
    text = RETURN + r"For $\gamma = 0.99$ it looks far ahead."
    found = study(read_text(text, "x.md"), decide=decide)
    assert "gamma^k*r[k + t]" in str(next(f.definition for f in found if f.definition is not None))


@pytest.mark.parametrize("row", decomposition.ROWS)
def test_decompositions(row: decomposition.Decomposition) -> None:
    fired, silent = ([*_of_sentence(text)] for text in (row.fires, row.silent))
    assert [kind for _, kind in fired] == [kind for _, kind in row.kinds]
    assert not silent


def _of_sentence(text: str) -> list[tuple[object, object]]:
    before, source, after = text.split("$")
    (reading,) = read_equation(source)
    return list(decomposition.of_formula(reading.chain, before, after))
