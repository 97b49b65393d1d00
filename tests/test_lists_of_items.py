r"""Heads of items, `$c > 1$: it grows`: which formulas they are, and that they name cases instead of claiming them."""

from __future__ import annotations

import pytest

from derivations.documents import read_text
from derivations.documents.facts.lists_of_items import formulas_in_head
from derivations.provers.decide import decide
from derivations.study.claims import study

HEADS = {
    "- $c > 1$: it grows": 1,
    "* $c > 1$ : it grows": 1,
    "1. **If $c > 1$:** it grows": 1,
    "1. **If $c > 1$**: it grows": 1,
    "- **Nếu $c > 1$:** tăng": 1,
    "- *Case 2, $c > 1$* — it grows": 1,
    "- $c > 1$ – it grows": 1,
    "- $c > 1$ → it grows": 1,
    "- $c > 1$, $d > 1$: both grow": 2,
    "- $c > 1$: $$ c^2 > 1 $$": 1,
    "- $c > 1$：增长": 1,
    "**If $c > 1$:** it grows": 1,
    "*If $c > 1$*: it grows": 1,
    "- **Growth** ($c > 1$ for $d > 0$): it is large": 2,
    "**Growth** ($c > 1$): it is large": 1,
    "If $c > 1$: it grows": 0,
    "$c > 1$: it grows": 0,
    "- $c > 1$": 0,
    "- $c > 1$:": 0,
    "- It grows: $c > 1$ for large inputs": 0,
    "- The growth of the sequence shows that $c > 1$: it is large": 0,
    "- It grows. Then $c > 1$: it is large": 0,
    "- **Growth** $c > 1$: it is large": 0,
    "**Growth**: $c > 1$ for large inputs": 0,
}


@pytest.mark.parametrize(("text", "count"), HEADS.items(), ids=list(HEADS))
def test_formulas_in_head(text: str, count: int) -> None:
    document = read_text(f"{text}\n", "x.md")
    heads = formulas_in_head(document.blocks[0])
    assert len(heads) == count


@pytest.mark.parametrize("item", [r"\item $c > 1$: up", r"\item[$c > 1$] up", r"\item[\textbf{Case} $c > 1$:] up"])
def test_formulas_in_head_of_latex(item: str) -> None:
    text = rf"\documentclass{{article}}\begin{{document}}\begin{{itemize}}{item}\end{{itemize}}\end{{document}}"
    document = read_text(text, "x.tex")
    assert [n for block in document.blocks for n in formulas_in_head(block)] == [0]


GROWTH = "For a number $t$ let $$ c = \\exp(t) . $$\n\n"
SQUARES = "For $x \\in \\mathbb{R}^n$ let $$ s = \\sum_i x_i^2 . $$\n\n"
STATUSES = {
    "cases that exclude one another": (
        GROWTH + "- $c > 1$: it grows\n- $c = 1$: it stays\n- $c < 1$: it shrinks\n",
        ["skipped [condition]"] * 3,
    ),
    "cases in another language": (
        GROWTH + "1. **Wenn $c > 1$:** Wachstum\n2. **Wenn $c < 1$:** Zerfall\n",
        ["skipped [condition]"] * 2,
    ),
    "values of a defined family": (
        "For $x, y \\in \\mathbb{R}^n$ let $$ c_{ij} = x_i y_j . $$\n\n- $c_{jk} > 0$: alike\n- $c_{jk} < 0$: unlike\n"
        "- $c_{jk} = 0$: unrelated\n\nThus $$ c_{ij} = y_j x_i . $$",
        ["skipped [condition]"] * 3 + ["proved"],
    ),
    "different and equal": ("- $a \\ne 0$: fine\n- $a = 0$: bad\n", ["skipped [condition]"] * 2),
    "the case of an item ends with it": (
        "Let $a \\in \\mathbb{R}$.\n\n- $a > 0$: on\n- $a < 0$: off\n\n$$ 2 |a| + a = |a| $$",
        ["skipped [condition]"] * 2 + ["refuted [false-claim]"],
    ),
    "ranges that do not meet": (
        SQUARES + "- $s > 1$: large\n- $0 < s \\le 1$: small\n- $s = 0$: nothing\n",
        ["skipped [condition]"] * 4,
    ),
    "numbers on the left": (
        SQUARES + "- $\\frac{1}{2} < s$: large\n- $s < 0.25$: small\n",
        ["skipped [condition]"] * 2,
    ),
    "one case alone": (SQUARES + "- It is a square.\n- $s > 1$: the unit fires\n", ["undecided [ambiguous]"]),
    "one case that is empty": (SQUARES + "- It is a square.\n- $s < 0$: the unit fires\n", ["undecided [unsupported]"]),
    "bounds that do not exclude each other": (
        SQUARES + "- $s \\ge 0$: it is a sum of squares\n- $s \\ge -1$: so it is\n",
        ["proved", "proved"],
    ),
    "what follows is claimed": (SQUARES + "Hence we have:\n\n- $s > 1$: the unit fires\n", ["refuted [false-claim]"]),
    "sides of the same names": (
        SQUARES
        + "- $s = 2 \\sum_i x_i^2$: the norm\n- $(A B)^\\top = A^\\top B^\\top$: for $A, B \\in \\mathbb{R}^{n \\times n}$\n",
        ["refuted [false-claim]", "refuted [false-claim]"],
    ),
}


@pytest.mark.parametrize(("text", "expected"), STATUSES.values(), ids=list(STATUSES))
def test_what_heads_of_items_say(text: str, expected: list[str]) -> None:
    found = study(read_text(text, "x.md"), decide=decide)
    said = [f.status + (f" [{f.code}]" if f.code else "") for f in found if f.status != "defined" and f.kind != "shape"]
    assert said == expected


CONDITIONS_ON_GIVEN = {
    r"Let $a \in \mathbb{R}$. It is clear that $$ |a| = 1 . $$": "skipped",
    r"Let $a, b \in \mathbb{R}$. It is clear that $$ |a| = |b| . $$": "undecided",
    r"Let $a, b \in \mathbb{R}$. It is clear that $$ \exp(a) = b . $$": "undecided",
    r"Let $a \in \mathbb{R}^n$. It is clear that $$ \sum_i \exp(a_i) = 1 . $$": "undecided",
    r"Let $a \in \mathbb{R}^n$. For all of them $$ \sum_i \exp(a_i) = 1 . $$": "refuted",
    r"Let $a \in \mathbb{R}^n$. It is clear that $$ \sum_i \exp(a_i) = - 1 . $$": "refuted",
    r"Let $a \in \mathbb{R}$. It is clear that $$ \sin(a)^2 + \cos(a)^2 = 2 . $$": "refuted",
    r"Let $a \in \mathbb{R}^n$. It is clear that $$ \sum_i \frac{\exp(a_i)}{\sum_j \exp(a_j)} = 2 . $$": "refuted",
    r"Let $a, c \in \mathbb{R}$. It is clear that $$ \exp(a + c) \exp(c) = \exp(a) . $$": "refuted",
}


@pytest.mark.parametrize(("text", "status"), CONDITIONS_ON_GIVEN.items(), ids=list(CONDITIONS_ON_GIVEN))
def test_what_picks_out_values_is_not_refuted(text: str, status: str) -> None:
    assert [f.status for f in study(read_text(text, "x.md"), decide=decide) if f.kind != "shape"] == [status]
