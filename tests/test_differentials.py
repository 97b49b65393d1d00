r"""Relations between differentials, `du = 2x\,dx`: claims about derivatives, or not read, and never products with d."""

import pytest

from derivations.documents import read_text
from derivations.provers.decide import decide
from derivations.study.claims import study

SCALED = r"Let $u = \frac{x - \mu}{\sigma}$. "
PLANE = r"Let $f = x^2 y$. "
SQUARES = r"For $x \in \mathbb{R}^n$ let $f = \sum_{i=1}^n x_i^2$. "


def verdicts(text: str) -> list[str]:
    """The statuses of all that a document says after its first equation."""
    found = [f for f in study(read_text(text, "x.md"), decide=decide) if f.kind not in ("shape", "prose")]
    return [f.status for f in found[1:]]


DOCUMENTS = {
    "with spaces": (SCALED + r"Then $d u = \frac{1}{\sigma} d x$.", ["proved"]),
    "with another factor": (SCALED + r"Then $du = \frac{2}{\sigma} dx$.", ["refuted"]),
    "upright": (SCALED + r"Then $\mathrm{d}u = \mathrm{d} x / \sigma$.", ["proved"]),
    "the other way round": (SCALED + r"Then $dx = \sigma \, du$.", ["proved"]),
    "row below row": (
        r"Let $u = x^2$. $$\begin{aligned} du &= 2x \, dx \\ &= (x + x) \, dx \\ &= 3x \, dx \end{aligned}$$",
        ["proved", "proved", "refuted"],
    ),
    "after a function": (r"Let $v = \cos\theta$. Then $dv = -\sin\theta d\theta$.", ["proved"]),
    "each variable": (PLANE + r"Then $df = 2xy \, dx + x^2 \, dy$.", ["proved", "proved"]),
    "each variable, one with the wrong sign": (PLANE + r"Then $df = 2xy \, dx - x^2 \, dy$.", ["proved", "refuted"]),
    "a sum over the variables": (SQUARES + r"Then $df = \sum_{i=1}^n 2 x_i dx_i$.", ["proved"]),
    "a sum over the variables, wrong": (SQUARES + r"Then $df = \sum_{i=1}^n x_i dx_i$.", ["refuted"]),
    "vectors": (
        r"For $W \in \mathbb{R}^{m \times n}$ and $x \in \mathbb{R}^n$ let $$u = W x.$$ Then $du = W dx$.",
        ["proved"],
    ),
    "divided by the name": (r"Let $y = e^{k x}$. Then $\frac{dy}{y} = k \, dx$.", ["proved"]),
    "of names that nothing defines": (r"Let $v = 1$. Then $du = 3 dx$ and $p(x) dx = p(y) dy$.", ["unread", "unread"]),
    "by a letter that counts": (r"Let $a_t = b_t y$. Then $$x = 3 t$$ and $dx = 2 \, dt$.", ["defined", "unread"]),
    "of a random path": (r"For a Brownian motion $w$ let $x = w^2$. Then $dx = 2 w \, dw$.", ["unread"]),
    "a length d": (r"For $z \in \mathbb{R}^d$ let $$m = n^2.$$ Then $$dm = 3n \, dn.$$", ["undecided"]),
    "a distance d": (r"Let $d(x, y) = (x - y)^2$. Then $$u = x^2, \quad du = 3x \, dx.$$", ["defined", "undecided"]),
    "a factor d on one side": (r"For $d \in \mathbb{R}$ let $y = 2dx$. Then $y = 3dx$.", ["undecided"]),
}


@pytest.mark.parametrize(("text", "expected"), DOCUMENTS.values(), ids=DOCUMENTS)
def test_differentials_on_both_sides_are_derivatives_or_not_read(text: str, expected: list[str]) -> None:
    assert verdicts(text) == expected


def test_the_whole_relation_is_shown() -> None:
    found = study(read_text(SCALED + r"Then $dx = \sigma \, du$.", "x.md"), decide=decide)[-1]
    assert found.source == r"dx = \sigma \, du"
