"""Functions whose values are indices, in scripts: read as labels, with their law where an equation gives one."""

import pytest

from derivations.documents import read_text
from derivations.provers.decide import decide
from derivations.study.claims import study

SHARED = (
    "Let $X \\in \\mathbb{R}^{n \\times d}$. There are $H$ heads and $G$ groups, and $U^{(h)}, W^{(g)} \\in "
    "\\mathbb{R}^{d \\times m}$ for each head and group. For every head $h$ and group $g$ let "
    "$$A^{(h)} = X U^{(h)}, \\qquad B^{(g)} = X W^{(g)} .$$ "
)
LAW = SHARED + "Head $h$ belongs to group $$\\gamma(h) = \\left\\lceil \\frac{h G}{H} \\right\\rceil .$$ "
NO_LAW = SHARED + "Head $h$ belongs to group $\\gamma(h)$. "
UNREAD_LAW = SHARED + "Head $h$ belongs to group $$\\gamma(h) = \\lfloor \\sqrt{h} + X_{11} \\rfloor .$$ "
TRUE = "$$A^{(h)} {B^{(\\gamma(h))}}^\\top = X U^{(h)} {W^{(\\gamma(h))}}^\\top X^\\top .$$"
FALSE = "$$A^{(h)} {B^{(\\gamma(h))}}^\\top = X W^{(\\gamma(h))} {U^{(h)}}^\\top X^\\top .$$"
BELOW = (
    "For $h = 0, \\dots, H - 1$ and $K \\in \\mathbb{R}^{G \\times S}$, $q \\in \\mathbb{R}^{H}$ and $r = H / G$ let "
    "$g(h) = \\lfloor h / r \\rfloor$ and $$P_{h, s} = q_h K_{g(h), s} .$$ "
)
BLOCKS = (
    "Let $x \\in \\mathbb{R}^{n}$ where $n = b w$ with $b$ blocks of width $w$. For $g = 1, \\dots, b$ let "
    "$$s_g = \\sum_{i=(g-1)w+1}^{g w} x_i .$$ "
)
BLOCK_OF = "There are $n$ tokens in blocks of $w$ tokens. Token $i$ lies in block $$b(i) = \\lceil i / w \\rceil .$$ "
DOCUMENTS = {
    "true for the law": (LAW + TRUE, "proved"),
    "false for the law": (LAW + FALSE, "refuted"),
    "a value of the law": (LAW + "Then $\\gamma(H) = G$.", "undecided"),  # floor(-1 / r) has no step of the kernel
    "a false value of the law": (LAW + "Then $\\gamma(H) = G + 1$.", "refuted"),
    "true for any law": (NO_LAW + TRUE, "proved"),
    "false for any law": (NO_LAW + FALSE, "refuted"),
    "a law that is not read, and what is true for any": (UNREAD_LAW + TRUE, "proved"),
    "a law that is not read": (UNREAD_LAW + FALSE, "undecided"),
    "a sum, of which only some laws make a truth": (
        NO_LAW + "Then $$\\sum_h B^{(\\gamma(h))}_{ij} = \\frac{H}{G} \\sum_g B^{(g)}_{ij} .$$",
        "undecided",
    ),
    "a member that words choose among the others": (
        "For $x_i, \\mu_k \\in \\mathbb{R}^d$ with $k = 1, \\dots, K$ let $c(i)$ be the nearest centre. Then "
        "$$\\|x_i - \\mu_{c(i)}\\|^2 = \\min_k \\|x_i - \\mu_k\\|^2 .$$",
        "undecided",
    ),
    "below a name": (BELOW + "Then $$3 P_{h, s} = q_h K_{g(h), s} + 2 P_{h, s} .$$", "proved"),
    "below a name, false": (BELOW + "Then $$3 P_{h, s} = q_h K_{g(h), s} + P_{h, s} .$$", "refuted"),
    "a permutation": (
        "For $x \\in \\mathbb{R}^n$ and a permutation $\\sigma$ $$\\sum_i x_{\\sigma(i)} = \\sum_i x_i .$$",
        "undecided",
    ),
    "a function with the name of an index": (
        "Let $X \\in \\mathbb{R}^{n \\times d}$. There are $H$ heads and $G$ groups. Let $W_g \\in \\mathbb{R}^{d \\times m}$ and "
        "$K_g = X W_g$ for each $g$. Head $h$ reads $$g(h) = \\lfloor h G / H \\rfloor .$$ Then $$K_{g(h)} = X W_{g(h)} .$$",
        "proved",
    ),
    "steps of a law": (BLOCK_OF + "Then $$b(i + w) = b(i) + 1 .$$", "proved"),
    "steps of a law, false": (BLOCK_OF + "Then $$b(i + 1) = b(i) + 1 .$$", "refuted"),
    "a value of a law with the length in it": (BLOCK_OF + "Then $b(3 w) = 3$.", "skipped"),
    "a remainder": (
        BLOCK_OF + "Its place there is $$c(i) = i \\bmod w .$$ Then $$c(i + w) = c(i) .$$",
        "proved",
    ),
    "a remainder, false": (
        BLOCK_OF + "Its place there is $$c(i) = i \\bmod w .$$ Then $$c(i + 1) = c(i) .$$",
        "refuted",
    ),
    "blocks of a sum": (BLOCKS + "Then $$2 s_g = 2 \\sum_{i=(g-1)w+1}^{g w} x_i .$$", "proved"),
    "blocks of a sum, false": (BLOCKS + "Then $$\\sum_{g=1}^{b} s_g = \\sum_{i=1}^{n} 2 x_i .$$", "refuted"),
    "shapes that a sentence gives, with a list in one formula": (
        "The matrices $U^{(h)}, W^{(h)}$ are all in $\\mathbb{R}^{d \\times m}$. For $x \\in \\mathbb{R}^d$ let "
        "$y^{(h)} = {U^{(h)}}^\\top x$. Then $$\\|y^{(h)}\\|^2 = x^\\top U^{(h)} {U^{(h)}}^\\top x .$$",
        "proved",
    ),
    "numbers that are rounded": ("The limit is $\\lceil 1.25 \\cdot 512 / 9 \\rceil = 72$.", "proved"),
    "numbers that are rounded wrongly": ("Always $\\lfloor 640 / 9 \\rfloor = 72$.", "refuted"),
}


@pytest.mark.parametrize(("text", "expected"), DOCUMENTS.values(), ids=DOCUMENTS.keys())
def test_index_maps(text: str, expected: str) -> None:
    found = [f for f in study(read_text(text, "x.md"), decide=decide) if f.kind not in ("shape", "prose")]
    assert found[-1].status == expected
