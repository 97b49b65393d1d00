"""Divergences and entropies of normal laws, by their closed forms."""

import pytest

from derivations.documents import read_text
from derivations.provers.decide import decide
from derivations.study.claims import study

ONE_DIMENSION = r"\mathrm{KL}(\mathcal N(\mu_1,\sigma_1^2)\,\|\,\mathcal N(\mu_2,\sigma_2^2))"
WHOLE = r"D_{\mathrm{KL}}\left(\mathcal N(\boldsymbol\mu_1,\Sigma_1) \,\middle\|\, \mathcal N(\boldsymbol\mu_2,\Sigma_2)\right)"
SAME = r"\mathrm{KL}(\mathcal N(\mathbf{a},\sigma^2 I) \| \mathcal N(\mathbf{b},\sigma^2 I))"
NAMED = r"Let $q(z \mid x) = \mathcal N(\mu, \operatorname{diag}(\sigma^2))$ and $p(z) = \mathcal N(0, I)$ on $\mathbb{R}^k$. "
VECTORS = r"Let $\mathbf{m} \in \mathbb{R}^k$ and $\mathbf{S} \in \mathbb{R}^{k \times k}$. "
DOCUMENTS = {
    "in one dimension": (
        rf"$${ONE_DIMENSION} = \log\frac{{\sigma_2}}{{\sigma_1}} + \frac{{\sigma_1^2 + (\mu_1-\mu_2)^2}}{{2\sigma_2^2}} - \frac12$$",
        ["proved"],
    ),
    "the logarithm upside down": (
        rf"$${ONE_DIMENSION} = \log\frac{{\sigma_1}}{{\sigma_2}} + \frac{{\sigma_1^2 + (\mu_1-\mu_2)^2}}{{2\sigma_2^2}} - \frac12$$",
        ["refuted"],
    ),
    "the laws exchanged": (
        rf"$${ONE_DIMENSION} = \log\frac{{\sigma_1}}{{\sigma_2}} + \frac{{\sigma_2^2 + (\mu_1-\mu_2)^2}}{{2\sigma_1^2}} - \frac12$$",
        ["refuted"],
    ),
    "from the standard normal law": (
        r"$$D_{KL}[\mathcal N(\mu,\sigma^2) \Vert \mathcal N(0,1)] = \frac12 (\sigma^2 + \mu^2 - 1 - \log \sigma^2)$$",
        ["proved"],
    ),
    "without the square": (
        r"$$D_{KL}[\mathcal N(\mu,\sigma^2) \Vert \mathcal N(0,1)] = \frac12 (\sigma^2 + \mu^2 - 1 - \log \sigma)$$",
        ["refuted"],
    ),
    "of any covariances": (
        rf"For laws on $\mathbb{{R}}^k$ $${WHOLE} = \frac12\left[\operatorname{{tr}}(\Sigma_2^{{-1}}\Sigma_1) + "
        r"(\boldsymbol\mu_2-\boldsymbol\mu_1)^\top\Sigma_2^{-1}(\boldsymbol\mu_2-\boldsymbol\mu_1) - k + "
        r"\log\frac{\det\Sigma_2}{\det\Sigma_1}\right].$$",
        ["proved"],
    ),
    "of equal covariances": (rf"$${SAME} = \frac{{\|\mathbf{{a}}-\mathbf{{b}}\|^2}}{{2\sigma^2}}$$", ["proved"]),
    "half of it lost": (rf"$${SAME} = \frac{{\|\mathbf{{a}}-\mathbf{{b}}\|^2}}{{\sigma^2}}$$", ["refuted"]),
    "laws with names": (
        NAMED
        + r"$$\mathrm{KL}[q(z \mid x) \Vert p(z)] = -\frac12\sum_{j=1}^{k}\left(1+\log\sigma_j^2-\mu_j^2-\sigma_j^2\right)$$"
        r"$$\Delta = \mathrm{KL}(q \| p)$$ $$\frac{\partial \Delta}{\partial \mu_j} = \mu_j$$"
        r"$$\frac{\partial \Delta}{\partial \sigma_j} = \sigma_j - \frac{1}{\sigma_j}$$"
        r"$$\frac{\partial \Delta}{\partial \sigma_j} = \sigma_j + \frac{1}{\sigma_j}$$",
        ["defined", "defined", "proved", "defined", "proved", "proved", "refuted"],
    ),
    "a sign of laws with names": (
        NAMED + r"$$\mathrm{KL}(q \| p) = \frac12\sum_{j=1}^{k}\left(1+\log\sigma_j^2-\mu_j^2-\sigma_j^2\right)$$",
        ["defined", "defined", "refuted"],
    ),
    "two laws of one name": (
        r"First $q(z) = \mathcal N(0, 1)$, then $q(z) = \mathcal N(1, 1)$. $$\mathrm{KL}(q \| \mathcal N(0, 1)) = 3$$",
        ["defined", "undecided", "unread"],
    ),
    "entropies": (
        r"$$H(\mathcal N(\mu,\sigma^2)) = \frac12 \log(2\pi e\sigma^2)$$ $$H(\mathcal N(\mu,\sigma^2)) = \frac12 \log(2\pi\sigma^2)$$",
        ["proved", "refuted"],
    ),
    "entropies of vectors": (
        VECTORS + r"$$h(\mathcal N(\mathbf{m}, \mathbf{S})) = \frac{k}{2}\log(2\pi e) + \frac12\log\det \mathbf{S}$$"
        r"$$h(\mathcal N(\mathbf{m}, \mathbf{S})) = \frac{k}{2}\log(2\pi) + \frac12\log\det \mathbf{S}$$",
        ["proved", "refuted"],
    ),
    "logarithms to another base": (
        r"All logarithms are to base 2. $$\mathrm{KL}(\mathcal N(m,1) \| \mathcal N(0,1)) = \frac{m^2}{2}$$",
        ["unread"],
    ),
}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_statuses(name: str) -> None:
    text, expected = DOCUMENTS[name]
    found = [f for f in study(read_text(text, "x.md"), decide=decide) if f.kind != "prose"]
    assert [f.status for f in found] == expected, [(f.status, f.reason, str(f.statement)) for f in found]


def test_source_is_said() -> None:
    text, _ = DOCUMENTS["in one dimension"]
    (finding,) = study(read_text(text, "x.md"), decide=decide)
    assert [n.kind for n in finding.assumptions if n.kind == "closed-form-of-laws"]
