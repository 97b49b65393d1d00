"""Functions that no name and no number links to an equation: beside it, methods, several equations, and none at all."""

from __future__ import annotations

from pathlib import Path

import pytest
from derivations.reports.run.check import check_documents

LOSS = (
    "For $a \\in \\mathbb{R}^n$ and $y \\in \\mathbb{R}^n$ let\n\n"
    "$$s_i = \\frac{1}{1 + e^{-a_i}}, \\qquad L = \\sum_{i=1}^n (s_i - y_i)^2 \\tag{1}$$\n"
)
SIGN = "Let $x \\in \\mathbb{R}^n$.\n\n$$u_i = 3 x_i, \\qquad w_i = x_i^2 \\tag{2}$$\n"
STEP = "Let $\\theta, g \\in \\mathbb{R}^n$ and $\\eta > 0$.\n\n$$\\theta'_i = \\theta_i - \\eta g_i$$\n"
SOFTMAX = (
    "Let $x \\in \\mathbb{R}^n$.\n\n$$s_i = \\frac{e^{x_i}}{\\sum_{k=1}^n e^{x_k}}$$\n\nIts derivative is\n\n"
    "$$\\frac{\\partial s_i}{\\partial x_j} = s_i (\\delta_{ij} - s_j)$$\n"
)
DRAWN = (
    "Let $\\mu, \\varepsilon \\in \\mathbb{R}^n$ and $\\sigma_i > 0$.\n\n$$\\ell_i = \\log \\sigma_i^2$$\n\n"
    "$$z_i = \\mu_i + e^{\\ell_i / 2} \\varepsilon_i$$\n"
)
ATTENTION = (
    "Let $Q \\in \\mathbb{R}^{n \\times d}$, $K \\in \\mathbb{R}^{m \\times d}$ and $V \\in \\mathbb{R}^{m \\times p}$.\n\n"
    "$$S = \\frac{Q K^\\top}{\\sqrt{d}}$$\n\n$$A_{ij} = \\frac{\\exp(S_{ij})}{\\sum_{l=1}^m \\exp(S_{il})}$$\n\n$$O = A V$$\n"
)
FUNCTION = "def f(q, k, v):\n    {}s = q @ k.T / np.sqrt(q.shape[1])\n    e = np.exp(s)\n    return e / e.sum(1, keepdims=True) @ v"
CASES = {
    "the sum beside its parts": (LOSS, 'def f(a, y):\n    """(1)"""\n    return ((1 / (1 + np.exp(-a)) - y) ** 2).sum()', ["proved"]),
    "the sum, wrong": (LOSS, 'def f(a, y):\n    """(1)"""\n    return ((1 / (1 + np.exp(a)) - y) ** 2).sum()', ["refuted code-differs"]),
    "a word for the place": (SIGN, 'def f(x):\n    """(2), left"""\n    return x + x + x', ["proved"]),
    "a word for the other place": (SIGN, 'def f(x):\n    """(2), right"""\n    return x + x + x', ["refuted code-differs"]),
    "one of several": (SIGN, 'def f(x):\n    """(2)"""\n    return x * x', ["proved"]),
    "none of several": (SIGN, 'def f(x):\n    """(2)"""\n    return x * x * x', ["undecided unlinked"]),
    "beside its equation": (SIGN, "def f(x):\n    return x * x", ["proved"]),
    "beside others": (SIGN, "def f(x):\n    return x * x * x", ["skipped unlinked"]),
    "several arrays": (ATTENTION, FUNCTION.format(""), ["proved"]),
    "a slip away": (ATTENTION, FUNCTION.format("").replace("sum(1", "sum(0"), ["refuted code-differs"]),
    "a slip above and below": (ATTENTION, FUNCTION.format("").replace(" / np.sqrt(q.shape[1])", ""), ["refuted code-differs"]),
    "two slips away": (
        ATTENTION,
        FUNCTION.format("").replace(" / np.sqrt(q.shape[1])", "").replace("sum(1", "sum(0"),
        ["skipped unlinked"],
    ),
    "another version in words": (
        ATTENTION,
        FUNCTION.format("# without the scale\n    ").replace(" / np.sqrt(q.shape[1])", ""),
        ["skipped unlinked"],
    ),
    "a symbol in the sentence before": (
        ATTENTION + "\nThe sums of its rows are\n\n$$r_i = \\sum_{j=1}^m A_{ij} .$$\n\nIn code, $O$ reads:\n",
        FUNCTION.format("").replace("sum(1", "sum(0"),
        ["refuted code-differs"],
    ),
    "a log variance of what may be a variance": (
        "For $\\mu, \\sigma \\in \\mathbb{R}^n$ let $$\\text{spread}(\\mu, \\sigma) = \\sum_{i=1}^n (\\sigma_i + \\mu_i^2)$$\n",
        "def spread(mu, logvar):\n    return np.sum(np.exp(logvar) + mu ** 2)",
        ["undecided ambiguous"],
    ),
    "a log variance of a square": (
        "For $\\mu, \\sigma^2 \\in \\mathbb{R}^n$ let $$\\text{spread}(\\mu, \\sigma^2) = \\sum_{i=1}^n (\\sigma_i^2 + \\mu_i^2)$$\n",
        "def spread(mu, logvar):\n    return np.sum(2 * np.exp(logvar) + mu ** 2)",
        ["refuted code-differs"],
    ),
    "not all that it returns": (SIGN, "def f(x):\n    return x * x, x * x * x", ["skipped unlinked"]),
    "all that it returns": (SIGN, "def f(x):\n    return x * x, 3 * x", ["proved"]),
    "a derivative that is stated": (SOFTMAX, "def f(s):\n    return np.diag(s) - np.outer(s, s)", ["proved"]),
    "a source of random numbers": (DRAWN.replace("$$\\ell_i = \\log \\sigma_i^2$$", "$\\ell \\in \\mathbb{R}^n$"), "def f(mu, logvar, rng):\n    eps = rng.standard_normal(mu.shape)\n    return mu + np.exp(logvar / 2) * eps", ["proved"]),
    "a parameter that may be a symbol or what that is made of": (
        DRAWN,
        'def z(mu, logvar, eps):\n    return mu + np.exp(logvar / 2) * eps',
        ["undecided unlinked-input"],
    ),
    "an equation that is not read": ("$$f(x) = \\lim_{t \\to 0} x^t \\tag{3}$$\n", 'def g(x):\n    """(3)"""\n    return x', ["undecided unread-equation"]),
    "a method": (
        SOFTMAX,
        "class S:\n    def forward(self, x):\n        e = np.exp(x)\n        return e / e.sum()\n\n"
        "    def jacobian(self, s):\n        return np.diag(s) - np.outer(s, s)",
        ["proved", "proved"],
    ),
    "a wrong method": (
        SOFTMAX,
        "class S:\n    def forward(self, x):\n        e = np.exp(x)\n        return e / e.sum()\n\n"
        "    def jacobian(self, s):\n        return np.diag(s) + np.outer(s, s)",
        ["proved"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_functions(name: str, tmp_path: Path) -> None:
    text, code, wanted = CASES[name]
    path = tmp_path / "beside.md"
    path.write_text(f"{text}\n```python\nimport numpy as np\n\n{code}\n```\n")
    made, errors = check_documents([path], numbers=False)
    assert not errors
    items = [i for d in made["documents"] for i in d["items"] if i["kind"] == "code"]
    items = [i for i in items if i["source"].startswith(("def ", "class "))]
    assert [" ".join(filter(None, (i["status"], i["code"]))) for i in items] == wanted


def test_says_how_to_link(tmp_path: Path) -> None:
    path = tmp_path / "beside.md"
    path.write_text(f"{SIGN}\n```python\ndef cube(x):\n    return x * x * x\n```\n")
    (item,) = [
        i for d in check_documents([path], numbers=False)[0]["documents"] for i in d["items"] if i["code"] == "unlinked"
    ]
    assert item["reason"] == (
        "nothing links it to an equation, and it is not proved to be one of the 2 equations before it; "
        "`<!-- check: cube = LATEX -->` before the code does"
    )
