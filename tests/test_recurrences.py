"""Recurrences in documents: read as definitions over all indices, decided by closed forms and induction."""

from __future__ import annotations

import pytest

from derivations.documents import read_text
from derivations.provers.decide import decide
from derivations.study.claims import study

TOKENS = r"Let $k_t, q_t \in \mathbb{R}^d$ and $v_t \in \mathbb{R}^m$ for $t = 1, \dots, n$. "
SCORES = r"Let $x \in \mathbb{R}^n$. "
DOCUMENTS = {
    "a state that starts from zero": (
        TOKENS + r"With $S_0 = 0$ let $$S_t = S_{t-1} + k_t v_t^\top.$$ Then $$S_t = \sum_{s=1}^t k_s v_s^\top.$$",
        ["defined", "defined", "proved"],
    ),
    "what is read off the state": (
        TOKENS + r"$$S_t = S_{t-1} + k_t v_t^\top, \qquad S_0 = 0$$ $$o_t = S_t^\top q_t$$ "
        r"$$o_t = \sum_{s=1}^t (k_s^\top q_t) v_s$$",
        ["defined", "defined", "defined", "proved"],
    ),
    "one token too few": (
        TOKENS + r"$$S_t = S_{t-1} + k_t v_t^\top, \qquad S_0 = 0$$ $$S_t = \sum_{s=1}^{t-1} k_s v_s^\top$$",
        ["defined", "defined", "refuted"],
    ),
    "a start that nothing states": (
        TOKENS + r"$$S_t = S_{t-1} + k_t v_t^\top$$ $$S_t = \sum_{s=1}^t k_s v_s^\top$$",
        ["defined", "proved"],
    ),
    "a start that is not known to be zero": (
        TOKENS + r"From a state $S_0$ on, $$S_t = S_{t-1} + k_t v_t^\top.$$ $$S_t = \sum_{s=1}^t k_s v_s^\top$$",
        ["defined", "undecided"],
    ),
    "a first value at one": (
        SCORES + r"Let $c_1 = x_1$ and, for $t > 1$, $$c_t = c_{t-1} + x_t.$$ Then $$c_t = \sum_{s=1}^t x_s.$$",
        ["defined", "defined", "proved"],
    ),
    "decay": (
        TOKENS + r"$$S_t = \gamma S_{t-1} + k_t v_t^\top, \quad S_0 = 0$$ $$y_t = S_t^\top q_t$$ "
        r"$$y_t = \sum_{s=1}^t \gamma^{t-s} (k_s^\top q_t) v_s$$",
        ["defined", "defined", "defined", "proved"],
    ),
    "decay by one step too many": (
        TOKENS
        + r"$$S_t = \gamma S_{t-1} + k_t v_t^\top, \quad S_0 = 0$$ $$S_t = \sum_{s=1}^t \gamma^{t-s+1} k_s v_s^\top$$",
        ["defined", "defined", "refuted"],
    ),
    "a state with the letter of lengths": (
        TOKENS + r"With $D_0 = 0$ let $$D_t = D_{t-1} + \beta_t (v_t - D_{t-1} k_t) k_t^\top .$$ Then "
        r"$$D_t = D_{t-1} (I - \beta_t k_t k_t^\top) + \beta_t v_t k_t^\top .$$",
        ["defined", "defined", "proved"],
    ),
    "a state by the one before": (
        r"Let $x_t \in \mathbb{R}$, $c_0 = 0$ and $$c_t = f_t c_{t-1} + x_t .$$ Then "
        r"$$\frac{\partial c_t}{\partial c_{t-1}} = f_t .$$",
        ["defined", "defined", "proved"],
    ),
    "a state by the one before, which need not be a step": (
        r"Let $x_t \in \mathbb{R}$, $c_0 = 1$, $c_1 = 3$ and $$c_{t+2} = f_t c_{t+1} + c_t + x_t .$$ Then "
        r"$$\frac{\partial c_{t+1}}{\partial c_t} = f_{t-1} .$$",
        ["defined", "defined", "defined", "unread"],
    ),
    "a state by one at a distance": (
        r"Let $x_t \in \mathbb{R}$, $c_0 = 0$ and $$c_t = f_t c_{t-1} + x_t .$$ Then "
        r"$$\frac{\partial c_t}{\partial c_k} = \prod_{j=k+1}^t f_j .$$",
        ["defined", "defined", "unread"],
    ),
    "a moving average": (
        r"Let $m_0 = 0$ and $$m_t = \beta m_{t-1} + (1 - \beta) g_t.$$ "
        r"$$m_t = (1-\beta) \sum_{i=1}^t \beta^{t-i} g_i$$",
        ["defined", "defined", "proved"],
    ),
    "the running maximum": (
        SCORES + r"Start from $m_0 = -\infty$. For $i = 1, \dots, n$, $$m_i = \max(m_{i-1}, x_i).$$ "
        r"Then $$m_i = \max_{j \le i} x_j.$$",
        ["defined", "defined", "proved"],
    ),
    "online softmax": (
        SCORES + r"Start from $m_0 = -\infty$ and $\ell_0 = 0$. For $i = 1, \dots, n$, $$\begin{aligned} "
        r"m_i &= \max(m_{i-1}, x_i) \\ \ell_i &= \ell_{i-1} e^{m_{i-1} - m_i} + e^{x_i - m_i} \end{aligned}$$ "
        r"Then $$\ell_n = \sum_{j=1}^n e^{x_j - m_n}.$$",
        ["defined", "defined", "defined", "defined", "proved"],
    ),
    "online softmax without rescaling": (
        SCORES + r"Start from $m_0 = -\infty$ and $\ell_0 = 0$. For $i = 1, \dots, n$, $$\begin{aligned} "
        r"m_i &= \max(m_{i-1}, x_i) \\ \ell_i &= \ell_{i-1} + e^{x_i - m_i} \end{aligned}$$ "
        r"Then $$\ell_n = \sum_{j=1}^n e^{x_j - m_n}.$$",
        ["defined", "defined", "defined", "defined", "refuted"],
    ),
    "a claim about a sum that is known": (
        SCORES + r"Let $$c_t = \sum_{s=1}^t x_s.$$ For $t > 1$ $$c_t = c_{t-1} + x_t.$$",
        ["defined", "proved"],
    ),
    "an update of a variable": (SCORES + r"$$x = x + f(x)$$", ["skipped"]),
    "a start at minus one": (
        r"Let $a, x_t \in \mathbb{R}$. With $u_{-1} = 0$ let $$u_t = a u_{t-1} + x_t.$$ "
        r"Then $$u_t = \sum_{s=0}^t a^{t-s} x_s$$ and $$u_1 = a x_0 + x_1.$$",
        ["defined", "defined", "proved", "proved"],
    ),
    "a start at minus one, and a power too many": (
        r"Let $a, x_t \in \mathbb{R}$. With $u_{-1} = 0$ let $$u_t = a u_{t-1} + x_t.$$ "
        r"Then $$u_t = \sum_{s=0}^t a^{t-s+1} x_s.$$",
        ["defined", "defined", "refuted"],
    ),
    "a transposed state": (
        TOKENS + r"Let $\beta \in \mathbb{R}$ and $$S_t = S_{t-1} + \beta k_t (v_t - S_{t-1}^\top k_t)^\top .$$ Then "
        r"$$S_t = (I - \beta k_t k_t^\top) S_{t-1} + \beta k_t v_t^\top$$ and "
        r"$$S_t = (I + \beta k_t k_t^\top) S_{t-1} + \beta k_t v_t^\top .$$",
        ["defined", "proved", "refuted"],
    ),
    "a power of a state": (
        r"Let $r, x_0 \in \mathbb{R}$ and $$x_t = r x_{t-1} - r x_{t-1}^2 .$$ Then $$x_t = r x_{t-1} (1 - x_{t-1}).$$",
        ["defined", "proved"],
    ),
    "a sum that starts before its first term": (
        TOKENS
        + r"Let $$S_t = \sum_{s \le t} k_s v_s^\top .$$ With $S_0 = 0$ it obeys $$S_t = S_{t-1} + k_t v_t^\top.$$",
        ["defined", "proved", "proved"],
    ),
    "another state in a later section": (
        TOKENS + r"Let $\gamma \in \mathbb{R}$." + "\n\n# Adding\n\n"
        r"$$S_t = \sum_{s \le t} k_s v_s^\top$$ so that $$S_t = S_{t-1} + k_t v_t^\top .$$" + "\n\n# Decay\n\n"
        r"Start from $S_0 = 0$ and let $$S_t = \gamma S_{t-1} + k_t v_t^\top, \qquad o_t = S_t^\top q_t .$$ "
        r"Then $$S_t = \sum_{s=1}^t \gamma^{t-s} k_s v_s^\top ,$$ "
        r"$$S_{t+c} = \gamma^c S_t + \sum_{s=t+1}^{t+c} \gamma^{t+c-s} k_s v_s^\top$$ and "
        r"$$o_t = \sum_{s=1}^t \gamma^{t-s} (k_s^\top q_t) v_s .$$",
        ["defined", "proved", "defined", "defined", "defined", "proved", "proved", "proved"],
    ),
    "another state in a later section, with a power too many": (
        TOKENS + r"Let $\gamma \in \mathbb{R}$." + "\n\n# Adding\n\n"
        r"$$S_t = \sum_{s \le t} k_s v_s^\top$$ so that $$S_t = S_{t-1} + k_t v_t^\top .$$" + "\n\n# Decay\n\n"
        r"Start from $S_0 = 0$ and let $$S_t = \gamma S_{t-1} + k_t v_t^\top .$$ "
        r"Then $$S_t = \sum_{s=1}^t \gamma^{t-s+1} k_s v_s^\top .$$",
        ["defined", "proved", "defined", "defined", "refuted"],
    ),
    "the same state in a later section": (
        TOKENS + "\n\n# Adding\n\n" + r"$$S_t = \sum_{s \le t} k_s v_s^\top$$" + "\n\n# Steps\n\n"
        r"With $S_0 = 0$ we have $$S_t = S_{t-1} + k_t v_t^\top .$$",
        ["defined", "proved", "proved"],
    ),
    "constant inputs, named like one of them": (
        r"Let $x_t \in \mathbb{R}^d$ and $\lambda \in \mathbb{R}$. $$h_t = \lambda h_{t-1} + x_t, \quad h_0 = 0$$ "
        r"With constant input $x_t = x$ the state is $$h_t = \frac{1 - \lambda^t}{1 - \lambda} x .$$",
        ["defined", "defined", "skipped", "proved"],
    ),
    "constant inputs, and a power too many": (
        r"Let $x_t \in \mathbb{R}^d$ and $\lambda \in \mathbb{R}$. $$h_t = \lambda h_{t-1} + x_t, \quad h_0 = 0$$ "
        r"With constant input $x_t = x$ the state is $$h_t = \frac{1 - \lambda^{t+1}}{1 - \lambda} x .$$",
        ["defined", "defined", "skipped", "undecided"],
    ),
    "a loss of a state": (
        TOKENS + r"Let $\beta \in \mathbb{R}$ and $$S_t = S_{t-1} + \beta k_t (v_t - S_{t-1}^\top k_t)^\top .$$ "
        r"For each $t$ the loss is $$L(S) = \frac{1}{2} \|S^\top k_t - v_t\|^2$$ and so "
        r"$$S_t = S_{t-1} - \beta \nabla L(S_{t-1})$$ and $$S_t = S_{t-1} + \beta \nabla L(S_{t-1}) .$$",
        ["defined", "defined", "proved", "refuted"],
    ),
    "the gradient of a loss of a state": (
        TOKENS + r"Let $\beta \in \mathbb{R}$ and $$S_t = S_{t-1} + \beta k_t (v_t - S_{t-1}^\top k_t)^\top .$$ "
        r"For each $t$ the loss is $$L(S) = \frac{1}{2} \|S^\top k_t - v_t\|^2$$ with the gradient "
        r"$$\nabla_S L = k_t (S^\top k_t - v_t)^\top .$$",
        ["defined", "defined", "proved"],
    ),
    "the gradient of a loss of a state, with a wrong factor": (
        TOKENS + r"Let $\beta \in \mathbb{R}$ and $$S_t = S_{t-1} + \beta k_t (v_t - S_{t-1}^\top k_t)^\top .$$ "
        r"For each $t$ the loss is $$L(S) = \frac{1}{2} \|S^\top k_t - v_t\|^2$$ with the gradient "
        r"$$\nabla_S L = 2 k_t (S^\top k_t - v_t)^\top .$$",
        ["defined", "defined", "refuted"],
    ),
    "maxima of parts": (
        SCORES + r"For $1 < i$, $$\max_{j \le i} x_j = \max\left(x_i, \max_{j \le i-1} x_j\right).$$",
        ["proved"],
    ),
    "a maximum and a scale": (
        r"Let $S \in \mathbb{R}^{n \times n}$. $$\max_j \frac{S_{ij}}{\sqrt{d}} = \frac{1}{\sqrt{d}} \max_j S_{ij}$$ "
        r"$$\max_j (S_{ij} - c) = \max_j S_{ij} - c$$",
        ["proved", "proved"],
    ),
    "a maximum and a sign": (SCORES + r"$$\max_j (-x_j) = -\max_j x_j$$", ["refuted"]),
}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_recurrences(name: str) -> None:
    text, statuses = DOCUMENTS[name]
    found = [f for f in study(read_text(text, "a.md"), decide=decide) if f.code != "declaration"]
    assert [f.status for f in found] == statuses, [(f.source, f.status, f.code, f.reason) for f in found]


