"""Names of which a text gives several equations: what is said of the one thing is not refuted of the other."""

from __future__ import annotations

import pytest

from derivations.documents import read_text
from derivations.documents.facts.prose import study_prose
from derivations.provers.decide import decide
from derivations.study.claims import study


def outcomes(text: str) -> list[str]:
    found = study(read_text(text, "x.md"), decide=decide)
    return [f.status + (f" [{f.code}]" if f.code else "") for f in found if f.kind != "prose"]


DOCUMENTS = {
    "an equation that is solved defines no function": (
        "The values $x$ are the solution of the equation $f(x) = y$.\n\nExample: $$f(x) = x^3 - x - 1$$ Then $$f(2) = 5.$$",
        ["skipped [special-case]", "defined", "proved"],
    ),
    "a value that is reckoned defines no function": (
        r"Let $a = [0, 1, 0]^\top$. It is $$g(a) = 1 + \log(e^{-1} + e^0 + e^{-1}).$$ Later $$g([0, 2]^\top) = 2 + \log 2.$$",
        ["defined", "skipped [special-case]", "undecided [ambiguous]"],
    ),
    "a function of a function": (
        r"For a number $t$ let $z = 2 t$ and $$g(t) = z.$$ Then $$g(3) = 6.$$ Then $$g(4) = 7.$$",
        ["defined", "defined", "proved", "refuted [false-claim]"],
    ),
    "a name that an equation before may give anew": (
        r"For a number $t$ let $p = \exp(t)$. The flat part gives $p = 2 t$. Hence $p = 1/3 + t/9$. Hence $2 p = 4$.",
        ["defined", "undecided [unsupported]", "undecided [property-not-read]", "undecided [special-case]"],
    ),
    "a name of another section with a label, defined in a line that is not read": (
        "# Density\n\n$$\\phi(x) = e^{-x^2}/2$$\n\n# Transform\n\n> $\\phi_X(t) = \\mathbb{E} e^{itX}$\n\n1. $\\phi(0) = 1$.",
        ["defined", "unread [out-of-scope]", "undecided [property-not-read]"],
    ),
    "a name of another section": (
        "# Density\n\n$$\\phi(x) = e^{-x^2}/2$$\n\n# Transform\n\n> $\\chi_X(t) = \\mathbb{E} e^{itX}$\n\n1. $\\phi(0) = 1$.",
        ["defined", "unread [out-of-scope]", "refuted [false-claim]"],
    ),
    "what a name is nearly": (
        r"For a number $x$ let $$f(x) = x^2, \qquad g(x) = 2 x.$$ Now we take $$g(x) \approx f(x + 1) - f(x).$$ Then "
        r"$$f(3) - g(3) = 9 - 7 = 2.$$",
        ["defined", "defined", "unread [out-of-scope]", "undecided [property-not-read]", "proved"],
    ),
}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_verdicts(name: str) -> None:
    text, expected = DOCUMENTS[name]
    assert outcomes(text) == expected


WEIGHTS = r"For $S \in \mathbb{R}^{n \times n}$ let $$A_{ij} = \frac{e^{S_{ij}}}{\sum_{k=1}^{n} e^{S_{ik}}}.$$ "
SENTENCES = {
    WEIGHTS + "Here $A$ is symmetric.": "refuted",
    WEIGHTS + "There is $$B = 2 A,$$\n\nwhere $A$ is symmetric.": "refuted",
    WEIGHTS + "There is $$B \\uplus A = A^\\top,$$\n\nwhere $A$ is symmetric.": "undecided",
}


@pytest.mark.parametrize("text", SENTENCES)
def test_sentences_beside_what_is_not_understood(text: str) -> None:
    document = read_text(text, "x.md")
    found = study_prose(document, study(document, decide=decide), decide)
    assert [f.status for f in found] == [SENTENCES[text]]


OTHER_THINGS = {
    "numbers in the place of a length and of a sum": (
        r"For $0 < \theta < 1$ and $x \in \mathbb{R}^n$ let $$f(\theta) = \theta^n (1 - \theta)^{\sum_{i=1}^n x_i} = "
        r"\theta^3 (1 - \theta)^{10}.$$",
        "undecided [special-case]",
    ),
    "no numbers in their place": (
        r"For $0 < \theta < 1$ and $x \in \mathbb{R}^n$ let $$f(\theta) = \theta^n (1 - \theta)^{\sum_{i=1}^n x_i} = "
        r"\theta^n (1 + \theta)^{\sum_{i=1}^n x_i}.$$",
        "refuted [false-claim]",
    ),
    "another loss that may be used": (
        r"For $a, b \in \mathbb{R}$ take $$L(a, b) = (a - b)^2.$$ Or we can use a more robust loss, $$L(a, b) = |a - b|.$$",
        "defined",
    ),
    "an inequality of a number that is bounded by what is not known": (
        r"For any bad $h$ with $\epsilon < L(h)$ it is $$(1 - \epsilon)^n \le e^{-\epsilon n}.$$",
        "undecided [unsupported]",
    ),
    "an inequality of any number": (
        r"For numbers $\epsilon \in \mathbb{R}$ it is $$(1 - \epsilon)^2 \le e^{-2 \epsilon}.$$",
        "refuted [false-claim]",
    ),
}


@pytest.mark.parametrize("name", OTHER_THINGS)
def test_last_verdict(name: str) -> None:
    text, expected = OTHER_THINGS[name]
    assert outcomes(text)[-1] == expected
