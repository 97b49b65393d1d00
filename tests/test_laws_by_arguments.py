r"""Laws named by their arguments: `p(x, y)`, `p(x)`, `p(y \mid x)`; quantities named by variables: `H(X)`, `I(X; Y)`."""

from __future__ import annotations

import pytest

from derivations.documents import read_text
from derivations.provers.decide import decide
from derivations.study.claims import study

LAWS = r"""Let $p(x, y)$ be a joint law with marginals $p(x) = \sum_{y} p(x, y)$ and $p(y) = \sum_{x} p(x, y)$ and
conditionals $p(x \mid y) = p(x, y) / p(y)$ and $p(y \mid x) = p(x, y) / p(x)$. Let
$$H(X, Y) = -\sum_{x, y} p(x, y) \log p(x, y), \qquad H(X) = -\sum_x p(x) \log p(x), \qquad H(Y) = -\sum_y p(y) \log p(y)$$
$$H(Y \mid X) = -\sum_{x, y} p(x, y) \log p(y \mid x)$$
$$I(X; Y) = \sum_{x, y} p(x, y) \log \frac{p(x, y)}{p(x) p(y)}$$
Then """
CLAIMS = {
    r"H(X, Y) = H(X) + H(Y \mid X)": "proved",
    r"H(X, Y) = H(Y) + H(Y \mid X)": "refuted",
    r"I(X; Y) = H(X) + H(Y) - H(X, Y)": "proved",
    r"\sum_y p(y \mid x) = 1": "proved",
    r"p(x \mid y) = \frac{p(y \mid x) p(x)}{p(y)}": "proved",
    r"p(x \mid y) = \frac{p(y \mid x) p(y)}{p(x)}": "refuted",
    r"I(X; Y) \ge 0": "proved",
    r"H(Y \mid X) \le H(Y)": "proved",
    r"H(X, Y) \ge H(X) + H(Y)": "refuted",
}


@pytest.mark.parametrize("claim", CLAIMS)
def test_laws_of_two_variables(claim: str) -> None:
    found = study(read_text(rf"{LAWS}${claim}$.", "x.md"), decide=decide)
    assert {f.status for f in found[:-1] if f.kind != "claim"} == {"defined"}
    assert (found[-1].status, found[-1].reason) == (CLAIMS[claim], found[-1].reason)


def test_marginal_laws_are_two_functions() -> None:
    text = r"Let $p(x) = \sum_y p(x, y)$ and $p(y) = \sum_x p(x, y)$. Then $\sum_x p(x)^2 = \sum_y p(y)^2$."
    assert study(read_text(text, "x.md"), decide=decide)[-1].status != "proved"


def test_values_of_one_function_stay_so() -> None:
    """A degree and a distance: nothing shows that `d(i)` and `d(j)` are laws."""
    text = r"""Let $d(i) = \sum_j d(i, j)$. Then $\sum_i d(i) = \sum_j d(j)$."""
    assert study(read_text(text, "x.md"), decide=decide)[-1].status != "refuted"


CHAIN = r"""A policy $\pi(a \mid s)$ is given, with
$$r_\pi(s) = \sum_{a \in \mathcal{A}} \pi(a \mid s) r(s, a), \qquad
P_\pi(s, s') = \sum_{a \in \mathcal{A}} \pi(a \mid s) p(s' \mid s, a) .$$
We have """
OF_CHAINS = {
    r"\sum_{s' \in \mathcal{S}} P_\pi(s, s') = 1": "proved",
    r"\sum_{s'} P_\pi(s, s') = 1$, hence $P_\pi \mathbf{1} = \mathbf{1}": "proved",
    r"\sum_{s'} P_\pi(s, s') = 1$, hence $P_\pi^\top \mathbf{1} = \mathbf{1}": "refuted",
    r"\sum_{s'} P_\pi(s, s') = 1$ and $\sum_{a \in \mathcal{A}} \pi(a \mid s) (r(s, a) - r_\pi(s)) = 0": "proved",
    r"\sum_{s'} P_\pi(s, s') = 1$ and $\sum_{a \in \mathcal{A}} \pi(a \mid s) (r(s, a) + r_\pi(s)) = 0": "refuted",
}


@pytest.mark.parametrize("claim", OF_CHAINS)
def test_functions_of_states_and_actions(claim: str) -> None:
    found = study(read_text(f"{CHAIN}${claim}$.", "x.md"), decide=decide)
    assert [f.status for f in found[:2]] == ["defined"] * 2
    assert (found[-1].status, found[-1].reason) == (OF_CHAINS[claim], found[-1].reason)


def test_a_set_with_other_members_beside_it_keeps_its_weights() -> None:
    text = r"""Let $Z = \sum_s w(s)$ and $p(s) = w(s) / Z$. Then $\sum_{s \in S} p(s) = 1$."""
    assert study(read_text(text, "x.md"), decide=decide)[-1].status != "proved"


JOINT = r"Let $p(x, y)$ be a joint law with $p(x) = \sum_y p(x, y)$, $p(y) = \sum_x p(x, y)$ and $p(y \mid x) = p(x, y) / p(x)$. "


def test_independence_in_a_case_defines_no_law() -> None:
    text = JOINT + r"If $x$ and $y$ are independent, $p(x, y) = p(x) p(y)$. In general $p(x, y) = p(x) p(y)$."
    found = study(read_text(text, "x.md"), decide=decide)
    assert found[-2].status == "skipped" and found[-1].status not in ("defined", "proved")


def test_what_is_assumed_of_a_law_is_a_hypothesis() -> None:
    text = JOINT + r"Assume that the two are independent, that is, $p(x, y) = p(x) p(y)$. Then $p(y \mid x) = p(y)$."
    assert [f.status for f in study(read_text(text, "x.md"), decide=decide)[-2:]] == ["skipped", "proved"]


def test_a_likelihood_is_no_law_of_its_parameter() -> None:
    text = r"""The model is $p(x \mid \theta)$, with $\sum_x p(x \mid \theta) = 1$, and the likelihood is
$L(\theta \mid x) = p(x \mid \theta)$. Then $\sum_\theta L(\theta \mid x) = 1$."""
    assert study(read_text(text, "x.md"), decide=decide)[-1].status != "proved"


def test_a_name_that_is_an_array_elsewhere_and_members_with_an_index() -> None:
    """A list of numbers, beside the law with a condition; values at members that have an index of their own."""
    text = (
        CHAIN
        + r"""$\sum_{s'} P_\pi(s, s') = 1$. With one state $\pi_a = e^{\theta_a} / \sum_b e^{\theta_b}$ and
$\sum_a \pi_a (q_a - c) = \sum_a \pi_a q_a - c$. The loss is $\ell_t = -\log \pi(a_t \mid s_t)$."""
    )
    found = study(read_text(text.replace(r"_\pi", ""), "x.md"), decide=decide)
    assert [f.status for f in found if f.kind == "claim"] == ["proved"] * 2