def test_a_letter_that_is_also_a_number_of_steps_is_an_index() -> None:
    text = r"With $Z_0 = 0$ let $$Z_t = Z_{t-1} + v_t.$$ Then after $t$ steps $$Z_t = \sum_{i=1}^{t} v_i.$$"
    found = study(read_text(text, "a.md"), decide=decide)
    assert [f.status for f in found] == ["defined", "defined", "proved"]


@pytest.mark.parametrize(
    ("words", "is_said"), [("All states start at zero.", True), ("All indices start at 1.", False), ("", False)]
)
def test_all_states_start_at_zero(words: str, is_said: bool) -> None:
    text = f"# Sums\n\n{words}\n\n## Decay\n\n{TOKENS}" + r"$$S_t = \gamma S_{t-1} + k_t v_t^\top$$ "
    found = study(read_text(text + r"$$S_t = \sum_{s=1}^t \gamma^{t-s} k_s v_s^\top$$", "a.md"), decide=decide)
    claim = [f for f in found if f.code != "declaration"][-1]
    assert claim.status == "proved"
    assert any(note.kind == "start-value" for note in claim.assumptions) != is_said


def test_a_full_stop_inside_of_an_environment_ends_a_sentence() -> None:
    step = r"\begin{equation} s_t = s_{t-1} + g_t (x_t - s_{t-1}). \label{a} \end{equation} An equivalent form is "
    text = SCORES + "The gate replaces what is stored: " + step
    found = study(
        read_text(text + r"\begin{equation} s_t = (1 + g_t) s_{t-1} + g_t x_t. \end{equation}", "a.tex"), decide=decide
    )
    assert [f.status for f in found if f.code != "declaration"] == ["defined", "refuted"]


