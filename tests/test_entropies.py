"""Divergences and entropies of lists of probabilities that a document uses and does not define."""

import pytest

from derivations.documents import read_text
from derivations.provers.decide import decide
from derivations.study.claims import study

GIVEN = r"For probability vectors $p, q \in \mathbb{R}^n$: "
DOCUMENTS = {
    "the cross entropy": (GIVEN + r"$$H(p, q) = H(p) + \mathrm{KL}(p \| q)$$", ["proved"]),
    "with the lists exchanged": (GIVEN + r"$$H(p, q) = H(q) + \mathrm{KL}(p \| q)$$", ["refuted"]),
    "from the uniform list": (
        GIVEN + r"Let $u_i = 1/n$. $$D_{\mathrm{KL}}(p \,\|\, u) = \log n - H(p)$$",
        ["defined", "proved"],
    ),
    "a derivative of the entropy": (
        GIVEN + r"The entropy has $$\frac{\partial}{\partial p_i} H(p) = -\log p_i - 1$$",
        ["proved"],
    ),
    "a divergence that the document defines": (
        GIVEN
        + r"Let $$\mathrm{KL}(p \| q) = \sum_i p_i \log\frac{p_i}{q_i} + 1.$$ $$2 \mathrm{KL}(p \| q) = 2 \sum_i p_i \log\frac{p_i}{q_i} + 2$$",
        ["defined", "proved"],
    ),
    "an energy of positions and momenta": (
        r"For $p, q \in \mathbb{R}^n$ and energies $$H(p, q) = H(p) + \sum_i q_i$$",
        ["unread"],
    ),
    "densities": (r"$$\mathrm{KL}(q(z) \| p(z)) = 2$$", ["unread"]),
}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_statuses(name: str) -> None:
    text, expected = DOCUMENTS[name]
    found = [f for f in study(read_text(text, "x.md"), decide=decide) if f.kind != "prose"]
    assert [f.status for f in found] == expected, [(f.status, f.reason, str(f.statement)) for f in found]
