"""Names that equations give to normal laws: from there on, and in their section; not in the sections before."""

from __future__ import annotations

from studied import statuses

LISTS = (
    "## Divergence\n\n"
    r"For $p, q \in \mathbb{R}^m$ let $$D(p \,\|\, q) = \sum_{i=1}^m p_i \log \frac{p_i}{q_i}, \qquad h(p) = -\sum_{i=1}^m p_i \log p_i .$$"
    "\n\n"
    r"Then $$D(p \,\|\, q) = -h(p) - \sum_{i=1}^m p_i \log q_i .$$ It is not so that both are one, $$D(p \,\|\, q) = D(q \,\|\, p) .$$"
    "\n\n"
)
GAUSSIANS = (
    "## Two Gaussians\n\n"
    r"For $p = \mathcal{N}(\mu_1, \sigma_1^2)$ and $q = \mathcal{N}(\mu_2, \sigma_2^2)$ there is a closed form."
)


def test_a_later_section_does_not_say_what_a_name_is_before_it() -> None:
    found = statuses(LISTS + GAUSSIANS)
    assert found[:2] == ["defined", "defined"]
    assert found == [*statuses(LISTS), *found[len(statuses(LISTS)) :]]
    assert found.count("proved") == 1


def test_a_trace_in_italics_is_one() -> None:
    text = r"For $A, B \in \mathbb{R}^{n \times n}$ we have $$tr(A B) = tr(B A)$$ and $$t r(A) = r t(A) .$$"
    assert statuses(text)[0] == "proved"