def test_a_formula_without_a_full_stop_does_not_end_its_sentence() -> None:
    text = SCORES + r"\begin{equation} s_i = x_i + 1 \end{equation} and without the one it is "
    found = study(read_text(text + r"\begin{equation} s_i = 2 x_i \end{equation}", "a.tex"), decide=decide)
    assert [f.status for f in found if f.code != "declaration"] == ["defined", "defined"]


@pytest.mark.parametrize(
    ("words", "status"), [(r"Let $\beta$ be singular.", "refuted"), ("Let $A$ be singular.", "undecided")]
)
def test_no_number_is_singular(words: str, status: str) -> None:
    text = r"Let $\beta \in \mathbb{R}$, $A \in \mathbb{R}^{n \times n}$ and $x_t \in \mathbb{R}^n$. " + words
    text += r" $$h_t = A h_{t-1} + \beta x_t, \quad h_0 = 0$$ Then $$h_t = A h_{t-1} + \beta x_t + \beta^2 h_{t-1} .$$"
    found = [f for f in study(read_text(text, "a.md"), decide=decide) if f.code != "declaration"]
    assert found[-1].status == status, found[-1].reason


def test_a_start_after_a_step_is_its_own() -> None:
    text = (
        SCORES
        + r"Let $a \in \mathbb{R}$ and $$h_t = a h_{t-1} + x_t, \quad h_0 = 0 .$$ Then $$h_t = a h_{t-1} + 2 x_t .$$"
    )
    found = [f for f in study(read_text(text, "a.md"), decide=decide) if f.code != "declaration"]
    assert [f.status for f in found] == ["defined", "defined", "refuted"], found[-1].reason
