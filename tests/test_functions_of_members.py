r"""Functions of what sums run over: `\sum_{x \in \mathcal{X}} p(x) \log p(x)`."""

from __future__ import annotations

import pytest

from derivations.documents import read_text
from derivations.provers.decide import decide
from derivations.study.claims import study

ENTROPY = r"""
$$H(p) = -\sum_{x \in \mathcal{X}} p(x) \log p(x)$$
$$C(p, q) = -\sum_{x \in \mathcal{X}} p(x) \log q(x)$$
$$D(p, q) = \sum_{x \in \mathcal{X}} p(x) \log \frac{p(x)}{q(x)}$$
"""
WEIGHTS = r"""
$$ w(x) = \frac{\exp(s(x))}{\sum_{y} \exp(s(y))} $$
"""
DOCUMENTS = {
    "divergence": (ENTROPY + r"$$D(p, q) = C(p, q) - H(p)$$", "proved"),
    "divergence, another sign": (ENTROPY + r"$$D(p, q) = H(p) - C(p, q)$$", "refuted"),
    "weights that sum to one": (WEIGHTS + r"$$\sum_{x} w(x) = 1$$", "proved"),
    "weights that do not": (WEIGHTS + r"$$\sum_{x} w(x) = 2$$", "refuted"),
    "the mean over a set": (
        r"$$m = \frac{1}{|B|} \sum_{i \in B} x_i$$ $$|B| m = \sum_{i \in B} x_i$$",
        "proved",
    ),
    "values of members are no places": (r"$$m = \sum_{x \in S} x\, p(x)$$", "unread"),
    "a conditional beside it": (
        r"$$H = -\sum_x p(x) \log p(x)$$ $$p(y \mid x) = p(x) p(y)$$ $$H + \sum_x p(x) \log p(x) = 0$$",
        "proved",
    ),
    "a function of a member and more": (
        r"$$V(s) = \sum_{a \in A} \pi(a \mid s) Q(s, a)$$ $$2 V(s) = \sum_{a \in A} 2 Q(s, a) \pi(a \mid s)$$",
        "proved",
    ),
    "a name with an index of its own": (r"$$\ell_i = -\log p_i$$ $$h = \sum_x p(x) \log p(x)$$", "unread"),
    "a function of arrays": (
        r"$$f(x) = \sum_i x_i^2$$ For points of a set, $$L = \sum_{x \in S} f(x)$$",
        "unread",
    ),
    "a value at a number": (
        r"For $z, p \in \mathbb{R}^n$ let $$p_i = z_i^2 .$$ We have $$p(\tfrac12) = 3 z$$",
        "unread",
    ),
    "a function of numbers": (r"$$a = \sum_{i=1}^n f(i)$$ $$2a = \sum_{i=1}^n 2 f(i)$$", "proved"),
}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_documents(name: str) -> None:
    text, status = DOCUMENTS[name]
    found = study(read_text(text, "x.md"), decide=decide)[-1]
    assert (found.status, found.reason) == (status, found.reason)


MEANS = r"""For $%(x)s \in \mathbb{R}^n$ let $\mu(%(x)s) = \frac1n \sum_{j=1}^n %(x)s_j$. Let $%(x)s^{(1)}, \dots, %(x)s^{(G)} \in \mathbb{R}^n$
and $a_g = \mu(%(x)s^{(g)})$. Then $%(claim)s$."""


@pytest.mark.parametrize("x", ["x", "v", "h"])
def test_entries_in_the_body_are_those_of_a_member(x: str) -> None:
    """The argument has one axis, though the name has two where its members are numbered above."""
    true = rf"\sum_{{j=1}}^n ({x}^{{(g)}}_j - a_g) = 0"
    false = rf"a_g = \sum_{{j=1}}^n {x}^{{(g)}}_j"
    for claim, status in ((true, "proved"), (false, "refuted")):
        found = study(read_text(MEANS % {"x": x, "claim": claim}, "x.md"), decide=decide)
        assert found[0].status == "defined"
        assert found[-1].status == status


def test_members_with_an_index_below_stay_members_in_the_body() -> None:
    text = (
        r"Let $x_1, \dots, x_n \in \mathbb{R}^d$ and $f(x) = \sum_{i=1}^n \lVert x_i \rVert^2$. Let $g(x_j) = \lVert x_j \rVert^2$. "
        r"Then $f(x) = \sum_{i=1}^n x_i^\top x_i$."
    )
    assert study(read_text(text, "x.md"), decide=decide)[-1].status == "proved"
