"""Numbers that a text states for names: where they hold, in which case, and when a second one is another setting."""

from __future__ import annotations

import pytest

from derivations.documents import read_text
from derivations.documents.facts.prose import study_prose
from derivations.documents.facts.sentence_patterns import IN_WORDS
from derivations.language.term import Number, Pow
from derivations.provers.decide import decide
from derivations.study.claims import study
from derivations.study.where_stated import is_stated


def statuses(text: str) -> list[str]:
    found = study(read_text(text, "x.md"), decide=decide)
    return [f.status if f.code is None else f"{f.status} [{f.code}]" for f in found if f.kind not in ("shape", "prose")]


DIAGONAL = "For $w \\in \\mathbb{R}^m$ we set $W_{ij} = \\tfrac12 w_i$ when $i = j$, and $0$ otherwise.\n\n"
PAIRS = "Let $$L = \\sum_{i=1}^n \\sum_{j=1}^n y_{ij} S_{ij} ,$$ where "
EXAMPLE = "## One\n\n$$a_1 = 7, \\quad a_2 = 5$$\n\nThen $a_1 - a_2 = 2$.\n\n"
MATRICES = "$$P = \\begin{pmatrix} 1 & 2 \\\\ 0 & 1 \\end{pmatrix}$$\n"
DOCUMENTS = {
    "values that a counterexample has": (
        "For $t \\in \\mathbb{Z}$ and $c > 0$ let $$s = \\cos(c t) .$$ Then always $$s^2 = 1 - \\sin(c t) .$$",
        ["skipped [hypothesis]", "defined", "refuted [false-claim]"],
    ),
    "a permutation matrix of zeros and ones": (
        "Let $P \\in \\{0, 1\\}^{n \\times n}$ be a permutation matrix and $B \\in \\mathbb{R}^{n \\times n}$. Then $$P^\\top P B = B$$ "
        "and $$P B = B .$$",
        ["proved", "refuted [false-claim]"],
    ),
    "a condition after the formula": (
        DIAGONAL + "The absence of cross terms forces $W_{ij} = 0$ for $i \\neq j$.",
        ["defined", "proved"],
    ),
    "a condition after the formula, and a false value": (
        DIAGONAL + "The absence of cross terms forces $W_{ij} = 1$ for $i \\neq j$.",
        ["defined", "undecided [unsupported]"],
    ),
    "a definition off the diagonal says nothing of the diagonal": (
        "Let $C_{ij} = 3$ for $i \\neq j$. Then $2 C_{12} = 6$. Then $2 C_{11} = 6$.",
        ["defined", "proved", "undecided [not-meaningful]"],
    ),
    "the diagonal of a name that is given off it": (
        "For $d \\in \\mathbb{R}^n$ let $A_{ij} = 0$ for $i \\neq j$ and $A_{ii} = d_i$. Then $A_{11} + A_{12} = d_1$.",
        ["defined", "defined", "proved"],
    ),
    "zero elsewhere": (
        "Let $$D_{ij} = 2, \\quad i \\neq j$$ and zero otherwise. Then $D_{11} + D_{12} = 2$. Then $D_{11} + D_{12} = 4$.",
        ["defined", "proved", "refuted [false-claim]"],
    ),
    "cases that words tell": (
        PAIRS + "$y_{ij} = 1$ for positive pairs, $y_{ij} = -1$ for negatives.",
        ["defined", "skipped [condition-not-read]", "skipped [condition-not-read]"],
    ),
    "a case after if": (
        PAIRS + "$y_{ij} = 1$ if the pair is positive.",
        ["defined", "skipped [special-case]"],
    ),
    "a value, and what it is for": (
        "We take $\\beta_1 = 0.9$ for momentum. Then $2 \\beta_1 = 1.7$.",
        ["skipped [special-case]", "undecided [rounded-number]"],
    ),
    "a claim in a case that words tell": (
        "For $x \\in \\mathbb{R}^n$ let $$s = \\sum_{i=1}^n x_i .$$ Then $2 s = s + 1$ when the entries are sorted.",
        ["defined", "undecided [condition-not-read]"],
    ),
    "a claim, and an other one in the sentence": (
        "For $x \\in \\mathbb{R}^n$ let $$s = \\sum_{i=1}^n x_i .$$ Then $2 s = 3 s$ and for the squares nothing is said.",
        ["defined", "refuted [false-claim]"],
    ),
    "the values at which a function is least": (
        "For $p \\in \\mathbb{R}^n$ let $$K = \\sum_{j=1}^n (p_j + m_j^2 + s_j - \\log s_j) .$$ "
        "The minimum is at $m_j = 0$, $s_j = 1$. Then $s_j + s_j = 2$.",
        ["defined", "skipped [special-case]", "skipped [special-case]", "undecided [ambiguous]"],
    ),
    "settings of a name that depends on a length": (
        "Let $B \\in \\mathbb{R}^{d \\times r}$ and $$\\alpha = 2r .$$\n\n- $r = 16, \\alpha = 16$\n- $r = 16, \\alpha = 32$\n",
        ["defined", "skipped [size]", "skipped [special-case]", "skipped [size]", "proved"],
    ),
    "a computed number": (
        "$$t_1 = 4$$ $$s = 2 t_1$$ Then we have $s = 16$.",
        ["defined", "defined", "refuted [false-claim]"],
    ),
    "another number in another sentence": (
        "For $x \\in \\mathbb{R}^n$ we move by $$y_k = \\alpha_k x_k .$$ We find $\\alpha_k = 2$.\n\n"
        "For the other function we find $\\alpha_k = 5$.",
        ["defined", "skipped [special-case]", "skipped [special-case]"],
    ),
    "another number in the same display": ("$$n_1 = 8 \\qquad n_1 = 10$$", ["defined", "undecided [unsupported]"]),
    "the numbers of another section are not those of this one": (
        EXAMPLE + "## Two\n\n$$a_1 = 3.5$$\n\nThen $a_1 - a_2 = 1.2$.",
        ["defined", "defined", "proved", "defined", "undecided [rounded-number]"],
    ),
    "numbers that are stated once more": (
        EXAMPLE + "## Two\n\n$$a_1 = 7, \\quad a_2 = 5$$\n\nThen $a_1 - a_2 = 3$.",
        ["defined", "defined", "proved", "proved", "proved", "refuted [false-claim]"],
    ),
    "a matrix of an example, in the text after it": (
        f":::{{prf:example}}\n{MATRICES}:::\n\nThen $$P P = 2 P .$$",
        ["defined", "undecided [ambiguous]"],
    ),
    "a matrix of an exercise, in its solution": (
        f":::{{exercise}}\n{MATRICES}:::\n\n:::{{solution}}\nThen $$P P = 2 P .$$\n:::",
        ["defined", "refuted [false-claim]"],
    ),
    "numbers that were stated once more in a section that has ended": (
        "# One\n\n$$A = \\begin{pmatrix} 2 & 0 \\\\ 0 & -1 \\end{pmatrix}$$\n\n## Example\n\nLet us take "
        "$$A = \\begin{pmatrix} 2 & 1 \\\\ 2 & 3 \\end{pmatrix}.$$\n\n## Two\n\n"
        "Let $$W = \\begin{pmatrix} 1 & 1 \\\\ -1 & 2 \\end{pmatrix}.$$ Then "
        "$$A W = \\begin{pmatrix} 1 & 4 \\\\ -1 & 8 \\end{pmatrix}.$$",
        ["defined", "defined", "defined", "undecided [ambiguous]"],
    ),
    "a matrix of ones is no example": (
        "## Ones\n\nLet $J \\in \\mathbb{R}^{n \\times n}$ be $$J_{ij} = 1 .$$\n\n## Theory\n\nThen $$J_{ij} + J_{ji} = 3 .$$",
        ["defined", "refuted [false-claim]"],
    ),
    "numbers without names": ("$$e^{0} + e^{0} = 3$$", ["refuted [false-claim]"]),
}


