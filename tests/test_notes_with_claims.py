r"""Claims of notes that need more than their own formula: numbers that a sentence sets, kinds that a set tells, slips of powers."""

from __future__ import annotations

import pytest

from derivations.documents import read_text
from derivations.provers.decide import decide
from derivations.study.claims import study

STATES = (
    r"Let $h_0=0$ and, for $t\ge1$, $h_t = Ah_{t-1} + Bx_t$ and $y_t = Ch_t$ with $A\in\mathbb{R}^{N\times N}$, "
    r"$B\in\mathbb{R}^{N\times p}$, $C\in\mathbb{R}^{r\times N}$. Then "
)
FEATURES = r"For $u \in \mathbb{R}^d$ put $\phi_u(x) = \exp(u^\top x - \tfrac12\|x\|^2)$." + "\n\n"
MEMORY = (
    r"Consider $M_t = M_{t-1} - \beta_t(M_{t-1}\kappa_t - \nu_t)\kappa_t^\top$ for $M_t\in\mathbb{R}^{m\times d}$, "
    r"$\kappa_t\in\mathbb{R}^d$ and $\nu_t\in\mathbb{R}^{m}$." + "\n\n"
)
LOGISTIC = (
    r"The rows $x_i^\top$ of $X\in\mathbb{R}^{n\times p}$ have the labels $t_i\in\{0,1\}$. With "
    r"$\sigma(u)=1/(1+e^{-u})$ and $\mu_i = \sigma(x_i^\top w)$ let $$E(w) = \sum_{i=1}^{n}\left[\log(1+e^{x_i^\top w})"
    r"-t_i\,x_i^\top w\right].$$ Then "
)
ENTROPIES = (
    r"For distributions $p$ and $q$ on $K$ classes let $H(p) = -\sum_i p_i \log p_i$ and $H(p, q) = -\sum_i p_i\log q_i$. "
    "Coding costs: "
)
SPHERE = (
    r"Let $u_i, v_i \in \mathbb{R}^d$ be vectors of unit length: $\|u_i\| = \|v_i\| = 1$. Let $s_{ij} = u_i^\top v_j$."
    + "\n\n"
)
SIGMOID = r"Let $\sigma(x) = \frac{1}{1+e^{-x}}$." + "\n\n"
LAST: dict[str, tuple[str, str]] = {
    "a power of a matrix": (STATES + r"$$y_t = \sum_{j=1}^{t}CA^{t-j}Bx_j.$$", "proved"),
    "one power too many": (STATES + r"$$y_t = \sum_{j=1}^{t}CA^{t-j+1}Bx_j.$$", "refuted"),
    "the same where x is a parameter elsewhere": (FEATURES + STATES + r"$$y_t = \sum_{j=1}^{t}CA^{t-j+1}Bx_j.$$", "refuted"),
    "a member that the sentence sets": (MEMORY + r"With $\|\kappa_t\|=1$ and $\beta_t=1$ we get $M_t\kappa_t = \nu_t$.", "proved"),
    "a gradient": (LOGISTIC + r"$$\nabla E(w) = X^\top(\mu-t).$$", "proved"),
    "a gradient with the other sign": (LOGISTIC + r"$$\nabla E(w) = X^\top(t-\mu).$$", "refuted"),
    "entropies in the wrong order": (ENTROPIES + r"$H(p, q) \le H(p)$.", "refuted"),
    "the same thing": (SPHERE + r"Angle and distance are the same thing: $\|u_i - v_j\|^2 = 2 - s_{ij}$.", "refuted"),
    "the same thing, right": (SPHERE + r"Angle and distance are the same thing: $\|u_i - v_j\|^2 = 2 - 2 s_{ij}$.", "proved"),
    "a factor within a function": (SIGMOID + r"So $\tanh(x) = 2\sigma(x) - 1$.", "refuted"),
    "an identity of what another line speaks of": (
        r"For all $q, k \in \mathbb{R}^d$ we have $E_u[\phi_u(q) \phi_u(k)] = \exp(q^\top k)$ and "
        r"$E_u[\phi_u(q)^2] = \exp(\|q\|^2)$. Hence $\|q+k\|^2 = \|q\|^2 + q^\top k + \|k\|^2$.",
        "refuted",
    ),
    "a number of a law that the sentence sets": (
        r"Let the entries of $q,k\in\mathbb{R}^d$ be independent with mean $0$ and variance $\sigma^2$. "
        r"For unit variance, i.e. $\sigma=1$, this means $\mathrm{Var}(q^\top k/\sqrt{d}) = 1$.",
        "proved",
    ),
    "a case in words": (SIGMOID + r"For equal scores we have $\tanh(x) = 2\sigma(x) - 1$.", "undecided"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "status"), LAST.values(), ids=LAST)
def test_the_last_claim(text: str, status: str) -> None:
    assert study(read_text(text, "x.md"), decide=decide)[-1].status == status


def test_a_family_is_told_from_a_parameter_of_its_letter() -> None:
    found = study(read_text(FEATURES + STATES, "x.md"), decide=decide)
    read = {f.source: str(f.definition) for f in found if f.definition is not None}
    assert read["y_t = Ch_t"].startswith("y[t, i] := ")  # a vector for each t, not a matrix


@pytest.mark.parametrize(
    "text",
    [
        r"Let $Y = \mu_\theta(X) + \sigma_\theta(X) Z$. The gradient flows through $\mu_\theta$ and $\sigma_\theta$.",
        r"Let $a = \phi(z)$. It is chosen so that $\phi$ and $\phi^2$ are bounded.",
    ],
)
def test_no_name_alone_in_parentheses_is_multiplied(text: str) -> None:
    (first, *_) = study(read_text(text, "x.md"), decide=decide)
    assert first.definition is None or "*X" not in str(first.definition)


def test_a_function_without_a_space() -> None:
    found = study(read_text(r"Let $G_{ij} = 1 - logX_{ij}$ and $k = cost$.", "x.md"), decide=decide)
    assert "log(X" in str(found[0].definition)
    assert "cos(" not in str(found[1].definition)


def test_an_index_that_counts_stays_an_index() -> None:
    text = r"Let $S \in \mathbb{R}^{n \times n}$ and $A_{ij} = 2 S_{ij}$. Row $i$ keeps $i$ entries of $A$."
    found = study(read_text(text, "x.md"), decide=decide)
    assert str(found[-1].definition) == "A[i, j] := 2*S[i, j]"


def test_an_unknown_function_is_no_constant() -> None:
    text = r"Let $g(w) = L(w, d)$. Then $\frac{\partial L(w, d)}{\partial \theta} = 0$."
    assert study(read_text(text, "x.md"), decide=decide)[-1].status != "proved"
