"""Names that words give to a side of an equation, and derivatives by a variable that is a function of another one."""

import pytest

from derivations.documents import read_text
from derivations.provers.decide import decide
from derivations.study.claims import study

EQUATION = r"For $x, y \in \mathbb{R}$ $$(x + y)^2 = x^2 + 2 x y + y^2. \tag{1}$$ "
LOSS = r"Let $s \in \mathbb{R}^n$ with $s_j > 0$, and $$L = \sum_{j=1}^n (s_j^2 - \log s_j).$$ "
DOCUMENTS = {
    "the right side by its number": (
        EQUATION + r"Write $D$ for the right-hand side of (1). $$D = (x + y)^2$$ $$D = (x - y)^2$$",
        ["proved", "defined", "proved", "refuted"],
    ),
    "the left side is denoted": (
        EQUATION + r"Denote the left-hand side of (1) by $D$. $$D = x^2 + 2 x y + y^2$$ $$D = x^2 + y^2$$",
        ["proved", "defined", "proved", "undecided"],
    ),
    "the last equation": (
        EQUATION + r"Let $D$ be the right side of this equation. $$\frac{\partial D}{\partial x} = 2 x + 2 y$$",
        ["proved", "defined", "proved"],
    ),
    "a number that no equation has": (
        EQUATION + r"Write $D$ for the right-hand side of (2). $$D = (x - y)^2$$",
        ["proved", "defined"],
    ),
    "something else than a side": (
        EQUATION + r"Write $D$ for the value. $$D = (x - y)^2$$",
        ["proved", "defined"],
    ),
    "by a function of the old variable": (
        LOSS + r"Put $r_j = \log s_j$. $$\frac{\partial L}{\partial r_j} = 2 e^{2 r_j} - 1$$"
        r"$$\frac{\partial L}{\partial r_j} = 2 e^{2 r_j}$$",
        ["skipped", "defined", "defined", "proved", "refuted"],
    ),
    "by a function of other entries": (
        LOSS + r"Put $r_j = \log s_j + s_1$. $$\frac{\partial L}{\partial r_j} = 2 e^{2 r_j} - 1$$",
        ["skipped", "defined", "defined", "unread"],
    ),
    "by a function of two variables": (
        LOSS + r"Let $t \in \mathbb{R}^n$. Put $r_j = t_j s_j$. $$\frac{\partial L}{\partial r_j} = 2 r_j$$",
        ["skipped", "defined", "defined", "unread"],
    ),
}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_statuses(name: str) -> None:
    text, expected = DOCUMENTS[name]
    found = [f for f in study(read_text(text, "x.md"), decide=decide) if f.kind != "prose"]
    assert [f.status for f in found] == expected, [(f.status, f.reason, str(f.statement)) for f in found]