@pytest.mark.parametrize(("text", "expected"), DOCUMENTS.values(), ids=DOCUMENTS)
def test_documents(text: str, expected: list[str]) -> None:
    assert statuses(text) == expected


@pytest.mark.parametrize(
    ("words", "fires"),
    [
        (" for positive pairs, and", True),
        (", otherwise it is", True),
        (" only when the keys are sorted", True),
        (" for every token", False),
        (" for simplicity", False),
        (", and for the context vectors", False),
        (" is the matrix for the queries", False),
    ],
)
def test_cases_in_words(words: str, fires: bool) -> None:
    assert (IN_WORDS.match(words) is not None) == fires


def test_numbers_that_are_stated() -> None:
    assert is_stated(Number(3)) and is_stated(Pow(Number(42), Number("1/2")))
    assert not is_stated(Number(3) * Number(4)) and not is_stated(Number(3) + Number(4))


def test_several_names_that_sum_to_one_together() -> None:
    text = (
        r"For $z \in \mathbb{R}^n$ and $w \in \mathbb{R}^m$ let $$a_i = \frac{\exp(z_i)}{\sum_j \exp(z_j)}.$$ "
        "The probabilities $a_1$ and $a_2$ must sum to 1.\n"
    )
    document = read_text(text, "x.md")
    found = study(document, decide=decide)
    assert not [f for f in study_prose(document, found, decide) if f.status in ("proved", "refuted")]


PERCENTAGES = {
    r"$9/9 = 100\%$": "proved",
    r"$9/9 = 100%$": "proved",
    r"$9/9 = 90\%$": "refuted",
    r"$$0.25 = 25 \, \%$$": "proved",
    r"$\frac{13}{33} = 39\%$": "holds",
    r"$\frac{13}{33} = 52\%$": "refuted",
    r"$50% + 50% = 1$": "proved",
    r"$30\% \times 50 = 15$": "proved",
    r"$1/4 = 25$%": "proved",
    r"$1/4 = 25$ percent": "proved",
    r"$1/4 = 75$%": "refuted",
    r"$1/2 = 50 \text{%}$": "proved",
    r"$\frac{8}{10} \times 100 = 80\%$": "undecided",
    "$$\n1 = 2 % of them\n$$": "undecided",
    "$$\n2 = 2% of them\n$$": "proved",
    r"the $9/9 = 100$th percentile": "skipped",
    r"the $8/9 = 3$rd": "skipped",
    r"the $2 + 2 = 5$-th": "skipped",
    r"the $2 + 2 = 5$ths": "refuted",
    r"the $2 + 2 = 5$ things": "refuted",
}


@pytest.mark.parametrize("formula", PERCENTAGES)
def test_percentages_and_ordinals(formula: str) -> None:
    assert [s.split()[0] for s in statuses(f"Here is {formula}.")] == [PERCENTAGES[formula]]
