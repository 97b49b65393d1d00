"""Functions of numbers whose argument is called like an array of the document, and notation that came with them."""

from __future__ import annotations

import pytest

from derivations.documents import read_text
from derivations.provers.decide import decide
from derivations.study.claims import study

VECTOR = r"Let $x \in \mathbb{R}^n$ and $W \in \mathbb{R}^{m \times n}$. $$z = W x$$ "
LOGISTIC = VECTOR + r"The logistic function is $$\sigma(x) = \frac{1}{1 + e^{-x}}.$$ "


def statuses(text: str) -> list[str]:
    """What becomes of each relation of a text, in order."""
    return [f.status for f in study(read_text(text, "x.md"), decide=decide)]


def test_the_argument_of_a_function_is_a_number_of_its_own() -> None:
    assert statuses(LOGISTIC) == ["defined", "defined"]


def test_a_derivative_by_such_an_argument_is_proved() -> None:
    assert statuses(LOGISTIC + r"Then $$\sigma'(x) = \sigma(x) (1 - \sigma(x)).$$")[-1] == "proved"


def test_a_wrong_derivative_by_such_an_argument_is_refuted() -> None:
    assert statuses(LOGISTIC + r"Then $$\sigma'(x) = \sigma(x) (1 + \sigma(x)).$$")[-1] == "refuted"


def test_arrays_are_put_into_a_function_of_numbers_entry_by_entry() -> None:
    text = LOGISTIC + r"The output is $$a = \sigma(z).$$ Its entries are $$a_i = \frac{1}{1 + e^{-z_i}}.$$"
    assert statuses(text)[-1] == "proved"


def test_an_argument_beside_another_array_stays_an_array() -> None:
    """Not everything else is a number: the score is one of a vector."""
    text = r"Let $x, w \in \mathbb{R}^n$. $$f(x) = w^\top x$$ $$f(x) = \sum_{i=1}^n w_i x_i$$"
    assert statuses(text) == ["defined", "proved"]


@pytest.mark.parametrize(
    ("text", "status"),
    [
        (r"Let $z \in \mathbb{R}^m$. $$\mu = \frac{1}{m} \Sigma_{i=1}^m z_i$$ $$m \mu = \sum_{i=1}^m z_i$$", "proved"),
        (
            r"Let $z \in \mathbb{R}^m$. $$\mu = \frac{1}{m} \Sigma^m_{i=1} z_i$$ $$m \mu = 2 \sum_{i=1}^m z_i$$",
            "refuted",
        ),
        (r"Let $\Sigma \in \mathbb{R}^{n \times n}$. $$A = \Sigma_{11} + 1$$", "defined"),
        (r"We have $1 - 0.25 = \mathbf{0.75}$.", "proved"),
        (r"We have $1 - 0.25 = \mathbf{0.85}$.", "refuted"),
        (r"Let $a, b, c > 0$. $$\Delta = b^2 - 4 a c$$ $$\Delta + 4 a c = b^2$$", "proved"),
        (
            r"Let $W^{[l]} \in \mathbb{R}^{n \times n}$ and $a^{[l]} \in \mathbb{R}^n$. $$z^{[l]} = W^{[l]} a^{[l-1]}$$",
            "defined",
        ),
    ],
)
def test_notation(text: str, status: str) -> None:
    assert statuses(text)[-1] == status


def test_an_order_with_dots_that_is_not_read_refutes_nothing() -> None:
    """The largest of sorted numbers is the last one; of any numbers it is not."""
    text = r"Let $\lambda_1 \le \cdots \le \lambda_p$. $$r = \max_i \lambda_i$$ Then $$r + 1 = \lambda_p + 1$$"
    assert statuses(text)[-1] == "undecided"
    assert statuses(text.replace(r"\lambda_1 \le \cdots \le \lambda_p", r"\lambda \in \mathbb{R}^p"))[-1] == "refuted"


SPREAD = r"""For $x \in \mathbb{R}^d$ let $$\mu(x) = \frac{1}{d} \sum_{i=1}^{d} x_i, \qquad \sigma(x)^2 = \frac{1}{d} \sum_{i=1}^{d} (x_i - \mu(x))^2.$$
"""


@pytest.mark.parametrize(
    ("claim", "status"),
    [
        (r"\sigma(x)^2 = \frac{1}{d} \sum_{i=1}^{d} x_i^2 - \mu(x)^2", "proved"),
        (r"\sigma(x)^2 = \frac{1}{d} \sum_{i=1}^{d} x_i^2 + \mu(x)^2", "refuted"),
    ],
)
def test_a_square_gives_a_function(claim: str, status: str) -> None:
    assert statuses(f"{SPREAD} Then $${claim}$$") == ["defined", "defined", status]
