"""Bold titles of exercises at the start of a paragraph, as headings of the lowest level."""

from __future__ import annotations

from derivations.documents import read_text
from derivations.documents.model.document import Heading

SHEET = r"""# Sheet 4

**Exercise 1.** Let $x \in \mathbb{R}^n$ and $f(x) = \sum_{i=1}^n x_i^2$. Then $f(2 x) = 4 f(x)$.

**Exercise 2 (descent).** Let $A \in \mathbb{R}^{n \times n}$ be symmetric positive definite and $b \in \mathbb{R}^n$. Iterate

$$x_{t+1} = x_t - \eta (A x_t - b).$$
"""


def test_the_title_is_a_heading() -> None:
    document = read_text(SHEET, "x.md")
    titles = [(b.text.text, b.level) for b in document.blocks if isinstance(b, Heading)]
    assert titles == [("Sheet 4", 1), ("Exercise 1", 7), ("Exercise 2 (descent)", 7)]
    first = document.spans[0]
    assert document.block_of(first).section == ("Sheet 4", "Exercise 1")
    assert (first.text.locate(0).line, first.text.locate(0).column) == (3, 22)


def test_bold_words_are_no_titles() -> None:
    document = read_text("**Exercise is healthy.** Let $x = 1$.\n\n- **Exercise 1.** $x = 2$\n", "x.md")
    assert not [b for b in document.blocks if isinstance(b, Heading)]
